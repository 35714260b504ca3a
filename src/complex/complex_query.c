/*
 * Distance, overlap, overlap within a distance and common point of meshes, soups and compounds.
 *
 * Guarantee: overlap of two meshes is exact for their transformed vertices (exact/triangle.h). With any other
 * primitive, or a margin, it is that of convex shapes. The distance is 0 exactly when the shapes touch. A solid mesh
 * contains what is inside it, by exact parity: one test for each connected component of the other. Swapping A and B
 * mirrors the answer: both orders do the same arithmetic.
 *
 * Cost: the pairs of primitives that the trees cannot separate, close ones first; for solids a ray for each component.
 *
 * All entry points of complex/ switch to the default floating-point environment first. The transformed vertices, which
 * exact answers refer to, are then the same in every rounding mode of the caller. Some 8 ns a call.
 */
#include "complex/complex_query.h"

#include <float.h>
#include <stdlib.h>
#include <tact/predicates.h>

#include "complex/traversal.h"
#include "convex/convex_query.h"
#include "core/work.h"
#include "exact/ray_triangle.h"
#include "exact/triangle.h"
#include "math/fp_environment.h"

/* ---- triangles --------------------------------------------------------------------------------------------------- */

static void primitive_triangle(const primitive *s, tact_vec3 vertex[3])
{
    mesh_triangle(s->of->shape->mesh, &s->of->at, s->element, vertex);
}

static bool primitive_triangles_meet(const primitive *a, const primitive *b)
{
    tact_vec3 p[3], q[3];
    primitive_triangle(a, p);
    primitive_triangle(b, q);
    return tact_triangles_intersect(p, q);
}

/* The centroid of the vertices of the intersection of two triangles. */
static bool triangles_common(const primitive *a, const primitive *b, tact_vec3 *point)
{
    tact_vec3 p[3], q[3];
    triangle_intersection cut;
    primitive_triangle(a, p);
    primitive_triangle(b, q);
    int count = tact_triangles_intersection(p, q, &cut);
    if (count == 0)
        return false;
    *point = vec_make(0.0, 0.0, 0.0);
    for (int i = 0; i < count; i++)
        *point = vec_mul_add(*point, 1.0 / count, cut.vertices[i].position);
    return true;
}

/* ---- two shapes -------------------------------------------------------------------------------------------------- */

/* --- overlap --- */

typedef struct overlap_search {
    double distance;
    tact_state state;
    tact_status status; /* of the worst pair */
    tact_cache cache;   /* from one pair of primitives to the next: neighbours have similar separating axes */
} overlap_search;

static double test_pair(void *context, const primitive *a, const primitive *b, double limit)
{
    overlap_search *s = context;
    if (!primitives_collide(a, b))
        return limit;
    if (s->distance == 0.0 && primitive_is_triangle(a) && primitive_is_triangle(b)) {
        s->state = primitive_triangles_meet(a, b) ? TACT_HIT : TACT_MISS;
    } else {
        convex ca, cb;
        if (!primitives_convex(a, b, &ca, &cb, &s->status))
            return -1.0;
        tact_overlap v = tact_convex_within(&ca, &cb, s->distance, &s->cache);
        if (v.status != TACT_OK)
            s->status = v.status;
        s->state = v.state;
    }
    return s->state == TACT_HIT ? -1.0 : limit;
}

/* Two meshes without margins, the case that must be fast: directly from the trees. A triangle is transformed once while
 * consecutive pairs share it. */
typedef struct mesh_pair_test {
    const instance *a, *b;
    uint32_t last_a, last_b;
    tact_vec3 vertices_a[3], vertices_b[3];
} mesh_pair_test;

static bool test_triangles(void *context, uint32_t i, uint32_t j)
{
    mesh_pair_test *s = context;
    if (i != s->last_a)
        mesh_triangle(s->a->shape->mesh, &s->a->at, s->last_a = i, s->vertices_a);
    if (j != s->last_b)
        mesh_triangle(s->b->shape->mesh, &s->b->at, s->last_b = j, s->vertices_b);
    return !tact_triangles_intersect(s->vertices_a, s->vertices_b);
}

