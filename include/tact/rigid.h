/**
 * @file
 * Rigid bodies: mass, free motion and impacts in continuous time (advance.h).
 *
 *     tact_body_set_mass(world, ball, 1.0);
 *     for (tact_event e; tact_world_next_event(world, 10.0, &e) == TACT_EVENT_TOUCH; )
 *         tact_world_bounce(world, &e, 0.8);
 *
 * A body with a mass moves freely between contacts. Its centre of mass follows the acceleration of its motion. It
 * rotates without torque, with constant angular momentum. A body without mass is *kinematic*: impacts do not change its
 * motion. Walls, floors and bodies that the program moves are kinematic.
 *
 * **Rotation pieces.** The spin (angular velocity, motion.h) of a freely rotating body changes in general. Tact
 * approximates it by *rotation pieces*: time intervals of constant spin. In one piece the body rotates by about
 * #TACT_ROTATION_PER_PIECE radians, or by up to half a radian if its spin is nearly steady. A steady rotation is one
 * piece. The errors are bounded:
 * - The orientation deviates from the exact one by less than 1e-5 radians.
 * - The energy oscillates by a relative 1e-6, at most 1e-5.
 * - The angular momentum is conserved to rounding. If a moment of inertia is below 1e-3 of the largest (a thin body),
 *   it is conserved to a relative 1e-5.
 * - If a moment is below 1e-11 of the largest, it is treated as 0 (a rod). The rate of rotation about the axis of the
 *   rod then stays constant, while the axis itself rotates with the body.
 *
 * tact_body_get_motion returns the current velocity of the transform's origin and the current spin.
 */
#ifndef TACT_RIGID_H
#define TACT_RIGID_H

#include <stdbool.h>
#include <tact/advance.h>
#include <tact/body.h>
#include <tact/mass.h>
#include <tact/status.h>

TACT_BEGIN

/** Maximum number of impacts of a body within the rest time (tact_world_set_rest_time) before its further impacts are
 * elastic: their restitution is 1. See tact_world_bounce. */
#define TACT_BOUNCES_ELASTIC 200
/** Maximum number of impacts of a pair within the rest time. After that tact_world_bounce no longer changes its motion,
 * so the bodies may overlap. */
#define TACT_BOUNCES_MOST 1000

/** Radians: approximate rotation in one rotation piece of a torque-free motion. */
#define TACT_ROTATION_PER_PIECE 0.01

/** Gives a body a mass, distributed uniformly over its shape at its current transform (mass.h). 0 makes it kinematic,
 * as it is initially. The mass is kept when the body moves, and lost when it gets another shape. Returns
 * #TACT_BAD_ARGUMENT if the body does not exist or is deformable, or if mass.h rejects the mass or the shape. Returns
 * #TACT_OUT_OF_MEMORY if there is no memory. */
TACT_API tact_status tact_body_set_mass(tact_world *world, tact_body body, double mass);

/**
 * Gives a body the mass, centre of mass and inertia of `mass`, in world coordinates at its current transform. NULL:
 * kinematic. If all moments are 0, impacts do not change its spin.
 *
 * Returns #TACT_BAD_ARGUMENT and changes nothing in the cases of tact_body_set_mass, and also
 * - if a number is not finite, or the mass is not positive;
 * - if no body has such an inertia: a moment is negative, or a principal moment exceeds the sum of the other two by a
 *   relative 1e-9.
 */
TACT_API tact_status tact_body_set_mass_with(tact_world *world, tact_body body, const tact_mass *mass);

/** Returns the mass; 0 for a kinematic body. */
TACT_API double tact_body_get_mass(const tact_world *world, tact_body body);

/** Material of an impact. Start with tact_bounce_def_default(). */
typedef struct tact_bounce_def {
    double restitution; /**< separation speed over approach speed, 0 to 1; default 1: elastic */
    double friction;    /**< Coulomb coefficient, not negative; default 0 */
} tact_bounce_def;

/** Returns the defaults: elastic, no friction. */
TACT_API tact_bounce_def tact_bounce_def_default(void);

/**
 * Resolves the impact of a touch event. Call it right after the event was reported, while the world is at its time.
 *
 * The function applies impulses to both bodies at their contact points: along the normal (Newton restitution) and
 * against sliding (Coulomb friction). If two faces touch, the impulses act at the vertices of the common area, so a box
 * that lands flat does not start to rotate. The function does nothing if the bodies do not approach, if both are
 * kinematic, or if the event has no normal.
 *
 * Afterwards the bodies do not approach at any of their contact points. Without friction an elastic impact conserves
 * energy. With friction an impact never adds energy: if Newton restitution with Coulomb friction would, the restitution
 * is reduced.
 *
 * **Resting contact.** A body that comes to rest would bounce infinitely often in finite time. Four rules prevent
 * this. docs/advance.md states them in full, with their limits.
 * - Two bodies that accelerate towards each other separate fast enough that their next impact is at least one rest time
 *   later (tact_world_set_rest_time). This can add a little energy.
 * - If the lower of two bodies bounces often, it acts on the upper one with infinite mass (shock propagation, after
 *   Guendelman, Bridson and Fedkiw 2003). Then momentum is not conserved.
 * - If a body has more than #TACT_BOUNCES_ELASTIC impacts within the rest time, its impacts become elastic (after
 *   Luding and McNamara 1998). This does not apply to a body that a kinematic body drives.
 * - After #TACT_BOUNCES_MOST impacts of a pair within the rest time, the function does nothing more for it. The
 *   bodies may then overlap. For example, this happens to a body that is crushed between two kinematic ones.
 *
 * Returns #TACT_BAD_ARGUMENT
 * - if the event is not a touch event at the current time of the world;
 * - if one of its bodies does not exist;
 * - if the restitution is not in [0, 1], or the friction is negative or not finite.
 */
TACT_API tact_status tact_world_bounce(tact_world *world, const tact_event *event, double restitution);

/** As tact_world_bounce, with friction; `def` NULL: defaults. */
TACT_API tact_status tact_world_bounce_with(tact_world *world, const tact_event *event, const tact_bounce_def *def);

/** Sets the rest time: the minimum time between two bounces of bodies that come to rest on each other. It is finite,
 * not negative, and initially 1e-3.
 *
 * Warning: with 0 a body on the floor bounces faster and faster until it reaches #TACT_BOUNCES_MOST. Then it falls
 * through the floor. */
TACT_API tact_status tact_world_set_rest_time(tact_world *world, double time);

/** Returns the rest time; 0 for NULL. */
TACT_API double tact_world_get_rest_time(const tact_world *world);

TACT_END

#endif
