/*
 * The exact predicates against GMP. The oracle decomposes the doubles with frexp, scales them to integers and evaluates
 * determinants of homogeneous coordinates by cofactors: no differences of points, no code in common with the library.
 * Each case is evaluated in the default floating-point environment and in each rounding mode, with subnormals kept and
 * flushed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <float.h>
#include <gmp.h>
#include <math.h>
#include <tact/predicates.h>

#include "math/exact.h"
#include "math/filter.h"
#include "math/fp_environment.h"
#include "support/host_fp_environment.h"
#include "support/long_form.h"
#include "support/random.h"

typedef enum question {
    ORIENT2D,
    ORIENT3D,
    COLLINEAR,
    DOT_SIGN,
    IS_BETWEEN,
    COMPARE_DISTANCE,
    INSPHERE,
    QUESTIONS
} question;

static const char *const question_names[QUESTIONS] = {"orient2d",   "orient3d",         "collinear", "dot sign",
                                                      "is between", "compare distance", "insphere"};

static int ask(question q, const tact_vec3 p[5])
{
    switch (q) {
    case ORIENT2D:
        return tact_orient2d((double[]){p[0].x, p[0].y}, (double[]){p[1].x, p[1].y}, (double[]){p[2].x, p[2].y});
    case ORIENT3D:
        return tact_orient3d(p[0], p[1], p[2], p[3]);
    case COLLINEAR:
        return tact_collinear(p[0], p[1], p[2]);
    case DOT_SIGN:
        return tact_dot_sign(p[0], p[1], p[2]);
    case IS_BETWEEN:
        return tact_is_between(p[0], p[1], p[2]);
    case COMPARE_DISTANCE:
        return tact_compare_distance(p[0], p[1], p[2]);
    default:
        return tact_insphere(p[0], p[1], p[2], p[3], p[4]);
    }
}

static int ask_exact(question q, const tact_vec3 p[5])
{
    switch (q) {
    case ORIENT2D:
        return tact_exact_orient2d(p[0].x, p[0].y, p[1].x, p[1].y, p[2].x, p[2].y);
    case ORIENT3D:
        return tact_exact_orient3d(p[0], p[1], p[2], p[3]);
    case COLLINEAR:
        return tact_exact_collinear(p[0], p[1], p[2]);
    case DOT_SIGN:
        return tact_exact_dot_sign(p[0], p[1], p[2]);
    case IS_BETWEEN:
        return tact_exact_collinear(p[0], p[1], p[2]) && tact_exact_dot_sign(p[0], p[1], p[2]) <= 0;
    case COMPARE_DISTANCE:
        return tact_exact_compare_distance(p[0], p[1], p[2]);
    default:
        return tact_exact_insphere(p[0], p[1], p[2], p[3], p[4]);
    }
}

/* Do the filters prove that the points are not collinear? */
static int filter_not_collinear(const tact_vec3 p[5])
{
    return filter_orient2d(p[0].x, p[0].y, p[1].x, p[1].y, p[2].x, p[2].y) != 0 ||
           filter_orient2d(p[0].y, p[0].z, p[1].y, p[1].z, p[2].y, p[2].z) != 0 ||
           filter_orient2d(p[0].z, p[0].x, p[1].z, p[1].x, p[2].z, p[2].x) != 0;
}

/* Is it a predicate with the values 1 and 0? Its filter can only prove 0. */
static bool is_yes_or_no(int q) { return q == COLLINEAR || q == IS_BETWEEN; }

/* The result of the filter, 0: unproved. For a boolean predicate 1 stands for "proved false". */
static int ask_filter(question q, const tact_vec3 p[5])
{
    switch (q) {
    case ORIENT2D:
        return filter_orient2d(p[0].x, p[0].y, p[1].x, p[1].y, p[2].x, p[2].y);
    case ORIENT3D:
        return filter_orient3d(p[0], p[1], p[2], p[3]);
    case COLLINEAR:
        return filter_not_collinear(p);
    case DOT_SIGN:
        return filter_dot_sign(p[0], p[1], p[2]);
    case IS_BETWEEN:
        return filter_dot_sign(p[0], p[1], p[2]) > 0 || filter_not_collinear(p);
    case COMPARE_DISTANCE:
        return filter_compare_distance(p[0], p[1], p[2]);
    default:
        return filter_insphere(p[0], p[1], p[2], p[3], p[4]);
    }
}

