/**
 * @file
 * NURBS shapes: bodies bounded by rational B-spline surfaces, as in CAD models and deformable characters.
 *
 * A *NURBS surface* of degrees p and q has n x m control points P_ij with weights w_ij > 0 and two knot vectors. Its
 * point at the parameters (u, v) is
 *
 *     S(u, v) = sum_ij N_i,p(u) N_j,q(v) w_ij P_ij / sum_ij N_i,p(u) N_j,q(v) w_ij
 *
 * with the B-spline basis functions N (Piegl and Tiller 1997). Its domain is [u_p, u_n] x [v_q, v_m], where u_i and v_j
 * are the knots. A NURBS shape has one or several surfaces.
 *
 * **Queries.** A NURBS shape is a shape like any other. Every surface is tessellated: approximated by triangles whose
 * distance from the surface is at most the *tolerance* of the def. The bound is proved, not sampled, and holds at every
 * point. The queries then use the triangles and the bound:
 * - Surfaces that touch are always reported.
 * - Surfaces farther apart than twice the sum of both tolerances are never reported.
 * - Distances, closest points and rays are refined on the true surfaces: tact_nurbs_distance returns proved bounds.
 *   The status of tact_shapes_distance is #TACT_NOT_CONVERGED only if they differ by more than twice the sum of both
 *   tolerances.
 *
 * **Deformation.** A deformable body has control points of its own. tact_body_move_control_points moves some of them.
 * Only the region [u_i, u_i+p+1) x [v_j, v_j+q+1) of each moved point is computed again (Lau, Chan, Luk and Li
 * 2002, 3.3). The tessellation becomes finer where the surface bends more, and coarser where it becomes flat. It
 * depends on the present control points alone, not on earlier ones.
 */
#ifndef TACT_NURBS_H
#define TACT_NURBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/body.h>
#include <tact/query.h>
#include <tact/shape.h>
#include <tact/status.h>
#include <tact/vec.h>

TACT_BEGIN

/** Largest degree of a surface or trimming curve. */
#define TACT_NURBS_MAX_DEGREE 15

/** A NURBS curve in the parameter plane of a surface. */
typedef struct tact_nurbs_curve {
    int degree;                /**< 1 to #TACT_NURBS_MAX_DEGREE */
    size_t count;              /**< number of control points, at least degree + 1 */
    const double *knots;       /**< count + degree + 1 knots, which never decrease */
    const double (*points)[2]; /**< control points (u, v) */
    const double *weights;     /**< weight of each control point, positive; NULL: all are 1 */
} tact_nurbs_curve;

/** A closed loop of curves. Each curve begins where the one before it ends, and the last one ends where the first
 * begins, up to a millionth of the domain. */
typedef struct tact_nurbs_loop {
    const tact_nurbs_curve *curves; /**< in order along the loop */
    size_t curve_count;             /**< number of `curves` */
} tact_nurbs_loop;

/**
 * An edge that two surfaces of a shape share, or two curves of one surface: the curve of each. A surface without
 * trimming loops has one loop, 0, of four curves, its sides: 0 at the smallest v, 1 at the largest u, 2 at the largest
 * v, 3 at the smallest u.
 *
 * Both curves are the same curve in space, up to the tolerance, with the same ends. Their directions and parameters may
 * differ. The normals S_u x S_v of both surfaces are on the same side of the shape. Seams of closed surfaces, and sides
 * that are joined by their control points (tact_nurbs_create), may be listed as edges, but need not be. Poles and
 * curves outside the domain cannot be listed: tact_nurbs_create fails.
 */
typedef struct tact_nurbs_edge {
    uint32_t surface[2]; /**< index of each surface */
    uint32_t loop[2];    /**< index of the loop in tact_nurbs_def::trims */
    uint32_t curve[2];   /**< index of the curve in the loop */
} tact_nurbs_edge;

/** Description of a NURBS surface, and of a shape that consists of it. Degrees, counts, knots and points are required;
 * all other fields may be zero. */
