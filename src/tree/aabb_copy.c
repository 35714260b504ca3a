/* A copy of a tree that can be refitted in part: the same nodes and bounds, and the ways back from items and nodes to
 * where they are. O(n), a tenth of a build. */
#include <string.h>

#include "core/memory.h"
#include "tree/aabb_tree.h"

void tact_aabb_tree_link(aabb_tree *tree)
{
    tree->parents[0] = TREE_NONE;
    for (uint32_t i = 0; i < tree->node_count; ++i)
        for (unsigned k = 0; k < TREE_WIDTH && tree->nodes[i].child[k] != TREE_NONE; ++k) {
            const uint32_t child = tree->nodes[i].child[k];
            if (tree_is_leaf(child))
                tree->homes[tree_thing(child)] = TREE_WIDTH * i + k;
            else
                tree->parents[child] = TREE_WIDTH * i + k;
        }
}

tact_status tact_aabb_tree_copy(aabb_tree *copy, const aabb_tree *tree, const tact_allocator *allocator)
{
    *copy = (aabb_tree){.item_count = tree->item_count,
                        .node_count = tree->node_count,
                        .whole = tree->whole,
                        .built_cost = tree->built_cost,
                        .allocator = *allocator};
    if (tree->node_count == 0)
        return TACT_OK;
    copy->nodes = tact_memory_allocate(allocator, tree->node_count, sizeof *copy->nodes);
    copy->node_room = copy->nodes != NULL ? tree->node_count : 0;
    copy->bounds = tact_memory_allocate(allocator, tree->node_count, sizeof *copy->bounds);
    copy->bounds_room = copy->bounds != NULL ? tree->node_count : 0;
    copy->parents = tact_memory_allocate(allocator, tree->item_count, sizeof *copy->parents);
    copy->homes = tact_memory_allocate(allocator, tree->item_count, sizeof *copy->homes);
    copy->item_room = tree->item_count;
    if (copy->nodes == NULL || copy->bounds == NULL || copy->parents == NULL || copy->homes == NULL) {
        tact_aabb_tree_release(copy);
        return TACT_OUT_OF_MEMORY;
    }
    memcpy(copy->nodes, tree->nodes, tree->node_count * sizeof *tree->nodes);
    memcpy(copy->bounds, tree->bounds, tree->node_count * sizeof *tree->bounds);
    tact_aabb_tree_link(copy);
    return TACT_OK;
}
