/*
 * Self-collision of bodies whose surfaces share named edges. Random strips of two to six sheets are hinged at their
 * edges and folded: some into zigzags, some until sheets touch. They are products of polylines and an interval, so the
 * oracle needs two dimensions only: it measures distances of points by brute force, and paths along the polyline.
 * Solids are in internal_nurbs_edges.c.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "math/vec.h"
#include "nurbs/nurbs_constants.h"
#include "nurbs/nurbs_shape.h"
#include "shape/mesh.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"

enum { MAX_SHEETS = 6, SAMPLES = 41 };

static const double clamped[4][8] = {{0}, {0, 0, 1, 1}, {0, 0, 0, 1, 1, 1}, {0, 0, 0, 0, 1, 1, 1, 1}};

/* Sheets in a row: sheet k is the rectangle between creases k and k + 1, which are parallel to y. */
typedef struct strip {
    int count;
    double x[MAX_SHEETS + 1], z[MAX_SHEETS + 1]; /* creases */
    int degree[MAX_SHEETS];
    double width, tolerance;
    tact_vec3 points[MAX_SHEETS][16];
    tact_nurbs_def defs[MAX_SHEETS];
    tact_nurbs_edge edges[MAX_SHEETS];
} strip;

static void add_sheet(strip *s, int k)
{
    const int p = s->degree[k];
    for (int i = 0; i <= p; i++)
        for (int j = 0; j <= p; j++) {
            const double u = (double)i / p, v = (double)j / p;
            s->points[k][i * (p + 1) + j] =
                vec_make((1.0 - u) * s->x[k] + u * s->x[k + 1], v * s->width, (1.0 - u) * s->z[k] + u * s->z[k + 1]);
        }
    s->defs[k] = (tact_nurbs_def){.degree = {p, p},
                                  .counts = {(size_t)p + 1, (size_t)p + 1},
                                  .knots = {clamped[p], clamped[p]},
                                  .points = s->points[k],
                                  .tolerance = s->tolerance};
}

/* Each crease turns by an angle between `least` and `most`. */
static void make_strip(strip *s, random_source *r, double least, double most)
{
    memset(s, 0, sizeof *s);
    s->count = 2 + (int)random_below(r, MAX_SHEETS - 1);
    s->width = random_range(r, 0.5, 2.0);
    s->tolerance = exp2(-random_range(r, 6.0, 14.0));
    double angle = random_range(r, 0.0, 6.0);
    for (int k = 0; k < s->count; k++) {
        const double length = random_range(r, 0.3, 1.0);
        s->x[k + 1] = s->x[k] + length * cos(angle);
        s->z[k + 1] = s->z[k] + length * sin(angle);
        angle += random_range(r, least, most);
        s->degree[k] = 1 + (int)random_below(r, 3);
        if (k > 0 && s->degree[k] == s->degree[k - 1]) /* else the model joins them */
            s->degree[k] = s->degree[k] % 3 + 1;
        add_sheet(s, k);
        if (k > 0)
            s->edges[k - 1] = (tact_nurbs_edge){.surface = {(uint32_t)k - 1, (uint32_t)k}, .curve = {1, 3}};
    }
    s->defs[0].edges = s->edges;
    s->defs[0].edge_count = (size_t)s->count - 1;
}

