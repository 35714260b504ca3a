/*
 * The broad phase: which bodies may touch. It holds boxes, each under a number (a *proxy*), and keeps the set of pairs
 * of boxes that have a point in common (boxes are closed: touching counts).
 *
 *     broad *b;
 *     tact_broad_create(allocator, BROAD_AUTO, &b);
 *     tact_broad_insert(b, &box, BROAD_FILTER_ALL, &proxy);
 *     tact_broad_move(b, proxy, &box);                      as often as it moves
 *     tact_broad_update(b, &changes);                       once a frame: which pairs began, which ended
 *     for (i ...) { broad_pair *pair = tact_broad_pair(b, changes.began[i]); pair->word = ...; }
 *     tact_broad_release(b);
 *
 * When items happen. Inserting, moving, removing and changing filters only take note; the set of pairs changes in
 * tact_broad_update and nowhere else. Boxes as last told are what queries see, at any time. The number of a removed
 * proxy is given to another one only after the next successful update, so that an ended pair always names what it did.
 *
 * Pairs. A pair has a place (`slot`) that stays the same while it lives, and there a word of 64 bits that is the
 * caller's own (0 when the pair begins): where the separating axis found last is kept, for instance. A pair of proxies
 * whose filters exclude each other does not exist. What began and what ended is told in the order of (a, b), a < b:
 * with the same calls the same lists come out of every engine. Slots may differ.
 *
 * Engines, to be switched at any time without losing a pair:
 *  BROAD_SWEEP  incremental sweep and prune (sweep.c): exact boxes, sorted end points. An update costs in proportion
 *               to the end points that moving boxes pass: good for few bodies, small steps, or boxes in rows.
 *               Any insertion or removal costs time in proportion to all, however many there are at once.
 *  BROAD_TREE   dynamic tree of widened boxes (volume.c, near.c): an update costs in proportion to what moved, and
 *               hardly depends on how many stand still. Queries cost the logarithm of the number of proxies.
 *  BROAD_AUTO   chooses between the two by a cost model (choice.c) every few updates.
 *
 * Failure. Every call answers with a status; NULL, NaN, an empty box (min > max) or a proxy that is not there is
 * TACT_BAD_ARGUMENT. A call that fails changes nothing, but for tact_broad_update: when that runs out of memory, it may
 * be called again (after other calls, too), and then tells all changes since the last one that succeeded; until then
 * tact_broad_find_pair and tact_broad_next_pair_of may not find a pair that is about to end. Removing and moving never
 * need memory; update needs it only for pairs, more of them than ever before.
 *
 * Bounds must be box floats (see box.h); infinite ones are allowed. One thread at a time, but for functions that take a
 * const broad: any number of those at once.
 */
#ifndef TACT_BROAD_BROAD_H
#define TACT_BROAD_BROAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/allocator.h>
#include <tact/status.h>
#include <tact/vec.h>

#include "bounds/box.h"

typedef struct broad broad;

typedef enum broad_engine { BROAD_AUTO, BROAD_SWEEP, BROAD_TREE } broad_engine;

#define BROAD_NONE UINT32_MAX /* no proxy, no slot */

/* Two proxies may form a pair if each one's category has a bit in the other's mask. */
typedef struct broad_filter {
    uint64_t category;
    uint64_t mask;
} broad_filter;

#define BROAD_FILTER_ALL ((broad_filter){UINT64_MAX, UINT64_MAX})

typedef struct broad_pair {
    uint32_t a, b; /* proxies, a < b: not to be changed */
    uint64_t data; /* the caller's own */
} broad_pair;

/* What an update changed. The lists are slots, in the order of the pairs' (a, b), and last until the next update; so do
 * the pairs that ended, with their words. */
typedef struct broad_changes {
    const uint32_t *began;
    const uint32_t *ended;
    size_t began_count;
    size_t ended_count;
} broad_changes;

/* What it has cost so far, for those who measure. Counts since creation. */
typedef struct broad_counters {
    uint64_t updates;
    uint64_t moved;    /* proxies that update found moved or new */
    uint64_t escaped;  /* tree: of these, how many had left their widened box */
    uint64_t rebuilds; /* tree: updates that built the tree and the pairs anew */
    uint64_t swaps;    /* sweep: end points passed */
    uint64_t switches; /* of engine */
} broad_counters;

/* ---- making ---- */

tact_status tact_broad_create(const tact_allocator *allocator, broad_engine engine, broad **made);
void tact_broad_release(broad *b); /* NULL is allowed */

/* Takes the other engine, or AUTO, from now on. No pair is lost, no slot changes. O(n log n) if the engine changes. */
tact_status tact_broad_set_engine(broad *b, broad_engine engine);
broad_engine tact_broad_get_engine(const broad *b);    /* as asked for */
broad_engine tact_broad_active_engine(const broad *b); /* SWEEP or TREE: what AUTO has chosen */
broad_counters tact_broad_get_counters(const broad *b);

