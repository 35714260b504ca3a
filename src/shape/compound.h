/*
 * The inside of a compound: parts under placements, and a tree of boxes over them.
 *
 * A convex part with a margin is kept as one shape with its placement inside (TACT_TRANSFORMED), so that its margin is
 * what shape.h says; all others as themselves with their placement beside them. Leaves (parts that are not compounds)
 * are numbered depth first, a shared one as often as it is used.
 */
#ifndef TACT_SHAPE_COMPOUND_H
#define TACT_SHAPE_COMPOUND_H

#include "shape/mesh.h"

typedef struct compound_part {
    tact_shape *shape;
    tact_transform transform; /* the identity for a convex part with a margin */
    uint32_t first_leaf;      /* the number of its first leaf in the compound */
} compound_part;

struct compound {
    uint32_t part_count, part_capacity, leaf_count;
    bool solid; /* a leaf of it is a solid mesh */
    compound_part *parts;
    aabb_tree tree; /* over the parts, in the compound's coordinates, margins included */
};

/* Whether a shape has no point at all: a mesh or soup without elements, a compound of such alone. */
static inline bool shape_is_empty(const tact_shape *shape)
{
    return shape->mesh != NULL       ? shape->mesh->element_count == 0
           : shape->compound != NULL ? box_is_empty(&shape->compound->tree.whole)
                                     : false;
}

/* Whether it is a solid mesh, or has one as a leaf. */
static inline bool shape_has_solid(const tact_shape *shape)
{
    return shape->mesh != NULL ? shape->mesh->solid : shape->compound != NULL && shape->compound->solid;
}

void tact_compound_free(compound *c, const tact_allocator *allocator);

/* Bytes that it holds, itself included, its parts left out. */
size_t tact_compound_byte_count(const compound *c);

#endif
