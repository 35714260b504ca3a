/* A race: several contestants on the same pairs, taking turns. */
#ifndef TACT_BENCH_RACE_H
#define TACT_BENCH_RACE_H

#include "convex_runner.h"

#define RACE_MAX_RUNNERS 4

typedef struct race_result {
    double ns;    /* a pair */
    double error; /* the largest error of a distance against the truth */
    long wrong;   /* apart told as touching, or the other way round, or no answer at all */
} race_result;

/* What the answers of a convex_runner are. */
typedef enum race_kind { RACE_DISTANCE, RACE_OVERLAP } race_kind;

/* Runs `count` contestants over the pairs of a situation once to warm up and `rounds` times on the clock. False when
 * memory runs out. */
bool tact_race_run(const convex_pair_set *set, pair_situation situation, const convex_runner *const *runners, int count,
                   race_kind kind, int rounds, race_result *results);

#endif
