/* A world through continuous time: the loop. See advance.h. */
#include "advance/advance.h"

#include <math.h>

#include "advance/sphere_sphere.h"
#include "core/memory.h"
#include "dynamics/rigid_body.h"
#include "world/body_bounds.h"
#include "world/world_state.h"

/* Touches of a body at one and the same time from which on it is counted how often each is told. */
#define OFTEN 64

/* Removed bodies, and no fewer than there are left: then their indices are given again. The cost is that of a test. */
#define RECLAIM 64

/* ---- what is kept ---- */

void tact_advance_free(advance *ad, const tact_allocator *allocator)
{
    if (ad == NULL)
        return;
    body_motion_array_release(&ad->motions, allocator);
    body_motion_cold_array_release(&ad->cold, allocator);
    prediction_array_release(&ad->predictions, allocator);
    tact_fat_bounds_release(&ad->fat_bounds, allocator);
    tact_body_sweep_release(&ad->sweep, allocator);
    tact_neighbours_release(&ad->neighbours, allocator);
    tact_event_queue_release(&ad->queue, allocator);
    index_array_release(&ad->dirty, allocator);
    touch_array_release(&ad->restored_touches, allocator);
    tact_memory_free(allocator, ad, 1, sizeof *ad);
}

static void free_prediction(void *context, uint32_t word)
{
    advance *ad = context;
    ad->predictions.items[word].version = 0; /* events with it are stale */
    ad->predictions.items[word].next_unused = ad->unused_prediction;
    ad->unused_prediction = word;
}

tact_status tact_advance_reserve(tact_world *world)
{
    const tact_allocator *allocator = &world->allocator;
    advance *ad = world->advance;
    if (ad == NULL) {
        ad = tact_memory_allocate(allocator, 1, sizeof *ad);
        if (ad == NULL)
            return TACT_OUT_OF_MEMORY;
        *ad = (advance){.neighbours = tact_neighbours_empty(),
                        .unused_prediction = NEIGHBOUR_NONE,
                        .reported = {NEIGHBOUR_NONE, NEIGHBOUR_NONE}};
        ad->neighbours.drop = free_prediction;
        ad->neighbours.context = ad;
        ad->fat_bounds = tact_fat_bounds_empty(&ad->neighbours);
        ad->engine = ad->choice.wish = TACT_KINETIC_FAT_BOUNDS;
        tact_body_sweep_init(ad);
        world->advance = ad;
        tact_world_extend(world, WORLD_EXTENSION_ADVANCE, &tact_advance_extension);
    }
    const size_t count = world->lines.count;
    if (count <= ad->motions.count)
        return TACT_OK;
    if (!body_motion_array_reserve(&ad->motions, allocator, count) ||
        !body_motion_cold_array_reserve(&ad->cold, allocator, count) ||
        !index_array_reserve(&ad->dirty, allocator, count) ||
        !tact_fat_bounds_reserve(&ad->fat_bounds, allocator, (uint32_t)count) ||
        !tact_event_queue_reserve(&ad->queue, allocator, (uint32_t)count) ||
        (ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE &&
         !tact_body_sweep_reserve(&ad->sweep, allocator, (uint32_t)count)))
        return TACT_OUT_OF_MEMORY;
    for (size_t i = ad->motions.count; i < count; ++i) {
        ad->motions.items[ad->motions.count++] = (body_motion){.start_time = ad->time, .sphere_radius = NOT_A_SPHERE};
        ad->cold.items[ad->cold.count++] = (body_motion_cold){.event_other = NEIGHBOUR_NONE, .motion_set_at = INFINITY};
        if (world->lines.items[i].flags & BODY_ALIVE)
            tact_advance_mark_changed(world, (uint32_t)i);
    }
    return TACT_OK;
}

void tact_advance_mark_motion_changed(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    if (ad == NULL || index >= ad->motions.count)
        return; /* what is beyond is noted when there is room for it */
    ad->cold.items[index].motion_updated = ad->cold.items[index].restored = false;
    if (world->rests.items[index].motion_plan == NULL)
        ad->cold.items[index].plan = NULL; /* it has been freed */
    if (ad->cold.items[index].dirty)
        return;
    ad->cold.items[index].dirty = true;
    ad->dirty.items[ad->dirty.count++] = index;
}

