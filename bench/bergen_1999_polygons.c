/*
 * van den Bergen 1999, section 3.2: intersection of two non-convex polygons in space. The straightforward method tests
 * every edge of each polygon against the other: O(n^2). The scan goes once over the intervals that both polygons have
 * on the intersection line of their planes: O(n), or O(n log n) with the sort. The thesis gives no figures.
 *
 * The polygons are stars of n vertices in random planes. Answers are compared with triangle_oracle.h on every pair of
 * triangles of the library's triangulation.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bergen_1999.h"
#include "math/vec.h"
#include "polygon.h"
#include "shape/triangulate.h"
#include "stopwatch.h"
#include "support/random.h"
#include "table.h"
#include "triangle_oracle.h"

static const tact_allocator plain = {0};

typedef struct star_polygon {
    polygon p;
    tact_vec3 *vertices;
    uint32_t *indices;
    vertex_index_array triangles;
} star_polygon;

static void star_release(star_polygon *t)
{
    free(t->vertices);
    free(t->indices);
    vertex_index_array_release(&t->triangles, &plain);
}

static bool star_create(star_polygon *t, uint32_t size, random_source *random)
{
    memset(t, 0, sizeof *t);
    t->vertices = malloc(size * sizeof *t->vertices);
    t->indices = malloc((size + 1) * sizeof *t->indices);
    if (!t->vertices || !t->indices)
        return false;
    tact_vec3 n = random_direction(random), e, f;
    vec_tangent_basis(n, &e, &f);
    tact_vec3 centre = vec_scale(random_direction(random), 0.9 * random_unit(random));
    for (uint32_t i = 0; i < size; ++i) {
        /* every other vertex is nearer to the centre: spikes, so that a plane cuts many edges */
        double angle = 6.283185307179586 * (i + 0.3 * random_unit(random)) / size;
        double r = i % 2 == 0 ? random_range(random, 0.7, 1.0) : random_range(random, 0.15, 0.6);
        t->vertices[i] = vec_mul_add(vec_mul_add(centre, r * cos(angle), e), r * sin(angle), f);
        t->indices[i] = i;
    }
    t->indices[size] = size; /* size of the only loop */
    t->p = (polygon){.vertices = t->vertices,
                     .indices = t->indices,
                     .loop_sizes = t->indices + size,
                     .loop_count = 1,
                     .index_count = size};
    if (tact_polygon_triangulate(t->vertices, t->indices, t->p.loop_sizes, 1, &plain, &t->triangles) != TACT_OK)
        return false;
    t->p.triangles = t->triangles.items;
    t->p.triangle_count = (uint32_t)(t->triangles.count / 3);
    tact_polygon_plane(&t->p);
    return true;
}

enum { EDGES, SCAN, EXACT, METHODS };

static bool run_method(int method, const polygon *a, const polygon *b, polygon_scratch *scratch)
{
    bool cross = false;
    if (method == EDGES)
        return tact_polygons_intersect_by_edges(a, b);
    if (method == SCAN)
        return tact_polygons_intersect_by_scan(a, b, &plain, scratch, &cross) == TACT_OK && cross;
    return tact_polygons_overlap(a, b);
}

static void triangle_of(const polygon *p, uint32_t i, tact_vec3 triangle[3])
{
    for (uint32_t k = 0; k < 3; ++k)
        triangle[k] = p->vertices[p->triangles[3 * i + k]];
}

/* Is a below b along a coordinate axis? Spares the oracle most pairs. */
static bool separated_by_box(const tact_vec3 a[3], const tact_vec3 b[3])
{
    return fmax(a[0].x, fmax(a[1].x, a[2].x)) < fmin(b[0].x, fmin(b[1].x, b[2].x)) ||
           fmax(a[0].y, fmax(a[1].y, a[2].y)) < fmin(b[0].y, fmin(b[1].y, b[2].y)) ||
           fmax(a[0].z, fmax(a[1].z, a[2].z)) < fmin(b[0].z, fmin(b[1].z, b[2].z));
}

