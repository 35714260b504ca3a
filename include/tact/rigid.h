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
 * piece. The errors:
 * - Within a piece the orientation deviates by less than 1e-5 radians. From piece to piece it drifts from the exact
 *   one, by about 1e-6 of the angle turned: boxes that turned by 300 radians were off by 5e-5 to 1.5e-3 radians.
 * - The energy oscillates by a relative 1e-6, at most 1e-5.
 * - The angular momentum is conserved to rounding. If a moment of inertia is below 1e-3 of the largest (a thin body),
 *   it is conserved to a relative 1e-5.
 * - If a moment is below 1e-11 of the largest, it is treated as 0 (a rod). The rate of rotation about the axis of the
 *   rod then stays constant, while the axis itself rotates with the body.
 *
 * tact_body_get_motion returns the current velocity of the transform's origin (not of the centre of mass), the current
 * spin, and the acceleration that was set, without gravity. Of a body in persistent contact velocity and spin change
 * evenly from the start of a contact step to its end.
 */
#ifndef TACT_RIGID_H
#define TACT_RIGID_H

#include <stdbool.h>
#include <tact/advance.h>
#include <tact/body.h>
#include <tact/mass.h>
#include <tact/status.h>

TACT_BEGIN

/** Radians: approximate rotation in one rotation piece of a torque-free motion. */
#define TACT_ROTATION_PER_PIECE 0.01

/** Gives a body a mass, distributed uniformly over its shape at its current transform (mass.h). 0 makes it kinematic,
 * as it is initially. The mass is kept when the body moves, and lost when it gets another shape. Returns
 * #TACT_BAD_ARGUMENT if the body does not exist or is deformable, if its motion has a pivot, or if mass.h rejects the
 * mass or the shape. Returns #TACT_OUT_OF_MEMORY if there is no memory. */
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

/**
 * @name Material and impacts
 * @{
 */

/** Material of an impact. Start with tact_bounce_def_default(). */
typedef struct tact_bounce_def {
    double restitution;      /**< as in tact_material; default 1: elastic */
    double friction;         /**< as in tact_material; default 0 */
    double rolling_friction; /**< as in tact_material; default 0 */
} tact_bounce_def;

/** Returns the defaults: elastic, no friction. */
TACT_API tact_bounce_def tact_bounce_def_default(void);

/**
 * Resolves the impact of a touch event. Call it right after the event was reported, while the world is at its time.
 *
 * The function applies impulses to both bodies and to all that the impact reaches: along the normals (restitution) and
 * against sliding (Coulomb friction). It reaches bodies in persistent contact with them, and bodies that touch at this
 * time: pairs that are at rest against each other and at most 4e-9 sizes (advance.h) apart, and pairs whose own touch
 * is due now, unless their response is a sensor. The rule is that of generalised reflections (Smith, Kaufman, Vouga,
 * Tamstorf and Grinspun 2012), mixed with the inelastic result according to the restitution. So a row of balls passes
 * an impact on, and a rack breaks symmetrically. The restitution is that of the event for all pairs; so is the
 * friction, except for pairs in persistent contact, which keep their own. Touches that the impact passes through are
 * reported next, at the same time: they are resolved and need no response. If two faces touch, the impulses act at the
 * vertices of the common area, so a box that lands flat does not start to rotate.
 *
 * Afterwards the bodies do not approach at any of their contact points. If the pair becomes a persistent contact, this
 * holds for their positions; their velocities may follow later (below). Momentum is conserved. An elastic impact
 * without friction conserves energy. With friction an impact never adds energy: if Newton restitution with Coulomb
 * friction would, the restitution is reduced. If both bodies are kinematic, the function does nothing.
 *
 * **Persistent contact.** If the bodies separate slowly after the impact, or overlap, they stay in contact, and the
 * contact solver takes over: see "Persistent contacts" below. Until the next contact step the bodies move without
 * approaching each other. Their velocities, which tact_body_get_motion returns, lose what the impulses between them
 * take. The next contact step solves what is left of the impact, together with all other contacts of the island. A pair
 * in persistent contact has no touch events until the contact has ended. The contact keeps the material with which it
 * began: that of `def`, or of tact_world_bounce no friction.
 *
 * Returns #TACT_OUT_OF_MEMORY, or #TACT_BAD_ARGUMENT
 * - if the event is not a touch event at the current time of the world;
 * - if one of its bodies does not exist;
 * - if the restitution is not in [0, 1], or `friction` or `rolling_friction` is negative or not finite;
 * - if a velocity would exceed 1e150.
 */
