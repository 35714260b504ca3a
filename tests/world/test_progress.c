/*
 * Cancelled calls: with a limit of work or by the callback they stop with TACT_CANCELLED and leave a valid world.
 * Events are then the same as those of an uninterrupted run, bit for bit; a step that is cancelled changes nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <tact/tact.h>

#include "support/random.h"

#define MOST_EVENTS 2000

/* ---- continuous time -----------------------------------------------------------------------------------------------
 */

static tact_world *crowd(tact_kinetic kinetic)
{
    const tact_world_def def = {.kinetic = kinetic, .contact_step = 1.0 / 64.0};
    tact_world *world = tact_world_create(&def);
    tact_shape *ball = tact_sphere(0.3), *box = tact_box(0.5, 0.4, 0.6);
    random_source r = random_seed(7);
    for (int i = 0; i < 24; ++i) {
        const double x = 1.5 * (i % 3 - 1), y = 1.5 * (i / 3 % 3 - 1), z = 1.5 * (i / 9 - 1);
        tact_motion m = tact_motion_linear(random_range(&r, -0.5, 0.5) - x, random_range(&r, -0.5, 0.5) - y,
                                           random_range(&r, -0.5, 0.5) - z); /* towards the middle */
        m.spin.x = i % 3 == 0 ? 1.0 : 0.0;
        const tact_body b = tact_body_create(
            world, &(tact_body_def){.shape = i % 2 == 0 ? ball : box, .transform = tact_at(x, y, z), .motion = m});
        assert_int_equal(tact_body_set_mass(world, b, 1.0), TACT_OK);
    }
    tact_shape_release(ball);
    tact_shape_release(box);
    return world;
}

/* Runs a world, bouncing all touches. Returns the number of events, and of calls that were cancelled. */
static size_t run(tact_world *world, double until, tact_event *events, long *cancelled)
{
    size_t count = 0;
    for (;;) {
        tact_event e;
        const double before = tact_world_get_time(world);
        const tact_event_kind kind = tact_world_next_event(world, until, &e);
        if (kind == TACT_EVENT_NONE && e.status == TACT_CANCELLED) {
            ++*cancelled;
            assert_true(tact_world_get_time(world) >= before && tact_world_get_time(world) <= until);
            continue;
        }
        assert_int_equal(e.status, TACT_OK);
        if (kind == TACT_EVENT_NONE)
            return count;
        assert_true(count < MOST_EVENTS);
        events[count++] = e;
        if (kind == TACT_EVENT_TOUCH)
            assert_int_equal(tact_world_bounce(world, &e, 0.9), TACT_OK);
    }
}

static tact_event whole[MOST_EVENTS], parts[MOST_EVENTS];

static void compare(size_t count, size_t other)
{
    assert_int_equal(count, other);
    for (size_t i = 0; i < count; ++i)
        if (whole[i].time != parts[i].time || whole[i].a.index != parts[i].a.index ||
            whole[i].b.index != parts[i].b.index || whole[i].point.x != parts[i].point.x)
            fail_msg("event %zu of %zu", i, count);
}

static bool cancel_every_third(void *context, uint64_t work)
{
    long *calls = context;
    assert_true(work > 0);
    return ++*calls % 3 != 0;
}

static void a_limit_cancels_and_the_next_call_goes_on(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        const tact_kinetic kinetic = k == 0 ? TACT_KINETIC_FAT_BOUNDS : TACT_KINETIC_SWEEP_AND_PRUNE;
        long cancelled = 0, calls = 0;
        tact_world *world = crowd(kinetic);
        const size_t count = run(world, 2.0, whole, &cancelled);
        assert_true(count > 20);
        assert_int_equal(cancelled, 0);
        tact_world_release(world);
        for (uint64_t limit = 1; limit <= 16; limit *= 4) {
            world = crowd(kinetic);
            cancelled = 0;
            assert_int_equal(tact_world_set_progress(world, (tact_progress){.work_limit = limit}), TACT_OK);
            compare(count, run(world, 2.0, parts, &cancelled));
            assert_true(cancelled > 5);
            tact_world_release(world);
        }
        world = crowd(kinetic);
        cancelled = 0;
        assert_int_equal(tact_world_set_progress(world, (tact_progress){cancel_every_third, &calls, 0}), TACT_OK);
        tact_status status = TACT_CANCELLED;
        for (int i = 0; i < 10000 && status == TACT_CANCELLED; ++i, ++cancelled)
            status = tact_world_advance(world, 3.0).status;
        assert_int_equal(status, TACT_OK);
        assert_true(calls > 0);
        assert_true(tact_world_get_time(world) == 3.0);
        tact_world_release(world);
    }
    assert_int_equal(tact_world_set_progress(NULL, (tact_progress){0}), TACT_BAD_ARGUMENT);
    assert_string_equal(tact_status_text(TACT_CANCELLED), "cancelled");
}

