/*
 * The set of pairs: a hash table of slots, stable places, a list of its pairs for every proxy, and the queue of those
 * that have changed since they were last told.
 *
 * An engine may keep more pairs than the caller sees: a *near* pair, of boxes that only nearly touch, is present but
 * does not carry PAIR_TOUCHING. The caller sees those with PAIR_TOLD: touching at the last successful report.
 */
#ifndef TACT_BROAD_PAIR_SET_H
#define TACT_BROAD_PAIR_SET_H

#include "broad/broad.h"
#include "core/array.h"
#include "core/hash.h"

enum {
    PAIR_USED = 1,     /* in the table and in the lists of its proxies */
    PAIR_TOUCHING = 2, /* the boxes have a point in common */
    PAIR_TOLD = 4,     /* the caller knows it as a pair */
    PAIR_QUEUED = 8,   /* in the queue of changes */
    PAIR_GONE = 16,    /* dropped, but its slot is still named in the queue or in what was told last */
    PAIR_SEEN = 32     /* met by the search for all pairs that is under way */
};

/* Where a pair stands in the lists of its two proxies, 0 for a and 1 for b. A link is slot << 1 | which end of the
 * pair at that slot belongs to the proxy, or BROAD_NONE. */
typedef struct pair_links {
    uint32_t next[2];
    uint32_t previous[2];
} pair_links;

typedef struct pair_entry {
    uint32_t slot; /* BROAD_NONE: empty */
    uint32_t mark; /* the low half of the pair's hash; its low bits say where it would best be */
} pair_entry;

typedef struct pair_key {
    uint64_t key; /* a << 32 | b */
    uint64_t slot;
} pair_key;

ARRAY_OF(pair_array, broad_pair);
ARRAY_OF(link_array, pair_links);
ARRAY_OF(state_array, uint8_t);
ARRAY_OF(slot_array, uint32_t);
ARRAY_OF(key_array, pair_key);

typedef struct pair_set {
    pair_array pairs;   /* by slot; of an unused one, a is the next unused */
    link_array links;   /* by slot */
    state_array states; /* by slot */
    slot_array queue;   /* room for every slot */
    pair_entry *table;
    size_t table_size; /* a power of two, or 0 */
    size_t used;       /* pairs in the table */
    size_t told;       /* pairs that the caller sees */
    uint32_t unused;   /* the first slot to be used again, or BROAD_NONE */
    slot_array began, ended;
    key_array keys, spare; /* for sorting */
    slot_array list;       /* all told pairs in order, if list_valid */
    bool list_valid;
} pair_set;

void tact_pair_set_release(pair_set *set, const tact_allocator *allocator);

/* The head of each proxy's list is the caller's: heads(proxy). */
typedef struct pair_heads {
    unsigned char *first; /* of proxy 0 */
    size_t stride;
} pair_heads;

static inline uint32_t *pair_head(pair_heads heads, uint32_t proxy)
{
    return (uint32_t *)(void *)(heads.first + heads.stride * proxy);
}

static inline uint32_t pair_other(const pair_set *set, uint32_t link)
{
    const broad_pair *pair = &set->pairs.items[link >> 1];
    return link & 1 ? pair->a : pair->b;
}

/* Puts a slot into the queue, once. */
static inline void pair_queue(pair_set *set, uint32_t slot)
{
    if (!(set->states.items[slot] & PAIR_QUEUED)) {
        set->states.items[slot] |= PAIR_QUEUED;
        set->queue.items[set->queue.count++] = slot;
    }
}

/* Says whether the boxes of a pair touch now. */
static inline void pair_touch(pair_set *set, uint32_t slot, bool touching)
{
    uint8_t state = set->states.items[slot];
    if (((state & PAIR_TOUCHING) != 0) != touching) {
        set->states.items[slot] = state ^ PAIR_TOUCHING;
        pair_queue(set, slot);
    }
}

/* The slot of a pair that is in the table, or BROAD_NONE. */
uint32_t tact_pair_set_find(const pair_set *set, uint32_t one, uint32_t other);

/* Adds a pair that is not there. Returns its slot, BROAD_NONE when memory has run out. */
uint32_t tact_pair_set_add(pair_set *set, const tact_allocator *allocator, pair_heads heads, uint32_t one,
                           uint32_t other, bool touching);

/* Takes a pair out; if the caller knows it, it will be told that it ended. */
void tact_pair_set_drop(pair_set *set, pair_heads heads, uint32_t slot);

/* Frees the slots of pairs that were told to have ended. */
void tact_pair_set_retire(pair_set *set);

/* Makes the lists of what began and ended, and takes the changes as told. On failure the queue stays. `again`: since
 * the last success something failed. */
tact_status tact_pair_set_report(pair_set *set, const tact_allocator *allocator, pair_heads heads, bool again);

/* Makes the list of all told pairs. */
tact_status tact_pair_set_list(pair_set *set, const tact_allocator *allocator);

#endif
