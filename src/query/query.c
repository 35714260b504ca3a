/*
 * Distance, yes or no, within a distance, common point: what a user asks of two placed shapes, from the bounds that GJK
 * (or a closed form) proves for their cores and the arithmetic of their margins.
 *
 * With core distance c and margins ma, mb the shapes are c - (ma + mb) apart; the margins' balls touch along the line
 * between the cores' nearest points. All is exactly symmetric in A and B.
 */
#include <tact/query.h>

#include "complex/complex_query.h"
#include "convex/box_box.h"
#include "convex/closed_form.h"
#include "convex/convex_query.h"
#include "convex/gjk.h"
#include "convex/hull_hull.h"
#include "convex/margin_answer.h"
#include "convex/pair_order.h"
#include "convex/sat.h"
#include "convex/sphere_swept.h"
#include "query/query.h"

/* The relative accuracy of a distance unless another is asked for. */
#define DEFAULT_ACCURACY 1e-10

/* Lengths between which the squares in far_apart neither overflow nor lose digits. */
#define FAR_LARGEST 1e150
#define FAR_SMALLEST 1e-140

static bool place_pair(convex *a, const tact_shape *shape_a, const tact_transform *transform_a, convex *b,
                       const tact_shape *shape_b, const tact_transform *transform_b)
{
    return tact_convex_make(a, shape_a, transform_a) == TACT_OK && tact_convex_make(b, shape_b, transform_b) == TACT_OK;
}

/* On polytopes GJK is exactly symmetric unless the origins coincide and no axis is known. Whatever else (curved shapes,
 * users' own support functions, the closed form of two segments) is computed in one order and mirrored back. */
static bool order_matters(const convex *a, const convex *b, tact_vec3 axis)
{
    return !tact_convex_is_polytope(a) || !tact_convex_is_polytope(b) || (a->point_count == 2 && b->point_count == 2) ||
           (vec_equal(a->transform.origin, b->transform.origin) && !(vec_max_abs(axis) > 0.0));
}

static void mirror(gjk *result)
{
    tact_vec3 on_a = result->on_a;
    result->on_a = result->on_b;
    result->on_b = on_a;
    result->normal = vec_negate(result->normal);
}

static void core_distance(const convex *a, const convex *b, double accuracy, double enough, tact_vec3 axis, gjk *result)
{
    bool swapped = order_matters(a, b, axis) && tact_convex_compare(a, b) > 0;
    const convex *first = swapped ? b : a, *second = swapped ? a : b;
    if (!(a->point_count > 0 && b->point_count > 0 && tact_closed_distance(first, second, result)))
        tact_gjk_distance(first, second, accuracy, enough, swapped ? vec_negate(axis) : axis, result);
    if (swapped)
        mirror(result);
}

static const tact_distance_def usual = {DEFAULT_ACCURACY, INFINITY, NULL};

tact_distance_def tact_distance_def_default(void) { return usual; }

/* Where to begin; an axis that is not finite counts as unknown. */
static tact_vec3 known_axis(const tact_cache *cache)
{
    return cache != NULL && vec_finite(cache->axis) ? cache->axis : vec_make(0.0, 0.0, 0.0);
}

TACT_COLD tact_distance bad_distance(void) { return (tact_distance){.status = TACT_BAD_ARGUMENT}; }

/* The best that was found. */
TACT_COLD tact_distance unfinished(const convex *a, const convex *b, const gjk *core, tact_cache *cache)
{
    tact_distance answer = {.status = TACT_OK};
    if (core->count > 0) { /* else a custom support function gave no number at all */
        answer = answer_distance(core->upper, core->normal, core->on_a, core->on_b, a->margin, b->margin);
        if (cache != NULL)
            cache->axis = core->normal;
    }
    answer.status = TACT_NOT_CONVERGED;
    return answer;
}

tact_distance tact_convex_distance(const convex *a, const convex *b, const tact_distance_def *def)
{
    gjk core;
    double margins = a->margin + b->margin;
    core_distance(a, b, def->accuracy, def->upper_bound + margins, known_axis(def->cache), &core);
    if (core.end == GJK_NOT_CONVERGED)
        return unfinished(a, b, &core, def->cache);
    if (def->cache != NULL && core.end != GJK_TOUCH)
        def->cache->axis = core.normal;
    double apart = core.end == GJK_TOUCH ? 0.0 : core.upper;
    if (core.end == GJK_BEYOND)
        apart = answer_beyond(core.lower, margins, def->upper_bound);
    return answer_distance(apart, core.normal, core.on_a, core.on_b, a->margin, b->margin);
}

