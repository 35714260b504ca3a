/*
 * Impulses at contact points: Coulomb friction and non-penetration of many bodies at once, on plain arrays.
 *
 * Model. The velocity of a contact point along its normal (from A to B, positive: separating) is at least the target of
 * the point. The normal impulse is not negative, and zero where the velocity exceeds the target (complementarity). The
 * friction impulse is in the tangent plane, opposes sliding, and is at most friction times the normal impulse
 * (Coulomb's cone, not a pyramid). Rolling friction is an angular impulse against the relative spin, at most
 * rolling_friction (a length) times the normal impulse.
 *
 * Method: projected Gauss-Seidel (Moreau 1988; Catto 2005) from the impulses that the points have (warm starting),
 * accelerated by nonsmooth nonlinear conjugate gradients (Silcowitz-Hansen, Niebe and Erleben 2010): the change of an
 * iteration is the gradient; the Fletcher-Reeves direction is followed where it shrinks, and dropped where it grows.
 * Cost of an iteration: about 40 ns per point without friction, 100 ns with it.
 *
 * Guarantee: momentum is conserved at every stage, up to rounding. The result says how much the velocities still
 * changed in the last iteration.
 */
#ifndef TACT_DYNAMICS_CONTACT_SOLVER_H
#define TACT_DYNAMICS_CONTACT_SOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "math/sym3.h"
#include "math/vec.h"

/* A body of the solver. */
typedef struct solver_body {
    tact_vec3 velocity;   /* of the centre of mass */
    tact_vec3 spin;       /* angular velocity */
    double inverse_mass;  /* 0: kinematic */
    sym3 inverse_inertia; /* world axes, about the centre of mass */
} solver_body;

/* One direction of a contact point. */
typedef struct solver_row {
    tact_vec3 direction;           /* unit vector */
    tact_vec3 torque[2];           /* arm x direction, of A and B */
    tact_vec3 spin_change[2];      /* by a unit impulse: inverse inertia times torque */
    double inverse_effective_mass; /* velocity along the direction by a unit impulse */
    double impulse;                /* on B; -impulse acts on A */
    double last, search;           /* scratch: impulse before the iteration, search direction */
} solver_row;

/* A contact point. */
typedef struct solver_point {
    uint32_t body[2];   /* A and B: indices of solver bodies */
    bool ignored;       /* it has no impulse */
    double friction;    /* Coulomb coefficient */
    double rolling;     /* length: rolling friction */
    double target;      /* least velocity along the normal */
    solver_row rows[3]; /* along the normal from A to B, and two tangents */
    tact_vec3 roll;     /* angular impulse of rolling friction, on B */
} solver_point;

/* Sets the rows of a point from the two bodies; `point` and `centres` are in world coordinates. Impulses are kept. */
void tact_solver_point_init(solver_point *p, const solver_body *bodies, const tact_vec3 centres[2], tact_vec3 point,
                            tact_vec3 normal);

/* The relative velocity of the two bodies at a point, along row k. */
double tact_solver_point_velocity(const solver_point *p, const solver_body *bodies, int k);

/* Applies the impulses that the points have: warm starting. */
void tact_solver_apply(const solver_point *points, size_t count, solver_body *bodies);

/* One iteration over all points. Returns the largest change of a velocity at a point. */
double tact_solver_iterate(solver_point *points, size_t count, solver_body *bodies);

/* Iterates until an iteration changes no velocity by more than `tolerance`, at most `max_iterations` times. Returns the
 * last change. */
double tact_solver_solve(solver_point *points, size_t count, solver_body *bodies, double tolerance,
                         uint32_t max_iterations);

#endif
