/*
 * `tact-bench mesh`. Overlap of two tori of 5,000 triangles in random configurations of which about 63 % overlap,
 * against FCL with OBBRSS and with AABB (on fewer configurations: it is slow), interleaved. Every answer is compared
 * with model_oracle.c. Tact also runs with the AABB tree only, without OBB overlay, as a deforming mesh does.
 *
 * A torus of 100,000 triangles: building and refitting the AABB tree, and creating a whole mesh, against FCL's AABB
 * tree, one thread, interleaved. It checks node by node that a mesh has the very tree that was timed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/mesh.h>
#include <tact/query.h>

#include "exact/triangle.h"
#include "math/vec.h"
#include "mesh_runner.h"
#include "model_triangle.h"
#include "shape/mesh.h"
#include "stopwatch.h"
#include "suite.h"
#include "table.h"

#define OVERLAP_SHARE 0.63 /* of the configurations overlap */
#define TEST_GOAL 3.0      /* times as fast as FCL's OBBRSS */
#define TREE_GOAL 4.0      /* times as fast as FCL's AABB */
#define MIN_TESTS 5        /* configurations per library */

/* Configurations timed at once before another library runs. The cache misses at the start of a block are part of the
 * time: Tact takes some 2.3 us per test alone, 2.6 in blocks of 1,000 and 3.3 in blocks of 100; with the AABB tree
 * only 4.5, 4.8 and 6.0; FCL OBBRSS 16 in all. */
#define PAIRS_PER_BLOCK 1000

typedef struct overlay_state {
    tact_shape *shape;
    const model_pair *pairs;
} overlay_state;

static void overlay_finish(void *opaque)
{
    overlay_state *state = opaque;
    tact_shape_release(state->shape);
    free(state);
}

static void *overlay_create(const model *m, const model_pair *pairs, int count)
{
    (void)count;
    overlay_state *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    state->pairs = pairs;
    state->shape = tact_model_shape(m);
    if (state->shape)
        return state;
    overlay_finish(state);
    return NULL;
}

static void overlay_run(void *opaque, int begin, int end, unsigned char *answers)
{
    const overlay_state *state = opaque;
    for (int i = begin; i < end; i++) {
        tact_overlap v = tact_shapes_overlap(state->shape, state->pairs[i].a, state->shape, state->pairs[i].b, NULL);
        answers[i] = (unsigned char)(v.status != TACT_OK ? 2 : v.state == TACT_HIT);
    }
}

static const mesh_runner with_overlay = {"Tact", overlay_create, overlay_run, overlay_finish};

/* ---- AABB tree only ---- */

typedef struct aabb_state {
    const model *m;
    const model_pair *pairs, *at;
    aabb_tree tree;
    double max_squared_distance; /* of the origins; beyond, the bounding spheres are separated */
    uint32_t last_a, last_b;
    tact_vec3 a[3], b[3];
} aabb_state;

static void aabb_finish(void *opaque)
{
    aabb_state *state = opaque;
    tact_aabb_tree_release(&state->tree);
    free(state);
}

static void *aabb_create(const model *m, const model_pair *pairs, int count)
{
    (void)count;
    aabb_state *state = calloc(1, sizeof *state);
    box *boxes = malloc(m->triangle_count * sizeof *boxes);
    aabb_tree_def def = aabb_tree_def_default();
    bool done = state && boxes;
    if (done) {
        state->m = m;
        state->pairs = pairs;
        state->max_squared_distance = 4.0 * pow(tact_model_radius(m) * (1.0 + 1e-9), 2.0);
        tact_boxes_of_triangles(m->vertices, (const uint32_t(*)[3])m->triangles, m->triangle_count, boxes);
        done = tact_aabb_tree_build(&state->tree, boxes, m->triangle_count, &def) == TACT_OK;
    }
    free(boxes);
    if (done)
        return state;
    if (state)
        aabb_finish(state);
    return NULL;
}

static bool aabb_visit(void *opaque, uint32_t a, uint32_t b)
{
    aabb_state *state = opaque;
    if (a != state->last_a)
        model_triangle(state->m, &state->at->a, state->last_a = a, state->a);
    if (b != state->last_b)
        model_triangle(state->m, &state->at->b, state->last_b = b, state->b);
    return !tact_triangles_intersect(state->a, state->b);
}

