/*
 * Moving bounds: k-DOPs that move linearly in time, and the window of time in which two of them can overlap.
 *
 * Definition. A k-DOP bounds a set of points by an interval [low, high] along each of k/2 fixed directions; with the
 * three coordinate axes it is an AABB. A moving bound is a pair of k-DOPs, one at t = 0 and one at t = 1. At a time t
 * in between, each extent is the linear interpolation of its two values.
 *
 * Why it contains its points at every instant. Let the points move linearly, p_i(t) = (1-t) p_i(0) + t p_i(1). Along a
 * direction d the upper extent max_i d.p_i(t) is a maximum of linear functions of t, hence convex, and lies below the
 * chord through its values at t = 0 and t = 1. The lower extent is concave and lies above its chord. So:
 *  - The moving bound of a set of points is found from the two end positions alone.
 *  - The union of moving bounds is the union at each end: a parent contains its children at every instant, and a refit
 *    is two ordinary refits.
 *
 * Non-linear motion. If the second derivative of the motion along d is at most K on a piece of length h, the motion
 * deviates from its chord by at most K h^2 / 8. Expanding both ends by that keeps the bound valid: K = |a.d| for a
 * constant acceleration a, K = w^2 r for a rotation with angular speed w at radius r. The points here move linearly;
 * the traversals of rigid bodies (bounds/sat4_moving.h) use the same rule as their `deviation`.
 *
 * Overlap window. Along a direction two bounds are separated while the gap low(a) - high(b), or low(b) - high(a), is
 * positive. A gap is linear in t, so it is positive on an interval that contains t = 0, or t = 1, or both, or is empty.
 * What remains is one window of time per direction; two bounds can overlap only in the intersection [enter, exit] of
 * the windows of all directions. It costs two sums per direction and end, and a division where the signs of the end
 * values differ. A traversal carries the window down the trees and narrows it; the exact test searches only inside it.
 *
 * Rounding:
 *  - Coordinates are floats in the *moving frame* of a scene, (x - origin) scale, where scale is a power of two such
 *    that they are within +-1. So neither distance from the world's origin nor the unit of length costs accuracy, and
 *    nothing overflows or is subnormal.
 *  - A coordinate along a direction is computed in doubles, to 2^-50, and rounded to a float, with relative error
 *    2^-24. Points are expanded by MOVING_RELATIVE_SLACK of the coordinate and by the margin of the frame, which is
 *    more. So a bound contains the true points. Unions do not round.
 *  - Upper extents are stored negated. Then both sides are lower bounds, a union is a minimum, and a gap is a sum.
 *  - *Whether* a gap is positive at an end is exact: a sum of two floats has the correct sign. *When* it vanishes,
 *    gap0 / (gap0 - gap1), has relative error 4.1 x 2^-24: each gap has 2^-24, their signs differ, so there is no
 *    cancellation, then one sum and one division. Windows are widened by MOVING_TIME_SLACK, 2^-21. Sums and quotients
 *    are multiples of 2^-80 or larger: nothing underflows.
 *  - All of this needs round-to-nearest: call it in the default floating-point environment (math/fp_environment.h).
 *
 * Moving bounds replace three structures of the literature: the swept volumes of Hutter and Fuhrmann (2007), the
 * kinetic bounds of Coming and Staadt (2006) and the kinetic AABB tree of Weller and Zachmann (2006).
 */
#ifndef TACT_BOUNDS_MOVING_BOUND_H
#define TACT_BOUNDS_MOVING_BOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/vec.h>

#include "bounds/bounds_constants.h"
#include "core/inline.h"
#include "math/float8.h"

/* Number of directions, k/2: 3 (boxes), 7 (and the cube diagonals: a 14-DOP), 9 (and the face diagonals instead: an
 * 18-DOP) or 13 (and both: a 26-DOP). Performance only. */
#ifndef MOVING_DIRECTIONS
#define MOVING_DIRECTIONS 7
#endif

