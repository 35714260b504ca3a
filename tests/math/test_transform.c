/*
 * Transforms and motions: composition, inversion, relative transforms, rotation, validation; against long double. A
 * failure of a random case prints its seed; TACT_TEST_SEED=n runs that case alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/vec.h"

typedef long double real;

/* Unit roundoff. */
#define U 0x1p-53

#define CASES 20000

/* ---- a transform in long double ---------------------------------------------------------------------------------- */

typedef struct wide {
    real m[3][3]; /* m[i] is column i */
    real c[3];
} wide;

static wide widen(tact_transform p)
{
    return (wide){{{p.x_axis.x, p.x_axis.y, p.x_axis.z},
                   {p.y_axis.x, p.y_axis.y, p.y_axis.z},
                   {p.z_axis.x, p.z_axis.y, p.z_axis.z}},
                  {p.origin.x, p.origin.y, p.origin.z}};
}

static wide compose_wide(const wide *outer, const wide *inner)
{
    wide r;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            r.m[k][i] =
                outer->m[0][i] * inner->m[k][0] + outer->m[1][i] * inner->m[k][1] + outer->m[2][i] * inner->m[k][2];
        r.c[i] =
            outer->m[0][i] * inner->c[0] + outer->m[1][i] * inner->c[1] + outer->m[2][i] * inner->c[2] + outer->c[i];
    }
    return r;
}

/* The largest entry of the linear part. */
static real largest(const wide *a)
{
    real most = 0;
    for (int i = 0; i < 9; i++)
        most = fmaxl(most, fabsl(a->m[i / 3][i % 3]));
    return most;
}

static real furthest(const wide *a) { return fmaxl(fabsl(a->c[0]), fmaxl(fabsl(a->c[1]), fabsl(a->c[2]))); }

/* The largest differences of the linear parts and of the origins. */
static void differ(const wide *a, const wide *b, real *linear, real *origin)
{
    *linear = *origin = 0;
    for (int i = 0; i < 9; i++)
        *linear = fmaxl(*linear, fabsl(a->m[i / 3][i % 3] - b->m[i / 3][i % 3]));
    for (int i = 0; i < 3; i++)
        *origin = fmaxl(*origin, fabsl(a->c[i] - b->c[i]));
}

/* Each number is drawn in its own statement: the order must not depend on the compiler. */
static tact_vec3 roll_vec(random_source *r, double size)
{
    double x = random_range(r, -size, size), y = random_range(r, -size, size), z = random_range(r, -size, size);
    return vec_make(x, y, z);
}

/* Rotated, scaled up to `ratio` to 1, half of them mirrored. */
static tact_transform roll_place(random_source *r, double ratio, double spread)
{
    double least = log(1.0 / ratio);
    double x = random_range(r, least, 0.0), y = random_range(r, least, 0.0), z = random_range(r, least, 0.0);
    tact_vec3 scale = vec_make(exp(x), exp(y), exp(z)), origin = roll_vec(r, spread);
    if (random_chance(r, 0.5))
        scale.y = -scale.y;
    return tact_transform_make(origin, random_rotation(r), scale);
}

static bool same(tact_transform a, tact_transform b)
{
    return vec_equal(a.x_axis, b.x_axis) && vec_equal(a.y_axis, b.y_axis) && vec_equal(a.z_axis, b.z_axis) &&
           vec_equal(a.origin, b.origin);
}

/* ---- the tests -----------------------------------------------------------------------------------------------------
 */

