/*
 * The set of pairs: see pairs.h.
 *
 * Finding, adding and dropping take constant expected time: open addressing with linear probing, and deletion that
 * moves later entries back instead of leaving gravestones (Knuth, vol. 3, 6.4, algorithm R), so that a table in which
 * pairs come and go for ever stays as fast as a new one. An entry holds the hash beside the slot: probing and growing
 * touch no pair but the one that is found.
 *
 * What began and ended is sorted by (a, b): by insertion when few, by radix when many, so that a frame in which 10^7
 * pairs begin costs time in proportion.
 */
#include "broad/pair_cache.h"

#include "core/sort.h"

#define TABLE_LEAST 16        /* entries */
#define MOST_SLOTS (1u << 30) /* a link holds a slot and a bit, and BROAD_NONE must stay free */

static inline uint32_t mark_of(uint32_t one, uint32_t other) { return (uint32_t)hash_unordered_pair(one, other); }

void tact_pair_cache_release(pair_cache *set, const tact_allocator *allocator)
{
    pair_cache_pair_array_release(&set->pairs, allocator);
    pair_cache_link_array_release(&set->links, allocator);
    pair_cache_state_array_release(&set->states, allocator);
    broad_index_array_release(&set->changed, allocator);
    broad_index_array_release(&set->began, allocator);
    broad_index_array_release(&set->ended, allocator);
    broad_index_array_release(&set->list, allocator);
    pair_sort_key_array_release(&set->keys, allocator);
    pair_sort_key_array_release(&set->scratch, allocator);
    tact_memory_free(allocator, set->table, set->table_size, sizeof *set->table);
    *set = (pair_cache){.free_slot = BROAD_NONE};
}

/* The table's position of a pair, SIZE_MAX when it is not there. */
static size_t seek(const pair_cache *set, uint32_t one, uint32_t other)
{
    if (set->table_size == 0)
        return SIZE_MAX;
    uint32_t a = one < other ? one : other, b = one < other ? other : one, mark = mark_of(a, b);
    size_t mask = set->table_size - 1;
    for (size_t at = mark & mask; set->table[at].slot != BROAD_NONE; at = (at + 1) & mask)
        if (set->table[at].hash == mark) {
            const broad_pair *pair = &set->pairs.items[set->table[at].slot];
            if (pair->a == a && pair->b == b)
                return at;
        }
    return SIZE_MAX;
}

uint32_t tact_pair_cache_find(const pair_cache *set, uint32_t one, uint32_t other)
{
    size_t at = seek(set, one, other);
    return at == SIZE_MAX ? BROAD_NONE : set->table[at].slot;
}

static void put(pair_cache_entry *table, size_t size, pair_cache_entry entry)
{
    size_t at = entry.hash & (size - 1);
    while (table[at].slot != BROAD_NONE)
        at = (at + 1) & (size - 1);
    table[at] = entry;
}

/* Room in the table for one more, at most half full. */
static bool widen_table(pair_cache *set, const tact_allocator *allocator)
{
    if (2 * (set->cached_count + 1) <= set->table_size)
        return true;
    size_t size = set->table_size == 0 ? TABLE_LEAST : 2 * set->table_size;
    pair_cache_entry *table = tact_memory_allocate(allocator, size, sizeof *table);
    if (table == NULL)
        return false;
    for (size_t i = 0; i < size; ++i)
        table[i] = (pair_cache_entry){BROAD_NONE, 0};
    for (size_t i = 0; i < set->table_size; ++i)
        if (set->table[i].slot != BROAD_NONE)
            put(table, size, set->table[i]);
    tact_memory_free(allocator, set->table, set->table_size, sizeof *set->table);
    set->table = table;
    set->table_size = size;
    return true;
}

/* An unused slot, with room in the queue for it. */
static uint32_t take_slot(pair_cache *set, const tact_allocator *allocator)
{
    if (set->free_slot != BROAD_NONE) {
        uint32_t slot = set->free_slot;
        set->free_slot = set->pairs.items[slot].a;
        return slot;
    }
    size_t count = set->pairs.count;
    if (count >= MOST_SLOTS || !pair_cache_pair_array_reserve(&set->pairs, allocator, count + 1) ||
        !pair_cache_link_array_reserve(&set->links, allocator, count + 1) ||
        !pair_cache_state_array_reserve(&set->states, allocator, count + 1) ||
        !broad_index_array_reserve(&set->changed, allocator, count + 1))
        return BROAD_NONE;
    set->pairs.count = set->links.count = set->states.count = count + 1;
    return (uint32_t)count;
}

