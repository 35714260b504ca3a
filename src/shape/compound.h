/*
 * The internal representation of a compound: parts under transforms, and an AABB tree over them.
 *
 * A convex part with a margin is stored as one shape with its transform inside (TACT_TRANSFORMED), so that its margin
 * is what shape.h says. All other parts are stored as they are, with their transform beside them. Leaves (parts that
 * are not compounds) are numbered depth first, a shared one once for each use. So are the vertices of leaves that have
 * features (shape/feature_mesh.h).
 */
#ifndef TACT_SHAPE_COMPOUND_H
#define TACT_SHAPE_COMPOUND_H

#include "math/transform_norm.h"
#include "shape/mesh.h"

typedef struct compound_part {
    tact_shape *shape;
    tact_transform transform; /* the identity for a convex part with a margin */
    uint32_t first_leaf;      /* the number of its first leaf within the compound */
    uint32_t first_vertex;    /* likewise of its first vertex */
} compound_part;

struct compound {
    uint32_t part_count, part_capacity, leaf_count;
    bool solid;              /* one of its leaves is a solid mesh */
    bool nurbs;              /* one of its leaves is a NURBS shape */
    bool one_sided;          /* one of its leaves is a one-sided mesh */
    bool featureless_leaves; /* some of its leaves have points, but no features */
    uint32_t vertex_count;   /* of leaves with features, a shared one counted once for each use */
    compound_part *parts;
    aabb_tree tree; /* over the parts, in the compound's coordinates, margins included */
};

/* Does a shape have no points: a mesh or soup without elements, or a compound of such shapes only? */
static inline bool shape_is_empty(const tact_shape *shape)
{
    return shape->mesh != NULL       ? shape->mesh->element_count == 0
           : shape->compound != NULL ? box_is_empty(&shape->compound->tree.root_box)
                                     : false;
}

/* A half-space and a heightfield have no mass: they reach down without end, or as if they did. */
static inline bool shape_can_have_mass(const tact_shape *shape)
{
    return !shape_is_halfspace(shape) && !(shape->mesh != NULL && shape->mesh->heightfield.counts[0] > 0);
}

/* Is it a solid mesh, or does it have one as a leaf? */
static inline bool shape_has_solid(const tact_shape *shape)
{
    return shape->mesh != NULL ? shape->mesh->solid : shape->compound != NULL && shape->compound->solid;
}

/* Is it a one-sided mesh, or does it have one as a leaf? */
static inline bool shape_has_one_sided(const tact_shape *shape)
{
    return shape->mesh != NULL ? shape->mesh->one_sided : shape->compound != NULL && shape->compound->one_sided;
}

/* Is it a NURBS shape, or does it have one as a leaf? */
static inline bool shape_has_nurbs(const tact_shape *shape)
{
    return shape->compound != NULL ? shape->compound->nurbs : shape->nurbs != NULL;
}

/* The least error of the NURBS shapes in a transformed shape, in world units; infinite if there is none. Takes time
 * proportional to the number of parts of compounds that have some. */
double tact_shape_least_error(const tact_shape *shape, const tact_transform *transform);

/* A bound of the largest number that comes up when points within `radius` of the local origin are transformed. */
static inline double transformed_radius(const tact_transform *transform, double radius)
{
    return radius * transform_axis_sum(transform) + vec_max_abs(transform->origin);
}

void tact_compound_free(compound *c, const tact_allocator *allocator);

/* Bytes of memory that it holds, itself included, without the shapes of its parts. */
size_t tact_compound_byte_count(const compound *c);

#endif
