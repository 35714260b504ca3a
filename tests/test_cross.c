/*
 * The segments in which surfaces meet, against brute force over all pairs of triangles (the exact predicate), long
 * double for where they are, lengths that geometry gives, and loops that must close.
 *
 * A failure prints the number of its case: TACT_TEST_SEED=n runs that case alone.
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
#include "narrow/triangle.h"
#include "oracle/zoo.h"
#include "shape/shape_data.h"

static zoo_mesh mesh_a, mesh_b;

enum { ROOM = 200000 };
static tact_crossing found[ROOM], back[ROOM];

static void run_cases(const char *what, int count, void (*run)(const char *what, int number))
{
    const char *one = getenv("TACT_TEST_SEED");
    for (int i = one != NULL ? atoi(one) : 0; i < (one != NULL ? atoi(one) + 1 : count); i++)
        run(what, i);
}

#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_message("%s: TACT_TEST_SEED=%d: %s:", what, number, #condition);                                     \
            print_message(" " __VA_ARGS__);                                                                            \
            print_message("\n");                                                                                       \
            fail();                                                                                                    \
        }                                                                                                              \
    } while (0)

static double length_of(const tact_crossing *s) { return vec_size(vec_sub(s->to, s->from)); }

static double total(const tact_crossing *s, size_t count, tact_crossing_type type)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += s[i].type == type ? length_of(&s[i]) : 0.0;
    return sum;
}

static size_t number_of(const tact_crossing *s, size_t count, tact_crossing_type type)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += s[i].type == type;
    return sum;
}

static size_t cross(const tact_shape *a, tact_placement at_a, const tact_shape *b, tact_placement at_b)
{
    tact_crossings c = tact_shapes_crossings(a, at_a, b, at_b, found, ROOM);
    assert_int_equal(c.status, TACT_OK);
    assert_int_equal(c.state, c.count > 0 ? TACT_HIT : TACT_MISS);
    return c.count;
}

static bool same_part(tact_part a, tact_part b) { return a.leaf == b.leaf && a.face == b.face; }

/* Whether t is s with A and B in each other's place. */
static bool is_mirror(const tact_crossing *s, const tact_crossing *t)
{
    bool ends = s->type == TACT_CROSSING_SEGMENT ? vec_equal(s->from, t->to) && vec_equal(s->to, t->from)
                                                 : vec_equal(s->from, t->from) && vec_equal(s->to, t->to);
    return ends && s->type == t->type && same_part(s->part_a, t->part_b) && same_part(s->part_b, t->part_a) &&
           s->side_a == t->side_b && s->side_b == t->side_a && s->edge[0] == t->edge[0] && s->edge[1] == t->edge[1] &&
           (s->type != TACT_CROSSING_OUTLINE || s->edge_of_b != t->edge_of_b);
}

