/*
 * Worlds and bodies, case by case: handles, bounds, out of memory, and bad arguments of every function. (Responses:
 * test_world_response.c; against brute force: internal_world_random.c; queries: test_world_query.c.)
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

#include "math/vec.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "world/world_internal.h"
#include "world/world_log.h"

static const tact_body none = {0, 0};

/* ---- bodies ---- */

static void a_def_of_zeros_is_a_good_one(void **state)
{
    (void)state;
    tact_shape *sphere = tact_sphere(1);
    tact_world *w = tact_world_create(NULL);
    int player = 0;
    tact_body b = tact_body_create(w, &(tact_body_def){.shape = sphere, .user = &player});
    assert_true(tact_body_exists(w, b));
    assert_true(b.generation != 0);
    tact_transform place = tact_body_get_transform(w, b), identity = tact_identity();
    assert_memory_equal(&place, &identity, sizeof place);
    place = tact_body_get_previous_transform(w, b);
    assert_memory_equal(&place, &identity, sizeof place);
    assert_ptr_equal(tact_body_get_user(w, b), &player);
    assert_ptr_equal(tact_body_get_shape(w, b), sphere);
    assert_true(tact_body_get_category(w, b) == UINT64_MAX && tact_body_get_mask(w, b) == UINT64_MAX);
    assert_int_equal(tact_body_get_class(w, b), 0);
    tact_bounds bounds = tact_body_get_bounds(w, b);
    assert_true(bounds.min.x <= -1 && bounds.min.x > -1.001 && bounds.max.z >= 1 && bounds.max.z < 1.001);
    assert_int_equal(tact_world_body_count(w), 1);
    tact_shape_release(sphere); /* the world has its own reference */
    assert_int_equal(tact_world_test(w).status, TACT_OK);
    tact_world_release(w);
}

static void what_is_set_is_what_is_got(void **state)
{
    (void)state;
    tact_shape *sphere = tact_sphere(1), *brick = tact_box(1, 2, 3);
    tact_world *w = tact_world_create(NULL);
    tact_body b = body_at_x(w, sphere, 5);
    int user = 0;
    tact_motion motion = {.velocity = {1, 2, 3}, .acceleration = {0, -9.81, 0}, .spin = {0, 0, 6}};
    tact_transform place =
        tact_transform_make(tact_vec(1, 2, 3), tact_quat_from_axis_angle(tact_vec(1, 1, 0), 1), tact_vec(1, 2, -3));
    assert_int_equal(tact_body_set_transform(w, b, place), TACT_OK);
    assert_int_equal(tact_body_set_motion(w, b, motion), TACT_OK);
    assert_int_equal(tact_body_set_shape(w, b, brick), TACT_OK);
    assert_int_equal(tact_body_set_filter(w, b, 5, 0), TACT_OK);
    assert_int_equal(tact_body_set_class(w, b, 77), TACT_OK);
    assert_int_equal(tact_body_set_user(w, b, &user), TACT_OK);
    tact_transform got = tact_body_get_transform(w, b);
    tact_motion moves = tact_body_get_motion(w, b);
    assert_memory_equal(&got, &place, sizeof got);
    assert_memory_equal(&moves, &motion, sizeof moves);
    assert_ptr_equal(tact_body_get_shape(w, b), brick);
    assert_true(tact_body_get_category(w, b) == 5 && tact_body_get_mask(w, b) == UINT64_MAX);
    assert_int_equal(tact_body_get_class(w, b), 77);
    assert_ptr_equal(tact_body_get_user(w, b), &user);
    /* relative to where it is */
    assert_int_equal(tact_body_set_transform(w, b, tact_transform_translate(got, tact_vec(1, 0, 0))), TACT_OK);
    assert_true(tact_body_get_transform(w, b).origin.x == 2);
    /* the previous transform is that of the last tact_world_store_previous */
    assert_true(tact_body_get_previous_transform(w, b).origin.x == 5);
    assert_int_equal(tact_world_store_previous(w), TACT_OK);
    assert_true(tact_body_get_previous_transform(w, b).origin.x == 2);
    tact_world_release(w);
    tact_shape_release(sphere);
    tact_shape_release(brick);
}