typedef struct tact_nurbs_def {
    int degree[2];           /**< degrees p and q along u and v; 1 to #TACT_NURBS_MAX_DEGREE */
    size_t counts[2];        /**< number of control points n and m along u and v; at least degree + 1 */
    const double *knots[2];  /**< counts + degree + 1 knots each, which never decrease; a knot inside the domain repeats
                                  at most degree times, at its ends at most degree + 1 times; copied */
    const tact_vec3 *points; /**< n m control points; point (i, j) has the index i m + j; copied */
    const double *weights;   /**< weight of each control point, positive; NULL: all are 1; copied */
    /** Trimming loops: the surface is restricted to the points inside an odd number of loops; copied. The loops should
     * not cross themselves or each other. Parts outside the domain are ignored. */
    const tact_nurbs_loop *trims;
    size_t trim_count; /**< number of `trims`; 0: the surface is not trimmed */
    /** Edges that surfaces of the shape share; of the first def only; copied. */
    const tact_nurbs_edge *edges;
    size_t edge_count; /**< number of `edges` */
    double tolerance;  /**< largest distance of the tessellation from the surface, in local coordinates; 0: 1/512 of
                            the largest extent of the control points. The error of a trimmed surface is not below
                            6e-6 of its size. */
    bool solid;        /**< the surfaces bound a volume, with normals S_u x S_v pointing out of it */
    double margin;     /**< rounding radius, as for tact_shape_create */
    tact_allocator allocator; /**< allocator for the shape's memory */
} tact_nurbs_def;

/** Creates a shape (#TACT_NURBS) of one surface. Returns NULL on bad input or when memory runs out; tact_nurbs_create
 * explains the reason. */
TACT_API tact_shape *tact_nurbs(const tact_nurbs_def *def);

/**
 * Creates a shape (#TACT_NURBS) of `count` surfaces. On failure returns NULL and explains in `report`, which may be
 * NULL. `solid`, `margin` and the allocator are those of the first def. Each surface has its own tolerance.
 *
 * Edges of surfaces are joined if their boundary curves have the same control points and weights, in the same or in
 * opposite order, and the same knots up to a linear change of parameter. Joined edges share their vertices, so the
 * tessellation has no cracks. The same holds for the two ends of a closed surface, and for poles: edges whose control
 * points all coincide.
 *
 * Other edges are joined if tact_nurbs_def::edges of the first def lists them: those of trimmed surfaces, and those
 * whose curves differ. The triangles of both surfaces then have the same vertices along the edge. Each surface is
 * tessellated with half of its tolerance. The *gap* of an edge is the largest distance between vertices of one surface
 * and triangles of the other. It is added to the error. The call fails if a gap exceeds both the largest tolerance and
 * twice the error of trimming: then the curves are not the same edge.
 *
 * A solid with edges must be closed: each edge has as many triangles in one direction as in the other, or the call
 * fails. Solids of one shape may touch each other. Containment, the sign of distances and the mass of such a solid are
 * those of its triangles. They are right for every point that is
 * farther from the surfaces than the error (tact_nurbs_get_error).
 *
 * Cost: O(n log n) in the number of triangles.
 */
TACT_API tact_shape *tact_nurbs_create(const tact_nurbs_def *defs, size_t count, tact_report *report);

/** Returns the number of surfaces of a NURBS shape; 0 for other shapes and NULL. */
TACT_API size_t tact_nurbs_get_surface_count(const tact_shape *shape);

/**
 * Gets a surface of a NURBS shape, as a view: the pointers refer to memory of the shape, which must live longer. The
 * tolerance is that of the def, or the default. Weights that are all equal are NULL. Margin, solid and allocator are
 * those of the shape. Returns #TACT_BAD_ARGUMENT and leaves `def` unchanged if the shape is not NURBS or has fewer
 * surfaces.
 */
TACT_API tact_status tact_nurbs_get_surface(const tact_shape *shape, size_t index, tact_nurbs_def *def);

/** Writes at most `capacity` edges of a NURBS shape (tact_nurbs_def::edges) to `edges`, which may be NULL, and returns
 * their total number; 0 for other shapes and NULL. The def of tact_nurbs_get_surface has no edges. */
TACT_API size_t tact_nurbs_get_edges(const tact_shape *shape, tact_nurbs_edge *edges, size_t capacity);

/** Returns the proved bound of the distance between the surfaces of a NURBS shape and its triangles, in local
 * coordinates; 0 for other shapes and NULL. It is at most the largest tolerance, up to rounding errors and gaps between
 * surfaces at edges. */
TACT_API double tact_nurbs_get_error(const tact_shape *shape);

