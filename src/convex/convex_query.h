/* The questions of query.h about convex shapes that are placed already: what queries about elements of meshes and
 * compounds come down to. */
#ifndef TACT_CONVEX_CONVEX_QUERY_H
#define TACT_CONVEX_CONVEX_QUERY_H

#include <tact/query.h>

#include "shape/convex.h"

tact_distance tact_convex_distance(const convex *a, const convex *b, const tact_distance_def *def);

tact_overlap tact_convex_within(const convex *a, const convex *b, double distance, tact_cache *cache);

tact_common_point tact_convex_common_point(const convex *a, const convex *b, tact_cache *cache);

/* Memory, if the point is inside and much is needed, from `allocator`. */
tact_closest tact_convex_closest(const convex *c, tact_vec3 from, const tact_allocator *allocator);

tact_overlap tact_convex_contains(const convex *c, tact_vec3 point);

tact_ray_hit tact_convex_ray(const convex *c, tact_vec3 from, tact_vec3 direction, double max);

#endif
