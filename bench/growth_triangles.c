/*
 * `tact-bench triangles`: cost of building, refitting and testing the trees of two tori against the number of
 * triangles, in time and bytes per triangle. All sizes use the same configurations, of which about 65 % overlap. The
 * first of them, fewer for larger tori, are compared with model_oracle.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/mesh.h>
#include <tact/query.h>

#include "byte_counter.h"
#include "math/vec.h"
#include "model.h"
#include "stopwatch.h"
#include "suite.h"
#include "table.h"
#include "tree/aabb_tree.h"

#define MAX_CHECKED_TRIANGLES 2000000 /* triangles times checked configurations: some seconds per size */
#define MAX_ORACLE_TRIANGLES 1000000  /* of a torus; beyond, the oracle would need gigabytes */
#define CUBE 20.0                     /* side of the cube of the centres: 65 % of the configurations overlap */

typedef struct mesh_growth {
    double build, refit, whole_mesh, test, hits;
    double tree_bytes, mesh_bytes, peak_bytes; /* per triangle; peak: while building */
    long checked, wrong;                       /* configurations */
} mesh_growth;

static bool measure_tree(const model *m, int rounds, mesh_growth *o)
{
    const uint32_t(*triangles)[3] = (const uint32_t(*)[3])m->triangles;
    size_t n = m->triangle_count;
    box *boxes = malloc(n * sizeof *boxes);
    byte_counter memory = {0};
    aabb_tree tree;
    memset(&tree, 0, sizeof tree);
    aabb_tree_def def = aabb_tree_def_default();
    def.allocator = byte_counter_allocator(&memory);
    bool done = boxes != NULL;
    o->build = o->refit = INFINITY;
    for (int round = 0; done && round < rounds; round++) {
        tact_aabb_tree_release(&tree);
        double before = tact_stopwatch_now();
        tact_boxes_of_triangles(m->vertices, triangles, n, boxes);
        done = tact_aabb_tree_build(&tree, boxes, n, &def) == TACT_OK;
        o->build = fmin(o->build, (tact_stopwatch_now() - before) / (double)n);
        before = tact_stopwatch_now();
        tact_boxes_of_triangles(m->vertices, triangles, n, boxes);
        tact_aabb_tree_refit(&tree, boxes);
        o->refit = fmin(o->refit, (tact_stopwatch_now() - before) / (double)n);
    }
    o->tree_bytes = (double)memory.current / (double)n;
    o->peak_bytes = (double)memory.peak / (double)n + sizeof *boxes;
    tact_aabb_tree_release(&tree);
    free(boxes);
    return done;
}

static bool measure_tests(const model *m, const model_pair *pairs, int count, int rounds, mesh_growth *o)
{
    double before = tact_stopwatch_now();
    tact_shape *shape = tact_model_shape(m);
    o->whole_mesh = (tact_stopwatch_now() - before) / (double)m->triangle_count;
    if (!shape)
        return false;
    o->mesh_bytes = (double)tact_mesh_get_size(shape).bytes / (double)m->triangle_count;
    o->test = INFINITY;
    unsigned char *answers = calloc((size_t)count, 1);
    model_oracle oracle = {0};
    long checked = m->triangle_count > MAX_ORACLE_TRIANGLES ? 0 : (long)(MAX_CHECKED_TRIANGLES / m->triangle_count);
    o->checked = checked < count ? checked : count;
    if (!answers || (o->checked > 0 && !tact_model_oracle_create(&oracle, m))) {
        free(answers);
        tact_shape_release(shape);
        return false;
    }
    for (int round = 0; round < rounds; round++) {
        int hits = 0;
        before = tact_stopwatch_now();
        for (int i = 0; i < count; i++)
            hits += answers[i] = tact_shapes_overlap(shape, pairs[i].a, shape, pairs[i].b, NULL).state == TACT_HIT;
        o->test = fmin(o->test, (tact_stopwatch_now() - before) / count);
        o->hits = 100.0 * hits / count;
    }
    for (int i = 0; i < o->checked; i++)
        o->wrong += answers[i] != tact_model_oracle_overlap(&oracle, &pairs[i]);
    tact_model_oracle_release(&oracle);
    free(answers);
    tact_shape_release(shape);
    return true;
}

bool tact_bench_growth_triangles(const suite *s)
{
    static const int around[] = {100, 250, 1000, 2500}, across[] = {50, 200, 500, 2000};
    int count = suite_size(s, 2000, 200, 5);
    json_t *table =
        tact_table_begin("Growth: trees over triangles (ns and bytes per triangle; us per test of two tori)",
                         "triangles|build|refit|whole mesh|test us|hits %|tree bytes|mesh bytes|"
                         "peak bytes of build|checked|wrong");
    model_pair *pairs = tact_model_pairs_in(CUBE, count, s->seed);
    bool done = pairs != NULL;
    for (size_t k = 0; done && k < sizeof around / sizeof around[0]; k++) {
        if ((int)k > suite_size(s, s->large ? 3 : 2, 1, 0))
            break;
        model m;
        done = tact_model_torus(&m, around[k], across[k]);
        mesh_growth o = {0};
        int rounds = s->quick ? 1 : k < 2 ? 9 : k < 3 ? 3 : 2;
        done = done && measure_tree(&m, rounds, &o) && measure_tests(&m, pairs, count, rounds, &o);
        *s->wrong += o.wrong;
        if (done)
            tact_table_row(table, "dffffffffdd", (long)m.triangle_count, o.build, o.refit, o.whole_mesh, o.test / 1e3,
                           o.hits, o.tree_bytes, o.mesh_bytes, o.peak_bytes, o.checked, o.wrong);
        tact_model_release(&m);
    }
    free(pairs);
    tact_table_note(table, "Build and refit start from the vertices; fastest of several. A whole mesh also copies "
                           "vertices and indices, finds connected components and builds the OBB overlay. Checked: "
                           "configurations compared with the oracle. `tact-bench growth` goes to 10,000,000.");
    tact_table_plot(table, "ns per triangle; us per test; bytes per triangle", 0, 1u << 1 | 1u << 2 | 1u << 4 | 1u << 6,
                    -1);
    return tact_table_end(s, "growth_triangles", table) && done;
}
