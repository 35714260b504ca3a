/*
 * Building trees of axis-aligned boxes, from the root down.
 *
 * Guarantees: every item is in one leaf; children lie after parents; no path is longer than TREE_MAX_DEPTH whatever
 * the boxes are; the same boxes give the same tree. O(n log n), at most 64 n steps: some 100 ns an item for 100,000.
 *
 * A range of items is cut in two, then the larger of what is left, until there are four pieces: the children of one
 * node. A cut goes across the longest axis, at the one of 16 evenly spaced places with the least sum of area x items
 * (binned SAH: Wald, On fast construction of SAH-based bounding volume hierarchies, 2007), or in the middle of the box
 * (van den Bergen's thesis, 5.2.4). We depart from the paper in that only one axis is tried, and a large range is
 * judged by a sample of its items: on tori the expected cost is within 4 % of that with all items, and all 16 places.
 * Small ranges are cut after a multiple of four items in their order along the axis, and pieces of up to four items
 * are not cut: so nodes are well filled. The boxes are found by a refit at the end.
 *
 * Things move between two arrays with each cut, written to both ends of the range and kept at one, without a branch: it
 * would be mispredicted every other time.
 */
#include <assert.h>
#include <string.h>

#include "core/memory.h"
#include "tree/aabb_tree.h"

#define MOST_BINS 16u

/* Up to so many items are cut by their order and not by area: a multiple of 4. */
#define SMALL 16u

/* A cut is chosen by all items of a range of fewer than these; of a larger one by at most so many and at least half as
 * many, evenly spread. More gain nothing on tori. */
#define SAMPLES 64u

/* An item while it is sorted: twice the centre of its box (min + max), and its number, see ITEM_NUMBER. */
typedef struct build_item {
    float centre[4];
} build_item;

/* The number of an item has at most 29 bits. With these above them they are those of a float of 2 to 2^65, on which
 * arithmetic is as fast as on the centre beside it; on the subnormal one that they would be alone, it is slow. */
#define ITEM_NUMBER UINT32_C(0x40000000)

/* A range of items, with the bounds of their centres. The fourth lane is anything. */
typedef struct piece {
    simde__m128 min, max;
    uint32_t begin, end;
    uint32_t depth; /* cuts so far */
    uint32_t array; /* which of the two holds it */
} piece;

/* A range that waits to become the node at nodes[parent].child[place]. */
typedef struct task {
    piece range;
    uint32_t parent, place;
} task;

typedef struct builder {
    aabb_tree *tree;
    const box *boxes;
    build_item *items[2];
    aabb_split split;
} builder;

static inline uint32_t piece_count(const piece *p) { return p->end - p->begin; }

static inline uint32_t build_item_number(const build_item *i)
{
    uint32_t number;
    memcpy(&number, &i->centre[3], sizeof number);
    return number & (ITEM_NUMBER - 1);
}

/* A box, a bound a lane; the fourth lane is one of the others. */
static inline void load_box(const box *b, simde__m128 *min, simde__m128 *max)
{
    const float *bounds = (const float *)(const void *)b;
    simde__m128 high = simde_mm_loadu_ps(bounds + 2); /* z of min, x y z of max */
    *min = simde_mm_loadu_ps(bounds);
    *max = simde_mm_shuffle_ps(high, high, SIMDE_MM_SHUFFLE(3, 3, 2, 1));
}

static uint32_t log2_above(uint32_t n) /* the least k with 2^k >= n */
{
    uint32_t k = 0;
    while (k < 32 && (UINT64_C(1) << k) < n)
        ++k;
    return k;
}

static float lane(simde__m128 v, int i)
{
    float f[4];
    simde_mm_storeu_ps(f, v);
    return f[i];
}

