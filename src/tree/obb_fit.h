/*
 * Oriented boxes around what is below the nodes of a tree of axis-aligned ones: those of its triangles, not of their
 * boxes. Made once, asked for any node, and given back.
 */
#ifndef TACT_TREE_OBB_FIT_H
#define TACT_TREE_OBB_FIT_H

#include "bounds/obb.h"
#include "tree/aabb_tree.h"

typedef struct obb_fit {
    const aabb_tree *flat;
    const tact_vec3 *points;
    const uint32_t (*triangles)[3];
    /* where the triangles below each node lie in the order of leaves, from left to right */
    uint32_t *begin;      /* of each node */
    uint32_t *counts;     /* of each node */
    uint32_t *order;      /* of triangles */
    obb_moments *moments; /* of the middles of what is below each node, three times, about `middle` */
    float *xyz;           /* the corners in the order of leaves: all x, all y, all z */
    size_t room;          /* of these, each */
    double middle[3];
    tact_allocator allocator;
} obb_fit;

/* For a tree over triangles with corners points[triangles[i][0 .. 2]], not empty. Needs 150 bytes a triangle for a
 * while, and some 25 ns. */
tact_status tact_obb_fit_begin(obb_fit *f, const aabb_tree *flat, const tact_vec3 *points,
                               const uint32_t (*triangles)[3], const tact_allocator *allocator);

void tact_obb_fit_end(obb_fit *f);

/* How many triangles are below a child: 0 for TREE_NONE. */
uint32_t tact_obb_fit_count(const obb_fit *f, uint32_t child);

/* The boxes of the children of a node; those that are not there have no bounds. Some 100 ns a box, and 2 ns for every
 * corner in it. */
void tact_obb_fit_children(const obb_fit *f, uint32_t node, obb4 *four);

/* The box around all. */
obb tact_obb_fit_all(const obb_fit *f);

#endif
