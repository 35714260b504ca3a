/*
 * The inline arithmetic of tact/math.h, and motions between two poses. A failure of a random case prints its seed;
 * TACT_TEST_SEED=n runs that case alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include <tact/tact.h>

#include "support/random.h"
#include "support/seeded_cases.h"

#define CASES 5000
#define PI 3.14159265358979323846

static tact_vec3 random_vector(random_source *r, double scale)
{
    const double x = random_range(r, -scale, scale), y = random_range(r, -scale, scale);
    return tact_vec(x, y, random_range(r, -scale, scale));
}

/* About any axis by any angle; in one of four cases by half a turn, nearly half a turn, or almost none. */
static tact_quat any_rotation(random_source *r)
{
    static const double special[] = {0.0, PI, PI - 1e-9, 1e-12};
    const double angle = random_chance(r, 0.25) ? special[random_below(r, 4)] : random_range(r, -PI, PI);
    return tact_quat_from_axis_angle(tact_vec_add(random_vector(r, 1.0), tact_vec(0.0, 0.0, 1.5)), angle);
}

static double off(tact_vec3 a, tact_vec3 b) { return fmax(fabs(a.x - b.x), fmax(fabs(a.y - b.y), fabs(a.z - b.z))); }

static tact_transform rotated(tact_vec3 origin, tact_quat q)
{
    return tact_transform_make(origin, q, tact_vec(1.0, 1.0, 1.0));
}

/* The same rotation: the quaternion or its negative. */
static double rotation_off(tact_quat a, tact_quat b)
{
    const double same = fmax(fmax(fabs(a.x - b.x), fabs(a.y - b.y)), fmax(fabs(a.z - b.z), fabs(a.w - b.w)));
    const double negative = fmax(fmax(fabs(a.x + b.x), fabs(a.y + b.y)), fmax(fabs(a.z + b.z), fabs(a.w + b.w)));
    return fmin(same, negative);
}

static void vectors_obey_their_identities(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(CASES); seed++) {
        random_source r = random_seed(seed);
        const tact_vec3 a = random_vector(&r, 8.0), b = random_vector(&r, 8.0), c = tact_vec_cross(a, b);
        const double s = random_range(&r, -2.0, 2.0);
        CHECK(off(tact_vec_add(tact_vec_sub(a, b), b), a) <= 1e-14, "a - b + b");
        CHECK(off(tact_vec_mul_add(a, s, b), tact_vec_add(a, tact_vec_scale(b, s))) <= 1e-14, "a + s b");
        CHECK(off(tact_vec_negate(a), tact_vec_scale(a, -1.0)) == 0.0, "-a");
        CHECK(off(tact_vec_lerp(a, b, 0.0), a) == 0.0 && off(tact_vec_lerp(a, b, 1.0), b) == 0.0, "ends");
        CHECK(off(tact_vec_lerp(a, b, 0.5), tact_vec_scale(tact_vec_add(a, b), 0.5)) <= 1e-14, "middle");
        CHECK(fabs(tact_vec_dot(a, c)) <= 1e-12 && fabs(tact_vec_dot(b, c)) <= 1e-12, "a x b is at right angles");
        /* |a x b|^2 + (a b)^2 = |a|^2 |b|^2 */
        const double both = pow(tact_vec_length(a) * tact_vec_length(b), 2.0);
        CHECK(fabs(tact_vec_dot(c, c) + pow(tact_vec_dot(a, b), 2.0) - both) <= 1e-13 * both, "Lagrange");
        CHECK(tact_vec_distance(a, b) == tact_vec_length(tact_vec_sub(a, b)), "distance");
        CHECK(fabs(tact_vec_length(tact_vec_normalize(a)) - 1.0) <= 4.0 * DBL_EPSILON, "unit length");
    }
    static const double sizes[] = {DBL_TRUE_MIN, 1e-300, 1e300, DBL_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
        assert_true(off(tact_vec_normalize(tact_vec(0.0, -sizes[i], 0.0)), tact_vec(0.0, -1.0, 0.0)) <= DBL_EPSILON);
    static const double bad[] = {0.0, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        const tact_vec3 none = tact_vec_normalize(tact_vec(i == 0 ? 0.0 : 1.0, bad[i], 0.0));
        assert_true(none.x == 0.0 && none.y == 0.0 && none.z == 0.0);
        const tact_quat q = {i == 0 ? 0.0 : 1.0, 0.0, bad[i], 0.0}, unit = tact_quat_normalize(q);
        assert_true(unit.x == 0.0 && unit.y == 0.0 && unit.z == 0.0 && unit.w == 1.0);
    }
}

