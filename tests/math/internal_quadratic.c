/*
 * The first root of a quadratic against the sign of the polynomial in long double: before the root it is not negative,
 * after it it is, but for rounding of the coefficients; and the ends of the range of doubles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>

#include "math/quadratic.h"
#include "support/random.h"
#include "support/seeded_cases.h"

/* Relative: more than the rounding of a root, less than any real error. */
#define ROUNDING (16.0L * (long double)DBL_EPSILON)

typedef double first_root(double x, double v, double a);

static double coefficient(random_source *d, double size)
{
    return random_chance(d, 0.1) ? 0.0 : random_range(d, -1.0, 1.0) * size;
}

/* h, and the sum of the absolute values of its terms. */
static long double value_at(double x, double v, double a, long double t, long double *size)
{
    const long double vt = (long double)v * t, att = 0.5L * (long double)a * t * t;
    *size = fabsl((long double)x) + fabsl(vt) + fabsl(att);
    return (long double)x + vt + att;
}

static void check_root(uint64_t seed, first_root *f, double x, double v, double a)
{
    const double t = f(x, v, a);
    long double size;
    CHECK(t >= 0.0, "x %a v %a a %a: %a", x, v, a, t);
    if (t < INFINITY) {
        const long double h = value_at(x, v, a, (long double)t, &size);
        CHECK(fabsl(h) <= ROUNDING * size, "x %a v %a a %a: %Lg of %Lg at the root %a", x, v, a, h, size, t);
    }
    /* no root before: the minimum on [0, t] is not below 0 */
    const long double turn = a > 0.0 && v < 0.0 ? -(long double)v / (long double)a : 0.0L;
    const long double lowest = turn < (long double)t ? turn : 0.0L;
    const long double least = value_at(x, v, a, lowest, &size);
    CHECK(least >= -ROUNDING * size, "x %a v %a a %a: %Lg at %Lg before %a", x, v, a, least, lowest, t);
    if (!(t < INFINITY)) /* it never falls */
        CHECK(a >= 0.0 && (a > 0.0 || v >= 0.0), "x %a v %a a %a: no root", x, v, a);
}

static void roots_are_those_of_the_polynomial(void **state)
{
    (void)state;
    int found = 0, none = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(100000); seed++) {
        random_source d = random_seed(seed);
        const double scale = ldexp(1.0, (int)random_range(&d, -300.0, 300.0)),
                     time = ldexp(1.0, (int)random_range(&d, -100.0, 100.0));
        const double x = fabs(coefficient(&d, scale)), v = coefficient(&d, scale / time);
        double a = coefficient(&d, scale / time / time);
        if (random_chance(&d, 0.3) && x > 0.0) /* nearly touching */
            a = v * v / (2.0 * x) * (1.0 + random_range(&d, -4.0, 4.0) * DBL_EPSILON);
        check_root(seed, quadratic_first_root, x, v, a);
        check_root(seed, quadratic_first_root_wide, x, v, a);
        check_root(seed, quadratic_first_crossing, x, v, a);
        const double t = quadratic_first_root(x, v, a);
        found += t < INFINITY;
        none += !(t < INFINITY);
    }
    if (!few_cases()) {
        assert_true(found > 20000);
        assert_true(none > 20000);
    }
}

static void a_touch_is_a_root_and_no_crossing(void **state)
{
    (void)state;
    /* (t - 1)^2 */
    assert_true(quadratic_first_root(1.0, -2.0, 2.0) == 1.0);
    assert_true(quadratic_first_root_wide(1.0, -2.0, 2.0) == 1.0);
    assert_true(quadratic_first_crossing(1.0, -2.0, 2.0) == INFINITY);
    /* at 0: rising, at rest, falling */
    assert_true(quadratic_first_crossing(0.0, 1.0, 1.0) == INFINITY);
    assert_true(quadratic_first_crossing(0.0, 0.0, 1.0) == INFINITY);
    assert_true(quadratic_first_crossing(0.0, 0.0, 0.0) == INFINITY);
    assert_true(quadratic_first_crossing(0.0, -1.0, 1.0) == 0.0);
    assert_true(quadratic_first_crossing(0.0, 0.0, -1.0) == 0.0);
    assert_true(quadratic_first_crossing(0.0, 1.0, -1.0) == 2.0);
}

static void squares_that_overflow_or_vanish_lose_nothing(void **state)
{
    (void)state;
    for (int e = -900; e <= 900; e += 100) {
        const double s = ldexp(1.0, e);
        /* 3 - 4 t + t^2 = (t - 1)(t - 3); 3 + 2 t - t^2 = (3 - t)(1 + t) */
        assert_true(fabs(quadratic_first_root(3.0 * s, -4.0 * s, 2.0 * s) - 1.0) < 1e-15);
        assert_true(fabs(quadratic_first_root(3.0 * s, 2.0 * s, -2.0 * s) - 3.0) < 4e-15);
        assert_true(fabs(quadratic_first_crossing(3.0 * s, -4.0 * s, 2.0 * s) - 1.0) < 1e-15);
        assert_true(fabs(quadratic_first_root(s, -s, 0.0) - 1.0) < 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_are_those_of_the_polynomial),
        cmocka_unit_test(a_touch_is_a_root_and_no_crossing),
        cmocka_unit_test(squares_that_overflow_or_vanish_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
