/*
 * Scheduling the event of a body: the earliest of its predictions, or its expiry.
 *
 * Cost: a visit of each neighbour; where many touches are simultaneous, one for all of them (event_ties.h). Two spheres
 * take some 10 ns: only their hot data is read. Of 10^5 bodies little is in the cache, and an event reads a dozen cache
 * lines: they are prefetched while the events before are processed.
 */
#include <math.h>

#include "advance/advance.h"
#include "advance/advance_constants.h"
#include "advance/sphere_sphere.h"

/* ---- prefetching ---- */

/* These functions are forced inline: gcc drops calls of a function that does nothing but prefetch. */

/* What an event of a body reads, except its neighbours. */
TACT_FORCE_INLINE void prefetch_body(const tact_world *world, uint32_t index, bool touch)
{
    const advance *ad = world->advance;
    cache_line_prefetch(&ad->motions.items[index]);
    cache_line_prefetch(&ad->cold.items[index]);
    cache_line_prefetch(&ad->cold.items[index].reported_at);
    cache_line_prefetch(&ad->neighbours.lists.items[index]);
    if (touch) {
        cache_line_prefetch(&world->bodies.items[index].generation);
        cache_line_prefetch(&world->cold.items[index].user);
    } else {
        cache_line_prefetch(&ad->fat_bounds.bounds.items[index]);
        cache_line_prefetch(&ad->fat_bounds.filters.items[index]);
        cache_line_prefetch(&ad->fat_bounds.grid.slots.items[index]);
    }
}

/* The list of its neighbours: first, middle and last line, which of most lists are all. */
TACT_FORCE_INLINE void prefetch_neighbour_list(const advance *ad, uint32_t index)
{
    const neighbour_span all = neighbours_of(&ad->neighbours, index);
    if (all.count == 0)
        return;
    cache_line_prefetch(all.items);
    cache_line_prefetch(all.items + all.count / 2);
    cache_line_prefetch(all.items + all.count - 1);
}

TACT_FORCE_INLINE void prefetch_neighbours(const advance *ad, neighbour_span all)
{
    for (uint32_t i = 0; i < all.count; ++i)
        cache_line_prefetch(&ad->motions.items[all.items[i].index]);
}

void tact_event_prefetch_schedule(const advance *ad, uint32_t index)
{
    if (index >= ad->ties.count || ad->ties.items[index].next == 0) /* else they are not visited */
        prefetch_neighbours(ad, neighbours_of(&ad->neighbours, index));
}

/* One of the events right below the root of the heap is the next. Prefetches what those read that have come there since
 * the last call; and of the events below them the data that says with whom they are. */
void tact_event_prefetch_next(const tact_world *world)
{
    advance *ad = world->advance;
    uint32_t next = 1;
    for (uint32_t i = 1; i <= PREFETCHED_EVENTS && i < ad->queue.count; ++i) {
        const uint32_t index = ad->queue.entries[i].id;
        next = ad->queue.entries[i].time < ad->queue.entries[next].time ? i : next;
        if (ad->prefetched[i - 1] == index)
            continue;
        ad->prefetched[i - 1] = index;
        const uint32_t other = ad->cold.items[index].event_other;
        prefetch_body(world, index, other != NEIGHBOUR_NONE);
        if (other != NEIGHBOUR_NONE)
            prefetch_body(world, other, true);
        for (uint32_t k = EVENT_HEAP_ARITY * i + 1; k <= EVENT_HEAP_ARITY * (i + 1) && k < ad->queue.count; ++k)
            cache_line_prefetch(&ad->cold.items[ad->queue.entries[k].id]);
    }
    if (next < ad->queue.count && ad->prefetched_next != ad->queue.entries[next].id) {
        ad->prefetched_next = ad->queue.entries[next].id;
        const uint32_t other = ad->cold.items[ad->prefetched_next].event_other;
        prefetch_neighbour_list(ad, ad->prefetched_next);
        if (other != NEIGHBOUR_NONE) {
            prefetch_neighbour_list(ad, other);
            cache_line_prefetch(world->cold.items[ad->prefetched_next].rigid);
            cache_line_prefetch(world->cold.items[other].rigid);
        }
    }
}

