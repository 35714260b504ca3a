/*
 * Tolerances, caps and tuned numbers of src/complex/. Lengths scale with the query: a constant that is "relative to" a
 * length multiplies it. A unit of roundoff is 2^-53, half of DBL_EPSILON. Each names a test that fails without it (0,
 * or far larger), where one does. "Performance only": any value gives right answers.
 */
#ifndef TACT_COMPLEX_COMPLEX_CONSTANTS_H
#define TACT_COMPLEX_COMPLEX_CONSTANTS_H

#include <float.h>

/* ---- traversal --------------------------------------------------------------------------------------------------- */

/* The axes that boxes of two trees are tested with. Two triangles cost hardly more than two boxes, so the face axes are
 * enough: two tori of 5,000 triangles, 61 % touching, take 2.0 us a test, with all axes 2.1. Other primitives are worth
 * all axes. Performance only. */
#define COMPLEX_TREE_AXES SAT_ALL_AXES
#define COMPLEX_TRIANGLE_TREE_AXES SAT_FACE_AXES

/* Relative to the square of the longest axis: how far axes may deviate from equal lengths and right angles in a
 * similarity. Rotations made from quaternions deviate by a few units of roundoff. Needed by test_complex_limits,
 * rotated_compounds_keep_their_margins. */
#define COMPLEX_SIMILARITY_TOLERANCE (64.0 * DBL_EPSILON)

/* Relative to radii and coordinates: slack of bounding spheres, far above their rounding errors. Needed by
 * test_complex_limits, vertices_that_coincide_by_rounding_touch. */
#define COMPLEX_SPHERE_SLACK 1e-12

/* Intervals of a ray beside a mesh with a margin: the bounding box of a whole slanting ray contains half of the mesh.
 * Performance only. */
#define COMPLEX_RAY_INTERVALS 32

/* Parts compared before two compounds count as equal in the order of instances. Deeply nested shared parts would take
 * exponential time. Needed by test_compound, shared_parts_cost_nothing. */
#define COMPLEX_MAX_COMPARED_PARTS 4096

/* In twice units of roundoff of coordinates and radii: distances of a convex shape from coplanar triangles that
 * differ by less are equal up to rounding. Far below COMPLEX_EXACT_DISTANCE. With 1e9 test_mesh_contacts,
 * work_does_not_grow_with_the_triangles, fails. */
#define COMPLEX_SAME_DISTANCE 8.0

/* Relative: accuracy of a distance of which only the direction is used. Performance only. */
#define COMPLEX_PLANE_ACCURACY 1e-3

/* Pairs of triangles for each triangle that a search for the nearest pair visits before it goes on with boxes of
 * doubles. Tori of 5,000 triangles visit a fiftieth of a pair for each. Performance only. */
#define COMPLEX_MANY_VISITS 8

/* In units of 2^-52 of the coordinates of both: the slack of that search. A distance is off by a few, and query.h
 * promises 32 u. Performance only. */
#define COMPLEX_WIDE_SLACK 4.0

/* Cosine: a direction this close to the normal of a triangle is replaced by it. Performance only. */
#define COMPLEX_NEAR_NORMAL 0.99

/* ---- penetration depth ------------------------------------------------------------------------------------------- */

/* Directions that are tried: of pairs of primitives, and of triangles. More directions find smaller depths. Performance
 * only: any number gives a depth as tact/query.h defines it. */
#define COMPLEX_PAIR_DIRECTIONS 8
#define COMPLEX_FACE_DIRECTIONS 8

/* Overlapping pairs whose depths are computed to find directions. Performance only. */
#define COMPLEX_MAX_DIRECTION_PAIRS 256

/* Cosine: closer directions count as one. Performance only. */
#define COMPLEX_SAME_DIRECTION 0.9999

/* Stops along one direction at which all pairs were visited, before it is given up: from hole to hole of a sponge.
 * Needed by test_complex_contact, contacts_of_solids_push_out. */
#define COMPLEX_MAX_STOPS 96

/* Fraction of the longest step so far: a pair that overlaps for so much longer is followed at once, without visiting
 * the others; visiting all each time takes six times as long. And the most such steps. Performance only. */
#define COMPLEX_LONG_STEP 0.5
#define COMPLEX_MAX_STEPS 4096

/* Directions tried one after the other from the exit normal of the best one. Performance only, likewise. */
#define COMPLEX_MAX_IMPROVEMENTS 8

