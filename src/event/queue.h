/*
 * The event queue: an indexed priority queue of events by time.
 *
 * An event has an id and at most one time, which can be set, changed and cancelled at any moment. Times are finite; an
 * event that never happens is not in the queue. Equal times are ordered by key, then by id. Keys are names of events
 * that do not depend on how the ids were assigned, so that the order is deterministic.
 *
 *     event_queue q = {0};
 *     tact_event_queue_reserve(&q, allocator, 100)           ids 0 to 99: the calls below cannot fail
 *     tact_event_queue_set(&q, 7, 1.5, key);                 event 7 happens at 1.5, whatever its time was before
 *     tact_event_queue_cancel(&q, 7);
 *     if (q.count > 0) { q.entries[0].time, q.entries[0].id: the next event }
 *
 * A 4-ary heap with the heap position of each id. O(log n) per call.
 */
#ifndef TACT_EVENT_QUEUE_H
#define TACT_EVENT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include <tact/allocator.h>

typedef struct event_entry {
    double time;
    uint32_t id;
} event_entry;

/* Children of a heap entry: those of entry i are 4 i + 1 to 4 i + 4. Four of them fill a cache line. Performance only.
 */
#define EVENT_HEAP_ARITY 4u

typedef struct event_queue {
    event_entry *entries; /* the heap */
    uint32_t *heap_index; /* by id: its position in the heap, or EVENT_NOT_QUEUED */
    uint64_t *keys;       /* by id: the order of events with equal times; valid for queued events */
    uint32_t count;       /* queued events */
    uint32_t capacity;    /* number of ids */
    void *block;          /* the allocation that contains the heap */
} event_queue;

#define EVENT_NOT_QUEUED UINT32_MAX

/* Reserves capacity for the ids below `id_count`, which is not UINT32_MAX. On failure returns false and changes
 * nothing.
 */
bool tact_event_queue_reserve(event_queue *q, const tact_allocator *allocator, uint32_t id_count);
void tact_event_queue_release(event_queue *q, const tact_allocator *allocator);

void tact_event_queue_set(event_queue *q, uint32_t id, double time, uint64_t key);
void tact_event_queue_cancel(event_queue *q, uint32_t id); /* no effect if it is not queued */

static inline bool event_queue_has(const event_queue *q, uint32_t id) { return q->heap_index[id] != EVENT_NOT_QUEUED; }

#endif
