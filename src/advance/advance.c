/* A world through continuous time: the loop. See advance.h. */
#include "advance/advance.h"

#include <math.h>

#include "advance/sphere_sphere.h"
#include "core/memory.h"
#include "dynamics/rigid.h"
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
    body_motion_array_release(&ad->plans, allocator);
    body_motion_cold_array_release(&ad->more, allocator);
    prediction_array_release(&ad->records, allocator);
    tact_fat_bounds_release(&ad->shells, allocator);
    tact_kinetic_lists_release(&ad->lists, allocator);
    tact_neighbours_release(&ad->near, allocator);
    tact_event_queue_release(&ad->queue, allocator);
    index_array_release(&ad->noted, allocator);
    touch_array_release(&ad->kept, allocator);
    tact_memory_free(allocator, ad, 1, sizeof *ad);
}

static void drop_record(void *context, uint32_t word)
{
    advance *ad = context;
    ad->records.items[word].version = 0; /* events with it are stale */
    ad->records.items[word].next = ad->unused;
    ad->unused = word;
}

tact_status tact_advance_make_room(tact_world *world)
{
    const tact_allocator *allocator = &world->allocator;
    advance *ad = world->advance;
    if (ad == NULL) {
        ad = tact_memory_allocate(allocator, 1, sizeof *ad);
        if (ad == NULL)
            return TACT_OUT_OF_MEMORY;
        *ad = (advance){
            .near = tact_neighbours_empty(), .unused = NEIGHBOUR_NONE, .told = {NEIGHBOUR_NONE, NEIGHBOUR_NONE}};
        ad->near.drop = drop_record;
        ad->near.context = ad;
        ad->shells = tact_fat_bounds_empty(&ad->near);
        ad->engine = ad->choice.wish = TACT_KINETIC_FAT_BOUNDS;
        tact_kinetic_lists_start(ad);
        world->advance = ad;
        tact_world_extend(world, WORLD_EXTENSION_ADVANCE, &tact_advance_extension);
    }
    const size_t count = world->lines.count;
    if (count <= ad->plans.count)
        return TACT_OK;
    if (!body_motion_array_reserve(&ad->plans, allocator, count) ||
        !body_motion_cold_array_reserve(&ad->more, allocator, count) ||
        !index_array_reserve(&ad->noted, allocator, count) ||
        !tact_fat_bounds_reserve(&ad->shells, allocator, (uint32_t)count) ||
        !tact_event_queue_reserve(&ad->queue, allocator, (uint32_t)count) ||
        (ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE &&
         !tact_kinetic_lists_reserve(&ad->lists, allocator, (uint32_t)count)))
        return TACT_OUT_OF_MEMORY;
    for (size_t i = ad->plans.count; i < count; ++i) {
        ad->plans.items[ad->plans.count++] = (body_motion){.since = ad->time, .ball = NO_BALL};
        ad->more.items[ad->more.count++] = (body_motion_cold){.other = NEIGHBOUR_NONE, .began = INFINITY};
        if (world->lines.items[i].flags & BODY_ALIVE)
            tact_advance_note(world, (uint32_t)i);
    }
    return TACT_OK;
}

void tact_advance_note_motion(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    if (ad == NULL || index >= ad->plans.count)
        return; /* what is beyond is noted when there is room for it */
    ad->more.items[index].taken = ad->more.items[index].kept = false;
    if (world->rests.items[index].course == NULL)
        ad->more.items[index].course = NULL; /* it has been freed */
    if (ad->more.items[index].noted)
        return;
    ad->more.items[index].noted = true;
    ad->noted.items[ad->noted.count++] = index;
}

void tact_advance_note(tact_world *world, uint32_t index)
{
    tact_advance_note_motion(world, index);
    if (world->advance != NULL && index < world->advance->plans.count)
        world->advance->more.items[index].redone = true;
}

