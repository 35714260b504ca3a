/* A race: several libraries on the same pairs, interleaved. */
#ifndef TACT_BENCH_RACE_H
#define TACT_BENCH_RACE_H

#include "convex_runner.h"

#define RACE_MAX_RUNNERS 4

typedef struct race_result {
    double ns;    /* per pair */
    double error; /* largest error of a distance */
    long wrong;   /* separated reported as overlap, the reverse, or no answer */
} race_result;

/* The query of the race. */
typedef enum race_kind { RACE_DISTANCE, RACE_OVERLAP } race_kind;

/* Runs `count` libraries over the pairs of a situation, once to check the answers and `rounds` times on the clock.
 * Returns false if memory runs out. */
bool tact_race_run(const convex_pair_set *set, pair_situation situation, const convex_runner *const *runners, int count,
                   race_kind kind, int rounds, race_result *results);

#endif
