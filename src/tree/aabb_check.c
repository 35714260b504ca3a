/* Whether a tree of boxes is well formed. Reads nothing that a damaged tree could lead outside its arrays. O(n). */
#include <string.h>

#include "core/memory.h"
#include "core/report.h"
#include "tree/aabb_parts.h"

/* The topology alone: what the traversals rely on. `levels` and `seen` are scratch: a byte a node, a bit a thing. */
static tact_status check_links(const aabb_tree *tree, uint8_t *levels, uint8_t *seen, tact_report *report)
{
    uint32_t found = 0;
    memset(levels, 0, tree->node_count);
    memset(seen, 0, tree->thing_count / 8 + 1);
    levels[0] = 1;
    for (uint32_t i = 0; i < tree->node_count; ++i) {
        const uint32_t *child = tree->nodes[i].child;
        if (levels[i] == 0)
            return tact_report_fill(report, TACT_BAD_ARGUMENT, "node %lu is not below the root", (unsigned long)i);
        unsigned count = 0;
        while (count < TREE_WIDTH && child[count] != TREE_NONE)
            ++count;
        for (unsigned k = count; k < TREE_WIDTH; ++k)
            if (child[k] != TREE_NONE)
                return tact_report_fill(report, TACT_BAD_ARGUMENT, "node %lu has a gap", (unsigned long)i);
        if (count < 2 && tree->thing_count > 1)
            return tact_report_fill(report, TACT_BAD_ARGUMENT, "node %lu has fewer than two children",
                                    (unsigned long)i);
        for (unsigned k = 0; k < count; ++k) {
            if (tree_is_leaf(child[k])) {
                uint32_t thing = tree_thing(child[k]);
                if (thing >= tree->thing_count)
                    return tact_report_fill(report, TACT_BAD_ARGUMENT, "thing %lu is out of range",
                                            (unsigned long)thing);
                if ((seen[thing / 8] >> thing % 8 & 1) != 0)
                    return tact_report_fill(report, TACT_BAD_ARGUMENT, "thing %lu is there twice",
                                            (unsigned long)thing);
                seen[thing / 8] |= (uint8_t)(1u << thing % 8);
                ++found;
            } else if (child[k] <= i || child[k] >= tree->node_count) {
                return tact_report_fill(report, TACT_BAD_ARGUMENT, "child %lu of node %lu is not after it",
                                        (unsigned long)child[k], (unsigned long)i);
            } else if (levels[child[k]] != 0) {
                return tact_report_fill(report, TACT_BAD_ARGUMENT, "node %lu has two parents",
                                        (unsigned long)child[k]);
            } else if (levels[i] >= TREE_MOST_LEVELS) {
                return tact_report_fill(report, TACT_BAD_ARGUMENT, "node %lu is too deep", (unsigned long)child[k]);
            } else {
                levels[child[k]] = (uint8_t)(levels[i] + 1);
            }
            uint32_t place = TREE_WIDTH * i + k;
            if (tree->homes != NULL && (tree_is_leaf(child[k]) ? tree->homes[tree_thing(child[k])]
                                                               : tree->parents[child[k]]) != place)
                return tact_report_fill(report, TACT_BAD_ARGUMENT, "the way back to node %lu is wrong",
                                        (unsigned long)i);
        }
    }
    if (found != tree->thing_count)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "%lu things are missing",
                                (unsigned long)(tree->thing_count - found));
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
            box want = have; /* of a thing, without boxes, nothing is known but that no bound is NaN */
            if (child == TREE_NONE)
                want = nothing;
            else if (!tree_is_leaf(child))
                want = box4_unite(&tree->bounds[child]);
            else if (boxes != NULL)
                want = boxes[tree_thing(child)];
            if (!same_box(&have, &want))
                return tact_report_fill(report, TACT_BAD_ARGUMENT, "box %u of node %lu does not fit", k,
                                        (unsigned long)i);
        }
    }
    const box all = box4_unite(&tree->bounds[0]);
    if (!same_box(&all, &tree->whole))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "the box around all does not fit");
    return TACT_OK;
}

tact_status tact_aabb_tree_check(const aabb_tree *tree, const box *boxes, tact_report *report)
{
    if (tree->thing_count == 0 || tree->node_count == 0) {
        if (tree->thing_count != tree->node_count)
            return tact_report_fill(report, TACT_BAD_ARGUMENT, "things without nodes, or nodes without things");
        return tact_report_clear(report);
    }
    if (tree->thing_count > TREE_MOST || tree->node_count > tree->thing_count)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "more nodes than things, or too many of both");
    const size_t room = (size_t)tree->node_count + tree->thing_count / 8 + 1;
    uint8_t *scratch = tact_memory_take(&tree->allocator, room, 1);
    if (scratch == NULL)
        return tact_report_fill(report, TACT_OUT_OF_MEMORY, "no memory to check the tree");
    tact_status status = check_links(tree, scratch, scratch + tree->node_count, report);
    if (status == TACT_OK)
        status = check_bounds(tree, boxes, report);
    tact_memory_give(&tree->allocator, scratch, room, 1);
    return status == TACT_OK ? tact_report_clear(report) : status;
}
