#include "nurbs/nurbs_tessellation.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/number.h"
#include "core/report.h"
#include "math/vec.h"
#include "nurbs/bezier_net.h"
#include "nurbs/nurbs_edge_join.h"
#include "nurbs/nurbs_edges.h"
#include "nurbs/nurbs_positions.h"
#include "nurbs/nurbs_regular.h"
#include "nurbs/nurbs_trim_cells.h"
#include "shape/triangulate.h"

static bool out_of_memory(tact_report *report)
{
    return tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory"), false;
}

/* ---- vertices and triangles ---- */

/* Numbers vertices by what they are: see tact_nurbs_vertex_key. */
typedef struct vertex_map {
    uint64_t *keys; /* 0: empty */
    uint32_t *numbers;
    size_t capacity; /* a power of two, at least 4/3 of the number of keys */
} vertex_map;

#define KEY_SIDE (UINT64_C(1) << 62)
#define KEY_CORNER (UINT64_C(2) << 62)
#define KEY_INSIDE (UINT64_C(3) << 62)
#define KEY_BITS (NURBS_GRID_LEVEL + 1)

uint64_t tact_nurbs_vertex_key(const nurbs_model *m, uint32_t patch, uint32_t x, uint32_t y)
{
    const nurbs_patch *p = &m->patches[patch];
    const bool left = x == 0, right = x == NURBS_GRID, low = y == 0, high = y == NURBS_GRID;
    if (!(left || right || low || high))
        return KEY_INSIDE | (uint64_t)patch << 2 * KEY_BITS | (uint64_t)x << KEY_BITS | y;
    if ((left || right) && (low || high))
        return KEY_CORNER | p->corner[low ? (left ? 0 : 1) : (left ? 3 : 2)];
    const unsigned side = low ? 0 : right ? 1 : high ? 2 : 3;
    if (p->side[side] == NURBS_POLE)
        return KEY_CORNER | p->corner[side];
    const uint32_t along = low || high ? x : y;
    return KEY_SIDE | (uint64_t)p->side[side] << KEY_BITS |
           ((p->reversed >> side & 1) != 0 ? NURBS_GRID - along : along);
}

/* The entry of a key, or the empty one where it belongs. */
static size_t map_find(const vertex_map *map, uint64_t key)
{
    size_t i = (size_t)hash_mix(key) & (map->capacity - 1);
    while (map->keys[i] != 0 && map->keys[i] != key)
        i = (i + 1) & (map->capacity - 1);
    return i;
}

ARRAY_OF(polygon_vertex_array, tact_vec3);

/* Makes the vertices and triangles. */
typedef struct triangle_builder {
    nurbs_tessellation *t;
    vertex_map map;
    trim_pieces pieces;
    trim_point_array border; /* of a cell */
    trim_polygons polygons;  /* of a cut cell */
    polygon_vertex_array plane;
    vertex_index_array numbers, indices, corners; /* of vertices; of one polygon; of its triangles */
    trim_size_array loop_sizes;
} triangle_builder;

/* The vertex of a point, appended if it is new. UINT32_MAX: memory is out. */
static uint32_t vertex_at(triangle_builder *b, uint32_t patch, uint32_t x, uint32_t y)
{
    const uint64_t key = tact_nurbs_vertex_key(b->t->model, patch, x, y);
    const size_t entry = map_find(&b->map, key);
    if (b->map.keys[entry] == 0) {
        if (!nurbs_vertex_array_push(&b->t->vertices, &b->t->allocator, (nurbs_vertex){patch, x, y}))
            return UINT32_MAX;
        b->map.keys[entry] = key;
        b->map.numbers[entry] = (uint32_t)b->t->vertices.count - 1;
    }
    return b->map.numbers[entry];
}

static bool add_corners(triangle_builder *b, const nurbs_cell *c)
{
    const unsigned shift = NURBS_GRID_LEVEL - c->level;
    for (uint32_t k = 0; k < 4; k++)
        if (vertex_at(b, c->patch, (c->x + k % 2) << shift, (c->y + k / 2) << shift) == UINT32_MAX)
            return false;
    return true;
}

/* The vertices of trimming curves in a cell. */
static bool add_piece_vertices(triangle_builder *b, uint32_t cell)
{
    const trim_pieces *p = &b->pieces;
    for (uint32_t i = p->first[cell]; i < p->first[cell + 1]; i++) {
        const trim_piece *piece = &p->pieces.items[p->order[i]];
        for (uint32_t k = 0; k < piece->point_count; k++) {
            const trim_point at = p->points.items[piece->first_point + k];
            if (vertex_at(b, b->t->cells.items[cell].patch, (uint32_t)at.x, (uint32_t)at.y) == UINT32_MAX)
                return false;
        }
    }
    return true;
}

