/*
 * Trees of axis-aligned boxes (van den Bergen's thesis, sections 5.2.3 to 5.2.5), for what is rigid and what deforms.
 *
 *     aabb_tree tree;
 *     aabb_tree_def def = aabb_tree_def_default();
 *     status = tact_aabb_tree_build(&tree, boxes, count, &def);     boxes[i]: the box of item i, rounded outward
 *     ...
 *     tact_aabb_tree_refit(&tree, boxes);                           items moved: the same tree around the new boxes
 *     if (aabb_tree_needs_rebuild(&tree)) ...                             build it anew
 *     ...
 *     tact_aabb_tree_release(&tree);
 *
 * Size: 16 bytes of topology and 96 of bounds a node, a third to a half as many nodes as items: some 42 bytes an item
 * (def.partial: 8 more). Queries do not change the tree: any number of threads may ask at once. They allocate nothing.
 * A query never misses an item whose box it should find, whatever the rounding; it may report one that it should not
 * where this is said. Boxes are floats: a mesh that is small against its distance from its own origin has coarse ones.
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
    uint32_t node_count;                     /* 0 for no items */
    tree_node *nodes;                        /* the root first */
    box4 *bounds;                            /* of each node: the boxes of its children */
    uint32_t *parent_slot;                   /* of each node: 4 * parent + place there; NULL unless def.partial */
    uint32_t *item_slot;                     /* of each item: 4 * node + place there; NULL unless def.partial */
    box root_box;                            /* around all */
    double built_cost;                       /* tact_aabb_tree_cost when it was built */
    uint32_t node_capacity, bounds_capacity; /* of the arrays, in nodes */
    uint32_t item_capacity;                  /* of `parents` and `homes`; 0 if they are NULL */
    tact_allocator allocator;
} aabb_tree;

typedef enum aabb_split {
    AABB_SPLIT_SAH,     /* of 16 places along the longest axis the one with the least expected cost (binned SAH) */
    AABB_SPLIT_MIDPOINT /* the middle of the longest side, as in the thesis */
} aabb_split;

typedef struct aabb_tree_def {
    aabb_split split;
    bool parent_links; /* keep what tact_aabb_tree_refit_one needs */
    tact_allocator allocator;
} aabb_tree_def;

static inline aabb_tree_def aabb_tree_def_default(void) { return (aabb_tree_def){AABB_SPLIT_SAH, false, {NULL, NULL}}; }

/* Builds a tree over `count` boxes; boxes may be empty, equal, flat or infinite. On failure (memory, more items than
 * TREE_MAX_ITEMS) the tree is empty. O(n log n), some 100 ns an item; the same boxes always give the same tree. */
tact_status tact_aabb_tree_build(aabb_tree *tree, const box *boxes, size_t count, const aabb_tree_def *def);

/* Frees what the tree holds; it is then empty and may be built again. A zeroed tree is empty too. */
void tact_aabb_tree_release(aabb_tree *tree);

/* The same tree around new boxes, boxes[i] being that of item i: one sweep over all nodes, from the last to the first.
 * Some 4 ns an item, 10 beyond the cache. */
void tact_aabb_tree_refit(aabb_tree *tree, const box *boxes);

/* The same when one item alone has changed, whose box is now `fitted`. Needs def.partial. Goes up from the item until
 * a box stays as it is: some 40 ns, so that for one item in ten or more a sweep over all is faster. */
void tact_aabb_tree_refit_one(aabb_tree *tree, uint32_t item, const box *fitted);

/* Fills in the ways back that def.partial asks for, from each node and item to where it is; there is room for them. */
void tact_aabb_tree_set_parent_links(aabb_tree *tree);

/* A copy of a tree with the ways back that def.partial asks for. On failure (memory) it is empty. */
tact_status tact_aabb_tree_copy(aabb_tree *copy, const aabb_tree *tree, const tact_allocator *allocator);

/* Room for so many nodes and items in all, with the ways back (an item that comes brings one node at the most);
 * nothing else changes. False if there is no memory. */
bool tact_aabb_tree_reserve(aabb_tree *tree, uint32_t nodes, uint32_t items);

/* Adds item number item_count, whose box is `fitted`; there is room for it. Some 100 ns, near the items that it is
 * near; the tree gets worse by it than one built anew. */
void tact_aabb_tree_insert(aabb_tree *tree, const box *fitted);

/* Takes an item out; the last one gets its number. Needs def.partial. Some 100 ns. */
void tact_aabb_tree_remove(aabb_tree *tree, uint32_t item);

/* An item whose box is now `fitted` takes another place, near what it is near now: as if it went and came, but it keeps
 * its number. There is room for one node more. For one that is somewhere else than before; otherwise a refit will do.
 */
void tact_aabb_tree_move(aabb_tree *tree, uint32_t item, const box *fitted);

