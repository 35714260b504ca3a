/**
 * @file
 * Placements: where a shape is, how it is turned, stretched and mirrored. Any affine map that is not singular.
 */
#ifndef TACT_TRANSFORM_H
#define TACT_TRANSFORM_H

#include <tact/status.h>
#include <tact/vec.h>

TACT_BEGIN

/** An affine map: the local point (p q r) lands at ((p x_axis + q y_axis) + r z_axis) + origin. */
typedef struct tact_transform {
    tact_vec3 x_axis; /**< where the local x axis points, with its stretch as length */
    tact_vec3 y_axis; /**< likewise y */
    tact_vec3 z_axis; /**< likewise z */
    tact_vec3 origin; /**< where the local origin is */
} tact_transform;

/** The placement that changes nothing. */
TACT_API tact_transform tact_identity(void);

/** Moved to (x y z), not turned, not stretched. */
TACT_API tact_transform tact_at(double x, double y, double z);

/** First stretched by `scale` along the local axes (negative mirrors), then rotated, then moved. The quaternion is
 * normalised. A zero scale or quaternion gives a singular placement, which every query refuses. */
TACT_API tact_transform tact_transform_make(tact_vec3 translate, tact_quat rotate, tact_vec3 scale);

/** From an OpenGL matrix: 16 numbers, column after column, the translation at 12 to 14. The bottom row must be 0 0 0 1;
 * with any other, or NULL, the placement is singular (all zero), which every query refuses. */
TACT_API tact_transform tact_transform_from_matrix(const double matrix[16]);

/** The same from floats. */
TACT_API tact_transform tact_transform_from_matrixf(const float matrix[16]);

/** To an OpenGL matrix; NULL is left alone. */
TACT_API void tact_transform_to_matrix(tact_transform placement, double matrix[16]);

/** To an OpenGL matrix of floats (rounded). */
TACT_API void tact_transform_to_matrixf(tact_transform placement, float matrix[16]);

/** First `inner`, then `outer`: the placement in the world of a part that is placed in something that is placed. */
TACT_API tact_transform tact_transform_compose(tact_transform outer, tact_transform inner);

/** The inverse map. Returns #TACT_BAD_ARGUMENT and leaves `inverse` alone when `placement` is singular or not
 * finite. */
TACT_API tact_status tact_transform_invert(tact_transform placement, tact_transform *inverse);

/** Where `placement` is as seen from `frame`: the map that, followed by `frame`, gives `placement`. Fails as
 * tact_transform_invert does when `frame` is singular. */
TACT_API tact_status tact_transform_relative(tact_transform frame, tact_transform placement, tact_transform *relative);

/** Moves on by a step in world coordinates (an absolute step). */
TACT_API tact_transform tact_transform_translate(tact_transform placement, tact_vec3 step);

/** Turns about its own origin; the rotation is given in world axes. */
TACT_API tact_transform tact_transform_rotate(tact_transform placement, tact_quat rotate);

/** Stretches along its own axes. */
TACT_API tact_transform tact_transform_scale(tact_transform placement, tact_vec3 scale);

/** Where a local point lands. */
TACT_API tact_vec3 tact_transform_point(tact_transform placement, tact_vec3 local);

/** Where a local vector (a difference of points) lands: the origin plays no part. */
TACT_API tact_vec3 tact_transform_vector(tact_transform placement, tact_vec3 local);

/** Positive, or negative when the placement mirrors: the factor by which it changes volumes. */
TACT_API double tact_transform_determinant(tact_transform placement);

/** #TACT_OK when all 12 numbers are finite and the map is not singular; otherwise says in `report` (which may be NULL)
 * what is wrong. */
TACT_API tact_status tact_transform_check(const tact_transform *placement, tact_report *report);

TACT_END

#endif
