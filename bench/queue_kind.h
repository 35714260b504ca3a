/* The event queues of `tact-bench queues`. Each id has at most one event; equal times are ordered by key, then by id.
 */
#ifndef TACT_BENCH_QUEUE_KIND_H
#define TACT_BENCH_QUEUE_KIND_H

#include <stdbool.h>
#include <stdint.h>

#define QUEUE_NONE UINT32_MAX

typedef struct queue_kind {
    const char *name;
    void *(*create)(uint32_t id_count); /* NULL if memory runs out; nothing else can fail */
    void (*release)(void *q);
    void (*set)(void *q, uint32_t id, double time, uint64_t key);
    void (*cancel)(void *q, uint32_t id);
    uint32_t (*first)(void *q); /* QUEUE_NONE: empty */
} queue_kind;

extern const queue_kind tact_queue_quaternary; /* the library's: a 4-ary heap */
extern const queue_kind
    tact_queue_pairing; /* Fredman, Sedgewick, Sleator and Tarjan 1986; used by Coming and Staadt 2006 */
extern const queue_kind tact_queue_fibonacci; /* Fredman and Tarjan 1987 */
extern const queue_kind tact_queue_calendar;  /* Brown 1988, with a heap for the current bucket (Paul 2007) */

/* The event of an id, in the queues made of nodes. */
typedef struct queue_time {
    double time;
    uint64_t key;
} queue_time;

static inline bool queue_before(const queue_time *times, uint32_t a, uint32_t b)
{
    if (times[a].time != times[b].time)
        return times[a].time < times[b].time;
    return times[a].key != times[b].key ? times[a].key < times[b].key : a < b;
}

#endif
