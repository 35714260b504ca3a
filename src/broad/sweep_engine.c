/*
 * The sweep engine: incremental sweep and prune, after van den Bergen 1999 (thesis), 5.2.2, itself after Baraff 1992.
 * The endpoints of the intervals of all boxes are sorted along the three axes. The endpoints of a moved box are moved
 * up or down by insertion. When a lower and an upper endpoint swap, two intervals begin or cease to overlap, and the
 * boxes of the pair are tested.
 *
 * Cost: an update takes time proportional to the moved boxes and the endpoints they pass; still boxes cost nothing.
 * Inserted boxes are sorted among themselves and merged in. Their pairs come from a tree over the inserted boxes, in
 * which all others are searched: O((n + s) log s) for s inserted boxes among n.
 *
 * Departures. Sorted arrays with an index replace linked lists: neighbours in the order are neighbours in memory, and
 * the index is only written, never waited for (1.4, 2.1 and 5 times as fast as lists at 10^3, 10^4 and 10^5 boxes).
 * Intervals grow before they shrink, so no interval is ever inverted. Whether a pair exists now is decided by the
 * final boxes; whether it existed before is read from the boxes of the last update. So the result does not depend on
 * the order of moves.
 */
#include "broad/broad_internal.h"
#include "core/inline.h"
#include "core/sort.h"

#define UPPER_ENDPOINT 0x80000000u

static inline sweep_endpoint endpoint_of(float bound, uint32_t side, uint32_t proxy)
{
    uint32_t bits;
    memcpy(&bits, &bound, sizeof bits);
    bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u; /* sorts like the number */
    return (uint64_t)bits << 32 | (side ? UPPER_ENDPOINT : 0) | proxy;
}

static inline uint32_t endpoint_proxy(sweep_endpoint end) { return (uint32_t)end & ~UPPER_ENDPOINT; }

static inline uint32_t endpoint_side(sweep_endpoint end) { return (uint32_t)end >> 31; }

bool tact_sweep_engine_reserve(broad *b, size_t n)
{
    bool reserved =
        sweep_slots_array_reserve(&b->sweep.slots, &b->allocator, n) && n <= SIZE_MAX / 4 &&
        sweep_endpoint_array_reserve(&b->sweep.inserted, &b->allocator, 4 * n); /* the other half is for sorting */
    for (int axis = 0; axis < 3; ++axis)
        reserved = reserved && sweep_endpoint_array_reserve(&b->sweep.endpoints[axis], &b->allocator, 2 * n);
    return reserved;
}

static inline uint64_t endpoint_value(const sweep_endpoint *end) { return *end; }
RADIX_SORT_OF(sort_sweep_endpoints, sweep_endpoint, endpoint_value)

/* Merges the new endpoints, b->sweep.inserted, into an axis. */
static void merge_endpoints(broad *b, int axis)
{
    size_t more = b->sweep.inserted.count, old = b->sweep.endpoints[axis].count, at = old + more;
    sweep_endpoint *ends = b->sweep.endpoints[axis].items;
    const sweep_endpoint *inserted =
        sort_sweep_endpoints(b->sweep.inserted.items, b->sweep.inserted.items + more, more);
    b->sweep.endpoints[axis].count = at;
    while (at-- > 0) {
        ends[at] = more == 0 || (old > 0 && ends[old - 1] > inserted[more - 1]) ? ends[--old] : inserted[--more];
        b->sweep.slots.items[endpoint_proxy(ends[at])].slot[axis][endpoint_side(ends[at])] = (uint32_t)at;
    }
}

/* Inserts those of the first `count` proxies listed that are alive and not in the engine yet; `list` NULL: of all. */
static void insert_endpoints(broad *b, const uint32_t *list, size_t count)
{
    for (int axis = 0; axis < 3; ++axis) {
        b->sweep.inserted.count = 0;
        for (size_t i = 0; i < count; ++i) {
            uint32_t at = list != NULL ? list[i] : (uint32_t)i;
            const broad_proxy *p = &b->proxies.items[at];
            if ((p->flags & (PROXY_ALIVE | PROXY_IN_ENGINE)) != PROXY_ALIVE)
                continue;
            sweep_endpoint *inserted = b->sweep.inserted.items + b->sweep.inserted.count;
            inserted[0] = endpoint_of(p->box.min[axis], 0, at);
            inserted[1] = endpoint_of(p->box.max[axis], 1, at);
            b->sweep.inserted.count += 2;
        }
        if (b->sweep.inserted.count == 0)
            return;
        merge_endpoints(b, axis);
    }
    for (size_t i = 0; i < count; ++i) {
        broad_proxy *p = &b->proxies.items[list != NULL ? list[i] : (uint32_t)i];
        if (p->flags & PROXY_ALIVE)
            p->flags |= PROXY_IN_ENGINE;
    }
}

