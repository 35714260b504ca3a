/*
 * The point of a shape's surface nearest to a point, and whether a point is in a shape.
 *
 * Guarantee: the distance is within 1e-10 of itself plus a few roundings of the coordinates, signed, and one answer
 * through zero: outside, and in the margin around the core, it is GJK's distance of the core from the point less the
 * margin; inside the core, and where the point is so near to the core that its direction would be rounding, it is the
 * depth of the point in the shape (convex/epa.h). Cost: one GJK, or one depth. A point is a convex core like any
 * other, made here by hand, so nothing is allocated for it.
 */
#include "convex/convex_constants.h"
#include "convex/convex_query.h"

#include "convex/closed_form.h"
#include "convex/gjk.h"

/* Moves the shape to its own origin, and the point relative to it. */
static convex at_origin(const convex *placed, convex *point, tact_vec3 from)
{
    convex c = *placed;
    *point = convex_point(placed->shape, vec_sub(from, placed->transform.origin));
    c.transform.origin = vec_make(0.0, 0.0, 0.0);
    return c;
}

/* How far the plane with this normal that supports the core is from the point. */
static double clearance(const convex *c, const convex *point, tact_vec3 normal)
{
    return vec_dot(normal, vec_sub(point->transform.origin, tact_convex_support(c, normal, NULL)));
}

/* The normal of a point that GJK found to be outside the core. That of the nearest points leans by the root of their
 * error over the distance, which near a curved shape is much: where its plane does not keep the shape clear by what
 * GJK has proved, GJK is asked to decide about nearly that distance and ends with the direction that proves it. */
static tact_vec3 outward(const convex *c, const convex *point, const gjk_result *g, double size)
{
    double clear = clearance(c, point, g->normal),
           slack = CLOSEST_NORMAL_PROOF * g->lower + CLOSEST_NEAR_CORE / 4.0 * size;
    if (clear >= g->lower - slack)
        return g->normal;
    gjk_result again = {0};
    tact_gjk_within(c, point, g->lower - 0.5 * slack, g->normal, &again);
    return again.status == GJK_BEYOND_LIMIT && clearance(c, point, again.normal) > clear ? again.normal : g->normal;
}

tact_closest tact_convex_closest(const convex *placed, tact_vec3 from, const tact_allocator *allocator)
{
    tact_closest answer = {.status = TACT_BAD_ARGUMENT};
    const tact_vec3 origin = placed->transform.origin;
    convex point, c = at_origin(placed, &point, from);
    gjk_result g = {0};
    if (!tact_closed_form_distance(&c, &point, &g))
        tact_gjk(&c, &point, 0.0, INFINITY, vec_make(0.0, 0.0, 0.0), &g);
    if (g.count == 0) { /* a custom support function gave no number */
        answer.status = TACT_NOT_CONVERGED;
        return answer;
    }
    double size = c.bounding_radius + vec_max_abs(point.transform.origin);
    bool met = g.status != GJK_NOT_CONVERGED || g.upper - g.lower <= CLOSEST_ACCURACY * g.upper + CLOSEST_STALL * size;
    if (g.status != GJK_OVERLAP && g.lower > CLOSEST_NEAR_CORE * size) {
        answer.status = met ? TACT_OK : TACT_NOT_CONVERGED;
        answer.distance = g.upper - c.margin;
        answer.normal = outward(&c, &point, &g, size);
        answer.point = vec_add(vec_mul_add(g.on_a, c.margin, answer.normal), origin);
        return answer;
    }
    tact_penetration d = {0};
    answer.status = tact_convex_penetration(&c, &point, allocator, &d);
    if (answer.status == TACT_NOT_CONVERGED && d.depth < 0.0 && g.lower > 0.0 && met)
        answer.status = TACT_OK;
    answer.distance = -d.depth;
    answer.normal = d.normal;
    answer.point =
        vec_mul_add(from, d.depth, d.normal); /* not d.on_a: that shares what rounding misses with our side */
    return answer;
}

tact_overlap tact_convex_contains(const convex *placed, tact_vec3 point)
{
    convex core, c = at_origin(placed, &core, point);
    double limit =
        c.margin + CLOSEST_ON_SURFACE * (c.bounding_radius + c.margin + vec_max_abs(placed->transform.origin));
    gjk_result g = {0};
    if (tact_closed_form_distance(&c, &core, &g))
        return (tact_overlap){TACT_OK, g.upper <= limit ? TACT_HIT : TACT_MISS};
    tact_gjk_within(&c, &core, limit, vec_make(0.0, 0.0, 0.0), &g);
    return gjk_overlap(g.status);
}
