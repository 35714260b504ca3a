/*
 * Time of impact of a triangle whose vertices move linearly and a convex primitive of a rigid body in its true motion:
 * velocity, constant acceleration and constant spin (tact/motion.h), so that its points move along arcs. Deformable
 * bodies in continuous time use it. deforming_toi.h is the same for a body whose points move along chords.
 */
#ifndef TACT_TOI_ARC_TOI_H
#define TACT_TOI_ARC_TOI_H

#include "complex/traversal.h"
#include "motion/linear_path.h"
#include "motion/motion.h"
#include "toi/toi_constants.h"

/* A convex primitive of a rigid body in true motion; made by tact_arc_body_make. */
typedef struct arc_body {
    convex core;      /* at t0, relative to the body's origin; its margin is that of the primitive */
    tact_vec3 origin; /* of the body at t0: the centre of rotation */
    tact_motion motion;
    double t0;

    tact_vec3 axis;        /* of the spin, unit; zero: the body does not turn, or the spin maps it onto itself */
    double rate;           /* radians per unit of time */
    double arm;            /* length: no point of the core is farther from the axis */
    double bottom, top;    /* the extent of the core along the axis, from the origin */
    double radius;         /* length: no point is farther from the origin, margin included */
    double shape_rounding; /* length: of the points of the core, without rotation */
    double origin_length, speed, acceleration_length;
    const tact_allocator *allocator;
} arc_body;

/* `leaf` is the leaf of the body's shape under `at`, the transform of the body at `t0`: the body itself, or one of
 * tact_traverse_leaves. The shape must outlive the result. `allocator` is used by the penetration depth of pairs that
 * overlap at the start (NULL: the default allocator). TACT_BAD_ARGUMENT: a transform or motion that is not usable. */
tact_status tact_arc_body_make(arc_body *body, const instance *leaf, uint32_t element, const tact_transform *at,
                               const tact_motion *motion, double t0, const tact_allocator *allocator);

typedef struct arc_contact {
    tact_status status;
    tact_state state;
    double time;       /* of a hit; otherwise `exit` */
    double tolerance;  /* length: that of the caller, or the least that rounding permits at `time` */
    tact_vec3 point;   /* world: between the closest points of a hit */
    tact_vec3 normal;  /* world, unit, from the rigid body to the triangle; zero if unknown: see below */
    double weights[3]; /* barycentric coordinates of the closest point of the triangle; not negative, sum 1 */
    int steps;         /* distance computations */
} arc_contact;

/*
 * The first time in [enter, exit] at which the primitive and the triangle are within `tolerance`, a length.
 *
 * - Never late: if they have a common point at a time T in [enter, exit], there is a hit at a time not after T.
 * - Never far: at the time of a hit their distance is at most the tolerance.
 * - A distance that does not fall below half the tolerance after `enter` may be a miss.
 * - A distance of at most the tolerance at `enter`, or overlap, is a hit at `enter`. The normal is then that of the
 * penetration depth.
 * - The tolerance is raised to 8 times the rounding error of positions: some 3e-14 of the coordinates on the path and
 * of the path of the rotation since t0, plus the path in 32 ulps of `time`. arc_contact.tolerance is the one used.
 * - TACT_NOT_CONVERGED, with state TACT_HIT: the search ended after TOI_ARC_MAX_STEPS, or as a custom support function
 *   is not convex or returned NaN. The time is early, never late, but the distance may exceed the tolerance. The normal
 *   may be zero.
 * - TACT_BAD_ARGUMENT, with state TACT_UNKNOWN: input that is not finite, exit < enter, a negative tolerance, or
 *   coordinates on the path beyond TOI_MAX_COORDINATE.
 *
 * The paths are evaluated in [enter, exit] and need not begin or end there. Runs in the default floating-point
 * environment.
 */
void tact_arc_toi(const arc_body *body, const linear_path path[3], double enter, double exit, double tolerance,
                  arc_contact *contact);

/*
 * The time up to which the primitive and the triangle are certain to stay within `distance`, a length, from `enter` on:
 * not after `exit`; `enter` if they are farther apart or nothing is certain. Both may go on to be so near; call again
 * from there. Paths and motions as above; any input is allowed. Cost: a penetration depth, and some distances of
 * points.
 */
double tact_arc_overlap_until(const arc_body *body, const linear_path path[3], double enter, double exit,
                              double distance);

/* Is the path finite and, if interpolated, from an earlier time to a later one? */
bool tact_arc_path_ok(const linear_path *path);

/* A length: the position at a time has a rounding error of at most TOI_ARC_POSITION_ROUNDING of it. */
double tact_arc_path_size(const linear_path *path, double time);

/* The moving box of the primitive in [enter, exit]: between its two ends, each face interpolated linearly, it contains
 * the primitive at all times. World coordinates; infinite where they overflow. */
void tact_arc_body_boxes(const arc_body *body, double enter, double exit, box ends[2]);

#endif
