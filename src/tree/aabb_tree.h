/*
 * AABB trees (van den Bergen 1999, 5.2.3 to 5.2.5), for rigid and for deformable items.
 *
 *     aabb_tree tree;
 *     aabb_tree_def def = aabb_tree_def_default();
 *     status = tact_aabb_tree_build(&tree, boxes, count, &def);     boxes[i]: the box of item i, rounded outward
 *     ...
 *     tact_aabb_tree_refit(&tree, boxes);                           items moved: the same topology, new boxes
 *     if (aabb_tree_needs_rebuild(&tree)) ...                       refits have degraded the tree
 *     ...
 *     tact_aabb_tree_release(&tree);
 *
 * Size: 16 bytes of topology and 96 of bounds per node, a third to a half as many nodes as items: some 42 bytes per
 * item (8 more with def.parent_links). Queries do not change the tree and allocate nothing: any number of threads may
 * query it at once. A query never misses an item, whatever the rounding; it may report additional items where stated.
 * Boxes are floats: a mesh that is small compared to its distance from its local origin has coarse boxes.
 */
#ifndef TACT_TREE_AABB_TREE_H
#define TACT_TREE_AABB_TREE_H

#include <stddef.h>
#include <tact/allocator.h>
#include <tact/status.h>
#include <tact/transform.h>

#include "bounds/box4.h"
#include "bounds/relative_frame.h"
#include "tree/tree.h"

typedef struct aabb_tree {
    uint32_t item_count;
    uint32_t node_count;   /* 0 for no items */
    tree_node *nodes;      /* the root first */
    box4 *bounds;          /* per node: the boxes of its children */
    uint32_t *parent_slot; /* per node: its slot in the parent, TREE_NONE for the root; NULL unless def.parent_links */
    uint32_t *item_slot;   /* per item: its slot; NULL unless def.parent_links */
    box root_box;          /* the box of all items */
    double built_cost;     /* tact_aabb_tree_cost after the build; 0: rebuild advised */
    uint32_t node_capacity, bounds_capacity; /* of the arrays, in nodes */
    uint32_t item_capacity;                  /* of parent_slot and item_slot; 0 if they are NULL */
    tact_allocator allocator;
} aabb_tree;

typedef enum aabb_split {
    AABB_SPLIT_SAH,     /* the least surface area heuristic of 16 bins along the longest axis */
    AABB_SPLIT_MIDPOINT /* the midpoint of the longest axis (van den Bergen 1999) */
} aabb_split;

typedef struct aabb_tree_def {
    aabb_split split;
    bool parent_links; /* store the slots of nodes and items: needed to refit, insert, remove or move one item */
    tact_allocator allocator;
} aabb_tree_def;

static inline aabb_tree_def aabb_tree_def_default(void) { return (aabb_tree_def){AABB_SPLIT_SAH, false, {NULL, NULL}}; }

/* Builds a tree over `count` boxes, which may be empty, equal, flat or infinite. On failure (memory, more items than
 * TREE_MAX_ITEMS) the tree is empty. O(n log n), some 100 ns per item. Deterministic. */
tact_status tact_aabb_tree_build(aabb_tree *tree, const box *boxes, size_t count, const aabb_tree_def *def);

/* Frees the memory; the tree is then empty and may be built again. A zeroed tree is empty too. */
void tact_aabb_tree_release(aabb_tree *tree);

/* Refits all boxes to new boxes of the items, bottom-up in one pass over the nodes. Some 4 ns per item, 10 ns if the
 * tree exceeds the cache. */
void tact_aabb_tree_refit(aabb_tree *tree, const box *boxes);

/* Refits one item, whose box is now `fitted`, upward until a box stays unchanged. Needs def.parent_links. Some 40 ns:
 * if a tenth of the items or more have changed, tact_aabb_tree_refit is faster. */
void tact_aabb_tree_refit_one(aabb_tree *tree, uint32_t item, const box *fitted);

/* Sets parent_slot and item_slot, which are allocated, from the topology. */
void tact_aabb_tree_set_parent_links(aabb_tree *tree);

