/*
 * Contact manifolds: known configurations, and for random pairs that every point is on both surfaces, that the deepest
 * has the depth of the pair, and that swapping A and B mirrors all of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <tact/tact.h>

#include "support/random.h"
#include "support/vec.h"

static const double quarter = 1.5707963267948966, eighth = 0.78539816339744831;

static void assert_near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        print_error("got %.17g, want %.17g, off by %.3g, allowed %.3g\n", got, want, got - want, tolerance);
    assert_true(fabs(got - want) <= tolerance);
}

/* The distance of a point from the shape (negative: inside), by its penetration depth. */
static double outside(const tact_shape *shape, tact_transform at, tact_vec3 p)
{
    tact_shape *point = tact_point(p);
    tact_penetration d = tact_shapes_penetration(shape, at, point, tact_identity());
    tact_shape_release(point);
    assert_int_equal(d.status, TACT_OK);
    return -d.depth;
}

/* Checks that hold for every manifold. */
static tact_manifold checked(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                             tact_transform transform_b, double reach, double tolerance)
{
    tact_manifold m = tact_shapes_manifold(a, transform_a, b, transform_b, reach),
                  s = tact_shapes_manifold(b, transform_b, a, transform_a, reach);
    tact_penetration d = tact_shapes_penetration(a, transform_a, b, transform_b);
    assert_int_equal(m.status, TACT_OK);
    assert_int_equal(d.status, TACT_OK);
    assert_true(m.depth == d.depth && vec_equal(m.normal, d.normal));
    assert_int_equal(m.state, d.depth >= -reach ? TACT_HIT : TACT_MISS);
    /* swapped */
    assert_int_equal(s.status, m.status);
    assert_int_equal(s.state, m.state);
    assert_int_equal(s.count, m.count);
    assert_true(s.depth == m.depth && vec_equal(s.normal, vec_negate(m.normal)));
    for (int i = 0; i < m.count; i++) {
        assert_true(s.points[i].depth == m.points[i].depth);
        assert_memory_equal(&s.points[i].on_a, &m.points[i].on_b, sizeof(tact_vec3));
        assert_memory_equal(&s.points[i].on_b, &m.points[i].on_a, sizeof(tact_vec3));
    }
    if (m.state == TACT_MISS) {
        assert_int_equal(m.count, 0);
        return m;
    }
    assert_in_range(m.count, 1, TACT_MANIFOLD_POINTS);
    assert_near(m.points[0].depth, m.depth, tolerance);
    for (int i = 0; i < m.count; i++) {
        const tact_manifold_point *p = &m.points[i];
        assert_true(p->depth >= -reach);
        assert_true(p->depth <= m.points[0].depth);
        tact_vec3 miss = vec_mul_add(vec_sub(p->on_a, p->on_b), -p->depth, m.normal);
        assert_near(vec_length(miss), 0.0, 1e-13);
        assert_near(outside(a, transform_a, p->on_a), 0.0, tolerance);
        assert_near(outside(b, transform_b, p->on_b), 0.0, tolerance);
        for (int k = 0; k < i; k++)
            assert_true(vec_length(vec_sub(p->on_a, m.points[k].on_a)) > 1e-9);
    }
    return m;
}

/* Twice the area that the points span, which must be in order around it. */
static double spanned(const tact_manifold *m)
{
    tact_vec3 area = {0.0, 0.0, 0.0};
    for (int i = 1; i + 1 < m->count; i++)
        area = vec_add(area, vec_cross(vec_sub(m->points[i].on_a, m->points[0].on_a),
                                       vec_sub(m->points[i + 1].on_a, m->points[0].on_a)));
    return vec_length(area);
}

