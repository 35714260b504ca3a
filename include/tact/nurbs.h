/**
 * @file
 * NURBS shapes: bodies bounded by rational B-spline surfaces, as in CAD models and deformable characters.
 *
 * A *NURBS surface* of degrees p and q has n x m control points P_ij with weights w_ij > 0 and two knot vectors. Its point
 * at the parameters (u, v) is
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
 *
 * **Deformation.** A deformable body has control points of its own. tact_body_move_control_points moves some of them.
 * Only the region [u_i, u_i+p+1) x [v_j, v_j+q+1) of each moved point is computed again (Lau, Chan, Luk and Li 2002, 3.3).
 * The tessellation becomes finer where the surface bends more, and coarser where it becomes flat. It depends on the
 * present control points alone, not on earlier ones.
 */
#ifndef TACT_NURBS_H
#define TACT_NURBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/body.h>
#include <tact/shape.h>
#include <tact/status.h>
#include <tact/vec.h>

TACT_BEGIN

/** Largest degree of a surface or trimming curve. */
#define TACT_NURBS_MAX_DEGREE 15

/** Description of a NURBS surface, and of a shape that consists of it. Fields that are not named may be zero. */
typedef struct tact_nurbs_def {
    int degree[2];            /**< degrees p and q along u and v; 1 to #TACT_NURBS_MAX_DEGREE */
    size_t counts[2];         /**< number of control points n and m along u and v; at least degree + 1 */
    const double *knots[2];   /**< counts + degree + 1 knots each, which never decrease; a knot inside the domain repeats
                                   at most degree times, at its ends at most degree + 1 times; copied */
    const tact_vec3 *points;  /**< n m control points; point (i, j) has the index i m + j; copied */
    const double *weights;    /**< weight of each control point, positive; NULL: all are 1; copied */
    double tolerance;         /**< largest distance of the tessellation from the surface, in local coordinates; 0: 1/256 of
                                   half the largest extent of the control points */
    bool solid;               /**< the surfaces bound a volume, with normals S_u x S_v pointing out of it */
    double margin;            /**< rounding radius, as for tact_shape_create */
    tact_allocator allocator; /**< allocator for the shape's memory */
} tact_nurbs_def;

/** Creates a shape (#TACT_NURBS) of one surface. Returns NULL on bad input or when memory runs out; tact_nurbs_create
 * explains the reason. */
TACT_API tact_shape *tact_nurbs(const tact_nurbs_def *def);

/**
 * Creates a shape (#TACT_NURBS) of `count` surfaces. On failure returns NULL and explains in `report`, which may be NULL.
 * `solid`, `margin` and the allocator are those of the first def. Each surface has its own tolerance.
 *
 * Edges of surfaces are joined if their boundary curves have the same control points and weights, in the same or in
 * opposite order, and the same knots up to a linear change of parameter. Joined edges share their vertices, so the
 * tessellation has no cracks. The same holds for the two ends of a closed surface, and for poles: edges whose control
 * points all coincide.
 *
 * Cost: O(n log n) in the number of triangles.
 */
TACT_API tact_shape *tact_nurbs_create(const tact_nurbs_def *defs, size_t count, tact_report *report);

TACT_END

#endif