/* Copies a tree; the copy has parent links. On failure (memory) it is empty. */
tact_status tact_aabb_tree_copy(aabb_tree *copy, const aabb_tree *tree, const tact_allocator *allocator);

/* Reserves capacity for `nodes` nodes and `items` items in total, with parent links. An insertion adds at most one
 * node. Returns false if memory runs out; the tree is then unchanged. */
bool tact_aabb_tree_reserve(aabb_tree *tree, uint32_t nodes, uint32_t items);

/* Inserts item number item_count, whose box is `fitted`, where boxes grow least. Needs reserved capacity. Some 100 ns.
 * Insertions degrade the tree compared to a build. */
void tact_aabb_tree_insert(aabb_tree *tree, const box *fitted);

/* Removes an item; the last item takes its number. Needs def.parent_links. Some 100 ns. */
void tact_aabb_tree_remove(aabb_tree *tree, uint32_t item);

/* Removes an item and inserts it again with the box `fitted`; it keeps its number. Needs reserved capacity for one
 * node. For an item that has moved far; otherwise a refit is cheaper. */
void tact_aabb_tree_move(aabb_tree *tree, uint32_t item, const box *fitted);

/* Surface area heuristic: the sum of the areas of all boxes over that of the root, which is the expected number of
 * boxes that a random line through the root box meets. 1 for a tree without extent. */
double tact_aabb_tree_cost(const aabb_tree *tree);

/* Have refits degraded the tree so much that a rebuild pays? */
static inline bool aabb_tree_needs_rebuild(const aabb_tree *tree)
{
    return tact_aabb_tree_cost(tree) > AABB_REBUILD_COST_RATIO * tree->built_cost;
}

/* Checks that the tree is well formed: topology, parent links and nested bounds; with `boxes`, that all bounds are the
 * smallest around them. `report` says what is wrong. */
tact_status tact_aabb_tree_check(const aabb_tree *tree, const box *boxes, tact_report *report);

/*
 * Visits every pair of an item of `a` under `transform_a` and one of `b` under `transform_b` whose boxes may overlap:
 * all pairs whose transformed vertices (tact_transform_point) have intersecting hulls, and few others. Returns false if
 * `visit` stopped it. If a transform is singular or not finite, all pairs are visited. SAT_FACE_AXES is faster, unless
 * the test of a pair of items costs more than some 200 ns.
 */
bool tact_aabb_tree_pairs(const aabb_tree *a, const tact_transform *transform_a, const aabb_tree *b,
                          const tact_transform *transform_b, sat_axes axes, tree_order order, tree_visit_pair *visit,
                          void *context);

/* The same for two trees in the same frame, such as bodies with world vertices. Exact. */
bool tact_aabb_tree_pairs_same_frame(const aabb_tree *a, const aabb_tree *b, tree_visit_pair *visit, void *context);

/* Visits every pair of different items of one tree whose boxes overlap, each once, in either order. Exact. */
bool tact_aabb_tree_self_pairs(const aabb_tree *tree, tree_visit_pair *visit, void *context);

/* Visits every item whose box overlaps `query`. Exact. */
bool tact_aabb_tree_overlap(const aabb_tree *tree, const box *query, tree_visit *visit, void *context);

/* Visits every item of a transformed tree whose box may overlap a transformed box, like tact_aabb_tree_pairs with one
 * item. For a query far from the world's origin put the position into `query_transform`: box coordinates are floats. */
bool tact_aabb_tree_overlap_transformed(const aabb_tree *tree, const tact_transform *transform, const box *query,
                                        const tact_transform *query_transform, sat_axes axes, tree_visit *visit,
                                        void *context);

/* Visits every item of a transformed tree whose box the ray from + t direction may hit for t in [0, max], closer boxes
 * first, while the visitor lowers `max`. `direction` is not zero; `max` may be infinite. Returns the last limit
 * (negative if stopped). */
double tact_aabb_tree_ray(const aabb_tree *tree, const tact_transform *transform, tact_vec3 from, tact_vec3 direction,
                          double max, tree_visit_bounded *visit, void *context);

