/*
 * Nearest items: branch and bound by the distance of boxes.
 *
 * Guarantees: no item (pair of items) whose distance, between the hulls of placed vertices in the world, is at most
 * the limit is missed; no allocation. Boxes of both sides are mapped to a frame that only turns and moves, so that
 * lengths are those of the world whatever the placements do, and compared there by the boxes around them, which is
 * exact for a rigid tree against a point. Depth first, in each node by distance: a true best-first search (Hjaltason
 * and Samet, 1999) visits fewer nodes but needs a queue without a bound.
 */
#include <assert.h>

#include "tree/aabb_internal.h"

/* A box in the common frame, spread over the lanes: twice its middle, twice its half extents with the slack. */
typedef struct target {
    simde__m128 middle[3], extent[3];
} target;

static target target_of(const relative_frame *view, const float slack[4], simde__m128 min, simde__m128 max)
{
    simde__m128 origin = simde_mm_loadu_ps(view->origin), wide = simde_mm_loadu_ps(slack);
    simde__m128 middle =
        simde_mm_add_ps(mat3_mul_vec(view->linear, simde_mm_add_ps(max, min)), simde_mm_add_ps(origin, origin));
    simde__m128 extent =
        simde_mm_add_ps(mat3_mul_vec(view->abs_linear, simde_mm_sub_ps(max, min)), simde_mm_add_ps(wide, wide));
    target t = {{SPLAT(middle, 0), SPLAT(middle, 1), SPLAT(middle, 2)},
                {SPLAT(extent, 0), SPLAT(extent, 1), SPLAT(extent, 2)}};
    return t;
}

/* Squares and sums of gaps are off by less, relatively; and what is smaller than a float counts as 0. */
#define SQUARE_ROUNDING (16.0f * FLT_EPSILON)

/* Lower bounds of the squares of the distances between the four, seen by `view`, and the target. */
TACT_FORCE_INLINE void distances4(const relative_frame *view, const box4 *four, const target *t,
                                  float square[TREE_WIDTH])
{
    simde__m128 centre[3], half[3], sum = simde_mm_setzero_ps();
    for (int i = 0; i < 3; ++i) {
        simde__m128 min = simde_mm_loadu_ps(four->min[i]), max = simde_mm_loadu_ps(four->max[i]);
        centre[i] = simde_mm_add_ps(max, min);
        half[i] = simde_mm_sub_ps(max, min);
    }
    for (int i = 0; i < 3; ++i) {
        simde__m128 middle = simde_mm_set1_ps(2.0f * view->origin[i]), extent = t->extent[i];
        for (int j = 0; j < 3; ++j) {
            middle = simde_mm_add_ps(middle, simde_mm_mul_ps(simde_mm_set1_ps(view->linear[j][i]), centre[j]));
            extent = simde_mm_add_ps(extent, simde_mm_mul_ps(simde_mm_set1_ps(view->abs_linear[j][i]), half[j]));
        }
        simde__m128 gap = simde_mm_sub_ps(abs4(simde_mm_sub_ps(middle, t->middle[i])), extent);
        gap = simde_mm_max_ps(gap, simde_mm_setzero_ps()); /* 0 for NaN */
        sum = simde_mm_add_ps(sum, simde_mm_mul_ps(gap, gap));
    }
    simde_mm_storeu_ps(square, simde_mm_mul_ps(sum, simde_mm_set1_ps(0.25f * (1.0f - SQUARE_ROUNDING))));
}

/* Is a distance whose square is at least `square` beyond the limit? */
static inline bool beyond(float square, double limit) { return (double)square > limit * limit; }

/* The places of `found` children that are within the limit, the nearest last. */
static unsigned sort(const float square[TREE_WIDTH], unsigned taken, double limit, unsigned order[TREE_WIDTH])
{
    unsigned found = 0;
    for (unsigned k = 0; k < TREE_WIDTH; ++k) {
        if ((taken >> k & 1) == 0 || beyond(square[k], limit))
            continue;
        unsigned j = found++;
        for (; j > 0 && square[order[j - 1]] < square[k]; --j)
            order[j] = order[j - 1];
        order[j] = k;
    }
    return found;
}

typedef struct near_node {
    float square;
    uint32_t node;
} near_node;

