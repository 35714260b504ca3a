/*
 * Incremental sweep and prune, after G. van den Bergen, "Collision detection in interactive 3D computer animation"
 * (thesis, 1999), 5.2.2, itself after Baraff 1992: the end points of the boxes' intervals are kept sorted along the
 * three axes; the end points of a box that moves are inserted up or down at once; when a lower and an upper end change
 * places, two intervals begin or cease to overlap, and then the pair is looked at.
 *
 * Cost: an update takes time in proportion to the boxes that moved and the end points they pass; what stands still
 * costs nothing. New boxes are sorted among themselves and merged in, their pairs come from a tree over the new ones,
 * all others searched in it: O((n + s) log s) for s new ones among n, any number of them at once.
 *
 * Where we depart: sorted arrays with an index, not linked lists: neighbours in order are neighbours in memory, and the
 * references, which lists need not update, are only stored, nobody waits for them (1.4, 2.1 and 5 times as fast as
 * lists at 10^3, 10^4 and 10^5 boxes). The ends are grown before they are shrunk, so that no interval is ever inside
 * out. Whether a pair is added or dropped is decided by the final boxes, and whether it was there by those of the last
 * update: so all the orders in which boxes move give the same.
 */
#include "broad/broad_internal.h"
#include "core/sort.h"

#define UPPER 0x80000000u

static inline sweep_endpoint end_of(float bound, uint32_t side, uint32_t proxy)
{
    uint32_t bits;
    memcpy(&bits, &bound, sizeof bits);
    bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u; /* sorts as the number does */
    return (uint64_t)bits << 32 | (side ? UPPER : 0) | proxy;
}

static inline uint32_t proxy_of(sweep_endpoint end) { return (uint32_t)end & ~UPPER; }

static inline uint32_t side_of(sweep_endpoint end) { return (uint32_t)end >> 31; }

bool tact_sweep_engine_reserve(broad *b, size_t n)
{
    bool room =
        sweep_slots_array_reserve(&b->sweep.slots, &b->allocator, n) && n <= SIZE_MAX / 4 &&
        sweep_endpoint_array_reserve(&b->sweep.inserted, &b->allocator, 4 * n); /* the other half is for sorting */
    for (int axis = 0; axis < 3; ++axis)
        room = room && sweep_endpoint_array_reserve(&b->sweep.endpoints[axis], &b->allocator, 2 * n);
    return room;
}

static inline uint64_t end_value(const sweep_endpoint *end) { return *end; }
RADIX_SORT_OF(sort_ends, sweep_endpoint, end_value)

/* Merges the new end points (all proxies that are alive and not placed) into an axis. */
static void merge(broad *b, int axis)
{
    size_t more = b->sweep.inserted.count, old = b->sweep.endpoints[axis].count, at = old + more;
    sweep_endpoint *ends = b->sweep.endpoints[axis].items;
    const sweep_endpoint *fresh = sort_ends(b->sweep.inserted.items, b->sweep.inserted.items + more, more);
    b->sweep.endpoints[axis].count = at;
    while (at-- > 0) {
        ends[at] = more == 0 || (old > 0 && ends[old - 1] > fresh[more - 1]) ? ends[--old] : fresh[--more];
        b->sweep.slots.items[proxy_of(ends[at])].slot[axis][side_of(ends[at])] = (uint32_t)at;
    }
}

