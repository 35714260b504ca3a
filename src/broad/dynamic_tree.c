/*
 * The dynamic tree: see volume.h.
 *
 * Insertion goes down to the child whose area grows least (Goldsmith and Salmon 1987; the incremental trees of Bullet
 * and Box2D), stopping above a child that is smaller than the new box; going up again, the tree is rotated where that
 * makes a box smaller (Kopta et al., "Fast, effective BVH updates for animated scenes", 2012). We try only rotations
 * that read no line of memory that the way up has not read. Removal lets the sibling take the parent's seat. What moves
 * a little is put in again below the lowest box around its new place, not from the root: what is read is local.
 *
 * Building splits the centres at the middle of their longest extent, without branches, and at the median where forty
 * splits have not done, so that the height is at most 72 whatever the boxes are: O(n log n). Nodes are numbered in
 * depth-first order: what is near in space is near in memory.
 *
 * All is exact comparison of floats; areas, whose rounding can cost only time, are kept finite by EXTENT_MOST.
 */
#include "broad/dynamic_tree.h"

#include "core/hash.h"

#define EXTENT_MOST 1e12f /* length: greater ones count as this, so that no area is infinite */
#define CENTRE_MOST 1e30f /* likewise for the sum of two bounds */
#define MIDDLE_SPLITS 40  /* levels: then at the median, at most 31 more as there are less than 2^31 items */

static inline float extent(float low, float high)
{
    float e = high - low;
    return e < EXTENT_MOST ? e : EXTENT_MOST; /* not a number (of two infinities): EXTENT_MOST */
}

static inline float area_of(const box *b)
{
    float x = extent(b->min[0], b->max[0]), y = extent(b->min[1], b->max[1]), z = extent(b->min[2], b->max[2]);
    return x * y + y * z + z * x;
}

static inline void set_child(dynamic_tree_node *node, uint32_t side, const box *b)
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

void tact_dynamic_tree_release(dynamic_tree *v, const tact_allocator *allocator)
{
    node_array_release(&v->nodes, allocator);
    seat_array_release(&v->seats, allocator);
    item_array_release(&v->items, allocator);
    *v = dynamic_tree_empty();
}

bool tact_dynamic_tree_reserve(dynamic_tree *v, const tact_allocator *allocator, size_t n)
{
    return n < VOLUME_LEAF && node_array_reserve(&v->nodes, allocator, n) &&
           seat_array_reserve(&v->seats, allocator, n) && item_array_reserve(&v->items, allocator, n);
}

static inline uint8_t node_height(const dynamic_tree_node *node)
{
    return (uint8_t)(1 + (node->height[0] > node->height[1] ? node->height[0] : node->height[1]));
}

static inline uint8_t height_of(const dynamic_tree *v, uint32_t child)
{
    return child & VOLUME_LEAF ? 0 : node_height(&v->nodes.items[child]);
}

uint32_t tact_dynamic_tree_height(const dynamic_tree *v) { return v->root == VOLUME_NONE ? 0 : height_of(v, v->root); }

static inline void settle(dynamic_tree *v, uint32_t child, uint32_t seat)
{
    if (child & VOLUME_LEAF)
        v->seats.items[child & ~VOLUME_LEAF] = seat;
    else
        v->nodes.items[child].parent = seat;
}

static uint32_t take_node(dynamic_tree *v)
{
    if (v->unused == VOLUME_NONE)
        return (uint32_t)v->nodes.count++;
    uint32_t node = v->unused;
    v->unused = v->nodes.items[node].parent;
    return node;
}

/* ---- building ---- */

static inline float clamp_centre(float bound)
{
    return bound < -CENTRE_MOST ? -CENTRE_MOST : bound > CENTRE_MOST ? CENTRE_MOST : bound;
}

/* Reorders items so that the middle-th along an axis is where it would be if sorted (Hoare's "find"). */
static void select_middle(dynamic_tree_item *items, size_t count, int axis)
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
            dynamic_tree_item swap = items[i];
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

/* The fourth is the number: compared, never used. */
TACT_FORCE_INLINE simde__m128 load_centre(const dynamic_tree_item *item)
{
    return simde_mm_loadu_ps((const float *)(const void *)item);
}

