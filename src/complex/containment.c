/*
 * Containment: whether a point is in a complex shape, and whether a shape is wholly inside a solid mesh.
 *
 * Guarantee: "inside a solid mesh" is decided exactly for the transformed vertices, by the parity of the intersections
 * of a ray (exact/parity.h). Where no primitives of two shapes touch, every connected component of one is either wholly
 * inside a solid of the other or wholly outside, so one point of each decides.
 *
 * Cost: O(log n) for a point and a solid as a rule; only leaves whose boxes overlap are compared.
 */
#include "complex/complex_query.h"
#include "complex/traversal.h"
#include "convex/convex_query.h"
#include "core/work.h"
#include "exact/parity.h"
#include "exact/triangle.h"
#include "math/fp_environment.h"

/* ---- a point and a solid ----------------------------------------------------------------------------------------- */

typedef struct parity_search {
    const instance *solid;
    tact_vec3 point;
    parity_count count;
    bool on;
    int axis; /* of the ray */
} parity_search;

static double count_crossing(void *context, uint32_t triangle, double limit)
{
    parity_search *s = context;
    tact_vec3 vertex[3];
    mesh_triangle(s->solid->shape->mesh, &s->solid->at, triangle, vertex);
    s->on = !tact_parity_add(&s->count, vertex, s->point, s->axis);
    return s->on ? -1.0 : limit;
}

/* Outside the bounding sphere of the transformed vertices, about the origin. */
static bool is_outside_sphere(const instance *p, tact_vec3 point)
{
    const double slack = COMPLEX_SPHERE_SLACK, radius = p->shape->bounding_radius * transform_norm_bound(&p->at);
    return vec_length_safe(vec_sub(point, p->at.origin)) > radius + slack * (radius + vec_max_abs(p->at.origin));
}

bool tact_solid_holds(const instance *solid, tact_vec3 point)
{
    if (is_outside_sphere(solid, point))
        return false;
    /* The ray of a heightfield is as steep as possible, so that it crosses the surface once. */
    static const tact_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const tact_vec3 up = instance_up(solid);
    parity_search s = {.solid = solid, .point = point};
    for (int i = 1; i < 3; i++)
        s.axis = fabs(vec_component(up, i)) > fabs(vec_component(up, s.axis)) ? i : s.axis;
    (void)tact_aabb_tree_ray(&solid->shape->mesh->tree, &solid->at, point, axes[s.axis], INFINITY, count_crossing, &s);
    return s.on || s.count.crossings % 2 != 0;
}

static bool is_solid(const instance *p) { return p->shape->mesh != NULL && p->shape->mesh->solid; }

/* ---- a point and any shape --------------------------------------------------------------------------------------- */

typedef struct point_search {
    tact_vec3 point;
    bool found;
    tact_status status;
} point_search;

/* Whether a point is in or on a primitive. */
static double visit_primitive(void *context, const primitive *s, double limit)
{
    point_search *search = context;
    if (!primitive_is_triangle(s)) {
        convex c;
        tact_overlap v = {TACT_BAD_ARGUMENT, TACT_UNKNOWN};
        if (tact_primitive_convex(s, &c) == TACT_OK)
            v = tact_convex_contains(&c, search->point);
        if (v.status != TACT_OK)
            search->status = v.status;
        search->found = v.state == TACT_HIT;
    } else if (!is_solid(s->of)) { /* triangles of a solid count in its parity */
        tact_vec3 vertex[3];
        const tact_vec3 point[3] = {search->point, search->point, search->point};
        mesh_triangle(s->of->shape->mesh, &s->of->at, s->element, vertex);
        search->found = tact_triangles_intersect(vertex, point);
    }
    return search->found ? -1.0 : limit;
}

static bool visit_leaf(void *context, const instance *leaf)
{
    point_search *search = context;
    search->found = is_solid(leaf) && tact_solid_holds(leaf, search->point);
    return !search->found;
}

/* Whether the point is in the shape: in or on a convex part, inside or on a solid mesh, on an open mesh. */
static tact_status contains_point(const instance *p, tact_vec3 point, bool *inside)
{
    point_search search = {.point = point, .status = TACT_OK};
    traversal w = {&search, NULL, visit_primitive, true, TACT_OK};
    (void)tact_traverse_closest(&w, p, point, 0.0);
    if (!search.found && shape_has_solid(p->shape))
        (void)tact_traverse_leaves_at(p, point, visit_leaf, &search);
    *inside = search.found;
    return search.found ? TACT_OK : w.status != TACT_OK ? w.status : search.status;
}

