/*
 * The limits, tolerances and tuned numbers of this room; the error bounds of the filters are in ccd_error_bounds.h,
 * with their proof. Each says what it limits, its unit and why it has this value, and names the test that fails
 * without it where one does. "Performance only": any value gives the same answers, as what the filters leave
 * undecided is decided in integers.
 */
#ifndef TACT_CCD_CCD_CONSTANTS_H
#define TACT_CCD_CCD_CONSTANTS_H

/* ---- queries ---- */

/* Time: the default width of a bracket, 2^-40 of the step. Usually found by the first guess
 * (CCD_FILTER_MAX_CELL_GUESSES). Needed by internal_ccd, simple_contacts_are_known. */
#define CCD_DEFAULT_BRACKET_WIDTH 0x1p-40

/* ---- filter (ccd_filter.c) ---- */

/* Bisections of the window before the exact solver is called. Most pairs need none. A bisection costs some 20 ns, the
 * exact solver 4 us. Performance only. */
#define CCD_FILTER_MAX_SPLITS 24

/* Relative to the window: shorter intervals are not bisected, as they hold a double root or a contact at an end.
 * Performance only. */
#define CCD_FILTER_MIN_INTERVAL 0x1p-10

/* Relative to the interval: half the width of the interval around a root that is tested, far beyond the rounding of a
 * simple root. Performance only. */
#define CCD_FILTER_ROOT_MARGIN 0x1p-20

/* Errors of the volume: where it is flat, that interval is so wide that the volume at its ends is this many times its
 * error. Performance only. */
#define CCD_FILTER_FLAT_MARGIN 4.0

/* Guesses of the grid cell of a root: usually one, more if the cell is between neighbouring doubles. Performance only.
 */
#define CCD_FILTER_MAX_CELL_GUESSES 6

/* Newton steps; 4 on average. Performance only. */
#define CCD_FILTER_MAX_NEWTON_STEPS 16

/* Relative to the interval: a Newton step this short is the last but one, as each squares the distance to the root.
 * Performance only. */
#define CCD_FILTER_NEWTON_CLOSE 0x1p-28

/* ---- brackets (ccd_bracket.c) ---- */

/* Steps of Newton's method for the first estimate of a root, bisecting where it does not converge. Performance only. */
#define CCD_ESTIMATE_MAX_STEPS 64

/* Relative: a step that changes the time by less is the last. Performance only. */
#define CCD_ESTIMATE_CLOSE 0x1p-51

/* Cells, and a factor: the first step of the search from a wrong estimate, and its growth. Performance only. */
#define CCD_FIRST_STRIDE 1
#define CCD_STRIDE_GROWTH 16

/* ---- weights and normals (ccd_contact.c) ---- */

/* Relative to the largest coordinate M: the error of a difference of two moving points. With u = 2^-53: differences of
 * points at the start 2 u, at the end or of velocities 2 u each, differences of these 4 u, times t 4 u, sum 6 u: 20 u,
 * and terms of higher order. Needed by internal_ccd_contact. */
#define CCD_DIFFERENCE_ERROR 0x1p-48

/* Length: with a smaller M doubles are not trusted, as products that matter could underflow. Needed by
 * internal_ccd_contact. */
#define CCD_CONTACT_MIN_COORDINATE 0x1p-300

/* Errors of a difference by which the contact points on A and B may differ. Needed by internal_ccd_contact. */
#define CCD_CONTACT_AGREEMENT 4.0

/* Times its error: a normal this long is right to 8 digits. Needed by internal_ccd_contact,
 * weights_and_normals_agree_with_long_floating_point. */
#define CCD_NORMAL_CERTAIN 0x1p26

/* Relative to the speeds: an approach this fast has the sign that doubles give it. Proved: weights and normal are right
 * to some 2^-25 (CCD_NORMAL_CERTAIN), so the approach is off by less than 2^-21 of the speeds. */
#define CCD_APPROACH_CERTAIN 0x1p-20