/* Half the area of a box; anything, but no trap, where it is not finite. */
static inline float half_area(simde__m128 min, simde__m128 max)
{
    simde__m128 d = simde_mm_sub_ps(max, min);
    simde__m128 e = simde_mm_mul_ps(d, simde_mm_shuffle_ps(d, d, SIMDE_MM_SHUFFLE(3, 0, 2, 1))); /* xy yz zx */
    simde__m128 sum = simde_mm_add_ss(e, simde_mm_add_ss(simde_mm_shuffle_ps(e, e, 1), simde_mm_movehl_ps(e, e)));
    return simde_mm_cvtss_f32(sum);
}

static void piece_clear(piece *p)
{
    p->min = simde_mm_set1_ps(INFINITY);
    p->max = simde_mm_set1_ps(-INFINITY);
}

/* min and max give their second argument when the first is NaN, as the centre of an infinite or empty box may be */
static inline void piece_add(piece *p, const build_item *i)
{
    simde__m128 centre = simde_mm_loadu_ps(i->centre);
    p->min = simde_mm_min_ps(centre, p->min);
    p->max = simde_mm_max_ps(centre, p->max);
}

/* In two halves as they lie. */
static void halve(const builder *b, const piece *p, piece *left, piece *right)
{
    uint32_t middle = p->begin + piece_count(p) / 2;
    *left = *right = *p;
    left->end = right->begin = middle;
    piece_clear(left);
    piece_clear(right);
    const build_item *items = b->items[p->array];
    for (uint32_t i = p->begin; i < middle; ++i)
        piece_add(left, &items[i]);
    for (uint32_t i = middle; i < p->end; ++i)
        piece_add(right, &items[i]);
}

/* The place of a cut: items go left whose centre on the axis is in a bin below `bin`. */
typedef struct cut {
    int axis;
    float start, scale; /* bin = (centre - start) * scale */
    int last;           /* the last bin; those outside are counted in the first and last */
    int bin;
} cut;

/* Below 0 and NaN become 0: max gives its second argument when one is NaN. Without a branch. */
static inline int bin_of(const cut *c, const build_item *i)
{
    simde__m128 place = simde_mm_set_ss((i->centre[c->axis] - c->start) * c->scale);
    place = simde_mm_max_ss(place, simde_mm_setzero_ps());
    place = simde_mm_min_ss(place, simde_mm_set_ss((float)c->last));
    return simde_mm_cvttss_si32(place);
}

static int longest_axis(simde__m128 size)
{
    float f[4];
    simde_mm_storeu_ps(f, size);
    int axis = f[1] > f[0] ? 1 : 0;
    return f[2] > f[axis] ? 2 : axis;
}

