/* What the files of this room share: the inside of a broad, and what an engine does. */
#ifndef TACT_BROAD_BROAD_INTERNAL_H
#define TACT_BROAD_BROAD_INTERNAL_H

#include "broad/broad.h"
#include "broad/dynamic_tree.h"
#include "broad/engine_choice.h"
#include "broad/pair_cache.h"

enum {
    PROXY_ALIVE = 1,       /* there, as the caller sees it */
    PROXY_DIRTY = 2,       /* in the list of those that were told something since the last update */
    PROXY_IN_ENGINE = 4,   /* in the engine's structure */
    PROXY_ESCAPED = 8,     /* tree: its box is not inside its widened box, which is the one in the tree */
    PROXY_FIND_PAIRS = 16, /* its pairs must be searched: it is new, or escaped, or has another filter */
    PROXY_MOVED = 32       /* its box may not be the one of the last update */
};

/* One cache line: what a move and an update of a moving proxy need. */
typedef struct broad_proxy {
    box box;                   /* as last told */
    box fat_box;               /* tree: the widened box, as in the tree; sweep: the box at the last update */
    uint16_t displacement[3];  /* how far the centre went in the last move, as rough floats */
    uint16_t max_displacement; /* the farthest that a bound went in the last move, likewise */
    uint32_t flags;            /* PROXY_, and above them the plan and the moves since it was made */
    uint32_t first_pair; /* the list of its pairs: a link, see pairs.h; of an unused number: the next unused one */
} broad_proxy;

/* The moves that a widened box is planned for, and how many have been made since: 8 bits each of the flags. */
#define PROXY_HORIZON_SHIFT 16
#define PROXY_MOVES_SHIFT 24
#define PROXY_FIRST_HORIZON 8u

/* A float in 16 bits: sign, exponent and seven bits of the fraction, the rest cut off. */
static inline uint16_t bfloat16_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)(bits >> 16);
}

static inline float bfloat16_value(uint16_t rough)
{
    uint32_t bits = (uint32_t)rough << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* End points of intervals on an axis, as words that sort as they should: the bits of the bound, made to sort; then a
 * bit that says upper, so that of equal bounds the lower ends come first (touching is overlap); then the proxy. */
typedef uint64_t sweep_endpoint;

typedef struct sweep_endpoint_slots {
    uint32_t slot[3][2]; /* by axis: where the lower and the upper end stand */
} sweep_endpoint_slots;

ARRAY_OF(broad_proxy_array, broad_proxy);
ARRAY_OF(broad_filter_array, broad_filter);
ARRAY_OF(sweep_endpoint_array, sweep_endpoint);
ARRAY_OF(sweep_slots_array, sweep_endpoint_slots);

typedef struct sweep_engine {
    sweep_endpoint_array endpoints[3];
    sweep_endpoint_array inserted; /* new end points, before they are merged, and room to sort them */
    sweep_slots_array slots;       /* by broad_proxy */
} sweep_engine;

#define FAT_BOX_FIRST_SCALE 0.5f /* of the widest: good where a twentieth of space is filled */

/* How much boxes are widened, see near.c. */
typedef struct fat_box_tuning {
    float scale;        /* of plans and margins, at most 1 */
    double tested;      /* near pairs that were compared and did not touch, since the scale was last looked at */
    double escape_cost; /* nanoseconds that escapes have cost since then, by the model */
    uint32_t updates;   /* since then */
} fat_box_tuning;

/* What AUTO goes by, see broad_choice.c. */
typedef struct broad_choice {
    engine_choice rule;
    double sweep_cost, tree_cost; /* of the updates of this period, nanoseconds by the model */
    uint64_t escaped, swaps;      /* the counters of effort at the last sample */
    size_t turnover;              /* proxies inserted or removed since the last sample */
    uint32_t age;                 /* updates in this period */
} broad_choice;

struct broad {
    tact_allocator allocator;
    broad_engine requested; /* as the caller chose */
    broad_engine engine;    /* at work: SWEEP or TREE */
    broad_proxy_array proxies;
    broad_filter_array filters;
    broad_index_array dirty;   /* proxies that were told something; room for all */
    broad_index_array removed; /* proxies that were removed; room for all */
    size_t taken_out;          /* of these, how many have left the engine already */
    size_t count;              /* proxies alive */
    size_t inserted;           /* of these, how many were inserted since the last update */
    uint32_t free_proxy;       /* the first unused number of those given before, or BROAD_NONE */
    bool pairs_stale;          /* the pairs must be searched anew, all of them */
    bool update_failed;        /* the last update did */
    bool changed;              /* anything since the last successful update? */
    pair_cache pairs;
    dynamic_tree tree;
    fat_box_tuning tuning;
    sweep_engine sweep;
    dynamic_tree pair_finder; /* of the sweep, to find the pairs of what is new */
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

/* Adds a pair unless it is there already; false when memory has run out. */
static inline bool broad_add_pair(broad *b, uint32_t one, uint32_t other)
{
    if (tact_pair_cache_find(&b->pairs, one, other) != BROAD_NONE)
        return true;
    bool touching = box_overlap(&b->proxies.items[one].box, &b->proxies.items[other].box);
    return tact_pair_cache_add(&b->pairs, &b->allocator, broad_pair_heads(b), one, other, touching) != BROAD_NONE;
}

/* ---- the two engines ---- */

/* Room for `n` proxies. */
bool tact_tree_engine_reserve(broad *b, size_t n);
bool tact_sweep_engine_reserve(broad *b, size_t n);

/* Takes over from the other engine; room is there. Proxies and pairs stay. */
void tact_tree_engine_take_over(broad *b);
void tact_sweep_engine_take_over(broad *b);

/* Takes the removed proxies (b->removed from b->detached on) out of the structure; their pairs are gone already. */
void tact_tree_engine_remove(broad *b);
void tact_sweep_engine_remove(broad *b);

/* Brings structure and pairs up to date with the noted proxies. TACT_OUT_OF_MEMORY: to be called again. */
tact_status tact_tree_engine_update(broad *b);
tact_status tact_sweep_engine_update(broad *b);

/* For AUTO: counts what an update has done, of which `turnover` proxies were inserted or removed; then, should the
 * other engine take over? */
void tact_broad_choice_count(broad *b, size_t turnover);
bool tact_broad_choice_decide(broad *b);

#endif