static bool add_all_corners(triangle_builder *b)
{
    nurbs_tessellation *t = b->t;
    for (uint32_t i = 0; i < t->model->patch_count; i++) {
        t->first_vertex[i] = (uint32_t)t->vertices.count;
        for (uint32_t c = t->first_cell[i]; c < t->first_cell[i + 1]; c++)
            if (t->cells.items[c].first_child == 0 &&
                !(add_corners(b, &t->cells.items[c]) && (b->pieces.first == NULL || add_piece_vertices(b, c))))
                return false;
    }
    t->first_vertex[t->model->patch_count] = (uint32_t)t->vertices.count;
    return true;
}

/* Appends the vertices from (x0, y0), included, to (x1, y1), excluded, along an edge of a cell. A smaller cell beside
 * the edge has a vertex at its middle. */
static bool add_edge(triangle_builder *b, uint32_t patch, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1)
{
    const uint32_t x = (x0 + x1) / 2, y = (y0 + y1) / 2;
    if (b->map.keys[map_find(&b->map, tact_nurbs_vertex_key(b->t->model, patch, x, y))] != 0 &&
        (x0 + x1 + y0 + y1) % 4 == 0)
        return add_edge(b, patch, x0, y0, x, y) && add_edge(b, patch, x, y, x1, y1);
    return trim_point_array_push(&b->border, &b->t->allocator, (trim_point){(int32_t)x0, (int32_t)y0});
}

static bool find_border(triangle_builder *b, const nurbs_cell *c)
{
    const unsigned shift = NURBS_GRID_LEVEL - c->level;
    const uint32_t x0 = (uint32_t)c->x << shift, y0 = (uint32_t)c->y << shift, x1 = (c->x + 1u) << shift,
                   y1 = (c->y + 1u) << shift;
    b->border.count = 0;
    return add_edge(b, c->patch, x0, y0, x1, y0) && add_edge(b, c->patch, x1, y0, x1, y1) &&
           add_edge(b, c->patch, x1, y1, x0, y1) && add_edge(b, c->patch, x0, y1, x0, y0);
}

static bool add_triangle(nurbs_tessellation *t, uint32_t a, uint32_t b, uint32_t c, uint32_t cell)
{
    if (a == b || b == c || c == a)
        return true;
    return nurbs_triangle_array_push(&t->triangles, &t->allocator, (nurbs_triangle){{a, b, c}, cell});
}

/* Two triangles, or a fan around the centre if there are vertices between the corners, or always. */
static bool add_whole_cell(triangle_builder *b, uint32_t cell)
{
    nurbs_tessellation *t = b->t;
    const nurbs_cell *c = &t->cells.items[cell];
    b->numbers.count = 0;
    for (size_t i = 0; i < b->border.count; i++) {
        const trim_point p = b->border.items[i];
        const uint32_t vertex = vertex_at(b, c->patch, (uint32_t)p.x, (uint32_t)p.y);
        if ((b->numbers.count == 0 || b->numbers.items[b->numbers.count - 1] != vertex) && /* a pole is one vertex */
            !vertex_index_array_push(&b->numbers, &t->allocator, vertex))
            return false;
    }
    const uint32_t *loop = b->numbers.items;
    const size_t n = b->numbers.count;
    bool fine = true;
    if (n <= 4 && !t->regular) {
        for (size_t i = 2; i < n; i++)
            fine = fine && add_triangle(t, loop[0], loop[i - 1], loop[i], cell);
        return fine;
    }
    const unsigned shift = NURBS_GRID_LEVEL - c->level - 1;
    const uint32_t centre = vertex_at(b, c->patch, (2u * c->x + 1u) << shift, (2u * c->y + 1u) << shift);
    fine = centre != UINT32_MAX;
    for (size_t i = 0; i < n && fine; i++)
        fine = add_triangle(t, loop[i], loop[i + 1 < n ? i + 1 : 0], centre, cell);
    return fine;
}

/* ---- cut cells ---- */

static int64_t twice_area(const trim_point *p, uint32_t count)
{
    int64_t area = 0;
    for (uint32_t i = 0; i < count; i++) {
        const trim_point a = p[i], c = p[i + 1 < count ? i + 1 : 0];
        area += (int64_t)a.x * c.y - (int64_t)c.x * a.y;
    }
    return area;
}

