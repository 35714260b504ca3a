/*
 * Things that come to a tree of boxes and go, one by one.
 *
 * Guarantees: the tree is then as well formed as one that was built (tree.h: children after parents, at least two a
 * node, no gaps, no path too long), and every box is the smallest around what is below it. Cost: O(depth) each.
 *
 * An item that comes goes down to where boxes grow least, and into a free place of the node beside its nearest leaf, or
 * with that leaf into a new node, at the end of the array. One that goes leaves a node with at least two children, or
 * one whose only child takes its place; the hole in the array is filled by moving each node of a path down to the last
 * node to the place of the one above it: so children stay after parents. Where a path would become too long, any
 * other place will do: the tree is then worn, and said to be (built_cost 0).
 */
#include <assert.h>

#include "core/memory.h"
#include "tree/aabb_tree.h"

static bool grow_nodes(aabb_tree *tree, uint32_t wanted)
{
    const uint32_t room = wanted + wanted / 4;
    if (wanted > tree->node_capacity) {
        void *block = tree->nodes != NULL ? tact_memory_resize(&tree->allocator, tree->nodes, tree->node_capacity, room,
                                                               sizeof(tree_node))
                                          : tact_memory_allocate(&tree->allocator, room, sizeof(tree_node));
        if (block == NULL)
            return false;
        tree->nodes = block;
        tree->node_capacity = room;
    }
    if (wanted > tree->bounds_capacity) {
        void *block = tree->bounds != NULL ? tact_memory_resize(&tree->allocator, tree->bounds, tree->bounds_capacity,
                                                                room, sizeof(box4))
                                           : tact_memory_allocate(&tree->allocator, room, sizeof(box4));
        if (block == NULL)
            return false;
        tree->bounds = block;
        tree->bounds_capacity = room;
    }
    return true;
}

bool tact_aabb_tree_reserve(aabb_tree *tree, uint32_t nodes, uint32_t items)
{
    if (items > TREE_MAX_ITEMS || nodes > TREE_MAX_ITEMS || !grow_nodes(tree, nodes))
        return false;
    if (items <= tree->item_capacity)
        return true;
    const uint32_t room = items + items / 4;
    uint32_t *parents = tact_memory_allocate(&tree->allocator, room, sizeof *parents);
    uint32_t *homes = tact_memory_allocate(&tree->allocator, room, sizeof *homes);
    if (parents == NULL || homes == NULL) {
        tact_memory_free(&tree->allocator, parents, room, sizeof *parents);
        tact_memory_free(&tree->allocator, homes, room, sizeof *homes);
        return false;
    }
    for (uint32_t i = 0; i < tree->node_count; ++i)
        parents[i] = tree->parent_slot[i];
    for (uint32_t i = 0; i < tree->item_count; ++i)
        homes[i] = tree->item_slot[i];
    tact_memory_free(&tree->allocator, tree->parent_slot, tree->item_capacity, sizeof *parents);
    tact_memory_free(&tree->allocator, tree->item_slot, tree->item_capacity, sizeof *homes);
    tree->parent_slot = parents;
    tree->item_slot = homes;
    tree->item_capacity = room;
    return true;
}

/* ---- what both need ---- */

static unsigned children_of(const tree_node *node)
{
    unsigned count = 0;
    while (count < TREE_WIDTH && node->child[count] != TREE_NONE)
        ++count;
    return count;
}

/* Puts a child with its box into a place. */
static void set_child(aabb_tree *tree, uint32_t node, unsigned k, uint32_t child, const box *b)
{
    tree->nodes[node].child[k] = child;
    box4_set(&tree->bounds[node], k, b);
    if (child == TREE_NONE)
        return;
    if (tree_is_leaf(child))
        tree->item_slot[tree_item(child)] = TREE_WIDTH * node + k;
    else
        tree->parent_slot[child] = TREE_WIDTH * node + k;
}

static void clear_children(aabb_tree *tree, uint32_t node, unsigned from)
{
    const box nothing = box_empty();
    for (unsigned k = from; k < TREE_WIDTH; ++k)
        set_child(tree, node, k, TREE_NONE, &nothing);
}

/* The boxes of a node have changed: so do those above, until one stays as it is. */
static void lift(aabb_tree *tree, uint32_t node)
{
    for (;;) {
        const box b = box4_union(&tree->bounds[node]);
        const uint32_t place = tree->parent_slot[node];
        if (place == TREE_NONE) {
            tree->root_box = b;
            return;
        }
        box4 *bounds = &tree->bounds[place / TREE_WIDTH];
        const box before = box4_get(bounds, place % TREE_WIDTH);
        if (memcmp(&before, &b, sizeof b) == 0)
            return;
        box4_set(bounds, place % TREE_WIDTH, &b);
        node = place / TREE_WIDTH;
    }
}

/* ---- coming ---- */

static float half_area(const box *b)
{
    const float x = b->max[0] - b->min[0], y = b->max[1] - b->min[1], z = b->max[2] - b->min[2];
    return x * y + y * z + z * x;
}