/* ---- the oracle ---- */

static mpz_t coordinate[5][3]; /* the five points, times a common power of two */

static void load(const tact_vec3 p[5])
{
    int lowest = INT32_MAX;
    long long mantissa[5][3];
    int exponent[5][3];
    for (int i = 0; i < 5; ++i)
        for (int k = 0; k < 3; ++k) {
            double x = k == 0 ? p[i].x : k == 1 ? p[i].y : p[i].z;
            mantissa[i][k] = (long long)ldexp(frexp(x, &exponent[i][k]), 53);
            exponent[i][k] -= 53;
            if (mantissa[i][k] != 0 && exponent[i][k] < lowest)
                lowest = exponent[i][k];
        }
    for (int i = 0; i < 5; ++i)
        for (int k = 0; k < 3; ++k) {
            mpz_set_si(coordinate[i][k], (long)mantissa[i][k]);
            if (mantissa[i][k] != 0)
                mpz_mul_2exp(coordinate[i][k], coordinate[i][k], (mp_bitcnt_t)(exponent[i][k] - lowest));
        }
}

/* The determinant of the rows from `row` on and the columns whose bits are set, by cofactors along the first row. */
static void determinant(mpz_t result, mpz_t matrix[5][5], int n, int row, unsigned columns)
{
    mpz_set_ui(result, 0);
    if (row == n) {
        mpz_set_ui(result, 1);
        return;
    }
    mpz_t minor;
    mpz_init(minor);
    int sign = 1;
    for (int c = 0; c < n; ++c) {
        if (!(columns >> c & 1))
            continue;
        determinant(minor, matrix, n, row + 1, columns & ~(1u << c));
        mpz_mul(minor, minor, matrix[row][c]);
        if (sign > 0)
            mpz_add(result, result, minor);
        else
            mpz_sub(result, result, minor);
        sign = -sign;
    }
    mpz_clear(minor);
}

static mpz_t rows[5][5], scratch, total;

static int determinant_sign(int n)
{
    determinant(total, rows, n, 0, (1u << n) - 1);
    return mpz_sgn(total);
}

static void dot_to(mpz_t result, int i, int j)
{
    mpz_set_ui(result, 0);
    for (int k = 0; k < 3; ++k)
        mpz_addmul(result, coordinate[i][k], coordinate[j][k]);
}

/* The orientation of the projections of points 0, 1, 2 onto the plane of two axes. */
static int orientation(int axis, int other)
{
    for (int i = 0; i < 3; ++i) {
        mpz_set_ui(rows[i][0], 1);
        mpz_set(rows[i][1], coordinate[i][axis]);
        mpz_set(rows[i][2], coordinate[i][other]);
    }
    return determinant_sign(3);
}

/* The result for the loaded points. */
static int oracle(question q)
{
    switch (q) {
    case ORIENT2D:
        return orientation(0, 1);
    case ORIENT3D: /* |1 p| */
        for (int i = 0; i < 4; ++i) {
            mpz_set_ui(rows[i][0], 1);
            for (int k = 0; k < 3; ++k)
                mpz_set(rows[i][k + 1], coordinate[i][k]);
        }
        return determinant_sign(4);
    case COLLINEAR:
        return orientation(0, 1) == 0 && orientation(1, 2) == 0 && orientation(2, 0) == 0;
    case DOT_SIGN: /* a.b - a.c - b.c + c.c */
        dot_to(total, 0, 1);
        dot_to(scratch, 0, 2), mpz_sub(total, total, scratch);
        dot_to(scratch, 1, 2), mpz_sub(total, total, scratch);
        dot_to(scratch, 2, 2), mpz_add(total, total, scratch);
        return mpz_sgn(total);
    case IS_BETWEEN: /* collinear, and on each axis within the two ends */
        for (int k = 0; k < 3; ++k)
            if (mpz_cmp(coordinate[2][k], coordinate[0][k]) * mpz_cmp(coordinate[2][k], coordinate[1][k]) > 0)
                return 0;
        return oracle(COLLINEAR);
    case COMPARE_DISTANCE: /* a.a - b.b - 2 a.c + 2 b.c */
        dot_to(total, 1, 2);
        dot_to(scratch, 0, 2), mpz_sub(total, total, scratch);
        mpz_mul_ui(total, total, 2);
        dot_to(scratch, 0, 0), mpz_add(total, total, scratch);
        dot_to(scratch, 1, 1), mpz_sub(total, total, scratch);
        return mpz_sgn(total);
    default: /* |1 p.p p|, with e in the first row */
        for (int i = 0; i < 5; ++i) {
            int point = (i + 4) % 5;
            mpz_set_ui(rows[i][0], 1);
            dot_to(rows[i][1], point, point);
            for (int k = 0; k < 3; ++k)
                mpz_set(rows[i][k + 2], coordinate[point][k]);
        }
        return determinant_sign(5);
    }
}

