/*
 * Evaluation, knot insertion, degree elevation and Bezier patches of NURBS surfaces, through the public API, against
 * exact rational arithmetic: a surface and its new form are both evaluated exactly. Bounds of errors are about four
 * times the largest seen with TACT_TEST_LONG=1.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <tact/nurbs.h>

#include "oracle/nurbs_cases.h"
#include "oracle/nurbs_exact.h"
#include "support/random.h"
#include "support/seeded_cases.h"

enum { ORDER = TACT_NURBS_MAX_DEGREE + 1, MAX_KNOTS = 512, MAX_POINTS = 32768 };

static double knots_u[MAX_KNOTS], knots_v[MAX_KNOTS], new_weights[MAX_POINTS];
static tact_vec3 new_points[MAX_POINTS];

/* Room for exactly a result of this size. */
static tact_nurbs_arrays arrays_of(tact_nurbs_size size)
{
    assert_true(size.knot_counts[0] <= MAX_KNOTS && size.knot_counts[1] <= MAX_KNOTS && size.point_count <= MAX_POINTS);
    for (size_t i = 0; i < MAX_KNOTS; ++i)
        knots_u[i] = knots_v[i] = NAN;
    for (size_t i = 0; i < MAX_POINTS; ++i) {
        new_weights[i] = NAN;
        new_points[i] = (tact_vec3){NAN, NAN, NAN};
    }
    return (tact_nurbs_arrays){.knots = {knots_u, knots_v},
                               .knot_capacity = {size.knot_counts[0], size.knot_counts[1]},
                               .points = new_points,
                               .weights = new_weights,
                               .point_capacity = size.point_count};
}

static bool same_point(tact_vec3 a, tact_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static double component(tact_vec3 a, int i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }

/* The largest extent of all control points. */
static double extent_of(const tact_nurbs_def *def)
{
    double most = 0.0;
    for (int c = 0; c < 3; ++c) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < def->counts[0] * def->counts[1]; ++i) {
            low = fmin(low, component(def->points[i], c));
            high = fmax(high, component(def->points[i], c));
        }
        most = fmax(most, high - low);
    }
    return most;
}

static double largest_coordinate(const tact_nurbs_def *def)
{
    double most = 0.0;
    for (size_t i = 0; i < def->counts[0] * def->counts[1]; ++i)
        for (int c = 0; c < 3; ++c)
            most = fmax(most, fabs(component(def->points[i], c)));
    return most;
}

/* How far apart two surfaces are at (u, v), exactly, beyond one rounding of the control points; in units of rounding
 * times the extent of the first. */
static double difference_at(const tact_nurbs_def *a, const tact_nurbs_def *b, double u, double v)
{
    mpq_t *first = nurbs_exact_numbers(3), *second = nurbs_exact_numbers(3);
    double most = 0.0;
    nurbs_exact_evaluate(first, a, u, v, 0);
    nurbs_exact_evaluate(second, b, u, v, 0);
    for (int c = 0; c < 3; ++c) {
        mpq_sub(first[c], first[c], second[c]);
        most = fmax(most, fabs(mpq_get_d(first[c])));
    }
    nurbs_exact_free(first, 3);
    nurbs_exact_free(second, 3);
    most = fmax(most - DBL_EPSILON / 2 * largest_coordinate(a), 0.0);
    return most == 0.0 ? 0.0 : most / (DBL_EPSILON / 2 * extent_of(a));
}

typedef struct case_counts {
    int knots[KNOT_KINDS], weights[WEIGHT_KINDS], points[POINT_KINDS], degree[ORDER], order[ORDER];
} case_counts;

static void count_case(case_counts *n, const nurbs_case *c, int d)
{
    ++n->knots[c->knot_kind[d]];
    ++n->weights[c->weight_kind];
    ++n->points[c->point_kind];
    ++n->degree[c->def.degree[d]];
}

static void require(const int *counts, int from, int to, int least, const char *what)
{
    for (int i = from; i <= to && !few_cases(); ++i)
        if (counts[i] < least)
            fail_msg("only %d cases of %s %d", counts[i], what, i);
}

static void require_kinds(const case_counts *n, int least)
{
    require(n->knots, 0, KNOT_KINDS - 1, least, "knots");
    require(n->weights, 0, WEIGHT_KINDS - 1, least, "weights");
    require(n->points, 0, POINT_KINDS - 1, least, "points");
    require(n->degree, 1, 9, least / 2, "degree");
}