void tact_advance_forget(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    if (ad == NULL || index >= ad->plans.count)
        return;
    tact_event_queue_cancel(&ad->queue, index);
    if (fat_bounds_has(&ad->shells, index))
        tact_fat_bounds_remove(&ad->shells, index);
    tact_kinetic_lists_forget(world, index);
    ad->more.items[index].number = ++ad->versions; /* events with it are stale */
    ad->more.items[index].room = ad->more.items[index].lasted = 0.0;
    ad->more.items[index].vain = 0;
    ad->more.items[index].began = INFINITY;
    ad->more.items[index].behind = false;
    ad->more.items[index].course = NULL;
    tact_advance_drop_kept(ad, index);
    if (ad->told[0] == index || ad->told[1] == index) {       /* whoever gets its index was not told */
        ad->told[0] = ad->told[ad->told[0] == index ? 1 : 0]; /* but the event of the other one is still to be set */
        ad->told[1] = NEIGHBOUR_NONE;
    }
    tact_advance_note(world, index);
}

/* Is it among those that may be neighbours? */
static bool is_known(const advance *ad, uint32_t index)
{
    return ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE ? kinetic_lists_has(&ad->lists, index)
                                                      : fat_bounds_has(&ad->shells, index);
}

/* ---- memory ---- */

/* Of many bodies little is in the cache, and an event reads a dozen lines: they are asked for before. All functions are
 * always inline, as gcc leaves out calls of a function that does nothing else. */

/* What an event of a body will read, but for its neighbours. */
TACT_FORCE_INLINE void ask_for_body(const tact_world *world, uint32_t index, bool touch)
{
    const advance *ad = world->advance;
    cache_line_prefetch(&ad->plans.items[index]);
    cache_line_prefetch(&ad->more.items[index]);
    cache_line_prefetch(&ad->more.items[index].told_at);
    cache_line_prefetch(&ad->near.lists.items[index]);
    if (touch) {
        cache_line_prefetch(&world->lines.items[index].generation);
        cache_line_prefetch(&world->rests.items[index].user);
    } else {
        cache_line_prefetch(&ad->shells.forms.items[index]);
        cache_line_prefetch(&ad->shells.filters.items[index]);
        cache_line_prefetch(&ad->shells.grid.seats.items[index]);
    }
}

/* The list of its neighbours: of most all lines. */
TACT_FORCE_INLINE void ask_for_list(const advance *ad, uint32_t index)
{
    const neighbour_span all = neighbours_of(&ad->near, index);
    if (all.count == 0)
        return;
    cache_line_prefetch(all.items);
    cache_line_prefetch(all.items + all.count / 2);
    cache_line_prefetch(all.items + all.count - 1);
}

TACT_FORCE_INLINE void ask_for_neighbours(const advance *ad, neighbour_span all)
{
    for (uint32_t i = 0; i < all.count; ++i)
        cache_line_prefetch(&ad->plans.items[all.items[i].number]);
}

/* What is to happen soon: one of those below the first in the heap is the next. Those that have come there since the
 * last time; and of those that may follow them what tells with whom that is. */
TACT_FORCE_INLINE void foresee(const tact_world *world)
{
    advance *ad = world->advance;
    uint32_t next = 1;
    for (uint32_t i = 1; i <= SOON && i < ad->queue.count; ++i) {
        const uint32_t index = ad->queue.entries[i].id;
        next = ad->queue.entries[i].time < ad->queue.entries[next].time ? i : next;
        if (ad->soon[i - 1] == index)
            continue;
        ad->soon[i - 1] = index;
        const uint32_t other = ad->more.items[index].other;
        ask_for_body(world, index, other != NEIGHBOUR_NONE);
        if (other != NEIGHBOUR_NONE)
            ask_for_body(world, other, true);
        for (uint32_t k = EVENT_HEAP_ARITY * i + 1; k <= EVENT_HEAP_ARITY * (i + 1) && k < ad->queue.count; ++k)
            cache_line_prefetch(&ad->more.items[ad->queue.entries[k].id]);
    }
    if (next < ad->queue.count && ad->next != ad->queue.entries[next].id) {
        ad->next = ad->queue.entries[next].id;
        const uint32_t other = ad->more.items[ad->next].other;
        ask_for_list(ad, ad->next);
        if (other != NEIGHBOUR_NONE) {
            ask_for_list(ad, other);
            cache_line_prefetch(world->rests.items[ad->next].rigid);
            cache_line_prefetch(world->rests.items[other].rigid);
        }
    }
}

