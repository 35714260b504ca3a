/**
 * @file
 * A world through continuous time: everything that touches until a given time, in the order in which it happens,
 * however fast things move. No frames: work is done when something changes.
 *
 *     tact_body_set_mass(world, ball, 1.0);                        the floor has none: it stays where it is
 *     tact_body_set_motion(world, ball, (tact_motion){ .velocity = {1, 5, 0}, .acceleration = {0, -9.81, 0} });
 *     for (tact_event e; tact_world_next_event(world, 10.0, &e) == TACT_EVENT_TOUCH; ) {
 *         printf("%.9f  %s meets %s\n", e.time, name(e.user_a), name(e.user_b));
 *         tact_world_bounce(world, &e, 0.8);
 *     }
 *
 * A world has a time, 0 at first. A body follows its motion (body.h) from the moment at which it was given.
 *
 * **What is told.** Two bodies *touch* at the first moment at which the distance between them is 0, or within a
 * tolerance of that: 1e-12 of the smaller one's size, or some roundings of their coordinates. The time told is never
 * later than they truly meet, but for a rounding. Nothing is missed between two moments, and whoever stays farther
 * apart is not told.
 *
 * - They are told once. They are told again after they have parted, by 1e-9 of the smaller one's size; or if they
 *   close, no deeper in each other than that, after something else has happened to one of them. What bounces is told
 *   again also if it presses deeper (rigid.h).
 * - Bodies that overlap when they come into the world, or are placed so, touch then and there, unless they overlapped
 *   before. Two that touch at the beginning without closing are not told.
 * - Which pairs: those whose filters allow it and of which at least one moves. Deformable bodies are taken as they are:
 *   what they become by tact_body_deform counts from then on.
 * - Touches at the same time come in the order in which the bodies were made: by the earlier one of a pair, then by the
 *   other one.
 * - The same calls give the same events, bit for bit, and so does asking in other portions: ten times up to 0.1, 0.2
 *   and so on, or once up to 1.
 *
 * **What happens then** is the caller's affair: he may bounce the two (tact_world_bounce in rigid.h), give them other
 * motions, place, remove or make bodies, or do nothing, and they pass through each other. A response that makes no
 * progress cannot hold the time: at one and the same time a pair is told 256 times at most.
 *
 * **Overlaps.** While two overlap it is followed for how long they surely do: a gap in which they come 1e-7 of the
 * smaller one's size apart is not missed. (But where surfaces without an inside slide along each other in one plane
 * nothing is sure: there a gap shorter than 1/64 of that size may be.)
 *
 * **Numbers.** Sizes, coordinates and the numbers of motions may be up to 1e150; beyond that they are refused (body.h),
 * and whoever flies farther away meets nobody. Sizes below 1e-140 count as that: what is smaller meets larger ones as a
 * point does, and what it does among its like is not promised. What is through another body before the time has
 * changed by its last digit is told at that time.
 *
 * Motions that are known only for a time or up to a bound, and bodies that are polled, are in course.h; saving a world
 * with its time, and recording what it goes through, in record.h.
 */
#ifndef TACT_ADVANCE_H
#define TACT_ADVANCE_H

#include <stdint.h>
#include <tact/body.h>
#include <tact/status.h>
#include <tact/world_query.h>

TACT_BEGIN

/** What has happened. */
typedef enum tact_event_kind {
    TACT_EVENT_NONE =
        0, /**< nothing more until the time asked for; the time of the world is that now. Or failure: see `status` */
    TACT_EVENT_TOUCH,         /**< two bodies touch */
    TACT_EVENT_MOTION_EXPIRED /**< what is known of body A is over, or too little: say how it goes on (course.h). There
                                 is no B */
} tact_event_kind;

/** Something that has happened. */
typedef struct tact_event {
    tact_status status;   /**< #TACT_OK; with #TACT_EVENT_NONE also what went wrong: see tact_world_next_event */
    tact_event_kind kind; /**< what */
    double time;          /**< when: the time of the world now */
    tact_body a;          /**< the one made earlier */
    tact_body b;          /**< the other; none if there is no other */
    void *user_a;         /**< A's user pointer */
    void *user_b;         /**< B's user pointer */
    tact_vec3 point;      /**< where they touch */
    tact_vec3 normal;     /**< from A to B; zero if they overlap and no direction is known */
} tact_event;

/**
 * The next event up to and at `until`, if there is one. The time of the world is then that of the event, or else
 * `until`. `event` may be NULL.
 *
 * #TACT_EVENT_NONE with #TACT_BAD_ARGUMENT and nothing changed: `until` is not finite or has been before, or it is
 * asked from within a response or a guide. With #TACT_OUT_OF_MEMORY, or the status of a query that failed (a user's own
 * support function that gives no numbers; #TACT_NOT_CONVERGED: two bodies of which it could not be decided when they
 * touch; two that meet beyond 1e150): the world stands at a time not after the next event, all events so far have been
 * told, and it may be asked again.
 */
TACT_API tact_event_kind tact_world_next_event(tact_world *world, double until, tact_event *event);

/**
 * Goes on until `until`, calling the response (response.h) of every two bodies that touch, in order, and returns how
 * many calls there were. What a response wants to know is told of the moment of the touch; `event` in the contact is
 * what tact_world_next_event would have given, for tact_world_bounce. A pair whose response is clear, or does nothing,
 * passes through. A response may do anything to the world but to test it or to go on; bodies that it moves, makes or
 * removes count at once.
 *
 * The status is as for tact_world_next_event; if it is not #TACT_OK the world stands at the last event, and may be
 * asked again.
 */
TACT_API tact_count tact_world_advance(tact_world *world, double until);

/** The time of the world; 0 for NULL. */
TACT_API double tact_world_get_time(const tact_world *world);

/** A time until which nothing touches: that of the next touch, or of some work of the world's own before it. INFINITY:
 * nothing ever happens, or `world` is NULL. After a change it is the time of now until the world is asked to go on. */
TACT_API double tact_world_get_next_time(tact_world *world);

/**
 * Brings what tact_world_test, the searches (search.h) and tact_body_get_bounds go by up to the time of the world. It
 * changes no event.
 *
 * tact_body_get_transform and tact_body_get_motion are always up to date. tact_world_test, tact_world_store_previous
 * and the steps of step.h make this call themselves; searches, which take a const world, do not. Cost: that of placing
 * every body that moves.
 *
 * #TACT_BAD_ARGUMENT if `world` is NULL, or a body has got beyond 1e150; #TACT_OUT_OF_MEMORY. Bodies before that one
 * are up to date then.
 */
TACT_API tact_status tact_world_sync_transforms(tact_world *world);

TACT_END

#endif
