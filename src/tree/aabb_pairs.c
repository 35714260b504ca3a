/*
 * Pairs of items with overlapping boxes: of two transformed trees, of two trees in one frame, and of a tree with
 * itself.
 *
 * Guarantees: no pair whose transformed vertices have intersecting hulls is missed (bounds/relative_frame.h); no
 * allocation; deterministic order. The stack of pairs cannot overflow: a popped pair pushes up to four, each one level
 * deeper in one of the trees. A call of the visitor costs less than 1 ns.
 *
 * Simultaneous traversal (van den Bergen 1999, 5.2.3): the larger of two nodes is opened, and its four children are
 * tested at once against the box of the other. We depart from the thesis in that size is the sum of the edge lengths,
 * not the volume, which is zero for flat boxes.
 */
#include "tree/aabb_internal.h"

/* Four times the squared distances of the centres of the four boxes from a point, given by twice its coordinates. */
TACT_FORCE_INLINE void centre_distances(const box4 *four, __m128 point2, float square[TREE_WIDTH])
{
    __m128 x = _mm_add_ps(_mm_loadu_ps(four->min[0]), _mm_loadu_ps(four->max[0]));
    __m128 y = _mm_add_ps(_mm_loadu_ps(four->min[1]), _mm_loadu_ps(four->max[1]));
    __m128 z = _mm_add_ps(_mm_loadu_ps(four->min[2]), _mm_loadu_ps(four->max[2]));
    x = _mm_sub_ps(x, SPLAT(point2, 0));
    y = _mm_sub_ps(y, SPLAT(point2, 1));
    z = _mm_sub_ps(z, SPLAT(point2, 2));
    _mm_storeu_ps(square, _mm_add_ps(_mm_add_ps(_mm_mul_ps(x, x), _mm_mul_ps(y, y)), _mm_mul_ps(z, z)));
}

TACT_FORCE_INLINE bool transformed_pairs(const aabb_tree *a, const aabb_tree *b, const sat_frames *frames,
                                         sat_axes axes, tree_order order, tree_visit_pair *visit, void *context)
{
    aabb_pair stack[AABB_PAIR_STACK];
    unsigned count = 1;
    stack[0] = (aabb_pair){AABB_ROOT_SLOT, AABB_ROOT_SLOT, 0, 0, 1};
    work_meter *const work = tact_work_current();
    while (count > 0) {
        if (!work_add(work, 1))
            return false;
        const aabb_pair p = stack[--count];
        const aabb_tree *opened = p.open_a ? a : b;
        const sat_frame *frame = p.open_a ? &frames->ab : &frames->ba;
        const uint32_t node = p.open_a ? p.child_a : p.child_b;
        __m128 min, max;
        aabb_load_slot(p.open_a ? b : a, p.open_a ? p.slot_b : p.slot_a, &min, &max);
        const transformed_box fixed = transformed_box_make(frame, min, max);
        const box4 *four = &opened->bounds[node];
        const unsigned overlap = sat4(frame, &fixed, four, axes) & aabb_used_slots(&opened->nodes[node]);
        if (overlap == 0)
            continue;
        const unsigned larger = aabb_larger(four, transformed_box_size(&fixed));
        float key[TREE_WIDTH];
        if (order == TREE_NEAREST_CENTRES_FIRST)
            centre_distances(four, fixed.centre2, key);
        if (!aabb_push_children(&p, &opened->nodes[node], overlap, larger,
                                order == TREE_NEAREST_CENTRES_FIRST ? key : NULL, stack, &count, visit, context))
            return false;
    }
    return true;
}

