/*
 * The set of pairs: a hash table of slots, stable places, a list of its pairs for every proxy, and the queue of those
 * that have changed since they were last told.
 *
 * An engine may keep more pairs than the caller sees: a *near* pair, of boxes that only nearly touch, is present but
 * does not carry PAIR_OVERLAPS. The caller sees those with PAIR_REPORTED: touching at the last successful report.
 */
#ifndef TACT_BROAD_PAIR_CACHE_H
#define TACT_BROAD_PAIR_CACHE_H

#include "broad/broad.h"
#include "core/array.h"
#include "core/hash.h"

enum {
    PAIR_CACHED = 1,   /* in the table and in the lists of its proxies */
    PAIR_OVERLAPS = 2, /* the boxes have a point in common */
    PAIR_REPORTED = 4, /* the caller knows it as a pair */
    PAIR_QUEUED = 8,   /* in the queue of changes */
    PAIR_REMOVED = 16, /* dropped, but its slot is still named in the queue or in what was told last */
    PAIR_VISITED = 32  /* met by the search for all pairs that is under way */
};

/* Where a pair stands in the lists of its two proxies, 0 for a and 1 for b. A link is slot << 1 | which end of the
 * pair at that slot belongs to the proxy, or BROAD_NONE. */
typedef struct pair_cache_links {
    uint32_t next[2];
    uint32_t previous[2];
} pair_cache_links;

typedef struct pair_cache_entry {
    uint32_t slot; /* BROAD_NONE: empty */
    uint32_t hash; /* the low half of the pair's hash; its low bits say where it would best be */
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
    pair_cache_pair_array pairs;   /* by slot; of an unused one, a is the next unused */
    pair_cache_link_array links;   /* by slot */
    pair_cache_state_array states; /* by slot */
    broad_index_array changed;     /* room for every slot */
    pair_cache_entry *table;
    size_t table_size;     /* a power of two, or 0 */
    size_t cached_count;   /* pairs in the table */
    size_t reported_count; /* pairs that the caller sees */
    uint32_t free_slot;    /* the first slot to be used again, or BROAD_NONE */
    broad_index_array began, ended;
    pair_sort_key_array keys, scratch; /* for sorting */
    broad_index_array list;            /* all told pairs in order, if list_valid */
    bool list_valid;
} pair_cache;

void tact_pair_cache_release(pair_cache *set, const tact_allocator *allocator);

/* The head of each proxy's list is the caller's: heads(proxy). */
typedef struct pair_cache_heads {
    unsigned char *first; /* of proxy 0 */
    size_t stride;
} pair_cache_heads;

static inline uint32_t *pair_cache_head(pair_cache_heads heads, uint32_t proxy)
{
    return (uint32_t *)(void *)(heads.first + heads.stride * proxy);
}

static inline uint32_t pair_cache_other(const pair_cache *set, uint32_t link)
{
    const broad_pair *pair = &set->pairs.items[link >> 1];
    return link & 1 ? pair->a : pair->b;
}

/* Puts a slot into the queue, once. */
static inline void pair_cache_queue(pair_cache *set, uint32_t slot)
{
    if (!(set->states.items[slot] & PAIR_QUEUED)) {
        set->states.items[slot] |= PAIR_QUEUED;
        set->changed.items[set->changed.count++] = slot;
    }
}

/* Says whether the boxes of a pair touch now. */
static inline void pair_cache_set_overlap(pair_cache *set, uint32_t slot, bool touching)
{
    uint8_t state = set->states.items[slot];
    if (((state & PAIR_OVERLAPS) != 0) != touching) {
        set->states.items[slot] = state ^ PAIR_OVERLAPS;
        pair_cache_queue(set, slot);
    }
}

/* The slot of a pair that is in the table, or BROAD_NONE. */
uint32_t tact_pair_cache_find(const pair_cache *set, uint32_t one, uint32_t other);

/* Adds a pair that is not there. Returns its slot, BROAD_NONE when memory has run out. */
uint32_t tact_pair_cache_add(pair_cache *set, const tact_allocator *allocator, pair_cache_heads heads, uint32_t one,
                             uint32_t other, bool touching);

/* Takes a pair out; if the caller knows it, it will be told that it ended. */
void tact_pair_cache_remove(pair_cache *set, pair_cache_heads heads, uint32_t slot);

/* Frees the slots of pairs that were told to have ended. */
void tact_pair_cache_free_ended(pair_cache *set);

/* Makes the lists of what began and ended, and takes the changes as told. On failure the queue stays. `again`: since
 * the last success something failed. */
tact_status tact_pair_cache_report(pair_cache *set, const tact_allocator *allocator, pair_cache_heads heads,
                                   bool again);

/* Makes the list of all told pairs. */
tact_status tact_pair_cache_list(pair_cache *set, const tact_allocator *allocator);

#endif
