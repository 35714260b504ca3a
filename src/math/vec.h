/* Vector arithmetic, inline. Every operation is rounded as written: sums from left to right, no fused multiply-add. */
#ifndef TACT_MATH_VEC_H
#define TACT_MATH_VEC_H

#include <math.h>
#include <stdbool.h>
#include <tact/transform.h>
#include <tact/vec.h>

#include "math/math_constants.h"

static inline tact_vec3 vec_make(double x, double y, double z) { return (tact_vec3){x, y, z}; }
static inline tact_vec3 vec_add(tact_vec3 a, tact_vec3 b) { return vec_make(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline tact_vec3 vec_sub(tact_vec3 a, tact_vec3 b) { return vec_make(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline tact_vec3 vec_scale(tact_vec3 a, double s) { return vec_make(a.x * s, a.y * s, a.z * s); }
static inline tact_vec3 vec_negate(tact_vec3 a) { return vec_make(-a.x, -a.y, -a.z); }
static inline double vec_dot(tact_vec3 a, tact_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double vec_length_squared(tact_vec3 a) { return vec_dot(a, a); }
static inline double vec_length(tact_vec3 a) { return sqrt(vec_length_squared(a)); }

/* a + s b */
static inline tact_vec3 vec_mul_add(tact_vec3 a, double s, tact_vec3 b)
{
    return vec_make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline tact_vec3 vec_cross(tact_vec3 a, tact_vec3 b)
{
    return vec_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* The smaller and the larger one of each coordinate. */
static inline tact_vec3 vec_min(tact_vec3 a, tact_vec3 b)
{
    return (tact_vec3){a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}

static inline tact_vec3 vec_max(tact_vec3 a, tact_vec3 b)
{
    return (tact_vec3){a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}

/* The largest absolute coordinate. */
static inline double vec_max_abs(tact_vec3 a)
{
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    double xy = x > y ? x : y;
    return xy > z ? xy : z;
}

static inline double vec_component(tact_vec3 a, int axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }

/* No NaN, no infinity. (x - x is 0 exactly for finite x.) */
static inline bool vec_finite(tact_vec3 a) { return (a.x - a.x) + (a.y - a.y) + (a.z - a.z) == 0.0; }

static inline bool vec_equal(tact_vec3 a, tact_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* The unit vector along `a`; zero for the zero vector. Scales very long and very short vectors first, so that squares
 * neither overflow nor underflow. */
static inline tact_vec3 vec_normalize(tact_vec3 a)
{
    double largest = vec_max_abs(a);
    if (!(largest > 0.0))
        return vec_make(0.0, 0.0, 0.0);
    if (largest > VEC_MAX_SQUARABLE || largest < VEC_MIN_SQUARABLE) {
        int exponent;
        (void)frexp(largest, &exponent);
        a = vec_make(ldexp(a.x, -exponent), ldexp(a.y, -exponent), ldexp(a.z, -exponent));
    }
    return vec_scale(a, 1.0 / vec_length(a));
}

/* The length of a vector of any magnitude: squares neither overflow nor underflow. Use vec_length where the magnitude
 * is known to be moderate. */
static inline double vec_length_safe(tact_vec3 a) { return vec_dot(vec_normalize(a), a); }

static inline double max_double(double a, double b) { return a > b ? a : b; }

/* Two unit vectors perpendicular to the unit vector n and to each other. */
static inline void vec_tangent_basis(tact_vec3 n, tact_vec3 *e, tact_vec3 *f)
{
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    tact_vec3 other = x <= y && x <= z ? vec_make(1.0, 0.0, 0.0)
                      : y <= z         ? vec_make(0.0, 1.0, 0.0)
                                       : vec_make(0.0, 0.0, 1.0);
    *e = vec_normalize(vec_cross(n, other));
    *f = vec_cross(n, *e);
}

/* The linear part of a transform applied to a local vector: (x X + y Y) + z Z. */
static inline tact_vec3 vec_transform(const tact_transform *m, tact_vec3 a)
{
    return vec_make(m->x_axis.x * a.x + m->y_axis.x * a.y + m->z_axis.x * a.z,
                    m->x_axis.y * a.x + m->y_axis.y * a.y + m->z_axis.y * a.z,
                    m->x_axis.z * a.x + m->y_axis.z * a.y + m->z_axis.z * a.z);
}

/* The transposed linear part applied to a world direction n: for every local v, n . (M v) = (M^T n) . v. */
static inline tact_vec3 vec_transform_transposed(const tact_transform *m, tact_vec3 n)
{
    return vec_make(vec_dot(m->x_axis, n), vec_dot(m->y_axis, n), vec_dot(m->z_axis, n));
}

#endif
