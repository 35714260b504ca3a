/* A race: several libraries on the same pairs, interleaved. */
#ifndef TACT_BENCH_RACE_H
#define TACT_BENCH_RACE_H

#include "convex_runner.h"

#define RACE_MAX_RUNNERS 4

/* Tact first, then the peer if it was found. */
enum {
#ifdef TACT_HAVE_FCL
    DISTANCE_RUNNERS = 2,
#else
    DISTANCE_RUNNERS = 1,
#endif
#ifdef TACT_HAVE_CCD
    OVERLAP_RUNNERS = 2
#else
    OVERLAP_RUNNERS = 1
#endif
};

extern const convex_runner *const tact_race_distance_runners[DISTANCE_RUNNERS];
extern const convex_runner *const tact_race_overlap_runners[OVERLAP_RUNNERS];

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