/* Whether a loop has a point inside, by the number of crossings of the ray along -x. */
static bool loop_contains(const trim_point *p, uint32_t count, trim_point point)
{
    bool inside = false;
    for (uint32_t i = 0; i < count; i++) {
        const trim_point a = p[i], c = p[i + 1 < count ? i + 1 : 0];
        if ((a.y < point.y) != (c.y < point.y))
            inside ^= trim_is_left(a, c, point) != (c.y > a.y);
    }
    return inside;
}

static uint32_t loop_begin(const trim_polygons *p, size_t loop) { return loop == 0 ? 0 : p->loop_ends.items[loop - 1]; }

static uint32_t loop_size(const trim_polygons *p, size_t loop)
{
    return p->loop_ends.items[loop] - loop_begin(p, loop);
}

static bool loop_in_loop(const trim_polygons *p, size_t inner, size_t outer)
{
    return inner != outer && loop_contains(p->points.items + loop_begin(p, outer), loop_size(p, outer),
                                           p->points.items[loop_begin(p, inner)]);
}

static int loop_depth(const trim_polygons *p, size_t loop)
{
    int depth = 0;
    for (size_t i = 0; i < p->loop_ends.count; i++)
        depth += loop_in_loop(p, loop, i);
    return depth;
}

/* Appends a loop to the polygon; an outer one counter-clockwise. */
static bool add_loop(triangle_builder *b, size_t loop, bool outer)
{
    const trim_polygons *p = &b->polygons;
    const uint32_t begin = loop_begin(p, loop), size = loop_size(p, loop);
    const bool reverse = outer && twice_area(p->points.items + begin, size) < 0;
    for (uint32_t i = 0; i < size; i++)
        if (!vertex_index_array_push(&b->indices, &b->t->allocator, begin + (reverse ? size - 1 - i : i)))
            return false;
    return trim_size_array_push(&b->loop_sizes, &b->t->allocator, size);
}

/* Triangulates an outer loop and the loops directly inside it. */
static bool add_polygon(triangle_builder *b, uint32_t cell, size_t outer, int depth)
{
    const trim_polygons *p = &b->polygons;
    const tact_allocator *allocator = &b->t->allocator;
    b->indices.count = b->loop_sizes.count = b->corners.count = 0;
    bool fine = add_loop(b, outer, true);
    for (size_t i = 0; i < p->loop_ends.count && fine; i++)
        if (loop_in_loop(p, i, outer) && loop_depth(p, i) == depth + 1)
            fine = add_loop(b, i, false);
    if (!fine || tact_polygon_triangulate(b->plane.items, b->indices.items, b->loop_sizes.items, b->loop_sizes.count,
                                          allocator, &b->corners) != TACT_OK)
        return false;
    for (size_t i = 0; i + 2 < b->corners.count && fine; i += 3) {
        const uint32_t *c = b->corners.items + i;
        fine = add_triangle(b->t, b->numbers.items[c[0]], b->numbers.items[c[1]], b->numbers.items[c[2]], cell);
    }
    return fine;
}

static bool add_cut_cell(triangle_builder *b, uint32_t cell)
{
    const tact_allocator *allocator = &b->t->allocator;
    trim_polygons *p = &b->polygons;
    if (!tact_nurbs_cut_cell(b->t, &b->pieces, cell, &b->border, p))
        return false;
    b->numbers.count = b->plane.count = 0;
    for (size_t i = 0; i < p->points.count; i++) {
        const trim_point at = p->points.items[i];
        const uint32_t vertex = vertex_at(b, b->t->cells.items[cell].patch, (uint32_t)at.x, (uint32_t)at.y);
        if (vertex == UINT32_MAX || !vertex_index_array_push(&b->numbers, allocator, vertex) ||
            !polygon_vertex_array_push(&b->plane, allocator, vec_make(at.x, at.y, 0.0)))
            return false;
    }
    for (size_t i = 0; i < p->loop_ends.count; i++) {
        const int depth = p->loop_ends.count > 1 ? loop_depth(p, i) : 0;
        if (loop_size(p, i) >= 3 && depth % 2 == 0 && !add_polygon(b, cell, i, depth))
            return false;
    }
    return true;
}

static bool add_cell_triangles(triangle_builder *b, uint32_t cell)
{
    nurbs_tessellation *t = b->t;
    nurbs_cell *c = &t->cells.items[cell];
    c->first_triangle = (uint32_t)t->triangles.count;
    bool fine = find_border(b, c);
    if (fine && b->pieces.first != NULL && b->pieces.first[cell] < b->pieces.first[cell + 1])
        fine = add_cut_cell(b, cell);
    else if (fine &&
             (t->model->trims[t->model->patches[c->patch].surface] == NULL || tact_nurbs_cell_corner_inside(t, c)))
        fine = add_whole_cell(b, cell);
    c->triangle_count = (uint32_t)t->triangles.count - c->first_triangle;
    return fine;
}

