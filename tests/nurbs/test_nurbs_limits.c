/*
 * Limits of NURBS shapes that keep counts in 32 bits and memory bounded (src/nurbs/nurbs_constants.h): larger inputs
 * are refused with a reason before any of their elements is read. The arrays here are far smaller than the counts
 * claim.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include <tact/math.h>
#include <tact/nurbs.h>

#include "support/random.h"

#define PI 3.14159265358979323846

static const double knots[4] = {0, 0, 1, 1};
static const tact_vec3 points[4] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}};

static tact_nurbs_def square(void)
{
    return (tact_nurbs_def){.degree = {1, 1}, .counts = {2, 2}, .knots = {knots, knots}, .points = points};
}

static void too_many_edges_are_refused(void **state)
{
    (void)state;
    const tact_nurbs_edge edge = {.surface = {0, 0}, .loop = {0, 0}, .curve = {0, 2}};
    tact_nurbs_def def = square();
    tact_report report;
    def.edges = &edge;
    def.edge_count = (1u << 28) + 1;
    assert_null(tact_nurbs_create(&def, 1, &report));
    assert_int_equal(report.status, TACT_BAD_ARGUMENT);
    assert_non_null(strstr(report.text, "too many edges"));
}

/* 4096 x 4096 control points are 2^24; one surface more is too much. */
static void too_many_control_points_are_refused(void **state)
{
    (void)state;
    enum { SIDE = 4097 };
    double *many = calloc(SIDE + 2, sizeof *many);
    assert_non_null(many);
    for (int i = 0; i < SIDE + 2; i++)
        many[i] = i;
    const tact_nurbs_def defs[2] = {
        square(), {.degree = {1, 1}, .counts = {SIDE, SIDE - 1}, .knots = {many, many}, .points = points}};
    tact_report report;
    for (size_t first = 0; first < 2; first++) { /* with a small one before it, and alone */
        assert_null(tact_nurbs_create(defs + first, 2 - first, &report));
        assert_int_equal(report.status, TACT_BAD_ARGUMENT);
        assert_non_null(strstr(report.text, "more than 16777216 control points"));
    }
    free(many);
}

/* The sheet (u + v, v^3, 0): along its side v = 0 both derivatives have the same direction, and the sine of their angle
 * grows only with the square of v. The normal at the corner is that of points beside it. */
static void corners_of_tangent_sides_have_normals(void **state)
{
    (void)state;
    static const double cubic[8] = {0, 0, 0, 0, 1, 1, 1, 1};
    tact_vec3 net[8];
    for (int i = 0; i < 8; i++)
        net[i] = tact_vec(i / 4 + i % 4 / 3.0, i % 4 == 3, 0.0);
    tact_shape *sheet =
        tact_nurbs(&(tact_nurbs_def){.degree = {1, 3}, .counts = {2, 4}, .knots = {knots, cubic}, .points = net});
    assert_non_null(sheet);
    random_source r = random_seed(5);
    for (int i = 0; i < 40; i++) { /* rotated, so that parallel derivatives have a cross product of rounding errors */
        const tact_transform at = tact_transform_make(tact_vec(0, 0, 0), random_rotation(&r), tact_vec(1, 1, 1));
        const double side = i % 2 == 0 ? 1.0 : -1.0;
        const tact_vec3 on = tact_transform_point(at, tact_vec(-0.2, -0.1, 0)); /* nearest to the corner */
        const tact_vec3 normal = tact_transform_vector(at, tact_vec(0, 0, side));
        const tact_vec3 tilted = tact_vec_normalize(tact_transform_vector(at, tact_vec(0.2, 0.1, side)));
        const tact_contact_point contact = {.on_a = on, .on_b = on, .normal = tilted};
        tact_shape *ball = tact_sphere(0.5);
        const tact_nurbs_contact c = tact_nurbs_refine_contact(sheet, at, ball, tact_at(on.x, on.y, on.z), &contact);
        assert_true(c.status != TACT_BAD_ARGUMENT && c.location_a.on_surface && c.location_a.u == 0.0 &&
                    c.location_a.v == 0.0);
        assert_true(tact_vec_dot(c.contact.normal, normal) > 1.0 - 1e-6);
        tact_shape_release(ball);
    }
    tact_shape_release(sheet);
}

/* The paraboloid z = x^2 + y^2, one patch, and planes z = h: circles, so small in the patch that an accuracy larger
 * than their radius would allow a few steps. The tangent turns by at most 30 degrees in each. */
static void coarse_curves_turn_little(void **state)
{
    (void)state;
    enum { NODES = 200 };
    static const double square_knots[6] = {0, 0, 0, 1, 1, 1}, net[3] = {1, -1, 1};
    tact_vec3 bowl_points[9];
    for (int i = 0; i < 9; i++)
        bowl_points[i] = tact_vec(i / 3 - 1, i % 3 - 1, net[i / 3] + net[i % 3]);
    tact_shape *bowl = tact_nurbs(&(tact_nurbs_def){
        .degree = {2, 2}, .counts = {3, 3}, .knots = {square_knots, square_knots}, .points = bowl_points});
    for (int k = 0; k < 4; k++) {
        const double height = 0.003 * (1 << k), length = 2.0 * PI * sqrt(height);
        tact_vec3 corners[4];
        for (int i = 0; i < 4; i++)
            corners[i] = tact_vec(4 * (i / 2) - 2, 4 * (i % 2) - 2, height);
        tact_shape *plane = tact_nurbs(
            &(tact_nurbs_def){.degree = {1, 1}, .counts = {2, 2}, .knots = {knots, knots}, .points = corners});
        tact_nurbs_intersection curve;
        static tact_nurbs_node nodes[NODES];
        const tact_nurbs_intersect_result r =
            tact_nurbs_intersect(bowl, tact_identity(), plane, tact_identity(),
                                 &(tact_nurbs_intersect_def){.accuracy = 0.05}, &curve, 1, nodes, NODES);
        assert_true(r.status == TACT_OK && r.curve_count == 1 && curve.end == TACT_NURBS_END_CLOSED);
        assert_true(fabs(nodes[curve.node_count - 1].length - length) < 1e-3 * length);
        for (size_t i = 1; i < curve.node_count; i++)
            assert_true(tact_vec_dot(nodes[i - 1].tangent, nodes[i].tangent) > cos(PI / 6.0) - 1e-3);
        tact_shape_release(plane);
    }
    tact_shape_release(bowl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_many_edges_are_refused),
        cmocka_unit_test(too_many_control_points_are_refused),
        cmocka_unit_test(corners_of_tangent_sides_have_normals),
        cmocka_unit_test(coarse_curves_turn_little),
    };
    return cmocka_run_group_tests_name("limits of NURBS shapes", tests, NULL, NULL);
}
