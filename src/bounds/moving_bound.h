/*
 * Bounds that move: k-DOPs over the linear motion of points from one place to another, and the window of time in which
 * two of them overlap.
 *
 * Along a fixed direction the least coordinate of points that move linearly is a concave function of time: it never
 * falls below the straight line between its values at both ends. So a bound is given by its extents at t = 0 and t = 1,
 * linear in between, and contains its points at every instant; the union at each end contains both at every instant.
 * Two such bounds are apart along a direction while a linear function of time, the gap, is positive: they can touch in
 * one window of time only, [enter, exit], the intersection of those of all directions.
 *
 * The rules:
 *  - Coordinates are floats in the *frame* of a scene: (x - origin) scale, a power of two, such that all are within
 *    +-MOVING_MAX_COORDINATE. So neither far nor tiny scenes lose anything, and nothing overflows or is subnormal.
 *  - A point's coordinate along a direction is computed in doubles, to 2^-50, and rounded to a float, to 2^-24 of its
 * size. A bound is widened by MOVING_RELATIVE_SLACK of its size and the frame's margin, which is more: it contains the
 * true points.
 *  - The upper extents are stored negated: then both sides are lower bounds, a union is a minimum, and the gap between
 * two is a sum: low(a) + low'(b), where low' is minus the high one.
 *  - *Whether* a gap is positive at an end is exact: a sum of floats has the right sign. *When* it vanishes, gap0 /
 * (gap0 - gap1), has relative error 4.1 x 2^-24: both gaps to 2^-24, no cancellation as their signs differ, one sum,
 * one division. Windows are widened by MOVING_TIME_SLACK, 2^-21. Sums and quotients are multiples of 2^-80 or larger:
 * nothing underflows. All of this needs rounding to nearest: enter the default environment (math/fp_environment.h)
 * around it.
 */
#ifndef TACT_BOUNDS_MOVING_BOUND_H
#define TACT_BOUNDS_MOVING_BOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/vec.h>

#include "core/inline.h"
#include "math/float8.h"

/* How many directions: 3 (boxes), 7 (and the diagonals of a cube), 9 (and those of its faces instead) or 13 (and both).
 */
#ifndef MOVING_DIRECTIONS
#define MOVING_DIRECTIONS 7
#endif

/* The same in vectors of four; the lanes left over are 0 along all directions. */
#define MOVING_GROUPS ((MOVING_DIRECTIONS + 3) / 4)

#define MOVING_MAX_COORDINATE 4.0 /* most that a coordinate may be, in the frame, for the bound on rounding to hold */
#define MOVING_RELATIVE_SLACK                                                                                          \
    0x1p-22f                          /* of the size of a coordinate: twice what two roundings to floats may be off    \
                                       */
#define MOVING_ABSOLUTE_SLACK 0x1p-46 /* in the frame: four times what the doubles may be off */
#define MOVING_TIME_SLACK 0x1p-21f    /* of a time: twice the error of a quotient */
#define MOVING_WIDTH 4

/* The directions, in thirds of a lane's worth: -1, 0 or 1 times each axis. */
extern const signed char tact_moving_direction[4 * MOVING_GROUPS][3];

/* Where the floats are, and how far bounds reach beyond their points. */
typedef struct moving_frame {
    double scale;                    /* a power of two */
    double origin[3];                /* times scale */
    float margin[4 * MOVING_GROUPS]; /* along each direction: for rounding, and half the thickness */
} moving_frame;

/* A point that moves, four directions in a vector: low sides, then negated high ones, at both ends; widened. */
typedef struct moving_point {
    float extent[2][MOVING_GROUPS][8];
} moving_point;

/* Four bounds side by side: along each direction and at each end, the low sides of all four, and the negated high
 * sides. A direction is a cache line. */
typedef struct moving_bound4 {
    float extent[MOVING_DIRECTIONS][2][2][MOVING_WIDTH];
} moving_bound4;

/* One bound, four directions in a vector: low sides in the lower half, negated high ones in the upper. */
typedef struct moving_bound {
    float8 extent[2][MOVING_GROUPS];
} moving_bound;

/* The frame of points that go from `start` to `end`; of items that touch when they come as near as `thickness`. The
 * points must be finite, thickness not negative. */
moving_frame tact_moving_frame_make(const tact_vec3 *start, const tact_vec3 *end, size_t count, double thickness);

/* Is the point within the frame's reach? */
bool tact_moving_frame_contains(const moving_frame *frame, tact_vec3 point);

/* Sets the point, which goes from `start` to `end`, both within the frame's reach. */
void tact_moving_point_set(moving_point *point, const moving_frame *frame, tact_vec3 start, tact_vec3 end);

