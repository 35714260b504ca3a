/*
 * A dynamic binary tree of boxes over numbered things. Every node holds the boxes of its two children, side by side in
 * one cache line, so that a search reads one line a node and decides on both children with three comparisons of four
 * numbers. Knows nothing of proxies and pairs.
 *
 * Memory is set aside beforehand: after tact_volume_reserve(n) nothing that concerns things below n can fail.
 */
#ifndef TACT_BROAD_DYNAMIC_TREE_H
#define TACT_BROAD_DYNAMIC_TREE_H

#include <simde/x86/sse2.h>

#include "bounds/box.h"
#include "core/inline.h"
#include "core/aligned_array.h"

#define VOLUME_LEAF 0x80000000u /* a child that is a thing: its number with this bit */
#define VOLUME_NONE UINT32_MAX
#define VOLUME_HEIGHT 96 /* levels: a tree that has grown higher is built anew at once; a new one has at most 72 */

typedef struct volume_node {
    float axes[3][4];  /* of both children, along each axis: min, min, -max, -max */
    uint32_t child[2]; /* nodes, or VOLUME_LEAF | thing */
    uint32_t parent;   /* the seat of this node: parent << 1 | which child; VOLUME_NONE for the root */
    uint8_t height[2]; /* of the children, leaves having 0: here, so that the way up reads no sibling */
    uint8_t unused[2];
} volume_node;

typedef struct volume_item {
    float centre[3];
    uint32_t thing;
} volume_item;

ARRAY_OF(node_array, volume_node);
ARRAY_OF(seat_array, uint32_t);
ARRAY_OF(item_array, volume_item);

typedef struct volume {
    node_array nodes;
    seat_array seats; /* by thing: where it is, node << 1 | which child; meaningless for what is not in the tree */
    item_array items; /* for building */
    uint32_t unused;  /* list of nodes to be used again, by `parent` */
    uint32_t root;    /* a child code, VOLUME_NONE when empty */
    size_t count;     /* things */
    box only;         /* the box of the one thing, if it is the only one */
} volume;

/* Boxes in the caller's arrays: that of thing i is at `first` + i * `stride` bytes. */
typedef struct volume_boxes {
    const unsigned char *first;
    size_t stride;
} volume_boxes;

static inline const box *volume_box(volume_boxes boxes, uint32_t thing)
{
    return (const box *)(const void *)(boxes.first + boxes.stride * thing);
}

static inline volume volume_empty(void) { return (volume){.unused = VOLUME_NONE, .root = VOLUME_NONE}; }
void tact_volume_release(volume *v, const tact_allocator *allocator);

/* Room for things 0 to n - 1, all at once. */
bool tact_volume_reserve(volume *v, const tact_allocator *allocator, size_t n);

/* Builds the tree of the `count` things listed first in v->items[].thing (centres are filled in here). */
void tact_volume_build(volume *v, volume_boxes boxes, size_t count);

void tact_volume_insert(volume *v, uint32_t thing, const box *b);
void tact_volume_remove(volume *v, uint32_t thing);
void tact_volume_move(volume *v, uint32_t thing, const box *b); /* as remove and insert, the less the nearer */
uint32_t tact_volume_height(const volume *v);

/* Told of a thing, or of two. False ends the search. */
typedef bool volume_found(void *context, uint32_t thing);
typedef bool volume_found_two(void *context, uint32_t one, uint32_t other);

/* All things whose box has a point in common with `area`. False when `found` has ended it. */
bool tact_volume_search(const volume *v, const box *area, volume_found *found, void *context);

/* All pairs of things whose boxes have a point in common, each once. False when `found` has ended it. */
bool tact_volume_join(const volume *v, volume_found_two *found, void *context);

/* Is it a tree of `v->count` things, with every box around what is below it and those of the leaves as in `boxes`? */
bool tact_volume_check(const volume *v, volume_boxes boxes, const char **why);

static inline box volume_child_box(const volume_node *node, uint32_t side)
{
    return (box){{node->axes[0][side], node->axes[1][side], node->axes[2][side]},
                 {-node->axes[0][side + 2], -node->axes[1][side + 2], -node->axes[2][side + 2]}};
}

/* A box as the other side of the comparison: along each axis max, max, -min, -min. */
typedef struct volume_query {
    simde__m128 axes[3];
} volume_query;

TACT_HOT volume_query volume_query_of(const box *b)
{
    volume_query q;
    for (int i = 0; i < 3; ++i)
        q.axes[i] = simde_mm_set_ps(-b->min[i], -b->min[i], b->max[i], b->max[i]);
    return q;
}

/* Which children meet the query: bit 0 and bit 1. */
TACT_HOT unsigned volume_meet(const volume_node *node, const volume_query *q)
{
    simde__m128 x = simde_mm_cmple_ps(simde_mm_loadu_ps(node->axes[0]), q->axes[0]);
    simde__m128 y = simde_mm_cmple_ps(simde_mm_loadu_ps(node->axes[1]), q->axes[1]);
    simde__m128 z = simde_mm_cmple_ps(simde_mm_loadu_ps(node->axes[2]), q->axes[2]);
    unsigned bits = (unsigned)simde_mm_movemask_ps(simde_mm_and_ps(simde_mm_and_ps(x, y), z));
    return bits & bits >> 2;
}

#endif
