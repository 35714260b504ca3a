/*
 * The topology that all trees share, and the callbacks of traversals.
 *
 * A tree is a bounding volume hierarchy over items numbered 0 to count - 1; it knows nothing else about them. A node
 * has up to four children in structure-of-arrays form, so that one SIMD instruction handles four bounds. The nodes lie
 * in one array, children after parents. Topology and bounds are separate arrays: the same topology can have bounds for
 * several times.
 *
 * The address of a child is its *slot*, TREE_WIDTH * node + position in the node.
 */
#ifndef TACT_TREE_TREE_H
#define TACT_TREE_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <tact/allocator.h>
#include <tact/status.h>

#include "tree/tree_constants.h"

#define TREE_WIDTH 4u /* children per node: the lanes of an SSE register of floats */

/* A child is the index of a node, or TREE_LEAF | item, or TREE_NONE. Used slots come first in a node. A node has at
 * least two children, unless the tree has one item. */
#define TREE_LEAF UINT32_C(0x80000000)
#define TREE_NONE UINT32_C(0xffffffff)

typedef struct tree_node {
    uint32_t child[TREE_WIDTH];
} tree_node;

static inline bool tree_is_leaf(uint32_t child) { return (child & TREE_LEAF) != 0; }

static inline uint32_t tree_item(uint32_t child) { return child & ~TREE_LEAF; }

static inline unsigned tree_child_count(const tree_node *node)
{
    unsigned count = 0;
    while (count < TREE_WIDTH && node->child[count] != TREE_NONE)
        ++count;
    return count;
}

/* Checks that traversals end, within their stacks and the arrays: children after parents, each node below the root
 * once, each item once, no path longer than TREE_MAX_DEPTH. `report` says what is wrong. Allocates a byte per node and
 * a bit per item temporarily. */
tact_status tact_tree_check_links(const tree_node *nodes, uint32_t node_count, uint32_t item_count,
                                  const tact_allocator *allocator, tact_report *report);

/* The order in which pairs are visited: any, or pairs with closer centres first. The second costs a quarter more if all
 * pairs are visited; a visitor that stops at the first contact gets there in two thirds of the steps. The set of pairs
 * is the same. */
typedef enum tree_order { TREE_ANY_ORDER, TREE_NEAREST_CENTRES_FIRST } tree_order;

/* Called for each item or pair that a traversal finds. Returns whether to continue. */
typedef bool tree_visit(void *context, uint32_t item);
typedef bool tree_visit_pair(void *context, uint32_t a, uint32_t b);

/* The same for branch and bound. `limit` is the largest parameter of a ray, or the largest distance, that is still of
 * interest. Returns the new limit, which may be smaller; a negative value stops the traversal. */
typedef double tree_visit_bounded(void *context, uint32_t item, double limit);
typedef double tree_visit_pair_bounded(void *context, uint32_t a, uint32_t b, double limit);

#endif
