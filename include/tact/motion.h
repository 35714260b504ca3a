/**
 * @file
 * Motions: velocity, acceleration and spin of a shape. The transform at any later time follows in closed form.
 */
#ifndef TACT_MOTION_H
#define TACT_MOTION_H

#include <tact/status.h>
#include <tact/transform.h>
#include <tact/vec.h>

TACT_BEGIN

/**
 * A motion with constant acceleration and constant angular velocity. At time t the local point x of a shape, whose
 * transform at time 0 has the linear part M and the origin p, is at
 *
 *     p + velocity t + acceleration t^2 / 2 + exp([spin] t) M x
 *
 * *Spin* is the angular velocity vector: its direction is the axis, its length the angular speed in radians per unit
 * of time. All zero: at rest.
 *
 * **Pivot.** With a pivot q, a local point, the shape rotates about q instead of its origin: q moves along the
 * parabola, and the local point x is at
 *
 *     p + M q + (velocity + spin x M q) t + acceleration t^2 / 2 + exp([spin] t) M (x - q)
 *
 * So `velocity` and `spin` are always the velocity of the origin and the angular velocity at time 0. Without
 * acceleration, and with a velocity of the pivot along the spin, this is a *screw motion*, see
 * tact_motion_screw_between. Without spin the pivot has no effect.
 *
 * A time of impact with a pivot allocates memory for a translated copy of the shape. Its cost grows with the largest
 * distance of the shape from q, so a pivot far away makes it slow. In cloth steps (step.h) an obstacle with a pivot
 * ends at its exact transform, but on the way there its origin moves along a line.
 */
typedef struct tact_motion {
    tact_vec3 velocity;     /**< of the transform's origin, at time 0 */
    tact_vec3 acceleration; /**< of the pivot; constant */
    tact_vec3 spin;         /**< angular velocity about the pivot, world axes, rad per unit of time */
    tact_vec3 pivot;        /**< centre of rotation, in local coordinates; zero: the transform's origin */
} tact_motion;

/** Returns the motion of a body at rest. */
TACT_API tact_motion tact_motion_still(void);

/** Returns the motion with constant velocity (x y z). */
TACT_API tact_motion tact_motion_linear(double x, double y, double z);

/** Returns the transform at `time` of a shape that starts at `transform`. If a coordinate overflows, the result is all
 * zero: a singular transform, which every query rejects. */
TACT_API tact_transform tact_motion_at(tact_motion motion, tact_transform transform, double time);

/** Returns the motion with which a shape that started at `transform` continues from `time` on. Starting it with
 * tact_motion_at(motion, transform, time) gives the same transforms. `velocity` is that of the origin at `time`; the
 * rest is the same. If a number overflows, the result is all zero. */
TACT_API tact_motion tact_motion_after(tact_motion motion, tact_transform transform, double time);

/**
 * Computes the motion that takes a shape from one transform to another in `duration`: constant velocity of the origin,
 * and constant spin the shorter way (a linear interpolation with slerp). It is a motion like any other, for times of
 * impact and for bodies. The speed of a point at the distance r from the origin is at most |velocity| + |spin| r.
 *
 * Returns #TACT_BAD_ARGUMENT and writes nothing
 * - if the duration is not positive and finite, a transform is not finite or singular, or a speed overflows;
 * - if the linear part of `to` is not that of `from` rotated, up to 1e-9.
 */
TACT_API tact_status tact_motion_between(tact_transform from, tact_transform to, double duration, tact_motion *motion);

/**
 * Computes the screw motion from one transform to another: a rotation about a fixed axis in space, the shorter way,
 * with a translation along that axis, both at constant rates (a constant twist; Chasles). It is the one motion between
 * two poses that does not depend on where the origin of the shape is. It is a motion like any other, with the point of
 * the axis that is closest to the origin of `from` as pivot.
 *
 * **Speed.** A point at the distance r from the axis has the constant speed sqrt(h^2 + (|spin| r)^2), where h is the
 * translation along the axis divided by `duration`. So the largest speed of a body is that of the point farthest from
 * the axis.
 *
 * **Accuracy.** Let d be the way of the origin perpendicular to the axis. Each point deviates from the exact screw by
 * at most 2e-11 d plus a few units of roundoff of the coordinates. If the rotation is by less than 2e-5 radians, the
 * axis is so far away that a pivot would lose digits. Then the motion is a parabola of the origin, with acceleration
 * and without pivot. Without rotation it is a translation.
 *
 * Returns #TACT_BAD_ARGUMENT and writes nothing in the cases of tact_motion_between.
 */
TACT_API tact_status tact_motion_screw_between(tact_transform from, tact_transform to, double duration,
                                               tact_motion *motion);

TACT_END

#endif
