/*
 * Heightfields: the solid below a grid of heights, as a closed mesh.
 *
 * Guarantee: every vertex has exactly the height that the caller gave, and its x and z are the products i * dx and
 * j * dz, rounded once. The mesh is closed: the surface, vertical walls below its border, and a bottom far below. So
 * all that complex/ and toi/ guarantee for solid meshes holds, with exact containment.
 *
 * The bottom is HEIGHTFIELD_DEPTH sizes below the lowest vertex: the solid ends there only because coordinates have to
 * be finite. No penetration depth pushes down (complex/penetration.c).
 *
 * Numbering. Vertex (i, j) is i * counts[1] + j. Then come the bottom vertices, one below each border vertex in the
 * order of the border, and one in the middle of the bottom. Cell (i, j) between the vertices (i, j) and (i + 1, j + 1)
 * is divided along the diagonal between these two. Its triangles, and faces, are 2 c and 2 c + 1 with
 * c = i * (counts[1] - 1) + j: first that at (i, j + 1), then that at (i + 1, j). Walls and bottom follow.
 *
 * Cost: O(n log n) and some 140 bytes a vertex: a tree of boxes over the triangles, without oriented boxes, which do
 * not fit terrain better.
 */
#include <float.h>
#include <string.h>
#include <tact/mesh.h>

#include "core/memory.h"
#include "core/number.h"
#include "core/report.h"
#include "shape/mesh.h"

tact_heightfield_def tact_heightfield_def_default(void)
{
    tact_heightfield_def def;
    memset(&def, 0, sizeof def);
    return def;
}

static double height_at(const tact_heightfield_def *def, size_t i)
{
    return def->scalar == TACT_SCALAR_FLOAT ? (double)((const float *)def->heights)[i]
                                            : ((const double *)def->heights)[i];
}

static bool reject(tact_report *report, const char *text)
{
    (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "%s", text);
    return false;
}

/* Checks all but the margin; sets the height of the bottom. */
static bool check(const tact_heightfield_def *def, double *bottom, tact_report *report)
{
    if (def->counts[0] < 2 || def->counts[1] < 2)
        return reject(report, "a heightfield needs at least 2 x 2 vertices");
    if (def->counts[0] > HEIGHTFIELD_MAX_VERTICES / def->counts[1])
        return reject(report, "a heightfield has too many vertices");
    if (def->heights == NULL || (def->scalar != TACT_SCALAR_DOUBLE && def->scalar != TACT_SCALAR_FLOAT))
        return reject(report, "the heights are missing (NULL), or of an unknown type");
    double size = 0.0;
    for (int k = 0; k < 2; k++) {
        if (!(def->spacing[k] > 0.0) || !(def->spacing[k] <= SHAPE_MAX_COORDINATE))
            return reject(report, "the spacing of a heightfield must be a positive length");
        size = number_max(size, def->spacing[k] * (double)(def->counts[k] - 1));
    }
    double low = INFINITY, high = -INFINITY;
    const size_t count = def->counts[0] * def->counts[1];
    for (size_t i = 0; i < count; i++) {
        const double h = height_at(def, i);
        if (!(fabs(h) <= SHAPE_MAX_COORDINATE)) {
            (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "height %zu (%g) is not finite or too large", i, h);
            return false;
        }
        low = number_min(low, h);
        high = number_max(high, h);
    }
    size = number_max(number_max(size, high - low), HEIGHTFIELD_MIN_SIZE * fabs(low));
    *bottom = low - HEIGHTFIELD_DEPTH * size;
    return (size <= SHAPE_MAX_COORDINATE && fabs(*bottom) <= SHAPE_MAX_COORDINATE) ||
           reject(report, "the heightfield is too large");
}

typedef struct grid_writer {
    uint32_t n, m; /* vertices along x and z */
    tact_vec3 *vertices;
    uint32_t *indices;
    uint32_t vertex_count, index_count;
} grid_writer;

static uint32_t border_count(uint32_t n, uint32_t m) { return 2 * (n - 1) + 2 * (m - 1); }

