/* What is foreseen of two bodies: when they touch, or part. */
#include <float.h>
#include <math.h>

#include "advance/pair_prediction.h"
#include "advance/sphere_sphere.h"
#include "query/query.h"
#include "shape/shape_data.h"
#include "toi/overlap_certificate.h"
#include "toi/toi.h"

/* Of the smaller body's size: the tolerance of a touch; and how far apart they have parted. Between them is what
 * rounding makes of a touch that lasts: so two that are told are not told at once again. */
#define TOLERANCE 1e-12
#define PARTED BALLS_PARTED

/* Of the grain: the same, where coordinates and times are too coarse for these. */
#define TOLERANCE_GRAINS 8.0
#define PARTED_GRAINS 128.0

/* Of the size: no tolerance of what is foreseen is larger, however coarse times are: two that are through each other
 * within a rounding of the time would be seen to part. */
#define TOLERANCE_MOST 0x1p-6

/* Of how far apart they have parted: so far two that were told are looked at, at the least, to see whether they close.
 * What comes next may be a rounding away, and on such a way everything seems to stay as it is. */
#define WAY_TO_SEE 1e3

/* Of the smaller body's size: no deeper in each other, two that have bounced are kept from getting deeper still. Else
 * they were so from the beginning, or are being crushed, and are told again when they have parted. */
#define SHALLOW 0.01

/* Steps of a search while two that are settled are in contact: what comes then hangs on what is answered soon. */
#define SETTLED_STEPS 64

/* Of how far apart they have parted: two that are settled in touch move by so much at the least before they are told
 * again. */
#define PROGRESS 0.5

/* Looks at a pair that overlaps, before it is put off. */
#define LOOKS 48

/* Of the smaller body's size: no step of such a look is shorter than the first; and where for BLIND looks nothing is
 * sure (two shells that slide along each other in one plane), steps double up to the second, so that this comes to an
 * end too. A gap narrower than a step may be missed then. */
#define STEP_LEAST 1e-7
#define STEP_BLIND (1.0 / 64.0)
#define BLIND 64

/* A rate, and a part: two looks at a pair that overlaps say little of the next; so much of it is believed. */
#define STEADY 0.9

/* Of the time that two elements were sure to hold each other for: they are followed until it is so much. */
#define FOLLOW_PART 0.02

/* Of the time that was to be looked at: if a look could not be finished, so much of it is progress. */
#define LEAST_PART 0x1p-20

/* So often a pair is told at one and the same time; then it is taken to overlap. Many bodies that are in touch may have
 * to be told again and again until none closes; this only stops what would have no end. */
#define AT_ONCE 256

/* A number of times that plans lasted of late: nothing is foreseen beyond that. */
#define PATIENCE 4.0

/* Relative: more than the roundings of a window of time. */
#define ROUNDINGS (16.0 * DBL_EPSILON)

/* A longer time is not looked at, or than there has been; lengths in it must not overflow. */
#define LONGEST 1e100

/* A length: sizes below count as that, so that squares of tolerances do not vanish. As query.h says. */
#define SIZE_LEAST 1e-140

/* How far a look goes, as an angle and as a multiple of the sizes. */
#define TURN 6.0
#define FAR 64.0

/* Of the speed of both: two that close slower than this do so at a speed that may change on the last bit of the way. */
#define STEEP 1e-3

static double max_time(double now) { return fmax(LONGEST, now); }

bool tact_prediction_reported_too_often(const pair_prediction *r, double now)
{
    return r->reported_at == now && r->reported_count >= AT_ONCE;
}

/* Two balls that have a record, as they were told and did not bounce. `changed`: since the last look, and not by a
 * telling. */