/* Parts the items in two, neither empty; returns how many are in the first part. There are at least two. */
static size_t split(dynamic_tree_item *items, size_t count, unsigned depth)
{
    simde__m128 low = load_centre(&items[0]), high = low;
    for (size_t i = 1; i < count; ++i) {
        simde__m128 c = load_centre(&items[i]);
        low = simde_mm_min_ps(low, c);
        high = simde_mm_max_ps(high, c);
    }
    float lows[4], highs[4];
    simde_mm_storeu_ps(lows, low);
    simde_mm_storeu_ps(highs, high);
    int axis = 0;
    for (int i = 1; i < 3; ++i)
        if (highs[i] - lows[i] > highs[axis] - lows[axis])
            axis = i;
    if (!(highs[axis] > lows[axis]))
        return count / 2; /* all in one place: any half */
    if (depth >= MIDDLE_SPLITS) {
        select_middle(items, count, axis);
        return count / 2;
    }
    float middle = 0.5f * lows[axis] + 0.5f * highs[axis];
    size_t first = 0;
    for (size_t i = 0; i < count; ++i) {
        dynamic_tree_item item = items[i];
        items[i] = items[first];
        items[first] = item;
        first += item.centre[axis] < middle;
    }
    return first > 0 && first < count ? first
                                      : count / 2; /* the middle of two neighbouring floats may be one of them */
}

/* Builds the tree of some items; returns it as a child, and the box around it. */
static uint32_t build(dynamic_tree *v, dynamic_tree_boxes boxes, dynamic_tree_item *items, size_t count, unsigned depth,
                      uint32_t seat, box *around)
{
    if (count == 1) {
        uint32_t item = items[0].item;
        *around = *dynamic_tree_box(boxes, item);
        v->seats.items[item] = seat;
        return VOLUME_LEAF | item;
    }
    uint32_t at = (uint32_t)v->nodes.count++;
    size_t first = count == 2 ? 1 : split(items, count, depth);
    box left, right;
    uint32_t a = build(v, boxes, items, first, depth + 1, at << 1, &left);
    uint32_t b = build(v, boxes, items + first, count - first, depth + 1, at << 1 | 1, &right);
    dynamic_tree_node *node = &v->nodes.items[at];
    set_child(node, 0, &left);
    set_child(node, 1, &right);
    node->child[0] = a;
    node->child[1] = b;
    node->parent = seat;
    node->height[0] = height_of(v, a);
    node->height[1] = height_of(v, b);
    *around = box_union(&left, &right);
    return at;
}

void tact_dynamic_tree_build(dynamic_tree *v, dynamic_tree_boxes boxes, size_t count)
{
    v->nodes.count = 0;
    v->unused = VOLUME_NONE;
    v->root = VOLUME_NONE;
    v->count = count;
    if (count == 0)
        return;
    for (size_t i = 0; i < count; ++i) {
        const box *b = dynamic_tree_box(boxes, v->items.items[i].item);
        for (int k = 0; k < 3; ++k)
            v->items.items[i].centre[k] = clamp_centre(b->min[k]) + clamp_centre(b->max[k]);
    }
    v->root = build(v, boxes, v->items.items, count, 0, VOLUME_NONE, &v->only);
}

/* ---- changing ---- */

/* Swaps the child of `node` at `side` away from the way up with a grandchild below the way, if that makes the box of
 * the child on the way smaller:
 *
 *        node                 node
 *       /    \               /    \
 *     way    sibling  ->   way    one
 *     / \                  / \
 *   one  two        sibling   two
 */
static void rotate(dynamic_tree *v, uint32_t at, uint32_t side)
{
    dynamic_tree_node *node = &v->nodes.items[at];
    uint32_t below = node->child[side];
    if (below & VOLUME_LEAF)
        return;
    dynamic_tree_node *way = &v->nodes.items[below];
    box sibling = dynamic_tree_child_box(node, 1 - side), whole = dynamic_tree_child_box(node, side);
    box kept[2], joined[2];
    float areas[2];
    for (uint32_t i = 0; i < 2; ++i) {
        kept[i] = dynamic_tree_child_box(way, 1 - i);
        joined[i] = box_union(&sibling, &kept[i]);
        areas[i] = area_of(&joined[i]);
    }
    uint32_t best = areas[1] < areas[0];
    if (!(areas[best] < area_of(&whole)))
        return;
    uint32_t grandchild = way->child[best], uncle = node->child[1 - side];
    uint8_t grandchild_height = way->height[best];
    box moved = kept[1 - best];
    way->child[best] = uncle;
    set_child(way, best, &sibling);
    settle(v, uncle, below << 1 | best);
    node->child[1 - side] = grandchild;
    set_child(node, 1 - side, &moved);
    settle(v, grandchild, at << 1 | (1 - side));
    set_child(node, side, &joined[best]);
    way->height[best] = node->height[1 - side];
    node->height[1 - side] = grandchild_height;
    node->height[side] = node_height(way);
}