/* Relative to the largest coordinate: pairs this close touch during the search. Well above the rounding error of a cast
 * (toi/conservative_advancement.c), or a path along a surface would touch again and again. Needed by
 * test_complex_contact, contacts_of_solids_push_out. */
#define COMPLEX_CAST_TOLERANCE (4096.0 * DBL_EPSILON)

/* Iterations from the end of the path back to the contact: one is enough for flat faces. Needed by
 * test_complex_contact, the_depth_of_flat_faces_is_exact. */
#define COMPLEX_MAX_REFINEMENTS 4

/* In cast tolerances: pairs this close at the end of the path may be the ones that end it. Needed by
 * test_complex_contact, the_depth_of_flat_faces_is_exact. */
#define COMPLEX_NEAR_TOUCH 32.0

/* Cosine: a direction this close to the normal of a face may be replaced by it. In a mere contact directions are equal
 * up to rounding. Needed by test_complex_contact, cubes_lie_on_each_other_like_boxes. */
#define COMPLEX_NEAR_FACE 0.7

/* Relative to the largest coordinate: shorter refinements are rounding errors, and a face whose depth is larger by
 * less is preferred. Ties only: all these normals have the same depth up to rounding. Of 340 touching pairs of
 * meshes, 0 changes the normal of 10, 10^6 times this value that of none. With 1e-9 test_complex_cases,
 * what_slides_off_goes_on, fails. */
#define COMPLEX_MIN_REFINEMENT (2.0 * DBL_EPSILON)

/* The same: depths that differ by less are equal up to rounding. Needed by test_complex_limits,
 * normals_of_a_touch_separate_the_bodies. Larger values only try more directions. */
#define COMPLEX_SAME_DEPTH (16.0 * DBL_EPSILON)

/* Sides of boxes of floats: outside these they are too coarse, or infinite. Needed by test_complex_contact,
 * sizes_far_from_one_scale (COMPLEX_MIN_BOX). COMPLEX_MAX_BOX only excludes infinite boxes: any finite value gives the
 * same answers. */
#define COMPLEX_MIN_BOX 1e-30f
#define COMPLEX_MAX_BOX 1e30f

/* Units of work (core/work.h) of a pair of primitives that is examined for contacts. Performance only. */
#define COMPLEX_CONTACT_UNITS 20

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

/* Sine: a normal that is inclined less than this towards a neighbour is so because of rounding. Needed by
 * test_complex_contact, normals_on_a_ridge_and_in_a_gutter. */
#define COMPLEX_CONTACT_LEAN 1e-5

/* One minus a cosine: a normal this close (0.08 degrees) to that of its face is that of its face. Needed by
 * test_complex_contact, normals_on_a_ridge_and_in_a_gutter. */
#define COMPLEX_SAME_NORMAL 1e-6

/* Relative to the size of a triangle and its coordinates: points this close are on it. Needed by test_complex_contact,
 * sizes_far_from_one_scale. */
#define COMPLEX_CONTACT_ON_TRIANGLE 1e-9

/* Relative to the size of the smaller body: contacts closer than this are one. Needed by test_complex_contact,
 * cubes_lie_on_each_other_like_boxes. */
#define COMPLEX_SAME_CONTACT 1e-7

/* The same: a contact counts as deeper than the bodies only if it is deeper by more than this. Less is rounding. Needed
 * by test_complex_contact, cubes_lie_on_each_other_like_boxes. */
#define COMPLEX_CONTACT_DEEPER 1e-9

/* The same: primitives this close touch up to rounding. Needed by test_complex_contact,
 * cubes_lie_on_each_other_like_boxes. */
#define COMPLEX_CONTACT_TOUCHING 1e-13

/* Relative to coordinates and radii: rounding of a distance from the plane of a triangle. Proved: some 10 units each
 * of the normal, the support point and the product. With -1e-12 test_complex_contact,
 * cubes_lie_on_each_other_like_boxes, fails. */
#define COMPLEX_CONTACT_PLANE_ROUNDING (64.0 * DBL_EPSILON)

/* Radii of a convex shape: the corners of a triangle that stands for a plane. Its inscribed circle has half this
 * radius, so it reaches beyond the shape. Any larger value gives the same answers. */
#define COMPLEX_FLAT_AROUND 4.0

/* Relative to the radius of a convex shape: where it is deeper in a flat region of a mesh, triangles are examined one
 * by one, since the shape may pass by this face. With 1e9 test_complex_contact, nothing_bumps_on_a_plane, fails. */
