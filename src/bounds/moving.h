/*
 * Bounds that move: k-DOPs over the linear motion of points from one place to another, and the window of time in which two
 * of them overlap.
 *
 * Along a fixed direction the least coordinate of points that move linearly is a concave function of time: it never falls
 * below the straight line between its values at both ends. So a bound is given by its extents at t = 0 and t = 1, linear
 * in between, and contains its points at every instant; the union at each end contains both at every instant. Two such
 * bounds are apart along a direction while a linear function of time, the gap, is positive: they can touch in one window
 * of time only, [enter, exit], the intersection of those of all directions.
 *
 * The rules:
 *  - Coordinates are floats in the *frame* of a scene: (x - origin) scale, a power of two, such that all are within
 *    +-MOVING_REACH. So neither far nor tiny scenes lose anything, and nothing overflows or is subnormal.
 *  - A point's coordinate along a direction is computed in doubles, to 2^-50, and rounded to a float, to 2^-24 of its size.
 *    A bound is widened by MOVING_SLACK of its size and the frame's margin, which is more: it contains the true points.
 *  - The upper extents are stored negated: then both sides are lower bounds, a union is a minimum, and the gap between two
 *    is a sum: low(a) + low'(b), where low' is minus the high one.
 *  - *Whether* a gap is positive at an end is exact: a sum of floats has the right sign. *When* it vanishes, gap0 / (gap0 - gap1),
 *    has relative error 4.1 x 2^-24: both gaps to 2^-24, no cancellation as their signs differ, one sum, one division.
 *    Windows are widened by MOVING_LATE, 2^-21. Sums and quotients are multiples of 2^-80 or larger: nothing underflows.
 * All of this needs rounding to nearest: enter the default environment (math/environment.h) around it.
 */
#ifndef TACT_BOUNDS_MOVING_H
#define TACT_BOUNDS_MOVING_H

#include <simde/x86/avx.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/vec.h>

#include "core/inline.h"

/* How many directions: 3 (boxes), 7 (and the diagonals of a cube), 9 (and those of its faces instead) or 13 (and both). */
#ifndef MOVING_DIRECTIONS
#define MOVING_DIRECTIONS 9
#endif

/* The same in vectors of four; the lanes left over are 0 along all directions. */
#define MOVING_GROUPS ((MOVING_DIRECTIONS + 3) / 4)

#define MOVING_REACH 4.0      /* most that a coordinate may be, in the frame, for the bound on rounding to hold */
#define MOVING_SLACK 0x1p-22f /* of the size of a coordinate: twice what two roundings to floats may be off */
#define MOVING_BLUR 0x1p-46   /* in the frame: four times what the doubles may be off */
#define MOVING_LATE 0x1p-21f  /* of a time: twice the error of a quotient */
#define MOVING_WIDTH 4

/* The directions, in thirds of a lane's worth: -1, 0 or 1 times each axis. */
extern const signed char tact_moving_direction[4 * MOVING_GROUPS][3];

/* Where the floats are, and how far bounds reach beyond their points. */
typedef struct moving_frame {
    double scale;                    /* a power of two */
    double origin[3];                /* times scale */
    float margin[4 * MOVING_GROUPS]; /* along each direction: for rounding, and half the thickness */
} moving_frame;

/* A point that moves, along each direction at both ends; to the nearest float. */
typedef struct moving_point {
    float at[2][4 * MOVING_GROUPS];
} moving_point;

/* Four bounds side by side: along each direction and at each end, the low sides of all four, and the negated high sides.
 * A direction is a cache line. */
typedef struct moving4 {
    float at[MOVING_DIRECTIONS][2][2][MOVING_WIDTH];
} moving4;

/* One bound, four directions in a vector: low sides in the lower half, negated high ones in the upper. */
typedef struct moving_bound {
    simde__m256 at[2][MOVING_GROUPS];
} moving_bound;

/* The frame of points that go from `start` to `end`; of things that touch when they come as near as `thickness`. The
 * points must be finite, thickness not negative. */
moving_frame tact_moving_frame(const tact_vec3 *start, const tact_vec3 *end, size_t count, double thickness);

/* Is the point within the frame's reach? */
bool tact_moving_within(const moving_frame *frame, tact_vec3 point);

/* Sets the point, which goes from `start` to `end`, both within the frame's reach. */
void tact_moving_point_set(moving_point *point, const moving_frame *frame, tact_vec3 start, tact_vec3 end);

/* What is left of the times in which the lanes of two bounds may touch: gaps at both ends, along several directions. */
typedef struct moving_window {
    simde__m256 enter, exit, apart;
} moving_window;

static inline moving_window moving_window_whole(void)
{
    return (moving_window){simde_mm256_setzero_ps(), simde_mm256_set1_ps(2.0f), simde_mm256_setzero_ps()};
}

