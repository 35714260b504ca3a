/* Bodies that bounce on a one-sided mesh: as on the same mesh with two sides, as long as they stay in front of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <tact/tact.h>

#include "support/falling_world.h"

#define CELLS 20

static tact_shape *square(bool one_sided, int cells)
{
    static tact_vec3 points[(CELLS + 1) * (CELLS + 1)];
    static uint32_t corners[6 * CELLS * CELLS];
    size_t n = 0;
    const uint32_t row = (uint32_t)cells + 1;
    for (int i = 0; i <= cells; ++i)
        for (int k = 0; k <= cells; ++k)
            points[(size_t)i * row + (size_t)k] = vec_make(20.0 * i / cells - 10.0, 0.0, 20.0 * k / cells - 10.0);
    for (uint32_t i = 0; i + 1 < row; ++i)
        for (uint32_t k = 0; k + 1 < row; ++k) {
            const uint32_t a = i * row + k, quad[6] = {a, a + 1, a + row, a + 1, a + row + 1, a + row};
            for (int c = 0; c < 6; ++c)
                corners[n++] = quad[c];
        }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){.data = points, .count = (size_t)row * row};
    def.indices = corners;
    def.index_count = n;
    def.one_sided = one_sided;
    return tact_mesh_create(&def, NULL);
}

static tact_shape *falling_shape(int kind)
{
    switch (kind) {
    case 0:
        return tact_sphere(0.5);
    case 1:
        return tact_box(1.0, 1.0, 1.0);
    case 2:
        return tact_capsule(0.2, 0.8);
    case 3:
        return tact_cylinder(0.5, 0.5);
    default:
        return tact_box(4.0, 0.5, 4.0);
    }
}

/* The height after two units of time. */
static double fall(int kind, bool tilted, double restitution, int cells, bool one_sided, long *touches)
{
    tact_world *world = falling_world(false);
    tact_shape *mesh = square(one_sided, cells);
    assert_non_null(mesh);
    (void)put(world, mesh, tact_at(0.0, 0.0, 0.0), 0.0, 0.5, restitution);
    const tact_body body =
        put(world, falling_shape(kind), turned(vec_make(0.03, 2.0, -0.07), vec_make(1.0, 0.0, 0.3), tilted ? 0.3 : 0.0),
            1.0, 0.5, restitution);
    *touches = 0;
    tact_event e;
    while (tact_world_next_event(world, 2.0, &e) == TACT_EVENT_TOUCH) {
        ++*touches;
        assert_int_equal(
            tact_world_bounce_with(world, &e, &(tact_bounce_def){.restitution = restitution, .friction = 0.5}),
            TACT_OK);
    }
    assert_int_equal(e.status, TACT_OK);
    const double height = place(world, body).y;
    tact_world_release(world);
    return height;
}

static void one_side_is_as_good_as_two(void **state)
{
    (void)state;
    static const double restitutions[] = {0.0, 0.2, 0.4, 0.8};
    long all = 0;
    for (int kind = 0; kind < 5; ++kind)
        for (int tilted = 0; tilted < 2; ++tilted)
            for (int e = 0; e < 4; ++e)
                for (int cells = 1; cells <= CELLS; cells += CELLS - 1) {
                    long one, two;
                    const double y = fall(kind, tilted, restitutions[e], cells, true, &one),
                                 expected = fall(kind, tilted, restitutions[e], cells, false, &two);
                    if (!(y > 0.15 && one >= 1 && (tilted || fabs(y - expected) < 1e-3)))
                        fail_msg(
                            "kind %d, tilted %d, restitution %g, %d cells: height %g, %ld touches, instead of %g, %ld",
                            kind, tilted, restitutions[e], cells, y, one, expected, two);
                    all += one;
                }
    assert_true(all >= 200);
}

/* A body that comes from below passes through, and may then bounce on the front. */
static void a_body_from_behind_passes_and_lands(void **state)
{
    (void)state;
    for (int e = 0; e < 3; ++e) {
        const double restitution = 0.4 * e;
        tact_world *world = falling_world(false);
        (void)put(world, square(true, CELLS), tact_at(0.0, 0.0, 0.0), 0.0, 0.5, restitution);
        const tact_body body = put(world, tact_sphere(0.5), tact_at(0.03, -1.5, -0.07), 1.0, 0.5, restitution);
        set_motion(world, body, tact_motion_linear(0.0, 9.0, 0.0));
        step(world, 0.8);
        assert_true(place(world, body).y > 2.0);
        step(world, 6.0);
        assert_true(place(world, body).y > 0.49);
        tact_world_release(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_side_is_as_good_as_two),
        cmocka_unit_test(a_body_from_behind_passes_and_lands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
