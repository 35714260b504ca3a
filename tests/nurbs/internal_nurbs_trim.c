/*
 * Trimming: random loops on flat and bent surfaces. Triangles cover what is inside the loops, once, and nothing else;
 * their edges match; random points are inside exactly if a triangle covers them; the area is right.
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
#include <tact/query.h>

#include "math/vec.h"
#include "nurbs/nurbs_shape.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"

enum { MAX_LOOPS = 5, MAX_POINTS = 24, COUNT = 9 };

/* A surface above the unit square with some spans, and loops on it. */
typedef struct trim_case {
    tact_nurbs_def def;
    double knots[2][COUNT + 5];
    tact_vec3 points[COUNT * COUNT];
    tact_nurbs_loop loops[MAX_LOOPS];
    tact_nurbs_curve curves[MAX_LOOPS];
    double curve_points[MAX_LOOPS][MAX_POINTS][2], curve_knots[MAX_LOOPS][2 * MAX_POINTS];
    int curved;
} trim_case;

/* A star-shaped closed curve around a point: a polygon, or a quadratic spline. */
static void make_loop(trim_case *c, size_t i, random_source *r, double u, double v, double radius, bool round)
{
    /* a round one contains the circle of 0.69 of its radius */
    const int sides = (round ? 6 : 3) + (int)random_below(r, 9), degree = 1 + (int)random_below(r, 2);
    const double start = random_range(r, 0.0, 6.0);
    double(*p)[2] = c->curve_points[i];
    for (int k = 0; k < sides; ++k) {
        const double angle = start + 6.283185307179586 * k / sides,
                     far = radius * random_range(r, round ? 0.8 : 0.5, 1.0);
        p[k][0] = u + far * cos(angle);
        p[k][1] = v + far * sin(angle);
    }
    /* closed: clamped, the first point again at the end */
    const int count = sides + 1;
    p[sides][0] = p[0][0];
    p[sides][1] = p[0][1];
    const bool reverse = random_below(r, 2) == 0;
    for (int k = 0; k < count / 2 && reverse; ++k)
        for (int d = 0; d < 2; ++d) {
            const double x = p[k][d];
            p[k][d] = p[count - 1 - k][d];
            p[count - 1 - k][d] = x;
        }
    for (int k = 0; k < count + degree + 1; ++k) {
        const int inner = k - degree;
        c->curve_knots[i][k] = inner < 0 ? 0 : inner > count - degree ? count - degree : inner;
    }
    c->curves[i] = (tact_nurbs_curve){degree, (size_t)count, c->curve_knots[i], (const double(*)[2])p, NULL};
    c->loops[i] = (tact_nurbs_loop){&c->curves[i], 1};
    c->curved += degree > 1;
}

static void make_case(trim_case *c, random_source *r, bool flat)
{
    memset(c, 0, sizeof *c);
    const int degree = 1 + (int)random_below(r, 3), n = degree + 1 + (int)random_below(r, (uint64_t)(COUNT - degree));
    for (int d = 0; d < 2; ++d)
        for (int i = 0; i < n + degree + 1; ++i) {
            const int inner = i - degree, spans = n - degree;
            c->knots[d][i] = inner < 0 ? 0.0 : inner > spans ? 1.0 : (double)inner / spans;
        }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) { /* Greville points: S(u, v) = (u, v, z) */
            double g[2] = {0.0, 0.0};
            for (int k = 1; k <= degree; ++k) {
                g[0] += c->knots[0][i + k] / degree;
                g[1] += c->knots[1][j + k] / degree;
            }
            c->points[i * n + j] = (tact_vec3){g[0], g[1], flat ? 0.0 : random_range(r, -0.2, 0.2)};
        }
    c->def = (tact_nurbs_def){.degree = {degree, degree},
                              .counts = {(size_t)n, (size_t)n},
                              .knots = {c->knots[0], c->knots[1]},
                              .points = c->points,
                              .trims = c->loops,
                              .tolerance = ldexp(1.0, -4 - (int)random_below(r, 6))};
    const int kind = (int)random_below(r, 4);
    size_t loops = 0;
    if (kind == 0) { /* one loop inside, with a hole, with an island */
        make_loop(c, loops++, r, 0.5, 0.5, 0.48, true);
        make_loop(c, loops++, r, 0.5, 0.5, 0.2, true);
        make_loop(c, loops++, r, 0.5, 0.5, 0.08, true);
    } else if (kind == 1) { /* some loops apart, one of them partly outside the domain */
        make_loop(c, loops++, r, 0.2, 0.25, 0.19, false);
        make_loop(c, loops++, r, 0.75, 0.25, 0.2, false);
        make_loop(c, loops++, r, 0.3, 0.95, 0.3, false);
    } else if (kind == 2) { /* the border of the domain, with holes */
        static const double border[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}}, knots[7] = {0, 0, 1, 2, 3, 4, 4};
        c->curves[0] = (tact_nurbs_curve){1, 5, knots, border, NULL};
        c->loops[loops++] = (tact_nurbs_loop){&c->curves[0], 1};
        make_loop(c, loops++, r, 0.3, 0.6, 0.25, false);
        make_loop(c, loops++, r, 0.8, 0.3, 0.03, false);
    } else { /* around everything, with a hole that crosses two borders */
        static const double around[4][2] = {{-1, -1}, {3, -1}, {-1, 3}, {-1, -1}}, knots[6] = {0, 0, 1, 2, 3, 3};
        c->curves[0] = (tact_nurbs_curve){1, 4, knots, around, NULL};
        c->loops[loops++] = (tact_nurbs_loop){&c->curves[0], 1};
        const double u = random_unit(r), v = random_unit(r);
        make_loop(c, loops++, r, u, v, 0.4, false);
    }
    c->def.trim_count = loops;
}

