/*
 * The pair cache: see pair_cache.h.
 *
 * Finding, adding and removing take constant expected time. The hash table has open addressing with linear probing, and
 * deletion moves later entries back instead of leaving tombstones (Knuth, vol. 3, 6.4, algorithm R). So it stays as
 * fast as a new table, however many pairs come and go. An entry holds the hash beside the slot: probing and growing
 * read no pair but the one that is found.
 *
 * Pairs that began and ended are sorted by (a, b): few by insertion, many by radix, so that a frame in which 10^7 pairs
 * begin costs linear time.
 */
#include "broad/pair_cache.h"

#include "broad/broad_constants.h"

#include "core/sort.h"

static inline uint32_t pair_hash(uint32_t one, uint32_t other) { return (uint32_t)hash_unordered_pair(one, other); }

void tact_pair_cache_release(pair_cache *cache, const tact_allocator *allocator)
{
    pair_cache_pair_array_release(&cache->pairs, allocator);
    pair_cache_link_array_release(&cache->links, allocator);
    pair_cache_state_array_release(&cache->states, allocator);
    broad_index_array_release(&cache->changed, allocator);
    broad_index_array_release(&cache->began, allocator);
    broad_index_array_release(&cache->ended, allocator);
    broad_index_array_release(&cache->list, allocator);
    pair_sort_key_array_release(&cache->keys, allocator);
    pair_sort_key_array_release(&cache->scratch, allocator);
    tact_memory_free(allocator, cache->table, cache->table_size, sizeof *cache->table);
    *cache = (pair_cache){.free_slot = BROAD_NONE};
}

/* The table index of a pair, SIZE_MAX if it is not cached. */
static size_t find_entry(const pair_cache *cache, uint32_t one, uint32_t other)
{
    if (cache->table_size == 0)
        return SIZE_MAX;
    uint32_t a = one < other ? one : other, b = one < other ? other : one, hash = pair_hash(a, b);
    size_t mask = cache->table_size - 1;
    for (size_t at = hash & mask; cache->table[at].slot != BROAD_NONE; at = (at + 1) & mask)
        if (cache->table[at].hash == hash) {
            const broad_pair *pair = &cache->pairs.items[cache->table[at].slot];
            if (pair->a == a && pair->b == b)
                return at;
        }
    return SIZE_MAX;
}

uint32_t tact_pair_cache_find(const pair_cache *cache, uint32_t one, uint32_t other)
{
    size_t at = find_entry(cache, one, other);
    return at == SIZE_MAX ? BROAD_NONE : cache->table[at].slot;
}

static void insert_entry(pair_cache_entry *table, size_t size, pair_cache_entry entry)
{
    size_t at = entry.hash & (size - 1);
    while (table[at].slot != BROAD_NONE)
        at = (at + 1) & (size - 1);
    table[at] = entry;
}

/* Reserves the capacity for one more entry; the table is at most half full. */
static bool grow_table(pair_cache *cache, const tact_allocator *allocator)
{
    if (2 * (cache->cached_count + 1) <= cache->table_size)
        return true;
    size_t size = cache->table_size == 0 ? PAIR_CACHE_MIN_TABLE : 2 * cache->table_size;
    pair_cache_entry *table = tact_memory_allocate(allocator, size, sizeof *table);
    if (table == NULL)
        return false;
    for (size_t i = 0; i < size; ++i)
        table[i] = (pair_cache_entry){BROAD_NONE, 0};
    for (size_t i = 0; i < cache->table_size; ++i)
        if (cache->table[i].slot != BROAD_NONE)
            insert_entry(table, size, cache->table[i]);
    tact_memory_free(allocator, cache->table, cache->table_size, sizeof *cache->table);
    cache->table = table;
    cache->table_size = size;
    return true;
}

/* A free slot, with capacity for it in the queue of changes; BROAD_NONE: out of memory. */
static uint32_t allocate_slot(pair_cache *cache, const tact_allocator *allocator)
{
    if (cache->free_slot != BROAD_NONE) {
        uint32_t slot = cache->free_slot;
        cache->free_slot = cache->pairs.items[slot].a;
        return slot;
    }
    size_t count = cache->pairs.count;
    if (count >= PAIR_CACHE_MAX_SLOTS || !pair_cache_pair_array_reserve(&cache->pairs, allocator, count + 1) ||
        !pair_cache_link_array_reserve(&cache->links, allocator, count + 1) ||
        !pair_cache_state_array_reserve(&cache->states, allocator, count + 1) ||
        !broad_index_array_reserve(&cache->changed, allocator, count + 1))
        return BROAD_NONE;
    cache->pairs.count = cache->links.count = cache->states.count = count + 1;
    return (uint32_t)count;
}