/* ---- order of simultaneous events: rule R2 in advance.h ---- */

/* A touch: by the serial numbers of both bodies, the smaller one first. */
static uint64_t pair_key(const advance *ad, uint32_t a, uint32_t b)
{
    const uint64_t one = ad->cold.items[a].serial, other = ad->cold.items[b].serial;
    return one < other ? one << 32 | (other & UINT32_MAX) : other << 32 | (one & UINT32_MAX);
}

/* A test of a polled pair: after known touches, before expired plans, as it may find a touch. */
#define POLL_KEY (((uint64_t)1 << 63) - 1)

/* An expiry: that of a plan by the serial number of the body, others last. */
static uint64_t expiry_key(const body_motion_cold *cold)
{
    return cold->plan == NULL ? UINT64_MAX : (uint64_t)1 << 63 | cold->serial;
}

/* No event has this key: of two bodies, one has a serial number above 0. */
#define NO_KEY 0

/* ---- the earliest event of a body ---- */

/* The earliest event found so far. */
typedef struct earliest_event {
    double time;
    uint64_t key;               /* NO_KEY: the pair key, not computed yet */
    uint32_t other, prediction; /* as event_other and event_prediction in body_motion_cold */
    uint32_t ties;              /* others at the same time, so far */
} earliest_event;

static bool was_reported(const advance *ad, uint32_t a, uint32_t b)
{
    return (ad->reported[0] == a && ad->reported[1] == b) || (ad->reported[0] == b && ad->reported[1] == a);
}

/* Touches of the body are so frequent at this time that those of two spheres are counted in a prediction, too. */
static bool is_reported_often(const body_motion_cold *cold, double now)
{
    return cold->reported_at == now && cold->reported_count > FREQUENT_REPORTS;
}

/* The time of the next touch or separation with a neighbour, not beyond `limit`. `*known` false: of the next
 * examination. */
static double next_time_with(tact_world *world, uint32_t index, neighbour *n, double limit, bool *known,
                             tact_status *status)
{
    advance *ad = world->advance;
    const body_motion *hot = &ad->motions.items[index], *other_hot = &ad->motions.items[n->index];
    const body_motion_cold *cold = &ad->cold.items[index], *other_cold = &ad->cold.items[n->index];
    const bool reported = was_reported(ad, index, n->index);
    *known = true;
    if (n->data == NEIGHBOUR_NONE && hot->sphere_radius >= 0.0 && other_hot->sphere_radius >= 0.0) {
        const moving_sphere one = moving_sphere_at(hot, ad->time);
        const double t = spheres_time_of_impact(&one, other_hot, ad->time, limit - ad->time);
        if (t == INFINITY ||
            !(reported || (is_reported_often(cold, ad->time) && is_reported_often(other_cold, ad->time))))
            return ad->time + t;
    }
    const bool created = n->data == NEIGHBOUR_NONE;
    const uint32_t prediction = tact_prediction_ensure(world, n);
    if (prediction == NEIGHBOUR_NONE) {
        *status = TACT_OUT_OF_MEMORY;
        return INFINITY;
    }
    pair_prediction *r = &ad->predictions.items[prediction];
    if (created && reported)
        (void)pair_observe(r, PAIR_SEES_EVENT); /* two spheres: they were just reported, and still approach */
    if (r->version < cold->version || r->version < other_cold->version ||
        (r->time == INFINITY && r->valid_until <= ad->time)) {
        *status = tact_prediction_update(world, index, n, limit);
        if (*status != TACT_OK)
            return INFINITY;
    }
    if (r->time < INFINITY)
        return r->time;
    *known = false;
    return r->valid_until < r->superseded_at ? r->valid_until : INFINITY;
}

/* An event with a neighbour, not after `earliest`: it replaces that if it comes before, by time or by key. A pair key
 * is computed only when it is needed: it reads memory that nothing else does. */
