/**
 * @file
 * Rigid bodies: mass, free motion and impacts in continuous time (advance.h).
 *
 *     tact_body_set_mass(world, ball, 1.0);
 *     for (tact_event e; tact_world_next_event(world, 10.0, &e) == TACT_EVENT_TOUCH; )
 *         tact_world_bounce(world, &e, 0.8);
 *
 * A body with a mass moves freely between contacts: its centre of mass follows the acceleration of its motion, and it
 * rotates without torque, with constant angular momentum. A body without mass is kinematic: it follows its motion
 * whatever it touches. Walls, floors and bodies that the program moves are kinematic.
 *
 * Torque-free rotation about a changing axis is approximated by pieces of constant spin. A piece turns by about
 * #TACT_ROTATION_PER_PIECE radians, up to half a radian if the spin is steady. The orientation deviates from the exact
 * one by less than 1e-5 radians, and the energy oscillates by about 1e-6, at most 1e-5. A thin body (a moment of
 * inertia below 1e-3 of the largest) keeps its energy equally well and its angular momentum to 1e-5. About an axis with
 * zero moment (a rod), or one below 1e-11 of the largest, the spin never changes and turns along with the axis.
 * tact_body_get_motion returns the current velocity of the origin and the current spin.
 */
#ifndef TACT_RIGID_H
#define TACT_RIGID_H

#include <stdbool.h>
#include <tact/advance.h>
#include <tact/body.h>
#include <tact/mass.h>
#include <tact/status.h>

TACT_BEGIN

/** Impacts of one body within the rest time after which its impacts become elastic: see tact_world_bounce. */
#define TACT_BOUNCES_ELASTIC 200
/** Impacts of one pair within the rest time after which the pair may overlap: see tact_world_bounce. */
#define TACT_BOUNCES_MOST 1000

/** Radians: approximate rotation in one piece of a torque-free motion. */
#define TACT_ROTATION_PER_PIECE 0.01

/** Gives a body a mass, distributed uniformly over its shape at its current transform (mass.h); 0: kinematic, as
 * initially. The mass is kept when the body moves, and lost when it gets another shape. #TACT_BAD_ARGUMENT if the body
 * does not exist, is deformable, or its shape cannot have such a mass; #TACT_OUT_OF_MEMORY. */
TACT_API tact_status tact_body_set_mass(tact_world *world, tact_body body, double mass);

/** Gives a body the mass, centre of mass and inertia of `mass`, in world coordinates at its current transform; NULL:
 * kinematic. With all moments 0, impacts do not change its spin.
 *
 * #TACT_BAD_ARGUMENT, and nothing changes, also if a number is not finite, the mass is not positive, or no body has
 * such an inertia: a moment is negative, or a principal moment exceeds the sum of the other two by more than 1e-9. */
TACT_API tact_status tact_body_set_mass_with(tact_world *world, tact_body body, const tact_mass *mass);

/** Returns the mass; 0: kinematic. */
TACT_API double tact_body_get_mass(const tact_world *world, tact_body body);

/** Material of an impact. Start with tact_bounce_def_default(). */
typedef struct tact_bounce_def {
    double restitution; /**< separation speed over approach speed, 0 to 1; default 1: elastic */
    double friction;    /**< Coulomb coefficient, not negative; default 0 */
} tact_bounce_def;

/** Returns the defaults: elastic, no friction. */
TACT_API tact_bounce_def tact_bounce_def_default(void);

/**
 * Resolves the impact of a touch event that has just been reported (the world is still at the time of the event):
 * applies impulses to both bodies at their contact points, along the normal (Newton restitution) and against sliding
 * (Coulomb friction). Where two faces meet, the impulses act at the vertices of the common area, so a box that lands
 * flat does not start to rotate. Does nothing if the bodies do not approach, or if both are kinematic.
 *
 * Afterwards no contact point of the pair approaches. Without friction an elastic impact conserves energy. With
 * friction it never adds energy: where Newton's and Coulomb's rules together would, the restitution is reduced.
 *
 * Bodies that come to rest would bounce infinitely often. Instead, contacts last at least the rest time
 * (tact_world_set_rest_time), which can add a little energy; impacts of one body become elastic after
 * #TACT_BOUNCES_ELASTIC within the rest time (after Luding and McNamara 1998); a pair may overlap after
 * #TACT_BOUNCES_MOST. docs/advance.md states these rules and their limits.
 *
 * #TACT_BAD_ARGUMENT if a body does not exist, the restitution is not in 0 to 1, or the event is not of the current
 * time.
 */
TACT_API tact_status tact_world_bounce(tact_world *world, const tact_event *event, double restitution);

/** As tact_world_bounce, with friction; `def` NULL: defaults. */
TACT_API tact_status tact_world_bounce_with(tact_world *world, const tact_event *event, const tact_bounce_def *def);

/** Sets the rest time, the least duration of a contact of bodies that come to rest: finite, not negative, initially
 * 1e-3. With 0, a body on the floor bounces ever more often and finally falls through. */
TACT_API tact_status tact_world_set_rest_time(tact_world *world, double time);

/** Returns the rest time; 0 for NULL. */
TACT_API double tact_world_get_rest_time(const tact_world *world);

TACT_END

#endif