static void box_on_box_gives_the_common_rectangle(void **state)
{
    (void)state;
    tact_shape *floor_box = tact_box(10.0, 1.0, 10.0), *box = tact_box(2.0, 2.0, 2.0);
    tact_manifold m = checked(floor_box, tact_at(0.0, -0.5, 0.0), box, tact_at(1.0, 0.99, 2.0), 0.0, 1e-13);
    assert_int_equal(m.count, 4);
    assert_near(m.depth, 0.01, 1e-15);
    assert_near(m.normal.y, 1.0, 1e-15);
    for (int i = 0; i < 4; i++) {
        assert_near(m.points[i].depth, 0.01, 1e-14);
        assert_near(fabs(m.points[i].on_a.x - 1.0), 1.0, 1e-13);
        assert_near(fabs(m.points[i].on_a.z - 2.0), 1.0, 1e-13);
        assert_near(m.points[i].on_a.y, 0.0, 1e-14);
        assert_near(m.points[i].on_b.y, -0.01, 1e-14);
    }
    assert_near(spanned(&m), 8.0, 1e-12);
    /* Over the edge: a rectangle of 1 by 2. */
    m = checked(floor_box, tact_at(0.0, -0.5, 0.0), box, tact_at(5.0, 0.99, 0.0), 0.0, 1e-13);
    assert_int_equal(m.count, 4);
    assert_near(spanned(&m), 4.0, 1e-12);
    /* Apart, within the maximum separation; and beyond it. */
    m = checked(floor_box, tact_at(0.0, -0.5, 0.0), box, tact_at(5.0, 1.01, 0.0), 0.02, 1e-13);
    assert_int_equal(m.count, 4);
    assert_near(m.points[3].depth, -0.01, 1e-14);
    m = checked(floor_box, tact_at(0.0, -0.5, 0.0), box, tact_at(5.0, 1.01, 0.0), 0.005, 1e-13);
    assert_int_equal(m.state, TACT_MISS);
    /* Exactly touching. */
    m = checked(floor_box, tact_at(0.0, -0.5, 0.0), box, tact_at(0.0, 1.0, 0.0), 0.0, 1e-13);
    assert_int_equal(m.count, 4);
    tact_shape_release(floor_box);
    tact_shape_release(box);
}

static void turned_boxes_give_an_octagon(void **state)
{
    (void)state;
    tact_shape *box = tact_box(2.0, 2.0, 2.0);
    tact_transform turned = tact_transform_make(
        tact_vec(0.0, 1.99, 0.0), tact_quat_from_axis_angle(tact_vec(0.0, 1.0, 0.0), eighth), tact_vec(1.0, 1.0, 1.0));
    tact_manifold m = checked(box, tact_identity(), box, turned, 0.0, 1e-12);
    assert_int_equal(m.count, 8);
    assert_near(spanned(&m), 2.0 * 8.0 * (sqrt(2.0) - 1.0), 1e-12);
    tact_shape_release(box);
}

static void an_edge_gives_two_points_and_a_vertex_one(void **state)
{
    (void)state;
    tact_shape *ground = tact_box(10.0, 1.0, 10.0), *box = tact_box(2.0, 2.0, 2.0);
    tact_vec3 one = {1.0, 1.0, 1.0};
    tact_transform on_edge = tact_transform_make(tact_vec(0.5, sqrt(2.0) - 0.01, 0.0),
                                                 tact_quat_from_axis_angle(tact_vec(1.0, 0.0, 0.0), eighth), one);
    tact_manifold m = checked(ground, tact_at(0.0, -0.5, 0.0), box, on_edge, 0.0, 1e-12);
    assert_int_equal(m.count, 2);
    assert_near(vec_length(vec_sub(m.points[0].on_a, m.points[1].on_a)), 2.0, 1e-12);
    assert_near(m.points[1].depth, 0.01, 1e-12);
    /* On its vertex: the diagonal upright. */
    tact_vec3 diagonal = {1.0 / sqrt(3.0), 1.0 / sqrt(3.0), 1.0 / sqrt(3.0)};
    tact_vec3 axis = vec_cross(diagonal, tact_vec(0.0, 1.0, 0.0));
    tact_transform on_corner = tact_transform_make(tact_vec(0.0, sqrt(3.0) - 0.01, 0.0),
                                                   tact_quat_from_axis_angle(axis, acos(1.0 / sqrt(3.0))), one);
    m = checked(ground, tact_at(0.0, -0.5, 0.0), box, on_corner, 0.0, 1e-12);
    assert_int_equal(m.count, 1);
    assert_near(m.depth, 0.01, 1e-12);
    /* Edge across edge. */
    tact_transform across = tact_transform_make(tact_vec(0.0, 2.0 * sqrt(2.0) - 0.01, 0.0),
                                                tact_quat_from_axis_angle(tact_vec(1.0, 0.0, 0.0), eighth), one);
    tact_transform below =
        tact_transform_make(tact_vec(0.0, 0.0, 0.0), tact_quat_from_axis_angle(tact_vec(0.0, 0.0, 1.0), eighth), one);
    m = checked(box, below, box, across, 0.0, 1e-12);
    assert_int_equal(m.count, 1);
    assert_near(m.points[0].on_a.x, 0.0, 1e-12);
    tact_shape_release(ground);
    tact_shape_release(box);
}

