/* Vectors of eight floats: one AVX2 register, or two SSE2 registers (emulated by SIMDe on other machines). Each lane is
 * rounded like the scalar operation, so both forms give the same bits. (SIMDe's own 256-bit types on SSE2 go through
 * memory for many operations.) */
#ifndef TACT_MATH_FLOAT8_H
#define TACT_MATH_FLOAT8_H

#include <simde/x86/sse2.h>
#include <stdint.h>

#include "core/inline.h"

/* The low mantissa bits that float8_tag replaces by a lane index. */
#define FLOAT8_TAG_MASK 31

#if defined(__AVX2__)

#include <simde/x86/avx2.h>

typedef simde__m256 float8;

TACT_FORCE_INLINE float8 float8_broadcast(float a) { return simde_mm256_set1_ps(a); }
TACT_FORCE_INLINE float8 float8_load(const float *p) { return simde_mm256_loadu_ps(p); }
TACT_FORCE_INLINE float8 float8_add(float8 a, float8 b) { return simde_mm256_add_ps(a, b); }
TACT_FORCE_INLINE float8 float8_mul(float8 a, float8 b) { return simde_mm256_mul_ps(a, b); }

TACT_FORCE_INLINE float8 float8_max(float8 a, float8 b) { return simde_mm256_max_ps(a, b); }

/* The maximum per lane; either operand if both are negative. Compares as integers, which has one cycle less latency. */
TACT_FORCE_INLINE simde__m128 float4_max_tagged(simde__m128 a, simde__m128 b)
{
    return simde_mm_castsi128_ps(simde_mm_max_epi32(simde_mm_castps_si128(a), simde_mm_castps_si128(b)));
}

TACT_FORCE_INLINE float8 float8_max_tagged(float8 a, float8 b)
{
    return simde_mm256_castsi256_ps(simde_mm256_max_epi32(simde_mm256_castps_si256(a), simde_mm256_castps_si256(b)));
}

/* Replaces the low bits of each lane by its index, counted from `first`: a maximum then tells which lane it is from. */
TACT_FORCE_INLINE float8 float8_tag(float8 a, int first)
{
    simde__m256i index =
        simde_mm256_set_epi32(first + 7, first + 6, first + 5, first + 4, first + 3, first + 2, first + 1, first);
    simde__m256i keep = simde_mm256_set1_epi32(~FLOAT8_TAG_MASK);
    return simde_mm256_or_ps(simde_mm256_and_ps(a, simde_mm256_castsi256_ps(keep)), simde_mm256_castsi256_ps(index));
}

/* The tagged maximum of the low and the high half: its largest lane is the largest of the eight, unless all are
 * negative. */
TACT_FORCE_INLINE simde__m128 float8_max_halves_tagged(float8 a)
{
    return float4_max_tagged(simde_mm256_castps256_ps128(a), simde_mm256_extractf128_ps(a, 1));
}

/* A bit per lane: a < b. */
TACT_FORCE_INLINE uint32_t float8_movemask_less(float8 a, float8 b)
{
    return (uint32_t)simde_mm256_movemask_ps(simde_mm256_cmp_ps(a, b, SIMDE_CMP_LT_OS));
}

TACT_FORCE_INLINE float8 float8_combine(simde__m128 low, simde__m128 high)
{
    return simde_mm256_insertf128_ps(simde_mm256_castps128_ps256(low), high, 1);
}
TACT_FORCE_INLINE simde__m128 float8_low(float8 a) { return simde_mm256_castps256_ps128(a); }
TACT_FORCE_INLINE simde__m128 float8_high(float8 a) { return simde_mm256_extractf128_ps(a, 1); }
TACT_FORCE_INLINE float8 float8_swap_halves(float8 a) { return simde_mm256_permute2f128_ps(a, a, 1); }
TACT_FORCE_INLINE float8 float8_min(float8 a, float8 b) { return simde_mm256_min_ps(a, b); }
/* a / (a - b): the root of the linear function with the values a at 0 and b at 1 */
TACT_FORCE_INLINE float8 float8_linear_root(float8 a, float8 b)
{
    return simde_mm256_div_ps(a, simde_mm256_sub_ps(a, b));
}
/* a > 0 ? b : 0 */
TACT_FORCE_INLINE float8 float8_mask_positive(float8 a, float8 b)
{
    return simde_mm256_and_ps(simde_mm256_cmp_ps(a, simde_mm256_setzero_ps(), SIMDE_CMP_GT_OQ), b);
}
/* a > 0 ? b : c */
TACT_FORCE_INLINE float8 float8_select_positive(float8 a, float8 b, float8 c)
{
    return simde_mm256_blendv_ps(c, b, simde_mm256_cmp_ps(a, simde_mm256_setzero_ps(), SIMDE_CMP_GT_OQ));
}
/* a bit per lane: a > 0 */
TACT_FORCE_INLINE unsigned float8_movemask_positive(float8 a)
{
    return (unsigned)simde_mm256_movemask_ps(simde_mm256_cmp_ps(a, simde_mm256_setzero_ps(), SIMDE_CMP_GT_OQ));
}
/* the same permutation of the lanes in both halves; `order` is a constant (SIMDE_MM_SHUFFLE) */
#define FLOAT8_PERMUTE(a, order) simde_mm256_permute_ps(a, order)

