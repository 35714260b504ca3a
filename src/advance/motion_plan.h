/*
 * What is known only in part of how a body moves: see tact/motion_plan.h.
 *
 * A body whose course is over, or that drifts and may have left its shell, or may touch a neighbour, is *due*: asked,
 * which ends in a place and motion that hold from now on. All that the rest of this room needs to know of it is the
 * exit of its shell (advance_plan.c), which is not after `until` and comes early by the drift; and pairs of which one
 * drifts or is polled are *watched* (advance_watch.c) instead of foreseen.
 */
#ifndef TACT_ADVANCE_MOTION_PLAN_H
#define TACT_ADVANCE_MOTION_PLAN_H

#include "world/body_motion_plan.h"

/* How far a body may be off by now. */
static inline double motion_plan_deviation(const body_motion_plan *c, double now)
{
    return c->plan.max_deviation_speed * (now - c->located_at);
}

/* The caller has set the transform of a body. */
void tact_motion_plan_transform_set(tact_world *world, uint32_t index);

/* Whoever has this guide has none from now on. */
void tact_world_clear_motion_callback(tact_world *world, tact_motion_callback *guide);

/* Asks where a body is that is due. `*tell`: the program is to be asked; what holds if it does not answer is noted. */
tact_status tact_motion_plan_query(tact_world *world, uint32_t index, bool *tell);

#endif
