/* How far a placed shape extends: its support points and its box along the world axes, margin included. */
#include <float.h>
#include <tact/shape.h>

#include "shape/convex.h"

/* In units of 2^-53 of reach, margin and origin: the roundings of a support point (map, origin, margin), 8 with room to spare, and the 18 by which
 * the radius of a ball may be off where a placement passes for a similarity (see SIMILARITY_SLACK). */
#define EXTENT_ROUNDING 32.0

tact_status tact_shape_support(const tact_shape *shape, tact_placement at, tact_vec3 direction, tact_vec3 *point)
{
    convex c;
    if (point == NULL || !vec_finite(direction) || !(vec_largest(direction) > 0.0) ||
        tact_convex_place(&c, shape, &at) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    tact_vec3 unit = vec_unit(direction), p = vec_along(tact_convex_support(&c, unit, NULL), c.margin, unit);
    p = vec_add(p, c.at.origin);
    if (!vec_finite(p)) /* a custom support function that misbehaves */
        return TACT_BAD_ARGUMENT;
    *point = p;
    return TACT_OK;
}

tact_status tact_shape_bounds(const tact_shape *shape, tact_placement at, tact_bounds *bounds)
{
    convex c;
    if (bounds == NULL || tact_convex_place(&c, shape, &at) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    tact_vec3 max, min;
    max.x = tact_convex_support(&c, vec_make(1.0, 0.0, 0.0), NULL).x;
    max.y = tact_convex_support(&c, vec_make(0.0, 1.0, 0.0), NULL).y;
    max.z = tact_convex_support(&c, vec_make(0.0, 0.0, 1.0), NULL).z;
    min.x = tact_convex_support(&c, vec_make(-1.0, 0.0, 0.0), NULL).x;
    min.y = tact_convex_support(&c, vec_make(0.0, -1.0, 0.0), NULL).y;
    min.z = tact_convex_support(&c, vec_make(0.0, 0.0, -1.0), NULL).z;
    if (!vec_finite(max) || !vec_finite(min))
        return TACT_BAD_ARGUMENT;
    double slack = EXTENT_ROUNDING * 0.5 * DBL_EPSILON * (c.reach + c.margin + vec_largest(c.at.origin)) + DBL_TRUE_MIN;
    double out = c.margin + slack;
    bounds->min = vec_sub(vec_add(min, c.at.origin), vec_make(out, out, out));
    bounds->max = vec_add(vec_add(max, c.at.origin), vec_make(out, out, out));
    return TACT_OK;
}