void tact_advance_mark_changed(tact_world *world, uint32_t index)
{
    tact_advance_mark_motion_changed(world, index);
    if (world->advance != NULL && index < world->advance->motions.count)
        world->advance->cold.items[index].needs_refit = true;
}

void tact_advance_remove_body(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    if (ad == NULL || index >= ad->motions.count)
        return;
    tact_event_queue_cancel(&ad->queue, index);
    if (fat_bounds_has(&ad->fat_bounds, index))
        tact_fat_bounds_remove(&ad->fat_bounds, index);
    tact_body_sweep_remove(world, index);
    ad->cold.items[index].version = ++ad->last_version; /* events with it are stale */
    ad->cold.items[index].margin = ad->cold.items[index].motion_lifetime = 0.0;
    ad->cold.items[index].unsuccessful_refits = 0;
    ad->cold.items[index].motion_set_at = INFINITY;
    ad->cold.items[index].broad_outdated = false;
    ad->cold.items[index].plan = NULL;
    tact_advance_discard_restored_touches(ad, index);
    if (ad->reported[0] == index || ad->reported[1] == index) { /* whoever gets its index was not told */
        ad->reported[0] =
            ad->reported[ad->reported[0] == index ? 1 : 0]; /* but the event of the other one is still to be set */
        ad->reported[1] = NEIGHBOUR_NONE;
    }
    tact_advance_mark_changed(world, index);
}

/* Is it among those that may be neighbours? */
static bool is_known(const advance *ad, uint32_t index)
{
    return ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE ? body_sweep_has(&ad->sweep, index)
                                                      : fat_bounds_has(&ad->fat_bounds, index);
}

/* ---- memory ---- */

/* Of many bodies little is in the cache, and an event reads a dozen lines: they are asked for before. All functions are
 * always inline, as gcc leaves out calls of a function that does nothing else. */

/* What an event of a body will read, but for its neighbours. */
TACT_FORCE_INLINE void prefetch_body(const tact_world *world, uint32_t index, bool touch)
{
    const advance *ad = world->advance;
    cache_line_prefetch(&ad->motions.items[index]);
    cache_line_prefetch(&ad->cold.items[index]);
    cache_line_prefetch(&ad->cold.items[index].reported_at);
    cache_line_prefetch(&ad->neighbours.lists.items[index]);
    if (touch) {
        cache_line_prefetch(&world->lines.items[index].generation);
        cache_line_prefetch(&world->rests.items[index].user);
    } else {
        cache_line_prefetch(&ad->fat_bounds.forms.items[index]);
        cache_line_prefetch(&ad->fat_bounds.filters.items[index]);
        cache_line_prefetch(&ad->fat_bounds.grid.seats.items[index]);
    }
}

/* The list of its neighbours: of most all lines. */
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
        cache_line_prefetch(&ad->motions.items[all.items[i].number]);
}

/* What is to happen soon: one of those below the first in the heap is the next. Those that have come there since the
 * last time; and of those that may follow them what tells with whom that is. */
TACT_FORCE_INLINE void prefetch_next_events(const tact_world *world)
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
            cache_line_prefetch(world->rests.items[ad->prefetched_next].rigid);
            cache_line_prefetch(world->rests.items[other].rigid);
        }
    }
}

/* ---- events ---- */

/* Names do not depend on how indices were given: by the order of making. */
static uint64_t pair_key(const advance *ad, uint32_t one, uint32_t other)
{
    const uint64_t a = ad->cold.items[one].serial, b = ad->cold.items[other].serial;
    return a < b ? a << 32 | (b & UINT32_MAX) : b << 32 | (a & UINT32_MAX);
}

/* Of looks at those that are watched: after the touches that are known, before what is due, as they may be touches. */
#define POLL_KEY (((uint64_t)1 << 63) - 1)

