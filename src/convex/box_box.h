/* Distance of two rectangular boxes. */
#ifndef TACT_CONVEX_BOX_BOX_H
#define TACT_CONVEX_BOX_BOX_H

#include <stdbool.h>
#include <tact/query.h>

#include "core/avx2.h"

/* These functions are exactly symmetric in A and B. They give up where this way comes to no proof, and for all that is
 * odd: boxes that are not rectangular or not placed usably, extreme sizes, numbers that are none. */

/* tact_shapes_distance_with for two boxes; goes on with tact_convex_pair_distance where it gives up. The cache is
 * written, not read. */
tact_distance tact_box_box_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                    const tact_transform *transform_b, const tact_distance_def *def);

/* Whether two boxes with their margins are at most `distance` apart; TACT_UNKNOWN where it gives up. `axis` (NULL for
 * none) is tried after the line of the centres unless zero; if they are not, it gets a direction that separates them.
 */
tact_state tact_box_box_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                               const tact_transform *transform_b, double distance, tact_vec3 *axis);

/* The same for processors with AVX2. */
#if TACT_HAVE_AVX2
__typeof__(tact_box_box_distance) tact_box_box_distance_avx2;
__typeof__(tact_box_box_within) tact_box_box_within_avx2;
#endif

#endif
