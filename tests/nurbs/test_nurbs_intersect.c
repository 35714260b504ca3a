/*
 * Intersection curves of NURBS surfaces, through the public API: closed forms, random sheets against the triangles of
 * dense grids, borders, seams, poles, trims, surfaces that touch, and failures.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <tact/mesh.h>
#include <tact/nurbs.h>

#include "oracle/nurbs_shapes.h"
#include "support/failing_allocator.h"
#include "support/nurbs_bodies.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/vec.h"

enum { MAX_CURVES = 64, MAX_NODES = 20000 };

#define PI 3.14159265358979323846

/* The answer of the last query. */
static tact_nurbs_intersection curves[MAX_CURVES];
static tact_nurbs_node nodes[MAX_NODES];

static tact_nurbs_intersect_result intersect(const tact_shape *a, tact_transform at_a, const tact_shape *b,
                                             tact_transform at_b)
{
    return tact_nurbs_intersect(a, at_a, b, at_b, NULL, curves, MAX_CURVES, nodes, MAX_NODES);
}

static tact_transform random_rotation_at(random_source *r, tact_vec3 origin)
{
    return tact_transform_make(origin, random_rotation(r), (tact_vec3){1.0, 1.0, 1.0});
}

static tact_vec3 placed(const tact_transform *at, tact_vec3 p) { return vec_add(vec_transform(at, p), at->origin); }

static double hermite(double x, double y, double dx, double dy, double h, double f)
{
    const double g = 1.0 - f;
    return g * g * (1.0 + 2.0 * f) * x + f * f * (1.0 + 2.0 * g) * y + h * f * g * (g * dx - f * dy);
}

static tact_vec3 point_between(const tact_nurbs_node *p, const tact_nurbs_node *q, double f)
{
    const double h = q->length - p->length;
    return vec_make(hermite(p->point.x, q->point.x, p->tangent.x, q->tangent.x, h, f),
                    hermite(p->point.y, q->point.y, p->tangent.y, q->tangent.y, h, f),
                    hermite(p->point.z, q->point.z, p->tangent.z, q->tangent.z, h, f));
}

static tact_vec3 surface_between(const tact_shape *shape, const tact_transform *at, const tact_nurbs_node *p,
                                 const tact_nurbs_node *q, double f, bool second)
{
    const double h = q->length - p->length;
    const tact_nurbs_location *x = second ? &p->location_b : &p->location_a,
                              *y = second ? &q->location_b : &q->location_a;
    const double *dx = second ? p->rate_b : p->rate_a, *dy = second ? q->rate_b : q->rate_a;
    tact_nurbs_def def;
    tact_vec3 point;
    assert_int_equal(x->surface, y->surface);
    assert_int_equal(tact_nurbs_get_surface(shape, x->surface, &def), TACT_OK);
    assert_int_equal(tact_nurbs_evaluate(&def, hermite(x->u, y->u, dx[0], dy[0], h, f),
                                         hermite(x->v, y->v, dx[1], dy[1], h, f), 0, &point),
                     TACT_OK);
    return placed(at, point);
}

/* Checks the last answer: nodes are on both surfaces, the curves are accurate between them. Returns the length. */
static double check_curves(uint64_t seed, const tact_nurbs_intersect_result *r, const tact_shape *a,
                           tact_transform at_a, const tact_shape *b, tact_transform at_b, double size)
{
    double length = 0.0;
    assert_true(r->curve_count <= MAX_CURVES && r->node_count <= MAX_NODES);
    for (size_t c = 0; c < r->curve_count; c++) {
        const tact_nurbs_node *p = nodes + curves[c].first_node;
        const size_t count = curves[c].node_count;
        CHECK((curves[c].begin == TACT_NURBS_END_CLOSED) == (curves[c].end == TACT_NURBS_END_CLOSED), "curve %zu", c);
        if (curves[c].begin == TACT_NURBS_END_CLOSED)
            CHECK(vec_length(vec_sub(p[0].point, p[count - 1].point)) < 1e-7 * size, "curve %zu is not closed", c);
        for (size_t i = 0; i + 1 < count; i++)
            for (int k = 0; k <= 8; k++) {
                const double f = 0.125 * k, wanted = k == 0 || k == 8 ? 1e-9 * size : 1.5e-6 * size;
                if (!(p[i + 1].length > p[i].length)) {
                    CHECK(vec_length(vec_sub(p[i].point, p[i + 1].point)) < 1e-9 * size, "curve %zu has a gap", c);
                    continue;
                }
                const tact_vec3 x = point_between(&p[i], &p[i + 1], f);
                const double off_a = vec_length(vec_sub(surface_between(a, &at_a, &p[i], &p[i + 1], f, false), x)),
                             off_b = vec_length(vec_sub(surface_between(b, &at_b, &p[i], &p[i + 1], f, true), x));
                CHECK(off_a < wanted && off_b < wanted, "curve %zu is %g and %g off", c, off_a, off_b);
            }
        length += p[count - 1].length;
    }
    return length;
}