static int open_oracle(void **state)
{
    (void)state;
    mpz_inits(scratch, total, NULL);
    for (int i = 0; i < 5; ++i) {
        for (int k = 0; k < 3; ++k)
            mpz_init(coordinate[i][k]);
        for (int k = 0; k < 5; ++k)
            mpz_init(rows[i][k]);
    }
    return 0;
}

static int close_oracle(void **state)
{
    (void)state;
    mpz_clears(scratch, total, NULL);
    for (int i = 0; i < 5; ++i) {
        for (int k = 0; k < 3; ++k)
            mpz_clear(coordinate[i][k]);
        for (int k = 0; k < 5; ++k)
            mpz_clear(rows[i][k]);
    }
    return 0;
}

/* ---- the cases ---- */

typedef enum regime {
    UNIT,       /* uniform in the unit cube */
    ANY,        /* every exponent equally likely */
    SCALED,     /* each axis has a power of two of its own */
    GRID,       /* small integers times a power of two: often coplanar, collinear, cospherical */
    SUBNORMAL,  /* small multiples of the smallest double */
    NEAR_PLANE, /* the fourth point in the plane of the others up to rounding, moved by a few ulps; the third likewise
                   near the line */
    SPECIAL,    /* special values: zeros of both signs, the largest, the smallest ... */
    DUPLICATES, /* some points equal */
    ON_SPHERE,  /* integer points on a common sphere, some moved by an ulp */
    FAR_AWAY,   /* close together and far from the origin */
    AT_FILTER_LIMITS, /* magnitudes at the limits of the filter */
    AT_INT128_LIMIT,  /* coordinates of about INT128_MAX_BITS bits */
    ANGLE,            /* a right angle at the third point, up to rounding */
    ON_SEGMENT,       /* the third point on the line of the first two, near an end; some moved by an ulp */
    REGIMES
} regime;

static const char *const regime_names[REGIMES] = {"unit",       "any",      "scaled", "grid",      "subnormal",
                                                  "near plane", "special",  "twins",  "on sphere", "far away",
                                                  "at limits",  "at short", "angle",  "on segment"};

static tact_vec3 point_with(random_source *s, double (*draw)(random_source *, int), int parameter)
{
    double x = draw(s, parameter), y = draw(s, parameter), z = draw(s, parameter);
    return (tact_vec3){x, y, z};
}

static double draw_unit(random_source *s, int parameter)
{
    (void)parameter;
    return random_unit(s);
}

static double draw_any(random_source *s, int parameter)
{
    (void)parameter;
    return random_finite(s);
}

static double draw_whole(random_source *s, int exponent) { return ldexp((double)random_between(s, -3, 3), exponent); }

static double draw_scaled(random_source *s, int exponent)
{
    double size = random_size(s, -3, 0);
    return ldexp(size, exponent);
}

static double draw_special(random_source *s, int parameter)
{
    static const double zoo[] = {0.0,
                                 -0.0,
                                 1.0,
                                 -1.0,
                                 DBL_MAX,
                                 -DBL_MAX,
                                 DBL_MIN,
                                 -DBL_MIN,
                                 0x1p-1074,
                                 -0x1p-1074,
                                 0x1.fffffffffffffp-1023,
                                 0x1p1023,
                                 1.0 + DBL_EPSILON,
                                 0x1p-537,
                                 0x1p512,
                                 3.0};
    (void)parameter;
    return zoo[random_below(s, sizeof zoo / sizeof zoo[0])];
}

