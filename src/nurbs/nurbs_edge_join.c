#include "nurbs/nurbs_edge_join.h"

#include <math.h>
#include <string.h>

#include "core/number.h"
#include "core/union_find.h"
#include "math/vec.h"
#include "nurbs/nurbs_corners.h"
#include "nurbs/nurbs_regular.h"

nurbs_edge_join *tact_nurbs_edge_join_create(const nurbs_tessellation *t)
{
    const tact_allocator *allocator = &t->allocator;
    nurbs_edge_join *n = tact_memory_allocate(allocator, 1, sizeof *n);
    if (n == NULL)
        return NULL;
    *n = (nurbs_edge_join){.arc_count = 2 * t->model->edge_count, .vertex_count = t->vertices.count};
    n->arcs = tact_memory_allocate(allocator, n->arc_count, sizeof *n->arcs);
    n->vertices = tact_memory_allocate(allocator, n->vertex_count, sizeof *n->vertices);
    n->parent = tact_memory_allocate(allocator, n->vertex_count, sizeof *n->parent);
    if (n->arcs == NULL || n->vertices == NULL || n->parent == NULL) {
        tact_nurbs_edge_join_free(n, allocator);
        return NULL;
    }
    memset(n->arcs, 0, n->arc_count * sizeof *n->arcs);
    memcpy(n->vertices, t->vertices.items, n->vertex_count * sizeof *n->vertices);
    union_find_init(n->parent, n->vertex_count);
    return n;
}

void tact_nurbs_edge_join_free(nurbs_edge_join *n, const tact_allocator *allocator)
{
    if (n == NULL)
        return;
    boundary_edge_array_release(&n->edges, allocator);
    edge_index_array_release(&n->arc_edges, allocator);
    inserted_vertex_array_release(&n->inserted, allocator);
    edge_step_array_release(&n->steps, allocator);
    divided_triangle_array_release(&n->divided, allocator);
    joined_side_array_release(&n->sides, allocator);
    tact_memory_free(allocator, n->arcs, n->arc_count, sizeof *n->arcs);
    tact_memory_free(allocator, n->vertices, n->vertex_count, sizeof *n->vertices);
    tact_memory_free(allocator, n->parent, n->vertex_count, sizeof *n->parent);
    tact_memory_free(allocator, n, 1, sizeof *n);
}

size_t tact_nurbs_edge_join_byte_count(const nurbs_edge_join *n)
{
    return n == NULL
               ? 0
               : sizeof *n + n->edges.capacity * sizeof(boundary_edge) + n->arc_edges.capacity * sizeof(uint32_t) +
                     n->inserted.capacity * sizeof(inserted_vertex) + n->steps.capacity +
                     n->divided.capacity * sizeof(divided_triangle) + n->sides.capacity * sizeof(joined_side) +
                     n->arc_count * sizeof(edge_arc) + n->vertex_count * (sizeof(nurbs_vertex) + sizeof(uint32_t));
}

static tact_vec3 position_of(const nurbs_edge_join *n, const nurbs_tessellation *t, uint32_t vertex)
{
    return tact_nurbs_vertex_position(t, &n->vertices[vertex]);
}

static uint32_t root_of(const nurbs_edge_join *n, uint32_t vertex) { return union_find_root(n->parent, vertex); }

/* Whether the last move changed the position of a vertex. */
static bool has_moved(const nurbs_edge_join *n, const nurbs_tessellation *t, uint32_t vertex)
{
    return t->changed[n->vertices[vertex].patch] != 0;
}

double tact_nurbs_distance_to_segment(tact_vec3 p, tact_vec3 a, tact_vec3 b, double *at)
{
    const tact_vec3 along = vec_sub(b, a);
    const double square = vec_dot(along, along);
    *at = square > 0.0 ? number_min(1.0, number_max(0.0, vec_dot(vec_sub(p, a), along) / square)) : 0.0;
    return vec_length_safe(vec_sub(p, vec_mul_add(a, *at, along)));
}

/* ---- short arcs ---- */

/* What becomes one vertex. COLLAPSE_EDGE: both of an edge of a triangle at a junction, which is shorter than the snap
 * distance: where curves of several faces end in one point of the border, rounding gives each surface other vertices
 * near it. COLLAPSE_ARC: all of an arc of no edge that begins here and is shorter: gaps between curves, and poles that
 * are not exactly one point. */