static inline bool are_round(const tact_shape *a, const tact_shape *b)
{
    return a != NULL && b != NULL && tact_shape_is_round(a) && tact_shape_is_round(b);
}

static inline bool are_boxes(const tact_shape *a, const tact_shape *b)
{
    return a != NULL && b != NULL && a->type == TACT_BOX && b->type == TACT_BOX;
}

static inline bool are_hulls(const tact_shape *a, const tact_shape *b)
{
    return a != NULL && b != NULL && a->hull != NULL && b->hull != NULL;
}

tact_distance tact_pair_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                 const tact_transform *transform_b, const tact_distance_def *def)
{
    convex ca, cb;
    if (place_pair(&ca, a, transform_a, &cb, b, transform_b))
        return tact_convex_distance(&ca, &cb, def);
    return is_complex(a) || is_complex(b) ? tact_complex_distance(a, transform_a, b, transform_b, def) : bad_distance();
}

tact_distance tact_shapes_distance_with(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                        tact_transform transform_b, const tact_distance_def *def)
{
    if (def == NULL)
        def = &usual;
    if (!(def->accuracy >= 0.0) || !(def->accuracy < INFINITY) || !(def->upper_bound >= 0.0))
        return bad_distance();
    if (are_boxes(a, b))
        return TACT_DISPATCH_AVX2(tact_boxes_distance, a, &transform_a, b, &transform_b, def);
    if (are_round(a, b))
        return tact_rounds_distance(a, &transform_a, b, &transform_b, def);
    if (are_hulls(a, b))
        return TACT_DISPATCH_AVX2(tact_hulls_distance, a, &transform_a, b, &transform_b, def);
    return tact_pair_distance(a, &transform_a, b, &transform_b, def);
}

tact_distance tact_shapes_distance(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                   tact_transform transform_b)
{
    if (are_boxes(a, b))
        return TACT_DISPATCH_AVX2(tact_boxes_distance, a, &transform_a, b, &transform_b, &usual);
    if (are_round(a, b))
        return tact_rounds_distance(a, &transform_a, b, &transform_b, &usual);
    if (are_hulls(a, b))
        return TACT_DISPATCH_AVX2(tact_hulls_distance, a, &transform_a, b, &transform_b, &usual);
    return tact_pair_distance(a, &transform_a, b, &transform_b, &usual);
}

/* ---- yes or no
 * ---------------------------------------------------------------------------------------------------------------- */

/* Whether two cores come within `limit` of each other, with the axis for next time. */
static void decide(const convex *a, const convex *b, double limit, tact_cache *cache, gjk *core)
{
    tact_vec3 axis = known_axis(cache);
    bool swapped = order_matters(a, b, axis) && tact_convex_compare(a, b) > 0;
    const convex *first = swapped ? b : a, *second = swapped ? a : b;
    if (tact_closed_distance(first, second, core))
        core->end = core->upper > limit ? GJK_BEYOND : GJK_WITHIN;
    else
        tact_gjk_within(first, second, limit, swapped ? vec_negate(axis) : axis, core);
    if (swapped)
        mirror(core);
    if (cache != NULL && core->end == GJK_BEYOND)
        cache->axis = core->normal;
}

static tact_state state_of(const gjk *core)
{
    switch (core->end) {
    case GJK_BEYOND:
    case GJK_APART:
        return TACT_MISS;
    case GJK_WITHIN:
    case GJK_TOUCH:
        return TACT_HIT;
    case GJK_NOT_CONVERGED:
        break;
    }
    return TACT_UNKNOWN;
}

/* The largest and least that the linear part of a placement can stretch, squared, by Gershgorin's circles around the
 * entries of M^t M: sharp for a rotation, and `least` > 0 proves that it is not singular. */
