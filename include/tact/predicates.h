/**
 * @file
 * Exact predicates: the sign of a polynomial of the coordinates, as -1, 0 or +1, right for all finite doubles,
 * subnormal and huge ones included, whatever rounding mode or flush-to-zero setting the caller has (it is neither
 * relied upon nor changed). Input that is not finite gives 0. No allocation, free-threaded.
 *
 * A proved floating-point filter answers nearly always, in some 10 ns. The rest is computed exactly, in integers: 0.1
 * us for coplanar points of like size, 0.5 us with ordinary exponents, some microseconds where the smallest and the
 * largest doubles meet. The largest stack frame is 16 KiB.
 *
 * As the signs are exact, they are consistent: swapping two points of an orientation reverses it, always.
 */
#ifndef TACT_PREDICATES_H
#define TACT_PREDICATES_H

#include <tact/vec.h>

TACT_BEGIN

/** Which way the path a, b, c turns in the plane: the sign of (bx - ax) (cy - ay) - (by - ay) (cx - ax). +1:
 * counter-clockwise (left, with x to the right and y up), -1: clockwise, 0: the points are collinear. Points are pairs
 * (x y), not NULL. */
TACT_API int tact_orient2d(const double a[2], const double b[2], const double c[2]);

/** On which side of the plane through a, b, c the point d lies: the sign of the determinant |b-a, c-a, d-a|, which is
 * ((b-a) x (c-a)) . (d-a). +1: on the side to which the normal (b-a) x (c-a) points, from which a, b, c appear
 * counter-clockwise; -1: on the other side; 0: the four points are coplanar. For (0 0 0), (1 0 0), (0 1 0), (0 0 1) it
 * is +1. (Some libraries use the opposite sign.) */
TACT_API int tact_orient3d(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d);

/** Are the three points exactly collinear (two or three equal ones included)? 1 or 0. */
TACT_API int tact_collinear(tact_vec3 a, tact_vec3 b, tact_vec3 c);

/** The sign of (a - c) . (b - c). For c on the line through a and b: -1 strictly between them, 0 at one of them, +1
 * outside. For any c: -1 inside the ball that has the segment a b as diameter, 0 on its surface, +1 outside. */
TACT_API int tact_dot_sign(tact_vec3 a, tact_vec3 b, tact_vec3 c);

/** Which of a and b is farther from c: the sign of |a - c|^2 - |b - c|^2. +1: a, -1: b, 0: both are equally far. */
TACT_API int tact_compare_distance(tact_vec3 a, tact_vec3 b, tact_vec3 c);

/** On which side of the sphere through a, b, c, d the point e lies. When orient3d(a, b, c, d) is +1: +1 inside, -1
 * outside, 0 on the sphere; when it is -1, the other way round. When it is 0 there is no sphere, and the sign is that
 * of the determinant with the rows (|p|^2, p) for p = a-e, b-e, c-e, d-e, as it is always. */
TACT_API int tact_insphere(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d, tact_vec3 e);

TACT_END

#endif
