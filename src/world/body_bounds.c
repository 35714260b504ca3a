/*
 * The boxes of bodies for the broad phase: tight, or invariant under rotation.
 *
 * Tight: tact_shape_bounds (six support points), rounded outward to floats. The tree of a large mesh finds its bounds
 * in a few microseconds without a loop over the vertices; they are up to BODY_BOUNDS_TREE_MARGIN larger.
 *
 * Invariant (as in SOLID 1): a cube around the origin of the transformed shape that contains it under every rotation.
 * Its half side is s r + m, with r the bounding radius of the shape about its origin, m its margin, and s a bound of
 * the largest singular value of the transform's linear part M: the square root of the largest row sum of |M^T M|
 * (Gershgorin). That is exact for rotations and uniform scales. r is exact for up to BODY_BOUNDS_MAX_POINTS points and
 * for spheres; else it is that of the box around the shape, at most sqrt 3 times too large.
 */
#include "world/body_bounds.h"

#include <math.h>

#include "math/transform_norm.h"
#include "math/vec.h"
#include "shape/complex_support.h"
#include "shape/compound.h"
#include "shape/mesh.h"
#include "shape/shape_constants.h"
#include "world/world_constants.h"

tact_status tact_body_bounding_radius(const tact_shape *shape, double *bounding_radius)
{
    tact_bounds bounds;
    if (shape_is_halfspace(shape))
        return TACT_BAD_ARGUMENT;
    if (shape->mesh != NULL && !shape_is_empty(shape)) {
        *bounding_radius = shape->bounding_radius * BODY_BOUNDS_ROUNDING;
        return TACT_OK;
    }
    if (tact_shape_bounds(shape, tact_identity(), &bounds) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    double margin = tact_shape_get_margin(shape), r = 0.0;
    tact_vec3 points[BODY_BOUNDS_MAX_POINTS];
    size_t count = tact_shape_get_points(shape, points, BODY_BOUNDS_MAX_POINTS);
    tact_vec3 most = vec_make(max_double(-bounds.min.x, bounds.max.x), max_double(-bounds.min.y, bounds.max.y),
                              max_double(-bounds.min.z, bounds.max.z));
    tact_shape_type type = tact_shape_get_type(shape);
    if (count > 0 && count <= BODY_BOUNDS_MAX_POINTS)
        for (size_t i = 0; i < count; ++i)
            r = max_double(r, vec_length_safe(points[i]) + shape->surface_error);
    else if (type == TACT_SPHERE || type == TACT_ELLIPSOID || type == TACT_CAPSULE)
        r = vec_max_abs(most) - margin;
    else
        r = vec_length_safe(vec_make(max_double(most.x - margin, 0.0), max_double(most.y - margin, 0.0),
                                     max_double(most.z - margin, 0.0)));
    /* subtracting the margin has a rounding error relative to the box, not to the difference */
    *bounding_radius = max_double(r, 0.0) * BODY_BOUNDS_ROUNDING + vec_max_abs(most) * (BODY_BOUNDS_ROUNDING - 1.0);
    return TACT_OK;
}

/* A bound of the largest singular value of a transform. Scaled so that squares neither overflow nor underflow. */
static double max_scale(const tact_transform *m)
{
    double largest = max_double(vec_max_abs(m->x_axis), max_double(vec_max_abs(m->y_axis), vec_max_abs(m->z_axis)));
    int exponent;
    (void)frexp(largest, &exponent);
    double down = ldexp(1.0, exponent > 1000 ? -1000 : exponent < -1000 ? 1000 : -exponent);
    const tact_transform scaled = {vec_scale(m->x_axis, down), vec_scale(m->y_axis, down), vec_scale(m->z_axis, down),
                                   m->origin};
    double most, least;
    transform_gershgorin(&scaled, &most, &least);
    return sqrt(most) / down * BODY_BOUNDS_ROUNDING;
}

static tact_status mesh_bounds(const tact_shape *shape, const tact_transform *transform, tact_bounds *bounds)
{
    if (tact_transform_check(transform, NULL) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    const box *whole = &shape->mesh->tree.root_box;
    double bounds_values[6], side = 0.0;
    for (int i = 0; i < 3; ++i)
        side = max_double(side, (double)whole->max[i] - (double)whole->min[i]);
    const double most = max_scale(transform), spare = side < INFINITY ? BODY_BOUNDS_TREE_MARGIN * most * side : 0.0;
    const double margin =
        (shape->margin + most * shape->surface_error) * BODY_BOUNDS_ROUNDING +
        (most * shape->bounding_radius + vec_max_abs(transform->origin)) * (BODY_BOUNDS_ROUNDING - 1.0);
    for (int i = 0; i < 6; ++i) {
        const double sign = i < 3 ? -1.0 : 1.0;
        const tact_vec3 unit = {i % 3 == 0 ? sign : 0.0, i % 3 == 1 ? sign : 0.0, i % 3 == 2 ? sign : 0.0};
        if (tact_mesh_support_value(shape, transform, unit, spare, &bounds_values[i]) != TACT_OK)
            return TACT_BAD_ARGUMENT;
        bounds_values[i] = sign * (bounds_values[i] + margin);
    }
    *bounds = (tact_bounds){{bounds_values[0], bounds_values[1], bounds_values[2]},
                            {bounds_values[3], bounds_values[4], bounds_values[5]}};
    return vec_max_abs(bounds->min) <= SHAPE_MAX_COORDINATE && vec_max_abs(bounds->max) <= SHAPE_MAX_COORDINATE
               ? TACT_OK
               : TACT_BAD_ARGUMENT;
}

tact_status tact_body_extents(const tact_shape *shape, const tact_transform *transform, const double *bounding_radius,
                              tact_bounds *bounds)
{
    if (bounding_radius == NULL && shape->mesh != NULL && shape->mesh->index_count > BODY_BOUNDS_MAX_LOOP)
        return mesh_bounds(shape, transform, bounds);
    if (bounding_radius == NULL)
        return tact_shape_bounds(shape, *transform, bounds);
    if (tact_transform_check(transform, NULL) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    double half = (max_scale(transform) * *bounding_radius + tact_shape_get_margin(shape)) * BODY_BOUNDS_ROUNDING;
    double origin_size = vec_max_abs(transform->origin);
    if (!(half + origin_size <= SHAPE_MAX_COORDINATE))
        return TACT_BAD_ARGUMENT;
    half += origin_size * (BODY_BOUNDS_ROUNDING - 1.0); /* the rounding error of adding the origin */
    const tact_vec3 half_extent = {half, half, half};
    *bounds = (tact_bounds){vec_sub(transform->origin, half_extent), vec_add(transform->origin, half_extent)};
    return TACT_OK;
}

tact_status tact_body_box(const tact_shape *shape, const tact_transform *transform, const double *bounding_radius,
                          box *box_out)
{
    tact_bounds bounds;
    if (tact_body_extents(shape, transform, bounding_radius, &bounds) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    *box_out = box_from_bounds(bounds.min, bounds.max);
    return TACT_OK;
}