void tact_sweep_engine_take_over(broad *b)
{
    for (int axis = 0; axis < 3; ++axis)
        b->sweep.endpoints[axis].count = 0;
    for (size_t i = 0; i < b->proxies.count; ++i) {
        broad_proxy *p = &b->proxies.items[i];
        p->fat_box = p->box;
        p->flags &= ~(uint32_t)(PROXY_IN_ENGINE | PROXY_ESCAPED);
    }
    insert_endpoints(b, NULL, b->proxies.count);
    for (uint32_t slot = 0; slot < b->pairs.pairs.count; ++slot) /* near pairs belong to the tree engine */
        if ((b->pairs.states.items[slot] & (PAIR_CACHED | PAIR_OVERLAPS)) == PAIR_CACHED)
            tact_pair_cache_remove(&b->pairs, broad_pair_heads(b), slot);
}

void tact_sweep_engine_remove(broad *b)
{
    bool any = false;
    for (; b->detached < b->removed.count; ++b->detached) {
        broad_proxy *p = &b->proxies.items[b->removed.items[b->detached]];
        any |= (p->flags & PROXY_IN_ENGINE) != 0;
        p->flags &= ~(uint32_t)PROXY_IN_ENGINE;
    }
    for (int axis = 0; any && axis < 3; ++axis) {
        sweep_endpoint_array *ends = &b->sweep.endpoints[axis];
        size_t stored = 0;
        for (size_t i = 0; i < ends->count; ++i) {
            sweep_endpoint end = ends->items[i];
            if (!(b->proxies.items[endpoint_proxy(end)].flags & PROXY_IN_ENGINE))
                continue;
            b->sweep.slots.items[endpoint_proxy(end)].slot[axis][endpoint_side(end)] = (uint32_t)stored;
            ends->items[stored++] = end;
        }
        ends->count = stored;
    }
}

/* Two intervals begin to overlap along an axis. False: out of memory. */
static inline bool begin_overlap(broad *b, uint32_t one, uint32_t other)
{
    if (!box_overlap(&b->proxies.items[one].box, &b->proxies.items[other].box) || !broad_pair_allowed(b, one, other))
        return true;
    return broad_add_pair(b, one, other);
}

/* Two intervals cease to overlap along an axis. */
static inline void end_overlap(broad *b, uint32_t one, uint32_t other)
{
    const broad_proxy *p = &b->proxies.items[one], *q = &b->proxies.items[other];
    if (!box_overlap(&p->fat_box, &q->fat_box) || box_overlap(&p->box, &q->box))
        return;
    uint32_t slot = tact_pair_cache_find(&b->pairs, one, other);
    if (slot != BROAD_NONE)
        tact_pair_cache_remove(&b->pairs, broad_pair_heads(b), slot);
}

/* Moves an endpoint to its new position, down (step -1) or up (step 1). False: out of memory; the order is right all
 * the same. Inlined, so that step and side are constants. */
TACT_FORCE_INLINE bool move_endpoint(broad *b, int axis, uint32_t proxy, uint32_t side, sweep_endpoint end, int step)
{
    sweep_endpoint *ends = b->sweep.endpoints[axis].items;
    const uint32_t start = b->sweep.slots.items[proxy].slot[axis][side];
    const uint32_t last = step < 0 ? 0 : (uint32_t)b->sweep.endpoints[axis].count - 1;
    const bool begins = side == (step > 0); /* a lower endpoint goes below upper ones, or an upper above lower ones */
    uint32_t at = start;
    bool enough_memory = true;
    while (at != last) {
        const uint32_t next = at + (uint32_t)step;
        const sweep_endpoint other_end = ends[next];
        if (step < 0 ? other_end <= end : other_end >= end)
            break;
        const uint32_t other = endpoint_proxy(other_end);
        ends[at] = other_end;
        b->sweep.slots.items[other].slot[axis][endpoint_side(other_end)] = at;
        at = next;
        if (endpoint_side(other_end) == side)
            continue;
        if (begins)
            enough_memory &= begin_overlap(b, proxy, other);
        else
            end_overlap(b, proxy, other);
    }
    ends[at] = end;
    b->sweep.slots.items[proxy].slot[axis][side] = at;
    b->counters.swaps += step < 0 ? start - at : at - start;
    return enough_memory;
}

/* Moves the endpoints of a proxy to where its box is. */
static bool move_endpoints(broad *b, uint32_t proxy)
{
    const box *now = &b->proxies.items[proxy].box;
    bool enough_memory = true;
    for (int axis = 0; axis < 3; ++axis) {
        const sweep_endpoint *ends = b->sweep.endpoints[axis].items;
        const uint32_t *at = b->sweep.slots.items[proxy].slot[axis];
        sweep_endpoint low = endpoint_of(now->min[axis], 0, proxy), high = endpoint_of(now->max[axis], 1, proxy);
        sweep_endpoint old_low = ends[at[0]], old_high = ends[at[1]];
        if (low < old_low)
            enough_memory &= move_endpoint(b, axis, proxy, 0, low, -1);
        if (high > old_high)
            enough_memory &= move_endpoint(b, axis, proxy, 1, high, 1);
        if (low > old_low)
            enough_memory &= move_endpoint(b, axis, proxy, 0, low, 1);
        if (high < old_high)
            enough_memory &= move_endpoint(b, axis, proxy, 1, high, -1);
    }
    return enough_memory;
}

