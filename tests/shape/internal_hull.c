/* Convex hulls of many kinds of point sets, checked against brute force over the input and against Qhull. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libqhull_r/libqhull_r.h>

#include "math/vec.h"
#include "shape/hull.h"
#include "support/failing_allocator.h"
#include "support/long_form.h"
#include "support/random.h"

#define U 0x1p-53

static const tact_allocator plain = {NULL, NULL};

/* A set of points under test, and the name and seed that repeat it. */
typedef struct cloud {
    const char *name;
    uint64_t seed;
    size_t count, capacity;
    tact_vec3 *at;
    double most;     /* largest absolute coordinate */
    bool borderline; /* as thick as its rounding, so that the tolerances are used to the full */
} cloud;

/* Hulls of each dimension in the whole run, and the worst errors in units of roundoff. */
static int seen[4], seen_merged, seen_tables, seen_polar, seen_simd;
static double worst_loss, worst_borderline, worst_outside;

static cloud cloud_make(const char *name, uint64_t seed) { return (cloud){name, seed, 0, 0, NULL, 0.0, false}; }

static void cloud_add(cloud *c, tact_vec3 p)
{
    if (c->count == c->capacity) {
        c->capacity = c->capacity * 2 + 64;
        c->at = realloc(c->at, c->capacity * sizeof *c->at);
        assert_non_null(c->at);
    }
    c->at[c->count++] = p;
}

static void cloud_free(cloud *c) { free(c->at); }

static void complain(const cloud *c, const char *what, double value, double limit)
{
    fail_msg("%s: hull of \"%s\", seed %llu, %zu points: %.17g, limit %.17g", what, c->name,
             (unsigned long long)c->seed, c->count, value, limit);
}

static void require(const cloud *c, bool condition, const char *what)
{
    if (!condition)
        complain(c, what, 0.0, 0.0);
}

static long double dot(tact_vec3 a, tact_vec3 b)
{
    return (long double)a.x * b.x + (long double)a.y * b.y + (long double)a.z * b.z;
}

/* One number after the other: the order of evaluation of arguments differs between compilers. */
static tact_vec3 random_in_box(random_source *r, double least, double most)
{
    tact_vec3 p;
    p.x = random_range(r, least, most);
    p.y = random_range(r, least, most);
    p.z = random_range(r, least, most);
    return p;
}

/* One unit of roundoff of the largest coordinate, along d. */
static long double unit_along(const cloud *c, tact_vec3 d)
{
    return U * (long double)c->most * (fabsl((long double)d.x) + fabsl((long double)d.y) + fabsl((long double)d.z));
}

/* One direction: the support vertex must be as far as any input point, up to the tolerance where points are coplanar up
 * to rounding, and 3 units for comparing rounded products. */
static void check_direction(const cloud *c, const hull *h, tact_vec3 d)
{
    uint32_t found = tact_hull_support(h, d);
    if (found >= h->vertex_count)
        complain(c, "support gives an index", found, h->vertex_count);
    long double reached = dot(d, h->vertices[found]), best = -HUGE_VALL;
    for (size_t i = 0; i < c->count; i++) {
        long double value = dot(d, c->at[i]);
        best = value > best ? value : best;
    }
    long double unit = unit_along(c, d);
    if (unit == 0.0L)
        return;
    double loss = (double)((best - reached) / unit);
    double *worst = c->borderline ? &worst_borderline : &worst_loss;
    double limit = c->borderline ? 14.0 : 9.0;
    *worst = fmax(*worst, loss);
    if (loss > limit)
        complain(c, "support falls short", loss, limit);
}

static void check_support(const cloud *c, const hull *h, random_source *r, int directions)
{
    for (int i = 0; i < directions; i++) {
        tact_vec3 d = random_direction(r);
        check_direction(c, h, d);
        /* along axes, in coordinate planes, on the boundaries of table cells */
        tact_vec3 p = random_in_box(r, -2.5, 2.5), whole = {round(p.x), round(p.y), round(p.z)};
        if (vec_length_squared(whole) > 0.0)
            check_direction(c, h, whole);
        /* perpendicular to faces and, nearly, to edges: where vertices tie */
        if (h->face_count > 0)
            check_direction(c, h, h->faces[random_below(r, h->face_count)].normal);
        if (h->vertex_count > 1) {
            uint32_t a = (uint32_t)random_below(r, h->vertex_count);
            uint32_t b = h->neighbours[h->first_neighbour[a]];
            tact_vec3 across = vec_cross(vec_normalize(vec_sub(h->vertices[a], h->vertices[b])), d);
            if (vec_length_squared(across) > 0.0)
                check_direction(c, h, across);
        }
        /* very unequal components */
        tact_vec3 e = random_in_box(r, -40.0, 0.0);
        tact_vec3 uneven = {ldexp(d.x, (int)e.x), ldexp(d.y, (int)e.y), ldexp(d.z, (int)e.z)};
        check_direction(c, h, uneven);
        /* so long or short that floats overflow, underflow, or lose digits */
        double length = ldexp(1.0, random_between(r, -300, 300));
        if (c->most < 1e100 && c->most > 1e-100) {
            check_direction(c, h, vec_scale(d, length));
            tact_vec3 p_inline = hull_support(h, vec_scale(d, length));
            uint32_t found = tact_hull_support(h, vec_scale(d, length));
            require(c, vec_equal(p_inline, h->vertices[found]), "support inline is the same");
            seen_simd += h->support_method == HULL_SUPPORT_SIMD;
        }
    }
    assert_true(tact_hull_support(h, vec_make(0.0, 0.0, 0.0)) < h->vertex_count);
}

