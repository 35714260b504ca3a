/* A world through continuous time: single cases with known answers, and what must not happen. Random worlds are in
 * internal_advance.c. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <tact/tact.h>

#include "advance/advance.h"
#include "oracle/advance_check.h"
#include "oracle/dice.h"
#include "support/failing_allocator.h"

/* How pairs are found: each test runs with every engine. */
static tact_kinetic kinetic;

static tact_world *new_world(void)
{
    const tact_world_def def = {.kinetic = kinetic};
    return tact_world_create(&def);
}

static tact_body add(tact_world *world, const tact_shape *shape, tact_transform place, tact_motion motion)
{
    const tact_body_def def = {.shape = shape, .transform = place, .motion = motion};
    const tact_body body = tact_body_create(world, &def);
    assert_true(body.generation != 0);
    return body;
}

static bool same(tact_body a, tact_body b) { return a.index == b.index && a.generation == b.generation; }

/* The next event is a touch of these two at that time. */
static void expect(tact_world *world, double until, double time, double slack, tact_body a, tact_body b)
{
    tact_event e;
    assert_int_equal(tact_world_next_event(world, until, &e), TACT_EVENT_TOUCH);
    assert_int_equal(e.status, TACT_OK);
    assert_true(fabs(e.time - time) <= slack);
    assert_true(same(e.a, a) && same(e.b, b));
}

static void expect_nothing(tact_world *world, double until)
{
    tact_event e;
    assert_int_equal(tact_world_next_event(world, until, &e), TACT_EVENT_NONE);
    assert_int_equal(e.status, TACT_OK);
    assert_true(e.time == until && tact_world_get_time(world) == until);
    assert_true(tact_advance_check(world));
}

