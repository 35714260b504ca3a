/* Worlds that advance for long: what would go wrong only then. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <tact/tact.h>

#include "advance/advance.h"
#include "oracle/advance_check.h"
#include "support/failing_allocator.h"
#include "support/long_form.h"

/* A fountain: bodies come and go, at one place, and nobody ever tests. */
static size_t run_fountain(tact_world *world, const tact_shape *drop, int births, uint32_t *highest)
{
    enum { ALIVE = 100 };
    tact_body bodies[ALIVE] = {{0, 0}};
    size_t touches = 0;
    *highest = 0;
    for (int i = 0; i < births; ++i) {
        tact_body *b = &bodies[i % ALIVE];
        if (b->generation != 0)
            assert_int_equal(tact_body_remove(world, *b), TACT_OK);
        const double angle = 0.1 * i;
        const tact_body_def def = {
            .shape = drop, .motion = {.velocity = {cos(angle), 5.0, sin(angle)}, .acceleration = {0.0, -10.0, 0.0}}};
        do
            *b = tact_body_create(world, &def);
        while (b->generation == 0);
        *highest = b->index > *highest ? b->index : *highest;
        tact_event e;
        do
            if (tact_world_next_event(world, 0.01 * (i + 1), &e) == TACT_EVENT_TOUCH)
                ++touches;
        while (e.kind == TACT_EVENT_TOUCH || e.status == TACT_OUT_OF_MEMORY);
        assert_int_equal(e.status, TACT_OK);
    }
    assert_true(tact_advance_check(world));
    return touches;
}

static void indices_of_removed_bodies_are_reused(void **state)
{
    (void)state;
    tact_shape *drop = tact_sphere(0.03);
    tact_world *world = tact_world_create(NULL);
    uint32_t highest;
    const int drops = (int)random_case_count(2000, 5000);
    const size_t touches = run_fountain(world, drop, drops, &highest);
    print_message("highest index %u, %zu touches\n", highest, touches);
    assert_true(highest < 300 && touches > (size_t)drops / 2);
    tact_world_release(world);
    failing_allocator r = {.every = 7};
    const tact_world_def def = {.allocator = failing_allocator_make(&r)};
    world = tact_world_create(&def);
    assert_true(run_fountain(world, drop, drops, &highest) == touches && highest < 600);
    tact_world_release(world);
    assert_int_equal(r.held, 0);
    tact_shape_release(drop);
}

static double off(tact_vec3 a, tact_vec3 b, double is) { return fabs(a.x * b.x + a.y * b.y + a.z * b.z - is); }

/* Each turn leaves a rounding in the axes: after 10^5 of them a sphere would be none, and ten times as slow. */
static void a_ball_that_turns_stays_a_ball(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(1.0);
    tact_world *world = tact_world_create(NULL);
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = ball});
    double worst = 0.0;
    for (int i = 0; i < 20000; ++i) {
        const tact_motion m = {.velocity = {1.0, 0.0, 0.0}, .spin = {sin(0.1 * i), cos(0.3 * i), sin(1.7 * i)}};
        assert_int_equal(tact_body_set_motion(world, body, m), TACT_OK);
        assert_int_equal(tact_world_next_event(world, 0.7 * (i + 1), NULL), TACT_EVENT_NONE);
        assert_true(world->advance->motions.items[body.index].sphere_radius == 1.0);
        const tact_transform p = tact_body_get_transform(world, body);
        worst = fmax(worst, off(p.x_axis, p.x_axis, 1.0) + off(p.y_axis, p.y_axis, 1.0) + off(p.z_axis, p.z_axis, 1.0));
        worst = fmax(worst, off(p.x_axis, p.y_axis, 0.0) + off(p.y_axis, p.z_axis, 0.0) + off(p.z_axis, p.x_axis, 0.0));
    }
    assert_true(worst < 1e-14);
    tact_world_release(world);
    tact_shape_release(ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_of_removed_bodies_are_reused),
        cmocka_unit_test(a_ball_that_turns_stays_a_ball),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
