/*
 * Refitting moving trees: bottom-up, both ends at once, subtrees in parallel.
 *
 * Guarantees: a bound contains its items at every instant (bounds/moving_bound.h): the bounds of points are expanded
 * for rounding, and unions do not round. Each node is computed from its children only, so the bounds are the same on
 * any number of threads. The four bounds of a node are computed with a direction per lane and transposed, four at a
 * time, to a bound per lane.
 */
#include <string.h>

#include "core/avx2.h"
#include "core/parallel.h"
#include "math/fp_environment.h"
#include "tree/moving_tree.h"

/* The union of the four bounds of a node, a direction per lane. */
TACT_FORCE_INLINE moving_bound union_of_four(const moving_bound4 *four)
{
    moving_bound u;
    for (int g = 0; g < MOVING_GROUPS; ++g)
        for (int end = 0; end < 2; ++end) {
            __m128 side[2];
            for (int s = 0; s < 2; ++s) {
                __m128 d[4];
                for (int i = 0; i < 4; ++i)
                    d[i] = 4 * g + i < MOVING_DIRECTIONS ? _mm_loadu_ps(four->extent[4 * g + i][end][s])
                                                         : _mm_setzero_ps();
                _MM_TRANSPOSE4_PS(d[0], d[1], d[2], d[3]);
                side[s] = _mm_min_ps(_mm_min_ps(d[0], d[1]), _mm_min_ps(d[2], d[3]));
            }
            u.extent[end][g] = float8_combine(side[0], side[1]);
        }
    return u;
}

TACT_FORCE_INLINE void set_all(moving_bound4 *four, const moving_bound bound[4])
{
    for (int g = 0; g < MOVING_GROUPS; ++g)
        for (int end = 0; end < 2; ++end)
            for (int s = 0; s < 2; ++s) {
                __m128 d[4];
                for (int i = 0; i < 4; ++i)
                    d[i] = s == 0 ? float8_low(bound[i].extent[end][g]) : float8_high(bound[i].extent[end][g]);
                _MM_TRANSPOSE4_PS(d[0], d[1], d[2], d[3]);
                for (int i = 0; i < 4 && 4 * g + i < MOVING_DIRECTIONS; ++i)
                    _mm_storeu_ps(four->extent[4 * g + i][end][s], d[i]);
            }
}

TACT_FORCE_INLINE void fit_node(moving_tree *tree, const moving_point *points, uint32_t node)
{
    moving_bound bound[TREE_WIDTH];
    for (unsigned k = 0; k < TREE_WIDTH; ++k) {
        const uint32_t child = tree->nodes[node].child[k];
        if (child == TREE_NONE ||
            (tree_is_leaf(child) && tree->item_points[tree_item(child)][0] == MOVING_TREE_NO_ITEM)) {
            for (int g = 0; g < MOVING_GROUPS; ++g)
                bound[k].extent[0][g] = bound[k].extent[1][g] = float8_broadcast(MOVING_EMPTY);
        } else if (tree_is_leaf(child)) {
            const uint32_t *c = tree->item_points[tree_item(child)];
            bound[k] = moving_bound_of_triangle(&points[c[0]], &points[c[1]], &points[c[2]]);
        } else {
            bound[k] = union_of_four(&tree->bounds[child]);
        }
    }
    set_all(&tree->bounds[node], bound);
}

void tact_moving_tree_fit_range(moving_tree *tree, const moving_point *points, const uint8_t *marks, uint32_t begin,
                                uint32_t end)
{
    for (uint32_t i = end; i-- > begin;)
        if (marks == NULL || marks[i] != 0)
            fit_node(tree, points, i);
}

#ifndef tact_moving_tree_fit_range
typedef struct refit_job {
    moving_tree *tree;
    const moving_point *points;
    const uint8_t *marks;
} refit_job;

static void fit_task(void *data, size_t begin, size_t end)
{
    const refit_job *job = data;
    const fp_environment before = fp_environment_enter();
    for (size_t p = begin; p < end; ++p)
        TACT_DISPATCH_AVX2(tact_moving_tree_fit_range, job->tree, job->points, job->marks, job->tree->subtrees[p].begin,
                           job->tree->subtrees[p].end);
    fp_environment_leave(before);
}

void tact_moving_tree_refit(moving_tree *tree, const moving_point *points, const uint8_t *marks,
                            const tact_parallel *parallel)
{
    refit_job job = {tree, points, marks};
    tact_parallel_for(parallel, tree->subtree_count,
                      tree->subtree_count * MOVING_TREE_REFIT_GRAIN / (tree->item_count + 1) + 1, fit_task, &job);
    const fp_environment before = fp_environment_enter();
    for (uint32_t i = tree->top_node_count; i-- > 0;)
        TACT_DISPATCH_AVX2(tact_moving_tree_fit_range, tree, points, marks, tree->top_nodes[i], tree->top_nodes[i] + 1);
    fp_environment_leave(before);
}

uint32_t tact_moving_tree_mark(const moving_tree *tree, const uint8_t *changed, uint8_t *marks)
{
    uint32_t marked = 0;
    for (uint32_t i = tree->node_count; i-- > 0;) {
        unsigned mark = 0;
        for (unsigned k = 0; k < TREE_WIDTH && tree->nodes[i].child[k] != TREE_NONE; ++k) {
            const uint32_t child = tree->nodes[i].child[k];
            if (tree_is_leaf(child)) {
                const uint32_t *c = tree->item_points[tree_item(child)];
                if (c[0] != MOVING_TREE_NO_ITEM)
                    mark |= (unsigned)((changed[c[0]] | changed[c[1]] | changed[c[2]]) != 0) << k;
            } else {
                mark |= (unsigned)(marks[child] != 0) << k;
            }
        }
        marks[i] = (uint8_t)mark;
        marked += mark != 0;
    }
    return marked;
}
#endif
