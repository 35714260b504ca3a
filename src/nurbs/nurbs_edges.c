#include "nurbs/nurbs_edges.h"

#include <math.h>
#include <string.h>

#include "core/report.h"
#include "core/sort.h"
#include "core/union_find.h"
#include "math/vec.h"
#include "nurbs/nurbs_corners.h"

static bool out_of_memory(tact_report *report)
{
    return tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory"), false;
}

/* ---- edges of a model ---- */

/* A surface without trims has one loop: its sides, counter-clockwise from the one with the smallest v. */
static uint32_t loop_count_of(const nurbs_model *m, uint32_t surface)
{
    return m->trims[surface] != NULL ? (uint32_t)m->trims[surface]->loop_count : 1;
}

static uint32_t curve_count_of(const nurbs_model *m, uint32_t surface, uint32_t loop)
{
    return m->trims[surface] != NULL ? (uint32_t)m->trims[surface]->loops[loop].curve_count : 4;
}

bool tact_nurbs_model_set_edges(nurbs_model *m, const tact_nurbs_edge *edges, size_t count, tact_report *report)
{
    if (count == 0)
        return true;
    if (edges == NULL || count > NURBS_MAX_EDGES)
        return tact_report_fill(report, TACT_BAD_ARGUMENT,
                                edges == NULL ? "the edges are missing (NULL)" : "too many edges"),
               false;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 2; k++) {
            const uint32_t surface = edges[i].surface[k], loop = edges[i].loop[k], curve = edges[i].curve[k];
            if (surface >= m->surface_count || loop >= loop_count_of(m, surface) ||
                curve >= curve_count_of(m, surface, loop))
                return tact_report_fill(report, TACT_BAD_ARGUMENT,
                                        "edge %zu: there is no surface %u with loop %u and curve %u", i, surface, loop,
                                        curve),
                       false;
        }
    m->edges = tact_memory_allocate(&m->allocator, count, sizeof *m->edges);
    if (m->edges == NULL)
        return out_of_memory(report);
    memcpy(m->edges, edges, count * sizeof *edges);
    m->edge_count = count;
    return true;
}

/* A point of a curve: its beginning (0) or its middle (0.5). */
static tact_vec3 curve_point_at(const nurbs_tessellation *t, uint32_t surface, uint32_t loop, uint32_t curve,
                                double fraction)
{
    const nurbs_model *m = t->model;
    const nurbs_surface *s = &m->surfaces[surface];
    double uv[2];
    if (m->trims[surface] != NULL) {
        const tact_nurbs_curve *c = &m->trims[surface]->loops[loop].curves[curve];
        const double low = c->knots[c->degree], high = c->knots[c->count];
        tact_nurbs_trim_curve_point(c, low + fraction * (high - low), uv);
    } else {
        const double along = curve < 2 ? fraction : 1.0 - fraction, across = curve == 1 || curve == 2 ? 1.0 : 0.0;
        for (int d = 0; d < 2; d++) {
            const double low = s->knots[d][s->degree[d]], high = s->knots[d][s->counts[d]];
            uv[d] = low + (curve % 2 == (uint32_t)d ? along : across) * (high - low);
        }
    }
    tact_vec3 point;
    tact_nurbs_evaluate_at(s, t->points + m->first_point[surface], uv[0], uv[1], 0, &point);
    return point;
}

/* ---- boundaries ---- */

/* An edge of a triangle on the boundary of its surface. */
typedef struct boundary_edge {
    uint32_t from, to; /* vertices */
    uint32_t corner;
    uint32_t next;                           /* the boundary edge after it */
    uint32_t edge;                           /* of the model, whose arc it belongs to; NURBS_NONE: of no arc */
    uint32_t first_inserted, inserted_count; /* vertices between `from` and `to` */
    bool reversed;                           /* they are in order from `to` to `from` */
} boundary_edge;

typedef struct inserted_vertex {
    uint32_t vertex;
    double at; /* its place between the vertices of the edge, 0 to 1 */
} inserted_vertex;

typedef struct keyed_vertex {
    double key; /* coordinate along a generic direction */
    uint32_t vertex;
    tact_vec3 position;
} keyed_vertex;

/* The boundary edges of the curve of a surface, in order. */
typedef struct edge_arc {
    uint32_t first, count; /* in `arc_edges` */
} edge_arc;

