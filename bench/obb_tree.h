/*
 * Trees of oriented boxes over the triangles of a rigid mesh (Gottschalk, Lin and Manocha, OBBTree, 1996; van den
 * Bergen's thesis, section 5.2.4): they fit closer than axis-aligned ones, so that far fewer triangles are tested, but
 * cannot be refitted, take longer to build (twice) and more room: 256 bytes a node, some 97 a triangle.
 *
 * The topology is that of a tree of axis-aligned boxes around the same triangles. Placements may be any, also stretched
 * and skewed. Queries do not change the tree and allocate nothing.
 */
#ifndef TACT_BENCH_OBB_TREE_H
#define TACT_BENCH_OBB_TREE_H

#include <stddef.h>
#include <tact/allocator.h>
#include <tact/status.h>
#include <tact/transform.h>

#include "bounds/obb.h"
#include "tree/aabb_tree.h"

typedef struct obb_tree {
    uint32_t item_count;
    uint32_t node_count;
    tree_node *nodes; /* the root first */
    obb4 *bounds;     /* of each node: the boxes of its children */
    box root_box;     /* around all, along the coordinate axes */
    uint32_t node_capacity;
    tact_allocator allocator;
} obb_tree;

/* Builds a tree over `count` triangles with corners points[triangles[i][0 .. 2]]; indices are not checked. On failure
 * (memory, more than TREE_MAX_ITEMS) the tree is empty. O(n log n), some 350 ns a triangle. */
tact_status tact_obb_tree_build(obb_tree *tree, const tact_vec3 *points, const uint32_t (*triangles)[3], size_t count,
                                const tact_allocator *allocator);

/* The same, where there is a tree of the boxes of the triangles already. Some 270 ns a triangle. */
tact_status tact_obb_tree_build_on(obb_tree *tree, const aabb_tree *flat, const tact_vec3 *points,
                                   const uint32_t (*triangles)[3], const tact_allocator *allocator);

/* Frees what the tree holds; it is then empty and may be built again. */
void tact_obb_tree_release(obb_tree *tree);

/* Is the tree well formed, and is every triangle inside all boxes above it? Otherwise says what is wrong. */
tact_status tact_obb_tree_check(const obb_tree *tree, const tact_vec3 *points, const uint32_t (*triangles)[3],
                                tact_report *report);

/* Every pair of triangles of two placed trees whose boxes may overlap: all that meet, as placed, and few others.
 * Returns false when `visit` stopped it. */
bool tact_obb_tree_pairs(const obb_tree *a, const tact_transform *transform_a, const obb_tree *b,
                         const tact_transform *transform_b, sat_axes axes, tree_order order, tree_visit_pair *visit,
                         void *context);

#endif