static double dot(tact_vec3 a, tact_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/* ---- the beginning ---- */

/* For balls, boxes and meshes alike: `a` of half extent 1 at 0, `b` likewise at `x`, moving at `v`. */
static void begin_case(tact_shape *shape, double x, double v, int touches)
{
    tact_world *world = new_world();
    const tact_body a = add(world, shape, tact_identity(), tact_motion_still());
    const tact_body b = add(world, shape, tact_at(x, 0.0, 0.0), tact_motion_linear(v, 0.0, 0.0));
    if (touches > 0)
        expect(world, 0.0, 0.0, 0.0, a, b);
    expect_nothing(world, 0.0);
    expect_nothing(world, 10.0);
    tact_world_release(world);
}

static tact_shape *cube_mesh(bool solid)
{
    static const tact_vec3 corners[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                         {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
    static const uint32_t triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                           2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){corners, 8, 0, TACT_SCALAR_DOUBLE};
    def.indices = triangles;
    def.index_count = 36;
    def.solid = solid;
    return tact_mesh_create(&def, NULL);
}

static void what_overlaps_at_the_beginning_is_reported_then(void **state)
{
    (void)state;
    tact_shape *shapes[4] = {tact_sphere(1.0), tact_box(2.0, 2.0, 2.0), cube_mesh(true), cube_mesh(false)};
    for (int i = 0; i < 4; ++i) {
        begin_case(shapes[i], 1.0, 1.0, 1);   /* overlaps, parting */
        begin_case(shapes[i], 1.0, -0.01, 1); /* overlaps, closing */
        begin_case(shapes[i], 2.0, 1.0, 0);   /* touches, parting */
        begin_case(shapes[i], 2.0, -0.1, 1);  /* touches, closing */
        begin_case(shapes[i], 2.0, 0.0, 0);   /* nobody moves */
        begin_case(shapes[i], 1.0, 0.0, 0);
        begin_case(shapes[i], 2.0 + 1e-13, 1.0, 0);
        begin_case(shapes[i], 2.0 - 1e-13, 1.0, 0);
        begin_case(shapes[i], 2.1, 1.0, 0);
        tact_shape_release(shapes[i]);
    }
}

/* A plank through a wall: one touch, and another when it returns; two for an open surface mesh with a hole. */
static void an_overlapping_pair_is_reported_again_after_separation(void **state)
{
    (void)state;
    tact_world *world = new_world();
    tact_shape *block = tact_box(2.0, 2.0, 2.0), *ball = tact_sphere(0.25), *surface = cube_mesh(false);
    const tact_body a = add(world, block, tact_identity(), tact_motion_still());
    const tact_body b = add(world, ball, tact_at(-3.25, 0.0, 0.0), tact_motion_linear(1.0, 0.0, 0.0));
    expect(world, 9.0, 2.0, 1e-9, a, b);
    expect_nothing(world, 6.0);
    assert_int_equal(tact_body_set_motion(world, b, tact_motion_linear(-1.0, 0.0, 0.0)), TACT_OK);
    expect(world, 20.0, 6.0 + 1.5, 1e-9, a, b);
    /* within, the motion changes: nothing new */
    expect_nothing(world, 8.0);
    assert_int_equal(tact_body_set_motion(world, b, tact_motion_linear(0.0, 0.5, 0.0)), TACT_OK);
    expect_nothing(world, 20.0);
    tact_body_remove(world, a);
    tact_body_remove(world, b);
    const tact_body c = add(world, surface, tact_identity(), tact_motion_still());
    const tact_body d = add(world, ball, tact_at(-3.25, 0.1, 0.1), tact_motion_linear(1.0, 0.0, 0.0));
    expect(world, 40.0, 20.0 + 2.0, 1e-9, c, d);
    expect(world, 40.0, 20.0 + 4.0, 1e-9, c, d); /* the other wall, from within */
    expect_nothing(world, 40.0);
    tact_world_release(world);
    tact_shape_release(block);
    tact_shape_release(ball);
    tact_shape_release(surface);
}

/* ---- refusing ---- */

static void refused_and_nothing_changed(tact_world *world, double until)
{
    tact_event e;
    const double time = tact_world_get_time(world), next = tact_world_get_next_time(world);
    assert_int_equal(tact_world_next_event(world, until, &e), TACT_EVENT_NONE);
    assert_int_equal(e.status, TACT_BAD_ARGUMENT);
    assert_true(tact_world_get_time(world) == time && tact_world_get_next_time(world) == next);
}

static void ask_within(void *context, const tact_contact *contact)
{
    (void)contact;
    refused_and_nothing_changed(context, 100.0);
}

static void bad_times_are_refused(void **state)
{
    (void)state;
    tact_event e;
    assert_int_equal(tact_world_next_event(NULL, 1.0, &e), TACT_EVENT_NONE);
    assert_int_equal(e.status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_next_event(NULL, 1.0, NULL), TACT_EVENT_NONE);
    assert_true(tact_world_get_time(NULL) == 0.0 && tact_world_get_next_time(NULL) == INFINITY);
    assert_int_equal(tact_world_sync_transforms(NULL), TACT_BAD_ARGUMENT);
    tact_world *world = new_world();
    refused_and_nothing_changed(world, -1.0);
    assert_int_equal(tact_world_next_event(world, 0.5, NULL), TACT_EVENT_NONE);
    assert_true(tact_world_get_next_time(world) == INFINITY);
    tact_shape *ball = tact_sphere(1.0);
    const tact_body a = add(world, ball, tact_identity(), tact_motion_still());
    const tact_body b = add(world, ball, tact_at(4.0, 0.0, 0.0), tact_motion_linear(-1.0, 0.0, 0.0));
    assert_true(tact_world_get_next_time(world) <= 0.5);
    refused_and_nothing_changed(world, 0.4);
    refused_and_nothing_changed(world, NAN);
    refused_and_nothing_changed(world, INFINITY);
    refused_and_nothing_changed(world, -INFINITY);
    expect(world, 100.0, 2.5, 1e-9, a, b);
    refused_and_nothing_changed(world, 2.4);
    expect_nothing(world, 3.0);
    tact_world_set_contact_callback(world, (tact_response){.callback = ask_within, .context = world});
    const tact_count count = tact_world_test(world);
    assert_true(count.status == TACT_OK && count.count == 1);
    expect_nothing(world, 100.0);
    tact_world_release(world);
    tact_shape_release(ball);
}

/* ---- bouncing ---- */

/* Equal masses exchange what they have along the normal; what stands still is a wall. */
static void bounce(tact_world *world, const tact_event *e, bool wall)
{
    tact_motion a = tact_body_get_motion(world, e->a), b = tact_body_get_motion(world, e->b);
    const tact_vec3 n = e->normal;
    const double closing = dot(n, a.velocity) - dot(n, b.velocity), part = wall ? 2.0 * closing : closing;
    a.velocity = (tact_vec3){a.velocity.x - part * n.x, a.velocity.y - part * n.y, a.velocity.z - part * n.z};
    if (!wall)
        b.velocity = (tact_vec3){b.velocity.x + part * n.x, b.velocity.y + part * n.y, b.velocity.z + part * n.z};
    else if (dot(b.velocity, b.velocity) > 0.0)
        fail();
    assert_int_equal(tact_body_set_motion(world, e->a, a), TACT_OK);
    if (!wall)
        assert_int_equal(tact_body_set_motion(world, e->b, b), TACT_OK);
}

enum { GAS = 60 };

static void a_gas_keeps_its_energy_and_stays_in_its_box(void **state)
{
    (void)state;
    tact_world *world = new_world();
    tact_shape *ball = tact_sphere(0.3), *wall = tact_box(12.0, 12.0, 1.0);
    tact_body balls[GAS];
    dice d = dice_for(1, 31, 0);
    double energy = 0.0;
    for (int i = 0; i < GAS; ++i) {
        const tact_vec3 v = {dice_normal(&d), dice_normal(&d), dice_normal(&d)};
        energy += dot(v, v);
        balls[i] =
            add(world, ball, tact_at(i % 4 - 1.5, i / 4 % 4 - 1.5, i / 16 - 1.5), tact_motion_linear(v.x, v.y, v.z));
    }
    for (int k = 0; k < 6; ++k) { /* the inside reaches from -3 to 3 */
        const double at = k < 3 ? -3.5 : 3.5;
        const tact_quat turn = k % 3 == 0   ? (tact_quat){0.0, sqrt(0.5), 0.0, sqrt(0.5)}
                               : k % 3 == 1 ? (tact_quat){sqrt(0.5), 0.0, 0.0, sqrt(0.5)}
                                            : (tact_quat){0.0, 0.0, 0.0, 1.0};
        (void)add(world, wall,
                  tact_transform_make((tact_vec3){k % 3 == 0 ? at : 0.0, k % 3 == 1 ? at : 0.0, k % 3 == 2 ? at : 0.0},
                                      turn, (tact_vec3){1.0, 1.0, 1.0}),
                  tact_motion_still());
    }
    const int collisions = getenv("TACT_TEST_LONG") != NULL ? 100000 : 10000;
    int walls = 0;
    for (int i = 0; i < collisions; ++i) {
        tact_event e;
        assert_int_equal(tact_world_next_event(world, 1e6, &e), TACT_EVENT_TOUCH);
        const tact_motion b = tact_body_get_motion(world, e.b);
        const bool is_wall = dot(b.velocity, b.velocity) == 0.0;
        walls += is_wall;
        bounce(world, &e, is_wall);
        if (i % 500 == 0) {
            double now = 0.0;
            for (int k = 0; k < GAS; ++k) {
                const tact_motion m = tact_body_get_motion(world, balls[k]);
                const tact_vec3 p = tact_body_get_transform(world, balls[k]).origin;
                now += dot(m.velocity, m.velocity);
                assert_true(fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) <= 3.0 - 0.3 + 1e-9);
                for (int j = 0; j < k; ++j) {
                    const tact_vec3 q = tact_body_get_transform(world, balls[j]).origin;
                    const tact_vec3 o = {p.x - q.x, p.y - q.y, p.z - q.z};
                    assert_true(dot(o, o) >= 0.36 - 1e-9);
                }
            }
            assert_true(fabs(now - energy) <= 1e-12 * energy);
            assert_true(tact_advance_check(world));
        }
    }
    assert_true(walls > collisions / 10 && walls < collisions);
    tact_world_release(world);
    tact_shape_release(ball);
    tact_shape_release(wall);
}

/* The ball that comes stops, the last one leaves: at the times and places that arithmetic gives. `gap`: between those
 * that stand. */
static void cradle(double gap)
{
    enum { BALLS = 6 };
    tact_world *world = new_world();
    tact_shape *ball = tact_sphere(0.5);
    tact_body balls[BALLS];
    balls[0] = add(world, ball, tact_at(-2.0, 0.0, 0.0), tact_motion_linear(1.0, 0.0, 0.0));
    for (int i = 1; i < BALLS; ++i)
        balls[i] = add(world, ball, tact_at((i - 1) * (1.0 + gap), 0.0, 0.0), tact_motion_still());
    double time = 1.0;
    for (int i = 1; i < BALLS; ++i, time += gap) {
        tact_event e;
        assert_int_equal(tact_world_next_event(world, 100.0, &e), TACT_EVENT_TOUCH);
        assert_true(same(e.a, balls[i - 1]) && same(e.b, balls[i]));
        assert_true(fabs(e.time - time) <= 1e-12);
        assert_true(fabs(e.normal.x - 1.0) < 1e-15);
        bounce(world, &e, false);
    }
    expect_nothing(world, 10.0);
    for (int i = 0; i < BALLS; ++i) {
        const tact_motion m = tact_body_get_motion(world, balls[i]);
        assert_true(m.velocity.x == (i == BALLS - 1 ? 1.0 : 0.0) && m.velocity.y == 0.0);
    }
    tact_world_release(world);
    tact_shape_release(ball);
}

static void newtons_cradle(void **state)
{
    (void)state;
    cradle(0.25);
    cradle(0.0);
}

/* Bodies made in another order than their places: equal times go by the order of making. */
static void simultaneous_touches_come_in_the_order_of_making(void **state)
{
    (void)state;
    enum { PAIRS = 4 };
    static const double x[PAIRS] = {3.0, -3.0, 3.0, -3.0}, z[PAIRS] = {3.0, 3.0, -3.0, -3.0};
    tact_shape *shapes[2] = {tact_sphere(0.5), tact_box(1.0, 1.0, 1.0)};
    for (int k = 0; k < 4; ++k) { /* balls and boxes, on balls and boxes */
        tact_world *world = new_world();
        tact_body below[PAIRS], drop[PAIRS], gone[3];
        for (int i = 0; i < 3; ++i)
            gone[i] = add(world, shapes[0], tact_at(50.0 + 3.0 * i, 0.0, 0.0), tact_motion_linear(1.0, 0.0, 0.0));
        expect_nothing(world, 0.25);
        for (int i = 0; i < 3; ++i)
            tact_body_remove(world, gone[i]);
        assert_int_equal(tact_world_test(world).status, TACT_OK); /* their indices are free now */
        for (int i = 0; i < PAIRS; ++i)
            below[i] = add(world, shapes[k / 2], tact_at(x[i], 0.0, z[i]), tact_motion_still());
        for (int i = PAIRS; i-- > 0;)
            drop[i] = add(world, shapes[k % 2], tact_at(x[i], 2.0, z[i]), tact_motion_linear(0.0, -1.0, 0.0));
        for (int i = 0; i < PAIRS; ++i)
            expect(world, 1.25, 1.25, 1e-9, below[i], drop[i]);
        expect_nothing(world, 1.5);
        tact_world_release(world);
    }
    tact_shape_release(shapes[0]);
    tact_shape_release(shapes[1]);
}

/* ---- progress ---- */

/* A body meets two others within one unit of time, or a little more: each touch is reported once. After the first
 * report the next touch is so near that a search on the path to it cannot see whether the pair closes. */
static void two_touches_within_a_rounding_are_reported_once_each(void **state)
{
    (void)state;
    tact_shape *shapes[4] = {tact_sphere(1.0), tact_box(2.0, 2.0, 2.0), cube_mesh(true), cube_mesh(false)};
    for (int i = 0; i < 4 * 64; ++i) {
        tact_world *world = new_world();
        const tact_shape *shape = shapes[i % 4];
        const double gap = ldexp(1.0, -50 + 2 * (i / 16)), speed = i & 4 ? 0.7 : 3.0;
        (void)add(world, shape, tact_at(5.25 + (i & 8 ? gap : 0.0), 1.25, 0.25), tact_motion_still());
        (void)add(world, shape, tact_at(5.25 + (i & 8 ? 0.0 : gap), -1.25, 0.25), tact_motion_still());
        (void)add(world, shape, tact_identity(), tact_motion_linear(speed, 0.0, 0.0));
        int reported[2] = {0, 0};
        tact_event e;
        while (tact_world_next_event(world, 4.0 / speed, &e) == TACT_EVENT_TOUCH)
            ++reported[e.a.index != 0];
        assert_true(e.status == TACT_OK && reported[0] == 1 && reported[1] == 1);
        assert_true(tact_advance_check(world));
        tact_world_release(world);
    }
    for (int i = 0; i < 4; ++i)
        tact_shape_release(shapes[i]);
}

/* Three in touch that close on each other, and a response that changes motions, but for nothing: it comes to an end. */
static void a_response_that_makes_no_progress_cannot_hold_the_time(void **state)
{
    (void)state;
    tact_shape *shapes[3] = {tact_sphere(0.5), tact_box(1.0, 1.0, 1.0), tact_cylinder(0.5, 1.0)};
    for (int k = 0; k < 3; ++k) {
        tact_world *world = new_world();
        for (int i = 0; i < 5; ++i)
            (void)add(world, shapes[k], tact_at(i, 0.0, 0.0), tact_motion_linear(-1.0 * i, 0.0, 0.0));
        tact_event e;
        const double until = long_form() ? 1e-6 : quick_form() ? 5e-8 : 2e-7;
        long events = 0;
        while (tact_world_next_event(world, until, &e) == TACT_EVENT_TOUCH) {
            const tact_motion a = tact_body_get_motion(world, e.a), b = tact_body_get_motion(world, e.b);
            assert_int_equal(tact_body_set_motion(world, e.a, a), TACT_OK);
            assert_int_equal(tact_body_set_motion(world, e.b, b), TACT_OK);
            assert_true(++events < 20000);
        }
        assert_true(e.status == TACT_OK && e.time == until && events >= 4);
        tact_world_release(world);
        tact_shape_release(shapes[k]);
    }
}

/* A point among few or many bodies: its margin does not depend on its size alone, which is one unit of roundoff. */
static void a_point_takes_few_fat_bounds(void **state)
{
    (void)state;
    tact_shape *block = tact_box(2.0, 2.0, 2.0);
    for (int count = 1; count <= 32; count *= 2) {
        tact_shape *point = tact_point(count % 3 == 1 ? (tact_vec3){0.0, 0.0, 0.0} : (tact_vec3){0.3, 0.2, 0.1});
        tact_world *world = new_world();
        for (int i = 0; i < count; ++i)
            (void)add(world, block, tact_at(0.01 * i, 0.0, 0.0), tact_motion_still());
        (void)add(world, point, tact_at(-2.0, 0.1, 0.2), tact_motion_linear(1.0, 0.01, 0.0));
        tact_event e;
        int touches = 0;
        while (tact_world_next_event(world, 2.9, &e) == TACT_EVENT_TOUCH)
            ++touches;
        assert_true(e.status == TACT_OK && touches == count);
        assert_true(world->advance->effort.refits < 2000);
        assert_true(tact_advance_check(world));
        tact_world_release(world);
        tact_shape_release(point);
    }
    tact_shape_release(block);
}

/* However fast a body is, its bound lasts beyond now, and a wall is not passed. */
static void fast_bodies_meet_walls(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(1.0), *wall = tact_box(1.0, 10.0, 10.0), *cube = cube_mesh(true);
    for (int k = 0; k < 3; ++k)
        for (int power = 0; power <= 60; power += 12) {
            tact_world *world = new_world();
            const double speed = pow(10.0, power);
            const tact_body a = add(world, k == 2 ? cube : wall, tact_at(1e3, 0.0, 0.0), tact_motion_still());
            const tact_body b = add(world, k == 0 ? ball : cube, tact_identity(), tact_motion_linear(speed, 0.0, 0.0));
            tact_event e;
            assert_int_equal(tact_world_next_event(world, 2e3, &e), TACT_EVENT_TOUCH);
            assert_true(same(e.a, a) && same(e.b, b) && e.time <= 1e3 / speed && e.time >= 0.9e3 / speed);
            assert_int_equal(tact_world_next_event(world, 1e9 / speed + 2e3 / speed, &e), TACT_EVENT_NONE);
            assert_int_equal(e.status, TACT_OK);
            tact_world_release(world);
        }
    /* late in a long day */
    tact_world *world = new_world();
    const tact_body a = add(world, wall, tact_at(10.0, 0.0, 0.0), tact_motion_still());
    const tact_body b = add(world, ball, tact_identity(), tact_motion_still());
    expect_nothing(world, 1e9);
    for (int i = 0; i < 100; ++i) {
        assert_int_equal(tact_body_set_motion(world, b, tact_motion_linear(1e3, 0.0, 0.0)), TACT_OK);
        tact_event e;
        assert_int_equal(tact_world_next_event(world, 2e9, &e), TACT_EVENT_TOUCH);
        assert_true(same(e.a, a) && same(e.b, b));
        assert_true(fabs(tact_body_get_transform(world, b).origin.x - 8.5) < 1e-3);
        assert_int_equal(tact_body_set_motion(world, b, tact_motion_linear(-1e3, 0.0, 0.0)), TACT_OK);
        assert_int_equal(tact_world_next_event(world, e.time + 1e-2, &e), TACT_EVENT_NONE);
    }
    tact_world_release(world);
    tact_shape_release(ball);
    tact_shape_release(wall);
    tact_shape_release(cube);
}

/* A support function that gives no numbers from some call on. */
typedef struct moody {
    bool bad;
} moody;

static tact_vec3 moody_support(void *context, tact_vec3 n)
{
    const moody *m = context;
    const double l = sqrt(dot(n, n));
    return m->bad ? (tact_vec3){NAN, NAN, NAN} : (tact_vec3){n.x / l, n.y / l, n.z / l};
}

static void a_query_that_fails_is_reported_and_asked_again(void **state)
{
    (void)state;
    moody mood = {false};
    tact_world *world = new_world();
    tact_shape *custom = tact_custom(moody_support, &mood, 1.0), *ball = tact_sphere(1.0);
    const tact_body a = add(world, custom, tact_identity(), tact_motion_still());
    const tact_body b = add(world, ball, tact_at(9.0, 0.0, 0.0), tact_motion_linear(-1.0, 0.0, 0.0));
    expect_nothing(world, 0.5);
    mood.bad = true;
    tact_event e;
    assert_int_equal(tact_world_next_event(world, 100.0, &e), TACT_EVENT_NONE);
    assert_true(e.status != TACT_OK && e.time < 100.0);
    mood.bad = false;
    expect(world, 100.0, 7.0, 1e-9, a, b);
    tact_world_release(world);
    tact_shape_release(custom);
    tact_shape_release(ball);
}

/* ---- changes ---- */

static void a_body_that_reuses_a_reported_index_is_reported_too(void **state)
{
    (void)state;
    tact_shape *shapes[2] = {tact_sphere(1.0), tact_box(2.0, 2.0, 2.0)};
    for (int k = 0; k < 2; ++k) {
        tact_world *world = new_world();
        const tact_body a = add(world, shapes[k], tact_identity(), tact_motion_linear(0.5, 0.0, 0.0));
        tact_body b = add(world, shapes[k], tact_at(4.0, 0.0, 0.0), tact_motion_linear(-0.5, 0.0, 0.0));
        expect(world, 9.0, 2.0, 1e-9, a, b);
        tact_body_remove(world, b);
        assert_int_equal(tact_world_test(world).status, TACT_OK);
        b = add(world, shapes[k], tact_at(2.5, 0.0, 0.0), tact_motion_linear(-0.5, 0.0, 0.0));
        expect(world, 9.0, 2.0, 1e-9, a, b);
        expect_nothing(world, 9.0);
        tact_world_release(world);
        tact_shape_release(shapes[k]);
    }
}

static void shapes_filters_and_deformations_between_events(void **state)
{
    (void)state;
    tact_world *world = new_world();
    tact_shape *small = tact_sphere(0.5), *large = tact_sphere(1.5), *cube = cube_mesh(true);
    const tact_body a = add(world, cube, tact_identity(), tact_motion_still());
    const tact_body b = add(world, small, tact_at(11.0, 0.0, 0.0), tact_motion_linear(-1.0, 0.0, 0.0));
    expect_nothing(world, 2.0);
    /* at 9 now; its surface comes earlier by 1 with the larger shape */
    assert_int_equal(tact_body_set_shape(world, b, large), TACT_OK);
    assert_true(tact_body_get_transform(world, b).origin.x == 9.0);
    expect_nothing(world, 8.0);
    assert_int_equal(tact_body_set_filter(world, b, 1, 2), TACT_OK);
    assert_int_equal(tact_body_set_filter(world, a, 1, 2), TACT_OK);
    expect_nothing(world, 9.0);
    /* 0.5 deep by now */
    assert_int_equal(tact_body_set_filter(world, a, 2, 1), TACT_OK);
    expect(world, 10.0, 9.0, 0.0, a, b);
    assert_int_equal(tact_body_set_transform(world, b, tact_at(11.0, 0.0, 0.0)), TACT_OK);
    expect_nothing(world, 9.5);
    /* the mesh grows towards it: at 10.5 now, that is 9.0 of its surface */
    assert_int_equal(tact_body_make_deformable(world, a), TACT_OK);
    tact_vec3 corners[8];
    assert_int_equal(tact_body_get_vertices(world, a, corners, 8), 8);
    for (int i = 0; i < 8; ++i)
        corners[i].x *= 5.0;
    assert_int_equal(tact_body_deform(world, a, (tact_vertices){corners, 8, 0, TACT_SCALAR_DOUBLE}), TACT_OK);
    expect(world, 20.0, 9.5 + 4.0, 1e-9, a, b);
    /* one that moves is deformed where it is */
    assert_int_equal(tact_body_set_motion(world, b, tact_motion_still()), TACT_OK);
    assert_int_equal(tact_body_set_transform(world, b, tact_at(40.0, 0.0, 0.0)), TACT_OK);
    assert_int_equal(tact_body_set_motion(world, a, tact_motion_linear(1.0, 0.0, 0.0)), TACT_OK);
    expect_nothing(world, 13.5 + 10.0);
    for (int i = 0; i < 8; ++i)
        corners[i].x *= 2.0;
    assert_int_equal(tact_body_deform(world, a, (tact_vertices){corners, 8, 0, TACT_SCALAR_DOUBLE}), TACT_OK);
    assert_true(fabs(tact_body_get_transform(world, a).origin.x - 10.0) < 1e-9);
    expect(world, 100.0, 13.5 + 28.5, 1e-8, a, b);
    tact_world_release(world);
    tact_shape_release(small);
    tact_shape_release(large);
    tact_shape_release(cube);
}

static void count_call(void *context, const tact_contact *contact)
{
    (void)contact;
    ++*(int *)context;
}

static void tests_and_searches_see_bodies_where_they_are(void **state)
{
    (void)state;
    tact_world *world = new_world();
    tact_shape *ball = tact_sphere(1.0);
    int calls = 0;
    const tact_body a = add(world, ball, tact_identity(), tact_motion_still());
    const tact_body b = add(world, ball, tact_at(10.0, 0.0, 0.0), tact_motion_linear(-1.0, 0.0, 0.0));
    tact_world_set_contact_callback(world, (tact_response){.callback = count_call, .context = &calls});
    assert_true(tact_world_test(world).count == 0);
    expect(world, 100.0, 8.0, 1e-9, a, b);
    expect_nothing(world, 9.0);
    assert_true(tact_world_test(world).count == 1 && calls == 1);
    assert_true(fabs(tact_body_get_bounds(world, b).max.x - 2.0) < 1e-6);
    /* it stops, which the broad phase of tests has to learn as well */
    expect_nothing(world, 21.0);
    assert_int_equal(tact_body_set_motion(world, b, tact_motion_still()), TACT_OK);
    expect_nothing(world, 22.0);
    assert_int_equal(tact_world_sync_transforms(world), TACT_OK);
    assert_true(fabs(tact_body_get_bounds(world, b).max.x + 10.0) < 1e-6);
    assert_true(tact_world_test(world).count == 0);
    /* catching up changes no event */
    assert_int_equal(tact_body_set_motion(world, b, tact_motion_linear(1.0, 0.0, 0.0)), TACT_OK);
    expect_nothing(world, 25.0);
    assert_int_equal(tact_world_sync_transforms(world), TACT_OK);
    expect(world, 100.0, 22.0 + 9.0, 1e-9, a, b);
    tact_world_release(world);
    tact_shape_release(ball);
}

/* ---- responses ---- */

typedef struct diary {
    double times[8];
    tact_body first[8];
    int count;
    bool bounces, releases, asks;
} diary;

static void write_down(void *context, const tact_contact *c)
{
    diary *d = context;
    assert_non_null(c->event);
    assert_true(c->event->time == tact_world_get_time(c->world) && same(c->event->a, c->a) && same(c->event->b, c->b));
    if (c->want == TACT_CONTACTS) {
        assert_true(c->manifold != NULL && fabs(c->depth) < 1e-9);
        assert_true(dot(c->normal, c->event->normal) > 1.0 - 1e-9);
        const tact_vec3 apart = {c->point.x - c->event->point.x, c->point.y - c->event->point.y,
                                 c->point.z - c->event->point.z};
        assert_true(dot(apart, apart) < 1e-16);
    }
    d->times[d->count] = c->event->time;
    d->first[d->count++] = c->a;
    if (d->asks) { /* neither a test nor time within a response */
        tact_event e;
        assert_int_equal(tact_world_next_event(c->world, 1e3, &e), TACT_EVENT_NONE);
        assert_int_equal(e.status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_world_advance(c->world, 1e3).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_world_test(c->world).status, TACT_BAD_ARGUMENT);
    }
    if (d->bounces)
        assert_int_equal(tact_world_bounce(c->world, c->event, 1.0), TACT_OK);
    if (d->releases)
        tact_world_release(c->world);
}

/* Two balls between two walls, the right one on its path to the left. */
static tact_world *lane(diary *d, tact_want want, tact_body bodies[4])
{
    tact_world *world = new_world();
    tact_shape *ball = tact_sphere(1.0), *wall = tact_box(2.0, 20.0, 20.0);
    bodies[0] = add(world, wall, tact_at(-6.0, 0.0, 0.0), tact_motion_still());
    bodies[1] = add(world, wall, tact_at(6.0, 0.0, 0.0), tact_motion_still());
    bodies[2] = add(world, ball, tact_at(-2.0, 0.0, 0.0), tact_motion_still());
    bodies[3] = add(world, ball, tact_at(2.0, 0.0, 0.0), tact_motion_linear(-1.0, 0.0, 0.0));
    for (int i = 2; i < 4; ++i)
        assert_int_equal(tact_body_set_mass(world, bodies[i], 1.0), TACT_OK);
    assert_int_equal(
        tact_world_set_contact_callback(world, (tact_response){.want = want, .callback = write_down, .context = d}),
        TACT_OK);
    tact_shape_release(wall);
    tact_shape_release(ball);
    return world;
}

static void responses_are_called_in_order(void **state)
{
    (void)state;
    const tact_want wants[] = {TACT_NOTHING, TACT_WITNESS, TACT_CONTACTS};
    for (int k = 0; k < 3; ++k) {
        diary d = {.bounces = true, .asks = true};
        tact_body b[4];
        tact_world *world = lane(&d, wants[k], b);
        /* ball, wall, ball, wall: the blow goes to and fro */
        const double times[] = {2.0, 4.0, 6.0, 10.0};
        const tact_body first[] = {b[2], b[0], b[2], b[1]};
        tact_count done = tact_world_advance(world, 7.0);
        assert_true(done.status == TACT_OK && done.count == 3 && tact_world_get_time(world) == 7.0);
        done = tact_world_advance(world, 10.5);
        assert_true(done.status == TACT_OK && done.count == 1 && d.count == 4);
        for (int i = 0; i < 4; ++i)
            assert_true(fabs(d.times[i] - times[i]) < 1e-9 && same(d.first[i], first[i]));
        tact_world_release(world);
    }
}

static void pairs_without_callback_pass_through(void **state)
{
    (void)state;
    diary d = {0};
    tact_body b[4];
    tact_world *world = lane(&d, TACT_NOTHING, b);
    assert_int_equal(tact_pair_set_contact_callback(world, b[2], b[3], (tact_response){0}), TACT_OK);
    const tact_count done = tact_world_advance(world, 8.0);
    assert_true(done.status == TACT_OK && done.count == 1 &&
                d.count == 1); /* the wall; the touch with the other ball is not reported */
    assert_true(same(d.first[0], b[0]) && fabs(d.times[0] - 6.0) < 1e-9);
    assert_int_equal(tact_world_advance(world, 7.0).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_advance(NULL, 7.0).status, TACT_BAD_ARGUMENT);
    assert_true(tact_world_get_time(world) == 8.0);
    tact_world_release(world);
}

static void a_response_may_give_up_the_world(void **state)
{
    (void)state;
    diary d = {.releases = true};
    tact_body b[4];
    const tact_count done = tact_world_advance(lane(&d, TACT_NOTHING, b), 100.0);
    assert_true(done.status == TACT_OK && done.count == 1 && d.count == 1);
}

/* ---- saving ---- */

/* What is saved is the world as it is now; its time begins anew. */
static void a_saved_world_is_the_one_of_now(void **state)
{
    (void)state;
    tact_world *world = new_world();
    tact_shape *ball = tact_sphere(1.0);
    const tact_body a = add(world, ball, tact_identity(), tact_motion_still());
    const tact_motion fall = {.velocity = {-1.0, 0.0, 0.0}, .acceleration = {-0.5, 0.0, 0.0}};
    const tact_body b = add(world, ball, tact_at(10.0, 0.0, 0.0), fall);
    expect_nothing(world, 1.0);
    assert_int_equal(tact_body_set_motion(world, b, tact_body_get_motion(world, b)), TACT_OK);
    tact_bytes bytes = {0};
    assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
    tact_world_release(tact_world_restore(bytes.data, bytes.size, NULL, NULL));
    tact_bytes_release(&bytes);
    expect_nothing(world, 2.0);
    assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
    tact_report report;
    tact_world *again = tact_world_restore(bytes.data, bytes.size, NULL, &report);
    if (again == NULL)
        print_error("%s\n", report.text);
    assert_non_null(again);
    const tact_transform p = tact_body_get_transform(again, b);
    const tact_motion m = tact_body_get_motion(again, b);
    assert_true(p.origin.x == 7.0 && m.velocity.x == -2.0 && m.acceleration.x == -0.5);
    assert_true(tact_world_get_time(again) == 2.0);
    assert_true(tact_body_get_previous_transform(again, b).origin.x == 10.0);
    assert_int_equal(tact_world_store_previous(world), TACT_OK);
    assert_true(tact_body_get_previous_transform(world, b).origin.x == 7.0);
    const double when = 2.0 * (sqrt(9.0) - 2.0); /* 7 - 2 t - t^2 / 4 = 2 */
    expect(again, 9.0, 2.0 + when, 1e-9, a, b);
    expect(world, 9.0, 2.0 + when, 1e-9, a, b);
    tact_world_release(again);
    tact_world_release(world);
    tact_bytes_release(&bytes);
    tact_shape_release(ball);
}

/* A record holds the time. */
static void a_record_holds_where_bodies_have_got_to(void **state)
{
    (void)state;
    tact_world *world = new_world();
    tact_shape *ball = tact_sphere(1.0);
    tact_bytes bytes = {0};
    int calls = 0;
    const tact_body a = add(world, ball, tact_identity(), tact_motion_still());
    const tact_body b = add(world, ball, tact_at(10.0, 0.0, 0.0), tact_motion_linear(-1.0, 0.0, 0.0));
    expect_nothing(world, 1.0);
    tact_record *tape = tact_record_begin(world, tact_bytes_sink(&bytes), NULL, NULL);
    assert_non_null(tape);
    tact_world_set_contact_callback(world, (tact_response){.callback = count_call, .context = &calls});
    expect(world, 100.0, 8.0, 1e-9, a, b);
    expect_nothing(world, 9.0);
    assert_true(tact_world_test(world).count == 1);
    assert_int_equal(tact_body_set_motion(world, b, tact_motion_linear(0.0, 3.0, 0.0)), TACT_OK);
    expect_nothing(world, 10.0);
    assert_true(tact_world_test(world).count == 0);
    assert_int_equal(tact_record_end(tape, NULL), TACT_OK);
    tact_report report;
    tact_replay *replay = tact_replay_begin(bytes.data, bytes.size, NULL, &report);
    if (replay == NULL)
        print_error("%s\n", report.text);
    assert_non_null(replay);
    const tact_replay_state end = tact_replay_run(replay, &report);
    if (end != TACT_REPLAY_END)
        print_error("%s\n", report.text);
    assert_int_equal(end, TACT_REPLAY_END);
    const tact_vec3 p = tact_body_get_transform(tact_replay_get_world(replay), b).origin;
    const tact_vec3 q = tact_body_get_transform(world, b).origin;
    assert_true(p.x == q.x && p.y == q.y && q.y == 3.0);
    tact_replay_release(replay);
    tact_world_release(world);
    tact_bytes_release(&bytes);
    tact_shape_release(ball);
}

/* ---- memory ---- */

/* Twelve bodies that meet; each allocation fails once, and the stream is the same. */
static int stream_of(long fail_at, double *times, bool *failed)
{
    failing_allocator r = {0};
    const tact_world_def def = {.allocator = failing_allocator_make(&r), .kinetic = kinetic};
    tact_world *world = tact_world_create(&def);
    tact_shape *shapes[3] = {tact_sphere(0.6), tact_box(1.0, 1.0, 1.0), cube_mesh(false)};
    dice d = dice_for(3, 32, 0);
    for (int i = 0; i < 12; ++i) {
        const tact_vec3 p = {2.0 * dice_normal(&d), 2.0 * dice_normal(&d), 2.0 * dice_normal(&d)};
        (void)add(world, shapes[i % 3], tact_at(p.x, p.y, p.z), tact_motion_linear(-0.3 * p.x, -0.4 * p.y, -0.5 * p.z));
    }
    r.fail_at = fail_at > 0 ? r.calls + fail_at : 0;
    int count = 0;
    *failed = false;
    for (tact_event e;;) {
        if (tact_world_next_event(world, 10.0, &e) == TACT_EVENT_TOUCH) {
            times[count++] = e.time;
            assert_true(count < 200);
        } else if (e.status == TACT_OK) {
            break;
        } else {
            assert_int_equal(e.status, TACT_OUT_OF_MEMORY);
            assert_false(*failed);
            assert_true(tact_world_get_time(world) == (count > 0 ? times[count - 1] : 0.0) ||
                        tact_world_get_time(world) > (count > 0 ? times[count - 1] : 0.0));
            *failed = true;
        }
    }
    tact_world_release(world);
    assert_int_equal(r.held, 0);
    for (int i = 0; i < 3; ++i)
        tact_shape_release(shapes[i]);
    return count;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    double wanted[200], got[200];
    bool failed = true;
    const int count = stream_of(0, wanted, &failed);
    assert_true(count > 10 && !failed);
    long at = 1, failures = 0;
    for (failed = true; failed; ++at, failures += failed) {
        assert_int_equal(stream_of(at, got, &failed), count);
        assert_memory_equal(wanted, got, (size_t)count * sizeof *got);
    }
    assert_true(failures > 15);
}

/* A body that flies on after a bounce is scheduled, though the other body of the bounce was removed. */
static void a_bullet_may_vanish_when_it_hits(void **state)
{
    (void)state;
    tact_world *world = new_world();
    tact_shape *ball = tact_sphere(0.5);
    tact_event e;
    const tact_body b = add(world, ball, tact_identity(), tact_motion_linear(0.0, 1e-6, 0.0));
    const tact_body wall = add(world, ball, tact_at(5.0, 0.0, 0.0), tact_motion_still());
    const tact_body bullet = add(world, ball, tact_at(-100.0, 0.0, 0.0), tact_motion_linear(1.0, 0.0, 0.0));
    assert_int_equal(tact_body_set_mass(world, bullet, 1.0), TACT_OK);
    assert_int_equal(tact_body_set_mass(world, b, 1.0), TACT_OK);
    assert_int_equal(tact_world_next_event(world, 300.0, &e), TACT_EVENT_TOUCH);
    assert_int_equal(tact_world_bounce(world, &e, 1.0), TACT_OK);
    assert_int_equal(tact_body_remove(world, bullet), TACT_OK);
    expect(world, 300.0, 103.0, 1e-3, b, wall);
    tact_shape_release(ball);
    tact_world_release(world);
}

/* Half sizes do not describe boxes under transforms with scale and shear. */
static void spheres_meet_scaled_and_sheared_boxes(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(0.1), *wall = tact_box(2.0, 2.0, 2.0);
    const struct {
        tact_transform wall;
        tact_vec3 from, velocity;
    } cases[] = {
        {{{1, 0, 0}, {0, 0.5, 0}, {0, 0, 1}, {0, 0, 0}}, {-5.0, 0.9, 0.0}, {1.0, 0.0, 0.0}},
        {{{1, 0, 0}, {0, 1, 0}, {0, 0, 0.25}, {0, 0, 0}}, {-5.0, 0.0, 0.9}, {1.0, 0.0, 0.0}},
        {{{1, 0, 0}, {0, 1, 0}, {2, 0, 1}, {0, 0, 0}}, {1.5, 0.0, -0.9}, {0.2, 0.0, 1.0}},
        {{{1, 0, 0}, {0, 1, 0}, {0.5, 0, 1}, {0, 0, 0}}, {-5.0, 0.0, 0.5}, {1.0, 0.0, 0.0}},
        {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}}, {-5.0, 0.9, 0.9}, {1.0, 0.0, 0.0}},
        {{{0, 1, 0}, {0, 0, 3}, {0.5, 0, 0}, {0, 0, 0}}, {-5.0, 0.9, 2.9}, {1.0, 0.0, 0.0}},
    };
    int hits = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        tact_world *world = new_world();
        const tact_transform at = tact_at(cases[i].from.x, cases[i].from.y, cases[i].from.z);
        const tact_motion flight = tact_motion_linear(cases[i].velocity.x, cases[i].velocity.y, cases[i].velocity.z);
        const tact_body a = add(world, wall, cases[i].wall, tact_motion_still()), b = add(world, ball, at, flight);
        const tact_toi truth =
            tact_shapes_time_of_impact(wall, cases[i].wall, tact_motion_still(), ball, at, flight, 20.0);
        assert_int_equal(truth.status, TACT_OK);
        if (truth.state == TACT_HIT)
            expect(world, 20.0, truth.time, 1e-9, a, b);
        hits += truth.state == TACT_HIT;
        expect_nothing(world, 20.0);
        tact_world_release(world);
    }
    assert_true(hits > 2 && hits < 6);
    tact_shape_release(ball);
    tact_shape_release(wall);
}

