/* The motion plan of a body (tact/motion_plan.h), as the world stores it. Only advance/ evaluates it. */
#ifndef TACT_WORLD_BODY_MOTION_PLAN_H
#define TACT_WORLD_BODY_MOTION_PLAN_H

#include <stdint.h>
#include <tact/motion_plan.h>

typedef struct body_motion_plan {
    tact_motion_plan plan; /* `until` is INFINITY, not 0, if it never expires; its motion is not stored here */
    double transform_time; /* the time of the body's last known transform */
} body_motion_plan;

/* Frees the plan of a body, if it has one. The caller then notifies the extensions that the body has changed. */
void tact_body_drop_motion_plan(tact_world *world, uint32_t index);

#endif
