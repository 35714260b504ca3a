/*
 * `tact-bench contact`: rigid bodies in persistent contact. Tact and Bullet run the same scenes at 60 frames per
 * second, without sleep. Overlaps of both are measured by tact_shapes_penetration, ten times per second. A run of Tact
 * is wrong if a call fails, if two bodies overlap by more than 1e-6 of their size, or if a body misses the goal of the
 * scene: a structure stands, dominoes fall, bodies stay within their walls.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/rigid.h>
#include <tact/world.h>

#include "contact_scene.h"
#include "math/vec.h"
#include "stopwatch.h"
#include "suite.h"
#include "table.h"

#define MAX_ROUNDS 5
#define FRAMES_PER_SAMPLE 6  /* frames from one measurement of overlaps to the next */
#define OVERLAP_ALLOWED 1e-6 /* of Tact, relative to the size of the smaller body */
#define REPEATED_BELOW 10e9  /* ns: longer runs are not repeated */
#define STOPPED_AT 120e9     /* ns: a run that takes longer is stopped */

/* ---- Tact ---- */

typedef struct tact_engine {
    tact_world *world;
    int count;
    tact_body bodies[];
} tact_engine;

static void finish(void *opaque)
{
    tact_engine *engine = opaque;
    tact_world_release(engine->world);
    free(engine);
}

static void *create(const contact_scene *s)
{
    tact_engine *engine = calloc(1, sizeof *engine + (size_t)s->body_count * sizeof engine->bodies[0]);
    if (engine == NULL)
        return NULL;
    engine->count = s->body_count;
    engine->world = tact_world_create(
        &(tact_world_def){.gravity = {0.0, -CONTACT_GRAVITY, 0.0}, .never_sleeps = true, .parallel = {.threads = 1}});
    bool done = engine->world != NULL;
    for (int i = 0; done && i < s->body_count; i++) {
        const contact_body *b = &s->bodies[i];
        engine->bodies[i] =
            tact_body_create(engine->world, &(tact_body_def){.shape = b->shape.shape,
                                                             .transform = b->transform,
                                                             .motion = {.velocity = b->velocity, .spin = b->spin},
                                                             .material = {.friction = s->friction}});
        done = tact_body_exists(engine->world, engine->bodies[i]) &&
               (b->mass == 0.0 || tact_body_set_mass(engine->world, engine->bodies[i], b->mass) == TACT_OK);
    }
    if (done)
        return engine;
    finish(engine);
    return NULL;
}

static bool step(void *opaque)
{
    return tact_world_step(((tact_engine *)opaque)->world, 1.0 / CONTACT_HERTZ) == TACT_OK;
}

static void read(void *opaque, contact_state *states)
{
    const tact_engine *engine = opaque;
    for (int i = 0; i < engine->count; i++) {
        const tact_motion motion = tact_body_get_motion(engine->world, engine->bodies[i]);
        states[i] =
            (contact_state){tact_body_get_transform(engine->world, engine->bodies[i]), motion.velocity, motion.spin};
    }
}

static const contact_runner contact_tact = {"Tact", create, step, read, finish};

/* ---- the race ---- */

static const contact_runner *const runners[] = {&contact_tact,
#ifdef TACT_HAVE_BULLET
                                                &tact_contact_bullet, &tact_contact_bullet_4
#endif
};

enum { OURS = 0, RUNNERS = sizeof runners / sizeof runners[0] };

typedef struct contact_result {
    double ns;        /* of all frames: the median of the rounds */
    double simulated; /* seconds; less than those of the scene if the run was stopped */
    double overlap;   /* the largest, relative to the size of the smaller body */
    double drift;     /* largest displacement of a body at the end; NAN if the run was stopped */
    double energy;    /* at the end, relative to the start: change in % */
    int misses;       /* bodies that miss the goal of the scene */
    bool failed;      /* a step or a measurement failed */
} contact_result;

/* Largest displacement of a body from `before`. */
static double displacement(const contact_scene *s, const contact_state *states, const contact_state *before)
{
    double largest = 0.0;
    for (int i = 0; i < s->body_count; i++)
        largest = fmax(largest, vec_length(vec_sub(states[i].transform.origin, before[i].transform.origin)));
    return largest;
}

/* Runs all frames, and measures if `measured`. `states` and `before` have room for all bodies. Returns ns, negative if
 * memory runs out. */
static double play(const contact_scene *s, const contact_runner *r, bool measured, contact_state *states,
                   contact_state *before, contact_result *o)
{
    const long frames = lround(s->seconds * CONTACT_HERTZ);
    void *engine = r->create(s);
    if (engine == NULL)
        return -1.0;
    double ns = 0.0, energy = 0.0;
    if (measured) {
        r->read(engine, before);
        energy = tact_contact_energy(s, before);
    }
    for (long frame = 1; frame <= frames && !o->failed && ns < STOPPED_AT; frame++) {
        const double start = tact_stopwatch_now();
        o->failed = !r->step(engine);
        ns += tact_stopwatch_now() - start;
        if (!measured)
            continue;
        o->simulated = (double)frame / CONTACT_HERTZ;
        if (frame % FRAMES_PER_SAMPLE == 0 || frame == frames) {
            r->read(engine, states);
            const contact_overlap deepest = tact_contact_overlap(s, states);
            o->overlap = fmax(o->overlap, deepest.relative);
            o->failed = o->failed || deepest.failed;
        }
        if (s->goal != CONTACT_STANDS && frame == frames - CONTACT_HERTZ)
            r->read(engine, before);
    }
    if (measured) {
        r->read(engine, states);
        o->drift = o->simulated < s->seconds ? NAN : displacement(s, states, before);
        o->energy = 100.0 * (tact_contact_energy(s, states) / energy - 1.0);
        o->misses = tact_contact_misses(s, states);
    }
    r->finish(engine);
    return ns;
}

