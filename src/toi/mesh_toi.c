/*
 * Time of impact of meshes, soups and compounds.
 *
 * Guarantee: that of conservative_advancement.c; nothing is missed between samples. Bodies that are far apart advance
 * by their distance over a bound of the speed of their points (conservative advancement, Mirtich 1996). Close to each
 * other the bodies are examined in one window of time after another, both bodies as a whole (mesh_toi_window.c). The
 * first contact of the earliest pair of primitives is the answer, and it is as accurate as that of two convex shapes. A
 * body that is apart cannot get inside a solid without meeting its surface.
 *
 * Start. The signed distance is minus the depth of the deepest pair of primitives, or, inside a solid, minus the
 * distance to its surface. A contact that is not closing is followed in whole windows: a pair of primitives counts only
 * when it penetrates deeper than the band or passes through, so that sliding from triangle to triangle is no hit. At
 * the end of a window it is tested whether the bodies have separated. A short separation may count as continuing
 * contact: if the bodies touch again within one window (a sixteenth of the smaller body's extent).
 *
 * Shortcuts. Bodies that do not turn and are apart at the start: translating_toi.c. Bodies on the two sides of a plane
 * that is known to have separated them, as after a bounce: by their extents along its normal alone, as long as that
 * keeps them apart (advance_along_plane).
 *
 * Cost: windows widen while they hold few pairs and narrow when they hold many, so a long path past a large mesh costs
 * in proportion to what lies near the path. The caps on windows and work end with TACT_NOT_CONVERGED; so does a path
 * that would need far more windows than that, as soon as this shows (0.3 s).
 */
#include "toi/mesh_toi.h"

#include "complex/complex_contact.h"
#include "convex/convex_query.h"
#include "core/number.h"
#include "core/work.h"
#include "math/fp_environment.h"
#include "math/quadratic.h"
#include "toi/convex_toi.h"
#include "toi/mesh_toi_query.h"
#include "toi/toi.h"
#include "toi/translating_cast.h"
#include "toi/translating_toi.h"

/* ---- making a query ---------------------------------------------------------------------------------------------- */

/* Half the largest side of the bounding box. The box is rounded outwards, but a point is to have extent 0. */
static double half_extent_of(const instance *p, double radius)
{
    tact_bounds bounds;
    if (shape_is_empty(p->shape) || tact_instance_bounds(p, &bounds) != TACT_OK)
        return 0.0;
    const double half = 0.5 * vec_max_abs(vec_sub(bounds.max, bounds.min));
    return half > TOI_BOUNDS_ROUNDING * radius + DBL_MIN ? half : 0.0;
}

static void measure_body(const instance *p, tact_vec3 spin, toi_body *b)
{
    b->radius = (p->shape->bounding_radius * transform_stretch_bound(&p->at) + complex_margin(p->shape, &p->at)) *
                (1.0 + TOI_RELATIVE_SLACK);
    b->axis = vec_normalize(spin);
    b->rate = vec_dot(b->axis, spin);
    b->arm = b->radius;
    b->centripetal = vec_length_squared(spin) * b->radius;
    b->half_extent = half_extent_of(p, b->radius);
}

static tact_status make_query(mesh_toi_query *q, const instance body[2], const tact_motion motion[2], double end,
                              double tolerance)
{
    if (!tact_toi_arguments_ok(motion, end, tolerance))
        return TACT_BAD_ARGUMENT;
    const tact_vec3 origin[2] = {body[0].at.origin, body[1].at.origin};
    int order = tact_instance_compare(&body[0], &body[1]);
    if (order == 0)
        order = tact_motion_compare(&motion[0], &motion[1]);
    toi_frame *f = &q->frame;
    tact_toi_frame_begin(f, origin, motion, order > 0);
    for (int i = 0; i < 2; i++) {
        q->body[i] = body[f->swapped ? 1 - i : i];
        q->body[i].at.origin = vec_make(0.0, 0.0, 0.0);
        measure_body(&q->body[i], f->motion[i].spin, &f->body[i]);
    }
    q->radius = f->body[0].radius + f->body[1].radius;
    q->max_depth = 0.0;
    q->max_contact_windows = TOI_MAX_WINDOWS;
    q->work = 0;
    f->rounding = (toi_rounding){TOI_MESH_PATH_ROUNDING, f->acceleration_length, TOI_MESH_BODY_ROUNDING * q->radius};
    f->allocator = &q->body[0].shape->allocator;
    return tact_toi_frame_finish(f, tolerance, end);
}