/* Exits and looks, after all touches; what is due by the order of making. */
static uint64_t own_key(const body_motion_cold *m)
{
    return m->plan == NULL ? UINT64_MAX : (uint64_t)1 << 63 | m->serial;
}

static bool was_reported(const advance *ad, uint32_t one, uint32_t other)
{
    return (ad->reported[0] == one && ad->reported[1] == other) || (ad->reported[0] == other && ad->reported[1] == one);
}

/* Then what two balls do at this time is put down in a record. */
static bool is_reported_often(const body_motion_cold *m, double now)
{
    return m->reported_at == now && m->reported_count > OFTEN;
}

/* The next that happens with a neighbour, not beyond `first`: touch or parting; or else when to look again, and `known`
 * is false. */
static double next_event_with(tact_world *world, uint32_t index, neighbour *n, double first, bool *known,
                              tact_status *status)
{
    advance *ad = world->advance;
    const body_motion *p = &ad->motions.items[index], *o = &ad->motions.items[n->number];
    const body_motion_cold *m = &ad->cold.items[index], *om = &ad->cold.items[n->number];
    const bool told = was_reported(ad, index, n->number);
    *known = true;
    if (n->word == NEIGHBOUR_NONE && p->sphere_radius >= 0.0 && o->sphere_radius >= 0.0) {
        const moving_sphere one = moving_sphere_at(p, ad->time);
        const double t = spheres_time_of_impact(&one, o, ad->time, first - ad->time);
        if (t == INFINITY || !(told || (is_reported_often(m, ad->time) && is_reported_often(om, ad->time))))
            return ad->time + t;
    }
    const bool made = n->word == NEIGHBOUR_NONE;
    const uint32_t word = tact_prediction_ensure(world, n);
    if (word == NEIGHBOUR_NONE) {
        *status = TACT_OUT_OF_MEMORY;
        return INFINITY;
    }
    pair_prediction *r = &ad->predictions.items[word];
    if (made && told)
        (void)pair_observe(r, PAIR_SEES_EVENT); /* two spheres: they have just been reported, and still close */
    if (r->version < m->version || r->version < om->version || (r->time == INFINITY && r->valid_until <= ad->time)) {
        *status = tact_prediction_update(world, index, n, first);
        if (*status != TACT_OK)
            return INFINITY;
    }
    if (r->time < INFINITY)
        return r->time;
    *known = false;
    return r->valid_until < r->superseded_at ? r->valid_until : INFINITY;
}

static double event_time(const event_queue *q, uint32_t index)
{
    return event_queue_has(q, index) ? q->entries[q->heap_index[index]].time : INFINITY;
}

/* No event has it: of two bodies one was made after the other. */
#define NO_KEY 0

/* What happens first with a body, of what has been looked at. */
typedef struct earliest_event {
    double time;
    uint64_t key;         /* NO_KEY: that of the two bodies, not worked out yet */
    uint32_t other, word; /* as in body_motion_cold */
} earliest_event;

/* Something happens with a neighbour, not after `first`: it comes before, by its key if not by its time. Of two bodies
 * that is not worked out before it is needed, as it takes memory that nothing else does. */
static void take_earlier(const advance *ad, uint32_t index, const neighbour *n, double time, uint64_t key,
                         earliest_event *first)
{
    if (time == first->time) {
        if (first->key == NO_KEY)
            first->key = pair_key(ad, index, first->other);
        if (key == NO_KEY)
            key = pair_key(ad, index, n->number);
        if (key >= first->key)
            return;
    }
    cache_line_prefetch(&ad->cold.items[n->number]);
    *first = (earliest_event){time, key, n->number, n->word};
}

/* Whether what happens with a neighbour comes before. */
static tact_status test_neighbour(tact_world *world, uint32_t index, neighbour *n, earliest_event *first)
{
    bool known;
    tact_status status = TACT_OK;
    const double time = next_event_with(world, index, n, first->time, &known, &status);
    const advance *ad = world->advance;
    const bool watched =
        !known && (body_motion_is_polled(&ad->cold.items[index]) || body_motion_is_polled(&ad->cold.items[n->number]));
    if (status == TACT_OK && time <= first->time && (time < first->time || known || watched))
        take_earlier(ad, index, n, time, known ? NO_KEY : watched ? POLL_KEY : UINT64_MAX, first);
    return status;
}

