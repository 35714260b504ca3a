/* The libraries that run the I-COLLIDE recording: set all transforms of a frame and find the overlapping pairs. */
#ifndef TACT_BENCH_WORLD_RUNNER_H
#define TACT_BENCH_WORLD_RUNNER_H

#include "icollide_run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Index of a pair, a < b, in the order (0 1) (0 2) ... (1 2) ... */
static inline int icollide_pair(int a, int b) { return a * (2 * ICOLLIDE_BODIES - a - 1) / 2 + (b - a - 1); }

typedef struct world_runner {
    const char *name;
    void *(*create)(const icollide_run *run);                     /* NULL if memory runs out */
    void (*play)(void *state, int frame, unsigned char *touched); /* timed; sets touched[pair] = 1 */
    long (*failed)(const void *state);                            /* failed calls; NULL: unknown */
    void (*finish)(void *state);
} world_runner;

#ifdef TACT_HAVE_FCL
extern const world_runner tact_world_fcl;
#endif

#ifdef __cplusplus
}
#endif

#endif
