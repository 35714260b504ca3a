/*
 * Proxies, and the part of the broad phase that is common to both engines: see broad.h. Inserting, moving and removing
 * change the proxy and mark it dirty; the engine processes the dirty proxies in an update. The memory of the engine is
 * reserved when a proxy is inserted, so an update can run out of memory only for pairs.
 */
#include "broad/broad.h"

#include "broad/broad_internal.h"

static inline bool alive(const broad *b, uint32_t proxy)
{
    return proxy < b->proxies.count && b->proxies.items[proxy].flags & PROXY_ALIVE;
}

/* Copies a box, with zero for minus zero so that its bits sort like the numbers. False: it is empty or has a NaN. */
static bool normalize_box(const box *source, box *normal)
{
    bool valid = true;
    for (int i = 0; i < 3; ++i) {
        normal->min[i] = source->min[i] + 0.0f;
        normal->max[i] = source->max[i] + 0.0f;
        valid &= source->min[i] <= source->max[i];
    }
    return valid;
}

tact_status tact_broad_create(const tact_allocator *allocator, broad_engine engine, broad **made)
{
    if (made == NULL)
        return TACT_BAD_ARGUMENT;
    *made = NULL;
    if (engine != BROAD_AUTO && engine != BROAD_SWEEP && engine != BROAD_TREE)
        return TACT_BAD_ARGUMENT;
    tact_allocator own = allocator != NULL ? *allocator : (tact_allocator){0};
    broad *b = tact_memory_allocate(&own, 1, sizeof *b);
    if (b == NULL)
        return TACT_OUT_OF_MEMORY;
    *b = (broad){.allocator = own,
                 .requested = engine,
                 .engine = engine == BROAD_SWEEP ? BROAD_SWEEP : BROAD_TREE,
                 .free_proxy = BROAD_NONE,
                 .pairs = {.free_slot = BROAD_NONE},
                 .tree = dynamic_tree_empty(),
                 .tuning = {.scale = FAT_BOX_FIRST_SCALE},
                 .pair_finder = dynamic_tree_empty()};
    *made = b;
    return TACT_OK;
}

static void release_engine(broad *b, broad_engine engine)
{
    if (engine == BROAD_TREE) {
        tact_dynamic_tree_release(&b->tree, &b->allocator);
        return;
    }
    for (int i = 0; i < 3; ++i)
        sweep_endpoint_array_release(&b->sweep.endpoints[i], &b->allocator);
    sweep_endpoint_array_release(&b->sweep.inserted, &b->allocator);
    sweep_slots_array_release(&b->sweep.slots, &b->allocator);
    tact_dynamic_tree_release(&b->pair_finder, &b->allocator);
}

void tact_broad_release(broad *b)
{
    if (b == NULL)
        return;
    release_engine(b, BROAD_TREE);
    release_engine(b, BROAD_SWEEP);
    broad_proxy_array_release(&b->proxies, &b->allocator);
    broad_filter_array_release(&b->filters, &b->allocator);
    broad_index_array_release(&b->dirty, &b->allocator);
    broad_index_array_release(&b->removed, &b->allocator);
    tact_pair_cache_release(&b->pairs, &b->allocator);
    tact_allocator own = b->allocator;
    tact_memory_free(&own, b, 1, sizeof *b);
}

static tact_status change_engine(broad *b, broad_engine engine)
{
    if (engine == b->engine)
        return TACT_OK;
    bool reserved = engine == BROAD_TREE ? tact_tree_engine_reserve(b, b->proxies.count)
                                         : tact_sweep_engine_reserve(b, b->proxies.count);
    if (!reserved) {
        release_engine(b, engine);
        return TACT_OUT_OF_MEMORY;
    }
    /* removed proxies leave the old engine first; the next update ends and reports their pairs */
    if (b->engine == BROAD_TREE)
        tact_tree_engine_remove(b);
    else
        tact_sweep_engine_remove(b);
    b->pairs_stale |= b->dirty.count > 0;
    if (engine == BROAD_TREE)
        tact_tree_engine_take_over(b);
    else
        tact_sweep_engine_take_over(b);
    release_engine(b, b->engine);
    b->engine = engine;
    ++b->counters.switches;
    return TACT_OK;
}

tact_status tact_broad_set_engine(broad *b, broad_engine engine)
{
    if (b == NULL || (engine != BROAD_AUTO && engine != BROAD_SWEEP && engine != BROAD_TREE))
        return TACT_BAD_ARGUMENT;
    tact_status status = engine == BROAD_AUTO ? TACT_OK : change_engine(b, engine);
    if (status == TACT_OK) {
        b->requested = engine;
        b->choice = (broad_choice){.escaped = b->counters.escaped, .swaps = b->counters.swaps};
    }
    return status;
}

broad_engine tact_broad_get_engine(const broad *b) { return b->requested; }

broad_engine tact_broad_active_engine(const broad *b) { return b->engine; }

