/*
 * Motions: where a placement has got to. The origin is at (p + t v) + t (t/2 a), rounded as written; the axes are
 * turned by the spin (Rodrigues' formula), so their lengths and angles keep to a few units of rounding, plus one for
 * each radian turned. Without spin the axes stay as they are, bit for bit.
 */
#include "motion/motion.h"

tact_motion tact_motion_still(void) { return (tact_motion){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}; }

tact_motion tact_motion_linear(double x, double y, double z)
{
    tact_motion motion = tact_motion_still();
    motion.velocity = vec_make(x, y, z);
    return motion;
}

tact_transform tact_motion_at(tact_motion motion, tact_transform placement, double time)
{
    tact_vec3 gained = vec_scale(motion.acceleration, 0.5 * time);
    placement.origin = vec_mul_add(vec_mul_add(placement.origin, time, motion.velocity), time, gained);
    const axis_rotation r = axis_rotation_of_spin(motion.spin, time);
    if (r.sine != 0.0 || r.versine != 0.0) {
        placement.x_axis = axis_rotation_apply(&r, placement.x_axis);
        placement.y_axis = axis_rotation_apply(&r, placement.y_axis);
        placement.z_axis = axis_rotation_apply(&r, placement.z_axis);
    }
    if (!(vec_finite(placement.x_axis) && vec_finite(placement.y_axis) && vec_finite(placement.z_axis) &&
          vec_finite(placement.origin)))
        return (tact_transform){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    return placement;
}
