/* The operations of a world, or of a separation list, on its event queue in a real run, recorded to be replayed on
 * other queues. */
#ifndef TACT_BENCH_QUEUE_STREAM_H
#define TACT_BENCH_QUEUE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/world.h>

typedef enum queue_operation { QUEUE_SET, QUEUE_CANCEL, QUEUE_FIRST } queue_operation;

typedef struct queue_step {
    double time;
    uint64_t key;
    uint32_t id; /* QUEUE_FIRST: the result; QUEUE_NONE: the queue is empty */
    queue_operation operation;
} queue_step;

typedef struct queue_stream {
    queue_step *steps;
    size_t count, capacity;
    size_t fill_count; /* the first steps, which fill the queue */
    uint32_t id_count; /* all ids are smaller */
    double mean_size;  /* mean number of events in the queue */
} queue_stream;

/* Runs a world with elastic bounces for `events` events. `of_sweep`: records the queue of the kinetic sweep and prune;
 * else that of the bodies. Returns false if memory runs out or the world fails. */
bool tact_queue_stream_record(queue_stream *s, tact_world *world, bool of_sweep, long events);

/* Which events of a separation list are in the queue. */
typedef enum list_queue { LIST_NEXT_EVENTS, LIST_ALL_EVENTS } list_queue;

/* Advances a kinetic separation list (kinetic/separation_list.h) of a swirling cloth of 2 x cells x cells triangles for
 * `events` times at which pairs of boxes have events. LIST_NEXT_EVENTS: as our queue, which has those up to a horizon.
 * LIST_ALL_EVENTS: as that of Weller and Zachmann 2006, with an event for each pair that has one. */
bool tact_queue_stream_record_list(queue_stream *s, int cells, list_queue which, long events);
void tact_queue_stream_release(queue_stream *s);

#endif
