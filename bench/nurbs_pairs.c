#include "nurbs_pairs.h"

#include <math.h>
#include <string.h>

#include "math/vec.h"
#include "support/random.h"

static const double pi = 3.14159265358979323846;

tact_nurbs_def pair_surface_def(const pair_surface *s)
{
    return (tact_nurbs_def){.degree = {s->degree[0], s->degree[1]},
                            .counts = {s->counts[0], s->counts[1]},
                            .knots = {s->knots[0], s->knots[1]},
                            .points = s->points,
                            .weights = s->rational ? s->weights : NULL};
}

void pair_surface_transform(pair_surface *s, const tact_transform *at)
{
    for (size_t i = 0; i < s->counts[0] * s->counts[1]; i++)
        s->points[i] = tact_transform_point(*at, s->points[i]);
}

/* ---- surfaces ---- */

static void begin(pair_surface *s, int p, int q, size_t n, size_t m)
{
    memset(s, 0, sizeof *s);
    const int degree[2] = {p, q};
    const size_t counts[2] = {n, m};
    for (int d = 0; d < 2; d++) {
        s->degree[d] = degree[d];
        s->counts[d] = counts[d];
        const double spans = (double)counts[d] - degree[d];
        for (size_t i = 0; i < counts[d] + (size_t)degree[d] + 1; i++) /* clamped and uniform */
            s->knots[d][i] = fmin(fmax((double)i - degree[d], 0.0), spans) / spans;
    }
    for (size_t i = 0; i < n * m; i++)
        s->weights[i] = 1.0;
}

/* A circle of nine control points: cosine, sine and weight, on a square of half side 1. */
static const double circle[9][3] = {{1.0, 0.0, 1.0},  {1.0, 1.0, 0.0},  {0.0, 1.0, 1.0},
                                    {-1.0, 1.0, 0.0}, {-1.0, 0.0, 1.0}, {-1.0, -1.0, 0.0},
                                    {0.0, -1.0, 1.0}, {1.0, -1.0, 0.0}, {1.0, 0.0, 1.0}};

static double circle_weight(int i) { return circle[i][2] > 0.0 ? 1.0 : sqrt(0.5); }

static void circle_knots(double *knots, int points)
{
    for (int i = 0; i < points + 3; i++) {
        const int arc = i < 3 ? 0 : (i - 1) / 2;
        knots[i] = fmin(2.0 * arc / (points - 1), 1.0);
    }
}

static void make_torus(pair_surface *s, double large, double small)
{
    begin(s, 2, 2, 9, 9);
    s->rational = true;
    circle_knots(s->knots[0], 9);
    circle_knots(s->knots[1], 9);
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++) {
            const double r = large + small * circle[j][0];
            s->points[9 * i + j] = vec_make(r * circle[i][0], r * circle[i][1], small * circle[j][1]);
            s->weights[9 * i + j] = circle_weight(i) * circle_weight(j);
        }
}

static void make_sphere(pair_surface *s)
{
    begin(s, 2, 2, 9, 5);
    s->rational = true;
    circle_knots(s->knots[0], 9);
    circle_knots(s->knots[1], 5);
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 5; j++) { /* from the south pole: half a circle */
            const double r = fabs(circle[j][1]), z = -circle[j][0];
            s->points[5 * i + j] = vec_make(r * circle[i][0], r * circle[i][1], z);
            s->weights[5 * i + j] = circle_weight(i) * circle_weight(j);
        }
}

static void make_cylinder(pair_surface *s, double radius, double length)
{
    begin(s, 2, 1, 9, 2);
    s->rational = true;
    circle_knots(s->knots[0], 9);
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 2; j++) {
            s->points[2 * i + j] = vec_make(radius * circle[i][0], radius * circle[i][1], length * (j - 0.5));
            s->weights[2 * i + j] = circle_weight(i);
        }
}

static void make_plane(pair_surface *s, double half)
{
    begin(s, 1, 1, 2, 2);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            s->points[2 * i + j] = vec_make(half * (2 * i - 1), half * (2 * j - 1), 0.0);
}