static void free_slot(pair_cache *set, uint32_t slot)
{
    set->states.items[slot] = 0;
    set->pairs.items[slot].a = set->free_slot;
    set->free_slot = slot;
}

static void link_in(pair_cache *set, uint32_t *head, uint32_t slot, uint32_t end)
{
    uint32_t link = slot << 1 | end;
    set->links.items[slot].next[end] = *head;
    set->links.items[slot].previous[end] = BROAD_NONE;
    if (*head != BROAD_NONE)
        set->links.items[*head >> 1].previous[*head & 1] = link;
    *head = link;
}

static void link_out(pair_cache *set, uint32_t *head, uint32_t slot, uint32_t end)
{
    uint32_t next = set->links.items[slot].next[end], previous = set->links.items[slot].previous[end];
    if (next != BROAD_NONE)
        set->links.items[next >> 1].previous[next & 1] = previous;
    if (previous != BROAD_NONE)
        set->links.items[previous >> 1].next[previous & 1] = next;
    else
        *head = next;
}

uint32_t tact_pair_cache_add(pair_cache *set, const tact_allocator *allocator, pair_cache_heads heads, uint32_t one,
                             uint32_t other, bool touching)
{
    if (!widen_table(set, allocator))
        return BROAD_NONE;
    uint32_t slot = take_slot(set, allocator);
    if (slot == BROAD_NONE)
        return BROAD_NONE;
    uint32_t a = one < other ? one : other, b = one < other ? other : one;
    set->pairs.items[slot] = (broad_pair){a, b, 0};
    set->states.items[slot] = PAIR_CACHED;
    link_in(set, pair_cache_head(heads, a), slot, 0);
    link_in(set, pair_cache_head(heads, b), slot, 1);
    put(set->table, set->table_size, (pair_cache_entry){slot, mark_of(a, b)});
    ++set->cached_count;
    pair_cache_set_overlap(set, slot, touching);
    return slot;
}

void tact_pair_cache_remove(pair_cache *set, pair_cache_heads heads, uint32_t slot)
{
    const broad_pair *pair = &set->pairs.items[slot];
    size_t mask = set->table_size - 1, hole = seek(set, pair->a, pair->b);
    for (size_t at = (hole + 1) & mask; set->table[at].slot != BROAD_NONE; at = (at + 1) & mask) {
        /* an entry may fill the hole if the hole is not before the place where a search for the entry begins */
        size_t best = set->table[at].hash & mask;
        if (((at - best) & mask) >= ((at - hole) & mask)) {
            set->table[hole] = set->table[at];
            hole = at;
        }
    }
    set->table[hole].slot = BROAD_NONE;
    --set->cached_count;
    link_out(set, pair_cache_head(heads, pair->a), slot, 0);
    link_out(set, pair_cache_head(heads, pair->b), slot, 1);
    if (set->states.items[slot] & (PAIR_REPORTED | PAIR_QUEUED)) {
        set->states.items[slot] = (uint8_t)((set->states.items[slot] & (PAIR_REPORTED | PAIR_QUEUED)) | PAIR_REMOVED);
        pair_cache_queue(set, slot);
    } else {
        free_slot(set, slot);
    }
}

void tact_pair_cache_free_ended(pair_cache *set)
{
    for (size_t i = 0; i < set->ended.count; ++i)
        if (set->states.items[set->ended.items[i]] & PAIR_REMOVED)
            free_slot(set, set->ended.items[i]);
    set->began.count = set->ended.count = 0;
}

static inline uint64_t key_value(const pair_sort_key *k) { return k->key; }
RADIX_SORT_OF(sort_keys, pair_sort_key, key_value)

static pair_sort_key key_of(const pair_cache *set, uint32_t slot)
{
    const broad_pair *pair = &set->pairs.items[slot];
    return (pair_sort_key){(uint64_t)pair->a << 32 | pair->b, slot};
}

/* Fills `into` with the slots that queue says changed to `touching`, in order. Room is there. */
static void gather(pair_cache *set, broad_index_array *into, bool touching)
{
    size_t count = 0;
    for (size_t i = 0; i < set->changed.count; ++i) {
        uint8_t state = set->states.items[set->changed.items[i]];
        if (((state & PAIR_OVERLAPS) != 0) != ((state & PAIR_REPORTED) != 0) &&
            ((state & PAIR_OVERLAPS) != 0) == touching)
            set->keys.items[count++] = key_of(set, set->changed.items[i]);
    }
    const pair_sort_key *sorted = sort_keys(set->keys.items, set->scratch.items, count);
    for (size_t i = 0; i < count; ++i)
        into->items[i] = (uint32_t)sorted[i].slot;
    into->count = count;
}

