/* Events of persistent contacts whose bodies are removed, also before the events are reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <tact/tact.h>

#include "support/failing_allocator.h"
#include "support/falling_world.h"

#define CRATES 3

typedef struct tower {
    tact_world *world;
    tact_body floor, crates[CRATES];
} tower;

/* Crates on each other, asleep. Their user pointers are `names`. */
static tower make_tower(char names[CRATES + 1])
{
    tower t = {.world = falling_world(false)};
    assert_int_equal(tact_world_set_contact_events(t.world, true), TACT_OK);
    t.floor = put_floor(t.world, 0.5, 0.0);
    assert_int_equal(tact_body_set_user(t.world, t.floor, &names[CRATES]), TACT_OK);
    for (int i = 0; i < CRATES; ++i) {
        t.crates[i] = put(t.world, tact_box(1.0, 1.0, 1.0), tact_at(0.0, 0.55 + 1.05 * i, 0.0), 1.0, 0.5, 0.0);
        assert_int_equal(tact_body_set_user(t.world, t.crates[i], &names[i]), TACT_OK);
    }
    step(t.world, 5.0);
    for (int i = 0; i < CRATES; ++i)
        assert_true(tact_body_is_asleep(t.world, t.crates[i]));
    return t;
}

static bool same(tact_body a, tact_body b) { return a.index == b.index && a.generation == b.generation; }

typedef struct event_counts {
    int begins, ends, ends_with_removed, wakes;
} event_counts;

/* The events until now. Handles are those of bodies that exist or of the removed one, whose user pointer is NULL. */
static event_counts count_events(const tower *t, tact_body removed)
{
    event_counts n = {0};
    tact_event e;
    while (tact_world_next_event(t->world, tact_world_get_time(t->world), &e) != TACT_EVENT_NONE) {
        const bool a_removed = same(e.a, removed), b_removed = same(e.b, removed);
        assert_true(a_removed ? e.user_a == NULL : tact_body_exists(t->world, e.a));
        assert_true(!a_removed || e.kind == TACT_EVENT_CONTACT_END);
        if (e.kind == TACT_EVENT_CONTACT_BEGIN || e.kind == TACT_EVENT_CONTACT_END)
            assert_true(b_removed ? e.user_b == NULL : tact_body_exists(t->world, e.b));
        assert_true(e.user_a == tact_body_get_user(t->world, e.a) && e.user_b == tact_body_get_user(t->world, e.b));
        n.begins += e.kind == TACT_EVENT_CONTACT_BEGIN;
        n.ends += e.kind == TACT_EVENT_CONTACT_END;
        n.ends_with_removed += e.kind == TACT_EVENT_CONTACT_END && (a_removed || b_removed);
        n.wakes += e.kind == TACT_EVENT_WAKE;
    }
    assert_int_equal(e.status, TACT_OK);
    return n;
}

static void a_removed_body_is_named_by_its_old_handle(void **state)
{
    (void)state;
    for (int which = 0; which < CRATES; ++which) {
        char names[CRATES + 1];
        const tower t = make_tower(names);
        assert_int_equal(tact_body_remove(t.world, t.crates[which]), TACT_OK);
        const event_counts n = count_events(&t, t.crates[which]);
        assert_int_equal(n.wakes, CRATES - 1); /* of the others */
        assert_int_equal(n.ends, which == CRATES - 1 ? 1 : 2);
        assert_int_equal(n.ends_with_removed, n.ends);
        tact_world_release(t.world);
    }
}

/* The index of the removed body is taken by a new one before the events are reported. */
static void a_new_body_is_not_named_instead(void **state)
{
    (void)state;
    char names[CRATES + 1], other;
    const tower t = make_tower(names);
    assert_int_equal(tact_body_remove(t.world, t.crates[1]), TACT_OK);
    for (int i = 0; i < 200; ++i) {
        const tact_body body = put(t.world, tact_sphere(0.1), tact_at(50.0 + i, 5.0, 0.0), 1.0, 0.0, 0.0);
        assert_int_equal(tact_body_set_user(t.world, body, &other), TACT_OK);
    }
    assert_int_equal(count_events(&t, t.crates[1]).ends_with_removed, 2);
    tact_world_release(t.world);
}

/* Saved between the removal and the report. */
static void a_restored_world_reports_the_same(void **state)
{
    (void)state;
    char names[CRATES + 1];
    const tower t = make_tower(names);
    for (int i = 0; i < CRATES; ++i)
        assert_int_equal(tact_body_set_user(t.world, t.crates[i], NULL), TACT_OK);
    assert_int_equal(tact_body_set_user(t.world, t.floor, NULL), TACT_OK);
    assert_int_equal(tact_body_remove(t.world, t.crates[0]), TACT_OK);
    tact_bytes saved = {0};
    assert_int_equal(tact_world_save(t.world, tact_bytes_sink(&saved), NULL, NULL), TACT_OK);
    const tower copy = {.world = tact_world_restore(saved.data, saved.size, NULL, NULL)};
    tact_bytes_release(&saved);
    assert_non_null(copy.world);
    const event_counts a = count_events(&t, t.crates[0]), b = count_events(&copy, t.crates[0]);
    assert_int_equal(a.ends, 2);
    assert_memory_equal(&a, &b, sizeof a);
    tact_world_release(t.world);
    tact_world_release(copy.world);
}