static void write_event(advance *ad, uint32_t index, earliest_event *first)
{
    if (first->key == NO_KEY)
        first->key = pair_key(ad, index, first->other);
    body_motion_cold *m = &ad->cold.items[index];
    m->event_other = first->other;
    m->event_prediction = first->word;
    if (m->event_other != NEIGHBOUR_NONE)
        m->event_version = m->event_prediction != NEIGHBOUR_NONE ? ad->predictions.items[m->event_prediction].version
                                                                 : ad->cold.items[m->event_other].version;
    if (first->time < INFINITY)
        tact_event_queue_set(&ad->queue, index, first->time, first->key);
    else
        tact_event_queue_cancel(&ad->queue, index);
}

/* Sets the event of a body to what happens first with it. */
static tact_status schedule_event(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    const body_motion *p = &ad->motions.items[index];
    const body_motion_cold *m = &ad->cold.items[index];
    const neighbour_span all = neighbours_of(&ad->neighbours, index);
    earliest_event first = {m->expiry, own_key(m), NEIGHBOUR_NONE, NEIGHBOUR_NONE};
    const moving_sphere one = moving_sphere_at(p, ad->time);
    const bool often = is_reported_often(m, ad->time);
    prefetch_neighbours(ad, all);
    for (uint32_t i = 0; i < all.count; ++i) {
        neighbour *n = &all.items[i];
        const body_motion *o = &ad->motions.items[n->number];
        if (n->word == NEIGHBOUR_NONE && p->sphere_radius >= 0.0 && o->sphere_radius >= 0.0) {
            const double t = spheres_time_of_impact(&one, o, ad->time, first.time - ad->time);
            if (t == INFINITY)
                continue; /* most do not touch: this alone is quick */
            if (!often && !was_reported(ad, index, n->number)) {
                if (ad->time + t <= first.time)
                    take_earlier(ad, index, n, ad->time + t, NO_KEY, &first);
                continue;
            }
        }
        const tact_status status = test_neighbour(world, index, n, &first);
        if (status != TACT_OK)
            return status; /* nothing is written before all is known */
    }
    write_event(ad, index, &first);
    return TACT_OK;
}

/* Two have become neighbours in the lists: the event of the one to which something happens earlier anyway is set to
 * what they do, if that is earlier still. */
static tact_status schedule_new_neighbours(tact_world *world, uint32_t one, uint32_t other)
{
    advance *ad = world->advance;
    const event_queue *q = &ad->queue;
    const double times[2] = {event_time(q, one), event_time(q, other)};
    const bool moves[2] = {ad->cold.items[one].moves, ad->cold.items[other].moves};
    if (!moves[0] && !moves[1])
        return TACT_OK;
    const bool second = !moves[0] || (moves[1] && times[1] < times[0]);
    const uint32_t index = second ? other : one,
                   place = tact_neighbours_find(&ad->neighbours, index, second ? one : other);
    if (place == NEIGHBOUR_NONE)
        return TACT_OK; /* they have been separated meanwhile */
    const body_motion_cold *m = &ad->cold.items[index];
    const bool waits = event_queue_has(q, index);
    const earliest_event old = {times[second], waits ? q->keys[index] : UINT64_MAX, m->event_other,
                                m->event_prediction};
    earliest_event first = old;
    const tact_status status =
        test_neighbour(world, index, &neighbours_of(&ad->neighbours, index).items[place], &first);
    if (status == TACT_OK && (first.time != old.time || first.key != old.key))
        write_event(ad, index, &first);
    return status;
}

/* What happens next in the lists. */
static tact_status step_sweep(tact_world *world)
{
    body_sweep *l = &world->advance->sweep;
    tact_status status = TACT_OK;
    if (l->began[0] == NEIGHBOUR_NONE)
        status = tact_body_sweep_step(world);
    if (status == TACT_OK && l->began[0] != NEIGHBOUR_NONE)
        status = schedule_new_neighbours(world, l->began[0], l->began[1]);
    if (status == TACT_OK)
        l->began[0] = l->began[1] = NEIGHBOUR_NONE;
    return status;
}