static void update_spheres(const body_motion *a, const body_motion *b, double now, bool changed, pair_prediction *r)
{
    const moving_sphere one = moving_sphere_at(a, now);
    const sphere_pair q = sphere_pair_at(&one, b, now);
    const double deep = sphere_pair_depth_limit(&q), root = sqrt(fmax(q.approach * q.approach - q.speed * q.gap, 0.0));
    const bool overlapped = pair_overlaps(r->state);
    bool overlaps =
        overlapped && !(q.gap > deep || (q.gap >= -deep && (q.approach >= 0.0 ||
                                                            (changed && !tact_prediction_reported_too_often(r, now)))));
    r->time = r->valid_until = INFINITY;
    if (!overlaps) {
        r->time = now + spheres_time_of_impact(&one, b, now, INFINITY);
        /* the same touch, if they are through each other within a rounding of the time */
        overlaps = r->time == now && ((overlapped && !changed) || tact_prediction_reported_too_often(r, now));
    }
    (void)pair_observe(r, overlaps ? PAIR_SEES_OVERLAP : PAIR_SEES_NO_OVERLAP);
    if (overlaps && q.speed > 0.0) {
        /* when the gap is so clear that it is one for all roundings, that of the time among them */
        const double clear = 4.0 * q.noise + 8.0 * DBL_EPSILON * fabs(now) * root;
        const double out = sqrt(fmax(q.approach * q.approach - q.speed * (q.gap - clear), 0.0)) - q.approach;
        r->time = fmax(now + out / q.speed, nextafter(now, INFINITY));
    }
    if (!(r->time < INFINITY))
        return;
    const tact_vec3 pa = vec_mul_add(a->origin, r->time - a->start_time, a->velocity);
    const tact_vec3 way = vec_sub(vec_mul_add(b->origin, r->time - b->start_time, b->velocity), pa);
    const double length = vec_length_safe(way);
    r->normal = length > 0.0 ? vec_scale(way, 1.0 / length) : vec_make(0.0, 0.0, 0.0);
    r->point = vec_mul_add(pa, a->sphere_radius, r->normal);
}

/* How the second goes past the first from a time on. */
static hold_course relative_path(const pair_query *q, double t)
{
    const tact_vec3 thrust = vec_sub(q->motion[1].acceleration, q->motion[0].acceleration);
    return (hold_course){vec_mul_add(vec_sub(q->motion[1].velocity, q->motion[0].velocity), t, thrust),
                         q->rotation_speed + vec_length_safe(thrust) * (q->horizon - t)};
}

static tact_status certificate_at(const pair_query *q, double t, double *apart, hold_witness *witness)
{
    const hold_course way = relative_path(q, t);
    return tact_shapes_hold_by(q->shape[0], tact_motion_at(q->motion[0], q->transform[0], t), q->shape[1],
                               tact_motion_at(q->motion[1], q->transform[1], t), &way, q->horizon - t, apart, witness);
}

/* Goes on while two elements hold each other for longer than `enough`. */
static double follow_certificate(const pair_query *q, const hold_witness *witness, double t, double enough)
{
    while (t < q->horizon) {
        const tact_transform at[2] = {tact_motion_at(q->motion[0], q->transform[0], t),
                                      tact_motion_at(q->motion[1], q->transform[1], t)};
        const hold_course way = relative_path(q, t);
        const double sure = tact_witness_time(witness, q->shape[0], &at[0], q->shape[1], &at[1], &way);
        if (!(sure > enough) || !(t + sure > t))
            break;
        t += sure;
    }
    return t;
}

/* How far ahead of where it is sure that they overlap the next look may be for it to reach back there: a time. Two
 * looks tell how what is sure changes: by `rate` of the most that it can, and `sure` is a time. That of a look x ahead
 * will be sure + rate (x + sure), and is to be x at least. */
static double step_ahead(double sure, double rate)
{
    rate = fmax(-STEADY, fmin(rate, STEADY));
    return STEADY * sure * (1.0 + rate) / (1.0 - rate);
}

/* When two that overlap are apart again. From a look their points have at least to move as far as is sure that they
 * hold each other until they part, and it is so far back that they cannot have been apart, so no gap wider than the
 * least step is stepped over. */