TACT_API tact_status tact_world_bounce(tact_world *world, const tact_event *event, double restitution);

/** As tact_world_bounce, with friction; `def` NULL: defaults. */
TACT_API tact_status tact_world_bounce_with(tact_world *world, const tact_event *event, const tact_bounce_def *def);

/** Returns the speed at which the bodies of a touch event approach each other at its point, along its normal: how hard
 * the impact is. Call it before the touch is resolved, in a contact callback for example. It is negative if the bodies
 * separate there, and 0 for other events and if a body does not exist. Moving vertices count as at rest. A touch that
 * an impact has passed through (tact_world_bounce) is resolved already: there it is about 0 or negative. */
TACT_API double tact_event_get_closing_speed(const tact_world *world, const tact_event *event);

/** @} */

/**
 * @name Persistent contacts
 * Lengths are relative to the size of the pair or body (advance.h). Default durations suppose that the unit of time is
 * a second. The *rest speed* of a pair is 1e-4 of its size per contact step. After tact_world_bounce a pair becomes a
 * *persistent contact* in each of these cases:
 * - It separates no faster than the rest speed plus the speed that its bodies gain towards each other in one contact
 *   step. With restitution 1 only the rest speed counts, and only if the bodies accelerate towards each other.
 * - It overlaps by more than 1e-9 of its size; if one body is a sphere, by more than 1e-7.
 * - One of its bodies has had more than 64 impacts within one contact step (131,072 with restitution 1): other bodies
 *   close in on it.
 *
 * The contact ends when the bodies are more than 0.01 of the size apart at the start of two consecutive steps.
 *
 * Bodies in persistent contact move in *contact steps*, at multiples of the contact step of the world. At each step the
 * impulses of all contact points of an *island*, the bodies with a mass that are connected by contacts, are solved
 * together: Coulomb friction and non-penetration. Within a step, a body has constant velocity and spin. Touches of
 * other bodies with it are events at their exact times, as always. The steps of the world are divided while a body in
 * contact, other than a sphere, would turn by more than 0.1 radians in one. The times of the steps do not depend on how
 * the caller divides the time into calls.
 *
 * - *Gap.* The solver keeps 1e-4 of the size of the pair between bodies at rest, up to twice as much while they come to
 *   rest. Bodies in contact overlap by at most 1e-6 of the size: a step in which two would touch is cut at that
 *   time.
 * - *Overlap at the start.* Bodies that overlap when they touch first are pushed apart, from any depth, with at most
 *   one size of the pair per unit of time.
 * - *Sleep.* An island falls asleep when none of its bodies has moved by more than 0.002 of its size in half a unit of
 *   time. In addition it must touch a kinematic body, and all kinematic bodies that it touches must be at rest. A
 *   sleeping island costs nothing. It wakes when one of its bodies, or a body that it touches, is hit, changed or
 *   removed.
 * - *Crushed.* If kinematic bodies close in on a body, it moves with the slowest of them and overlaps the others.
 *
 * Bodies with moving vertices (animation.h) are kinematic: at each point they have the velocity of the surface. Bodies
 * on them do not sleep while their vertices move. docs/animation.md states how deep bodies may get there.
 * With NURBS bodies whose control points move, no persistent contact begins.
 * @{
 */

/** Sets the duration of contact steps, finite and at least 1e-100; initially 1/60. Longer steps cost less. The error
 * of stopping distances is proportional to the step. Wakes all bodies. */
TACT_API tact_status tact_world_set_contact_step(tact_world *world, double duration);

/** Returns the contact step; 0 for NULL. */
TACT_API double tact_world_get_contact_step(const tact_world *world);

/** Sets the gravity: an acceleration of all bodies with a mass, added to that of their motion. It is initially zero,
 * and at most 1e150. Wakes all bodies. */
TACT_API tact_status tact_world_set_gravity(tact_world *world, tact_vec3 gravity);

/** Returns the gravity; zero for NULL. */
TACT_API tact_vec3 tact_world_get_gravity(const tact_world *world);

/** Sets whether islands may fall asleep; initially they may. Turning it off wakes all bodies. */
TACT_API tact_status tact_world_set_sleeping(tact_world *world, bool on);