/* ---- proxies ---- */

tact_status tact_broad_insert(broad *b, const box *bounds, broad_filter filter, uint32_t *proxy);

/* Many at once, all or none. `filters` NULL: BROAD_FILTER_ALL. (Inserting one by one is as fast: the work is done by
 * update, for all at once.) */
tact_status tact_broad_insert_many(broad *b, size_t count, const box *bounds, const broad_filter *filters,
                                   uint32_t *proxies);

tact_status tact_broad_remove(broad *b, uint32_t proxy);

/* All or none; a proxy named twice is a bad argument. */
tact_status tact_broad_remove_many(broad *b, size_t count, const uint32_t *proxies);

/* Gives it a new box. Constant time. */
tact_status tact_broad_move(broad *b, uint32_t proxy, const box *bounds);

/* All or none; of a proxy named twice the last box counts. */
tact_status tact_broad_move_many(broad *b, size_t count, const uint32_t *proxies, const box *bounds);

/* Gives it another filter: pairs that it excludes end, pairs that it allows begin, at the next update. */
tact_status tact_broad_set_filter(broad *b, uint32_t proxy, broad_filter filter);

bool tact_broad_has(const broad *b, uint32_t proxy);
size_t tact_broad_count(const broad *b);
box tact_broad_get_box(const broad *b, uint32_t proxy);             /* as last told; of a proxy that is there */
broad_filter tact_broad_get_filter(const broad *b, uint32_t proxy); /* likewise */

/* The numbers that will be given again, in order: the first one after BROAD_NONE, BROAD_NONE at the end. */
uint32_t tact_broad_next_free(const broad *b, uint32_t number);

/* The i-th number removed since the last successful update, BROAD_NONE at the end. */
uint32_t tact_broad_removed(const broad *b, size_t i);

/* ---- pairs ---- */

/* Brings the set of pairs up to date with the boxes and filters. `changes` may be NULL. No allocation unless there are
 * more pairs or changes than ever before. */
tact_status tact_broad_update(broad *b, broad_changes *changes);

/* How many pairs there are, as of the last successful update. */
size_t tact_broad_pair_count(const broad *b);

/* The pair at a slot that an update, tact_broad_find_pair or tact_broad_next_pair gave. The pointer lasts until the
 * next update, the slot while the pair lives. */
broad_pair *tact_broad_pair(broad *b, uint32_t slot);

/* The slot of the pair of two proxies, BROAD_NONE when they are none. Constant time. */
uint32_t tact_broad_find_pair(const broad *b, uint32_t one, uint32_t other);

/* Walks over all pairs, in no order that means anything: the first slot after `slot` that holds one, BROAD_NONE at
 * the end. Begin with tact_broad_next_pair(b, BROAD_NONE). */
uint32_t tact_broad_next_pair(const broad *b, uint32_t slot);

/* Walks over the pairs of one proxy: the first one with `slot` BROAD_NONE. */
uint32_t tact_broad_next_pair_of(const broad *b, uint32_t proxy, uint32_t slot);

/* The slots of all pairs in the order of (a, b), the same for every engine: sorted anew when pairs have begun or ended
 * since the last call. Lasts until the next update. */
tact_status tact_broad_list_pairs(broad *b, const uint32_t **slots, size_t *count);

/* ---- queries: what is there, of the boxes as last told ---- */

/* Called for what is found; false ends the search. */
typedef bool broad_visit(void *context, uint32_t proxy);

/* Called for what is found at `from` (a parameter of the ray or a distance: a bound from below, by less than
 * 3e-15 of it). The answer limits what follows: nothing that is certainly beyond it is found any more; a negative one
 * ends the search. Return `limit` to go on as before. */
typedef double broad_visit_bounded(void *context, uint32_t proxy, double from, double limit);

/* Every proxy whose box has a point in common with `area`, in no order; `filter` as if it were a proxy's. */
tact_status tact_broad_query_box(const broad *b, const box *area, broad_filter filter, broad_visit *visit,
                                 void *context);

/* Every proxy whose box the ray start + t direction meets for some t in [0, limit], near ones first by and large. Never
 * misses one; may give one that the ray passes by a rounding error. `direction` may be zero, `limit` infinite. */
tact_status tact_broad_query_ray(const broad *b, tact_vec3 start, tact_vec3 direction, double limit,
                                 broad_filter filter, broad_visit_bounded *reach, void *context);

/* Every proxy whose box the box of a shape meets while it moves from where it is by t direction, t in [0, limit]. */
tact_status tact_broad_query_cast(const broad *b, const box *moving, tact_vec3 direction, double limit,
                                  broad_filter filter, broad_visit_bounded *reach, void *context);

/* Every proxy whose box is at most `limit` away from `area` (of a point: box_of_point), near ones first by and large.
 */
tact_status tact_broad_query_closest(const broad *b, const box *area, double limit, broad_filter filter,
                                     broad_visit_bounded *reach, void *context);

#endif
