/*
 * Oriented boxes around what is below the nodes of a tree of axis-aligned ones: those of its triangles, not of their
 * boxes. Made once, asked for any node, and given back.
 */
#ifndef TACT_TREE_OBB_FIT_H
#define TACT_TREE_OBB_FIT_H

#include "bounds/obb.h"
#include "tree/aabb_tree.h"

typedef struct obb_fitter {
    const aabb_tree *tree;
    const tact_vec3 *points;
    const uint32_t (*triangles)[3];
    /* where the triangles below each node lie in the order of leaves, from left to right */
    uint32_t *leaf_begin;     /* of each node */
    uint32_t *leaf_count;     /* of each node */
    uint32_t *triangle_order; /* of triangles */
    obb_moments *moments;     /* of the middles of what is below each node, three times, about `middle` */
    float *xyz;               /* the corners in the order of leaves: all x, all y, all z */
    size_t capacity;          /* of these, each */
    double centre3[3];
    tact_allocator allocator;
} obb_fitter;

/* For a tree over triangles with corners points[triangles[i][0 .. 2]], not empty. Needs 150 bytes a triangle for a
 * while, and some 25 ns. */
tact_status tact_obb_fitter_init(obb_fitter *f, const aabb_tree *flat, const tact_vec3 *points,
                                 const uint32_t (*triangles)[3], const tact_allocator *allocator);

void tact_obb_fitter_release(obb_fitter *f);

/* How many triangles are below a child: 0 for TREE_NONE. */
uint32_t tact_obb_fitter_count(const obb_fitter *f, uint32_t child);

/* The boxes of the children of a node; those that are not there have no bounds. Some 100 ns a box, and 2 ns for every
 * corner in it. */
void tact_obb_fitter_children(const obb_fitter *f, uint32_t node, obb4 *four);

/* The box around all. */
obb tact_obb_fitter_root(const obb_fitter *f);

#endif
