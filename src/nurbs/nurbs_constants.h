/* Caps and tolerances of src/nurbs. Each with its unit, the reason for its value, and the test that fails without it.
 */
#ifndef TACT_NURBS_NURBS_CONSTANTS_H
#define TACT_NURBS_NURBS_CONSTANTS_H

/* Largest number of patches of a shape: a patch and two coordinates of 21 bits each fit a word, with two bits left.
 * Needed by test_nurbs_shape, bad_shapes_are_explained. */
#define NURBS_MAX_PATCHES (1u << 20)

/* Largest number of control points of a shape: 400 MB. A cap against mistakes. Without it test_nurbs_limits,
 * too_many_control_points_are_refused, fails. */
#define NURBS_MAX_MODEL_POINTS (1u << 24)

/* Largest number of control points of a trimming curve, and of vertices of all polylines of a surface.
 * Bounds the memory; a smaller one fails internal_nurbs_trim, triangles_cover_what_is_inside. */
#define NURBS_MAX_TRIM_POINTS (1u << 20)

/* Divisions of a trimming curve by halves: ends the recursion where the accuracy is below rounding. With 3
 * internal_nurbs_trim, a_disc_is_round, fails. */
#define NURBS_TRIM_DEPTH 20

/* Fraction of the domain: gaps between consecutive trimming curves that are closed, and the distance from the border of
 * the domain at which a curve counts as lying on it. CAD files have curves in single precision. With 0
 * internal_nurbs_trim, corners_on_the_border_stay, fails, and with 1e-3 triangles_cover_what_is_inside. */
#define NURBS_TRIM_GAP 1e-6

/* Fraction of the tolerance that the polylines of trimming curves may use. The cells of a trimmed surface may use
 * 1 - 2 of it; the remaining part is for the border of the domain (NURBS_TRIM_GAP) and for rounding to the grid.
 * Performance only: the error is computed from what was used. */
#define NURBS_TRIM_FRACTION 0.125

/* Edges of a shape that surfaces share: their uses fit 32 bits. Without it test_nurbs_limits,
 * too_many_edges_are_refused, fails. */
#define NURBS_MAX_EDGES (1u << 28)

/* Fraction of the tolerance: of a shape with edges, each surface may use so much. The rest is for the distance between
 * the vertices of one surface on an edge and the triangles of the other. With 1 internal_nurbs_edges,
 * errors_are_within_the_tolerance, fails. */
#define NURBS_EDGE_FRACTION 0.5

/* Fraction of the tolerance: vertices of two surfaces on an edge that are closer become one, so that there are no
 * triangles that are much narrower. Their distance is added to the error. Performance only: no test fails with 0. */
#define NURBS_EDGE_SNAP 0.03125

/* Fraction of the domain: polylines of trimming curves are at least this accurate, however large the tolerance, so that
 * loops keep their form and do not vanish. Needed by internal_nurbs_trim, a_disc_is_round. */
#define NURBS_TRIM_MAX_ERROR 0.01

/* Fraction of half the largest extent of a surface: the tolerance if none is given. Stated in tact/nurbs.h.
 * Needed by test_nurbs_shape, tolerances_are_kept. */
#define NURBS_DEFAULT_TOLERANCE 0.00390625

/* The error of a tessellation is at most this fraction of the tolerance, so that a time of impact may have a tolerance
 * of its own: see SHAPE_NURBS_TOI_FRACTION. Needed by test_nurbs_shape, tolerances_are_kept. */
#define NURBS_TOLERANCE_FRACTION (8.0 / 9.0)

/* Relative to the largest coordinate: control points of sides that are closer than this are the same. Bezier extraction
 * rounds each coordinate at most (degree + 1)^2 <= 256 times, by half of 2.2e-16: 2.9e-14, times the weights' share.
 * With 0 internal_nurbs_tessellation, closed_models_have_no_cracks, fails, and with 1e-6
 * points_of_surfaces_are_within_the_error.
 */
