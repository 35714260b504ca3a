/*
 * A world in continuous time at limits of advance_constants.h: spheres whose axes are not quite of length 1, and
 * touches with the largest and the smallest closing speed.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <tact/tact.h>

/* A sphere that is larger by 4e-11 touches earlier by as much. Touches are right to some 1e-12 of the size. */
static void spheres_of_almost_the_radius_touch_in_time(void **state)
{
    (void)state;
    static const double excess[] = {-1e-6, -4e-11, 0.0, 4e-11, 1e-9, 1e-6};
    tact_shape *sphere = tact_sphere(1.0);
    assert_non_null(sphere);
    for (size_t i = 0; i < sizeof excess / sizeof excess[0]; ++i) {
        tact_world *world = tact_world_create(NULL);
        assert_non_null(world);
        const double factor = 1.0 + excess[i];
        const tact_quat none = {.w = 1.0};
        const tact_body_def still = {.shape = sphere, .transform = tact_identity()};
        const tact_body_def moves = {
            .shape = sphere,
            .transform = tact_transform_make((tact_vec3){3.0, 0.0, 0.0}, none, (tact_vec3){factor, factor, factor}),
            .motion = tact_motion_linear(-1.0, 0.0, 0.0)};
        assert_true(tact_body_create(world, &still).generation != 0 && tact_body_create(world, &moves).generation != 0);
        tact_event e;
        assert_int_equal(tact_world_next_event(world, 2.0, &e), TACT_EVENT_TOUCH);
        assert_true(fabs(e.time - (2.0 - factor)) <= 4e-12);
        tact_world_release(world);
    }
    tact_shape_release(sphere);
}

static tact_event first_event(tact_shape *shape, tact_vec3 from, tact_motion motion)
{
    tact_world *world = tact_world_create(NULL);
    assert_non_null(world);
    const tact_body_def still = {.shape = shape, .transform = tact_identity()};
    const tact_body_def moves = {.shape = shape, .transform = tact_at(from.x, from.y, from.z), .motion = motion};
    assert_true(tact_body_create(world, &still).generation != 0 && tact_body_create(world, &moves).generation != 0);
    tact_event e;
    if (tact_world_next_event(world, 8.0, &e) == TACT_EVENT_NONE)
        e.time = INFINITY;
    tact_world_release(world);
    return e;
}

/* Polytopes that approach head-on touch at the exact time, not half a tolerance before. */
static void head_on_touches_are_exact(void **state)
{
    (void)state;
    const tact_vec3 corners[5] = {{-1, -1, -1}, {1, -1, -1}, {0, 1, -1}, {0.25, 0, 1}, {-0.5, 0.25, 0.5}};
    tact_shape *hull = tact_hull(corners, 5);
    assert_non_null(hull);
    for (int k = 1; k <= 20; ++k) {
        const double height = 2.0 + 0.25 * k;
        const tact_event e = first_event(hull, tact_vec(0.125, 0.0, height), tact_motion_linear(0.0, 0.0, -1.0));
        assert_true(fabs(e.time - (height - 2.0)) <= 1e-14);
    }
    tact_shape_release(hull);
}

/* Round bodies pass each other at less than the tolerance, 1e-12 of their size: at the time of the event they are that
 * close, and not past each other. */
static void grazing_touches_are_close(void **state)
{
    (void)state;
    int events = 0;
    tact_shape *round = tact_ellipsoid(1.0, 1.0, 1.0);
    assert_non_null(round);
    for (int k = 0; k < 60; ++k) {
        const double beside = 2.0 + (0.4 + 0.01 * k) * 1e-12;
        const tact_event e = first_event(round, tact_vec(-5.0, beside, 0.0), tact_motion_linear(1.0, 0.0, 0.0));
        if (e.time == INFINITY)
            continue;
        ++events;
        const double x = e.time - 5.0, apart = (beside - 2.0) + x * x / (2.0 * beside);
        assert_true(apart <= 1.01e-12);
    }
    assert_true(events > 20);
    tact_shape_release(round);
}

/* Two bodies without a size, at one place or near each other: a path of "so many sizes" is no limit of a search. The
 * time must advance: this returns, and soon. */
static void points_that_fall_together_take_no_time(void **state)
{
    (void)state;
    static const double sizes[] = {0.0, 0x1p-1000, 1e-140, 1e-60, 1e-9};
    size_t cases = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        const tact_vec3 ends[2] = {{0.0, 0.0, 0.0}, {0.0, sizes[i], 0.0}};
        tact_shape *shape = tact_hull(ends, 2);
        assert_non_null(shape);
        for (int k = 0; k < 8; ++k, ++cases) {
            tact_world *world = tact_world_create(NULL);
            assert_non_null(world);
            tact_motion falls = tact_motion_linear(k & 1 ? 3.0 : 0.0, 0.0, 0.0);
            falls.acceleration = (tact_vec3){0.5, 0.0, -9.75};
            tact_body_def def = {.shape = shape, .transform = tact_at(1.0, 2.0, 3.0), .motion = falls};
            assert_true(tact_body_create(world, &def).generation != 0);
            def.transform = tact_at(1.0, 2.0, k & 2 ? 3.0 + 1e-13 : 3.0);
            if (k & 4)
                def.motion.acceleration.z = -10.0;
            assert_true(tact_body_create(world, &def).generation != 0);
            tact_event e;
            for (int events = 0; tact_world_next_event(world, 8.0, &e) != TACT_EVENT_NONE; ++events)
                assert_true(events < 1000);
            assert_int_equal(e.status, TACT_OK);
            assert_true(tact_world_get_time(world) == 8.0);
            tact_world_release(world);
        }
        tact_shape_release(shape);
    }
    assert_int_equal(cases, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_of_almost_the_radius_touch_in_time),
        cmocka_unit_test(head_on_touches_are_exact),
        cmocka_unit_test(grazing_touches_are_close),
        cmocka_unit_test(points_that_fall_together_take_no_time),
    };
    return cmocka_run_group_tests_name("advance_limits", tests, NULL, NULL);
}
