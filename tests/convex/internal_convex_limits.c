/*
 * Convex pairs and rays at limits of convex_constants.h, made so that the answer is known: boxes that touch or are
 * apart by one ulp, edges that are almost parallel, slivers, curved surfaces with known normals, the largest sizes.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <tact/query.h>
#include <tact/shape.h>

#include "convex/convex_query.h"
#include "convex/sat.h"
#include "math/vec.h"
#include "support/random.h"
#include "support/seeded_cases.h"

static tact_transform placed(tact_vec3 origin)
{
    tact_transform t = tact_identity();
    t.origin = origin;
    return t;
}

static tact_transform turned(tact_vec3 origin, tact_quat rotation)
{
    return tact_transform_make(origin, rotation, vec_make(1.0, 1.0, 1.0));
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* Two boxes with the same axes, side by side along x: their half extents, and the distance of their centres, at which
 * they touch or are apart, by at most an ulp. */
typedef struct box_row {
    tact_vec3 half[2];
    double touching, apart;
} box_row;

static box_row random_row(random_source *r)
{
    box_row row;
    for (int i = 0; i < 2; ++i)
        row.half[i] = vec_make(random_range(r, 1.0, 2.0), random_range(r, 1.0, 2.0), random_range(r, 1.0, 2.0));
    if (random_chance(r, 0.5)) { /* then all products that decide are rounded alike */
        row.half[1].y = row.half[0].y;
        row.half[1].z = row.half[0].z;
    }
    const double x = row.half[0].x, y = row.half[1].x, sum = x + y, part = sum - x;
    const double rest = (x - (sum - part)) + (y - part); /* sum + rest is the exact sum (Knuth 1997, section 4.2.2) */
    row.touching = rest >= 0.0 ? sum : nextafter(sum, 0.0);
    row.apart = rest < 0.0 ? sum : nextafter(sum, INFINITY);
    return row;
}

static sat_result row_by_sat(const box_row *row, double distance, double scale)
{
    tact_vec3 half[2][3];
    for (int i = 0; i < 2; ++i) {
        half[i][0] = vec_make(scale * row->half[i].x, 0.0, 0.0);
        half[i][1] = vec_make(0.0, scale * row->half[i].y, 0.0);
        half[i][2] = vec_make(0.0, 0.0, scale * row->half[i].z);
    }
    return tact_sat_box_box(vec_make(scale * distance, 0.0, 0.0), half[0], half[1], NULL);
}

static void separating_axes_prove_what_they_say(void **state)
{
    (void)state;
    static const int exponents[] = {0, 300, 360, -300, -340, -350};
    for (uint64_t seed = first_seed(); seed <= last_seed(2000); seed++) {
        random_source r = random_seed(seed);
        const box_row row = random_row(&r);
        for (size_t i = 0; i < sizeof exponents / sizeof exponents[0]; ++i) {
            const double scale = ldexp(1.0, exponents[i]);
            CHECK(row_by_sat(&row, row.touching, scale) != SAT_SEPARATED, "2^%d", exponents[i]);
            CHECK(row_by_sat(&row, row.apart, scale) != SAT_OVERLAP, "2^%d", exponents[i]);
        }
        CHECK(row_by_sat(&row, 0.999 * row.touching, 1.0) == SAT_OVERLAP, "clear overlap");
        CHECK(row_by_sat(&row, 1.001 * row.apart, 1.0) == SAT_SEPARATED, "clear separation");
    }
}

static void boxes_that_touch_overlap(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(2000); seed++) {
        random_source r = random_seed(seed);
        const box_row row = random_row(&r);
        tact_shape *a = tact_box(2.0 * row.half[0].x, 2.0 * row.half[0].y, 2.0 * row.half[0].z);
        tact_shape *b = tact_box(2.0 * row.half[1].x, 2.0 * row.half[1].y, 2.0 * row.half[1].z);
        const tact_overlap o =
            tact_shapes_overlap(a, tact_identity(), b, placed(vec_make(row.touching, 0.0, 0.0)), NULL);
        CHECK(o.status == TACT_OK && o.state == TACT_HIT, "state %d", (int)o.state);
        tact_shape_release(a);
        tact_shape_release(b);
    }
}

