/* The support mapping of a transformed convex shape in double-double arithmetic, for the few searches that stall on one
 * ulp of a support point. */
#ifndef TACT_SHAPE_CONVEX_DD_H
#define TACT_SHAPE_CONVEX_DD_H

#include "math/dd_vec.h"
#include "shape/convex.h"

/* The linear part of a transform applied to a vector. */
static inline dd_vec dd_vec_transform(const tact_transform *m, dd_vec a)
{
    dd_vec p = dd_vec_scale(dd_vec_make(m->x_axis), a.x);
    p = dd_vec_mul_add(p, a.y, dd_vec_make(m->y_axis));
    return dd_vec_mul_add(p, a.z, dd_vec_make(m->z_axis));
}

/* As tact_convex_support, for the transformed shape as rounded there, to about 2^-100 of its bounding radius. A custom
 * support function is evaluated along the rounded direction. The caller has entered the default floating-point
 * environment (math/fp_environment.h). */
dd_vec tact_convex_support_dd(const convex *c, dd_vec direction, uint64_t *feature);

#endif
