/* What the files of this room share: the inside of a broad, and what an engine does. */
#ifndef TACT_BROAD_BROAD_INTERNAL_H
#define TACT_BROAD_BROAD_INTERNAL_H

#include "broad/broad.h"
#include "broad/dynamic_tree.h"
#include "broad/engine_choice.h"
#include "broad/pair_set.h"

enum {
    PROXY_ALIVE = 1,   /* there, as the caller sees it */
    PROXY_NOTED = 2,   /* in the list of those that were told something since the last update */
    PROXY_PLACED = 4,  /* in the engine's structure */
    PROXY_ESCAPED = 8, /* tree: its box is not inside its widened box, which is the one in the tree */
    PROXY_ASK = 16,    /* its pairs must be searched: it is new, or escaped, or has another filter */
    PROXY_MOVED = 32   /* its box may not be the one of the last update */
};

/* One cache line: what a move and an update of a moving proxy need. */
typedef struct proxy_line {
    box now;           /* as last told */
    box held;          /* tree: the widened box, as in the tree; sweep: the box at the last update */
    uint16_t drift[3]; /* how far the centre went in the last move, as rough floats */
    uint16_t step;     /* the farthest that a bound went in the last move, likewise */
    uint32_t flags;    /* PROXY_, and above them the plan and the moves since it was made */
    uint32_t pairs;    /* the list of its pairs: a link, see pairs.h; of an unused number: the next unused one */
} proxy_line;

/* The moves that a widened box is planned for, and how many have been made since: 8 bits each of the flags. */
#define PROXY_PLAN_SHIFT 16
#define PROXY_MOVES_SHIFT 24
#define PROXY_FIRST_PLAN 8u

/* A float in 16 bits: sign, exponent and seven bits of the fraction, the rest cut off. */
static inline uint16_t rough_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)(bits >> 16);
}

static inline float rough_value(uint16_t rough)
{
    uint32_t bits = (uint32_t)rough << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* End points of intervals on an axis, as words that sort as they should: the bits of the bound, made to sort; then a
 * bit that says upper, so that of equal bounds the lower ends come first (touching is overlap); then the proxy. */
typedef uint64_t sweep_end;

typedef struct sweep_place {
    uint32_t at[3][2]; /* by axis: where the lower and the upper end stand */
} sweep_place;

ARRAY_OF(proxy_array, proxy_line);
ARRAY_OF(filter_array, broad_filter);
ARRAY_OF(end_array, sweep_end);
ARRAY_OF(place_array, sweep_place);

typedef struct sweep {
    end_array ends[3];
    end_array fresh;    /* new end points, before they are merged, and room to sort them */
    place_array places; /* by proxy_line */
} sweep;

#define NEAR_SCALE_FIRST 0.5f /* of the widest: good where a twentieth of space is filled */

/* How much boxes are widened, see near.c. */
typedef struct near_widths {
    float scale;      /* of plans and margins, at most 1 */
    double compared;  /* near pairs that were compared and did not touch, since the scale was last looked at */
    double escaped;   /* nanoseconds that escapes have cost since then, by the model */
    uint32_t updates; /* since then */
} near_widths;

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
    broad_engine asked;  /* as the caller chose */
    broad_engine engine; /* at work: SWEEP or TREE */
    proxy_array proxies;
    filter_array filters;
    slot_array noted;   /* proxies that were told something; room for all */
    slot_array removed; /* proxies that were removed; room for all */
    size_t detached;    /* of these, how many have left the engine already */
    size_t count;       /* proxies alive */
    size_t fresh;       /* of these, how many were inserted since the last update */
    uint32_t unused;    /* the first unused number of those given before, or BROAD_NONE */
    bool stale;         /* the pairs must be searched anew, all of them */
    bool failed;        /* the last update did */
    bool told;          /* anything since the last successful update? */
    pair_set pairs;
    dynamic_tree tree;
    near_widths widths;
    sweep sweep;
    dynamic_tree scratch; /* of the sweep, to find the pairs of what is new */
    broad_choice choice;
    broad_effort effort;
};

/* The member at `offset` of the first proxy, NULL if there never was one. */
static inline unsigned char *broad_member(const broad *b, size_t offset)
{
    return b->proxies.items != NULL ? (unsigned char *)b->proxies.items + offset : NULL;
}

static inline pair_heads broad_heads(broad *b)
{
    return (pair_heads){broad_member(b, offsetof(proxy_line, pairs)), sizeof(proxy_line)};
}

static inline dynamic_tree_boxes broad_held(const broad *b)
{
    return (dynamic_tree_boxes){broad_member(b, offsetof(proxy_line, held)), sizeof(proxy_line)};
}

static inline dynamic_tree_boxes broad_now(const broad *b)
{
    return (dynamic_tree_boxes){broad_member(b, offsetof(proxy_line, now)), sizeof(proxy_line)};
}

static inline bool filters_allow(broad_filter a, broad_filter b)
{
    return (a.category & b.mask) && (b.category & a.mask);
}

static inline bool broad_allows(const broad *b, uint32_t one, uint32_t other)
{
    return filters_allow(b->filters.items[one], b->filters.items[other]);
}

/* Adds a pair unless it is there already; false when memory has run out. */
static inline bool broad_meet(broad *b, uint32_t one, uint32_t other)
{
    if (tact_pair_set_find(&b->pairs, one, other) != BROAD_NONE)
        return true;
    bool touching = box_overlap(&b->proxies.items[one].now, &b->proxies.items[other].now);
    return tact_pair_set_add(&b->pairs, &b->allocator, broad_heads(b), one, other, touching) != BROAD_NONE;
}

/* ---- the two engines ---- */

/* Room for `n` proxies. */
bool tact_near_reserve(broad *b, size_t n);
bool tact_sweep_reserve(broad *b, size_t n);

/* Takes over from the other engine; room is there. Proxies and pairs stay. */
void tact_near_take_over(broad *b);
void tact_sweep_take_over(broad *b);

/* Takes the removed proxies (b->removed from b->detached on) out of the structure; their pairs are gone already. */
void tact_near_detach(broad *b);
void tact_sweep_detach(broad *b);

/* Brings structure and pairs up to date with the noted proxies. TACT_OUT_OF_MEMORY: to be called again. */
tact_status tact_near_update(broad *b);
tact_status tact_sweep_update(broad *b);

/* For AUTO: counts what an update has done, of which `turnover` proxies were inserted or removed; then, should the
 * other engine take over? */
void tact_broad_choice_count(broad *b, size_t turnover);
bool tact_broad_choice_decide(broad *b);

#endif