static bool add_all_triangles(triangle_builder *b)
{
    nurbs_tessellation *t = b->t;
    for (uint32_t i = 0; i < t->model->patch_count; i++) {
        t->first_centre[i] = (uint32_t)t->vertices.count;
        for (uint32_t c = t->first_cell[i]; c < t->first_cell[i + 1]; c++)
            if (t->cells.items[c].first_child == 0 && !add_cell_triangles(b, c))
                return false;
    }
    t->first_centre[t->model->patch_count] = (uint32_t)t->vertices.count;
    return true;
}

/* Removes vertices that no triangle uses: those outside of trimming curves, and of joined edges. False: out of memory.
 */
static bool remove_unused(nurbs_tessellation *t)
{
    const size_t count = t->vertices.count;
    uint32_t *number = tact_memory_allocate(&t->allocator, count + 1, sizeof *number);
    if (number == NULL)
        return false;
    memset(number, 0, (count + 1) * sizeof *number);
    for (size_t i = 0; i < t->triangles.count; i++)
        for (int k = 0; k < 3; k++)
            number[t->triangles.items[i].vertex[k]] = 1;
    uint32_t used = 0;
    for (size_t i = 0; i <= count; i++) {
        const bool keep = number[i] != 0;
        if (keep)
            t->vertices.items[used] = t->vertices.items[i];
        number[i] = used;
        used += keep;
    }
    for (size_t i = 0; i < t->triangles.count; i++)
        for (int k = 0; k < 3; k++)
            t->triangles.items[i].vertex[k] = number[t->triangles.items[i].vertex[k]];
    for (uint32_t i = 0; i <= t->model->patch_count; i++) {
        t->first_vertex[i] = number[t->first_vertex[i]];
        t->first_centre[i] = number[t->first_centre[i]];
    }
    if (t->edge_join != NULL)
        tact_nurbs_edge_join_renumber(t->edge_join, number);
    t->vertices.count = used;
    tact_memory_free(&t->allocator, number, count + 1, sizeof *number);
    return true;
}

static bool build_triangles(triangle_builder *b, tact_report *report)
{
    nurbs_tessellation *t = b->t;
    if (!tact_nurbs_trace(t, &b->pieces))
        return out_of_memory(report);
    size_t leaves = 0;
    for (size_t c = 0; c < t->cells.count; c++)
        leaves += t->cells.items[c].first_child == 0;
    /* at most 4 corners and a centre per leaf, and the points of trimming curves */
    vertex_map *map = &b->map;
    for (map->capacity = 16; map->capacity < 7 * leaves + 2 * b->pieces.points.count;)
        map->capacity *= 2;
    map->keys = tact_memory_allocate(&t->allocator, map->capacity, sizeof(uint64_t));
    map->numbers = tact_memory_allocate(&t->allocator, map->capacity, sizeof(uint32_t));
    if (map->keys == NULL || map->numbers == NULL)
        return out_of_memory(report);
    memset(map->keys, 0, map->capacity * sizeof(uint64_t));
    if (!add_all_corners(b) || !add_all_triangles(b))
        return out_of_memory(report);
    if (!tact_nurbs_join_edges(t, report))
        return false;
    return (b->pieces.first == NULL && t->model->edge_count == 0) || remove_unused(t) || out_of_memory(report);
}

/* Makes vertices and triangles of the cells. */
static bool triangulate(nurbs_tessellation *t, tact_report *report)
{
    triangle_builder b = {.t = t};
    const tact_allocator *allocator = &t->allocator;
    const bool fine = build_triangles(&b, report);
    tact_memory_free(allocator, b.map.keys, b.map.capacity, sizeof(uint64_t));
    tact_memory_free(allocator, b.map.numbers, b.map.capacity, sizeof(uint32_t));
    tact_nurbs_trace_release(&b.pieces, allocator);
    trim_point_array_release(&b.border, allocator);
    trim_point_array_release(&b.polygons.points, allocator);
    trim_size_array_release(&b.polygons.loop_ends, allocator);
    polygon_vertex_array_release(&b.plane, allocator);
    vertex_index_array_release(&b.numbers, allocator);
    vertex_index_array_release(&b.indices, allocator);
    vertex_index_array_release(&b.corners, allocator);
    trim_size_array_release(&b.loop_sizes, allocator);
    return fine;
}

/* ---- creation ---- */

