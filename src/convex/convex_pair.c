/*
 * Two convex shapes under transforms: makes the convex instances of both (shape/convex.h), puts them in order and runs
 * the query of convex/convex_query.h.
 *
 * Overlap tests first compare bounding spheres, which costs a few nanoseconds; making the two instances costs 50.
 */
#include "convex/convex_pair.h"

#include "convex/convex_constants.h"
#include "convex/convex_query.h"
#include "convex/pair_order.h"
#include "convex/sat.h"
#include "core/inline.h"
#include "math/transform_norm.h"
#include "shape/convex.h"

static const tact_overlap bad_overlap = {TACT_BAD_ARGUMENT, TACT_UNKNOWN};

static inline bool make_pair(convex *a, const tact_shape *shape_a, const tact_transform *transform_a, convex *b,
                             const tact_shape *shape_b, const tact_transform *transform_b)
{
    return tact_convex_make(a, shape_a, transform_a) == TACT_OK && tact_convex_make(b, shape_b, transform_b) == TACT_OK;
}

/* ---- bounding spheres -------------------------------------------------------------------------------------------- */

/* Whether bounding spheres around the origins are proved to be farther apart than `distance`. False also for a
 * transform that is not usable. */
static inline bool far_apart(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                             const tact_transform *transform_b, double distance)
{
    double most_a, least_a, most_b, least_b;
    transform_gershgorin(transform_a, &most_a, &least_a);
    transform_gershgorin(transform_b, &most_b, &least_b);
    if (!(least_a > 0.0 && least_b > 0.0))
        return false;
    double radii = sqrt(max_double(most_a, most_b)) * (a->bounding_radius + b->bounding_radius) +
                   ((a->margin + b->margin) + distance);
    tact_vec3 offset = vec_sub(transform_b->origin, transform_a->origin);
    return vec_length_squared(offset) > radii * radii * (1.0 + BOUNDING_SPHERE_SLACK) &&
           vec_max_abs(transform_a->origin) < BOUNDING_SPHERE_MAX_LENGTH &&
           vec_max_abs(transform_b->origin) < BOUNDING_SPHERE_MAX_LENGTH &&
           radii * radii > BOUNDING_SPHERE_MIN_LENGTH * BOUNDING_SPHERE_MIN_LENGTH;
}

/* ---- boxes that are not rectangular ------------------------------------------------------------------------------ */

/* Whether a transform is clearly usable, without the cost of tact_convex_make. */
static inline bool is_clearly_usable(const tact_transform *m)
{
    double most, least;
    transform_gershgorin(m, &most, &least);
    return least > 0.0 && most < BOUNDING_SPHERE_MAX_LENGTH && vec_max_abs(m->origin) < BOUNDING_SPHERE_MAX_LENGTH;
}

static inline sat_result separating_axis(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
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

tact_overlap tact_parallelepipeds_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                         const tact_transform *transform_b, double distance, tact_cache *cache)
{
    if (distance + (a->margin + b->margin) == 0.0 && (cache == NULL || !(vec_max_abs(cache->axis) > 0.0)) &&
        is_clearly_usable(transform_a) && is_clearly_usable(transform_b)) {
        sat_result end = separating_axis(a, transform_a, b, transform_b, cache);
        if (end != SAT_UNDECIDED)
            return (tact_overlap){TACT_OK, end == SAT_SEPARATED ? TACT_MISS : TACT_HIT};
    }
    return tact_convex_pair_within_near(a, transform_a, b, transform_b, distance, cache);
}

/* ---- any convex shapes ------------------------------------------------------------------------------------------- */

tact_distance tact_convex_pair_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                        const tact_transform *transform_b, const tact_distance_def *def)
{
    convex ca, cb;
    if (!make_pair(&ca, a, transform_a, &cb, b, transform_b))
        return (tact_distance){.status = TACT_BAD_ARGUMENT};
    return tact_convex_distance(&ca, &cb, def);
}

tact_distance tact_convex_pair_distance_robust(const tact_shape *a, const tact_transform *transform_a,
                                               const tact_shape *b, const tact_transform *transform_b,
                                               const tact_distance_def *def)
{
    convex ca, cb;
    if (!make_pair(&ca, a, transform_a, &cb, b, transform_b))
        return (tact_distance){.status = TACT_BAD_ARGUMENT};
    return tact_convex_distance_robust(&ca, &cb, def);
}

tact_overlap tact_convex_pair_within_near(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                          const tact_transform *transform_b, double distance, tact_cache *cache)
{
    convex ca, cb;
    if (!make_pair(&ca, a, transform_a, &cb, b, transform_b))
        return bad_overlap;
    return tact_convex_within(&ca, &cb, distance, cache);
}

tact_overlap tact_convex_pair_within_robust(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                            const tact_transform *transform_b, double distance, tact_cache *cache)
{
    convex ca, cb;
    if (!make_pair(&ca, a, transform_a, &cb, b, transform_b))
        return bad_overlap;
    return tact_convex_within_robust(&ca, &cb, distance, cache);
}

tact_overlap tact_convex_pair_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                     const tact_transform *transform_b, double distance, tact_cache *cache)
{
    if (far_apart(a, transform_a, b, transform_b, distance))
        return (tact_overlap){TACT_OK, TACT_MISS};
    return tact_convex_pair_within_near(a, transform_a, b, transform_b, distance, cache);
}

tact_common_point tact_convex_pair_common_point(const tact_shape *a, const tact_transform *transform_a,
                                                const tact_shape *b, const tact_transform *transform_b,
                                                tact_cache *cache)
{
    convex ca, cb;
    if (!make_pair(&ca, a, transform_a, &cb, b, transform_b))
        return (tact_common_point){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    return tact_convex_common_point(&ca, &cb, cache);
}

static void swap_points(tact_vec3 *p, tact_vec3 *q)
{
    tact_vec3 r = *p;
    *p = *q;
    *q = r;
}

tact_penetration tact_convex_pair_penetration(const tact_shape *a, const tact_transform *transform_a,
                                              const tact_shape *b, const tact_transform *transform_b)
{
    convex ca, cb;
    tact_penetration out = {.status = TACT_BAD_ARGUMENT};
    if (!make_pair(&ca, a, transform_a, &cb, b, transform_b))
        return out;
    if (tact_compare_convex(&ca, &cb) <= 0) {
        (void)tact_convex_penetration(&ca, &cb, &a->allocator, &out);
        return out;
    }
    (void)tact_convex_penetration(&cb, &ca, &b->allocator, &out);
    swap_points(&out.on_a, &out.on_b);
    out.normal = vec_negate(out.normal);
    return out;
}

tact_manifold tact_convex_pair_manifold(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                        const tact_transform *transform_b, double max_separation, tact_vec3 normal,
                                        tact_vec3 point)
{
    convex ca, cb;
    if (!make_pair(&ca, a, transform_a, &cb, b, transform_b))
        return (tact_manifold){.status = TACT_BAD_ARGUMENT};
    if (tact_compare_convex(&ca, &cb) <= 0)
        return tact_convex_manifold(&ca, &cb, max_separation, normal, point, &a->allocator);
    tact_manifold out = tact_convex_manifold(&cb, &ca, max_separation, vec_negate(normal), point, &b->allocator);
    out.normal = vec_negate(out.normal);
    for (int i = 0; i < out.count; i++) {
        const uint32_t feature_a = out.points[i].feature_a;
        swap_points(&out.points[i].on_a, &out.points[i].on_b);
        out.points[i].feature_a = out.points[i].feature_b;
        out.points[i].feature_b = feature_a;
    }
    return out;
}
