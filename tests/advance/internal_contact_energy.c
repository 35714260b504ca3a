/*
 * The energy of bodies in contact with each other and with a floor at rest (contact_energy.h): all shapes, frictions
 * and restitutions, fast spins. It is measured just before contact steps and compared with the least so far, without
 * its sources: what pushes have added (contact_graph.pushed), and what bodies owe (tact_contact_energy_debt).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <tact/tact.h>

#include "advance/advance.h"
#include "advance/contact_energy.h"
#include "math/vec.h"
#include "support/random.h"
#include "support/seeded_cases.h"

#define GRAVITY 9.81

/* Of the energy at the start, above the floor: by so much it may grow. That of a free body that tumbles oscillates by
 * so much at most (rigid.h). */
#define GROWTH 1e-5

/* Likewise with the pushes: they restore rest gaps of 1e-4 sizes, and bodies fall by a few sizes. */
#define PUSHED_GROWTH 3e-4

/* Likewise of balls in a shaft, where impacts raise bodies at rest: without the sources, and with them. */
#define SHAFT_FREE_GROWTH 1e-4
#define SHAFT_GROWTH 1e-3

enum { MOST_BODIES = 36, PILE = 8, KINDS = 12 };

typedef struct body {
    tact_body handle;
    tact_mass mass; /* at the start */
    tact_transform begun;
} body;

typedef struct scene {
    tact_world *world;
    body bodies[MOST_BODIES];
    int count;
    tact_material material;
    double start, least, most;    /* energy; growth over the least so far */
    double least_free, most_free; /* likewise without the pushes */
} scene;

static void begin(scene *s, tact_material material)
{
    *s = (scene){.material = material};
    s->world = tact_world_create(&(tact_world_def){.gravity = {0.0, -GRAVITY, 0.0}, .never_sleeps = true});
    assert_non_null(s->world);
    tact_shape *floor = tact_box(200.0, 2.0, 200.0);
    const tact_body_def def = {.shape = floor, .transform = tact_at(0.0, -1.0, 0.0), .material = material};
    assert_int_not_equal(tact_body_create(s->world, &def).generation, 0);
    tact_shape_release(floor);
}

static void add(scene *s, tact_shape *shape, tact_transform at, tact_motion motion)
{
    assert_true(s->count < MOST_BODIES && shape != NULL);
    body *b = &s->bodies[s->count++];
    *b = (body){.mass = tact_mass_from_total(shape, at, 1.0), .begun = at};
    b->handle = tact_body_create(
        s->world, &(tact_body_def){.shape = shape, .transform = at, .motion = motion, .material = s->material});
    assert_int_equal(tact_body_set_mass(s->world, b->handle, 1.0), TACT_OK);
    tact_shape_release(shape);
}

static double energy(const scene *s)
{
    double sum = 0.0;
    for (int i = 0; i < s->count; ++i) {
        const body *b = &s->bodies[i];
        tact_transform back;
        assert_int_equal(tact_transform_invert(b->begun, &back), TACT_OK);
        const tact_transform at = tact_body_get_transform(s->world, b->handle);
        const tact_motion m = tact_body_get_motion(s->world, b->handle);
        const tact_mass now = tact_mass_transform(b->mass, tact_transform_compose(at, back));
        const tact_vec3 v = vec_add(m.velocity, vec_cross(m.spin, vec_sub(now.centre, at.origin))), w = m.spin;
        const tact_inertia j = now.inertia;
        sum += 0.5 * (now.mass * vec_length_squared(v) + j.xx * w.x * w.x + j.yy * w.y * w.y + j.zz * w.z * w.z +
                      2.0 * (j.xy * w.x * w.y + j.xz * w.x * w.z + j.yz * w.y * w.z)) +
               now.mass * GRAVITY * now.centre.y;
    }
    return sum;
}

static double sources(const scene *s)
{
    const contact_graph *g = &s->world->advance->contacts;
    double sum = g->pushed;
    for (int i = 0; i < s->count; ++i)
        if (contact_body_is_awake(g, s->bodies[i].handle.index))
            sum += tact_contact_energy_debt(s->world, s->bodies[i].handle.index);
    return sum;
}

static void run(scene *s, double time)
{
    s->start = s->least = s->least_free = energy(s);
    for (int k = 1; k / 60.0 <= time; ++k) {
        assert_int_equal(tact_world_step(s->world, k / 60.0 * (1.0 - 1e-12) - tact_world_get_time(s->world)), TACT_OK);
        const double now = energy(s), pushed = sources(s);
        s->most = fmax(s->most, now - s->least);
        s->least = fmin(s->least, now);
        s->most_free = fmax(s->most_free, now - pushed - s->least_free);
        s->least_free = fmin(s->least_free, now - pushed);
    }
}

