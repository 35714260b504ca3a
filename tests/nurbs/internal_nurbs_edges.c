/*
 * Edges of trimmed surfaces: solids of planes, cylinders and spheres with random sizes, places and tolerances are
 * compared with the same solids as formulas. The triangles are closed; containment, signs of distances, rays from
 * inside and volumes are right; and the error is a bound in both directions. Edges that do not fit are explained.
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
#include <tact/mass.h>
#include <tact/mesh.h>
#include <tact/query.h>

#include "math/vec.h"
#include "nurbs/nurbs_bounds.h"
#include "nurbs/nurbs_edges.h"
#include "nurbs/nurbs_regular.h"
#include "nurbs/nurbs_shape.h"
#include "shape/mesh.h"
#include "support/failing_allocator.h"
#include "support/nurbs_move.h"
#include "support/random.h"
#include "support/seeded_cases.h"

#define PI 3.14159265358979323846

enum { MAX_FACES = 8, MAX_LOOPS = 2, MAX_CURVES = 6, MAX_POINTS = 260, MAX_EDGES = 40 };

typedef struct face {
    double knots[2][16];
    tact_vec3 points[48];
    double weights[48];
    tact_nurbs_loop loops[MAX_LOOPS];
    tact_nurbs_curve curves[MAX_LOOPS][MAX_CURVES];
    double uv[MAX_LOOPS][MAX_CURVES][MAX_POINTS][2], curve_knots[MAX_LOOPS][MAX_CURVES][MAX_POINTS + 4],
        curve_weights[MAX_LOOPS][MAX_CURVES][MAX_POINTS];
} face;

typedef enum solid_kind {
    BOX,
    CYLINDER,
    BLOCK,
    CUT_SPHERE,
    CUT_CYLINDER,
    PRISM,
    CROSSED_CYLINDERS,
    SOLID_KINDS
} solid_kind;

/* Half a box is size; a cylinder or sphere has the radius r; the sphere is cut at z = h, the cylinder at z = h + s x.
 * A prism has a base with corners on the border of a rectangle. Crossed cylinders around x and y: what both contain. */
typedef struct solid {
    solid_kind kind;
    face faces[MAX_FACES];
    tact_nurbs_def defs[MAX_FACES];
    size_t face_count;
    tact_nurbs_edge edges[MAX_EDGES];
    size_t edge_count;
    tact_vec3 axes[3], origin; /* the place of the solid */
    tact_vec3 size;
    double r, h, s, volume, area;
    double base[MAX_CURVES + 1][2]; /* counter-clockwise; the first corner again at the end */
    int base_count;
} solid;

static solid shared; /* large */

static tact_vec3 placed(const solid *x, tact_vec3 p)
{
    tact_vec3 q = vec_mul_add(x->origin, p.x, x->axes[0]);
    q = vec_mul_add(q, p.y, x->axes[1]);
    return vec_mul_add(q, p.z, x->axes[2]);
}

static tact_vec3 local(const solid *x, tact_vec3 q)
{
    const tact_vec3 d = vec_sub(q, x->origin);
    return vec_make(vec_dot(d, x->axes[0]), vec_dot(d, x->axes[1]), vec_dot(d, x->axes[2]));
}

/* ---- surfaces ---- */

static void set_knots(double *knots, int degree, int spans, int repeat)
{
    int n = 0;
    for (int i = 0; i <= spans; i++)
        for (int k = 0; k < (i == 0 || i == spans ? degree + 1 : repeat); k++)
            knots[n++] = i;
}

static face *add_face(solid *x, int p, int q, size_t n, size_t m, bool rational)
{
    face *f = &x->faces[x->face_count];
    memset(f, 0, sizeof *f);
    x->defs[x->face_count++] = (tact_nurbs_def){.degree = {p, q},
                                                .counts = {n, m},
                                                .knots = {f->knots[0], f->knots[1]},
                                                .points = f->points,
                                                .weights = rational ? f->weights : NULL};
    set_knots(f->knots[0], p, (int)(n - 1) / p, p);
    set_knots(f->knots[1], q, (int)(m - 1) / q, q);
    return f;
}

/* S(u, v) = corner + u a + v b, with 0 <= u, v <= 1. */
static face *add_plane(solid *x, tact_vec3 corner, tact_vec3 a, tact_vec3 b)
{
    face *f = add_face(x, 1, 1, 2, 2, false);
    for (int i = 0; i < 4; i++)
        f->points[i] = placed(x, vec_mul_add(vec_mul_add(corner, i / 2, a), i % 2, b));
    return f;
}

/* Control point i of a circle of quarters with radius 1. */
static void circle_point(int i, double *c, double *s, double *weight)
{
    static const double at[8][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    *c = at[i % 8][0];
    *s = at[i % 8][1];
    *weight = i % 2 == 0 ? 1.0 : sqrt(0.5);
}

/* A cylinder around z; u is the angle in quarters, v is z. */
static face *add_barrel(solid *x, double r, double low, double high, bool inward)
{
    face *f = add_face(x, 2, 1, 9, 2, true);
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 2; k++) {
            double c, s;
            circle_point(inward ? 8 - i : i, &c, &s, &f->weights[2 * i + k]);
            f->points[2 * i + k] = placed(x, vec_make(r * c, r * s, k == 0 ? low : high));
        }
    return f;
}

static face *add_sphere(solid *x, double r)
{
    static const double meridian[5][2] = {{0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}};
    face *f = add_face(x, 2, 2, 9, 5, true);
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 5; k++) {
            double c, s, weight;
            circle_point(i, &c, &s, &weight);
            f->weights[5 * i + k] = weight * (k % 2 == 0 ? 1.0 : sqrt(0.5));
            f->points[5 * i + k] =
                placed(x, vec_make(r * c * meridian[k][0], r * s * meridian[k][0], r * meridian[k][1]));
        }
    return f;
}

/* ---- loops ---- */

/* Appends a curve to a loop. */
static void add_curve(solid *x, face *f, size_t loop, int degree, size_t count, bool rational)
{
    tact_nurbs_def *def = &x->defs[f - x->faces];
    tact_nurbs_loop *l = &f->loops[loop];
    const size_t i = l->curve_count++;
    l->curves = f->curves[loop];
    def->trims = f->loops;
    def->trim_count = loop + 1;
    set_knots(f->curve_knots[loop][i], degree, (int)(count - 1) / degree, degree);
    f->curves[loop][i] = (tact_nurbs_curve){degree, count, f->curve_knots[loop][i], (const double(*)[2])f->uv[loop][i],
                                            rational ? f->curve_weights[loop][i] : NULL};
}

static void add_line(solid *x, face *f, size_t loop, double u0, double v0, double u1, double v1)
{
    double(*p)[2] = f->uv[loop][f->loops[loop].curve_count];
    p[0][0] = u0, p[0][1] = v0, p[1][0] = u1, p[1][1] = v1;
    add_curve(x, f, loop, 1, 2, false);
}

static void add_rectangle(solid *x, face *f, double low, double high, bool reversed)
{
    const double c[4][2] = {{low, low}, {high, low}, {high, high}, {low, high}};
    for (int i = 0; i < 4; i++) {
        const int a = reversed ? (4 - i) % 4 : i, b = reversed ? 3 - i : (i + 1) % 4;
        add_line(x, f, 0, c[a][0], c[a][1], c[b][0], c[b][1]);
    }
}

