/*
 * Pairs of items of a moving tree that may touch, and when.
 *
 * Guarantees: no pair that touches at some time is missed, and its time of touching is within the window that is handed
 * over (bounds/moving_bound.h); no allocation; the same pairs in the same order every time. The stack cannot overflow:
 * a pair taken leaves up to four, each one level deeper at one side.
 *
 * The larger of two nodes is opened, and its four children are tested at once against the bound of the other, for the
 * window in which their parents overlapped: what is left of it goes with them.
 */
#include "core/avx2.h"
#include "tree/moving_tree.h"

/* A pair taken leaves up to four, each one level deeper at one side. */
#define MOST_PAIRS ((TREE_WIDTH - 1) * 2 * TREE_MAX_DEPTH + TREE_WIDTH)

/* Where pairs are put that others are to search. */
typedef struct pair_room {
    moving_slot_pair *pairs;
    uint32_t count, room;
} pair_room;

static inline uint32_t child_at(const moving_tree *tree, uint32_t place)
{
    return tree->nodes[place / TREE_WIDTH].child[place % TREE_WIDTH];
}

/* Of the pairs of a place and the children of a node, those that are of interest. */
TACT_FORCE_INLINE unsigned wanted_of(const moving_tree *tree, const moving_pair_query *search, uint32_t place,
                                     uint32_t node, unsigned wanted)
{
    if (search->marks != NULL && (search->marks[place / TREE_WIDTH] >> place % TREE_WIDTH & 1) == 0)
        wanted &= search->marks[node];
    if (tree->slot_group != NULL && tree->slot_group[place] != 0)
        for (unsigned k = 0; k < TREE_WIDTH; ++k)
            if (tree->slot_group[(size_t)TREE_WIDTH * node + k] == tree->slot_group[place])
                wanted &= ~(1u << k);
    return wanted;
}

/* Is it an item or in a part? */
static inline bool is_small(const moving_tree *tree, uint32_t child)
{
    return tree_is_leaf(child) || tree->is_top_node[child] == 0;
}

/* Tests a place against children of a node; pairs of items are visited, others wait, or are put aside. */
TACT_FORCE_INLINE unsigned meet_children(const moving_tree *tree, moving_pair_query *search, uint32_t place,
                                         uint32_t node, unsigned wanted, float enter, float exit,
                                         moving_slot_pair *waiting, unsigned count, pair_room *aside)
{
    float enters[MOVING_WIDTH], exits[MOVING_WIDTH];
    const moving_bound4 *four = &tree->bounds[node], *other = &tree->bounds[place / TREE_WIDTH];
    unsigned meet = moving_bound4_overlap_window(four, wanted, other, place % TREE_WIDTH, enter, exit, enters, exits);
    if (meet == 0)
        return count;
    const uint32_t own = child_at(tree, place);
    float sizes[MOVING_WIDTH];
    float size = 0.0f;
    if (!tree_is_leaf(own)) {
        simde_mm_storeu_ps(sizes, moving_bound4_sizes(four));
        size = moving_bound4_size(other, place % TREE_WIDTH);
    }
    for (unsigned k = 0; meet != 0; ++k, meet >>= 1) {
        if ((meet & 1) == 0)
            continue;
        const uint32_t child = tree->nodes[node].child[k];
        if (tree_is_leaf(own) && tree_is_leaf(child)) {
            search->visit(search->context, tree_item(own), tree_item(child), enters[k], exits[k]);
            continue;
        }
        const uint32_t at = TREE_WIDTH * node + k;
        const bool open_child = !tree_is_leaf(child) && (tree_is_leaf(own) || sizes[k] >= size);
        const moving_slot_pair pair = {open_child ? place : at, open_child ? at : place, enters[k], exits[k]};
        if (aside != NULL && aside->count < aside->room && is_small(tree, own) && is_small(tree, child))
            aside->pairs[aside->count++] = pair;
        else
            waiting[count++] = pair;
    }
    return count;
}

