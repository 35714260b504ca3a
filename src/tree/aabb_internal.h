/* What the traversals of AABB trees share: stacks of pairs, boxes of slots, order of visits. */
#ifndef TACT_TREE_AABB_INTERNAL_H
#define TACT_TREE_AABB_INTERNAL_H

#include <assert.h>
#include <float.h>

#include "bounds/sat4.h"
#include "core/work.h"
#include "math/vec.h"
#include "tree/aabb_tree.h"

/* The slot of the root, whose box is tree->root_box. */
#define AABB_ROOT_SLOT TREE_NONE

/* Size of a stack of nodes: a popped node pushes up to four, one level deeper. */
#define AABB_NODE_STACK ((TREE_WIDTH - 1) * TREE_MAX_DEPTH + 1)

/* Size of a stack of pairs: a popped pair pushes up to four, each one level deeper in one of the trees. */
#define AABB_PAIR_STACK ((TREE_WIDTH - 1) * 2 * TREE_MAX_DEPTH + 1)

/* Grows the arrays of nodes and bounds to `capacity` where they have less than `wanted`. Each has a capacity of its
 * own, because either may fail to grow. Returns false if memory runs out. */
bool tact_aabb_tree_reserve_nodes(aabb_tree *tree, uint32_t wanted, uint32_t capacity);

static inline box aabb_slot_box(const aabb_tree *tree, uint32_t slot)
{
    return slot == AABB_ROOT_SLOT ? tree->root_box : box4_get(&tree->bounds[slot / TREE_WIDTH], slot % TREE_WIDTH);
}

/* Records in the parent links that `child`, a node or a leaf, is in `slot`. */
static inline void aabb_set_slot(aabb_tree *tree, uint32_t child, uint32_t slot)
{
    if (tree_is_leaf(child))
        tree->item_slot[tree_item(child)] = slot;
    else
        tree->parent_slot[child] = slot;
}

/* The bounds of a box as vectors: x, y, z, 0. */
TACT_FORCE_INLINE void aabb_load_box(const box *b, __m128 *min, __m128 *max)
{
    *min = _mm_setr_ps(b->min[0], b->min[1], b->min[2], 0.0f);
    *max = _mm_setr_ps(b->max[0], b->max[1], b->max[2], 0.0f);
}

TACT_FORCE_INLINE void aabb_load_slot(const aabb_tree *tree, uint32_t slot, __m128 *min, __m128 *max)
{
    const box b = aabb_slot_box(tree, slot);
    aabb_load_box(&b, min, max);
}

/* The used slots of a node: a bit per slot. */
TACT_FORCE_INLINE unsigned aabb_used_slots(const tree_node *node)
{
    __m128i child = _mm_loadu_si128((const __m128i *)(const void *)node->child);
    __m128i none = _mm_cmpeq_epi32(child, _mm_set1_epi32(-1));
    return ~(unsigned)_mm_movemask_ps(_mm_castsi128_ps(none)) & 0xf;
}

/* The sums of the edge lengths of the four boxes. */
TACT_FORCE_INLINE __m128 aabb_sizes(const box4 *four)
{
    __m128 sum = _mm_sub_ps(_mm_loadu_ps(four->max[0]), _mm_loadu_ps(four->min[0]));
    sum = _mm_add_ps(sum, _mm_sub_ps(_mm_loadu_ps(four->max[1]), _mm_loadu_ps(four->min[1])));
    return _mm_add_ps(sum, _mm_sub_ps(_mm_loadu_ps(four->max[2]), _mm_loadu_ps(four->min[2])));
}

/* Which of the four are larger than a box whose edge lengths have the sum `size`. */
TACT_FORCE_INLINE unsigned aabb_larger(const box4 *four, float size)
{
    return (unsigned)_mm_movemask_ps(_mm_cmpgt_ps(aabb_sizes(four), _mm_set1_ps(size)));
}