/* A number of about `bits` bits, with the highest and the lowest set. */
static double draw_long(random_source *s, int bits)
{
    double high = ldexp(1.0, bits), low = (double)random_between(s, 0, 20);
    if (random_chance(s, 0.5))
        low = high - ldexp(1.0 + low, bits - 53);
    return random_chance(s, 0.5) ? low : -low;
}

/* Moves a number by a few ulps. */
static double nudge(random_source *s, double x)
{
    int steps = random_between(s, -2, 2);
    for (; steps > 0; --steps)
        x = nextafter(x, INFINITY);
    for (; steps < 0; ++steps)
        x = nextafter(x, -INFINITY);
    return fabs(x) <= DBL_MAX ? x : 0.0;
}

static tact_vec3 nudge_point(random_source *s, tact_vec3 p)
{
    double x = nudge(s, p.x), y = nudge(s, p.y), z = nudge(s, p.z);
    return (tact_vec3){x, y, z};
}

static tact_vec3 mix(tact_vec3 a, double u, tact_vec3 b, double v, tact_vec3 c)
{
    double w = 1.0 - u - v;
    return (tact_vec3){w * a.x + u * b.x + v * c.x, w * a.y + u * b.y + v * c.y, w * a.z + u * b.z + v * c.z};
}

static void make_near_plane(random_source *s, tact_vec3 p[5])
{
    int exponent = random_chance(s, 0.5) ? 0 : random_between(s, -1070, 1020);
    for (int i = 0; i < 5; ++i)
        p[i] = point_with(s, draw_scaled, exponent);
    double u = random_range(s, -1.0, 1.0), v = random_range(s, -1.0, 1.0);
    if (random_chance(s, 0.5))
        p[2] = mix(p[0], 0.5 * u, p[1], 0.0, p[1]); /* near the line */
    p[3] = mix(p[0], 0.5 * u, p[1], 0.5 * v, p[2]);
    p[4] = mix(p[0], 0.5, p[1], 0.0, p[2]); /* near the midpoint: the distances nearly tie */
    for (int i = 2; i < 5; ++i)
        p[i] = nudge_point(s, p[i]);
    if (random_chance(s, 0.3)) /* a near tie of distances: c between a and b */
        p[2] = p[4];
}

/* Points whose coordinates are the same three integers up to order and sign lie on a sphere about the origin. */
static void make_on_sphere(random_source *s, tact_vec3 p[5])
{
    int exponent = random_chance(s, 0.5) ? 0 : random_between(s, -1070, 1010);
    int size[3];
    for (int k = 0; k < 3; ++k)
        size[k] = random_between(s, 0, 100);
    tact_vec3 centre = point_with(s, draw_whole, 4);
    for (int i = 0; i < 5; ++i) {
        int first = random_between(s, 0, 2), step = random_between(s, 1, 2);
        double c[3];
        for (int k = 0; k < 3; ++k) {
            int value = size[(first + k * step) % 3];
            c[k] = (double)(random_chance(s, 0.5) ? value : -value);
        }
        p[i] = (tact_vec3){ldexp(c[0] + centre.x, exponent), ldexp(c[1] + centre.y, exponent),
                           ldexp(c[2] + centre.z, exponent)};
    }
    if (random_chance(s, 0.5))
        p[4] = nudge_point(s, p[4]);
    if (random_chance(s, 0.3)) /* equally far from the third */
        p[2] = (tact_vec3){ldexp(centre.x, exponent), ldexp(centre.y, exponent), ldexp(centre.z, exponent)};
}

static void make_angle(random_source *s, tact_vec3 p[5])
{
    for (int i = 0; i < 5; ++i)
        p[i] = point_with(s, draw_scaled, 0);
    tact_vec3 u = p[0], w = p[1], c = p[2];
    tact_vec3 v = {u.y * w.z - u.z * w.y, u.z * w.x - u.x * w.z, u.x * w.y - u.y * w.x};
    p[0] = (tact_vec3){c.x + u.x, c.y + u.y, c.z + u.z};
    p[1] = (tact_vec3){c.x + v.x, c.y + v.y, c.z + v.z};
    p[1] = nudge_point(s, p[1]);
}

