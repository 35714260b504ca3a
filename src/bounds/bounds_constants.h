/*
 * The tolerances and limits of this room. Each says what it limits, its unit, why it has this value, and which test
 * fails without it. "Performance only": any value gives correct answers. "Proved": derived where stated; no test comes
 * so close that it fails without it, because a larger slack hides it.
 *
 * Bounds on rounding errors are given in epsilons: 2^-23 for floats, 2^-52 for doubles. That is the relative error in
 * the worst rounding mode, twice the unit roundoff, so that the bounds hold in every rounding mode.
 */
#ifndef TACT_BOUNDS_BOUNDS_CONSTANTS_H
#define TACT_BOUNDS_BOUNDS_CONSTANTS_H

#include <float.h>

/* ---- boxes under transforms: relative_frame.c, obb.c ---- */

/* Coordinate, in the caller's unit of length. Beyond it a product of two sums of coordinates could overflow a float:
 * the slack of a relative frame, or the half extents of an oriented box, become infinite. internal_obb_tree. */
#define BOUNDS_MAX_COORDINATE 0x1p60

/* Float epsilons of X + G (defined in relative_frame.c): rounding of the float tests along the face axes, 17, and some
 * for summing the bound itself. internal_aabb_tree. */
#define FRAME_FACE_EPSILONS 20.0

/* Float epsilons of X + G: additional rounding of the tests along the edge cross products, 8, and some for summing the
 * bound. Proved. */
#define FRAME_EDGE_EPSILONS 10.0

/* Float epsilons of the sum of all coordinates: rounding of the tests of oriented boxes, derived in obb4.h. Proved. */
#define FRAME_OBB_EPSILONS 96.0

/* Residual |inverse M - 1|, no unit. Above it the inverse is computed once more in double-doubles. Performance only:
 * the slack accounts for the actual residual. */
#define FRAME_MAX_RESIDUAL 0x1p-40

/* What a sum of a few products of doubles loses to underflow, at most: absolute. Proved. */
#define FRAME_UNDERFLOW (16.0 * DBL_MIN)

/* ---- boxes that translate: sat4_moving.h ---- */

/* Part of the whole displacement. The computed ends of an overlap window have a relative error of 4 float epsilons (two
 * divisions and a product), and are compared within [0, 1]; this covers both ends. Proved; internal_translating_toi
 * fails with a negative value. */
#define SAT_TIME_SLACK 0x1p-20f

/* Inverse of the smallest displacement along an axis that is distinguished from none. The slack of a relative frame is
 * at least 8 FLT_MIN: boxes within it stay within it over a displacement below FLT_MIN. internal_translating_toi. */
#define SAT_MAX_INVERSE_DISPLACEMENT 0x1p126f

/* ---- oriented boxes: obb.c ---- */

/* No unit: dot products of two different axes, and of one with itself minus 1, are at most this. Axes are unit vectors
 * rounded to floats. internal_obb_tree. */
#define OBB_AXIS_ERROR (4.0 * (double)FLT_EPSILON)

/* Relative rounding error of the projection of a point in doubles: three products and sums, in any rounding mode.
 * internal_obb_tree. */
#define OBB_PROJECTION_ERROR (6.0 * DBL_EPSILON)

/* The same in floats, including the rounding of the coordinates and of the sum of the extents. internal_obb_tree. */
#define OBB_FLOAT_PROJECTION_ERROR (8.0 * (double)FLT_EPSILON)

/* Sweeps of the cyclic Jacobi method. It converges quadratically: 4 suffice for a 3 x 3 matrix; it stops earlier at
 * OBB_AXIS_TOLERANCE. Performance only: the box contains its points for any axes. */
#define OBB_JACOBI_SWEEPS 6

/* Off-diagonal sum relative to the diagonal sum at which the Jacobi method stops. Performance only: larger values give
 * slightly larger boxes. */
#define OBB_AXIS_TOLERANCE 1e-3

/* Length squared: an edge with less has no reliable direction (squares underflow). Performance only. */
#define OBB_MIN_EDGE_SQUARED 1e-200

/* Square of the sine between edge and normal: a thinner triangle has no reliable normal. Performance only. */
#define OBB_MIN_NORMAL_SQUARED 1e-20

/* ---- moving bounds: moving_bound.h, in units of the moving frame ---- */

/* Largest coordinate for which the rounding bounds below hold. tact_moving_frame_make scales points into +-1; later
 * points may move to this before a new frame is needed. internal_moving_bound. */
#define MOVING_MAX_COORDINATE 4.0

/* Relative to a coordinate: twice the error of rounding it to a float and subtracting the slack in floats, 2 x 2^-24.
 * internal_moving_bound. */
#define MOVING_RELATIVE_SLACK 0x1p-22f

/* Absolute: four times the rounding error of a coordinate in doubles, 2^-48. internal_sweep. */
#define MOVING_ABSOLUTE_SLACK 0x1p-46

/* Relative to a time: twice the error of the quotient gap0 / (gap0 - gap1), 4.1 x 2^-24. internal_moving_bound. */
#define MOVING_TIME_SLACK 0x1p-21f

/* Largest half thickness that counts: with 16 everything in the frame touches. Keeps the margin finite; no answer
 * depends on it. With 0 internal_step, a_falling_sheet_rests_on_the_floor, fails. */
#define MOVING_MAX_MARGIN 16.0

/* Lower extent of an empty bound: no gap to it ever closes, and it is the neutral element of the union. Larger than
 * any coordinate sum and margin. internal_moving_tree. */
#define MOVING_EMPTY 64.0f

#endif
