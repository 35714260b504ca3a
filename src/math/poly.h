/*
 * Polynomials of degree three and less with wide integer coefficients, and their real roots: decided, never
 * approximated.
 *
 * The roots of a polynomial are numbered from 0 in ascending order, a double root counting twice. Every question below
 * has an answer after a number of operations that does not depend on how near roots lie to each other or to the point
 * asked about: nothing is refined, and a common root of two polynomials is found to be one. See poly.c for how.
 */
#ifndef TACT_MATH_POLY_H
#define TACT_MATH_POLY_H

#include "math/wide.h"

#define POLY_DEGREE 3 /* the highest */

/* Sum of c[i] x^i. Coefficients above the degree are 0; the one at the degree is not. */
typedef struct poly {
    int degree; /* -1 for the polynomial 0 */
    wide c[POLY_DEGREE + 1];
} poly;

/* c[0] to c[3], of which the last ones may be 0. */
static inline poly poly_make(const wide c[POLY_DEGREE + 1])
{
    poly f = {POLY_DEGREE, {c[0], c[1], c[2], c[3]}};
    while (f.degree >= 0 && f.c[f.degree].sign == 0)
        --f.degree;
    return f;
}

/* f(x) for a finite x, divided by the power of two whose exponent is written. Keeps the value on the workspace, if it
 * is not a coefficient; for coefficients of n words it takes 2 n, 3 degree words for every 64 bits of x after the point
 * or before it, and 12. */
wide tact_poly_value(wide_workspace *workspace, const poly *f, double x, int *exponent);

/* The sign of f(x) for a finite x. Leaves the workspace as it was. */
static inline int poly_sign(wide_workspace *workspace, const poly *f, double x)
{
    int mark = workspace->used, exponent;
    int sign = tact_poly_value(workspace, f, x, &exponent).sign;
    workspace->used = mark;
    return sign;
}

/* A polynomial in doubles, see poly_approximation.h. */
typedef struct poly_approximation {
    int degree, unit;
    double c[POLY_DEGREE + 1];
} poly_approximation;

/* A polynomial whose roots in an interval are asked for. */
typedef struct poly_roots {
    poly f;                           /* not the polynomial 0 */
    poly derivative;                  /* f' */
    poly half_second_derivative;      /* f'' / 2 */
    poly_approximation approximation; /* f in doubles, for arguments in the interval */
    int count;         /* of real roots, multiple ones counted so; unless there are none in the interval, 0 then */
    int first, last;   /* those from `first` up to, not including, `last` are in the interval */
    int count_at_from; /* so many of them are at its beginning: the first ones */
    int count_at_to;   /* and at its end: the last ones */
    double from, to;   /* the interval */
    int monotone;      /* 1 if f rises throughout the interval, -1 if it falls, 0 if that is not known */
} poly_roots;

/* Which roots lie in [from, to]? Keeps 2 numbers of a word more than f has on the workspace, for as long as the roots
 * are used. */
poly_roots tact_poly_roots_find(wide_workspace *workspace, const poly *f, double from, double to);

/* The sign of r - x, where r is root number k. */
int tact_poly_root_compare(wide_workspace *workspace, const poly_roots *roots, int k, double x);

/* The sign of g(r), where r is root number k and g is of degree 2 at most. Leaves the workspace as it was, as the
 * others here do; takes the words of 35 numbers of the length of a coefficient of f, if those of g have two thirds of
 * it, and some single ones. */
int tact_poly_root_sign(wide_workspace *workspace, const poly_roots *roots, int k, const poly *g);

/* The sign of r - s, where s is root number j of `others`, which is of degree 2 at most. */
int tact_poly_root_compare_root(wide_workspace *workspace, const poly_roots *roots, int k, const poly_roots *others,
                                int j);

#endif