static void stale_handles_are_recognised(void **state)
{
    (void)state;
    tact_shape *sphere = tact_sphere(1);
    tact_world *w = tact_world_create(NULL);
    tact_body kept = body_at_x(w, sphere, 0), old = body_at_x(w, sphere, 10);
    assert_int_equal(tact_body_remove(w, old), TACT_OK);
    for (int i = 0; i < 5; ++i) {
        assert_false(tact_body_exists(w, old));
        assert_int_equal(tact_body_remove(w, old), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_set_transform(w, old, tact_identity()), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_set_motion(w, old, tact_motion_still()), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_set_shape(w, old, sphere), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_set_filter(w, old, 1, 1), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_set_class(w, old, 1), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_set_user(w, old, w), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_set_contact_callback(w, old, (tact_response){0}), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_pair_set_contact_callback(w, kept, old, (tact_response){0}), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_reset_contact_callback(w, old), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_pair_reset_contact_callback(w, old, kept), TACT_BAD_ARGUMENT);
        assert_null(tact_body_get_shape(w, old));
        assert_null(tact_body_get_user(w, old));
        assert_true(tact_body_get_category(w, old) == 0);
        /* the number is given again: the old name stays that of nobody */
        assert_int_equal(tact_world_test(w).status, TACT_OK);
        tact_body next = body_at_x(w, sphere, 10);
        assert_int_equal(next.index, old.index);
        assert_false(same_body(next, old));
        assert_false(tact_body_exists(w, old));
        if (i % 2 == 0)
            assert_int_equal(tact_body_remove(w, next), TACT_OK);
        else
            assert_int_equal(tact_body_remove_many(w, &next, 1), TACT_OK);
    }
    assert_false(tact_body_exists(w, none));
    assert_false(tact_body_exists(w, (tact_body){1000, 1}));
    assert_false(tact_body_exists(w, (tact_body){UINT32_MAX, UINT32_MAX}));
    assert_int_equal(tact_world_body_count(w), 1);
    tact_world_release(w);
    tact_shape_release(sphere);
}

static void many_are_made_and_removed_all_or_none(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    tact_shape *sphere = tact_sphere(1);
    tact_world *w = tact_world_create(NULL);
    tact_body_def defs[COUNT] = {{0}};
    tact_body bodies[COUNT], before[COUNT];
    tact_report report;
    log_book book = {0};
    memset(bodies, 0x5a, sizeof bodies);
    memcpy(before, bodies, sizeof before);
    for (int i = 0; i < COUNT; ++i)
        defs[i] = (tact_body_def){.shape = sphere, .transform = tact_at(1.5 * i, 0, 0)};
    defs[70].transform.origin.y = NAN;
    assert_int_equal(tact_body_create_many(w, defs, COUNT, bodies, &report), TACT_BAD_ARGUMENT);
    assert_non_null(strstr(report.text, "body 70"));
    assert_memory_equal(bodies, before, sizeof bodies);
    assert_int_equal(tact_world_body_count(w), 0);
    defs[70].transform.origin.y = 0;
    assert_int_equal(tact_body_create_many(w, defs, COUNT, bodies, &report), TACT_OK);
    assert_int_equal(report.status, TACT_OK);
    assert_int_equal(tact_world_body_count(w), COUNT);
    assert_int_equal(tact_world_set_contact_callback(w, noting(&book, TACT_NOTHING)), TACT_OK);
    assert_int_equal(tact_world_test(w).count, COUNT - 1);

    /* iterating over all, removing every other one */
    size_t seen = 0;
    for (tact_body b = tact_world_next_body(w, none); b.generation != 0; b = tact_world_next_body(w, b))
        if (seen++ % 2 == 1)
            assert_int_equal(tact_body_remove(w, b), TACT_OK);
    assert_int_equal(seen, COUNT);
    assert_int_equal(tact_world_body_count(w), COUNT / 2);
    assert_int_equal(tact_world_test(w).count, 0);

    tact_body some[3] = {bodies[0], bodies[2], bodies[0]};
    assert_int_equal(tact_body_remove_many(w, some, 3), TACT_BAD_ARGUMENT); /* twice */
    some[2] = bodies[1];
    assert_int_equal(tact_body_remove_many(w, some, 3), TACT_BAD_ARGUMENT); /* gone */
    assert_true(tact_body_exists(w, bodies[0]) && tact_body_exists(w, bodies[2]));
    some[2] = bodies[4];
    assert_int_equal(tact_body_remove_many(w, some, 3), TACT_OK);
    assert_int_equal(tact_world_body_count(w), COUNT / 2 - 3);
    assert_int_equal(tact_body_remove_many(w, NULL, 0), TACT_OK);
    assert_int_equal(tact_body_create_many(w, NULL, 0, NULL, NULL), TACT_OK);
    tact_world_release(w);
    tact_shape_release(sphere);
}

