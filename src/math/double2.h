/* Two doubles at once, on SSE2 or what SIMDe makes of it elsewhere. Each operation is rounded as on its own. */
#ifndef TACT_MATH_DOUBLE2_H
#define TACT_MATH_DOUBLE2_H

#include <simde/x86/sse2.h>

typedef simde__m128d two;

static inline two two_of(double low, double high) { return simde_mm_set_pd(high, low); }
static inline two two_both(double a) { return simde_mm_set1_pd(a); }
static inline two two_lows(two a, two b) { return simde_mm_unpacklo_pd(a, b); }
static inline two two_highs(two a, two b) { return simde_mm_unpackhi_pd(a, b); }
static inline two two_add(two a, two b) { return simde_mm_add_pd(a, b); }
static inline two two_sub(two a, two b) { return simde_mm_sub_pd(a, b); }
static inline two two_mul(two a, two b) { return simde_mm_mul_pd(a, b); }
static inline two two_abs(two a) { return simde_mm_andnot_pd(two_both(-0.0), a); }
static inline double two_low(two a) { return simde_mm_cvtsd_f64(a); }
static inline double two_high(two a) { return simde_mm_cvtsd_f64(two_highs(a, a)); }
static inline double two_sum(two a) { return two_low(simde_mm_add_sd(a, two_highs(a, a))); }
static inline two two_reverse(two a) { return simde_mm_shuffle_pd(a, a, 1); }
static inline double two_rise(two a) { return two_low(simde_mm_sub_sd(two_highs(a, a), a)); } /* high - low */
static inline two two_clamp(two a) { return simde_mm_max_pd(simde_mm_min_pd(a, two_both(1.0)), two_both(-1.0)); }

static inline two two_choose(two mask, two yes, two no)
{
    return simde_mm_or_pd(simde_mm_and_pd(mask, yes), simde_mm_andnot_pd(mask, no));
}

/* Exchanges two numbers if the mask says so. */
static inline void two_swap(two mask, two *a, two *b)
{
    two change = simde_mm_and_pd(simde_mm_xor_pd(*a, *b), mask);
    *a = simde_mm_xor_pd(*a, change);
    *b = simde_mm_xor_pd(*b, change);
}

/* Exchanges low and high if the mask says so. */
static inline two two_exchange(two mask, two a)
{
    return simde_mm_xor_pd(a, simde_mm_and_pd(simde_mm_xor_pd(a, two_reverse(a)), mask));
}

#endif
