/*
 * NURBS surfaces against exact rational arithmetic: basis functions, extraction operators, spans, points
 * and derivatives, Bezier patches; bad input; memory that runs out. Each bound below is about four times the largest
 * error seen with TACT_TEST_LONG=1.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "math/vec.h"
#include "nurbs/nurbs_basis.h"
#include "nurbs/nurbs_check.h"
#include "nurbs/nurbs_surface.h"
#include "oracle/nurbs_cases.h"
#include "oracle/nurbs_exact.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"

enum { ORDER = NURBS_MAX_ORDER };

static const tact_allocator default_allocator = {0};

static void make_surface(nurbs_surface *s, const tact_nurbs_def *def)
{
    tact_report report;
    if (!tact_nurbs_surface_init(s, def, &default_allocator, &report))
        fail_msg("%s", report.text);
}

/* Counts of cases, each of which must occur. */
typedef struct case_counts {
    int degree[ORDER], knots[KNOT_KINDS], weights[WEIGHT_KINDS], points[POINT_KINDS], parameters[PARAMETER_KINDS];
    int order[ORDER];
} case_counts;

static void require(const int *counts, int from, int to, int least, const char *what)
{
    for (int i = from; i <= to && !few_cases(); ++i)
        if (counts[i] < least)
            fail_msg("only %d cases of %s %d", counts[i], what, i);
}

static void count_case(case_counts *n, const nurbs_case *c)
{
    for (int d = 0; d < 2; ++d) {
        ++n->degree[c->def.degree[d]];
        ++n->knots[c->knot_kind[d]];
    }
    ++n->weights[c->weight_kind];
    ++n->points[c->point_kind];
}

static void keep_largest(double *worst, double value) { *worst = value > *worst ? value : *worst; }

/* In units of rounding (DBL_EPSILON / 2) times `size`; 0 / 0 is 0. */
static double in_units(double error, double size) { return error == 0.0 ? 0.0 : error / (DBL_EPSILON / 2 * size); }

/* Basis functions have a small relative error each; their derivatives one relative to the formula without signs. */
static void basis_functions_match_exact_arithmetic(void **state)
{
    (void)state;
    static nurbs_case c;
    case_counts n = {0};
    double worst = 0.0, worst_derivative = 0.0;
    for (uint64_t seed = first_seed(); seed <= last_seed(500); ++seed) {
        random_source r = random_seed(seed);
        nurbs_case_make(&c, &r, TACT_NURBS_MAX_DEGREE);
        nurbs_surface s;
        make_surface(&s, &c.def);
        count_case(&n, &c);
        int d = random_between(&r, 0, 1), p = s.degree[d];
        int order = random_chance(&r, 0.2) ? p + 1 : random_between(&r, 0, 3);
        nurbs_parameter_kind kind;
        double t = nurbs_case_parameter(&c, &r, d, &kind);
        t = fmin(fmax(t, c.knots[d][p]), c.knots[d][s.counts[d]]);
        ++n.parameters[kind];
        ++n.order[order < ORDER ? order : ORDER - 1];
        uint32_t span = tact_nurbs_find_span(&s, d, t);
        size_t k = s.spans[d][span], size = (size_t)p + 1, total = size * ((size_t)order + 1);
        CHECK(k == nurbs_exact_span(c.knots[d], p, s.counts[d], t), "span %zu", k);
        CHECK(k == tact_nurbs_find_knot(c.knots[d], p, s.counts[d], t), "span %zu", k);
        double out[(ORDER + 1) * ORDER];
        tact_nurbs_basis(&s, d, span, t, order, out);
        mpq_t *exact = nurbs_exact_numbers(total);
        nurbs_exact_basis(exact, c.knots[d], p, k, t, order);
        for (size_t i = 0; i < size; ++i) {
            double value = mpq_get_d(exact[i]), error = nurbs_exact_error(exact[i], out[i]);
            CHECK(out[i] >= 0.0, "function %zu is negative", i);
            if (value > 1e-280)
                keep_largest(&worst, in_units(error, p * value));
            else
                CHECK(error <= 1e-280, "function %zu", i);
        }
        for (int m = 1; m <= order; ++m) {
            double most = 0.0;
            for (size_t i = 0; i < size; ++i)
                most = fmax(most, nurbs_absolute_basis(c.knots[d], p, k - (size_t)p + i, k, t, m));
            for (size_t i = 0; i < size; ++i) {
                double magnitude = nurbs_absolute_basis(c.knots[d], p, k - (size_t)p + i, k, t, m);
                double error = nurbs_exact_error(exact[(size_t)m * size + i], out[(size_t)m * size + i]);
                if (magnitude > 1e-200 * most)
                    keep_largest(&worst_derivative, in_units(error, p * magnitude));
                CHECK(error <= 1e-3 * magnitude + 1e-200 * most, "function %zu, derivative %d", i, m);
            }
        }
        nurbs_exact_free(exact, total);
        tact_nurbs_surface_release(&s, &default_allocator);
        CHECK(worst <= 4.0 && worst_derivative <= 4.0, "%g and %g units", worst, worst_derivative);
    }
    print_message("basis functions: %.2f p units, derivatives: %.2f p units\n", worst, worst_derivative);
    require(n.degree, 1, 9, 40, "degree");
    require(n.degree, 10, TACT_NURBS_MAX_DEGREE, 1, "degree");
    require(n.knots, 0, KNOT_KINDS - 1, 50, "knots");
    require(n.parameters, 0, PARAMETER_KINDS - 1, 50, "parameter");
    require(n.order, 0, 3, 50, "order");
}