/* The engine that was asked for. */
static tact_kinetic wanted_engine(const tact_world *world)
{
    const advance *ad = world->advance;
    if (world->lines.count > BODY_SWEEP_MAX_BODIES)
        return TACT_KINETIC_FAT_BOUNDS;
    return world->kinetic != TACT_KINETIC_AUTO ? world->kinetic : ad->choice.wish;
}

static tact_status choose_engine(tact_world *world)
{
    const advance *ad = world->advance;
    const tact_kinetic engine = wanted_engine(world);
    if (engine == ad->engine && !ad->engine_change_pending)
        return TACT_OK;
    return engine == TACT_KINETIC_SWEEP_AND_PRUNE ? tact_advance_use_sweep(world) : tact_advance_use_fat_bounds(world);
}

/* Brings in what was said of bodies since the last call. What fails is done again. First all plans, then all events, so
 * that each is foreseen as all will be. */
static tact_status apply_changes(tact_world *world)
{
    advance *ad = world->advance;
    tact_status status = TACT_OK;
    for (size_t i = 0; i < ad->dirty.count && status == TACT_OK; ++i) {
        const uint32_t index = ad->dirty.items[i];
        if (!(world->lines.items[index].flags & BODY_ALIVE) || ad->cold.items[index].motion_updated)
            continue;
        status = tact_body_motion_update(world, index);
        ad->cold.items[index].motion_updated = status == TACT_OK;
        ad->effort.plans += status == TACT_OK;
    }
    if (status == TACT_OK && ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE)
        status = tact_body_sweep_insert_pending(world);
    if (status == TACT_OK && ad->restored_touches.count > 0)
        status = tact_advance_apply_restored_touches(world);
    for (uint32_t i = 0; i < ad->motions.count && status == TACT_OK && ad->events_outdated; ++i)
        if (ad->cold.items[i].moves && is_known(ad, i) && !ad->cold.items[i].dirty)
            status = schedule_event(world, i);
    for (size_t i = 0; i < ad->dirty.count && status == TACT_OK; ++i) {
        const uint32_t index = ad->dirty.items[i];
        if (!(world->lines.items[index].flags & BODY_ALIVE))
            continue;
        if (ad->cold.items[index].moves) {
            status = schedule_event(world, index);
            continue;
        }
        tact_event_queue_cancel(&ad->queue, index); /* others have events with it */
        const neighbour_span all = neighbours_of(&ad->neighbours, index);
        for (uint32_t k = 0; k < all.count && status == TACT_OK; ++k)
            if (ad->cold.items[all.items[k].number].moves && !ad->cold.items[all.items[k].number].dirty)
                status = schedule_event(world, all.items[k].number);
    }
    for (int i = 0; i < 2 && status == TACT_OK && ad->reported[i] != NEIGHBOUR_NONE; ++i) {
        const body_motion_cold *m = &ad->cold.items[ad->reported[i]];
        if (m->moves && !m->dirty) /* it is known, as it was told, and has not gone */
            status = schedule_event(world, ad->reported[i]);
    }
    if (status != TACT_OK)
        return status;
    for (size_t i = 0; i < ad->dirty.count; ++i)
        ad->cold.items[ad->dirty.items[i]].dirty = ad->cold.items[ad->dirty.items[i]].needs_refit =
            ad->cold.items[ad->dirty.items[i]].motion_updated = ad->cold.items[ad->dirty.items[i]].restored = false;
    ad->dirty.count = 0;
    ad->events_outdated = false;
    ad->reported[0] = ad->reported[1] = NEIGHBOUR_NONE;
    return TACT_OK;
}

/* ---- going on ---- */

