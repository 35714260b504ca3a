/*
 * Relative frames: the boxes of frame B in the coordinates of frame A, in floats, with a proved bound on all rounding.
 *
 * A relative frame maps a point b of frame B to a = linear b + origin in frame A. Guarantee: for every world point in
 * the convex hulls of transformed vertices of both sides there are a point a in the boxes of A and a point b in the
 * boxes of B with |a - (linear b + origin)| <= slack on each axis. So a test that proves separation beyond the slack is
 * right about the transformed vertices on which all exact predicates are defined: ((m0 x + m1 y) + m2 z) + c in
 * doubles, rounded as written.
 *
 * The *rounding slack* contains the rounding of the transformed vertices of both sides, of the inverse (by its
 * residual, so that a nearly singular transform costs tests, not contacts), of the relative frame itself, and of the
 * float arithmetic of the tests in this room, in any rounding mode, with subnormals flushed or not. It is some 2^-18 of
 * the largest coordinate. Where numbers leave the range of floats it is infinite, and every test answers "may overlap".
 *
 * In a pair of nodes, the *opened* frame is that of the node whose four children are tested, the *fixed* frame that of
 * the other node's box.
 */
#ifndef TACT_BOUNDS_RELATIVE_FRAME_H
#define TACT_BOUNDS_RELATIVE_FRAME_H

#include <tact/transform.h>

#include "bounds/box4.h"

typedef struct relative_frame {
    float linear[3][4];     /* linear[j]: axis j of frame B in coordinates of A; the fourth lane is 0 */
    float abs_linear[3][4]; /* absolute values of `linear` */
    float origin[4];        /* origin of B in coordinates of A */
    float slack[4];         /* per axis of A: see above */
} relative_frame;

/* A ray in local coordinates, in doubles. If the world point at parameter t lies in the hull of transformed vertices,
 * then from + t direction is within `slack` of their box. */
typedef struct local_ray {
    double from[3];
    double direction[3];
    double slack[3];
} local_ray;

/* The world ray from + t direction in the coordinates of `transform`; all boxes tested lie in `bounds`. */
void tact_local_ray_make(const tact_transform *transform, const box *bounds, tact_vec3 from, tact_vec3 direction,
                         local_ray *ray);

/*
 * Two frames relative to a common frame that differs from the world by a rigid transform, so that distances there are
 * world distances. On each axis, the boxes mapped by `a` and `b` and expanded by a.slack (b.slack is 0) contain the
 * transformed vertices. The common frame is oriented like A, so that boxes of a rigid A stay tight.
 */
typedef struct common_frame {
    relative_frame a, b;
} common_frame;

void tact_common_frame_make(const tact_transform *transform_a, const box *bounds_a, const tact_transform *transform_b,
                            const box *bounds_b, common_frame *common);

/* The axes of a separating-axis test of two boxes: the 6 face normals (SAT lite, van den Bergen 1999, 5.2.4), or also
 * the 9 cross products of edges. */
typedef enum sat_axes { SAT_FACE_AXES = 6, SAT_ALL_AXES = 15 } sat_axes;

/*
 * Constants of the separating-axis test of four boxes of the opened frame against one box of the fixed frame (sat4.h).
 * Numbers are broadcast to four lanes, except where an axis index is the lane. The test works with twice the centres
 * and with full sizes (sums and differences of the bounds), which saves the halving: origin and slack are doubled.
 */
typedef struct sat_frame {
    relative_frame frame;             /* the fixed frame relative to the opened one */
    float inverse[9][4];              /* by rows: `linear` of the opened frame relative to the fixed one */
    float inverse_abs[9][4];          /* absolute values of `inverse` */
    float inverse_origin[4];          /* twice the origin of the opened frame relative to the fixed one */
    float inverse_slack[4];           /* twice its slack */
    float edge_axis[9][2][4];         /* the axis e_i x f_j at 3 i + j: its components i+1 and i+2; component i is 0 */
    float edge_axis_abs[9][2][4];     /* their absolute values */
    float edge_fixed_radius[3][3][4]; /* at [j][l], lane i: |e_i x f_j . axis l of the fixed frame| */
    float edge_slack[3][4];           /* at [j], lane i: twice the slack along e_i x f_j */
} sat_frame;

/* Both directions: `ab` for opening boxes of A against one of B, `ba` for opening boxes of B. */
typedef struct sat_frames {
    sat_frame ab, ba;
} sat_frames;

void tact_sat_frames_make(const tact_transform *transform_a, const box *bounds_a, const tact_transform *transform_b,
                          const box *bounds_b, sat_axes axes, sat_frames *frames);

/* Constants of the separating-axis test against a fixed box that translates (sat4_moving.h). */
typedef struct sat_moving_frame {
    sat_frame sat;                  /* at the start; its slack holds for the whole displacement */
    float inverse_displacement[15]; /* per axis, one over the displacement of the fixed box in the units of the test:
                                       face axes of the opened frame, of the fixed frame, edge axes as in sat_frame */
} sat_moving_frame;

/* Both directions: `ab` for opening boxes of A, `ba` for opening boxes of B. */
typedef struct sat_moving_frames {
    sat_moving_frame ab, ba;
} sat_moving_frames;

/* B moves relative to A by `displacement` (world), along a straight line except for a deviation of up to `deviation` to
 * either side. The boxes together have a margin of `margin`, a world length. */
void tact_sat_moving_frames_make(const tact_transform *transform_a, const box *bounds_a,
                                 const tact_transform *transform_b, const box *bounds_b, tact_vec3 displacement,
                                 tact_vec3 deviation, double margin, sat_moving_frames *frames);

#endif
