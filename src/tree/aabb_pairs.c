/*
 * Pairs of items whose boxes overlap: of two placed trees, and of one tree with itself.
 *
 * Guarantees: no pair whose placed vertices' hulls meet is missed (view.h); no allocation; the same pairs in the same
 * order every time. The stack holds pairs of nodes and cannot overflow: a pair taken leaves up to four, each one level
 * deeper in one of the trees. A call of the visitor costs less than 1 ns.
 *
 * Two trees (van den Bergen's thesis, section 5.2.3): the larger of two nodes is opened, and its four children are
 * tested at once against the box of the other. We depart from the thesis in that size is the sum of the sides and not
 * the volume, which is zero for flat boxes.
 */
#include "tree/aabb_internal.h"

/* Squares of the distances between the middles of the four and that of the fixed box, four times. */
TACT_FORCE_INLINE void middle_distances(const box4 *four, simde__m128 middle, float square[TREE_WIDTH])
{
    simde__m128 x = simde_mm_add_ps(simde_mm_loadu_ps(four->min[0]), simde_mm_loadu_ps(four->max[0]));
    simde__m128 y = simde_mm_add_ps(simde_mm_loadu_ps(four->min[1]), simde_mm_loadu_ps(four->max[1]));
    simde__m128 z = simde_mm_add_ps(simde_mm_loadu_ps(four->min[2]), simde_mm_loadu_ps(four->max[2]));
    x = simde_mm_sub_ps(x, SPLAT(middle, 0));
    y = simde_mm_sub_ps(y, SPLAT(middle, 1));
    z = simde_mm_sub_ps(z, SPLAT(middle, 2));
    simde_mm_storeu_ps(
        square, simde_mm_add_ps(simde_mm_add_ps(simde_mm_mul_ps(x, x), simde_mm_mul_ps(y, y)), simde_mm_mul_ps(z, z)));
}

TACT_FORCE_INLINE bool placed_pairs(const aabb_tree *a, const aabb_tree *b, const sat_frames *sights, sat_axes axes,
                                    tree_order order, tree_visit_pair *visit, void *context)
{
    aabb_pair waiting[AABB_PAIR_STACK];
    unsigned count = 1;
    waiting[0] = (aabb_pair){AABB_ROOT_SLOT, AABB_ROOT_SLOT, 0, 0, 1};
    while (count > 0) {
        const aabb_pair p = waiting[--count];
        const aabb_tree *opened = p.open_a ? a : b;
        const sat_frame *sight = p.open_a ? &sights->ab : &sights->ba;
        const uint32_t node = p.open_a ? p.child_a : p.child_b;
        simde__m128 min, max;
        aabb_load_slot(p.open_a ? b : a, p.open_a ? p.slot_b : p.slot_a, &min, &max);
        const transformed_box fixed = transformed_box_make(sight, min, max);
        const box4 *four = &opened->bounds[node];
        const unsigned meet = sat4(sight, &fixed, four, axes) & aabb_used_slots(&opened->nodes[node]);
        if (meet == 0)
            continue;
        const unsigned larger = aabb_larger(four, transformed_box_size(&fixed));
        float key[TREE_WIDTH];
        if (order == TREE_NEAREST_CENTRES_FIRST)
            middle_distances(four, fixed.centre2, key);
        if (!aabb_push_children(&p, &opened->nodes[node], meet, larger,
                                order == TREE_NEAREST_CENTRES_FIRST ? key : NULL, waiting, &count, visit, context))
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
    sat_frames sights;
    tact_sat_frames_make(transform_a, &a->root_box, transform_b, &b->root_box, axes, &sights);
    /* four loops, each without the questions of the others */
    if (axes == SAT_ALL_AXES)
        return order == TREE_NEAREST_CENTRES_FIRST
                   ? placed_pairs(a, b, &sights, SAT_ALL_AXES, TREE_NEAREST_CENTRES_FIRST, visit, context)
                   : placed_pairs(a, b, &sights, SAT_ALL_AXES, TREE_ANY_ORDER, visit, context);
    return order == TREE_NEAREST_CENTRES_FIRST
               ? placed_pairs(a, b, &sights, SAT_FACE_AXES, TREE_NEAREST_CENTRES_FIRST, visit, context)
               : placed_pairs(a, b, &sights, SAT_FACE_AXES, TREE_ANY_ORDER, visit, context);
}

/* Pairs in one frame, from a pair whose boxes are known to overlap and which are not both items. */
static bool plain_pairs(const aabb_tree *a, const aabb_tree *b, aabb_pair first, tree_visit_pair *visit, void *context)
{
    aabb_pair waiting[AABB_PAIR_STACK];
    unsigned count = 1;
    waiting[0] = first;
    while (count > 0) {
        const aabb_pair p = waiting[--count];
        const aabb_tree *opened = p.open_a ? a : b;
        const uint32_t node = p.open_a ? p.child_a : p.child_b;
        const box fixed = aabb_slot_box(p.open_a ? b : a, p.open_a ? p.slot_b : p.slot_a);
        const box4 *four = &opened->bounds[node];
        const unsigned meet = box4_overlap(four, &fixed) & aabb_used_slots(&opened->nodes[node]);
        if (meet == 0)
            continue;
        const float size =
            (fixed.max[0] - fixed.min[0]) + (fixed.max[1] - fixed.min[1]) + (fixed.max[2] - fixed.min[2]);
        if (!aabb_push_children(&p, &opened->nodes[node], meet, aabb_larger(four, size), NULL, waiting, &count, visit,
                                context))
            return false;
    }
    return true;
}

bool tact_aabb_tree_pairs_same_frame(const aabb_tree *a, const aabb_tree *b, tree_visit_pair *visit, void *context)
{
    if (a->node_count == 0 || b->node_count == 0)
        return true;
    return plain_pairs(a, b, (aabb_pair){AABB_ROOT_SLOT, AABB_ROOT_SLOT, 0, 0, 1}, visit, context);
}

/* Every pair is in two different children of exactly one node. */
bool tact_aabb_tree_self_pairs(const aabb_tree *tree, tree_visit_pair *visit, void *context)
{
    for (uint32_t node = 0; node < tree->node_count; ++node) {
        const tree_node *children = &tree->nodes[node];
        const box4 *four = &tree->bounds[node];
        for (unsigned i = 0; i + 1 < TREE_WIDTH && children->child[i] != TREE_NONE; ++i) {
            const box one = box4_get(four, i);
            const unsigned meet = box4_overlap(four, &one) & aabb_used_slots(children);
            for (unsigned j = i + 1; j < TREE_WIDTH; ++j) {
                if ((meet >> j & 1) == 0)
                    continue;
                const uint32_t a = children->child[i], b = children->child[j];
                if (tree_is_leaf(a) && tree_is_leaf(b)) {
                    if (!visit(context, tree_item(a), tree_item(b)))
                        return false;
                    continue;
                }
                const aabb_pair pair = {TREE_WIDTH * node + i, TREE_WIDTH * node + j, a, b, !tree_is_leaf(a)};
                if (!plain_pairs(tree, tree, pair, visit, context))
                    return false;
            }
        }
    }
    return true;
}