static void extraction_operators_match_exact_arithmetic(void **state)
{
    (void)state;
    static nurbs_case c;
    double worst = 0.0;
    int zeros = 0, shared = 0, several = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(100); ++seed) {
        random_source r = random_seed(seed);
        nurbs_case_make(&c, &r, TACT_NURBS_MAX_DEGREE);
        nurbs_surface s;
        make_surface(&s, &c.def);
        for (int d = 0; d < 2; ++d) {
            size_t p = (size_t)s.degree[d], size = p + 1;
            several += s.span_count[d] > 1;
            mpq_t *exact = nurbs_exact_numbers(size * size);
            uint32_t span = (uint32_t)random_below(&r, s.span_count[d]);
            const double *out = s.extraction[d] + span * size * size;
            nurbs_exact_extraction(exact, c.knots[d], (int)p, s.spans[d][span]);
            for (size_t i = 0; i < size * size; ++i) {
                double value = mpq_get_d(exact[i]), error = nurbs_exact_error(exact[i], out[i]);
                CHECK(out[i] >= 0.0, "entry %zu is negative", i);
                CHECK(mpq_sgn(exact[i]) != 0 || out[i] == 0.0, "entry %zu is %g, not 0", i, out[i]);
                zeros += mpq_sgn(exact[i]) == 0;
                if (value > 1e-280)
                    keep_largest(&worst, in_units(error, (double)p * value));
            }
            for (size_t a = 0; a < size; ++a) {
                double sum = 0.0;
                for (size_t i = 0; i < size; ++i)
                    sum += out[a * size + i];
                CHECK(fabs(sum - 1.0) <= 8.0 * (double)p * DBL_EPSILON, "row %zu adds up to %.17g", a, sum);
            }
            nurbs_exact_free(exact, size * size);
            /* The last row of each span is the first row of the next one. */
            for (uint32_t q = 0; q + 1 < s.span_count[d]; ++q) {
                const double *last = s.extraction[d] + (q * size + p) * size;
                const double *first = s.extraction[d] + (q + 1) * size * size;
                size_t shift = s.spans[d][q + 1] - s.spans[d][q];
                for (size_t i = 0; i < size + shift; ++i, ++shared)
                    CHECK((i < size ? last[i] : 0.0) == (i >= shift ? first[i - shift] : 0.0),
                          "spans %u and %u differ in control point %zu", q, q + 1, i);
            }
        }
        tact_nurbs_surface_release(&s, &default_allocator);
        CHECK(worst <= 4.0, "%g units", worst);
    }
    print_message("extraction: %.2f p units, %d zeros, %d shared\n", worst, zeros, shared);
    assert_true(few_cases() || (zeros > 300 && shared > 500 && several > 100));
}