static void replace_if_earlier(const advance *ad, uint32_t index, const neighbour *n, double time, uint64_t key,
                               earliest_event *earliest)
{
    uint32_t ties = 0;
    if (time == earliest->time) {
        ties = ++earliest->ties;
        if (earliest->key == NO_KEY)
            earliest->key = pair_key(ad, index, earliest->other);
        if (key == NO_KEY)
            key = pair_key(ad, index, n->index);
        if (key >= earliest->key)
            return;
    }
    cache_line_prefetch(&ad->cold.items[n->index]);
    *earliest = (earliest_event){time, key, n->index, n->data, ties};
}

/* Compares the next event with a neighbour to the earliest one. */
static tact_status visit_neighbour(tact_world *world, uint32_t index, neighbour *n, earliest_event *earliest)
{
    bool known;
    tact_status status = TACT_OK;
    const double time = next_time_with(world, index, n, earliest->time, &known, &status);
    const advance *ad = world->advance;
    const bool polled =
        !known && (body_motion_is_polled(&ad->cold.items[index]) || body_motion_is_polled(&ad->cold.items[n->index]));
    if (status == TACT_OK && time <= earliest->time && (time < earliest->time || known || polled))
        replace_if_earlier(ad, index, n, time, known ? NO_KEY : polled ? POLL_KEY : UINT64_MAX, earliest);
    return status;
}

static void write_event(advance *ad, uint32_t index, earliest_event *earliest)
{
    if (earliest->key == NO_KEY)
        earliest->key = pair_key(ad, index, earliest->other);
    body_motion_cold *cold = &ad->cold.items[index];
    cold->event_other = earliest->other;
    cold->event_prediction = earliest->prediction;
    if (cold->event_other != NEIGHBOUR_NONE)
        cold->event_version = cold->event_prediction != NEIGHBOUR_NONE
                                  ? ad->predictions.items[cold->event_prediction].version
                                  : ad->cold.items[cold->event_other].version;
    if (earliest->time < INFINITY)
        tact_event_queue_set(&ad->queue, index, earliest->time, earliest->key);
    else
        tact_event_queue_cancel(&ad->queue, index);
}

/* ---- simultaneous events: event_ties.h ---- */

static bool is_touch(const earliest_event *e)
{
    return e->other != NEIGHBOUR_NONE && e->key != POLL_KEY && e->key != UINT64_MAX;
}

/* Whether a touch with a neighbour is due at `time`, as it was when the neighbour was visited. */
static bool is_tied(const advance *ad, uint32_t index, const neighbour *n, double time, bool often, tied_event *e)
{
    const body_motion *hot = &ad->motions.items[index], *other = &ad->motions.items[n->index];
    const uint64_t version = ad->cold.items[n->index].version;
    if (n->data == NEIGHBOUR_NONE) {
        const moving_sphere one = moving_sphere_at(hot, ad->time);
        if (often || !(hot->sphere_radius >= 0.0 && other->sphere_radius >= 0.0) ||
            !(ad->time + spheres_time_of_impact(&one, other, ad->time, time - ad->time) == time))
            return false;
        *e = (tied_event){0, version, n->index, 0, NEIGHBOUR_NONE};
        return true;
    }
    const pair_prediction *r = &ad->predictions.items[n->data];
    if (!(r->time == time) || r->version < version || r->version < ad->cold.items[index].version)
        return false;
    *e = (tied_event){0, r->version, n->index, 0, n->data};
    return true;
}

