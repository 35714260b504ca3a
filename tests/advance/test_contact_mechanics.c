/*
 * Persistent contacts (rigid.h) against mechanics, through the public API: cases with a known answer that
 * test_contacts.c does not have, random worlds, and strange input.
 *
 * Contact steps are of first order, so errors may be as large as what happens in a few contact steps; each case states
 * its bound.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>
#include <time.h>

#include "support/digest.h"
#include "support/falling_world.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/vec.h"

static const double pi = 3.14159265358979323846;
static const tact_vec3 x_axis = {1.0, 0.0, 0.0}, y_axis = {0.0, 1.0, 0.0}, z_axis = {0.0, 0.0, 1.0};

/* ---- slopes ---- */

/* A slope through the origin: a box, a half-space or a heightfield. It descends along +x by `angle`. */
static void put_slope(tact_world *world, int kind, double angle, double friction)
{
    double heights[9];
    switch (kind) {
    case 0:
        (void)put(world, tact_box(100.0, 2.0, 100.0), turned(vec_make(-sin(angle), -cos(angle), 0.0), z_axis, -angle),
                  0.0, friction, 0.0);
        break;
    case 1:
        (void)put(world, tact_halfspace(vec_make(sin(angle), cos(angle), 0.0), 0.0), tact_identity(), 0.0, friction,
                  0.0);
        break;
    default:
        for (int i = 0; i < 9; ++i)
            heights[i] = -20.0 * (i / 3 - 1) * tan(angle);
        (void)put(world, tact_heightfield(3, 3, 20.0, 20.0, heights), tact_at(-20.0, 0.0, -20.0), 0.0, friction, 0.0);
    }
}

/* A block, turned by `heading` about the normal, on a slope whose tangent is `factor` times the friction. Returns how
 * far it has moved down the slope in 2. */
static double slide_down(int kind, double factor, double friction, double heading)
{
    tact_world *world = falling_world(true);
    const double angle = atan(factor * friction);
    const tact_vec3 down = {cos(angle), -sin(angle), 0.0}, up = {sin(angle), cos(angle), 0.0};
    put_slope(world, kind, angle, friction);
    const tact_vec3 start = vec_scale(up, 0.2);
    const tact_transform at =
        tact_transform_compose(turned(start, z_axis, -angle), turned(vec_make(0.0, 0.0, 0.0), y_axis, heading));
    const tact_body block = put(world, tact_box(1.0, 0.4, 0.6), at, 2.0, friction, 0.0);
    step(world, 2.0);
    const tact_vec3 moved = vec_sub(place(world, block), start);
    assert_true(fabs(vec_dot(moved, up)) < 3.0 * REST_GAP * 0.5 && fabs(moved.z) < 1e-4);
    tact_world_release(world);
    return vec_dot(moved, down);
}

/* a = g (sin - mu cos), whatever the direction of the edges. The first step may be lost or gained: a T h. */
static void a_block_slides_above_the_friction_limit_in_any_direction(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(12); ++seed) {
        random_source r = random_seed(seed + (UINT64_C(30) << 32));
        const int kind = (int)(seed % 3);
        const double friction = random_range(&r, 0.05, 1.2), angle = atan(1.01 * friction);
        const double heading = seed < 4 ? 0.0 : random_range(&r, 0.0, 2.0 * pi);
        const double a = GRAVITY * (sin(angle) - friction * cos(angle));
        const double stays = slide_down(kind, 0.99, friction, heading),
                     slides = slide_down(kind, 1.01, friction, heading);
        print_message("slope %d, friction %g, heading %g: %.2e below, above %g of %g\n", kind, friction, heading, stays,
                      slides, 2.0 * a);
        CHECK(fabs(stays) < 1e-5, "kind %d, friction %g, heading %g: slides %g below the limit", kind, friction,
              heading, stays);
        CHECK(fabs(slides - 2.0 * a) < 2.0 * a * 2.0 / 60.0 + 2e-5, "kind %d, friction %g, heading %g: %g of %g", kind,
              friction, heading, slides, 2.0 * a);
    }
}

/* The distance is v^2 / (2 mu g). The error is proportional to the contact step. */
static void a_stopping_distance_converges(void **state)
{
    (void)state;
    const double friction = 0.4, v = 3.0, expected = v * v / (2.0 * friction * GRAVITY);
    enum { STEPS = 6 };
    double error[STEPS];
    for (int kind = 0; kind < 3; ++kind) {
        for (int k = 0; k < STEPS; ++k) {
            tact_world *world = falling_world(true);
            const double h = 1.0 / (30 << k);
            assert_int_equal(tact_world_set_contact_step(world, h), TACT_OK);
            put_slope(world, kind, 0.0, friction);
            const tact_body block = put(world, tact_box(1.0, 0.3, 1.0), tact_at(0.0, 0.15, 0.0), 1.0, friction, 0.0);
            set_motion(world, block, tact_motion_linear(v, 0.0, 0.0));
            step(world, 1.0);
            error[k] = fabs(place(world, block).x - expected);
            print_message("stopping %d: h %g error %g = %g v h\n", kind, h, error[k], error[k] / (v * h));
            assert_true(error[k] < v * h);
            tact_world_release(world);
        }
        assert_true(error[STEPS - 1] < 0.2 * error[0] + 1e-4);
    }
}

/* A body of revolution that rolls without slipping: a = g sin / (1 + I / (m r^2)). `kind` 0: ball, 1: cylinder, 2: a
 * hollow ball. */
static double roll_down(int slope, int kind, double angle, double friction, double h, double *speed_error)
{
    static const double factors[] = {0.4, 0.5, 2.0 / 3.0};
    const double radius = 0.5, t = 1.0;
    tact_world *world = falling_world(true);
    assert_int_equal(tact_world_set_contact_step(world, h), TACT_OK);
    const tact_vec3 down = {cos(angle), -sin(angle), 0.0}, up = {sin(angle), cos(angle), 0.0};
    put_slope(world, slope, angle, friction);
    const tact_vec3 start = vec_scale(up, radius);
    const tact_body body = put(world, kind == 1 ? tact_cylinder(radius, 1.0) : tact_sphere(radius),
                               turned(start, x_axis, 0.5 * pi), 3.0, friction, 0.0);
    if (kind == 2) {
        tact_shape *ball = tact_sphere(radius);
        tact_mass m = tact_mass_from_total(ball, tact_at(start.x, start.y, start.z), 3.0);
        tact_shape_release(ball);
        m.inertia.xx = m.inertia.yy = m.inertia.zz = 2.0 / 3.0 * 3.0 * radius * radius;
        m.principal_moments = vec_make(m.inertia.xx, m.inertia.xx, m.inertia.xx);
        assert_int_equal(tact_body_set_mass_with(world, body, &m), TACT_OK);
    }
    step(world, t);
    const tact_motion m = tact_body_get_motion(world, body);
    const double a = GRAVITY * sin(angle) / (1.0 + factors[kind]);
    const double v = vec_dot(m.velocity, down);
    *speed_error = fabs(v - a * t) / (a * t);
    assert_true(fabs(-m.spin.z * radius - v) < 1e-3 * a * t);
    const double error = vec_dot(vec_sub(place(world, body), start), down) / (0.5 * a * t * t) - 1.0;
    tact_world_release(world);
    return error;
}

static void bodies_roll_down_slopes(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind)
        for (int slope = 0; slope < 3; ++slope) {
            double fast[2];
            const double coarse = roll_down(slope, kind, 0.4, 0.5, 1.0 / 60.0, &fast[0]);
            const double fine = roll_down(slope, kind, 0.4, 0.5, 1.0 / 480.0, &fast[1]);
            print_message("rolling %d on %d: place off by %.2e, fine %.2e; speed %.2e %.2e\n", kind, slope, coarse,
                          fine, fast[0], fast[1]);
            assert_true(fabs(coarse) < 2.5 / 60.0 && fabs(fine) < 2.5 / 480.0 + 1e-4);
            assert_true(fast[0] < 1.5 / 60.0 && fast[1] < 1.5 / 480.0 + 1e-4);
        }
}

/* ---- planks and blocks ---- */

/* How far a plank moves in 4 that leans against a wall without friction, at this angle to the floor. */
static double lean(double length, double thickness, double friction, double angle, bool planes)
{
    tact_world *world = falling_world(true);
    if (planes) {
        (void)put(world, tact_halfspace(y_axis, 0.0), tact_identity(), 0.0, friction, 0.0);
        (void)put(world, tact_halfspace(x_axis, 0.0), tact_identity(), 0.0, 0.0, 0.0);
    } else {
        (void)put_floor(world, friction, 0.0);
        (void)put(world, tact_box(2.0, 40.0, 40.0), tact_at(-1.0, 0.0, 0.0), 0.0, 0.0, 0.0);
    }
    const double c = cos(angle), s = sin(angle), gap = REST_GAP * 0.5 * length;
    const tact_vec3 centre = {0.5 * (length * c + thickness * s) + gap, 0.5 * (length * s + thickness * c) + gap, 0.0};
    const tact_body plank =
        put(world, tact_box(length, thickness, 0.5), turned(centre, z_axis, -angle), 1.0, friction, 0.0);
    step(world, 4.0);
    const double moved = distance(place(world, plank), centre);
    tact_world_release(world);
    return moved;
}

/* Forces: N up and mu N to the wall at the foot, mu N from the wall at the head. Moment about the centre, per N. */
static void a_plank_at_a_smooth_wall_slips_below_its_limit_angle(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        const double friction = i < 2 ? 0.3 : 0.6, length = 2.0, thickness = 0.05;
        double low = 0.05, high = 1.5;
        for (int k = 0; k < 60; ++k) {
            const double angle = 0.5 * (low + high), c = cos(angle), s = sin(angle);
            const double foot_x = 0.5 * (length * c - thickness * s), foot_y = -0.5 * (length * s + thickness * c);
            const double head_y = 0.5 * (length * s - thickness * c);
            if (foot_x + friction * foot_y - friction * head_y > 0.0)
                low = angle;
            else
                high = angle;
        }
        const double stays = lean(length, thickness, friction, 1.01 * low, i % 2);
        const double slips = lean(length, thickness, friction, 0.99 * low, i % 2);
        print_message("plank at a smooth wall, friction %g: limit %.4f, moves %.2e above, %g below\n", friction, low,
                      stays, slips);
        assert_true(stays < 3.0 * REST_GAP * 0.5 * length);
        assert_true(slips > 0.3 * length * sin(low));
    }
}

