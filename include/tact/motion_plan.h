/**
 * @file
 * Motions that are known only in part, in a world that goes through continuous time (advance.h): for a time, or up to a
 * bound; and bodies that are not predicted at all, but tested now and then.
 *
 *     tact_body_set_motion_plan(world, lift, &(tact_motion_plan){ .motion = {.velocity = {0, 2, 0}}, .until = 3.0 });
 *     tact_body_set_motion_plan(world, hand, &(tact_motion_plan){ .drift = 0.5, .interval = 0.001 });
 *     for (tact_event e; tact_world_next_event(world, 10.0, &e) != TACT_EVENT_NONE; ) {
 *         if (e.kind == TACT_EVENT_TOUCH)
 *             printf("%.9f  %s meets %s\n", e.time, name(e.user_a), name(e.user_b));
 *         else if (e.user_a == lift_data)                                    e.kind is TACT_EVENT_MOTION_EXPIRED
 *             tact_body_set_motion(world, e.a, tact_motion_still());                      it has arrived
 *         else
 *             tact_body_set_transform(world, e.a, where_the_hand_is(e.time));
 *     }
 *
 * *Known for a time*: the body follows its motion until then, and nothing is foreseen of it beyond.
 *
 * *Known by a bound*: the body follows its motion up to a drift: no point of it strays faster than that from where the
 * motion would have it. A hand, a robot under control, what the program moves by rules of its own; with no motion at
 * all, the drift is a bound of its speed. The world goes on for as long as it surely touches nobody new, and asks where
 * it is when it might. So the time between two questions grows with the distance, and far from everything it is hardly
 * ever asked.
 *
 * What is promised of a body with a drift, and anything else: they are found to touch at a moment at which it was asked
 * (of two that drift, both), if they are then in touch or in each other, by the tolerance of advance.h. Near each other
 * that is every `interval` (of two that drift the longer one), so they are told no later than that after they have met;
 * and what they do between two questions may be missed: nothing else is. They are told once, and again only after they
 * have been found apart. Several that are found at one and the same time come in no order that means anything, the same
 * for the same calls. All that holds as long as the drift is true; a body that is placed farther away has jumped there,
 * and what it has jumped over is not told.
 *
 * *Polled*: see tact_body_set_poll_interval.
 *
 * *Saved and restored* (record.h) a course goes on, with its guide if that has a name there. If it has none, its guide
 * is NULL in the restored world, and the program is told #TACT_EVENT_MOTION_EXPIRED when it would have been asked; it
 * may answer then, or give the body a guide at once:
 *
 *     tact_motion_plan course = tact_body_get_motion_plan(world, body);
 *     course.guide = along;
 *     course.context = &path;
 *     tact_body_set_motion_plan(world, body, &course);                               one that drifts: place it as well
 *
 * Any other motion (tact_body_set_motion) ends a course; a bounce (rigid.h) changes its motion alone, placing the body
 * (tact_body_set_transform) its place. Whoever has a course counts as moving.
 */
#ifndef TACT_MOTION_PLAN_H
#define TACT_MOTION_PLAN_H

#include <tact/advance.h>

TACT_BEGIN

typedef struct tact_motion_plan tact_motion_plan;

/**
 * Answers in the program's stead when something is due: where the body is and how it goes on. `*place` is where its
 * motion has taken it, `*course` what was said last, with the motion of now; it changes either or both, or nothing. It
 * must not do anything to the world (what it does to its own body all the same stands, its answer does not, and
 * tact_world_next_event gives #TACT_BAD_ARGUMENT). A path, for one that drifts no faster than `drift`:
 *
 *     static void along(void *path, double time, tact_transform *place, tact_motion_plan *course)
 *     {
 *         *place = path_at(path, time);
 *     }
 *
 * A motion in pieces:
 *
 *     static void piece(void *plan, double time, tact_transform *place, tact_motion_plan *course)
 *     {
 *         course->motion = plan_next(plan);
 *         course->until = time + 1.0;
 *     }
 */
typedef void tact_motion_callback(void *context, double time, tact_transform *place, tact_motion_plan *course);

/** What is known of how a body moves from now on. What is left zero is as in tact_body_set_motion: the motion holds,
 * for ever. */
struct tact_motion_plan {
    tact_motion motion; /**< how it moves, as far as is known */
    double until;       /**< a time, after now: so long that is known; 0: for ever */
    /** A speed, from 0 to 1e150: no point of it strays faster from where the motion has it (turning counts: an angular
     * speed times the farthest point's distance from the axis). */
    double max_deviation_speed;
    /** A time, greater than 0 if it drifts: it is not asked more often because of one neighbour, nor before the two can
     * have moved past each other by 1e-7 of the smaller one's size. */
    double min_interval;
    tact_motion_callback
        *callback; /**< NULL: tact_world_next_event tells #TACT_EVENT_MOTION_EXPIRED, and the program answers */
    void *context; /**< handed to it */
};

/**
 * A body is on this course from now on. When what is known of it is over (`until`), or with a drift when it might touch
 * something, and now and then besides, it is *due*: its guide is asked, or #TACT_EVENT_MOTION_EXPIRED is told, after
 * all touches of that moment; several whose time is over in the order in which they were made. What the program does
 * not answer: after `until` the body stands still, its course is over; with a drift it is taken to be where its motion
 * has it, up to a drift that begins anew.
 *
 * tact_world_advance tells nobody of what is due: it is for bodies with guides, or for such as are to stop at `until`.
 *
 * #TACT_BAD_ARGUMENT if there is no such body, or a number is not usable; #TACT_OUT_OF_MEMORY; nothing has changed
 * then. An answer of a guide that is not usable is the status of tact_world_next_event, and it is asked again.
 */
TACT_API tact_status tact_body_set_motion_plan(tact_world *world, tact_body body, const tact_motion_plan *course);

/** What is known of it: the motion of now, `until` 0 if that holds for ever. All zero if there is no such body. */
TACT_API tact_motion_plan tact_body_get_motion_plan(const tact_world *world, tact_body body);

/**
 * A body is polled at an interval from now on: touches with it are not foreseen. Whoever is near it is tested, at all
 * multiples of the interval (the time of the world being one) and at no other moments, whether they are in touch or in
 * each other, and told if so; again only after a test has found them apart. What begins and ends between two multiples
 * is missed. For shapes of the caller's own whose support function is too expensive, or not good enough, to look for a
 * time of impact; and for what changes its motion so often that foreseeing does not pay. Of two that are polled the
 * shorter interval counts. Multiples between which the two move past each other by less than 1e-7 of the smaller one's
 * size are left out, as are those at which they surely cannot touch yet. 0: not polled, as at first. #TACT_BAD_ARGUMENT
 * if there is no such body, or the interval is negative or not finite.
 */
TACT_API tact_status tact_body_set_poll_interval(tact_world *world, tact_body body, double interval);

/** The interval at which it is polled; 0: it is not. */
TACT_API double tact_body_get_poll_interval(const tact_world *world, tact_body body);

TACT_END

#endif
