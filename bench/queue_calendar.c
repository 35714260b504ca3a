/*
 * A calendar: buckets of equal lengths of time, lists in no order, that cover the near future; what is beyond them in
 * one more list. Only the current bucket, and what is before it, is kept in order: in a small heap. When the last
 * bucket is through the list of what is beyond is dealt out anew, in buckets that are as long as HELD events took of
 * late.
 */
#include <math.h>
#include <stdlib.h>

#include "event/queue.h"
#include "queue_kind.h"

#define EVENTS_PER_BUCKET 2.0 /* events that a bucket is to hold */

enum { HEAP = -1, ABSENT = -2 };

typedef struct calendar_link {
    uint32_t left, right;
    int32_t bucket; /* or HEAP or ABSENT; the one after the last: beyond */
} calendar_link;

typedef struct calendar {
    queue_time *times;
    calendar_link *links;
    uint32_t *buckets; /* the first of each */
    event_queue heap;
    int32_t count, current;
    uint32_t beyond; /* in that list */
    double base, width;
    double events_since; /* events since the buckets were dealt */
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
    c->current = c->count - 1; /* all comes beyond at first */
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
    if (!(c->width > 0.0)) { /* nothing has been dealt yet */
        c->links[id] = (calendar_link){QUEUE_NONE, c->buckets[c->count], c->count};
        if (c->buckets[c->count] != QUEUE_NONE)
            c->links[c->buckets[c->count]].left = id;
        c->buckets[c->count] = id;
        c->beyond += 1;
        return;
    }
    insert(c, id);
}

/* New buckets, from the earliest time that there is. */
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
    c->width = fmax(c->width, 1e-12 * fabs(least)); /* so that times are told apart */
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
