/* Bodies in persistent contact that have no room, or that overlap when they meet: nothing falls through, nothing hangs,
 * and forces are bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <tact/tact.h>

#include "support/falling_world.h"
#include "support/long_form.h"
#include "support/random.h"
#include "support/vec.h"

/* Length: the rest gap of bodies with a size of 0.5. */
#define GAP (0.5 * REST_GAP)

static double height(const tact_world *world, tact_body body) { return tact_body_get_transform(world, body).origin.y; }

/* ---- squeezed bodies ---- */

/* A press comes down on some bodies, the lowest on a ball or the floor. */
static void a_press_does_not_stop_the_time(void **state)
{
    (void)state;
    long crushed = 0;
    const uint64_t last = long_form() ? 2000 : quick_form() ? 20 : 120;
    for (uint64_t seed = 1; seed <= last; ++seed) {
        random_source r = random_seed(seed);
        tact_world *world = falling_world(true);
        assert_int_equal(tact_world_set_contact_events(world, true), TACT_OK);
        (void)put_floor(world, 0.5, 0.2);
        if (random_chance(&r, 0.5))
            (void)put(world, tact_sphere(0.25), tact_at(0, 0.4, 0), 0.0, 0.5, 0.2);
        const int count = random_between(&r, 1, 3);
        for (int i = 0; i < count; ++i)
            (void)put(world, random_chance(&r, 0.5) ? tact_box(0.4, 0.4, 0.4) : tact_sphere(0.25),
                      tact_transform_make(vec_make(random_range(&r, -0.2, 0.2), 0.95 + 0.55 * i, 0.0),
                                          random_chance(&r, 0.5) ? random_rotation(&r) : tact_quat_identity(),
                                          vec_make(1, 1, 1)),
                      1.0, 0.5, 0.2);
        const tact_body press = put(world, tact_box(2, 0.4, 2), tact_at(0, 1.2 + 0.55 * count, 0), 0.0, 0.5, 0.2);
        assert_int_equal(
            tact_body_set_motion(world, press,
                                 (tact_motion){.velocity = {random_range(&r, -0.5, 0.5), -random_range(&r, 0.5, 4), 0},
                                               .spin = vec_scale(random_direction(&r), random_range(&r, 0, 1))}),
            TACT_OK);
        tact_event e;
        long events = 0;
        while (tact_world_next_event(world, 1.0, &e) != TACT_EVENT_NONE) {
            crushed += e.kind == TACT_EVENT_CRUSHED;
            if (e.kind == TACT_EVENT_TOUCH)
                assert_int_equal(tact_world_bounce_with(world, &e, &(tact_bounce_def){0.2, 0.5, 0.0}), TACT_OK);
            if (++events > 20000)
                fail_msg("seed %llu: %ld events until %.17g", (unsigned long long)seed, events, e.time);
        }
        assert_int_equal(e.status, TACT_OK);
        tact_world_release(world);
    }
    print_message("%ld crushed events\n", crushed);
    assert_true(crushed >= (long)last / 4);
}

/* However deep a press has pressed a box, the box is on the floor again when the press has gone. */
static void a_pressed_box_stays_on_the_floor(void **state)
{
    (void)state;
    for (double depth = 0.0005; depth < 0.6; depth *= 3.0) {
        tact_world *world = falling_world(true);
        (void)put_floor(world, 0.5, 0.2);
        const tact_body box = put(world, tact_box(1, 1, 1), tact_at(0, 0.5, 0), 1.0, 0.5, 0.0),
                        press = put(world, tact_box(4, 1, 4), tact_at(0, 2, 0), 0.0, 0.5, 0.0);
        set_motion(world, press, tact_motion_linear(0, -1, 0));
        step(world, 0.5 + depth);
        set_motion(world, press, tact_motion_linear(0, 1, 0));
        for (int i = 0; i < 40; ++i) {
            step(world, 0.1);
            if (height(world, box) - 0.5 > 0.01)
                fail_msg("pressed %g deep: flung to %g", depth, height(world, box) - 0.5);
        }
        if (fabs(height(world, box) - 0.5) > 4.0 * GAP)
            fail_msg("pressed %g deep: at %g", depth, height(world, box) - 0.5);
        tact_world_release(world);
    }
}

/* ---- overlap at the start ---- */