void tact_mesh_query_bodies_at(const mesh_toi_query *q, double time, instance both[2])
{
    for (int i = 0; i < 2; i++) {
        const tact_motion spin = {.spin = q->frame.motion[i].spin};
        both[i] = q->body[i];
        both[i].at = tact_motion_at(spin, q->body[i].at, time);
    }
    both[1].at.origin = toi_offset_at(&q->frame, time);
}

/* A time, from `time` on, in which no two points come closer than by `distance`; rounded down. */
static double time_to_move(const mesh_toi_query *q, double time, double distance)
{
    return toi_time_to_move(&q->frame, time, distance) * (1.0 - TOI_RELATIVE_SLACK);
}

/* ---- the separation at one time ---------------------------------------------------------------------------------- */

/* The relation of two bodies at one time; points are in the frame. */
typedef struct mesh_separation {
    tact_status status;
    bool any;        /* there is a pair of primitives */
    double distance; /* signed; depths are accurate up to about max_depth */
    tact_vec3 normal, on_a, on_b;
    tact_part part_a, part_b;
} mesh_separation;

/* A search for it. */
typedef struct separation_search {
    mesh_separation found;
    double accepted; /* no primitives are closer than this fraction of the distance found: 1 for the distance itself */
    double enough_depth; /* deeper need not be measured */
    bool sided;          /* only primitives that collide, also of one-sided meshes */
    const tact_allocator *allocator;
    tact_distance_def def;
} separation_search;

/* Whether two primitives are at least `limit` apart along n, which is from A to B, or along the normal of a triangle.
 */
static bool are_apart(const convex *a, const convex *b, tact_vec3 n, double limit)
{
    const double least = limit + a->margin + b->margin;
    const tact_vec3 from = vec_sub(b->transform.origin, a->transform.origin);
    if (vec_dot(n, from) - vec_dot(n, tact_convex_support(a, n, NULL)) +
            vec_dot(n, tact_convex_support(b, vec_negate(n), NULL)) >=
        least)
        return true;
    const convex *both[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        const convex *other = both[1 - i];
        const tact_vec3 *p = both[i]->points;
        if (both[i]->kind != CONVEX_POINTS || both[i]->point_count != 3)
            continue;
        const tact_vec3 own = vec_cross(vec_sub(p[1], p[0]), vec_sub(p[2], p[0]));
        const tact_vec3 to = vec_sub(i == 0 ? from : vec_negate(from), p[0]);
        const double square = vec_length_squared(own), height = vec_dot(own, to);
        const tact_vec3 up = height < 0.0 ? vec_negate(own) : own;
        const double apart = fabs(height) + vec_dot(up, tact_convex_support(other, vec_negate(up), NULL));
        if (apart > 0.0 && square < INFINITY && apart * apart >= least * least * square)
            return true;
    }
    return false;
}

static double closer_pair(void *context, const primitive *a, const primitive *b, double limit)
{
    separation_search *search = context;
    mesh_separation *s = &search->found;
    convex ca, cb;
    if (search->sided && !primitives_collide(a, b))
        return limit;
    if (!primitives_convex(a, b, &ca, &cb, &s->status))
        return -1.0;
    if (s->any && are_apart(&ca, &cb, s->normal, limit))
        return limit;
    search->def.upper_bound = s->any ? limit : INFINITY;
    const tact_distance d = tact_convex_distance(&ca, &cb, &search->def);
    if (d.status != TACT_OK && d.status != TACT_NOT_CONVERGED)
        s->status = d.status;
    if (s->any && !(d.distance < s->distance))
        return limit;
    *s = (mesh_separation){s->status, true, d.distance, d.normal, d.on_a, d.on_b, primitive_part(a), primitive_part(b)};
    return d.distance > 0.0 ? number_min(limit, search->accepted * d.distance) : -1.0;
}

/* The least distance of any two primitives; none are closer than `accepted` of it. `sided`: that collide. */
static mesh_separation closest_primitives(const instance both[2], double accepted, double accuracy, bool sided)
{
    separation_search search = {.found = {.status = TACT_OK, .distance = INFINITY},
                                .accepted = accepted,
                                .sided = sided,
                                .def = {accuracy, INFINITY, NULL}};
    traversal t = {&search, closer_pair, NULL, false, TACT_OK};
    (void)tact_traverse_pairs_toward(&t, &both[0], &both[1], &search.found.normal, INFINITY);
    if (t.status != TACT_OK)
        search.found.status = t.status;
    return search.found;
}

