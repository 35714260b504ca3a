/*
 * The dynamic AABB tree: see dynamic_tree.h.
 *
 * Insertion descends to the child whose surface area grows least (Goldsmith and Salmon 1987; as in Bullet and Box2D),
 * and stops above a child that is smaller than the new box. On the path up, the tree is rotated where that makes a box
 * smaller (Kopta et al. 2012, "Fast, effective BVH updates for animated scenes"). We depart from Kopta in that only
 * rotations are tried that read no cache line that the path up has not read. Removal puts the sibling into the slot of
 * the parent. An item that moves a little is inserted below the lowest box that contains its new one, not from the
 * root: what is read is local.
 *
 * Building splits the centres at the midpoint of their longest extent, without branches. After
 * DYNAMIC_TREE_MIDPOINT_SPLITS = 40 levels it splits at the median, which takes at most 31 more. So the height is at
 * most 71 for any boxes (a leaf has height 0), and building takes O(n log n). Nodes are numbered in depth-first
 * order: what is near in space is near in memory.
 *
 * Boxes are compared exactly, as floats. Rounding of areas can cost only time; they stay finite by
 * DYNAMIC_TREE_MAX_EXTENT.
 */
#include "broad/dynamic_tree.h"

#include "core/hash.h"

static inline float extent(float low, float high)
{
    float e = high - low;
    return e < DYNAMIC_TREE_MAX_EXTENT ? e : DYNAMIC_TREE_MAX_EXTENT; /* also for a NaN, of two infinities */
}

static inline float area_of(const box *b)
{
    float x = extent(b->min[0], b->max[0]), y = extent(b->min[1], b->max[1]), z = extent(b->min[2], b->max[2]);
    return x * y + y * z + z * x;
}

static inline void set_child_box(dynamic_tree_node *node, uint32_t side, const box *b)
{
    for (int i = 0; i < 3; ++i) {
        node->axes[i][side] = b->min[i];
        node->axes[i][side + 2] = -b->max[i];
    }
}

/* The box around both children. */
static inline box node_box(const dynamic_tree_node *node)
{
    box b;
    for (int i = 0; i < 3; ++i) {
        const float *axis = node->axes[i];
        b.min[i] = axis[0] < axis[1] ? axis[0] : axis[1];
        b.max[i] = -(axis[2] < axis[3] ? axis[2] : axis[3]);
    }
    return b;
}

static inline bool same_box(const box *a, const box *b)
{
    return a->min[0] == b->min[0] && a->min[1] == b->min[1] && a->min[2] == b->min[2] && a->max[0] == b->max[0] &&
           a->max[1] == b->max[1] && a->max[2] == b->max[2];
}

void tact_dynamic_tree_release(dynamic_tree *t, const tact_allocator *allocator)
{
    dynamic_tree_node_array_release(&t->nodes, allocator);
    dynamic_tree_slot_array_release(&t->item_slots, allocator);
    dynamic_tree_build_array_release(&t->building, allocator);
    *t = dynamic_tree_empty();
}

bool tact_dynamic_tree_reserve(dynamic_tree *t, const tact_allocator *allocator, size_t n)
{
    if (n >= DYNAMIC_TREE_LEAF || !dynamic_tree_node_array_reserve(&t->nodes, allocator, n) ||
        !dynamic_tree_slot_array_reserve(&t->item_slots, allocator, n) ||
        !dynamic_tree_build_array_reserve(&t->building, allocator, n))
        return false;
    while (t->item_slots.count < n)
        t->item_slots.items[t->item_slots.count++] = DYNAMIC_TREE_ABSENT;
    return true;
}

static inline uint8_t node_height(const dynamic_tree_node *node)
{
    return (uint8_t)(1 + (node->height[0] > node->height[1] ? node->height[0] : node->height[1]));
}

static inline uint8_t height_of(const dynamic_tree *t, uint32_t child)
{
    return child & DYNAMIC_TREE_LEAF ? 0 : node_height(&t->nodes.items[child]);
}