/* Tilted by a part of its critical angle, a free-standing block falls back and rocks with decreasing amplitude; beyond
 * it topples. The first fall lasts acosh(1 / (1 - part)) / p with p^2 = 3 g / (4 R), for a slender block (Housner
 * 1963), and each impact keeps at most (1 - 1.5 sin^2 alpha)^2 of the energy. */
typedef struct rocking {
    double first_fall;    /* when the tilt changes its sign */
    double amplitudes[8]; /* of the tilt, after each change of sign */
    int count;
    double final_tilt;
} rocking;

static rocking rock(double width, double height, double part, double h)
{
    const double critical = atan(width / height), tilt = part * critical, radius = 0.5 * hypot(width, height);
    tact_world *world = falling_world(true);
    assert_int_equal(tact_world_set_contact_step(world, h), TACT_OK);
    (void)put_floor(world, 1.0, 0.0);
    /* about the lower right edge, at x = 0 */
    const tact_vec3 centre = {-radius * sin(critical - tilt), radius * cos(critical - tilt), 0.0};
    const tact_body block = put(world, tact_box(width, height, 1.0), turned(centre, z_axis, -tilt), 1.0, 1.0, 0.0);
    rocking r = {.first_fall = -1.0};
    double before = -tilt, most = 0.0;
    for (int k = 1; k <= 2000; ++k) {
        step(world, 0.002);
        const tact_transform now = tact_body_get_transform(world, block);
        const double angle = atan2(now.x_axis.y, now.x_axis.x);
        if (angle * before < 0.0 && fabs(angle) < 1.0) {
            if (r.first_fall < 0.0)
                r.first_fall = 0.002 * k;
            else if (r.count < 8)
                r.amplitudes[r.count++] = most;
            most = 0.0;
        }
        most = fmax(most, fabs(angle));
        before = angle;
        r.final_tilt = angle;
    }
    tact_world_release(world);
    return r;
}

static void a_block_rocks_or_topples(void **state)
{
    (void)state;
    const double width = 0.4, height = 2.0, alpha = atan(width / height),
                 p = sqrt(0.75 * GRAVITY / (0.5 * hypot(width, height)));
    for (int k = 0; k < 3; ++k) {
        const double part = k == 0 ? 0.3 : k == 1 ? 0.6 : 0.9, h = 1.0 / 240.0;
        const rocking r = rock(width, height, part, h);
        const double fall = acosh(1.0 / (1.0 - part)) / p;
        /* the energy m g R (cos(alpha - tilt) - cos alpha), which an impact reduces */
        const double kept = 1.0 - 1.5 * sin(alpha) * sin(alpha);
        const double energy = kept * kept * (cos(alpha * (1.0 - part)) - cos(alpha));
        const double next = alpha - acos(fmin(1.0, cos(alpha) + energy));
        print_message("rocking %g: first fall %.4f of %.4f; next amplitude %.4f of %.4f (%.4f tilt), %d half periods:",
                      part, r.first_fall, fall, r.count > 0 ? r.amplitudes[0] : -1.0, next, part * alpha, r.count);
        for (int i = 0; i < r.count; ++i)
            print_message(" %.4f", r.amplitudes[i]);
        print_message(" final %g\n", r.final_tilt);
        assert_true(fabs(r.first_fall - fall) < 0.05 * fall);
        assert_true(r.count >= 2);
        assert_true(r.amplitudes[0] < 1.01 * next && r.amplitudes[0] > 0.8 * next);
        for (int i = 1; i < r.count; ++i)
            assert_true(r.amplitudes[i] < r.amplitudes[i - 1]);
    }
    for (int k = 0; k < 2; ++k) {
        const double part = k ? 1.02 : 1.2;
        const rocking r = rock(width, height, part, 1.0 / 60.0);
        print_message("toppling %g: %g\n", part, r.final_tilt);
        assert_true(fabs(r.final_tilt + 0.5 * pi) < 1e-3);
    }
    const rocking r = rock(width, height, 0.98, 1.0 / 60.0);
    print_message("not toppling 0.98: %g\n", r.final_tilt);
    assert_true(fabs(r.final_tilt) < alpha);
}

/* An ellipsoid that rocks on a floor does not rock more and more: its tilt stays below that of the start. Steps that
 * move bodies by the mean of the velocities at both ends, with the forces of the start, would amplify each oscillation.
 */
static void an_ellipsoid_rocks_no_farther(void **state)
{
    (void)state;
    const double tilts[2] = {0.01, 0.1}, radii[2][3] = {{1.0, 0.5, 1.0}, {1.0, 0.8, 0.8}};
    for (int kind = 0; kind < 2; ++kind)
        for (int k = 0; k < 2; ++k) {
            tact_world *world = falling_world(true);
            (void)put(world, tact_box(20.0, 1.0, 20.0), tact_at(0.0, -0.5, 0.0), 0.0, 0.5, 0.0);
            const double height = radii[kind][1] + 0.5 * tilts[k] * tilts[k] + 1e-3;
            const tact_body body = put(world, tact_ellipsoid(radii[kind][0], radii[kind][1], radii[kind][2]),
                                       turned(vec_make(0.0, height, 0.0), z_axis, tilts[k]), 1.0, 0.5, 0.0);
            double most = 0.0;
            for (int frame = 0; frame < 2400; ++frame) {
                step(world, 1.0 / 60.0);
                const tact_vec3 x = tact_body_get_transform(world, body).x_axis;
                most = fmax(most, fabs(atan2(x.y, x.x)));
            }
            print_message("ellipsoid %d, tilt %g: at most %g\n", kind, tilts[k], most);
            assert_true(most <= 1.1 * tilts[k]);
            tact_world_release(world);
        }
}

/* ---- a top ---- */

/* A cone on its apex, inclined by `tilt`, in steady precession. The rate solves I1 cos(tilt) x^2 - I3 w x + m g l = 0,
 * where I1 is the moment about the apex across the axis and w the spin about the axis; for fast spin it is
 * m g l / (I3 w). Returns the angle of precession after `time` over the exact one. */
static double precess(double spin, double tilt, double h, double time, double *tilt_after, double *slow)
{
    const double radius = 0.5, height = 0.5, mass = 1.0, l = 0.75 * height;
    const double i3 = 0.3 * mass * radius * radius,
                 i1 = mass * (0.15 * radius * radius + 0.0375 * height * height) + mass * l * l;
    const double a = i1 * cos(tilt), b = -i3 * spin, c = mass * GRAVITY * l;
    const double rate = (-b - sqrt(b * b - 4.0 * a * c)) / (2.0 * a);
    *slow = mass * GRAVITY * l / (i3 * spin) / rate;
    tact_world *world = falling_world(true);
    assert_int_equal(tact_world_set_contact_step(world, h), TACT_OK);
    (void)put_floor(world, 2.0, 0.0);
    /* the axis, from the apex to the centre, is the -y axis of the cone */
    const tact_vec3 axis = {sin(tilt), cos(tilt), 0.0};
    const tact_vec3 origin = vec_scale(axis, 0.5 * height);
    const tact_body top = put(world, tact_cone(radius, height),
                              turned(vec_mul_add(origin, 1e-4 * radius, y_axis), z_axis, pi - tilt), mass, 2.0, 0.0);
    /* spin about the axis, of which the precession is a part */
    const tact_vec3 omega = vec_add(vec_scale(axis, spin - rate * cos(tilt)), vec_scale(y_axis, rate));
    set_motion(world, top, (tact_motion){.spin = omega, .velocity = vec_cross(omega, origin)});
    double turns = 0.0, before = 0.0;
    for (double t = 0.0; t < time - 1e-9; t += 0.02) {
        step(world, 0.02);
        const tact_vec3 now = vec_negate(tact_body_get_transform(world, top).y_axis);
        const double angle = atan2(-now.z, now.x);
        double change = angle - before;
        if (change > pi)
            change -= 2.0 * pi;
        if (change < -pi)
            change += 2.0 * pi;
        turns += change;
        before = angle;
        *tilt_after = acos(now.y);
    }
    tact_world_release(world);
    return turns / (rate * time);
}

static void a_top_precesses(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        double after, slow;
        const double spin = k < 2 ? 100.0 : 50.0, tilt = 0.3, h = k % 2 ? 1.0 / 60.0 : 1.0 / 1000.0;
        const clock_t begun = clock();
        const double ratio = precess(spin, tilt, h, 1.0, &after, &slow);
        print_message("top, spin %g h %g: rate %.4f of the exact one (%.4f slow), tilt %.4f; %g s\n", spin, h, ratio,
                      slow, after, (double)(clock() - begun) / CLOCKS_PER_SEC);
        assert_true(fabs(ratio - 1.0) < 0.05 && fabs(after - tilt) < 0.02);
    }
}

/* ---- rows and racks ---- */

/* A row of balls, each with a velocity along x. `table`: they lie on a smooth floor. After `time` the velocities. */
static void hit_row(const double before[], double after[], int count, double restitution, bool table, double gap,
                    double time)
{
    tact_world *world = table ? falling_world(true) : new_world(vec_make(0.0, 0.0, 0.0), true);
    tact_body balls[16];
    if (table)
        (void)put_floor(world, 0.0, 0.0);
    for (int i = 0; i < count; ++i)
        balls[i] = put(world, tact_sphere(0.5), tact_at((1.0 + gap) * i, 0.5 + 1e-4 * 0.5, 0.0), 1.0, 0.3, restitution);
    if (table)
        step(world, 0.5);
    double at = 0.0;
    for (int i = 0; i < count; ++i) { /* those that move at the start come from outside */
        const double away = before[i] > 0.0 ? -0.2 : before[i] < 0.0 ? 0.2 : 0.0;
        tact_transform t = tact_body_get_transform(world, balls[i]);
        t.origin.x += away;
        at += t.origin.y;
        assert_int_equal(tact_body_set_transform(world, balls[i], t), TACT_OK);
        if (before[i] != 0.0)
            set_motion(world, balls[i], tact_motion_linear(before[i], 0.0, 0.0));
    }
    step(world, time);
    print_message("row, restitution %g, gap %g%s:", restitution, gap, table ? ", table" : "");
    for (int i = 0; i < count; ++i) {
        const tact_motion m = tact_body_get_motion(world, balls[i]);
        after[i] = m.velocity.x;
        print_message(" %g", after[i]);
        at -= place(world, balls[i]).y;
        assert_true(fabs(m.velocity.z) < 1e-9);
    }
    print_message("\n");
    assert_true(fabs(at) < 1e-3);
    tact_world_release(world);
}