/* Takes in the first `count` proxies listed, those that are alive and not yet placed; NULL: of all. */
static void place(broad *b, const uint32_t *list, size_t count)
{
    for (int axis = 0; axis < 3; ++axis) {
        b->sweep.inserted.count = 0;
        for (size_t i = 0; i < count; ++i) {
            uint32_t at = list != NULL ? list[i] : (uint32_t)i;
            const broad_proxy *p = &b->proxies.items[at];
            if ((p->flags & (PROXY_ALIVE | PROXY_IN_ENGINE)) != PROXY_ALIVE)
                continue;
            sweep_endpoint *fresh = b->sweep.inserted.items + b->sweep.inserted.count;
            fresh[0] = end_of(p->box.min[axis], 0, at);
            fresh[1] = end_of(p->box.max[axis], 1, at);
            b->sweep.inserted.count += 2;
        }
        if (b->sweep.inserted.count == 0)
            return;
        merge(b, axis);
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
    place(b, NULL, b->proxies.count);
    for (uint32_t slot = 0; slot < b->pairs.pairs.count; ++slot) /* pairs that are only near are the tree's own */
        if ((b->pairs.states.items[slot] & (PAIR_CACHED | PAIR_OVERLAPS)) == PAIR_CACHED)
            tact_pair_cache_remove(&b->pairs, broad_pair_heads(b), slot);
}

void tact_sweep_engine_remove(broad *b)
{
    bool any = false;
    for (; b->taken_out < b->removed.count; ++b->taken_out) {
        broad_proxy *p = &b->proxies.items[b->removed.items[b->taken_out]];
        any |= (p->flags & PROXY_IN_ENGINE) != 0;
        p->flags &= ~(uint32_t)PROXY_IN_ENGINE;
    }
    for (int axis = 0; any && axis < 3; ++axis) {
        sweep_endpoint_array *ends = &b->sweep.endpoints[axis];
        size_t kept = 0;
        for (size_t i = 0; i < ends->count; ++i) {
            sweep_endpoint end = ends->items[i];
            if (!(b->proxies.items[proxy_of(end)].flags & PROXY_IN_ENGINE))
                continue;
            b->sweep.slots.items[proxy_of(end)].slot[axis][side_of(end)] = (uint32_t)kept;
            ends->items[kept++] = end;
        }
        ends->count = kept;
    }
}

/* Two intervals have begun to overlap along an axis. False when memory has run out. */
static inline bool begin(broad *b, uint32_t one, uint32_t other)
{
    if (!box_overlap(&b->proxies.items[one].box, &b->proxies.items[other].box) || !broad_pair_allowed(b, one, other))
        return true;
    return broad_add_pair(b, one, other);
}

/* Two intervals have ceased to overlap along an axis. */
static inline void cease(broad *b, uint32_t one, uint32_t other)
{
    const broad_proxy *p = &b->proxies.items[one], *q = &b->proxies.items[other];
    if (!box_overlap(&p->fat_box, &q->fat_box) || box_overlap(&p->box, &q->box))
        return;
    uint32_t slot = tact_pair_cache_find(&b->pairs, one, other);
    if (slot != BROAD_NONE)
        tact_pair_cache_remove(&b->pairs, broad_pair_heads(b), slot);
}

/* Inserts an end point that goes down at its new place. False when memory has run out; the lists are right all the
 * same. */
static bool go_down(broad *b, int axis, uint32_t who, uint32_t side, sweep_endpoint end)
{
    sweep_endpoint *ends = b->sweep.endpoints[axis].items;
    uint32_t start = b->sweep.slots.items[who].slot[axis][side], at = start;
    bool fine = true;
    for (; at > 0 && ends[at - 1] > end; --at) {
        sweep_endpoint passed = ends[at - 1];
        uint32_t other = proxy_of(passed);
        ends[at] = passed;
        b->sweep.slots.items[other].slot[axis][side_of(passed)] = at;
        if (side_of(passed) == side)
            continue;
        if (side == 0) /* a lower end below an upper one */
            fine &= begin(b, who, other);
        else
            cease(b, who, other);
    }
    ends[at] = end;
    b->sweep.slots.items[who].slot[axis][side] = at;
    b->counters.swaps += start - at;
    return fine;
}

static bool go_up(broad *b, int axis, uint32_t who, uint32_t side, sweep_endpoint end)
{
    sweep_endpoint *ends = b->sweep.endpoints[axis].items;
    uint32_t start = b->sweep.slots.items[who].slot[axis][side], at = start;
    uint32_t last = (uint32_t)b->sweep.endpoints[axis].count - 1;
    bool fine = true;
    for (; at < last && ends[at + 1] < end; ++at) {
        sweep_endpoint passed = ends[at + 1];
        uint32_t other = proxy_of(passed);
        ends[at] = passed;
        b->sweep.slots.items[other].slot[axis][side_of(passed)] = at;
        if (side_of(passed) == side)
            continue;
        if (side == 1) /* an upper end above a lower one */
            fine &= begin(b, who, other);
        else
            cease(b, who, other);
    }
    ends[at] = end;
    b->sweep.slots.items[who].slot[axis][side] = at;
    b->counters.swaps += at - start;
    return fine;
}

/* Brings the end points of one proxy to where they belong. */
static bool follow(broad *b, uint32_t who)
{
    const box *now = &b->proxies.items[who].box;
    bool fine = true;
    for (int axis = 0; axis < 3; ++axis) {
        const sweep_endpoint *ends = b->sweep.endpoints[axis].items;
        const uint32_t *at = b->sweep.slots.items[who].slot[axis];
        sweep_endpoint low = end_of(now->min[axis], 0, who), high = end_of(now->max[axis], 1, who);
        sweep_endpoint old_low = ends[at[0]], old_high = ends[at[1]];
        if (low < old_low)
            fine &= go_down(b, axis, who, 0, low);
        if (high > old_high)
            fine &= go_up(b, axis, who, 1, high);
        if (low > old_low)
            fine &= go_up(b, axis, who, 0, low);
        if (high < old_high)
            fine &= go_down(b, axis, who, 1, high);
    }
    return fine;
}

static bool found_two(void *context, uint32_t one, uint32_t other)
{
    broad *b = context;
    return !broad_pair_allowed(b, one, other) || broad_add_pair(b, one, other);
}

typedef struct asking {
    broad *b;
    uint32_t who;
} asking;

static bool found_one(void *context, uint32_t other)
{
    asking *a = context;
    return found_two(a->b, a->who, other);
}

/* Finds all pairs of a proxy that is marked ASK and any other. False when memory has run out. */
static bool search_marked(broad *b)
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
    if (!tact_dynamic_tree_self_pairs(&b->pair_finder, found_two, b))
        return false;
    for (uint32_t i = 0; marked < b->count && i < b->proxies.count; ++i) {
        asking a = {b, i};
        if ((b->proxies.items[i].flags & (PROXY_ALIVE | PROXY_FIND_PAIRS)) == PROXY_ALIVE &&
            !tact_dynamic_tree_overlap(&b->pair_finder, &b->proxies.items[i].box, found_one, &a))
            return false;
    }
    return true;
}

