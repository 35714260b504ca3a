/*
 * Timing on a busy machine. The work is divided into blocks. Each block is timed several times, equally often for every
 * library; the result is the sum over the blocks of the median time. In the races (convex pairs, I-COLLIDE, meshes,
 * worlds) the libraries are interleaved block by block; broad phases, whose state persists over frames, run one after
 * the other. The clock is the CPU time of the thread, so waiting for the processor does not count.
 */
#ifndef TACT_BENCH_STOPWATCH_H
#define TACT_BENCH_STOPWATCH_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

double tact_stopwatch_now(void);  /* ns */
double tact_stopwatch_wall(void); /* ns of wall time, for work on several threads */

typedef struct laps {
    int runners, blocks, rounds;
    double *times; /* [runner][block][round], ns */
} laps;

bool tact_laps_create(laps *l, int runners, int blocks, int rounds);
void tact_laps_release(laps *l);
void tact_laps_record(laps *l, int runner, int block, int round, double ns);
/* The sum over blocks of the median time of a runner (over rounds; the mean of the middle two for an even number).
 * Sorts the recorded times. */
double tact_laps_median(laps *l, int runner);

#ifdef __cplusplus
}
#endif

#endif
