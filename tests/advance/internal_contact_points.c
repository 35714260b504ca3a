/* The points of a persistent contact (advance/contact_points.c): where a pair is about to touch, there is a point. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <tact/tact.h>

#include "advance/advance_constants.h"
#include "advance/contact_step.h"

/* A keel above a floor at y = 0: two vertices at the distance `length`, the second one lower. The old point of the
 * contact is the first vertex. Returns the gap of the contact, less that of the second vertex. */
static double gap_error(double length, double lowest, double drop, bool *has_lowest)
{
    const tact_vec3 points[6] = {{0.0, 0.0, 0.0},  {length, 0.0, 0.0}, {-0.5, 1.0, -0.5},
                                 {0.5, 1.0, -0.5}, {-0.5, 1.0, 0.5},   {0.5, 1.0, 0.5}};
    tact_shape *slab = tact_box(10.0, 1.0, 10.0), *keel = tact_hull(points, 6);
    tact_world *world = tact_world_create(NULL);
    const double tilt = asin(drop / length);
    const tact_transform at =
        tact_transform_make((tact_vec3){0.0, lowest + drop, 0.0},
                            (tact_quat){0.0, 0.0, sin(-0.5 * tilt), cos(0.5 * tilt)}, (tact_vec3){1.0, 1.0, 1.0});
    tact_body_create(world, &(tact_body_def){.shape = slab, .transform = tact_at(0.0, -0.5, 0.0)});
    tact_body_create(world, &(tact_body_def){.shape = keel, .transform = at, .density = 1.0});
    tact_event event;
    assert_int_equal(tact_world_next_event(world, 1e-9, &event), TACT_EVENT_NONE); /* the world has its motions */
    persistent_contact c = {.body = {0, 1}, .size = 1.0, .point_count = 1};
    c.points[0] = (contact_point){.local = {0.0, 0.5, 0.0}}; /* in coordinates of the slab: below the first vertex */
    assert_int_equal(tact_contact_update_points(world, &c, 0.01), TACT_OK);
    *has_lowest = false;
    for (uint32_t i = 0; i < c.point_count; ++i)
        *has_lowest = *has_lowest || fabs(c.points[i].position.x - length) < 1e-3;
    tact_world_release(world);
    tact_shape_release(slab);
    tact_shape_release(keel);
    return c.gap - lowest;
}

/* Both vertices are one point, so near to each other they are. At rest it stays where it was, for the sake of warm
 * starting. Where the second vertex is about to touch, it is a point. */
static void the_point_that_touches_is_a_point(void **state)
{
    (void)state;
    const double length = 0.5 * POINT_DISTANCE, drop = 0.5 * POINT_GAP * REST_GAP;
    for (int sign = -1; sign <= 1; ++sign) {
        bool has_lowest;
        assert_true(fabs(gap_error(length, sign * 1e-9, drop, &has_lowest)) < 1e-12);
        assert_true(has_lowest);
        assert_true(fabs(gap_error(length, REST_GAP + sign * 1e-9, drop, &has_lowest) - drop) < 1e-12);
        assert_false(has_lowest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_point_that_touches_is_a_point)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
