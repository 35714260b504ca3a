/*
 * One box, or one ray, against a tree of boxes.
 *
 * Guarantees: nothing is missed (view.h; boxes in the tree's own frame are compared exactly); no allocation; the same
 * order every time. A ray goes through the nodes depth first, nearer children first, and skips what its shrinking limit
 * has left behind. Rays are computed in doubles, so that one that comes from far away loses nothing.
 */
#include <assert.h>

#include "tree/aabb_internal.h"

bool tact_aabb_tree_overlap(const aabb_tree *tree, const box *query, tree_visit *visit, void *context)
{
    uint32_t waiting[AABB_NODE_STACK];
    unsigned count = 0;
    if (tree->node_count > 0)
        waiting[count++] = 0;
    while (count > 0) {
        const uint32_t node = waiting[--count];
        const tree_node *children = &tree->nodes[node];
        const unsigned meet = box4_overlap(&tree->bounds[node], query) & aabb_used_slots(children);
        for (unsigned k = TREE_WIDTH; k-- > 0;) {
            if ((meet >> k & 1) == 0)
                continue;
            if (!tree_is_leaf(children->child[k]))
                waiting[count++] = children->child[k];
            else if (!visit(context, tree_item(children->child[k])))
                return false;
        }
    }
    return true;
}

TACT_FORCE_INLINE bool overlap_placed(const aabb_tree *tree, const sat_frame *sight, const transformed_box *fixed,
                                      sat_axes axes, tree_visit *visit, void *context)
{
    uint32_t waiting[AABB_NODE_STACK];
    unsigned count = 1;
    waiting[0] = 0;
    while (count > 0) {
        const uint32_t node = waiting[--count];
        const tree_node *children = &tree->nodes[node];
        const unsigned meet = sat4(sight, fixed, &tree->bounds[node], axes) & aabb_used_slots(children);
        for (unsigned k = TREE_WIDTH; k-- > 0;) {
            if ((meet >> k & 1) == 0)
                continue;
            if (!tree_is_leaf(children->child[k]))
                waiting[count++] = children->child[k];
            else if (!visit(context, tree_item(children->child[k])))
                return false;
        }
    }
    return true;
}

bool tact_aabb_tree_overlap_transformed(const aabb_tree *tree, const tact_transform *at, const box *query,
                                        const tact_transform *query_at, sat_axes axes, tree_visit *visit, void *context)
{
    if (tree->node_count == 0 || box_is_empty(query))
        return true;
    sat_frames sights;
    tact_sat_frames_make(at, &tree->root_box, query_at, query, axes, &sights);
    const transformed_box fixed =
        transformed_box_make(&sights.ab, simde_mm_setr_ps(query->min[0], query->min[1], query->min[2], 0.0f),
                             simde_mm_setr_ps(query->max[0], query->max[1], query->max[2], 0.0f));
    if (axes == SAT_ALL_AXES)
        return overlap_placed(tree, &sights.ab, &fixed, SAT_ALL_AXES, visit, context);
    return overlap_placed(tree, &sights.ab, &fixed, SAT_FACE_AXES, visit, context);
}

/* A ray, prepared. */
typedef struct slabs {
    double from[3], slack[3], inverse[3]; /* inverse of the direction: infinite where that is 0 */
} slabs;

/* The computed ends of the common part of ray and slabs are within this, relatively, of the true ones: a difference, a
 * slack, a product, an inverse. */
#define RAY_ROUNDING (16.0 * DBL_EPSILON)

/* When the ray enters the boxes of two lanes: `entry` is never late; returns which it may meet up to `limit`. NaN (0 *
 * infinity: along a face) must not count: min and max give their second argument then. */
TACT_FORCE_INLINE unsigned enter2(const slabs *ray, const box4 *four, int lane, double limit, double entry[2])
{
    simde__m128d near = simde_mm_setzero_pd(), far = simde_mm_set1_pd(limit);
    for (int i = 0; i < 3; ++i) {
        const simde__m128d from = simde_mm_set1_pd(ray->from[i]), slack = simde_mm_set1_pd(ray->slack[i]),
                           inverse = simde_mm_set1_pd(ray->inverse[i]);
        const simde__m128d min = simde_mm_setr_pd((double)four->min[i][lane], (double)four->min[i][lane + 1]);
        const simde__m128d max = simde_mm_setr_pd((double)four->max[i][lane], (double)four->max[i][lane + 1]);
        const simde__m128d first = simde_mm_mul_pd(simde_mm_sub_pd(simde_mm_sub_pd(min, from), slack), inverse);
        const simde__m128d second = simde_mm_mul_pd(simde_mm_add_pd(simde_mm_sub_pd(max, from), slack), inverse);
        const bool back = ray->inverse[i] < 0.0;
        near = simde_mm_max_pd(back ? second : first, near);
        far = simde_mm_min_pd(back ? first : second, far);
    }
    near = simde_mm_mul_pd(near, simde_mm_set1_pd(1.0 - RAY_ROUNDING));
    far = simde_mm_mul_pd(far, simde_mm_set1_pd(1.0 + RAY_ROUNDING));
    simde_mm_storeu_pd(entry, near);
    return ~(unsigned)simde_mm_movemask_pd(simde_mm_cmpgt_pd(near, far)) & 3;
}

typedef struct ray_node {
    double entry;
    uint32_t node;
} ray_node;

double tact_aabb_tree_ray(const aabb_tree *tree, const tact_transform *at, tact_vec3 from, tact_vec3 direction,
                          double max, tree_visit_bounded *visit, void *context)
{
    if (tree->node_count == 0)
        return max;
    local_ray local;
    tact_local_ray_make(at, &tree->root_box, from, direction, &local);
    slabs ray;
    for (int i = 0; i < 3; ++i) {
        /* with an infinite slack no slab cuts */
        ray.from[i] = local.slack[i] < INFINITY ? local.from[i] : 0.0;
        ray.slack[i] = local.slack[i];
        ray.inverse[i] = local.slack[i] < INFINITY ? 1.0 / local.direction[i] : INFINITY;
    }
    ray_node waiting[AABB_NODE_STACK];
    unsigned count = 1;
    waiting[0] = (ray_node){0.0, 0};
    while (count > 0) {
        const ray_node next = waiting[--count];
        if (next.entry > max)
            continue;
        const tree_node *children = &tree->nodes[next.node];
        double entry[TREE_WIDTH];
        const box4 *four = &tree->bounds[next.node];
        unsigned meet = enter2(&ray, four, 0, max, entry) | enter2(&ray, four, 2, max, entry + 2) << 2;
        meet &= aabb_used_slots(children);
        /* the nearest last, to be taken first; items at once, in order */
        unsigned order[TREE_WIDTH], found = 0;
        for (unsigned k = 0; k < TREE_WIDTH; ++k) {
            if ((meet >> k & 1) == 0)
                continue;
            unsigned j = found++;
            for (; j > 0 && entry[order[j - 1]] < entry[k]; --j)
                order[j] = order[j - 1];
            order[j] = k;
        }
        for (unsigned j = 0; j < found; ++j)
            if (!tree_is_leaf(children->child[order[j]]))
                waiting[count++] = (ray_node){entry[order[j]], children->child[order[j]]};
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
