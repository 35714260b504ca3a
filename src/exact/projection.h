/* Exact predicates for coplanar or collinear points, by their projections on the coordinate planes. */
#ifndef TACT_EXACT_PROJECTION_H
#define TACT_EXACT_PROJECTION_H

#include <stdbool.h>
#include <tact/predicates.h>

#include "math/vec.h"

/* The orientation of p, q, r projected along an axis (0 x, 1 y, 2 z): the sign of that coordinate of (q-p) x (r-p). */
static inline int projected_orient2d(int axis, tact_vec3 p, tact_vec3 q, tact_vec3 r)
{
    switch (axis) {
    case 0:
        return tact_orient2d((double[]){p.y, p.z}, (double[]){q.y, q.z}, (double[]){r.y, r.z});
    case 1:
        return tact_orient2d((double[]){p.z, p.x}, (double[]){q.z, q.x}, (double[]){r.z, r.x});
    default:
        return tact_orient2d((double[]){p.x, p.y}, (double[]){q.x, q.y}, (double[]){r.x, r.y});
    }
}

/* An axis along which the projected triangle has area: the one with the largest area, up to rounding; -1 if the points
 * are collinear. */
static inline int projection_axis(tact_vec3 p, tact_vec3 q, tact_vec3 r)
{
    tact_vec3 n = vec_cross(vec_sub(q, p), vec_sub(r, p));
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    int first = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    for (int i = 0; i < 3; ++i)
        if (projected_orient2d((first + i) % 3, p, q, r) != 0)
            return (first + i) % 3;
    return -1;
}

/* Whether all points have the same x, y or z coordinate. Then they are coplanar, as on floors and walls, and no
 * orientation need be computed. */
static inline bool share_coordinate(const tact_vec3 *points, int count)
{
    bool x = true, y = true, z = true;
    for (int i = 1; i < count; ++i) {
        x = x && points[i].x == points[0].x;
        y = y && points[i].y == points[0].y;
        z = z && points[i].z == points[0].z;
    }
    return x || y || z;
}

/* Compares by x, then y, then z: -1, 0, +1. On a line this is the order along the line. */
static inline int lexicographic_order(tact_vec3 p, tact_vec3 q)
{
    if (p.x != q.x)
        return p.x < q.x ? -1 : 1;
    if (p.y != q.y)
        return p.y < q.y ? -1 : 1;
    return (p.z > q.z) - (p.z < q.z);
}

#endif
