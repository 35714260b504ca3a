/* tact_shapes_distance: the distance of two shapes. */
#include <math.h>
#include <tact/query.h>

#include "convex/convex_constants.h"
#include "convex/convex_query.h"
#include "core/inline.h"
#include "query/dispatch.h"

static const tact_distance_def default_def = {CONVEX_DISTANCE_ACCURACY, INFINITY, NULL};

TACT_COLD tact_distance bad_argument(void) { return (tact_distance){.status = TACT_BAD_ARGUMENT}; }

tact_distance_def tact_distance_def_default(void) { return default_def; }

tact_distance tact_shapes_distance_with(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                        tact_transform transform_b, const tact_distance_def *def)
{
    if (def == NULL)
        def = &default_def;
    if (a == NULL || b == NULL || !(def->accuracy >= 0.0) || !(def->accuracy < INFINITY) || !(def->upper_bound >= 0.0))
        return bad_argument();
    return pair_functions_of(a, b)->distance(a, &transform_a, b, &transform_b, def);
}

tact_distance tact_shapes_distance(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                   tact_transform transform_b)
{
    if (a == NULL || b == NULL)
        return bad_argument();
    return pair_functions_of(a, b)->distance(a, &transform_a, b, &transform_b, &default_def);
}
