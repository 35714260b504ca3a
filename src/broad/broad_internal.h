/* What the files of the broad phase share: its state, and the interface of an engine. */
#ifndef TACT_BROAD_BROAD_INTERNAL_H
#define TACT_BROAD_BROAD_INTERNAL_H

#include "broad/broad.h"
#include "broad/broad_constants.h"
#include "broad/dynamic_tree.h"
#include "broad/engine_choice.h"
#include "broad/pair_cache.h"

enum {
    PROXY_ALIVE = 1,       /* inserted and not removed */
    PROXY_DIRTY = 2,       /* changed since the last update: in the list `dirty` */
    PROXY_IN_ENGINE = 4,   /* in the structure of the engine */
    PROXY_ESCAPED = 8,     /* tree: its box is not inside its fat box, or it is not in the tree yet */
    PROXY_FIND_PAIRS = 16, /* its pairs must be searched: it is new, has escaped or has a new filter */
    PROXY_MOVED = 32       /* its box may differ from that of the last update */
};

/* One cache line: all that a move and an update of a moving proxy need. */
typedef struct broad_proxy {
    box box;                   /* the current box */
    box fat_box;               /* tree: the box in the tree; sweep: the box at the last update */
    uint16_t displacement[3];  /* of the centre in the last move, as bfloat16 */
    uint16_t max_displacement; /* the largest displacement of a bound in the last move, likewise */
    uint32_t flags;            /* PROXY_, and above them the horizon and the moves since the fat box was made */
    uint32_t first_pair;       /* the list of its pairs: a link, see pair_cache.h; of a free index: the next free one */
} broad_proxy;

/* The horizon (moves that a fat box is made for) and the moves made since then: 8 bits each of the flags. */
#define PROXY_HORIZON_SHIFT 16
#define PROXY_MOVES_SHIFT 24

/* bfloat16: sign, exponent and seven bits of the fraction of a float, truncated. */
static inline uint16_t bfloat16_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)(bits >> 16);
}

