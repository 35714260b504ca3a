/*
 * `tact-bench hutter-fuhrmann-2007`: the experiment of Hutter and Fuhrmann 2007, section 5. Three scenes of many layers
 * of cloth (examples/cloth). Every iteration of tact_step_resolve in a measured frame is searched by four methods:
 *
 *     swept       bounds around both ends of a triangle's motion, triangles only: the paper's "default"
 *     features    the same for vertices, edges and triangles: the paper's "primitive bounding volumes"
 *     marking     the same, but after the first iteration only what has changed: the paper's "modification marking"
 *     moving      linearly moving bounds, for features too, with marking: the library's method
 *
 * Counted are the feature pairs that reach the exact test and those that collide; all methods must find the same. One
 * thread. The trees are the same, built at the start and every REBUILD_INTERVAL frames, and so are the exact tests, so
 * only the bounds differ. The static phase is not measured. Some frames of the whole run are measured, the first with
 * all cloth in the air; the frames between are only simulated, on all threads. The paper's figures are in milliseconds
 * on a 2 GHz Pentium in Java and are lost in the scan; only the ratios in its text can be compared.
 *
 * A second table compares methods to test each feature pair once (pair_dedup.h) in the full searches, two per frame.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/cloth/scenes.h"
#include "pair_dedup.h"
#include "step/step_find.h"
#include "stopwatch.h"
#include "suite.h"
#include "sweep/sweep.h"
#include "table.h"

#define REBUILD_INTERVAL                                                                                               \
    20 /* frames: as often as tact_step_resolve rebuilds for crumpling cloth (step/step_find.c)                        \
        */

enum { SWEPT, FEATURES, MARKING, MOVING, METHODS };

static const struct method {
    const char *name;
    sweep_bounds bounds;
    bool uses_marks;
} methods[METHODS] = {{"swept bounds", SWEEP_SWEPT_ITEMS, false},
                      {"feature bounds", SWEEP_SWEPT, false},
                      {"with marking", SWEEP_SWEPT, true},
                      {"moving bounds", SWEEP_MOVING, true}};

static const char *const dedup_names[DEDUP_METHODS] = {"none", "stored pairs", "feature assignment"};

typedef struct sweep_cost {
    double tests, contacts, ns, max_ns;           /* max_ns: of one frame */
    double frame_tests, frame_contacts, frame_ns; /* of the current frame */
} sweep_cost;

typedef struct cloth_bench {
    mesh_sweep *sweeps[METHODS];
    sweep_cost costs[METHODS];
    mesh_sweep *dedup_sweep; /* moving bounds, without vertex fans (sweep/vertex_fans.c): its tree has all pairs */
    pair_dedup *dedup;       /* on that tree */
    dedup_cost dedup_costs[DEDUP_METHODS];
    double rounds, frame_rounds, full_searches; /* full_searches: those of the whole scene */
    int frames;                                 /* measured */
    bool rebuild;                               /* rebuild the trees before the next full search */
    bool failed;
    long wrong;
} cloth_bench;

/* Runs all deduplication methods on a full search. All must find `found` contacts; without deduplication at least that
 * many. */
static void search_dedup(cloth_bench *c, const step_scene *scene, size_t found)
{
    static const tact_parallel alone = {.threads = 1};
    sweep_step step = sweep_step_default();
    step.start = scene->from.items;
    step.end = scene->to.items;
    step.parallel = &alone;
    c->failed = tact_mesh_sweep_run(c->dedup_sweep, &step) != TACT_OK; /* updates its bounds to this step */
    c->wrong += !c->failed && tact_mesh_sweep_count(c->dedup_sweep) != found;
    ++c->full_searches;
    for (int i = 0; i < DEDUP_METHODS && !c->failed; i++) {
        const double before = c->dedup_costs[i].contacts;
        c->failed =
            !tact_pair_dedup_search(c->dedup, scene->from.items, scene->to.items, (dedup_method)i, &c->dedup_costs[i]);
        const double contacts = c->dedup_costs[i].contacts - before;
        c->wrong += i == DEDUP_NONE ? contacts < (double)found : contacts != (double)found;
    }
}

/* Builds all trees on the current positions. */
static bool build_trees(cloth_bench *c, const step_scene *scene)
{
    tact_pair_dedup_release(c->dedup);
    c->dedup = NULL;
    for (int i = 0; i <= METHODS; i++) {
        mesh_sweep **made = i < METHODS ? &c->sweeps[i] : &c->dedup_sweep;
        sweep_part parts[2 * CLOTH_MAX];
        size_t count = 0;
        for (size_t k = 0; k < scene->parts.count; k++) /* all obstacles form one part */
            if (k + 1 >= scene->obstacle_count)
                parts[count++] = (sweep_part){scene->parts.items[k].end_vertex, !scene->parts.items[k].deformable};
        sweep_def def = sweep_def_default();
        def.vertices = scene->from.items;
        def.vertex_count = scene->from.count;
        def.triangles = (const uint32_t(*)[3])scene->faces.items;
        def.triangle_count = scene->faces.count;
        def.parts = parts;
        def.part_count = count;
        def.remeshable = i == METHODS;
        tact_mesh_sweep_release(*made);
        *made = NULL;
        if (tact_mesh_sweep_create(made, &def) != TACT_OK)
            return false;
    }
    c->dedup = tact_pair_dedup_create(c->dedup_sweep);
    return c->dedup != NULL;
}

