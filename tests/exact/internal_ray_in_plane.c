/* Rays in the plane of a triangle: the normal where they hit an edge, also at angles so small that the part of the
 * direction perpendicular to the edge is rounding error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>

#include "exact/ray_triangle.h"
#include "math/vec.h"
#include "support/random.h"
#include "support/seeded_cases.h"

/* The edge of the triangle is on the line y = x / 3, its third vertex above. The ray comes from below, at an angle
 * whose sine is about 2^-k. Coordinates are chosen so that all lie in one plane exactly. */
static void normals_of_edges_are_perpendicular_or_reverse(void **state)
{
    (void)state;
    int hits = 0, steep = 0, flat = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(2000); ++seed) {
        random_source r = random_seed(seed);
        const int k = random_between(&r, 0, 46);
        const double z = random_chance(&r, 0.5) ? 0.0 : 0.375, rise = ldexp(random_range(&r, 1.0, 2.0), -k);
        const tact_vec3 vertex[3] = {{-3.0, -1.0, z}, {3.0, 1.0, z}, {0.0, random_range(&r, 1.0, 2.0), z}};
        const tact_vec3 direction = {3.0 - rise, 1.0 + 3.0 * rise, 0.0};
        const tact_vec3 on_edge = vec_scale(vec_make(3.0, 1.0, 0.0), random_range(&r, -0.5, 0.5));
        const tact_vec3 start = vec_mul_add(on_edge, -random_range(&r, 0.5, 2.0), direction);
        const tact_vec3 from = {start.x, start.y, z};
        const exact_ray ray = tact_exact_ray_make(from, direction);
        double t;
        tact_vec3 normal;
        if (!tact_ray_triangle(&ray, vertex, &t, &normal) || t == 0.0)
            continue;
        ++hits;
        const tact_vec3 reverse = vec_negate(vec_normalize(direction));
        const tact_vec3 out = {1.0 / sqrt(10.0), -3.0 / sqrt(10.0), 0.0}; /* of the edge that the ray can hit */
        const bool perpendicular = vec_max_abs(vec_sub(normal, out)) <= 1e-6;
        const bool reversed = vec_max_abs(vec_sub(normal, reverse)) <= 1e-15;
        CHECK(perpendicular || reversed, "sine 2^-%d, normal (%g, %g, %g)", k, normal.x, normal.y, normal.z);
        steep += perpendicular;
        flat += reversed && !perpendicular;
    }
    assert_true(few_cases() || (hits > 1500 && steep > 500 && flat > 200));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(normals_of_edges_are_perpendicular_or_reverse)};
    return cmocka_run_group_tests_name("ray_in_plane", tests, NULL, NULL);
}