static inline float bfloat16_value(uint16_t high)
{
    uint32_t bits = (uint32_t)high << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* An endpoint of the interval of a box on an axis, as an integer that sorts like it. The high half has the bits of the
 * bound, mapped so that they sort like the float. Then comes a bit that is set for an upper endpoint, so that of equal
 * bounds the lower endpoints come first (overlap is overlap); then the proxy. */
typedef uint64_t sweep_endpoint;

typedef struct sweep_endpoint_slots {
    uint32_t slot[3][2]; /* by axis: the positions of the lower and the upper endpoint */
} sweep_endpoint_slots;

ARRAY_OF(broad_proxy_array, broad_proxy);
ARRAY_OF(broad_filter_array, broad_filter);
ARRAY_OF(sweep_endpoint_array, sweep_endpoint);
ARRAY_OF(sweep_slots_array, sweep_endpoint_slots);

typedef struct sweep_engine {
    sweep_endpoint_array endpoints[3];
    sweep_endpoint_array inserted; /* new endpoints before they are merged, and scratch to sort them */
    sweep_slots_array slots;       /* by proxy */
} sweep_engine;

/* The size of fat boxes, see tree_engine.c. */
typedef struct fat_box_tuning {
    float scale;        /* of horizons and margins, at most 1 */
    double tested;      /* near pairs tested that do not overlap, since the scale was last tuned */
    double escape_cost; /* nanoseconds spent on escapes since then, by the model */
    uint32_t updates;   /* since then */
} fat_box_tuning;

/* The state of BROAD_AUTO, see broad_choice.c. */
typedef struct broad_choice {
    engine_choice rule;
    double sweep_cost, tree_cost; /* of the updates of this period, nanoseconds by the model */
    uint64_t escaped, swaps;      /* the counters at the last sample */
    size_t turnover;              /* proxies inserted or removed since the last sample */
    uint32_t age;                 /* updates in this period */
} broad_choice;

/* Operations since creation. The cost model of BROAD_AUTO uses `escaped` and `swaps`; tests read all, to see which
 * mechanisms were used. */
typedef struct broad_counters {
    uint64_t escaped;  /* tree: moved proxies that had left their fat box */
    uint64_t rebuilds; /* tree: updates that rebuilt the tree and searched all pairs */
    uint64_t swaps;    /* sweep: endpoints passed */
    uint64_t switches; /* changes of engine */
} broad_counters;

struct broad {
    tact_allocator allocator;
    broad_engine requested; /* as the caller set it */
    broad_engine engine;    /* the active one: SWEEP or TREE */
    broad_proxy_array proxies;
    broad_filter_array filters;
    broad_index_array dirty;   /* proxies changed since the last update; capacity for all */
    broad_index_array removed; /* proxies removed since the last update; capacity for all */
    size_t detached;           /* of these, how many have left the engine already */
    size_t count;              /* proxies alive */
    size_t inserted;           /* of these, how many were inserted since the last update */
    uint32_t free_proxy;       /* the first free index, or BROAD_NONE */
    bool pairs_stale;          /* all pairs must be searched again */
    bool update_failed;        /* the last update failed */
    bool changed;              /* there are changes since the last successful update */
    pair_cache pairs;
    dynamic_tree tree;
    fat_box_tuning tuning;
    sweep_engine sweep;
    dynamic_tree pair_finder; /* of the sweep: finds the pairs of inserted proxies */
    broad_choice choice;
    broad_counters counters;
};

/* The member at `offset` of the first proxy, NULL if there never was one. */
static inline unsigned char *broad_member(const broad *b, size_t offset)
{
    return b->proxies.items != NULL ? (unsigned char *)b->proxies.items + offset : NULL;
}

static inline pair_cache_heads broad_pair_heads(broad *b)
{
    return (pair_cache_heads){broad_member(b, offsetof(broad_proxy, first_pair)), sizeof(broad_proxy)};
}

static inline dynamic_tree_boxes broad_fat_boxes(const broad *b)
{
    return (dynamic_tree_boxes){broad_member(b, offsetof(broad_proxy, fat_box)), sizeof(broad_proxy)};
}

static inline dynamic_tree_boxes broad_boxes(const broad *b)
{
    return (dynamic_tree_boxes){broad_member(b, offsetof(broad_proxy, box)), sizeof(broad_proxy)};
}

static inline bool broad_filters_allow(broad_filter a, broad_filter b)
{
    return (a.category & b.mask) && (b.category & a.mask);
}

static inline bool broad_pair_allowed(const broad *b, uint32_t one, uint32_t other)
{
    return broad_filters_allow(b->filters.items[one], b->filters.items[other]);
}

/* Adds a pair unless it is cached already; false: out of memory. */
static inline bool broad_add_pair(broad *b, uint32_t one, uint32_t other)
{
    if (tact_pair_cache_find(&b->pairs, one, other) != BROAD_NONE)
        return true;
    bool overlap = box_overlap(&b->proxies.items[one].box, &b->proxies.items[other].box);
    return tact_pair_cache_add(&b->pairs, &b->allocator, broad_pair_heads(b), one, other, overlap) != BROAD_NONE;
}

/* ---- the two engines ---- */

/* Reserves capacity for `n` proxies; false: out of memory. */
bool tact_tree_engine_reserve(broad *b, size_t n);
bool tact_sweep_engine_reserve(broad *b, size_t n);

/* Takes over from the other engine; capacity is reserved. Proxies and pairs stay. */
void tact_tree_engine_take_over(broad *b);
void tact_sweep_engine_take_over(broad *b);

/* Removes the proxies b->removed[b->detached ...] from the structure of the engine. Their pairs are not touched. */
void tact_tree_engine_remove(broad *b);
void tact_sweep_engine_remove(broad *b);

/* Updates structure and pairs to the dirty proxies. TACT_OUT_OF_MEMORY: call it again. */
tact_status tact_tree_engine_update(broad *b);
tact_status tact_sweep_engine_update(broad *b);

/* For BROAD_AUTO: adds the costs of an update in which `turnover` proxies were inserted or removed; then decides
 * whether the other engine should take over. */
void tact_broad_choice_count(broad *b, size_t turnover);
bool tact_broad_choice_decide(broad *b);

#endif
