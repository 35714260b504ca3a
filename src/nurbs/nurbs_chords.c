/* Division of chords of surfaces: see nurbs_edges.h. */
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

static bool split(chord_splitter *c)
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
        if (c->named[s] == 0)
            continue;
        bool fine = corner_map_init(&map, end - first, &t->allocator);
        if (fine && corner_map_fill(&map, t, first, end) == 0) /* else tact_nurbs_join_edges refuses it */
            fine = add_middles(c, &map, first, end);
        corner_map_release(&map, &t->allocator);
        if (!fine)
            return false;
    }
    if (!split_triangles(c))
        return false;
    t->first_centre[m->patch_count] = (uint32_t)t->vertices.count;
    return true;
}

bool tact_nurbs_split_chords(nurbs_tessellation *t)
{
    const tact_allocator *allocator = &t->allocator;
    chord_splitter c = {.t = t, .corner_count = 3 * t->triangles.count, .vertex_count = t->vertices.count};
    c.middle = tact_memory_allocate(allocator, c.corner_count, sizeof *c.middle);
    c.at_boundary = tact_memory_allocate(allocator, c.vertex_count, 1);
    c.named = tact_memory_allocate(allocator, t->model->surface_count, 1);
    const bool fine = split(&c);
    tact_memory_free(allocator, c.middle, c.corner_count, sizeof *c.middle);
    tact_memory_free(allocator, c.at_boundary, c.vertex_count, 1);
    tact_memory_free(allocator, c.named, t->model->surface_count, 1);
    nurbs_triangle_array_release(&c.triangles, allocator);
    return fine;
}
