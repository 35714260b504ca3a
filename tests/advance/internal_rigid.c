/*
 * Rigid bodies that bounce: chains and boxes with known answers, momentum and energy of random crowds, friction,
 * restitution, free rotation, rest, crushing; invalid input, and every allocation failed once.
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

#include "advance/advance.h"
#include "dynamics/rigid_body.h"
#include "math/vec.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"

/* ---- worlds ---- */

/* How pairs are found: each test runs with every engine. */
static tact_kinetic kinetic;

static tact_world *new_world(void)
{
    const tact_world_def def = {.kinetic = kinetic};
    return tact_world_create(&def);
}

static tact_body add(tact_world *world, const tact_shape *shape, tact_transform place, tact_motion motion, double mass)
{
    const tact_body body =
        tact_body_create(world, &(tact_body_def){.shape = shape, .transform = place, .motion = motion});
    assert_int_not_equal(body.generation, 0);
    assert_int_equal(tact_body_set_mass(world, body, mass), TACT_OK);
    return body;
}

/* Takes a world to a time, bouncing all that touches; tells how often. */
static long run(tact_world *world, double until, const tact_bounce_def *def)
{
    long touches = 0;
    tact_event e;
    for (; tact_world_next_event(world, until, &e) == TACT_EVENT_TOUCH; ++touches)
        assert_int_equal(tact_world_bounce_with(world, &e, def), TACT_OK);
    assert_int_equal(e.status, TACT_OK);
    return touches;
}

static tact_vec3 inertia_map(tact_inertia i, tact_vec3 v)
{
    return vec_make(i.xx * v.x + i.xy * v.y + i.xz * v.z, i.xy * v.x + i.yy * v.y + i.yz * v.z,
                    i.xz * v.x + i.yz * v.y + i.zz * v.z);
}

/* The conserved quantities, from the public state of the world alone. */
typedef struct sums {
    tact_vec3 momentum, angular; /* the latter about the origin */
    double energy;
} sums;

static tact_vec3 centre_of(const tact_world *world, tact_body body, tact_mass *mass, tact_vec3 *velocity)
{
    const tact_transform place = tact_body_get_transform(world, body);
    const tact_motion motion = tact_body_get_motion(world, body);
    *mass = tact_mass_from_total(tact_body_get_shape(world, body), place, tact_body_get_mass(world, body));
    assert_int_equal(mass->status, TACT_OK);
    *velocity = vec_add(motion.velocity, vec_cross(motion.spin, vec_sub(mass->centre, place.origin)));
    return mass->centre;
}

static sums sum_of(const tact_world *world)
{
    sums s = {.energy = 0.0};
    for (tact_body b = {0}; (b = tact_world_next_body(world, b)).generation != 0;) {
        if (tact_body_get_mass(world, b) == 0.0)
            continue;
        tact_mass mass;
        tact_vec3 velocity;
        const tact_vec3 centre = centre_of(world, b, &mass, &velocity), spin = tact_body_get_motion(world, b).spin;
        const tact_vec3 own = inertia_map(mass.inertia, spin);
        s.momentum = vec_mul_add(s.momentum, mass.mass, velocity);
        s.angular = vec_add(s.angular, vec_add(own, vec_scale(vec_cross(centre, velocity), mass.mass)));
        s.energy += 0.5 * (mass.mass * vec_length_squared(velocity) + vec_dot(spin, own));
    }
    return s;
}

static tact_quat random_turn(random_source *r)
{
    const tact_vec3 axis = random_direction(r);
    const double half = random_range(r, 0.0, 1.5);
    return (tact_quat){sin(half) * axis.x, sin(half) * axis.y, sin(half) * axis.z, cos(half)};
}

static tact_vec3 random_speed(random_source *r, double most)
{
    return vec_scale(random_direction(r), random_range(r, 0.0, most));
}

static const tact_vec3 unit_scale = {1.0, 1.0, 1.0};

/* ---- what can be written down ---- */

#define CHAIN 8

static int compare(const void *a, const void *b)
{
    const long double x = *(const long double *)a, y = *(const long double *)b;
    return (x > y) - (x < y);
}

/* Equal masses on a line swap their speeds, so that all pass through each other, as it were: where they are is written
 * down at once. */
static void a_chain_of_equals_swaps(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(3); seed++) {
        random_source r = random_seed(seed);
        const bool boxes = seed % 3 == 1, mixed = seed % 3 == 2;
        tact_shape *ball = tact_sphere(0.5), *cube = tact_box(1.0, 1.0, 1.0), *wall = tact_box(1.0, 4.0, 4.0);
        tact_world *world = new_world();
        tact_body bodies[CHAIN];
        double speeds[CHAIN], begins[CHAIN], at = 0.0;
        (void)add(world, wall, tact_at(-0.5, 0.0, 0.0), tact_motion_still(), 0.0);
        for (int i = 0; i < CHAIN; ++i) {
            at += random_range(&r, 0.1, 1.0);
            begins[i] = at + i; /* of its left side, less all those before it: at */
            speeds[i] = random_range(&r, 0.5, 2.0) * (random_chance(&r, 0.5) ? 1.0 : -1.0);
            bodies[i] = add(world, boxes || (mixed && i % 2) ? cube : ball, tact_at(begins[i] + 0.5, 0.0, 0.0),
                            tact_motion_linear(speeds[i], 0.0, 0.0), 1.0);
        }
        const double half_gap = at + 0.7;
        (void)add(world, wall, tact_at(half_gap + CHAIN + 0.5, 0.0, 0.0), tact_motion_still(), 0.0);
        const double end = 1500.0; /* for 10,000 touches by the slowest */
        const long touches = run(world, end, NULL);
        CHECK(touches >= 10000, "%ld", touches);
        long double ghosts[CHAIN];
        for (int i = 0; i < CHAIN; ++i) {
            const long double path = (long double)begins[i] - i + (long double)speeds[i] * end;
            const long double folded = fabsl(remainderl(path, 2.0L * half_gap));
            ghosts[i] = folded;
        }
        qsort(ghosts, CHAIN, sizeof ghosts[0], compare);
        for (int i = 0; i < CHAIN; ++i) {
            const tact_vec3 there = tact_body_get_transform(world, bodies[i]).origin;
            const double off = (double)fabsl((long double)there.x - 0.5L - i - ghosts[i]);
            CHECK(off < 1e-9, "body %d is off by %g after %ld", i, off, touches);
            CHECK(there.y == 0.0 && there.z == 0.0, "%g %g", there.y, there.z);
            CHECK(vec_length_squared(tact_body_get_motion(world, bodies[i]).spin) == 0.0, "body %d turns", i);
        }
        tact_world_release(world);
        tact_shape_release(ball);
        tact_shape_release(cube);
        tact_shape_release(wall);
    }
}