/* Finds the best of the places between bins. Returns false when none divides. */
static bool choose_area(const builder *b, const piece *p, cut *c)
{
    uint32_t count = piece_count(p), bins = count < 4 * MOST_BINS ? 4 + count / 5 : MOST_BINS;
    simde__m128 size = simde_mm_sub_ps(p->max, p->min);
    bins = bins < MOST_BINS ? bins : MOST_BINS;
    c->axis = longest_axis(size);
    c->start = lane(p->min, c->axis);
    c->scale = (float)bins * 0.99999f / lane(size, c->axis);
    c->last = (int)bins - 1;
    if (!(c->scale > 0.0f && c->scale < INFINITY))
        return false;
    simde__m128 bin_min[MOST_BINS], bin_max[MOST_BINS];
    uint32_t bin_count[MOST_BINS];
    for (uint32_t k = 0; k < bins; ++k) {
        bin_min[k] = simde_mm_set1_ps(INFINITY);
        bin_max[k] = simde_mm_set1_ps(-INFINITY);
        bin_count[k] = 0;
    }
    const build_item *items = b->items[p->array];
    const uint32_t step = count / SAMPLES + 1;
    for (uint32_t i = p->begin; i < p->end; i += step) {
        int k = bin_of(c, &items[i]);
        simde__m128 box_min, box_max;
        load_box(&b->boxes[build_item_number(&items[i])], &box_min, &box_max);
        bin_min[k] = simde_mm_min_ps(box_min, bin_min[k]);
        bin_max[k] = simde_mm_max_ps(box_max, bin_max[k]);
        ++bin_count[k];
    }
    /* from the right, then from the left */
    simde__m128 min = simde_mm_set1_ps(INFINITY), max = simde_mm_set1_ps(-INFINITY);
    float right_cost[MOST_BINS];
    uint32_t sum = 0;
    for (uint32_t k = bins - 1; k > 0; --k) {
        min = simde_mm_min_ps(bin_min[k], min);
        max = simde_mm_max_ps(bin_max[k], max);
        sum += bin_count[k];
        right_cost[k] = sum == 0 ? INFINITY : half_area(min, max) * (float)sum;
    }
    min = simde_mm_set1_ps(INFINITY);
    max = simde_mm_set1_ps(-INFINITY);
    sum = 0;
    c->bin = 0;
    float best = INFINITY;
    for (uint32_t k = 1; k < bins; ++k) {
        min = simde_mm_min_ps(bin_min[k - 1], min);
        max = simde_mm_max_ps(bin_max[k - 1], max);
        sum += bin_count[k - 1];
        float cost = sum == 0 ? INFINITY : half_area(min, max) * (float)sum + right_cost[k];
        if (cost < best) {
            best = cost;
            c->bin = (int)k;
        }
    }
    return c->bin != 0;
}

/* The middle of the longest side of the box around all. Returns false when all are on one side. */
static bool choose_middle(const builder *b, const piece *p, cut *c)
{
    const build_item *items = b->items[p->array];
    simde__m128 all_min = simde_mm_set1_ps(INFINITY), all_max = simde_mm_set1_ps(-INFINITY);
    for (uint32_t i = p->begin; i < p->end; ++i) {
        simde__m128 min, max;
        load_box(&b->boxes[build_item_number(&items[i])], &min, &max);
        all_min = simde_mm_min_ps(min, all_min);
        all_max = simde_mm_max_ps(max, all_max);
    }
    simde__m128 size = simde_mm_sub_ps(all_max, all_min);
    c->axis = longest_axis(size);
    c->start = 2.0f * lane(all_min, c->axis);
    c->scale = 1.0f / lane(size, c->axis);
    c->last = 1;
    c->bin = 1;
    /* the outermost centres decide whether both sides get something: order does not change by rounding */
    build_item low, high;
    simde_mm_storeu_ps(low.centre, p->min);
    simde_mm_storeu_ps(high.centre, p->max);
    return c->scale > 0.0f && c->scale < INFINITY && bin_of(c, &low) == 0 && bin_of(c, &high) == 1;
}

/* Moves the items of a piece to the other array, left and right of the cut. */
static void move(const builder *b, const piece *p, const cut *c, piece *left, piece *right)
{
    const build_item *from = b->items[p->array];
    build_item *to = b->items[1 - p->array];
    uint32_t low = p->begin, high = p->end - 1;
    simde__m128 left_min = left->min, left_max = left->max;
    simde__m128 right_min = right->min, right_max = right->max;
    for (uint32_t i = p->begin; i < p->end; ++i) {
        simde__m128 centre = simde_mm_loadu_ps(from[i].centre);
        bool is_left = bin_of(c, &from[i]) < c->bin;
        simde_mm_storeu_ps(to[low].centre, centre);
        simde_mm_storeu_ps(to[high].centre, centre);
        low += is_left;
        high -= !is_left;
        /* to the other side its centre looks like a NaN, which changes no bound */
        simde__m128 not_right = simde_mm_castsi128_ps(simde_mm_set1_epi32(-(int)is_left));
        simde__m128 not_left = simde_mm_castsi128_ps(simde_mm_set1_epi32((int)is_left - 1));
        left_min = simde_mm_min_ps(simde_mm_or_ps(centre, not_left), left_min);
        left_max = simde_mm_max_ps(simde_mm_or_ps(centre, not_left), left_max);
        right_min = simde_mm_min_ps(simde_mm_or_ps(centre, not_right), right_min);
        right_max = simde_mm_max_ps(simde_mm_or_ps(centre, not_right), right_max);
    }
    left->min = left_min;
    left->max = left_max;
    right->min = right_min;
    right->max = right_max;
    left->begin = p->begin;
    left->end = right->begin = low;
    right->end = p->end;
    left->array = right->array = 1 - p->array;
}