#define COMPLEX_FLAT_DEPTH 1e-3

/* Flat regions that a query remembers to have visited. With more, some are visited again. Performance only. */
#define COMPLEX_KNOWN_REGIONS 16

/* Cosine: closer normals push to one side. Needed by test_complex_limits, deep_contacts_push_to_one_side. */
#define COMPLEX_SAME_SIDE 0.5

/* Contacts: a longer list is indexed. Performance only. */
#define COMPLEX_INDEX_MIN 64

/* The index of contacts: the width of its cells in units of what is compared; more than the relative rounding of
 * coordinates; the same for normals, whose difference is at most the root of 2 COMPLEX_SAME_NORMAL. Performance only,
 * but for COMPLEX_NORMAL_REACH, which is proved, and needed by internal_contact_index. */
#define COMPLEX_INDEX_CELL 16.0
#define COMPLEX_INDEX_ROUNDING 0x1p-40
#define COMPLEX_NORMAL_REACH 1.5e-3
#define COMPLEX_NORMAL_CELL (16.0 * COMPLEX_NORMAL_REACH)

/* Cells that list the triangles near a point: triangles in a cell that is not divided, and on average in a search of
 * the tree before cells are begun; divisions; searches that end in a cell before it is divided; visits for each
 * triangle of the mesh before cells are begun. Performance only; internal_contact_cells counts. */
#define COMPLEX_CELL_TRIANGLES 16
#define COMPLEX_CELL_LEVELS 20
#define COMPLEX_CELL_VISITS 4
#define COMPLEX_CELL_PAYS 8

/* Contacts from which a manifold is chosen. Needed by test_complex_contact, cubes_lie_on_each_other_like_boxes. */
#define COMPLEX_MANIFOLD_CAPACITY 64

/* ---- intersections ----------------------------------------------------------------------------------------------- */

/* Facets of A tested together, so that those of B are computed once for all of them: some 8 KB of stack. Performance
 * only. */
#define COMPLEX_FACET_BATCH 64

/* ---- distances and closest points -------------------------------------------------------------------------------- */

/* Relative to radii and coordinates: smaller distances of two triangles are decided exactly. Far above the 32 units of
 * roundoff by which they may be off. Proved: that error; larger values only cost time. */
#define COMPLEX_EXACT_DISTANCE (256.0 * DBL_EPSILON)

/* Relative to the size of a query: closer to a triangle the direction to its closest point is rounding, and the answer
 * has the normal of the triangle. Needed by test_complex_limits, normals_of_closest_points_are_outward. */
#define COMPLEX_CLOSEST_ON_TRIANGLE (64.0 * DBL_EPSILON)

/* ---- distances of NURBS surfaces --------------------------------------------------------------------------------- */

/* Relative to the largest coordinate of a search, per p + q + 4: rounding errors of a distance. With u = DBL_EPSILON /
 * 2, all coefficients are positive, so errors add up to at most 16 (p + q + 2) u for the Bezier control points of a
 * patch (NURBS_POINT_ROUNDOFF), 8 u for the transform, p and q times u for each of NURBS_SEARCH_LEVELS divisions along
 * u and v, 2 u for the weight and 5 u for the product with a unit vector; all of that for each of two sides. Proved; no
 * test fails with less. */
#define NURBS_SEARCH_ROUNDOFF (64.0 * DBL_EPSILON)

/* Divisions of a patch in each direction: coordinates of nodes stay exact, and NURBS_SEARCH_ROUNDOFF holds. With 4
 * test_nurbs_distance, distances_have_closed_forms, fails. */
#define NURBS_SEARCH_LEVELS 40

/* Relative to the size of the larger shape: the accuracy of distances, if none is given. Needed by test_nurbs_distance,
 * distances_have_closed_forms. */
#define NURBS_SEARCH_ACCURACY 1e-10

/* Pairs that are divided, if no limit is given. An isolated minimum takes 30 to 1000. Needed by test_nurbs_distance,
 * random_surfaces_agree_with_the_oracle. */
#define NURBS_SEARCH_WORK 20000

/* Units of work (core/work.h) of a node that is divided. Performance only. */
#define NURBS_SEARCH_UNITS 50

/* Pairs of primitives that a search begins with. With more, the surfaces are nearly parallel, and the search would not
 * converge. Bounds the memory of a query. Performance only. */
#define NURBS_SEARCH_CANDIDATES 32768

