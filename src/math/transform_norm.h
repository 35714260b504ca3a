/*
 * Bounds on the factor by which the linear part M of a transform lengthens a vector: |M|, its largest singular value.
 *
 *     transform_gram              M^t M, whose largest row sum bounds |M|^2: sharp for rotations and scales
 *     transform_gershgorin        the squares of all singular values by row sums, from above and below
 *     transform_frobenius_norm    |M| <= F <= sqrt(3) |M|, rounded to nearest
 *     transform_norm_bound        F, rounded up
 *     transform_stretch_bound     the root of the largest row sum of M^t M, or F if it is smaller
 *     transform_axis_sum          F <= S <= sqrt(3) F; no square overflows or loses digits
 *
 * Cost: 18 products for M^t M, 9 and a square root for F. Those that round to nearest are within a few
 * units of roundoff of what they state: a caller that needs a proved bound adds a slack of its own. Where the bound
 * enters an answer (a bounding radius), the caller sums the rows itself: their order decides the last bit.
 */
#ifndef TACT_MATH_TRANSFORM_NORM_H
#define TACT_MATH_TRANSFORM_NORM_H

#include <float.h>
#include <math.h>

#include "core/number.h"
#include "math/vec.h"

/* Relative: more than the rounding error of F, at most 6 units of roundoff (7e-16). With 0 internal_math_limits,
 * norm_bounds_are_not_below_the_norm, fails. */
#define TRANSFORM_NORM_SLACK 1e-15

/* Squares of lengths in between neither overflow nor lose digits (sizes_far_from_one_scale in test_complex_contact.c,
 * tiny_shapes_have_finite_answers in test_conventions.c). */
#define TRANSFORM_MIN_SQUARE 1e-280
#define TRANSFORM_MAX_SQUARE 1e280

/* F below this has lost digits: the root of TRANSFORM_MIN_SQUARE. */
#define TRANSFORM_MIN_NORM 1e-140

static inline double transform_axis_sum(const tact_transform *m)
{
    return vec_length_safe(m->x_axis) + vec_length_safe(m->y_axis) + vec_length_safe(m->z_axis);
}

static inline double transform_trace(const tact_transform *m)
{
    return vec_length_squared(m->x_axis) + vec_length_squared(m->y_axis) + vec_length_squared(m->z_axis);
}

/* The axis sum where squares underflow; infinite where they overflow. */
static inline double transform_frobenius_norm(const tact_transform *m)
{
    const double norm = sqrt(transform_trace(m));
    return norm > TRANSFORM_MIN_NORM ? norm : transform_axis_sum(m);
}

/* The axis sum where squares underflow or overflow. */
static inline double transform_norm_bound(const tact_transform *m)
{
    const double square = transform_trace(m);
    return square > TRANSFORM_MIN_SQUARE && square < TRANSFORM_MAX_SQUARE ? sqrt(square) * (1.0 + TRANSFORM_NORM_SLACK)
                                                                          : transform_axis_sum(m);
}

/* M^t M, with absolute values off the diagonal. A row sum is the largest point of a circle of Gershgorin around an
 * entry of the diagonal. The circles contain the squares of the singular values. */
typedef struct gram_matrix {
    double xx, yy, zz, xy, yz, zx;
} gram_matrix;

static inline gram_matrix transform_gram(const tact_transform *m)
{
    return (gram_matrix){.xx = vec_length_squared(m->x_axis),
                         .yy = vec_length_squared(m->y_axis),
                         .zz = vec_length_squared(m->z_axis),
                         .xy = fabs(vec_dot(m->x_axis, m->y_axis)),
                         .yz = fabs(vec_dot(m->y_axis, m->z_axis)),
                         .zx = fabs(vec_dot(m->z_axis, m->x_axis))};
}

/* `least` > 0 proves that M is not singular. A NaN in M is in both results. */
static inline void transform_gershgorin(const tact_transform *m, double *most, double *least)
{
    const gram_matrix g = transform_gram(m);
    const double x = g.xy + g.zx, y = g.xy + g.yz, z = g.yz + g.zx;
    *most = max_double(g.xx + x, max_double(g.yy + y, g.zz + z));
    *least = -max_double(x - g.xx, max_double(y - g.yy, z - g.zz));
}

/* A bound of |M| that is about 1 for a rotation: the root of the largest row sum of M^t M, rounded to nearest, and at
 * most transform_norm_bound. */
static inline double transform_stretch_bound(const tact_transform *m)
{
    const gram_matrix g = transform_gram(m);
    const double square = number_max(g.xx + g.xy + g.zx, number_max(g.yy + g.xy + g.yz, g.zz + g.zx + g.yz)),
                 norm = transform_norm_bound(m);
    return square > DBL_MIN / DBL_EPSILON && square < INFINITY ? number_min(sqrt(square), norm) : norm;
}

#endif