/* Cuts a small piece in two, in the order of centres along the longest axis, after a multiple of four items: so that
 * nodes are full. Ranks are counted, not sorted: no branch to mispredict. */
static void divide_small(const builder *b, const piece *p, piece *left, piece *right)
{
    const build_item *from = b->items[p->array] + p->begin;
    build_item *to = b->items[1 - p->array] + p->begin;
    const uint32_t count = piece_count(p);
    const int axis = longest_axis(simde_mm_sub_ps(p->max, p->min));
    float key[SMALL];
    for (uint32_t i = 0; i < count; ++i) {
        float centre = from[i].centre[axis];
        key[i] = centre == centre ? centre : 0.0f; /* NaN is in no order */
    }
    uint32_t rank[SMALL] = {0};
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t j = 0; j < i; ++j) {
            uint32_t later = key[j] <= key[i]; /* of equals, the later one */
            rank[i] += later;
            rank[j] += 1 - later;
        }
    for (uint32_t i = 0; i < count; ++i)
        to[rank[i]] = from[i];
    uint32_t kept = (count + 4) / 8 * 4;
    *left = *right = *p;
    left->end = right->begin = p->begin + (kept > 0 ? kept : 4);
    left->array = right->array = 1 - p->array;
    left->depth = right->depth = p->depth + 1;
    piece_clear(left);
    piece_clear(right);
    for (uint32_t i = left->begin; i < left->end; ++i)
        piece_add(left, &b->items[left->array][i]);
    for (uint32_t i = right->begin; i < right->end; ++i)
        piece_add(right, &b->items[left->array][i]);
}

/* Cuts a piece of at least two in two that are not empty. */
static void divide(const builder *b, const piece *p, piece *left, piece *right)
{
    if (piece_count(p) <= SMALL) {
        divide_small(b, p, left, right);
        return;
    }
    cut c = {0, 0.0f, 0.0f, 0, 0};
    piece_clear(left);
    piece_clear(right);
    bool chosen = b->split == AABB_SPLIT_SAH ? choose_area(b, p, &c) : choose_middle(b, p, &c);
    /* halving ends in log2(count) levels: as long as these fit below the deepest, depth stays bounded */
    if (chosen && p->depth + 1 + log2_above(piece_count(p) - 1) <= TREE_MAX_DEPTH - 2)
        move(b, p, &c, left, right);
    else
        halve(b, p, left, right);
    left->depth = right->depth = p->depth + 1;
}

/* Cuts a range into up to four pieces; those of up to four items stay, but where places are left the smallest are cut
 * to single items. */
static unsigned cut_in_four(const builder *b, const piece *range, piece pieces[TREE_WIDTH])
{
    unsigned count = 1;
    pieces[0] = *range;
    while (count < TREE_WIDTH) {
        int chosen = -1;
        float largest = -1.0f;
        for (unsigned i = 0; i < count; ++i) {
            if (piece_count(&pieces[i]) <= TREE_WIDTH)
                continue;
            float area = half_area(pieces[i].min, pieces[i].max);
            if (chosen < 0 || area > largest) {
                chosen = (int)i;
                largest = area;
            }
        }
        if (chosen < 0)
            break;
        piece whole = pieces[chosen];
        divide(b, &whole, &pieces[chosen], &pieces[count]);
        ++count;
    }
    for (uint32_t size = 2; size <= TREE_WIDTH; ++size)
        for (unsigned i = 0; i < count; ++i)
            if (piece_count(&pieces[i]) == size && count + size - 1 <= TREE_WIDTH) {
                piece whole = pieces[i];
                for (uint32_t k = 0; k < size; ++k) {
                    piece *one = k == 0 ? &pieces[i] : &pieces[count++];
                    *one = whole;
                    one->begin = whole.begin + k;
                    one->end = one->begin + 1;
                }
            }
    return count;
}

