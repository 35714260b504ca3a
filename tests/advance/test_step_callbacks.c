/* Contact callbacks in tact_world_step: they observe, resolve a touch themselves, or belong to a sensor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <tact/tact.h>

#include "support/failing_allocator.h"
#include "support/falling_world.h"

typedef struct observer {
    long calls;
    tact_status status; /* of the last call of tact_world_bounce_with */
} observer;

static void observe(void *context, const tact_contact *c)
{
    (void)c;
    ++((observer *)context)->calls;
}

static void bounce_high(void *context, const tact_contact *c)
{
    observer *o = context;
    ++o->calls;
    o->status = tact_world_bounce_with(c->world, c->event, &(tact_bounce_def){.restitution = 1.0});
}

static void remove_body(void *context, const tact_contact *c)
{
    ++((observer *)context)->calls;
    assert_int_equal(tact_body_remove(c->world, c->b), TACT_OK);
}

static void lift(void *context, const tact_contact *c)
{
    ++((observer *)context)->calls;
    assert_int_equal(tact_body_set_transform(c->world, c->b, tact_at(0.0, 5.0, 0.0)), TACT_OK);
    assert_int_equal(tact_body_set_motion(c->world, c->b, tact_motion_still()), TACT_OK);
}

static void exclude(void *context, const tact_contact *c)
{
    ++((observer *)context)->calls;
    assert_int_equal(tact_body_set_filter(c->world, c->b, 0, 0), TACT_OK);
}

static void push_up(void *context, const tact_contact *c)
{
    ++((observer *)context)->calls;
    const tact_vec3 at = tact_body_get_transform(c->world, c->b).origin;
    assert_int_equal(tact_body_apply_impulse(c->world, c->b, vec_make(0.0, 1.0, 0.0), at), TACT_OK);
}

static void reflect(void *context, const tact_contact *c)
{
    ++((observer *)context)->calls;
    tact_motion m = tact_body_get_motion(c->world, c->b);
    m.velocity.y = fabs(m.velocity.y);
    assert_int_equal(tact_body_set_motion(c->world, c->b, m), TACT_OK);
}

static void release_world(void *context, const tact_contact *c)
{
    ++((observer *)context)->calls;
    tact_world_release(c->world);
}

typedef struct drop {
    tact_world *world;
    tact_body ball; /* of radius 0.5 and mass 1, 1 above the floor */
} drop;

static drop make_drop(tact_response response)
{
    drop d = {.world = falling_world(false)};
    (void)put_floor(d.world, 0.5, 0.0);
    d.ball = put(d.world, tact_sphere(0.5), tact_at(0.0, 1.5, 0.0), 1.0, 0.5, 0.0);
    assert_int_equal(tact_world_set_contact_callback(d.world, response), TACT_OK);
    return d;
}

static void a_callback_that_only_observes_changes_nothing(void **state)
{
    (void)state;
    for (tact_want want = TACT_NOTHING; want <= TACT_CONTACT_POINTS; ++want) {
        observer o = {0};
        const drop d = make_drop((tact_response){.want = want, .callback = observe, .context = &o}),
                   plain = make_drop((tact_response){0});
        for (int i = 0; i < 120; ++i) {
            step(d.world, 1.0 / 60.0);
            step(plain.world, 1.0 / 60.0);
            const tact_transform a = tact_body_get_transform(d.world, d.ball),
                                 b = tact_body_get_transform(plain.world, plain.ball);
            assert_memory_equal(&a, &b, sizeof a);
        }
        assert_int_equal(o.calls, 1);
        assert_true(place(d.world, d.ball).y > 0.5 && place(d.world, d.ball).y < 0.5 + 2.0 * REST_GAP);
        assert_true(tact_body_is_asleep(d.world, d.ball));
        tact_world_release(d.world);
        tact_world_release(plain.world);
    }
}

static void bodies_pass_through_a_sensor(void **state)
{
    (void)state;
    for (int silent = 0; silent < 2; ++silent) {
        observer o = {0};
        const drop d = make_drop(
            (tact_response){.callback = silent ? NULL : observe, .context = silent ? NULL : &o, .sensor = true});
        step(d.world, 1.0);
        assert_int_equal(o.calls, silent ? 0 : 1);
        assert_true(fabs(place(d.world, d.ball).y - (1.5 - 0.5 * GRAVITY)) < 1e-12);
        assert_true(tact_pair_get_contact_callback(d.world, d.ball, d.ball).sensor);
        tact_world_release(d.world);
    }
}