/* Which child to go on with: the one whose area grows less, or whatever the item's number says if it is all one, so
 * that equal boxes do not make a chain. */
static inline uint32_t choose(const dynamic_tree_node *node, const box *b, uint32_t item, uint32_t level)
{
    float costs[2];
    for (uint32_t i = 0; i < 2; ++i) {
        box child = dynamic_tree_child_box(node, i), both = box_union(&child, b);
        costs[i] = area_of(&both) - (node->child[i] & VOLUME_LEAF ? 0.0f : area_of(&child));
    }
    if (costs[0] == costs[1])
        return (uint32_t)(hash_pair(item, level) & 1);
    return costs[1] < costs[0];
}

/* Puts a leaf in below the node or leaf at `seat`, whose box there is around the new one already, or below the root. */
static void insert_below(dynamic_tree *v, uint32_t seat, uint32_t item, const box *b)
{
    /* down: to a seat beside whose occupant the new leaf will be, making room for it on the way */
    uint32_t top = seat, beside = seat == VOLUME_NONE ? v->root : v->nodes.items[seat >> 1].child[seat & 1];
    box beside_box = seat == VOLUME_NONE ? v->only : dynamic_tree_child_box(&v->nodes.items[seat >> 1], seat & 1);
    uint8_t height = seat == VOLUME_NONE ? height_of(v, v->root) : v->nodes.items[seat >> 1].height[seat & 1];
    float area = area_of(b);
    for (uint32_t level = 0; !(beside & VOLUME_LEAF); ++level) {
        dynamic_tree_node *node = &v->nodes.items[beside];
        uint32_t side = choose(node, b, item, level);
        seat = beside << 1 | side;
        beside = node->child[side];
        beside_box = dynamic_tree_child_box(node, side);
        height = node->height[side];
        box both = box_union(&beside_box, b);
        set_child(node, side, &both);
        if (area > area_of(&beside_box))
            break;
    }
    uint32_t at = take_node(v);
    dynamic_tree_node *node = &v->nodes.items[at];
    *node = (dynamic_tree_node){.child = {beside, VOLUME_LEAF | item}, .parent = seat, .height = {height, 0}};
    set_child(node, 0, &beside_box);
    set_child(node, 1, b);
    settle(v, beside, at << 1);
    v->seats.items[item] = at << 1 | 1;
    if (seat == VOLUME_NONE)
        v->root = at;
    else
        v->nodes.items[seat >> 1].child[seat & 1] = at;
    /* up: to where it began, rotating, and on while heights change */
    height = node_height(node);
    for (; seat != top; seat = v->nodes.items[seat >> 1].parent) {
        v->nodes.items[seat >> 1].height[seat & 1] = height;
        rotate(v, seat >> 1, seat & 1);
        height = node_height(&v->nodes.items[seat >> 1]);
    }
    while (seat != VOLUME_NONE && v->nodes.items[seat >> 1].height[seat & 1] != height) {
        dynamic_tree_node *up = &v->nodes.items[seat >> 1];
        up->height[seat & 1] = height;
        height = node_height(up);
        seat = up->parent;
    }
}

void tact_dynamic_tree_insert(dynamic_tree *v, uint32_t item, const box *b)
{
    if (++v->count == 1) {
        v->root = VOLUME_LEAF | item;
        v->seats.items[item] = VOLUME_NONE;
        v->only = *b;
        return;
    }
    insert_below(v, VOLUME_NONE, item, b);
}

/* Takes a leaf out; returns the seat that its sibling has now. There is a sibling. */
static uint32_t take_out(dynamic_tree *v, uint32_t item)
{
    uint32_t seat = v->seats.items[item], dead = seat >> 1, other = 1 - (seat & 1);
    dynamic_tree_node *node = &v->nodes.items[dead];
    uint32_t sibling = node->child[other];
    box around = dynamic_tree_child_box(node, other);
    uint8_t height = node->height[other];
    uint32_t left = seat = node->parent;
    settle(v, sibling, seat);
    node->parent = v->unused;
    v->unused = dead;
    if (seat == VOLUME_NONE) {
        v->root = sibling;
        v->only = around;
        return left;
    }
    v->nodes.items[seat >> 1].child[seat & 1] = sibling;
    while (seat != VOLUME_NONE) {
        dynamic_tree_node *up = &v->nodes.items[seat >> 1];
        box before = dynamic_tree_child_box(up, seat & 1);
        if (same_box(&before, &around) && height == up->height[seat & 1])
            break;
        set_child(up, seat & 1, &around);
        up->height[seat & 1] = height;
        around = node_box(up);
        height = node_height(up);
        seat = up->parent;
    }
    return left;
}