static double cross2(tact_vec3 a, tact_vec3 b, tact_vec3 p)
{
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

/* The number of triangles that cover a point of the plane; -1: it is too close to an edge. */
static int covers(const nurbs_tessellation *t, tact_vec3 p)
{
    int count = 0;
    for (size_t i = 0; i < t->triangles.count; ++i) {
        const uint32_t *v = t->triangles.items[i].vertex;
        double least = INFINITY;
        for (int k = 0; k < 3; ++k) {
            const tact_vec3 a = t->positions[v[k]], b = t->positions[v[(k + 1) % 3]];
            const double length = hypot(b.x - a.x, b.y - a.y);
            least = fmin(least, length > 0.0 ? cross2(a, b, p) / length : 0.0);
        }
        if (fabs(least) < 1e-9)
            return -1;
        count += least > 0.0;
    }
    return count;
}

/* Distance from the polylines of the loops. */
static double clearance(const nurbs_trim *trim, double u, double v)
{
    double least = INFINITY;
    for (size_t loop = 0, begin = 0; loop < trim->loop_ends.count; begin = trim->loop_ends.items[loop++])
        for (size_t i = begin, end = trim->loop_ends.items[loop]; i < end; ++i) {
            const trim_vertex p = trim->vertices.items[i], q = trim->vertices.items[i + 1 < end ? i + 1 : begin];
            const double dx = q.u - p.u, dy = q.v - p.v, square = dx * dx + dy * dy;
            const double s = square > 0.0 ? fmin(1.0, fmax(0.0, ((u - p.u) * dx + (v - p.v) * dy) / square)) : 0.0;
            least = fmin(least, hypot(u - p.u - s * dx, v - p.v - s * dy));
        }
    return least;
}

static int compare_edges(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Every edge occurs once in each direction, or bounds the surface: then the open edges form closed loops. */
static void check_edges(const nurbs_tessellation *t, uint64_t seed)
{
    const size_t count = 3 * t->triangles.count;
    uint64_t *edges = malloc(count * sizeof *edges);
    int *balance = calloc(t->vertices.count, sizeof *balance);
    for (size_t i = 0; i < t->triangles.count; ++i)
        for (size_t k = 0; k < 3; ++k)
            edges[3 * i + k] =
                (uint64_t)t->triangles.items[i].vertex[k] << 32 | t->triangles.items[i].vertex[(k + 1) % 3];
    qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0; i < count; ++i) {
        CHECK(i == 0 || edges[i] != edges[i - 1], "an edge occurs twice in one direction");
        const uint64_t other = edges[i] << 32 | edges[i] >> 32;
        if (bsearch(&other, edges, count, sizeof *edges, compare_edges) == NULL) {
            ++balance[edges[i] >> 32];
            --balance[edges[i] & UINT32_MAX];
        }
    }
    for (size_t i = 0; i < t->vertices.count; ++i)
        CHECK(balance[i] == 0, "the boundary is not closed");
    free(balance);
    free(edges);
}

typedef struct trim_counts {
    int inside, outside, curved, cut, whole, gone;
} trim_counts;

static void check_case(uint64_t seed, bool flat, trim_counts *n)
{
    random_source r = random_seed(seed);
    trim_case c;
    make_case(&c, &r, flat);
    tact_report report;
    const tact_allocator allocator = {0};
    nurbs_model *m = tact_nurbs_model_create(&c.def, 1, &allocator, &report);
    nurbs_tessellation t;
    CHECK(m != NULL && tact_nurbs_tessellation_init(&t, m, c.points, &report), "%s", report.text);
    CHECK(t.error <= c.def.tolerance, "error %g, tolerance %g", t.error, c.def.tolerance);
    check_edges(&t, seed);
    n->curved += c.curved;
    double area = 0.0;
    for (size_t i = 0; i < t.triangles.count; ++i) {
        const uint32_t *v = t.triangles.items[i].vertex;
        const double twice = cross2(t.positions[v[0]], t.positions[v[1]], t.positions[v[2]]);
        CHECK(twice >= -1e-12, "triangle %zu is inverted: %g", i, twice);
        area += 0.5 * twice;
    }
    for (size_t i = 0; i < t.cells.count; ++i)
        if (t.cells.items[i].first_child == 0) {
            n->gone += t.cells.items[i].triangle_count == 0;
            n->whole += t.cells.items[i].triangle_count == 2;
            n->cut += t.cells.items[i].triangle_count > 4;
        }
    const nurbs_trim *trim = m->trims[0];
    int hits = 0;
    enum { SAMPLES = 80 };
    for (int k = 0; k < SAMPLES; ++k) {
        const double u = random_unit(&r), v = random_unit(&r);
        const bool inside = tact_nurbs_trim_contains(trim, u, v);
        hits += inside;
        if (clearance(trim, u, v) < 1e-4)
            continue;
        const int covered = covers(&t, vec_make(u, v, 0.0));
        if (covered < 0)
            continue;
        CHECK(covered == inside, "(%g, %g) is covered by %d triangles, inside %d", u, v, covered, (int)inside);
        ++*(inside ? &n->inside : &n->outside);
    }
    /* six standard deviations */
    const double part = (double)hits / SAMPLES;
    CHECK(fabs(area - part) < 6.0 * 0.5 / sqrt(SAMPLES) + 1e-3, "area %g, but %g of the points are inside", area, part);
    tact_nurbs_tessellation_release(&t);
    tact_nurbs_model_free(m);
}

static void triangles_cover_what_is_inside(void **state)
{
    (void)state;
    trim_counts n = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(80, 20000); ++seed)
        check_case(seed, seed % 2 == 0, &n);
    if (few_cases())
        return;
    print_message("%d points inside, %d outside; cells: %d cut, %d whole, %d gone; %d curves\n", n.inside, n.outside,
                  n.cut, n.whole, n.gone, n.curved);
    assert_true(n.inside > 2000 && n.outside > 2000 && n.curved > 50 && n.cut > 500 && n.whole > 500 && n.gone > 500);
}

