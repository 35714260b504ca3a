/*
 * How the boxes of one placed frame look from another, in floats, with a proved bound for everything that rounding can
 * do: so that a test which says "apart" is right about the placed vertices as every exact predicate knows them
 * (((m0 x + m1 y) + m2 z) + c in doubles, rounded as written).
 *
 * A view maps points b of the seen frame to a = linear b + origin in the seer's frame. For every point y of the world
 * that lies in the hull of some placed vertices of both sides, there are a in the seer's boxes and b in the seen ones
 * with |a - (linear b + origin)| <= slack on each axis. The slack holds the rounding of the placed vertices on both
 * sides, of the inverse (by its residual, so that a nearly singular placement costs tests and not contacts), of the
 * view itself, and of the float arithmetic that the tests of this room do with it, in any rounding mode, with subnormal
 * numbers flushed or not. It is some 2^-18 of the largest coordinate; where numbers leave the range of the floats it
 * is infinite, and every test then says "may overlap".
 */
#ifndef TACT_BOUNDS_RELATIVE_FRAME_H
#define TACT_BOUNDS_RELATIVE_FRAME_H

#include <tact/transform.h>

#include "bounds/box4.h"

typedef struct relative_frame {
    float linear[3][4];     /* where the seen axis j points, in the seer's coordinates; the fourth number is 0 */
    float abs_linear[3][4]; /* absolute values of `linear` */
    float origin[4];        /* where the seen origin is */
    float slack[4];         /* see above, an axis each */
} relative_frame;

/* The view from a frame placed at `seer`, where all boxes tested lie in `seer_whole`, of one placed at `seen`, where
 * they lie in `seen_whole`. Placements that are singular or not finite give a view of infinite slack. Some 100 ns. */
void tact_relative_frame_make(const tact_transform *seer, const box *seer_whole, const tact_transform *seen,
                              const box *seen_whole, relative_frame *view);

/* A ray in the coordinates of a placed frame, where all boxes tested lie in `whole`: a point of the world on the ray,
 * at parameter t, that lies in the hull of placed vertices, is within `slack` of from + t direction and in their box.
 * In doubles. */
typedef struct local_ray {
    double from[3];
    double direction[3];
    double slack[3];
} local_ray;

void tact_local_ray_make(const tact_transform *at, const box *whole, tact_vec3 from, tact_vec3 direction,
                         local_ray *ray);

/*
 * Two placed frames seen from one that only turns and moves, so that distances are those of the world: `a` and `b` map
 * the boxes there, and on each axis the boxes of two sets of placed vertices, mapped and widened by a.slack (b.slack is
 * 0), contain them. The frame is turned as A is, so that boxes of a rigid A fit best.
 */
typedef struct common_frame {
    relative_frame a, b;
} common_frame;

void tact_common_frame_make(const tact_transform *transform_a, const box *whole_a, const tact_transform *transform_b,
                            const box *whole_b, common_frame *gauge);

/* How many of the 15 axes a test of oriented boxes tries: the 6 face normals (SAT lite), or also the 9 across two edges
 * (SAT). */
typedef enum sat_axes { SAT_FACE_AXES = 6, SAT_ALL_AXES = 15 } sat_axes;

/*
 * Prepared for testing boxes of an opened frame, four at a time, against one box of a fixed frame. All numbers are
 * spread over the lanes. Sums and differences of bounds stand for twice the centres and half sizes.
 */
typedef struct sat_frame {
    relative_frame frame;             /* of the fixed frame, from the opened one */
    float inverse[9][4];              /* row by row: the matrix of the view of the opened frame from the fixed one */
    float inverse_abs[9][4];          /* its absolute values */
    float inverse_origin[4];          /* twice its origin */
    float inverse_slack[4];           /* twice its slack */
    float edge_axis[9][2][4];         /* the axis e_i x f_j at 3 i + j: its components i+1 and i+2 */
    float edge_axis_abs[9][2][4];     /* their absolute values */
    float edge_fixed_radius[3][3][4]; /* at [j][l], lane i: |e_i x f_j . fixed axis l| */
    float edge_slack[3][4];           /* at [j], lane i: twice the slack along e_i x f_j */
} sat_frame;

/* Both views of two placed frames, prepared: `ab` for opening boxes of A against one of B, `ba` the other way. */
typedef struct sat_frames {
    sat_frame ab, ba;
} sat_frames;

void tact_sat_frames_make(const tact_transform *transform_a, const box *whole_a, const tact_transform *transform_b,
                          const box *whole_b, sat_axes axes, sat_frames *sights);

/*
 * Prepared for testing boxes of an opened frame against one of a fixed frame that slides past it without turning:
 * sat4_moving.h. `pace`: along each of the 15 axes, one over how far the fixed box goes in all, in the units of its
 * test (the faces of the opened frame, those of the fixed one, then across an edge of each as in sat_frame).
 */
typedef struct sat_moving_frame {
    sat_frame sat; /* at the begin; its slack is for all of the way */
    float inverse_displacement[15];
} sat_moving_frame;

/* Both ways: `ab` for opening boxes of A, `ba` for B. */
typedef struct sat_moving_frames {
    sat_moving_frame ab, ba;
} sat_moving_frames;

/* B goes by `way` in the world, as seen from A, straight but for up to `bend` to either side; boxes have `margin`
 * around them, a length of the world. */
void tact_sat_moving_frames_make(const tact_transform *transform_a, const box *whole_a,
                                 const tact_transform *transform_b, const box *whole_b, tact_vec3 way, tact_vec3 bend,
                                 double margin, sat_moving_frames *slides);

#endif