/* A crate lies on the floor, without gravity, and leaves it in the middle of a contact step. Its contact ends at the
 * second step in sequence at which it is more than 0.01 of its size (half its side) away. */
static void a_contact_ends_at_the_second_step_apart(void **state)
{
    (void)state;
    const double speeds[] = {1.2, 0.06};
    for (int i = 0; i < 2; ++i) {
        tact_world *world = falling_world(true);
        assert_int_equal(tact_world_set_gravity(world, tact_vec(0, 0, 0)), TACT_OK);
        assert_int_equal(tact_world_set_contact_events(world, true), TACT_OK);
        put_floor(world, 0.5, 0.0);
        const tact_body crate = put(world, tact_box(1.0, 1.0, 1.0), tact_at(0.0, 0.55, 0.0), 1.0, 0.5, 0.0);
        assert_int_equal(tact_body_set_motion(world, crate, tact_motion_linear(0, -1, 0)), TACT_OK);
        const double h = tact_world_get_contact_step(world), leaves = 60.5 * h;
        step(world, leaves);
        assert_int_equal(tact_body_get_contacts(world, crate, NULL, 0), 1);
        tact_event e;
        while (tact_world_next_event(world, leaves, &e) != TACT_EVENT_NONE)
            assert_int_not_equal(e.kind, TACT_EVENT_CONTACT_END);
        assert_int_equal(e.status, TACT_OK);
        const double gap = tact_body_get_transform(world, crate).origin.y - 0.5;
        assert_true(gap > 0.0 && gap < 2e-4);
        assert_int_equal(tact_body_set_motion(world, crate, tact_motion_linear(0, speeds[i], 0)), TACT_OK);
        double apart = 61.0; /* the first step at which it is that far away */
        while (gap + speeds[i] * (apart - 60.5) * h < 0.01 * 0.5)
            apart += 1.0;
        assert_int_equal(tact_world_next_event(world, 3.0, &e), TACT_EVENT_CONTACT_END);
        assert_true(fabs(e.time - (apart + 1.0) * h) < 1e-9);
        tact_world_release(world);
    }
}

/* Balls that are created in touch become contact bodies one by one, and enter again with all their contacts. The call
 * of memory number `fail_at` fails once; the caller goes on. Returns the number of calls. */
static long fall_in_touch(long fail_at, tact_transform after[4])
{
    failing_allocator memory = {0};
    const tact_allocator allocator = failing_allocator_make(&memory);
    tact_world *world = tact_world_create(
        &(tact_world_def){.allocator = allocator, .gravity = {0.0, -GRAVITY, 0.0}, .never_sleeps = true});
    (void)put_floor(world, 0.5, 0.0);
    tact_body balls[4];
    for (int i = 0; i < 4; ++i) {
        const double angle = i * 2.0 * acos(-1.0) / 3.0, across = 1.0 / sqrt(3.0);
        balls[i] = put(world, tact_sphere(0.5),
                       i < 3 ? tact_at(across * cos(angle), 0.5, across * sin(angle))
                             : tact_at(0.0, 0.5 + sqrt(2.0 / 3.0), 0.0),
                       1.0, 0.5, 0.0);
    }
    memory.calls = 0;
    memory.fail_at = fail_at;
    int failures = 0;
    for (;;) {
        const tact_status status = tact_world_step(world, 0.05 - tact_world_get_time(world));
        if (status == TACT_OK)
            break;
        assert_int_equal(status, TACT_OUT_OF_MEMORY);
        assert_true(++failures <= 1);
    }
    for (int i = 0; i < 4; ++i)
        after[i] = tact_body_get_transform(world, balls[i]);
    const long calls = memory.calls;
    tact_world_release(world);
    return calls;
}

static void a_lack_of_memory_changes_nothing(void **state)
{
    (void)state;
    tact_transform expected[4], after[4];
    const long calls = fall_in_touch(0, expected);
    for (long i = 1; i <= calls; ++i) {
        (void)fall_in_touch(i, after);
        if (memcmp(after, expected, sizeof expected) != 0)
            print_error("the call of memory number %ld of %ld fails: another result\n", i, calls);
        assert_memory_equal(after, expected, sizeof expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_removed_body_is_named_by_its_old_handle),
        cmocka_unit_test(a_new_body_is_not_named_instead),
        cmocka_unit_test(a_lack_of_memory_changes_nothing),
        cmocka_unit_test(a_contact_ends_at_the_second_step_apart),
        cmocka_unit_test(a_restored_world_reports_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
