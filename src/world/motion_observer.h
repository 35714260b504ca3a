/*
 * Observing the motions of the bodies of a world in continuous time: a world has at most one observer, which is
 * notified of every motion that a body begins: when the caller or an impact changes it, at each contact step and at
 * each rotation piece. Between two notifications a body follows its motion exactly, so that an observer can compute
 * where it is at any time. The motion of vertices is not observed. Without an observer this costs one comparison per
 * motion.
 */
#ifndef TACT_WORLD_MOTION_OBSERVER_H
#define TACT_WORLD_MOTION_OBSERVER_H

#include <tact/world.h>

/* The motion of a body from a time on. The local point x is at
 *     origin + velocity s + acceleration s^2 / 2 + exp([spin] s) M (x - pivot),   s = t - time,
 * where M is the linear part of `transform`. */
typedef struct observed_motion {
    double time;
    tact_vec3 pivot;  /* local: the origin, the centre of mass, or the pivot of the motion */
    tact_vec3 origin; /* of the pivot in the world, at `time` */
    tact_vec3 velocity, acceleration, spin;
    tact_transform transform; /* at `time`; its origin is unspecified */
} observed_motion;

typedef struct motion_observer {
    /* A body begins a motion. Times never decrease. Of several motions of a body that begin at one time the last one
     * holds. The observer must not call functions of the world. */
    void (*motion_begins)(struct motion_observer *observer, tact_body body, void *user, const observed_motion *motion);
} motion_observer;

/* Sets the observer, which must outlive the world or be replaced; NULL: none. */
void tact_world_set_motion_observer(tact_world *world, motion_observer *observer);

#endif
