/*
 * Time of impact of two convex bodies from any start, in contact or not.
 *
 * Guarantee: that of conservative_advancement.c where the bodies start apart. In contact the signed distance D is
 * within the contact band, which is at least the tolerance.
 *
 * Start in contact. The bodies are closing if D falls from D(0) by more than rounding. D is examined once they have
 * moved by a thousandth of the tolerance, then after twice the time again and again while D is level. So rest with
 * acceleration into each other counts as closing. Closing is a hit at 0 (unless the input excludes hits at the
 * start).
 *
 * Otherwise the contact is followed. It lasts, without a hit, until D exceeds the band (they separate: advance as
 * from apart) or falls below minus the band (they penetrate: a hit). Each step is proved not to go deeper than one
 * and a half bands. A short separation may count as continuing contact: if the gap stays below about eight
 * tolerances, or if the bodies move by less than TOI_FOLLOW_FRACTION of the larger one's extent before they touch
 * again.
 *
 * Cost: a penetration depth a step. A contact that goes on takes few steps in a wide band, along a normal that turns as
 * the contact is observed to turn a little ahead.
 */
#include "convex/pair_order.h"
#include "core/number.h"
#include "core/work.h"
#include "toi/conservative_advancement.h"
#include "toi/convex_toi.h"
#include "toi/toi.h"

/* ---- the start --------------------------------------------------------------------------------------------------- */

typedef enum approach { APPROACH_CLOSING, APPROACH_SEPARATING, APPROACH_LEVEL, APPROACH_FAILED } approach;

/* How the signed distance changes from the start, where it is that of `s`. f_n is a lower bound of the distance, so its
 * rise is proof. Its fall asks for the distance itself: in a corner another direction may separate. */
static approach approach_at_start(const convex_toi_query *q, const convex_separation *s, convex_separation *later,
                                  double *when)
{
    const toi_frame *f = &q->frame;
    /* the end does not count: closing is a property of the start */
    const double longest = toi_time_to_move(f, 0.0, toi_follow_distance(f));
    const double first = toi_time_to_move(
        f, 0.0, number_max(TOI_APPROACH_ROUNDINGS * toi_rounding_at(f, 0.0), TOI_APPROACH_FRACTION * f->tolerance));
    double level = 0.0; /* the distance does not change up to here */
    for (double t = number_min(first, longest);; t = number_min(2.0 * t, longest)) {
        const double slack = 4.0 * toi_rounding_at(f, t) + TOI_DEPTH_ACCURACY * fabs(s->distance);
        const toi_pose p = toi_pose_at(f, t);
        const double along = separation_along(q, &p, s->normal, tact_support_sum(q, &p, s->normal));
        *when = t;
        if (along > s->distance + slack)
            return APPROACH_SEPARATING;
        if (along < s->distance - slack) {
            *later = tact_convex_separation_at(q, &p, true, s->normal);
            if (later->status != TACT_OK)
                return APPROACH_FAILED;
            if (level > 0.0 && later->distance < s->distance - TOI_APPROACH_FALL * slack) {
                *when = level;
                return APPROACH_LEVEL;
            }
            if (later->distance < s->distance - slack)
                return APPROACH_CLOSING;
            if (later->distance > s->distance + slack)
                return APPROACH_SEPARATING;
        }
        if (!(t > 0.0) || t >= longest)
            return APPROACH_LEVEL;
        level = t;
    }
}

/* Whether two bodies in contact at the start, `start` apart along the unit vector n, separate along it without
 * getting deeper by more than half the band. They have separated at the time `when`. */
static bool separates_along(const convex_toi_query *q, const toi_pose *p, tact_vec3 n, double support_sum, double start,
                            double max_depth, double *when)
{
    const toi_frame *f = &q->frame;
    const double band = toi_band_at(f, 0.0);
    const double longest = number_min(tact_span_of_rounding(f, 0.0), toi_time_to_move(f, 0.0, toi_follow_distance(f)));
    if (fabs(start) > band && !(start < 0.0 && start >= -max_depth))
        return false;
    for (double t = toi_time_to_move(f, 0.0, 4.0 * toi_tolerance_at(f, 0.0)); t < longest; t *= 2.0) {
        const toi_pose then = toi_pose_at(f, t);
        const double along = separation_along(q, &then, n, tact_support_sum(q, &then, n));
        if (along < start - 4.0 * toi_rounding_at(f, t))
            return false;
        if (!(along > 2.0 * toi_tolerance_at(f, t)))
            continue;
        *when = t;
        return !(tact_safe_time_along(q, p, n, vec_make(0.0, 0.0, 0.0), support_sum,
                                      number_min(start, 0.0) - 0.5 * band, t) < t);
    }
    return false;
}

