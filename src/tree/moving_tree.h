/*
 * Trees of moving bounds (bounds/moving_bound.h): which items of a deforming scene may touch while its points move
 * linearly from one position to another, and when.
 *
 * An item has up to three points: a triangle, an edge, a vertex. The tree is built once, from the positions at that
 * time. A step is a refit of the bounds at both ends, bottom-up, in parallel over subtrees, followed by a search for
 * overlapping pairs.
 *
 * The *skeleton*. Items that share a point always touch, and so do all pairs of nodes above them. Testing these pairs
 * in every step would be wasted work, and they depend on the topology of the mesh only. So they are found once, when
 * the tree is built: the skeleton lists all pairs of nodes that share a point (a node with itself included). Each entry
 * has two masks of pairs of children: the `disjoint` ones share no point and are where a search starts; the `adjacent`
 * ones are pairs of items that share a point. The search is parallelised over the entries of the skeleton.
 *
 *     status = tact_moving_tree_create(&tree, &def);
 *     tact_moving_tree_refit(&tree, points, NULL, parallel);
 *     ... tact_moving_tree_pairs(&tree, first, last, &query);       any part of the skeleton, on any thread
 *     tact_moving_tree_release(&tree);
 *
 * Size: 16 + 64 MOVING_DIRECTIONS bytes per node, two fifths as many nodes as items, and 12 bytes per entry of the
 * skeleton, some three per node. A search allocates nothing and changes nothing.
 */
#ifndef TACT_TREE_MOVING_TREE_H
#define TACT_TREE_MOVING_TREE_H

#include <tact/allocator.h>
#include <tact/parallel.h>
#include <tact/status.h>

#include "bounds/box.h"
#include "bounds/moving_bound.h"
#include "tree/tree.h"

/* An entry of the skeleton: two nodes that share a point, or a node with itself; or a node `a` some of whose items
 * share a point with the deeper node `b`. */
typedef struct skeleton_pair {
    uint32_t a, b;
    uint16_t disjoint; /* pairs of children that share no point: bit 4 i + j for child i of a and j of b */
    uint16_t adjacent; /* pairs of children that are items and share a point */
} skeleton_pair;

/* A subtree: nodes begin to end - 1. */
typedef struct moving_subtree {
    uint32_t begin, end;
} moving_subtree;

typedef struct moving_tree {
    uint32_t item_count, node_count;
    const uint32_t (*item_points)[4]; /* per item: the indices of three points; the caller's array, set before the
                                         first refit */
    tree_node *nodes;                 /* the root first, children after parents */
    moving_bound4 *bounds;            /* per node: the bounds of its children */
    uint32_t *slot_group; /* per slot: the group of all items below, if they have one; else 0. NULL without groups */
    skeleton_pair *skeleton;
    uint32_t skeleton_count; /* also the capacity of the array */
    uint32_t skeleton_used;  /* the first entries, which are searched; the user of the tree may drop the others */
    uint32_t skeleton_top;   /* of these, the first ones, with a node outside all subtrees: possibly most of the work */
    moving_subtree *subtrees; /* refitted in parallel */
    uint32_t subtree_count;
    uint32_t *top_nodes; /* the nodes above the subtrees */
    uint32_t top_node_count;
    uint8_t *is_top_node; /* per node */
    /* NULL unless linked: of each node its slot in the parent, TREE_NONE for the root; of each item its slot */
    uint32_t *parent_slot, *item_slot;
    tact_allocator allocator;
} moving_tree;

typedef struct moving_tree_def {
    const uint32_t (*item_points)[4]; /* per item: the indices of three points, repeated for edges and vertices; not
                                         referenced after the build */
    uint32_t item_count;              /* at most MOVING_TREE_MAX_ITEMS */
    uint32_t point_count;
    const tact_vec3 *points; /* the positions from which the topology is built */
    const uint32_t *groups;  /* per item: items of the same nonzero group are not tested against each other; or NULL */
    uint32_t *order;         /* output: item i of the tree is item order[i] here */
    tact_allocator allocator;
} moving_tree_def;

/* The first point of an absent item, whose bound is empty. */
#define MOVING_TREE_NO_ITEM UINT32_MAX

/* Builds a tree. Items are renumbered in tree order, so that items close in space are close in memory; the caller
 * permutes item_points (and may renumber the points) accordingly. On failure (memory, too many items) the tree is
 * empty. Some 800 ns per item. */
