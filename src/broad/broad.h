/*
 * The broad phase: finds the bodies that may touch. It holds axis-aligned boxes, each under an index (a *proxy*), and
 * maintains the set of overlapping pairs. Boxes are closed: boxes that only touch overlap.
 *
 *     broad *b;
 *     tact_broad_create(allocator, BROAD_AUTO, &b);
 *     tact_broad_insert(b, &box, BROAD_FILTER_ALL, &proxy);
 *     tact_broad_move(b, proxy, &box);                      whenever it moves
 *     tact_broad_update(b, &changes);                       once per frame: which pairs began and ended
 *     for (i ...) { broad_pair *pair = tact_broad_pair(b, changes.began[i]); pair->data = ...; }
 *     tact_broad_release(b);
 *
 * Updates. Inserting, moving, removing and changing filters only mark a proxy dirty; the set of pairs changes in
 * tact_broad_update and nowhere else. Queries always see the current boxes. The index of a removed proxy is reused
 * only after the next successful update, so a pair that ended still names the proxies it had.
 *
 * Pairs. A pair has a slot that stays the same while the pair exists, with 64 bits of data for the caller (0 when the
 * pair begins). The world stores the last separating axis there. Two proxies whose filters exclude each other form no
 * pair. Pairs that began and ended are reported in the order of (a, b), a < b: the same calls give the same lists
 * with every engine. Slots may differ.
 *
 * Engines. They may be switched at any time; no pair is lost.
 *  BROAD_SWEEP  incremental sweep and prune (sweep_engine.c): exact boxes, sorted endpoints. An update costs time
 *               proportional to the endpoints that moving boxes pass: good if few bodies move, each by more than
 *               half the longest side of its box, and pass few others (broad_choice.c). An insertion or removal
 *               costs O(n), also for many at once.
 *  BROAD_TREE   dynamic tree of fat boxes (dynamic_tree.c, tree_engine.c): an update costs time proportional to the
 *               moved proxies and hardly depends on the number of still ones. Queries cost O(log n).
 *  BROAD_AUTO   chooses between the two by a cost model (broad_choice.c) every few updates.
 *
 * Failure. Every call returns a status. NULL, NaN, an empty box (min > max) or a proxy that does not exist gives
 * TACT_BAD_ARGUMENT. A call that fails changes nothing, with one exception: an update that runs out of memory may be
 * called again, also after other calls, and then reports all changes since the last success. Until then
 * tact_broad_find_pair may miss a pair that is about to end. Removing and moving need no memory; an update needs memory
 * only for more pairs than ever before.
 *
 * Bounds must be box floats (see box.h); infinite ones are allowed. Threads: functions that take a const broad may run
 * at the same time; all others need exclusive access.
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

/* The changes of an update: slots, in the order of the pairs' (a, b). The lists, and the pairs that ended with their
 * data, are valid until the next update. */
typedef struct broad_changes {
    const uint32_t *began;
    const uint32_t *ended;
    size_t began_count;
    size_t ended_count;
} broad_changes;

/* ---- creation and engine ---- */

tact_status tact_broad_create(const tact_allocator *allocator, broad_engine engine, broad **made);
void tact_broad_release(broad *b); /* NULL is allowed */

/* Sets the engine from now on. No pair is lost, no slot changes. O(n log n) if the engine changes. */
tact_status tact_broad_set_engine(broad *b, broad_engine engine);
broad_engine tact_broad_get_engine(const broad *b);    /* as requested */
broad_engine tact_broad_active_engine(const broad *b); /* SWEEP or TREE: what AUTO has chosen */

/* ---- proxies ---- */

tact_status tact_broad_insert(broad *b, const box *bounds, broad_filter filter, uint32_t *proxy);

/* Inserts many at once, all or none. `filters` NULL: BROAD_FILTER_ALL. (Inserting one by one is as fast: the next
 * update does the work.) */
