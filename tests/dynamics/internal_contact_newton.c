/* Newton's method for contacts: points with rolling friction whose impulses are on a border of a friction cone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "dynamics/contact_newton.h"

#define MAX_COST 1e9
#define TOLERANCE 1e-9

/* A ball of mass 1 on a fixed one. What its impulses change, it moves: so it rests with them, and they are the
 * solution. */
static void solve_resting_ball(double friction, double rolling, tact_vec3 impulse, tact_vec3 roll)
{
    const tact_allocator allocator = {NULL, NULL};
    const sym3 unit = {.xx = 1.0, .yy = 1.0, .zz = 1.0};
    solver_body bodies[2] = {{.inverse_mass = 0.0}, {.inverse_mass = 1.0, .inverse_inertia = unit}};
    const tact_vec3 at = {0.0, 0.0, 0.0}, centres[2] = {at, at};
    solver_point point = {.body = {0, 1}, .friction = friction, .rolling = rolling, .roll = roll};
    newton_workspace workspace = {.numbers = {0}};
    tact_solver_point_init(&point, bodies, centres, at, vec_make(0.0, 0.0, 1.0));
    const double along[3] = {impulse.x, impulse.y, impulse.z};
    for (int k = 0; k < 3; ++k) {
        point.rows[k].impulse = along[k];
        bodies[1].velocity = vec_mul_add(bodies[1].velocity, -along[k], point.rows[k].direction);
    }
    bodies[1].spin = vec_negate(roll);
    assert_int_equal(tact_newton_solve(&point, 1, bodies, 2, TOLERANCE, MAX_COST, &workspace, &allocator),
                     NEWTON_CONVERGED);
    tact_newton_release(&workspace, &allocator);
    for (int k = 0; k < 3; ++k)
        assert_true(fabs(point.rows[k].impulse - along[k]) <= 1e-6);
    assert_true(vec_length(vec_sub(point.roll, roll)) <= 1e-6);
    assert_true(vec_length(bodies[1].velocity) <= 1e-6 && vec_length(bodies[1].spin) <= 1e-6);
}

/* By rounding the impulse may be out of the cone, and the projection of its normal part such that it is not. */
static void impulses_on_the_border_of_a_cone(void **state)
{
    (void)state;
    const tact_vec3 none = {0.0, 0.0, 0.0};
    for (int k = 1; k < 2000; ++k) {
        const double part = (double)k / 1024.0, below = nextafter(part, 0.0);
        const tact_vec3 spin = {0.5 * part, 0.0, 0.0};
        solve_resting_ball(below, 0.25, vec_make(1.0, part, 0.0), none);
        solve_resting_ball(0.25, below, vec_make(1.0, 0.0, 0.0), vec_make(0.0, part, 0.0));
        solve_resting_ball(below, part, vec_make(1.0, part, 0.0), spin);
        solve_resting_ball(below, below, vec_make(1.0, 0.0, part), vec_make(part, 0.0, 0.0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(impulses_on_the_border_of_a_cone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