/* ---- events ---- */

/* Names do not depend on how indices were given: by the order of making. */
static uint64_t key_of(const advance *ad, uint32_t one, uint32_t other)
{
    const uint64_t a = ad->more.items[one].serial, b = ad->more.items[other].serial;
    return a < b ? a << 32 | (b & UINT32_MAX) : b << 32 | (a & UINT32_MAX);
}

/* Of looks at those that are watched: after the touches that are known, before what is due, as they may be touches. */
#define WATCHED_KEY (((uint64_t)1 << 63) - 1)

/* Exits and looks, after all touches; what is due by the order of making. */
static uint64_t key_of_own(const body_motion_cold *m)
{
    return m->course == NULL ? UINT64_MAX : (uint64_t)1 << 63 | m->serial;
}

static bool was_told(const advance *ad, uint32_t one, uint32_t other)
{
    return (ad->told[0] == one && ad->told[1] == other) || (ad->told[0] == other && ad->told[1] == one);
}

/* Then what two balls do at this time is put down in a record. */
static bool is_told_often(const body_motion_cold *m, double now) { return m->told_at == now && m->told_times > OFTEN; }

/* The next that happens with a neighbour, not beyond `first`: touch or parting; or else when to look again, and `known`
 * is false. */
static double next_with(tact_world *world, uint32_t index, neighbour *n, double first, bool *known, tact_status *status)
{
    advance *ad = world->advance;
    const body_motion *p = &ad->plans.items[index], *o = &ad->plans.items[n->number];
    const body_motion_cold *m = &ad->more.items[index], *om = &ad->more.items[n->number];
    const bool told = was_told(ad, index, n->number);
    *known = true;
    if (n->word == NEIGHBOUR_NONE && p->ball >= 0.0 && o->ball >= 0.0) {
        const ball_now one = ball_at(p, ad->time);
        const double t = balls_touch(&one, o, ad->time, first - ad->time);
        if (t == INFINITY || !(told || (is_told_often(m, ad->time) && is_told_often(om, ad->time))))
            return ad->time + t;
    }
    const bool made = n->word == NEIGHBOUR_NONE;
    const uint32_t word = tact_prediction_of(world, n);
    if (word == NEIGHBOUR_NONE) {
        *status = TACT_OUT_OF_MEMORY;
        return INFINITY;
    }
    pair_prediction *r = &ad->records.items[word];
    if (made && told)
        r->in = true; /* two balls: they have just been told, and close still */
    if (r->version < m->number || r->version < om->number || (r->time == INFINITY && r->until <= ad->time)) {
        *status = tact_prediction_renew(world, index, n, first);
        if (*status != TACT_OK)
            return INFINITY;
    }
    if (r->time < INFINITY)
        return r->time;
    *known = false;
    return r->until < r->ends ? r->until : INFINITY;
}

static double event_time(const event_queue *q, uint32_t index)
{
    return event_queue_has(q, index) ? q->entries[q->heap_index[index]].time : INFINITY;
}

/* No event has it: of two bodies one was made after the other. */
#define NO_KEY 0

/* What happens first with a body, of what has been looked at. */
typedef struct first_event {
    double time;
    uint64_t key;         /* NO_KEY: that of the two bodies, not worked out yet */
    uint32_t other, word; /* as in body_motion_cold */
} first_event;

/* Something happens with a neighbour, not after `first`: it comes before, by its key if not by its time. Of two bodies
 * that is not worked out before it is needed, as it takes memory that nothing else does. */