/* The child whose box grows least; of equals, the smallest, then the first. Where floats are not enough, the first. */
static unsigned best_child(const aabb_tree *tree, uint32_t node, const box *fitted)
{
    unsigned best = 0;
    float least = INFINITY, size = INFINITY;
    for (unsigned k = 0; k < TREE_WIDTH && tree->nodes[node].child[k] != TREE_NONE; ++k) {
        const box have = box4_get(&tree->bounds[node], k), both = box_union(&have, fitted);
        const float area = half_area(&both), growth = area - half_area(&have);
        if (growth < least || (growth == least && area < size)) {
            best = k;
            least = growth;
            size = area;
        }
    }
    return best;
}

/* A leaf becomes a node of two leaves. */
static void split(aabb_tree *tree, uint32_t node, unsigned k, uint32_t leaf, const box *fitted)
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
    for (uint32_t place; (place = tree->parent_slot[node]) != TREE_NONE; node = place / TREE_WIDTH)
        ++level;
    return level;
}

/* Anywhere: there is a free place, or a leaf that is not too deep, in every tree that fits into memory. */
static void insert_anywhere(aabb_tree *tree, uint32_t leaf, const box *fitted)
{
    for (uint32_t node = 0; node < tree->node_count; ++node) {
        const unsigned count = children_of(&tree->nodes[node]);
        unsigned k = 0;
        while (k < count && !tree_is_leaf(tree->nodes[node].child[k]))
            ++k;
        if (count < TREE_WIDTH)
            set_child(tree, node, count, leaf, fitted);
        else if (k < count && level_of(tree, node) < TREE_MAX_DEPTH)
            split(tree, node, k, leaf, fitted);
        else
            continue;
        lift(tree, node);
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
    const unsigned count = children_of(&tree->nodes[node]);
    if (count < TREE_WIDTH)
        set_child(tree, node, count, leaf, fitted);
    else if (level < TREE_MAX_DEPTH)
        split(tree, node, k, leaf, fitted);
    else {
        insert_anywhere(tree, leaf, fitted);
        return;
    }
    lift(tree, node);
}

/* ---- going ---- */

/* Moves a node to another place in the array, which nobody uses. */
static void move_node(aabb_tree *tree, uint32_t to, uint32_t from)
{
    tree->nodes[to] = tree->nodes[from];
    tree->bounds[to] = tree->bounds[from];
    tree->parent_slot[to] = tree->parent_slot[from];
    const uint32_t place = tree->parent_slot[to];
    tree->nodes[place / TREE_WIDTH].child[place % TREE_WIDTH] = to;
    for (unsigned k = 0; k < TREE_WIDTH && tree->nodes[to].child[k] != TREE_NONE; ++k) {
        const uint32_t child = tree->nodes[to].child[k];
        if (tree_is_leaf(child))
            tree->item_slot[tree_item(child)] = TREE_WIDTH * to + k;
        else
            tree->parent_slot[child] = TREE_WIDTH * to + k;
    }
}

/* A node that nobody uses leaves the array. */
static void drop_node(aabb_tree *tree, uint32_t hole)
{
    const uint32_t last = tree->node_count - 1;
    while (hole != last) { /* of the nodes above the last, the highest behind the hole */
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
    const uint32_t place = tree->item_slot[item], node = place / TREE_WIDTH, last = --tree->item_count;
    const unsigned count = children_of(&tree->nodes[node]) - 1;
    const box moved = box4_get(&tree->bounds[node], count);
    set_child(tree, node, place % TREE_WIDTH, tree->nodes[node].child[count], &moved);
    clear_children(tree, node, count);
    if (item != last) {
        const uint32_t home = tree->item_slot[last];
        tree->item_slot[item] = home;
        tree->nodes[home / TREE_WIDTH].child[home % TREE_WIDTH] = TREE_LEAF | item;
    }
    if (tree->item_count == 0) {
        tree->node_count = 0;
        tree->root_box = box_empty();
        return;
    }
    if (count > 1 || (node == 0 && tree_is_leaf(tree->nodes[0].child[0]))) {
        lift(tree, node);
        return;
    }
    const uint32_t only = tree->nodes[node].child[0];
    if (node == 0) { /* the only child becomes the root */
        for (unsigned k = 0; k < TREE_WIDTH; ++k) {
            const box b = box4_get(&tree->bounds[only], k);
            set_child(tree, 0, k, tree->nodes[only].child[k], &b);
        }
        lift(tree, 0);
        drop_node(tree, only);
        return;
    }
    const uint32_t above = tree->parent_slot[node];
    const box b = box4_get(&tree->bounds[node], 0);
    set_child(tree, above / TREE_WIDTH, above % TREE_WIDTH, only, &b);
    lift(tree, above / TREE_WIDTH);
    drop_node(tree, node);
}

void tact_aabb_tree_move(aabb_tree *tree, uint32_t item, const box *fitted)
{
    const uint32_t last = tree->item_count - 1;
    tact_aabb_tree_remove(tree, item);
    tact_aabb_tree_insert(tree, fitted);
    if (item == last)
        return;
    const uint32_t home = tree->item_slot[last], other = tree->item_slot[item]; /* the two change names */
    tree->item_slot[item] = home;
    tree->item_slot[last] = other;
    tree->nodes[home / TREE_WIDTH].child[home % TREE_WIDTH] = TREE_LEAF | item;
    tree->nodes[other / TREE_WIDTH].child[other % TREE_WIDTH] = TREE_LEAF | last;
}
