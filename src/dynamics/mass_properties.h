/* Mass properties of a rigid body in its own coordinates, and its inertia tensor under a transform. */
#ifndef TACT_DYNAMICS_MASS_PROPERTIES_H
#define TACT_DYNAMICS_MASS_PROPERTIES_H

#include <tact/mass.h>

#include "dynamics/free_rotation.h"
#include "math/sym3.h"

/* The covariance is stored instead of the inertia tensor: an affine transform M, scaling included, maps it to M C M^T.
 */
typedef struct mass_properties {
    double mass;      /* greater than 0, finite */
    tact_vec3 centre; /* centre of mass, in body coordinates */
    sym3 covariance;  /* mean of (x - centre)(x - centre)^T over the mass, in body coordinates; positive semidefinite */
    bool rotates;     /* false: all moments of inertia are 0, and no impulse rotates the body */
} mass_properties;

/* From a mass in world coordinates, `transform` being that of the body. False if no rigid body has such a mass. */
bool tact_mass_properties_from(const tact_mass *mass, const tact_transform *transform, mass_properties *p);

/* Whether numbers that were stored are those of a rigid body. */
bool tact_mass_properties_are_valid(const mass_properties *p);

/* The inertia tensor about the centre of mass, in world axes, and its inverse. The inverse is zero for a body that does
 * not rotate, and has no part along the axis of a rod (free_rotation.h). */
sym3 tact_mass_properties_inertia(const mass_properties *p, const tact_transform *transform);
sym3 tact_mass_properties_inverse_inertia(const mass_properties *p, const tact_transform *transform);

/* The mean angular velocity of the next piece of the free rotation about the centre of mass: see
 * tact_free_rotation_piece. `last` is the angular velocity up to now: a rod keeps the part along its axis. `*duration`
 * is INFINITY where the rotation is about a fixed axis. */
tact_vec3 tact_mass_properties_rotation_piece(const mass_properties *p, const tact_transform *transform,
                                              tact_vec3 momentum, tact_vec3 last, double max_duration,
                                              double *duration);

/* The angular velocity at one instant of a piece with mean angular velocity `piece`. The piece began `elapsed` ago with
 * the body at `start`, and has taken it to `transform`. */
tact_vec3 tact_mass_properties_angular_velocity(const mass_properties *p, const tact_transform *transform,
                                                tact_vec3 momentum, const tact_transform *start, tact_vec3 piece,
                                                double elapsed);

#endif
