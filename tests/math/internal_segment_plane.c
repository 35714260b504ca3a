/*
 * Intersection points of segments with planes and lines against exact rationals (GMP): within two ulps of the largest
 * coordinate of the segment, and within its box. Ordinary cases, segments nearly in the plane, extreme and very
 * different exponents.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <gmp.h>
#include <math.h>
#include <tact/predicates.h>

#include "math/segment_plane.h"
#include "math/vec.h"
#include "support/random.h"
#include "support/seeded_cases.h"

enum { KINDS = 5 };

/* A point; `exponent` scales each axis. */
static tact_vec3 random_point(random_source *r, const int exponent[3])
{
    return vec_make(ldexp(random_range(r, -1.0, 1.0), exponent[0]), ldexp(random_range(r, -1.0, 1.0), exponent[1]),
                    ldexp(random_range(r, -1.0, 1.0), exponent[2]));
}

/* The triangle a b c and the segment p q. */
static void make_case(random_source *r, int kind, tact_vec3 v[5])
{
    int exponent[3] = {0, 0, 0};
    if (kind == 1) /* one extreme scale */
        exponent[0] = exponent[1] = exponent[2] = random_between(r, -1040, 1000);
    if (kind == 2) /* a scale per axis */
        for (int k = 0; k < 3; k++)
            exponent[k] = random_between(r, -600, 600);
    for (int k = 0; k < 5; k++)
        v[k] = random_point(r, exponent);
    if (kind >= 3) { /* both ends nearly in the plane a b c */
        for (int k = 3; k < 5; k++) {
            const double s = random_range(r, -2.0, 2.0), t = random_range(r, -2.0, 2.0);
            v[k] = vec_mul_add(vec_mul_add(v[0], s, vec_sub(v[1], v[0])), t, vec_sub(v[2], v[0]));
            v[k].x += ldexp(random_range(r, -1.0, 1.0), -random_between(r, 20, 55));
        }
    }
    if (kind == 4) /* and the triangle is a sliver */
        v[2] = vec_mul_add(v[0], random_range(r, -1.0, 1.0), vec_sub(v[1], v[0]));
}

/* ---- the oracle: p + f / (f - g) (q - p) in rationals ---- */

static void set_difference(mpq_t d, double a, double b)
{
    mpq_t other;
    mpq_init(other);
    mpq_set_d(d, a);
    mpq_set_d(other, b);
    mpq_sub(d, d, other);
    mpq_clear(other);
}

/* |b-a, c-a, d-a| in the axes x, y, z; with `axis` >= 0 the orientation of a, b, d projected along that axis. */
static void determinant(mpq_t result, tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d, int axis)
{
    mpq_t m[3][3], product;
    const tact_vec3 p[3] = {b, c, d};
    mpq_init(product);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            mpq_init(m[i][k]);
            set_difference(m[i][k], vec_component(p[i], k), vec_component(a, k));
        }
    mpq_set_ui(result, 0, 1);
    if (axis >= 0) {
        const int x = (axis + 1) % 3, y = (axis + 2) % 3;
        mpq_mul(result, m[0][x], m[2][y]);
        mpq_mul(product, m[0][y], m[2][x]);
        mpq_sub(result, result, product);
    } else {
        for (int k = 0; k < 3; k++) {
            const int x = (k + 1) % 3, y = (k + 2) % 3;
            mpq_t minor;
            mpq_init(minor);
            mpq_mul(minor, m[0][x], m[1][y]);
            mpq_mul(product, m[0][y], m[1][x]);
            mpq_sub(minor, minor, product);
            mpq_mul(product, minor, m[2][k]);
            mpq_add(result, result, product);
            mpq_clear(minor);
        }
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            mpq_clear(m[i][k]);
    mpq_clear(product);
}

