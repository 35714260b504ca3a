/*
 * Insertion and removal of single items in an AABB tree.
 *
 * Guarantees: afterwards the tree is as well formed as after a build (tree.h: children after parent_slot, at least two
 * children per node, used slots first, no path too long), and each box is the smallest around its items. Cost: O(depth)
 * per call.
 *
 * An insertion descends to the child whose area grows least. At the leaf the item takes a free slot of the leaf's node,
 * or forms a new node with that leaf, at the end of the array. If the path would become too long, it takes any other
 * slot, and the tree counts as degraded (built_cost 0). A removal leaves a node with at least two children, or replaces
 * a node by its only child. The hole in the array is filled from the path to the last node: each node on it moves to
 * the index of the previous one, so children stay after parent_slot.
 *
 * Why the broad phase has another dynamic tree, with figures: see broad/dynamic_tree.h.
 */
#include <assert.h>

#include "core/memory.h"
#include "tree/aabb_internal.h"

bool tact_aabb_tree_reserve(aabb_tree *tree, uint32_t nodes, uint32_t items)
{
    if (items > TREE_MAX_ITEMS || nodes > TREE_MAX_ITEMS ||
        !tact_aabb_tree_reserve_nodes(tree, nodes, nodes + nodes / 4))
        return false;
    if (items <= tree->item_capacity)
        return true;
    const uint32_t capacity = items + items / 4;
    uint32_t *parent_slot = tact_memory_allocate(&tree->allocator, capacity, sizeof *parent_slot);
    uint32_t *item_slot = tact_memory_allocate(&tree->allocator, capacity, sizeof *item_slot);
    if (parent_slot == NULL || item_slot == NULL) {
        tact_memory_free(&tree->allocator, parent_slot, capacity, sizeof *parent_slot);
        tact_memory_free(&tree->allocator, item_slot, capacity, sizeof *item_slot);
        return false;
    }
    for (uint32_t i = 0; i < tree->node_count; ++i)
        parent_slot[i] = tree->parent_slot[i];
    for (uint32_t i = 0; i < tree->item_count; ++i)
        item_slot[i] = tree->item_slot[i];
    tact_memory_free(&tree->allocator, tree->parent_slot, tree->item_capacity, sizeof *parent_slot);
    tact_memory_free(&tree->allocator, tree->item_slot, tree->item_capacity, sizeof *item_slot);
    tree->parent_slot = parent_slot;
    tree->item_slot = item_slot;
    tree->item_capacity = capacity;
    return true;
}

/* ---- slots and boxes ---- */

/* Puts a child with its box into slot k of a node. */
static void set_child(aabb_tree *tree, uint32_t node, unsigned k, uint32_t child, const box *b)
{
    tree->nodes[node].child[k] = child;
    box4_set(&tree->bounds[node], k, b);
    if (child != TREE_NONE)
        aabb_set_slot(tree, child, TREE_WIDTH * node + k);
}

static void clear_children(aabb_tree *tree, uint32_t node, unsigned from)
{
    const box empty = box_empty();
    for (unsigned k = from; k < TREE_WIDTH; ++k)
        set_child(tree, node, k, TREE_NONE, &empty);
}

/* After a change of the boxes of a node: refits its ancestors, until a box stays unchanged. */
static void refit_ancestors(aabb_tree *tree, uint32_t node)
{
    for (;;) {
        const box b = box4_union(&tree->bounds[node]);
        const uint32_t slot = tree->parent_slot[node];
        if (slot == TREE_NONE) {
            tree->root_box = b;
            return;
        }
        box4 *bounds = &tree->bounds[slot / TREE_WIDTH];
        const box before = box4_get(bounds, slot % TREE_WIDTH);
        if (memcmp(&before, &b, sizeof b) == 0)
            return;
        box4_set(bounds, slot % TREE_WIDTH, &b);
        node = slot / TREE_WIDTH;
    }
}

/* ---- insertion ---- */

static float half_area(const box *b)
{
    const float x = b->max[0] - b->min[0], y = b->max[1] - b->min[1], z = b->max[2] - b->min[2];
    return x * y + y * z + z * x;
}

/* The child whose area grows least; of equals the smallest, then the first. The first if all areas overflow. */
static unsigned best_child(const aabb_tree *tree, uint32_t node, const box *fitted)
{
    unsigned best = 0;
    float best_growth = INFINITY, best_area = INFINITY;
    for (unsigned k = 0; k < TREE_WIDTH && tree->nodes[node].child[k] != TREE_NONE; ++k) {
        const box old = box4_get(&tree->bounds[node], k), both = box_union(&old, fitted);
        const float area = half_area(&both), growth = area - half_area(&old);
        if (growth < best_growth || (growth == best_growth && area < best_area)) {
            best = k;
            best_growth = growth;
            best_area = area;
        }
    }
    return best;
}

/* Replaces the leaf in slot k of a node by a new node with that leaf and another one. */
static void split_leaf(aabb_tree *tree, uint32_t node, unsigned k, uint32_t leaf, const box *fitted)
{
    const box old = box4_get(&tree->bounds[node], k), both = box_union(&old, fitted);
    const uint32_t fresh = tree->node_count++;
    set_child(tree, fresh, 0, tree->nodes[node].child[k], &old);
    set_child(tree, fresh, 1, leaf, fitted);
    clear_children(tree, fresh, 2);
    set_child(tree, node, k, fresh, &both);
}

static uint32_t level_of(const aabb_tree *tree, uint32_t node)
{
    uint32_t level = 1;
    for (uint32_t slot; (slot = tree->parent_slot[node]) != TREE_NONE; node = slot / TREE_WIDTH)
        ++level;
    return level;
}

