/*
 * Adjacency of cells and groups of patches: do two of them share a point of the parameter domain, and which way leads
 * from one to the other? O(1), from indices and shifts (Lau, Chan, Luk and Li 2002, 5.3).
 *
 * Within a surface, places are rectangles of integers. Two are adjacent if the closed rectangles meet. (Equation 1 of
 * the paper shifts the coarser node to the level of the finer one and compares with a region one larger on each side;
 * the text says that (x, y) is the finer node, and the bounds of y are exchanged. Here both are shifted to one level.)
 * Across seams, poles, and corners of any number of patches, the classes of the model (nurbs/nurbs_model.h) are the
 * table: places meet if they touch sides of one class where intervals meet, or corners of one class. A pole is a
 * corner.
 *
 * A *link* describes how a point p of place A and a point q of place B are joined by a path that is monotone in both
 * coordinates of A and then in both of B. So the dot product with a direction that has positive products with the
 * derivatives in these senses increases along the path (nurbs_self.h).
 *  - Same surface: in each coordinate, a point m of both intervals lies between those of p and q. The path from p to
 * (m, m') and to q is straight in A and in B. If the intervals have a common part, either sense is possible (`free`).
 *  - A common side: likewise, in coordinates continued across the side.
 *  - A common corner: p to the corner to q.
 *  - A pole: straight to the pole, the other coordinate being constant, and straight to q.
 */
#ifndef TACT_NURBS_NURBS_ADJACENCY_H
#define TACT_NURBS_NURBS_ADJACENCY_H

#include "nurbs/nurbs_bounds.h"

/* A rectangle of a surface. Units of 2^-NURBS_PLACE_LEVEL of a span. */
#define NURBS_PLACE_LEVEL 38

typedef struct nurbs_place {
    uint32_t surface; /* NURBS_NO_NODE: a group of several surfaces, adjacent to nothing */
    uint32_t patch;   /* NURBS_NO_NODE: a group */
    uint64_t low[2], high[2];
} nurbs_place;

/* Senses along the coordinates of a patch. */
typedef enum nurbs_sense {
    NURBS_PLUS_S,
    NURBS_MINUS_S,
    NURBS_PLUS_T,
    NURBS_MINUS_T,
    NURBS_NO_SENSE /* the coordinate is constant */
} nurbs_sense;

typedef struct nurbs_link {
    uint8_t a[2], b[2]; /* nurbs_sense of the path in A and B; those of one index correspond */
    bool free;          /* one coordinate may have the opposite sense in both */
} nurbs_link;

/* Links of a pair: at most four sides, and corners. */
#define NURBS_MAX_LINKS 8

/* Bits of the sides of its patch that the place of a cell touches and that are poles. */
unsigned tact_nurbs_touched_poles(const nurbs_model *model, const nurbs_place *place);

nurbs_place tact_nurbs_locate(const nurbs_bounds *b, uint32_t node);

/* Finds the links of two different places, `limit` at most. Returns their number, 0 if they are not adjacent. */
unsigned tact_nurbs_find_links(const nurbs_model *model, const nurbs_place *a, const nurbs_place *b, nurbs_link *links,
                               unsigned limit);

static inline bool nurbs_adjacent(const nurbs_model *model, const nurbs_place *a, const nurbs_place *b)
{
    nurbs_link link;
    return tact_nurbs_find_links(model, a, b, &link, 1) != 0;
}

/* A bound of the length of a path on the surface from any point of `x`, a part of the leaf `a`, to any point of `y`, a
 * part of the leaf `b`, inside both leaves, which are adjacent or the same. `speed_a[d]` bounds the derivative along d
 * in units of places. Infinite if only a side joins them. */
double tact_nurbs_path_length(const nurbs_model *model, const nurbs_place *a, const nurbs_place *x,
                              const double speed_a[2], const nurbs_place *b, const nurbs_place *y,
                              const double speed_b[2]);

/* The directions that have a positive product with all derivatives of a node in a sense. */
static inline uint32_t nurbs_sense_field(const nurbs_node *node, unsigned sense)
{
    if (sense == NURBS_NO_SENSE)
        return UINT32_MAX;
    const uint32_t field = node->tangents[sense / 2];
    return sense % 2 == 0 ? field : nurbs_opposite(field);
}

/* Do the direction fields prove that no point of A coincides with a point of B, unless the link identifies them? */
static inline bool nurbs_link_separates(const nurbs_link *link, const nurbs_node *a, const nurbs_node *b)
{
    const uint32_t first = nurbs_sense_field(a, link->a[0]) & nurbs_sense_field(b, link->b[0]),
                   second = nurbs_sense_field(a, link->a[1]) & nurbs_sense_field(b, link->b[1]);
    return (first & second) != 0 && (!link->free || (first & nurbs_opposite(second)) != 0);
}

/* The same for two points of one node. */
static inline bool nurbs_node_is_injective(const nurbs_node *n)
{
    return (n->tangents[0] & n->tangents[1]) != 0 && (n->tangents[0] & nurbs_opposite(n->tangents[1])) != 0;
}

#endif