/* Called for each iteration of tact_step_resolve, before the library's own search. */
static void search(cloth_bench *c, const step_scene *scene, const uint8_t *marked)
{
    size_t found[METHODS] = {0};
    static const tact_parallel alone = {.threads = 1};
    if (c->rebuild && marked == NULL) {
        c->failed = !build_trees(c, scene);
        c->rebuild = false;
    }
    ++c->frame_rounds;
    for (int i = 0; i < METHODS && !c->failed; i++) {
        sweep_step step = sweep_step_default();
        step.start = scene->from.items;
        step.end = scene->to.items;
        step.bounds = methods[i].bounds;
        step.changed = methods[i].uses_marks ? marked : NULL;
        step.parallel = &alone;
        const double before = tact_stopwatch_now();
        c->failed = tact_mesh_sweep_run(c->sweeps[i], &step) != TACT_OK;
        c->costs[i].frame_ns += tact_stopwatch_now() - before;
        c->costs[i].frame_tests += (double)tact_mesh_sweep_counts(c->sweeps[i]).candidates;
        found[i] = tact_mesh_sweep_count(c->sweeps[i]);
        c->costs[i].frame_contacts += (double)found[i];
    }
    /* with marking, both methods find the same changed pairs; without, both find the same pairs, a superset */
    c->wrong += found[SWEPT] != found[FEATURES] || found[MARKING] != found[MOVING] || found[MARKING] > found[SWEPT];
    if (marked == NULL)
        search_dedup(c, scene, found[MOVING]);
}

/* The benchmark that measures the current frame, or NULL. */
static cloth_bench *current_bench;

/* The linker redirects the library's calls of tact_step_find_hits to the first of these (cmake/bench.cmake, --wrap);
 * the second is the library's function. */
tact_status __wrap_tact_step_find_hits(step_contact_finder *finder, const step_scene *scene, const uint8_t *marked,
                                       bool first, step_hit_array *hits, size_t *tests, const tact_allocator *allocator,
                                       const tact_parallel *parallel);
tact_status __real_tact_step_find_hits(step_contact_finder *finder, const step_scene *scene, const uint8_t *marked,
                                       bool first, step_hit_array *hits, size_t *tests, const tact_allocator *allocator,
                                       const tact_parallel *parallel);

tact_status __wrap_tact_step_find_hits(step_contact_finder *finder, const step_scene *scene, const uint8_t *marked,
                                       bool first, step_hit_array *hits, size_t *tests, const tact_allocator *allocator,
                                       const tact_parallel *parallel)
{
    if (current_bench != NULL && finder->sweep != NULL)
        search(current_bench, scene, marked);
    return __real_tact_step_find_hits(finder, scene, marked, first, hits, tests, allocator, parallel);
}

/* Adds the cost of a frame to the sums and to the table of frames. */
static void record_frame(cloth_bench *c, int frame, json_t *curve)
{
    sweep_cost *l = c->costs;
    tact_table_row(curve, "ddfffffffff", (long)frame, (long)c->frame_rounds, l[MOVING].frame_contacts,
                   l[SWEPT].frame_ns / 1e6, l[FEATURES].frame_ns / 1e6, l[MARKING].frame_ns / 1e6,
                   l[MOVING].frame_ns / 1e6, l[SWEPT].frame_tests, l[FEATURES].frame_tests, l[MARKING].frame_tests,
                   l[MOVING].frame_tests);
    for (int i = 0; i < METHODS; i++) {
        l[i].tests += l[i].frame_tests;
        l[i].contacts += l[i].frame_contacts;
        l[i].ns += l[i].frame_ns;
        l[i].max_ns = l[i].frame_ns > l[i].max_ns ? l[i].frame_ns : l[i].max_ns;
        l[i].frame_tests = l[i].frame_contacts = l[i].frame_ns = 0.0;
    }
    c->rounds += c->frame_rounds;
    c->frame_rounds = 0.0;
    ++c->frames;
}

