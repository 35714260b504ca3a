/*
 * Vectors of pairs of doubles (math/dd.h): for the few places that need the normal of a sliver, its nearest point, or
 * a distance of a rounding unit. The coordinates must not exceed 1e100.
 */
#ifndef TACT_MATH_DD_VEC_H
#define TACT_MATH_DD_VEC_H

#include <tact/vec.h>

#include "math/dd.h"

typedef struct pair_vec {
    pair x, y, z;
} pair_vec;

static inline pair_vec pair_vec_of(tact_vec3 a) { return (pair_vec){pair_make(a.x), pair_make(a.y), pair_make(a.z)}; }

static inline pair_vec pair_vec_between(tact_vec3 from, tact_vec3 to)
{
    return (pair_vec){pair_sum(to.x, -from.x), pair_sum(to.y, -from.y), pair_sum(to.z, -from.z)};
}

static inline pair_vec pair_vec_add(pair_vec a, pair_vec b)
{
    return (pair_vec){pair_add(a.x, b.x), pair_add(a.y, b.y), pair_add(a.z, b.z)};
}

static inline pair_vec pair_vec_negate(pair_vec a)
{
    return (pair_vec){pair_negate(a.x), pair_negate(a.y), pair_negate(a.z)};
}

static inline pair_vec pair_vec_subtract(pair_vec a, pair_vec b) { return pair_vec_add(a, pair_vec_negate(b)); }

static inline pair_vec pair_vec_scale(pair_vec a, pair s)
{
    return (pair_vec){pair_multiply(a.x, s), pair_multiply(a.y, s), pair_multiply(a.z, s)};
}

static inline bool pair_vec_equal(pair_vec a, pair_vec b)
{
    return a.x.high == b.x.high && a.x.low == b.x.low && a.y.high == b.y.high && a.y.low == b.y.low &&
           a.z.high == b.z.high && a.z.low == b.z.low;
}

/* a b - c d */
static inline pair pair_minor(pair a, pair b, pair c, pair d)
{
    return pair_subtract(pair_multiply(a, b), pair_multiply(c, d));
}

static inline pair_vec pair_vec_cross(pair_vec a, pair_vec b)
{
    return (pair_vec){pair_minor(a.y, b.z, a.z, b.y), pair_minor(a.z, b.x, a.x, b.z), pair_minor(a.x, b.y, a.y, b.x)};
}

static inline pair pair_vec_dot(pair_vec a, pair_vec b)
{
    pair s = pair_add(pair_multiply(a.x, b.x), pair_multiply(a.y, b.y));
    return pair_add(s, pair_multiply(a.z, b.z));
}

/* a + s b */
static inline pair_vec pair_vec_along(pair_vec a, pair s, pair_vec b)
{
    return (pair_vec){pair_add(a.x, pair_multiply(s, b.x)), pair_add(a.y, pair_multiply(s, b.y)),
                      pair_add(a.z, pair_multiply(s, b.z))};
}

/* Of length 1 to the last bits, whatever the length; zero for zero. A power of two first, so that squares neither overflow nor vanish. */
static inline pair_vec pair_vec_unit(pair_vec a)
{
    double x = fabs(a.x.high), y = fabs(a.y.high), z = fabs(a.z.high), xy = x > y ? x : y, largest = xy > z ? xy : z;
    if (!(largest > 0.0) || !(largest < INFINITY))
        return pair_vec_of((tact_vec3){0.0, 0.0, 0.0});
    int exponent;
    (void)frexp(largest, &exponent);
    pair_vec near = {{ldexp(a.x.high, -exponent), ldexp(a.x.low, -exponent)},
                     {ldexp(a.y.high, -exponent), ldexp(a.y.low, -exponent)},
                     {ldexp(a.z.high, -exponent), ldexp(a.z.low, -exponent)}};
    pair inverse = pair_divide(pair_make(1.0), pair_square_root(pair_vec_dot(near, near)));
    return pair_vec_scale(near, inverse);
}

static inline tact_vec3 pair_vec_round(pair_vec a) { return (tact_vec3){a.x.high, a.y.high, a.z.high}; }

#endif
