/* The boxes of bodies for the broad phase. */
#ifndef TACT_WORLD_BODY_BOUNDS_H
#define TACT_WORLD_BODY_BOUNDS_H

#include <stdbool.h>
#include <tact/shape.h>

#include "bounds/box.h"

/* The largest distance of a point of a shape from its origin, without its margin. */
tact_status tact_body_bounding_radius(const tact_shape *shape, double *bounding_radius);

/* The bounds of a transformed shape, up to rounding; if `bounding_radius` is not NULL, bounds that hold for every
 * rotation. TACT_BAD_ARGUMENT: the transform is invalid, or the bounds exceed SHAPE_MAX_COORDINATE. */
tact_status tact_body_extents(const tact_shape *shape, const tact_transform *transform, const double *bounding_radius,
                              tact_bounds *bounds);

/* The same as a box of floats, rounded outward. */
tact_status tact_body_box(const tact_shape *shape, const tact_transform *transform, const double *bounding_radius,
                          box *box_out);

#endif