static void put_first(const advance *ad, uint32_t index, const neighbour *n, double time, uint64_t key,
                      first_event *first)
{
    if (time == first->time) {
        if (first->key == NO_KEY)
            first->key = key_of(ad, index, first->other);
        if (key == NO_KEY)
            key = key_of(ad, index, n->number);
        if (key >= first->key)
            return;
    }
    cache_line_prefetch(&ad->more.items[n->number]);
    *first = (first_event){time, key, n->number, n->word};
}

/* Whether what happens with a neighbour comes before. */
static tact_status look_at(tact_world *world, uint32_t index, neighbour *n, first_event *first)
{
    bool known;
    tact_status status = TACT_OK;
    const double time = next_with(world, index, n, first->time, &known, &status);
    const advance *ad = world->advance;
    const bool watched = !known && (body_motion_is_watched(&ad->more.items[index]) ||
                                    body_motion_is_watched(&ad->more.items[n->number]));
    if (status == TACT_OK && time <= first->time && (time < first->time || known || watched))
        put_first(ad, index, n, time, known ? NO_KEY : watched ? WATCHED_KEY : UINT64_MAX, first);
    return status;
}

static void write_event(advance *ad, uint32_t index, first_event *first)
{
    if (first->key == NO_KEY)
        first->key = key_of(ad, index, first->other);
    body_motion_cold *m = &ad->more.items[index];
    m->other = first->other;
    m->word = first->word;
    if (m->other != NEIGHBOUR_NONE)
        m->version = m->word != NEIGHBOUR_NONE ? ad->records.items[m->word].version : ad->more.items[m->other].number;
    if (first->time < INFINITY)
        tact_event_queue_set(&ad->queue, index, first->time, first->key);
    else
        tact_event_queue_cancel(&ad->queue, index);
}

/* Sets the event of a body to what happens first with it. */
static tact_status set_event(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    const body_motion *p = &ad->plans.items[index];
    const body_motion_cold *m = &ad->more.items[index];
    const neighbour_span all = neighbours_of(&ad->near, index);
    first_event first = {m->exit, key_of_own(m), NEIGHBOUR_NONE, NEIGHBOUR_NONE};
    const ball_now one = ball_at(p, ad->time);
    const bool often = is_told_often(m, ad->time);
    ask_for_neighbours(ad, all);
    for (uint32_t i = 0; i < all.count; ++i) {
        neighbour *n = &all.items[i];
        const body_motion *o = &ad->plans.items[n->number];
        if (n->word == NEIGHBOUR_NONE && p->ball >= 0.0 && o->ball >= 0.0) {
            const double t = balls_touch(&one, o, ad->time, first.time - ad->time);
            if (t == INFINITY)
                continue; /* most do not touch: this alone is quick */
            if (!often && !was_told(ad, index, n->number)) {
                if (ad->time + t <= first.time)
                    put_first(ad, index, n, ad->time + t, NO_KEY, &first);
                continue;
            }
        }
        const tact_status status = look_at(world, index, n, &first);
        if (status != TACT_OK)
            return status; /* nothing is written before all is known */
    }
    write_event(ad, index, &first);
    return TACT_OK;
}

/* Two have become neighbours in the lists: the event of the one to which something happens earlier anyway is set to
 * what they do, if that is earlier still. */
static tact_status set_event_of_new(tact_world *world, uint32_t one, uint32_t other)
{
    advance *ad = world->advance;
    const event_queue *q = &ad->queue;
    const double times[2] = {event_time(q, one), event_time(q, other)};
    const bool moves[2] = {ad->more.items[one].moves, ad->more.items[other].moves};
    if (!moves[0] && !moves[1])
        return TACT_OK;
    const bool second = !moves[0] || (moves[1] && times[1] < times[0]);
    const uint32_t index = second ? other : one, place = tact_neighbours_find(&ad->near, index, second ? one : other);
    if (place == NEIGHBOUR_NONE)
        return TACT_OK; /* they have been separated meanwhile */
    const body_motion_cold *m = &ad->more.items[index];
    const bool waits = event_queue_has(q, index);
    const first_event old = {times[second], waits ? q->keys[index] : UINT64_MAX, m->other, m->word};
    first_event first = old;
    const tact_status status = look_at(world, index, &neighbours_of(&ad->near, index).items[place], &first);
    if (status == TACT_OK && (first.time != old.time || first.key != old.key))
        write_event(ad, index, &first);
    return status;
}

