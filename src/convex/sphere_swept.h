/* Distance of spheres and capsules, straight from the shapes. */
#ifndef TACT_CONVEX_SPHERE_SWEPT_H
#define TACT_CONVEX_SPHERE_SWEPT_H

#include <stdbool.h>
#include <tact/query.h>

#include "shape/shape_data.h"

/* A sphere or a capsule. */
static inline bool tact_shape_is_round(const tact_shape *shape)
{
    return shape->type == TACT_SPHERE || shape->type == TACT_CAPSULE;
}

/* tact_shapes_distance_with for two of these; goes on with tact_pair_distance where it gives up: if a placement
 * stretches unevenly or is not usable, for extreme sizes, and where rounding stands in the way of a proof. Exactly
 * symmetric in A and B. */
tact_distance tact_rounds_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                   const tact_transform *transform_b, const tact_distance_def *def);

typedef enum rounds_verdict { ROUNDS_UNKNOWN, ROUNDS_MISS, ROUNDS_HIT } rounds_verdict;

/* Whether they are at most `distance` apart. If not, `axis`, unless NULL, gets a direction that separates them. */
rounds_verdict tact_rounds_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                  const tact_transform *transform_b, double distance, tact_vec3 *axis);

#endif