/* All derivatives up to the degree. */
static void points_and_derivatives_match_exact_arithmetic(void **state)
{
    (void)state;
    static nurbs_case c;
    case_counts n = {0};
    double worst = 0.0;
    for (uint64_t seed = first_seed(); seed <= last_seed(160); ++seed) {
        random_source r = random_seed(seed);
        nurbs_case_make(&c, &r, seed % 40 == 0 ? TACT_NURBS_MAX_DEGREE : 9);
        int p = c.def.degree[0], q = c.def.degree[1], larger = p > q ? p : q;
        int order = p * q <= 16 || seed % 40 == 1 ? larger : 1;
        nurbs_parameter_kind kind[2];
        double u = nurbs_case_parameter(&c, &r, 0, &kind[0]), v = nurbs_case_parameter(&c, &r, 1, &kind[1]);
        count_case(&n, &c, 0);
        ++n.order[order];
        tact_vec3 out[ORDER * ORDER];
        double scale[ORDER * ORDER];
        size_t size = (size_t)order + 1;
        CHECK(tact_nurbs_evaluate(&c.def, u, v, order, out) == TACT_OK, "refused");
        mpq_t *exact = nurbs_exact_numbers(3 * size * size);
        nurbs_exact_evaluate(exact, &c.def, u, v, order);
        nurbs_natural_scale(scale, &c.def, u, v, order);
        for (size_t k = 0; k < size; ++k)
            for (size_t l = 0; l < size; ++l)
                for (int i = 0; i < 3; ++i) {
                    size_t at = k * size + l;
                    double value = component(out[at], i), error = nurbs_exact_error(exact[3 * at + (size_t)i], value);
                    if (k + l > (size_t)order)
                        CHECK(value == 0.0, "entry %zu %zu beyond the order", k, l);
                    if (at == 0)
                        error = fmax(error - DBL_EPSILON / 2 * fabs(value), 0.0);
                    if (k + l <= (size_t)order && error > 0.0 && scale[at] < 1e290)
                        worst = fmax(worst, error / (DBL_EPSILON / 2 * (p + q) * (double)(k + l + 1) * scale[at]));
                }
        nurbs_exact_free(exact, 3 * size * size);
        CHECK(worst <= 1.0, "%g units", worst);
    }
    print_message("derivatives up to the degree: %.2f (p + q)(order + 1) units\n", worst);
    require_kinds(&n, 12);
    require(n.order, 2, 8, 1, "order");
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Up to `most` knots that may be inserted, in ascending order. Returns their number. */
static size_t choose_knots(const nurbs_case *c, random_source *r, int d, int most, double *knots, int *repeated)
{
    size_t count = 0, p = (size_t)c->def.degree[d], n = c->def.counts[d];
    double begin = c->knots[d][p], end = c->knots[d][n];
    for (int tries = random_between(r, 0, most); tries > 0; --tries) {
        double t = c->knots[d][random_between(r, (int)p, (int)n)];
        if (random_chance(r, 0.5)) {
            size_t k = p + random_below(r, n - p);
            t = random_range(r, c->knots[d][k], c->knots[d][k + 1]);
        } else if (count > 0 && random_chance(r, 0.5))
            t = knots[random_below(r, count)];
        size_t repetitions = 1;
        for (size_t i = 0; i < n + p + 1; ++i)
            repetitions += c->knots[d][i] == t;
        for (size_t i = 0; i < count; ++i)
            repetitions += knots[i] == t;
        if (repetitions <= p + (t == begin || t == end)) {
            knots[count++] = t;
            *repeated += repetitions > 1;
        }
    }
    qsort(knots, count, sizeof *knots, compare_doubles);
    return count;
}

static void inserted_knots_keep_the_surface(void **state)
{
    (void)state;
    static nurbs_case c;
    case_counts n = {0};
    double worst = 0.0;
    int inserted = 0, repeated = 0, unchanged = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(250); ++seed) {
        random_source r = random_seed(seed);
        nurbs_case_make(&c, &r, seed % 50 == 0 ? TACT_NURBS_MAX_DEGREE : 9);
        int d = random_between(&r, 0, 1);
        double knots[12];
        size_t count = choose_knots(&c, &r, d, 12, knots, &repeated), p = (size_t)c.def.degree[d];
        tact_nurbs_size size = tact_nurbs_insert_knots_size(&c.def, d, count);
        CHECK(size.counts[d] == c.def.counts[d] + count && size.counts[1 - d] == c.def.counts[1 - d], "sizes");
        tact_nurbs_arrays arrays = arrays_of(size);
        tact_nurbs_def result = {0};
        tact_report report;
        CHECK(tact_nurbs_insert_knots(&c.def, d, knots, count, &arrays, &result, &report) == TACT_OK, "%s",
              report.text);
        CHECK(report.status == TACT_OK && report.text[0] == '\0', "report");
        inserted += (int)count;
        count_case(&n, &c, d);
        for (int e = 0; e < 2; ++e) {
            CHECK(result.degree[e] == c.def.degree[e] && result.counts[e] == size.counts[e], "degree or count");
            for (size_t i = 1; i < size.knot_counts[e]; ++i)
                CHECK(result.knots[e][i] >= result.knots[e][i - 1], "knots decrease");
        }
        /* Control points whose knots stay the same are unchanged. If the inner ones are all equal, two may have them.
         */
        size_t others = c.def.counts[1 - d], m = c.def.counts[1], new_m = size.counts[1];
        for (size_t i = 0; i < size.counts[d]; ++i)
            for (size_t k = 0; k < c.def.counts[d]; ++k) {
                const double *now = result.knots[d] + i, *before = c.knots[d] + k;
                bool inner = memcmp(now + 1, before + 1, p * sizeof(double)) == 0 && now[1] < now[p];
                if (!inner && memcmp(now, before, (p + 2) * sizeof(double)) != 0)
                    continue;
                for (size_t j = 0; j < others; ++j, ++unchanged)
                    CHECK(same_point(result.points[d == 0 ? i * new_m + j : j * new_m + i],
                                     c.points[d == 0 ? k * m + j : j * m + k]),
                          "control point %zu has changed", i);
            }
        for (int round = 0; round < 2; ++round) {
            nurbs_parameter_kind kind;
            double u = nurbs_case_parameter(&c, &r, 0, &kind), v = nurbs_case_parameter(&c, &r, 1, &kind);
            worst = fmax(worst, difference_at(&c.def, &result, u, v) / (c.def.degree[0] + c.def.degree[1]));
        }
        CHECK(worst <= 0.5, "%g units", worst);
    }
    print_message("insertion: %.2f (p + q) units; %d knots, %d repeated, %d points unchanged\n", worst, inserted,
                  repeated, unchanged);
    require_kinds(&n, 25);
    assert_true(few_cases() || (inserted > 500 && repeated > 100 && unchanged > 5000));
}