/* Appends quarters of an ellipse to a loop. */
static void add_arc(solid *x, face *f, size_t loop, const double centre[2], const double radii[2], int first, int count)
{
    const size_t i = f->loops[loop].curve_count;
    for (int k = 0; k <= 2 * abs(count); k++) {
        double c, s;
        circle_point(2 * first + (count < 0 ? 16 - k : k), &c, &s, &f->curve_weights[loop][i][k]);
        f->uv[loop][i][k][0] = centre[0] + radii[0] * c;
        f->uv[loop][i][k][1] = centre[1] + radii[1] * s;
    }
    add_curve(x, f, loop, 2, (size_t)(2 * abs(count) + 1), true);
}

/* A circle around the middle of a plane, in one or two curves, from a quarter on. */
static void add_circle(solid *x, face *f, size_t loop, double radius_u, double radius_v, int quarter, bool halves,
                       bool reversed)
{
    const double centre[2] = {0.5, 0.5}, radii[2] = {radius_u, radius_v};
    const int turn = reversed ? -1 : 1;
    add_arc(x, f, loop, centre, radii, quarter, turn * (halves ? 2 : 4));
    if (halves)
        add_arc(x, f, loop, centre, radii, quarter + 2, turn * 2);
}

/* ---- edges, by brute force ---- */

static tact_vec3 curve_place(const solid *x, size_t face_index, size_t loop, size_t curve, double fraction)
{
    const tact_nurbs_def *def = &x->defs[face_index];
    double uv[2];
    if (def->trim_count > 0) {
        tact_nurbs_trim_curve_point(
            &def->trims[loop].curves[curve],
            fraction * def->trims[loop].curves[curve].knots[def->trims[loop].curves[curve].count], uv);
    } else {
        static const double corner[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
        for (int d = 0; d < 2; d++)
            uv[d] = def->knots[d][def->counts[d]] *
                    (corner[curve][d] + fraction * (corner[curve + 1][d] - corner[curve][d]));
    }
    tact_vec3 out;
    assert_int_equal(tact_nurbs_evaluate(def, uv[0], uv[1], 0, &out), TACT_OK);
    return out;
}

static bool are_close(tact_vec3 a, tact_vec3 b, double size) { return vec_length(vec_sub(a, b)) < 1e-3 * size; }

typedef struct curve_index {
    uint32_t face, loop, curve;
    tact_vec3 ends[2], middle;
} curve_index;

/* All pairs of curves of different faces with the same ends and middles. */
static void find_edges(solid *x)
{
    curve_index all[MAX_FACES * MAX_LOOPS * MAX_CURVES];
    size_t count = 0;
    const double size = vec_max_abs(x->size);
    for (uint32_t i = 0; i < x->face_count; i++)
        for (uint32_t k = 0; k < (x->defs[i].trim_count > 0 ? x->defs[i].trim_count : 1); k++)
            for (uint32_t c = 0; c < (x->defs[i].trim_count > 0 ? x->defs[i].trims[k].curve_count : 4); c++)
                all[count++] = (curve_index){i,
                                             k,
                                             c,
                                             {curve_place(x, i, k, c, 0.0), curve_place(x, i, k, c, 1.0)},
                                             curve_place(x, i, k, c, 0.5)};
    x->edge_count = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++) {
            const curve_index *a = &all[i], *b = &all[k];
            const bool along = are_close(a->ends[0], b->ends[0], size) && are_close(a->ends[1], b->ends[1], size),
                       against = are_close(a->ends[0], b->ends[1], size) && are_close(a->ends[1], b->ends[0], size);
            if (a->face != b->face && (along || against) && are_close(a->middle, b->middle, size))
                x->edges[x->edge_count++] =
                    (tact_nurbs_edge){{a->face, b->face}, {a->loop, b->loop}, {a->curve, b->curve}};
        }
    x->defs[0].edges = x->edges;
    x->defs[0].edge_count = x->edge_count;
}

/* ---- solids ---- */

/* The six faces of the box of `size`, each trimmed if it is larger than that by `wider` of it; else it has no trims. */
static void add_box(solid *x, random_source *r, double wider)
{
    for (int d = 0; d < 3; d++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double extent[3] = {x->size.x, x->size.y, x->size.z};
            double corner[3], a[3] = {0, 0, 0}, b[3] = {0, 0, 0};
            const int first = sign > 0 ? (d + 1) % 3 : (d + 2) % 3, second = sign > 0 ? (d + 2) % 3 : (d + 1) % 3;
            corner[d] = sign * extent[d];
            corner[first] = -(1.0 + 2.0 * wider) * extent[first];
            corner[second] = -(1.0 + 2.0 * wider) * extent[second];
            a[first] = (2.0 + 4.0 * wider) * extent[first];
            b[second] = (2.0 + 4.0 * wider) * extent[second];
            face *f = add_plane(x, vec_make(corner[0], corner[1], corner[2]), vec_make(a[0], a[1], a[2]),
                                vec_make(b[0], b[1], b[2]));
            const double low = wider / (1.0 + 2.0 * wider);
            if (wider > 0.0)
                add_rectangle(x, f, low, 1.0 - low, random_chance(r, 0.5));
        }
}

/* A disc at z, with its normal up or down; its circle begins on the x axis. */
static face *add_disc(solid *x, random_source *r, double z, bool up, double slope, bool halves)
{
    const double width = 2.0 * x->r * random_range(r, 1.1, 1.5);
    const tact_vec3 along_x = vec_make(width, 0.0, slope * width), along_y = vec_make(0.0, width, 0.0);
    const tact_vec3 corner = vec_make(-0.5 * width, -0.5 * width, z - 0.5 * slope * width);
    face *f = up ? add_plane(x, corner, along_x, along_y)
                 : add_plane(x, vec_add(corner, along_y), along_x, vec_negate(along_y));
    add_circle(x, f, 0, x->r / width, x->r / width, 0, halves, random_chance(r, 0.5));
    return f;
}

/* Places the corners of the base of a prism on the border of the unit square: some at its corners, often several on one
 * side. */
static void make_base(solid *x, random_source *r)
{
    double at[MAX_CURVES], area;
    do {
        const int count = x->base_count = 3 + (int)random_below(r, MAX_CURVES - 2);
        double nearest = 4.0;
        for (int i = 0; i < count; i++) {
            const double next = random_chance(r, 0.5) ? (double)random_below(r, 4) : random_range(r, 0.0, 4.0);
            int k = i;
            for (; k > 0 && at[k - 1] > next; k--)
                at[k] = at[k - 1];
            at[k] = next;
        }
        for (int i = 0; i < count; i++)
            nearest = fmin(nearest, i + 1 < count ? at[i + 1] - at[i] : at[0] + 4.0 - at[i]);
        area = nearest > 0.1 ? 0.0 : -INFINITY;
        for (int i = 0; i <= count; i++) {
            const double along = at[i % count];
            x->base[i][0] = along < 1.0 ? along : along < 2.0 ? 1.0 : along < 3.0 ? 3.0 - along : 0.0;
            x->base[i][1] = along < 1.0 ? 0.0 : along < 2.0 ? along - 1.0 : along < 3.0 ? 1.0 : 4.0 - along;
            if (i > 0)
                area += 0.5 * (x->base[i - 1][0] * x->base[i][1] - x->base[i][0] * x->base[i - 1][1]);
        }
    } while (area < 0.1);
    const double extent[2] = {x->size.x, x->size.y}, height = 2.0 * x->size.z;
    x->area = x->volume = 0.0;
    for (int i = 0; i <= x->base_count; i++) {
        for (int d = 0; d < 2; d++)
            x->base[i][d] = (2.0 * x->base[i][d] - 1.0) * extent[d];
        if (i > 0)
            x->area += height * hypot(x->base[i][0] - x->base[i - 1][0], x->base[i][1] - x->base[i - 1][1]);
    }
    x->area += 2.0 * 4.0 * extent[0] * extent[1] * area;
    x->volume = 4.0 * extent[0] * extent[1] * area * height;
}

