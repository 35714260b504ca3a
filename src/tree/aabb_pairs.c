/*
 * Pairs of things whose boxes overlap: of two placed trees, and of one tree with itself.
 *
 * Guarantees: no pair whose placed vertices' hulls meet is missed (view.h); no allocation; the same pairs in the same
 * order every time. The stack holds pairs of nodes and cannot overflow: a pair taken leaves up to four, each one level
 * deeper in one of the trees. A call of the visitor costs some 2 ns.
 *
 * Two trees (van den Bergen's thesis, section 5.2.3): the larger of two nodes is opened, and its four children are tested
 * at once against the box of the other. We depart from the thesis in that size is the sum of the sides and not the
 * volume, which is zero for flat boxes.
 */
#include <assert.h>

#include "tree/aabb_parts.h"

TACT_HOT bool visit_leaves(const aabb_pair *p, uint32_t child, tree_visit_pair *visit, void *context)
{
    if (p->open_a)
        return visit(context, tree_thing(child), tree_thing(p->child_b));
    return visit(context, tree_thing(p->child_a), tree_thing(child));
}

/* Pushes what may overlap of the four children of the opened node, the first on top; pairs of things are visited. */
TACT_HOT bool take_children(const aabb_pair *p, const tree_node *children, unsigned meet, unsigned larger,
                            aabb_pair *waiting, unsigned *count, tree_visit_pair *visit, void *context)
{
    const bool fixed_leaf = tree_is_leaf(p->open_a ? p->child_b : p->child_a);
    for (unsigned k = TREE_WIDTH; k-- > 0;) {
        if ((meet >> k & 1) == 0)
            continue;
        const uint32_t child = children->child[k];
        if (tree_is_leaf(child) && fixed_leaf) {
            if (!visit_leaves(p, child, visit, context))
                return false;
            continue;
        }
        assert(*count < AABB_MOST_PAIRS);
        waiting[(*count)++] = aabb_pair_below(*p, child, k, (larger >> k & 1) != 0);
    }
    return true;
}

TACT_HOT bool placed_pairs(const aabb_tree *a, const aabb_tree *b, const box_sights *sights, box_axes axes,
                           tree_visit_pair *visit, void *context)
{
    aabb_pair waiting[AABB_MOST_PAIRS];
    unsigned count = 1;
    waiting[0] = (aabb_pair){AABB_ROOT, AABB_ROOT, 0, 0, 1};
    while (count > 0) {
        const aabb_pair p = waiting[--count];
        const aabb_tree *opened = p.open_a ? a : b;
        const box_sight *sight = p.open_a ? &sights->ab : &sights->ba;
        const uint32_t node = p.open_a ? p.child_a : p.child_b;
        simde__m128 min, max;
        aabb_load(p.open_a ? b : a, p.open_a ? p.b : p.a, &min, &max);
        const fixed_box fixed = fixed_box_of(sight, min, max);
        const box4 *four = &opened->bounds[node];
        const unsigned meet = sat4(sight, &fixed, four, axes) & aabb_taken(&opened->nodes[node]);
        if (meet == 0)
            continue;
        const unsigned larger = aabb_larger(four, fixed_box_size(&fixed));
        if (!take_children(&p, &opened->nodes[node], meet, larger, waiting, &count, visit, context))
            return false;
    }
    return true;
}

bool tact_aabb_tree_pairs(const aabb_tree *a, const tact_placement *at_a, const aabb_tree *b,
                          const tact_placement *at_b, box_axes axes, tree_visit_pair *visit, void *context)
{
    if (a->node_count == 0 || b->node_count == 0)
        return true;
    box_sights sights;
    tact_box_sights(at_a, &a->whole, at_b, &b->whole, axes, &sights);
    if (axes == BOX_ALL_AXES)
        return placed_pairs(a, b, &sights, BOX_ALL_AXES, visit, context);
    return placed_pairs(a, b, &sights, BOX_FACES, visit, context);
}

/* Pairs in one frame, from a pair whose boxes are known to overlap and which are not both things. */
static bool plain_pairs(const aabb_tree *a, const aabb_tree *b, aabb_pair first, tree_visit_pair *visit, void *context)
{
    aabb_pair waiting[AABB_MOST_PAIRS];
    unsigned count = 1;
    waiting[0] = first;
    while (count > 0) {
        const aabb_pair p = waiting[--count];
        const aabb_tree *opened = p.open_a ? a : b;
        const uint32_t node = p.open_a ? p.child_a : p.child_b;
        const box fixed = aabb_box_at(p.open_a ? b : a, p.open_a ? p.b : p.a);
        const box4 *four = &opened->bounds[node];
        const unsigned meet = box4_overlap(four, &fixed) & aabb_taken(&opened->nodes[node]);
        if (meet == 0)
            continue;
        const float size =
            (fixed.max[0] - fixed.min[0]) + (fixed.max[1] - fixed.min[1]) + (fixed.max[2] - fixed.min[2]);
        if (!take_children(&p, &opened->nodes[node], meet, aabb_larger(four, size), waiting, &count, visit, context))
            return false;
    }
    return true;
}

bool tact_aabb_tree_pairs_in_place(const aabb_tree *a, const aabb_tree *b, tree_visit_pair *visit, void *context)
{
    if (a->node_count == 0 || b->node_count == 0)
        return true;
    return plain_pairs(a, b, (aabb_pair){AABB_ROOT, AABB_ROOT, 0, 0, 1}, visit, context);
}

/* Every pair is in two different children of exactly one node. */
bool tact_aabb_tree_self(const aabb_tree *tree, tree_visit_pair *visit, void *context)
{
    for (uint32_t node = 0; node < tree->node_count; ++node) {
        const tree_node *children = &tree->nodes[node];
        const box4 *four = &tree->bounds[node];
        for (unsigned i = 0; i + 1 < TREE_WIDTH && children->child[i] != TREE_NONE; ++i) {
            const box one = box4_get(four, i);
            const unsigned meet = box4_overlap(four, &one) & aabb_taken(children);
            for (unsigned j = i + 1; j < TREE_WIDTH; ++j) {
                if ((meet >> j & 1) == 0)
                    continue;
                const uint32_t a = children->child[i], b = children->child[j];
                if (tree_is_leaf(a) && tree_is_leaf(b)) {
                    if (!visit(context, tree_thing(a), tree_thing(b)))
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
