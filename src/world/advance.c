/* A world through continuous time: the loop. See advance.h. */
#include "world/advance.h"

#include <math.h>

#include "core/memory.h"
#include "world/bounds.h"

/* ---- what is kept ---- */

void tact_advance_free(advance *ad, const tact_allocator *allocator)
{
    if (ad == NULL)
        return;
    plan_array_release(&ad->plans, allocator);
    plan_rest_array_release(&ad->rests, allocator);
    foreseen_array_release(&ad->pairs, allocator);
    tact_shells_release(&ad->shells, allocator);
    tact_event_queue_release(&ad->queue, allocator);
    index_array_release(&ad->noted, allocator);
    tact_memory_give(allocator, ad, 1, sizeof *ad);
}

/* Room for all bodies; new ones are noted. */
static tact_status make_room(tact_world *world)
{
    const tact_allocator *allocator = &world->allocator;
    advance *ad = world->advance;
    if (ad == NULL) {
        ad = tact_memory_take(allocator, 1, sizeof *ad);
        if (ad == NULL)
            return TACT_OUT_OF_MEMORY;
        *ad = (advance){.shells = shells_empty(), .told_bodies = {SHELL_NONE, SHELL_NONE}};
        world->advance = ad;
    }
    const size_t count = world->lines.count;
    if (count <= ad->plans.count)
        return TACT_OK;
    if (!plan_array_reserve(&ad->plans, allocator, count) || !plan_rest_array_reserve(&ad->rests, allocator, count) ||
        !index_array_reserve(&ad->noted, allocator, count) ||
        !tact_shells_reserve(&ad->shells, allocator, (uint32_t)count) ||
        !tact_event_queue_reserve(&ad->queue, allocator, (uint32_t)count))
        return TACT_OUT_OF_MEMORY;
    for (size_t i = ad->plans.count; i < count; ++i) {
        ad->plans.items[ad->plans.count++] = (plan){.since = ad->time};
        ad->rests.items[ad->rests.count++] = (plan_rest){.slot = SHELL_NONE};
        if (world->lines.items[i].flags & BODY_ALIVE)
            tact_advance_note(world, (uint32_t)i);
    }
    return TACT_OK;
}

void tact_advance_note_motion(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    if (ad == NULL || index >= ad->plans.count || ad->rests.items[index].noted)
        return; /* what is beyond is noted when there is room for it */
    ad->rests.items[index].noted = true;
    ad->noted.items[ad->noted.count++] = index;
}

void tact_advance_note(tact_world *world, uint32_t index)
{
    tact_advance_note_motion(world, index);
    if (world->advance != NULL && index < world->advance->plans.count)
        world->advance->rests.items[index].redone = true;
}

void tact_advance_forget(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    if (ad == NULL || index >= ad->plans.count)
        return;
    tact_event_queue_cancel(&ad->queue, index);
    if (shells_has(&ad->shells, index))
        tact_shells_remove(&ad->shells, index);
    ad->plans.items[index].number = ++ad->plan_number;
    tact_advance_note(world, index);
}

/* ---- events ---- */

/* Names do not depend on how indices were given: by the order of making. */
static uint64_t key_of(const tact_world *world, uint32_t one, uint32_t other)
{
    const uint64_t a = world->lines.items[one].serial, b = world->lines.items[other].serial;
    return a < b ? a << 32 | (b & UINT32_MAX) : b << 32 | (a & UINT32_MAX);
}

/* Sets the event of a body to the first of what its pairs hold. What is not known of them is found out, no farther than what
 * is found already. */
static tact_status set_event(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    plan *p = &ad->plans.items[index];
    plan_rest *rest = &ad->rests.items[index];
    double first = p->exit;
    uint64_t key = UINT64_MAX;
    rest->slot = SHELL_NONE;
    for (uint32_t link = ad->shells.heads.items[index]; link != SHELL_NONE; link = shell_next(&ad->shells, link)) {
        const uint32_t slot = link >> 1, other = shell_other(&ad->shells, link);
        foreseen *f = &ad->pairs.items[slot];
        const uint32_t side = link & 1;
        if (f->version == 0 || f->numbers[side] != p->number || f->numbers[1 - side] != ad->plans.items[other].number ||
            (f->time == INFINITY && f->until <= ad->time)) {
            tact_status status = tact_pair_foresee(world, slot, first);
            if (status != TACT_OK)
                return status;
        }
        double time = f->time;
        const bool known = time < INFINITY;
        if (!known && f->until < fmin(p->exit, ad->plans.items[other].exit))
            time = f->until; /* to be looked at again, if nothing happens before or then; at an exit it is anyway */
        if (time > first || (time == first && !known))
            continue;
        const uint64_t name = known ? key_of(world, index, other) : UINT64_MAX;
        if (time < first || name < key) {
            first = time;
            key = name;
            rest->slot = slot;
            rest->version = f->version;
        }
    }
    if (first < INFINITY)
        tact_event_queue_set(&ad->queue, index, first, key);
    else
        tact_event_queue_cancel(&ad->queue, index);
    return TACT_OK;
}