/* The base of a prism at z, as a part of a rectangle, and one rectangle for each side. */
static void add_prism(solid *x, random_source *r)
{
    make_base(x, r);
    const double H = x->size.z, X = x->size.x, Y = x->size.y;
    for (int top = 0; top < 2; top++) {
        face *f = top != 0 ? add_plane(x, vec_make(-X, -Y, H), vec_make(2 * X, 0, 0), vec_make(0, 2 * Y, 0))
                           : add_plane(x, vec_make(-X, -Y, -H), vec_make(0, 2 * Y, 0), vec_make(2 * X, 0, 0));
        const bool reversed = random_chance(r, 0.5);
        const int n = x->base_count;
        for (int i = 0; i < n; i++) {
            const double *a = x->base[reversed ? n - i : i], *b = x->base[reversed ? n - i - 1 : i + 1];
            const double u[2] = {0.5 * (a[0] / X + 1.0), 0.5 * (b[0] / X + 1.0)},
                         v[2] = {0.5 * (a[1] / Y + 1.0), 0.5 * (b[1] / Y + 1.0)};
            if (top != 0)
                add_line(x, f, 0, u[0], v[0], u[1], v[1]);
            else
                add_line(x, f, 0, v[0], u[0], v[1], u[1]);
        }
    }
    for (int i = 0; i < x->base_count; i++)
        add_plane(x, vec_make(x->base[i][0], x->base[i][1], -H),
                  vec_make(x->base[i + 1][0] - x->base[i][0], x->base[i + 1][1] - x->base[i][1], 0.0),
                  vec_make(0.0, 0.0, 2.0 * H));
}

/* The four faces of what two cylinders of the same radius around x and y contain. Each is a part of half a cylinder,
 * with both ends of both curves at one place of its border. */
static void add_crossed_cylinders(solid *x, random_source *r)
{
    enum { SEGMENTS = 128 };
    for (int i = 0; i < 4; i++) {
        const double R = x->r, sign = i % 2 == 0 ? 1.0 : -1.0;
        face *f = add_face(x, 2, 1, 5, 2, true);
        for (int k = 0; k < 10; k++) {
            double c, s;
            circle_point(k / 2 + 6, &c, &s, &f->weights[k]);
            const double out = sign * R * c, along = sign * (k % 2 == 0 ? -1.25 * R : 1.25 * R);
            f->points[k] = placed(x, i < 2 ? vec_make(out, -along, R * s) : vec_make(along, out, R * s));
        }
        double at[SEGMENTS + 1];
        for (int k = 0; k <= SEGMENTS; k++) {
            tact_vec3 p;
            assert_int_equal(tact_nurbs_evaluate(&x->defs[i], 2.0 * k / SEGMENTS, 0.0, 0, &p), TACT_OK);
            p = local(x, p);
            at[k] = 0.5 * fabs(i < 2 ? p.x : p.y) / (1.25 * R);
        }
        at[0] = random_below(r, 2) == 0 ? 2e-16 : -2e-16; /* rounding */
        at[SEGMENTS] = random_below(r, 2) == 0 ? 2e-16 : -2e-16;
        for (int side = 0; side < 2; side++) {
            for (int k = 0; k <= SEGMENTS; k++) {
                const int from = side == 0 ? k : SEGMENTS - k;
                f->uv[0][side][k][0] = 2.0 * from / SEGMENTS;
                f->uv[0][side][k][1] = 0.5 + (side == 0 ? -at[from] : at[from]);
            }
            add_curve(x, f, 0, 1, SEGMENTS + 1, false);
        }
    }
    x->volume = 16.0 / 3.0 * x->r * x->r * x->r;
    x->area = 16.0 * x->r * x->r;
}