static double deeper_pair(void *context, const primitive *a, const primitive *b, double limit)
{
    separation_search *search = context;
    mesh_separation *s = &search->found;
    convex ca, cb;
    if (!primitives_collide(a, b))
        return limit;
    if (!primitives_convex(a, b, &ca, &cb, &s->status))
        return -1.0;
    tact_penetration d;
    const tact_status status = tact_convex_penetration(&ca, &cb, search->allocator, &d);
    if (status != TACT_OK && status != TACT_NOT_CONVERGED) {
        s->status = status;
        return -1.0;
    }
    if (s->any && !(-d.depth < s->distance))
        return limit;
    *s = (mesh_separation){s->status, true, -d.depth, d.normal, d.on_a, d.on_b, primitive_part(a), primitive_part(b)};
    return d.depth > search->enough_depth ? -1.0 : limit;
}

/* Primitives that only touch may belong to bodies that are deep in each other: cubes with faces in one plane. */
static void use_depth_of_bodies(const instance both[2], mesh_separation *s)
{
    const tact_penetration d =
        tact_complex_penetration(both[0].shape, &both[0].at, both[1].shape, &both[1].at, &tact_complex_casts);
    if (d.status == TACT_OUT_OF_MEMORY)
        s->status = d.status;
    if (d.status == TACT_OK && d.depth > -s->distance)
        *s = (mesh_separation){s->status, s->any, -d.depth, d.normal, d.on_a, d.on_b, d.part_a, d.part_b};
}

/* The signed distance at a time. */
static mesh_separation separation_at(const mesh_toi_query *q, double time)
{
    instance both[2];
    tact_common_point common;
    tact_mesh_query_bodies_at(q, time, both);
    mesh_separation s = closest_primitives(both, 1.0, TOI_MESH_DISTANCE_ACCURACY, true);
    if (s.status != TACT_OK)
        return s;
    if (s.distance > 0.0) {
        if (s.any && tact_complex_inside(&both[0], &both[1], &common)) {
            s.distance = -s.distance;
            s.normal = vec_negate(s.normal); /* out through the surface that is close */
        }
        return s;
    }
    separation_search search = {.found = {.status = TACT_OK},
                                .enough_depth = 2.0 * toi_band_at(&q->frame, time) + q->max_depth,
                                .allocator = q->frame.allocator};
    traversal t = {&search, deeper_pair, NULL, true, TACT_OK};
    (void)tact_traverse_pairs(&t, &both[0], &both[1], 0.0);
    mesh_separation deep = search.found;
    if (t.status != TACT_OK)
        deep.status = t.status;
    if (deep.status == TACT_OK && !deep.any) /* so little that the trees do not see it */
        deep = s;
    if (!(q->max_depth > 0.0) && deep.status == TACT_OK && deep.distance >= -search.enough_depth &&
        !(tact_instance_separation_along(&both[0], &both[1], deep.normal) >=
          deep.distance - toi_rounding_at(&q->frame, time)))
        use_depth_of_bodies(both, &deep);
    return deep;
}

static tact_toi hit_of(const mesh_toi_query *q, const mesh_separation *s, double time)
{
    tact_toi hit = tact_toi_hit(&q->frame, time, vec_scale(vec_add(s->on_a, s->on_b), 0.5), s->normal);
    hit.part_a = s->part_a;
    hit.part_b = s->part_b;
    return hit;
}

/* ---- over time --------------------------------------------------------------------------------------------------- */

/* A distance by which points may approach each other without contact; not positive: the bodies are close. Bounding
 * spheres decide where they are apart: a window that begins there holds few pairs. */
static double free_distance(const mesh_toi_query *q, double time, tact_status *status)
{
    const double slack = toi_tolerance_at(&q->frame, time), rounding = 2.0 * toi_rounding_at(&q->frame, time);
    const double spheres = vec_length_safe(toi_offset_at(&q->frame, time)) - q->radius - slack - rounding;
    instance both[2];
    *status = TACT_OK;
    if (spheres > 0.0)
        return spheres;
    tact_mesh_query_bodies_at(q, time, both);
    const mesh_separation s = closest_primitives(both, TOI_FREE_DISTANCE_ACCEPTED, TOI_FREE_DISTANCE_ACCURACY, false);
    *status = s.status;
    return s.distance * TOI_FREE_DISTANCE_ACCEPTED * (1.0 - 2.0 * TOI_FREE_DISTANCE_ACCURACY) - slack - rounding;
}