/* The slots in `set`, sorted by descending key: the smallest is pushed last and popped first. Returns how many. */
TACT_FORCE_INLINE unsigned aabb_sort_slots(unsigned set, const float key[TREE_WIDTH], unsigned order[TREE_WIDTH])
{
    unsigned count = 0;
    for (unsigned k = 0; k < TREE_WIDTH; ++k) {
        if ((set >> k & 1) == 0)
            continue;
        unsigned j = count++;
        for (; j > 0 && key[order[j - 1]] < key[k]; --j)
            order[j] = order[j - 1];
        order[j] = k;
    }
    return count;
}

/* The slots in `set` whose boxes, transformed, are not below; `below` may be NULL. The sums have rounding errors of up
 * to eight units of roundoff of their terms. */
static inline unsigned aabb_slots_above(const tree_below *below, const tact_transform *m, const box4 *four,
                                        unsigned set)
{
    if (below == NULL || !(vec_max_abs(below->n) > 0.0))
        return set;
    const double along[3] = {vec_dot(below->n, m->x_axis), vec_dot(below->n, m->y_axis), vec_dot(below->n, m->z_axis)};
    const double from = vec_dot(below->n, m->origin), offset = below->offset - from;
    const double rounding = fabs(below->offset) + vec_max_abs(m->origin);
    unsigned above = 0;
    for (unsigned k = 0; k < TREE_WIDTH; ++k) {
        double highest = 0.0, terms = rounding;
        for (int i = 0; i < 3; ++i) {
            const double term = along[i] * (double)(along[i] < 0.0 ? four->min[i][k] : four->max[i][k]);
            highest += term;
            terms += fabs(term);
        }
        above |= (highest + 4.0 * DBL_EPSILON * terms <= offset ? 0u : 1u) << k;
    }
    return set & above;
}

/* A pair of nodes or items: the slots of their boxes, the children in these slots, and which one is opened next. */
typedef struct aabb_pair {
    uint32_t slot_a, slot_b;
    uint32_t child_a, child_b;
    uint32_t open_a;
} aabb_pair;

/* The pair with the child in slot k of the opened node. The same side is opened next if the other is an item, or if the
 * child is a node and the larger of the two. */
TACT_FORCE_INLINE aabb_pair aabb_child_pair(aabb_pair p, uint32_t child, unsigned k, bool larger)
{
    const uint32_t fixed = p.open_a ? p.child_b : p.child_a;
    const bool again = tree_is_leaf(fixed) || (!tree_is_leaf(child) && larger);
    if (p.open_a) {
        p.slot_a = TREE_WIDTH * p.child_a + k;
        p.child_a = child;
    } else {
        p.slot_b = TREE_WIDTH * p.child_b + k;
        p.child_b = child;
    }
    p.open_a = again ? p.open_a : !p.open_a;
    return p;
}

/* Visits or pushes the pairs with the children in `overlap`, a bit per slot of the opened node; with keys, the smallest
 * first. Returns false if the visitor stopped. */
TACT_FORCE_INLINE bool aabb_push_children(const aabb_pair *p, const tree_node *children, unsigned overlap,
                                          unsigned larger, const float *key, aabb_pair *stack, unsigned *count,
                                          tree_visit_pair *visit, void *context)
{
    const uint32_t fixed = p->open_a ? p->child_b : p->child_a;
    unsigned order[TREE_WIDTH], found = 0;
    if (key != NULL)
        found = aabb_sort_slots(overlap, key, order);
    else
        for (unsigned k = TREE_WIDTH; k-- > 0;) {
            order[found] = k;
            found += overlap >> k & 1;
        }
    for (unsigned j = 0; j < found; ++j) {
        const uint32_t child = children->child[order[j]];
        if (tree_is_leaf(child) && tree_is_leaf(fixed))
            continue;
        assert(*count < AABB_PAIR_STACK);
        stack[(*count)++] = aabb_child_pair(*p, child, order[j], (larger >> order[j] & 1) != 0);
    }
    if (!tree_is_leaf(fixed))
        return true;
    for (unsigned j = found; j-- > 0;) {
        const uint32_t child = children->child[order[j]];
        if (!tree_is_leaf(child))
            continue;
        if (!(p->open_a ? visit(context, tree_item(child), tree_item(fixed))
                        : visit(context, tree_item(fixed), tree_item(child))))
            return false;
    }
    return true;
}

#endif