/* k balls in, k balls out; and from both sides. */
static void newtons_cradle_passes_several_balls_on(void **state)
{
    (void)state;
    for (int table = 0; table < 2; ++table)
        for (int g = 0; g < 3; ++g) {
            const double gap = g == 0 ? 0.0 : g == 1 ? 1e-12 : 1e-5, bound = table ? 1e-3 : 1e-9;
            for (int k = 1; k < 7; ++k) {
                double before[7] = {0}, after[7];
                for (int i = 0; i < k; ++i)
                    before[i] = 1.0;
                hit_row(before, after, 7, 1.0, table, gap, 1.0);
                for (int i = 0; i < 7; ++i)
                    assert_true(fabs(after[i] - (i >= 7 - k)) < bound);
            }
            double before[7] = {1.0, 1.0, 0.0, 0.0, 0.0, 0.0, -2.0}, after[7];
            hit_row(before, after, 7, 1.0, table, gap, 1.0);
            for (int i = 0; i < 7; ++i)
                assert_true(fabs(after[i] - (i == 0 ? -2.0 : i >= 5 ? 1.0 : 0.0)) < bound);
        }
}

/* All go on with the common velocity. */
static void an_inelastic_row_gets_the_common_velocity(void **state)
{
    (void)state;
    for (int table = 0; table < 2; ++table)
        for (int g = 0; g < 2; ++g) {
            double before[8] = {3.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0}, after[8];
            hit_row(before, after, 8, 0.0, table, g ? 1e-5 : 0.0, 2.0);
            for (int i = 0; i < 8; ++i)
                assert_true(fabs(after[i] - 0.5) < 1e-3);
        }
}

/* Fifteen balls in a triangle, broken by a ball that comes along the axis of symmetry. */
typedef struct rack {
    tact_world *world;
    tact_body balls[16]; /* the first is the cue ball */
    int mirror[16];
} rack;

static rack set_rack(double gap, double restitution, bool table)
{
    rack r = {.world = table ? falling_world(true) : new_world(vec_make(0.0, 0.0, 0.0), true)};
    if (table)
        (void)put_floor(r.world, 0.0, 0.0);
    const double y = 0.5 + (table ? 0.5e-4 : 0.0);
    r.balls[0] = put(r.world, tact_sphere(0.5), tact_at(-2.0, y, 0.0), 1.0, 0.0, restitution);
    int n = 1;
    for (int row = 0; row < 5; ++row)
        for (int k = 0; k <= row; ++k) {
            r.mirror[n] = n - k + (row - k);
            r.balls[n++] = put(r.world, tact_sphere(0.5),
                               tact_at((1.0 + gap) * row * 0.5 * sqrt(3.0), y, (1.0 + gap) * (k - 0.5 * row)), 1.0, 0.0,
                               restitution);
        }
    if (table)
        step(r.world, 0.5);
    set_motion(r.world, r.balls[0], tact_motion_linear(5.0, 0.0, 0.0));
    return r;
}

/* Energy, momentum and the largest difference of a velocity from that of the mirrored ball. */
static void measure_rack(const rack *r, double *energy, tact_vec3 *momentum, double *asymmetry)
{
    *energy = *asymmetry = 0.0;
    *momentum = vec_make(0.0, 0.0, 0.0);
    for (int i = 0; i < 16; ++i) {
        const tact_vec3 v = tact_body_get_motion(r->world, r->balls[i]).velocity,
                        w = tact_body_get_motion(r->world, r->balls[r->mirror[i]]).velocity;
        *energy += 0.5 * vec_length_squared(v);
        *momentum = vec_add(*momentum, v);
        *asymmetry = fmax(*asymmetry, distance(v, vec_make(w.x, w.y, -w.z)));
    }
}

static void a_rack_keeps_energy_and_momentum(void **state)
{
    (void)state;
    for (int table = 0; table < 2; ++table)
        for (int g = 0; g < 3; ++g) {
            const double gap = g == 0 ? 0.0 : g == 1 ? 1e-9 : 1e-3;
            const rack r = set_rack(gap, 1.0, table);
            double energy, asymmetry;
            tact_vec3 momentum;
            for (int k = 0; k < 4; ++k) {
                step(r.world, 0.5);
                measure_rack(&r, &energy, &momentum, &asymmetry);
                print_message("rack, gap %g%s: energy %.3g, momentum %.3g %.3g, asymmetry %.2e\n", gap,
                              table ? ", table" : "", energy / 12.5 - 1.0, momentum.x - 5.0, momentum.z, asymmetry);
                assert_true(fabs(energy / 12.5 - 1.0) < (table ? 1e-3 : 1e-9));
                assert_true(fabs(momentum.x - 5.0) < (table ? 1e-8 : 1e-9) && fabs(momentum.z) < 1e-9);
                assert_true(asymmetry < (table ? 1e-4 : 1e-9));
            }
            tact_world_release(r.world);
        }
}

/* With persistent contacts the impact goes through the whole rack at once, so the result is symmetric, up to the
 * accuracy of the solver. */
static void a_rack_on_a_table_breaks_symmetrically(void **state)
{
    (void)state;
    for (int e = 0; e < 3; ++e) {
        const rack r = set_rack(0.0, 0.5 * e, true);
        double energy, asymmetry;
        tact_vec3 momentum;
        step(r.world, 1.0);
        measure_rack(&r, &energy, &momentum, &asymmetry);
        print_message("rack, restitution %g, table: energy %.3g, momentum %.3g %.3g, asymmetry %.2e\n", 0.5 * e,
                      energy / 12.5 - 1.0, momentum.x - 5.0, momentum.z, asymmetry);
        assert_true(asymmetry < 1e-2 && energy < 12.5 * (1.0 + 1e-3));
        /* normals of contacts with the table are accurate to 1e-8 */
        assert_true(fabs(momentum.x - 5.0) < 1e-8 && fabs(momentum.z) < 1e-9);
        tact_world_release(r.world);
    }
}

/* ---- structures ---- */

/* A ball on four (`square`) or three others that touch. A lower ball is in balance if the friction exceeds the tangent
 * of half the angle between the vertical and the line to the upper ball. */
static void ball_on_balls(bool square, double factor, bool stands)
{
    const double friction = factor * tan(0.5 * (square ? 0.25 * pi : asin(1.0 / sqrt(3.0))));
    const double away = square ? sqrt(0.5) : 1.0 / sqrt(3.0), top = 0.5 + sqrt(1.0 - away * away);
    tact_world *world = falling_world(true);
    (void)put_floor(world, friction, 0.0);
    for (int i = 0; i < (square ? 4 : 3); ++i) {
        const double a = 2.0 * pi * i / (square ? 4 : 3);
        (void)put(world, tact_sphere(0.5), tact_at(away * cos(a), 0.5, away * sin(a)), 1.0, friction, 0.0);
    }
    const tact_body ball = put(world, tact_sphere(0.5), tact_at(0.0, top, 0.0), 1.0, friction, 0.0);
    step(world, 4.0);
    const double y = place(world, ball).y;
    print_message("a ball on %d, %g of the least friction: %g of %g\n", square ? 4 : 3, factor, y, top);
    assert_true(stands ? fabs(y - top) < 0.01 : y < 0.51);
    tact_world_release(world);
}

/* Layers of n^2, ..., 4, 1 balls in a low rim: they stand without friction, too. */
static void pyramid_in_a_rim(int layers, double friction)
{
    tact_world *world = falling_world(true);
    (void)put_floor(world, friction, 0.0);
    for (int i = 0; i < 4; ++i)
        (void)put(world, tact_box(1.0, 1.2, 20.0),
                  turned(vec_make((0.5 * layers + 0.501) * cos(0.5 * pi * i), 0.6,
                                  -(0.5 * layers + 0.501) * sin(0.5 * pi * i)),
                         y_axis, 0.5 * pi * i),
                  0.0, friction, 0.0);
    tact_body balls[64];
    int n = 0;
    for (int layer = 0; layer < layers; ++layer)
        for (int i = 0; i < layers - layer; ++i)
            for (int k = 0; k < layers - layer; ++k)
                balls[n++] = put(
                    world, tact_sphere(0.5),
                    tact_at(i - 0.5 * (layers - layer - 1), 0.5001 + layer * sqrt(0.5), k - 0.5 * (layers - layer - 1)),
                    1.0, friction, 0.0);
    const clock_t begun = clock();
    step(world, 4.0);
    const double y = place(world, balls[n - 1]).y, top = 0.5 + (layers - 1) * sqrt(0.5);
    print_message("pyramid of %d in a rim, friction %g: top at %g of %g; %g s\n", n, friction, y, top,
                  (double)(clock() - begun) / CLOCKS_PER_SEC);
    assert_true(fabs(y - top) < 0.02);
    tact_world_release(world);
}

static void pyramids_of_balls_stand(void **state)
{
    (void)state;
    for (int square = 0; square < 2; ++square) {
        ball_on_balls(square, 1.05, true);
        ball_on_balls(square, 0.95, false);
    }
    pyramid_in_a_rim(4, 0.0);
    pyramid_in_a_rim(4, 0.4);
}

static void dominoes_fall(void **state)
{
    (void)state;
    enum { COUNT = 15 };
    tact_world *world = falling_world(true);
    (void)put_floor(world, 0.5, 0.0);
    tact_body stones[COUNT];
    for (int i = 0; i < COUNT; ++i)
        stones[i] = put(world, tact_box(0.1, 1.0, 0.5), tact_at(0.5 * i, 0.5, 0.0), 1.0, 0.3, 0.0);
    step(world, 1.0);
    for (int i = 0; i < COUNT; ++i) /* nobody falls without a push */
        assert_true(tact_body_get_transform(world, stones[i]).y_axis.y > 1.0 - 1e-6);
    assert_int_equal(tact_body_apply_impulse(world, stones[0], vec_make(0.6, 0.0, 0.0), vec_make(0.0, 0.95, 0.0)),
                     TACT_OK);
    step(world, 4.5);
    double least = 1.0;
    for (int i = 0; i < COUNT; ++i) {
        const tact_transform at = tact_body_get_transform(world, stones[i]);
        least = fmin(least, at.y_axis.x);                            /* its top points along +x */
        assert_true(fabs(at.origin.z) < 0.25 && at.origin.y > 0.04); /* half its width */
    }
    print_message("dominoes: least lean %g\n", least);
    assert_true(least > 0.7);
    tact_world_release(world);
}

/* Pairs of cards that lean against each other, with their heads together. `storeys` 2: two pairs, a card across, and a
 * pair on it. A card with the slope s stands if cot(s) / 2 <= mu. */