enum { COLLAPSE_EDGE = 1, COLLAPSE_ARC = 2 };

static double length_of(const nurbs_edge_join *n, const nurbs_tessellation *t, const boundary_edge *e)
{
    return vec_length_safe(vec_sub(position_of(n, t, e->to), position_of(n, t, e->from)));
}

static bool begins_arc_of_none(const boundary_edge *e) { return e->edge == NURBS_NONE && (e->junctions & 1) != 0; }

static uint8_t collapse_of(const nurbs_edge_join *n, const nurbs_tessellation *t, const boundary_edge *e)
{
    const double most = NURBS_EDGE_SNAP * t->model->tolerances[e->surface].edges;
    const uint8_t edge = e->junctions != 0 && length_of(n, t, e) <= most ? COLLAPSE_EDGE : 0;
    if (!begins_arc_of_none(e))
        return edge;
    double length = 0.0;
    for (const boundary_edge *k = e; length <= most; k = &n->edges.items[k->next]) {
        length += length_of(n, t, k);
        if ((k->junctions & 2) != 0)
            break;
    }
    return edge | (length <= most ? COLLAPSE_ARC : 0);
}

static void collapse(nurbs_edge_join *n, const boundary_edge *e)
{
    if ((e->collapse & COLLAPSE_EDGE) != 0)
        union_find_unite(n->parent, e->to, e->from);
    for (const boundary_edge *k = e; (e->collapse & COLLAPSE_ARC) != 0; k = &n->edges.items[k->next]) {
        union_find_unite(n->parent, k->to, e->from);
        if ((k->junctions & 2) != 0)
            break;
    }
}

/* Whether vertices have moved on which collapse_of depends. */
static bool collapse_may_change(const nurbs_edge_join *n, const nurbs_tessellation *t, const boundary_edge *e)
{
    if (e->junctions == 0)
        return false;
    bool moved = has_moved(n, t, e->from) || has_moved(n, t, e->to);
    for (const boundary_edge *k = e; begins_arc_of_none(e) && !moved && (k->junctions & 2) == 0;) {
        k = &n->edges.items[k->next];
        moved = has_moved(n, t, k->to);
    }
    return moved;
}

/* ---- merging ---- */

/* Vertices of an arc: vertex i is the beginning of edge i, or the end of the last edge. */
static uint32_t arc_vertex(const nurbs_edge_join *n, const edge_arc *arc, uint32_t i)
{
    const boundary_edge *edges = n->edges.items;
    const uint32_t *list = n->arc_edges.items + arc->first;
    return i < arc->count ? edges[list[i]].from : edges[list[i - 1]].to;
}

/* Both arcs of an edge, which run in opposite directions, while they are merged: x edges of arc a, and the last y of
 * arc b have been passed. */
typedef struct arc_walk {
    const edge_arc *a, *b;
    uint32_t x, y;
    tact_vec3 at[2], next[2]; /* the vertices before and after the present edges */
    double snap;
} arc_walk;

static bool is_merged(const nurbs_edge_join *n, size_t edge)
{
    return n->arcs[2 * edge].count > 0 && n->arcs[2 * edge + 1].count > 0;
}

static arc_walk walk_begin(const nurbs_edge_join *n, const nurbs_tessellation *t, size_t edge)
{
    const edge_arc *a = &n->arcs[2 * edge], *b = a + 1;
    const nurbs_model *m = t->model;
    return (arc_walk){a,
                      b,
                      0,
                      0,
                      {position_of(n, t, arc_vertex(n, a, 0)), position_of(n, t, arc_vertex(n, b, b->count))},
                      {position_of(n, t, arc_vertex(n, a, 1)), position_of(n, t, arc_vertex(n, b, b->count - 1))},
                      NURBS_EDGE_SNAP * number_min(m->tolerances[m->edges[edge].surface[0]].edges,
                                                   m->tolerances[m->edges[edge].surface[1]].edges)};
}

static bool walk_ends(const arc_walk *w) { return w->x + 1 >= w->a->count && w->y + 1 >= w->b->count; }

static uint32_t walk_vertex(const nurbs_edge_join *n, const arc_walk *w, int side)
{
    return side == 0 ? arc_vertex(n, w->a, w->x + 1) : arc_vertex(n, w->b, w->b->count - w->y - 1);
}

/* Which vertex follows: that of arc a or b, the one that is closer to the present edge of the other arc; or both, which
 * become one. */
