/*
 * Making and releasing trees of moving bounds. The topology is that of a tree of boxes (aabb_build.c) around where the
 * items are when it is made; how they move does not matter for it.
 *
 * Subtrees lie in one piece, since nodes are numbered depth first: a refit sweeps each from its last node to its first,
 * those of at most 1 / PARTS of all nodes in parallel, and then the few nodes above.
 */
#include "tree/moving_tree.h"

#include <string.h>

#include "core/memory.h"
#include "tree/aabb_tree.h"

/* Into how many subtrees the work of a refit is cut, at least, so that threads share it evenly. */
#define PARTS 64u

/* Boxes of the items where they are now, and the tree of boxes around them. */
static tact_status build_boxes(aabb_tree *boxes_tree, const moving_tree_def *def)
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
    const tact_status status = tact_aabb_tree_build(boxes_tree, boxes, def->item_count, &tree_def);
    tact_memory_free(&def->allocator, boxes, def->item_count, sizeof *boxes);
    return status;
}

/* The group that all of a node's items are of, or 0. */
static uint32_t solo_of_node(const moving_tree *tree, uint32_t node)
{
    const uint32_t *solo = tree->slot_group + (size_t)TREE_WIDTH * node;
    for (unsigned k = 1; k < TREE_WIDTH && tree->nodes[node].child[k] != TREE_NONE; ++k)
        if (solo[k] != solo[0])
            return 0;
    return solo[0];
}

static bool find_solos(moving_tree *tree, const uint32_t *groups)
{
    bool some = false;
    for (uint32_t i = 0; groups != NULL && i < tree->item_count; ++i)
        some = some || groups[i] != 0;
    if (!some)
        return true;
    tree->slot_group = tact_memory_allocate(&tree->allocator, tree->node_count, TREE_WIDTH * sizeof *tree->slot_group);
    if (tree->slot_group == NULL)
        return false;
    for (uint32_t i = tree->node_count; i-- > 0;)
        for (unsigned k = 0; k < TREE_WIDTH; ++k) {
            const uint32_t child = tree->nodes[i].child[k];
            tree->slot_group[(size_t)TREE_WIDTH * i + k] = child == TREE_NONE    ? 0
                                                           : tree_is_leaf(child) ? groups[tree_item(child)]
                                                                                 : solo_of_node(tree, child);
        }
    return true;
}

/* Cuts the tree into subtrees of at most `most` nodes and the nodes above. With parts NULL only counts. */
static void cut_parts(moving_tree *tree, const uint32_t *ends, uint32_t most, bool count_only)
{
    tree->subtree_count = tree->top_node_count = 0;
    for (uint32_t i = 0; i < tree->node_count;) {
        if (ends[i] - i <= most) {
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

static bool find_parts(moving_tree *tree)
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
    const uint32_t most = tree->node_count / PARTS + 1;
    cut_parts(tree, ends, most, true);
    const uint32_t parts = tree->subtree_count, top = tree->top_node_count;
    tree->subtrees = parts > 0 ? tact_memory_allocate(&tree->allocator, parts, sizeof *tree->subtrees) : NULL;
    tree->top_nodes = top > 0 ? tact_memory_allocate(&tree->allocator, top, sizeof *tree->top_nodes) : NULL;
    const bool fine = (parts == 0 || tree->subtrees != NULL) && (top == 0 || tree->top_nodes != NULL);
    if (fine)
        cut_parts(tree, ends, most, false);
    memset(tree->is_top_node, 0, tree->node_count);
    for (uint32_t i = 0; fine && i < tree->top_node_count; ++i)
        tree->is_top_node[tree->top_nodes[i]] = 1;
    tact_memory_free(&tree->allocator, ends, tree->node_count, sizeof *ends);
    return fine;
}

/* Numbers the items in the order in which they lie. */
static void number_things(moving_tree *tree, uint32_t *order)
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
    aabb_tree boxes;
    tact_status status = build_boxes(&boxes, def);
    if (status != TACT_OK)
        return status;
    tree->item_count = def->item_count;
    tree->node_count = boxes.node_count;
    tree->item_points = def->item_points;
    /* the topology is all that is kept of it */
    tree->nodes = tact_memory_allocate(&tree->allocator, tree->node_count, sizeof *tree->nodes);
    status = TACT_OUT_OF_MEMORY;
    if (tree->nodes != NULL) {
        memcpy(tree->nodes, boxes.nodes, tree->node_count * sizeof *tree->nodes);
        if (find_solos(tree, def->groups) && find_parts(tree))
            status = tact_moving_tree_find_skeleton(tree, def->point_count, boxes.parent_slot, boxes.item_slot);
    }
    tact_aabb_tree_release(&boxes);
    if (status == TACT_OK) {
        tree->bounds = tact_memory_allocate(&tree->allocator, tree->node_count, sizeof *tree->bounds);
        status = tree->bounds != NULL ? TACT_OK : TACT_OUT_OF_MEMORY;
    }
    if (status != TACT_OK) {
        tact_moving_tree_release(tree);
        return status;
    }
    number_things(tree, def->order);
    tree->item_points = NULL; /* those were in the old order */
    return TACT_OK;
}

void tact_moving_tree_release(moving_tree *tree)
{
    const tact_allocator allocator = tree->allocator;
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