/* Makes the point, at both ends, the bound of where it is at either: all that it passes through. */
void tact_moving_point_set_swept(moving_point *point);

/* What is left of the times in which the lanes of two bounds may touch: gaps at both ends, along several directions. */
typedef struct moving_window {
    float8 enter, exit;
} moving_window;

/* Where the bits of a row of pairs go: bit j of turn r, lane j against lane (j + r) % 4, to 4 ((j + r) % 4) + j. */
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

/* Gaps g0 at t = 0 and g1 at t = 1: positive where apart, and not at both ends in a lane that matters. */
TACT_FORCE_INLINE void moving_window_clip(moving_window *w, float8 g0, float8 g1)
{
    /* where one is positive and the other is not: the zero in between */
    const float8 when = float8_linear_root(g0, g1);
    w->enter = float8_max(w->enter, float8_mask_positive(g0, when));
    w->exit = float8_min(w->exit, float8_select_positive(g1, when, float8_broadcast(2.0f)));
}

/* The bounds of one, two and three points. */
TACT_FORCE_INLINE moving_bound moving_of_one(const moving_point *a)
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

/* Can they touch within [*enter, *exit]? Then that window is narrowed. */
TACT_FORCE_INLINE bool moving_bound_overlap_window(const moving_bound *a, const moving_bound *b, float *enter,
                                                   float *exit)
{
    float8 g0[MOVING_GROUPS], g1[MOVING_GROUPS];
    float8 least = float8_broadcast(0.0f), most = float8_broadcast(0.0f);
    /* most are apart at both ends along some direction */
    for (int g = 0; g < MOVING_GROUPS; ++g) {
        g0[g] = float8_add(a->extent[0][g], float8_swap_halves(b->extent[0][g]));
        g1[g] = float8_add(a->extent[1][g], float8_swap_halves(b->extent[1][g]));
        least = float8_max(least, float8_min(g0[g], g1[g]));
        most = float8_max(most, float8_max(g0[g], g1[g]));
    }
    if (float8_movemask_positive(least) != 0)
        return false;
    if (float8_movemask_positive(most) == 0)
        return true; /* along no direction at any time */
    moving_window w = moving_window_full();
    for (int g = 0; g < MOVING_GROUPS; ++g)
        moving_window_clip(&w, g0[g], g1[g]);
    simde__m128 first = simde_mm_max_ps(float8_low(w.enter), float8_high(w.enter));
    simde__m128 last = simde_mm_min_ps(float8_low(w.exit), float8_high(w.exit));
    first = simde_mm_max_ps(first, simde_mm_movehl_ps(first, first));
    last = simde_mm_min_ps(last, simde_mm_movehl_ps(last, last));
    first = simde_mm_max_ss(first, simde_mm_shuffle_ps(first, first, 1));
    last = simde_mm_min_ss(last, simde_mm_shuffle_ps(last, last, 1));
    const float from = simde_mm_cvtss_f32(first) * (1.0f - MOVING_TIME_SLACK),
                to = simde_mm_cvtss_f32(last) * (1.0f + MOVING_TIME_SLACK);
    *enter = from > *enter ? from : *enter;
    *exit = to < *exit ? to : *exit;
    return *enter <= *exit;
}

/* Before a loop over directions: written out, so that what it adds up to stays in registers. */
#if defined(__GNUC__) && !defined(__clang__)
#define MOVING_UNROLL _Pragma("GCC unroll 16")
#else
#define MOVING_UNROLL
#endif

/* Lane j of b against lane j + r of a, along direction i, at both ends: the lesser gap, if it is larger than those so
 * far. */
#define MOVING_ROTATED_GAP(r, turn)                                                                                    \
    least[r] = float8_max(                                                                                             \
        least[r], float8_min(float8_add(b0, FLOAT8_PERMUTE(a0, turn)), float8_add(b1, FLOAT8_PERMUTE(a1, turn))))

TACT_FORCE_INLINE void moving_bound4_gaps(const moving_bound4 *a, const moving_bound4 *b, int first, int last,
                                          float8 least[4])
{
    MOVING_UNROLL
    for (int i = first; i < last; ++i) {
        const float8 a0 = float8_swap_halves(float8_load(a->extent[i][0][0])),
                     a1 = float8_swap_halves(float8_load(a->extent[i][1][0]));
        const float8 b0 = float8_load(b->extent[i][0][0]), b1 = float8_load(b->extent[i][1][0]);
        MOVING_ROTATED_GAP(0, SIMDE_MM_SHUFFLE(3, 2, 1, 0));
        MOVING_ROTATED_GAP(1, SIMDE_MM_SHUFFLE(0, 3, 2, 1));
        MOVING_ROTATED_GAP(2, SIMDE_MM_SHUFFLE(1, 0, 3, 2));
        MOVING_ROTATED_GAP(3, SIMDE_MM_SHUFFLE(2, 1, 0, 3));
    }
}