/* A box in a closed box: three motions back and forth. */
static void a_box_that_hits_flat_does_not_turn(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(4, 240); seed++) {
        random_source r = random_seed(seed);
        const bool tilted = seed % 2 == 0;
        const tact_quat turn = tilted ? random_turn(&r) : (tact_quat){0.0, 0.0, 0.0, 1.0};
        const tact_transform frame = tact_transform_make(vec_make(0, 0, 0), turn, unit_scale);
        tact_shape *crate = tact_box(1.0, 2.0, 0.5), *wall = tact_box(10.0, 10.0, 10.0);
        tact_world *world = new_world();
        for (int i = 0; i < 6; ++i) {
            tact_vec3 at = {0, 0, 0};
            const double far = i % 2 ? 8.0 : -8.0;
            *(i < 2 ? &at.x : i < 4 ? &at.y : &at.z) = far;
            (void)add(world, wall, tact_transform_compose(frame, tact_at(at.x, at.y, at.z)), tact_motion_still(), 0.0);
        }
        const double free[3] = {2.5, 2.0, 2.75};
        const tact_vec3 speed = vec_make(random_range(&r, 8, 9), random_range(&r, 8, 9), random_range(&r, 8, 9));
        tact_motion motion = tact_motion_still();
        motion.velocity = tact_transform_vector(frame, speed);
        const tact_body body = add(world, crate, frame, motion, 3.0);
        const double end = tilted ? 256.0 : 2048.0;
        const long touches = run(world, end, NULL);
        CHECK(touches > (tilted ? 1200 : 10000), "%ld", touches);
        const tact_transform place = tact_body_get_transform(world, body);
        const tact_motion now = tact_body_get_motion(world, body);
        tact_transform back;
        assert_int_equal(tact_transform_invert(frame, &back), TACT_OK);
        const tact_vec3 there = tact_transform_point(back, place.origin);
        for (int i = 0; i < 3; ++i) {
            const double v = i == 0 ? speed.x : i == 1 ? speed.y : speed.z;
            const double x = i == 0 ? there.x : i == 1 ? there.y : there.z;
            const long double path = (long double)v * end + free[i];
            const double right = (double)(fabsl(remainderl(path, 4.0L * free[i])) - free[i]);
            CHECK(fabs(x - right) < 1e-9, "axis %d: off by %g after %ld", i, x - right, touches);
        }
        if (!tilted)
            CHECK(vec_length_squared(now.spin) == 0.0, "it turns by %g", vec_length_safe(now.spin));
        else
            CHECK(vec_length_safe(now.spin) < 1e-11, "it turns by %g", vec_length_safe(now.spin));
        tact_world_release(world);
        tact_shape_release(crate);
        tact_shape_release(wall);
    }
}

/* A central hit parts at the restitution times the speed, whatever the masses and shapes; momentum is conserved. */
static void restitution_is_what_was_asked_for(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(60); seed++) {
        random_source r = random_seed(seed);
        tact_shape *shapes[4] = {tact_sphere(1.0), tact_box(2.0, 2.0, 2.0), tact_ellipsoid(1.0, 2.0, 3.0),
                                 tact_cylinder(1.0, 2.0)};
        tact_world *world = new_world();
        const double m = random_range(&r, 0.1, 10.0), n = random_chance(&r, 0.2) ? 0.0 : random_range(&r, 0.1, 10.0);
        const double u = random_range(&r, 0.1, 5.0), v = random_range(&r, -5.0, 0.0), e = random_unit(&r);
        const tact_body a = add(world, shapes[random_below(&r, 4)], tact_at(-3, 0, 0), tact_motion_linear(u, 0, 0), m);
        const tact_body b = add(world, shapes[random_below(&r, 4)], tact_at(3, 0, 0), tact_motion_linear(v, 0, 0), n);
        CHECK(run(world, 100.0, &(tact_bounce_def){.restitution = e}) == 1, "more than one touch");
        const tact_vec3 ua = tact_body_get_motion(world, a).velocity, vb = tact_body_get_motion(world, b).velocity;
        CHECK(fabs(vb.x - ua.x - e * (u - v)) < 1e-9, "%g of %g", vb.x - ua.x, e * (u - v));
        if (n > 0.0)
            CHECK(fabs(m * ua.x + n * vb.x - m * u - n * v) < 1e-12 * (m * u - n * v), "momentum");
        else
            CHECK(vb.x == v, "a wall moves");
        tact_world_release(world);
        for (int i = 0; i < 4; ++i)
            tact_shape_release(shapes[i]);
    }
}

/* ---- crowds ---- */

#define CROWD 27

/* A crowd that falls into itself. */
static void make_crowd(tact_world *world, random_source *r, tact_shape *const *shapes, size_t count, double spin)
{
    for (int i = 0; i < CROWD; ++i) {
        const tact_vec3 at = vec_make(3.0 * (i % 3 - 1), 3.0 * (i / 3 % 3 - 1), 3.0 * (i / 9 - 1));
        tact_motion motion = tact_motion_still();
        motion.velocity = vec_add(vec_scale(at, -1.0), random_speed(r, 1.0));
        motion.spin = random_speed(r, spin);
        (void)add(world, shapes[random_below(r, count)], tact_transform_make(at, random_turn(r), unit_scale), motion,
                  random_range(r, 0.2, 5.0));
    }
}

static void balls_and_cubes_keep_momentum_and_energy(void **state)
{
    (void)state;
    long touches = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(20); seed++) {
        random_source r = random_seed(seed);
        tact_shape *shapes[2] = {tact_sphere(0.8), tact_box(1.2, 1.2, 1.2)};
        tact_world *world = new_world();
        make_crowd(world, &r, shapes, 2, 4.0);
        const sums before = sum_of(world);
        touches += run(world, 20.0, NULL);
        const sums after = sum_of(world);
        const double scale = sqrt(2.0 * before.energy * 70.0); /* speeds times mass */
        CHECK(vec_length_safe(vec_sub(after.momentum, before.momentum)) < 1e-9 * scale, "momentum");
        CHECK(vec_length_safe(vec_sub(after.angular, before.angular)) < 1e-9 * scale, "angular momentum by %g of %g",
              vec_length_safe(vec_sub(after.angular, before.angular)), scale);
        CHECK(fabs(after.energy - before.energy) < 1e-9 * before.energy, "energy by %g of %g",
              after.energy - before.energy, before.energy);
        tact_world_release(world);
        tact_shape_release(shapes[0]);
        tact_shape_release(shapes[1]);
    }
    assert_true(few_cases() || touches > 600);
}

/* The energy that a separation impulse of two bodies may add: as fast as turning and sliding bring a point back within
 * half the time of rest. */
static double separation_energy_of(const tact_world *world, const tact_event *e)
{
    const tact_body both[2] = {e->a, e->b};
    double fall = 0.0, mass = 0.0, spins = 0.0, slides = 0.0;
    for (int i = 0; i < 2; ++i) {
        const tact_motion m = tact_body_get_motion(world, both[i]);
        const double arm = vec_length_safe(vec_sub(e->point, tact_body_get_transform(world, both[i]).origin));
        fall += vec_length_squared(m.spin) * arm;
        spins += vec_length_safe(m.spin);
        slides += vec_length_safe(m.velocity) + vec_length_safe(m.spin) * arm;
        mass += tact_body_get_mass(world, both[i]);
    }
    const double speed = 0.5 * (fall + 2.0 * spins * slides) * tact_world_get_contact_step(world);
    return 0.5 * mass * speed * speed;
}

/* All shapes: momentum is conserved, and energy never grows except by separation impulses, with and without friction.
 */
static void energy_never_grows(void **state)
{
    (void)state;
    long touches = 0, grazes = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(5); seed++) {
        random_source r = random_seed(seed);
        tact_shape *shapes[6] = {
            tact_sphere(0.7),
            tact_box(0.6, 1.2, 1.8),
            tact_capsule(0.4, 1.2),
            tact_cone(0.7, 1.5),
            tact_cylinder(0.6, 1.2),
            tact_tetrahedron(vec_make(0, 0, 0), vec_make(1.5, 0, 0), vec_make(0, 1.5, 0), vec_make(0, 0, 1.5))};
        tact_world *world = new_world();
        make_crowd(world, &r, shapes, 6, 3.0);
        sums last = sum_of(world);
        const sums first = last;
        const double scale = sqrt(2.0 * first.energy * 70.0);
        tact_event e;
        for (int i = 0; i < 40 && tact_world_next_event(world, 3.0, &e) == TACT_EVENT_TOUCH; ++i) {
            const tact_bounce_def def = {.restitution = random_unit(&r),
                                         .friction = random_chance(&r, 0.8) ? random_range(&r, 0.0, 1.5) : 0.0};
            last = sum_of(world);
            const double separation_energy = separation_energy_of(world, &e);
            assert_int_equal(tact_world_bounce_with(world, &e, &def), TACT_OK);
            const sums now = sum_of(world);
            CHECK(now.energy <= last.energy + 1e-9 * first.energy + separation_energy,
                  "touch %d: energy grows by %g of %g", i, now.energy - last.energy, last.energy);
            CHECK(vec_length_safe(vec_sub(now.momentum, last.momentum)) < 1e-10 * scale, "momentum");
            CHECK(vec_length_safe(vec_sub(now.angular, last.angular)) < 1e-5 * scale, "angular momentum by %g",
                  vec_length_safe(vec_sub(now.angular, last.angular)) / scale);
            ++touches;
            grazes += now.energy > last.energy - 1e-3 * first.energy;
        }
        tact_world_release(world);
        for (int i = 0; i < 6; ++i)
            tact_shape_release(shapes[i]);
    }
    assert_true(few_cases() || (touches > 120 && touches - grazes > 20));
}

