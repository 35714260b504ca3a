/*
 * The intersection itself: the segments in which the surfaces of two shapes meet.
 *
 * Guarantee: the pairs of faces reported are those that meet, exactly, for the transformed vertices. End points are
 * rounded as exact/triangle.h says. Swapping A and B repeats the same arithmetic.
 *
 * Method. The trees give the pairs of primitives whose boxes overlap. The intersection of the triangles of one with
 * those of the other is computed exactly (exact/triangle_intersection.c), and the segments are joined face by face
 * (exact/intersection_segments.c). Where a polygon touches itself, its triangulation has triangles without area that
 * carry boundary edges: they report these edges, in the plane of the rest of the polygon (intersect_degenerate).
 *
 * Cost: the pairs that the trees cannot separate; 0.3 to 2 us for each pair of triangles that meet. No allocation:
 * segments are collected in the caller's array, and those that do not fit are counted.
 */
#include <float.h>
#include <tact/predicates.h>

#include "complex/complex_contact.h"
#include "complex/facets.h"
#include "complex/traversal.h"
#include "convex/convex_query.h"
#include "core/number.h"
#include "core/work.h"
#include "exact/intersection_segments.h"
#include "exact/projection.h"
#include "exact/ray_triangle.h"
#include "exact/self_intersection.h"
#include "exact/triangle.h"
#include "math/fp_environment.h"

typedef struct triangle_box {
    tact_vec3 min, max;
} triangle_box;

/* A facet with its box. */
typedef struct boxed_facet {
    surface_facet f;
    triangle_box box;
} boxed_facet;

/* How a pair of leaves is processed. */
typedef enum leaf_mode {
    LEAF_NOT_BEGUN,
    LEAF_TRIANGLES,  /* two meshes: triangle by triangle, each transformed once while consecutive pairs share it */
    LEAF_PRIMITIVES, /* primitive by primitive */
    LEAF_DONE        /* done when its first pair of primitives was visited */
} leaf_mode;

typedef struct intersection_collection {
    tact_intersection *items;
    size_t capacity, count; /* count may exceed capacity */
    bool curved;            /* a part without facets touches the other shape */
    tact_cache cache;
    leaf_mode mode; /* of the leaves below */
    uint32_t leaf_a, leaf_b;
    surface on_a, on_b; /* LEAF_TRIANGLES: of the triangles that are loaded; element UINT32_MAX: none */
    boxed_facet a, b;
} intersection_collection;

static void add(intersection_collection *c, const tact_intersection *s)
{
    if (c->count < c->capacity)
        c->items[c->count] = *s;
    c->count++;
}

/* ---- two triangles ----------------------------------------------------------------------------------------------- */

static double min_of(double a, double b, double c) { return a < b ? (a < c ? a : c) : b < c ? b : c; }
static double max_of(double a, double b, double c) { return max_double(max_double(a, b), c); }

static triangle_box box_of_triangle(const tact_vec3 p[3])
{
    return (triangle_box){
        {min_of(p[0].x, p[1].x, p[2].x), min_of(p[0].y, p[1].y, p[2].y), min_of(p[0].z, p[1].z, p[2].z)},
        {max_of(p[0].x, p[1].x, p[2].x), max_of(p[0].y, p[1].y, p[2].y), max_of(p[0].z, p[1].z, p[2].z)}};
}

static bool boxes_overlap(const triangle_box *a, const triangle_box *b)
{
    return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y && b->min.y <= a->max.y &&
           a->min.z <= b->max.z && b->min.z <= a->max.z;
}

/* The edge that two parts of a triangle are on; -1 if there is none. */
static int edge_of_parts(triangle_feature p, triangle_feature q)
{
    for (int k = 0; k < 3; k++) {
        bool on_p = p == TRIANGLE_EDGE + k || p == k || p == (k + 1) % 3;
        bool on_q = q == TRIANGLE_EDGE + k || q == k || q == (k + 1) % 3;
        if (on_p && on_q)
            return k;
    }
    return -1;
}

/* An edge of a facet, or -1 for none. */
typedef struct facet_edge {
    const surface *on;
    const surface_facet *f;
    int edge;
} facet_edge;

static bool is_boundary(const facet_edge *e) { return e->edge >= 0 && !(e->f->inner_edges >> e->edge & 1); }

