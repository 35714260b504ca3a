/*
 * Billiards with known answers, over thousands of bounces, with each engine: how accurate events and elastic bounces
 * are in the end.
 *
 * Unfolding: instead of a path that is reflected at a line, follow the straight one through mirrored copies of the
 * table. The position of the ball is found by folding one point back, and the number of bounces by counting the lines
 * crossed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>
#include <tact/tact.h>

#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/vec.h"

static const tact_kinetic kinetics[] = {TACT_KINETIC_AUTO, TACT_KINETIC_SWEEP_AND_PRUNE, TACT_KINETIC_FAT_BOUNDS};

static const long double pi = 3.14159265358979323846264338327950288L;

static tact_world *new_world(tact_kinetic kinetic)
{
    const tact_world_def def = {.kinetic = kinetic};
    tact_world *world = tact_world_create(&def);
    assert_non_null(world);
    return world;
}

static tact_body add(tact_world *world, const tact_shape *shape, tact_transform place, tact_motion motion, double mass)
{
    const tact_body body =
        tact_body_create(world, &(tact_body_def){.shape = shape, .transform = place, .motion = motion});
    assert_int_not_equal(body.generation, 0);
    assert_int_equal(tact_body_set_mass(world, body, mass), TACT_OK);
    return body;
}

static long run(tact_world *world, double until)
{
    long touches = 0;
    tact_event e;
    for (; tact_world_next_event(world, until, &e) == TACT_EVENT_TOUCH; ++touches)
        assert_int_equal(tact_world_bounce(world, &e, 1.0), TACT_OK);
    assert_int_equal(e.status, TACT_OK);
    return touches;
}

/* ---- the digits of pi (G. Galperin, "Playing pool with pi", 2003) ----
 *
 * A heavy body drives a light one, at rest before, against a wall. With x and y where they are, times the roots of
 * their masses, the light one's wall is the line y = 0, their touch the line y = x tan(a), tan(a) the root of the ratio
 * of masses: a billiard in a wedge. The straight path crosses all lines at the angles a, 2a, ... below pi: with 100^k
 * times the mass as many as the first k + 1 digits of pi say. */

typedef struct wedge {
    long double x, y; /* in the wedge */
    long crossed;     /* lines on the variant */
} wedge;

/* Folds the point at the end of a path that begins in the wedge and goes to the left. */
static wedge fold_wedge(long double x, long double y, long double angle)
{
    const long double far = hypotl(x, y), at = atan2l(y, x);
    const long double n = floorl(at / angle), rest = at - n * angle;
    const bool mirrored = fmodl(n, 2.0L) != 0.0L;
    const long double folded = mirrored ? angle - rest : rest;
    return (wedge){far * cosl(folded), far * sinl(folded), (long)n};
}

static void a_heavy_body_counts_the_digits_of_pi(void **state)
{
    (void)state;
    static const long digits[] = {3, 31, 314, 3141, 31415};
    double worst = 0.0;
    for (int shape = 0; shape < 2; ++shape)
        for (size_t variant = 0; variant < sizeof kinetics / sizeof kinetics[0]; ++variant)
            for (int k = 0; k < 5; ++k) {
                const uint64_t seed = (uint64_t)k;
                const double mass = pow(100.0, k);
                tact_shape *body = shape == 0 ? tact_sphere(0.5) : tact_box(1.0, 1.0, 1.0), *wall = tact_box(1, 8, 8);
                tact_world *world = new_world(kinetics[variant]);
                (void)add(world, wall, tact_at(-0.5, 0, 0), tact_motion_still(), 0.0);
                const double small_gap = 1.0, big_gap = 1.25; /* from the wall, less what lies between */
                const tact_body small = add(world, body, tact_at(small_gap + 0.5, 0, 0), tact_motion_still(), 1.0);
                const tact_body big =
                    add(world, body, tact_at(big_gap + 1.5, 0, 0), tact_motion_linear(-1, 0, 0), mass);
                const double end = 10.0; /* with 10,000 to 1 the last bounce comes at 7 */
                const long touches = run(world, end);
                const long double root = sqrtl((long double)mass), angle = atanl(1.0L / root);
                const wedge w = fold_wedge(root * ((long double)big_gap - end), small_gap, angle);
                CHECK(touches == digits[k], "%ld bounces, not %ld", touches, digits[k]);
                CHECK(w.crossed == digits[k], "the oracle says %ld", w.crossed);
                const double off_big = (double)(tact_body_get_transform(world, big).origin.x - 1.5L - w.x / root);
                const double off_small = (double)(tact_body_get_transform(world, small).origin.x - 0.5L - w.y);
                worst = fmax(worst, fmax(fabs(off_big), fabs(off_small)));
                CHECK(fabs(off_big) < 1e-9, "the heavy one is off by %g", off_big);
                CHECK(fabs(off_small) < 1e-9, "the light one is off by %g", off_small);
                const double u = tact_body_get_motion(world, big).velocity.x;
                const double v = tact_body_get_motion(world, small).velocity.x;
                CHECK(fabs(mass * u * u + v * v - mass) < 1e-9 * mass, "energy");
                tact_world_release(world);
                tact_shape_release(body);
                tact_shape_release(wall);
            }
    print_message("31,415 bounces at most; off by %.2g at most\n", worst);
}