/* Searches what waits until there is no more. */
TACT_FORCE_INLINE void search_waiting(const moving_tree *tree, moving_pair_query *search, moving_slot_pair *waiting,
                                      unsigned count, pair_room *aside)
{
    while (count > 0) {
        moving_slot_pair p = waiting[--count];
        p.exit = p.exit < search->limit ? p.exit : search->limit;
        if (p.enter > p.exit)
            continue;
        const uint32_t opened = child_at(tree, p.opened);
        const unsigned wanted =
            wanted_of(tree, search, p.fixed, opened, (1u << TREE_WIDTH) - 1); /* empty places touch nothing */
        if (wanted != 0)
            count = meet_children(tree, search, p.fixed, opened, wanted, p.enter, p.exit, waiting, count, aside);
    }
}

TACT_FORCE_INLINE void search_below(const moving_tree *tree, moving_pair_query *search, uint32_t place, uint32_t node,
                                    unsigned row, pair_room *aside)
{
    moving_slot_pair waiting[MOST_PAIRS];
    const unsigned wanted = wanted_of(tree, search, place, node, row);
    if (wanted == 0)
        return;
    const unsigned count = meet_children(tree, search, place, node, wanted, 0.0f,
                                         search->limit < 1.0f ? search->limit : 1.0f, waiting, 0, aside);
    search_waiting(tree, search, waiting, count, aside);
}

/* Two nodes that share a point. */
TACT_FORCE_INLINE void search_root(const moving_tree *tree, const skeleton_pair *root, moving_pair_query *search,
                                   pair_room *aside)
{
    if (search->marks != NULL && (search->marks[root->a] | search->marks[root->b]) == 0)
        return;
    /* all sixteen pairs at once, unless they are of one row: then the test for windows does as well */
    unsigned apart = root->disjoint;
    if ((apart & 0x000f) != apart && (apart & 0x00f0) != apart && (apart & 0x0f00) != apart &&
        (apart & 0xf000) != apart)
        apart = moving_bound4_overlap_pairs(&tree->bounds[root->a], &tree->bounds[root->b], apart);
    const tree_node *node_a = &tree->nodes[root->a], *node_b = &tree->nodes[root->b];
    for (unsigned bits = apart | root->adjacent, i = 0; bits != 0; ++i, bits >>= 4) {
        if ((bits & 15) == 0)
            continue;
        const uint32_t place = TREE_WIDTH * root->a + i;
        unsigned near = root->adjacent >> 4 * i & 15u;
        if (near != 0) {
            near = wanted_of(tree, search, place, root->b, near);
            for (unsigned j = 0; j < TREE_WIDTH; ++j)
                if ((near >> j & 1) != 0)
                    search->visit(search->context, tree_item(node_a->child[i]), tree_item(node_b->child[j]), 0.0f,
                                  1.0f);
        }
        if ((apart >> 4 * i & 15u) != 0)
            search_below(tree, search, place, root->b, apart >> 4 * i & 15u, aside);
    }
}

void tact_moving_tree_pairs(const moving_tree *tree, uint32_t first, uint32_t last, moving_pair_query *search)
{
    for (uint32_t r = first; r < last; ++r)
        search_root(tree, &tree->skeleton[r], search, NULL);
}

void tact_moving_tree_pairs_below(const moving_tree *tree, const moving_slot_pair *pairs, uint32_t count,
                                  moving_pair_query *search)
{
    for (uint32_t i = 0; i < count; ++i) {
        moving_slot_pair waiting[MOST_PAIRS];
        waiting[0] = pairs[i];
        search_waiting(tree, search, waiting, 1, NULL);
    }
}

#ifndef tact_moving_tree_pairs
uint32_t tact_moving_tree_split_top(const moving_tree *tree, moving_pair_query *search, moving_slot_pair *aside,
                                    uint32_t room)
{
    pair_room put = {aside, 0, room};
    for (uint32_t r = 0; r < tree->skeleton_top; ++r)
        search_root(tree, &tree->skeleton[r], search, &put);
    return put.count;
}
#endif
