/* The library's event queue in `tact-bench queues`. */
#include <stdlib.h>

#include "event/queue.h"
#include "queue_kind.h"

static const tact_allocator default_allocator = {0};

static void release(void *q)
{
    tact_event_queue_release(q, &default_allocator);
    free(q);
}

static void *create(uint32_t id_count)
{
    event_queue *q = calloc(1, sizeof *q);
    if (q && !tact_event_queue_reserve(q, &default_allocator, id_count)) {
        free(q);
        return NULL;
    }
    return q;
}

static void set(void *q, uint32_t id, double time, uint64_t key) { tact_event_queue_set(q, id, time, key); }

static void cancel(void *q, uint32_t id) { tact_event_queue_cancel(q, id); }

static uint32_t first(void *q)
{
    const event_queue *e = q;
    return e->count > 0 ? e->entries[0].id : QUEUE_NONE;
}

const queue_kind tact_queue_quaternary = {"4-ary heap", create, release, set, cancel, first};
