/*
 * OBB trees over the triangles of a rigid mesh (Gottschalk, Lin and Manocha 1996; van den Bergen 1999, section 5.2.4).
 * They fit tighter than AABB trees, so far fewer triangles are tested, but they cannot be refitted, take twice as long
 * to build and more memory: 256 bytes per node, some 97 per triangle.
 *
 * The topology is that of an AABB tree over the same triangles. Transforms may be any affine maps. Queries do not
 * change the tree and do not allocate.
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
    obb4 *bounds;     /* per node: the boxes of its children */
    box root_box;     /* AABB of all triangles */
    uint32_t node_capacity;
    tact_allocator allocator;
} obb_tree;

/* Builds a tree over `count` triangles with vertices points[triangles[i][0 .. 2]]; indices are not checked. On failure
 * (memory, more than TREE_MAX_ITEMS) the tree is empty. O(n log n), some 350 ns per triangle. */
tact_status tact_obb_tree_build(obb_tree *tree, const tact_vec3 *points, const uint32_t (*triangles)[3], size_t count,
                                const tact_allocator *allocator);

/* The same on the topology of an existing AABB tree over the triangles. Some 270 ns per triangle. */
tact_status tact_obb_tree_build_on(obb_tree *tree, const aabb_tree *flat, const tact_vec3 *points,
                                   const uint32_t (*triangles)[3], const tact_allocator *allocator);

/* Frees the memory of the tree. It is then empty and may be built again. */
void tact_obb_tree_release(obb_tree *tree);

/* Checks that the tree is well formed and every triangle is inside the boxes of its ancestors; else fills the report.
 */
tact_status tact_obb_tree_check(const obb_tree *tree, const tact_vec3 *points, const uint32_t (*triangles)[3],
                                tact_report *report);

/* Visits every pair of triangles of two transformed trees whose boxes may overlap: all overlapping pairs and few
 * others. Returns false if `visit` stopped it. */
bool tact_obb_tree_pairs(const obb_tree *a, const tact_transform *transform_a, const obb_tree *b,
                         const tact_transform *transform_b, sat_axes axes, tree_order order, tree_visit_pair *visit,
                         void *context);

#endif