enum { STEP_A = 1, STEP_B = 2 };

static uint8_t next_step(const nurbs_edge_join *n, const arc_walk *w)
{
    const bool inner[2] = {w->x + 1 < w->a->count, w->y + 1 < w->b->count};
    if (inner[0] && inner[1] &&
        (walk_vertex(n, w, 0) == walk_vertex(n, w, 1) || vec_length_safe(vec_sub(w->next[0], w->next[1])) <= w->snap))
        return STEP_A | STEP_B;
    double unused;
    const double cost[2] = {
        inner[0] ? tact_nurbs_distance_to_segment(w->next[0], w->at[1], w->next[1], &unused) : INFINITY,
        inner[1] ? tact_nurbs_distance_to_segment(w->next[1], w->at[0], w->next[0], &unused) : INFINITY};
    return cost[1] < cost[0] ? STEP_B : STEP_A;
}

static void walk_step(const nurbs_edge_join *n, const nurbs_tessellation *t, arc_walk *w, uint8_t step)
{
    w->x += (step & STEP_A) != 0;
    w->y += (step & STEP_B) != 0;
    for (int side = 0; side < 2; side++)
        if ((step & (side == 0 ? STEP_A : STEP_B)) != 0) {
            w->at[side] = w->next[side];
            w->next[side] = position_of(n, t, walk_vertex(n, w, side));
        }
}

static bool insert_vertex(nurbs_edge_join *n, uint32_t edge, uint32_t vertex, bool reversed,
                          const tact_allocator *allocator)
{
    boundary_edge *e = &n->edges.items[edge];
    if (e->inserted_count++ == 0)
        e->first_inserted = (uint32_t)n->inserted.count;
    e->reversed = reversed;
    return inserted_vertex_array_push(&n->inserted, allocator, (inserted_vertex){vertex, 0.0});
}

static bool merge_arcs(nurbs_edge_join *n, const nurbs_tessellation *t, size_t edge)
{
    arc_walk w = walk_begin(n, t, edge);
    union_find_unite(n->parent, arc_vertex(n, w.a, 0), arc_vertex(n, w.b, w.b->count));
    union_find_unite(n->parent, arc_vertex(n, w.a, w.a->count), arc_vertex(n, w.b, 0));
    while (!walk_ends(&w)) {
        const uint8_t step = next_step(n, &w);
        const uint32_t *edges = n->arc_edges.items;
        bool fine = edge_step_array_push(&n->steps, &t->allocator, step);
        if (step == (STEP_A | STEP_B))
            union_find_unite(n->parent, walk_vertex(n, &w, 0), walk_vertex(n, &w, 1));
        else if (step == STEP_A)
            fine = fine && insert_vertex(n, edges[w.b->first + w.b->count - w.y - 1], walk_vertex(n, &w, 0), true,
                                         &t->allocator);
        else
            fine = fine && insert_vertex(n, edges[w.a->first + w.x], walk_vertex(n, &w, 1), false, &t->allocator);
        if (!fine)
            return false;
        walk_step(n, t, &w, step);
    }
    return true;
}

/* Whether vertices of the arcs of an edge have moved. */
static bool arcs_have_moved(const nurbs_edge_join *n, const nurbs_tessellation *t, size_t edge)
{
    for (size_t k = 2 * edge; k < 2 * edge + 2; k++)
        for (uint32_t i = 0; i <= n->arcs[k].count; i++)
            if (has_moved(n, t, arc_vertex(n, &n->arcs[k], i)))
                return true;
    return false;
}

/* The number of steps of an edge. */
static uint32_t count_steps(const nurbs_edge_join *n, size_t edge, const uint8_t *steps)
{
    uint32_t x = 0, y = 0, count = 0;
    while (x + 1 < n->arcs[2 * edge].count || y + 1 < n->arcs[2 * edge + 1].count) {
        x += (steps[count] & STEP_A) != 0;
        y += (steps[count] & STEP_B) != 0;
        count++;
    }
    return count;
}

