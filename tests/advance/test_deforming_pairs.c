/*
 * Bodies with moving vertices against rigid bodies of every kind of shape and motion, by the public API: times against
 * closed forms and against sampling, never late; touches once per contact; bad input; failing allocations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"

#define SIDE 5
#define SHEET_VERTICES (SIDE * SIDE)
#define SHEET_TRIANGLES (2 * (SIDE - 1) * (SIDE - 1))

/* A square sheet from -2 to 2 at height 0. */
static tact_shape *sheet_mesh(tact_vec3 vertices[SHEET_VERTICES])
{
    uint32_t indices[SHEET_TRIANGLES][3], n = 0;
    for (uint32_t i = 0; i < SIDE; ++i)
        for (uint32_t j = 0; j < SIDE; ++j) {
            vertices[SIDE * i + j] = (tact_vec3){(double)i - 2.0, 0.0, (double)j - 2.0};
            if (i + 1 == SIDE || j + 1 == SIDE)
                continue;
            const uint32_t a = SIDE * i + j;
            memcpy(indices[n++], (const uint32_t[3]){a, a + 1, a + SIDE}, sizeof indices[0]);
            memcpy(indices[n++], (const uint32_t[3]){a + 1, a + SIDE + 1, a + SIDE}, sizeof indices[0]);
        }
    return tact_mesh(vertices, SHEET_VERTICES, indices[0], SHEET_TRIANGLES);
}

static tact_body make_sheet(tact_world *world, tact_vec3 vertices[SHEET_VERTICES])
{
    tact_shape *mesh = sheet_mesh(vertices);
    const tact_body sheet = tact_body_create(world, &(tact_body_def){.shape = mesh, .deformable = true});
    tact_shape_release(mesh);
    return sheet;
}

static void move_sheet(tact_world *world, tact_body sheet, tact_vec3 velocity)
{
    tact_vec3 velocities[SHEET_VERTICES];
    for (int i = 0; i < SHEET_VERTICES; ++i)
        velocities[i] = velocity;
    assert_int_equal(tact_body_set_vertex_motion(world, sheet, &(tact_vertex_motion){.velocities = velocities}),
                     TACT_OK);
}

static void a_falling_ball_meets_a_rising_sheet(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    tact_vec3 vertices[SHEET_VERTICES];
    const tact_body sheet = make_sheet(world, vertices);
    move_sheet(world, sheet, (tact_vec3){0.0, 0.5, 0.0});
    tact_shape *sphere = tact_sphere(0.25);
    const tact_body ball =
        tact_body_create(world, &(tact_body_def){.shape = sphere,
                                                 .transform = tact_at(0.3, 3.0, 0.2),
                                                 .motion = {.velocity = {0.1, 0.0, 0.0}, .acceleration = {0, -10, 0}}});
    tact_shape_release(sphere);
    tact_event e;
    assert_int_equal(tact_world_next_event(world, 5.0, &e), TACT_EVENT_TOUCH);
    /* 3 - 5 t^2 - 0.25 = 0.5 t */
    const double t = (-0.5 + sqrt(0.25 + 4.0 * 5.0 * 2.75)) / 10.0;
    assert_true(e.time <= t && e.time > t - 1e-9);
    assert_true(e.a.index == sheet.index && e.b.index == ball.index);
    assert_true(fabs(e.normal.y - 1.0) < 1e-6 && fabs(e.point.y - 0.5 * t) < 1e-6);
    /* the ball falls through: no other touch */
    assert_int_equal(tact_world_next_event(world, 5.0, &e), TACT_EVENT_NONE);
    assert_int_equal(e.status, TACT_OK);
    assert_true(fabs(tact_body_get_vertex_position(world, sheet, 0, NULL).y - 2.5) < 1e-12);
    tact_world_release(world);
}

