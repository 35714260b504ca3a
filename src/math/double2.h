/* Vectors of two doubles (core/sse2.h). Each lane is rounded like the scalar operation. */
#ifndef TACT_MATH_DOUBLE2_H
#define TACT_MATH_DOUBLE2_H

#include "core/sse2.h"

typedef __m128d double2;

static inline double2 double2_make(double low, double high) { return _mm_set_pd(high, low); }
static inline double2 double2_broadcast(double a) { return _mm_set1_pd(a); }
static inline double2 double2_unpack_low(double2 a, double2 b) { return _mm_unpacklo_pd(a, b); }
static inline double2 double2_unpack_high(double2 a, double2 b) { return _mm_unpackhi_pd(a, b); }
static inline double2 double2_add(double2 a, double2 b) { return _mm_add_pd(a, b); }
static inline double2 double2_sub(double2 a, double2 b) { return _mm_sub_pd(a, b); }
static inline double2 double2_mul(double2 a, double2 b) { return _mm_mul_pd(a, b); }
static inline double2 double2_abs(double2 a) { return _mm_andnot_pd(double2_broadcast(-0.0), a); }
static inline double double2_low(double2 a) { return _mm_cvtsd_f64(a); }
static inline double double2_high(double2 a) { return _mm_cvtsd_f64(double2_unpack_high(a, a)); }
static inline double double2_horizontal_add(double2 a) { return double2_low(_mm_add_sd(a, double2_unpack_high(a, a))); }
static inline double2 double2_reverse(double2 a) { return _mm_shuffle_pd(a, a, 1); }
static inline double double2_horizontal_sub(double2 a)
{
    return double2_low(_mm_sub_sd(double2_unpack_high(a, a), a));
} /* high - low */

/* clamped to [-1, 1] */
static inline double2 double2_clamp_unit(double2 a)
{
    return _mm_max_pd(_mm_min_pd(a, double2_broadcast(1.0)), double2_broadcast(-1.0));
}

/* The same for one number, without a branch. */
static inline double clamp_unit(double a) { return double2_low(double2_clamp_unit(_mm_set_sd(a))); }

static inline double2 double2_select(double2 mask, double2 yes, double2 no)
{
    return _mm_or_pd(_mm_and_pd(mask, yes), _mm_andnot_pd(mask, no));
}

/* Swaps a and b in the lanes where the mask is set. */
static inline void double2_swap_if(double2 mask, double2 *a, double2 *b)
{
    double2 change = _mm_and_pd(_mm_xor_pd(*a, *b), mask);
    *a = _mm_xor_pd(*a, change);
    *b = _mm_xor_pd(*b, change);
}

/* Swaps the low and the high lane if the mask is set (in both lanes). */
static inline double2 double2_reverse_if(double2 mask, double2 a)
{
    return _mm_xor_pd(a, _mm_and_pd(_mm_xor_pd(a, double2_reverse(a)), mask));
}

#endif