static inline uint64_t boundary_edge_key(const boundary_edge *e) { return e->from; }
RADIX_SORT_OF(sort_boundary_edges, boundary_edge, boundary_edge_key)

static inline uint64_t keyed_vertex_key(const keyed_vertex *v)
{
    uint64_t bits;
    memcpy(&bits, &v->key, sizeof bits); /* order of doubles as unsigned integers */
    return bits >> 63 != 0 ? ~bits : bits | UINT64_C(1) << 63;
}
RADIX_SORT_OF(sort_keyed_vertices, keyed_vertex, keyed_vertex_key)

ARRAY_OF(boundary_edge_array, boundary_edge);
ARRAY_OF(inserted_vertex_array, inserted_vertex);
ARRAY_OF(keyed_vertex_array, keyed_vertex);
ARRAY_OF(edge_index_array, uint32_t);

typedef struct edge_joiner {
    nurbs_tessellation *t;
    const tact_allocator *allocator;
    tact_report *report;
    boundary_edge_array edges; /* of all surfaces with arcs */
    uint32_t first_edge;       /* of the present surface; sorted by `from` */
    boundary_edge_array scratch;
    keyed_vertex_array near; /* the vertices of the boundary of the present surface, sorted by key, and scratch */
    size_t near_count;
    edge_index_array junctions; /* of the present surface: vertex at the beginning of each curve, loop after loop */
    edge_index_array loops;     /* where each loop begins in `junctions` */
    edge_index_array arc_edges;
    edge_arc *arcs; /* two for each edge of the model */
    uint32_t *uses; /* 2 * edge + side, sorted by surface */
    inserted_vertex_array inserted;
    uint32_t *parent;         /* of vertices that become one */
    uint32_t *stamp;          /* per vertex: 1 + the surface of which it is a junction */
    uint32_t *edge_of_corner; /* boundary edge, or NURBS_NONE */
    size_t corner_count, vertex_count;
    nurbs_triangle_array triangles;
} edge_joiner;

static tact_vec3 position_of(const nurbs_tessellation *t, uint32_t vertex)
{
    return tact_nurbs_vertex_position(t, &t->vertices.items[vertex]);
}

static bool add_boundary_edges(edge_joiner *j, const corner_map *map, uint32_t first, uint32_t end)
{
    const nurbs_tessellation *t = j->t;
    for (uint32_t corner = 3 * first; corner < 3 * end; corner++)
        if (opposite_corner(map, t, corner) == NURBS_NONE &&
            !boundary_edge_array_push(&j->edges, j->allocator,
                                      (boundary_edge){.from = corner_from(t, corner),
                                                      .to = corner_from(t, next_corner(corner)),
                                                      .corner = corner,
                                                      .edge = NURBS_NONE}))
            return false;
    const size_t count = j->edges.count - j->first_edge;
    if (!boundary_edge_array_resize(&j->scratch, j->allocator, count))
        return false;
    boundary_edge *items = j->edges.items + j->first_edge;
    const boundary_edge *sorted = sort_boundary_edges(items, j->scratch.items, count);
    if (sorted != items && count > 0)
        memcpy(items, sorted, count * sizeof *items);
    for (size_t i = 0; i < count; i++)
        j->edge_of_corner[items[i].corner] = j->first_edge + (uint32_t)i;
    return true;
}

/* Finds the boundary edge after each: around its last vertex through the triangles that have this vertex. */
static void link_boundary_edges(edge_joiner *j, const corner_map *map)
{
    for (size_t i = j->first_edge; i < j->edges.count; i++) {
        boundary_edge *e = &j->edges.items[i];
        uint32_t corner = next_corner(e->corner);
        for (uint32_t other = opposite_corner(map, j->t, corner); other != NURBS_NONE;
             other = opposite_corner(map, j->t, corner))
            corner = next_corner(other);
        e->next = j->edge_of_corner[corner];
    }
}

static const tact_vec3 generic_direction = {0.5316, 0.6137, 0.5837};