static void aabb_run(void *opaque, int begin, int end, unsigned char *answers)
{
    aabb_state *state = opaque;
    for (int i = begin; i < end; i++) {
        state->at = &state->pairs[i];
        state->last_a = state->last_b = UINT32_MAX;
        answers[i] =
            vec_length_squared(vec_sub(state->at->a.origin, state->at->b.origin)) <= state->max_squared_distance &&
            !tact_aabb_tree_pairs(&state->tree, &state->at->a, &state->tree, &state->at->b, SAT_FACE_AXES,
                                  TREE_NEAREST_CENTRES_FIRST, aabb_visit, state);
    }
}

static const mesh_runner aabb_only = {"Tact, AABB tree only", aabb_create, aabb_run, aabb_finish};

/* ---- the race ---- */

static const struct {
    const mesh_runner *runner;
    int divisor; /* one configuration in this many is tested */
} runners[] = {{&with_overlay, 1},
               {&aabb_only, 1},
#ifdef TACT_HAVE_FCL
               {&tact_mesh_fcl_obbrss, 1},
               {&tact_mesh_fcl_aabb, 100}
#endif
};

enum { FCL_OBBRSS = 2, RUNNERS = sizeof runners / sizeof runners[0] };

typedef struct mesh_result {
    double ns;
    int count;
    long wrong;
} mesh_result;

static int blocks_of(int count) { return (count + PAIRS_PER_BLOCK - 1) / PAIRS_PER_BLOCK; }

/* Runs all libraries over the configurations `rounds` times, interleaved by blocks. A library with fewer configurations
 * skips the last blocks. */
static bool race(const model *m, const model_pair *pairs, const unsigned char *expected, int count, int rounds,
                 mesh_result *results)
{
    unsigned char *answers = calloc((size_t)RUNNERS * (size_t)count, 1);
    void *states[RUNNERS] = {NULL};
    laps l = {0};
    bool done = answers && tact_laps_create(&l, RUNNERS, blocks_of(count), rounds);
    for (int r = 0; done && r < RUNNERS; r++) {
        int share = count / runners[r].divisor;
        results[r] = (mesh_result){.count = share < MIN_TESTS ? MIN_TESTS : share};
        states[r] = runners[r].runner->create(m, pairs, results[r].count);
        done = states[r] != NULL;
    }
    for (int round = 0; done && round < rounds; round++) {
        for (int block = 0; block < blocks_of(count); block++) {
            for (int r = 0; r < RUNNERS; r++) {
                int begin = block * PAIRS_PER_BLOCK, end = begin + PAIRS_PER_BLOCK;
                end = end < results[r].count ? end : results[r].count;
                if (begin >= end)
                    continue; /* skipped blocks count 0 ns */
                double before = tact_stopwatch_now();
                runners[r].runner->run(states[r], begin, end, answers + (size_t)r * (size_t)count);
                tact_laps_record(&l, r, block, round, tact_stopwatch_now() - before);
            }
        }
    }
    for (int r = 0; r < RUNNERS; r++) {
        for (int i = 0; done && i < results[r].count; i++)
            results[r].wrong += answers[(size_t)r * (size_t)count + (size_t)i] != expected[i];
        if (done)
            results[r].ns = tact_laps_median(&l, r) / results[r].count;
        if (states[r])
            runners[r].runner->finish(states[r]);
    }
    tact_laps_release(&l);
    free(answers);
    return done;
}