static int order_faces(const void *one, const void *other)
{
    const tact_crossing *s = one, *t = other;
    const uint32_t p[6] = {s->part_a.leaf, s->part_a.face, s->side_a, s->part_b.leaf, s->part_b.face, s->side_b};
    const uint32_t q[6] = {t->part_a.leaf, t->part_a.face, t->side_a, t->part_b.leaf, t->part_b.face, t->side_b};
    for (int i = 0; i < 6; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

/* The answer with A and B swapped is the same, each of them mirrored. */
static void check_swap(const char *what, int number, size_t count, const tact_shape *a, tact_placement at_a,
                       const tact_shape *b, tact_placement at_b)
{
    tact_crossings c = tact_shapes_crossings(b, at_b, a, at_a, back, ROOM);
    CHECK(c.count == count && c.status == TACT_OK, "%zu swapped, should be %zu", c.count, count);
    for (size_t i = 0; i < count; i++) {
        bool is_there = false;
        tact_crossing key = {.part_a = found[i].part_b, .part_b = found[i].part_a};
        key.side_a = found[i].side_b;
        key.side_b = found[i].side_a;
        const tact_crossing *t = count > 0 ? bsearch(&key, back, count, sizeof key, order_faces) : NULL;
        CHECK(t != NULL, "a pair of faces is not there");
        while (t > back && order_faces(t - 1, &key) == 0)
            t--;
        for (; t < back + count && order_faces(t, &key) == 0 && !is_there; t++)
            is_there = is_mirror(&found[i], t);
        CHECK(is_there, "segment %zu is not mirrored", i);
        CHECK(i == 0 || order_faces(&found[i - 1], &found[i]) <= 0, "order of %zu", i);
    }
}

static double size_of(const zoo_mesh *m, const tact_placement *at)
{
    double size = 0.0;
    for (uint32_t i = 0; i < m->triangle_count; i++) {
        tact_vec3 p[3];
        zoo_placed(m, at, i, p);
        for (int k = 0; k < 3; k++)
            size = fmax(size, vec_largest(p[k]));
    }
    return size;
}

/* ---- brute force ------------------------------------------------------------------------------------------------- */

/* The parameters, along `dir`, between which a triangle has the line in which its plane meets the plane of the other, in long double;
 * false where that is not well defined. */
static bool interval(const tact_vec3 t[3], const long double distance[3], const long double dir[3], long double out[2])
{
    int ends = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        if ((distance[i] < 0) == (distance[j] < 0))
            continue;
        long double s = distance[i] / (distance[i] - distance[j]);
        long double x = t[i].x + s * ((long double)t[j].x - t[i].x), y = t[i].y + s * ((long double)t[j].y - t[i].y),
                    z = t[i].z + s * ((long double)t[j].z - t[i].z);
        if (ends < 2)
            out[ends] = x * dir[0] + y * dir[1] + z * dir[2];
        ends++;
    }
    if (ends != 2)
        return false;
    if (out[0] > out[1]) {
        long double swap = out[0];
        out[0] = out[1];
        out[1] = swap;
    }
    return true;
}

static void normal_of(const tact_vec3 t[3], long double n[3])
{
    long double u[3] = {(long double)t[1].x - t[0].x, (long double)t[1].y - t[0].y, (long double)t[1].z - t[0].z};
    long double v[3] = {(long double)t[2].x - t[0].x, (long double)t[2].y - t[0].y, (long double)t[2].z - t[0].z};
    for (int i = 0; i < 3; i++)
        n[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    long double length = sqrtl(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int i = 0; i < 3; i++)
        n[i] = length > 0 ? n[i] / length : 0;
}

/* Length and direction of what two triangles share; false where they are too nearly in one plane, or a corner
 * is too near the other's plane. */
static bool expected(const tact_vec3 p[3], const tact_vec3 q[3], long double dir[3], long double *length)
{
    long double n[3], m[3], of_p[3], of_q[3], one[2], other[2];
    normal_of(p, n);
    normal_of(q, m);
    for (int i = 0; i < 3; i++)
        dir[i] = n[(i + 1) % 3] * m[(i + 2) % 3] - n[(i + 2) % 3] * m[(i + 1) % 3];
    long double sine = sqrtl(dir[0] * dir[0] + dir[1] * dir[1] + dir[2] * dir[2]);
    if (!(sine > 1e-3L))
        return false;
    for (int i = 0; i < 3; i++) {
        dir[i] /= sine;
        of_p[i] = m[0] * ((long double)p[i].x - q[0].x) + m[1] * ((long double)p[i].y - q[0].y) +
                  m[2] * ((long double)p[i].z - q[0].z);
        of_q[i] = n[0] * ((long double)q[i].x - p[0].x) + n[1] * ((long double)q[i].y - p[0].y) +
                  n[2] * ((long double)q[i].z - p[0].z);
    }
    for (int i = 0; i < 3; i++)
        if (fabsl(of_p[i]) < 1e-9L || fabsl(of_q[i]) < 1e-9L)
            return false;
    if (!interval(p, of_p, dir, one) || !interval(q, of_q, dir, other))
        return false;
    *length = fminl(one[1], other[1]) - fmaxl(one[0], other[0]);
    return true;
}

static int segments_seen, outlines_seen, points_seen, lengths_seen, directions_seen, misses_seen, mirrored_seen;

static bool mirrors(const tact_placement *at) { return vec_dot(vec_cross(at->x_axis, at->y_axis), at->z_axis) < 0.0; }

static void brute_case(const char *what, int number)
{
    dice d = dice_for(31, 1, (uint64_t)number);
    static const zoo_kind level[3] = {ZOO_CUBE, ZOO_STACK, ZOO_SNAPPED};
    bool grid = number % 4 == 3; /* where much is in one plane */
    zoo_make(&mesh_a, grid ? level[dice_pick(&d, 3)] : (zoo_kind)(number / 4 % ZOO_KINDS), 20 + dice_pick(&d, 100), &d);
    zoo_make(&mesh_b, grid ? level[dice_pick(&d, 3)] : (zoo_kind)(number / 32 % ZOO_KINDS), 20 + dice_pick(&d, 100),
             &d);
    tact_placement at_a = tact_identity(), at_b = at_a;
    if (grid) {
        at_b.origin.x = 0.25 * dice_pick(&d, 3);
        at_b.origin.y = 0.25 * dice_pick(&d, 3);
        at_b.origin.z = 0.25 * dice_pick(&d, 2);
    } else {
        at_a = zoo_placement(&d, 0.3);
        at_b = zoo_placement(&d, 0.3);
    }
    if (dice_pick(&d, 5) == 0) {
        double far = ldexp(1.0, dice_pick(&d, 40));
        at_a.origin.y += far;
        at_b.origin.y += far;
    }
    tact_shape *a = zoo_shape(&mesh_a, number % 3 == 0, 0.0), *b = zoo_shape(&mesh_b, number % 5 == 0, 0.0);
    double size = fmax(size_of(&mesh_a, &at_a), size_of(&mesh_b, &at_b));
    bool mirrored = mirrors(&at_a) != mirrors(&at_b);
    mirrored_seen += mirrored;
    size_t count = cross(a, at_a, b, at_b), i = 0;
    misses_seen += count == 0;
    check_swap(what, number, count, a, at_a, b, at_b);
    for (uint32_t f = 0; f < mesh_a.triangle_count; f++)
        for (uint32_t g = 0; g < mesh_b.triangle_count; g++) {
            tact_vec3 p[3], q[3];
            zoo_placed(&mesh_a, &at_a, f, p);
            zoo_placed(&mesh_b, &at_b, g, q);
            bool told = i < count && found[i].part_a.face == f && found[i].part_b.face == g;
            CHECK(tact_triangles_meet(p, q) == told, "faces %u and %u", f, g);
            size_t first = i;
            for (; i < count && found[i].part_a.face == f && found[i].part_b.face == g; i++) {
                const tact_crossing *s = &found[i];
                CHECK(s->type == TACT_CROSSING_OUTLINE || i == first, "faces %u and %u told twice", f, g);
                CHECK(s->part_a.leaf == 0 && s->part_b.leaf == 0 && s->side_a == 0 && s->side_b == 0, "ids");
                long double off = fmaxl(fmaxl(zoo_point_gap(p, s->from), zoo_point_gap(q, s->from)),
                                        fmaxl(zoo_point_gap(p, s->to), zoo_point_gap(q, s->to)));
                CHECK(off <= 8.0L * DBL_EPSILON * size, "off by %Lg of %g", off, size);
                segments_seen += s->type == TACT_CROSSING_SEGMENT;
                outlines_seen += s->type == TACT_CROSSING_OUTLINE;
                points_seen += s->type == TACT_CROSSING_POINT;
                if (s->type == TACT_CROSSING_POINT)
                    CHECK(vec_equal(s->from, s->to), "a point has no length");
                long double dir[3], length;
                if (s->type != TACT_CROSSING_SEGMENT || !expected(p, q, dir, &length))
                    continue;
                long double slack = 1e4L * DBL_EPSILON * size; /* a thousandth of a turn between the planes */
                CHECK(fabsl(length - length_of(s)) <= slack, "length %g, should be %Lg", length_of(s), length);
                lengths_seen++;
                tact_vec3 way = vec_sub(s->to, s->from);
                long double along = dir[0] * way.x + dir[1] * way.y + dir[2] * way.z;
                if (length > 10.0L * slack) {
                    CHECK((along > 0) == !mirrored, "direction");
                    directions_seen++;
                }
            }
        }
    CHECK(i == count, "more than brute force has, or in another order");
    tact_shape_release(a);
    tact_shape_release(b);
}

static void faces_are_those_of_brute_force(void **state)
{
    (void)state;
    run_cases("brute", 500, brute_case);
    print_message("%d segments, %d sides of outlines, %d points, %d lengths, %d directions; %d misses, %d mirrored\n",
                  segments_seen, outlines_seen, points_seen, lengths_seen, directions_seen, misses_seen, mirrored_seen);
    if (getenv("TACT_TEST_SEED") == NULL)
        assert_true(segments_seen > 5000 && outlines_seen > 1000 && points_seen > 1000 && lengths_seen > 4000 &&
                    directions_seen > 4000 && misses_seen > 20 && mirrored_seen > 100);
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

static int order_from(const void *one, const void *other)
{
    const tact_crossing *s = one, *t = other;
    const double p[3] = {s->from.x, s->from.y, s->from.z}, q[3] = {t->from.x, t->from.y, t->from.z};
    for (int i = 0; i < 3; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

/* Each segment ends where exactly one other begins, to the last bit. */
static bool loops_close(size_t count)
{
    memcpy(back, found, count * sizeof *found);
    if (count > 0)
        qsort(back, count, sizeof *back, order_from);
    for (size_t i = 0; i < count; i++) {
        const tact_crossing key = {.from = found[i].to};
        if (found[i].type != TACT_CROSSING_SEGMENT || bsearch(&key, back, count, sizeof key, order_from) == NULL)
            return false;
        if (i > 0 && order_from(&back[i - 1], &back[i]) == 0)
            return false;
    }
    return true;
}

/* A torus of quadrangles: the zoo's, two triangles each, in a solid mesh of polygons. */
static tact_shape *quad_torus(int around, int along, double large, double small)
{
    static tact_vec3 vertices[10000];
    static uint32_t corners[40000], sizes[10000];
    size_t n = 0;
    for (int i = 0; i < along; i++)
        for (int j = 0; j < around; j++) {
            double u = 6.283185307179586 * i / along, v = 6.283185307179586 * j / around, r = large + small * cos(v);
            vertices[n] = vec_make(r * cos(u), r * sin(u), small * sin(v));
            uint32_t next_i = (uint32_t)((i + 1) % along), next_j = (uint32_t)((j + 1) % around);
            uint32_t row = (uint32_t)around, here = (uint32_t)i, col = (uint32_t)j;
            const uint32_t quad[4] = {here * row + col, next_i * row + col, next_i * row + next_j, here * row + next_j};
            memcpy(corners + 4 * n, quad, sizeof quad);
            sizes[n++] = 4;
        }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){vertices, n, 0, TACT_DOUBLES};
    def.corners = corners;
    def.corner_count = 4 * n;
    def.sizes = sizes;
    def.size_count = n;
    def.solid = true;
    return tact_mesh_create(&def, NULL);
}

static tact_shape *quad_cube(double half)
{
    static const uint32_t quads[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    static const uint32_t sizes[6] = {4, 4, 4, 4, 4, 4};
    tact_vec3 vertices[8];
    for (int i = 0; i < 8; i++)
        vertices[i] = vec_make(i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half);
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){vertices, 8, 0, TACT_DOUBLES};
    def.corners = quads;
    def.corner_count = 24;
    def.sizes = sizes;
    def.size_count = 6;
    def.solid = true;
    return tact_mesh_create(&def, NULL);
}

static tact_shape *hull_cube(double half)
{
    tact_vec3 points[8];
    for (int i = 0; i < 8; i++)
        points[i] = vec_make(i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half);
    return tact_hull(points, 8);
}

/* Three numbers one after the other: in which order a compiler makes arguments is its own affair. */
static tact_vec3 roll(dice *d)
{
    tact_vec3 v;
    v.x = dice_normal(d);
    v.y = dice_normal(d);
    v.z = dice_normal(d);
    return v;
}

static tact_placement rolled(dice *d, double reach)
{
    tact_quat q = {dice_normal(d), dice_normal(d), dice_normal(d), dice_normal(d)};
    tact_vec3 at = {dice_between(d, -reach, reach), dice_between(d, -reach, reach), dice_between(d, -reach, reach)};
    tact_placement p = tact_place(at, q, vec_make(1.0, 1.0, 1.0));
    if (dice_pick(d, 3) == 0)
        p = tact_placement_scale(p, vec_make(-1.0, 1.0, 1.0));
    if (dice_pick(d, 3) == 0)
        p = tact_placement_scale(p, vec_make(1.0, 0.75, 1.25));
    return p;
}

static int loops_seen, split_seen;

static void loop_case(const char *what, int number)
{
    dice d = dice_for(32, 1, (uint64_t)number);
    tact_shape *shapes[2], *plain[2];
    for (int k = 0; k < 2; k++) {
        zoo_torus(&mesh_a, 8, 16, 1.0, 0.4);
        switch (dice_pick(&d, 5)) {
        case 0:
            shapes[k] = zoo_shape(&mesh_a, true, 0.0);
            break;
        case 1:
            shapes[k] = quad_torus(8, 16, 1.0, 0.4);
            break;
        case 2:
            shapes[k] = tact_box(1.0, 1.0, 1.0);
            break;
        case 3:
            shapes[k] = quad_cube(0.5);
            break;
        default:
            shapes[k] = hull_cube(0.5);
            break;
        }
        plain[k] = shapes[k];
        assert_non_null(plain[k]);
    }
    tact_placement at_a = rolled(&d, 0.5), at_b = rolled(&d, 0.5);
    size_t count = cross(shapes[0], at_a, shapes[1], at_b);
    check_swap(what, number, count, shapes[0], at_a, shapes[1], at_b);
    CHECK(loops_close(count), "%zu segments", count);
    /* faces of cubes are flat: at most one segment for two of them */
    for (size_t i = 1; i < count; i++)
        split_seen += order_faces(&found[i - 1], &found[i]) == 0;
    loops_seen += count > 0;
    tact_shape_release(shapes[0]);
    tact_shape_release(shapes[1]);
}

/* Closed surfaces cross in loops. Faces of four corners are flat up to rounding: two of them have one segment, not one for each
 * pair of triangles. */
static void loops_close_to_the_last_bit(void **state)
{
    (void)state;
    run_cases("loops", 300, loop_case);
    print_message("%d cases with loops; %d pairs of faces in pieces\n", loops_seen, split_seen);
    if (getenv("TACT_TEST_SEED") == NULL)
        assert_true(loops_seen > 150 && split_seen < 20);
}

/* ---- what geometry says ------------------------------------------------------------------------------------------ */

/* Cubes along the axes, each with a corner in the other: a hexagon around the box that they share. */
static void corner_in_corner_is_a_hexagon(void **state)
{
    (void)state;
    tact_shape *kinds[4] = {tact_box(1.0, 1.0, 1.0), quad_cube(0.5), hull_cube(0.5), NULL};
    zoo_cube(&mesh_a, 0.5);
    kinds[3] = zoo_shape(&mesh_a, true, 0.0);
    const tact_placement at[3] = {tact_at(0.5, 0.25, 0.125), tact_at(1e7 + 0.5, 0.25, 0.125), tact_identity()};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            size_t count = cross(kinds[i], at[2], kinds[j], at[0]);
            double sum = total(found, count, TACT_CROSSING_SEGMENT);
            assert_true(fabs(sum - 2.0 * (0.5 + 0.75 + 0.875)) < 1e-14);
            assert_int_equal(number_of(found, count, TACT_CROSSING_SEGMENT), count);
            assert_true(loops_close(count));
            if (i != 3 && j != 3)
                assert_int_equal(count, 6);
            /* far away nothing is lost */
            count = cross(kinds[i], tact_at(1e7, 0, 0), kinds[j], at[1]);
            assert_true(fabs(total(found, count, TACT_CROSSING_SEGMENT) - sum) < 1e-14);
        }
    /* sides of a box have names: +x and +y of the first meet -z of the second */
    size_t count = cross(kinds[0], at[2], kinds[0], at[0]);
    bool is_there = false;
    for (size_t i = 0; i < count; i++)
        is_there = is_there || (found[i].side_a == 1 && found[i].side_b == 4);
    assert_true(is_there);
    for (int i = 0; i < 4; i++)
        tact_shape_release(kinds[i]);
}

/* A sheet of n x n squares, as one kind of mesh or another. */
static tact_shape *sheet(uint32_t n, bool quads)
{
    static tact_vec3 vertices[5000];
    static uint32_t corners[30000], sizes[10000];
    uint32_t row = n + 1, count = 0, faces = 0;
    for (uint32_t i = 0; i <= n; i++)
        for (uint32_t j = 0; j <= n; j++)
            vertices[i * row + j] = vec_make((double)i / n, (double)j / n, 0.0);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            uint32_t p = i * row + j, q = p + row;
            const uint32_t quad[4] = {p, q, q + 1, p + 1}, two[6] = {p, q, q + 1, p, q + 1, p + 1};
            memcpy(corners + count, quads ? quad : two, (quads ? 4 : 6) * sizeof *two);
            count += quads ? 4 : 6;
            sizes[faces++] = quads ? 4 : 3;
            if (!quads)
                sizes[faces++] = 3;
        }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){vertices, row * row, 0, TACT_DOUBLES};
    def.corners = corners;
    def.corner_count = count;
    def.sizes = sizes;
    def.size_count = faces;
    return tact_mesh_create(&def, NULL);
}

static void sheets_cross_in_a_line(void **state)
{
    (void)state;
    tact_shape *quads = sheet(16, true), *triangles = sheet(16, false);
    const tact_quat upright = {sqrt(0.5), 0.0, 0.0, sqrt(0.5)};
    dice d = dice_for(33, 1, 0);
    for (int i = 0; i < 20; i++) {
        /* one lies, the other stands on its edge, half through it, along x but for a small angle */
        tact_placement stand =
            tact_place(vec_make(0.0, dice_between(&d, 0.2, 0.8), -0.5), upright, vec_make(1.0, 1.0, 1.0));
        tact_placement turn = rolled(&d, 2.0);
        bool squares = i % 2;
        size_t count = cross(squares ? quads : triangles, tact_placement_compose(turn, tact_identity()),
                             squares ? quads : triangles, tact_placement_compose(turn, stand));
        double scale = vec_length(turn.x_axis);
        assert_true(fabs(total(found, count, TACT_CROSSING_SEGMENT) - scale) < 1e-13);
        if (squares) /* each column of one meets one column of the other, or two where rounding lets it */
            assert_true(number_of(found, count, TACT_CROSSING_SEGMENT) <= 3 * 16);
    }
    tact_shape_release(quads);
    tact_shape_release(triangles);
}

/* ---- polygons ---------------------------------------------------------------------------------------------------- */

static tact_shape *flat_polygon(const double (*points)[2], const uint32_t *loops, size_t loop_count)
{
    tact_vec3 vertices[64];
    uint32_t corners[64], count = 0;
    for (size_t i = 0; i < loop_count; i++)
        count += loops[i];
    for (uint32_t i = 0; i < count; i++) {
        vertices[i] = vec_make(points[i][0], points[i][1], 0.0);
        corners[i] = i;
    }
    const uint32_t one = (uint32_t)loop_count;
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){vertices, count, 0, TACT_DOUBLES};
    def.corners = corners;
    def.corner_count = count;
    def.sizes = loops;
    def.size_count = loop_count;
    def.loops = &one;
    def.face_count = 1;
    tact_shape *shape = tact_mesh_create(&def, NULL);
    assert_non_null(shape);
    return shape;
}

