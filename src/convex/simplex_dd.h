/* The closest point of a simplex to the origin, in double-double (simplex.c). */
#ifndef TACT_CONVEX_SIMPLEX_DD_H
#define TACT_CONVEX_SIMPLEX_DD_H

#include "math/dd_vec.h"

typedef struct simplex_dd_solution {
    dd_vec v;      /* the closest point; zero if all four points are needed */
    dd vv;         /* |v|^2 */
    dd weight[4];  /* barycentric coordinates: sum 1; 0 for points that are not needed */
    unsigned mask; /* bit i: point i is needed */
} simplex_dd_solution;

/* For 1 to 4 points. `guess` is the subset to try first, 0 for none. `least` is a length: a subset that a point extends
 * by less is flat; 0 if the points are doubles. The caller has entered the default environment (math/fp_environment.h).
 */
void tact_simplex_solve_dd(const dd_vec *w, int count, unsigned guess, double least, simplex_dd_solution *solution);

#endif
