/* A vector of three doubles in two registers, for loops over many of them. Each coordinate is rounded like the scalar
 * operation; the second lane of `z` is 0. */
#ifndef TACT_MATH_VEC_HALVES_H
#define TACT_MATH_VEC_HALVES_H

#include <tact/vec.h>

#include "math/double2.h"

typedef struct vec_halves {
    double2 xy, z;
} vec_halves;

static inline vec_halves vec_halves_load(const tact_vec3 *v)
{
    return (vec_halves){_mm_loadu_pd(&v->x), _mm_load_sd(&v->z)};
}

static inline void vec_halves_store(tact_vec3 *v, vec_halves a)
{
    _mm_storeu_pd(&v->x, a.xy);
    _mm_store_sd(&v->z, a.z);
}

static inline vec_halves vec_halves_zero(void) { return (vec_halves){double2_broadcast(0.0), double2_broadcast(0.0)}; }

static inline vec_halves vec_halves_add(vec_halves a, vec_halves b)
{
    return (vec_halves){double2_add(a.xy, b.xy), double2_add(a.z, b.z)};
}

static inline vec_halves vec_halves_sub(vec_halves a, vec_halves b)
{
    return (vec_halves){double2_sub(a.xy, b.xy), double2_sub(a.z, b.z)};
}

static inline vec_halves vec_halves_scale(vec_halves a, double s)
{
    const double2 factor = double2_broadcast(s);
    return (vec_halves){double2_mul(a.xy, factor), double2_mul(a.z, factor)};
}

static inline vec_halves vec_halves_abs(vec_halves a) { return (vec_halves){double2_abs(a.xy), double2_abs(a.z)}; }

/* The smaller and the larger one of each coordinate; b where they are equal. */
static inline vec_halves vec_halves_min(vec_halves a, vec_halves b)
{
    return (vec_halves){_mm_min_pd(a.xy, b.xy), _mm_min_pd(a.z, b.z)};
}

static inline vec_halves vec_halves_max(vec_halves a, vec_halves b)
{
    return (vec_halves){_mm_max_pd(a.xy, b.xy), _mm_max_pd(a.z, b.z)};
}

/* The largest coordinate of a vector whose coordinates are not negative. */
static inline double vec_halves_largest(vec_halves a)
{
    const double2 most = _mm_max_pd(a.xy, a.z), other = double2_unpack_high(a.xy, a.xy);
    return double2_low(_mm_max_pd(most, other));
}

#endif
