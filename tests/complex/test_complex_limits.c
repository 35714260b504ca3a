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
    assert_true(few_cases() || inexact > 150);
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

/* Points on a face, up to rounding, where the direction to the closest point is no more than rounding: the normal is
 * that of the face. Points a little outside an edge: the normal is the direction from the edge. */
static void normals_of_closest_points_are_outward(void **state)
{
    (void)state;
    zoo_cube(&mesh, 1.0);
    tact_shape *cube = zoo_shape(&mesh, true, 0.0);
    assert_non_null(cube);
    for (uint64_t seed = first_seed(); seed <= last_seed(500); ++seed) {
        random_source r = random_seed(seed);
        const tact_vec3 one = {1.0, 1.0, 1.0}, origin = random_direction(&r);
        const tact_transform at = tact_transform_make(origin, random_rotation(&r), one);
        const double x = random_range(&r, -0.9, 0.9), y = random_range(&r, -0.9, 0.9);
        tact_closest c = tact_shape_closest(cube, at, tact_transform_point(at, vec_make(x, y, 1.0)));
        CHECK(c.status == TACT_OK && fabs(c.distance) < 1e-14, "distance %g", c.distance);
        CHECK(vec_length(vec_sub(c.normal, at.z_axis)) < 1e-12, "face: cosine %g", vec_dot(c.normal, at.z_axis));
        const double out = 1.0 + pow(10.0, random_range(&r, -11.0, -8.0));
        const tact_vec3 away = vec_normalize(vec_add(at.y_axis, at.z_axis));
        c = tact_shape_closest(cube, at, tact_transform_point(at, vec_make(x, out, out)));
        CHECK(vec_length(vec_sub(c.normal, away)) < 1e-3, "edge, %g away: cosine %g", out - 1.0,
              vec_dot(c.normal, away));
    }
    tact_shape_release(cube);
}

/* Convex solids that were moved apart by their depth: they touch, and many of their triangles are equally deep. The
 * normal is one that separates the bodies. */
static void normals_of_a_touch_separate_the_bodies(void **state)
{
    (void)state;
    int touching = 0;
    zoo_cube(&mesh, 0.5);
    tact_shape *cube = zoo_shape(&mesh, true, 0.0);
    zoo_ball(&mesh, 1, 0.5);
    tact_shape *ball = zoo_shape(&mesh, true, 0.0);
    assert_true(cube != NULL && ball != NULL);
    for (uint64_t seed = first_seed(); seed <= last_seed(600); ++seed) {
        random_source r = random_seed(seed);
        const tact_shape *a = random_chance(&r, 0.5) ? cube : ball, *b = random_chance(&r, 0.5) ? cube : ball;
        const tact_vec3 one = {1.0, 1.0, 1.0}, from = vec_scale(random_direction(&r), 2.0);
        const tact_quat turn = random_rotation(&r), other = random_rotation(&r);
        const tact_vec3 to = vec_mul_add(from, random_range(&r, 0.2, 0.8), random_direction(&r));
        const tact_transform at_a = tact_transform_make(from, turn, one);
        tact_transform at_b = tact_transform_make(to, random_chance(&r, 0.5) ? turn : other, one);
        const tact_penetration deep = tact_shapes_penetration(a, at_a, b, at_b);
        CHECK(deep.status == TACT_OK, "status %d", (int)deep.status);
        at_b.origin = vec_mul_add(at_b.origin, deep.depth, deep.normal);
        const tact_penetration d = tact_shapes_penetration(a, at_a, b, at_b);
        if (!(deep.depth > 0.0) || !(d.depth >= 0.0))
            continue;
        ++touching;
        tact_vec3 top, bottom;
        assert_int_equal(tact_shape_support(a, at_a, d.normal, &top), TACT_OK);
        assert_int_equal(tact_shape_support(b, at_b, vec_negate(d.normal), &bottom), TACT_OK);
        const double overlap = vec_dot(d.normal, vec_sub(top, bottom));
        CHECK(fabs(d.depth) < 1e-14 && overlap < 1e-14, "depth %g, overlap along the normal %g", d.depth, overlap);
    }
    print_message("touching after the move %d\n", touching);
    assert_true(few_cases() || touching > 150);
    tact_shape_release(cube);
    tact_shape_release(ball);
}

/* A cube and a triangle, an open mesh. Contacts may be deeper than the bodies, which could leave over the end of the
 * triangle, only if they push to one side: within 60 degrees of the first, so within 120 of each other. */
static void deep_contacts_push_to_one_side(void **state)
{
    (void)state;
    int deeper = 0, others = 0;
    zoo_cube(&mesh, 0.5);
    tact_shape *cube = zoo_shape(&mesh, true, 0.0);
    assert_non_null(cube);
    for (uint64_t seed = first_seed(); seed <= last_seed(1000); ++seed) {
        random_source r = random_seed(seed);
        const tact_vec3 one = {1.0, 1.0, 1.0}, at = vec_scale(random_direction(&r), random_range(&r, 0.0, 0.6));
        const uint32_t indices[3] = {0, 1, 2};
        tact_vec3 vertices[3];
        for (int i = 0; i < 3; ++i)
            vertices[i] = vec_scale(random_direction(&r), random_range(&r, 0.2, 1.0));
        tact_shape *triangle = tact_mesh(vertices, 3, indices, 1);
        const tact_transform here = tact_transform_make(at, random_rotation(&r), one);
        tact_contact_point points[32];
        const tact_contacts c = tact_shapes_contacts(triangle, here, cube, tact_identity(), 0.0, points, 32);
        const tact_penetration d = tact_shapes_penetration(triangle, here, cube, tact_identity());
        CHECK(c.status == TACT_OK && c.count <= 32, "status %d", (int)c.status);
        const bool deep = c.count > 0 && points[0].depth > d.depth + 1e-6;
        deeper += deep;
        for (size_t i = 0; i < c.count; ++i)
            for (size_t k = 0; k < i; ++k) {
                const double cosine = vec_dot(points[i].normal, points[k].normal);
                CHECK(!deep || cosine >= -0.5 - 1e-9, "%g deep, the bodies %g: cosine %g", points[0].depth, d.depth,
                      cosine);
                others += cosine < -0.5;
            }
        tact_shape_release(triangle);
    }
    print_message("contacts deeper than the bodies %d, pairs to different sides %d\n", deeper, others);
    assert_true(few_cases() || deeper > 20);
    tact_shape_release(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotated_compounds_keep_their_margins),
        cmocka_unit_test(vertices_that_coincide_by_rounding_touch),
        cmocka_unit_test(depths_of_meshes_beyond_floats_are_found),
        cmocka_unit_test(distances_of_meshes_beyond_floats_are_found),
        cmocka_unit_test(normals_of_closest_points_are_outward),
        cmocka_unit_test(normals_of_a_touch_separate_the_bodies),
        cmocka_unit_test(deep_contacts_push_to_one_side),
    };
    return cmocka_run_group_tests_name("complex_limits", tests, NULL, NULL);
}
