/*
 * Work is bounded: counted, not timed. Support points of long bodies that turn, and events of worlds with wild motions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <tact/tact.h>

#include "advance/advance.h"
#include "math/vec.h"
#include "support/random.h"

/* ---- long thin bodies ---------------------------------------------------------------------------------------------
 */

/* An ellipsoid with the radii 1, 1 and `length`, which counts its support points. */
typedef struct counted_ellipsoid {
    double length;
    long calls;
} counted_ellipsoid;

static tact_vec3 ellipsoid_support(void *context, tact_vec3 d)
{
    counted_ellipsoid *e = context;
    ++e->calls;
    const double z = e->length * d.z, size = hypot(hypot(d.x, d.y), z);
    return size > 0.0 ? vec_make(d.x / size, d.y / size, e->length * (z / size)) : vec_make(1.0, 0.0, 0.0);
}

/* Runs a spinning body and a ball inside it at first up to a time. Returns the number of touches; of support points in
 * `calls`. */
static int run_long_body(double length, double end, long *calls, double *last)
{
    counted_ellipsoid e = {length, 0};
    tact_world *world = tact_world_create(NULL);
    tact_shape *body = tact_custom(ellipsoid_support, &e, 1.01 * length), *ball = tact_sphere(1.0);
    assert_non_null(body);
    tact_motion spin = tact_motion_still(), leave = tact_motion_linear(1.0, 2.0, 3.0);
    spin.spin = vec_make(4.0, 2.0, 0.0);
    (void)tact_body_create(world, &(tact_body_def){.shape = body, .transform = tact_identity(), .motion = spin});
    (void)tact_body_create(world,
                           &(tact_body_def){.shape = ball, .transform = tact_at(0.5, 0.0, 0.0), .motion = leave});
    int touches = 0;
    tact_event event;
    while (tact_world_next_event(world, end, &event) == TACT_EVENT_TOUCH) {
        ++touches;
        *last = event.time;
    }
    assert_int_equal(event.status, TACT_OK);
    *calls = e.calls;
    tact_world_release(world);
    tact_shape_release(body);
    tact_shape_release(ball);
    return touches;
}

/* The ball stays inside for a tenth, whatever the length: steps by the speed of the ends would be in proportion to it.
 * Then it leaves. */
static void a_long_body_that_turns(void **state)
{
    (void)state;
    long short_calls, calls;
    double first, last = 0.0;
    assert_int_equal(run_long_body(1e2, 2.0, &short_calls, &first), 1);
    for (double length = 1e3; length < 1e11; length *= 100.0) {
        assert_int_equal(run_long_body(length, 0.1, &calls, &last), 1);
        assert_true(last == 0.0);
        if (calls > 40000)
            fail_msg("length %g: %ld support points while inside", length, calls);
        assert_int_equal(run_long_body(length, 2.0, &calls, &last), 1);
        if (calls > 6 * short_calls)
            fail_msg("length %g: %ld support points, %ld for 100", length, calls, short_calls);
    }
}

/* ---- wild motions --------------------------------------------------------------------------------------------------
 */

/* A point in a ball that an acceleration takes away at 0.24. Returns the touches; of events in `events`. */
static int run_wild(tact_kinetic kinetic, double acceleration, uint64_t *events)
{
    const tact_world_def def = {.kinetic = kinetic};
    tact_world *world = tact_world_create(&def);
    const tact_vec3 point = {0.2, 1.0, 0.0};
    tact_shape *ball = tact_sphere(4.0), *dot = tact_point(point);
    assert_non_null(dot);
    (void)tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_identity()});
    const tact_body body =
        tact_body_create(world, &(tact_body_def){.shape = dot, .transform = tact_at(-0.48, -0.32, -3.0)});
    int touches = 0;
    tact_event event;
    while (tact_world_next_event(world, 0.24, &event) == TACT_EVENT_TOUCH)
        ++touches;
    tact_motion away = tact_motion_linear(-0.7, -0.6, 0.0);
    away.acceleration = vec_make(-0.7, 1.1, acceleration);
    assert_int_equal(tact_body_set_motion(world, body, away), TACT_OK);
    while (tact_world_next_event(world, 1.0, &event) == TACT_EVENT_TOUCH && touches < 1000)
        ++touches;
    assert_int_equal(event.status, TACT_OK);
    *events = world->advance->effort.events;
    tact_world_release(world);
    tact_shape_release(ball);
    tact_shape_release(dot);
    return touches;
}

/* Both engines report the same, with a bounded number of events: searches are not as short as an ulp of the time. */
static void wild_accelerations_end(void **state)
{
    (void)state;
    static const double accelerations[] = {1.0, 1e10, 1e20, 1e40, 1e60, 1e100, 1e140};
    for (size_t i = 0; i < sizeof accelerations / sizeof *accelerations; ++i) {
        uint64_t events;
        assert_int_equal(run_wild(TACT_KINETIC_FAT_BOUNDS, accelerations[i], &events), 1);
        assert_true(events < 1000);
        assert_int_equal(run_wild(TACT_KINETIC_SWEEP_AND_PRUNE, accelerations[i], &events), 1);
        if (events >= 1000)
            fail_msg("acceleration %g: %llu events", accelerations[i], (unsigned long long)events);
    }
}

