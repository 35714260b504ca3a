/*
 * Moving trees whose few changed items are found by links upwards: refitting the nodes above them, and searching the
 * tree for what they overlap, without passing over all nodes and the skeleton.
 *
 * Guarantee: bounds and pairs are those of a refit and a search of everything, restricted to these items. Cost for an
 * item: O(log n) nodes to refit, and a search from the root, some 5 us.
 */
#include "core/avx2.h"
#include "core/memory.h"
#include "tree/moving_tree.h"

bool tact_moving_tree_link(moving_tree *tree)
{
    if (tree->parent_slot != NULL)
        return true;
    uint32_t *parents = tact_memory_allocate(&tree->allocator, (size_t)tree->node_count + 1, sizeof *parents);
    uint32_t *items = tact_memory_allocate(&tree->allocator, (size_t)tree->item_count + 1, sizeof *items);
    if (parents == NULL || items == NULL) {
        tact_memory_free(&tree->allocator, parents, (size_t)tree->node_count + 1, sizeof *parents);
        tact_memory_free(&tree->allocator, items, (size_t)tree->item_count + 1, sizeof *items);
        return false;
    }
    parents[0] = TREE_NONE;
    for (uint32_t i = 0; i < tree->node_count; ++i)
        for (unsigned k = 0; k < TREE_WIDTH && tree->nodes[i].child[k] != TREE_NONE; ++k) {
            const uint32_t child = tree->nodes[i].child[k], slot = TREE_WIDTH * i + k;
            if (tree_is_leaf(child))
                items[tree_item(child)] = slot;
            else
                parents[child] = slot;
        }
    tree->parent_slot = parents;
    tree->item_slot = items;
    return true;
}

void tact_moving_tree_unlink(moving_tree *tree)
{
    if (tree->parent_slot == NULL)
        return;
    tact_memory_free(&tree->allocator, tree->parent_slot, (size_t)tree->node_count + 1, sizeof *tree->parent_slot);
    tact_memory_free(&tree->allocator, tree->item_slot, (size_t)tree->item_count + 1, sizeof *tree->item_slot);
    tree->parent_slot = tree->item_slot = NULL;
}

/* Refits the node and those above it. */
static void refit_upwards(moving_tree *tree, const moving_point *points, uint32_t node)
{
    for (;;) {
        TACT_DISPATCH_AVX2(tact_moving_tree_fit_range, tree, points, NULL, node, node + 1);
        const uint32_t slot = tree->parent_slot[node];
        if (slot == TREE_NONE)
            return;
        node = slot / TREE_WIDTH;
    }
}

void tact_moving_tree_refit_items(moving_tree *tree, const moving_point *points, const uint32_t *items, size_t count)
{
    /* Items of one node are next to each other as a rule. Every path is refitted up to the root: a bound is right after
     * the last of its items. */
    for (size_t i = 0; i < count; ++i)
        if (i + 1 == count || tree->item_slot[items[i]] / TREE_WIDTH != tree->item_slot[items[i + 1]] / TREE_WIDTH)
            refit_upwards(tree, points, tree->item_slot[items[i]] / TREE_WIDTH);
}
