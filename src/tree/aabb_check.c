/* Validation of AABB trees. Reads nothing outside the arrays, even of a damaged tree. O(n). */
#include "core/report.h"
#include "tree/aabb_internal.h"

static tact_status check_parent_links(const aabb_tree *tree, tact_report *report)
{
    for (uint32_t i = 0; i < tree->node_count; ++i)
        for (unsigned k = 0; k < TREE_WIDTH && tree->nodes[i].child[k] != TREE_NONE; ++k) {
            const uint32_t child = tree->nodes[i].child[k];
            if ((tree_is_leaf(child) ? tree->item_slot[tree_item(child)] : tree->parent_slot[child]) !=
                TREE_WIDTH * i + k)
                return tact_report_fill(report, TACT_BAD_ARGUMENT, "a parent link to node %lu is wrong",
                                        (unsigned long)i);
        }
    return TACT_OK;
}

/* Equal as bounds: 0 equals -0. */
static bool same_box(const box *a, const box *b)
{
    bool same = true;
    for (int i = 0; i < 3; ++i)
        same = same && a->min[i] == b->min[i] && a->max[i] == b->max[i];
    return same;
}

static tact_status check_bounds(const aabb_tree *tree, const box *boxes, tact_report *report)
{
    const box empty = box_empty();
    for (uint32_t i = 0; i < tree->node_count; ++i) {
        for (unsigned k = 0; k < TREE_WIDTH; ++k) {
            const uint32_t child = tree->nodes[i].child[k];
            const box actual = box4_get(&tree->bounds[i], k);
            box expected = actual; /* of an item, without boxes, only NaN can be detected */
            if (child == TREE_NONE)
                expected = empty;
            else if (!tree_is_leaf(child))
                expected = box4_union(&tree->bounds[child]);
            else if (boxes != NULL)
                expected = boxes[tree_item(child)];
            if (!same_box(&actual, &expected))
                return tact_report_fill(report, TACT_BAD_ARGUMENT, "box %u of node %lu is not the box of its items", k,
                                        (unsigned long)i);
        }
    }
    const box all = box4_union(&tree->bounds[0]);
    if (!same_box(&all, &tree->root_box))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "the root box is not the box of all items");
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
        status = check_parent_links(tree, report);
    if (status == TACT_OK)
        status = check_bounds(tree, boxes, report);
    return status == TACT_OK ? tact_report_clear(report) : status;
}
