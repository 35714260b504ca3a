/*
 * The tolerances, caps and tuned numbers of this room: what each limits, its unit, why it has this value, and which
 * test fails without it. "Performance only": any value gives right answers. u is the unit roundoff 2^-53; the size of a
 * pair is the sum of the bounding radii of the cores and the largest coordinate of the offset between their origins.
 *
 * The named tests fail if the constant is made 0, or 1000 or 10^9 times larger or smaller (counts: 8 or 10^4 times
 * larger, 10 times smaller). Where none does, the comment says why: a proof, or what was measured. "Of 99,000 pairs":
 * of random pairs of all convex shapes, deep, touching and apart, with sizes and stretches from 1e-3 to 1e3.
 */
#ifndef TACT_CONVEX_CONVEX_CONSTANTS_H
#define TACT_CONVEX_CONVEX_CONSTANTS_H

#include <float.h>

/* u, the unit roundoff. Test: internal_gjk, earlier_failures_are_right. */
#define CONVEX_ROUNDOFF (0.5 * DBL_EPSILON)

/* Relative accuracy of a distance unless the caller asks for another. Stated in tact/query.h. Test:
 * internal_convex_limits, distances_have_the_stated_accuracy. */
#define CONVEX_DISTANCE_ACCURACY 1e-10

/* ---- bounding spheres (convex_pair.c, hull_hull.c) ---- */

/* Relative: bounding spheres must be this much farther apart than their radii. Far more than the rounding error of the
 * few sums in the test. Test: internal_convex_limits, bounding_spheres_that_touch_decide_nothing. */
#define BOUNDING_SPHERE_SLACK 1e-12

/* Lengths between which the squares in the test neither overflow nor lose digits. Test: BOUNDING_SPHERE_MAX_LENGTH:
 * test_conventions, transforms_beyond_all_lengths_are_refused. Test: BOUNDING_SPHERE_MIN_LENGTH:
 * internal_convex_limits, bounding_spheres_that_touch_decide_nothing. */
#define BOUNDING_SPHERE_MAX_LENGTH 1e150
#define BOUNDING_SPHERE_MIN_LENGTH 1e-140

/* ---- GJK (gjk.c, gjk_fast.c, hull_hull.c) and the search on two boxes (box_box.c) ---- */

/* In units of u times the size: the rounding error of a distance. Bounds this close count as equal, and cores this
 * close touch. A point of B - A is rounded a few times (map, difference, offset), each bound once more. Test:
 * internal_closed_form, boxes_have_certificates. */
#define GJK_ROUNDING 2.0

/* Lengths. Other sizes are first scaled by a power of two: products of up to seven lengths occur, and lengths down to
 * the rounding error, 2^-53 of the size, must stay distinct. Test: GJK_MAX_LENGTH: internal_avx2, test_boxes. Test:
 * GJK_MIN_LENGTH: test_complex_contact, sizes_far_from_one_scale. */
#define GJK_MAX_LENGTH 1e36
#define GJK_MIN_LENGTH 1e-26

/* The scale is at most 2 to this power, so that it is finite. Test: internal_closed_form,
 * unusual_transforms_fall_back. */
#define GJK_MAX_EXPONENT 1000

/* In rounding errors: how far the closest point may be from the combination of its vertices, before its simplex is
 * solved again with more digits. Test: internal_gjk, every_pair_ends_with_a_proof. */
#define GJK_CONSISTENCY 1.0

/* In rounding errors: how far the closest points may lie off the direction that proved the lower bound, for that
 * direction to be the normal. Test: internal_closed_form, spheres_and_capsules_have_certificates. */
#define GJK_NORMAL_OFFSET 0.5

/* Support points after which double-double arithmetic takes over. Performance only. */
#define GJK_MAX_ITERATIONS 256

/* Iterations with a double-double simplex that may leave the distance unchanged to the last bit. The closest point may
 * still turn by less than its length shows. Performance only: double-double arithmetic takes over. */
