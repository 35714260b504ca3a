/* Contacts of the parts of a compound with one flat region of a mesh, and meshes whose triangles share one vertex. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <tact/tact.h>

#include "support/vec.h"

#define CELLS 40

static tact_shape *flat_grid(void)
{
    static tact_vec3 points[(CELLS + 1) * (CELLS + 1)];
    static uint32_t corners[6 * CELLS * CELLS];
    size_t n = 0;
    for (uint32_t i = 0; i <= CELLS; ++i)
        for (uint32_t k = 0; k <= CELLS; ++k)
            points[i * (CELLS + 1) + k] = vec_make(0.25 * i - 5.0, 0.0, 0.25 * k - 5.0);
    for (uint32_t i = 0; i < CELLS; ++i)
        for (uint32_t k = 0; k < CELLS; ++k) {
            const uint32_t a = i * (CELLS + 1) + k,
                           quad[6] = {a, a + 1, a + CELLS + 1, a + 1, a + CELLS + 2, a + CELLS + 1};
            for (int c = 0; c < 6; ++c)
                corners[n++] = quad[c];
        }
    return tact_mesh(points, (CELLS + 1) * (CELLS + 1), corners, n / 3);
}

/* Two boxes side by side above the grid: each has its four corners. */
static void each_part_of_a_compound_has_its_contacts(void **state)
{
    (void)state;
    tact_shape *grid = flat_grid(), *box = tact_box(1.0, 1.0, 1.0);
    const tact_shape *parts[2] = {box, box};
    const tact_transform at[2] = {tact_at(-3.1, 0.0, 0.1), tact_at(3.1, 0.0, 0.1)};
    tact_shape *pair = tact_compound(parts, at, 2);
    assert_non_null(pair);
    tact_contact_point points[64];
    for (int swapped = 0; swapped < 2; ++swapped) {
        const tact_transform above = tact_at(0.0, 0.5 + 1e-4, 0.0), origin = tact_at(0.0, 0.0, 0.0);
        const tact_contacts found = swapped ? tact_shapes_contacts(pair, above, grid, origin, 1e-3, points, 64)
                                            : tact_shapes_contacts(grid, origin, pair, above, 1e-3, points, 64);
        assert_int_equal(found.status, TACT_OK);
        int corners[2] = {0, 0};
        for (size_t i = 0; i < found.count; ++i) {
            const tact_vec3 p = swapped ? points[i].on_a : points[i].on_b;
            ++corners[p.x > 0.0];
            assert_true(fabs(fabs(p.x) - 3.1) < 0.5 + 1e-9 && fabs(p.z - 0.1) < 0.5 + 1e-9);
        }
        assert_true(corners[0] >= 4 && corners[1] >= 4);
    }
    tact_shape_release(pair);
    tact_shape_release(box);
    tact_shape_release(grid);
}

/* A disc of many triangles around one vertex. Its creation was quadratic in their number: minutes for this one. */
static void a_fan_is_created_in_time(void **state)
{
    (void)state;
    const uint32_t count = 200000;
    tact_vec3 *points = malloc((count + 1) * sizeof *points);
    uint32_t *corners = malloc(3 * (size_t)count * sizeof *corners);
    assert_true(points != NULL && corners != NULL);
    points[count] = vec_make(0.0, 0.0, 0.0);
    for (uint32_t i = 0; i < count; ++i) {
        const double angle = 6.283185307179586 * i / count;
        points[i] = vec_make(cos(angle), 0.0, sin(angle));
        corners[3 * i] = count;
        corners[3 * i + 1] = (i + 1) % count;
        corners[3 * i + 2] = i;
    }
    tact_shape *disc = tact_mesh(points, count + 1, corners, count), *ball = tact_sphere(0.25);
    assert_non_null(disc);
    const tact_distance d = tact_shapes_distance(disc, tact_at(0.0, 0.0, 0.0), ball, tact_at(0.1, 1.0, 0.2));
    assert_int_equal(d.status, TACT_OK);
    assert_true(fabs(d.distance - 0.75) < 1e-12);
    tact_shape_release(disc);
    tact_shape_release(ball);
    free(points);
    free(corners);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_of_a_compound_has_its_contacts),
        cmocka_unit_test(a_fan_is_created_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