/* The place of the height z on a face with z(v) increasing. */
static double parameter_at(const solid *x, const face *f, double u, double z)
{
    const tact_nurbs_def *def = &x->defs[f - x->faces];
    double low = 0.0, high = def->knots[1][def->counts[1]];
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        tact_vec3 p;
        assert_int_equal(tact_nurbs_evaluate(def, u, middle, 0, &p), TACT_OK);
        if (local(x, p).z < z)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

static void make_solid(solid *x, random_source *r, solid_kind kind)
{
    x->kind = kind;
    x->face_count = x->edge_count = 0;
    x->axes[2] = vec_normalize(vec_make(random_range(r, -1, 1), random_range(r, -1, 1), random_range(r, 0.1, 1)));
    x->axes[0] = vec_normalize(vec_cross(x->axes[2], vec_make(0.3, random_range(r, -1, 1), 0.1)));
    x->axes[1] = vec_cross(x->axes[2], x->axes[0]);
    x->origin = vec_make(random_range(r, -3, 3), random_range(r, -3, 3), random_range(r, -3, 3));
    x->size = vec_make(random_range(r, 0.5, 2), random_range(r, 0.5, 2), random_range(r, 0.5, 2));
    x->r = random_range(r, 0.4, 0.9) * fmin(x->size.x, x->size.y);
    x->h = random_range(r, -0.7, 0.7) * (kind == CUT_CYLINDER ? 0.3 * x->size.z : x->r);
    x->s = kind == CUT_CYLINDER ? random_range(r, -0.5, 0.5) * x->size.z / x->r : 0.0;
    const double R = x->r, H = x->size.z, cube = 8.0 * x->size.x * x->size.y * H;
    const double boxes = 8.0 * (x->size.x * x->size.y + x->size.y * H + H * x->size.x);
    const bool halves = random_chance(r, 0.5);
    switch (kind) {
    case BOX:
        add_box(x, r, random_range(r, 0.05, 0.4));
        x->volume = cube;
        x->area = boxes;
        break;
    case CYLINDER: {
        face *f = add_barrel(x, R, -H, H, false);
        if (halves) { /* the border as a loop, its circles in two halves */
            static const double corners[7][2] = {{0, 0}, {2, 0}, {4, 0}, {4, 1}, {2, 1}, {0, 1}, {0, 0}};
            for (int i = 0; i < 6; i++)
                add_line(x, f, 0, corners[i][0], corners[i][1], corners[i + 1][0], corners[i + 1][1]);
        }
        add_disc(x, r, -H, false, 0.0, halves);
        add_disc(x, r, H, true, 0.0, halves);
        x->volume = 2.0 * PI * R * R * H;
        x->area = 4.0 * PI * R * (H + R);
        break;
    }
    case BLOCK: {
        add_box(x, r, random_chance(r, 0.5) ? 0.0 : random_range(r, 0.05, 0.4));
        for (int i = 4; i < 6; i++) { /* the faces at both ends of z get a hole */
            face *f = &x->faces[i];
            if (x->defs[i].trim_count == 0)
                add_rectangle(x, f, 0.0, 1.0, false);
            const tact_vec3 *p = f->points;
            add_circle(x, f, 1, R / vec_length(vec_sub(p[2], p[0])), R / vec_length(vec_sub(p[1], p[0])),
                       i == 4 ? 1 : 0, false, random_chance(r, 0.5));
        }
        add_barrel(x, R, -H, H, true);
        x->volume = cube - 2.0 * PI * R * R * H;
        x->area = boxes + 4.0 * PI * R * H;
        break;
    }
    case CUT_SPHERE: {
        face *f = add_sphere(x, R);
        const double v = parameter_at(x, f, 0.0, x->h);
        add_line(x, f, 0, 0, 0, 4, 0);
        add_line(x, f, 0, 4, 0, 4, v);
        add_line(x, f, 0, 4, v, 0, v);
        add_line(x, f, 0, 0, v, 0, 0);
        const double radius = sqrt(R * R - x->h * x->h), width = 2.0 * radius * random_range(r, 1.1, 1.5);
        face *disc =
            add_plane(x, vec_make(-0.5 * width, -0.5 * width, x->h), vec_make(width, 0, 0), vec_make(0, width, 0));
        add_circle(x, disc, 0, radius / width, radius / width, 0, false, random_chance(r, 0.5));
        const double cap = R - x->h;
        x->volume = 4.0 / 3.0 * PI * R * R * R - PI * cap * cap * (3.0 * R - cap) / 3.0;
        x->area = 4.0 * PI * R * R;
        break;
    }
    case PRISM:
        add_prism(x, r);
        break;
    case CROSSED_CYLINDERS:
        add_crossed_cylinders(x, r);
        break;
    default: { /* the cut of the cylinder becomes a polyline in its parameter plane */
        face *f = add_barrel(x, R, -H, 3.0 * H, false);
        double at[257][2];
        for (int i = 0; i <= 256; i++) {
            tact_vec3 p;
            at[i][0] = 4.0 - i / 64.0;
            assert_int_equal(tact_nurbs_evaluate(&x->defs[0], at[i][0], 0.5, 0, &p), TACT_OK);
            at[i][1] = (x->h + x->s * local(x, p).x + H) / (4.0 * H);
        }
        add_line(x, f, 0, 0, 0, 4, 0);
        add_line(x, f, 0, 4, 0, 4, at[0][1]);
        memcpy(f->uv[0][2], at, sizeof at);
        add_curve(x, f, 0, 1, 257, false);
        add_line(x, f, 0, 0, at[256][1], 0, 0);
        add_disc(x, r, -H, false, 0.0, false);
        add_disc(x, r, x->h, true, x->s, false);
        x->volume = PI * R * R * (x->h + H);
        x->area = 2.0 * PI * R * (3.0 * H) + 4.0 * PI * R * R;
        break;
    }
    }
    find_edges(x);
    for (size_t i = 0; i < x->face_count; i++)
        x->defs[i].tolerance = ldexp(x->r, -3 - (int)random_below(r, 5));
    x->defs[0].solid = true;
}

/* A lower bound of the distance from the surface of a solid, negative inside. Zero exactly on the surface. */
static double distance_of(const solid *x, tact_vec3 p)
{
    const double flat = fmax(fmax(fabs(p.x) - x->size.x, fabs(p.y) - x->size.y), fabs(p.z) - x->size.z);
    const double round = hypot(p.x, p.y) - x->r;
    switch (x->kind) {
    case BOX:
        return flat;
    case CYLINDER:
        return fmax(round, fabs(p.z) - x->size.z);
    case BLOCK:
        return fmax(flat, -round);
    case CUT_SPHERE:
        return fmax(vec_length(p) - x->r, p.z - x->h);
    case CROSSED_CYLINDERS:
        return fmax(hypot(p.x, p.z), hypot(p.y, p.z)) - x->r;
    case PRISM: {
        double farthest = fabs(p.z) - x->size.z;
        for (int i = 0; i < x->base_count; i++) {
            const double *a = x->base[i], dx = x->base[i + 1][0] - a[0], dy = x->base[i + 1][1] - a[1];
            farthest = fmax(farthest, ((p.x - a[0]) * dy - (p.y - a[1]) * dx) / hypot(dx, dy));
        }
        return farthest;
    }
    default:
        return fmax(fmax(round, -p.z - x->size.z), (p.z - x->h - x->s * p.x) / hypot(1.0, x->s));
    }
}

static tact_shape *create(solid *x, uint64_t seed)
{
    tact_report report;
    tact_shape *shape = tact_nurbs_create(x->defs, x->face_count, &report);
    CHECK(shape != NULL, "kind %d: %s", x->kind, report.text);
    return shape;
}

static const uint64_t few = 28;

static size_t edges_expected(const solid *x)
{
    static const size_t counts[SOLID_KINDS] = {12, 2, 14, 1, 2, 0, 4};
    if (x->kind == PRISM)
        return 3 * (size_t)x->base_count;
    return x->kind == CYLINDER && x->defs[0].trim_count > 0 ? 4 : counts[x->kind];
}

static void solids_have_no_cracks(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(few); seed++) {
        random_source r = random_seed(seed);
        make_solid(&shared, &r, (solid_kind)(seed % SOLID_KINDS));
        CHECK(shared.edge_count == edges_expected(&shared), "kind %d: %zu edges", shared.kind, shared.edge_count);
        tact_shape *shape = create(&shared, seed);
        const tact_mesh_findings found = tact_mesh_check(shape);
        CHECK(found.status == TACT_OK && found.closed && !found.inverted && found.components == 1,
              "kind %d: %zu open, %zu non-manifold edges, %zu components", shared.kind, found.open_edges,
              found.non_manifold_edges, found.components);
        CHECK(found.inconsistent_edges == 0 && found.non_manifold_vertices == 0 && found.duplicate_triangles == 0 &&
                  found.unreferenced_vertices == 0,
              "kind %d: %zu inconsistent edges, %zu non-manifold vertices", shared.kind, found.inconsistent_edges,
              found.non_manifold_vertices);
        const double error = tact_nurbs_get_error(shape);
        const tact_mass mass = tact_mass_from_density(shape, tact_identity(), 1.0);
        CHECK(mass.status == TACT_OK && mass.dimension == 3 &&
                  fabs(mass.measure - shared.volume) <= error * shared.area,
              "kind %d: volume %g instead of %g", shared.kind, mass.measure, shared.volume);
        tact_shape_release(shape);
    }
}

/* A prism with a corner of its base so close to the border that rounding leaves two opposite triangles there. */
static void folds_are_closed(void **state)
{
    (void)state;
    const uint64_t seed = 124;
    random_source r = random_seed(seed);
    make_solid(&shared, &r, PRISM);
    tact_shape *shape = create(&shared, seed);
    tact_shape_release(shape);
}

static tact_vec3 random_point(random_source *r, const solid *x)
{
    return vec_make(random_range(r, -1.3, 1.3) * fmax(x->size.x, x->r),
                    random_range(r, -1.3, 1.3) * fmax(x->size.y, x->r),
                    random_range(r, -1.3, 1.3) * fmax(x->size.z, x->r));
}

/* A point near the surface: on the line between a point inside and one outside. */
static tact_vec3 point_near_surface(random_source *r, const solid *x, double reach)
{
    tact_vec3 inside = random_point(r, x), outside = random_point(r, x);
    for (int i = 0; i < 1000 && !(distance_of(x, inside) < 0.0); i++)
        inside = random_point(r, x);
    for (int i = 0; i < 1000 && !(distance_of(x, outside) > 0.0); i++)
        outside = random_point(r, x);
    for (int i = 0; i < 40; i++) {
        const tact_vec3 middle = vec_mul_add(inside, 0.5, vec_sub(outside, inside));
        if (fabs(distance_of(x, middle)) < reach && random_chance(r, 0.5))
            return middle;
        if (distance_of(x, middle) < 0.0)
            inside = middle;
        else
            outside = middle;
    }
    return inside;
}