/* Points and derivatives, with errors relative to the natural size of each. */
static void points_and_derivatives_match_exact_arithmetic(void **state)
{
    (void)state;
    static nurbs_case c;
    case_counts n = {0};
    double worst_point = 0.0, worst_derivative = 0.0;
    for (uint64_t seed = first_seed(); seed <= last_seed(400); ++seed) {
        random_source r = random_seed(seed);
        int high = seed % 100 == 0;
        nurbs_case_make(&c, &r, high ? TACT_NURBS_MAX_DEGREE : 9);
        int p = c.def.degree[0], q = c.def.degree[1];
        int order = p + q <= 8 && random_chance(&r, 0.1) ? (p > q ? p : q) : random_between(&r, 0, 2);
        nurbs_parameter_kind kind[2];
        double u = nurbs_case_parameter(&c, &r, 0, &kind[0]), v = nurbs_case_parameter(&c, &r, 1, &kind[1]);
        nurbs_surface s;
        make_surface(&s, &c.def);
        CHECK((s.weights != NULL) == (c.weight_kind >= WEIGHTS_MILD), "weights");
        count_case(&n, &c);
        ++n.order[order];
        ++n.parameters[kind[0]];
        ++n.parameters[kind[1]];

        size_t size = (size_t)order + 1, total = 3 * size * size;
        tact_vec3 out[ORDER * ORDER], point;
        double scale[ORDER * ORDER];
        mpq_t *exact = nurbs_exact_numbers(total);
        tact_nurbs_evaluate_at(&s, c.points, u, v, order, out);
        tact_nurbs_evaluate_at(&s, c.points, u, v, 0, &point);
        CHECK(vec_equal(out[0], point), "the point depends on the order");
        nurbs_exact_evaluate(exact, &c.def, u, v, order);
        nurbs_natural_scale(scale, &c.def, u, v, order);
        for (size_t k = 0; k < size; ++k)
            for (size_t l = 0; l < size; ++l)
                for (int i = 0; i < 3; ++i) {
                    size_t at = k * size + l;
                    double value = vec_component(out[at], i),
                           error = nurbs_exact_error(exact[3 * at + (size_t)i], value);
                    if (k + l > (size_t)order)
                        CHECK(value == 0.0, "entry %zu %zu beyond the order", k, l);
                    else if (at == 0) /* one rounding of the result, and the sum */
                        keep_largest(&worst_point,
                                     in_units(fmax(error - DBL_EPSILON / 2 * fabs(value), 0.0), (p + q) * scale[0]));
                    else if (scale[at] < 1e290)
                        keep_largest(&worst_derivative, in_units(error, (p + q) * (double)(k + l + 1) * scale[at]));
                }
        nurbs_exact_free(exact, total);
        tact_nurbs_surface_release(&s, &default_allocator);
        CHECK(worst_point <= 2.0 && worst_derivative <= 1.0, "%g and %g units", worst_point, worst_derivative);
    }
    print_message("points: %.2f (p + q) units, derivatives: %.2f (p + q)(order + 1) units\n", worst_point,
                  worst_derivative);
    require(n.degree, 1, 9, 40, "degree");
    require(n.knots, 0, KNOT_KINDS - 1, 50, "knots");
    require(n.weights, 0, WEIGHT_KINDS - 1, 50, "weights");
    require(n.points, 0, POINT_KINDS - 1, 30, "points");
    require(n.parameters, 0, PARAMETER_KINDS - 1, 50, "parameter");
    require(n.order, 0, 2, 50, "order");
    require(n.order, 3, 5, 1, "order");
}