static tact_status find_separation(const pair_query *q, pair_prediction *r)
{
    const double least = fmax(STEP_LEAST * q->size, 0.25 * q->separation_distance);
    double t = 0.0, ahead = 0.0; /* up to t it is sure; the next look is so far ahead of it */
    double last = 0.0, last_sure = 0.0;
    r->time = INFINITY;
    (void)pair_observe(r, PAIR_SEES_OVERLAP);
    for (int i = 0; i < LOOKS && t < q->horizon; ++i) {
        double apart;
        hold_witness witness;
        const double at = fmin(t + ahead, q->horizon);
        const tact_status status = certificate_at(q, at, &apart, &witness);
        if (status != TACT_OK)
            return status;
        const double sure = q->separation_distance - apart;
        if (ahead > 0.0 && !(sure >= (at - t) * q->speed)) {
            ahead = 0.0; /* too far */
            continue;
        }
        if (apart > q->separation_distance) {
            r->time = q->now + at;
            break;
        }
        r->uncertain_count = sure > least ? 0 : r->uncertain_count + 1;
        double step = least;
        for (uint32_t k = BLIND; k < r->uncertain_count && step < STEP_BLIND * q->size; ++k)
            step *= 2.0;
        t = at + fmax(sure, step) / q->speed;
        ahead =
            i > 0 && sure > least ? step_ahead(sure / q->speed, (sure - last_sure) / (q->speed * (at - last))) : 0.0;
        last = at;
        last_sure = sure;
        if (witness.there && sure > least) {
            t = follow_certificate(q, &witness, t, FOLLOW_PART * sure / q->speed);
            ahead = 0.0; /* what was sure was so before that */
        }
    }
    r->valid_until = q->now + fmin(t, q->horizon);
    return TACT_OK;
}

/* When x - v t - a t^2 / 2 falls to 0, from x above 0 or about it; NAN: never. */
static double time_of_zero(double x, double v, double a)
{
    const double square = v * v + 2.0 * a * x;
    return v > 0.0 ? 2.0 * x / (v + sqrt(square)) : (sqrt(square) - v) / a;
}

/* Triangles and nothing else. */
static bool is_surface(const tact_shape *shape)
{
    return tact_shape_get_type(shape) == TACT_MESH && tact_shape_get_margin(shape) == 0.0;
}

/* The speed at which two close where they touch, at a time after now. */
static double closing_at(const pair_query *q, double time, tact_vec3 point, tact_vec3 normal)
{
    tact_vec3 velocity[2];
    for (int i = 0; i < 2; ++i) {
        const tact_vec3 origin = vec_mul_add(q->transform[i].origin, time,
                                             vec_mul_add(q->motion[i].velocity, 0.5 * time, q->motion[i].acceleration));
        velocity[i] = vec_mul_add(q->motion[i].velocity, time, q->motion[i].acceleration);
        velocity[i] = vec_add(velocity[i], vec_cross(q->motion[i].spin, vec_sub(point, origin)));
    }
    return vec_dot(normal, vec_sub(velocity[0], velocity[1]));
}

/* The search for a touch ends where they are half a tolerance apart: always early, which adds up over thousands of
 * bounces. Goes on from there.
 *
 * If neither turns, and both are convex: how far they are apart along the normal is known as a function of time, from
 * the beginning of their plans, and its zero is never after the touch, whatever the normal; and off by the square of
 * what the normal is off. It does not hang on when it was looked for, and where that ended: times that should be equal
 * are equal as a rule. Else by what is left of the distance over the speed at which they close, right but for what is
 * of second order in the tolerance. */
static double time_of_touch(const pair_query *q, const tact_toi *hit)
{
    const double found = q->now + hit->time, since = max_double(q->motions[0]->start_time, q->motions[1]->start_time);
    tact_vec3 ends[2], n = hit->normal;
    const bool turns = vec_length_squared(q->motion[0].spin) + vec_length_squared(q->motion[1].spin) > 0.0;
    const double closing = closing_at(q, hit->time, hit->point, n);
    if (!(closing > STEEP * q->speed))
        return found;
    if (!turns &&
        tact_shape_support(q->shape[0], body_motion_transform(q->motions[0], q->cold[0], since), n, &ends[0]) ==
            TACT_OK &&
        tact_shape_support(q->shape[1], body_motion_transform(q->motions[1], q->cold[1], since), vec_negate(n),
                           &ends[1]) == TACT_OK) {
        const tact_motion a = body_motion_motion(q->motions[0], q->cold[0], since);
        const tact_motion b = body_motion_motion(q->motions[1], q->cold[1], since);
        const double time =
            since + time_of_zero(vec_dot(n, vec_sub(ends[1], ends[0])), vec_dot(n, vec_sub(a.velocity, b.velocity)),
                                 vec_dot(n, vec_sub(a.acceleration, b.acceleration)));
        if (time >= q->now && fabs(time - found) * closing <= 2.0 * q->tolerance)
            return time;
    }
    if (!turns && is_surface(q->shape[0]) && is_surface(q->shape[1]))
        return found; /* triangles: it is the time already */
    const tact_distance d = tact_shapes_distance(q->shape[0], tact_motion_at(q->motion[0], q->transform[0], hit->time),
                                                 q->shape[1], tact_motion_at(q->motion[1], q->transform[1], hit->time));
    return d.status == TACT_OK ? q->now + (hit->time + fmin(d.distance, q->tolerance) / closing) : found;
}