/* Where a placed polygon has a line, by the edges that cross the plane of the other, in long double: parameters along `dir` in
 * order. */
static int cut_polygon(const tact_vec3 *at, int count, const long double normal[3], tact_vec3 on,
                       const long double dir[3], long double *ends)
{
    int found_ends = 0;
    for (int i = 0; i < count; i++) {
        tact_vec3 p = at[i], q = at[(i + 1) % count];
        long double d = normal[0] * ((long double)p.x - on.x) + normal[1] * ((long double)p.y - on.y) +
                        normal[2] * ((long double)p.z - on.z);
        long double e = normal[0] * ((long double)q.x - on.x) + normal[1] * ((long double)q.y - on.y) +
                        normal[2] * ((long double)q.z - on.z);
        if ((d < 0) == (e < 0))
            continue;
        long double t = d / (d - e);
        long double x = dir[0] * (p.x + t * ((long double)q.x - p.x)) + dir[1] * (p.y + t * ((long double)q.y - p.y)) +
                        dir[2] * (p.z + t * ((long double)q.z - p.z));
        int k = found_ends++;
        for (; k > 0 && ends[k - 1] > x; k--)
            ends[k] = ends[k - 1];
        ends[k] = x;
    }
    return found_ends;
}

static int stars_one, stars_many;

