/* Vectors of two doubles: SSE2, or SIMDe's emulation elsewhere. Each lane is rounded like the scalar operation. */
#ifndef TACT_MATH_DOUBLE2_H
#define TACT_MATH_DOUBLE2_H

#include <simde/x86/sse2.h>

typedef simde__m128d double2;

static inline double2 double2_make(double low, double high) { return simde_mm_set_pd(high, low); }
static inline double2 double2_broadcast(double a) { return simde_mm_set1_pd(a); }
static inline double2 double2_unpack_low(double2 a, double2 b) { return simde_mm_unpacklo_pd(a, b); }
static inline double2 double2_unpack_high(double2 a, double2 b) { return simde_mm_unpackhi_pd(a, b); }
static inline double2 double2_add(double2 a, double2 b) { return simde_mm_add_pd(a, b); }
static inline double2 double2_sub(double2 a, double2 b) { return simde_mm_sub_pd(a, b); }
static inline double2 double2_mul(double2 a, double2 b) { return simde_mm_mul_pd(a, b); }
static inline double2 double2_abs(double2 a) { return simde_mm_andnot_pd(double2_broadcast(-0.0), a); }
static inline double double2_low(double2 a) { return simde_mm_cvtsd_f64(a); }
static inline double double2_high(double2 a) { return simde_mm_cvtsd_f64(double2_unpack_high(a, a)); }
static inline double double2_horizontal_add(double2 a)
{
    return double2_low(simde_mm_add_sd(a, double2_unpack_high(a, a)));
}
static inline double2 double2_reverse(double2 a) { return simde_mm_shuffle_pd(a, a, 1); }
static inline double double2_horizontal_sub(double2 a)
{
    return double2_low(simde_mm_sub_sd(double2_unpack_high(a, a), a));
} /* high - low */

/* clamped to [-1, 1] */
static inline double2 double2_clamp_unit(double2 a)
{
    return simde_mm_max_pd(simde_mm_min_pd(a, double2_broadcast(1.0)), double2_broadcast(-1.0));
}

/* The same for one number, without a branch. */
static inline double clamp_unit(double a) { return double2_low(double2_clamp_unit(simde_mm_set_sd(a))); }

static inline double2 double2_select(double2 mask, double2 yes, double2 no)
{
    return simde_mm_or_pd(simde_mm_and_pd(mask, yes), simde_mm_andnot_pd(mask, no));
}

/* Swaps a and b in the lanes where the mask is set. */
static inline void double2_swap_if(double2 mask, double2 *a, double2 *b)
{
    double2 change = simde_mm_and_pd(simde_mm_xor_pd(*a, *b), mask);
    *a = simde_mm_xor_pd(*a, change);
    *b = simde_mm_xor_pd(*b, change);
}

/* Swaps the low and the high lane if the mask is set (in both lanes). */
static inline double2 double2_reverse_if(double2 mask, double2 a)
{
    return simde_mm_xor_pd(a, simde_mm_and_pd(simde_mm_xor_pd(a, double2_reverse(a)), mask));
}

#endif
