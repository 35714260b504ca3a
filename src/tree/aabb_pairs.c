/*
 * Pairs of things whose boxes overlap: of two placed trees, and of one tree with itself.
 *
 * Guarantees: no pair whose placed vertices' hulls meet is missed (view.h); no allocation; the same pairs in the same
 * order every time. The stack holds pairs of nodes and cannot overflow: a pair taken leaves up to four, each one level
 * deeper in one of the trees.
 *
 * Two trees (van den Bergen's thesis, section 5.2.3): the larger of two nodes is opened, and its four children are tested
 * at once against the box of the other. We depart from the thesis in that size is the sum of the sides and not the
 * volume, which is zero for flat boxes.
 */
#include <assert.h>

#include "bounds/sat4.h"
#include "tree/aabb_tree.h"

/* A pair of nodes or things that may overlap: places 4 * node + child, or ROOT. */
#define ROOT TREE_NONE
typedef struct pair {
    uint32_t a, b;
    uint32_t child_a, child_b; /* what is there */
    uint32_t open_a;           /* whether to open that of A */
} pair;

enum { MOST_PAIRS = (TREE_WIDTH - 1) * 2 * TREE_MOST_LEVELS + 1 };

/* The box at a place, a bound a lane. */
TACT_HOT void load_box(const aabb_tree *tree, uint32_t place, simde__m128 *min, simde__m128 *max)
{
    if (place == ROOT) {
        *min = simde_mm_setr_ps(tree->whole.min[0], tree->whole.min[1], tree->whole.min[2], 0.0f);
        *max = simde_mm_setr_ps(tree->whole.max[0], tree->whole.max[1], tree->whole.max[2], 0.0f);
        return;
    }
    const box4 *four = &tree->bounds[place / TREE_WIDTH];
    uint32_t k = place % TREE_WIDTH;
    *min = simde_mm_setr_ps(four->min[0][k], four->min[1][k], four->min[2][k], 0.0f);
    *max = simde_mm_setr_ps(four->max[0][k], four->max[1][k], four->max[2][k], 0.0f);
}

/* Which places of a node hold something. */
TACT_HOT unsigned taken(const tree_node *node)
{
    simde__m128i child = simde_mm_loadu_si128((const simde__m128i *)(const void *)node->child);
    simde__m128i none = simde_mm_cmpeq_epi32(child, simde_mm_set1_epi32(-1));
    return ~(unsigned)simde_mm_movemask_ps(simde_mm_castsi128_ps(none)) & 0xf;
}

/* Which of the four are larger than the fixed box, by the sums of their sides. */
TACT_HOT unsigned larger4(const box4 *four, const fixed_box *f)
{
    simde__m128 sum = simde_mm_sub_ps(simde_mm_loadu_ps(four->max[0]), simde_mm_loadu_ps(four->min[0]));
    sum = simde_mm_add_ps(sum, simde_mm_sub_ps(simde_mm_loadu_ps(four->max[1]), simde_mm_loadu_ps(four->min[1])));
    sum = simde_mm_add_ps(sum, simde_mm_sub_ps(simde_mm_loadu_ps(four->max[2]), simde_mm_loadu_ps(four->min[2])));
    simde__m128 e = f->extent; /* the fourth lane is 0 */
    e = simde_mm_add_ps(e, simde_mm_movehl_ps(e, e));
    e = simde_mm_add_ss(e, simde_mm_shuffle_ps(e, e, 1));
    return (unsigned)simde_mm_movemask_ps(simde_mm_cmpgt_ps(sum, SPREAD(e, 0)));
}

TACT_HOT bool pairs(const aabb_tree *a, const aabb_tree *b, const box_sights *sights, box_axes axes,
                    tree_visit_pair *visit, void *context)
{
    pair waiting[MOST_PAIRS];
    int count = 1;
    waiting[0] = (pair){ROOT, ROOT, 0, 0, 1};
    while (count > 0) {
        const pair p = waiting[--count];
        const aabb_tree *opened = p.open_a ? a : b, *other = p.open_a ? b : a;
        const box_sight *sight = p.open_a ? &sights->ab : &sights->ba;
        const uint32_t node = p.open_a ? p.child_a : p.child_b;
        const uint32_t fixed_child = p.open_a ? p.child_b : p.child_a;
        const tree_node *children = &opened->nodes[node];
        const box4 *four = &opened->bounds[node];
        simde__m128 min, max;
        load_box(other, p.open_a ? p.b : p.a, &min, &max);
        const fixed_box fixed = fixed_box_of(sight, min, max);
        unsigned meet = sat4(sight, &fixed, four, axes) & taken(children);
        if (meet == 0)
            continue;
        const unsigned larger = larger4(four, &fixed);
        const bool fixed_leaf = tree_is_leaf(fixed_child);
        for (unsigned k = TREE_WIDTH; k-- > 0;) {
            if ((meet >> k & 1) == 0)
                continue;
            uint32_t child = children->child[k];
            bool leaf = tree_is_leaf(child);
            if (leaf && fixed_leaf) {
                uint32_t thing = tree_thing(child), fixed_thing = tree_thing(fixed_child);
                if (!visit(context, p.open_a ? thing : fixed_thing, p.open_a ? fixed_thing : thing))
                    return false;
                continue;
            }
            bool again = fixed_leaf || (!leaf && (larger >> k & 1) != 0); /* open the child of the opened one next */
            pair next = p;
            if (p.open_a) {
                next.a = TREE_WIDTH * node + k;
                next.child_a = child;
            } else {
                next.b = TREE_WIDTH * node + k;
                next.child_b = child;
            }
            next.open_a = again ? p.open_a : !p.open_a;
            assert(count < MOST_PAIRS);
            waiting[count++] = next;
        }
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
        return pairs(a, b, &sights, BOX_ALL_AXES, visit, context);
    return pairs(a, b, &sights, BOX_FACES, visit, context);
}