static void points_are_transformed_as_defined(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(2000); seed++) {
        random_source r = random_seed(seed);
        tact_transform p = roll_place(&r, 10.0, 5.0);
        tact_vec3 q = roll_vec(&r, 3.0);
        /* identical bits: rounded as the header states */
        double x = ((p.x_axis.x * q.x + p.y_axis.x * q.y) + p.z_axis.x * q.z) + p.origin.x;
        double y = ((p.x_axis.y * q.x + p.y_axis.y * q.y) + p.z_axis.y * q.z) + p.origin.y;
        double z = ((p.x_axis.z * q.x + p.y_axis.z * q.y) + p.z_axis.z * q.z) + p.origin.z;
        CHECK(vec_equal(tact_transform_point(p, q), vec_make(x, y, z)), "point");
        tact_vec3 v = tact_transform_vector(p, q);
        CHECK(vec_equal(vec_add(v, p.origin), vec_make(x, y, z)), "vector");
        CHECK(vec_equal(tact_transform_point(tact_identity(), q), q), "identity");
        CHECK(vec_equal(tact_transform_point(tact_at(1.0, 2.0, 3.0), q), vec_add(q, vec_make(1.0, 2.0, 3.0))), "at");
        tact_transform moved = tact_transform_translate(p, q);
        CHECK(vec_equal(moved.origin, vec_add(p.origin, q)) && vec_equal(moved.x_axis, p.x_axis), "translate");
        tact_transform stretched = tact_transform_scale(p, vec_make(2.0, -3.0, 0.5));
        CHECK(vec_equal(stretched.y_axis, vec_scale(p.y_axis, -3.0)) && vec_equal(stretched.origin, p.origin), "scale");
    }
}

static void composition_applies_inner_then_outer(void **state)
{
    (void)state;
    real worst = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(CASES); seed++) {
        random_source r = random_seed(seed);
        tact_transform outer = roll_place(&r, 1e6, 10.0), inner = roll_place(&r, 1e6, 10.0);
        wide o = widen(outer), i = widen(inner), want = compose_wide(&o, &i),
             got = widen(tact_transform_compose(outer, inner));
        real linear, origin;
        differ(&want, &got, &linear, &origin);
        real most = 3 * largest(&o);
        worst = fmaxl(worst, linear / (most * largest(&i)));
        CHECK(linear <= 3 * U * most * largest(&i), "linear off by %Lg", linear);
        CHECK(origin <= 4 * U * (most * furthest(&i) + furthest(&o)), "origin off by %Lg", origin);
    }
    assert_true(same(tact_transform_compose(tact_identity(), tact_at(1.0, 2.0, 3.0)), tact_at(1.0, 2.0, 3.0)));
}

static void the_inverse_is_the_inverse(void **state)
{
    (void)state;
    size_t skewed = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(CASES); seed++) {
        random_source r = random_seed(seed);
        tact_transform p = roll_place(&r, 1e4, 10.0);
        if (random_chance(&r, 0.3)) { /* scaled in a rotated frame: nearly singular */
            p = tact_transform_compose(roll_place(&r, 1e6, 1.0), p);
            skewed++;
        }
        tact_transform inverse, back;
        CHECK(tact_transform_invert(p, &inverse) == TACT_OK, "must be invertible");
        /* M^-1 M = I up to the rounding of the inverse's own entries */
        wide w = widen(p), v = widen(inverse), product = compose_wide(&v, &w), one = widen(tact_identity());
        real linear, origin, size = 3 * largest(&w) * largest(&v);
        differ(&product, &one, &linear, &origin);
        CHECK(linear <= 2e-13L + 4 * U * size, "M^-1 M differs from 1 by %Lg, size %Lg", linear, size);
        CHECK(origin <= 1e-12L * largest(&v) * furthest(&w) + 4 * U * size, "origin comes back at %Lg", origin);
        /* inverting twice gives the original, if well-conditioned */
        if (size < 100.0L) {
            CHECK(tact_transform_invert(inverse, &back) == TACT_OK, "the inverse is invertible");
            wide again = widen(back);
            differ(&again, &w, &linear, &origin);
            CHECK(linear <= 1e-13L * size && origin <= 1e-13L * size * (1 + furthest(&w)), "twice: %Lg %Lg", linear,
                  origin);
        }
    }
    if (!few_cases())
        assert_true(skewed > CASES / 5);
}

