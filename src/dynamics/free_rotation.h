/* Torque-free rotation of a rigid body, in pieces of constant angular velocity. */
#ifndef TACT_DYNAMICS_FREE_ROTATION_H
#define TACT_DYNAMICS_FREE_ROTATION_H

#include <stdbool.h>
#include <tact/transform.h>

#include "math/sym3.h"

/* Principal axes and moments of inertia, by ascending moment. */
typedef struct principal_inertia {
    tact_vec3 axes[3];     /* unit vectors, a right-handed or left-handed set */
    double moments[3];     /* each at least 0, and at most the sum of the two others */
    double differences[3]; /* moments 1 - 0, 2 - 0 and 2 - 1, computed without cancellation */
    bool rod;              /* the first moment counts as 0: less than ROD_MOMENT of the largest */
    bool thin;             /* it is less than THIN_MOMENT of the largest */
} principal_inertia;

/* From the integral of (x - centre)(x - centre)^T over the mass. Eigenvalues below 0 by rounding count as 0. */
principal_inertia tact_principal_inertia(const sym3 *second_moments);

/* The angular velocity of a body with this angular momentum. That of a rod has no part along its axis. */
tact_vec3 tact_principal_angular_velocity(const principal_inertia *p, tact_vec3 momentum);

/*
 * The constant angular velocity of the piece that begins now: it takes the body to its orientation at the end of the
 * piece. `*duration` is the length of the piece; INFINITY where the rotation is steady. It is at most `max_duration`,
 * unless that is shorter than MIN_PIECE of what accuracy allows. `axial_rate`: the angular velocity of a rod about its
 * own axis; not read for other bodies.
 */
tact_vec3 tact_free_rotation_piece(const principal_inertia *p, tact_vec3 momentum, double axial_rate,
                                   double max_duration, double *duration);

/* The angular velocity of a thin body about its own axis, `elapsed` after it was `p` with this momentum: first order.
 */
double tact_free_rotation_axial_rate(const principal_inertia *p, tact_vec3 momentum, double elapsed);

#endif