/* Inserts a leaf anywhere: every tree that fits into memory has a free slot or a leaf that is not too deep. */
static void insert_anywhere(aabb_tree *tree, uint32_t leaf, const box *fitted)
{
    for (uint32_t node = 0; node < tree->node_count; ++node) {
        const unsigned count = tree_child_count(&tree->nodes[node]);
        unsigned k = 0;
        while (k < count && !tree_is_leaf(tree->nodes[node].child[k]))
            ++k;
        if (count < TREE_WIDTH)
            set_child(tree, node, count, leaf, fitted);
        else if (k < count && level_of(tree, node) < TREE_MAX_DEPTH)
            split_leaf(tree, node, k, leaf, fitted);
        else
            continue;
        refit_ancestors(tree, node);
        break;
    }
    tree->built_cost = 0.0;
}

void tact_aabb_tree_insert(aabb_tree *tree, const box *fitted)
{
    const uint32_t leaf = TREE_LEAF | tree->item_count++;
    assert(tree->item_count <= tree->item_capacity);
    if (tree->node_count == 0) {
        tree->node_count = 1;
        tree->parent_slot[0] = TREE_NONE;
        set_child(tree, 0, 0, leaf, fitted);
        clear_children(tree, 0, 1);
        tree->root_box = *fitted;
        return;
    }
    uint32_t node = 0, level = 1;
    unsigned k = best_child(tree, 0, fitted);
    while (!tree_is_leaf(tree->nodes[node].child[k])) {
        node = tree->nodes[node].child[k];
        k = best_child(tree, node, fitted);
        ++level;
    }
    const unsigned count = tree_child_count(&tree->nodes[node]);
    if (count < TREE_WIDTH)
        set_child(tree, node, count, leaf, fitted);
    else if (level < TREE_MAX_DEPTH)
        split_leaf(tree, node, k, leaf, fitted);
    else {
        insert_anywhere(tree, leaf, fitted);
        return;
    }
    refit_ancestors(tree, node);
}

/* ---- removal ---- */

/* Moves a node to the unused index `to`. */
static void move_node(aabb_tree *tree, uint32_t to, uint32_t from)
{
    tree->nodes[to] = tree->nodes[from];
    tree->bounds[to] = tree->bounds[from];
    tree->parent_slot[to] = tree->parent_slot[from];
    const uint32_t slot = tree->parent_slot[to];
    tree->nodes[slot / TREE_WIDTH].child[slot % TREE_WIDTH] = to;
    for (unsigned k = 0; k < TREE_WIDTH && tree->nodes[to].child[k] != TREE_NONE; ++k)
        aabb_set_slot(tree, tree->nodes[to].child[k], TREE_WIDTH * to + k);
}

/* Removes an unused node from the array. */
static void remove_node(aabb_tree *tree, uint32_t hole)
{
    const uint32_t last = tree->node_count - 1;
    while (hole != last) { /* the highest ancestor of the last node that comes after the hole moves into it */
        uint32_t node = last;
        for (uint32_t above; (above = tree->parent_slot[node] / TREE_WIDTH) > hole;)
            node = above;
        move_node(tree, hole, node);
        hole = node;
    }
    tree->node_count = last;
}

void tact_aabb_tree_remove(aabb_tree *tree, uint32_t item)
{
    const uint32_t slot = tree->item_slot[item], node = slot / TREE_WIDTH, last = --tree->item_count;
    const unsigned count = tree_child_count(&tree->nodes[node]) - 1;
    const box moved = box4_get(&tree->bounds[node], count);
    set_child(tree, node, slot % TREE_WIDTH, tree->nodes[node].child[count], &moved);
    clear_children(tree, node, count);
    if (item != last) {
        const uint32_t last_slot = tree->item_slot[last];
        tree->item_slot[item] = last_slot;
        tree->nodes[last_slot / TREE_WIDTH].child[last_slot % TREE_WIDTH] = TREE_LEAF | item;
    }
    if (tree->item_count == 0) {
        tree->node_count = 0;
        tree->root_box = box_empty();
        return;
    }
    if (count > 1 || (node == 0 && tree_is_leaf(tree->nodes[0].child[0]))) {
        refit_ancestors(tree, node);
        return;
    }
    const uint32_t only = tree->nodes[node].child[0];
    if (node == 0) { /* the only child becomes the root */
        for (unsigned k = 0; k < TREE_WIDTH; ++k) {
            const box b = box4_get(&tree->bounds[only], k);
            set_child(tree, 0, k, tree->nodes[only].child[k], &b);
        }
        refit_ancestors(tree, 0);
        remove_node(tree, only);
        return;
    }
    const uint32_t above = tree->parent_slot[node];
    const box b = box4_get(&tree->bounds[node], 0);
    set_child(tree, above / TREE_WIDTH, above % TREE_WIDTH, only, &b);
    refit_ancestors(tree, above / TREE_WIDTH);
    remove_node(tree, node);
}

void tact_aabb_tree_move(aabb_tree *tree, uint32_t item, const box *fitted)
{
    const uint32_t last = tree->item_count - 1;
    tact_aabb_tree_remove(tree, item);
    tact_aabb_tree_insert(tree, fitted);
    if (item == last)
        return;
    /* the inserted item, now number `last`, and the one that took its number swap numbers */
    const uint32_t inserted = tree->item_slot[last], other = tree->item_slot[item];
    tree->item_slot[item] = inserted;
    tree->item_slot[last] = other;
    tree->nodes[inserted / TREE_WIDTH].child[inserted % TREE_WIDTH] = TREE_LEAF | item;
    tree->nodes[other / TREE_WIDTH].child[other % TREE_WIDTH] = TREE_LEAF | last;
}
