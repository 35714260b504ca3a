/*
 * Impacts of several bodies at once (rigid.h): bodies that touch each other without a persistent contact take part in
 * one impact. Worlds without gravity; what is known comes from symmetry and conservation.
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

enum { MOST = 64 };

typedef struct group {
    tact_world *world;
    tact_body bodies[MOST];
    double masses[MOST];
    int mirror[MOST]; /* the body on the other side of the plane z = 0 */
    int count;
} group;

static void add(group *g, tact_shape *shape, tact_vec3 at, double mass)
{
    assert_true(g->count < MOST);
    g->masses[g->count] = mass;
    g->mirror[g->count] = g->count;
    g->bodies[g->count++] = put(g->world, shape, tact_at(at.x, at.y, at.z), mass, 0.0, 0.0);
}

/* Advances in a loop, as a program with responses of its own does. Returns the number of impacts: of times at which
 * there are touches. `*touches`, if not NULL, becomes the number of touches. */
static long run(group *g, double until, double restitution, double friction, long *touches)
{
    long touched = 0, impacts = 0;
    double last = -1.0;
    tact_event e;
    while (tact_world_next_event(g->world, until, &e) == TACT_EVENT_TOUCH && touched < 100000) {
        ++touched;
        impacts += e.time != last;
        last = e.time;
        assert_int_equal(
            tact_world_bounce_with(g->world, &e, &(tact_bounce_def){.restitution = restitution, .friction = friction}),
            TACT_OK);
    }
    assert_int_equal(e.status, TACT_OK);
    if (touches != NULL)
        *touches = touched;
    return impacts;
}

typedef struct totals {
    double energy;
    tact_vec3 momentum;
    double asymmetry;
} totals;

static totals measure(const group *g)
{
    totals t = {0};
    for (int i = 0; i < g->count; ++i) {
        if (g->masses[i] == 0.0)
            continue;
        const tact_motion m = tact_body_get_motion(g->world, g->bodies[i]),
                          n = tact_body_get_motion(g->world, g->bodies[g->mirror[i]]);
        t.energy += 0.5 * g->masses[i] * vec_length_squared(m.velocity);
        t.momentum = vec_mul_add(t.momentum, g->masses[i], m.velocity);
        t.asymmetry =
            fmax(t.asymmetry, vec_length(vec_sub(m.velocity, vec_make(n.velocity.x, n.velocity.y, -n.velocity.z))));
    }
    return t;
}

/* A triangle of `rows` rows of balls, hit by a ball along its axis. */
static group set_rack(int rows, double gap, double offset)
{
    group g = {.world = new_world(vec_make(0.0, 0.0, 0.0), true)};
    add(&g, tact_sphere(0.5), vec_make(-2.0, 0.0, offset), 1.0);
    for (int row = 0; row < rows; ++row)
        for (int k = 0; k <= row; ++k) {
            add(&g, tact_sphere(0.5), vec_make((1.0 + gap) * row * 0.5 * sqrt(3.0), 0.0, (1.0 + gap) * (k - 0.5 * row)),
                1.0);
            g.mirror[g.count - 1] = g.count - 1 - k + (row - k);
        }
    set_motion(g.world, g.bodies[0], tact_motion_linear(5.0, 0.0, 0.0));
    return g;
}

/* Racks of 3 to 45 balls, in touch exactly or within 1e-9, break symmetrically. The first event is the touch of the
 * first two balls; the touches of the others follow at the same time. Without restitution the balls go on in persistent
 * contact, whose gaps open: symmetric to 1 % of the speed. */
