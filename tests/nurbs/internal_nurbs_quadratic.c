/*
 * Lower bounds of the distance of two Bezier patches from their Taylor polynomials (complex/nurbs_quadratic.h), against
 * points of the patches in long double: none is closer than the bound, and the error is of third order.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "complex/nurbs_quadratic.h"
#include "math/vec.h"
#include "support/random.h"
#include "support/seeded_cases.h"

typedef struct patch {
    nurbs_vec4 net[BEZIER_MAX_NET];
    int degree[2];
    bool rational;
} patch;

/* ---- the oracle: points by de Casteljau's scheme in long double ---- */

typedef struct long_point {
    long double x, y, z;
} long_point;

static long_point point_of(const patch *p, long double s, long double t)
{
    long double c[NURBS_MAX_ORDER][NURBS_MAX_ORDER][4];
    const int n = p->degree[0] + 1, k = p->degree[1] + 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++) {
            const nurbs_vec4 *q = &p->net[i * k + j];
            c[i][j][0] = q->x, c[i][j][1] = q->y, c[i][j][2] = q->z, c[i][j][3] = q->w;
        }
    for (int m = n - 1; m > 0; m--)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < k; j++)
                for (int a = 0; a < 4; a++)
                    c[i][j][a] = (1 - s) * c[i][j][a] + s * c[i + 1][j][a];
    for (int m = k - 1; m > 0; m--)
        for (int j = 0; j < m; j++)
            for (int a = 0; a < 4; a++)
                c[0][j][a] = (1 - t) * c[0][j][a] + t * c[0][j + 1][a];
    const long double w = c[0][0][3];
    return (long_point){c[0][0][0] / w, c[0][0][1] / w, c[0][0][2] / w};
}

static long double apart(long_point a, long_point b)
{
    const long double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return sqrtl(x * x + y * y + z * z);
}

static long double distance_at(const patch *p, const long double x[4])
{
    return apart(point_of(&p[0], x[0], x[1]), point_of(&p[1], x[2], x[3]));
}

/* The least distance found of two patches: a grid, and a pattern search from the best of it. */
static long double nearest(const patch p[2], long double x[4])
{
    enum { GRID = 5 };
    long_point on[2][GRID * GRID];
    long double best = INFINITY;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < GRID * GRID; i++)
            on[k][i] = point_of(&p[k], (long double)(i / GRID) / (GRID - 1), (long double)(i % GRID) / (GRID - 1));
    for (int i = 0; i < GRID * GRID; i++)
        for (int j = 0; j < GRID * GRID; j++) {
            const long double d = apart(on[0][i], on[1][j]);
            if (d < best) {
                best = d;
                x[0] = (long double)(i / GRID) / (GRID - 1), x[1] = (long double)(i % GRID) / (GRID - 1);
                x[2] = (long double)(j / GRID) / (GRID - 1), x[3] = (long double)(j % GRID) / (GRID - 1);
            }
        }
    for (long double step = 0.125L; step > 1e-6L;) {
        bool better = false;
        for (int k = 0; k < 81; k++) { /* all neighbours of x */
            long double y[4];
            int code = k;
            for (int i = 0; i < 4; i++, code /= 3)
                y[i] = fminl(fmaxl(x[i] + (code % 3 - 1) * step, 0), 1);
            const long double d = distance_at(p, y);
            if (d < best) {
                best = d;
                memcpy(x, y, 4 * sizeof *x);
                better = true;
                break;
            }
        }
        if (!better)
            step *= 0.5L;
    }
    return best;
}

/* ---- cases ---- */

