/*
 * `tact-bench world`: the I-COLLIDE simulation in a world. In every frame all 20 hulls get new transforms and
 * tact_world_test is called; the pairs it reports are compared with the oracle's recording. The contact callback
 * requests nothing, or a common point, since contact data costs time. FCL's collision manager runs the same frames,
 * interleaved with Tact by blocks.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/world.h>

#include "convex_runner.h"
#include "icollide_run.h"
#include "stopwatch.h"
#include "suite.h"
#include "table.h"
#include "world_runner.h"

/* Frames timed at once: milliseconds, so that refilling the caches after another library does not matter. */
#define FRAMES_PER_BLOCK 500

typedef struct icollide_world {
    const icollide_run *run;
    tact_world *world;
    tact_body bodies[ICOLLIDE_BODIES];
    unsigned char *touched; /* receives the overlapping pairs */
    long failed;
} icollide_world;

static void record_contact(void *context, const tact_contact *contact)
{
    icollide_world *s = context;
    int a = (int)(uintptr_t)contact->user_a, b = (int)(uintptr_t)contact->user_b;
    s->touched[a < b ? icollide_pair(a, b) : icollide_pair(b, a)] = 1;
    s->failed += contact->status != TACT_OK;
}

static void icollide_world_finish(void *opaque)
{
    icollide_world *s = opaque;
    tact_world_release(s->world);
    free(s);
}

static void *icollide_world_create(const icollide_run *run, tact_want want, bool uncached)
{
    icollide_world *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->run = run;
    tact_world_def def = {.uncached = uncached, .parallel = {.threads = 1}};
    s->world = tact_world_create(&def);
    bool done =
        s->world && tact_world_set_contact_callback(
                        s->world, (tact_response){.want = want, .callback = record_contact, .context = s}) == TACT_OK;
    for (int i = 0; done && i < ICOLLIDE_BODIES; i++) {
        tact_shape *shape = tact_solid_shape(&run->bodies[i]);
        tact_body_def body = {.shape = shape, .transform = run->at[0][i], .user = (void *)(uintptr_t)i};
        s->bodies[i] = tact_body_create(s->world, &body);
        done = shape && tact_body_exists(s->world, s->bodies[i]);
        tact_shape_release(shape); /* the world keeps a reference */
    }
    if (done)
        return s;
    icollide_world_finish(s);
    return NULL;
}

static void *create_plain(const icollide_run *run) { return icollide_world_create(run, TACT_NOTHING, false); }
static void *create_witness(const icollide_run *run) { return icollide_world_create(run, TACT_WITNESS, false); }
static void *create_uncached(const icollide_run *run) { return icollide_world_create(run, TACT_NOTHING, true); }

static void icollide_world_play(void *opaque, int frame, unsigned char *touched)
{
    icollide_world *s = opaque;
    s->touched = touched;
    for (int i = 0; i < ICOLLIDE_BODIES; i++)
        s->failed += tact_body_set_transform(s->world, s->bodies[i], s->run->at[frame][i]) != TACT_OK;
    tact_count c = tact_world_test(s->world);
    s->failed += c.status != TACT_OK;
}

static long icollide_world_failed(const void *opaque) { return ((const icollide_world *)opaque)->failed; }

static const world_runner plain = {"Tact, overlap", create_plain, icollide_world_play, icollide_world_failed,
                                   icollide_world_finish},
                          witness = {"Tact, common point", create_witness, icollide_world_play, icollide_world_failed,
                                     icollide_world_finish},
                          uncached = {"Tact, overlap, no cache", create_uncached, icollide_world_play,
                                      icollide_world_failed, icollide_world_finish};

static const world_runner *const runners[] = {&plain, &witness, &uncached,
#ifdef TACT_HAVE_FCL
                                              &tact_world_fcl
#endif
};

enum { OURS = 3, RUNNERS = sizeof runners / sizeof runners[0] }; /* the first are Tact; the peer is last */

typedef struct world_result {
    double us; /* per frame */
    long wrong;
} world_result;

