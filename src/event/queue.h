/*
 * The event queue: which of many numbered things happens first.
 *
 * Each number has at most one time; it can be set, changed and taken back at any moment. Times are finite; what never
 * happens is not in the queue. Equal times come in the order of their keys (what the numbers stand for: names that do
 * not depend on how the numbers were given), and these in the order of the numbers.
 *
 *     event_queue q = {0};
 *     tact_event_queue_reserve(&q, allocator, 100)          room for the numbers 0 to 99: nothing below can fail
 *     tact_event_queue_set(&q, 7, 1.5, key);                 7 happens at 1.5, whatever was said before
 *     tact_event_queue_cancel(&q, 7);
 *     if (q.count > 0) { q.entries[0].time, q.entries[0].number: the first }
 *
 * A heap of four children a node, with the place of each number. O(log n) for each call.
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

#define EVENT_HEAP_ARITY 4u /* those below entry i are 4 i + 1 to 4 i + 4 */

typedef struct event_queue {
    event_entry *entries; /* the heap */
    uint32_t *heap_index; /* by number: where it is in the heap; EVENT_NOT_QUEUED: nowhere */
    uint64_t *keys;       /* by number, of those in the heap */
    uint32_t count;       /* in the heap */
    uint32_t capacity;    /* numbers */
    void *block;          /* where the heap is in */
} event_queue;

#define EVENT_NOT_QUEUED UINT32_MAX

/* Room for numbers below `numbers`, which is not UINT32_MAX. On failure nothing has changed. */
bool tact_event_queue_reserve(event_queue *q, const tact_allocator *allocator, uint32_t numbers);
void tact_event_queue_release(event_queue *q, const tact_allocator *allocator);

void tact_event_queue_set(event_queue *q, uint32_t number, double time, uint64_t key);
void tact_event_queue_cancel(event_queue *q, uint32_t number); /* nothing happens if it is not there */

static inline bool event_queue_has(const event_queue *q, uint32_t number)
{
    return q->heap_index[number] != EVENT_NOT_QUEUED;
}

/* For tests: is the heap one? */
bool tact_event_queue_check(const event_queue *q);

#endif
