/*
 * The engine that a world through time chooses: the kinetic sweep and prune for a box of spheres that moves as a whole,
 * fat bounds for one at rest. Events do not depend on the engine, on how the time is divided, or on failed allocations.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <tact/tact.h>

#include "advance/advance.h"
#include "oracle/advance_check.h"
#include "oracle/dice.h"
#include "support/failing_allocator.h"

enum { BALLS = 100, EVENTS = 4000 };

#define LENGTH 11.0 /* of the box; balls have a radius of 0.5 */
#define FAST 100.0  /* a speed, of the box as a whole */

typedef struct reported_touch {
    double time;
    uint32_t a, b;
} reported_touch;

typedef struct run {
    tact_world *world;
    tact_body balls[BALLS], walls[6];
    reported_touch events[2 * EVENTS];
    int count;
    failing_allocator memory;
} run;

static void start(run *r, tact_kinetic kinetic, double speed, long every)
{
    memset(r, 0, sizeof *r);
    const tact_world_def def = {.kinetic = kinetic, .allocator = failing_allocator_make(&r->memory)};
    r->world = tact_world_create(&def);
    tact_shape *ball = tact_sphere(0.5), *wall = tact_box(LENGTH + 4.0, LENGTH + 4.0, 1.0);
    dice d = dice_for(3, 41, 0);
    for (int i = 0; i < BALLS; ++i) {
        const double x = 2.0 * (i % 5) - 4.0, y = 2.0 * (i / 5 % 5) - 4.0, z = 2.0 * (i / 25) - 4.0;
        const tact_motion m = {.velocity = {speed + dice_normal(&d), dice_normal(&d), dice_normal(&d)}};
        r->balls[i] = tact_body_create(r->world, &(tact_body_def){ball, .transform = tact_at(x, y, z), .motion = m});
        assert_int_equal(tact_body_set_mass(r->world, r->balls[i], 1.0), TACT_OK);
    }
    for (int k = 0; k < 6; ++k) {
        const double at = (k < 3 ? -0.5 : 0.5) * (LENGTH + 1.0), s = sqrt(0.5);
        const tact_quat turn = k % 3 == 0   ? (tact_quat){0.0, s, 0.0, s}
                               : k % 3 == 1 ? (tact_quat){s, 0.0, 0.0, s}
                                            : (tact_quat){0.0, 0.0, 0.0, 1.0};
        const tact_vec3 place = {k % 3 == 0 ? at : 0.0, k % 3 == 1 ? at : 0.0, k % 3 == 2 ? at : 0.0};
        r->walls[k] = tact_body_create(
            r->world, &(tact_body_def){wall, .transform = tact_transform_make(place, turn, (tact_vec3){1.0, 1.0, 1.0}),
                                       .motion = tact_motion_linear(speed, 0.0, 0.0)});
    }
    tact_shape_release(ball);
    tact_shape_release(wall);
    r->memory.every = every;
}

/* Goes on until so many more have touched; in portions of time as the dice say. */
static void go(run *r, int events, dice *d)
{
    tact_event e;
    for (const int last = r->count + events; r->count < last;) {
        const double now = tact_world_get_time(r->world);
        const double until = d != NULL && dice_pick(d, 2) == 0 ? now + 0.01 * dice_unit(d) : now + 10.0;
        if (tact_world_next_event(r->world, until, &e) == TACT_EVENT_TOUCH) {
            r->events[r->count++] = (reported_touch){e.time, e.a.index, e.b.index};
            assert_int_equal(tact_world_bounce(r->world, &e, 1.0), TACT_OK);
        } else if (e.status != TACT_OK) {
            assert_int_equal(e.status, TACT_OUT_OF_MEMORY);
        }
    }
    if (r->memory.every == 0)
        assert_int_equal(tact_world_next_event(r->world, tact_world_get_time(r->world), NULL), TACT_EVENT_NONE);
}

/* The whole box stops, or gets going. */
static void push(run *r, double by)
{
    for (int i = 0; i < BALLS + 6; ++i) {
        const tact_body b = i < BALLS ? r->balls[i] : r->walls[i - BALLS];
        tact_motion m = tact_body_get_motion(r->world, b);
        m.velocity.x += by;
        assert_int_equal(tact_body_set_motion(r->world, b, m), TACT_OK);
    }
}

static void stop(run *r)
{
    tact_world_release(r->world);
    assert_true(r->memory.held == 0);
}