/* What happens next in the lists. */
static tact_status go_on_in_lists(tact_world *world)
{
    kinetic_lists *l = &world->advance->lists;
    tact_status status = TACT_OK;
    if (l->begun[0] == NEIGHBOUR_NONE)
        status = tact_kinetic_lists_step(world);
    if (status == TACT_OK && l->begun[0] != NEIGHBOUR_NONE)
        status = set_event_of_new(world, l->begun[0], l->begun[1]);
    if (status == TACT_OK)
        l->begun[0] = l->begun[1] = NEIGHBOUR_NONE;
    return status;
}

/* The engine that was asked for. */
static tact_kinetic wanted(const tact_world *world)
{
    const advance *ad = world->advance;
    if (world->lines.count > LISTS_MOST)
        return TACT_KINETIC_FAT_BOUNDS;
    return world->kinetic != TACT_KINETIC_AUTO ? world->kinetic : ad->choice.wish;
}

static tact_status choose(tact_world *world)
{
    const advance *ad = world->advance;
    const tact_kinetic engine = wanted(world);
    if (engine == ad->engine && !ad->torn)
        return TACT_OK;
    return engine == TACT_KINETIC_SWEEP_AND_PRUNE ? tact_advance_take_lists(world) : tact_advance_take_shells(world);
}

/* Brings in what was said of bodies since the last call. What fails is done again. First all plans, then all events, so
 * that each is foreseen as all will be. */
static tact_status take_changes(tact_world *world)
{
    advance *ad = world->advance;
    tact_status status = TACT_OK;
    for (size_t i = 0; i < ad->noted.count && status == TACT_OK; ++i) {
        const uint32_t index = ad->noted.items[i];
        if (!(world->lines.items[index].flags & BODY_ALIVE) || ad->more.items[index].taken)
            continue;
        status = tact_body_motion_take(world, index);
        ad->more.items[index].taken = status == TACT_OK;
        ad->effort.plans += status == TACT_OK;
    }
    if (status == TACT_OK && ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE)
        status = tact_kinetic_lists_take_in(world);
    if (status == TACT_OK && ad->kept.count > 0)
        status = tact_advance_take_kept(world);
    for (uint32_t i = 0; i < ad->plans.count && status == TACT_OK && ad->unset; ++i)
        if (ad->more.items[i].moves && is_known(ad, i) && !ad->more.items[i].noted)
            status = set_event(world, i);
    for (size_t i = 0; i < ad->noted.count && status == TACT_OK; ++i) {
        const uint32_t index = ad->noted.items[i];
        if (!(world->lines.items[index].flags & BODY_ALIVE))
            continue;
        if (ad->more.items[index].moves) {
            status = set_event(world, index);
            continue;
        }
        tact_event_queue_cancel(&ad->queue, index); /* others have events with it */
        const neighbour_span all = neighbours_of(&ad->near, index);
        for (uint32_t k = 0; k < all.count && status == TACT_OK; ++k)
            if (ad->more.items[all.items[k].number].moves && !ad->more.items[all.items[k].number].noted)
                status = set_event(world, all.items[k].number);
    }
    for (int i = 0; i < 2 && status == TACT_OK && ad->told[i] != NEIGHBOUR_NONE; ++i) {
        const body_motion_cold *m = &ad->more.items[ad->told[i]];
        if (m->moves && !m->noted) /* it is known, as it was told, and has not gone */
            status = set_event(world, ad->told[i]);
    }
    if (status != TACT_OK)
        return status;
    for (size_t i = 0; i < ad->noted.count; ++i)
        ad->more.items[ad->noted.items[i]].noted = ad->more.items[ad->noted.items[i]].redone =
            ad->more.items[ad->noted.items[i]].taken = ad->more.items[ad->noted.items[i]].kept = false;
    ad->noted.count = 0;
    ad->unset = false;
    ad->told[0] = ad->told[1] = NEIGHBOUR_NONE;
    return TACT_OK;
}

