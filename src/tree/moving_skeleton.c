/*
 * The skeleton of a moving tree: the pairs of nodes that share a point, and which pairs of their children do not
 * (moving_tree.h explains its purpose).
 *
 * Guarantee: each pair of different items lies below exactly one bit of exactly one entry, a `disjoint` or an
 * `adjacent` bit. Reason: consider a traversal that starts from the root paired with itself, opens both nodes of a pair
 * at once, and, for an item paired with a node, opens the node. The entries are the pairs of this traversal that share
 * a point. Which pairs count as sharing a point affects speed only: a pair that does not count is tested. So points of
 * more than SKELETON_MAX_VALENCE items, whose pairs would be too many, are left out.
 *
 * Method: at each depth, the slots that contain a given point are pairwise adjacent. All these pairs are written down
 * as keys, prefixed by the pair of their parents, and radix-sorted, which groups the children of each entry. O(n), with
 * some 30 keys of 8 bytes per point.
 */
#include <string.h>

#include "core/array.h"
#include "core/sort.h"
#include "tree/moving_tree.h"

/* The key of a pair of slots. From the top: bit 62, whether the first slot is an item less deep than the other; 30 bits
 * for its node; 28 bits for the node of the other; 2 bits each for the positions in the nodes. */
#define KEY_SHALLOW_ITEM (UINT64_C(1) << 62)

ARRAY_OF(skeleton_keys, uint64_t);

static inline uint64_t key_of_slots(uint32_t p, uint32_t q)
{
    return (uint64_t)(p / TREE_WIDTH) << 32 | (uint64_t)(q / TREE_WIDTH) << 4 | (p % TREE_WIDTH) << 2 | q % TREE_WIDTH;
}

/* The slots on the path from the root to an item. */
typedef struct slot_path {
    uint32_t slot[TREE_MAX_DEPTH];
    uint32_t depth;
} slot_path;

static void slot_path_find(slot_path *path, uint32_t item_slot, const uint32_t *parent_slot)
{
    uint32_t n = 0;
    for (uint32_t slot = item_slot; slot != TREE_NONE; slot = parent_slot[slot / TREE_WIDTH])
        path->slot[n++] = slot;
    path->depth = n;
    for (uint32_t i = 0; i < n / 2; ++i) {
        const uint32_t other = path->slot[i];
        path->slot[i] = path->slot[n - 1 - i];
        path->slot[n - 1 - i] = other;
    }
}

/* Adds the keys of all pairs of slots on these paths, whose items share a point. */
static bool add_keys(const moving_tree *tree, const slot_path *paths, uint32_t count, skeleton_keys *keys)
{
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < count; ++i)
        deepest = paths[i].depth > deepest ? paths[i].depth : deepest;
    for (uint32_t depth = 1; depth <= deepest; ++depth) {
        /* the distinct slots at this depth; of shallower items, the slot of the item */
        uint32_t slot[SKELETON_MAX_VALENCE], level[SKELETON_MAX_VALENCE], distinct = 0;
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t own = paths[i].depth < depth ? paths[i].depth : depth, at = paths[i].slot[own - 1];
            uint32_t k = 0;
            while (k < distinct && slot[k] != at)
                ++k;
            if (k == distinct) {
                slot[k] = at;
                level[k] = own;
                ++distinct;
            }
        }
        for (uint32_t i = 0; i < distinct; ++i)
            for (uint32_t j = i + 1; j < distinct; ++j) {
                uint32_t p = i, q = j;
                if (level[p] < depth && level[q] < depth)
                    continue; /* two items, found at a smaller depth */
                /* the shallower item first, else the smaller slot */
                if (level[q] < level[p] || (level[q] == level[p] && slot[q] < slot[p])) {
                    p = j;
                    q = i;
                }
                const uint64_t key = (level[p] < depth ? KEY_SHALLOW_ITEM : 0) | key_of_slots(slot[p], slot[q]);
                if (!skeleton_keys_push(keys, &tree->allocator, key))
                    return false;
            }
    }
    return true;
}

static inline uint64_t key_value(const uint64_t *key) { return *key; }
RADIX_SORT_OF(radix_sort, uint64_t, key_value)

static bool sort_keys(skeleton_keys *keys, const tact_allocator *allocator)
{
    if (keys->count < 2)
        return true;
    uint64_t *scratch = tact_memory_allocate(allocator, keys->capacity, sizeof *scratch), *items = keys->items;
    if (scratch == NULL)
        return false;
    keys->items = radix_sort(items, scratch, keys->count);
    tact_memory_free(allocator, keys->items == items ? scratch : items, keys->capacity, sizeof *scratch);
    return true;
}

