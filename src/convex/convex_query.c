/*
 * Distance, overlap within a distance, and common point of two convex shapes: the bounds that GJK or a closed form
 * proves for the cores, and the arithmetic of the margins.
 *
 * With core distance c and margins ma, mb the shapes are c - (ma + mb) apart. The margins' spheres touch on the line
 * between the closest points of the cores. Swapping A and B mirrors the answer bit for bit: GJK is exactly symmetric on
 * polytopes, and every other pair is computed in one order (convex/pair_order.h) and mirrored back.
 */
#include "convex/convex_query.h"

#include "convex/closed_form.h"
#include "convex/gjk.h"
#include "convex/margin.h"
#include "convex/pair_order.h"
#include "core/inline.h"

/* Whether the fast GJK may run, or the caller has run it on this pair and it failed. */
typedef enum fast_search { FAST_SEARCH_OPEN, FAST_SEARCH_FAILED } fast_search;

/* GJK is exactly symmetric on polytopes, unless the origins coincide and no axis is known. Curved shapes, custom
 * support functions and the closed form of two segments are not. */
static bool order_matters(const convex *a, const convex *b, tact_vec3 axis)
{
    return !tact_convex_is_polytope(a) || !tact_convex_is_polytope(b) || (a->point_count == 2 && b->point_count == 2) ||
           (vec_equal(a->transform.origin, b->transform.origin) && !(vec_max_abs(axis) > 0.0));
}

static void mirror(gjk_result *result)
{
    tact_vec3 on_a = result->on_a;
    result->on_a = result->on_b;
    result->on_b = on_a;
    result->normal = vec_negate(result->normal);
}

/* The axis to begin with; one that is not finite counts as unknown. */
static tact_vec3 cached_axis(const tact_cache *cache)
{
    return cache != NULL && vec_finite(cache->axis) ? cache->axis : vec_make(0.0, 0.0, 0.0);
}

TACT_FORCE_INLINE void core_distance(const convex *a, const convex *b, double accuracy, double enough, tact_vec3 axis,
                                     fast_search fast, gjk_result *result)
{
    bool swapped = order_matters(a, b, axis) && tact_compare_convex(a, b) > 0;
    const convex *first = swapped ? b : a, *second = swapped ? a : b;
    tact_vec3 start = swapped ? vec_negate(axis) : axis;
    if (!(a->point_count > 0 && b->point_count > 0 && tact_closed_form_distance(first, second, result))) {
        if (fast == FAST_SEARCH_OPEN)
            tact_gjk_distance(first, second, accuracy, enough, start, result);
        else
            tact_gjk_distance_robust(first, second, accuracy, enough, start, result);
    }
    if (swapped)
        mirror(result);
}

/* The best bounds that were found. */
TACT_COLD tact_distance not_converged(const convex *a, const convex *b, const gjk_result *core, tact_cache *cache)
{
    tact_distance answer = {.status = TACT_OK};
    if (core->count > 0) { /* 0: a custom support function returned NaN */
        answer = margin_distance(core->upper, core->normal, core->on_a, core->on_b, a->margin, b->margin);
        if (cache != NULL)
            cache->axis = core->normal;
    }
    answer.status = TACT_NOT_CONVERGED;
    return answer;
}

TACT_FORCE_INLINE tact_distance find_distance(const convex *a, const convex *b, const tact_distance_def *def,
                                              fast_search fast)
{
    gjk_result core;
    core_distance(a, b, def->accuracy, def->upper_bound + (a->margin + b->margin), cached_axis(def->cache), fast,
                  &core);
    if (core.status == GJK_NOT_CONVERGED)
        return not_converged(a, b, &core, def->cache);
    return margin_gjk_distance(&core, core.on_a, core.on_b, a->margin, b->margin, def);
}

/* Whether two cores come within `limit` of each other; stores the separating axis if they do not. */
static void decide_within(const convex *a, const convex *b, double limit, tact_cache *cache, fast_search fast,
                          gjk_result *core)
{
    tact_vec3 axis = cached_axis(cache);
    bool swapped = order_matters(a, b, axis) && tact_compare_convex(a, b) > 0;
    const convex *first = swapped ? b : a, *second = swapped ? a : b;
    tact_vec3 start = swapped ? vec_negate(axis) : axis;
    if (tact_closed_form_distance(first, second, core))
        core->status = core->upper > limit ? GJK_BEYOND_LIMIT : GJK_WITHIN_LIMIT;
    else if (fast == FAST_SEARCH_OPEN)
        tact_gjk_within(first, second, limit, start, core);
    else
        tact_gjk_within_robust(first, second, limit, start, core);
    if (swapped)
        mirror(core);
    if (cache != NULL && core->status == GJK_BEYOND_LIMIT)
        cache->axis = core->normal;
}

static tact_overlap find_within(const convex *a, const convex *b, double distance, tact_cache *cache, fast_search fast)
{
    gjk_result core;
    decide_within(a, b, distance + (a->margin + b->margin), cache, fast, &core);
    return gjk_overlap(core.status);
}

tact_distance tact_convex_distance(const convex *a, const convex *b, const tact_distance_def *def)
{
    return find_distance(a, b, def, FAST_SEARCH_OPEN);
}

tact_distance tact_convex_distance_robust(const convex *a, const convex *b, const tact_distance_def *def)
{
    return find_distance(a, b, def, FAST_SEARCH_FAILED);
}

tact_overlap tact_convex_within(const convex *a, const convex *b, double distance, tact_cache *cache)
{
    return find_within(a, b, distance, cache, FAST_SEARCH_OPEN);
}

tact_overlap tact_convex_within_robust(const convex *a, const convex *b, double distance, tact_cache *cache)
{
    return find_within(a, b, distance, cache, FAST_SEARCH_FAILED);
}

tact_common_point tact_convex_common_point(const convex *a, const convex *b, tact_cache *cache)
{
    gjk_result core;
    decide_within(a, b, a->margin + b->margin, cache, FAST_SEARCH_OPEN, &core);
    tact_overlap overlap = gjk_overlap(core.status);
    tact_common_point answer = {.status = overlap.status, .state = overlap.state};
    if (answer.state == TACT_HIT)
        answer.point = margin_common_point(a->margin, b->margin, core.on_a, core.on_b);
    return answer;
}
