/* Division of chords of surfaces, and of their sides where curves end: see nurbs_edges.h. */
#include <math.h>

#include "core/number.h"
#include "core/sort.h"
#include "nurbs/nurbs_corners.h"
#include "nurbs/nurbs_edges.h"
#include "nurbs/nurbs_regular.h"

/* A corner of a triangle while chords are divided. */
typedef struct chord_splitter {
    nurbs_tessellation *t;
    uint32_t *middle;     /* by corner: the vertex at the middle of its edge, or NURBS_NONE */
    uint8_t *at_boundary; /* by vertex, of the present surface */
    uint8_t *named;       /* by surface: an edge names it */
    size_t corner_count, vertex_count;
    nurbs_triangle_array triangles;
} chord_splitter;

/* Appends the vertex at the middle of a chord. `vertex` stays NURBS_NONE if there is none between both ends. */
static bool add_middle(chord_splitter *c, uint32_t corner, uint32_t *vertex)
{
    nurbs_tessellation *t = c->t;
    const nurbs_cell *cell = &t->cells.items[t->triangles.items[corner / 3].cell];
    const nurbs_vertex a = t->vertices.items[corner_from(t, corner)],
                       b = t->vertices.items[corner_from(t, next_corner(corner))];
    nurbs_cell_point p, q;
    if (!tact_nurbs_find_in_cell(t, cell, &a, &p) || !tact_nurbs_find_in_cell(t, cell, &b, &q))
        return true;
    uint32_t at[2];
    bool between = true;
    for (int d = 0; d < 2; d++)
        at[d] = (uint32_t)(p.free[d] ? q.at[d] : q.free[d] ? p.at[d] : 0.5 * (p.at[d] + q.at[d]));
    for (int k = 0; k < 2; k++) {
        const nurbs_cell_point *end = k == 0 ? &p : &q;
        between = between && !((end->free[0] || at[0] == end->at[0]) && (end->free[1] || at[1] == end->at[1]));
    }
    if (!between)
        return true;
    const nurbs_vertex middle = {cell->patch, at[0], at[1]};
    *vertex = (uint32_t)t->vertices.count;
    return nurbs_vertex_array_push(&t->vertices, &t->allocator, middle);
}

/* Finds the chords of the triangles of a surface. */
static bool add_middles(chord_splitter *c, const corner_map *map, uint32_t first, uint32_t end)
{
    const nurbs_tessellation *t = c->t;
    for (uint32_t corner = 3 * first; corner < 3 * end; corner++)
        if (opposite_corner(map, t, corner) == NURBS_NONE)
            c->at_boundary[corner_from(t, corner)] = c->at_boundary[corner_from(t, next_corner(corner))] = 1;
    for (uint32_t corner = 3 * first; corner < 3 * end; corner++) {
        const uint32_t other = opposite_corner(map, t, corner);
        if (other == NURBS_NONE || other < corner || c->at_boundary[corner_from(t, corner)] == 0 ||
            c->at_boundary[corner_from(t, next_corner(corner))] == 0)
            continue;
        if (!add_middle(c, corner, &c->middle[corner]))
            return false;
        c->middle[other] = c->middle[corner];
    }
    for (uint32_t corner = 3 * first; corner < 3 * end; corner++) /* other surfaces may have the same vertices */
        c->at_boundary[corner_from(t, corner)] = 0;
    return true;
}

/* Divides a triangle at the middles of its edges: a fan around the vertex opposite to the first of them. */
static bool split_triangle(chord_splitter *c, const uint32_t v[3], const uint32_t middle[3], uint32_t cell)
{
    uint32_t k = 0;
    while (k < 3 && middle[k] == NURBS_NONE)
        k++;
    if (k == 3)
        return nurbs_triangle_array_push(&c->triangles, &c->t->allocator, (nurbs_triangle){{v[0], v[1], v[2]}, cell});
    const uint32_t next = (k + 1) % 3, last = (k + 2) % 3;
    const uint32_t parts[2][3] = {{v[k], middle[k], v[last]}, {middle[k], v[next], v[last]}},
                   middles[2][3] = {{NURBS_NONE, NURBS_NONE, middle[last]}, {NURBS_NONE, middle[next], NURBS_NONE}};
    return split_triangle(c, parts[0], middles[0], cell) && split_triangle(c, parts[1], middles[1], cell);
}

static bool split_triangles(chord_splitter *c)
{
    nurbs_tessellation *t = c->t;
    for (uint32_t i = 0; i < t->cells.count; i++) {
        nurbs_cell *cell = &t->cells.items[i];
        if (cell->first_child != 0)
            continue;
        const uint32_t first = (uint32_t)c->triangles.count;
        for (uint32_t k = cell->first_triangle; k < cell->first_triangle + cell->triangle_count; k++)
            if (!split_triangle(c, t->triangles.items[k].vertex, c->middle + 3 * (size_t)k, i))
                return false;
        cell->first_triangle = first;
        cell->triangle_count = (uint32_t)c->triangles.count - first;
    }
    const nurbs_triangle_array old = t->triangles;
    t->triangles = c->triangles;
    c->triangles = old;
    return true;
}