/* Each entry of an inverse has an error of a few of its own ulps, however ill-conditioned the transform is. */
static void the_inverse_of_a_nearly_singular_transform_is_accurate(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(CASES / 4); seed++) {
        random_source r = random_seed(seed);
        /* x, y and x + y + e z with small integers: the inverse is exact in long double */
        double e = ldexp(1.0, -random_between(&r, 5, 40));
        double a[3][3];
        for (int i = 0; i < 9; i++)
            a[i / 3][i % 3] = (double)random_between(&r, -8, 8);
        double whole = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
                       a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
                       a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
        if (whole == 0.0)
            continue;
        tact_transform p = {
            {a[0][0], a[0][1], a[0][2]},
            {a[1][0], a[1][1], a[1][2]},
            {a[0][0] + a[1][0] + e * a[2][0], a[0][1] + a[1][1] + e * a[2][1], a[0][2] + a[1][2] + e * a[2][2]},
            {0.0, 0.0, 0.0}};
        /* its determinant is exactly e times that of x, y, z; its cofactors are integers plus e times integers
         */
        const double *x = a[0], *y = a[1];
        real z[3] = {p.z_axis.x, p.z_axis.y, p.z_axis.z}, row[3][3];
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            row[0][i] = ((real)y[j] * z[k] - (real)y[k] * z[j]) / ((real)e * whole);
            row[1][i] = (z[j] * (real)x[k] - z[k] * (real)x[j]) / ((real)e * whole);
            row[2][i] = ((real)x[j] * y[k] - (real)x[k] * y[j]) / ((real)e * whole);
        }
        tact_transform inverse;
        CHECK(tact_transform_invert(p, &inverse) == TACT_OK, "it is not singular");
        wide got = widen(inverse);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                CHECK(fabsl(got.m[i][k] - row[k][i]) <= 4e-16L * fabsl(row[k][i]) * (e < 1e-3 ? 1.0L : 100.0L) + 1e-15L,
                      "entry %d %d: %Lg, not %Lg", k, i, got.m[i][k], row[k][i]);
    }
}

static void relative_transforms_far_from_the_origin_are_accurate(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(CASES); seed++) {
        random_source r = random_seed(seed);
        tact_vec3 far = vec_scale(random_direction(&r), 1e7);
        tact_transform frame = roll_place(&r, 2.0, 1.0), transform = roll_place(&r, 2.0, 1.0), relative;
        frame.origin = vec_add(frame.origin, far);
        transform.origin = vec_add(transform.origin, far);
        CHECK(tact_transform_relative(frame, transform, &relative) == TACT_OK, "frame is fine");
        /* composed with the frame it gives the transform */
        wide f = widen(frame), got = widen(relative), whole = compose_wide(&f, &got), want = widen(transform);
        real linear, origin;
        differ(&whole, &want, &linear, &origin);
        CHECK(linear <= 1e-14L, "linear off by %Lg", linear);
        CHECK(origin <= 1e-14L, "origin off by %Lg: 1e7 has shown", origin);
    }
}

/* A common translation of both, exact in doubles, does not change a bit. */
static void relative_transforms_are_translation_invariant(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(2000); seed++) {
        random_source r = random_seed(seed);
        tact_transform frame = roll_place(&r, 2.0, 0.0), transform = roll_place(&r, 2.0, 0.0), near, far;
        frame.origin = vec_make(random_between(&r, -9, 9), random_between(&r, -9, 9), random_between(&r, -9, 9));
        transform.origin = vec_make(random_between(&r, -9, 9), random_between(&r, -9, 9), random_between(&r, -9, 9));
        CHECK(tact_transform_relative(frame, transform, &near) == TACT_OK, "near");
        tact_vec3 shift = vec_make(1e7, -3e7, 2e7);
        CHECK(tact_transform_relative(tact_transform_translate(frame, shift),
                                      tact_transform_translate(transform, shift), &far) == TACT_OK,
              "far");
        CHECK(same(near, far), "differs");
    }
}