/* Pairs in one frame, starting from a pair whose boxes overlap and of which at most one is an item. */
static bool pairs_in_one_frame(const aabb_tree *a, const aabb_tree *b, aabb_pair first, tree_visit_pair *visit,
                               void *context)
{
    aabb_pair stack[AABB_PAIR_STACK];
    unsigned count = 1;
    stack[0] = first;
    work_meter *const work = tact_work_current();
    while (count > 0) {
        if (!work_add(work, 1))
            return false;
        const aabb_pair p = stack[--count];
        const aabb_tree *opened = p.open_a ? a : b;
        const uint32_t node = p.open_a ? p.child_a : p.child_b;
        const box fixed = aabb_slot_box(p.open_a ? b : a, p.open_a ? p.slot_b : p.slot_a);
        const box4 *four = &opened->bounds[node];
        const unsigned overlap = box4_overlap(four, &fixed) & aabb_used_slots(&opened->nodes[node]);
        if (overlap == 0)
            continue;
        const float size =
            (fixed.max[0] - fixed.min[0]) + (fixed.max[1] - fixed.min[1]) + (fixed.max[2] - fixed.min[2]);
        if (!aabb_push_children(&p, &opened->nodes[node], overlap, aabb_larger(four, size), NULL, stack, &count, visit,
                                context))
            return false;
    }
    return true;
}

bool tact_aabb_tree_pairs(const aabb_tree *a, const tact_transform *transform_a, const aabb_tree *b,
                          const tact_transform *transform_b, sat_axes axes, tree_order order, tree_visit_pair *visit,
                          void *context)
{
    if (a->node_count == 0 || b->node_count == 0)
        return true;
    sat_frames frames;
    tact_sat_frames_make(transform_a, &a->root_box, transform_b, &b->root_box, axes, &frames);
    /* four specialized loops */
    if (axes == SAT_ALL_AXES)
        return order == TREE_NEAREST_CENTRES_FIRST
                   ? transformed_pairs(a, b, &frames, SAT_ALL_AXES, TREE_NEAREST_CENTRES_FIRST, visit, context)
                   : transformed_pairs(a, b, &frames, SAT_ALL_AXES, TREE_ANY_ORDER, visit, context);
    return order == TREE_NEAREST_CENTRES_FIRST
               ? transformed_pairs(a, b, &frames, SAT_FACE_AXES, TREE_NEAREST_CENTRES_FIRST, visit, context)
               : transformed_pairs(a, b, &frames, SAT_FACE_AXES, TREE_ANY_ORDER, visit, context);
}

bool tact_aabb_tree_pairs_same_frame(const aabb_tree *a, const aabb_tree *b, tree_visit_pair *visit, void *context)
{
    if (a->node_count == 0 || b->node_count == 0)
        return true;
    return pairs_in_one_frame(a, b, (aabb_pair){AABB_ROOT_SLOT, AABB_ROOT_SLOT, 0, 0, 1}, visit, context);
}

/* Each pair of items lies below two different children of exactly one node. */
bool tact_aabb_tree_self_pairs(const aabb_tree *tree, tree_visit_pair *visit, void *context)
{
    for (uint32_t node = 0; node < tree->node_count; ++node) {
        const tree_node *children = &tree->nodes[node];
        const box4 *four = &tree->bounds[node];
        for (unsigned i = 0; i + 1 < TREE_WIDTH && children->child[i] != TREE_NONE; ++i) {
            const box one = box4_get(four, i);
            const unsigned overlap = box4_overlap(four, &one) & aabb_used_slots(children);
            for (unsigned j = i + 1; j < TREE_WIDTH; ++j) {
                if ((overlap >> j & 1) == 0)
                    continue;
                const uint32_t a = children->child[i], b = children->child[j];
                if (tree_is_leaf(a) && tree_is_leaf(b)) {
                    if (!visit(context, tree_item(a), tree_item(b)))
                        return false;
                    continue;
                }
                const aabb_pair pair = {TREE_WIDTH * node + i, TREE_WIDTH * node + j, a, b, !tree_is_leaf(a)};
                if (!pairs_in_one_frame(tree, tree, pair, visit, context))
                    return false;
            }
        }
    }
    return true;
}
