/**
 * @file
 * Vectors and quaternions: plain values.
 */
#ifndef TACT_VEC_H
#define TACT_VEC_H

#include <tact/export.h>

TACT_BEGIN

/** A point or a vector. */
typedef struct tact_vec3 {
    double x; /**< x coordinate */
    double y; /**< y coordinate */
    double z; /**< z coordinate */
} tact_vec3;

/** A rotation: (x y z) is the axis times sin(angle/2), w is cos(angle/2). It must not be zero. Its length does not
 * matter, except where math.h asks for a unit quaternion. */
typedef struct tact_quat {
    double x; /**< axis.x sin(angle/2) */
    double y; /**< axis.y sin(angle/2) */
    double z; /**< axis.z sin(angle/2) */
    double w; /**< cos(angle/2) */
} tact_quat;

/** Returns the vector (x y z). */
TACT_API tact_vec3 tact_vec(double x, double y, double z);

/** Returns the rotation by `angle` radians about `axis`, by the right-hand rule. The axis may have any length except
 * zero. */
TACT_API tact_quat tact_quat_from_axis_angle(tact_vec3 axis, double angle);

TACT_END

#endif
