/*
 * Outward rounding of doubles to box floats. See box.h for the rules.
 *
 * Cost: some 2 ns per bound. (A hardware conversion followed by a comparison and a step to the next float is correct in
 * the default floating-point environment, but not with subnormals flushed. For the triangles of a mesh see
 * triangle_boxes.c.)
 */
#include "bounds/box.h"

#define DOUBLE_FRACTION 52
#define FLOAT_FRACTION 23
#define DROPPED (DOUBLE_FRACTION - FLOAT_FRACTION) /* bits of the fraction of a double that a float lacks */
#define REBIAS (1023 - 127)                        /* difference of the exponent biases */

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

/* Rounds |value|, given by its bits without the sign, to the bits of a box float: towards zero or away from zero. */
static uint32_t round_magnitude(uint64_t magnitude, bool away)
{
    const uint64_t min_normal = (uint64_t)(REBIAS + 1) << DOUBLE_FRACTION; /* FLT_MIN as a double */
    const uint64_t overflow = (uint64_t)(REBIAS + 255) << DOUBLE_FRACTION; /* 2^128 as a double */
    const uint32_t infinite = UINT32_C(255) << FLOAT_FRACTION;
    if (magnitude >= overflow)
        return away ? infinite : infinite - 1; /* one below infinity is FLT_MAX */
    if (magnitude < min_normal)
        return away && magnitude != 0 ? UINT32_C(1) << FLOAT_FRACTION : 0;
    uint64_t rebiased = magnitude - ((uint64_t)REBIAS << DOUBLE_FRACTION);
    uint64_t dropped = rebiased & ((UINT64_C(1) << DROPPED) - 1);
    /* incrementing the bits gives the next float, also across powers of two and from FLT_MAX to infinity */
    return (uint32_t)(rebiased >> DROPPED) + (away && dropped != 0 ? 1u : 0u);
}

/* The nearest box float that is not below (`up`) or not above the value. Zeros become +0. */
static inline float round_to_box_float(double value, bool up)
{
    uint64_t bits = bits_of(value), magnitude = bits & (UINT64_MAX >> 1);
    if (magnitude > (uint64_t)0x7ff << DOUBLE_FRACTION)
        return up ? INFINITY : -INFINITY; /* NaN */
    bool positive = bits >> 63 == 0;
    uint32_t rounded = round_magnitude(magnitude, positive == up);
    return float_of(positive || rounded == 0 ? rounded : rounded | UINT32_C(1) << 31);
}

/* A double that is at least a + b in any rounding mode, for a box float a and b >= FLT_MIN (or 0, infinite, NaN).
 * Neither arguments nor result are subnormal, as all are multiples of 2^-178. The relative error of the sum is at most
 * 2^-52; the added 2^-50 of it exceeds that and its own rounding error. */
static double sum_above(double a, double b)
{
    double sum = a + b;
    return b != 0.0 && fabs(sum) < INFINITY ? sum + fabs(sum) * 0x1p-50 : sum;
}

float tact_float_round_up(double value) { return round_to_box_float(value, true); }

float tact_float_round_down(double value) { return round_to_box_float(value, false); }

box tact_box_of_points(const tact_vec3 *points, size_t count)
{
    /* round before comparing: comparisons of subnormal doubles depend on the floating-point environment */
    box all = box_empty();
    for (size_t i = 0; i < count; ++i) {
        box one = box_of_point(points[i]);
        all = box_union(&all, &one);
    }
    return all;
}

box tact_box_expand(box b, double margin)
{
    if (box_is_empty(&b))
        return b;
    uint64_t bits = bits_of(margin);
    if (bits << 1 != 0 && bits < bits_of((double)FLT_MIN))
        margin = (double)FLT_MIN;
    for (int i = 0; i < 3; ++i) {
        b.min[i] = tact_float_round_down(-sum_above(-(double)b.min[i], margin));
        b.max[i] = tact_float_round_up(sum_above((double)b.max[i], margin));
    }
    return b;
}
