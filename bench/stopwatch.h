/*
 * Timing on a machine that has other things to do. The work is cut into blocks; each is timed several times, as often
 * for every convex_runner, and the result is the sum over the blocks of the median time of each. In the races (convex
 * pairs, I-COLLIDE, meshes, worlds) contestants take turns block by block; broad phases, which carry their state from
 * frame to frame, run one after the other. The clock is the processor time of the thread, so that waiting for the
 * processor does not count.
 */
#ifndef TACT_BENCH_STOPWATCH_H
#define TACT_BENCH_STOPWATCH_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

double tact_stopwatch_now(void);  /* ns */
double tact_stopwatch_wall(void); /* ns by the clock on the wall, for work on several threads */

typedef struct laps {
    int runners, blocks, rounds;
    double *times; /* [runner][block][round], ns */
} laps;

bool tact_laps_create(laps *l, int runners, int blocks, int rounds);
void tact_laps_release(laps *l);
void tact_laps_record(laps *l, int runner, int block, int round, double ns);
/* The sum over blocks of the median (over rounds; of an even number the mean of the middle two) of a runner's times.
 * Sorts what was noted. */
double tact_laps_median(laps *l, int runner);

#ifdef __cplusplus
}
#endif

#endif