/* Leaves a body its shell because nothing is known of it beyond? */
static bool is_expired(const body_motion_cold *m, double now)
{
    const body_motion_plan *c = m->plan;
    return c != NULL && (!(c->plan.until > now) ||
                         (c->plan.max_deviation_speed > 0.0 && c->located_at < now && now < m->rotation_expiry));
}

/* Asks where a body is. */
static tact_event_kind query_plan(tact_world *world, uint32_t index, tact_status *status)
{
    bool report_touch = false;
    *status = tact_motion_plan_query(world, index, &report_touch);
    if (*status == TACT_OK && !report_touch) {
        *status = apply_changes(world);
        world->advance->effort.events += *status != TACT_OK; /* asked: the rest is done with the next call */
    }
    return *status == TACT_OK && report_touch ? TACT_EVENT_MOTION_EXPIRED : TACT_EVENT_NONE;
}

/* The event of a body, at its time: it touches the other one; or `*who`, it or the other, is due; or nothing that is
 * told. */
static tact_event_kind process_event(tact_world *world, uint32_t index, uint32_t *who, tact_status *status)
{
    advance *ad = world->advance;
    body_motion_cold *m = &ad->cold.items[index];
    *status = TACT_OK;
    *who = index;
    if (m->event_other == NEIGHBOUR_NONE) {
        if (!(m->expiry > ad->time)) { /* else it has been done, and there was no memory for the rest */
            if (is_expired(m, ad->time))
                return query_plan(world, index, status);
            *status = tact_body_motion_renew(world, index);
        }
    } else if (m->event_prediction == NEIGHBOUR_NONE) {
        if (ad->cold.items[m->event_other].version == m->event_version)
            return TACT_EVENT_TOUCH;
    } else {
        pair_prediction *r = &ad->predictions.items[m->event_prediction];
        if (r->version == m->event_version && r->time <= ad->time) {
            const bool report = pair_observe(r, PAIR_SEES_EVENT);
            r->reported_version = r->version;
            r->version =
                0; /* what comes then is to be found out; after a touch, when the caller has done what he wants */
            if (report) {
                r->reported_count = r->reported_at == ad->time ? r->reported_count + 1 : 1;
                r->reported_at = ad->time;
                return TACT_EVENT_TOUCH;
            }
        } else if (r->version == m->event_version) { /* to be looked at again, of places that are known */
            *who = tact_polling_unlocated_body(world, index, m->event_other);
            if (*who != NEIGHBOUR_NONE) {
                r->next_poll = -INFINITY;
                return query_plan(world, *who, status);
            }
        }
    }
    if (*status == TACT_OK)
        *status = schedule_event(world, index);
    return TACT_EVENT_NONE;
}

static void count_report(body_motion_cold *m, double now)
{
    m->reported_count = m->reported_at == now ? m->reported_count + 1 : 1;
    m->reported_at = now;
}

static void report_touch(tact_world *world, uint32_t index, tact_event *event)
{
    advance *ad = world->advance;
    const body_motion_cold *m = &ad->cold.items[index];
    const bool first = m->serial < ad->cold.items[m->event_other].serial;
    const uint32_t a = first ? index : m->event_other, b = first ? m->event_other : index;
    ad->reported[0] = a;
    ad->reported[1] = b;
    for (int i = 0; i < 2; ++i)
        if (ad->cold.items[ad->reported[i]].moves)
            prefetch_neighbours(ad, neighbours_of(&ad->neighbours, ad->reported[i])); /* its event will be set */
    count_report(&ad->cold.items[a], ad->time);
    count_report(&ad->cold.items[b], ad->time);
    *event = (tact_event){.status = TACT_OK,
                          .kind = TACT_EVENT_TOUCH,
                          .time = ad->time,
                          .a = body_name(world, a),
                          .b = body_name(world, b),
                          .user_a = world->rests.items[a].user,
                          .user_b = world->rests.items[b].user};
    if (m->event_prediction != NEIGHBOUR_NONE) {
        const pair_prediction *r = &ad->predictions.items[m->event_prediction];
        event->point = r->point;
        event->normal = a < b ? r->normal : vec_negate(r->normal);
        return;
    }
    const body_motion *pa = &ad->motions.items[a], *pb = &ad->motions.items[b];
    const tact_vec3 from = body_motion_origin(pa, &ad->cold.items[a], ad->time);
    const tact_vec3 way = vec_sub(body_motion_origin(pb, &ad->cold.items[b], ad->time), from);
    const double length = vec_length_safe(way);
    event->normal = length > 0.0 ? vec_scale(way, 1.0 / length) : vec_make(0.0, 0.0, 0.0);
    event->point = vec_mul_add(from, pa->sphere_radius, event->normal);
}