/* The ridges of two boxes cross at a small angle, one above the other. Only their common normal separates them: along
 * the normal of a face, the end of the other ridge reaches below the face. */
static void ridges_at_a_small_angle_do_not_overlap(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(200); seed++) {
        random_source r = random_seed(seed);
        const double angle = pow(10.0, random_range(&r, -12.0, -7.0)), gap = random_range(&r, 0.1, 0.4) * angle;
        const double c = cos(angle), s = sin(angle);
        const tact_vec3 a[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 1.0}, {0.0, -1.0, 1.0}};
        const tact_vec3 b[3] = {{c, s, 0.0}, {-s, c, 1.0}, {s, -c, 1.0}};
        CHECK(tact_sat_box_box(vec_make(0.0, 0.0, 4.0 + gap), a, b, NULL) != SAT_OVERLAP, "angle %g", angle);
        CHECK(tact_sat_box_box(vec_make(0.0, 0.0, 4.0 - 1e-3), a, b, NULL) != SAT_SEPARATED, "angle %g", angle);
    }
}

/* A skewed box, flat as a sheet of long narrow parallelograms: the normal of a depth is perpendicular to the edges of
 * its face. */
static void normals_of_skewed_faces_are_perpendicular(void **state)
{
    (void)state;
    int faces = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(2000); seed++) {
        random_source r = random_seed(seed);
        const double thin = pow(10.0, random_range(&r, -8.0, -1.0));
        const tact_transform turn = turned(vec_make(0.0, 0.0, 0.0), random_rotation(&r));
        const tact_vec3 along = {1.0, random_range(&r, 0.1, 0.9), 0.0};
        const tact_vec3 local[3] = {along, vec_add(along, vec_make(0.0, thin, 0.0)), {0.3, 0.2, 0.05}};
        tact_vec3 a[3], b[3];
        for (int i = 0; i < 3; ++i) {
            a[i] = vec_transform(&turn, local[i]);
            b[i] = vec_scale(random_direction(&r), 1e-3);
        }
        const tact_vec3 offset = vec_transform(&turn, vec_make(0.0, 0.0, 0.05));
        sat_depth d;
        if (!tact_sat_depth(offset, a, b, &d) || d.feature != SAT_FACE_A)
            continue;
        ++faces;
        for (int i = 1; i < 3; ++i) {
            const tact_vec3 edge = a[(d.index_a + i) % 3];
            CHECK(fabs(vec_dot(edge, d.normal)) <= 8.0 * DBL_EPSILON * vec_length(edge), "thin %g: %g", thin,
                  vec_dot(edge, d.normal));
        }
    }
    assert_true(few_cases() || faces >= 500);
}

/* ---- penetration and contacts ------------------------------------------------------------------------------------ */

/* Powers of two scale exactly, also where products of six lengths overflow or underflow. */
static void depths_scale_with_the_shapes(void **state)
{
    (void)state;
    static const int exponents[] = {300, -300, 200, -200};
    int deep = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(200); seed++) {
        random_source r = random_seed(seed);
        const tact_vec3 size = {random_range(&r, 1.0, 2.0), random_range(&r, 1.0, 2.0), random_range(&r, 1.0, 2.0)};
        const tact_quat turn = random_rotation(&r);
        const tact_vec3 at = vec_scale(random_direction(&r), random_range(&r, 1.0, 2.0));
        tact_shape *one = tact_box(size.x, size.y, size.z);
        const tact_penetration near = tact_shapes_penetration(one, tact_identity(), one, turned(at, turn));
        tact_shape_release(one);
        CHECK(near.status == TACT_OK, "status %d", (int)near.status);
        deep += near.depth > 0.0;
        for (size_t i = 0; i < sizeof exponents / sizeof exponents[0]; ++i) {
            const double s = ldexp(1.0, exponents[i]);
            tact_shape *box = tact_box(s * size.x, s * size.y, s * size.z);
            const tact_penetration far =
                tact_shapes_penetration(box, tact_identity(), box, turned(vec_scale(at, s), turn));
            tact_shape_release(box);
            CHECK(far.status == TACT_OK && fabs(far.depth / s - near.depth) <= 1e-12, "2^%d: %g, not %g", exponents[i],
                  far.depth / s, near.depth);
        }
    }
    assert_true(few_cases() || deep >= 50);
}

