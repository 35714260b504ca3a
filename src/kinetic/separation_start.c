/*
 * The first separation list: adjacent pairs of boxes, and the pairs below them.
 *
 * Items that share a vertex are adjacent, and so are the pairs of the traversal above them. These pairs always overlap.
 * Below them begin the pairs that may be apart, the roots of what is maintained. Vertices of more than
 * SKELETON_MAX_VALENCE items do not count, as their pairs would be too many: such pairs are maintained like others.
 * This is the rule of the skeleton of a moving tree (tree/moving_skeleton.c).
 *
 * The traversal opens one box of a pair at a time (separation_opens_first), so the pair above a given pair is known:
 * the box that is deeper was opened last, or b if both are equally deep.
 */
#include "core/hash.h"
#include "core/memory.h"
#include "kinetic/separation_internal.h"
#include "tree/tree_constants.h"

bool tact_separation_adjacent_items(const kinetic_tree *tree, uint32_t a, uint32_t b)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const uint32_t v = tree->items[a][i];
            if (v == tree->items[b][j] && tree->vertex_start[v + 1] - tree->vertex_start[v] <= SKELETON_MAX_VALENCE)
                return true;
        }
    return false;
}

/* ---- the set of adjacent pairs, of which one is a node ---- */

typedef struct adjacent_set {
    uint64_t *keys;         /* 0: none */
    size_t count, capacity; /* a power of two */
    const tact_allocator *allocator;
} adjacent_set;

/* b is not the root, so that it is not 0 */
static uint64_t key_of(uint32_t a, uint32_t b) { return (uint64_t)a << 32 | b; }

static size_t find_key(const adjacent_set *set, uint64_t key)
{
    size_t at = (size_t)hash_mix(key) & (set->capacity - 1);
    while (set->keys[at] != 0 && set->keys[at] != key)
        at = (at + 1) & (set->capacity - 1);
    return at;
}

static bool grow_set(adjacent_set *set)
{
    const size_t capacity = set->capacity == 0 ? 1024 : 2 * set->capacity;
    uint64_t *keys = tact_memory_allocate(set->allocator, capacity, sizeof *keys);
    if (keys == NULL)
        return false;
    for (size_t i = 0; i < capacity; ++i)
        keys[i] = 0;
    const adjacent_set old = *set;
    set->keys = keys;
    set->capacity = capacity;
    for (size_t i = 0; i < old.capacity; ++i)
        if (old.keys[i] != 0)
            keys[find_key(set, old.keys[i])] = old.keys[i];
    tact_memory_free(set->allocator, old.keys, old.capacity, sizeof *old.keys);
    return true;
}

/* Adds a key. `*added` says whether it is new. False if memory is out. */
static bool add_key(adjacent_set *set, uint64_t key, bool *added)
{
    if (2 * (set->count + 1) > set->capacity && !grow_set(set))
        return false;
    const size_t at = find_key(set, key);
    *added = set->keys[at] == 0;
    set->keys[at] = key;
    set->count += *added;
    return true;
}

/* Does box a come before box b? The one in the earlier child of their lowest common ancestor does. */
static bool comes_first(const kinetic_tree *tree, uint32_t a, uint32_t b)
{
    while (tree->bounds[a].level > tree->bounds[b].level)
        a = tree->bounds[a].parent;
    while (tree->bounds[b].level > tree->bounds[a].level)
        b = tree->bounds[b].parent;
    while (tree->bounds[a].parent != tree->bounds[b].parent) {
        a = tree->bounds[a].parent;
        b = tree->bounds[b].parent;
    }
    const tree_node *node = &tree->nodes[tree->bounds[a].parent];
    for (unsigned k = 0; node->child[k] != a; ++k)
        if (node->child[k] == b)
            return false;
    return true;
}

