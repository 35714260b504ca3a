/* Tolerances of motions. */
#ifndef TACT_MOTION_MOTION_CONSTANTS_H
#define TACT_MOTION_MOTION_CONSTANTS_H

/* Of dot products of axes: a map that is no farther from a rotation counts as one. Documented in tact/motion.h. Far
 * above rounding, below any intended shear. Needed by test_math, motions_between_poses_arrive. */
#define MOTION_ROTATION_ERROR 1e-9

#endif
