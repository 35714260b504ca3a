/* Vectors of eight floats: one AVX2 register, or two SSE2 registers (emulated by SIMDe on other machines). Each lane is
 * rounded like the scalar operation, so both forms give the same bits. (SIMDe's own 256-bit types on SSE2 go through
 * memory for many operations.) */
#ifndef TACT_MATH_FLOAT8_H
#define TACT_MATH_FLOAT8_H

#include <stdint.h>

#include "core/inline.h"
#include "core/sse2.h"

/* The low mantissa bits that float8_tag replaces by a lane index. */
#define FLOAT8_TAG_MASK 31

#if defined(__AVX2__)

#include <immintrin.h>

typedef __m256 float8;

TACT_FORCE_INLINE float8 float8_broadcast(float a) { return _mm256_set1_ps(a); }
TACT_FORCE_INLINE float8 float8_load(const float *p) { return _mm256_loadu_ps(p); }
TACT_FORCE_INLINE float8 float8_add(float8 a, float8 b) { return _mm256_add_ps(a, b); }
TACT_FORCE_INLINE float8 float8_sub(float8 a, float8 b) { return _mm256_sub_ps(a, b); }
TACT_FORCE_INLINE float8 float8_mul(float8 a, float8 b) { return _mm256_mul_ps(a, b); }

TACT_FORCE_INLINE float8 float8_max(float8 a, float8 b) { return _mm256_max_ps(a, b); }

/* The maximum per lane; either operand if both are negative. Compares as integers, which has one cycle less latency. */
TACT_FORCE_INLINE __m128 float4_max_tagged(__m128 a, __m128 b)
{
    return _mm_castsi128_ps(_mm_max_epi32(_mm_castps_si128(a), _mm_castps_si128(b)));
}

TACT_FORCE_INLINE float8 float8_max_tagged(float8 a, float8 b)
{
    return _mm256_castsi256_ps(_mm256_max_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b)));
}

/* Replaces the low bits of each lane by its index, counted from `first`: a maximum then tells which lane it is from. */
TACT_FORCE_INLINE float8 float8_tag(float8 a, int first)
{
    __m256i index =
        _mm256_set_epi32(first + 7, first + 6, first + 5, first + 4, first + 3, first + 2, first + 1, first);
    __m256i keep = _mm256_set1_epi32(~FLOAT8_TAG_MASK);
    return _mm256_or_ps(_mm256_and_ps(a, _mm256_castsi256_ps(keep)), _mm256_castsi256_ps(index));
}

/* The tagged maximum of the low and the high half: its largest lane is the largest of the eight, unless all are
 * negative. */
TACT_FORCE_INLINE __m128 float8_max_halves_tagged(float8 a)
{
    return float4_max_tagged(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
}

/* A bit per lane: a < b. */
TACT_FORCE_INLINE uint32_t float8_movemask_less(float8 a, float8 b)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OS));
}

TACT_FORCE_INLINE float8 float8_combine(__m128 low, __m128 high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}
TACT_FORCE_INLINE __m128 float8_low(float8 a) { return _mm256_castps256_ps128(a); }
TACT_FORCE_INLINE __m128 float8_high(float8 a) { return _mm256_extractf128_ps(a, 1); }
TACT_FORCE_INLINE float8 float8_swap_halves(float8 a) { return _mm256_permute2f128_ps(a, a, 1); }
TACT_FORCE_INLINE float8 float8_min(float8 a, float8 b) { return _mm256_min_ps(a, b); }
/* a / (a - b): the root of the linear function with the values a at 0 and b at 1 */
TACT_FORCE_INLINE float8 float8_linear_root(float8 a, float8 b) { return _mm256_div_ps(a, _mm256_sub_ps(a, b)); }
/* a > 0 ? b : 0 */
TACT_FORCE_INLINE float8 float8_mask_positive(float8 a, float8 b)
{
    return _mm256_and_ps(_mm256_cmp_ps(a, _mm256_setzero_ps(), _CMP_GT_OQ), b);
}
/* a > 0 ? b : c */
TACT_FORCE_INLINE float8 float8_select_positive(float8 a, float8 b, float8 c)
{
    return _mm256_blendv_ps(c, b, _mm256_cmp_ps(a, _mm256_setzero_ps(), _CMP_GT_OQ));
}
/* a bit per lane: a > 0 */
TACT_FORCE_INLINE unsigned float8_movemask_positive(float8 a)
{
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, _mm256_setzero_ps(), _CMP_GT_OQ));
}
/* the same permutation of the lanes in both halves; `order` is a constant (_MM_SHUFFLE) */
#define FLOAT8_PERMUTE(a, order) _mm256_permute_ps(a, order)

