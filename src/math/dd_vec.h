/*
 * Vectors of double-doubles (math/dd.h), for the normal and closest point of a sliver triangle and for distances near
 * the roundoff of doubles. Coordinates must not exceed 1e100 in magnitude.
 */
#ifndef TACT_MATH_DD_VEC_H
#define TACT_MATH_DD_VEC_H

#include <tact/vec.h>

#include "math/dd.h"

typedef struct dd_vec {
    dd x, y, z;
} dd_vec;

static inline dd_vec dd_vec_make(tact_vec3 a) { return (dd_vec){dd_make(a.x), dd_make(a.y), dd_make(a.z)}; }

/* to - from, exactly */
static inline dd_vec dd_vec_difference(tact_vec3 from, tact_vec3 to)
{
    return (dd_vec){dd_two_sum(to.x, -from.x), dd_two_sum(to.y, -from.y), dd_two_sum(to.z, -from.z)};
}

static inline dd_vec dd_vec_add(dd_vec a, dd_vec b)
{
    return (dd_vec){dd_add(a.x, b.x), dd_add(a.y, b.y), dd_add(a.z, b.z)};
}

static inline dd_vec dd_vec_negate(dd_vec a) { return (dd_vec){dd_negate(a.x), dd_negate(a.y), dd_negate(a.z)}; }

static inline dd_vec dd_vec_sub(dd_vec a, dd_vec b) { return dd_vec_add(a, dd_vec_negate(b)); }

static inline dd_vec dd_vec_scale(dd_vec a, dd s) { return (dd_vec){dd_mul(a.x, s), dd_mul(a.y, s), dd_mul(a.z, s)}; }

static inline bool dd_vec_equal(dd_vec a, dd_vec b)
{
    return a.x.high == b.x.high && a.x.low == b.x.low && a.y.high == b.y.high && a.y.low == b.y.low &&
           a.z.high == b.z.high && a.z.low == b.z.low;
}

/* a b - c d */
static inline dd dd_minor(dd a, dd b, dd c, dd d) { return dd_sub(dd_mul(a, b), dd_mul(c, d)); }

static inline dd_vec dd_vec_cross(dd_vec a, dd_vec b)
{
    return (dd_vec){dd_minor(a.y, b.z, a.z, b.y), dd_minor(a.z, b.x, a.x, b.z), dd_minor(a.x, b.y, a.y, b.x)};
}

static inline dd dd_vec_dot(dd_vec a, dd_vec b)
{
    dd s = dd_add(dd_mul(a.x, b.x), dd_mul(a.y, b.y));
    return dd_add(s, dd_mul(a.z, b.z));
}

/* a + s b */
static inline dd_vec dd_vec_mul_add(dd_vec a, dd s, dd_vec b)
{
    return (dd_vec){dd_add(a.x, dd_mul(s, b.x)), dd_add(a.y, dd_mul(s, b.y)), dd_add(a.z, dd_mul(s, b.z))};
}

/* The unit vector along `a`, to a few units of 2^-104, whatever its length. Zero for the zero vector. Scales by a power
 * of two first, so that squares neither overflow nor underflow. */
static inline dd_vec dd_vec_normalize(dd_vec a)
{
    double x = fabs(a.x.high), y = fabs(a.y.high), z = fabs(a.z.high), xy = x > y ? x : y, largest = xy > z ? xy : z;
    if (!(largest > 0.0) || !(largest < INFINITY))
        return dd_vec_make((tact_vec3){0.0, 0.0, 0.0});
    int exponent;
    (void)frexp(largest, &exponent);
    dd_vec scaled = {{ldexp(a.x.high, -exponent), ldexp(a.x.low, -exponent)},
                     {ldexp(a.y.high, -exponent), ldexp(a.y.low, -exponent)},
                     {ldexp(a.z.high, -exponent), ldexp(a.z.low, -exponent)}};
    dd inverse = dd_div(dd_make(1.0), dd_sqrt(dd_vec_dot(scaled, scaled)));
    return dd_vec_scale(scaled, inverse);
}

static inline tact_vec3 dd_vec_to_vec3(dd_vec a) { return (tact_vec3){a.x.high, a.y.high, a.z.high}; }

#endif