/* Of two arrays each with a room of its own, so that they can fail one by one. */
static bool make_room(aabb_tree *tree)
{
    uint32_t room = tree->node_count + tree->node_count / 2 + 1;
    if (tree->node_count == tree->node_capacity) {
        void *block = tact_memory_resize(&tree->allocator, tree->nodes, tree->node_capacity, room, sizeof *tree->nodes);
        if (block == NULL)
            return false;
        tree->nodes = block;
        tree->node_capacity = room;
    }
    if (tree->node_count == tree->bounds_capacity) {
        void *block =
            tact_memory_resize(&tree->allocator, tree->bounds, tree->bounds_capacity, room, sizeof *tree->bounds);
        if (block == NULL)
            return false;
        tree->bounds = block;
        tree->bounds_capacity = room;
    }
    return true;
}

/* Gives back what the arrays do not need. An allocator that cannot shrink a block keeps it. */
static void trim(aabb_tree *tree)
{
    void *block =
        tact_memory_resize(&tree->allocator, tree->nodes, tree->node_capacity, tree->node_count, sizeof *tree->nodes);
    if (block != NULL) {
        tree->nodes = block;
        tree->node_capacity = tree->node_count;
    }
    block = tact_memory_resize(&tree->allocator, tree->bounds, tree->bounds_capacity, tree->node_count,
                               sizeof *tree->bounds);
    if (block != NULL) {
        tree->bounds = block;
        tree->bounds_capacity = tree->node_count;
    }
}

/* Depth first, so that what is near in the tree is near in memory. */
static tact_status grow(builder *b, const piece *all)
{
    enum { TASKS = (TREE_WIDTH - 1) * TREE_MAX_DEPTH + 1 }; /* a task taken leaves up to four, one level deeper */
    aabb_tree *tree = b->tree;
    task tasks[TASKS];
    uint32_t waiting = 1;
    tasks[0] = (task){*all, TREE_NONE, 0};
    while (waiting > 0) {
        const task t = tasks[--waiting];
        if (!make_room(tree))
            return TACT_OUT_OF_MEMORY;
        uint32_t index = tree->node_count++;
        if (t.parent != TREE_NONE)
            tree->nodes[t.parent].child[t.place] = index;
        if (tree->parent_slot != NULL)
            tree->parent_slot[index] = t.parent == TREE_NONE ? TREE_NONE : TREE_WIDTH * t.parent + t.place;
        piece pieces[TREE_WIDTH];
        unsigned count = cut_in_four(b, &t.range, pieces);
        tree_node *node = &tree->nodes[index];
        box4 *bounds = &tree->bounds[index];
        const box nothing = box_empty();
        for (unsigned i = count; i < TREE_WIDTH; ++i) {
            node->child[i] = TREE_NONE;
            box4_set(bounds, i, &nothing);
        }
        for (unsigned i = count; i-- > 0;) {
            const piece *p = &pieces[i];
            if (piece_count(p) == 1) {
                uint32_t item = build_item_number(&b->items[p->array][p->begin]);
                node->child[i] = TREE_LEAF | item;
                if (tree->item_slot != NULL)
                    tree->item_slot[item] = TREE_WIDTH * index + i;
            } else {
                assert(waiting < TASKS);
                tasks[waiting++] = (task){*p, index, i};
            }
        }
    }
    return TACT_OK;
}