/* Adds one edge of the intersection of two coplanar triangles, on a boundary edge of one of their faces or both. */
static void add_boundary(intersection_collection *c, tact_intersection segment, const facet_edge *of_a,
                         const facet_edge *of_b)
{
    const facet_edge *e = is_boundary(of_a) ? of_a : of_b;
    uint32_t p = tact_facet_vertex(e->on, e->f, e->edge), q = tact_facet_vertex(e->on, e->f, (e->edge + 1) % 3);
    segment.type = TACT_INTERSECTION_OUTLINE;
    segment.edge[0] = p < q ? p : q;
    segment.edge[1] = p < q ? q : p;
    segment.edge_of_b = e == of_b;
    if (lexicographic_order(segment.from, segment.to) > 0) {
        tact_vec3 from = segment.from;
        segment.from = segment.to;
        segment.to = from;
    }
    add(c, &segment);
}

static bool are_coplanar(const surface_facet *a, const surface_facet *b)
{
    for (int i = 0; i < 3; i++)
        if (tact_orient3d(a->at[0], a->at[1], a->at[2], b->at[i]) != 0 ||
            tact_orient3d(b->at[0], b->at[1], b->at[2], a->at[i]) != 0)
            return false;
    return true;
}

/* ---- degenerate facets ------------------------------------------------------------------------------------------- */

/* The part of a segment, along the line of edge k of a degenerate facet, that is on that edge; false: none. */
static bool clip_to_edge(const surface_facet *f, int k, tact_vec3 *from, tact_vec3 *to)
{
    tact_vec3 low = f->at[k], high = f->at[(k + 1) % 3];
    if (lexicographic_order(low, high) > 0) {
        tact_vec3 t = low;
        low = high;
        high = t;
    }
    *from = lexicographic_order(*from, low) < 0 ? low : *from;
    *to = lexicographic_order(*to, high) > 0 ? high : *to;
    return lexicographic_order(*from, *to) < 0;
}

/* Adds the boundary that edges of a degenerate facet contribute to a segment with ordered ends; false: none. */
static bool add_degenerate_boundary(intersection_collection *c, const tact_intersection *whole, facet_edge *mine,
                                    bool of_b)
{
    const facet_edge none = {NULL, NULL, -1};
    bool any = false;
    for (mine->edge = 0; mine->edge < 3; mine->edge++) {
        tact_intersection segment = *whole;
        if (!is_boundary(mine) || !clip_to_edge(mine->f, mine->edge, &segment.from, &segment.to))
            continue;
        add_boundary(c, segment, of_b ? &none : mine, of_b ? mine : &none);
        any = true;
    }
    mine->edge = -1;
    return any;
}

/* Whether a segment on an inner edge of A is on a boundary edge of A's face all the same: that of a degenerate facet,
 * which reports it. Visits all triangles of a face that has degenerate ones. */
static bool is_degenerate_boundary(const tact_intersection *segment, const facet_edge *of_a)
{
    surface_facet degenerate;
    facet_cursor cursor = {0, 0};
    if (of_a->edge < 0)
        return false;
    const tact_vec3 p = of_a->f->at[of_a->edge], q = of_a->f->at[(of_a->edge + 1) % 3];
    const bool forward = lexicographic_order(segment->from, segment->to) <= 0;
    const tact_vec3 low = forward ? segment->from : segment->to, high = forward ? segment->to : segment->from;
    while (tact_surface_next_degenerate(of_a->on, &cursor, &degenerate))
        for (facet_edge e = {of_a->on, &degenerate, 0}; e.edge < 3; e.edge++) {
            tact_vec3 from = low, to = high;
            if (is_boundary(&e) && clip_to_edge(&degenerate, e.edge, &from, &to) && vec_equal(from, low) &&
                vec_equal(to, high) && tact_collinear(p, q, degenerate.at[e.edge]) &&
                tact_collinear(p, q, degenerate.at[(e.edge + 1) % 3]))
                return true;
        }
    return false;
}

/* A segment shared by two facets of which at least one is degenerate. If their faces are coplanar, it is boundary where
 * it is an edge of a degenerate one. (Other facets report the edges of the other face.) */
