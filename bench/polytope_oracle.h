/*
 * The judge of the benchmarks: whether, and how far apart, two placed polytopes are, in long double, with a proof.
 */
#ifndef TACT_BENCH_POLYTOPE_ORACLE_H
#define TACT_BENCH_POLYTOPE_ORACLE_H

#include "solid.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct oracle_vec {
    long double x, y, z;
} oracle_vec;

/* The corners of a solid placed in the world. Room for the largest solid is taken once and used again. */
typedef struct oracle_polytope {
    int count, capacity;
    oracle_vec *points;
} oracle_polytope;

bool tact_oracle_transform(oracle_polytope *polytope, const solid *s, const tact_transform *at);
void tact_oracle_release(oracle_polytope *polytope);

typedef enum oracle_overlap {
    ORACLE_APART,    /* proved: a plane lies between them */
    ORACLE_OVERLAP,  /* proved: they have a common point inside both hulls */
    ORACLE_UNDECIDED /* neither could be shown: they touch to within rounding */
} oracle_overlap;

typedef struct oracle_result {
    oracle_overlap overlap;
    long double distance; /* ORACLE_APART: of the nearest points */
    long double lower;    /* ORACLE_APART: of the proved lower bound */
    oracle_vec normal;    /* ORACLE_APART: unit, from A to B */
} oracle_result;

/* Finds nearest points by iteration and then proves them by looking at every corner. `axis` is where to begin, may be
 * NULL. */
oracle_result tact_oracle_distance(const oracle_polytope *a, const oracle_polytope *b, const oracle_vec *axis);

/* Brute force over separating axes: all face normals of both hulls and all cross products of their edges. Returns the
 * largest separation found on a unit axis: positive if apart, minus the penetration depth if they overlap. */
long double tact_oracle_separation(const solid *a, const oracle_polytope *transform_a, const solid *b,
                                   const oracle_polytope *transform_b);

/* Does a plane of this normal (from A to B) lie between them? */
bool tact_oracle_separates(const oracle_polytope *a, const oracle_polytope *b, oracle_vec normal);

#ifdef __cplusplus
}
#endif

#endif
