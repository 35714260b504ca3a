/*
 * The intersection itself: the segments in which the surfaces of two shapes meet (SOLID 1's response told them). The
 * trees give the pairs of elements whose boxes meet; of each, what the triangles of one and of the other share is
 * found exactly (exact/triangle_intersection.c), and the pieces are put together face by face
 * (exact/intersection_segments.c).
 *
 * Guarantees: the pairs of faces that are told are those that meet, exactly, on the placed corners; ends are rounded
 * as exact/triangle.h tells. Swapping A and B does the very same arithmetic. Cost: the pairs that trees cannot tell
 * apart; 0.3 to 2 us for each pair of triangles that meet. No allocation: pieces are collected where the caller wants
 * the segments, and if they do not fit the rest is counted.
 *
 * Where a polygon touches itself its triangulation has triangles without area, thin ones, that hold edges of the
 * outline: what these share is told by them, in the plane of the rest of the polygon (meet_thin).
 */
#include <float.h>
#include <tact/predicates.h>

#include "complex/complex_contact.h"
#include "complex/facets.h"
#include "complex/traversal.h"
#include "convex/convex_query.h"
#include "exact/intersection_segments.h"
#include "exact/projection.h"
#include "exact/ray_triangle.h"
#include "exact/triangle.h"
#include "math/fp_environment.h"

typedef struct corner_box {
    tact_vec3 min, max;
} corner_box;

/* A facet with its box. */
typedef struct boxed {
    facet f;
    corner_box box;
} boxed;

/* How a pair of leaves is gone about. */
typedef enum leaf_way {
    LEAF_NOT_BEGUN,
    LEAF_TRIANGLES, /* two meshes: triangle by triangle, each placed once as long as it is met again and again */
    LEAF_ELEMENTS,  /* element by element */
    LEAF_DONE       /* all of it done when its first pair of elements was met */
} leaf_way;

typedef struct collection {
    tact_intersection *items;
    size_t room, count; /* there may be more than there is room for */
    bool curved;        /* a part that has no facets touches the other shape */
    tact_cache cache;
    leaf_way way; /* of the leaves below */
    uint32_t leaf_a, leaf_b;
    surface on_a, on_b; /* LEAF_TRIANGLES: with the elements that are placed, none: UINT32_MAX */
    boxed a, b;
} collection;

static void add(collection *c, const tact_intersection *s)
{
    if (c->count < c->room)
        c->items[c->count] = *s;
    c->count++;
}

/* ---- two triangles ----------------------------------------------------------------------------------------------- */

static double least(double a, double b, double c) { return a < b ? (a < c ? a : c) : b < c ? b : c; }
static double most(double a, double b, double c) { return max_double(max_double(a, b), c); }

static corner_box box_of_triangle(const tact_vec3 p[3])
{
    return (corner_box){{least(p[0].x, p[1].x, p[2].x), least(p[0].y, p[1].y, p[2].y), least(p[0].z, p[1].z, p[2].z)},
                        {most(p[0].x, p[1].x, p[2].x), most(p[0].y, p[1].y, p[2].y), most(p[0].z, p[1].z, p[2].z)}};
}

static bool boxes_meet(const corner_box *a, const corner_box *b)
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
    const facet *f;
    int edge;
} facet_edge;

static bool is_outer(const facet_edge *e) { return e->edge >= 0 && !(e->f->inner >> e->edge & 1); }

/* One side of what two triangles in one plane share, on an edge of one of their faces or both. */
static void add_outline(collection *c, tact_intersection piece, const facet_edge *of_a, const facet_edge *of_b)
{
    const facet_edge *e = is_outer(of_a) ? of_a : of_b;
    uint32_t p = tact_facet_vertex(e->on, e->f, e->edge), q = tact_facet_vertex(e->on, e->f, (e->edge + 1) % 3);
    piece.type = TACT_INTERSECTION_OUTLINE;
    piece.edge[0] = p < q ? p : q;
    piece.edge[1] = p < q ? q : p;
    piece.edge_of_b = e == of_b;
    if (lexicographic_order(piece.from, piece.to) > 0) {
        tact_vec3 from = piece.from;
        piece.from = piece.to;
        piece.to = from;
    }
    add(c, &piece);
}

static bool in_one_plane(const facet *a, const facet *b)
{
    for (int i = 0; i < 3; i++)
        if (tact_orient3d(a->at[0], a->at[1], a->at[2], b->at[i]) != 0 ||
            tact_orient3d(b->at[0], b->at[1], b->at[2], a->at[i]) != 0)
            return false;
    return true;
}

/* ---- triangles without area -------------------------------------------------------------------------------------- */

/* The part of a segment, along the line of edge k of a thin facet, that is on that edge; false if there is none. */
static bool clip_to_edge(const facet *f, int k, tact_vec3 *from, tact_vec3 *to)
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