static void check_neighbours(const cloud *c, const hull *h)
{
    require(c, h->first_neighbour[0] == 0 && h->first_neighbour[h->vertex_count] == h->neighbour_total,
            "neighbour ranges");
    for (uint32_t i = 0; i < h->vertex_count; i++) {
        uint32_t least = h->dimension < 3 ? (uint32_t)h->dimension : 2;
        require(c, h->first_neighbour[i + 1] - h->first_neighbour[i] >= least, "enough neighbours");
        for (uint32_t k = h->first_neighbour[i]; k < h->first_neighbour[i + 1]; k++) {
            uint32_t j = h->neighbours[k];
            bool back = false;
            require(c, j < h->vertex_count && j != i, "a neighbour is another corner");
            for (uint32_t m = h->first_neighbour[j]; m < h->first_neighbour[j + 1]; m++)
                back = back || h->neighbours[m] == i;
            require(c, back, "neighbours are mutual");
            for (uint32_t m = k + 1; m < h->first_neighbour[i + 1]; m++)
                require(c, h->neighbours[m] != j, "a neighbour is listed once");
        }
    }
    /* connected */
    uint32_t *stack = malloc(h->vertex_count * sizeof *stack), height = 0, reached = 0;
    bool *met = calloc(h->vertex_count, sizeof *met);
    assert_true(stack != NULL && met != NULL);
    stack[height++] = 0;
    met[0] = true;
    while (height > 0) {
        uint32_t i = stack[--height];
        reached++;
        for (uint32_t k = h->first_neighbour[i]; k < h->first_neighbour[i + 1]; k++) {
            if (!met[h->neighbours[k]]) {
                met[h->neighbours[k]] = true;
                stack[height++] = h->neighbours[k];
            }
        }
    }
    free(stack);
    free(met);
    require(c, reached == h->vertex_count, "all corners hang together");
}

/* The faces are convex, flat, counter-clockwise loops, and every point is inside every face. */
static void check_faces(const cloud *c, const hull *h)
{
    uint32_t used = 0, longest = 0;
    for (uint32_t f = 0; f < h->face_count; f++) {
        const hull_face *face = &h->faces[f];
        const uint32_t *loop = h->face_vertices + face->first_vertex;
        tact_vec3 n = face->normal;
        long double unit = unit_along(c, n);
        require(c, face->vertex_count >= 3, "a face has three corners");
        require(c, fabs(vec_length(n) - 1.0) < 1e-14, "normals are of unit length");
        used += face->vertex_count;
        longest = face->vertex_count > longest ? face->vertex_count : longest;
        for (uint32_t i = 0; i < face->vertex_count; i++) {
            require(c, loop[i] < h->vertex_count, "loops hold corners");
            long double below = ((long double)face->offset - dot(n, h->vertices[loop[i]])) / unit;
            if (below < -4.0L || below > 24.0L)
                complain(c, "corners of a face are in its plane", (double)below, 24.0);
            /* the vertex is not to the right of the line through its two neighbours along the loop */
            tact_vec3 a = h->vertices[loop[(i + face->vertex_count - 1) % face->vertex_count]],
                      b = h->vertices[loop[i]];
            tact_vec3 next = h->vertices[loop[(i + 1) % face->vertex_count]];
            if (c->most < 1e100 && c->most > 1e-100) {
                tact_vec3 cross = vec_cross(vec_sub(b, a), vec_sub(next, b));
                double slack = 64.0 * U * c->most * (vec_length(vec_sub(b, a)) + vec_length(vec_sub(next, b)));
                if (vec_dot(n, cross) < -slack)
                    complain(c, "loops are convex and counter-clockwise", vec_dot(n, cross), -slack);
            }
        }
        size_t step = c->count * (size_t)h->face_count > 20000000 ? 997 : 1;
        for (size_t i = f % step; i < c->count; i += step) {
            double outside = (double)((dot(n, c->at[i]) - (long double)face->offset) / unit);
            worst_outside = fmax(worst_outside, outside);
            if (outside > 24.0)
                complain(c, "all points are behind all faces", outside, 24.0);
        }
    }
    require(c, used == h->face_vertex_total, "loops fill their array");
    seen_merged += longest > 3;
    if (h->dimension == 2) {
        require(c, h->face_count == 2, "a flat hull has two faces");
        require(c, vec_equal(h->faces[0].normal, vec_negate(h->faces[1].normal)), "back to back");
        require(c, h->faces[0].vertex_count == h->vertex_count, "all around");
    }
    if (h->dimension == 3) {
        uint32_t euler = h->vertex_count + h->face_count - h->neighbour_total / 2;
        if (euler != 2)
            complain(c, "V - E + F", euler, 2.0);
    }
}