/* Control points of Bezier patches, three of each patch; neighbouring patches share theirs exactly. */
static void bezier_patches_match_exact_arithmetic(void **state)
{
    (void)state;
    static nurbs_case c;
    case_counts n = {0};
    double worst = 0.0;
    int neighbours = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(150); ++seed) {
        random_source r = random_seed(seed);
        nurbs_case_make(&c, &r, 9);
        nurbs_surface s;
        make_surface(&s, &c.def);
        count_case(&n, &c);
        size_t p = (size_t)s.degree[0], q = (size_t)s.degree[1];
        uint32_t span[2] = {(uint32_t)random_below(&r, s.span_count[0]), (uint32_t)random_below(&r, s.span_count[1])};
        size_t k0 = s.spans[0][span[0]], k1 = s.spans[1][span[1]];
        nurbs_vec4 out[ORDER * ORDER], next[ORDER * ORDER];
        tact_nurbs_extract_patch(&s, c.points, span, out);
        mpq_t *along_u = nurbs_exact_numbers((p + 1) * (p + 1)), *along_v = nurbs_exact_numbers((q + 1) * (q + 1));
        mpq_t *exact = nurbs_exact_numbers(6);
        nurbs_exact_extraction(along_u, c.knots[0], (int)p, k0);
        nurbs_exact_extraction(along_v, c.knots[1], (int)q, k1);
        for (int round = 0; round < 3; ++round) {
            size_t a = random_below(&r, p + 1), b = random_below(&r, q + 1);
            double size = 0.0, weight_size = 0.0;
            for (int k = 0; k < 4; ++k)
                mpq_set_ui(exact[k], 0, 1);
            for (size_t i = 0; i <= p; ++i)
                for (size_t j = 0; j <= q; ++j) {
                    size_t index = (k0 - p + i) * s.counts[1] + k1 - q + j;
                    double w = s.weights != NULL ? c.weights[index] : 1.0;
                    const double x[4] = {c.points[index].x, c.points[index].y, c.points[index].z, 1.0};
                    mpq_mul(exact[4], along_u[a * (p + 1) + i], along_v[b * (q + 1) + j]);
                    mpq_set_d(exact[5], w);
                    mpq_mul(exact[4], exact[4], exact[5]);
                    size += mpq_get_d(exact[4]) * vec_max_abs(c.points[index]);
                    weight_size += mpq_get_d(exact[4]);
                    for (int k = 0; k < 4; ++k) {
                        mpq_set_d(exact[5], x[k]);
                        mpq_mul(exact[5], exact[5], exact[4]);
                        mpq_add(exact[k], exact[k], exact[5]);
                    }
                }
            nurbs_vec4 found = out[a * (q + 1) + b];
            const double values[4] = {found.x, found.y, found.z, found.w};
            for (int k = 0; k < 4; ++k)
                keep_largest(&worst, in_units(nurbs_exact_error(exact[k], values[k]),
                                              (double)(p + q) * (k < 3 ? size : weight_size)));
            CHECK(s.weights != NULL || found.w == 1.0, "weight %.17g", found.w);
        }
        CHECK(worst <= 4.0, "%g units", worst);
        for (int d = 0; d < 2; ++d)
            if (span[d] + 1 < s.span_count[d]) {
                uint32_t beside[2] = {span[0] + (d == 0), span[1] + (d == 1)};
                tact_nurbs_extract_patch(&s, c.points, beside, next);
                for (size_t i = 0; i <= (d == 0 ? q : p); ++i, ++neighbours) {
                    const nurbs_vec4 *x = d == 0 ? &out[p * (q + 1) + i] : &out[i * (q + 1) + q];
                    const nurbs_vec4 *y = d == 0 ? &next[i] : &next[i * (q + 1)];
                    CHECK(x->x == y->x && x->y == y->y && x->z == y->z && x->w == y->w, "patches differ at %zu", i);
                }
            }
        nurbs_exact_free(along_u, (p + 1) * (p + 1));
        nurbs_exact_free(along_v, (q + 1) * (q + 1));
        nurbs_exact_free(exact, 6);
        tact_nurbs_surface_release(&s, &default_allocator);
    }
    print_message("Bezier control points: %.2f (p + q) units, %d shared\n", worst, neighbours);
    require(n.degree, 1, 9, 20, "degree");
    require(n.knots, 0, KNOT_KINDS - 1, 20, "knots");
    require(n.weights, 0, WEIGHT_KINDS - 1, 20, "weights");
    assert_true(few_cases() || neighbours > 500);
}