/* Of two that do not meet the last one is kept, along which they are apart as a rule. */
static void store_normal(pair_prediction *r, const tact_toi *hit)
{
    if (vec_length_squared(hit->normal) > 0.0)
        r->normal = hit->normal;
}

/* The question when two bodies come into contact, up to `end`. */
static toi_input toi_input_of(const pair_query *q, double end)
{
    return (toi_input){.shape = {q->shape[0], q->shape[1]},
                       .transform = {q->transform[0], q->transform[1]},
                       .motion = {q->motion[0], q->motion[1]},
                       .end = end,
                       .tolerance = q->tolerance};
}

/* Two that have bounced, and have not been seen to have parted since. As long as they are within `parted` of each other
 * they are in touch, and are told again when they press deeper than that: so what is below rounding, in times and in
 * the spins of pieces, does not count, and a body that lies, rolls or tips on another one takes few steps. `settled`:
 * told just now, so that they touch and where is no news.
 *
 * Policy of resting contact: the band is `parted`; a contact may be as deep as it was when it began, but not deeper
 * than SHALLOW; deeper ones are lost, and overlap. */
static tact_status update_resting(const pair_query *q, bool settled, pair_prediction *r)
{
    const double way = fmax(q->horizon, fmin(WAY_TO_SEE * q->separation_distance / q->speed, max_time(q->now)));
    const double shallow = SHALLOW * q->size;
    const bool reported = pair_overlaps(r->state);
    toi_input input = toi_input_of(q, way);
    toi_output output;
    input.normal_hint = r->normal;
    input.contact_band = q->separation_distance;
    input.allowed_depth = reported ? shallow : r->depth; /* the contact begins here */
    input.max_depth = shallow;
    input.ignore_initial_contact = settled;
    input.max_contact_steps = settled ? SETTLED_STEPS : 0;
    tact_toi_find(&input, &output);
    tact_toi hit = output.toi;
    if (hit.status != TACT_OK && hit.status != TACT_NOT_CONVERGED)
        return hit.status;
    const bool parted = output.start == TOI_START_SEPARATED;
    const bool lost = output.start == TOI_START_CONTACT && output.separation < -fmax(output.band, shallow);
    (void)pair_observe(r, parted ? PAIR_SEES_SEPARATION : lost ? PAIR_SEES_TOO_DEEP : PAIR_SEES_NO_OVERLAP);
    if (lost && reported)
        return find_separation(q, r);
    const double depth = fmin(fmax(0.0, -output.separation), shallow);
    if (output.start == TOI_START_CONTACT)
        r->depth = fmin(input.allowed_depth, depth);
    else if (reported)
        r->depth = output.start == TOI_START_LEAVING ? depth : 0.0;
    if (reported || hit.state == TACT_UNKNOWN)
        hit.time = fmax(hit.time, PROGRESS * q->separation_distance / q->speed);
    r->uncertain_count = 0;
    r->time = hit.state != TACT_HIT || hit.time > q->horizon ? INFINITY : time_of_touch(q, &hit);
    r->valid_until = q->now + fmin(hit.time, q->horizon);
    const double soon = fmax(q->rest_time, WAY_TO_SEE * q->separation_distance / q->speed);
    if (r->depth > q->separation_distance &&
        r->time > q->now + soon) { /* on their way out: not to get back to where they were */
        r->time = INFINITY;
        r->valid_until = fmin(r->valid_until, q->now + soon);
    }
    r->point = hit.point;
    store_normal(r, &hit);
    return TACT_OK;
}

