/* Closest points of a vertex and a face, and of two edges, of any size: the same as of size 1, scaled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>

#include "ccd/feature_distance.h"
#include "support/random.h"
#include "support/seeded_cases.h"

static tact_vec3 scaled(tact_vec3 v, int exponent)
{
    return (tact_vec3){ldexp(v.x, exponent), ldexp(v.y, exponent), ldexp(v.z, exponent)};
}

/* Fourth powers of lengths leave the doubles at 2^-256 and at 2^256. */
static void closest_points_scale_with_the_features(void **state)
{
    (void)state;
    static const int exponents[] = {-900, -500, -300, -250, -170, 0, 170, 250, 300, 500, 900};
    int inside = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(300); ++seed) {
        random_source r = random_seed(seed);
        const tact_ccd_kind kind = random_chance(&r, 0.5) ? TACT_VERTEX_FACE : TACT_EDGE_EDGE;
        tact_vec3 points[4], large[4];
        double weights[4], found[4];
        for (int i = 0; i < 4; ++i)
            points[i] = (tact_vec3){random_range(&r, -1, 1), random_range(&r, -1, 1), random_range(&r, -1, 1)};
        const tact_vec3 d = tact_feature_closest_points(kind, points, weights);
        inside += weights[0] > 0.0 && weights[1] > 0.0 && weights[2] > 0.0 && weights[3] > 0.0;
        for (size_t k = 0; k < sizeof exponents / sizeof exponents[0]; ++k) {
            for (int i = 0; i < 4; ++i)
                large[i] = scaled(points[i], exponents[k]);
            const tact_vec3 e = scaled(tact_feature_closest_points(kind, large, found), -exponents[k]);
            const double off = fabs(e.x - d.x) + fabs(e.y - d.y) + fabs(e.z - d.z);
            CHECK(off <= 1e-14, "off by %g at 2^%d", off, exponents[k]);
            for (int i = 0; i < 4; ++i)
                CHECK(fabs(found[i] - weights[i]) <= 1e-12, "weight %d: %g, %g", i, found[i], weights[i]);
        }
    }
    assert_true(few_cases() || inside > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(closest_points_scale_with_the_features)};
    return cmocka_run_group_tests_name("feature_distance", tests, NULL, NULL);
}
