/*
 * Vector arithmetic for tests that see only the public API. It is independent of src/math/vec.h: a mistake there must
 * not cancel out here. Tests of internals that include src/math/vec.h use that one; the names are the same.
 */
#ifndef TACT_TEST_VEC_H
#define TACT_TEST_VEC_H

#include <math.h>
#include <stdbool.h>
#include <tact/transform.h>
#include <tact/vec.h>

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

/* The largest absolute coordinate. */
static inline double vec_max_abs(tact_vec3 a) { return fmax(fmax(fabs(a.x), fabs(a.y)), fabs(a.z)); }

/* The length of any vector: squares neither overflow nor underflow. */
static inline double vec_length_safe(tact_vec3 a) { return hypot(hypot(a.x, a.y), a.z); }

static inline bool vec_finite(tact_vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

static inline bool vec_equal(tact_vec3 a, tact_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* The unit vector along `a`, whatever its length; zero for the zero vector. */
static inline tact_vec3 vec_normalize(tact_vec3 a)
{
    double largest = vec_max_abs(a);
    if (!(largest > 0.0))
        return vec_make(0.0, 0.0, 0.0);
    if (largest > 1e100 || largest < 1e-100) {
        int exponent;
        (void)frexp(largest, &exponent);
        a = vec_make(ldexp(a.x, -exponent), ldexp(a.y, -exponent), ldexp(a.z, -exponent));
    }
    return vec_scale(a, 1.0 / vec_length(a));
}

/* The linear part of a transform applied to a local vector. */
static inline tact_vec3 vec_transform(const tact_transform *m, tact_vec3 a)
{
    return vec_add(vec_add(vec_scale(m->x_axis, a.x), vec_scale(m->y_axis, a.y)), vec_scale(m->z_axis, a.z));
}

#endif
