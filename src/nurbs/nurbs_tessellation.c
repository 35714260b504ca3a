#include "nurbs/nurbs_tessellation.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/report.h"
#include "math/vec.h"
#include "nurbs/bezier_net.h"

static bool out_of_memory(tact_report *report)
{
    return tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory"), false;
}

/* ---- tables of basis functions ---- */

/* The basis functions of a span at s in [0, 1]: Bernstein polynomials times the extraction operator. Sums of positive
 * numbers, without cancellation. */
static void basis_row(const nurbs_surface *surface, int d, uint32_t span, double s, double *row)
{
    const int order = surface->degree[d] + 1;
    double bernstein[NURBS_MAX_ORDER] = {1.0};
    for (int n = 1; n < order; n++) {
        double left = 0.0;
        for (int i = 0; i < n; i++) {
            const double value = bernstein[i];
            bernstein[i] = left + (1.0 - s) * value;
            left = s * value;
        }
        bernstein[n] = left;
    }
    const double *e = surface->extraction[d] + (size_t)span * (size_t)(order * order);
    for (int i = 0; i < order; i++) {
        double sum = 0.0;
        for (int a = 0; a < order; a++)
            sum += bernstein[a] * e[a * order + i];
        row[i] = sum;
    }
}

static size_t table_size(const nurbs_surface *s, int d, int level)
{
    return (((size_t)1 << level) + 1) * (size_t)(s->degree[d] + 1);
}

/* Extends a table to `level`. */
static bool extend_table(nurbs_tessellation *t, uint32_t surface, int d, uint32_t span, int level)
{
    const nurbs_surface *s = &t->model->surfaces[surface];
    nurbs_table *table = &t->tables[d][t->first_table[d][surface] + span];
    if (table->level >= level)
        return true;
    double *rows = tact_memory_allocate(&t->allocator, table_size(s, d, level), sizeof *rows);
    if (rows == NULL)
        return false;
    for (size_t i = 0; i <= (size_t)1 << level; i++)
        basis_row(s, d, span, ldexp((double)i, -level), rows + i * (size_t)(s->degree[d] + 1));
    if (table->level >= 0)
        tact_memory_free(&t->allocator, table->rows, table_size(s, d, table->level), sizeof *rows);
    *table = (nurbs_table){level, rows};
    return true;
}

/* Makes tables for the cells, with a level more for the centres of cells. */
static bool extend_tables(nurbs_tessellation *t)
{
    const nurbs_model *m = t->model;
    for (uint32_t i = 0; i < m->patch_count; i++) {
        int level = 0;
        for (uint32_t c = t->first_cell[i]; c < t->first_cell[i + 1]; c++)
            level = t->cells.items[c].level > level ? t->cells.items[c].level : level;
        const nurbs_patch *p = &m->patches[i];
        for (int d = 0; d < 2; d++)
            if (!extend_table(t, p->surface, d, p->span[d], level + 1))
                return false;
    }
    return true;
}

static const double *table_row(const nurbs_tessellation *t, const nurbs_patch *p, int d, uint32_t grid)
{
    const nurbs_table *table = &t->tables[d][t->first_table[d][p->surface] + p->span[d]];
    return table->rows +
           (size_t)(grid >> (NURBS_GRID_LEVEL - table->level)) * (size_t)(t->model->surfaces[p->surface].degree[d] + 1);
}

/* ---- positions ---- */

/* The index in its surface of the first control point that influences a patch. */
static size_t patch_corner(const nurbs_surface *s, const nurbs_patch *p)
{
    return (size_t)(s->spans[0][p->span[0]] - (uint32_t)s->degree[0]) * s->counts[1] +
           (s->spans[1][p->span[1]] - (uint32_t)s->degree[1]);
}

