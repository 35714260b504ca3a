#include "nurbs/nurbs_edges.h"

#include <math.h>
#include <string.h>

#include "core/number.h"
#include "core/report.h"
#include "core/sort.h"
#include "math/vec.h"
#include "nurbs/nurbs_corners.h"
#include "nurbs/nurbs_edge_join.h"
#include "nurbs/nurbs_regular.h"

static bool out_of_memory(tact_report *report)
{
    return tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory"), false;
}

/* ---- boundaries ---- */

typedef struct keyed_vertex {
    double key; /* coordinate along a generic direction */
    uint32_t vertex;
    tact_vec3 position; /* in space or in the grid plane */
} keyed_vertex;

static inline uint64_t boundary_edge_key(const boundary_edge *e) { return e->from; }
RADIX_SORT_OF(sort_boundary_edges, boundary_edge, boundary_edge_key)

static inline uint64_t keyed_vertex_key(const keyed_vertex *v)
{
    uint64_t bits;
    memcpy(&bits, &v->key, sizeof bits); /* order of doubles as unsigned integers */
    return bits >> 63 != 0 ? ~bits : bits | UINT64_C(1) << 63;
}
RADIX_SORT_OF(sort_keyed_vertices, keyed_vertex, keyed_vertex_key)

ARRAY_OF(keyed_vertex_array, keyed_vertex);

/* Vertices of the boundary of a surface, to be searched by position. */
typedef struct vertex_search {
    keyed_vertex_array items; /* sorted by key, and scratch */
    size_t count;
} vertex_search;

typedef struct edge_joiner {
    nurbs_tessellation *t;
    const tact_allocator *allocator;
    tact_report *report;
    nurbs_edge_join *join;
    uint32_t first_edge; /* of the present surface */
    boundary_edge_array scratch;
    vertex_search in_space, in_plane; /* the vertices of the boundary of the present surface */
    edge_index_array junctions; /* of the present surface: vertex at the beginning of each curve, loop after loop */
    edge_index_array loops;     /* where each loop begins in `junctions` */
    uint32_t *uses;             /* 2 * edge + side, sorted by surface */
    uint32_t *stamp;            /* per vertex: 1 + the surface of which it is a junction */
    uint32_t *edge_of_corner;   /* boundary edge, or NURBS_NONE */
    size_t corner_count, vertex_count;
} edge_joiner;

static tact_vec3 position_of(const nurbs_tessellation *t, uint32_t vertex)
{
    return tact_nurbs_vertex_position(t, &t->vertices.items[vertex]);
}

/* Where a vertex is in the grid plane, on a leaf. A free coordinate is 0 in it. */
static nurbs_cell_point place_on_leaf(const nurbs_tessellation *t, uint32_t cell, uint32_t vertex)
{
    const nurbs_cell *c = &t->cells.items[cell];
    const nurbs_patch *p = &t->model->patches[c->patch];
    nurbs_cell_point point;
    (void)tact_nurbs_find_in_cell(t, c, &t->vertices.items[vertex], &point);
    for (int d = 0; d < 2; d++)
        point.at[d] = point.free[d] ? 0.0 : point.at[d] + (double)NURBS_GRID * p->span[d];
    return point;
}

/* Sets the places of both ends; where one is free, it is that of the other end. */
static void place_boundary_edge(const nurbs_tessellation *t, boundary_edge *e)
{
    const uint32_t cell = t->triangles.items[e->corner / 3].cell;
    const nurbs_cell_point from = place_on_leaf(t, cell, e->from), to = place_on_leaf(t, cell, e->to);
    double at[2][2];
    for (int d = 0; d < 2; d++) {
        at[0][d] = from.free[d] ? to.at[d] : from.at[d];
        at[1][d] = to.free[d] ? from.at[d] : to.at[d];
    }
    for (int k = 0; k < 2; k++)
        e->at[k] = vec_make(at[k][0], at[k][1], 0.0);
}