/* A response of the pair overrides a sensor of the world, and the other way round. */
static void a_sensor_is_of_the_response_that_applies(void **state)
{
    (void)state;
    for (int solid = 0; solid < 2; ++solid) {
        const drop d = make_drop((tact_response){.sensor = solid});
        assert_int_equal(tact_body_set_contact_callback(d.world, d.ball, (tact_response){.sensor = !solid}), TACT_OK);
        step(d.world, 1.0);
        assert_true((place(d.world, d.ball).y > 0.4) == solid);
        tact_world_release(d.world);
    }
}

static void a_callback_may_bounce_with_another_restitution(void **state)
{
    (void)state;
    observer o = {0};
    const drop d = make_drop((tact_response){.callback = bounce_high, .context = &o});
    const double fall = sqrt(2.0 / GRAVITY);
    step(d.world, 2.0 * fall);
    assert_int_equal(o.calls, 1);
    assert_int_equal(o.status, TACT_OK);
    assert_true(fabs(place(d.world, d.ball).y - 1.5) < 1e-9);
    assert_int_equal(tact_body_get_contacts(d.world, d.ball, NULL, 0), 0);
    step(d.world, 20.0 * fall);
    assert_int_equal(o.calls, 11);
    tact_world_release(d.world);
}

static void a_callback_may_set_the_motion(void **state)
{
    (void)state;
    observer o = {0};
    const drop d = make_drop((tact_response){.callback = reflect, .context = &o});
    step(d.world, 2.0 * sqrt(2.0 / GRAVITY));
    assert_int_equal(o.calls, 1);
    assert_true(fabs(place(d.world, d.ball).y - 1.5) < 1e-9);
    tact_world_release(d.world);
}

static void an_impulse_of_a_callback_adds_to_the_response(void **state)
{
    (void)state;
    observer o = {0};
    const drop d = make_drop((tact_response){.callback = push_up, .context = &o});
    step(d.world, 3.0);
    assert_true(o.calls >= 1);
    assert_true(place(d.world, d.ball).y > 0.5 && place(d.world, d.ball).y < 0.5 + 2.0 * REST_GAP);
    tact_world_release(d.world);
}

static void a_callback_may_remove_move_or_exclude_a_body(void **state)
{
    (void)state;
    observer o = {0};
    const drop removed = make_drop((tact_response){.callback = remove_body, .context = &o});
    step(removed.world, 1.0);
    assert_int_equal(o.calls, 1);
    assert_false(tact_body_exists(removed.world, removed.ball));
    tact_world_release(removed.world);

    o = (observer){0};
    const drop lifted = make_drop((tact_response){.callback = lift, .context = &o});
    const double fall = sqrt(2.0 / GRAVITY);
    step(lifted.world, fall + 0.5);
    assert_int_equal(o.calls, 1);
    assert_true(fabs(place(lifted.world, lifted.ball).y - (5.0 - 0.5 * GRAVITY * 0.25)) < 1e-9);
    tact_world_release(lifted.world);

    o = (observer){0};
    const drop excluded = make_drop((tact_response){.callback = exclude, .context = &o});
    step(excluded.world, 1.0);
    assert_int_equal(o.calls, 1);
    assert_true(place(excluded.world, excluded.ball).y < -3.0);
    tact_world_release(excluded.world);
}

static void a_callback_may_release_the_world(void **state)
{
    (void)state;
    observer o = {0};
    const drop d = make_drop((tact_response){.callback = release_world, .context = &o});
    step(d.world, 1.0); /* the world is gone */
    assert_int_equal(o.calls, 1);
}

static void measure(void *context, const tact_contact *c)
{
    *(double *)context = tact_event_get_closing_speed(c->world, c->event);
    assert_true(tact_event_get_closing_speed(NULL, c->event) == 0.0);
    assert_true(tact_event_get_closing_speed(c->world, NULL) == 0.0);
}

static void the_closing_speed_is_that_of_the_fall(void **state)
{
    (void)state;
    double speed = 0.0;
    const drop d = make_drop((tact_response){.callback = measure, .context = &speed});
    step(d.world, 0.5);
    assert_true(fabs(speed - sqrt(2.0 * GRAVITY)) < 1e-9);
    tact_world_release(d.world);
}

static void either_body_may_be_a_sensor(void **state)
{
    (void)state;
    for (int trigger = 0; trigger < 2; ++trigger) {
        observer o = {0};
        const tact_response watch = {.callback = observe, .context = &o};
        tact_world *world = falling_world(false);
        const tact_body floor = put_floor(world, 0.5, 0.0),
                        ball = put(world, tact_sphere(0.5), tact_at(0.0, 1.5, 0.0), 1.0, 0.5, 0.0);
        assert_int_equal(tact_body_set_contact_callback(world, trigger ? ball : floor, watch), TACT_OK);
        assert_int_equal(tact_body_set_contact_callback(world, trigger ? floor : ball, (tact_response){.sensor = true}),
                         TACT_OK);
        step(world, 1.0);
        assert_true(place(world, ball).y < -3.0);
        assert_int_equal(o.calls, trigger ? 0 : 1); /* the response of the body created first applies */
        tact_world_release(world);
    }
}

