/* Certificates along the pieces of vertex motions: see the header for the rule of rounding. */
#include "kinetic/kinetic_motion.h"

#include <math.h>

#include "core/memory.h"
#include "kinetic/kinetic_constants.h"

static inline double max_of(double a, double b) { return a > b ? a : b; }
static inline double min_of(double a, double b) { return a < b ? a : b; }

static inline double component(const tact_vec3 *v, int axis) { return axis == 0 ? v->x : axis == 1 ? v->y : v->z; }

static inline double path_coordinate(const linear_path *p, int axis, double time)
{
    return linear_path_coordinate(p, component(&p->x0, axis), component(&p->x1, axis), time);
}

/* ---- the scale ---- */

/* The scale of a coordinate on a piece up to `end`, or only up to `time` if it has no end. */
static double path_scale(const linear_path *p, int axis, double time, double end)
{
    const double x0 = component(&p->x0, axis), x1 = component(&p->x1, axis);
    if (p->has_velocity) {
        const double last = end < INFINITY ? end : time;
        return fabs(x0) + fabs(x1) * (fabs(last - p->t0) + max_of(fabs(last), fabs(time)));
    }
    return fabs(x0) + fabs(x1) + fabs(x1 - x0) * (max_of(fabs(p->t0), fabs(p->t1)) / (p->t1 - p->t0));
}

static inline void note_scale(kinetic_motion *m, double scale)
{
    if (scale > m->scale)
        m->scale = scale;
}

static void note_row_scale(kinetic_motion *m, size_t row)
{
    const vertex_samples *s = m->motion.samples;
    const double *x = s->values + row * s->stride;
    double scale = max_of(m->scale, fabs(x[0]));
    for (size_t k = 0; k + 1 < s->count; ++k) {
        const double times = max_of(fabs(s->times[k]), fabs(s->times[k + 1])) / (s->times[k + 1] - s->times[k]);
        scale = max_of(scale, fabs(x[k]) + fabs(x[k + 1]) + fabs(x[k + 1] - x[k]) * times);
    }
    m->scale = scale;
}

void tact_kinetic_motion_note_error(kinetic_motion *m, double error) { note_scale(m, error / KINETIC_JUMP); }

bool tact_kinetic_motion_adapt(kinetic_motion *m)
{
    if (m->scale <= m->scale_limit)
        return false;
    m->scale_limit = KINETIC_SCALE_GROWTH * m->scale;
    m->tie = KINETIC_TIE * m->scale_limit + KINETIC_TIE_UNDERFLOW;
    m->margin = m->margin_ratio * m->tie;
    return true;
}

/* ---- time ---- */

/* Copies the current piece from the table. */
static void set_current(kinetic_motion *m)
{
    const vertex_samples *s = m->motion.samples;
    const size_t last = m->sample + 1 < s->count ? 1 : 0;
    const double *x = s->values + m->sample;
    for (size_t i = 0; i < m->current_count; ++i, x += s->stride) {
        m->current[i][0] = x[0];
        m->current[i][1] = x[last];
    }
}

void tact_kinetic_motion_set_time(kinetic_motion *m, double time)
{
    m->time = time;
    const vertex_samples *s = m->motion.samples;
    if (s == NULL)
        return;
    const size_t before = m->sample;
    while (m->sample + 1 < s->count && s->times[m->sample + 1] <= time)
        ++m->sample;
    if (m->sample != before)
        set_current(m);
    const size_t k = m->sample;
    m->fraction = k + 1 < s->count ? (time - s->times[k]) / (s->times[k + 1] - s->times[k]) : 0.0;
}

/* Looks at a table, or at new contents of it. */
static void look_at_samples(kinetic_motion *m)
{
    const vertex_samples *s = m->motion.samples;
    m->known_until = s->rest ? INFINITY : s->times[s->count - 1];
    for (size_t row = 0; row < m->current_count; ++row)
        note_row_scale(m, row);
    m->sample = 0;
    set_current(m);
    tact_kinetic_motion_set_time(m, m->time);
}

void tact_kinetic_motion_samples_changed(kinetic_motion *m) { look_at_samples(m); }

void tact_kinetic_motion_row_changed(kinetic_motion *m, uint32_t vertex)
{
    const vertex_samples *s = m->motion.samples;
    const size_t last = m->sample + (m->sample + 1 < s->count ? 1 : 0);
    for (size_t row = 3 * (size_t)vertex; row < 3 * (size_t)vertex + 3; ++row) {
        m->current[row][0] = s->values[row * s->stride + m->sample];
        m->current[row][1] = s->values[row * s->stride + last];
        note_row_scale(m, row);
    }
}