static TACT_NOINLINE tact_overlap compute_contains_point(const tact_shape *shape, const tact_transform *at,
                                                         tact_vec3 point)
{
    instance p;
    bool inside = false;
    tact_status status = tact_instance_make(&p, shape, at);
    if (status == TACT_OK)
        status = contains_point(&p, point, &inside);
    return (tact_overlap){status, status != TACT_OK ? TACT_UNKNOWN : inside ? TACT_HIT : TACT_MISS};
}

tact_overlap tact_complex_contains_point(const tact_shape *shape, const tact_transform *at, tact_vec3 point)
{
    const fp_environment found = fp_environment_enter();
    const tact_overlap answer = compute_contains_point(shape, at, point);
    fp_environment_leave(found);
    return work_is_cancelled() ? (tact_overlap){TACT_CANCELLED, TACT_UNKNOWN} : answer;
}

/* ---- a shape and a solid ----------------------------------------------------------------------------------------- */

typedef struct soup_search {
    const instance *solid, *soup;
    uint32_t part;
    tact_vec3 point;
} soup_search;

static bool visit_part(void *context, uint32_t part)
{
    soup_search *s = context;
    const mesh *m = s->soup->shape->mesh;
    s->part = part;
    s->point = vec_add(vec_transform(&s->soup->at, m->vertices[m->indices[m->first_index[part]]]), s->soup->at.origin);
    return !tact_solid_holds(s->solid, s->point);
}

/* Whether a leaf, or a connected component of it, is inside the solid; no primitive of the leaf touches the solid. */
static bool is_inside(const instance *solid, const instance *leaf, tact_vec3 *point, uint32_t *face)
{
    const mesh *m = leaf->shape->mesh;
    *face = 0;
    if (m == NULL) {
        const tact_vec3 up = {0.0, 0.0, 1.0};
        convex c;
        if (tact_convex_make(&c, leaf->shape, &leaf->at) != TACT_OK)
            return false;
        *point = vec_add(tact_convex_support(&c, up, NULL), c.transform.origin);
        return vec_finite(*point) && tact_solid_holds(solid, *point);
    }
    if (m->first_index != NULL) {
        const aabb_tree *tree = &solid->shape->mesh->tree;
        soup_search s = {.solid = solid, .soup = leaf};
        if (tact_aabb_tree_overlap_transformed(&m->tree, &leaf->at, &tree->root_box, &solid->at, SAT_FACE_AXES,
                                               visit_part, &s))
            return false;
        *point = s.point;
        *face = s.part;
        return true;
    }
    for (uint32_t i = 0; i < m->component_count; i++) {
        const uint32_t element = m->component_seeds[i];
        *point = vec_add(vec_transform(&leaf->at, m->vertices[m->indices[3 * (size_t)element]]), leaf->at.origin);
        *face = mesh_face(m, element);
        if (tact_solid_holds(solid, *point))
            return true;
    }
    return false;
}

static bool visit_leaves(void *context, const instance *a, const instance *b)
{
    tact_common_point *common = context;
    for (int turn = 0; turn < 2; turn++) {
        const instance *outer = turn == 0 ? a : b, *inner = turn == 0 ? b : a;
        tact_part in_outer = {outer->leaf, 0}, in_inner = {inner->leaf, 0};
        if (!is_solid(outer) || !is_inside(outer, inner, &common->point, &in_inner.face))
            continue;
        common->state = TACT_HIT;
        common->part_a = turn == 0 ? in_outer : in_inner;
        common->part_b = turn == 0 ? in_inner : in_outer;
        return false;
    }
    return true;
}

bool tact_complex_inside(const instance *a, const instance *b, tact_common_point *common)
{
    tact_common_point found = {.status = TACT_OK, .state = TACT_MISS};
    if (!shape_has_solid(a->shape) && !shape_has_solid(b->shape))
        return false;
    if (tact_traverse_leaf_pairs(a, b, visit_leaves, &found))
        return false;
    *common = found;
    return true;
}