void tact_dynamic_tree_remove(dynamic_tree *v, uint32_t item)
{
    if (--v->count == 0)
        v->root = VOLUME_NONE;
    else
        (void)take_out(v, item);
}

void tact_dynamic_tree_move(dynamic_tree *v, uint32_t item, const box *b)
{
    if (v->count == 1) {
        v->only = *b;
        return;
    }
    uint32_t seat = take_out(v, item);
    while (seat != VOLUME_NONE) {
        box around = dynamic_tree_child_box(&v->nodes.items[seat >> 1], seat & 1);
        if (box_contains(&around, b))
            break;
        seat = v->nodes.items[seat >> 1].parent;
    }
    insert_below(v, seat, item, b);
}

/* ---- searching ---- */

bool tact_dynamic_tree_search(const dynamic_tree *v, const box *area, dynamic_tree_visit *found, void *context)
{
    if (v->root == VOLUME_NONE)
        return true;
    if (v->root & VOLUME_LEAF)
        return !box_overlap(&v->only, area) || found(context, v->root & ~VOLUME_LEAF);
    const dynamic_tree_query query = dynamic_tree_query_of(area);
    uint32_t stack[VOLUME_HEIGHT + 2];
    size_t depth = 0;
    stack[depth++] = v->root;
    while (depth > 0) {
        const dynamic_tree_node *node = &v->nodes.items[stack[--depth]];
        unsigned meet = dynamic_tree_meet(node, &query);
        for (uint32_t side = 0; side < 2; ++side)
            if (meet >> side & 1) {
                uint32_t child = node->child[side];
                if (!(child & VOLUME_LEAF)) {
                    cache_line_prefetch(&v->nodes.items[child]);
                    stack[depth++] = child;
                } else if (!found(context, child & ~VOLUME_LEAF))
                    return false;
            }
    }
    return true;
}

typedef struct dynamic_tree_pair {
    uint32_t one, other;
} dynamic_tree_pair;

/* Each pair of seats taken off the stack puts at most four on, each one level lower on at least one side. */
#define JOIN_STACK (3 * 2 * VOLUME_HEIGHT + 8)

/* Which children of one node meet which of another: bit 2 j + i for child i of `one` and child j of `other`. */
TACT_FORCE_INLINE unsigned meet_four(const dynamic_tree_node *one, const dynamic_tree_node *other)
{
    const simde__m128 sign = simde_mm_set1_ps(-0.0f);
    simde__m128 first = simde_mm_setzero_ps(), second = first;
    for (int i = 0; i < 3; ++i) {
        simde__m128 a = simde_mm_loadu_ps(one->axes[i]), b = simde_mm_xor_ps(simde_mm_loadu_ps(other->axes[i]), sign);
        simde__m128 f = simde_mm_cmple_ps(a, simde_mm_shuffle_ps(b, b, SIMDE_MM_SHUFFLE(0, 0, 2, 2)));
        simde__m128 s = simde_mm_cmple_ps(a, simde_mm_shuffle_ps(b, b, SIMDE_MM_SHUFFLE(1, 1, 3, 3)));
        first = i == 0 ? f : simde_mm_and_ps(first, f);
        second = i == 0 ? s : simde_mm_and_ps(second, s);
    }
    unsigned f = (unsigned)simde_mm_movemask_ps(first), s = (unsigned)simde_mm_movemask_ps(second);
    return (f & f >> 2) | (s & s >> 2) << 2;
}

