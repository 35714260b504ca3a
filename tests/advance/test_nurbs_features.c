/*
 * Feature events of NURBS bodies whose control points move, by the public API: which bodies have them, where they are
 * on the surface, jumps, changes of the cells, recordings and failed allocations. internal_nurbs_features compares
 * random scenes with an exact oracle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tact/tact.h>

#include "support/failing_allocator.h"

enum { ROWS = 4, POINTS = ROWS * ROWS };

static const double knots[8] = {0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0};

/* A flat bicubic sheet over [-1, 1]^2: u along x, v along y. */
static void sheet_points(tact_vec3 *points, double z)
{
    for (int i = 0; i < POINTS; i++)
        points[i] = (tact_vec3){i / ROWS * 2.0 / (ROWS - 1) - 1.0, i % ROWS * 2.0 / (ROWS - 1) - 1.0, z};
}

static tact_shape *sheet_shape(double tolerance, const tact_allocator *allocator)
{
    tact_vec3 points[POINTS];
    sheet_points(points, 0.0);
    tact_nurbs_def def = {
        .degree = {3, 3}, .counts = {ROWS, ROWS}, .knots = {knots, knots}, .points = points, .tolerance = tolerance};
    if (allocator != NULL)
        def.allocator = *allocator;
    return tact_nurbs_create(&def, 1, NULL);
}

static tact_body add(tact_world *world, tact_shape *shape, bool deformable, tact_transform at)
{
    const tact_body body =
        tact_body_create(world, &(tact_body_def){.shape = shape, .deformable = deformable, .transform = at});
    tact_shape_release(shape);
    return body;
}

static tact_body add_sheet(tact_world *world, bool features)
{
    const tact_body sheet = add(world, sheet_shape(0.05, NULL), true, tact_identity());
    assert_int_equal(tact_body_set_feature_events(world, sheet, features), TACT_OK);
    return sheet;
}

/* A triangle above the sheet that points down, at (x, y, z). */
static tact_shape *spike(double x, double y, double z)
{
    const tact_vec3 v[3] = {{x, y, z}, {x - 0.1, y, z + 1.0}, {x + 0.1, y, z + 1.0}};
    return tact_mesh(v, 3, (const uint32_t[3]){0, 1, 2}, 1);
}

static void set_velocity(tact_world *world, tact_body sheet, double z)
{
    tact_vec3 velocities[POINTS];
    for (int i = 0; i < POINTS; i++)
        velocities[i] = (tact_vec3){0.0, 0.0, z};
    assert_int_equal(tact_body_set_vertex_motion(world, sheet, &(tact_vertex_motion){.velocities = velocities}),
                     TACT_OK);
}

/* The tip of a rigid spike touches the rising sheet: a touch, and then the contact of the tip and a face. */
static void a_spike_touches_at_its_place(void **state)
{
    (void)state;
    for (int deformable = 0; deformable < 2; deformable++) {
        tact_world *world = tact_world_create(NULL);
        const tact_body sheet = add_sheet(world, true);
        const tact_body tip = add(world, spike(0.23, -0.61, 1.0), deformable != 0, tact_identity());
        const tact_vec3 still[3] = {{0.0, 0.0, 0.0}};
        if (deformable != 0)
            assert_int_equal(tact_body_set_vertex_motion(world, tip, &(tact_vertex_motion){.velocities = still}),
                             TACT_OK);
        set_velocity(world, sheet, 0.5);
        tact_event e;
        assert_int_equal(tact_world_next_event(world, 3.0, &e), TACT_EVENT_TOUCH);
        assert_true(e.time <= 2.0 && e.time >= 2.0 - 0.2);
        assert_true(e.features.location_a.on_surface && !e.features.location_b.on_surface);
        assert_true(fabs(2.0 * e.features.location_a.u - 1.0 - 0.23) < 0.1 &&
                    fabs(2.0 * e.features.location_a.v - 1.0 + 0.61) < 0.1);
        int faces = 0;
        while (tact_world_next_event(world, 3.0, &e) == TACT_EVENT_FEATURES) {
            if (e.features.kind != TACT_VERTEX_FACE || e.a.index != tip.index || e.features.a != 0)
                continue;
            faces++;
            assert_true(fabs(e.time - 2.0) < 1e-12);
            assert_true(e.features.location_b.on_surface && !e.features.location_a.on_surface);
            assert_true(fabs(2.0 * e.features.location_b.u - 1.0 - 0.23) < 1e-12 &&
                        fabs(2.0 * e.features.location_b.v - 1.0 + 0.61) < 1e-12);
            assert_int_equal(e.features.location_b.surface, 0);
            assert_int_equal(e.features.part_b.face, e.features.b);
            assert_true(fabs(e.normal.z) > 0.99);
        }
        assert_int_equal(faces, 1);
        assert_int_equal(e.status, TACT_OK);
        tact_world_release(world);
    }
}

