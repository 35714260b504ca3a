/*
 * Motions: the transform at a later time. The origin is at (p + t v) + t (t/2 a), rounded as written. The axes are
 * rotated by the angular velocity (Rodrigues' formula): their lengths and angles change by a few units of roundoff,
 * plus one per radian. Without angular velocity the axes stay the same, bit for bit.
 */
#include "motion/motion.h"

#include <math.h>
#include <stddef.h>
#include <tact/math.h>

#include "motion/motion_constants.h"

tact_motion tact_motion_still(void) { return (tact_motion){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}; }

tact_motion tact_motion_linear(double x, double y, double z)
{
    tact_motion motion = tact_motion_still();
    motion.velocity = vec_make(x, y, z);
    return motion;
}

tact_transform tact_motion_at(tact_motion motion, tact_transform transform, double time)
{
    tact_vec3 gained = vec_scale(motion.acceleration, 0.5 * time);
    transform.origin = vec_mul_add(vec_mul_add(transform.origin, time, motion.velocity), time, gained);
    const axis_rotation r = axis_rotation_of_spin(motion.spin, time);
    if (r.sine != 0.0 || r.versine != 0.0) {
        transform.x_axis = axis_rotation_apply(&r, transform.x_axis);
        transform.y_axis = axis_rotation_apply(&r, transform.y_axis);
        transform.z_axis = axis_rotation_apply(&r, transform.z_axis);
    }
    if (!(vec_finite(transform.x_axis) && vec_finite(transform.y_axis) && vec_finite(transform.z_axis) &&
          vec_finite(transform.origin)))
        return (tact_transform){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    return transform;
}

/* Whether three axes are orthonormal and right-handed. */
static bool is_rotation(const tact_transform *t)
{
    const tact_vec3 z = vec_sub(vec_cross(t->x_axis, t->y_axis), t->z_axis);
    return fabs(vec_length_squared(t->x_axis) - 1.0) <= MOTION_ROTATION_ERROR &&
           fabs(vec_length_squared(t->y_axis) - 1.0) <= MOTION_ROTATION_ERROR &&
           fabs(vec_dot(t->x_axis, t->y_axis)) <= MOTION_ROTATION_ERROR && vec_max_abs(z) <= MOTION_ROTATION_ERROR;
}

/* Not by 1 / divisor, which may overflow. */
static tact_vec3 divide(tact_vec3 a, double divisor) { return vec_make(a.x / divisor, a.y / divisor, a.z / divisor); }

tact_status tact_motion_between(tact_transform from, tact_transform to, double duration, tact_motion *motion)
{
    if (motion == NULL || !(duration > 0.0 && duration < INFINITY) || tact_transform_check(&from, NULL) != TACT_OK ||
        tact_transform_check(&to, NULL) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    tact_transform about_from = from, about_to = to, back, turn;
    about_from.origin = about_to.origin = vec_make(0.0, 0.0, 0.0);
    if (tact_transform_invert(about_from, &back) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    turn = tact_transform_compose(about_to, back);
    if (!is_rotation(&turn))
        return TACT_BAD_ARGUMENT;
    const tact_vec3 angle = tact_quat_rotation_vector(tact_quat_from_transform(turn));
    /* half the way in half the time: the difference of two finite coordinates may overflow */
    const tact_vec3 half = vec_sub(vec_scale(to.origin, 0.5), vec_scale(from.origin, 0.5));
    const tact_motion between = {.velocity = divide(half, 0.5 * duration), .spin = divide(angle, duration)};
    if (!vec_finite(between.velocity) || !vec_finite(between.spin))
        return TACT_BAD_ARGUMENT;
    *motion = between;
    return TACT_OK;
}
