/* What the benchmarks share: how they were asked for, and where their figures go. */
#ifndef TACT_BENCH_SUITE_H
#define TACT_BENCH_SUITE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct suite {
    bool quick;     /* a fast pass: the same tables from a tenth of the work or less */
    uint64_t seed;  /* of all that is random */
    json_t *report; /* an object that collects the figures, or NULL for tables on stdout */
} suite;

/* Each prints its tables, or adds one member to the report. They return false when memory runs out. */
bool tact_bench_icollide(const suite *s); /* Figures 4.8 to 4.10 of the thesis */
bool tact_bench_race(const suite *s);     /* the race of convex pairs */
bool tact_bench_growth(const suite *s);   /* how the cost of hulls grows with their size */

#endif
