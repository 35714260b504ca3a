/* Bringing the pieces in which triangles meet into order, and those of one pair of faces together. */
#ifndef TACT_EXACT_INTERSECTION_SEGMENTS_H
#define TACT_EXACT_INTERSECTION_SEGMENTS_H

#include <tact/query.h>

/* Sorts `count` pieces by parts, sides and place, joins pieces of the same two faces that follow each other straight,
 * and leaves out what is told twice. Returns how many are left. In place; n log n. */
size_t tact_intersection_segments_merge(tact_intersection *items, size_t count);

#endif