/* Elastic without friction, one touch at a time: each keeps the energy, of any shapes. */
static void elastic_touches_keep_the_energy(void **state)
{
    (void)state;
    long touches = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(300); seed++) {
        random_source r = random_seed(seed);
        tact_shape *shapes[3] = {tact_box(0.6, 1.2, 1.8), tact_cone(0.7, 1.5), tact_capsule(0.5, 1.0)};
        tact_world *world = new_world();
        for (int i = 0; i < 2; ++i) {
            tact_motion motion =
                tact_motion_linear(i ? -1.0 : 1.0, random_range(&r, -0.1, 0.1), random_range(&r, -0.1, 0.1));
            motion.spin = random_chance(&r, 0.5) ? random_speed(&r, 2.0) : vec_make(0, 0, 0);
            (void)add(world, shapes[random_below(&r, 3)],
                      tact_transform_make(vec_make(i ? 2.0 : -2.0, 0, 0),
                                          random_chance(&r, 0.5) ? random_turn(&r) : (tact_quat){0, 0, 0, 1},
                                          unit_scale),
                      motion, random_range(&r, 0.2, 5.0));
        }
        tact_event e;
        for (int i = 0; i < 8 && tact_world_next_event(world, 5.0, &e) == TACT_EVENT_TOUCH; ++i, ++touches) {
            const sums before = sum_of(world);
            assert_int_equal(tact_world_bounce(world, &e, 1.0), TACT_OK);
            const sums after = sum_of(world);
            CHECK(fabs(after.energy - before.energy) < 1e-9 * before.energy, "touch %d: energy by %g of %g", i,
                  after.energy - before.energy, before.energy);
        }
        tact_world_release(world);
        for (int i = 0; i < 3; ++i)
            tact_shape_release(shapes[i]);
    }
    assert_true(few_cases() || touches > 200);
}

/* ---- friction ---- */

/* What slides begins to roll: angular momentum about the line on the floor is conserved, so that a ball keeps 5/7 of
 * its speed, a cylinder 2/3. */
static void a_sliding_ball_begins_to_roll(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        tact_shape *round = kind == 0 ? tact_sphere(0.5) : tact_cylinder(0.5, 1.0), *slab = tact_box(100, 1, 100);
        tact_world *world = new_world();
        const tact_quat lying = {sin(0.78539816339744830962), 0, 0, cos(0.78539816339744830962)};
        (void)add(world, slab, tact_at(0, -0.5, 0), tact_motion_still(), 0.0);
        tact_motion slide = {.velocity = {2, 0, 0}, .acceleration = {0, -10, 0}};
        const tact_body body =
            add(world, round, tact_transform_make(vec_make(0, 0.5, 0), lying, unit_scale), slide, 2.0);
        const long touches = run(world, 2.0, &(tact_bounce_def){.restitution = 0.0, .friction = 0.3});
        assert_true(touches >= 1 && touches < 10);
        const tact_motion now = tact_body_get_motion(world, body);
        /* the cylinder rocks a little, from one of its ends to the other */
        const double rolling = kind == 0 ? 10.0 / 7.0 : 4.0 / 3.0, near = 1e-4;
        if (fabs(now.velocity.x - rolling) > near || fabs(now.spin.z + rolling / 0.5) > near)
            fail_msg("kind %d: %.12g instead of %.12g, turning by %.12g", kind, now.velocity.x, rolling, now.spin.z);
        assert_true(fabs(now.velocity.z) < 1e-2 && fabs(now.velocity.y) < 0.02);
        assert_true(fabs(tact_body_get_transform(world, body).origin.y - 0.5) < 1e-4);
        tact_world_release(world);
        tact_shape_release(round);
        tact_shape_release(slab);
    }
}

/* A box on a slope stays if its friction is more than the tangent, and slides as it should if it is less. */
static void a_box_on_a_slope(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        const double slope = 0.3, friction = kind == 0 ? 0.5 : 0.1, g = 10.0;
        tact_shape *crate = tact_box(1, 1, 1), *slab = tact_box(100, 1, 100);
        tact_world *world = new_world();
        (void)add(world, slab, tact_at(0, -0.5, 0), tact_motion_still(), 0.0);
        const tact_motion fall = {.acceleration = {g * sin(slope), -g * cos(slope), 0}};
        const tact_body body = add(world, crate, tact_at(0, 0.5, 0), fall, 2.0);
        const long touches = run(world, 2.0, &(tact_bounce_def){.restitution = 0.0, .friction = friction});
        assert_true(touches >= 1 && touches < 10);
        const double pull = g * sin(slope) - friction * g * cos(slope), path = kind == 0 ? 0.0 : 0.5 * pull * 4.0;
        const tact_vec3 there = tact_body_get_transform(world, body).origin;
        /* a contact step uses the velocity of its end: too far by half a step of the speed */
        const double late = 0.5 * tact_world_get_contact_step(world) * pull * 2.0;
        if (fabs(there.x - path - (kind == 0 ? 0.0 : late)) > 1e-2 || fabs(there.y - 0.5) > 1e-3)
            fail_msg("box at %g %g, not at %g, after %ld touches", there.x, there.y, path, touches);
        tact_world_release(world);
        tact_shape_release(crate);
        tact_shape_release(slab);
    }
}

/* ---- free motion ---- */

/* The centre of mass follows its parabola and the angular momentum is conserved while the body tumbles. */
static void free_bodies_turn_about_their_centre(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(12); seed++) {
        random_source r = random_seed(seed);
        tact_shape *shape = seed % 3 == 0   ? tact_box(1.0, 2.0, 3.0)
                            : seed % 3 == 1 ? tact_cone(1.0, 3.0)
                                            : tact_tetrahedron(vec_make(0, 0, 0), vec_make(1, 0, 0), vec_make(0, 2, 0),
                                                               vec_make(0, 0, 3));
        tact_world *world = new_world();
        const tact_motion motion = {
            .velocity = random_speed(&r, 3.0), .acceleration = random_speed(&r, 1.0), .spin = random_speed(&r, 3.0)};
        const tact_vec3 at = vec_make(1, 2, 3);
        const tact_body body = add(world, shape, tact_transform_make(at, random_turn(&r), unit_scale), motion, 2.5);
        tact_mass mass;
        tact_vec3 velocity, later;
        const tact_vec3 centre = centre_of(world, body, &mass, &velocity);
        const tact_vec3 turning = inertia_map(mass.inertia, motion.spin);
        const double energy = 0.5 * vec_dot(motion.spin, turning);
        double worst = 0.0;
        for (int i = 1; i <= 10; ++i) {
            (void)run(world, i, NULL);
            const tact_vec3 there = centre_of(world, body, &mass, &later);
            const tact_vec3 right = vec_mul_add(centre, i, vec_mul_add(velocity, 0.5 * i, motion.acceleration));
            const tact_vec3 spin = tact_body_get_motion(world, body).spin, now = inertia_map(mass.inertia, spin);
            CHECK(vec_length_safe(vec_sub(there, right)) < 1e-12 * (1.0 + vec_length_safe(right)) * 10,
                  "centre off by %g", vec_length_safe(vec_sub(there, right)));
            CHECK(vec_length_safe(vec_sub(later, vec_mul_add(velocity, i, motion.acceleration))) < 1e-11, "velocity");
            CHECK(vec_length_safe(vec_sub(now, turning)) < 1e-12 * vec_length_safe(turning) * i,
                  "angular momentum by %g of %g", vec_length_safe(vec_sub(now, turning)), vec_length_safe(turning));
            worst = fmax(worst, fabs(0.5 * vec_dot(spin, now) / energy - 1.0));
        }
        CHECK(worst < 1e-5, "energy by %g", worst);
        tact_world_release(world);
        tact_shape_release(shape);
    }
}