static void a_ball_that_bounces_touches_again(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    tact_vec3 vertices[SHEET_VERTICES];
    const tact_body sheet = make_sheet(world, vertices);
    move_sheet(world, sheet, (tact_vec3){0.0, 0.0, 0.0});
    tact_shape *sphere = tact_sphere(0.25);
    const tact_body ball = tact_body_create(world, &(tact_body_def){.shape = sphere,
                                                                    .transform = tact_at(0.1, 1.25, 0.1),
                                                                    .motion = {.acceleration = {0.0, -8.0, 0.0}}});
    tact_shape_release(sphere);
    assert_int_equal(tact_body_set_mass(world, ball, 1.0), TACT_OK);
    double expected = 0.5;
    int touches = 0;
    for (tact_event e; tact_world_next_event(world, 4.2, &e) == TACT_EVENT_TOUCH; ++touches, expected += 1.0) {
        assert_true(fabs(e.time - expected) < 1e-8);
        assert_int_equal(tact_world_bounce(world, &e, 1.0), TACT_OK);
    }
    assert_int_equal(touches, 4);
    tact_world_release(world);
}

/* ---- every shape, spinning and accelerated, against sampling ---- */

static tact_vec3 random_vec(random_source *r, double most)
{
    const double x = random_range(r, -most, most), y = random_range(r, -most, most), z = random_range(r, -most, most);
    return (tact_vec3){x, y, z}; /* in an order that does not depend on the compiler */
}

static tact_shape *random_shape(random_source *r, int *kind)
{
    *kind = random_between(r, 0, 7);
    switch (*kind) {
    case 0:
        return tact_sphere(random_range(r, 0.1, 0.5));
    case 1:
        return tact_box(random_range(r, 0.2, 1.0), random_range(r, 0.2, 1.0), random_range(r, 0.2, 1.0));
    case 2:
        return tact_capsule(random_range(r, 0.1, 0.3), random_range(r, 0.2, 1.0));
    case 3:
        return tact_cone(random_range(r, 0.1, 0.4), random_range(r, 0.2, 1.0));
    case 4:
        return tact_cylinder(random_range(r, 0.1, 0.4), random_range(r, 0.2, 1.0));
    case 5:
        return tact_ellipsoid(random_range(r, 0.1, 0.5), random_range(r, 0.1, 0.5), random_range(r, 0.1, 0.5));
    case 6: {
        tact_vec3 points[8];
        for (int i = 0; i < 8; ++i)
            points[i] = random_vec(r, 0.5);
        return tact_hull(points, 8);
    }
    default: {
        tact_shape *parts[2] = {tact_sphere(0.2), tact_box(0.3, 0.2, 0.4)};
        const tact_transform at[2] = {tact_at(0.3, 0.0, 0.0), tact_at(-0.3, 0.1, 0.0)};
        tact_shape *both = tact_compound((const tact_shape *const *)parts, at, 2);
        tact_shape_release(parts[0]);
        tact_shape_release(parts[1]);
        return both;
    }
    }
}

/* The distance of the sheet and a rigid body at a time, by the static query. */
static double distance_at(const tact_vec3 x0[], const tact_vec3 v[], const tact_shape *shape, tact_transform at,
                          tact_motion motion, double t)
{
    tact_vec3 now[SHEET_VERTICES], unused[SHEET_VERTICES];
    tact_shape *mesh = sheet_mesh(unused);
    tact_world *world = tact_world_create(NULL);
    const tact_body sheet = tact_body_create(world, &(tact_body_def){.shape = mesh, .deformable = true});
    for (int i = 0; i < SHEET_VERTICES; ++i)
        now[i] = (tact_vec3){x0[i].x + t * v[i].x, x0[i].y + t * v[i].y, x0[i].z + t * v[i].z};
    assert_int_equal(tact_body_deform(world, sheet, (tact_vertices){.data = now, .count = SHEET_VERTICES}), TACT_OK);
    const tact_distance d = tact_shapes_distance(tact_body_get_current_shape(world, sheet), tact_identity(), shape,
                                                 tact_motion_at(motion, at, t));
    tact_world_release(world);
    tact_shape_release(mesh);
    return d.distance;
}

