/*
 * Nearest items by branch and bound on the distance of boxes.
 *
 * Guarantees: no item, or pair of items, is missed whose world distance, between hulls of transformed vertices, is at
 * most the limit; no allocation. Boxes of both sides are mapped to a common frame that differs from the world by a
 * rigid transform, so that distances are world distances under any affine transform. There their bounding boxes are
 * compared, which is exact for a rigid tree against a point. Depth first, closer children first: best-first search
 * (Hjaltason and Samet 1999) visits fewer nodes but needs a queue of unbounded size.
 */
#include <assert.h>

#include "tree/aabb_internal.h"

/* The bounding box of a query box in the common frame, broadcast to all lanes: twice its centre, its size with twice
 * the slack. */
typedef struct nearest_target {
    __m128 centre2[3], size[3];
} nearest_target;

static nearest_target target_of(const relative_frame *frame, const float slack[4], __m128 min, __m128 max)
{
    __m128 origin = _mm_loadu_ps(frame->origin), one_slack = _mm_loadu_ps(slack);
    __m128 centre2 = _mm_add_ps(mat3_mul_vec(frame->linear, _mm_add_ps(max, min)), _mm_add_ps(origin, origin));
    __m128 size = _mm_add_ps(mat3_mul_vec(frame->abs_linear, _mm_sub_ps(max, min)), _mm_add_ps(one_slack, one_slack));
    nearest_target t = {{SPLAT(centre2, 0), SPLAT(centre2, 1), SPLAT(centre2, 2)},
                        {SPLAT(size, 0), SPLAT(size, 1), SPLAT(size, 2)}};
    return t;
}

/* Lower bounds of the squared distances between the four boxes, mapped by `frame`, and the target. A square below the
 * smallest float counts as 0. */
TACT_FORCE_INLINE void distances4(const relative_frame *frame, const box4 *four, const nearest_target *t,
                                  float square[TREE_WIDTH])
{
    __m128 own_centre2[3], own_size[3], sum = _mm_setzero_ps();
    for (int i = 0; i < 3; ++i) {
        __m128 min = _mm_loadu_ps(four->min[i]), max = _mm_loadu_ps(four->max[i]);
        own_centre2[i] = _mm_add_ps(max, min);
        own_size[i] = _mm_sub_ps(max, min);
    }
    for (int i = 0; i < 3; ++i) {
        __m128 centre2 = _mm_set1_ps(2.0f * frame->origin[i]), size = t->size[i];
        for (int j = 0; j < 3; ++j) {
            centre2 = _mm_add_ps(centre2, _mm_mul_ps(_mm_set1_ps(frame->linear[j][i]), own_centre2[j]));
            size = _mm_add_ps(size, _mm_mul_ps(_mm_set1_ps(frame->abs_linear[j][i]), own_size[j]));
        }
        __m128 gap = _mm_sub_ps(abs4(_mm_sub_ps(centre2, t->centre2[i])), size);
        gap = _mm_max_ps(gap, _mm_setzero_ps()); /* 0 for NaN */
        sum = _mm_add_ps(sum, _mm_mul_ps(gap, gap));
    }
    _mm_storeu_ps(square, _mm_mul_ps(sum, _mm_set1_ps(0.25f * (1.0f - AABB_SQUARE_ERROR))));
}

/* Is a distance whose square is at least `square` beyond the limit? */
static inline bool beyond(float square, double limit) { return (double)square > limit * limit; }

/* The slots in `used` within the limit, the closest last. Returns how many. */
static unsigned sort_within(const float square[TREE_WIDTH], unsigned used, double limit, unsigned order[TREE_WIDTH])
{
    for (unsigned k = 0; k < TREE_WIDTH; ++k)
        used &= ~((unsigned)beyond(square[k], limit) << k);
    return aabb_sort_slots(used, square, order);
}

typedef struct nearest_node {
    float square;
    uint32_t node;
} nearest_node;