static inline void stretch_squares(const tact_transform *m, double *most, double *least)
{
    double xx = vec_length_squared(m->x_axis), yy = vec_length_squared(m->y_axis), zz = vec_length_squared(m->z_axis);
    double xy = fabs(vec_dot(m->x_axis, m->y_axis)), yz = fabs(vec_dot(m->y_axis, m->z_axis)),
           zx = fabs(vec_dot(m->z_axis, m->x_axis));
    double x = xy + zx, y = xy + yz, z = yz + zx;
    /* A NaN anywhere is in all three sums, and so in the result. */
    *most = max_double(xx + x, max_double(yy + y, zz + z));
    *least = -max_double(x - xx, max_double(y - yy, z - zz));
}

/* Proves in a few nanoseconds that bounding spheres around the origins are farther apart than `distance`. False also
 * for anything odd: the long way finds out what. */
static inline bool far_apart(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                             const tact_transform *transform_b, double distance)
{
    /* Relative; far more than the roundings of the few sums below. */
    const double slack = 1.0 + 1e-12;
    if (a == NULL || b == NULL)
        return false;
    double most_a, least_a, most_b, least_b;
    stretch_squares(transform_a, &most_a, &least_a);
    stretch_squares(transform_b, &most_b, &least_b);
    if (!(least_a > 0.0 && least_b > 0.0))
        return false;
    double reach = sqrt(max_double(most_a, most_b)) * (a->bounding_radius + b->bounding_radius) +
                   ((a->margin + b->margin) + distance);
    tact_vec3 offset = vec_sub(transform_b->origin, transform_a->origin);
    double apart = vec_length_squared(offset);
    /* (Of meshes the rounding of the placed vertices counts too: they are looked at elsewhere.) */
    return apart > reach * reach * slack && vec_max_abs(transform_a->origin) < FAR_LARGEST &&
           vec_max_abs(transform_b->origin) < FAR_LARGEST && reach * reach > FAR_SMALLEST * FAR_SMALLEST &&
           a->type < TACT_MESH && b->type < TACT_MESH;
}

/* Clearly usable, so that tact_convex_make, which costs as much as a few axes, would have nothing to say. */
static inline bool is_plain(const tact_transform *m)
{
    double most, least;
    stretch_squares(m, &most, &least);
    return least > 0.0 && most < FAR_LARGEST && vec_max_abs(m->origin) < FAR_LARGEST;
}

static inline sat_end boxes_touch(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                  const tact_transform *transform_b, tact_cache *cache)
{
    const tact_vec3 half_a[3] = {vec_scale(transform_a->x_axis, a->half_extents.x),
                                 vec_scale(transform_a->y_axis, a->half_extents.y),
                                 vec_scale(transform_a->z_axis, a->half_extents.z)};
    const tact_vec3 half_b[3] = {vec_scale(transform_b->x_axis, b->half_extents.x),
                                 vec_scale(transform_b->y_axis, b->half_extents.y),
                                 vec_scale(transform_b->z_axis, b->half_extents.z)};
    return tact_sat_box_box(vec_sub(transform_b->origin, transform_a->origin), half_a, half_b,
                            cache != NULL ? &cache->axis : NULL);
}

static tact_overlap verdict_of(tact_state state)
{
    return (tact_overlap){state == TACT_UNKNOWN ? TACT_NOT_CONVERGED : TACT_OK, state};
}

tact_overlap tact_convex_within(const convex *a, const convex *b, double distance, tact_cache *cache)
{
    gjk core;
    decide(a, b, distance + (a->margin + b->margin), cache, &core);
    return verdict_of(state_of(&core));
}

/* By placing the shapes and searching. */
static tact_overlap search_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                  const tact_transform *transform_b, double distance, tact_cache *cache)
{
    convex ca, cb;
    if (place_pair(&ca, a, transform_a, &cb, b, transform_b))
        return tact_convex_within(&ca, &cb, distance, cache);
    return is_complex(a) || is_complex(b) ? tact_complex_within(a, transform_a, b, transform_b, distance)
                                          : (tact_overlap){TACT_BAD_ARGUMENT, TACT_UNKNOWN};
}