static void touches_of_all_shapes_are_never_late(void **state)
{
    (void)state;
    int hits[8] = {0}, misses = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(60); ++seed) {
        random_source r = random_seed(seed);
        tact_world *world = tact_world_create(NULL);
        tact_vec3 x0[SHEET_VERTICES], v[SHEET_VERTICES];
        const tact_body sheet = make_sheet(world, x0);
        for (int i = 0; i < SHEET_VERTICES; ++i)
            v[i] = random_vec(&r, 0.4);
        int kind;
        tact_shape *shape = random_shape(&r, &kind);
        assert_non_null(shape);
        const tact_transform at = tact_at(random_range(&r, -2.0, 2.0), random_range(&r, 0.6, 2.0), 0.0);
        const tact_motion motion = {.velocity = {random_range(&r, -1.0, 1.0), random_range(&r, -2.0, 0.5), 0.0},
                                    .acceleration = random_chance(&r, 0.6) ? (tact_vec3){0.0, -2.0, 0.1}
                                                                           : (tact_vec3){0.0, 0.0, 0.0},
                                    .spin = random_chance(&r, 0.7) ? random_vec(&r, 4.0) : (tact_vec3){0.0, 0.0, 0.0}};
        (void)tact_body_create(world, &(tact_body_def){.shape = shape, .transform = at, .motion = motion});
        assert_int_equal(tact_body_set_vertex_motion(world, sheet, &(tact_vertex_motion){.velocities = v}), TACT_OK);
        tact_event e;
        const double end = 2.0;
        const tact_event_kind found = tact_world_next_event(world, end, &e);
        CHECK(e.status == TACT_OK, "status %d", (int)e.status);
        const double until = found == TACT_EVENT_TOUCH ? e.time : end;
        for (int i = 0; until > 0.0 && i < 60; ++i) { /* apart before it */
            const double t = until * (double)i / 60.0;
            CHECK(distance_at(x0, v, shape, at, motion, t) > 0.0, "kind %d: overlap at %g, but %s %g", kind, t,
                  found == TACT_EVENT_TOUCH ? "touch at" : "none until", until);
        }
        if (found == TACT_EVENT_TOUCH) {
            const double d = distance_at(x0, v, shape, at, motion, e.time);
            CHECK(d < 1e-9, "kind %d: distance %g at the touch", kind, d);
            ++hits[kind];
        } else {
            ++misses;
        }
        tact_shape_release(shape);
        tact_world_release(world);
    }
    if (!few_cases()) {
        for (int i = 0; i < 8; ++i)
            assert_true(hits[i] >= 2);
        assert_true(misses >= 3);
    }
}

/* A bar that only turns, and a ball that starts at rest and falls, meet a sheet that rests, with every broad phase. */
static void bodies_without_velocity_meet_resting_vertices(void **state)
{
    (void)state;
    for (int kinetic = TACT_KINETIC_AUTO; kinetic <= TACT_KINETIC_SWEEP_AND_PRUNE; ++kinetic)
        for (int falls = 0; falls < 2; ++falls) {
            tact_world *world = tact_world_create(NULL);
            assert_int_equal(tact_world_set_kinetic(world, (tact_kinetic)kinetic), TACT_OK);
            tact_vec3 vertices[SHEET_VERTICES];
            const tact_body sheet = make_sheet(world, vertices);
            move_sheet(world, sheet, (tact_vec3){0.0, 0.0, 0.0});
            tact_shape *shape = falls ? tact_sphere(0.25) : tact_box(2.0, 0.2, 0.2);
            const tact_motion motion =
                falls ? (tact_motion){.acceleration = {0.0, -2.0, 0.0}} : (tact_motion){.spin = {0.0, 0.0, 1.0}};
            (void)tact_body_create(
                world,
                &(tact_body_def){.shape = shape, .transform = tact_at(0.1, falls ? 4.25 : 0.6, 0.1), .motion = motion});
            tact_shape_release(shape);
            tact_event e;
            assert_int_equal(tact_world_next_event(world, 10.0, &e), TACT_EVENT_TOUCH);
            /* the lower end of the bar: sin t + 0.1 cos t = 0.6 */
            const double t = falls ? 2.0 : asin(0.6 / sqrt(1.01)) - atan(0.1);
            assert_true(e.time <= t && e.time > t - 1e-9);
            tact_world_release(world);
        }
}