/* Finds all pairs, and drops those that are none any more. False when memory has run out. */
static bool search_all(broad *b)
{
    if (!tact_dynamic_tree_reserve(&b->pair_finder, &b->allocator, b->proxies.count))
        return false;
    size_t count = 0;
    for (uint32_t i = 0; i < b->proxies.count; ++i)
        if (b->proxies.items[i].flags & PROXY_ALIVE)
            b->pair_finder.building.items[count++].item = i;
    tact_dynamic_tree_build(&b->pair_finder, broad_boxes(b), count);
    if (!tact_dynamic_tree_self_pairs(&b->pair_finder, found_two, b))
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

/* Drops the pairs of a proxy that filters exclude. */
static void drop_excluded(broad *b, uint32_t who)
{
    uint32_t link = b->proxies.items[who].first_pair;
    while (link != BROAD_NONE) {
        uint32_t next = b->pairs.links.items[link >> 1].next[link & 1];
        if (!broad_pair_allowed(b, who, pair_cache_other(&b->pairs, link)))
            tact_pair_cache_remove(&b->pairs, broad_pair_heads(b), link >> 1);
        link = next;
    }
}

tact_status tact_sweep_engine_update(broad *b)
{
    bool fine = true, asked = false;
    for (size_t i = 0; i < b->dirty.count; ++i)
        asked |= (b->proxies.items[b->dirty.items[i]].flags & PROXY_FIND_PAIRS) != 0;
    if (asked)
        place(b, b->dirty.items, b->dirty.count);
    for (size_t i = 0; i < b->dirty.count; ++i) {
        uint32_t at = b->dirty.items[i], flags = b->proxies.items[at].flags;
        if (!(flags & PROXY_ALIVE))
            continue;
        if (flags & PROXY_MOVED)
            fine &= follow(b, at);
        if (flags & PROXY_FIND_PAIRS)
            drop_excluded(b, at);
    }
    if (fine)
        fine = b->pairs_stale ? search_all(b) : !asked || search_marked(b);
    b->pairs_stale = !fine; /* the crossings that had no memory will not come again */
    if (!fine)
        return TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < b->dirty.count; ++i) {
        broad_proxy *p = &b->proxies.items[b->dirty.items[i]];
        p->fat_box = p->box;
        p->flags &= ~(uint32_t)(PROXY_FIND_PAIRS | PROXY_ESCAPED);
    }
    return TACT_OK;
}