/* A step of a world is one call: its limit is that of all its events. */
static void a_step_is_one_call(void **state)
{
    (void)state;
    tact_world *world = crowd(TACT_KINETIC_FAT_BOUNDS);
    assert_int_equal(tact_world_set_progress(world, (tact_progress){.work_limit = 10}), TACT_OK);
    int cancelled = 0;
    while (tact_world_get_time(world) < 1.0 && cancelled < 100000) {
        const tact_status status = tact_world_step(world, 1.0 - tact_world_get_time(world));
        assert_true(status == TACT_OK || status == TACT_CANCELLED);
        cancelled += status == TACT_CANCELLED;
    }
    assert_true(cancelled > 3 && cancelled < 100000);
    tact_world_release(world);
}

/* ---- cloth steps ---------------------------------------------------------------------------------------------------
 */

static bool cancel(void *context, uint64_t work)
{
    (void)work;
    ++*(int *)context;
    return false;
}

/* Two sheets pass through each other in the step that is asked for. */
static void a_cancelled_step_changes_nothing(void **state)
{
    (void)state;
    enum { SIDE = 12, COUNT = SIDE * SIDE };
    static tact_vec3 from[2][COUNT], to[2][COUNT], given[2][COUNT];
    uint32_t triangles[6 * (SIDE - 1) * (SIDE - 1)];
    size_t count = 0;
    for (uint32_t i = 0; i + 1 < SIDE; ++i)
        for (uint32_t k = 0; k + 1 < SIDE; ++k) {
            const uint32_t v = i * SIDE + k, quad[6] = {v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE};
            memcpy(triangles + count, quad, sizeof quad);
            count += 6;
        }
    for (uint64_t limit = 0; limit < 4; ++limit) {
        tact_world *world = tact_world_create(NULL);
        tact_body bodies[2];
        random_source r = random_seed(3);
        for (int s = 0; s < 2; ++s) {
            for (int i = 0; i < COUNT; ++i) {
                from[s][i] = (tact_vec3){i / SIDE + 0.3 * s, i % SIDE + 0.2 * s, s == 0 ? 0.0 : 0.5};
                to[s][i] = from[s][i];
                to[s][i].z += (s == 0 ? 0.6 : -0.6) + random_range(&r, -0.4, 0.4);
                given[s][i] = to[s][i];
            }
            const tact_mesh_def def = {
                .vertices = {.data = from[s], .count = COUNT}, .indices = triangles, .index_count = count};
            tact_shape *sheet = tact_mesh_create(&def, NULL);
            bodies[s] = tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true});
            tact_shape_release(sheet);
            assert_int_equal(tact_body_set_step_positions(world, bodies[s], from[s], to[s]), TACT_OK);
        }
        int calls = 0;
        assert_int_equal(
            tact_world_set_progress(world, (tact_progress){limit == 3 ? cancel : NULL, &calls, limit == 3 ? 0 : limit}),
            TACT_OK);
        const tact_step_result done = tact_step_resolve(world, NULL);
        if (limit == 0) {
            assert_int_equal(done.status, TACT_OK);
            assert_true(memcmp(to, given, sizeof to) != 0);
        } else if (limit < 3) {
            assert_int_equal(done.status, TACT_CANCELLED);
            assert_memory_equal(to, given, sizeof to);
            assert_int_equal(tact_world_set_progress(world, (tact_progress){0}), TACT_OK);
            assert_int_equal(tact_step_resolve(world, NULL).status, TACT_OK);
        }
        tact_world_release(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_cancels_and_the_next_call_goes_on),
        cmocka_unit_test(a_step_is_one_call),
        cmocka_unit_test(a_cancelled_step_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