/* A circle as the border of a disc: its points are within the error of the triangles, which are within the disc. */
static void a_disc_is_round(void **state)
{
    (void)state;
    const double knots[4] = {-2.0, -2.0, 2.0, 2.0}, h = 0.70710678118654752440;
    const tact_vec3 points[4] = {{-2, -2, 0}, {-2, 2, 0}, {2, -2, 0}, {2, 2, 0}};
    const double circle[9][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}, {1, 0}};
    const double circle_knots[12] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4}, weights[9] = {1, h, 1, h, 1, h, 1, h, 1};
    const tact_nurbs_curve curve = {2, 9, circle_knots, circle, weights};
    const tact_nurbs_loop loop = {&curve, 1};
    for (int k = -4; k < 14; k += 3) { /* from a tolerance that is larger than the surface */
        const tact_nurbs_def def = {.degree = {1, 1},
                                    .counts = {2, 2},
                                    .knots = {knots, knots},
                                    .points = points,
                                    .trims = &loop,
                                    .trim_count = 1,
                                    .tolerance = ldexp(1.0, -k)};
        tact_report report;
        tact_shape *disc = tact_nurbs_create(&def, 1, &report);
        if (disc == NULL)
            fail_msg("%s", report.text);
        const size_t count = tact_shape_get_points(disc, NULL, 0);
        tact_vec3 *p = malloc(count * sizeof *p);
        (void)tact_shape_get_points(disc, p, count);
        double farthest = 0.0;
        int on_circle = 0;
        for (size_t i = 0; i < count; ++i) {
            farthest = fmax(farthest, hypot(p[i].x, p[i].y));
            on_circle += fabs(hypot(p[i].x, p[i].y) - 1.0) < 1e-5;
        }
        assert_true(farthest <= 1.0 + 1e-5 && farthest > 1.0 - def.tolerance);
        assert_true(on_circle >= 8);
        for (int i = 0; i < 400; ++i) { /* of the circle, as points of the surface */
            const tact_vec3 on = {cos(i), sin(i), 0.0};
            const tact_closest near = tact_shape_closest(disc, tact_identity(), on);
            assert_true(near.status == TACT_OK && near.distance <= 1e-9); /* the error is a margin */
        }
        free(p);
        tact_shape_release(disc);
    }
}

