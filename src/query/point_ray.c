/* tact_shape_ray, tact_shape_closest, tact_shape_contains: a ray or a point and one shape. */
#include <tact/query.h>

#include "math/vec.h"
#include "query/dispatch.h"

static bool is_usable(tact_vec3 p) { return vec_finite(p) && vec_max_abs(p) <= SHAPE_MAX_COORDINATE; }

tact_ray_hit tact_shape_ray(const tact_shape *shape, tact_transform transform, tact_vec3 from, tact_vec3 direction,
                            double max)
{
    if (shape == NULL || !is_usable(from) || !vec_finite(direction) || !(vec_max_abs(direction) > 0.0) || !(max >= 0.0))
        return (tact_ray_hit){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    return shape_functions_of(shape)->ray(shape, &transform, from, direction, max);
}

tact_closest tact_shape_closest(const tact_shape *shape, tact_transform transform, tact_vec3 from)
{
    if (shape == NULL || !is_usable(from))
        return (tact_closest){.status = TACT_BAD_ARGUMENT};
    return shape_functions_of(shape)->closest(shape, &transform, from);
}

tact_overlap tact_shape_contains(const tact_shape *shape, tact_transform transform, tact_vec3 point)
{
    if (shape == NULL || !is_usable(point))
        return (tact_overlap){TACT_BAD_ARGUMENT, TACT_UNKNOWN};
    return shape_functions_of(shape)->contains(shape, &transform, point);
}
