/*
 * Axis-aligned boxes in floats, rounded outward: 24 bytes, never smaller than what they were made from. Rounding may
 * cost a test, never a contact.
 *
 * The rules:
 *  - A bound is a *box float*: a normal float, zero, or an infinity, never subnormal or NaN. Bounds closer to 0 than
 *    FLT_MIN round outward to 0 or +-FLT_MIN, so that no host setting that flushes subnormals can change a comparison.
 *  - Rounding is always to the nearest box float that is not inside: tact_float_round_down(x) is the largest box float
 * <= x, tact_float_round_up(x) the smallest one >= x.
 *  - Beyond the floats: above FLT_MAX the bound below is FLT_MAX and the bound above infinity; below -FLT_MAX they are
 *    -infinity and -FLT_MAX. A NaN gives the whole line: -infinity below, infinity above.
 *  - Boxes are closed: touching is overlap. An empty box has min = infinity and max = -infinity on every axis; it
 *    overlaps no box that is bounded on some side, contains nothing but the empty box, which every box contains, and
 *    uniting with it changes nothing.
 * Rounding is done on the bits: it depends on no rounding mode. (But for tact_boxes_of_triangles, which sets the mode
 * that it needs and gives the same bits.) All costs are constant, a few operations.
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

/* The same of many triangles, with corners points[triangles[i][0 .. 2]]. Some 4 ns each, and 12 for the call. */
void tact_boxes_of_triangles(const tact_vec3 *points, const uint32_t (*triangles)[3], size_t count, box *boxes);

/* The box with every face moved outward by at least `margin` >= 0, and by no more than two steps of box floats beyond
 * that (a margin below FLT_MIN, but not 0, counts as FLT_MIN); the empty box stays empty. */
box tact_box_expand(box b, double margin);

static inline box box_empty(void) { return (box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}; }

static inline bool box_is_empty(const box *b)
{
    return b->min[0] > b->max[0] || b->min[1] > b->max[1] || b->min[2] > b->max[2];
}

/* The smallest box around a box of doubles, min <= max. */
static inline box box_from_bounds(tact_vec3 min, tact_vec3 max)
{
    return (box){{tact_float_round_down(min.x), tact_float_round_down(min.y), tact_float_round_down(min.z)},
                 {tact_float_round_up(max.x), tact_float_round_up(max.y), tact_float_round_up(max.z)}};
}

/* The smallest box around a point. */
static inline box box_of_point(tact_vec3 point) { return box_from_bounds(point, point); }

/* The smallest box around two. */
static inline box box_union(const box *a, const box *b)
{
    box u;
    for (int i = 0; i < 3; ++i) {
        u.min[i] = a->min[i] < b->min[i] ? a->min[i] : b->min[i];
        u.max[i] = a->max[i] > b->max[i] ? a->max[i] : b->max[i];
    }
    return u;
}

/* Do they have a point in common? Without branches: in a traversal the answer is a coin toss. */
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

/* Does it contain the point, exactly? (A box float is <= x precisely when it is <= bound_below(x).) */
static inline bool box_contains_point(const box *b, tact_vec3 point)
{
    const box tight = box_of_point(point);
    return box_contains(b, &tight);
}

#endif
