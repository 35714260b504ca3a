/*
 * Outward rounding of doubles to box floats. See box.h for the rules.
 *
 * Cost: some 2 ns a bound. (A conversion in hardware with a comparison and a step would do as well in the default
 * floating-point environment, but not with subnormals flushed, when a value in between would be stepped over. For
 * triangles we do that, when no coordinate is near there.)
 */
#include "bounds/box.h"

#include <simde/x86/sse2.h>

#include "core/inline.h"

#define DOUBLE_FRACTION 52
#define FLOAT_FRACTION 23
#define DROPPED (DOUBLE_FRACTION - FLOAT_FRACTION) /* bits of the fraction that a float has no room for */
#define REBIAS (1023 - 127)                        /* between the exponent fields of the two */

static inline uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Rounds |value|, given by its bits without the sign, to the bits of a box float: inward (towards zero) or outward. */
static uint32_t round_size(uint64_t size, bool outward)
{
    const uint64_t least = (uint64_t)(REBIAS + 1) << DOUBLE_FRACTION;    /* FLT_MIN as a double */
    const uint64_t beyond = (uint64_t)(REBIAS + 255) << DOUBLE_FRACTION; /* 2^128 as a double */
    const uint32_t infinite = UINT32_C(255) << FLOAT_FRACTION;
    if (size >= beyond)
        return outward ? infinite : infinite - 1; /* one below infinity is FLT_MAX */
    if (size < least)
        return outward && size != 0 ? UINT32_C(1) << FLOAT_FRACTION : 0;
    uint64_t moved = size - ((uint64_t)REBIAS << DOUBLE_FRACTION);
    uint64_t dropped = moved & ((UINT64_C(1) << DROPPED) - 1);
    /* the next float has the next bits, across powers of two and from FLT_MAX to infinity too */
    return (uint32_t)(moved >> DROPPED) + (outward && dropped != 0 ? 1u : 0u);
}

/* The nearest box float above (`up`) or below the value. Zeros come out positive. */
static inline float bound(double value, bool up)
{
    uint64_t bits = bits_of(value), size = bits & (UINT64_MAX >> 1);
    if (size > (uint64_t)0x7ff << DOUBLE_FRACTION)
        return up ? INFINITY : -INFINITY; /* NaN */
    bool positive = bits >> 63 == 0;
    uint32_t rounded = round_size(size, positive == up);
    return float_of(positive || rounded == 0 ? rounded : rounded | UINT32_C(1) << 31);
}

float tact_bound_above(double value) { return bound(value, true); }

float tact_bound_below(double value) { return bound(value, false); }

box tact_box_of_points(const tact_vec3 *points, size_t count)
{
    /* every point is rounded by itself: a comparison of doubles would depend on the environment where they are
     * subnormal */
    box all = box_empty();
    for (size_t i = 0; i < count; ++i) {
        box one = box_of_point(points[i]);
        all = box_unite(&all, &one);
    }
    return all;
}

/* Are all four 0, or of a size that floats have, not near the smallest and largest? By their bits, as numbers may be
 * flushed: by the exponents, and zeros by both words. The result is all ones in the lane of each for which it holds. */
TACT_HOT simde__m128i plain_sizes(simde__m128d x, simde__m128d y)
{
    const simde__m128 wx = simde_mm_castpd_ps(x), wy = simde_mm_castpd_ps(y);
    const simde__m128i low = simde_mm_castps_si128(simde_mm_shuffle_ps(wx, wy, SIMDE_MM_SHUFFLE(2, 0, 2, 0)));
    const simde__m128i high =
        simde_mm_and_si128(simde_mm_castps_si128(simde_mm_shuffle_ps(wx, wy, SIMDE_MM_SHUFFLE(3, 1, 3, 1))),
                           simde_mm_set1_epi32(INT32_MAX));
    const simde__m128i zero = simde_mm_cmpeq_epi32(simde_mm_or_si128(low, high), simde_mm_setzero_si128());
    const simde__m128i usual =
        simde_mm_and_si128(simde_mm_cmpgt_epi32(high, simde_mm_set1_epi32((1023 - 125) << 20)), /* 2^-125 */
                           simde_mm_cmplt_epi32(high, simde_mm_set1_epi32((1023 + 126) << 20)));
    return simde_mm_or_si128(usual, zero);
}

/* Four doubles of plain size to floats that are not above (up = 0) or not below (up = -1) them, in any rounding mode:
 * converted, compared, and where the conversion went the wrong way brought back by one in the bits. Zeros of both
 * signs become +0. */
