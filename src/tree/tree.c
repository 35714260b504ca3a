/* The topology check that all trees share. */
#include "tree/tree.h"

#include <string.h>

#include "core/memory.h"
#include "core/report.h"

/* `levels` (a byte per node) and `seen` (a bit per item) are scratch memory. */
static tact_status check_links(const tree_node *nodes, uint32_t node_count, uint32_t item_count, uint8_t *levels,
                               uint8_t *seen, tact_report *report)
{
    uint32_t found = 0;
    memset(levels, 0, node_count);
    memset(seen, 0, item_count / 8 + 1);
    levels[0] = 1;
    for (uint32_t i = 0; i < node_count; ++i) {
        const uint32_t *child = nodes[i].child;
        if (levels[i] == 0)
            return tact_report_fill(report, TACT_BAD_ARGUMENT, "node %lu is not below the root", (unsigned long)i);
        const unsigned count = tree_child_count(&nodes[i]);
        for (unsigned k = count; k < TREE_WIDTH; ++k)
            if (child[k] != TREE_NONE)
                return tact_report_fill(report, TACT_BAD_ARGUMENT, "node %lu has an empty slot before a used one",
                                        (unsigned long)i);
        if (count < 2 && item_count > 1)
            return tact_report_fill(report, TACT_BAD_ARGUMENT, "node %lu has fewer than two children",
                                    (unsigned long)i);
        for (unsigned k = 0; k < count; ++k) {
            if (tree_is_leaf(child[k])) {
                uint32_t item = tree_item(child[k]);
                if (item >= item_count)
                    return tact_report_fill(report, TACT_BAD_ARGUMENT, "item %lu is out of range", (unsigned long)item);
                if ((seen[item / 8] >> item % 8 & 1) != 0)
                    return tact_report_fill(report, TACT_BAD_ARGUMENT, "item %lu occurs twice", (unsigned long)item);
                seen[item / 8] |= (uint8_t)(1u << item % 8);
                ++found;
            } else if (child[k] <= i || child[k] >= node_count) {
                return tact_report_fill(report, TACT_BAD_ARGUMENT, "child %lu of node %lu does not come after it",
                                        (unsigned long)child[k], (unsigned long)i);
            } else if (levels[child[k]] != 0) {
                return tact_report_fill(report, TACT_BAD_ARGUMENT, "node %lu has two parents", (unsigned long)child[k]);
            } else if (levels[i] >= TREE_MAX_DEPTH) {
                return tact_report_fill(report, TACT_BAD_ARGUMENT, "node %lu is too deep", (unsigned long)child[k]);
            } else {
                levels[child[k]] = (uint8_t)(levels[i] + 1);
            }
        }
    }
    if (found != item_count)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "%lu items are missing",
                                (unsigned long)(item_count - found));
    return TACT_OK;
}

tact_status tact_tree_check_links(const tree_node *nodes, uint32_t node_count, uint32_t item_count,
                                  const tact_allocator *allocator, tact_report *report)
{
    if (item_count > TREE_MAX_ITEMS || node_count > item_count || node_count == 0)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "more nodes than items, or too many items");
    const size_t size = (size_t)node_count + item_count / 8 + 1;
    uint8_t *scratch = tact_memory_allocate(allocator, size, 1);
    if (scratch == NULL)
        return tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory while checking the tree");
    tact_status status = check_links(nodes, node_count, item_count, scratch, scratch + node_count, report);
    tact_memory_free(allocator, scratch, size, 1);
    return status;
}
