/*
 * B-spline basis functions and extraction operators of one knot vector.
 *
 * A span is given by the index k of its first knot: [knots[k], knots[k + 1]), of positive length and inside the domain.
 * The degree + 1 basis functions that do not vanish there have the numbers k - degree to k. Only the knots k + 1 -
 * degree to k + degree are read.
 */
#ifndef TACT_NURBS_NURBS_BASIS_H
#define TACT_NURBS_NURBS_BASIS_H

#include <stddef.h>

/* The basis functions of span k at t and their derivatives up to `order`: derivative m of function k - degree + i is
 * out[m * (degree + 1) + i]. Outside the span its polynomials are continued. */
void tact_nurbs_basis_of_knots(const double *knots, int degree, size_t k, double t, int order, double *out);

/* The extraction operator of span k: Bezier control point a is the sum over i of out[a * (degree + 1) + i] times
 * control point k - degree + i. */
void tact_nurbs_extraction_of_knots(const double *knots, int degree, size_t k, double *out);

/* The last index k, from degree to count - 1, of a span with knots[k] <= t; the first span if t is smaller or NaN. */
size_t tact_nurbs_find_knot(const double *knots, int degree, size_t count, double t);

#endif
