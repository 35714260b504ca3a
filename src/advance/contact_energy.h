/* The energy of contact bodies: what keeps it from growing. See contact_graph.h for the terms. */
#ifndef TACT_ADVANCE_CONTACT_ENERGY_H
#define TACT_ADVANCE_CONTACT_ENERGY_H

#include "advance/advance.h"

/* A frame in which contacts of an island do no work, but friction. */
typedef struct contact_energy_frame {
    bool exists;        /* false: kinematic bodies that move differently do work */
    bool floats;        /* there is no kinematic body: the frame is that of the centre of mass */
    tact_vec3 velocity; /* that of the kinematic bodies; zero if it floats */
} contact_energy_frame;

/* The frame of the members of the solve. */
contact_energy_frame tact_contact_energy_frame(const tact_world *world);

/* The kinetic energy of the members of the solve relative to it. */
double tact_contact_energy_kinetic(const tact_world *world, const contact_energy_frame *frame);

/* Scales the angular momentum of a contact body such that its rotation has the energy that it had when the momentum
 * was set last. Before the momentum changes. */
void tact_contact_energy_settle(tact_world *world, uint32_t index);

/* The momentum has been set. */
void tact_contact_energy_turned(tact_world *world, uint32_t index);

/* The velocity of a contact body contains the work `credit` of its accelerations until the end of the step. */
void tact_contact_energy_credit(tact_world *world, uint32_t index, double credit);

/* The debt of a contact body: the energy that it has got by being raised, and that its velocity of now cannot pay for.
 * It stays a part of the credit until the step ends. */
double tact_contact_energy_debt(const tact_world *world, uint32_t index);

/* What is left of that work, and the debt, when the velocity has been set to that of now. */
double tact_contact_energy_credit_left(const tact_world *world, uint32_t index, double left);

/* An impact within a step changes the motions of the members of the solve, and with them their velocities: but only by
 * the share of the change that is returned, 0 to 1, so that it adds no energy. For contact bodies motion and velocity
 * differ within a step. Changes nothing. */
double tact_contact_energy_share(const tact_world *world);

/* The impact law. An impact changes the motions of the members to a mixture of two results, (1 - s) `none` + s `full`.
 * Returns the largest s up to `most` such that the velocities have no more energy after it than before. Their energy
 * E(s) is a convex quadratic: E(0) + s (E(1) - E(0) - c) + c s^2, where c is the energy of the difference of both
 * results. 0 if already `none` adds energy, which the share above limits. Without a frame there is no limit. */
double tact_contact_energy_mixture(const tact_world *world, const solver_body *none, const solver_body *full,
                                   double most);

/* Changes the velocities of the contact bodies of the solve by this share. */
void tact_contact_energy_change(tact_world *world, double share);

/* A cut changes the motions of the members for the rest `dt` of the step, and with them the velocities of the contact
 * bodies: those of now, as far as the impulses take energy from them, and those of the end of the step likewise. What
 * the cut raises is paid for by that energy; if it is not enough, by at most `gap` of each body it is a push. On
 * failure nothing has changed. */
tact_status tact_contact_energy_cut(tact_world *world, double dt, double gap);

/* Velocity and angular momentum of a contact body now, `left` being the part of its gain that is still to come. Returns
 * the debt: at the end of the step it is a push. */
double tact_contact_energy_now(const tact_world *world, uint32_t index, double left, tact_vec3 *velocity,
                               tact_vec3 *momentum);

/* The members of the solve have the velocities and momenta of the end of their step, and their credits. `before`: their
 * kinetic energy at its start, relative to `frame`. Scales them such that the step adds no energy. */
void tact_contact_energy_limit(tact_world *world, const contact_energy_frame *frame, double before);

#endif