static bool allocate_arrays(nurbs_tessellation *t)
{
    const nurbs_model *m = t->model;
    const size_t patches = (size_t)m->patch_count + 1;
    t->points = tact_memory_allocate(&t->allocator, nurbs_point_count(m), sizeof *t->points);
    t->first_cell = tact_memory_allocate(&t->allocator, patches, sizeof *t->first_cell);
    t->first_vertex = tact_memory_allocate(&t->allocator, patches, sizeof *t->first_vertex);
    t->first_centre = tact_memory_allocate(&t->allocator, patches, sizeof *t->first_centre);
    t->changed = tact_memory_allocate(&t->allocator, patches, sizeof *t->changed);
    t->patch_error = tact_memory_allocate(&t->allocator, patches, sizeof *t->patch_error);
    t->patch_largest = tact_memory_allocate(&t->allocator, patches, sizeof *t->patch_largest);
    t->seam_gap = tact_memory_allocate(&t->allocator, (size_t)m->seam_count + 1, sizeof *t->seam_gap);
    bool fine = t->points != NULL && t->first_cell != NULL && t->first_vertex != NULL && t->first_centre != NULL &&
                t->changed != NULL && t->patch_error != NULL && t->patch_largest != NULL && t->seam_gap != NULL;
    for (int d = 0; d < 2; d++) {
        uint32_t *first = t->first_table[d] =
            tact_memory_allocate(&t->allocator, (size_t)m->surface_count + 1, sizeof *first);
        if (first == NULL)
            return false;
        first[0] = 0;
        for (uint32_t i = 0; i < m->surface_count; i++)
            first[i + 1] = first[i] + m->surfaces[i].span_count[d];
        t->tables[d] = tact_memory_allocate(&t->allocator, first[m->surface_count], sizeof(nurbs_table));
        if (t->tables[d] == NULL)
            return false;
        for (uint32_t i = 0; i < first[m->surface_count]; i++)
            t->tables[d][i] = (nurbs_table){-1, NULL};
    }
    return fine;
}

/* How far trimming curves are from their polylines, on the surface. */
static double trim_error(const nurbs_tessellation *t, const nurbs_patch *p, const tact_vec3 *points)
{
    const nurbs_surface *s = &t->model->surfaces[p->surface];
    const nurbs_trim *trim = t->model->trims[p->surface];
    if (trim == NULL)
        return 0.0;
    nurbs_vec4 net[BEZIER_MAX_NET];
    double speeds[2], error = 0.0;
    tact_nurbs_extract_patch(s, points + t->model->first_point[p->surface], p->span, net);
    tact_bezier_speeds(net, s->degree, speeds);
    for (int d = 0; d < 2; d++) {
        const double *knot = s->knots[d] + s->spans[d][p->span[d]];
        error += speeds[d] / (knot[1] - knot[0]) * trim->deviation[d];
    }
    return error;
}

/* The largest coordinate of the control points of a patch. */
static double largest_coordinate(const nurbs_tessellation *t, const nurbs_patch *p, const tact_vec3 *points)
{
    const nurbs_surface *s = &t->model->surfaces[p->surface];
    const tact_vec3 *first = points + t->model->first_point[p->surface] + nurbs_patch_corner(s, p);
    double largest = 0.0;
    for (int i = 0; i <= s->degree[0]; i++)
        for (int j = 0; j <= s->degree[1]; j++)
            largest = max_double(largest, vec_max_abs(first[(size_t)i * s->counts[1] + (size_t)j]));
    return largest;
}

/* The error of a patch that rounding and trimming add to that of its cells. */
static double other_errors(const nurbs_tessellation *t, const nurbs_patch *p, const tact_vec3 *points, double largest)
{
    const nurbs_surface *s = &t->model->surfaces[p->surface];
    return NURBS_POINT_ROUNDOFF * (s->degree[0] + s->degree[1] + 2) * largest + trim_error(t, p, points);
}

/* Sets the error of a patch: of its cells, of rounding, and of trimming. All are convex functions of the control
 * points, and those of the cells are for all times of a motion. */
static void set_patch_error(nurbs_tessellation *t, uint32_t patch)
{
    const nurbs_patch *p = &t->model->patches[patch];
    t->patch_largest[patch] = largest_coordinate(t, p, t->points);
    double error = 0.0, other = other_errors(t, p, t->points, t->patch_largest[patch]);
    for (uint32_t c = t->first_cell[patch]; c < t->first_cell[patch + 1]; c++)
        error = t->cells.items[c].first_child == 0 ? number_max(error, t->cells.items[c].error) : error;
    for (size_t i = 0; i < t->frame_count; i++) {
        const tact_vec3 *points = t->frames + i * nurbs_point_count(t->model);
        other = number_max(other, other_errors(t, p, points, largest_coordinate(t, p, points)));
    }
    t->patch_error[patch] = error + other;
}

