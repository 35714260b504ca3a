/* From what is known of two cores to the answer for the shapes with their margins. */
#ifndef TACT_CONVEX_MARGIN_ANSWER_H
#define TACT_CONVEX_MARGIN_ANSWER_H

#include <tact/query.h>

#include "core/inline.h"
#include "math/vec.h"

/* A point in both shapes, given nearest points of the cores at most the sum of the margins apart: it divides their line
 * as the margins do. */
TACT_FORCE_INLINE tact_vec3 answer_common_point(double margin_a, double margin_b, tact_vec3 on_a, tact_vec3 on_b)
{
    double whole = margin_a + margin_b, part = whole > 0.0 ? margin_b / whole : 0.5;
    double rest = whole > 0.0 ? margin_a / whole : 0.5;
    return vec_add(vec_scale(on_a, part), vec_scale(on_b, rest));
}

/* A proved lower bound of the distance of the cores that is beyond the margins and `enough`: as a number that still is
 * when the margins are taken off. Rounding can be in the way by a step or two. */
static inline double answer_beyond(double apart, double margins, double enough)
{
    while (!(apart - margins > enough) && apart < INFINITY)
        apart = nextafter(apart, INFINITY);
    return apart;
}

/* `apart` is the distance of the cores, 0 if they touch, `normal` the unit vector between them, on_a and on_b their
 * nearest points. */
TACT_FORCE_INLINE tact_distance answer_distance(double apart, tact_vec3 normal, tact_vec3 on_a, tact_vec3 on_b,
                                                double margin_a, double margin_b)
{
    double distance = apart - (margin_a + margin_b);
    if (!(distance > 0.0)) {
        tact_vec3 common = answer_common_point(margin_a, margin_b, on_a, on_b);
        return (tact_distance){TACT_OK, 0.0, common, common, vec_make(0.0, 0.0, 0.0), {0, 0}, {0, 0}};
    }
    return (tact_distance){
        TACT_OK, distance, vec_mul_add(on_a, margin_a, normal), vec_mul_add(on_b, -margin_b, normal), normal,
        {0, 0},  {0, 0}};
}

#endif