static void containment_is_that_of_the_solid(void **state)
{
    (void)state;
    size_t inside = 0, outside = 0, near = 0, signs = 0, rays = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(few); seed++) {
        random_source r = random_seed(seed + 1000);
        make_solid(&shared, &r, (solid_kind)(seed % SOLID_KINDS));
        tact_shape *shape = create(&shared, seed);
        const double error = tact_nurbs_get_error(shape);
        for (int i = 0; i < 200; i++) {
            const tact_vec3 p = i % 2 == 0 ? random_point(&r, &shared) : point_near_surface(&r, &shared, 20.0 * error);
            const double distance = distance_of(&shared, p);
            /* triangles may be the error away from the solid, and points that far from triangles count as contained */
            if (distance > 0.0 && distance <= 2.0 * error * (1.0 + 1e-6))
                continue;
            const tact_vec3 q = placed(&shared, p);
            const tact_overlap found = tact_shape_contains(shape, tact_identity(), q);
            CHECK(found.status == TACT_OK && found.state == (distance < 0.0 ? TACT_HIT : TACT_MISS),
                  "kind %d: (%.17g %.17g %.17g) at %g with error %g", shared.kind, p.x, p.y, p.z, distance, error);
            inside += distance < 0.0;
            outside += distance > 0.0;
            near += fabs(distance) < 10.0 * error;
            if (i % 20 >= 2 || fabs(distance) <= error)
                continue;
            const tact_closest closest = tact_shape_closest(shape, tact_identity(), q);
            CHECK((closest.status == TACT_OK || closest.status == TACT_NOT_CONVERGED) &&
                      (closest.distance < 0.0) == (distance < 0.0) &&
                      fabs(closest.distance) >= fabs(distance) - 2.0 * error,
                  "kind %d: (%.17g %.17g %.17g) at %g is at %g", shared.kind, p.x, p.y, p.z, distance,
                  closest.distance);
            signs++;
            const tact_ray_hit hit = tact_shape_ray(shape, tact_identity(), q, vec_make(0.3, 0.5, 0.4), INFINITY);
            if (distance < 0.0) {
                CHECK(hit.status == TACT_OK && hit.state == TACT_HIT && hit.t == 0.0, "kind %d: t %g", shared.kind,
                      hit.t);
                rays++;
            }
        }
        tact_shape_release(shape);
    }
    if (first_seed() == 1 && last_seed(few) >= few)
        assert_true(inside > 500 && outside > 500 && near > 400 && signs > 100 && rays > 40);
}

static tact_vec3 triangle_point(const mesh *m, uint32_t triangle, double a, double b)
{
    const tact_vec3 p = m->vertices[m->indices[3 * triangle]], q = m->vertices[m->indices[3 * triangle + 1]],
                    s = m->vertices[m->indices[3 * triangle + 2]];
    return vec_mul_add(vec_mul_add(p, a, vec_sub(q, p)), b, vec_sub(s, p));
}

/* The distance of a point from a triangle: alternating projections do not suffice, so by regions, the edges last. */
static double triangle_distance(const mesh *m, uint32_t triangle, tact_vec3 p)
{
    tact_vec3 v[3];
    for (uint32_t k = 0; k < 3; k++)
        v[k] = m->vertices[m->indices[3 * triangle + k]];
    double least = INFINITY;
    bool inside = true;
    const tact_vec3 n = vec_cross(vec_sub(v[1], v[0]), vec_sub(v[2], v[0]));
    for (int k = 0; k < 3; k++) {
        const tact_vec3 along = vec_sub(v[(k + 1) % 3], v[k]), to = vec_sub(p, v[k]);
        const double square = vec_dot(along, along);
        const double t = square > 0.0 ? fmin(1.0, fmax(0.0, vec_dot(to, along) / square)) : 0.0;
        least = fmin(least, vec_length(vec_sub(to, vec_scale(along, t))));
        inside = inside && vec_dot(vec_cross(along, to), n) >= 0.0;
    }
    const double length = vec_length(n);
    return inside && length > 0.0 ? fmin(least, fabs(vec_dot(vec_sub(p, v[0]), n)) / length) : least;
}

static void errors_are_within_the_tolerance(void **state)
{
    (void)state;
    size_t samples = 0;
    double largest = 0.0;
    for (uint64_t seed = first_seed(); seed <= last_seed(few); seed++) {
        random_source r = random_seed(seed + 2000);
        make_solid(&shared, &r, (solid_kind)(seed % SOLID_KINDS));
        const double tolerance = shared.defs[0].tolerance;
        for (size_t i = 0; i < shared.face_count; i++)
            shared.defs[i].tolerance = tolerance;
        tact_shape *shape = create(&shared, seed);
        const double error = tact_nurbs_get_error(shape);
        CHECK(error <= tolerance * (1.0 + 1e-9) + 1e-5, "kind %d: error %g, tolerance %g", shared.kind, error,
              tolerance);
        const mesh *m = shape->mesh;
        for (int i = 0; i < 1000; i++) { /* points of triangles */
            const uint32_t triangle = (uint32_t)random_below(&r, m->element_count);
            double a = random_unit(&r), b = random_unit(&r);
            if (a + b > 1.0)
                a = 1.0 - a, b = 1.0 - b;
            const double distance = fabs(distance_of(&shared, local(&shared, triangle_point(m, triangle, a, b))));
            largest = fmax(largest, distance / error);
            CHECK(distance <= error, "kind %d: triangle %u is %g away, error %g", shared.kind, triangle, distance,
                  error);
        }
        for (int i = 0; i < 40; i++) { /* points of surfaces */
            const tact_nurbs_def *def = &shared.defs[random_below(&r, shared.face_count)];
            tact_vec3 p;
            const double u = random_unit(&r) * def->knots[0][def->counts[0]],
                         v = random_unit(&r) * def->knots[1][def->counts[1]];
            assert_int_equal(tact_nurbs_evaluate(def, u, v, 0, &p), TACT_OK);
            if (fabs(distance_of(&shared, local(&shared, p))) > 1e-9) /* trimmed away */
                continue;
            double distance = INFINITY;
            for (uint32_t k = 0; k < m->element_count; k++)
                distance = fmin(distance, triangle_distance(m, k, p));
            CHECK(distance <= error, "kind %d: a surface is %g away, error %g", shared.kind, distance, error);
            samples++;
        }
        tact_shape_release(shape);
    }
    if (first_seed() == 1 && last_seed(few) >= few)
        assert_true(samples > 200 && largest > 0.05);
}

/* ---- motion ---- */

/* A body whose control points have been moved has the triangles of a new shape of these control points. */
static void moved_solids_are_as_new_ones(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(few / 3); seed++) {
        random_source r = random_seed(seed + 3000);
        make_solid(&shared, &r, (solid_kind)(seed % SOLID_KINDS));
        tact_shape *shape = create(&shared, seed);
        nurbs_geometry *g = shape->nurbs;
        const uint32_t count = nurbs_point_count(g->model);
        tact_vec3 moved[2][300];
        CHECK(count <= 300, "%u points", count);
        tact_report report;
        /* stretched along x, a linear map: the edges still fit */
        for (uint32_t i = 0; i < count; i++) {
            moved[0][i] = g->tessellation.points[i];
            moved[0][i].x *= 1.25;
            moved[1][i] = vec_mul_add(g->tessellation.points[i], 0.4, vec_sub(moved[0][i], g->tessellation.points[i]));
        }
        nurbs_tessellation moving, stretched;
        CHECK(tact_nurbs_tessellation_init_moving(&moving, g->model, g->tessellation.points, moved[0], 1, &report),
              "%s", report.text);
        size_t open;
        uint32_t vertex;
        CHECK(tact_nurbs_count_open_edges(&moving, &open, &vertex) && open == 0, "kind %d: %zu open edges", shared.kind,
              open);
        CHECK(moving.edge_gap <= 2.0 * shared.r / 16.0, "kind %d: gap %g", shared.kind, moving.edge_gap);
        tact_nurbs_tessellation_release(&moving);
        CHECK(tact_nurbs_tessellation_init_moved(&stretched, &g->tessellation, 0, count, moved[1], &report), "%s",
              report.text);
        CHECK(move_control_points(&g->tessellation, 0, count, moved[1], &report) != NURBS_MOVE_FAILED, "%s",
              report.text);
        const nurbs_tessellation *t = &g->tessellation;
        CHECK(t->error == stretched.error && t->vertices.count == stretched.vertices.count &&
                  t->triangles.count == stretched.triangles.count &&
                  memcmp(t->positions, stretched.positions, t->vertices.count * sizeof *t->positions) == 0 &&
                  memcmp(t->triangles.items, stretched.triangles.items, t->triangles.count * sizeof(nurbs_triangle)) ==
                      0,
              "kind %d", shared.kind);
        tact_nurbs_tessellation_release(&stretched);
        tact_shape_release(shape);
    }
}