/* The progress of a search: it is hopeless if TOI_MAX_WINDOWS, each TOI_PROGRESS_HOPE times as long as the last ones,
 * would not reach the end. */
typedef struct search_progress {
    double time; /* of the last check */
    int windows; /* since then */
} search_progress;

static bool is_hopeless(search_progress *p, double time, double end)
{
    if (++p->windows <= TOI_PROGRESS_WINDOWS)
        return false;
    const double hoped = (time - p->time) * (TOI_PROGRESS_HOPE * TOI_MAX_WINDOWS / TOI_PROGRESS_WINDOWS);
    *p = (search_progress){time, 1};
    return hoped < end - time;
}

/* Searches on from `time`. In contact: follows it until they separate. Else the bodies are apart, and may approach by
 * `free`; 0: unknown. */
static tact_toi search(mesh_toi_query *q, double time, bool in_contact, double free)
{
    const toi_frame *f = &q->frame;
    tact_toi best = toi_miss(f);
    /* bodies without extent, or none beside their path, still advance by what can be told apart */
    const double least = TOI_MIN_WINDOW * toi_tolerance_at(&q->frame, f->end);
    double width = number_max(TOI_FIRST_WINDOW * f->smaller_extent, least);
    const double follow = number_max(TOI_FOLLOW_FRACTION_OF_MESH * number_max(f->smaller_extent, least), f->tolerance);
    bool measure = true; /* the free distance */
    work_meter *const work_units = tact_work_current();
    search_progress progress = {time, 0};
    for (int count = 0; count < (in_contact ? q->max_contact_windows : TOI_MAX_WINDOWS) && q->work < TOI_MAX_WORK;
         count++) {
        tact_status status = TACT_OK;
        if (!work_add(work_units, TOI_STEP_UNITS))
            return toi_failure(TACT_CANCELLED, time);
        if (work_units != NULL && best.state != TACT_HIT)
            work_units->time = time;
        if (in_contact && !(toi_rounding_at(&q->frame, time) > f->smaller_extent))
            progress = (search_progress){time, 0};
        else if (is_hopeless(&progress, time, best.time))
            break;
        if (measure && !in_contact) {
            free = free > 0.0 ? free : free_distance(q, time, &status);
            if (status != TACT_OK)
                return toi_failure(status, time);
            measure = free > 0.25 * width;
            if (measure) {
                const double step = time_to_move(q, time, free);
                if (time + step >= best.time)
                    return best;
                if (!(time + step > time))
                    return toi_failure(TACT_NOT_CONVERGED, time);
                time += step;
                free = 0.0;
                continue;
            }
        }
        free = 0.0;
        const double span = number_min(time_to_move(q, time, in_contact ? follow : width), best.time - time);
        const bool last = time + span >= best.time;
        /* once a contact is known, all that lies before it has to be tested anyway */
        const bool must_finish =
            in_contact || best.state == TACT_HIT || width <= TOI_MIN_WINDOW * toi_tolerance_at(&q->frame, time);
        const double back =
            in_contact ? number_min(time_to_move(q, time, TOI_WINDOW_OVERLAP * toi_band_at(&q->frame, time)), time)
                       : 0.0;
        const mesh_window_mode mode = !in_contact   ? WINDOW_FIRST_CONTACT
                                      : time == 0.0 ? WINDOW_FIRST_PENETRATION_AT_0
                                                    : WINDOW_FIRST_PENETRATION;
        long work;
        if (!tact_mesh_search_window(q, time - back, back + span, mode,
                                     must_finish ? TOI_MAX_WORK : TOI_MAX_WINDOW_WORK, &best, &work)) {
            width = number_max(0.25 * width, TOI_MIN_WINDOW * toi_tolerance_at(&q->frame, time));
            measure = true;
            continue;
        }
        if (last || best.time <= time + span)
            return best;
        if (!(time + span > time))
            break;
        time += span;
        if (work < TOI_LITTLE_WINDOW_WORK)
            width *= 2.0;
        measure = work == 0;
        if (in_contact) {
            const mesh_separation s = separation_at(q, time);
            if (s.status != TACT_OK)
                return toi_failure(s.status, time);
            if (s.distance < -2.0 * toi_band_at(&q->frame, time) - f->allowed_depth) /* penetrated between all pairs */
                return hit_of(q, &s, time - span);
            in_contact = !(s.distance > toi_band_at(&q->frame, time));
            measure = true;
        }
    }
    return toi_failure(TACT_NOT_CONVERGED, time);
}

