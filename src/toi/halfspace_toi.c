/*
 * Time of impact of a half-space and any other shape.
 *
 * Guarantee: that of tact_shapes_time_of_impact, for every motion of both. The separation s(t) is the least height of
 * the other shape's points above the plane; a search starts, follows contacts and ends as in contact_following.c.
 *
 * Without spin s is a quadratic in time: its first root. With spin, a point x has the height
 *     f(t) = N . (q + R x) - D,   f' = N' . q + N . q' + w . R x,   w = N x (spin of the shape - spin of the plane),
 * with N the normal, q the offset of the origins, R the rotation of the shape, and f'' >= k, a bound that holds for all
 * points. So for all x
 *     f(t + h) >= phi(h) = [N . q - D + h (N' . q + N . q')] + min over x of (N + h w) . R x + k h^2 / 2 .
 * The minimum is one support point. phi is concave (k is at most 0): where it is not below a floor at h, it is not
 * below the floor anywhere from 0 to h. So a step ends next to the root of phi, which is found from its chords, all of
 * them below phi. The step misses the true contact by the third order of its length. Far from the plane the bounding
 * sphere of the shape decides.
 *
 * Cost: one support point without spin; some ten support points a step with it, and a few steps.
 */
#include <string.h>

#include "complex/complex_contact.h"
#include "complex/halfspace_query.h"
#include "complex/traversal.h"
#include "core/number.h"
#include "core/work.h"
#include "math/fp_environment.h"
#include "shape/complex_support.h"
#include "toi/convex_toi.h"
#include "toi/deforming_toi.h"
#include "toi/toi.h"

typedef struct halfspace_toi_query {
    toi_frame frame;         /* the first body is the half-space */
    tact_vec3 normal;        /* of the plane at time 0 */
    double offset;           /* length: of the plane from its origin, also that of a second half-space */
    const tact_shape *shape; /* the other shape; NULL: a second half-space, opposite to the first */
    tact_transform at;       /* of the other shape, about its own origin */
    convex convex;           /* if the other shape is convex */
    double radius;           /* length: no point of it is farther from its origin, margin included */
    tact_vec3 spin[2];       /* zero where it changes nothing */
    tact_status status;      /* of a support point */
} halfspace_toi_query;

/* The configuration at one time. */
typedef struct halfspace_pose {
    double time;
    tact_vec3 normal;       /* N */
    axis_rotation rotation; /* R */
    tact_vec3 offset;       /* q, and its derivative */
    tact_vec3 velocity;
} halfspace_pose;

static bool spins(const halfspace_toi_query *q, int i) { return vec_max_abs(q->spin[i]) > 0.0; }

static halfspace_pose pose_at(const halfspace_toi_query *q, double time)
{
    const toi_frame *f = &q->frame;
    halfspace_pose p = {.time = time, .normal = q->normal};
    const axis_rotation plane = axis_rotation_of_spin(q->spin[0], time);
    if (spins(q, 0))
        p.normal = axis_rotation_apply(&plane, q->normal);
    p.rotation = axis_rotation_of_spin(q->spin[1], time);
    p.offset = toi_offset_at(f, time);
    p.velocity = vec_mul_add(f->velocity, time, f->acceleration);
    return p;
}

/* The least g . R x over the points x of the shape; the point R x and its part, unless NULL. */
static double least_along(halfspace_toi_query *q, const halfspace_pose *p, tact_vec3 g, tact_vec3 *point,
                          tact_part *part)
{
    tact_vec3 lowest = {0.0, 0.0, 0.0};
    tact_part found = {0, 0};
    const tact_vec3 down = vec_normalize(vec_negate(axis_rotation_apply_inverse(&p->rotation, g)));
    if (q->shape == NULL) {
        /* the second plane is counted in the offset */
    } else if (shape_is_convex(q->shape)) {
        lowest = vec_mul_add(vec_add(tact_convex_support(&q->convex, down, NULL), q->convex.transform.origin),
                             q->convex.margin, down);
        if (!vec_finite(lowest)) { /* a custom support function returned NaN or infinity */
            q->status = TACT_BAD_ARGUMENT;
            return 0.0;
        }
    } else {
        const tact_status status = tact_complex_support_point(q->shape, &q->at, down, &lowest, &found);
        q->status = status != TACT_OK ? status : q->status;
    }
    if (point != NULL)
        *point = axis_rotation_apply(&p->rotation, lowest);
    if (part != NULL)
        *part = found;
    return -vec_length_safe(g) * vec_dot(down, lowest);
}

