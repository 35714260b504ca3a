/*
 * What queries answer where there is nothing to find: the fields of a miss are zero, and a shape without points is
 * missed by everything and has no distance (tact/query.h, tact/world_query.h). Parts that a shape cannot have are
 * refused (tact/shape.h).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include <tact/tact.h>

enum { SHAPES = 12 };

static const tact_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static tact_shape *make_nurbs(void)
{
    static const double knots[4] = {0, 0, 1, 1};
    static const tact_vec3 points[4] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0.5}};
    return tact_nurbs(&(tact_nurbs_def){.degree = {1, 1}, .counts = {2, 2}, .knots = {knots, knots}, .points = points});
}

static void make_shapes(tact_shape *shapes[SHAPES])
{
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){corners, 4, 0, TACT_SCALAR_DOUBLE};
    def.indices = faces;
    def.index_count = 12;
    shapes[0] = tact_sphere(1);
    shapes[1] = tact_box(1, 1, 1);
    shapes[2] = tact_capsule(0.5, 1);
    shapes[3] = tact_cylinder(0.5, 1);
    shapes[4] = tact_cone(0.5, 1);
    shapes[5] = tact_ellipsoid(0.5, 0.6, 0.7);
    shapes[6] = tact_hull(corners, 4);
    shapes[7] = tact_minkowski_sum(shapes[0], shapes[1]);
    shapes[8] = tact_mesh(corners, 4, faces, 4);
    shapes[9] = tact_soup_create(&def, NULL);
    shapes[10] = tact_compound((const tact_shape *const[]){shapes[8], shapes[0]}, NULL, 2);
    shapes[11] = make_nurbs();
    for (int i = 0; i < SHAPES; i++)
        assert_non_null(shapes[i]);
}

static void release(tact_shape *shapes[], int count)
{
    for (int i = 0; i < count; i++)
        tact_shape_release(shapes[i]);
}

static void assert_zero(tact_vec3 v) { assert_true(v.x == 0.0 && v.y == 0.0 && v.z == 0.0); }

static void assert_no_part(tact_part p) { assert_true(p.leaf == 0 && p.face == 0); }

static void assert_ray_miss(tact_ray_hit h)
{
    assert_true(h.status == TACT_OK && h.state == TACT_MISS && h.t == 0.0);
    assert_zero(h.point);
    assert_zero(h.normal);
    assert_no_part(h.part);
}

static void assert_toi_miss(tact_toi t, double end)
{
    assert_true(t.status == TACT_OK && t.state == TACT_MISS && t.time == end);
    assert_zero(t.point);
    assert_zero(t.normal);
    assert_no_part(t.part_a);
    assert_no_part(t.part_b);
}

static void assert_common_miss(tact_common_point c)
{
    assert_true(c.status == TACT_OK && c.state == TACT_MISS);
    assert_zero(c.point);
    assert_no_part(c.part_a);
    assert_no_part(c.part_b);
}

static void assert_world_miss(tact_hit h)
{
    assert_true(h.status == TACT_OK && h.state == TACT_MISS && h.t == 0.0 && h.distance == 0.0);
    assert_true(h.body.generation == 0 && h.body.index == 0 && h.user == NULL);
    assert_zero(h.point);
    assert_zero(h.normal);
    assert_no_part(h.part);
    assert_no_part(h.part_of_shape);
}

static void fields_of_a_miss_are_zero(void **state)
{
    (void)state;
    tact_shape *shapes[SHAPES];
    make_shapes(shapes);
    const tact_transform here = tact_identity(), far = tact_at(9, 0, 0);
    const tact_motion still = tact_motion_still(), away = tact_motion_linear(1, 0, 0),
                      past = {.velocity = {0, 20, 0}, .spin = {0, 0, 3}};
    for (int i = 0; i < SHAPES; i++) {
        const tact_shape *a = shapes[i];
        assert_ray_miss(tact_shape_ray(a, here, tact_vec(5, 5, 5), tact_vec(1, 0, 0), INFINITY)); /* beside it */
        assert_ray_miss(tact_shape_ray(a, here, tact_vec(-5, 0.2, 0.1), tact_vec(1, 0, 0), 1.0)); /* too short */
        for (int k = 0; k < SHAPES; k++) {
            const tact_shape *b = shapes[k];
            assert_common_miss(tact_shapes_common_point(a, here, b, far, NULL));
            assert_toi_miss(tact_shapes_time_of_impact(a, here, still, b, far, away, 0.75), 0.75);
            assert_toi_miss(tact_shapes_time_of_impact(a, here, still, b, far, past, 0.75), 0.75);
            assert_toi_miss(tact_shapes_cast(a, here, tact_vec(0, 3, 0), b, far), 1.0);
            const tact_manifold m = tact_shapes_manifold(a, here, b, far, 0.1);
            assert_true(m.state == TACT_MISS && m.count == 0 && m.depth < -5.5); /* with the depth and its normal */
            assert_true(fabs(m.normal.x - 1.0) < 0.1);
        }
    }
    release(shapes, SHAPES);
}