/* The hull extends to y divided by this from its centre. */
static long double most_across(const hull *h, tact_vec3 y)
{
    long double most = 0.0L;
    for (uint32_t f = 0; f < h->face_count; f++) {
        tact_vec3 n = h->faces[f].normal;
        long double behind = (long double)h->faces[f].offset - dot(n, h->centre), across = dot(n, y) / behind;
        most = across > most ? across : most;
    }
    return most;
}

/* The radius of each cell is that of the hull along the centre of the cell, up to its unit. */
static void check_cells(const cloud *c, const hull *h, random_source *r)
{
    const double part[3] = {0.8513, 0.4786, 0.2151};
    int i = random_between(r, 0, 2), j = (i + random_between(r, 1, 2)) % 3;
    double sign[3], reach = 0.0;
    for (int k = 0; k < 3; k++)
        sign[k] = random_between(r, 0, 1) ? 1.0 : -1.0;
    for (uint32_t k = 0; k < h->vertex_count; k++)
        reach = fmax(reach, vec_length(h->vertices[k]));
    tact_vec3 d = vec_make(sign[0] * part[i], sign[1] * part[j], sign[2] * part[3 - i - j]);
    uint32_t cell = hull_radial_cell(_mm_set_ps(0.0f, (float)d.z, (float)d.y, (float)d.x));
    double unit = h->radial_cell_unit * reach, stored = h->radial_cells[cell] * unit,
           truth = (double)(1.0L / most_across(h, d));
    double blur =
        6.0 * HULL_POLAR_ERROR * h->polar_max_component * h->polar_scale * truth; /* of polar vertices in floats */
    if (!(stored <= truth * (1.0 + 1e-12)))
        complain(c, "the table of reach tells of more than there is", stored, truth);
    if (!(stored >= truth / (1.0 + blur) - unit * (1.0 + 1e-12)))
        complain(c, "the table of reach tells of less than there is", stored, truth);
}

/* The hull extends from its centre as far as its polar vertices say: no less, and not much farther. */
static void check_planes(const cloud *c, const hull *h, random_source *r)
{
    require(c, h->polar_vertices == NULL || h->dimension == 3, "only what has an inside has planes");
    seen_polar += h->polar_vertices != NULL;
    for (int i = 0; i < 40 && h->polar_vertices != NULL; i++) {
        tact_vec3 y = vec_scale(random_direction(r), random_range(r, 0.1, 10.0) / h->polar_scale);
        double stored = hull_polar_support(h, y.x, y.y, y.z);
        long double true_most = most_across(h, y);
        check_cells(c, h, r);
        double slack = 3.0 * HULL_POLAR_ERROR * h->polar_max_component * vec_max_abs(y) * h->polar_scale;
        if (!(stored >= (double)true_most))
            complain(c, "planes tell of more than there is", stored, (double)true_most);
        if (!(stored <= (double)true_most + 2.0 * slack))
            complain(c, "planes tell of much less than there is", stored, (double)true_most + 2.0 * slack);
        /* The point there is no farther than the vertices, in any direction. */
        tact_vec3 p = vec_mul_add(h->centre, 1.0 / stored, y);
        for (int k = 0; k < 20; k++) {
            tact_vec3 n = random_direction(r);
            long double most = -HUGE_VALL;
            for (uint32_t j = 0; j < h->vertex_count; j++)
                most = fmaxl(most, dot(n, h->vertices[j]));
            double outside = (double)(dot(n, p) - most), limit = 16.0 * U * c->most;
            if (outside > limit)
                complain(c, "planes tell of a point outside", outside, limit);
        }
    }
}

static bool is_input(const cloud *c, tact_vec3 p)
{
    for (size_t i = 0; i < c->count; i++) {
        if (memcmp(&c->at[i], &p, sizeof p) == 0)
            return true;
    }
    return false;
}

