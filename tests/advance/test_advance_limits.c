/* A world in continuous time at limits of advance_constants.h: spheres whose axes are not quite of length 1. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(spheres_of_almost_the_radius_touch_in_time)};
    return cmocka_run_group_tests_name("advance_limits", tests, NULL, NULL);
}