/* Pairs of patches that a search of two surfaces begins with at most. Performance only, as above. */
#define NURBS_SEARCH_ROOT_PAIRS 65536

/* Pairs of triangles without a better start after which Newton's method has had its chance. Performance only. */
#define NURBS_START_PAIRS 48

/* Relative: accuracy of the distances of triangles that a search begins with. Performance only: lower bounds account
 * for it. */
#define NURBS_TRIANGLE_ACCURACY 1e-6

/* Relative: accuracy of the distance of two primitives without surfaces, well below NURBS_SEARCH_ACCURACY. Needed by
 * test_nurbs_distance, margins_compounds_and_solids. */
#define NURBS_PRIMITIVE_ACCURACY 1e-12

/* Searches by Newton's method from pairs of triangles that touch. Performance only. */
#define NURBS_TOUCHING_TRIALS 16

/* Steps of Newton's method. Touching surfaces converge linearly, by 2/3 a step. Performance only. */
#define NURBS_NEWTON_STEPS 64

/* Relative to the squared derivative: the first damping of a step that does not decrease the distance. Performance
 * only. */
#define NURBS_NEWTON_DAMPING 1e-3

/* The same: a smaller pivot counts as not positive. Performance only. */
#define NURBS_NEWTON_PIVOT 1e-14

/* Relative to the largest coordinate, and to the distance: by how far a point is moved to find the derivative of its
 * projection on a convex shape. Performance only. */
#define NURBS_NEWTON_STEP 1e-5
#define NURBS_NEWTON_STEP_FRACTION 1e-2

/* In units of the coordinates of a patch: at a pole, where the derivatives of a surface do not span a plane, the normal
 * is that of a point this far beside it; if need be GROWTH times as far, and so on up to MAX_STEP. Needed by
 * test_nurbs_distance, poles_have_normals: STEP (with 1e-3 it fails) and MAX_STEP (with 0). With GROWTH 1e9
 * test_nurbs_limits, corners_of_tangent_sides_have_normals, fails. */
#define NURBS_POLE_STEP 1e-7
#define NURBS_POLE_GROWTH 16.0
#define NURBS_POLE_MAX_STEP 1e-2

/* Sine of the angle of two derivatives, and ratio of their lengths: with less the direction of their cross product is
 * due to rounding. Needed by test_nurbs_distance, poles_have_normals: the ratio. With the sine 0 test_nurbs_limits,
 * corners_of_tangent_sides_have_normals, fails. */
#define NURBS_POLE_SINE 1e-9
#define NURBS_POLE_RATIO 1e-9

/* Relative to the largest coordinate: closest points of two patches nearer than this are one point of a common edge.
 * Also a sine: a direction this close to a normal is along it. Above the root of the accuracy, to which Newton's method
 * finds the points. Needed by test_nurbs_distance, sharp_edges_have_two_sides: with INFINITY it fails. */
#define NURBS_SAME_FOOT 1e-7

/* Relative to a diagonal element: smaller pivots count as not positive, so that Cholesky's factors prove that a matrix
 * of four rows is. Proved: they are off by at most 10 units of roundoff. No test fails with 0. */
#define NURBS_QUADRATIC_PIVOT 1e-13

/* A shift that makes a matrix positive is this multiple of a lower bound of it. Performance only: larger values need
 * fewer factorizations and give weaker bounds. */
#define NURBS_QUADRATIC_OVERSHOOT 1.25

/* The first share h of |L x|^2 (nurbs_quadratic.h), and the smallest. Performance only: each h gives a bound. */
#define NURBS_QUADRATIC_SHARE 0.25
#define NURBS_QUADRATIC_LEAST_SHARE 0x1p-10

/* Steps after the first towards the minimum of a convex quadratic function of four variables on a box. Performance
 * only: any point gives a bound. */
#define NURBS_QUADRATIC_STEPS 6

/* Relative to the square of the sum of all lengths in a quadratic function: its rounding errors. Some 50 operations.
 * Proved; no test fails with 0. */
#define NURBS_QUADRATIC_ROUNDOFF (256.0 * DBL_EPSILON)

/* Share of the gap of the bounds: if the error of the bound of a pair is less, other things than its Taylor polynomials
 * make the bound low, and the larger part is divided. With 0 some pairs are divided thousands of times, and
 * test_nurbs_distance, nearly_parallel_blades_take_little_work, fails. */
#define NURBS_QUADRATIC_GAP 0.0625