/* The distance of a point from the curves. */
static double distance_from_curves(const tact_nurbs_intersect_result *r, tact_vec3 x)
{
    double least = INFINITY;
    for (size_t c = 0; c < r->curve_count; c++) {
        const tact_nurbs_node *p = nodes + curves[c].first_node;
        for (size_t i = 0; i + 1 < curves[c].node_count; i++) {
            const double h = p[i + 1].length - p[i].length;
            if (vec_length(vec_sub(x, p[i].point)) > least + 2.0 * h)
                continue;
            double f = 0.5;
            for (int k = 0; k < 8; k++) {
                const tact_vec3 at = point_between(&p[i], &p[i + 1], f);
                least = fmin(least, vec_length(vec_sub(x, at)));
                const tact_vec3 chord = vec_sub(p[i + 1].point, p[i].point);
                f += h > 0.0 ? vec_dot(vec_sub(x, at), chord) / vec_dot(chord, chord) : 0.0;
                f = fmin(fmax(f, 0.0), 1.0);
            }
        }
        least = fmin(least, vec_length(vec_sub(x, p[0].point)));
    }
    return least;
}

/* ---- closed forms ---- */

static void curves_have_closed_forms(void **state)
{
    (void)state;
    static nurbs_shape_data one, small, tube, ring;
    nurbs_shape_sphere(&one, 1.0);
    nurbs_shape_sphere(&small, 0.7);
    nurbs_shape_cylinder(&tube, 0.6, 3.0);
    nurbs_shape_torus(&ring, 2.0, 0.5);
    tact_shape *s = tact_nurbs(&one.def), *t = tact_nurbs(&small.def), *c = tact_nurbs(&tube.def),
               *o = tact_nurbs(&ring.def);
    int kinds[4] = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed(30); seed++) {
        /* in case 800 a curve leaves a patch and comes back, in case 150 its steps become ever shorter */
        random_source r = random_seed(seed == 30 ? 800 : seed == 29 ? 150 : seed);
        const tact_transform frame = random_rotation_at(&r, vec_scale(random_direction(&r), 3.0));
        /* two spheres: a circle, or nothing */
        const double d = random_range(&r, 0.2, 1.9);
        const tact_vec3 along = random_direction(&r);
        const tact_transform other = random_rotation_at(&r, vec_mul_add(frame.origin, d, along));
        tact_nurbs_intersect_result x = intersect(s, frame, t, other);
        const double foot = (d * d + 1.0 - 0.49) / (2.0 * d), square = 1.0 - foot * foot;
        if (fabs(square) > 1e-3) {
            CHECK(x.status == TACT_OK && x.curve_count == (square > 0.0), "%d %zu, square %g, unresolved %zu work %zu",
                  (int)x.status, x.curve_count, square, x.unresolved, x.work);
            const double length = check_curves(seed, &x, s, frame, t, other, 1.0);
            CHECK(square < 0.0 || fabs(length - 2.0 * PI * sqrt(square)) < 2e-5, "length %.9g", length);
            CHECK(square < 0.0 || curves[0].begin == TACT_NURBS_END_CLOSED, "not closed");
            kinds[square > 0.0]++;
        }
        /* cylinders with perpendicular axes that meet: two loops on the thinner one */
        const tact_transform upright =
            tact_transform_make(frame.origin, (tact_quat){0.0, 0.0, 0.0, 1.0}, (tact_vec3){1.0, 1.0, 1.0});
        const tact_transform lying =
            tact_transform_make(frame.origin, (tact_quat){sqrt(0.5), 0.0, 0.0, sqrt(0.5)}, (tact_vec3){0.5, 0.5, 1.0});
        x = intersect(c, upright, c, lying);
        CHECK(x.status == TACT_OK && x.curve_count == 2, "%d %zu", (int)x.status, x.curve_count);
        (void)check_curves(seed, &x, c, upright, c, lying, 3.0);
        for (size_t i = 0; i < x.node_count; i++) {
            const tact_vec3 p = vec_sub(nodes[i].point, frame.origin);
            CHECK(fabs(hypot(p.x, p.y) - 0.6) < 1e-9 && fabs(hypot(p.x, p.z) - 0.3) < 1e-9, "node %zu", i);
        }
        /* a plane across the axis of a torus: two circles */
        nurbs_body sheet = nurbs_body_sheet(1, 2, 2, 0.1);
        tact_shape *plane = tact_nurbs(&sheet.defs[0]);
        const double height = random_range(&r, -0.45, 0.45);
        const tact_transform flat = tact_transform_make((tact_vec3){-4.0, -4.0, height},
                                                        (tact_quat){0.0, 0.0, 0.0, 1.0}, (tact_vec3){8.0, 8.0, 1.0});
        x = intersect(o, tact_identity(), plane, flat);
        CHECK(x.status == TACT_OK && x.curve_count == 2, "%d %zu", (int)x.status, x.curve_count);
        const double length = check_curves(seed, &x, o, tact_identity(), plane, flat, 4.0);
        CHECK(fabs(length - 8.0 * PI) < 1e-4, "length %.9g", length);
        kinds[2]++;
        tact_shape_release(plane);
        nurbs_body_free(&sheet);
    }
    assert_true(few_cases() || (kinds[0] >= 2 && kinds[1] >= 15 && kinds[2] >= 30));
    tact_shape_release(s), tact_shape_release(t), tact_shape_release(c), tact_shape_release(o);
}