static bool add_near_vertices(edge_joiner *j)
{
    const size_t count = j->near_count = j->edges.count - j->first_edge;
    if (!keyed_vertex_array_resize(&j->near, j->allocator, 2 * count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const uint32_t vertex = j->edges.items[j->first_edge + i].from;
        const tact_vec3 position = position_of(j->t, vertex);
        j->near.items[i] = (keyed_vertex){vec_dot(position, generic_direction), vertex, position};
    }
    const keyed_vertex *sorted = sort_keyed_vertices(j->near.items, j->near.items + count, count);
    if (sorted != j->near.items && count > 0)
        memcpy(j->near.items, sorted, count * sizeof *sorted);
    return true;
}

static bool find_boundary(edge_joiner *j, uint32_t surface)
{
    const nurbs_tessellation *t = j->t;
    const uint32_t first = surface_triangle(t, surface), end = surface_triangle(t, surface + 1);
    corner_map map = {0};
    j->first_edge = (uint32_t)j->edges.count;
    bool fine = corner_map_init(&map, end - first, j->allocator) || out_of_memory(j->report);
    if (fine && corner_map_fill(&map, t, first, end) != 0) {
        (void)tact_report_fill(j->report, TACT_BAD_ARGUMENT,
                               "surface %u: its edges cannot be joined, since trimming loops cross or touch", surface);
        fine = false;
    }
    if (fine) {
        fine = (add_boundary_edges(j, &map, first, end) && add_near_vertices(j)) || out_of_memory(j->report);
        if (fine)
            link_boundary_edges(j, &map);
    }
    corner_map_release(&map, j->allocator);
    return fine;
}

/* The vertex of the boundary nearest to a point, if it is closer than `reach`. */
static uint32_t nearest_vertex(const edge_joiner *j, tact_vec3 point, double reach)
{
    const double key = vec_dot(point, generic_direction);
    size_t low = 0, high = j->near_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (j->near.items[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    /* keys of points at a distance d differ by at most d; the direction is a unit vector up to 1e-4 */
    uint32_t nearest = NURBS_NONE;
    for (size_t up = low, down = low; up < j->near_count || down > 0;) {
        const double above = up < j->near_count ? j->near.items[up].key - key : INFINITY,
                     below = down > 0 ? key - j->near.items[down - 1].key : INFINITY;
        if (!(fmin(above, below) <= 1.001 * reach))
            break;
        const keyed_vertex *v = above <= below ? &j->near.items[up++] : &j->near.items[--down];
        const double distance = vec_length_safe(vec_sub(v->position, point));
        if (distance < reach) {
            reach = distance;
            nearest = v->vertex;
        }
    }
    return nearest;
}

/* ---- arcs ---- */

/* The first boundary edge of the present surface from a vertex. */
static uint32_t first_edge_from(const edge_joiner *j, uint32_t vertex)
{
    size_t low = j->first_edge, high = j->edges.count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (j->edges.items[middle].from < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

/* Curves that begin at no vertex of the boundary, as at poles and seams, have no junction. */
static bool find_junctions(edge_joiner *j, uint32_t surface)
{
    const nurbs_model *m = j->t->model;
    j->junctions.count = j->loops.count = 0;
    for (uint32_t loop = 0; loop < loop_count_of(m, surface); loop++) {
        if (!edge_index_array_push(&j->loops, j->allocator, (uint32_t)j->junctions.count))
            return out_of_memory(j->report);
        for (uint32_t curve = 0; curve < curve_count_of(m, surface, loop); curve++) {
            const uint32_t vertex =
                nearest_vertex(j, curve_point_at(j->t, surface, loop, curve, 0.0), m->tolerances[surface].surface);
            if (!edge_index_array_push(&j->junctions, j->allocator, vertex))
                return out_of_memory(j->report);
            if (vertex != NURBS_NONE)
                j->stamp[vertex] = surface + 1;
        }
    }
    return true;
}

/* The last edge before a junction, from edge e on; `count` becomes their number. */
static uint32_t last_of_arc(const edge_joiner *j, uint32_t e, uint32_t surface, uint32_t *count)
{
    for (*count = 1; j->stamp[j->edges.items[e].to] != surface + 1; ++*count)
        e = j->edges.items[e].next;
    return e;
}

static double distance_to_segment(tact_vec3 p, tact_vec3 a, tact_vec3 b, double *at)
{
    const tact_vec3 along = vec_sub(b, a);
    const double square = vec_dot(along, along);
    *at = square > 0.0 ? fmin(1.0, fmax(0.0, vec_dot(vec_sub(p, a), along) / square)) : 0.0;
    return vec_length_safe(vec_sub(p, vec_mul_add(a, *at, along)));
}

static double distance_to_arc(const edge_joiner *j, tact_vec3 p, uint32_t e, uint32_t count)
{
    double least = INFINITY, at;
    for (uint32_t i = 0; i < count; i++, e = j->edges.items[e].next)
        least = fmin(least, distance_to_segment(p, position_of(j->t, j->edges.items[e].from),
                                                position_of(j->t, j->edges.items[e].to), &at));
    return least;
}

static bool no_arc(const edge_joiner *j, uint32_t use, const char *text)
{
    const tact_nurbs_edge *e = &j->t->model->edges[use / 2];
    return tact_report_fill(j->report, TACT_BAD_ARGUMENT, "edge %u: surface %u, loop %u, curve %u: %s", use / 2,
                            e->surface[use % 2], e->loop[use % 2], e->curve[use % 2], text),
           false;
}

/* Finds the arc of a curve: it joins the junctions of the curve, in the direction of the curve or against it. If there
 * are two, the one that is closer to the middle of the curve. */
static bool find_arc(edge_joiner *j, uint32_t use, uint32_t surface)
{
    const nurbs_model *m = j->t->model;
    const tact_nurbs_edge *edge = &m->edges[use / 2];
    const uint32_t loop = edge->loop[use % 2], curve = edge->curve[use % 2], curves = curve_count_of(m, surface, loop);
    const uint32_t *junctions = j->junctions.items + j->loops.items[loop],
                   ends[2] = {junctions[curve], junctions[(curve + 1) % curves]};
    if (ends[0] == NURBS_NONE || ends[1] == NURBS_NONE)
        return no_arc(j, use, "it does not end on the boundary of the surface");
    const tact_vec3 middle = curve_point_at(j->t, surface, loop, curve, 0.5);
    uint32_t best = NURBS_NONE, best_count = 0;
    double least = INFINITY;
    for (int turn = 0; turn < (ends[0] != ends[1] ? 2 : 1); turn++)
        for (uint32_t e = first_edge_from(j, ends[turn]); e < j->edges.count && j->edges.items[e].from == ends[turn];
             e++) {
            uint32_t count;
            const uint32_t last = last_of_arc(j, e, surface, &count);
            if (j->edges.items[last].to != ends[1 - turn] || j->edges.items[e].edge != NURBS_NONE)
                continue;
            const double distance = distance_to_arc(j, middle, e, count);
            if (distance < least) {
                least = distance;
                best = e;
                best_count = count;
            }
        }
    if (best == NURBS_NONE)
        return no_arc(j, use, "it is not a part of the boundary between two curves, or of two edges");
    j->arcs[use] = (edge_arc){(uint32_t)j->arc_edges.count, best_count};
    for (uint32_t i = 0; i < best_count; i++, best = j->edges.items[best].next) {
        j->edges.items[best].edge = use / 2;
        if (!edge_index_array_push(&j->arc_edges, j->allocator, best))
            return out_of_memory(j->report);
    }
    return true;
}

/* Arcs of no edge that are shorter than the snap distance become one vertex: gaps between curves, and poles that are
 * not exactly one point. */
static void collapse_short_arcs(edge_joiner *j, uint32_t surface)
{
    const double most = NURBS_EDGE_SNAP * j->t->model->tolerances[surface].surface;
    for (size_t i = j->first_edge; i < j->edges.count; i++) {
        const boundary_edge *begin = &j->edges.items[i];
        if (begin->edge != NURBS_NONE || j->stamp[begin->from] != surface + 1)
            continue;
        uint32_t count, e = (uint32_t)i;
        double length = 0.0;
        (void)last_of_arc(j, e, surface, &count);
        for (uint32_t k = 0; k < count && length <= most; k++, e = j->edges.items[e].next)
            length += vec_length_safe(
                vec_sub(position_of(j->t, j->edges.items[e].to), position_of(j->t, j->edges.items[e].from)));
        e = (uint32_t)i;
        for (uint32_t k = 0; k < count && length <= most; k++, e = j->edges.items[e].next)
            union_find_unite(j->parent, j->edges.items[e].to, begin->from);
    }
}

/* ---- merging ---- */

/* Vertices of an arc: vertex i is the beginning of edge i, or the end of the last edge. */
static uint32_t arc_vertex(const edge_joiner *j, const edge_arc *arc, uint32_t i)
{
    const boundary_edge *edges = j->edges.items;
    const uint32_t *list = j->arc_edges.items + arc->first;
    return i < arc->count ? edges[list[i]].from : edges[list[i - 1]].to;
}

static bool insert_vertex(edge_joiner *j, uint32_t edge, uint32_t vertex, bool reversed)
{
    boundary_edge *e = &j->edges.items[edge];
    if (e->inserted_count++ == 0)
        e->first_inserted = (uint32_t)j->inserted.count;
    e->reversed = reversed;
    return inserted_vertex_array_push(&j->inserted, j->allocator, (inserted_vertex){vertex, 0.0});
}

/* Merges both arcs of an edge, which run in opposite directions: from the first vertex of arc a and the last one of arc
 * b on, the vertex that is closer to the present segment of the other arc is next. */
static bool merge_arcs(edge_joiner *j, uint32_t edge)
{
    const nurbs_tessellation *t = j->t;
    const edge_arc *a = &j->arcs[2 * edge], *b = &j->arcs[2 * edge + 1];
    const nurbs_model *m = t->model;
    const double snap = NURBS_EDGE_SNAP * fmin(m->tolerances[m->edges[edge].surface[0]].surface,
                                               m->tolerances[m->edges[edge].surface[1]].surface);
    const uint32_t n = a->count, k = b->count;
    union_find_unite(j->parent, arc_vertex(j, a, 0), arc_vertex(j, b, k));
    union_find_unite(j->parent, arc_vertex(j, a, n), arc_vertex(j, b, 0));
    tact_vec3 at[2] = {position_of(t, arc_vertex(j, a, 0)), position_of(t, arc_vertex(j, b, k))},
              next[2] = {position_of(t, arc_vertex(j, a, 1)), position_of(t, arc_vertex(j, b, k - 1))};
    for (uint32_t x = 0, y = 0; x + 1 < n || y + 1 < k;) {
        const uint32_t vertex[2] = {arc_vertex(j, a, x + 1), arc_vertex(j, b, k - y - 1)};
        const bool inner[2] = {x + 1 < n, y + 1 < k};
        bool step[2] = {true, true};
        if (inner[0] && inner[1] && (vertex[0] == vertex[1] || vec_length_safe(vec_sub(next[0], next[1])) <= snap)) {
            union_find_unite(j->parent, vertex[0], vertex[1]);
        } else {
            double unused;
            const double cost[2] = {inner[0] ? distance_to_segment(next[0], at[1], next[1], &unused) : INFINITY,
                                    inner[1] ? distance_to_segment(next[1], at[0], next[0], &unused) : INFINITY};
            step[1] = cost[1] < cost[0];
            step[0] = !step[1];
            if (step[0] ? !insert_vertex(j, j->arc_edges.items[b->first + k - y - 1], vertex[0], true)
                        : !insert_vertex(j, j->arc_edges.items[a->first + x], vertex[1], false))
                return out_of_memory(j->report);
        }
        x += step[0];
        y += step[1];
        if (step[0]) {
            at[0] = next[0];
            next[0] = position_of(t, arc_vertex(j, a, x + 1));
        }
        if (step[1]) {
            at[1] = next[1];
            next[1] = position_of(t, arc_vertex(j, b, k - y - 1));
        }
    }
    return true;
}

/* ---- gaps ---- */

/* Vertex i that was inserted in a boundary edge, counted from its first vertex. */
static inserted_vertex *inserted_at(const edge_joiner *j, const boundary_edge *e, uint32_t i)
{
    return &j->inserted.items[e->first_inserted + (e->reversed ? e->inserted_count - 1 - i : i)];
}

/* Places inserted vertices on their edges, in order. */
static void place_inserted(edge_joiner *j)
{
    for (size_t i = 0; i < j->edges.count; i++) {
        const boundary_edge *e = &j->edges.items[i];
        double last = 0.0;
        for (uint32_t k = 0; k < e->inserted_count; k++) {
            inserted_vertex *v = inserted_at(j, e, k);
            (void)distance_to_segment(position_of(j->t, union_find_root(j->parent, v->vertex)),
                                      position_of(j->t, e->from), position_of(j->t, e->to), &v->at);
            last = v->at = fmax(last, v->at);
        }
    }
}

/* Raises the gap to the largest distance by which a point of the boundary moves, at some control points. */
static void raise_gap(edge_joiner *j, const tact_vec3 *points)
{
    nurbs_tessellation *t = j->t, moved = *t; /* shares all but the control points */
    moved.points = (tact_vec3 *)points;       /* only read */
    for (size_t i = 0; i < j->edges.count; i++) {
        const boundary_edge *e = &j->edges.items[i];
        const tact_vec3 from = position_of(&moved, e->from);
        const uint32_t root = union_find_root(j->parent, e->from);
        double gap = root != e->from ? vec_length_safe(vec_sub(position_of(&moved, root), from)) : 0.0;
        if (e->inserted_count > 0) {
            const tact_vec3 along = vec_sub(position_of(&moved, e->to), from);
            for (uint32_t k = 0; k < e->inserted_count; k++) {
                const inserted_vertex *v = inserted_at(j, e, k);
                const tact_vec3 at = position_of(&moved, union_find_root(j->parent, v->vertex));
                gap = fmax(gap, vec_length_safe(vec_sub(at, vec_mul_add(from, v->at, along))));
            }
        }
        if (gap > t->edge_gap) {
            t->edge_gap = gap;
            t->widest_edge = e->edge;
        }
    }
}

/* ---- triangles ---- */

/* Divides a triangle at the vertices that were inserted in its edges. `edges` are boundary edges or NURBS_NONE. */
static bool divide_triangle(edge_joiner *j, const uint32_t v[3], const uint32_t edges[3], uint32_t cell)
{
    int k = 0;
    while (k < 3 && (edges[k] == NURBS_NONE || j->edges.items[edges[k]].inserted_count == 0))
        k++;
    if (k == 3) {
        const nurbs_triangle triangle = {
            {union_find_root(j->parent, v[0]), union_find_root(j->parent, v[1]), union_find_root(j->parent, v[2])},
            cell};
        const uint32_t *r = triangle.vertex;
        return r[0] == r[1] || r[1] == r[2] || r[2] == r[0] ||
               nurbs_triangle_array_push(&j->triangles, j->allocator, triangle);
    }
    const boundary_edge *e = &j->edges.items[edges[k]];
    uint32_t before = v[k];
    for (uint32_t i = 0; i <= e->inserted_count; i++) { /* a fan around the vertex opposite to the edge */
        const bool last = i == e->inserted_count;
        const uint32_t vertex = last ? v[(k + 1) % 3] : inserted_at(j, e, i)->vertex;
        const uint32_t part[3] = {before, vertex, v[(k + 2) % 3]},
                       sides[3] = {NURBS_NONE, last ? edges[(k + 1) % 3] : NURBS_NONE,
                                   i == 0 ? edges[(k + 2) % 3] : NURBS_NONE};
        if (!divide_triangle(j, part, sides, cell))
            return false;
        before = vertex;
    }
    return true;
}

static bool divide_triangles(edge_joiner *j)
{
    nurbs_tessellation *t = j->t;
    for (size_t c = 0; c < t->cells.count; c++) {
        nurbs_cell *cell = &t->cells.items[c];
        if (cell->first_child != 0)
            continue;
        const uint32_t first = (uint32_t)j->triangles.count;
        for (uint32_t i = cell->first_triangle; i < cell->first_triangle + cell->triangle_count; i++)
            if (!divide_triangle(j, t->triangles.items[i].vertex, j->edge_of_corner + 3 * (size_t)i, (uint32_t)c))
                return false;
        cell->first_triangle = first;
        cell->triangle_count = (uint32_t)j->triangles.count - first;
    }
    const nurbs_triangle_array old = t->triangles;
    t->triangles = j->triangles;
    j->triangles = old;
    return true;
}

/* ---- all edges ---- */

static bool allocate_joiner(edge_joiner *j)
{
    const nurbs_tessellation *t = j->t;
    const nurbs_model *m = t->model;
    j->corner_count = 3 * t->triangles.count;
    j->vertex_count = t->vertices.count;
    j->arcs = tact_memory_allocate(j->allocator, 2 * m->edge_count, sizeof *j->arcs);
    j->uses = tact_memory_allocate(j->allocator, 2 * m->edge_count, sizeof *j->uses);
    j->parent = tact_memory_allocate(j->allocator, j->vertex_count, sizeof *j->parent);
    j->stamp = tact_memory_allocate(j->allocator, j->vertex_count, sizeof *j->stamp);
    j->edge_of_corner = tact_memory_allocate(j->allocator, j->corner_count, sizeof *j->edge_of_corner);
    if (j->arcs == NULL || j->uses == NULL || j->parent == NULL || j->stamp == NULL || j->edge_of_corner == NULL)
        return out_of_memory(j->report);
    union_find_init(j->parent, j->vertex_count);
    memset(j->stamp, 0, j->vertex_count * sizeof *j->stamp);
    memset(j->edge_of_corner, 0xff, j->corner_count * sizeof *j->edge_of_corner); /* NURBS_NONE */
    return true;
}

static void release_joiner(edge_joiner *j)
{
    const size_t uses = 2 * j->t->model->edge_count;
    tact_memory_free(j->allocator, j->arcs, uses, sizeof *j->arcs);
    tact_memory_free(j->allocator, j->uses, uses, sizeof *j->uses);
    tact_memory_free(j->allocator, j->parent, j->vertex_count, sizeof *j->parent);
    tact_memory_free(j->allocator, j->stamp, j->vertex_count, sizeof *j->stamp);
    tact_memory_free(j->allocator, j->edge_of_corner, j->corner_count, sizeof *j->edge_of_corner);
    boundary_edge_array_release(&j->edges, j->allocator);
    boundary_edge_array_release(&j->scratch, j->allocator);
    keyed_vertex_array_release(&j->near, j->allocator);
    edge_index_array_release(&j->junctions, j->allocator);
    edge_index_array_release(&j->loops, j->allocator);
    edge_index_array_release(&j->arc_edges, j->allocator);
    inserted_vertex_array_release(&j->inserted, j->allocator);
    nurbs_triangle_array_release(&j->triangles, j->allocator);
}

static uint32_t surface_of_use(const nurbs_model *m, uint32_t use) { return m->edges[use / 2].surface[use % 2]; }

/* Sorts the uses by surface: counting sort. */
static bool sort_uses(edge_joiner *j)
{
    const nurbs_model *m = j->t->model;
    uint32_t *first = tact_memory_allocate(j->allocator, (size_t)m->surface_count + 1, sizeof *first);
    if (first == NULL)
        return out_of_memory(j->report);
    memset(first, 0, ((size_t)m->surface_count + 1) * sizeof *first);
    for (uint32_t use = 0; use < 2 * m->edge_count; use++)
        first[surface_of_use(m, use) + 1]++;
    for (uint32_t i = 0; i < m->surface_count; i++)
        first[i + 1] += first[i];
    for (uint32_t use = 0; use < 2 * m->edge_count; use++)
        j->uses[first[surface_of_use(m, use)]++] = use;
    tact_memory_free(j->allocator, first, (size_t)m->surface_count + 1, sizeof *first);
    return true;
}

static bool join(edge_joiner *j)
{
    nurbs_tessellation *t = j->t;
    const nurbs_model *m = t->model;
    if (!allocate_joiner(j) || !sort_uses(j))
        return false;
    for (size_t i = 0; i < 2 * m->edge_count;) {
        const uint32_t surface = surface_of_use(m, j->uses[i]);
        if (!find_boundary(j, surface) || !find_junctions(j, surface))
            return false;
        for (; i < 2 * m->edge_count && surface_of_use(m, j->uses[i]) == surface; i++)
            if (!find_arc(j, j->uses[i], surface))
                return false;
        collapse_short_arcs(j, surface);
    }
    for (uint32_t edge = 0; edge < m->edge_count; edge++)
        if (!merge_arcs(j, edge))
            return false;
    place_inserted(j);
    raise_gap(j, t->points);
    for (size_t i = 0; i < t->frame_count; i++)
        raise_gap(j, t->frames + i * nurbs_point_count(m));
    return divide_triangles(j) || out_of_memory(j->report);
}

bool tact_nurbs_join_edges(nurbs_tessellation *t, tact_report *report)
{
    t->edge_gap = 0.0;
    t->widest_edge = NURBS_NONE;
    if (t->model->edge_count == 0 || t->triangles.count == 0 || t->regular)
        return true;
    if (!tact_nurbs_split_chords(t))
        return out_of_memory(report);
    edge_joiner j = {.t = t, .allocator = &t->allocator, .report = report};
    const bool fine = join(&j);
    release_joiner(&j);
    return fine;
}

bool tact_nurbs_count_open_edges(const nurbs_tessellation *t, size_t *count)
{
    corner_map map = {0};
    const bool fine = corner_map_init(&map, t->triangles.count, &t->allocator);
    if (fine) {
        *count = corner_map_fill(&map, t, 0, (uint32_t)t->triangles.count);
        for (uint32_t corner = 0; corner < 3 * t->triangles.count; corner++)
            *count += opposite_corner(&map, t, corner) == NURBS_NONE;
    }
    corner_map_release(&map, &t->allocator);
    return fine;
}