/* A convex polygon whose corners are on the border of the unit square, counter-clockwise; some are corners of the
 * square. Returns their number; the first one is repeated. */
static int make_inscribed(random_source *r, double p[8][2])
{
    double at[7];
    const int count = 3 + (int)random_below(r, 4);
    for (int i = 0; i < count; ++i) {
        const double next = random_chance(r, 0.4) ? (double)random_below(r, 4) : random_range(r, 0.0, 4.0);
        int k = i;
        for (; k > 0 && at[k - 1] > next; --k)
            at[k] = at[k - 1];
        at[k] = next;
    }
    for (int i = 0; i <= count; ++i) {
        const double along = at[i % count];
        p[i][0] = along < 1.0 ? along : along < 2.0 ? 1.0 : along < 3.0 ? 3.0 - along : 0.0;
        p[i][1] = along < 1.0 ? 0.0 : along < 2.0 ? along - 1.0 : along < 3.0 ? 1.0 : 4.0 - along;
    }
    return count;
}

/* Polygons with corners on the border of the domain, or a little beside it, keep their areas: the border does not move
 * their edges, and small gaps are closed. */
static void corners_on_the_border_stay(void **state)
{
    (void)state;
    const tact_allocator allocator = {0};
    int across = 0, along = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(120, 4000); ++seed) {
        random_source r = random_seed(seed);
        double p[8][2];
        const int count = make_inscribed(&r, p),
                  spans[2] = {1 + (int)random_below(&r, 4), 1 + (int)random_below(&r, 4)};
        double knots[2][7];
        tact_vec3 square[25];
        for (int d = 0; d < 2; ++d)
            for (int i = 0; i < spans[d] + 3; ++i)
                knots[d][i] = fmin(fmax(0.0, i - 1.0), spans[d]) / spans[d];
        for (int i = 0; i <= spans[0]; ++i)
            for (int k = 0; k <= spans[1]; ++k)
                square[i * (spans[1] + 1) + k] = vec_make((double)i / spans[0], (double)k / spans[1], 0.0);
        double want = 0.0, area = 0.0;
        for (int i = 0; i < count; ++i)
            want += 0.5 * (p[i][0] * p[i + 1][1] - p[i + 1][0] * p[i][1]);
        if (want < 0.05)
            continue; /* corners coincide: next to nothing remains */
        for (int i = 0; i < count; ++i) {
            across += fabs(p[i][0] - p[i + 1][0]) == 1.0 || fabs(p[i][1] - p[i + 1][1]) == 1.0;
            along += (p[i][0] == p[i + 1][0]) != (p[i][1] == p[i + 1][1]);
        }
        double ends[7][2][2]; /* each edge is a curve of its own */
        tact_nurbs_curve curves[7];
        const double line_knots[4] = {0, 0, 1, 1};
        for (int i = 0; i < count; ++i) {
            for (int k = 0; k < 4; ++k) {
                ends[i][k / 2][k % 2] = p[i + k / 2][k % 2];
                if (random_chance(&r, 0.3))
                    ends[i][k / 2][k % 2] += random_chance(&r, 0.5) ? random_range(&r, -4e-7, 4e-7) : 2e-16;
            }
            curves[i] = (tact_nurbs_curve){1, 2, line_knots, (const double(*)[2])ends[i], NULL};
        }
        const tact_nurbs_loop loop = {curves, (size_t)count};
        const tact_nurbs_def def = {.degree = {1, 1},
                                    .counts = {(size_t)spans[0] + 1, (size_t)spans[1] + 1},
                                    .knots = {knots[0], knots[1]},
                                    .points = square,
                                    .trims = &loop,
                                    .trim_count = 1,
                                    .tolerance = 1e-3};
        tact_report report;
        nurbs_model *m = tact_nurbs_model_create(&def, 1, &allocator, &report);
        nurbs_tessellation t;
        CHECK(m != NULL && tact_nurbs_tessellation_init(&t, m, square, &report), "%s", report.text);
        for (size_t i = 0; i < t.triangles.count; ++i) {
            const uint32_t *v = t.triangles.items[i].vertex;
            area += 0.5 * cross2(t.positions[v[0]], t.positions[v[1]], t.positions[v[2]]);
        }
        check_edges(&t, seed);
        CHECK(fabs(area - want) < 6.0 * t.error, "area %g instead of %g; the error is %g", area, want, t.error);
        tact_nurbs_tessellation_release(&t);
        tact_nurbs_model_free(m);
    }
    if (few_cases())
        return;
    print_message("%d edges from side to side, %d along a side\n", across, along);
    assert_true(across > 60 && along > 40);
}