static void house_of_cards(double friction, double angle, int storeys, bool stands)
{
    const double length = 1.0, thickness = 0.02, width = 0.7, c = cos(angle), s = sin(angle);
    const double half = 0.5 * (length * c + thickness * s), middle = 0.5 * (length * s + thickness * c), gap = 1e-4;
    tact_world *world = falling_world(true);
    (void)put_floor(world, friction, 0.0);
    tact_body cards[16];
    tact_vec3 begun[16];
    int n = 0;
    const double apart = 0.4 * length;
    for (int storey = 0; storey < storeys; ++storey) {
        const double bottom = storey * (2.0 * middle + thickness + 2.0 * gap);
        const int pairs = storeys - storey;
        for (int k = 0; k < pairs; ++k) {
            const double x = (k - 0.5 * (pairs - 1)) * 2.0 * apart;
            for (int side = -1; side <= 1; side += 2)
                cards[n++] = put(
                    world, tact_box(length, thickness, width),
                    turned(vec_make(x + side * (half + 0.5 * gap), bottom + middle + gap, 0.0), z_axis, -side * angle),
                    0.01, friction, 0.0);
        }
        if (storey + 1 < storeys)
            cards[n++] =
                put(world, tact_box(2.4 * apart * (pairs - 1), thickness, width),
                    tact_at(0.0, bottom + 2.0 * middle + 0.5 * thickness + 1.5 * gap, 0.0), 0.01, friction, 0.0);
    }
    for (int i = 0; i < n; ++i)
        begun[i] = place(world, cards[i]);
    step(world, 4.0);
    double moved = 0.0;
    for (int i = 0; i < n; ++i)
        moved = fmax(moved, distance(place(world, cards[i]), begun[i]));
    print_message("house of %d cards, friction %g, angle %g: moves %.2e\n", n, friction, angle, moved);
    assert_true(stands ? moved < 2e-3 : moved > 0.1);
    tact_world_release(world);
}

static void a_house_of_cards_stands(void **state)
{
    (void)state;
    house_of_cards(0.5, 1.2, 1, true);
    house_of_cards(0.5, 0.6, 1, false);
    house_of_cards(0.5, 1.2, 2, true);
    house_of_cards(0.5, 1.2, 3, true);
}

/* A semicircular arch of wedges between two springers, of radii 2 and `outer`. A thickness of 10.7 % of the mean radius
 * is the least that stands (Milankovitch 1907). */
static double arch(int count, double inner, double outer, double friction, double time)
{
    tact_world *world = falling_world(true);
    (void)put_floor(world, friction, 0.0);
    tact_body stones[32];
    tact_vec3 begun[32];
    const double joint = 1e-4, wedge = pi / count;
    for (int i = 0; i < count; ++i) {
        const double a = wedge * (i + 0.5);
        const tact_vec3 centre = {0.5 * (inner + outer) * cos(a), 0.5 * (inner + outer) * sin(a), 0.0};
        tact_vec3 corners[8];
        for (int k = 0; k < 8; ++k) {
            const double radius = k & 1 ? outer : inner, angle = wedge * (i + ((k & 2) != 0));
            corners[k] = vec_sub(vec_make(radius * cos(angle), radius * sin(angle), k & 4 ? 0.5 : -0.5), centre);
        }
        stones[i] =
            put(world, tact_hull(corners, 8), tact_at(centre.x, centre.y + joint, centre.z), 0.0, friction, 0.0);
        assert_int_equal(tact_body_set_mass(world, stones[i], outer - inner), TACT_OK);
    }
    for (int i = 0; i < count; ++i)
        begun[i] = place(world, stones[i]);
    step(world, time);
    double moved = 0.0;
    for (int i = 0; i < count; ++i)
        moved = fmax(moved, distance(place(world, stones[i]), begun[i]));
    tact_world_release(world);
    return moved;
}

static void an_arch_stands(void **state)
{
    (void)state;
    const double thick = arch(11, 1.7, 2.3, 0.8, 4.0), medium = arch(15, 1.85, 2.15, 0.8, 4.0),
                 thin = arch(15, 1.95, 2.05, 0.8, 4.0);
    const double smooth = arch(11, 1.7, 2.3, 0.05, 4.0);
    print_message("arch: moves %.2e thick, %.2e medium, %.2e thin, %.2e smooth\n", thick, medium, thin, smooth);
    assert_true(thick < 0.02 && medium < 0.02);
    assert_true(thin > 0.5 && smooth > 0.5);
}

/* Balls in a narrow shaft of 4 or 12 walls stay inside and apart, and slow down. */
static void balls_in_a_silo_stay_inside(void **state)
{
    (void)state;
    for (int round = 0; round < 2; ++round) {
        enum { COUNT = 16, WALLS = 12 };
        tact_world *world = new_world(vec_make(0.0, -GRAVITY, 0.0), false);
        const double inner = 1.0, radius = 0.3;
        (void)put_floor(world, 0.5, 0.0);
        const int walls = round ? WALLS : 4;
        for (int i = 0; i < walls; ++i) {
            const double a = 2.0 * pi * i / walls;
            (void)put(world, tact_box(1.0, 60.0, 4.0),
                      turned(vec_make((inner + 0.5) * cos(a), 30.0, -(inner + 0.5) * sin(a)), y_axis, a), 0.0, 0.5,
                      0.0);
        }
        random_source r = random_seed((uint64_t)round + 1);
        tact_body balls[COUNT];
        for (int i = 0; i < COUNT; ++i)
            balls[i] =
                put(world, tact_sphere(radius),
                    tact_at(random_range(&r, -0.3, 0.3), 1.0 + 0.65 * i, random_range(&r, -0.3, 0.3)), 1.0, 0.5, 0.2);
        const clock_t begun = clock();
        for (int k = 0; k < 180; ++k) {
            step(world, 1.0 / 60.0);
            for (int i = 0; i < COUNT; ++i) {
                const tact_vec3 p = place(world, balls[i]);
                assert_true(p.y > radius * (1.0 - DEPTH));
                for (int w = 0; w < walls; ++w) {
                    const double a = 2.0 * pi * w / walls;
                    assert_true(p.x * cos(a) - p.z * sin(a) < inner - radius * (1.0 - DEPTH));
                }
                for (int j = 0; j < i; ++j)
                    assert_true(distance(p, place(world, balls[j])) > 2.0 * radius - radius * DEPTH);
            }
        }
        double top = 0.0, speed = 0.0;
        int asleep = 0;
        for (int i = 0; i < COUNT; ++i) {
            top = fmax(top, place(world, balls[i]).y);
            speed = fmax(speed, vec_length(tact_body_get_motion(world, balls[i]).velocity));
            asleep += tact_body_is_asleep(world, balls[i]);
        }
        print_message("silo of %d walls: top %g, speed %.1e, %d asleep; %g s\n", walls, top, speed, asleep,
                      (double)(clock() - begun) / CLOCKS_PER_SEC);
        assert_true(top < 4.0 && speed < 3.0); /* nothing stops a ball that rolls */
        tact_world_release(world);
    }
}

/* ---- grippers ---- */

/* Fingers of mass 5 around a body of mass 1 press with `force` towards the axis, and carry it by friction. They do not
 * turn; their acceleration carries their weight and its own. Returns how far the body slips in 1. */
static double grip(int fingers, double force, double friction, bool ball)
{
    const double mass = 5.0, radius = 0.5;
    tact_world *world = falling_world(true);
    tact_shape *cylinder = tact_cylinder(radius, 1.0);
    const tact_body held =
        put(world, ball ? tact_sphere(radius) : tact_shape_retain(cylinder), tact_identity(), 1.0, friction, 0.0);
    tact_shape_release(cylinder);
    tact_body jaws[4];
    for (int i = 0; i < fingers; ++i) {
        const double a = 2.0 * pi * i / fingers;
        const tact_vec3 out = {cos(a), 0.0, -sin(a)};
        jaws[i] =
            put(world, tact_box(0.3, 1.0, 0.4), turned(vec_scale(out, radius + 0.15), y_axis, a), mass, friction, 0.0);
        tact_mass stiff = {.mass = mass, .centre = place(world, jaws[i])}; /* it does not turn */
        assert_int_equal(tact_body_set_mass_with(world, jaws[i], &stiff), TACT_OK);
        const tact_vec3 acceleration =
            vec_add(vec_scale(out, -force / mass), vec_make(0.0, GRAVITY + GRAVITY / (fingers * mass), 0.0));
        set_motion(world, jaws[i], (tact_motion){.acceleration = acceleration});
    }
    step(world, 1.0);
    double jaw = 0.0;
    for (int i = 0; i < fingers; ++i)
        jaw += place(world, jaws[i]).y / fingers;
    const double slip = jaw - place(world, held).y;
    tact_world_release(world);
    return slip;
}

/* n mu F against m g: held, or it slips with what is lacking, of the body and of the jaws. */
static void a_gripper_of_several_fingers_holds_or_lets_slip(void **state)
{
    (void)state;
    for (int fingers = 2; fingers <= 4; ++fingers)
        for (int ball = 0; ball < 2; ++ball) {
            const double friction = 0.4, limit = GRAVITY / (fingers * friction);
            const double held = grip(fingers, 1.05 * limit, friction, ball),
                         lost = grip(fingers, 0.9 * limit, friction, ball);
            const double a = 0.1 * GRAVITY * (1.0 + 1.0 / (fingers * 5.0));
            print_message("%d fingers, %s: slips %.1e when held, %g of %g when not\n", fingers,
                          ball ? "ball" : "cylinder", held, lost, 0.5 * a);
            assert_true(fabs(held) < 1e-3);
            assert_true(fabs(lost - 0.5 * a) < 3.0 * a / 60.0);
        }
}

/* A spin whose reciprocal overflows: contact steps made NaN of it. */
static void a_tiny_spin_stays_a_number(void **state)
{
    (void)state;
    for (int shape = 0; shape < 2; ++shape)
        for (double spin = 1e-300; spin > 0.0; spin *= 0.1) {
            tact_world *world = falling_world(true);
            (void)put_floor(world, 0.0, 0.0);
            const tact_body body = put(world, shape == 0 ? tact_sphere(0.5) : tact_box(1.0, 1.0, 1.0),
                                       tact_at(0.0, 0.5, 0.0), 1.0, 0.0, 0.0);
            step(world, 0.1);
            set_motion(world, body, (tact_motion){.spin = {0.0, spin, 0.0}});
            step(world, 0.1);
            const tact_motion m = tact_body_get_motion(world, body);
            assert_true(vec_finite(m.velocity) && vec_length(m.spin) < 1e-9);
            tact_world_release(world);
        }
}

/* ---- random worlds ---- */

#define MOST_BODIES 48

