/* Contact steps: how bodies in persistent contact move. See contact_graph.h for the terms. */
#ifndef TACT_ADVANCE_CONTACT_STEP_H
#define TACT_ADVANCE_CONTACT_STEP_H

#include "advance/advance.h"

/* ---- points (contact_points.c) ---- */

/* Computes the points of a contact at the time of the world, up to the distance `reach`. */
tact_status tact_contact_update_points(tact_world *world, persistent_contact *c, double reach);

/* ---- the bodies and points of one solve (contact_set.c) ---- */

/* Begins a solve without bodies and points. `hold`: locked bodies keep their motion, as if kinematic. */
void tact_contact_set_begin(contact_graph *g, bool hold);

/* Ends it: no body has a slot. */
void tact_contact_set_end(contact_graph *g);

/* The slot of a body, which is added if it has none; CONTACT_NONE: out of memory. `dt`: duration of the step. A body
 * with a mass has the velocity of its motion or, if `next`, the one with which its next step starts. */
uint32_t tact_contact_set_body(tact_world *world, uint32_t index, double dt, bool next);

/* Adds the points of a contact, whose bodies are added if necessary. False: out of memory. */
bool tact_contact_set_points(tact_world *world, uint32_t contact, double dt, bool next);

/* The points of a contact are up to date: from now on its bodies may overlap as much as now, but not more than before
 * or MAX_CONTACT_DEPTH. */
void tact_contact_update_depth(const tact_world *world, persistent_contact *c);

/* Newton's method has failed for the bodies of the set: it is not tried from afar in the next steps. */
void tact_contact_set_pause_newton(contact_graph *g);

/* Makes the solution accurate by Newton's method, if that converges. */
tact_status tact_contact_set_refine(tact_world *world, double tolerance);

/* Distance that a pair is to keep, and speed below which it is at rest. */
double tact_contact_rest_gap(const persistent_contact *c);
double tact_contact_rest_speed(const tact_world *world, double size);

/* Gives a contact body a velocity of its centre of mass and a spin from now on. */
void tact_contact_set_motion(tact_world *world, uint32_t index, const solver_body *b);

/* Likewise the contact body in a slot of the solve, if the solve has changed it. It is no longer locked. */
void tact_contact_set_changed_motion(tact_world *world, size_t slot);

/* The spin by which a contact body starts its next step, at its present orientation: read, changed, set. */
tact_vec3 tact_contact_body_spin(const tact_world *world, uint32_t index);
void tact_contact_body_add_spin(tact_world *world, uint32_t index, tact_vec3 spin);
void tact_contact_body_set_spin(tact_world *world, uint32_t index, tact_vec3 spin);

/* Nothing that a body gains is still to come. */
void tact_contact_body_clear_gain(contact_body *body);

/* The part of its gain that a body has not got yet. */
double tact_contact_body_gain_left(const tact_world *world, uint32_t index);

/* A step begins: a body keeps what it has gained by now. The step before may have been cut short. */
void tact_contact_body_end_gain(tact_world *world, uint32_t index);

/* The velocity of the centre of mass and the spin of a contact body now: on the way from those at the start of the step
 * to those of its end. Read and set. */
tact_vec3 tact_contact_body_velocity_now(const tact_world *world, uint32_t index, tact_vec3 *spin);
void tact_contact_body_set_velocity_now(tact_world *world, uint32_t index, tact_vec3 velocity, tact_vec3 spin);

/* ---- steps (contact_step.c) ---- */

/* Time of the next step; INFINITY: no contact body is awake. */
double tact_contact_next_step(const tact_world *world);

/* Runs the step that begins now. On failure nothing has changed, and the call may be repeated. The caller then applies
 * the changes of motions. */
tact_status tact_contact_step_run(tact_world *world);

/* Wakes the island of a body. */
void tact_contact_wake(tact_world *world, uint32_t index);

/* The contact step has changed: the next step begins at a multiple of the new one. */
void tact_contact_reset_steps(tact_world *world);

/* Makes a body with a mass a contact body. Its velocity is that of its motion. */
void tact_contact_body_enter(tact_world *world, uint32_t index);

/* The caller has changed a body. */
void tact_contact_body_changed(tact_world *world, uint32_t index, bool jumped);

/* A body is about to be removed, or loses its contacts for another reason. */
void tact_contact_body_removed(tact_world *world, uint32_t index);

/* ---- one island (contact_island.c) ---- */

/* Solves the island of a body for the step that begins now, or puts it to sleep. Memory has been reserved. */
void tact_contact_island_solve(tact_world *world, uint32_t index);

/* ---- touches of persistent pairs within a step (contact_cut.c) ---- */

/* Whether two bodies in contact cannot touch before the next step, or are not to be tested for it. */
bool tact_contact_is_safe(const tact_world *world, const persistent_contact *c);

/* Least velocities of the points that a solve adds. */
typedef enum added_target {
    ADDED_GAP,     /* they may close their gap to half the rest gap within dt */
    ADDED_NOTHING, /* impact: points that touch do not close */
    ADDED_FREE     /* impact: they are not solved yet */
} added_target;

/* Solves the points of the set to an accuracy of velocities of `tolerance`, or of `pair_tolerance` while the set has
 * only two bodies. A body that changes by more than REACH_CHANGE of its rest speed and REACH_PART of `speed`, that of
 * the approach, adds its contacts. `dt`: the rest of the step. */
tact_status tact_contact_solve_reached(tact_world *world, added_target added, double dt, double speed, double tolerance,
                                       double pair_tolerance);

/* Solves the points of the set such that no gap closes within dt, the rest of the step. A contact is added when the
 * changes of velocities make its gap smaller. Accuracies as above. */
tact_status tact_contact_solve_gaps(tact_world *world, double dt, double tolerance, double pair_tolerance);

/* The fastest approach of a point of the set. */
double tact_contact_set_closing_speed(const contact_graph *g);

/* Sets the targets ADDED_GAP of all points from `first` on. */
void tact_contact_set_gap_targets(contact_graph *g, size_t first, double dt);

/* Contacts that have begun now: gives their bodies the motion of the rest of the step. Called before the time of the
 * world advances, so that contacts that begin at one time are solved together. */
tact_status tact_contact_begin_pending(tact_world *world);

/* A persistent pair touches: changes the motions of the bodies that this reaches for the rest of the step. */
tact_status tact_contact_cut(tact_world *world, uint32_t contact);

#endif
