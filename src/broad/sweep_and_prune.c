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

static inline sweep_end end_of(float bound, uint32_t side, uint32_t proxy)
{
    uint32_t bits;
    memcpy(&bits, &bound, sizeof bits);
    bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u; /* sorts as the number does */
    return (uint64_t)bits << 32 | (side ? UPPER : 0) | proxy;
}

static inline uint32_t proxy_of(sweep_end end) { return (uint32_t)end & ~UPPER; }

static inline uint32_t side_of(sweep_end end) { return (uint32_t)end >> 31; }

bool tact_sweep_reserve(broad *b, size_t n)
{
    bool room = place_array_reserve(&b->sweep.places, &b->allocator, n) && n <= SIZE_MAX / 4 &&
                end_array_reserve(&b->sweep.fresh, &b->allocator, 4 * n); /* the other half is for sorting */
    for (int axis = 0; axis < 3; ++axis)
        room = room && end_array_reserve(&b->sweep.ends[axis], &b->allocator, 2 * n);
    return room;
}

static inline uint64_t end_value(const sweep_end *end) { return *end; }
RADIX_SORT_OF(sort_ends, sweep_end, end_value)

/* Merges the new end points (all proxies that are alive and not placed) into an axis. */
static void merge(broad *b, int axis)
{
    size_t more = b->sweep.fresh.count, old = b->sweep.ends[axis].count, at = old + more;
    sweep_end *ends = b->sweep.ends[axis].items;
    const sweep_end *fresh = sort_ends(b->sweep.fresh.items, b->sweep.fresh.items + more, more);
    b->sweep.ends[axis].count = at;
    while (at-- > 0) {
        ends[at] = more == 0 || (old > 0 && ends[old - 1] > fresh[more - 1]) ? ends[--old] : fresh[--more];
        b->sweep.places.items[proxy_of(ends[at])].at[axis][side_of(ends[at])] = (uint32_t)at;
    }
}

/* Takes in the first `count` proxies listed, those that are alive and not yet placed; NULL: of all. */
static void place(broad *b, const uint32_t *list, size_t count)
{
    for (int axis = 0; axis < 3; ++axis) {
        b->sweep.fresh.count = 0;
        for (size_t i = 0; i < count; ++i) {
            uint32_t at = list != NULL ? list[i] : (uint32_t)i;
            const proxy_line *p = &b->proxies.items[at];
            if ((p->flags & (PROXY_ALIVE | PROXY_PLACED)) != PROXY_ALIVE)
                continue;
            sweep_end *fresh = b->sweep.fresh.items + b->sweep.fresh.count;
            fresh[0] = end_of(p->now.min[axis], 0, at);
            fresh[1] = end_of(p->now.max[axis], 1, at);
            b->sweep.fresh.count += 2;
        }
        if (b->sweep.fresh.count == 0)
            return;
        merge(b, axis);
    }
    for (size_t i = 0; i < count; ++i) {
        proxy_line *p = &b->proxies.items[list != NULL ? list[i] : (uint32_t)i];
        if (p->flags & PROXY_ALIVE)
            p->flags |= PROXY_PLACED;
    }
}

void tact_sweep_take_over(broad *b)
{
    for (int axis = 0; axis < 3; ++axis)
        b->sweep.ends[axis].count = 0;
    for (size_t i = 0; i < b->proxies.count; ++i) {
        proxy_line *p = &b->proxies.items[i];
        p->held = p->now;
        p->flags &= ~(uint32_t)(PROXY_PLACED | PROXY_ESCAPED);
    }
    place(b, NULL, b->proxies.count);
    for (uint32_t slot = 0; slot < b->pairs.pairs.count; ++slot) /* pairs that are only near are the tree's own */
        if ((b->pairs.states.items[slot] & (PAIR_USED | PAIR_TOUCHING)) == PAIR_USED)
            tact_pair_set_drop(&b->pairs, broad_heads(b), slot);
}

