/*
 * Eight floats at once, in two halves of four, for moving.h: one register of AVX where the file is compiled for it (core/avx2.h), else two
 * of SSE2. The same operations on the same numbers either way.
 */
#ifndef TACT_BOUNDS_MOVING_LANES_H
#define TACT_BOUNDS_MOVING_LANES_H

#include <simde/x86/sse2.h>

#include "core/inline.h"

#if defined(__AVX__)
#include <simde/x86/avx.h>

typedef simde__m256 lanes8;

TACT_HOT lanes8 lanes8_load(const float *f) { return simde_mm256_loadu_ps(f); }
TACT_HOT lanes8 lanes8_all(float f) { return simde_mm256_set1_ps(f); }
TACT_HOT lanes8 lanes8_of_halves(simde__m128 low, simde__m128 high)
{
    return simde_mm256_insertf128_ps(simde_mm256_castps128_ps256(low), high, 1);
}
TACT_HOT simde__m128 lanes8_low(lanes8 a) { return simde_mm256_castps256_ps128(a); }
TACT_HOT simde__m128 lanes8_high(lanes8 a) { return simde_mm256_extractf128_ps(a, 1); }
TACT_HOT lanes8 lanes8_swap(lanes8 a) { return simde_mm256_permute2f128_ps(a, a, 1); }
TACT_HOT lanes8 lanes8_add(lanes8 a, lanes8 b) { return simde_mm256_add_ps(a, b); }
TACT_HOT lanes8 lanes8_min(lanes8 a, lanes8 b) { return simde_mm256_min_ps(a, b); }
TACT_HOT lanes8 lanes8_max(lanes8 a, lanes8 b) { return simde_mm256_max_ps(a, b); }
/* a / (a - b) */
TACT_HOT lanes8 lanes8_zero(lanes8 a, lanes8 b) { return simde_mm256_div_ps(a, simde_mm256_sub_ps(a, b)); }
/* where a > 0: b, elsewhere 0; elsewhere c */
TACT_HOT lanes8 lanes8_if_positive(lanes8 a, lanes8 b)
{
    return simde_mm256_and_ps(simde_mm256_cmp_ps(a, simde_mm256_setzero_ps(), SIMDE_CMP_GT_OQ), b);
}
TACT_HOT lanes8 lanes8_choose_positive(lanes8 a, lanes8 b, lanes8 c)
{
    return simde_mm256_blendv_ps(c, b, simde_mm256_cmp_ps(a, simde_mm256_setzero_ps(), SIMDE_CMP_GT_OQ));
}
/* which are positive: a bit a lane */
TACT_HOT unsigned lanes8_positive(lanes8 a)
{
    return (unsigned)simde_mm256_movemask_ps(simde_mm256_cmp_ps(a, simde_mm256_setzero_ps(), SIMDE_CMP_GT_OQ));
}
/* both halves turned alike; `turn` is a constant */
#define LANES8_TURN(a, turn) simde_mm256_permute_ps(a, turn)

#else

typedef struct lanes8 {
    simde__m128 low, high;
} lanes8;

TACT_HOT lanes8 lanes8_load(const float *f) { return (lanes8){simde_mm_loadu_ps(f), simde_mm_loadu_ps(f + 4)}; }
TACT_HOT lanes8 lanes8_all(float f) { return (lanes8){simde_mm_set1_ps(f), simde_mm_set1_ps(f)}; }
TACT_HOT lanes8 lanes8_of_halves(simde__m128 low, simde__m128 high) { return (lanes8){low, high}; }
TACT_HOT simde__m128 lanes8_low(lanes8 a) { return a.low; }
TACT_HOT simde__m128 lanes8_high(lanes8 a) { return a.high; }
TACT_HOT lanes8 lanes8_swap(lanes8 a) { return (lanes8){a.high, a.low}; }
TACT_HOT lanes8 lanes8_add(lanes8 a, lanes8 b)
{
    return (lanes8){simde_mm_add_ps(a.low, b.low), simde_mm_add_ps(a.high, b.high)};
}
TACT_HOT lanes8 lanes8_min(lanes8 a, lanes8 b)
{
    return (lanes8){simde_mm_min_ps(a.low, b.low), simde_mm_min_ps(a.high, b.high)};
}
TACT_HOT lanes8 lanes8_max(lanes8 a, lanes8 b)
{
    return (lanes8){simde_mm_max_ps(a.low, b.low), simde_mm_max_ps(a.high, b.high)};
}
TACT_HOT lanes8 lanes8_zero(lanes8 a, lanes8 b)
{
    return (lanes8){simde_mm_div_ps(a.low, simde_mm_sub_ps(a.low, b.low)),
                    simde_mm_div_ps(a.high, simde_mm_sub_ps(a.high, b.high))};
}
TACT_HOT simde__m128 lanes8_half_positive(simde__m128 a) { return simde_mm_cmpgt_ps(a, simde_mm_setzero_ps()); }
TACT_HOT lanes8 lanes8_if_positive(lanes8 a, lanes8 b)
{
    return (lanes8){simde_mm_and_ps(lanes8_half_positive(a.low), b.low),
                    simde_mm_and_ps(lanes8_half_positive(a.high), b.high)};
}
TACT_HOT lanes8 lanes8_choose_positive(lanes8 a, lanes8 b, lanes8 c)
{
    const simde__m128 low = lanes8_half_positive(a.low), high = lanes8_half_positive(a.high);
    return (lanes8){simde_mm_or_ps(simde_mm_and_ps(low, b.low), simde_mm_andnot_ps(low, c.low)),
                    simde_mm_or_ps(simde_mm_and_ps(high, b.high), simde_mm_andnot_ps(high, c.high))};
}
TACT_HOT unsigned lanes8_positive(lanes8 a)
{
    return (unsigned)simde_mm_movemask_ps(lanes8_half_positive(a.low)) |
           (unsigned)simde_mm_movemask_ps(lanes8_half_positive(a.high)) << 4;
}
#define LANES8_TURN(a, turn)                                                                                           \
    ((lanes8){simde_mm_shuffle_ps((a).low, (a).low, turn), simde_mm_shuffle_ps((a).high, (a).high, turn)})

#endif

#endif
