/*
 * Closest points and containment. A closest point is its own proof: it is on a supporting plane of the shape, and
 * outside, the direction to it is the plane's normal (in a convex set no other point can be closer). Inside, no
 * supporting plane may be closer than the answer. Besides, formulas for spheres, boxes, capsules and cylinders. A
 * failure prints the seed of its case; TACT_TEST_SEED=n runs that case alone, TACT_TEST_LONG=1 runs 100,000 of each
 * shape.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <tact/tact.h>

#include "support/random.h"
#include "support/vec.h"

enum { KINDS = 14 };

/* A sphere, as a custom shape. */
static tact_vec3 ball_support(void *context, tact_vec3 direction)
{
    double radius = *(const double *)context;
    return vec_scale(vec_normalize(direction), radius);
}

static tact_shape *make_shape(random_source *r, int kind, double *radius)
{
    tact_vec3 p[12];
    for (int i = 0; i < 12; i++)
        p[i] = vec_scale(random_direction(r), random_range(r, 0.3, 1.0));
    double x = random_range(r, 0.1, 1.0), y = random_range(r, 0.1, 2.0), z = random_range(r, 0.1, 2.0);
    tact_shape *one = NULL, *two = NULL, *whole = NULL;
    *radius = x;
    switch (kind) {
    case 0:
        return tact_sphere(x);
    case 1:
        return tact_box(x, y, z);
    case 2:
        return tact_capsule(x, y);
    case 3:
        return tact_cylinder(x, y);
    case 4:
        return tact_cone(x, y);
    case 5:
        return tact_ellipsoid(x, y, z);
    case 6:
        return tact_tetrahedron(p[0], p[1], p[2], p[3]);
    case 7:
        return tact_hull(p, 12);
    case 8:
        return tact_triangle(p[0], p[1], p[2]);
    case 9:
        return tact_segment(p[0], p[1]);
    case 10:
        return tact_custom(ball_support, radius, x);
    case 11:
        one = tact_box(x, y, z);
        whole = tact_rounded(one, x);
        break;
    case 12:
        one = tact_cylinder(x, y);
        two = tact_sphere(z);
        whole = tact_minkowski_sum(one, two);
        break;
    default:
        one = tact_cone(x, y);
        two = tact_box(z, x, y);
        whole = tact_convex_hull_of(one, two);
        break;
    }
    tact_shape_release(one);
    tact_shape_release(two);
    return whole;
}

#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_error("TACT_TEST_SEED=%llu kind %d: %s: ", (unsigned long long)seed, kind, #condition);              \
            print_error(__VA_ARGS__);                                                                                  \
            print_error("\n");                                                                                         \
            fail();                                                                                                    \
        }                                                                                                              \
    } while (0)

typedef struct tally {
    int outside, inside, deep, near, far_away;
} tally;

static double support_value(const tact_shape *shape, tact_transform at, tact_vec3 n)
{
    tact_vec3 p;
    assert_int_equal(tact_shape_support(shape, at, n, &p), TACT_OK);
    return vec_dot(n, p);
}

