/*
 * Shapes at limits of shape_constants.h: the largest coordinates, directions and hulls of any length, transforms that
 * are almost similarities, custom shapes with a known curvature. Support points are compared with the largest product
 * over all vertices.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <tact/mesh.h>
#include <tact/query.h>
#include <tact/shape.h>

#include "math/vec.h"
#include "shape/convex.h"
#include "shape/hull.h"
#include "shape/shape_data.h"
#include "support/random.h"
#include "support/seeded_cases.h"

enum { POINTS = 2000 };

static tact_vec3 cloud[POINTS];

static tact_vec3 scaled(tact_vec3 v, int exponent)
{
    return vec_make(ldexp(v.x, exponent), ldexp(v.y, exponent), ldexp(v.z, exponent));
}

static void make_cloud(random_source *r, int count)
{
    for (int i = 0; i < count; ++i)
        cloud[i] = random_direction(r);
}

static void coordinates_beyond_the_limit_are_refused(void **state)
{
    (void)state;
    static const double sizes[] = {0.99e150, 1.01e150};
    for (int i = 0; i < 2; ++i) {
        const tact_vec3 ends[2] = {{sizes[i], 0.0, 0.0}, {0.0, 0.0, 0.0}}, corner = {0.0, sizes[i], 0.0};
        const tact_vec3 vertices[3] = {ends[0], ends[1], {0.0, 1.0, 0.0}};
        const uint32_t indices[3] = {0, 1, 2};
        tact_shape *shapes[] = {tact_sphere(sizes[i]), tact_point(corner), tact_segment(ends[0], ends[1]),
                                tact_hull(ends, 2), tact_mesh(vertices, 3, indices, 1)};
        for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; ++k) {
            assert_true((shapes[k] != NULL) == (i == 0));
            tact_shape_release(shapes[k]);
        }
    }
}

/* The support point of a hull along a direction times 2^exponent. The hull is the cloud times 2^size. */
static void check_support(uint64_t seed, const tact_shape *shape, int count, int size, tact_vec3 direction,
                          int exponent)
{
    const hull *h = shape->hull;
    const tact_vec3 d = scaled(direction, exponent);
    const uint32_t found = tact_hull_support_along(h, d.x, d.y, d.z);
    double most = -INFINITY;
    for (int i = 0; i < count; ++i)
        most = fmax(most, vec_dot(cloud[i], direction));
    const double value = vec_dot(scaled(h->vertices[found], -size), direction);
    CHECK(fabs(value - most) <= 4.0 * DBL_EPSILON, "off by %g, 2^%d, direction 2^%d", most - value, size, exponent);
}

/* A direction along which the two farthest vertices are equally far, up to some 1e-8. */
static tact_vec3 near_tie(random_source *r, int count)
{
    const tact_vec3 d = random_direction(r);
    int first = 0, second = 1;
    for (int i = 1; i < count; ++i) {
        if (vec_dot(cloud[i], d) > vec_dot(cloud[first], d)) {
            second = first;
            first = i;
        } else if (i != first && vec_dot(cloud[i], d) > vec_dot(cloud[second], d)) {
            second = i;
        }
    }
    const tact_vec3 e = vec_sub(cloud[first], cloud[second]);
    const double along = vec_dot(d, e) / vec_length_squared(e);
    return vec_mul_add(d, -along + 1e-7 * random_range(r, -1.0, 1.0), e);
}

static void support_points_are_the_farthest(void **state)
{
    (void)state;
    static const int counts[] = {20, 300, 1000, POINTS};
    for (uint64_t seed = first_seed(); seed <= last_seed(4); ++seed) {
        random_source r = random_seed(seed);
        const int count = counts[seed % 4];
        make_cloud(&r, count);
        tact_shape *shape = tact_hull(cloud, (size_t)count);
        assert_non_null(shape);
        for (int i = 0; i < 8000; ++i)
            check_support(seed, shape, count, 0, i % 2 ? near_tie(&r, count) : random_direction(&r), 0);
        for (int exponent = -1060; exponent <= 1020; exponent += 4)
            check_support(seed, shape, count, 0, vec_make(1.0, 0.25, -0.5), exponent);
        tact_shape_release(shape);
    }
}

static void support_points_of_hulls_of_any_size_are_the_farthest(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(2); ++seed) {
        random_source r = random_seed(seed);
        const int count = seed % 2 ? 20 : 300;
        for (int size = -1040; size <= 490; size += 10) {
            make_cloud(&r, count);
            for (int i = 0; i < count; ++i)
                cloud[i] = scaled(cloud[i], size);
            tact_shape *shape = tact_hull(cloud, (size_t)count);
            assert_non_null(shape);
            CHECK(size < -1000 || tact_shape_get_points(shape, NULL, 0) == (size_t)count,
                  "2^%d: not all points are vertices", size);
            for (int i = 0; i < count; ++i)
                cloud[i] = scaled(cloud[i], -size);
            for (int i = 0; i < 20 && tact_shape_get_points(shape, NULL, 0) == (size_t)count; ++i)
                check_support(seed, shape, count, size, random_direction(&r), 0);
            tact_shape_release(shape);
        }
    }
}