/* ---- following a contact ----------------------------------------------------------------------------------------- */

typedef enum contact_end { CONTACT_LASTS, CONTACT_PARTED, CONTACT_PENETRATED, CONTACT_FAILED } contact_end;

typedef struct followed_contact {
    double time;          /* at which it ended */
    convex_separation at; /* then; its status says why the following failed */
    double last_time;     /* at which it was last seen */
    convex_separation last;
} followed_contact;

/* The angular velocity of a contact's normal, by what it is `ahead`: an edge that slides along an edge, or a rolling
 * body, has its own. Zero: unknown. */
static tact_vec3 observed_normal_spin(const convex_toi_query *q, const convex_separation *s, double time, double ahead)
{
    const toi_pose p = toi_pose_at(&q->frame, time + ahead);
    const convex_separation then = tact_convex_separation_at(q, &p, true, s->normal);
    if (then.status != TACT_OK || !(vec_dot(s->normal, then.normal) > 0.5))
        return vec_make(0.0, 0.0, 0.0);
    return vec_scale(vec_cross(s->normal, then.normal), 1.0 / ahead);
}

/* The next step of a contact that is `s` at the pose p: a time for which it is proved not to get too deep. */
static double follow_step(const convex_toi_query *q, const toi_pose *p, const convex_separation *s)
{
    const toi_frame *f = &q->frame;
    const double time = p->time, band = toi_band_at(f, time);
    const double span = number_min(tact_span_of_rounding(f, time), toi_time_to_move(f, time, toi_follow_distance(f)));
    const double floor = -1.5 * toi_band_of_depth(f, time) - f->allowed_depth;
    const double support_sum = tact_support_sum(q, p, s->normal);
    double step = tact_safe_time(q, p, s->normal, vec_make(0.0, 0.0, 0.0), support_sum, floor, span);
    step = number_max(step, tact_chord_time(q, p, s->normal, floor, step, span));
    const double ahead = number_min(toi_time_to_move(f, time, sqrt(band) * sqrt(f->larger_extent)), span);
    if (step < TOI_NORMAL_SPIN_GAIN * ahead && time + ahead > time)
        step = number_max(step, tact_safe_time_along(q, p, s->normal, observed_normal_spin(q, s, time, ahead),
                                                     support_sum, floor, span));
    for (double t = toi_time_to_move(f, time, 4.0 * band); t < step; t *= 2.0) {
        const toi_pose then = toi_pose_at(f, time + t);
        if (separation_along(q, &then, s->normal, tact_support_sum(q, &then, s->normal)) > 2.0 * band)
            step = t; /* separate by then: the search goes on there */
    }
    return step;
}

/* Follows a contact from `time` on until the bodies part, penetrate, or the end comes. `now`: their separation then;
 * NULL: to be computed. */
static contact_end follow(const convex_toi_query *q, const convex_separation *now, tact_vec3 hint, double time,
                          int max_steps, int *steps, followed_contact *c)
{
    const toi_frame *f = &q->frame;
    c->last_time = time;
    for (int i = 0; *steps < TOI_MAX_STEPS && i < max_steps; ++*steps, ++i) {
        const toi_pose p = toi_pose_at(f, time);
        if (!work_add(tact_work_current(), TOI_STEP_UNITS)) {
            c->time = time;
            c->at = (convex_separation){.status = TACT_CANCELLED};
            return CONTACT_FAILED;
        }
        const convex_separation s = i == 0 && now != NULL ? *now : tact_convex_separation_at(q, &p, true, hint);
        c->time = time;
        c->at = s;
        if (s.status != TACT_OK)
            return CONTACT_FAILED;
        if (s.distance > toi_band_at(f, time))
            return CONTACT_PARTED;
        if (s.distance < -toi_band_of_depth(f, time) - f->allowed_depth)
            return CONTACT_PENETRATED;
        c->last = s;
        c->last_time = time;
        hint = s.normal;
        const double step = follow_step(q, &p, &s);
        if (step >= f->end - time)
            return CONTACT_LASTS; /* to the end, never too deep */
        const double next = time + step;
        if (!(next > time))
            break;
        time = next;
    }
    c->time = time;
    c->at.status = TACT_NOT_CONVERGED;
    return CONTACT_FAILED;
}

static tact_toi penetration_hit(const convex_toi_query *q, const followed_contact *c)
{
    return q->frame.ignore_initial_contact ? tact_convex_hit(q, &c->at, c->time)
                                           : tact_convex_hit(q, &c->last, c->last_time);
}

