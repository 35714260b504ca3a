/*
 * The error bounds and limits of this room. Each says what it limits, its unit, why it has this value, and which test
 * fails without it. "Performance only": any value gives the same answers.
 */
#ifndef TACT_MATH_MATH_CONSTANTS_H
#define TACT_MATH_MATH_CONSTANTS_H

/* ---- filters of the predicates: filter.h ---- */

/* Relative rounding error in the worst rounding mode: e in the proof of filter.h. Needed by internal_ccd_filter,
 * bounds_hold_where_rounding_decides. */
#define FILTER_EPSILON 0x1p-52

/* Error bounds relative to the product of the maxima, derived in filter.h. internal_predicates. */
#define FILTER_ORIENT2D (9.0 * FILTER_EPSILON)
#define FILTER_ORIENT3D (47.0 * FILTER_EPSILON)
#define FILTER_DOT_SIGN (15.0 * FILTER_EPSILON)
#define FILTER_COMPARE_DISTANCE (35.0 * FILTER_EPSILON)
#define FILTER_INSPHERE (384.0 * FILTER_EPSILON)

/* Range of the maxima, in the caller's unit of length: outside it products could overflow or underflow.
 * internal_predicates. */
#define FILTER_MIN_DIFFERENCE 0x1p-300
#define FILTER_MAX_DIFFERENCE 0x1p300
#define FILTER_MIN_DIFFERENCE_INSPHERE 0x1p-150
#define FILTER_MAX_DIFFERENCE_INSPHERE 0x1p150

/* ---- exact predicates: exact.c ---- */

/* Bits. Coordinates of at most this many bits use 128-bit integers: differences are below 2^61, sums of three products
 * of two differences below 2^125; see also sign_of_products. internal_predicates. */
#define INT128_MAX_BITS 60

/* ---- filters of polynomials: poly_filter.h, poly.c ---- */

/* Relative error of f(x) in doubles, derived in poly_filter.h. internal_polynomial_roots. */
#define POLY_VALUE_ERROR 0x1p-47

/* Relative error of the discriminant of a cubic in doubles, derived in poly.c. internal_polynomial_roots. */
#define POLY_DISCRIMINANT_ERROR 0x1p-46

/* Absolute: exceeds the effect of underflow on scaled coefficients. internal_polynomial_roots. */
#define POLY_UNDERFLOW 0x1p-900

/* ---- intersections: segment_plane.c ---- */

/* Smallest |f - g|, relative to X Y Z (X Y in a projection), for which double-doubles are accurate: derived in
 * segment_plane.c. internal_segment_plane. */
#define SEGMENT_MIN_RELATIVE_DIFFERENCE 0x1p-40

/* Range of the maxima X, Y, Z, in the caller's unit of length, in which no double-double product overflows or loses its
 * low half to underflow. internal_segment_plane. */
#define SEGMENT_MIN_LENGTH 0x1p-200
#define SEGMENT_MAX_LENGTH 0x1p200

/* ---- vectors, matrices and transforms ---- */

/* Range of the largest component, in the caller's unit, within which vec_normalize squares without scaling first.
 * Needed by internal_math_limits, vectors_of_any_length_are_normalized. */
#define VEC_MIN_SQUARABLE 1e-100
#define VEC_MAX_SQUARABLE 1e100

/* Determinant of the scaled axes, no unit: below it the inverse of a transform is computed in double-doubles.
 * Orthogonal axes scaled to 1/2 or more have a determinant of at least 1/8; a smaller one means cancellation.
 * test_transform. */
#define TRANSFORM_WELL_CONDITIONED_DETERMINANT 0.1

/* Sweeps of the Jacobi method: a cap against NaN. Each sweep squares the error once it is small, and 5 are enough for
 * any matrix of doubles. Needed by internal_math_limits, eigenvalues_of_nan_end. */
#define SYM3_MAX_SWEEPS 16

/* |w| beyond which the tangent of a rotation angle is 1/(2 w) to rounding, and the square of w would overflow. Needed
 * by internal_math_limits, tiny_entries_turn_eigenvectors. */
#define SYM3_LARGE_COTANGENT 1e150

#endif