/* The axis of the cone turns quickly, and its contact point slides without friction. */
static void spinning_cones_gain_nothing(void **state)
{
    (void)state;
    static const double spins[] = {5.0, 10.0, 30.0, 100.0};
    for (int i = 0; i < 4; ++i) {
        scene s;
        begin(&s, (tact_material){0});
        add(&s, tact_cone(0.5, 1.0),
            tact_transform_make(vec_make(0.0, 0.8, 0.0), (tact_quat){0.3, 0.2, 0.1, sqrt(0.86)},
                                vec_make(1.0, 1.0, 1.0)),
            (tact_motion){.spin = {0.6 * spins[i], 0.8 * spins[i], 0.0}});
        run(&s, 10.0);
        print_message("cone, spin %g: energy grows by %.1e, with pushes by %.1e\n", spins[i], s.most_free / s.start,
                      s.most / s.start);
        assert_true(s.most_free < 1e-12 * s.start && s.most < PUSHED_GROWTH * s.start);
        tact_world_release(s.world);
    }
}

static tact_shape *any_shape(int kind, random_source *r)
{
    tact_vec3 points[12];
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
    case 8:
        return tact_sphere(0.25);
    case 9:
        for (int i = 0; i < 12; ++i) {
            const tact_vec3 along = random_direction(r);
            points[i] = vec_scale(along, 0.3 * sqrt(random_range(r, 0.3, 1.0)));
        }
        return tact_hull(points, 12);
    case 10:
        return tact_tetrahedron(vec_make(0.2, 0.2, 0.2), vec_make(0.2, -0.2, -0.2), vec_make(-0.2, 0.2, -0.2),
                                vec_make(-0.2, -0.2, 0.2));
    default:
        return tact_box(0.3, 0.3, 0.3);
    }
}

static tact_motion any_motion(random_source *r, double spin)
{
    const tact_vec3 along = random_direction(r);
    const double speed = random_range(r, 0.0, 2.0);
    const tact_vec3 about = random_direction(r);
    return (tact_motion){.velocity = vec_scale(along, speed), .spin = vec_scale(about, spin)};
}

/* Bodies above each other, two in a row, fall on the floor and on each other. */
static void fill(scene *s, uint64_t seed)
{
    random_source r = random_seed(seed);
    const double friction = seed % 4 == 0 ? 0.0 : random_range(&r, 0.0, 1.0),
                 restitution = seed % 3 == 0 ? 0.0 : random_range(&r, 0.0, 1.0);
    begin(s, (tact_material){.friction = friction, .restitution = restitution});
    const int count = random_between(&r, 1, seed % 2 ? 1 : PILE);
    const double spin = random_range(&r, 0.0, seed % 2 ? 100.0 : 10.0);
    for (int i = 0; i < count; ++i) {
        const double x = random_range(&r, -0.1, 0.1), z = random_range(&r, -0.1, 0.1);
        tact_shape *shape = any_shape((int)random_below(&r, KINDS), &r);
        const tact_quat rotation = random_rotation(&r);
        add(s, shape,
            tact_transform_make(vec_make(0.7 * (i % 2) + x, 0.6 + 0.8 * (i / 2), z), rotation, vec_make(1.0, 1.0, 1.0)),
            any_motion(&r, spin));
    }
}

static void energy_does_not_grow(void **state)
{
    (void)state;
    double worst = 0.0, worst_free = 0.0;
    int small = 0, cases = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(120, 1000); ++seed) {
        scene s;
        fill(&s, seed);
        run(&s, 2.0);
        worst = fmax(worst, s.most / s.start);
        worst_free = fmax(worst_free, s.most_free / s.start);
        small += s.most < GROWTH * s.start;
        ++cases;
        CHECK(s.most_free < GROWTH * s.start,
              "%d bodies, friction %g, restitution %g: energy grows by %g, without pushes", s.count,
              s.material.friction, s.material.restitution, s.most_free / s.start);
        CHECK(s.most < PUSHED_GROWTH * s.start, "%d bodies, friction %g, restitution %g: energy grows by %g", s.count,
              s.material.friction, s.material.restitution, s.most / s.start);
        tact_world_release(s.world);
    }
    print_message("energy grows by at most %.1e; with pushes by %.1e, in %d of %d worlds by less than 1e-5\n",
                  worst_free, worst, small, cases);
    assert_true(few_cases() || small >= 0.9 * cases);
}

