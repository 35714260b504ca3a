/* The distance of two rectangular boxes. */
#ifndef TACT_CONVEX_BOX_BOX_H
#define TACT_CONVEX_BOX_BOX_H

#include <stdbool.h>
#include <tact/query.h>

#include "core/avx2.h"

/* These functions are exactly symmetric in A and B. They give up where the search finds no proof, and for boxes that
 * are not rectangular, transforms that are not usable, extreme sizes, NaN and infinity. */

/* tact_shapes_distance_with for two boxes; falls back to tact_convex_pair_distance. The cache is written, not read. */
tact_distance tact_box_box_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                    const tact_transform *transform_b, const tact_distance_def *def);

/* Whether two boxes, margins included, are at most `distance` apart; TACT_UNKNOWN if it gives up. `axis` (NULL for
 * none; zero: unknown) is tried after the line of centres. On TACT_MISS it receives a separating direction. */
tact_state tact_box_box_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                               const tact_transform *transform_b, double distance, tact_vec3 *axis);

/* The same for processors with AVX2. */
#if TACT_HAVE_AVX2
__typeof__(tact_box_box_distance) tact_box_box_distance_avx2;
__typeof__(tact_box_box_within) tact_box_box_within_avx2;
#endif

#endif