/* Sine of the angle between a ray and a plane: a smaller one does not clip. Performance only. */
#define NURBS_RAY_MIN_SINE 1e-8

/* Steps of Newton's method for a hit, and by how much it may leave the patch, in its coordinates. Performance only. */
#define NURBS_RAY_STEPS 16
#define NURBS_RAY_OUTSIDE 0.5

/* Points on each side of a patch from which the common point of neighbouring patches is found. Performance only. */
#define NURBS_EDGE_STARTS 9

/* Errors of both tessellations: tact_shapes_distance accepts bounds of a distance that differ by at most so many. Those
 * from triangles alone differ by two, and rounding. surfaces_are_trimmed in test_nurbs_command fails without it. */
#define NURBS_SEARCH_ACCEPTED_ERRORS 2.001

/* ---- intersection curves of NURBS surfaces ----------------------------------------------------------------------- */

/* Relative to the size of the larger shape: the accuracy and the resolution of intersection curves, if none is given.
 * Needed by test_nurbs_intersect, curves_have_closed_forms. */
#define NURBS_INTERSECT_ACCURACY 1e-6

/* Pairs of parts that are examined, and points of curves, if no limit is given. With 100 pairs
 * test_nurbs_intersect, curves_have_closed_forms, fails. */
#define NURBS_INTERSECT_WORK 100000
#define NURBS_INTERSECT_NODES 1000000

/* Relative: rounding errors of the bounds of nurbs_crossing.c, some 50 operations. Proved; no test fails with 0. */
#define NURBS_CROSSING_SLACK 1e-13

/* Sine: lines between common points of a pair that crosses are closer to d than this. Performance only: any value below
 * 1 is right, and bounds shrink by half with each division. */
#define NURBS_CROSSING_MAX 0.7

/* Cosine: a coordinate increases or decreases along vectors at most this close to a right angle to its iso-lines.
 * Rounding errors of the cosine are some 1e-8. No test fails with 1e-7. */
#define NURBS_CROSSING_LEAST 0.07

/* Share of the length of a part in its weight, which decides what is divided. With 0, flat parts are not divided, and
 * test_nurbs_intersect, curves_have_closed_forms, fails. */
#define NURBS_CROSSING_FLAT 0.05

/* In units of the coordinates of a patch: a common point this close to a curve in space and in the patches is on it.
 * Needed by test_nurbs_intersect, curves_cross_each_other. */
#define NURBS_INTERSECT_SAME_PLACE 1e-3

/* Steps that project a common point on a curve that it may be on. They converge quadratically. With 0
 * test_nurbs_intersect, parallel_curves_are_distinct, fails; 1 is enough for all tests. */
#define NURBS_INTERSECT_PROJECTIONS 8

/* Resolutions: a curve this close to a pair of parts that are smaller than one resolution belongs to it. With 0
 * test_nurbs_intersect, curves_have_closed_forms, fails. */
#define NURBS_INTERSECT_NEAR 4.0

/* Scaled length: closer points are common. With 0 test_nurbs_intersect, surfaces_touch_and_coincide, fails. */
#define NURBS_INTERSECT_TOUCH 1e-10

/* Samples between two nodes of a curve that find where it crosses a trimming loop. With 4 test_nurbs_intersect,
 * slots_cut_a_line, fails. */
#define NURBS_INTERSECT_TRIM_SAMPLES 16

/* In units of the coordinates of a patch: a curve that ends this close to a side of a pair of parts leaves through it.
 * With 0 test_nurbs_intersect, parallel_curves_are_distinct, fails. */
#define NURBS_INTERSECT_AT_END 1e-6

/* Fraction of the curve between two nodes: the distance of the samples that find where it leaves a pair of parts. A
 * curve that leaves and returns in between is taken as inside. No test fails with 1. */
#define NURBS_INTERSECT_WALK_STEP 0.125

/* Bisections for the place at which a curve leaves a pair of parts. With 1 test_nurbs_intersect,
 * curves_have_closed_forms, fails. */
#define NURBS_INTERSECT_BISECTIONS 24

/* Lists of segments of curves by pairs of patches. Performance only. */
#define NURBS_INTERSECT_LIST_BITS 8
#define NURBS_INTERSECT_LISTS (1u << NURBS_INTERSECT_LIST_BITS)

/* Relative: derivatives that differ by less do not jump. Performance only: a node is repeated or not. */
#define NURBS_INTERSECT_SAME_RATE 1e-9

