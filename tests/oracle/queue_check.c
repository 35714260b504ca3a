#include "oracle/queue_check.h"

static bool comes_before(const event_queue *q, const event_entry *a, const event_entry *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if (q->keys[a->id] != q->keys[b->id])
        return q->keys[a->id] < q->keys[b->id];
    return a->id < b->id;
}

bool tact_event_queue_check(const event_queue *q)
{
    for (uint32_t i = 0; i < q->count; ++i)
        if (q->heap_index[q->entries[i].id] != i ||
            (i > 0 && comes_before(q, &q->entries[i], &q->entries[(i - 1) / EVENT_HEAP_ARITY])))
            return false;
    return true;
}
