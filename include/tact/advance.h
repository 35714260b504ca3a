/**
 * @file
 * A world in continuous time: all contacts until a given time, in the order in which they happen, however fast bodies
 * move. There are no frames; work is done only when something changes.
 *
 *     tact_body_set_mass(world, ball, 1.0);                        the floor has no mass: it stays at rest
 *     tact_body_set_motion(world, ball, (tact_motion){ .velocity = {1, 5, 0}, .acceleration = {0, -9.81, 0} });
 *     for (tact_event e; tact_world_next_event(world, 10.0, &e) == TACT_EVENT_TOUCH; ) {
 *         printf("%.9f  %s meets %s\n", e.time, name(e.user_a), name(e.user_b));
 *         tact_world_bounce(world, &e, 0.8);
 *     }
 *
 * A world has a time, initially 0. A body follows its motion (body.h) from the time at which the motion was set.
 *
 * **Touch events.** Two bodies *touch* at the first time at which their distance is 0, within a tolerance of 1e-12 of
 * the smaller body's size or a few ulps of the coordinates. The reported time is never later than the true contact, up
 * to rounding. No contact is missed between two times, and bodies that stay farther apart than the tolerance are not
 * reported.
 *
 * - A pair is reported once for each contact. It is reported again after it has separated by 1e-9 of the smaller body's
 *   size; or if it approaches after another event changed one of its bodies, while it is no deeper than that. Pairs
 * that bounced are also reported when they penetrate deeper (rigid.h).
 * - Bodies that overlap when they are created or placed touch at that time, unless they overlapped before. Bodies that
 * touch initially without approaching are not reported.
 * - Pairs: those that the filters allow and of which at least one body moves. Deformable bodies are rigid here; a
 *   deformation by tact_body_deform acts from its time on.
 * - Simultaneous events come in the order in which the bodies were created: first by the earlier body of the pair, then
 * by the other.
 * - The same calls give the same events bit for bit. Asking in other portions does not change them: ten times up to
 * 0.1, 0.2, ..., or once up to 1.
 *
 * **Response.** The caller decides: bounce the bodies (tact_world_bounce, rigid.h), set other motions, create, move or
 * remove bodies, or do nothing and let them pass through each other. A response that makes no progress cannot stop
 * time: a pair is reported at most 256 times at one instant.
 *
 * **Overlapping pairs** are followed until they separate. A gap of 1e-7 of the smaller body's size is never missed. The
 * one exception: between surfaces without interior that slide along each other in one plane, a gap shorter than 1/64 of
 * that size may be.
 *
 * **Numbers.** Sizes, coordinates and motions may be as large as 1e150; larger ones are rejected (body.h), and a body
 * that moves beyond this touches nothing. Sizes below 1e-140 count as 1e-140: a smaller body touches larger ones like a
 * point, and contacts among such bodies are unspecified. A contact that begins and ends before the time changes by one
 * ulp is reported at that time.
 *
 * For motions that are known only for a time or up to a bound, and for polled bodies, see motion_plan.h. For saving and
 * recording a world in time see record.h.
 */
#ifndef TACT_ADVANCE_H
#define TACT_ADVANCE_H

#include <stdint.h>
#include <tact/body.h>
#include <tact/status.h>
#include <tact/world_query.h>

TACT_BEGIN

/** Kind of an event. */
typedef enum tact_event_kind {
    TACT_EVENT_NONE = 0, /**< no event until the requested time, which is now the time of the world; or failure: see
                              `status` */
    TACT_EVENT_TOUCH,    /**< two bodies touch */
    TACT_EVENT_MOTION_EXPIRED /**< the motion plan of body A expired or needs an update (motion_plan.h); there is no B
                               */
} tact_event_kind;

/** An event. */
typedef struct tact_event {
    tact_status status; /**< #TACT_OK; with #TACT_EVENT_NONE also the reason of a failure, see tact_world_next_event */
    tact_event_kind kind; /**< kind of event */
    double time;          /**< time of the event, which is the time of the world now */
    tact_body a;          /**< the body created first */
    tact_body b;          /**< the other body; a zero handle if there is none */
    void *user_a;         /**< user pointer of A */
    void *user_b;         /**< user pointer of B */
    tact_vec3 point;      /**< contact point */
    tact_vec3 normal;     /**< from A to B; zero if the bodies overlap and no direction is known */
} tact_event;

/**
 * Advances the world to the next event at or before `until`, or to `until` if there is none. `event` may be NULL.
 *
 * #TACT_EVENT_NONE with #TACT_BAD_ARGUMENT, and nothing changes, if `until` is not finite or in the past, or if it is
 * called from a callback. #TACT_EVENT_NONE with #TACT_OUT_OF_MEMORY or the status of a failed query (a custom support
 * function that returns no finite numbers; #TACT_NOT_CONVERGED: the time of contact of a pair could not be decided; a
 * contact beyond 1e150): the world stands at a time not after the next event, all earlier events have been reported,
 * and the call may be repeated.
 */
TACT_API tact_event_kind tact_world_next_event(tact_world *world, double until, tact_event *event);

/**
 * Advances the world to `until`, calls the contact callback (response.h) of every touch event in order, and returns the
 * number of calls. The contact data is that of the time of contact; tact_contact::event is the event, for
 * tact_world_bounce. A pair without callback, or whose callback does nothing, passes through. A callback may change the
 * world in any way, but not test or advance it; changes take effect at once.
 *
 * The status is as for tact_world_next_event. If it is not #TACT_OK, the world stands at the last event and the call
 * may be repeated.
 */
TACT_API tact_count tact_world_advance(tact_world *world, double until);

/** Returns the time of the world; 0 for NULL. */
TACT_API double tact_world_get_time(const tact_world *world);

/** Returns a lower bound of the time of the next touch event: the time of that event or of internal work before it.
 * INFINITY: there will be no event, or `world` is NULL. After a change it is the current time until the world advances.
 */
TACT_API double tact_world_get_next_time(tact_world *world);

/**
 * Updates the transforms that tact_world_test, the queries of world_query.h and tact_body_get_bounds use to the time of
 * the world. Changes no event.
 *
 * tact_body_get_transform and tact_body_get_motion are always up to date. tact_world_test, tact_world_store_previous
 * and the steps of step.h call this function themselves; queries, which take a const world, do not. Cost: that of
 * setting the transform of every moving body.
 *
 * #TACT_BAD_ARGUMENT if `world` is NULL or a body has moved beyond 1e150; #TACT_OUT_OF_MEMORY. The bodies before the
 * failing one are up to date then.
 */
TACT_API tact_status tact_world_sync_transforms(tact_world *world);

TACT_END

#endif
