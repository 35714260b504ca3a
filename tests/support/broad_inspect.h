/* What tests and benchmarks ask of a broad phase, and the library does not. */
#ifndef TACT_TEST_BROAD_INSPECT_H
#define TACT_TEST_BROAD_INSPECT_H

#include "broad/broad_internal.h"

static inline bool broad_has(const broad *b, uint32_t proxy)
{
    return proxy < b->proxies.count && b->proxies.items[proxy].flags & PROXY_ALIVE;
}

/* The number of proxies. */
static inline size_t broad_count(const broad *b) { return b->count; }

/* The number of pairs as of the last successful update. */
static inline size_t broad_pair_count(const broad *b) { return b->pairs.reported_count; }

/* Iterates over the pairs of one proxy, in no particular order. Start with BROAD_NONE; BROAD_NONE is the end. After a
 * failed update it may miss a pair that is about to end. */
static inline uint32_t broad_next_pair_of(const broad *b, uint32_t proxy, uint32_t slot)
{
    uint32_t link = b->proxies.items[proxy].first_pair;
    if (slot != BROAD_NONE)
        link = b->pairs.links.items[slot].next[b->pairs.pairs.items[slot].b == proxy];
    while (link != BROAD_NONE && !(b->pairs.states.items[link >> 1] & PAIR_REPORTED))
        link = b->pairs.links.items[link >> 1].next[link & 1];
    return link == BROAD_NONE ? BROAD_NONE : link >> 1;
}

#endif
