/* Motions for the other rooms: the turn that a constant spin has made after some time. */
#ifndef TACT_MOTION_MOTION_H
#define TACT_MOTION_MOTION_H

#include <stdbool.h>
#include <tact/motion.h>

#include "math/vec.h"

/* Of each number of a motion: the largest, as coordinates. */
#define MOTION_MOST 1e150

/* Can a body be given it? */
static inline bool motion_is_usable(const tact_motion *m)
{
    return vec_finite(m->velocity) && vec_finite(m->acceleration) && vec_finite(m->spin) &&
           vec_largest(m->velocity) <= MOTION_MOST && vec_largest(m->acceleration) <= MOTION_MOST &&
           vec_largest(m->spin) <= MOTION_MOST;
}

/* A rotation: v -> v + sine (axis x v) + versine (axis x (axis x v)). Written so, it changes nothing at all when the
 * angle is 0, and small angles keep their accuracy. */
typedef struct turn {
    tact_vec3 axis; /* unit; zero: no rotation */
    double sine;
    double versine; /* 1 - cosine */
} turn;

/* The rotation by `angle` radians about `axis`, which is of unit length or zero. */
static inline turn turn_make(tact_vec3 axis, double angle)
{
    double half = sin(0.5 * angle);
    return (turn){axis, sin(angle), 2.0 * half * half};
}

/* What a spin has turned after some time: the one rotation that tact_motion_at applies. */
static inline turn turn_of_spin(tact_vec3 spin, double time)
{
    const tact_vec3 axis = vec_unit(spin);
    return turn_make(axis, vec_dot(axis, spin) * time);
}

static inline tact_vec3 turn_apply(const turn *r, tact_vec3 v)
{
    tact_vec3 once = vec_cross(r->axis, v), twice = vec_cross(r->axis, once);
    return vec_along(vec_along(v, r->sine, once), r->versine, twice);
}

/* The inverse rotation. */
static inline tact_vec3 turn_undo(const turn *r, tact_vec3 v)
{
    tact_vec3 once = vec_cross(r->axis, v), twice = vec_cross(r->axis, once);
    return vec_along(vec_along(v, -r->sine, once), r->versine, twice);
}

#endif
