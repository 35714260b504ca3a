/*
 * The limits, tolerances and tuned numbers of this room. Each says what it limits, its unit and why it has this
 * value, and names the test that fails without it where one does. "Performance only": any value gives the same
 * answers.
 */
#ifndef TACT_SHAPE_SHAPE_CONSTANTS_H
#define TACT_SHAPE_SHAPE_CONSTANTS_H

#include <float.h>

/* ---- limits of the input ---- */

/* Length. Larger coordinates and sizes are refused: twice their square would overflow in a sum of a few products.
 * Needed by internal_shape_limits, coordinates_beyond_the_limit_are_refused. */
#define SHAPE_MAX_COORDINATE 1e150

/* Length. A coordinate of a bounding box beyond this is the limit of a half-space (SHAPE_MAX_COORDINATE, relative to
 * an origin that is no farther out), not an extent: it does not count in tolerances. Needed by test_halfspace_world,
 * balls_bounce_on_a_halfspace. */
#define SHAPE_UNLIMITED_COORDINATE (0.5 * SHAPE_MAX_COORDINATE)

/* Squared length less 1: a normal this close to unit length is not normalised again. A normalised vector is off by at
 * most 4 units of roundoff. Needed by test_halfspace_world, saved_worlds_go_on_as_before. */
#define HALFSPACE_UNIT_ROUNDING (4.0 * DBL_EPSILON)

/* Ratio of bounds of the squared singular values of a transform: above it the plane of a half-space is computed without
 * an inverse, with at most 32 units of roundoff. Performance only. */
#define HALFSPACE_WELL_CONDITIONED 0.01

/* Levels of parts within parts. Deeper nesting is refused, so that recursion fits into any thread's stack. Needed by
 * internal_mesh. */
#define SHAPE_MAX_NESTING 32

/* Parts in all, a shared part counted once for each use. One support point evaluates all of them. Without this limit a
 * few levels of sums of a shape with itself would never finish. Needed by internal_mesh. */
#define SHAPE_MAX_PARTS 65536

/* Leaves of a compound: their numbers fit 32 bits. Needed by internal_mesh. */
#define COMPOUND_MAX_LEAVES 0x7fffffffu

/* Vertices of a compound that is tested by its features, a shared part counted once for each use: what a moving tree
 * can hold (MOVING_TREE_MAX_ITEMS), so that no number overflows. Memory is out before. */
#define COMPOUND_MAX_VERTICES (UINT32_C(1) << 28)

/* Points of a hull. Indices are 32-bit, and a hull has up to twice as many triangles as points, each with three edges.
 * Needed by internal_mesh. */
#define HULL_MAX_POINTS 300000000u

/* Nodes of a triangulation, bridges included: their numbers fit 32 bits with a bit to spare. Needed by internal_mesh.
 */
#define TRIANGULATE_MAX_NODES 0x80000000u

/* Sizes of a heightfield (its largest extent or height difference) from its lowest vertex down to its bottom. Deep
 * enough for all that happens near the surface; tolerances of a penetration depth are relative to it (4e-13 x 2^10 =
 * 4e-10 of the size, before the last refinement). Needed by test_heightfield, points_far_below_are_contained. */
#define HEIGHTFIELD_DEPTH 1024.0

/* Relative to the height of the lowest vertex: the least size of a heightfield. HEIGHTFIELD_DEPTH of it is more than
 * the rounding error of a height, or the solid would have no thickness. Needed by test_heightfield,
 * small_fields_far_up_have_thickness. */
#define HEIGHTFIELD_MIN_SIZE 1e-15

/* Vertices: the closed mesh has at most 3 triangles for each, of which the tree holds 2^29. Needed by test_heightfield,
 * bad_input_is_refused. */
#define HEIGHTFIELD_MAX_VERTICES ((size_t)1 << 27)

/* ---- transformed convex shapes ---- */

/* Relative. How far from equal lengths and right angles the axes of a rotation may be through rounding: the worst of a
 * million rotations made by tact_transform_make is off by 1.33e-15. Such a transform counts as a similarity, which
 * changes a radius by at most 2e-15 of itself. Needed by internal_shape_limits,
 * almost_similarities_are_not_similarities. */
#define CONVEX_SIMILARITY_TOLERANCE 4e-15

/* Relative to the product of the squared lengths of the axes: a squared determinant above this is not zero. The error
 * of the determinant is below 42 2^-53 of the product of the lengths, whose square is 2.2e-29. Needed by
 * internal_closed_form, singular_transforms_are_refused. */
#define CONVEX_DETERMINANT_MIN 1e-28

/* Squared ratio: where a custom support point moves this much farther on one side than on the other there is a kink.
 * Needed by internal_shape_limits, curvatures_of_custom_shapes_are_those_of_their_surface. */