static double separation_in(halfspace_toi_query *q, const halfspace_pose *p)
{
    return (vec_dot(p->normal, p->offset) - q->offset) + least_along(q, p, p->normal, NULL, NULL);
}

static double separation_at(halfspace_toi_query *q, double time)
{
    const halfspace_pose p = pose_at(q, time);
    return separation_in(q, &p);
}

static tact_toi hit_at(halfspace_toi_query *q, double time)
{
    const halfspace_pose p = pose_at(q, time);
    tact_vec3 lowest;
    tact_part part;
    const double apart = (vec_dot(p.normal, p.offset) - q->offset) + least_along(q, &p, p.normal, &lowest, &part);
    if (q->status != TACT_OK)
        return toi_failure(q->status, time);
    tact_toi hit =
        tact_toi_hit(&q->frame, time, vec_mul_add(vec_add(p.offset, lowest), -0.5 * apart, p.normal), p.normal);
    hit.part_b = part;
    return hit;
}

/* ---- safe steps -------------------------------------------------------------------------------------------------- */

/* phi, up to the floor: see above. */
typedef struct lower_bound {
    const halfspace_pose *pose;
    double base, slope, curvature; /* of the part that does not depend on x */
    tact_vec3 turn;                /* w */
    double floor;
} lower_bound;

static double lower_bound_at(halfspace_toi_query *q, const lower_bound *b, double h)
{
    const tact_vec3 g = vec_mul_add(b->pose->normal, h, b->turn);
    return (b->base + h * (b->slope + 0.5 * h * b->curvature)) + least_along(q, b->pose, g, NULL, NULL) - b->floor;
}

/* The bound of f'' for steps of at most `span`. */
static double least_curvature(const halfspace_toi_query *q, const halfspace_pose *p, double span)
{
    const toi_frame *f = &q->frame;
    const double own = vec_length_safe(q->spin[1]), plane = vec_length_safe(q->spin[0]);
    const double turning = own * own * q->radius;
    if (!(plane > 0.0))
        return number_min(vec_dot(p->normal, f->acceleration) - turning, 0.0);
    const double speed = vec_length_safe(p->velocity) + f->acceleration_length * span;
    const double distance = vec_length_safe(p->offset) + speed * span + q->radius;
    return -(plane * plane * distance + 2.0 * plane * (speed + own * q->radius) + f->acceleration_length + turning);
}

/* A duration, at most `span`, in which the separation does not fall below `floor`, where it is above now. */
static double safe_time(halfspace_toi_query *q, const halfspace_pose *p, double apart, double floor, double span)
{
    const toi_frame *f = &q->frame;
    const double early = 1.0 - TOI_RELATIVE_SLACK;
    const double slope = vec_dot(p->normal, p->velocity), rise = vec_dot(p->normal, f->acceleration);
    if (!spins(q, 0) && !spins(q, 1))
        return number_min(quadratic_first_root(apart - floor, slope, rise) * early, span);
    const double base = vec_dot(p->normal, p->offset) - q->offset;
    double sphere = 0.0;
    if (!spins(q, 0) && base - q->radius > floor)
        sphere = number_min(quadratic_first_root(base - q->radius - floor, slope, rise) * early, span);
    if (sphere >= span)
        return span;
    lower_bound b = {p, base, slope, 0.0, vec_cross(p->normal, vec_sub(q->spin[1], q->spin[0])), floor};
    b.slope += vec_dot(vec_cross(q->spin[0], p->normal), p->offset);
    double low = 0.0, at_low = apart - floor;
    double high = number_min(span, 1.0 / (vec_length_safe(q->spin[0]) + vec_length_safe(q->spin[1])));
    b.curvature = least_curvature(q, p, high);
    double at_high = lower_bound_at(q, &b, high);
    if (at_high >= 0.0)
        return number_max(sphere, high);
    for (int i = 0; i < TOI_HALFSPACE_TRIALS && q->status == TACT_OK && high - low > TOI_HALFSPACE_GAIN * low; i++) {
        /* The chord is below phi: its root is safe. Where that is little of what may be left, as for shapes that
         * separate, a time in between is tried first. */
        const double chord = low + (high - low) * (at_low / (at_low - at_high));
        if (chord < TOI_HALFSPACE_BRACKET * high) {
            const double middle = sqrt(chord) * sqrt(high), at_middle = lower_bound_at(q, &b, middle);
            if (at_middle > 0.0) {
                low = middle;
                at_low = at_middle;
            } else {
                low = chord;
                at_low = lower_bound_at(q, &b, chord);
                high = middle;
                at_high = at_middle;
            }
            if (!(at_low > 0.0) || !(at_high < 0.0))
                break;
            continue;
        }
        const double at_chord = lower_bound_at(q, &b, chord);
        if (!(at_chord > 0.0) || !(chord > low)) { /* the root, up to rounding: phi is straight there */
            low = number_max(low, chord);
            break;
        }
        /* The line through two safe points is above phi beyond them: its root is too far. */
        const double far = at_low > at_chord ? chord + at_chord * ((chord - low) / (at_low - at_chord)) : high;
        low = chord;
        at_low = at_chord;
        if (far < high) {
            high = far;
            at_high = number_min(lower_bound_at(q, &b, far), 0.0);
        }
        if (!(at_high < 0.0))
            break;
    }
    return number_max(sphere, low * early);
}

