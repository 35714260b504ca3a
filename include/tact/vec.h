/**
 * @file
 * Points, vectors and quaternions: plain values.
 */
#ifndef TACT_VEC_H
#define TACT_VEC_H

#include <tact/export.h>

TACT_BEGIN

/** A point or a vector. */
typedef struct tact_vec3 {
    double x; /**< first coordinate */
    double y; /**< second coordinate */
    double z; /**< third coordinate */
} tact_vec3;

/** A rotation as a quaternion, (x y z) sin(angle/2) and cos(angle/2); need not be normalised, must not be zero. */
typedef struct tact_quat {
    double x; /**< axis times the sine of half the angle */
    double y; /**< axis times the sine of half the angle */
    double z; /**< axis times the sine of half the angle */
    double w; /**< the cosine of half the angle */
} tact_quat;

/** The vector (x y z). */
TACT_API tact_vec3 tact_vec(double x, double y, double z);

/** The rotation by `angle` radians about `axis` (any length but zero), counter-clockwise seen from its tip. */
TACT_API tact_quat tact_quat_from_axis_angle(tact_vec3 axis, double angle);

TACT_END

#endif