/* `changed`: since the last look, and not by a telling. */
static tact_status update_general(const pair_query *q, bool changed, pair_prediction *r)
{
    const bool overlaps = pair_overlaps(r->state), told = overlaps && r->version == 0;
    if (pair_has_bounced(r->state))
        return update_resting(q, told || !changed || tact_prediction_reported_too_often(r, q->now), r);
    if (overlaps && !told && !changed)
        return find_separation(q, r);
    if (told && r->reported_version > q->cold[0]->version && r->reported_version > q->cold[1]->version &&
        closing_at(q, 0.0, r->point, r->normal) > STEEP * q->speed)
        return find_separation(q, r); /* let pass */
    const double end = overlaps
                           ? fmax(q->horizon, fmin(WAY_TO_SEE * q->separation_distance / q->speed, max_time(q->now)))
                           : q->horizon;
    toi_input input = toi_input_of(q, end);
    toi_output output;
    if (!overlaps)
        input.normal_hint = r->normal;
    tact_toi_find(&input, &output);
    const tact_toi hit = output.toi;
    if (hit.status != TACT_OK && hit.status != TACT_NOT_CONVERGED)
        return hit.status;
    const bool meet = hit.state == TACT_HIT;
    /* two that were told have not parted if they are a rounding apart */
    const bool now = meet && (hit.time == 0.0 || (overlaps && hit.time * q->speed <= q->separation_distance));
    if (hit.state == TACT_UNKNOWN && !overlaps && hit.time < LEAST_PART * q->horizon)
        return hit.status;
    if ((overlaps && hit.state == TACT_UNKNOWN) || (now && tact_prediction_reported_too_often(r, q->now)))
        return find_separation(q, r);
    if (overlaps && now) {
        double apart = 0.0;
        hold_witness ignored;
        const tact_status status = changed ? certificate_at(q, 0.0, &apart, &ignored) : TACT_OK;
        if (status != TACT_OK)
            return status;
        if (!changed || apart < -q->separation_distance)
            return find_separation(q, r);
    }
    (void)pair_observe(r, PAIR_SEES_NO_OVERLAP);
    r->uncertain_count = 0;
    r->time = !meet || hit.time > q->horizon ? INFINITY : hit.time > 0.0 ? time_of_touch(q, &hit) : q->now;
    r->valid_until = q->now + fmin(hit.time, q->horizon);
    r->point = hit.point;
    store_normal(r, &hit);
    return TACT_OK;
}

/* A bound of how fast the points of a body turn about its origin: of one that spins the extents are those of a ball. */
static double rotation_speed_of(const body_motion_cold *m)
{
    return vec_length_safe(m->motion.spin) * max_double(vec_max_abs(m->extent_min), vec_max_abs(m->extent_max));
}

/* NULL: there is none. */
static pair_prediction *find_prediction(const advance *ad, uint32_t one, uint32_t other)
{
    const uint32_t place = tact_neighbours_find(&ad->neighbours, one, other);
    const uint32_t word =
        place == NEIGHBOUR_NONE ? NEIGHBOUR_NONE : neighbours_of(&ad->neighbours, one).items[place].word;
    return word == NEIGHBOUR_NONE ? NULL : &ad->predictions.items[word];
}

uint32_t tact_prediction_bounce_count(const advance *ad, uint32_t one, uint32_t other, double rest)
{
    const pair_prediction *r = find_prediction(ad, one, other);
    return r == NULL || ad->time - r->bounces_since > rest ? 0 : r->bounce_count;
}

void tact_prediction_mark_bounced(advance *ad, uint32_t one, uint32_t other, double rest)
{
    pair_prediction *r = find_prediction(ad, one, other);
    if (r != NULL) {
        (void)pair_observe(r, PAIR_SEES_BOUNCE);
        r->bounce_count = ad->time - r->bounces_since > rest ? 0 : r->bounce_count;
        r->bounces_since = r->bounce_count++ == 0 ? ad->time : r->bounces_since;
    }
    for (size_t i = 0; i < ad->restored_touches.count; ++i) /* of a world that has not gone on since it was restored */
        if (ad->restored_touches.items[i].a == (one < other ? one : other) &&
            ad->restored_touches.items[i].b == (one < other ? other : one))
            ad->restored_touches.items[i].flags |= TOUCH_BOUNCED;
}