/* Hit beside its centre, a body turns about that: a rod that is hit at its end, by the book. */
static void a_blow_turns_about_the_centre(void **state)
{
    (void)state;
    /* a bar from 0 to 4 along y, its centre at 2, hit at y = 3.5 by a ball of the same mass */
    tact_shape *bar = tact_box(1.0, 4.0, 1.0), *ball = tact_sphere(0.25);
    tact_shape *shifted = tact_transformed(bar, tact_at(0, 2, 0));
    tact_world *world = new_world();
    const tact_body a = add(world, shifted, tact_identity(), tact_motion_still(), 3.0);
    const tact_body b = add(world, ball, tact_at(-2, 3.5, 0), tact_motion_linear(1, 0, 0), 1.0);
    assert_int_equal(run(world, 2.0, NULL), 1);
    const double inertia = 3.0 * (1.0 + 16.0) / 12.0, arm = 1.5;
    const double impulse = 2.0 / (1.0 / 3.0 + 1.0 + arm * arm / inertia);
    const double spin = -arm * impulse / inertia, speed = impulse / 3.0;
    tact_mass mass;
    tact_vec3 velocity;
    (void)centre_of(world, a, &mass, &velocity);
    assert_true(fabs(velocity.x - speed) < 1e-12 && fabs(velocity.y) < 1e-12 && fabs(velocity.z) < 1e-12);
    assert_true(fabs(tact_body_get_motion(world, a).spin.z - spin) < 1e-12);
    assert_true(fabs(tact_body_get_motion(world, b).velocity.x - (1.0 - impulse)) < 1e-12);
    tact_world_release(world);
    tact_shape_release(bar);
    tact_shape_release(ball);
    tact_shape_release(shifted);
}

/* ---- rest ---- */

static void bodies_at_rest_do_not_stop_the_time(void **state)
{
    (void)state;
    static const double restitutions[] = {0.0, 0.6};
    for (int kind = 0; kind < 4; ++kind)
        for (int k = 0; k < 2; ++k) {
            tact_shape *shape = kind == 0   ? tact_sphere(0.5)
                                : kind == 1 ? tact_box(1, 1, 1)
                                : kind == 2 ? tact_cylinder(0.5, 1)
                                            : tact_tetrahedron(vec_make(-1, -0.5, -1), vec_make(1, -0.5, -1),
                                                               vec_make(0, -0.5, 1), vec_make(0, 1, 0));
            tact_shape *slab = tact_box(100, 1, 100);
            tact_world *world = new_world();
            (void)add(world, slab, tact_at(0, -0.5, 0), tact_motion_still(), 0.0);
            const tact_motion fall = {.acceleration = {0, -9.81, 0}};
            const tact_body body = add(world, shape, tact_at(0, 1.0, 0), fall, 1.0);
            const tact_bounce_def def = {.restitution = restitutions[k], .friction = 0.2};
            (void)run(world, 2.0, &def); /* at rest by then */
            for (int i = 0; i < (long_form() ? 10 : 2); ++i) {
                const long touches = run(world, 2.0 + 0.1 * (i + 1), &def);
                const double above = tact_body_get_transform(world, body).origin.y - 0.5;
                if (touches > 0 || above < 0.0 || above > 1e-4)
                    fail_msg("kind %d, restitution %g: %ld touches in 0.1, %g above the floor", kind, restitutions[k],
                             touches, above);
            }
            tact_world_release(world);
            tact_shape_release(shape);
            tact_shape_release(slab);
        }
}

/* Bodies that lie on each other from the beginning. */
static void a_pile_stays_a_pile(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        tact_shape *shape = kind == 0 ? tact_sphere(0.5) : tact_box(1, 1, 1), *slab = tact_box(100, 1, 100);
        tact_world *world = new_world();
        tact_body bodies[4];
        (void)add(world, slab, tact_at(0, -0.5, 0), tact_motion_still(), 0.0);
        const tact_motion fall = {.acceleration = {0, -9.81, 0}};
        for (int i = 0; i < 4; ++i)
            bodies[i] = add(world, shape, tact_at(0, 0.5 + i, 0), fall, 1.0);
        const long touches = run(world, 0.5, &(tact_bounce_def){.restitution = 0.5});
        assert_true(touches >= 4 && touches < 100);
        for (int i = 0; i < 4; ++i) {
            const tact_vec3 at = tact_body_get_transform(world, bodies[i]).origin;
            if (fabs(at.y - 0.5 - i) > 1e-3 || fabs(at.x) > 1e-6)
                fail_msg("kind %d: body %d is at %.9g %.9g after %ld touches", kind, i, at.x, at.y, touches);
        }
        tact_world_release(world);
        tact_shape_release(shape);
        tact_shape_release(slab);
    }
}

/* Touching bodies without restitution are one by and by: each takes its part of the momentum. */
static void bodies_that_do_not_separate_move_as_one(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        tact_shape *shape = kind == 0 ? tact_sphere(0.5) : tact_box(1, 1, 1);
        tact_world *world = new_world();
        tact_body bodies[4];
        for (int i = 0; i < 4; ++i)
            bodies[i] =
                add(world, shape, tact_at(i == 0 ? -2.0 : i, 0, 0), tact_motion_linear(i == 0 ? 1.0 : 0.0, 0, 0), 1.0);
        const long touches = run(world, 4.0, &(tact_bounce_def){.restitution = 0.0});
        assert_true(touches >= 1 && touches < 2000);
        for (int i = 0; i < 4; ++i) {
            const double speed = tact_body_get_motion(world, bodies[i]).velocity.x;
            if (fabs(speed - 0.25) > 1e-2) /* the last of its many bounces are elastic */
                fail_msg("kind %d: body %d has %.17g after %ld touches", kind, i, speed, touches);
        }
        tact_world_release(world);
        tact_shape_release(shape);
    }
}

/* Something between two walls that close gives in at last, and the clock goes on. */
static void a_crushed_body_overlaps_at_last(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        tact_shape *shape = kind == 0 ? tact_sphere(0.5) : tact_box(1, 1, 1), *wall = tact_box(1, 4, 4);
        tact_world *world = new_world();
        (void)add(world, wall, tact_at(-2, 0, 0), tact_motion_linear(1, 0, 0), 0.0);
        (void)add(world, wall, tact_at(2, 0, 0), tact_motion_linear(-1, 0, 0), 0.0);
        (void)add(world, shape, tact_at(0.1, 0, 0), tact_motion_linear(0.3, 0, 0), 1.0);
        const long touches = run(world, 6.0, &(tact_bounce_def){.restitution = 0.5});
        assert_true(touches >= 2 && touches < 100000);
        assert_true(tact_world_get_time(world) == 6.0);
        tact_world_release(world);
        tact_shape_release(shape);
        tact_shape_release(wall);
    }
}