static void matrices_round_trip(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(2000); seed++) {
        random_source r = random_seed(seed);
        tact_transform p = roll_place(&r, 1e3, 1e3);
        double m[16];
        float f[16], again[16];
        tact_transform_to_matrix(p, m);
        CHECK(same(tact_transform_from_matrix(m), p), "doubles are exact");
        CHECK(m[3] == 0.0 && m[7] == 0.0 && m[11] == 0.0 && m[15] == 1.0, "bottom row");
        CHECK(m[0] == p.x_axis.x && m[4] == p.y_axis.x && m[12] == p.origin.x && m[14] == p.origin.z, "column-major");
        tact_transform_to_matrixf(p, f);
        for (int i = 0; i < 16; i++)
            CHECK(f[i] == (float)m[i], "rounded once, entry %d", i);
        tact_transform_to_matrixf(tact_transform_from_matrixf(f), again);
        CHECK(memcmp(f, again, sizeof f) == 0, "floats are exact from then on");
    }
    /* a matrix that is not affine is rejected by every query */
    for (int entry = 3; entry < 16; entry += 4) {
        double m[16];
        float f[16];
        tact_transform_to_matrix(tact_identity(), m);
        m[entry] += 0.5;
        for (int i = 0; i < 16; i++)
            f[i] = (float)m[i];
        tact_transform bad = tact_transform_from_matrix(m), badf = tact_transform_from_matrixf(f);
        assert_int_equal(tact_transform_check(&bad, NULL), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_transform_check(&badf, NULL), TACT_BAD_ARGUMENT);
    }
    double m[16];
    tact_transform_to_matrix(tact_identity(), m);
    m[15] = NAN;
    const tact_transform none = tact_transform_from_matrix(NULL), nonef = tact_transform_from_matrixf(NULL);
    assert_int_equal(tact_transform_check(&none, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_transform_check(&nonef, NULL), TACT_BAD_ARGUMENT);
    tact_transform_to_matrix(tact_identity(), NULL);
    tact_transform_to_matrixf(tact_identity(), NULL);
    tact_transform bad = tact_transform_from_matrix(m);
    assert_int_equal(tact_transform_check(&bad, NULL), TACT_BAD_ARGUMENT);
}

/* x -> q x q* in long double. */
static void turn_wide(tact_quat q, const real v[3], real out[3])
{
    real x = q.x, y = q.y, z = q.z, w = q.w, n = sqrtl(x * x + y * y + z * z + w * w);
    x /= n, y /= n, z /= n, w /= n;
    real t[3] = {2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])};
    out[0] = v[0] + w * t[0] + (y * t[2] - z * t[1]);
    out[1] = v[1] + w * t[1] + (z * t[0] - x * t[2]);
    out[2] = v[2] + w * t[2] + (x * t[1] - y * t[0]);
}

static void quaternions_are_normalised(void **state)
{
    (void)state;
    static const double lengths[] = {1.0, 1e-3, 7.0, 1e100, 1e-100, 1e300, 1e-300};
    for (uint64_t seed = first_seed(); seed <= last_seed(CASES); seed++) {
        random_source r = random_seed(seed);
        tact_quat unit = random_rotation(&r);
        double length = lengths[random_below(&r, 7)];
        tact_quat q = {unit.x * length, unit.y * length, unit.z * length, unit.w * length};
        tact_transform p = tact_transform_make(vec_make(0.0, 0.0, 0.0), q, vec_make(1.0, 1.0, 1.0));
        wide got = widen(p);
        for (int i = 0; i < 3; i++) {
            real axis[3] = {i == 0, i == 1, i == 2}, want[3];
            turn_wide(unit, axis, want);
            for (int k = 0; k < 3; k++)
                CHECK(fabsl(got.m[i][k] - want[k]) <= 12 * U, "length %g, entry %d %d off by %Lg", length, i, k,
                      got.m[i][k] - want[k]);
        }
        tact_transform turned = tact_transform_rotate(tact_at(1.0, 2.0, 3.0), q);
        CHECK(vec_equal(turned.origin, vec_make(1.0, 2.0, 3.0)), "turns about its own origin");
        CHECK(vec_equal(turned.x_axis, p.x_axis) && vec_equal(turned.z_axis, p.z_axis), "as tact_transform_make turns");
    }
    tact_quat quarter = tact_quat_from_axis_angle(vec_make(0.0, 0.0, 5.0), 1.5707963267948966);
    tact_vec3 up = tact_transform_point(tact_transform_make(vec_make(0.0, 0.0, 0.0), quarter, vec_make(1.0, 1.0, 1.0)),
                                        vec_make(1.0, 0.0, 0.0));
    assert_true(fabs(up.x) < 1e-15 && fabs(up.y - 1.0) < 1e-15); /* counter-clockwise */
    /* the zero quaternion, and one that is not finite, give a transform that every query rejects */
    static const tact_quat bad[] = {{0, 0, 0, 0}, {INFINITY, 0, 0, 1}, {0, NAN, 0, 1}, {NAN, NAN, NAN, NAN}};
    for (int i = 0; i < 4; i++) {
        tact_transform p = tact_transform_make(vec_make(0.0, 0.0, 0.0), bad[i], vec_make(1.0, 1.0, 1.0));
        assert_int_equal(tact_transform_check(&p, NULL), TACT_BAD_ARGUMENT);
    }
}