/* A NURBS body has feature events if it asks for them itself. */
static void both_kinds_of_bodies_ask(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    const tact_body sheet = add_sheet(world, false), tip = add(world, spike(0.2, 0.3, 1.0), false, tact_identity());
    assert_int_equal(tact_body_set_feature_events(world, tip, true), TACT_OK);
    set_velocity(world, sheet, 1.0);
    tact_event e;
    assert_int_equal(tact_world_next_event(world, 1.2, &e), TACT_EVENT_TOUCH);
    assert_int_equal(tact_world_next_event(world, 1.2, &e), TACT_EVENT_NONE);
    /* from now on: the surfaces are in contact already, and the edges of the spike cross other edges later */
    assert_int_equal(tact_body_set_feature_events(world, sheet, true), TACT_OK);
    int features = 0;
    tact_vec3 velocities[POINTS];
    for (int i = 0; i < POINTS; i++)
        velocities[i] = (tact_vec3){0.5, 0.3, 0.0};
    assert_int_equal(tact_body_set_vertex_motion(world, sheet, &(tact_vertex_motion){.velocities = velocities}),
                     TACT_OK);
    for (; tact_world_next_event(world, 2.0, &e) != TACT_EVENT_NONE;)
        features += e.kind == TACT_EVENT_FEATURES;
    assert_true(features > 0);
    assert_int_equal(tact_body_set_feature_events(world, sheet, false), TACT_OK);
    assert_int_equal(tact_world_next_event(world, 3.0, &e), TACT_EVENT_NONE);
    assert_int_equal(e.status, TACT_OK);
    tact_world_release(world);
}

/* A NURBS shape of a rigid body has feature events with moving vertices that ask for them. */
static void rigid_surfaces_take_part(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    const tact_body sheet = add(world, sheet_shape(0.05, NULL), false, tact_identity()),
                    tip = add(world, spike(0.2, 0.3, 1.0), true, tact_identity());
    const tact_vec3 down[3] = {{0.0, 0.0, -1.0}, {0.0, 0.0, -1.0}, {0.0, 0.0, -1.0}};
    assert_int_equal(tact_body_set_feature_events(world, tip, true), TACT_OK);
    assert_int_equal(tact_body_set_vertex_motion(world, tip, &(tact_vertex_motion){.velocities = down}), TACT_OK);
    tact_event e;
    assert_int_equal(tact_world_next_event(world, 1.5, &e), TACT_EVENT_TOUCH);
    assert_true(e.time < 1.0);
    assert_int_equal(tact_world_next_event(world, 1.5, &e), TACT_EVENT_FEATURES);
    assert_true(fabs(e.time - 1.0) < 1e-12 && e.a.index == tip.index && e.b.index == sheet.index);
    assert_true(e.features.location_b.on_surface);
    assert_true(fabs(2.0 * e.features.location_b.u - 1.2) < 1e-12 && fabs(2.0 * e.features.location_b.v - 1.3) < 1e-12);
    tact_world_release(world);
}