/* A sphere stretched along x by a little is no sphere, and its support point says so. */
static void almost_similarities_are_not_similarities(void **state)
{
    (void)state;
    tact_shape *sphere = tact_sphere(1.0);
    for (int exponent = -46; exponent <= -20; ++exponent) {
        const double stretch = 1.0 + ldexp(1.0, exponent);
        const tact_vec3 scale = {stretch, 1.0, 1.0}, x = {1.0, 0.0, 0.0};
        const tact_quat none = {.w = 1.0};
        tact_vec3 point;
        assert_int_equal(
            tact_shape_support(sphere, tact_transform_make(vec_make(0.0, 0.0, 0.0), none, scale), x, &point), TACT_OK);
        assert_true(fabs(point.x - stretch) <= 4.0 * DBL_EPSILON);
    }
    tact_shape_release(sphere);
}

/* The bounding radius of a mesh is not 0 because squares underflow: what overlaps is not beyond it. */
static void tiny_meshes_have_a_radius(void **state)
{
    (void)state;
    const uint32_t indices[3] = {0, 1, 2};
    for (int size = -900; size <= 450; size += 50) {
        const tact_vec3 vertices[3] = {scaled(vec_make(1.0, 0.0, 0.0), size), scaled(vec_make(-1.0, 1.0, 0.0), size),
                                       scaled(vec_make(-1.0, -1.0, 0.0), size)};
        tact_shape *triangle = tact_mesh(vertices, 3, indices, 1);
        assert_non_null(triangle);
        const tact_quat quarter = {.x = sqrt(0.5), .w = sqrt(0.5)};
        const tact_transform there =
            tact_transform_make(scaled(vec_make(0.5, 0.25, 0.25), size), quarter, vec_make(1.0, 1.0, 1.0));
        const tact_overlap hit = tact_shapes_overlap(triangle, tact_identity(), triangle, there, NULL);
        assert_true(hit.status == TACT_OK && hit.state == TACT_HIT);
        tact_shape_release(triangle);
    }
}

/* ---- curvature of custom shapes ---- */

static const tact_vec3 semi_axes = {1.0, 2.0, 3.0};

static tact_vec3 ellipsoid_support(void *context, tact_vec3 d)
{
    (void)context;
    const tact_vec3 scaled_d = {semi_axes.x * d.x, semi_axes.y * d.y, semi_axes.z * d.z};
    const double length = vec_length(scaled_d);
    return vec_make(semi_axes.x * scaled_d.x / length, semi_axes.y * scaled_d.y / length,
                    semi_axes.z * scaled_d.z / length);
}

/* A capsule along z: the support point jumps where z changes its sign. */
static tact_vec3 capsule_support(void *context, tact_vec3 d)
{
    (void)context;
    return vec_add(vec_normalize(d), vec_make(0.0, 0.0, d.z < 0.0 ? -1.0 : 1.0));
}

/* Compared with the library's ellipsoid, whose curvature is computed in closed form, and with a sphere. */
static void curvatures_of_custom_shapes_are_those_of_their_surface(void **state)
{
    (void)state;
    tact_shape *custom = tact_custom(ellipsoid_support, NULL, 3.0), *exact = tact_ellipsoid(1.0, 2.0, 3.0);
    tact_shape *capsule = tact_custom(capsule_support, NULL, 2.0);
    const tact_transform at = tact_identity();
    convex c, e, k;
    assert_int_equal(tact_convex_make(&c, custom, &at), TACT_OK);
    assert_int_equal(tact_convex_make(&e, exact, &at), TACT_OK);
    assert_int_equal(tact_convex_make(&k, capsule, &at), TACT_OK);
    for (uint64_t seed = first_seed(); seed <= last_seed(200); seed++) {
        random_source r = random_seed(seed);
        double found[6] = {0.0}, right[6] = {0.0}, round[6] = {0.0};
        const tact_vec3 n = random_direction(&r);
        tact_convex_curvature(&c, n, found);
        tact_convex_curvature(&e, n, right);
        for (int i = 0; i < 6; ++i)
            CHECK(fabs(found[i] - right[i]) <= 1e-7, "entry %d: %g, not %g", i, found[i], right[i]);
        const tact_vec3 q = vec_normalize(vec_make(n.x, n.y, n.z < 0.0 ? -1e-6 : 1e-6)); /* beside the jump */
        const double unit[6] = {1.0 - q.x * q.x, 1.0 - q.y * q.y, 1.0 - q.z * q.z, -q.x * q.y, -q.x * q.z, -q.y * q.z};
        tact_convex_curvature(&k, q, round);
        for (int i = 0; i < 6; ++i)
            CHECK(fabs(round[i] - unit[i]) <= 1e-4, "entry %d: %g, not %g", i, round[i], unit[i]);
    }
    tact_shape_release(custom);
    tact_shape_release(exact);
    tact_shape_release(capsule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates_beyond_the_limit_are_refused),
        cmocka_unit_test(support_points_are_the_farthest),
        cmocka_unit_test(support_points_of_hulls_of_any_size_are_the_farthest),
        cmocka_unit_test(almost_similarities_are_not_similarities),
        cmocka_unit_test(tiny_meshes_have_a_radius),
        cmocka_unit_test(curvatures_of_custom_shapes_are_those_of_their_surface),
    };
    return cmocka_run_group_tests_name("shape_limits", tests, NULL, NULL);
}