static bool equal_places(const nurbs_tessellation *a, const nurbs_tessellation *b)
{
    bool equal = a->joined.count == b->joined.count;
    for (size_t i = 0; equal && i < a->joined.count; i++) {
        const nurbs_joined_triangle *x = &a->joined.items[i], *y = &b->joined.items[i];
        equal = x->triangle == y->triangle;
        for (int k = 0; k < 6; k++)
            equal = equal && x->corners[k / 2].at[k % 2] == y->corners[k / 2].at[k % 2] &&
                    x->corners[k / 2].free[k % 2] == y->corners[k / 2].free[k % 2];
    }
    return equal;
}

static uint32_t surface_of_triangle(const nurbs_tessellation *t, uint32_t triangle)
{
    return t->model->patches[t->cells.items[t->triangles.items[triangle].cell].patch].surface;
}

static bool touches_itself(nurbs_geometry *g, uint32_t triangles[2], uint64_t seed)
{
    bool touches;
    tact_vec3 at;
    CHECK(tact_nurbs_geometry_find_self_contact(g, &touches, &at, triangles) == TACT_OK, "no memory");
    return touches;
}

/* A solid of planes that is flattened touches itself: its top and its bottom are in one plane. */
static void check_flattened(const solid *x, const nurbs_geometry *g, uint64_t seed)
{
    tact_vec3 moved[300];
    const uint32_t count = nurbs_point_count(g->model);
    CHECK(count <= 300, "%u points", count);
    for (uint32_t i = 0; i < count; i++) {
        const tact_vec3 p = g->tessellation.points[i];
        moved[i] = vec_mul_add(p, -vec_dot(vec_sub(p, x->origin), x->axes[2]), x->axes[2]);
    }
    tact_report report;
    nurbs_geometry *flat = tact_nurbs_geometry_copy(g, 0, count, moved, &report);
    CHECK(flat != NULL, "%s", report.text);
    uint32_t triangles[2];
    CHECK(touches_itself(flat, triangles, seed), "kind %d is flat", x->kind);
    tact_nurbs_geometry_free(flat);
}

/* Surfaces meet at their edges, but a solid does not touch itself there. */
static void solids_do_not_touch_themselves(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(few / 2); seed++) {
        random_source r = random_seed(seed + 7000);
        make_solid(&shared, &r, (solid_kind)(seed % SOLID_KINDS));
        tact_shape *shape = create(&shared, seed);
        uint32_t triangles[2];
        const bool touches = touches_itself(shape->nurbs, triangles, seed);
        CHECK(!touches, "kind %d, surfaces %u and %u", shared.kind,
              (unsigned)surface_of_triangle(&shape->nurbs->tessellation, triangles[0]),
              (unsigned)surface_of_triangle(&shape->nurbs->tessellation, triangles[1]));
        if (shared.kind == BOX || shared.kind == PRISM)
            check_flattened(&shared, shape->nurbs, seed);
        tact_shape_release(shape);
    }
}

/* Sequences of moves of single control points, of parts and of all: after each the state is that of a new
 * tessellation, bit for bit, whether it was computed again or not, and so are the bounds. */
static void each_move_leaves_the_state_of_a_new_one(void **state)
{
    (void)state;
    long positions = 0, divided = 0, kept = 0, untouched = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(few / 3); seed++) {
        random_source r = random_seed(seed + 5000);
        make_solid(&shared, &r, (solid_kind)(seed % SOLID_KINDS));
        tact_shape *shape = create(&shared, seed);
        nurbs_tessellation *t = &shape->nurbs->tessellation;
        nurbs_bounds bounds;
        CHECK(tact_nurbs_bounds_init(&bounds, t), "no memory");
        const uint32_t count = nurbs_point_count(t->model);
        tact_vec3 moved[300];
        CHECK(count <= 300, "%u points", count);
        for (int move = 0; move < 6; move++) {
            const uint32_t first = (uint32_t)random_below(&r, count),
                           some = move % 4 == 3 ? count - first : 1 + (uint32_t)random_below(&r, 2) % (count - first);
            const double amount = shared.r * exp2(-random_range(&r, 2.0, 16.0));
            for (uint32_t i = 0; i < some; i++)
                moved[i] = vec_mul_add(t->points[first + i], amount, random_direction(&r));
            tact_report report;
            const nurbs_move done = move_control_points(t, first, some, moved, &report);
            CHECK(done != NURBS_MOVE_FAILED, "%s", report.text);
            CHECK(tact_nurbs_bounds_update(&bounds, done), "no memory");
            positions += done == NURBS_MOVE_POSITIONS;
            divided += done == NURBS_MOVE_POSITIONS && t->joined.count > 0;
            for (uint32_t i = 0; i < t->model->patch_count && done == NURBS_MOVE_POSITIONS; i++)
                untouched += t->changed[i] == 0;
            kept += done == NURBS_MOVE_CELLS;
            nurbs_tessellation fresh;
            nurbs_bounds fresh_bounds;
            CHECK(tact_nurbs_tessellation_init(&fresh, t->model, t->points, &report), "%s", report.text);
            CHECK(tact_nurbs_bounds_init(&fresh_bounds, &fresh), "no memory");
            CHECK(t->error == fresh.error && t->edge_gap == fresh.edge_gap && equal_places(t, &fresh) &&
                      t->vertices.count == fresh.vertices.count && t->triangles.count == fresh.triangles.count,
                  "kind %d, move %d: %g %g", shared.kind, move, t->edge_gap, fresh.edge_gap);
            CHECK(memcmp(t->positions, fresh.positions, t->vertices.count * sizeof *t->positions) == 0 &&
                      memcmp(t->triangles.items, fresh.triangles.items,
                             t->triangles.count * sizeof *t->triangles.items) == 0,
                  "kind %d, move %d", shared.kind, move);
            CHECK(memcmp(bounds.cells, fresh_bounds.cells, t->cells.count * sizeof *bounds.cells) == 0,
                  "kind %d, move %d", shared.kind, move);
            tact_nurbs_bounds_release(&fresh_bounds);
            tact_nurbs_tessellation_release(&fresh);
        }
        tact_nurbs_bounds_release(&bounds);
        tact_shape_release(shape);
    }
    print_message("%ld moves of positions, %ld of them with divided triangles, %ld of cells, %ld patches untouched\n",
                  positions, divided, kept, untouched);
    if (last_seed(few / 3) > first_seed())
        assert_true(positions > 3 && divided > 3 && kept > 3 && untouched > 3);
}