/*
 * Nearest neighbours by branch and bound: visits every item of a transformed tree that may be within the world distance
 * `limit` of a transformed box. Depth first, so that nothing is allocated; closer children of a node first. The visitor
 * lowers the limit to the distance that it finds. Returns the last limit (negative if stopped). For a point use a box
 * without extent at the origin and put the point into `query_transform`.
 */
double tact_aabb_tree_nearest(const aabb_tree *tree, const tact_transform *transform, const box *query,
                              const tact_transform *query_transform, double limit, tree_visit_bounded *visit,
                              void *context);

/* The points x with n . x <= offset. */
typedef struct tree_below {
    tact_vec3 n; /* zero: no points */
    double offset;
} tree_below;

/* The same without what is in transformed boxes that are in `below`, up to rounding. The visitor may change it. */
double tact_aabb_tree_nearest_above(const aabb_tree *tree, const tact_transform *transform, const box *query,
                                    const tact_transform *query_transform, double limit, const tree_below *below,
                                    tree_visit_bounded *visit, void *context);

/* The same as tact_aabb_tree_nearest where `groups` has a number for each node: other than TREE_NONE, `visit_group` is
 * called with it instead of visiting what is below the node. The same group may be visited several times. */
double tact_aabb_tree_nearest_groups(const aabb_tree *tree, const tact_transform *transform, const box *query,
                                     const tact_transform *query_transform, double limit, tree_visit_bounded *visit,
                                     const uint32_t *groups, tree_visit_bounded *visit_group, void *context);

/* The same for every pair of items of two transformed trees. */
double tact_aabb_tree_nearest_pairs(const aabb_tree *a, const tact_transform *transform_a, const aabb_tree *b,
                                    const tact_transform *transform_b, double limit, tree_visit_pair_bounded *visit,
                                    void *context);

/* A box of doubles, in the world. */
typedef struct aabb_wide_box {
    double min[3], max[3];
} aabb_wide_box;

typedef aabb_wide_box aabb_item_box(void *context, uint32_t item);

/* A tree with boxes of doubles: 4 for each node. */
typedef struct aabb_wide_tree {
    const aabb_tree *tree;
    const aabb_wide_box *slots;
} aabb_wide_tree;

/* Sets the 4 node_count boxes of a tree that is built or refitted: children come after parents. O(n). */
void tact_aabb_tree_wide_boxes(const aabb_tree *tree, aabb_item_box *box_of, void *context, aabb_wide_box *slots);

/* As tact_aabb_tree_nearest_pairs, for where boxes of floats do not tell the items apart. Pairs need not be visited
 * that are no closer than the limit by more than `slack`, a length, and AABB_WIDE_ACCURACY of the limit. */
double tact_aabb_tree_nearest_pairs_wide(const aabb_wide_tree *a, const aabb_wide_tree *b, double slack, double limit,
                                         tree_visit_pair_bounded *visit, void *context);

/* One side of a translating pair: a transformed tree; or, with tree NULL, a single item with number 0. */
typedef struct translating_tree {
    const aabb_tree *tree;
    box root_box; /* the box of all items */
    const tact_transform *transform;
    const tree_below *below; /* transformed boxes in here need not be visited, up to rounding; the visitor may change
                                it; NULL: none */
} translating_tree;

/* Called with a pair and a time before which it does not touch, as a fraction of the displacement. Returns the new
 * limit, as tree_visit_pair_bounded. */
typedef double tree_visit_translating_pair(void *context, uint32_t a, uint32_t b, double enter, double limit);

/* Visits every pair of items that may touch before the fraction `limit` (0 to 1) of the displacement. B moves relative
 * to A by `displacement`, along a straight line except for a deviation of up to `deviation`; the items together have
 * the margin `margin`. Roughly in the order of first contact. Returns the last limit (negative if stopped). */
double tact_aabb_tree_translating_pairs(const translating_tree *a, const translating_tree *b, tact_vec3 displacement,
                                        tact_vec3 deviation, double margin, double limit,
                                        tree_visit_translating_pair *visit, void *context);

#endif
