/*
 * Nearest pairs of items by branch and bound on boxes of doubles.
 *
 * Boxes of floats, in frames whose slack grows with the whole tree, tell items apart down to some 1e-6 of the tree's
 * size. Where more items than that are equally far - a giant triangle among dust, needles of 1e-300, vertices that are
 * all equal - the search with them visits all pairs. Here the boxes are doubles in the world, computed for one search
 * from the items, and a box no closer than the best pair by more than the slack is left out. So of many pairs that are
 * equally far only the first is visited.
 *
 * Guarantee: every pair of items is visited whose boxes are closer than the limit by more than the slack. Cost:
 * 48 bytes and some 20 ns a box for the boxes; then O(log n) for each visited pair as a rule.
 */
#include <assert.h>
#include <math.h>

#include "core/number.h"
#include "tree/aabb_internal.h"

static aabb_wide_box wide_empty(void)
{
    return (aabb_wide_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void wide_add(aabb_wide_box *b, const aabb_wide_box *more)
{
    for (int i = 0; i < 3; ++i) {
        b->min[i] = number_min(b->min[i], more->min[i]);
        b->max[i] = number_max(b->max[i], more->max[i]);
    }
}

static aabb_wide_box wide_union(const aabb_wide_box four[TREE_WIDTH])
{
    aabb_wide_box all = wide_empty();
    for (unsigned k = 0; k < TREE_WIDTH; ++k)
        wide_add(&all, &four[k]);
    return all;
}

void tact_aabb_tree_wide_boxes(const aabb_tree *tree, aabb_item_box *box_of, void *context, aabb_wide_box *slots)
{
    for (uint32_t i = tree->node_count; i-- > 0;) /* children come after parents */
        for (unsigned k = 0; k < TREE_WIDTH; ++k) {
            const uint32_t child = tree->nodes[i].child[k];
            aabb_wide_box *slot = &slots[TREE_WIDTH * (size_t)i + k];
            if (child == TREE_NONE)
                *slot = wide_empty();
            else if (tree_is_leaf(child))
                *slot = box_of(context, tree_item(child));
            else
                *slot = wide_union(&slots[TREE_WIDTH * (size_t)child]);
        }
}

/* The distance of two boxes. Its square may underflow. */
static double wide_distance(const aabb_wide_box *a, const aabb_wide_box *b)
{
    double gap[3], most = 0.0;
    for (int i = 0; i < 3; ++i) {
        gap[i] = number_max(number_max(b->min[i] - a->max[i], a->min[i] - b->max[i]), 0.0);
        most = number_max(most, gap[i]);
    }
    if (!(most > 0.0) || !(most < INFINITY))
        return most;
    double sum = 0.0;
    for (int i = 0; i < 3; ++i)
        sum += gap[i] / most * (gap[i] / most);
    return most * sqrt(sum);
}

static double wide_size(const aabb_wide_box *b)
{
    return number_max(b->max[0] - b->min[0], number_max(b->max[1] - b->min[1], b->max[2] - b->min[2]));
}

typedef struct wide_pair {
    const aabb_wide_box *box_a, *box_b;
    uint32_t child_a, child_b;
    double distance;
} wide_pair;

/* No closer than the limit by more than the slack: the best pair is as good. */
static bool is_beyond(double distance, double limit, double slack)
{
    return distance >= limit * (1.0 - AABB_WIDE_ACCURACY) - slack;
}

double tact_aabb_tree_nearest_pairs_wide(const aabb_wide_tree *a, const aabb_wide_tree *b, double slack, double limit,
                                         tree_visit_pair_bounded *visit, void *context)
{
    if (a->tree->node_count == 0 || b->tree->node_count == 0)
        return limit;
    const aabb_wide_box root_a = wide_union(a->slots), root_b = wide_union(b->slots);
    wide_pair stack[AABB_PAIR_STACK];
    unsigned count = 1;
    stack[0] = (wide_pair){&root_a, &root_b, 0, 0, 0.0};
    work_meter *const work = tact_work_current();
    while (count > 0) {
        if (!work_add(work, 1))
            return -1.0;
        const wide_pair p = stack[--count];
        if (is_beyond(p.distance, limit, slack))
            continue;
        const bool leaf_a = tree_is_leaf(p.child_a), leaf_b = tree_is_leaf(p.child_b);
        if (leaf_a && leaf_b) {
            limit = visit(context, tree_item(p.child_a), tree_item(p.child_b), limit);
            if (limit < 0.0)
                return limit;
            continue;
        }
        const bool open_a = !leaf_a && (leaf_b || wide_size(p.box_a) >= wide_size(p.box_b));
        const uint32_t node = open_a ? p.child_a : p.child_b;
        const aabb_wide_box *boxes = (open_a ? a : b)->slots + TREE_WIDTH * (size_t)node;
        const unsigned first = count;
        for (unsigned k = 0; k < TREE_WIDTH; ++k) {
            const uint32_t child = (open_a ? a : b)->tree->nodes[node].child[k];
            if (child == TREE_NONE)
                continue;
            wide_pair q = p;
            *(open_a ? &q.box_a : &q.box_b) = &boxes[k];
            *(open_a ? &q.child_a : &q.child_b) = child;
            q.distance = wide_distance(q.box_a, q.box_b);
            if (is_beyond(q.distance, limit, slack))
                continue;
            assert(count < AABB_PAIR_STACK);
            unsigned at = count++; /* the closest last */
            for (; at > first && stack[at - 1].distance < q.distance; --at)
                stack[at] = stack[at - 1];
            stack[at] = q;
        }
    }
    return limit;
}