#define GJK_MAX_STALLS 20

/* Ratio: if the rounding error decided an answer and a tight bounding radius makes it smaller by this much, the
 * search is repeated with the smaller one. Test: internal_gjk, every_pair_ends_with_a_proof. */
#define GJK_ROUNDING_EXCESS 4.0

/* ---- fast GJK (gjk_fast.c) ---- */

/* Support points before the robust GJK takes over. Pairs of 200 vertices near touch need 7 on average. Performance
 * only.
 */
#define GJK_FAST_MAX_ITERATIONS 24

/* Weight of the line of centres in a biased direction, relative to the GJK direction. Support points then lie around
 * the region of contact instead of all around the hulls, which saves one of six. Performance only, measured. */
#define GJK_FAST_CENTRE_BIAS 1.75

/* Ratio: a biased support point is taken if it lowers the height above the origin to this part. Performance only. */
#define GJK_FAST_BIAS_GAIN 0.9

/* Ratio to the distance of the centres. Each hull has a table of radii (radial_cells, shape/hull_polar.c). Two hulls
 * whose radii toward each other have a smaller sum seldom overlap on the line of centres, and that test is skipped.
 * Measured on hulls of 20 points: lower values slow pairs that just touch, higher ones slow pairs that overlap.
 * Test: internal_gjk, the_line_of_centres_finds_overlaps. */
#define GJK_FAST_CENTRE_EXTENT 1.02

/* Relative to the sixth power of the longest axis: transforms with a squared determinant above this are regular
 * enough for the line-of-centres test. Rounding then adds some 100 u to what Cramer's rule gives, far less than the
 * float error of the polar vertices. Test: internal_gjk, the_line_of_centres_finds_overlaps. */
#define GJK_FAST_REGULAR 0.01

/* 1 / sqrt 3: length of an axis of a rotation, relative to the root of the sum of the squares of its axes. Test:
 * internal_gjk, the_line_of_centres_finds_overlaps. */
#define GJK_FAST_ROTATION 0.57735026918962576

/* ---- double-double GJK (gjk_dd.c); the rounding error is that of the search in doubles ---- */

/* Support points after which the search fails. Test: internal_gjk, double_double_search_stands_alone. */
#define GJK_DD_MAX_ITERATIONS 256

/* Iterations in a row that may leave the gap between the bounds as it is. Test: internal_gjk,
 * double_double_search_stands_alone. */
#define GJK_DD_MAX_STALLS 32

/* Relative to the gap: a smaller gain counts as none. Test: internal_gjk, double_double_search_stands_alone. */
#define GJK_DD_GAIN 1e-3

/* In rounding errors: the gap to reach. The direction is only good to the root of it. Test: internal_gjk,
 * double_double_search_stands_alone. */
#define GJK_DD_GAP 1e-6

/* In rounding errors: a vertex that extends beyond a simplex by less is dropped. A thousandth of the rounding error of
 * the answer. Test: internal_gjk, double_double_search_stands_alone. */
#define GJK_DD_FLAT 1e-3

/* In rounding errors: separations that differ by less are equal. About 2^-98 of the size, the rounding of
 * double-doubles. Performance only: it chooses where Newton steps start, and the bounds are proved whatever the start.
 * On the pairs of internal_gjk, double_double_search_stands_alone, it saves one of 140 iterations. */
#define GJK_DD_EQUAL 0x1p-46

/* In rounding errors: the gap that may stay with a custom support function, whose own rounding error is unknown: 1024 u
 * of the size. Test: internal_gjk, double_double_search_stands_alone. */
#define GJK_DD_CUSTOM_GAP 512.0

/* ---- closest point of a simplex (simplex.h, simplex.c) ---- */