/**
 * Computes the point of a surface at (u, v) and its derivatives up to `order`: out[k * (order + 1) + l] is the
 * derivative k times by u and l times by v, for k + l <= order; the other entries are zero. `out` has (order + 1)^2
 * entries; `order` is 0 to #TACT_NURBS_MAX_DEGREE.
 *
 * The parameters are clamped to the domain. At a knot the derivatives are those of the side of larger parameters, and
 * at the end of the domain those of the smaller ones. Rounding errors are a few units of rounding times the size of the
 * part of the control net that influences the point; a control point that the surface interpolates is returned exactly.
 * Derivatives too large for a double are not finite.
 *
 * Checks only the numbers that the result depends on. On bad input returns #TACT_BAD_ARGUMENT and leaves `out`
 * unchanged. Tolerance, solid, margin and allocator of the def are not used.
 *
 * Cost: O(log n + p q r + r^4) for order r and degrees p and q; nothing is allocated.
 */
TACT_API tact_status tact_nurbs_evaluate(const tact_nurbs_def *def, double u, double v, int order, tact_vec3 *out);

/** Sizes of the arrays that receive a surface, or Bezier patches. All are zero if the input is bad. */
typedef struct tact_nurbs_size {
    size_t counts[2];      /**< control points along u and v; for tact_nurbs_extract_bezier patches along u and v */
    size_t knot_counts[2]; /**< knots along u and v; for tact_nurbs_extract_bezier different knots in the domain */
    size_t point_count;    /**< control points in all, and weights if the surface has any */
} tact_nurbs_size;

/** Arrays of the caller that receive a surface, or Bezier patches. They must not overlap those of the input. */
typedef struct tact_nurbs_arrays {
    double *knots[2];        /**< receive the knots */
    size_t knot_capacity[2]; /**< number of knots that they can hold */
    tact_vec3 *points;       /**< receives the control points */
    double *weights;         /**< receives the weights; may be NULL if the surface has none */
    size_t point_capacity;   /**< number of points, and of weights, that they can hold */
} tact_nurbs_arrays;

/** Returns the sizes of a surface after the insertion of `count` knots along `direction`: 0 for u, 1 for v. */
TACT_API tact_nurbs_size tact_nurbs_insert_knots_size(const tact_nurbs_def *def, int direction, size_t count);

/**
 * Inserts `count` knots along `direction` (0: u, 1: v) without changing the surface, up to rounding. The knots lie in
 * the domain and never decrease; with those of the surface they obey the limits of tact_nurbs_def::knots. Control
 * points that the new knots do not influence stay the same exactly.
 *
 * The new surface is written to `arrays`. `result` becomes a copy of the def with degrees, counts, knots, points and
 * weights replaced; it may be the def itself. `report` may be NULL.
 *
 * Returns #TACT_BAD_ARGUMENT for bad input and #TACT_OUT_OF_MEMORY if an array is too small. `result` is then
 * unchanged; the contents of the arrays are unspecified.
 *
 * Cost: O(n m p) for n m new control points and degree p; nothing is allocated. (Cohen, Lyche and Riesenfeld 1980.)
 */
TACT_API tact_status tact_nurbs_insert_knots(const tact_nurbs_def *def, int direction, const double *knots,
                                             size_t count, const tact_nurbs_arrays *arrays, tact_nurbs_def *result,
                                             tact_report *report);

/** Returns the sizes of a surface after its degree is raised by `steps` along `direction`: 0 for u, 1 for v. */
TACT_API tact_nurbs_size tact_nurbs_elevate_degree_size(const tact_nurbs_def *def, int direction, int steps);

/**
 * Raises the degree along `direction` (0: u, 1: v) by `steps`, up to #TACT_NURBS_MAX_DEGREE, without changing the
 * surface, up to rounding. The surface stays as smooth as it is: each knot inside the domain repeats `steps` times
 * more. The first and the last knot of the domain then repeat degree + 1 times, and there are no knots outside the
 * domain. `steps` may be 0: the surface is then only restricted to its domain.
 *
 * Results, failures and cost are as for tact_nurbs_insert_knots, plus O(n p^3) for the n new control points along the
 * direction.
 */
TACT_API tact_status tact_nurbs_elevate_degree(const tact_nurbs_def *def, int direction, int steps,
                                               const tact_nurbs_arrays *arrays, tact_nurbs_def *result,
                                               tact_report *report);

/** Returns the sizes of the Bezier patches of a surface. */
TACT_API tact_nurbs_size tact_nurbs_extract_bezier_size(const tact_nurbs_def *def);