static void bad_loops_are_explained(void **state)
{
    (void)state;
    const struct {
        const char *message;
        int change;
    } cases[] = {{"degree", 0},
                 {"number of control points", 1},
                 {"NULL", 2},
                 {"knot", 3},
                 {"domain", 4},
                 {"weight", 5},
                 {"not closed", 6},
                 {"does not begin", 7},
                 {"no curve", 8},
                 {"loops are missing", 9},
                 {"points: they have no triangles", 10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        random_source r = random_seed(3);
        trim_case c;
        do
            make_case(&c, &r, true);
        while (c.def.trim_count != 3 || c.curves[0].count < 5);
        const double falling[40] = {0, 0, 0, 2, 1}, same[40] = {0}, negative[MAX_POINTS] = {-1};
        tact_nurbs_curve two[2] = {c.curves[0], c.curves[1]};
        const tact_nurbs_loop joined = {two, 2};
        switch (cases[i].change) {
        case 0:
            c.curves[0].degree = 16;
            break;
        case 1:
            c.curves[0].count = 1;
            break;
        case 2:
            c.curves[0].points = NULL;
            break;
        case 3:
            c.curves[0].knots = falling;
            break;
        case 4:
            c.curves[0].knots = same;
            break;
        case 5:
            c.curves[0].weights = negative;
            break;
        case 6:
            c.curve_points[0][0][0] += 0.1;
            break;
        case 7:
            c.def.trims = &joined;
            c.def.trim_count = 1;
            break;
        case 8:
            c.loops[0].curve_count = 0;
            break;
        case 9:
            c.def.trims = NULL;
            break;
        default: /* a loop outside the domain: nothing remains */
            for (int k = 0; k < MAX_POINTS; ++k)
                c.curve_points[0][k][0] += 9.0;
            c.def.trim_count = 1;
        }
        tact_report report = {TACT_OK, ""};
        assert_null(tact_nurbs_create(&c.def, 1, &report));
        if (report.status != TACT_BAD_ARGUMENT || strstr(report.text, cases[i].message) == NULL)
            fail_msg("case %d: \"%s\"", cases[i].change, report.text);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        bool done = false;
        for (long at = 1; !done; at = next_failure(at)) {
            failing_allocator memory = {.fail_at = at};
            random_source r = random_seed(seed);
            trim_case c;
            make_case(&c, &r, false);
            c.def.tolerance = 0.1;
            c.def.allocator = failing_allocator_make(&memory);
            tact_report report = {TACT_OK, ""};
            tact_shape *shape = tact_nurbs_create(&c.def, 1, &report);
            done = memory.calls < at;
            assert_true(shape != NULL ? true : !done && report.status == TACT_OUT_OF_MEMORY);
            tact_shape_release(shape);
            assert_int_equal(memory.held, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_cover_what_is_inside), cmocka_unit_test(a_disc_is_round),
        cmocka_unit_test(corners_on_the_border_stay),     cmocka_unit_test(bad_loops_are_explained),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
