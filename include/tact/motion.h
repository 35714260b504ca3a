/**
 * @file
 * Motions (flight plans): how a placed shape moves from now on.
 */
#ifndef TACT_MOTION_H
#define TACT_MOTION_H

#include <tact/transform.h>
#include <tact/vec.h>

TACT_BEGIN

/**
 * A motion: at time t the local point x of a shape placed with the linear part M and the origin p is at
 * p + velocity t + acceleration t^2 / 2 + exp([spin] t) M x. Zero-initialised it stands still.
 */
typedef struct tact_motion {
    tact_vec3 velocity;     /**< of the placement's origin, at time 0 */
    tact_vec3 acceleration; /**< constant */
    tact_vec3 spin;         /**< radians per unit of time, in world axes, about the placement's origin; constant */
} tact_motion;

/** The motion of what does not move. */
TACT_API tact_motion tact_motion_still(void);

/** The motion with constant velocity. */
TACT_API tact_motion tact_motion_linear(double x, double y, double z);

/** Where `placement` has got to at `time` under `motion`; singular (all zero), which every query refuses, if that is
 * not a finite place. */
TACT_API tact_transform tact_motion_at(tact_motion motion, tact_transform placement, double time);

TACT_END

#endif
