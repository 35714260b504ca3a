/* The data shared by the files of the separation list. */
#ifndef TACT_KINETIC_SEPARATION_INTERNAL_H
#define TACT_KINETIC_SEPARATION_INTERNAL_H

#include "core/array.h"
#include "kinetic/separation_list.h"

typedef enum separation_state {
    SEPARATION_UNUSED,
    SEPARATION_NEW,        /* not examined yet, and in no list */
    SEPARATION_APART,      /* the boxes are apart */
    SEPARATION_OPEN,       /* they overlap, and the pair has children */
    SEPARATION_OVERLAPPING /* they overlap, and belong to items */
} separation_state;

/* Pairs are allocated in blocks of four: the children of a pair are in one. */
#define SEPARATION_BLOCK TREE_WIDTH

/* A pair of bounds. `a` comes from the earlier child of their lowest common ancestor. */
typedef struct bound_pair {
    uint32_t a, b;
    uint32_t parent; /* a pair; KINETIC_NONE if the boxes above are adjacent */
    /* SEPARATION_OPEN: the first child. SEPARATION_OVERLAPPING: its index in `overlaps`. The first unused pair of a
     * free block: the first pair of the next free block. */
    uint32_t link;
    /* neighbours in the lists of a and of b: 2 pair + (0: as a, 1: as b); KINETIC_NONE: none */
    uint32_t next[2], previous[2];
    uint8_t state; /* separation_state */
    uint8_t axis;  /* SEPARATION_APART: the witness: side of a that is beyond the opposite side of b */
    uint8_t dirty; /* is it in `dirty`? */
} bound_pair;

/* A pair of items whose boxes overlap. */
typedef struct item_overlap {
    uint32_t pair, item[2];
    double since;
} item_overlap;

ARRAY_OF(item_overlaps, item_overlap);

/* The list of a bound for pairs that do not depend on a single extreme. */
#define SEPARATION_ANY_SIDE KINETIC_SIDES
#define SEPARATION_LISTS (KINETIC_SIDES + 1)

/* The pairs of a bound. */
typedef struct separation_links {
    /* The first pair: by side, pairs that are apart by a witness axis that depends on this extreme; then the others. */
    uint32_t first[SEPARATION_LISTS];
    /* Has an extreme changed since all overlapping pairs of the bound were examined? Then their certificates may depend
     * on other vertices than the extremes. */
    bool stale;
} separation_links;

struct separation_list {
    kinetic_tree tree;       /* also has the motion and the current time */
    separation_links *links; /* by bound */
    uint32_t *groups;        /* by bound: the group of all items below, if they have one; else 0. NULL: all 0 */
    bound_pair *pairs;
    double *due; /* by pair: when its certificate fails, or an earlier time; pair_capacity of them */
    uint32_t pair_count, pair_capacity; /* multiples of SEPARATION_BLOCK */
    uint32_t free_block;                /* its first pair; KINETIC_NONE: none */
    uint32_t *dirty;                    /* pairs to be examined now; pair_capacity of them */
    uint32_t dirty_count;
    item_overlaps overlaps; /* of the pairs that are SEPARATION_OVERLAPPING, in any order */
    event_queue queue;      /* by pair: those that are due up to the horizon */
    double horizon, horizon_length;
    uint64_t horizon_events; /* events before the horizon was set */
    event_queue jumps;       /* by vertex: when it jumps, or when its pieces are to be examined further */
    separation_certificate certificate;
    double reported; /* overlaps have been visited up to this time */
    separation_counts counts;
    tact_allocator allocator;
};

/* ---- pairs and their links: separation_pairs.c ---- */

/* Allocates a block of unused pairs: its first one, or KINETIC_NONE if memory is out. Pairs may move. Pairs that are
 * not used are removed with the others. */
uint32_t tact_separation_allocate_block(separation_list *list);

/* Removes all pairs below a pair, which is open, and their events. Its state is then not set. */
void tact_separation_remove_children(separation_list *list, uint32_t pair);

/* Sets up an unused pair as a new one, and marks it. */
void tact_separation_add(separation_list *list, uint32_t pair, uint32_t a, uint32_t b, uint32_t parent);

/* Links a pair in its lists, according to its state and witness; removes it from these lists. */
void tact_separation_link(separation_list *list, uint32_t pair);
void tact_separation_unlink(separation_list *list, uint32_t pair);

/* Adds a pair to `overlaps`, which has capacity, or removes it. */
void tact_separation_begin_overlap(separation_list *list, uint32_t pair);
void tact_separation_end_overlap(separation_list *list, uint32_t pair);

/* Sets the time at which a pair is examined next. */
void tact_separation_schedule(separation_list *list, uint32_t pair, double time);

/* Makes sure that all events up to a time are in the queue. */
void tact_separation_extend_horizon(separation_list *list, double time);

/* Marks a pair to be examined now. */
void tact_separation_mark(separation_list *list, uint32_t pair);

/* ---- the first list: separation_start.c ---- */

/* Do two items share a vertex, of those that few enough items have? */
bool tact_separation_adjacent_items(const kinetic_tree *tree, uint32_t a, uint32_t b);

/* Is box `a` of a pair opened, or box b? At least one is a node. */
static inline bool separation_opens_first(const kinetic_tree *tree, uint32_t a, uint32_t b)
{
    return !kinetic_tree_is_item(tree, a) &&
           (kinetic_tree_is_item(tree, b) || tree->bounds[a].level <= tree->bounds[b].level);
}

/* Adds the pairs whose father is adjacent, all new and marked. False if memory is out. */
bool tact_separation_find_roots(separation_list *list);

#endif