static void star_case(const char *what, int number)
{
    enum { MOST = 60 };
    dice d = dice_for(38, 1, (uint64_t)number);
    tact_shape *shapes[2];
    tact_placement at[2];
    tact_vec3 corners[2][MOST];
    uint32_t counts[2];
    for (int k = 0; k < 2; k++) {
        double points[MOST][2];
        counts[k] = 3 + (uint32_t)dice_pick(&d, MOST - 3);
        bool star = dice_pick(&d, 2) == 0;
        for (uint32_t i = 0; i < counts[k]; i++) {
            double angle = 6.283185307179586 * i / counts[k], r = star ? dice_between(&d, 0.3, 1.0) : 1.0;
            points[i][0] = r * cos(angle);
            points[i][1] = r * sin(angle);
        }
        shapes[k] = flat_polygon((const double(*)[2])points, &counts[k], 1);
        at[k] = rolled(&d, 0.3);
        for (uint32_t i = 0; i < counts[k]; i++)
            corners[k][i] = vec_add(vec_map(&at[k], vec_make(points[i][0], points[i][1], 0.0)), at[k].origin);
    }
    long double n[2][3], dir[3], ends[2][MOST];
    for (int k = 0; k < 2; k++) {
        const tact_vec3 axes[3] = {{0, 0, 0}, at[k].x_axis, at[k].y_axis};
        normal_of(axes, n[k]);
    }
    for (int i = 0; i < 3; i++)
        dir[i] = n[0][(i + 1) % 3] * n[1][(i + 2) % 3] - n[0][(i + 2) % 3] * n[1][(i + 1) % 3];
    long double sine = sqrtl(dir[0] * dir[0] + dir[1] * dir[1] + dir[2] * dir[2]);
    for (int i = 0; i < 3; i++)
        dir[i] /= sine;
    size_t count = cross(shapes[0], at[0], shapes[1], at[1]);
    check_swap(what, number, count, shapes[0], at[0], shapes[1], at[1]);
    if (sine > 0.1L) {
        int of_a = cut_polygon(corners[0], (int)counts[0], n[1], at[1].origin, dir, ends[0]),
            of_b = cut_polygon(corners[1], (int)counts[1], n[0], at[0].origin, dir, ends[1]);
        size_t pieces = 0;
        long double length = 0;
        for (int i = 0; i + 1 < of_a; i += 2)
            for (int j = 0; j + 1 < of_b; j += 2) {
                long double from = fmaxl(ends[0][i], ends[1][j]), to = fminl(ends[0][i + 1], ends[1][j + 1]);
                pieces += to > from;
                length += to > from ? to - from : 0;
            }
        CHECK(count == pieces, "%zu segments, should be %zu", count, pieces);
        CHECK(fabsl(total(found, count, TACT_CROSSING_SEGMENT) - length) < 1e-13L, "length");
        ++*(pieces > 1 ? &stars_many : &stars_one);
    }
    tact_shape_release(shapes[0]);
    tact_shape_release(shapes[1]);
}

/* A polygon of many triangles is one face: what it shares with another is not split where its cuts are. */
static void cuts_split_no_segment(void **state)
{
    (void)state;
    run_cases("stars", 400, star_case);
    print_message("%d with one segment or none, %d with several\n", stars_one, stars_many);
    if (getenv("TACT_TEST_SEED") == NULL)
        assert_true(stars_one > 100 && stars_many > 50);
}

/* A face that is bent along its cut is one, too, but its segments are two where it bends, and meet there to the last bit. */
static void bent_faces_keep_their_bends(void **state)
{
    (void)state;
    const tact_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0.3}, {1, 1, 0}, {0, 1, 0.3}};
    const uint32_t around[4] = {0, 1, 2, 3}, four = 4;
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){corners, 4, 0, TACT_DOUBLES};
    def.corners = around;
    def.corner_count = 4;
    def.sizes = &four;
    def.size_count = 1;
    tact_shape *saddle = tact_mesh_create(&def, NULL), *wall = tact_box(0.25, 4, 4);
    size_t count = cross(saddle, tact_identity(), wall, tact_at(0.7, 0, 0));
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i += 2) {
        assert_int_equal(order_faces(&found[i], &found[i + 1]), 0);
        assert_true(vec_equal(found[i].to, found[i + 1].from) || vec_equal(found[i].from, found[i + 1].to));
    }
    tact_shape_release(saddle);
    tact_shape_release(wall);
}

/* ---- in one plane ------------------------------------------------------------------------------------------------ */