uint32_t tact_dynamic_tree_height(const dynamic_tree *t)
{
    return t->root == DYNAMIC_TREE_NONE ? 0 : height_of(t, t->root);
}

/* Lets a child know its slot. */
static inline void set_slot(dynamic_tree *t, uint32_t child, uint32_t slot)
{
    if (child & DYNAMIC_TREE_LEAF)
        t->item_slots.items[child & ~DYNAMIC_TREE_LEAF] = slot;
    else
        t->nodes.items[child].parent_slot = slot;
}

static uint32_t allocate_node(dynamic_tree *t)
{
    if (t->free_node == DYNAMIC_TREE_NONE)
        return (uint32_t)t->nodes.count++;
    uint32_t node = t->free_node;
    t->free_node = t->nodes.items[node].parent_slot;
    return node;
}

/* ---- building ---- */

static inline float clamp_bound(float bound)
{
    return bound < -DYNAMIC_TREE_MAX_BOUND  ? -DYNAMIC_TREE_MAX_BOUND
           : bound > DYNAMIC_TREE_MAX_BOUND ? DYNAMIC_TREE_MAX_BOUND
                                            : bound;
}

/* Quickselect (Hoare 1961): brings the median along an axis to the position it has when sorted. */
static void select_median(dynamic_tree_build_item *items, size_t count, int axis)
{
    size_t middle = count / 2, low = 0, high = count - 1;
    while (low < high) {
        float pivot = items[low + (high - low) / 2].centre[axis];
        size_t i = low, j = high;
        for (;;) {
            while (items[i].centre[axis] < pivot)
                ++i;
            while (pivot < items[j].centre[axis])
                --j;
            if (i >= j)
                break;
            dynamic_tree_build_item swap = items[i];
            items[i++] = items[j];
            items[j--] = swap;
        }
        /* now all below i are <= pivot, all above j are >= pivot */
        if (i == j) {
            if (middle == i)
                return;
            if (middle < i)
                high = i - 1;
            else
                low = i + 1;
        } else if (middle <= j) {
            high = j;
        } else {
            low = i;
        }
    }
}

/* The fourth lane is the item: compared, never used. */
TACT_FORCE_INLINE __m128 load_centre(const dynamic_tree_build_item *item)
{
    return _mm_loadu_ps((const float *)(const void *)item);
}

/* Partitions at least two items into two parts, neither empty; returns the size of the first. */
static size_t split(dynamic_tree_build_item *items, size_t count, unsigned depth)
{
    __m128 low = load_centre(&items[0]), high = low;
    for (size_t i = 1; i < count; ++i) {
        __m128 c = load_centre(&items[i]);
        low = _mm_min_ps(low, c);
        high = _mm_max_ps(high, c);
    }
    float lows[4], highs[4];
    _mm_storeu_ps(lows, low);
    _mm_storeu_ps(highs, high);
    int axis = 0;
    for (int i = 1; i < 3; ++i)
        if (highs[i] - lows[i] > highs[axis] - lows[axis])
            axis = i;
    if (!(highs[axis] > lows[axis]))
        return count / 2; /* equal centres: any half */
    if (depth >= DYNAMIC_TREE_MIDPOINT_SPLITS) {
        select_median(items, count, axis);
        return count / 2;
    }
    float middle = 0.5f * lows[axis] + 0.5f * highs[axis];
    size_t first = 0;
    for (size_t i = 0; i < count; ++i) {
        dynamic_tree_build_item item = items[i];
        items[i] = items[first];
        items[first] = item;
        first += item.centre[axis] < middle;
    }
    return first > 0 && first < count ? first : count / 2; /* the midpoint of two adjacent floats may be one of them */
}