/* ---- random sheets ---- */

enum { GRID = 24 };

static tact_shape *grid_of(const tact_nurbs_def *def)
{
    static tact_vec3 vertices[(GRID + 1) * (GRID + 1)];
    static uint32_t triangles[2 * GRID * GRID][3];
    for (int i = 0; i <= GRID; i++)
        for (int j = 0; j <= GRID; j++) {
            const double *k = def->knots[0], *l = def->knots[1];
            const double u0 = k[def->degree[0]], u1 = k[def->counts[0]], v0 = l[def->degree[1]], v1 = l[def->counts[1]];
            assert_int_equal(tact_nurbs_evaluate(def, u0 + (u1 - u0) * i / GRID, v0 + (v1 - v0) * j / GRID, 0,
                                                 &vertices[i * (GRID + 1) + j]),
                             TACT_OK);
        }
    for (uint32_t i = 0, n = 0; i < GRID; i++)
        for (uint32_t j = 0; j < GRID; j++) {
            const uint32_t a = i * (GRID + 1) + j, b = a + GRID + 1;
            const uint32_t two[2][3] = {{a, b, b + 1}, {a, b + 1, a + 1}};
            memcpy(triangles[n], two, sizeof two);
            n += 2;
        }
    return tact_mesh(vertices, (size_t)(GRID + 1) * (GRID + 1), triangles[0], (size_t)2 * GRID * GRID);
}

/* From a point near both surfaces to a common one: tangent planes at the closest points. */
static bool common_point(const tact_shape *shape[2], const tact_transform at[2], tact_vec3 *p)
{
    for (int step = 0; step < 20; step++) {
        tact_vec3 n[2];
        double rest[2];
        for (int i = 0; i < 2; i++) {
            const tact_closest c = tact_shape_closest(shape[i], at[i], *p);
            n[i] = c.normal;
            rest[i] = vec_dot(n[i], vec_sub(c.point, *p));
            if (vec_length(vec_sub(c.point, *p)) > 0.5)
                return false;
            if (i == 1 && fabs(rest[0]) < 1e-10 && fabs(rest[1]) < 1e-10)
                return vec_length(vec_sub(c.point, *p)) < 1e-9;
        }
        const double dot = vec_dot(n[0], n[1]), square = 1.0 - dot * dot;
        if (square < 1e-4)
            return false;
        const double x = (rest[0] - dot * rest[1]) / square, y = (rest[1] - dot * rest[0]) / square;
        *p = vec_mul_add(vec_mul_add(*p, x, n[0]), y, n[1]);
    }
    return false;
}

