/*
 * Construction of moving trees. The topology is that of an AABB tree (aabb_build.c) around the present positions of the
 * items; the motion does not matter.
 *
 * Nodes are numbered depth first, so that a subtree is a contiguous range of nodes. A refit passes over each subtree
 * from its last node to its first. Subtrees of at most 1 / MOVING_TREE_MIN_SUBTREES of all nodes are refitted in
 * parallel, then the few nodes above them.
 */
#include "tree/moving_tree.h"

#include <string.h>

#include "core/memory.h"
#include "tree/aabb_tree.h"

/* The AABB tree of the items at their present positions. */
static tact_status build_aabb_tree(aabb_tree *aabb, const moving_tree_def *def)
{
    box *boxes = tact_memory_allocate(&def->allocator, def->item_count, sizeof *boxes);
    if (boxes == NULL)
        return TACT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < def->item_count; ++i) {
        const uint32_t *c = def->item_points[i];
        const tact_vec3 *p = def->points;
        boxes[i] = c[0] == MOVING_TREE_NO_ITEM ? box_empty()
                                               : tact_box_of_points((const tact_vec3[3]){p[c[0]], p[c[1]], p[c[2]]}, 3);
    }
    aabb_tree_def tree_def = aabb_tree_def_default();
    tree_def.parent_links = true;
    tree_def.allocator = def->allocator;
    const tact_status status = tact_aabb_tree_build(aabb, boxes, def->item_count, &tree_def);
    tact_memory_free(&def->allocator, boxes, def->item_count, sizeof *boxes);
    return status;
}

/* The common group of all items below a node, or 0. */
static uint32_t group_of_node(const moving_tree *tree, uint32_t node)
{
    const uint32_t *group = tree->slot_group + (size_t)TREE_WIDTH * node;
    for (unsigned k = 1; k < TREE_WIDTH && tree->nodes[node].child[k] != TREE_NONE; ++k)
        if (group[k] != group[0])
            return 0;
    return group[0];
}

static bool find_slot_groups(moving_tree *tree, const uint32_t *groups)
{
    bool any = false;
    for (uint32_t i = 0; groups != NULL && i < tree->item_count; ++i)
        any = any || groups[i] != 0;
    if (!any)
        return true;
    tree->slot_group = tact_memory_allocate(&tree->allocator, tree->node_count, TREE_WIDTH * sizeof *tree->slot_group);
    if (tree->slot_group == NULL)
        return false;
    for (uint32_t i = tree->node_count; i-- > 0;)
        for (unsigned k = 0; k < TREE_WIDTH; ++k) {
            const uint32_t child = tree->nodes[i].child[k];
            tree->slot_group[(size_t)TREE_WIDTH * i + k] = child == TREE_NONE    ? 0
                                                           : tree_is_leaf(child) ? groups[tree_item(child)]
                                                                                 : group_of_node(tree, child);
        }
    return true;
}

/* Divides the tree into subtrees of at most `max_nodes` nodes and the nodes above them, or only counts both. ends[i] is
 * the end of the subtree of node i. */
static void divide_into_subtrees(moving_tree *tree, const uint32_t *ends, uint32_t max_nodes, bool count_only)
{
    tree->subtree_count = tree->top_node_count = 0;
    for (uint32_t i = 0; i < tree->node_count;) {
        if (ends[i] - i <= max_nodes) {
            if (!count_only)
                tree->subtrees[tree->subtree_count] = (moving_subtree){i, ends[i]};
            ++tree->subtree_count;
            i = ends[i];
        } else {
            if (!count_only)
                tree->top_nodes[tree->top_node_count] = i;
            ++tree->top_node_count;
            ++i;
        }
    }
}

