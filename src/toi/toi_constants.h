/*
 * Tolerances, caps and tuned numbers of src/toi/. Lengths scale with the query: a constant that is "relative to" a
 * length multiplies it. u is the unit roundoff 2^-53. Each names a test that fails without it (0, or far larger), where
 * one does. "Performance only": any value gives times that are right up to the tolerance.
 */
#ifndef TACT_TOI_TOI_CONSTANTS_H
#define TACT_TOI_TOI_CONSTANTS_H

#include <float.h>

/* ---- rounding and tolerance (toi_frame.h) ------------------------------------------------------------------------ */

/* Unit roundoff u. Needed by test_time_of_impact_cases. */
#define TOI_ROUNDOFF (0.5 * DBL_EPSILON)

/* Rounding error of a separation relative to offset and path: some 4 u for the offset of the origins and 3 u for its
 * product with the normal. Needed by test_time_of_impact_cases. */
#define TOI_PATH_ROUNDING (8.0 * TOI_ROUNDOFF)

/* The same relative to the bounding radii: some 12 u for transformed, turned support points and their product with the
 * normal, and as much again for the polynomials made of them. Needed by test_time_of_impact_cases. */
#define TOI_BODY_ROUNDING (32.0 * TOI_ROUNDOFF)

/* The same of primitives of meshes: their bodies are moved to the start of an interval first, and the primitives
 * again within it. Needed by internal_translating_toi. */
#define TOI_MESH_PATH_ROUNDING (2.0 * TOI_PATH_ROUNDING)
#define TOI_MESH_BODY_ROUNDING (2.0 * TOI_BODY_ROUNDING)

/* Rounding error of a coordinate relative to radii, offset and path: some 4 u for a transformed vertex, 4 u for the
 * offset and 4 u for a product with an axis. Needed by internal_advance_cases,
 * an_overlapping_pair_is_reported_again_after_separation. */
#define TOI_COORDINATE_ROUNDING (16.0 * TOI_ROUNDOFF)

/* Relative: covers the rounding of a few sums and products, where a bound is to hold in floating point. Proved: fewer
 * than 16 roundings of u each. */
#define TOI_RELATIVE_SLACK (8.0 * DBL_EPSILON)

/* Least tolerance, in rounding bounds: half of it, where steps end, is then twice the bound. Needed by
 * test_time_of_impact_cases, tolerance_is_honoured. */
#define TOI_TOLERANCE_ROUNDINGS 4.0

/* The same in bounds of coordinates. Along a unit axis a bound counts up to sqrt(3) times, and it enters up to twice: 2
 * sqrt(3) = 3.5 bounds, less than half the tolerance. Needed by internal_advance_cases,
 * an_overlapping_pair_is_reported_again_after_separation. */
#define TOI_TOLERANCE_COORDINATE_ROUNDINGS 8.0

/* Default tolerance relative to the half extent of the smaller body that has one. The larger is often a floor, whose
 * extent means nothing. Promised by query.h. Needed by test_time_of_impact. */
#define TOI_DEFAULT_TOLERANCE 1e-9

/* Length: coordinates on the path beyond this are TACT_BAD_ARGUMENT; their products would overflow. Needed by
 * test_time_of_impact_cases. */
#define TOI_MAX_COORDINATE 1e150

/* ---- conservative advancement ------------------------------------------------------------------------------------ */

/* Fractions of the tolerance: a step ends where the bound falls to the first, the search where the distance is at most
 * the second. The difference is the least progress of a step. Needed by test_time_of_impact_cases. */
#define TOI_STEP_FRACTION 0.5
#define TOI_ACCEPT_FRACTION 0.75

/* Relative accuracy of GJK's distance, margins left out, during the search. Needed by test_time_of_impact_cases. */
#define TOI_GJK_ACCURACY 1e-2

/* A direction must separate by the proved distance less this fraction of it. From TOI_ACCEPT_FRACTION of the tolerance
 * that leaves more than TOI_STEP_FRACTION. Needed by test_time_of_impact_cases. */
#define TOI_UNPROVED 0.2

/* The same for the normal of a hit. The normal is off by the square root of the fraction, over the curvature. Needed by
 * internal_toi_limits, normals_of_hits_are_normals. */
#define TOI_UNPROVED_OF_NORMAL 1e-6