/* Follows a contact that is `s` at the start, from `time` on. */
static tact_toi follow_from_start(const convex_toi_query *q, const convex_separation *s, double time, int max_steps,
                                  int *steps)
{
    followed_contact c = {.last = *s};
    switch (follow(q, time > 0.0 ? NULL : s, s->normal, time, max_steps, steps, &c)) {
    case CONTACT_PARTED:
        return tact_advance_to_contact(q, c.time, c.at.normal, steps);
    case CONTACT_PENETRATED:
        return penetration_hit(q, &c);
    case CONTACT_FAILED:
        return toi_failure(c.at.status, c.time);
    case CONTACT_LASTS:
        break;
    }
    return toi_miss(&q->frame);
}

/* ---- two convex shapes ------------------------------------------------------------------------------------------- */

/* The shape about its own origin, which the frame moves. */
static bool make_body(convex *c, const tact_shape *shape, tact_transform at)
{
    if (!vec_finite(at.origin) || vec_max_abs(at.origin) > TOI_MAX_COORDINATE)
        return false;
    at.origin = vec_make(0.0, 0.0, 0.0);
    return tact_convex_make(c, shape, &at) == TACT_OK;
}

static tact_status make_query(convex_toi_query *q, const toi_input *input)
{
    const tact_vec3 origin[2] = {input->transform[0].origin, input->transform[1].origin};
    if (!tact_toi_arguments_ok(input->motion, input->end, input->tolerance) ||
        !make_body(&q->body[0], input->shape[0], input->transform[0]) ||
        !make_body(&q->body[1], input->shape[1], input->transform[1]))
        return TACT_BAD_ARGUMENT;
    int order = tact_compare_vectors(origin[0], origin[1]);
    if (order == 0)
        order = tact_compare_convex(&q->body[0], &q->body[1]);
    if (order == 0)
        order = tact_motion_compare(&input->motion[0], &input->motion[1]);
    tact_toi_frame_begin(&q->frame, origin, input->motion, order > 0);
    if (q->frame.swapped) {
        const convex first = q->body[1];
        q->body[1] = q->body[0];
        q->body[0] = first;
    }
    q->frame.contact_band = input->contact_band;
    q->frame.ignore_initial_contact = input->ignore_initial_contact;
    q->frame.allocator = &q->body[0].shape->allocator;
    return tact_convex_query_finish(q, 0.0, input->tolerance, input->end);
}

static tact_toi find(convex_toi_query *q, const toi_input *input, toi_output *output)
{
    toi_frame *f = &q->frame;
    const tact_vec3 none = vec_make(0.0, 0.0, 0.0);
    const double band = toi_band_at(f, 0.0);
    const int max_steps = input->max_contact_steps > 0 ? input->max_contact_steps : TOI_MAX_STEPS;
    const toi_pose p = toi_pose_at(f, 0.0);
    int steps = 0;
    double when = 0.0;
    tact_vec3 normal = none;
    output->band = band;
    if (vec_max_abs(input->normal_hint) > 0.0) {
        normal = f->swapped ? vec_negate(input->normal_hint) : input->normal_hint;
        const double support_sum = tact_support_sum(q, &p, normal),
                     start = separation_along(q, &p, normal, support_sum);
        if (start > band) {
            output->start = TOI_START_SEPARATED;
            return tact_advance_to_contact(q, 0.0, normal, &steps);
        }
        if (separates_along(q, &p, normal, support_sum, start, input->max_depth, &when)) {
            output->start = TOI_START_LEAVING;
            output->separation = start;
            return tact_advance_to_contact(q, when, normal, &steps);
        }
    }
    bool apart;
    (void)tact_safe_time_of_spheres(f, &p, band, 0.0, &apart);
    if (apart) {
        output->start = TOI_START_SEPARATED;
        return tact_advance_to_contact(q, 0.0, none, &steps);
    }
    convex_separation s = tact_convex_separation_at(q, &p, input->ignore_initial_contact, normal);
    if (s.status == TACT_NOT_CONVERGED ? s.lower_bound > band : s.distance > band) {
        output->start = TOI_START_SEPARATED;
        return tact_advance_to_contact(q, 0.0, s.normal, &steps);
    }
    if (!input->ignore_initial_contact)
        s = tact_convex_separation_at(q, &p, true, s.normal);
    if (s.status != TACT_OK)
        return toi_failure(s.status, 0.0);
    output->start = TOI_START_CONTACT;
    output->separation = s.distance;
    f->allowed_depth = tact_toi_allowed_depth(input, s.distance);
    if (s.distance < -band - f->allowed_depth)
        return tact_convex_hit(q, &s, 0.0);
    if (input->ignore_initial_contact)
        return follow_from_start(q, &s, 0.0, max_steps, &steps);
    convex_separation later;
    when = 0.0;
    switch (approach_at_start(q, &s, &later, &when)) {
    case APPROACH_CLOSING:
        return tact_convex_hit(q, &s, 0.0);
    case APPROACH_FAILED:
        return toi_failure(later.status, 0.0);
    case APPROACH_SEPARATING:
    case APPROACH_LEVEL:
        break;
    }
    return follow_from_start(q, &s, when < f->end ? when : 0.0, max_steps, &steps);
}