typedef struct item {
    tact_body body;
    tact_shape *shape;
    tact_mass mass; /* at the start; kinematic: all 0 */
    tact_transform begun;
    double size;
    const char *name;
} item;

typedef struct scene {
    tact_world *world;
    item items[MOST_BODIES];
    int count;
    random_source random;
    tact_material material;
    tact_vec3 low, high; /* the room, if there is one: no centre leaves it */
    const char *name;
} scene;

static tact_vec3 random_vector(random_source *r, double most)
{
    return vec_scale(random_direction(r), random_range(r, 0.0, most));
}

/* The scene keeps the reference to the shape. */
static void join(scene *s, tact_shape *shape, const char *name, tact_transform at, tact_motion motion, double mass)
{
    assert_true(s->count < MOST_BODIES && shape != NULL);
    item *b = &s->items[s->count++];
    *b = (item){.shape = shape, .begun = at, .name = name};
    b->body = tact_body_create(
        s->world, &(tact_body_def){.shape = shape, .transform = at, .motion = motion, .material = s->material});
    assert_int_not_equal(b->body.generation, 0);
    assert_int_equal(tact_body_set_mass(s->world, b->body, mass), TACT_OK);
    tact_bounds bounds;
    assert_int_equal(tact_shape_bounds(shape, at, &bounds), TACT_OK);
    b->size = 0.5 * vec_max_abs(vec_sub(bounds.max, bounds.min));
    if (mass > 0.0)
        b->mass = tact_mass_from_total(shape, at, mass);
}

static void begin_scene(scene *s, const char *name, uint64_t seed, uint64_t number, int threads)
{
    static const double restitutions[] = {0.0, 0.0, 0.1, 0.5, 0.9, 1.0};
    *s = (scene){.name = name, .random = random_seed(seed + (number << 32))};
    s->material.friction = random_chance(&s->random, 0.2) ? 0.0 : random_unit(&s->random);
    s->material.restitution =
        random_chance(&s->random, 0.5) ? restitutions[random_below(&s->random, 6)] : random_unit(&s->random);
    s->world = tact_world_create(&(tact_world_def){.gravity = {0.0, -GRAVITY, 0.0}, .parallel = {.threads = threads}});
    assert_non_null(s->world);
}

static void end_scene(scene *s)
{
    tact_world_release(s->world);
    for (int i = 0; i < s->count; ++i)
        tact_shape_release(s->items[i].shape);
}

/* A solid L. */
static tact_shape *l_mesh(double size)
{
    static const double outline[6][2] = {{0, 0}, {2, 0}, {2, 0.7}, {0.7, 0.7}, {0.7, 2}, {0, 2}};
    static const uint32_t caps[4][3] = {{0, 1, 3}, {1, 2, 3}, {0, 3, 5}, {3, 4, 5}};
    tact_vec3 points[12];
    uint32_t corners[60], *to = corners;
    for (int i = 0; i < 12; ++i)
        points[i] =
            vec_scale(vec_make(outline[i % 6][0] - 0.8, outline[i % 6][1] - 0.8, i < 6 ? -0.5 : 0.5), 0.4 * size);
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) {
            to[k] = caps[i][2 - k];
            to[12 + k] = caps[i][k] + 6;
            if (k == 2)
                to += 3;
        }
    to = corners + 24;
    for (uint32_t i = 0; i < 6; ++i) {
        const uint32_t j = (i + 1) % 6;
        *to++ = i, *to++ = j, *to++ = j + 6;
        *to++ = i, *to++ = j + 6, *to++ = i + 6;
    }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){.data = points, .count = 12};
    def.indices = corners;
    def.index_count = 60;
    def.solid = true;
    return tact_mesh_create(&def, NULL);
}

/* A mast on a bar. */
static tact_shape *t_compound(double size)
{
    tact_shape *bar = tact_box(1.2 * size, 0.3 * size, 0.3 * size), *mast = tact_capsule(0.15 * size, 0.8 * size);
    const tact_transform at[2] = {tact_identity(), tact_at(0.3 * size, 0.5 * size, 0.0)};
    tact_shape *both = tact_compound((const tact_shape *const[]){bar, mast}, at, 2);
    tact_shape_release(bar);
    tact_shape_release(mast);
    return both;
}

/* A flat grid of triangles at y = 0: a surface. */
static tact_shape *grid_mesh(int n, double cell, bool one_sided)
{
    const size_t side = (size_t)n + 1;
    tact_vec3 *points = malloc(side * side * sizeof *points);
    uint32_t *corners = malloc((size_t)n * (size_t)n * 6 * sizeof *corners), *to = corners;
    assert_true(points != NULL && corners != NULL);
    for (size_t i = 0; i < side * side; ++i)
        points[i] = vec_make(cell * ((double)(i % side) - 0.5 * n), 0.0, cell * ((double)(i / side) - 0.5 * n));
    for (uint32_t j = 0; j < (uint32_t)n; ++j)
        for (uint32_t i = 0; i < (uint32_t)n; ++i) {
            const uint32_t p = j * (uint32_t)side + i, q = p + 1, r = p + (uint32_t)side, t = r + 1;
            *to++ = p, *to++ = r, *to++ = q;
            *to++ = q, *to++ = r, *to++ = t;
        }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){.data = points, .count = side * side};
    def.indices = corners;
    def.index_count = (size_t)(to - corners);
    def.one_sided = one_sided;
    tact_shape *mesh = tact_mesh_create(&def, NULL);
    free(points);
    free(corners);
    return mesh;
}

enum { CONVEX_KINDS = 12, KINDS = 14 };

static tact_shape *any_shape(random_source *r, int kind, double size, const char **name)
{
    static const char *const names[KINDS] = {"sphere",      "box",       "capsule",     "cylinder", "cone",
                                             "ellipsoid",   "round box", "tetrahedron", "hull",     "plate",
                                             "transformed", "polygon",   "mesh",        "compound"};
    tact_vec3 points[12];
    tact_shape *part, *shape;
    *name = names[kind];
    switch (kind) {
    case 0:
        return tact_sphere(0.7 * size);
    case 1:
        return tact_box(size * random_range(r, 0.5, 1.2), size * random_range(r, 0.5, 1.2), size);
    case 2:
        return tact_capsule(0.4 * size, size);
    case 3:
        return tact_cylinder(0.6 * size, size * random_range(r, 0.3, 1.2));
    case 4:
        return tact_cone(0.7 * size, size);
    case 5:
        return tact_ellipsoid(0.9 * size, 0.6 * size, 0.5 * size);
    case 6:
        part = tact_box(0.8 * size, size, 0.6 * size);
        shape = tact_rounded(part, 0.1 * size);
        tact_shape_release(part);
        return shape;
    case 7:
        return tact_tetrahedron(
            vec_make(0.5 * size, 0.5 * size, 0.5 * size), vec_make(0.5 * size, -0.5 * size, -0.5 * size),
            vec_make(-0.5 * size, 0.5 * size, -0.5 * size), vec_make(-0.5 * size, -0.5 * size, 0.5 * size));
    case 8:
        for (int i = 0; i < 12; ++i)
            points[i] = vec_scale(random_direction(r), size * sqrt(random_range(r, 0.3, 1.0)));
        return tact_hull(points, 12);
    case 9:
        return tact_box(1.2 * size, 0.02 * size, size);
    case 10:
        part = tact_cylinder(0.4 * size, 0.8 * size);
        shape = tact_transformed(
            part, tact_transform_make(vec_make(0.1 * size, 0.0, 0.0), random_rotation(r), vec_make(1.0, 1.2, 0.7)));
        tact_shape_release(part);
        return shape;
    case 11:
        for (int i = 0; i < 6; ++i)
            points[i] = vec_make(0.7 * size * cos(i * pi / 3.0), 0.0, 0.7 * size * sin(i * pi / 3.0));
        return tact_polygon(points, 6);
    case 12:
        return l_mesh(size);
    default:
        return t_compound(size);
    }
}

static double scene_energy(const scene *s)
{
    double sum = 0.0;
    for (int i = 0; i < s->count; ++i) {
        const item *b = &s->items[i];
        if (b->mass.mass == 0.0)
            continue;
        const tact_transform at = tact_body_get_transform(s->world, b->body);
        const tact_motion m = tact_body_get_motion(s->world, b->body);
        tact_transform back;
        assert_int_equal(tact_transform_invert(b->begun, &back), TACT_OK);
        const tact_mass mass = tact_mass_transform(b->mass, tact_transform_compose(at, back));
        const tact_vec3 v = vec_add(m.velocity, vec_cross(m.spin, vec_sub(mass.centre, at.origin))), w = m.spin;
        const tact_inertia j = mass.inertia;
        const double turning = j.xx * w.x * w.x + j.yy * w.y * w.y + j.zz * w.z * w.z +
                               2.0 * (j.xy * w.x * w.y + j.xz * w.x * w.z + j.yz * w.y * w.z);
        sum += 0.5 * (mass.mass * vec_length_squared(v) + turning) + mass.mass * GRAVITY * mass.centre.y;
    }
    return sum;
}

/* The deepest overlap of two bodies, of the size of the smaller one that has a mass. Nobody is outside of the room. */
static double deepest_overlap(const scene *s, uint64_t seed)
{
    tact_bounds bounds[MOST_BODIES];
    double deepest = -INFINITY;
    for (int i = 0; i < s->count; ++i) {
        const item *b = &s->items[i];
        CHECK(tact_shape_bounds(b->shape, tact_body_get_transform(s->world, b->body), &bounds[i]) == TACT_OK,
              "%s: %s %d has no place", s->name, b->name, i);
        const tact_vec3 p = vec_scale(vec_add(bounds[i].min, bounds[i].max), 0.5);
        CHECK(b->mass.mass == 0.0 || s->high.y == 0.0 ||
                  (p.x > s->low.x && p.x < s->high.x && p.y > s->low.y && p.y < s->high.y && p.z > s->low.z &&
                   p.z < s->high.z),
              "%s: %s %d is outside at %.17g: %g %g %g", s->name, b->name, i, tact_world_get_time(s->world), p.x, p.y,
              p.z);
    }
    for (int i = 0; i < s->count; ++i)
        for (int j = 0; j < i; ++j) {
            const item *a = &s->items[j], *b = &s->items[i];
            const tact_bounds *p = &bounds[i], *q = &bounds[j];
            if ((a->mass.mass == 0.0 && b->mass.mass == 0.0) || p->min.x > q->max.x || q->min.x > p->max.x ||
                p->min.y > q->max.y || q->min.y > p->max.y || p->min.z > q->max.z || q->min.z > p->max.z)
                continue;
            const tact_penetration d = tact_shapes_penetration(a->shape, tact_body_get_transform(s->world, a->body),
                                                               b->shape, tact_body_get_transform(s->world, b->body));
            assert_int_equal(d.status, TACT_OK);
            const double size = a->mass.mass == 0.0 ? b->size : b->mass.mass == 0.0 ? a->size : fmin(a->size, b->size);
            CHECK(d.depth <= DEPTH * size, "%s: %s %d and %s %d are %g sizes deep at %.17g", s->name, a->name, j,
                  b->name, i, d.depth / size, tact_world_get_time(s->world));
            deepest = fmax(deepest, d.depth / size);
        }
    return deepest;
}