/* Vertex k of the border, in the direction in which the surface runs along it: counter-clockwise seen from above. */
static uint32_t border_vertex(const grid_writer *w, uint32_t k)
{
    const uint32_t n = w->n - 1, m = w->m - 1;
    uint32_t i, j;
    k %= border_count(w->n, w->m);
    if (k < m) {
        i = 0;
        j = k;
    } else if (k < m + n) {
        i = k - m;
        j = m;
    } else if (k < 2 * m + n) {
        i = n;
        j = 2 * m + n - k;
    } else {
        i = 2 * (m + n) - k;
        j = 0;
    }
    return i * w->m + j;
}

static void add_triangle(grid_writer *w, uint32_t a, uint32_t b, uint32_t c)
{
    w->indices[w->index_count++] = a;
    w->indices[w->index_count++] = b;
    w->indices[w->index_count++] = c;
}

static void write_surface(grid_writer *w, const tact_heightfield_def *def)
{
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t j = 0; j < w->m; j++)
            w->vertices[w->vertex_count++] =
                vec_make(i * def->spacing[0], height_at(def, (size_t)i * w->m + j), j * def->spacing[1]);
    for (uint32_t i = 0; i + 1 < w->n; i++)
        for (uint32_t j = 0; j + 1 < w->m; j++) {
            const uint32_t a = i * w->m + j, b = a + w->m;
            add_triangle(w, a, a + 1, b + 1);
            add_triangle(w, a, b + 1, b);
        }
}

static void write_walls(grid_writer *w, const tact_heightfield_def *def, double bottom)
{
    const uint32_t count = border_count(w->n, w->m), first = w->vertex_count, middle = first + count;
    for (uint32_t k = 0; k < count; k++) {
        const tact_vec3 p = w->vertices[border_vertex(w, k)];
        w->vertices[w->vertex_count++] = vec_make(p.x, bottom, p.z);
    }
    w->vertices[w->vertex_count++] =
        vec_make(0.5 * ((w->n - 1) * def->spacing[0]), bottom, 0.5 * ((w->m - 1) * def->spacing[1]));
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t p = border_vertex(w, k), q = border_vertex(w, k + 1);
        const uint32_t below_p = first + k, below_q = first + (k + 1) % count;
        add_triangle(w, q, p, below_p);
        add_triangle(w, q, below_p, below_q);
        add_triangle(w, below_q, below_p, middle);
    }
}

tact_shape *tact_heightfield_create(const tact_heightfield_def *def, tact_report *report)
{
    double bottom;
    if (def == NULL) {
        (void)reject(report, "the def is NULL");
        return NULL;
    }
    if (!check(def, &bottom, report))
        return NULL;
    grid_writer w = {.n = (uint32_t)def->counts[0], .m = (uint32_t)def->counts[1]};
    const size_t border = border_count(w.n, w.m), vertices = (size_t)w.n * w.m + border + 1,
                 indices = 3 * (2 * (size_t)(w.n - 1) * (w.m - 1) + 3 * border);
    w.vertices = tact_memory_allocate(&def->allocator, vertices, sizeof *w.vertices);
    w.indices = tact_memory_allocate(&def->allocator, indices, sizeof *w.indices);
    tact_shape *shape = NULL;
    if (w.vertices != NULL && w.indices != NULL) {
        write_surface(&w, def);
        write_walls(&w, def, bottom);
        tact_mesh_def closed = tact_mesh_def_default();
        closed.vertices = (tact_vertices){w.vertices, vertices, sizeof *w.vertices, TACT_SCALAR_DOUBLE};
        closed.indices = w.indices;
        closed.index_count = indices;
        closed.solid = true;
        closed.margin = def->margin;
        closed.allocator = def->allocator;
        shape = tact_mesh_create_without_overlay(&closed, report);
    } else {
        (void)tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory");
    }
    tact_memory_free(&def->allocator, w.vertices, vertices, sizeof *w.vertices);
    tact_memory_free(&def->allocator, w.indices, indices, sizeof *w.indices);
    if (shape != NULL)
        shape->mesh->heightfield =
            (heightfield_grid){.counts = {w.n, w.m}, .spacing = {def->spacing[0], def->spacing[1]}};
    return shape;
}

tact_shape *tact_heightfield(size_t count_x, size_t count_z, double spacing_x, double spacing_z, const double *heights)
{
    tact_heightfield_def def = tact_heightfield_def_default();
    def.counts[0] = count_x;
    def.counts[1] = count_z;
    def.spacing[0] = spacing_x;
    def.spacing[1] = spacing_z;
    def.heights = heights;
    return tact_heightfield_create(&def, NULL);
}