/* ---- going on ---- */

/* Leaves a body its shell because nothing is known of it beyond? */
static bool is_due(const body_motion_cold *m, double now)
{
    const course *c = m->course;
    return c != NULL &&
           (!(c->said.until > now) || (c->said.max_deviation_speed > 0.0 && c->asked < now && now < m->turns_until));
}

/* Asks where a body is. */
static tact_event_kind ask(tact_world *world, uint32_t index, tact_status *status)
{
    bool tell = false;
    *status = tact_course_ask(world, index, &tell);
    if (*status == TACT_OK && !tell) {
        *status = take_changes(world);
        world->advance->effort.events += *status != TACT_OK; /* asked: the rest is done with the next call */
    }
    return *status == TACT_OK && tell ? TACT_EVENT_MOTION_EXPIRED : TACT_EVENT_NONE;
}

/* The event of a body, at its time: it touches the other one; or `*who`, it or the other, is due; or nothing that is
 * told. */
static tact_event_kind happen(tact_world *world, uint32_t index, uint32_t *who, tact_status *status)
{
    advance *ad = world->advance;
    body_motion_cold *m = &ad->more.items[index];
    *status = TACT_OK;
    *who = index;
    if (m->other == NEIGHBOUR_NONE) {
        if (!(m->exit > ad->time)) { /* else it has been done, and there was no memory for the rest */
            if (is_due(m, ad->time))
                return ask(world, index, status);
            *status = tact_body_motion_renew(world, index);
        }
    } else if (m->word == NEIGHBOUR_NONE) {
        if (ad->more.items[m->other].number == m->version)
            return TACT_EVENT_TOUCH;
    } else {
        pair_prediction *r = &ad->records.items[m->word];
        if (r->version == m->version && r->time <= ad->time) {
            r->in = !r->in;
            r->told_version = r->version;
            r->version =
                0; /* what comes then is to be found out; after a touch, when the caller has done what he wants */
            r->near = false;
            if (r->in) {
                r->told_times = r->told_at == ad->time ? r->told_times + 1 : 1;
                r->told_at = ad->time;
                return TACT_EVENT_TOUCH;
            }
        } else if (r->version == m->version) { /* to be looked at again, of places that are known */
            *who = tact_watch_due(world, index, m->other);
            if (*who != NEIGHBOUR_NONE) {
                r->again = -INFINITY;
                return ask(world, *who, status);
            }
        }
    }
    if (*status == TACT_OK)
        *status = set_event(world, index);
    return TACT_EVENT_NONE;
}

static void count_told(body_motion_cold *m, double now)
{
    m->told_times = m->told_at == now ? m->told_times + 1 : 1;
    m->told_at = now;
}

static void tell(tact_world *world, uint32_t index, tact_event *event)
{
    advance *ad = world->advance;
    const body_motion_cold *m = &ad->more.items[index];
    const bool first = m->serial < ad->more.items[m->other].serial;
    const uint32_t a = first ? index : m->other, b = first ? m->other : index;
    ad->told[0] = a;
    ad->told[1] = b;
    for (int i = 0; i < 2; ++i)
        if (ad->more.items[ad->told[i]].moves)
            ask_for_neighbours(ad, neighbours_of(&ad->near, ad->told[i])); /* its event will be set */
    count_told(&ad->more.items[a], ad->time);
    count_told(&ad->more.items[b], ad->time);
    *event = (tact_event){.status = TACT_OK,
                          .kind = TACT_EVENT_TOUCH,
                          .time = ad->time,
                          .a = body_name(world, a),
                          .b = body_name(world, b),
                          .user_a = world->rests.items[a].user,
                          .user_b = world->rests.items[b].user};
    if (m->word != NEIGHBOUR_NONE) {
        const pair_prediction *r = &ad->records.items[m->word];
        event->point = r->point;
        event->normal = a < b ? r->normal : vec_negate(r->normal);
        return;
    }
    const body_motion *pa = &ad->plans.items[a], *pb = &ad->plans.items[b];
    const tact_vec3 from = body_motion_origin(pa, &ad->more.items[a], ad->time);
    const tact_vec3 way = vec_sub(body_motion_origin(pb, &ad->more.items[b], ad->time), from);
    const double length = vec_length_safe(way);
    event->normal = length > 0.0 ? vec_scale(way, 1.0 / length) : vec_make(0.0, 0.0, 0.0);
    event->point = vec_mul_add(from, pa->ball, event->normal);
}