static bool is_bare_mesh(const instance *p)
{
    return p->shape->type == TACT_MESH && p->margin == 0.0 && !p->shape->mesh->one_sided;
}

/* Whether bounding spheres about the origins prove that the shapes are farther apart than `distance`. */
static bool far_apart(const instance *a, const instance *b, double distance)
{
    const double slack = COMPLEX_SPHERE_SLACK;
    double radii = (a->shape->bounding_radius * transform_norm_bound(&a->at) + complex_margin(a->shape, &a->at)) +
                   (b->shape->bounding_radius * transform_norm_bound(&b->at) + complex_margin(b->shape, &b->at)) +
                   distance;
    double origins = vec_max_abs(a->at.origin) + vec_max_abs(b->at.origin);
    return vec_length_safe(vec_sub(b->at.origin, a->at.origin)) > radii + slack * (radii + origins);
}

static bool primitives_touch(instance both[2], double distance, overlap_search *s, traversal *w)
{
    if (distance == 0.0 && is_bare_mesh(&both[0]) && is_bare_mesh(&both[1])) {
        mesh_pair_test t = {.a = &both[0], .b = &both[1], .last_a = UINT32_MAX, .last_b = UINT32_MAX};
        return !tact_traverse_triangles(t.a, t.b, COMPLEX_TRIANGLE_TREE_AXES, test_triangles, &t);
    }
    (void)tact_traverse_pairs(w, &both[0], &both[1], distance);
    return s->state == TACT_HIT;
}

static TACT_NOINLINE tact_overlap compute_within(const tact_shape *a, const tact_transform *transform_a,
                                                 const tact_shape *b, const tact_transform *transform_b,
                                                 double distance)
{
    instance both[2];
    bool swapped;
    if (tact_instance_pair(both, a, transform_a, b, transform_b, &swapped) != TACT_OK)
        return (tact_overlap){TACT_BAD_ARGUMENT, TACT_UNKNOWN};
    overlap_search s = {.distance = distance, .state = TACT_MISS, .status = TACT_OK};
    traversal w = {&s, test_pair, NULL, distance == 0.0, TACT_OK};
    tact_common_point common;
    if (far_apart(&both[0], &both[1], distance))
        return (tact_overlap){TACT_OK, TACT_MISS};
    if (primitives_touch(both, distance, &s, &w) ||
        (w.status == TACT_OK && tact_complex_inside(&both[0], &both[1], &common)))
        return (tact_overlap){TACT_OK, TACT_HIT};
    tact_status status = w.status != TACT_OK ? w.status : s.status;
    return (tact_overlap){status, status == TACT_OK ? TACT_MISS : TACT_UNKNOWN};
}

tact_overlap tact_complex_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                 const tact_transform *transform_b, double distance)
{
    const fp_environment found = fp_environment_enter();
    const tact_overlap answer = compute_within(a, transform_a, b, transform_b, distance);
    fp_environment_leave(found);
    return work_is_cancelled() ? (tact_overlap){TACT_CANCELLED, TACT_UNKNOWN} : answer;
}

/* --- common point --- */

typedef struct common_search {
    tact_common_point found;
    tact_status status;
    tact_cache cache;
} common_search;

static double common_pair(void *context, const primitive *a, const primitive *b, double limit)
{
    common_search *s = context;
    if (!primitives_collide(a, b))
        return limit;
    if (primitive_is_triangle(a) && primitive_is_triangle(b)) {
        s->found.state = triangles_common(a, b, &s->found.point) ? TACT_HIT : TACT_MISS;
    } else {
        convex ca, cb;
        if (!primitives_convex(a, b, &ca, &cb, &s->status))
            return -1.0;
        tact_common_point c = tact_convex_common_point(&ca, &cb, &s->cache);
        if (c.status != TACT_OK)
            s->status = c.status;
        s->found.state = c.state;
        s->found.point = c.point;
    }
    if (s->found.state != TACT_HIT)
        return limit;
    s->found.part_a = primitive_part(a);
    s->found.part_b = primitive_part(b);
    return -1.0;
}

