/* Distance of two hulls. */
#ifndef TACT_CONVEX_HULL_HULL_H
#define TACT_CONVEX_HULL_HULL_H

#include <stdbool.h>
#include <tact/query.h>

#include "core/avx2.h"

/* These functions are exactly symmetric in A and B. They give up where the quick search comes to no proof, and for all
 * that is odd: placements that are far from similarities or not usable, extreme sizes, numbers that are none. */

/* tact_shapes_distance_with for two shapes that have hulls; goes on with tact_pair_distance where it gives up. */
tact_distance tact_hulls_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                  const tact_transform *transform_b, const tact_distance_def *def);

typedef enum hulls_verdict { HULLS_UNKNOWN, HULLS_MISS, HULLS_HIT } hulls_verdict;

/* Whether two such shapes with their margins are at most `distance` apart. The cache (NULL for none) is read, and
 * written if they are not. */
hulls_verdict tact_hulls_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                const tact_transform *transform_b, double distance, tact_cache *cache);

/* The same for processors with AVX2. */
#if TACT_HAVE_AVX2
__typeof__(tact_hulls_distance) tact_hulls_distance_avx2;
__typeof__(tact_hulls_within) tact_hulls_within_avx2;
#endif

#endif