/* A wavy sheet of extent 2: `waves` turns of a sine along x + bend y. */
static void make_sheet(pair_surface *s, int degree, size_t n, double height, double waves, double bend)
{
    begin(s, degree, degree, n, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double x = 2.0 * (double)i / (double)(n - 1) - 1.0, y = 2.0 * (double)j / (double)(n - 1) - 1.0;
            s->points[n * i + j] =
                vec_make(x, y, height * sin(waves * pi * (x + bend * y)) * cos(0.7 * waves * pi * y));
        }
}

/* A tube along x of radius about 1, closed around it. */
static void make_tube(pair_surface *s, size_t around, size_t along)
{
    begin(s, 3, 3, around, along);
    for (size_t i = 0; i < around; i++)
        for (size_t j = 0; j < along; j++) {
            const double angle = 2.0 * pi * (double)(i % (around - 1)) / (double)(around - 1);
            const double x = 4.0 * (double)j / (double)(along - 1) - 2.0, r = 0.7 + 0.15 * sin(2.0 * x);
            s->points[along * i + j] = vec_make(x, r * cos(angle), r * sin(angle));
        }
}

/* The blade of examples/turbine_blade.c. */
static void make_blade(pair_surface *s)
{
    enum { AROUND = 24, ALONG = 10 };
    begin(s, 3, 3, AROUND, ALONG);
    for (int i = 0; i < AROUND; i++)
        for (int j = 0; j < ALONG; j++) {
            const double angle = 2.0 * pi * (i % (AROUND - 1)) / (AROUND - 1), t = (double)j / (ALONG - 1);
            const double chord = 0.5 * (1.0 - 0.4 * t), turn = 0.3 + 0.9 * t, c = cos(angle);
            const double x = chord * c, y = chord * (0.24 * (1.0 + 0.8 * c) * sin(angle) + 0.15 * (1.0 - c * c));
            s->points[i * ALONG + j] =
                vec_make(x * cos(turn) - y * sin(turn), x * sin(turn) + y * cos(turn), 2.0 * t - 1.0);
        }
}

static tact_transform placed(double x, double y, double z, double angle, tact_vec3 axis)
{
    const tact_quat turn = {axis.x * sin(0.5 * angle), axis.y * sin(0.5 * angle), axis.z * sin(0.5 * angle),
                            cos(0.5 * angle)};
    return tact_transform_make(vec_make(x, y, z), turn, vec_make(1.0, 1.0, 1.0));
}

/* ---- pairs that cross ---- */

typedef enum crossing_kind {
    SPHERES,
    CYLINDERS,
    TORUS_PLANE,
    TORI,
    SHEETS_7,
    SHEETS_15,
    TUBES,
    BLADES,
    SHEETS_5,
    CROSSING_KINDS
} crossing_kind;

int crossing_pair_count(void) { return CROSSING_KINDS; }

void crossing_pair_make(int number, surface_pair *out)
{
    static const char *const names[CROSSING_KINDS] = {
        "two spheres",   "two cylinders",         "torus and plane",
        "two tori",      "bicubic sheets, 7 x 7", "bicubic sheets, 15 x 15",
        "bicubic tubes", "turbine blades",        "sheets of degree 5"};
    pair_surface *a = &out->side[0], *b = &out->side[1];
    const tact_vec3 axis = vec_normalize(vec_make(0.6, -0.3, 0.9));
    tact_transform at = placed(0.31, 0.17, 0.23, 0.7, axis);
    out->name = names[number];
    switch ((crossing_kind)number) {
    case SPHERES:
        make_sphere(a), make_sphere(b);
        at.origin = vec_make(0.8, 0.5, 0.3);
        break;
    case CYLINDERS:
        make_cylinder(a, 0.5, 3.0), make_cylinder(b, 0.4, 3.0);
        at = placed(0.05, 0.02, 0.03, 1.1, vec_normalize(vec_make(1.0, 0.2, 0.1)));
        break;
    case TORUS_PLANE:
        make_torus(a, 1.0, 0.35), make_plane(b, 2.0);
        at = placed(0.03, 0.02, 0.05, 0.6, vec_normalize(vec_make(1.0, 0.3, 0.0)));
        break;
    case TORI:
        make_torus(a, 1.0, 0.35), make_torus(b, 0.9, 0.3);
        break;
    case SHEETS_7:
    case SHEETS_15: {
        const size_t n = number == SHEETS_7 ? 10 : 18;
        make_sheet(a, 3, n, 0.25, number == SHEETS_7 ? 1.5 : 3.0, 0.3);
        make_sheet(b, 3, n, 0.2, number == SHEETS_7 ? 1.2 : 2.4, -0.4);
        at = placed(0.03, -0.02, 0.01, 0.4, vec_make(0.0, 0.0, 1.0));
        break;
    }
    case TUBES:
        make_tube(a, 14, 9), make_tube(b, 14, 9);
        at = placed(0.1, 0.2, 0.3, 1.2, axis);
        break;
    case BLADES:
        make_blade(a), make_blade(b);
        at = placed(0.1, 0.05, 0.1, 1.2, vec_normalize(vec_make(1.0, 0.4, 0.2)));
        break;
    case SHEETS_5:
    case CROSSING_KINDS:
        make_sheet(a, 5, 8, 0.3, 1.0, 0.3), make_sheet(b, 5, 8, 0.3, 0.8, -0.4);
        at = placed(0.03, -0.02, 0.05, 0.9, axis);
        break;
    }
    pair_surface_transform(b, &at);
}