/* ---- along a separating plane ------------------------------------------------------------------------------------ */

/* The separation of any two points along n is a function of time with a second derivative of at most `curvature` K. So
 * the least of all, between two times `span` apart, lies below its chord by at most x (span - x) K / 2. */
typedef struct separating_plane {
    tact_vec3 n; /* unit, from the first body to the second */
    double curvature;
} separating_plane;

static double plane_separation_at(const mesh_toi_query *q, const separating_plane *p, double time)
{
    instance both[2];
    tact_mesh_query_bodies_at(q, time, both);
    return tact_instance_separation_along(&both[0], &both[1], p->n);
}

/* A time within `span` up to which the separation is above `floor`, given its values at both ends. */
static double stays_above(const separating_plane *p, double from, double to, double floor, double span)
{
    const double clearance = from - floor, slope = (to - from) / span - 0.5 * p->curvature * span;
    if (!(clearance > 0.0))
        return 0.0;
    return number_min(quadratic_first_root(clearance, slope, p->curvature) * (1.0 - TOI_RELATIVE_SLACK), span);
}

/* Whether bodies in contact, `apart` along the plane's normal, separate along it without getting deeper by more than
 * half the band. At the time `when` they have separated, and are `apart` then. */
static bool separates_along(const mesh_toi_query *q, const separating_plane *p, double *when, double *apart)
{
    const toi_frame *f = &q->frame;
    const double band = toi_band_at(&q->frame, 0.0), start = *apart;
    const double longest = number_min(time_to_move(q, 0.0, TOI_FOLLOW_FRACTION_OF_MESH * f->smaller_extent), f->end);
    if (!(fabs(start) <= band) && !(start < 0.0 && start >= -q->max_depth))
        return false;
    for (double t = time_to_move(q, 0.0, 4.0 * toi_tolerance_at(&q->frame, 0.0)); t < longest; t *= 2.0) {
        *when = t;
        *apart = plane_separation_at(q, p, t);
        if (*apart < start - 4.0 * toi_rounding_at(&q->frame, t))
            return false;
        if (*apart > 2.0 * toi_tolerance_at(&q->frame, t))
            return !(stays_above(p, start, *apart, number_min(start, 0.0) - 0.5 * band, t) < t);
    }
    return false;
}

/* Searches on from `time`, at which the bodies are `apart` along the plane's normal, by that separation alone as long
 * as it keeps them apart. Where it ends the contact is there as a rule. */
static tact_toi advance_along_plane(mesh_toi_query *q, const separating_plane *p, double time, double apart)
{
    const toi_frame *f = &q->frame;
    double span = f->end - time;
    bool reached = false;
    for (int i = 0; i < TOI_PLANE_SAMPLES && !reached; i++) {
        span = number_min(span, f->end - time);
        const double tolerance = toi_tolerance_at(&q->frame, time + span),
                     then = plane_separation_at(q, p, time + span);
        const double step = stays_above(p, apart, then, TOI_STEP_FRACTION * tolerance, span);
        if (step >= span && time + span >= f->end)
            return toi_miss(f);
        if (step < TOI_PLANE_GAIN * span) {
            span *= 2.0 * TOI_PLANE_GAIN;
            continue;
        }
        if (!(time + step > time))
            break;
        time += step;
        const double left = span - step;
        apart = left > 0.0 ? plane_separation_at(q, p, time) : then;
        reached = !(apart > TOI_ACCEPT_FRACTION * tolerance);
        span = !(left > 0.0) ? 4.0 * span : then < apart ? 2.0 * left * (apart / (apart - then)) : left;
    }
    if (reached) {
        tact_toi best = toi_miss(f);
        long work;
        best.normal = p->n;
        span = number_min(time_to_move(q, time, TOI_MIN_WINDOW * toi_tolerance_at(&q->frame, time)), f->end - time);
        const bool whole =
            tact_mesh_search_window(q, time, span, WINDOW_FIRST_CONTACT, TOI_MAX_WINDOW_WORK, &best, &work);
        if (whole && best.state != TACT_MISS)
            return best;
        time = whole ? time + span : time;
    }
    return search(q, time, false, 0.0);
}

