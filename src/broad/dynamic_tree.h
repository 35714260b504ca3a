/*
 * A dynamic binary tree of boxes over numbered items. Every node holds the boxes of its two children, side by side in
 * one cache line, so that a search reads one line a node and decides on both children with three comparisons of four
 * numbers. Knows nothing of proxies and pairs.
 *
 * Memory is set aside beforehand: after tact_dynamic_tree_reserve(n) nothing that concerns items below n can fail.
 */
#ifndef TACT_BROAD_DYNAMIC_TREE_H
#define TACT_BROAD_DYNAMIC_TREE_H

#include <simde/x86/sse2.h>

#include "bounds/box.h"
#include "core/aligned_array.h"
#include "core/inline.h"

#define VOLUME_LEAF 0x80000000u /* a child that is an item: its number with this bit */
#define VOLUME_NONE UINT32_MAX
#define VOLUME_HEIGHT 96 /* levels: a tree that has grown higher is built anew at once; a new one has at most 72 */

typedef struct dynamic_tree_node {
    float axes[3][4];  /* of both children, along each axis: min, min, -max, -max */
    uint32_t child[2]; /* nodes, or VOLUME_LEAF | item */
    uint32_t parent;   /* the seat of this node: parent << 1 | which child; VOLUME_NONE for the root */
    uint8_t height[2]; /* of the children, leaves having 0: here, so that the way up reads no sibling */
    uint8_t unused[2];
} dynamic_tree_node;

typedef struct dynamic_tree_item {
    float centre[3];
    uint32_t item;
} dynamic_tree_item;

ARRAY_OF(node_array, dynamic_tree_node);
ARRAY_OF(seat_array, uint32_t);
ARRAY_OF(item_array, dynamic_tree_item);

typedef struct dynamic_tree {
    node_array nodes;
    seat_array seats; /* by item: where it is, node << 1 | which child; meaningless for what is not in the tree */
    item_array items; /* for building */
    uint32_t unused;  /* list of nodes to be used again, by `parent` */
    uint32_t root;    /* a child code, VOLUME_NONE when empty */
    size_t count;     /* items */
    box only;         /* the box of the one item, if it is the only one */
} dynamic_tree;

/* Boxes in the caller's arrays: that of item i is at `first` + i * `stride` bytes. */
typedef struct dynamic_tree_boxes {
    const unsigned char *first;
    size_t stride;
} dynamic_tree_boxes;

static inline const box *dynamic_tree_box(dynamic_tree_boxes boxes, uint32_t item)
{
    return (const box *)(const void *)(boxes.first + boxes.stride * item);
}

static inline dynamic_tree dynamic_tree_empty(void)
{
    return (dynamic_tree){.unused = VOLUME_NONE, .root = VOLUME_NONE};
}
void tact_dynamic_tree_release(dynamic_tree *v, const tact_allocator *allocator);

/* Room for items 0 to n - 1, all at once. */
bool tact_dynamic_tree_reserve(dynamic_tree *v, const tact_allocator *allocator, size_t n);

/* Builds the tree of the `count` items listed first in v->items[].item (centres are filled in here). */
void tact_dynamic_tree_build(dynamic_tree *v, dynamic_tree_boxes boxes, size_t count);

void tact_dynamic_tree_insert(dynamic_tree *v, uint32_t item, const box *b);
void tact_dynamic_tree_remove(dynamic_tree *v, uint32_t item);
void tact_dynamic_tree_move(dynamic_tree *v, uint32_t item,
                            const box *b); /* as remove and insert, the less the nearer */
uint32_t tact_dynamic_tree_height(const dynamic_tree *v);

/* Told of an item, or of two. False ends the search. */
typedef bool dynamic_tree_visit(void *context, uint32_t item);
typedef bool dynamic_tree_visit_pair(void *context, uint32_t one, uint32_t other);

/* All items whose box has a point in common with `area`. False when `found` has ended it. */
bool tact_dynamic_tree_search(const dynamic_tree *v, const box *area, dynamic_tree_visit *found, void *context);

/* All pairs of items whose boxes have a point in common, each once. False when `found` has ended it. */
bool tact_dynamic_tree_join(const dynamic_tree *v, dynamic_tree_visit_pair *found, void *context);

/* Is it a tree of `v->count` items, with every box around what is below it and those of the leaves as in `boxes`? */
bool tact_dynamic_tree_check(const dynamic_tree *v, dynamic_tree_boxes boxes, const char **why);

static inline box dynamic_tree_child_box(const dynamic_tree_node *node, uint32_t side)
{
    return (box){{node->axes[0][side], node->axes[1][side], node->axes[2][side]},
                 {-node->axes[0][side + 2], -node->axes[1][side + 2], -node->axes[2][side + 2]}};
}

/* A box as the other side of the comparison: along each axis max, max, -min, -min. */
typedef struct dynamic_tree_query {
    simde__m128 axes[3];
} dynamic_tree_query;

TACT_FORCE_INLINE dynamic_tree_query dynamic_tree_query_of(const box *b)
{
    dynamic_tree_query q;
    for (int i = 0; i < 3; ++i)
        q.axes[i] = simde_mm_set_ps(-b->min[i], -b->min[i], b->max[i], b->max[i]);
    return q;
}

/* Which children meet the query: bit 0 and bit 1. */
TACT_FORCE_INLINE unsigned dynamic_tree_meet(const dynamic_tree_node *node, const dynamic_tree_query *q)
{
    simde__m128 x = simde_mm_cmple_ps(simde_mm_loadu_ps(node->axes[0]), q->axes[0]);
    simde__m128 y = simde_mm_cmple_ps(simde_mm_loadu_ps(node->axes[1]), q->axes[1]);
    simde__m128 z = simde_mm_cmple_ps(simde_mm_loadu_ps(node->axes[2]), q->axes[2]);
    unsigned bits = (unsigned)simde_mm_movemask_ps(simde_mm_and_ps(simde_mm_and_ps(x, y), z));
    return bits & bits >> 2;
}

#endif