/* ---- ends of curves on the border ---- */

/* An edge of a triangle on a side of the domain. */
typedef struct side_edge {
    uint64_t key;  /* patch * 4 + side, and where it begins along the side */
    uint32_t high; /* where it ends */
    uint32_t corner;
} side_edge;

static inline uint64_t side_edge_key(const side_edge *e) { return e->key; }
RADIX_SORT_OF(sort_side_edges, side_edge, side_edge_key)
ARRAY_OF(side_edge_array, side_edge);

static uint64_t side_key(uint32_t patch, uint32_t side, uint32_t at)
{
    return ((uint64_t)patch << 2 | side) << (NURBS_GRID_LEVEL + 1) | at;
}

/* Appends an edge of a triangle, if it is on a side of the domain that is joined to no other. */
static bool add_side_edge(const chord_splitter *c, uint32_t corner, side_edge_array *edges)
{
    const nurbs_tessellation *t = c->t;
    const nurbs_cell *cell = &t->cells.items[t->triangles.items[corner / 3].cell];
    nurbs_cell_point ends[2];
    if (!tact_nurbs_find_in_cell(t, cell, &t->vertices.items[corner_from(t, corner)], &ends[0]) ||
        !tact_nurbs_find_in_cell(t, cell, &t->vertices.items[corner_from(t, next_corner(corner))], &ends[1]))
        return true;
    for (uint32_t side = 0; side < 4; side++) {
        const int along = side % 2, across = 1 - along;
        const double border = side == 1 || side == 2 ? NURBS_GRID : 0.0;
        if ((t->model->patches[cell->patch].boundary >> side & 1) == 0 || ends[0].free[0] || ends[0].free[1] ||
            ends[1].free[0] || ends[1].free[1] || ends[0].at[across] != border || ends[1].at[across] != border)
            continue;
        const double low = number_min(ends[0].at[along], ends[1].at[along]),
                     high = number_max(ends[0].at[along], ends[1].at[along]);
        return side_edge_array_push(edges, &t->allocator,
                                    (side_edge){side_key(cell->patch, side, (uint32_t)low), (uint32_t)high, corner});
    }
    return true;
}

/* The edge that contains a place on a side, not at its ends; NULL: none. */
static const side_edge *find_side_edge(const side_edge *edges, size_t count, uint32_t patch, uint32_t side, uint32_t at)
{
    size_t low = 0, high = count; /* the last one that begins before the place */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (edges[middle].key < side_key(patch, side, at))
            low = middle + 1;
        else
            high = middle;
    }
    const side_edge *e = low > 0 ? &edges[low - 1] : NULL;
    return e != NULL && e->key >= side_key(patch, side, 0) && at < e->high ? e : NULL;
}

/* Where a curve begins, if that is on a side of the domain and not at a corner. */
static bool find_end(const nurbs_model *m, uint32_t surface, uint32_t loop, uint32_t curve, nurbs_vertex *place,
                     uint32_t *side)
{
    const nurbs_surface *s = &m->surfaces[surface];
    double uv[2];
    uint32_t span[2], at[2];
    int on = -1;
    tact_nurbs_edge_curve_point(m, surface, loop, curve, 0.0, uv);
    for (int d = 0; d < 2; d++) {
        const double low = s->knots[d][s->degree[d]], high = s->knots[d][s->counts[d]],
                     gap = NURBS_TRIM_GAP * (high - low);
        const bool begins = fabs(uv[d] - low) <= gap, ends = fabs(uv[d] - high) <= gap;
        if (((begins || ends) && on >= 0) || uv[d] < low - gap || uv[d] > high + gap)
            return false;
        if (begins || ends) {
            on = d;
            span[d] = ends ? s->span_count[d] - 1 : 0;
            at[d] = ends ? NURBS_GRID : 0;
            *side = d == 0 ? (ends ? 1u : 3u) : ends ? 2u : 0u;
        } else {
            span[d] = tact_nurbs_find_span(s, d, uv[d]);
            at[d] = 0;
        }
    }
    if (on < 0)
        return false;
    const tact_vec3 grid = tact_nurbs_grid_place(m, surface, uv);
    at[1 - on] = (uint32_t)((on == 1 ? grid.x : grid.y) - (double)NURBS_GRID * span[1 - on]);
    *place = (nurbs_vertex){m->first_patch[surface] + span[0] * s->span_count[1] + span[1], at[0], at[1]};
    return true;
}

/* Appends vertices where curves of a surface begin on a side of the domain and there is none: at most one for each edge
 * of a triangle, near its middle. `*more`: there were others. */
