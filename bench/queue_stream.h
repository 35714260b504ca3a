/* What a world asks of its event queue in a real run: written down, to be done again by other queues. */
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
    uint32_t id; /* QUEUE_FIRST: what the answer was; QUEUE_NONE: nothing */
    queue_operation operation;
} queue_step;

typedef struct queue_stream {
    queue_step *steps;
    size_t count, capacity;
    size_t fill_count; /* the steps before this one fill it */
    uint32_t id_count; /* all are below */
    double mean_size;  /* the mean of how many there were in it */
} queue_stream;

/* Runs a world, which bounces elastically, for so many events of its own. `of_sweep`: the queue of the sorted lists, by
 * which it is to find pairs; else that of the bodies. False: no memory, or the world fails. */
bool tact_queue_stream_record(queue_stream *s, tact_world *world, bool of_sweep, long events);
void tact_queue_stream_release(queue_stream *s);

#endif
