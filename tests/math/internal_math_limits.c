/* Vectors and matrices at the limits that math_constants.h sets: lengths whose squares leave the doubles, entries that
 * are tiny beside the others, NaN. */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "math/sym3.h"
#include "math/transform_norm.h"
#include "math/vec.h"
#include "support/random.h"

/* Whatever its length, a vector has the same direction as its multiples by powers of two. */
static void vectors_of_any_length_are_normalized(void **state)
{
    (void)state;
    random_source r = random_seed(1);
    for (int exponent = -1000; exponent <= 1000; exponent += 10) {
        const tact_vec3 v = vec_make(random_range(&r, 0.5, 1.0), random_range(&r, -1.0, 1.0), random_range(&r, -1, 1));
        const tact_vec3 n = vec_normalize(v);
        const tact_vec3 scaled = {ldexp(v.x, exponent), ldexp(v.y, exponent), ldexp(v.z, exponent)};
        const tact_vec3 m = vec_normalize(scaled);
        assert_true(fabs(vec_length(m) - 1.0) <= 4.0 * DBL_EPSILON);
        assert_true(vec_max_abs(vec_sub(m, n)) <= 4.0 * DBL_EPSILON);
        assert_true(fabs(ldexp(vec_length_safe(scaled), -exponent) - vec_length(v)) <= 4.0 * DBL_EPSILON);
    }
}

/* Of (1, e; e, 2) the first eigenvector is (1, -e), up to e^3. */
static void tiny_entries_turn_eigenvectors(void **state)
{
    (void)state;
    for (int exponent = -40; exponent >= -1000; exponent -= 10) {
        const double e = ldexp(1.0, exponent);
        const sym3 s = {.xx = 1.0, .yy = 2.0, .zz = 3.0, .xy = e};
        double values[3];
        tact_vec3 axes[3];
        tact_sym3_eigen(&s, values, axes);
        assert_true(values[0] == 1.0 && values[1] == 2.0 && values[2] == 3.0);
        assert_true(axes[0].x == 1.0 && fabs(axes[0].y / -e - 1.0) <= 1e-15 && fabs(axes[1].x / e - 1.0) <= 1e-15);
    }
}

/* With NaN the method does not converge. It must end. */
static void eigenvalues_of_nan_end(void **state)
{
    (void)state;
    const sym3 s = {.xx = 1.0, .yy = 2.0, .zz = 3.0, .xy = (double)NAN, .xz = 0.5, .yz = 0.25};
    double values[3];
    tact_vec3 axes[3];
    tact_sym3_eigen(&s, values, axes);
    assert_true(isnan(values[0]) || isnan(values[1]) || isnan(values[2]));
}

/* An upper bound of the Frobenius norm, which is below it if it is only rounded to nearest. */
static void norm_bounds_are_not_below_the_norm(void **state)
{
    (void)state;
    random_source r = random_seed(2);
    int rounded_down = 0;
    for (int i = 0; i < 2000; ++i) {
        tact_vec3 axes[3];
        long double sum = 0.0L;
        for (int k = 0; k < 3; ++k) {
            axes[k] = vec_make(random_range(&r, -1.0, 1.0), random_range(&r, -1.0, 1.0), random_range(&r, -1.0, 1.0));
            sum += (long double)axes[k].x * axes[k].x + (long double)axes[k].y * axes[k].y +
                   (long double)axes[k].z * axes[k].z;
        }
        const tact_transform m = {axes[0], axes[1], axes[2], {0.0, 0.0, 0.0}};
        const long double norm = sqrtl(sum);
        rounded_down += transform_frobenius_norm(&m) < norm;
        assert_true(transform_norm_bound(&m) >= norm);
        assert_true(transform_norm_bound(&m) <= norm * (1.0L + 4e-15L));
    }
    assert_true(rounded_down > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_of_any_length_are_normalized),
        cmocka_unit_test(tiny_entries_turn_eigenvectors),
        cmocka_unit_test(eigenvalues_of_nan_end),
        cmocka_unit_test(norm_bounds_are_not_below_the_norm),
    };
    return cmocka_run_group_tests_name("math_limits", tests, NULL, NULL);
}
