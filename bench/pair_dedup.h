/*
 * Methods to test each feature pair once, although a vertex belongs to about six triangles and an edge to two: for
 * `tact-bench hutter-fuhrmann-2007`, on the tree of a sweep.
 */
#ifndef TACT_BENCH_PAIR_DEDUP_H
#define TACT_BENCH_PAIR_DEDUP_H

#include "sweep/sweep.h"

typedef enum dedup_method {
    DEDUP_NONE,               /* each pair is tested as often as its triangles overlap */
    DEDUP_STORED_PAIRS,       /* tested pairs are stored and looked up (Hutter and Fuhrmann 2007) */
    DEDUP_FEATURE_ASSIGNMENT, /* the library's: each feature is assigned to one triangle (sweep/feature_assignment.c) */
    DEDUP_METHODS
} dedup_method;

typedef struct dedup_cost {
    double ns, bound_tests, tests, contacts;
    size_t bytes; /* additional memory, the peak so far */
} dedup_cost;

typedef struct pair_dedup pair_dedup;

/* For a sweep over triangles only. NULL if memory runs out. Release it before the sweep. */
pair_dedup *tact_pair_dedup_create(const mesh_sweep *s);
void tact_pair_dedup_release(pair_dedup *dedup); /* NULL is allowed */

/* Searches the step that the sweep has just run, from `start` to `end`, with its bounds. Adds to the cost. Returns
 * false if memory runs out. */
bool tact_pair_dedup_search(pair_dedup *dedup, const tact_vec3 *start, const tact_vec3 *end, dedup_method method,
                            dedup_cost *cost);

#endif