/* Changes signs in both halves: where a lane of `signs` is -0. */
TACT_FORCE_INLINE float8 float8_flip(float8 a, __m128 signs) { return _mm256_xor_ps(a, _mm256_broadcast_ps(&signs)); }

TACT_FORCE_INLINE float8 float8_abs(float8 a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }

/* A bit per lane: a < b for four pairs. Bits 4 i to 4 i + 3 are the low half of pair i, 16 + 4 i to 16 + 4 i + 3 the
 * high one. */
TACT_FORCE_INLINE uint32_t float8_bits_less(float8 a0, float8 b0, float8 a1, float8 b1, float8 a2, float8 b2, float8 a3,
                                            float8 b3)
{
    const __m256i low = _mm256_packs_epi32(_mm256_castps_si256(_mm256_cmp_ps(a0, b0, _CMP_LT_OS)),
                                           _mm256_castps_si256(_mm256_cmp_ps(a1, b1, _CMP_LT_OS))),
                  high = _mm256_packs_epi32(_mm256_castps_si256(_mm256_cmp_ps(a2, b2, _CMP_LT_OS)),
                                            _mm256_castps_si256(_mm256_cmp_ps(a3, b3, _CMP_LT_OS)));
    return (uint32_t)_mm256_movemask_epi8(_mm256_packs_epi16(low, high));
}

/* Their sign bits, in this order. */
TACT_FORCE_INLINE uint32_t float8_sign_bits(float8 a0, float8 a1, float8 a2, float8 a3)
{
    const __m256i low = _mm256_packs_epi32(_mm256_castps_si256(a0), _mm256_castps_si256(a1)),
                  high = _mm256_packs_epi32(_mm256_castps_si256(a2), _mm256_castps_si256(a3));
    return (uint32_t)_mm256_movemask_epi8(_mm256_packs_epi16(low, high));
}

#else

typedef struct float8 {
    __m128 low, high;
} float8;

TACT_FORCE_INLINE float8 float8_broadcast(float a)
{
    __m128 all = _mm_set1_ps(a);
    return (float8){all, all};
}

TACT_FORCE_INLINE float8 float8_load(const float *p) { return (float8){_mm_loadu_ps(p), _mm_loadu_ps(p + 4)}; }

TACT_FORCE_INLINE float8 float8_add(float8 a, float8 b)
{
    return (float8){_mm_add_ps(a.low, b.low), _mm_add_ps(a.high, b.high)};
}

TACT_FORCE_INLINE float8 float8_sub(float8 a, float8 b)
{
    return (float8){_mm_sub_ps(a.low, b.low), _mm_sub_ps(a.high, b.high)};
}

TACT_FORCE_INLINE float8 float8_mul(float8 a, float8 b)
{
    return (float8){_mm_mul_ps(a.low, b.low), _mm_mul_ps(a.high, b.high)};
}

TACT_FORCE_INLINE float8 float8_max(float8 a, float8 b)
{
    return (float8){_mm_max_ps(a.low, b.low), _mm_max_ps(a.high, b.high)};
}

TACT_FORCE_INLINE __m128 float4_max_tagged(__m128 a, __m128 b) { return _mm_max_ps(a, b); }
TACT_FORCE_INLINE float8 float8_max_tagged(float8 a, float8 b) { return float8_max(a, b); }

TACT_FORCE_INLINE __m128 float4_tag(__m128 a, int first)
{
    __m128i index = _mm_set_epi32(first + 3, first + 2, first + 1, first);
    __m128i keep = _mm_set1_epi32(~FLOAT8_TAG_MASK);
    return _mm_or_ps(_mm_and_ps(a, _mm_castsi128_ps(keep)), _mm_castsi128_ps(index));
}

TACT_FORCE_INLINE float8 float8_tag(float8 a, int first)
{
    return (float8){float4_tag(a.low, first), float4_tag(a.high, first + 4)};
}

TACT_FORCE_INLINE __m128 float8_max_halves_tagged(float8 a) { return _mm_max_ps(a.low, a.high); }

TACT_FORCE_INLINE uint32_t float8_movemask_less(float8 a, float8 b)
{
    return (uint32_t)_mm_movemask_ps(_mm_cmplt_ps(a.low, b.low)) |
           (uint32_t)_mm_movemask_ps(_mm_cmplt_ps(a.high, b.high)) << 4;
}