static void free_slot(pair_cache *cache, uint32_t slot)
{
    cache->states.items[slot] = 0;
    cache->pairs.items[slot].a = cache->free_slot;
    cache->free_slot = slot;
}

static void link_pair(pair_cache *cache, uint32_t *head, uint32_t slot, uint32_t end)
{
    uint32_t link = slot << 1 | end;
    cache->links.items[slot].next[end] = *head;
    cache->links.items[slot].previous[end] = BROAD_NONE;
    if (*head != BROAD_NONE)
        cache->links.items[*head >> 1].previous[*head & 1] = link;
    *head = link;
}

static void unlink_pair(pair_cache *cache, uint32_t *head, uint32_t slot, uint32_t end)
{
    uint32_t next = cache->links.items[slot].next[end], previous = cache->links.items[slot].previous[end];
    if (next != BROAD_NONE)
        cache->links.items[next >> 1].previous[next & 1] = previous;
    if (previous != BROAD_NONE)
        cache->links.items[previous >> 1].next[previous & 1] = next;
    else
        *head = next;
}

uint32_t tact_pair_cache_add(pair_cache *cache, const tact_allocator *allocator, pair_cache_heads heads, uint32_t one,
                             uint32_t other, bool overlap)
{
    if (!grow_table(cache, allocator))
        return BROAD_NONE;
    uint32_t slot = allocate_slot(cache, allocator);
    if (slot == BROAD_NONE)
        return BROAD_NONE;
    uint32_t a = one < other ? one : other, b = one < other ? other : one;
    cache->pairs.items[slot] = (broad_pair){a, b, 0};
    cache->states.items[slot] = PAIR_CACHED;
    link_pair(cache, pair_cache_head(heads, a), slot, 0);
    link_pair(cache, pair_cache_head(heads, b), slot, 1);
    insert_entry(cache->table, cache->table_size, (pair_cache_entry){slot, pair_hash(a, b)});
    ++cache->cached_count;
    pair_cache_set_overlap(cache, slot, overlap);
    return slot;
}

void tact_pair_cache_remove(pair_cache *cache, pair_cache_heads heads, uint32_t slot)
{
    const broad_pair *pair = &cache->pairs.items[slot];
    size_t mask = cache->table_size - 1, hole = find_entry(cache, pair->a, pair->b);
    for (size_t at = (hole + 1) & mask; cache->table[at].slot != BROAD_NONE; at = (at + 1) & mask) {
        /* an entry may fill the hole if the hole is not before the index where a search for the entry begins */
        size_t home = cache->table[at].hash & mask;
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            cache->table[hole] = cache->table[at];
            hole = at;
        }
    }
    cache->table[hole].slot = BROAD_NONE;
    --cache->cached_count;
    unlink_pair(cache, pair_cache_head(heads, pair->a), slot, 0);
    unlink_pair(cache, pair_cache_head(heads, pair->b), slot, 1);
    if (cache->states.items[slot] & (PAIR_REPORTED | PAIR_QUEUED)) {
        cache->states.items[slot] =
            (uint8_t)((cache->states.items[slot] & (PAIR_REPORTED | PAIR_QUEUED)) | PAIR_REMOVED);
        pair_cache_queue(cache, slot);
    } else {
        free_slot(cache, slot);
    }
}

void tact_pair_cache_free_ended(pair_cache *cache)
{
    for (size_t i = 0; i < cache->ended.count; ++i)
        if (cache->states.items[cache->ended.items[i]] & PAIR_REMOVED)
            free_slot(cache, cache->ended.items[i]);
    cache->began.count = cache->ended.count = 0;
}

static inline uint64_t key_value(const pair_sort_key *k) { return k->key; }
RADIX_SORT_OF(sort_keys, pair_sort_key, key_value)

static pair_sort_key key_of(const pair_cache *cache, uint32_t slot)
{
    const broad_pair *pair = &cache->pairs.items[slot];
    return (pair_sort_key){(uint64_t)pair->a << 32 | pair->b, slot};
}

/* Fills `into` with the queued slots whose overlap changed to `overlap`, in order. Capacity is reserved. */
static void collect_changes(pair_cache *cache, broad_index_array *into, bool overlap)
{
    size_t count = 0;
    for (size_t i = 0; i < cache->changed.count; ++i) {
        uint8_t state = cache->states.items[cache->changed.items[i]];
        if (((state & PAIR_OVERLAPS) != 0) != ((state & PAIR_REPORTED) != 0) &&
            ((state & PAIR_OVERLAPS) != 0) == overlap)
            cache->keys.items[count++] = key_of(cache, cache->changed.items[i]);
    }
    const pair_sort_key *sorted = sort_keys(cache->keys.items, cache->scratch.items, count);
    for (size_t i = 0; i < count; ++i)
        into->items[i] = (uint32_t)sorted[i].slot;
    into->count = count;
}

