/*
 * Motion plans: motions that are known for a time, or up to a deviation. See tact/motion_plan.h.
 *
 * A plan expires at `until`. A plan with a deviation also expires when the body may leave its bound or touch a
 * neighbour. Then the transform of the body is *requested*: its motion callback is called, or
 * TACT_EVENT_MOTION_EXPIRED is reported and the program answers. The result is a transform and a motion that hold
 * from now on, the new `transform_time`. The rest of this room knows two things of a plan: the expiry of a body
 * (body_motion.c) is not after `until`, and comes early by the deviation; pairs with a body that deviates are polled
 * (polling.c).
 */
#ifndef TACT_ADVANCE_MOTION_PLAN_H
#define TACT_ADVANCE_MOTION_PLAN_H

#include "world/body_motion_plan.h"

/* Length: how far a point of the body may be from where its motion has it. */
static inline double motion_plan_deviation(const body_motion_plan *plan, double now)
{
    return plan->plan.max_deviation_speed * (now - plan->transform_time);
}

/* The caller has set the transform of a body: it is known now, as after a request. */
void tact_motion_plan_transform_set(tact_world *world, uint32_t index);

/* Bodies with this callback have none from now on. */
void tact_world_clear_motion_callback(tact_world *world, tact_motion_callback *callback);

/* Locates a body whose plan has expired. `*report`: it has no callback, TACT_EVENT_MOTION_EXPIRED is to be reported.
 * What holds if nobody answers is stored: after `until` the body stands still; with a deviation it is where its motion
 * has it. */
tact_status tact_motion_plan_query(tact_world *world, uint32_t index, bool *report);

#endif
