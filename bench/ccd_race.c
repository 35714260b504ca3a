/*
 * `tact-bench ccd`: continuous collision detection. Single queries run against the cubic in plain floating point, on
 * all pairs of features whose swept boxes overlap. Whole steps, from two frames to all contacts, run against FCL's
 * continuous traversal.
 *
 * The scenes are sheets made from formulas, and the subfolders of the folder given with --scenes, each with t0.ply and
 * t1.ply. Where such a folder lists the colliding pairs (pairs.vf.txt, pairs.ee.txt), the tests compare with them; the
 * benchmark only counts the pairs on which the two methods differ.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ccd_peer.h"
#include "ccd_step.h"
#include "plain_cubic.h"
#include "stopwatch.h"
#include "suite.h"
#include "table.h"

enum { QUERY_ROUNDS = 3 };

/* ---- queries ---- */

typedef struct query_race {
    tact_ccd answers[CCD_BATCH];
    bool plain[CCD_BATCH];
    double tact, peer; /* total ns */
    long pairs, hits, missed, false_positives;
    bool failed;
} query_race;

static void race_batch(void *opaque, const ccd_pairs *p)
{
    query_race *query = opaque;
    tact_ccd_points points;
    for (int k = 0; k < 4; k++) {
        for (int c = 0; c < 3; c++) {
            points.start[k][c] = p->start[k][c];
            points.end[k][c] = p->end[k][c];
        }
    }
    const tact_parallel alone = {.threads = 1};
    double tact = INFINITY, peer = INFINITY;
    for (int round = 0; round < QUERY_ROUNDS; round++) {
        double before = tact_stopwatch_now();
        if (tact_ccd_batch(p->kind, &points, (size_t)p->count, NULL, query->answers, &alone) != TACT_OK)
            query->failed = true;
        tact = fmin(tact, tact_stopwatch_now() - before);
        before = tact_stopwatch_now();
        for (int i = 0; i < p->count; i++) {
            double time;
            query->plain[i] = tact_plain_cubic(p, i, &time);
        }
        peer = fmin(peer, tact_stopwatch_now() - before);
    }
    query->tact += tact;
    query->peer += peer;
    query->pairs += p->count;
    for (int i = 0; i < p->count; i++) {
        const bool hit = query->answers[i].state == TACT_HIT;
        query->failed = query->failed || query->answers[i].status != TACT_OK;
        query->hits += hit;
        query->missed += hit && !query->plain[i];
        query->false_positives += !hit && query->plain[i];
    }
}

static bool race_queries(json_t *table, const ccd_scene *scene)
{
    for (int kind = 0; kind < 2; kind++) {
        query_race *query = calloc(1, sizeof *query);
        bool done = query && tact_ccd_scene_pairs(scene, (tact_ccd_kind)kind, race_batch, query);
        if (done && query->pairs > 0) {
            const double tact = query->tact / (double)query->pairs, peer = query->peer / (double)query->pairs;
            tact_table_row(table, "ssddfffdd", scene->name, kind == TACT_VERTEX_FACE ? "vertex-face" : "edge-edge",
                           query->pairs, query->hits, tact, peer, peer / tact, query->missed, query->false_positives);
        }
        done = done && !query->failed;
        free(query);
        if (!done)
            return false;
    }
    return true;
}

/* ---- whole steps ---- */

#define STEP_COLUMNS                                                                                                   \
    "scene|triangles|candidates|contacts|first|build ms|step ms|2 threads ms|speedup|MB|FCL step ms|ratio|goal|met"

/* Speed relative to FCL required of scenes from files, large and small. */
#define STEP_GOAL_LARGE 30.0
#define STEP_GOAL_SMALL 10.0
#define STEP_LARGE 20000 /* triangles */

static bool race_steps(const suite *s, json_t *table, const ccd_scene *scene, bool real)
{
    ccd_step_cost tact;
    if (!tact_ccd_step_cost(scene, suite_size(s, 5, 2, 1), &tact))
        return false;
    double peer = NAN;
#ifdef TACT_HAVE_FCL
    if (!tact_ccd_step_fcl(scene, &peer))
        return false;
#endif
    const double goal = !real || isnan(peer)                 ? NAN
                        : scene->triangle_count < STEP_LARGE ? STEP_GOAL_SMALL
                                                             : STEP_GOAL_LARGE;
    tact_table_row(table, "sdddfffffffffs", scene->name, (long)scene->triangle_count, (long)tact.counts.candidates,
                   (long)tact.counts.contacts, tact.first, tact.build / 1e6, tact.step / 1e6, tact.two_threads / 1e6,
                   tact.step / tact.two_threads, (double)tact.bytes / 1e6, peer / 1e6, peer / tact.step, goal,
                   tact_table_met(peer / tact.step, goal));
    return true;
}

/* ---- scenes ---- */

static bool race_scene(const suite *s, const ccd_scene *scene, bool real, json_t *queries, json_t *steps)
{
    return race_queries(queries, scene) && race_steps(s, steps, scene, real);
}

bool tact_bench_ccd(const suite *s)
{
    json_t *queries =
        tact_table_begin("Continuous collision, single queries: pairs of features whose swept boxes overlap",
                         "scene|kind|pairs|contacts|Tact ns|plain cubic ns|ratio|cubic missed|cubic false positives");
    json_t *steps = tact_table_begin(
        "Continuous collision, whole steps: all self-collisions of a mesh between two frames", STEP_COLUMNS);
    ccd_scene scene;
    bool done =
        queries && steps && tact_ccd_scene_sheets(&scene, suite_size(s, 5, 3, 2), suite_size(s, 51, 31, 8), s->seed);
    if (done) {
        done = race_scene(s, &scene, false, queries, steps);
        tact_ccd_scene_release(&scene);
    }
    char *names[CCD_MAX_SCENES];
    const int count = done && s->scenes ? tact_ccd_scene_list(s->scenes, names) : 0;
    for (int i = 0; i < count; i++) {
        char error[512];
        if (done && tact_ccd_scene_read(&scene, names[i], error, sizeof error)) {
            done = race_scene(s, &scene, true, queries, steps);
            tact_ccd_scene_release(&scene);
        } else if (done) {
            (void)fprintf(stderr, "tact-bench: %s\n", error);
        }
    }
    tact_ccd_scene_unlist(names, count);
    if (!done) {
        json_decref(queries);
        json_decref(steps);
        return false;
    }
    tact_table_note(queries,
                    "One thread, the fastest of %d runs of each batch of %d pairs. Tact returns exact hits with time, "
                    "weights and normal; the cubic returns a hit and a time.",
                    (int)QUERY_ROUNDS, (int)CCD_BATCH);
    tact_table_note(steps, "A step starts from two arrays of vertices and ends with all contacts in order of time; the "
                           "tree is built once. CPU time on one thread, fastest of several; wall time on two threads. "
                           "MB: peak of allocated memory. FCL: AABBs around both frames, triangle against triangle "
                           "including adjacent ones, in floating point; one run.");
    const bool ended = tact_table_end(s, "ccd_queries", queries);
    return tact_table_end(s, "ccd_steps", steps) && ended;
}
