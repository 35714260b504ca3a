/* The boxes of bodies for the broad phase. */
#ifndef TACT_WORLD_BODY_BOUNDS_H
#define TACT_WORLD_BODY_BOUNDS_H

#include <stdbool.h>
#include <tact/shape.h>

#include "bounds/box.h"

/* How far the points of a shape are from its origin at most, its margin not counted. */
tact_status tact_body_bounding_radius(const tact_shape *shape, double *reach);

/* The extents of a placed shape, up to some roundings; if `reach` is not NULL, such as hold for every rotation.
 * TACT_BAD_ARGUMENT if the placement is not usable. */
tact_status tact_body_extents(const tact_shape *shape, const tact_transform *place, const double *reach,
                              tact_bounds *around);

/* The box around a placed shape; if `reach` is not NULL, one that holds for every rotation. TACT_BAD_ARGUMENT if the
 * placement is not usable. */
tact_status tact_body_box(const tact_shape *shape, const tact_transform *place, const double *reach, box *fitted);

#endif
