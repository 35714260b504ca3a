/*
 * Whether a world can be advanced in a short time. Work in continuous time grows with what happens: a body that turns
 * 10^20 times takes as many predictions, which is no mistake. Fuzzers advance only worlds with moderate motions.
 */
#ifndef TACT_FUZZ_MODERATE_H
#define TACT_FUZZ_MODERATE_H

#include <math.h>
#include <stdbool.h>
#include <tact/tact.h>

#define MODERATE_SPEED 1e3    /* lengths a unit of time, and of its change */
#define MODERATE_SPIN 30.0    /* radians a unit of time */
#define MODERATE_INTERVAL 0.1 /* units of time between polls, and between pieces of a plan */
#define MODERATE_TIME 2.0     /* units of time to advance by */
#define MODERATE_STEP 1e-3    /* units of time of a contact step */
#define MODERATE_PIVOT 100.0  /* length: a body that turns about a point far away is fast */

static inline double vec_max(tact_vec3 a) { return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))); }

static inline bool is_moderate_motion(tact_motion m)
{
    return vec_max(m.velocity) <= MODERATE_SPEED && vec_max(m.acceleration) <= MODERATE_SPEED &&
           vec_max(m.spin) <= MODERATE_SPIN && vec_max(m.pivot) <= MODERATE_PIVOT;
}

static inline bool is_moderate_interval(double interval) { return interval == 0.0 || interval >= MODERATE_INTERVAL; }

static inline bool is_moderate(const tact_world *world)
{
    if (tact_world_get_contact_step(world) < MODERATE_STEP || vec_max(tact_world_get_gravity(world)) > MODERATE_SPEED)
        return false;
    for (tact_body b = tact_world_next_body(world, (tact_body){0}); tact_body_exists(world, b);
         b = tact_world_next_body(world, b)) {
        const tact_motion_plan plan = tact_body_get_motion_plan(world, b);
        if (tact_body_has_vertex_motion(world, b)) /* its loop may be as short as it likes */
            return false;
        if (!is_moderate_motion(tact_body_get_motion(world, b)) || !is_moderate_motion(plan.motion) ||
            !is_moderate_interval(tact_body_get_poll_interval(world, b)) || !is_moderate_interval(plan.min_interval) ||
            plan.max_deviation_speed > MODERATE_SPEED)
            return false;
    }
    return true;
}

#endif