static void run_case(uint64_t seed, tally *seen)
{
    random_source source = random_seed(seed), *r = &source;
    int kind = (int)(seed % KINDS);
    double radius;
    tact_shape *shape = make_shape(r, kind, &radius);
    assert_non_null(shape);
    double size = ldexp(1.0, random_between(r, -20, 20));
    tact_vec3 scale = {size, size, size};
    if (random_chance(r, 0.5))
        scale = tact_vec(size * random_range(r, 0.1, 1.0), -size * random_range(r, 0.1, 1.0),
                         size * random_range(r, 0.1, 1.0));
    tact_transform at = tact_transform_make(vec_scale(random_direction(r), size * random_range(r, 0.0, 3.0)),
                                            random_rotation(r), scale);
    double away = random_chance(r, 0.1) ? 1000.0 : random_chance(r, 0.4) ? 0.2 : random_range(r, 0.0, 4.0);
    tact_vec3 from = vec_mul_add(at.origin, size * away, random_direction(r));
    if (random_chance(r, 0.2)) { /* close to the surface, on either side */
        tact_closest c = tact_shape_closest(shape, at, from);
        from = vec_mul_add(c.point, size * random_size(r, -40, -10), c.normal);
    }
    tact_closest got = tact_shape_closest(shape, at, from);
    double largest = vec_length(from) + vec_length(at.origin) + 6.0 * size, d = got.distance;
    CHECK(got.status == TACT_OK, "status %d", (int)got.status);
    CHECK(fabs(vec_length(got.normal) - 1.0) < 1e-12, "normal of length %g", vec_length(got.normal));
    /* from = point + distance normal; on curved shapes a distance with a few rounding errors determines the direction
     * only to the square root of them */
    double slip = vec_length(vec_sub(from, vec_mul_add(got.point, d, got.normal)));
    CHECK(slip <= sqrt(3.0 * fabs(d) * (1e-10 * fabs(d) + 4e-15 * largest)) + 1e-14 * largest,
          "point and normal disagree by %g of %g, distance %g", slip, size, d);
    /* The direction between points a distance d apart is off by their rounding error over d. */
    double lean = fmin(1e-9, 2e-15 * largest / fabs(d)) * 4.0 * size,
           loose = (d < 0.0 ? 1e-6 : 2e-10) * fabs(d) + 1e-14 * largest;
    double plane = support_value(shape, at, got.normal) - vec_dot(got.normal, got.point);
    CHECK(plane <= lean + loose, "not a supporting plane: %g beyond, distance %g, size %g", plane, d, size);
    CHECK(plane >= -loose, "the point is %g off the shape, distance %g", -plane, d);
    if (d < 0.0)
        for (int i = 0; i < 60; i++) {
            tact_vec3 n = random_direction(r);
            double room = support_value(shape, at, n) - vec_dot(n, from);
            CHECK(room >= -d * (1.0 - 1e-6) - 1e-13 * largest, "a nearer side: %g, not %g", room, -d);
        }
    double band = 1e-12 * largest;
    tact_overlap in = tact_shape_contains(shape, at, from);
    CHECK(in.status == TACT_OK, "contains: status %d", (int)in.status);
    if (fabs(d) > band)
        CHECK((in.state == TACT_HIT) == (d < 0.0), "contains says %d at distance %g", (int)in.state, d);
    seen->outside += d > band;
    seen->inside += d < -band;
    seen->deep += d < -0.02 * size;
    seen->near += fabs(d) < 1e-4 * size;
    seen->far_away += d > 100.0 * size;
    /* Formulas, under uniform scale. */
    if (scale.x == scale.y && scale.x == scale.z) {
        tact_transform back;
        assert_int_equal(tact_transform_invert(at, &back), TACT_OK);
        tact_vec3 p = tact_transform_point(back, from);
        tact_vec3 a, b;
        assert_int_equal(tact_shape_support(shape, tact_identity(), tact_vec(1, 1, 1), &a), TACT_OK);
        assert_int_equal(tact_shape_support(shape, tact_identity(), tact_vec(0, 1, 0), &b), TACT_OK);
        double expected = NAN, across = hypot(p.x, p.z);
        if (kind == 0 || kind == 10)
            expected = vec_length(p) - radius;
        if (kind == 1) {
            double x = fabs(p.x) - a.x, y = fabs(p.y) - a.y, z = fabs(p.z) - a.z;
            double most = fmax(x, fmax(y, z));
            expected = most < 0.0 ? most : vec_length(tact_vec(fmax(x, 0.0), fmax(y, 0.0), fmax(z, 0.0)));
        }
        if (kind == 2)
            expected = hypot(across, fmax(fabs(p.y) - (b.y - radius), 0.0)) - radius;
        if (kind == 3) {
            double x = across - radius, y = fabs(p.y) - b.y;
            expected = fmax(x, y) < 0.0 ? fmax(x, y) : hypot(fmax(x, 0.0), fmax(y, 0.0));
        }
        if (expected == expected)
            CHECK(fabs(d - size * expected) <= 1e-6 * fmax(-d, 0.0) + 2e-10 * fabs(d) + 1e-13 * largest,
                  "distance %.17g, not %.17g", d, size * expected);
    }
    tact_shape_release(shape);
}