/* Of the largest energy so far: by so much it may grow. In 300 worlds it grows by 6e-10. */
#define ENERGY_GROWTH 1e-8

static void energy_does_not_exceed_its_maximum(void **state)
{
    (void)state;
    double worst = 0.0, deepest = -INFINITY;
    uint64_t worst_seed = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(12, 300); ++seed) {
        static scene s;
        begin_scene(&s, "energy", seed, 31, 1);
        const int ground = (int)(seed % 3);
        join(&s,
             ground == 0   ? tact_halfspace(y_axis, 0.0)
             : ground == 1 ? tact_box(80.0, 2.0, 80.0)
                           : grid_mesh(30, 1.0, false),
             "floor", ground == 1 ? tact_at(0.0, -1.0, 0.0) : tact_identity(), tact_motion_still(), 0.0);
        const int count = random_between(&s.random, 1, 12);
        for (int i = 0; i < count; ++i) {
            const char *name;
            tact_shape *shape = any_shape(&s.random, (int)random_below(&s.random, KINDS), 0.2, &name);
            const tact_vec3 at = {0.5 * (i % 2) + random_range(&s.random, -0.03, 0.03), 0.4 + 0.5 * (i / 4),
                                  0.5 * (i / 2 % 2) + random_range(&s.random, -0.03, 0.03)};
            join(&s, shape, name, tact_transform_make(at, random_rotation(&s.random), vec_make(1.0, 1.0, 1.0)),
                 (tact_motion){.velocity = random_vector(&s.random, 2.0), .spin = random_vector(&s.random, 6.0)},
                 random_chance(&s.random, 0.5) ? 1.0 : exp(random_range(&s.random, -1.0, 1.0)));
        }
        double most = scene_energy(&s);
        for (int k = 1; k <= 90; ++k) { /* just before a contact step: it begins with the velocities of its end */
            CHECK(tact_world_step(s.world, k / 60.0 * (1.0 - 1e-12) - tact_world_get_time(s.world)) == TACT_OK,
                  "fails at %.17g", tact_world_get_time(s.world));
            const double energy = scene_energy(&s);
            if (energy / most - 1.0 > worst) {
                worst = energy / most - 1.0;
                worst_seed = seed;
            }
            CHECK(energy <= most * (1.0 + ENERGY_GROWTH),
                  "%d bodies, friction %g, restitution %g: %g of the most at %g", count, s.material.friction,
                  s.material.restitution, energy / most - 1.0, k / 60.0);
            most = fmax(most, energy);
            if (k % 3 == 0)
                deepest = fmax(deepest, deepest_overlap(&s, seed));
        }
        end_scene(&s);
    }
    print_message("energy grows by at most %.1e (seed %llu); %.1e sizes deep\n", worst, (unsigned long long)worst_seed,
                  deepest);
}

/* Walls around, a floor below, and for `lid` a ceiling: boxes 2 thick. */
static void build_room(scene *s, double half, double height, bool lid)
{
    s->low = vec_make(-half, 0.0, -half);
    s->high = vec_make(half, height + (lid ? 0.0 : 20.0), half);
    const double side = 2.0 * half + 4.0;
    join(s, tact_box(side, 2.0, side), "floor", tact_at(0.0, -1.0, 0.0), tact_motion_still(), 0.0);
    for (int i = 0; i < 4; ++i) {
        const double out = (i & 1 ? 1.0 : -1.0) * (half + 1.0);
        const bool x = i < 2;
        join(s, tact_box(x ? 2.0 : side, height + 20.0, x ? side : 2.0), "wall",
             tact_at(x ? out : 0.0, 0.5 * height + 9.0, x ? 0.0 : out), tact_motion_still(), 0.0);
    }
    if (lid)
        join(s, tact_box(side, 2.0, side), "lid", tact_at(0.0, height + 1.0, 0.0), tact_motion_still(), 0.0);
}

/* Above each other, `apart`, with a random turn. */
static void drop(scene *s, tact_shape *shape, const char *name, int i, double apart, double mass)
{
    const tact_vec3 at = {random_range(&s->random, -0.05, 0.05), 0.4 + apart * i,
                          random_range(&s->random, -0.05, 0.05)};
    join(s, shape, name, tact_transform_make(at, random_rotation(&s->random), vec_make(1.0, 1.0, 1.0)),
         (tact_motion){.velocity = random_vector(&s->random, 0.5), .spin = random_vector(&s->random, 3.0)}, mass);
}

static void thin_plates(scene *s)
{
    build_room(s, 0.6, 6.0, false);
    for (int i = 0, count = random_between(&s->random, 6, 16); i < count; ++i)
        drop(s, tact_box(0.4, 0.002, 0.4), "plate", i, 0.6, 1.0);
}

static void flat_boxes(scene *s)
{
    build_room(s, 0.5, 6.0, false);
    for (int i = 0, count = random_between(&s->random, 8, 16); i < count; ++i)
        drop(s, tact_box(0.4, 0.05, 0.3), "flat box", i, 0.55, exp(random_range(&s->random, -1.0, 1.0)));
}

/* A ball moves by 80 of its sizes in a contact step. */
static void fast_small_balls(scene *s)
{
    build_room(s, 0.5, 1.0, true);
    for (int i = 0, count = random_between(&s->random, 10, 30); i < count; ++i)
        join(s, tact_sphere(0.02), "ball",
             tact_at(-0.4 + 0.2 * (i % 5), 0.1 + 0.2 * (i / 5 % 5), -0.4 + 0.2 * (i / 25)),
             (tact_motion){.velocity = random_vector(&s->random, 100.0), .spin = random_vector(&s->random, 50.0)}, 1.0);
    for (int i = 0; i < 3; ++i)
        join(s, tact_box(0.3, 0.05, 0.3), "flat box", tact_at(0.0, 0.3 + 0.25 * i, 0.3),
             (tact_motion){.spin = random_vector(&s->random, 5.0)}, 5.0);
}

static void crowd(scene *s)
{
    build_room(s, 0.5, 1.0, true);
    for (int i = 0; i < 27; ++i) {
        const char *name = "cube";
        tact_shape *shape = random_chance(&s->random, 0.4)
                                ? tact_box(0.25, 0.25, 0.25)
                                : any_shape(&s->random, (int)random_below(&s->random, CONVEX_KINDS), 0.15, &name);
        join(s, shape, name, tact_at(-0.33 + 0.33 * (i % 3), 0.17 + 0.33 * (i / 9), -0.33 + 0.33 * (i / 3 % 3)),
             (tact_motion){.velocity = random_vector(&s->random, 4.0), .spin = random_vector(&s->random, 4.0)},
             exp(random_range(&s->random, -1.0, 1.0)));
    }
}

static void light_and_heavy(scene *s)
{
    build_room(s, 0.6, 8.0, false);
    for (int i = 0, count = random_between(&s->random, 6, 14); i < count; ++i) {
        const char *name;
        tact_shape *shape = any_shape(&s->random, (int)random_below(&s->random, CONVEX_KINDS),
                                      random_chance(&s->random, 0.5) ? 0.1 : 0.25, &name);
        drop(s, shape, name, i, 0.6, random_chance(&s->random, 0.5) ? 1.0 : 1000.0);
    }
}

static void rooms_keep_their_bodies_apart(void **state)
{
    (void)state;
    static const struct {
        void (*build)(scene *);
        const char *name;
    } rooms[] = {{thin_plates, "thin plates"},
                 {flat_boxes, "flat boxes"},
                 {fast_small_balls, "fast small balls"},
                 {crowd, "a crowd"},
                 {light_and_heavy, "light and heavy"}};
    for (size_t kind = 0; kind < sizeof rooms / sizeof rooms[0]; ++kind) {
        double deepest = -INFINITY, seconds = 0.0, slowest = 0.0;
        for (uint64_t seed = first_seed(); seed <= last_seed_of(1, 100); ++seed) {
            static scene s;
            begin_scene(&s, rooms[kind].name, seed, 32 + kind, 1);
            s.material.friction = random_range(&s.random, 0.05, 1.0);
            rooms[kind].build(&s);
            double spent = 0.0;
            for (int k = 1; k <= 75; ++k) {
                const clock_t begun = clock();
                CHECK(tact_world_step(s.world, k / 60.0 - tact_world_get_time(s.world)) == TACT_OK, "%s fails at %.17g",
                      s.name, tact_world_get_time(s.world));
                spent += (double)(clock() - begun) / CLOCKS_PER_SEC;
                deepest = fmax(deepest, deepest_overlap(&s, seed));
            }
            seconds += spent;
            slowest = fmax(slowest, spent);
            end_scene(&s);
        }
        print_message("%s: %.1e sizes deep at most; %.2f s, at most %.2f\n", rooms[kind].name, deepest, seconds,
                      slowest);
    }
}

/* ---- division of time, threads ---- */

static void add_number(uint64_t *digest, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    *digest = digest_add(*digest, bits);
}

/* How the time is divided: 0 at once, 1 by 1/60, 2 by 1/7, else at random. */
static double next_part(int division, random_source *r)
{
    return division == 0           ? INFINITY
           : division == 1         ? 1.0 / 60.0
           : division == 2         ? 1.0 / 7.0
           : random_chance(r, 0.2) ? 1e-5
                                   : random_range(r, 0.0, 0.1);
}

