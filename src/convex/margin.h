/* Distance, closest points and common point of two shapes with margins, from those of their cores. */
#ifndef TACT_CONVEX_MARGIN_H
#define TACT_CONVEX_MARGIN_H

#include <tact/query.h>

#include "convex/gjk.h"
#include "core/inline.h"
#include "math/vec.h"

/* A point in both shapes, from closest points of the cores at most the sum of the margins apart: it divides the segment
 * between them in the ratio of the margins. */
TACT_FORCE_INLINE tact_vec3 margin_common_point(double margin_a, double margin_b, tact_vec3 on_a, tact_vec3 on_b)
{
    double whole = margin_a + margin_b, part = whole > 0.0 ? margin_b / whole : 0.5;
    double rest = whole > 0.0 ? margin_a / whole : 0.5;
    return vec_add(vec_scale(on_a, part), vec_scale(on_b, rest));
}

/* A proved lower bound of the core distance that stays above `limit` when the margins are subtracted. Rounding may take
 * an ulp or two. */
static inline double margin_lower_bound(double lower, double margins, double limit)
{
    while (!(lower - margins > limit) && lower < INFINITY)
        lower = nextafter(lower, INFINITY);
    return lower;
}

/* `core_distance` is 0 if the cores touch. `normal` is the unit vector from on_a to on_b, the closest points of the
 * cores. */
TACT_FORCE_INLINE tact_distance margin_distance(double core_distance, tact_vec3 normal, tact_vec3 on_a, tact_vec3 on_b,
                                                double margin_a, double margin_b)
{
    double distance = core_distance - (margin_a + margin_b);
    if (!(distance > 0.0)) {
        tact_vec3 common = margin_common_point(margin_a, margin_b, on_a, on_b);
        return (tact_distance){TACT_OK, 0.0, common, common, vec_make(0.0, 0.0, 0.0), {0, 0}, {0, 0}};
    }
    return (tact_distance){
        TACT_OK, distance, vec_mul_add(on_a, margin_a, normal), vec_mul_add(on_b, -margin_b, normal), normal,
        {0, 0},  {0, 0}};
}

/* The same from the result of a GJK that has converged; on_a and on_b are its points in world coordinates. Stores the
 * separating axis in the cache. */
TACT_FORCE_INLINE tact_distance margin_gjk_distance(const gjk_result *core, tact_vec3 on_a, tact_vec3 on_b,
                                                    double margin_a, double margin_b, const tact_distance_def *def)
{
    double core_distance = core->status == GJK_OVERLAP ? 0.0 : core->upper;
    if (core->status == GJK_BEYOND_LIMIT)
        core_distance = margin_lower_bound(core->lower, margin_a + margin_b, def->upper_bound);
    if (def->cache != NULL && core->status != GJK_OVERLAP)
        def->cache->axis = core->normal;
    return margin_distance(core_distance, core->normal, on_a, on_b, margin_a, margin_b);
}

#endif
