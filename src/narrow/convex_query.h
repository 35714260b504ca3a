/* The questions of query.h about two convex shapes that are placed already: what queries about elements of meshes and compounds come down to. */
#ifndef TACT_NARROW_CONVEX_QUERY_H
#define TACT_NARROW_CONVEX_QUERY_H

#include <tact/query.h>

#include "shape/convex.h"

tact_distance tact_convex_distance(const convex *a, const convex *b, const tact_distance_def *def);

tact_verdict tact_convex_within(const convex *a, const convex *b, double distance, tact_cache *cache);

tact_common tact_convex_common_point(const convex *a, const convex *b, tact_cache *cache);

#endif