/* The outline that edges of a thin facet of `mine` make of a piece whose ends are in order; false if they make none. */
static bool add_thin_outline(collection *c, const tact_intersection *whole, facet_edge *mine, bool of_b)
{
    const facet_edge none = {NULL, NULL, -1};
    bool any = false;
    for (mine->edge = 0; mine->edge < 3; mine->edge++) {
        tact_intersection piece = *whole;
        if (!is_outer(mine) || !clip_to_edge(mine->f, mine->edge, &piece.from, &piece.to))
            continue;
        add_outline(c, piece, of_b ? &none : mine, of_b ? mine : &none);
        any = true;
    }
    mine->edge = -1;
    return any;
}

/* Whether a piece on an edge of A that passes for a cut is on an edge of A's face all the same: that of a thin facet,
 * which tells it. Looks at all triangles of a face that has thin ones. */
static bool is_told_by_thin(const tact_intersection *piece, const facet_edge *of_a)
{
    facet thin;
    facet_cursor cursor = {0, 0};
    if (of_a->edge < 0)
        return false;
    const tact_vec3 p = of_a->f->at[of_a->edge], q = of_a->f->at[(of_a->edge + 1) % 3];
    const bool forward = lexicographic_order(piece->from, piece->to) <= 0;
    const tact_vec3 low = forward ? piece->from : piece->to, high = forward ? piece->to : piece->from;
    while (tact_surface_next_thin(of_a->on, &cursor, &thin))
        for (facet_edge e = {of_a->on, &thin, 0}; e.edge < 3; e.edge++) {
            tact_vec3 from = low, to = high;
            if (is_outer(&e) && clip_to_edge(&thin, e.edge, &from, &to) && vec_equal(from, low) &&
                vec_equal(to, high) && tact_collinear(p, q, thin.at[e.edge]) &&
                tact_collinear(p, q, thin.at[(e.edge + 1) % 3]))
                return true;
        }
    return false;
}

/* A segment that two facets share of which one at least is thin: in one plane, if their faces are, it is outline where
 * it is an edge of a thin one. (Other facets tell the edges of the other face.) */
static void meet_thin(collection *c, tact_intersection piece, facet_edge *of_a, bool thin_a, facet_edge *of_b,
                      bool thin_b)
{
    facet plane_a = *of_a->f, plane_b = *of_b->f;
    bool area = (!thin_a || tact_facet_plane(of_a->on, &plane_a)) && (!thin_b || tact_facet_plane(of_b->on, &plane_b));
    if (!area || !in_one_plane(&plane_a, &plane_b)) {
        const tact_vec3 along = vec_cross(tact_triangle_normal(plane_a.at), tact_triangle_normal(plane_b.at));
        if (area && vec_dot(along, vec_sub(piece.to, piece.from)) < 0.0) {
            const tact_vec3 from = piece.from;
            piece.from = piece.to;
            piece.to = from;
        }
        piece.type = TACT_INTERSECTION_SEGMENT;
        add(c, &piece);
        return;
    }
    if (lexicographic_order(piece.from, piece.to) > 0) {
        const tact_vec3 from = piece.from;
        piece.from = piece.to;
        piece.to = from;
    }
    if (thin_a ? add_thin_outline(c, &piece, of_a, false) : is_outer(of_a))
        return;
    if (thin_a) /* any edge that tells the line */
        of_a->edge = vec_equal(of_a->f->at[0], of_a->f->at[1]) ? 1 : 0;
    if (thin_b && !is_told_by_thin(&piece, of_a))
        (void)add_thin_outline(c, &piece, of_b, true);
}