static void intersect_degenerate(intersection_collection *c, tact_intersection segment, facet_edge *of_a,
                                 bool degenerate_a, facet_edge *of_b, bool degenerate_b)
{
    surface_facet plane_a = *of_a->f, plane_b = *of_b->f;
    bool area = (!degenerate_a || tact_facet_plane(of_a->on, &plane_a)) &&
                (!degenerate_b || tact_facet_plane(of_b->on, &plane_b));
    if (!area || !are_coplanar(&plane_a, &plane_b)) {
        const tact_vec3 along = vec_cross(tact_triangle_normal(plane_a.at), tact_triangle_normal(plane_b.at));
        if (area && vec_dot(along, vec_sub(segment.to, segment.from)) < 0.0) {
            const tact_vec3 from = segment.from;
            segment.from = segment.to;
            segment.to = from;
        }
        segment.type = TACT_INTERSECTION_SEGMENT;
        add(c, &segment);
        return;
    }
    if (lexicographic_order(segment.from, segment.to) > 0) {
        const tact_vec3 from = segment.from;
        segment.from = segment.to;
        segment.to = from;
    }
    if (degenerate_a ? add_degenerate_boundary(c, &segment, of_a, false) : is_boundary(of_a))
        return;
    if (degenerate_a) /* any edge along the line */
        of_a->edge = vec_equal(of_a->f->at[0], of_a->f->at[1]) ? 1 : 0;
    if (degenerate_b && !is_degenerate_boundary(&segment, of_a))
        (void)add_degenerate_boundary(c, &segment, of_b, true);
}

/* Intersects two facets; `segment` has their parts. */
static void intersect_facets(intersection_collection *c, tact_intersection segment, const surface *on_a,
                             const surface_facet *a, const surface *on_b, const surface_facet *b)
{
    triangle_intersection cut;
    int count = tact_triangles_intersection(a->at, b->at, &cut);
    if (count == 0)
        return;
    segment.facet_a = a->face;
    segment.facet_b = b->face;
    facet_edge of_a = {on_a, a, -1}, of_b = {on_b, b, -1};
    bool coplanar = count > 2;
    if (count == 2) { /* a common edge, or an edge on a face */
        of_a.edge = edge_of_parts(cut.vertices[0].feature_a, cut.vertices[1].feature_a);
        of_b.edge = edge_of_parts(cut.vertices[0].feature_b, cut.vertices[1].feature_b);
        const bool degenerate_a = tact_facet_is_degenerate(on_a, a), degenerate_b = tact_facet_is_degenerate(on_b, b);
        if (degenerate_a || degenerate_b) {
            segment.from = cut.vertices[0].position;
            segment.to = cut.vertices[1].position;
            intersect_degenerate(c, segment, &of_a, degenerate_a, &of_b, degenerate_b);
            return;
        }
        coplanar = of_a.edge >= 0 && of_b.edge >= 0 && are_coplanar(a, b);
    }
    if (!coplanar) {
        segment.type = count == 1 ? TACT_INTERSECTION_POINT : TACT_INTERSECTION_SEGMENT;
        segment.from = cut.vertices[0].position;
        segment.to = cut.vertices[count - 1].position;
        add(c, &segment);
        return;
    }
    for (int i = 0; i < (count > 2 ? count : 1); i++) {
        const triangle_intersection_vertex *p = &cut.vertices[i], *q = &cut.vertices[(i + 1) % count];
        of_a.edge = edge_of_parts(p->feature_a, q->feature_a);
        of_b.edge = edge_of_parts(p->feature_b, q->feature_b);
        segment.from = p->position;
        segment.to = q->position;
        /* not boundary: an inner edge of one face and no edge of the other */
        if (is_boundary(&of_a) || (is_boundary(&of_b) && !is_degenerate_boundary(&segment, &of_a)))
            add_boundary(c, segment, &of_a, &of_b);
    }
}

/* ---- two primitives ---------------------------------------------------------------------------------------------- */

static triangle_box box_of_surface(const surface *s)
{
    triangle_box all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    facet_cursor cursor = {0, 0};
    surface_facet f;
    while (tact_surface_next(s, &cursor, &f)) {
        triangle_box b = box_of_triangle(f.at);
        all.min =
            vec_make(number_min(all.min.x, b.min.x), number_min(all.min.y, b.min.y), number_min(all.min.z, b.min.z));
        all.max =
            vec_make(number_max(all.max.x, b.max.x), number_max(all.max.y, b.max.y), number_max(all.max.z, b.max.z));
    }
    return all;
}

