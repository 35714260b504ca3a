/*
 * A turbine blade of NURBS: sections of it by planes, as curves with (u, v). The blade is a closed surface: wing
 * sections that become narrower and turn from root to tip.
 */
#include <math.h>
#include <stdio.h>
#include <tact/tact.h>

enum { AROUND = 24, ALONG = 10, DEGREE = 3, MAX_NODES = 2000, MAX_CURVES = 8 };

static const double pi = 3.14159265358979323846;

/* Knots from 0 to 1 at equal distances; those at both ends are repeated, so that the surface reaches its corners. */
static void fill_knots(double *knots, int count)
{
    for (int i = 0; i < count + DEGREE + 1; ++i)
        knots[i] = fmin(fmax((double)(i - DEGREE) / (count - DEGREE), 0.0), 1.0);
}

static tact_shape *make_blade(void)
{
    double u[AROUND + DEGREE + 1], v[ALONG + DEGREE + 1];
    tact_vec3 points[AROUND * ALONG];
    fill_knots(u, AROUND);
    fill_knots(v, ALONG);
    for (int i = 0; i < AROUND; ++i)
        for (int j = 0; j < ALONG; ++j) {
            const double angle = 2.0 * pi * (i % (AROUND - 1)) / (AROUND - 1), s = (double)j / (ALONG - 1);
            const double chord = 0.5 * (1.0 - 0.4 * s), turn = 0.3 + 0.9 * s, c = cos(angle);
            const double x = chord * c, y = chord * (0.24 * (1.0 + 0.8 * c) * sin(angle) + 0.15 * (1.0 - c * c));
            points[i * ALONG + j] =
                tact_vec(x * cos(turn) - y * sin(turn), x * sin(turn) + y * cos(turn), 2.0 * s - 1.0);
        }
    return tact_nurbs(&(tact_nurbs_def){
        .degree = {DEGREE, DEGREE}, .counts = {AROUND, ALONG}, .knots = {u, v}, .points = points, .tolerance = 1e-3});
}

static tact_shape *make_plane(void)
{
    const double knots[4] = {0.0, 0.0, 1.0, 1.0};
    const tact_vec3 points[4] = {{-2.0, -2.0, 0.0}, {-2.0, 2.0, 0.0}, {2.0, -2.0, 0.0}, {2.0, 2.0, 0.0}};
    return tact_nurbs(&(tact_nurbs_def){.degree = {1, 1}, .counts = {2, 2}, .knots = {knots, knots}, .points = points});
}

int main(void)
{
    static tact_nurbs_node nodes[MAX_NODES];
    tact_nurbs_intersection curves[MAX_CURVES];
    tact_shape *blade = make_blade(), *plane = make_plane();
    int sections = 0;
    for (int i = -4; i <= 4 && blade != NULL && plane != NULL; i += 2) {
        const double height = 0.2 * i;
        const tact_nurbs_intersect_result r = tact_nurbs_intersect(
            blade, tact_identity(), plane, tact_at(0.0, 0.0, height), NULL, curves, MAX_CURVES, nodes, MAX_NODES);
        if (r.status != TACT_OK || r.curve_count != 1)
            break;
        const tact_nurbs_node *last = &nodes[curves[0].node_count - 1];
        printf("z = %4.1f: length %.6f, %zu nodes, %s, begins at (u, v) = (%.3f, %.3f)\n", height, last->length,
               curves[0].node_count, curves[0].end == TACT_NURBS_END_CLOSED ? "closed" : "open", nodes[0].location_a.u,
               nodes[0].location_a.v);
        sections++;
    }
    tact_shape_release(blade);
    tact_shape_release(plane);
    return sections == 5 ? 0 : 1;
}