static tact_kinetic engine(const run *r) { return r->world->advance->engine; }

static void fat_bounds_for_a_box_at_rest_sweep_for_one_that_moves(void **state)
{
    (void)state;
    static run r;
    start(&r, TACT_KINETIC_AUTO, 0.0, 0);
    go(&r, 1500, NULL);
    assert_int_equal(engine(&r), TACT_KINETIC_FAT_BOUNDS);
    push(&r, FAST);
    go(&r, 500, NULL);
    assert_int_equal(engine(&r), TACT_KINETIC_SWEEP_AND_PRUNE);
    assert_true(tact_advance_check(r.world));
    push(&r, -FAST);
    go(&r, 1500, NULL);
    assert_int_equal(engine(&r), TACT_KINETIC_FAT_BOUNDS);
    assert_true(tact_advance_check(r.world));
    stop(&r);
}

/* The same events bit for bit, with changes of engine among them. */
static void events_do_not_depend_on_how_time_is_divided(void **state)
{
    (void)state;
    static run once, again;
    start(&once, TACT_KINETIC_AUTO, FAST, 0);
    go(&once, 600, NULL);
    assert_int_equal(engine(&once), TACT_KINETIC_SWEEP_AND_PRUNE);
    dice d = dice_for(5, 42, 0);
    for (int k = 0; k < 3; ++k) {
        start(&again, TACT_KINETIC_AUTO, FAST, k == 0 ? 0 : 4 + 3 * k);
        go(&again, 600, k < 2 ? &d : NULL);
        assert_int_equal(engine(&again), TACT_KINETIC_SWEEP_AND_PRUNE);
        assert_memory_equal(once.events, again.events, (size_t)once.count * sizeof(reported_touch));
        stop(&again);
    }
    stop(&once);
}

/* Up to rounding, which grows: so not for long. */
static void the_first_events_are_those_of_the_other_engine(void **state)
{
    (void)state;
    static run one, other;
    start(&one, TACT_KINETIC_SWEEP_AND_PRUNE, 0.0, 0);
    start(&other, TACT_KINETIC_FAT_BOUNDS, 0.0, 0);
    go(&one, 200, NULL);
    go(&other, 200, NULL);
    assert_int_equal(engine(&one), TACT_KINETIC_SWEEP_AND_PRUNE);
    assert_int_equal(engine(&other), TACT_KINETIC_FAT_BOUNDS);
    for (int i = 0; i < one.count; ++i) {
        assert_true(fabs(one.events[i].time - other.events[i].time) < 1e-9);
        assert_true(one.events[i].a == other.events[i].a && one.events[i].b == other.events[i].b);
    }
    stop(&one);
    stop(&other);
}

static void pins(void **state)
{
    (void)state;
    assert_int_equal(tact_world_set_kinetic(NULL, TACT_KINETIC_SWEEP_AND_PRUNE), TACT_BAD_ARGUMENT);
    const tact_world_def bad = {.kinetic = (tact_kinetic)7};
    assert_null(tact_world_create(&bad));
    static run r;
    start(&r, TACT_KINETIC_SWEEP_AND_PRUNE, 0.0, 0);
    assert_int_equal(tact_world_set_kinetic(r.world, (tact_kinetic)-1), TACT_BAD_ARGUMENT);
    go(&r, 1500, NULL);
    assert_int_equal(engine(&r), TACT_KINETIC_SWEEP_AND_PRUNE); /* whatever it costs */
    assert_int_equal(tact_world_set_kinetic(r.world, TACT_KINETIC_FAT_BOUNDS), TACT_OK);
    go(&r, 1, NULL);
    assert_int_equal(engine(&r), TACT_KINETIC_FAT_BOUNDS);
    push(&r, FAST);
    go(&r, 500, NULL);
    assert_int_equal(engine(&r), TACT_KINETIC_FAT_BOUNDS);
    assert_int_equal(tact_world_set_kinetic(r.world, TACT_KINETIC_AUTO), TACT_OK);
    go(&r, 500, NULL);
    assert_int_equal(engine(&r), TACT_KINETIC_SWEEP_AND_PRUNE);
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fat_bounds_for_a_box_at_rest_sweep_for_one_that_moves),
        cmocka_unit_test(events_do_not_depend_on_how_time_is_divided),
        cmocka_unit_test(the_first_events_are_those_of_the_other_engine),
        cmocka_unit_test(pins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