static long wrong_in(const icollide_run *run, const unsigned char *touched, int frame)
{
    long wrong = 0;
    for (int pair = 0; pair < ICOLLIDE_PAIRS; pair++) {
        unsigned char expected = run->expected[frame][pair];
        wrong += expected != ICOLLIDE_UNDECIDED && (expected == ICOLLIDE_HIT) != (touched[pair] == 1);
    }
    return wrong;
}

/* Runs all over the recording, once to check the answers and `rounds` times on the clock, interleaved by blocks. */
static bool race(const icollide_run *run, int rounds, world_result results[RUNNERS])
{
    void *states[RUNNERS] = {NULL};
    unsigned char touched[ICOLLIDE_PAIRS];
    laps l = {0};
    int blocks = (run->frames + FRAMES_PER_BLOCK - 1) / FRAMES_PER_BLOCK;
    bool done = tact_laps_create(&l, RUNNERS, blocks, rounds);
    for (int r = 0; done && r < RUNNERS; r++) {
        results[r] = (world_result){0};
        states[r] = runners[r]->create(run);
        done = states[r] != NULL;
        for (int frame = 0; done && frame < run->frames; frame++) {
            memset(touched, 0, sizeof touched);
            runners[r]->play(states[r], frame, touched);
            results[r].wrong += wrong_in(run, touched, frame);
        }
    }
    for (int round = 0; done && round < rounds; round++) {
        for (int block = 0; block < blocks; block++) {
            for (int r = 0; r < RUNNERS; r++) {
                double before = tact_stopwatch_now();
                for (int frame = block * FRAMES_PER_BLOCK; frame < run->frames && frame / FRAMES_PER_BLOCK == block;
                     frame++)
                    runners[r]->play(states[r], frame, touched);
                tact_laps_record(&l, r, block, round, tact_stopwatch_now() - before);
            }
        }
    }
    for (int r = 0; r < RUNNERS; r++) {
        if (done) {
            results[r].us = tact_laps_median(&l, r) / (1e3 * run->frames);
            results[r].wrong += runners[r]->failed ? runners[r]->failed(states[r]) : 0;
        }
        if (states[r])
            runners[r]->finish(states[r]);
    }
    tact_laps_release(&l);
    return done;
}

bool tact_bench_world(const suite *s)
{
    int frames = suite_size(s, 20000, 500, 50), rounds = suite_size(s, 5, 3, 1);
    icollide_run run;
    if (!tact_icollide_record(&run, (icollide_setting){5.0, 5.0, 10.0}, frames, s->seed))
        return false;
    world_result results[RUNNERS];
    bool done = race(&run, rounds, results);
    *s->wrong += run.disputed;
    if (done) {
        json_t *table = tact_table_begin("I-COLLIDE simulation in a world: 20 hulls of 20 points moved and tested",
                                         "library and contact data|us per frame|times Tact|FCL / it|hits|wrong");
        for (int r = 0; r < RUNNERS; r++) {
            *s->wrong += r < OURS ? results[r].wrong : 0;
            tact_table_row(table, "sfffdd", runners[r]->name, results[r].us, results[r].us / results[0].us,
                           RUNNERS > OURS ? results[RUNNERS - 1].us / results[r].us : NAN, run.hits, results[r].wrong);
        }
        tact_table_note(
            table,
            "%d frames, density 5 %%, translation 5 %% of the radius and rotation 10 degrees per frame; one thread; "
            "median of %d interleaved rounds. Oracle compared with brute force on %ld pairs, %ld disputed.",
            frames, rounds, run.checked, run.disputed);
        tact_table_note(table, RUNNERS > OURS ? "FCL: its dynamic AABB tree, and its default solver for each pair."
                                              : "FCL was not found when tact-bench was built.");
        tact_table_note(
            table,
            "SOLID 3, measured on a 2.8 GHz Xeon, not in this run: 17.3 us per frame, 22 answers of 3,293 wrong.");
        done = tact_table_end(s, "world", table);
    }
    tact_icollide_release(&run);
    return done;
}