bool tact_nurbs_edge_join_stays(const nurbs_edge_join *n, const nurbs_tessellation *t)
{
    for (size_t i = 0; i < n->edges.count; i++) {
        const boundary_edge *e = &n->edges.items[i];
        if (collapse_may_change(n, t, e) && collapse_of(n, t, e) != e->collapse)
            return false;
    }
    const uint8_t *steps = n->steps.items;
    for (size_t edge = 0; 2 * edge < n->arc_count; edge++) {
        if (!is_merged(n, edge))
            continue;
        const uint32_t count = count_steps(n, edge, steps);
        if (count == 0)
            continue;
        if (arcs_have_moved(n, t, edge)) {
            arc_walk w = walk_begin(n, t, edge);
            for (uint32_t k = 0; k < count; k++) {
                if (next_step(n, &w) != steps[k])
                    return false;
                walk_step(n, t, &w, steps[k]);
            }
        }
        steps += count;
    }
    return true;
}

/* ---- gaps ---- */

/* Vertex i that was inserted in a boundary edge, counted from its first vertex. */
static inserted_vertex *inserted_at(const nurbs_edge_join *n, const boundary_edge *e, uint32_t i)
{
    return &n->inserted.items[e->first_inserted + (e->reversed ? e->inserted_count - 1 - i : i)];
}

/* Places inserted vertices on their edge, in order. */
static void place_inserted(const nurbs_edge_join *n, const nurbs_tessellation *t, const boundary_edge *e)
{
    double last = 0.0;
    for (uint32_t k = 0; k < e->inserted_count; k++) {
        inserted_vertex *v = inserted_at(n, e, k);
        (void)tact_nurbs_distance_to_segment(position_of(n, t, root_of(n, v->vertex)), position_of(n, t, e->from),
                                             position_of(n, t, e->to), &v->at);
        last = v->at = number_max(last, v->at);
    }
}

/* The largest distance by which a point of a boundary edge moves, and where it moves to. */
static double gap_of(const nurbs_edge_join *n, const nurbs_tessellation *t, const boundary_edge *e, tact_vec3 *to)
{
    const uint32_t root = root_of(n, e->from);
    if (root == e->from && e->inserted_count == 0)
        return 0.0;
    const tact_vec3 from = position_of(n, t, e->from), along = vec_sub(position_of(n, t, e->to), from);
    double gap = 0.0;
    for (uint32_t k = 0; k <= e->inserted_count; k++) {
        const inserted_vertex *v = k > 0 ? inserted_at(n, e, k - 1) : NULL;
        const tact_vec3 at = position_of(n, t, v != NULL ? root_of(n, v->vertex) : root);
        const double distance = vec_length_safe(vec_sub(at, v != NULL ? vec_mul_add(from, v->at, along) : from));
        if (distance > gap) {
            gap = distance;
            *to = at;
        }
    }
    return gap;
}

static void raise_gap(nurbs_tessellation *t, uint32_t edge, double gap, tact_vec3 at)
{
    if (gap > t->edge_gap) {
        t->edge_gap = gap;
        t->widest_edge = edge;
        t->widest_at = at;
    }
}

static void set_gaps(nurbs_edge_join *n, nurbs_tessellation *t)
{
    tact_vec3 at = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < n->edges.count; i++) {
        boundary_edge *e = &n->edges.items[i];
        e->gap = gap_of(n, t, e, &at);
        raise_gap(t, e->edge, e->gap, at);
    }
    for (size_t frame = 0; frame < t->frame_count; frame++) {
        nurbs_tessellation moved = *t; /* shares all but the control points, which are only read */
        moved.points = (tact_vec3 *)t->frames + frame * nurbs_point_count(t->model);
        for (size_t i = 0; i < n->edges.count; i++) {
            const double gap = gap_of(n, &moved, &n->edges.items[i], &at);
            raise_gap(t, n->edges.items[i].edge, gap, at);
        }
    }
}

/* ---- sides ---- */

static bool add_sides(nurbs_edge_join *n, const boundary_edge *e, uint32_t edge, const tact_allocator *allocator)
{
    uint32_t from = root_of(n, e->from);
    for (uint32_t k = 0; k <= e->inserted_count; k++) {
        const uint32_t to = root_of(n, k < e->inserted_count ? inserted_at(n, e, k)->vertex : e->to);
        if (from != to && !joined_side_array_push(&n->sides, allocator, (joined_side){{from, to}, edge}))
            return false;
        from = to;
    }
    return true;
}

static bool list_sides(nurbs_edge_join *n, const tact_allocator *allocator)
{
    for (size_t edge = 0; 2 * edge < n->arc_count; edge++) {
        const edge_arc *arc = &n->arcs[2 * edge]; /* the other one has the same vertices */
        for (uint32_t i = 0; i < arc->count && is_merged(n, edge); i++)
            if (!add_sides(n, &n->edges.items[n->arc_edges.items[arc->first + i]], (uint32_t)edge, allocator))
                return false;
    }
    return true;
}

