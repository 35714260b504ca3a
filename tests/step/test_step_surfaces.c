/*
 * Steps with NURBS bodies whose control points move: they are obstacles that deform. Contacts with a mesh at known
 * times; a cloth on a sheet that waves, over many steps in which the cells of the sheet change; steps that are
 * shortened; failed allocations. The oracle evaluates the surface at its control points.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <tact/tact.h>

#include "support/failing_allocator.h"
#include "support/random.h"

enum { SIDE = 6, POINTS = SIDE * SIDE, GRID = 9, VERTICES = GRID * GRID, TRIANGLES = 2 * (GRID - 1) * (GRID - 1) };

static const double knots[SIDE + 4] = {0, 0, 0, 0, 1, 2, 3, 3, 3, 3};

/* Control points over [-1, 1]^2, at the places where the basis functions are centred: x and z are linear in u and v. */
static void sheet_points(double amplitude, double phase, tact_vec3 *points)
{
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++) {
            const double x = 2.0 * (knots[i + 1] + knots[i + 2] + knots[i + 3]) / 9.0 - 1.0,
                         z = 2.0 * (knots[k + 1] + knots[k + 2] + knots[k + 3]) / 9.0 - 1.0;
            points[SIDE * i + k] = (tact_vec3){x, amplitude * sin(2.5 * x + 0.7 * z + phase), z};
        }
}

static tact_nurbs_def sheet_def(const tact_vec3 *points, double tolerance)
{
    return (tact_nurbs_def){
        .degree = {3, 3}, .counts = {SIDE, SIDE}, .knots = {knots, knots}, .points = points, .tolerance = tolerance};
}

static double height_at(const tact_vec3 *points, double x, double z)
{
    const tact_nurbs_def def = sheet_def(points, 0.0);
    tact_vec3 out;
    assert_int_equal(tact_nurbs_evaluate(&def, 1.5 * (x + 1.0), 1.5 * (z + 1.0), 0, &out), TACT_OK);
    return out.y;
}

static tact_body add_sheet(tact_world *world, const tact_vec3 *points, double tolerance)
{
    const tact_nurbs_def def = sheet_def(points, tolerance);
    tact_shape *shape = tact_nurbs(&def);
    assert_non_null(shape);
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = shape, .deformable = true});
    tact_shape_release(shape);
    return body;
}

static tact_body add_cloth(tact_world *world, tact_vec3 *vertices, double y)
{
    uint32_t indices[3 * TRIANGLES];
    size_t n = 0;
    for (uint32_t i = 0; i < GRID; i++)
        for (uint32_t k = 0; k < GRID; k++) {
            vertices[GRID * i + k] = (tact_vec3){1.3 * i / (GRID - 1) - 0.63, y, 1.3 * k / (GRID - 1) - 0.66};
            if (i + 1 == GRID || k + 1 == GRID)
                continue;
            const uint32_t a = GRID * i + k, quad[6] = {a, a + 1, a + GRID, a + 1, a + GRID + 1, a + GRID};
            memcpy(indices + n, quad, sizeof quad);
            n += 6;
        }
    tact_shape *shape = tact_mesh(vertices, VERTICES, indices, TRIANGLES);
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = shape, .deformable = true});
    tact_shape_release(shape);
    return body;
}