/* A patch of about the given size at `origin`: nearly flat, curved or wild; sometimes a side is one point. */
static void random_patch(patch *p, random_source *r, int degree, double size, tact_vec3 origin)
{
    p->rational = random_chance(r, 0.3);
    p->degree[0] = degree;
    p->degree[1] = random_chance(r, 0.7) ? degree : random_between(r, 1, 4);
    const double bend = size * exp(random_range(r, log(1e-4), log(3.0))), wild = random_chance(r, 0.3)   ? 0.3
                                                                                 : random_chance(r, 0.5) ? 0.01
                                                                                                         : 0.0;
    const bool pole = random_chance(r, 0.1);
    const tact_vec3 u = random_direction(r), v = random_direction(r);
    const tact_vec3 n = random_chance(r, 0.3) ? u : random_direction(r); /* u: of uneven speed */
    const double cu = random_range(r, -1, 1), cv = random_range(r, -1, 1), cm = random_range(r, -1, 1);
    const int k = p->degree[1] + 1;
    for (int i = 0; i <= p->degree[0]; i++)
        for (int j = 0; j < k; j++) {
            const double s = pole && i == 0 ? 0.0 : (double)i / p->degree[0] - 0.5;
            const double t = pole && i == 0 ? 0.0 : (double)j / p->degree[1] - 0.5;
            const double noise = pole && i == 0 ? 0.0 : wild * size;
            tact_vec3 c = vec_mul_add(vec_mul_add(origin, size * s, u), size * t, v);
            c = vec_mul_add(c, bend * (cu * s * s + cv * t * t + cm * s * t), n);
            c = vec_mul_add(c, noise * random_unit(r), random_direction(r));
            const double w = p->rational ? 1.0 + (random_chance(r, 0.5) ? 0.02 : 1.0) * random_unit(r) : 1.0;
            p->net[i * k + j] = (nurbs_vec4){w * c.x, w * c.y, w * c.z, w};
        }
}

static void fit(const patch *p, nurbs_quadratic *q) { tact_nurbs_quadratic_make(q, p->net, p->degree, p->rational); }

static nurbs_quadratic moved(const patch *p, const nurbs_quadratic *middle, double s, double t)
{
    nurbs_quadratic q = *middle;
    tact_nurbs_quadratic_move(&q, p->net, p->degree, p->rational, s, t);
    return q;
}

static void no_points_are_closer(void **state)
{
    (void)state;
    enum { SHARP, NEAR_SHARP, NEAR_BETTER, POINT, HIGH, KINDS };
    static patch p[2];
    int kinds[KINDS] = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(250, 30000); seed++) {
        random_source r = random_seed(seed);
        const double size = 0.25 * exp(random_range(&r, log(1e-6), 0.0));
        const double gap = random_chance(&r, 0.5) ? random_range(&r, 0.01, 0.4) : size * random_range(&r, 0.2, 3.0);
        const int degree = random_chance(&r, 0.05) ? random_between(&r, 6, 15) : random_between(&r, 1, 4);
        const tact_vec3 at = vec_scale(random_direction(&r), 0.2);
        random_patch(&p[0], &r, degree, size, at);
        random_patch(&p[1], &r, random_between(&r, 1, 4), size * random_range(&r, 0.3, 1.0),
                     vec_mul_add(at, gap, random_direction(&r)));
        const bool point = random_chance(&r, 0.1);
        if (point)
            for (int i = 1; i < BEZIER_MAX_NET; i++)
                p[1].net[i] = p[1].net[0];
        nurbs_quadratic q[2];
        fit(&p[0], &q[0]);
        fit(&p[1], &q[1]);
        if (point)
            tact_nurbs_quadratic_point(
                &q[1], vec_scale(vec_make(p[1].net[0].x, p[1].net[0].y, p[1].net[0].z), 1.0 / p[1].net[0].w));
        long double x[4];
        const long double found = nearest(p, x);
        const double middle = tact_nurbs_quadratic_bound(&q[0], &q[1], 0.0);
        CHECK(middle <= found + 1e-17L, "middle: %.17g, but %.17Lg", middle, found);
        if (middle > 0.0) { /* `least` only decides whether there is an answer */
            CHECK(tact_nurbs_quadratic_bound(&q[0], &q[1], 0.5 * middle) <= found + 1e-17L, "from half of it");
            CHECK(tact_nurbs_quadratic_bound(&q[0], &q[1], (double)found) == 0.0, "nothing above the distance");
        }
        /* near the closest points, and near others */
        double near = 0.0;
        for (int turn = 0; turn < 6; turn++) {
            double y[4];
            for (int i = 0; i < 4; i++)
                y[i] = turn == 0 ? (double)x[i] : random_chance(&r, 0.4) ? random_between(&r, 0, 1) : random_unit(&r);
            for (int i = 0; i < 4; i++)
                y[i] = fmin(fmax(y[i], 0.0), 1.0);
            const nurbs_quadratic a = moved(&p[0], &q[0], y[0], y[1]),
                                  b = point ? q[1] : moved(&p[1], &q[1], y[2], y[3]);
            const double bound = tact_nurbs_quadratic_bound_near(&a, &b, 0.0);
            CHECK(bound <= found + 1e-17L, "near %d: %.17g, but %.17Lg", turn, bound, found);
            near = turn == 0 ? bound : near;
        }
        const int k = tact_nurbs_quadratic_divide(&q[0], &q[1], 0.0);
        CHECK(k >= -1 && k < 4, "%d", k);
        kinds[SHARP] += middle > 0.99 * (double)found;
        kinds[NEAR_SHARP] += near > (1.0 - 1e-9) * (double)found;
        kinds[NEAR_BETTER] += near > middle;
        kinds[POINT] += point && middle > 0.0;
        kinds[HIGH] += degree > 5 && middle > 0.0;
    }
    if (few_cases())
        return;
    print_message("sharp %d, near %d, better %d, points %d, high degrees %d\n", kinds[SHARP], kinds[NEAR_SHARP],
                  kinds[NEAR_BETTER], kinds[POINT], kinds[HIGH]);
    for (int i = 0; i < KINDS; i++)
        assert_true(kinds[i] >= 2);
}