static void elevation_keeps_the_surface(void **state)
{
    (void)state;
    static nurbs_case c;
    case_counts n = {0};
    double worst = 0.0;
    int steps_seen[ORDER] = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed(200); ++seed) {
        random_source r = random_seed(seed);
        nurbs_case_make(&c, &r, 9);
        int d = random_between(&r, 0, 1), p = c.def.degree[d];
        int steps = random_between(&r, 0, random_chance(&r, 0.1) ? TACT_NURBS_MAX_DEGREE - p : 3), degree = p + steps;
        tact_nurbs_size size = tact_nurbs_elevate_degree_size(&c.def, d, steps);
        tact_nurbs_arrays arrays = arrays_of(size);
        tact_nurbs_def result = {0};
        tact_report report;
        CHECK(tact_nurbs_elevate_degree(&c.def, d, steps, &arrays, &result, &report) == TACT_OK, "%s", report.text);
        count_case(&n, &c, d);
        ++steps_seen[steps];
        CHECK(result.degree[d] == degree && result.degree[1 - d] == c.def.degree[1 - d], "degree");
        const double *knots = result.knots[d];
        double begin = c.knots[d][p], end = c.knots[d][c.def.counts[d]];
        for (int i = 0; i <= degree; ++i)
            CHECK(knots[i] == begin && knots[size.knot_counts[d] - 1 - (size_t)i] == end, "knot %d", i);
        for (size_t i = 0; i < size.knot_counts[d]; ++i) { /* each knot inside has `steps` repetitions more */
            size_t before = 0, after = 0;
            for (size_t k = 0; k < c.def.counts[d] + (size_t)p + 1; ++k)
                before += c.knots[d][k] == knots[i];
            for (size_t k = 0; k < size.knot_counts[d]; ++k)
                after += knots[k] == knots[i];
            CHECK(knots[i] == begin || knots[i] == end || (before > 0 && after == before + (size_t)steps), "knot %zu",
                  i);
        }
        nurbs_parameter_kind kind;
        double u = nurbs_case_parameter(&c, &r, 0, &kind), v = nurbs_case_parameter(&c, &r, 1, &kind);
        worst = fmax(worst, difference_at(&c.def, &result, u, v) / (result.degree[0] + result.degree[1]));
        CHECK(worst <= 0.5, "%g units", worst);
    }
    print_message("elevation: %.2f (p + q) units\n", worst);
    require_kinds(&n, 15);
    require(steps_seen, 0, 3, 15, "steps");
    require(steps_seen, 4, 6, 1, "steps");
}