/* Is `found` within two ulps of the largest coordinate of p and q from the exact point, and in their box? */
static bool is_accurate(tact_vec3 found, tact_vec3 p, tact_vec3 q, const mpq_t f, const mpq_t g)
{
    const double largest = max_double(vec_max_abs(p), vec_max_abs(q));
    const double ulp = nextafter(largest, INFINITY) - largest;
    mpq_t t, x, start, tolerance;
    mpq_inits(t, x, start, tolerance, NULL);
    mpq_sub(t, f, g);
    mpq_div(t, f, t);
    mpq_set_d(tolerance, 2.0 * ulp);
    bool good = true;
    for (int k = 0; k < 3; k++) {
        const double from = vec_component(p, k), to = vec_component(q, k), value = vec_component(found, k);
        set_difference(x, to, from);
        mpq_mul(x, x, t);
        mpq_set_d(start, from);
        mpq_add(x, x, start);
        mpq_set_d(start, value);
        mpq_sub(x, x, start);
        mpq_abs(x, x);
        good = good && mpq_cmp(x, tolerance) <= 0 && value >= fmin(from, to) && value <= fmax(from, to);
    }
    mpq_clears(t, x, start, tolerance, NULL);
    return good;
}

static void points_on_planes_are_accurate(void **state)
{
    (void)state;
    long found[KINDS] = {0};
    mpq_t f, g;
    mpq_inits(f, g, NULL);
    for (uint64_t seed = first_seed(); seed <= last_seed(20000); seed++) {
        random_source r = random_seed(seed);
        const int kind = (int)(seed % KINDS);
        tact_vec3 v[5];
        make_case(&r, kind, v);
        if (tact_orient3d(v[0], v[1], v[2], v[3]) * tact_orient3d(v[0], v[1], v[2], v[4]) >= 0)
            continue;
        determinant(f, v[0], v[1], v[2], v[3], -1);
        determinant(g, v[0], v[1], v[2], v[4], -1);
        const tact_vec3 x = tact_segment_plane_intersection(v[3], v[4], v[0], v[1], v[2]);
        CHECK(is_accurate(x, v[3], v[4], f, g), "kind %d: %a %a %a", kind, x.x, x.y, x.z);
        found[kind]++;
    }
    mpq_clears(f, g, NULL);
    print_message("%ld, %ld, %ld, %ld, %ld points\n", found[0], found[1], found[2], found[3], found[4]);
    for (int k = 0; k < KINDS; k++)
        assert_true(few_cases() || found[k] > 200);
}

static void points_on_projected_lines_are_accurate(void **state)
{
    (void)state;
    long found[KINDS] = {0};
    mpq_t f, g;
    mpq_inits(f, g, NULL);
    for (uint64_t seed = first_seed(); seed <= last_seed(20000); seed++) {
        random_source r = random_seed(seed);
        const int kind = (int)(seed % KINDS), axis = (int)(seed / KINDS % 3);
        tact_vec3 v[5];
        make_case(&r, kind, v);
        if (kind >= 3) /* nearly on the line v[0] v[1] */
            for (int k = 3; k < 5; k++) {
                v[k] = vec_mul_add(v[0], random_range(&r, -2.0, 2.0), vec_sub(v[1], v[0]));
                v[k].x += ldexp(random_range(&r, -1.0, 1.0), -random_between(&r, 20, 55));
                v[k].z += ldexp(random_range(&r, -1.0, 1.0), -random_between(&r, 20, 55));
            }
        determinant(f, v[0], v[1], v[2], v[3], axis);
        determinant(g, v[0], v[1], v[2], v[4], axis);
        if (mpq_sgn(f) * mpq_sgn(g) >= 0)
            continue;
        const tact_vec3 x = tact_segment_line_intersection(v[3], v[4], v[0], v[1], axis);
        CHECK(is_accurate(x, v[3], v[4], f, g), "kind %d axis %d: %a %a %a", kind, axis, x.x, x.y, x.z);
        found[kind]++;
    }
    mpq_clears(f, g, NULL);
    print_message("%ld, %ld, %ld, %ld, %ld points\n", found[0], found[1], found[2], found[3], found[4]);
    for (int k = 0; k < KINDS; k++)
        assert_true(few_cases() || found[k] > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_on_planes_are_accurate),
        cmocka_unit_test(points_on_projected_lines_are_accurate),
    };
    return cmocka_run_group_tests_name("segment_plane", tests, NULL, NULL);
}