void tact_nurbs_edge_join_renumber(nurbs_edge_join *n, const uint32_t *number)
{
    size_t kept = 0;
    for (size_t i = 0; i < n->sides.count; i++) {
        joined_side side = n->sides.items[i];
        bool used = true;
        for (int k = 0; k < 2; k++) {
            used = used && number[side.vertex[k]] != number[side.vertex[k] + 1];
            side.vertex[k] = number[side.vertex[k]];
        }
        if (used)
            n->sides.items[kept++] = side;
    }
    n->sides.count = kept;
}

/* ---- triangles ---- */

/* The place of a fraction of the way between two. */
static nurbs_cell_point point_between(const nurbs_cell_point *a, const nurbs_cell_point *b, double at)
{
    nurbs_cell_point p;
    for (int d = 0; d < 2; d++) {
        p.free[d] = a->free[d] && b->free[d];
        p.at[d] = a->free[d] ? b->at[d] : b->free[d] ? a->at[d] : (1.0 - at) * a->at[d] + at * b->at[d];
    }
    return p;
}

/* Where the parts of triangles go. */
typedef struct part_sink {
    const nurbs_edge_join *n;
    nurbs_tessellation *t;
    nurbs_triangle_array triangles; /* if they are made */
    nurbs_joined_triangle *update;  /* else: their places */
} part_sink;

static bool add_part(part_sink *s, const triangle_part *part, uint32_t cell)
{
    nurbs_triangle triangle = {.cell = cell};
    uint32_t *r = triangle.vertex;
    for (int k = 0; k < 3; k++)
        r[k] = root_of(s->n, part->vertex[k]);
    if (r[0] == r[1] || r[1] == r[2] || r[2] == r[0])
        return true;
    if (s->update != NULL) {
        memcpy((s->update++)->corners, part->at, sizeof part->at);
        return true;
    }
    nurbs_joined_triangle joined = {.triangle = (uint32_t)s->triangles.count};
    memcpy(joined.corners, part->at, sizeof joined.corners);
    return nurbs_triangle_array_push(&s->triangles, &s->t->allocator, triangle) &&
           (!part->joined || nurbs_joined_triangle_array_push(&s->t->joined, &s->t->allocator, joined));
}

/* Divides a triangle at the vertices that were inserted in its edges. */
static bool divide_triangle(part_sink *s, const triangle_part *whole, uint32_t cell)
{
    const nurbs_edge_join *n = s->n;
    int k = 0;
    while (k < 3 && (whole->edges[k] == NURBS_NONE || n->edges.items[whole->edges[k]].inserted_count == 0))
        k++;
    if (k == 3)
        return add_part(s, whole, cell);
    const int next = (k + 1) % 3, far = (k + 2) % 3;
    const boundary_edge *e = &n->edges.items[whole->edges[k]];
    triangle_part part = {.vertex = {NURBS_NONE, whole->vertex[k], whole->vertex[far]},
                          .at = {whole->at[k], whole->at[k], whole->at[far]},
                          .joined = true};
    for (uint32_t i = 0; i <= e->inserted_count; i++) { /* a fan around the vertex opposite to the edge */
        const bool last = i == e->inserted_count;
        const inserted_vertex *v = last ? NULL : inserted_at(n, e, i);
        part.vertex[0] = part.vertex[1];
        part.at[0] = part.at[1];
        part.vertex[1] = last ? whole->vertex[next] : v->vertex;
        part.at[1] = last ? whole->at[next] : point_between(&whole->at[k], &whole->at[next], v->at);
        part.edges[0] = NURBS_NONE;
        part.edges[1] = last ? whole->edges[next] : NURBS_NONE;
        part.edges[2] = i == 0 ? whole->edges[far] : NURBS_NONE;
        if (!divide_triangle(s, &part, cell))
            return false;
    }
    return true;
}