tact_vec3 tact_nurbs_vertex_position(const nurbs_tessellation *t, const nurbs_vertex *vertex)
{
    const nurbs_model *m = t->model;
    const nurbs_patch *p = &m->patches[vertex->patch];
    const nurbs_surface *s = &m->surfaces[p->surface];
    const double *u = table_row(t, p, 0, vertex->x), *v = table_row(t, p, 1, vertex->y);
    const size_t width = s->counts[1];
    const size_t corner = patch_corner(s, p);
    const tact_vec3 *points = t->points + m->first_point[p->surface] + corner;
    const double *weights = s->weights != NULL ? s->weights + corner : NULL;
    tact_vec3 sum = {0.0, 0.0, 0.0};
    double total = 0.0;
    for (int i = 0; i <= s->degree[0]; i++, points += width) {
        tact_vec3 row = {0.0, 0.0, 0.0};
        if (weights == NULL) {
            for (int j = 0; j <= s->degree[1]; j++)
                row = vec_mul_add(row, v[j], points[j]);
        } else {
            double row_weight = 0.0;
            for (int j = 0; j <= s->degree[1]; j++) {
                const double weight = v[j] * weights[j];
                row = vec_mul_add(row, weight, points[j]);
                row_weight += weight;
            }
            total += u[i] * row_weight;
            weights += width;
        }
        sum = vec_mul_add(sum, u[i], row);
    }
    return weights == NULL ? sum : vec_make(sum.x / total, sum.y / total, sum.z / total);
}

void tact_nurbs_vertex_coefficients(const nurbs_tessellation *t, const nurbs_vertex *vertex, double *out)
{
    const nurbs_model *m = t->model;
    const nurbs_patch *p = &m->patches[vertex->patch];
    const nurbs_surface *s = &m->surfaces[p->surface];
    const double *u = table_row(t, p, 0, vertex->x), *v = table_row(t, p, 1, vertex->y);
    const int n = s->degree[0] + 1, k = s->degree[1] + 1;
    const double *weights = s->weights != NULL ? s->weights + patch_corner(s, p) : NULL;
    double total = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++) {
            const double weight = weights != NULL ? weights[(size_t)i * s->counts[1] + (size_t)j] : 1.0;
            total += out[i * k + j] = u[i] * v[j] * weight;
        }
    if (s->weights != NULL)
        for (int i = 0; i < n * k; i++)
            out[i] /= total;
}

static void place_range(nurbs_tessellation *t, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        t->positions[i] = tact_nurbs_vertex_position(t, &t->vertices.items[i]);
}

/* ---- vertices and triangles ---- */

/* Numbers vertices by what they are: see vertex_key. */
typedef struct vertex_map {
    uint64_t *keys; /* 0: empty */
    uint32_t *numbers;
    size_t capacity; /* a power of two, at least 4/3 of the number of keys */
} vertex_map;

#define KEY_SIDE (UINT64_C(1) << 62)
#define KEY_CORNER (UINT64_C(2) << 62)

/* The identity of a point of a patch: a corner class, a point of a side class, or a point inside a patch. Not 0. */
static uint64_t vertex_key(const nurbs_model *m, uint32_t patch, uint32_t x, uint32_t y)
{
    const nurbs_patch *p = &m->patches[patch];
    const bool left = x == 0, right = x == NURBS_GRID, low = y == 0, high = y == NURBS_GRID;
    if (!(left || right || low || high))
        return (uint64_t)patch << 32 | x << 16 | y;
    if ((left || right) && (low || high))
        return KEY_CORNER | p->corner[low ? (left ? 0 : 1) : (left ? 3 : 2)];
    const unsigned side = low ? 0 : right ? 1 : high ? 2 : 3;
    if (p->side[side] == NURBS_POLE)
        return KEY_CORNER | p->corner[side];
    const uint32_t along = low || high ? x : y;
    return KEY_SIDE | (uint64_t)p->side[side] << 32 | ((p->reversed >> side & 1) != 0 ? NURBS_GRID - along : along);
}

/* The entry of a key, or the empty one where it belongs. */
static size_t map_find(const vertex_map *map, uint64_t key)
{
    size_t i = (size_t)hash_mix(key) & (map->capacity - 1);
    while (map->keys[i] != 0 && map->keys[i] != key)
        i = (i + 1) & (map->capacity - 1);
    return i;
}

ARRAY_OF(vertex_loop, uint32_t);

typedef struct triangle_builder {
    nurbs_tessellation *t;
    vertex_map map;
    vertex_loop loop; /* the vertices around a cell */
    bool out_of_memory;
} triangle_builder;