void tact_sweep_detach(broad *b)
{
    bool any = false;
    for (; b->detached < b->removed.count; ++b->detached) {
        proxy_line *p = &b->proxies.items[b->removed.items[b->detached]];
        any |= (p->flags & PROXY_PLACED) != 0;
        p->flags &= ~(uint32_t)PROXY_PLACED;
    }
    for (int axis = 0; any && axis < 3; ++axis) {
        end_array *ends = &b->sweep.ends[axis];
        size_t kept = 0;
        for (size_t i = 0; i < ends->count; ++i) {
            sweep_end end = ends->items[i];
            if (!(b->proxies.items[proxy_of(end)].flags & PROXY_PLACED))
                continue;
            b->sweep.places.items[proxy_of(end)].at[axis][side_of(end)] = (uint32_t)kept;
            ends->items[kept++] = end;
        }
        ends->count = kept;
    }
}

/* Two intervals have begun to overlap along an axis. False when memory has run out. */
static inline bool begin(broad *b, uint32_t one, uint32_t other)
{
    if (!box_overlap(&b->proxies.items[one].now, &b->proxies.items[other].now) || !broad_allows(b, one, other))
        return true;
    return broad_meet(b, one, other);
}

/* Two intervals have ceased to overlap along an axis. */
static inline void cease(broad *b, uint32_t one, uint32_t other)
{
    const proxy_line *p = &b->proxies.items[one], *q = &b->proxies.items[other];
    if (!box_overlap(&p->held, &q->held) || box_overlap(&p->now, &q->now))
        return;
    uint32_t slot = tact_pair_set_find(&b->pairs, one, other);
    if (slot != BROAD_NONE)
        tact_pair_set_drop(&b->pairs, broad_heads(b), slot);
}

/* Inserts an end point that goes down at its new place. False when memory has run out; the lists are right all the
 * same. */
static bool go_down(broad *b, int axis, uint32_t who, uint32_t side, sweep_end end)
{
    sweep_end *ends = b->sweep.ends[axis].items;
    uint32_t start = b->sweep.places.items[who].at[axis][side], at = start;
    bool fine = true;
    for (; at > 0 && ends[at - 1] > end; --at) {
        sweep_end passed = ends[at - 1];
        uint32_t other = proxy_of(passed);
        ends[at] = passed;
        b->sweep.places.items[other].at[axis][side_of(passed)] = at;
        if (side_of(passed) == side)
            continue;
        if (side == 0) /* a lower end below an upper one */
            fine &= begin(b, who, other);
        else
            cease(b, who, other);
    }
    ends[at] = end;
    b->sweep.places.items[who].at[axis][side] = at;
    b->effort.swaps += start - at;
    return fine;
}

static bool go_up(broad *b, int axis, uint32_t who, uint32_t side, sweep_end end)
{
    sweep_end *ends = b->sweep.ends[axis].items;
    uint32_t start = b->sweep.places.items[who].at[axis][side], at = start;
    uint32_t last = (uint32_t)b->sweep.ends[axis].count - 1;
    bool fine = true;
    for (; at < last && ends[at + 1] < end; ++at) {
        sweep_end passed = ends[at + 1];
        uint32_t other = proxy_of(passed);
        ends[at] = passed;
        b->sweep.places.items[other].at[axis][side_of(passed)] = at;
        if (side_of(passed) == side)
            continue;
        if (side == 1) /* an upper end above a lower one */
            fine &= begin(b, who, other);
        else
            cease(b, who, other);
    }
    ends[at] = end;
    b->sweep.places.items[who].at[axis][side] = at;
    b->effort.swaps += at - start;
    return fine;
}