/* Fast or slow, with restitution, or a body that was kinematic when it entered the floor. */
static void a_ball_that_begins_in_the_floor_comes_out(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        tact_world *world = falling_world(true);
        (void)put_floor(world, 0.5, 0.2);
        const tact_body ball =
            put(world, tact_sphere(0.35), tact_at(0, kind < 2 ? 0.34 : 0.4, 0), kind < 2 ? 1.0 : 0.0, 0.5, 0.2);
        set_motion(world, ball, tact_motion_linear(0, kind == 0 ? -0.7 : -1.4, 0));
        if (kind == 2) {
            step(world, 0.05);
            assert_int_equal(tact_body_set_mass(world, ball, 1.0), TACT_OK);
        }
        step(world, 3.0);
        if (fabs(height(world, ball) - 0.35) > 4.0 * GAP)
            fail_msg("kind %d: at %g", kind, height(world, ball));
        tact_world_release(world);
    }
}

/* ---- forces ---- */

/* A ball between two walls that are hardly farther apart than its diameter falls to the floor; the walls press it with
 * no more than its weight. */
static void walls_of_a_slot_do_not_press(void **state)
{
    (void)state;
    for (double clearance = 1e-6; clearance < 2e-3; clearance *= 10.0) {
        tact_world *world = falling_world(true);
        (void)put_floor(world, 0.5, 0.2);
        for (int side = -1; side <= 1; side += 2)
            (void)put(world, tact_box(1, 10, 10), tact_at(side * (1.0 + 0.25 * clearance), 0, 0), 0.0, 0.5, 0.0);
        const tact_body ball = put(world, tact_sphere(0.5), tact_at(0, 0.75, 0), 1.0, 0.5, 0.0);
        assert_int_equal(tact_body_apply_impulse(world, ball, vec_make(0.05, 0, 0), vec_make(0, 0.75, 0)), TACT_OK);
        step(world, 5.0);
        tact_persistent_contact contacts[4];
        const size_t count = tact_body_get_contacts(world, ball, contacts, 4);
        double most = 0.0;
        for (size_t i = 0; i < count && i < 4; ++i)
            for (int k = 0; k < contacts[i].count; ++k)
                most = fmax(most, vec_dot(contacts[i].points[k].impulse, contacts[i].points[k].normal));
        if (height(world, ball) > 0.5 + 4.0 * GAP || most > 2.0 * GRAVITY / 60.0)
            fail_msg("clearance %g: at %g, impulse %g", clearance, height(world, ball), most);
        tact_world_release(world);
    }
}

/* ---- few contact points ---- */

/* A Minkowski sum that lies on a face has one contact point in most steps: it rocks, but does not sink. */
static void a_sum_does_not_sink(void **state)
{
    (void)state;
    tact_shape *cylinder = tact_cylinder(0.08, 0.04), *box = tact_box(0.1, 0.06, 0.12), *floor = tact_box(80, 2, 80);
    tact_shape *sum = tact_minkowski_sum(cylinder, box);
    tact_world *world = falling_world(true);
    (void)put_floor(world, 0.5, 0.2);
    const tact_quat rotation = tact_quat_normalize((tact_quat){0.5, 0.5, 0.1, 0.7});
    const tact_body body = put(world, tact_shape_retain(sum),
                               tact_transform_make(vec_make(0, 0.4, 0), rotation, vec_make(1, 1, 1)), 1.0, 0.5, 0.5);
    assert_int_equal(tact_body_set_motion(world, body, (tact_motion){.velocity = {0.3, 0.1, 0.5}, .spin = {3, 2, 1}}),
                     TACT_OK);
    for (int i = 0; i < 180; ++i) {
        step(world, 1.0 / 60.0);
        const double depth =
            tact_shapes_penetration(floor, tact_at(0, -1, 0), sum, tact_body_get_transform(world, body)).depth;
        if (depth > 1e-7)
            fail_msg("%g deep at %g", depth, tact_world_get_time(world));
    }
    tact_shape_release(cylinder);
    tact_shape_release(box);
    tact_shape_release(floor);
    tact_shape_release(sum);
    tact_world_release(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_press_does_not_stop_the_time),
        cmocka_unit_test(a_pressed_box_stays_on_the_floor),
        cmocka_unit_test(a_ball_that_begins_in_the_floor_comes_out),
        cmocka_unit_test(walls_of_a_slot_do_not_press),
        cmocka_unit_test(a_sum_does_not_sink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
