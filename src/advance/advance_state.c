/*
 * A world in time taken apart and put together again: see advance_state.h.
 *
 * What is kept are the plans, each as it began, so that a body is at the same place at the same time to the last bit;
 * and what is known of pairs that have touched. What is foreseen is not: it is looked for again, by what is new at that
 * moment (neighbours, shells, the queue), and since touches are found from the moment at which they are looked for,
 * they may come out a rounding earlier or later. Where that must not be, both worlds do it: tact_world_restart.
 */
#include "advance/advance_state.h"

#include <math.h>
#include <string.h>

#include "advance/advance.h"
#include "core/memory.h"
#include "core/report.h"
#include "dynamics/rigid.h"

/* Of plans and records that are kept: older than what changes from then on, and none older than the other. */
#define FIRST_VERSION 1

/* ---- taking apart ---- */

time_state tact_world_describe_time(const tact_world *world)
{
    const advance *ad = world->advance;
    return (time_state){.timed =
                            ad != NULL || world->kinetic != TACT_KINETIC_AUTO || world->rest_time != WORLD_REST_TIME,
                        .time = tact_world_get_time(world),
                        .rest = world->rest_time,
                        .kinetic = world->kinetic,
                        .engine = ad != NULL ? ad->engine : TACT_KINETIC_FAT_BOUNDS,
                        .told = {ad != NULL ? ad->told[0] : STATE_NOBODY, ad != NULL ? ad->told[1] : STATE_NOBODY}};
}

/* A body as `ad` knows it, NULL: nobody does. */
static body_time_state body_in_time(const advance *ad, uint32_t index)
{
    body_time_state body = {.index = index};
    if (ad == NULL || index >= ad->plans.count)
        return body;
    const body_motion_cold *m = &ad->more.items[index];
    if (m->told_times > 0 && m->told_at == ad->time) {
        body.flags |= BODY_TIME_TOLD;
        body.told_times = m->told_times;
    }
    if (!advance_has_plan(ad, index))
        return body;
    body.flags |= m->moves ? BODY_TIME_PLAN : BODY_TIME_STILL;
    const body_motion *p = &ad->plans.items[index];
    body.plan = (motion_state){.since = p->since,
                               .place = body_motion_transform(p, m, p->since),
                               .motion = body_motion_motion(p, m, p->since),
                               .momentum = m->momentum,
                               .turns_until = m->turns_until};
    return body;
}

body_time_state tact_world_body_time_at(const tact_world *world, uint32_t index)
{
    return body_in_time(world->advance, index);
}

/* What is known of two that makes a difference; false: nothing does. */
static bool is_touch(const advance *ad, const pair_prediction *r, touch_state *touch)
{
    const bool often = r->told_times > 0 && r->told_at == ad->time;
    if (!r->in && !r->near && !often && r->again == 0.0)
        return false;
    touch->flags = (r->in ? (uint32_t)TOUCH_IN : 0u) | (r->version == 0 ? (uint32_t)TOUCH_TOLD : 0u) |
                   (r->near ? (uint32_t)TOUCH_NEAR : 0u);
    touch->told_at = r->told_at;
    touch->told_times = r->told_times;
    touch->blind = r->blind;
    touch->again = r->again;
    return true;
}

/* The first of those with `one` from `from` on. */
static bool next_of(const advance *ad, uint32_t one, uint32_t from, touch_state *touch)
{
    const neighbour_span all = neighbours_of(&ad->near, one);
    uint32_t least = NEIGHBOUR_NONE;
    for (uint32_t i = 0; i < all.count; ++i) {
        const uint32_t other = all.items[i].number;
        touch_state t = {.one = one, .two = other};
        if (other <= one || other < from || other >= least || all.items[i].word == NEIGHBOUR_NONE ||
            !is_touch(ad, &ad->records.items[all.items[i].word], &t))
            continue;
        least = other;
        *touch = t;
    }
    return least != NEIGHBOUR_NONE;
}

bool tact_world_next_touch(const tact_world *world, uint64_t *place, touch_state *touch)
{
    const advance *ad = world->advance;
    if (ad == NULL)
        return false;
    if (ad->kept.count > 0) { /* a restored world that has not gone on yet */
        if (*place >= ad->kept.count)
            return false;
        *touch = ad->kept.items[(*place)++];
        return true;
    }
    uint32_t one = (uint32_t)(*place >> 32), from = (uint32_t)*place;
    for (; one < ad->near.lists.count; ++one, from = 0)
        if (next_of(ad, one, from, touch)) {
            *place = (uint64_t)one << 32 | ((uint64_t)touch->two + 1);
            return true;
        }
    return false;
}

/* ---- putting together ---- */