/* Sets the gap of a seam: a convex function of the control points, too. */
static void set_seam_gap(nurbs_tessellation *t, uint32_t seam)
{
    t->seam_gap[seam] = tact_nurbs_model_seam_gap(t->model, seam, t->points);
    for (size_t i = 0; i < t->frame_count; i++) {
        const tact_vec3 *points = t->frames + i * nurbs_point_count(t->model);
        t->seam_gap[seam] = number_max(t->seam_gap[seam], tact_nurbs_model_seam_gap(t->model, seam, points));
    }
}

/* Sets `error`, from those of the patches and the gaps of the seams and edges. */
static void set_error(nurbs_tessellation *t)
{
    double error = 0.0, gap = 0.0;
    for (uint32_t i = 0; i < t->model->patch_count; i++)
        error = number_max(error, t->patch_error[i]);
    for (uint32_t i = 0; i < t->model->seam_count; i++)
        gap += t->seam_gap[i]; /* a corner may be joined through several seams */
    t->error = error + gap + t->edge_gap;
}

/* Positions of all vertices, after the cells have been triangulated. */
static bool place_all(nurbs_tessellation *t)
{
    if (t->vertices.count > t->position_capacity) {
        tact_vec3 *grown =
            tact_memory_resize(&t->allocator, t->positions, t->position_capacity, t->vertices.count, sizeof *grown);
        if (grown == NULL)
            return false;
        t->positions = grown;
        t->position_capacity = t->vertices.count;
    }
    tact_nurbs_location_range(t, 0, (uint32_t)t->vertices.count);
    return true;
}

/* Divides, triangulates and evaluates everything at t->points. */
static bool build(nurbs_tessellation *t, const nurbs_division *required, tact_report *report)
{
    t->vertices.count = t->triangles.count = t->joined.count = 0;
    if (!(t->regular ? tact_nurbs_divide_regularly(t, required, report) : tact_nurbs_divide_patches(t, NULL, report)))
        return false;
    if (!tact_nurbs_tables_extend(t))
        return out_of_memory(report);
    if (!triangulate(t, report))
        return false;
    if (!place_all(t))
        return out_of_memory(report);
    for (uint32_t i = 0; i < t->model->patch_count; i++)
        set_patch_error(t, i);
    for (uint32_t i = 0; i < t->model->seam_count; i++)
        set_seam_gap(t, i);
    set_error(t);
    return true;
}

/* How a tessellation is made. */
typedef struct tessellation_kind {
    const tact_vec3 *frames;
    size_t frame_count;
    bool regular;
    const nurbs_division *required;
} tessellation_kind;

/* At `points`, except for `count` of them from `first` on. */
static bool init_at(nurbs_tessellation *t, const nurbs_model *model, const tact_vec3 *points, uint32_t first,
                    uint32_t count, const tact_vec3 *moved, tessellation_kind kind, tact_report *report)
{
    *t = (nurbs_tessellation){.model = model,
                              .frames = kind.frames,
                              .frame_count = kind.frame_count,
                              .regular = kind.regular,
                              .allocator = model->allocator};
    if (allocate_arrays(t)) {
        memcpy(t->points, points, nurbs_point_count(model) * sizeof *points);
        if (count > 0)
            memcpy(t->points + first, moved, count * sizeof *points);
        memset(t->changed, 0, model->patch_count + 1);
        if (build(t, kind.required, report))
            return true;
    } else {
        (void)out_of_memory(report);
    }
    tact_nurbs_tessellation_release(t);
    return false;
}

bool tact_nurbs_tessellation_init(nurbs_tessellation *t, const nurbs_model *model, const tact_vec3 *points,
                                  tact_report *report)
{
    return init_at(t, model, points, 0, 0, NULL, (tessellation_kind){0}, report);
}

bool tact_nurbs_tessellation_init_moving(nurbs_tessellation *t, const nurbs_model *model, const tact_vec3 *start,
                                         const tact_vec3 *frames, size_t count, tact_report *report)
{
    return init_at(t, model, start, 0, 0, NULL, (tessellation_kind){.frames = frames, .frame_count = count}, report);
}

bool tact_nurbs_tessellation_init_regular(nurbs_tessellation *t, const nurbs_model *model, const tact_vec3 *start,
                                          const tact_vec3 *end, const nurbs_division *required, tact_report *report)
{
    const tessellation_kind kind = {.frames = end, .frame_count = 1, .regular = true, .required = required};
    return init_at(t, model, start, 0, 0, NULL, kind, report);
}