/* Vectors of four directions; unused lanes are 0. */
#define MOVING_GROUPS ((MOVING_DIRECTIONS + 3) / 4)

#define MOVING_WIDTH 4

/* The directions: -1, 0 or 1 times each coordinate axis; not normalised. */
extern const signed char tact_moving_direction[4 * MOVING_GROUPS][3];

/* The frame of the float coordinates, and the margin of bounds around their points. */
typedef struct moving_frame {
    double scale;                    /* a power of two */
    double origin[3];                /* times scale */
    float margin[4 * MOVING_GROUPS]; /* per direction: absolute rounding slack plus half the thickness */
} moving_frame;

/* The bound of a moving point, expanded by slack and margin. [end][group]: the lower extents along four directions,
 * then the negated upper ones. */
typedef struct moving_point {
    float extent[2][MOVING_GROUPS][8];
} moving_point;

/* Four bounds in structure-of-arrays form. [direction][end]: the lower extents of the four, then the negated upper
 * ones. A direction fills a cache line. */
typedef struct moving_bound4 {
    float extent[MOVING_DIRECTIONS][2][2][MOVING_WIDTH];
} moving_bound4;

/* One bound. [end][group]: lower extents along four directions in the low half, negated upper ones in the high half. */
typedef struct moving_bound {
    float8 extent[2][MOVING_GROUPS];
} moving_bound;

/* The frame for points that move from `start` to `end`, and items that touch when their distance is at most
 * `thickness`. The points must be finite, the thickness not negative. */
moving_frame tact_moving_frame_make(const tact_vec3 *start, const tact_vec3 *end, size_t count, double thickness);

/* Are the coordinates of the point within MOVING_MAX_COORDINATE, so that the rounding bounds hold? */
bool tact_moving_frame_contains(const moving_frame *frame, tact_vec3 point);

/* Sets the bound of a point that moves from `start` to `end`; the frame must contain both. */
void tact_moving_point_set(moving_point *point, const moving_frame *frame, tact_vec3 start, tact_vec3 end);

/* Replaces the moving bound by the swept one: the union of both ends, at both ends. */
void tact_moving_point_set_swept(moving_point *point);

/* Windows of time in which pairs of bounds can overlap, one per lane. */
typedef struct moving_window {
    float8 enter, exit;
} moving_window;

/* Maps a mask of the pairs in rotation r, bit j for lane (j + r) % 4 of a against lane j of b, to bits 4 i + j for
 * lane i of a and lane j of b. */
#define MOVING_PAIR_BIT(r, j, m) ((m) >> (j)&1 ? 1u << (4 * (((j) + (r)) % 4) + (j)) : 0u)
#define MOVING_PAIR_BITS(r, m)                                                                                         \
    (uint16_t)(MOVING_PAIR_BIT(r, 0, m) | MOVING_PAIR_BIT(r, 1, m) | MOVING_PAIR_BIT(r, 2, m) |                        \
               MOVING_PAIR_BIT(r, 3, m))
#define MOVING_PAIR_BITS_TABLE(r)                                                                                      \
    {                                                                                                                  \
        MOVING_PAIR_BITS(r, 0), MOVING_PAIR_BITS(r, 1), MOVING_PAIR_BITS(r, 2), MOVING_PAIR_BITS(r, 3),                \
            MOVING_PAIR_BITS(r, 4), MOVING_PAIR_BITS(r, 5), MOVING_PAIR_BITS(r, 6), MOVING_PAIR_BITS(r, 7),            \
            MOVING_PAIR_BITS(r, 8), MOVING_PAIR_BITS(r, 9), MOVING_PAIR_BITS(r, 10), MOVING_PAIR_BITS(r, 11),          \
            MOVING_PAIR_BITS(r, 12), MOVING_PAIR_BITS(r, 13), MOVING_PAIR_BITS(r, 14), MOVING_PAIR_BITS(r, 15)         \
    }