#define CONVEX_KINK_RATIO 4.0

/* Radians: the step of the difference quotient of a custom support function. Central differences of a function known to
 * 1e-16 have an error of about 1e-16/step + step^2. Needed by internal_shape_limits,
 * curvatures_of_custom_shapes_are_those_of_their_surface. */
#define CONVEX_CURVATURE_STEP 1e-5

/* Vertices of a face that tact_convex_support_face returns. Larger faces are thinned to this many, and round caps get
 * as many. Needed by internal_convex_limits, caps_have_the_outline_of_their_rim. */
#define CONVEX_FACE_VERTICES 32

/* ---- bounds and support points of complex shapes ---- */

/* Units of roundoff (2^-53) of bounding radius, margin and origin. The rounding of a support point (linear part,
 * origin, margin) is below 8; CONVEX_SIMILARITY_TOLERANCE adds up to 18. Needed by internal_shape. */
#define BOUNDS_ROUNDOFF_UNITS 32.0

/* Leaves of a compound whose bounds are all computed. Of a larger compound only the boxes of its parts count, so that
 * sub-graphs that are shared many times do not take exponential time. Needed by internal_mesh,
 * bad_compounds_are_refused. */
#define BOUNDS_MAX_LEAVES 4096u

/* Relative to the largest number on the way: how far a vertex under the composed transform may be from where the
 * transforms, applied one after another, put it. Needed by test_compound, shared_parts_cost_nothing. */
#define COMPOUND_COMPOSE_ERROR (32.0 * DBL_EPSILON)

/* Relative to the largest product: the rounding error of the support bound of a box and of a transformed vertex.
 * Proved: sums of up to eight products of two factors, each rounded fewer than eight times. */
#define SUPPORT_BOUND_ERROR (32.0 * DBL_EPSILON)

/* Relative to the radius and the position of a shape: support values that differ by no more than this are equal up to
 * rounding: of a box and of a vertex, each some eight units of roundoff for three coordinates. Needed by
 * internal_flat_regions, flat_faces_are_cheap. */
#define SUPPORT_TIE (16.0 * DBL_EPSILON)

/* Elements that tact_support_value_if_cheap evaluates before it gives up. Performance only. */
#define SUPPORT_CHEAP_ELEMENTS 64

/* ---- flat regions of meshes ---- */

/* Sine of the angle of two edges of a triangle, by largest coordinates: below it the normal is rounding, and the
 * triangle belongs to no flat region. Any small value is right: with more, more triangles are examined one by one. No
 * test fails with 0. */
#define FLAT_MIN_SINE 1e-6

/* Relative to the bounding radius of a mesh: vertices this close to the plane of a region's first triangle are in it. A
 * slanting plane has vertices that are off by a unit of roundoff, and so has its first triangle, whose normal is off by
 * that over its size: enough for regions of 1,000 triangles across. Far below all gaps of bodies in contact. With 0
 * internal_flat_regions, slanting_planes_are_flat, fails. */
#define FLAT_TOLERANCE 0x1p-40

/* Triangles of a mesh that is searched for flat regions: the least in which one triangle has three neighbours.
 * Performance only: no other triangle is in a region. */
#define FLAT_MIN_TRIANGLES 4

/* ---- 2D box index ---- */

/* Relative to the largest coordinate in the tree, about 1: how far rounding moves a point or a line there. Needed by
 * internal_triangulate, many_vertices_take_log_linear_time. */
#define BOX_INDEX_ERROR (16.0 * DBL_EPSILON)

/* Length: squares of shorter distances vanish, so that they are all equal. Needed by internal_triangulate,
 * tiny_polygons_have_the_same_bridges (0). Larger values only visit more vertices. */
#define BOX_INDEX_MIN_LENGTH 1e-150

/* Binary exponent of the scale: neither infinite nor subnormal. Proved: any value below 1022 is right, as 2^-1022 is
 * the least normal double. */
#define BOX_INDEX_MAX_EXPONENT 1020

/* ---- construction of hulls ---- */

/* The unit roundoff u of numbers below 1: 2^-53. Needed by internal_shape. */
#define HULL_UNIT_ROUNDOFF 1.1102230246251565e-16

/* Units of roundoff of the largest coordinate: how far a point may be off a plane, to either side, and count as in it;
 * and how far off a line. Rotating and translating moves points that were in a plane or on an edge by this much: with 3
 * and 4, one in a thousand rotated boxes with a grid of points on them has more than 8 vertices (internal_hull).
 * Dropping such a point moves the support function by no more. */
#define HULL_PLANE_TOLERANCE 4.0
#define HULL_LINE_TOLERANCE 6.0