/* Takes all memory but what grows. Some blocks may be there when this fails. */
static bool take_memory(builder *b, uint32_t count, bool partial)
{
    aabb_tree *tree = b->tree;
    /* half as many nodes as items are rarely exceeded; then the arrays grow */
    uint32_t room = count / 2 + 2;
    tree->nodes = tact_memory_allocate(&tree->allocator, room, sizeof *tree->nodes);
    tree->node_capacity = tree->nodes != NULL ? room : 0;
    tree->bounds = tact_memory_allocate(&tree->allocator, room, sizeof *tree->bounds);
    tree->bounds_capacity = tree->bounds != NULL ? room : 0;
    b->items[0] = tact_memory_allocate(&tree->allocator, count, sizeof(build_item));
    b->items[1] = tact_memory_allocate(&tree->allocator, count, sizeof(build_item));
    if (partial) {
        /* at most one node fewer than items */
        tree->parent_slot = tact_memory_allocate(&tree->allocator, count, sizeof *tree->parent_slot);
        tree->item_slot = tact_memory_allocate(&tree->allocator, count, sizeof *tree->item_slot);
        tree->item_capacity = count;
    }
    return tree->nodes != NULL && tree->bounds != NULL && b->items[0] != NULL && b->items[1] != NULL &&
           (!partial || (tree->parent_slot != NULL && tree->item_slot != NULL));
}

tact_status tact_aabb_tree_build(aabb_tree *tree, const box *boxes, size_t count, const aabb_tree_def *def)
{
    if (tree == NULL)
        return TACT_BAD_ARGUMENT;
    memset(tree, 0, sizeof *tree);
    tree->root_box = box_empty();
    tree->built_cost = 1.0;
    if (def == NULL || count > TREE_MAX_ITEMS || (count > 0 && boxes == NULL))
        return TACT_BAD_ARGUMENT;
    tree->allocator = def->allocator;
    if (count == 0)
        return TACT_OK;
    builder b = {tree, boxes, {NULL, NULL}, def->split};
    tree->item_count = (uint32_t)count;
    tact_status status = TACT_OUT_OF_MEMORY;
    if (take_memory(&b, tree->item_count, def->parent_links)) {
        piece all = {.begin = 0, .end = tree->item_count, .depth = 0, .array = 0};
        piece_clear(&all);
        for (uint32_t i = 0; i < all.end; ++i) {
            build_item *it = &b.items[0][i];
            uint32_t number = ITEM_NUMBER | i;
            for (int k = 0; k < 3; ++k)
                it->centre[k] = boxes[i].min[k] + boxes[i].max[k];
            memcpy(&it->centre[3], &number, sizeof number);
            piece_add(&all, it);
        }
        status = grow(&b, &all);
    }
    tact_memory_free(&tree->allocator, b.items[0], tree->item_count, sizeof(build_item));
    tact_memory_free(&tree->allocator, b.items[1], tree->item_count, sizeof(build_item));
    if (status != TACT_OK) {
        tact_aabb_tree_release(tree);
        return status;
    }
    trim(tree);
    tact_aabb_tree_refit(tree, boxes);
    tree->built_cost = tact_aabb_tree_cost(tree);
    return TACT_OK;
}

void tact_aabb_tree_release(aabb_tree *tree)
{
    tact_memory_free(&tree->allocator, tree->nodes, tree->node_capacity, sizeof *tree->nodes);
    tact_memory_free(&tree->allocator, tree->bounds, tree->bounds_capacity, sizeof *tree->bounds);
    tact_memory_free(&tree->allocator, tree->parent_slot, tree->item_capacity, sizeof *tree->parent_slot);
    tact_memory_free(&tree->allocator, tree->item_slot, tree->item_capacity, sizeof *tree->item_slot);
    const tact_allocator allocator = tree->allocator;
    memset(tree, 0, sizeof *tree);
    tree->root_box = box_empty();
    tree->built_cost = 1.0;
    tree->allocator = allocator;
}