bool tact_kinetic_motion_start(kinetic_motion *m, const vertex_motion *motion, uint32_t vertex_count, double time,
                               const tact_allocator *allocator)
{
    *m = (kinetic_motion){.motion = *motion, .time = time, .scale_limit = -1.0, .known_until = INFINITY};
    if (motion->samples != NULL) {
        m->current_count = 3 * (size_t)vertex_count;
        m->current = tact_memory_allocate(allocator, m->current_count + 1, sizeof *m->current);
        if (m->current == NULL)
            return false;
        look_at_samples(m);
    }
    for (uint32_t i = 0; i < vertex_count && motion->samples == NULL; ++i) {
        double end;
        const linear_path p = motion->piece(motion->context, i, time, &end);
        for (int axis = 0; axis < 3; ++axis)
            note_scale(m, path_scale(&p, axis, time, end));
    }
    tact_kinetic_motion_set_levels(m, 0);
    return true;
}

void tact_kinetic_motion_release(kinetic_motion *m, const tact_allocator *allocator)
{
    tact_memory_free(allocator, m->current, m->current_count + 1, sizeof *m->current);
    *m = (kinetic_motion){.time = m->time};
}

void tact_kinetic_motion_set_levels(kinetic_motion *m, unsigned levels)
{
    /* the decision that boxes are apart may be two ties too early, and the time one tie; the positions of two vertices
     * may have errors of KINETIC_JUMP, less than a tie together */
    m->margin_ratio = 2.0 * KINETIC_TIES_PER_LEVEL * (levels + 1.0) + 4.0;
    m->scale_limit = -1.0;
    (void)tact_kinetic_motion_adapt(m);
}

/* ---- samples ---- */

static inline const double *samples_of(const vertex_samples *s, uint32_t vertex, int axis)
{
    return s->values + (3 * (size_t)vertex + (size_t)axis) * s->stride;
}

/* A coordinate at the current time. */
static inline double interpolate(const kinetic_motion *m, const double current[2])
{
    /* exact at the begin: 1 x0 + 0 x1 */
    return (1.0 - m->fraction) * current[0] + m->fraction * current[1];
}

/* The failure between two times of a difference that falls from d0 > 0 to d1 < 0. */
static double failure_between(double start, double end, double d0, double d1)
{
    const double time = start + (end - start) * (d0 / (d0 - d1));
    return time > start ? min_of(time, end) : nextafter(start, INFINITY);
}

/* The same as hold_time, from the end of the current piece on, where the certificate holds. */
static double hold_time_later(kinetic_motion *m, uint32_t p, uint32_t q, int axis, double offset, double limit)
{
    const vertex_samples *s = m->motion.samples;
    const double *xp = samples_of(s, p, axis), *xq = samples_of(s, q, axis);
    const double(*rp)[2] = s->ranges + (3 * (size_t)p + (size_t)axis) * s->range_stride;
    const double(*rq)[2] = s->ranges + (3 * (size_t)q + (size_t)axis) * s->range_stride;
    size_t k = m->sample + 1; /* it holds at this sample */
    for (bool first = true; k + 1 < s->count && s->times[k] < limit; ++k, first = false) {
        /* The difference of the ranges is at most that of any samples in them, also when rounded. */
        if (first || k % KINETIC_RANGE_SAMPLES == 0)
            for (size_t j = k / KINETIC_RANGE_SAMPLES;
                 (j + 1) * KINETIC_RANGE_SAMPLES < s->count && (rq[j][0] - rp[j][1]) - offset >= 0.0; ++j)
                k = (j + 1) * KINETIC_RANGE_SAMPLES;
        if (k + 1 >= s->count || s->times[k] >= limit)
            break;
        const double d1 = (xq[k + 1] - xp[k + 1]) - offset;
        if (d1 < 0.0) {
            const double d0 = (xq[k] - xp[k]) - offset;
            m->pieces += k - m->sample;
            return d0 <= m->tie ? s->times[k] : failure_between(s->times[k], s->times[k + 1], d0, d1);
        }
    }
    m->pieces += k - m->sample;
    return k + 1 < s->count ? s->times[k] : m->known_until;
}

static double hold_time_sampled(kinetic_motion *m, uint32_t p, uint32_t q, int axis, double offset, double limit)
{
    const vertex_samples *s = m->motion.samples;
    const double *cp = m->current[3 * (size_t)p + (size_t)axis], *cq = m->current[3 * (size_t)q + (size_t)axis];
    const double d0 = (interpolate(m, cq) - interpolate(m, cp)) - offset;
    ++m->pieces;
    if (d0 < -m->tie)
        return m->time;
    if (m->sample + 1 == s->count)
        return m->known_until; /* at rest */
    const double d1 = (cq[1] - cp[1]) - offset, end = s->times[m->sample + 1];
    if (d1 < 0.0)
        return d0 <= m->tie ? m->time : failure_between(m->time, end, d0, d1);
    return end < limit ? hold_time_later(m, p, q, axis, offset, limit) : end;
}