/* A triple product of vectors with coordinates up to p, q and r is off by at most this times p q r: it has six products
 * of three factors, each off by at most seven roundings of u (two of them of the differences that the factors are), and
 * 42 u < 5e-15. Proved by that count. */
#define SIMPLEX_ROUNDING 5e-15

/* Ratio of squared lengths: the foot of a perpendicular that is shorter than its point by more has lost so many digits
 * that its direction suffers, and is made perpendicular once more. Test: test_penetration,
 * depth_is_continuous_through_zero. */
#define SIMPLEX_SHORT 1e-6

/* Ratio: an edge left with less of its length after the earlier ones are projected out depends on them; the subset is
 * flat. Double-doubles carry 2^-104, so the rest is known to about 1e-31 of the length and the weights to double
 * precision. Test: internal_gjk, every_pair_ends_with_a_proof. */
#define SIMPLEX_FLAT 1e-16

/* Relative: squared distances that differ by more are not equal. Far more than their rounding error, far less than a
 * difference that matters. Performance only: with larger values the exact comparison decides. With 0 the higher halves
 * of the squares decide between lengths that are equal as doubles; 2 million slivers gave the same answers. */
#define SIMPLEX_CLEAR 1e-10

/* Relative to the largest coordinate: lengths that differ by less are equal in double-doubles, a few of whose rounding
 * errors this is. Test: internal_gjk, a_far_vertex_turns_a_short_closest_point. */
#define SIMPLEX_EQUAL 0x1p-98

/* ---- closed forms (closed_form.c, sphere_swept.c) ---- */

/* As GJK_ROUNDING, for the longer chain of operations of a closed form. Test: internal_gjk,
 * earlier_failures_are_right. */
#define CLOSED_FORM_ROUNDING 6.0

/* Lengths whose squares neither overflow nor lose digits. Other pairs go to GJK. Test: CLOSED_FORM_MAX_LENGTH:
 * internal_closed_form, spheres_and_capsules_have_certificates. */
#define CLOSED_FORM_MAX_LENGTH 1e100
#define CLOSED_FORM_MIN_LENGTH 1e-100

/* ---- two boxes (box_box.c) ---- */

/* In rounding errors: two points this close are one. A point of a box is rounded a few times. Test:
 * internal_closed_form, boxes_have_certificates. */
#define BOX_BOX_TOUCH 2.0

/* Iterations before GJK takes over. Of random pairs within 1 % of touching one in a thousand needs more than 6.
 * Test: internal_closed_form, boxes_have_certificates. */
#define BOX_BOX_MAX_ITERATIONS 8

/* Times the squared sizes of the boxes and their distance: above the square of the rounding error of a separation along
 * the line of centres, (GJK_ROUNDING u size)^2. Test: internal_convex_limits, boxes_that_touch_overlap. */
#define BOX_BOX_CLEAR 1e-30

/* Relative to the product of the squared lengths of three axes: a squared determinant above this means right angles
 * up to 0.1. Test: internal_closed_form, boxes_have_certificates. */
#define BOX_BOX_RECTANGULAR 0.99

/* Relative to the cubed trace of a matrix of three axes or more: a smaller determinant is rounding error. Needles of
 * 1e-7 have one of 1e-28. Performance only: answers are proved by points or a separating axis, whatever the step;
 * others come from GJK. */
#define BOX_BOX_FLAT 1e-30

/* Relative: a smaller gap between the bounds may be rounding, if the distance is short beside the boxes. Performance
 * only: the corrected normal must prove the answer, or the search goes on. */
#define BOX_BOX_NEARLY 1e-6

/* Added to numerator and denominator of a quotient that may be 0 / 0, which then is 1. A parameter: far below any
 * other value, and normal. Test: internal_closed_form, boxes_have_certificates. */
#define BOX_BOX_TINY 1e-300

/* ---- two hulls (hull_hull.c) ---- */

/* Ratio of squares: the least stretch of a transform must be more than this part of the greatest. Performance only:
 * other transforms take the general path. */