static void outlines_of_common_areas(void **state)
{
    (void)state;
    static const double square[4][2] = {{0, 0}, {8, 0}, {8, 8}, {0, 8}}, small[4][2] = {{2, 2}, {6, 2}, {6, 6}, {2, 6}};
    static const double ring[8][2] = {{0, 0}, {8, 0}, {8, 8}, {0, 8}, {3, 3}, {3, 5}, {5, 5}, {5, 3}};
    static const double ell[6][2] = {{0, 0}, {8, 0}, {8, 3}, {3, 3}, {3, 8}, {0, 8}};
    const uint32_t four[2] = {4, 4}, six[1] = {6};
    tact_shape *big = flat_polygon(square, four, 1), *little = flat_polygon(small, four, 1),
               *holed = flat_polygon(ring, four, 2), *bent = flat_polygon(ell, six, 1);
    const tact_placement here = tact_identity();
    /* all of the small one: its own four edges */
    size_t count = cross(big, here, little, here);
    assert_int_equal(count, 4);
    assert_true(total(found, count, TACT_CROSSING_OUTLINE) == 16.0);
    for (size_t i = 0; i < count; i++)
        assert_true(found[i].edge_of_b && found[i].edge[0] < found[i].edge[1] && found[i].edge[1] < 4);
    /* moved aside: two edges of it, and one of the other between them, twice in part */
    count = cross(big, here, little, tact_at(4, 0, 0));
    assert_true(total(found, count, TACT_CROSSING_OUTLINE) == 2 + 2 + 4 + 4);
    assert_int_equal(count, 4);
    check_swap("outline", 0, count, big, here, little, tact_at(4, 0, 0));
    /* a hole is an outline, too */
    count = cross(holed, here, little, here);
    assert_int_equal(count, 8);
    assert_true(total(found, count, TACT_CROSSING_OUTLINE) == 16 + 8);
    count = cross(little, here, holed, tact_at(2, 0, 0)); /* 4 x 4 less 1 x 2 at its side */
    assert_true(fabs(total(found, count, TACT_CROSSING_OUTLINE) - 18) < 1e-14);
    /* an L and a square: the corner of the L is in the square */
    count = cross(bent, here, little, here);
    assert_true(total(found, count, TACT_CROSSING_OUTLINE) == 16.0);
    /* edge to edge, and corner to corner */
    count = cross(big, here, little, tact_at(6, 0, 0));
    assert_int_equal(count, 1);
    assert_true(found[0].type == TACT_CROSSING_OUTLINE && length_of(&found[0]) == 4.0);
    count = cross(big, here, little, tact_at(6, 6, 0));
    assert_int_equal(count, 1);
    assert_true(found[0].type == TACT_CROSSING_POINT && vec_equal(found[0].from, vec_make(8, 8, 0)));
    /* a square on itself */
    count = cross(big, here, big, here);
    assert_int_equal(count, 4);
    assert_true(total(found, count, TACT_CROSSING_OUTLINE) == 32.0);
    /* convex shapes the same */
    tact_shape *box = tact_box(8, 8, 8), *crate = tact_box(4, 4, 4);
    count = cross(box, here, crate, tact_at(0, 0, 6)); /* it stands on it: four faces of the crate stand on the box */
    assert_true(fabs(total(found, count, TACT_CROSSING_OUTLINE) - 16.0) < 1e-14);
    assert_true(fabs(total(found, count, TACT_CROSSING_SEGMENT) - 16.0) < 1e-14);
    assert_int_equal(count, 8);
    count = cross(box, here, crate, here); /* wholly inside */
    assert_int_equal(count, 0);
    tact_shape *const all[] = {big, little, holed, bent, box, crate};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        tact_shape_release(all[i]);
}

/* Random polygons on a grid in one plane: the outline is counted side by side. */
static void grid_case(const char *what, int number)
{
    enum { N = 6 };
    dice d = dice_for(34, 1, (uint64_t)number);
    bool in[2][N + 2][N + 2] = {{{false}}};
    tact_shape *shapes[2];
    for (int k = 0; k < 2; k++) { /* columns of random heights: one polygon */
        double points[4 * N + 4][2];
        int heights[N];
        uint32_t count = 0;
        points[count][0] = 0, points[count++][1] = 0;
        for (int i = 0; i < N; i++) {
            heights[i] = 1 + dice_pick(&d, N);
            for (int j = 0; j < heights[i]; j++)
                in[k][i + 1][j + 1] = true;
        }
        points[count][0] = N, points[count++][1] = 0;
        for (int i = N - 1; i >= 0; i--) {
            points[count][0] = i + 1, points[count++][1] = heights[i];
            points[count][0] = i, points[count++][1] = heights[i];
        }
        /* corners at one place one after the other are legal, but not wanted here */
        uint32_t kept = 0;
        for (uint32_t i = 0; i < count; i++)
            if (kept == 0 || points[i][0] != points[kept - 1][0] || points[i][1] != points[kept - 1][1]) {
                points[kept][0] = points[i][0];
                points[kept++][1] = points[i][1];
            }
        shapes[k] = flat_polygon((const double(*)[2])points, &kept, 1);
    }
    const double step_x = dice_pick(&d, 3), step_y = dice_pick(&d, 3);
    /* Each side of a square that is in both, closed, and not inside both. */
    double outline = 0.0;
    for (int i = 0; i <= 3 * N; i++)
        for (int j = 0; j <= 3 * N; j++)
            for (int k = 0; k < 2; k++) { /* the square, and the one to its left or below it */
                bool here[2], there[2];
                for (int m = 0; m < 2; m++) {
                    int x = i - m * (int)step_x, y = j - m * (int)step_y, u = x - (k == 0), v = y - (k == 1);
                    here[m] = x >= 0 && x <= N + 1 && y >= 0 && y <= N + 1 && in[m][x][y];
                    there[m] = u >= 0 && u <= N + 1 && v >= 0 && v <= N + 1 && in[m][u][v];
                }
                outline +=
                    (here[0] || there[0]) && (here[1] || there[1]) && !(here[0] && there[0] && here[1] && there[1]);
            }
    size_t count = cross(shapes[0], tact_identity(), shapes[1], tact_at(step_x, step_y, 0));
    check_swap(what, number, count, shapes[0], tact_identity(), shapes[1], tact_at(step_x, step_y, 0));
    double told = 0.0;
    for (size_t i = 0; i < count; i++) {
        CHECK(found[i].type == TACT_CROSSING_OUTLINE || found[i].type == TACT_CROSSING_POINT, "type");
        CHECK(found[i].from.x == found[i].to.x || found[i].from.y == found[i].to.y, "on no edge");
        told += length_of(&found[i]);
    }
    CHECK(told == outline, "%g, should be %g", told, outline);
    outlines_seen += outline > 4.0;
    points_seen += outline > 0.0 && number_of(found, count, TACT_CROSSING_POINT) > 0;
    /* no piece is told twice */
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            const tact_crossing *s = &found[i], *t = &found[j];
            bool upright = s->from.x == s->to.x && t->from.x == t->to.x && s->from.x == t->from.x &&
                           fmin(s->to.y, t->to.y) > fmax(s->from.y, t->from.y);
            bool level = s->from.y == s->to.y && t->from.y == t->to.y && s->from.y == t->from.y &&
                         fmin(s->to.x, t->to.x) > fmax(s->from.x, t->from.x);
            CHECK(!upright && !level, "told twice: %zu and %zu", i, j);
        }
    tact_shape_release(shapes[0]);
    tact_shape_release(shapes[1]);
}

static void outlines_of_stairs(void **state)
{
    (void)state;
    outlines_seen = points_seen = 0;
    run_cases("stairs", 400, grid_case);
    print_message("%d outlines, %d with points besides\n", outlines_seen, points_seen);
    if (getenv("TACT_TEST_SEED") == NULL)
        assert_true(outlines_seen > 350);
}

/* ---- parts, room, refusals --------------------------------------------------------------------------------------- */