static void random_sheets_agree_with_dense_triangles(void **state)
{
    (void)state;
    static nurbs_shape_data data[2];
    static tact_intersection segments[4096];
    int checked = 0, with_curves = 0, without = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(24); seed++) {
        random_source r = random_seed(seed);
        const tact_shape *shape[2];
        tact_shape *grid[2];
        tact_transform at[2];
        for (int i = 0; i < 2; i++) {
            nurbs_shape_random(&data[i], &r, random_between(&r, 2, 4), 8, 0.5, random_chance(&r, 0.5));
            shape[i] = tact_nurbs(&data[i].def);
            grid[i] = grid_of(&data[i].def);
            at[i] = random_rotation_at(&r, vec_scale(random_direction(&r), 1.2 * random_unit(&r)));
            assert_true(shape[i] != NULL && grid[i] != NULL);
        }
        const tact_nurbs_intersect_result x = intersect(shape[0], at[0], shape[1], at[1]);
        CHECK(x.status == TACT_OK, "status %d, %zu unresolved", (int)x.status, x.unresolved);
        const double length = check_curves(seed, &x, shape[0], at[0], shape[1], at[1], 1.5);
        const tact_intersections found = tact_shapes_intersections(grid[0], at[0], grid[1], at[1], segments, 4096);
        assert_int_equal(found.status, TACT_OK);
        for (size_t i = 0; i < found.count; i += 5) {
            tact_vec3 p = vec_scale(vec_add(segments[i].from, segments[i].to), 0.5);
            if (!common_point(shape, at, &p))
                continue;
            CHECK(distance_from_curves(&x, p) < 1e-5, "no curve at (%g, %g, %g)", p.x, p.y, p.z);
            checked++;
        }
        with_curves += x.curve_count > 0;
        without += x.curve_count == 0;
        /* B against A: the same curves */
        const tact_nurbs_intersect_result y = intersect(shape[1], at[1], shape[0], at[0]);
        const double again = check_curves(seed, &y, shape[1], at[1], shape[0], at[0], 1.5);
        CHECK(y.status == TACT_OK && y.curve_count == x.curve_count && fabs(again - length) < 1e-4, "%zu %zu, %g %g",
              x.curve_count, y.curve_count, length, again);
        for (int i = 0; i < 2; i++)
            tact_shape_release((tact_shape *)(uintptr_t)shape[i]), tact_shape_release(grid[i]);
    }
    if (first_seed() != last_seed(24))
        assert_true(few_cases() || (checked >= 200 && with_curves >= 10 && without >= 1));
}

/* ---- seams, edges, poles, trims ---- */

/* A cube of six curved surfaces and a sphere: curves cross the edges. */
static void curves_cross_edges(void **state)
{
    (void)state;
    static nurbs_shape_data ball;
    nurbs_shape_sphere(&ball, 0.8);
    nurbs_body body = nurbs_body_cube(3, 5, 0.1, 0.02);
    tact_shape *cube = tact_nurbs_create(body.defs, (size_t)body.count, NULL), *sphere = tact_nurbs(&ball.def);
    assert_true(cube != NULL && sphere != NULL);
    int crossings = 0, found = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(20); seed++) {
        random_source r = random_seed(seed);
        const tact_transform at = random_rotation_at(&r, vec_scale(random_direction(&r), random_range(&r, 0.6, 1.4)));
        const tact_nurbs_intersect_result x = intersect(cube, tact_identity(), sphere, at);
        CHECK(x.status == TACT_OK, "status %d, %zu unresolved, work %zu", (int)x.status, x.unresolved, x.work);
        (void)check_curves(seed, &x, cube, tact_identity(), sphere, at, 1.0);
        for (size_t c = 0; c < x.curve_count; c++) {
            CHECK(curves[c].begin == TACT_NURBS_END_CLOSED, "curve %zu ends", c);
            for (size_t i = 1; i < curves[c].node_count; i++) {
                const tact_nurbs_node *p = nodes + curves[c].first_node + i;
                crossings += p->location_a.surface != p[-1].location_a.surface;
            }
            found++;
        }
    }
    assert_true(few_cases() || (found >= 15 && crossings >= 20));
    tact_shape_release(cube), tact_shape_release(sphere);
    nurbs_body_free(&body);
}

