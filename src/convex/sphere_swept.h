/* Distance of spheres and capsules, straight from the shapes. */
#ifndef TACT_CONVEX_SPHERE_SWEPT_H
#define TACT_CONVEX_SPHERE_SWEPT_H

#include <stdbool.h>
#include <tact/query.h>

#include "shape/shape_data.h"

/* tact_shapes_distance_with for two of these; goes on with tact_convex_pair_distance where it gives up: if a placement
 * stretches unevenly or is not usable, for extreme sizes, and where rounding stands in the way of a proof. Exactly
 * symmetric in A and B. */
tact_distance tact_sphere_swept_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                         const tact_transform *transform_b, const tact_distance_def *def);

/* Whether they are at most `distance` apart; TACT_UNKNOWN where it gives up. If not, `axis`, unless NULL, gets a
 * direction that separates them. */
tact_state tact_sphere_swept_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                    const tact_transform *transform_b, double distance, tact_vec3 *axis);

#endif
