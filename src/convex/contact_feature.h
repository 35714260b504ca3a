/*
 * Feature ids of contact points: see "Feature ids" in tact/query.h. An id has 2 bits for the kind of the feature and 30
 * for its number.
 */
#ifndef TACT_CONVEX_CONTACT_FEATURE_H
#define TACT_CONVEX_CONTACT_FEATURE_H

#include "core/hash.h"

typedef enum feature_kind {
    FEATURE_WHOLE, /* the shape or part as a whole: id 0, or the number of a part */
    FEATURE_VERTEX,
    FEATURE_EDGE,
    FEATURE_FACE
} feature_kind;

#define FEATURE_NUMBER_BITS 30
#define FEATURE_NUMBER_MASK ((UINT32_C(1) << FEATURE_NUMBER_BITS) - 1)
#define FEATURE_EDGE_BITS 15 /* vertices below 2^15 have edges with exact numbers */

static inline uint32_t feature_make(feature_kind kind, uint32_t number)
{
    return (uint32_t)kind << FEATURE_NUMBER_BITS | (number & FEATURE_NUMBER_MASK);
}

static inline feature_kind feature_get_kind(uint32_t id) { return (feature_kind)(id >> FEATURE_NUMBER_BITS); }

/* The edge between two vertices, in either order. */
static inline uint32_t feature_of_edge(uint32_t one, uint32_t other)
{
    const uint32_t low = one < other ? one : other, high = one < other ? other : one;
    return feature_make(FEATURE_EDGE, high >> FEATURE_EDGE_BITS == 0 ? low << FEATURE_EDGE_BITS | high
                                                                     : (uint32_t)hash_pair(low, high));
}

/* The two vertices of an edge with an exact number. */
static inline void feature_edge_vertices(uint32_t id, uint32_t vertices[2])
{
    vertices[0] = (id & FEATURE_NUMBER_MASK) >> FEATURE_EDGE_BITS;
    vertices[1] = id & ((UINT32_C(1) << FEATURE_EDGE_BITS) - 1);
}

/* A feature of one of many parts: the same number in another part is another feature. Those of part 0 stay as they are.
 */
static inline uint32_t feature_in_part(uint32_t id, uint32_t part)
{
    if (part == 0)
        return id;
    return id == 0 ? feature_make(FEATURE_WHOLE, part)
                   : feature_make(feature_get_kind(id), (uint32_t)hash_pair(part, id & FEATURE_NUMBER_MASK));
}

#endif