/* Lists the touches that are due now, if there are many. The earliest event is one of them. */
static void list_ties(tact_world *world, uint32_t index, const earliest_event *earliest)
{
    advance *ad = world->advance;
    const body_motion_cold *cold = &ad->cold.items[index];
    const neighbour_span all = neighbours_of(&ad->neighbours, index);
    if (earliest->ties < MIN_TIES || earliest->time != ad->time || !is_touch(earliest) || cold->self_prediction != 0 ||
        body_motion_deforms(cold) || !event_ties_array_reserve(&ad->ties, &world->allocator, ad->motions.count))
        return;
    while (ad->ties.count < ad->motions.count)
        ad->ties.items[ad->ties.count++] = (event_ties){.next = 0};
    event_ties *t = &ad->ties.items[index];
    t->next = 0;
    t->events.count = 0;
    t->time = earliest->time;
    t->version = cold->version;
    const bool often = is_reported_often(cold, ad->time);
    for (uint32_t i = 0; i < all.count; ++i) {
        tied_event e;
        if (!is_tied(ad, index, &all.items[i], t->time, often, &e))
            continue;
        e.key = pair_key(ad, index, e.other);
        e.slot = i;
        if (!tied_event_array_push(&t->events, &world->allocator, e))
            return;
    }
    if (t->events.count > MIN_TIES)
        tact_event_ties_sort(t);
    if (t->next > 0 && t->events.items[0].other != earliest->other)
        t->next = 0; /* a touch that is not in the list comes first */
}

/* The neighbour of a listed touch; NULL: the lists have changed. */
static neighbour *tied_neighbour(const advance *ad, uint32_t index, const tied_event *e)
{
    const neighbour_span all = neighbours_of(&ad->neighbours, index);
    return e->slot < all.count && all.items[e->slot].index == e->other ? &all.items[e->slot] : NULL;
}

/* Compares the next event with another body to the earliest one, if they are neighbours. */
static tact_status visit_body(tact_world *world, uint32_t index, uint32_t other, earliest_event *earliest)
{
    advance *ad = world->advance;
    const uint32_t slot = tact_neighbours_find(&ad->neighbours, index, other);
    return slot == NEIGHBOUR_NONE
               ? TACT_OK
               : visit_neighbour(world, index, &neighbours_of(&ad->neighbours, index).items[slot], earliest);
}

/* Schedules the next of the listed touches. False: there is no list, or it has ended: all neighbours are to be visited.
 * What was just reported is examined again, and may be due again. */
static bool schedule_tied(tact_world *world, uint32_t index, tact_status *status)
{
    advance *ad = world->advance;
    event_ties *t = index < ad->ties.count ? &ad->ties.items[index] : NULL;
    if (t == NULL || t->next == 0)
        return false;
    const body_motion_cold *cold = &ad->cold.items[index];
    const uint32_t before = t->next - 1;
    const uint32_t last = t->events.items[before].other, event_other = cold->event_other;
    neighbour *n = tied_neighbour(ad, index, &t->events.items[before]);
    earliest_event earliest = {cold->expiry, expiry_key(cold), NEIGHBOUR_NONE, NEIGHBOUR_NONE, 0};
    bool listed = t->time == ad->time && t->version == cold->version && !ad->events_outdated && n != NULL;
    *status = listed ? visit_neighbour(world, index, n, &earliest) : TACT_OK;
    if (listed && *status == TACT_OK && event_other != NEIGHBOUR_NONE && event_other != last)
        *status = visit_body(world, index, event_other, &earliest);
    for (int i = 0; listed && i < 2 && *status == TACT_OK && ad->reported[1] != NEIGHBOUR_NONE; ++i) {
        const uint32_t other = ad->reported[1 - i];
        if (ad->reported[i] == index && other != last && other != event_other && !ad->cold.items[other].moves)
            *status = visit_body(world, index, other, &earliest); /* nothing else examines it */
    }
    const tied_event *e = NULL;
    for (; listed && *status == TACT_OK && t->next < t->events.count; ++t->next) {
        e = &t->events.items[t->next];
        n = tied_neighbour(ad, index, e);
        const uint64_t version = ad->cold.items[e->other].version;
        listed = n != NULL && (e->prediction == NEIGHBOUR_NONE
                                   ? e->version == version
                                   : ad->predictions.items[e->prediction].version == 0 || e->version >= version);
        const bool due = listed && n->data == e->prediction &&
                         (n->data == NEIGHBOUR_NONE || ad->predictions.items[n->data].version == e->version);
        if (due || !listed)
            break;
        e = NULL; /* it was reported with the other body */
    }
    if (*status == TACT_OK && (!listed || t->next >= t->events.count || e == NULL)) {
        t->next = 0;
        return false;
    }
    if (*status != TACT_OK)
        return true; /* repeated: nothing has been written */
    if (t->time <= earliest.time) {
        replace_if_earlier(ad, index, n, t->time, e->key, &earliest);
        t->next += earliest.other == e->other;
    }
    write_event(ad, index, &earliest);
    return true;
}