static void swap_parts(tact_part *a, tact_part *b)
{
    tact_part part = *a;
    *a = *b;
    *b = part;
}

static TACT_NOINLINE tact_common_point compute_common_point(const tact_shape *a, const tact_transform *transform_a,
                                                            const tact_shape *b, const tact_transform *transform_b)
{
    const tact_common_point nothing = {.status = TACT_OK, .state = TACT_MISS};
    instance both[2];
    bool swapped;
    if (tact_instance_pair(both, a, transform_a, b, transform_b, &swapped) != TACT_OK)
        return (tact_common_point){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    common_search s = {.found = nothing, .status = TACT_OK};
    traversal w = {&s, common_pair, NULL, true, TACT_OK};
    (void)tact_traverse_pairs(&w, &both[0], &both[1], 0.0);
    if (s.found.state != TACT_HIT) {
        s.found = nothing;
        if (w.status != TACT_OK || !tact_complex_inside(&both[0], &both[1], &s.found)) {
            tact_status status = w.status != TACT_OK ? w.status : s.status;
            return (tact_common_point){.status = status, .state = status == TACT_OK ? TACT_MISS : TACT_UNKNOWN};
        }
    }
    if (swapped)
        swap_parts(&s.found.part_a, &s.found.part_b);
    return s.found;
}

tact_common_point tact_complex_common_point(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                            const tact_transform *transform_b)
{
    const fp_environment found = fp_environment_enter();
    const tact_common_point answer = compute_common_point(a, transform_a, b, transform_b);
    fp_environment_leave(found);
    return work_is_cancelled() ? (tact_common_point){.status = TACT_CANCELLED, .state = TACT_UNKNOWN} : answer;
}

static TACT_NOINLINE tact_common_point compute_self_common_point(const tact_shape *shape, const tact_transform *at,
                                                                 const uint32_t triangles[2])
{
    const instance local = {.shape = shape, .at = tact_identity()};
    const primitive a = {&local, triangles[0]}, b = {&local, triangles[1]};
    tact_common_point found = {.status = TACT_OK, .part_a = primitive_part(&a), .part_b = primitive_part(&b)};
    tact_vec3 point;
    if (!triangles_common(&a, &b, &point))
        return (tact_common_point){.status = TACT_OK, .state = TACT_MISS};
    found.state = TACT_HIT;
    found.point = vec_add(vec_transform(at, point), at->origin);
    if (found.part_b.face < found.part_a.face)
        swap_parts(&found.part_a, &found.part_b);
    return found;
}

tact_common_point tact_complex_self_common_point(const tact_shape *shape, const tact_transform *at,
                                                 const uint32_t triangles[2])
{
    const fp_environment found = fp_environment_enter();
    const tact_common_point answer = compute_self_common_point(shape, at, triangles);
    fp_environment_leave(found);
    return answer;
}

/* --- distance --- */

typedef struct distance_search {
    tact_distance best;
    bool any; /* whether there has been a pair at all */
    tact_status status;
    tact_distance_def def;
    tact_cache cache; /* neighbours of the best pair have similar separating axes */
} distance_search;

/* Whether two cores of points are at least `limit` apart along a unit vector, margins included. */
static bool are_beyond_limit(const convex *a, const convex *b, tact_vec3 normal, double limit)
{
    if (a->kind != CONVEX_POINTS || b->kind != CONVEX_POINTS)
        return false;
    double highest = -INFINITY, lowest = INFINITY;
    for (int i = 0; i < a->point_count; i++)
        highest = max_double(highest, vec_dot(normal, a->points[i]));
    for (int i = 0; i < b->point_count; i++)
        lowest = -max_double(-lowest, -vec_dot(normal, b->points[i]));
    const tact_vec3 offset = vec_sub(b->transform.origin, a->transform.origin);
    const double gap = (lowest - highest) + vec_dot(normal, offset) - (a->margin + b->margin);
    /* rounding of the products and the sum, relative to the largest of them */
    return gap - 32.0 * DBL_EPSILON * (a->bounding_radius + b->bounding_radius + vec_max_abs(offset)) >= limit;
}

/* The support value of a triangle of a mesh along `normal`, from its origin. `rounding` grows by the length that the
 * rounding error is relative to. */
static double triangle_support(const primitive *s, tact_vec3 normal, double *rounding)
{
    const tact_transform *at = &s->of->at;
    const mesh *m = s->of->shape->mesh;
    const uint32_t *vertex = m->indices + 3 * (size_t)s->element;
    const tact_vec3 local = vec_transform_transposed(at, normal);
    double most = vec_dot(local, m->vertices[vertex[0]]);
    most = max_double(most, vec_dot(local, m->vertices[vertex[1]]));
    /* a bound on the norm: sqrt 3 for each axis */
    *rounding +=
        2.0 * (vec_max_abs(at->x_axis) + vec_max_abs(at->y_axis) + vec_max_abs(at->z_axis)) * m->bounding_radius;
    return max_double(most, vec_dot(local, m->vertices[vertex[2]]));
}

/* The same for two triangles of meshes before they are transformed: five pairs of six end here. */
static bool triangles_are_beyond_limit(const primitive *a, const primitive *b, tact_vec3 normal, double limit)
{
    const tact_vec3 offset = vec_sub(b->of->at.origin, a->of->at.origin);
    double rounding = vec_max_abs(offset);
    const double highest = triangle_support(a, normal, &rounding),
                 lowest = -triangle_support(b, vec_negate(normal), &rounding);
    const double gap = (lowest - highest) + vec_dot(normal, offset) - (a->of->margin + b->of->margin);
    return gap - 32.0 * DBL_EPSILON * rounding >= limit;
}

static bool is_on_mesh(const primitive *s) { return s->of->shape->type == TACT_MESH; }

/* A normal for two triangles that are apart by less than the rounding error of a distance: that of a plane, if any. */
static tact_vec3 normal_of_close_triangles(const primitive *a, const primitive *b)
{
    tact_vec3 p[3], q[3];
    primitive_triangle(a, p);
    primitive_triangle(b, q);
    for (int turn = 0; turn < 2; turn++) { /* all of one strictly on one side of the plane of the other */
        const tact_vec3 *plane = turn == 0 ? p : q, *other = turn == 0 ? q : p;
        int sides = 0;
        for (int i = 0; i < 3; i++)
            sides += tact_orient3d(plane[0], plane[1], plane[2], other[i]);
        tact_vec3 n = tact_triangle_normal(plane);
        if (abs(sides) == 3 && vec_length_squared(n) > 0.0)
            return (sides > 0) == (turn == 0) ? n : vec_negate(n);
    }
    tact_vec3 between = vec_sub(vec_add(vec_add(q[0], q[1]), q[2]), vec_add(vec_add(p[0], p[1]), p[2]));
    return vec_max_abs(between) > 0.0 ? vec_normalize(between) : vec_make(1.0, 0.0, 0.0);
}

static double distance_pair(void *context, const primitive *a, const primitive *b, double limit)
{
    distance_search *s = context;
    convex ca, cb;
    if (s->any && is_on_mesh(a) && is_on_mesh(b) && triangles_are_beyond_limit(a, b, s->best.normal, limit))
        return limit;
    if (!primitives_convex(a, b, &ca, &cb, &s->status))
        return -1.0;
    if (s->any && are_beyond_limit(&ca, &cb, s->best.normal, limit))
        return limit;
    s->def.upper_bound = s->any ? limit : INFINITY;
    s->cache.axis = s->best.normal;
    tact_distance d = tact_convex_distance(&ca, &cb, &s->def);
    if (d.status != TACT_OK && d.distance < limit)
        s->status = d.status;
    double size =
        ca.bounding_radius + cb.bounding_radius + vec_max_abs(ca.transform.origin) + vec_max_abs(cb.transform.origin);
    if (d.distance <= COMPLEX_EXACT_DISTANCE * size && primitive_is_triangle(a) && primitive_is_triangle(b)) {
        tact_vec3 point;
        if (triangles_common(a, b, &point)) {
            d = (tact_distance){.status = TACT_OK, .on_a = point, .on_b = point};
        } else if (!(d.distance > 0.0)) { /* apart, but by less than the rounding error of a distance */
            d.distance = 0.5 * DBL_EPSILON * size;
            d.normal = normal_of_close_triangles(a, b);
        }
    }
    if (s->any && !(d.distance < s->best.distance))
        return limit;
    s->any = true;
    s->best = d;
    s->best.part_a = primitive_part(a);
    s->best.part_b = primitive_part(b);
    return d.distance > 0.0 ? d.distance : -1.0;
}

static TACT_NOINLINE tact_distance compute_distance(const tact_shape *a, const tact_transform *transform_a,
                                                    const tact_shape *b, const tact_transform *transform_b,
                                                    const tact_distance_def *def)
{
    instance both[2];
    bool swapped;
    if (tact_instance_pair(both, a, transform_a, b, transform_b, &swapped) != TACT_OK || shape_is_empty(a) ||
        shape_is_empty(b))
        return (tact_distance){.status = TACT_BAD_ARGUMENT};
    /* Overlap is decided first: a search for the least distance would visit all pairs while it falls to 0. */
    common_search touch = {.found = {.status = TACT_OK, .state = TACT_MISS}, .status = TACT_OK};
    traversal first = {&touch, common_pair, NULL, true, TACT_OK};
    const tact_vec3 unknown = {0.0, 0.0, 0.0};
    (void)tact_traverse_pairs_toward(&first, &both[0], &both[1], &unknown, 0.0);
    if (first.status != TACT_OK)
        return (tact_distance){.status = first.status};
    if (work_is_cancelled())
        return (tact_distance){.status = TACT_CANCELLED, .distance = INFINITY};
    if (touch.found.state == TACT_HIT || tact_complex_inside(&both[0], &both[1], &touch.found)) {
        if (work_is_cancelled())
            return (tact_distance){.status = TACT_CANCELLED, .distance = INFINITY};
        const tact_common_point *c = &touch.found;
        tact_distance zero = {
            .status = TACT_OK, .on_a = c->point, .on_b = c->point, .part_a = c->part_a, .part_b = c->part_b};
        if (swapped)
            swap_parts(&zero.part_a, &zero.part_b);
        return zero;
    }
    distance_search s = {.status = TACT_OK, .def = {.accuracy = def->accuracy, .upper_bound = INFINITY, .cache = NULL}};
    s.def.cache = &s.cache;
    traversal w = {&s, distance_pair, NULL, false, TACT_OK};
    (void)tact_traverse_pairs_toward(&w, &both[0], &both[1], &s.best.normal, INFINITY);
    if (w.status != TACT_OK)
        return (tact_distance){.status = w.status};
    s.best.status = work_status(s.status);
    if (!s.any)
        s.best.distance = INFINITY; /* cancelled */
    if (swapped) {
        tact_vec3 on_a = s.best.on_a;
        s.best.on_a = s.best.on_b;
        s.best.on_b = on_a;
        if (s.best.distance > 0.0)
            s.best.normal = vec_negate(s.best.normal);
        swap_parts(&s.best.part_a, &s.best.part_b);
    }
    if (def->cache != NULL && s.best.distance > 0.0)
        def->cache->axis = s.best.normal;
    return s.best;
}

tact_distance tact_complex_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                    const tact_transform *transform_b, const tact_distance_def *def)
{
    const fp_environment found = fp_environment_enter();
    const tact_distance answer = compute_distance(a, transform_a, b, transform_b, def);
    fp_environment_leave(found);
    return answer;
}
