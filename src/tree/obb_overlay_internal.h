/* What the traversals of OBB overlays share. */
#ifndef TACT_TREE_OBB_OVERLAY_INTERNAL_H
#define TACT_TREE_OBB_OVERLAY_INTERNAL_H

#include "bounds/obb4.h"
#include "tree/aabb_internal.h"
#include "tree/obb_overlay.h"

/* A pair of slots of the overlays, the children in them, and which one is opened if both can be. */
typedef struct obb_overlay_pair {
    uint32_t slot_a, slot_b;
    uint32_t child_a, child_b;
    uint32_t open_a;
} obb_overlay_pair;

/* Is the child an overlay node, and not a leaf node or an item? */
TACT_FORCE_INLINE bool obb_overlay_is_node(uint32_t child) { return child < OBB_OVERLAY_LEAF_NODE; }

static inline obb_overlay_pair obb_overlay_root_pair(const obb_overlay *a, const obb_overlay *b)
{
    return (obb_overlay_pair){0, 0, a->nodes[0].child[0], b->nodes[0].child[0], 1};
}

TACT_FORCE_INLINE bool obb_overlay_opens_a(const obb_overlay_pair *p)
{
    return obb_overlay_is_node(p->child_a) && (p->open_a != 0 || !obb_overlay_is_node(p->child_b));
}

/* The pair with child k of the opened node, which is opened again if it is the larger. */
TACT_FORCE_INLINE obb_overlay_pair obb_overlay_child_pair(const obb_overlay_pair *p, bool open_a, const uint32_t *child,
                                                          unsigned k, unsigned larger)
{
    const uint32_t slot = TREE_WIDTH * (open_a ? p->child_a : p->child_b) + k, again = larger >> k & 1;
    return open_a ? (obb_overlay_pair){slot, p->slot_b, child[k], p->child_b, again}
                  : (obb_overlay_pair){p->slot_a, slot, p->child_a, child[k], !again};
}

/* The box in a slot of the fixed frame, transformed. */
TACT_FORCE_INLINE transformed_obb obb_overlay_transformed(const obb_sat_frame *frame, const obb_overlay *overlay,
                                                          uint32_t slot)
{
    return transformed_obb_make(frame, &overlay->nodes[slot / TREE_WIDTH].bounds, slot % TREE_WIDTH);
}

TACT_FORCE_INLINE unsigned obb_overlay_used_slots(const obb_overlay_node *node)
{
    const tree_node children = {{node->child[0], node->child[1], node->child[2], node->child[3]}};
    return aabb_used_slots(&children);
}

/* Which of the four are larger than the fixed box. */
TACT_FORCE_INLINE unsigned obb_overlay_larger(const obb4 *four, const transformed_obb *fixed)
{
    const __m128 size =
        _mm_add_ps(_mm_add_ps(_mm_loadu_ps(four->half[0]), _mm_loadu_ps(four->half[1])), _mm_loadu_ps(four->half[2]));
    return (unsigned)_mm_movemask_ps(_mm_cmpgt_ps(size, _mm_set1_ps(fixed->size)));
}

/* Centres and half extents of four axis-aligned boxes. */
TACT_FORCE_INLINE void box4_centres_and_extents(const box4 *four, __m128 c[3], __m128 h[3])
{
    const __m128 half = _mm_set1_ps(0.5f);
    TACT_UNROLL_3
    for (int i = 0; i < 3; ++i) {
        const __m128 min = _mm_loadu_ps(four->min[i]), max = _mm_loadu_ps(four->max[i]);
        c[i] = _mm_mul_ps(half, _mm_add_ps(min, max));
        h[i] = _mm_mul_ps(half, _mm_sub_ps(max, min));
    }
}

/* The half extents of the fixed box along the axes of the opened frame, slack included. */
TACT_FORCE_INLINE __m128 transformed_obb_extents(const obb_sat_frame *frame, const transformed_obb *f)
{
    __m128 extent = _mm_set1_ps(frame->opened_slack);
    TACT_UNROLL_3
    for (int k = 0; k < 3; ++k)
        extent = _mm_add_ps(extent, _mm_mul_ps(abs4(f->edge[k]), _mm_set1_ps(f->half[k])));
    return extent;
}

#endif
