/*
 * Trees of moving bounds (bounds/moving_bound.h): which items of a deforming scene may touch while its points go from
 * one place to another, and when.
 *
 * An item is up to three points: a triangle, an edge, a point. The tree is built once, by where the points were then; a
 * step is a refit of both ends, bottom-up, in parallel over subtrees, and a search for pairs. Things that share a point
 * always touch, and so do all nodes above them: none of these is tested. They are found once, when the tree is built:
 * the *skeleton* is the list of all pairs of nodes that share a point, each with the pairs of their children that do
 * not, where a search begins, and those pairs of items that do. It is the list of roots over which a search is spread.
 *
 *     status = tact_moving_tree_create(&tree, &def);
 *     tact_moving_tree_refit(&tree, points, NULL, parallel);
 *     ... tact_moving_tree_pairs(&tree, first, last, &search);      any part of the skeleton, on any thread
 *     tact_moving_tree_release(&tree);
 *
 * Size: 16 + 64 MOVING_DIRECTIONS bytes a node, two fifths as many nodes as items, and 12 bytes a pair of the
 * skeleton, some three a node. Searching allocates nothing and changes nothing.
 */
#ifndef TACT_TREE_MOVING_TREE_H
#define TACT_TREE_MOVING_TREE_H

#include <tact/allocator.h>
#include <tact/parallel.h>
#include <tact/status.h>

#include "bounds/box.h"
#include "bounds/moving_bound.h"
#include "tree/tree.h"

/* A pair of nodes that share a point, or a node with itself; or items of a node, and a deeper node, that do. */
typedef struct skeleton_pair {
    uint32_t a, b;
    uint16_t disjoint; /* pairs of children that share no point: bit 4 i + j for child i of a and j of b */
    uint16_t adjacent; /* pairs of children that are items and do */
} skeleton_pair;

/* A subtree: nodes begin to end - 1. */
typedef struct moving_subtree {
    uint32_t begin, end;
} moving_subtree;

typedef struct moving_tree {
    uint32_t item_count, node_count;
    const uint32_t (
        *item_points)[4];  /* of each item: numbers of three points; the caller's, set before the first refit */
    tree_node *nodes;      /* the root first, children after parents */
    moving_bound4 *bounds; /* of each node: the bounds of its children */
    uint32_t *slot_group;  /* of each place, TREE_WIDTH a node: the group that all items below are of, if its items are
                              not  tested against each other; else 0. NULL if there is no such group */
    skeleton_pair *skeleton; /* the skeleton */
    uint32_t skeleton_count; /* the room of the array, too */
    uint32_t skeleton_used; /* those that count: the first ones; the user of the tree may drop what it has no use for */
    uint32_t skeleton_top; /* of these, the first ones: with a node that is in no part. What is below may be most of the
                              work */
    moving_subtree *subtrees; /* subtrees that are refitted in parallel */
    uint32_t subtree_count;
    uint32_t *top_nodes; /* the nodes above them */
    uint32_t top_node_count;
    uint8_t *is_top_node; /* of each node: not 0 for these */
    tact_allocator allocator;
} moving_tree;

typedef struct moving_tree_def {
    const uint32_t (
        *item_points)[4]; /* of each item, three numbers of points; those of an edge or point are repeated; not kept */
    uint32_t item_count;  /* at most MOVING_TREE_MAX_ITEMS */
    uint32_t point_count;
    const tact_vec3 *points; /* where they are: decides which items are near each other in the tree */
    const uint32_t *groups;  /* of each item: not 0: is not tested against others of its group; NULL: all 0 */
    uint32_t *order;         /* filled in: item i of the tree is item order[i] here */
    tact_allocator allocator;
} moving_tree_def;

#define MOVING_TREE_MAX_ITEMS (UINT32_C(1) << 28)

/* The first corner of an item that is not there: its bound touches nothing. */
#define MOVING_TREE_NO_ITEM UINT32_MAX

/* Builds a tree. Its items are numbered anew, as they lie in it, so that what is near in space is near in memory: the
 * caller arranges the corners (and may number the points) accordingly. On failure (memory, too many items) it is
 * empty. Some 800 ns an item. */
tact_status tact_moving_tree_create(moving_tree *tree, const moving_tree_def *def);

/* Gives back what the tree holds. A zeroed tree is empty too. */
void tact_moving_tree_release(moving_tree *tree);

/* Finds the skeleton, for tact_moving_tree_create: nodes, solos and corners are there. `parents` and `homes` as in an
 * aabb_tree. */
tact_status tact_moving_tree_find_skeleton(moving_tree *tree, uint32_t point_count, const uint32_t *parents,
                                           const uint32_t *homes);

/* Fits the bounds around the points. With `marks`, a byte a node, only those nodes whose byte is not 0: a bit for each
 * child that contains a point which changed (tact_moving_tree_mark). Some 60 ns an item. */
void tact_moving_tree_refit(moving_tree *tree, const moving_point *points, const uint8_t *marks,
                            const tact_parallel *parallel);

/* Part of it, on one thread: nodes begin to end - 1, those below them being done. In the default environment. */
void tact_moving_tree_fit_range(moving_tree *tree, const moving_point *points, const uint8_t *marks, uint32_t begin,
                                uint32_t end);
void tact_moving_tree_fit_range_avx2(moving_tree *tree, const moving_point *points, const uint8_t *marks,
                                     uint32_t begin, uint32_t end);

/* Marks the children that contain one of the points for which `changed` is not 0. Returns how many nodes have some. */
uint32_t tact_moving_tree_mark(const moving_tree *tree, const uint8_t *changed, uint8_t *marks);

/* Called for a pair of items that may touch between `enter` and `exit`, and for all pairs that share a point (0 to 1).
 */
typedef void moving_visit_pair(void *context, uint32_t a, uint32_t b, float enter, float exit);

/* Two places that may touch between `enter` and `exit`, and are to be searched: the second is that of a node. */
typedef struct moving_slot_pair {
    uint32_t fixed, opened;
    float enter, exit;
} moving_slot_pair;

typedef struct moving_pair_query {
    moving_visit_pair *visit;
    void *context;
    const uint8_t *marks; /* not NULL: only pairs of which one contains a point that changed */
    float limit;          /* nothing that begins to touch later is of interest; may be lowered by `visit` */
} moving_pair_query;

/* Visits every pair of items that share no point and whose bounds overlap at some time, and all that share a point,
 * each pair once: those below the roots `first` to `last` - 1, of used_roots. In the default environment
 * (math/fp_environment.h). */
void tact_moving_tree_pairs(const moving_tree *tree, uint32_t first, uint32_t last, moving_pair_query *search);
void tact_moving_tree_pairs_avx2(const moving_tree *tree, uint32_t first, uint32_t last, moving_pair_query *search);

/* The same for the top roots, but pairs of places that are in parts, or items, are put aside, as long as there is
 * room, for others to search. Returns how many are. */
uint32_t tact_moving_tree_split_top(const moving_tree *tree, moving_pair_query *search, moving_slot_pair *aside,
                                    uint32_t room);

/* The same below pairs that were put aside. */
void tact_moving_tree_pairs_below(const moving_tree *tree, const moving_slot_pair *pairs, uint32_t count,
                                  moving_pair_query *search);
void tact_moving_tree_pairs_below_avx2(const moving_tree *tree, const moving_slot_pair *pairs, uint32_t count,
                                       moving_pair_query *search);

#endif