/* Two points, one of which an acceleration takes away from the other, which spins: neither the rounding of the path to
 * come nor the spin makes searches short. */
static void wild_pairs_part(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        const tact_world_def def = {.kinetic = k == 0 ? TACT_KINETIC_SWEEP_AND_PRUNE : TACT_KINETIC_FAT_BOUNDS};
        tact_world *world = tact_world_create(&def);
        const tact_vec3 point = {0.2, 1.0, 0.0};
        tact_shape *dot = tact_point(point);
        tact_motion spin = tact_motion_linear(-0.4, 0.5, -0.6);
        spin.spin = vec_make(1e40, -1e40, -1e40);
        (void)tact_body_create(world,
                               &(tact_body_def){.shape = dot, .transform = tact_at(-2.9, -1.2, 1.2), .motion = spin});
        const tact_body body =
            tact_body_create(world, &(tact_body_def){.shape = dot, .transform = tact_at(1.8, -1.8, -1.1)});
        tact_event event;
        assert_int_equal(tact_world_next_event(world, 0.087, &event), TACT_EVENT_NONE);
        tact_motion away = tact_motion_linear(0.2, 0.3, 0.0);
        away.acceleration = vec_make(1e40, -1.0, 0.0);
        assert_int_equal(tact_body_set_motion(world, body, away), TACT_OK);
        assert_int_equal(tact_world_next_event(world, 1.0, &event), TACT_EVENT_NONE);
        assert_int_equal(event.status, TACT_OK);
        assert_true(world->advance->effort.events < 20000);
        tact_world_release(world);
        tact_shape_release(dot);
    }
}

/* ---- bodies that all overlap ---------------------------------------------------------------------------------------
 */

typedef enum crowd { CROWD_BALLS, CROWD_NESTED, CROWD_BOXES, CROWDS } crowd;

/* All pairs touch at the start, once each, in the order of the bodies; and then nothing for a while. Returns the
 * neighbours visited. */
static uint64_t run_crowd(crowd kind, tact_kinetic kinetic, uint32_t count, double *last)
{
    const tact_world_def def = {.kinetic = kinetic};
    tact_world *world = tact_world_create(&def);
    random_source r = random_seed(count);
    tact_shape *cube = tact_box(2.0, 2.0, 2.0);
    for (uint32_t i = 0; i < count; ++i) {
        tact_shape *ball = tact_sphere(kind == CROWD_NESTED ? 1.0 + i / (double)count : 1.0);
        const double spread = kind == CROWD_NESTED ? 0.0 : 0.1;
        const tact_transform at = tact_at(random_range(&r, -spread, spread), random_range(&r, -spread, spread),
                                          random_range(&r, -spread, spread));
        const tact_motion motion = tact_motion_linear(random_range(&r, -1.0, 1.0), random_range(&r, -1.0, 1.0),
                                                      i == 3 ? 0.0 : random_range(&r, -1.0, 1.0));
        (void)tact_body_create(world, &(tact_body_def){.shape = kind == CROWD_BOXES ? cube : ball,
                                                       .transform = at,
                                                       .motion = i == 5 ? tact_motion_still() : motion});
        tact_shape_release(ball);
    }
    tact_shape_release(cube);
    tact_event e;
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = i + 1; k < count; ++k) {
            assert_int_equal(tact_world_next_event(world, 0.01, &e), TACT_EVENT_TOUCH);
            if (e.a.index != i || e.b.index != k || e.time != 0.0)
                fail_msg("%u and %u at %g instead of %u and %u", e.a.index, e.b.index, e.time, i, k);
        }
    while (tact_world_next_event(world, 0.01, &e) == TACT_EVENT_TOUCH)
        *last = e.time;
    assert_int_equal(e.status, TACT_OK);
    const uint64_t visited = world->advance->visited;
    tact_world_release(world);
    return visited;
}

/* The neighbours visited are in proportion to the pairs, not to pairs times bodies. */
static void bodies_that_all_overlap(void **state)
{
    (void)state;
    for (int kind = 0; kind < CROWDS; ++kind)
        for (uint32_t count = 20; count <= 80; count *= 2)
            for (int k = 0; k < 2; ++k) {
                double last = 0.0;
                const uint64_t pairs = (uint64_t)count * (count - 1) / 2;
                const uint64_t visited = run_crowd(
                    (crowd)kind, k == 0 ? TACT_KINETIC_FAT_BOUNDS : TACT_KINETIC_SWEEP_AND_PRUNE, count, &last);
                if (visited > 40 * pairs)
                    fail_msg("crowd %d of %u: %llu visits, %llu pairs", kind, count, (unsigned long long)visited,
                             (unsigned long long)pairs);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_body_that_turns),
        cmocka_unit_test(wild_accelerations_end),
        cmocka_unit_test(wild_pairs_part),
        cmocka_unit_test(bodies_that_all_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