/* Every allocation fails once. A call that is repeated with the rest of the duration goes on as if none had failed. */
static void a_failed_step_may_be_repeated(void **state)
{
    (void)state;
    tact_transform at[2];
    long failures = 0;
    for (long fail_at = 0; fail_at >= 0; ++fail_at) { /* 0: none fails */
        failing_allocator memory = {.fail_at = 0};
        observer o = {0};
        tact_world *world = tact_world_create(
            &(tact_world_def){.gravity = {0.0, -GRAVITY, 0.0}, .allocator = failing_allocator_make(&memory)});
        assert_non_null(world);
        (void)put_floor(world, 0.5, 0.0);
        const tact_body crate =
            put(world, tact_box(1.0, 1.0, 1.0), turned(vec_make(0.0, 1.5, 0.0), vec_make(0, 0, 1), 0.3), 1.0, 0.5, 0.2);
        assert_int_equal(tact_world_set_contact_callback(world, (tact_response){.callback = observe, .context = &o}),
                         TACT_OK);
        memory.calls = 0;
        memory.fail_at = fail_at;
        const long before = failures;
        for (tact_status status; (status = tact_world_step(world, 1.0 - tact_world_get_time(world))) != TACT_OK;) {
            assert_int_equal(status, TACT_OUT_OF_MEMORY);
            ++failures;
        }
        at[fail_at > 0] = tact_body_get_transform(world, crate);
        assert_memory_equal(&at[0], &at[fail_at > 0], sizeof at[0]);
        assert_true(o.calls >= 1);
        tact_world_release(world);
        if (fail_at > 0 && failures == before)
            break; /* there are no more allocations */
    }
    assert_true(failures >= 10);
}

/* A crate at rest: the forces carry it. */
static void impulses_divided_by_their_duration_are_forces(void **state)
{
    (void)state;
    for (int sleeps = 0; sleeps < 2; ++sleeps) {
        tact_world *world = falling_world(!sleeps);
        (void)put_floor(world, 0.5, 0.0);
        const tact_body crate = put(world, tact_box(1.0, 1.0, 1.0), tact_at(0.0, 0.6, 0.0), 3.0, 0.5, 0.0);
        step(world, 3.0);
        assert_int_equal(tact_body_is_asleep(world, crate), sleeps);
        tact_persistent_contact c;
        assert_int_equal(tact_body_get_contacts(world, crate, &c, 1), 1);
        assert_true(c.duration > 0.0 && c.count >= 3);
        tact_vec3 force = vec_make(0.0, 0.0, 0.0);
        for (int i = 0; i < c.count; ++i)
            force = vec_add(force, vec_scale(c.points[i].impulse, 1.0 / c.duration));
        assert_true(fabs(force.y - 3.0 * GRAVITY) < 1e-3 * GRAVITY);
        assert_true(fabs(force.x) + fabs(force.z) < 1e-3 * GRAVITY);
        tact_world_release(world);
    }
}

/* ---- saved worlds ---- */

static void a_saved_world_keeps_its_sensors(void **state)
{
    (void)state;
    tact_bytes saved = {0};
    const drop d = make_drop((tact_response){.sensor = true});
    assert_int_equal(tact_world_save(d.world, tact_bytes_sink(&saved), NULL, NULL), TACT_OK);
    tact_world *restored = tact_world_restore(saved.data, saved.size, NULL, NULL);
    tact_bytes_release(&saved);
    assert_non_null(restored);
    step(restored, 1.0);
    assert_true(place(restored, d.ball).y < -3.0);
    tact_world_release(restored);
    tact_world_release(d.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_callback_that_only_observes_changes_nothing),
        cmocka_unit_test(bodies_pass_through_a_sensor),
        cmocka_unit_test(a_sensor_is_of_the_response_that_applies),
        cmocka_unit_test(a_callback_may_bounce_with_another_restitution),
        cmocka_unit_test(a_callback_may_set_the_motion),
        cmocka_unit_test(an_impulse_of_a_callback_adds_to_the_response),
        cmocka_unit_test(a_callback_may_remove_move_or_exclude_a_body),
        cmocka_unit_test(a_callback_may_release_the_world),
        cmocka_unit_test(a_failed_step_may_be_repeated),
        cmocka_unit_test(the_closing_speed_is_that_of_the_fall),
        cmocka_unit_test(either_body_may_be_a_sensor),
        cmocka_unit_test(impulses_divided_by_their_duration_are_forces),
        cmocka_unit_test(a_saved_world_keeps_its_sensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