static bool add_ends(chord_splitter *c, uint32_t surface, const side_edge *edges, size_t count, bool *more)
{
    nurbs_tessellation *t = c->t;
    const nurbs_model *m = t->model;
    for (uint32_t loop = 0; loop < tact_nurbs_loop_count(m, surface); loop++)
        for (uint32_t curve = 0; curve < tact_nurbs_loop_curve_count(m, surface, loop); curve++) {
            nurbs_vertex end;
            uint32_t side;
            if (!find_end(m, surface, loop, curve, &end, &side))
                continue;
            const uint32_t at = side % 2 == 0 ? end.x : end.y;
            const side_edge *e = find_side_edge(edges, count, end.patch, side, at);
            if (e == NULL)
                continue;
            const uint32_t low = (uint32_t)(e->key - side_key(end.patch, side, 0)), vertex = c->middle[e->corner];
            if (vertex == NURBS_NONE) {
                c->middle[e->corner] = (uint32_t)t->vertices.count;
                if (!nurbs_vertex_array_push(&t->vertices, &t->allocator, end))
                    return false;
                continue;
            }
            /* the one nearer to the middle first, so that halves remain */
            nurbs_vertex *known = &t->vertices.items[vertex];
            const double middle = 0.5 * ((double)low + e->high), other = side % 2 == 0 ? known->x : known->y;
            *more = *more || other != at;
            if (fabs(at - middle) < fabs(other - middle))
                *known = end;
        }
    return true;
}

/* Adds the vertices of one pass over a surface. */
static bool add_surface_ends(chord_splitter *c, uint32_t surface, const corner_map *map, uint32_t first, uint32_t end,
                             bool *more)
{
    const tact_allocator *allocator = &c->t->allocator;
    side_edge_array edges = {0};
    bool fine = true;
    for (uint32_t corner = 3 * first; corner < 3 * end && fine; corner++)
        if (opposite_corner(map, c->t, corner) == NURBS_NONE)
            fine = add_side_edge(c, corner, &edges);
    const size_t count = edges.count;
    fine = fine && side_edge_array_resize(&edges, allocator, 2 * count);
    if (fine && count > 0)
        fine = add_ends(c, surface, sort_side_edges(edges.items, edges.items + count, count), count, more);
    side_edge_array_release(&edges, allocator);
    return fine;
}

/* ---- passes ---- */

/* Divides triangles at the ends of curves on the border (`more` not NULL), or at the middles of chords. */
static bool split(chord_splitter *c, bool *more)
{
    nurbs_tessellation *t = c->t;
    const nurbs_model *m = t->model;
    if (c->middle == NULL || c->at_boundary == NULL || c->named == NULL)
        return false;
    memset(c->middle, 0xff, c->corner_count * sizeof *c->middle); /* NURBS_NONE */
    memset(c->at_boundary, 0, c->vertex_count);
    memset(c->named, 0, m->surface_count);
    for (size_t i = 0; i < m->edge_count; i++)
        c->named[m->edges[i].surface[0]] = c->named[m->edges[i].surface[1]] = 1;
    for (uint32_t s = 0; s < m->surface_count; s++) {
        const uint32_t first = surface_triangle(t, s), end = surface_triangle(t, s + 1);
        corner_map map = {0};
        if (c->named[s] == 0 || (more != NULL && m->trims[s] == NULL))
            continue;
        bool fine = corner_map_init(&map, end - first, &t->allocator);
        if (fine && corner_map_fill(&map, t, first, end) == 0) /* else tact_nurbs_join_edges refuses it */
            fine = more != NULL ? add_surface_ends(c, s, &map, first, end, more) : add_middles(c, &map, first, end);
        corner_map_release(&map, &t->allocator);
        if (!fine)
            return false;
    }
    if (t->vertices.count > c->vertex_count && !split_triangles(c))
        return false;
    return true;
}

static bool split_once(nurbs_tessellation *t, bool *more)
{
    const tact_allocator *allocator = &t->allocator;
    chord_splitter c = {.t = t, .corner_count = 3 * t->triangles.count, .vertex_count = t->vertices.count};
    c.middle = tact_memory_allocate(allocator, c.corner_count, sizeof *c.middle);
    c.at_boundary = tact_memory_allocate(allocator, c.vertex_count, 1);
    c.named = tact_memory_allocate(allocator, t->model->surface_count, 1);
    const bool fine = split(&c, more);
    tact_memory_free(allocator, c.middle, c.corner_count, sizeof *c.middle);
    tact_memory_free(allocator, c.at_boundary, c.vertex_count, 1);
    tact_memory_free(allocator, c.named, t->model->surface_count, 1);
    nurbs_triangle_array_release(&c.triangles, allocator);
    return fine;
}

bool tact_nurbs_split_chords(nurbs_tessellation *t)
{
    for (bool more = true; more;) { /* each pass halves the edges that need further vertices, about */
        more = false;
        if (!split_once(t, &more))
            return false;
    }
    return split_once(t, NULL);
}
