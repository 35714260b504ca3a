/*
 * Kinetic sweep and prune (Coming and Staadt 2006, "Kinetic sweep and prune for multi-body continuous motion"): boxes
 * whose bounds are quadratic functions of time, and the pairs that overlap, from event to event.
 *
 * The endpoints of all boxes are sorted along each axis. Each two adjacent endpoints have a certificate: the time at
 * which they swap. Only a swap changes anything. If a lower endpoint moves before an upper one, an overlap along this
 * axis begins; if an upper one moves before a lower one, it ends. Boxes that overlap along all axes are a pair.
 *
 *     kinetic_sweep s = {.began = ..., .ended = ..., .context = ...};      called for pairs, during the calls below
 *     tact_kinetic_sweep_reserve(&s, allocator, n)           capacity for the items 0 to n - 1: nothing else can fail
 *     tact_kinetic_sweep_insert(&s, items, count)            many at once: O(n + k log k) for k items
 *     tact_kinetic_sweep_report(&s, items, count)            reports their pairs as begun
 *     tact_kinetic_sweep_set_box(&s, item, &box)             the motion of an item from s.time on
 *     tact_kinetic_sweep_next(&s)                            the time of the next swap; INFINITY: never
 *     tact_kinetic_sweep_step(&s)                            the next swap
 *     s.time = time                                          moves on, once all swaps up to that time are made
 *
 * Rounding. The sorted order defines the overlaps. It is consistent at all times, and right except for endpoints within
 * rounding error of each other. Two endpoints swap at the computed time. Their velocities, or else accelerations,
 * decide the new order, so rounding cannot swap them back. A pair begins or ends within rounding error of its exact
 * time. A caller that must not miss a pair enlarges the boxes by more than that. Swaps at the same time happen in the
 * order of (axis, item, side).
 */
#ifndef TACT_BROAD_KINETIC_SWEEP_H
#define TACT_BROAD_KINETIC_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/allocator.h>

#include "broad/broad.h"
#include "core/array.h"
#include "event/queue.h"

/* x + v (t - since) + a (t - since)^2 / 2 */
typedef struct kinetic_endpoint {
    double x, v, a;
} kinetic_endpoint;

typedef struct kinetic_box {
    double since; /* a time, not in the future */
    /* along each axis the lower and the upper endpoint; the lower one is never above the upper one */
    kinetic_endpoint endpoints[3][2];
} kinetic_box;

ARRAY_OF(kinetic_box_array, kinetic_box);
ARRAY_OF(kinetic_filter_array, broad_filter);
ARRAY_OF(kinetic_index_array, uint32_t);

typedef struct kinetic_sweep {
    kinetic_box_array boxes;      /* by item */
    kinetic_filter_array filters; /* likewise */
    kinetic_index_array order[3]; /* endpoints in order: item << 1 | side */
    kinetic_index_array ranks[3]; /* by endpoint: its index in the order; BROAD_NONE: absent */
    kinetic_index_array scratch;  /* for sorting and sweeping */
    event_queue queue;            /* certificates, 3 * endpoint + axis: when it swaps with its successor */
    double time;
    uint64_t swaps; /* so far, by the passage of time */
    void (*began)(void *context, uint32_t one, uint32_t other);
    void (*ended)(void *context, uint32_t one, uint32_t other);
    void *context; /* argument of both */
} kinetic_sweep;

void tact_kinetic_sweep_release(kinetic_sweep *s, const tact_allocator *allocator);

/* Reserves capacity for the items 0 to `items` - 1, at most KINETIC_SWEEP_MAX_BOXES. False: out of memory, nothing has
 * changed. */
bool tact_kinetic_sweep_reserve(kinetic_sweep *s, const tact_allocator *allocator, uint32_t items);

static inline bool kinetic_sweep_has(const kinetic_sweep *s, uint32_t item)
{
    return item < s->boxes.count && s->ranks[0].items[2 * item] != BROAD_NONE;
}

/* Inserts absent items, each once, whose boxes and filters the caller has written to s->boxes and s->filters. Their
 * pairs begin with tact_kinetic_sweep_report. */
void tact_kinetic_sweep_insert(kinetic_sweep *s, const uint32_t *items, size_t count);

/* Reports as begun all pairs with at least one of these items, to be called after they are inserted. Changes nothing,
 * so it may be called twice: first to count the pairs, then to store them. O(n) plus the overlaps along x. */
void tact_kinetic_sweep_report(kinetic_sweep *s, const uint32_t *items, size_t count);

/* Sets the box and motion of an item from now on. The cost is proportional to the endpoints it passes. */
void tact_kinetic_sweep_set_box(kinetic_sweep *s, uint32_t item, const kinetic_box *b);

/* Sets the filter of an item. O(n). */
void tact_kinetic_sweep_set_filter(kinetic_sweep *s, uint32_t item, broad_filter filter);

/* Removes an item; its pairs end. O(n). */
void tact_kinetic_sweep_remove(kinetic_sweep *s, uint32_t item);

/* Removes all items; reports nothing. */
void tact_kinetic_sweep_clear(kinetic_sweep *s);

/* The time of the next swap; INFINITY: never. */
double tact_kinetic_sweep_next(const kinetic_sweep *s);

/* Whether a pair begins with the next swap, and which. */
bool tact_kinetic_sweep_next_begins(const kinetic_sweep *s, uint32_t *one, uint32_t *other);

/* Makes the next swap; there is one. Sets the time to that of the swap, unless that is in the past. */
void tact_kinetic_sweep_step(kinetic_sweep *s);

/* Whether two items overlap, by the order of endpoints. */
bool tact_kinetic_sweep_overlap(const kinetic_sweep *s, uint32_t one, uint32_t other);

/* Whether their filters allow a pair. */
bool tact_kinetic_sweep_allows(const kinetic_sweep *s, uint32_t one, uint32_t other);

/* For two items that overlap at `time`: how long the overlap lasts, up to rounding. INFINITY: for ever. */
double tact_kinetic_sweep_overlap_duration(const kinetic_sweep *s, uint32_t one, uint32_t other, double time);

#endif