/* A flat sheet rises through a triangle at rest, and through a sphere and another NURBS sheet, which do not count. */
static void contacts_are_at_their_times(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    tact_vec3 from[POINTS], to[POINTS], other[POINTS];
    sheet_points(0.0, 0.0, from);
    for (int i = 0; i < POINTS; i++) {
        to[i] = other[i] = from[i];
        to[i].y = 1.0;
        other[i].y = 0.7;
    }
    const tact_body sheet = add_sheet(world, from, 0.05);
    (void)add_sheet(world, other, 0.05);
    tact_shape *ball = tact_sphere(0.2);
    (void)tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(0.5, 0.6, 0.5)});
    tact_shape_release(ball);
    tact_vec3 at[3] = {{-0.31, 0.25, 0.17}, {0.1, 0.45, 0.2}, {-0.2, 0.6, -0.3}}, rest[3];
    memcpy(rest, at, sizeof at);
    tact_shape *triangle = tact_mesh(at, 3, (const uint32_t[3]){0, 1, 2}, 1);
    const tact_body mesh = tact_body_create(world, &(tact_body_def){.shape = triangle, .deformable = true});
    tact_shape_release(triangle);
    assert_int_equal(tact_body_set_step_positions(world, mesh, at, rest), TACT_OK);
    assert_int_equal(tact_body_set_step_positions(world, sheet, from, to), TACT_OK);
    const tact_step_limit limit = tact_step_find_limit(world, NULL);
    assert_int_equal(limit.status, TACT_OK);
    assert_true(limit.time <= 0.25 && limit.time > 0.25 - 1e-9 && limit.first.a.index == mesh.index &&
                limit.first.b.index == sheet.index && limit.first.vertices[0] == 0);
    const tact_feature_contacts all = tact_step_find_contacts(world, NULL);
    assert_int_equal(all.status, TACT_OK);
    int corners[3] = {0, 0, 0};
    const double times[3] = {0.25, 0.45, 0.6};
    for (size_t i = 0; i < all.count; i++)
        if (all.items[i].kind == TACT_VERTEX_FACE && all.items[i].a.index == mesh.index) {
            const uint32_t v = all.items[i].vertices[0];
            corners[v]++;
            assert_true(fabs(all.items[i].ccd.lower - times[v]) < 1e-9);
        }
    assert_true(corners[0] > 0 && corners[1] > 0 && corners[2] > 0);
    /* bad input, and no positions: an obstacle again, in its present shape */
    assert_int_equal(tact_body_set_step_positions(world, sheet, from, NULL), TACT_BAD_ARGUMENT);
    to[3].x = NAN;
    assert_int_equal(tact_body_set_step_positions(world, sheet, from, to), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_inverse_vertex_masses(world, sheet, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_step_find_contacts(world, NULL).count, all.count);
    assert_int_equal(tact_body_set_step_positions(world, sheet, NULL, NULL), TACT_OK);
    assert_int_equal(tact_step_find_contacts(world, NULL).count, 0);
    tact_world_release(world);
}

/* A cloth falls on a sheet whose waves grow and wander, with friction. It stays above the surface, up to the tolerance
 * of the triangles. Every step begins free of contact, also where cells have been divided. */
static void a_cloth_lies_on_a_waving_sheet(void **state)
{
    (void)state;
    enum { STEPS = 60 };
    const double tolerance = 0.01;
    tact_world *world = tact_world_create(NULL);
    tact_vec3 points[2][POINTS], vertices[2][VERTICES], velocity[VERTICES];
    sheet_points(0.0, 0.0, points[0]);
    memset(velocity, 0, sizeof velocity);
    const tact_body sheet = add_sheet(world, points[0], tolerance), cloth = add_cloth(world, vertices[0], 0.1);
    size_t contacts = 0;
    double nearest = INFINITY;
    for (int n = 0; n < STEPS; n++) {
        tact_vec3 *const from = points[0], *const to = points[1];
        sheet_points(0.25 * (n + 1) / STEPS, 0.05 * n, to);
        for (int i = 0; i < VERTICES; i++) {
            velocity[i].y -= 9.81 / 60.0;
            vertices[1][i] = vertices[0][i];
            vertices[1][i].y += velocity[i].y / 60.0;
        }
        assert_int_equal(tact_body_set_step_positions(world, sheet, from, to), TACT_OK);
        assert_int_equal(tact_body_set_step_positions(world, cloth, vertices[0], vertices[1]), TACT_OK);
        tact_step_def def = tact_step_def_default();
        def.thickness = 1e-3;
        def.friction = 0.3;
        def.duration = 1.0 / 60.0;
        const tact_step_result result = tact_step_resolve(world, &def);
        if (result.status != TACT_OK)
            fail_msg("step %d: %s", n, tact_status_text(result.status));
        contacts += result.contacts;
        for (int i = 0; i < VERTICES; i++) {
            velocity[i].y = 60.0 * (vertices[1][i].y - vertices[0][i].y);
            vertices[0][i] = vertices[1][i];
            const double gap = vertices[1][i].y - height_at(to, vertices[1][i].x, vertices[1][i].z);
            nearest = fmin(nearest, gap);
            if (!(gap > -tolerance))
                fail_msg("step %d: vertex %d is at %g from the surface", n, i, gap);
        }
        tact_vec3 now[POINTS];
        assert_int_equal(tact_body_get_control_points(world, sheet, now, POINTS), POINTS);
        assert_memory_equal(now, to, sizeof now); /* also the caller's array: shortened, if the step was */
        memcpy(from, to, sizeof now);
    }
    print_message("%zu contacts, at least %g above the surface\n", contacts, nearest);
    assert_true(contacts > 500);
    tact_world_release(world);
}

