/**
 * @file
 * Motion plans: motions that are known only for a time, or only up to a bound, in a world in continuous time
 * (advance.h); and polled bodies, which are tested at intervals instead of predicted.
 *
 *     tact_body_set_motion_plan(world, lift, &(tact_motion_plan){ .motion = {.velocity = {0, 2, 0}}, .until = 3.0 });
 *     tact_body_set_motion_plan(world, hand, &(tact_motion_plan){ .max_deviation_speed = 0.5, .min_interval = 0.001 });
 *     for (tact_event e; tact_world_next_event(world, 10.0, &e) != TACT_EVENT_NONE; ) {
 *         if (e.kind == TACT_EVENT_TOUCH)
 *             printf("%.9f  %s meets %s\n", e.time, name(e.user_a), name(e.user_b));
 *         else if (e.user_a == lift_data)                                    e.kind is TACT_EVENT_MOTION_EXPIRED
 *             tact_body_set_motion(world, e.a, tact_motion_still());         it has arrived
 *         else
 *             tact_body_set_transform(world, e.a, where_the_hand_is(e.time));
 *     }
 *
 * **Known for a time** (`until`): the body follows its motion until then. Nothing is predicted beyond.
 *
 * **Known up to a bound** (`max_deviation_speed`): each point of the body deviates from the planned motion no faster
 * than this speed. Use it for a hand, a robot under control, or a body that the program moves by its own rules. Without
 * a motion the bound limits the speed of the body. The world advances as long as a new contact is impossible and asks
 * for the transform of the body when one becomes possible (conservative advancement). So the interval between two
 * requests grows with the distance, and a body far from all others is hardly ever asked for.
 *
 * Guarantee for a body with a deviation: a contact is reported at a time at which the body was asked for (if both
 * deviate, both bodies), if the bodies then touch or overlap, within the tolerance of advance.h. Close bodies are asked
 * for every `min_interval` (if both deviate, the longer one). So a contact is reported at most that late, and only a
 * contact that begins and ends between two requests can be missed. A pair is reported once, and again after it was
 * found separated. Several contacts found at one time come in an unspecified order, the same for the same calls. All
 * this holds while the bound is true: a body that is placed farther away has jumped, and contacts on the way are not
 * reported.
 *
 * **Polled** bodies: see tact_body_set_poll_interval.
 *
 * **Saved worlds** (record.h) keep motion plans. A callback that has no id in tact_pointer_map is NULL in the restored
 * world, which then reports #TACT_EVENT_MOTION_EXPIRED instead of calling it. The program can answer, or set the
 * callback again:
 *
 *     tact_motion_plan plan = tact_body_get_motion_plan(world, body);
 *     plan.callback = along;
 *     plan.context = &path;
 *     tact_body_set_motion_plan(world, body, &plan);                         with a deviation: set its transform, too
 *
 * tact_body_set_motion ends a motion plan. A bounce (rigid.h) changes only its motion, tact_body_set_transform only the
 * transform of the body. A body with a motion plan counts as moving.
 */
#ifndef TACT_MOTION_PLAN_H
#define TACT_MOTION_PLAN_H

#include <tact/advance.h>

TACT_BEGIN

typedef struct tact_motion_plan tact_motion_plan;

/**
 * A motion callback, called when a motion plan expires or needs an update. On entry `*transform` is where the planned
 * motion has taken the body, and `*plan` is the current plan with the current motion. The callback changes either, both
 * or neither.
 *
 * It must not change the world. If it changes its own body all the same, that change stands, its result is ignored, and
 * tact_world_next_event returns #TACT_BAD_ARGUMENT.
 *
 * A path, for a body with a `max_deviation_speed`:
 *
 *     static void along(void *path, double time, tact_transform *transform, tact_motion_plan *plan)
 *     {
 *         *transform = path_at(path, time);
 *     }
 *
 * A motion in pieces:
 *
 *     static void piece(void *pieces, double time, tact_transform *transform, tact_motion_plan *plan)
 *     {
 *         plan->motion = next_piece(pieces);
 *         plan->until = time + 1.0;
 *     }
 */
typedef void tact_motion_callback(void *context, double time, tact_transform *transform, tact_motion_plan *plan);

/** What is known about the motion of a body. All zero but `motion`: that motion forever, as tact_body_set_motion. */
struct tact_motion_plan {
    tact_motion motion; /**< planned motion */
    double until;       /**< a time after now at which the plan expires; 0: never */
    /** A speed, 0 to 1e150: bound of the rate at which any point deviates from the planned motion. Rotation counts:
     * angular speed times the largest distance from the axis. */
    double max_deviation_speed;
    /** A time, positive if there is a deviation: one neighbour does not cause requests more often than this, nor before
     * the two bodies can have moved by 1e-7 of the smaller one's size relative to each other. */
    double min_interval;
    tact_motion_callback *callback; /**< NULL: #TACT_EVENT_MOTION_EXPIRED is reported, and the program answers */
    void *context;                  /**< passed to the callback */
};

/**
 * Gives a body a motion plan from now on. The plan *expires* at `until`. With a deviation it also needs an update when
 * a contact becomes possible, and at times in between. Then the callback is called, or #TACT_EVENT_MOTION_EXPIRED is
 * reported, after all touch events of that time; several plans that expire at one time come in the order in which the
 * bodies were created. Without an answer the body stops at `until` and its plan ends; with a deviation it is assumed to
 * be where the planned motion has it, and the deviation starts again from there.
 *
 * tact_world_advance does not report expired plans: use it with callbacks, or for bodies that stop at `until`.
 *
 * #TACT_BAD_ARGUMENT if the body does not exist or a number is invalid; #TACT_OUT_OF_MEMORY; nothing changes then. An
 * invalid answer of a callback makes tact_world_next_event fail with its status, and the callback is called again.
 */
TACT_API tact_status tact_body_set_motion_plan(tact_world *world, tact_body body, const tact_motion_plan *plan);

/** Returns the motion plan with the current motion; `until` is 0 if it never expires. All zero if the body does not
 * exist. */
TACT_API tact_motion_plan tact_body_get_motion_plan(const tact_world *world, tact_body body);

/**
 * Polls a body at an interval from now on. Its contacts are not predicted: each close body is tested for contact at the
 * multiples of the interval (in the time of the world) and at no other times. A contact is reported when a test finds
 * it, and again after a test found the pair separated. Contacts that begin and end between two multiples are missed.
 *
 * Use it for custom shapes whose support function is too expensive or too inaccurate for a time of impact, and for
 * bodies whose motion changes so often that prediction does not pay. For two polled bodies the shorter interval
 * applies. Multiples at which contact is impossible are skipped, as are those between which the bodies move by less
 * than 1e-7 of the smaller one's size relative to each other.
 *
 * 0: not polled, as initially. #TACT_BAD_ARGUMENT if the body does not exist, or the interval is negative or not
 * finite.
 */
TACT_API tact_status tact_body_set_poll_interval(tact_world *world, tact_body body, double interval);

/** Returns the poll interval; 0: not polled. */
TACT_API double tact_body_get_poll_interval(const tact_world *world, tact_body body);

TACT_END

#endif
