/* The simultaneous touches of a body: see event_ties.h. */
#include "advance/event_ties.h"

#include "core/heap.h"

static inline bool comes_before(const event_ties *t, const tied_event *a, const tied_event *b)
{
    (void)t;
    return a->key < b->key;
}

HEAP_SORT_OF(sort_events, tied_event, const event_ties *, comes_before)

void tact_event_ties_sort(event_ties *t)
{
    sort_events(t, t->events.items, t->events.count);
    t->next = 1;
}

void tact_event_ties_release(event_ties_array *ties, const tact_allocator *allocator)
{
    for (size_t i = 0; i < ties->count; ++i)
        tied_event_array_release(&ties->items[i].events, allocator);
    event_ties_array_release(ties, allocator);
}