/* ---- proxies ---- */

static bool reserve(broad *b, size_t n)
{
    return n <= BROAD_MAX_PROXIES && broad_proxy_array_reserve(&b->proxies, &b->allocator, n) &&
           broad_filter_array_reserve(&b->filters, &b->allocator, n) &&
           broad_index_array_reserve(&b->dirty, &b->allocator, n) &&
           broad_index_array_reserve(&b->removed, &b->allocator, n) &&
           (b->engine == BROAD_TREE ? tact_tree_engine_reserve(b, n) : tact_sweep_engine_reserve(b, n));
}

static inline void mark_dirty(broad *b, uint32_t at)
{
    broad_proxy *p = &b->proxies.items[at];
    if (!(p->flags & PROXY_DIRTY)) {
        p->flags |= PROXY_DIRTY;
        b->dirty.items[b->dirty.count++] = at;
    }
}

tact_status tact_broad_insert_many(broad *b, size_t count, const box *bounds, const broad_filter *filters,
                                   uint32_t *proxies)
{
    if (b == NULL || (count > 0 && (bounds == NULL || proxies == NULL)))
        return TACT_BAD_ARGUMENT;
    box normal;
    for (size_t i = 0; i < count; ++i)
        if (!normalize_box(&bounds[i], &normal))
            return TACT_BAD_ARGUMENT;
    size_t free_count = b->proxies.count - b->count - b->removed.count; /* indices that are reused */
    if (count > BROAD_MAX_PROXIES)
        return TACT_OUT_OF_MEMORY;
    if (count > free_count && !reserve(b, b->proxies.count + (count - free_count)))
        return TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        uint32_t at = b->free_proxy;
        if (at != BROAD_NONE)
            b->free_proxy = b->proxies.items[at].first_pair;
        else
            at = (uint32_t)(b->filters.count = ++b->proxies.count) - 1;
        (void)normalize_box(&bounds[i], &normal);
        b->proxies.items[at] = (broad_proxy){.box = normal,
                                             .fat_box = normal,
                                             .flags = PROXY_ALIVE | PROXY_ESCAPED | PROXY_FIND_PAIRS | PROXY_MOVED |
                                                      FAT_BOX_FIRST_HORIZON << PROXY_HORIZON_SHIFT,
                                             .first_pair = BROAD_NONE};
        b->filters.items[at] = filters != NULL ? filters[i] : BROAD_FILTER_ALL;
        mark_dirty(b, at);
        proxies[i] = at;
    }
    b->count += count;
    b->inserted += count;
    b->changed |= count > 0;
    return TACT_OK;
}

tact_status tact_broad_insert(broad *b, const box *bounds, broad_filter filter, uint32_t *proxy)
{
    return tact_broad_insert_many(b, 1, bounds, &filter, proxy);
}

tact_status tact_broad_remove(broad *b, uint32_t proxy)
{
    if (b == NULL || !alive(b, proxy))
        return TACT_BAD_ARGUMENT;
    b->proxies.items[proxy].flags &= ~(uint32_t)PROXY_ALIVE;
    b->removed.items[b->removed.count++] = proxy;
    --b->count;
    b->changed = true;
    return TACT_OK;
}

tact_status tact_broad_move(broad *b, uint32_t proxy, const box *bounds)
{
    box to;
    if (b == NULL || bounds == NULL || !alive(b, proxy) || !normalize_box(bounds, &to))
        return TACT_BAD_ARGUMENT;
    broad_proxy *p = &b->proxies.items[proxy];
    float step = 0.0f;
    for (int i = 0; i < 3; ++i) {
        float low = to.min[i] - p->box.min[i], high = to.max[i] - p->box.max[i];
        step = fabsf(low) > step ? fabsf(low) : step; /* unchanged for a NaN, of two infinities */
        step = fabsf(high) > step ? fabsf(high) : step;
        p->displacement[i] = bfloat16_of(0.5f * (low + high));
    }
    p->max_displacement = bfloat16_of(step);
    p->box = to;
    const box *h = &p->fat_box;
    bool inside = (h->min[0] <= to.min[0]) & (to.max[0] <= h->max[0]) & (h->min[1] <= to.min[1]) &
                  (to.max[1] <= h->max[1]) & (h->min[2] <= to.min[2]) & (to.max[2] <= h->max[2]);
    p->flags = (p->flags | PROXY_MOVED) + (p->flags >> PROXY_MOVES_SHIFT < 255 ? 1u << PROXY_MOVES_SHIFT : 0);
    /* a proxy that is not in the tree yet stays escaped */
    if (p->flags & PROXY_IN_ENGINE)
        p->flags = inside ? p->flags & ~(uint32_t)PROXY_ESCAPED : p->flags | PROXY_ESCAPED;
    mark_dirty(b, proxy);
    b->changed = true;
    return TACT_OK;
}