/* The vertex of a point, appended if it is new. UINT32_MAX: memory is out. */
static uint32_t vertex_at(triangle_builder *b, uint32_t patch, uint32_t x, uint32_t y)
{
    const uint64_t key = vertex_key(b->t->model, patch, x, y);
    const size_t entry = map_find(&b->map, key);
    if (b->map.keys[entry] == 0) {
        const nurbs_vertex vertex = {patch, (uint16_t)x, (uint16_t)y};
        if (!nurbs_vertex_array_push(&b->t->vertices, &b->t->allocator, vertex))
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

static bool add_all_corners(triangle_builder *b)
{
    nurbs_tessellation *t = b->t;
    for (uint32_t i = 0; i < t->model->patch_count; i++) {
        t->first_vertex[i] = (uint32_t)t->vertices.count;
        for (uint32_t c = t->first_cell[i]; c < t->first_cell[i + 1]; c++)
            if (t->cells.items[c].first_child == 0 && !add_corners(b, &t->cells.items[c]))
                return false;
    }
    t->first_vertex[t->model->patch_count] = (uint32_t)t->vertices.count;
    return true;
}

/* Appends the vertices from (x0, y0), included, to (x1, y1), excluded, along an edge. A smaller cell beside the edge
 * has a vertex at its middle. */
static void add_edge(triangle_builder *b, uint32_t patch, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1)
{
    const uint32_t x = (x0 + x1) / 2, y = (y0 + y1) / 2;
    const uint64_t key = vertex_key(b->t->model, patch, x, y);
    if ((x0 + x1) % 2 + (y0 + y1) % 2 == 0 && b->map.keys[map_find(&b->map, key)] != 0) {
        add_edge(b, patch, x0, y0, x, y);
        add_edge(b, patch, x, y, x1, y1);
        return;
    }
    const uint32_t vertex = b->map.numbers[map_find(&b->map, vertex_key(b->t->model, patch, x0, y0))];
    if (b->loop.count == 0 || b->loop.items[b->loop.count - 1] != vertex) /* a pole: one vertex */
        b->out_of_memory |= !vertex_loop_push(&b->loop, &b->t->allocator, vertex);
}

static bool add_triangle(nurbs_tessellation *t, uint32_t a, uint32_t b, uint32_t c, uint32_t cell)
{
    if (a == b || b == c || c == a)
        return true;
    return nurbs_triangle_array_push(&t->triangles, &t->allocator, (nurbs_triangle){{a, b, c}, cell});
}

static bool add_cell_triangles(triangle_builder *b, uint32_t cell)
{
    nurbs_tessellation *t = b->t;
    nurbs_cell *c = &t->cells.items[cell];
    const unsigned shift = NURBS_GRID_LEVEL - c->level;
    const uint32_t x0 = (uint32_t)c->x << shift, y0 = (uint32_t)c->y << shift, x1 = (c->x + 1u) << shift,
                   y1 = (c->y + 1u) << shift;
    b->loop.count = 0;
    add_edge(b, c->patch, x0, y0, x1, y0);
    add_edge(b, c->patch, x1, y0, x1, y1);
    add_edge(b, c->patch, x1, y1, x0, y1);
    add_edge(b, c->patch, x0, y1, x0, y0);
    const size_t n = b->loop.count;
    const uint32_t *loop = b->loop.items;
    c->first_triangle = (uint32_t)t->triangles.count;
    bool fine = !b->out_of_memory;
    if (n <= 4) {
        for (size_t i = 2; i < n; i++)
            fine = fine && add_triangle(t, loop[0], loop[i - 1], loop[i], cell);
    } else {
        const uint32_t centre = vertex_at(b, c->patch, (x0 + x1) / 2, (y0 + y1) / 2);
        fine = centre != UINT32_MAX;
        for (size_t i = 0; i < n && fine; i++)
            fine = add_triangle(t, loop[i], loop[i + 1 < n ? i + 1 : 0], centre, cell);
    }
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

/* Makes vertices and triangles of the cells. */
static bool triangulate(nurbs_tessellation *t)
{
    size_t leaves = 0, capacity = 16;
    for (size_t c = 0; c < t->cells.count; c++)
        leaves += t->cells.items[c].first_child == 0;
    /* at most 4 corners and a centre per leaf; in the interior of a patch about one corner */
    while (capacity < 7 * leaves)
        capacity *= 2;
    triangle_builder b = {.t = t,
                          .map = {tact_memory_allocate(&t->allocator, capacity, sizeof(uint64_t)),
                                  tact_memory_allocate(&t->allocator, capacity, sizeof(uint32_t)), capacity}};
    bool fine = b.map.keys != NULL && b.map.numbers != NULL;
    if (fine) {
        memset(b.map.keys, 0, capacity * sizeof(uint64_t));
        fine = add_all_corners(&b) && add_all_triangles(&b);
    }
    tact_memory_free(&t->allocator, b.map.keys, capacity, sizeof(uint64_t));
    tact_memory_free(&t->allocator, b.map.numbers, capacity, sizeof(uint32_t));
    vertex_loop_release(&b.loop, &t->allocator);
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
    t->seam_gap = tact_memory_allocate(&t->allocator, (size_t)m->seam_count + 1, sizeof *t->seam_gap);
    bool fine = t->points != NULL && t->first_cell != NULL && t->first_vertex != NULL && t->first_centre != NULL &&
                t->changed != NULL && t->patch_error != NULL && t->seam_gap != NULL;
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

/* Sets the error of a patch: of its cells, and of rounding. */
static void set_patch_error(nurbs_tessellation *t, uint32_t patch)
{
    const nurbs_patch *p = &t->model->patches[patch];
    const nurbs_surface *s = &t->model->surfaces[p->surface];
    double error = 0.0, largest = 0.0;
    for (uint32_t c = t->first_cell[patch]; c < t->first_cell[patch + 1]; c++)
        error = t->cells.items[c].first_child == 0 ? fmax(error, t->cells.items[c].error) : error;
    const tact_vec3 *points = t->points + t->model->first_point[p->surface] + patch_corner(s, p);
    for (int i = 0; i <= s->degree[0]; i++)
        for (int j = 0; j <= s->degree[1]; j++)
            largest = fmax(largest, vec_max_abs(points[(size_t)i * s->counts[1] + (size_t)j]));
    t->patch_error[patch] = error + NURBS_POINT_ROUNDOFF * (s->degree[0] + s->degree[1] + 2) * largest;
}

/* Sets `error`, from those of the patches and the gaps of the seams. */
static void set_error(nurbs_tessellation *t)
{
    double error = 0.0, gap = 0.0;
    for (uint32_t i = 0; i < t->model->patch_count; i++)
        error = fmax(error, t->patch_error[i]);
    for (uint32_t i = 0; i < t->model->seam_count; i++)
        gap = fmax(gap, t->seam_gap[i]);
    t->error = error + gap;
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
    place_range(t, 0, (uint32_t)t->vertices.count);
    return true;
}

/* Divides, triangulates and evaluates everything at t->points. */
static bool build(nurbs_tessellation *t, tact_report *report)
{
    t->cells.count = t->vertices.count = t->triangles.count = 0;
    for (uint32_t i = 0; i < t->model->patch_count; i++) {
        t->first_cell[i] = (uint32_t)t->cells.count;
        if (!tact_nurbs_divide_patch(t, i, &t->cells, 0, report))
            return false;
    }
    t->first_cell[t->model->patch_count] = (uint32_t)t->cells.count;
    if (!extend_tables(t) || !triangulate(t) || !place_all(t))
        return out_of_memory(report);
    for (uint32_t i = 0; i < t->model->patch_count; i++)
        set_patch_error(t, i);
    for (uint32_t i = 0; i < t->model->seam_count; i++)
        t->seam_gap[i] = tact_nurbs_model_seam_gap(t->model, i, t->points);
    set_error(t);
    return true;
}

/* At `points`, except for `count` of them from `first` on. */
static bool init_at(nurbs_tessellation *t, const nurbs_model *model, const tact_vec3 *points, uint32_t first,
                    uint32_t count, const tact_vec3 *moved, tact_report *report)
{
    *t = (nurbs_tessellation){.model = model, .allocator = model->allocator};
    if (allocate_arrays(t)) {
        memcpy(t->points, points, nurbs_point_count(model) * sizeof *points);
        if (count > 0)
            memcpy(t->points + first, moved, count * sizeof *points);
        memset(t->changed, 0, model->patch_count + 1);
        if (build(t, report))
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
    return init_at(t, model, points, 0, 0, NULL, report);
}

bool tact_nurbs_tessellation_init_moved(nurbs_tessellation *t, const nurbs_tessellation *from, uint32_t first,
                                        uint32_t count, const tact_vec3 *points, tact_report *report)
{
    return init_at(t, from->model, from->points, first, count, points, report);
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
    tact_memory_free(allocator, t->seam_gap, (size_t)m->seam_count + 1, sizeof *t->seam_gap);
    tact_memory_free(allocator, t->positions, t->position_capacity, sizeof *t->positions);
    for (int d = 0; d < 2; d++) {
        for (uint32_t i = 0; t->tables[d] != NULL && i < m->surface_count; i++)
            for (uint32_t k = t->first_table[d][i]; k < t->first_table[d][i + 1]; k++)
                if (t->tables[d][k].level >= 0)
                    tact_memory_free(allocator, t->tables[d][k].rows,
                                     table_size(&m->surfaces[i], d, t->tables[d][k].level), sizeof(double));
        if (t->tables[d] != NULL)
            tact_memory_free(allocator, t->tables[d], t->first_table[d][m->surface_count], sizeof(nurbs_table));
        tact_memory_free(allocator, t->first_table[d], (size_t)m->surface_count + 1, sizeof(uint32_t));
    }
    nurbs_cell_array_release(&t->cells, allocator);
    nurbs_cell_array_release(&t->scratch, allocator);
    nurbs_vertex_array_release(&t->vertices, allocator);
    nurbs_triangle_array_release(&t->triangles, allocator);
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
        for (first[d] = 0; first[d] < s->span_count[d] && s->spans[d][first[d]] < index[d];)
            first[d]++;
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
        place_range(t, t->first_vertex[i], t->first_vertex[i + 1]);
        place_range(t, t->first_centre[i], t->first_centre[i + 1]);
        set_patch_error(t, i);
    }
    for (uint32_t i = 0; i < t->model->seam_count; i++)
        if (t->changed[t->model->seams[i][0] / 4] | t->changed[(t->model->seams[i][1] & ~NURBS_SEAM_POLE) / 4])
            t->seam_gap[i] = tact_nurbs_model_seam_gap(t->model, i, t->points);
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
    if (divide_changed(t, &same, report))
        done = same ? NURBS_MOVE_POSITIONS : NURBS_MOVE_CELLS;
    if (done == NURBS_MOVE_POSITIONS)
        update_changed(t);
    else
        swap_points(other, t->points + first, count);
    tact_memory_free(&t->allocator, other, count, sizeof *other);
    return done;
}

nurbs_move tact_nurbs_tessellation_move(nurbs_tessellation *t, uint32_t first, uint32_t count, const tact_vec3 *points,
                                        tact_report *report)
{
    const nurbs_move done = tact_nurbs_tessellation_try_move(t, first, count, points, report);
    if (done != NURBS_MOVE_CELLS)
        return done;
    nurbs_tessellation fresh;
    if (!tact_nurbs_tessellation_init_moved(&fresh, t, first, count, points, report))
        return NURBS_MOVE_FAILED;
    memcpy(fresh.changed, t->changed, t->model->patch_count);
    tact_nurbs_tessellation_release(t);
    *t = fresh;
    return NURBS_MOVE_CELLS;
}

size_t tact_nurbs_tessellation_byte_count(const nurbs_tessellation *t)
{
    const nurbs_model *m = t->model;
    size_t bytes =
        nurbs_point_count(m) * sizeof *t->points + ((size_t)m->patch_count + 1) * (3 * sizeof(uint32_t) + 9) +
        (t->cells.capacity + t->scratch.capacity) * sizeof(nurbs_cell) + t->vertices.capacity * sizeof(nurbs_vertex) +
        t->position_capacity * sizeof(tact_vec3) + t->triangles.capacity * sizeof(nurbs_triangle);
    for (int d = 0; d < 2; d++)
        for (uint32_t i = 0; i < m->surface_count; i++)
            for (uint32_t k = t->first_table[d][i]; k < t->first_table[d][i + 1]; k++)
                bytes += table_size(&m->surfaces[i], d, t->tables[d][k].level) * sizeof(double);
    return bytes;
}