static bool visit_pair(void *context, uint32_t one, uint32_t other)
{
    broad *b = context;
    return !broad_pair_allowed(b, one, other) || broad_add_pair(b, one, other);
}

typedef struct sweep_pair_query {
    broad *b;
    uint32_t proxy;
} sweep_pair_query;

static bool visit_item(void *context, uint32_t other)
{
    sweep_pair_query *a = context;
    return visit_pair(a->b, a->proxy, other);
}

/* Finds all pairs of the proxies marked PROXY_FIND_PAIRS. False: out of memory. */
static bool find_marked_pairs(broad *b)
{
    if (!tact_dynamic_tree_reserve(&b->pair_finder, &b->allocator, b->proxies.count))
        return false;
    size_t marked = 0;
    for (size_t i = 0; i < b->dirty.count; ++i) {
        uint32_t at = b->dirty.items[i];
        if ((b->proxies.items[at].flags & (PROXY_ALIVE | PROXY_FIND_PAIRS)) == (PROXY_ALIVE | PROXY_FIND_PAIRS))
            b->pair_finder.building.items[marked++].item = at;
    }
    tact_dynamic_tree_build(&b->pair_finder, broad_boxes(b), marked);
    if (!tact_dynamic_tree_self_pairs(&b->pair_finder, visit_pair, b))
        return false;
    for (uint32_t i = 0; marked < b->count && i < b->proxies.count; ++i) {
        sweep_pair_query a = {b, i};
        if ((b->proxies.items[i].flags & (PROXY_ALIVE | PROXY_FIND_PAIRS)) == PROXY_ALIVE &&
            !tact_dynamic_tree_overlap(&b->pair_finder, &b->proxies.items[i].box, visit_item, &a))
            return false;
    }
    return true;
}

/* Finds all pairs, and removes those that no longer overlap. False: out of memory. */
static bool find_all_pairs(broad *b)
{
    if (!tact_dynamic_tree_reserve(&b->pair_finder, &b->allocator, b->proxies.count))
        return false;
    size_t count = 0;
    for (uint32_t i = 0; i < b->proxies.count; ++i)
        if (b->proxies.items[i].flags & PROXY_ALIVE)
            b->pair_finder.building.items[count++].item = i;
    tact_dynamic_tree_build(&b->pair_finder, broad_boxes(b), count);
    if (!tact_dynamic_tree_self_pairs(&b->pair_finder, visit_pair, b))
        return false;
    for (uint32_t slot = 0; slot < b->pairs.pairs.count; ++slot) {
        const broad_pair *pair = &b->pairs.pairs.items[slot];
        if (!(b->pairs.states.items[slot] & PAIR_CACHED))
            continue;
        if (!broad_pair_allowed(b, pair->a, pair->b) ||
            !box_overlap(&b->proxies.items[pair->a].box, &b->proxies.items[pair->b].box))
            tact_pair_cache_remove(&b->pairs, broad_pair_heads(b), slot);
        else
            pair_cache_set_overlap(&b->pairs, slot, true);
    }
    return true;
}

/* Removes the pairs of a proxy that filters exclude. */
static void remove_excluded_pairs(broad *b, uint32_t proxy)
{
    uint32_t link = b->proxies.items[proxy].first_pair;
    while (link != BROAD_NONE) {
        uint32_t next = b->pairs.links.items[link >> 1].next[link & 1];
        if (!broad_pair_allowed(b, proxy, pair_cache_other(&b->pairs, link)))
            tact_pair_cache_remove(&b->pairs, broad_pair_heads(b), link >> 1);
        link = next;
    }
}

tact_status tact_sweep_engine_update(broad *b)
{
    bool enough_memory = true, find_pairs = false;
    for (size_t i = 0; i < b->dirty.count; ++i)
        find_pairs |= (b->proxies.items[b->dirty.items[i]].flags & PROXY_FIND_PAIRS) != 0;
    if (find_pairs)
        insert_endpoints(b, b->dirty.items, b->dirty.count);
    for (size_t i = 0; i < b->dirty.count; ++i) {
        uint32_t at = b->dirty.items[i], flags = b->proxies.items[at].flags;
        if (!(flags & PROXY_ALIVE))
            continue;
        if (flags & PROXY_MOVED)
            enough_memory &= move_endpoints(b, at);
        if (flags & PROXY_FIND_PAIRS)
            remove_excluded_pairs(b, at);
    }
    if (enough_memory)
        enough_memory = b->pairs_stale ? find_all_pairs(b) : !find_pairs || find_marked_pairs(b);
    b->pairs_stale = !enough_memory; /* the swaps that had no memory do not come again */
    if (!enough_memory)
        return TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < b->dirty.count; ++i) {
        broad_proxy *p = &b->proxies.items[b->dirty.items[i]];
        p->fat_box = p->box;
        p->flags &= ~(uint32_t)(PROXY_FIND_PAIRS | PROXY_ESCAPED);
    }
    return TACT_OK;
}