#define HULL_HULL_EVEN 0.25

/* Hulls with fewer vertices become CONVEX_POINTS (shape/convex.h), for which the general path is made. Performance
 * only: both paths prove the same distances. */
#define HULL_HULL_MIN_VERTICES 5u

/* ---- separating axes of two boxes (sat.c) ---- */

/* Relative to (length of the axis' factors) x (sum of all sizes): a smaller separation is not trusted. Each
 * projection is a sum of at most 12 products, each with at most 4 roundings. Test: internal_closed_form,
 * boxes_have_certificates. */
#define SAT_SEPARATION_ERROR (16.0 * CONVEX_ROUNDOFF)

/* The same for overlap. It is larger because edges may have been turned to be parallel (SAT_PARALLEL): turning three
 * edges of B moves its surface and the axes by less than 3 x 2 x SAT_PARALLEL of all sizes. Proved by that sum: 96 u
 * and the 16 u of SAT_SEPARATION_ERROR. */
#define SAT_OVERLAP_ERROR (128.0 * CONVEX_ROUNDOFF)

/* Sine: edges with a smaller angle count as parallel if all other axes overlap. The same rotation applied to two boxes
 * gives axes that differ by 2 or 3 u. Test: internal_convex_limits, ridges_at_a_small_angle_do_not_overlap. */
#define SAT_PARALLEL (16.0 * CONVEX_ROUNDOFF)

/* Sizes for which products of three neither overflow nor lose bits. SAT_MAX_SIZE is performance only: what overflows is
 * undecided, and sizes of a depth are below 2^PENETRATION_EXPONENT. Test: SAT_MIN_PRODUCT: internal_convex_limits,
 * separating_axes_prove_what_they_say. */
#define SAT_MAX_SIZE 1e100
#define SAT_MIN_PRODUCT 1e-270

/* Relative to the depth, and to the sum of all sizes: an edge axis must beat the best face axis by this much. Among
 * equals a face gives the steadier normal. Far within the accuracy of a depth, 1e-6. Test: SAT_TIE: test_manifold,
 * random_pairs_keep_the_rules. */
#define SAT_TIE 1e-9
#define SAT_TIE_ROUNDING (0.5 * CONVEX_ROUNDOFF)

/* Square of a sine (of one-norms): above it a bare cross product is perpendicular to its factors to within a few u.
 * Test: internal_convex_limits, normals_of_skewed_faces_are_perpendicular. */
#define SAT_WIDE_ANGLE 0.05

/* Sine: vectors with a smaller angle have no common normal. A unit vector less its projection is off by a few u. Test:
 * test_penetration, polytopes_agree_with_brute_force. */
#define SAT_NORMAL_PARALLEL (4.0 * CONVEX_ROUNDOFF)

/* ---- expanding polytope (epa.c) ---- */

/* In units of u times the size: the noise of a pair, the rounding error of a support value. It is a sum of a few
 * products of coordinates, each rounded once, of vertices that were rounded when they were mapped and subtracted.
 * Test: test_penetration_cases, earlier_failures_are_right. */
#define EPA_NOISE 2.0

/* Relative to the depth: the gap between the bounds at which the expansion of a polytope ends. Test:
 * test_penetration, polytopes_agree_with_brute_force. */
#define EPA_POLYTOPE_GAP 1e-12

/* The same for curved shapes, up to EPA_EASY_FACETS facets. Then the gap grows with their number, and beyond
 * EPA_HARD_FACETS with its fifth power, up to EPA_CURVED_GAP_MAX before EPA_MAX_FACETS are built. A ring of equally
 * good directions needs facets in inverse proportion to the root of the gap, a whole sphere to the gap itself.
 * Newton's method has found one of the best directions long before. Test: EPA_CURVED_GAP, EPA_EASY_FACETS,
 * EPA_MAX_FACETS: test_penetration_cases, earlier_failures_are_right; EPA_CURVED_GAP_MAX, EPA_HARD_FACETS:
 * test_penetration, custom_shapes_converge. */