/* All facets of one against all of the other whose boxes overlap. */
static void intersect_surfaces(intersection_collection *c, const tact_intersection *segment, const surface *on_a,
                               const surface *on_b)
{
    boxed_facet batch[COMPLEX_FACET_BATCH], one;
    const triangle_box all_b = box_of_surface(on_b);
    facet_cursor cursor_a = {0, 0};
    for (bool more = true; more;) {
        int count = 0;
        while (count < COMPLEX_FACET_BATCH && (more = tact_surface_next(on_a, &cursor_a, &batch[count].f))) {
            batch[count].box = box_of_triangle(batch[count].f.at);
            count += boxes_overlap(&batch[count].box, &all_b);
        }
        facet_cursor cursor_b = {0, 0};
        while (count > 0 && tact_surface_next(on_b, &cursor_b, &one.f)) {
            one.box = box_of_triangle(one.f.at);
            for (int i = 0; i < count; i++)
                if (boxes_overlap(&batch[i].box, &one.box))
                    intersect_facets(c, *segment, on_a, &batch[i].f, on_b, &one.f);
        }
    }
}

/* A part without facets: only whether it touches is computed. */
static void test_curved(intersection_collection *c, const primitive *a, const primitive *b)
{
    convex ca, cb;
    if (c->curved)
        return;
    if (tact_primitive_convex(a, &ca) != TACT_OK || tact_primitive_convex(b, &cb) != TACT_OK) {
        c->curved = true;
        return;
    }
    tact_overlap touch = tact_convex_within(&ca, &cb, 0.0, &c->cache);
    c->curved = touch.status != TACT_OK || touch.state == TACT_HIT;
}

static void intersect_primitives(intersection_collection *c, const primitive *a, const primitive *b)
{
    surface on_a, on_b;
    const tact_intersection segment = {.part_a = primitive_part(a), .part_b = primitive_part(b)};
    if (tact_surface_make(&on_a, a) && tact_surface_make(&on_b, b))
        intersect_surfaces(c, &segment, &on_a, &on_b);
    else
        test_curved(c, a, b);
}

/* ---- two leaves -------------------------------------------------------------------------------------------------- */

/* A facet of a convex shape against a mesh. */
typedef struct facet_search {
    intersection_collection *c;
    const surface *on; /* whose facet it is */
    const instance *of_mesh;
    surface on_mesh;
    boxed_facet facet;
    tact_part part; /* of the convex shape */
    bool mesh_is_a;
} facet_search;

static bool visit_triangle(void *context, uint32_t i)
{
    facet_search *s = context;
    facet_cursor cursor = {0, 0};
    boxed_facet triangle;
    s->on_mesh.element = i;
    (void)tact_surface_next(&s->on_mesh, &cursor, &triangle.f);
    triangle.box = box_of_triangle(triangle.f.at);
    if (!boxes_overlap(&triangle.box, &s->facet.box))
        return true;
    const primitive of_mesh = {s->of_mesh, i};
    tact_part part = primitive_part(&of_mesh);
    if (s->mesh_is_a)
        intersect_facets(s->c, (tact_intersection){.part_a = part, .part_b = s->part}, &s->on_mesh, &triangle.f, s->on,
                         &s->facet.f);
    else
        intersect_facets(s->c, (tact_intersection){.part_a = s->part, .part_b = part}, s->on, &s->facet.f, &s->on_mesh,
                         &triangle.f);
    return true;
}

/* Searches the tree of the mesh with the box of each facet: triangles inside the convex shape, away from its surface,
 * are not visited. */
static void intersect_mesh(facet_search *s)
{
    /* relative to the extent of a facet: far above the rounding of a difference */
    const double slack = 8.0 * DBL_EPSILON;
    const instance *m = s->of_mesh;
    facet_cursor cursor = {0, 0};
    while (tact_surface_next(s->on, &cursor, &s->facet.f)) {
        const tact_vec3 o = s->facet.f.at[0];
        const tact_transform frame = tact_at(o.x, o.y, o.z); /* so that the floats of the box keep their digits */
        const tact_vec3 ends[3] = {vec_make(0.0, 0.0, 0.0), vec_sub(s->facet.f.at[1], o), vec_sub(s->facet.f.at[2], o)};
        const box query = tact_box_expand(tact_box_of_points(ends, 3),
                                          slack * max_double(vec_max_abs(ends[1]), vec_max_abs(ends[2])));
        s->facet.box = box_of_triangle(s->facet.f.at);
        (void)tact_aabb_tree_overlap_transformed(&m->shape->mesh->tree, &m->at, &query, &frame,
                                                 COMPLEX_TRIANGLE_TREE_AXES, visit_triangle, s);
    }
}

