/*
 * The problem of contact_solver.h for an island whose contact graph is narrow (stacks, walls, small heaps): Newton's
 * method with a direct factorisation, exact up to rounding where Gauss-Seidel would need thousands of iterations.
 *
 * Formulation. For given slip speeds, Coulomb friction is a convex problem over the friction cones (de Saxce and Feng
 * 1998; Acary, Cadoux, Lemarechal and Malick 2011). Its augmented Lagrangian in the velocities is convex and once
 * differentiable (as in Castro, Permenter and Han 2022), and is minimised by Newton's method with a line search:
 *
 *     min over v of  |v - v0|^2_M / 2  +  sum over points of |P(lambda - rho (u(v) + s))|^2 / (2 rho)
 *
 * Rolling friction is a second cone around the same normal impulse, of the relative spin times a length: s then
 * contains its part, too.
 *
 * u is the relative velocity at the point less its target, P the projection onto the friction cone, s = mu |u_t| along
 * the normal with the slip speed of the last round. After each minimisation lambda becomes P(...), and s is updated.
 *
 * The matrix has a 6 x 6 block per body with a mass. It is factorised within its envelope, in the order of Cuthill and
 * McKee. Cost: 6 n (6 b)^2 operations for n bodies and a bandwidth of b bodies.
 */
#ifndef TACT_DYNAMICS_CONTACT_NEWTON_H
#define TACT_DYNAMICS_CONTACT_NEWTON_H

#include <tact/allocator.h>

#include "core/array.h"
#include "dynamics/contact_solver.h"

ARRAY_OF(newton_number_array, double);
ARRAY_OF(newton_index_array, uint32_t);

/* Memory that is reused. */
typedef struct newton_workspace {
    newton_number_array numbers;
    newton_index_array indices;
} newton_workspace;

void tact_newton_release(newton_workspace *w, const tact_allocator *allocator);

typedef enum newton_result {
    NEWTON_CONVERGED,     /* velocities and impulses are those of the solution */
    NEWTON_IMPROVED,      /* they are not accurate, but add no energy */
    NEWTON_NOT_CONVERGED, /* nothing has changed */
    NEWTON_TOO_LARGE,     /* the factorisation would cost too much: nothing has changed */
    NEWTON_OUT_OF_MEMORY  /* nothing has changed */
} newton_result;

/* Reserves memory: tact_newton_solve then needs none for at most so many bodies and points, and this cost. */
bool tact_newton_reserve(newton_workspace *w, const tact_allocator *allocator, size_t body_count, size_t point_count,
                         double max_cost);

/* Solves the points, from the impulses that they have. `bodies` have the velocities without these impulses before, and
 * those with the impulses of the solution after the call. `tolerance`: accuracy of velocities. `max_cost`:
 * operations of a factorisation at most; beyond: TOO_LARGE. */
newton_result tact_newton_solve(solver_point *points, size_t point_count, solver_body *bodies, size_t body_count,
                                double tolerance, double max_cost, newton_workspace *w,
                                const tact_allocator *allocator);

#endif
