/*
 * Four boxes of one frame against one box of another that slides past them, by separating axes: when may each of the four
 * overlap it? (Interval SAT: Gottschalk, Lin and Manocha's 15 axes, 1996, each with a window of time as in Eberly's dynamic
 * tests.)
 *
 * Along each axis the two middles come towards each other at a constant pace, and what they reach stays: so they overlap
 * there in one window of time, and in all in the common part of 15 windows, or never. Times are parts of the way, 0 to 1. All axes are
 * those of sat4.h and none depends on the boxes, so that paces are divided by once for a whole walk.
 *
 * "Apart until", "apart from" and "apart" are proved, as in view.h; its slack holds for all of the way. A time is off by 4
 * epsilons of itself besides (two divisions and a product): SLIDE_ROUNDING is for both ends of a window that is compared
 * within 0 to 1.
 */
#ifndef TACT_BOUNDS_SLIDE4_H
#define TACT_BOUNDS_SLIDE4_H

#include "bounds/sat4.h"

/* Of the whole way: see above. */
#define SLIDE_ROUNDING 0x1p-20f

/* One over the smallest way along an axis that is told from none. The slack of a view is at least 8 FLT_MIN: whoever is within
 * it is so for all of a shorter way, and 7 times as long. */
#define SLIDE_STEEPEST 0x1p126f

/* Which of the four may overlap the fixed box at a part of the way between 0 and `limit`: a bit a lane. `enter`: of each, a
 * part of the way before which it does not, 0 or more. */