static bool add_boundary_edges(edge_joiner *j, const corner_map *map, uint32_t surface, uint32_t first, uint32_t end)
{
    const nurbs_tessellation *t = j->t;
    for (uint32_t corner = 3 * first; corner < 3 * end; corner++)
        if (opposite_corner(map, t, corner) == NURBS_NONE &&
            !boundary_edge_array_push(&j->join->edges, j->allocator,
                                      (boundary_edge){.from = corner_from(t, corner),
                                                      .to = corner_from(t, next_corner(corner)),
                                                      .corner = corner,
                                                      .surface = surface,
                                                      .edge = NURBS_NONE}))
            return false;
    const size_t count = j->join->edges.count - j->first_edge;
    if (!boundary_edge_array_resize(&j->scratch, j->allocator, count))
        return false;
    boundary_edge *items = j->join->edges.items + j->first_edge;
    const boundary_edge *sorted = sort_boundary_edges(items, j->scratch.items, count);
    if (sorted != items && count > 0)
        memcpy(items, sorted, count * sizeof *items);
    for (size_t i = 0; i < count; i++) {
        j->edge_of_corner[items[i].corner] = j->first_edge + (uint32_t)i;
        place_boundary_edge(t, &items[i]);
    }
    return true;
}

/* Finds the boundary edge after each: around its last vertex through the triangles that have this vertex. */
static void link_boundary_edges(edge_joiner *j, const corner_map *map)
{
    for (size_t i = j->first_edge; i < j->join->edges.count; i++) {
        boundary_edge *e = &j->join->edges.items[i];
        uint32_t corner = next_corner(e->corner);
        for (uint32_t other = opposite_corner(map, j->t, corner); other != NURBS_NONE;
             other = opposite_corner(map, j->t, corner))
            corner = next_corner(other);
        e->next = j->edge_of_corner[corner];
    }
}

static const tact_vec3 generic_direction = {0.5316, 0.6137, 0.5837};

static void add_to_search(vertex_search *search, uint32_t vertex, tact_vec3 position)
{
    search->items.items[search->count++] = (keyed_vertex){vec_dot(position, generic_direction), vertex, position};
}

static void sort_search(vertex_search *search)
{
    keyed_vertex *items = search->items.items;
    const keyed_vertex *sorted = sort_keyed_vertices(items, items + search->count, search->count);
    if (sorted != items && search->count > 0)
        memcpy(items, sorted, search->count * sizeof *sorted);
}