static bool race_tests(const suite *s)
{
    int count = suite_size(s, 10000, 500, 20), rounds = suite_size(s, 5, 3, 1);
    model m;
    if (!tact_model_torus(&m, 50, 50))
        return false;
    double side = 0.0;
    tact_shape *shape = tact_model_shape(&m);
    model_pair *pairs =
        shape ? tact_model_pairs(shape, tact_model_radius(&m), OVERLAP_SHARE, count, s->seed, &side) : NULL;
    unsigned char *expected = malloc((size_t)count);
    model_oracle oracle = {0};
    mesh_result results[RUNNERS];
    long hits = 0;
    bool done = pairs && expected && tact_model_oracle_create(&oracle, &m);
    for (int i = 0; done && i < count; i++) {
        expected[i] = tact_model_oracle_overlap(&oracle, &pairs[i]);
        hits += expected[i];
    }
    done = done && race(&m, pairs, expected, count, rounds, results);
    if (done) {
        *s->wrong += results[0].wrong + results[1].wrong;
        json_t *table =
            tact_table_begin("Mesh-mesh overlap: two tori of 5,000 triangles",
                             "library|us per test|times Tact|FCL OBBRSS / it|goal|met|configurations|wrong");
        double fcl = RUNNERS > FCL_OBBRSS ? results[RUNNERS > FCL_OBBRSS ? FCL_OBBRSS : 0].ns : NAN;
        for (int r = 0; r < RUNNERS; r++) {
            double ratio = fcl / results[r].ns;
            bool goal = r < FCL_OBBRSS && RUNNERS > FCL_OBBRSS;
            tact_table_row(table, "sffffsdd", runners[r].runner->name, results[r].ns / 1e3,
                           results[r].ns / results[0].ns, ratio, goal ? TEST_GOAL : NAN,
                           tact_table_met(ratio, goal ? TEST_GOAL : NAN), (long)results[r].count, results[r].wrong);
        }
        tact_table_note(table,
                        "%ld of %d configurations overlap (%.1f %%). Median of %d interleaved rounds. Every answer is "
                        "compared with an oracle without a tree and with its own triangle test, in long double; it "
                        "left %ld configurations to the library's exact test.",
                        hits, count, 100.0 * (double)hits / count, rounds, oracle.undecided);
        if (RUNNERS <= FCL_OBBRSS)
            tact_table_note(table, "FCL was not found when tact-bench was built.");
        tact_table_note(table, "Measured on a 2.8 GHz Xeon, not in this run: SOLID 3 13.5, Coal OBBRSS 14.1, FCL "
                               "OBBRSS 19.1, FCL AABB 6490.");
        done = tact_table_end(s, "mesh_overlap", table);
    }
    tact_model_oracle_release(&oracle);
    free(expected);
    free(pairs);
    tact_shape_release(shape);
    tact_model_release(&m);
    return done;
}

/* ---- building and refitting ---- */

/* One round: lowers each time of `c` to that of this round. `same`: whether the tree of a mesh equals the timed one.
 * `boxes`: scratch, one per triangle. */
static void measure_tact(const model *m, const tact_vec3 *moved, box *boxes, mesh_cost *c, double *overlay_bytes,
                         bool *same)
{
    const uint32_t(*triangles)[3] = (const uint32_t(*)[3])m->triangles;
    const double count = (double)m->triangle_count;
    aabb_tree tree;
    memset(&tree, 0, sizeof tree);
    aabb_tree_def def = aabb_tree_def_default();
    double before = tact_stopwatch_now();
    tact_boxes_of_triangles(m->vertices, triangles, m->triangle_count, boxes);
    c->completed = tact_aabb_tree_build(&tree, boxes, m->triangle_count, &def) == TACT_OK;
    c->tree = fmin(c->tree, tact_stopwatch_now() - before);
    for (int again = 0; c->completed && again < 3; again++) {
        before = tact_stopwatch_now();
        tact_boxes_of_triangles(moved, triangles, m->triangle_count, boxes);
        tact_aabb_tree_refit(&tree, boxes);
        c->refit = fmin(c->refit, tact_stopwatch_now() - before);
    }
    before = tact_stopwatch_now();
    tact_shape *shape = tact_model_shape(m);
    c->whole_mesh = fmin(c->whole_mesh, tact_stopwatch_now() - before);
    c->completed = c->completed && shape;
    if (c->completed) {
        c->bytes = (double)tree.node_count * (sizeof *tree.nodes + sizeof *tree.bounds) / count;
        c->mesh_bytes = ((double)tact_mesh_get_size(shape).bytes - (double)(m->vertex_count * sizeof *m->vertices) -
                         (double)(m->triangle_count * sizeof *m->triangles)) /
                        count;
        const obb_overlay *overlay = mesh_overlay(shape->mesh);
        *overlay_bytes = overlay ? (double)overlay->node_count * sizeof *overlay->nodes / count : 0.0;
        *same = *same && shape->mesh->tree.node_count == tree.node_count &&
                memcmp(shape->mesh->tree.nodes, tree.nodes, tree.node_count * sizeof *tree.nodes) == 0;
    }
    tact_shape_release(shape);
    tact_aabb_tree_release(&tree);
}

