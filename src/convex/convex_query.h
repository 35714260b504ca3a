/*
 * Queries about convex shapes under their transforms (shape/convex.h). Queries about the elements of meshes and
 * compounds reduce to these.
 */
#ifndef TACT_CONVEX_CONVEX_QUERY_H
#define TACT_CONVEX_CONVEX_QUERY_H

#include <tact/query.h>

#include "shape/convex.h"

tact_distance tact_convex_distance(const convex *a, const convex *b, const tact_distance_def *def);

tact_overlap tact_convex_within(const convex *a, const convex *b, double distance, tact_cache *cache);

/* The same two without the fast GJK (convex/gjk_fast.h), for a caller whose fast search of this pair has failed. */
tact_distance tact_convex_distance_robust(const convex *a, const convex *b, const tact_distance_def *def);
tact_overlap tact_convex_within_robust(const convex *a, const convex *b, double distance, tact_cache *cache);

tact_common_point tact_convex_common_point(const convex *a, const convex *b, tact_cache *cache);

/* The signed penetration depth, margins included: minus the distance when the shapes are apart. Fills in all of `out`
 * and returns its status. When the expanding polytope outgrows the stack it takes memory from `allocator`, until it
 * returns. */
tact_status tact_convex_penetration(const convex *a, const convex *b, const tact_allocator *allocator,
                                    tact_penetration *out);

/* The contact manifold, with points that are at most `max_separation` apart. If the shapes touch along a known unit
 * vector from A to B, `normal` is that vector and `point` the contact point; a zero `normal` means unknown. */
tact_manifold tact_convex_manifold(const convex *a, const convex *b, double max_separation, tact_vec3 normal,
                                   tact_vec3 point, const tact_allocator *allocator);

/* The points of the manifold along the normal of `d`. `d` is the penetration along that normal, which need not be the
 * least one. Fills in all of `out` but the status. */
void tact_convex_manifold_along(const convex *a, const convex *b, const tact_penetration *d, double max_separation,
                                tact_manifold *out);

/* For a point inside the core this takes memory from `allocator` as tact_convex_penetration does. */
tact_closest tact_convex_closest(const convex *c, tact_vec3 from, const tact_allocator *allocator);

tact_overlap tact_convex_contains(const convex *c, tact_vec3 point);

tact_ray_hit tact_convex_ray(const convex *c, tact_vec3 from, tact_vec3 direction, double max);

#endif