/* Builds the tree of some items; returns it as a child, and the box around it. */
static uint32_t build(dynamic_tree *t, dynamic_tree_boxes boxes, dynamic_tree_build_item *items, size_t count,
                      unsigned depth, uint32_t slot, box *around)
{
    if (count == 1) {
        uint32_t item = items[0].item;
        *around = *dynamic_tree_box(boxes, item);
        t->item_slots.items[item] = slot;
        return DYNAMIC_TREE_LEAF | item;
    }
    uint32_t at = (uint32_t)t->nodes.count++;
    size_t first = count == 2 ? 1 : split(items, count, depth);
    box left, right;
    uint32_t a = build(t, boxes, items, first, depth + 1, at << 1, &left);
    uint32_t b = build(t, boxes, items + first, count - first, depth + 1, at << 1 | 1, &right);
    dynamic_tree_node *node = &t->nodes.items[at];
    set_child_box(node, 0, &left);
    set_child_box(node, 1, &right);
    node->child[0] = a;
    node->child[1] = b;
    node->parent_slot = slot;
    node->height[0] = height_of(t, a);
    node->height[1] = height_of(t, b);
    *around = box_union(&left, &right);
    return at;
}

void tact_dynamic_tree_build(dynamic_tree *t, dynamic_tree_boxes boxes, size_t count)
{
    t->nodes.count = 0;
    t->free_node = DYNAMIC_TREE_NONE;
    t->root = DYNAMIC_TREE_NONE;
    t->count = count;
    for (size_t i = 0; i < t->item_slots.count; ++i)
        t->item_slots.items[i] = DYNAMIC_TREE_ABSENT;
    if (count == 0)
        return;
    for (size_t i = 0; i < count; ++i) {
        const box *b = dynamic_tree_box(boxes, t->building.items[i].item);
        for (int k = 0; k < 3; ++k)
            t->building.items[i].centre[k] = clamp_bound(b->min[k]) + clamp_bound(b->max[k]);
    }
    t->root = build(t, boxes, t->building.items, count, 0, DYNAMIC_TREE_NONE, &t->root_leaf);
}

static void rebuild(dynamic_tree *t, dynamic_tree_boxes boxes)
{
    size_t count = 0;
    for (uint32_t i = 0; i < t->item_slots.count; ++i)
        if (dynamic_tree_has(t, i))
            t->building.items[count++].item = i;
    tact_dynamic_tree_build(t, boxes, count);
}

/* ---- inserting and removing ---- */

/* Swaps the sibling of the child at `side` with a grandchild below that child, if that makes the child's box smaller:
 *
 *        node                     node
 *       /    \                   /    \
 *    child   sibling   ->     child   one
 *     / \                      / \
 *   one  two             sibling  two
 */
static void rotate(dynamic_tree *t, uint32_t at, uint32_t side)
{
    dynamic_tree_node *node = &t->nodes.items[at];
    uint32_t below = node->child[side];
    if (below & DYNAMIC_TREE_LEAF)
        return;
    dynamic_tree_node *child = &t->nodes.items[below];
    box sibling = dynamic_tree_child_box(node, 1 - side), whole = dynamic_tree_child_box(node, side);
    box stays[2], joined[2];
    float areas[2];
    for (uint32_t i = 0; i < 2; ++i) {
        stays[i] = dynamic_tree_child_box(child, 1 - i);
        joined[i] = box_union(&sibling, &stays[i]);
        areas[i] = area_of(&joined[i]);
    }
    uint32_t best = areas[1] < areas[0];
    if (!(areas[best] < area_of(&whole)))
        return;
    uint32_t grandchild = child->child[best], uncle = node->child[1 - side];
    uint8_t grandchild_height = child->height[best];
    box moved = stays[1 - best];
    child->child[best] = uncle;
    set_child_box(child, best, &sibling);
    set_slot(t, uncle, below << 1 | best);
    node->child[1 - side] = grandchild;
    set_child_box(node, 1 - side, &moved);
    set_slot(t, grandchild, at << 1 | (1 - side));
    set_child_box(node, side, &joined[best]);
    child->height[best] = node->height[1 - side];
    node->height[1 - side] = grandchild_height;
    node->height[side] = node_height(child);
}

/* The child to descend to: the one whose area grows less; of equal ones, one that depends on the item, so that equal
 * boxes do not form a chain. */