/* New slots have room. */
static tact_status shells_grown(tact_world *world)
{
    advance *ad = world->advance;
    const size_t count = ad->shells.pairs.count;
    if (!foreseen_array_reserve(&ad->pairs, &world->allocator, count))
        return TACT_OUT_OF_MEMORY;
    ad->pairs.count = count;
    for (size_t i = 0; i < ad->shells.began.count; ++i)
        ad->pairs.items[ad->shells.began.items[i]] = (foreseen){.version = 0};
    ad->shells.began.count = 0;
    return TACT_OK;
}

/* ---- what has changed ---- */

static bool is_between(tact_vec3 low, tact_vec3 x, tact_vec3 high)
{
    return low.x <= x.x && x.x <= high.x && low.y <= x.y && x.y <= high.y && low.z <= x.z && x.z <= high.z;
}

static tact_status take_plan(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    const body_line *line = &world->lines.items[index];
    const tact_motion *motion = &world->rests.items[index].motion;
    plan *p = &ad->plans.items[index];
    plan_rest *rest = &ad->rests.items[index];
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    const bool moves = !vec_equal(motion->velocity, zero) || !vec_equal(motion->acceleration, zero) ||
                       !vec_equal(motion->spin, zero);
    const bool stays = !rest->redone && rest->moves && moves && vec_equal(motion->spin, p->motion.spin) &&
                       shells_has(&ad->shells, index) && is_between(rest->least, line->place.origin, rest->most);
    p->place = line->place;
    p->motion = *motion;
    p->since = ad->time;
    p->number = ++ad->plan_number;
    rest->moves = moves;
    if (!stays)
        return tact_plan_enclose(world, index);
    p->exit = tact_plan_exit(p, rest, ad->time);
    return TACT_OK;
}

/* Brings in what was said of bodies since the last call. Whatever fails is done again. */
static tact_status take_changes(tact_world *world)
{
    advance *ad = world->advance;
    /* first all shells, so that each pair is looked at once; then all events */
    for (size_t i = 0; i < ad->noted.count; ++i) {
        const uint32_t index = ad->noted.items[i];
        if (!(world->lines.items[index].flags & BODY_ALIVE))
            continue;
        tact_status status = take_plan(world, index);
        if (status == TACT_OK)
            status = shells_grown(world);
        if (status != TACT_OK)
            return status;
    }
    for (size_t i = 0; i < ad->noted.count; ++i) {
        const uint32_t index = ad->noted.items[i];
        if (!(world->lines.items[index].flags & BODY_ALIVE))
            continue;
        tact_status status = set_event(world, index);
        if (status != TACT_OK)
            return status;
    }
    for (size_t i = 0; i < ad->noted.count; ++i)
        ad->rests.items[ad->noted.items[i]].noted = ad->rests.items[ad->noted.items[i]].redone = false;
    ad->noted.count = 0;
    return TACT_OK;
}

/* ---- going on ---- */

static void tell(tact_world *world, uint32_t slot, tact_event *event)
{
    advance *ad = world->advance;
    const shell_pair *pair = &ad->shells.pairs.items[slot];
    const foreseen *f = &ad->pairs.items[slot];
    const bool swapped = world->lines.items[pair->number[0]].serial > world->lines.items[pair->number[1]].serial;
    const uint32_t a = pair->number[swapped], b = pair->number[!swapped];
    ad->told_bodies[0] = a;
    ad->told_bodies[1] = b;
    *event = (tact_event){.status = TACT_OK,
                          .kind = TACT_TOUCH,
                          .time = ad->time,
                          .a = body_name(world, a),
                          .b = body_name(world, b),
                          .user_a = world->rests.items[a].user,
                          .user_b = world->rests.items[b].user,
                          .point = f->point,
                          .normal = swapped ? vec_negate(f->normal) : f->normal};
}

