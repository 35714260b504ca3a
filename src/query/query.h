/* What the quick ways of a query go on with where they give up. */
#ifndef TACT_QUERY_QUERY_H
#define TACT_QUERY_QUERY_H

#include <tact/query.h>

/* tact_shapes_distance_with, `def` being in order, for all shapes and placements. */
tact_distance tact_pair_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                 const tact_transform *transform_b, const tact_distance_def *def);

#endif
