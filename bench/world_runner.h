/* Who plays I-COLLIDE's recording: places all bodies of a frame and finds the pairs that touch. */
#ifndef TACT_BENCH_WORLD_RUNNER_H
#define TACT_BENCH_WORLD_RUNNER_H

#include "icollide_run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pairs are numbered (0 1) (0 2) ... (1 2) ...; a < b. */
static inline int icollide_pair(int a, int b) { return a * (2 * ICOLLIDE_BODIES - a - 1) / 2 + (b - a - 1); }

typedef struct world_runner {
    const char *name;
    void *(*create)(const icollide_run *run);                     /* NULL when memory runs out */
    void (*play)(void *state, int frame, unsigned char *touched); /* touched[pair] = 1; what is timed */
    long (*failed)(const void *state);                            /* calls that did not answer; NULL: it cannot tell */
    void (*finish)(void *state);
} world_runner;

#ifdef TACT_HAVE_FCL
extern const world_runner tact_world_fcl;
#endif

#ifdef __cplusplus
}
#endif

#endif