static leaf_mode begin_leaves(intersection_collection *c, const primitive *a, const primitive *b)
{
    bool mesh_a = primitive_is_triangle(a), mesh_b = primitive_is_triangle(b);
    if (!tact_surface_make(&c->on_a, a) || !tact_surface_make(&c->on_b, b))
        return LEAF_PRIMITIVES;
    if (mesh_a && mesh_b) {
        c->on_a.element = c->on_b.element = UINT32_MAX;
        return LEAF_TRIANGLES;
    }
    if ((mesh_a && shape_is_convex(b->of->shape)) || (mesh_b && shape_is_convex(a->of->shape))) {
        facet_search s = {.c = c,
                          .on = mesh_a ? &c->on_b : &c->on_a,
                          .of_mesh = mesh_a ? a->of : b->of,
                          .on_mesh = mesh_a ? c->on_a : c->on_b,
                          .part = primitive_part(mesh_a ? b : a),
                          .mesh_is_a = mesh_a};
        intersect_mesh(&s);
        return LEAF_DONE;
    }
    return LEAF_PRIMITIVES;
}

static void load_triangle(surface *s, uint32_t element, boxed_facet *t)
{
    facet_cursor cursor = {0, 0};
    if (s->element == element)
        return;
    s->element = element;
    (void)tact_surface_next(s, &cursor, &t->f);
    t->box = box_of_triangle(t->f.at);
}

static double visit(void *context, const primitive *a, const primitive *b, double limit)
{
    intersection_collection *c = context;
    if (c->mode == LEAF_NOT_BEGUN || c->leaf_a != a->of->leaf || c->leaf_b != b->of->leaf) {
        c->leaf_a = a->of->leaf;
        c->leaf_b = b->of->leaf;
        c->mode = begin_leaves(c, a, b);
    }
    if (c->mode == LEAF_PRIMITIVES) {
        intersect_primitives(c, a, b);
    } else if (c->mode == LEAF_TRIANGLES) {
        load_triangle(&c->on_a, a->element, &c->a);
        load_triangle(&c->on_b, b->element, &c->b);
        if (boxes_overlap(&c->a.box, &c->b.box))
            intersect_facets(c, (tact_intersection){.part_a = primitive_part(a), .part_b = primitive_part(b)}, &c->on_a,
                             &c->a.f, &c->on_b, &c->b.f);
    }
    return limit;
}

/* ---- two shapes -------------------------------------------------------------------------------------------------- */

/* The segment with A and B swapped. */
static void swap_shapes(tact_intersection *s)
{
    tact_intersection t = *s;
    s->part_a = t.part_b;
    s->part_b = t.part_a;
    s->facet_a = t.facet_b;
    s->facet_b = t.facet_a;
    if (s->type == TACT_INTERSECTION_OUTLINE) {
        s->edge_of_b = !t.edge_of_b;
    } else {
        s->from = t.to;
        s->to = t.from;
    }
}