/* Cubes with the same axes, one shifted along a face of the other: the points are in the middle of what the faces have
 * in common. */
static void points_of_faces_are_in_the_middle(void **state)
{
    (void)state;
    tact_shape *box = tact_box(2.0, 2.0, 2.0);
    for (uint64_t seed = first_seed(); seed <= last_seed(200); seed++) {
        random_source r = random_seed(seed);
        const tact_quat turn = random_rotation(&r);
        const double y = random_range(&r, 0.2, 1.0), z = random_range(&r, 0.2, 1.0);
        const tact_transform a = turned(vec_make(0.0, 0.0, 0.0), turn);
        const tact_transform b = turned(vec_transform(&a, vec_make(1.9, y, z)), turn);
        const tact_penetration d = tact_shapes_penetration(box, a, box, b);
        const tact_vec3 middle = vec_transform(&a, vec_make(1.0, 0.5 * y, 0.5 * z));
        CHECK(d.status == TACT_OK && fabs(d.depth - 0.1) <= 1e-14, "depth %g", d.depth);
        CHECK(vec_length(vec_sub(d.on_a, middle)) <= 1e-12, "off by %g", vec_length(vec_sub(d.on_a, middle)));
    }
    tact_shape_release(box);
}

/* The polygon of a round cap reaches almost to the rim in all directions. */
static void caps_have_the_outline_of_their_rim(void **state)
{
    (void)state;
    tact_shape *cylinder = tact_cylinder(1.0, 2.0);
    const tact_transform at = tact_identity();
    convex_face face;
    convex c;
    assert_int_equal(tact_convex_make(&c, cylinder, &at), TACT_OK);
    tact_convex_support_face(&c, vec_make(0.0, 1.0, 0.0), 0.1, &face);
    for (int i = 0; i < 1000; ++i) {
        const double angle = 0.0062831853 * i;
        double reach = 0.0;
        for (int k = 0; k < face.count; ++k)
            reach = fmax(reach, vec_dot(face.vertices[k], vec_make(cos(angle), 0.0, sin(angle))));
        assert_true(reach > 0.995 && reach < 1.0 + 1e-14);
    }
    tact_shape_release(cylinder);
}

/* Boxes that are deeper along the normal that the caller knows than along another: the manifold has the other. */
static void a_known_normal_is_for_boxes_that_touch(void **state)
{
    (void)state;
    tact_shape *box = tact_box(2.0, 2.0, 2.0);
    const tact_vec3 x = {1.0, 0.0, 0.0};
    static const double overlap[4][2] = {{0.0, 0.25}, {0x1p-50, 0.25}, {1e-7, 1e-8}, {0.5, 0.25}};
    for (int i = 0; i < 4; ++i) {
        const tact_transform here = tact_identity(),
                             there = placed(vec_make(2.0 - overlap[i][0], 2.0 - overlap[i][1], 0.0));
        convex a, b;
        assert_int_equal(tact_convex_make(&a, box, &here), TACT_OK);
        assert_int_equal(tact_convex_make(&b, box, &there), TACT_OK);
        const tact_manifold m = tact_convex_manifold(&a, &b, 0.0, x, vec_make(1.0, 0.9, 0.0), NULL);
        assert_int_equal(m.status, TACT_OK);
        assert_true(i < 2 ? m.normal.x == 1.0 : m.normal.y > 0.999);
    }
    tact_shape_release(box);
}

/* ---- distances --------------------------------------------------------------------------------------------------- */

static const tact_vec3 semi_axes = {1.0, 2.0, 3.0};

static tact_vec3 ellipsoid_support(void *context, tact_vec3 d)
{
    (void)context;
    const tact_vec3 scaled = {semi_axes.x * d.x, semi_axes.y * d.y, semi_axes.z * d.z};
    const double length = vec_length(scaled);
    return vec_make(semi_axes.x * scaled.x / length, semi_axes.y * scaled.y / length, semi_axes.z * scaled.z / length);
}