static const uint16_t moving_pair_bits[4][16] = {MOVING_PAIR_BITS_TABLE(0), MOVING_PAIR_BITS_TABLE(1),
                                                 MOVING_PAIR_BITS_TABLE(2), MOVING_PAIR_BITS_TABLE(3)};

static inline moving_window moving_window_full(void)
{
    return (moving_window){float8_broadcast(0.0f), float8_broadcast(2.0f)};
}

/* Clips the windows to the times at which a gap, g0 at t = 0 and g1 at t = 1, is not positive. Lanes in which both are
 * positive give no valid window; the caller has excluded them. */
TACT_FORCE_INLINE void moving_window_clip(moving_window *w, float8 g0, float8 g1)
{
    const float8 root = float8_linear_root(g0, g1); /* used only where the signs differ */
    w->enter = float8_max(w->enter, float8_mask_positive(g0, root));
    w->exit = float8_min(w->exit, float8_select_positive(g1, root, float8_broadcast(2.0f)));
}

/* The bounds of one, two and three points: a vertex, an edge, a triangle. */
TACT_FORCE_INLINE moving_bound moving_bound_of_point(const moving_point *a)
{
    moving_bound b;
    for (int end = 0; end < 2; ++end)
        for (int g = 0; g < MOVING_GROUPS; ++g)
            b.extent[end][g] = float8_load(a->extent[end][g]);
    return b;
}

TACT_FORCE_INLINE moving_bound moving_bound_of_edge(const moving_point *a, const moving_point *b)
{
    moving_bound u;
    for (int end = 0; end < 2; ++end)
        for (int g = 0; g < MOVING_GROUPS; ++g)
            u.extent[end][g] = float8_min(float8_load(a->extent[end][g]), float8_load(b->extent[end][g]));
    return u;
}

TACT_FORCE_INLINE moving_bound moving_bound_of_triangle(const moving_point *a, const moving_point *b,
                                                        const moving_point *c)
{
    moving_bound u;
    for (int end = 0; end < 2; ++end)
        for (int g = 0; g < MOVING_GROUPS; ++g)
            u.extent[end][g] = float8_min(float8_min(float8_load(a->extent[end][g]), float8_load(b->extent[end][g])),
                                          float8_load(c->extent[end][g]));
    return u;
}

/* Are the bounds separated at both ends along one direction, and so all the time? Without a branch. */
TACT_FORCE_INLINE bool moving_bound_separated(const moving_bound *a, const moving_bound *b)
{
    float8 min_gap = float8_broadcast(0.0f);
    for (int g = 0; g < MOVING_GROUPS; ++g)
        min_gap = float8_max(min_gap, float8_min(float8_add(a->extent[0][g], float8_swap_halves(b->extent[0][g])),
                                                 float8_add(a->extent[1][g], float8_swap_halves(b->extent[1][g]))));
    return float8_movemask_positive(min_gap) != 0;
}

