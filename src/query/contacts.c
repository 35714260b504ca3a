/* tact_shapes_penetration, tact_shapes_manifold, tact_shapes_contacts, tact_shapes_intersections: how two shapes
 * overlap and where they touch. */
#include <tact/query.h>

#include "query/dispatch.h"
#include "query/query.h"

tact_penetration tact_shapes_penetration(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                         tact_transform transform_b)
{
    if (a == NULL || b == NULL)
        return (tact_penetration){.status = TACT_BAD_ARGUMENT};
    return pair_functions_of(a, b)->penetration(a, &transform_a, b, &transform_b);
}

tact_manifold tact_touch_manifold(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                  const tact_transform *transform_b, double max_separation, tact_vec3 normal,
                                  tact_vec3 point)
{
    if (a == NULL || b == NULL || !(max_separation >= 0.0))
        return (tact_manifold){.status = TACT_BAD_ARGUMENT};
    return pair_functions_of(a, b)->manifold(a, transform_a, b, transform_b, max_separation, normal, point);
}

tact_manifold tact_shapes_manifold(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                   tact_transform transform_b, double max_separation)
{
    const tact_vec3 unknown = {0.0, 0.0, 0.0};
    return tact_touch_manifold(a, &transform_a, b, &transform_b, max_separation, unknown, unknown);
}

tact_contacts tact_shapes_contacts(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                   tact_transform transform_b, double max_separation, tact_contact_point *points,
                                   size_t capacity)
{
    if (a == NULL || b == NULL || !(max_separation >= 0.0) || (points == NULL && capacity > 0))
        return (tact_contacts){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    return pair_functions_of(a, b)->contacts(a, &transform_a, b, &transform_b, max_separation, points, capacity);
}

tact_intersections tact_shapes_intersections(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                             tact_transform transform_b, tact_intersection *segments, size_t capacity)
{
    if (a == NULL || b == NULL || (segments == NULL && capacity > 0))
        return (tact_intersections){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    return pair_functions_of(a, b)->intersections(a, &transform_a, b, &transform_b, segments, capacity);
}