/* Brings the end points of one proxy to where they belong. */
static bool follow(broad *b, uint32_t who)
{
    const box *now = &b->proxies.items[who].now;
    bool fine = true;
    for (int axis = 0; axis < 3; ++axis) {
        const sweep_end *ends = b->sweep.ends[axis].items;
        const uint32_t *at = b->sweep.places.items[who].at[axis];
        sweep_end low = end_of(now->min[axis], 0, who), high = end_of(now->max[axis], 1, who);
        sweep_end old_low = ends[at[0]], old_high = ends[at[1]];
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
    return !broad_allows(b, one, other) || broad_meet(b, one, other);
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
    if (!tact_dynamic_tree_reserve(&b->scratch, &b->allocator, b->proxies.count))
        return false;
    size_t marked = 0;
    for (size_t i = 0; i < b->noted.count; ++i) {
        uint32_t at = b->noted.items[i];
        if ((b->proxies.items[at].flags & (PROXY_ALIVE | PROXY_ASK)) == (PROXY_ALIVE | PROXY_ASK))
            b->scratch.building.items[marked++].item = at;
    }
    tact_dynamic_tree_build(&b->scratch, broad_now(b), marked);
    if (!tact_dynamic_tree_self_pairs(&b->scratch, found_two, b))
        return false;
    for (uint32_t i = 0; marked < b->count && i < b->proxies.count; ++i) {
        asking a = {b, i};
        if ((b->proxies.items[i].flags & (PROXY_ALIVE | PROXY_ASK)) == PROXY_ALIVE &&
            !tact_dynamic_tree_overlap(&b->scratch, &b->proxies.items[i].now, found_one, &a))
            return false;
    }
    return true;
}

/* Finds all pairs, and drops those that are none any more. False when memory has run out. */
static bool search_all(broad *b)
{
    if (!tact_dynamic_tree_reserve(&b->scratch, &b->allocator, b->proxies.count))
        return false;
    size_t count = 0;
    for (uint32_t i = 0; i < b->proxies.count; ++i)
        if (b->proxies.items[i].flags & PROXY_ALIVE)
            b->scratch.building.items[count++].item = i;
    tact_dynamic_tree_build(&b->scratch, broad_now(b), count);
    if (!tact_dynamic_tree_self_pairs(&b->scratch, found_two, b))
        return false;
    for (uint32_t slot = 0; slot < b->pairs.pairs.count; ++slot) {
        const broad_pair *pair = &b->pairs.pairs.items[slot];
        if (!(b->pairs.states.items[slot] & PAIR_USED))
            continue;
        if (!broad_allows(b, pair->a, pair->b) ||
            !box_overlap(&b->proxies.items[pair->a].now, &b->proxies.items[pair->b].now))
            tact_pair_set_drop(&b->pairs, broad_heads(b), slot);
        else
            pair_touch(&b->pairs, slot, true);
    }
    return true;
}

/* Drops the pairs of a proxy that filters exclude. */
static void drop_excluded(broad *b, uint32_t who)
{
    uint32_t link = b->proxies.items[who].pairs;
    while (link != BROAD_NONE) {
        uint32_t next = b->pairs.links.items[link >> 1].next[link & 1];
        if (!broad_allows(b, who, pair_other(&b->pairs, link)))
            tact_pair_set_drop(&b->pairs, broad_heads(b), link >> 1);
        link = next;
    }
}

tact_status tact_sweep_update(broad *b)
{
    bool fine = true, asked = false;
    for (size_t i = 0; i < b->noted.count; ++i)
        asked |= (b->proxies.items[b->noted.items[i]].flags & PROXY_ASK) != 0;
    if (asked)
        place(b, b->noted.items, b->noted.count);
    for (size_t i = 0; i < b->noted.count; ++i) {
        uint32_t at = b->noted.items[i], flags = b->proxies.items[at].flags;
        if (!(flags & PROXY_ALIVE))
            continue;
        if (flags & PROXY_MOVED)
            fine &= follow(b, at);
        if (flags & PROXY_ASK)
            drop_excluded(b, at);
    }
    if (fine)
        fine = b->stale ? search_all(b) : !asked || search_marked(b);
    b->stale = !fine; /* the crossings that had no memory will not come again */
    if (!fine)
        return TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < b->noted.count; ++i) {
        proxy_line *p = &b->proxies.items[b->noted.items[i]];
        p->held = p->now;
        p->flags &= ~(uint32_t)(PROXY_ASK | PROXY_ESCAPED);
    }
    return TACT_OK;
}
