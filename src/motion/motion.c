/*
 * Motions: the transform at a later time. The origin is at (p + t v) + t (t/2 a), rounded as written. The axes are
 * rotated by the angular velocity (Rodrigues' formula): their lengths and angles change by a few units of roundoff,
 * plus one per radian. Without angular velocity the axes stay the same, bit for bit.
 */
#include "motion/motion.h"

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