#define EPA_CURVED_GAP 1e-7
#define EPA_CURVED_GAP_MAX 1e-3
#define EPA_EASY_FACETS 1024
#define EPA_HARD_FACETS 8192
#define EPA_MAX_FACETS 65536

/* Relative to the depth: Newton's method starts when the bounds are this close. Earlier it costs more than it gains.
 * Performance only. */
#define EPA_NEWTON_GAP 0.1

/* Expanded facets after which GJK's best direction is refined if Newton's method has not run yet. It is refined at once
 * if the origin is outside. Performance only: without it the polytope is expanded further. */
#define EPA_GJK_AXIS_AFTER 24.0

/* Expanded facets after which Newton's method restarts away from the best direction, and the factor until the next
 * restart. Where many directions are nearly as good, the local minimum need not be the global one, and the polytope
 * alone would need tens of thousands of facets to find out. Test: EPA_RESTART_AFTER: test_penetration_cases,
 * earlier_failures_are_right. Test: EPA_RESTART_FACTOR: test_penetration_cases, earlier_failures_are_right. */
#define EPA_RESTART_AFTER 64
#define EPA_RESTART_FACTOR 1.5

/* Square of an angle: no restart within the angle sqrt(this / expanded facets) of the best direction. Test:
 * test_penetration_cases, earlier_failures_are_right. */
#define EPA_RESTART_ANGLE 4.0

/* A kink is a curve of directions along which two branches of the support function are equal. After EPA_KINK_AFTER
 * expanded facets, every other facet is sampled on the other side of its kink. The normal is turned for that by
 * EPA_KINK_TURN times the angle to the kink, up to an angle with the tangent EPA_KINK_MAX_TURN. Test:
 * test_penetration_cases, earlier_failures_are_right. */
#define EPA_KINK_AFTER 256.0
#define EPA_KINK_TURN 2.0
#define EPA_KINK_MAX_TURN 0.1

/* Facets on the stack, about 36 kB with vertices and heap: enough for nearly all polytopes. Performance only. */
#define EPA_STACK_FACETS 256

/* In units of the noise: a difference thinner than this is flat; its thickness is rounding error. Test:
 * test_penetration, polytopes_agree_with_brute_force. */
#define EPA_FLAT_NOISE 2.0

/* The same relative to its length: the distance from a line or a plane is off by a few u times the coordinates.
 * Test: test_penetration, polytopes_agree_with_brute_force. */
#define EPA_FLAT_RELATIVE (12.0 * CONVEX_ROUNDOFF)

/* Relative to the cube of its longest edge: GJK's last tetrahedron is the start if six times its volume exceeds
 * this. A smaller value gives thin first facets. Test: test_penetration, depth_is_continuous_through_zero. */
#define EPA_START_VOLUME 1e-3

/* Square of a sine: above it a bare cross product is perpendicular to its factors to within a few u. Test:
 * test_penetration, depth_is_continuous_through_zero. */
#define EPA_WIDE_ANGLE 0.1

/* Capacity: candidates for the first tetrahedron. GJK's four, six along the axes, four across a line, two across a
 * plane. Test: test_penetration, flat_shapes_that_touch_have_depth_zero. */
#define EPA_START_POINTS 16

/* ---- refinement of a depth (epa_refine.c) ---- */

/* In units of the noise: values this close are equal, and the normal computed from features is preferred. Test:
 * test_penetration_cases, earlier_failures_are_right (0). */
#define REFINE_EQUAL_NOISE 0.25

/* Cosine: normals that differ by more do not belong to one facet. With equal values they belong to other points.
 * Proved: any value gives a depth that is at most REFINE_EQUAL_NOISE times the noise above the least found. */
#define REFINE_SAME_NORMAL 0.999

