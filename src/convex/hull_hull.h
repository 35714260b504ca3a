/* The distance of two hulls. */
#ifndef TACT_CONVEX_HULL_HULL_H
#define TACT_CONVEX_HULL_HULL_H

#include <stdbool.h>
#include <tact/query.h>

#include "core/avx2.h"

/* These functions are exactly symmetric in A and B. They fall back to convex/convex_pair.h where the fast GJK finds no
 * proof, and for transforms that are not usable or far from similarities, extreme sizes, NaN and infinity. */

/* tact_shapes_distance_with for two shapes that have hulls. */
tact_distance tact_hull_hull_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                      const tact_transform *transform_b, const tact_distance_def *def);

/* Whether two such shapes, margins included, are at most `distance` apart. The cache (NULL for none) is read, and
 * written on TACT_MISS. */
tact_overlap tact_hull_hull_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                   const tact_transform *transform_b, double distance, tact_cache *cache);

/* The same for processors with AVX2. */
#if TACT_HAVE_AVX2
__typeof__(tact_hull_hull_distance) tact_hull_hull_distance_avx2;
__typeof__(tact_hull_hull_within) tact_hull_hull_within_avx2;
#endif

#endif