static void racks_break_symmetrically(void **state)
{
    (void)state;
    static const double gaps[] = {0.0, 1e-12, 1e-10, 1e-9}, restitutions[] = {1.0, 0.9, 0.5, 0.0};
    for (int rows = 2; rows <= 9; ++rows)
        for (int i = 0; i < 4; ++i)
            for (int k = 0; k < 4; ++k) {
                group g = set_rack(rows, gaps[i], 0.0);
                const double e = restitutions[k];
                long touches;
                const long impacts = run(&g, 3.0, e, 0.0, &touches);
                const totals t = measure(&g);
                if (k == 0) /* all touches of neighbours at once, but for those that no impulse reaches */
                    assert_true(impacts == 1 && touches > rows && touches <= 1 + 3 * rows * (rows - 1) / 2);
                if (!(fabs(t.momentum.x - 5.0) < 1e-12 && fabs(t.momentum.z) < 1e-12 &&
                      t.energy <= 12.5 * (1.0 + 1e-12) && (e < 1.0 || t.energy > 12.5 * (1.0 - 1e-12)) &&
                      t.asymmetry < (e == 0.0 ? 0.05 : 1e-12)))
                    fail_msg("%d rows, gap %g, e %g: momentum %g, energy %g, asymmetry %g, %ld touches", rows, gaps[i],
                             e, t.momentum.x - 5.0, t.energy / 12.5 - 1.0, t.asymmetry, touches);
                tact_world_release(g.world);
            }
}

/* A rack that is not hit along its axis keeps energy and momentum; and with friction the energy does not grow. */
static void racks_hit_aside_keep_energy(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(20); ++seed) {
        random_source r = random_seed(seed);
        const double friction = seed % 2 ? 0.0 : random_range(&r, 0.1, 1.0);
        group g = set_rack(5, 0.0, random_range(&r, -0.9, 0.9));
        (void)run(&g, 3.0, 1.0, friction, NULL);
        const totals t = measure(&g);
        CHECK(fabs(t.momentum.x - 5.0) < 1e-11 && fabs(t.momentum.z) < 1e-11, "momentum %g %g", t.momentum.x - 5.0,
              t.momentum.z);
        CHECK(t.energy <= 12.5 * (1.0 + 1e-9) && (friction > 0.0 || t.energy > 12.5 * (1.0 - 1e-9)), "energy %g",
              t.energy / 12.5 - 1.0);
        tact_world_release(g.world);
    }
}

/* Rows of balls or boxes: k bodies in, k bodies out. A row of boxes touches in faces. */
static void rows_pass_an_impact_on(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind)
        for (int k = 1; k < 5; ++k) {
            group g = {.world = new_world(vec_make(0.0, 0.0, 0.0), true)};
            for (int i = 0; i < 8; ++i)
                add(&g, kind == 0 ? tact_sphere(0.5) : tact_box(1.0, 1.0, 1.0), vec_make(i < k ? i - 1.0 : i, 0.0, 0.0),
                    1.0);
            for (int i = 0; i < k; ++i)
                set_motion(g.world, g.bodies[i], tact_motion_linear(2.0, 0.0, 0.0));
            long touches;
            const long impacts = run(&g, 2.0, 1.0, 0.0, &touches);
            /* bodies that go on together touch again where rounding makes them approach */
            if (impacts > 2 || touches < 7 || touches > (k == 1 ? 7 : 20))
                fail_msg("kind %d, %d bodies: %ld impacts, %ld touches", kind, k, impacts, touches);
            for (int i = 0; i < 8; ++i) {
                const tact_motion m = tact_body_get_motion(g.world, g.bodies[i]);
                assert_true(fabs(m.velocity.x - (i >= 8 - k ? 2.0 : 0.0)) < 1e-12 && vec_length(m.spin) < 1e-12);
            }
            tact_world_release(g.world);
        }
}

/* With e = 0 all get the common velocity at once. */
static void inelastic_rows_move_on_together(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        group g = {.world = new_world(vec_make(0.0, 0.0, 0.0), true)};
        for (int i = 0; i < 8; ++i)
            add(&g, kind == 0 ? tact_sphere(0.5) : tact_box(1.0, 1.0, 1.0), vec_make(i == 0 ? -1.01 : i, 0.0, 0.0),
                1.0);
        set_motion(g.world, g.bodies[0], tact_motion_linear(4.0, 0.0, 0.0));
        assert_int_equal(run(&g, 2.0, 0.0, 0.3, NULL), 1);
        for (int i = 0; i < 8; ++i) {
            const tact_motion m = tact_body_get_motion(g.world, g.bodies[i]);
            assert_true(fabs(m.velocity.x - 0.5) < 1e-9);
        }
        tact_world_release(g.world);
    }
}