/**
 * Computes the Bezier patches of a surface: one for each pair of knot intervals of positive length in the domain. Patch
 * (s, t) has the index s counts[1] + t, with the counts of tact_nurbs_extract_bezier_size. Each has (p + 1)(q + 1)
 * control points, and as many weights if the surface has any; patch after patch, in the order of
 * tact_nurbs_def::points. The knots become the different knots in the domain: patch (s, t) covers [knots[0][s],
 * knots[0][s + 1]] x [knots[1][t], knots[1][t + 1]]. Neighbouring patches have the same control points and weights on
 * their common edge, exactly. `report` may be NULL.
 *
 * Returns #TACT_BAD_ARGUMENT for bad input and #TACT_OUT_OF_MEMORY if an array is too small. Nothing is then written.
 *
 * Cost: O(p^2 q^2) for each patch; nothing is allocated.
 */
TACT_API tact_status tact_nurbs_extract_bezier(const tact_nurbs_def *def, const tact_nurbs_arrays *arrays,
                                               tact_report *report);

/**
 * @name Deformable bodies
 * A body whose shape is NURBS and that is created with tact_body_def::deformable has control points of its own. They
 * are numbered surface after surface, as in the defs. tact_body_deform and tact_body_change_faces do not accept NURBS
 * bodies. In cloth steps (step.h) they are obstacles, which tact_body_set_step_positions deforms.
 *
 * In continuous time the control points move as vertices do: by tact_body_play and tact_body_set_vertex_motion
 * (animation.h).
 * @{
 */

/**
 * Sets the control points `first` to `first + count - 1` of a deformable NURBS body. Returns #TACT_BAD_ARGUMENT and
 * changes nothing
 * - if the body is not a deformable NURBS body, or the range exceeds its control points;
 * - if a coordinate is not finite or beyond about 1e148;
 * - if the tolerance would need too many triangles.
 *
 * Returns #TACT_OUT_OF_MEMORY and changes nothing if memory runs out.
 *
 * Control points that coincide in joined edges should move together. If they do not, the gap between the edges is added
 * to the error of the tessellation: queries then report surfaces that are farther apart, and still miss none that
 * touch. A gap of any size is accepted: which edges are joined is decided when the shape is created.
 *
 * If the control points have a motion (animation.h), these jump to the new positions and rest there.
 *
 * Cost: proportional to the number of triangles in the affected region. The whole tessellation is computed again, at
 * the cost of creating the shape, if the division into cells changes somewhere, or if the shape has edges
 * (tact_nurbs_def::edges).
 */
TACT_API tact_status tact_body_move_control_points(tact_world *world, tact_body body, size_t first, size_t count,
                                                   const tact_vec3 *points);

/** Writes at most `capacity` control points of a NURBS body to `points`, which may be NULL, and returns their total
 * number; 0 for other bodies. Those of a body with moving control points are where they are at the time of the world.
 */
TACT_API size_t tact_body_get_control_points(const tact_world *world, tact_body body, tact_vec3 *points,
                                             size_t capacity);

/** @} */

/** A point of a surface. */
typedef struct tact_nurbs_location {
    bool on_surface;  /**< false: the point is not on a NURBS surface, and the rest is zero */
    uint32_t surface; /**< index of the surface in its shape */
    double u;         /**< parameter u */
    double v;         /**< parameter v */
} tact_nurbs_location;

/** Options of tact_nurbs_distance. Fields may be zero. */
typedef struct tact_nurbs_distance_def {
    double accuracy; /**< wanted difference of the bounds, a length; 0: 1e-10 of the size */
    size_t max_work; /**< limit of the pairs of subpatches that are divided; 0: 20000. About 3 us and 1 KB each */
} tact_nurbs_distance_def;

/** Proved bounds of the distance of two shapes with NURBS surfaces. */
typedef struct tact_nurbs_separation {
    tact_status status;             /**< #TACT_OK, #TACT_BAD_ARGUMENT, #TACT_NOT_CONVERGED or #TACT_OUT_OF_MEMORY */
    double lower;                   /**< the distance is at least this */
    double upper;                   /**< the distance is at most this; 0 if the shapes touch or overlap */
    tact_vec3 on_a;                 /**< point of A; a common point if the shapes overlap */
    tact_vec3 on_b;                 /**< point of B; the same common point if the shapes overlap */
    tact_vec3 normal;               /**< from A to B; zero if the shapes touch or overlap */
    tact_part part_a;               /**< part of A at `on_a`; the face is a triangle near it */
    tact_part part_b;               /**< part of B at `on_b`; likewise */
    tact_nurbs_location location_a; /**< place of the point of A, without its margin */
    tact_nurbs_location location_b; /**< place of the point of B, without its margin */
    size_t work;                    /**< pairs of subpatches that were divided */
} tact_nurbs_separation;