/* Relative to the coordinates: GJK's bounds this close have met, even where rounding kept GJK from its own criterion.
 * Needed by internal_toi_limits, normals_of_hits_are_normals, which fails with far larger values; none fails with 0. */
#define TOI_GJK_STALL (32.0 * DBL_EPSILON)

/* Relative to the bounding radius: a body this close to its image under a rotation counts as symmetric. Transforms made
 * from quaternions are off by a few u. Needed by test_time_of_impact_cases. */
#define TOI_SYMMETRY_ROUNDING (32.0 * TOI_ROUNDOFF)

/* Units of work (core/work.h) of a step. Performance only. */
#define TOI_STEP_UNITS 4

/* Steps before TACT_NOT_CONVERGED: a thousand revolutions close to contact. Needed by test_time_of_impact_cases. */
#define TOI_MAX_STEPS 20000

/* Radians: bodies that turn more in a search are first taken for their solids of revolution (revolved.h), which takes
 * some 10 steps. Performance only; and the steps of that search, of which each but the last few doubles the digits. */
#define TOI_OFTEN 6.0
#define TOI_REVOLVED_STEPS 32

/* Fraction of the remaining time: bounding spheres that stay apart for longer decide a step alone. Needed by
 * test_time_of_impact_cases, bad_input_is_rejected. */
#define TOI_SPHERE_STEP 0.01

/* Relative to the larger half extent: bodies this close may advance by the chord of their separation. And the factor by
 * which that step must be longer than the other, to pay for its support points. Performance only: each of the two steps
 * is safe. */
#define TOI_CHORD_DISTANCE 1e-3
#define TOI_CHORD_GAIN 4.0

/* ---- contact following ------------------------------------------------------------------------------------------- */

/* Relative to the larger half extent (for points: to the path): how far bodies in contact move in a step. Needed by
 * test_time_of_impact_cases. */
#define TOI_FOLLOW_FRACTION (1.0 / 64.0)

/* How far bodies in contact move before it is first examined whether they are closing: in rounding bounds, and as a
 * fraction of the tolerance. In the corner between two edges a distance far below the tolerance may fall for an instant
 * before it grows. Needed by test_time_of_impact. */
#define TOI_APPROACH_ROUNDINGS 64.0
#define TOI_APPROACH_FRACTION 1e-3

/* Ratio of the fall of a distance after 2 t to that after t: 2 at constant speed, 4 in free fall. With a larger
 * ratio the distance was level at first, and other features have come into contact since: another vertex of a box
 * that tips. Needed by test_time_of_impact_cases. */
#define TOI_APPROACH_FALL 8.0

/* Relative accuracy of a penetration depth. Needed by test_time_of_impact_cases. */
#define TOI_DEPTH_ACCURACY 2e-6

/* Fraction of the time in which the bodies move by the geometric mean of the band and the larger extent. A step shorter
 * than this is tried again along a normal that turns. Its angular velocity is that observed over that time. Performance
 * only: the step along a turning normal is safe, and is taken only if it is longer. */
#define TOI_NORMAL_SPIN_GAIN 0.25

/* Fraction of the band: flat primitives in contact that are this far apart are on a known side of each other. Proved:
 * the band is at least the tolerance, which is at least so many rounding bounds of the separation. */
#define TOI_ONE_SIDE_FRACTION (1.0 / TOI_TOLERANCE_ROUNDINGS)

/* ---- meshes ------------------------------------------------------------------------------------------------------ */

/* Relative to the bounding radius: a bounding box this small is that of a point. Needed by internal_toi_limits,
 * small_bodies_keep_their_tolerance (10^6 times larger). With smaller values tolerance and windows of such bodies are
 * smaller, which costs time. */
#define TOI_BOUNDS_ROUNDING (64.0 * DBL_EPSILON)

/* Fraction of the distance of two meshes that is good enough as a lower bound, and the relative accuracy of the
 * distance. Between smooth surfaces the exact distance takes several times as long. Needed by internal_translating_toi
 * (TOI_FREE_DISTANCE_ACCEPTED). Likewise test_complex_contact, hopeless_paths_are_given_up
 * (TOI_FREE_DISTANCE_ACCURACY). */
#define TOI_FREE_DISTANCE_ACCEPTED 0.7
#define TOI_FREE_DISTANCE_ACCURACY 1e-2