/* Capacity: branches of the support function in one step. Three determine a minimum over two unknowns. Test:
 * test_penetration, ellipsoids_match_calculus. */
#define REFINE_MAX_BRANCHES 4

/* Cap on Newton steps. Four or five suffice near a minimum. Test: test_penetration_cases,
 * earlier_failures_are_right. */
#define REFINE_MAX_STEPS 24

/* Tangent: a longer step leaves the region where the second-order model holds. Test: test_penetration_cases,
 * earlier_failures_are_right. */
#define REFINE_MAX_STEP 0.5

/* Tangent: a shorter step that gains nothing is not halved any more. Test: test_penetration_cases,
 * earlier_failures_are_right. */
#define REFINE_MIN_STEP 1e-9

/* Ratio: a step along a kink without gain is shortened to this part. Tangent: shorter steps are not tried. Test:
 * REFINE_KINK_MIN_STEP: test_penetration_cases, earlier_failures_are_right. */
#define REFINE_KINK_SHORTEN 0.25
#define REFINE_KINK_MIN_STEP 1e-5

/* Ratio: a step without gain is halved until this part of it is left. Test: test_penetration_cases,
 * earlier_failures_are_right. */
#define REFINE_MIN_FRACTION 0.01

/* Tangent: the branches at a kink are first sampled this far from it, after all else has converged. Test:
 * test_penetration, sizes_far_from_one_scale. */
#define REFINE_KINK_SAMPLE 1e-12

/* Relative to the size of A - B: the largest error of the points against depth * normal at which the direction counts
 * as stationary. The surfaces are perpendicular to the normal there, so a point that moves along by this error leaves
 * its surface only by its square. Test: test_penetration_cases, normals_of_tiny_gaps_are_right (0). */
#define REFINE_STATIONARY 1e-9

/* Relative to the curvature across: a smaller curvature is zero. Test: test_penetration,
 * depth_is_continuous_through_zero. */
#define REFINE_LEVEL_CURVATURE 1e-9

/* Relative to the value: a smaller slope along a direction that does not curve up is zero. Test:
 * test_penetration_cases, earlier_failures_are_right. */
#define REFINE_LEVEL_SLOPE 1e-9

/* Ratio: a model predicts a support point of its branch if its error is below this part of the displacement. Test:
 * test_penetration, depth_is_continuous_through_zero. */
#define REFINE_PREDICTED 0.5

/* The same for custom shapes, times the angle between the directions. For a sphere the error is half of the angle.
 * With a larger value, the curvature of the other shape may hide a small kink. Test: test_penetration_cases,
 * earlier_failures_are_right. */
#define REFINE_PREDICTED_CUSTOM 4.0

/* Relative to the value: a step that gains less is slow, along a direction without a minimum: one more step is tried.
 * Performance only, as a direction is replaced only by a better one: of 99,000 pairs 0 and 10^6 times this value change
 * fewer than 100, all within the allowed error. */
#define REFINE_SLOW_GAIN 1e-9

/* Cap on steps back to a kink. Test: test_penetration, cylinders_and_cones_match_geometry. */
#define REFINE_RETURN_STEPS 4

/* Cap on steps that refine the points after the value has converged. Test: test_penetration_cases,
 * normals_of_tiny_gaps_are_right (1). More steps change nothing. */
#define REFINE_POINT_STEPS 6

/* ---- penetration depth (penetration.c) ---- */

/* Relative accuracy of the GJK run. It is high because the normal is only accurate to its root. Test:
 * test_penetration_cases, earlier_failures_are_right. */
#define PENETRATION_GJK_ACCURACY 1e-13

/* Relative to the distance: how closely the separation along GJK's normal must agree with it. Proved: with smaller
 * values refinement is tried more often, which never makes an answer worse; values up to the accuracy of a depth, 1e-6,
 * keep within it. */
#define PENETRATION_NORMAL_PROOF 1e-12