/* ---- a ball on a table with three sides of equal length ----
 *
 * Its mirrored copies fill the plane. The sides are turned to the last bit but one of a double: over a path of 2,000
 * and 700 bounces that alone makes some 1e-10. */

/* How far a point is inside of side k, whose normals are 120 degrees apart; `half_width` is the inradius. */
static long double inside(const long double p[2], int k, long double half_width)
{
    const long double a = 2.0L * pi * k / 3.0L;
    return half_width - (cosl(a) * p[0] + sinl(a) * p[1]);
}

static long fold_triangle(long double p[2], long double half_width)
{
    long mirrored = 0;
    for (int k = 0, clear = 0; clear < 3; k = (k + 1) % 3) {
        const long double d = inside(p, k, half_width), a = 2.0L * pi * k / 3.0L;
        clear = d < 0.0L ? 0 : clear + 1;
        if (d < 0.0L) {
            p[0] += 2.0L * d * cosl(a);
            p[1] += 2.0L * d * sinl(a);
            ++mirrored;
        }
    }
    return mirrored;
}

static void a_ball_on_a_triangular_table(void **state)
{
    (void)state;
    double worst = 0.0;
    long most = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(6); ++seed) {
        random_source r = random_seed(seed);
        const double radius = 0.25, half_width = 2.0, angle = random_range(&r, 0.0, 6.28),
                     speed = random_range(&r, 5.0, 9.0);
        const double end = 256.0;
        tact_shape *ball = tact_sphere(radius), *wall = tact_box(1.0, 24.0, 4.0);
        tact_world *world = new_world(kinetics[seed % 3]);
        for (int k = 0; k < 3; ++k) {
            const double half = (double)(pi * k / 3.0L), far = half_width + radius + 0.5;
            const tact_vec3 at = {far * cos(2.0 * half), far * sin(2.0 * half), 0.0};
            (void)add(world, wall,
                      tact_transform_make(at, (tact_quat){0.0, 0.0, sin(half), cos(half)}, vec_make(1.0, 1.0, 1.0)),
                      tact_motion_still(), 0.0);
        }
        const double from[2] = {random_range(&r, -0.5, 0.5), random_range(&r, -0.5, 0.5)};
        const double v[2] = {speed * cos(angle), speed * sin(angle)};
        const tact_body body =
            add(world, ball, tact_at(from[0], from[1], 0.0), tact_motion_linear(v[0], v[1], 0.0), 1.0);
        const long touches = run(world, end);
        long double p[2] = {(long double)from[0] + (long double)v[0] * end,
                            (long double)from[1] + (long double)v[1] * end};
        const long mirrored = fold_triangle(p, half_width);
        const tact_vec3 there = tact_body_get_transform(world, body).origin;
        const double off = fmax(fabs((double)(there.x - p[0])), fabs((double)(there.y - p[1])));
        CHECK(touches == mirrored, "%ld bounces, in truth %ld", touches, mirrored);
        CHECK(off < 1e-9 && fabs(there.z) < 1e-9, "off by %g after %ld", off, touches);
        worst = fmax(worst, off);
        most = touches > most ? touches : most;
        tact_world_release(world);
        tact_shape_release(ball);
        tact_shape_release(wall);
    }
    print_message("%ld bounces at most; off by %.2g at most\n", most, worst);
    assert_true(few_cases() || most > 500);
}

/* ---- a closed box full of balls and cubes ---- */