TACT_HOT unsigned slide4(const box_slide *s, const fixed_box *f, const box4 *four, float limit, float enter[4])
{
    const simde__m128 none = simde_mm_setzero_ps(), most = simde_mm_set1_ps(limit),
                      rounding = simde_mm_set1_ps(SLIDE_ROUNDING);
    simde__m128 first = none, last = most;
    /* within [low, high] of a distance that grows by 1 / pace from 0 on */
#define WITHIN(pace, low, high)                                                                                        \
    {                                                                                                                  \
        const simde__m128 p = simde_mm_set1_ps(pace), t0 = simde_mm_mul_ps(low, p), t1 = simde_mm_mul_ps(high, p);     \
        first = simde_mm_max_ps(simde_mm_min_ps(t0, t1), first);                                                       \
        last = simde_mm_min_ps(simde_mm_max_ps(t0, t1), last);                                                         \
    }
    /* the faces of the four: the fixed box comes by */
    const simde__m128 slack = simde_mm_loadu_ps(s->sight.view.slack), one_half = simde_mm_set1_ps(0.5f);
    const simde__m128 radius = simde_mm_add_ps(simde_mm_mul_ps(f->extent, one_half), slack);
    const simde__m128 middle = simde_mm_mul_ps(f->middle, one_half);
    const simde__m128 low = simde_mm_sub_ps(middle, radius), high = simde_mm_add_ps(middle, radius);
    const simde__m128 min0 = simde_mm_loadu_ps(four->min[0]), max0 = simde_mm_loadu_ps(four->max[0]);
    const simde__m128 min1 = simde_mm_loadu_ps(four->min[1]), max1 = simde_mm_loadu_ps(four->max[1]);
    const simde__m128 min2 = simde_mm_loadu_ps(four->min[2]), max2 = simde_mm_loadu_ps(four->max[2]);
    WITHIN(s->pace[0], simde_mm_sub_ps(min0, SPREAD(high, 0)), simde_mm_sub_ps(max0, SPREAD(low, 0)))
    WITHIN(s->pace[1], simde_mm_sub_ps(min1, SPREAD(high, 1)), simde_mm_sub_ps(max1, SPREAD(low, 1)))
    WITHIN(s->pace[2], simde_mm_sub_ps(min2, SPREAD(high, 2)), simde_mm_sub_ps(max2, SPREAD(low, 2)))
    if (simde_mm_movemask_ps(simde_mm_cmpgt_ps(first, simde_mm_add_ps(last, rounding))) == 0xf)
        return 0;

    /* the faces of the fixed one: twice all */
    const simde__m128 c0 = simde_mm_add_ps(max0, min0), h0 = simde_mm_sub_ps(max0, min0);
    const simde__m128 c1 = simde_mm_add_ps(max1, min1), h1 = simde_mm_sub_ps(max1, min1);
    const simde__m128 c2 = simde_mm_add_ps(max2, min2), h2 = simde_mm_sub_ps(max2, min2);
    const simde__m128 away = simde_mm_sub_ps(simde_mm_loadu_ps(s->sight.start), f->centre);
    const simde__m128 own = simde_mm_add_ps(f->half, simde_mm_loadu_ps(s->sight.spare));
#define PRODUCT(m, v) simde_mm_mul_ps(simde_mm_loadu_ps(m), v)
#define BETWEEN(pace, along, reach)                                                                                    \
    WITHIN(pace, simde_mm_sub_ps(none, simde_mm_add_ps(along, reach)), simde_mm_sub_ps(reach, along))
#define FIXED_FACE(j)                                                                                                  \
    {                                                                                                                  \
        const simde__m128 along = simde_mm_add_ps(                                                                     \
            simde_mm_add_ps(PRODUCT(s->sight.back[3 * (j) + 0], c0), PRODUCT(s->sight.back[3 * (j) + 1], c1)),         \
            simde_mm_add_ps(PRODUCT(s->sight.back[3 * (j) + 2], c2), SPREAD(away, j)));                                \
        const simde__m128 reach = simde_mm_add_ps(                                                                     \
            simde_mm_add_ps(PRODUCT(s->sight.reach[3 * (j) + 0], h0), PRODUCT(s->sight.reach[3 * (j) + 1], h1)),       \
            simde_mm_add_ps(PRODUCT(s->sight.reach[3 * (j) + 2], h2), SPREAD(own, j)));                                \
        BETWEEN(s->pace[3 + (j)], along, reach)                                                                        \
    }
    FIXED_FACE(0)
    FIXED_FACE(1)
    FIXED_FACE(2)
#undef FIXED_FACE
    if (simde_mm_movemask_ps(simde_mm_cmpgt_ps(first, simde_mm_add_ps(last, rounding))) == 0xf)
        return 0;

    /* across an edge of each */
    const simde__m128 d0 = simde_mm_sub_ps(c0, SPREAD(f->middle, 0)), d1 = simde_mm_sub_ps(c1, SPREAD(f->middle, 1)),
                      d2 = simde_mm_sub_ps(c2, SPREAD(f->middle, 2));
#define ACROSS(i, j, dk, dl, hk, hl)                                                                                   \
    {                                                                                                                  \
        const float(*n)[4] = s->sight.across[3 * (i) + (j)], (*a)[4] = s->sight.across_size[3 * (i) + (j)];            \
        const simde__m128 along = simde_mm_add_ps(PRODUCT(n[0], dk), PRODUCT(n[1], dl));                               \
        const simde__m128 reach =                                                                                      \
            simde_mm_add_ps(simde_mm_add_ps(PRODUCT(a[0], hk), PRODUCT(a[1], hl)), SPREAD(fixed, i));                  \
        BETWEEN(s->pace[6 + 3 * (i) + (j)], along, reach)                                                              \
    }
#define ACROSS_EDGE(j)                                                                                                 \
    {                                                                                                                  \
        const simde__m128 fixed =                                                                                      \
            simde_mm_add_ps(view_map(s->sight.across_fixed[j], f->half), simde_mm_loadu_ps(s->sight.across_slack[j])); \
        ACROSS(0, j, d1, d2, h1, h2)                                                                                   \
        ACROSS(1, j, d2, d0, h2, h0)                                                                                   \
        ACROSS(2, j, d0, d1, h0, h1)                                                                                   \
    }
    ACROSS_EDGE(0)
    ACROSS_EDGE(1)
    ACROSS_EDGE(2)
#undef ACROSS_EDGE
#undef ACROSS
#undef BETWEEN
#undef PRODUCT
#undef WITHIN
    simde_mm_storeu_ps(enter, first);
    return ~(unsigned)simde_mm_movemask_ps(simde_mm_cmpgt_ps(first, simde_mm_add_ps(last, rounding))) & 0xf;
}

#endif
