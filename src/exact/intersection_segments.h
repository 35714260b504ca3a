/* Sorts intersection segments of triangles and merges those of one pair of faces. */
#ifndef TACT_EXACT_INTERSECTION_SEGMENTS_H
#define TACT_EXACT_INTERSECTION_SEGMENTS_H

#include <tact/query.h>

/* Sorts `count` segments by parts, facets and position, merges collinear segments of the same two faces that touch, and
 * drops duplicates. Returns how many are left. In place; n log n. */
size_t tact_intersection_segments_merge(tact_intersection *items, size_t count);

#endif
