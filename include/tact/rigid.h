/**
 * @file
 * Rigid bodies that bounce: what a body weighs, and what happens to its motion when it touches another one.
 *
 *     tact_body_set_mass(world, ball, 1.0);
 *     for (tact_event e; tact_world_next_event(world, 10.0, &e) == TACT_EVENT_TOUCH; )
 *         tact_world_bounce(world, &e, 0.8);
 *
 * A body with a mass moves freely between touches: its centre of mass along its acceleration, and it turns about that
 * as what is rigid does when nothing twists it, with its angular momentum kept. Where that is no turning about one
 * axis it is a sequence of short ones that stray from it by less than 1e-5 radians, whose energy swings by some 1e-6,
 * 1e-5 at most: each by about #TACT_ROTATION_PER_PIECE radians, and by up to half a radian the steadier the spin is. A
 * thin body (a moment of inertia below 1e-3 of the largest) keeps its energy as well as others and its angular momentum
 * to 1e-5. What has no moment about an axis, as a rod, or one below 1e-11 of the largest, goes on spinning about that,
 * along with its axis, and nothing changes this. Its motion (tact_body_set_motion, tact_body_get_motion) says as always
 * how its origin moves and how fast it spins, now.
 *
 * A body without a mass follows its motion whatever it meets: walls, floors, what the program moves by itself.
 */
#ifndef TACT_RIGID_H
#define TACT_RIGID_H

#include <stdbool.h>
#include <tact/advance.h>
#include <tact/body.h>
#include <tact/mass.h>
#include <tact/status.h>

TACT_BEGIN

/** Bounces of a body within the time of rest until they are elastic, and of two bodies until there are none: see
 * tact_world_bounce. */
#define TACT_BOUNCES_ELASTIC 200
#define TACT_BOUNCES_MOST 1000 /**< see #TACT_BOUNCES_ELASTIC */

/** Radians: by how much a body turns in a piece of its motion, more or less, if it tumbles. */
#define TACT_ROTATION_PER_PIECE 0.01

/** A body weighs this much, spread evenly over its shape as it is placed now (mass.h); 0: it has no mass, as at first.
 * It keeps the mass when it is placed, moved or turned; given another shape it has none. #TACT_BAD_ARGUMENT if there is
 * no such body, it is deformable, or the shape cannot have such a mass; #TACT_OUT_OF_MEMORY. */
TACT_API tact_status tact_body_set_mass(tact_world *world, tact_body body, double mass);

/** The same with a mass of the caller's own, in world coordinates as the body is placed now: its `mass`, `centre` and
 * `inertia` count. With all moments 0 it never turns by a bounce.
 * NULL: none. #TACT_BAD_ARGUMENT also if a number is not finite, the mass not positive, or no body has such moments
 * of inertia: one about some axis is negative, or a principal one more than the sum of the two others (by more than
 * rounding: 1e-9). Nothing is changed then. */
TACT_API tact_status tact_body_set_mass_with(tact_world *world, tact_body body, const tact_mass *mass);

/** What it weighs; 0: it has no mass. */
TACT_API double tact_body_get_mass(const tact_world *world, tact_body body);

/** How two bodies bounce. Begin with tact_bounce_def_default(). */
typedef struct tact_bounce_def {
    /** How fast they part over how fast they closed: 1: elastic, 0: they do not part of themselves; default 1. */
    double restitution;
    double friction; /**< Coulomb's: of the normal impulse; default 0 */
} tact_bounce_def;

/** Elastic, without friction. */
TACT_API tact_bounce_def tact_bounce_def_default(void);

/**
 * Gives the two bodies of an event that has just been told (the time of the world is that of the event) the motions
 * that they have after the bounce: impulses along the normal, where they press on each other (where two faces meet:
 * at the corners of their common area, so that a box that falls flat on the floor does not begin to turn), and
 * against their sliding. Nothing happens if they do not close, or neither has a mass. #TACT_BAD_ARGUMENT if there is
 * no such body, a number is not usable (restitution is between 0 and 1, friction not negative), or the time is
 * another one.
 *
 * Without friction elastic bounces keep the energy; with friction no energy is made: where Newton's rule and
 * Coulomb's would, there is less restitution. Points that begin to close by this get their turn, so that no point
 * where they press closes then.
 *
 * So that bodies that come to rest do not bounce infinitely often, with the time of rest (tact_world_set_rest_time):
 * two that are accelerated towards each other, by gravity, by turning or as one slides along the other, part at least
 * at half the speed that they reach in that time, so what lies on the floor hops by that time, and nobody sees it; nor
 * does it slip down a slope where friction holds it. Of two that fall the same way the lower one, if it bounces more
 * than four times within the time of rest, holds the upper one as the floor would: what they lie on takes the
 * momentum. All of this may add the energy of hops, and nothing else adds any. A body that bounces more than
 * #TACT_BOUNCES_ELASTIC times within the time of rest does so elastically (after Luding and McNamara), if it does not
 * close by what a body without a mass does; and after two have bounced #TACT_BOUNCES_MOST times nothing happens: one is
 * being crushed, and let through.
 *
 * Two that bounced stay in touch until they are 1e-9 of the smaller one's size apart. While they are, they are told
 * again only if they close after something else has happened to one of them, or press deeper into each other than
 * that. Points that are in each other part faster by as much as takes them out in the time of rest, or out by 1e-5 of
 * that size. Two that are deeper in each other than 0.01 of the size are let through until they have parted.
 */
TACT_API tact_status tact_world_bounce(tact_world *world, const tact_event *event, double restitution);

/** The same, as asked for; `def` may be NULL for the default. */
TACT_API tact_status tact_world_bounce_with(tact_world *world, const tact_event *event, const tact_bounce_def *def);

/** The time of rest: how long a contact lasts at least, for what comes to rest: see tact_world_bounce. Not negative,
 * finite; at first 1e-3. With 0 what lies on the floor bounces ever more often, and falls through it at last. */
TACT_API tact_status tact_world_set_rest_time(tact_world *world, double time);

/** The time of rest; 0 for NULL. */
TACT_API double tact_world_get_rest_time(const tact_world *world);

TACT_END

#endif