/* -1: any. */
typedef struct expectation {
    int dimension, corners, faces;
} expectation;

static const expectation anything = {-1, -1, -1};

/* Makes the hull and checks all its properties. */
static void check(cloud *c, expectation e)
{
    for (size_t i = 0; i < c->count; i++)
        c->most = fmax(c->most, vec_max_abs(c->at[i]));
    tact_report report;
    random_source r = random_seed(c->seed + 77);
    hull *h = tact_hull_create(c->at, c->count, &plain, &report);
    if (h == NULL)
        fail_msg("hull of \"%s\", seed %llu: %s", c->name, (unsigned long long)c->seed, report.text);
    assert_int_equal(report.status, TACT_OK);
    require(c, h->dimension >= 0 && h->dimension <= 3, "dimension");
    seen[h->dimension]++;
    seen_tables += h->cells != NULL || h->support_method == HULL_SUPPORT_SIMD;
    if (e.dimension >= 0 && h->dimension != e.dimension)
        complain(c, "dimension", h->dimension, e.dimension);
    if (e.corners >= 0 && h->vertex_count != (uint32_t)e.corners)
        complain(c, "number of corners", h->vertex_count, e.corners);
    if (e.faces >= 0 && h->face_count != (uint32_t)e.faces)
        complain(c, "number of faces", h->face_count, e.faces);
    require(c, h->vertex_count >= (uint32_t)h->dimension + 1 && h->vertex_count <= c->count, "corners");
    require(c, h->dimension != 0 || h->vertex_count == 1, "one point has one corner");
    require(c, h->dimension != 1 || h->vertex_count == 2, "a segment has two corners");
    require(c, h->dimension >= 2 || h->face_count == 0, "no faces without a plane");
    for (uint32_t i = 0; i<h->vertex_count; i += c->count> 3000 ? 499 : 1)
        require(c, is_input(c, h->vertices[i]), "corners are input points");
    check_neighbours(c, h);
    check_faces(c, h);
    check_support(c, h, &r, c->count > 3000 ? 40 : 200);
    check_planes(c, h, &r);
    tact_hull_release(h, &plain);
}

/* ---- point sets ---- */

static tact_vec3 rotate(tact_quat q, tact_vec3 p)
{
    double s = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    tact_vec3 v = vec_make(q.x / s, q.y / s, q.z / s);
    tact_vec3 t = vec_scale(vec_cross(v, p), 2.0);
    return vec_add(vec_add(p, vec_scale(t, q.w / s)), vec_cross(v, t));
}

/* Scaled, rotated and translated. */
static void cloud_move(cloud *c, tact_vec3 stretch, const tact_quat *q, tact_vec3 to)
{
    for (size_t i = 0; i < c->count; i++) {
        tact_vec3 p = vec_make(c->at[i].x * stretch.x, c->at[i].y * stretch.y, c->at[i].z * stretch.z);
        c->at[i] = vec_add(q != NULL ? rotate(*q, p) : p, to);
    }
}

static void add_grid(cloud *c, int x, int y, int z)
{
    for (int i = 0; i < x; i++) {
        for (int j = 0; j < y; j++) {
            for (int k = 0; k < z; k++)
                cloud_add(c, vec_make(i - (x - 1) / 2.0, j - (y - 1) / 2.0, k - (z - 1) / 2.0));
        }
    }
}

static void add_sphere(cloud *c, random_source *r, int n)
{
    for (int i = 0; i < n; i++)
        cloud_add(c, random_direction(r));
}

static void add_box(cloud *c, random_source *r, int n)
{
    for (int i = 0; i < n; i++)
        cloud_add(c, random_in_box(r, -1.0, 1.0));
}

static void add_prism(cloud *c, int n, double height)
{
    for (int i = 0; i < n; i++) {
        double angle = 2.0 * 3.14159265358979323846 * i / n;
        cloud_add(c, vec_make(cos(angle), -height, sin(angle)));
        cloud_add(c, vec_make(cos(angle), height, sin(angle)));
    }
}