/* ---- the boundary ---- */

static void bad_input_changes_nothing(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(0.5), *dot = tact_point(vec_make(0, 0, 0));
    static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t face[] = {0, 1, 2};
    tact_mesh_def sheet_def = tact_mesh_def_default();
    sheet_def.vertices = (tact_vertices){corners, 3, 0, TACT_SCALAR_DOUBLE};
    sheet_def.indices = face;
    sheet_def.index_count = 3;
    tact_shape *sheet = tact_mesh_create(&sheet_def, NULL);
    assert_non_null(sheet);
    tact_world *world = new_world();
    const tact_body a = add(world, ball, tact_at(0, 0, 0), tact_motion_linear(1, 0, 0), 2.0), none = {0};
    const tact_body b = add(world, ball, tact_at(2, 0, 0), tact_motion_still(), 1.0);
    const tact_body soft =
        tact_body_create(world, &(tact_body_def){.shape = sheet, .transform = tact_at(50, 0, 0), .deformable = true});
    assert_int_equal(tact_body_set_mass(NULL, a, 1.0), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_mass(world, none, 1.0), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_mass(world, a, NAN), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_mass(world, a, -1.0), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_mass(world, a, INFINITY), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_mass(world, soft, 1.0), TACT_BAD_ARGUMENT);
    tact_mass own = tact_mass_from_total(ball, tact_at(0, 0, 0), 2.0);
    assert_int_equal(tact_body_set_mass_with(NULL, a, &own), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_mass_with(world, none, &own), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_mass_with(world, soft, &own), TACT_BAD_ARGUMENT);
    tact_mass bad = own;
    bad.mass = 0.0;
    assert_int_equal(tact_body_set_mass_with(world, a, &bad), TACT_BAD_ARGUMENT);
    bad = own;
    bad.centre.y = NAN;
    assert_int_equal(tact_body_set_mass_with(world, a, &bad), TACT_BAD_ARGUMENT);
    bad = own;
    bad.inertia.xy = NAN;
    assert_int_equal(tact_body_set_mass_with(world, a, &bad), TACT_BAD_ARGUMENT);
    bad = own;
    bad.inertia.zz = -1.0;
    assert_int_equal(tact_body_set_mass_with(world, a, &bad), TACT_BAD_ARGUMENT);
    bad = own;
    bad.inertia.xy = 1.01 * bad.inertia.xx; /* less than 0 about an axis midway between x and y */
    assert_int_equal(tact_body_set_mass_with(world, a, &bad), TACT_BAD_ARGUMENT);
    bad = own;
    bad.inertia.xy = bad.inertia.xz = bad.inertia.yz = -0.6 * bad.inertia.xx; /* about the diagonal alone */
    assert_int_equal(tact_body_set_mass_with(world, a, &bad), TACT_BAD_ARGUMENT);
    bad = own;
    bad.status = TACT_BAD_ARGUMENT;
    assert_int_equal(tact_body_set_mass_with(world, a, &bad), TACT_BAD_ARGUMENT);
    assert_true(tact_body_get_mass(world, a) == 2.0 && tact_body_get_mass(world, soft) == 0.0);
    assert_true(tact_body_get_mass(NULL, a) == 0.0 && tact_body_get_mass(world, none) == 0.0);
    assert_int_equal(tact_world_set_contact_step(world, NAN), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_set_contact_step(world, -1.0), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_set_contact_step(world, INFINITY), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_set_contact_step(NULL, 1.0), TACT_BAD_ARGUMENT);

    tact_event e;
    assert_int_equal(tact_world_next_event(world, 5.0, &e), TACT_EVENT_TOUCH);
    const tact_motion before = tact_body_get_motion(world, a);
    assert_int_equal(tact_world_bounce(NULL, &e, 1.0), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_bounce(world, NULL, 1.0), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_bounce(world, &e, NAN), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_bounce(world, &e, -0.1), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_bounce(world, &e, 1.1), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_bounce_with(world, &e, &(tact_bounce_def){.restitution = 1.0, .friction = -1.0}),
                     TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_bounce_with(world, &e, &(tact_bounce_def){.restitution = 1.0, .friction = NAN}),
                     TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_bounce_with(world, &e, &(tact_bounce_def){.restitution = 1.0, .friction = INFINITY}),
                     TACT_BAD_ARGUMENT);
    tact_event other = e;
    other.time += 1.0;
    assert_int_equal(tact_world_bounce(world, &other, 1.0), TACT_BAD_ARGUMENT);
    other = e;
    other.kind = TACT_EVENT_NONE;
    assert_int_equal(tact_world_bounce(world, &other, 1.0), TACT_BAD_ARGUMENT);
    other = e;
    other.b = none;
    assert_int_equal(tact_world_bounce(world, &other, 1.0), TACT_BAD_ARGUMENT);
    other = e;
    other.normal.x = NAN;
    assert_int_equal(tact_world_bounce(world, &other, 1.0), TACT_BAD_ARGUMENT);
    other = e;
    other.b = e.a;
    assert_int_equal(tact_world_bounce(world, &other, 1.0), TACT_BAD_ARGUMENT);
    const tact_motion after = tact_body_get_motion(world, a);
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(tact_world_bounce(world, &e, 1.0), TACT_OK);
    assert_true(fabs(tact_body_get_motion(world, b).velocity.x - 4.0 / 3.0) < 1e-14);
    assert_int_equal(tact_world_bounce(world, &e, 1.0), TACT_OK); /* they part: nothing more happens */
    assert_true(fabs(tact_body_get_motion(world, b).velocity.x - 4.0 / 3.0) < 1e-14);

    /* a point has a mass and no inertia; another shape takes the mass away; 0 does */
    const tact_body p = add(world, dot, tact_at(0, 9, 0), tact_motion_still(), 3.0);
    assert_true(tact_body_get_mass(world, p) == 3.0);
    assert_int_equal(tact_body_set_shape(world, p, ball), TACT_OK);
    assert_true(tact_body_get_mass(world, p) == 0.0);
    assert_int_equal(tact_body_set_mass(world, a, 0.0), TACT_OK);
    assert_true(tact_body_get_mass(world, a) == 0.0);
    assert_int_equal(tact_body_set_mass_with(world, b, NULL), TACT_OK);
    assert_true(tact_body_get_mass(world, b) == 0.0);
    tact_world_release(world);
    tact_shape_release(ball);
    tact_shape_release(dot);
    tact_shape_release(sheet);
}

/* A rod has no moment about itself. However it lies it turns about its middle, by itself and when it meets the floor.
 */