/* Which of the four of `a` and the four of `b` are not apart at both ends along one direction? Bit 4 i + j for i of a,
 * j of b. Not all of these can touch: see moving_bound4_overlap_window. */
TACT_FORCE_INLINE unsigned moving_bound4_overlap_pairs(const moving_bound4 *a, const moving_bound4 *b, unsigned wanted)
{
    float8 least[4] = {float8_broadcast(0.0f), float8_broadcast(0.0f), float8_broadcast(0.0f), float8_broadcast(0.0f)};
    moving_bound4_gaps(a, b, 0, MOVING_DIRECTIONS, least);
    for (unsigned r = 0; r < 4; ++r) {
        const unsigned apart = float8_movemask_positive(least[r]);
        wanted &= ~(unsigned)moving_pair_bits[r][(apart | apart >> 4) & 15u];
    }
    return wanted;
}

/* Which of the four, of those in `wanted`, can touch bound `lane` of `other` within [enter, exit]? A bit a lane, and
 * for each the window that is left. */
TACT_FORCE_INLINE unsigned moving_bound4_overlap_window(const moving_bound4 *four, unsigned wanted,
                                                        const moving_bound4 *other, unsigned lane, float enter,
                                                        float exit, float enters[MOVING_WIDTH],
                                                        float exits[MOVING_WIDTH])
{
    float8 g0[MOVING_DIRECTIONS], g1[MOVING_DIRECTIONS];
    float8 least = float8_broadcast(0.0f), most = float8_broadcast(0.0f);
    for (int i = 0; i < MOVING_DIRECTIONS; ++i) {
        const float *o = &other->extent[i][0][0][lane];
        /* each side against the other's other one */
        g0[i] = float8_add(float8_load(four->extent[i][0][0]),
                           float8_combine(simde_mm_set1_ps(o[4]), simde_mm_set1_ps(o[0])));
        g1[i] = float8_add(float8_load(four->extent[i][1][0]),
                           float8_combine(simde_mm_set1_ps(o[12]), simde_mm_set1_ps(o[8])));
        least = float8_max(least, float8_min(g0[i], g1[i]));
        most = float8_max(most, float8_max(g0[i], g1[i]));
    }
    const unsigned apart = float8_movemask_positive(least);
    wanted &= ~(apart | apart >> 4);
    if (wanted == 0)
        return 0;
    const unsigned some = float8_movemask_positive(most);
    if (((some | some >> 4) & wanted) == 0) {
        simde_mm_storeu_ps(enters, simde_mm_set1_ps(enter));
        simde_mm_storeu_ps(exits, simde_mm_set1_ps(exit));
        return wanted;
    }
    moving_window w = moving_window_full();
    for (int i = 0; i < MOVING_DIRECTIONS; ++i)
        moving_window_clip(&w, g0[i], g1[i]);
    simde__m128 first = simde_mm_max_ps(float8_low(w.enter), float8_high(w.enter));
    simde__m128 last = simde_mm_min_ps(float8_low(w.exit), float8_high(w.exit));
    first =
        simde_mm_max_ps(simde_mm_mul_ps(first, simde_mm_set1_ps(1.0f - MOVING_TIME_SLACK)), simde_mm_set1_ps(enter));
    last = simde_mm_min_ps(simde_mm_mul_ps(last, simde_mm_set1_ps(1.0f + MOVING_TIME_SLACK)), simde_mm_set1_ps(exit));
    simde_mm_storeu_ps(enters, first);
    simde_mm_storeu_ps(exits, last);
    return wanted & (unsigned)simde_mm_movemask_ps(simde_mm_cmple_ps(first, last));
}

/* How large the four are, at t = 0: the sums of their sides. */
TACT_FORCE_INLINE simde__m128 moving_bound4_sizes(const moving_bound4 *four)
{
    simde__m128 sum = simde_mm_setzero_ps();
    for (int i = 0; i < 3; ++i)
        sum = simde_mm_add_ps(
            sum, simde_mm_add_ps(simde_mm_loadu_ps(four->extent[i][0][0]), simde_mm_loadu_ps(four->extent[i][0][1])));
    return simde_mm_sub_ps(simde_mm_setzero_ps(), sum);
}

TACT_FORCE_INLINE float moving_bound4_size(const moving_bound4 *four, unsigned lane)
{
    float sum = 0.0f;
    for (int i = 0; i < 3; ++i)
        sum += four->extent[i][0][0][lane] + four->extent[i][0][1][lane];
    return -sum;
}

/* Bounds that touch nothing, and with which a union is the other one: no gap to them ever closes. */
#define MOVING_EMPTY 64.0f

#endif
