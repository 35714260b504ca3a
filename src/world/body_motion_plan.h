/* The motion plan of a body (tact/motion_plan.h), as the world stores it. Only advance/ evaluates it. */
#ifndef TACT_WORLD_BODY_MOTION_PLAN_H
#define TACT_WORLD_BODY_MOTION_PLAN_H

#include <stdint.h>
#include <tact/motion_plan.h>

typedef struct course {
    tact_motion_plan said; /* `until` is INFINITY, not 0, if it holds for ever; the motion is not kept here */
    double asked;          /* when it was last known where the body is */
} course;

/* Frees the plan of a body, if it has one. The caller then tells the extensions that the body has changed. */
void tact_body_drop_motion_plan(tact_world *world, uint32_t index);

#endif