/* Can the bounds overlap within [*enter, *exit]? If so, narrows that window. */
TACT_FORCE_INLINE bool moving_bound_overlap_window(const moving_bound *a, const moving_bound *b, float *enter,
                                                   float *exit)
{
    float8 g0[MOVING_GROUPS], g1[MOVING_GROUPS];
    float8 min_gap = float8_broadcast(0.0f), max_gap = float8_broadcast(0.0f);
    for (int g = 0; g < MOVING_GROUPS; ++g) {
        g0[g] = float8_add(a->extent[0][g], float8_swap_halves(b->extent[0][g]));
        g1[g] = float8_add(a->extent[1][g], float8_swap_halves(b->extent[1][g]));
        min_gap = float8_max(min_gap, float8_min(g0[g], g1[g]));
        max_gap = float8_max(max_gap, float8_max(g0[g], g1[g]));
    }
    if (float8_movemask_positive(min_gap) != 0)
        return false; /* separated at both ends along one direction: the most frequent case */
    if (float8_movemask_positive(max_gap) == 0)
        return true; /* never separated along any direction */
    moving_window w = moving_window_full();
    for (int g = 0; g < MOVING_GROUPS; ++g)
        moving_window_clip(&w, g0[g], g1[g]);
    __m128 first = _mm_max_ps(float8_low(w.enter), float8_high(w.enter));
    __m128 last = _mm_min_ps(float8_low(w.exit), float8_high(w.exit));
    first = _mm_max_ps(first, _mm_movehl_ps(first, first));
    last = _mm_min_ps(last, _mm_movehl_ps(last, last));
    first = _mm_max_ss(first, _mm_shuffle_ps(first, first, 1));
    last = _mm_min_ss(last, _mm_shuffle_ps(last, last, 1));
    const float from = _mm_cvtss_f32(first) * (1.0f - MOVING_TIME_SLACK),
                to = _mm_cvtss_f32(last) * (1.0f + MOVING_TIME_SLACK);
    *enter = from > *enter ? from : *enter;
    *exit = to < *exit ? to : *exit;
    return *enter <= *exit;
}

/* Before a loop over directions: unrolls it, so that the accumulators stay in registers. */
#if defined(__GNUC__) && !defined(__clang__)
#define MOVING_UNROLL _Pragma("GCC unroll 16")
#else
#define MOVING_UNROLL
#endif

/* Lane (j + r) % 4 of a against lane j of b along one direction: the smaller of the gaps at both ends, accumulated as
 * the maximum over the directions. */
#define MOVING_ROTATED_GAP(r, order)                                                                                   \
    min_gap[r] = float8_max(                                                                                           \
        min_gap[r], float8_min(float8_add(b0, FLOAT8_PERMUTE(a0, order)), float8_add(b1, FLOAT8_PERMUTE(a1, order))))

TACT_FORCE_INLINE void moving_bound4_gaps(const moving_bound4 *a, const moving_bound4 *b, int first, int last,
                                          float8 min_gap[4])
{
    MOVING_UNROLL
    for (int i = first; i < last; ++i) {
        const float8 a0 = float8_swap_halves(float8_load(a->extent[i][0][0])),
                     a1 = float8_swap_halves(float8_load(a->extent[i][1][0]));
        const float8 b0 = float8_load(b->extent[i][0][0]), b1 = float8_load(b->extent[i][1][0]);
        MOVING_ROTATED_GAP(0, _MM_SHUFFLE(3, 2, 1, 0));
        MOVING_ROTATED_GAP(1, _MM_SHUFFLE(0, 3, 2, 1));
        MOVING_ROTATED_GAP(2, _MM_SHUFFLE(1, 0, 3, 2));
        MOVING_ROTATED_GAP(3, _MM_SHUFFLE(2, 1, 0, 3));
    }
}

/* Of the pairs in `wanted`, those without a gap: bit 4 i + j for lane i of a and lane j of b. */
TACT_FORCE_INLINE unsigned moving_bound4_unseparated(const float8 min_gap[4], unsigned wanted)
{
    for (unsigned r = 0; r < 4; ++r) {
        const unsigned separated = float8_movemask_positive(min_gap[r]);
        wanted &= ~(unsigned)moving_pair_bits[r][(separated | separated >> 4) & 15u];
    }
    return wanted;
}

/* Of the pairs in `wanted`, those that are not separated at both ends along one direction: bit 4 i + j for lane i of a
 * and lane j of b. A fast conservative test; moving_bound4_overlap_window decides. Often the coordinate axes suffice.
 */
TACT_FORCE_INLINE unsigned moving_bound4_overlap_pairs(const moving_bound4 *a, const moving_bound4 *b, unsigned wanted)
{
    float8 min_gap[4] = {float8_broadcast(0.0f), float8_broadcast(0.0f), float8_broadcast(0.0f),
                         float8_broadcast(0.0f)};
    moving_bound4_gaps(a, b, 0, 3, min_gap);
    wanted = moving_bound4_unseparated(min_gap, wanted);
    if (wanted == 0)
        return 0;
    moving_bound4_gaps(a, b, 3, MOVING_DIRECTIONS, min_gap);
    return moving_bound4_unseparated(min_gap, wanted);
}