/* Steps of Newton's method for a common point. With 4 test_nurbs_intersect, curves_cross_edges, fails. */
#define NURBS_MARCH_STEPS 12

/* Scaled length: the largest distance of both surfaces at a common point, where rounding errors stop Newton's method.
 * With 1e-15 test_nurbs_intersect, curves_have_closed_forms, fails. */
#define NURBS_MARCH_RESIDUAL 1e-11

/* Relative: smaller pivots are zero. Needed by test_nurbs_intersect, curves_end_at_poles. */
#define NURBS_MARCH_PIVOT 1e-13

/* Square of a sine: where derivatives or planes are closer to parallel, a step is computed by elimination, which is
 * slower and more accurate. Performance: with elimination everywhere test_nurbs_intersect takes 1.07 times as long. No
 * test fails with 0. */
#define NURBS_MARCH_FLAT 1e-12

/* In units of the coordinates of a patch: by how much Newton's method may leave a patch. With 0
 * test_nurbs_intersect, curves_cross_edges, fails, and with 5 parallel_curves_are_distinct. */
#define NURBS_MARCH_OUTSIDE 0.5

/* Sizes of a pair of parts: Newton's method looks for a common point only if the line in which the tangent planes at
 * the middles of both meet passes this close. Performance only: pairs of a curve are divided until it does. */
#define NURBS_MARCH_SEED_RANGE 1.0

/* Sine of the angle of two tangent planes: points of a curve have at least this. Closer to a point where two curves
 * cross, both are common points up to rounding, and the direction is lost. Needed by test_nurbs_intersect,
 * curves_cross_each_other. */
#define NURBS_MARCH_SINE 1e-5

/* Scaled length, and number: a curve with so many steps in a row that are shorter ends. Without it steps that become
 * ever shorter take all nodes: test_nurbs_intersect, curves_have_closed_forms, fails. */
#define NURBS_MARCH_SHORT 1e-4
#define NURBS_MARCH_SHORT_STEPS 256

/* Cosine: by how much the tangent turns in one step at most (30 degrees), so that the error in the middle of a step is
 * the error of the whole. With -1 test_nurbs_limits, coarse_curves_turn_little, fails. */
#define NURBS_MARCH_TURN 0.866

/* Relative to the largest derivative: a curve that approaches a side more slowly runs along it. With 0.3
 * test_nurbs_intersect, curves_cross_edges, fails; with 0 none does, curves_run_along_sides neither. */
#define NURBS_MARCH_ALONG 1e-7

/* In units of the coordinates of a patch: closer to a side is on it. With 0 and with 1e-7 test_nurbs_intersect,
 * curves_end_at_poles, fails. */
#define NURBS_MARCH_SIDE 1e-10

/* Scaled length, coordinate of a patch, and one minus a cosine: closer points of a curve are the same. With 1e-11
 * test_nurbs_intersect, curves_cross_each_other, fails. */
#define NURBS_MARCH_SAME 1e-8

/* Scaled length: where shorter steps are needed, the curve ends. With 1e-5 test_nurbs_intersect, curves_end_at_poles,
 * fails. */
#define NURBS_MARCH_MIN_STEP 1e-8

/* ---- one-sided meshes, heightfields (penetration.c) ---- */

/* Cosine: how far a direction that separates may lean towards the back of a one-sided surface, or below a heightfield.
 * Horizontal directions are off by a few units of roundoff. Needed by test_heightfield, bodies_leave_through_walls. */
#define COMPLEX_LEAST_FRONT 1e-9

/* ---- half-spaces (halfspace_query.c) ---- */

/* Sum of two unit normals, per component: below it two half-spaces have opposite normals. Each normal is off by a few
 * units of roundoff after a rotation (1e-15 at worst of a million); a true angle of this size closes a gap of 1 at a
 * distance of 2e14. Needed by test_halfspace, two_halfspaces_are_disjoint_only_if_opposite. */
#define HALFSPACE_OPPOSITE 4e-15

/* Relative to the box below the plane: elements that are farther away than the reach by no more than this are visited,
 * too. Their points are then tested exactly. More than the rounding error of a distance, 32 units of roundoff. No test
 * needs it for that (flat_meshes_rest_on_all_their_vertices in test_halfspace tries): boxes of trees are rounded
 * outward. Relative to the coordinates: by no more than this the deepest vertex may be above the separation. Needed by
 * test_halfspace, manifolds_of_meshes_name_their_vertices. */
#define HALFSPACE_REACH_SLACK 1e-14

#endif
