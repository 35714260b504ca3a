/* Motions for the other rooms: the turn that a constant spin has made after some time. */
#ifndef TACT_MOTION_MOTION_H
#define TACT_MOTION_MOTION_H

#include <stdbool.h>
#include <tact/motion.h>

#include "math/vec.h"

/* Of each number of a motion: the largest, as coordinates. */
#define MOTION_MAX_VALUE 1e150

/* Can a body be given it? */
static inline bool motion_is_usable(const tact_motion *m)
{
    return vec_finite(m->velocity) && vec_finite(m->acceleration) && vec_finite(m->spin) &&
           vec_max_abs(m->velocity) <= MOTION_MAX_VALUE && vec_max_abs(m->acceleration) <= MOTION_MAX_VALUE &&
           vec_max_abs(m->spin) <= MOTION_MAX_VALUE;
}

/* A rotation: v -> v + sine (axis x v) + versine (axis x (axis x v)). Written so, it changes nothing at all when the
 * angle is 0, and small angles keep their accuracy. */
typedef struct axis_rotation {
    tact_vec3 axis; /* unit; zero: no rotation */
    double sine;
    double versine; /* 1 - cosine */
} axis_rotation;

/* The rotation by `angle` radians about `axis`, which is of unit length or zero. */
static inline axis_rotation axis_rotation_make(tact_vec3 axis, double angle)
{
    double half = sin(0.5 * angle);
    return (axis_rotation){axis, sin(angle), 2.0 * half * half};
}

/* What a spin has turned after some time: the one rotation that tact_motion_at applies. */
static inline axis_rotation axis_rotation_of_spin(tact_vec3 spin, double time)
{
    const tact_vec3 axis = vec_normalize(spin);
    return axis_rotation_make(axis, vec_dot(axis, spin) * time);
}

static inline tact_vec3 axis_rotation_apply(const axis_rotation *r, tact_vec3 v)
{
    tact_vec3 once = vec_cross(r->axis, v), twice = vec_cross(r->axis, once);
    return vec_mul_add(vec_mul_add(v, r->sine, once), r->versine, twice);
}

/* The inverse rotation. */
static inline tact_vec3 axis_rotation_apply_inverse(const axis_rotation *r, tact_vec3 v)
{
    tact_vec3 once = vec_cross(r->axis, v), twice = vec_cross(r->axis, once);
    return vec_mul_add(vec_mul_add(v, -r->sine, once), r->versine, twice);
}

#endif
