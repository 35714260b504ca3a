/* Copies of AABB trees, with parent links. O(n), a tenth of a build. */
#include <string.h>

#include "core/memory.h"
#include "tree/aabb_internal.h"

void tact_aabb_tree_set_parent_links(aabb_tree *tree)
{
    tree->parent_slot[0] = TREE_NONE;
    for (uint32_t i = 0; i < tree->node_count; ++i)
        for (unsigned k = 0; k < TREE_WIDTH && tree->nodes[i].child[k] != TREE_NONE; ++k)
            aabb_set_slot(tree, tree->nodes[i].child[k], TREE_WIDTH * i + k);
}

tact_status tact_aabb_tree_copy(aabb_tree *copy, const aabb_tree *tree, const tact_allocator *allocator)
{
    *copy = (aabb_tree){.item_count = tree->item_count,
                        .node_count = tree->node_count,
                        .root_box = tree->root_box,
                        .built_cost = tree->built_cost,
                        .allocator = *allocator};
    if (tree->node_count == 0)
        return TACT_OK;
    copy->nodes = tact_memory_allocate(allocator, tree->node_count, sizeof *copy->nodes);
    copy->node_capacity = copy->nodes != NULL ? tree->node_count : 0;
    copy->bounds = tact_memory_allocate(allocator, tree->node_count, sizeof *copy->bounds);
    copy->bounds_capacity = copy->bounds != NULL ? tree->node_count : 0;
    copy->parent_slot = tact_memory_allocate(allocator, tree->item_count, sizeof *copy->parent_slot);
    copy->item_slot = tact_memory_allocate(allocator, tree->item_count, sizeof *copy->item_slot);
    copy->item_capacity = tree->item_count;
    if (copy->nodes == NULL || copy->bounds == NULL || copy->parent_slot == NULL || copy->item_slot == NULL) {
        tact_aabb_tree_release(copy);
        return TACT_OUT_OF_MEMORY;
    }
    memcpy(copy->nodes, tree->nodes, tree->node_count * sizeof *tree->nodes);
    memcpy(copy->bounds, tree->bounds, tree->node_count * sizeof *tree->bounds);
    tact_aabb_tree_set_parent_links(copy);
    return TACT_OK;
}