tact_status tact_event_schedule(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    tact_status tied;
    if (schedule_tied(world, index, &tied))
        return tied;
    const body_motion *hot = &ad->motions.items[index];
    const body_motion_cold *cold = &ad->cold.items[index];
    const neighbour_span all = neighbours_of(&ad->neighbours, index);
    earliest_event earliest = {cold->expiry, expiry_key(cold), NEIGHBOUR_NONE, NEIGHBOUR_NONE, 0};
    ad->visited += all.count;
    const moving_sphere one = moving_sphere_at(hot, ad->time);
    const bool often = is_reported_often(cold, ad->time);
    prefetch_neighbours(ad, all);
    for (uint32_t i = 0; i < all.count; ++i) {
        neighbour *n = &all.items[i];
        const body_motion *other = &ad->motions.items[n->index];
        if (n->data == NEIGHBOUR_NONE && hot->sphere_radius >= 0.0 && other->sphere_radius >= 0.0) {
            const double t = spheres_time_of_impact(&one, other, ad->time, earliest.time - ad->time);
            if (t == INFINITY)
                continue; /* most spheres do not touch: the fast path */
            if (!often && !was_reported(ad, index, n->index)) {
                if (ad->time + t <= earliest.time)
                    replace_if_earlier(ad, index, n, ad->time + t, NO_KEY, &earliest);
                continue;
            }
        }
        const tact_status status = visit_neighbour(world, index, n, &earliest);
        if (status != TACT_OK)
            return status; /* nothing has been written */
    }
    if (cold->self_prediction != 0) {
        neighbour self = {.index = index, .data = cold->self_prediction - 1};
        const tact_status status = visit_neighbour(world, index, &self, &earliest);
        if (status != TACT_OK)
            return status;
    }
    write_event(ad, index, &earliest);
    list_ties(world, index, &earliest);
    return TACT_OK;
}

static double event_time(const event_queue *q, uint32_t index)
{
    return event_queue_has(q, index) ? q->entries[q->heap_index[index]].time : INFINITY;
}

tact_status tact_event_schedule_pair(tact_world *world, uint32_t a, uint32_t b)
{
    advance *ad = world->advance;
    const event_queue *q = &ad->queue;
    const double times[2] = {event_time(q, a), event_time(q, b)};
    const bool moves[2] = {ad->cold.items[a].moves, ad->cold.items[b].moves};
    if (!moves[0] && !moves[1])
        return TACT_OK;
    /* the body with the earlier event: fewer predictions are earlier still */
    const bool second = !moves[0] || (moves[1] && times[1] < times[0]);
    const uint32_t index = second ? b : a, slot = tact_neighbours_find(&ad->neighbours, index, second ? a : b);
    if (slot == NEIGHBOUR_NONE)
        return TACT_OK; /* they have been separated meanwhile */
    const body_motion_cold *cold = &ad->cold.items[index];
    const earliest_event old = {times[second], event_queue_has(q, index) ? q->keys[index] : UINT64_MAX,
                                cold->event_other, cold->event_prediction, 0};
    earliest_event earliest = old;
    const tact_status status =
        visit_neighbour(world, index, &neighbours_of(&ad->neighbours, index).items[slot], &earliest);
    if (status == TACT_OK && (earliest.time != old.time || earliest.key != old.key))
        write_event(ad, index, &earliest);
    return status;
}