/* From far away the time is as right as the coordinates allow, and what overlaps by more than that is not missed. */
static void distant_spheres_are_found_in_time(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(0.5);
    dice d = dice_for(11, 0, 0);
    for (int power = 1; power <= 7; ++power) {
        const double far = pow(10.0, power), slack = 32.0 * DBL_EPSILON * far;
        for (int i = 0; i < 40; ++i) {
            tact_vec3 direction = {dice_between(&d, -1.0, 1.0), dice_between(&d, -1.0, 1.0),
                                   dice_between(&d, 0.1, 1.0)};
            const double size = sqrt(dot(direction, direction));
            direction = (tact_vec3){direction.x / size, direction.y / size, direction.z / size};
            const tact_vec3 side = {direction.z / hypot(direction.z, direction.x), 0.0,
                                    -direction.x / hypot(direction.z, direction.x)};
            const double off = i % 2 == 0 ? dice_between(&d, 0.0, 0.9) : 1.0 - 100.0 * slack;
            tact_world *world = new_world();
            const tact_transform at = tact_at(off * side.x - far * direction.x, off * side.y - far * direction.y,
                                              off * side.z - far * direction.z);
            const tact_body a = add(world, ball, tact_identity(), tact_motion_still());
            const tact_body b = add(world, ball, at, tact_motion_linear(direction.x, direction.y, direction.z));
            const double dip = sqrt((1.0 - off) * (1.0 + off));
            expect(world, 2.0 * far, far - dip, i % 2 == 0 ? 10.0 * slack : 0.5 * dip + 10.0 * slack, a, b);
            tact_world_release(world);
        }
    }
    tact_shape_release(ball);
}

