/*
 * Impulses at contact points: Coulomb friction and non-penetration of many bodies at once, on plain arrays.
 *
 * Model. The velocity of a contact point along its normal (from A to B, positive: separating) is at least the target of
 * the point. The normal impulse is not negative, and zero where the velocity exceeds the target (complementarity). The
 * friction impulse is in the tangent plane, opposes sliding, and is at most friction times the normal impulse
 * (Coulomb's cone, not a pyramid). Rolling friction is an angular impulse against the relative spin, at most
 * rolling_friction (a length) times the normal impulse.
 *
 * Method: projected Gauss-Seidel (Moreau 1988; Catto 2005) from the impulses that the points have (warm starting). A
 * step is solved in sub-steps of one iteration each, on gaps that move with the bodies: temporal Gauss-Seidel (Macklin
 * et al. 2019). For the same number of iterations it leaves errors ten times smaller than one long step. Cost of an
 * iteration: about 20 ns per point without friction, 60 ns with it.
 *
 * Gaps. A point touches if its gap is at most twice the rest gap: then its target is 0. A larger gap may close to that
 * within the step. So all points of a face carry load, although their gaps differ a little; with a sharp limit a box
 * would stand on two of its corners, on others in each step.
 *
 * Push. The gaps of points that touch are corrected by velocities of their own, without friction, which the bodies do
 * not keep (split impulses, as in Bullet), level by level from the kinematic bodies up (shock propagation, Guendelman
 * et al. 2003): gaps below the rest gap open, and those above it close if the point has an impulse. So no velocity
 * keeps the correction, and no friction holds on to it. Then all bodies alike are moved such that no gap ends below
 * half the rest gap.
 *
 * Guarantee: velocities conserve momentum at every stage, up to rounding; the push does not. The result says how much
 * the velocities still changed in the last iteration.
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
    uint32_t level;       /* scratch of the push: contacts between it and a kinematic body */
    uint32_t first;       /* scratch of the push: the first point of a list */
} solver_body;

/* One direction of a contact point. */
typedef struct solver_row {
    tact_vec3 direction;           /* unit vector */
    tact_vec3 torque[2];           /* arm x direction, of A and B */
    tact_vec3 spin_change[2];      /* by a unit impulse: inverse inertia times torque */
    double inverse_effective_mass; /* velocity along the direction by a unit impulse */
    double impulse;                /* on B; -impulse acts on A */
} solver_row;

/* A contact point. */
typedef struct solver_point {
    uint32_t body[2];   /* A and B: indices of solver bodies */
    bool ignored;       /* it has no impulse */
    double friction;    /* Coulomb coefficient */
    double rolling;     /* length: rolling friction */
    double target;      /* least velocity along the normal */
    double gap;         /* signed distance at the start of a step */
    double rest_gap;    /* distance to keep */
    double push_speed;  /* largest speed that restores it */
    double total;       /* scratch: normal impulse of all sub-steps */
    double push;        /* scratch: impulse of the push */
    bool touches;       /* scratch: the push may also close its gap */
    uint32_t next;      /* scratch: the next point of a list */
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

/* Applies the impulses that the points have. If they would add energy, because the contacts have changed, all are
 * scaled by the factor that minimises the energy of the problem along their direction. */
void tact_solver_warm_start(solver_point *points, size_t count, solver_body *bodies);

/* Sets the targets of a step of duration dt: a gap may close to twice the rest gap. */
void tact_solver_set_targets(solver_point *points, size_t count, double dt);

/* Moves the bodies by `count` sub-steps of duration dt. `guarded`: each starts with impulses that add no energy. The
 * points start with the impulses of one sub-step, and end with those of the step as far as they last. `moved` becomes
 * the displacement of each body: velocity and spin times duration. Sets the targets. */
void tact_solver_substeps(solver_point *points, size_t point_count, solver_body *bodies, size_t body_count,
                          const tact_vec3 *accelerations, double dt, int count, bool guarded, solver_body *moved);

/* Adds to the displacements over dt what restores `part` of the missing gaps. `push`: scratch, one for each body. */
void tact_solver_push(solver_point *points, size_t count, const solver_body *bodies, double dt, double part,
                      int iterations, solver_body *moved, solver_body *push, size_t body_count);

#endif
