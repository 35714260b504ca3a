/*
 * Polynomials of degree at most three with wide integer coefficients, and exact comparisons of their real roots.
 *
 * The roots are numbered from 0 in ascending order, with multiplicity. The number of operations of each query does not
 * depend on how close roots lie to each other or to the given point: nothing is refined iteratively, and a common root
 * of two polynomials is recognised as such. See poly.c for the method.
 */
#ifndef TACT_MATH_POLY_H
#define TACT_MATH_POLY_H

#include "math/wide.h"

#define POLY_DEGREE 3 /* the highest degree */

/* The sum of c[i] x^i. The leading coefficient c[degree] is not 0, those above it are. */
typedef struct poly {
    int degree; /* -1 for the zero polynomial */
    wide c[POLY_DEGREE + 1];
} poly;

/* The polynomial with the coefficients c[0] to c[3]; leading ones may be 0. */
static inline poly poly_make(const wide c[POLY_DEGREE + 1])
{
    poly f = {POLY_DEGREE, {c[0], c[1], c[2], c[3]}};
    while (f.degree >= 0 && f.c[f.degree].sign == 0)
        --f.degree;
    return f;
}

/* f(x) / 2^exponent for a finite x; writes the exponent. The value stays in the workspace, unless it is a coefficient.
 * For coefficients of n words it uses 2 n words, 3 degree words for every 64 bits of x before or after the binary
 * point, and 12 more. */
wide tact_poly_value(wide_workspace *workspace, const poly *f, double x, int *exponent);

/* The sign of f(x) for a finite x. Leaves the workspace unchanged. */
static inline int poly_sign(wide_workspace *workspace, const poly *f, double x)
{
    int mark = workspace->used, exponent;
    int sign = tact_poly_value(workspace, f, x, &exponent).sign;
    workspace->used = mark;
    return sign;
}

/* A scaled polynomial in doubles: see poly_filter.h. */
typedef struct poly_approximation {
    int degree, unit;
    double c[POLY_DEGREE + 1];
} poly_approximation;

/* The real roots of a polynomial in an interval. */
typedef struct poly_roots {
    poly f;                           /* not the zero polynomial */
    poly derivative;                  /* f' */
    poly half_second_derivative;      /* f'' / 2 */
    poly_approximation approximation; /* f in doubles, for arguments in the interval */
    int count;                        /* real roots with multiplicity; 0 if none of them is in the interval */
    int first, last;                  /* roots first to last - 1 are in the interval */
    int count_at_from;                /* how many of them equal `from` (the first ones) */
    int count_at_to;                  /* how many of them equal `to` (the last ones) */
    double from, to;                  /* the interval */
    int monotone;                     /* 1 if f increases throughout the interval, -1 if it decreases, 0 if unknown */
} poly_roots;

/* Finds the roots in [from, to]. Two numbers, one word longer than the coefficients of f, stay in the workspace while
 * the roots are in use. */
poly_roots tact_poly_roots_find(wide_workspace *workspace, const poly *f, double from, double to);

/* Is root number k equal to the next one, k + 1 < count? Leaves the workspace unchanged, like the comparisons. */
bool tact_poly_roots_equal(wide_workspace *workspace, const poly_roots *roots, int k);

/* The sign of r - x, where r is root number k. */
int tact_poly_root_compare(wide_workspace *workspace, const poly_roots *roots, int k, double x);

/* The sign of g(r), where r is root number k and g has degree at most 2. Like the other comparisons it leaves the
 * workspace unchanged. It uses the words of 35 coefficients of f, if those of g are at most two thirds as long, and a
 * few single words. */
int tact_poly_root_sign(wide_workspace *workspace, const poly_roots *roots, int k, const poly *g);

/* The sign of r - s, where s is root number j of `others`, which has degree at most 2. */
int tact_poly_root_compare_root(wide_workspace *workspace, const poly_roots *roots, int k, const poly_roots *others,
                                int j);

#endif