/* How many boxes a random line that meets the tree is expected to meet (the surface area heuristic): the areas of all
 * boxes over that of the whole. 1 for a tree without extent. */
double tact_aabb_tree_cost(const aabb_tree *tree);

/* Has refitting made the tree so bad that it is worth building anew: is its cost AABB_REBUILD_COST_RATIO times that
 * when built? */
#define AABB_REBUILD_COST_RATIO 1.5
static inline bool aabb_tree_needs_rebuild(const aabb_tree *tree)
{
    return tact_aabb_tree_cost(tree) > AABB_REBUILD_COST_RATIO * tree->built_cost;
}

/* Is the tree well formed: children after parents, each item once, empty places at the end; and, if `boxes` is not
 * NULL, are all bounds the smallest ones around these boxes? Otherwise says what is wrong. */
tact_status tact_aabb_tree_check(const aabb_tree *tree, const box *boxes, tact_report *report);

/*
 * Every pair of an item of `a`, placed at `transform_a`, and one of `b`, placed at `transform_b`, whose boxes may
 * overlap: all pairs whose placed vertices (tact_transform_point) have hulls that meet, and few others. Returns false
 * when `visit` stopped it. Both placements must be usable (finite, not singular); otherwise all pairs are visited. SAT
 * lite (SAT_FACE_AXES) is the faster choice, unless testing a pair of items costs more than some 200 ns.
 */
bool tact_aabb_tree_pairs(const aabb_tree *a, const tact_transform *transform_a, const aabb_tree *b,
                          const tact_transform *transform_b, sat_axes axes, tree_order order, tree_visit_pair *visit,
                          void *context);

/* The same for two trees in one frame, such as those of bodies whose vertices are given in the world. Exact. */
bool tact_aabb_tree_pairs_same_frame(const aabb_tree *a, const aabb_tree *b, tree_visit_pair *visit, void *context);

/* Every pair of different items of one tree whose boxes overlap, each once, in either order. Exact. */
bool tact_aabb_tree_self_pairs(const aabb_tree *tree, tree_visit_pair *visit, void *context);

/* Every item whose box overlaps `query`. Exact. */
bool tact_aabb_tree_overlap(const aabb_tree *tree, const box *query, tree_visit *visit, void *context);

/* Every item of a placed tree whose box may overlap a placed box: as tact_aabb_tree_pairs with one item. What is far
 * from the world's origin is better placed there than given by its coordinates, which floats would round. */
bool tact_aabb_tree_overlap_transformed(const aabb_tree *tree, const tact_transform *at, const box *query,
                                        const tact_transform *query_at, sat_axes axes, tree_visit *visit,
                                        void *context);

/* Every item of a placed tree whose box the ray from + t direction may meet for t in [0, max], nearer boxes first,
 * until the visitor has brought `max` below all others. `direction` has any length but 0; `max` may be infinite.
 * Returns the last limit (negative if stopped). */
double tact_aabb_tree_ray(const aabb_tree *tree, const tact_transform *at, tact_vec3 from, tact_vec3 direction,
                          double max, tree_visit_bounded *visit, void *context);

/*
 * Nearest: every item of a placed tree that may be within `limit` of a placed box, in the world, nearer boxes first;
 * depth first, so that nothing is allocated, but in each node by distance. The visitor brings the limit down to the
 * distance that it finds. Returns the last limit (negative if stopped). A point is a box without extent at 0, placed
 * where the point is.
 */
double tact_aabb_tree_nearest(const aabb_tree *tree, const tact_transform *at, const box *query,
                              const tact_transform *query_at, double limit, tree_visit_bounded *visit, void *context);

/* The same for every pair of items of two placed trees. */
double tact_aabb_tree_nearest_pairs(const aabb_tree *a, const tact_transform *transform_a, const aabb_tree *b,
                                    const tact_transform *transform_b, double limit, tree_visit_pair_bounded *visit,
                                    void *context);

/* One of two that slide past each other: a placed tree, or (NULL) one item, number 0, in a box. */
typedef struct translating_tree {
    const aabb_tree *tree;
    box root_box; /* around all */
    const tact_transform *transform;
} translating_tree;

/* Called with a pair and a part of the way before which the two do not meet; returns the new limit, as above. */
typedef double tree_visit_translating_pair(void *context, uint32_t a, uint32_t b, double enter, double limit);

/* Every pair of items of two placed trees that may meet before the part `limit` (0 to 1) of the way: B goes by `way`
 * as seen from A, straight but for up to `bend`, and both have margins, together `margin`. Those that meet first come
 * first, by and large. Returns the last limit (negative if stopped). */
double tact_aabb_tree_translating_pairs(const translating_tree *a, const translating_tree *b, tact_vec3 way,
                                        tact_vec3 bend, double margin, double limit, tree_visit_translating_pair *visit,
                                        void *context);

#endif