static void add_dodecahedron(cloud *c)
{
    double g = (1.0 + sqrt(5.0)) / 2.0;
    for (int i = 0; i < 8; i++)
        cloud_add(c, vec_make(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
    for (int i = 0; i < 4; i++) {
        double a = i & 1 ? 1 / g : -1 / g, b = i & 2 ? g : -g;
        cloud_add(c, vec_make(0, a, b));
        cloud_add(c, vec_make(a, b, 0));
        cloud_add(c, vec_make(b, 0, a));
    }
}

static void add_repeats_and_inside(cloud *c, random_source *r, int n)
{
    size_t count = c->count;
    for (int i = 0; i < n; i++) {
        cloud_add(c, c->at[random_below(r, count)]);
        tact_vec3 a = c->at[random_below(r, count)], b = c->at[random_below(r, count)];
        double t = random_unit(r);
        cloud_add(
            c, vec_make(0.9 * (a.x + t * (b.x - a.x)), 0.9 * (a.y + t * (b.y - a.y)), 0.9 * (a.z + t * (b.z - a.z))));
    }
}

static tact_vec3 one(double s) { return vec_make(s, s, s); }
static const tact_vec3 nowhere = {0.0, 0.0, 0.0};

static void random_points_at_every_scale_and_position(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 120; seed++) {
        random_source r = random_seed(seed);
        cloud c = cloud_make("random", seed);
        int n = random_between(&r, 4, seed % 10 == 9 ? 600 : 60);
        if (seed % 2 == 0)
            add_sphere(&c, &r, n);
        else
            add_box(&c, &r, n);
        static const double scales[6] = {1.0, 1e-300, 1e300, 1e-6, 1e6, 1.0};
        tact_quat q = random_rotation(&r);
        cloud_move(&c, one(scales[seed % 6]), &q, seed % 6 == 5 ? vec_make(1e7, -1e7, 3e6) : nowhere);
        check(&c, (expectation){3, -1, -1});
        cloud_free(&c);
    }
}

static void needles_and_plates_of_any_aspect(void **state)
{
    (void)state;
    int solid = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        random_source r = random_seed(seed);
        cloud c = cloud_make("needle or plate", seed);
        double thin = pow(10.0, -random_range(&r, 0.0, 16.0));
        add_sphere(&c, &r, random_between(&r, 4, 80));
        tact_quat q = random_rotation(&r);
        cloud_move(&c, seed % 2 ? vec_make(1.0, thin, thin) : vec_make(1.0, 1.0, thin), seed % 3 ? &q : NULL, nowhere);
        check(&c, anything);
        tact_report report;
        hull *h = tact_hull_create(c.at, c.count, &plain, &report);
        assert_non_null(h);
        solid += h->dimension == 3;
        if (seed % 3 == 0 && thin > 1e-12)
            require(&c, h->dimension == 3 && h->vertex_count == c.count, "thin is not flat");
        tact_hull_release(h, &plain);
        cloud_free(&c);
    }
    assert_true(solid >= 150);
}

static void rotated_boxes_have_six_faces(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        random_source r = random_seed(seed);
        cloud c = cloud_make("grid in a box", seed);
        int side = seed % 3 == 0 ? 10 : seed % 3 == 1 ? 5 : 3;
        add_grid(&c, side, side, side);
        tact_quat q = random_rotation(&r);
        double size = pow(10.0, random_range(&r, -3.0, 3.0));
        cloud_move(&c, vec_make(size, size * random_range(&r, 0.1, 1), size), seed > 2 ? &q : NULL,
                   seed % 4 == 3 ? vec_scale(random_direction(&r), 1e7) : nowhere);
        check(&c, (expectation){3, 8, 6});
        cloud_free(&c);
    }
}

static void repeated_and_inner_points_are_not_vertices(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        random_source r = random_seed(seed);
        cloud c = cloud_make("cube, repeated and inner points", seed);
        add_grid(&c, 2, 2, 2);
        add_repeats_and_inside(&c, &r, 50);
        check(&c, (expectation){3, 8, 6});
        cloud_free(&c);
        c = cloud_make("rotated cube, repeated and inner points", seed);
        add_grid(&c, 2, 2, 2);
        tact_quat q = random_rotation(&r);
        cloud_move(&c, one(1.0), &q, nowhere);
        add_repeats_and_inside(&c, &r, 50);
        check(&c, (expectation){3, 8, 6});
        cloud_free(&c);
    }
}

static void flat_points_give_a_polygon(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 90; seed++) {
        random_source r = random_seed(seed);
        cloud c = cloud_make("rotated square", seed);
        int kind = (int)(seed % 3), corners = 4;
        if (kind == 0) {
            add_grid(&c, 2, 2, 1);
        } else if (kind == 1) {
            c.name = "rotated square grid";
            add_grid(&c, 7, 7, 1);
        } else {
            c.name = "rotated disc";
            corners = -1;
            for (int i = random_between(&r, 3, 80); i > 0; i--) {
                tact_vec3 d = random_direction(&r);
                cloud_add(&c, vec_make(d.x, d.y, 0.0));
            }
        }
        tact_quat q = random_rotation(&r);
        static const double scales[5] = {1.0, 1e-300, 1e300, 1.0, 1e-8};
        cloud_move(&c, one(scales[seed % 5]), seed < 6 ? NULL : &q, seed % 5 == 3 ? vec_make(1e7, 2e6, -1e7) : nowhere);
        check(&c, (expectation){2, corners, 2});
        cloud_free(&c);
    }
}