static void tell_due(const tact_world *world, uint32_t index, tact_event *event)
{
    *event = (tact_event){.status = TACT_OK,
                          .kind = TACT_EVENT_MOTION_EXPIRED,
                          .time = world->advance->time,
                          .a = body_name(world, index),
                          .user_a = world->rests.items[index].user};
}

static tact_event_kind nothing(const tact_world *world, tact_status status, tact_event *event)
{
    *event = (tact_event){.status = status, .time = tact_world_get_time(world)};
    return TACT_EVENT_NONE;
}

/* Of all that is foreseen. */
static double next_time(const advance *ad)
{
    const double event = ad->queue.count > 0 ? ad->queue.entries[0].time : INFINITY;
    return ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE ? fmin(event, tact_kinetic_lists_next(ad)) : event;
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
    if (ad == NULL || ad->noted.count > 0 || ad->told[0] != NEIGHBOUR_NONE || ad->plans.count < world->lines.count ||
        ad->torn || ad->unset || ad->engine != wanted(world))
        return tact_world_get_time(world); /* there is something to be looked at now */
    return next_time(ad);
}

/* ---- what the world says of a body ---- */

/* Does it follow a plan? If not, it is where it was put. */
static bool follows(const tact_world *world, uint32_t index)
{
    return advance_has_plan(world->advance, index) && world->advance->more.items[index].moves;
}

tact_transform tact_advance_place(const tact_world *world, uint32_t index)
{
    if (!follows(world, index))
        return world->lines.items[index].place;
    const advance *ad = world->advance;
    const body_motion_cold *m = &ad->more.items[index];
    tact_transform place = body_motion_transform(&ad->plans.items[index], m, ad->time);
    place.origin = tact_transform_point(place, vec_negate(m->pivot));
    return place;
}

tact_motion tact_advance_motion(const tact_world *world, uint32_t index)
{
    if (!follows(world, index))
        return world->rests.items[index].motion;
    const advance *ad = world->advance;
    const body_motion_cold *m = &ad->more.items[index];
    const tact_transform place = body_motion_transform(&ad->plans.items[index], m, ad->time);
    tact_motion motion = body_motion_motion(&ad->plans.items[index], m, ad->time);
    if (m->turns_until < INFINITY) /* the spin of the piece is a mean */
        motion.spin =
            tact_mass_properties_angular_velocity(&world->rests.items[index].rigid->properties, &place, m->momentum,
                                                  &m->place, m->motion.spin, ad->time - ad->plans.items[index].since);
    const tact_vec3 arm = tact_transform_vector(place, vec_negate(m->pivot));
    motion.velocity = vec_add(motion.velocity, vec_cross(motion.spin, arm));
    return motion;
}

void tact_advance_settle(tact_world *world, uint32_t index)
{
    if (!follows(world, index))
        return;
    const tact_transform place = tact_advance_place(world, index);
    world->rests.items[index].motion = tact_advance_motion(world, index);
    world->lines.items[index].place = place;
    world->advance->more.items[index].behind = true;
}

