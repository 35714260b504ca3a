/*
 * The libraries of the race of convex pairs: all answer the same queries about the same pairs. `prepare` converts the
 * input before the clock starts; `run` is timed.
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
    /* Converts the pairs of one situation. NULL if memory runs out. The set outlives the returned state. */
    void *(*prepare)(const convex_pair_set *set, pair_situation situation);
    /* Answers pairs `begin` to `end` - 1 into answers[begin] ... : the distance (0 if they overlap), or 1 for overlap,
     * else 0. */
    void (*run)(void *state, int begin, int end, double *answers);
    void (*finish)(void *state);
} convex_runner;

extern const convex_runner tact_convex_runner_distance;
extern const convex_runner tact_convex_runner_overlap;
/* Tact's shape for a solid, or NULL on failure. */
tact_shape *tact_solid_shape(const solid *s);
#ifdef TACT_HAVE_CCD
extern const convex_runner tact_convex_runner_libccd_mpr;
/* Tests one pair with libccd's MPR and its default tolerance. */
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