/* Each patch as a surface of its own. */
static void bezier_patches_are_the_surface(void **state)
{
    (void)state;
    static nurbs_case c;
    case_counts n = {0};
    double worst = 0.0;
    int shared = 0, patches = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(150); ++seed) {
        random_source r = random_seed(seed);
        nurbs_case_make(&c, &r, 9);
        size_t each[2] = {(size_t)c.def.degree[0] + 1, (size_t)c.def.degree[1] + 1};
        tact_nurbs_size size = tact_nurbs_extract_bezier_size(&c.def);
        tact_nurbs_arrays arrays = arrays_of(size);
        tact_report report;
        CHECK(size.point_count == size.counts[0] * size.counts[1] * each[0] * each[1], "size");
        CHECK(tact_nurbs_extract_bezier(&c.def, &arrays, &report) == TACT_OK, "%s", report.text);
        count_case(&n, &c, 0);
        patches += (int)(size.counts[0] * size.counts[1]);
        double ends[2][2 * ORDER];
        tact_nurbs_def patch = {
            .degree = {c.def.degree[0], c.def.degree[1]}, .counts = {each[0], each[1]}, .knots = {ends[0], ends[1]}};
        size_t at[2], first;
        double t[2];
        for (int d = 0; d < 2; ++d) {
            CHECK(arrays.knots[d][0] == c.knots[d][each[d] - 1], "the domain begins elsewhere");
            CHECK(arrays.knots[d][size.counts[d]] == c.knots[d][c.def.counts[d]], "the domain ends elsewhere");
            at[d] = random_below(&r, size.counts[d]);
            for (size_t i = 0; i < 2 * each[d]; ++i)
                ends[d][i] = arrays.knots[d][at[d] + (i >= each[d])];
            CHECK(ends[d][0] < ends[d][each[d]], "an empty patch");
            t[d] = random_range(&r, ends[d][0], ends[d][each[d]]);
        }
        first = (at[0] * size.counts[1] + at[1]) * each[0] * each[1];
        patch.points = arrays.points + first;
        patch.weights = c.def.weights != NULL ? arrays.weights + first : NULL;
        if (t[0] < ends[0][each[0]] && t[1] < ends[1][each[1]]) /* at a knot the next patch would be compared */
            worst = fmax(worst, difference_at(&c.def, &patch, t[0], t[1]) / (c.def.degree[0] + c.def.degree[1]));
        CHECK(worst <= 0.5, "%g units", worst);
        for (int d = 0; d < 2; ++d) /* the common edge with the next patch */
            for (size_t i = 0; at[d] + 1 < size.counts[d] && i < each[1 - d]; ++i, ++shared) {
                size_t here = first + (d == 0 ? (each[0] - 1) * each[1] + i : i * each[1] + each[1] - 1);
                size_t next = first + (d == 0 ? size.counts[1] : 1) * each[0] * each[1] + (d == 0 ? i : i * each[1]);
                CHECK(same_point(arrays.points[here], arrays.points[next]), "patches differ");
                CHECK(c.def.weights == NULL || arrays.weights[here] == arrays.weights[next], "weights differ");
            }
    }
    print_message("Bezier patches: %.2f (p + q) units; %d patches, %d shared points\n", worst, patches, shared);
    require_kinds(&n, 12);
    assert_true(few_cases() || (shared > 300 && patches > 500));
}