tact_status tact_broad_insert_many(broad *b, size_t count, const box *bounds, const broad_filter *filters,
                                   uint32_t *proxies);

tact_status tact_broad_remove(broad *b, uint32_t proxy);

/* Sets the box of a proxy. Constant time. */
tact_status tact_broad_move(broad *b, uint32_t proxy, const box *bounds);

/* Sets the filter. At the next update, pairs that it excludes end and pairs that it allows begin. */
tact_status tact_broad_set_filter(broad *b, uint32_t proxy, broad_filter filter);

box tact_broad_get_box(const broad *b, uint32_t proxy);             /* of a proxy that exists */
broad_filter tact_broad_get_filter(const broad *b, uint32_t proxy); /* likewise */

/* Iterates over the free indices, in the order in which they will be reused. Start with BROAD_NONE; BROAD_NONE is the
 * end. */
uint32_t tact_broad_next_free(const broad *b, uint32_t index);

/* The i-th proxy removed since the last successful update, BROAD_NONE at the end. */
uint32_t tact_broad_removed(const broad *b, size_t i);

/* ---- pairs ---- */

/* Updates the set of pairs to the current boxes and filters. `changes` may be NULL. Allocates only if there are more
 * pairs or changes than ever before. */
tact_status tact_broad_update(broad *b, broad_changes *changes);

/* The pair at a slot from an update, tact_broad_find_pair or tact_broad_next_pair. The pointer is valid until the next
 * update, the slot while the pair exists. */
broad_pair *tact_broad_pair(broad *b, uint32_t slot);

/* The slot of the pair of two proxies, BROAD_NONE if they do not overlap. Constant time. */
uint32_t tact_broad_find_pair(const broad *b, uint32_t one, uint32_t other);

/* Iterates over all pairs, in no particular order. Start with BROAD_NONE; BROAD_NONE is the end. */
uint32_t tact_broad_next_pair(const broad *b, uint32_t slot);

/* The slots of all pairs in the order of (a, b), the same for every engine. Sorts only if pairs have begun or ended
 * since the last call. Valid until the next update. */
tact_status tact_broad_list_pairs(broad *b, const uint32_t **slots, size_t *count);

/* ---- queries of the current boxes ---- */

/* Called for each proxy found; false ends the query. */
typedef bool broad_visit(void *context, uint32_t proxy);

/* Called for each proxy found. `from` is a lower bound of the ray parameter or of the distance, by less than 3e-15
 * relative. The result is the new limit: proxies that are certainly beyond it are skipped from then on. A negative
 * result ends the query. Return `limit` to continue unchanged. */
typedef double broad_visit_bounded(void *context, uint32_t proxy, double from, double limit);

/* Visits every proxy whose box overlaps `area`, in no particular order. `filter` acts as the filter of a proxy. */
tact_status tact_broad_query_box(const broad *b, const box *area, broad_filter filter, broad_visit *visit,
                                 void *context);

/* Visits every proxy whose box the ray start + t direction meets for some t in [0, limit], roughly the nearest first.
 * Never misses one; may visit one that the ray misses by a rounding error. `direction` may be zero, `limit` infinite.
 */
tact_status tact_broad_query_ray(const broad *b, tact_vec3 start, tact_vec3 direction, double limit,
                                 broad_filter filter, broad_visit_bounded *visit, void *context);

/* Visits every proxy whose box overlaps `moving` translated by t direction, for some t in [0, limit]. */
tact_status tact_broad_query_cast(const broad *b, const box *moving, tact_vec3 direction, double limit,
                                  broad_filter filter, broad_visit_bounded *visit, void *context);

/* Visits every proxy whose box is within the distance `limit` of `area` (a point: box_of_point), roughly the nearest
 * first. */
tact_status tact_broad_query_closest(const broad *b, const box *area, double limit, broad_filter filter,
                                     broad_visit_bounded *visit, void *context);

#endif