/* Two of a size, one on its path to the other at a speed: one touch, at the right time, with the right normal. */
static void meet_once(tact_shape *shape, double size, double speed, double begin)
{
    tact_world *world = new_world();
    tact_event e;
    if (begin > 0.0)
        assert_int_equal(tact_world_next_event(world, begin, &e), TACT_EVENT_NONE);
    const tact_body a = add(world, shape, tact_identity(), tact_motion_still());
    const tact_body b = add(world, shape, tact_at(-5.0 * size, 0.0, 0.0), tact_motion_linear(speed, 0.0, 0.0));
    const double time = begin + 3.0 * size / speed, end = begin + 20.0 * size / speed;
    const tact_event_kind kind = tact_world_next_event(world, fmin(end, 1e300), &e);
    const bool right = kind == TACT_EVENT_TOUCH && fabs(e.time - time) <= 1e-9 * (time - begin) + 1e-15 * begin &&
                       e.a.index == a.index && e.b.index == b.index && fabs(e.normal.x + 1.0) <= 1e-9;
    if (!right)
        fail_msg("size %g, speed %g, from %g: kind %d status %d time %g (%g) normal %g", size, speed, begin, kind,
                 e.status, e.time, time, e.normal.x);
    if (tact_world_next_event(world, fmin(end, 1e300), &e) != TACT_EVENT_NONE || e.status != TACT_OK)
        fail_msg("size %g, speed %g, from %g: again at %g, status %d", size, speed, begin, e.time, e.status);
    tact_world_release(world);
}

