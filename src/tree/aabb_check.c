/* Whether a tree of boxes is well formed. Reads nothing that a damaged tree could lead outside its arrays. O(n). */
#include "core/report.h"
#include "tree/aabb_internal.h"

/* Do items and nodes know where they are? */
static tact_status check_ways_back(const aabb_tree *tree, tact_report *report)
{
    for (uint32_t i = 0; i < tree->node_count; ++i)
        for (unsigned k = 0; k < TREE_WIDTH && tree->nodes[i].child[k] != TREE_NONE; ++k) {
            const uint32_t child = tree->nodes[i].child[k];
            if ((tree_is_leaf(child) ? tree->item_slot[tree_item(child)] : tree->parent_slot[child]) !=
                TREE_WIDTH * i + k)
                return tact_report_fill(report, TACT_BAD_ARGUMENT, "the way back to node %lu is wrong",
                                        (unsigned long)i);
        }
    return TACT_OK;
}

/* Equal as bounds: 0 and -0 are. */
static bool same_box(const box *a, const box *b)
{
    bool same = true;
    for (int i = 0; i < 3; ++i)
        same = same && a->min[i] == b->min[i] && a->max[i] == b->max[i];
    return same;
}

static tact_status check_bounds(const aabb_tree *tree, const box *boxes, tact_report *report)
{
    const box nothing = box_empty();
    for (uint32_t i = 0; i < tree->node_count; ++i) {
        for (unsigned k = 0; k < TREE_WIDTH; ++k) {
            const uint32_t child = tree->nodes[i].child[k];
            const box have = box4_get(&tree->bounds[i], k);
            box want = have; /* of an item, without boxes, nothing is known but that no bound is NaN */
            if (child == TREE_NONE)
                want = nothing;
            else if (!tree_is_leaf(child))
                want = box4_union(&tree->bounds[child]);
            else if (boxes != NULL)
                want = boxes[tree_item(child)];
            if (!same_box(&have, &want))
                return tact_report_fill(report, TACT_BAD_ARGUMENT, "box %u of node %lu does not fit", k,
                                        (unsigned long)i);
        }
    }
    const box all = box4_union(&tree->bounds[0]);
    if (!same_box(&all, &tree->root_box))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "the box around all does not fit");
    return TACT_OK;
}

tact_status tact_aabb_tree_check(const aabb_tree *tree, const box *boxes, tact_report *report)
{
    if (tree->item_count == 0 || tree->node_count == 0) {
        if (tree->item_count != tree->node_count)
            return tact_report_fill(report, TACT_BAD_ARGUMENT, "items without nodes, or nodes without items");
        return tact_report_clear(report);
    }
    tact_status status =
        tact_tree_check_links(tree->nodes, tree->node_count, tree->item_count, &tree->allocator, report);
    if (status == TACT_OK && tree->item_slot != NULL)
        status = check_ways_back(tree, report);
    if (status == TACT_OK)
        status = check_bounds(tree, boxes, report);
    return status == TACT_OK ? tact_report_clear(report) : status;
}