/* A quarter of a cylinder, and what can be computed by hand. */
static void known_surfaces(void **state)
{
    (void)state;
    const double flat[4] = {0, 0, 1, 1}, bend[6] = {0, 0, 0, 1, 1, 1}, root = sqrt(0.5);
    const tact_vec3 points[6] = {{1, 0, 0}, {1, 0, 2}, {1, 1, 0}, {1, 1, 2}, {0, 1, 0}, {0, 1, 2}};
    const double weights[6] = {1, 1, root, root, 1, 1};
    tact_nurbs_def def = {.degree = {2, 1},
                          .counts = {3, 2},
                          .knots = {bend, flat},
                          .points = points,
                          .weights = weights,
                          .tolerance = 0.25};
    tact_vec3 out[9];
    for (int i = 0; i <= 64; ++i) {
        assert_int_equal(tact_nurbs_evaluate(&def, i / 64.0, 0.5, 2, out), TACT_OK);
        assert_true(fabs(hypot(out[0].x, out[0].y) - 1.0) <= 4 * DBL_EPSILON && out[0].z == 1.0);
        assert_true(fabs(out[0].x * out[3].x + out[0].y * out[3].y) <= 1e-15 * 4); /* tangent */
        assert_true(out[1].x == 0.0 && out[1].y == 0.0 && fabs(out[1].z - 2.0) <= 4 * DBL_EPSILON && out[2].z == 0.0);
    }
    def.weights = NULL; /* a parabola (1, 2 u, .) -> x = 1 - u^2, y = 2 u - u^2 */
    assert_int_equal(tact_nurbs_evaluate(&def, 0.5, 0.0, 2, out), TACT_OK);
    assert_true(same_point(out[0], (tact_vec3){0.75, 0.75, 0}) && same_point(out[3], (tact_vec3){-1, 1, 0}) &&
                same_point(out[6], (tact_vec3){-2, -2, 0}) && same_point(out[1], (tact_vec3){0, 0, 2}));

    const double half = 0.5; /* the corner-cutting of de Casteljau */
    tact_nurbs_arrays arrays = arrays_of(tact_nurbs_insert_knots_size(&def, 0, 1));
    tact_nurbs_def result;
    assert_int_equal(tact_nurbs_insert_knots(&def, 0, &half, 1, &arrays, &result, NULL), TACT_OK);
    assert_true(result.counts[0] == 4 && result.knots[0][3] == 0.5 && result.weights == NULL &&
                result.tolerance == 0.25);
    assert_true(same_point(result.points[2], (tact_vec3){1, 0.5, 0}) &&
                same_point(result.points[4], (tact_vec3){0.5, 1, 0}) && same_point(result.points[7], points[5]));

    arrays = arrays_of(tact_nurbs_elevate_degree_size(&def, 1, 1)); /* a straight line gets its midpoint */
    assert_int_equal(tact_nurbs_elevate_degree(&def, 1, 1, &arrays, &result, NULL), TACT_OK);
    assert_true(result.counts[1] == 3 && result.degree[1] == 2 && same_point(result.points[1], (tact_vec3){1, 0, 1}) &&
                same_point(result.points[4], (tact_vec3){1, 1, 1}) && same_point(result.points[8], points[5]));

    tact_vec3 again[16]; /* a result that replaces its input */
    double knots_again[2][8], weights_again[16];
    const tact_nurbs_arrays second = {{knots_again[0], knots_again[1]}, {8, 8}, again, weights_again, 16};
    assert_int_equal(tact_nurbs_elevate_degree(&result, 0, 1, &second, &result, NULL), TACT_OK);
    assert_true(result.degree[0] == 3 && result.counts[0] == 4 && result.points == again);
    assert_true(fabs(result.points[3].y - 2.0 / 3.0) <= DBL_EPSILON && result.points[3].x == 1.0);
}

static int messages;

