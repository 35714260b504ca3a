/* The support mappings of polytopes, inline: GJK spends most of its time here. */
#ifndef TACT_SHAPE_SUPPORT_H
#define TACT_SHAPE_SUPPORT_H

#include "core/inline.h"
#include "shape/convex.h"

/* The index of the point farthest along n; the first of several that are equally far. */
TACT_FORCE_INLINE int support_of_points(const tact_vec3 *points, int count, tact_vec3 n)
{
    int best = 0;
    double farthest = vec_dot(points[0], n);
    for (int i = 1; i < count; i++) {
        double d = vec_dot(points[i], n);
        if (d > farthest) {
            farthest = d;
            best = i;
        }
    }
    return best;
}

/* A vertex of a parallelepiped: plus or minus each half axis. */
TACT_FORCE_INLINE tact_vec3 support_of_box(const convex *c, tact_vec3 n, uint64_t *feature)
{
    double gx = vec_dot(c->transform.x_axis, n), gy = vec_dot(c->transform.y_axis, n),
           gz = vec_dot(c->transform.z_axis, n);
    /* + 0.0 makes -0 to 0, so that the answer does not depend on the order of the pair. Branchless, as the signs are as
     * good as random. */
    double sx = copysign(1.0, gx + 0.0), sy = copysign(1.0, gy + 0.0), sz = copysign(1.0, gz + 0.0);
    *feature = (uint64_t)(sx < 0.0) | (uint64_t)(sy < 0.0) << 1 | (uint64_t)(sz < 0.0) << 2;
    return vec_transform(&c->transform, vec_make(sx, sy, sz));
}

TACT_FORCE_INLINE tact_vec3 support_of_hull(const convex *c, tact_vec3 n, uint64_t *feature)
{
    tact_vec3 local = vec_transform_transposed(&c->transform, n);
    /* + 0.0: see support_of_box */
    uint32_t best = tact_hull_support(c->shape->hull, vec_make(local.x + 0.0, local.y + 0.0, local.z + 0.0));
    *feature = best;
    return vec_transform(&c->transform, c->shape->hull->vertices[best]);
}

/* tact_convex_support, inline for the common polytopes. */
TACT_FORCE_INLINE tact_vec3 convex_support(const convex *c, tact_vec3 n, uint64_t *feature)
{
    switch (c->kind) {
    case CONVEX_BOX:
        return support_of_box(c, n, feature);
    case CONVEX_HULL:
        return support_of_hull(c, n, feature);
    case CONVEX_POINTS: {
        int best = support_of_points(c->points, c->point_count, n);
        *feature = (uint64_t)best;
        return c->points[best];
    }
    default:
        return tact_convex_support(c, n, feature);
    }
}

/* The same without the feature number: polytopes are distinguished by their points. */
TACT_FORCE_INLINE tact_vec3 polytope_support(const convex *c, tact_vec3 n)
{
    uint64_t feature;
    if (c->kind != CONVEX_HULL)
        return convex_support(c, n, &feature);
    tact_vec3 local = vec_transform_transposed(&c->transform, n);
    return vec_transform(&c->transform,
                         hull_support(c->shape->hull, vec_make(local.x + 0.0, local.y + 0.0, local.z + 0.0)));
}

/* A point of the core; of a box or hull a point well inside. */
TACT_FORCE_INLINE tact_vec3 convex_interior_point(const convex *c)
{
    switch (c->kind) {
    case CONVEX_BOX:
        return vec_make(0.0, 0.0, 0.0);
    case CONVEX_HULL:
        return vec_transform(&c->transform, c->shape->hull->centre);
    default:
        return c->points[0];
    }
}

#endif
