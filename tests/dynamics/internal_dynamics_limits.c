/*
 * Mass properties at limits of dynamics_constants.h: bodies so small that second moments lose digits, bodies about
 * their centre up to rounding, solid meshes without a volume.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <tact/mass.h>
#include <tact/mesh.h>
#include <tact/shape.h>

#include "dynamics/mass_properties.h"
#include "math/vec.h"
#include "support/random.h"
#include "support/seeded_cases.h"

/* Moments of inertia of short rods are right or refused, whatever their mass. */
static void moments_of_small_bodies_are_right_or_refused(void **state)
{
    (void)state;
    int right = 0, refused = 0;
    for (int exponent = -440; exponent >= -540; --exponent) {
        const double s = ldexp(1.0, exponent), mass = 0x1p200;
        tact_shape *rod = tact_segment(vec_make(0.0, 0.0, 0.0), vec_make(s, 1.1 * s, 1.3 * s));
        const tact_mass m = tact_mass_from_total(rod, tact_identity(), mass);
        tact_shape_release(rod);
        if (m.status != TACT_OK) {
            assert_int_equal(m.status, TACT_BAD_ARGUMENT);
            ++refused;
            continue;
        }
        ++right;
        const double expected = mass / 12.0 * (1.0 + 1.21 + 1.69), found = vec_max_abs(m.principal_moments) / s / s;
        assert_true(fabs(found / expected - 1.0) <= 1e-13);
    }
    assert_true(right >= 20 && refused >= 20);
}

/* Hulls of points and their opposites have their centre at the origin exactly. */
static void bodies_about_their_centre_are_centred(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(200); seed++) {
        random_source r = random_seed(seed);
        tact_vec3 points[16];
        for (int i = 0; i < 8; ++i) {
            points[i] = random_direction(&r);
            points[8 + i] = vec_negate(points[i]);
        }
        tact_shape *shape = tact_hull(points, 16);
        const tact_transform at =
            tact_transform_make(random_direction(&r), random_rotation(&r), vec_make(1.0, 1.0, 1.0));
        const tact_mass m = tact_mass_from_density(shape, at, 1.0);
        tact_shape_release(shape);
        mass_properties p;
        CHECK(m.status == TACT_OK && tact_mass_properties_from(&m, &at, &p), "status %d", (int)m.status);
        CHECK(vec_max_abs(p.centre) == 0.0, "centre %g", vec_max_abs(p.centre));
    }
}

/* A fan of triangles and its other side: closed, but without a volume. */
static void both_sides_of_a_surface_are_a_surface(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(200); seed++) {
        random_source r = random_seed(seed);
        tact_vec3 corners[8];
        uint32_t indices[36];
        double area = 0.0;
        for (int i = 0; i < 8; ++i)
            corners[i] = random_direction(&r);
        for (uint32_t i = 0; i < 6; ++i) {
            const uint32_t front[3] = {0, i + 1, i + 2}, back[3] = {i + 2, i + 1, 0};
            for (uint32_t k = 0; k < 3; ++k) {
                indices[3 * i + k] = front[k];
                indices[33 - 3 * i + k] = back[k];
            }
            area += vec_length(vec_cross(vec_sub(corners[i + 1], corners[0]), vec_sub(corners[i + 2], corners[0])));
        }
        tact_mesh_def def = tact_mesh_def_default();
        def.vertices = (tact_vertices){corners, 8, 0, TACT_SCALAR_DOUBLE};
        def.indices = indices;
        def.index_count = 36;
        def.solid = true;
        tact_shape *solid = tact_mesh_create(&def, NULL);
        assert_non_null(solid);
        const tact_mass m = tact_mass_from_density(solid, tact_identity(), 1.0);
        tact_shape_release(solid);
        CHECK(m.status == TACT_OK && m.dimension == 2 && fabs(m.mass - area) <= 1e-13 * area, "mass %g, %d", m.mass,
              m.dimension);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_of_small_bodies_are_right_or_refused),
        cmocka_unit_test(bodies_about_their_centre_are_centred),
        cmocka_unit_test(both_sides_of_a_surface_are_a_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