static void determinants_detect_mirroring(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(2000); seed++) {
        random_source r = random_seed(seed);
        tact_vec3 scale = vec_make(random_range(&r, 0.1, 3.0), random_range(&r, 0.1, 3.0), random_range(&r, 0.1, 3.0));
        int mirrors = 0;
        if (random_chance(&r, 0.5))
            scale.x = -scale.x, mirrors++;
        if (random_chance(&r, 0.5))
            scale.y = -scale.y, mirrors++;
        if (random_chance(&r, 0.5))
            scale.z = -scale.z, mirrors++;
        tact_transform p = tact_transform_make(roll_vec(&r, 1.0), random_rotation(&r), scale);
        double want = scale.x * scale.y * scale.z, got = tact_transform_determinant(p);
        CHECK(fabs(got - want) <= 1e-14 * fabs(want), "%g, not %g", got, want);
        CHECK((got < 0.0) == (mirrors % 2 == 1), "mirrors %d, determinant %g", mirrors, got);
        CHECK(tact_transform_check(&p, NULL) == TACT_OK, "a mirror is no fault");
    }
}

static void expect_singular(tact_transform p)
{
    tact_report report = {TACT_OK, "x"};
    assert_int_equal(tact_transform_check(&p, &report), TACT_BAD_ARGUMENT);
    assert_int_equal(report.status, TACT_BAD_ARGUMENT);
    assert_non_null(strstr(report.text, "singular"));
    assert_int_equal(tact_transform_check(&p, NULL), TACT_BAD_ARGUMENT);
    tact_transform kept = tact_at(7.0, 8.0, 9.0);
    assert_int_equal(tact_transform_invert(p, &kept), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_transform_relative(p, tact_identity(), &kept), TACT_BAD_ARGUMENT);
    assert_true(same(kept, tact_at(7.0, 8.0, 9.0))); /* unchanged */
}

static void singular_transforms_are_detected(void **state)
{
    (void)state;
    const tact_quat rotation = tact_quat_from_axis_angle(vec_make(1.0, 2.0, 3.0), 0.7);
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    expect_singular(tact_transform_make(zero, rotation, vec_make(1.0, 0.0, 1.0)));
    expect_singular(tact_transform_make(zero, rotation, zero));
    expect_singular(tact_transform_make(zero, (tact_quat){0, 0, 0, 0}, vec_make(1.0, 1.0, 1.0)));
    tact_transform p = tact_identity(); /* parallel columns */
    p.y_axis = vec_make(3.0, 0.0, 0.0);
    expect_singular(p);
    p.x_axis = vec_make(0.1, 0.2, 0.3);
    p.y_axis = vec_make(-0.2, -0.4, -0.6); /* twice: exactly parallel in doubles too */
    expect_singular(p);
    p.x_axis = vec_make(1.0, 2.0, 3.0); /* three in one plane, no two parallel */
    p.y_axis = vec_make(4.0, 5.0, 6.0);
    p.z_axis = vec_make(7.0, 8.0, 9.0);
    expect_singular(p);
    for (uint64_t seed = first_seed(); seed <= last_seed(5000); seed++) {
        random_source r = random_seed(seed); /* the same at any scale, with all the digits of a double */
        tact_vec3 x = vec_scale(random_direction(&r), ldexp(1.0, random_between(&r, -400, 400)));
        double s = ldexp(1.0, random_between(&r, -400, 400));
        p = (tact_transform){x, vec_scale(x, s), random_direction(&r), zero};
        CHECK(tact_transform_check(&p, NULL) == TACT_BAD_ARGUMENT, "parallel");
    }
}