uint32_t tact_prediction_ensure(tact_world *world, neighbour *n)
{
    advance *ad = world->advance;
    if (n->word != NEIGHBOUR_NONE)
        return n->word;
    uint32_t word = ad->unused_prediction;
    if (word != NEIGHBOUR_NONE) {
        ad->unused_prediction = ad->predictions.items[word].next_unused;
        ad->predictions.items[word] = (pair_prediction){.next_unused = NEIGHBOUR_NONE};
    } else {
        if (!prediction_array_push(&ad->predictions, &world->allocator,
                                   (pair_prediction){.next_unused = NEIGHBOUR_NONE}))
            return NEIGHBOUR_NONE;
        word = (uint32_t)ad->predictions.count - 1;
    }
    neighbours_set_word(&ad->neighbours, n, word);
    return word;
}

/* The size of the smaller one of two, and how coarse coordinates and times are. */
static void set_tolerances(pair_query *q, const body_motion_cold *const m[2])
{
    const double size = max_double(SIZE_LEAST, body_motions_smaller_size(m[0], m[1]));
    q->size = size;
    double far = 0.0, turning = DBL_MIN, fast = 0.0;
    for (int i = 0; i < 2; ++i) {
        turning += rotation_speed_of(m[i]) + (m[i]->plan != NULL ? m[i]->plan->plan.max_deviation_speed : 0.0);
        fast += vec_length_safe(q->motion[i].velocity) + q->horizon * vec_length_safe(q->motion[i].acceleration);
        far += vec_max_abs(q->transform[i].origin) + vec_max_abs(m[i]->extent_min) + vec_max_abs(m[i]->extent_max);
    }
    const double past = vec_length_safe(vec_sub(q->motion[0].velocity, q->motion[1].velocity)) +
                        q->horizon * vec_length_safe(vec_sub(q->motion[0].acceleration, q->motion[1].acceleration));
    q->rotation_speed = turning + ROUNDINGS * fast;
    q->speed = past + q->rotation_speed;
    const double grain = DBL_EPSILON * (far + (fast + turning) * fabs(q->now));
    q->tolerance = fmax(TOLERANCE * size, TOLERANCE_GRAINS * grain);
    q->separation_distance = fmax(PARTED * size, PARTED_GRAINS * grain);
}

/* When something else has the pair looked at again, or ends it. */
static double superseded_time(const advance *ad, uint32_t one, uint32_t other)
{
    const double exit = fmin(ad->cold.items[one].expiry, ad->cold.items[other].expiry);
    if (ad->engine != TACT_KINETIC_SWEEP_AND_PRUNE)
        return exit;
    return fmin(exit, ad->time + tact_kinetic_sweep_part(&ad->sweep.sweep, one, other, ad->time));
}

/* Boxes may overlap for long. One that turns is looked at for a turn of its, one that is accelerated for FAR times the
 * sizes of both: what is beyond would cost, and the numbers in it are coarse. */
static double max_horizon(const body_motion_cold *const m[2], double now)
{
    double time = max_time(now);
    const double way = FAR * (body_motion_size(m[0]) + body_motion_size(m[1]));
    for (int i = 0; i < 2; ++i) {
        if (!vec_equal(m[i]->motion.spin, (tact_vec3){0.0, 0.0, 0.0}))
            time = fmin(time, TURN / vec_length_safe(m[i]->motion.spin));
        if (!vec_equal(m[i]->motion.acceleration, (tact_vec3){0.0, 0.0, 0.0}))
            time = fmin(time, sqrt(way) / sqrt(0.5 * vec_length_safe(m[i]->motion.acceleration)));
    }
    return time;
}

/* How far ahead two are worth looking at, after how often their plans were changed of late: PATIENCE times as long as
 * these lasted, or as long again as they have lasted this time; so that a plan which lasts longer than it seemed is
 * looked at a few times more, not again and again. */
static double prediction_worth(const body_motion_cold *const m[2], double now)
{
    double time = INFINITY;
    for (int i = 0; i < 2; ++i)
        if (m[i]->motion_lifetime > 0.0)
            time = fmin(time, fmax(PATIENCE * m[i]->motion_lifetime, now - m[i]->motion_set_at));
    return time;
}

