/*
 * Four boxes of one frame against one box of another that slides past them, by separating axes: when may each of the
 * four overlap it? (Interval SAT: Gottschalk, Lin and Manocha's 15 axes, 1996, each with a window of time as in
 * Eberly's dynamic tests.)
 *
 * Along each axis the two middles come towards each other at a constant pace, and what they reach stays: so they
 * overlap there in one window of time, and in all in the common part of 15 windows, or never. Times are parts of the
 * way, 0 to 1. All axes are those of sat4.h and none depends on the boxes, so that paces are divided by once for a
 * whole walk.
 *
 * "Apart until", "apart from" and "apart" are proved, as in view.h; its slack holds for all of the way. A time is off
 * by 4 epsilons of itself besides (two divisions and a product): SAT_TIME_SLACK is for both ends of a window that is
 * compared within 0 to 1.
 */
#ifndef TACT_BOUNDS_SAT4_MOVING_H
#define TACT_BOUNDS_SAT4_MOVING_H

#include "bounds/sat4.h"

/* Of the whole way: see above. */
#define SAT_TIME_SLACK 0x1p-20f

/* One over the smallest way along an axis that is told from none. The slack of a view is at least 8 FLT_MIN: whoever is
 * within it is so for all of a shorter way, and 7 times as long. */
#define SAT_MAX_INVERSE_DISPLACEMENT 0x1p126f

/* Which of the four may overlap the fixed box at a part of the way between 0 and `limit`: a bit a lane. `enter`: of
 * each, a part of the way before which it does not, 0 or more. */
TACT_FORCE_INLINE unsigned sat4_moving(const sat_moving_frame *s, const transformed_box *f, const box4 *four,
                                       float limit, float enter[4])
{
    const simde__m128 none = simde_mm_setzero_ps(), most = simde_mm_set1_ps(limit),
                      rounding = simde_mm_set1_ps(SAT_TIME_SLACK);
    simde__m128 first = none, last = most, low, high;
    sat_boxes4 b;
    transformed_box_interval(&s->sat, f, &low, &high);
    sat_boxes4_load(&b, four);
    /* within [from, to] of a distance that grows by 1 / pace from 0 on */
#define WITHIN(pace, from, to)                                                                                         \
    {                                                                                                                  \
        const simde__m128 p = simde_mm_set1_ps(pace), t0 = simde_mm_mul_ps(from, p), t1 = simde_mm_mul_ps(to, p);      \
        first = simde_mm_max_ps(simde_mm_min_ps(t0, t1), first);                                                       \
        last = simde_mm_min_ps(simde_mm_max_ps(t0, t1), last);                                                         \
    }
#define ALL_APART() (simde_mm_movemask_ps(simde_mm_cmpgt_ps(first, simde_mm_add_ps(last, rounding))) == 0xf)
    /* the faces of the four: the fixed box comes by */
    WITHIN(s->inverse_displacement[0], simde_mm_sub_ps(b.min[0], SPLAT(high, 0)),
           simde_mm_sub_ps(b.max[0], SPLAT(low, 0)))
    WITHIN(s->inverse_displacement[1], simde_mm_sub_ps(b.min[1], SPLAT(high, 1)),
           simde_mm_sub_ps(b.max[1], SPLAT(low, 1)))
    WITHIN(s->inverse_displacement[2], simde_mm_sub_ps(b.min[2], SPLAT(high, 2)),
           simde_mm_sub_ps(b.max[2], SPLAT(low, 2)))
    if (ALL_APART())
        return 0;
    sat_boxes4_set_centres(&b);
    /* all others: the four come by */
#define BETWEEN(pace, axis)                                                                                            \
    {                                                                                                                  \
        const sat_axis4 x = axis;                                                                                      \
        WITHIN(pace, simde_mm_sub_ps(none, simde_mm_add_ps(x.distance, x.radius)),                                     \
               simde_mm_sub_ps(x.radius, x.distance))                                                                  \
    }
#define FACE(number, axis) BETWEEN(s->inverse_displacement[3 + (number)], axis)
#define ACROSS(number, axis) BETWEEN(s->inverse_displacement[6 + (number)], axis)
    FOR_EACH_FIXED_FACE_AXIS(&s->sat, f, &b, FACE)
    if (ALL_APART())
        return 0;
    FOR_EACH_EDGE_AXIS(&s->sat, f, &b, ACROSS)
#undef ACROSS
#undef FACE
#undef BETWEEN
#undef ALL_APART
#undef WITHIN
    simde_mm_storeu_ps(enter, first);
    return ~(unsigned)simde_mm_movemask_ps(simde_mm_cmpgt_ps(first, simde_mm_add_ps(last, rounding))) & 0xf;
}

#endif