static TACT_NOINLINE tact_intersections compute_intersections(const tact_shape *a, const tact_transform *transform_a,
                                                              const tact_shape *b, const tact_transform *transform_b,
                                                              tact_intersection *segments, size_t capacity)
{
    instance both[2];
    bool swapped;
    if (tact_instance_pair(both, a, transform_a, b, transform_b, &swapped) != TACT_OK)
        return (tact_intersections){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    intersection_collection c;
    c.items = segments;
    c.capacity = capacity;
    c.count = 0;
    c.curved = false;
    c.cache = (tact_cache){{0.0, 0.0, 0.0}};
    c.mode = LEAF_NOT_BEGUN;
    traversal w = {&c, visit, NULL, true, TACT_OK};
    if (!shape_is_empty(a) && !shape_is_empty(b))
        (void)tact_traverse_pairs(&w, &both[0], &both[1], 0.0);
    if (w.status != TACT_OK)
        return (tact_intersections){.status = w.status, .state = TACT_UNKNOWN};
    if (c.count > capacity)
        return (tact_intersections){TACT_OUT_OF_MEMORY, TACT_HIT, c.count};
    for (size_t i = 0; swapped && i < c.count; i++)
        swap_shapes(&segments[i]);
    tact_status status = c.curved ? TACT_BAD_ARGUMENT : TACT_OK;
    if (c.count == 0)
        return (tact_intersections){status, status == TACT_OK ? TACT_MISS : TACT_UNKNOWN, 0};
    return (tact_intersections){status, TACT_HIT, tact_intersection_segments_merge(segments, c.count)};
}

/* Of a search that was cancelled, the segments found so far; none if there was no room for them: then their number is
 * no sufficient capacity. */
static tact_intersections unless_cancelled(tact_intersections answer)
{
    if (!work_is_cancelled())
        return answer;
    return (tact_intersections){TACT_CANCELLED, answer.count > 0 ? TACT_HIT : TACT_UNKNOWN,
                                answer.status == TACT_OUT_OF_MEMORY ? 0 : answer.count};
}

tact_intersections tact_complex_intersections(const tact_shape *a, const tact_transform *transform_a,
                                              const tact_shape *b, const tact_transform *transform_b,
                                              tact_intersection *segments, size_t capacity)
{
    const fp_environment found = fp_environment_enter();
    const tact_intersections answer = compute_intersections(a, transform_a, b, transform_b, segments, capacity);
    fp_environment_leave(found);
    return unless_cancelled(answer);
}

/* ---- a mesh with itself ------------------------------------------------------------------------------------------ */

typedef struct self_collection {
    intersection_collection c;
    const mesh *mesh;
    mesh triangles; /* the mesh without its polygons: every triangle is a face, and all its edges are boundary edges */
} self_collection;

/* Adds the segments of two triangles. Two triangles of one polygon are intersected as if they were faces: their common
 * area may have internal edges of the polygon only. */
static bool add_self_pair(void *context, uint32_t i, uint32_t j)
{
    self_collection *s = context;
    intersection_collection *c = &s->c;
    const uint32_t face_i = mesh_face(s->mesh, i), face_j = mesh_face(s->mesh, j);
    const bool ordered = face_i != face_j ? face_i < face_j : i < j;
    const tact_intersection segment = {.part_a = {0, ordered ? face_i : face_j},
                                       .part_b = {0, ordered ? face_j : face_i}};
    facet_cursor cursor_a = {0, 0}, cursor_b = {0, 0};
    c->on_a.mesh = c->on_b.mesh = face_i != face_j ? s->mesh : &s->triangles;
    c->on_a.element = ordered ? i : j;
    c->on_b.element = ordered ? j : i;
    (void)tact_surface_next(&c->on_a, &cursor_a, &c->a.f);
    (void)tact_surface_next(&c->on_b, &cursor_b, &c->b.f);
    intersect_facets(c, segment, &c->on_a, &c->a.f, &c->on_b, &c->b.f);
    return true;
}

/* Transforms a segment and directs it as tact_shapes_intersections says. */
static void transform_segment(tact_intersection *s, const tact_transform *at, bool mirrored)
{
    s->from = vec_add(vec_transform(at, s->from), at->origin);
    s->to = vec_add(vec_transform(at, s->to), at->origin);
    if (s->type == TACT_INTERSECTION_OUTLINE ? lexicographic_order(s->from, s->to) > 0 : mirrored) {
        const tact_vec3 from = s->from;
        s->from = s->to;
        s->to = from;
    }
}

static TACT_NOINLINE tact_intersections compute_self_intersections(const tact_shape *shape, const tact_transform *at,
                                                                   tact_intersection *segments, size_t capacity)
{
    const surface local = {
        .kind = SURFACE_TRIANGLE, .mesh = shape->mesh, .shape = shape, .at = tact_identity(), .mirrored = false};
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    const bool mirrored = tact_orient3d(zero, at->x_axis, at->y_axis, at->z_axis) < 0;
    self_collection s = {.c = {.items = segments, .capacity = capacity, .on_a = local, .on_b = local},
                         .mesh = shape->mesh,
                         .triangles = *shape->mesh};
    s.triangles.edge_flags = NULL;
    (void)tact_mesh_self_intersections(shape->mesh, add_self_pair, &s);
    if (s.c.count > capacity)
        return (tact_intersections){TACT_OUT_OF_MEMORY, TACT_HIT, s.c.count};
    if (s.c.count == 0)
        return (tact_intersections){TACT_OK, TACT_MISS, 0};
    const size_t count = tact_intersection_segments_merge(segments, s.c.count);
    for (size_t i = 0; i < count; i++)
        transform_segment(&segments[i], at, mirrored);
    return (tact_intersections){TACT_OK, TACT_HIT, count};
}

tact_intersections tact_complex_self_intersections(const tact_shape *shape, const tact_transform *at,
                                                   tact_intersection *segments, size_t capacity)
{
    const fp_environment found = fp_environment_enter();
    const tact_intersections answer = compute_self_intersections(shape, at, segments, capacity);
    fp_environment_leave(found);
    return unless_cancelled(answer);
}