static void parts_are_told(void **state)
{
    (void)state;
    tact_shape *box = tact_box(1, 1, 1), *ball = tact_sphere(0.5), *nested = tact_placed(box, tact_at(0, 0, 0.125));
    const tact_shape *const two[2] = {ball, nested};
    const tact_placement places[2] = {tact_at(-4, 0, 0), tact_at(4, 0, 0)};
    tact_shape *pair = tact_compound(two, places, 2);
    const tact_shape *const three[2] = {pair, box};
    const tact_placement apart[2] = {tact_at(0, 8, 0), tact_identity()};
    tact_shape *all = tact_compound(three, apart, 2);
    zoo_cube(&mesh_a, 0.5);
    tact_shape *cube = zoo_shape(&mesh_a, true, 0.0);
    const tact_placement here = tact_identity();
    /* the box in the compound of the compound: leaf 1, with all that placed it */
    size_t count = cross(all, here, cube, tact_at(4.5, 8.25, 0.25));
    assert_true(count > 0);
    assert_true(fabs(total(found, count, TACT_CROSSING_SEGMENT) - 2 * (0.5 + 0.75 + 0.875)) < 1e-14);
    for (size_t i = 0; i < count; i++)
        assert_true(found[i].part_a.leaf == 1 && found[i].part_b.leaf == 0 && found[i].side_a < 6);
    /* leaf 2 alone */
    count = cross(all, here, cube, tact_at(0.5, 0.25, 0.125));
    for (size_t i = 0; i < count; i++)
        assert_true(found[i].part_a.leaf == 2);
    /* a ball has no segments, and says so where it touches */
    tact_crossings c = tact_shapes_crossings(all, here, cube, tact_at(-4, 8, 0.75), found, ROOM);
    assert_int_equal(c.status, TACT_BAD_ARGUMENT);
    assert_int_equal(c.state, TACT_UNKNOWN);
    assert_int_equal(c.count, 0);
    tact_shape *beam = tact_box(20, 0.25, 0.25); /* through the ball and the box: the box's are told all the same */
    c = tact_shapes_crossings(beam, tact_at(0, 8, 0), all, here, found, ROOM);
    assert_int_equal(c.status, TACT_BAD_ARGUMENT);
    assert_true(c.state == TACT_HIT && c.count == 8);
    for (size_t i = 0; i < c.count; i++)
        assert_true(found[i].part_b.leaf == 1 && found[i].side_b < 2);
    tact_shape_release(beam);
    assert_int_equal(cross(all, here, cube, tact_at(-4, 8.99, 0.99)), 0); /* boxes meet, they do not */
    assert_int_equal(cross(ball, here, cube, tact_at(3, 0, 0)), 0);
    /* pieces of a soup: a point, a segment, a triangle, a tetrahedron, a hull of eight corners */
    const tact_vec3 corners[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                  {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
    const uint32_t soup_corners[18] = {0, 0, 7, 0, 3, 5, 0, 1, 2, 4, 0, 1, 2, 3, 4, 5, 6, 7},
                   sizes[5] = {1, 2, 3, 4, 8};
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){corners, 8, 0, TACT_DOUBLES};
    def.corners = soup_corners;
    def.corner_count = 18;
    def.sizes = sizes;
    def.size_count = 5;
    tact_shape *soup = tact_soup_create(&def, NULL);
    assert_non_null(soup);
    tact_shape *wall = tact_box(0.25, 8, 8);
    count = cross(soup, here, wall, here);
    bool seen[5] = {false};
    for (size_t i = 0; i < count; i++) {
        seen[found[i].part_a.face] = true;
        assert_int_equal(found[i].type, found[i].part_a.face == 1 ? TACT_CROSSING_POINT : TACT_CROSSING_SEGMENT);
    }
    assert_true(!seen[0] && seen[1] && seen[2] && seen[3] && seen[4]);
    double hull_length = 0.0;
    for (size_t i = 0; i < count; i++)
        hull_length += found[i].part_a.face == 4 ? length_of(&found[i]) : 0.0;
    assert_true(fabs(hull_length - 16.0) < 1e-14); /* around the cube, at both faces of the wall */
    /* edges of an outline have the numbers of the soup's vertices: the cube and its top, in reverse */
    const uint32_t reverse[12] = {7, 6, 5, 4, 3, 2, 1, 0, 7, 5, 4, 6}, eight_and_four[2] = {8, 4};
    def.corners = reverse;
    def.corner_count = 12;
    def.sizes = eight_and_four;
    def.size_count = 2;
    tact_shape *turned = tact_soup_create(&def, NULL), *lid = tact_box(8, 8, 0.5);
    count = cross(turned, here, lid, tact_at(0, 0, 1.25)); /* it lies on top */
    size_t outlines[2] = {0};
    for (size_t i = 0; i < count; i++)
        if (found[i].type == TACT_CROSSING_OUTLINE) {
            tact_vec3 p = corners[found[i].edge[0]], q = corners[found[i].edge[1]];
            assert_true(!found[i].edge_of_b && (vec_equal(p, found[i].from) || vec_equal(p, found[i].to)));
            assert_true(vec_equal(q, found[i].from) || vec_equal(q, found[i].to));
            outlines[found[i].part_a.face]++;
        }
    assert_int_equal(outlines[0], 4);
    assert_true(outlines[1] >= 4);
    tact_shape_release(turned);
    tact_shape_release(lid);
    tact_shape *const made[] = {box, ball, nested, pair, all, cube, soup, wall};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        tact_shape_release(made[i]);
}

static void simplices_and_hulls(void **state)
{
    (void)state;
    const tact_placement here = tact_identity();
    const tact_vec3 p = {-1, 0.1, 0.2}, q = {1, 0.1, 0.2}, r = {0, 3, 0.2}, s = {0, 0.5, 3};
    tact_shape *box = tact_box(1, 1, 1), *point = tact_point(vec_make(0.5, 0, 0)), *segment = tact_segment(p, q),
               *triangle = tact_triangle(p, q, r), *tetrahedron = tact_tetrahedron(p, q, r, s),
               *other = tact_tetrahedron(q, p, r, s);
    size_t count = cross(box, here, point, here);
    assert_true(count == 1 && found[0].type == TACT_CROSSING_POINT && found[0].side_a == 1);
    count = cross(box, here, segment, here);
    assert_true(count == 2 && found[0].side_a == 0 && found[1].side_a == 1);
    assert_true(found[0].from.x == -0.5 && found[1].from.x == 0.5);
    count = cross(box, here, triangle, here); /* three sides of the box: width 1 at y 0.1 to 0.5, less the corners */
    assert_true(count == 3 && number_of(found, count, TACT_CROSSING_SEGMENT) == 3);
    /* the orientation of a tetrahedron's points does not matter: outside is outside */
    count = cross(box, here, tetrahedron, here);
    double length = total(found, count, TACT_CROSSING_SEGMENT);
    assert_true(loops_close(count) && count > 4);
    size_t again = cross(box, here, other, here);
    assert_true(again == count && fabs(length - total(found, count, TACT_CROSSING_SEGMENT)) < 1e-14 &&
                loops_close(count));
    tact_shape *const made[] = {box, point, segment, triangle, tetrahedron, other};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        tact_shape_release(made[i]);
}

/* Random hulls against meshes of their own triangles: the same loops. */
static int hulls_seen;

static void hull_case(const char *what, int number)
{
    dice d = dice_for(35, 1, (uint64_t)number);
    tact_vec3 points[40];
    tact_shape *hulls[2];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 40; i++)
            points[i] = vec_unit(roll(&d));
        hulls[k] = tact_hull(points, 4 + (size_t)dice_pick(&d, 37));
    }
    tact_placement at_a = rolled(&d, 0.4), at_b = rolled(&d, 0.4);
    double far = dice_pick(&d, 4) == 0 ? ldexp(1.0, dice_pick(&d, 30)) : 0.0;
    at_a.origin.z += far;
    at_b.origin.z += far;
    size_t count = cross(hulls[0], at_a, hulls[1], at_b);
    check_swap(what, number, count, hulls[0], at_a, hulls[1], at_b);
    CHECK(loops_close(count), "%zu segments", count);
    /* every pair of faces is told once: they are convex */
    for (size_t i = 1; i < count; i++)
        CHECK(order_faces(&found[i - 1], &found[i]) != 0, "in pieces");
    hulls_seen += count > 0;
    tact_shape_release(hulls[0]);
    tact_shape_release(hulls[1]);
}