/* Control points that move anywhere: the edges stay joined, and the gap is a part of the error. */
static void no_motion_is_refused(void **state)
{
    (void)state;
    enum { CASES = 16 };
    size_t apart = 0, closed = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(CASES); seed++) {
        random_source r = random_seed(seed + 4000);
        make_solid(&shared, &r, (solid_kind)(seed % SOLID_KINDS));
        for (size_t i = 0; i < shared.face_count; i++)
            shared.defs[i].tolerance = 0.4 * shared.r;
        tact_shape *shape = create(&shared, seed);
        nurbs_tessellation *t = &shape->nurbs->tessellation;
        const uint32_t count = nurbs_point_count(t->model);
        tact_vec3 start[300], moved[300];
        CHECK(count <= 300, "%u points", count);
        for (uint32_t i = 0; i < count && i < 300; i++)
            start[i] = t->points[i];
        const double amplitude = shared.r * (double[]){0.02, 0.2, 0.5, 0.0}[seed / SOLID_KINDS % 4];
        for (uint32_t i = 0; i < count; i++) {
            const tact_vec3 way = vec_make(random_unit(&r) - 0.5, random_unit(&r) - 0.5, random_unit(&r) - 0.5);
            moved[i] = amplitude == 0.0 ? shared.origin /* all in one point */
                                        : vec_mul_add(start[i], 2.0 * amplitude, way);
        }
        tact_report report = {0};
        nurbs_tessellation moving;
        CHECK(tact_nurbs_tessellation_init_moving(&moving, t->model, start, moved, 1, &report), "kind %d: %s",
              shared.kind, report.text);
        tact_nurbs_tessellation_release(&moving);
        CHECK(tact_nurbs_tessellation_init_moving(&moving, t->model, moved, start, 1, &report), "kind %d: %s",
              shared.kind, report.text);
        tact_nurbs_tessellation_release(&moving);
        CHECK(move_control_points(t, 0, count, moved, &report) != NURBS_MOVE_FAILED, "kind %d: %s", shared.kind,
              report.text);
        size_t open;
        uint32_t vertex;
        CHECK(tact_nurbs_count_open_edges(t, &open, &vertex) && t->error >= t->edge_gap, "kind %d", shared.kind);
        closed += open == 0;
        apart += t->edge_gap > shared.defs[0].tolerance;
        CHECK(move_control_points(t, 0, count, start, &report) != NURBS_MOVE_FAILED &&
                  tact_nurbs_count_open_edges(t, &open, &vertex) && open == 0 &&
                  t->edge_gap <= 1.001 * shared.defs[0].tolerance,
              "kind %d, moved back: gap %g", shared.kind, t->edge_gap);
        tact_shape_release(shape);
    }
    if (first_seed() == 1 && last_seed(CASES) >= CASES)
        assert_true(apart > 3 && closed > CASES / 2);
}

/* The place of a point of a triangle is near that point, also at edges with vertices of other surfaces. */
static void places_are_on_the_triangle(void **state)
{
    (void)state;
    size_t joined = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(few); seed++) {
        random_source r = random_seed(seed + 5000);
        make_solid(&shared, &r, (solid_kind)(seed % SOLID_KINDS));
        tact_shape *shape = create(&shared, seed);
        const nurbs_tessellation *t = &shape->nurbs->tessellation;
        for (int i = 0; i < 400; i++) {
            const uint32_t triangle = i % 2 == 0 && t->joined.count > 0
                                          ? t->joined.items[random_below(&r, t->joined.count)].triangle
                                          : (uint32_t)random_below(&r, t->triangles.count);
            const uint32_t *v = t->triangles.items[triangle].vertex;
            double weights[3] = {random_unit(&r), random_unit(&r), 0.0};
            if (weights[0] + weights[1] > 1.0)
                weights[0] = 1.0 - weights[0], weights[1] = 1.0 - weights[1];
            weights[2] = i % 8 < 2 ? 0.0 : 1.0 - weights[0] - weights[1];
            weights[0] = 1.0 - weights[1] - weights[2];
            tact_vec3 p = vec_make(0.0, 0.0, 0.0), q;
            for (int k = 0; k < 3; k++)
                p = vec_mul_add(p, weights[k], t->positions[v[k]]);
            for (int edge = 0; edge < (weights[2] == 0.0 && i % 2 == 0 ? 2 : 1); edge++) {
                const tact_nurbs_location place = edge == 0 ? tact_nurbs_location_on_triangle(t, triangle, weights)
                                                            : tact_nurbs_location_on_edge(t, v, weights);
                const tact_nurbs_def *def = &shared.defs[place.surface];
                assert_true(place.on_surface);
                assert_int_equal(tact_nurbs_evaluate(def, place.u, place.v, 0, &q), TACT_OK);
                CHECK(vec_length(vec_sub(p, q)) <= t->error,
                      "kind %d: triangle %u, edge %d: place %u %g %g is %g away, error %g", shared.kind, triangle, edge,
                      place.surface, place.u, place.v, vec_length(vec_sub(p, q)), t->error);
            }
            joined += i % 2 == 0 && t->joined.count > 0;
        }
        tact_shape_release(shape);
    }
    if (first_seed() == 1 && last_seed(few) >= few)
        assert_true(joined > 1000);
}

/* ---- seams and small tolerances ---- */

/* A barrel of five quarters with the trimming loop 0.5 <= u <= 4.5, and its two straight sides as an edge. */
static void seams_may_be_named(void **state)
{
    (void)state;
    const uint64_t seed = 7;
    random_source r = random_seed(seed);
    make_solid(&shared, &r, CYLINDER);
    const size_t wall = shared.defs[0].counts[0] == 9 ? 0 : 1;
    CHECK(shared.defs[wall].counts[0] == 9 && shared.defs[wall].trim_count == 0, "%zu", wall);
    shared.edges[shared.edge_count] =
        (tact_nurbs_edge){{(uint32_t)wall, (uint32_t)wall}, {0, 0}, {1, 3}}; /* joined by its control points */
    shared.defs[0].edge_count++;
    tact_shape *shape = create(&shared, seed);
    assert_int_equal(tact_nurbs_get_edges(shape, NULL, 0), shared.edge_count + 1);
    tact_shape_release(shape);
    for (int spans = 1; spans <= 3; spans++) { /* along v: straight, then curved */
        static const double line[4] = {0, 0, 1, 1}, knots[14] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5};
        static const double v_knots[6] = {0, 0, 0, 1, 1, 1};
        static const double uv[4][2][2] = {
            {{0.5, 0}, {4.5, 0}}, {{4.5, 0}, {4.5, 1}}, {{4.5, 1}, {0.5, 1}}, {{0.5, 1}, {0.5, 0}}};
        const size_t m = spans == 1 ? 2 : 3;
        tact_vec3 points[33];
        double weights[33];
        for (size_t i = 0; i < 11; i++)
            for (size_t k = 0; k < m; k++) {
                double c, s;
                circle_point((int)i, &c, &s, &weights[m * i + k]);
                const double bulge = k == 1 && spans > 1 ? 1.0 + 0.5 * spans : 1.0;
                points[m * i + k] = vec_make(bulge * c, bulge * s, (double)k);
            }
        tact_nurbs_curve curves[4];
        for (int i = 0; i < 4; i++)
            curves[i] = (tact_nurbs_curve){1, 2, line, uv[i], NULL};
        const tact_nurbs_loop loop = {curves, 4};
        const tact_nurbs_edge edge = {{0, 0}, {0, 0}, {1, 3}};
        const tact_nurbs_def def = {.degree = {2, (int)m - 1},
                                    .counts = {11, m},
                                    .knots = {knots, spans == 1 ? line : v_knots},
                                    .points = points,
                                    .weights = weights,
                                    .trims = &loop,
                                    .trim_count = 1,
                                    .edges = &edge,
                                    .edge_count = 1,
                                    .tolerance = 0.1};
        tact_report report;
        shape = tact_nurbs_create(&def, 1, &report);
        if (shape == NULL)
            fail_msg("%d: %s", spans, report.text);
        const nurbs_tessellation *t = &shape->nurbs->tessellation;
        for (uint32_t i = 0; i < t->triangles.count; i++) /* only the rings at both ends stay open */
            for (uint32_t k = 0; k < 3; k++) {
                const uint32_t a = t->triangles.items[i].vertex[k], b = t->triangles.items[i].vertex[(k + 1) % 3];
                size_t opposite = 0;
                for (uint32_t n = 0; n < 3 * t->triangles.count; n++)
                    opposite += t->triangles.items[n / 3].vertex[n % 3] == b &&
                                t->triangles.items[n / 3].vertex[(n + 1) % 3] == a;
                const double z[2] = {t->positions[a].z, t->positions[b].z}, top = (double)m - 1.0;
                const bool ring = (z[0] < 1e-4 && z[1] < 1e-4) || (z[0] > top - 1e-4 && z[1] > top - 1e-4);
                CHECK(opposite == (ring ? 0u : 1u), "%d: %u %u at z %g %g: %zu", spans, a, b, z[0], z[1], opposite);
            }
        tact_shape_release(shape);
    }
}