static void distances_have_the_stated_accuracy(void **state)
{
    (void)state;
    tact_shape *curved = tact_custom(ellipsoid_support, NULL, 3.0), *point = tact_point(vec_make(0.0, 0.0, 0.0));
    assert_true(tact_distance_def_default().accuracy == 1e-10);
    for (uint64_t seed = first_seed(); seed <= last_seed(300); seed++) {
        random_source r = random_seed(seed);
        const tact_vec3 n = random_direction(&r), foot = ellipsoid_support(NULL, n);
        const double away = pow(10.0, random_range(&r, -3.0, 1.0));
        const tact_distance d =
            tact_shapes_distance(curved, tact_identity(), point, placed(vec_mul_add(foot, away, n)));
        CHECK(d.status == TACT_OK && fabs(d.distance - away) <= 1.01e-10 * away + 1e-14, "%g, not %g", d.distance,
              away);
    }
    tact_shape_release(curved);
    tact_shape_release(point);
}

/* Hulls that touch with the vertices that are farthest from their origins. */
static void bounding_spheres_that_touch_decide_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(500); seed++) {
        random_source r = random_seed(seed);
        const double size = seed % 2 == 0 ? 1.0 : 0x1p-520; /* whose square has lost digits */
        const tact_vec3 tip = vec_scale(random_direction(&r), size * random_range(&r, 1.0, 2.0));
        tact_vec3 points[2][8];
        for (int i = 0; i < 8; ++i) {
            points[0][i] = i == 0 ? tip : vec_scale(random_direction(&r), 0.5 * size);
            points[1][i] = vec_negate(points[0][i]);
        }
        tact_shape *a = tact_hull(points[0], 8), *b = tact_hull(points[1], 8), *point = tact_point(points[1][0]);
        const tact_transform at = placed(vec_add(tip, tip));
        CHECK(tact_shapes_overlap(a, tact_identity(), b, at, NULL).state == TACT_HIT, "hulls");
        CHECK(tact_shapes_overlap(a, tact_identity(), point, at, NULL).state == TACT_HIT, "hull and point");
        tact_shape_release(a);
        tact_shape_release(b);
        tact_shape_release(point);
    }
}

/* ---- rays -------------------------------------------------------------------------------------------------------- */

static void normals_of_rays_are_normals(void **state)
{
    (void)state;
    tact_shape *curved = tact_custom(ellipsoid_support, NULL, 3.0);
    for (uint64_t seed = first_seed(); seed <= last_seed(1000); seed++) {
        random_source r = random_seed(seed);
        const tact_vec3 n = random_direction(&r), foot = ellipsoid_support(NULL, n);
        tact_vec3 back = random_direction(&r);
        back = vec_dot(back, n) < 0.0 ? vec_negate(back) : back;
        if (vec_dot(back, n) < 0.2)
            continue;
        const tact_ray_hit hit = tact_shape_ray(
            curved, tact_identity(), vec_mul_add(foot, random_range(&r, 0.5, 5.0), back), vec_negate(back), INFINITY);
        const double off = vec_length(vec_sub(hit.normal, n));
        CHECK(hit.state == TACT_HIT && off <= 1e-6, "off by %g", off);
    }
    tact_shape_release(curved);
}

/* A ray onto a triangle that is narrower than rounding can tell its plane. */
static void rays_hit_slivers_where_they_are(void **state)
{
    (void)state;
    int hits = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(1000); seed++) {
        random_source r = random_seed(seed);
        const tact_transform turn = turned(vec_make(0.0, 0.0, 0.0), random_rotation(&r));
        const double thin = pow(10.0, random_range(&r, -13.0, -9.0)), away = random_range(&r, 0.5, 2.0);
        tact_vec3 corner[3] = {{-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.4, thin, 0.0}};
        for (int i = 0; i < 3; ++i)
            corner[i] = vec_transform(&turn, corner[i]);
        const tact_vec3 middle = vec_scale(vec_add(vec_add(corner[0], corner[1]), corner[2]), 1.0 / 3.0);
        tact_shape *triangle = tact_triangle(corner[0], corner[1], corner[2]);
        const tact_ray_hit hit = tact_shape_ray(triangle, tact_identity(), vec_mul_add(middle, away, turn.z_axis),
                                                vec_negate(turn.z_axis), INFINITY);
        tact_shape_release(triangle);
        CHECK(hit.status == TACT_OK, "status %d", (int)hit.status);
        hits += hit.state == TACT_HIT;
        CHECK(hit.state != TACT_HIT || fabs(hit.t - away) <= 1e-13, "thin %g: off by %g", thin, hit.t - away);
    }
    assert_true(few_cases() || hits >= 800);
}

