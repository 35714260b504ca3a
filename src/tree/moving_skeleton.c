/*
 * The skeleton of a moving tree: which nodes share a point, and which pairs of their children do not.
 *
 * Guarantees: every pair of different items is below exactly one bit of exactly one root, an `apart` or a `near` one.
 * A search that opens both nodes of a pair at once, from the root with itself, passes exactly through the pairs here:
 * the pair of an item and a node, as deep as the item or deeper, is opened at the node. Whether a pair counts as
 * sharing a point is a matter of speed alone: one that does not is tested. So points of more than HUB items are left
 * out, whose pairs would be too many.
 *
 * The points of the mesh tell them: of the places at one depth that contain a point, each pair shares it. All pairs are
 * written down, under the pair that they are children of, and sorted (by digits of 11 bits), which brings together what
 * belongs to one root. O(n) with some 30 pairs of 8 bytes a point.
 */
#include <string.h>

#include "core/array.h"
#include "tree/moving_tree.h"

/* Things around a point, at most, for it to count. A closed surface has six on average; the pairs of these are kept. */
#define HUB 24u

/* A pair of places, under the pair that it belongs to. From the top: a bit, whether the first is an item less deep than
 * the other; 28 bits for its node, in 30; 28 for the node of the other; then which child of each (2 bits and 2 bits).
 */
#define PAIR_THING (UINT64_C(1) << 62)

ARRAY_OF(pair_keys, uint64_t);

static inline uint64_t key_of_nodes(uint32_t p, uint32_t q)
{
    return (uint64_t)(p / TREE_WIDTH) << 32 | (uint64_t)(q / TREE_WIDTH) << 4 | (p % TREE_WIDTH) << 2 | q % TREE_WIDTH;
}

/* The places from the root down to an item. */
typedef struct chain {
    uint32_t place[TREE_MAX_DEPTH];
    uint32_t depth;
} chain;

static void chain_find(chain *c, uint32_t home, const uint32_t *parents)
{
    uint32_t n = 0;
    for (uint32_t place = home; place != TREE_NONE; place = parents[place / TREE_WIDTH])
        c->place[n++] = place;
    c->depth = n;
    for (uint32_t i = 0; i < n / 2; ++i) {
        const uint32_t other = c->place[i];
        c->place[i] = c->place[n - 1 - i];
        c->place[n - 1 - i] = other;
    }
}

/* All pairs of places that share a point which these items have. */
static bool add_pairs(const moving_tree *tree, const chain *chains, uint32_t count, pair_keys *keys)
{
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < count; ++i)
        deepest = chains[i].depth > deepest ? chains[i].depth : deepest;
    for (uint32_t depth = 1; depth <= deepest; ++depth) {
        uint32_t place[HUB], level[HUB], different = 0;
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t own = chains[i].depth < depth ? chains[i].depth : depth, at = chains[i].place[own - 1];
            uint32_t k = 0;
            while (k < different && place[k] != at)
                ++k;
            if (k == different) {
                place[k] = at;
                level[k] = own;
                ++different;
            }
        }
        for (uint32_t i = 0; i < different; ++i)
            for (uint32_t j = i + 1; j < different; ++j) {
                uint32_t p = i, q = j;
                if (level[p] < depth && level[q] < depth)
                    continue; /* both are items, found above */
                /* the item first, else the smaller place */
                if (level[q] < level[p] || (level[q] == level[p] && place[q] < place[p])) {
                    p = j;
                    q = i;
                }
                const uint64_t key = (level[p] < depth ? PAIR_THING : 0) | key_of_nodes(place[p], place[q]);
                if (!pair_keys_push(keys, &tree->allocator, key))
                    return false;
            }
    }
    return true;
}

/* Sorts by digits, the lowest first; keys that agree in a digit are not moved for it. */
static bool sort_keys(pair_keys *keys, const tact_allocator *allocator)
{
    enum { BITS = 11, DIGITS = 1 << BITS };
    if (keys->count < 2)
        return true;
    uint64_t *other = tact_memory_allocate(allocator, keys->capacity, sizeof *other);
    if (other == NULL)
        return false;
    for (unsigned shift = 0; shift < 64; shift += BITS) {
        size_t starts[DIGITS] = {0};
        for (size_t i = 0; i < keys->count; ++i)
            ++starts[keys->items[i] >> shift & (DIGITS - 1)];
        if (starts[keys->items[0] >> shift & (DIGITS - 1)] == keys->count)
            continue;
        size_t sum = 0;
        for (unsigned d = 0; d < DIGITS; ++d) {
            const size_t many = starts[d];
            starts[d] = sum;
            sum += many;
        }
        for (size_t i = 0; i < keys->count; ++i)
            other[starts[keys->items[i] >> shift & (DIGITS - 1)]++] = keys->items[i];
        uint64_t *swap = keys->items;
        keys->items = other;
        other = swap;
    }
    tact_memory_free(allocator, other, keys->capacity, sizeof *other);
    return true;
}

static unsigned taken(const tree_node *node)
{
    unsigned count = 0;
    while (count < TREE_WIDTH && node->child[count] != TREE_NONE)
        ++count;
    return count;
}

/* The root that the sorted keys from `*at` on belong to, as far as they do. Of a node whose items share a point with a
 * deeper one, only those that do are meant. */