static void rods_turn(void **state)
{
    (void)state;
    tact_shape *rod = tact_segment((tact_vec3){-1, 0, 0}, (tact_vec3){1, 0, 0}), *slab = tact_box(40, 2, 40);
    for (int i = 0; i < 20; ++i) {
        tact_world *world = new_world();
        const tact_quat turn = tact_quat_from_axis_angle((tact_vec3){0.3 * i, 0.2, 1.0}, i == 0 ? 0.0 : 0.3 + 0.4 * i);
        const tact_transform at = tact_transform_make((tact_vec3){0, 3, 0}, turn, (tact_vec3){1, 1, 1});
        /* across itself */
        const tact_vec3 x = at.x_axis,
                        spin = {0.5 * x.y - 0.25 * x.z, 0.125 * x.z - 0.5 * x.x, 0.25 * x.x - 0.125 * x.y};
        const tact_motion motion = {.velocity = {0.1, -1, 0.2}, .spin = spin};
        (void)tact_body_create(world, &(tact_body_def){.shape = slab, .transform = tact_at(0, -1, 0)});
        const tact_body b = add(world, rod, at, motion, 1.0);
        tact_event e;
        assert_int_equal(tact_world_next_event(world, 0.5, &e), TACT_EVENT_NONE);
        const tact_motion free = tact_body_get_motion(world, b);
        assert_true(fabs(free.spin.x - spin.x) + fabs(free.spin.y - spin.y) + fabs(free.spin.z - spin.z) < 1e-12);
        assert_int_equal(tact_world_next_event(world, 20.0, &e), TACT_EVENT_TOUCH);
        assert_int_equal(tact_world_bounce(world, &e, 1.0), TACT_OK);
        const tact_motion m = tact_body_get_motion(world, b);
        const double before = 1.01 + 0.04 + (spin.x * spin.x + spin.y * spin.y + spin.z * spin.z) / 3.0;
        const double after = m.velocity.x * m.velocity.x + m.velocity.y * m.velocity.y + m.velocity.z * m.velocity.z +
                             (m.spin.x * m.spin.x + m.spin.y * m.spin.y + m.spin.z * m.spin.z) / 3.0;
        if (!(fabs(after - before) < 1e-9) || !(fabs(m.spin.x - spin.x) + fabs(m.spin.z - spin.z) > 1e-3))
            fail_msg("rod %d: energy %.12g, then %.12g; spin %g %g %g", i, before, after, m.spin.x, m.spin.y, m.spin.z);
        tact_world_release(world);
    }
    tact_shape_release(rod);
    tact_shape_release(slab);
}

/* How often a piece has begun, and all else that is planned. */
static uint64_t plans_of(const tact_world *world) { return world->advance->last_version; }

/* Needles and blades, which turn about themselves with next to no momentum, keep their energy; what is round keeps its
 * spin about itself; and a fast spin about itself does not take a piece for every hundredth of a radian. */
static void thin_bodies_keep_their_energy(void **state)
{
    (void)state;
    double worst = 0.0, astray = 0.0;
    for (uint64_t seed = first_seed(); seed <= last_seed(80); seed++) {
        random_source r = random_seed(seed);
        const double radius = pow(10.0, -1.0 - (double)(seed % 8)), fast = seed / 8 % 3 == 2 ? 1000.0 : 1.0;
        const bool blade = seed % 5 == 0;
        tact_shape *shape = blade ? tact_box(radius, 1.0, 0.1 * radius) : tact_cylinder(radius, 1.0);
        tact_world *world = new_world();
        const tact_transform at = tact_transform_make(vec_make(0, 0, 0), random_turn(&r), unit_scale);
        const tact_mass mass = tact_mass_from_total(shape, tact_identity(), 1.0);
        const double i[3] = {mass.inertia.xx, mass.inertia.yy, mass.inertia.zz};
        const tact_vec3 begin = {random_range(&r, 0.3, 1.0), fast * random_range(&r, 0.3, 1.0),
                                 random_range(&r, -0.5, 0.5)};
        const tact_motion motion = {.spin = tact_transform_vector(at, begin)};
        const tact_body body = add(world, shape, at, motion, 1.0);
        const double energy = i[0] * begin.x * begin.x + i[1] * begin.y * begin.y + i[2] * begin.z * begin.z;
        const tact_vec3 turning = tact_transform_vector(at, vec_make(i[0] * begin.x, i[1] * begin.y, i[2] * begin.z));
        uint64_t before = 0;
        for (int k = 1; k <= 9; ++k) {
            (void)run(world, 0.37 * k, NULL);
            if (k == 1)
                before = plans_of(world);
            const tact_transform p = tact_body_get_transform(world, body);
            const tact_vec3 spin = tact_body_get_motion(world, body).spin;
            const tact_vec3 w = {vec_dot(spin, p.x_axis), vec_dot(spin, p.y_axis), vec_dot(spin, p.z_axis)};
            const double now = i[0] * w.x * w.x + i[1] * w.y * w.y + i[2] * w.z * w.z;
            const double off = fabs(now / energy - 1.0);
            const tact_vec3 is = tact_transform_vector(p, vec_make(i[0] * w.x, i[1] * w.y, i[2] * w.z));
            const double turned = vec_length_safe(vec_sub(is, turning)) / vec_length_safe(turning);
            CHECK(off < 1e-5, "radius %g: energy by %g at %g", radius, off, 0.37 * k);
            CHECK(turned < 1e-5, "radius %g: momentum by %g at %g", radius, turned, 0.37 * k);
            CHECK(blade || fabs(w.y / begin.y - 1.0) < (radius < 0.05 ? 1e-4 : 3e-4), "radius %g: spin %g, not %g",
                  radius, w.y, begin.y);
            worst = fmax(worst, off);
            astray = fmax(astray, turned);
        }
        const double pieces = (double)(plans_of(world) - before), angle = 0.37 * 8 * vec_length_safe(begin);
        CHECK(pieces < 210.0 * angle, "%g pieces for %g radians", pieces, angle);
        if (fast > 1.0 && !blade && radius < 0.05)
            CHECK(pieces < 10.0 * angle, "%g pieces for %g radians of a steady spin", pieces, angle);
        tact_world_release(world);
        tact_shape_release(shape);
    }
    print_message("energy by %.2g, momentum by %.2g at most\n", worst, astray);
}

/* About an axis without inertia nothing changes the spin, which goes along with the axis: so tact_body_get_motion says
 * at once, later, and after a bounce. */
static void spin_about_a_rod_lasts(void **state)
{
    (void)state;
    tact_shape *crate = tact_box(1, 2, 3);
    for (uint64_t seed = first_seed(); seed <= last_seed(20); seed++) {
        random_source r = random_seed(seed);
        tact_world *world = new_world();
        const tact_body body = tact_body_create(world, &(tact_body_def){.shape = crate, .transform = tact_identity()});
        const tact_mass mass = {.mass = 1.0, .inertia = {0.0, 1.0, 1.0, 0.0, 0.0, 0.0}};
        assert_int_equal(tact_body_set_mass_with(world, body, &mass), TACT_OK);
        const double own = random_range(&r, -3.0, 3.0), across = seed % 4 == 0 ? 0.0 : random_range(&r, 0.0, 2.0);
        const tact_vec3 spin = {own, 0.0, across};
        assert_int_equal(tact_body_set_motion(world, body, (tact_motion){.spin = spin}), TACT_OK);
        for (int k = 0; k <= 10; ++k) {
            if (k > 0)
                (void)run(world, 0.731 * k, NULL);
            const tact_vec3 w = tact_body_get_motion(world, body).spin;
            const tact_transform p = tact_body_get_transform(world, body);
            const double angle = 0.731 * k * across;
            CHECK(fabs(vec_dot(w, p.x_axis) - own) < 1e-11, "%g about itself, not %g", vec_dot(w, p.x_axis), own);
            CHECK(fabs(w.z - across) < 2e-5 * (fabs(own) + across), "%g across, not %g", w.z, across);
            CHECK(vec_length_safe(vec_sub(p.x_axis, vec_make(cos(angle), sin(angle), 0.0))) < 1e-5,
                  "its axis is elsewhere");
        }
        tact_world_release(world);
    }
    tact_shape_release(crate);
}