static void a_tilted_box_keeps_the_points_within_the_maximum_separation(void **state)
{
    (void)state;
    tact_shape *ground = tact_box(10.0, 1.0, 10.0), *box = tact_box(2.0, 2.0, 2.0);
    double tilt = 0.01;
    tact_transform at = tact_transform_make(
        tact_vec(0.0, 1.0, 0.0), tact_quat_from_axis_angle(tact_vec(1.0, 0.0, 0.0), tilt), tact_vec(1.0, 1.0, 1.0));
    tact_manifold m = checked(ground, tact_at(0.0, -0.5, 0.0), box, at, 0.1, 1e-12);
    assert_int_equal(m.count, 4);
    int deep = 0;
    for (int i = 0; i < 4; i++)
        deep += m.points[i].depth > 0.0;
    assert_int_equal(deep, 2);
    m = checked(ground, tact_at(0.0, -0.5, 0.0), box, at, 0.0, 1e-12);
    assert_int_equal(m.count, 2);
    tact_shape_release(ground);
    tact_shape_release(box);
}

static void sphere_swept_shapes_touch_in_one_or_two_points(void **state)
{
    (void)state;
    tact_shape *ground = tact_box(10.0, 1.0, 10.0), *ball = tact_sphere(1.0), *capsule = tact_capsule(0.5, 2.0),
               *egg = tact_ellipsoid(1.0, 2.0, 1.0);
    tact_transform floor_at = tact_at(0.0, -0.5, 0.0);
    tact_vec3 one = {1.0, 1.0, 1.0};
    tact_manifold m = checked(ground, floor_at, ball, tact_at(0.0, 0.9, 0.0), 0.0, 1e-12);
    assert_int_equal(m.count, 1);
    assert_near(m.points[0].on_b.y, -0.1, 1e-12);
    m = checked(ground, floor_at, egg, tact_at(0.0, 1.9, 0.0), 0.0, 1e-9);
    assert_int_equal(m.count, 1);
    /* A capsule lying, standing, and slightly tilted. */
    tact_transform lying =
        tact_transform_make(tact_vec(0.0, 0.4, 0.0), tact_quat_from_axis_angle(tact_vec(0.0, 0.0, 1.0), quarter), one);
    m = checked(ground, floor_at, capsule, lying, 0.0, 1e-12);
    assert_int_equal(m.count, 2);
    assert_near(vec_length(vec_sub(m.points[0].on_a, m.points[1].on_a)), 2.0, 1e-12);
    m = checked(ground, floor_at, capsule, tact_at(0.0, 1.4, 0.0), 0.0, 1e-12);
    assert_int_equal(m.count, 1);
    tact_transform leaning = tact_transform_make(
        tact_vec(0.0, 0.45, 0.0), tact_quat_from_axis_angle(tact_vec(0.0, 0.0, 1.0), quarter + 0.05), one);
    m = checked(ground, floor_at, capsule, leaning, 0.2, 1e-12);
    assert_int_equal(m.count, 2);
    /* at its high end the side is lower than the sphere there by radius / cosine - radius */
    assert_near(m.points[0].depth - m.points[1].depth, 2.0 * sin(0.05) - (0.5 / cos(0.05) - 0.5), 1e-12);
    /* Two parallel capsules, shifted along each other. */
    m = checked(capsule, tact_at(0.0, 0.0, 0.0), capsule, tact_at(0.8, 0.5, 0.0), 0.0, 1e-12);
    assert_int_equal(m.count, 2);
    assert_near(vec_length(vec_sub(m.points[0].on_a, m.points[1].on_a)), 1.5, 1e-12);
    tact_shape_release(ground);
    tact_shape_release(ball);
    tact_shape_release(capsule);
    tact_shape_release(egg);
}