static inline uint32_t choose_child(const dynamic_tree_node *node, const box *b, uint32_t item, uint32_t level)
{
    float costs[2];
    for (uint32_t i = 0; i < 2; ++i) {
        box child = dynamic_tree_child_box(node, i), both = box_union(&child, b);
        costs[i] = area_of(&both) - (node->child[i] & DYNAMIC_TREE_LEAF ? 0.0f : area_of(&child));
    }
    if (costs[0] == costs[1])
        return (uint32_t)(hash_pair(item, level) & 1);
    return costs[1] < costs[0];
}

/* Inserts a leaf below the slot, whose box contains the new one already, or below the root. */
static void insert_below(dynamic_tree *t, uint32_t slot, uint32_t item, const box *b)
{
    /* down: to the slot whose child becomes the sibling of the new leaf; boxes on the path grow */
    uint32_t top = slot, sibling = slot == DYNAMIC_TREE_NONE ? t->root : t->nodes.items[slot >> 1].child[slot & 1];
    box sibling_box =
        slot == DYNAMIC_TREE_NONE ? t->root_leaf : dynamic_tree_child_box(&t->nodes.items[slot >> 1], slot & 1);
    uint8_t height = slot == DYNAMIC_TREE_NONE ? height_of(t, t->root) : t->nodes.items[slot >> 1].height[slot & 1];
    float area = area_of(b);
    for (uint32_t level = 0; !(sibling & DYNAMIC_TREE_LEAF); ++level) {
        dynamic_tree_node *node = &t->nodes.items[sibling];
        uint32_t side = choose_child(node, b, item, level);
        slot = sibling << 1 | side;
        sibling = node->child[side];
        sibling_box = dynamic_tree_child_box(node, side);
        height = node->height[side];
        box both = box_union(&sibling_box, b);
        set_child_box(node, side, &both);
        if (area > area_of(&sibling_box))
            break;
    }
    uint32_t at = allocate_node(t);
    dynamic_tree_node *node = &t->nodes.items[at];
    *node =
        (dynamic_tree_node){.child = {sibling, DYNAMIC_TREE_LEAF | item}, .parent_slot = slot, .height = {height, 0}};
    set_child_box(node, 0, &sibling_box);
    set_child_box(node, 1, b);
    set_slot(t, sibling, at << 1);
    t->item_slots.items[item] = at << 1 | 1;
    if (slot == DYNAMIC_TREE_NONE)
        t->root = at;
    else
        t->nodes.items[slot >> 1].child[slot & 1] = at;
    /* up: to where the descent began, rotating, and on while heights change */
    height = node_height(node);
    for (; slot != top; slot = t->nodes.items[slot >> 1].parent_slot) {
        t->nodes.items[slot >> 1].height[slot & 1] = height;
        rotate(t, slot >> 1, slot & 1);
        height = node_height(&t->nodes.items[slot >> 1]);
    }
    while (slot != DYNAMIC_TREE_NONE && t->nodes.items[slot >> 1].height[slot & 1] != height) {
        dynamic_tree_node *up = &t->nodes.items[slot >> 1];
        up->height[slot & 1] = height;
        height = node_height(up);
        slot = up->parent_slot;
    }
}

/* Detaches a leaf that has a sibling; returns the new slot of the sibling. */
static uint32_t detach_leaf(dynamic_tree *t, uint32_t item)
{
    uint32_t slot = t->item_slots.items[item], dead = slot >> 1, other = 1 - (slot & 1);
    dynamic_tree_node *node = &t->nodes.items[dead];
    uint32_t sibling = node->child[other];
    box around = dynamic_tree_child_box(node, other);
    uint8_t height = node->height[other];
    uint32_t left = slot = node->parent_slot;
    set_slot(t, sibling, slot);
    node->parent_slot = t->free_node;
    t->free_node = dead;
    if (slot == DYNAMIC_TREE_NONE) {
        t->root = sibling;
        t->root_leaf = around;
        return left;
    }
    t->nodes.items[slot >> 1].child[slot & 1] = sibling;
    while (slot != DYNAMIC_TREE_NONE) {
        dynamic_tree_node *up = &t->nodes.items[slot >> 1];
        box before = dynamic_tree_child_box(up, slot & 1);
        if (same_box(&before, &around) && height == up->height[slot & 1])
            break;
        set_child_box(up, slot & 1, &around);
        up->height[slot & 1] = height;
        around = node_box(up);
        height = node_height(up);
        slot = up->parent_slot;
    }
    return left;
}

