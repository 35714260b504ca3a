/*
 * NURBS surfaces in exact rational arithmetic, from the definitions: the recursion of Cox and de Boor on polynomials
 * with rational coefficients, exact Taylor expansions, and division of power series. Slow.
 *
 * Arrays of numbers are made by nurbs_exact_numbers.
 */
#ifndef TACT_ORACLE_NURBS_EXACT_H
#define TACT_ORACLE_NURBS_EXACT_H

#include <gmp.h>
#include <stddef.h>
#include <tact/nurbs.h>

/* `count` numbers, all 0. Ends the program if memory runs out. */
mpq_t *nurbs_exact_numbers(size_t count);
void nurbs_exact_free(mpq_t *numbers, size_t count);

/* |value - exact|, rounded. */
double nurbs_exact_error(const mpq_t exact, double value);

/* The span that contains t, clamped to the domain: index of its first knot. By linear search. */
size_t nurbs_exact_span(const double *knots, int degree, size_t count, double t);

/* Derivative m of basis function k - degree + i at t, with the polynomials of the span that begins at knot k, in
 * out[m * (degree + 1) + i], for m <= order. */
void nurbs_exact_basis(mpq_t *out, const double *knots, int degree, size_t k, double t, int order);

/* Coefficient of control point k - degree + i in Bezier control point a of the span that begins at knot k, in
 * out[a * (degree + 1) + i]. From the Taylor expansion, converted to Bernstein polynomials. */
void nurbs_exact_extraction(mpq_t *out, const double *knots, int degree, size_t k);

/* The point at (u, v), clamped to the domain, and its derivatives: coordinate c of the derivative k times by u and l
 * times by v, k + l <= order, in out[(k * (order + 1) + l) * 3 + c]. */
void nurbs_exact_evaluate(mpq_t *out, const tact_nurbs_def *def, double u, double v, int order);

/* Derivative m of basis function `number` of degree p at t, with the polynomials of the span that begins at knot k, and
 * with all signs positive in the difference formula. In doubles. */
double nurbs_absolute_basis(const double *knots, int p, size_t number, size_t k, double t, int m);

/* The natural size of each derivative, in scale[k * (order + 1) + l]: the formulas of the derivatives with every term
 * replaced by its absolute value, and the control points by the largest extent of those that influence the patch. A
 * derivative computed in floating point has an error of a few units of rounding of this size. In doubles. */
void nurbs_natural_scale(double *scale, const tact_nurbs_def *def, double u, double v, int order);

#endif