/* Triangle i, before it is divided. */
static triangle_part whole_triangle(const part_sink *s, uint32_t i, const uint32_t *edge_of_corner,
                                    const nurbs_cell *cell)
{
    triangle_part whole = {.joined = false};
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t v = whole.vertex[k] = s->t->triangles.items[i].vertex[k];
        const uint32_t e = whole.edges[k] = edge_of_corner[3 * (size_t)i + k];
        whole.joined =
            whole.joined || root_of(s->n, v) != v || (e != NURBS_NONE && s->n->edges.items[e].inserted_count > 0);
    }
    for (int k = 0; k < 3 && whole.joined; k++)
        (void)tact_nurbs_find_in_cell(s->t, cell, &s->n->vertices[whole.vertex[k]], &whole.at[k]);
    return whole;
}

static bool divide_cell(nurbs_edge_join *n, part_sink *s, uint32_t c, const uint32_t *edge_of_corner)
{
    nurbs_tessellation *t = s->t;
    nurbs_cell *cell = &t->cells.items[c];
    const uint32_t first = (uint32_t)s->triangles.count;
    for (uint32_t i = cell->first_triangle; i < cell->first_triangle + cell->triangle_count; i++) {
        const triangle_part whole = whole_triangle(s, i, edge_of_corner, cell);
        const divided_triangle divided = {whole, c, (uint32_t)t->joined.count};
        if (whole.joined && !divided_triangle_array_push(&n->divided, &t->allocator, divided))
            return false;
        if (!divide_triangle(s, &whole, c))
            return false;
    }
    cell->first_triangle = first;
    cell->triangle_count = (uint32_t)s->triangles.count - first;
    return true;
}

static bool divide_triangles(nurbs_edge_join *n, nurbs_tessellation *t, const uint32_t *edge_of_corner)
{
    part_sink s = {.n = n, .t = t};
    bool fine = true;
    for (uint32_t c = 0; c < t->cells.count && fine; c++)
        fine = t->cells.items[c].first_child != 0 || divide_cell(n, &s, c, edge_of_corner);
    nurbs_triangle_array_release(fine ? &t->triangles : &s.triangles, &t->allocator);
    if (fine)
        t->triangles = s.triangles;
    return fine;
}

bool tact_nurbs_edge_join_merge(nurbs_edge_join *n, nurbs_tessellation *t, const uint32_t *edge_of_corner)
{
    for (size_t i = 0; i < n->edges.count; i++) {
        boundary_edge *e = &n->edges.items[i];
        e->collapse = collapse_of(n, t, e);
        collapse(n, e);
    }
    for (size_t edge = 0; 2 * edge < n->arc_count; edge++)
        if (is_merged(n, edge) && !merge_arcs(n, t, edge))
            return false;
    for (size_t i = 0; i < n->edges.count; i++)
        place_inserted(n, t, &n->edges.items[i]);
    set_gaps(n, t);
    if (!list_sides(n, &t->allocator))
        return false;
    return divide_triangles(n, t, edge_of_corner);
}

/* ---- moves ---- */

/* Whether vertices have moved on which the gap of a boundary edge depends. */
static bool edge_has_moved(const nurbs_edge_join *n, const nurbs_tessellation *t, const boundary_edge *e)
{
    bool moved = has_moved(n, t, e->from) || has_moved(n, t, e->to) || has_moved(n, t, root_of(n, e->from));
    for (uint32_t k = 0; k < e->inserted_count && !moved; k++)
        moved = has_moved(n, t, root_of(n, n->inserted.items[e->first_inserted + k].vertex));
    return moved;
}

void tact_nurbs_edge_join_update(nurbs_edge_join *n, nurbs_tessellation *t)
{
    tact_vec3 at = {0.0, 0.0, 0.0};
    t->edge_gap = 0.0;
    for (size_t i = 0; i < n->edges.count; i++) {
        boundary_edge *e = &n->edges.items[i];
        if (edge_has_moved(n, t, e)) {
            place_inserted(n, t, e);
            e->gap = gap_of(n, t, e, &at);
        }
        raise_gap(t, e->edge, e->gap, at);
    }
    for (size_t i = 0; i < n->divided.count; i++) {
        const divided_triangle *d = &n->divided.items[i];
        bool moved = false;
        for (int k = 0; k < 3; k++)
            moved =
                moved || (d->whole.edges[k] != NURBS_NONE && edge_has_moved(n, t, &n->edges.items[d->whole.edges[k]]));
        part_sink s = {.n = n, .t = t, .update = t->joined.items + d->first};
        if (moved && d->first < t->joined.count)
            (void)divide_triangle(&s, &d->whole, d->cell); /* makes nothing: needs no memory */
    }
}
