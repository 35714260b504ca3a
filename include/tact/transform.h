/**
 * @file
 * Transforms: position, rotation, scale and reflection of a shape. Any affine map that is not singular.
 */
#ifndef TACT_TRANSFORM_H
#define TACT_TRANSFORM_H

#include <tact/status.h>
#include <tact/vec.h>

TACT_BEGIN

/** An affine map. It takes the local point (p q r) to ((p x_axis + q y_axis) + r z_axis) + origin. */
typedef struct tact_transform {
    tact_vec3 x_axis; /**< image of the local x unit vector */
    tact_vec3 y_axis; /**< image of the local y unit vector */
    tact_vec3 z_axis; /**< image of the local z unit vector */
    tact_vec3 origin; /**< image of the local origin */
} tact_transform;

/** Returns the identity. */
TACT_API tact_transform tact_identity(void);

/** Returns the pure translation by (x y z), without rotation or scale. */
TACT_API tact_transform tact_at(double x, double y, double z);

/** Scales along the local axes (a negative factor reflects), then rotates, then translates. The quaternion is
 * normalised. A zero scale or quaternion gives a singular transform, which every query rejects. */
TACT_API tact_transform tact_transform_make(tact_vec3 translate, tact_quat rotate, tact_vec3 scale);

/** Converts an OpenGL matrix: 16 numbers, column-major, the translation at 12 to 14. If the bottom row is not 0 0 0 1,
 * or `matrix` is NULL, the result is all zero: a singular transform, which every query rejects. */
TACT_API tact_transform tact_transform_from_matrix(const double matrix[16]);

/** As tact_transform_from_matrix, for floats. */
TACT_API tact_transform tact_transform_from_matrixf(const float matrix[16]);

/** Writes an OpenGL matrix. Does nothing if `matrix` is NULL. */
TACT_API void tact_transform_to_matrix(tact_transform transform, double matrix[16]);

/** As tact_transform_to_matrix, rounded to floats. */
TACT_API void tact_transform_to_matrixf(tact_transform transform, float matrix[16]);

/** Returns the map that applies `inner` first and `outer` second. If a part has the transform `inner` relative to its
 * parent, and the parent has the transform `outer`, the result is the part's world transform. */
TACT_API tact_transform tact_transform_compose(tact_transform outer, tact_transform inner);

/** Inverts a transform. Returns #TACT_BAD_ARGUMENT and leaves `inverse` unchanged if `transform` is singular or not
 * finite. */
TACT_API tact_status tact_transform_invert(tact_transform transform, tact_transform *inverse);

/** Computes `transform` relative to `frame`: tact_transform_compose(frame, relative) is `transform`, up to rounding.
 * Returns #TACT_BAD_ARGUMENT and leaves `relative` unchanged if `frame` is singular or not finite. */
TACT_API tact_status tact_transform_relative(tact_transform frame, tact_transform transform, tact_transform *relative);

/** Adds a displacement in world coordinates. */
TACT_API tact_transform tact_transform_translate(tact_transform transform, tact_vec3 displacement);

/** Rotates about the transform's origin; the rotation is in world axes. */
TACT_API tact_transform tact_transform_rotate(tact_transform transform, tact_quat rotate);

/** Scales along the transform's own axes. */
TACT_API tact_transform tact_transform_scale(tact_transform transform, tact_vec3 scale);

/** Maps a local point to the world. */
TACT_API tact_vec3 tact_transform_point(tact_transform transform, tact_vec3 local);

/** Maps a local vector (a difference of points) to the world: the origin has no effect. */
TACT_API tact_vec3 tact_transform_vector(tact_transform transform, tact_vec3 local);

/** Returns the determinant of the linear part: the factor by which volumes change, negative for a reflection. */
TACT_API double tact_transform_determinant(tact_transform transform);

/** Returns #TACT_OK if all 12 numbers are finite and the map is not singular. Otherwise returns #TACT_BAD_ARGUMENT and
 * explains the reason in `report`, which may be NULL. */
TACT_API tact_status tact_transform_check(const tact_transform *transform, tact_report *report);

TACT_END

#endif
