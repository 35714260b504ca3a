/*
 * The pair cache: a hash table from two proxies to a slot that stays the same, a list of its pairs for every proxy, and
 * a queue of the pairs that have changed since the last report.
 *
 * An engine may cache more pairs than the caller sees: a *near* pair, of boxes that do not overlap but are close, is
 * cached without PAIR_OVERLAPS. The caller sees pairs with PAIR_REPORTED: they overlapped at the last successful
 * report.
 */
#ifndef TACT_BROAD_PAIR_CACHE_H
#define TACT_BROAD_PAIR_CACHE_H

#include "broad/broad.h"
#include "core/array.h"
#include "core/hash.h"

enum {
    PAIR_CACHED = 1,   /* in the table and in the lists of its proxies */
    PAIR_OVERLAPS = 2, /* the boxes overlap */
    PAIR_REPORTED = 4, /* the pair exists for the caller */
    PAIR_QUEUED = 8,   /* in the queue of changes */
    PAIR_REMOVED = 16, /* no longer cached, but its slot is still in the queue or in the last report */
    PAIR_VISITED = 32  /* found by the current search of all pairs */
};

/* The links of a pair in the lists of its two proxies, 0 for a and 1 for b. A link is slot << 1 | (0 if the proxy is a
 * of the pair at that slot, 1 if it is b), or BROAD_NONE. */
typedef struct pair_cache_links {
    uint32_t next[2];
    uint32_t previous[2];
} pair_cache_links;

typedef struct pair_cache_entry {
    uint32_t slot; /* BROAD_NONE: empty */
    uint32_t hash; /* the low half of the pair's hash; its low bits are the index where probing starts */
} pair_cache_entry;

typedef struct pair_sort_key {
    uint64_t key; /* a << 32 | b */
    uint64_t slot;
} pair_sort_key;

ARRAY_OF(pair_cache_pair_array, broad_pair);
ARRAY_OF(pair_cache_link_array, pair_cache_links);
ARRAY_OF(pair_cache_state_array, uint8_t);
ARRAY_OF(broad_index_array, uint32_t);
ARRAY_OF(pair_sort_key_array, pair_sort_key);

typedef struct pair_cache {
    pair_cache_pair_array pairs;   /* by slot; in a free slot, a is the next free one */
    pair_cache_link_array links;   /* by slot */
    pair_cache_state_array states; /* by slot */
    broad_index_array changed;     /* the queue of changes: slots; capacity for all */
    pair_cache_entry *table;
    size_t table_size;                 /* a power of two, or 0 */
    size_t cached_count;               /* pairs in the table */
    size_t reported_count;             /* pairs that the caller sees */
    uint32_t free_slot;                /* the first free slot, or BROAD_NONE */
    broad_index_array began, ended;    /* the last report, sorted */
    pair_sort_key_array keys, scratch; /* for sorting */
    broad_index_array list;            /* all reported pairs in order, if list_valid */
    bool list_valid;
} pair_cache;

void tact_pair_cache_release(pair_cache *cache, const tact_allocator *allocator);

/* The heads of the pair lists are in the caller's array of proxies. */
typedef struct pair_cache_heads {
    unsigned char *first; /* of proxy 0 */
    size_t stride;
} pair_cache_heads;

static inline uint32_t *pair_cache_head(pair_cache_heads heads, uint32_t proxy)
{
    return (uint32_t *)(void *)(heads.first + heads.stride * proxy);
}

static inline uint32_t pair_cache_other(const pair_cache *cache, uint32_t link)
{
    const broad_pair *pair = &cache->pairs.items[link >> 1];
    return link & 1 ? pair->a : pair->b;
}

/* Queues a slot as changed, once. */
static inline void pair_cache_queue(pair_cache *cache, uint32_t slot)
{
    if (!(cache->states.items[slot] & PAIR_QUEUED)) {
        cache->states.items[slot] |= PAIR_QUEUED;
        cache->changed.items[cache->changed.count++] = slot;
    }
}

/* Sets whether the boxes of a pair overlap. */
static inline void pair_cache_set_overlap(pair_cache *cache, uint32_t slot, bool overlap)
{
    uint8_t state = cache->states.items[slot];
    if (((state & PAIR_OVERLAPS) != 0) != overlap) {
        cache->states.items[slot] = state ^ PAIR_OVERLAPS;
        pair_cache_queue(cache, slot);
    }
}

/* The slot of a cached pair, or BROAD_NONE. */
uint32_t tact_pair_cache_find(const pair_cache *cache, uint32_t one, uint32_t other);

/* Adds a pair that is not cached. Returns its slot; BROAD_NONE: out of memory. */
uint32_t tact_pair_cache_add(pair_cache *cache, const tact_allocator *allocator, pair_cache_heads heads, uint32_t one,
                             uint32_t other, bool overlap);

/* Removes a pair. If it was reported, the next report has it among the ended ones. */
void tact_pair_cache_remove(pair_cache *cache, pair_cache_heads heads, uint32_t slot);

/* Frees the slots of the ended pairs of the last report. */
void tact_pair_cache_free_ended(pair_cache *cache);

/* Makes the lists of pairs that began and ended, and clears the queue. On failure the queue stays. `again`: an update
 * has failed since the last success. */
tact_status tact_pair_cache_report(pair_cache *cache, const tact_allocator *allocator, pair_cache_heads heads,
                                   bool again);

/* Makes the sorted list of all reported pairs, unless it is valid. */
tact_status tact_pair_cache_list(pair_cache *cache, const tact_allocator *allocator);

#endif