#define NURBS_SEAM_ROUNDOFF 1e-12

/* Relative: rounding errors of the bound of tact_bezier_chord_error, some 40 operations on positive numbers, and of the
 * differences of control points that it consists of, whose absolute error is part of NURBS_POINT_ROUNDOFF. Proved; no
 * test fails with 0. */
#define NURBS_BOUND_ROUNDOFF 1e-13

/* Length: nets with larger extents, or smaller ones than its reciprocal, are scaled, so that squares of some hundred
 * times a coordinate neither overflow nor underflow. Needed by test_nurbs_shape, tiny_and_huge_surfaces_are_alike. */
#define NURBS_MAX_SQUARABLE 1e100

/* Relative to the largest coordinate of the control points, per (p + q + 2): rounding errors of positions of vertices,
 * of Bezier extraction and division. All coefficients are positive, so each of the at most 16 (p + q + 2) roundings on
 * the way contributes at most half of 2.2e-16; doubled. Needed by internal_nurbs_self, adjacent_leaves_are_compared. */
#define NURBS_POINT_ROUNDOFF (32.0 * DBL_EPSILON)

/* Levels: a cell that needs at most so many more levels gets leaves of one level. The control points of cells are only
 * computed above. Performance only: 2 is 1.3 times faster than 0 or 1, and makes at most 16 leaves of one cell. */
#define NURBS_UNIFORM_LEVELS 2

/* Levels: the unit of coordinates of vertices in a patch is 2^-20 of its side. Products of three such coordinates fit
 * 64 bits, so that trimming is decided exactly, and a vertex and its patch fit one word. With 16
 * internal_nurbs_trim, a_disc_is_round, fails. */
#define NURBS_GRID_LEVEL 20

/* Levels: a leaf has at most this level, so that its centre is on the grid. With 4 internal_nurbs_tessellation,
 * points_of_surfaces_are_within_the_error, fails. */
#define NURBS_MAX_LEVEL 14

/* Units of the grid: a new vertex of a trimmed cell that is farther from the triangles before has no place on them.
 * Points where trimming curves cross sides of cells are rounded by one unit at most, each of both. */
#define NURBS_ORIGIN_REACH 4.0

/* Cells of a tessellation. Triangles (at most 12 per cell with balanced neighbours, 2 to 4 on average) stay below the
 * capacity of a tree. A cap on memory, a gigabyte: no test reaches it. */
#ifndef NURBS_MAX_CELLS /* fuzzers allow fewer */
#define NURBS_MAX_CELLS (1u << 24)
#endif

/* ---- bounds ---- */

/* Length: the float arithmetic of bounds neither overflows nor becomes subnormal for coordinates between this and its
 * reciprocal. Others take a slower path. Needed by internal_nurbs_bounds, boxes_and_fields_hold. */
#define NURBS_MIN_FLOAT_EXTENT 1e-20

/* Relative to the largest coordinate: conversion of a corner to float, and the expansion of a box of floats, round by
 * at most 2^-24 each, and twice that in another rounding mode. Needed by internal_nurbs_bounds, boxes_and_fields_hold.
 */
#define NURBS_BOX_ROUNDOFF 0x1p-21

/* Relative: products of float vectors with directions have at most 8 rounding errors of 2^-23. Needed by
 * internal_nurbs_bounds, boxes_and_fields_hold. */
#define NURBS_FIELD_ROUNDOFF 0x1p-20f

/* Length: smaller derivatives set no bits, so that subnormal numbers cannot. With 0
 * internal_nurbs_bounds, fields_of_tiny_cells_hold, fails. */
#define NURBS_MIN_FIELD 1e-30f

/* ---- edges that surfaces share ---- */

/* Steps of the parameter in which a curve of an edge is searched for its nearest point: at least and at most so many,
 * and two for each control point. Between two steps the distance has one minimum, if the curve does not wind there.
 * Needed by test_nurbs_edge_events, edges_are_no_contacts. */