tact_status tact_broad_set_filter(broad *b, uint32_t proxy, broad_filter filter)
{
    if (b == NULL || !alive(b, proxy))
        return TACT_BAD_ARGUMENT;
    b->filters.items[proxy] = filter;
    b->proxies.items[proxy].flags |= PROXY_FIND_PAIRS;
    mark_dirty(b, proxy);
    b->changed = true;
    return TACT_OK;
}

box tact_broad_get_box(const broad *b, uint32_t proxy) { return b->proxies.items[proxy].box; }

broad_filter tact_broad_get_filter(const broad *b, uint32_t proxy) { return b->filters.items[proxy]; }

uint32_t tact_broad_next_free(const broad *b, uint32_t index)
{
    return index == BROAD_NONE ? b->free_proxy : b->proxies.items[index].first_pair;
}

uint32_t tact_broad_removed(const broad *b, size_t i)
{
    return i < b->removed.count ? b->removed.items[i] : BROAD_NONE;
}

/* ---- pairs ---- */

/* Ends the pairs of removed proxies, and removes these from the engine. */
static void remove_dead_proxies(broad *b)
{
    for (size_t i = 0; i < b->removed.count; ++i) {
        broad_proxy *p = &b->proxies.items[b->removed.items[i]];
        while (p->first_pair != BROAD_NONE)
            tact_pair_cache_remove(&b->pairs, broad_pair_heads(b), p->first_pair >> 1);
    }
    if (b->engine == BROAD_TREE)
        tact_tree_engine_remove(b);
    else
        tact_sweep_engine_remove(b);
}

/* After a successful update: clears the dirty list, and frees the indices of removed proxies. */
static void clear_dirty(broad *b)
{
    for (size_t i = 0; i < b->dirty.count; ++i) {
        broad_proxy *p = &b->proxies.items[b->dirty.items[i]];
        p->flags &= ~(uint32_t)(PROXY_DIRTY | PROXY_MOVED);
    }
    b->dirty.count = 0;
    /* the first one removed is reused first, with every engine */
    for (size_t i = b->removed.count; i-- > 0;) {
        broad_proxy *p = &b->proxies.items[b->removed.items[i]];
        p->flags = 0;
        p->first_pair = b->free_proxy;
        b->free_proxy = b->removed.items[i];
    }
    b->removed.count = b->detached = b->inserted = 0;
    b->changed = false;
}

tact_status tact_broad_update(broad *b, broad_changes *changes)
{
    if (changes != NULL)
        *changes = (broad_changes){0};
    if (b == NULL)
        return TACT_BAD_ARGUMENT;
    tact_pair_cache_free_ended(&b->pairs);
    remove_dead_proxies(b);
    tact_status status = b->engine == BROAD_TREE ? tact_tree_engine_update(b) : tact_sweep_engine_update(b);
    if (status == TACT_OK)
        status = tact_pair_cache_report(&b->pairs, &b->allocator, broad_pair_heads(b), b->update_failed);
    b->update_failed = status != TACT_OK;
    if (b->update_failed)
        return status;
    if (b->requested == BROAD_AUTO)
        tact_broad_choice_count(b, b->removed.count + b->inserted);
    clear_dirty(b);
    if (changes != NULL)
        *changes =
            (broad_changes){b->pairs.began.items, b->pairs.ended.items, b->pairs.began.count, b->pairs.ended.count};
    if (b->requested == BROAD_AUTO && tact_broad_choice_decide(b))
        (void)change_engine(b, b->engine == BROAD_TREE ? BROAD_SWEEP : BROAD_TREE); /* out of memory: no change */
    return TACT_OK;
}

broad_pair *tact_broad_pair(broad *b, uint32_t slot) { return &b->pairs.pairs.items[slot]; }

uint32_t tact_broad_find_pair(const broad *b, uint32_t one, uint32_t other)
{
    uint32_t slot = tact_pair_cache_find(&b->pairs, one, other);
    return slot != BROAD_NONE && b->pairs.states.items[slot] & PAIR_REPORTED ? slot : BROAD_NONE;
}

uint32_t tact_broad_next_pair(const broad *b, uint32_t slot)
{
    size_t at = slot == BROAD_NONE ? 0 : (size_t)slot + 1;
    for (; at < b->pairs.pairs.count; ++at)
        if (b->pairs.states.items[at] & PAIR_REPORTED)
            return (uint32_t)at;
    return BROAD_NONE;
}

tact_status tact_broad_list_pairs(broad *b, const uint32_t **slots, size_t *count)
{
    if (b == NULL || slots == NULL || count == NULL)
        return TACT_BAD_ARGUMENT;
    tact_status status = tact_pair_cache_list(&b->pairs, &b->allocator);
    *slots = status == TACT_OK ? b->pairs.list.items : NULL;
    *count = status == TACT_OK ? b->pairs.list.count : 0;
    return status;
}
