/*
 * Outward rounding of doubles to box floats. See box.h for the rules.
 *
 * Cost: some 2 ns a bound. (A conversion in hardware with a comparison and a step would do as well in the default
 * floating-point environment, but not with subnormals flushed, when a value in between would be stepped over. For the
 * triangles of a mesh, see triangle_boxes.c.)
 */
#include "bounds/box.h"

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

float tact_float_round_up(double value) { return bound(value, true); }

float tact_float_round_down(double value) { return bound(value, false); }

box tact_box_of_points(const tact_vec3 *points, size_t count)
{
    /* every point is rounded by itself: a comparison of doubles would depend on the environment where they are
     * subnormal */
    box all = box_empty();
    for (size_t i = 0; i < count; ++i) {
        box one = box_of_point(points[i]);
        all = box_union(&all, &one);
    }
    return all;
}

/* A double that is at least a + b in any rounding mode, for a box float a and b >= FLT_MIN (or 0, infinite, NaN).
 * Neither argument nor result is subnormal, as all are multiples of 2^-178. The sum is off by at most 2^-52 of itself,
 * the step added to it by less than half of its 2^-50. */
static double sum_above(double a, double b)
{
    double sum = a + b;
    return b != 0.0 && fabs(sum) < INFINITY ? sum + fabs(sum) * 0x1p-50 : sum;
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