/* Triangles that a search of a mesh and a convex shape begins with, each closest to the shape at the first contact so
 * far. Performance only. */
#define TOI_CLOSEST_TRIANGLES 4

/* Relative accuracy of a distance that decides contact. Needed by internal_translating_toi. */
#define TOI_MESH_DISTANCE_ACCURACY 1e-10

/* Work in a window, in pairs of primitives that bounding spheres reject. With less than the first the next window is
 * wider; with more than the second it is given up for a narrower one. Needed by test_complex_contact,
 * sizes_far_from_one_scale (TOI_MAX_WINDOW_WORK). TOI_LITTLE_WINDOW_WORK is performance only: windows of any width are
 * searched to their end. */
#define TOI_LITTLE_WINDOW_WORK 128
#define TOI_MAX_WINDOW_WORK 2048

/* Work of a pair that separating planes reject, and of one that is searched. Needed by test_complex_contact,
 * sizes_far_from_one_scale, and internal_translating_toi, pairs_that_part_are_no_hit. */
#define TOI_WORK_OF_PLANES 2
#define TOI_WORK_OF_SEARCH 8

/* How far points move in the first window, relative to the smaller half extent; and in the narrowest, in tolerances.
 * Needed by test_complex_contact, hopeless_paths_are_given_up. */
#define TOI_FIRST_WINDOW 0.5
#define TOI_MIN_WINDOW 8.0

/* Windows and steps, and work in all, before TACT_NOT_CONVERGED. Needed by internal_translating_toi. */
#define TOI_MAX_WINDOWS 200000
#define TOI_MAX_WORK 200000000

/* A window in contact counts as so many steps of toi_input.max_contact_steps. Performance only: a search that ends
 * early says up to which time there is no contact. */
#define TOI_STEPS_PER_WINDOW 32

/* After TOI_PROGRESS_WINDOWS windows the search ends if TOI_MAX_WINDOWS, each TOI_PROGRESS_HOPE times as long as these,
 * would not reach the end: a spinning triangle with a vertex at 1e40 would take 1e40 windows. In contact windows are
 * short only until the bodies separate, so there this applies only if the rounding error of positions exceeds the
 * smaller body's extent. Needed by test_complex_contact, sizes_far_from_one_scale and hopeless_paths_are_given_up. */
#define TOI_PROGRESS_WINDOWS 4096
#define TOI_PROGRESS_HOPE 16.0

/* Relative to the smaller half extent: how far bodies in contact move in a window. Needed by test_complex_contact,
 * hopeless_paths_are_given_up. */
#define TOI_FOLLOW_FRACTION_OF_MESH (1.0 / 16.0)

/* In bands: how far windows in contact overlap. Flat primitives that pass through each other just where a window ends
 * are then seen to come from one side. Needed by internal_toi_limits, flat_triangles_do_not_pass_through. */
#define TOI_WINDOW_OVERLAP 32.0

/* Samples of the separation along a plane; and the fraction of a sampled span that is worth advancing. Performance
 * only: what is not advanced along a plane is searched in windows. */
#define TOI_PLANE_SAMPLES 48
#define TOI_PLANE_GAIN (1.0 / 16.0)

/* ---- overlap certificates ---------------------------------------------------------------------------------------- */

/* Overlapping pairs of primitives of which the deepest is taken. Any of them is a certificate: performance only. */
#define TOI_CERTIFICATE_PAIRS 3

/* Relative to the smallest side of the intersection of the bounding boxes: certificates less deep than this are poor,
 * and a point inside both shapes is tried. Performance only. */
#define TOI_CERTIFICATE_SHALLOW (1.0 / 64.0)

/* Fraction of a computed depth that is certain: query.h promises a relative error of at most 1e-3. Needed by
 * internal_translating_toi. */
#define TOI_CERTIFIED_FRACTION 0.99

/* Relative to the longest edge: a bound on the error of the depth of two triangles with nearly parallel edges, and the
 * square of the sine below which edges count as parallel (triangles_are_certified_to_their_depth in
 * internal_translating_toi.c). */
#define TOI_TRIANGLE_DEPTH_SLACK 2e-9
#define TOI_PARALLEL_EDGES 1e-18

/* ---- translating meshes ------------------------------------------------------------------------------------------ */