/* The event of a body that is first in the queue, at its time. True: a pair touches, and is to be told. */
static bool happen(tact_world *world, uint32_t index, tact_status *status)
{
    advance *ad = world->advance;
    plan_rest *rest = &ad->rests.items[index];
    const uint32_t slot = rest->slot;
    *status = TACT_OK;
    if (slot == SHELL_NONE) {
        ++ad->exits;
        *status = tact_plan_enclose(world, index);
        if (*status == TACT_OK)
            *status = shells_grown(world);
        if (*status == TACT_OK)
            *status = set_event(world, index);
        return false;
    }
    foreseen *f = &ad->pairs.items[slot];
    if (f->version != rest->version || f->time > ad->time) {
        ++ad->stale;
        *status = set_event(world, index);
        return false;
    }
    const bool touches = f->state == PAIR_APART_NOW;
    f->state = touches ? PAIR_IN_NOW : PAIR_APART_NOW;
    f->version = 0; /* what comes then is to be found out: after a touch, when the caller has done what he wants */
    if (!touches)
        *status = set_event(world, index);
    return touches;
}

/* After a pair was told, and the caller has done what he wanted. (It may be gone, and its slot another's: no harm.) */
static tact_status after_told(tact_world *world)
{
    advance *ad = world->advance;
    if (ad->told_bodies[0] == SHELL_NONE)
        return TACT_OK;
    tact_status status = TACT_OK;
    for (int i = 0; i < 2 && status == TACT_OK; ++i)
        if (shells_has(&ad->shells, ad->told_bodies[i]))
            status = set_event(world, ad->told_bodies[i]);
    if (status == TACT_OK)
        ad->told_bodies[0] = SHELL_NONE;
    return status;
}

static tact_event_kind nothing(const tact_world *world, tact_status status, tact_event *event)
{
    *event = (tact_event){.status = status, .time = tact_world_get_time(world)};
    return TACT_NO_EVENT;
}

tact_event_kind tact_world_next(tact_world *world, double until, tact_event *event)
{
    tact_event unwanted;
    if (event == NULL)
        event = &unwanted;
    if (world == NULL || world->testing || !(fabs(until) < INFINITY) || until < tact_world_get_time(world))
        return nothing(world, TACT_BAD_ARGUMENT, event);
    tact_status status = make_room(world);
    advance *ad = world->advance;
    if (status == TACT_OK)
        status = take_changes(world);
    if (status == TACT_OK)
        status = after_told(world);
    while (status == TACT_OK && ad->queue.count > 0 && ad->queue.entries[0].time <= until) {
        const uint32_t index = ad->queue.entries[0].number;
        const double time = ad->queue.entries[0].time;
        ad->time = time > ad->time ? time : ad->time;
        if (happen(world, index, &status)) {
            ++ad->touches;
            tell(world, ad->rests.items[index].slot, event);
            return TACT_TOUCH;
        }
    }
    if (status == TACT_OK)
        ad->time = until;
    return nothing(world, status, event);
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
    if (ad == NULL || ad->noted.count > 0 || ad->told_bodies[0] != SHELL_NONE || ad->plans.count < world->lines.count)
        return tact_world_get_time(world); /* there is something to be looked at now */
    return ad->queue.count > 0 ? ad->queue.entries[0].time : INFINITY;
}

/* The plan that a body follows; NULL: it is where it was put. */
static const plan *plan_of(const tact_world *world, uint32_t index)
{
    const advance *ad = world->advance;
    if (ad == NULL || index >= ad->plans.count || ad->rests.items[index].noted || !ad->rests.items[index].moves)
        return NULL;
    return &ad->plans.items[index];
}

tact_placement tact_advance_place(const tact_world *world, uint32_t index)
{
    const plan *p = plan_of(world, index);
    return p != NULL ? plan_place(p, world->advance->time) : world->lines.items[index].place;
}

tact_motion tact_advance_motion(const tact_world *world, uint32_t index)
{
    const plan *p = plan_of(world, index);
    return p != NULL ? plan_motion(p, world->advance->time) : world->rests.items[index].motion;
}

void tact_advance_settle(tact_world *world, uint32_t index)
{
    world->lines.items[index].place = tact_advance_place(world, index);
    world->rests.items[index].motion = tact_advance_motion(world, index);
}
void tact_advance_counts(const tact_world *w, uint64_t c[4]);
void tact_advance_counts(const tact_world *w, uint64_t c[4]) { c[0]=w->advance->touches; c[1]=w->advance->exits; c[2]=w->advance->stale; c[3]=w->advance->predictions; }