/* Gaps g0 at t = 0 and g1 at t = 1: positive where apart. */
TACT_HOT void moving_window_cut(moving_window *w, simde__m256 g0, simde__m256 g1)
{
    const simde__m256 zero = simde_mm256_setzero_ps();
    const simde__m256 apart0 = simde_mm256_cmp_ps(g0, zero, SIMDE_CMP_GT_OQ);
    const simde__m256 apart1 = simde_mm256_cmp_ps(g1, zero, SIMDE_CMP_GT_OQ);
    w->apart = simde_mm256_or_ps(w->apart, simde_mm256_and_ps(apart0, apart1));
    /* where one is positive and the other is not: the zero in between */
    const simde__m256 when = simde_mm256_div_ps(g0, simde_mm256_sub_ps(g0, g1));
    w->enter = simde_mm256_max_ps(w->enter, simde_mm256_and_ps(when, apart0));
    w->exit = simde_mm256_min_ps(w->exit, simde_mm256_blendv_ps(simde_mm256_set1_ps(2.0f), when, apart1));
}

/* The bound around a point's lanes `raw` (low sides, negated high sides), one group, widened. */
TACT_HOT simde__m256 moving_widen(simde__m256 raw, simde__m256 margin)
{
    const simde__m256 size = simde_mm256_andnot_ps(simde_mm256_set1_ps(-0.0f), raw);
    return simde_mm256_sub_ps(raw, simde_mm256_add_ps(simde_mm256_mul_ps(size, simde_mm256_set1_ps(MOVING_SLACK)), margin));
}

/* Four floats in the lower half, the same negated in the upper. */
TACT_HOT simde__m256 moving_both_sides(const float *four)
{
    const simde__m256 sign = simde_mm256_set_ps(-0.0f, -0.0f, -0.0f, -0.0f, 0.0f, 0.0f, 0.0f, 0.0f);
    const simde__m128 f = simde_mm_loadu_ps(four);
    return simde_mm256_xor_ps(simde_mm256_insertf128_ps(simde_mm256_castps128_ps256(f), f, 1), sign);
}

TACT_HOT simde__m256 moving_margin(const moving_frame *frame, int group)
{
    const simde__m128 f = simde_mm_loadu_ps(frame->margin + 4 * group);
    return simde_mm256_insertf128_ps(simde_mm256_castps128_ps256(f), f, 1);
}

TACT_HOT simde__m256 moving_swap(simde__m256 v) { return simde_mm256_permute2f128_ps(v, v, 1); }

/* The bounds of one, two and three points. */
TACT_HOT moving_bound moving_of_one(const moving_frame *frame, const moving_point *a)
{
    moving_bound b;
    for (int g = 0; g < MOVING_GROUPS; ++g)
        for (int end = 0; end < 2; ++end)
            b.at[end][g] = moving_widen(moving_both_sides(a->at[end] + 4 * g), moving_margin(frame, g));
    return b;
}

TACT_HOT moving_bound moving_of_two(const moving_frame *frame, const moving_point *a, const moving_point *b)
{
    moving_bound u;
    for (int g = 0; g < MOVING_GROUPS; ++g)
        for (int end = 0; end < 2; ++end)
            u.at[end][g] = moving_widen(
                simde_mm256_min_ps(moving_both_sides(a->at[end] + 4 * g), moving_both_sides(b->at[end] + 4 * g)),
                moving_margin(frame, g));
    return u;
}

TACT_HOT moving_bound moving_of_three(const moving_frame *frame, const moving_point *a, const moving_point *b,
                                      const moving_point *c)
{
    moving_bound u;
    for (int g = 0; g < MOVING_GROUPS; ++g)
        for (int end = 0; end < 2; ++end)
            u.at[end][g] =
                moving_widen(simde_mm256_min_ps(simde_mm256_min_ps(moving_both_sides(a->at[end] + 4 * g),
                                                                   moving_both_sides(b->at[end] + 4 * g)),
                                                moving_both_sides(c->at[end] + 4 * g)),
                             moving_margin(frame, g));
    return u;
}

