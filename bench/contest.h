/*
 * Contestants: all answer the same questions about the same pairs. What a contestant needs to convert it converts in
 * `prepare`, before the clock starts; `run` is what is timed.
 */
#ifndef TACT_BENCH_CONTEST_H
#define TACT_BENCH_CONTEST_H

#include <tact/shape.h>

#include "pairs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct contestant {
    const char *name;
    /* Makes ready the pairs of one situation; NULL when memory runs out. The set outlives what is returned. */
    void *(*prepare)(const pair_set *set, pair_situation situation);
    /* Answers pairs `begin` to `end` - 1 into answers[begin] ... : a distance (0 when they touch), or 1 for touching,
     * else 0. */
    void (*run)(void *state, int begin, int end, double *answers);
    void (*finish)(void *state);
} contestant;

extern const contestant tact_contest_ours_distance;
extern const contestant tact_contest_ours_touch;
/* The library's shape for a solid; NULL when it cannot be made. */
tact_shape *tact_solid_shape(const solid *s);
#ifdef TACT_HAVE_CCD
extern const contestant tact_contest_ccd_mpr;
/* One pair, libccd's MPR with its default tolerance. */
bool tact_ccd_touch(const solid *a, const tact_transform *transform_a, const solid *b,
                    const tact_transform *transform_b);
#endif
#ifdef TACT_HAVE_FCL
extern const contestant tact_contest_fcl;
#endif

#ifdef __cplusplus
}
#endif

#endif
