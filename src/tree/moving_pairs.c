/*
 * Pairs of items of a moving tree that may touch, each with its window of time.
 *
 * Guarantees: no pair that touches at some time is missed, and the time is within its window (bounds/moving_bound.h);
 * no allocation; deterministic order. The stack cannot overflow: a popped pair pushes up to four, each one level deeper
 * on one side.
 *
 * Simultaneous traversal: the larger of two nodes is opened, and its four children are tested at once against the bound
 * of the other, within the window in which the parents overlap. The narrowed window is passed down.
 */
#include "core/avx2.h"
#include "tree/moving_tree.h"

/* Size of the stack: a popped pair pushes up to four, each one level deeper on one side. */
#define MOVING_PAIR_STACK ((TREE_WIDTH - 1) * 2 * TREE_MAX_DEPTH + TREE_WIDTH)

/* Pairs that are searched later, in parallel. */
typedef struct deferred_pairs {
    moving_slot_pair *pairs;
    uint32_t count, capacity;
} deferred_pairs;

static inline uint32_t child_in_slot(const moving_tree *tree, uint32_t slot)
{
    return tree->nodes[slot / TREE_WIDTH].child[slot % TREE_WIDTH];
}

/* Of the pairs of a slot with the children of a node in `wanted`, those with a changed point and in different groups.
 */
TACT_FORCE_INLINE unsigned filter_pairs(const moving_tree *tree, const moving_pair_query *query, uint32_t slot,
                                        uint32_t node, unsigned wanted)
{
    if (query->marks != NULL && (query->marks[slot / TREE_WIDTH] >> slot % TREE_WIDTH & 1) == 0)
        wanted &= query->marks[node];
    if (tree->slot_group != NULL && tree->slot_group[slot] != 0)
        for (unsigned k = 0; k < TREE_WIDTH; ++k)
            if (tree->slot_group[(size_t)TREE_WIDTH * node + k] == tree->slot_group[slot])
                wanted &= ~(1u << k);
    return wanted;
}

/* Is it an item, or a node in one of the subtrees? */
static inline bool is_below_top(const moving_tree *tree, uint32_t child)
{
    return tree_is_leaf(child) || tree->is_top_node[child] == 0;
}

/* Tests a slot against the children of a node. Visits pairs of items; pushes or defers the others. Returns the new
 * count of the stack. */
TACT_FORCE_INLINE unsigned test_children(const moving_tree *tree, moving_pair_query *query, uint32_t slot,
                                         uint32_t node, unsigned wanted, float enter, float exit,
                                         moving_slot_pair *stack, unsigned count, deferred_pairs *deferred)
{
    float enters[MOVING_WIDTH], exits[MOVING_WIDTH];
    const moving_bound4 *four = &tree->bounds[node], *other = &tree->bounds[slot / TREE_WIDTH];
    unsigned overlap = moving_bound4_overlap_window(four, wanted, other, slot % TREE_WIDTH, enter, exit, enters, exits);
    if (overlap == 0)
        return count;
    const uint32_t own = child_in_slot(tree, slot);
    float sizes[MOVING_WIDTH];
    float size = 0.0f;
    if (!tree_is_leaf(own)) {
        _mm_storeu_ps(sizes, moving_bound4_sizes(four));
        size = moving_bound4_size(other, slot % TREE_WIDTH);
    }
    for (unsigned k = 0; overlap != 0; ++k, overlap >>= 1) {
        if ((overlap & 1) == 0)
            continue;
        const uint32_t child = tree->nodes[node].child[k];
        if (tree_is_leaf(own) && tree_is_leaf(child)) {
            query->visit(query->context, tree_item(own), tree_item(child), enters[k], exits[k]);
            continue;
        }
        const uint32_t child_slot = TREE_WIDTH * node + k;
        const bool open_child = !tree_is_leaf(child) && (tree_is_leaf(own) || sizes[k] >= size);
        const moving_slot_pair pair = {open_child ? slot : child_slot, open_child ? child_slot : slot, enters[k],
                                       exits[k]};
        if (deferred != NULL && deferred->count < deferred->capacity && is_below_top(tree, own) &&
            is_below_top(tree, child))
            deferred->pairs[deferred->count++] = pair;
        else
            stack[count++] = pair;
    }
    return count;
}

