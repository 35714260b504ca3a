#include "pair_count.h"

#include <stdlib.h>

#include "core/hash.h"

/* Pairs that there is room for at first; a power of two. */
#define ROOM_FIRST 64

static pair_count *slot_of(pair_count *items, size_t room, uint32_t a, uint32_t b)
{
    size_t at = (size_t)hash_pair(a, b) & (room - 1);
    while (items[at].count > 0 && (items[at].a != a || items[at].b != b))
        at = (at + 1) & (room - 1);
    return &items[at];
}

/* Twice the room: never more than half of it is used. */
static bool grow(pair_counts *counts)
{
    const size_t room = counts->room ? 2 * counts->room : ROOM_FIRST;
    pair_count *items = calloc(room, sizeof *items);
    if (!items)
        return false;
    for (size_t i = 0; i < counts->room; i++)
        if (counts->items[i].count > 0)
            *slot_of(items, room, counts->items[i].a, counts->items[i].b) = counts->items[i];
    free(counts->items);
    counts->items = items;
    counts->room = room;
    return true;
}

bool tact_pair_counts_add(pair_counts *counts, uint32_t a, uint32_t b)
{
    if (2 * (counts->count + 1) > counts->room && !grow(counts))
        return false;
    pair_count *slot = slot_of(counts->items, counts->room, a, b);
    counts->count += slot->count == 0;
    *slot = (pair_count){a, b, slot->count + 1};
    return true;
}

static int compare(const void *one, const void *other)
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
    size_t kept = 0;
    for (size_t i = 0; i < counts->room; i++)
        if (counts->items[i].count > 0)
            counts->items[kept++] = counts->items[i];
    if (kept > 0)
        qsort(counts->items, kept, sizeof *counts->items, compare);
}

void tact_pair_counts_release(pair_counts *counts)
{
    free(counts->items);
    *counts = (pair_counts){NULL, 0, 0};
}