/* Units of roundoff. Distances of points of size 1 have an error below 16 in doubles: shorter ones than this are
 * computed again in double-double arithmetic. Proved by that bound; no test comes so close that it fails without it. */
#define HULL_DOUBLE_TRUSTED 64.0

/* Units of roundoff of the product of the extents: the error of a plane at a point, see quickhull.c. The second one
 * covers products that underflow. Needed by internal_hull (HULL_PLANE_ERROR). HULL_PLANE_ERROR_MIN is proved: what a
 * few products lose to underflow is below 1e-306. */
#define HULL_PLANE_ERROR 128.0
#define HULL_PLANE_ERROR_MIN 1e-300

/* ---- support queries of hulls ---- */

/* Vertices: the method of support queries by their number, measured (hull_direction_table.c). Performance only. */
#define HULL_SCAN_MAX_VERTICES 4u
#define HULL_RATIO_CELLS_MAX_VERTICES 1200u

/* Relative to |x| + |y| + |z| of a direction: the error of comparing two vertices in floats. Each sum of three products
 * has at most 5 roundings of 2^-24 (2^-23 in directed rounding modes) of that, and the threshold one more. The vertex
 * numbers in the last bits change each value by up to 31 2^-23. Needed by internal_shape_limits,
 * support_points_are_the_farthest. */
#define HULL_SIMD_ERROR 1e-5f

/* The same where the products are so small that they lose digits or vanish. Needed by internal_shape_limits,
 * support_points_are_the_farthest. */
#define HULL_SIMD_ERROR_MIN 1e-36f

/* Lengths: vertices of hulls of such sizes fit into floats without over- or underflow. Then the size relative to the
 * distance from the origin: the rounding of vertices relative to the centre is far below that of floats. Proved: the
 * scale 1 / size is finite from 2^-1023 on, and nothing is larger than SHAPE_MAX_COORDINATE; 2^-52 relative to the
 * distance is less than the 2^-24 of floats relative to 1e-8 of it. */
#define HULL_SIMD_MIN_SIZE 1e-290
#define HULL_SIMD_MAX_SIZE 1e290
#define HULL_SIMD_MIN_RELATIVE_SIZE 1e-8

/* Lengths: shorter or longer directions cannot be divided by their 1-norm. Every vertex is compared instead. Needed by
 * internal_shape_limits, support_points_are_the_farthest (HULL_DIRECTION_MIN). Any finite HULL_DIRECTION_MAX gives the
 * same answers: it excludes sums that overflow. */
#define HULL_DIRECTION_MIN 1e-290
#define HULL_DIRECTION_MAX 1e290

/* Of the side 2 of a square: squares of the grid are made larger by this, far more than the rounding of a direction's
 * position in the grid and far less than a cell. Proved: the position is rounded by less than 1e-15. */
#define HULL_GRID_OVERLAP 1e-9

/* Vertices: longer candidate lists are not compared all with all. Performance only. */
#define HULL_PAIRWISE_MAX 128u

/* Levels: how often on its way down a square may be split although the lists of its four quarters are together more
 * than twice as long as its own. Large faces need more levels around their normal; in a thin hull, whose lists all stay
 * long, they are a waste. Performance only. */
#define HULL_GRID_BAD_SPLITS 3

/* Per vertex: list entries examined and blocks of candidates stored while a grid is made; usually some 100 and 2.
 * Beyond these, squares are not split further, and lists are not stored. Performance only. */
#define HULL_GRID_MAX_WORK 400u
#define HULL_GRID_MAX_BLOCKS 8u

/* A hull thinner than this along an axis, relative to the widest, is not scaled further. Performance only. */
#define HULL_MIN_DIRECTION_SCALE 0x1p-60

/* Faces: hulls with more have no polar vertices, as testing all of them takes longer than GJK. Performance only. */
#define HULL_POLAR_MAX_FACES 1024u

/* Relative to the size: a hull with a face nearer to its centre than this is too thin, the error of floats too large.
 * Then relative to the distance from the origin: such faces are hardly known better than floats are. Needed by
 * internal_hull. */
#define HULL_POLAR_MIN_THICKNESS 1e-3
#define HULL_POLAR_MIN_RELATIVE_THICKNESS 1e-8

/* Lengths: for hulls of such sizes nothing over- or underflows. Needed by internal_hull. */
#define HULL_POLAR_MIN_SIZE 1e-100
#define HULL_POLAR_MAX_SIZE 1e100

/* Relative to the largest sum of three products: what the rounding of floats can add, with three factors and sums.
 * Needed by internal_gjk, the_line_of_centres_finds_overlaps. */
#define HULL_POLAR_ERROR 1e-6

/* Relative to the size: the unit of the radius of a cell. The largest, below sqrt 3, then fits a byte. Needed by
 * internal_hull. */