static void collinear_points_give_a_segment(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        random_source r = random_seed(seed);
        cloud c = cloud_make("collinear", seed);
        tact_vec3 d = random_direction(&r), from = vec_scale(random_direction(&r), seed % 2 ? 1e3 : 0.5);
        for (int i = random_between(&r, 2, 50); i > 0; i--)
            cloud_add(&c, vec_mul_add(from, random_range(&r, -1, 1), d));
        static const double scales[3] = {1.0, 1e-300, 1e300};
        cloud_move(&c, one(scales[seed % 3]), NULL, nowhere);
        check(&c, (expectation){1, 2, 0});
        cloud_free(&c);
    }
}

static void equal_points_give_a_point(void **state)
{
    (void)state;
    static const double sizes[6] = {0.0, 1.0, 1e300, 1e-300, 5e-324, DBL_MAX / 4};
    for (uint64_t seed = 0; seed < 6; seed++) {
        cloud c = cloud_make("all the same", seed);
        for (int i = 0; i < (seed % 2 ? 1 : 1000); i++)
            cloud_add(&c, vec_make(sizes[seed], -sizes[seed] / 2, sizes[seed]));
        check(&c, (expectation){0, 1, 0});
        cloud_free(&c);
    }
}

static void platonic_and_other_solids(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 24; seed++) {
        random_source r = random_seed(seed);
        tact_quat q = random_rotation(&r);
        const tact_quat *turn = seed == 0 ? NULL : &q;
        tact_vec3 to = seed % 3 == 2 ? vec_make(100.0, 20.0, -5.0) : nowhere;
        cloud c = cloud_make("dodecahedron", seed);
        add_dodecahedron(&c);
        cloud_move(&c, one(1.0), turn, to);
        check(&c, (expectation){3, 20, 12});
        cloud_free(&c);
        int n = random_between(&r, 3, 60);
        c = cloud_make("prism", seed);
        add_prism(&c, n, random_range(&r, 0.1, 10.0));
        cloud_move(&c, one(1.0), turn, to);
        check(&c, (expectation){3, 2 * n, n + 2});
        cloud_free(&c);
        c = cloud_make("octahedron", seed);
        for (int i = 0; i < 6; i++)
            cloud_add(&c, vec_make(i == 0   ? 1
                                   : i == 1 ? -1
                                            : 0,
                                   i == 2   ? 1
                                   : i == 3 ? -1
                                            : 0,
                                   i == 4   ? 1
                                   : i == 5 ? -1
                                            : 0));
        cloud_move(&c, one(1.0), turn, to);
        check(&c, (expectation){3, 6, 8});
        cloud_free(&c);
    }
}

/* Points a few units of roundoff off a plane, a line or each other, so that the dimension is determined by rounding. */
static void points_flat_up_to_rounding(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        random_source r = random_seed(seed);
        cloud c = cloud_make("brink", seed);
        c.borderline = true;
        double noise = U * random_range(&r, 0.0, 40.0);
        int dimension = (int)(seed % 3);
        tact_quat q = random_rotation(&r);
        for (int i = random_between(&r, 3, 60); i > 0; i--) {
            tact_vec3 p = random_in_box(&r, -1.0, 1.0);
            p = rotate(q, vec_make(dimension > 0 ? p.x : 0.7, dimension > 1 ? p.y : 0.3, 0.0));
            cloud_add(&c, vec_mul_add(p, noise, random_direction(&r)));
        }
        check(&c, anything);
        cloud_free(&c);
    }
}

static void points_with_small_integer_coordinates(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        random_source r = random_seed(seed);
        cloud c = cloud_make("whole numbers", seed);
        int side = random_between(&r, 1, 6);
        for (int i = random_between(&r, 1, 80); i > 0; i--) {
            tact_vec3 p = random_in_box(&r, -0.5, side + 0.5);
            cloud_add(&c, vec_make(round(p.x), round(p.y), round(p.z)));
        }
        check(&c, anything);
        cloud_free(&c);
    }
}

static void coordinates_of_any_bits(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        random_source r = random_seed(seed);
        cloud c = cloud_make("any bits", seed);
        for (int i = random_between(&r, 1, 40); i > 0; i--) {
            tact_vec3 p;
            p.x = random_finite(&r);
            p.y = random_finite(&r);
            p.z = random_finite(&r);
            cloud_add(&c, vec_scale(p, 0x1p-4));
        }
        tact_report report;
        hull *h = tact_hull_create(c.at, c.count, &plain, &report);
        assert_non_null(h);
        check_neighbours(&c, h);
        tact_hull_release(h, &plain);
        cloud_free(&c);
    }
}