/**
 * Computes the distance of two shapes at transforms, margins included. At least one of them is a NURBS shape, or has
 * one as a leaf; the other may be any shape. The distance refers to the true surfaces, not to their tessellations.
 * `def` NULL: defaults.
 *
 * The bounds are proved and include rounding errors. They hold for every status except #TACT_BAD_ARGUMENT. `upper` is
 * the distance of the two points, up to rounding, unless memory runs out or a surface is trimmed. With #TACT_OK the
 * bounds differ by at most the accuracy, or by 1e-12 of the largest coordinate relative to the origin of one of the
 * shapes (2e-12 for the degree 15) if that is more. The *size* is half the longest side of the bounding box of the
 * larger shape.
 *
 * #TACT_NOT_CONVERGED: the work limit was reached, or there are too many close pairs. This happens where the minimum is
 * attained along a curve or on an area: a cylinder beside a plane, or parallel surfaces. The bounds then differ by more
 * than the accuracy, normally by less than 1e-4 of the size.
 *
 * Trimmed surfaces: if the closest points of the whole surfaces are trimmed away, the status is #TACT_NOT_CONVERGED,
 * and the bounds are as wide as the tolerances of the tessellations.
 *
 * Points closer than rounding errors count as touching: both bounds are then 0. Solids that contain a part of the other
 * shape have the distance 0. The distance of surfaces that nearly touch is positive, though tact_shapes_overlap, which
 * tests the triangles, may report them. Swapping A and B swaps the answer, bit for bit.
 *
 * Method: branch and bound on Bezier patches, which are divided into subpatches. The lower bound of two subpatches is
 * the gap between their control points along a direction, or follows from their Taylor polynomials of second order.
 * Newton's method gives upper bounds. Memory comes from the allocator of the shape with surfaces, and is freed at the
 * end.
 */
TACT_API tact_nurbs_separation tact_nurbs_distance(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                                   tact_transform transform_b, const tact_nurbs_distance_def *def);

/** A contact point moved to the true surfaces. */
typedef struct tact_nurbs_contact {
    tact_status status;             /**< #TACT_OK, #TACT_BAD_ARGUMENT, #TACT_NOT_CONVERGED or #TACT_OUT_OF_MEMORY */
    tact_contact_point contact;     /**< both points on the surfaces, the normal, and the depth along it */
    tact_nurbs_location location_a; /**< place of the point of A, without its margin */
    tact_nurbs_location location_b; /**< place of the point of B, without its margin */
} tact_nurbs_contact;

/**
 * Moves the points of a contact of two shapes, as tact_shapes_contacts and contact callbacks report them, to the true
 * surfaces: each point that belongs to a NURBS shape or leaf becomes the point of its surface closest to it, margin
 * included. `part_a` and `part_b` of the contact give the leaves. Points of other shapes stay where they are.
 *
 * The normal is that of the surface of A, or of B if A has none, turned to the side of the given normal. The depth is
 * n . (on_a - on_b): positive for penetration.
 */
TACT_API tact_nurbs_contact tact_nurbs_refine_contact(const tact_shape *a, tact_transform transform_a,
                                                      const tact_shape *b, tact_transform transform_b,
                                                      const tact_contact_point *contact);

/**
 * @name Intersection curves
 * @{
 */

/** How a curve ends. */
typedef enum tact_nurbs_curve_end {
    TACT_NURBS_END_CLOSED = 1, /**< the curve is closed: its last node is its first */
    TACT_NURBS_END_BORDER,     /**< at the border of a surface, or at a trimming loop */
    TACT_NURBS_END_SINGULAR    /**< at a pole, or where the surfaces are tangent and the curve could not be followed */
} tact_nurbs_curve_end;

/** A node of an intersection curve: a common point of both surfaces. */
typedef struct tact_nurbs_node {
    tact_vec3 point;                /**< the point */
    tact_vec3 tangent;              /**< unit tangent, in the direction of the nodes; zero if the curve is one point */
    tact_nurbs_location location_a; /**< surface of A, and (u, v) */
    tact_nurbs_location location_b; /**< surface of B, and (u, v) */
    double rate_a[2];               /**< derivative of (u, v) of A by the length of the curve */
    double rate_b[2];               /**< derivative of (u, v) of B by the length of the curve */
    double length;                  /**< length of the curve from its first node, approximately; never decreases */
} tact_nurbs_node;

/**
 * An intersection curve: `node_count` nodes. Between two nodes at the lengths s0 < s1 the point and the four parameters
 * are the cubic polynomials of s that have the values and derivatives of both nodes (Hermite interpolation). Where a
 * curve crosses a seam or an edge of a surface, or a knot at which the derivatives jump, the node is repeated with the
 * same length and the place of the other side.
 */
