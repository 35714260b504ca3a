/*
 * Pairs of items that may touch while one tree translates relative to another, roughly in the order of first contact:
 * branch and bound on windows of time (Coming and Staadt 2006, 4.4; Eckstein and Schoemer's dynamic OBB trees).
 *
 * Guarantees: no pair is missed whose hulls of transformed vertices, with their margins, touch during the displacement
 * before the limit (bounds/sat4_moving.h); no allocation; deterministic order. A pair of nodes that never overlap, or
 * only after the limit, is skipped with everything below it. The visitor lowers the limit with each contact. Depth
 * first; children of a node in the order in which their overlap begins. What is below a plane that the visitor knows to
 * separate is skipped, too.
 */
#include "bounds/sat4_moving.h"
#include "tree/aabb_internal.h"

typedef struct translating_pair {
    aabb_pair pair;
    float enter; /* start of the overlap window */
} translating_pair;

static bool is_item(const translating_tree *s, uint32_t child) { return s->tree == NULL || tree_is_leaf(child); }

static box box_of(const translating_tree *s, uint32_t slot)
{
    return s->tree == NULL || slot == AABB_ROOT_SLOT ? s->root_box
                                                     : box4_get(&s->tree->bounds[slot / TREE_WIDTH], slot % TREE_WIDTH);
}

static transformed_box transform_box(const sat_moving_frame *frame, const box *b)
{
    __m128 min, max;
    aabb_load_box(b, &min, &max);
    return transformed_box_make(&frame->sat, min, max);
}

/* The limit rounded up to a float. */
static float limit_above(double limit) { return (float)limit * (1.0f + FLT_EPSILON); }

double tact_aabb_tree_translating_pairs(const translating_tree *a, const translating_tree *b, tact_vec3 displacement,
                                        tact_vec3 deviation, double margin, double limit,
                                        tree_visit_translating_pair *visit, void *context)
{
    const uint32_t none = TREE_LEAF;
    translating_pair stack[AABB_PAIR_STACK];
    unsigned count = 1;
    sat_moving_frames frames;
    if ((a->tree != NULL && a->tree->node_count == 0) || (b->tree != NULL && b->tree->node_count == 0))
        return limit;
    tact_sat_moving_frames_make(a->transform, &a->root_box, b->transform, &b->root_box, displacement, deviation, margin,
                                &frames);
    stack[0] = (translating_pair){
        {AABB_ROOT_SLOT, AABB_ROOT_SLOT, a->tree != NULL ? 0 : none, b->tree != NULL ? 0 : none, 1}, 0.0f};
    /* the root boxes first: most pairs of trees pass each other */
    {
        const transformed_box fixed = transform_box(&frames.ab, &b->root_box);
        box4 four;
        for (unsigned k = 0; k < BOX4_WIDTH; ++k)
            box4_set(&four, k, &a->root_box);
        float enter[BOX4_WIDTH];
        if (sat4_moving(&frames.ab, &fixed, &four, limit_above(limit), enter) == 0)
            return limit;
        stack[0].enter = enter[0];
        stack[0].pair.open_a =
            a->tree != NULL && (b->tree == NULL || aabb_larger(&four, transformed_box_size(&fixed)) != 0);
        if (a->tree == NULL && b->tree == NULL)
            return visit(context, 0, 0, (double)enter[0] - (double)SAT_TIME_SLACK, limit);
    }
    work_meter *const work = tact_work_current();
    while (count > 0) {
        if (!work_add(work, 1))
            return -1.0;
        const translating_pair next = stack[--count];
        const aabb_pair p = next.pair;
        if ((double)(next.enter - SAT_TIME_SLACK) > limit)
            continue;
        const translating_tree *opened = p.open_a ? a : b, *other = p.open_a ? b : a;
        const sat_moving_frame *frame = p.open_a ? &frames.ab : &frames.ba;
        const uint32_t node = p.open_a ? p.child_a : p.child_b, fixed_child = p.open_a ? p.child_b : p.child_a;
        const box fixed_box = box_of(other, p.open_a ? p.slot_b : p.slot_a);
        const transformed_box fixed = transform_box(frame, &fixed_box);
        const box4 *four = &opened->tree->bounds[node];
        const tree_node *children = &opened->tree->nodes[node];
        float enter[TREE_WIDTH];
        const unsigned overlap =
            aabb_slots_above(opened->below, opened->transform, four,
                             sat4_moving(frame, &fixed, four, limit_above(limit), enter) & aabb_used_slots(children));
        if (overlap == 0)
            continue;
        const unsigned larger = aabb_larger(four, transformed_box_size(&fixed));
        unsigned order[TREE_WIDTH];
        const unsigned found = aabb_sort_slots(overlap, enter, order);
        const bool fixed_is_item = is_item(other, fixed_child);
        for (unsigned j = 0; j < found; ++j) {
            const uint32_t child = children->child[order[j]];
            if (tree_is_leaf(child) && fixed_is_item)
                continue;
            assert(count < AABB_PAIR_STACK);
            stack[count++] =
                (translating_pair){aabb_child_pair(p, child, order[j], (larger >> order[j] & 1) != 0), enter[order[j]]};
        }
        for (unsigned j = fixed_is_item ? found : 0; j-- > 0;) {
            const uint32_t child = children->child[order[j]];
            const double first = (double)(enter[order[j]] - SAT_TIME_SLACK);
            if (!tree_is_leaf(child) || first > limit)
                continue;
            const uint32_t i = tree_item(child), k = tree_item(fixed_child);
            limit = p.open_a ? visit(context, i, k, first, limit) : visit(context, k, i, first, limit);
            if (limit < 0.0)
                return limit;
        }
    }
    return limit;
}