/* Boxes that are not rectangular, mostly: by their 15 axes, if nothing is known and no margin in the way. */
static tact_overlap sat_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                               const tact_transform *transform_b, double distance, tact_cache *cache)
{
    if (distance + (a->margin + b->margin) == 0.0 && (cache == NULL || !(vec_max_abs(cache->axis) > 0.0)) &&
        is_plain(transform_a) && is_plain(transform_b)) {
        sat_end end = boxes_touch(a, transform_a, b, transform_b, cache);
        if (end != SAT_UNDECIDED)
            return verdict_of(end == SAT_APART ? TACT_MISS : TACT_HIT);
    }
    return search_within(a, transform_a, b, transform_b, distance, cache);
}

static inline tact_overlap within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                  const tact_transform *transform_b, double distance, tact_cache *cache)
{
    tact_vec3 *axis = cache != NULL ? &cache->axis : NULL;
    if (are_boxes(a, b)) {
        boxes_verdict verdict = TACT_DISPATCH_AVX2(tact_boxes_within, a, transform_a, b, transform_b, distance, axis);
        if (verdict != BOXES_UNKNOWN)
            return verdict_of(verdict == BOXES_MISS ? TACT_MISS : TACT_HIT);
        return sat_within(a, transform_a, b, transform_b, distance, cache);
    }
    if (are_round(a, b)) {
        rounds_verdict verdict = tact_rounds_within(a, transform_a, b, transform_b, distance, axis);
        if (verdict != ROUNDS_UNKNOWN)
            return verdict_of(verdict == ROUNDS_MISS ? TACT_MISS : TACT_HIT);
    } else if (are_hulls(a, b)) {
        hulls_verdict verdict = TACT_DISPATCH_AVX2(tact_hulls_within, a, transform_a, b, transform_b, distance, cache);
        if (verdict != HULLS_UNKNOWN)
            return verdict_of(verdict == HULLS_MISS ? TACT_MISS : TACT_HIT);
    } else if (far_apart(a, transform_a, b, transform_b, distance)) {
        return verdict_of(TACT_MISS);
    }
    return search_within(a, transform_a, b, transform_b, distance, cache);
}

tact_overlap tact_shapes_within(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                tact_transform transform_b, double distance, tact_cache *cache)
{
    if (!(distance >= 0.0))
        return (tact_overlap){TACT_BAD_ARGUMENT, TACT_UNKNOWN};
    return within(a, &transform_a, b, &transform_b, distance, cache);
}

tact_overlap tact_shapes_overlap(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                 tact_transform transform_b, tact_cache *cache)
{
    return within(a, &transform_a, b, &transform_b, 0.0, cache);
}

tact_common_point tact_convex_common_point(const convex *a, const convex *b, tact_cache *cache)
{
    tact_common_point answer = {.status = TACT_OK, .state = TACT_UNKNOWN};
    gjk core;
    decide(a, b, a->margin + b->margin, cache, &core);
    answer.state = state_of(&core);
    if (answer.state == TACT_UNKNOWN)
        answer.status = TACT_NOT_CONVERGED;
    else if (answer.state == TACT_HIT)
        answer.point = answer_common_point(a->margin, b->margin, core.on_a, core.on_b);
    return answer;
}

tact_common_point tact_shapes_common_point(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                           tact_transform transform_b, tact_cache *cache)
{
    tact_common_point answer = {.status = TACT_OK, .state = TACT_UNKNOWN};
    convex ca, cb;
    if (are_boxes(a, b) || are_round(a, b)) {
        /* Their quick ways to a distance end at the first direction that separates, or at a common point. */
        const tact_distance_def def = {DEFAULT_ACCURACY, 0.0, cache};
        tact_distance d = are_boxes(a, b)
                              ? TACT_DISPATCH_AVX2(tact_boxes_distance, a, &transform_a, b, &transform_b, &def)
                              : tact_rounds_distance(a, &transform_a, b, &transform_b, &def);
        answer.status = d.status;
        if (d.status == TACT_OK) {
            answer.state = d.distance > 0.0 ? TACT_MISS : TACT_HIT;
            answer.point = d.distance > 0.0 ? answer.point : d.on_a;
        }
        return answer;
    }
    if (place_pair(&ca, a, &transform_a, &cb, b, &transform_b))
        return tact_convex_common_point(&ca, &cb, cache);
    if (is_complex(a) || is_complex(b))
        return tact_complex_common_point(a, &transform_a, b, &transform_b);
    answer.status = TACT_BAD_ARGUMENT;
    return answer;
}
