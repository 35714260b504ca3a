/*
 * Refitting AABB trees, and the cost that tells how far refits have degraded a tree.
 *
 * Guarantee: after a refit each box is the smallest around its items, as after a build (box floats: unions do not
 * round). A full refit is one pass over the nodes from the last to the first, since children come after parents (van
 * den Bergen 1999, 5.2.5): some 4 ns per item, 10 ns if the tree exceeds the cache. If few items have changed, each is
 * refitted upward until a box stays unchanged; the boxes above are then correct whatever the order of the items.
 */
#include <assert.h>
#include <string.h>

#include "tree/aabb_tree.h"

/* Half the areas of the four boxes after scaling; 0 for empty ones. */
TACT_FORCE_INLINE __m128 half_areas(const box4 *four, __m128 scale)
{
    __m128 side[3];
    for (int i = 0; i < 3; ++i) {
        side[i] = _mm_sub_ps(_mm_loadu_ps(four->max[i]), _mm_loadu_ps(four->min[i]));
        side[i] = _mm_mul_ps(_mm_max_ps(side[i], _mm_setzero_ps()), scale);
    }
    return _mm_add_ps(_mm_add_ps(_mm_mul_ps(side[0], side[1]), _mm_mul_ps(side[1], side[2])),
                      _mm_mul_ps(side[2], side[0]));
}

void tact_aabb_tree_refit(aabb_tree *tree, const box *boxes)
{
    for (uint32_t i = tree->node_count; i-- > 0;) {
        const tree_node *node = &tree->nodes[i];
        box united[TREE_WIDTH];
        const box *of[TREE_WIDTH];
        for (unsigned k = 0; k < TREE_WIDTH; ++k) {
            const uint32_t child = node->child[k];
            if (child != TREE_NONE && tree_is_leaf(child)) {
                of[k] = &boxes[tree_item(child)];
            } else {
                united[k] = child == TREE_NONE ? box_empty() : box4_union(&tree->bounds[child]);
                of[k] = &united[k];
            }
        }
        box4_set_all(&tree->bounds[i], of); /* at once: partial writes would stall the vector load that follows */
    }
    if (tree->node_count > 0)
        tree->root_box = box4_union(&tree->bounds[0]);
}

void tact_aabb_tree_refit_one(aabb_tree *tree, uint32_t item, const box *fitted)
{
    assert(tree->item_slot != NULL && item < tree->item_count);
    uint32_t slot = tree->item_slot[item];
    box b = *fitted;
    for (;;) {
        box4 *bounds = &tree->bounds[slot / TREE_WIDTH];
        box before = box4_get(bounds, slot % TREE_WIDTH);
        if (memcmp(&before, &b, sizeof b) == 0)
            return;
        box4_set(bounds, slot % TREE_WIDTH, &b);
        b = box4_union(bounds);
        slot = tree->parent_slot[slot / TREE_WIDTH];
        if (slot == TREE_NONE) {
            tree->root_box = b;
            return;
        }
    }
}

double tact_aabb_tree_cost(const aabb_tree *tree)
{
    /* scaled so that the longest side is 1: products of floats neither overflow nor underflow */
    float longest = 0.0f;
    box4 whole;
    for (int i = 0; i < 3; ++i) {
        const float side = tree->root_box.max[i] - tree->root_box.min[i];
        longest = side > longest ? side : longest;
    }
    for (unsigned k = 0; k < TREE_WIDTH; ++k)
        box4_set(&whole, k, &tree->root_box);
    if (!(longest >= 0x1p-120f && longest < INFINITY))
        return 1.0;
    const __m128 scale = _mm_set1_ps(1.0f / longest);
    const double all = (double)_mm_cvtss_f32(half_areas(&whole, scale));
    __m128d low = _mm_setzero_pd(), high = _mm_setzero_pd();
    for (uint32_t i = 0; i < tree->node_count; ++i) {
        const __m128 areas = half_areas(&tree->bounds[i], scale);
        low = _mm_add_pd(low, _mm_cvtps_pd(areas));
        high = _mm_add_pd(high, _mm_cvtps_pd(_mm_movehl_ps(areas, areas)));
    }
    double sums[2];
    _mm_storeu_pd(sums, _mm_add_pd(low, high));
    return all > 0.0 ? (sums[0] + sums[1]) / all : 1.0;
}