/* A clamped surface begins and ends at its corner control points, exactly. A periodic surface closes. */
static void ends_are_interpolated(void **state)
{
    (void)state;
    static nurbs_case c;
    int clamped = 0, rational = 0, periodic = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(600); ++seed) {
        random_source r = random_seed(seed);
        nurbs_case_make(&c, &r, TACT_NURBS_MAX_DEGREE);
        nurbs_surface s;
        make_surface(&s, &c.def);
        size_t n = s.counts[0], m = s.counts[1];
        double begin[2], end[2];
        int ends_clamped = 1;
        for (int d = 0; d < 2; ++d) {
            size_t p = (size_t)s.degree[d], last = s.counts[d];
            begin[d] = c.knots[d][p];
            end[d] = c.knots[d][last];
            ends_clamped = ends_clamped && c.knots[d][0] == begin[d] && c.knots[d][last + p] == end[d];
        }
        tact_vec3 out[4];
        for (int corner = 0; ends_clamped && corner < 4; ++corner) {
            tact_nurbs_evaluate_at(&s, c.points, corner & 1 ? end[0] : begin[0], corner & 2 ? end[1] : begin[1], 0,
                                   out);
            CHECK(vec_equal(out[0], c.points[(corner & 1 ? n - 1 : 0) * m + (corner & 2 ? m - 1 : 0)]), "corner %d",
                  corner);
        }
        clamped += ends_clamped;
        rational += ends_clamped && s.weights != NULL;
        if (c.knot_kind[0] == KNOTS_PERIODIC && s.weights == NULL) {
            double v = nurbs_case_parameter(&c, &r, 1, &(nurbs_parameter_kind){INSIDE}), scale;
            tact_nurbs_evaluate_at(&s, c.points, begin[0], v, 0, &out[0]);
            tact_nurbs_evaluate_at(&s, c.points, end[0], v, 0, &out[1]);
            nurbs_natural_scale(&scale, &c.def, begin[0], v, 0);
            double gap = vec_max_abs(vec_sub(out[0], out[1]));
            CHECK(gap <= 16.0 * (s.degree[0] + s.degree[1]) * DBL_EPSILON * scale +
                             2.0 * DBL_EPSILON * vec_max_abs(out[0]),
                  "a gap of %g", gap);
            ++periodic;
        }
        tact_nurbs_surface_release(&s, &default_allocator);
    }
    assert_true(few_cases() || (clamped >= 40 && rational >= 15 && periodic >= 30));
}

/* The polynomials of a span are continued beyond it: compared with exact arithmetic. */
static void basis_functions_are_continued_beyond_their_span(void **state)
{
    (void)state;
    static nurbs_case c;
    int beyond = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(100); ++seed) {
        random_source r = random_seed(seed);
        nurbs_case_make(&c, &r, 9);
        nurbs_surface s;
        make_surface(&s, &c.def);
        uint32_t span = (uint32_t)random_below(&r, s.span_count[0]);
        size_t p = (size_t)s.degree[0], k = s.spans[0][span];
        double length = c.knots[0][k + 1] - c.knots[0][k], t = c.knots[0][k] + random_range(&r, -1.0, 2.0) * length;
        double out[ORDER];
        tact_nurbs_basis(&s, 0, span, t, 0, out);
        mpq_t *exact = nurbs_exact_numbers(p + 1);
        nurbs_exact_basis(exact, c.knots[0], (int)p, k, t, 0);
        for (size_t i = 0; i <= p; ++i)
            CHECK(nurbs_exact_error(exact[i], out[i]) <=
                      4.0 * (double)p * DBL_EPSILON * nurbs_absolute_basis(c.knots[0], (int)p, k - p + i, k, t, 0),
                  "function %zu", i);
        beyond += t < c.knots[0][k] || t > c.knots[0][k + 1];
        nurbs_exact_free(exact, p + 1);
        tact_nurbs_surface_release(&s, &default_allocator);
    }
    assert_true(few_cases() || beyond >= 30);
}

/* A valid surface that the tests of bad input change: degrees 2 and 3, 5 x 6 control points. */
typedef struct changeable {
    tact_nurbs_def def;
    double knots[2][10], weights[30];
    tact_vec3 points[30];
} changeable;

static void make_changeable(changeable *c)
{
    static const double u[8] = {0, 0, 0, 1, 2, 3, 3, 3}, v[10] = {-3, -2, -1, 0, 1, 2, 3, 4, 5, 6};
    memcpy(c->knots[0], u, sizeof u);
    memcpy(c->knots[1], v, sizeof v);
    for (int i = 0; i < 30; ++i) {
        c->points[i] = vec_make(i / 6, i % 6, 0.1 * i);
        c->weights[i] = 1.0 + i % 7;
    }
    c->def = (tact_nurbs_def){.degree = {2, 3},
                              .counts = {5, 6},
                              .knots = {c->knots[0], c->knots[1]},
                              .points = c->points,
                              .weights = c->weights};
}