/* Two balls hit a third at the same time from both sides, at any angle: symmetric, although they do not touch each
 * other before. */
static void simultaneous_touches_are_one_impact(void **state)
{
    (void)state;
    for (int i = 1; i < 12; ++i) {
        const double angle = 0.13 * i + 0.55;
        group g = {.world = new_world(vec_make(0.0, 0.0, 0.0), true)};
        add(&g, tact_sphere(0.5), vec_make(0.0, 0.0, 0.0), 1.0);
        for (int side = -1; side <= 1; side += 2) {
            const tact_vec3 from = {-2.0 * cos(angle), 0.0, 2.0 * side * sin(angle)};
            add(&g, tact_sphere(0.5), from, 1.0);
            g.mirror[g.count - 1] = side < 0 ? 2 : 1;
            set_motion(g.world, g.bodies[g.count - 1], (tact_motion){.velocity = vec_scale(from, -1.0)});
        }
        assert_true(run(&g, 1.0, 1.0, 0.0, NULL) >= 1);
        const totals t = measure(&g);
        assert_true(t.asymmetry < 1e-12 && fabs(t.energy - 4.0) < 1e-12);
        tact_world_release(g.world);
    }
}

/* A light ball that touches a wall is hit by a heavy one: some pi sqrt(M) reflections between the two, in one
 * impact. The heavy one leaves with its speed, up to the part of the energy that the light one keeps. */
static void a_heavy_body_meets_a_light_one_at_a_wall(void **state)
{
    (void)state;
    for (double mass = 1.0; mass < 2e4; mass *= 10.0) {
        group g = {.world = new_world(vec_make(0.0, 0.0, 0.0), true)};
        add(&g, tact_box(2.0, 10.0, 10.0), vec_make(-1.0, 0.0, 0.0), 0.0);
        add(&g, tact_sphere(0.5), vec_make(0.5, 0.0, 0.0), 1.0);
        add(&g, tact_sphere(0.5), vec_make(2.0, 0.0, 0.0), mass);
        set_motion(g.world, g.bodies[2], tact_motion_linear(-1.0, 0.0, 0.0));
        assert_int_equal(run(&g, 2.0, 1.0, 0.0, NULL), 1);
        const totals t = measure(&g);
        const double light = tact_body_get_motion(g.world, g.bodies[1]).velocity.x,
                     heavy = tact_body_get_motion(g.world, g.bodies[2]).velocity.x;
        if (!(fabs(t.energy / (0.5 * mass) - 1.0) < 1e-9))
            fail_msg("mass %g: energy %g, light %g, heavy %g", mass, t.energy / (0.5 * mass) - 1.0, light, heavy);
        assert_true(light >= -1e-9 && heavy >= light - 1e-9);
        tact_world_release(g.world);
    }
}

