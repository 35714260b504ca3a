/*
 * The energy of one body in contact with a floor at rest (contact_energy.h): all shapes, fast spins. It is measured
 * just before contact steps and compared with the least so far.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <tact/tact.h>

#include "support/falling_world.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/vec.h"

/* Of the energy at the start, above the floor. The push raises a body to its rest gap: 5e-5 of that for a body that
 * falls by its size. */
#define GROWTH 2e-4

static double energy(const tact_world *world, tact_body body, const tact_mass *mass, tact_transform begun,
                     double gravity)
{
    tact_transform back;
    assert_int_equal(tact_transform_invert(begun, &back), TACT_OK);
    const tact_transform at = tact_body_get_transform(world, body);
    const tact_motion m = tact_body_get_motion(world, body);
    const tact_mass now = tact_mass_transform(*mass, tact_transform_compose(at, back));
    const tact_vec3 v = vec_add(m.velocity, vec_cross(m.spin, vec_sub(now.centre, at.origin))), w = m.spin;
    const tact_inertia j = now.inertia;
    return 0.5 * (now.mass * vec_length_squared(v) + j.xx * w.x * w.x + j.yy * w.y * w.y + j.zz * w.z * w.z +
                  2.0 * (j.xy * w.x * w.y + j.xz * w.x * w.z + j.yz * w.y * w.z)) +
           now.mass * gravity * now.centre.y;
}

/* The growth over the least energy so far, of that of the start. */
static double growth(tact_shape *shape, tact_transform at, tact_motion motion, double friction, double restitution,
                     double time)
{
    tact_world *world = falling_world(true);
    (void)put_floor(world, friction, restitution);
    const tact_mass mass = tact_mass_from_total(shape, at, 1.0);
    const tact_body body = put(world, shape, at, 1.0, friction, restitution);
    set_motion(world, body, motion);
    const double start = energy(world, body, &mass, at, GRAVITY);
    double least = start, most = 0.0;
    for (int k = 1; k / 60.0 <= time; ++k) {
        step(world, k / 60.0 * (1.0 - 1e-12) - tact_world_get_time(world));
        const double now = energy(world, body, &mass, at, GRAVITY);
        most = fmax(most, now - least);
        least = fmin(least, now);
    }
    tact_world_release(world);
    return most / start;
}

/* The axis of the cone turns quickly, and its contact point slides without friction. */
static void spinning_cones_gain_nothing(void **state)
{
    (void)state;
    static const double spins[] = {5.0, 10.0, 30.0, 100.0};
    for (int i = 0; i < 4; ++i) {
        const tact_transform at = tact_transform_make(vec_make(0.0, 0.8, 0.0), (tact_quat){0.3, 0.2, 0.1, sqrt(0.86)},
                                                      vec_make(1.0, 1.0, 1.0));
        const double grown = growth(tact_cone(0.5, 1.0), at,
                                    (tact_motion){.spin = {0.6 * spins[i], 0.8 * spins[i], 0.0}}, 0.0, 0.0, 10.0);
        print_message("cone, spin %g: energy grows by %.1e\n", spins[i], grown);
        assert_true(grown < 1e-5);
    }
}

static tact_shape *any_shape(int kind)
{
    switch (kind) {
    case 0:
        return tact_box(0.5, 0.3, 0.4);
    case 1:
        return tact_cylinder(0.25, 0.03);
    case 2:
        return tact_cone(0.25, 0.5);
    case 3:
        return tact_box(0.02, 0.02, 0.5);
    case 4:
        return tact_ellipsoid(0.3, 0.2, 0.12);
    case 5:
        return tact_box(0.5, 0.01, 0.5);
    case 6:
        return tact_cylinder(0.15, 0.4);
    case 7:
        return tact_capsule(0.1, 0.5);
    default:
        return tact_sphere(0.25);
    }
}

static void energy_of_one_body_does_not_grow(void **state)
{
    (void)state;
    double worst = 0.0;
    int small = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(60, 60); ++seed) {
        random_source r = random_seed(seed);
        const double spin = random_range(&r, 0.0, seed % 2 ? 100.0 : 10.0);
        const tact_transform at =
            tact_transform_make(vec_make(0.0, 0.6, 0.0), random_rotation(&r), vec_make(1.0, 1.0, 1.0));
        const double speed = random_range(&r, 0.0, 2.0);
        const tact_vec3 along = random_direction(&r), about = random_direction(&r);
        const tact_motion motion = {.velocity = vec_scale(along, speed), .spin = vec_scale(about, spin)};
        const double friction = seed % 4 == 0 ? 0.0 : random_range(&r, 0.0, 1.0),
                     restitution = seed % 3 == 0 ? 0.0 : random_range(&r, 0.0, 1.0);
        const int kind = (int)random_below(&r, 9);
        const double grown = growth(any_shape(kind), at, motion, friction, restitution, 2.0);
        worst = fmax(worst, grown);
        small += grown < 1e-5;
        CHECK(grown < GROWTH, "kind %d, spin %g, friction %g, restitution %g: energy grows by %g", kind, spin, friction,
              restitution, grown);
    }
    print_message("energy grows by at most %.1e, in %d worlds by less than 1e-5\n", worst, small);
    assert_true(few_cases() || small >= 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spinning_cones_gain_nothing),
        cmocka_unit_test(energy_of_one_body_does_not_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
