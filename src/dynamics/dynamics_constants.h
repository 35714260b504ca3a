/* Tolerances and caps of the mass and free-rotation code: what each limits, its unit, why this value. */
#ifndef TACT_DYNAMICS_DYNAMICS_CONSTANTS_H
#define TACT_DYNAMICS_DYNAMICS_CONSTANTS_H

/* ---- mass properties ---- */

/* Relative to the largest: a principal second moment may be negative by this much, by rounding. More is a contradiction
 * in the input. */
#define NEGATIVE_MOMENT 1e-9

/* Relative to the radius of gyration: a centre of mass this near to the origin is there, but for rounding. */
#define CENTRED_DISTANCE 1e-14

/* Of the cube of the trace: below this determinant the inverse inertia comes from principal moments, as cofactors lose
 * too many digits. */
#define LEAST_DETERMINANT 1e-4

/* ---- free rotation ---- */

/* Sine of the angle between angular velocity and angular momentum: below it the rotation is steady, and one piece lasts
 * for ever. */
#define STEADY_ROTATION 1e-13

/* Angular acceleration over the square of the angular velocity: below it the rotation is steady. */
#define STEADY_ACCELERATION 1e-13

/* Of the largest moment: a smaller one counts as 0, a rod. The momentum along its axis would be mostly rounding. */
#define ROD_MOMENT 1e-11

/* Of the largest moment: a body with a smaller one is thin. For others the square of the deviation makes an error of
 * the energy of 1e-7 at most. */
#define THIN_MOMENT 1e-3

/* Radians: a body rotates by at most this in a piece. A composed rotation is known to half a turn only. */
#define MAX_PIECE_ANGLE 0.5

/* Relative: error of the kinetic energy within a piece, at most. */
#define PIECE_ENERGY_ERROR 8e-6

/* Of the piece that accuracy allows: a caller's cap does not shorten a piece below this, so that time advances. */
#define MIN_PIECE 0x1p-16

/* Fixed-point iterations to the twist of a rod. Each squares the error, 2 % at first: 4 reach rounding. */
#define ROD_ITERATIONS 4

#endif