/* Control points that jump over a spike: the contacts on the way are reported at that time. */
static void jumps_are_swept(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    const tact_body sheet = add_sheet(world, true), tip = add(world, spike(0.2, 0.3, 1.0), false, tact_identity());
    set_velocity(world, sheet, 0.1);
    tact_event e;
    assert_int_equal(tact_world_next_event(world, 1.0, &e), TACT_EVENT_NONE);
    tact_vec3 over[POINTS];
    sheet_points(over, 5.0); /* the spike ends at 2 */
    assert_int_equal(tact_body_set_vertex_motion(world, sheet, &(tact_vertex_motion){.positions = over}), TACT_OK);
    int touches = 0, tips = 0;
    while (tact_world_next_event(world, 2.0, &e) != TACT_EVENT_NONE) {
        assert_true(e.time == 1.0);
        touches += e.kind == TACT_EVENT_TOUCH;
        tips += e.kind == TACT_EVENT_FEATURES && e.features.kind == TACT_VERTEX_FACE && e.a.index == tip.index;
    }
    assert_int_equal(touches, 1);
    assert_int_equal(tips, 3); /* its three vertices */
    tact_world_release(world);
}

/* The sheet rolls up and meets itself. Its cells are divided on the way. */
static void roll_up(tact_vec3 *points, double turn)
{
    for (int i = 0; i < POINTS; i++) {
        const double s = i / ROWS * 2.0 / (ROWS - 1) - 1.0, y = i % ROWS * 2.0 / (ROWS - 1) - 1.0;
        points[i] = (tact_vec3){s * (1.0 - 1.3 * turn), y, turn * (3.0 * s * s - (i / ROWS == 0 ? 0.6 : 0.0))};
    }
}

static int self_contacts(tact_world *world, tact_body sheet, double until, int *touches)
{
    int count = 0;
    for (tact_event e; tact_world_next_event(world, until, &e) != TACT_EVENT_NONE;) {
        if (e.kind == TACT_EVENT_TOUCH) {
            ++*touches;
            continue;
        }
        if (e.a.index == sheet.index && e.b.index == sheet.index) {
            count++;
            assert_true(e.features.location_a.on_surface && e.features.location_b.on_surface);
            /* the two sides of the roll */
            assert_true((e.features.location_a.u < 0.5) != (e.features.location_b.u < 0.5));
        }
    }
    return count;
}

static void a_sheet_meets_itself(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    const tact_body sheet = add_sheet(world, true);
    assert_int_equal(tact_body_set_self_collision(world, sheet, true), TACT_OK);
    int touches = 0;
    tact_vec3 targets[POINTS];
    int count = 0;
    for (int part = 1; part <= 4; part++) {
        roll_up(targets, 0.25 * part);
        assert_int_equal(
            tact_body_set_vertex_motion(world, sheet, &(tact_vertex_motion){.targets = targets, .end_time = part}),
            TACT_OK);
        count += self_contacts(world, sheet, part, &touches);
        assert_true(part > 2 || count == 0);
    }
    assert_true(count > 3);
    assert_int_equal(touches, 0);
    assert_int_equal(tact_body_stop_vertices(world, sheet), TACT_OK);
    tact_world_release(world);
}

/* ---- recordings ---- */

static void recordings_are_replayed(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    const tact_body sheet = add_sheet(world, true);
    assert_int_equal(tact_body_set_self_collision(world, sheet, true), TACT_OK);
    (void)add(world, spike(0.1, 0.3, 1.0), false, tact_identity());
    tact_vec3 targets[POINTS];
    roll_up(targets, 0.6);
    assert_int_equal(
        tact_body_set_vertex_motion(world, sheet, &(tact_vertex_motion){.targets = targets, .end_time = 1.0}), TACT_OK);
    int touches = 0;
    (void)self_contacts(world, sheet, 0.4, &touches);
    tact_bytes bytes = {0};
    tact_report report;
    tact_record *record = tact_record_begin(world, tact_bytes_sink(&bytes), NULL, &report);
    assert_non_null(record);
    int count = self_contacts(world, sheet, 1.0, &touches);
    roll_up(targets, 1.0);
    assert_int_equal(
        tact_body_set_vertex_motion(world, sheet, &(tact_vertex_motion){.targets = targets, .end_time = 2.0}), TACT_OK);
    count += self_contacts(world, sheet, 1.5, &touches);
    sheet_points(targets, 3.0);
    assert_int_equal(tact_body_move_control_points(world, sheet, 0, POINTS, targets), TACT_OK);
    count += self_contacts(world, sheet, 2.5, &touches);
    assert_true(count > 3 && touches > 0);
    assert_int_equal(tact_record_end(record, &report), TACT_OK);
    tact_world_release(world);
    tact_replay *replay = tact_replay_begin(bytes.data, bytes.size, NULL, &report);
    assert_non_null(replay);
    const tact_replay_state end = tact_replay_run(replay, &report);
    if (end != TACT_REPLAY_END)
        print_error("%s\n", report.text);
    assert_int_equal(end, TACT_REPLAY_END);
    tact_replay_release(replay);
    tact_bytes_release(&bytes);
}

