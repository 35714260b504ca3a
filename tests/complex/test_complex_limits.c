/*
 * Meshes and compounds at limits of complex_constants.h: transforms that are rotations only up to rounding, shapes that
 * touch only through rounding, sizes beyond floats.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <tact/mesh.h>
#include <tact/query.h>

#include "complex/pair_checks.h"
#include "oracle/zoo.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/vec.h"

static zoo_mesh mesh;

/* A part with a margin needs a similarity. Rotations made from quaternions are similarities only up to rounding. */
static void rotated_compounds_keep_their_margins(void **state)
{
    (void)state;
    zoo_cube(&mesh, 0.5);
    tact_shape *cube = zoo_shape(&mesh, true, 0.25), *point = tact_point(vec_make(0, 0, 0));
    const tact_shape *const parts[] = {cube};
    tact_shape *compound = tact_compound(parts, NULL, 1);
    assert_true(compound != NULL && point != NULL);
    int inexact = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(200); ++seed) {
        random_source r = random_seed(seed);
        const tact_vec3 one = {1.0, 1.0, 1.0};
        tact_transform at = tact_transform_make(vec_make(0, 0, 0), random_rotation(&r), one);
        inexact += vec_dot(at.x_axis, at.y_axis) != 0.0 || vec_length_squared(at.x_axis) != 1.0;
        tact_vec3 p = tact_transform_point(at, vec_make(2.75, 0.0, 0.0));
        tact_distance d = tact_shapes_distance(compound, at, point, tact_at(p.x, p.y, p.z));
        CHECK(d.status == TACT_OK && fabs(d.distance - 2.0) < 1e-12, "status %d, distance %g", d.status, d.distance);
        at.z_axis = vec_scale(at.z_axis, 1.0 + 1e-9);
        d = tact_shapes_distance(compound, at, point, tact_at(p.x, p.y, p.z));
        CHECK(d.status == TACT_BAD_ARGUMENT, "status %d of a stretched compound", d.status);
    }
    assert_true(one_seed() || inexact > 150);
    tact_shape_release(compound);
    tact_shape_release(cube);
    tact_shape_release(point);
}

/* Around 2^53 units a coordinate is an even number of units: tips at 2^53 + 1.01 and 2^53 + 4 - 1.01 are both rounded
 * to 2^53 + 2. The triangles have this vertex in common, although their bounding spheres are apart. */
static void vertices_that_coincide_by_rounding_touch(void **state)
{
    (void)state;
    const uint32_t indices[3] = {0, 1, 2};
    for (int axis = 0; axis < 3; ++axis)
        for (int exponent = -200; exponent <= 200; exponent += 50) {
            const double unit = ldexp(1.0, exponent), tip = 1.01 * unit, far = 0x1p53 * unit;
            assert_true(far + tip == far + 4.0 * unit - tip);
            double tips[2][3] = {{0.0}}, origins[2][3] = {{0.0}};
            tips[0][axis] = tip;
            tips[1][axis] = -tip;
            origins[0][axis] = far;
            origins[1][axis] = far + 4.0 * unit;
            tact_shape *shapes[2];
            tact_transform at[2];
            for (int i = 0; i < 2; ++i) {
                const tact_vec3 t = vec_make(tips[i][0], tips[i][1], tips[i][2]);
                const tact_vec3 vertices[3] = {t, vec_make(0, 0, 0), vec_scale(vec_make(t.y, t.z, t.x), 0.5)};
                shapes[i] = tact_mesh(vertices, 3, indices, 1);
                assert_non_null(shapes[i]);
                at[i] = tact_at(origins[i][0], origins[i][1], origins[i][2]);
            }
            assert_true(touch(shapes[0], at[0], shapes[1], at[1]));
            tact_shape_release(shapes[0]);
            tact_shape_release(shapes[1]);
        }
}

/* The boxes of a tree are of floats. Where they cannot hold the size of a mesh, its depth is found all the same. */
static void depths_of_meshes_beyond_floats_are_found(void **state)
{
    (void)state;
    static const int exponents[] = {-400, -200, -140, -120, 0, 110, 140, 200, 400};
    for (size_t i = 0; i < sizeof exponents / sizeof exponents[0]; ++i) {
        const double unit = ldexp(1.0, exponents[i]);
        zoo_cube(&mesh, 0.5 * unit);
        tact_shape *cube = zoo_shape(&mesh, true, 0.0);
        assert_non_null(cube);
        tact_penetration d =
            tact_shapes_penetration(cube, tact_identity(), cube, tact_at(0.125 * unit, 0.75 * unit, -0.25 * unit));
        assert_int_equal(d.status, TACT_OK);
        assert_true(fabs(d.depth - 0.25 * unit) <= 1e-12 * unit && d.normal.y > 1.0 - 1e-12);
        tact_shape_release(cube);
    }
}

/* Squares of distances between the boxes of trees are floats, too. */
static void distances_of_meshes_beyond_floats_are_found(void **state)
{
    (void)state;
    zoo_torus(&mesh, 8, 12, 1.0, 0.25);
    tact_shape *torus = zoo_shape(&mesh, true, 0.0);
    assert_non_null(torus);
    for (uint64_t seed = first_seed(); seed <= last_seed(5); ++seed) {
        random_source r = random_seed(seed);
        const tact_vec3 from = vec_scale(random_direction(&r), 0.5), to = vec_scale(random_direction(&r), 2.9);
        const tact_quat rotate[2] = {random_rotation(&r), random_rotation(&r)};
        double expected = 0.0;
        for (int exponent = 0; exponent <= 75; exponent += exponent == 0 ? 60 : 1)
            for (int sign = -1; sign <= 1; sign += 2) {
                const double unit = ldexp(1.0, sign * exponent);
                const tact_vec3 scale = {unit, unit, unit};
                const tact_transform a = tact_transform_make(vec_scale(from, unit), rotate[0], scale),
                                     b = tact_transform_make(vec_scale(to, unit), rotate[1], scale);
                const tact_distance d = tact_shapes_distance(torus, a, torus, b);
                assert_int_equal(d.status, TACT_OK);
                if (exponent == 0)
                    expected = d.distance;
                CHECK(fabs(d.distance / unit - expected) <= 1e-12, "%g at a scale of %g", d.distance / unit, unit);
            }
    }
    tact_shape_release(torus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotated_compounds_keep_their_margins),
        cmocka_unit_test(vertices_that_coincide_by_rounding_touch),
        cmocka_unit_test(depths_of_meshes_beyond_floats_are_found),
        cmocka_unit_test(distances_of_meshes_beyond_floats_are_found),
    };
    return cmocka_run_group_tests_name("complex_limits", tests, NULL, NULL);
}