/* ---- pairs that are apart ---- */

enum { SEPARATE_KINDS = 8 };

int separate_pair_count(void) { return SEPARATE_KINDS; }

void separate_pair_make(int number, int variant, uint64_t seed, surface_pair *out)
{
    static const char *const names[SEPARATE_KINDS] = {"spheres",
                                                      "cylinders",
                                                      "torus and sheet",
                                                      "tori",
                                                      "bicubic sheets, 7 x 7",
                                                      "bicubic sheets, 9 x 9",
                                                      "sheets of degree 5",
                                                      "turbine blades"};
    static const double way[SEPARATE_KINDS] = {2.6, 2.6, 2.4, 3.0, 1.6, 1.6, 1.6, 1.8};
    random_source r = random_seed(seed + (uint64_t)number * 1000 + (uint64_t)variant);
    pair_surface *a = &out->side[0], *b = &out->side[1];
    out->name = names[number];
    switch (number) {
    case 0:
        make_sphere(a), make_sphere(b);
        break;
    case 1:
        make_cylinder(a, 0.5, 2.0), make_cylinder(b, 0.4, 2.0);
        break;
    case 2:
        make_torus(a, 1.0, 0.35), make_sheet(b, 3, 10, 0.25, 1.5, 0.3);
        break;
    case 3:
        make_torus(a, 1.0, 0.35), make_torus(b, 0.9, 0.3);
        break;
    case 4:
        make_sheet(a, 3, 10, 0.25, 1.5, 0.3), make_sheet(b, 3, 10, 0.2, 1.2, -0.4);
        break;
    case 5:
        make_sheet(a, 3, 12, 0.25, 2.0, 0.3), make_sheet(b, 3, 12, 0.2, 1.7, -0.4);
        break;
    case 6:
        make_sheet(a, 5, 8, 0.3, 1.0, 0.3), make_sheet(b, 5, 8, 0.3, 0.8, -0.4);
        break;
    default:
        make_blade(a), make_blade(b);
        break;
    }
    const double angle = random_range(&r, 0.0, 2.0 * pi);
    const tact_vec3 axis = random_direction(&r), toward = random_direction(&r);
    const double far = way[number] * random_range(&r, 0.7, 1.0);
    const tact_transform at = placed(far * toward.x, far * toward.y, far * toward.z, angle, axis);
    pair_surface_transform(b, &at);
}

/* ---- files ---- */

void surface_pair_write(const surface_pair *p, FILE *to)
{
    (void)fprintf(to, "%s\n", p->name);
    for (int i = 0; i < 2; i++) {
        const pair_surface *s = &p->side[i];
        (void)fprintf(to, "%d %d %zu %zu %d\n", s->degree[0], s->degree[1], s->counts[0], s->counts[1], s->rational);
        for (int d = 0; d < 2; d++)
            for (size_t k = 0; k < s->counts[d] + (size_t)s->degree[d] + 1; k++)
                (void)fprintf(to, "%a\n", s->knots[d][k]);
        for (size_t k = 0; k < s->counts[0] * s->counts[1]; k++)
            (void)fprintf(to, "%a %a %a %a\n", s->points[k].x, s->points[k].y, s->points[k].z, s->weights[k]);
    }
}