static void fields_of_a_miss_in_a_world_are_zero(void **state)
{
    (void)state;
    tact_shape *shapes[SHAPES];
    make_shapes(shapes);
    tact_world *world = tact_world_create(NULL);
    int user = 1;
    for (int i = 0; i < SHAPES; i++)
        assert_true(tact_body_create(
                        world, &(tact_body_def){.shape = shapes[i], .transform = tact_at(3 * i, 0, 0), .user = &user})
                        .generation != 0);
    for (int i = 0; i < SHAPES; i++) {
        assert_world_miss(tact_world_ray(world, tact_vec(0, 0, 9), tact_vec(1, 0, 0), INFINITY, NULL));
        assert_world_miss(tact_world_cast(world, shapes[i], tact_at(0, 0, 9), tact_vec(1, 0, 0), NULL));
        assert_world_miss(tact_world_overlap(world, shapes[i], tact_at(0, 0, 9), NULL));
        assert_world_miss(tact_world_closest_shape(world, shapes[i], tact_at(0, 0, 9), 1.0, NULL));
    }
    assert_world_miss(tact_world_closest_point(world, tact_vec(0, 0, 9), 1.0, NULL));
    tact_world_release(world);
    release(shapes, SHAPES);
}

static void shapes_without_points_are_missed(void **state)
{
    (void)state;
    tact_shape *shapes[SHAPES], *empty[2] = {tact_mesh(corners, 4, faces, 0), tact_compound(NULL, NULL, 0)};
    make_shapes(shapes);
    const tact_transform here = tact_identity();
    const tact_motion still = tact_motion_still();
    for (int i = 0; i < 2; i++) {
        const tact_shape *a = empty[i];
        assert_non_null(a);
        assert_ray_miss(tact_shape_ray(a, here, tact_vec(0, 0, 0), tact_vec(1, 0, 0), 1.0));
        assert_int_equal(tact_shape_contains(a, here, tact_vec(0, 0, 0)).state, TACT_MISS);
        assert_int_equal(tact_shape_closest(a, here, tact_vec(0, 0, 0)).status, TACT_BAD_ARGUMENT);
        tact_bounds box;
        assert_int_equal(tact_shape_bounds(a, here, &box), TACT_BAD_ARGUMENT);
        for (int k = 0; k < SHAPES; k++) {
            const tact_shape *b = shapes[k];
            assert_int_equal(tact_shapes_overlap(a, here, b, here, NULL).state, TACT_MISS);
            assert_int_equal(tact_shapes_within(b, here, a, here, 1e9, NULL).state, TACT_MISS);
            assert_common_miss(tact_shapes_common_point(a, here, b, here, NULL));
            assert_int_equal(tact_shapes_contacts(a, here, b, here, 1.0, NULL, 0).state, TACT_MISS);
            assert_int_equal(tact_shapes_intersections(a, here, b, here, NULL, 0).state, TACT_MISS);
            assert_toi_miss(tact_shapes_time_of_impact(a, here, still, b, here, still, 0.5), 0.5);
            assert_toi_miss(tact_shapes_cast(b, here, tact_vec(1, 0, 0), a, here), 1.0);
            const tact_distance d = tact_shapes_distance(a, here, b, here);
            assert_true(d.status == TACT_BAD_ARGUMENT && d.distance == 0.0);
            const tact_penetration p = tact_shapes_penetration(b, here, a, here);
            assert_true(p.status == TACT_BAD_ARGUMENT && p.depth == 0.0);
            assert_int_equal(tact_shapes_manifold(a, here, b, here, 1.0).status, TACT_BAD_ARGUMENT);
        }
    }
    release(empty, 2);
    release(shapes, SHAPES);
}

static void parts_of_convex_shapes_are_convex(void **state)
{
    (void)state;
    static const tact_shape_type types[] = {TACT_MINKOWSKI_SUM, TACT_CONVEX_HULL_OF, TACT_TRANSFORMED};
    tact_shape *shapes[SHAPES];
    make_shapes(shapes);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k <= SHAPES; k++) {
            tact_shape_def def = tact_shape_def_default();
            def.type = types[i];
            def.parts[0] = k < SHAPES ? shapes[k] : NULL;
            def.parts[1] = shapes[0];
            tact_report report;
            tact_shape *made = tact_shape_create(&def, &report);
            assert_true((made != NULL) == (k < 8));
            assert_int_equal(report.status, k < 8 ? TACT_OK : TACT_BAD_ARGUMENT);
            tact_shape_release(made);
        }
    for (int k = 0; k < SHAPES; k++) { /* a compound takes all, and each can have a margin */
        tact_shape *rounded = tact_rounded(shapes[k], 0.5);
        tact_shape *made = tact_compound((const tact_shape *const[]){rounded}, NULL, 1);
        assert_true(made != NULL && tact_shape_get_margin(rounded) == 0.5);
        tact_shape_release(rounded);
        tact_shape_release(made);
    }
    assert_null(tact_compound((const tact_shape *const[]){NULL}, NULL, 1));
    assert_true(tact_rounded(NULL, 1.0) == NULL && tact_rounded(shapes[0], -1.0) == NULL);
    release(shapes, SHAPES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_a_miss_are_zero),
        cmocka_unit_test(fields_of_a_miss_in_a_world_are_zero),
        cmocka_unit_test(shapes_without_points_are_missed),
        cmocka_unit_test(parts_of_convex_shapes_are_convex),
    };
    return cmocka_run_group_tests_name("misses", tests, NULL, NULL);
}
