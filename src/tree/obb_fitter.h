/*
 * Fits oriented boxes to the triangles below the nodes of an AABB tree. Initialised once per tree, then queried for any
 * node, then released.
 */
#ifndef TACT_TREE_OBB_FIT_H
#define TACT_TREE_OBB_FIT_H

#include "bounds/obb.h"
#include "tree/aabb_tree.h"

typedef struct obb_fitter {
    const aabb_tree *tree;
    const tact_vec3 *points;
    const uint32_t (*triangles)[3];
    /* the triangles below each node, as a range in the order of the leaves */
    uint32_t *leaf_begin;     /* per node: start of its range */
    uint32_t *leaf_count;     /* per node: length of its range */
    uint32_t *triangle_order; /* the triangles in the order of the leaves */
    obb_moments *moments;     /* per node: moments of three times the centroids, about centre3 */
    float *xyz;               /* the vertices of the triangles in that order: all x, all y, all z */
    size_t capacity;          /* of each of these three */
    double centre3[3];        /* three times the centre of the root box */
    tact_allocator allocator;
} obb_fitter;

/* For a tree, not empty, over triangles with the vertices points[triangles[i][0 .. 2]]. Allocates 150 bytes per
 * triangle until the release. Some 25 ns per triangle. */
tact_status tact_obb_fitter_init(obb_fitter *f, const aabb_tree *tree, const tact_vec3 *points,
                                 const uint32_t (*triangles)[3], const tact_allocator *allocator);

void tact_obb_fitter_release(obb_fitter *f);

/* The number of triangles below a child; 0 for TREE_NONE. */
uint32_t tact_obb_fitter_count(const obb_fitter *f, uint32_t child);

/* The boxes of the children of a node; unused slots get unbounded boxes. Some 100 ns per box, and 2 ns per vertex. */
void tact_obb_fitter_children(const obb_fitter *f, uint32_t node, obb4 *four);

/* The box of all triangles. */
obb tact_obb_fitter_root(const obb_fitter *f);

#endif
