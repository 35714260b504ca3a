/* The plane and the bounds of a transformed half-space: see halfspace.h. Cost: one inverse of a 3 x 3 matrix. */
#include "shape/halfspace.h"

#include <float.h>
#include <string.h>

#include "core/number.h"
#include "shape/complex_support.h"

/* The plane from the cofactors of M, for axes of similar lengths and far from parallel: M^-t n = cof(M) n / det M.
 * False: the general way is needed. */
static bool plane_of_cofactors(const tact_shape *shape, const tact_transform *m, halfspace_plane *plane)
{
    double most, least;
    transform_gershgorin(m, &most, &least);
    if (!(least > HALFSPACE_WELL_CONDITIONED * most) ||
        !(most > TRANSFORM_MIN_NORM && most < 1.0 / TRANSFORM_MIN_NORM) || !vec_finite(m->origin) ||
        !(vec_max_abs(m->origin) <= SHAPE_MAX_COORDINATE))
        return false;
    const tact_vec3 yz = vec_cross(m->y_axis, m->z_axis), zx = vec_cross(m->z_axis, m->x_axis),
                    xy = vec_cross(m->x_axis, m->y_axis), n = shape->normal;
    const double determinant = vec_dot(m->x_axis, yz);
    const tact_vec3 c = vec_mul_add(vec_mul_add(vec_scale(yz, n.x), n.y, zx), n.z, xy);
    const double length = vec_length(c), scale = (determinant < 0.0 ? -1.0 : 1.0) / length;
    *plane =
        (halfspace_plane){vec_scale(c, scale), m->origin, shape->offset * (fabs(determinant) / length) + shape->margin};
    return true;
}

tact_status tact_halfspace_plane(const tact_shape *shape, const tact_transform *transform, halfspace_plane *plane)
{
    tact_transform inverse;
    if (plane_of_cofactors(shape, transform, plane))
        return fabs(plane->offset) <= SHAPE_MAX_COORDINATE ? TACT_OK : TACT_BAD_ARGUMENT;
    if (tact_transform_check(transform, NULL) != TACT_OK || vec_max_abs(transform->origin) > SHAPE_MAX_COORDINATE ||
        tact_transform_invert(*transform, &inverse) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    const tact_vec3 n = vec_transform_transposed(&inverse, shape->normal);
    if (!vec_finite(n) || !(vec_max_abs(n) > 0.0))
        return TACT_BAD_ARGUMENT;
    *plane = (halfspace_plane){vec_normalize(n), transform->origin, shape->offset / vec_length_safe(n) + shape->margin};
    return fabs(plane->offset) <= SHAPE_MAX_COORDINATE ? TACT_OK : TACT_BAD_ARGUMENT;
}

tact_status tact_shape_end_along(const tact_shape *shape, tact_transform transform, tact_vec3 n, tact_vec3 *end)
{
    halfspace_plane plane;
    if (shape_is_convex(shape))
        return tact_shape_support(shape, transform, n, end);
    if (!shape_is_halfspace(shape))
        return tact_transform_check(&transform, NULL) == TACT_OK && !shape_is_empty(shape) &&
                       tact_support_point_if_cheap(shape, &transform, vec_normalize(n), end)
                   ? TACT_OK
                   : TACT_NOT_CONVERGED;
    const tact_status status = tact_halfspace_plane(shape, &transform, &plane);
    if (status == TACT_OK)
        *end = vec_mul_add(plane.origin, plane.offset, plane.normal);
    return status;
}

/* The half-space is bounded along an axis only if its normal is that axis, exactly. */
static void limit_axis(double n, double other, double origin, double offset, double *min, double *max)
{
    const double error = BOUNDS_ROUNDOFF_UNITS * 0.5 * DBL_EPSILON * (fabs(origin) + fabs(offset)) + DBL_TRUE_MIN;
    if (other != 0.0)
        return;
    if (n > 0.0)
        *max = number_min(origin + offset + error, SHAPE_MAX_COORDINATE);
    else
        *min = number_max(origin - offset - error, -SHAPE_MAX_COORDINATE);
}

tact_status tact_halfspace_bounds(const tact_shape *shape, const tact_transform *transform, tact_bounds *bounds)
{
    halfspace_plane p;
    const double most = SHAPE_MAX_COORDINATE;
    if (tact_halfspace_plane(shape, transform, &p) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    *bounds = (tact_bounds){{-most, -most, -most}, {most, most, most}};
    const double x = fabs(p.normal.x), y = fabs(p.normal.y), z = fabs(p.normal.z);
    limit_axis(p.normal.x, y + z, p.origin.x, p.offset, &bounds->min.x, &bounds->max.x);
    limit_axis(p.normal.y, z + x, p.origin.y, p.offset, &bounds->min.y, &bounds->max.y);
    limit_axis(p.normal.z, x + y, p.origin.z, p.offset, &bounds->min.z, &bounds->max.z);
    return TACT_OK;
}

void tact_halfspace_box(const halfspace_plane *plane, tact_vec3 above, double half, const tact_allocator *allocator,
                        tact_shape *block, tact_transform *at)
{
    memset(block, 0, sizeof *block);
    block->type = TACT_BOX;
    block->shape_class = SHAPE_CLASS_BOX;
    block->allocator = *allocator;
    block->half_extents = vec_make(half, half, half);
    block->bounding_radius = vec_length_safe(block->half_extents);
    block->nesting_depth = block->part_count = 1;
    vec_tangent_basis(plane->normal, &at->x_axis, &at->z_axis);
    at->y_axis = plane->normal;
    at->origin = vec_mul_add(above, -halfspace_height(plane, above) - half, plane->normal);
}