/* Two of which at least one moves. They are looked at while their boxes overlap. */
static tact_status update_convex_window(const tact_world *world, const body_motion *const p[2],
                                        const body_motion_cold *const m[2], bool changed, double horizon,
                                        pair_prediction *r)
{
    const double now = world->advance->time;
    double from = 0.0, to = horizon;
    const bool overlapped = pair_overlaps(r->state);
    if (!overlapped && !tact_body_motions_overlap_window(p, m, now, horizon, &from, &to)) {
        r->time = INFINITY;
        r->valid_until = now + horizon;
        (void)pair_observe(r, PAIR_SEES_SEPARATION);
        return TACT_OK;
    }
    if (from > 0.0)
        (void)pair_observe(r, PAIR_SEES_SEPARATION);
    pair_query q = {.shape = {m[0]->shape, m[1]->shape},
                    .rest_time = world->rest_time,
                    .motions = {p[0], p[1]},
                    .cold = {m[0], m[1]}};
    q.now = fmax(now, now + from * (1.0 - ROUNDINGS) - ROUNDINGS * fabs(now));
    const double whole = horizon, ahead = prediction_worth(m, now);
    if (!overlapped && q.now - now > ahead) { /* who knows how they move by then */
        r->time = INFINITY;
        r->valid_until = q.now;
        return TACT_OK;
    }
    horizon = fmin(horizon, q.now - now + fmin(max_horizon(m, now), ahead));
    q.horizon = fmin(horizon - (q.now - now), (to - (q.now - now)) * (1.0 + ROUNDINGS) + ROUNDINGS * fabs(now));
    for (int i = 0; i < 2; ++i) {
        q.transform[i] = body_motion_transform(p[i], m[i], q.now);
        q.motion[i] = body_motion_motion(p[i], m[i], q.now);
    }
    set_tolerances(&q, m);
    if (body_motions_smaller_size(m[0], m[1]) > 0.0)
        q.tolerance = fmin(q.tolerance, TOLERANCE_MOST * q.size);
    const tact_status status = update_general(&q, changed, r);
    if (!pair_overlaps(r->state) && r->time == INFINITY && r->valid_until >= q.now + q.horizon)
        r->valid_until = now + (to > horizon ? horizon : whole); /* after the window their boxes are apart */
    if (horizon > 0.0 && !(r->valid_until > now))
        r->valid_until = nextafter(now, INFINITY); /* time goes on */
    return status;
}

/* A ball that goes straight on and a box that stands still, if the ball is before one of its faces and goes away from
 * it, or gets to it where the face is, or not that soon. Before a face the distance is linear in time: nothing is
 * searched. False: it is something else. */