void tact_dynamic_tree_remove(dynamic_tree *t, uint32_t item)
{
    if (--t->count == 0)
        t->root = DYNAMIC_TREE_NONE;
    else
        (void)detach_leaf(t, item);
    t->item_slots.items[item] = DYNAMIC_TREE_ABSENT;
}

/* The first slot on the path from `slot` up whose box contains `b`; DYNAMIC_TREE_NONE: the root. */
static uint32_t slot_around(const dynamic_tree *t, uint32_t slot, const box *b)
{
    while (slot != DYNAMIC_TREE_NONE) {
        box around = dynamic_tree_child_box(&t->nodes.items[slot >> 1], slot & 1);
        if (box_contains(&around, b))
            break;
        slot = t->nodes.items[slot >> 1].parent_slot;
    }
    return slot;
}

void tact_dynamic_tree_set(dynamic_tree *t, dynamic_tree_boxes boxes, uint32_t item)
{
    const box *b = dynamic_tree_box(boxes, item);
    const bool there = dynamic_tree_has(t, item);
    t->count += !there;
    if (t->count == 1) {
        t->root = DYNAMIC_TREE_LEAF | item;
        t->item_slots.items[item] = DYNAMIC_TREE_NONE;
        t->root_leaf = *b;
        return;
    }
    insert_below(t, there ? slot_around(t, detach_leaf(t, item), b) : DYNAMIC_TREE_NONE, item, b);
    if (tact_dynamic_tree_height(t) > DYNAMIC_TREE_MAX_HEIGHT)
        rebuild(t, boxes);
}

/* ---- traversals ---- */

bool tact_dynamic_tree_overlap(const dynamic_tree *t, const box *query_box, dynamic_tree_visit *visit, void *context)
{
    if (t->root == DYNAMIC_TREE_NONE)
        return true;
    if (t->root & DYNAMIC_TREE_LEAF)
        return !box_overlap(&t->root_leaf, query_box) || visit(context, t->root & ~DYNAMIC_TREE_LEAF);
    const dynamic_tree_query query = dynamic_tree_query_of(query_box);
    uint32_t stack[DYNAMIC_TREE_MAX_HEIGHT + 2];
    size_t depth = 0;
    stack[depth++] = t->root;
    while (depth > 0) {
        const dynamic_tree_node *node = &t->nodes.items[stack[--depth]];
        unsigned overlap = dynamic_tree_children_overlap(node, &query);
        for (uint32_t side = 0; side < 2; ++side)
            if (overlap >> side & 1) {
                uint32_t child = node->child[side];
                if (!(child & DYNAMIC_TREE_LEAF)) {
                    cache_line_prefetch(&t->nodes.items[child]);
                    stack[depth++] = child;
                } else if (!visit(context, child & ~DYNAMIC_TREE_LEAF))
                    return false;
            }
    }
    return true;
}

typedef struct dynamic_tree_slot_pair {
    uint32_t a, b;
} dynamic_tree_slot_pair;

/* Each pair of slots taken off the stack pushes at most four, each one level lower on at least one side. */
#define PAIR_STACK (3 * 2 * DYNAMIC_TREE_MAX_HEIGHT + 8)

