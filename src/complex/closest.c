/*
 * The point of a mesh, soup or compound closest to a point.
 *
 * Guarantee: the answer is the least of the signed distances of the leaves: outside all leaves the distance, inside
 * minus the depth in the leaf where the point is deepest. The signed distance of a solid mesh is negative inside; of an
 * open mesh never negative except in its margin; of a convex part as convex/closest.c says. It is as accurate as the
 * distance of a point and a convex primitive. Whether the point is inside a solid mesh is decided exactly.
 *
 * NURBS leaves are searched one by one on their true surfaces (nurbs_point.c), to 1e-10 of the size of the leaf. Where
 * the closest point is trimmed away, it is that of the triangles, enlarged by their error.
 *
 * Limit: inside a solid with a margin the distance is that from the mesh plus the margin; at a concave edge the true
 * offset surface is a little farther.
 *
 * Cost: O(log n) as a rule, and one more search for each solid that contains the point.
 */
#include <float.h>

#include "complex/complex_query.h"
#include "complex/nurbs_query.h"
#include "complex/traversal.h"
#include "convex/convex_query.h"
#include "core/number.h"
#include "core/work.h"
#include "exact/ray_triangle.h"
#include "math/fp_environment.h"

typedef struct closest_search {
    tact_vec3 from;
    tact_closest best;
    bool any;
    bool inside;    /* the triangles are those of a solid that contains the point */
    bool triangles; /* also of NURBS shapes */
    tact_status status;
} closest_search;

/* The unit normal of a triangle of a mesh, outward where the mesh is solid; without area any perpendicular to it. */
static tact_vec3 triangle_normal(const primitive *s)
{
    const tact_transform *at = &s->of->at;
    tact_vec3 vertex[3], e, f;
    mesh_triangle(s->of->shape->mesh, at, s->element, vertex);
    tact_vec3 n = tact_triangle_normal(vertex);
    bool mirrored =
        vec_dot(vec_cross(vec_normalize(at->x_axis), vec_normalize(at->y_axis)), vec_normalize(at->z_axis)) < 0.0;
    if (vec_length_squared(n) > 0.0)
        return mirrored ? vec_negate(n) : n;
    tact_vec3 edge = vec_sub(vertex[1], vertex[0]), other = vec_sub(vertex[2], vertex[0]);
    edge = vec_max_abs(edge) > vec_max_abs(other) ? edge : other;
    if (!(vec_max_abs(edge) > 0.0))
        return vec_make(0.0, 0.0, 1.0);
    vec_tangent_basis(vec_normalize(edge), &e, &f);
    return e;
}

/* Turns the answer for a triangle as a convex shape into that of a surface: never negative except in the margin, with
 * the outward normal for a solid. */
static void correct_for_surface(const closest_search *search, const primitive *s, const convex *c, tact_closest *found)
{
    const double margin = c->margin,
                 size = c->bounding_radius + vec_length_safe(vec_sub(search->from, c->transform.origin));
    const bool solid = s->of->shape->mesh->solid;
    double distance = found->distance + margin; /* from the triangle itself */
    tact_vec3 out = found->normal, foot = vec_mul_add(found->point, -margin, out);
    if (distance < 0.0) {
        distance = -distance;
        out = vec_negate(out);
    }
    if (distance <= COMPLEX_CLOSEST_ON_TRIANGLE * size) {
        tact_vec3 n = triangle_normal(s);
        bool turned = solid ? search->inside : vec_dot(n, out) < 0.0;
        out = turned ? vec_negate(n) : n;
    }
    /* `out` points from the triangle to the point: inwards inside a solid */
    if (search->inside) {
        out = vec_negate(out);
        distance = -distance;
    }
    found->distance = distance - margin;
    found->normal = out;
    found->point = vec_mul_add(foot, margin, out);
}

/* Whether the plane perpendicular to the normal of the best point keeps a core of points farther away than `limit`,
 * margin included. */
static bool is_beyond_plane(const closest_search *search, const convex *c, double limit)
{
    if (!search->any || c->kind != CONVEX_POINTS)
        return false;
    const tact_vec3 n = search->inside ? vec_negate(search->best.normal) : search->best.normal;
    const tact_vec3 at = vec_sub(search->from, c->transform.origin);
    double last = -INFINITY;
    for (int i = 0; i < c->point_count; i++)
        last = max_double(last, vec_dot(n, c->points[i]));
    return vec_dot(n, at) - last - c->margin - 32.0 * DBL_EPSILON * (c->bounding_radius + vec_max_abs(at)) >= limit;
}

static double visit_primitive(void *context, const primitive *s, double limit)
{
    closest_search *search = context;
    convex c;
    if (s->of->shape->nurbs != NULL && !search->triangles) /* see visit_surfaces */
        return limit;
    if (tact_primitive_convex(s, &c) != TACT_OK) {
        search->status = TACT_BAD_ARGUMENT;
        return -1.0;
    }
    if (limit > 0.0 && is_beyond_plane(search, &c, limit))
        return limit;
    tact_closest found = tact_convex_closest(&c, search->from, &s->of->shape->allocator);
    if (found.status != TACT_OK)
        search->status = found.status;
    if (found.status == TACT_OUT_OF_MEMORY)
        return -1.0;
    const mesh *m = s->of->shape->mesh;
    if (m != NULL && m->first_index == NULL)
        correct_for_surface(search, s, &c, &found);
    /* inside a solid the closest triangle has the largest of the negative distances */
    bool better = !search->any ||
                  (search->inside ? found.distance > search->best.distance : found.distance < search->best.distance);
    if (better) {
        search->any = true;
        search->best = found;
        search->best.part = primitive_part(s);
    }
    double distance = search->inside ? -search->best.distance - c.margin : search->best.distance;
    return number_min(number_max(distance, 0.0), limit);
}