/* Everything that can be seen of a run: by tact_world_step the final state, otherwise also the events. */
static uint64_t run_divided(uint64_t seed, int division, int threads, bool by_step, long *events)
{
    static scene s;
    const double until = 0.875;
    uint64_t digest = 0;
    begin_scene(&s, "divided", seed, 40, threads);
    assert_int_equal(tact_world_set_contact_events(s.world, true), TACT_OK);
    join(&s, tact_box(10.0, 2.0, 10.0), "floor", tact_at(0.0, -1.0, 0.0), tact_motion_still(), 0.0);
    for (int i = 0; i < 12; ++i) {
        const char *name;
        tact_shape *shape = any_shape(&s.random, (int)random_below(&s.random, CONVEX_KINDS), 0.2, &name);
        join(&s, shape, name,
             tact_transform_make(vec_make(0.45 * (i % 2), 0.4 + 0.45 * (i / 4), 0.45 * (i / 2 % 2)),
                                 random_rotation(&s.random), vec_make(1.0, 1.0, 1.0)),
             tact_motion_still(), 1.0);
    }
    random_source r = random_seed((uint64_t)division);
    *events = 0;
    for (double now = 0.0; now < until;) {
        const double part = next_part(division, &r), rest = until - now;
        now = part < rest - 1e-9 ? now + part : until;
        if (by_step) { /* the sum is exact at the end: `rest` is the exact difference then */
            assert_int_equal(tact_world_step(s.world, now == until ? until - tact_world_get_time(s.world) : part),
                             TACT_OK);
            now = tact_world_get_time(s.world);
            continue;
        }
        tact_event e;
        while (tact_world_next_event(s.world, now, &e) != TACT_EVENT_NONE) {
            ++*events;
            digest = digest_add(digest, (uint64_t)e.kind << 48 | (uint64_t)e.a.index << 24 | e.b.index);
            add_number(&digest, e.time);
            add_number(&digest, e.point.x);
            add_number(&digest, e.normal.y);
            const tact_bounce_def def = {.restitution = s.material.restitution, .friction = s.material.friction};
            if (e.kind == TACT_EVENT_TOUCH)
                assert_int_equal(tact_world_bounce_with(s.world, &e, &def), TACT_OK);
        }
        assert_int_equal(e.status, TACT_OK);
    }
    assert_true(tact_world_get_time(s.world) == until);
    for (int i = 0; i < s.count; ++i) {
        const tact_transform at = tact_body_get_transform(s.world, s.items[i].body);
        const tact_motion m = tact_body_get_motion(s.world, s.items[i].body);
        const tact_vec3 seen[] = {at.origin, at.x_axis, at.y_axis, m.velocity, m.spin};
        for (int k = 0; k < 5; ++k) {
            add_number(&digest, seen[k].x);
            add_number(&digest, seen[k].y);
            add_number(&digest, seen[k].z);
        }
        digest = digest_add(digest, tact_body_is_asleep(s.world, s.items[i].body));
    }
    end_scene(&s);
    return digest;
}

static void events_do_not_depend_on_the_division_of_time_or_on_threads(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(2, 40); ++seed)
        for (int by_step = 0; by_step < 2; ++by_step) {
            long events, again;
            const uint64_t first = run_divided(seed, 0, 1, by_step, &events);
            for (int division = 1; division <= 3; ++division) {
                const int threads = division % 3 + 1;
                const uint64_t other = run_divided(seed, division, threads, by_step, &again);
                CHECK(other == first && again == events, "division %d, %d threads, %s: %ld events, not %ld", division,
                      threads, by_step ? "steps" : "events", again, events);
            }
        }
}

/* ---- strange input ---- */

/* Flat meshes and heightfields of many triangles: a ball rolls, other bodies slide without friction, as on a plane. */
static void bodies_pass_over_interior_edges(void **state)
{
    (void)state;
    static const double flat[41 * 41] = {0.0};
    static const double headings[] = {0.0, 0.3, 0.25 * 3.14159265358979323846};
    for (int ground = 0; ground < 3; ++ground)
        for (int kind = 0; kind < 6; ++kind)
            for (int k = kind % 2; k < 3; k += 2) {
                tact_world *world = falling_world(true);
                const double friction = kind == 0 ? 0.3 : 0.0, radius = 0.2, speed = 4.0, heading = headings[k];
                const tact_vec3 forward = {cos(heading), 0.0, sin(heading)};
                (void)put(world,
                          ground < 2 ? grid_mesh(40, 0.5, ground == 1) : tact_heightfield(41, 41, 0.5, 0.5, flat),
                          ground < 2 ? tact_identity() : tact_at(-10.0, 0.0, -10.0), 0.0, friction, 0.0);
                tact_shape *shape = kind == 0   ? tact_sphere(radius)
                                    : kind == 1 ? tact_box(0.4, 0.4, 0.4)
                                    : kind == 2 ? tact_cylinder(0.2, 0.4)
                                    : kind == 3 ? tact_sphere(radius)
                                    : kind == 4 ? tact_box(1.3, 0.4, 0.7)
                                                : tact_cone(0.3, 0.4);
                const tact_body body = put(world, shape,
                                           turned(vec_make(-5.0 * forward.x + 0.013, radius, -5.0 * forward.z + 0.017),
                                                  y_axis, kind == 4 ? 0.2 : 0.0),
                                           1.0, friction, 0.0);
                set_motion(
                    world, body,
                    (tact_motion){.velocity = vec_scale(forward, speed),
                                  .spin = vec_scale(vec_cross(y_axis, forward), kind == 0 ? speed / radius : 0.0)});
                for (int i = 0; i < 60; ++i) {
                    step(world, 1.0 / 30.0);
                    const tact_vec3 v = tact_body_get_motion(world, body).velocity;
                    const double y = place(world, body).y - radius;
                    assert_true(y > -DEPTH * radius && y < 3e-4);
                    assert_true(distance(v, vec_scale(forward, speed)) < 1e-3 * speed);
                }
                tact_world_release(world);
            }
}

/* A ball passes through a one-sided mesh from behind, falls back, and stays on its front. */
static void a_one_sided_mesh_holds_from_its_front(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        tact_world *world = falling_world(true);
        (void)put(world, grid_mesh(10, 0.5, true), tact_identity(), 0.0, 0.5, 0.0);
        const tact_body body =
            put(world, kind == 0 ? tact_sphere(0.2) : tact_cylinder(0.3, 0.4), tact_at(0.1, -1.0, 0.1), 1.0, 0.5, 0.0);
        set_motion(world, body, (tact_motion){.velocity = {0.0, 6.0, 0.0}, .spin = {0.3, 0.1, 0.2}});
        step(world, 0.6);
        assert_true(place(world, body).y > 0.7);
        step(world, 3.0);
        print_message("one-sided, %d: y %g\n", kind, place(world, body).y);
        assert_true(place(world, body).y > 0.1 && place(world, body).y < 0.3);
        tact_world_release(world);
    }
}

/* A box slides and stops, and a ball on it comes to rest, whatever the contact step. */
static void contact_steps_may_be_long_or_short(void **state)
{
    (void)state;
    static const double durations[] = {1.0, 0.1, 1e-3, 1e-4};
    for (int i = 0; i < 4; ++i) {
        tact_world *world = falling_world(true);
        assert_int_equal(tact_world_set_contact_step(world, durations[i]), TACT_OK);
        (void)put_floor(world, 0.5, 0.0);
        const tact_body box = put(world, tact_box(1.0, 1.0, 1.0), tact_at(0.0, 0.8, 0.0), 1.0, 0.5, 0.3),
                        ball = put(world, tact_sphere(0.3), tact_at(0.0, 3.0, 0.0), 1.0, 0.5, 0.3);
        set_motion(world, box, tact_motion_linear(0.2, 0.0, 0.0));
        step(world, 3.0);
        assert_true(fabs(place(world, box).y - 0.5) < 3.0 * REST_GAP);
        assert_true(fabs(place(world, ball).y - 1.3) < 3.0 * REST_GAP || place(world, ball).y < 0.31);
        tact_world_release(world);
    }
    static const double bad[] = {0.0, -1.0, NAN, INFINITY, -INFINITY};
    tact_world *world = falling_world(true);
    for (int i = 0; i < 5; ++i)
        assert_int_equal(tact_world_set_contact_step(world, bad[i]), TACT_BAD_ARGUMENT);
    assert_true(tact_world_get_contact_step(world) == 1.0 / 60.0);
    tact_world_release(world);
}

static void mass_ratios_and_gravity_may_be_extreme(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind)
        for (double ratio = 1e2; ratio < 2e4; ratio *= 10.0) {
            tact_world *world = falling_world(true);
            (void)put_floor(world, 0.5, 0.0);
            const tact_body lower = put(world, kind == 1 ? tact_sphere(0.5) : tact_box(1.0, 1.0, 1.0),
                                        tact_at(0.0, 0.5, 0.0), kind == 2 ? ratio : 1.0, 0.5, 0.0),
                            upper = put(world, tact_box(1.0, 1.0, 1.0), tact_at(0.0, 1.51, 0.0),
                                        kind == 2 ? 1.0 : ratio, 0.5, 0.0);
            step(world, 2.0);
            assert_true(fabs(place(world, lower).y - 0.5) < 3.0 * REST_GAP);
            assert_true(fabs(place(world, upper).y - 1.5) < 3.0 * REST_GAP);
            tact_world_release(world);
        }
    for (double g = 1e-2; g < 2e6; g *= 1e2) { /* in the time in which it falls by 5 */
        tact_world *world = new_world(vec_make(0.0, -g, 0.0), true);
        const double unit = sqrt(10.0 / g);
        assert_int_equal(tact_world_set_contact_step(world, unit / 60.0), TACT_OK);
        (void)put(world, tact_halfspace(y_axis, 0.0), tact_identity(), 0.0, 0.5, 0.0);
        const tact_body box = put(world, tact_box(1.0, 1.0, 1.0), tact_at(0.0, 1.0, 0.0), 1.0, 0.5, 0.3);
        step(world, 3.0 * unit);
        assert_true(fabs(place(world, box).y - 0.5) < 3.0 * REST_GAP);
        tact_world_release(world);
    }
}

/* Many bodies at one point separate, slowly, and stay above the floor. */
static void bodies_at_one_point_separate(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        enum { MANY = 12 };
        tact_world *world = falling_world(true);
        (void)put_floor(world, 0.3, 0.0);
        tact_body bodies[MANY];
        const int count = kind == 0 ? MANY : 5;
        for (int i = 0; i < count; ++i)
            bodies[i] = put(world,
                            kind == 0   ? tact_sphere(0.2)
                            : kind == 1 ? tact_box(0.4, 0.4, 0.4)
                                        : tact_capsule(0.1, 0.2),
                            tact_at(0.0, 0.5, 0.0), 1.0, 0.3, 0.0);
        double fastest = 0.0;
        for (int k = 0; k < 600; ++k) { /* on a line, each pushes the next */
            step(world, 1.0 / 60.0);
            for (int i = 0; i < count; ++i) {
                fastest = fmax(fastest, vec_length(tact_body_get_motion(world, bodies[i]).velocity));
                assert_true(place(world, bodies[i]).y > 0.0999);
            }
        }
        double deepest = -INFINITY;
        for (int i = 0; i < count; ++i)
            for (int j = 0; j < i; ++j)
                deepest = fmax(deepest, tact_shapes_penetration(tact_body_get_shape(world, bodies[i]),
                                                                tact_body_get_transform(world, bodies[i]),
                                                                tact_body_get_shape(world, bodies[j]),
                                                                tact_body_get_transform(world, bodies[j]))
                                            .depth);
        print_message("%d bodies at one point: at most %g fast, %g deep at the end\n", count, fastest, deepest);
        assert_true(deepest <= DEPTH * 0.2);
        assert_true(fastest < 10.0);
        tact_world_release(world);
    }
}