/* All sizes and speeds that advance.h speaks of; also those that are through each other before a rounding of the time
 * is over. */
static void all_sizes_and_speeds_are_met(void **state)
{
    (void)state;
    for (int size = -140; size <= 140; size += 28)
        for (int speed = -140; speed <= 140; speed += 28) {
            const double r = pow(10.0, size), v = pow(10.0, speed);
            tact_shape *shapes[] = {tact_sphere(r), tact_box(2.0 * r, 2.0 * r, 2.0 * r)};
            for (int i = 0; i < 2; ++i) {
                meet_once(shapes[i], r, v, 0.0);
                if (size - speed >= -70 && size - speed <= 70 && size < 130)
                    meet_once(shapes[i], r, v, 1e10 * r / v);
                if (size == 0 && speed >= 0 && speed < 140)
                    meet_once(shapes[i], r, v, 1e10);
                tact_shape_release(shapes[i]);
            }
        }
}

/* What flies out of the world meets nobody, and does not keep the others. Numbers beyond 1e150 are refused. */
static void a_body_out_of_range_touches_nothing(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(1.0), *crate = tact_box(2.0, 2.0, 2.0);
    for (int i = 0; i < 4; ++i) {
        tact_world *world = new_world();
        const tact_motion fast = {.velocity = {i % 2 == 0 ? 1e150 : 0.0, 0.0, 0.0},
                                  .acceleration = {i % 2 == 0 ? 0.0 : 1e149, 0.0, 0.0}};
        const tact_body f = add(world, i < 2 ? ball : crate, tact_at(-9.0, 0.0, 0.0), fast);
        const tact_body a = add(world, ball, tact_at(0.0, 5.0, 0.0), tact_motion_still());
        const tact_body b = add(world, ball, tact_at(-12.0, 5.0, 0.0), tact_motion_linear(1.0, 0.0, 0.0));
        expect(world, 20.0, 10.0, 1e-9, a, b);
        expect_nothing(world, 20.0);
        assert_int_equal(tact_world_sync_transforms(world), TACT_BAD_ARGUMENT); /* it is nowhere */
        assert_int_equal(tact_body_remove(world, f), TACT_OK);
        assert_int_equal(tact_world_sync_transforms(world), TACT_OK);
        tact_world_release(world);
    }
    tact_world *world = new_world();
    const tact_body a = add(world, ball, tact_identity(), tact_motion_linear(1.0, 2.0, 3.0));
    for (int i = 0; i < 3; ++i) {
        tact_motion motion = tact_motion_still();
        (i == 0 ? &motion.velocity : i == 1 ? &motion.acceleration : &motion.spin)->y = -1.1e150;
        assert_int_equal(tact_body_set_motion(world, a, motion), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_set_motion_plan(world, a, &(tact_motion_plan){.motion = motion, .until = 1.0}),
                         TACT_BAD_ARGUMENT);
        const tact_body_def def = {.shape = ball, .motion = motion};
        tact_body made;
        tact_report report;
        assert_int_equal(tact_body_create_many(world, &def, 1, &made, &report), TACT_BAD_ARGUMENT);
        assert_non_null(strstr(report.text, "the motion of body 0 holds a NaN, an infinity or a number beyond 1e150"));
    }
    assert_int_equal(
        tact_body_set_motion_plan(world, a, &(tact_motion_plan){.max_deviation_speed = 1.1e150, .min_interval = 1.0}),
        TACT_BAD_ARGUMENT);
    assert_true(tact_body_get_motion(world, a).velocity.y == 2.0 && tact_world_body_count(world) == 1);
    tact_world_release(world);
    tact_shape_release(ball);
    tact_shape_release(crate);
}