/* Takes over the closest point of a leaf with surfaces, if it is better; `inside`: in this solid. */
static void take_foot(closest_search *search, const instance *leaf, const surface_foot *foot, bool inside)
{
    const double margin = tact_nurbs_leaf_margin(leaf),
                 size = foot->distance + vec_max_abs(foot->point) + leaf->shape->bounding_radius,
                 distance = (inside ? -foot->distance : foot->distance) - margin;
    if (search->any && !(distance < search->best.distance))
        return;
    tact_vec3 out = foot->normal;
    if (foot->distance > COMPLEX_CLOSEST_ON_TRIANGLE * size || !(vec_max_abs(out) > 0.0)) {
        out = vec_sub(search->from, foot->point);
        out = vec_max_abs(out) > 0.0 ? vec_normalize(out) : vec_make(0.0, 0.0, 1.0);
        out = inside ? vec_negate(out) : out;
    } else if (!leaf->shape->mesh->solid && foot->turn < 0.0) {
        out = vec_negate(out);
    }
    search->any = true;
    search->best = (tact_closest){TACT_OK, distance, vec_mul_add(foot->point, margin, out), out, foot->part};
}

/* The closest point on the true surfaces of a leaf. */
static bool visit_surfaces(void *context, const instance *leaf)
{
    closest_search *search = context;
    if (leaf->shape->nurbs == NULL)
        return true;
    const double margin = tact_nurbs_leaf_margin(leaf);
    const bool inside = leaf->shape->mesh->solid && tact_nurbs_solid_holds(leaf, search->from, &search->status);
    if (!inside && search->any && !(search->best.distance + margin >= 0.0))
        return true; /* deeper in another leaf than the margin of this one */
    const surface_foot foot = tact_nurbs_closest_on_leaf(
        leaf, search->from, inside || !search->any ? INFINITY : search->best.distance + margin);
    if (foot.status != TACT_OK)
        search->status = foot.status;
    if (foot.status == TACT_OUT_OF_MEMORY || foot.status == TACT_BAD_ARGUMENT)
        return false;
    if (foot.any && !foot.trimmed) {
        take_foot(search, leaf, &foot, inside);
    } else if (foot.any) { /* trimmed away: the triangles, enlarged by their error */
        closest_search within = {.from = search->from, .inside = inside, .triangles = true, .status = TACT_OK};
        traversal w = {&within, NULL, visit_primitive, false, TACT_OK};
        (void)tact_traverse_closest(&w, leaf, search->from, INFINITY);
        search->status = within.status != TACT_OK ? within.status : search->status;
        if (within.any && (!search->any || within.best.distance < search->best.distance)) {
            search->best = within.best;
            search->any = true;
        }
    }
    return search->status != TACT_OUT_OF_MEMORY;
}

/* If a leaf is a solid that contains the point: minus the distance to its surface. */
static bool visit_leaf(void *context, const instance *leaf)
{
    closest_search *search = context;
    const mesh *m = leaf->shape->mesh;
    if (m == NULL || !m->solid || leaf->shape->nurbs != NULL || !tact_solid_holds(leaf, search->from))
        return true;
    closest_search within = {.from = search->from, .inside = true, .status = TACT_OK};
    traversal w = {&within, NULL, visit_primitive, false, TACT_OK};
    (void)tact_traverse_closest(&w, leaf, search->from, INFINITY);
    if (within.status != TACT_OK)
        search->status = within.status;
    if (within.any && (!search->any || within.best.distance < search->best.distance)) {
        search->best = within.best;
        search->any = true;
    }
    return within.status != TACT_OUT_OF_MEMORY;
}

static TACT_NOINLINE tact_closest compute_closest(const tact_shape *shape, const tact_transform *at, tact_vec3 from)
{
    const tact_closest bad = {.status = TACT_BAD_ARGUMENT};
    instance p;
    if (tact_instance_make(&p, shape, at) != TACT_OK || shape_is_empty(shape))
        return bad;
    closest_search search = {.from = from, .status = TACT_OK};
    if (shape_has_solid(shape))
        (void)tact_traverse_leaves_at(&p, from, visit_leaf, &search);
    if (search.status == TACT_OUT_OF_MEMORY)
        return (tact_closest){.status = search.status};
    if (shape_has_nurbs(shape)) {
        (void)tact_traverse_leaves(&p, visit_surfaces, &search);
        if (search.status == TACT_OUT_OF_MEMORY || search.status == TACT_BAD_ARGUMENT)
            return (tact_closest){.status = search.status};
    }
    traversal w = {&search, NULL, visit_primitive, false, TACT_OK};
    if (shape->nurbs == NULL)
        (void)tact_traverse_closest(&w, &p, from, search.any ? number_max(search.best.distance, 0.0) : INFINITY);
    if (w.status != TACT_OK || search.status == TACT_OUT_OF_MEMORY || search.status == TACT_BAD_ARGUMENT)
        return (tact_closest){.status = w.status != TACT_OK ? w.status : search.status};
    search.best.status = search.status;
    return search.best;
}

tact_closest tact_complex_closest(const tact_shape *shape, const tact_transform *at, tact_vec3 from)
{
    const fp_environment found = fp_environment_enter();
    const tact_closest answer = compute_closest(shape, at, from);
    fp_environment_leave(found);
    return work_is_cancelled() ? (tact_closest){.status = TACT_CANCELLED} : answer;
}