static void closest_points_are_closest(void **state)
{
    (void)state;
    tally seen = {0};
    const char *one = getenv("TACT_TEST_SEED");
    if (one != NULL) {
        run_case(strtoull(one, NULL, 10), &seen);
        return;
    }
    int count = KINDS * (getenv("TACT_TEST_LONG") != NULL ? 100000 : 300);
    for (int i = 0; i < count; i++)
        run_case((uint64_t)i, &seen);
    print_message("outside %d inside %d (deep %d) near %d far %d\n", seen.outside, seen.inside, seen.deep, seen.near,
                  seen.far_away);
    assert_true(seen.outside > count / 4);
    assert_true(seen.inside > count / 10);
    assert_true(seen.deep > count / 20);
    assert_true(seen.near > count / 20);
    assert_true(seen.far_away > count / 30);
}

static void special_points_answer(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(2.0), *box = tact_box(2.0, 4.0, 6.0), *dot = tact_point(tact_vec(1, 2, 3));
    tact_closest c =
        tact_shape_closest(ball, tact_identity(), tact_vec(0, 0, 0)); /* the centre: any direction, but one */
    assert_int_equal(c.status, TACT_OK);
    assert_true(fabs(c.distance + 2.0) < 1e-15 && fabs(vec_length(c.normal) - 1.0) < 1e-15 &&
                fabs(vec_length(c.point) - 2.0) < 1e-15);
    c = tact_shape_closest(box, tact_identity(), tact_vec(0.5, 0, 0));
    assert_true(fabs(c.distance + 0.5) < 1e-15 && fabs(c.normal.x - 1.0) < 1e-15 && fabs(c.point.x - 1.0) < 1e-15);
    c = tact_shape_closest(dot, tact_identity(), tact_vec(1, 2, 3));
    assert_int_equal(c.status, TACT_OK);
    assert_true(fabs(c.distance) < 1e-14 && vec_finite(c.normal));
    c = tact_shape_closest(dot, tact_identity(), tact_vec(1, 2, 5));
    assert_true(c.distance == 2.0 && c.normal.z == 1.0);
    /* vertices are in their shape under any transform */
    random_source r = random_seed(5);
    for (int i = 0; i < 200; i++) {
        tact_transform at =
            tact_transform_make(vec_scale(random_direction(&r), 10.0), random_rotation(&r), tact_vec(1, 2, -0.5));
        tact_vec3 corner = tact_transform_point(at, tact_vec(1, -2, 3));
        assert_int_equal(tact_shape_contains(box, at, corner).state, TACT_HIT);
        assert_true(fabs(tact_shape_closest(box, at, corner).distance) < 1e-13);
    }
    tact_shape_release(ball);
    tact_shape_release(box);
    tact_shape_release(dot);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(1.0);
    tact_transform flat = tact_identity();
    flat.z_axis = tact_vec(0, 0, 0);
    const tact_vec3 p = {0, 0, 3};
    assert_int_equal(tact_shape_closest(NULL, tact_identity(), p).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_closest(ball, flat, p).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_closest(ball, tact_identity(), tact_vec(NAN, 0, 0)).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_closest(ball, tact_identity(), tact_vec(INFINITY, 0, 0)).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_contains(NULL, tact_identity(), p).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_contains(ball, flat, p).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_contains(ball, tact_identity(), tact_vec(0, -INFINITY, 0)).status, TACT_BAD_ARGUMENT);
    tact_shape_release(ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closest_points_are_closest),
        cmocka_unit_test(special_points_answer),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests_name("closest", tests, NULL, NULL);
}