/* Of the four bounds, those in `wanted` that can overlap bound `lane` of `other` within [enter, exit]: a bit per lane,
 * and for each the narrowed window. */
TACT_FORCE_INLINE unsigned moving_bound4_overlap_window(const moving_bound4 *four, unsigned wanted,
                                                        const moving_bound4 *other, unsigned lane, float enter,
                                                        float exit, float enters[MOVING_WIDTH],
                                                        float exits[MOVING_WIDTH])
{
    float8 g0[MOVING_DIRECTIONS], g1[MOVING_DIRECTIONS];
    float8 min_gap = float8_broadcast(0.0f), max_gap = float8_broadcast(0.0f);
    for (int i = 0; i < MOVING_DIRECTIONS; ++i) {
        const float *o = &other->extent[i][0][0][lane];
        /* lower extents against upper extents of the other and vice versa */
        g0[i] = float8_add(float8_load(four->extent[i][0][0]), float8_combine(_mm_set1_ps(o[4]), _mm_set1_ps(o[0])));
        g1[i] = float8_add(float8_load(four->extent[i][1][0]), float8_combine(_mm_set1_ps(o[12]), _mm_set1_ps(o[8])));
        min_gap = float8_max(min_gap, float8_min(g0[i], g1[i]));
        max_gap = float8_max(max_gap, float8_max(g0[i], g1[i]));
    }
    const unsigned separated = float8_movemask_positive(min_gap);
    wanted &= ~(separated | separated >> 4);
    if (wanted == 0)
        return 0;
    const unsigned clipped = float8_movemask_positive(max_gap);
    if (((clipped | clipped >> 4) & wanted) == 0) {
        _mm_storeu_ps(enters, _mm_set1_ps(enter));
        _mm_storeu_ps(exits, _mm_set1_ps(exit));
        return wanted;
    }
    moving_window w = moving_window_full();
    for (int i = 0; i < MOVING_DIRECTIONS; ++i)
        moving_window_clip(&w, g0[i], g1[i]);
    __m128 first = _mm_max_ps(float8_low(w.enter), float8_high(w.enter));
    __m128 last = _mm_min_ps(float8_low(w.exit), float8_high(w.exit));
    first = _mm_max_ps(_mm_mul_ps(first, _mm_set1_ps(1.0f - MOVING_TIME_SLACK)), _mm_set1_ps(enter));
    last = _mm_min_ps(_mm_mul_ps(last, _mm_set1_ps(1.0f + MOVING_TIME_SLACK)), _mm_set1_ps(exit));
    _mm_storeu_ps(enters, first);
    _mm_storeu_ps(exits, last);
    return wanted & (unsigned)_mm_movemask_ps(_mm_cmple_ps(first, last));
}

/* The sizes of the four at t = 0: the sums of the extents along the coordinate axes. */
TACT_FORCE_INLINE __m128 moving_bound4_sizes(const moving_bound4 *four)
{
    __m128 sum = _mm_setzero_ps();
    for (int i = 0; i < 3; ++i)
        sum = _mm_add_ps(sum, _mm_add_ps(_mm_loadu_ps(four->extent[i][0][0]), _mm_loadu_ps(four->extent[i][0][1])));
    return _mm_sub_ps(_mm_setzero_ps(), sum);
}

TACT_FORCE_INLINE float moving_bound4_size(const moving_bound4 *four, unsigned lane)
{
    float sum = 0.0f;
    for (int i = 0; i < 3; ++i)
        sum += four->extent[i][0][0][lane] + four->extent[i][0][1][lane];
    return -sum;
}

#endif