static void bounds_of_fixed_size_hold_every_rotation(void **state)
{
    (void)state;
    random_source r = random_seed(3);
    tact_vec3 points[100];
    for (int i = 0; i < 100; ++i)
        points[i] = vec_make(random_range(&r, 1, 2), random_range(&r, -1, 2), random_range(&r, -3, 2));
    tact_shape *shapes[] = {tact_sphere(2),
                            tact_box(1, 2, 3),
                            tact_capsule(1, 4),
                            tact_cylinder(1, 3),
                            tact_cone(1, 2),
                            tact_ellipsoid(1, 2, 3),
                            tact_hull(points, 100),
                            tact_hull(points, 20),
                            tact_point(points[0]),
                            tact_triangle(points[1], points[2], points[3]),
                            NULL,
                            NULL,
                            NULL};
    shapes[10] = tact_rounded(shapes[1], 0.5);
    shapes[11] = tact_minkowski_sum(shapes[6], shapes[10]);
    shapes[12] = tact_transformed(shapes[5], tact_at(3, 4, 5));
    const double loosest = 1.8; /* sqrt 3, and a little for the margin */
    tact_world *w = tact_world_create(NULL);
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; ++s) {
        assert_non_null(shapes[s]);
        tact_body b = tact_body_create(w, &(tact_body_def){.shape = shapes[s], .rotation_invariant_bounds = true});
        tact_vec3 size = {0, 0, 0};
        double reach = 0;
        for (int i = 0; i < 200; ++i) {
            tact_quat turn = {random_range(&r, -1, 1), random_range(&r, -1, 1), random_range(&r, -1, 1), 0.1};
            double far = i < 100 ? 100.0 : 1e7;
            bool stretched = i >= 150;
            tact_vec3 scale =
                stretched ? vec_make(random_range(&r, 0.1, 3), random_range(&r, -3, -0.1), 1) : vec_make(1, 1, 1);
            tact_transform p = tact_transform_make(tact_vec(random_range(&r, -far, far), 1, 2), turn, scale);
            assert_int_equal(tact_body_set_transform(w, b, p), TACT_OK);
            tact_bounds fixed = tact_body_get_bounds(w, b), tight;
            assert_int_equal(tact_shape_bounds(shapes[s], p, &tight), TACT_OK);
            assert_true(fixed.min.x <= tight.min.x && fixed.min.y <= tight.min.y && fixed.min.z <= tight.min.z);
            assert_true(fixed.max.x >= tight.max.x && fixed.max.y >= tight.max.y && fixed.max.z >= tight.max.z);
            tact_vec3 now = vec_sub(fixed.max, fixed.min);
            if (i > 0 && i < 100)
                assert_true(vec_max_abs(vec_sub(now, size)) < 1e-4 * size.x); /* floats */
            if (i < 100) {
                size = now;
                reach = max_double(reach, max_double(tight.max.y - 1, 1 - tight.min.y));
            }
        }
        if (s != 11) /* in a Minkowski sum the margin of a part belongs to the shape without margin */
            assert_true(size.y < 2 * loosest * reach);
        assert_int_equal(tact_body_remove(w, b), TACT_OK);
    }
    tact_world_release(w);
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; ++s)
        tact_shape_release(shapes[s]);
}

