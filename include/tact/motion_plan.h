/**
 * @file
 * Motion plans for a world in continuous time (advance.h): motions with an end time, and motions with a bounded
 * deviation. Also polled bodies, whose contacts are not predicted but tested at intervals.
 *
 *     tact_body_set_motion_plan(world, lift, &(tact_motion_plan){ .motion = {.velocity = {0, 2, 0}}, .until = 3.0 });
 *     tact_body_set_motion_plan(world, hand, &(tact_motion_plan){ .max_deviation_speed = 0.5, .min_interval = 0.001 });
 *     for (tact_event e; tact_world_next_event(world, 10.0, &e) != TACT_EVENT_NONE; ) {
 *         if (e.kind == TACT_EVENT_TOUCH)
 *             printf("%.9f  %s touches %s\n", e.time, name(e.user_a), name(e.user_b));
 *         else if (e.kind == TACT_EVENT_MOTION_EXPIRED && e.user_a == lift_data)
 *             tact_body_set_motion(world, e.a, tact_motion_still());        // the lift has arrived
 *         else if (e.kind == TACT_EVENT_MOTION_EXPIRED)
 *             tact_body_set_transform(world, e.a, hand_transform(e.time));  // the world requests the transform
 *     }
 *
 * **Motion with an end time** (`until`): the body follows its motion until then. Contacts are predicted only up to that
 * time.
 *
 * **Motion with a bounded deviation** (`max_deviation_speed`): each point of the body deviates from the planned motion
 * no faster than this speed. If the planned motion is zero, it bounds the speed of the body itself. Use it for a
 * hand, a robot under control, or a body that the program moves by its own rules.
 *
 * Such a body is handled by conservative advancement. The world advances as long as no new contact is possible. When
 * one becomes possible, the world *requests* the transform of the body: it calls the motion callback, or reports
 * #TACT_EVENT_MOTION_EXPIRED. The time between two requests grows with the distance to other bodies. Far from all
 * others there are few requests.
 *
 * Guarantees for a body with a deviation:
 * - A pair is tested when the transform of the body has been requested. If both bodies deviate, both transforms are
 *   requested first. A contact is reported if the bodies then touch or overlap, within the tolerance of advance.h.
 * - While the bodies are close, there is a request every `min_interval`. If both bodies deviate, the longer interval
 *   applies. So a contact is reported at most that late.
 * - Only a contact that begins and ends between two requests can be missed.
 * - A pair is reported once, and again after a test has found it separated.
 * - Several contacts found at one time come in an unspecified order, which is the same for the same calls.
 *
 * The guarantees require that the bound holds. If the program sets a transform that is farther away, the body has
 * jumped, and contacts between the two transforms are not reported.
 *
 * **Polled bodies**: see tact_body_set_poll_interval.
 *
 * **Saved worlds** (record.h) contain motion plans. A world that is restored without a tact_pointer_map has NULL in
 * place of each motion callback. It then reports #TACT_EVENT_MOTION_EXPIRED instead of calling one. The program can
 * handle the event, or set the callback again:
 *
 *     tact_motion_plan plan = tact_body_get_motion_plan(world, body);
 *     plan.callback = along_path;
 *     plan.context = &path;
 *     tact_body_set_motion_plan(world, body, &plan);  // with a deviation: also set the transform
 *
 * **Changes.** tact_body_set_motion ends a motion plan. A bounce (rigid.h) changes the motion and keeps the rest of the
 * plan. tact_body_set_transform changes the transform and keeps the plan. A body with a motion plan is a moving body,
 * even if its planned motion is zero.
 */
#ifndef TACT_MOTION_PLAN_H
#define TACT_MOTION_PLAN_H

#include <tact/advance.h>

TACT_BEGIN

typedef struct tact_motion_plan tact_motion_plan;