/* Moments of inertia that no body has would be negative as soon as it is stretched. */
static void impossible_moments_are_refused(void **state)
{
    (void)state;
    const struct {
        tact_inertia inertia;
        tact_status status;
    } cases[] = {{{1, 1, 5, 0, 0, 0}, TACT_BAD_ARGUMENT},
                 {{0, 0, 1, 0, 0, 0}, TACT_BAD_ARGUMENT},
                 {{1, 1, 2.001, 0, 0, 0}, TACT_BAD_ARGUMENT},
                 {{3, 1, 1.9, 0, 0, 0}, TACT_BAD_ARGUMENT},
                 {{2, 2, 2, 1, 1, 1}, TACT_BAD_ARGUMENT},
                 {{1, 1, 2, 0, 0, 0}, TACT_OK},
                 {{0, 1, 1, 0, 0, 0}, TACT_OK},
                 {{-1e-17, 1, 1, 0, 0, 0}, TACT_OK},
                 {{1, 2, 2.5, 0.1, 0, 0}, TACT_OK},
                 {{0, 0, 0, 0, 0, 0}, TACT_OK}};
    tact_shape *crate = tact_box(1, 1, 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        tact_world *world = new_world();
        const tact_body body = add(world, crate, tact_identity(), tact_motion_still(), 3.0);
        const tact_mass mass = {.mass = 1.0, .inertia = cases[i].inertia};
        const tact_status status = tact_body_set_mass_with(world, body, &mass);
        if (status != cases[i].status)
            fail_msg("case %zu: %d", i, status);
        assert_true(tact_body_get_mass(world, body) == (status == TACT_OK ? 1.0 : 3.0));
        assert_int_equal(
            tact_body_set_transform(world, body,
                                    tact_transform_make(vec_make(0, 0, 0), (tact_quat){0, 0, 0, 1}, vec_make(1, 1, 3))),
            TACT_OK);
        const sym3 inverse = tact_mass_properties_inverse_inertia(&world->cold.items[body.index].rigid->properties,
                                                                  &world->bodies.items[body.index].transform);
        if (!(inverse.xx >= 0.0 && inverse.yy >= 0.0 && inverse.zz >= 0.0))
            fail_msg("case %zu: stretched it is %g %g %g", i, inverse.xx, inverse.yy, inverse.zz);
        tact_bytes bytes = {0};
        assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
        tact_world *again = tact_world_restore(bytes.data, bytes.size, NULL, NULL);
        assert_non_null(again);
        tact_world_release(again);
        tact_bytes_release(&bytes);
        tact_world_release(world);
    }
    tact_shape_release(crate);
}

/* A body created inside the floor moves out, and rests on it within the rest gap. */
static void a_body_that_begins_in_the_floor_comes_out(void **state)
{
    (void)state;
    tact_shape *slab = tact_box(40, 2, 40);
    tact_shape *shapes[4] = {tact_box(1, 1, 1), tact_sphere(0.5), tact_cylinder(0.5, 1.0), tact_capsule(0.25, 0.5)};
    for (int i = 0; i < 4; ++i)
        for (int deep = 0; deep < 2; ++deep) {
            tact_world *world = new_world();
            (void)add(world, slab, tact_at(0, -1, 0), tact_motion_still(), 0.0);
            const tact_motion fall = {.acceleration = {0, -10, 0}};
            const tact_body body = add(world, shapes[i], tact_at(0, deep ? 0.4 : 0.5 - 1e-3, 0), fall, 1.0);
            const long touches = run(world, 2.0, &(tact_bounce_def){.restitution = 0.2, .friction = 0.5});
            const double y = tact_body_get_transform(world, body).origin.y;
            if (!(touches >= 1 && touches < 10 && y > 0.5 && y < 0.5 + 1e-4))
                fail_msg("shape %d, deep %d: %ld touches, at %.9g", i, deep, touches, y);
            tact_world_release(world);
        }
    for (int i = 0; i < 4; ++i)
        tact_shape_release(shapes[i]);
    tact_shape_release(slab);
}

/* With enough friction a crate stays on a slope. */
static void a_crate_on_a_slope_stays(void **state)
{
    (void)state;
    tact_shape *slab = tact_box(100, 2, 100), *crate = tact_box(1, 1, 1);
    for (int i = 0; i < 3; ++i) {
        tact_world *world = new_world();
        const double slope = 0.1 + 0.2 * i, half = 0.5 + 0.01 * i;
        (void)add(world, slab, tact_at(0, -1, 0), tact_motion_still(), 0.0);
        const tact_motion fall = {.acceleration = {10.0 * sin(slope), -10.0 * cos(slope), 0}};
        const tact_body body = add(world, crate, tact_at(0, half, 0), fall, 1.0);
        (void)run(world, 1.0, &(tact_bounce_def){.restitution = 0.0, .friction = 1.2 * tan(slope)});
        const tact_vec3 then = tact_body_get_transform(world, body).origin;
        const long touches =
            run(world, long_form() ? 3.0 : 2.0, &(tact_bounce_def){.restitution = 0.0, .friction = 1.2 * tan(slope)});
        const tact_vec3 now = tact_body_get_transform(world, body).origin;
        if (touches != 0 || vec_length_safe(vec_sub(now, then)) > 1e-5)
            fail_msg("slope %g: %ld touches, moved by %g", slope, touches, vec_length_safe(vec_sub(now, then)));
        tact_world_release(world);
    }
    tact_shape_release(slab);
    tact_shape_release(crate);
}

/* Whatever is fast, small, or turns often in the time of rest: bounces are not refused, make no energy, and nothing
 * gets through. */
static void fast_bodies_bounce(void **state)
{
    (void)state;
    tact_shape *plate = tact_box(0.001, 100, 100), *bullet = tact_box(0.01, 0.015, 0.007);
    long touches = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(24, 1800); ++seed) {
        random_source r = random_seed(seed);
        tact_world *world = new_world();
        const double speed = pow(10.0, random_range(&r, 1.0, 6.0));
        (void)add(world, plate, tact_at(0, 0, 0), tact_motion_still(), 0.0);
        tact_motion motion = {.velocity = {speed, 0.1 * speed, 0}};
        if (random_chance(&r, 0.5))
            motion.spin = vec_scale(random_speed(&r, 100.0), random_chance(&r, 0.5) ? speed : 1.0);
        const tact_body body =
            add(world, bullet, tact_transform_make(vec_make(-1.0, 0, 0), random_turn(&r), unit_scale), motion, 0.1);
        const tact_bounce_def def = {.restitution = seed % 3 == 0 ? 1.0 : 0.4 * random_unit(&r),
                                     .friction = seed % 2 == 0 ? 0.3 : 0.0};
        tact_event e;
        for (int i = 0; i < 100 && tact_world_next_event(world, 2.0 / speed, &e) == TACT_EVENT_TOUCH; ++i, ++touches) {
            const double before = sum_of(world).energy;
            CHECK(tact_world_bounce_with(world, &e, &def) == TACT_OK, "refused at %g", speed);
            const double after = sum_of(world).energy;
            CHECK(after <= before * (1.0 + (def.restitution == 1.0 ? 1e-9 : 0.01)), "energy by %g of %g",
                  after - before, before);
        }
        CHECK(tact_body_get_transform(world, body).origin.x < 0.0, "it is through, at a speed of %g", speed);
        tact_world_release(world);
    }
    assert_true(few_cases() || touches > 40);
    tact_shape_release(plate);
    tact_shape_release(bullet);
}

/* A body crushed between kinematic bodies overlaps them at last, and does not lose its volume before. */
static void a_crushed_body_is_not_shot_out(void **state)
{
    (void)state;
    tact_shape *jaw = tact_box(1, 10, 10), *figures[2] = {tact_box(1, 1, 1), tact_sphere(0.5)};
    for (int i = 0; i < 2; ++i) {
        tact_world *world = new_world();
        (void)add(world, jaw, tact_at(-2, 0, 0), tact_motion_linear(1, 0, 0), 0.0);
        (void)add(world, jaw, tact_at(2, 0, 0), tact_motion_linear(-1, 0, 0), 0.0);
        const tact_body body = add(world, figures[i], tact_at(0.1, 0, 0), tact_motion_still(), 1.0);
        double most = 0.0;
        long touches = 0;
        for (tact_event e; tact_world_next_event(world, 2.0, &e) == TACT_EVENT_TOUCH; ++touches) {
            assert_int_equal(tact_world_bounce(world, &e, 0.3), TACT_OK);
            most = fmax(most, vec_length_safe(tact_body_get_motion(world, body).velocity));
        }
        if (!(most < 3.0) || touches < 10 || touches > 3000)
            fail_msg("body %d: %ld touches, up to %g", i, touches, most);
        tact_world_release(world);
        tact_shape_release(figures[i]);
    }
    tact_shape_release(jaw);
}