/* ---- memory ---- */

/* A number that is given again and again, moved each time: it is in the list of the moved once. */
static void list_of_the_moved_does_not_overflow(void **state)
{
    (void)state;
    tact_shape *sphere = tact_sphere(1);
    tact_world *w = tact_world_create(NULL);
    for (int i = 0; i < 100; ++i) {
        tact_body b = body_at_x(w, sphere, i);
        assert_int_equal(tact_body_set_transform(w, b, tact_at(i, 1, 0)), TACT_OK);
        assert_true(w->moved.count <= w->bodies.count);
        if (i % 10 == 7) {
            assert_int_equal(tact_world_store_previous(w), TACT_OK);
            assert_true(tact_body_get_previous_transform(w, b).origin.y == 1);
        }
        assert_int_equal(tact_body_remove(w, b), TACT_OK);
        assert_int_equal(tact_world_test(w).status, TACT_OK);
    }
    assert_int_equal(w->bodies.count, 1);
    tact_world_release(w);
    tact_shape_release(sphere);
}

/* Makes and changes a world; every step may fail for lack of memory, and is then repeated. Returns the calls of the
 * last test. */
static size_t lead_a_life(failing_allocator *memory, const tact_shape *sphere, size_t *failures)
{
    tact_world *w = NULL;
    for (int i = 0; w == NULL && i < 2; ++i) {
        w = tact_world_create(
            &(tact_world_def){.allocator = failing_allocator_make(memory), .parallel = {.threads = 1}});
        *failures += w == NULL;
    }
    assert_non_null(w);
    log_book book = {0};
    tact_body bodies[30];
    tact_body_def defs[20] = {{0}};
    for (int i = 0; i < 10; ++i) {
        bodies[i] = body_at_x(w, sphere, 0.9 * i);
        if (bodies[i].generation == 0) {
            ++*failures;
            assert_int_equal(tact_world_body_count(w), i);
            bodies[i] = body_at_x(w, sphere, 0.9 * i);
        }
        assert_true(tact_body_exists(w, bodies[i]));
    }
    for (int i = 0; i < 20; ++i)
        defs[i] = (tact_body_def){.shape = sphere, .transform = tact_at(9 + 0.9 * i, 0, 0)};
    tact_status status = tact_body_create_many(w, defs, 20, bodies + 10, NULL);
    if (status != TACT_OK) {
        assert_int_equal(status, TACT_OUT_OF_MEMORY);
        assert_int_equal(tact_world_body_count(w), 10);
        ++*failures;
        assert_int_equal(tact_body_create_many(w, defs, 20, bodies + 10, NULL), TACT_OK);
    }
    assert_int_equal(tact_world_body_count(w), 30);
    (void)tact_world_set_contact_callback(w, noting(&book, TACT_NOTHING));
    for (int i = 0; i < 20; ++i) {
        tact_response response = i % 4 == 0 ? (tact_response){0} : noting(&book, TACT_WITNESS);
        for (int k = 0; k < 2; ++k) {
            status = k == 0 ? tact_pair_set_contact_callback(w, bodies[i], bodies[i + 1], response)
                            : tact_class_set_contact_callback(w, (uint32_t)i + 1, response);
            if (status != TACT_OK) {
                assert_int_equal(status, TACT_OUT_OF_MEMORY);
                ++*failures;
                status = k == 0 ? tact_pair_set_contact_callback(w, bodies[i], bodies[i + 1], response)
                                : tact_class_set_contact_callback(w, (uint32_t)i + 1, response);
                assert_int_equal(status, TACT_OK);
            }
        }
    }
    tact_count done = {TACT_OUT_OF_MEMORY, 0};
    for (int engine = 0; engine < 3; ++engine) {
        status = tact_world_set_broad_phase(w, (tact_broad_phase)engine);
        if (status != TACT_OK) {
            assert_int_equal(status, TACT_OUT_OF_MEMORY);
            ++*failures;
            assert_int_equal(tact_world_set_broad_phase(w, (tact_broad_phase)engine), TACT_OK);
        }
        for (int i = 0; i < 10; ++i) /* without memory */
            assert_int_equal(tact_body_set_transform(w, bodies[i], tact_at(0.9 * i, 0.1 * engine, 0)), TACT_OK);
        done = tact_world_test(w);
        if (done.status != TACT_OK) {
            assert_true(done.status == TACT_OUT_OF_MEMORY && done.count == 0);
            ++*failures;
            done = tact_world_test(w);
        }
        assert_int_equal(done.status, TACT_OK);
    }
    assert_int_equal(tact_body_remove_many(w, bodies, 30), TACT_OK);
    tact_world_release(w);
    assert_int_equal(memory->held, 0);
    return done.count;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    tact_shape *sphere = tact_sphere(1);
    failing_allocator memory = {0};
    size_t failures = 0, calls = lead_a_life(&memory, sphere, &failures);
    long allocations = memory.calls;
    assert_true(failures == 0 && calls > 20 && allocations > 20);
    long reported = 0;
    for (long fail = 1; fail <= allocations; ++fail) {
        memory = (failing_allocator){.fail_at = fail};
        failures = 0;
        assert_int_equal(lead_a_life(&memory, sphere, &failures), calls);
        assert_true(failures <= 1); /* none where it can do without: AUTO keeps the engine that it has */
        reported += (long)failures;
    }
    assert_true(reported > allocations * 9 / 10);
    tact_shape_release(sphere);
}