static bool find_subtrees(moving_tree *tree)
{
    tree->is_top_node = tact_memory_allocate(&tree->allocator, tree->node_count, 1);
    uint32_t *ends = tact_memory_allocate(&tree->allocator, tree->node_count, sizeof *ends);
    if (ends == NULL || tree->is_top_node == NULL) {
        tact_memory_free(&tree->allocator, ends, tree->node_count, sizeof *ends);
        return false;
    }
    for (uint32_t i = tree->node_count; i-- > 0;) {
        ends[i] = i + 1;
        for (unsigned k = 0; k < TREE_WIDTH && tree->nodes[i].child[k] != TREE_NONE; ++k)
            if (!tree_is_leaf(tree->nodes[i].child[k]) && ends[tree->nodes[i].child[k]] > ends[i])
                ends[i] = ends[tree->nodes[i].child[k]];
    }
    const uint32_t max_nodes = tree->node_count / MOVING_TREE_MIN_SUBTREES + 1;
    divide_into_subtrees(tree, ends, max_nodes, true);
    const uint32_t subtrees = tree->subtree_count, top = tree->top_node_count;
    tree->subtrees = subtrees > 0 ? tact_memory_allocate(&tree->allocator, subtrees, sizeof *tree->subtrees) : NULL;
    tree->top_nodes = top > 0 ? tact_memory_allocate(&tree->allocator, top, sizeof *tree->top_nodes) : NULL;
    const bool allocated = (subtrees == 0 || tree->subtrees != NULL) && (top == 0 || tree->top_nodes != NULL);
    if (allocated)
        divide_into_subtrees(tree, ends, max_nodes, false);
    memset(tree->is_top_node, 0, tree->node_count);
    for (uint32_t i = 0; allocated && i < tree->top_node_count; ++i)
        tree->is_top_node[tree->top_nodes[i]] = 1;
    tact_memory_free(&tree->allocator, ends, tree->node_count, sizeof *ends);
    return allocated;
}

/* Renumbers the items in tree order. */
static void renumber_items(moving_tree *tree, uint32_t *order)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < tree->node_count; ++i)
        for (unsigned k = 0; k < TREE_WIDTH && tree->nodes[i].child[k] != TREE_NONE; ++k)
            if (tree_is_leaf(tree->nodes[i].child[k])) {
                order[count] = tree_item(tree->nodes[i].child[k]);
                tree->nodes[i].child[k] = TREE_LEAF | count++;
            }
}

tact_status tact_moving_tree_create(moving_tree *tree, const moving_tree_def *def)
{
    memset(tree, 0, sizeof *tree);
    tree->allocator = def->allocator;
    if (def->item_count > MOVING_TREE_MAX_ITEMS)
        return TACT_BAD_ARGUMENT;
    if (def->item_count == 0)
        return TACT_OK;
    aabb_tree aabb;
    tact_status status = build_aabb_tree(&aabb, def);
    if (status != TACT_OK)
        return status;
    tree->item_count = def->item_count;
    tree->node_count = aabb.node_count;
    tree->item_points = def->item_points;
    /* only the topology of the AABB tree is used */
    tree->nodes = tact_memory_allocate(&tree->allocator, tree->node_count, sizeof *tree->nodes);
    status = TACT_OUT_OF_MEMORY;
    if (tree->nodes != NULL) {
        memcpy(tree->nodes, aabb.nodes, tree->node_count * sizeof *tree->nodes);
        if (find_slot_groups(tree, def->groups) && find_subtrees(tree))
            status = tact_moving_tree_find_skeleton(tree, def->point_count, aabb.parent_slot, aabb.item_slot);
    }
    tact_aabb_tree_release(&aabb);
    if (status == TACT_OK) {
        tree->bounds = tact_memory_allocate(&tree->allocator, tree->node_count, sizeof *tree->bounds);
        status = tree->bounds != NULL ? TACT_OK : TACT_OUT_OF_MEMORY;
    }
    if (status != TACT_OK) {
        tact_moving_tree_release(tree);
        return status;
    }
    renumber_items(tree, def->order);
    tree->item_points = NULL; /* it has the old order */
    return TACT_OK;
}

void tact_moving_tree_release(moving_tree *tree)
{
    const tact_allocator allocator = tree->allocator;
    tact_moving_tree_unlink(tree);
    tact_memory_free(&allocator, tree->nodes, tree->node_count, sizeof *tree->nodes);
    tact_memory_free(&allocator, tree->bounds, tree->node_count, sizeof *tree->bounds);
    tact_memory_free(&allocator, tree->slot_group, tree->node_count, TREE_WIDTH * sizeof *tree->slot_group);
    tact_memory_free(&allocator, tree->skeleton, tree->skeleton_count, sizeof *tree->skeleton);
    tact_memory_free(&allocator, tree->subtrees, tree->subtree_count, sizeof *tree->subtrees);
    tact_memory_free(&allocator, tree->top_nodes, tree->top_node_count, sizeof *tree->top_nodes);
    tact_memory_free(&allocator, tree->is_top_node, tree->node_count, 1);
    memset(tree, 0, sizeof *tree);
    tree->allocator = allocator;
}