/* Relative to the size: cores closer than this also run EPA, because the direction between them has lost five digits or
 * more. Test: test_penetration_cases, normals_of_tiny_gaps_are_right (0). Larger values only cost time. */
#define PENETRATION_CLOSE 1e-5

/* The same for curved shapes, where GJK's direction comes from Newton steps and is more accurate, and EPA is slower.
 * Test: test_penetration_cases, normals_of_tiny_gaps_are_right (0). */
#define PENETRATION_CLOSE_CURVED 1e-6

/* Sine: an edge of a box at a smaller angle to the contact plane is in it. Test: internal_convex_limits,
 * points_of_faces_are_in_the_middle. */
#define PENETRATION_PARALLEL_EDGE 1e-10

/* Relative to the depth, and in units of the noise: the allowed error of the points against depth * normal. Others
 * are computed again by moving the shapes apart. Test: test_penetration_cases, earlier_failures_are_right. */
#define PENETRATION_POINTS_MISS 2.5e-7
#define PENETRATION_POINTS_NOISE 3.0

/* In units of the noise: the overlap of polytopes that may remain after the separating translation. With a smaller
 * value no points fit: vertices amplify a small turn of the normal, and the points must be on them. It only chooses
 * among answers: of 99,000 pairs 0 and 10^6 times this value change 53, all within the allowed error. */
#define PENETRATION_OVERLAP_NOISE 100.0

/* Weight, for curved shapes, of remaining overlap against the error of the points, for which the guarantee is weaker.
 * Test: test_penetration_cases, earlier_failures_are_right (0). */
#define PENETRATION_OVERLAP_WEIGHT 10.0

/* In units of the allowed error: an answer with a smaller error is not replaced. The points of another answer, moved
 * farther, may be off the surface. Test: test_penetration_cases, earlier_failures_are_right. */
#define PENETRATION_TOLERATED_ERROR 10.0

/* Cap on Newton steps that refine the points. Test: test_penetration_cases, earlier_failures_are_right. */
#define PENETRATION_POINT_STEPS 4

/* In units of the noise: the direction between points this far apart is accurate to four digits. Test:
 * test_penetration_cases, normals_of_tiny_gaps_are_right (0, and 1000 times smaller). */
#define PENETRATION_CLEAR_NOISE 1e4

/* Relative to the size: the gap to which shapes are moved apart to find their points. Small beside the shapes, large
 * beside rounding. The first gives the best points, the second those where the curvature is high. Test:
 * test_penetration_cases, normals_of_tiny_gaps_are_right (0). */
#define PENETRATION_WIDE_GAP 1e-6
#define PENETRATION_NARROW_GAP 1e-9

/* In units of the noise: below such a gap the direction between the closest points is off by a thousandth or more,
 * and a normal of features is better if it proves the same gap. Test: test_penetration_cases,
 * earlier_failures_are_right. */
#define PENETRATION_TINY_GAP 1e3

/* Sizes outside 2^-this to 2^this are first scaled by a power of two. Test: internal_convex_limits,
 * depths_scale_with_the_shapes. */
#define PENETRATION_EXPONENT 120

/* ---- contact manifold (manifold.c) ---- */

/* Sine: features at a larger angle to the contact plane (six degrees) touch in a point. Generous, because points
 * with a gap above the maximum separation are dropped anyway. Test: test_manifold,
 * caps_of_cylinders_and_cones_are_faces. */
#define MANIFOLD_FACE_ANGLE 0.1

/* Sine, and relative to the length: edges closer than this in angle and offset are one line. Tight, because both
 * points of a pair must be on both edges. Test: test_manifold, random_pairs_keep_the_rules. */
#define MANIFOLD_EDGE_ANGLE 1e-6

/* Relative to the size of the features: vertices closer than this are one. Test: test_manifold,
 * random_pairs_keep_the_rules. */
