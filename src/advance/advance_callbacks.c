/* tact_world_advance: the loop over events with contact callbacks. */
#include <math.h>

#include "advance/advance.h"

/* Calls the contact callback of a touch; false: there is none. */
static bool call_back(tact_world *world, const tact_event *event)
{
    const tact_response response = tact_response_of(world, event->a.index, event->b.index);
    if (response.callback == NULL)
        return false;
    tact_contact contact;
    contact_storage storage;
    tact_advance_sync_body(world, event->a.index); /* contacts are computed from the transforms in the world */
    tact_advance_sync_body(world, event->b.index);
    tact_world_fill_contact(world, event->a.index, event->b.index, &response, 0.0, &contact, &storage);
    contact.event = event;
    world->testing = true;
    response.callback(response.context, &contact);
    world->testing = false;
    return true;
}

/* The ready-made response of tact_world_step: the smaller value of each property of the two materials. */
static tact_status bounce_by_material(tact_world *world, const tact_event *event)
{
    const tact_material *a = &world->cold.items[event->a.index].material,
                        *b = &world->cold.items[event->b.index].material;
    const tact_bounce_def def = {.restitution = fmin(a->restitution, b->restitution),
                                 .friction = fmin(a->friction, b->friction),
                                 .rolling_friction = fmin(a->rolling_friction, b->rolling_friction)};
    return tact_world_bounce_with(world, event, &def);
}

tact_status tact_world_step(tact_world *world, double duration)
{
    const double until = tact_world_get_time(world) + duration;
    tact_event event;
    for (tact_event_kind kind; (kind = tact_world_next_event(world, until, &event)) != TACT_EVENT_NONE;) {
        if (kind != TACT_EVENT_TOUCH)
            continue;
        if (!call_back(world, &event)) {
            const tact_status status = bounce_by_material(world, &event);
            if (status != TACT_OK)
                return status;
        }
        if (world->release_pending) {
            tact_world_release(world);
            return TACT_OK;
        }
    }
    return event.status;
}

tact_count tact_world_advance(tact_world *world, double until)
{
    tact_count answer = {TACT_OK, 0};
    tact_event event;
    for (tact_event_kind kind; (kind = tact_world_next_event(world, until, &event)) != TACT_EVENT_NONE;) {
        if (kind != TACT_EVENT_TOUCH)
            continue; /* an expired plan without callback: see tact_body_set_motion_plan */
        answer.count += call_back(world, &event);
        if (world->release_pending) {
            tact_world_release(world);
            return answer;
        }
    }
    answer.status = event.status;
    return answer;
}