/* ---- memory ---- */

/* A sheet that rolls up in two pieces, meets itself and a mesh, and is saved and restored. Returns the number of
 * feature events, or -1 if the bodies could not be made. */
static int run_scene(const tact_allocator *allocator)
{
    tact_world *world = tact_world_create(&(tact_world_def){.allocator = *allocator});
    tact_shape *surface = sheet_shape(0.4, allocator), *tip = spike(0.1, 0.3, 0.5);
    int events = -1;
    tact_bytes bytes = {0};
    if (world == NULL || surface == NULL)
        goto done;
    const tact_body sheet =
        tact_body_create(world, &(tact_body_def){.shape = surface, .deformable = true, .self_collision = true});
    const tact_body other = tact_body_create(world, &(tact_body_def){.shape = tip});
    if (sheet.generation == 0 || other.generation == 0)
        goto done;
    assert_int_equal(tact_body_set_feature_events(world, sheet, true), TACT_OK);
    events = 0;
    for (int part = 1; part <= 2; part++) {
        tact_vec3 targets[POINTS];
        roll_up(targets, 0.5 * part);
        tact_status status = TACT_OUT_OF_MEMORY;
        while (status != TACT_OK) {
            status =
                tact_body_set_vertex_motion(world, sheet, &(tact_vertex_motion){.targets = targets, .end_time = part});
            assert_true(status == TACT_OK || status == TACT_OUT_OF_MEMORY);
        }
        for (int half = 0; half < 2; half++) {
            for (tact_event e;;) {
                const tact_event_kind kind = tact_world_next_event(world, part - 0.5 + 0.5 * half, &e);
                assert_true(e.status == TACT_OK || e.status == TACT_OUT_OF_MEMORY);
                if (kind == TACT_EVENT_NONE && e.status == TACT_OK)
                    break;
                events += kind == TACT_EVENT_FEATURES;
            }
            if (half != 0)
                continue;
            tact_world *restored = NULL;
            while (restored == NULL) {
                bytes.size = 0;
                tact_report report;
                const tact_record_def def = {.allocator = *allocator};
                if (tact_world_save(world, tact_bytes_sink(&bytes), &def, &report) == TACT_OK)
                    restored = tact_world_restore(bytes.data, bytes.size, &def, &report);
                assert_true(restored != NULL || report.status == TACT_OUT_OF_MEMORY);
            }
            tact_world_release(world);
            world = restored;
        }
    }
done:
    tact_bytes_release(&bytes);
    tact_shape_release(surface);
    tact_shape_release(tip);
    tact_world_release(world);
    return events;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    failing_allocator memory = {0};
    tact_allocator allocator = failing_allocator_make(&memory);
    const int expected = run_scene(&allocator);
    assert_true(expected > 5);
    assert_int_equal(memory.held, 0);
    const long calls = memory.calls;
    int complete = 0;
    for (long i = 1; i <= calls; i = next_failure(i)) {
        memory = (failing_allocator){.fail_at = i};
        allocator = failing_allocator_make(&memory);
        const int events = run_scene(&allocator);
        assert_int_equal(memory.held, 0);
        if (events >= 0 && events != expected)
            print_error("allocation %ld: %d events instead of %d\n", i, events, expected);
        assert_true(events < 0 || events == expected);
        complete += events >= 0;
    }
    assert_true(quick_form() || complete > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spike_touches_at_its_place), cmocka_unit_test(both_kinds_of_bodies_ask),
        cmocka_unit_test(rigid_surfaces_take_part),     cmocka_unit_test(jumps_are_swept),
        cmocka_unit_test(a_sheet_meets_itself),         cmocka_unit_test(recordings_are_replayed),
        cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