/* ---- two primitives on an interval ------------------------------------------------------------------------------- */

static tact_status make_interval_query(convex_toi_query *q, const toi_frame *interval, const convex *a, const convex *b)
{
    q->frame = *interval;
    q->body[0] = *a;
    q->body[1] = *b;
    return tact_convex_query_finish(q, interval->rounding.bodies, interval->tolerance, interval->end);
}

tact_toi tact_convex_first_contact(const toi_frame *interval, const convex *a, const convex *b)
{
    convex_toi_query q;
    const tact_status status = make_interval_query(&q, interval, a, b);
    if (status != TACT_OK)
        return toi_failure(status, 0.0);
    int steps = 0;
    tact_toi toi = tact_advance_to_contact(&q, 0.0, vec_make(0.0, 0.0, 0.0), &steps);
    if (toi.state == TACT_HIT && !(vec_max_abs(toi.normal) > 0.0)) { /* in contact from the begin */
        const toi_pose p = toi_pose_at(&q.frame, toi.time);
        const convex_separation s = tact_convex_separation_at(&q, &p, true, p.offset);
        if (s.status == TACT_OK)
            toi = tact_convex_hit(&q, &s, toi.time);
    }
    return toi;
}

/* Whether flat primitives have separated by passing through each other: they were still on the side from which
 * they had come when last in contact, and are now on the other. */
static bool has_passed_through(const convex_toi_query *q, const followed_contact *c, tact_vec3 side)
{
    const toi_pose p = toi_pose_at(&q->frame, c->last_time);
    return vec_dot(side, c->at.normal) < 0.0 &&
           separation_along(q, &p, side, tact_support_sum(q, &p, side)) >= -1.5 * toi_band_at(&q->frame, c->last_time);
}

tact_toi tact_convex_first_penetration(const toi_frame *interval, const convex *a, const convex *b, bool first_interval)
{
    convex_toi_query q;
    const tact_status status = make_interval_query(&q, interval, a, b);
    if (status != TACT_OK)
        return toi_failure(status, 0.0);
    const tact_vec3 none = vec_make(0.0, 0.0, 0.0);
    const double band = toi_band_at(&q.frame, 0.0);
    const toi_pose p = toi_pose_at(&q.frame, 0.0);
    convex_separation s = tact_convex_separation_at(&q, &p, false, none);
    bool in_contact = !(s.distance > band);
    tact_vec3 side = none; /* the normal with which they came into contact */
    if (in_contact && !first_interval) {
        s = tact_convex_separation_at(&q, &p, true, s.normal);
        side = s.status == TACT_OK && s.distance > TOI_ONE_SIDE_FRACTION * band ? s.normal : none;
    }
    double time = 0.0;
    for (int steps = 0; steps < TOI_MAX_STEPS;) {
        if (!in_contact) {
            q.frame.allowed_depth = 0.0; /* bodies that have separated start a new contact */
            const tact_toi met = tact_advance_to_contact(&q, time, s.normal, &steps);
            if (met.state != TACT_HIT)
                return met;
            time = met.time;
            side = met.normal;
        }
        followed_contact c = {.last_time = time};
        switch (follow(&q, NULL, side, time, TOI_MAX_STEPS, &steps, &c)) {
        case CONTACT_LASTS:
            return toi_miss(&q.frame);
        case CONTACT_FAILED:
            return toi_failure(c.at.status, c.time);
        case CONTACT_PENETRATED:
            return penetration_hit(&q, &c);
        case CONTACT_PARTED:
            break;
        }
        if (has_passed_through(&q, &c, side)) {
            tact_toi through = tact_convex_hit(&q, &c.last, c.last_time);
            through.normal = side;
            return through;
        }
        s = c.at;
        time = c.time;
        in_contact = false;
    }
    return toi_failure(TACT_NOT_CONVERGED, time);
}

/* ---- entry points ------------------------------------------------------------------------------------------------ */

double tact_toi_allowed_depth(const toi_input *input, double separation)
{
    return number_min(input->allowed_depth, number_min(number_max(0.0, -separation), input->max_depth));
}

void tact_convex_toi(const toi_input *input, toi_output *output)
{
    *output = (toi_output){.start = TOI_START_UNKNOWN};
    convex_toi_query q;
    const tact_status status = make_query(&q, input);
    output->toi = status == TACT_OK ? find(&q, input, output) : toi_failure(status, 0.0);
    if (status == TACT_OK)
        tact_toi_unswap(&q.frame, &output->toi);
}
