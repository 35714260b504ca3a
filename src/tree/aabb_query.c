/*
 * One box, or one ray, against an AABB tree.
 *
 * Guarantees: no item is missed (bounds/relative_frame.h; boxes in the tree's own frame are compared exactly); no
 * allocation; deterministic order. A ray traverses the nodes depth first, closer children first, and skips nodes beyond
 * its shrinking limit. Rays are computed in doubles, so that a distant origin costs no accuracy.
 */
#include <assert.h>

#include "tree/aabb_internal.h"

/* Visits the items and pushes the nodes among the children in `overlap`. Returns false if the visitor stopped. */
TACT_FORCE_INLINE bool visit_children(const tree_node *children, unsigned overlap, uint32_t *stack, unsigned *count,
                                      tree_visit *visit, void *context)
{
    for (unsigned k = TREE_WIDTH; k-- > 0;) {
        if ((overlap >> k & 1) == 0)
            continue;
        if (!tree_is_leaf(children->child[k]))
            stack[(*count)++] = children->child[k];
        else if (!visit(context, tree_item(children->child[k])))
            return false;
    }
    return true;
}

TACT_FORCE_INLINE bool overlap_transformed(const aabb_tree *tree, const sat_frame *frame, const transformed_box *fixed,
                                           sat_axes axes, tree_visit *visit, void *context)
{
    uint32_t stack[AABB_NODE_STACK];
    unsigned count = 1;
    stack[0] = 0;
    work_meter *const work = tact_work_current();
    while (count > 0) {
        if (!work_add(work, 1))
            return false;
        const uint32_t node = stack[--count];
        const tree_node *children = &tree->nodes[node];
        const unsigned overlap = sat4(frame, fixed, &tree->bounds[node], axes) & aabb_used_slots(children);
        if (!visit_children(children, overlap, stack, &count, visit, context))
            return false;
    }
    return true;
}

/* A ray prepared for the slab test. */
typedef struct slab_ray {
    double from[3], slack[3], inverse[3]; /* inverse of the direction: infinite where that is 0 */
} slab_ray;

/* Slab test of the boxes in two lanes. `entry` is a lower bound of the parameter at which the ray enters each. Returns
 * which boxes the ray may hit up to `limit`. NaN (0 * infinity: the ray lies in a face) must not count: min and max
 * return their second argument then. */
TACT_FORCE_INLINE unsigned intersect2(const slab_ray *ray, const box4 *four, int lane, double limit, double entry[2])
{
    __m128d near = _mm_setzero_pd(), far = _mm_set1_pd(limit);
    for (int i = 0; i < 3; ++i) {
        const __m128d from = _mm_set1_pd(ray->from[i]), slack = _mm_set1_pd(ray->slack[i]),
                      inverse = _mm_set1_pd(ray->inverse[i]);
        const __m128d min = _mm_setr_pd((double)four->min[i][lane], (double)four->min[i][lane + 1]);
        const __m128d max = _mm_setr_pd((double)four->max[i][lane], (double)four->max[i][lane + 1]);
        const __m128d first = _mm_mul_pd(_mm_sub_pd(_mm_sub_pd(min, from), slack), inverse);
        const __m128d second = _mm_mul_pd(_mm_add_pd(_mm_sub_pd(max, from), slack), inverse);
        const bool negative = ray->inverse[i] < 0.0;
        near = _mm_max_pd(negative ? second : first, near);
        far = _mm_min_pd(negative ? first : second, far);
    }
    near = _mm_mul_pd(near, _mm_set1_pd(1.0 - AABB_RAY_ERROR));
    far = _mm_mul_pd(far, _mm_set1_pd(1.0 + AABB_RAY_ERROR));
    _mm_storeu_pd(entry, near);
    return ~(unsigned)_mm_movemask_pd(_mm_cmpgt_pd(near, far)) & 3;
}

