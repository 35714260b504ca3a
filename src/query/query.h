/* Queries about two shapes with more inputs than the public functions have, for the world. */
#ifndef TACT_QUERY_QUERY_H
#define TACT_QUERY_QUERY_H

#include <tact/query.h>

#include "toi/toi.h"

/* tact_shapes_manifold of two shapes that touch at `point` along the unit vector `normal` from A to B; a zero normal
 * means unknown. */
tact_manifold tact_touch_manifold(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                  const tact_transform *transform_b, double max_separation, tact_vec3 normal,
                                  tact_vec3 point);

/* The least tolerance of a time of impact of two shapes at these transforms; 0 without NURBS shapes. */
double tact_toi_least_tolerance(const tact_shape *const shapes[2], const tact_transform transforms[2]);

/* The time of impact of any two shapes, as the input asks for it. Arguments are checked. */
void tact_toi_find(const toi_input *input, toi_output *output);

#endif