/* Square of the sine of two normals: below it triangles count as parallel, and axes in their plane are tested.
 * Performance only: where axes are too few, the distance decides (translating_toi.c). */
#define TOI_PARALLEL_TRIANGLES 1e-6

/* 2 normals, 9 cross products, 6 axes in the planes. Needed by internal_translating_toi. */
#define TOI_MAX_AXES 17

/* Iterations over all axes; each axis can raise the time twice. Proved: no more can raise it. */
#define TOI_MAX_AXIS_ITERATIONS (2 * TOI_MAX_AXES + 2)

/* Relative to the smaller half extent: how far the parabola is off its chord in a piece of the path; and the most
 * pieces. Performance only: the sagitta is part of all bounds. */
#define TOI_PIECE_SAGITTA 0.125
#define TOI_MAX_PIECES 64

/* Cosine: pairs in contact whose normals are closer separate to the same side. Performance only, from 0 to 1: for pairs
 * to different sides the depth of the bodies is computed. Proved: if bodies overlap although all their pairs separate,
 * the sides surround the overlap, and some are more than a right angle from the first. */
#define TOI_SAME_SIDE_COSINE 0.5

/* In tolerances: how far along that side the bodies are moved, to test whether one is inside the other. Needed by
 * internal_toi_limits, bodies_that_slide_are_not_inside. */
#define TOI_ASIDE_TOLERANCES 8.0

/* Relative to radii and path: inflation of the bounding spheres. Needed by test_complex_cases,
 * small_shapes_on_long_paths_meet. */
#define TOI_SPHERE_ROUNDING 1e-12

/* ---- deforming triangles ----------------------------------------------------------------------------------------- */

/* Relative to the size of a pair, the largest distance of both from the obstacle's origin at either end: a bound on the
 * rounding error E of a separation. A vertex less the origin, interpolated and multiplied, is off by some 8 u, a
 * transformed support point by 20 u, a radius by another 20 u (CONVEX_SIMILARITY_TOLERANCE); 128 u leave a margin.
 * Needed by internal_deforming_toi. */
#define TOI_DEFORMING_ROUNDING 0x1p-46

/* In units of E: pairs no farther apart than this are in contact. Needed by internal_deforming_toi. */
#define TOI_DEFORMING_TOLERANCE 8.0

/* Distance computations before the time reached is a hit: some times what grazing at the tolerance takes, which halves
 * the distance to the lowest point again and again. Needed by internal_deforming_toi. */
#define TOI_DEFORMING_MAX_STEPS 1000

/* Fractions of the tolerance: separations passed over are above the first, the search ends at the second. Needed by
 * internal_deforming_toi, odd_input_is_answered, and test_step_shapes, friction_is_that_of_the_surface. */
#define TOI_DEFORMING_STEP_FRACTION 0.5
#define TOI_DEFORMING_ACCEPT_FRACTION 0.7

/* Relative accuracy of GJK's distance, and the fraction of the proved distance that its direction need not separate.
 * Needed by test_step_shapes, a_gap_does_not_depend_on_the_step (TOI_DEFORMING_GJK_ACCURACY). */
#define TOI_DEFORMING_GJK_ACCURACY 0.05
#define TOI_DEFORMING_UNPROVED 0.1

/* Chords drawn for one direction: each costs a support point, a new direction a whole GJK. Performance only. */
#define TOI_DEFORMING_CHORDS 2

/* Fraction of the remaining time: after a shorter step along a fixed direction a turning one is tried. Performance
 * only. */
#define TOI_DEFORMING_SHORT_STEP 0.25

/* How often the interval of a turning direction is shortened in a step, and the safe fraction of it that is enough.
 * Performance only. */
#define TOI_DEFORMING_SPANS 3
#define TOI_DEFORMING_SPAN_GAIN 0.25

/* Factor: rounds the time at which a chord crosses down. Needed by internal_deforming_toi, odd_input_is_answered. */
#define TOI_ROUND_DOWN (1.0 - 8.0 * DBL_EPSILON)

/* ---- triangles against arcs -------------------------------------------------------------------------------------- */

/* Rounding error E of a separation (arc_toi.c), relative to the coordinates on the path: some 8 u for a vertex, 4 u for
 * the origin of the body, and as much for bounds made of them. internal_arc_toi fails if this and the next are less
 * than actual errors. */
#define TOI_ARC_POSITION_ROUNDING 0x1p-48

