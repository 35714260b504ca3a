/* What the walks over covers share. */
#ifndef TACT_TREE_OBB_INTERNAL_H
#define TACT_TREE_OBB_INTERNAL_H

#include "bounds/obb4.h"
#include "tree/aabb_internal.h"
#include "tree/obb_cover.h"

/* Where two boxes are (group * TREE_WIDTH + place), what is in them, and which is opened if both can be. */
typedef struct cover_pair {
    uint32_t a, b;
    uint32_t code_a, code_b;
    uint32_t open_a;
} cover_pair;

TACT_FORCE_INLINE bool cover_is_group(uint32_t code) { return code < COVER_BOTTOM; }

/* The first pair: of all. */
static inline cover_pair cover_pair_first(const obb_cover *a, const obb_cover *b)
{
    return (cover_pair){0, 0, a->groups[0].child[0], b->groups[0].child[0], 1};
}

TACT_FORCE_INLINE bool cover_opens_a(const cover_pair *p)
{
    return cover_is_group(p->code_a) && (p->open_a != 0 || !cover_is_group(p->code_b));
}

/* The pair with child k of the opened group, which is opened on if it is the larger. */
TACT_FORCE_INLINE cover_pair cover_pair_below(const cover_pair *p, bool open_a, const uint32_t *child, unsigned k,
                                              unsigned larger)
{
    const uint32_t place = TREE_WIDTH * (open_a ? p->code_a : p->code_b) + k, again = larger >> k & 1;
    return open_a ? (cover_pair){place, p->b, child[k], p->code_b, again}
                  : (cover_pair){p->a, place, p->code_a, child[k], !again};
}

/* A box of the fixed frame. */
TACT_FORCE_INLINE fixed_obb cover_fixed(const obb_sight *sight, const obb_cover *cover, uint32_t place)
{
    return fixed_obb_of(sight, &cover->groups[place / TREE_WIDTH].boxes, place % TREE_WIDTH);
}

/* Which places of a group hold something. */
TACT_FORCE_INLINE unsigned cover_taken(const cover_group *group)
{
    const tree_node children = {{group->child[0], group->child[1], group->child[2], group->child[3]}};
    return aabb_taken(&children);
}

/* Which of the four are larger than the fixed box. */
TACT_FORCE_INLINE unsigned cover_larger(const obb4 *four, const fixed_obb *fixed)
{
    const simde__m128 size =
        simde_mm_add_ps(simde_mm_add_ps(simde_mm_loadu_ps(four->half[0]), simde_mm_loadu_ps(four->half[1])),
                        simde_mm_loadu_ps(four->half[2]));
    return (unsigned)simde_mm_movemask_ps(simde_mm_cmpgt_ps(size, simde_mm_set1_ps(fixed->size)));
}

/* Middles and half sizes of four boxes. */
TACT_FORCE_INLINE void cover_halves(const box4 *four, simde__m128 c[3], simde__m128 h[3])
{
    const simde__m128 half = simde_mm_set1_ps(0.5f);
    TACT_UNROLL_3
    for (int i = 0; i < 3; ++i) {
        const simde__m128 min = simde_mm_loadu_ps(four->min[i]), max = simde_mm_loadu_ps(four->max[i]);
        c[i] = simde_mm_mul_ps(half, simde_mm_add_ps(min, max));
        h[i] = simde_mm_mul_ps(half, simde_mm_sub_ps(max, min));
    }
}

/* How far the fixed box reaches along the axes of the opened frame, from its middle. */
TACT_FORCE_INLINE simde__m128 cover_extent(const obb_sight *sight, const fixed_obb *f)
{
    simde__m128 extent = simde_mm_set1_ps(sight->slack);
    TACT_UNROLL_3
    for (int k = 0; k < 3; ++k)
        extent = simde_mm_add_ps(extent, simde_mm_mul_ps(size_of(f->edge[k]), simde_mm_set1_ps(f->half[k])));
    return extent;
}

#endif