double tact_aabb_tree_nearest(const aabb_tree *tree, const tact_transform *at, const box *query,
                              const tact_transform *query_at, double limit, tree_visit_bounded *visit, void *context)
{
    if (tree->node_count == 0 || box_is_empty(query))
        return limit;
    common_frame gauge;
    tact_common_frame_make(at, &tree->root_box, query_at, query, &gauge);
    const target t =
        target_of(&gauge.b, gauge.a.slack, simde_mm_setr_ps(query->min[0], query->min[1], query->min[2], 0.0f),
                  simde_mm_setr_ps(query->max[0], query->max[1], query->max[2], 0.0f));
    near_node waiting[AABB_NODE_STACK];
    unsigned count = 1;
    waiting[0] = (near_node){0.0f, 0};
    while (count > 0) {
        const near_node next = waiting[--count];
        if (beyond(next.square, limit))
            continue;
        const tree_node *children = &tree->nodes[next.node];
        float square[TREE_WIDTH];
        unsigned order[TREE_WIDTH];
        distances4(&gauge.a, &tree->bounds[next.node], &t, square);
        const unsigned found = sort(square, aabb_used_slots(children), limit, order);
        for (unsigned j = 0; j < found; ++j)
            if (!tree_is_leaf(children->child[order[j]]))
                waiting[count++] = (near_node){square[order[j]], children->child[order[j]]};
        for (unsigned j = found; j-- > 0;) {
            const uint32_t child = children->child[order[j]];
            if (!tree_is_leaf(child) || beyond(square[order[j]], limit))
                continue;
            limit = visit(context, tree_item(child), limit);
            if (limit < 0.0)
                return limit;
        }
    }
    return limit;
}

typedef struct near_pair {
    aabb_pair pair;
    float square;
} near_pair;

double tact_aabb_tree_nearest_pairs(const aabb_tree *a, const tact_transform *transform_a, const aabb_tree *b,
                                    const tact_transform *transform_b, double limit, tree_visit_pair_bounded *visit,
                                    void *context)
{
    if (a->node_count == 0 || b->node_count == 0)
        return limit;
    common_frame gauge;
    tact_common_frame_make(transform_a, &a->root_box, transform_b, &b->root_box, &gauge);
    near_pair waiting[AABB_PAIR_STACK];
    unsigned count = 1;
    waiting[0] = (near_pair){{AABB_ROOT_SLOT, AABB_ROOT_SLOT, 0, 0, 1}, 0.0f};
    while (count > 0) {
        const near_pair next = waiting[--count];
        if (beyond(next.square, limit))
            continue;
        const aabb_pair p = next.pair;
        const aabb_tree *opened = p.open_a ? a : b;
        const uint32_t node = p.open_a ? p.child_a : p.child_b, fixed = p.open_a ? p.child_b : p.child_a;
        const tree_node *children = &opened->nodes[node];
        simde__m128 min, max;
        aabb_load_slot(p.open_a ? b : a, p.open_a ? p.slot_b : p.slot_a, &min, &max);
        const target t = target_of(p.open_a ? &gauge.b : &gauge.a, gauge.a.slack, min, max);
        float square[TREE_WIDTH], size[4];
        unsigned order[TREE_WIDTH];
        distances4(p.open_a ? &gauge.a : &gauge.b, &opened->bounds[node], &t, square);
        const unsigned found = sort(square, aabb_used_slots(children), limit, order);
        simde_mm_storeu_ps(size, simde_mm_sub_ps(max, min));
        const unsigned larger = aabb_larger(&opened->bounds[node], size[0] + size[1] + size[2]);
        for (unsigned j = 0; j < found; ++j) {
            const uint32_t child = children->child[order[j]];
            if (tree_is_leaf(child) && tree_is_leaf(fixed))
                continue;
            assert(count < AABB_PAIR_STACK);
            waiting[count++] =
                (near_pair){aabb_child_pair(p, child, order[j], (larger >> order[j] & 1) != 0), square[order[j]]};
        }
        for (unsigned j = found; j-- > 0;) {
            const uint32_t child = children->child[order[j]];
            if (!tree_is_leaf(child) || !tree_is_leaf(fixed) || beyond(square[order[j]], limit))
                continue;
            limit = p.open_a ? visit(context, tree_item(child), tree_item(fixed), limit)
                             : visit(context, tree_item(fixed), tree_item(child), limit);
            if (limit < 0.0)
                return limit;
        }
    }
    return limit;
}
