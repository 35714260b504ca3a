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
#include "dynamics/rigid_body.h"

/* Of plans and records that are kept: older than what changes from then on, and none older than the other. */
#define FIRST_VERSION 1

/* ---- taking apart ---- */

time_state tact_world_describe_time(const tact_world *world)
{
    const advance *ad = world->advance;
    return (time_state){
        .timed = ad != NULL || world->kinetic != TACT_KINETIC_AUTO || world->rest_time != WORLD_REST_TIME,
        .time = tact_world_get_time(world),
        .rest_time = world->rest_time,
        .kinetic = world->kinetic,
        .engine = ad != NULL ? ad->engine : TACT_KINETIC_FAT_BOUNDS,
        .reported = {ad != NULL ? ad->reported[0] : STATE_NOBODY, ad != NULL ? ad->reported[1] : STATE_NOBODY}};
}

/* A body as `ad` knows it, NULL: nobody does. */
static body_time_state body_in_time(const advance *ad, uint32_t index)
{
    body_time_state body = {.index = index};
    if (ad == NULL || index >= ad->motions.count)
        return body;
    const body_motion_cold *m = &ad->cold.items[index];
    if (m->reported_count > 0 && m->reported_at == ad->time) {
        body.flags |= BODY_TIME_TOLD;
        body.reported_count = m->reported_count;
    }
    if (!advance_has_motion(ad, index))
        return body;
    body.flags |= m->moves ? BODY_TIME_PLAN : BODY_TIME_STILL;
    const body_motion *p = &ad->motions.items[index];
    body.plan = (motion_state){.start_time = p->start_time,
                               .transform = body_motion_transform(p, m, p->start_time),
                               .motion = body_motion_motion(p, m, p->start_time),
                               .momentum = m->momentum,
                               .rotation_expiry = m->rotation_expiry};
    return body;
}

body_time_state tact_world_body_time_at(const tact_world *world, uint32_t index)
{
    return body_in_time(world->advance, index);
}

/* What is known of two that makes a difference; false: nothing does. */
static bool is_touch(const advance *ad, const pair_prediction *r, touch_state *touch)
{
    const bool often = r->reported_count > 0 && r->reported_at == ad->time;
    if (r->state == PAIR_APART && !often && r->next_poll == 0.0)
        return false;
    touch->flags = tact_pair_state_flags(r->state, r->version);
    touch->reported_at = r->reported_at;
    touch->reported_count = r->reported_count;
    touch->uncertain_count = r->uncertain_count;
    touch->next_poll = r->next_poll;
    return true;
}

