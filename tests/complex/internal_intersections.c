/*
 * The segments in which surfaces meet, at random: against brute force over all pairs of triangles (the exact
 * predicate), long double for where they are, and loops that must close.
 *
 * A failure prints the number of its case: TACT_TEST_SEED=n runs that case alone.
 */
#include <float.h>
#include <stdlib.h>

#include "complex/intersection_checks.h"

#include "exact/triangle.h"
#include "math/vec.h"
#include "shape/shape_data.h"

static zoo_mesh mesh_b;

static double size_of(const zoo_mesh *m, const tact_transform *at)
{
    double size = 0.0;
    for (uint32_t i = 0; i < m->triangle_count; i++) {
        tact_vec3 p[3];
        zoo_placed(m, at, i, p);
        for (int k = 0; k < 3; k++)
            size = fmax(size, vec_max_abs(p[k]));
    }
    return size;
}

/* ---- brute force ------------------------------------------------------------------------------------------------- */

/* The parameters, along `dir`, between which a triangle has the line in which its plane meets the plane of the other,
 * in long double; false where that is not well defined. */
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

static bool mirrors(const tact_transform *at) { return vec_dot(vec_cross(at->x_axis, at->y_axis), at->z_axis) < 0.0; }

static void brute_case(const char *what, int number)
{
    dice d = dice_for(31, 1, (uint64_t)number);
    static const zoo_kind level[3] = {ZOO_CUBE, ZOO_STACK, ZOO_SNAPPED};
    bool grid = number % 4 == 3; /* where much is in one plane */
    zoo_make(&mesh_a, grid ? level[dice_pick(&d, 3)] : (zoo_kind)(number / 4 % ZOO_KINDS), 20 + dice_pick(&d, 100), &d);
    zoo_make(&mesh_b, grid ? level[dice_pick(&d, 3)] : (zoo_kind)(number / 32 % ZOO_KINDS), 20 + dice_pick(&d, 100),
             &d);
    tact_transform transform_a = tact_identity(), transform_b = transform_a;
    if (grid) {
        transform_b.origin.x = 0.25 * dice_pick(&d, 3);
        transform_b.origin.y = 0.25 * dice_pick(&d, 3);
        transform_b.origin.z = 0.25 * dice_pick(&d, 2);
    } else {
        transform_a = zoo_placement(&d, 0.3);
        transform_b = zoo_placement(&d, 0.3);
    }
    if (dice_pick(&d, 5) == 0) {
        double far = ldexp(1.0, dice_pick(&d, 40));
        transform_a.origin.y += far;
        transform_b.origin.y += far;
    }
    tact_shape *a = zoo_shape(&mesh_a, number % 3 == 0, 0.0), *b = zoo_shape(&mesh_b, number % 5 == 0, 0.0);
    double size = fmax(size_of(&mesh_a, &transform_a), size_of(&mesh_b, &transform_b));
    bool mirrored = mirrors(&transform_a) != mirrors(&transform_b);
    mirrored_seen += mirrored;
    size_t count = cross(a, transform_a, b, transform_b), i = 0;
    misses_seen += count == 0;
    check_swap(what, number, count, a, transform_a, b, transform_b);
    for (uint32_t f = 0; f < mesh_a.triangle_count; f++)
        for (uint32_t g = 0; g < mesh_b.triangle_count; g++) {
            tact_vec3 p[3], q[3];
            zoo_placed(&mesh_a, &transform_a, f, p);
            zoo_placed(&mesh_b, &transform_b, g, q);
            bool reported = i < count && found[i].part_a.face == f && found[i].part_b.face == g;
            CHECK(tact_triangles_intersect(p, q) == reported, "faces %u and %u", f, g);
            size_t first = i;
            for (; i < count && found[i].part_a.face == f && found[i].part_b.face == g; i++) {
                const tact_intersection *s = &found[i];
                CHECK(s->type == TACT_INTERSECTION_OUTLINE || i == first, "faces %u and %u reported twice", f, g);
                CHECK(s->part_a.leaf == 0 && s->part_b.leaf == 0 && s->facet_a == 0 && s->facet_b == 0, "ids");
                long double off = fmaxl(fmaxl(zoo_point_gap(p, s->from), zoo_point_gap(q, s->from)),
                                        fmaxl(zoo_point_gap(p, s->to), zoo_point_gap(q, s->to)));
                CHECK(off <= 8.0L * DBL_EPSILON * size, "off by %Lg of %g", off, size);
                segments_seen += s->type == TACT_INTERSECTION_SEGMENT;
                outlines_seen += s->type == TACT_INTERSECTION_OUTLINE;
                points_seen += s->type == TACT_INTERSECTION_POINT;
                if (s->type == TACT_INTERSECTION_POINT)
                    CHECK(vec_equal(s->from, s->to), "a point has no length");
                long double dir[3], length;
                if (s->type != TACT_INTERSECTION_SEGMENT || !expected(p, q, dir, &length))
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
    tact_transform transform_a = rolled(&d, 0.5), transform_b = rolled(&d, 0.5);
    size_t count = cross(shapes[0], transform_a, shapes[1], transform_b);
    check_swap(what, number, count, shapes[0], transform_a, shapes[1], transform_b);
    CHECK(loops_close(count), "%zu segments", count);
    /* faces of cubes are flat: at most one segment for two of them */
    for (size_t i = 1; i < count; i++)
        split_seen += order_faces(&found[i - 1], &found[i]) == 0;
    loops_seen += count > 0;
    tact_shape_release(shapes[0]);
    tact_shape_release(shapes[1]);
}

/* Closed surfaces cross in loops. Faces of four corners are flat up to rounding: two of them have one segment, not one
 * for each pair of triangles. */
static void loops_close_to_the_last_bit(void **state)
{
    (void)state;
    run_cases("loops", 300, loop_case);
    print_message("%d cases with loops; %d pairs of faces in pieces\n", loops_seen, split_seen);
    if (getenv("TACT_TEST_SEED") == NULL)
        assert_true(loops_seen > 150 && split_seen < 20);
}

/* ---- hulls and boxes --------------------------------------------------------------------------------------------- */

static int hulls_seen;

static void hull_case(const char *what, int number)
{
    dice d = dice_for(35, 1, (uint64_t)number);
    tact_vec3 points[40];
    tact_shape *hulls[2];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 40; i++)
            points[i] = vec_normalize(roll(&d));
        hulls[k] = tact_hull(points, 4 + (size_t)dice_pick(&d, 37));
    }
    tact_transform transform_a = rolled(&d, 0.4), transform_b = rolled(&d, 0.4);
    double far = dice_pick(&d, 4) == 0 ? ldexp(1.0, dice_pick(&d, 30)) : 0.0;
    transform_a.origin.z += far;
    transform_b.origin.z += far;
    size_t count = cross(hulls[0], transform_a, hulls[1], transform_b);
    check_swap(what, number, count, hulls[0], transform_a, hulls[1], transform_b);
    CHECK(loops_close(count), "%zu segments", count);
    /* every pair of faces is reported once: they are convex */
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
        met = met || tact_triangles_intersect(p, q);
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
    tact_transform transform_a = zoo_placement(&d, 0.3), transform_b = zoo_placement(&d, 0.3);
    if (dice_pick(&d, 2) == 0) {
        double far = ldexp(1.0, dice_pick(&d, 45));
        transform_a.origin.z += far;
        transform_b.origin.z += far;
    }
    size_t count = cross(a, transform_a, b, transform_b), i = 0;
    check_swap(what, number, count, a, transform_a, b, transform_b);
    if (is_box)
        for (int k = 0; k < 8; k++)
            corners[k] = vec_make(k & 1 ? 0.625 : -0.625, k & 2 ? 0.5 : -0.5, k & 4 ? 0.375 : -0.375);
    else
        memcpy(corners, b->hull->vertices, b->hull->vertex_count * sizeof *corners);
    for (uint32_t k = 0; k < (is_box ? 8 : b->hull->vertex_count); k++)
        corners[k] = vec_add(vec_transform(&transform_b, corners[k]), transform_b.origin);
    for (uint32_t f = 0; f < mesh_a.triangle_count; f++)
        for (uint32_t g = 0; g < (is_box ? 6 : b->hull->face_count); g++) {
            tact_vec3 p[3];
            zoo_placed(&mesh_a, &transform_a, f, p);
            const hull_face *face = is_box ? NULL : &b->hull->faces[g];
            bool met = is_box ? side_meets(p, corners, quads[g], 4)
                              : side_meets(p, corners, b->hull->face_vertices + face->first_vertex, face->vertex_count);
            bool reported = i < count && found[i].part_a.face == f && found[i].facet_b == g;
            CHECK(met == reported, "face %u and side %u", f, g);
            while (i < count && found[i].part_a.face == f && found[i].facet_b == g)
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

/* Everything larger or smaller by a power of two: the same faces, and points that are as much larger, but for
 * a few last bits: of products of three coordinates some leave the range of doubles, and the point is rounded another
 * way. */
static int sizes_seen;

static bool is_scaled(tact_vec3 p, tact_vec3 q, double scale)
{
    return vec_max_abs(vec_sub(vec_scale(p, 1.0 / scale), q)) <= 4.0 * DBL_EPSILON * vec_max_abs(q);
}

static void size_case(const char *what, int number)
{
    static const int powers[6] = {-430, -200, -40, 40, 200, 470};
    static const tact_intersection none = {.type = TACT_INTERSECTION_SEGMENT};
    dice d = dice_for(39, 1, (uint64_t)number);
    zoo_make(&mesh_a, (zoo_kind)(number % ZOO_KINDS), 40, &d);
    zoo_make(&mesh_b, (zoo_kind)(number / ZOO_KINDS % ZOO_KINDS), 40, &d);
    tact_transform transform_a = zoo_placement(&d, 0.3), transform_b = zoo_placement(&d, 0.3);
    tact_shape *a = zoo_shape(&mesh_a, false, 0.0), *b = number % 2 ? quad_cube(0.5) : zoo_shape(&mesh_b, false, 0.0);
    size_t count = cross(a, transform_a, b, transform_b);
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
        tact_transform far_a = transform_a, far_b = transform_b;
        far_a.origin = vec_scale(transform_a.origin, scale);
        far_b.origin = vec_scale(transform_b.origin, scale);
        a = zoo_shape(&large_a, false, 0.0);
        b = number % 2 ? quad_cube(0.5 * scale) : zoo_shape(&large_b, false, 0.0);
        size_t as_many = cross(a, far_a, b, far_b);
        CHECK(as_many == count, "%zu, should be %zu, at 2^%d", as_many, count, powers[k]);
        for (size_t i = 0; i < count; i++)
            CHECK(found[i].type == back[i].type && order_faces(&found[i], &back[i]) == 0 &&
                      is_scaled(found[i].from, back[i].from, scale) && is_scaled(found[i].to, back[i].to, scale),
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_are_those_of_brute_force), cmocka_unit_test(loops_close_to_the_last_bit),
        cmocka_unit_test(hulls_cross_in_loops),           cmocka_unit_test(sides_are_those_of_brute_force),
        cmocka_unit_test(size_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