/* A pair that was dropped by an update that then failed, and added again since, has not ended at all: it gets its old
 * slot back. Both lists are there, in order. */
static void reunite(pair_cache *set, pair_cache_heads heads)
{
    size_t i = 0, k = 0;
    while (i < set->began.count && k < set->ended.count) {
        uint32_t fresh = set->began.items[i], old = set->ended.items[k];
        uint64_t one = key_of(set, fresh).key, other = key_of(set, old).key;
        i += one <= other;
        k += other <= one;
        if (one != other)
            continue;
        tact_pair_cache_remove(set, heads, fresh); /* which leaves room in the table */
        const broad_pair *pair = &set->pairs.items[old];
        set->states.items[old] = PAIR_CACHED | PAIR_OVERLAPS | PAIR_REPORTED | PAIR_QUEUED;
        link_in(set, pair_cache_head(heads, pair->a), old, 0);
        link_in(set, pair_cache_head(heads, pair->b), old, 1);
        put(set->table, set->table_size, (pair_cache_entry){old, mark_of(pair->a, pair->b)});
        ++set->cached_count;
    }
}

tact_status tact_pair_cache_report(pair_cache *set, const tact_allocator *allocator, pair_cache_heads heads, bool again)
{
    size_t began = 0, ended = 0;
    for (size_t i = 0; i < set->changed.count; ++i) {
        uint8_t state = set->states.items[set->changed.items[i]];
        bool touching = state & PAIR_OVERLAPS, told = state & PAIR_REPORTED;
        began += touching && !told;
        ended += told && !touching;
    }
    size_t more = began > ended ? began : ended;
    if (!pair_sort_key_array_reserve(&set->keys, allocator, more) ||
        !pair_sort_key_array_reserve(&set->scratch, allocator, more) ||
        !broad_index_array_reserve(&set->began, allocator, began) ||
        !broad_index_array_reserve(&set->ended, allocator, ended))
        return TACT_OUT_OF_MEMORY;
    /* from here on nothing fails */
    gather(set, &set->began, true);
    gather(set, &set->ended, false);
    if (again) {
        reunite(set, heads);
        gather(set, &set->began, true);
        gather(set, &set->ended, false);
    }
    if (began + ended > 0)
        set->list_valid = false;
    set->reported_count = set->reported_count + began - ended;
    for (size_t i = 0; i < set->changed.count; ++i) {
        uint32_t slot = set->changed.items[i];
        uint8_t state = set->states.items[slot];
        if ((state & PAIR_REMOVED) && !(state & PAIR_REPORTED)) {
            free_slot(set, slot); /* came and went unseen, between two failures */
            continue;
        }
        if ((state & PAIR_OVERLAPS) && !(state & PAIR_REPORTED))
            set->pairs.items[slot].data = 0;
        state &= (uint8_t) ~(PAIR_QUEUED | PAIR_REPORTED);
        set->states.items[slot] = state & PAIR_OVERLAPS ? state | PAIR_REPORTED : state;
    }
    set->changed.count = 0;
    return TACT_OK;
}

tact_status tact_pair_cache_list(pair_cache *set, const tact_allocator *allocator)
{
    if (set->list_valid)
        return TACT_OK;
    if (!pair_sort_key_array_reserve(&set->keys, allocator, set->reported_count) ||
        !pair_sort_key_array_reserve(&set->scratch, allocator, set->reported_count) ||
        !broad_index_array_reserve(&set->list, allocator, set->reported_count))
        return TACT_OUT_OF_MEMORY;
    size_t count = 0;
    for (uint32_t slot = 0; slot < set->pairs.count; ++slot)
        if (set->states.items[slot] & PAIR_REPORTED)
            set->keys.items[count++] = key_of(set, slot);
    const pair_sort_key *sorted = sort_keys(set->keys.items, set->scratch.items, count);
    for (size_t i = 0; i < count; ++i)
        set->list.items[i] = (uint32_t)sorted[i].slot;
    set->list.count = count;
    set->list_valid = true;
    return TACT_OK;
}
