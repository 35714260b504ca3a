/* Tolerances of motions. */
#ifndef TACT_MOTION_MOTION_CONSTANTS_H
#define TACT_MOTION_MOTION_CONSTANTS_H

/* Of dot products of axes: a map that is no farther from a rotation counts as one. Documented in tact/motion.h. Far
 * above rounding, below any intended shear. Needed by test_math, motions_between_poses_arrive. */
#define MOTION_ROTATION_ERROR 1e-9

/* Radians: a screw by a smaller angle is a parabola without pivot. Where the two errors are equal, see motion.c.
 * Documented in tact/motion.h. Needed by test_screw_motion, screws_are_accurate_at_every_angle. */
#define MOTION_MIN_SCREW_ANGLE 2e-5

#endif