/* Which children of one node overlap which of another: bit 2 j + i for child i of `a` and child j of `b`. */
TACT_FORCE_INLINE unsigned overlap_children(const dynamic_tree_node *a, const dynamic_tree_node *b)
{
    const __m128 sign = _mm_set1_ps(-0.0f);
    __m128 first = _mm_setzero_ps(), second = first;
    for (int i = 0; i < 3; ++i) {
        __m128 x = _mm_loadu_ps(a->axes[i]), y = _mm_xor_ps(_mm_loadu_ps(b->axes[i]), sign);
        __m128 f = _mm_cmple_ps(x, _mm_shuffle_ps(y, y, _MM_SHUFFLE(0, 0, 2, 2)));
        __m128 s = _mm_cmple_ps(x, _mm_shuffle_ps(y, y, _MM_SHUFFLE(1, 1, 3, 3)));
        first = i == 0 ? f : _mm_and_ps(first, f);
        second = i == 0 ? s : _mm_and_ps(second, s);
    }
    unsigned f = (unsigned)_mm_movemask_ps(first), s = (unsigned)_mm_movemask_ps(second);
    return (f & f >> 2) | (s & s >> 2) << 2;
}

/* All pairs of an item below slot `a` and one below slot `b`, whose boxes overlap. */
static bool cross_pairs(const dynamic_tree *t, uint32_t slot_a, uint32_t slot_b, dynamic_tree_visit_pair *visit,
                        void *context)
{
    dynamic_tree_slot_pair stack[PAIR_STACK];
    size_t depth = 0;
    stack[depth++] = (dynamic_tree_slot_pair){slot_a, slot_b};
    while (depth > 0) {
        dynamic_tree_slot_pair pair = stack[--depth];
        const dynamic_tree_node *up = &t->nodes.items[pair.a >> 1];
        uint32_t a = up->child[pair.a & 1], b = t->nodes.items[pair.b >> 1].child[pair.b & 1];
        if (a & b & DYNAMIC_TREE_LEAF) {
            if (!visit(context, a & ~DYNAMIC_TREE_LEAF, b & ~DYNAMIC_TREE_LEAF))
                return false;
        } else if (!((a | b) & DYNAMIC_TREE_LEAF)) {
            unsigned overlap = overlap_children(&t->nodes.items[a], &t->nodes.items[b]);
            for (uint32_t j = 0; j < 2; ++j)
                for (uint32_t i = 0; i < 2; ++i)
                    if (overlap >> (2 * j + i) & 1)
                        stack[depth++] = (dynamic_tree_slot_pair){a << 1 | i, b << 1 | j};
        } else {
            if (b & DYNAMIC_TREE_LEAF) { /* let a be the leaf */
                pair = (dynamic_tree_slot_pair){pair.b, pair.a};
                b = a;
                up = &t->nodes.items[pair.a >> 1];
            }
            box leaf = dynamic_tree_child_box(up, pair.a & 1);
            const dynamic_tree_query query = dynamic_tree_query_of(&leaf);
            unsigned overlap = dynamic_tree_children_overlap(&t->nodes.items[b], &query);
            for (uint32_t i = 0; i < 2; ++i)
                if (overlap >> i & 1)
                    stack[depth++] = (dynamic_tree_slot_pair){pair.a, b << 1 | i};
        }
    }
    return true;
}

bool tact_dynamic_tree_self_pairs(const dynamic_tree *t, dynamic_tree_visit_pair *visit, void *context)
{
    if (t->root == DYNAMIC_TREE_NONE || t->root & DYNAMIC_TREE_LEAF)
        return true;
    uint32_t stack[DYNAMIC_TREE_MAX_HEIGHT + 2];
    size_t depth = 0;
    stack[depth++] = t->root;
    while (depth > 0) {
        uint32_t at = stack[--depth];
        const dynamic_tree_node *node = &t->nodes.items[at];
        box first = dynamic_tree_child_box(node, 0), second = dynamic_tree_child_box(node, 1);
        if (box_overlap(&first, &second) && !cross_pairs(t, at << 1, at << 1 | 1, visit, context))
            return false;
        for (uint32_t side = 2; side-- > 0;)
            if (!(node->child[side] & DYNAMIC_TREE_LEAF))
                stack[depth++] = node->child[side];
    }
    return true;
}
