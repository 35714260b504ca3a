/* Bends of gaps (advance/contact_bend.c): rotation within a contact step does not make bodies touch. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <tact/tact.h>

#include "advance/contact_step.h"
#include "math/vec.h"
#include "support/random.h"

/* Steps per cut, at least. There are 165 cuts in 545 steps, without bends 350 in 539. */
#define STEPS_PER_CUT 2

/* Cuts of all contacts in this step. */
static uint32_t cuts_of(const tact_world *world)
{
    const contact_graph *g = &world->advance->contacts;
    uint32_t sum = 0;
    for (size_t i = 0; i < g->contacts.count; ++i)
        sum += g->contacts.items[i].body[0] != CONTACT_NONE ? g->contacts.items[i].cuts : 0;
    return sum;
}

/* Boxes tumble in a narrow shaft. */
static void boxes_that_tumble_are_seldom_cut(void **state)
{
    (void)state;
    random_source r = random_seed(7);
    uint32_t cuts = 0, steps = 0;
    for (int k = 0; k < 4; ++k) {
        tact_world *world = tact_world_create(&(tact_world_def){.gravity = {0.0, -9.81, 0.0}, .never_sleeps = true});
        const tact_material rough = {.friction = 0.5};
        for (int side = 0; side < 5; ++side) {
            tact_shape *wall = tact_box(10.0, 10.0, 10.0);
            const double at[5][3] = {{0, -5, 0}, {5.4, 0, 0}, {-5.4, 0, 0}, {0, 0, 5.4}, {0, 0, -5.4}};
            tact_body_create(world, &(tact_body_def){.shape = wall,
                                                     .transform = tact_at(at[side][0], at[side][1], at[side][2]),
                                                     .material = rough});
            tact_shape_release(wall);
        }
        for (int i = 0; i < 10; ++i) {
            tact_shape *cuboid = tact_box(0.3, random_range(&r, 0.1, 0.3), 0.2);
            const tact_transform at = tact_transform_make(vec_make(random_range(&r, -0.2, 0.2), 0.3 + 0.4 * i, 0.0),
                                                          random_rotation(&r), vec_make(1.0, 1.0, 1.0));
            tact_body_create(world,
                             &(tact_body_def){.shape = cuboid, .transform = at, .density = 1000.0, .material = rough});
            tact_shape_release(cuboid);
        }
        uint32_t last = 0;
        for (int i = 0; i < 1500; ++i) {
            assert_int_equal(tact_world_step(world, 1e-3), TACT_OK);
            const uint32_t now = cuts_of(world);
            cuts += now > last ? now - last : 0;
            last = now;
        }
        steps += (uint32_t)world->advance->contacts.step;
        tact_world_release(world);
    }
    print_message("%u cuts in %u steps\n", cuts, steps);
    assert_true(steps > 500 && STEPS_PER_CUT * cuts < steps);
}

/* What the lift is for: two points of a body above the ground, of which rotation brings one below it. */
static void the_lift_makes_up_for_the_bend(void **state)
{
    (void)state;
    const double dt = 0.01, rest = 1e-4;
    solver_body bodies[2] = {{.inverse_mass = 0.0},
                             {.inverse_mass = 1.0, .inverse_inertia = {.xx = 6.0, .yy = 6.0, .zz = 6.0}}},
                moved[2] = {{.inverse_mass = 0.0}}, push[2];
    const tact_vec3 centres[2] = {{0.0, 0.0, 0.0}, {0.0, 0.5, 0.0}};
    solver_point points[2] = {
        {.body = {0, 1}, .gap = 0.2 * rest, .rest_gap = rest, .push_speed = 1.0, .bend = -20.0 * rest},
        {.body = {0, 1}, .gap = 0.2 * rest, .rest_gap = rest, .push_speed = 1.0}};
    for (int i = 0; i < 2; ++i)
        tact_solver_point_init(&points[i], bodies, centres, vec_make(i == 0 ? -0.5 : 0.5, 0.0, 0.0),
                               vec_make(0.0, 1.0, 0.0));
    tact_solver_lift(points, 2, bodies, dt, moved, push, 2);
    /* the first point rises by the bend, not by what is missing without it; the second is not moved down */
    assert_true(fabs(tact_solver_point_velocity(&points[0], bodies, 0) * dt - 20.0 * rest) < 1e-3 * rest);
    assert_true(tact_solver_point_velocity(&points[1], bodies, 0) * dt > -1e-3 * rest);
    assert_true(fabs(tact_solver_point_velocity(&points[0], moved, 0) - 20.0 * rest) < 1e-3 * rest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_that_tumble_are_seldom_cut),
        cmocka_unit_test(the_lift_makes_up_for_the_bend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