/* The first of those with `one` from `from` on. */
static bool next_of(const advance *ad, uint32_t one, uint32_t from, touch_state *touch)
{
    const neighbour_span all = neighbours_of(&ad->neighbours, one);
    uint32_t least = NEIGHBOUR_NONE;
    for (uint32_t i = 0; i < all.count; ++i) {
        const uint32_t other = all.items[i].number;
        touch_state t = {.a = one, .b = other};
        if (other <= one || other < from || other >= least || all.items[i].word == NEIGHBOUR_NONE ||
            !is_touch(ad, &ad->predictions.items[all.items[i].word], &t))
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
    if (ad->restored_touches.count > 0) { /* a restored world that has not gone on yet */
        if (*place >= ad->restored_touches.count)
            return false;
        *touch = ad->restored_touches.items[(*place)++];
        return true;
    }
    uint32_t one = (uint32_t)(*place >> 32), from = (uint32_t)*place;
    for (; one < ad->neighbours.lists.count; ++one, from = 0)
        if (next_of(ad, one, from, touch)) {
            *place = (uint64_t)one << 32 | ((uint64_t)touch->b + 1);
            return true;
        }
    return false;
}

/* ---- putting together ---- */

void tact_advance_discard_restored_touches(advance *ad, uint32_t index)
{
    size_t kept = 0;
    for (size_t i = 0; i < ad->restored_touches.count; ++i)
        if (ad->restored_touches.items[i].a != index && ad->restored_touches.items[i].b != index)
            ad->restored_touches.items[kept++] = ad->restored_touches.items[i];
    ad->restored_touches.count = kept;
}

tact_status tact_advance_apply_restored_touches(tact_world *world)
{
    advance *ad = world->advance;
    for (size_t i = 0; i < ad->restored_touches.count; ++i) {
        const touch_state *t = &ad->restored_touches.items[i];
        const uint32_t place = tact_neighbours_find(&ad->neighbours, t->a, t->b);
        if (place == NEIGHBOUR_NONE)
            continue; /* they have parted for sure */
        neighbour *n = &neighbours_of(&ad->neighbours, t->a).items[place];
        const uint32_t word = tact_prediction_ensure(world, n);
        if (word == NEIGHBOUR_NONE)
            return TACT_OUT_OF_MEMORY;
        pair_prediction *r = &ad->predictions.items[word];
        r->time = INFINITY;
        r->valid_until = -INFINITY; /* it has not been looked at */
        r->state = tact_pair_state_from_flags(t->flags);
        r->version = t->flags & TOUCH_REPORTED ? 0 : FIRST_VERSION;
        r->depth = -1.0;
        r->reported_at = t->reported_at;
        r->reported_count = t->reported_count;
        r->uncertain_count = t->uncertain_count;
        r->next_poll = t->next_poll;
    }
    ad->restored_touches.count = 0;
    return TACT_OK;
}

/* A world that has none goes through time from now on, all its bodies noted. */
static tact_status begin(tact_world *world, double time, tact_kinetic engine, const uint32_t told[2])
{
    tact_status status = tact_advance_reserve(world);
    advance *ad = world->advance;
    if (status == TACT_OK && engine == TACT_KINETIC_SWEEP_AND_PRUNE &&
        !tact_body_sweep_reserve(&ad->sweep, &world->allocator, (uint32_t)ad->motions.count))
        status = TACT_OUT_OF_MEMORY;
    if (status != TACT_OK)
        return status;
    ad->engine = ad->choice.wish = engine;
    ad->time = ad->synced_at = time;
    ad->last_version = FIRST_VERSION;
    ad->reported[0] = told[0];
    ad->reported[1] = told[1];
    return TACT_OK;
}

/* The body keeps its plan. */
static void keep(tact_world *world, const body_time_state *b)
{
    const uint32_t index = b->index;
    advance *ad = world->advance;
    body_motion_cold *m = &ad->cold.items[index];
    const body_rest *rest = &world->rests.items[index];
    m->restored = b->flags & (BODY_TIME_PLAN | BODY_TIME_STILL);
    m->moves = b->flags & BODY_TIME_PLAN;
    m->version = FIRST_VERSION;
    if (b->flags & BODY_TIME_TOLD) {
        m->reported_at = ad->time;
        m->reported_count = b->reported_count;
    }
    const motion_state still = {
        .transform = world->lines.items[index].place, .start_time = ad->time, .rotation_expiry = INFINITY};
    const motion_state *s = m->moves ? &b->plan : &still;
    ad->motions.items[index] = (body_motion){s->transform.origin, s->start_time, s->motion.velocity, NOT_A_SPHERE};
    m->transform = s->transform;
    m->motion = s->motion;
    m->momentum = s->momentum;
    m->rotation_expiry = s->rotation_expiry;
    const bool centred = rest->rigid != NULL && m->moves;
    m->pivot = centred ? rest->rigid->properties.centre : vec_make(0.0, 0.0, 0.0);
    m->plan = rest->motion_plan;
    m->poll_interval = rest->poll;
    m->shape = centred ? rest->rigid->centred : world->lines.items[index].shape;
    m->spins = !vec_equal(m->motion.spin, (tact_vec3){0.0, 0.0, 0.0});
    ad->motions.items[index].sphere_radius = tact_body_motion_sphere_radius(m);
    (void)tact_body_motion_compute_extents(
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

static bool is_course(const body_motion_plan *c, double time)
{
    return c->plan.until >= time && c->plan.max_deviation_speed >= 0.0 && c->plan.max_deviation_speed < INFINITY &&
           c->plan.min_interval < INFINITY &&
           (c->plan.max_deviation_speed > 0.0 ? c->plan.min_interval > 0.0 : c->plan.min_interval >= 0.0) &&
           c->located_at <= time && c->located_at >= 0.0 &&
           (c->plan.until < INFINITY || c->plan.max_deviation_speed > 0.0);
}

static bool is_plan(const motion_state *s, double time)
{
    return s->start_time <= time && s->start_time >= 0.0 && vec_finite(s->motion.velocity) &&
           vec_finite(s->motion.acceleration) && vec_finite(s->motion.spin) && vec_finite(s->momentum) &&
           s->rotation_expiry >= s->start_time && tact_transform_check(&s->transform, NULL) == TACT_OK;
}

/* A plan that leads to where the body is said to be. */
static bool plan_body(tact_world *world, const body_time_state *b, double time, tact_report *report)
{
    const uint32_t index = b->index;
    const tact_transform stored = world->lines.items[index].place;
    const tact_motion stored_motion = world->rests.items[index].motion;
    if (b->flags & BODY_TIME_PLAN && (b->flags & BODY_TIME_STILL || !is_plan(&b->plan, time) ||
                                      (b->plan.rotation_expiry < INFINITY && world->rests.items[index].rigid == NULL)))
        return refuse(report, "the plan of body %zu is none", index);
    keep(world, b);
    const tact_transform place = tact_advance_transform(world, index);
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
    if (!touch_array_reserve(&ad->restored_touches, &world->allocator, s->touch_count))
        return no_memory(report);
    for (size_t i = 0; i < s->touch_count; ++i) {
        const touch_state *t = &s->touches[i], *last = i > 0 ? t - 1 : NULL;
        const bool ordered = last == NULL || last->a < t->a || (last->a == t->a && last->b < t->b);
        if (t->a >= t->b || !is_alive(world, t->a) || !is_alive(world, t->b) || !ordered ||
            t->flags > (TOUCH_OVERLAPS | TOUCH_REPORTED | TOUCH_BOUNCED) || !(t->reported_at <= s->time) ||
            isnan(t->next_poll) || t->next_poll == INFINITY)
            return refuse(report, "touch %zu is that of no pair", i);
        ad->restored_touches.items[ad->restored_touches.count++] = *t;
    }
    return true;
}

bool tact_world_restore_time(tact_world *world, const time_state *s, tact_report *report)
{
    const bool none = s->reported[0] == STATE_NOBODY && s->reported[1] == STATE_NOBODY;
    for (size_t i = 0; i < world->rests.count; ++i)
        if (world->rests.items[i].motion_plan != NULL && !is_course(world->rests.items[i].motion_plan, s->time))
            return refuse(report, "body %zu is on no course", i);
    if (!s->timed)
        return true;
    if (!(s->time >= 0.0) || !(s->time < INFINITY) || tact_world_set_rest_time(world, s->rest_time) != TACT_OK ||
        tact_world_set_kinetic(world, s->kinetic) != TACT_OK ||
        (s->engine != TACT_KINETIC_SWEEP_AND_PRUNE && s->engine != TACT_KINETIC_FAT_BOUNDS) ||
        (!none && (!is_alive(world, s->reported[0]) || s->reported[0] == s->reported[1] ||
                   (s->reported[1] != STATE_NOBODY && !is_alive(world, s->reported[1])))))
        return refuse(report, "the time of the world is none", 0);
    if (begin(world, s->time, s->engine, s->reported) != TACT_OK)
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
        status = begin(world, old->time, old->engine, old->reported);
    }
    if (status != TACT_OK) {
        if (world->advance != old)
            tact_advance_free(world->advance, &world->allocator);
        world->advance = old;
        touch_array_release(&touches, &world->allocator);
        return status;
    }
    for (uint32_t i = 0; i < old->motions.count; ++i) {
        const body_time_state body = body_in_time(old, i);
        if (is_alive(world, i))
            keep(world, &body);
    }
    world->advance->restored_touches = touches;
    tact_advance_free(old, &world->allocator);
    return TACT_OK;
}
