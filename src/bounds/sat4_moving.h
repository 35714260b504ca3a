/*
 * Separating-axis test of four boxes of the opened frame against one box of the fixed frame that translates: the window
 * of time in which each of the four may overlap it. The 15 axes are those of Gottschalk, Lin and Manocha (1996), each
 * with an interval of time as in Eberly's dynamic separating-axis test.
 *
 * On each axis the distance of the centres is linear in time and the projection radii are constant. So the boxes
 * overlap on the axis in one window of time, and in total in the intersection of 15 windows. Times are fractions of the
 * displacement, 0 to 1. No axis depends on the boxes, so each displacement is inverted once per traversal.
 *
 * Guarantee: an empty window, and every time before or after a window, proves separation, with the slack of
 * relative_frame.h for the whole displacement. The rounding of the times is covered by SAT_TIME_SLACK
 * (bounds_constants.h).
 */
#ifndef TACT_BOUNDS_SAT4_MOVING_H
#define TACT_BOUNDS_SAT4_MOVING_H

#include "bounds/bounds_constants.h"
#include "bounds/sat4.h"

/* Which of the four may overlap the fixed box at a time between 0 and `limit`: a bit per lane. `enter`: per lane, a
 * time before which they do not overlap, 0 or more. */
TACT_FORCE_INLINE unsigned sat4_moving(const sat_moving_frame *s, const transformed_box *f, const box4 *four,
                                       float limit, float enter[4])
{
    const __m128 zero = _mm_setzero_ps(), time_slack = _mm_set1_ps(SAT_TIME_SLACK);
    __m128 first = zero, last = _mm_set1_ps(limit), low, high;
    sat_boxes4 b;
    transformed_box_interval(&s->sat, f, &low, &high);
    sat_boxes4_load(&b, four);
    /* clips the window to the times at which a distance that starts at 0 and has the inverse displacement `inverse`
     * is in [from, to] */
#define CLIP(inverse, from, to)                                                                                        \
    {                                                                                                                  \
        const __m128 p = _mm_set1_ps(inverse), t0 = _mm_mul_ps(from, p), t1 = _mm_mul_ps(to, p);                       \
        first = _mm_max_ps(_mm_min_ps(t0, t1), first);                                                                 \
        last = _mm_min_ps(_mm_max_ps(t0, t1), last);                                                                   \
    }
#define ALL_SEPARATED() (_mm_movemask_ps(_mm_cmpgt_ps(first, _mm_add_ps(last, time_slack))) == 0xf)
    /* the face axes of the opened frame: the fixed box moves */
    CLIP(s->inverse_displacement[0], _mm_sub_ps(b.min[0], SPLAT(high, 0)), _mm_sub_ps(b.max[0], SPLAT(low, 0)))
    CLIP(s->inverse_displacement[1], _mm_sub_ps(b.min[1], SPLAT(high, 1)), _mm_sub_ps(b.max[1], SPLAT(low, 1)))
    CLIP(s->inverse_displacement[2], _mm_sub_ps(b.min[2], SPLAT(high, 2)), _mm_sub_ps(b.max[2], SPLAT(low, 2)))
    if (ALL_SEPARATED())
        return 0;
    sat_boxes4_set_centres(&b);
    /* the other axes: the four boxes move */
#define CLIP_AXIS(inverse, axis)                                                                                       \
    {                                                                                                                  \
        const sat_axis4 x = axis;                                                                                      \
        CLIP(inverse, _mm_sub_ps(zero, _mm_add_ps(x.distance, x.radius)), _mm_sub_ps(x.radius, x.distance))            \
    }
#define CLIP_FACE_AXIS(index, axis) CLIP_AXIS(s->inverse_displacement[3 + (index)], axis)
#define CLIP_EDGE_AXIS(index, axis) CLIP_AXIS(s->inverse_displacement[6 + (index)], axis)
    FOR_EACH_FIXED_FACE_AXIS(&s->sat, f, &b, CLIP_FACE_AXIS)
    if (ALL_SEPARATED())
        return 0;
    FOR_EACH_EDGE_AXIS(&s->sat, f, &b, CLIP_EDGE_AXIS)
#undef CLIP_EDGE_AXIS
#undef CLIP_FACE_AXIS
#undef CLIP_AXIS
#undef ALL_SEPARATED
#undef CLIP
    _mm_storeu_ps(enter, first);
    return ~(unsigned)_mm_movemask_ps(_mm_cmpgt_ps(first, _mm_add_ps(last, time_slack))) & 0xf;
}

#endif