static int messages;

static void expect_message(const changeable *c, const char *part)
{
    nurbs_surface s;
    tact_report report = {TACT_OK, ""};
    failing_allocator memory = {0};
    tact_allocator allocator = failing_allocator_make(&memory);
    if (tact_nurbs_surface_init(&s, &c->def, &allocator, &report))
        fail_msg("accepted, instead of: %s", part);
    if (report.status != TACT_BAD_ARGUMENT || strstr(report.text, part) == NULL)
        fail_msg("\"%s\" instead of \"%s\"", report.text, part);
    assert_int_equal(memory.calls, 0);
    assert_true(strlen(report.text) + 1 < sizeof report.text);
    assert_false(tact_nurbs_check(&c->def, NULL));
    ++messages;
}

static void each_bad_input_has_its_message(void **state)
{
    (void)state;
    changeable c;
    nurbs_surface s;
    tact_report report;
    make_changeable(&c);
    make_surface(&s, &c.def);
    tact_nurbs_surface_release(&s, &default_allocator);
    assert_false(tact_nurbs_surface_init(&s, NULL, &default_allocator, &report));
    assert_non_null(strstr(report.text, "def is missing"));

#define BAD(change, part)                                                                                              \
    do {                                                                                                               \
        make_changeable(&c);                                                                                           \
        change;                                                                                                        \
        expect_message(&c, part);                                                                                      \
    } while (0)
    BAD(c.def.degree[0] = 0, "degree along u is 0");
    BAD(c.def.degree[1] = 16, "degree along v is 16; it must be 1 to 15");
    BAD(c.def.degree[1] = -1, "degree along v is -1");
    BAD(c.def.counts[0] = 2, "2 control points along u; degree 2 needs at least 3");
    BAD(c.def.counts[1] = 0, "0 control points along v");
    BAD(c.def.counts[0] = SIZE_MAX, "too many control points");
    BAD(c.def.counts[0] = c.def.counts[1] = 23171, "too many control points: 23171 x 23171");
    BAD(c.def.counts[1] = NURBS_MAX_POINTS, "too many control points");
    BAD(c.def.knots[0] = NULL, "knots along u are missing");
    BAD(c.def.knots[1] = NULL, "knots along v are missing");
    BAD(c.def.points = NULL, "control points are missing");
    BAD(c.knots[0][4] = 0.5, "knot 4 along u is 0.5, less than its predecessor 1");
    BAD(c.knots[1][9] = 4.5, "knot 9 along v is 4.5, less than");
    BAD(c.knots[1][9] = NAN, "knot 9 along v is nan: not finite");
    BAD(c.knots[1][0] = -INFINITY, "knot 0 along v is -inf");
    BAD(c.knots[1][9] = 1.1 * NURBS_MAX_KNOT, "knot 9 along v is 1.1e+150");
    BAD((c.knots[0][3] = 1e-151), "differ by 1e-151");
    BAD((c.knots[0][0] = -1.0, c.knots[0][4] = 1.0, c.def.degree[0] = 1, c.def.counts[0] = 6),
        "knot 1 along u repeats more than 1 times, at index 4");
    BAD((c.knots[1][4] = c.knots[1][5] = c.knots[1][6] = c.knots[1][3] = 0.0), "the domain along v is empty");
    BAD((c.knots[0][3] = 0.0), "knot 0 along u repeats more than 3 times, at index 3");
    BAD((c.knots[0][4] = 3.0), "knot 3 along u repeats more than 3 times, at index 7");
    BAD(c.weights[7] = 0.0, "weight 7 is 0; weights must be positive");
    BAD(c.weights[29] = -1.0, "weight 29 is -1");
    BAD(c.weights[0] = NAN, "weight 0 is nan");
    BAD(c.weights[1] = INFINITY, "weight 1 is inf");
    BAD(c.weights[1] = 2.0 * NURBS_MAX_WEIGHT, "weight 1 is 2e+30");
    BAD(c.weights[1] = 0.5 / NURBS_MAX_WEIGHT, "weight 1 is 5e-31");
    BAD(c.weights[2] = 1.1 * NURBS_MAX_WEIGHT_RATIO, "weight 2 (1.1e+12) is more than 1e+12 times weight 0 (1)");
    BAD(c.points[3].y = NAN, "control point 3 (0 nan");
    BAD(c.points[29].z = INFINITY, "control point 29");
    BAD(c.points[28].x = -1.1 * NURBS_MAX_COORDINATE, "control point 28");
#undef BAD
    assert_int_equal(messages, 31);
}

