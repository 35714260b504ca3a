/* A 4-ary heap: half as deep as a binary one, and the four children of an entry are in one cache line. */
#include "event/queue.h"

#include "core/aligned_array.h"

#define ARITY EVENT_HEAP_ARITY

/* Additional entries of the allocation, so that the four children of each entry can be aligned to a cache line. */
#define ALIGNMENT_ENTRIES (CACHE_LINE_SIZE / sizeof(event_entry) + ARITY - 1)

static bool comes_before(const event_queue *q, const event_entry *a, const event_entry *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    const uint64_t key_a = q->keys[a->id], key_b = q->keys[b->id];
    return key_a != key_b ? key_a < key_b : a->id < b->id;
}

static void put(event_queue *q, uint32_t position, event_entry e)
{
    q->entries[position] = e;
    q->heap_index[e.id] = position;
}

static void sift_up(event_queue *q, uint32_t position, event_entry e)
{
    while (position > 0) {
        const uint32_t parent = (position - 1) / ARITY;
        if (!comes_before(q, &e, &q->entries[parent]))
            break;
        put(q, position, q->entries[parent]);
        position = parent;
    }
    put(q, position, e);
}

/* The earliest of four consecutive entries. Without branches except for ties: they would be mispredicted every other
 * time. */
static uint32_t earliest_of_four(const event_queue *q, uint32_t first)
{
    const event_entry *e = &q->entries[first];
    const uint32_t a = e[1].time < e[0].time, b = 2u + (e[3].time < e[2].time),
                   earliest = e[b].time < e[a].time ? b : a;
    const double time = e[earliest].time;
    if ((e[0].time == time) + (e[1].time == time) + (e[2].time == time) + (e[3].time == time) == 1)
        return first + earliest;
    uint32_t found = 0;
    for (uint32_t i = 1; i < ARITY; ++i)
        if (comes_before(q, &e[i], &e[found]))
            found = i;
    return first + found;
}

static void sift_down(event_queue *q, uint32_t position, event_entry e)
{
    for (;;) {
        const uint64_t first = (uint64_t)position * ARITY + 1;
        if (first >= q->count)
            break;
        const uint64_t below = first * ARITY + 1; /* prefetch the grandchildren while the children are compared */
        for (uint32_t i = 0; i < ARITY && below + ARITY * ARITY <= q->count; ++i)
            cache_line_prefetch(&q->entries[below + i * ARITY]);
        uint32_t earliest = (uint32_t)first;
        if (first + ARITY <= q->count)
            earliest = earliest_of_four(q, earliest);
        else
            for (uint32_t i = earliest + 1; i < q->count; ++i)
                if (comes_before(q, &q->entries[i], &q->entries[earliest]))
                    earliest = i;
        if (!comes_before(q, &q->entries[earliest], &e))
            break;
        put(q, position, q->entries[earliest]);
        position = earliest;
    }
    put(q, position, e);
}

/* Puts an entry at a position that holds another entry or none, and restores the heap order. */
static void sift(event_queue *q, uint32_t position, event_entry e)
{
    if (position > 0 && comes_before(q, &e, &q->entries[(position - 1) / ARITY]))
        sift_up(q, position, e);
    else
        sift_down(q, position, e);
}

bool tact_event_queue_reserve(event_queue *q, const tact_allocator *allocator, uint32_t id_count)
{
    if (id_count <= q->capacity)
        return true;
    uint32_t capacity = q->capacity < UINT32_MAX / 2 ? 2 * q->capacity : UINT32_MAX - 1;
    if (capacity < id_count)
        capacity = id_count;
    void *block = tact_memory_allocate(allocator, (size_t)capacity + ALIGNMENT_ENTRIES, sizeof(event_entry));
    uint32_t *heap_index = tact_memory_allocate(allocator, capacity, sizeof *heap_index);
    uint64_t *keys = tact_memory_allocate(allocator, capacity, sizeof *keys);
    if (block == NULL || heap_index == NULL || keys == NULL) {
        tact_memory_free(allocator, block, (size_t)capacity + ALIGNMENT_ENTRIES, sizeof(event_entry));
        tact_memory_free(allocator, heap_index, capacity, sizeof *heap_index);
        tact_memory_free(allocator, keys, capacity, sizeof *keys);
        return false;
    }
    event_entry *entries = (event_entry *)cache_line_align(block) + (ARITY - 1);
    for (uint32_t i = 0; i < q->count; ++i)
        entries[i] = q->entries[i];
    for (uint32_t i = 0; i < capacity; ++i) {
        heap_index[i] = i < q->capacity ? q->heap_index[i] : EVENT_NOT_QUEUED;
        keys[i] = i < q->capacity ? q->keys[i] : 0;
    }
    const uint32_t count = q->count;
    tact_event_queue_release(q, allocator);
    *q = (event_queue){entries, heap_index, keys, count, capacity, block};
    return true;
}

void tact_event_queue_release(event_queue *q, const tact_allocator *allocator)
{
    tact_memory_free(allocator, q->block, (size_t)q->capacity + ALIGNMENT_ENTRIES, sizeof *q->entries);
    tact_memory_free(allocator, q->heap_index, q->capacity, sizeof *q->heap_index);
    tact_memory_free(allocator, q->keys, q->capacity, sizeof *q->keys);
    *q = (event_queue){0};
}

void tact_event_queue_set(event_queue *q, uint32_t id, double time, uint64_t key)
{
    uint32_t position = q->heap_index[id];
    if (position == EVENT_NOT_QUEUED)
        position = q->count++;
    q->keys[id] = key;
    sift(q, position, (event_entry){time, id});
}

void tact_event_queue_cancel(event_queue *q, uint32_t id)
{
    const uint32_t position = q->heap_index[id];
    if (position == EVENT_NOT_QUEUED)
        return;
    q->heap_index[id] = EVENT_NOT_QUEUED;
    if (position != --q->count)
        sift(q, position, q->entries[q->count]);
}