/* The distance of two segments in the plane. */
static double point_distance(const double p[2], const double a[2], const double b[2])
{
    const double d[2] = {b[0] - a[0], b[1] - a[1]}, square = d[0] * d[0] + d[1] * d[1];
    const double at = square > 0.0 ? fmin(1.0, fmax(0.0, ((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / square)) : 0.0;
    return hypot(p[0] - a[0] - at * d[0], p[1] - a[1] - at * d[1]);
}

static double orientation(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static double segment_distance(const double a[2], const double b[2], const double c[2], const double d[2])
{
    if (orientation(a, b, c) * orientation(a, b, d) < 0.0 && orientation(c, d, a) * orientation(c, d, b) < 0.0)
        return 0.0;
    return fmin(fmin(point_distance(a, c, d), point_distance(b, c, d)),
                fmin(point_distance(c, a, b), point_distance(d, a, b)));
}

/* The least distance of two parts of a strip, of which the path between them along the strip is longer than `path`:
 * sheets are products of segments and an interval, so two dimensions suffice. */
static double closest_beyond(const strip *s, double path)
{
    double least = INFINITY, start[MAX_SHEETS + 1] = {0.0};
    for (int k = 0; k < s->count; k++)
        start[k + 1] = start[k] + hypot(s->x[k + 1] - s->x[k], s->z[k + 1] - s->z[k]);
    for (int i = 0; i < s->count; i++)
        for (int n = 0; n <= SAMPLES * 40; n++) { /* a point of sheet i, and what of sheet k is far enough */
            const double f = (double)n / (SAMPLES * 40), at = start[i] + f * (start[i + 1] - start[i]);
            const double p[2] = {s->x[i] + f * (s->x[i + 1] - s->x[i]), s->z[i] + f * (s->z[i + 1] - s->z[i])};
            for (int k = i + 1; k < s->count; k++) {
                const double g = fmax(0.0, (at + path - start[k]) / (start[k + 1] - start[k]));
                if (g > 1.0)
                    continue;
                const double a[2] = {s->x[k] + g * (s->x[k + 1] - s->x[k]), s->z[k] + g * (s->z[k + 1] - s->z[k])},
                             b[2] = {s->x[k + 1], s->z[k + 1]};
                least = fmin(least, point_distance(p, a, b));
            }
        }
    for (int i = 0; i < s->count; i++) /* exactly, for sheets that do not meet */
        for (int k = i + 2; k < s->count; k++)
            least = fmin(least, segment_distance((double[2]){s->x[i], s->z[i]}, (double[2]){s->x[i + 1], s->z[i + 1]},
                                                 (double[2]){s->x[k], s->z[k]}, (double[2]){s->x[k + 1], s->z[k + 1]}));
    return least;
}

static bool touches_itself(tact_shape *shape)
{
    bool touches;
    tact_vec3 at;
    uint32_t triangles[2];
    assert_int_equal(tact_nurbs_geometry_find_self_contact(shape->nurbs, &touches, &at, triangles), TACT_OK);
    return touches;
}

/* What is at distance 0 beyond 8 tolerances is a contact; what is farther than the error beyond 2 is none. */
static void strips_touch_where_they_fold(void **state)
{
    (void)state;
    int touching = 0, apart = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(200); seed++) {
        random_source r = random_seed(seed);
        strip s;
        if (seed % 2 == 0)
            make_strip(&s, &r, -1.2, 1.2);
        else
            make_strip(&s, &r, 1.4, 3.2);
        tact_report report;
        tact_shape *shape = tact_nurbs_create(s.defs, (size_t)s.count, &report);
        CHECK(shape != NULL, "%s", report.text);
        const bool touches = touches_itself(shape);
        const double error = tact_nurbs_get_error(shape), far = closest_beyond(&s, NURBS_SELF_NEIGHBOUR * s.tolerance),
                     near = closest_beyond(&s, 0.25 * NURBS_SELF_NEIGHBOUR * s.tolerance);
        CHECK(touches || far > 0.0, "a contact is missed");
        CHECK(!touches || near <= 2.0 * error + 1e-9, "a contact at %g", near);
        touching += touches;
        apart += !touches;
        tact_shape_release(shape);
    }
    print_message("%d touch, %d do not\n", touching, apart);
    assert_true(few_cases() || (touching > 20 && apart > 20));
}

/* Two sheets, folded flat: they touch from the edge on. At a right angle they do not. */
static void a_flat_fold_is_a_contact(void **state)
{
    (void)state;
    for (int folded = 0; folded < 2; folded++) {
        strip s = {
            .count = 2, .x = {0.0, 1.0, folded ? 0.0 : 1.0}, .z = {0.0, 0.0, folded ? 0.0 : 1.0}, .degree = {1, 2}};
        s.width = 1.0;
        s.tolerance = 1e-5;
        for (int k = 0; k < 2; k++)
            add_sheet(&s, k);
        s.edges[0] = (tact_nurbs_edge){.surface = {0, 1}, .curve = {1, 3}};
        s.defs[0].edges = s.edges;
        s.defs[0].edge_count = 1;
        tact_report report;
        tact_shape *shape = tact_nurbs_create(s.defs, 2, &report);
        assert_non_null(shape);
        assert_int_equal(touches_itself(shape), folded);
        tact_shape_release(shape);
    }
}

/* Control points that move fold a strip and unfold it. */
static void moves_fold_and_unfold(void **state)
{
    (void)state;
    const uint64_t seed = 3;
    random_source r = random_seed(seed);
    strip s;
    make_strip(&s, &r, -0.5, 0.5);
    s.count = 2;
    s.defs[0].edge_count = 1;
    tact_report report;
    tact_shape *shape = tact_nurbs_create(s.defs, 2, &report);
    assert_non_null(shape);
    nurbs_geometry *g = shape->nurbs;
    const uint32_t first = g->model->first_point[1], count = nurbs_point_count(g->model) - first;
    tact_vec3 folded[16], open[16];
    memcpy(open, g->tessellation.points + first, count * sizeof *open);
    const int p = s.degree[1];
    for (uint32_t i = 0; i < count; i++) { /* onto sheet 0 */
        const double u = (double)(i / (uint32_t)(p + 1)) / p;
        folded[i] = vec_make(s.x[1] + 0.9 * u * (s.x[0] - s.x[1]), open[i].y, s.z[1] + 0.9 * u * (s.z[0] - s.z[1]));
    }
    for (int k = 0; k < 6; k++) {
        assert_int_equal(touches_itself(shape), k % 2);
        const nurbs_move move = tact_nurbs_geometry_try_move(g, first, count, k % 2 == 0 ? folded : open, &report);
        assert_int_equal(move, NURBS_MOVE_POSITIONS);
    }
    tact_shape_release(shape);
}

/* Each allocation of a test fails once; then the test says so, and the next one succeeds. */
static void out_of_memory_is_reported(void **state)
{
    (void)state;
    const uint64_t seed = 4;
    random_source r = random_seed(seed);
    strip s;
    make_strip(&s, &r, -1.0, 1.0);
    const bool expected = closest_beyond(&s, NURBS_SELF_NEIGHBOUR * s.tolerance) <= 0.0;
    long failures = 0;
    for (long fail = 1;; fail++) {
        failing_allocator memory = {0};
        s.defs[0].allocator = failing_allocator_make(&memory);
        tact_report report;
        tact_shape *shape = tact_nurbs_create(s.defs, (size_t)s.count, &report);
        assert_non_null(shape);
        memory.fail_at = memory.calls + fail;
        bool touches;
        tact_vec3 at;
        uint32_t triangles[2];
        const tact_status status = tact_nurbs_geometry_find_self_contact(shape->nurbs, &touches, &at, triangles);
        memory.fail_at = 0;
        if (status != TACT_OK) {
            assert_int_equal(status, TACT_OUT_OF_MEMORY);
            failures++;
        }
        assert_int_equal(touches_itself(shape), expected);
        tact_shape_release(shape);
        assert_int_equal(memory.held, 0);
        if (status == TACT_OK)
            break;
    }
    assert_true(failures > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strips_touch_where_they_fold), cmocka_unit_test(a_flat_fold_is_a_contact),
        cmocka_unit_test(moves_fold_and_unfold), cmocka_unit_test(out_of_memory_is_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
