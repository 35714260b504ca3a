/*
 * NURBS bodies for tests and benchmarks: sheets, ramps, tubes with and without poles, a cube of six surfaces, and a
 * star of surfaces around a corner. Control points are at the caller's disposal after creation.
 */
#ifndef TACT_TEST_NURBS_BODIES_H
#define TACT_TEST_NURBS_BODIES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/nurbs.h>

enum { NURBS_BODY_SURFACES = 8 };

typedef struct nurbs_body {
    tact_nurbs_def defs[NURBS_BODY_SURFACES];
    int count;
    double *knots[NURBS_BODY_SURFACES][2];
    tact_vec3 *points; /* of all surfaces */
    size_t point_count;
} nurbs_body;

#define NURBS_BODY_PI 3.14159265358979323846

/* Clamped uniform knots. */
static inline void nurbs_body_knots(double *knots, int degree, size_t count)
{
    for (size_t i = 0; i < count + (size_t)degree + 1; i++) {
        const double k = (double)i - degree;
        const double last = (double)count - degree;
        knots[i] = k < 0.0 ? 0.0 : k > last ? last : k;
    }
}

/* Allocates a body of `count` equal surfaces of n * m control points, at the origin. Exits if memory is out. */
static inline nurbs_body nurbs_body_make(int count, int degree, size_t n, size_t m, double tolerance)
{
    nurbs_body body = {.count = count, .point_count = (size_t)count * n * m};
    body.points = calloc(body.point_count, sizeof *body.points);
    for (int i = 0; i < count; i++) {
        const size_t counts[2] = {n, m};
        for (int d = 0; d < 2; d++) {
            body.knots[i][d] = calloc(counts[d] + (size_t)degree + 1, sizeof(double));
            if (body.points == NULL || body.knots[i][d] == NULL)
                abort();
            nurbs_body_knots(body.knots[i][d], degree, counts[d]);
        }
        tact_nurbs_def *def = &body.defs[i];
        memset(def, 0, sizeof *def);
        for (int d = 0; d < 2; d++) {
            def->degree[d] = degree;
            def->knots[d] = body.knots[i][d];
        }
        def->counts[0] = (uint32_t)n;
        def->counts[1] = (uint32_t)m;
        def->points = body.points + (size_t)i * n * m;
        def->tolerance = tolerance;
    }
    return body;
}

static inline void nurbs_body_free(nurbs_body *body)
{
    for (int i = 0; i < body->count; i++)
        for (int d = 0; d < 2; d++)
            free(body->knots[i][d]);
    free(body->points);
}

/* A flat sheet of extent 1 * 1. */
static inline nurbs_body nurbs_body_sheet(int degree, size_t n, size_t m, double tolerance)
{
    nurbs_body body = nurbs_body_make(1, degree, n, m, tolerance);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            body.points[i * m + j] = (tact_vec3){(double)i / (double)(n - 1), (double)j / (double)(m - 1), 0.0};
    return body;
}

/* A strip of width 1 that turns about the z axis at radii 1 to 2, by `turns`. Its height rises with slope `slope` per
 * turn, and falls back by `fall` over the last turn. Normals stay near +z. */
static inline void nurbs_body_ramp_points(nurbs_body *body, size_t n, size_t m, double turns, double slope, double fall)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            const double turn = turns * (double)i / (double)(n - 1), angle = 2.0 * NURBS_BODY_PI * turn;
            const double r = 1.0 + (double)j / (double)(m - 1), over = turn - (turns - 1.0);
            body->points[i * m + j] =
                (tact_vec3){r * cos(angle), r * sin(angle), slope * turn - (over > 0.0 ? fall * over : 0.0)};
        }
}

/* A tube about the x axis, closed around it by equal first and last points, with the given radius at each end (0: a
 * pole) and 1 in between. n points around, m along. */
static inline nurbs_body nurbs_body_tube(int degree, size_t n, size_t m, double first, double last, double tolerance)
{
    nurbs_body body = nurbs_body_make(1, degree, n, m, tolerance);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            const double angle = 2.0 * NURBS_BODY_PI * (double)(i % (n - 1)) / (double)(n - 1);
            const double r = j == 0 ? first : j == m - 1 ? last : 1.0;
            body.points[i * m + j] = (tact_vec3){4.0 * (double)j / (double)(m - 1), r * cos(angle), r * sin(angle)};
        }
    return body;
}

/* A torus of radii 2 and 1, closed by equal points in both directions. */
static inline nurbs_body nurbs_body_torus(int degree, size_t n, size_t m, double tolerance)
{
    nurbs_body body = nurbs_body_make(1, degree, n, m, tolerance);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            const double u = 2.0 * NURBS_BODY_PI * (double)(i % (n - 1)) / (double)(n - 1),
                         v = 2.0 * NURBS_BODY_PI * (double)(j % (m - 1)) / (double)(m - 1), r = 2.0 + cos(v);
            body.points[i * m + j] = (tact_vec3){r * cos(u), r * sin(u), sin(v)};
        }
    return body;
}

/* A cube of extent 2 of six surfaces: three meet at each corner. `bulge` moves the inner control points outward. */
static inline nurbs_body nurbs_body_cube(int degree, size_t n, double bulge, double tolerance)
{
    nurbs_body body = nurbs_body_make(6, degree, n, n, tolerance);
    for (int face = 0; face < 6; face++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                double c[3];
                const int axis = face / 2;
                const double side = face % 2 == 0 ? -1.0 : 1.0;
                const int inner = i > 0 && j > 0 && i + 1 < n && j + 1 < n;
                c[axis] = side * (inner ? 1.0 + bulge : 1.0);
                c[(axis + 1) % 3] = -1.0 + 2.0 * (double)i / (double)(n - 1);
                c[(axis + 2) % 3] = -1.0 + 2.0 * (double)j / (double)(n - 1);
                body.points[((size_t)face * n + i) * n + j] = (tact_vec3){c[0], c[1], c[2]};
            }
    return body;
}

/* `count` surfaces around the origin, 3 to 8 of them, nearly flat. */
static inline nurbs_body nurbs_body_star(int count, int degree, size_t n, double tolerance)
{
    nurbs_body body = nurbs_body_make(count, degree, n, n, tolerance);
    for (int k = 0; k < count; k++) {
        const double a = 2.0 * NURBS_BODY_PI * k / count, b = 2.0 * NURBS_BODY_PI * ((k + 1) % count) / count;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                const double s = (double)i / (double)(n - 1), t = (double)j / (double)(n - 1);
                body.points[((size_t)k * n + i) * n + j] =
                    (tact_vec3){s * cos(a) + t * cos(b), s * sin(a) + t * sin(b), 0.1 * s * t};
            }
    }
    return body;
}

#endif