static void steady_state_takes_no_memory(void **state)
{
    (void)state;
    tact_shape *sphere = tact_sphere(0.7);
    for (int engine = 0; engine < 3; ++engine) {
        failing_allocator memory = {0};
        tact_world *w = tact_world_create(&(tact_world_def){.broad_phase = (tact_broad_phase)engine,
                                                            .allocator = failing_allocator_make(&memory),
                                                            .parallel = {.threads = 1}});
        log_book book = {0};
        tact_body bodies[100];
        for (int i = 0; i < 100; ++i)
            bodies[i] = body_at_x(w, sphere, i);
        (void)tact_world_set_contact_callback(w, noting(&book, TACT_CONTACTS));
        long before = 0;
        for (int frame = 0; frame < 200; ++frame) {
            for (int i = 0; i < 100; ++i) /* sways */
                (void)tact_body_set_transform(w, bodies[i], tact_at(i + 0.3 * sin(0.2 * frame + i), 0, 0));
            (void)tact_body_remove(w, bodies[frame % 100]);
            bodies[frame % 100] = body_at_x(w, sphere, frame % 100);
            assert_int_equal(tact_world_test(w).status, TACT_OK);
            assert_int_equal(tact_world_store_previous(w), TACT_OK);
            if (frame == 100)
                before = memory.calls;
        }
        /* AUTO may have changed its engine */
        if (engine != TACT_BROAD_AUTO)
            assert_int_equal(memory.calls, before);
        assert_true(book.calls > 1000);
        tact_world_release(w);
    }
    tact_shape_release(sphere);
}

/* ---- garbage ---- */