TACT_HOT simde__m128 outward4(simde__m128d x, simde__m128d y, int up)
{
    const simde__m128 f = simde_mm_movelh_ps(simde_mm_cvtpd_ps(x), simde_mm_cvtpd_ps(y));
    const simde__m128d back_x = simde_mm_cvtps_pd(f), back_y = simde_mm_cvtps_pd(simde_mm_movehl_ps(f, f));
    const simde__m128d wrong_x = up ? simde_mm_cmplt_pd(back_x, x) : simde_mm_cmpgt_pd(back_x, x);
    const simde__m128d wrong_y = up ? simde_mm_cmplt_pd(back_y, y) : simde_mm_cmpgt_pd(back_y, y);
    const simde__m128i wrong = simde_mm_castps_si128(
        simde_mm_shuffle_ps(simde_mm_castpd_ps(wrong_x), simde_mm_castpd_ps(wrong_y), SIMDE_MM_SHUFFLE(2, 0, 2, 0)));
    const simde__m128i bits = simde_mm_castps_si128(f);
    /* away from 0: one more in the bits; towards 0: one less */
    simde__m128i step = simde_mm_or_si128(simde_mm_srai_epi32(bits, 31), simde_mm_set1_epi32(1));
    step = simde_mm_and_si128(step, wrong);
    const simde__m128i moved = up ? simde_mm_add_epi32(bits, step) : simde_mm_sub_epi32(bits, step);
    /* -0 + 0 is +0, but for rounding downward: so by the bits */
    const simde__m128i negative_zero = simde_mm_cmpeq_epi32(moved, simde_mm_set1_epi32(INT32_MIN));
    return simde_mm_castsi128_ps(simde_mm_andnot_si128(negative_zero, moved));
}

static inline simde__m128d load_xy(const tact_vec3 *p) { return simde_mm_setr_pd(p->x, p->y); }

TACT_COLD void set_plainly(box *out, const tact_vec3 *a, const tact_vec3 *b, const tact_vec3 *c)
{
    const tact_vec3 points[3] = {*a, *b, *c};
    *out = tact_box_of_points(points, 3);
}

TACT_HOT void set_to_triangle(box *out, const tact_vec3 *a, const tact_vec3 *b, const tact_vec3 *c)
{
    const simde__m128d a0 = load_xy(a), a1 = simde_mm_set1_pd(a->z), b0 = load_xy(b), b1 = simde_mm_set1_pd(b->z),
                       c0 = load_xy(c), c1 = simde_mm_set1_pd(c->z);
    const simde__m128i plain = simde_mm_and_si128(simde_mm_and_si128(plain_sizes(a0, b0), plain_sizes(c0, c1)),
                                                  plain_sizes(simde_mm_unpacklo_pd(a1, b1), c1));
    if (simde_mm_movemask_epi8(plain) != 0xffff) {
        set_plainly(out, a, b, c);
        return;
    }
    const simde__m128 min =
        outward4(simde_mm_min_pd(simde_mm_min_pd(a0, b0), c0), simde_mm_min_pd(simde_mm_min_pd(a1, b1), c1), 0);
    const simde__m128 max =
        outward4(simde_mm_max_pd(simde_mm_max_pd(a0, b0), c0), simde_mm_max_pd(simde_mm_max_pd(a1, b1), c1), -1);
    /* z of min, x of max; then y and z of max: three stores of two */
    float *bounds = (float *)(void *)out;
    simde_mm_storel_pi((simde__m64 *)(void *)bounds, min);
    const simde__m128 middle = simde_mm_shuffle_ps(min, max, SIMDE_MM_SHUFFLE(0, 0, 2, 2)); /* z z x x */
    simde_mm_storel_pi((simde__m64 *)(void *)(bounds + 2), simde_mm_shuffle_ps(middle, middle, 0x08));
    simde_mm_storel_pi((simde__m64 *)(void *)(bounds + 4), simde_mm_shuffle_ps(max, max, 0x09));
}

box tact_box_of_triangle(const tact_vec3 *a, const tact_vec3 *b, const tact_vec3 *c)
{
    box result;
    set_to_triangle(&result, a, b, c);
    return result;
}

void tact_boxes_of_triangles(const tact_vec3 *points, const uint32_t (*triangles)[3], size_t count, box *boxes)
{
    for (size_t i = 0; i < count; ++i)
        set_to_triangle(&boxes[i], &points[triangles[i][0]], &points[triangles[i][1]], &points[triangles[i][2]]);
}

/* A double that is at least a + b in any rounding mode, for a box float a and b >= FLT_MIN (or 0, infinite, NaN).
 * Neither argument nor result is subnormal, as all are multiples of 2^-178. The sum is off by at most 2^-52 of itself,
 * the step added to it by less than half of its 2^-50. */
static double sum_above(double a, double b)
{
    double sum = a + b;
    return b != 0.0 && fabs(sum) < INFINITY ? sum + fabs(sum) * 0x1p-50 : sum;
}

box tact_box_widen(box b, double margin)
{
    if (box_is_empty(&b))
        return b;
    uint64_t bits = bits_of(margin);
    if (bits << 1 != 0 && bits < bits_of((double)FLT_MIN))
        margin = (double)FLT_MIN;
    for (int i = 0; i < 3; ++i) {
        b.min[i] = tact_bound_below(-sum_above(-(double)b.min[i], margin));
        b.max[i] = tact_bound_above(sum_above((double)b.max[i], margin));
    }
    return b;
}