#define HULL_RADIAL_UNIT (1.0 / 128.0)

/* ---- triangulation ---- */

/* Vertices: below this a scan over all is faster than a tree. Performance only. */
#define TRIANGULATE_INDEX_MIN 192

/* Nodes added by bridges that are scanned without an index: MIN + nodes in the index / RATIO. With more, a new index
 * is made. Performance only. */
#define TRIANGULATE_UNINDEXED_MIN 64
#define TRIANGULATE_UNINDEXED_RATIO 64

/* Relative to the sum of the sizes of its terms, per vertex: the error of the signed area of a loop. Proved: each term
 * has two products and a difference. No test comes so close that it fails without it. */
#define TRIANGULATE_AREA_ERROR 0x1p-51

/* Per vertex: vertices inside edges and pairs of coincident vertices. With more, the loops count as crossing and stay
 * as they are: resolving 20,000 collinear vertices would take gigabytes. Needed by internal_triangulate,
 * triangles_cover_the_polygon_once (TRIANGULATE_MAX_ON_EDGES). */
#define TRIANGULATE_MAX_ON_EDGES 8
#define TRIANGULATE_MAX_COINCIDENT 1024

/* Passes over coincident vertices; each separates at least one pair. What is left then is not resolved. Needed by
 * internal_triangulate, triangles_cover_the_polygon_once. */
#define TRIANGULATE_MAX_PASSES 16

/* ---- meshes ---- */

/* Vertices: parts of a soup with more have a hull, smaller ones are used as they are. Needed by test_solid2,
 * deformation_keeps_the_previous_frame. */
#define MESH_SIMPLEX_VERTICES 4u

/* Factor: rounding of a bounding radius, upwards. Needed by internal_deform_cases, reaches_shrink. */
#define MESH_RADIUS_ROUNDING (1.0 + 4.0 * DBL_EPSILON)

/* Squared lengths: in this range squares neither overflow nor lose digits. Proved: digits are lost below DBL_MIN /
 * DBL_EPSILON = 1e-292, and no square exceeds 3e300 (SHAPE_MAX_COORDINATE). */
#define MESH_SQUARE_MIN 1e-280
#define MESH_SQUARE_MAX 1e280

/* Range of a restored bounding radius. It may be shorter than the distance of the farthest vertex by TOLERANCE,
 * relative. It may be at most MAX_RATIO times as long as the radius computed from the vertices, plus MIN (a length).
 * Needed by internal_record_damage, test_reordered_blocks (MESH_RADIUS_MAX_RATIO). */
#define MESH_RADIUS_TOLERANCE 1e-12
#define MESH_RADIUS_MAX_RATIO 2.0
#define MESH_RADIUS_MIN 1e-30

/* Triangles: the edges of a face with up to so many are compared pair by pair, at most 28 pairs; those of more are
 * looked up in a hash table. Performance only. */
#define MESH_PAIRWISE_TRIANGLES 8u

/* Seeds are triangles that represent components, at least one for each. Extra seeds allowed: MIN + triangles /
 * RATIO. With more, the components are found again. Performance only. */
#define MESH_SEED_EXCESS_MIN 64u
#define MESH_SEED_EXCESS_RATIO 64u

/* One in so many elements: when more have moved, one pass refits all. A single triangle, its box and the path to the
 * root, takes some 45 ns, one in a pass over all some 8 (parts of soups: 60 to 100, and 27 to 41). A pass counts as
 * refitting all elements. Another value changes when a degraded tree is rebuilt, hence the order of contacts, and older
 * records might not replay. Needed by internal_mesh, flushed_vertices_are_in_the_box_of_their_part. */
#define MESH_REFIT_ALL_RATIO 6u

/* Triangles whose boxes are computed in one call: a call has a fixed cost. Performance only. */
#define MESH_REFIT_BATCH 32u

/* Triangles that a vertex of an edited mesh is assumed to have, as they are not counted. See MESH_REFIT_ALL_RATIO.
 * Performance only, but for the order of contacts. */
#define MESH_EDIT_VALENCE 6u

/* Of the errors of NURBS shapes: the least tolerance of a time of impact. With the fraction of the tolerance that the
 * tessellation uses (NURBS_TOLERANCE_FRACTION), surfaces are at most (2 + 1/4) 8/9 = 2 tolerances apart when they are
 * reported. times_of_impact_are_never_late in test_nurbs_shape fails with 0: a search does not converge. */
#define SHAPE_NURBS_TOI_FRACTION 0.25

/* Relative: rounding errors of transform_stretch_bound, some ten units of roundoff. Proved; no test fails with 0. */
#define SURFACE_ERROR_SLACK 1e-14

#endif