/* A crate meets a wall with one edge, tips, and meets it with the other one: at a tilt of 1e-6 before the first has
 * left it by more than rounding. Without restitution, so it stays there, or turns away. */
static void a_crate_that_tips_stays_out_of_the_wall(void **state)
{
    (void)state;
    tact_shape *wall = tact_box(40, 2, 40), *crate = tact_box(1, 1, 1);
    int twice = 0;
    for (int power = -12; power <= 0; ++power)
        for (int rough = 0; rough < 2; ++rough) {
            tact_world *world = new_world();
            const tact_quat tilt = tact_quat_from_axis_angle(tact_vec(0, 0, 1), pow(10.0, power));
            const tact_transform at = tact_transform_make(tact_vec(0, 2, 0), tilt, tact_vec(1, 1, 1));
            tact_body_create(world, &(tact_body_def){.shape = wall, .transform = tact_at(0, -1, 0)});
            const tact_body body = add(world, crate, at, tact_motion_linear(0, -1, 0), 1.0);
            int touches = 0;
            for (tact_event e; tact_world_next_event(world, 10.0, &e) == TACT_EVENT_TOUCH; ++touches)
                assert_int_equal(
                    tact_world_bounce_with(world, &e, &(tact_bounce_def){.restitution = 0.0, .friction = 0.5 * rough}),
                    TACT_OK);
            tact_bounds bounds;
            assert_int_equal(tact_shape_bounds(crate, tact_body_get_transform(world, body), &bounds), TACT_OK);
            if (!(bounds.min.y > -3e-9 && touches > 0 && touches < 100))
                fail_msg("tilt 1e%d, friction %g: %d touches, %g deep", power, 0.5 * rough, touches, -bounds.min.y);
            twice += tact_body_get_contacts(world, body, NULL, 0) > 0;
            tact_world_release(world);
        }
    assert_true(twice >= 15);
    tact_shape_release(wall);
    tact_shape_release(crate);
}

/* A scene with all there is; what happens must not depend on failures that were repeated. */
static long small_scene(tact_world *world, const tact_shape *ball, const tact_shape *cone, const tact_shape *slab,
                        bool *failed)
{
    tact_body bodies[4];
    const tact_motion fall = {.velocity = {0.2, 0, 0.1}, .acceleration = {0, -10, 0}, .spin = {1, 2, 3}};
    const tact_body_def defs[4] = {{.shape = slab, .transform = tact_at(0, -0.5, 0)},
                                   {.shape = ball, .transform = tact_at(0, 1, 0), .motion = fall},
                                   {.shape = cone, .transform = tact_at(0.3, 4, 0), .motion = fall},
                                   {.shape = cone, .transform = tact_at(0, 8, 0.2), .motion = fall}};
    if (tact_body_create_many(world, defs, 4, bodies, NULL) != TACT_OK) {
        *failed = true;
        return 0;
    }
    for (int i = 1; i < 4; ++i) {
        const tact_status status = tact_body_set_mass(world, bodies[i], i);
        if (status != TACT_OK) {
            assert_int_equal(status, TACT_OUT_OF_MEMORY);
            assert_true(tact_body_get_mass(world, bodies[i]) == 0.0);
            *failed = true;
            assert_int_equal(tact_body_set_mass(world, bodies[i], i), TACT_OK);
        }
    }
    long touches = 0;
    for (tact_event e;;) {
        if (tact_world_next_event(world, 1.5, &e) == TACT_EVENT_TOUCH) {
            ++touches;
            assert_int_equal(tact_world_bounce_with(world, &e, &(tact_bounce_def){.restitution = 0.5, .friction = 0.3}),
                             TACT_OK);
        } else if (e.status == TACT_OUT_OF_MEMORY) {
            *failed = true;
        } else {
            assert_int_equal(e.status, TACT_OK);
            return touches;
        }
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(0.5), *cone = tact_cone(0.5, 1.0), *slab = tact_box(20, 1, 20);
    long right = 0, failures = 0;
    for (long fail_at = 0;; ++fail_at) {
        failing_allocator r = {.fail_at = fail_at};
        bool failed = false;
        tact_world_def def = {.allocator = failing_allocator_make(&r)};
        tact_world *world = tact_world_create(&def);
        if (world == NULL) {
            assert_int_equal(r.held, 0);
            continue;
        }
        const long touches = small_scene(world, ball, cone, slab, &failed);
        if (fail_at == 0)
            right = touches;
        else if (touches > 0)
            assert_int_equal(touches, right);
        failures += failed;
        const bool over = fail_at > 0 && r.calls < fail_at;
        tact_world_release(world);
        assert_int_equal(r.held, 0);
        if (over)
            break;
    }
    assert_true(right > 3 && failures > 5);
    tact_shape_release(ball);
    tact_shape_release(cone);
    tact_shape_release(slab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crate_that_tips_stays_out_of_the_wall),
        cmocka_unit_test(a_body_that_begins_in_the_floor_comes_out),
        cmocka_unit_test(a_crate_on_a_slope_stays),
        cmocka_unit_test(fast_bodies_bounce),
        cmocka_unit_test(a_crushed_body_is_not_shot_out),
        cmocka_unit_test(rods_turn),
        cmocka_unit_test(thin_bodies_keep_their_energy),
        cmocka_unit_test(spin_about_a_rod_lasts),
        cmocka_unit_test(impossible_moments_are_refused),
        cmocka_unit_test(a_chain_of_equals_swaps),
        cmocka_unit_test(a_box_that_hits_flat_does_not_turn),
        cmocka_unit_test(restitution_is_what_was_asked_for),
        cmocka_unit_test(balls_and_cubes_keep_momentum_and_energy),
        cmocka_unit_test(energy_never_grows),
        cmocka_unit_test(elastic_touches_keep_the_energy),
        cmocka_unit_test(a_sliding_ball_begins_to_roll),
        cmocka_unit_test(a_box_on_a_slope),
        cmocka_unit_test(free_bodies_turn_about_their_centre),
        cmocka_unit_test(a_blow_turns_about_the_centre),
        cmocka_unit_test(bodies_at_rest_do_not_stop_the_time),
        cmocka_unit_test(a_pile_stays_a_pile),
        cmocka_unit_test(bodies_that_do_not_separate_move_as_one),
        cmocka_unit_test(a_crushed_body_overlaps_at_last),
        cmocka_unit_test(bad_input_changes_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };
    /* Bounces do not depend on how touches are found: in the short form, the other engines run some of the tests. */
    const struct CMUnitTest some[] = {
        cmocka_unit_test(balls_and_cubes_keep_momentum_and_energy),
        cmocka_unit_test(energy_never_grows),
        cmocka_unit_test(a_pile_stays_a_pile),
        cmocka_unit_test(bad_input_changes_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };
    static const char *const names[] = {"auto", "sweep", "fat bounds"};
    int failed = 0;
    for (kinetic = TACT_KINETIC_AUTO; kinetic <= TACT_KINETIC_FAT_BOUNDS; ++kinetic)
        failed += kinetic == TACT_KINETIC_AUTO || long_form()
                      ? cmocka_run_group_tests_name(names[kinetic], tests, NULL, NULL)
                      : cmocka_run_group_tests_name(names[kinetic], some, NULL, NULL);
    return failed;
}