/* Tumbling boxes in a block that touch in faces, hit at a corner: momentum and energy. */
static void blocks_of_boxes_keep_momentum(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(10); ++seed) {
        random_source r = random_seed(seed + 1000);
        group g = {.world = new_world(vec_make(0.0, 0.0, 0.0), true)};
        for (int i = 0; i < 8; ++i)
            add(&g, tact_box(1.0, 1.0, 1.0), vec_make(i % 2, i / 2 % 2, i / 4), exp(random_range(&r, -1.0, 1.0)));
        add(&g, tact_sphere(0.3), vec_make(-2.0, random_range(&r, -0.4, 1.4), random_range(&r, -0.4, 1.4)), 2.0);
        set_motion(g.world, g.bodies[8], tact_motion_linear(3.0, 0.0, 0.0));
        double before = measure(&g).energy, turning = 0.0;
        (void)run(&g, 0.8, 1.0, seed % 3 == 0 ? 0.5 : 0.0, NULL);
        const totals t = measure(&g);
        for (int i = 0; i < 8; ++i)
            turning += 0.5 * g.masses[i] / 6.0 * vec_length_squared(tact_body_get_motion(g.world, g.bodies[i]).spin);
        CHECK(fabs(t.momentum.x - 6.0) < 1e-9 && fabs(t.momentum.y) < 1e-9 && fabs(t.momentum.z) < 1e-9,
              "momentum %g %g %g", t.momentum.x - 6.0, t.momentum.y, t.momentum.z);
        CHECK(t.energy + turning <= before * (1.0 + 1e-9), "energy %g", (t.energy + turning) / before - 1.0);
        tact_world_release(g.world);
    }
}

/* A row of balls is hit. The touches through which the impact passes are still to be reported when one of the balls is
 * placed elsewhere: it has no touch any more. The next event is now, until all are reported. */
static void touches_of_a_body_that_is_displaced_are_dropped(void **state)
{
    (void)state;
    group g = {.world = new_world(vec_make(0.0, 0.0, 0.0), true)};
    for (int i = 0; i < 4; ++i)
        add(&g, tact_sphere(0.5), vec_make(i == 0 ? -1.0 : i, 0.0, 0.0), 1.0);
    set_motion(g.world, g.bodies[0], tact_motion_linear(2.0, 0.0, 0.0));
    tact_event e;
    assert_int_equal(tact_world_next_event(g.world, 2.0, &e), TACT_EVENT_TOUCH);
    assert_int_equal(tact_world_bounce(g.world, &e, 1.0), TACT_OK);
    assert_true(tact_world_get_next_time(g.world) == e.time);
    assert_int_equal(tact_body_set_transform(g.world, g.bodies[2], tact_at(50.0, 0.0, 0.0)), TACT_OK);
    set_motion(g.world, g.bodies[2], tact_motion_linear(-1.0, 0.0, 0.0));
    while (tact_world_next_event(g.world, 2.0, &e) == TACT_EVENT_TOUCH) {
        assert_true(e.a.index != g.bodies[2].index && e.b.index != g.bodies[2].index);
        assert_int_equal(tact_world_bounce(g.world, &e, 1.0), TACT_OK);
    }
    assert_true(tact_body_get_motion(g.world, g.bodies[2]).velocity.x == -1.0);
    tact_world_release(g.world);
}

/* An event of another world, which has never advanced. */
static void a_fresh_world_has_no_closing_speed(void **state)
{
    (void)state;
    group g = {.world = new_world(vec_make(0.0, 0.0, 0.0), true)};
    add(&g, tact_sphere(0.5), vec_make(0.0, 0.0, 0.0), 1.0);
    add(&g, tact_sphere(0.5), vec_make(3.0, 0.0, 0.0), 1.0);
    const tact_event e = {.kind = TACT_EVENT_TOUCH, .a = g.bodies[0], .b = g.bodies[1], .normal = {1.0, 0.0, 0.0}};
    assert_true(tact_event_get_closing_speed(g.world, &e) == 0.0);
    tact_world_release(g.world);
}

/* A ball between two walls that close in: its impacts come faster and faster, without end. After 64 of them within one
 * contact step the pairs are persistent contacts, and the time goes on. */