/* ---- pieces ---- */

static double hold_time_of_pieces(kinetic_motion *m, uint32_t p, uint32_t q, int axis, double offset, double limit)
{
    double start = m->time;
    for (unsigned examined = 0;; ++examined) {
        double end_p, end_q;
        const linear_path a = m->motion.piece(m->motion.context, p, start, &end_p);
        const linear_path b = m->motion.piece(m->motion.context, q, start, &end_q);
        const double end = min_of(end_p, end_q);
        const double d0 = (path_coordinate(&b, axis, start) - path_coordinate(&a, axis, start)) - offset;
        ++m->pieces;
        note_scale(m, path_scale(&a, axis, start, end));
        note_scale(m, path_scale(&b, axis, start, end));
        if (d0 < -m->tie)
            return start;
        if (end == INFINITY) {
            const double speed = component(&a.x1, axis) - component(&b.x1, axis);
            if (!(speed > 0.0))
                return INFINITY;
            const double time = start + d0 / speed;
            if (time < INFINITY) {
                note_scale(m, path_scale(&a, axis, time, end));
                note_scale(m, path_scale(&b, axis, time, end));
            }
            return d0 <= m->tie ? start : time > start ? time : nextafter(start, INFINITY);
        }
        const double d1 = (path_coordinate(&b, axis, end) - path_coordinate(&a, axis, end)) - offset;
        if (d1 < 0.0)
            return d0 <= m->tie ? start : failure_between(start, end, d0, d1);
        start = end;
        if (start >= limit || examined + 1 >= KINETIC_MAX_PIECES)
            return start;
    }
}

double tact_kinetic_motion_hold_time(kinetic_motion *m, uint32_t p, uint32_t q, int axis, double offset, double limit)
{
    ++m->certificates;
    return m->motion.samples != NULL ? hold_time_sampled(m, p, q, axis, offset, limit)
                                     : hold_time_of_pieces(m, p, q, axis, offset, limit);
}

double tact_kinetic_motion_coordinate(kinetic_motion *m, uint32_t vertex, int axis)
{
    if (m->motion.samples != NULL)
        return interpolate(m, m->current[3 * (size_t)vertex + (size_t)axis]);
    double end;
    const linear_path p = m->motion.piece(m->motion.context, vertex, m->time, &end);
    note_scale(m, path_scale(&p, axis, m->time, end));
    return path_coordinate(&p, axis, m->time);
}

/* ---- overlap along all axes ---- */

unsigned tact_kinetic_motion_open_gaps(kinetic_motion *m, const kinetic_gaps *gaps)
{
    double d[6];
    for (int w = 0; w < 6; ++w) /* without branches: the loads overlap */
        d[w] = m->motion.samples != NULL ? interpolate(m, m->current[3 * (size_t)gaps->q[w] + (size_t)w / 2]) -
                                               interpolate(m, m->current[3 * (size_t)gaps->p[w] + (size_t)w / 2])
                                         : tact_kinetic_motion_coordinate(m, gaps->q[w], w / 2) -
                                               tact_kinetic_motion_coordinate(m, gaps->p[w], w / 2);
    unsigned open = 0;
    for (int w = 0; w < 6; ++w)
        open |= (unsigned)(d[w] - m->margin >= -m->tie) << w;
    return open;
}

/* Narrows the times [*low, *high] of a piece from `start` to `end` to those at which a gap that changes from d0 to d1
 * is closed. False if there are none. */
static inline bool closed_times(double tie, double start, double end, double d0, double d1, double *low, double *high)
{
    const bool open = d1 >= 0.0 ? d0 >= -tie : d0 > tie; /* as in hold_time */
    if (open) {
        if (d1 >= 0.0)
            return false;
        *low = max_of(*low, failure_between(start, end, d0, d1));
    } else if (d1 > 0.0) {
        *high = min_of(*high, failure_between(start, end, -d0, -d1));
    }
    return *low <= *high;
}

static double apart_time_sampled(kinetic_motion *m, const kinetic_gaps *gaps)
{
    const vertex_samples *s = m->motion.samples;
    const double *xp[6], *xq[6];
    double gap[6];
    bool apart = false;
    for (int w = 0; w < 6; ++w) {
        xp[w] = samples_of(s, gaps->p[w], w / 2);
        xq[w] = samples_of(s, gaps->q[w], w / 2);
        gap[w] = (interpolate(m, m->current[3 * (size_t)gaps->q[w] + (size_t)w / 2]) -
                  interpolate(m, m->current[3 * (size_t)gaps->p[w] + (size_t)w / 2])) -
                 m->margin;
        apart = apart || gap[w] >= -m->tie;
    }
    double start = m->time;
    for (size_t k = m->sample + 1; k < s->count; ++k) {
        const double end = s->times[k];
        double low = start, high = end;
        bool closed = true;
        ++m->pieces;
        for (int w = 0; w < 6; ++w) {
            const double d1 = (xq[w][k] - xp[w][k]) - m->margin;
            closed = closed && closed_times(m->tie, start, end, gap[w], d1, &low, &high);
            gap[w] = d1;
        }
        if (closed)
            return low;
        start = end;
    }
    if (!s->rest)
        return m->known_until;
    if (m->sample + 1 < s->count) { /* at rest after the last sample */
        apart = false;
        for (int w = 0; w < 6; ++w)
            apart = apart || gap[w] >= -m->tie;
    }
    return apart ? INFINITY : start;
}