static void report_expired(const tact_world *world, uint32_t index, tact_event *event)
{
    *event = (tact_event){.status = TACT_OK,
                          .kind = TACT_EVENT_MOTION_EXPIRED,
                          .time = world->advance->time,
                          .a = body_name(world, index),
                          .user_a = world->rests.items[index].user};
}

static tact_event_kind report_nothing(const tact_world *world, tact_status status, tact_event *event)
{
    *event = (tact_event){.status = status, .time = tact_world_get_time(world)};
    return TACT_EVENT_NONE;
}

/* Of all that is foreseen. */
static double next_time(const advance *ad)
{
    const double event = ad->queue.count > 0 ? ad->queue.entries[0].time : INFINITY;
    return ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE ? fmin(event, tact_body_sweep_next_time(ad)) : event;
}

double tact_world_get_time(const tact_world *world)
{
    return world != NULL && world->advance != NULL ? world->advance->time : 0.0;
}

double tact_world_get_next_time(tact_world *world)
{
    if (world == NULL)
        return INFINITY;
    const advance *ad = world->advance;
    if (ad == NULL || ad->dirty.count > 0 || ad->reported[0] != NEIGHBOUR_NONE ||
        ad->motions.count < world->lines.count || ad->engine_change_pending || ad->events_outdated ||
        ad->engine != wanted_engine(world))
        return tact_world_get_time(world); /* there is something to be looked at now */
    return next_time(ad);
}

/* ---- what the world says of a body ---- */

/* Does it follow a plan? If not, it is where it was put. */
static bool follows_motion(const tact_world *world, uint32_t index)
{
    return advance_has_motion(world->advance, index) && world->advance->cold.items[index].moves;
}

tact_transform tact_advance_transform(const tact_world *world, uint32_t index)
{
    if (!follows_motion(world, index))
        return world->lines.items[index].place;
    const advance *ad = world->advance;
    const body_motion_cold *m = &ad->cold.items[index];
    tact_transform place = body_motion_transform(&ad->motions.items[index], m, ad->time);
    place.origin = tact_transform_point(place, vec_negate(m->pivot));
    return place;
}

tact_motion tact_advance_motion(const tact_world *world, uint32_t index)
{
    if (!follows_motion(world, index))
        return world->rests.items[index].motion;
    const advance *ad = world->advance;
    const body_motion_cold *m = &ad->cold.items[index];
    const tact_transform place = body_motion_transform(&ad->motions.items[index], m, ad->time);
    tact_motion motion = body_motion_motion(&ad->motions.items[index], m, ad->time);
    if (m->rotation_expiry < INFINITY) /* the spin of the piece is a mean */
        motion.spin = tact_mass_properties_angular_velocity(&world->rests.items[index].rigid->properties, &place,
                                                            m->momentum, &m->transform, m->motion.spin,
                                                            ad->time - ad->motions.items[index].start_time);
    const tact_vec3 arm = tact_transform_vector(place, vec_negate(m->pivot));
    motion.velocity = vec_add(motion.velocity, vec_cross(motion.spin, arm));
    return motion;
}

void tact_advance_sync_body(tact_world *world, uint32_t index)
{
    if (!follows_motion(world, index))
        return;
    const tact_transform place = tact_advance_transform(world, index);
    world->rests.items[index].motion = tact_advance_motion(world, index);
    world->lines.items[index].place = place;
    world->advance->cold.items[index].broad_outdated = true;
}