tact_status tact_moving_tree_create(moving_tree *tree, const moving_tree_def *def);

/* Frees the memory. A zeroed tree is empty too. */
void tact_moving_tree_release(moving_tree *tree);

/* Finds the skeleton; part of tact_moving_tree_create. nodes, slot_group, is_top_node and item_points are set.
 * `parent_slot` and `item_slot` as in aabb_tree. */
tact_status tact_moving_tree_find_skeleton(moving_tree *tree, uint32_t point_count, const uint32_t *parent_slot,
                                           const uint32_t *item_slot);

/* Refits the bounds to the points. With `marks`, a byte per node, only marked nodes: a bit for each child with a
 * changed point (tact_moving_tree_mark). Some 60 ns per item. */
void tact_moving_tree_refit(moving_tree *tree, const moving_point *points, const uint8_t *marks,
                            const tact_parallel *parallel);

/* Refits nodes begin to end - 1 on this thread; nodes below them are up to date. In the default floating-point
 * environment. */
void tact_moving_tree_fit_range(moving_tree *tree, const moving_point *points, const uint8_t *marks, uint32_t begin,
                                uint32_t end);
void tact_moving_tree_fit_range_avx2(moving_tree *tree, const moving_point *points, const uint8_t *marks,
                                     uint32_t begin, uint32_t end);

/* Marks the children that contain a point for which `changed` is not 0. Returns the number of marked nodes. */
uint32_t tact_moving_tree_mark(const moving_tree *tree, const uint8_t *changed, uint8_t *marks);

/* For changes of few items. Links nodes and items upwards, if they are not: 4 bytes for each. False: out of memory.
 * Then refits the nodes above items whose points have changed, in the default floating-point environment.
 * (moving_change.c)
 */
bool tact_moving_tree_link(moving_tree *tree);
void tact_moving_tree_unlink(moving_tree *tree);
void tact_moving_tree_refit_items(moving_tree *tree, const moving_point *points, const uint32_t *items, size_t count);

/* Called for each pair of items that may touch between `enter` and `exit`, and for each pair that shares a point (0 to
 * 1). */
typedef void moving_visit_pair(void *context, uint32_t a, uint32_t b, float enter, float exit);

/* Two slots whose bounds overlap between `enter` and `exit`. The opened one contains a node. */
typedef struct moving_slot_pair {
    uint32_t fixed, opened;
    float enter, exit;
} moving_slot_pair;

typedef struct moving_pair_query {
    moving_visit_pair *visit;
    void *context;
    const uint8_t *marks; /* not NULL: only pairs with a changed point */
    float limit;          /* pairs that start to overlap later are skipped; `visit` may lower it */
} moving_pair_query;

/* Visits each pair of items that share no point and whose bounds overlap at some time, and each pair that shares a
 * point, once: those below the entries `first` to `last` - 1 of the skeleton, of skeleton_used. In the default
 * floating-point environment (math/fp_environment.h). */
void tact_moving_tree_pairs(const moving_tree *tree, uint32_t first, uint32_t last, moving_pair_query *query);
void tact_moving_tree_pairs_avx2(const moving_tree *tree, uint32_t first, uint32_t last, moving_pair_query *query);

/* Visits each item whose bounds overlap those of an item at some time, itself included, with `item` first. The tree is
 * linked. */
void tact_moving_tree_pairs_of_item(const moving_tree *tree, uint32_t item, moving_pair_query *query);
void tact_moving_tree_pairs_of_item_avx2(const moving_tree *tree, uint32_t item, moving_pair_query *query);

/* The same for the first skeleton_top entries, except that pairs of slots that both lie in subtrees, or are items, are
 * deferred, up to `capacity` of them, to be searched in parallel. Returns the number of deferred pairs. */
uint32_t tact_moving_tree_split_top(const moving_tree *tree, moving_pair_query *query, moving_slot_pair *deferred,
                                    uint32_t capacity);

/* The same below deferred pairs. */
void tact_moving_tree_pairs_below(const moving_tree *tree, const moving_slot_pair *pairs, uint32_t count,
                                  moving_pair_query *query);
void tact_moving_tree_pairs_below_avx2(const moving_tree *tree, const moving_slot_pair *pairs, uint32_t count,
                                       moving_pair_query *query);

#endif
