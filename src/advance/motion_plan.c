/* Courses: what is known only in part of how a body moves, and asking for more. */
#include "advance/motion_plan.h"

#include <math.h>
#include <string.h>

#include "advance/advance.h"
#include "core/memory.h"
#include "motion/motion.h"
#include "world/body_bounds.h"

/* Are the numbers usable? `*until` becomes INFINITY if it is 0. */
static bool is_course(tact_motion_plan *c, double now)
{
    if (c->until == 0.0)
        c->until = INFINITY;
    return motion_is_usable(&c->motion) && c->until > now && c->max_deviation_speed >= 0.0 &&
           c->max_deviation_speed <= MOTION_MAX_VALUE && c->min_interval < INFINITY &&
           (c->max_deviation_speed > 0.0 ? c->min_interval > 0.0 : c->min_interval >= 0.0);
}

void tact_motion_plan_transform_set(tact_world *world, uint32_t index)
{
    body_motion_plan *c = world->rests.items[index].motion_plan;
    if (c != NULL)
        c->located_at = tact_world_get_time(world);
}

void tact_world_clear_motion_callback(tact_world *world, tact_motion_callback *guide)
{
    for (size_t i = 0; i < world->rests.count; ++i) {
        body_motion_plan *c = world->rests.items[i].motion_plan;
        if (c != NULL && c->plan.callback == guide)
            c->plan.callback = NULL;
    }
}

/* Puts down what holds from now on; it has room. */
static void set(tact_world *world, uint32_t index, const tact_motion_plan *said)
{
    const tact_motion still = {0};
    body_motion_plan *c = world->rests.items[index].motion_plan;
    *c = (body_motion_plan){*said, tact_world_get_time(world)};
    c->plan.motion = still;
    world->rests.items[index].motion = said->motion;
}

/* It goes another way; it may keep its shell if it does not drift. */
static void note(tact_world *world, uint32_t index, bool drifts)
{
    if (drifts)
        tact_advance_mark_changed(world, index);
    else
        tact_advance_mark_motion_changed(world, index);
}

tact_status tact_body_set_motion_plan(tact_world *world, tact_body body, const tact_motion_plan *asked)
{
    if (body_find(world, body) == NULL || asked == NULL)
        return TACT_BAD_ARGUMENT;
    tact_motion_plan said = *asked;
    if (!is_course(&said, tact_world_get_time(world)))
        return TACT_BAD_ARGUMENT;
    if (said.until == INFINITY && said.max_deviation_speed == 0.0)
        return tact_body_set_motion(world, body, said.motion);
    body_motion_plan **c = &world->rests.items[body.index].motion_plan;
    if (*c == NULL) {
        *c = tact_memory_allocate(&world->allocator, 1, sizeof **c);
        if (*c == NULL)
            return TACT_OUT_OF_MEMORY;
        **c = (body_motion_plan){.located_at = 0.0};
    }
    const bool drifts = (*c)->plan.max_deviation_speed > 0.0 || said.max_deviation_speed > 0.0;
    tact_advance_sync_body(world, body.index);
    set(world, body.index, &said);
    note(world, body.index, drifts);
    WORLD_NOTIFY(world, .type = CALL_SET_MOTION_PLAN, .body = body, .motion_plan = &said);
    return TACT_OK;
}

tact_motion_plan tact_body_get_motion_plan(const tact_world *world, tact_body body)
{
    tact_motion_plan said = {0};
    if (body_find(world, body) == NULL)
        return said;
    const body_motion_plan *c = world->rests.items[body.index].motion_plan;
    if (c != NULL)
        said = c->plan;
    if (said.until == INFINITY)
        said.until = 0.0;
    said.motion = tact_advance_motion(world, body.index);
    return said;
}

tact_status tact_body_set_poll_interval(tact_world *world, tact_body body, double interval)
{
    if (body_find(world, body) == NULL || !(interval >= 0.0) || !(interval < INFINITY))
        return TACT_BAD_ARGUMENT;
    tact_advance_sync_body(world, body.index);
    world->rests.items[body.index].poll = interval;
    tact_advance_mark_changed(world, body.index);
    WORLD_NOTIFY(world, .type = CALL_SET_POLL_INTERVAL, .body = body, .time = interval);
    return TACT_OK;
}

double tact_body_get_poll_interval(const tact_world *world, tact_body body)
{
    return body_find(world, body) != NULL ? world->rests.items[body.index].poll : 0.0;
}

/* ---- asking ---- */

/* Could the body be placed so? */
static bool is_place(const tact_world *world, uint32_t index, const tact_transform *place)
{
    box fitted;
    return tact_body_fit(world->lines.items[index].shape, place, NULL, &fitted) == TACT_OK;
}

tact_status tact_motion_plan_query(tact_world *world, uint32_t index, bool *tell)
{
    advance *ad = world->advance;
    tact_motion_plan next = world->rests.items[index].motion_plan->plan;
    bool drifts = next.max_deviation_speed > 0.0;
    tact_transform place = tact_advance_transform(world, index);
    const tact_transform before = place;
    next.motion = tact_advance_motion(world, index);
    const double was = next.until;
    if (next.until == INFINITY)
        next.until = 0.0;
    *tell = next.callback == NULL;
    if (next.callback != NULL) {
        const uint64_t serial = world->lines.items[index].serial;
        world->testing = true; /* it is not to go on from within */
        if (world->observer != NULL)
            world->observer->invoke_motion_callback(world->observer, ad->time, &place, &next);
        else
            next.callback(next.context, ad->time, &place, &next);
        world->testing = false;
        const body_line *line = &world->lines.items[index];
        if (world->doomed || !(line->flags & BODY_ALIVE) || line->serial != serial ||
            world->rests.items[index].motion_plan == NULL) {
            world->doomed = false; /* it has ended what it was asked about: that stands, but for the end of the world */
            return TACT_BAD_ARGUMENT;
        }
    }
    const bool over = next.until == was && was <= ad->time; /* no answer */
    if (over)
        next.until = 0.0;
    const bool moved = memcmp(&place, &before, sizeof place) != 0;
    if (!is_course(&next, ad->time) || (moved && !is_place(world, index, &place)))
        return TACT_BAD_ARGUMENT;
    if (over)
        next = (tact_motion_plan){.until = INFINITY};
    drifts = drifts || next.max_deviation_speed > 0.0;
    tact_advance_sync_body(world, index);
    world->lines.items[index].place = place;
    set(world, index, &next);
    if (next.until == INFINITY && next.max_deviation_speed == 0.0)
        tact_body_drop_motion_plan(world, index);
    ad->cold.items[index].broad_outdated = true; /* what is not told, tests learn when they catch up */
    ad->synced_at = -INFINITY;
    note(world, index, moved || drifts);
    return TACT_OK;
}
