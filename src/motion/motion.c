/*
 * Motions: the transform at a later time. The origin is at (p + t v) + t (t/2 a), rounded as written. The axes are
 * rotated by the angular velocity (Rodrigues' formula): their lengths and angles change by a few units of roundoff,
 * plus one per radian. Without angular velocity the axes stay the same, bit for bit. With a pivot the same is done for
 * the pivot, and the origin follows from it.
 *
 * The screw between two poses: with the rotation by the angle a about the unit vector n, and the way d of the origin
 * perpendicular to n, the axis passes through r = d / 2 + n x d / (2 tan(a/2)) from the origin, since (1 - R) r = d.
 * Rounding: r is of the size d / a, and so are the numbers that cancel when the origin is computed, which leaves an
 * error of u d / a. Below MOTION_MIN_SCREW_ANGLE the arc of the origin is replaced by the parabola with the same ends
 * and the same sagitta. For s from 0 to 1 the arc is, along d, (sin(a/2) + sin((s - 1/2) a)) / (2 sin(a/2)) = s + a^2 s
 * (1 - s) (1 - 2s) / 12 + O(a^4), and across it by -a s (1 - s) / 2 + O(a^3). So the parabola is off by at most a^2 /
 * (72 sqrt(3)) = 0.0081 a^2 of d. At the angle 2e-5 that is 3.2e-12, and u / a is 5.6e-12.
 */
#include "motion/motion.h"

#include <math.h>
#include <stddef.h>
#include <tact/math.h>

#include "math/elementary.h"
#include "motion/motion_constants.h"

tact_motion tact_motion_still(void) { return (tact_motion){.velocity = {0.0, 0.0, 0.0}}; }

tact_motion tact_motion_linear(double x, double y, double z)
{
    tact_motion motion = tact_motion_still();
    motion.velocity = vec_make(x, y, z);
    return motion;
}

static bool is_finite(const tact_transform *t)
{
    return vec_finite(t->x_axis) && vec_finite(t->y_axis) && vec_finite(t->z_axis) && vec_finite(t->origin);
}

tact_transform tact_motion_at(tact_motion motion, tact_transform transform, double time)
{
    const tact_transform nothing = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    const bool has_pivot = motion_has_pivot(&motion);
    const tact_vec3 pivot = motion.pivot;
    motion = motion_about_pivot(&motion, &transform);
    tact_vec3 gained = vec_scale(motion.acceleration, 0.5 * time);
    transform.origin = vec_mul_add(vec_mul_add(transform.origin, time, motion.velocity), time, gained);
    const axis_rotation r = axis_rotation_of_spin(motion.spin, time);
    if (r.sine != 0.0 || r.versine != 0.0) {
        transform.x_axis = axis_rotation_apply(&r, transform.x_axis);
        transform.y_axis = axis_rotation_apply(&r, transform.y_axis);
        transform.z_axis = axis_rotation_apply(&r, transform.z_axis);
    }
    if (has_pivot)
        transform.origin = vec_sub(transform.origin, vec_transform(&transform, pivot));
    return is_finite(&transform) ? transform : nothing;
}

tact_motion tact_motion_after(tact_motion motion, tact_transform transform, double time)
{
    const tact_vec3 gained = vec_scale(motion.acceleration, time);
    if (motion_has_pivot(&motion)) {
        const tact_transform after = tact_motion_at(motion, transform, time);
        const tact_vec3 turned = vec_sub(vec_transform(&transform, motion.pivot), vec_transform(&after, motion.pivot));
        motion.velocity = vec_add(motion.velocity, vec_cross(motion.spin, turned));
    }
    motion.velocity = vec_add(motion.velocity, gained);
    return vec_finite(motion.velocity) ? motion : tact_motion_still();
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

/* The way of the origin and the rotation vector between two poses; false: see tact_motion_between. */
static bool compare_poses(const tact_transform *from, const tact_transform *to, double duration, tact_vec3 *half_way,
                          tact_vec3 *angle)
{
    if (!(duration > 0.0 && duration < INFINITY) || tact_transform_check(from, NULL) != TACT_OK ||
        tact_transform_check(to, NULL) != TACT_OK)
        return false;
    tact_transform about_from = *from, about_to = *to, back, turn;
    about_from.origin = about_to.origin = vec_make(0.0, 0.0, 0.0);
    if (tact_transform_invert(about_from, &back) != TACT_OK)
        return false;
    turn = tact_transform_compose(about_to, back);
    if (!is_rotation(&turn))
        return false;
    const tact_quat q = tact_quat_from_transform(turn);
    const tact_vec3 sine = vec_scale(vec_make(q.x, q.y, q.z), q.w < 0.0 ? -1.0 : 1.0);
    const double length = vec_length_safe(sine);
    *angle = vec_scale(sine, length > 0.0 ? 2.0 * tact_atan2(length, fabs(q.w)) / length : 2.0);
    /* half the way in half the time: the difference of two finite coordinates may overflow */
    *half_way = vec_sub(vec_scale(to->origin, 0.5), vec_scale(from->origin, 0.5));
    return true;
}

tact_status tact_motion_between(tact_transform from, tact_transform to, double duration, tact_motion *motion)
{
    tact_vec3 half, angle;
    if (motion == NULL || !compare_poses(&from, &to, duration, &half, &angle))
        return TACT_BAD_ARGUMENT;
    const tact_motion between = {.velocity = divide(half, 0.5 * duration), .spin = divide(angle, duration)};
    if (!vec_finite(between.velocity) || !vec_finite(between.spin))
        return TACT_BAD_ARGUMENT;
    *motion = between;
    return TACT_OK;
}

tact_status tact_motion_screw_between(tact_transform from, tact_transform to, double duration, tact_motion *motion)
{
    tact_vec3 half, angle;
    if (motion == NULL || !compare_poses(&from, &to, duration, &half, &angle))
        return TACT_BAD_ARGUMENT;
    tact_motion screw = {.velocity = divide(half, 0.5 * duration), .spin = divide(angle, duration)};
    const double size = vec_length_safe(angle);
    if (size > 0.0) {
        const tact_vec3 axis = divide(angle, size), along = vec_scale(axis, vec_dot(axis, half)),
                        across = vec_sub(half, along), side = vec_cross(axis, across); /* halves of the way, too */
        if (size < MOTION_MIN_SCREW_ANGLE) {
            const tact_vec3 bulge = divide(vec_scale(side, size), duration); /* half the change of the velocity */
            screw.velocity = vec_sub(screw.velocity, bulge);
            screw.acceleration = divide(bulge, 0.5 * duration);
        } else {
            const tact_vec3 arm = vec_mul_add(across, 1.0 / tact_tangent(0.5 * size), side);
            tact_transform back, about = from;
            about.origin = vec_make(0.0, 0.0, 0.0);
            (void)tact_transform_invert(about, &back); /* it has been inverted before */
            screw.pivot = vec_transform(&back, arm);
            /* the arm as it will be computed from the pivot: then the pivot moves along the axis */
            screw.velocity =
                vec_sub(divide(along, 0.5 * duration), vec_cross(screw.spin, vec_transform(&from, screw.pivot)));
        }
    }
    if (!vec_finite(screw.velocity) || !vec_finite(screw.spin) || !vec_finite(screw.acceleration) ||
        !vec_finite(screw.pivot))
        return TACT_BAD_ARGUMENT;
    *motion = screw;
    return TACT_OK;
}
