/*
 * Solids of revolution of bodies that turn often: until the time that is found, bodies are apart in every orientation
 * that their spins give them (sampled), and where they are found apart the answer does not depend on the rate.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <tact/tact.h>

#include "math/vec.h"
#include "support/random.h"
#include "toi/revolved.h"

#define SHAPES 6

static tact_vec3 in_cube(random_source *r, double size)
{
    return vec_make(random_range(r, -size, size), random_range(r, -size, size), random_range(r, -size, size));
}

static tact_shape *random_shape(random_source *r)
{
    const double a = random_range(r, 0.1, 2.0), b = random_range(r, 0.1, 2.0), c = random_range(r, 0.1, 2.0);
    tact_vec3 points[12];
    for (int i = 0; i < 12; ++i)
        points[i] = in_cube(r, 1.5);
    static const uint32_t indices[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    switch (random_below(r, SHAPES)) {
    case 0:
        return tact_box(a, b, c);
    case 1:
        return tact_cone(a, b);
    case 2:
        return tact_ellipsoid(a, b, c);
    case 3:
        return tact_capsule(0.5 * a, b);
    case 4:
        return tact_hull(points, 12);
    default:
        return tact_mesh_create(
            &(tact_mesh_def){.vertices = {.data = points, .count = 12}, .indices = indices, .index_count = 12}, NULL);
    }
}

/* The pose after `time`, turned by `angle` about the axis of the spin. */
static tact_transform turned(const tact_transform *at, tact_motion motion, double time, double angle)
{
    const double rate = vec_length_safe(motion.spin);
    tact_motion turn = tact_motion_still();
    turn.spin = rate > 0.0 ? vec_scale(motion.spin, 1.0 / rate) : motion.spin;
    motion.spin = vec_make(0.0, 0.0, 0.0);
    const tact_transform moved = tact_motion_at(motion, *at, time);
    tact_transform out = tact_motion_at(turn, *at, angle);
    out.origin = moved.origin;
    return out;
}

static void apart_in_every_orientation(void **state)
{
    (void)state;
    long throughout = 0, partly = 0, not_at_all = 0, close = 0;
    for (uint64_t seed = 1; seed <= 2000; ++seed) {
        random_source r = random_seed(seed);
        tact_shape *a = random_shape(&r), *b = random_shape(&r);
        assert_true(a != NULL && b != NULL);
        const tact_shape *const shape[2] = {a, b};
        tact_transform at[2];
        tact_motion motion[2];
        for (int i = 0; i < 2; ++i) {
            at[i] = tact_transform_make(in_cube(&r, 2.5), random_rotation(&r), vec_make(1.0, 1.0, 1.0));
            motion[i] = tact_motion_still();
            if (random_chance(&r, 0.7))
                motion[i].velocity = vec_add(in_cube(&r, 1.5), vec_scale(at[i].origin, -1.0));
            if (random_chance(&r, 0.5))
                motion[i].acceleration = in_cube(&r, 3.0);
            if (i == 0 || random_chance(&r, 0.5))
                motion[i].spin = vec_scale(random_direction(&r), 1e6);
        }
        const double end = 1.0, free_time = tact_toi_free_time_revolved(shape, at, motion, end);
        assert_true(free_time >= 0.0 && free_time <= end);
        throughout += free_time == end;
        partly += free_time > 0.0 && free_time < end;
        not_at_all += free_time == 0.0;
        for (int sample = 0; free_time > 0.0 && sample < 40; ++sample) {
            const double time = sample % 4 == 0 ? free_time : random_range(&r, 0.0, free_time);
            const double angles[2] = {random_range(&r, 0.0, 6.3), random_range(&r, 0.0, 6.3)};
            const tact_distance d = tact_shapes_distance(a, turned(&at[0], motion[0], time, angles[0]), b,
                                                         turned(&at[1], motion[1], time, angles[1]));
            assert_int_equal(d.status, TACT_OK);
            close += d.distance < 0.1;
            if (!(d.distance > 0.0))
                fail_msg("seed %llu: free up to %.17g, but they touch at %.17g turned by %.17g and %.17g",
                         (unsigned long long)seed, free_time, time, angles[0], angles[1]);
        }
        for (int i = 0; i < 2; ++i)
            motion[i].spin = vec_scale(motion[i].spin, 0x1p200);
        const double faster = tact_toi_free_time_revolved(shape, at, motion, end);
        if (!(fabs(faster - free_time) <= 1e-9))
            fail_msg("seed %llu: free up to %.17g, at another rate %.17g", (unsigned long long)seed, free_time, faster);
        tact_shape_release(a);
        tact_shape_release(b);
    }
    printf("free throughout %ld, partly %ld, not at all %ld; %ld close\n", throughout, partly, not_at_all, close);
    assert_true(throughout >= 60 && partly >= 100 && not_at_all >= 100 && close >= 50);
}

/* A stateless query and a world answer at any rate, the latter with a bounded amount of work. */
static void the_cost_does_not_depend_on_the_rate(void **state)
{
    (void)state;
    for (double rate = 1e2; rate < 1e100; rate *= 1e7) {
        tact_shape *rod = tact_box(1.0, 1.0, 10.0), *cube = tact_box(1.0, 1.0, 1.0);
        tact_motion spin = tact_motion_still(), past = tact_motion_linear(0.0, 0.1, 0.0);
        spin.spin = vec_make(0.0, 0.0, rate);
        const tact_toi toi =
            tact_shapes_time_of_impact(rod, tact_identity(), spin, cube, tact_at(2.0, 0.0, 0.0), past, 1.0);
        assert_int_equal(toi.status, TACT_OK);
        assert_int_equal(toi.state, TACT_MISS);
        assert_true(toi.time == 1.0);
        tact_world *world = tact_world_create(NULL);
        (void)tact_body_create(world, &(tact_body_def){.shape = rod, .transform = tact_identity(), .motion = spin});
        (void)tact_body_create(world,
                               &(tact_body_def){.shape = cube, .transform = tact_at(2.0, 0.0, 0.0), .motion = past});
        assert_int_equal(tact_world_set_progress(world, (tact_progress){.work_limit = 20}), TACT_OK);
        tact_event event;
        assert_int_equal(tact_world_next_event(world, 1.0, &event), TACT_EVENT_NONE);
        assert_int_equal(event.status, TACT_OK);
        assert_true(tact_world_get_time(world) == 1.0);
        tact_world_release(world);
        tact_shape_release(rod);
        tact_shape_release(cube);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(apart_in_every_orientation),
        cmocka_unit_test(the_cost_does_not_depend_on_the_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
