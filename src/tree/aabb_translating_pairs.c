/*
 * Pairs of items that may meet while one tree slides past another, those that meet first first: branch and bound by
 * windows of time (seed 003, section 4.4; Eckstein and Schoemer's dynamic OBB trees).
 *
 * Guarantees: no pair whose placed vertices' hulls, with their margins, meet on the way, up to the limit, is missed
 * (sat4_moving.h); no allocation; the same pairs in the same order every time. A pair of nodes that overlap in no part
 * of the way, or only after the limit, is left out with all below it; the visitor brings the limit down with each
 * contact that it finds. Depth first, in each node by when the boxes begin to overlap.
 */
#include "bounds/sat4_moving.h"
#include "tree/aabb_internal.h"

typedef struct waiting_pair {
    aabb_pair pair;
    float enter;
} waiting_pair;

/* Is there nothing to be opened any more? */
static bool is_thing(const translating_tree *s, uint32_t child) { return s->tree == NULL || tree_is_leaf(child); }

static box box_of(const translating_tree *s, uint32_t place)
{
    return s->tree == NULL || place == AABB_ROOT_SLOT
               ? s->root_box
               : box4_get(&s->tree->bounds[place / TREE_WIDTH], place % TREE_WIDTH);
}

/* A part of the way as a float that is not smaller. */
static float limit_above(double limit) { return (float)limit * (1.0f + FLT_EPSILON); }

double tact_aabb_tree_translating_pairs(const translating_tree *a, const translating_tree *b, tact_vec3 way,
                                        tact_vec3 bend, double margin, double limit, tree_visit_translating_pair *visit,
                                        void *context)
{
    const uint32_t none = TREE_LEAF;
    waiting_pair waiting[AABB_PAIR_STACK];
    unsigned count = 1;
    sat_moving_frames slides;
    if ((a->tree != NULL && a->tree->node_count == 0) || (b->tree != NULL && b->tree->node_count == 0))
        return limit;
    tact_sat_moving_frames_make(a->transform, &a->root_box, b->transform, &b->root_box, way, bend, margin, &slides);
    waiting[0] = (waiting_pair){
        {AABB_ROOT_SLOT, AABB_ROOT_SLOT, a->tree != NULL ? 0 : none, b->tree != NULL ? 0 : none, 1}, 0.0f};
    /* the two as a whole: most that are asked about pass each other */
    {
        const box *w = &b->root_box;
        const transformed_box fixed =
            transformed_box_make(&slides.ab.sat, simde_mm_setr_ps(w->min[0], w->min[1], w->min[2], 0.0f),
                                 simde_mm_setr_ps(w->max[0], w->max[1], w->max[2], 0.0f));
        box4 four;
        for (unsigned k = 0; k < BOX4_WIDTH; ++k)
            box4_set(&four, k, &a->root_box);
        float enter[BOX4_WIDTH];
        if (sat4_moving(&slides.ab, &fixed, &four, limit_above(limit), enter) == 0)
            return limit;
        waiting[0].enter = enter[0];
        waiting[0].pair.open_a =
            a->tree != NULL && (b->tree == NULL || aabb_larger(&four, transformed_box_size(&fixed)) != 0);
        if (a->tree == NULL && b->tree == NULL)
            return visit(context, 0, 0, (double)enter[0] - (double)SAT_TIME_SLACK, limit);
    }
    while (count > 0) {
        const waiting_pair next = waiting[--count];
        const aabb_pair p = next.pair;
        if ((double)(next.enter - SAT_TIME_SLACK) > limit)
            continue;
        const translating_tree *opened = p.open_a ? a : b, *other = p.open_a ? b : a;
        const sat_moving_frame *slide = p.open_a ? &slides.ab : &slides.ba;
        const uint32_t node = p.open_a ? p.child_a : p.child_b, still = p.open_a ? p.child_b : p.child_a;
        const box beside = box_of(other, p.open_a ? p.slot_b : p.slot_a);
        const transformed_box fixed =
            transformed_box_make(&slide->sat, simde_mm_setr_ps(beside.min[0], beside.min[1], beside.min[2], 0.0f),
                                 simde_mm_setr_ps(beside.max[0], beside.max[1], beside.max[2], 0.0f));
        const box4 *four = &opened->tree->bounds[node];
        const tree_node *children = &opened->tree->nodes[node];
        float enter[TREE_WIDTH];
        const unsigned meet = sat4_moving(slide, &fixed, four, limit_above(limit), enter) & aabb_used_slots(children);
        if (meet == 0)
            continue;
        const unsigned larger = aabb_larger(four, transformed_box_size(&fixed));
        unsigned order[TREE_WIDTH];
        const unsigned found = aabb_sort_slots(meet, enter, order);
        const bool ends = is_thing(other, still);
        for (unsigned j = 0; j < found; ++j) {
            const uint32_t child = children->child[order[j]];
            if (tree_is_leaf(child) && ends)
                continue;
            assert(count < AABB_PAIR_STACK);
            waiting[count++] =
                (waiting_pair){aabb_child_pair(p, child, order[j], (larger >> order[j] & 1) != 0), enter[order[j]]};
        }
        for (unsigned j = ends ? found : 0; j-- > 0;) {
            const uint32_t child = children->child[order[j]];
            const double first = (double)(enter[order[j]] - SAT_TIME_SLACK);
            if (!tree_is_leaf(child) || first > limit)
                continue;
            const uint32_t i = tree_item(child), k = tree_item(still);
            limit = p.open_a ? visit(context, i, k, first, limit) : visit(context, k, i, first, limit);
            if (limit < 0.0)
                return limit;
        }
    }
    return limit;
}
