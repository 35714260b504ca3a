#include "oracle/nurbs_models.h"

#include <math.h>
#include <string.h>

#include "support/vec.h"

static const double half_root = 0.70710678118654752440;

/* A full circle of degree 2 in four arcs. */
static const double circle_x[9] = {1, 1, 0, -1, -1, -1, 0, 1, 1}, circle_y[9] = {0, 1, 1, 1, 0, -1, -1, -1, 0};
static const double circle_knots[12] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
static const double half_circle_x[5] = {0, 1, 1, 1, 0}, half_circle_y[5] = {-1, -1, 0, 1, 1};
static const double half_circle_knots[8] = {0, 0, 0, 1, 1, 2, 2, 2};

static double arc_weight(int i) { return i % 2 == 1 ? half_root : 1.0; }

/* Prepares surface `s` after the ones before it. */
static tact_vec3 *begin_surface(nurbs_model_case *c, int p, int q, size_t n, size_t m, bool rational)
{
    tact_nurbs_def *def = &c->defs[c->count];
    *def = (tact_nurbs_def){.degree = {p, q},
                            .counts = {n, m},
                            .knots = {c->knots[c->count][0], c->knots[c->count][1]},
                            .points = c->points + c->point_count,
                            .weights = rational ? c->weights + c->point_count : NULL};
    tact_vec3 *points = c->points + c->point_count;
    c->point_count += n * m;
    ++c->count;
    return points;
}

/* Clamped uniform knots on [low, high]. */
static void set_knots(double *knots, int degree, size_t count, double low, double high)
{
    const int spans = (int)count - degree;
    for (int i = 0; i < (int)count + degree + 1; ++i) {
        const int k = i - degree < 0 ? 0 : i - degree > spans ? spans : i - degree;
        knots[i] = low + (high - low) * k / spans;
    }
}

static void make_revolution(nurbs_model_case *c, int m, const double *radius, const double *height, const double *knots)
{
    tact_vec3 *points = begin_surface(c, 2, 2, 9, (size_t)m, true);
    memcpy(c->knots[0][0], circle_knots, sizeof circle_knots);
    memcpy(c->knots[0][1], knots, (size_t)(m + 3) * sizeof *knots);
    for (int i = 0; i < 9; ++i)
        for (int j = 0; j < m; ++j) {
            points[i * m + j] = (tact_vec3){circle_x[i] * radius[j], circle_y[i] * radius[j], height[j]};
            c->weights[i * m + j] = arc_weight(i) * arc_weight(j);
        }
}

static void make_torus(nurbs_model_case *c)
{
    double radius[9], height[9];
    for (int j = 0; j < 9; ++j) {
        radius[j] = 2.0 + 0.5 * circle_x[j];
        height[j] = 0.5 * circle_y[j];
    }
    make_revolution(c, 9, radius, height, circle_knots);
}

/* Cubic splines around both circles: the first three control points are repeated at the end. */
static void make_periodic_torus(nurbs_model_case *c)
{
    enum { N = 9, M = 7 };
    const double pi = 3.14159265358979323846;
    tact_vec3 *points = begin_surface(c, 3, 3, N + 3, M + 3, false);
    for (int i = 0; i < N + 7; ++i)
        c->knots[0][0][i] = i - 3;
    for (int i = 0; i < M + 7; ++i)
        c->knots[0][1][i] = 0.5 * (i - 3);
    for (int i = 0; i < N + 3; ++i)
        for (int j = 0; j < M + 3; ++j) {
            const double a = 2.0 * pi * (i % N) / N, b = 2.0 * pi * (j % M) / M, r = 2.0 + 0.6 * cos(b);
            points[i * (M + 3) + j] = (tact_vec3){r * cos(a), r * sin(a), 0.6 * sin(b)};
        }
}

/* Six faces with 6 x 6 control points: the grid points of the cube. The parameter intervals of the faces differ. */
static void make_cube(nurbs_model_case *c, random_source *r)
{
    enum { N = 6 };
    for (int face = 0; face < 6; ++face) {
        tact_vec3 *points = begin_surface(c, 3, 3, N, N, false);
        for (int d = 0; d < 2; ++d) {
            const double low = r != NULL ? (double)random_below(r, 4) : 0.0;
            set_knots(c->knots[face][d], 3, N, low, low + 3.0);
        }
        const unsigned turn = r != NULL ? (unsigned)random_below(r, 4) : 0;
        for (int i = 0; i < N; ++i)
            for (int j = 0; j < N; ++j) {
                /* a rotation of the parameters keeps the orientation */
                int a = i, b = j;
                for (unsigned k = 0; k < turn; ++k) {
                    const int old = a;
                    a = b;
                    b = N - 1 - old;
                }
                const double x = 2.0 * a / (N - 1) - 1.0, y = 2.0 * b / (N - 1) - 1.0, z = face < 3 ? 1.0 : -1.0;
                const double u = face < 3 ? x : y, v = face < 3 ? y : x;
                points[i * N + j] = face % 3 == 0   ? (tact_vec3){u, v, z}
                                    : face % 3 == 1 ? (tact_vec3){z, u, v}
                                                    : (tact_vec3){v, z, u};
            }
    }
}

static void make_sheet(nurbs_model_case *c)
{
    tact_vec3 *points = begin_surface(c, 3, 3, 12, 8, false);
    set_knots(c->knots[0][0], 3, 12, 0.0, 1.0);
    set_knots(c->knots[0][1], 3, 8, 0.0, 1.0);
    for (int i = 0; i < 12; ++i)
        for (int j = 0; j < 8; ++j)
            points[i * 8 + j] = (tact_vec3){i, j, 0.5 * sin(1.3 * i) * cos(0.9 * j)};
}

void nurbs_model_case_make(nurbs_model_case *c, nurbs_model_kind kind, random_source *r)
{
    memset(c, 0, sizeof *c);
    switch (kind) {
    case NURBS_MODEL_SPHERE:
        make_revolution(c, 5, half_circle_x, half_circle_y, half_circle_knots);
        break;
    case NURBS_MODEL_TORUS:
        make_torus(c);
        break;
    case NURBS_MODEL_PERIODIC_TORUS:
        make_periodic_torus(c);
        break;
    case NURBS_MODEL_CUBE:
        make_cube(c, r);
        break;
    case NURBS_MODEL_SHEET:
    case NURBS_MODEL_KINDS:
        make_sheet(c);
        break;
    }
}

void nurbs_model_case_deform(nurbs_model_case *c, random_source *r, double amplitude)
{
    double f[3][4];
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 4; ++i)
            f[k][i] = random_range(r, -2.0, 2.0);
    for (size_t i = 0; i < c->point_count; ++i) {
        const tact_vec3 p = c->points[i];
        double move[3];
        for (int k = 0; k < 3; ++k)
            move[k] = amplitude * sin(f[k][0] * p.x + f[k][1] * p.y + f[k][2] * p.z + f[k][3]);
        c->points[i] = (tact_vec3){p.x + move[0], p.y + move[1], p.z + move[2]};
    }
}
