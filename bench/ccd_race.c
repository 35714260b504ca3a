/*
 * The race of continuous collision: single queries against the plain floating cubic, on all pairs of features whose swept boxes overlap; and
 * whole steps, from two frames to all that meets, against FCL's continuous traversal.
 *
 * The scenes are sheets made from formulas, and those in the folder given with --scenes: each a folder with t0.ply and t1.ply. Where such a folder
 * lists the pairs that meet (pairs.vf.txt, pairs.ee.txt), the tests compare with them; here both contestants are told apart only.
 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccd_contest.h"
#include "plain_cubic.h"
#include "stopwatch.h"
#include "suite.h"
#include "table.h"

enum { QUERY_ROUNDS = 3, MOST_SCENES = 16 };

/* ---- queries ---- */

typedef struct query_race {
    tact_ccd answers[CCD_BATCH];
    bool plain[CCD_BATCH];
    double ours, theirs; /* ns in all */
    long pairs, hits, missed, invented;
    bool failed;
} query_race;

static void race_batch(void *opaque, const ccd_pairs *p)
{
    query_race *race = opaque;
    tact_ccd_points points;
    for (int k = 0; k < 4; k++) {
        for (int c = 0; c < 3; c++) {
            points.start[k][c] = p->start[k][c];
            points.end[k][c] = p->end[k][c];
        }
    }
    const tact_parallel alone = {.threads = 1};
    double ours = INFINITY, theirs = INFINITY;
    for (int round = 0; round < QUERY_ROUNDS; round++) {
        double before = tact_stopwatch_now();
        if (tact_ccd_batch(p->kind, &points, (size_t)p->count, NULL, race->answers, &alone) != TACT_OK)
            race->failed = true;
        ours = fmin(ours, tact_stopwatch_now() - before);
        before = tact_stopwatch_now();
        for (int i = 0; i < p->count; i++) {
            double time;
            race->plain[i] = tact_plain_cubic(p, i, &time);
        }
        theirs = fmin(theirs, tact_stopwatch_now() - before);
    }
    race->ours += ours;
    race->theirs += theirs;
    race->pairs += p->count;
    for (int i = 0; i < p->count; i++) {
        const bool hit = race->answers[i].state == TACT_HIT;
        race->failed = race->failed || race->answers[i].status != TACT_OK;
        race->hits += hit;
        race->missed += hit && !race->plain[i];
        race->invented += !hit && race->plain[i];
    }
}

static bool race_queries(json_t *table, const ccd_scene *scene)
{
    for (int kind = 0; kind < 2; kind++) {
        query_race *race = calloc(1, sizeof *race);
        bool done = race && tact_ccd_scene_pairs(scene, (tact_ccd_kind)kind, race_batch, race);
        if (done && race->pairs > 0) {
            const double ours = race->ours / (double)race->pairs, theirs = race->theirs / (double)race->pairs;
            tact_table_row(table, "ssddfffdd", scene->name, kind == TACT_VERTEX_FACE ? "vertex-face" : "edge-edge",
                           race->pairs, race->hits, ours, theirs, theirs / ours, race->missed, race->invented);
        }
        done = done && !race->failed;
        free(race);
        if (!done)
            return false;
    }
    return true;
}

/* ---- scenes ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The folders in a folder, by name; those that are no scenes are told. */
static int list_scenes(const char *folder, char *names[MOST_SCENES])
{
    int count = 0;
    DIR *list = opendir(folder);
    if (!list) {
        (void)fprintf(stderr, "tact bench: %s: there is no such folder\n", folder);
        return -1;
    }
    for (const struct dirent *e; count < MOST_SCENES && (e = readdir(list));) {
        if (e->d_name[0] == '.')
            continue;
        const size_t room = strlen(folder) + strlen(e->d_name) + 2;
        names[count] = malloc(room);
        if (names[count])
            (void)snprintf(names[count++], room, "%s/%s", folder, e->d_name);
    }
    (void)closedir(list);
    qsort(names, (size_t)count, sizeof *names, compare_names);
    return count;
}

static bool race_scene(const suite *s, const ccd_scene *scene, json_t *queries, json_t *steps)
{
    (void)s;
    (void)steps;
    return race_queries(queries, scene);
}

bool tact_bench_ccd(const suite *s)
{
    json_t *queries = tact_table_begin("Continuous collision, pair by pair: pairs of features whose swept boxes overlap",
                                       "scene|kind|pairs|meet|Tact ns|plain cubic ns|ratio|cubic missed|cubic invented");
    json_t *steps = NULL;
    ccd_scene scene;
    bool done = queries && tact_ccd_scene_sheets(&scene, suite_size(s, 5, 3, 2), suite_size(s, 51, 31, 8), s->seed);
    if (done) {
        done = race_scene(s, &scene, queries, steps);
        tact_ccd_scene_release(&scene);
    }
    char *names[MOST_SCENES];
    const int count = done && s->scenes ? list_scenes(s->scenes, names) : 0;
    for (int i = 0; i < count; i++) {
        char error[512];
        if (done && tact_ccd_scene_read(&scene, names[i], error, sizeof error)) {
            done = race_scene(s, &scene, queries, steps);
            tact_ccd_scene_release(&scene);
        } else if (done) {
            (void)fprintf(stderr, "tact bench: %s\n", error);
        }
        free(names[i]);
    }
    if (!done) {
        json_decref(queries);
        return false;
    }
    tact_table_note(queries, "One thread, the best of %d turns of each batch of %d pairs. Tact gives time, weights and normal, all exact; the cubic "
                             "yes or no and a time.",
                    (int)QUERY_ROUNDS, (int)CCD_BATCH);
    return tact_table_end(s, "ccd_queries", queries);
}
