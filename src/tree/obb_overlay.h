/*
 * Oriented boxes on top of a tree of axis-aligned ones, for rigid meshes: around everything but single triangles. They
 * fit so much closer (Gottschalk, Lin and Manocha, OBBTree, 1996) that a walk of two trees takes half the steps and
 * comes to a sixth of the triangles; and as five of six steps are high up, the boxes of the triangles themselves may be
 * those that the tree has anyway. So it costs a third of the room and of the time of a whole tree of oriented boxes
 * (bench/obb_tree.h): 35 bytes and some 120 to 180 ns a triangle.
 *
 * Placements may be any, also stretched and skewed. Queries do not change it and allocate nothing.
 */
#ifndef TACT_TREE_OBB_COVER_H
#define TACT_TREE_OBB_COVER_H

#include "bounds/obb.h"
#include "tree/aabb_tree.h"

/* The boxes of the children of a node that has other nodes below it, and what these are. */
typedef struct obb_overlay_node {
    obb4 bounds;
    uint32_t child[TREE_WIDTH]; /* the number of another group, OBB_OVERLAY_LEAF_NODE | node, TREE_LEAF | item, or
                                   TREE_NONE */
} obb_overlay_node;

/* A node of the tree that has no nodes below it, only items. */
#define OBB_OVERLAY_LEAF_NODE UINT32_C(0x40000000)

typedef struct obb_overlay {
    uint32_t node_count; /* 0: there is none; the first holds one box, that around all */
    obb_overlay_node *nodes;
    const tact_vec3 *points; /* what it was built around, by which its owner may tell whether it still holds */
    tact_allocator allocator;
} obb_overlay;

/* Builds one for `tree`, which is around triangles with corners points[triangles[i][0 .. 2]]. Of an empty tree it is
 * empty; on failure (memory) as well. O(n log n). */
tact_status tact_obb_overlay_build(obb_overlay *cover, const aabb_tree *tree, const tact_vec3 *points,
                                   const uint32_t (*triangles)[3], const tact_allocator *allocator);

void tact_obb_overlay_release(obb_overlay *cover);

/* Is it one of this tree, and is every triangle inside all boxes above it? Otherwise says what is wrong. */
tact_status tact_obb_overlay_check(const obb_overlay *cover, const aabb_tree *tree, const tact_vec3 *points,
                                   const uint32_t (*triangles)[3], tact_report *report);

/* A tree with its cover, and where they are. */
typedef struct overlaid_tree {
    const aabb_tree *tree;
    const obb_overlay *overlay;
    const tact_transform *transform;
} overlaid_tree;

/* Every pair of triangles of two placed trees whose boxes may overlap: all that meet, as placed, and few others.
 * Returns false when `visit` stopped it. */
bool tact_obb_overlay_pairs(const overlaid_tree *a, const overlaid_tree *b, sat_axes axes, tree_order order,
                            tree_visit_pair *visit, void *context);

/* Every pair of triangles that may be at most `limit` apart in the world, near ones first by and large. Both placements
 * must stretch all lengths alike, by `factor_a` and `factor_b`, between OBB_OVERLAY_MIN_SCALE and
 * OBB_OVERLAY_MAX_SCALE. Returns the last limit, as tact_aabb_tree_nearest_pairs. Boxes are also compared along
 * `normal`, a unit vector from A to B or zero, which the visitor may change: along that of the nearest pair so far most
 * others are farther apart as well. NULL: there is none. */
double tact_obb_overlay_nearest(const overlaid_tree *a, double factor_a, const overlaid_tree *b, double factor_b,
                                double limit, const tact_vec3 *normal, tree_visit_pair_bounded *visit, void *context);

#define OBB_OVERLAY_MIN_SCALE 1e-9
#define OBB_OVERLAY_MAX_SCALE 1e9

#endif