/* A ray through a vertex of a hull, from any side: the planes of the faces leave an interval that is empty or not by
 * rounding. A ray that is almost parallel to a face may miss. */
static void rays_hit_vertices(void **state)
{
    (void)state;
    int hits = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(500); seed++) {
        random_source r = random_seed(seed);
        tact_vec3 points[12];
        for (int i = 0; i < 12; ++i)
            points[i] = random_direction(&r);
        tact_shape *body = tact_hull(points, 12);
        const tact_vec3 tip = points[0], along = random_direction(&r);
        const double away = random_range(&r, 1.0, 3.0);
        const tact_ray_hit hit = tact_shape_ray(body, tact_identity(), vec_mul_add(tip, -away, along), along, INFINITY);
        CHECK(hit.status == TACT_OK && hit.t <= away * (1.0 + 1e-14), "status %d, %g", (int)hit.status, hit.t);
        hits += hit.state == TACT_HIT;
        tact_shape_release(body);
    }
    print_message("%d vertices hit\n", hits);
    assert_true(few_cases() || hits >= 490);
}

/* ---- closest points ---------------------------------------------------------------------------------------------- */

/* The normal of a closest point supports the distance: no point of the shape is closer along it, to 1e-9. */
static void normals_of_closest_points_prove_the_distance(void **state)
{
    (void)state;
    tact_vec3 points[9];
    for (uint64_t seed = first_seed(); seed <= last_seed(3000); seed++) {
        random_source r = random_seed(seed);
        for (int i = 0; i < 9; ++i)
            points[i] = random_direction(&r);
        tact_shape *cone = tact_cone(0.4, 0.7), *lens = tact_ellipsoid(0.1, 0.3, 0.5);
        tact_shape *shapes[3] = {tact_cylinder(random_range(&r, 0.2, 1.0), 1.0), tact_hull(points, 9),
                                 tact_minkowski_sum(cone, lens)};
        tact_shape_release(cone);
        tact_shape_release(lens);
        for (int k = 0; k < 3; ++k) {
            const tact_vec3 n = random_direction(&r), stretch = {random_range(&r, 0.01, 1.0), 1.0, 1.0};
            const tact_transform at = tact_transform_make(vec_make(0.0, 0.0, 0.0), random_rotation(&r), stretch);
            tact_vec3 foot, top;
            assert_int_equal(tact_shape_support(shapes[k], at, n, &foot), TACT_OK);
            const tact_vec3 from = vec_mul_add(foot, pow(10.0, random_range(&r, -7.0, -4.0)), n);
            const tact_closest c = tact_shape_closest(shapes[k], at, from);
            assert_int_equal(tact_shape_support(shapes[k], at, c.normal, &top), TACT_OK);
            const double missing = c.distance - vec_dot(c.normal, vec_sub(from, top));
            CHECK(c.status == TACT_OK && missing <= 1e-9 * c.distance + 1e-14, "%g of %g", missing, c.distance);
            tact_shape_release(shapes[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separating_axes_prove_what_they_say),
        cmocka_unit_test(boxes_that_touch_overlap),
        cmocka_unit_test(ridges_at_a_small_angle_do_not_overlap),
        cmocka_unit_test(normals_of_skewed_faces_are_perpendicular),
        cmocka_unit_test(depths_scale_with_the_shapes),
        cmocka_unit_test(points_of_faces_are_in_the_middle),
        cmocka_unit_test(caps_have_the_outline_of_their_rim),
        cmocka_unit_test(a_known_normal_is_for_boxes_that_touch),
        cmocka_unit_test(distances_have_the_stated_accuracy),
        cmocka_unit_test(bounding_spheres_that_touch_decide_nothing),
        cmocka_unit_test(normals_of_rays_are_normals),
        cmocka_unit_test(rays_hit_slivers_where_they_are),
        cmocka_unit_test(rays_hit_vertices),
        cmocka_unit_test(normals_of_closest_points_prove_the_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