/* What two facets share; `piece` says whose they are. */
static void meet(collection *c, tact_intersection piece, const surface *on_a, const facet *a, const surface *on_b,
                 const facet *b)
{
    triangle_intersection cut;
    int count = tact_triangles_intersection(a->at, b->at, &cut);
    if (count == 0)
        return;
    piece.facet_a = a->side;
    piece.facet_b = b->side;
    facet_edge of_a = {on_a, a, -1}, of_b = {on_b, b, -1};
    bool flat = count > 2;
    if (count == 2) { /* a common edge, or an edge on a face */
        of_a.edge = edge_of_parts(cut.vertices[0].feature_a, cut.vertices[1].feature_a);
        of_b.edge = edge_of_parts(cut.vertices[0].feature_b, cut.vertices[1].feature_b);
        const bool thin_a = tact_facet_is_thin(on_a, a), thin_b = tact_facet_is_thin(on_b, b);
        if (thin_a || thin_b) {
            piece.from = cut.vertices[0].position;
            piece.to = cut.vertices[1].position;
            meet_thin(c, piece, &of_a, thin_a, &of_b, thin_b);
            return;
        }
        flat = of_a.edge >= 0 && of_b.edge >= 0 && in_one_plane(a, b);
    }
    if (!flat) {
        piece.type = count == 1 ? TACT_INTERSECTION_POINT : TACT_INTERSECTION_SEGMENT;
        piece.from = cut.vertices[0].position;
        piece.to = cut.vertices[count - 1].position;
        add(c, &piece);
        return;
    }
    for (int i = 0; i < (count > 2 ? count : 1); i++) {
        const triangle_intersection_vertex *p = &cut.vertices[i], *q = &cut.vertices[(i + 1) % count];
        of_a.edge = edge_of_parts(p->feature_a, q->feature_a);
        of_b.edge = edge_of_parts(p->feature_b, q->feature_b);
        piece.from = p->position;
        piece.to = q->position;
        /* it is no outline if it is a cut inside one face and no edge of the other */
        if (is_outer(&of_a) || (is_outer(&of_b) && !is_told_by_thin(&piece, &of_a)))
            add_outline(c, piece, &of_a, &of_b);
    }
}

/* ---- two elements ------------------------------------------------------------------------------------------------ */

static corner_box box_of_surface(const surface *s)
{
    corner_box all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    facet_cursor cursor = {0, 0};
    facet f;
    while (tact_surface_next(s, &cursor, &f)) {
        corner_box b = box_of_triangle(f.at);
        all.min = vec_make(fmin(all.min.x, b.min.x), fmin(all.min.y, b.min.y), fmin(all.min.z, b.min.z));
        all.max = vec_make(fmax(all.max.x, b.max.x), fmax(all.max.y, b.max.y), fmax(all.max.z, b.max.z));
    }
    return all;
}

/* Facets of A that are looked at together, so that those of B need be placed once for all of them: some 8 KB. */
#define FACETS_AT_ONCE 64

/* All facets of one against all of the other whose boxes meet. */
static void meet_surfaces(collection *c, const tact_intersection *piece, const surface *on_a, const surface *on_b)
{
    boxed some[FACETS_AT_ONCE], one;
    const corner_box all_b = box_of_surface(on_b);
    facet_cursor cursor_a = {0, 0};
    for (bool more = true; more;) {
        int count = 0;
        while (count < FACETS_AT_ONCE && (more = tact_surface_next(on_a, &cursor_a, &some[count].f))) {
            some[count].box = box_of_triangle(some[count].f.at);
            count += boxes_meet(&some[count].box, &all_b);
        }
        facet_cursor cursor_b = {0, 0};
        while (count > 0 && tact_surface_next(on_b, &cursor_b, &one.f)) {
            one.box = box_of_triangle(one.f.at);
            for (int i = 0; i < count; i++)
                if (boxes_meet(&some[i].box, &one.box))
                    meet(c, *piece, on_a, &some[i].f, on_b, &one.f);
        }
    }
}

/* A part without facets: whether it touches is all there is to know. */
static void meet_curved(collection *c, const primitive *a, const primitive *b)
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

static void meet_elements(collection *c, const primitive *a, const primitive *b)
{
    surface on_a, on_b;
    const tact_intersection piece = {.part_a = primitive_part(a), .part_b = primitive_part(b)};
    if (tact_surface_make(&on_a, a) && tact_surface_make(&on_b, b))
        meet_surfaces(c, &piece, &on_a, &on_b);
    else
        meet_curved(c, a, b);
}

/* ---- two leaves -------------------------------------------------------------------------------------------------- */

/* A facet of a convex shape against a mesh. */
typedef struct facet_search {
    collection *c;
    const surface *on; /* whose facet it is */
    const instance *of_mesh;
    surface on_mesh;
    boxed facet;
    tact_part part; /* of the convex shape */
    bool mesh_is_a;
} facet_search;

static bool meet_triangle(void *context, uint32_t i)
{
    facet_search *s = context;
    facet_cursor cursor = {0, 0};
    boxed triangle;
    s->on_mesh.element = i;
    (void)tact_surface_next(&s->on_mesh, &cursor, &triangle.f);
    triangle.box = box_of_triangle(triangle.f.at);
    if (!boxes_meet(&triangle.box, &s->facet.box))
        return true;
    const primitive of_mesh = {s->of_mesh, i};
    tact_part part = primitive_part(&of_mesh);
    if (s->mesh_is_a)
        meet(s->c, (tact_intersection){.part_a = part, .part_b = s->part}, &s->on_mesh, &triangle.f, s->on,
             &s->facet.f);
    else
        meet(s->c, (tact_intersection){.part_a = s->part, .part_b = part}, s->on, &s->facet.f, &s->on_mesh,
             &triangle.f);
    return true;
}

