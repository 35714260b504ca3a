#include "pair_count.h"

#include <stdlib.h>

#include "core/hash.h"

/* Slots of the first table; a power of two. */
#define FIRST_CAPACITY 64

static pair_count *slot_of(pair_count *items, size_t capacity, uint32_t a, uint32_t b)
{
    size_t at = (size_t)hash_pair(a, b) & (capacity - 1);
    while (items[at].count > 0 && (items[at].a != a || items[at].b != b))
        at = (at + 1) & (capacity - 1);
    return &items[at];
}

/* Doubles the table, which is at most half full. */
static bool table_grow(pair_counts *counts)
{
    const size_t capacity = counts->capacity ? 2 * counts->capacity : FIRST_CAPACITY;
    pair_count *items = calloc(capacity, sizeof *items);
    if (!items)
        return false;
    for (size_t i = 0; i < counts->capacity; i++)
        if (counts->items[i].count > 0)
            *slot_of(items, capacity, counts->items[i].a, counts->items[i].b) = counts->items[i];
    free(counts->items);
    counts->items = items;
    counts->capacity = capacity;
    return true;
}

bool tact_pair_counts_add(pair_counts *counts, uint32_t a, uint32_t b)
{
    if (2 * (counts->count + 1) > counts->capacity && !table_grow(counts))
        return false;
    pair_count *slot = slot_of(counts->items, counts->capacity, a, b);
    counts->count += slot->count == 0;
    *slot = (pair_count){a, b, slot->count + 1};
    return true;
}

static int by_frequency(const void *one, const void *other)
{
    const pair_count *p = one, *q = other;
    if (p->count != q->count)
        return p->count > q->count ? -1 : 1;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

void tact_pair_counts_sort(pair_counts *counts)
{
    size_t used = 0;
    for (size_t i = 0; i < counts->capacity; i++)
        if (counts->items[i].count > 0)
            counts->items[used++] = counts->items[i];
    if (used > 0)
        qsort(counts->items, used, sizeof *counts->items, by_frequency);
}

void tact_pair_counts_release(pair_counts *counts)
{
    free(counts->items);
    *counts = (pair_counts){NULL, 0, 0};
}