/* A cloth that cannot move: the sheet stops below it, with its control points part of their way. */
static void steps_are_shortened(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    tact_vec3 from[POINTS], to[POINTS], vertices[VERTICES], same[VERTICES], now[POINTS];
    double fixed[VERTICES];
    sheet_points(0.0, 0.0, from);
    for (int i = 0; i < POINTS; i++) {
        to[i] = from[i];
        to[i].y += 1.0;
    }
    const tact_body sheet = add_sheet(world, from, 0.05), cloth = add_cloth(world, vertices, 0.4);
    memset(fixed, 0, sizeof fixed);
    memcpy(same, vertices, sizeof same);
    assert_int_equal(tact_body_set_inverse_vertex_masses(world, cloth, fixed), TACT_OK);
    assert_int_equal(tact_body_set_step_positions(world, sheet, from, to), TACT_OK);
    assert_int_equal(tact_body_set_step_positions(world, cloth, vertices, same), TACT_OK);
    const tact_step_result result = tact_step_resolve(world, NULL);
    assert_int_equal(result.status, TACT_OK);
    assert_true(result.time > 0.3 && result.time < 0.4);
    assert_int_equal(tact_body_get_control_points(world, sheet, now, POINTS), POINTS);
    for (int i = 0; i < POINTS; i++) {
        assert_true(fabs(now[i].y - result.time) < 1e-12);
        assert_memory_equal(&now[i], &to[i], sizeof now[i]);
    }
    tact_world_release(world);
}

/* Two steps. Returns the number of calls that had no memory. */
static int run_steps(failing_allocator *memory, long fail_at)
{
    *memory = (failing_allocator){0};
    tact_world *world = tact_world_create(&(tact_world_def){.allocator = failing_allocator_make(memory)});
    tact_vec3 points[2][POINTS], vertices[2][VERTICES], before[POINTS];
    sheet_points(0.0, 0.0, points[0]);
    tact_nurbs_def sheet = sheet_def(points[0], 0.05);
    sheet.allocator = failing_allocator_make(memory);
    tact_shape *shape = tact_nurbs(&sheet);
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = shape, .deformable = true}),
                    cloth = add_cloth(world, vertices[0], 0.02);
    tact_shape_release(shape);
    memory->calls = 0;
    memory->fail_at = fail_at;
    int failures = 0;
    for (int n = 0; n < 2; n++) {
        sheet_points(0.3 * (n + 1), 0.0, points[1]);
        memcpy(vertices[1], vertices[0], sizeof vertices[0]);
        memcpy(before, points[0], sizeof before);
        tact_status status;
        while ((status = tact_body_set_step_positions(world, body, points[0], points[1])) != TACT_OK ||
               (status = tact_body_set_step_positions(world, cloth, vertices[0], vertices[1])) != TACT_OK ||
               (status = tact_step_resolve(world, NULL).status) != TACT_OK) {
            assert_int_equal(status, TACT_OUT_OF_MEMORY);
            failures++;
            tact_vec3 now[POINTS];
            assert_int_equal(tact_body_get_control_points(world, body, now, POINTS), POINTS);
            assert_memory_equal(now, before, sizeof now);
        }
        memcpy(points[0], points[1], sizeof points[0]);
        memcpy(vertices[0], vertices[1], sizeof vertices[0]);
    }
    tact_world_release(world);
    return failures;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    failing_allocator memory;
    assert_int_equal(run_steps(&memory, 0), 0);
    const long calls = memory.calls;
    int failures = 0;
    for (long i = 1; i <= calls; i = next_failure(i))
        failures += run_steps(&memory, i);
    print_message("%ld allocations, %d failures\n", calls, failures);
    assert_true(failures >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_at_their_times), cmocka_unit_test(a_cloth_lies_on_a_waving_sheet),
        cmocka_unit_test(steps_are_shortened), cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
