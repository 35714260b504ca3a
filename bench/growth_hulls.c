/* `tact-bench hulls`: cost of support, distance and overlap queries against the number of hull vertices. */
#include <stdio.h>
#include <stdlib.h>
#include <tact/shape.h>

#include "race.h"
#include "stopwatch.h"
#include "suite.h"
#include "support/random.h"

#define DIRECTIONS 1000

/* Nanoseconds of tact_shape_support on the hull of a solid, over random directions; negative on failure. */
static double time_support(const solid *s, int rounds, random_source *random)
{
    tact_shape *shape = tact_solid_shape(s);
    laps l = {0};
    double ns = -1.0;
    if (shape && tact_laps_create(&l, 1, 1, rounds)) {
        static tact_vec3 directions[DIRECTIONS];
        for (int i = 0; i < DIRECTIONS; i++)
            directions[i] = random_direction(random);
        tact_vec3 one = {1.0, 1.0, 1.0};
        tact_transform at = tact_transform_make((tact_vec3){0}, random_rotation(random), one);
        volatile double sink = 0.0;
        for (int round = 0; round < rounds; round++) {
            double before = tact_stopwatch_now();
            for (int i = 0; i < DIRECTIONS; i++) {
                tact_vec3 point = {0};
                (void)tact_shape_support(shape, at, directions[i], &point);
                sink = sink + point.x;
            }
            tact_laps_record(&l, 0, 0, round, tact_stopwatch_now() - before);
        }
        ns = tact_laps_median(&l, 0) / DIRECTIONS;
    }
    tact_laps_release(&l);
    tact_shape_release(shape);
    return ns;
}

bool tact_bench_growth_hulls(const suite *s)
{
    static const int sizes[] = {10, 30, 100, 300, 1000, 3000, 10000};
    int rounds = suite_size(s, 9, 3, 1);
    json_t *list = json_array();
    if (!s->silent)
        printf("\nGrowth: hulls of n points, within 1 %% of touching (ns per call)\n%8s %9s %11s %11s %11s %11s\n",
               "points", "support", "distance", DISTANCE_RUNNERS > 1 ? "FCL" : "", "overlap",
               OVERLAP_RUNNERS > 1 ? "libccd MPR" : "");
    bool done = list != NULL;
    for (size_t k = 0; done && k < sizeof sizes / sizeof sizes[0]; k++) {
        int n = sizes[k], side = n <= 300 ? 16 : 2, count = n <= 300 ? 2000 : 200;
        if (n > suite_size(s, 10000, 1000, 30))
            break;
        convex_pair_set set;
        if (!tact_pairs_create_hulls(&set, n, side, count, s->seed))
            done = false;
        race_result distance[RACE_MAX_RUNNERS], overlap[RACE_MAX_RUNNERS];
        random_source random = random_seed(s->seed);
        double support = done ? time_support(&set.solids[0], rounds, &random) : -1.0;
        done =
            done && support >= 0.0 &&
            tact_race_run(&set, PAIRS_NEAR, tact_race_distance_runners, DISTANCE_RUNNERS, RACE_DISTANCE, rounds,
                          distance) &&
            tact_race_run(&set, PAIRS_NEAR, tact_race_overlap_runners, OVERLAP_RUNNERS, RACE_OVERLAP, rounds, overlap);
        *s->wrong += done ? distance[0].wrong + overlap[0].wrong : 0;
        if (done && s->report) {
            json_t *row = json_pack("{sIsfsfsf}", "points", (json_int_t)n, "support_ns", support, "distance_ns",
                                    distance[0].ns, "overlap_ns", overlap[0].ns);
            if (DISTANCE_RUNNERS > 1)
                (void)json_object_set_new(row, "fcl_distance_ns", json_real(distance[DISTANCE_RUNNERS - 1].ns));
            if (OVERLAP_RUNNERS > 1)
                (void)json_object_set_new(row, "libccd_mpr_ns", json_real(overlap[OVERLAP_RUNNERS - 1].ns));
            (void)json_array_append_new(list, row);
        }
        if (done && !s->silent) {
            printf("%8d %9.1f %11.1f", n, support, distance[0].ns);
            if (DISTANCE_RUNNERS > 1)
                printf(" %11.1f", distance[DISTANCE_RUNNERS - 1].ns);
            else
                printf(" %11s", "");
            printf(" %11.1f", overlap[0].ns);
            if (OVERLAP_RUNNERS > 1)
                printf(" %11.1f", overlap[OVERLAP_RUNNERS - 1].ns);
            printf("\n");
        }
        tact_pairs_release(&set);
    }
    if (done && s->report)
        return json_object_set_new(s->report, "growth", list) == 0;
    json_decref(list);
    return done;
}
