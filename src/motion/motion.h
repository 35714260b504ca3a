/* Motions: validation, and the rotation that a constant angular velocity produces. */
#ifndef TACT_MOTION_MOTION_H
#define TACT_MOTION_MOTION_H

#include <stdbool.h>
#include <tact/motion.h>

#include "math/elementary.h"
#include "math/vec.h"

/* Largest component of velocity, acceleration and spin, in the caller's units, as for coordinates (shape_constants.h):
 * twice its square does not overflow in a sum of a few products. */
#define MOTION_MAX_VALUE 1e150

/* Is it a valid motion of a body? */
static inline bool motion_is_valid(const tact_motion *m)
{
    return vec_finite(m->velocity) && vec_finite(m->acceleration) && vec_finite(m->spin) && vec_finite(m->pivot) &&
           vec_max_abs(m->velocity) <= MOTION_MAX_VALUE && vec_max_abs(m->acceleration) <= MOTION_MAX_VALUE &&
           vec_max_abs(m->spin) <= MOTION_MAX_VALUE && vec_max_abs(m->pivot) <= MOTION_MAX_VALUE;
}

/* Does the pivot matter? */
static inline bool motion_has_pivot(const tact_motion *m)
{
    return vec_max_abs(m->pivot) > 0.0 && vec_max_abs(m->spin) > 0.0;
}

/* The motion of a shape whose origin is moved to the pivot. `*transform` becomes that of the pivot. */
static inline tact_motion motion_about_pivot(const tact_motion *m, tact_transform *transform)
{
    tact_motion about = *m;
    about.pivot = vec_make(0.0, 0.0, 0.0);
    if (motion_has_pivot(m)) {
        const tact_vec3 arm = vec_transform(transform, m->pivot);
        transform->origin = vec_add(transform->origin, arm);
        about.velocity = vec_add(m->velocity, vec_cross(m->spin, arm));
    }
    return about;
}

/* A rotation about an axis by Rodrigues' formula: v -> v + sine (axis x v) + versine (axis x (axis x v)). In this form
 * an angle of 0 changes nothing, bit for bit, and small angles lose no accuracy. */
typedef struct axis_rotation {
    tact_vec3 axis; /* unit; zero: no rotation */
    double sine;
    double versine; /* 1 - cosine */
} axis_rotation;

/* The rotation by `angle` radians about `axis`, a unit vector or zero. */
static inline axis_rotation axis_rotation_make(tact_vec3 axis, double angle)
{
    const sine_cosine half = tact_sine_cosine(0.5 * angle);
    return (axis_rotation){axis, 2.0 * half.sine * half.cosine, 2.0 * half.sine * half.sine};
}

/* The rotation of a constant angular velocity after some time; tact_motion_at applies it. */
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
