/*
 * The closest point of a convex shape's surface to a point, and the test whether a point is in a shape.
 *
 * Guarantee: the signed distance has a relative error of at most 1e-10, plus a few rounding errors of the coordinates,
 * and is continuous through zero. Outside the shape and within its margin, it is GJK's distance of the core from the
 * point less the margin. Inside the core, and so close to it that the direction would be rounding error, it is minus
 * the penetration depth of the point (penetration.c).
 * Cost: one run of GJK, or one penetration query. The point is itself a convex core, which needs no memory.
 */
#include "convex/convex_constants.h"
#include "convex/convex_query.h"

#include "convex/closed_form.h"
#include "convex/gjk.h"

/* Moves the shape to its own origin, and the point relative to it. */
static convex at_origin(const convex *instance, convex *point, tact_vec3 from)
{
    convex c = *instance;
    *point = convex_point(instance->shape, vec_sub(from, instance->transform.origin));
    c.transform.origin = vec_make(0.0, 0.0, 0.0);
    return c;
}

/* The distance of the point from the supporting plane of the core with this normal. */
static double clearance(const convex *c, const convex *point, tact_vec3 normal)
{
    return vec_dot(normal, vec_sub(point->transform.origin, tact_convex_support(c, normal, NULL)));
}

/* The outward normal for a point that GJK found outside the core. The direction between the closest points is off by
 * the root of their error relative to the distance, which is large close to a curved shape. If its plane does not prove
 * GJK's lower bound, a separation test at nearly that distance gives a direction that does. */
static tact_vec3 outward_normal(const convex *c, const convex *point, const gjk_result *g, double size)
{
    double proved = clearance(c, point, g->normal),
           slack = CLOSEST_NORMAL_PROOF * g->lower + CLOSEST_NORMAL_SLACK * size;
    if (proved >= g->lower - slack)
        return g->normal;
    gjk_result again = {0};
    tact_gjk_within(c, point, g->lower - 0.5 * slack, g->normal, &again);
    return again.status == GJK_BEYOND_LIMIT && clearance(c, point, again.normal) > proved ? again.normal : g->normal;
}

tact_closest tact_convex_closest(const convex *instance, tact_vec3 from, const tact_allocator *allocator)
{
    tact_closest answer = {.status = TACT_BAD_ARGUMENT};
    const tact_vec3 origin = instance->transform.origin;
    convex point, c = at_origin(instance, &point, from);
    gjk_result g = {0};
    if (!tact_closed_form_distance(&c, &point, &g))
        tact_gjk(&c, &point, 0.0, INFINITY, vec_make(0.0, 0.0, 0.0), &g);
    if (g.count == 0) { /* a custom support function returned NaN */
        answer.status = TACT_NOT_CONVERGED;
        return answer;
    }
    double size = c.bounding_radius + vec_max_abs(point.transform.origin);
    bool converged = g.status != GJK_NOT_CONVERGED || g.upper - g.lower <= CONVEX_DISTANCE_ACCURACY * g.upper;
    if (g.status != GJK_OVERLAP && g.lower > CLOSEST_NEAR_CORE * size) {
        answer.status = converged ? TACT_OK : TACT_NOT_CONVERGED;
        answer.distance = g.upper - c.margin;
        answer.normal = outward_normal(&c, &point, &g, size);
        answer.point = vec_add(vec_mul_add(g.on_a, c.margin, answer.normal), origin);
        return answer;
    }
    tact_penetration d = {0};
    answer.status = tact_convex_penetration(&c, &point, allocator, &d);
    if (answer.status == TACT_NOT_CONVERGED && d.depth < 0.0 && g.lower > 0.0 && converged)
        answer.status = TACT_OK;
    answer.distance = -d.depth;
    answer.normal = d.normal;
    /* Not d.on_a, which takes a share of the rounding error. */
    answer.point = vec_mul_add(from, d.depth, d.normal);
    return answer;
}

tact_overlap tact_convex_contains(const convex *instance, tact_vec3 point)
{
    convex core, c = at_origin(instance, &core, point);
    double limit =
        c.margin + CLOSEST_ON_SURFACE * (c.bounding_radius + c.margin + vec_max_abs(instance->transform.origin));
    gjk_result g = {0};
    if (tact_closed_form_distance(&c, &core, &g))
        return (tact_overlap){TACT_OK, g.upper <= limit ? TACT_HIT : TACT_MISS};
    tact_gjk_within(&c, &core, limit, vec_make(0.0, 0.0, 0.0), &g);
    return gjk_overlap(g.status);
}