typedef struct ray_node {
    double entry;
    uint32_t node;
} ray_node;

bool tact_aabb_tree_overlap(const aabb_tree *tree, const box *query, tree_visit *visit, void *context)
{
    uint32_t stack[AABB_NODE_STACK];
    unsigned count = 0;
    if (tree->node_count > 0)
        stack[count++] = 0;
    work_meter *const work = tact_work_current();
    while (count > 0) {
        if (!work_add(work, 1))
            return false;
        const uint32_t node = stack[--count];
        const tree_node *children = &tree->nodes[node];
        const unsigned overlap = box4_overlap(&tree->bounds[node], query) & aabb_used_slots(children);
        if (!visit_children(children, overlap, stack, &count, visit, context))
            return false;
    }
    return true;
}

bool tact_aabb_tree_overlap_transformed(const aabb_tree *tree, const tact_transform *transform, const box *query,
                                        const tact_transform *query_transform, sat_axes axes, tree_visit *visit,
                                        void *context)
{
    if (tree->node_count == 0 || box_is_empty(query))
        return true;
    sat_frames frames;
    tact_sat_frames_make(transform, &tree->root_box, query_transform, query, axes, &frames);
    __m128 min, max;
    aabb_load_box(query, &min, &max);
    const transformed_box fixed = transformed_box_make(&frames.ab, min, max);
    if (axes == SAT_ALL_AXES)
        return overlap_transformed(tree, &frames.ab, &fixed, SAT_ALL_AXES, visit, context);
    return overlap_transformed(tree, &frames.ab, &fixed, SAT_FACE_AXES, visit, context);
}

double tact_aabb_tree_ray(const aabb_tree *tree, const tact_transform *transform, tact_vec3 from, tact_vec3 direction,
                          double max, tree_visit_bounded *visit, void *context)
{
    if (tree->node_count == 0)
        return max;
    local_ray local;
    tact_local_ray_make(transform, &tree->root_box, from, direction, &local);
    slab_ray ray;
    for (int i = 0; i < 3; ++i) {
        /* with an infinite slack no slab clips the ray */
        ray.from[i] = local.slack[i] < INFINITY ? local.from[i] : 0.0;
        ray.slack[i] = local.slack[i];
        ray.inverse[i] = local.slack[i] < INFINITY ? 1.0 / local.direction[i] : INFINITY;
    }
    ray_node stack[AABB_NODE_STACK];
    unsigned count = 1;
    stack[0] = (ray_node){0.0, 0};
    work_meter *const work = tact_work_current();
    while (count > 0) {
        if (!work_add(work, 1))
            return -1.0;
        const ray_node next = stack[--count];
        if (next.entry > max)
            continue;
        const tree_node *children = &tree->nodes[next.node];
        double entry[TREE_WIDTH];
        const box4 *four = &tree->bounds[next.node];
        unsigned hit = intersect2(&ray, four, 0, max, entry) | intersect2(&ray, four, 2, max, entry + 2) << 2;
        hit &= aabb_used_slots(children);
        /* the closest last, to be popped first; items at once, in order */
        unsigned order[TREE_WIDTH], found = 0;
        for (unsigned k = 0; k < TREE_WIDTH; ++k) {
            if ((hit >> k & 1) == 0)
                continue;
            unsigned j = found++;
            for (; j > 0 && entry[order[j - 1]] < entry[k]; --j)
                order[j] = order[j - 1];
            order[j] = k;
        }
        for (unsigned j = 0; j < found; ++j)
            if (!tree_is_leaf(children->child[order[j]]))
                stack[count++] = (ray_node){entry[order[j]], children->child[order[j]]};
        for (unsigned j = found; j-- > 0;) {
            if (!tree_is_leaf(children->child[order[j]]) || entry[order[j]] > max)
                continue;
            max = visit(context, tree_item(children->child[order[j]]), max);
            if (max < 0.0)
                return max;
        }
    }
    return max;
}
