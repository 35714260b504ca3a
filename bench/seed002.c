/*
 * `tact bench seed002`: Hutter and Fuhrmann's experiment (2007), section 5. Three scenes of many layers of cloth
 * (examples/cloth), and in each frame the rounds of tact_world_resolve; each round is searched in four ways:
 *
 *     swept       bounds around where a triangle is at both ends, for triangles alone: the paper's "default"
 *     features    the same for vertices, edges and triangles: the paper's "primitive bounding volumes"
 *     marking     the same, but after the first round only what has changed: the paper's "modification marking"
 *     moving      bounds that move, for features too, with marking: ours
 *
 * Counted are the pairs of features that go to the exact test and those of them that meet; all four must find the
 * same. One thread; the trees are the same, built when the scene begins and every REMAKE frames, and so are the exact
 * tests, so that the bounds alone make the difference. The static phase is left out. The paper's own figures are in
 * milliseconds of a 2 GHz Pentium in Java, and its scan lost them: what can be compared are the ratios that its text
 * tells.
 */
#include <stdlib.h>
#include <string.h>

#include "examples/cloth/scenes.h"
#include "narrow/sweep.h"
#include "stopwatch.h"
#include "suite.h"
#include "table.h"
#include "world/parts.h"
#include "world/step.h"

#define REMAKE 50 /* frames: as in world/step_find.c */

enum { SWEPT, FEATURES, MARKING, MOVING, WAYS };

static const struct way {
    const char *name;
    sweep_bounds bounds;
    bool marks;
} ways[WAYS] = {{"swept bounds", SWEEP_SWEPT_THINGS, false},
                {"and of features", SWEEP_SWEPT, false},
                {"and marking", SWEEP_SWEPT, true},
                {"moving bounds", SWEEP_MOVING, true}};

typedef struct lap {
    double tests, contacts, ns, most_ns; /* most: of a frame */
    double frame_ns;                     /* of the one under way */
} lap;

typedef struct contest {
    sweep *sweeps[WAYS];
    lap laps[WAYS];
    double rounds;
    bool failed;
    long wrong;
} contest;

/* Each round, as tact_world_resolve is about to search it. */
static void search(void *context, const step_scene *scene, const uint8_t *marked)
{
    contest *c = context;
    size_t found[WAYS] = {0};
    static const tact_parallel alone = {.threads = 1};
    ++c->rounds;
    for (int i = 0; i < WAYS && !c->failed; i++) {
        sweep_step look = sweep_step_default();
        look.start = scene->from.items;
        look.end = scene->to.items;
        look.bounds = ways[i].bounds;
        look.changed = ways[i].marks ? marked : NULL;
        look.parallel = &alone;
        const double before = tact_stopwatch_now();
        c->failed = tact_sweep_run(c->sweeps[i], &look) != TACT_OK;
        c->laps[i].frame_ns += tact_stopwatch_now() - before;
        c->laps[i].tests += (double)tact_sweep_counts(c->sweeps[i]).candidates;
        found[i] = tact_sweep_count(c->sweeps[i]);
        c->laps[i].contacts += (double)found[i];
    }
    /* with marks only what has changed is found: the same by both; without, the same by both, and no less */
    c->wrong += found[SWEPT] != found[FEATURES] || found[MARKING] != found[MOVING] || found[MARKING] > found[SWEPT];
}

/* Trees of where the scene is now. */
static bool plant(contest *c, const step_scene *scene)
{
    for (int i = 0; i < WAYS; i++) {
        sweep_part parts[2 * CLOTH_MOST];
        size_t count = 0;
        for (size_t k = 0; k < scene->parts.count; k++) /* all obstacles are one part */
            if (k + 1 >= scene->obstacle_count)
                parts[count++] = (sweep_part){scene->parts.items[k].end_vertex, !scene->parts.items[k].soft};
        sweep_def def = sweep_def_default();
        def.vertices = scene->from.items;
        def.vertex_count = scene->from.count;
        def.triangles = (const uint32_t(*)[3])scene->faces.items;
        def.triangle_count = scene->faces.count;
        def.parts = parts;
        def.part_count = count;
        tact_sweep_release(c->sweeps[i]);
        if (tact_sweep_create(&c->sweeps[i], &def) != TACT_OK)
            return false;
    }
    return true;
}

static bool run(contest *c, simulation *sim, int frames)
{
    for (int frame = 0; frame < frames; frame++) {
        if (simulation_aim(sim) != TACT_OK || tact_world_free_until(sim->world, &sim->step).status != TACT_OK)
            return false;
        step *s = sim->world->step; /* which is there by now */
        if (frame % REMAKE == 0 && !plant(c, &s->scene))
            return false;
        s->finder.watch = search;
        s->finder.watcher = c;
        const tact_resolution done = simulation_resolve(sim);
        s->finder.watch = NULL;
        if (done.status != TACT_OK || c->failed)
            return false;
        simulation_settle(sim, done);
        for (int i = 0; i < WAYS; i++) {
            lap *l = &c->laps[i];
            l->ns += l->frame_ns;
            l->most_ns = l->frame_ns > l->most_ns ? l->frame_ns : l->most_ns;
            l->frame_ns = 0.0;
        }
    }
    return true;
}

static bool measure(const suite *s, const char *scene, int frames, int scale, json_t *table)
{
    contest *c = calloc(1, sizeof *c);
    const tact_world_def alone = {.parallel = {.threads = 1}};
    simulation *sim = c != NULL ? scene_create(scene, scale, &alone) : NULL;
    const bool done = sim != NULL && run(c, sim, frames);
    for (int i = 0; done && i < WAYS; i++) {
        const lap *l = &c->laps[i];
        tact_table_row(table, "sdsffffff", scene, (long)simulation_triangles(sim), ways[i].name, c->rounds / frames,
                       l->tests / frames, l->contacts / frames,
                       l->tests > 0.0 ? 100.0 * (l->tests - l->contacts) / l->tests : 0.0, l->ns / frames / 1e6,
                       l->most_ns / 1e6);
    }
    for (int i = 0; c != NULL && i < WAYS; i++)
        tact_sweep_release(c->sweeps[i]);
    *s->wrong += done ? c->wrong : 0;
    simulation_release(sim);
    free(c);
    return done;
}

bool tact_bench_seed002(const suite *s)
{
    static const char *const scenes[] = {"pile", "shower", "garment"};
    const bool whole = s->large && !s->quick; /* at full size it takes long: when asked for by name */
    const int frames = whole ? 120 : suite_size(s, 60, 60, 20), scale = whole ? 1 : suite_size(s, 3, 3, 5);
    json_t *table = tact_table_begin("Seed 002: collision detection in three scenes of cloth, a frame",
                                     "scene|triangles|bounds|rounds|tests|collisions|false positives, %|ms|ms, most");
    bool done = true;
    for (size_t i = 0; done && i < sizeof scenes / sizeof scenes[0]; i++)
        done = measure(s, scenes[i], frames, scale, table);
    tact_table_note(table,
                    "The mean of %d frames, one thread. Collisions are those found in all rounds of a frame: with "
                    "marking, again only if something "
                    "has changed.",
                    frames);
    return tact_table_end(s, "seed002", table) && done;
}