static void add_row(json_t *table, const char *what, double tact_cost, double fcl_cost, bool goal)
{
    double least = goal ? TREE_GOAL : NAN;
    tact_table_row(table, "sffffs", what, tact_cost / 1e6, fcl_cost / 1e6, fcl_cost / tact_cost, least,
                   tact_table_met(fcl_cost / tact_cost, least));
}

static bool race_trees(const suite *s)
{
    int rounds = suite_size(s, 7, 3, 1);
    model m;
    if (!tact_model_torus(&m, 250, suite_size(s, 200, 20, 4)))
        return false;
    tact_vec3 *moved = malloc(m.vertex_count * sizeof *moved);
    box *boxes = malloc(m.triangle_count * sizeof *boxes);
    bool done = moved && boxes;
    for (size_t i = 0; done && i < m.vertex_count; i++) {
        tact_vec3 p = m.vertices[i];
        moved[i] = vec_make(p.x + 0.1 * sin(p.y), p.y + 0.1 * sin(p.z), p.z + 0.1 * sin(p.x));
    }
    bool same = true;
    double overlay_bytes = 0.0;
    mesh_cost tact_cost = {INFINITY, INFINITY, INFINITY, -1.0, -1.0, done},
              fcl_cost = {NAN, NAN, NAN, -1.0, -1.0, done};
    for (int round = 0; tact_cost.completed && fcl_cost.completed && round < rounds; round++) {
        measure_tact(&m, moved, boxes, &tact_cost, &overlay_bytes, &same);
#ifdef TACT_HAVE_FCL
        tact_mesh_cost_fcl(&m, moved, &fcl_cost);
#endif
    }
    done = done && tact_cost.completed && fcl_cost.completed;
    if (done) {
        *s->wrong += !same;
        char title[96];
        (void)snprintf(title, sizeof title, "AABB tree over %zu triangles (ms, one thread)", m.triangle_count);
        json_t *table = tact_table_begin(title, "operation|Tact|FCL AABB|ratio|goal|met");
        add_row(table, "build the AABB tree", tact_cost.tree, fcl_cost.tree, true);
        add_row(table, "refit the AABB tree", tact_cost.refit, fcl_cost.refit, true);
        add_row(table, "create a whole mesh with OBB overlay", tact_cost.whole_mesh, fcl_cost.whole_mesh, false);
        tact_table_note(table,
                        "The goals are for the AABB tree: a deforming mesh has no other, and \"Tact, AABB tree only\" "
                        "above uses no other. It is %s that a mesh has, node by node: %.1f bytes per triangle.",
                        same ? "the one" : "NOT the one", tact_cost.bytes);
        tact_table_note(table,
                        "The whole mesh, which \"Tact\" above uses, has no goal: it also copies vertices and indices, "
                        "finds connected components and builds the OBB overlay (%.1f bytes per triangle more). All but "
                        "vertices and indices: %.1f bytes per triangle.",
                        overlay_bytes, tact_cost.mesh_bytes);
        tact_table_note(
            table,
            "Fastest of %d interleaved rounds. Build starts from vertices and triangles, refit from new vertices.",
            rounds);
        tact_table_note(table,
                        "Measured on a 2.8 GHz Xeon, not in this run, 100,000 triangles: build Box3D 19, SOLID 3 24, "
                        "Embree 25, FCL AABB 75; refit madmann91/bvh 2.7, SOLID 3 3.1, FCL 6.5.");
        done = tact_table_end(s, "mesh_trees", table);
    }
    free(boxes);
    free(moved);
    tact_model_release(&m);
    return done;
}

bool tact_bench_mesh(const suite *s) { return race_tests(s) && race_trees(s); }