/* The broad phase of tests and searches learns where a body has got to. */
static tact_status sync_body(tact_world *world, uint32_t index)
{
    body_line *line = &world->lines.items[index];
    const tact_transform place = tact_advance_transform(world, index);
    const double *reach = line->flags & BODY_FIXED ? &world->rests.items[index].reach : NULL;
    box fitted;
    tact_status status = tact_body_fit(line->shape, &place, reach, &fitted);
    if (status == TACT_OK)
        status = tact_broad_move(world->broad, index, &fitted);
    if (status != TACT_OK)
        return status;
    tact_advance_sync_body(world, index);
    world->advance->cold.items[index].broad_outdated = false;
    tact_body_mark_moved(world, index);
    return TACT_OK;
}

static bool is_outdated(const tact_world *world) /* places change with time alone; else the broad phase is told */
{
    return world->advance != NULL && world->advance->synced_at != world->advance->time;
}

static tact_status sync_all(tact_world *world)
{
    tact_status status = TACT_OK;
    for (size_t i = 0; i < world->advance->motions.count && status == TACT_OK; ++i)
        if (world->lines.items[i].flags & BODY_ALIVE &&
            (follows_motion(world, (uint32_t)i) || world->advance->cold.items[i].broad_outdated))
            status = sync_body(world, (uint32_t)i);
    if (status == TACT_OK)
        world->advance->synced_at = world->advance->time;
    return status;
}

tact_status tact_advance_sync_all(tact_world *world)
{
    if (!is_outdated(world))
        return TACT_OK;
    const tact_status status = sync_all(world);
    if (status == TACT_OK)
        WORLD_NOTIFY(world, .type = CALL_SYNC_TRANSFORMS);
    return status;
}

static void reuse_indices(tact_world *world)
{
    const size_t enough = world->count > RECLAIM ? world->count : RECLAIM;
    if (world->advance == NULL || tact_broad_removed(world->broad, enough - 1) == BROAD_NONE)
        return;
    /* with bodies where they are now: all may have begun at one place. If there is no memory, they are given later */
    if (!is_outdated(world) || sync_all(world) == TACT_OK)
        (void)tact_world_update(world);
}

/* ---- the next event ---- */

static tact_event_kind run_until(tact_world *world, double until, tact_event *event)
{
    tact_status status = tact_advance_reserve(world);
    advance *ad = world->advance;
    if (status == TACT_OK)
        status = choose_engine(world);
    if (status == TACT_OK)
        status = apply_changes(world);
    while (status == TACT_OK && next_time(ad) <= until) {
        ad->time = fmax(ad->time, next_time(ad));
        if (tact_choice_changes(world)) {
            status = choose_engine(world);
            if (status == TACT_OK)
                status = apply_changes(world);
            continue;
        }
        if (ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE && tact_body_sweep_next_time(ad) <= next_time(ad)) {
            status = step_sweep(world);
            ad->effort.events += status == TACT_OK;
            continue;
        }
        const event_entry next = ad->queue.entries[0];
        uint32_t who;
        prefetch_next_events(world);
        const tact_event_kind kind = process_event(world, next.id, &who, &status);
        ad->effort.events += status == TACT_OK;
        if (kind == TACT_EVENT_TOUCH)
            report_touch(world, next.id, event);
        if (kind == TACT_EVENT_MOTION_EXPIRED)
            report_expired(world, who, event);
        if (kind != TACT_EVENT_NONE)
            return kind;
    }
    if (status == TACT_OK)
        ad->time = until;
    return report_nothing(world, status, event);
}

tact_event_kind tact_world_next_event(tact_world *world, double until, tact_event *event)
{
    tact_event unwanted;
    if (event == NULL)
        event = &unwanted;
    if (world == NULL || world->testing || !(fabs(until) < INFINITY) || until < tact_world_get_time(world))
        return report_nothing(world, TACT_BAD_ARGUMENT, event);
    WORLD_NOTIFY(world, .type = CALL_NEXT_EVENT, .time = until);
    reuse_indices(world);
    const tact_event_kind kind = run_until(world, until, event);
    WORLD_NOTIFY(world, .type = CALL_NEXT_EVENT_END, .event = event);
    return kind;
}
