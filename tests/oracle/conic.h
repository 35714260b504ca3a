/*
 * A small conic program: minimise c.x subject to h - G x in K, K a product of half-lines and second-order cones
 * { (t, v) : |v| <= t }. Solved by a primal-dual interior-point method in long double or in quadruple precision.
 */
#ifndef TACT_ORACLE_CONIC_H
#define TACT_ORACLE_CONIC_H

#include "body.h"

#define CONIC_COLUMNS 20
#define CONIC_ROWS 640
#define CONIC_BLOCKS 340

typedef struct conic {
    int columns, rows, blocks;
    int first[CONIC_BLOCKS]; /* row where the block begins */
    int size[CONIC_BLOCKS];  /* 1: half-line; more: second-order cone */
    real c[CONIC_COLUMNS];
    real start[CONIC_COLUMNS]; /* strictly feasible: h - G start is inside K */
    real h[CONIC_ROWS];
    real g[CONIC_ROWS][CONIC_COLUMNS];
} conic;

/* Sees every iterate (x, z) and says whether it is good enough to stop. */
typedef bool conic_judge(void *context, const real *x, const real *z);

/* Both return how many iterations were done. They stop when the judge is content or no progress is possible. */
int conic_solve_long(const conic *problem, conic_judge *judge, void *context);
int conic_solve_quad(const conic *problem, conic_judge *judge, void *context);

#endif