static skeleton_pair root_of(const moving_tree *tree, const pair_keys *keys, size_t *at)
{
    const uint64_t first = keys->items[*at], same = ~(uint64_t)15;
    unsigned shared = 0;
    for (; *at < keys->count && (keys->items[*at] & same) == (first & same); ++*at)
        shared |= 1u << (keys->items[*at] & 15);
    const bool items = (first & PAIR_THING) != 0;
    const uint32_t a = (uint32_t)(first >> 32 & 0x3fffffff), b = (uint32_t)(first >> 4 & 0xfffffff);
    skeleton_pair root = {a, b, 0, 0};
    const tree_node *node_a = &tree->nodes[a], *node_b = &tree->nodes[b];
    for (unsigned i = 0; i < taken(node_a); ++i) {
        if (items && (shared >> 4 * i & 15) == 0)
            continue;
        for (unsigned j = a == b ? i + 1 : 0; j < taken(node_b); ++j) {
            /* pairs of one group are left out here and not before: those that they belong to may have others */
            const size_t p = (size_t)TREE_WIDTH * a + i, q = (size_t)TREE_WIDTH * b + j;
            if (tree->slot_group != NULL && tree->slot_group[p] != 0 && tree->slot_group[p] == tree->slot_group[q])
                continue;
            const uint16_t bit = (uint16_t)(1u << (4 * i + j));
            if ((shared & bit) == 0)
                root.disjoint |= bit;
            else if (tree_is_leaf(node_a->child[i]) && tree_is_leaf(node_b->child[j]))
                root.adjacent |= bit;
        }
    }
    return root;
}

static tact_status gather(moving_tree *tree, pair_keys *keys)
{
    /* every node with itself: two bits that no pair of places has */
    for (uint32_t i = 0; i < tree->node_count; ++i)
        if (!pair_keys_push(keys, &tree->allocator, (uint64_t)i << 32 | (uint64_t)i << 4))
            return TACT_OUT_OF_MEMORY;
    if (!sort_keys(keys, &tree->allocator))
        return TACT_OUT_OF_MEMORY;
    uint32_t count = 0;
    for (size_t i = 0; i < keys->count; ++i)
        count += i == 0 || (keys->items[i] & ~(uint64_t)15) != (keys->items[i - 1] & ~(uint64_t)15);
    tree->skeleton = tact_memory_allocate(&tree->allocator, count, sizeof *tree->skeleton);
    if (tree->skeleton == NULL)
        return TACT_OUT_OF_MEMORY;
    tree->skeleton_count = tree->skeleton_used = count;
    /* those with a node that is in no part first: twice over the keys, in their order each time */
    uint32_t filled = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (size_t at = 0; at < keys->count;) {
            const skeleton_pair root = root_of(tree, keys, &at);
            const bool top = (tree->is_top_node[root.a] | tree->is_top_node[root.b]) != 0;
            if (top == (pass == 0))
                tree->skeleton[filled++] = root;
        }
        if (pass == 0)
            tree->skeleton_top = filled;
    }
    return TACT_OK;
}

/* The items around each point: those of point i are items[starts[i]] to items[starts[i + 1] - 1]. */
static void find_things(const moving_tree *tree, uint32_t point_count, uint32_t *starts, uint32_t *items)
{
    memset(starts, 0, ((size_t)point_count + 1) * sizeof *starts);
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < tree->item_count; ++i) {
            const uint32_t *c = tree->item_points[i];
            for (unsigned k = 0; k < 3 && c[0] != MOVING_TREE_NO_ITEM; ++k) {
                if ((k > 0 && c[k] == c[0]) || (k > 1 && c[k] == c[1]))
                    continue;
                if (pass == 0)
                    ++starts[c[k]];
                else
                    items[--starts[c[k]]] = i;
            }
        }
        for (uint32_t i = 0, sum = 0; pass == 0 && i <= point_count; ++i)
            starts[i] = sum += starts[i]; /* the ends, from which the second pass counts down */
    }
}

tact_status tact_moving_tree_find_skeleton(moving_tree *tree, uint32_t point_count, const uint32_t *parents,
                                           const uint32_t *homes)
{
    const size_t start_room = (size_t)point_count + 1, item_room = 3 * (size_t)tree->item_count;
    uint32_t *starts = tact_memory_allocate(&tree->allocator, start_room, sizeof *starts);
    uint32_t *items = tact_memory_allocate(&tree->allocator, item_room, sizeof *items);
    pair_keys keys = {0};
    tact_status status = starts != NULL && items != NULL ? TACT_OK : TACT_OUT_OF_MEMORY;
    if (status == TACT_OK)
        find_things(tree, point_count, starts, items);
    for (uint32_t i = 0; i < point_count && status == TACT_OK; ++i) {
        const uint32_t count = starts[i + 1] - starts[i];
        chain chains[HUB];
        if (count < 2 || count > HUB)
            continue;
        for (uint32_t k = 0; k < count; ++k)
            chain_find(&chains[k], homes[items[starts[i] + k]], parents);
        status = add_pairs(tree, chains, count, &keys) ? TACT_OK : TACT_OUT_OF_MEMORY;
    }
    tact_memory_free(&tree->allocator, starts, start_room, sizeof *starts);
    tact_memory_free(&tree->allocator, items, item_room, sizeof *items);
    if (status == TACT_OK)
        status = gather(tree, &keys);
    pair_keys_release(&keys, &tree->allocator);
    return status;
}