static void quaternions_rotate_as_transforms_do(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(CASES); seed++) {
        random_source r = random_seed(seed);
        const tact_quat p = any_rotation(&r), q = any_rotation(&r), pq = tact_quat_multiply(p, q);
        const tact_vec3 a = random_vector(&r, 4.0), zero = tact_vec(0.0, 0.0, 0.0);
        const tact_transform by_q = rotated(zero, q);
        CHECK(off(tact_quat_rotate(q, a), tact_transform_vector(by_q, a)) <= 1e-14, "rotate");
        CHECK(off(tact_quat_rotate(pq, a), tact_quat_rotate(p, tact_quat_rotate(q, a))) <= 2e-14, "multiply");
        CHECK(off(tact_quat_rotate(tact_quat_conjugate(q), tact_quat_rotate(q, a)), a) <= 2e-14, "conjugate");
        CHECK(rotation_off(tact_quat_from_transform(by_q), q) <= 1e-15, "from a transform");
        const tact_vec3 vector = tact_quat_rotation_vector(q);
        const double angle = tact_vec_length(vector);
        CHECK(angle <= PI + 1e-15, "angle %g", angle);
        if (angle > 0.0)
            CHECK(rotation_off(tact_quat_from_axis_angle(vector, angle), q) <= 1e-15, "rotation vector");
        const double s = random_unit(&r);
        CHECK(rotation_off(tact_quat_slerp(p, q, 0.0), p) <= 1e-15, "slerp at 0");
        CHECK(rotation_off(tact_quat_slerp(p, q, 1.0), q) <= 2e-15, "slerp at 1");
        /* constant angular velocity: the rest of the way is that of the rest */
        const tact_quat middle = tact_quat_slerp(p, q, s);
        const tact_vec3 way = tact_quat_rotation_vector(tact_quat_multiply(q, tact_quat_conjugate(p)));
        const tact_vec3 done = tact_quat_rotation_vector(tact_quat_multiply(middle, tact_quat_conjugate(p)));
        CHECK(off(tact_vec_scale(way, s), done) <= 1e-14, "slerp at %g", s);
    }
    const tact_quat zero = {0.0, 0.0, 0.0, 0.0}, large = {1.2e308, -1.2e308, 1.2e308, 1.2e308},
                    small = {DBL_TRUE_MIN, -DBL_TRUE_MIN, DBL_TRUE_MIN, DBL_TRUE_MIN}, half = {0.5, -0.5, 0.5, 0.5};
    assert_true(rotation_off(tact_quat_normalize(large), half) <= DBL_EPSILON);
    assert_true(rotation_off(tact_quat_normalize(small), half) <= DBL_EPSILON);
    assert_true(rotation_off(tact_quat_normalize(zero), tact_quat_identity()) == 0.0);
}

static void the_shortest_rotation_arrives(void **state)
{
    (void)state;
    size_t opposite = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(CASES); seed++) {
        random_source r = random_seed(seed);
        const tact_vec3 a = random_vector(&r, 3.0);
        tact_vec3 b = random_vector(&r, 3.0);
        if (random_chance(&r, 0.5)) { /* nearly or exactly opposite, or the same */
            const double sign = random_chance(&r, 0.7) ? -1.0 : 1.0;
            const double noise = random_chance(&r, 0.3) ? 0.0 : ldexp(1.0, random_between(&r, -60, -1));
            b = tact_vec_mul_add(tact_vec_scale(a, sign * random_range(&r, 0.5, 2.0)), noise, b);
            opposite += sign < 0.0;
        }
        const tact_quat q = tact_quat_between(a, b);
        CHECK(off(tact_quat_rotate(q, tact_vec_normalize(a)), tact_vec_normalize(b)) <= 3e-15, "a becomes b");
        CHECK(fabs(q.x * a.x + q.y * a.y + q.z * a.z) <= 4e-15, "about an axis at right angles");
    }
    assert_true(few_cases() || opposite >= CASES / 8);
    const tact_vec3 zero = tact_vec(0.0, 0.0, 0.0), x = tact_vec(1.0, 0.0, 0.0);
    assert_true(rotation_off(tact_quat_between(zero, x), tact_quat_identity()) == 0.0);
    assert_true(rotation_off(tact_quat_between(x, zero), tact_quat_identity()) == 0.0);
}