/* Points, segments, triangles and boxes without volume, some of size 0, come to rest on the floor. */
static void bodies_without_volume_come_to_rest(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; ++kind) {
        const tact_vec3 p = {-0.3, 0.0, 0.0}, q = {0.3, 0.0, 0.0}, r = {0.0, 0.4, 0.0}, zero = {0.0, 0.0, 0.0};
        tact_world *world = falling_world(true);
        (void)put_floor(world, 0.5, 0.0);
        tact_shape *shape = kind == 0   ? tact_point(p)
                            : kind == 1 ? tact_segment(p, q)
                            : kind == 2 ? tact_triangle(p, q, r)
                            : kind == 3 ? tact_sphere(0.0)
                            : kind == 4 ? tact_box(0.0, 0.0, 0.0)
                            : kind == 5 ? tact_box(0.5, 0.0, 0.5)
                            : kind == 6 ? tact_box(0.5, 0.0, 0.0)
                                        : tact_triangle(zero, zero, zero);
        const tact_body body =
            put(world, shape, turned(vec_make(0.0, 0.6, 0.0), vec_make(1.0, 0.3, 0.2), 0.4), 1.0, 0.5, 0.0);
        step(world, 2.5);
        const tact_motion m = tact_body_get_motion(world, body);
        tact_bounds bounds;
        assert_int_equal(
            tact_shape_bounds(tact_body_get_shape(world, body), tact_body_get_transform(world, body), &bounds),
            TACT_OK);
        assert_true(vec_length(m.velocity) < 1e-6 && vec_length(m.spin) < 1e-6);
        assert_true(bounds.min.y > -1e-6 && bounds.max.y < 1e-3);
        tact_world_release(world);
    }
}

/* A press comes down on a box, leaves 0.01 less than it needs, and goes up again. */
static void a_pressed_box_comes_out(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        tact_world *world = falling_world(true);
        assert_int_equal(tact_world_set_contact_events(world, true), TACT_OK);
        (void)put_floor(world, 0.5, 0.0);
        const tact_body box =
            put(world, kind ? tact_sphere(0.5) : tact_box(1.0, 1.0, 1.0), tact_at(0.0, 0.5, 0.0), 1.0, 0.5, 0.0);
        const tact_body press = put(world, tact_box(4.0, 1.0, 4.0), tact_at(0.0, 2.0, 0.0), 0.0, 0.5, 0.0);
        set_motion(world, press, tact_motion_linear(0.0, -0.1, 0.0));
        long crushed = 0;
        tact_event e;
        while (tact_world_next_event(world, 5.1, &e) != TACT_EVENT_NONE) {
            crushed += e.kind == TACT_EVENT_CRUSHED;
            const tact_bounce_def def = {.friction = 0.5};
            if (e.kind == TACT_EVENT_TOUCH)
                assert_int_equal(tact_world_bounce_with(world, &e, &def), TACT_OK);
        }
        assert_int_equal(e.status, TACT_OK);
        const double pressed = place(world, box).y - 0.5;
        assert_true(pressed < 1e-4 && pressed > -0.0101);
        set_motion(world, press, tact_motion_linear(0.0, 0.1, 0.0));
        step(world, 2.0);
        print_message("pressed: %ld crushed events, at %g, then at %g\n", crushed, pressed, place(world, box).y - 0.5);
        assert_true(crushed > 0 && crushed < 20);
        assert_true(fabs(place(world, box).y - 0.5) < 3.0 * REST_GAP);
        tact_world_release(world);
    }
}

/* What a contact callback does besides the bounce, once in a while. */
typedef enum meddling {
    REMOVE_B,
    REMOVE_BEFORE_BOUNCE,
    TELEPORT_B,
    REMOVE_ANY,
    SET_MOTION,
    SET_MATERIAL,
    SET_CONTACT_STEP,
    CREATE,
    MEDDLINGS
} meddling;

typedef struct meddler {
    meddling kind;
    random_source random;
    tact_body bodies[32];
    int count;
    long acts;
} meddler;

static void meddle(void *context, const tact_contact *contact)
{
    meddler *m = context;
    tact_world *world = contact->world;
    const tact_bounce_def def = {.restitution = 0.2, .friction = 0.5};
    const bool acts = random_chance(&m->random, 0.2);
    const tact_body any = m->bodies[random_below(&m->random, (uint64_t)m->count)];
    if (acts && m->kind == REMOVE_BEFORE_BOUNCE)
        assert_int_equal(tact_body_remove(world, contact->b), TACT_OK);
    assert_int_equal(tact_world_bounce_with(world, contact->event, &def),
                     acts && m->kind == REMOVE_BEFORE_BOUNCE ? TACT_BAD_ARGUMENT : TACT_OK);
    if (!acts)
        return;
    ++m->acts;
    switch (m->kind) {
    case REMOVE_B:
        assert_int_equal(tact_body_remove(world, contact->b), TACT_OK);
        break;
    case TELEPORT_B:
        assert_int_equal(
            tact_body_set_transform(world, contact->b, tact_at(random_range(&m->random, -1.0, 1.0), 3.0, 0.0)),
            TACT_OK);
        break;
    case REMOVE_ANY:
        (void)tact_body_remove(world, any);
        break;
    case SET_MOTION:
        set_motion(world, any, (tact_motion){.velocity = random_vector(&m->random, 3.0)});
        break;
    case SET_MATERIAL:
        assert_int_equal(tact_body_set_material(world, any, (tact_material){.friction = 0.1}), TACT_OK);
        assert_int_equal(tact_body_wake(world, any), TACT_OK);
        assert_int_equal(tact_body_apply_impulse(world, any, vec_make(0.0, 1.0, 0.0), place(world, any)), TACT_OK);
        break;
    case SET_CONTACT_STEP:
        assert_int_equal(tact_world_set_contact_step(world, random_range(&m->random, 0.002, 0.05)), TACT_OK);
        break;
    case CREATE:
        if (m->count < 32)
            m->bodies[m->count++] =
                put(world, tact_sphere(0.15), tact_at(random_range(&m->random, -3.0, 3.0), 4.0, 0.0), 1.0, 0.5, 0.2);
        break;
    default:
        break;
    }
}

static void callbacks_may_change_bodies_in_contact(void **state)
{
    (void)state;
    for (int kind = 0; kind < MEDDLINGS; ++kind)
        for (uint64_t seed = first_seed(); seed <= last_seed_of(1, 100); ++seed) {
            static meddler m;
            m = (meddler){.kind = (meddling)kind, .random = random_seed(seed + (UINT64_C(41) << 32))};
            tact_world *world = new_world(vec_make(0.0, -GRAVITY, 0.0), false);
            (void)put_floor(world, 0.5, 0.0);
            for (int i = 0; i < 15; ++i)
                m.bodies[m.count++] = put(world, i % 2 ? tact_box(0.4, 0.4, 0.4) : tact_sphere(0.25),
                                          tact_at(0.45 * (i % 3), 0.4 + 0.5 * (i / 3), 0.0), 1.0, 0.5, 0.2);
            const tact_response response = {.want = TACT_NOTHING, .callback = meddle, .context = &m};
            assert_int_equal(tact_world_set_contact_callback(world, response), TACT_OK);
            for (int k = 0; k < 75; ++k) {
                CHECK(tact_world_step(world, 1.0 / 60.0) == TACT_OK, "change %d fails at %.17g", kind,
                      tact_world_get_time(world));
                for (int i = 0; i < m.count; ++i) {
                    const tact_vec3 p = place(world, m.bodies[i]);
                    CHECK(
                        !tact_body_exists(world, m.bodies[i]) || (vec_finite(p) && p.y > 0.14 && vec_length(p) < 50.0),
                        "change %d: body %d at %g %g %g, time %g", kind, i, p.x, p.y, p.z, tact_world_get_time(world));
                }
            }
            CHECK(m.acts > 0 || seed > 1, "change %d never happened", kind);
            tact_world_release(world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_does_not_exceed_its_maximum),
        cmocka_unit_test(rooms_keep_their_bodies_apart),
        cmocka_unit_test(events_do_not_depend_on_the_division_of_time_or_on_threads),
        cmocka_unit_test(bodies_pass_over_interior_edges),
        cmocka_unit_test(a_one_sided_mesh_holds_from_its_front),
        cmocka_unit_test(contact_steps_may_be_long_or_short),
        cmocka_unit_test(mass_ratios_and_gravity_may_be_extreme),
        cmocka_unit_test(bodies_at_one_point_separate),
        cmocka_unit_test(bodies_without_volume_come_to_rest),
        cmocka_unit_test(a_pressed_box_comes_out),
        cmocka_unit_test(callbacks_may_change_bodies_in_contact),
        cmocka_unit_test(newtons_cradle_passes_several_balls_on),
        cmocka_unit_test(an_inelastic_row_gets_the_common_velocity),
        cmocka_unit_test(a_rack_keeps_energy_and_momentum),
        cmocka_unit_test(a_rack_on_a_table_breaks_symmetrically),
        cmocka_unit_test(pyramids_of_balls_stand),
        cmocka_unit_test(dominoes_fall),
        cmocka_unit_test(a_house_of_cards_stands),
        cmocka_unit_test(an_arch_stands),
        cmocka_unit_test(balls_in_a_silo_stay_inside),
        cmocka_unit_test(a_tiny_spin_stays_a_number),
        cmocka_unit_test(a_gripper_of_several_fingers_holds_or_lets_slip),
        cmocka_unit_test(a_block_slides_above_the_friction_limit_in_any_direction),
        cmocka_unit_test(a_stopping_distance_converges),
        cmocka_unit_test(bodies_roll_down_slopes),
        cmocka_unit_test(a_plank_at_a_smooth_wall_slips_below_its_limit_angle),
        cmocka_unit_test(a_block_rocks_or_topples),
        cmocka_unit_test(an_ellipsoid_rocks_no_farther),
        cmocka_unit_test(a_top_precesses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
