/*
 * A calendar queue: buckets of equal lengths of time, as unsorted lists, cover the near future; later events are in an
 * overflow list. Only the current bucket and earlier events are sorted, in a small heap. After the last bucket, the
 * overflow list is distributed to new buckets. Their length is the time that EVENTS_PER_BUCKET events took recently.
 */
#include <math.h>
#include <stdlib.h>

#include "event/queue.h"
#include "queue_kind.h"

#define EVENTS_PER_BUCKET 2.0 /* target size of a bucket */

enum { HEAP = -1, ABSENT = -2 };

typedef struct calendar_link {
    uint32_t left, right;
    int32_t bucket; /* or HEAP or ABSENT; `count`: the overflow list */
} calendar_link;

typedef struct calendar {
    queue_time *times;
    calendar_link *links;
    uint32_t *buckets; /* first id of each bucket, then of the overflow list */
    event_queue heap;
    int32_t count, current;
    uint32_t beyond; /* length of the overflow list */
    double base, width;
    double events_since; /* events since the last redistribution */
} calendar;

static const tact_allocator default_allocator = {0};

static void release(void *q)
{
    calendar *c = q;
    tact_event_queue_release(&c->heap, &default_allocator);
    free(c->times);
    free(c->links);
    free(c->buckets);
    free(c);
}

static void *create(uint32_t id_count)
{
    calendar *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->count = (int32_t)(id_count > 16 ? id_count : 16);
    c->times = malloc(id_count * sizeof *c->times);
    c->links = malloc(id_count * sizeof *c->links);
    c->buckets = malloc(((size_t)c->count + 1) * sizeof *c->buckets);
    if (!c->times || !c->links || !c->buckets || !tact_event_queue_reserve(&c->heap, &default_allocator, id_count)) {
        release(c);
        return NULL;
    }
    for (uint32_t i = 0; i < id_count; i++)
        c->links[i].bucket = ABSENT;
    for (int32_t i = 0; i <= c->count; i++)
        c->buckets[i] = QUEUE_NONE;
    c->current = c->count - 1; /* all events go to the overflow list first */
    c->base = -INFINITY;
    return c;
}

static void insert(calendar *c, uint32_t i)
{
    const double position = (c->times[i].time - c->base) / c->width;
    const int32_t bucket = position < (double)c->count ? (int32_t)fmax(position, 0.0) : c->count;
    calendar_link *l = &c->links[i];
    if (bucket <= c->current && bucket < c->count) {
        l->bucket = HEAP;
        tact_event_queue_set(&c->heap, i, c->times[i].time, c->times[i].key);
        return;
    }
    c->beyond += bucket == c->count;
    *l = (calendar_link){QUEUE_NONE, c->buckets[bucket], bucket};
    if (l->right != QUEUE_NONE)
        c->links[l->right].left = i;
    c->buckets[bucket] = i;
}

static void cancel(void *q, uint32_t id)
{
    calendar *c = q;
    calendar_link *l = &c->links[id];
    if (l->bucket == HEAP) {
        tact_event_queue_cancel(&c->heap, id);
    } else if (l->bucket >= 0) {
        c->beyond -= l->bucket == c->count;
        if (l->left != QUEUE_NONE)
            c->links[l->left].right = l->right;
        else
            c->buckets[l->bucket] = l->right;
        if (l->right != QUEUE_NONE)
            c->links[l->right].left = l->left;
    }
    l->bucket = ABSENT;
}

static void set(void *q, uint32_t id, double time, uint64_t key)
{
    calendar *c = q;
    cancel(c, id);
    c->times[id] = (queue_time){time, key};
    if (!(c->width > 0.0)) { /* no redistribution yet */
        c->links[id] = (calendar_link){QUEUE_NONE, c->buckets[c->count], c->count};
        if (c->buckets[c->count] != QUEUE_NONE)
            c->links[c->buckets[c->count]].left = id;
        c->buckets[c->count] = id;
        c->beyond += 1;
        return;
    }
    insert(c, id);
}

/* Starts new buckets at the earliest time of the overflow list. */
static void redistribute(calendar *c)
{
    double least = INFINITY, sum = 0.0;
    for (uint32_t i = c->buckets[c->count]; i != QUEUE_NONE; i = c->links[i].right) {
        least = fmin(least, c->times[i].time);
        sum += c->times[i].time;
    }
    const double mean = sum / c->beyond - least, elapsed = least - c->base;
    c->width = c->events_since > 16.0 && elapsed < INFINITY ? EVENTS_PER_BUCKET * elapsed / c->events_since
                                                            : EVENTS_PER_BUCKET * mean / c->beyond;
    c->width = fmax(c->width, 1e-12 * fabs(least)); /* above the rounding error of times */
    if (!(c->width > 0.0))
        c->width = 1.0;
    c->base = least;
    c->current = 0;
    c->events_since = 0.0;
    uint32_t i = c->buckets[c->count];
    c->buckets[c->count] = QUEUE_NONE;
    c->beyond = 0;
    while (i != QUEUE_NONE) {
        const uint32_t next = c->links[i].right;
        insert(c, i);
        i = next;
    }
}

static uint32_t first(void *q)
{
    calendar *c = q;
    while (c->heap.count == 0) {
        while (c->current < c->count && c->buckets[c->current] == QUEUE_NONE)
            ++c->current;
        if (c->current >= c->count) {
            if (c->beyond == 0) {
                c->current = c->count - 1;
                return QUEUE_NONE;
            }
            redistribute(c);
            continue;
        }
        uint32_t i = c->buckets[c->current];
        c->buckets[c->current] = QUEUE_NONE;
        while (i != QUEUE_NONE) {
            const uint32_t next = c->links[i].right;
            insert(c, i);
            i = next;
        }
    }
    c->events_since += 1.0;
    return c->heap.entries[0].id;
}

const queue_kind tact_queue_calendar = {"calendar", create, release, set, cancel, first};