/* A piece that lasts 1e-12, of some vertices among others that move slowly, is little work for either engine. */
static void a_short_piece_takes_no_time(void **state)
{
    (void)state;
    int expected = 0;
    for (int engine = TACT_DEFORMING_WINDOWS; engine <= TACT_DEFORMING_LIST; ++engine) {
        tact_world *world = tact_world_create(NULL);
        assert_int_equal(tact_world_set_deforming_engine(world, (tact_deforming_engine)engine), TACT_OK);
        tact_vec3 vertices[SHEET_VERTICES];
        tact_shape *mesh = sheet_mesh(vertices);
        const tact_body sheet =
            tact_body_create(world, &(tact_body_def){.shape = mesh, .deformable = true, .self_collision = true});
        tact_shape_release(mesh);
        assert_int_equal(tact_body_set_feature_events(world, sheet, true), TACT_OK);
        move_sheet(world, sheet, (tact_vec3){0.0, 0.0, 0.0});
        random_source r = random_seed(5);
        int events = 0;
        tact_event e;
        for (int i = 0; i < 8; ++i) {
            const double time = 2.5 * (i + 1);
            for (int v = 0; v < SHEET_VERTICES; ++v)
                vertices[v] = random_vec(&r, 2.0);
            assert_int_equal(tact_body_set_vertex_motion(
                                 world, sheet, &(tact_vertex_motion){.targets = vertices, .end_time = time + 1.0}),
                             TACT_OK);
            while (tact_world_next_event(world, time, &e) != TACT_EVENT_NONE)
                ++events;
            assert_int_equal(
                tact_body_set_vertex_motion(
                    world, sheet,
                    &(tact_vertex_motion){.first = 3, .count = 8, .targets = vertices + 9, .end_time = time + 1e-12}),
                TACT_OK);
            while (tact_world_next_event(world, time + 0.5, &e) != TACT_EVENT_NONE)
                ++events;
        }
        expected = engine == TACT_DEFORMING_WINDOWS ? events : expected;
        assert_true(events > 100 && events == expected);
        tact_world_release(world);
    }
}

/* ---- rigid meshes and polytopes by features ---- */

static void a_box_through_a_sheet_gives_all_feature_contacts(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    tact_vec3 vertices[SHEET_VERTICES];
    const tact_body sheet = make_sheet(world, vertices);
    move_sheet(world, sheet, (tact_vec3){0.0, 0.25, 0.0});
    tact_shape *box = tact_box(1.0, 1.0, 1.0);
    const tact_body crate = tact_body_create(world, &(tact_body_def){.shape = box,
                                                                     .transform = tact_at(0.25, 2.5, 0.125),
                                                                     .motion = {.velocity = {0.0, -0.75, 0.0}}});
    tact_shape_release(box);
    assert_int_equal(tact_body_set_feature_events(world, crate, true), TACT_OK);
    assert_true(tact_body_get_feature_events(world, crate));
    tact_event e;
    assert_int_equal(tact_world_next_event(world, 10.0, &e), TACT_EVENT_TOUCH); /* faces 2 apart, closing at 1 */
    assert_true(e.time == 2.0 && e.features.ccd.state == TACT_HIT);
    int count[2] = {0, 0}, at_two = 0, at_three = 0;
    while (tact_world_next_event(world, 10.0, &e) == TACT_EVENT_FEATURES) {
        ++count[e.features.kind];
        at_two += e.time == 2.0;
        at_three += e.time == 3.0;
        assert_true(e.time >= 2.0 && e.time <= 3.0); /* between, the diagonals of the faces at the sides */
        if (e.features.kind == TACT_VERTEX_FACE)
            assert_true(e.a.index == crate.index ? e.features.a < 8 && e.features.b < SHEET_TRIANGLES
                                                 : e.features.a < SHEET_VERTICES && e.features.b < 6);
    }
    assert_int_equal(e.status, TACT_OK);
    /* the box covers 1 x 1: one vertex of the sheet in a face, its four corners in triangles */
    assert_true(count[TACT_VERTEX_FACE] >= 10 && count[TACT_EDGE_EDGE] > 8);
    assert_int_equal(at_two, at_three); /* the lower and the upper face of the box */
    tact_world_release(world);
}

/* ---- bad input, memory ---- */

