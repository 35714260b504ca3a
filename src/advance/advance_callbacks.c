/* tact_world_advance: the loop over events with contact callbacks. */
#include "advance/advance.h"

/* Calls the contact callback of a touch; false: there is none. */
static bool call_back(tact_world *world, const tact_event *event)
{
    const tact_response response = tact_response_of(world, event->a.index, event->b.index);
    if (response.callback == NULL)
        return false;
    tact_contact contact;
    tact_manifold manifold;
    tact_advance_sync_body(world, event->a.index); /* contacts are computed from the transforms in the world */
    tact_advance_sync_body(world, event->b.index);
    tact_world_fill_contact(world, event->a.index, event->b.index, &response, &contact, &manifold);
    contact.event = event;
    world->testing = true;
    response.callback(response.context, &contact);
    world->testing = false;
    return true;
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