/* Balls fall into a narrow shaft: free ones and those in contact hit each other many times in a step. */
static void fill_shaft(scene *s, uint64_t seed)
{
    static const double restitutions[] = {0.0, 0.1, 0.5, 0.8, 0.8, 1.0, 1.0};
    random_source r = random_seed(seed + (UINT64_C(1) << 32));
    const double friction = random_chance(&r, 0.5) ? 0.0 : random_range(&r, 0.0, 1.0);
    begin(s, (tact_material){.friction = friction, .restitution = restitutions[random_below(&r, 7)]});
    for (int i = 0; i < 4; ++i) {
        const double sign = i & 1 ? 1.25 : -1.25;
        tact_shape *wall = i < 2 ? tact_box(2.0, 20.0, 5.0) : tact_box(5.0, 20.0, 2.0);
        const tact_body_def def = {
            .shape = wall, .transform = tact_at(i < 2 ? sign : 0.0, 9.0, i < 2 ? 0.0 : sign), .material = s->material};
        assert_int_not_equal(tact_body_create(s->world, &def).generation, 0);
        tact_shape_release(wall);
    }
    const int count = random_between(&r, 20, MOST_BODIES);
    for (int i = 0; i < count; ++i) {
        const double x = random_range(&r, -0.01, 0.01), z = random_range(&r, -0.01, 0.01);
        add(s, tact_sphere(0.1),
            tact_at(i & 1 ? 0.11 + x : x - 0.11, 0.2 + 0.22 * (i / 4), i & 2 ? 0.11 + z : z - 0.11),
            any_motion(&r, 2.0));
    }
}

static void balls_in_a_shaft_gain_nothing(void **state)
{
    (void)state;
    double worst = 0.0, worst_free = 0.0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(4, 300); ++seed) {
        scene s;
        fill_shaft(&s, seed);
        run(&s, 1.5);
        worst = fmax(worst, s.most / s.start);
        worst_free = fmax(worst_free, s.most_free / s.start);
        CHECK(s.most_free < SHAFT_FREE_GROWTH * s.start, "%d balls, friction %g, restitution %g: energy grows by %g",
              s.count, s.material.friction, s.material.restitution, s.most_free / s.start);
        CHECK(s.most < SHAFT_GROWTH * s.start, "%d balls, friction %g, restitution %g: energy grows by %g", s.count,
              s.material.friction, s.material.restitution, s.most / s.start);
        tact_world_release(s.world);
    }
    print_message("shafts: energy grows by at most %.1e; with pushes by %.1e\n", worst_free, worst);
}

/* A ball with three different moments of inertia spins on a smooth floor: the floor exerts no torque. Its angular
 * momentum and its energy are those of the start, at every contact step. */
static void a_ball_on_a_smooth_floor_rotates_freely(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(&(tact_world_def){.gravity = {0.0, -GRAVITY, 0.0}, .never_sleeps = true});
    tact_shape *slab = tact_box(200.0, 2.0, 200.0), *sphere = tact_sphere(1.0);
    (void)tact_body_create(world, &(tact_body_def){.shape = slab, .transform = tact_at(0.0, -1.0, 0.0)});
    const tact_body ball =
        tact_body_create(world, &(tact_body_def){.shape = sphere, .transform = tact_at(0.0, 1.0001, 0.0)});
    const double moments[3] = {0.2, 0.3, 0.4};
    const tact_mass mass = {.mass = 1.0,
                            .dimension = 3,
                            .measure = 1.0,
                            .centre = {0.0, 1.0001, 0.0},
                            .inertia = {.xx = moments[0], .yy = moments[1], .zz = moments[2]},
                            .principal_moments = {moments[0], moments[1], moments[2]},
                            .principal_axes = {0.0, 0.0, 0.0, 1.0}};
    assert_int_equal(tact_body_set_mass_with(world, ball, &mass), TACT_OK);
    const tact_motion tumbling = {.spin = {0.3, 3.0, 0.6}}; /* near the axis that is unstable */
    assert_int_equal(tact_body_set_motion(world, ball, tumbling), TACT_OK);
    double energy = 0.0;
    tact_vec3 momentum = {0.0, 0.0, 0.0};
    for (int i = 0; i <= 600; ++i) {
        assert_int_equal(tact_world_step(world, i == 0 ? 1.0 : 1.0 / 60.0), TACT_OK);
        assert_int_equal(tact_body_get_contacts(world, ball, NULL, 0), 1);
        const tact_transform at = tact_body_get_transform(world, ball);
        const tact_vec3 spin = tact_body_get_motion(world, ball).spin, axes[3] = {at.x_axis, at.y_axis, at.z_axis};
        double e = 0.0;
        tact_vec3 l = {0.0, 0.0, 0.0};
        for (int k = 0; k < 3; ++k) {
            const double w = vec_dot(spin, axes[k]);
            e += 0.5 * moments[k] * w * w;
            l = vec_mul_add(l, moments[k] * w, axes[k]);
        }
        energy = i == 0 ? e : energy;
        momentum = i == 0 ? l : momentum;
        assert_true(fabs(e - energy) < 1e-11 * energy);
        assert_true(vec_length(vec_sub(l, momentum)) < 1e-11 * vec_length(momentum));
    }
    tact_world_release(world);
    tact_shape_release(slab);
    tact_shape_release(sphere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spinning_cones_gain_nothing),
        cmocka_unit_test(energy_does_not_grow),
        cmocka_unit_test(balls_in_a_shaft_gain_nothing),
        cmocka_unit_test(a_ball_on_a_smooth_floor_rotates_freely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
