/* The distance of two sphere-swept shapes (spheres, capsules). */
#ifndef TACT_CONVEX_SPHERE_SWEPT_H
#define TACT_CONVEX_SPHERE_SWEPT_H

#include <stdbool.h>
#include <tact/query.h>

#include "shape/shape_data.h"

/* tact_shapes_distance_with for two sphere-swept shapes, exactly symmetric in A and B. Falls back to
 * tact_convex_pair_distance if a transform is no similarity or not usable, for extreme sizes, and where rounding
 * prevents the proof. */
tact_distance tact_sphere_swept_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                         const tact_transform *transform_b, const tact_distance_def *def);

/* Whether they are at most `distance` apart; TACT_UNKNOWN in the cases above. On TACT_MISS `axis`, unless NULL,
 * receives a separating direction. */
tact_state tact_sphere_swept_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                    const tact_transform *transform_b, double distance, tact_vec3 *axis);

#endif