/* The vertices of the boundary. In the grid plane each has a place on every cell with a boundary edge. */
static bool add_vertices(edge_joiner *j)
{
    const size_t count = j->join->edges.count - j->first_edge;
    j->in_space.count = j->in_plane.count = 0;
    if (!keyed_vertex_array_resize(&j->in_space.items, j->allocator, 2 * count) ||
        !keyed_vertex_array_resize(&j->in_plane.items, j->allocator, 4 * count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const boundary_edge *e = &j->join->edges.items[j->first_edge + i];
        const uint32_t cell = j->t->triangles.items[e->corner / 3].cell, ends[2] = {e->from, e->to};
        add_to_search(&j->in_space, e->from, position_of(j->t, e->from));
        for (int k = 0; k < 2; k++) {
            const nurbs_cell_point place = place_on_leaf(j->t, cell, ends[k]);
            add_to_search(&j->in_plane, ends[k], vec_make(place.at[0], place.at[1], 0.0));
        }
    }
    sort_search(&j->in_space);
    sort_search(&j->in_plane);
    return true;
}

static bool find_boundary(edge_joiner *j, uint32_t surface)
{
    const nurbs_tessellation *t = j->t;
    const uint32_t first = surface_triangle(t, surface), end = surface_triangle(t, surface + 1);
    corner_map map = {0};
    j->first_edge = (uint32_t)j->join->edges.count;
    bool fine = corner_map_init(&map, end - first, j->allocator) || out_of_memory(j->report);
    if (fine && corner_map_fill(&map, t, first, end) != 0) {
        (void)tact_report_fill(j->report, TACT_BAD_ARGUMENT,
                               "surface %u: its edges cannot be joined, since trimming loops cross or touch", surface);
        fine = false;
    }
    if (fine) {
        fine = (add_boundary_edges(j, &map, surface, first, end) && add_vertices(j)) || out_of_memory(j->report);
        if (fine)
            link_boundary_edges(j, &map);
    }
    corner_map_release(&map, j->allocator);
    return fine;
}

/* The vertex of the boundary nearest to a point, if it is not farther than `reach`; else NULL. */
static const keyed_vertex *nearest_vertex(const vertex_search *search, tact_vec3 point, double reach)
{
    const double key = vec_dot(point, generic_direction);
    const keyed_vertex *items = search->items.items, *nearest = NULL;
    size_t low = 0, high = search->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (items[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    /* keys of points at a distance d differ by at most d; the direction is a unit vector up to 1e-4 */
    for (size_t up = low, down = low; up < search->count || down > 0;) {
        const double above = up < search->count ? items[up].key - key : INFINITY,
                     below = down > 0 ? key - items[down - 1].key : INFINITY;
        if (!(number_min(above, below) <= 1.001 * reach))
            break;
        const keyed_vertex *v = above <= below ? &items[up++] : &items[--down];
        const double distance = vec_length_safe(vec_sub(v->position, point));
        if (distance < reach || (nearest == NULL && distance <= reach)) {
            reach = distance;
            nearest = v;
        }
    }
    return nearest;
}

/* ---- arcs ---- */

/* The first boundary edge of the present surface from a vertex. */
static uint32_t first_edge_from(const edge_joiner *j, uint32_t vertex)
{
    size_t low = j->first_edge, high = j->join->edges.count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (j->join->edges.items[middle].from < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

/* Finds where a curve begins on the boundary, in the first tessellation: at the vertex that is nearest in the parameter
 * plane, or else in space. Curves that begin at no vertex of the boundary, as at poles and seams, have no junction. */
static void search_junction(const edge_joiner *j, uint32_t surface, uint32_t loop, uint32_t curve, nurbs_junction *out)
{
    const nurbs_model *m = j->t->model;
    const double reach = m->tolerances[surface].edges;
    double uv[2];
    tact_vec3 point;
    tact_nurbs_edge_curve_point(m, surface, loop, curve, 0.0, uv);
    tact_nurbs_evaluate_at(&m->surfaces[surface], j->t->points + m->first_point[surface], uv[0], uv[1], 0, &point);
    const keyed_vertex *v = nearest_vertex(&j->in_plane, tact_nurbs_grid_place(m, surface, uv), INFINITY);
    if (v == NULL || !(vec_length_safe(vec_sub(position_of(j->t, v->vertex), point)) <= reach))
        v = nearest_vertex(&j->in_space, point, reach);
    out->state = v != NULL ? NURBS_JUNCTION_FOUND : NURBS_JUNCTION_NONE;
    if (v == NULL)
        return;
    const boundary_edge *e = &j->join->edges.items[first_edge_from(j, v->vertex)];
    memcpy(out->at, place_on_leaf(j->t, j->t->triangles.items[e->corner / 3].cell, v->vertex).at, sizeof out->at);
}

/* Finds the vertices at the junctions of a surface. After the first tessellation, where a junction is in the parameter
 * plane is known; so it is found wherever the control points are. */
static bool find_junctions(edge_joiner *j, uint32_t surface)
{
    const nurbs_model *m = j->t->model;
    nurbs_junction *known = m->junctions + m->first_junction[surface];
    j->junctions.count = j->loops.count = 0;
    for (uint32_t loop = 0; loop < tact_nurbs_loop_count(m, surface); loop++) {
        if (!edge_index_array_push(&j->loops, j->allocator, (uint32_t)j->junctions.count))
            return out_of_memory(j->report);
        for (uint32_t curve = 0; curve < tact_nurbs_loop_curve_count(m, surface, loop); curve++, known++) {
            if (known->state == NURBS_JUNCTION_UNKNOWN)
                search_junction(j, surface, loop, curve, known);
            const keyed_vertex *v =
                known->state == NURBS_JUNCTION_FOUND
                    ? nearest_vertex(&j->in_plane, vec_make(known->at[0], known->at[1], 0.0), INFINITY)
                    : NULL;
            if (!edge_index_array_push(&j->junctions, j->allocator, v != NULL ? v->vertex : NURBS_NONE))
                return out_of_memory(j->report);
            if (v != NULL)
                j->stamp[v->vertex] = surface + 1;
        }
    }
    return true;
}

/* The last edge before a junction, from edge e on; `count` becomes their number. */
static uint32_t last_of_arc(const edge_joiner *j, uint32_t e, uint32_t surface, uint32_t *count)
{
    for (*count = 1; j->stamp[j->join->edges.items[e].to] != surface + 1; ++*count)
        e = j->join->edges.items[e].next;
    return e;
}

/* The distance of a place in the grid plane. */
static double distance_to_arc(const edge_joiner *j, tact_vec3 p, uint32_t e, uint32_t count)
{
    double least = INFINITY, at;
    for (uint32_t i = 0; i < count; i++, e = j->join->edges.items[e].next)
        least = number_min(least, tact_nurbs_distance_to_segment(p, j->join->edges.items[e].at[0],
                                                                 j->join->edges.items[e].at[1], &at));
    return least;
}

static bool no_arc(const edge_joiner *j, uint32_t use, const char *text)
{
    const tact_nurbs_edge *e = &j->t->model->edges[use / 2];
    return tact_report_fill(j->report, TACT_BAD_ARGUMENT, "edge %u: surface %u, loop %u, curve %u: %s", use / 2,
                            e->surface[use % 2], e->loop[use % 2], e->curve[use % 2], text),
           false;
}

/* The curve of a use ends where curve `next` begins, and not on the boundary. */
static bool no_end(const edge_joiner *j, uint32_t use, uint32_t next)
{
    const nurbs_model *m = j->t->model;
    const tact_nurbs_edge *e = &m->edges[use / 2];
    const uint32_t surface = e->surface[use % 2], loop = e->loop[use % 2];
    double uv[2];
    tact_vec3 p;
    tact_nurbs_edge_curve_point(m, surface, loop, next, 0.0, uv);
    tact_nurbs_evaluate_at(&m->surfaces[surface], j->t->points + m->first_point[surface], uv[0], uv[1], 0, &p);
    return tact_report_fill(
               j->report, TACT_BAD_ARGUMENT,
               "edge %u: surface %u, loop %u, curve %u: it ends at (%.6g, %.6g, %.6g), which is not on the "
               "boundary of the trimmed surface",
               use / 2, surface, loop, e->curve[use % 2], p.x, p.y, p.z),
           false;
}

/* Finds the arc of a curve: it joins the junctions of the curve, in the direction of the curve or against it. If there
 * are two, the one that is closer to the middle of the curve in the parameter plane. */
static bool find_arc(edge_joiner *j, uint32_t use, uint32_t surface)
{
    const nurbs_model *m = j->t->model;
    const tact_nurbs_edge *edge = &m->edges[use / 2];
    const uint32_t loop = edge->loop[use % 2], curve = edge->curve[use % 2],
                   curves = tact_nurbs_loop_curve_count(m, surface, loop);
    const uint32_t *junctions = j->junctions.items + j->loops.items[loop],
                   ends[2] = {junctions[curve], junctions[(curve + 1) % curves]};
    if (ends[0] == NURBS_NONE || ends[1] == NURBS_NONE)
        return no_end(j, use, ends[0] == NURBS_NONE ? curve : (curve + 1) % curves);
    double uv[2];
    tact_nurbs_edge_curve_point(m, surface, loop, curve, 0.5, uv);
    const tact_vec3 middle = tact_nurbs_grid_place(m, surface, uv);
    uint32_t best = NURBS_NONE, best_count = 0;
    double least = INFINITY;
    for (int turn = 0; turn < (ends[0] != ends[1] ? 2 : 1); turn++)
        for (uint32_t e = first_edge_from(j, ends[turn]);
             e < j->join->edges.count && j->join->edges.items[e].from == ends[turn]; e++) {
            uint32_t count;
            const uint32_t last = last_of_arc(j, e, surface, &count);
            if (j->join->edges.items[last].to != ends[1 - turn] || j->join->edges.items[e].edge != NURBS_NONE)
                continue;
            const double distance = distance_to_arc(j, middle, e, count);
            if (distance < least) {
                least = distance;
                best = e;
                best_count = count;
            }
        }
    j->join->arcs[use] = (edge_arc){(uint32_t)j->join->arc_edges.count, best_count, {ends[0], ends[1]}};
    for (uint32_t i = 0; i < best_count;
         i++, best = j->join->edges.items[best].next) { /* may be none: see arcs_are_one */
        j->join->edges.items[best].edge = use / 2;
        if (!edge_index_array_push(&j->join->arc_edges, j->allocator, best))
            return out_of_memory(j->report);
    }
    return true;
}

/* Whether both curves of an edge are on one surface, with the same ends, and have no boundary: triangles on both sides
 * share them already. This is so where sides of patches with the same control points end at the edge. */
static bool arcs_are_one(const edge_joiner *j, uint32_t edge)
{
    const tact_nurbs_edge *e = &j->t->model->edges[edge];
    const edge_arc *a = &j->join->arcs[2 * edge], *b = a + 1;
    return e->surface[0] == e->surface[1] && a->count == 0 && b->count == 0 &&
           ((a->ends[0] == b->ends[0] && a->ends[1] == b->ends[1]) ||
            (a->ends[0] == b->ends[1] && a->ends[1] == b->ends[0]));
}

/* ---- all edges ---- */

static bool allocate_joiner(edge_joiner *j)
{
    const nurbs_tessellation *t = j->t;
    const nurbs_model *m = t->model;
    j->corner_count = 3 * t->triangles.count;
    j->vertex_count = t->vertices.count;
    j->join = tact_nurbs_edge_join_create(t);
    j->uses = tact_memory_allocate(j->allocator, 2 * m->edge_count, sizeof *j->uses);
    j->stamp = tact_memory_allocate(j->allocator, j->vertex_count, sizeof *j->stamp);
    j->edge_of_corner = tact_memory_allocate(j->allocator, j->corner_count, sizeof *j->edge_of_corner);
    if (j->join == NULL || j->uses == NULL || j->stamp == NULL || j->edge_of_corner == NULL)
        return out_of_memory(j->report);
    memset(j->stamp, 0, j->vertex_count * sizeof *j->stamp);
    memset(j->edge_of_corner, 0xff, j->corner_count * sizeof *j->edge_of_corner); /* NURBS_NONE */
    return true;
}

static void release_joiner(edge_joiner *j)
{
    const size_t uses = 2 * j->t->model->edge_count;
    tact_nurbs_edge_join_free(j->join, j->allocator);
    tact_memory_free(j->allocator, j->uses, uses, sizeof *j->uses);
    tact_memory_free(j->allocator, j->stamp, j->vertex_count, sizeof *j->stamp);
    tact_memory_free(j->allocator, j->edge_of_corner, j->corner_count, sizeof *j->edge_of_corner);
    boundary_edge_array_release(&j->scratch, j->allocator);
    keyed_vertex_array_release(&j->in_space.items, j->allocator);
    keyed_vertex_array_release(&j->in_plane.items, j->allocator);
    edge_index_array_release(&j->junctions, j->allocator);
    edge_index_array_release(&j->loops, j->allocator);
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
            if (!tact_nurbs_edge_is_seam(m, &m->edges[j->uses[i] / 2]) && !find_arc(j, j->uses[i], surface))
                return false;
        for (size_t k = j->first_edge; k < j->join->edges.count; k++) {
            boundary_edge *e = &j->join->edges.items[k];
            e->junctions = (uint8_t)((j->stamp[e->from] == surface + 1) | (j->stamp[e->to] == surface + 1) << 1);
        }
    }
    for (uint32_t edge = 0; edge < m->edge_count; edge++) {
        const edge_arc *arcs = &j->join->arcs[2 * edge];
        if ((arcs[0].count == 0 || arcs[1].count == 0) && !tact_nurbs_edge_is_seam(m, &m->edges[edge]) &&
            !arcs_are_one(j, edge))
            return no_arc(j, 2 * edge + (arcs[0].count != 0),
                          "the boundary of the trimmed surface does not follow it, or another edge names it, too");
    }
    return tact_nurbs_edge_join_merge(j->join, t, j->edge_of_corner) || out_of_memory(j->report);
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
    if (fine && t->frame_count == 0) { /* else control points do not move */
        t->edge_join = j.join;
        j.join = NULL;
    }
    release_joiner(&j);
    return fine;
}

bool tact_nurbs_count_open_edges(const nurbs_tessellation *t, size_t *count, uint32_t *vertex)
{
    corner_map map = {0}; /* from the smaller vertex to the larger one: triangles along the edge minus those against */
    const bool fine = corner_map_init(&map, t->triangles.count, &t->allocator);
    if (fine) {
        memset(map.corners, 0, map.capacity * sizeof *map.corners);
        for (uint32_t corner = 0; corner < 3 * t->triangles.count; corner++) {
            const uint32_t a = corner_from(t, corner), b = corner_from(t, next_corner(corner));
            const size_t entry = a < b ? corner_map_find(&map, a, b) : corner_map_find(&map, b, a);
            map.keys[entry] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
            map.corners[entry] += a < b ? 1u : UINT32_MAX; /* modulo 2^32 */
        }
        *count = 0;
        *vertex = NURBS_NONE;
        for (size_t i = 0; i < map.capacity; i++)
            if (map.keys[i] != 0 && map.corners[i] != 0) {
                ++*count;
                *vertex = *vertex < map.keys[i] >> 32 ? *vertex : (uint32_t)(map.keys[i] >> 32);
            }
    }
    corner_map_release(&map, &t->allocator);
    return fine;
}