/* ---- the start --------------------------------------------------------------------------------------------------- */

/* Whether the signed distance falls from that at the start: examined at times each twice the one before, until it has
 * changed by more than rounding (contact_following.c). */
static bool is_closing(const mesh_toi_query *q, const mesh_separation *start, tact_status *status)
{
    const toi_frame *f = &q->frame;
    const double longest =
        time_to_move(q, 0.0, number_max(TOI_FOLLOW_FRACTION_OF_MESH * f->smaller_extent, f->tolerance));
    const double first = time_to_move(
        q, 0.0,
        number_max(TOI_APPROACH_ROUNDINGS * toi_rounding_at(&q->frame, 0.0), TOI_APPROACH_FRACTION * f->tolerance));
    *status = TACT_OK;
    if (!(longest < INFINITY))
        return false;   /* nothing moves */
    double level = 0.0; /* the distance does not change up to here */
    for (double t = number_min(first, longest);; level = t, t = number_min(2.0 * t, longest)) {
        const mesh_separation later = separation_at(q, t);
        *status = later.status;
        if (later.status != TACT_OK)
            return false;
        const double slack = 4.0 * toi_rounding_at(&q->frame, t) + TOI_DEPTH_ACCURACY * fabs(start->distance);
        if (level > 0.0 && later.distance < start->distance - TOI_APPROACH_FALL * slack)
            return false; /* by primitives that have come into contact since */
        if (later.distance < start->distance - slack)
            return true;
        if (later.distance > start->distance + slack || !(t > 0.0) || t >= longest)
            return false;
    }
}

/* Deep in each other at the start: the normal is that of the penetration depth. */
static tact_toi hit_at_start(const mesh_toi_query *q, const mesh_separation *s)
{
    const toi_frame *f = &q->frame;
    tact_toi hit = hit_of(q, s, 0.0);
    tact_transform first = q->body[0].at, second = q->body[1].at;
    first.origin = f->origin;
    second.origin = vec_add(f->origin, f->offset);
    const tact_penetration d =
        tact_complex_penetration(q->body[0].shape, &first, q->body[1].shape, &second, &tact_complex_casts);
    if (d.status == TACT_OUT_OF_MEMORY)
        return toi_failure(d.status, 0.0);
    if (d.status != TACT_OK || !(d.depth > 0.0))
        return hit;
    hit.normal = d.normal;
    hit.point = vec_scale(vec_add(d.on_a, d.on_b), 0.5);
    hit.part_a = d.part_a;
    hit.part_b = d.part_b;
    return hit;
}

static tact_toi find(mesh_toi_query *q, const toi_input *input, toi_output *output)
{
    toi_frame *f = &q->frame;
    if (shape_is_empty(q->body[0].shape) || shape_is_empty(q->body[1].shape))
        return toi_miss(f);
    const double band = toi_band_at(&q->frame, 0.0);
    output->band = band;
    if (vec_max_abs(input->normal_hint) > 0.0) {
        const separating_plane p = {f->swapped ? vec_negate(input->normal_hint) : input->normal_hint, toi_curvature(f)};
        const double start = plane_separation_at(q, &p, 0.0);
        double when = 0.0, apart = start;
        if (start > band) {
            output->start = TOI_START_SEPARATED;
            return advance_along_plane(q, &p, 0.0, start);
        }
        if (separates_along(q, &p, &when, &apart)) {
            output->start = TOI_START_LEAVING;
            output->separation = start;
            return advance_along_plane(q, &p, when, apart);
        }
    }
    tact_status status;
    tact_common_point common;
    instance both[2];
    tact_mesh_query_bodies_at(q, 0.0, both);
    const double free = free_distance(q, 0.0, &status);
    if (free > 0.0 && status == TACT_OK && !tact_complex_inside(&both[0], &both[1], &common)) {
        output->start = TOI_START_SEPARATED;
        return search(q, 0.0, false, free);
    }
    const mesh_separation s = separation_at(q, 0.0);
    if (s.status != TACT_OK)
        return toi_failure(s.status, 0.0);
    if (s.distance > band) {
        output->start = TOI_START_SEPARATED;
        return search(q, 0.0, false, 0.0);
    }
    output->start = TOI_START_CONTACT;
    output->separation = s.distance;
    f->allowed_depth = tact_toi_allowed_depth(input, s.distance);
    if (s.distance < -band - f->allowed_depth) {
        /* a shape that leaves a one-sided surface through the front has come from behind */
        if ((shape_has_one_sided(q->body[0].shape) || shape_has_one_sided(q->body[1].shape)) &&
            !is_closing(q, &s, &status) && status == TACT_OK)
            return search(q, 0.0, false, 0.0);
        return hit_at_start(q, &s);
    }
    if (input->ignore_initial_contact)
        return search(q, 0.0, true, 0.0);
    if (is_closing(q, &s, &status))
        return hit_of(q, &s, 0.0);
    return status == TACT_OK ? search(q, 0.0, true, 0.0) : toi_failure(status, 0.0);
}

