/* Oracle for overlap and distance of two transformed polytopes, in long double, with a proof. */
#ifndef TACT_BENCH_POLYTOPE_ORACLE_H
#define TACT_BENCH_POLYTOPE_ORACLE_H

#include "solid.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct oracle_vec {
    long double x, y, z;
} oracle_vec;

/* The vertices of a solid in world coordinates. The memory is reused by later solids. */
typedef struct oracle_polytope {
    int count, capacity;
    oracle_vec *points;
} oracle_polytope;

bool tact_oracle_transform(oracle_polytope *polytope, const solid *s, const tact_transform *at);
void tact_oracle_release(oracle_polytope *polytope);

typedef enum oracle_overlap {
    ORACLE_APART,    /* proved by a separating plane */
    ORACLE_OVERLAP,  /* proved by a common interior point */
    ORACLE_UNDECIDED /* no proof: touching to within rounding error */
} oracle_overlap;

typedef struct oracle_result {
    oracle_overlap overlap;
    long double distance; /* ORACLE_APART: of the closest points */
    long double lower;    /* ORACLE_APART: proved lower bound */
    oracle_vec normal;    /* ORACLE_APART: unit, from A to B */
} oracle_result;

/* Finds the closest points by iteration, then proves the result on all vertices. `axis`: initial direction or NULL. */
oracle_result tact_oracle_distance(const oracle_polytope *a, const oracle_polytope *b, const oracle_vec *axis);

/* Brute force over separating axes: all face normals of both hulls and all cross products of their edges. Returns the
 * largest separation along a unit axis: positive if separated, minus the penetration depth if they overlap. */
long double tact_oracle_separation(const solid *a, const oracle_polytope *transform_a, const solid *b,
                                   const oracle_polytope *transform_b);

/* Does a plane with this normal (from A to B) separate them? */
bool tact_oracle_separates(const oracle_polytope *a, const oracle_polytope *b, oracle_vec normal);

#ifdef __cplusplus
}
#endif

#endif