static void garbage_is_refused(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e200, -1e308};
    tact_shape *sphere = tact_sphere(1), *huge = tact_sphere(1e149);
    tact_world *w = tact_world_create(NULL);
    log_book book = {0};
    tact_report report;
    const double bad_steps[] = {NAN, INFINITY, -1.0, 1e-101, 5e-324}; /* as for tact_world_set_contact_step */
    for (size_t i = 0; i < sizeof bad_steps / sizeof bad_steps[0]; ++i) {
        assert_null(tact_world_create(&(tact_world_def){.contact_step = bad_steps[i]}));
        assert_int_equal(tact_world_set_contact_step(w, bad_steps[i]), TACT_BAD_ARGUMENT);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
        assert_null(tact_world_create(&(tact_world_def){.gravity = {0, bad[i], 0}}));
    for (int fixed = 0; fixed < 2; ++fixed) {
        tact_body good = tact_body_create(w, &(tact_body_def){.shape = sphere, .rotation_invariant_bounds = fixed});
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
            for (int member = 0; member < 12; ++member) {
                tact_transform p = tact_identity();
                double numbers[12];
                memcpy(numbers, &p, sizeof numbers);
                numbers[member] = bad[i];
                memcpy(&p, numbers, sizeof p);
                tact_body_def def = {.shape = sphere, .transform = p, .rotation_invariant_bounds = fixed};
                assert_true(same_body(tact_body_create(w, &def), none));
                assert_int_equal(tact_body_create_many(w, &def, 1, &(tact_body){0}, &report), TACT_BAD_ARGUMENT);
                assert_true(report.text[0] != '\0');
                assert_int_equal(tact_body_set_transform(w, good, p), TACT_BAD_ARGUMENT);
                if (fabs(bad[i]) < INFINITY)
                    continue;
                tact_motion m = {0};
                double parts[12] = {0};
                parts[member % 12] = bad[i];
                memcpy(&m, parts, sizeof m);
                def = (tact_body_def){.shape = sphere, .motion = m};
                assert_true(same_body(tact_body_create(w, &def), none));
                assert_int_equal(tact_body_set_motion(w, good, m), TACT_BAD_ARGUMENT);
            }
        tact_transform flat = tact_identity();
        flat.z_axis = tact_vec(1, 1, 0);
        assert_int_equal(tact_body_set_transform(w, good, flat), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_set_transform(w, good, (tact_transform){{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}),
                         TACT_BAD_ARGUMENT);
        flat.x_axis = flat.y_axis = flat.z_axis = tact_vec(0, 0, 0);
        flat.origin.x = 1;
        assert_true(same_body(tact_body_create(w, &(tact_body_def){.shape = sphere, .transform = flat}), none));
        tact_transform place = tact_body_get_transform(w, good), identity = tact_identity();
        assert_memory_equal(&place, &identity, sizeof place); /* a failed call changes nothing */
        assert_int_equal(tact_body_set_shape(w, good, NULL), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_set_transform(w, good, tact_transform_scale(identity, tact_vec(100, 100, 100))),
                         TACT_OK);
        assert_int_equal(tact_body_set_shape(w, good, huge), TACT_BAD_ARGUMENT);
        assert_ptr_equal(tact_body_get_shape(w, good), sphere);
        assert_int_equal(tact_body_set_transform(w, good, identity), TACT_OK);
        assert_int_equal(tact_body_set_shape(w, good, huge), TACT_OK);
        assert_int_equal(tact_body_remove(w, good), TACT_OK);
    }
    assert_true(same_body(tact_body_create(w, &(tact_body_def){.shape = NULL}), none));
    assert_true(same_body(tact_body_create(w, NULL), none));
    assert_true(same_body(tact_body_create(NULL, &(tact_body_def){.shape = sphere}), none));
    assert_int_equal(tact_body_create_many(w, NULL, 1, &(tact_body){0}, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_create_many(w, &(tact_body_def){.shape = sphere}, 1, NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_remove_many(w, NULL, 1), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_body_count(w), 0);

    tact_body a = body_at_x(w, sphere, 0), b = body_at_x(w, sphere, 1);
    tact_response responses[] = {noting(&book, (tact_want)99), noting(&book, TACT_CONTACTS),
                                 noting(&book, TACT_CONTACTS), noting(&book, TACT_CONTACTS)};
    responses[1].max_separation = -1;
    responses[2].max_separation = NAN;
    responses[3].max_separation = INFINITY;
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(tact_world_set_contact_callback(w, responses[i]), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_class_set_contact_callback(w, 1, responses[i]), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_classes_set_contact_callback(w, 1, 1, responses[i]), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_set_contact_callback(w, a, responses[i]), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_pair_set_contact_callback(w, a, b, responses[i]), TACT_BAD_ARGUMENT);
    }
    tact_response fine = noting(&book, TACT_NOTHING);
    assert_int_equal(tact_class_set_contact_callback(w, 0, fine), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_classes_set_contact_callback(w, 0, 1, fine), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_classes_set_contact_callback(w, 1, 0, fine), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_class_reset_contact_callback(w, 0), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_classes_reset_contact_callback(w, 0, 0), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_class_reset_contact_callback(w, 5), TACT_OK); /* which was not set */
    assert_int_equal(tact_pair_set_contact_callback(w, a, none, fine), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_test(w).count, 0);

    assert_null(tact_world_create(&(tact_world_def){.broad_phase = (tact_broad_phase)17}));
    assert_int_equal(tact_world_set_broad_phase(w, (tact_broad_phase)-1), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_set_broad_phase(NULL, TACT_BROAD_AUTO), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_set_caching(NULL, true), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_test(NULL).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_store_previous(NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_set_contact_callback(NULL, fine), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_class_set_contact_callback(NULL, 1, fine), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_contact_callback(NULL, a, fine), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_pair_set_contact_callback(NULL, a, b, fine), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_transform(NULL, a, tact_identity()), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_remove(NULL, a), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_body_count(NULL), 0);
    assert_true(same_body(tact_world_next_body(NULL, none), none));
    tact_world_release(NULL);
    tact_world_release(w);
    tact_shape_release(sphere);
    tact_shape_release(huge);
}

/* Bodies beyond the floats, next to each other and tiny: boxes lose their digits, contacts must not. */
static void extreme_sizes_touch_as_they_should(void **state)
{
    (void)state;
    const double sizes[] = {1e-120, 1e-50, 1e-30, 1.0, 1e30, 1e50, 1e120};
    tact_shape *sphere = tact_sphere(1);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
        for (int engine = 0; engine < 3; ++engine) {
            double s = sizes[i];
            tact_world *w = tact_world_create(&(tact_world_def){.broad_phase = (tact_broad_phase)engine});
            log_book book = {0};
            tact_transform p = tact_transform_scale(tact_identity(), tact_vec(s, s, s));
            (void)tact_body_create(w, &(tact_body_def){.shape = sphere, .transform = p});
            tact_body b = tact_body_create(
                w,
                &(tact_body_def){.shape = sphere, .transform = tact_transform_translate(p, tact_vec(1.9 * s, 0, 0))});
            (void)tact_world_set_contact_callback(w, noting(&book, TACT_WITNESS));
            assert_int_equal(tact_world_test(w).count, 1);
            assert_int_equal(tact_body_set_transform(w, b, tact_transform_translate(p, tact_vec(2.1 * s, 0, 0))),
                             TACT_OK);
            assert_int_equal(tact_world_test(w).count, 0);
            tact_world_release(w);
        }
    tact_shape_release(sphere);
}

typedef struct end_of_all {
    tact_world *world;
    int calls;
} end_of_all;

static void give_up_the_world(void *context, const tact_contact *contact)
{
    end_of_all *end = context;
    (void)contact;
    end->calls++;
    tact_world_release(end->world);
}

static void response_may_give_up_the_world(void **state)
{
    (void)state;
    tact_shape *sphere = tact_sphere(1.0);
    end_of_all end = {tact_world_create(NULL), 0};
    assert_non_null(end.world);
    for (int i = 0; i < 4; i++)
        assert_true(tact_body_create(end.world, &(tact_body_def){.shape = sphere}).generation != 0);
    tact_world_set_contact_callback(end.world, (tact_response){.callback = give_up_the_world, .context = &end});
    tact_count count = tact_world_test(end.world); /* released: sanitizers and valgrind would report any further use */
    assert_int_equal(count.status, TACT_OK);
    assert_int_equal(count.count, 1);
    assert_int_equal(end.calls, 1);
    tact_shape_release(sphere);
}

/* What a world was asked to do can be asked of it; what was refused has changed nothing, and a restored world has it
 * too. */
static void settings_are_returned(void **state)
{
    (void)state;
    assert_int_equal(tact_world_get_broad_phase(NULL), TACT_BROAD_AUTO);
    assert_int_equal(tact_world_get_kinetic(NULL), TACT_KINETIC_AUTO);
    assert_false(tact_world_get_caching(NULL));
    assert_true(tact_world_get_contact_step(NULL) == 0.0);
    tact_world *w = tact_world_create(NULL);
    assert_int_equal(tact_world_get_broad_phase(w), TACT_BROAD_AUTO);
    assert_int_equal(tact_world_get_kinetic(w), TACT_KINETIC_AUTO);
    assert_true(tact_world_get_caching(w) && tact_world_get_contact_step(w) == 1.0 / 60.0);
    tact_world_release(w);
    const tact_world_def def = {
        .broad_phase = TACT_BROAD_TREE, .kinetic = TACT_KINETIC_SWEEP_AND_PRUNE, .uncached = true};
    w = tact_world_create(&def);
    for (int turn = 0; turn < 2; ++turn) {
        assert_int_equal(tact_world_get_broad_phase(w), turn == 0 ? TACT_BROAD_TREE : TACT_BROAD_SWEEP_AND_PRUNE);
        assert_int_equal(tact_world_get_kinetic(w), turn == 0 ? TACT_KINETIC_SWEEP_AND_PRUNE : TACT_KINETIC_FAT_BOUNDS);
        assert_true(tact_world_get_caching(w) == (turn == 1) &&
                    tact_world_get_contact_step(w) == (turn == 0 ? 1.0 / 60.0 : 0.25));
        assert_int_equal(tact_world_set_broad_phase(w, TACT_BROAD_SWEEP_AND_PRUNE), TACT_OK);
        assert_int_equal(tact_world_set_kinetic(w, TACT_KINETIC_FAT_BOUNDS), TACT_OK);
        assert_int_equal(tact_world_set_caching(w, true), TACT_OK);
        assert_int_equal(tact_world_set_contact_step(w, 0.25), TACT_OK);
        assert_int_equal(tact_world_set_broad_phase(w, (tact_broad_phase)9), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_world_set_kinetic(w, (tact_kinetic)9), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_world_set_contact_step(w, NAN), TACT_BAD_ARGUMENT);
    }
    tact_bytes bytes = {0};
    assert_int_equal(tact_world_save(w, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
    tact_world *again = tact_world_restore(bytes.data, bytes.size, NULL, NULL);
    assert_non_null(again);
    assert_int_equal(tact_world_get_broad_phase(again), TACT_BROAD_SWEEP_AND_PRUNE);
    assert_int_equal(tact_world_get_kinetic(again), TACT_KINETIC_FAT_BOUNDS);
    assert_true(tact_world_get_caching(again) && tact_world_get_contact_step(again) == 0.25);
    tact_bytes_release(&bytes);
    tact_world_release(again);
    tact_world_release(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_returned),
        cmocka_unit_test(a_def_of_zeros_is_a_good_one),
        cmocka_unit_test(what_is_set_is_what_is_got),
        cmocka_unit_test(stale_handles_are_recognised),
        cmocka_unit_test(many_are_made_and_removed_all_or_none),
        cmocka_unit_test(bounds_of_fixed_size_hold_every_rotation),
        cmocka_unit_test(response_may_give_up_the_world),
        cmocka_unit_test(list_of_the_moved_does_not_overflow),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(steady_state_takes_no_memory),
        cmocka_unit_test(garbage_is_refused),
        cmocka_unit_test(extreme_sizes_touch_as_they_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