void tact_advance_drop_kept(advance *ad, uint32_t index)
{
    size_t kept = 0;
    for (size_t i = 0; i < ad->kept.count; ++i)
        if (ad->kept.items[i].one != index && ad->kept.items[i].two != index)
            ad->kept.items[kept++] = ad->kept.items[i];
    ad->kept.count = kept;
}

tact_status tact_advance_take_kept(tact_world *world)
{
    advance *ad = world->advance;
    for (size_t i = 0; i < ad->kept.count; ++i) {
        const touch_state *t = &ad->kept.items[i];
        const uint32_t place = tact_neighbours_find(&ad->near, t->one, t->two);
        if (place == NEIGHBOUR_NONE)
            continue; /* they have parted for sure */
        neighbour *n = &neighbours_of(&ad->near, t->one).items[place];
        const uint32_t word = tact_prediction_of(world, n);
        if (word == NEIGHBOUR_NONE)
            return TACT_OUT_OF_MEMORY;
        pair_prediction *r = &ad->records.items[word];
        r->time = INFINITY;
        r->until = -INFINITY; /* it has not been looked at */
        r->in = t->flags & TOUCH_IN;
        r->near = t->flags & TOUCH_NEAR;
        r->version = t->flags & TOUCH_TOLD ? 0 : FIRST_VERSION;
        r->deep = -1.0;
        r->told_at = t->told_at;
        r->told_times = t->told_times;
        r->blind = t->blind;
        r->again = t->again;
    }
    ad->kept.count = 0;
    return TACT_OK;
}

/* A world that has none goes through time from now on, all its bodies noted. */
static tact_status begin(tact_world *world, double time, tact_kinetic engine, const uint32_t told[2])
{
    tact_status status = tact_advance_make_room(world);
    advance *ad = world->advance;
    if (status == TACT_OK && engine == TACT_KINETIC_SWEEP_AND_PRUNE &&
        !tact_kinetic_lists_reserve(&ad->lists, &world->allocator, (uint32_t)ad->plans.count))
        status = TACT_OUT_OF_MEMORY;
    if (status != TACT_OK)
        return status;
    ad->engine = ad->choice.wish = engine;
    ad->time = ad->caught_up = time;
    ad->versions = FIRST_VERSION;
    ad->told[0] = told[0];
    ad->told[1] = told[1];
    return TACT_OK;
}

/* The body keeps its plan. */
static void keep(tact_world *world, const body_time_state *b)
{
    const uint32_t index = b->index;
    advance *ad = world->advance;
    body_motion_cold *m = &ad->more.items[index];
    const body_rest *rest = &world->rests.items[index];
    m->kept = b->flags & (BODY_TIME_PLAN | BODY_TIME_STILL);
    m->moves = b->flags & BODY_TIME_PLAN;
    m->number = FIRST_VERSION;
    if (b->flags & BODY_TIME_TOLD) {
        m->told_at = ad->time;
        m->told_times = b->told_times;
    }
    const motion_state still = {.place = world->lines.items[index].place, .since = ad->time, .turns_until = INFINITY};
    const motion_state *s = m->moves ? &b->plan : &still;
    ad->plans.items[index] = (body_motion){s->place.origin, s->since, s->motion.velocity, NO_BALL};
    m->place = s->place;
    m->motion = s->motion;
    m->momentum = s->momentum;
    m->turns_until = s->turns_until;
    const bool centred = rest->rigid != NULL && m->moves;
    m->pivot = centred ? rest->rigid->properties.centre : vec_make(0.0, 0.0, 0.0);
    m->course = rest->course;
    m->poll = rest->poll;
    m->shape = centred ? rest->rigid->centred : world->lines.items[index].shape;
    m->spins = !vec_equal(m->motion.spin, (tact_vec3){0.0, 0.0, 0.0});
    ad->plans.items[index].ball = tact_body_motion_sphere(m);
    (void)tact_body_motion_measure(
        m->shape, m); /* who cannot be measured is taken as what has no size, until the world goes on */
}

static bool refuse(tact_report *report, const char *what, size_t number)
{
    (void)tact_report_fill(report, TACT_BAD_ARGUMENT, what, number);
    return false;
}

static bool no_memory(tact_report *report)
{
    (void)tact_report_fill(report, TACT_OUT_OF_MEMORY, "no memory for a world in time");
    return false;
}

static bool is_course(const course *c, double time)
{
    return c->said.until >= time && c->said.max_deviation_speed >= 0.0 && c->said.max_deviation_speed < INFINITY &&
           c->said.min_interval < INFINITY &&
           (c->said.max_deviation_speed > 0.0 ? c->said.min_interval > 0.0 : c->said.min_interval >= 0.0) &&
           c->asked <= time && c->asked >= 0.0 && (c->said.until < INFINITY || c->said.max_deviation_speed > 0.0);
}