#define MANIFOLD_SAME_VERTEX 1e-9

/* Relative to the size of the features: a point is the deepest if it misses the pair's depth by at most this. Test:
 * test_manifold, random_pairs_keep_the_rules. */
#define MANIFOLD_SAME_DEPTH 1e-9

/* Relative to the bounding radii: shapes whose separation along a known normal is at most this touch along it. Test:
 * internal_convex_limits, a_known_normal_is_for_boxes_that_touch. */
#define MANIFOLD_TOUCH 1e-9

/* ---- ray cast (ray.c) ---- */

/* Relative to the coordinates: closer than this is touching. Test: test_ray, random_rays_hit_where_the_oracle_says. */
#define RAY_TOUCH (12.0 * CONVEX_ROUNDOFF)

/* Factor: the largest amplification of rounding errors by the map to local coordinates for which a closed form is
 * used. Test: test_ray, random_rays_hit_where_the_oracle_says. */
#define RAY_MAX_SKEW 1e3

/* Sine, or relative thickness: thinner triangles and tetrahedra take the general method. Test: internal_convex_limits,
 * rays_hit_slivers_where_they_are. */
#define RAY_THIN 1e-3

/* Hulls with more faces take the general method, whose cost does not grow with them. Performance only. */
#define RAY_MAX_FACES 1024

/* Cap on Newton steps: a tangent ray halves the distance each time, from the size of the shape to rounding. Test:
 * test_ray, random_rays_hit_where_the_oracle_says. */
#define RAY_MAX_STEPS 256

/* Relative to the size: the distance from the surface at which the normal is computed, so that it is not rounding
 * error. Test: internal_convex_limits, normals_of_rays_are_normals. */
#define RAY_NORMAL_OFFSET 1e-4

/* For a step: the relative accuracy of the distance, and the part of it that a separating plane must prove. Test:
 * RAY_STEP_ACCURACY: test_ray, random_rays_hit_where_the_oracle_says. */
#define RAY_STEP_ACCURACY 1e-2
#define RAY_STEP_PROOF 0.9

/* RAY_STEP_PROOF for the normal of a hit: its error is the root of the missing part. Test: internal_convex_limits,
 * normals_of_rays_are_normals. */
#define RAY_NORMAL_PROOF (1.0 - 1e-11)

/* Relative to the size: a clipped interval of a hull that is empty by less takes the general method. Test:
 * internal_convex_limits, rays_hit_vertices (0). Larger values only cost time. */
#define RAY_NEARLY 1e-9

/* Relative to the size: if a vertex of a hull is farther outside the plane of the face that is hit, the general method
 * decides. Performance only: both methods are right to RAY_TOUCH. Planes of faces are off by 6 u at most (300,000 hulls
 * of slivers, clusters and grids); only rays from far away, whose own rounding is larger, exceed this. */
#define RAY_PLANE_EXCESS (4.0 * RAY_TOUCH)

/* ---- closest point on one shape (closest.c) ---- */

/* Relative to the size: for a core closer than this the penetration depth of the point is computed. Test:
 * test_closest_point, closest_points_are_closest. */
#define CLOSEST_NEAR_CORE (64.0 * DBL_EPSILON)

/* Relative to the proved distance: the plane of an outward normal must prove all but this part of it. Test:
 * internal_convex_limits, normals_of_closest_points_prove_the_distance (1000 times larger). */
#define CLOSEST_NORMAL_PROOF 1e-10

/* Relative to the size: the rounding error of that plane's distance. Test: test_closest_point,
 * closest_points_are_closest. */
#define CLOSEST_NORMAL_SLACK (16.0 * DBL_EPSILON)

/* Relative to the size: a point this little outside counts as on the surface. A mapped and rounded vertex is still
 * in its shape. Test: test_closest_point, closest_points_are_closest. */
#define CLOSEST_ON_SURFACE (4.0 * DBL_EPSILON)

#endif