void tact_nurbs_tessellation_place(const nurbs_tessellation *t, const tact_vec3 *points, tact_vec3 *positions)
{
    nurbs_tessellation moved = *t;      /* shares all but the control points */
    moved.points = (tact_vec3 *)points; /* only read */
    for (size_t i = 0; i < t->vertices.count; i++)
        positions[i] = tact_nurbs_vertex_position(&moved, &t->vertices.items[i]);
}

bool tact_nurbs_tessellation_init_moved(nurbs_tessellation *t, const nurbs_tessellation *from, uint32_t first,
                                        uint32_t count, const tact_vec3 *points, tact_report *report)
{
    return init_at(t, from->model, from->points, first, count, points, (tessellation_kind){0}, report);
}

void tact_nurbs_tessellation_release(nurbs_tessellation *t)
{
    const nurbs_model *m = t->model;
    const tact_allocator *allocator = &t->allocator;
    const size_t patches = (size_t)m->patch_count + 1;
    tact_memory_free(allocator, t->points, nurbs_point_count(m), sizeof *t->points);
    tact_memory_free(allocator, t->first_cell, patches, sizeof *t->first_cell);
    tact_memory_free(allocator, t->first_vertex, patches, sizeof *t->first_vertex);
    tact_memory_free(allocator, t->first_centre, patches, sizeof *t->first_centre);
    tact_memory_free(allocator, t->changed, patches, sizeof *t->changed);
    tact_memory_free(allocator, t->patch_error, patches, sizeof *t->patch_error);
    tact_memory_free(allocator, t->patch_largest, patches, sizeof *t->patch_largest);
    tact_memory_free(allocator, t->seam_gap, (size_t)m->seam_count + 1, sizeof *t->seam_gap);
    tact_memory_free(allocator, t->positions, t->position_capacity, sizeof *t->positions);
    for (int d = 0; d < 2; d++) {
        for (uint32_t i = 0; t->tables[d] != NULL && i < m->surface_count; i++)
            for (uint32_t k = t->first_table[d][i]; k < t->first_table[d][i + 1]; k++)
                if (t->tables[d][k].level >= 0)
                    tact_memory_free(allocator, t->tables[d][k].rows,
                                     nurbs_table_size(&m->surfaces[i], d, t->tables[d][k].level), sizeof(double));
        if (t->tables[d] != NULL)
            tact_memory_free(allocator, t->tables[d], t->first_table[d][m->surface_count], sizeof(nurbs_table));
        tact_memory_free(allocator, t->first_table[d], (size_t)m->surface_count + 1, sizeof(uint32_t));
    }
    nurbs_cell_array_release(&t->cells, allocator);
    nurbs_cell_array_release(&t->scratch, allocator);
    nurbs_vertex_array_release(&t->vertices, allocator);
    nurbs_triangle_array_release(&t->triangles, allocator);
    nurbs_joined_triangle_array_release(&t->joined, allocator);
    tact_nurbs_edge_join_free(t->edge_join, allocator);
    *t = (nurbs_tessellation){0};
}

/* ---- moving control points ---- */

/* Marks the patches that a control point of a surface influences. */
static void mark_patches(nurbs_tessellation *t, uint32_t surface, uint32_t point)
{
    const nurbs_surface *s = &t->model->surfaces[surface];
    const uint32_t index[2] = {point / s->counts[1], point % s->counts[1]};
    uint32_t first[2], end[2];
    for (int d = 0; d < 2; d++) { /* spans k with k - degree <= index <= k; spans are ascending */
        uint32_t low = 0, high = s->span_count[d];
        while (low < high) {
            const uint32_t middle = (low + high) / 2;
            if (s->spans[d][middle] < index[d])
                low = middle + 1;
            else
                high = middle;
        }
        first[d] = low;
        for (end[d] = first[d]; end[d] < s->span_count[d] && s->spans[d][end[d]] <= index[d] + (uint32_t)s->degree[d];)
            end[d]++;
    }
    for (uint32_t a = first[0]; a < end[0]; a++)
        memset(t->changed + t->model->first_patch[surface] + a * s->span_count[1] + first[1], 1, end[1] - first[1]);
}

/* Sets `changed` for new values of control points. */
static void mark_moved(nurbs_tessellation *t, uint32_t first, uint32_t count, const tact_vec3 *points)
{
    memset(t->changed, 0, t->model->patch_count);
    uint32_t surface = 0;
    for (uint32_t i = first; i < first + count; i++) {
        while (i >= t->model->first_point[surface + 1])
            surface++;
        if (!vec_equal(points[i - first], t->points[i]))
            mark_patches(t, surface, i - t->model->first_point[surface]);
    }
}

static void swap_points(tact_vec3 *a, tact_vec3 *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const tact_vec3 p = a[i];
        a[i] = b[i];
        b[i] = p;
    }
}

