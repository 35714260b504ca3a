/* A heap with four children a node: half as deep as one with two, and the four are in one line of the cache. */
#include "event/queue.h"

#include "core/aligned_array.h"

#define FAN EVENT_HEAP_ARITY

/* Entries more than there is room for, so that the four children of each node, 4 i + 1 to 4 i + 4, are in one line of
 * the cache. */
#define ASIDE (CACHE_LINE_SIZE / sizeof(event_entry) + FAN - 1)

static bool before(const event_queue *q, const event_entry *a, const event_entry *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    const uint64_t key_a = q->keys[a->id], key_b = q->keys[b->id];
    return key_a != key_b ? key_a < key_b : a->id < b->id;
}

static void put(event_queue *q, uint32_t place, event_entry e)
{
    q->entries[place] = e;
    q->heap_index[e.id] = place;
}

static void rise(event_queue *q, uint32_t place, event_entry e)
{
    while (place > 0) {
        const uint32_t parent = (place - 1) / FAN;
        if (!before(q, &e, &q->entries[parent]))
            break;
        put(q, place, q->entries[parent]);
        place = parent;
    }
    put(q, place, e);
}

/* The first one of four in a row. Without branches but for ties: they would be guessed wrong every other time. */
static uint32_t first_of_four(const event_queue *q, uint32_t first)
{
    const event_entry *e = &q->entries[first];
    const uint32_t a = e[1].time < e[0].time, b = 2u + (e[3].time < e[2].time), least = e[b].time < e[a].time ? b : a;
    const double time = e[least].time;
    if ((e[0].time == time) + (e[1].time == time) + (e[2].time == time) + (e[3].time == time) == 1)
        return first + least;
    uint32_t found = 0;
    for (uint32_t i = 1; i < FAN; ++i)
        if (before(q, &e[i], &e[found]))
            found = i;
    return first + found;
}

static void sink(event_queue *q, uint32_t place, event_entry e)
{
    for (;;) {
        const uint64_t first = (uint64_t)place * FAN + 1;
        if (first >= q->count)
            break;
        const uint64_t below = first * FAN + 1; /* the children of all four: while these are compared, theirs come */
        for (uint32_t i = 0; i < FAN && below + FAN * FAN <= q->count; ++i)
            cache_line_prefetch(&q->entries[below + i * FAN]);
        uint32_t least = (uint32_t)first;
        if (first + FAN <= q->count)
            least = first_of_four(q, least);
        else
            for (uint32_t i = least + 1; i < q->count; ++i)
                if (before(q, &q->entries[i], &q->entries[least]))
                    least = i;
        if (!before(q, &q->entries[least], &e))
            break;
        put(q, place, q->entries[least]);
        place = least;
    }
    put(q, place, e);
}

/* Puts an entry where another one was, or a gap is. */
static void settle(event_queue *q, uint32_t place, event_entry e)
{
    if (place > 0 && before(q, &e, &q->entries[(place - 1) / FAN]))
        rise(q, place, e);
    else
        sink(q, place, e);
}

bool tact_event_queue_reserve(event_queue *q, const tact_allocator *allocator, uint32_t numbers)
{
    if (numbers <= q->capacity)
        return true;
    uint32_t room = q->capacity < UINT32_MAX / 2 ? 2 * q->capacity : UINT32_MAX - 1;
    if (room < numbers)
        room = numbers;
    void *block = tact_memory_allocate(allocator, (size_t)room + ASIDE, sizeof(event_entry));
    uint32_t *places = tact_memory_allocate(allocator, room, sizeof *places);
    uint64_t *keys = tact_memory_allocate(allocator, room, sizeof *keys);
    if (block == NULL || places == NULL || keys == NULL) {
        tact_memory_free(allocator, block, (size_t)room + ASIDE, sizeof(event_entry));
        tact_memory_free(allocator, places, room, sizeof *places);
        tact_memory_free(allocator, keys, room, sizeof *keys);
        return false;
    }
    event_entry *entries = (event_entry *)cache_line_align(block) + (FAN - 1);
    for (uint32_t i = 0; i < q->count; ++i)
        entries[i] = q->entries[i];
    for (uint32_t i = 0; i < room; ++i) {
        places[i] = i < q->capacity ? q->heap_index[i] : EVENT_NOT_QUEUED;
        keys[i] = i < q->capacity ? q->keys[i] : 0;
    }
    const uint32_t count = q->count;
    tact_event_queue_release(q, allocator);
    *q = (event_queue){entries, places, keys, count, room, block};
    return true;
}

void tact_event_queue_release(event_queue *q, const tact_allocator *allocator)
{
    tact_memory_free(allocator, q->block, (size_t)q->capacity + ASIDE, sizeof *q->entries);
    tact_memory_free(allocator, q->heap_index, q->capacity, sizeof *q->heap_index);
    tact_memory_free(allocator, q->keys, q->capacity, sizeof *q->keys);
    *q = (event_queue){0};
}

void tact_event_queue_set(event_queue *q, uint32_t number, double time, uint64_t key)
{
    uint32_t place = q->heap_index[number];
    if (place == EVENT_NOT_QUEUED)
        place = q->count++;
    q->keys[number] = key;
    settle(q, place, (event_entry){time, number});
}

void tact_event_queue_cancel(event_queue *q, uint32_t number)
{
    const uint32_t place = q->heap_index[number];
    if (place == EVENT_NOT_QUEUED)
        return;
    q->heap_index[number] = EVENT_NOT_QUEUED;
    if (place != --q->count)
        settle(q, place, q->entries[q->count]);
}

bool tact_event_queue_check(const event_queue *q)
{
    for (uint32_t i = 0; i < q->count; ++i)
        if (q->heap_index[q->entries[i].id] != i || (i > 0 && before(q, &q->entries[i], &q->entries[(i - 1) / FAN])))
            return false;
    return true;
}