TACT_FORCE_INLINE float8 float8_combine(__m128 low, __m128 high) { return (float8){low, high}; }
TACT_FORCE_INLINE __m128 float8_low(float8 a) { return a.low; }
TACT_FORCE_INLINE __m128 float8_high(float8 a) { return a.high; }
TACT_FORCE_INLINE float8 float8_swap_halves(float8 a) { return (float8){a.high, a.low}; }
TACT_FORCE_INLINE float8 float8_min(float8 a, float8 b)
{
    return (float8){_mm_min_ps(a.low, b.low), _mm_min_ps(a.high, b.high)};
}
TACT_FORCE_INLINE float8 float8_linear_root(float8 a, float8 b)
{
    return (float8){_mm_div_ps(a.low, _mm_sub_ps(a.low, b.low)), _mm_div_ps(a.high, _mm_sub_ps(a.high, b.high))};
}
TACT_FORCE_INLINE __m128 float4_greater_zero(__m128 a) { return _mm_cmpgt_ps(a, _mm_setzero_ps()); }
TACT_FORCE_INLINE float8 float8_mask_positive(float8 a, float8 b)
{
    return (float8){_mm_and_ps(float4_greater_zero(a.low), b.low), _mm_and_ps(float4_greater_zero(a.high), b.high)};
}
TACT_FORCE_INLINE float8 float8_select_positive(float8 a, float8 b, float8 c)
{
    const __m128 low = float4_greater_zero(a.low), high = float4_greater_zero(a.high);
    return (float8){_mm_or_ps(_mm_and_ps(low, b.low), _mm_andnot_ps(low, c.low)),
                    _mm_or_ps(_mm_and_ps(high, b.high), _mm_andnot_ps(high, c.high))};
}
TACT_FORCE_INLINE unsigned float8_movemask_positive(float8 a)
{
    return (unsigned)_mm_movemask_ps(float4_greater_zero(a.low)) |
           (unsigned)_mm_movemask_ps(float4_greater_zero(a.high)) << 4;
}
TACT_FORCE_INLINE float8 float8_flip(float8 a, __m128 signs)
{
    return (float8){_mm_xor_ps(a.low, signs), _mm_xor_ps(a.high, signs)};
}
TACT_FORCE_INLINE uint32_t float4_bits_less(__m128 a0, __m128 b0, __m128 a1, __m128 b1, __m128 a2, __m128 b2, __m128 a3,
                                            __m128 b3)
{
    const __m128i low = _mm_packs_epi32(_mm_castps_si128(_mm_cmplt_ps(a0, b0)), _mm_castps_si128(_mm_cmplt_ps(a1, b1))),
                  high =
                      _mm_packs_epi32(_mm_castps_si128(_mm_cmplt_ps(a2, b2)), _mm_castps_si128(_mm_cmplt_ps(a3, b3)));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
}
TACT_FORCE_INLINE float8 float8_abs(float8 a)
{
    const __m128 sign = _mm_set1_ps(-0.0f);
    return (float8){_mm_andnot_ps(sign, a.low), _mm_andnot_ps(sign, a.high)};
}
TACT_FORCE_INLINE uint32_t float4_sign_bits(__m128 a0, __m128 a1, __m128 a2, __m128 a3)
{
    const __m128i low = _mm_packs_epi32(_mm_castps_si128(a0), _mm_castps_si128(a1)),
                  high = _mm_packs_epi32(_mm_castps_si128(a2), _mm_castps_si128(a3));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
}
TACT_FORCE_INLINE uint32_t float8_sign_bits(float8 a0, float8 a1, float8 a2, float8 a3)
{
    return float4_sign_bits(a0.low, a1.low, a2.low, a3.low) | float4_sign_bits(a0.high, a1.high, a2.high, a3.high)
                                                                  << 16;
}
TACT_FORCE_INLINE uint32_t float8_bits_less(float8 a0, float8 b0, float8 a1, float8 b1, float8 a2, float8 b2, float8 a3,
                                            float8 b3)
{
    return float4_bits_less(a0.low, b0.low, a1.low, b1.low, a2.low, b2.low, a3.low, b3.low) |
           float4_bits_less(a0.high, b0.high, a1.high, b1.high, a2.high, b2.high, a3.high, b3.high) << 16;
}
#define FLOAT8_PERMUTE(a, order)                                                                                       \
    ((float8){_mm_shuffle_ps((a).low, (a).low, order), _mm_shuffle_ps((a).high, (a).high, order)})

#endif

#endif