/** Returns whether islands may fall asleep; false for NULL. */
TACT_API bool tact_world_get_sleeping(const tact_world *world);

/** Returns whether the body is asleep; false if it does not exist. */
TACT_API bool tact_body_is_asleep(const tact_world *world, tact_body body);

/** Wakes the island of a body. Returns #TACT_BAD_ARGUMENT if the body does not exist. */
TACT_API tact_status tact_body_wake(tact_world *world, tact_body body);

/** A point of a persistent contact. */
typedef struct tact_contact_impulse_point {
    tact_vec3 point;   /**< midway between the surfaces, in world coordinates */
    tact_vec3 normal;  /**< from A to B */
    double gap;        /**< distance along the normal; negative: overlap */
    tact_vec3 impulse; /**< on B in the last contact step, normal and friction part; -impulse acts on A.
                            Impacts within the step are not included. That with which the contact began may be, in
                            its first step */
} tact_contact_impulse_point;

/**
 * A persistent contact, as of the last contact step. A is the body created first.
 *
 * At most #TACT_MANIFOLD_POINTS points span the contact. On a mesh they stand for all triangles in contact. The force
 * at a point is `impulse / duration`; examples/pile.c prints forces. While the bodies sleep, the impulses are those of
 * their last step. A contact that has begun since the last step has no impulses yet, and `duration` is 0.
 */
typedef struct tact_persistent_contact {
    tact_body a;                                             /**< body A */
    tact_body b;                                             /**< body B */
    tact_material material;                                  /**< of the pair */
    double duration;                                         /**< of the contact step that the impulses are of; or 0 */
    int count;                                               /**< number of points */
    tact_contact_impulse_point points[TACT_MANIFOLD_POINTS]; /**< its points */
} tact_persistent_contact;

/** Writes at most `capacity` persistent contacts of a body to `contacts`, which may be NULL if `capacity` is 0, and
 * returns their total number; 0 if the body does not exist. */
TACT_API size_t tact_body_get_contacts(const tact_world *world, tact_body body, tact_persistent_contact *contacts,
                                       size_t capacity);

/** Sets whether tact_world_next_event reports the beginning and the end of persistent contacts, sleep, waking and
 * crushed bodies; initially it does not. Touch events are reported in any case. tact_world_advance and tact_world_step
 * pass over these events. */
TACT_API tact_status tact_world_set_contact_events(tact_world *world, bool on);

/** Returns whether contact events are reported; false for NULL. */
TACT_API bool tact_world_get_contact_events(const tact_world *world);

/** Sets the material of a body; initially zero. tact_world_step uses the smaller friction, restitution and rolling
 * friction of the two bodies of a pair: a floor needs friction, too. A persistent contact keeps the material of the
 * bounce with which it began (#tact_bounce_def). Returns #TACT_BAD_ARGUMENT if the body does not exist or the material
 * is invalid. */
TACT_API tact_status tact_body_set_material(tact_world *world, tact_body body, tact_material material);

/** Returns the material of a body; zero if it does not exist. */
TACT_API tact_material tact_body_get_material(const tact_world *world, tact_body body);

/** Changes the momentum of a body by `impulse`, which acts at `point` in world coordinates. Ends a motion plan, as
 * tact_body_set_motion does. Returns #TACT_BAD_ARGUMENT if the body does not exist or has no mass, or if a number is
 * not finite or the velocity would exceed 1e150. */
TACT_API tact_status tact_body_apply_impulse(tact_world *world, tact_body body, tact_vec3 impulse, tact_vec3 point);

/**
 * Advances the world by `duration` (finite, not negative): the function for a frame loop.
 *
 * At each touch it calls the contact callback of the pair, if there is one. Then it resolves the touch by
 * tact_world_bounce_with and the materials of the two bodies. It does not resolve a touch
 * - whose response is a sensor (tact_response::sensor);
 * - if the callback has called tact_world_bounce for it;
 * - if the callback has removed one of the bodies, or has set its transform, shape or filter;
 * - if the callback has set motions with which the bodies separate at the point of the touch.
 *
 * The results do not depend on how the time is divided into calls. tact_body_get_transform returns transforms between
 * contact steps, so the caller needs no interpolation of its own. The status is as for tact_world_next_event; on
 * failure the call may be repeated with the rest of the duration.
 */
TACT_API tact_status tact_world_step(tact_world *world, double duration);

/** @} */

TACT_END

#endif