/* Searches until the stack is empty. */
TACT_FORCE_INLINE void search_stack(const moving_tree *tree, moving_pair_query *query, moving_slot_pair *stack,
                                    unsigned count, deferred_pairs *deferred)
{
    while (count > 0) {
        moving_slot_pair p = stack[--count];
        p.exit = p.exit < query->limit ? p.exit : query->limit;
        if (p.enter > p.exit)
            continue;
        const uint32_t opened = child_in_slot(tree, p.opened);
        const unsigned wanted =
            filter_pairs(tree, query, p.fixed, opened, (1u << TREE_WIDTH) - 1); /* empty slots overlap nothing */
        if (wanted != 0)
            count = test_children(tree, query, p.fixed, opened, wanted, p.enter, p.exit, stack, count, deferred);
    }
}

TACT_FORCE_INLINE void search_below(const moving_tree *tree, moving_pair_query *query, uint32_t slot, uint32_t node,
                                    unsigned row, deferred_pairs *deferred)
{
    moving_slot_pair stack[MOVING_PAIR_STACK];
    const unsigned wanted = filter_pairs(tree, query, slot, node, row);
    if (wanted == 0)
        return;
    const unsigned count = test_children(tree, query, slot, node, wanted, 0.0f,
                                         query->limit < 1.0f ? query->limit : 1.0f, stack, 0, deferred);
    search_stack(tree, query, stack, count, deferred);
}

/* Searches one entry of the skeleton. */
TACT_FORCE_INLINE void search_entry(const moving_tree *tree, const skeleton_pair *entry, moving_pair_query *query,
                                    deferred_pairs *deferred)
{
    if (query->marks != NULL && (query->marks[entry->a] | query->marks[entry->b]) == 0)
        return;
    /* test all sixteen pairs at once, unless they are in one row: then the window test alone is as fast */
    unsigned disjoint = entry->disjoint;
    if ((disjoint & 0x000f) != disjoint && (disjoint & 0x00f0) != disjoint && (disjoint & 0x0f00) != disjoint &&
        (disjoint & 0xf000) != disjoint)
        disjoint = moving_bound4_overlap_pairs(&tree->bounds[entry->a], &tree->bounds[entry->b], disjoint);
    const tree_node *node_a = &tree->nodes[entry->a], *node_b = &tree->nodes[entry->b];
    for (unsigned bits = disjoint | entry->adjacent, i = 0; bits != 0; ++i, bits >>= 4) {
        if ((bits & 15) == 0)
            continue;
        const uint32_t slot = TREE_WIDTH * entry->a + i;
        unsigned adjacent = entry->adjacent >> 4 * i & 15u;
        if (adjacent != 0) {
            adjacent = filter_pairs(tree, query, slot, entry->b, adjacent);
            for (unsigned j = 0; j < TREE_WIDTH; ++j)
                if ((adjacent >> j & 1) != 0)
                    query->visit(query->context, tree_item(node_a->child[i]), tree_item(node_b->child[j]), 0.0f, 1.0f);
        }
        if ((disjoint >> 4 * i & 15u) != 0)
            search_below(tree, query, slot, entry->b, disjoint >> 4 * i & 15u, deferred);
    }
}

void tact_moving_tree_pairs(const moving_tree *tree, uint32_t first, uint32_t last, moving_pair_query *query)
{
    for (uint32_t r = first; r < last; ++r)
        search_entry(tree, &tree->skeleton[r], query, NULL);
}

void tact_moving_tree_pairs_below(const moving_tree *tree, const moving_slot_pair *pairs, uint32_t count,
                                  moving_pair_query *query)
{
    for (uint32_t i = 0; i < count; ++i) {
        moving_slot_pair stack[MOVING_PAIR_STACK];
        stack[0] = pairs[i];
        search_stack(tree, query, stack, 1, NULL);
    }
}

void tact_moving_tree_pairs_of_item(const moving_tree *tree, uint32_t item, moving_pair_query *query)
{
    search_below(tree, query, tree->item_slot[item], 0, (1u << TREE_WIDTH) - 1, NULL);
}

#ifndef tact_moving_tree_pairs
uint32_t tact_moving_tree_split_top(const moving_tree *tree, moving_pair_query *query, moving_slot_pair *deferred,
                                    uint32_t capacity)
{
    deferred_pairs output = {deferred, 0, capacity};
    for (uint32_t r = 0; r < tree->skeleton_top; ++r)
        search_entry(tree, &tree->skeleton[r], query, &output);
    return output.count;
}
#endif