static void expect(tact_status status, tact_status wanted, const tact_report *report, const char *part)
{
    if (status != wanted || report->status != wanted || strstr(report->text, part) == NULL)
        fail_msg("%d \"%s\" instead of %d \"%s\"", (int)status, report->text, (int)wanted, part);
    ++messages;
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    double knots[2][6] = {{0, 0, 0, 1, 1, 1}, {0, 0, 1, 1}}, weights[6] = {1, 2, 3, 4, 5, 6};
    tact_vec3 points[6] = {{1, 0, 0}, {1, 0, 2}, {1, 1, 0}, {1, 1, 2}, {0, 1, 0}, {0, 1, 2}};
    const tact_nurbs_def def = {
        .degree = {2, 1}, .counts = {3, 2}, .knots = {knots[0], knots[1]}, .points = points, .weights = weights};
    tact_nurbs_def bad = def, result = {.tolerance = 7.0};
    tact_vec3 out[ORDER * ORDER] = {{7.0, 7.0, 7.0}};
    tact_report report;

    assert_int_equal(tact_nurbs_evaluate(&def, 0.5, 0.5, TACT_NURBS_MAX_DEGREE, out), TACT_OK);
    out[0].x = 7.0;
    assert_int_equal(tact_nurbs_evaluate(NULL, 0.5, 0.5, 0, out), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_nurbs_evaluate(&def, 0.5, 0.5, 0, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_nurbs_evaluate(&def, 0.5, 0.5, -1, out), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_nurbs_evaluate(&def, 0.5, 0.5, TACT_NURBS_MAX_DEGREE + 1, out), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_nurbs_evaluate(&def, NAN, 0.5, 0, out), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_nurbs_evaluate(&def, 0.5, INFINITY, 0, out), TACT_BAD_ARGUMENT);
    bad.degree[0] = 16;
    assert_int_equal(tact_nurbs_evaluate(&bad, 0.5, 0.5, 0, out), TACT_BAD_ARGUMENT);
    for (int i = 0; i < 6; ++i) { /* a wrong number anywhere, one at a time */
        double *numbers[5] = {&weights[i], &points[i].x, &points[i].z, &knots[0][i == 0 || i == 5 ? 2 : i],
                              &knots[1][i % 2 + 1]};
        for (int k = 0; k < 5; ++k) {
            const double kept = *numbers[k], wrong[4] = {NAN, INFINITY, -INFINITY, k == 0 ? -1.0 : 1e151};
            for (int w = 0; w < 4; ++w) {
                *numbers[k] = wrong[w];
                if (tact_nurbs_evaluate(&def, 0.5, 0.5, 1, out) != TACT_BAD_ARGUMENT)
                    fail_msg("accepted %g as number %d of kind %d", wrong[w], i, k);
            }
            *numbers[k] = kept;
        }
    }
    assert_true(out[0].x == 7.0);

    tact_nurbs_size none = tact_nurbs_insert_knots_size(&bad, 0, 1);
    assert_int_equal(none.point_count + none.counts[0] + none.knot_counts[1], 0);
    assert_int_equal(tact_nurbs_insert_knots_size(NULL, 0, 1).point_count, 0);
    assert_int_equal(tact_nurbs_insert_knots_size(&def, 2, 1).point_count, 0);
    assert_int_equal(tact_nurbs_insert_knots_size(&def, 0, SIZE_MAX).point_count, 0);
    assert_int_equal(tact_nurbs_insert_knots_size(&def, 0, 0x1fffffff).point_count, 0);
    assert_int_equal(tact_nurbs_elevate_degree_size(&def, 0, 14).point_count, 0);
    assert_int_equal(tact_nurbs_elevate_degree_size(&def, 0, -1).point_count, 0);
    assert_int_equal(tact_nurbs_elevate_degree_size(&def, -1, 1).point_count, 0);
    assert_int_equal(tact_nurbs_elevate_degree_size(NULL, 0, 1).point_count, 0);
    assert_int_equal(tact_nurbs_extract_bezier_size(NULL).point_count, 0);
    assert_int_equal(tact_nurbs_extract_bezier_size(&bad).point_count, 0);

    tact_nurbs_size size = tact_nurbs_elevate_degree_size(&def, 0, 1);
    tact_nurbs_arrays arrays = arrays_of(size), small = arrays, missing = arrays;
    double half = 0.5, beyond = 1.5, two[2] = {0.75, 0.5}, nan = NAN, three[3] = {0.5, 0.5, 0.5}, zero = 0.0;
    const tact_status wrong = TACT_BAD_ARGUMENT, short_of = TACT_OUT_OF_MEMORY;
#define INSERT(d, direction, knots, count, arrays)                                                                     \
    tact_nurbs_insert_knots(d, direction, knots, count, arrays, &result, &report)
    expect(INSERT(NULL, 0, &half, 1, &arrays), wrong, &report, "def is missing");
    expect(INSERT(&bad, 0, &half, 1, &arrays), wrong, &report, "degree along u is 16");
    expect(INSERT(&def, 2, &half, 1, &arrays), wrong, &report, "direction");
    expect(INSERT(&def, 0, NULL, 1, &arrays), wrong, &report, "knots to insert are missing");
    expect(INSERT(&def, 0, &half, 1, NULL), wrong, &report, "array for the result is missing");
    expect(INSERT(&def, 0, &half, SIZE_MAX, &arrays), wrong, &report, "too many control points");
    expect(INSERT(&def, 0, &beyond, 1, &arrays), wrong, &report, "knot 0 to insert, 1.5, is outside the domain");
    expect(INSERT(&def, 0, &nan, 1, &arrays), wrong, &report, "knot 0 to insert");
    expect(INSERT(&def, 0, &zero, 1, &arrays), wrong, &report, "knot 0 along u repeats more than 3 times");
    expect(tact_nurbs_insert_knots(&def, 0, &half, 1, &arrays, NULL, &report), wrong, &report, "result");
    arrays = arrays_of(tact_nurbs_insert_knots_size(&def, 0, 3));
    expect(INSERT(&def, 0, two, 2, &arrays), wrong, &report, "knot 1 to insert, 0.5, is outside the domain or less");
    expect(INSERT(&def, 0, three, 3, &arrays), wrong, &report, "knot 0.5 along u repeats more than 2 times");
    arrays = arrays_of(size);
    missing.weights = NULL;
    expect(INSERT(&def, 0, &half, 1, &missing), wrong, &report, "array for the result is missing");
    missing = arrays, missing.points = NULL;
    expect(INSERT(&def, 0, &half, 1, &missing), wrong, &report, "array for the result is missing");
    missing = arrays, missing.knots[1] = NULL;
    expect(INSERT(&def, 0, &half, 1, &missing), wrong, &report, "array for the result is missing");
    small.knot_capacity[0] = 6;
    expect(INSERT(&def, 0, &half, 1, &small), short_of, &report, "knots along u holds 6; 7 are needed");
    small = arrays, small.point_capacity = 7;
    expect(INSERT(&def, 0, &half, 1, &small), short_of, &report, "control points holds 7; 8 are needed");
#undef INSERT
#define ELEVATE(d, direction, steps, arrays) tact_nurbs_elevate_degree(d, direction, steps, arrays, &result, &report)
    expect(ELEVATE(NULL, 0, 1, &arrays), wrong, &report, "def is missing");
    expect(ELEVATE(&def, 0, 14, &arrays), wrong, &report, "14 more is no degree up to 15");
    expect(ELEVATE(&def, 0, -1, &arrays), wrong, &report, "-1 more");
    expect(ELEVATE(&def, 3, 1, &arrays), wrong, &report, "direction 3");
    expect(ELEVATE(&def, 0, 1, NULL), wrong, &report, "array for the result is missing");
    expect(ELEVATE(&def, 0, 1, &small), short_of, &report, "control points holds 7; 8 are needed");
    expect(tact_nurbs_elevate_degree(&def, 0, 1, &arrays, NULL, &report), wrong, &report, "result");
#undef ELEVATE
    expect(tact_nurbs_extract_bezier(NULL, &arrays, &report), wrong, &report, "def is missing");
    expect(tact_nurbs_extract_bezier(&def, NULL, &report), wrong, &report, "array for the result is missing");
    small = arrays, small.knot_capacity[1] = 1;
    expect(tact_nurbs_extract_bezier(&def, &small, &report), short_of, &report, "knots along v holds 1; 2 are needed");
    assert_int_equal(messages, 27);
    assert_true(result.tolerance == 7.0 && result.points == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_and_derivatives_match_exact_arithmetic),
        cmocka_unit_test(inserted_knots_keep_the_surface),
        cmocka_unit_test(elevation_keeps_the_surface),
        cmocka_unit_test(bezier_patches_are_the_surface),
        cmocka_unit_test(known_surfaces),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests_name("nurbs_surface_api", tests, NULL, NULL);
}