static void bad_input_changes_nothing(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    tact_vec3 vertices[SHEET_VERTICES];
    const tact_body sheet = make_sheet(world, vertices), none = {0};
    tact_vec3 bad[SHEET_VERTICES] = {{NAN, 0.0, 0.0}};
    tact_report report;
    assert_null(tact_animation_create(NULL, &report));
    assert_int_equal(report.status, TACT_BAD_ARGUMENT);
    assert_null(tact_animation_create(
        &(tact_animation_def){.vertices = {.data = bad, .count = SHEET_VERTICES}, .frame_count = 1}, &report));
    assert_null(tact_animation_create(
        &(tact_animation_def){.vertices = {.data = vertices, .count = SHEET_VERTICES}, .frame_count = 0}, NULL));
    const double times[2] = {1.0, 1.0};
    assert_null(tact_animation_create(&(tact_animation_def){.vertices = {.data = vertices, .count = SHEET_VERTICES / 2},
                                                            .frame_count = 2,
                                                            .times = times},
                                      &report));
    tact_animation *still = tact_animation_create(
        &(tact_animation_def){.vertices = {.data = vertices, .count = SHEET_VERTICES}, .frame_count = 1}, &report);
    assert_non_null(still);
    assert_int_equal(tact_animation_get_frame_count(still), 1);
    assert_int_equal(tact_animation_get_vertex_count(still), SHEET_VERTICES);
    tact_animation *other = tact_animation_create(
        &(tact_animation_def){.vertices = {.data = vertices, .count = 3}, .frame_count = 2}, &report);
    assert_non_null(other);
    assert_true(tact_animation_get_time(other, 1) == 1.0);
    assert_int_equal(tact_body_play(world, none, still, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_play(world, sheet, NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_play(world, sheet, other, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_play(world, sheet, still, &(tact_play_def){.speed = -1.0}), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_play(world, sheet, still, &(tact_play_def){.offset = NAN}), TACT_BAD_ARGUMENT);
    assert_false(tact_body_has_vertex_motion(world, sheet));
    assert_int_equal(tact_body_set_vertex_motion(world, sheet, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_vertex_motion(world, sheet, &(tact_vertex_motion){.velocities = bad}),
                     TACT_BAD_ARGUMENT);
    assert_int_equal(
        tact_body_set_vertex_motion(world, sheet, &(tact_vertex_motion){.first = SHEET_VERTICES, .count = 1}),
        TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_vertex_motion(world, sheet, &(tact_vertex_motion){.targets = vertices}),
                     TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_stop_vertices(world, sheet), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_feature_events(world, none, true), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_get_deforming_engine(world), TACT_DEFORMING_AUTO);
    assert_int_equal(tact_world_set_deforming_engine(world, TACT_DEFORMING_LIST), TACT_OK);
    assert_int_equal(tact_world_set_deforming_engine(world, (tact_deforming_engine)3), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_set_deforming_engine(NULL, TACT_DEFORMING_LIST), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_get_deforming_engine(world), TACT_DEFORMING_LIST);
    assert_int_equal(tact_world_get_deforming_engine(NULL), TACT_DEFORMING_AUTO);
    /* a body with a transform or a motion cannot play */
    assert_int_equal(tact_body_set_motion(world, sheet, (tact_motion){.velocity = {1.0, 0.0, 0.0}}), TACT_OK);
    assert_int_equal(tact_body_play(world, sheet, still, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_motion(world, sheet, tact_motion_still()), TACT_OK);
    assert_int_equal(tact_body_set_transform(world, sheet, tact_at(1.0, 0.0, 0.0)), TACT_OK);
    assert_int_equal(tact_body_play(world, sheet, still, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_transform(world, sheet, tact_identity()), TACT_OK);
    /* and one that plays gets neither */
    assert_int_equal(tact_body_play(world, sheet, still, NULL), TACT_OK);
    assert_true(tact_body_has_vertex_motion(world, sheet));
    assert_int_equal(tact_body_set_transform(world, sheet, tact_at(1.0, 0.0, 0.0)), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_motion(world, sheet, tact_motion_still()), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_stop_vertices(world, sheet), TACT_OK);
    assert_int_equal(tact_body_set_transform(world, sheet, tact_at(1.0, 0.0, 0.0)), TACT_OK);
    tact_animation_release(still);
    tact_animation_release(other);
    tact_world_release(world);
}

static void calls_on_moving_vertices_keep_motions_and_shapes(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    tact_vec3 vertices[SHEET_VERTICES], moved[SHEET_VERTICES];
    const tact_body sheet = make_sheet(world, vertices);
    tact_shape *box = tact_box(1.0, 1.0, 1.0);
    const tact_body crate = tact_body_create(
        world,
        &(tact_body_def){.shape = box, .transform = tact_at(0.0, 9.0, 0.0), .motion = {.velocity = {1.0, 0.0, 0.0}}});
    tact_shape_release(box);
    tact_event e;
    assert_int_equal(tact_world_next_event(world, 1.0, &e), TACT_EVENT_NONE);
    assert_int_equal(tact_body_set_feature_events(world, crate, true), TACT_OK); /* it stays where it is */
    assert_true(tact_body_get_transform(world, crate).origin.x == 1.0);
    for (int i = 0; i < SHEET_VERTICES; ++i)
        moved[i] = (tact_vec3){vertices[i].x, 2.0, vertices[i].z};
    assert_int_equal(tact_body_set_vertex_motion(world, sheet, &(tact_vertex_motion){.positions = moved}), TACT_OK);
    assert_int_equal(tact_body_set_motion_plan(world, sheet, &(tact_motion_plan){.until = 5.0}), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_poll_interval(world, sheet, 0.5), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_sync_transforms(world), TACT_OK); /* tests see the new vertices */
    assert_true(tact_body_get_bounds(world, sheet).min.y > 1.9);
    assert_int_equal(tact_world_next_event(world, 2.0, &e), TACT_EVENT_NONE);
    assert_int_equal(e.status, TACT_OK);
    assert_true(tact_body_get_transform(world, crate).origin.x == 2.0);
    assert_int_equal(tact_body_stop_vertices(world, sheet), TACT_OK);
    tact_vec3 now[SHEET_VERTICES];
    assert_int_equal(tact_body_get_vertices(world, sheet, now, SHEET_VERTICES), SHEET_VERTICES);
    assert_true(now[7].y == 2.0);
    /* play, more vertices, play: all at one time */
    tact_animation *keys[2];
    for (int i = 0; i < 2; ++i) {
        tact_vec3 more[SHEET_VERTICES + 1];
        memcpy(more, now, sizeof now);
        more[SHEET_VERTICES] = (tact_vec3){0.0, 3.0, 0.0};
        keys[i] = tact_animation_create(
            &(tact_animation_def){.vertices = {.data = more, .count = SHEET_VERTICES + (size_t)i}, .frame_count = 1},
            NULL);
        assert_non_null(keys[i]);
    }
    assert_int_equal(tact_body_set_feature_events(world, sheet, true), TACT_OK);
    assert_int_equal(tact_body_play(world, sheet, keys[0], NULL), TACT_OK);
    assert_int_equal(tact_body_add_vertices(world, sheet, &(tact_vec3){0.0, 3.0, 0.0}, 1), TACT_OK);
    assert_int_equal(tact_body_play(world, sheet, keys[1], NULL), TACT_OK);
    assert_int_equal(tact_body_set_self_collision(world, sheet, true), TACT_OK);
    assert_int_equal(tact_world_next_event(world, 3.0, &e), TACT_EVENT_NONE);
    assert_int_equal(e.status, TACT_OK);
    tact_animation_release(keys[0]);
    tact_animation_release(keys[1]);
    tact_world_release(world);
}

/* A small scene: events, changes, tearing, with every function. Returns the number of events; -1: out of memory. */
static int run_scene(tact_allocator allocator, tact_deforming_engine engine)
{
    tact_world_def def = {0};
    def.allocator = allocator;
    tact_world *world = tact_world_create(&def);
    if (world == NULL)
        return -1;
    assert_int_equal(tact_world_set_deforming_engine(world, engine), TACT_OK);
    tact_vec3 vertices[SHEET_VERTICES], frames[2][SHEET_VERTICES];
    tact_shape *mesh = sheet_mesh(vertices), *sphere = tact_sphere(0.3), *box = tact_box(0.5, 0.5, 0.5);
    for (int i = 0; i < SHEET_VERTICES; ++i) { /* it folds over itself */
        frames[0][i] = vertices[i];
        frames[1][i] = (tact_vec3){vertices[i].x < 0.0 ? -0.5 * vertices[i].x : vertices[i].x,
                                   vertices[i].x < 0.0 ? 0.25 * vertices[i].x : 0.0, vertices[i].z};
    }
    tact_animation *fold = tact_animation_create(
        &(tact_animation_def){
            .vertices = {.data = frames, .count = SHEET_VERTICES}, .frame_count = 2, .allocator = allocator},
        NULL);
    tact_status status = fold != NULL ? TACT_OK : TACT_OUT_OF_MEMORY;
    const tact_body sheet =
        tact_body_create(world, &(tact_body_def){.shape = mesh, .deformable = true, .self_collision = true});
    const tact_body ball = tact_body_create(
        world, &(tact_body_def){.shape = sphere,
                                .transform = tact_at(1.0, 1.0, 0.0),
                                .motion = {.velocity = {0.0, -1.0, 0.0}, .acceleration = {0.0, -1.0, 0.0}}});
    const tact_body crate = tact_body_create(
        world,
        &(tact_body_def){.shape = box, .transform = tact_at(1.0, -1.0, 1.0), .motion = {.velocity = {0.0, 1.5, 0.0}}});
    if (sheet.generation == 0 || ball.generation == 0 || crate.generation == 0)
        status = TACT_OUT_OF_MEMORY;
    if (status == TACT_OK)
        status = tact_body_play(world, sheet, fold, &(tact_play_def){.loop = true});
    int events = 0;
    if (status == TACT_OK) {
        assert_int_equal(tact_body_set_feature_events(world, sheet, true), TACT_OK);
        for (int part = 0; part < 3; ++part) {
            tact_event e;
            const double until = 0.7 * (part + 1);
            for (;;) {
                const tact_event_kind kind = tact_world_next_event(world, until, &e);
                if (kind == TACT_EVENT_NONE && e.status == TACT_OUT_OF_MEMORY) {
                    status = TACT_OUT_OF_MEMORY; /* once: repeated */
                    continue;
                }
                assert_int_equal(e.status, TACT_OK);
                if (kind == TACT_EVENT_NONE)
                    break;
                ++events;
            }
            tact_status changed = TACT_OK;
            do {
                const tact_vec3 velocity[2] = {{0.0, 1.0, 0.0}, {0.1, 0.5, 0.0}};
                changed =
                    part == 0 ? tact_body_set_vertex_motion(
                                    world, sheet, &(tact_vertex_motion){.first = 3, .count = 2, .velocities = velocity})
                    : part == 1
                        ? tact_body_change_faces(world, sheet, (uint32_t[]){0}, (const uint32_t[][3]){{0, 1, 2}}, 1)
                        : tact_body_stop_vertices(world, sheet);
                status = changed == TACT_OUT_OF_MEMORY ? changed : status;
            } while (changed == TACT_OUT_OF_MEMORY);
            assert_int_equal(changed, TACT_OK);
        }
    }
    tact_animation_release(fold);
    tact_shape_release(mesh);
    tact_shape_release(sphere);
    tact_shape_release(box);
    tact_world_release(world);
    return status == TACT_OK || events > 0 ? events : -1;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    int expected = 0;
    for (int engine = TACT_DEFORMING_AUTO; engine <= TACT_DEFORMING_LIST; ++engine) {
        failing_allocator memory = {0};
        const int all = run_scene(failing_allocator_make(&memory), (tact_deforming_engine)engine);
        expected = engine == TACT_DEFORMING_AUTO ? all : expected;
        assert_true(expected > 20 && all == expected);
        assert_int_equal(memory.held, 0);
        const long calls = memory.calls;
        assert_true(calls > (engine == TACT_DEFORMING_LIST ? 150 : 50));
        for (long i = 1; i <= calls && engine != TACT_DEFORMING_AUTO; i = next_failure(i)) {
            memory = (failing_allocator){.fail_at = i};
            const int events = run_scene(failing_allocator_make(&memory), (tact_deforming_engine)engine);
            assert_int_equal(memory.held, 0);
            if (events >= 0 && events != expected)
                print_error("allocation %ld: %d events instead of %d\n", i, events, expected);
            assert_true(events < 0 || events == expected);
        }
    }
}

/* The margin of a mesh with moving vertices counts: a sheet rises to bodies at a known height, and touches them when
 * the distance is the sum of the margins. It goes down and touches them again. */
static void margins_of_moving_vertices_count(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(60); ++seed) {
        random_source dice = random_seed(seed);
        const double margin = random_range(&dice, 1e-3, 0.3), other_margin = random_range(&dice, 0.0, 0.2);
        const double height = random_range(&dice, 0.6, 3.0), speed = random_range(&dice, 0.1, 10.0);
        const int kind = (int)(seed % 5);
        tact_vec3 vertices[SHEET_VERTICES], above[SHEET_VERTICES];
        tact_world *world = tact_world_create(NULL);
        tact_shape *bare = sheet_mesh(vertices), *thick = tact_rounded(bare, margin);
        const tact_body sheet = tact_body_create(world, &(tact_body_def){.shape = thick, .deformable = true});
        tact_shape *plain = kind == 0   ? tact_box(0.5, 0.5, 0.5)
                            : kind == 1 ? tact_sphere(0.5)
                            : kind == 2 ? tact_box(1.0, 0.5, 0.25)
                                        : sheet_mesh(above);
        tact_shape *shape = tact_rounded(plain, other_margin);
        const double low = kind == 1 ? 0.5 : kind < 3 ? 0.25 : 0.0; /* of the other body, below its origin */
        const tact_body other =
            tact_body_create(world, &(tact_body_def){.shape = shape,
                                                     .deformable = kind == 4,
                                                     .transform = tact_at(0.0, kind == 4 ? 0.0 : height + low, 0.0),
                                                     .motion.spin = {0.0, kind == 2 ? 1.0 : 0.0, 0.0}});
        if (kind == 4) { /* another sheet with moving vertices, at rest at that height */
            for (int i = 0; i < SHEET_VERTICES; ++i)
                above[i].y = height;
            assert_int_equal(tact_body_deform(world, other, (tact_vertices){.data = above, .count = SHEET_VERTICES}),
                             TACT_OK);
            move_sheet(world, other, (tact_vec3){0.0, 0.0, 0.0});
        }
        move_sheet(world, sheet, (tact_vec3){0.0, speed, 0.0});
        const double contact = (height - margin - other_margin) / speed;
        tact_event e;
        for (int touch = 0; touch < 2; ++touch) {
            const double start = tact_world_get_time(world);
            CHECK(tact_world_next_event(world, start + 2.0 * height / speed, &e) == TACT_EVENT_TOUCH,
                  "kind %d: touch %d is missed", kind, touch);
            const double due = touch == 0 ? contact : start + 0.3 / speed;
            CHECK(e.time <= due * (1.0 + 1e-12) && e.time >= due - 1e-5 * (height + 4.0) / speed,
                  "kind %d: touch %d at %.17g instead of %.17g", kind, touch, e.time, due);
            move_sheet(world, sheet, (tact_vec3){0.0, -speed, 0.0});
            const double apart = e.time + 0.3 / speed;
            CHECK(tact_world_next_event(world, apart, &e) == TACT_EVENT_NONE, "kind %d: an event after a touch", kind);
            move_sheet(world, sheet, (tact_vec3){0.0, speed, 0.0});
        }
        tact_shape_release(bare);
        tact_shape_release(thick);
        tact_shape_release(plain);
        tact_shape_release(shape);
        tact_world_release(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_falling_ball_meets_a_rising_sheet),
        cmocka_unit_test(a_ball_that_bounces_touches_again),
        cmocka_unit_test(touches_of_all_shapes_are_never_late),
        cmocka_unit_test(bodies_without_velocity_meet_resting_vertices),
        cmocka_unit_test(a_short_piece_takes_no_time),
        cmocka_unit_test(a_box_through_a_sheet_gives_all_feature_contacts),
        cmocka_unit_test(margins_of_moving_vertices_count),
        cmocka_unit_test(bad_input_changes_nothing),
        cmocka_unit_test(calls_on_moving_vertices_keep_motions_and_shapes),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