/* a, b = a + n d, c = a + m d with m from -1 to n + 1, all integers times a power of two. */
static void make_on_segment(random_source *s, tact_vec3 p[5])
{
    const int exponent = random_chance(s, 0.3) ? -1074 : random_between(s, -300, 300);
    const tact_vec3 d = point_with(s, draw_whole, exponent);
    const double n = random_between(s, 1, 5), m = random_between(s, -1, (int)n + 1);
    for (int i = 0; i < 5; ++i)
        p[i] = point_with(s, draw_whole, exponent);
    p[1] = (tact_vec3){p[0].x + n * d.x, p[0].y + n * d.y, p[0].z + n * d.z};
    p[2] = (tact_vec3){p[0].x + m * d.x, p[0].y + m * d.y, p[0].z + m * d.z};
    if (random_chance(s, 0.2))
        p[2] = nudge_point(s, p[2]);
}

static void make_case(random_source *s, regime r, tact_vec3 p[5])
{
    int exponent[3];
    switch (r) {
    case UNIT:
        for (int i = 0; i < 5; ++i)
            p[i] = point_with(s, draw_unit, 0);
        break;
    case ANY:
        for (int i = 0; i < 5; ++i)
            p[i] = point_with(s, draw_any, 0);
        break;
    case SCALED:
        for (int k = 0; k < 3; ++k)
            exponent[k] = random_between(s, -1070, 1020);
        for (int i = 0; i < 5; ++i) {
            p[i].x = draw_scaled(s, exponent[0]);
            p[i].y = draw_scaled(s, exponent[1]);
            p[i].z = draw_scaled(s, exponent[2]);
        }
        break;
    case GRID:
    case SUBNORMAL:
        exponent[0] = r == SUBNORMAL ? -1074 : random_chance(s, 0.5) ? 0 : random_between(s, -1074, 1021);
        for (int i = 0; i < 5; ++i)
            p[i] = point_with(s, draw_whole, exponent[0]);
        break;
    case NEAR_PLANE:
        make_near_plane(s, p);
        break;
    case SPECIAL:
        for (int i = 0; i < 5; ++i)
            p[i] = point_with(s, draw_special, 0);
        break;
    case DUPLICATES:
        exponent[0] = random_between(s, -1070, 1020);
        for (int i = 0; i < 5; ++i)
            p[i] = point_with(s, draw_scaled, exponent[0]);
        for (int i = 0, copies = random_between(s, 1, 2); i < copies; ++i) {
            int from = random_between(s, 0, 4), to = random_between(s, 0, 4);
            p[to] = p[from];
        }
        break;
    case ON_SPHERE:
        make_on_sphere(s, p);
        break;
    case FAR_AWAY:
        for (int i = 0; i < 5; ++i) {
            p[i] = point_with(s, draw_unit, 0);
            p[i] = (tact_vec3){p[i].x * 0x1p-48 + 1.0, p[i].y * 0x1p-44 + 5.0, p[i].z * 0x1p-40 - 7.0};
        }
        break;
    case AT_INT128_LIMIT:
        exponent[0] = random_between(s, 57, 65);
        for (int i = 0; i < 5; ++i)
            p[i] = point_with(s, draw_long, exponent[0]);
        break;
    case ANGLE:
        make_angle(s, p);
        break;
    case ON_SEGMENT:
        make_on_segment(s, p);
        break;
    default:
        exponent[0] = random_chance(s, 0.5) ? random_between(s, -302, -298) : random_between(s, 297, 302);
        if (random_chance(s, 0.5))
            exponent[0] /= 2; /* the limits of insphere */
        for (int i = 0; i < 5; ++i)
            p[i] = point_with(s, draw_scaled, exponent[0]);
        break;
    }
}

/* ---- the tests ---- */

enum { CASES = 1000 }; /* of each regime, at most */

static int case_count(void) { return (int)random_case_count(150, CASES); }

static tact_vec3 cases[CASES][5];
static int truth[CASES][QUESTIONS];
static int answer[CASES][QUESTIONS], exact_answer[CASES][QUESTIONS], filter_answer[CASES][QUESTIONS];