static bool update_sphere_face(const body_motion *const p[2], const body_motion_cold *const m[2], bool changed,
                               double now, double horizon, pair_prediction *r)
{
    const int ball = p[0]->sphere_radius >= 0.0 ? 0 : 1, wall = 1 - ball;
    const tact_shape *shape = m[wall]->shape;
    const tact_transform *place = &m[wall]->transform;
    if (!(p[ball]->sphere_radius > 0.0) || m[wall]->moves || shape->type != TACT_BOX || shape->margin != 0.0 ||
        (pair_overlaps(r->state) && r->version != 0 && !changed))
        return false;
    const bool overlaps = pair_overlaps(r->state);
    const tact_vec3 axes[3] = {place->x_axis, place->y_axis, place->z_axis};
    for (int k = 0; k < 3; ++k)
        if (vec_length_squared(axes[k]) != 1.0 || vec_dot(axes[k], axes[(k + 1) % 3]) != 0.0)
            return false; /* scaled, sheared, or turned so that its axes are rounded */
    const double half[3] = {shape->half_extents.x, shape->half_extents.y, shape->half_extents.z},
                 radius = p[ball]->sphere_radius;
    const double since = max_double(p[0]->start_time, p[1]->start_time),
                 clear = PARTED * fmin(radius, vec_max_abs(shape->half_extents));
    const tact_vec3 v = p[ball]->velocity, at = vec_sub(body_motion_origin(p[ball], m[ball], now), p[wall]->origin);
    const tact_vec3 began = vec_sub(body_motion_origin(p[ball], m[ball], since), p[wall]->origin);
    for (int k = 0; k < 3; ++k) {
        const double x = vec_dot(axes[k], at), side = x < 0.0 ? -1.0 : 1.0, speed = side * vec_dot(axes[k], v);
        const double gap = side * x - half[k] - radius;
        if (gap < (overlaps ? -clear : -TOLERANCE / PARTED * clear) || fabs(speed) <= STEEP * vec_length_safe(v) ||
            (speed < 0.0 && (overlaps || gap <= clear)))
            continue;
        const double time = since + (side * vec_dot(axes[k], began) - half[k] - radius) / -speed;
        r->time = r->valid_until = INFINITY;
        if (speed < 0.0 && time <= now + horizon) {
            const tact_vec3 then = vec_mul_add(began, time - since, v);
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            if (fabs(vec_dot(axes[i], then)) > half[i] || fabs(vec_dot(axes[j], then)) > half[j])
                continue; /* it goes by, or meets an edge */
            r->time = max_double(time, now);
            r->normal = vec_scale(axes[k], ball == 0 ? -side : side);
            r->point = vec_mul_add(vec_add(p[wall]->origin, then), -side * radius, axes[k]);
        }
        r->valid_until = now + horizon;
        (void)pair_observe(r, PAIR_SEES_SEPARATION);
        r->uncertain_count = 0;
        return true;
    }
    return false;
}

/* Two that are watched instead. */
static tact_status update_polled(const advance *ad, const body_motion *const p[2], const body_motion_cold *const m[2],
                                 double horizon, pair_prediction *r)
{
    pair_query q = {.shape = {m[0]->shape, m[1]->shape},
                    .now = ad->time,
                    .horizon = horizon,
                    .motions = {p[0], p[1]},
                    .cold = {m[0], m[1]}};
    for (int i = 0; i < 2; ++i) {
        q.transform[i] = body_motion_transform(p[i], m[i], q.now);
        q.motion[i] = body_motion_motion(p[i], m[i], q.now);
    }
    set_tolerances(&q, m);
    return tact_polling_update(&q, r);
}

tact_status tact_prediction_update(tact_world *world, uint32_t index, const neighbour *n, double limit)
{
    advance *ad = world->advance;
    pair_prediction *r = &ad->predictions.items[n->word];
    const uint32_t one = index < n->number ? index : n->number, other = index < n->number ? n->number : index;
    const body_motion *p[2] = {&ad->motions.items[one], &ad->motions.items[other]};
    const body_motion_cold *m[2] = {&ad->cold.items[one], &ad->cold.items[other]};
    const bool changed = r->version != 0 && (r->version < m[0]->version || r->version < m[1]->version);
    pair_prediction next = *r;
    next.time = next.valid_until = next.superseded_at = INFINITY;
    tact_status status = TACT_OK;
    if (p[0]->sphere_radius >= 0.0 && p[1]->sphere_radius >= 0.0) {
        update_spheres(p[0], p[1], ad->time, changed, &next);
    } else if (m[0]->moves || m[1]->moves) {
        next.superseded_at = superseded_time(ad, one, other);
        const bool watched = body_motion_is_polled(m[0]) || body_motion_is_polled(m[1]);
        const double horizon =
            fmax(0.0, fmin(fmin(watched ? INFINITY : limit, next.superseded_at) - ad->time, max_time(ad->time)));
        if (watched || !update_sphere_face(p, m, changed, ad->time, horizon, &next))
            status = watched ? update_polled(ad, p, m, fmin(horizon, max_horizon(m, ad->time)), &next)
                             : update_convex_window(world, p, m, changed, horizon, &next);
    }
    if (status != TACT_OK)
        return status; /* as if it had not been looked at */
    next.valid_until =
        fmin(next.valid_until,
             next.superseded_at);    /* by a rounding beyond, it would not be looked at again when that ends */
    if (next.state == PAIR_TOUCHING) /* it has been examined, and nothing says that it is apart */
        (void)pair_observe(&next, PAIR_SEES_OVERLAP);
    next.version = ++ad->last_version;
    *r = next;
    return TACT_OK;
}
