/*
 * Ways to see to it that each pair of features is tested once, though a vertex is a corner of six triangles and an edge
 * a side of two: for `tact-bench hutter-fuhrmann-2007`, on the tree of a sweep.
 */
#ifndef TACT_BENCH_TESTED_ONCE_H
#define TACT_BENCH_TESTED_ONCE_H

#include "sweep/sweep.h"

typedef enum once_way {
    ONCE_NOT,         /* not at all: each pair as often as triangles bring it */
    ONCE_STORED,      /* the seed's: pairs that were tested are stored, and looked up */
    ONCE_REPRESENTED, /* ours: each feature belongs to one triangle (sweep/feature_assignment.c) */
    ONCE_WAYS
} once_way;

typedef struct once_cost {
    double ns, bound_tests, tests, contacts;
    size_t bytes; /* that it takes, the most so far */
} once_cost;

typedef struct tested_once tested_once;

/* For a sweep of triangles alone; NULL without memory. It is to be released before the sweep. */
tested_once *tact_once_create(const mesh_sweep *s);
void tact_once_release(tested_once *o); /* NULL is allowed */

/* Searches the step that the sweep has just run, from `start` to `end`, with its bounds. Adds to the cost; false
 * without memory. */
bool tact_once_search(tested_once *o, const tact_vec3 *start, const tact_vec3 *end, once_way way, once_cost *cost);

#endif
