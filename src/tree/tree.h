/*
 * What the trees share: how nodes are linked, and how what is found is handed over.
 *
 * A tree is a hierarchy of bounds over items that are numbered 0 to count - 1; it knows nothing else about them. A
 * node has up to four children, side by side, so that one vector instruction does four bounds. Nodes lie in one array,
 * children after parents. Topology and bounds lie in arrays of their own: the bounds of the same tree at another time
 * are one more array.
 */
#ifndef TACT_TREE_TREE_H
#define TACT_TREE_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <tact/allocator.h>
#include <tact/status.h>

#define TREE_WIDTH 4u

/* Most items of a tree. The builder relies on 29 bits. */
#define TREE_MAX_ITEMS (UINT32_C(1) << 29)

/* What a child is: the number of a node, or TREE_LEAF | item, or TREE_NONE. Children lie in the first places of their
 * node; a node has at least two, unless the tree holds one item. */
#define TREE_LEAF UINT32_C(0x80000000)
#define TREE_NONE UINT32_C(0xffffffff)

typedef struct tree_node {
    uint32_t child[TREE_WIDTH];
} tree_node;

static inline bool tree_is_leaf(uint32_t child) { return (child & TREE_LEAF) != 0; }

static inline uint32_t tree_item(uint32_t child) { return child & ~TREE_LEAF; }

/* No path from the root is longer, in nodes: see the builder. So the stacks of traversals have a fixed size. */
#define TREE_MAX_DEPTH 64

/* Is the topology such that traversals end, within their stacks and the arrays: children after parents, every node
 * below the root once, every item once, no path too long? Says what is wrong otherwise. Takes a byte a node and a bit
 * an item of scratch. */
tact_status tact_tree_check_links(const tree_node *nodes, uint32_t node_count, uint32_t item_count,
                                  const tact_allocator *allocator, tact_report *report);

/* In which order pairs are visited: as it comes, or what lies deepest in the other's box first. The second costs a
 * quarter more if all pairs are wanted, but where the visitor stops at the first contact it gets there in two thirds of
 * the steps. The same pairs are visited either way. */
typedef enum tree_order { TREE_ANY_ORDER, TREE_NEAREST_CENTRES_FIRST } tree_order;

/* What a traversal calls for everything that it finds. Returns whether to go on. */
typedef bool tree_visit(void *context, uint32_t item);
typedef bool tree_visit_pair(void *context, uint32_t a, uint32_t b);

/* The same for searches that narrow down: the visitor is told the limit (the greatest parameter of a ray, the greatest
 * distance) beyond which nothing is of interest, and returns the new one, which may be smaller; negative: stop. */
typedef double tree_visit_bounded(void *context, uint32_t item, double limit);
typedef double tree_visit_pair_bounded(void *context, uint32_t a, uint32_t b, double limit);

#endif