/* Divides the changed patches into `scratch`. Returns false on failure, and sets `same` if no cell is new or gone. */
static bool divide_changed(nurbs_tessellation *t, bool *same, tact_report *report)
{
    t->scratch.count = 0;
    *same = true;
    for (uint32_t i = 0; i < t->model->patch_count; i++) {
        if (!t->changed[i])
            continue;
        const uint32_t old = t->first_cell[i], count = t->first_cell[i + 1] - old;
        const size_t begin = t->scratch.count;
        if (!tact_nurbs_divide_patch(t, i, &t->scratch, old - (uint32_t)begin, report))
            return false;
        *same = *same && t->scratch.count - begin == count;
        for (uint32_t c = 0; c < count && *same; c++)
            *same = t->scratch.items[begin + c].first_child == t->cells.items[old + c].first_child;
        if (!*same)
            return true; /* everything is built again */
    }
    return true;
}

/* Takes over the errors of the cells in `scratch`, and evaluates the changed patches. */
static void update_changed(nurbs_tessellation *t)
{
    size_t from = 0;
    for (uint32_t i = 0; i < t->model->patch_count; i++) {
        if (!t->changed[i])
            continue;
        for (uint32_t c = t->first_cell[i]; c < t->first_cell[i + 1]; c++)
            t->cells.items[c].error = t->scratch.items[from++].error;
        tact_nurbs_location_range(t, t->first_vertex[i], t->first_vertex[i + 1]);
        tact_nurbs_location_range(t, t->first_centre[i], t->first_centre[i + 1]);
        set_patch_error(t, i);
    }
    for (uint32_t i = t->first_centre[t->model->patch_count]; i < t->vertices.count; i++) /* of divided chords */
        if (t->changed[t->vertices.items[i].patch])
            tact_nurbs_location_range(t, i, i + 1);
    if (t->edge_join != NULL)
        tact_nurbs_edge_join_update(t->edge_join, t);
    for (uint32_t i = 0; i < t->model->seam_count; i++)
        if (t->changed[t->model->seams[i][0] / 4] | t->changed[(t->model->seams[i][1] & ~NURBS_SEAM_POLE) / 4])
            set_seam_gap(t, i);
    set_error(t);
}

nurbs_move tact_nurbs_tessellation_try_move(nurbs_tessellation *t, uint32_t first, uint32_t count,
                                            const tact_vec3 *points, tact_report *report)
{
    memset(t->changed, 0, t->model->patch_count);
    if (count == 0)
        return NURBS_MOVE_POSITIONS;
    tact_vec3 *other = tact_memory_allocate(&t->allocator, count, sizeof *other);
    if (other == NULL)
        return (void)out_of_memory(report), NURBS_MOVE_FAILED;
    mark_moved(t, first, count, points);
    memcpy(other, points, count * sizeof *other);
    swap_points(other, t->points + first, count);
    bool same;
    nurbs_move done = NURBS_MOVE_FAILED;
    if (divide_changed(t, &same, report)) { /* how edges are joined depends on positions */
        same = same && (t->edge_join == NULL || tact_nurbs_edge_join_stays(t->edge_join, t));
        done = same ? NURBS_MOVE_POSITIONS : NURBS_MOVE_CELLS;
    }
    if (done == NURBS_MOVE_POSITIONS)
        update_changed(t);
    else
        swap_points(other, t->points + first, count);
    tact_memory_free(&t->allocator, other, count, sizeof *other);
    return done;
}

size_t tact_nurbs_tessellation_byte_count(const nurbs_tessellation *t)
{
    const nurbs_model *m = t->model;
    size_t bytes = tact_nurbs_edge_join_byte_count(t->edge_join) + nurbs_point_count(m) * sizeof *t->points +
                   ((size_t)m->patch_count + 1) * (3 * sizeof(uint32_t) + 2 * sizeof(double) + 1) +
                   (t->cells.capacity + t->scratch.capacity) * sizeof(nurbs_cell) +
                   t->vertices.capacity * sizeof(nurbs_vertex) + t->position_capacity * sizeof(tact_vec3) +
                   t->triangles.capacity * sizeof(nurbs_triangle) + t->joined.capacity * sizeof(nurbs_joined_triangle);
    for (int d = 0; d < 2; d++)
        for (uint32_t i = 0; i < m->surface_count; i++)
            for (uint32_t k = t->first_table[d][i]; k < t->first_table[d][i + 1]; k++)
                bytes += nurbs_table_size(&m->surfaces[i], d, t->tables[d][k].level) * sizeof(double);
    return bytes;
}
