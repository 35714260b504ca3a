/*
 * Ways to see to it that each pair of features is tested once, though a vertex is a corner of six triangles and an edge
 * a side of two: for `tact-bench hutter-fuhrmann-2007`, on the tree of a sweep.
 */
#ifndef TACT_BENCH_PAIR_DEDUP_H
#define TACT_BENCH_PAIR_DEDUP_H

#include "sweep/sweep.h"

typedef enum dedup_method {
    DEDUP_NONE,               /* not at all: each pair as often as triangles bring it */
    DEDUP_STORED_PAIRS,       /* the seed's: pairs that were tested are stored, and looked up */
    DEDUP_FEATURE_ASSIGNMENT, /* ours: each feature belongs to one triangle (sweep/feature_assignment.c) */
    DEDUP_METHODS
} dedup_method;

typedef struct dedup_cost {
    double ns, bound_tests, tests, contacts;
    size_t bytes; /* that it takes, the most so far */
} dedup_cost;

typedef struct pair_dedup pair_dedup;

/* For a sweep of triangles alone; NULL without memory. It is to be released before the sweep. */
pair_dedup *tact_pair_dedup_create(const mesh_sweep *s);
void tact_pair_dedup_release(pair_dedup *dedup); /* NULL is allowed */

/* Searches the step that the sweep has just run, from `start` to `end`, with its bounds. Adds to the cost; false
 * without memory. */
bool tact_pair_dedup_search(pair_dedup *dedup, const tact_vec3 *start, const tact_vec3 *end, dedup_method method,
                            dedup_cost *cost);

#endif
