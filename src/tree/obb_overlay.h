/*
 * OBB overlay: oriented boxes for the nodes of an AABB tree, for rigid meshes.
 *
 * Oriented boxes are much tighter (Gottschalk, Lin and Manocha, OBBTree, 1996): a simultaneous traversal of two trees
 * takes half the steps and reaches a sixth of the triangles. Five of six steps are in the upper levels, so single
 * triangles keep the boxes of the AABB tree. Compared to a complete OBB tree (bench/obb_tree.h) that takes a third of
 * the memory and of the build time: 35 bytes and some 120 to 180 ns per triangle.
 *
 * Transforms may be any invertible affine ones. Queries do not change the overlay and allocate nothing.
 */
#ifndef TACT_TREE_OBB_OVERLAY_H
#define TACT_TREE_OBB_OVERLAY_H

#include "bounds/obb.h"
#include "tree/aabb_tree.h"

/* The oriented boxes of the children of an inner node (a node of the AABB tree with nodes among its children). */
typedef struct obb_overlay_node {
    obb4 bounds;
    uint32_t
        child[TREE_WIDTH]; /* index of an overlay node, OBB_OVERLAY_LEAF_NODE | node, TREE_LEAF | item, or TREE_NONE */
} obb_overlay_node;

/* Flag of a leaf node: a node of the AABB tree whose children are all items. */
#define OBB_OVERLAY_LEAF_NODE UINT32_C(0x40000000)

typedef struct obb_overlay {
    uint32_t node_count; /* 0: no overlay; the first node contains one box, that of the root */
    obb_overlay_node *nodes;
    const tact_vec3 *points; /* the vertices it was built from; tells its owner whether it is still valid */
    tact_allocator allocator;
} obb_overlay;

/* Builds the overlay of `tree`, whose items are the triangles with the vertices points[triangles[i][0 .. 2]]. It is
 * empty for an empty tree, and on failure (memory). O(n log n). */
tact_status tact_obb_overlay_build(obb_overlay *overlay, const aabb_tree *tree, const tact_vec3 *points,
                                   const uint32_t (*triangles)[3], const tact_allocator *allocator);

void tact_obb_overlay_release(obb_overlay *overlay);

/* A transformed AABB tree with its overlay. */
typedef struct overlaid_tree {
    const aabb_tree *tree;
    const obb_overlay *overlay;
    const tact_transform *transform;
} overlaid_tree;

/* Visits every pair of triangles whose boxes may overlap: all pairs of transformed triangles that intersect, and few
 * others. Returns false if `visit` stopped it. */
bool tact_obb_overlay_pairs(const overlaid_tree *a, const overlaid_tree *b, sat_axes axes, tree_order order,
                            tree_visit_pair *visit, void *context);

/* Visits every pair of triangles whose world distance may be at most `limit`, roughly closer ones first. Both
 * transforms must be similarities with the scale factors `scale_a` and `scale_b`, between OBB_OVERLAY_MIN_SCALE and
 * OBB_OVERLAY_MAX_SCALE. Returns the last limit, as tact_aabb_tree_nearest_pairs. Boxes are also compared along
 * `normal`, a unit vector from A to B or zero, which the visitor may change: along the normal of the closest pair so
 * far most other pairs are farther apart too. NULL: no normal. */
double tact_obb_overlay_nearest(const overlaid_tree *a, double scale_a, const overlaid_tree *b, double scale_b,
                                double limit, const tact_vec3 *normal, tree_visit_pair_bounded *visit, void *context);

#endif