typedef struct tact_nurbs_intersection {
    size_t first_node;          /**< index of the first of its nodes */
    size_t node_count;          /**< number of nodes; 1: the surfaces touch in a point */
    tact_nurbs_curve_end begin; /**< how it begins */
    tact_nurbs_curve_end end;   /**< how it ends */
} tact_nurbs_intersection;

/** Options of tact_nurbs_intersect. Fields may be zero. */
typedef struct tact_nurbs_intersect_def {
    double accuracy;   /**< distance of the cubic curves from the true ones, a length; 0: 1e-6 of the size */
    double resolution; /**< subpatches smaller than this are not divided, a length; 0: 1e-6 of the size */
    size_t max_work;   /**< limit of the pairs of subpatches that are examined; 0: 100000. About 0.5 us each */
    size_t max_nodes;  /**< limit of the nodes of all curves; 0: 1000000 */
} tact_nurbs_intersect_def;

/** Result of tact_nurbs_intersect. */
typedef struct tact_nurbs_intersect_result {
    /** #TACT_OK: all curves were found, see tact_nurbs_intersect. #TACT_NOT_CONVERGED: those returned are right, but
     * there may be others. #TACT_BAD_ARGUMENT. #TACT_OUT_OF_MEMORY: also if an array is too small. */
    tact_status status;
    size_t curve_count; /**< number of curves; may exceed the capacity */
    size_t node_count;  /**< number of nodes of all curves; may exceed the capacity */
    size_t unresolved;  /**< pairs of subpatches below the resolution that may have common points on no curve */
    size_t work;        /**< pairs of subpatches that were examined */
} tact_nurbs_intersect_result;

/**
 * Computes the curves in which the true surfaces of two NURBS shapes meet. Margins and interiors do not count. `def`
 * NULL: defaults. `curves` and `nodes` receive the result; if they are too small, the status is #TACT_OUT_OF_MEMORY,
 * their contents are unspecified, and the counts say what is needed.
 *
 * **Accuracy.** Each node is a common point up to rounding: about 1e-13 of the size, 1e-11 where surfaces are almost
 * tangent. Between nodes, the error of the cubic curves (the point, and the points of both surfaces at the cubic
 * parameters) is measured at the middle, and is at most half the accuracy there. Except at kinks, the tangent turns by
 * at most 30 degrees from one node to the next.
 *
 * **Completeness.** With #TACT_OK every common point of the surfaces is on a curve, or within four resolutions of one.
 * Surfaces are divided into subpatches until one of these holds for each pair of them:
 * - Their control points are separated. This is proved, rounding errors included.
 * - They cross in one curve: every two common points are joined by a line within 45 degrees of the line where the
 *   tangent planes meet, which is proved by bounds of the derivatives. A traced curve passes through both subpatches.
 *   It leaves them through sides that it crosses in one direction only, so there is no other common point. That the
 *   curve passes through both and where it leaves them is found by sampling it, not proved.
 * - Both are smaller than the resolution. A curve passes within the resolution, or they touch in a point, which is
 *   reported.
 * .
 * All other pairs are `unresolved`. Surfaces that coincide in an area or touch along a curve have many of them.
 *
 * **Curves.** A curve crosses knots, seams and joined edges of surfaces. It ends at borders and poles. Where curves
 * cross, they end or continue straight on. Trimmed surfaces: curves are cut at the polylines of the loops
 * (tact_nurbs_def::trims). A piece between two crossings of a loop may be missed if it is shorter than a sixteenth of
 * the length between two nodes. A closed curve that a loop cuts is also cut at the point where its tracing began; it
 * ends there as at a border. The direction of a curve is n_a x n_b, n = S_u x S_v, at the point where its tracing
 * began.
 *
 * Cost: about 0.5 us for each pair of subpatches and 1.5 us for each node; more where surfaces touch without crossing.
 * Memory comes from the allocator of A, and is freed at the end.
 */
TACT_API tact_nurbs_intersect_result tact_nurbs_intersect(const tact_shape *a, tact_transform transform_a,
                                                          const tact_shape *b, tact_transform transform_b,
                                                          const tact_nurbs_intersect_def *def,
                                                          tact_nurbs_intersection *curves, size_t curve_capacity,
                                                          tact_nurbs_node *nodes, size_t node_capacity);

/** @} */

TACT_END

#endif