static void nearly_singular_transforms_are_accepted(void **state)
{
    (void)state;
    size_t across = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(CASES); seed++) {
        random_source r = random_seed(seed);
        double thin = random_chance(&r, 0.5) ? 1e-12 : ldexp(1.0, -random_between(&r, 20, 300));
        tact_vec3 scale = vec_make(thin, random_chance(&r, 0.5) ? thin : 1.0, 1.0);
        tact_transform p = tact_transform_make(roll_vec(&r, 1.0), random_rotation(&r), scale), inverse;
        tact_report report;
        CHECK(tact_transform_check(&p, &report) == TACT_OK && report.status == TACT_OK && report.text[0] == '\0', "%s",
              report.text);
        CHECK(tact_transform_invert(p, &inverse) == TACT_OK, "thin %g", thin);
        wide w = widen(p), v = widen(inverse), product = compose_wide(&v, &w), one = widen(tact_identity());
        for (int i = 0; i < 3; i++) /* each column relative to its own length */
            for (int k = 0; k < 3; k++) {
                real row = fabsl(v.m[0][i]) + fabsl(v.m[1][i]) + fabsl(v.m[2][i]);
                real column = fabsl(w.m[k][0]) + fabsl(w.m[k][1]) + fabsl(w.m[k][2]);
                CHECK(fabsl(product.m[k][i] - one.m[k][i]) <= 1e-15L * row * column, "entry %d %d is %Lg, thin %g", i,
                      k, product.m[k][i], thin);
            }
        /* flattened in a rotated frame: all columns nearly in one plane or along one line */
        tact_transform squash = tact_transform_make(vec_make(0.0, 0.0, 0.0), random_rotation(&r),
                                                    vec_make(1.0, 1e-12, random_chance(&r, 0.5) ? 1e-12 : 1.0));
        p = tact_transform_compose(squash, roll_place(&r, 1.0, 1.0));
        across += tact_transform_check(&p, NULL) == TACT_OK;
    }
    if (!few_cases())
        assert_int_equal(across, CASES);
}

static void tiny_and_huge_scales_are_accepted(void **state)
{
    (void)state;
    static const double scales[] = {1e-300, 1e-200, 1e-100, 1e-30, 1e30, 1e100, 1e200, 1e300};
    const tact_quat rotation = tact_quat_from_axis_angle(vec_make(1.0, -2.0, 0.5), 1.1);
    for (int i = 0; i < 8; i++) {
        double s = scales[i];
        tact_transform p = tact_transform_make(vec_make(s, -s, 2.0 * s), rotation, vec_make(s, s, -s)), inverse;
        assert_int_equal(tact_transform_check(&p, NULL), TACT_OK);
        assert_int_equal(tact_transform_invert(p, &inverse), TACT_OK);
        wide w = widen(p), v = widen(inverse), product = compose_wide(&v, &w), one = widen(tact_identity());
        real linear, origin;
        differ(&product, &one, &linear, &origin);
        assert_true(linear <= 1e-15L && origin <= 1e-14L);
    }
    /* a different scale per axis: the determinant would over- or underflow */
    tact_transform p = tact_transform_make(vec_make(0.0, 0.0, 0.0), rotation, vec_make(1e-200, 1.0, 1e200)), inverse;
    assert_int_equal(tact_transform_check(&p, NULL), TACT_OK);
    assert_int_equal(tact_transform_invert(p, &inverse), TACT_OK);
    double x = vec_dot(vec_make(inverse.x_axis.x, inverse.y_axis.x, inverse.z_axis.x), p.x_axis);
    double y = vec_dot(vec_make(inverse.x_axis.y, inverse.y_axis.y, inverse.z_axis.y), p.y_axis);
    double z = vec_dot(vec_make(inverse.x_axis.z, inverse.y_axis.z, inverse.z_axis.z), p.z_axis);
    assert_true(fabs(x - 1.0) < 1e-15 && fabs(y - 1.0) < 1e-15 && fabs(z - 1.0) < 1e-15);
    /* an inverse out of the range of doubles is an error */
    p = tact_transform_make(vec_make(0.0, 0.0, 0.0), rotation, vec_make(DBL_TRUE_MIN, 1.0, 1.0));
    inverse = tact_at(7.0, 8.0, 9.0);
    assert_int_equal(tact_transform_invert(p, &inverse), TACT_BAD_ARGUMENT);
    assert_true(same(inverse, tact_at(7.0, 8.0, 9.0)));
    p = tact_identity(); /* a finite transform whose inverse has an origin out of range */
    p.x_axis.x = 1e-200;
    p.origin.x = 1e200;
    assert_int_equal(tact_transform_invert(p, &inverse), TACT_BAD_ARGUMENT);
    assert_true(same(inverse, tact_at(7.0, 8.0, 9.0)));
}

