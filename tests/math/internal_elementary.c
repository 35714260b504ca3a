/*
 * Elementary functions against those of long double, where that has more digits than double. A failure prints its seed;
 * TACT_TEST_SEED=n runs that case alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>

#include "math/elementary.h"
#include "support/random.h"
#include "support/seeded_cases.h"

#define PI 3.14159265358979323846

/* The error of `value` in units in the last place of a double of the size of `exact`. */
static double ulps(double value, long double exact)
{
    int exponent;
    (void)frexp((double)exact, &exponent);
    const long double unit = ldexpl(1.0L, exponent - 53 < -1074 ? -1074 : exponent - 53);
    return (double)(fabsl((long double)value - exact) / unit);
}

static void near(double value, long double exact, double most, const char *what, double x, double y, uint64_t seed)
{
    CHECK(ulps(value, exact) <= most, "%s(%a, %a) = %a is off by %g ulps", what, x, y, value, ulps(value, exact));
}

/* Of any size, often near a multiple of pi / 4. */
static double any_angle(random_source *r)
{
    if (random_chance(r, 0.3))
        return nextafter((double)((int)random_below(r, 2000) - 1000) * (PI / 4.0), random_chance(r, 0.5) ? 1e9 : -1e9);
    const double sign = random_chance(r, 0.5) ? 1.0 : -1.0;
    return sign * ldexp(random_range(r, 0.5, 1.0), (int)random_below(r, random_chance(r, 0.7) ? 24 : 1020) - 8);
}

static void angles(void **state)
{
    (void)state;
    if (LDBL_MANT_DIG < 64)
        skip();
    for (uint64_t seed = first_seed(); seed <= last_seed(200000); seed++) {
        random_source r = random_seed(seed);
        const double x = any_angle(&r);
        const sine_cosine both = tact_sine_cosine(x);
        near(both.sine, sinl((long double)x), 1.0, "sine", x, 0.0, seed);
        near(both.cosine, cosl((long double)x), 1.0, "cosine", x, 0.0, seed);
        near(tact_tangent(x), tanl((long double)x), 3.0, "tangent", x, 0.0, seed);
        CHECK(both.sine == tact_sine(x) && both.cosine == tact_cosine(x) && both.sine == -tact_sine(-x), "%a", x);
    }
    assert_true(isnan(tact_sine(INFINITY)) && isnan(tact_cosine(NAN)));
    assert_true(tact_sine(0.0) == 0.0 && tact_cosine(0.0) == 1.0 && tact_sine(5e-324) == 5e-324);
}

static double any_coordinate(random_source *r, double size)
{
    return random_chance(r, 0.05) ? 0.0 : size * random_range(r, -1.0, 1.0);
}

static void inverse_functions(void **state)
{
    (void)state;
    if (LDBL_MANT_DIG < 64)
        skip();
    for (uint64_t seed = first_seed(); seed <= last_seed(200000); seed++) {
        random_source r = random_seed(seed);
        const double size = ldexp(1.0, (int)random_below(&r, 2000) - 1000), y = any_coordinate(&r, size),
                     x = any_coordinate(&r, random_chance(&r, 0.7) ? size : size * 1e-9),
                     w = random_range(&r, -1.0, 1.0);
        const long double exact = y == 0.0 && x < 0.0 ? acosl(-1.0L) : atan2l((long double)y, (long double)x);
        near(tact_atan2(y, x), x == 0.0 && y == 0.0 ? 0.0L : exact, 2.0, "atan2", y, x, seed);
        near(tact_acos(w), acosl((long double)w), 3.0, "acos", w, 0.0, seed);
    }
    assert_true(tact_atan2(0.0, 0.0) == 0.0 && tact_atan2(-1.0, 0.0) == -PI / 2.0 && tact_acos(-1.0) == PI);
}

static void lengths_and_roots(void **state)
{
    (void)state;
    if (LDBL_MANT_DIG < 64)
        skip();
    for (uint64_t seed = first_seed(); seed <= last_seed(200000); seed++) {
        random_source r = random_seed(seed);
        const double size = ldexp(1.0, (int)random_below(&r, 2040) - 1020), x = any_coordinate(&r, size),
                     y = any_coordinate(&r, random_chance(&r, 0.7) ? size : size * 1e-9);
        near(tact_hypot(x, y), hypotl((long double)x, (long double)y), 1.5, "hypot", x, y, seed);
        near(tact_cbrt(fabs(x)), cbrtl((long double)fabs(x)), 1.0, "cbrt", x, 0.0, seed);
    }
    assert_true(tact_cbrt(0.0) == 0.0 && tact_cbrt(27.0) == 3.0 && tact_hypot(3.0, -4.0) == 5.0);
    assert_true(tact_hypot(0.0, INFINITY) == INFINITY && tact_hypot(5e-324, 0.0) == 5e-324);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(angles), cmocka_unit_test(inverse_functions),
                                       cmocka_unit_test(lengths_and_roots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
