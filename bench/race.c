/* A race of libraries on convex pairs. See race.h. */
#include "race.h"

#include <math.h>
#include <stdlib.h>

#include "stopwatch.h"

/* Pairs timed at once: long enough for the clock (microseconds against some tens of ns), short enough that a
 * disturbance affects little. */
#define PAIRS_PER_BLOCK 500

const convex_runner *const tact_race_distance_runners[DISTANCE_RUNNERS] = {&tact_convex_runner_distance,
#ifdef TACT_HAVE_FCL
                                                                           &tact_convex_runner_fcl
#endif
};

const convex_runner *const tact_race_overlap_runners[OVERLAP_RUNNERS] = {&tact_convex_runner_overlap,
#ifdef TACT_HAVE_CCD
                                                                         &tact_convex_runner_libccd_mpr
#endif
};

static void check_answers(const convex_pair_set *set, pair_situation situation, race_kind kind, const double *answers,
                          race_result *result)
{
    *result = (race_result){0};
    for (int i = 0; i < set->count; i++) {
        double gap = set->pairs[situation][i].gap, answer = answers[i];
        bool overlap = kind == RACE_DISTANCE ? answer == 0.0 : answer == 1.0;
        if (!(answer >= 0.0) || overlap != (gap < 0.0))
            result->wrong++;
        double error = fabs(answer - (gap > 0.0 ? gap : 0.0));
        if (kind == RACE_DISTANCE && error > result->error)
            result->error = error;
    }
}

/* Loads the pairs of a block into the cache before each library runs. Otherwise the first one would load them for the
 * others, a fifth of the time of two separated boxes. */
static void fetch(const convex_pair *pairs, int begin, int end)
{
    const volatile unsigned char *bytes = (const volatile unsigned char *)(pairs + begin);
    for (size_t i = 0; i < (size_t)(end - begin) * sizeof *pairs; i += 64)
        (void)bytes[i];
}

bool tact_race_run(const convex_pair_set *set, pair_situation situation, const convex_runner *const *runners, int count,
                   race_kind kind, int rounds, race_result *results)
{
    int blocks = (set->count + PAIRS_PER_BLOCK - 1) / PAIRS_PER_BLOCK;
    double *answers = calloc((size_t)set->count, sizeof *answers);
    void *states[RACE_MAX_RUNNERS] = {0};
    laps l = {0};
    bool done = answers && tact_laps_create(&l, count, blocks, rounds);
    for (int r = 0; done && r < count; r++) {
        states[r] = runners[r]->prepare(set, situation);
        done = states[r] != NULL;
        if (done) {
            runners[r]->run(states[r], 0, set->count, answers);
            check_answers(set, situation, kind, answers, &results[r]);
        }
    }
    for (int round = 0; done && round < rounds; round++) {
        for (int block = 0; block < blocks; block++) {
            int begin = block * PAIRS_PER_BLOCK,
                end = begin + PAIRS_PER_BLOCK < set->count ? begin + PAIRS_PER_BLOCK : set->count;
            for (int r = 0; r < count; r++) {
                fetch(set->pairs[situation], begin, end);
                double before = tact_stopwatch_now();
                runners[r]->run(states[r], begin, end, answers);
                tact_laps_record(&l, r, block, round, tact_stopwatch_now() - before);
            }
        }
    }
    for (int r = 0; r < count; r++) {
        if (done)
            results[r].ns = tact_laps_median(&l, r) / set->count;
        if (states[r])
            runners[r]->finish(states[r]);
    }
    tact_laps_release(&l);
    free(answers);
    return done;
}