static int by_size(const void *one, const void *other)
{
    const double x = *(const double *)one, y = *(const double *)other;
    return (x > y) - (x < y);
}

static bool race(const contact_scene *s, int rounds, contact_result results[RUNNERS])
{
    double times[RUNNERS][MAX_ROUNDS];
    int run[RUNNERS] = {0};
    contact_state *states = malloc((size_t)s->body_count * sizeof *states);
    contact_state *before = malloc((size_t)s->body_count * sizeof *before);
    bool done = states != NULL && before != NULL;
    memset(results, 0, RUNNERS * sizeof *results);
    for (int round = 0; round < rounds; round++) {
        for (int k = 0; done && k < RUNNERS; k++) {
            if (round > 0 && times[k][0] > REPEATED_BELOW)
                continue;
            const double ns = play(s, runners[k], round == 0, states, before, &results[k]);
            times[k][run[k]++] = ns;
            done = ns >= 0.0;
        }
    }
    for (int k = 0; done && k < RUNNERS; k++) {
        qsort(times[k], (size_t)run[k], sizeof times[k][0], by_size);
        results[k].ns = times[k][run[k] / 2];
    }
    free(states);
    free(before);
    return done;
}

typedef struct contact_entry {
    const char *name;
    contact_scene_kind kind;
    int full, quick, tiny; /* sizes; 0: the scene is left out */
    bool large;            /* only when the benchmark is selected by name */
} contact_entry;

static const contact_entry entries[] = {
    {"stack", CONTACT_STACK, 5, 5, 2, false},
    {"stack", CONTACT_STACK, 10, 10, 0, false},
    {"stack", CONTACT_STACK, 20, 0, 0, false},
    {"pyramid", CONTACT_PYRAMID, 10, 5, 2, false},
    {"pyramid", CONTACT_PYRAMID, 20, 0, 0, true},
    {"dominoes", CONTACT_DOMINOES, 20, 5, 3, false},
    {"house of cards", CONTACT_CARDS, 7, 7, 0, false},
    {"arch", CONTACT_ARCH, 9, 9, 0, false},
    {"silo", CONTACT_SILO, 100, 20, 2, false},
    {"pour", CONTACT_POUR, 50, 20, 4, false},
    {"pour", CONTACT_POUR, 200, 0, 0, true},
    {"pour", CONTACT_POUR, 1000, 0, 0, true},
    {"boxes on a mesh", CONTACT_TERRAIN, 4, 4, 0, false},
    {"boxes on a mesh", CONTACT_TERRAIN, 25, 0, 0, true},
};

bool tact_bench_contact(const suite *s)
{
    const int rounds = suite_size(s, 3, 1, 1);
    json_t *table = tact_table_begin("Contact: stacks, structures and piles",
                                     "scene|bodies|library|CPU, s|times Tact|simulated, s|overlap, of "
                                     "size|drift|energy, change in %|bodies that miss the goal");
    bool done = true;
    for (size_t k = 0; done && k < sizeof entries / sizeof entries[0]; k++) {
        const contact_entry *e = &entries[k];
        const int size = suite_size(s, e->full, e->quick, e->tiny);
        contact_scene scene;
        contact_result o[RUNNERS];
        if (size == 0 || (e->large && !s->large))
            continue;
        done = tact_contact_scene_create(&scene, e->kind, size, s->seed);
        if (!done)
            break;
        done = race(&scene, rounds, o);
        long bodies = 0;
        for (int i = 0; i < scene.body_count; i++)
            bodies += scene.bodies[i].mass > 0.0;
        *s->wrong += done ? (o[OURS].failed || o[OURS].overlap > OVERLAP_ALLOWED) + o[OURS].misses : 0;
        for (int r = 0; done && r < RUNNERS; r++)
            tact_table_row(table, "sdsffffffd", e->name, bodies, runners[r]->name, o[r].ns / 1e9, o[r].ns / o[OURS].ns,
                           o[r].simulated, o[r].overlap, o[r].drift, o[r].energy, (long)o[r].misses);
        tact_contact_scene_release(&scene);
    }
    tact_table_note(
        table,
        "%d frames per second, no sleep, one thread; median of %d interleaved rounds; a run is stopped after %.0f s of "
        "CPU time. Overlap: the largest of ten measurements per second, of both by tact_shapes_penetration.",
        CONTACT_HERTZ, rounds, STOPPED_AT / 1e9);
    tact_table_note(table, "Drift: largest displacement of a body, of structures from the start, of others in the last "
                           "second. Goals: structures stand, dominoes fall, other bodies stay inside.");
#ifdef TACT_HAVE_BULLET
    tact_table_note(table, "Bullet, single precision: btDiscreteDynamicsWorld with its default solver, one or four "
                           "steps per frame; no margin of hulls and meshes.");
#else
    tact_table_note(table, "Bullet was not found when tact-bench was built.");
#endif
    return tact_table_end(s, "contact", table) && done;
}