/* The same for speeds from the integers: twice the rounding of the approach, at most 30 units of 2^-53. Proved by that
 * count; no test comes so close that it fails without it. */
#define CCD_APPROACH_CERTAIN_EXACT 0x1p-47

/* ---- blocks and batches (ccd_block.c, ccd_batch.c) ---- */

/* Speed: differences of velocities must be below. One that overflows may, rounded towards zero, be the largest double.
 * Needed by internal_ccd_filter, simd_filter_holds_in_every_environment. */
#define CCD_MAX_SPEED 0x1p1023

/* Factor of the separation that the block filter proves exceeded. A hit needs less than 1 + 1e-6, and the difference is
 * more than all errors relative to the separation. Needed by internal_ccd_batch. */
#define CCD_BLOCK_SEPARATION_FACTOR (1.0 + 0x1p-19)

/* Lengths: outside this range of extents the block filter does not test planes, as squares could underflow. Needed by
 * internal_ccd_batch. */
#define CCD_BLOCK_MIN_EXTENT 0x1p-120
#define CCD_BLOCK_MAX_EXTENT 0x1p120

/* Lengths: outside this range of extents pairs are not solved in blocks, as what
 * underflows could exceed the bounds. Proved in ccd_block_solve.c. */
#define CCD_CELL_MIN_DIFFERENCE 0x1p-100
#define CCD_CELL_MAX_DIFFERENCE 0x1p100

/* Pairs: fewer are not worth a thread. A pair takes some 30 ns, waking a thread several microseconds. Performance only.
 */
#define CCD_BATCH_GRAIN 1024

/* Slices of a batch in the search for the earliest contact, more than there are threads. Performance only. */
#define CCD_BATCH_MAX_SLICES 256

/* ---- linear paths (path_filter.c, path_exact.c) ---- */

/* Units of 2^-53 of the magnitude of path_position: the error of a position, proved there. Needed by
 * internal_path_ccd. */
#define PATH_POSITION_ERROR 4.0

/* Relative: the error of the quotient of two differences of times is 3 units of 2^-53, that of its product with 1 +-
 * this one more. Proved by that count; no test comes so close that it fails without it, as the error of the volume
 * covers it. */
#define PATH_FRACTION_ERROR 0x1p-50

/* A fraction of a step, or a time: smaller ones count as 0 or as this, as quotients may underflow. Proved: what
 * underflows is below 2^-1022. */
#define PATH_MIN_FRACTION 0x1p-1000

/* Relative to X Y Z: the volume in double-doubles, proved in path_filter.c. Needed by internal_path_ccd. */
#define PATH_VOLUME_ERROR 0x1p-92

/* Relative to the largest time of a step: the error of a time computed from a fraction of the step is 4 units of 2^-53.
 * Proved by that count. */
#define PATH_PARAMETER_ERROR 0x1p-50

/* Guesses of the two doubles between which a root lies, each a step of Newton's method: one suffices, as a rule.
 * Performance only. */
#define PATH_MAX_CELL_GUESSES 3

/* ---- minimum separation (ccd_separation.c, ccd_separation_exact.c) ---- */

/* Relative: a hit is reported only if the distance falls below d (1 + this), as tact/ccd.h promises; and its inverse.
 * Needed by internal_ccd_batch (CCD_SEPARATION_TOLERANCE). Likewise internal_ccd_separation, thin
 * (CCD_SEPARATION_TOLERANCE_INVERSE). */
#define CCD_SEPARATION_TOLERANCE 1e-6
#define CCD_SEPARATION_TOLERANCE_INVERSE 1000000

/* Relative to S, the largest relative coordinate, and to products of extents: see the error analysis in
 * ccd_separation.c. Needed by internal_ccd_separation, known (SEPARATION_ERROR); SEPARATION_TURN_ERROR is proved there.
 */
#define SEPARATION_ERROR 0x1p-47
#define SEPARATION_TURN_ERROR 0x1p-45

