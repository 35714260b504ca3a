/* tact_world_advance and tact_world_step: the loops over events with contact callbacks. */
#include <math.h>

#include "advance/advance.h"
#include "core/number.h"
#include "world/work.h"

/* Calls the contact callback of a touch. False: there is none. */
static bool call_back(tact_world *world, const tact_event *event, const tact_response *response)
{
    if (response->callback == NULL)
        return false;
    tact_contact contact;
    contact_storage storage;
    tact_advance_sync_body(world, event->a.index); /* contacts are computed from the transforms in the world */
    tact_advance_sync_body(world, event->b.index);
    tact_world_fill_contact(world, event->a.index, event->b.index, response, 0.0, &contact, &storage);
    contact.event = event;
    world->testing = true;
    response->callback(response->context, &contact);
    world->testing = false;
    return true;
}

/* The ready-made response of tact_world_step: the smaller value of each property of the two materials. */
static tact_status bounce_by_material(tact_world *world, const tact_event *event)
{
    const tact_material *a = &world->cold.items[event->a.index].material,
                        *b = &world->cold.items[event->b.index].material;
    const tact_bounce_def def = {.restitution = number_min(a->restitution, b->restitution),
                                 .friction = number_min(a->friction, b->friction),
                                 .rolling_friction = number_min(a->rolling_friction, b->rolling_friction)};
    return tact_world_bounce_with(world, event, &def);
}

/* Whether a body exists, and its transform, shape and filter were not set since change number `change`. */
static bool is_unchanged(const tact_world *world, tact_body body, uint64_t change)
{
    const world_body *now = body_find(world, body);
    return now != NULL && now->change <= change;
}

/* The velocity of a body at a point. */
static tact_vec3 velocity_at(const tact_world *world, uint32_t index, tact_vec3 point)
{
    const tact_motion motion = tact_advance_reported_motion(world, index);
    const tact_vec3 arm = vec_sub(point, tact_advance_transform(world, index).origin);
    return vec_add(motion.velocity, vec_cross(motion.spin, arm));
}

double tact_event_get_closing_speed(const tact_world *world, const tact_event *event)
{
    if (world == NULL || world->advance == NULL || event == NULL || event->kind != TACT_EVENT_TOUCH ||
        body_find(world, event->a) == NULL || body_find(world, event->b) == NULL)
        return 0.0;
    const uint32_t a = event->a.index, b = event->b.index;
    return vec_dot(event->normal, vec_sub(velocity_at(world, a, event->point), velocity_at(world, b, event->point)));
}

/* Whether a callback has set motions with which the bodies separate. */
static bool was_made_to_separate(const tact_world *world, const tact_event *event)
{
    const body_motion_cold *cold = world->advance->cold.items;
    return (cold[event->a.index].dirty || cold[event->b.index].dirty) &&
           tact_event_get_closing_speed(world, event) < 0.0;
}

/* Calls the contact callback and resolves the touch, unless the callback has: by tact_world_bounce, by setting motions,
 * by removing or displacing a body, or by a filter. */
static tact_status respond(tact_world *world, const tact_event *event)
{
    const tact_response response = tact_response_of(world, event->a.index, event->b.index);
    world->advance->touch_resolved = false;
    const uint64_t change = world->changes;
    if (call_back(world, event, &response) &&
        (world->advance->touch_resolved || world->release_pending || !is_unchanged(world, event->a, change) ||
         !is_unchanged(world, event->b, change) || was_made_to_separate(world, event)))
        return TACT_OK;
    return response.sensor ? TACT_OK : bounce_by_material(world, event);
}

/* Resolves the touch for which the last call had no memory, unless it is over. */
static tact_status resolve_again(tact_world *world)
{
    advance *ad = world->advance;
    if (ad == NULL || !ad->has_unresolved)
        return TACT_OK;
    const tact_event *event = &ad->unresolved;
    const bool over =
        event->time != ad->time || body_find(world, event->a) == NULL || body_find(world, event->b) == NULL;
    const tact_status status = over ? TACT_OK : bounce_by_material(world, event);
    ad->has_unresolved = status == TACT_OUT_OF_MEMORY;
    return status;
}

tact_status tact_world_step(tact_world *world, double duration)
{
    if (world == NULL || world->testing || !(duration >= 0.0) || !(duration < INFINITY))
        return TACT_BAD_ARGUMENT;
    tact_status status = resolve_again(world);
    if (status != TACT_OK)
        return status;
    const double until = tact_world_get_time(world) + duration;
    world_work_begin(world);
    tact_event event;
    for (tact_event_kind kind; (kind = tact_advance_next_event(world, until, &event)) != TACT_EVENT_NONE;) {
        if (kind != TACT_EVENT_TOUCH)
            continue;
        status = respond(world, &event);
        if (world->release_pending) {
            tact_world_release(world);
            return TACT_OK;
        }
        if (status == TACT_OK)
            continue;
        world->advance->unresolved = event;
        world->advance->has_unresolved = status == TACT_OUT_OF_MEMORY;
        return status;
    }
    return event.status;
}

tact_count tact_world_advance(tact_world *world, double until)
{
    tact_count answer = {TACT_OK, 0};
    tact_event event;
    if (world != NULL)
        world_work_begin(world);
    for (tact_event_kind kind; (kind = tact_advance_next_event(world, until, &event)) != TACT_EVENT_NONE;) {
        if (kind != TACT_EVENT_TOUCH)
            continue; /* an expired plan without callback: see tact_body_set_motion_plan */
        const tact_response response = tact_response_of(world, event.a.index, event.b.index);
        answer.count += call_back(world, &event, &response);
        if (world->release_pending) {
            tact_world_release(world);
            return answer;
        }
    }
    answer.status = event.status;
    return answer;
}