/* A plane through the common side of patches: the curve runs along it. */
static void curves_run_along_sides(void **state)
{
    (void)state;
    nurbs_body body = nurbs_body_sheet(2, 6, 6, 0.01), flat = nurbs_body_sheet(1, 2, 2, 0.01);
    tact_shape *sheet = tact_nurbs(&body.defs[0]), *plane = tact_nurbs(&flat.defs[0]);
    assert_true(sheet != NULL && plane != NULL);
    tact_vec3 on; /* a point of the side */
    assert_int_equal(tact_nurbs_evaluate(&body.defs[0], body.defs[0].knots[0][4], 0.0, 0, &on), TACT_OK);
    for (uint64_t seed = first_seed(); seed <= last_seed(10); seed++) {
        random_source r = random_seed(seed);
        const tact_transform at = random_rotation_at(&r, random_direction(&r));
        /* the plane x = on.x of the sheet: its x axis upwards, its y axis along y, larger than the sheet */
        tact_transform across = at;
        across.x_axis = vec_scale(at.z_axis, 2.0);
        across.y_axis = vec_scale(at.y_axis, 2.0);
        across.z_axis = at.x_axis;
        across.origin = placed(&at, (tact_vec3){on.x, -0.5, -1.0});
        const tact_nurbs_intersect_result x = intersect(sheet, at, plane, across);
        CHECK(x.status == TACT_OK && x.curve_count == 1, "status %d, %zu curves, %zu unresolved", (int)x.status,
              x.curve_count, x.unresolved);
        const double length = check_curves(seed, &x, sheet, at, plane, across, 1.0);
        CHECK(fabs(length - 1.0) < 1e-6, "length %.9g", length);
    }
    tact_shape_release(sheet), tact_shape_release(plane);
    nurbs_body_free(&body), nurbs_body_free(&flat);
}

static void curves_end_at_poles(void **state)
{
    (void)state;
    static nurbs_shape_data ball;
    nurbs_shape_sphere(&ball, 1.0);
    nurbs_body sheet = nurbs_body_sheet(1, 2, 2, 0.1);
    tact_shape *sphere = tact_nurbs(&ball.def), *plane = tact_nurbs(&sheet.defs[0]);
    const double half = 0.5 * PI;
    for (int i = 0; i < 3; i++) { /* planes through the axis, one of them at knots */
        const tact_quat turned = {sin(half / 2) * cos(0.2 * i), sin(half / 2) * sin(0.2 * i), 0.0, cos(half / 2)};
        const tact_transform turn = tact_transform_make((tact_vec3){0.0, 0.0, 0.0}, turned, (tact_vec3){4.0, 4.0, 1.0});
        const tact_transform at = tact_transform_compose(turn, tact_at(-0.5, -0.5, 0.0));
        const tact_nurbs_intersect_result x = intersect(sphere, tact_identity(), plane, at);
        const uint64_t seed = (uint64_t)i;
        CHECK(x.status == TACT_OK, "status %d, %zu unresolved, work %zu", (int)x.status, x.unresolved, x.work);
        const double length = check_curves(seed, &x, sphere, tact_identity(), plane, at, 2.0);
        CHECK(fabs(length - 2.0 * PI) < 1e-4, "length %.9g", length);
    }
    tact_shape_release(sphere), tact_shape_release(plane);
    nurbs_body_free(&sheet);
}