/* A product of extents: below, what underflows could exceed the error. Proved: what underflows is below 2^-1022. */
#define SEPARATION_TURN_MIN 0x1p-700

/* Steps of advancement in doubles. What needs more rotates too much for it. Performance only. */
#define SEPARATION_MAX_STEPS 24

/* Lengths: outside this range coordinates are scaled. A direction is of degree 3, and its square must not overflow.
 * Proved: squares of degree 6 stay within 2^-600 and 2^600. */
#define SEPARATION_MIN_SIZE 0x1p-100
#define SEPARATION_MAX_SIZE 0x1p100

/* Length of a direction before it is normalised: below, its square could underflow. Proved: 2^-800 is far above
 * 2^-1022. */
#define SEPARATION_MIN_DIRECTION 0x1p-400

/* How often a jump over a rotation is shortened before the straight step is taken. Performance only. */
#define SEPARATION_MAX_SHORTENINGS 3

/* Of the tolerance: doubles report a hit only within this part of it, which leaves room for rounding. Needed by
 * internal_ccd_separation, known. */
#define SEPARATION_HIT_FRACTION 0.999

/* Errors: closest points nearer than so many count as coincident, and have no normal. Needed by
 * internal_ccd_separation, degenerate. */
#define SEPARATION_COINCIDENT_ERRORS 1024.0

/* A jump is tried if it is this many times as long as the straight step, and shortened to this fraction if it fails.
 * Performance only. */
#define SEPARATION_JUMP_RATIO 1.5
#define SEPARATION_JUMP_SHORTENING 0.25

/* A jump stops short of the target distance by at most this fraction of the excess distance, and by this many errors of
 * the rotating normal; a distance within so many of these errors counts as near. Performance only. */
#define SEPARATION_JUMP_REMAINDER 0.25
#define SEPARATION_JUMP_ERRORS 2.0
#define SEPARATION_CLOSE_ERRORS 8.0

/* Relative to d: how far the upper and lower bound of a distance may differ for weights to be those of nearest points.
 * Needed by internal_ccd_separation, turning. */
#define SEPARATION_TIGHT 1e-9

/* Grid of the exact solver: g is 2^-50 of the power of two above d, or finer. Then how far, in 2^-50 of that power,
 * rounding to the grid may move the distance. Needed by internal_ccd_batch (SEPARATION_GRID_BITS). Likewise
 * internal_ccd_separation, turning (SEPARATION_GRID_ERROR). */
#define SEPARATION_GRID_BITS 50
#define SEPARATION_GRID_ERROR 8

/* Coordinates larger than 2^24 d get a finer grid, so that size times g is below 2^-26 d^2: a 67th of the tolerance of
 * 1e-6 d times d. That product is what rounding leaves of an area that should vanish, as of three collinear points.
 * Needed by internal_ccd_separation, thin. */
#define SEPARATION_COARSE_BITS 24

/* Bits of the longest position in g: differences of products of the largest doubles, 2^2050, relative to d = 2^-1074,
 * have 3,173 bits. Where that is too long for the finer grid, the grid is as fine as possible. Needed by
 * internal_ccd_batch. */
#define SEPARATION_POSITION_BITS 3200

/* Time intervals that the exact solver tests: four times the most ever needed, 11,900 with sizes over the whole range
 * of doubles, which takes seconds; 700 with sizes up to 1e18 d. Beyond: TACT_NOT_CONVERGED. With none
 * internal_ccd_separation, known, fails. */
#define CCD_SEPARATION_MAX_INTERVALS 50000

/* ---- closest points: feature_distance.c ---- */

/* Lengths: outside this range coordinates are scaled, as fourth powers of differences and squared areas are formed.
 * Needed by internal_feature_distance, closest_points_scale_with_the_features. */
#define FEATURE_DISTANCE_MIN_SIZE 1e-50
#define FEATURE_DISTANCE_MAX_SIZE 1e50

#endif