/* The same relative to the bounding radius: 20 u for a transformed support point, 12 u for rotations, 20 u for a radius
 * (CONVEX_SIMILARITY_TOLERANCE). An eighth of it for each radian: the angle is rounded. Needed by internal_arc_toi. */
#define TOI_ARC_BODY_ROUNDING 0x1p-47

/* The same relative to the path in the time since 0: a step of the search is at least an ulp of time, 2 u. Needed by
 * internal_arc_toi. */
#define TOI_ARC_TIME_ROUNDING (8.0 * TOI_ROUNDOFF)

/* Least tolerance, in E. Needed by internal_arc_toi. */
#define TOI_ARC_TOLERANCE_ROUNDINGS 8.0

/* Factor by which E may grow in a step. TOI_STEP_FRACTION of the grown tolerance, 4.6 E, must be less than what GJK's
 * direction separates at the distance at which the search ends: 0.95 x 0.9 x 6 E. Needed by internal_arc_toi. */
#define TOI_ARC_ROUNDING_GROWTH 1.15

/* Relative accuracy of GJK's distance, and the fraction of the proved distance that its direction need not separate.
 * Needed by internal_arc_toi (TOI_ARC_GJK_ACCURACY). TOI_ARC_UNPROVED is proved with TOI_ARC_ROUNDING_GROWTH. */
#define TOI_ARC_GJK_ACCURACY 0.05
#define TOI_ARC_UNPROVED 0.1

/* In E: GJK's direction at a larger distance is the normal of a hit, closer that of the penetration depth. Performance
 * only: both pass internal_arc_toi, and internal_toi_limits, normals_of_close_hits_are_normals, where the normals are
 * off by 2.4e-15, with 0 by 3.1e-15. */
#define TOI_ARC_RELIABLE_NORMAL 1e4

/* Rounds of the search before TACT_NOT_CONVERGED: some milliseconds. A triangle that slides around a curved body of
 * radius r at the distance d takes sqrt(r / 8 d) rounds for each radian; internal_arc_toi has such cases. */
#define TOI_ARC_MAX_STEPS 2000

/* Fractions of the remaining time: a longer step of the swept body needs no distance; after a shorter one a turning
 * direction is tried. Performance only. */
#define TOI_ARC_LONG_STEP 0.01
#define TOI_ARC_SHORT_STEP 0.25

/* Ratio of two gaps: GJK at the end of an interval is tried only if the last step left more than this of the gap: a
 * Newton step leaves less. Performance only. */
#define TOI_ARC_SLOW_GAP 0.25

/* Radians in an interval of a turning direction: the coefficients of the interpolants stay of the size of the
 * positions. Performance only: the remainder, in proportion to the fourth power of the angle, is part of the bound
 * (arc_toi.c), so that longer intervals are safe only far from contact. */
#define TOI_ARC_MAX_ANGLE 2.0

/* Change of a unit vector: a direction that turns on as before is tried for less than this. Performance only. */
#define TOI_ARC_MAX_TURN 1.0

/* How often the interval of a turning direction is shortened in a step, by how much at most, and the safe fraction of
 * it that is enough. Performance only. */
#define TOI_ARC_SPANS 4
#define TOI_ARC_MIN_SHRINK 0.03125
#define TOI_ARC_SPAN_GAIN 0.25

/* Durations tried for which a point of a triangle stays in a primitive: each this fraction of the one before. A longer
 * search certifies more: performance only. */
#define TOI_ARC_POINT_TIMES 16
#define TOI_ARC_POINT_SHRINK 0.25

/* Pairs of a primitive and a triangle of which the one that overlaps longest is taken, and how often another one is.
 * Performance only: what is certified ends earlier. */
#define TOI_ARC_OVERLAP_PAIRS 16
#define TOI_ARC_OVERLAP_TIMES 64

/* ---- half-spaces (halfspace_toi.c) --------------------------------------------------------------------------------
 */

/* Trials that search the root of the lower bound in one step; the part of the step that a further trial must be able to
 * gain; and the part of the interval below which the root of the chord is not tried first. Performance only: every step
 * is proved safe. */
#define TOI_HALFSPACE_TRIALS 8
#define TOI_HALFSPACE_BRACKET 0.1
#define TOI_HALFSPACE_GAIN 0.1

#endif