/* Numbers at the limits are accepted, and points and first derivatives are finite. */
static void numbers_at_the_limits_are_accepted(void **state)
{
    (void)state;
    changeable c;
    nurbs_surface s;
    make_changeable(&c);
    for (int i = 0; i < 30; ++i) {
        double x = i % 2 == 0 ? NURBS_MAX_COORDINATE : -NURBS_MAX_COORDINATE;
        c.points[i] = vec_make(x, -x, x);
        c.weights[i] = i % 3 == 0 ? NURBS_MAX_WEIGHT : NURBS_MAX_WEIGHT / NURBS_MAX_WEIGHT_RATIO;
    }
    static const double u[8] = {0, 0, 0, 1e-150, 2e-150, 1e150, 1e150, 1e150};
    memcpy(c.knots[0], u, sizeof u);
    make_surface(&s, &c.def);
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j <= 12; ++j) {
            tact_vec3 out[1], first[4];
            tact_nurbs_evaluate_at(&s, c.points, 0.75 * u[i], 0.25 * j, 0, out);
            assert_true(vec_max_abs(out[0]) <= (1.0 + 1e-14) * NURBS_MAX_COORDINATE);
            for (int k = 0; k < 30; ++k)
                c.weights[k] = 1.0;
            nurbs_surface plain;
            make_surface(&plain, &c.def);
            tact_nurbs_evaluate_at(&plain, c.points, 0.75 * u[i], 0.25 * j, 1, first);
            assert_true(vec_finite(first[1]) && vec_finite(first[2]));
            tact_nurbs_surface_release(&plain, &default_allocator);
        }
    /* a parameter that is not a number counts as the beginning */
    tact_vec3 out[2];
    tact_nurbs_evaluate_at(&s, c.points, NAN, NAN, 0, &out[0]);
    tact_nurbs_evaluate_at(&s, c.points, 0.0, 0.0, 0, &out[1]);
    assert_true(vec_equal(out[0], out[1]));
    tact_nurbs_surface_release(&s, &default_allocator);
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    changeable c;
    long failures = 0;
    for (int weighted = 0; weighted < 2; ++weighted) {
        make_changeable(&c);
        if (!weighted)
            c.def.weights = NULL;
        for (long at = 1;; ++at) {
            failing_allocator memory = {.fail_at = at};
            tact_allocator allocator = failing_allocator_make(&memory);
            nurbs_surface s;
            tact_report report = {TACT_OK, "x"};
            bool made = tact_nurbs_surface_init(&s, &c.def, &allocator, &report);
            if (made) {
                assert_int_equal(report.status, TACT_OK);
                assert_string_equal(report.text, "");
                assert_int_equal(tact_nurbs_surface_byte_count(&s), memory.held);
                tact_nurbs_surface_release(&s, &allocator);
                tact_nurbs_surface_release(&s, &allocator); /* again: nothing happens */
                assert_int_equal(tact_nurbs_surface_byte_count(&s), 0);
            } else {
                assert_int_equal(report.status, TACT_OUT_OF_MEMORY);
                assert_non_null(strstr(report.text, "out of memory"));
                ++failures;
            }
            assert_int_equal(memory.held, 0);
            if (made)
                break;
        }
    }
    assert_int_equal(failures, 6 + 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(basis_functions_match_exact_arithmetic),
        cmocka_unit_test(extraction_operators_match_exact_arithmetic),
        cmocka_unit_test(points_and_derivatives_match_exact_arithmetic),
        cmocka_unit_test(bezier_patches_match_exact_arithmetic),
        cmocka_unit_test(ends_are_interpolated),
        cmocka_unit_test(basis_functions_are_continued_beyond_their_span),
        cmocka_unit_test(each_bad_input_has_its_message),
        cmocka_unit_test(numbers_at_the_limits_are_accepted),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("nurbs_surface", tests, NULL, NULL);
}
