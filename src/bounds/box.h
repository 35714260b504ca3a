/*
 * Axis-aligned bounding boxes in floats, rounded outward: 24 bytes. A box always contains the points it was made from;
 * rounding may cost an additional test, never a contact.
 *
 * Rules:
 *  - A bound is a *box float*: a normal float, zero, or an infinity, never subnormal or NaN. Values closer to 0 than
 *    FLT_MIN round outward to 0 or +-FLT_MIN, so that flushing of subnormals cannot change a comparison.
 *  - tact_float_round_down(x) is the largest box float <= x, tact_float_round_up(x) the smallest one >= x.
 *  - Out of range: a value above FLT_MAX rounds down to FLT_MAX and up to infinity; a value below -FLT_MAX rounds down
 *    to -infinity and up to -FLT_MAX. NaN rounds down to -infinity and up to infinity.
 *  - Boxes are closed: touching is overlap. The empty box has min = infinity and max = -infinity on every axis. It
 *    overlaps no box that is bounded on some side, every box contains it, it contains only itself, and it is the
 *    neutral element of the union.
 * Rounding operates on bits and is independent of the rounding mode. (tact_boxes_of_triangles sets the mode that it
 * needs; its results are the same bits.) Every function here takes a few operations unless stated otherwise.
 */
#ifndef TACT_BOUNDS_BOX_H
#define TACT_BOUNDS_BOX_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <tact/vec.h>

typedef struct box {
    float min[3];
    float max[3];
} box;

/* The largest box float that is at most `value`. */
float tact_float_round_down(double value);

/* The smallest box float that is at least `value`. */
float tact_float_round_up(double value);

/* The smallest box around the points; the empty box for none. */
box tact_box_of_points(const tact_vec3 *points, size_t count);

/* The boxes of many triangles with the vertices points[triangles[i][0 .. 2]]. Some 4 ns each, and 12 ns per call. */
void tact_boxes_of_triangles(const tact_vec3 *points, const uint32_t (*triangles)[3], size_t count, box *boxes);

/* The box with every face moved outward by at least `margin` >= 0, and by at most two box floats more. A positive
 * margin below FLT_MIN counts as FLT_MIN. The empty box stays empty. */
box tact_box_expand(box b, double margin);

static inline box box_empty(void) { return (box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}; }

static inline bool box_is_empty(const box *b)
{
    return b->min[0] > b->max[0] || b->min[1] > b->max[1] || b->min[2] > b->max[2];
}

/* The smallest box around [min, max], min <= max. */
static inline box box_from_bounds(tact_vec3 min, tact_vec3 max)
{
    return (box){{tact_float_round_down(min.x), tact_float_round_down(min.y), tact_float_round_down(min.z)},
                 {tact_float_round_up(max.x), tact_float_round_up(max.y), tact_float_round_up(max.z)}};
}

/* The smallest box around a point. */
static inline box box_of_point(tact_vec3 point) { return box_from_bounds(point, point); }

/* The smallest box around both. */
static inline box box_union(const box *a, const box *b)
{
    box u;
    for (int i = 0; i < 3; ++i) {
        u.min[i] = a->min[i] < b->min[i] ? a->min[i] : b->min[i];
        u.max[i] = a->max[i] > b->max[i] ? a->max[i] : b->max[i];
    }
    return u;
}

/* Do they have a common point? Without branches: in a traversal the result is unpredictable. */
static inline bool box_overlap(const box *a, const box *b)
{
    return (a->min[0] <= b->max[0]) & (b->min[0] <= a->max[0]) & (a->min[1] <= b->max[1]) & (b->min[1] <= a->max[1]) &
           (a->min[2] <= b->max[2]) & (b->min[2] <= a->max[2]);
}

/* Does `outer` contain all of `inner`? */
static inline bool box_contains(const box *outer, const box *inner)
{
    return box_is_empty(inner) ||
           ((outer->min[0] <= inner->min[0]) & (inner->max[0] <= outer->max[0]) & (outer->min[1] <= inner->min[1]) &
            (inner->max[1] <= outer->max[1]) & (outer->min[2] <= inner->min[2]) & (inner->max[2] <= outer->max[2]));
}

#endif