/* The same on the last pieces, which have no end. */
static double apart_time_without_end(kinetic_motion *m, const linear_path a[6], const linear_path b[6], double start)
{
    double low = start, high = INFINITY;
    for (int w = 0; w < 6; ++w) {
        const int axis = w / 2;
        const double d0 = (path_coordinate(&b[w], axis, start) - path_coordinate(&a[w], axis, start)) - m->margin;
        const double speed = component(&a[w].x1, axis) - component(&b[w].x1, axis);
        const bool open = speed <= 0.0 ? d0 >= -m->tie : d0 > m->tie;
        if (open) {
            if (speed <= 0.0)
                return INFINITY;
            low = max_of(low, max_of(start + d0 / speed, nextafter(start, INFINITY)));
        } else if (speed < 0.0) {
            high = min_of(high, max_of(start + d0 / speed, nextafter(start, INFINITY)));
        }
    }
    if (!(low <= high && low < INFINITY))
        return INFINITY;
    for (int w = 0; w < 6; ++w) {
        note_scale(m, path_scale(&a[w], w / 2, low, INFINITY));
        note_scale(m, path_scale(&b[w], w / 2, low, INFINITY));
    }
    return low;
}

static double apart_time_of_pieces(kinetic_motion *m, const kinetic_gaps *gaps)
{
    double start = m->time;
    for (unsigned examined = 0; examined < KINETIC_MAX_PIECES; ++examined) {
        linear_path a[6], b[6];
        double end = INFINITY;
        ++m->pieces;
        for (int w = 0; w < 6; ++w) {
            double end_p, end_q;
            a[w] = m->motion.piece(m->motion.context, gaps->p[w], start, &end_p);
            b[w] = m->motion.piece(m->motion.context, gaps->q[w], start, &end_q);
            end = min_of(end, min_of(end_p, end_q));
        }
        if (end == INFINITY)
            return apart_time_without_end(m, a, b, start);
        double low = start, high = end;
        bool closed = true;
        for (int w = 0; w < 6; ++w) {
            const int axis = w / 2;
            note_scale(m, path_scale(&a[w], axis, start, end));
            note_scale(m, path_scale(&b[w], axis, start, end));
            const double d0 = (path_coordinate(&b[w], axis, start) - path_coordinate(&a[w], axis, start)) - m->margin;
            const double d1 = (path_coordinate(&b[w], axis, end) - path_coordinate(&a[w], axis, end)) - m->margin;
            closed = closed && closed_times(m->tie, start, end, d0, d1, &low, &high);
        }
        if (closed)
            return low;
        start = end;
    }
    return start;
}

double tact_kinetic_motion_apart_time(kinetic_motion *m, const kinetic_gaps *gaps)
{
    m->certificates += 6;
    return m->motion.samples != NULL ? apart_time_sampled(m, gaps) : apart_time_of_pieces(m, gaps);
}

/* ---- jumps ---- */

double tact_kinetic_motion_next_jump(const kinetic_motion *m, uint32_t vertex, double time, bool *jumps)
{
    *jumps = false;
    if (m->motion.samples != NULL || m->motion.continuous)
        return INFINITY;
    double end;
    linear_path p = m->motion.piece(m->motion.context, vertex, time, &end);
    for (unsigned examined = 0; end < INFINITY && examined < KINETIC_MAX_PIECES; ++examined) {
        const double at = end;
        const linear_path next = m->motion.piece(m->motion.context, vertex, at, &end);
        for (int axis = 0; axis < 3; ++axis) {
            const double way = path_coordinate(&next, axis, at) - path_coordinate(&p, axis, at);
            *jumps = *jumps || fabs(way) > KINETIC_JUMP * m->scale;
        }
        if (*jumps)
            return at;
        p = next;
        time = at;
    }
    return end < INFINITY ? time : INFINITY;
}

tact_vec3 tact_kinetic_motion_position_before(const kinetic_motion *m, uint32_t vertex, double time)
{
    double end;
    const linear_path p = m->motion.piece(m->motion.context, vertex, nextafter(time, -INFINITY), &end);
    return linear_path_at(&p, time);
}