/* Can they touch within [*enter, *exit]? Then that window is narrowed. */
TACT_HOT bool moving_meet(const moving_bound *a, const moving_bound *b, float *enter, float *exit)
{
    simde__m256 g0[MOVING_GROUPS], g1[MOVING_GROUPS];
    simde__m256 apart = simde_mm256_setzero_ps();
    const simde__m256 zero = simde_mm256_setzero_ps();
    /* most are apart at both ends along some direction */
    for (int g = 0; g < MOVING_GROUPS; ++g) {
        g0[g] = simde_mm256_add_ps(a->at[0][g], moving_swap(b->at[0][g]));
        g1[g] = simde_mm256_add_ps(a->at[1][g], moving_swap(b->at[1][g]));
        apart = simde_mm256_or_ps(apart, simde_mm256_and_ps(simde_mm256_cmp_ps(g0[g], zero, SIMDE_CMP_GT_OQ),
                                                            simde_mm256_cmp_ps(g1[g], zero, SIMDE_CMP_GT_OQ)));
    }
    if (simde_mm256_movemask_ps(apart) != 0)
        return false;
    moving_window w = moving_window_whole();
    for (int g = 0; g < MOVING_GROUPS; ++g)
        moving_window_cut(&w, g0[g], g1[g]);
    simde__m128 first = simde_mm_max_ps(simde_mm256_castps256_ps128(w.enter), simde_mm256_extractf128_ps(w.enter, 1));
    simde__m128 last = simde_mm_min_ps(simde_mm256_castps256_ps128(w.exit), simde_mm256_extractf128_ps(w.exit, 1));
    first = simde_mm_max_ps(first, simde_mm_movehl_ps(first, first));
    last = simde_mm_min_ps(last, simde_mm_movehl_ps(last, last));
    first = simde_mm_max_ss(first, simde_mm_shuffle_ps(first, first, 1));
    last = simde_mm_min_ss(last, simde_mm_shuffle_ps(last, last, 1));
    const float from = simde_mm_cvtss_f32(first) * (1.0f - MOVING_LATE), to = simde_mm_cvtss_f32(last) * (1.0f + MOVING_LATE);
    *enter = from > *enter ? from : *enter;
    *exit = to < *exit ? to : *exit;
    return *enter <= *exit;
}

/* Which of the four, of those in `wanted`, can touch bound `lane` of `other` within [enter, exit]? A bit a lane, and for
 * each the window that is left. */
TACT_HOT unsigned moving4_meet(const moving4 *four, unsigned wanted, const moving4 *other, unsigned lane, float enter,
                               float exit, float enters[MOVING_WIDTH], float exits[MOVING_WIDTH])
{
    moving_window w = moving_window_whole();
    for (int i = 0; i < MOVING_DIRECTIONS; ++i) {
        const float *o = &other->at[i][0][0][lane];
        /* each side against the other's other one */
        const simde__m256 g0 = simde_mm256_add_ps(
            simde_mm256_loadu_ps(four->at[i][0][0]),
            simde_mm256_insertf128_ps(simde_mm256_castps128_ps256(simde_mm_set1_ps(o[4])), simde_mm_set1_ps(o[0]), 1));
        const simde__m256 g1 = simde_mm256_add_ps(
            simde_mm256_loadu_ps(four->at[i][1][0]),
            simde_mm256_insertf128_ps(simde_mm256_castps128_ps256(simde_mm_set1_ps(o[12])), simde_mm_set1_ps(o[8]), 1));
        moving_window_cut(&w, g0, g1);
        if (i % 3 == 2) {
            const int apart = simde_mm256_movemask_ps(w.apart);
            if ((wanted & ~(unsigned)(apart | apart >> 4)) == 0)
                return 0;
        }
    }
    const int apart = simde_mm256_movemask_ps(w.apart);
    simde__m128 first = simde_mm_max_ps(simde_mm256_castps256_ps128(w.enter), simde_mm256_extractf128_ps(w.enter, 1));
    simde__m128 last = simde_mm_min_ps(simde_mm256_castps256_ps128(w.exit), simde_mm256_extractf128_ps(w.exit, 1));
    first = simde_mm_max_ps(simde_mm_mul_ps(first, simde_mm_set1_ps(1.0f - MOVING_LATE)), simde_mm_set1_ps(enter));
    last = simde_mm_min_ps(simde_mm_mul_ps(last, simde_mm_set1_ps(1.0f + MOVING_LATE)), simde_mm_set1_ps(exit));
    simde_mm_storeu_ps(enters, first);
    simde_mm_storeu_ps(exits, last);
    return wanted & ~(unsigned)(apart | apart >> 4) & (unsigned)simde_mm_movemask_ps(simde_mm_cmple_ps(first, last));
}

/* How large the four are, at t = 0: the sums of their sides. */
TACT_HOT simde__m128 moving4_sizes(const moving4 *four)
{
    simde__m128 sum = simde_mm_setzero_ps();
    for (int i = 0; i < 3; ++i)
        sum = simde_mm_add_ps(sum, simde_mm_add_ps(simde_mm_loadu_ps(four->at[i][0][0]), simde_mm_loadu_ps(four->at[i][0][1])));
    return simde_mm_sub_ps(simde_mm_setzero_ps(), sum);
}

TACT_HOT float moving4_size(const moving4 *four, unsigned lane)
{
    float sum = 0.0f;
    for (int i = 0; i < 3; ++i)
        sum += four->at[i][0][0][lane] + four->at[i][0][1][lane];
    return -sum;
}

/* Bounds that touch nothing, and with which a union is the other one: no gap to them ever closes. */
#define MOVING_NOTHING 64.0f

#endif