static void walls_that_close_in_do_not_stop_the_time(void **state)
{
    (void)state;
    const double restitutions[] = {0.5, 0.9, 0.99};
    for (int i = 0; i < 3; ++i) {
        tact_world *world = tact_world_create(NULL);
        tact_shape *wall = tact_box(1, 10, 10), *ball = tact_sphere(0.5);
        for (int side = -1; side <= 1; side += 2)
            (void)tact_body_create(world, &(tact_body_def){.shape = wall,
                                                           .transform = tact_at(2.0 * side, 0, 0),
                                                           .motion = tact_motion_linear(-side, 0, 0)});
        const tact_body_def between = {.shape = ball, .density = 1.0, .motion = tact_motion_linear(3, 0, 0)};
        (void)tact_body_create(world, &between);
        int touches = 0;
        tact_event e;
        for (; tact_world_next_event(world, 2.0, &e) == TACT_EVENT_TOUCH && touches < 1000; ++touches)
            assert_int_equal(tact_world_bounce(world, &e, restitutions[i]), TACT_OK);
        assert_int_equal(e.status, TACT_OK);
        assert_in_range(touches, 65, 300);
        assert_true(tact_world_get_time(world) == 2.0);
        tact_world_release(world);
        tact_shape_release(wall);
        tact_shape_release(ball);
    }
}

/* The motion of a ball after its impact with a wall, relative to `frame`, in which both have moved in addition. */
static tact_motion bounce_in_frame(uint64_t seed, tact_vec3 frame)
{
    random_source r = random_seed(seed);
    tact_world *world = new_world(vec_make(0.0, 0.0, 0.0), true);
    const double friction = random_range(&r, 0.01, 1.0), restitution = random_unit(&r);
    const tact_body wall = put(world, tact_box(1.0, 4.0, 4.0), tact_at(-0.5, 0.0, 0.0), 0.0, friction, restitution);
    const tact_body ball = put(world, tact_sphere(0.5), tact_at(1.0, 0.0, 0.0), 1.0, friction, restitution);
    tact_vec3 velocity = {-1.0, 0.0, 0.0};
    velocity.y = random_range(&r, -1.0, 1.0);
    velocity.z = random_range(&r, -1.0, 1.0);
    const tact_vec3 spin = vec_scale(random_direction(&r), random_range(&r, 0.0, 3.0));
    set_motion(world, wall, (tact_motion){.velocity = frame});
    set_motion(world, ball, (tact_motion){.velocity = vec_add(frame, velocity), .spin = spin});
    step(world, 1.0);
    tact_motion after = tact_body_get_motion(world, ball);
    after.velocity = vec_sub(after.velocity, frame);
    assert_true(after.velocity.x > 0.99 * restitution);
    tact_world_release(world);
    return after;
}

/* A wall that moves does work: the energy of the ball counts relative to it. */
static void impacts_with_friction_are_the_same_in_a_moving_frame(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(50); ++seed) {
        random_source r = random_seed(seed + (UINT64_C(2) << 32));
        const tact_vec3 frame = vec_scale(random_direction(&r), random_range(&r, 0.0, 3.0)), none = {0.0, 0.0, 0.0};
        const tact_motion still = bounce_in_frame(seed, none), moving = bounce_in_frame(seed, frame);
        CHECK(vec_length(vec_sub(still.velocity, moving.velocity)) < 1e-9 &&
                  vec_length(vec_sub(still.spin, moving.spin)) < 1e-9,
              "%g %g %g at rest, %g %g %g moving", still.velocity.x, still.velocity.y, still.velocity.z,
              moving.velocity.x, moving.velocity.y, moving.velocity.z);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(racks_break_symmetrically),
        cmocka_unit_test(racks_hit_aside_keep_energy),
        cmocka_unit_test(rows_pass_an_impact_on),
        cmocka_unit_test(inelastic_rows_move_on_together),
        cmocka_unit_test(simultaneous_touches_are_one_impact),
        cmocka_unit_test(touches_of_a_body_that_is_displaced_are_dropped),
        cmocka_unit_test(a_fresh_world_has_no_closing_speed),
        cmocka_unit_test(a_heavy_body_meets_a_light_one_at_a_wall),
        cmocka_unit_test(blocks_of_boxes_keep_momentum),
        cmocka_unit_test(walls_that_close_in_do_not_stop_the_time),
        cmocka_unit_test(impacts_with_friction_are_the_same_in_a_moving_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