static triangle_overlap oracle_overlap(const polygon *a, const polygon *b)
{
    triangle_overlap overlap = TRIANGLES_APART;
    for (uint32_t i = 0; i < a->triangle_count; ++i) {
        tact_vec3 p[3], q[3];
        triangle_of(a, i, p);
        for (uint32_t k = 0; k < b->triangle_count; ++k) {
            triangle_of(b, k, q);
            triangle_overlap v =
                separated_by_box(p, q) || separated_by_box(q, p) ? TRIANGLES_APART : tact_triangle_oracle(p, q);
            if (v == TRIANGLES_OVERLAP)
                return v;
            overlap = v == TRIANGLES_UNDECIDED ? v : overlap;
        }
    }
    return overlap;
}

static bool measure(const suite *s, uint32_t size, json_t *table)
{
    int count = suite_size(s, 40000, 20000, 500) / (int)(size + 20), rounds = suite_size(s, 25, 7, 1);
    random_source random = random_seed(s->seed + size);
    star_polygon *stars = calloc(2 * (size_t)count, sizeof *stars);
    unsigned char *answers = calloc((size_t)count * METHODS, 1);
    bool done = stars && answers;
    for (int i = 0; done && i < 2 * count; i++)
        done = star_create(&stars[i], size, &random);
    polygon_scratch scratch = {0};
    double ns[METHODS];
    long wrong[METHODS] = {0}, hits = 0, undecided = 0;
    for (int m = 0; done && m < METHODS; m++) {
        ns[m] = INFINITY;
        for (int round = 0; round < rounds; round++) {
            double before = tact_stopwatch_now();
            for (int i = 0; i < count; i++)
                answers[m * count + i] = run_method(m, &stars[2 * i].p, &stars[2 * i + 1].p, &scratch);
            ns[m] = fmin(ns[m], (tact_stopwatch_now() - before) / count);
        }
    }
    for (int i = 0; done && i < count; i++) {
        triangle_overlap overlap = oracle_overlap(&stars[2 * i].p, &stars[2 * i + 1].p);
        hits += overlap == TRIANGLES_OVERLAP;
        undecided += overlap == TRIANGLES_UNDECIDED;
        for (int m = 0; overlap != TRIANGLES_UNDECIDED && m < METHODS; m++)
            wrong[m] += answers[m * count + i] != (overlap == TRIANGLES_OVERLAP);
    }
    *s->wrong += wrong[EXACT];
    if (done)
        tact_table_row(table, "ddffffffdddd", (long)size, (long)count, 100.0 * (double)hits / count, ns[EDGES],
                       ns[SCAN], ns[EDGES] / ns[SCAN], ns[SCAN] / size, ns[EXACT], wrong[EDGES], wrong[SCAN],
                       wrong[EXACT], undecided);
    tact_polygon_scratch_release(&scratch, &plain);
    for (int i = 0; stars && i < 2 * count; i++)
        star_release(&stars[i]);
    free(stars);
    free(answers);
    return done;
}

bool tact_bergen_1999_polygons(const suite *s)
{
    static const uint32_t sizes[] = {4, 8, 16, 32, 64, 128, 256, 512, 1024};
    json_t *table =
        tact_table_begin("Section 3.2: intersection of two star-shaped polygons, by edges and by scan",
                         "vertices|pairs|hits %|by edges ns|by scan ns|ratio|scan ns per vertex|exact ns|edges wrong|"
                         "scan wrong|exact wrong|undecided");
    bool done = true;
    for (size_t k = 0; done && k < sizeof sizes / sizeof sizes[0]; k++) {
        if ((int)sizes[k] <= suite_size(s, 1024, 128, 16))
            done = measure(s, sizes[k], table);
    }
    tact_table_note(
        table,
        "Exact: every pair of triangles. By edges and by scan: the methods of the thesis, in doubles. Wrong: differs "
        "from an oracle in long double on the same triangles. Undecided: pairs that the oracle cannot decide.");
    tact_table_plot(table, "ns per pair", 0, 1u << 3 | 1u << 4 | 1u << 7, -1);
    return tact_table_end(s, "polygons", table) && done;
}