static bool is_plan(const motion_state *s, double time)
{
    return s->since <= time && s->since >= 0.0 && vec_finite(s->motion.velocity) &&
           vec_finite(s->motion.acceleration) && vec_finite(s->motion.spin) && vec_finite(s->momentum) &&
           s->turns_until >= s->since && tact_transform_check(&s->place, NULL) == TACT_OK;
}

/* A plan that leads to where the body is said to be. */
static bool plan_body(tact_world *world, const body_time_state *b, double time, tact_report *report)
{
    const uint32_t index = b->index;
    const tact_transform stored = world->lines.items[index].place;
    const tact_motion stored_motion = world->rests.items[index].motion;
    if (b->flags & BODY_TIME_PLAN && (b->flags & BODY_TIME_STILL || !is_plan(&b->plan, time) ||
                                      (b->plan.turns_until < INFINITY && world->rests.items[index].rigid == NULL)))
        return refuse(report, "the plan of body %zu is none", index);
    keep(world, b);
    const tact_transform place = tact_advance_place(world, index);
    const tact_motion motion = tact_advance_motion(world, index);
    if (memcmp(&place, &stored, sizeof place) != 0 || memcmp(&motion, &stored_motion, sizeof motion) != 0)
        return refuse(report, "the plan of body %zu leads elsewhere", index);
    return true;
}

static bool is_alive(const tact_world *world, uint32_t index)
{
    return index < world->lines.count && world->lines.items[index].flags & BODY_ALIVE;
}

static bool keep_touches(tact_world *world, const time_state *s, tact_report *report)
{
    advance *ad = world->advance;
    if (!touch_array_reserve(&ad->kept, &world->allocator, s->touch_count))
        return no_memory(report);
    for (size_t i = 0; i < s->touch_count; ++i) {
        const touch_state *t = &s->touches[i], *last = i > 0 ? t - 1 : NULL;
        const bool ordered = last == NULL || last->one < t->one || (last->one == t->one && last->two < t->two);
        if (t->one >= t->two || !is_alive(world, t->one) || !is_alive(world, t->two) || !ordered ||
            t->flags > (TOUCH_IN | TOUCH_TOLD | TOUCH_NEAR) || !(t->told_at <= s->time) || isnan(t->again) ||
            t->again == INFINITY)
            return refuse(report, "touch %zu is that of no pair", i);
        ad->kept.items[ad->kept.count++] = *t;
    }
    return true;
}

bool tact_world_restore_time(tact_world *world, const time_state *s, tact_report *report)
{
    const bool none = s->told[0] == STATE_NOBODY && s->told[1] == STATE_NOBODY;
    for (size_t i = 0; i < world->rests.count; ++i)
        if (world->rests.items[i].course != NULL && !is_course(world->rests.items[i].course, s->time))
            return refuse(report, "body %zu is on no course", i);
    if (!s->timed)
        return true;
    if (!(s->time >= 0.0) || !(s->time < INFINITY) || tact_world_set_rest_time(world, s->rest) != TACT_OK ||
        tact_world_set_kinetic(world, s->kinetic) != TACT_OK ||
        (s->engine != TACT_KINETIC_SWEEP_AND_PRUNE && s->engine != TACT_KINETIC_FAT_BOUNDS) ||
        (!none && (!is_alive(world, s->told[0]) || s->told[0] == s->told[1] ||
                   (s->told[1] != STATE_NOBODY && !is_alive(world, s->told[1])))))
        return refuse(report, "the time of the world is none", 0);
    if (begin(world, s->time, s->engine, s->told) != TACT_OK)
        return no_memory(report);
    for (size_t i = 0; i < s->body_count; ++i)
        if (!plan_body(world, &s->bodies[i], s->time, report))
            return false;
    return keep_touches(world, s, report);
}

/* ---- beginning anew ---- */

tact_status tact_world_restart(tact_world *world)
{
    advance *old = world->advance;
    if (old == NULL)
        return TACT_OK;
    tact_status status = tact_world_sync_transforms(world);
    if (status != TACT_OK)
        return status;
    touch_array touches = {0};
    uint64_t place = 0;
    for (touch_state t; status == TACT_OK && tact_world_next_touch(world, &place, &t);)
        if (!touch_array_push(&touches, &world->allocator, t))
            status = TACT_OUT_OF_MEMORY;
    if (status == TACT_OK) {
        world->advance = NULL;
        status = begin(world, old->time, old->engine, old->told);
    }
    if (status != TACT_OK) {
        if (world->advance != old)
            tact_advance_free(world->advance, &world->allocator);
        world->advance = old;
        touch_array_release(&touches, &world->allocator);
        return status;
    }
    for (uint32_t i = 0; i < old->plans.count; ++i) {
        const body_time_state body = body_in_time(old, i);
        if (is_alive(world, i))
            keep(world, &body);
    }
    world->advance->kept = touches;
    tact_advance_free(old, &world->allocator);
    return TACT_OK;
}