static void many_points(void **state)
{
    (void)state;
    random_source r = random_seed(1);
    const int many = (int)random_case_count(15000, 100000);
    cloud c = cloud_make("many on a sphere", 1);
    add_sphere(&c, &r, many);
    check(&c, (expectation){3, -1, -1});
    cloud_free(&c);
    c = cloud_make("many in a box", 1);
    add_box(&c, &r, many);
    check(&c, (expectation){3, -1, -1});
    cloud_free(&c);
    c = cloud_make("a cone of 5000 sides", 1);
    add_prism(&c, 5000, 0.0);
    cloud_add(&c, vec_make(0, 2, 0));
    check(&c, (expectation){3, 5001, 5001});
    cloud_free(&c);
    c = cloud_make("4000 on a parabola", 1);
    for (int i = 0; i < 4000; i++)
        cloud_add(&c, vec_make(i, i * (double)i, 0.0));
    check(&c, (expectation){2, 4000, 2});
    cloud_free(&c);
    c = cloud_make("2000 on a moment curve", 1);
    for (int i = 0; i < 2000; i++)
        cloud_add(&c, vec_make(i, i * (double)i, (double)i * i * i));
    check(&c, (expectation){3, 2000, -1});
    cloud_free(&c);
}

/* Qhull, an independent implementation, finds the same vertices and as many faces if nothing is degenerate. */
static void qhull_agrees(void **state)
{
    (void)state;
    FILE *quiet = tmpfile();
    assert_non_null(quiet);
    for (uint64_t seed = 0; seed < 60; seed++) {
        random_source r = random_seed(seed);
        cloud c = cloud_make("against Qhull", seed);
        int n = random_between(&r, 5, 400);
        if (seed % 2 == 0)
            add_sphere(&c, &r, n);
        else
            add_box(&c, &r, n);
        hull *h = tact_hull_create(c.at, c.count, &plain, NULL);
        assert_non_null(h);
        char options[] = "qhull Qt";
        double *numbers = malloc(3 * c.count * sizeof *numbers);
        assert_non_null(numbers);
        for (size_t i = 0; i < c.count; i++) {
            numbers[3 * i] = c.at[i].x;
            numbers[3 * i + 1] = c.at[i].y;
            numbers[3 * i + 2] = c.at[i].z;
        }
        qhT q;
        qh_zero(&q, quiet);
        int failed = qh_new_qhull(&q, 3, n, numbers, False, options, NULL, quiet);
        require(&c, failed == 0, "Qhull works");
        require(&c, (uint32_t)q.num_vertices == h->vertex_count, "Qhull finds as many corners");
        require(&c, (uint32_t)q.num_facets == h->face_count, "Qhull finds as many faces");
        for (vertexT *v = q.vertex_list; v != NULL && v->next != NULL; v = v->next) {
            tact_vec3 p = {v->point[0], v->point[1], v->point[2]};
            bool found = false;
            for (uint32_t i = 0; i < h->vertex_count; i++)
                found = found || vec_equal(h->vertices[i], p);
            require(&c, found, "Qhull's corners are ours");
        }
        int left, blocks;
        qh_freeqhull(&q, !qh_ALL);
        qh_memfreeshort(&q, &left, &blocks);
        free(numbers);
        tact_hull_release(h, &plain);
        cloud_free(&c);
    }
    (void)fclose(quiet);
}

/* ---- memory and bad input ---- */

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int kind = 0; kind < 7; kind++) {
        random_source r = random_seed((uint64_t)kind);
        cloud c = cloud_make("allocations", (uint64_t)kind);
        switch (kind) {
        case 0:
            cloud_add(&c, one(1.0));
            break;
        case 1:
            add_grid(&c, 5, 1, 1);
            break;
        case 2:
            add_grid(&c, 5, 5, 1);
            break;
        case 3:
            add_grid(&c, 4, 4, 4);
            break;
        case 4:
            add_sphere(&c, &r, 20);
            break;
        case 5:
            add_sphere(&c, &r, 200);
            break;
        default:
            add_sphere(&c, &r, 3000);
            break;
        }
        failing_allocator m = {0};
        tact_allocator counted = failing_allocator_make(&m);
        tact_report report;
        hull *h = tact_hull_create(c.at, c.count, &counted, &report);
        assert_non_null(h);
        assert_true(m.held > 0);
        tact_hull_release(h, &counted);
        assert_int_equal(m.held, 0);
        long total = m.calls;
        assert_true(total >= 5);
        for (long n = 0; n < total; n++) {
            m = (failing_allocator){.fail_from = n + 1};
            h = tact_hull_create(c.at, c.count, &counted, &report);
            if (h != NULL || m.held != 0 || report.status != TACT_OUT_OF_MEMORY || report.text[0] == '\0')
                fail_msg("allocation %ld of kind %d: %zu bytes left, status %d", n, kind, m.held, (int)report.status);
        }
        m = (failing_allocator){.fail_from = total + 1};
        h = tact_hull_create(c.at, c.count, &counted, NULL);
        assert_non_null(h);
        tact_hull_release(h, &counted);
        assert_int_equal(m.held, 0);
        cloud_free(&c);
    }
}

