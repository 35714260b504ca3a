/*
 * The judge of the benchmarks: whether, and how far apart, two placed polytopes are, in long double, with a proof.
 */
#ifndef TACT_BENCH_TRUTH_H
#define TACT_BENCH_TRUTH_H

#include "solid.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct truth_vec {
    long double x, y, z;
} truth_vec;

/* The corners of a solid placed in the world. Room for the largest solid is taken once and used again. */
typedef struct truth_cloud {
    int count, room;
    truth_vec *points;
} truth_cloud;

bool tact_truth_place(truth_cloud *cloud, const solid *s, const tact_transform *at);
void tact_truth_release(truth_cloud *cloud);

typedef enum truth_verdict {
    TRUTH_APART,   /* proved: a plane lies between them */
    TRUTH_OVERLAP, /* proved: they have a common point inside both hulls */
    TRUTH_UNSURE   /* neither could be shown: they touch to within rounding */
} truth_verdict;

typedef struct truth {
    truth_verdict verdict;
    long double distance; /* TRUTH_APART: of the nearest points */
    long double lower;    /* TRUTH_APART: of the proved lower bound */
    truth_vec normal;     /* TRUTH_APART: unit, from A to B */
} truth;

/* Finds nearest points by iteration and then proves them by looking at every corner. `axis` is where to begin, may be
 * NULL. */
truth tact_truth_of(const truth_cloud *a, const truth_cloud *b, const truth_vec *axis);

/* Brute force over separating axes: all face normals of both hulls and all cross products of their edges. Returns the
 * largest separation found on a unit axis: positive if apart, minus the penetration depth if they overlap. */
long double tact_truth_separation(const solid *a, const truth_cloud *transform_a, const solid *b,
                                  const truth_cloud *transform_b);

/* Does a plane of this normal (from A to B) lie between them? */
bool tact_truth_splits(const truth_cloud *a, const truth_cloud *b, truth_vec normal);

#ifdef __cplusplus
}
#endif

#endif
