/*
 * Top-down construction of AABB trees.
 *
 * Guarantees: each item is in one leaf; children come after parents; no path is longer than TREE_MAX_DEPTH, whatever
 * the boxes are; deterministic. Cost: O(n log n), at most 64 n steps, some 100 ns per item for 100,000 items.
 *
 * Method: a range of items is split in two, then the range with the largest area, until there are four ranges, the
 * children of one node. A split is orthogonal to the longest axis of the centres, at the bin boundary with the least
 * surface area heuristic, area x items summed over both sides (binned SAH: Wald, "On fast construction of SAH-based
 * bounding volume hierarchies", 2007), or at the midpoint of the box (van den Bergen 1999, 5.2.4). We depart from Wald
 * in that only one axis is tried, and that the SAH of a large range is estimated from a sample: on tori the expected
 * cost is within 4 % of that with all items. Small ranges are split after a multiple of four items in their order along
 * the axis, and ranges of up to four items are not split, so that nodes are well filled. A refit at the end computes
 * the bounds.
 *
 * A partition copies the items from one array to another. Each item is written to both ends of the range and one copy
 * is left_count, without a branch, which would be mispredicted every other time.
 */
#include <assert.h>
#include <string.h>

#include "core/memory.h"
#include "tree/aabb_internal.h"

/* An item during construction: twice the centre of its box (min + max), and its index, see ITEM_INDEX. */
typedef struct build_item {
    float centre[4];
} build_item;

/* The index of an item has at most 29 bits. With these bits above it the word is a float between 2 and 2^65, on which
 * arithmetic is as fast as on the centre beside it; the index alone would be a subnormal, on which it is slow. */
#define ITEM_INDEX UINT32_C(0x40000000)

/* A range of items, with the bounds of their centres. The fourth lane is arbitrary. */
typedef struct build_range {
    __m128 min, max;
    uint32_t begin, end;
    uint32_t depth; /* number of splits above */
    uint32_t array; /* which of the two item arrays contains it */
} build_range;

/* A range that is to become the node nodes[parent].child[position]. */
typedef struct build_task {
    build_range range;
    uint32_t parent, position;
} build_task;

typedef struct aabb_builder {
    aabb_tree *tree;
    const box *boxes;
    build_item *items[2];
    aabb_split split;
} aabb_builder;

static inline uint32_t range_count(const build_range *r) { return r->end - r->begin; }

static inline uint32_t build_item_index(const build_item *i)
{
    uint32_t index;
    memcpy(&index, &i->centre[3], sizeof index);
    return index & (ITEM_INDEX - 1);
}

/* The bounds of a box as vectors; the fourth lane is arbitrary. */
static inline void load_box(const box *b, __m128 *min, __m128 *max)
{
    const float *bounds = (const float *)(const void *)b;
    __m128 high = _mm_loadu_ps(bounds + 2); /* z of min, x y z of max */
    *min = _mm_loadu_ps(bounds);
    *max = _mm_shuffle_ps(high, high, _MM_SHUFFLE(3, 3, 2, 1));
}

/* the least k with 2^k >= n */
static uint32_t log2_above(uint32_t n)
{
    uint32_t k = 0;
    while (k < 32 && (UINT64_C(1) << k) < n)
        ++k;
    return k;
}

static float lane(__m128 v, int i)
{
    float f[4];
    _mm_storeu_ps(f, v);
    return f[i];
}

/* Half the surface area of a box; arbitrary if it is not finite. */
static inline float half_area(__m128 min, __m128 max)
{
    __m128 d = _mm_sub_ps(max, min);
    __m128 e = _mm_mul_ps(d, _mm_shuffle_ps(d, d, _MM_SHUFFLE(3, 0, 2, 1))); /* xy yz zx */
    __m128 sum = _mm_add_ss(e, _mm_add_ss(_mm_shuffle_ps(e, e, 1), _mm_movehl_ps(e, e)));
    return _mm_cvtss_f32(sum);
}

static void range_clear_bounds(build_range *r)
{
    r->min = _mm_set1_ps(INFINITY);
    r->max = _mm_set1_ps(-INFINITY);
}