/* Scaled, sheared and reflected poses included: at the end of the motion every axis is that of the other pose, and no
 * point was faster than the bound. */
static void motions_between_poses_arrive(void **state)
{
    (void)state;
    size_t sheared = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(CASES); seed++) {
        random_source r = random_seed(seed);
        tact_transform from = rotated(random_vector(&r, 9.0), any_rotation(&r));
        if (random_chance(&r, 0.5)) {
            from.x_axis = tact_vec_mul_add(tact_vec_scale(from.x_axis, random_size(&r, -4, 4)), 0.5, from.y_axis);
            ++sheared;
        }
        tact_transform to = tact_transform_compose(rotated(tact_vec(0.0, 0.0, 0.0), any_rotation(&r)), from);
        to.origin = random_vector(&r, 9.0);
        const double duration = fabs(random_size(&r, -10, 10));
        tact_motion motion;
        CHECK(tact_motion_between(from, to, duration, &motion) == TACT_OK, "status");
        const tact_transform end = tact_motion_at(motion, from, duration);
        CHECK(off(end.origin, to.origin) <= 1e-13 && off(end.x_axis, to.x_axis) <= 1e-12 &&
                  off(end.y_axis, to.y_axis) <= 1e-12 && off(end.z_axis, to.z_axis) <= 1e-12,
              "arrives");
        CHECK(tact_vec_length(motion.spin) * duration <= PI + 1e-12, "the shorter way");
        const tact_vec3 local = random_vector(&r, 1.0);
        const double t = random_unit(&r) * duration, dt = (duration - t) * random_unit(&r);
        const tact_transform one = tact_motion_at(motion, from, t), other = tact_motion_at(motion, from, t + dt);
        const double reach = tact_vec_length(tact_transform_vector(from, local));
        const double bound = tact_vec_length(motion.velocity) + tact_vec_length(motion.spin) * reach;
        CHECK(tact_vec_distance(tact_transform_point(one, local), tact_transform_point(other, local)) <=
                  bound * dt + 1e-12,
              "speed");
    }
    assert_true(few_cases() || sheared >= CASES / 8);
}

static void bad_poses_are_refused(void **state)
{
    (void)state;
    const tact_transform one = tact_identity();
    tact_transform sheared = one, reflected = one, singular = one, nan = one, far = one;
    sheared.x_axis.y = 1e-8;
    reflected.z_axis.z = -1.0;
    singular.x_axis.x = 0.0;
    nan.origin.x = NAN;
    far.origin.x = 1e300;
    const tact_motion before = tact_motion_linear(1.0, 2.0, 3.0);
    tact_motion motion = before;
    const tact_transform bad[] = {sheared, reflected, singular, nan};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        assert_int_equal(tact_motion_between(one, bad[i], 1.0, &motion), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_motion_between(bad[i], one, 1.0, &motion), TACT_BAD_ARGUMENT);
    }
    static const double durations[] = {0.0, -1.0, INFINITY, NAN};
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; ++i)
        assert_int_equal(tact_motion_between(one, one, durations[i], &motion), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_motion_between(one, far, 1e-100, &motion), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_motion_between(one, one, 1.0, NULL), TACT_BAD_ARGUMENT);
    assert_memory_equal(&motion, &before, sizeof motion);
    assert_int_equal(tact_motion_between(one, one, 1.0, &motion), TACT_OK);
    assert_true(tact_vec_length(motion.spin) == 0.0 && tact_vec_length(motion.velocity) == 0.0);
    assert_int_equal(tact_motion_between(one, one, 1e-310, &motion), TACT_OK);
    assert_true(tact_vec_length(motion.spin) == 0.0 && tact_vec_length(motion.velocity) == 0.0);
    tact_transform here = one, there = one;
    here.origin.x = -1e308;
    there.origin.x = 1e308;
    assert_int_equal(tact_motion_between(here, there, 1e10, &motion), TACT_OK);
    assert_true(fabs(motion.velocity.x - 2e298) <= 1e283);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_obey_their_identities), cmocka_unit_test(quaternions_rotate_as_transforms_do),
        cmocka_unit_test(the_shortest_rotation_arrives), cmocka_unit_test(motions_between_poses_arrive),
        cmocka_unit_test(bad_poses_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
