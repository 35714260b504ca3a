/*
 * Persistent contacts of a rigid body with a body whose vertices move. The latter is kinematic, with a velocity that
 * differs from point to point: that of the triangle at the contact point, interpolated between its vertices.
 *
 * Points. They are computed from the shape at the time of the world, as for meshes. In a solve, each point is on a
 * solver body of its own without inverse mass, which has the velocity of the surface there; points with the same
 * velocity share one. So the solver knows nothing of surfaces that deform.
 *
 * Between two steps. The touch of the pair is predicted until the next step, and the step is cut there, as for rigid
 * pairs (contact_cut.c). Triangles that a plane separates from the body all the time are left out: a plane at rest
 * along the normal of a contact point, or the plane of the triangle itself, which moves with it. Both bounds are proved
 * with the largest second derivative of the distance. The rest is searched by toi/arc_mesh_toi.h. So a pair that is not
 * locked gets no deeper than contact.allowed_depth plus CONTACT_BAND. Locked, the body moves with the mean velocity of
 * the surface at its points until the step ends: there it may get deeper, by what the surface deforms in one step, and
 * is pushed out in the next steps.
 *
 * NURBS surfaces. The contact is with the triangles of the window (surface_motion.h), enlarged by their distance from
 * the surface. Points and predictions are both from these, not from the shape in the world. So the body is never
 * deeper than the surface, and follows it at most twice the error and the rest gap away. Where windows meet, the
 * triangles change by their errors. A contact that gets deeper by that is allowed to be, and the bodies are pushed
 * apart in the next steps.
 *
 * Cost: of points, the vertices of the deforming body once per step; of a prediction, its triangles once per contact.
 */
#ifndef TACT_ADVANCE_CONTACT_DEFORMING_H
#define TACT_ADVANCE_CONTACT_DEFORMING_H

#include "advance/advance.h"
#include "advance/contact_graph.h"

/* The motion of a deforming surface at a point. */
typedef struct surface_point {
    tact_vec3 velocity;
    tact_vec3 spin; /* angular velocity with which the normal turns; perpendicular to it */
} surface_point;

/* Whether the vertices of a body have a motion. */
bool tact_contact_deforms(const tact_world *world, uint32_t index);

/* The shape of a body from which contacts are computed, after tact_contact_sync_shapes: of a NURBS body whose control
 * points move the triangles of its window, else the shape in the world. */
const tact_shape *tact_contact_shape(const tact_world *world, uint32_t index);

/* How far contacts may get deeper at once, because a surface gets other triangles, that are within their errors, too.
 */
double tact_contact_tolerance(const tact_world *world, const persistent_contact *c);

/* Which body of a contact that is: 0 or 1; -1: none. */
int tact_contact_deforming_side(const tact_world *world, const persistent_contact *c);

/* Whether the vertices of a body may move now: such a body keeps others awake. */
bool tact_contact_surface_moves(const tact_world *world, uint32_t index);

/* Brings the shapes of both bodies up to the time of the world. `force`: also if that was done for their motion. */
tact_status tact_contact_sync_shapes(tact_world *world, const persistent_contact *c, bool force);

/* The motion of body `index` at a point of a contact. At rest if its vertices have no motion. The shape is up to date.
 */
surface_point tact_contact_surface_at(const tact_world *world, uint32_t index, const contact_point *p, double size);

/* Sets the slots of a point: `slots` are those of the two bodies. Those from `first` on are of points of this contact.
 * False: out of memory. */
bool tact_contact_deforming_slots(tact_world *world, const persistent_contact *c, const contact_point *p, size_t first,
                                  uint32_t slots[2]);

/* The motion of a kinematic body as a carrier, and the point that has its velocity: of one whose vertices move, the
 * mean at the nearest points of contact `c` or, if that is of others, of its first contact with a point. */
tact_motion tact_contact_carrier_motion(const tact_world *world, uint32_t index, const persistent_contact *c,
                                        tact_vec3 *origin);

/* The velocity by which bodies that are locked to a surface move away from it: it bends while they do not. */
tact_vec3 tact_contact_lift(const tact_world *world, uint32_t index, const persistent_contact *c);

/* A bound, about, of minus the second derivative of the gap by the motion of the surface. `speed`: of the other body
 * relative to it. */
double tact_contact_surface_curvature(const tact_world *world, const persistent_contact *c, double speed);

/* Predicts the next touch of a pair that has bounced and is no persistent contact, until `end`: by the same planes, as
 * the bodies are still within the tolerance of a search. `*found`: it is known, and the pair counts as apart. */
tact_status tact_contact_predict_bounced(tact_world *world, const uint32_t bodies[2], double end, pair_prediction *r,
                                         bool *found);

/* Predicts the touch of a contact with moving vertices until r->superseded_at: r->time and r->valid_until. */
tact_status tact_contact_predict_deforming(tact_world *world, const persistent_contact *c, pair_prediction *r);

#endif