static void tolerances_may_be_below_that_of_trimming(void **state)
{
    (void)state;
    size_t trimmed = 0;
    for (uint64_t seed = 1; seed <= 1; seed++) {
        random_source r = random_seed(seed);
        make_solid(&shared, &r, BLOCK);
        for (size_t i = 0; i < shared.face_count; i++) {
            shared.defs[i].tolerance = (shared.defs[i].trim_count > 0 ? 3e-6 : 0.05) * shared.r;
            trimmed += shared.defs[i].trim_count > 0;
        }
        tact_shape *shape = create(&shared, seed);
        assert_true(tact_nurbs_get_error(shape) < 0.06 * shared.r);
        tact_shape_release(shape);
    }
    assert_true(trimmed >= 1);
}

/* ---- failures ---- */

static void expect_refused(solid *x, const char *reason)
{
    tact_report report;
    tact_shape *shape = tact_nurbs_create(x->defs, x->face_count, &report);
    if (shape != NULL || report.status != TACT_BAD_ARGUMENT || strstr(report.text, reason) == NULL)
        fail_msg("\"%s\" instead of \"%s\"", shape == NULL ? report.text : "a shape", reason);
}

static void edges_that_do_not_fit_are_explained(void **state)
{
    (void)state;
    random_source r = random_seed(5);
    make_solid(&shared, &r, BOX);
    const tact_nurbs_edge first = shared.edges[0];
    shared.edges[0].surface[1] = 6;
    expect_refused(&shared, "edge 0: there is no surface 6");
    shared.edges[0] = first;
    shared.edges[0].loop[0] = 1;
    expect_refused(&shared, "edge 0: there is no surface 0 with loop 1");
    shared.edges[0] = first;
    shared.edges[0].curve[1] = 4;
    expect_refused(&shared, "and curve 4");
    shared.edges[0] = first;
    shared.edges[0].curve[0] = (first.curve[0] + 2) % 4; /* then two edges have one curve */
    expect_refused(&shared, "or another edge names it");
    shared.edges[0] = first;
    shared.defs[0].edges = NULL;
    expect_refused(&shared, "the edges are missing");
    shared.defs[0].edges = shared.edges;
    /* a face that is moved away */
    for (int i = 0; i < 4; i++)
        shared.faces[0].points[i] = vec_mul_add(shared.faces[0].points[i], 0.5, shared.axes[0]);
    expect_refused(&shared, "(surface 0, loop 0, curve ");
    expect_refused(&shared, ": the first curve ends at (");
    expect_refused(&shared, "), the second one 0.5 away");
    /* two sheets whose common edge has the same ends, but is straight on one and bent on the other */
    const double u[6] = {0, 0, 0, 1, 1, 1}, v[4] = {0, 0, 1, 1};
    tact_vec3 points[2][6];
    tact_nurbs_def sheets[2];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 6; i++)
            points[k][i] = vec_make(i / 2, k == 0 ? i % 2 : 1 + i % 2, k == 1 && i == 2 ? 0.1 : 0.0);
        sheets[k] = (tact_nurbs_def){
            .degree = {2, 1}, .counts = {3, 2}, .knots = {u, v}, .points = points[k], .tolerance = 0.01};
    }
    const tact_nurbs_edge common = {.surface = {0, 1}, .curve = {2, 0}};
    sheets[0].edges = &common;
    sheets[0].edge_count = 1;
    tact_report report;
    assert_null(tact_nurbs_create(sheets, 2, &report));
    assert_string_equal(report.text, "edge 0 (surface 0, loop 0, curve 2; surface 1, loop 0, curve 0): the curves are "
                                     "0.05 apart at (1, 1, 0.05), tolerance 0.01");
    make_solid(&shared, &r, BLOCK);
    shared.defs[0].edge_count--; /* the last edge, a circle, stays open */
    expect_refused(&shared, "have no neighbour, one of them at (");
    shared.defs[0].solid = false;
    tact_shape *shape = tact_nurbs_create(shared.defs, shared.face_count, NULL);
    assert_non_null(shape);
    assert_false(tact_mesh_check(shape).closed);
    tact_nurbs_edge edges[MAX_EDGES];
    assert_int_equal(tact_nurbs_get_edges(shape, edges, 3), 13);
    assert_memory_equal(edges, shared.edges, 3 * sizeof *edges);
    assert_int_equal(tact_nurbs_get_edges(NULL, edges, 3), 0);
    tact_shape_release(shape);
    /* the edge of a pole, and a curve that ends inside a surface that is closed */
    make_solid(&shared, &r, CUT_SPHERE);
    shared.edges[0].curve[0] = 1;
    expect_refused(&shared, "edge 0: surface 0, loop 0, curve 1: it ends at (");
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int kind = BLOCK; kind <= CUT_SPHERE; kind++) {
        random_source r = random_seed((uint64_t)kind);
        make_solid(&shared, &r, (solid_kind)kind);
        for (size_t i = 0; i < shared.face_count; i++)
            shared.defs[i].tolerance = 0.25 * shared.r;
        failing_allocator memory = {0};
        for (long fail_at = 1;; fail_at = next_failure(fail_at)) {
            memory = (failing_allocator){.fail_at = fail_at};
            shared.defs[0].allocator = failing_allocator_make(&memory);
            tact_report report;
            tact_shape *shape = tact_nurbs_create(shared.defs, shared.face_count, &report);
            const bool last = memory.calls < fail_at;
            assert_true(shape != NULL || report.status == TACT_OUT_OF_MEMORY);
            assert_true(shape != NULL || !last); /* some tables of meshes can be left out */
            tact_shape_release(shape);
            assert_int_equal(memory.held, 0);
            if (last)
                break;
        }
        shared.defs[0].allocator = (tact_allocator){0};
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids_have_no_cracks),
        cmocka_unit_test(folds_are_closed),
        cmocka_unit_test(containment_is_that_of_the_solid),
        cmocka_unit_test(errors_are_within_the_tolerance),
        cmocka_unit_test(moved_solids_are_as_new_ones),
        cmocka_unit_test(solids_do_not_touch_themselves),
        cmocka_unit_test(each_move_leaves_the_state_of_a_new_one),
        cmocka_unit_test(no_motion_is_refused),
        cmocka_unit_test(places_are_on_the_triangle),
        cmocka_unit_test(seams_may_be_named),
        cmocka_unit_test(tolerances_may_be_below_that_of_trimming),
        cmocka_unit_test(edges_that_do_not_fit_are_explained),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