/* Adds the pairs above two adjacent items. */
static bool add_pairs_above(const kinetic_tree *tree, uint32_t item_a, uint32_t item_b, adjacent_set *set)
{
    uint32_t a = tree->node_count + item_a, b = tree->node_count + item_b;
    if (!comes_first(tree, a, b)) {
        const uint32_t other = a;
        a = b;
        b = other;
    }
    for (bool added = true; added;) {
        const kinetic_bound *x = &tree->bounds[a], *y = &tree->bounds[b];
        if (x->level == y->level && x->parent == y->parent)
            return true;
        if (x->level > y->level)
            a = x->parent;
        else
            b = y->parent;
        if (!add_key(set, key_of(a, b), &added))
            return false;
    }
    return true;
}

static bool find_adjacent(const kinetic_tree *tree, adjacent_set *set)
{
    if (!grow_set(set))
        return false;
    for (uint32_t v = 0; v < tree->vertex_count; ++v) {
        const uint32_t begin = tree->vertex_start[v], end = tree->vertex_start[v + 1];
        if (end - begin > SKELETON_MAX_VALENCE)
            continue;
        for (uint32_t i = begin; i < end; ++i)
            for (uint32_t j = i + 1; j < end; ++j)
                if (!add_pairs_above(tree, tree->vertex_items[i], tree->vertex_items[j], set))
                    return false;
    }
    return true;
}

/* ---- the traversal ---- */

typedef struct root_search {
    separation_list *list;
    adjacent_set adjacent;
    uint32_t used; /* pairs of the last block */
    uint32_t block;
} root_search;

static bool same_group(const separation_list *list, uint32_t a, uint32_t b)
{
    return list->groups != NULL && list->groups[a] != 0 && list->groups[a] == list->groups[b];
}

static bool add_root(root_search *s, uint32_t a, uint32_t b)
{
    if (s->used == SEPARATION_BLOCK) {
        s->block = tact_separation_allocate_block(s->list);
        if (s->block == KINETIC_NONE)
            return false;
        s->used = 0;
    }
    tact_separation_add(s->list, s->block + s->used++, a, b, KINETIC_NONE);
    return true;
}

/* Searches below two boxes. The depth of the recursion is at most twice that of the tree. */
static bool search_pair(root_search *s, uint32_t a, uint32_t b)
{
    const kinetic_tree *tree = &s->list->tree;
    if (same_group(s->list, a, b))
        return true;
    const bool items = kinetic_tree_is_item(tree, a) && kinetic_tree_is_item(tree, b);
    if (items && tact_separation_adjacent_items(tree, kinetic_tree_item(tree, a), kinetic_tree_item(tree, b)))
        return true;
    if (items || s->adjacent.keys[find_key(&s->adjacent, key_of(a, b))] == 0)
        return add_root(s, a, b);
    const bool first = separation_opens_first(tree, a, b);
    const tree_node *node = &tree->nodes[first ? a : b];
    for (unsigned k = 0; k < TREE_WIDTH && node->child[k] != TREE_NONE; ++k)
        if (!search_pair(s, first ? node->child[k] : a, first ? b : node->child[k]))
            return false;
    return true;
}

bool tact_separation_find_roots(separation_list *list)
{
    const kinetic_tree *tree = &list->tree;
    root_search s = {.list = list, .adjacent = {.allocator = &list->allocator}, .used = SEPARATION_BLOCK};
    bool complete = find_adjacent(tree, &s.adjacent);
    for (uint32_t n = 0; n < tree->node_count && complete; ++n)
        for (unsigned i = 0; i < tree_child_count(&tree->nodes[n]) && complete; ++i)
            for (unsigned j = i + 1; j < tree_child_count(&tree->nodes[n]) && complete; ++j)
                complete = search_pair(&s, tree->nodes[n].child[i], tree->nodes[n].child[j]);
    tact_memory_free(&list->allocator, s.adjacent.keys, s.adjacent.capacity, sizeof *s.adjacent.keys);
    return complete;
}
