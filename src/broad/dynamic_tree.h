/*
 * A dynamic binary AABB tree over numbered items, as Bullet's btDbvt and Box2D's b2DynamicTree. A node holds the boxes
 * of its two children in one cache line: a query reads one line per node and tests both children with three
 * comparisons of four floats.
 *
 *     dynamic_tree t = dynamic_tree_empty();
 *     tact_dynamic_tree_reserve(&t, allocator, n)              capacity for the items 0 to n - 1: nothing else can fail
 *     tact_dynamic_tree_set(&t, boxes, 3);                     inserts item 3 with the box boxes[3], or moves it there
 *     tact_dynamic_tree_overlap(&t, &box, visit, context);
 *
 * Cost: set and remove O(log n), build O(n log n), queries O(log n) and what they find. The height never exceeds
 * DYNAMIC_TREE_MAX_HEIGHT: a tree that has become higher is rebuilt at once.
 *
 * Why there are two trees with insertion and removal, this one and the 4-wide tree of tree/aabb_tree.h. Measured with
 * boxes of 10^3 / 10^4 / 10^5 bodies at 5 % density, ns per item, this tree against that one:
 *
 *     build                    48 against 73      54 against 90      173 against 296
 *     all pairs, items moved   49 against 71      98 against 117     108 against 227
 *     box query               150 against 160    300 against 275     600 against 500
 *     move of one item        440 against 310    560 against 420    1150 against 810
 *
 * An update of the broad phase with many escaped proxies is a build and a search of all pairs, where this tree is
 * faster. Also, items have fixed indices here; there, removing an item gives its index to another. In turn, that tree
 * stores children after their parents, so a mesh is refitted in one pass, and it has the traversals of mesh queries.
 */
#ifndef TACT_BROAD_DYNAMIC_TREE_H
#define TACT_BROAD_DYNAMIC_TREE_H

#include "bounds/box.h"
#include "broad/broad_constants.h"
#include "core/aligned_array.h"
#include "core/inline.h"
#include "core/sse2.h"

#define DYNAMIC_TREE_LEAF 0x80000000u   /* a child that is an item: its index with this bit */
#define DYNAMIC_TREE_NONE UINT32_MAX    /* no node; as a slot: the root */
#define DYNAMIC_TREE_ABSENT 0xfffffffeu /* as a slot: the item is not in the tree */

/* A slot is where a child is: node << 1 | which child. */
typedef struct dynamic_tree_node {
    float axes[3][4];     /* of both children, along each axis: min, min, -max, -max */
    uint32_t child[2];    /* a node, or DYNAMIC_TREE_LEAF | item */
    uint32_t parent_slot; /* the slot of this node; of a free node: the next free one */
    uint8_t height[2];    /* of the children; a leaf has 0. Stored here so that the path up reads no sibling */
    uint8_t unused[2];
} dynamic_tree_node;

typedef struct dynamic_tree_build_item {
    float centre[3];
    uint32_t item;
} dynamic_tree_build_item;

ARRAY_OF(dynamic_tree_node_array, dynamic_tree_node);
ARRAY_OF(dynamic_tree_slot_array, uint32_t);
ARRAY_OF(dynamic_tree_build_array, dynamic_tree_build_item);

typedef struct dynamic_tree {
    dynamic_tree_node_array nodes;
    dynamic_tree_slot_array item_slots; /* by item */
    dynamic_tree_build_array building;  /* scratch for building */
    uint32_t free_node;                 /* the first free node */
    uint32_t root;                      /* a child code; DYNAMIC_TREE_NONE when empty */
    size_t count;                       /* items */
    box root_leaf;                      /* the box of the only item, if there is only one */
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
    return (dynamic_tree){.free_node = DYNAMIC_TREE_NONE, .root = DYNAMIC_TREE_NONE};
}

void tact_dynamic_tree_release(dynamic_tree *t, const tact_allocator *allocator);

/* Capacity for the items 0 to n - 1. False, and nothing has changed, if there is no memory. */
bool tact_dynamic_tree_reserve(dynamic_tree *t, const tact_allocator *allocator, size_t n);

/* Builds the tree of the `count` items listed first in t->building.items[].item; all others are absent. */
void tact_dynamic_tree_build(dynamic_tree *t, dynamic_tree_boxes boxes, size_t count);

static inline bool dynamic_tree_has(const dynamic_tree *t, uint32_t item)
{
    return t->item_slots.items[item] != DYNAMIC_TREE_ABSENT;
}

/* Inserts an item with its box in `boxes`, or moves it there, at less cost the nearer it is to its old box. The boxes
 * of all other items in the tree are those that they were set to. */
void tact_dynamic_tree_set(dynamic_tree *t, dynamic_tree_boxes boxes, uint32_t item);

/* Removes an item that is there. */
void tact_dynamic_tree_remove(dynamic_tree *t, uint32_t item);

uint32_t tact_dynamic_tree_height(const dynamic_tree *t);

/* Called with an item, or with two. False ends the traversal. */
typedef bool dynamic_tree_visit(void *context, uint32_t item);
typedef bool dynamic_tree_visit_pair(void *context, uint32_t a, uint32_t b);

/* Visits all items whose box overlaps `query`. False if the visitor has ended it. */
bool tact_dynamic_tree_overlap(const dynamic_tree *t, const box *query, dynamic_tree_visit *visit, void *context);

/* Visits all pairs of items whose boxes overlap, each once. False if the visitor has ended it. */
bool tact_dynamic_tree_self_pairs(const dynamic_tree *t, dynamic_tree_visit_pair *visit, void *context);

static inline box dynamic_tree_child_box(const dynamic_tree_node *node, uint32_t side)
{
    return (box){{node->axes[0][side], node->axes[1][side], node->axes[2][side]},
                 {-node->axes[0][side + 2], -node->axes[1][side + 2], -node->axes[2][side + 2]}};
}

/* A box as the other operand of the comparison: along each axis max, max, -min, -min. */
typedef struct dynamic_tree_query {
    __m128 axes[3];
} dynamic_tree_query;

TACT_FORCE_INLINE dynamic_tree_query dynamic_tree_query_of(const box *b)
{
    dynamic_tree_query q;
    for (int i = 0; i < 3; ++i)
        q.axes[i] = _mm_set_ps(-b->min[i], -b->min[i], b->max[i], b->max[i]);
    return q;
}

/* Which children overlap the query: bit 0 and bit 1. */
TACT_FORCE_INLINE unsigned dynamic_tree_children_overlap(const dynamic_tree_node *node, const dynamic_tree_query *q)
{
    __m128 x = _mm_cmple_ps(_mm_loadu_ps(node->axes[0]), q->axes[0]);
    __m128 y = _mm_cmple_ps(_mm_loadu_ps(node->axes[1]), q->axes[1]);
    __m128 z = _mm_cmple_ps(_mm_loadu_ps(node->axes[2]), q->axes[2]);
    unsigned bits = (unsigned)_mm_movemask_ps(_mm_and_ps(_mm_and_ps(x, y), z));
    return bits & bits >> 2;
}

#endif
