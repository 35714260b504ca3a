/*
 * The thesis' whole pipeline: I-COLLIDE's simulation through a world. In every frame all 20 hulls are placed and
 * tact_world_test is called; what it calls the response for is compared with the judge's recording. What a response
 * wants costs time, so it is asked for nothing, and for a common point.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/world.h>

#include "contest.h"
#include "icollide_run.h"
#include "stopwatch.h"
#include "suite.h"
#include "table.h"
#include "world_contest.h"

#define FRAMES_A_BLOCK 50
#define SOLID3_US 17.3 /* SOLID 3 on a 2.8 GHz Xeon, 22 answers of 3,293 wrong */

typedef struct stage {
    const icollide_run *run;
    tact_world *world;
    tact_body bodies[ICOLLIDE_BODIES];
    unsigned char touched[ICOLLIDE_PAIRS];
    long calls, failed;
} stage;

static void note(void *context, const tact_contact *contact)
{
    stage *s = context;
    int a = (int)(uintptr_t)contact->user_a, b = (int)(uintptr_t)contact->user_b;
    s->touched[a < b ? icollide_pair(a, b) : icollide_pair(b, a)] = 1;
    s->calls++;
    s->failed += contact->status != TACT_OK;
}

static bool stage_create(stage *s, const icollide_run *run, tact_want want, bool uncached)
{
    *s = (stage){.run = run};
    tact_world_def def = {.uncached = uncached, .parallel = {.threads = 1}};
    s->world = tact_world_create(&def);
    bool done =
        s->world && tact_world_respond(s->world, (tact_response){.want = want, .call = note, .context = s}) == TACT_OK;
    for (int i = 0; done && i < ICOLLIDE_BODIES; i++) {
        tact_shape *shape = tact_solid_shape(&run->bodies[i]);
        tact_body_def body = {.shape = shape, .place = run->at[0][i], .user = (void *)(uintptr_t)i};
        s->bodies[i] = tact_body_create(s->world, &body);
        done = shape && tact_body_exists(s->world, s->bodies[i]);
        tact_shape_release(shape); /* the world holds it */
    }
    return done;
}

static void play(stage *s, int frame)
{
    for (int i = 0; i < ICOLLIDE_BODIES; i++)
        (void)tact_body_place(s->world, s->bodies[i], s->run->at[frame][i]);
    tact_count c = tact_world_test(s->world);
    s->failed += c.status != TACT_OK;
}

static long wrong_in(const stage *s, int frame)
{
    long wrong = 0;
    for (int pair = 0; pair < ICOLLIDE_PAIRS; pair++) {
        unsigned char truth = s->run->truth[frame][pair];
        wrong += truth != ICOLLIDE_TOO_CLOSE && (truth == ICOLLIDE_HIT) != (s->touched[pair] == 1);
    }
    return wrong;
}

/* Plays the recording once for the answers and `rounds` times for the clock: a callback costs what it costs. */
static bool measure(const icollide_run *run, tact_want want, bool uncached, int rounds, double *us, long *wrong)
{
    stage s;
    laps l = {0};
    int blocks = run->frames / FRAMES_A_BLOCK;
    bool done = stage_create(&s, run, want, uncached) && tact_laps_create(&l, 1, blocks, rounds);
    *wrong = 0;
    for (int frame = 0; done && frame < run->frames; frame++) {
        memset(s.touched, 0, sizeof s.touched);
        play(&s, frame);
        *wrong += wrong_in(&s, frame);
    }
    *wrong += s.failed;
    for (int round = 0; done && round < rounds; round++) {
        for (int block = 0; block < blocks; block++) {
            double before = tact_stopwatch_now();
            for (int i = 0; i < FRAMES_A_BLOCK; i++)
                play(&s, block * FRAMES_A_BLOCK + i);
            tact_laps_note(&l, 0, block, round, tact_stopwatch_now() - before);
        }
    }
    if (done)
        *us = tact_laps_median(&l, 0) / (1e3 * run->frames);
    tact_laps_release(&l);
    tact_world_release(s.world);
    return done;
}