static void caps_of_cylinders_and_cones_are_faces(void **state)
{
    (void)state;
    tact_shape *ground = tact_box(10.0, 1.0, 10.0), *cylinder = tact_cylinder(1.0, 2.0), *cone = tact_cone(1.0, 2.0);
    tact_transform floor_at = tact_at(0.0, -0.5, 0.0);
    tact_manifold m = checked(ground, floor_at, cylinder, tact_at(0.0, 0.99, 0.0), 0.0, 1e-12);
    assert_int_equal(m.count, 8);
    assert_true(spanned(&m) > 2.0 * 2.7); /* a regular octagon in the rim has 2.83 */
    for (int i = 0; i < 8; i++)
        assert_near(hypot(m.points[i].on_a.x, m.points[i].on_a.z), 1.0, 1e-12);
    m = checked(ground, floor_at, cone, tact_at(4.5, 0.99, 0.0), 0.0, 1e-12); /* partly over the edge */
    assert_true(m.count >= 6);
    assert_near(m.depth, 0.01, 1e-12);
    /* Lying: along a line. */
    tact_transform lying = tact_transform_make(
        tact_vec(0.0, 0.99, 0.0), tact_quat_from_axis_angle(tact_vec(0.0, 0.0, 1.0), quarter), tact_vec(1.0, 1.0, 1.0));
    m = checked(ground, floor_at, cylinder, lying, 0.0, 1e-9);
    assert_int_equal(m.count, 2);
    assert_near(vec_length(vec_sub(m.points[0].on_a, m.points[1].on_a)), 2.0, 1e-9);
    /* Cylinder on cylinder, cap on cap: the smaller rim. */
    tact_transform small = tact_transform_scale(tact_at(0.2, 1.99, 0.0), tact_vec(0.5, 1.0, 0.5));
    m = checked(cylinder, tact_identity(), cylinder, small, 0.0, 1e-12);
    assert_int_equal(m.count, 8);
    assert_true(spanned(&m) > 0.25 * 2.0 * 2.7);
    tact_shape_release(ground);
    tact_shape_release(cylinder);
    tact_shape_release(cone);
}

static void polygons_and_hulls_use_their_faces(void **state)
{
    (void)state;
    tact_vec3 pentagon[5], prism[10];
    for (int i = 0; i < 5; i++) {
        double t = 6.283185307179586 * i / 5.0;
        pentagon[i] = tact_vec(cos(t), sin(t), 0.0);
        prism[i] = tact_vec(cos(t), sin(t), -0.5);
        prism[i + 5] = tact_vec(cos(t), sin(t), 0.5);
    }
    tact_shape *polygon = tact_polygon(pentagon, 5), *hull = tact_hull(prism, 10), *box = tact_box(6.0, 6.0, 1.0);
    tact_manifold m = checked(hull, tact_identity(), polygon, tact_at(0.0, 0.0, 0.49), 0.0, 1e-12);
    assert_int_equal(m.count, 5);
    assert_near(m.depth, 0.01, 1e-13);
    m = checked(box, tact_at(0.0, 0.0, -0.99), hull, tact_identity(), 0.0, 1e-12);
    assert_int_equal(m.count, 5);
    tact_transform turned = tact_transform_make(
        tact_vec(0.0, 0.0, 0.99), tact_quat_from_axis_angle(tact_vec(0.0, 0.0, 1.0), 6.283185307179586 / 10.0),
        tact_vec(1.0, 1.0, 1.0));
    m = checked(hull, tact_identity(), hull, turned, 0.0, 1e-12);
    assert_int_equal(m.count, 8); /* of ten */
    m = checked(polygon, tact_identity(), polygon, tact_at(0.5, 0.0, 0.0), 0.0,
                1e-12); /* in one plane: touching all over */
    assert_true(m.count >= 4);
    tact_shape_release(polygon);
    tact_shape_release(hull);
    tact_shape_release(box);
}

static void rounded_boxes_rest_on_their_faces(void **state)
{
    (void)state;
    tact_shape *box = tact_box(2.0, 2.0, 2.0), *round = tact_rounded(box, 0.25), *ground = tact_box(10.0, 1.0, 10.0);
    tact_manifold m = checked(ground, tact_at(0.0, -0.5, 0.0), round, tact_at(0.0, 1.24, 0.0), 0.0, 1e-12);
    assert_int_equal(m.count, 4);
    assert_near(spanned(&m), 8.0, 1e-12);
    tact_transform leaning = tact_transform_make(
        tact_vec(0.0, 1.25, 0.0), tact_quat_from_axis_angle(tact_vec(1.0, 0.0, 0.3), 0.04), tact_vec(1.0, 1.0, 1.0));
    m = checked(ground, tact_at(0.0, -0.5, 0.0), round, leaning, 0.5,
                1e-12); /* points exactly on the rounded surface all the same */
    assert_int_equal(m.count, 4);
    tact_shape_release(box);
    tact_shape_release(round);
    tact_shape_release(ground);
}