static void hulls_cross_in_loops(void **state)
{
    (void)state;
    run_cases("hulls", 200, hull_case);
    print_message("%d pairs of hulls cross\n", hulls_seen);
    if (getenv("TACT_TEST_SEED") == NULL)
        assert_true(hulls_seen > 100);
}

/* A mesh against the faces of a box or hull, far from the origin and near, all pairs of triangles. */
static int sides_met, sides_missed;

static bool side_meets(const tact_vec3 p[3], const tact_vec3 *corners, const uint32_t *loop, uint32_t count)
{
    bool met = false;
    for (uint32_t i = 1; i + 1 < count; i++) {
        const tact_vec3 q[3] = {corners[loop[0]], corners[loop[i]], corners[loop[i + 1]]};
        met = met || tact_triangles_meet(p, q);
    }
    return met;
}

static void side_case(const char *what, int number)
{
    static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    dice d = dice_for(37, 1, (uint64_t)number);
    tact_vec3 points[30], corners[30];
    size_t point_count = 4 + (size_t)dice_pick(&d, 26);
    bool is_box = number % 3 == 0;
    for (size_t i = 0; i < point_count; i++)
        points[i] = roll(&d);
    zoo_make(&mesh_a, (zoo_kind)(number % ZOO_KINDS), 20 + dice_pick(&d, 100), &d);
    tact_shape *a = zoo_shape(&mesh_a, number % 2 == 0, 0.0),
               *b = is_box ? tact_box(1.25, 1.0, 0.75) : tact_hull(points, point_count);
    tact_placement at_a = zoo_placement(&d, 0.3), at_b = zoo_placement(&d, 0.3);
    if (dice_pick(&d, 2) == 0) {
        double far = ldexp(1.0, dice_pick(&d, 45));
        at_a.origin.z += far;
        at_b.origin.z += far;
    }
    size_t count = cross(a, at_a, b, at_b), i = 0;
    check_swap(what, number, count, a, at_a, b, at_b);
    if (is_box)
        for (int k = 0; k < 8; k++)
            corners[k] = vec_make(k & 1 ? 0.625 : -0.625, k & 2 ? 0.5 : -0.5, k & 4 ? 0.375 : -0.375);
    else
        memcpy(corners, b->hull->corners, b->hull->corner_count * sizeof *corners);
    for (uint32_t k = 0; k < (is_box ? 8 : b->hull->corner_count); k++)
        corners[k] = vec_add(vec_map(&at_b, corners[k]), at_b.origin);
    for (uint32_t f = 0; f < mesh_a.triangle_count; f++)
        for (uint32_t g = 0; g < (is_box ? 6 : b->hull->face_count); g++) {
            tact_vec3 p[3];
            zoo_placed(&mesh_a, &at_a, f, p);
            const hull_face *face = is_box ? NULL : &b->hull->faces[g];
            bool met = is_box ? side_meets(p, corners, quads[g], 4)
                              : side_meets(p, corners, b->hull->face_corners + face->first_corner, face->corner_count);
            bool told = i < count && found[i].part_a.face == f && found[i].side_b == g;
            CHECK(met == told, "face %u and side %u", f, g);
            while (i < count && found[i].part_a.face == f && found[i].side_b == g)
                i++;
            ++*(met ? &sides_met : &sides_missed);
        }
    CHECK(i == count, "more than brute force has");
    tact_shape_release(a);
    tact_shape_release(b);
}

static void sides_are_those_of_brute_force(void **state)
{
    (void)state;
    run_cases("sides", 300, side_case);
    print_message("%d pairs of faces meet, %d do not\n", sides_met, sides_missed);
    if (getenv("TACT_TEST_SEED") == NULL)
        assert_true(sides_met > 3000 && sides_missed > 50000);
}

/* Everything larger or smaller by a power of two: the same faces, and points that are as much larger, to the last bit. */
static int sizes_seen;

static void size_case(const char *what, int number)
{
    static const int powers[6] = {-430, -200, -40, 40, 200, 470};
    static const tact_crossing none = {.type = TACT_CROSSING_SEGMENT};
    dice d = dice_for(39, 1, (uint64_t)number);
    zoo_make(&mesh_a, (zoo_kind)(number % ZOO_KINDS), 40, &d);
    zoo_make(&mesh_b, (zoo_kind)(number / ZOO_KINDS % ZOO_KINDS), 40, &d);
    tact_placement at_a = zoo_placement(&d, 0.3), at_b = zoo_placement(&d, 0.3);
    tact_shape *a = zoo_shape(&mesh_a, false, 0.0), *b = number % 2 ? quad_cube(0.5) : zoo_shape(&mesh_b, false, 0.0);
    size_t count = cross(a, at_a, b, at_b);
    memcpy(back, count > 0 ? found : &none, (count > 0 ? count : 1) * sizeof *found);
    tact_shape_release(a);
    tact_shape_release(b);
    for (int k = 0; k < 6; k++) {
        static zoo_mesh large_a, large_b;
        const double scale = ldexp(1.0, powers[k]);
        large_a = mesh_a, large_b = mesh_b;
        for (uint32_t i = 0; i < mesh_a.vertex_count; i++)
            large_a.vertices[i] = vec_scale(mesh_a.vertices[i], scale);
        for (uint32_t i = 0; i < mesh_b.vertex_count; i++)
            large_b.vertices[i] = vec_scale(mesh_b.vertices[i], scale);
        tact_placement far_a = at_a, far_b = at_b;
        far_a.origin = vec_scale(at_a.origin, scale);
        far_b.origin = vec_scale(at_b.origin, scale);
        a = zoo_shape(&large_a, false, 0.0);
        b = number % 2 ? quad_cube(0.5 * scale) : zoo_shape(&large_b, false, 0.0);
        size_t as_many = cross(a, far_a, b, far_b);
        CHECK(as_many == count, "%zu, should be %zu, at 2^%d", as_many, count, powers[k]);
        for (size_t i = 0; i < count; i++)
            CHECK(found[i].type == back[i].type && order_faces(&found[i], &back[i]) == 0 &&
                      vec_equal(found[i].from, vec_scale(back[i].from, scale)) &&
                      vec_equal(found[i].to, vec_scale(back[i].to, scale)),
                  "segment %zu at 2^%d", i, powers[k]);
        sizes_seen += count > 0;
        tact_shape_release(a);
        tact_shape_release(b);
    }
}

static void size_does_not_matter(void **state)
{
    (void)state;
    run_cases("size", 100, size_case);
    if (getenv("TACT_TEST_SEED") == NULL)
        assert_true(sizes_seen > 300);
}

static void room_that_is_too_small(void **state)
{
    (void)state;
    tact_shape *a = quad_torus(8, 16, 1.0, 0.4), *b = quad_cube(0.5);
    const tact_placement here = tact_identity(), there = tact_at(1.0, 0.25, 0.125);
    tact_crossings none = tact_shapes_crossings(a, here, b, there, NULL, 0);
    assert_true(none.status == TACT_OUT_OF_MEMORY && none.state == TACT_HIT && none.count > 6);
    size_t right = cross(a, here, b, there);
    assert_true(right > 6 && right <= none.count);
    memcpy(back, found, right * sizeof *found);
    for (size_t room = 0; room <= none.count + 1; room++) {
        tact_crossing guard = {.type = (tact_crossing_type)77};
        found[room] = guard;
        tact_crossings c = tact_shapes_crossings(a, here, b, there, found, room);
        assert_int_equal(c.status, room < none.count ? TACT_OUT_OF_MEMORY : TACT_OK);
        assert_int_equal(c.count, room < none.count ? none.count : right);
        assert_int_equal(found[room].type, 77); /* nothing beyond the room */
    }
    (void)cross(a, here, b, there);
    for (size_t i = 0; i < right; i++)
        assert_true(vec_equal(found[i].from, back[i].from) && vec_equal(found[i].to, back[i].to));
    tact_shape_release(a);
    tact_shape_release(b);
}

