/*
 * The exact fallback of the predicates, without a filter: integer arithmetic, for all finite doubles. Returns 0 if an
 * argument is not finite. Callers evaluate the floating-point filter first (predicates.c).
 */
#ifndef TACT_MATH_EXACT_H
#define TACT_MATH_EXACT_H

#include <tact/vec.h>

/* The sign of (b-a) x (c-a) in the plane. */
int tact_exact_orient2d(double ax, double ay, double bx, double by, double cx, double cy);

/* The sign of |b-a, c-a, d-a|. */
int tact_exact_orient3d(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d);

/* 1 when (b-a) x (c-a) is the zero vector, otherwise 0. */
int tact_exact_collinear(tact_vec3 a, tact_vec3 b, tact_vec3 c);

/* The sign of (a-c) . (b-c). */
int tact_exact_dot_sign(tact_vec3 a, tact_vec3 b, tact_vec3 c);

/* The sign of |a-c|^2 - |b-c|^2. */
int tact_exact_compare_distance(tact_vec3 a, tact_vec3 b, tact_vec3 c);

/* The sign of the determinant with the rows (|p|^2, p) for p = a-e, b-e, c-e, d-e. */
int tact_exact_insphere(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d, tact_vec3 e);

/* The sign of |d, a-p, b-p|: on which side of the line through p along the vector d the line from a to b passes. */
int tact_exact_line_side(tact_vec3 d, tact_vec3 p, tact_vec3 a, tact_vec3 b);

/* The sign of d x (a-p) in the plane: on which side of the line through p along d the point a lies. */
int tact_exact_line_side2d(double dx, double dy, double px, double py, double ax, double ay);

#endif