/* Two equal cylinders: two ellipses that cross twice. */
static void curves_cross_each_other(void **state)
{
    (void)state;
    static nurbs_shape_data tube;
    nurbs_shape_cylinder(&tube, 1.0, 3.0);
    tact_shape *c = tact_nurbs(&tube.def);
    for (int i = 0; i < 3; i++) {
        const double angle = 0.25 * PI, lean = 0.1 * (i + 1);
        const tact_quat turned = {sin(angle) * cos(lean), sin(angle) * sin(lean), 0.0, cos(angle)};
        const tact_transform at = tact_transform_make((tact_vec3){0.0, 0.0, 0.0}, turned, (tact_vec3){1.0, 1.0, 1.0});
        const tact_nurbs_intersect_result x = intersect(c, tact_identity(), c, at);
        const uint64_t seed = (uint64_t)i;
        CHECK(x.status == TACT_OK, "status %d, %zu unresolved, work %zu", (int)x.status, x.unresolved, x.work);
        const double length = check_curves(seed, &x, c, tact_identity(), c, at, 3.0);
        CHECK(fabs(length - 15.2808) < 1e-3, "length %.9g", length);
    }
    tact_shape_release(c);
}

/* A cylinder through a square whose half is trimmed away, and through one with a hole. */
static void curves_are_trimmed(void **state)
{
    (void)state;
    static nurbs_shape_data tube;
    nurbs_shape_cylinder(&tube, 0.25, 1.0);
    static const double knots[4] = {0, 0, 1, 1};
    static const tact_vec3 points[4] = {{-1, -1, 0}, {-1, 1, 0}, {1, -1, 0}, {1, 1, 0}};
    static const double corner[5][2] = {{0, 0}, {0.5, 0}, {0.5, 1}, {0, 1}, {0, 0}};
    tact_nurbs_curve sides[4];
    for (int i = 0; i < 4; i++)
        sides[i] = (tact_nurbs_curve){.degree = 1, .count = 2, .knots = knots, .points = &corner[i]};
    const tact_nurbs_loop loop = {sides, 4};
    const tact_nurbs_def def = {
        .degree = {1, 1}, .counts = {2, 2}, .knots = {knots, knots}, .points = points, .trims = &loop, .trim_count = 1};
    tact_shape *half = tact_nurbs(&def), *c = tact_nurbs(&tube.def);
    assert_true(half != NULL && c != NULL);
    for (int i = -9; i <= 9; i++) {
        const double x = 0.1 * i;
        if (x + 0.25 > 0.99 || x - 0.25 < -0.99)
            continue;
        const tact_transform at = tact_at(x, 0.13, 0.2);
        const tact_nurbs_intersect_result r = intersect(half, tact_identity(), c, at);
        const uint64_t seed = (uint64_t)(i + 9);
        CHECK(r.status == TACT_OK, "status %d", (int)r.status);
        const double length = check_curves(seed, &r, half, tact_identity(), c, at, 1.0);
        const double part = x < -0.25 ? 2.0 * PI : x > 0.25 ? 0.0 : 2.0 * acos(x / 0.25);
        CHECK(fabs(length - 0.25 * part) < 1e-4, "x %g: length %.9g, not %.9g", x, length, 0.25 * part);
        CHECK(r.curve_count >= (part > 0.0) && r.curve_count <= 2, "%zu curves", r.curve_count);
    }
    tact_shape_release(half), tact_shape_release(c);
}