#ifdef TACT_HAVE_FCL
/* The same with FCL's manager, which is asked for yes or no. */
static bool measure_fcl(const icollide_run *run, int rounds, double *us, long *wrong)
{
    stage s = {.run = run};
    laps l = {0};
    int blocks = run->frames / FRAMES_A_BLOCK;
    void *state = tact_world_fcl.create(run);
    bool done = state && tact_laps_create(&l, 1, blocks, rounds);
    *wrong = 0;
    for (int frame = 0; done && frame < run->frames; frame++) {
        memset(s.touched, 0, sizeof s.touched);
        tact_world_fcl.play(state, frame, s.touched);
        *wrong += wrong_in(&s, frame);
    }
    for (int round = 0; done && round < rounds; round++) {
        for (int block = 0; block < blocks; block++) {
            double before = tact_stopwatch_now();
            for (int i = 0; i < FRAMES_A_BLOCK; i++)
                tact_world_fcl.play(state, block * FRAMES_A_BLOCK + i, s.touched);
            tact_laps_note(&l, 0, block, round, tact_stopwatch_now() - before);
        }
    }
    if (done)
        *us = tact_laps_median(&l, 0) / (1e3 * run->frames);
    tact_laps_release(&l);
    if (state)
        tact_world_fcl.finish(state);
    return done;
}
#endif

bool tact_bench_world(const suite *s)
{
    static const struct {
        const char *name;
        tact_want want;
        bool uncached, goal;
    } manners[] = {{"Tact, yes or no", TACT_NOTHING, false, true},
                   {"Tact, a common point", TACT_WITNESS, false, true},
                   {"Tact, yes or no, caching off", TACT_NOTHING, true, false}};
    int frames = suite_size(s, 20000, 500, 50), rounds = suite_size(s, 5, 2, 1);
    icollide_run run;
    if (!tact_icollide_record(&run, (icollide_setting){5.0, 5.0, 10.0}, frames, s->seed))
        return false;
    json_t *table =
        tact_table_begin("I-COLLIDE's simulation through a world: 20 hulls of 20 points placed and tested",
                         "who, and what is wanted|us a frame|times Tact|SOLID 3 then / it|goal|met|hits|wrong");
    bool done = true;
    double first = 0.0; /* us: the row that others are compared with */
    for (size_t k = 0; done && k < sizeof manners / sizeof manners[0]; k++) {
        double us = 0.0;
        long wrong = 0;
        done = measure(&run, manners[k].want, manners[k].uncached, rounds, &us, &wrong);
        *s->wrong += wrong;
        double ratio = SOLID3_US / us;
        first = k == 0 ? us : first;
        tact_table_row(table, "sffffsdd", manners[k].name, us, us / first, ratio, manners[k].goal ? 1.0 : NAN,
                       wrong > 0 ? "NO" : tact_table_met(ratio, manners[k].goal ? 1.0 : NAN), run.hits, wrong);
    }
#ifdef TACT_HAVE_FCL
    double us = 0.0;
    long wrong = 0;
    done = done && measure_fcl(&run, suite_size(s, 2, 1, 1), &us, &wrong);
    tact_table_row(table, "sffffsdd", "FCL, yes or no", us, us / first, SOLID3_US / us, NAN, "", run.hits, wrong);
#endif
    tact_table_note(table,
                    "%d frames, density 5 %%, a step of 5 %% of the radius and 10 degrees; one thread. The judge "
                    "was compared with brute force on %ld pairs, %ld disputed.",
                    frames, run.checked, run.disputed);
    tact_table_note(table,
                    "SOLID 3 then: %g us a frame on a 2.8 GHz Xeon, not in this run, with 22 answers of 3,293 "
                    "wrong. FCL: its dynamic tree of boxes, and its default solver for each pair.",
                    SOLID3_US);
    tact_icollide_release(&run);
    return tact_table_end(s, "world", table) && done;
}