static TACT_NOINLINE void ask_all(void)
{
    for (int i = 0; i < case_count(); ++i)
        for (int q = 0; q < QUESTIONS; ++q) {
            answer[i][q] = ask((question)q, cases[i]);
            exact_answer[i][q] = ask_exact((question)q, cases[i]);
            filter_answer[i][q] = ask_filter((question)q, cases[i]);
        }
}

static void fail_case(regime r, int i, int q, int setting, const char *what, int got)
{
    print_error("%s, regime %s, case %d, environment %d: %s says %d, truth is %d; points", question_names[q],
                regime_names[r], i, setting, what, got, truth[i][q]);
    for (int k = 0; k < 5; ++k)
        print_error(" {%a, %a, %a}", cases[i][k].x, cases[i][k].y, cases[i][k].z);
    fail_msg("wrong sign");
}

static void every_sign_is_correct_in_every_environment(void **state)
{
    (void)state;
    const int count = case_count();
    long zero[QUESTIONS] = {0}, plus[QUESTIONS] = {0}, minus[QUESTIONS] = {0};
    long filtered[REGIMES][QUESTIONS] = {{0}}, by_integers[QUESTIONS] = {0}, changed = 0;
    for (int r = 0; r < REGIMES; ++r) {
        random_source source = random_seed(1000 + (uint64_t)r);
        for (int i = 0; i < count; ++i) {
            make_case(&source, (regime)r, cases[i]);
            load(cases[i]);
            for (int q = 0; q < QUESTIONS; ++q) {
                truth[i][q] = oracle((question)q);
                zero[q] += truth[i][q] == 0;
                plus[q] += truth[i][q] > 0;
                minus[q] += truth[i][q] < 0;
            }
        }
        for (int m = 0; m < ENVIRONMENTS; ++m) {
            set_environment(m);
            ask_all();
            changed += !environment_is(m);
            set_environment(0);
            for (int i = 0; i < count; ++i)
                for (int q = 0; q < QUESTIONS; ++q) {
                    if (answer[i][q] != truth[i][q])
                        fail_case((regime)r, i, q, m, "the predicate", answer[i][q]);
                    if (exact_answer[i][q] != truth[i][q])
                        fail_case((regime)r, i, q, m, "the exact form", exact_answer[i][q]);
                    int filtered_sign = filter_answer[i][q];
                    if (filtered_sign != 0 && (is_yes_or_no(q) ? truth[i][q] != 0 : filtered_sign != truth[i][q]))
                        fail_case((regime)r, i, q, m, "the filter", filtered_sign);
                    filtered[r][q] += m == 0 && filtered_sign != 0;
                    by_integers[q] += m == 0 && filtered_sign == 0 && truth[i][q] != 0;
                }
        }
    }
    assert_int_equal(changed, 0);
    for (int q = 0; q < QUESTIONS; ++q) {
        long all = 0;
        for (int r = 0; r < REGIMES; ++r)
            all += filtered[r][q];
        print_message("%-16s: %5ld zero, %5ld plus, %5ld minus; by the filter %5ld, nonzero by integers %5ld\n",
                      question_names[q], zero[q], plus[q], minus[q], all, by_integers[q]);
        assert_true(zero[q] > count / 3 && plus[q] > count / 3 && (is_yes_or_no(q) || minus[q] > count));
        assert_true(all > 2 * count && by_integers[q] > count / 3);
        /* the filter decides ordinary input nearly always */
        assert_true(filtered[UNIT][q] > count * 99 / 100);
    }
}