/* A duration in which no point of the shape rises or falls by more than `distance`. Motion along a plane that does not
 * turn changes nothing, so that a sliding contact takes few steps. */
static double time_to_rise(const halfspace_toi_query *q, const halfspace_pose *p, double distance)
{
    const toi_frame *f = &q->frame;
    if (spins(q, 0))
        return toi_time_to_move(f, p->time, distance);
    const double speed = fabs(vec_dot(p->normal, p->velocity)) + f->body[1].rate * f->body[1].arm;
    return quadratic_first_root_wide(distance, -speed, -fabs(vec_dot(p->normal, f->acceleration)));
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* From a time at which the shapes are apart. */
static tact_toi advance(halfspace_toi_query *q, double time)
{
    const toi_frame *f = &q->frame;
    for (int i = 0; i < TOI_MAX_STEPS; i++) {
        if (!work_add(tact_work_current(), TOI_STEP_UNITS))
            return toi_failure(TACT_CANCELLED, time);
        const halfspace_pose p = pose_at(q, time);
        const double apart = separation_in(q, &p), tolerance = toi_tolerance_at(f, time);
        if (q->status != TACT_OK)
            return toi_failure(q->status, time);
        if (apart <= TOI_ACCEPT_FRACTION * tolerance)
            return hit_at(q, time);
        const double step = safe_time(q, &p, apart, TOI_STEP_FRACTION * tolerance, f->end - time);
        if (q->status != TACT_OK)
            return toi_failure(q->status, time);
        if (time + step >= f->end)
            return toi_miss(f);
        if (!(time + step > time))
            break;
        time += step;
    }
    return toi_failure(TACT_NOT_CONVERGED, time);
}

/* The next step of a contact: it does not get too deep, and ends where the shapes have separated. */
static double follow_step(halfspace_toi_query *q, const halfspace_pose *p, double apart, double floor)
{
    const toi_frame *f = &q->frame;
    const double time = p->time, band = toi_band_at(f, time);
    const double span = number_min(time_to_rise(q, p, toi_follow_distance(f)), f->end - time);
    double step = safe_time(q, p, apart, floor, span);
    for (double t = time_to_rise(q, p, 4.0 * band); t < step; t *= 2.0)
        if (separation_at(q, time + t) > 2.0 * band)
            step = t;
    return step;
}

/* Follows a contact from `time` on. */
static tact_toi follow(halfspace_toi_query *q, double time, int max_steps)
{
    const toi_frame *f = &q->frame;
    double last = time;
    for (int i = 0; i < max_steps && i < TOI_MAX_STEPS; i++) {
        if (!work_add(tact_work_current(), TOI_STEP_UNITS))
            return toi_failure(TACT_CANCELLED, time);
        const halfspace_pose p = pose_at(q, time);
        const double apart = separation_in(q, &p), deep = toi_band_of_depth(f, time);
        if (q->status != TACT_OK)
            return toi_failure(q->status, time);
        if (apart > toi_band_at(f, time))
            return advance(q, time);
        if (apart < -deep - f->allowed_depth)
            return hit_at(q, f->ignore_initial_contact ? time : last);
        last = time;
        const double step = follow_step(q, &p, apart, -1.5 * deep - f->allowed_depth);
        if (step >= f->end - time)
            return toi_miss(f); /* in contact to the end, never too deep */
        if (!(time + step > time))
            break;
        time += step;
    }
    return toi_failure(TACT_NOT_CONVERGED, time);
}

/* Whether the separation falls from that at the start: examined at times each twice the one before, until it has
 * changed by more than rounding. `when`: it is level up to then. */
static bool is_closing(halfspace_toi_query *q, double start, double *when)
{
    const toi_frame *f = &q->frame;
    const halfspace_pose p = pose_at(q, 0.0);
    const double longest = time_to_rise(q, &p, toi_follow_distance(f));
    const double first = time_to_rise(
        q, &p, number_max(TOI_APPROACH_ROUNDINGS * toi_rounding_at(f, 0.0), TOI_APPROACH_FRACTION * f->tolerance));
    *when = 0.0;
    if (!(longest < INFINITY))
        return false; /* nothing moves */
    for (double t = number_min(first, longest);; t = number_min(2.0 * t, longest)) {
        const double slack = 4.0 * toi_rounding_at(f, t), later = separation_at(q, t);
        if (q->status != TACT_OK || (*when > 0.0 && later < start - TOI_APPROACH_FALL * slack))
            return false; /* by points that have come into contact since */
        if (later < start - slack)
            return true;
        if (later > start + slack || !(t > 0.0) || t >= longest)
            return false;
        *when = t;
    }
}

static tact_toi find(halfspace_toi_query *q, const toi_input *input, toi_output *output)
{
    toi_frame *f = &q->frame;
    const double band = toi_band_at(f, 0.0), start = separation_at(q, 0.0);
    const int max_steps = input->max_contact_steps > 0 ? input->max_contact_steps : TOI_MAX_STEPS;
    double when = 0.0;
    output->band = band;
    if (q->status != TACT_OK)
        return toi_failure(q->status, 0.0);
    if (start > band) {
        output->start = TOI_START_SEPARATED;
        return advance(q, 0.0);
    }
    output->start = TOI_START_CONTACT;
    output->separation = start;
    f->allowed_depth = tact_toi_allowed_depth(input, start);
    if (start < -band - f->allowed_depth || (!input->ignore_initial_contact && is_closing(q, start, &when)))
        return hit_at(q, 0.0);
    if (q->status != TACT_OK)
        return toi_failure(q->status, 0.0);
    return follow(q, when < f->end ? when : 0.0, max_steps);
}

/* ---- making a query ---------------------------------------------------------------------------------------------- */

static void set_body(toi_body *b, tact_vec3 spin, double arm, double radius, double half_extent)
{
    b->axis = vec_normalize(spin);
    b->rate = vec_length_safe(spin);
    b->arm = arm;
    b->centripetal = b->rate * b->rate * arm;
    b->radius = radius;
    b->half_extent = half_extent;
}

/* Prepares the other shape. `turns`: its spin changes it. */
static tact_status set_other(halfspace_toi_query *q, const tact_shape *shape, const tact_transform *at, tact_vec3 spin,
                             double *half_extent)
{
    instance p;
    tact_bounds bounds;
    q->shape = shape;
    q->at = *at;
    q->at.origin = vec_make(0.0, 0.0, 0.0);
    q->spin[1] = spin;
    if (tact_instance_make(&p, shape, &q->at) != TACT_OK || tact_instance_bounds(&p, &bounds) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    q->radius = shape->bounding_radius * transform_norm_bound(&q->at) + complex_margin(shape, &q->at);
    if (shape_is_convex(shape)) {
        if (tact_convex_make(&q->convex, shape, &q->at) != TACT_OK)
            return TACT_BAD_ARGUMENT;
        if (vec_max_abs(q->convex.transform.origin) == 0.0 &&
            tact_shape_is_symmetric_about(shape, &q->at, vec_normalize(spin)))
            q->spin[1] = vec_make(0.0, 0.0, 0.0);
    }
    const double half = 0.5 * vec_max_abs(vec_sub(bounds.max, bounds.min));
    *half_extent = half > TOI_BOUNDS_ROUNDING * q->radius + DBL_MIN ? half : 0.0;
    return TACT_OK;
}

/* Two half-spaces as one and a point, if they can be disjoint; otherwise *disjoint is false. */
static tact_status set_second_plane(halfspace_toi_query *q, const tact_shape *shape, const tact_transform *at,
                                    const tact_motion motion[2], bool *disjoint)
{
    halfspace_plane second;
    q->shape = NULL;
    q->radius = 0.0;
    q->spin[1] = vec_make(0.0, 0.0, 0.0);
    if (tact_halfspace_plane(shape, at, &second) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    q->offset += second.offset;
    *disjoint = vec_max_abs(vec_add(q->normal, second.normal)) <= HALFSPACE_OPPOSITE &&
                vec_equal(motion[0].spin, motion[1].spin) && vec_max_abs(motion[0].spin) == 0.0;
    return TACT_OK;
}

static TACT_NOINLINE void find_halfspace_toi(const toi_input *input, toi_output *output)
{
    *output = (toi_output){.toi = toi_failure(TACT_BAD_ARGUMENT, 0.0), .start = TOI_START_UNKNOWN};
    const bool is_second =
        tact_halfspace_is_second(input->shape[0], &input->transform[0], input->shape[1], &input->transform[1]);
    const int first = is_second ? 1 : 0, second = 1 - first;
    const tact_shape *other = input->shape[second];
    const tact_vec3 origin[2] = {input->transform[0].origin, input->transform[1].origin};
    halfspace_toi_query q;
    halfspace_plane plane;
    memset(&q, 0, sizeof q);
    double half_extent = 0.0;
    bool disjoint = true;
    if (!tact_toi_arguments_ok(input->motion, input->end, input->tolerance) ||
        tact_halfspace_plane(input->shape[first], &input->transform[first], &plane) != TACT_OK ||
        tact_transform_check(&input->transform[second], NULL) != TACT_OK ||
        !(vec_max_abs(origin[second]) <= TOI_MAX_COORDINATE))
        return;
    q.normal = plane.normal;
    q.offset = plane.offset;
    q.spin[0] = input->motion[first].spin;
    toi_frame *f = &q.frame;
    tact_toi_frame_begin(f, origin, input->motion, first == 1);
    if (shape_is_empty(other)) {
        f->end = input->end;
        output->toi = toi_miss(f);
        return;
    }
    if ((shape_is_halfspace(other)
             ? set_second_plane(&q, other, &input->transform[second], input->motion, &disjoint)
             : set_other(&q, other, &input->transform[second], input->motion[second].spin, &half_extent)) != TACT_OK)
        return;
    /* No point of the plane that is below the shape is farther from the plane's origin than this. */
    const double reach = f->offset_length + f->speed * input->end +
                         0.5 * f->acceleration_length * input->end * input->end + q.radius + fabs(q.offset);
    set_body(&f->body[0], q.spin[0], reach, fabs(q.offset), 0.0);
    set_body(&f->body[1], q.spin[1], q.radius, q.radius, half_extent);
    f->rounding = (toi_rounding){TOI_PATH_ROUNDING, 0.5 * f->acceleration_length,
                                 TOI_BODY_ROUNDING * (q.radius + fabs(q.offset)) + DBL_MIN};
    f->contact_band = input->contact_band;
    f->ignore_initial_contact = input->ignore_initial_contact;
    f->allocator = &other->allocator;
    if (tact_toi_frame_finish(f, input->tolerance, input->end) != TACT_OK)
        return;
    q.status = TACT_OK;
    if (disjoint) {
        output->toi = find(&q, input, output);
    } else { /* an unbounded intersection, at once */
        output->start = TOI_START_CONTACT;
        output->separation = -INFINITY;
        output->toi = hit_at(&q, 0.0);
    }
    tact_toi_unswap(f, &output->toi);
}

void tact_halfspace_toi(const toi_input *input, toi_output *output)
{
    const fp_environment found = fp_environment_enter();
    find_halfspace_toi(input, output);
    fp_environment_leave(found);
}