static void random_pairs_keep_the_rules(void **state)
{
    (void)state;
    random_source r = random_seed(17);
    tact_vec3 points[14];
    for (int i = 0; i < 14; i++)
        points[i] = random_direction(&r);
    tact_shape *shapes[10] = {tact_box(1.0, 0.8, 1.4),
                              tact_hull(points, 14),
                              tact_sphere(0.6),
                              tact_cylinder(0.7, 1.2),
                              tact_cone(0.8, 1.0),
                              tact_ellipsoid(1.0, 0.6, 0.8),
                              tact_capsule(0.3, 1.0),
                              tact_tetrahedron(points[0], points[1], points[2], points[3]),
                              NULL,
                              NULL};
    shapes[8] = tact_rounded(shapes[0], 0.1);
    shapes[9] = tact_rounded(shapes[1], 0.1);
    const char *more = getenv("TACT_TEST_ROUNDS");
    int rounds = more != NULL ? atoi(more) : 8, counts[TACT_MANIFOLD_POINTS + 1] = {0};
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < 10; i++)
            for (int j = 0; j < 10; j++) {
                tact_vec3 one = {1.0, 1.0, 1.0};
                tact_vec3 from = random_direction(&r), step = random_direction(&r);
                tact_quat turn_a = random_rotation(&r), turn_b = random_rotation(&r);
                tact_transform transform_a = tact_transform_make(from, turn_a, one);
                tact_transform transform_b =
                    tact_transform_make(vec_mul_add(from, random_range(&r, 0.5, 1.5), step), turn_b, one);
                /* Half of them are put nearly face to face: B is rotated so that its closest axis is along the normal,
                 * and moved to touch. */
                if (random_chance(&r, 0.5)) {
                    tact_vec3 n = random_chance(&r, 0.5) ? transform_a.y_axis : transform_a.x_axis;
                    tact_quat twist = tact_quat_from_axis_angle(n, random_range(&r, 0.0, 6.0));
                    tact_vec3 about = random_direction(&r);
                    tact_quat tilt = tact_quat_from_axis_angle(about, random_chance(&r, 0.5) ? 0.0 : 0.02);
                    transform_b = tact_transform_rotate(
                        tact_transform_rotate(tact_transform_translate(transform_a, vec_scale(n, 3.0)), twist), tilt);
                    double gap = -tact_shapes_penetration(shapes[i], transform_a, shapes[j], transform_b).depth;
                    transform_b =
                        tact_transform_translate(transform_b, vec_scale(n, -(gap + random_range(&r, -0.02, 0.02))));
                }
                tact_manifold m = checked(shapes[i], transform_a, shapes[j], transform_b, 0.05, 1e-6);
                counts[m.count]++;
            }
    print_message("manifolds with 0 to 8 points: %d %d %d %d %d %d %d %d %d\n", counts[0], counts[1], counts[2],
                  counts[3], counts[4], counts[5], counts[6], counts[7], counts[8]);
    assert_true(counts[0] > rounds && counts[1] > 10 * rounds && counts[2] > rounds &&
                counts[3] + counts[4] > rounds / 2 && counts[8] > rounds / 2);
    for (int i = 0; i < 10; i++)
        tact_shape_release(shapes[i]);
}

static void bad_input_is_a_status(void **state)
{
    (void)state;
    tact_shape *box = tact_box(1.0, 1.0, 1.0);
    tact_transform here = tact_identity(), bad = here;
    bad.origin.x = NAN;
    const tact_manifold zero = {.status = TACT_BAD_ARGUMENT};
    tact_manifold m = tact_shapes_manifold(box, here, box, bad, 0.0);
    assert_memory_equal(&m, &zero, sizeof m);
    m = tact_shapes_manifold(box, here, box, here, -1.0);
    assert_memory_equal(&m, &zero, sizeof m);
    m = tact_shapes_manifold(box, here, box, here, NAN);
    assert_memory_equal(&m, &zero, sizeof m);
    m = tact_shapes_manifold(NULL, here, box, here, 0.0);
    assert_memory_equal(&m, &zero, sizeof m);
    m = tact_shapes_manifold(box, here, box, here, INFINITY);
    assert_int_equal(m.state, TACT_HIT);
    tact_shape_release(box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_on_box_gives_the_common_rectangle),
        cmocka_unit_test(turned_boxes_give_an_octagon),
        cmocka_unit_test(an_edge_gives_two_points_and_a_vertex_one),
        cmocka_unit_test(a_tilted_box_keeps_the_points_within_the_maximum_separation),
        cmocka_unit_test(sphere_swept_shapes_touch_in_one_or_two_points),
        cmocka_unit_test(caps_of_cylinders_and_cones_are_faces),
        cmocka_unit_test(polygons_and_hulls_use_their_faces),
        cmocka_unit_test(rounded_boxes_rest_on_their_faces),
        cmocka_unit_test(random_pairs_keep_the_rules),
        cmocka_unit_test(bad_input_is_a_status),
    };
    return cmocka_run_group_tests_name("manifold", tests, NULL, NULL);
}