#else

typedef struct float8 {
    simde__m128 low, high;
} float8;

TACT_FORCE_INLINE float8 float8_broadcast(float a)
{
    simde__m128 all = simde_mm_set1_ps(a);
    return (float8){all, all};
}

TACT_FORCE_INLINE float8 float8_load(const float *p)
{
    return (float8){simde_mm_loadu_ps(p), simde_mm_loadu_ps(p + 4)};
}

TACT_FORCE_INLINE float8 float8_add(float8 a, float8 b)
{
    return (float8){simde_mm_add_ps(a.low, b.low), simde_mm_add_ps(a.high, b.high)};
}

TACT_FORCE_INLINE float8 float8_mul(float8 a, float8 b)
{
    return (float8){simde_mm_mul_ps(a.low, b.low), simde_mm_mul_ps(a.high, b.high)};
}

TACT_FORCE_INLINE float8 float8_max(float8 a, float8 b)
{
    return (float8){simde_mm_max_ps(a.low, b.low), simde_mm_max_ps(a.high, b.high)};
}

TACT_FORCE_INLINE simde__m128 float4_max_tagged(simde__m128 a, simde__m128 b) { return simde_mm_max_ps(a, b); }
TACT_FORCE_INLINE float8 float8_max_tagged(float8 a, float8 b) { return float8_max(a, b); }

TACT_FORCE_INLINE simde__m128 float4_tag(simde__m128 a, int first)
{
    simde__m128i index = simde_mm_set_epi32(first + 3, first + 2, first + 1, first);
    simde__m128i keep = simde_mm_set1_epi32(~FLOAT8_TAG_MASK);
    return simde_mm_or_ps(simde_mm_and_ps(a, simde_mm_castsi128_ps(keep)), simde_mm_castsi128_ps(index));
}

TACT_FORCE_INLINE float8 float8_tag(float8 a, int first)
{
    return (float8){float4_tag(a.low, first), float4_tag(a.high, first + 4)};
}

TACT_FORCE_INLINE simde__m128 float8_max_halves_tagged(float8 a) { return simde_mm_max_ps(a.low, a.high); }

TACT_FORCE_INLINE uint32_t float8_movemask_less(float8 a, float8 b)
{
    return (uint32_t)simde_mm_movemask_ps(simde_mm_cmplt_ps(a.low, b.low)) |
           (uint32_t)simde_mm_movemask_ps(simde_mm_cmplt_ps(a.high, b.high)) << 4;
}

TACT_FORCE_INLINE float8 float8_combine(simde__m128 low, simde__m128 high) { return (float8){low, high}; }
TACT_FORCE_INLINE simde__m128 float8_low(float8 a) { return a.low; }
TACT_FORCE_INLINE simde__m128 float8_high(float8 a) { return a.high; }
TACT_FORCE_INLINE float8 float8_swap_halves(float8 a) { return (float8){a.high, a.low}; }
TACT_FORCE_INLINE float8 float8_min(float8 a, float8 b)
{
    return (float8){simde_mm_min_ps(a.low, b.low), simde_mm_min_ps(a.high, b.high)};
}
TACT_FORCE_INLINE float8 float8_linear_root(float8 a, float8 b)
{
    return (float8){simde_mm_div_ps(a.low, simde_mm_sub_ps(a.low, b.low)),
                    simde_mm_div_ps(a.high, simde_mm_sub_ps(a.high, b.high))};
}
TACT_FORCE_INLINE simde__m128 float4_greater_zero(simde__m128 a) { return simde_mm_cmpgt_ps(a, simde_mm_setzero_ps()); }
TACT_FORCE_INLINE float8 float8_mask_positive(float8 a, float8 b)
{
    return (float8){simde_mm_and_ps(float4_greater_zero(a.low), b.low),
                    simde_mm_and_ps(float4_greater_zero(a.high), b.high)};
}
TACT_FORCE_INLINE float8 float8_select_positive(float8 a, float8 b, float8 c)
{
    const simde__m128 low = float4_greater_zero(a.low), high = float4_greater_zero(a.high);
    return (float8){simde_mm_or_ps(simde_mm_and_ps(low, b.low), simde_mm_andnot_ps(low, c.low)),
                    simde_mm_or_ps(simde_mm_and_ps(high, b.high), simde_mm_andnot_ps(high, c.high))};
}
TACT_FORCE_INLINE unsigned float8_movemask_positive(float8 a)
{
    return (unsigned)simde_mm_movemask_ps(float4_greater_zero(a.low)) |
           (unsigned)simde_mm_movemask_ps(float4_greater_zero(a.high)) << 4;
}
#define FLOAT8_PERMUTE(a, order)                                                                                       \
    ((float8){simde_mm_shuffle_ps((a).low, (a).low, order), simde_mm_shuffle_ps((a).high, (a).high, order)})

#endif

#endif