/* min and max return their second argument if the first is NaN: the centre of an infinite or empty box may be */
static inline void range_add(build_range *r, const build_item *i)
{
    __m128 centre = _mm_loadu_ps(i->centre);
    r->min = _mm_min_ps(centre, r->min);
    r->max = _mm_max_ps(centre, r->max);
}

/* Splits a range at its middle item, without reordering. */
static void split_in_half(const aabb_builder *b, const build_range *p, build_range *left, build_range *right)
{
    uint32_t mid = p->begin + range_count(p) / 2;
    *left = *right = *p;
    left->end = right->begin = mid;
    range_clear_bounds(left);
    range_clear_bounds(right);
    const build_item *items = b->items[p->array];
    for (uint32_t i = p->begin; i < mid; ++i)
        range_add(left, &items[i]);
    for (uint32_t i = mid; i < p->end; ++i)
        range_add(right, &items[i]);
}

/* A split: items whose centre along the axis is in a bin below `bin` go left. */
typedef struct bin_split {
    int axis;
    float start, scale; /* bin = (centre - start) * scale */
    int last;           /* the last bin; centres outside count in the first and last bin */
    int bin;
} bin_split;

/* Negative values and NaN become 0: max returns its second argument if one is NaN. Without a branch. */
static inline int bin_of(const bin_split *s, const build_item *i)
{
    __m128 bin = _mm_set_ss((i->centre[s->axis] - s->start) * s->scale);
    bin = _mm_max_ss(bin, _mm_setzero_ps());
    bin = _mm_min_ss(bin, _mm_set_ss((float)s->last));
    return _mm_cvttss_si32(bin);
}

static int longest_axis(__m128 size)
{
    float f[4];
    _mm_storeu_ps(f, size);
    int axis = f[1] > f[0] ? 1 : 0;
    return f[2] > f[axis] ? 2 : axis;
}

/* Finds the bin boundary with the least surface area heuristic. Returns false if none separates the items. */
static bool choose_sah(const aabb_builder *b, const build_range *p, bin_split *s)
{
    uint32_t count = range_count(p), bins = count < 4 * AABB_MAX_BINS ? 4 + count / 5 : AABB_MAX_BINS;
    __m128 size = _mm_sub_ps(p->max, p->min);
    bins = bins < AABB_MAX_BINS ? bins : AABB_MAX_BINS;
    s->axis = longest_axis(size);
    s->start = lane(p->min, s->axis);
    s->scale = (float)bins * 0.99999f / lane(size, s->axis);
    s->last = (int)bins - 1;
    if (!(s->scale > 0.0f && s->scale < INFINITY))
        return false;
    __m128 bin_min[AABB_MAX_BINS], bin_max[AABB_MAX_BINS];
    uint32_t bin_count[AABB_MAX_BINS];
    for (uint32_t k = 0; k < bins; ++k) {
        bin_min[k] = _mm_set1_ps(INFINITY);
        bin_max[k] = _mm_set1_ps(-INFINITY);
        bin_count[k] = 0;
    }
    const build_item *items = b->items[p->array];
    const uint32_t step = count / AABB_SAH_SAMPLES + 1;
    for (uint32_t i = p->begin; i < p->end; i += step) {
        int k = bin_of(s, &items[i]);
        __m128 box_min, box_max;
        load_box(&b->boxes[build_item_index(&items[i])], &box_min, &box_max);
        bin_min[k] = _mm_min_ps(box_min, bin_min[k]);
        bin_max[k] = _mm_max_ps(box_max, bin_max[k]);
        ++bin_count[k];
    }
    /* sweep from the right, then from the left */
    __m128 min = _mm_set1_ps(INFINITY), max = _mm_set1_ps(-INFINITY);
    float right_cost[AABB_MAX_BINS];
    uint32_t sum = 0;
    for (uint32_t k = bins - 1; k > 0; --k) {
        min = _mm_min_ps(bin_min[k], min);
        max = _mm_max_ps(bin_max[k], max);
        sum += bin_count[k];
        right_cost[k] = sum == 0 ? INFINITY : half_area(min, max) * (float)sum;
    }
    min = _mm_set1_ps(INFINITY);
    max = _mm_set1_ps(-INFINITY);
    sum = 0;
    s->bin = 0;
    float best = INFINITY;
    for (uint32_t k = 1; k < bins; ++k) {
        min = _mm_min_ps(bin_min[k - 1], min);
        max = _mm_max_ps(bin_max[k - 1], max);
        sum += bin_count[k - 1];
        float cost = sum == 0 ? INFINITY : half_area(min, max) * (float)sum + right_cost[k];
        if (cost < best) {
            best = cost;
            s->bin = (int)k;
        }
    }
    return s->bin != 0;
}