/* The broad phase of tests and searches learns where a body has got to. */
static tact_status catch_up(tact_world *world, uint32_t index)
{
    body_line *line = &world->lines.items[index];
    const tact_transform place = tact_advance_place(world, index);
    const double *reach = line->flags & BODY_FIXED ? &world->rests.items[index].reach : NULL;
    box fitted;
    tact_status status = tact_body_fit(line->shape, &place, reach, &fitted);
    if (status == TACT_OK)
        status = tact_broad_move(world->broad, index, &fitted);
    if (status != TACT_OK)
        return status;
    tact_advance_settle(world, index);
    world->advance->more.items[index].behind = false;
    tact_body_mark_moved(world, index);
    return TACT_OK;
}

static bool is_behind(const tact_world *world) /* places change with time alone; else the broad phase is told */
{
    return world->advance != NULL && world->advance->caught_up != world->advance->time;
}

static tact_status catch_up_all(tact_world *world)
{
    tact_status status = TACT_OK;
    for (size_t i = 0; i < world->advance->plans.count && status == TACT_OK; ++i)
        if (world->lines.items[i].flags & BODY_ALIVE &&
            (follows(world, (uint32_t)i) || world->advance->more.items[i].behind))
            status = catch_up(world, (uint32_t)i);
    if (status == TACT_OK)
        world->advance->caught_up = world->advance->time;
    return status;
}

tact_status tact_advance_sync(tact_world *world)
{
    if (!is_behind(world))
        return TACT_OK;
    const tact_status status = catch_up_all(world);
    if (status == TACT_OK)
        WORLD_NOTIFY(world, .type = CALL_CATCH_UP);
    return status;
}

static void reclaim(tact_world *world)
{
    const size_t enough = world->count > RECLAIM ? world->count : RECLAIM;
    if (world->advance == NULL || tact_broad_removed(world->broad, enough - 1) == BROAD_NONE)
        return;
    /* with bodies where they are now: all may have begun at one place. If there is no memory, they are given later */
    if (!is_behind(world) || catch_up_all(world) == TACT_OK)
        (void)tact_world_update(world);
}

/* ---- the next event ---- */

static tact_event_kind go_on(tact_world *world, double until, tact_event *event)
{
    tact_status status = tact_advance_make_room(world);
    advance *ad = world->advance;
    if (status == TACT_OK)
        status = choose(world);
    if (status == TACT_OK)
        status = take_changes(world);
    while (status == TACT_OK && next_time(ad) <= until) {
        ad->time = fmax(ad->time, next_time(ad));
        if (tact_choice_changes(world)) {
            status = choose(world);
            if (status == TACT_OK)
                status = take_changes(world);
            continue;
        }
        if (ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE && tact_kinetic_lists_next(ad) <= next_time(ad)) {
            status = go_on_in_lists(world);
            ad->effort.events += status == TACT_OK;
            continue;
        }
        const event_entry next = ad->queue.entries[0];
        uint32_t who;
        foresee(world);
        const tact_event_kind kind = happen(world, next.id, &who, &status);
        ad->effort.events += status == TACT_OK;
        if (kind == TACT_EVENT_TOUCH)
            tell(world, next.id, event);
        if (kind == TACT_EVENT_MOTION_EXPIRED)
            tell_due(world, who, event);
        if (kind != TACT_EVENT_NONE)
            return kind;
    }
    if (status == TACT_OK)
        ad->time = until;
    return nothing(world, status, event);
}

tact_event_kind tact_world_next_event(tact_world *world, double until, tact_event *event)
{
    tact_event unwanted;
    if (event == NULL)
        event = &unwanted;
    if (world == NULL || world->testing || !(fabs(until) < INFINITY) || until < tact_world_get_time(world))
        return nothing(world, TACT_BAD_ARGUMENT, event);
    WORLD_NOTIFY(world, .type = CALL_NEXT, .number = until);
    reclaim(world);
    const tact_event_kind kind = go_on(world, until, event);
    WORLD_NOTIFY(world, .type = CALL_NEXT_END, .event = event);
    return kind;
}