static void swapping_points_reverses_the_sign(void **state)
{
    (void)state;
    const int count = (int)random_case_count(100, 300);
    long nonzero = 0;
    for (int r = 0; r < REGIMES; ++r) {
        random_source source = random_seed(2000 + (uint64_t)r);
        for (int i = 0; i < count; ++i) {
            tact_vec3 p[5];
            make_case(&source, (regime)r, p);
            int before[QUESTIONS];
            for (int q = 0; q < QUESTIONS; ++q)
                before[q] = ask((question)q, p);
            /* all 24 permutations of the first four points, by transpositions (Heap's algorithm) */
            int counter[4] = {0}, parity = 1;
            for (int k = 0; k < 4;) {
                if (counter[k] < k) {
                    int from = k % 2 == 0 ? 0 : counter[k];
                    tact_vec3 swap = p[from];
                    p[from] = p[k];
                    p[k] = swap;
                    parity = -parity;
                    assert_int_equal(ask(ORIENT3D, p), parity * before[ORIENT3D]);
                    assert_int_equal(ask(INSPHERE, p), parity * before[INSPHERE]);
                    if (k < 3 && counter[3] == 0) { /* so far only the first three have moved */
                        assert_int_equal(ask(ORIENT2D, p), parity * before[ORIENT2D]);
                        assert_int_equal(ask(COLLINEAR, p), before[COLLINEAR]);
                    }
                    ++counter[k];
                    k = 0;
                } else {
                    counter[k++] = 0;
                }
            }
            nonzero += before[ORIENT3D] != 0;
            make_case(&source, (regime)r, p);
            const tact_vec3 swapped[5] = {p[1], p[0], p[2], p[3], p[4]};
            assert_int_equal(ask(DOT_SIGN, swapped), ask(DOT_SIGN, p));
            assert_int_equal(ask(IS_BETWEEN, swapped), ask(IS_BETWEEN, p));
            assert_int_equal(ask(COMPARE_DISTANCE, swapped), -ask(COMPARE_DISTANCE, p));
        }
    }
    assert_true(nonzero > count * REGIMES / 3);
}

static void the_signs_are_as_the_header_says(void **state)
{
    (void)state;
    const tact_vec3 o = {0.0, 0.0, 0.0}, x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, z = {0.0, 0.0, 1.0};
    assert_int_equal(tact_orient2d((double[]){0.0, 0.0}, (double[]){1.0, 0.0}, (double[]){0.0, 1.0}), 1);
    assert_int_equal(tact_orient3d(o, x, y, z), 1);
    assert_int_equal(tact_orient3d(o, x, y, (tact_vec3){0.3, 0.3, -0x1p-1074}), -1);
    assert_int_equal(tact_orient3d(o, x, y, (tact_vec3){5.0, -7.0, -0.0}), 0);
    assert_int_equal(tact_collinear(o, x, (tact_vec3){-3.0, 0.0, 0.0}), 1);
    assert_int_equal(tact_collinear(o, x, (tact_vec3){-3.0, 0.0, 0x1p-1074}), 0);
    assert_int_equal(tact_collinear(x, x, z), 1);
    assert_int_equal(tact_dot_sign(o, x, (tact_vec3){0.5, 0.0, 0.0}), -1);
    assert_int_equal(tact_dot_sign(o, x, o), 0);
    assert_int_equal(tact_dot_sign(o, x, (tact_vec3){1.5, 0.0, 0.0}), 1);
    assert_int_equal(tact_is_between(o, x, (tact_vec3){0.5, 0.0, 0.0}), 1);
    assert_int_equal(tact_is_between(o, x, (tact_vec3){0.5, 0.0, 0x1p-1074}), 0);
    assert_int_equal(tact_is_between(o, x, x), 1);
    assert_int_equal(tact_is_between(o, x, (tact_vec3){1.0 + DBL_EPSILON, 0.0, 0.0}), 0);
    assert_int_equal(tact_is_between(x, x, x), 1);
    assert_int_equal(tact_is_between(x, x, o), 0);
    assert_int_equal(tact_compare_distance((tact_vec3){2.0, 0.0, 0.0}, y, o), 1);
    assert_int_equal(tact_compare_distance(x, y, o), 0);
    assert_int_equal(tact_compare_distance(x, (tact_vec3){DBL_MAX, 0.0, 0.0}, o), -1);
    assert_int_equal(tact_insphere(o, x, y, z, (tact_vec3){0.25, 0.25, 0.25}), 1);
    assert_int_equal(tact_insphere(o, x, y, z, (tact_vec3){1.0, 1.0, 1.0}), 0);
    assert_int_equal(tact_insphere(o, x, y, z, (tact_vec3){1.0, 1.0, 1.0 + DBL_EPSILON}), -1);
    assert_int_equal(tact_insphere(x, o, y, z, (tact_vec3){0.25, 0.25, 0.25}), -1);
    /* products that overflow or underflow in floating point */
    const double huge = DBL_MAX, tiny = 0x1p-1074;
    assert_int_equal(
        tact_orient3d(o, (tact_vec3){huge, 0.0, 0.0}, (tact_vec3){0.0, huge, 0.0}, (tact_vec3){0.0, 0.0, -huge}), -1);
    assert_int_equal(
        tact_orient3d(o, (tact_vec3){tiny, 0.0, 0.0}, (tact_vec3){0.0, tiny, 0.0}, (tact_vec3){0.0, 0.0, tiny}), 1);
    assert_int_equal(tact_orient3d((tact_vec3){-huge, tiny, -huge}, (tact_vec3){huge, 0.0, 0.0},
                                   (tact_vec3){0.0, tiny, 0.0}, (tact_vec3){0.0, 0.0, huge}),
                     1);
}