/* All pairs of an item below seat `one` and an item below seat `other`; the two boxes are known to meet. */
static bool cross(const dynamic_tree *v, uint32_t one, uint32_t other, dynamic_tree_visit_pair *found, void *context)
{
    dynamic_tree_pair stack[JOIN_STACK];
    size_t depth = 0;
    stack[depth++] = (dynamic_tree_pair){one, other};
    while (depth > 0) {
        dynamic_tree_pair two = stack[--depth];
        const dynamic_tree_node *up = &v->nodes.items[two.one >> 1];
        uint32_t a = up->child[two.one & 1], b = v->nodes.items[two.other >> 1].child[two.other & 1];
        if (a & b & VOLUME_LEAF) {
            if (!found(context, a & ~VOLUME_LEAF, b & ~VOLUME_LEAF))
                return false;
        } else if (!((a | b) & VOLUME_LEAF)) {
            unsigned meet = meet_four(&v->nodes.items[a], &v->nodes.items[b]);
            for (uint32_t j = 0; j < 2; ++j)
                for (uint32_t i = 0; i < 2; ++i)
                    if (meet >> (2 * j + i) & 1)
                        stack[depth++] = (dynamic_tree_pair){a << 1 | i, b << 1 | j};
        } else {
            if (b & VOLUME_LEAF) { /* let a be the leaf */
                two = (dynamic_tree_pair){two.other, two.one};
                b = a;
                up = &v->nodes.items[two.one >> 1];
            }
            box leaf = dynamic_tree_child_box(up, two.one & 1);
            const dynamic_tree_query query = dynamic_tree_query_of(&leaf);
            unsigned meet = dynamic_tree_meet(&v->nodes.items[b], &query);
            for (uint32_t i = 0; i < 2; ++i)
                if (meet >> i & 1)
                    stack[depth++] = (dynamic_tree_pair){two.one, b << 1 | i};
        }
    }
    return true;
}

bool tact_dynamic_tree_join(const dynamic_tree *v, dynamic_tree_visit_pair *found, void *context)
{
    if (v->root == VOLUME_NONE || v->root & VOLUME_LEAF)
        return true;
    uint32_t stack[VOLUME_HEIGHT + 2];
    size_t depth = 0;
    stack[depth++] = v->root;
    while (depth > 0) {
        uint32_t at = stack[--depth];
        const dynamic_tree_node *node = &v->nodes.items[at];
        box first = dynamic_tree_child_box(node, 0), second = dynamic_tree_child_box(node, 1);
        if (box_overlap(&first, &second) && !cross(v, at << 1, at << 1 | 1, found, context))
            return false;
        for (uint32_t side = 2; side-- > 0;)
            if (!(node->child[side] & VOLUME_LEAF))
                stack[depth++] = node->child[side];
    }
    return true;
}

/* ---- checking ---- */

static bool wrong(const char **why, const char *text)
{
    *why = text;
    return false;
}

/* Checks what is below a child; counts the items in it. */
static bool check_child(const dynamic_tree *v, dynamic_tree_boxes boxes, uint32_t child, uint32_t seat,
                        const box *around, size_t *items, const char **why)
{
    if (child & VOLUME_LEAF) {
        uint32_t item = child & ~VOLUME_LEAF;
        ++*items;
        if (v->seats.items[item] != seat)
            return wrong(why, "a leaf does not know its seat");
        if (!same_box(dynamic_tree_box(boxes, item), around))
            return wrong(why, "the box of a leaf is not that of the item");
        return true;
    }
    const dynamic_tree_node *node = &v->nodes.items[child];
    if (node->parent != seat)
        return wrong(why, "a node does not know its seat");
    box tight = node_box(node);
    if (around != NULL && !same_box(around, &tight))
        return wrong(why, "the box of a node is not the union of its children's");
    if (node->height[0] != height_of(v, node->child[0]) || node->height[1] != height_of(v, node->child[1]))
        return wrong(why, "the height of a node is wrong");
    for (uint32_t side = 0; side < 2; ++side) {
        box b = dynamic_tree_child_box(node, side);
        if (!check_child(v, boxes, node->child[side], child << 1 | side, &b, items, why))
            return false;
    }
    return true;
}

bool tact_dynamic_tree_check(const dynamic_tree *v, dynamic_tree_boxes boxes, const char **why)
{
    size_t items = 0;
    if (v->root != VOLUME_NONE) {
        if (tact_dynamic_tree_height(v) > VOLUME_HEIGHT)
            return wrong(why, "the tree is too high");
        const box *around = v->root & VOLUME_LEAF ? &v->only : NULL;
        if (!check_child(v, boxes, v->root, VOLUME_NONE, around, &items, why))
            return false;
    }
    return items == v->count ? true : wrong(why, "the tree does not hold as many items as it should");
}
