/*
 * Scheduling the event of a body: the earliest of its predictions, or its expiry.
 *
 * Cost: a visit of each neighbour. Two spheres take some 10 ns: only their hot data is read. Of 10^5 bodies little is
 * in the cache, and an event reads a dozen cache lines: they are prefetched while the events before are processed.
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
    if (time == earliest->time) {
        if (earliest->key == NO_KEY)
            earliest->key = pair_key(ad, index, earliest->other);
        if (key == NO_KEY)
            key = pair_key(ad, index, n->index);
        if (key >= earliest->key)
            return;
    }
    cache_line_prefetch(&ad->cold.items[n->index]);
    *earliest = (earliest_event){time, key, n->index, n->data};
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

tact_status tact_event_schedule(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    const body_motion *hot = &ad->motions.items[index];
    const body_motion_cold *cold = &ad->cold.items[index];
    const neighbour_span all = neighbours_of(&ad->neighbours, index);
    earliest_event earliest = {cold->expiry, expiry_key(cold), NEIGHBOUR_NONE, NEIGHBOUR_NONE};
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
                                cold->event_other, cold->event_prediction};
    earliest_event earliest = old;
    const tact_status status =
        visit_neighbour(world, index, &neighbours_of(&ad->neighbours, index).items[slot], &earliest);
    if (status == TACT_OK && (earliest.time != old.time || earliest.key != old.key))
        write_event(ad, index, &earliest);
    return status;
}