static void bad_points_are_refused(void **state)
{
    (void)state;
    static const double bad[3] = {NAN, INFINITY, -INFINITY};
    tact_report report;
    assert_null(tact_hull_create(NULL, 3, &plain, &report));
    assert_int_equal(report.status, TACT_BAD_ARGUMENT);
    tact_vec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    assert_null(tact_hull_create(points, 0, &plain, &report));
    assert_int_equal(report.status, TACT_BAD_ARGUMENT);
    assert_null(tact_hull_create(points, (size_t)1 << 40, &plain, &report));
    assert_int_equal(report.status, TACT_BAD_ARGUMENT);
    for (int i = 0; i < 15; i++) {
        for (int k = 0; k < 3; k++) {
            tact_vec3 copy[5];
            memcpy(copy, points, sizeof copy);
            double *number = i % 3 == 0 ? &copy[i / 3].x : i % 3 == 1 ? &copy[i / 3].y : &copy[i / 3].z;
            *number = bad[k];
            assert_null(tact_hull_create(copy, 5, &plain, &report));
            assert_int_equal(report.status, TACT_BAD_ARGUMENT);
            assert_true(report.text[0] != '\0');
            assert_null(tact_hull_create(copy, 5, &plain, NULL));
        }
    }
    tact_hull_release(NULL, &plain);
}

/* The radii of a hull are stored relative to its size: a tiny or huge hull has the same ones. */
static void radial_cells_do_not_depend_on_scale(void **state)
{
    (void)state;
    static const tact_vec3 corners[6] = {{1, 0, 0},  {-0.5, 0, 0},   {0, 0.75, 0},
                                         {0, -1, 0}, {0.25, 0, 0.5}, {0, 0.125, -1}};
    uint8_t cells[HULL_RADIAL_CELLS];
    for (int power = -300; power <= 300; power += 50) {
        tact_vec3 points[6];
        for (int i = 0; i < 6; i++)
            points[i] = vec_scale(corners[i], ldexp(1.0, power));
        tact_report report;
        hull *h = tact_hull_create(points, 6, &plain, &report);
        assert_non_null(h);
        assert_non_null(h->polar_vertices);
        if (power == -300)
            memcpy(cells, h->radial_cells, sizeof cells);
        assert_memory_equal(cells, h->radial_cells, sizeof cells);
        uint32_t sum = 0;
        for (uint32_t i = 0; i < HULL_RADIAL_CELLS; i++)
            sum += h->radial_cells[i] < 255;
        assert_true(sum > HULL_RADIAL_CELLS / 2);
        tact_hull_release(h, &plain);
    }
}

static void every_kind_was_tested(void **state)
{
    (void)state;
    print_message("hulls of dimension 0 to 3: %d %d %d %d; with merged faces %d, with a table %d, with planes %d\n",
                  seen[0], seen[1], seen[2], seen[3], seen_merged, seen_tables, seen_polar);
    print_message("in rounding units: support at most %.2f short, on the brink of being flat %.2f; points at most %.2f "
                  "outside a face\n",
                  worst_loss, worst_borderline, worst_outside);
    assert_true(seen[0] >= 5 && seen[1] >= 60 && seen[2] >= 100 && seen[3] >= 500);
    assert_true(seen_merged >= 200 && seen_tables >= 100 && seen_polar >= 300 && seen_simd >= 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_points_at_every_scale_and_position),
        cmocka_unit_test(needles_and_plates_of_any_aspect),
        cmocka_unit_test(rotated_boxes_have_six_faces),
        cmocka_unit_test(repeated_and_inner_points_are_not_vertices),
        cmocka_unit_test(flat_points_give_a_polygon),
        cmocka_unit_test(collinear_points_give_a_segment),
        cmocka_unit_test(equal_points_give_a_point),
        cmocka_unit_test(platonic_and_other_solids),
        cmocka_unit_test(points_flat_up_to_rounding),
        cmocka_unit_test(points_with_small_integer_coordinates),
        cmocka_unit_test(coordinates_of_any_bits),
        cmocka_unit_test(many_points),
        cmocka_unit_test(qhull_agrees),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(bad_points_are_refused),
        cmocka_unit_test(radial_cells_do_not_depend_on_scale),
        cmocka_unit_test(every_kind_was_tested),
    };
    return cmocka_run_group_tests_name("hull", tests, NULL, NULL);
}