/* Two concentric pieces of cylinders of degree 2 above each other, so that the distance is the same along an arc: where
 * parts are halved, the error is an eighth. Control points give a quarter. */
static void the_error_is_of_third_order(void **state)
{
    (void)state;
    double last = 0.0;
    for (int level = 0; level < 6; level++) {
        const double angle = 0.4 * ldexp(1.0, -level), c = cos(0.5 * angle);
        nurbs_quadratic q[2];
        for (int k = 0; k < 2; k++) {
            patch p = {.degree = {2, 1}, .rational = true};
            const double radius = k == 0 ? 0.3 : 0.5, low = 0.3 * angle;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 2; j++) {
                    const double w = i == 1 ? c : 1.0, f = radius / (i == 1 ? c : 1.0);
                    const double turn = low * k + 0.5 * angle * i, z = (j - 0.5) * 0.1 * angle;
                    p.net[i * 2 + j] = (nurbs_vec4){w * f * cos(turn), w * f * sin(turn), w * z, w};
                }
            fit(&p, &q[k]);
        }
        const double bound = tact_nurbs_quadratic_bound(&q[0], &q[1], 0.0), error = 0.2 - bound;
        assert_true(bound <= 0.2 && bound > 0.0);
        if (level > 1)
            assert_true(error < last / 5.0);
        last = error;
    }
    assert_true(last < 1e-6);
}

/* Near s = 0 two curves seem to lead away from a point, and return to it: one with a slope and the opposite curvature,
 * one with uneven speed. */
static void near_bounds_see_slopes_and_bends(void **state)
{
    (void)state;
    int exact = 0, lower = 0;
    for (int i = 0; i < 400; i++) {
        const bool slope = i % 2 == 0;
        const double a = 1e-3 * (1 + i / 20), f = 0.05 * (i % 20) * (slope ? 2.0 : 1.0);
        /* slope: x = 1/2 + a s - a f s^2. bend: x = 1/2 - a f s^2, y = sqrt(8 a f) (s - f s^2), which returns to 0 for
         * f = 1
         */
        const double v = sqrt(8.0 * a * f);
        const double b[3] = {0.5, slope ? a : 0.0, -a * f}, c[3] = {0.0, slope ? 0.0 : v, slope ? 0.0 : -v * f};
        patch p[2] = {{.degree = {2, 1}}, {.degree = {2, 1}}};
        for (int j = 0; j < 6; j++) {
            const int k = j / 2;
            const double s = 0.5 * k, x = b[0] + b[1] * s + (k == 2 ? b[2] : 0.0),
                         y = c[0] + c[1] * s + (k == 2 ? c[2] : 0.0);
            p[0].net[j] = (nurbs_vec4){x, y, 1e-3 * (j % 2), 1.0};
            p[1].net[j] = (nurbs_vec4){0.0, 0.0, 0.0, 1.0};
        }
        nurbs_quadratic q, point;
        fit(&p[0], &q);
        tact_nurbs_quadratic_point(&point, vec_make(0.0, 0.0, 0.0));
        long double x[4];
        const long double found = nearest(p, x);
        q = moved(&p[0], &q, 0.0, 0.0);
        const double bound = tact_nurbs_quadratic_bound_near(&q, &point, 0.0);
        if (bound > found + 1e-17L)
            fail_msg("case %d: %.17g, but %.17Lg", i, bound, found);
        exact += bound > 0.5 - 1e-12;
        lower += found < 0.5L - 1e-6L;
    }
    assert_true(exact >= 50 && lower >= 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_points_are_closer),
        cmocka_unit_test(the_error_is_of_third_order),
        cmocka_unit_test(near_bounds_see_slopes_and_bends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