/* The entry made of the sorted keys with the same nodes, from `*at` on, which advances behind them. If `a` is paired
 * with a deeper node because of its items, only the items that share a point with it count. */
static skeleton_pair entry_of(const moving_tree *tree, const skeleton_keys *keys, size_t *at)
{
    const uint64_t first = keys->items[*at], same = ~(uint64_t)15;
    unsigned shared = 0;
    for (; *at < keys->count && (keys->items[*at] & same) == (first & same); ++*at)
        shared |= 1u << (keys->items[*at] & 15);
    const bool shallow_items = (first & KEY_SHALLOW_ITEM) != 0;
    const uint32_t a = (uint32_t)(first >> 32 & 0x3fffffff), b = (uint32_t)(first >> 4 & 0xfffffff);
    skeleton_pair entry = {a, b, 0, 0};
    const tree_node *node_a = &tree->nodes[a], *node_b = &tree->nodes[b];
    for (unsigned i = 0; i < tree_child_count(node_a); ++i) {
        if (shallow_items && (shared >> 4 * i & 15) == 0)
            continue;
        for (unsigned j = a == b ? i + 1 : 0; j < tree_child_count(node_b); ++j) {
            /* pairs of one group are dropped here, not before: the entry may have other pairs */
            const size_t p = (size_t)TREE_WIDTH * a + i, q = (size_t)TREE_WIDTH * b + j;
            if (tree->slot_group != NULL && tree->slot_group[p] != 0 && tree->slot_group[p] == tree->slot_group[q])
                continue;
            const uint16_t bit = (uint16_t)(1u << (4 * i + j));
            if ((shared & bit) == 0)
                entry.disjoint |= bit;
            else if (tree_is_leaf(node_a->child[i]) && tree_is_leaf(node_b->child[j]))
                entry.adjacent |= bit;
        }
    }
    return entry;
}

/* Sorts the keys and makes the entries from them. */
static tact_status make_entries(moving_tree *tree, skeleton_keys *keys)
{
    /* each node paired with itself: a key with equal slots, which no pair of different slots has */
    for (uint32_t i = 0; i < tree->node_count; ++i)
        if (!skeleton_keys_push(keys, &tree->allocator, (uint64_t)i << 32 | (uint64_t)i << 4))
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
    /* entries with a node above the subtrees first: two passes over the keys */
    uint32_t filled = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (size_t at = 0; at < keys->count;) {
            const skeleton_pair entry = entry_of(tree, keys, &at);
            const bool top = (tree->is_top_node[entry.a] | tree->is_top_node[entry.b]) != 0;
            if (top == (pass == 0))
                tree->skeleton[filled++] = entry;
        }
        if (pass == 0)
            tree->skeleton_top = filled;
    }
    return TACT_OK;
}

/* The items of each point: those of point i are items[starts[i]] to items[starts[i + 1] - 1]. */
static void find_items_of_points(const moving_tree *tree, uint32_t point_count, uint32_t *starts, uint32_t *items)
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
            starts[i] = sum += starts[i]; /* the end, from which the second pass counts down */
    }
}

tact_status tact_moving_tree_find_skeleton(moving_tree *tree, uint32_t point_count, const uint32_t *parent_slot,
                                           const uint32_t *item_slot)
{
    const size_t start_count = (size_t)point_count + 1, max_items = 3 * (size_t)tree->item_count;
    uint32_t *starts = tact_memory_allocate(&tree->allocator, start_count, sizeof *starts);
    uint32_t *items = tact_memory_allocate(&tree->allocator, max_items, sizeof *items);
    skeleton_keys keys = {0};
    tact_status status = starts != NULL && items != NULL ? TACT_OK : TACT_OUT_OF_MEMORY;
    if (status == TACT_OK)
        find_items_of_points(tree, point_count, starts, items);
    for (uint32_t i = 0; i < point_count && status == TACT_OK; ++i) {
        const uint32_t count = starts[i + 1] - starts[i];
        slot_path paths[SKELETON_MAX_VALENCE];
        if (count < 2 || count > SKELETON_MAX_VALENCE)
            continue;
        for (uint32_t k = 0; k < count; ++k)
            slot_path_find(&paths[k], item_slot[items[starts[i] + k]], parent_slot);
        status = add_keys(tree, paths, count, &keys) ? TACT_OK : TACT_OUT_OF_MEMORY;
    }
    tact_memory_free(&tree->allocator, starts, start_count, sizeof *starts);
    tact_memory_free(&tree->allocator, items, max_items, sizeof *items);
    if (status == TACT_OK)
        status = make_entries(tree, &keys);
    skeleton_keys_release(&keys, &tree->allocator);
    return status;
}
