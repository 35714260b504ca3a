/*
 * Contestants: all answer the same questions about the same pairs. What a convex_runner needs to convert it converts in
 * `prepare`, before the clock starts; `run` is what is timed.
 */
#ifndef TACT_BENCH_CONVEX_RUNNER_H
#define TACT_BENCH_CONVEX_RUNNER_H

#include <tact/shape.h>

#include "convex_pairs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct convex_runner {
    const char *name;
    /* Makes ready the pairs of one situation; NULL when memory runs out. The set outlives what is returned. */
    void *(*prepare)(const convex_pair_set *set, pair_situation situation);
    /* Answers pairs `begin` to `end` - 1 into answers[begin] ... : a distance (0 when they touch), or 1 for touching,
     * else 0. */
    void (*run)(void *state, int begin, int end, double *answers);
    void (*finish)(void *state);
} convex_runner;

extern const convex_runner tact_convex_runner_distance;
extern const convex_runner tact_convex_runner_overlap;
/* The library's shape for a solid; NULL when it cannot be made. */
tact_shape *tact_solid_shape(const solid *s);
#ifdef TACT_HAVE_CCD
extern const convex_runner tact_convex_runner_libccd_mpr;
/* One pair, libccd's MPR with its default tolerance. */
bool tact_libccd_mpr_overlap(const solid *a, const tact_transform *transform_a, const solid *b,
                             const tact_transform *transform_b);
#endif
#ifdef TACT_HAVE_FCL
extern const convex_runner tact_convex_runner_fcl;
#endif

#ifdef __cplusplus
}
#endif

#endif