#define EDGE_PATH_MIN_SAMPLES 32
#define EDGE_PATH_MAX_SAMPLES 512

/* Thirds by which an interval of a curve is reduced: to 6e-5 of two steps. */
#define EDGE_PATH_ITERATIONS 24

/* Fraction of the length of an edge: a point of one curve is the nearest one of the other, within so much of the place
 * at the same part of the length. Lengths of polylines of EDGE_PATH_MIN_SAMPLES steps and parts where curves deviate
 * by the tolerance differ by less. Larger: contacts where an edge folds onto itself count as none. */
#define EDGE_PATH_SEARCH 0.03125

/* Surfaces around a corner that are followed. */
#define EDGE_PATH_CORNER 32

/* ---- self-collision ---- */

/* Tolerances of the tessellation: two points that a path on the surface of at most this length joins are neighbours,
 * and their contact is not reported. Pieces of the surface that are divided until they are one tolerance large overlap
 * those a few places away near a pole. Needed by internal_nurbs_self, a_sphere_does_not_touch_itself. */
#define NURBS_SELF_NEIGHBOUR 8.0

/* Cells between two leaves of a surface: those that are closer are divided before they are reported. Near a pole cells
 * are narrower than their errors. Needed by internal_nurbs_self, a_sphere_does_not_touch_itself. */
#define NURBS_SELF_NEAR 4

/* Updates: an open unit whose parts are all free is tested once in so many. Performance only: with 1, a quarter to a
 * half more units are tested, nearly all in vain. */
#define NURBS_SELF_PATIENCE 4

/* Divisions on the way from two leaves to their smallest pieces; the memory for the pieces is proportional to it. A
 * leaf is less than 2^15 tolerances large, so that 15 divisions of each suffice. If they are exceeded, the leaves are
 * reported: any value misses no contact. No test reaches it (none fails with 4). */
#define NURBS_SELF_DEPTH 32

/* Pieces compared for two leaves. If they are exceeded, the leaves are reported: a cap on the time, and any value
 * misses no contact. No test reaches it (none fails with 10). */
#define NURBS_SELF_BUDGET 20000

/* ---- limits of the input ---- */

/* Length. Larger coordinates of control points are refused, as for all shapes (SHAPE_MAX_COORDINATE): squares of sums
 * of a few coordinates do not overflow. Needed by internal_nurbs_surface, each_bad_input_has_its_message. */
#define NURBS_MAX_COORDINATE 1e150

/* Parameter. Larger knots are refused: differences of knots and their squares do not overflow. Needed by
 * internal_nurbs_surface, each_bad_input_has_its_message. */
#define NURBS_MAX_KNOT 1e150

/* Parameter. Shorter knot intervals, unless they are empty, are refused: first derivatives of control points up to
 * NURBS_MAX_COORDINATE do not overflow. Needed by internal_nurbs_surface, each_bad_input_has_its_message. */
#define NURBS_MIN_SPAN 1e-150

/* Weight. Larger weights, and those smaller than its reciprocal, are refused: products of weights, coordinates and
 * derivatives of basis functions stay far from overflow and underflow. Needed by internal_nurbs_surface,
 * each_bad_input_has_its_message. */
#define NURBS_MAX_WEIGHT 1e30

/* Ratio of the largest weight to the smallest. Derivative k of a rational surface grows like its k-th power. Larger
 * ratios are refused. Needed by internal_nurbs_surface, each_bad_input_has_its_message. */
#define NURBS_MAX_WEIGHT_RATIO 1e12

/* Control points of a surface: their indices and the numbers of knots fit 32 bits with bits to spare. Needed by
 * internal_nurbs_surface, each_bad_input_has_its_message. */
#define NURBS_MAX_POINTS 0x1fffffffu

#endif