/* A pair that was removed by a failed update and added again since has not ended: it gets its old slot back. Both lists
 * are sorted. */
static void restore_pairs(pair_cache *cache, pair_cache_heads heads)
{
    size_t i = 0, k = 0;
    while (i < cache->began.count && k < cache->ended.count) {
        uint32_t added = cache->began.items[i], old = cache->ended.items[k];
        uint64_t one = key_of(cache, added).key, other = key_of(cache, old).key;
        i += one <= other;
        k += other <= one;
        if (one != other)
            continue;
        tact_pair_cache_remove(cache, heads, added); /* its entry in the table is free now */
        const broad_pair *pair = &cache->pairs.items[old];
        cache->states.items[old] = PAIR_CACHED | PAIR_OVERLAPS | PAIR_REPORTED | PAIR_QUEUED;
        link_pair(cache, pair_cache_head(heads, pair->a), old, 0);
        link_pair(cache, pair_cache_head(heads, pair->b), old, 1);
        insert_entry(cache->table, cache->table_size, (pair_cache_entry){old, pair_hash(pair->a, pair->b)});
        ++cache->cached_count;
    }
}

tact_status tact_pair_cache_report(pair_cache *cache, const tact_allocator *allocator, pair_cache_heads heads,
                                   bool again)
{
    size_t began = 0, ended = 0;
    for (size_t i = 0; i < cache->changed.count; ++i) {
        uint8_t state = cache->states.items[cache->changed.items[i]];
        bool overlap = state & PAIR_OVERLAPS, reported = state & PAIR_REPORTED;
        began += overlap && !reported;
        ended += reported && !overlap;
    }
    size_t more = began > ended ? began : ended;
    if (!pair_sort_key_array_reserve(&cache->keys, allocator, more) ||
        !pair_sort_key_array_reserve(&cache->scratch, allocator, more) ||
        !broad_index_array_reserve(&cache->began, allocator, began) ||
        !broad_index_array_reserve(&cache->ended, allocator, ended))
        return TACT_OUT_OF_MEMORY;
    /* from here on nothing fails */
    collect_changes(cache, &cache->began, true);
    collect_changes(cache, &cache->ended, false);
    if (again) {
        restore_pairs(cache, heads);
        collect_changes(cache, &cache->began, true);
        collect_changes(cache, &cache->ended, false);
    }
    if (began + ended > 0)
        cache->list_valid = false;
    cache->reported_count = cache->reported_count + began - ended;
    for (size_t i = 0; i < cache->changed.count; ++i) {
        uint32_t slot = cache->changed.items[i];
        uint8_t state = cache->states.items[slot];
        if ((state & PAIR_REMOVED) && !(state & PAIR_REPORTED)) {
            free_slot(cache, slot); /* began and ended between two failures, unreported */
            continue;
        }
        if ((state & PAIR_OVERLAPS) && !(state & PAIR_REPORTED))
            cache->pairs.items[slot].data = 0;
        state &= (uint8_t) ~(PAIR_QUEUED | PAIR_REPORTED);
        cache->states.items[slot] = state & PAIR_OVERLAPS ? state | PAIR_REPORTED : state;
    }
    cache->changed.count = 0;
    return TACT_OK;
}

tact_status tact_pair_cache_list(pair_cache *cache, const tact_allocator *allocator)
{
    if (cache->list_valid)
        return TACT_OK;
    if (!pair_sort_key_array_reserve(&cache->keys, allocator, cache->reported_count) ||
        !pair_sort_key_array_reserve(&cache->scratch, allocator, cache->reported_count) ||
        !broad_index_array_reserve(&cache->list, allocator, cache->reported_count))
        return TACT_OUT_OF_MEMORY;
    size_t count = 0;
    for (uint32_t slot = 0; slot < cache->pairs.count; ++slot)
        if (cache->states.items[slot] & PAIR_REPORTED)
            cache->keys.items[count++] = key_of(cache, slot);
    const pair_sort_key *sorted = sort_keys(cache->keys.items, cache->scratch.items, count);
    for (size_t i = 0; i < count; ++i)
        cache->list.items[i] = (uint32_t)sorted[i].slot;
    cache->list.count = count;
    cache->list_valid = true;
    return TACT_OK;
}
