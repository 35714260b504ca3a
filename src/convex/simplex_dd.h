/* The point of a simplex nearest to the origin, with its points given and its answer returned in pairs of doubles
 * (convex/simplex.c). */
#ifndef TACT_CONVEX_SIMPLEX_DD_H
#define TACT_CONVEX_SIMPLEX_DD_H

#include "math/dd_vec.h"

typedef struct simplex_dd_answer {
    dd_vec v;      /* the nearest point: zero when all four points are needed */
    dd vv;         /* |v|^2 */
    dd weight[4];  /* of the points in it: sum 1; 0 for those that are not needed */
    unsigned mask; /* bit i: point i is needed */
} simplex_dd_answer;

/* For 1 to 4 points. `guess` is the subset to try first, 0 for none. `least` is a length: what sticks out of the rest
 * of a subset by less does not count; 0 if the points are doubles. The caller has entered the default environment
 * (math/fp_environment.h). */
void tact_simplex_solve_pairs(const dd_vec *w, int count, unsigned guess, double least, simplex_dd_answer *answer);

#endif