/* A plane through a square with narrow slots. The curve is straight, so that slots are between its nodes. */
static void slots_cut_a_line(void **state)
{
    (void)state;
    enum { SLOTS = 6 };
    static const double knots[4] = {0, 0, 1, 1};
    static const tact_vec3 points[4] = {{-1, -1, 0}, {-1, 1, 0}, {1, -1, 0}, {1, 1, 0}};
    static const tact_vec3 wall[4] = {{-2, 0.1, -1}, {-2, 0.1, 1}, {2, 0.1, -1}, {2, 0.1, 1}};
    tact_nurbs_curve sides[SLOTS][4];
    tact_nurbs_loop loops[SLOTS + 1];
    double corner[SLOTS + 1][5][2];
    const double outer[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
    tact_nurbs_curve border[4];
    for (int i = 0; i < 4; i++)
        border[i] = (tact_nurbs_curve){.degree = 1, .count = 2, .knots = knots, .points = &outer[i]};
    loops[0] = (tact_nurbs_loop){border, 4};
    double cut = 0.0;
    for (int k = 0; k < SLOTS; k++) {
        const double u = 0.07 + 0.15 * k, width = 0.02 + 0.005 * k;
        const double at[5][2] = {{u, 0.3}, {u, 0.8}, {u + width, 0.8}, {u + width, 0.3}, {u, 0.3}};
        memcpy(corner[k], at, sizeof at);
        for (int i = 0; i < 4; i++)
            sides[k][i] = (tact_nurbs_curve){
                .degree = 1, .count = 2, .knots = knots, .points = (const double(*)[2])(const void *)&corner[k][i]};
        loops[k + 1] = (tact_nurbs_loop){sides[k], 4};
        cut += 2.0 * width;
    }
    const tact_nurbs_def def = {.degree = {1, 1},
                                .counts = {2, 2},
                                .knots = {knots, knots},
                                .points = points,
                                .trims = loops,
                                .trim_count = SLOTS + 1};
    const tact_nurbs_def plane = {.degree = {1, 1}, .counts = {2, 2}, .knots = {knots, knots}, .points = wall};
    tact_shape *a = tact_nurbs(&def), *b = tact_nurbs(&plane);
    assert_true(a != NULL && b != NULL);
    const tact_nurbs_intersect_result r = intersect(a, tact_identity(), b, tact_identity());
    assert_int_equal(r.status, TACT_OK);
    const double length = check_curves(0, &r, a, tact_identity(), b, tact_identity(), 1.0);
    if (r.curve_count != SLOTS + 1 || fabs(length - (2.0 - cut)) > 1e-4)
        fail_msg("%zu curves of length %.9g, not %.9g", r.curve_count, length, 2.0 - cut);
    tact_shape_release(a), tact_shape_release(b);
}

/* ---- touching, coinciding, bad input ---- */

static void surfaces_touch_and_coincide(void **state)
{
    (void)state;
    static nurbs_shape_data ball;
    nurbs_shape_sphere(&ball, 1.0);
    tact_shape *s = tact_nurbs(&ball.def);
    for (uint64_t seed = first_seed(); seed <= last_seed(10); seed++) {
        random_source r = random_seed(seed);
        const tact_vec3 along = random_direction(&r);
        const tact_transform at = random_rotation_at(&r, vec_scale(along, 2.0));
        const tact_transform here = random_rotation_at(&r, (tact_vec3){0.0, 0.0, 0.0});
        const tact_nurbs_intersect_result x = intersect(s, here, s, at);
        CHECK(x.status == TACT_OK, "status %d, %zu unresolved", (int)x.status, x.unresolved);
        for (size_t i = 0; i < x.node_count; i++)
            CHECK(vec_length(vec_sub(nodes[i].point, along)) < 1e-4, "a node at (%g, %g, %g)", nodes[i].point.x,
                  nodes[i].point.y, nodes[i].point.z);
        const tact_transform apart = random_rotation_at(&r, vec_scale(along, 2.0 + 1e-5));
        const tact_nurbs_intersect_result y = intersect(s, here, s, apart);
        CHECK(y.status == TACT_OK && y.curve_count == 0, "apart: %d, %zu curves", (int)y.status, y.curve_count);
    }
    const tact_nurbs_intersect_def few = {.max_work = 2000};
    const tact_nurbs_intersect_result x =
        tact_nurbs_intersect(s, tact_identity(), s, tact_identity(), &few, curves, MAX_CURVES, nodes, MAX_NODES);
    assert_true(x.status == TACT_NOT_CONVERGED && x.unresolved > 0 && x.work <= 2001);
    tact_shape_release(s);
}

/* Circles of two nested spheres in a plane are closer than the accuracy. Each is found. In few cases (seed 85) the
 * search cannot prove that these are all. */
static void parallel_curves_are_distinct(void **state)
{
    (void)state;
    static nurbs_shape_data outer, inner, sheet;
    nurbs_shape_sphere(&outer, 1.0);
    nurbs_shape_sphere(&inner, 0.985);
    nurbs_shape_sphere(&sheet, 1.5);
    const tact_nurbs_def both[2] = {outer.def, inner.def};
    tact_shape *pipe = tact_nurbs_create(both, 2, NULL), *cut = tact_nurbs(&sheet.def);
    const tact_nurbs_intersect_def coarse = {.accuracy = 0.01};
    uint64_t unproved = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(10); seed++) {
        random_source r = random_seed(seed);
        const tact_transform here = random_rotation_at(&r, (tact_vec3){0.0, 0.0, 0.0}),
                             there = random_rotation_at(&r, vec_scale(random_direction(&r), 1.6));
        const tact_nurbs_intersect_result x =
            tact_nurbs_intersect(pipe, here, cut, there, &coarse, curves, MAX_CURVES, nodes, MAX_NODES);
        CHECK((x.status == TACT_OK || x.status == TACT_NOT_CONVERGED) && x.curve_count == 2, "status %d, %zu curves",
              (int)x.status, x.curve_count);
        unproved += x.status != TACT_OK;
    }
    assert_true(few_cases() || 100 * unproved <= last_seed(10));
    tact_shape_release(pipe);
    tact_shape_release(cut);
}

