/**
 * @file
 * Exact geometric predicates: the sign of a polynomial in the coordinates, as -1, 0 or +1. The sign is right for all
 * finite doubles, including subnormal and huge ones, in every rounding mode and with flush-to-zero. A coordinate that
 * is not finite gives 0. The functions allocate nothing and are thread-safe.
 *
 * A floating-point filter with a proved error bound decides nearly every call, in about 10 ns. Exact integer arithmetic
 * decides the rest. It takes 0.1 us for coplanar points of similar size and 0.5 us for ordinary exponents. It takes a
 * few microseconds if one call has both the smallest and the largest doubles. The largest stack frame is 16 KiB.
 *
 * Exact signs are consistent: swapping two points of an orientation always reverses its sign.
 */
#ifndef TACT_PREDICATES_H
#define TACT_PREDICATES_H

#include <tact/vec.h>

TACT_BEGIN

/** Orientation of three points of the plane: the sign of (bx - ax) (cy - ay) - (by - ay) (cx - ax). With x to the
 * right and y up, +1 means that a, b, c turn counter-clockwise, -1 clockwise, 0 that they are collinear. Each point
 * is (x y), not NULL. */
TACT_API int tact_orient2d(const double a[2], const double b[2], const double c[2]);

/** Orientation of four points: the sign of the determinant |b-a, c-a, d-a| = ((b-a) x (c-a)) . (d-a). +1: d lies on the
 * side to which the normal (b-a) x (c-a) points; seen from there, a, b, c are counter-clockwise. -1: d lies on the
 * other side. 0: the points are coplanar. For (0 0 0), (1 0 0), (0 1 0), (0 0 1) it is +1. Shewchuk's orient3d has the
 * opposite sign. */
TACT_API int tact_orient3d(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d);

/** Returns 1 if the three points are collinear, else 0: a truth value, not a sign. Equal points are collinear. */
TACT_API int tact_collinear(tact_vec3 a, tact_vec3 b, tact_vec3 c);

/** Returns the sign of (a - c) . (b - c). It is -1 if c lies inside the sphere with diameter ab, 0 on it, +1 outside.
 * On the line through a and b this means: -1 strictly between them, 0 at a or b, +1 beyond them. */
TACT_API int tact_dot_sign(tact_vec3 a, tact_vec3 b, tact_vec3 c);

/** Returns 1 if c lies on the segment ab, its ends included, else 0: a truth value, not a sign. */
TACT_API int tact_is_between(tact_vec3 a, tact_vec3 b, tact_vec3 c);

/** Compares two distances to c: the sign of |a - c|^2 - |b - c|^2. +1: a is farther, -1: b is farther, 0: equal. */
TACT_API int tact_compare_distance(tact_vec3 a, tact_vec3 b, tact_vec3 c);

/** Position of e relative to the sphere through a, b, c, d. If tact_orient3d(a, b, c, d) is +1, the result is +1
 * inside, 0 on and -1 outside the sphere. If it is -1, the signs are reversed. If it is 0, there is no such sphere. In
 * every case the result is the sign of the determinant with the rows (|p|^2, p) for p = a-e, b-e, c-e, d-e. */
TACT_API int tact_insphere(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d, tact_vec3 e);

TACT_END

#endif