/* `below`, and `groups` with `visit_group`, may be NULL. */
TACT_FORCE_INLINE double nearest(const aabb_tree *tree, const tact_transform *transform, const box *query,
                                 const tact_transform *query_transform, double limit, const tree_below *below,
                                 tree_visit_bounded *visit, const uint32_t *groups, tree_visit_bounded *visit_group,
                                 void *context)
{
    if (tree->node_count == 0 || box_is_empty(query))
        return limit;
    if (groups != NULL && groups[0] != TREE_NONE)
        return visit_group(context, groups[0], limit);
    common_frame common;
    tact_common_frame_make(transform, &tree->root_box, query_transform, query, &common);
    __m128 min, max;
    aabb_load_box(query, &min, &max);
    const nearest_target t = target_of(&common.b, common.a.slack, min, max);
    nearest_node stack[AABB_NODE_STACK];
    unsigned count = 1;
    stack[0] = (nearest_node){0.0f, 0};
    work_meter *const work = tact_work_current();
    while (count > 0) {
        if (!work_add(work, 1))
            return -1.0;
        const nearest_node next = stack[--count];
        if (beyond(next.square, limit))
            continue;
        const tree_node *children = &tree->nodes[next.node];
        float square[TREE_WIDTH];
        unsigned order[TREE_WIDTH];
        distances4(&common.a, &tree->bounds[next.node], &t, square);
        const unsigned used = aabb_slots_above(below, transform, &tree->bounds[next.node], aabb_used_slots(children));
        const unsigned found = sort_within(square, used, limit, order);
        for (unsigned j = 0; j < found; ++j) {
            const uint32_t child = children->child[order[j]];
            if (!tree_is_leaf(child) && (groups == NULL || groups[child] == TREE_NONE))
                stack[count++] = (nearest_node){square[order[j]], child};
        }
        for (unsigned j = found; j-- > 0;) {
            const uint32_t child = children->child[order[j]];
            const bool group = groups != NULL && !tree_is_leaf(child) && groups[child] != TREE_NONE;
            if ((!tree_is_leaf(child) && !group) || beyond(square[order[j]], limit))
                continue;
            limit = group ? visit_group(context, groups[child], limit) : visit(context, tree_item(child), limit);
            if (limit < 0.0)
                return limit;
        }
    }
    return limit;
}

double tact_aabb_tree_nearest(const aabb_tree *tree, const tact_transform *transform, const box *query,
                              const tact_transform *query_transform, double limit, tree_visit_bounded *visit,
                              void *context)
{
    return nearest(tree, transform, query, query_transform, limit, NULL, visit, NULL, NULL, context);
}

double tact_aabb_tree_nearest_above(const aabb_tree *tree, const tact_transform *transform, const box *query,
                                    const tact_transform *query_transform, double limit, const tree_below *below,
                                    tree_visit_bounded *visit, void *context)
{
    return nearest(tree, transform, query, query_transform, limit, below, visit, NULL, NULL, context);
}

double tact_aabb_tree_nearest_groups(const aabb_tree *tree, const tact_transform *transform, const box *query,
                                     const tact_transform *query_transform, double limit, tree_visit_bounded *visit,
                                     const uint32_t *groups, tree_visit_bounded *visit_group, void *context)
{
    return nearest(tree, transform, query, query_transform, limit, NULL, visit, groups, visit_group, context);
}

typedef struct nearest_pair {
    aabb_pair pair;
    float square;
} nearest_pair;

double tact_aabb_tree_nearest_pairs(const aabb_tree *a, const tact_transform *transform_a, const aabb_tree *b,
                                    const tact_transform *transform_b, double limit, tree_visit_pair_bounded *visit,
                                    void *context)
{
    if (a->node_count == 0 || b->node_count == 0)
        return limit;
    common_frame common;
    tact_common_frame_make(transform_a, &a->root_box, transform_b, &b->root_box, &common);
    nearest_pair stack[AABB_PAIR_STACK];
    unsigned count = 1;
    stack[0] = (nearest_pair){{AABB_ROOT_SLOT, AABB_ROOT_SLOT, 0, 0, 1}, 0.0f};
    work_meter *const work = tact_work_current();
    while (count > 0) {
        if (!work_add(work, 1))
            return -1.0;
        const nearest_pair next = stack[--count];
        if (beyond(next.square, limit))
            continue;
        const aabb_pair p = next.pair;
        const aabb_tree *opened = p.open_a ? a : b;
        const uint32_t node = p.open_a ? p.child_a : p.child_b, fixed = p.open_a ? p.child_b : p.child_a;
        const tree_node *children = &opened->nodes[node];
        __m128 min, max;
        aabb_load_slot(p.open_a ? b : a, p.open_a ? p.slot_b : p.slot_a, &min, &max);
        const nearest_target t = target_of(p.open_a ? &common.b : &common.a, common.a.slack, min, max);
        float square[TREE_WIDTH], size[4];
        unsigned order[TREE_WIDTH];
        distances4(p.open_a ? &common.a : &common.b, &opened->bounds[node], &t, square);
        const unsigned found = sort_within(square, aabb_used_slots(children), limit, order);
        _mm_storeu_ps(size, _mm_sub_ps(max, min));
        const unsigned larger = aabb_larger(&opened->bounds[node], size[0] + size[1] + size[2]);
        for (unsigned j = 0; j < found; ++j) {
            const uint32_t child = children->child[order[j]];
            if (tree_is_leaf(child) && tree_is_leaf(fixed))
                continue;
            assert(count < AABB_PAIR_STACK);
            stack[count++] =
                (nearest_pair){aabb_child_pair(p, child, order[j], (larger >> order[j] & 1) != 0), square[order[j]]};
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