/* Balls, and cubes that turn: energy after many bounces among them and with the walls. */
static void a_room_of_balls_and_cubes_keeps_its_energy(void **state)
{
    (void)state;
    enum { SIDE = 3, MANY = SIDE * SIDE * SIDE };
    const long wanted = getenv("TACT_TEST_LONG") != NULL ? 20000 : 2000;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(2, 2); ++seed) {
        random_source r = random_seed(seed);
        const bool cubes = seed % 2 == 0;
        tact_shape *ball = tact_sphere(0.5), *cube = tact_box(0.8, 0.8, 0.8), *wall = tact_box(12, 12, 2);
        tact_world *world = new_world(kinetics[seed % 3]);
        static const double turns[3][4] = {{0, 0, 0, 1}, {0, 1, 0, 1}, {1, 0, 0, 1}};
        for (int i = 0; i < 6; ++i) {
            const double *q = turns[i / 2], far = i % 2 ? 4.0 : -4.0, s = sqrt(i < 2 ? 1.0 : 0.5);
            const tact_vec3 at = i < 2 ? vec_make(0, 0, far) : i < 4 ? vec_make(far, 0, 0) : vec_make(0, far, 0);
            (void)add(world, wall,
                      tact_transform_make(at, (tact_quat){q[0] * s, q[1] * s, q[2] * s, q[3] * s}, vec_make(1, 1, 1)),
                      tact_motion_still(), 0.0);
        }
        tact_body bodies[MANY];
        double masses[MANY], moments[MANY], energy = 0.0;
        for (int i = 0; i < MANY; ++i) {
            const tact_vec3 at = vec_make(1.7 * (i % 3 - 1), 1.7 * (i / 3 % 3 - 1), 1.7 * (i / 9 - 1));
            const bool is_cube = cubes && i % 2 == 0;
            tact_motion motion = {.velocity = vec_scale(random_direction(&r), random_range(&r, 0.5, 2.0))};
            if (is_cube)
                motion.spin = vec_scale(random_direction(&r), random_range(&r, 0.0, 2.0));
            masses[i] = random_range(&r, 0.5, 2.0);
            moments[i] = masses[i] * (is_cube ? 0.8 * 0.8 / 6.0 : 0.4 * 0.25); /* about any axis */
            bodies[i] = add(world, is_cube ? cube : ball, tact_at(at.x, at.y, at.z), motion, masses[i]);
            energy += masses[i] * vec_length_squared(motion.velocity) + moments[i] * vec_length_squared(motion.spin);
        }
        tact_event e;
        for (long i = 0; i < wanted; ++i) {
            assert_int_equal(tact_world_next_event(world, 1e6, &e), TACT_EVENT_TOUCH);
            assert_int_equal(tact_world_bounce(world, &e, 1.0), TACT_OK);
        }
        double now = 0.0;
        for (int i = 0; i < MANY; ++i) {
            const tact_motion m = tact_body_get_motion(world, bodies[i]);
            const tact_vec3 at = tact_body_get_transform(world, bodies[i]).origin;
            now += masses[i] * vec_length_squared(m.velocity) + moments[i] * vec_length_squared(m.spin);
            CHECK(vec_max_abs(at) < 3.0 - 0.4 + 1e-9, "body %d is out: %g %g %g", i, at.x, at.y, at.z);
        }
        CHECK(fabs(now - energy) < 1e-9 * energy, "energy by %g of %g", now - energy, energy);
        tact_world_release(world);
        tact_shape_release(ball);
        tact_shape_release(cube);
        tact_shape_release(wall);
    }
}

/* A box between two walls, 10,000 bounces: each time has a rounding error, for which the impact compensates. Without
 * that the box is 1e-8 elsewhere at the end. */
static void a_box_between_walls_is_where_it_should_be(void **state)
{
    (void)state;
    const double speeds[] = {8.0, 7.3, 0.37};
    for (int i = 0; i < 3; ++i) {
        tact_world *world = tact_world_create(NULL);
        tact_shape *wall = tact_box(1, 10, 10), *box = tact_box(1, 1, 1);
        for (int side = -1; side <= 1; side += 2)
            (void)tact_body_create(world, &(tact_body_def){.shape = wall, .transform = tact_at(2.5 * side, 0, 0)});
        const tact_body_def def = {.shape = box,
                                   .transform = tact_at(0.125, 0, 0),
                                   .density = 1.0,
                                   .motion = tact_motion_linear(speeds[i], 0, 0)};
        const tact_body body = tact_body_create(world, &def);
        const double end = 30000.0 / speeds[i];
        int touches = 0;
        tact_event e;
        for (; tact_world_next_event(world, end, &e) == TACT_EVENT_TOUCH; ++touches)
            assert_int_equal(tact_world_bounce(world, &e, 1.0), TACT_OK);
        assert_int_equal(e.status, TACT_OK);
        assert_int_equal(touches, 10000);
        const long double path =
            fmodl(1.625L + (long double)speeds[i] * end, 6.0L); /* from the left wall, there and back */
        const long double x = path < 3.0L ? path - 1.5L : 4.5L - path;
        assert_true(fabsl(tact_body_get_transform(world, body).origin.x - x) < 1e-10L);
        tact_world_release(world);
        tact_shape_release(wall);
        tact_shape_release(box);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heavy_body_counts_the_digits_of_pi),
        cmocka_unit_test(a_ball_on_a_triangular_table),
        cmocka_unit_test(a_room_of_balls_and_cubes_keeps_its_energy),
        cmocka_unit_test(a_box_between_walls_is_where_it_should_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
