/* What the traversals of trees of boxes share. */
#ifndef TACT_TREE_AABB_INTERNAL_H
#define TACT_TREE_AABB_INTERNAL_H

#include <assert.h>

#include "bounds/sat4.h"
#include "tree/aabb_tree.h"

/* Where a box is kept: TREE_WIDTH * node + place, or AABB_ROOT_SLOT for that around all. */
#define AABB_ROOT_SLOT TREE_NONE

/* A stack of nodes holds at most so many: one taken leaves up to four, a level deeper. */
#define AABB_NODE_STACK ((TREE_WIDTH - 1) * TREE_MAX_DEPTH + 1)

/* A stack of pairs: one taken leaves up to four, each one level deeper in one of the trees. */
#define AABB_PAIR_STACK ((TREE_WIDTH - 1) * 2 * TREE_MAX_DEPTH + 1)

static inline box aabb_slot_box(const aabb_tree *tree, uint32_t place)
{
    return place == AABB_ROOT_SLOT ? tree->root_box : box4_get(&tree->bounds[place / TREE_WIDTH], place % TREE_WIDTH);
}

/* The box at a place, a bound a lane. */
TACT_FORCE_INLINE void aabb_load_slot(const aabb_tree *tree, uint32_t place, simde__m128 *min, simde__m128 *max)
{
    const box b = aabb_slot_box(tree, place);
    *min = simde_mm_setr_ps(b.min[0], b.min[1], b.min[2], 0.0f);
    *max = simde_mm_setr_ps(b.max[0], b.max[1], b.max[2], 0.0f);
}

/* Which places of a node hold something: a bit a place. */
TACT_FORCE_INLINE unsigned aabb_used_slots(const tree_node *node)
{
    simde__m128i child = simde_mm_loadu_si128((const simde__m128i *)(const void *)node->child);
    simde__m128i none = simde_mm_cmpeq_epi32(child, simde_mm_set1_epi32(-1));
    return ~(unsigned)simde_mm_movemask_ps(simde_mm_castsi128_ps(none)) & 0xf;
}

/* The sums of the sides of the four. */
TACT_FORCE_INLINE simde__m128 aabb_sizes(const box4 *four)
{
    simde__m128 sum = simde_mm_sub_ps(simde_mm_loadu_ps(four->max[0]), simde_mm_loadu_ps(four->min[0]));
    sum = simde_mm_add_ps(sum, simde_mm_sub_ps(simde_mm_loadu_ps(four->max[1]), simde_mm_loadu_ps(four->min[1])));
    return simde_mm_add_ps(sum, simde_mm_sub_ps(simde_mm_loadu_ps(four->max[2]), simde_mm_loadu_ps(four->min[2])));
}

/* Which of the four are larger than `size`, the sum of the sides of another. */
TACT_FORCE_INLINE unsigned aabb_larger(const box4 *four, float size)
{
    return (unsigned)simde_mm_movemask_ps(simde_mm_cmpgt_ps(aabb_sizes(four), simde_mm_set1_ps(size)));
}

/* The places whose bits are set, those with the smallest keys last. Returns how many. */
TACT_FORCE_INLINE unsigned aabb_sort_slots(unsigned set, const float key[TREE_WIDTH], unsigned order[TREE_WIDTH])
{
    unsigned found = 0;
    for (unsigned k = 0; k < TREE_WIDTH; ++k) {
        if ((set >> k & 1) == 0)
            continue;
        unsigned j = found++;
        for (; j > 0 && key[order[j - 1]] < key[k]; --j)
            order[j] = order[j - 1];
        order[j] = k;
    }
    return found;
}

/* A pair of nodes or items: where their boxes are, what they are, and which is opened next. */
typedef struct aabb_pair {
    uint32_t slot_a, slot_b;
    uint32_t child_a, child_b;
    uint32_t open_a;
} aabb_pair;

/* The pair with the child at place k of the opened one. It is opened on if the other is an item, or if it is a node and
 * the larger of the two. */
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

/* Visits or pushes what may overlap, `meet`, of the four children of the opened node; with a key, the smallest first.
 * Returns false when the visitor does. */
TACT_FORCE_INLINE bool aabb_push_children(const aabb_pair *p, const tree_node *children, unsigned meet, unsigned larger,
                                          const float *key, aabb_pair *waiting, unsigned *count, tree_visit_pair *visit,
                                          void *context)
{
    const uint32_t fixed = p->open_a ? p->child_b : p->child_a;
    unsigned order[TREE_WIDTH], found = 0;
    if (key != NULL)
        found = aabb_sort_slots(meet, key, order);
    else
        for (unsigned k = TREE_WIDTH; k-- > 0;) {
            order[found] = k;
            found += meet >> k & 1;
        }
    for (unsigned j = 0; j < found; ++j) {
        const uint32_t child = children->child[order[j]];
        if (tree_is_leaf(child) && tree_is_leaf(fixed))
            continue;
        assert(*count < AABB_PAIR_STACK);
        waiting[(*count)++] = aabb_child_pair(*p, child, order[j], (larger >> order[j] & 1) != 0);
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
