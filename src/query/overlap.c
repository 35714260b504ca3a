/* tact_shapes_overlap, tact_shapes_within, tact_shapes_common_point: whether two shapes touch. */
#include <tact/query.h>

#include "query/dispatch.h"

static const tact_overlap bad_argument = {TACT_BAD_ARGUMENT, TACT_UNKNOWN};

tact_overlap tact_shapes_within(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                tact_transform transform_b, double distance, tact_cache *cache)
{
    if (a == NULL || b == NULL || !(distance >= 0.0))
        return bad_argument;
    return pair_functions_of(a, b)->within(a, &transform_a, b, &transform_b, distance, cache);
}

tact_overlap tact_shapes_overlap(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                 tact_transform transform_b, tact_cache *cache)
{
    if (a == NULL || b == NULL)
        return bad_argument;
    return pair_functions_of(a, b)->within(a, &transform_a, b, &transform_b, 0.0, cache);
}

tact_common_point tact_shapes_common_point(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                           tact_transform transform_b, tact_cache *cache)
{
    if (a == NULL || b == NULL)
        return (tact_common_point){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    return pair_functions_of(a, b)->common_point(a, &transform_a, b, &transform_b, cache);
}
