/*
 * The first hit of a ray on a mesh, soup or compound.
 *
 * Guarantee: hits on triangles of meshes without margin are decided exactly (exact/ray_triangle.h), so no ray passes
 * through a closed surface. Other primitives are as convex/ray.c says. A ray that starts inside a solid mesh, which is
 * decided exactly too, is a hit at 0.
 *
 * NURBS leaves without margin are hit on their true surfaces, one leaf after the other: nurbs_ray.c says what is
 * guaranteed. With a margin the triangles are hit, enlarged by the margin and their error: not after the true surface,
 * and before it by less than twice the error along the normal.
 *
 * Cost: O(log n) as a rule. A mesh with a margin takes a search of its surroundings along the ray.
 */
#include "complex/complex_query.h"
#include "complex/nurbs_query.h"
#include "complex/traversal.h"
#include "convex/convex_query.h"
#include "core/work.h"
#include "exact/ray_triangle.h"
#include "math/fp_environment.h"

typedef struct ray_search {
    exact_ray line;
    tact_vec3 from, direction;
    double max;
    tact_ray_hit best;
    tact_status status; /* of a primitive that could not be decided */
} ray_search;

static bool visit_leaf(void *context, const instance *leaf)
{
    ray_search *s = context;
    const mesh *m = leaf->shape->mesh;
    if (m == NULL || !m->solid || !tact_nurbs_solid_holds(leaf, s->from, &s->status))
        return true;
    s->best = (tact_ray_hit){.status = TACT_OK, .state = TACT_HIT, .point = s->from, .part = {leaf->leaf, 0}};
    return false;
}

static bool has_bare_surfaces(const instance *leaf)
{
    return leaf->shape->nurbs != NULL && tact_nurbs_leaf_margin(leaf) == 0.0;
}

/* The first hit on the true surfaces of a leaf. */
static bool visit_surfaces(void *context, const instance *leaf)
{
    ray_search *s = context;
    if (!has_bare_surfaces(leaf))
        return true;
    tact_ray_hit hit =
        tact_nurbs_ray_on_leaf(leaf, s->from, s->direction, s->best.state == TACT_HIT ? s->best.t : s->max);
    if (hit.status != TACT_OK)
        s->status = hit.status;
    if (hit.state == TACT_HIT && (s->best.state != TACT_HIT || hit.t < s->best.t))
        s->best = hit;
    return s->status == TACT_OK && !(s->best.state == TACT_HIT && s->best.t == 0.0);
}

static double visit_primitive(void *context, const primitive *on, double limit)
{
    ray_search *s = context;
    if (has_bare_surfaces(on->of)) /* see visit_surfaces */
        return limit;
    double t = 0.0;
    tact_vec3 normal = {0.0, 0.0, 0.0};
    if (primitive_is_one_sided(on) && !(vec_dot(tact_primitive_front(on), s->direction) < 0.0))
        return limit; /* from behind */
    if (primitive_is_triangle(on)) {
        tact_vec3 vertex[3];
        mesh_triangle(on->of->shape->mesh, &on->of->at, on->element, vertex);
        if (!tact_ray_triangle(&s->line, vertex, &t, &normal) || t > limit)
            return limit;
    } else {
        convex c;
        tact_ray_hit hit = {.status = TACT_BAD_ARGUMENT};
        if (tact_primitive_convex(on, &c) == TACT_OK)
            hit = tact_convex_ray(&c, s->from, s->direction, limit);
        if (hit.status != TACT_OK)
            s->status = hit.status;
        if (hit.status != TACT_OK || hit.state != TACT_HIT)
            return limit;
        t = hit.t;
        normal = hit.normal;
    }
    if (s->best.state == TACT_HIT && !(t < s->best.t))
        return limit;
    s->best =
        (tact_ray_hit){.status = TACT_OK, .state = TACT_HIT, .t = t, .point = s->from, .part = primitive_part(on)};
    if (!(t > 0.0))
        return -1.0; /* it starts here: nothing is closer */
    s->best.point = vec_mul_add(s->from, t, s->direction);
    s->best.normal = normal;
    return t;
}

static TACT_NOINLINE tact_ray_hit compute_ray(const tact_shape *shape, const tact_transform *at, tact_vec3 from,
                                              tact_vec3 direction, double max)
{
    const tact_ray_hit bad = {.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    instance p;
    if (tact_instance_make(&p, shape, at) != TACT_OK)
        return bad;
    ray_search s = {.line = tact_exact_ray_make(from, direction),
                    .from = from,
                    .direction = direction,
                    .max = max,
                    .status = TACT_OK};
    s.best = (tact_ray_hit){.status = TACT_OK, .state = TACT_MISS};
    if (shape_has_solid(shape) && !tact_traverse_leaves_at(&p, from, visit_leaf, &s))
        return s.best;
    traversal w = {&s, NULL, visit_primitive, false, TACT_OK};
    if (!has_bare_surfaces(&p))
        (void)tact_traverse_ray(&w, &p, from, direction, max);
    if (shape_has_nurbs(shape) && !(s.best.state == TACT_HIT && s.best.t == 0.0))
        (void)tact_traverse_leaves(&p, visit_surfaces, &s);
    tact_status status = w.status != TACT_OK ? w.status : s.status;
    if (status != TACT_OK && !(s.best.state == TACT_HIT && s.best.t == 0.0))
        return (tact_ray_hit){.status = status, .state = TACT_UNKNOWN};
    if (!vec_finite(s.best.point)) /* the parameter is finite, its product is not */
        s.best.point = vec_mul_add(from, s.best.t * vec_length_safe(direction), vec_normalize(direction));
    return s.best;
}

tact_ray_hit tact_complex_ray(const tact_shape *shape, const tact_transform *at, tact_vec3 from, tact_vec3 direction,
                              double max)
{
    const fp_environment found = fp_environment_enter();
    const tact_ray_hit answer = compute_ray(shape, at, from, direction, max);
    fp_environment_leave(found);
    return work_is_cancelled() ? (tact_ray_hit){.status = TACT_CANCELLED, .state = TACT_UNKNOWN} : answer;
}