static void nan_and_infinity_are_rejected(void **state)
{
    (void)state;
    static const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 12; i++) {
        for (int k = 0; k < 3; k++) {
            double m[16];
            tact_report report;
            tact_transform_to_matrix(tact_identity(), m);
            m[4 * (i / 3) + i % 3] = bad[k];
            tact_transform p = tact_transform_from_matrix(m), kept = tact_at(1.0, 2.0, 3.0);
            assert_int_equal(tact_transform_check(&p, &report), TACT_BAD_ARGUMENT);
            assert_non_null(strstr(report.text, "NaN or an infinity"));
            assert_int_equal(tact_transform_invert(p, &kept), TACT_BAD_ARGUMENT);
            assert_true(same(kept, tact_at(1.0, 2.0, 3.0)));
        }
    }
    tact_report report;
    assert_int_equal(tact_transform_check(NULL, &report), TACT_BAD_ARGUMENT);
    assert_non_null(strstr(report.text, "NULL"));
    assert_int_equal(tact_transform_check(NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_transform_invert(tact_identity(), NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_transform_relative(tact_identity(), tact_identity(), NULL), TACT_BAD_ARGUMENT);
}

/* exp([w] t) v by its power series, in long double; halved and squared first so that the series is short. */
static void exponential(const real w[3], real t, const real v[3], real out[3])
{
    real m[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, term[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, next[3][3];
    real a[3][3] = {{0, -w[2], w[1]}, {w[2], 0, -w[0]}, {-w[1], w[0], 0}};
    int halvings = 0;
    for (real size = fabsl(t) * (fabsl(w[0]) + fabsl(w[1]) + fabsl(w[2])); size > 0.5L; size /= 2)
        halvings++;
    t = ldexpl(t, -halvings);
    for (int n = 1; n < 30; n++) {
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                next[i][k] = (term[i][0] * a[0][k] + term[i][1] * a[1][k] + term[i][2] * a[2][k]) * t / n;
        memcpy(term, next, sizeof term);
        for (int i = 0; i < 9; i++)
            m[i / 3][i % 3] += term[i / 3][i % 3];
    }
    while (halvings-- > 0) {
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                next[i][k] = m[i][0] * m[0][k] + m[i][1] * m[1][k] + m[i][2] * m[2][k];
        memcpy(m, next, sizeof m);
    }
    for (int i = 0; i < 3; i++)
        out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
}

static void motions_agree_with_the_power_series(void **state)
{
    (void)state;
    size_t many_turns = 0, slow = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(5000); seed++) {
        random_source r = random_seed(seed);
        tact_transform p = roll_place(&r, 10.0, 10.0);
        tact_motion m = {.velocity = roll_vec(&r, 3.0), .acceleration = roll_vec(&r, 3.0), .spin = roll_vec(&r, 1.0)};
        double spin = exp(random_range(&r, log(1e-9), log(100.0)));
        m.spin = vec_scale(m.spin, spin);
        double t = random_range(&r, -2.0, 2.0);
        double angle = vec_length(m.spin) * fabs(t);
        many_turns += angle > 6.3;
        slow += angle < 1e-6;
        wide got = widen(tact_motion_at(m, p, t)), from = widen(p);
        real w[3] = {m.spin.x, m.spin.y, m.spin.z};
        for (int i = 0; i < 3; i++) {
            real want[3];
            exponential(w, t, from.m[i], want);
            for (int k = 0; k < 3; k++)
                CHECK(fabsl(got.m[i][k] - want[k]) <= (8 + 4 * angle) * U, "axis %d off by %Lg after %g rad", i,
                      got.m[i][k] - want[k], angle);
        }
        real v[3] = {m.velocity.x, m.velocity.y, m.velocity.z},
             a[3] = {m.acceleration.x, m.acceleration.y, m.acceleration.z};
        for (int k = 0; k < 3; k++) {
            real want = from.c[k] + v[k] * (real)t + a[k] * (real)t * t / 2;
            CHECK(fabsl(got.c[k] - want) <= 40 * U, "origin off by %Lg", got.c[k] - want);
        }
    }
    if (!few_cases())
        assert_true(many_turns > 300 && slow > 300);
}

static void motion_at_rest_changes_nothing(void **state)
{
    (void)state;
    random_source r = random_seed(3);
    for (int i = 0; i < 100; i++) {
        tact_transform p = roll_place(&r, 100.0, 10.0);
        const tact_motion lost = {.spin = {0.0, NAN, 0.0}};
        const tact_transform nowhere = tact_motion_at(lost, p, 1.0);
        assert_int_equal(tact_transform_check(&nowhere, NULL), TACT_BAD_ARGUMENT);
        assert_true(vec_finite(nowhere.x_axis) && vec_finite(nowhere.y_axis) && vec_finite(nowhere.z_axis));
        assert_true(same(tact_motion_at(tact_motion_still(), p, random_range(&r, -9.0, 9.0)), p));
        tact_motion any = {.velocity = roll_vec(&r, 1.0), .acceleration = roll_vec(&r, 1.0), .spin = roll_vec(&r, 1.0)};
        assert_true(same(tact_motion_at(any, p, 0.0), p));
        tact_transform drifted = tact_motion_at(tact_motion_linear(1.0, 2.0, -4.0), p, 0.5);
        assert_true(vec_equal(drifted.origin, vec_add(p.origin, vec_make(0.5, 1.0, -2.0))) &&
                    vec_equal(drifted.y_axis, p.y_axis));
    }
    tact_motion zero;
    memset(&zero, 0, sizeof zero);
    assert_true(same(tact_motion_at(zero, tact_at(1.0, 2.0, 3.0), 5.0), tact_at(1.0, 2.0, 3.0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_transformed_as_defined),
        cmocka_unit_test(composition_applies_inner_then_outer),
        cmocka_unit_test(the_inverse_is_the_inverse),
        cmocka_unit_test(the_inverse_of_a_nearly_singular_transform_is_accurate),
        cmocka_unit_test(relative_transforms_far_from_the_origin_are_accurate),
        cmocka_unit_test(relative_transforms_are_translation_invariant),
        cmocka_unit_test(matrices_round_trip),
        cmocka_unit_test(quaternions_are_normalised),
        cmocka_unit_test(determinants_detect_mirroring),
        cmocka_unit_test(singular_transforms_are_detected),
        cmocka_unit_test(nearly_singular_transforms_are_accepted),
        cmocka_unit_test(tiny_and_huge_scales_are_accepted),
        cmocka_unit_test(nan_and_infinity_are_rejected),
        cmocka_unit_test(motions_agree_with_the_power_series),
        cmocka_unit_test(motion_at_rest_changes_nothing),
    };
    return cmocka_run_group_tests_name("transform", tests, NULL, NULL);
}