static void garbage_is_refused(void **state)
{
    (void)state;
    const tact_placement here = tact_identity();
    tact_placement bad[4] = {here, here, here, here};
    bad[0].origin.x = NAN;
    bad[1].x_axis = bad[1].y_axis;
    bad[2].z_axis.y = INFINITY;
    bad[3].origin.x = 1e160;
    zoo_cube(&mesh_a, 0.5);
    tact_shape *cube = zoo_shape(&mesh_a, false, 0.0), *round = zoo_shape(&mesh_a, false, 0.1),
               *box = tact_box(1, 1, 1), *rounded = tact_rounded(box, 0.1), *ball = tact_sphere(1),
               *flat = tact_box(1, 0, 1);
    tact_mesh_def def = tact_mesh_def_default();
    tact_shape *empty = tact_mesh_create(&def, NULL);
    tact_shape *sum = tact_sum(box, box), *join = tact_join(box, ball), *hidden = tact_placed(rounded, here);
    assert_non_null(empty);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(tact_shapes_crossings(cube, bad[i], box, here, found, ROOM).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shapes_crossings(box, here, cube, bad[i], found, ROOM).status, TACT_BAD_ARGUMENT);
    }
    assert_int_equal(tact_shapes_crossings(NULL, here, box, here, found, ROOM).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_crossings(box, here, NULL, here, found, ROOM).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_crossings(box, here, box, here, NULL, 1).status, TACT_BAD_ARGUMENT);
    assert_int_equal(cross(empty, here, box, here), 0);
    assert_int_equal(cross(empty, here, empty, here), 0);
    /* what has no faces */
    const tact_shape *const curved[] = {round, rounded, ball, sum, join, hidden};
    for (size_t i = 0; i < sizeof curved / sizeof curved[0]; i++) {
        tact_crossings c = tact_shapes_crossings(curved[i], here, cube, tact_at(0.25, 0.25, 0.25), found, ROOM);
        assert_true(c.status == TACT_BAD_ARGUMENT && c.count == 0 && c.state == TACT_UNKNOWN);
        assert_int_equal(cross(cube, here, curved[i], tact_at(9, 0, 0)), 0);
    }
    assert_true(cross(flat, here, cube, tact_at(0.25, 0.25, 0.25)) > 0); /* without a height: faces on each other */
    tact_shape *const made[] = {cube, round, box, rounded, ball, flat, empty, sum, join, hidden};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        tact_shape_release(made[i]);
}

static void batches_are_the_single_calls(void **state)
{
    (void)state;
    enum { PAIRS = 600, LIST = 24 };
    static tact_pair pairs[PAIRS];
    static tact_crossing lists[PAIRS * LIST];
    static tact_contact_point points[PAIRS * LIST], point[LIST];
    static tact_crossings crossings[PAIRS];
    static tact_contacts contacts[PAIRS];
    dice d = dice_for(36, 1, 0);
    zoo_cube(&mesh_a, 0.5);
    tact_shape *shapes[3] = {zoo_shape(&mesh_a, true, 0.0), tact_box(1, 1, 1), quad_cube(0.5)};
    for (int i = 0; i < PAIRS; i++)
        pairs[i] = (tact_pair){shapes[i % 3], shapes[i / 3 % 3], rolled(&d, 0.6), rolled(&d, 0.6)};
    pairs[7].a = NULL;
    int small = 0;
    for (int k = 0; k < 3 * PAIRS; k++) { /* on one thread, two and many */
        const int i = k % PAIRS;
        const tact_pair *p = &pairs[i];
        const tact_parallel threads = {.threads = k / PAIRS == 2 ? 0 : k / PAIRS + 1};
        if (i == 0) {
            memset(lists, 0, sizeof lists);
            assert_int_equal(tact_crossings_batch(pairs, PAIRS, lists, LIST, crossings, &threads), TACT_OK);
            assert_int_equal(tact_contacts_batch(pairs, PAIRS, 0.01, points, LIST, contacts, &threads), TACT_OK);
        }
        tact_crossings c = tact_shapes_crossings(p->a, p->at_a, p->b, p->at_b, found, LIST);
        assert_true(c.status == crossings[i].status && c.state == crossings[i].state && c.count == crossings[i].count);
        small += c.status == TACT_OUT_OF_MEMORY;
        for (size_t m = 0; c.status == TACT_OK && m < c.count; m++)
            assert_true(vec_equal(found[m].from, lists[i * LIST + (int)m].from));
        tact_contacts t = tact_shapes_contacts(p->a, p->at_a, p->b, p->at_b, 0.01, point, LIST);
        assert_true(t.status == contacts[i].status && t.state == contacts[i].state && t.count == contacts[i].count);
        for (size_t m = 0; m < t.count && m < LIST; m++)
            assert_true(vec_equal(point[m].on_a, points[i * LIST + (int)m].on_a) &&
                        point[m].depth == points[i * LIST + (int)m].depth);
    }
    assert_true(crossings[7].status == TACT_BAD_ARGUMENT && contacts[7].status == TACT_BAD_ARGUMENT);
    assert_true(small > 100 && small < 3 * PAIRS - 100);
    /* without lists: how many there are */
    assert_int_equal(tact_contacts_batch(pairs, PAIRS, 0.01, NULL, 0, contacts, NULL), TACT_OK);
    assert_int_equal(tact_crossings_batch(pairs, PAIRS, NULL, 0, crossings, NULL), TACT_OK);
    assert_int_equal(tact_crossings_batch(pairs, 0, NULL, 5, NULL, NULL), TACT_OK);
    assert_int_equal(tact_crossings_batch(pairs, PAIRS, NULL, 1, crossings, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_crossings_batch(NULL, PAIRS, lists, 1, crossings, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_crossings_batch(pairs, PAIRS, lists, SIZE_MAX / 2, crossings, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_contacts_batch(pairs, PAIRS, 0.01, NULL, 1, contacts, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_contacts_batch(pairs, PAIRS, 0.01, points, LIST, NULL, NULL), TACT_BAD_ARGUMENT);
    for (int i = 0; i < 3; i++)
        tact_shape_release(shapes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_are_those_of_brute_force),
        cmocka_unit_test(loops_close_to_the_last_bit),
        cmocka_unit_test(corner_in_corner_is_a_hexagon),
        cmocka_unit_test(sheets_cross_in_a_line),
        cmocka_unit_test(cuts_split_no_segment),
        cmocka_unit_test(bent_faces_keep_their_bends),
        cmocka_unit_test(outlines_of_common_areas),
        cmocka_unit_test(outlines_of_stairs),
        cmocka_unit_test(parts_are_told),
        cmocka_unit_test(simplices_and_hulls),
        cmocka_unit_test(hulls_cross_in_loops),
        cmocka_unit_test(sides_are_those_of_brute_force),
        cmocka_unit_test(size_does_not_matter),
        cmocka_unit_test(room_that_is_too_small),
        cmocka_unit_test(garbage_is_refused),
        cmocka_unit_test(batches_are_the_single_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