static bool run(cloth_bench *c, simulation *sim, int frames, int every, json_t *curve)
{
    for (int frame = 1; frame <= frames; frame++) {
        const bool measured = frame % every == 0;
        if (simulation_predict(sim) != TACT_OK ||
            (frame == 1 && tact_step_find_limit(sim->world, &sim->step).status != TACT_OK))
            return false;
        c->rebuild = c->rebuild || frame % REBUILD_INTERVAL == 1;
        current_bench = measured ? c : NULL;
        const tact_step_result done = simulation_resolve(sim);
        current_bench = NULL;
        if (done.status != TACT_OK || c->failed)
            return false;
        simulation_finish_step(sim, done);
        if (measured)
            record_frame(c, frame, curve);
    }
    return true;
}

/* The table of time and tests per frame, as the paper's figures. */
static json_t *begin_curve(const char *scene)
{
    char title[128];
    (void)snprintf(title, sizeof title, "Hutter and Fuhrmann 2007: the frames of the %s", scene);
    json_t *curve =
        tact_table_begin(title, "frame|iterations|collisions|swept bounds|feature bounds|with marking|moving "
                                "bounds|tests, swept|features|marking|moving");
    tact_table_plot(curve, "ms per frame", 0, 1u << 3 | 1u << 4 | 1u << 5 | 1u << 6, -1);
    tact_table_plot_linear_x(curve);
    return curve;
}

static void add_rows(const cloth_bench *c, const char *scene, long triangles, json_t *table, json_t *dedup_costs)
{
    const double frames = c->frames;
    for (int i = 0; i < METHODS; i++) {
        const sweep_cost *l = &c->costs[i];
        tact_table_row(table, "sdsffffff", scene, triangles, methods[i].name, c->rounds / frames, l->tests / frames,
                       l->contacts / frames, l->tests > 0.0 ? 100.0 * (l->tests - l->contacts) / l->tests : 0.0,
                       l->ns / frames / 1e6, l->max_ns / 1e6);
    }
    for (int i = 0; i < DEDUP_METHODS; i++) {
        const dedup_cost *o = &c->dedup_costs[i];
        tact_table_row(dedup_costs, "ssfffff", scene, dedup_names[i], o->bound_tests / c->full_searches,
                       o->tests / c->full_searches, o->contacts / c->full_searches, o->ns / c->full_searches / 1e6,
                       (double)o->bytes / 1e6);
    }
}

static bool measure(const suite *s, const char *scene, int frames, int every, int scale, json_t *table,
                    json_t *dedup_costs)
{
    cloth_bench *c = calloc(1, sizeof *c);
    simulation *sim = c != NULL ? scene_create(scene, scale, NULL) : NULL;
    json_t *curve = begin_curve(scene);
    const bool done = sim != NULL && curve != NULL && run(c, sim, frames, every, curve);
    if (done)
        add_rows(c, scene, (long)simulation_triangles(sim), table, dedup_costs);
    tact_pair_dedup_release(c != NULL ? c->dedup : NULL);
    tact_mesh_sweep_release(c != NULL ? c->dedup_sweep : NULL);
    for (int i = 0; c != NULL && i < METHODS; i++)
        tact_mesh_sweep_release(c->sweeps[i]);
    *s->wrong += done ? c->wrong : 0;
    simulation_release(sim);
    free(c);
    char key[64];
    (void)snprintf(key, sizeof key, "hutter_fuhrmann_2007_%s", scene);
    suite quiet = *s; /* only for the page and the report */
    quiet.silent = true;
    return tact_table_end(&quiet, key, curve) && done;
}

bool tact_bench_hutter_fuhrmann_2007(const suite *s)
{
    static const char *const scenes[] = {"pile", "shower", "garment"};
    const bool full_size = s->large && !s->quick; /* full size takes minutes: only when selected by name */
    const int frames = full_size ? 250 : suite_size(s, 120, 60, 6), every = full_size ? 10 : suite_size(s, 3, 3, 2);
    const int scale = full_size ? 1 : suite_size(s, 3, 3, 8);
    json_t *table =
        tact_table_begin("Hutter and Fuhrmann 2007: collision detection in three cloth scenes, per frame",
                         "scene|triangles|bounds|iterations|tests|collisions|false positives, %|ms|ms, max");
    json_t *dedup_costs = tact_table_begin("Hutter and Fuhrmann 2007: testing each feature pair once, per full search",
                                           "scene|method|bound tests|tests|collisions|ms|extra MB");
    bool done = true;
    for (size_t i = 0; done && i < sizeof scenes / sizeof scenes[0]; i++)
        done = measure(s, scenes[i], frames, every, scale, table, dedup_costs);
    tact_table_note(table,
                    "Mean of %d frames, one in %d, one thread. Collisions: found in all iterations of a frame; with "
                    "marking, repeated only for changed features.",
                    frames / every, every);
    tact_table_note(dedup_costs, "All methods use the same tree, moving feature bounds and exact tests. The code is "
                                 "simpler and slower than the library's.");
    const bool first = tact_table_end(s, "hutter_fuhrmann_2007", table);
    return tact_table_end(s, "hutter_fuhrmann_2007_once", dedup_costs) && first && done;
}