static void input_that_is_not_finite_gives_zero(void **state)
{
    (void)state;
    const double bad[] = {NAN, -NAN, INFINITY, -INFINITY};
    const int used[QUESTIONS] = {3, 4, 3, 3, 3, 3, 5};
    int asked = 0;
    random_source source = random_seed(3);
    for (int round = 0; round < 200; ++round)
        for (int m = 0; m < ENVIRONMENTS; m += 3)
            for (int q = 0; q < QUESTIONS; ++q)
                for (int i = 0; i < used[q]; ++i)
                    for (int k = 0; k < (q == ORIENT2D ? 2 : 3); ++k) {
                        tact_vec3 p[5];
                        make_case(&source, round % 2 == 0 ? UNIT : GRID, p);
                        double value = bad[random_below(&source, 4)];
                        *(k == 0 ? &p[i].x : k == 1 ? &p[i].y : &p[i].z) = value;
                        if (round % 4 == 3) /* two of them: inf - inf, inf * 0 */
                            p[random_below(&source, (uint64_t)used[q])].x = bad[random_below(&source, 4)];
                        set_environment(m);
                        int sign = ask((question)q, p);
                        set_environment(0);
                        assert_int_equal(sign, 0);
                        ++asked;
                    }
    assert_true(asked > 10000);
}

/* A third, a product with a result below the normal range, and a division: each depends on the environment. */
static TACT_NOINLINE double third(volatile double *one) { return *one / 3.0; }
static TACT_NOINLINE double vanish(volatile double *tiny) { return *tiny * 0.5; }

static void fp_environment_enters_the_default_and_restores(void **state)
{
    (void)state;
    volatile double one = 1.0, tiny = DBL_MIN;
    for (int m = 0; m < ENVIRONMENTS; ++m) {
        set_environment(m);
        (void)feclearexcept(FE_ALL_EXCEPT);
        double third_before = third(&one), vanish_before = vanish(&tiny);
        (void)feclearexcept(FE_ALL_EXCEPT);
        (void)feraiseexcept(FE_DIVBYZERO);
        fp_environment found = fp_environment_enter();
        double third_inside = third(&one), vanish_inside = vanish(&tiny);
        int default_inside = environment_is(0);
        fp_environment_leave(found);
        int restored = environment_is(m);
        int raised = fetestexcept(FE_ALL_EXCEPT);
        double third_after = third(&one), vanish_after = vanish(&tiny);
        set_environment(0);
        assert_true(default_inside && restored);
        assert_int_equal(raised, FE_DIVBYZERO); /* not the inexact that was raised inside */
        assert_true(third_inside == 0x1.5555555555555p-2 && vanish_inside == 0x1p-1023);
        assert_true(third_after == third_before && vanish_after == vanish_before);
        assert_true(third_before == (m % 4 == 1 ? 0x1.5555555555556p-2 : 0x1.5555555555555p-2));
        assert_true(m < 4 ? vanish_before == 0x1p-1023 : vanish_before == 0.0 || vanish_before == DBL_MIN);
    }
    (void)feclearexcept(FE_ALL_EXCEPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sign_is_correct_in_every_environment),
        cmocka_unit_test(swapping_points_reverses_the_sign),
        cmocka_unit_test(the_signs_are_as_the_header_says),
        cmocka_unit_test(input_that_is_not_finite_gives_zero),
        cmocka_unit_test(fp_environment_enters_the_default_and_restores),
    };
    return cmocka_run_group_tests_name("predicates", tests, open_oracle, close_oracle);
}
