/* `tact-bench race`: convex pairs, distance against FCL and overlap against libccd's MPR, on the same input in one run.
 */
#include <stdio.h>

#include "race.h"
#include "suite.h"

static void print_head(const char *title, const char *peer, bool with_error)
{
    printf("\n%s\n%-16s %-8s %9s", title, "", "", "Tact");
    if (peer)
        printf(" %11s %7s", peer, "ratio");
    printf("   %s", with_error ? "largest error, wrong: Tact" : "wrong: Tact");
    if (peer)
        printf("; %s", peer);
    printf("\n");
}

static void print_row(const convex_pair_set *set, pair_situation situation, const race_result *r, int runners,
                      bool with_error)
{
    printf("%-16s %-8s %9.1f", tact_pair_class_names[set->class_of], tact_pair_situation_names[situation], r[0].ns);
    if (runners > 1)
        printf(" %11.1f %7.2f", r[1].ns, r[1].ns / r[0].ns);
    printf("  ");
    for (int i = 0; i < runners; i++) {
        if (with_error)
            printf(" %.1e,", r[i].error);
        printf(" %ld%s", r[i].wrong, i + 1 < runners ? ";" : "\n");
    }
}

static bool report_row(const suite *s, const char *key, const convex_pair_set *set, pair_situation situation,
                       const convex_runner *const *runners, const race_result *r, int count, bool with_error)
{
    json_t *list = json_object_get(s->report, key);
    if (!list) {
        list = json_array();
        if (json_object_set_new(s->report, key, list) != 0)
            return false;
    }
    json_t *times = json_array();
    for (int i = 0; i < count; i++) {
        json_t *entry =
            json_pack("{sssfsI}", "library", runners[i]->name, "ns_per_pair", r[i].ns, "wrong", (json_int_t)r[i].wrong);
        if (with_error)
            (void)json_object_set_new(entry, "largest_error", json_real(r[i].error));
        (void)json_array_append_new(times, entry);
    }
    json_t *row = json_pack("{sssssIso}", "pair", tact_pair_class_names[set->class_of], "situation",
                            tact_pair_situation_names[situation], "pairs", (json_int_t)set->count, "results", times);
    return json_array_append_new(list, row) == 0;
}

bool tact_bench_race(const suite *s)
{
    int count = suite_size(s, 100000, 5000, 20), rounds = suite_size(s, 5, 3, 1);
    race_result distance[PAIR_CLASSES][PAIR_SITUATIONS][RACE_MAX_RUNNERS];
    race_result overlap[PAIR_CLASSES][PAIR_SITUATIONS][RACE_MAX_RUNNERS];
    convex_pair_set sets[PAIR_CLASSES]; /* only the names are used after the race */
    for (int k = 0; k < PAIR_CLASSES; k++) {
        convex_pair_set set;
        if (!tact_pairs_create(&set, (pair_class)k, count, s->seed))
            return false;
        bool done = true;
        for (int i = 0; done && i < PAIR_SITUATIONS; i++) {
            pair_situation situation = (pair_situation)i;
            done = tact_race_run(&set, situation, tact_race_distance_runners, DISTANCE_RUNNERS, RACE_DISTANCE, rounds,
                                 distance[k][i]) &&
                   tact_race_run(&set, situation, tact_race_overlap_runners, OVERLAP_RUNNERS, RACE_OVERLAP, rounds,
                                 overlap[k][i]);
            *s->wrong += done ? distance[k][i][0].wrong + overlap[k][i][0].wrong : 0;
            if (done && s->report)
                done = report_row(s, "race_distance", &set, situation, tact_race_distance_runners, distance[k][i],
                                  DISTANCE_RUNNERS, true) &&
                       report_row(s, "race_overlap", &set, situation, tact_race_overlap_runners, overlap[k][i],
                                  OVERLAP_RUNNERS, false);
        }
        sets[k] = (convex_pair_set){.class_of = set.class_of, .count = set.count};
        tact_pairs_release(&set);
        if (!done)
            return false;
    }
    if (s->silent)
        return true;
    printf("\nConvex pairs: %d pairs per row, median time in ns per pair, one thread, no cache between calls\n", count);
    print_head("Distance", DISTANCE_RUNNERS > 1 ? "FCL" : NULL, true);
    for (int k = 0; k < PAIR_CLASSES; k++) {
        for (int i = 0; i < PAIR_SITUATIONS; i++)
            print_row(&sets[k], (pair_situation)i, distance[k][i], DISTANCE_RUNNERS, true);
    }
    print_head("Overlap", OVERLAP_RUNNERS > 1 ? "libccd MPR" : NULL, false);
    for (int k = 0; k < PAIR_CLASSES; k++) {
        for (int i = 0; i < PAIR_SITUATIONS; i++)
            print_row(&sets[k], (pair_situation)i, overlap[k][i], OVERLAP_RUNNERS, false);
    }
    if (DISTANCE_RUNNERS < 2 || OVERLAP_RUNNERS < 2)
        printf("Not found when tact-bench was built:%s%s\n", DISTANCE_RUNNERS < 2 ? " FCL" : "",
               OVERLAP_RUNNERS < 2 ? " libccd" : "");
    return true;
}