/* Searches the tree of the mesh with the box of each facet: what is inside the convex shape, away from its surface, is
 * not looked at. */
static void meet_mesh(facet_search *s)
{
    /* Of the extent of a facet: far more than the rounding of a difference. */
    const double slack = 8.0 * DBL_EPSILON;
    const instance *m = s->of_mesh;
    facet_cursor cursor = {0, 0};
    while (tact_surface_next(s->on, &cursor, &s->facet.f)) {
        const tact_vec3 o = s->facet.f.at[0];
        const tact_transform frame = tact_at(o.x, o.y, o.z); /* so that the floats of the box have their digits */
        const tact_vec3 ends[3] = {vec_make(0.0, 0.0, 0.0), vec_sub(s->facet.f.at[1], o), vec_sub(s->facet.f.at[2], o)};
        const box query = tact_box_expand(tact_box_of_points(ends, 3),
                                          slack * max_double(vec_max_abs(ends[1]), vec_max_abs(ends[2])));
        s->facet.box = box_of_triangle(s->facet.f.at);
        (void)tact_aabb_tree_overlap_transformed(&m->shape->mesh->tree, &m->at, &query, &frame,
                                                 COMPLEX_TRIANGLE_TREE_AXES, meet_triangle, s);
    }
}

static leaf_way begin_leaves(collection *c, const primitive *a, const primitive *b)
{
    bool mesh_a = primitive_is_triangle(a), mesh_b = primitive_is_triangle(b);
    if (!tact_surface_make(&c->on_a, a) || !tact_surface_make(&c->on_b, b))
        return LEAF_ELEMENTS;
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
        meet_mesh(&s);
        return LEAF_DONE;
    }
    return LEAF_ELEMENTS;
}

static void place_triangle(surface *s, uint32_t element, boxed *t)
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
    collection *c = context;
    if (c->way == LEAF_NOT_BEGUN || c->leaf_a != a->of->leaf || c->leaf_b != b->of->leaf) {
        c->leaf_a = a->of->leaf;
        c->leaf_b = b->of->leaf;
        c->way = begin_leaves(c, a, b);
    }
    if (c->way == LEAF_ELEMENTS) {
        meet_elements(c, a, b);
    } else if (c->way == LEAF_TRIANGLES) {
        place_triangle(&c->on_a, a->element, &c->a);
        place_triangle(&c->on_b, b->element, &c->b);
        if (boxes_meet(&c->a.box, &c->b.box))
            meet(c, (tact_intersection){.part_a = primitive_part(a), .part_b = primitive_part(b)}, &c->on_a, &c->a.f,
                 &c->on_b, &c->b.f);
    }
    return limit;
}

/* ---- two shapes -------------------------------------------------------------------------------------------------- */

/* The piece with A and B in each other's place. */
static void change_places(tact_intersection *s)
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

static TACT_NOINLINE tact_intersections compute_crossings(const tact_shape *a, const tact_transform *transform_a,
                                                          const tact_shape *b, const tact_transform *transform_b,
                                                          tact_intersection *segments, size_t room)
{
    instance both[2];
    bool swapped;
    if (tact_instance_pair(both, a, transform_a, b, transform_b, &swapped) != TACT_OK)
        return (tact_intersections){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    collection c;
    c.items = segments;
    c.room = room;
    c.count = 0;
    c.curved = false;
    c.cache = (tact_cache){{0.0, 0.0, 0.0}};
    c.way = LEAF_NOT_BEGUN;
    traversal w = {&c, visit, NULL, true, TACT_OK};
    if (!shape_is_empty(a) && !shape_is_empty(b))
        (void)tact_traverse_pairs(&w, &both[0], &both[1], 0.0);
    if (w.status != TACT_OK)
        return (tact_intersections){.status = w.status, .state = TACT_UNKNOWN};
    if (c.count > room)
        return (tact_intersections){TACT_OUT_OF_MEMORY, TACT_HIT, c.count};
    for (size_t i = 0; swapped && i < c.count; i++)
        change_places(&segments[i]);
    tact_status status = c.curved ? TACT_BAD_ARGUMENT : TACT_OK;
    if (c.count == 0)
        return (tact_intersections){status, status == TACT_OK ? TACT_MISS : TACT_UNKNOWN, 0};
    return (tact_intersections){status, TACT_HIT, tact_intersection_segments_merge(segments, c.count)};
}

tact_intersections tact_complex_intersections(const tact_shape *a, const tact_transform *transform_a,
                                              const tact_shape *b, const tact_transform *transform_b,
                                              tact_intersection *segments, size_t capacity)
{
    const fp_environment found = fp_environment_enter();
    const tact_intersections answer = compute_crossings(a, transform_a, b, transform_b, segments, capacity);
    fp_environment_leave(found);
    return answer;
}