static void failures_have_a_status(void **state)
{
    (void)state;
    static nurbs_shape_data ball;
    failing_allocator memory = {0};
    nurbs_shape_sphere(&ball, 1.0);
    ball.def.allocator = failing_allocator_make(&memory);
    tact_shape *s = tact_nurbs(&ball.def), *plain = tact_sphere(1.0);
    assert_non_null(s);
    const tact_transform here = tact_identity(), there = tact_at(1.1, 0.4, 0.3);
    const tact_nurbs_intersect_def bad[4] = {
        {.accuracy = -1.0}, {.accuracy = NAN}, {.resolution = INFINITY}, {.resolution = -1.0}};
    for (int i = 0; i < 4; i++)
        assert_int_equal(tact_nurbs_intersect(s, here, s, there, &bad[i], NULL, 0, NULL, 0).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_nurbs_intersect(NULL, here, s, there, NULL, NULL, 0, NULL, 0).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_nurbs_intersect(s, here, plain, there, NULL, NULL, 0, NULL, 0).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_nurbs_intersect(s, here, s, there, NULL, NULL, 1, NULL, 0).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_nurbs_intersect(s, here, s, tact_at(NAN, 0.0, 0.0), NULL, NULL, 0, NULL, 0).status,
                     TACT_BAD_ARGUMENT);
    const tact_nurbs_intersect_result size = tact_nurbs_intersect(s, here, s, there, NULL, NULL, 0, NULL, 0);
    assert_true(size.status == TACT_OUT_OF_MEMORY && size.curve_count == 1 && size.node_count > 10);
    const tact_nurbs_intersect_result full =
        tact_nurbs_intersect(s, here, s, there, NULL, curves, size.curve_count, nodes, size.node_count);
    assert_true(full.status == TACT_OK && full.node_count == size.node_count);
    const tact_nurbs_intersect_def short_of_nodes = {.max_nodes = 8};
    assert_int_equal(
        tact_nurbs_intersect(s, here, s, there, &short_of_nodes, curves, MAX_CURVES, nodes, MAX_NODES).status,
        TACT_NOT_CONVERGED);
    const size_t held = memory.held;
    int failures = 0;
    for (long at = 1;; at++) {
        memory.calls = 0;
        memory.fail_at = at;
        const tact_status status = intersect(s, here, s, there).status;
        assert_true(memory.held == held);
        if (memory.calls < at) {
            assert_int_equal(status, TACT_OK);
            break;
        }
        assert_int_equal(status, TACT_OUT_OF_MEMORY);
        failures++;
    }
    assert_true(failures >= 20);
    memory.fail_at = 0;
    tact_shape_release(s), tact_shape_release(plain);
    assert_true(memory.held == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_have_closed_forms),    cmocka_unit_test(random_sheets_agree_with_dense_triangles),
        cmocka_unit_test(curves_cross_edges),          cmocka_unit_test(curves_end_at_poles),
        cmocka_unit_test(curves_run_along_sides),      cmocka_unit_test(curves_cross_each_other),
        cmocka_unit_test(curves_are_trimmed),          cmocka_unit_test(slots_cut_a_line),
        cmocka_unit_test(surfaces_touch_and_coincide), cmocka_unit_test(parallel_curves_are_distinct),
        cmocka_unit_test(failures_have_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
