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
 */
typedef struct tact_motion {
    tact_vec3 velocity;     /**< of the transform's origin, at time 0 */
    tact_vec3 acceleration; /**< of the transform's origin; constant */
    tact_vec3 spin;         /**< angular velocity about the transform's origin, world axes, rad per unit of time */
} tact_motion;

/** Returns the motion of a body at rest. */
TACT_API tact_motion tact_motion_still(void);

/** Returns the motion with constant velocity (x y z). */
TACT_API tact_motion tact_motion_linear(double x, double y, double z);

/** Returns the transform at `time` of a shape that starts at `transform`. If a coordinate overflows, the result is all
 * zero: a singular transform, which every query rejects. */
TACT_API tact_transform tact_motion_at(tact_motion motion, tact_transform transform, double time);

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

TACT_END

#endif
