/* Motion plans: setting them, and calling motion callbacks when they expire. See motion_plan.h. */
#include "advance/motion_plan.h"

#include <math.h>
#include <string.h>

#include "advance/contact_step.h"
#include "core/memory.h"
#include "motion/motion.h"
#include "world/body_bounds.h"

/* Whether the numbers are usable. `until` 0 becomes INFINITY. */
static bool is_valid_plan(tact_motion_plan *plan, double now)
{
    if (plan->until == 0.0)
        plan->until = INFINITY;
    return motion_is_valid(&plan->motion) && plan->until > now && plan->max_deviation_speed >= 0.0 &&
           plan->max_deviation_speed <= MOTION_MAX_VALUE && plan->min_interval < INFINITY &&
           (plan->max_deviation_speed > 0.0 ? plan->min_interval > 0.0 : plan->min_interval >= 0.0);
}

void tact_motion_plan_transform_set(tact_world *world, uint32_t index)
{
    body_motion_plan *plan = world->cold.items[index].motion_plan;
    if (plan != NULL)
        plan->transform_time = tact_world_get_time(world);
}

void tact_world_clear_motion_callback(tact_world *world, tact_motion_callback *callback)
{
    for (size_t i = 0; i < world->cold.count; ++i) {
        body_motion_plan *plan = world->cold.items[i].motion_plan;
        if (plan != NULL && plan->plan.callback == callback)
            plan->plan.callback = NULL;
    }
}

/* Stores a plan as of now. */
static void store_plan(tact_world *world, uint32_t index, const tact_motion_plan *plan)
{
    const tact_motion still = {0};
    body_motion_plan *stored = world->cold.items[index].motion_plan;
    *stored = (body_motion_plan){*plan, tact_world_get_time(world)};
    stored->plan.motion = still;
    world->cold.items[index].motion = plan->motion;
}

/* The body moves otherwise; it may keep its bound if it does not deviate. */
static void mark_changed(tact_world *world, uint32_t index, bool deviates)
{
    if (world->advance != NULL)
        tact_contact_body_changed(world, index, false);
    if (deviates)
        tact_advance_mark_changed(world, index);
    else
        tact_advance_mark_motion_changed(world, index);
}

tact_status tact_body_set_motion_plan(tact_world *world, tact_body body, const tact_motion_plan *motion_plan)
{
    if (body_find(world, body) == NULL || motion_plan == NULL || world->cold.items[body.index].vertex_plan != NULL)
        return TACT_BAD_ARGUMENT;
    tact_motion_plan plan = *motion_plan;
    if (!is_valid_plan(&plan, tact_world_get_time(world)) || !body_accepts_motion(world, body.index, &plan.motion))
        return TACT_BAD_ARGUMENT;
    if (plan.until == INFINITY && plan.max_deviation_speed == 0.0)
        return tact_body_set_motion(world, body, plan.motion);
    body_motion_plan **stored = &world->cold.items[body.index].motion_plan;
    if (*stored == NULL) {
        *stored = tact_memory_allocate(&world->allocator, 1, sizeof **stored);
        if (*stored == NULL)
            return TACT_OUT_OF_MEMORY;
        **stored = (body_motion_plan){.transform_time = 0.0};
    }
    const bool deviates = (*stored)->plan.max_deviation_speed > 0.0 || plan.max_deviation_speed > 0.0;
    tact_advance_sync_body(world, body.index);
    store_plan(world, body.index, &plan);
    mark_changed(world, body.index, deviates);
    WORLD_NOTIFY(world, .type = CALL_SET_MOTION_PLAN, .body = body, .motion_plan = &plan,
                 .positions = &plan.motion.pivot, .count = vec_max_abs(plan.motion.pivot) > 0.0);
    return TACT_OK;
}

tact_motion_plan tact_body_get_motion_plan(const tact_world *world, tact_body body)
{
    tact_motion_plan plan = {0};
    if (body_find(world, body) == NULL)
        return plan;
    const body_motion_plan *stored = world->cold.items[body.index].motion_plan;
    if (stored != NULL)
        plan = stored->plan;
    if (plan.until == INFINITY)
        plan.until = 0.0;
    plan.motion = tact_advance_motion(world, body.index);
    return plan;
}

tact_status tact_body_set_poll_interval(tact_world *world, tact_body body, double interval)
{
    if (body_find(world, body) == NULL || !(interval >= 0.0) || !(interval < INFINITY) ||
        (interval > 0.0 && world->cold.items[body.index].vertex_plan != NULL))
        return TACT_BAD_ARGUMENT;
    tact_advance_sync_body(world, body.index);
    world->cold.items[body.index].poll_interval = interval;
    tact_advance_mark_changed(world, body.index);
    WORLD_NOTIFY(world, .type = CALL_SET_POLL_INTERVAL, .body = body, .time = interval);
    return TACT_OK;
}

double tact_body_get_poll_interval(const tact_world *world, tact_body body)
{
    return body_find(world, body) != NULL ? world->cold.items[body.index].poll_interval : 0.0;
}

/* ---- expiry ---- */

/* Whether a body may have this transform. */
static bool is_valid_transform(const tact_world *world, uint32_t index, const tact_transform *transform)
{
    box fitted;
    return tact_body_box(world->bodies.items[index].shape, transform, NULL, &fitted) == TACT_OK;
}

tact_status tact_motion_plan_query(tact_world *world, uint32_t index, bool *report)
{
    advance *ad = world->advance;
    tact_motion_plan next = world->cold.items[index].motion_plan->plan;
    bool deviates = next.max_deviation_speed > 0.0;
    tact_transform transform = tact_advance_transform(world, index);
    const tact_transform before = transform;
    next.motion = tact_advance_motion(world, index);
    const double was = next.until;
    if (next.until == INFINITY)
        next.until = 0.0;
    *report = next.callback == NULL;
    if (next.callback != NULL) {
        const uint64_t serial = world->bodies.items[index].serial;
        world->testing = true; /* the callback must not advance or test the world */
        if (world->observer != NULL)
            world->observer->invoke_motion_callback(world->observer, ad->time, &transform, &next);
        else
            next.callback(next.context, ad->time, &transform, &next);
        world->testing = false;
        const world_body *body = &world->bodies.items[index];
        if (world->release_pending || !(body->flags & BODY_ALIVE) || body->serial != serial ||
            world->cold.items[index].motion_plan == NULL) {
            world->release_pending =
                false; /* the callback removed its body or its plan: that stands. The world is not released */
            return TACT_BAD_ARGUMENT;
        }
    }
    const bool over = next.until == was && was <= ad->time; /* nobody has extended the plan */
    if (over)
        next.until = 0.0;
    const bool moved = memcmp(&transform, &before, sizeof transform) != 0;
    if (!is_valid_plan(&next, ad->time) || !body_accepts_motion(world, index, &next.motion) ||
        (moved && !is_valid_transform(world, index, &transform)))
        return TACT_BAD_ARGUMENT;
    if (over)
        next = (tact_motion_plan){.until = INFINITY};
    deviates = deviates || next.max_deviation_speed > 0.0;
    tact_advance_sync_body(world, index);
    world->bodies.items[index].transform = transform;
    store_plan(world, index, &next);
    if (next.until == INFINITY && next.max_deviation_speed == 0.0)
        tact_body_drop_motion_plan(world, index);
    ad->cold.items[index].broad_outdated = true; /* the broad phase learns it with the next synchronisation */
    ad->synced_at = -INFINITY;
    mark_changed(world, index, moved || deviates);
    return TACT_OK;
}
