#define _POSIX_C_SOURCE 200809L
/* Clocks and lap times. See stopwatch.h. */
#include "stopwatch.h"

#include <stdlib.h>
#include <time.h>

static double read_clock(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

double tact_stopwatch_now(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

double tact_stopwatch_wall(void) { return read_clock(CLOCK_MONOTONIC); }

bool tact_laps_create(laps *l, int runners, int blocks, int rounds)
{
    *l = (laps){.runners = runners, .blocks = blocks, .rounds = rounds};
    l->times = calloc((size_t)runners * (size_t)blocks * (size_t)rounds, sizeof *l->times);
    return l->times != NULL;
}

void tact_laps_release(laps *l)
{
    free(l->times);
    *l = (laps){0};
}

static double *row(laps *l, int runner, int block)
{
    return l->times + ((size_t)runner * (size_t)l->blocks + (size_t)block) * (size_t)l->rounds;
}

void tact_laps_record(laps *l, int runner, int block, int round, double ns) { row(l, runner, block)[round] = ns; }

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double tact_laps_median(laps *l, int runner)
{
    double sum = 0.0;
    for (int block = 0; block < l->blocks; block++) {
        double *times = row(l, runner, block);
        qsort(times, (size_t)l->rounds, sizeof *times, by_size);
        sum += 0.5 * (times[l->rounds / 2] + times[(l->rounds - 1) / 2]);
    }
    return sum;
}