/**
 * A motion callback, called when a motion plan expires or the transform of its body is requested. On entry `*transform`
 * is the transform that the planned motion gives at `time`, and `*plan` is the plan with the current motion. The
 * callback may change both.
 *
 * It must not change the world. If it removes its own body or ends its motion plan by another function, this change
 * remains. The result of the callback is then ignored, and tact_world_next_event fails with #TACT_BAD_ARGUMENT.
 *
 * Example: a path, for a body with a `max_deviation_speed`:
 *
 *     static void along_path(void *path, double time, tact_transform *transform, tact_motion_plan *plan)
 *     {
 *         *transform = path_at(path, time);
 *     }
 *
 * Example: a motion that consists of pieces, each with an end time:
 *
 *     static void piece(void *pieces, double time, tact_transform *transform, tact_motion_plan *plan)
 *     {
 *         plan->motion = next_piece(pieces);
 *         plan->until = time + 1.0;
 *     }
 */
typedef void tact_motion_callback(void *context, double time, tact_transform *transform, tact_motion_plan *plan);

/** A motion plan. If all fields except `motion` are zero, the body follows that motion without end, as after
 * tact_body_set_motion. */
struct tact_motion_plan {
    tact_motion motion; /**< planned motion */
    /** The time of the world at which the plan expires. It must be later than the current one. 0: the plan never
     * expires. */
    double until;
    /** A speed, 0 to 1e150: no point of the body deviates from the planned motion faster than this. A deviation by
     * rotation counts as the angular speed times the largest distance from the axis. 0: no deviation. */
    double max_deviation_speed;
    /** A duration: the least time between two requests because of the same neighbour. It must be positive if there is
     * a deviation. A request is postponed until the two bodies can have moved relative to each other by 1e-7 of
     * the size of the smaller body. */
    double min_interval;
    tact_motion_callback *callback; /**< NULL: #TACT_EVENT_MOTION_EXPIRED is reported to the program */
    void *context;                  /**< passed to the callback */
};

/**
 * Gives a body a motion plan from now on. The plan *expires* at `until`. With a deviation its transform is also
 * requested when a contact becomes possible, and at internal updates in between. Each time the callback is called, or
 * #TACT_EVENT_MOTION_EXPIRED is reported, after all touch events of that time. Several bodies at one time come in order
 * of creation.
 *
 * If neither the callback nor the program changes the plan at `until`, the body stops there and its plan ends. If
 * neither sets the transform of a requested body, the body is assumed to be where the planned motion takes it. Its
 * deviation then starts again from 0.
 *
 * tact_world_advance and tact_world_step do not report #TACT_EVENT_MOTION_EXPIRED. Use them only if all plans have a
 * callback, or if bodies may stop at `until`.
 *
 * Returns #TACT_BAD_ARGUMENT if the body does not exist or a number is invalid, or #TACT_OUT_OF_MEMORY. Then nothing
 * changes. If a callback returns an invalid transform or plan, the status of tact_world_next_event is
 * #TACT_BAD_ARGUMENT. The next call of tact_world_next_event calls the callback again.
 */
TACT_API tact_status tact_body_set_motion_plan(tact_world *world, tact_body body, const tact_motion_plan *plan);

/** Returns the motion plan with the current motion. `until` is 0 if it never expires. The result is all zero if the
 * body does not exist. */
TACT_API tact_motion_plan tact_body_get_motion_plan(const tact_world *world, tact_body body);

/**
 * Polls a body at an interval from now on: its contacts are not predicted. Its pairs with nearby bodies are tested for
 * contact only at times of the world that are multiples of the interval. A contact is reported when a test finds it,
 * and again after a test has found the pair separated. Contacts that begin and end between two tests are missed.
 *
 * Not every multiple needs a test. A multiple is skipped if contact is impossible then. It is also skipped if the
 * bodies cannot have moved far enough since the last test: by 1e-7 of the size of the smaller one, relative to each
 * other.
 *
 * Use it for custom shapes whose support function is too expensive or too inaccurate for a time of impact. Use it also
 * for bodies whose motion changes so often that prediction does not pay. If both bodies of a pair are polled, the
 * shorter interval applies.
 *
 * 0: not polled, as initially. Returns #TACT_BAD_ARGUMENT if the body does not exist, or the interval is negative or
 * not finite.
 */
TACT_API tact_status tact_body_set_poll_interval(tact_world *world, tact_body body, double interval);

/** Returns the poll interval; 0: not polled. */
TACT_API double tact_body_get_poll_interval(const tact_world *world, tact_body body);

TACT_END

#endif