/* Radii of all sizes, and none at all. */
static void balls_of_any_size_are_met(void **state)
{
    (void)state;
    const double radii[] = {0.0, 5e-324, 1e-300, 1e-30, 1e-10, 1e30};
    for (size_t i = 0; i < sizeof radii / sizeof radii[0]; ++i) {
        const double r = radii[i], away = r > 1e-200 ? r : 1.0;
        tact_world *world = new_world();
        tact_shape *ball = tact_sphere(r), *target = tact_sphere(away);
        const tact_body a = add(world, target, tact_identity(), tact_motion_still());
        const tact_body b = add(world, ball, tact_at(-5.0 * away, 0.0, 0.0), tact_motion_linear(away, 0.0, 0.0));
        expect(world, 20.0, r > 1e-200 ? 3.0 : 4.0, 1e-9, a, b);
        expect_nothing(world, 20.0);
        tact_shape_release(ball);
        tact_shape_release(target);
        tact_world_release(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bullet_may_vanish_when_it_hits),
        cmocka_unit_test(spheres_meet_scaled_and_sheared_boxes),
        cmocka_unit_test(distant_spheres_are_found_in_time),
        cmocka_unit_test(balls_of_any_size_are_met),
        cmocka_unit_test(all_sizes_and_speeds_are_met),
        cmocka_unit_test(a_body_out_of_range_touches_nothing),
        cmocka_unit_test(what_overlaps_at_the_beginning_is_reported_then),
        cmocka_unit_test(an_overlapping_pair_is_reported_again_after_separation),
        cmocka_unit_test(bad_times_are_refused),
        cmocka_unit_test(a_gas_keeps_its_energy_and_stays_in_its_box),
        cmocka_unit_test(newtons_cradle),
        cmocka_unit_test(simultaneous_touches_come_in_the_order_of_making),
        cmocka_unit_test(two_touches_within_a_rounding_are_reported_once_each),
        cmocka_unit_test(a_response_that_makes_no_progress_cannot_hold_the_time),
        cmocka_unit_test(a_point_takes_few_fat_bounds),
        cmocka_unit_test(fast_bodies_meet_walls),
        cmocka_unit_test(a_query_that_fails_is_reported_and_asked_again),
        cmocka_unit_test(a_body_that_reuses_a_reported_index_is_reported_too),
        cmocka_unit_test(shapes_filters_and_deformations_between_events),
        cmocka_unit_test(tests_and_searches_see_bodies_where_they_are),
        cmocka_unit_test(responses_are_called_in_order),
        cmocka_unit_test(pairs_without_callback_pass_through),
        cmocka_unit_test(a_response_may_give_up_the_world),
        cmocka_unit_test(a_saved_world_is_the_one_of_now),
        cmocka_unit_test(a_record_holds_where_bodies_have_got_to),
        cmocka_unit_test(each_allocation_may_fail),
    };
    static const char *const names[] = {"auto", "sweep", "fat bounds"};
    int failed = 0;
    for (kinetic = TACT_KINETIC_AUTO; kinetic <= TACT_KINETIC_FAT_BOUNDS; ++kinetic)
        failed += cmocka_run_group_tests_name(names[kinetic], tests, NULL, NULL);
    return failed;
}