/* ---- entry points ------------------------------------------------------------------------------------------------ */

/* Whether a spin changes the body: not one of a convex shape about its axis of symmetry. */
static bool turns(const instance *p, const toi_body *b)
{
    convex c;
    return vec_length_squared(b->axis) > 0.0 &&
           !(shape_is_convex(p->shape) && tact_convex_make(&c, p->shape, &p->at) == TACT_OK &&
             vec_max_abs(c.transform.origin) == 0.0 && tact_convex_is_symmetric_about(&c, b->axis));
}

/* The shortcut for bodies that do not turn. False: it does not apply. */
static bool find_translating(const mesh_toi_query *q, tact_toi *toi)
{
    if (turns(&q->body[0], &q->frame.body[0]) || turns(&q->body[1], &q->frame.body[1]) ||
        shape_is_empty(q->body[0].shape) || shape_is_empty(q->body[1].shape) || shape_has_one_sided(q->body[0].shape) ||
        shape_has_one_sided(q->body[1].shape) || !tact_translating_toi(&q->frame, q->body, toi))
        return false;
    if (toi->state == TACT_HIT) {
        const tact_part part_a = toi->part_a, part_b = toi->part_b;
        *toi = tact_toi_hit(&q->frame, toi->time, toi->point, toi->normal);
        toi->part_a = part_a;
        toi->part_b = part_b;
    }
    return true;
}

static TACT_NOINLINE void find_mesh_toi(const toi_input *input, toi_output *output)
{
    instance body[2];
    mesh_toi_query q;
    *output = (toi_output){.toi = toi_failure(TACT_BAD_ARGUMENT, 0.0), .start = TOI_START_UNKNOWN};
    if (tact_instance_make(&body[0], input->shape[0], &input->transform[0]) != TACT_OK ||
        tact_instance_make(&body[1], input->shape[1], &input->transform[1]) != TACT_OK ||
        make_query(&q, body, input->motion, input->end, input->tolerance) != TACT_OK)
        return;
    q.frame.contact_band = input->contact_band;
    q.frame.ignore_initial_contact = input->ignore_initial_contact;
    q.max_depth = input->max_depth;
    if (input->max_contact_steps > 0)
        q.max_contact_windows = (input->max_contact_steps + TOI_STEPS_PER_WINDOW - 1) / TOI_STEPS_PER_WINDOW;
    if (!find_translating(&q, &output->toi))
        output->toi = find(&q, input, output);
    tact_toi_unswap(&q.frame, &output->toi);
}

void tact_mesh_toi(const toi_input *input, toi_output *output)
{
    const fp_environment found = fp_environment_enter();
    work_meter *const work = tact_work_current();
    if (work != NULL)
        work->time = 0.0;
    find_mesh_toi(input, output);
    fp_environment_leave(found);
    if (work_is_cancelled() && output->toi.status != TACT_BAD_ARGUMENT)
        output->toi = toi_failure(TACT_CANCELLED, work->time);
}

tact_toi tact_mesh_cast_surfaces(const instance *a, const instance *b, tact_vec3 path, double tolerance)
{
    const instance body[2] = {*a, *b};
    const tact_motion motion[2] = {tact_motion_still(), {.velocity = path}};
    mesh_toi_query q;
    if (make_query(&q, body, motion, 1.0, tolerance) != TACT_OK)
        return toi_failure(TACT_BAD_ARGUMENT, 0.0);
    work_meter *const work = tact_work_current();
    const double reached = work != NULL ? work->time : 0.0; /* of the query that asks */
    tact_toi toi = search(&q, 0.0, false, 0.0);
    if (work != NULL)
        work->time = reached;
    tact_toi_unswap(&q.frame, &toi);
    return toi;
}