/* The midpoint of the longest side of the box around all. Returns false if all centres are on one side. */
static bool choose_midpoint(const aabb_builder *b, const build_range *p, bin_split *s)
{
    const build_item *items = b->items[p->array];
    __m128 all_min = _mm_set1_ps(INFINITY), all_max = _mm_set1_ps(-INFINITY);
    for (uint32_t i = p->begin; i < p->end; ++i) {
        __m128 min, max;
        load_box(&b->boxes[build_item_index(&items[i])], &min, &max);
        all_min = _mm_min_ps(min, all_min);
        all_max = _mm_max_ps(max, all_max);
    }
    __m128 size = _mm_sub_ps(all_max, all_min);
    s->axis = longest_axis(size);
    s->start = 2.0f * lane(all_min, s->axis);
    s->scale = 1.0f / lane(size, s->axis);
    s->last = 1;
    s->bin = 1;
    /* the outermost centres decide whether both sides are occupied: rounding is monotone */
    build_item low, high;
    _mm_storeu_ps(low.centre, p->min);
    _mm_storeu_ps(high.centre, p->max);
    return s->scale > 0.0f && s->scale < INFINITY && bin_of(s, &low) == 0 && bin_of(s, &high) == 1;
}

/* Partitions the items of a range into the other array, left and right of the split. */
static void partition(const aabb_builder *b, const build_range *p, const bin_split *s, build_range *left,
                      build_range *right)
{
    const build_item *from = b->items[p->array];
    build_item *to = b->items[1 - p->array];
    uint32_t low = p->begin, high = p->end - 1;
    __m128 left_min = left->min, left_max = left->max;
    __m128 right_min = right->min, right_max = right->max;
    for (uint32_t i = p->begin; i < p->end; ++i) {
        __m128 centre = _mm_loadu_ps(from[i].centre);
        bool is_left = bin_of(s, &from[i]) < s->bin;
        _mm_storeu_ps(to[low].centre, centre);
        _mm_storeu_ps(to[high].centre, centre);
        low += is_left;
        high -= !is_left;
        /* for the other side the centre is NaN, which changes no bound */
        __m128 not_right = _mm_castsi128_ps(_mm_set1_epi32(-(int)is_left));
        __m128 not_left = _mm_castsi128_ps(_mm_set1_epi32((int)is_left - 1));
        left_min = _mm_min_ps(_mm_or_ps(centre, not_left), left_min);
        left_max = _mm_max_ps(_mm_or_ps(centre, not_left), left_max);
        right_min = _mm_min_ps(_mm_or_ps(centre, not_right), right_min);
        right_max = _mm_max_ps(_mm_or_ps(centre, not_right), right_max);
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

/* Splits a small range in the order of centres along the longest axis, after a multiple of four items, so that nodes
 * are full. Ranks are counted, not sorted: no branch to mispredict. */
static void split_small(const aabb_builder *b, const build_range *p, build_range *left, build_range *right)
{
    const build_item *from = b->items[p->array] + p->begin;
    build_item *to = b->items[1 - p->array] + p->begin;
    const uint32_t count = range_count(p);
    const int axis = longest_axis(_mm_sub_ps(p->max, p->min));
    float key[AABB_SMALL_RANGE];
    for (uint32_t i = 0; i < count; ++i) {
        float centre = from[i].centre[axis];
        key[i] = centre == centre ? centre : 0.0f; /* NaN is in no order */
    }
    uint32_t rank[AABB_SMALL_RANGE] = {0};
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t j = 0; j < i; ++j) {
            uint32_t later = key[j] <= key[i]; /* stable: of equals, the later item */
            rank[i] += later;
            rank[j] += 1 - later;
        }
    for (uint32_t i = 0; i < count; ++i)
        to[rank[i]] = from[i];
    uint32_t left_count = (count + 4) / 8 * 4;
    *left = *right = *p;
    left->end = right->begin = p->begin + (left_count > 0 ? left_count : 4);
    left->array = right->array = 1 - p->array;
    left->depth = right->depth = p->depth + 1;
    range_clear_bounds(left);
    range_clear_bounds(right);
    for (uint32_t i = left->begin; i < left->end; ++i)
        range_add(left, &b->items[left->array][i]);
    for (uint32_t i = right->begin; i < right->end; ++i)
        range_add(right, &b->items[left->array][i]);
}

/* Splits a range of at least two items into two that are not empty. */
static void split_range(const aabb_builder *b, const build_range *p, build_range *left, build_range *right)
{
    if (range_count(p) <= AABB_SMALL_RANGE) {
        split_small(b, p, left, right);
        return;
    }
    bin_split s = {0, 0.0f, 0.0f, 0, 0};
    range_clear_bounds(left);
    range_clear_bounds(right);
    bool chosen = b->split == AABB_SPLIT_SAH ? choose_sah(b, p, &s) : choose_midpoint(b, p, &s);
    /* splitting in half ends after log2(count) levels: as long as these fit, the depth stays bounded */
    if (chosen && p->depth + 1 + log2_above(range_count(p) - 1) <= TREE_MAX_DEPTH - 2)
        partition(b, p, &s, left, right);
    else
        split_in_half(b, p, left, right);
    left->depth = right->depth = p->depth + 1;
}

/* Splits a range into up to four. Ranges of up to four items are not split, except that where slots are free the
 * smallest are split into single items. */
static unsigned split_in_four(const aabb_builder *b, const build_range *range, build_range ranges[TREE_WIDTH])
{
    unsigned count = 1;
    ranges[0] = *range;
    while (count < TREE_WIDTH) {
        int chosen = -1;
        float largest = -1.0f;
        for (unsigned i = 0; i < count; ++i) {
            if (range_count(&ranges[i]) <= TREE_WIDTH)
                continue;
            float area = half_area(ranges[i].min, ranges[i].max);
            if (chosen < 0 || area > largest) {
                chosen = (int)i;
                largest = area;
            }
        }
        if (chosen < 0)
            break;
        build_range split = ranges[chosen];
        split_range(b, &split, &ranges[chosen], &ranges[count]);
        ++count;
    }
    for (uint32_t size = 2; size <= TREE_WIDTH; ++size)
        for (unsigned i = 0; i < count; ++i)
            if (range_count(&ranges[i]) == size && count + size - 1 <= TREE_WIDTH) {
                build_range split = ranges[i];
                for (uint32_t k = 0; k < size; ++k) {
                    build_range *one = k == 0 ? &ranges[i] : &ranges[count++];
                    *one = split;
                    one->begin = split.begin + k;
                    one->end = one->begin + 1;
                }
            }
    return count;
}

/* Shrinks the arrays to the number of nodes. If the allocator cannot shrink a block, it stays. */
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

/* Creates the nodes depth first, so that nodes close in the tree are close in memory. */
static tact_status build_nodes(aabb_builder *b, const build_range *all)
{
    enum { TASKS = (TREE_WIDTH - 1) * TREE_MAX_DEPTH + 1 }; /* a popped task pushes up to four, one level deeper */
    aabb_tree *tree = b->tree;
    build_task stack[TASKS];
    uint32_t waiting = 1;
    stack[0] = (build_task){*all, TREE_NONE, 0};
    while (waiting > 0) {
        const build_task t = stack[--waiting];
        const bool full = tree->node_count == tree->node_capacity || tree->node_count == tree->bounds_capacity;
        if (full &&
            !tact_aabb_tree_reserve_nodes(tree, tree->node_count + 1, tree->node_count + tree->node_count / 2 + 1))
            return TACT_OUT_OF_MEMORY;
        uint32_t index = tree->node_count++;
        if (t.parent != TREE_NONE)
            tree->nodes[t.parent].child[t.position] = index;
        if (tree->parent_slot != NULL)
            tree->parent_slot[index] = t.parent == TREE_NONE ? TREE_NONE : TREE_WIDTH * t.parent + t.position;
        build_range ranges[TREE_WIDTH];
        unsigned count = split_in_four(b, &t.range, ranges);
        tree_node *node = &tree->nodes[index];
        box4 *bounds = &tree->bounds[index];
        const box empty = box_empty();
        for (unsigned i = count; i < TREE_WIDTH; ++i) {
            node->child[i] = TREE_NONE;
            box4_set(bounds, i, &empty);
        }
        for (unsigned i = count; i-- > 0;) {
            const build_range *p = &ranges[i];
            if (range_count(p) == 1) {
                uint32_t item = build_item_index(&b->items[p->array][p->begin]);
                node->child[i] = TREE_LEAF | item;
                if (tree->item_slot != NULL)
                    tree->item_slot[item] = TREE_WIDTH * index + i;
            } else {
                assert(waiting < TASKS);
                stack[waiting++] = (build_task){*p, index, i};
            }
        }
    }
    return TACT_OK;
}

/* Allocates the arrays. On failure some of them may be allocated. */
static bool allocate_arrays(aabb_builder *b, uint32_t count, bool parent_links)
{
    aabb_tree *tree = b->tree;
    /* there are rarely more than half as many nodes as items; then the arrays grow */
    uint32_t capacity = count / 2 + 2;
    tree->nodes = tact_memory_allocate(&tree->allocator, capacity, sizeof *tree->nodes);
    tree->node_capacity = tree->nodes != NULL ? capacity : 0;
    tree->bounds = tact_memory_allocate(&tree->allocator, capacity, sizeof *tree->bounds);
    tree->bounds_capacity = tree->bounds != NULL ? capacity : 0;
    b->items[0] = tact_memory_allocate(&tree->allocator, count, sizeof(build_item));
    b->items[1] = tact_memory_allocate(&tree->allocator, count, sizeof(build_item));
    if (parent_links) {
        /* there are fewer nodes than items */
        tree->parent_slot = tact_memory_allocate(&tree->allocator, count, sizeof *tree->parent_slot);
        tree->item_slot = tact_memory_allocate(&tree->allocator, count, sizeof *tree->item_slot);
        tree->item_capacity = count;
    }
    return tree->nodes != NULL && tree->bounds != NULL && b->items[0] != NULL && b->items[1] != NULL &&
           (!parent_links || (tree->parent_slot != NULL && tree->item_slot != NULL));
}

bool tact_aabb_tree_reserve_nodes(aabb_tree *tree, uint32_t wanted, uint32_t capacity)
{
    if (wanted > tree->node_capacity) {
        void *block =
            tact_memory_resize(&tree->allocator, tree->nodes, tree->node_capacity, capacity, sizeof *tree->nodes);
        if (block == NULL)
            return false;
        tree->nodes = block;
        tree->node_capacity = capacity;
    }
    if (wanted > tree->bounds_capacity) {
        void *block =
            tact_memory_resize(&tree->allocator, tree->bounds, tree->bounds_capacity, capacity, sizeof *tree->bounds);
        if (block == NULL)
            return false;
        tree->bounds = block;
        tree->bounds_capacity = capacity;
    }
    return true;
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
    aabb_builder b = {tree, boxes, {NULL, NULL}, def->split};
    tree->item_count = (uint32_t)count;
    tact_status status = TACT_OUT_OF_MEMORY;
    if (allocate_arrays(&b, tree->item_count, def->parent_links)) {
        build_range all = {.begin = 0, .end = tree->item_count, .depth = 0, .array = 0};
        range_clear_bounds(&all);
        for (uint32_t i = 0; i < all.end; ++i) {
            build_item *item = &b.items[0][i];
            uint32_t index = ITEM_INDEX | i;
            for (int k = 0; k < 3; ++k)
                item->centre[k] = boxes[i].min[k] + boxes[i].max[k];
            memcpy(&item->centre[3], &index, sizeof index);
            range_add(&all, item);
        }
        status = build_nodes(&b, &all);
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
