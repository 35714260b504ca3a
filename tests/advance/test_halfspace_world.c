/*
 * Half-spaces, heightfields and one-sided meshes in worlds: broad phase, continuous time, deformable bodies, steps,
 * queries, saving.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <tact/tact.h>

#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/vec.h"

static const double gravity = 10.0;

/* ---- balls ---- */

/* A ball falls on a plane and bounces. The times have a closed form, on any slope: along the normal it is a bouncing
 * ball with the gravity's component. */
static void balls_bounce_on_a_halfspace(void **state)
{
    (void)state;
    for (int engine = 0; engine < 3; engine++)
        for (int tilt = 0; tilt < 3; tilt++) {
            const tact_world_def def = {.kinetic = (tact_kinetic)engine};
            tact_world *world = tact_world_create(&def);
            const tact_vec3 n = vec_normalize(vec_make(0.3 * tilt, 1.0, -0.2 * tilt));
            tact_shape *plane = tact_halfspace(n, 1.0), *ball = tact_sphere(0.25);
            (void)tact_body_create(world, &(tact_body_def){.shape = plane});
            const tact_vec3 at = vec_scale(n, 1.25 + 2.0);
            const tact_body body =
                tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(at.x, at.y, at.z)});
            assert_int_equal(tact_body_set_mass(world, body, 2.0), TACT_OK);
            assert_int_equal(tact_body_set_motion(world, body, (tact_motion){.acceleration = {0, -gravity, 0}}),
                             TACT_OK);
            const double g = gravity * n.y, restitution = 0.8;
            double expected = sqrt(2.0 * 2.0 / g), flight = 2.0 * expected * restitution;
            int bounces = 0;
            for (tact_event e; bounces < 10 && tact_world_next_event(world, 20.0, &e) == TACT_EVENT_TOUCH; bounces++) {
                if (!(fabs(e.time - expected) < 1e-9))
                    fail_msg("engine %d, tilt %d: bounce %d at %.17g instead of %.17g", engine, tilt, bounces, e.time,
                             expected);
                const double along = vec_dot(e.normal, n);
                assert_true(fabs(fabs(along) - 1.0) < 1e-12);
                assert_int_equal(tact_world_bounce(world, &e, restitution), TACT_OK);
                expected += flight;
                flight *= restitution;
            }
            assert_int_equal(bounces, 10);
            tact_world_release(world);
            tact_shape_release(plane);
            tact_shape_release(ball);
        }
}

/* ---- tumbling boxes ---- */

static double energy_of(const tact_world *world, tact_body body, const tact_mass *mass)
{
    const tact_motion m = tact_body_get_motion(world, body);
    const tact_transform t = tact_body_get_transform(world, body);
    const tact_vec3 w = {vec_dot(m.spin, t.x_axis), vec_dot(m.spin, t.y_axis), vec_dot(m.spin, t.z_axis)};
    return mass->mass * (0.5 * vec_length_squared(m.velocity) + gravity * t.origin.y) +
           0.5 * (mass->inertia.xx * w.x * w.x + mass->inertia.yy * w.y * w.y + mass->inertia.zz * w.z * w.z);
}

/* Elastic impacts keep the energy, except where a contact lasts. */
static void boxes_tumble_on_unbounded_ground(void **state)
{
    (void)state;
    int touches = 0, kept = 0, worlds = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(24); seed++) {
        random_source r = random_seed(seed);
        const bool field = seed % 2 == 1;
        double heights[81];
        for (int i = 0; i < 81; i++)
            heights[i] = field ? 0.3 * sin(0.9 * (i / 9)) * cos(1.1 * (i % 9)) : 0.0;
        tact_shape *ground = field ? tact_heightfield(9, 9, 1.0, 1.0, heights) : tact_halfspace(vec_make(0, 1, 0), 0),
                   *box = tact_box(0.4, 0.3, 0.5);
        tact_world *world = tact_world_create(NULL);
        (void)tact_body_create(world, &(tact_body_def){.shape = ground});
        const tact_transform at = tact_transform_make(vec_make(4.0, 1.5, 4.0), random_rotation(&r), vec_make(1, 1, 1));
        const tact_body body = tact_body_create(world, &(tact_body_def){.shape = box, .transform = at});
        const tact_mass mass = tact_mass_from_total(box, tact_identity(), 1.0);
        assert_int_equal(tact_body_set_mass(world, body, 1.0), TACT_OK);
        const tact_motion start = {.velocity = {random_range(&r, -0.3, 0.3), 0, random_range(&r, -0.3, 0.3)},
                                   .acceleration = {0, -gravity, 0},
                                   .spin = vec_scale(random_direction(&r), random_range(&r, 0.0, 6.0))};
        assert_int_equal(tact_body_set_motion(world, body, start), TACT_OK);
        const double energy = energy_of(world, body, &mass);
        double deepest = 0.0;
        for (int frame = 1; frame <= 60; frame++) {
            tact_event e;
            while (tact_world_next_event(world, frame / 40.0, &e) == TACT_EVENT_TOUCH) {
                CHECK(tact_world_bounce(world, &e, 1.0) == TACT_OK, "bounce");
                touches++;
            }
            CHECK(e.status == TACT_OK, "status %d at %g", (int)e.status, tact_world_get_time(world));
            const tact_penetration p =
                tact_shapes_penetration(ground, tact_identity(), box, tact_body_get_transform(world, body));
            deepest = fmax(deepest, p.depth);
        }
        CHECK(deepest < 1e-6, "%g deep", deepest);
        const double left = energy_of(world, body, &mass) / energy;
        CHECK(left < 1.0 + 1e-5, "energy grows by %g", left - 1.0);
        kept += left > 1.0 - 1e-4;
        worlds++;
        tact_world_release(world);
        tact_shape_release(ground);
        tact_shape_release(box);
    }
    assert_true(few_cases() || (touches > 40 && 5 * kept > 4 * worlds));
}

/* The same events as on a box whose upper face is the plane. */
static void a_halfspace_is_a_large_box(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(20); seed++) {
        double times[2][4] = {{0}};
        tact_vec3 points[2][4];
        tact_shape *grounds[2] = {tact_halfspace(vec_make(0, 1, 0), 0), tact_box(200, 2, 200)},
                   *box = tact_box(1, 2, 3);
        for (int k = 0; k < 2; k++) {
            random_source r = random_seed(seed);
            tact_world *world = tact_world_create(NULL);
            (void)tact_body_create(world, &(tact_body_def){.shape = grounds[k], .transform = tact_at(0, -k, 0)});
            const tact_transform at = tact_transform_make(vec_make(0, 4, 0), random_rotation(&r), vec_make(1, 1, 1));
            const tact_body body = tact_body_create(world, &(tact_body_def){.shape = box, .transform = at});
            assert_int_equal(tact_body_set_mass(world, body, 1.0), TACT_OK);
            const tact_motion start = {
                .velocity = {1, 0, 0}, .acceleration = {0, -gravity, 0}, .spin = vec_scale(random_direction(&r), 3.0)};
            assert_int_equal(tact_body_set_motion(world, body, start), TACT_OK);
            for (int i = 0; i < 4; i++) {
                tact_event e;
                if (tact_world_next_event(world, 10.0, &e) != TACT_EVENT_TOUCH)
                    break;
                times[k][i] = e.time;
                points[k][i] = e.point;
                (void)tact_world_bounce(world, &e, 0.9);
            }
            tact_world_release(world);
        }
        for (int i = 0; i < 4; i++)
            CHECK(times[0][i] > 0.0 && fabs(times[0][i] - times[1][i]) < 1e-6 &&
                      vec_max_abs(vec_sub(points[0][i], points[1][i])) < 1e-4,
                  "event %d at %.12g and %.12g", i, times[0][i], times[1][i]);
        tact_shape_release(grounds[0]);
        tact_shape_release(grounds[1]);
        tact_shape_release(box);
    }
}

/* ---- frames and queries ---- */

static void count_contact(void *context, const tact_contact *contact)
{
    (void)contact;
    ++*(int *)context;
}

static void all_broad_phases_find_unbounded_bodies(void **state)
{
    (void)state;
    int touching = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(30); seed++) {
        random_source r = random_seed(seed);
        const tact_vec3 n = seed % 3 == 0   ? vec_make(0, 1, 0)
                            : seed % 3 == 1 ? vec_make(-1, 0, 0)
                                            : random_direction(&r);
        tact_shape *plane = tact_halfspace(n, random_range(&r, -5, 5)), *ball = tact_sphere(0.5);
        enum { BALLS = 200 };
        tact_vec3 at[BALLS];
        int expected = 0;
        for (int i = 0; i < BALLS; i++) {
            at[i] = vec_make(random_range(&r, -30, 30), random_range(&r, -30, 30), random_range(&r, -30, 30));
            expected +=
                tact_shapes_overlap(plane, tact_identity(), ball, tact_at(at[i].x, at[i].y, at[i].z), NULL).state ==
                TACT_HIT;
        }
        for (int phase = 0; phase < 3; phase++) {
            const tact_world_def def = {.broad_phase = (tact_broad_phase)phase};
            tact_world *world = tact_world_create(&def);
            const tact_body ground =
                tact_body_create(world, &(tact_body_def){.shape = plane, .category = 1, .mask = 2});
            for (int i = 0; i < BALLS; i++)
                (void)tact_body_create(world, &(tact_body_def){.shape = ball,
                                                               .transform = tact_at(at[i].x, at[i].y, at[i].z),
                                                               .category = 2,
                                                               .mask = 1});
            int found = 0;
            assert_int_equal(
                tact_world_set_contact_callback(world, (tact_response){.callback = count_contact, .context = &found}),
                TACT_OK);
            const tact_count count = tact_world_test(world);
            CHECK(count.status == TACT_OK && found == expected, "phase %d: %d of %d", phase, found, expected);
            /* queries of the world */
            const tact_vec3 from = vec_scale(n, 90.0);
            const tact_filter filter = {.category = UINT64_MAX, .mask = 1};
            const tact_hit hit = tact_world_ray(world, from, vec_negate(n), INFINITY, &filter);
            CHECK(hit.state == TACT_HIT && hit.body.index == ground.index &&
                      fabs(hit.t - tact_shape_closest(plane, tact_identity(), from).distance) < 1e-9,
                  "ray");
            const tact_hit near = tact_world_closest_point(world, from, INFINITY, &filter);
            CHECK(near.state == TACT_HIT && fabs(near.distance - hit.t) < 1e-9, "closest: %g, %g", near.distance,
                  hit.t);
            const tact_hit cast =
                tact_world_cast(world, ball, tact_at(from.x, from.y, from.z), vec_scale(n, -200.0), &filter);
            CHECK(cast.state == TACT_HIT && fabs(200.0 * cast.t - (hit.t - 0.5)) < 1e-6, "cast");
            tact_world_release(world);
        }
        touching += expected;
        tact_shape_release(plane);
        tact_shape_release(ball);
    }
    assert_true(few_cases() || touching > 500);
}

/* ---- deformable bodies ---- */

enum { SIDE = 6, PARTICLES = SIDE * SIDE };

static tact_shape *cloth_of(tact_vec3 positions[PARTICLES], double y)
{
    uint32_t indices[6 * (SIDE - 1) * (SIDE - 1)];
    size_t n = 0;
    for (uint32_t i = 0; i < PARTICLES; i++) {
        positions[i] = vec_make(0.1 * (i % SIDE), y + 0.01 * (i % 3), 0.1 * (i / SIDE));
        if (i % SIDE == SIDE - 1 || i / SIDE == SIDE - 1)
            continue;
        const uint32_t quad[6] = {i, i + 1, i + SIDE, i + 1, i + SIDE + 1, i + SIDE};
        for (int k = 0; k < 6; k++)
            indices[n++] = quad[k];
    }
    return tact_mesh(positions, PARTICLES, indices, n / 3);
}

static void deforming_bodies_fall_on_a_halfspace(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(12); seed++) {
        random_source r = random_seed(seed);
        tact_vec3 positions[PARTICLES], velocities[PARTICLES];
        tact_shape *cloth = cloth_of(positions, 1.0);
        const tact_vec3 n = vec_normalize(vec_make(random_range(&r, -0.3, 0.3), 1, random_range(&r, -0.3, 0.3)));
        tact_shape *plane = tact_halfspace(n, 0);
        tact_world *world = tact_world_create(NULL);
        const tact_motion rises = tact_motion_linear(0, random_range(&r, 0.0, 1.0), 0);
        (void)tact_body_create(world, &(tact_body_def){.shape = plane, .motion = rises});
        const tact_body body = tact_body_create(world, &(tact_body_def){.shape = cloth, .deformable = true});
        double first = INFINITY; /* oracle: each vertex alone */
        for (int i = 0; i < PARTICLES; i++) {
            velocities[i] = vec_make(random_range(&r, -1, 1), random_range(&r, -2, -1), random_range(&r, -1, 1));
            first = fmin(first, vec_dot(n, positions[i]) / vec_dot(n, vec_sub(rises.velocity, velocities[i])));
        }
        const tact_vertex_motion motion = {.velocities = velocities};
        CHECK(tact_body_set_vertex_motion(world, body, &motion) == TACT_OK, "vertex motion");
        tact_event e;
        CHECK(tact_world_next_event(world, 3.0, &e) == TACT_EVENT_TOUCH, "status %d", (int)e.status);
        CHECK(e.time <= first + 1e-12 && e.time > first - 1e-7, "touch at %.12g instead of %.12g", e.time, first);
        CHECK(fabs(fabs(vec_dot(e.normal, n)) - 1.0) < 1e-6, "normal");
        tact_world_release(world);
        tact_shape_release(cloth);
        tact_shape_release(plane);
    }
}

static void cloth_falls_on_a_halfspace_in_steps(void **state)
{
    (void)state;
    for (int field = 0; field < 2; field++) {
        tact_vec3 from[PARTICLES], to[PARTICLES];
        const double h[4] = {0, 0, 0, 0};
        tact_shape *cloth = cloth_of(from, 0.2),
                   *ground = field ? tact_heightfield(2, 2, 4, 4, h) : tact_halfspace(vec_make(0, 1, 0), 0);
        tact_world *world = tact_world_create(NULL);
        (void)tact_body_create(world, &(tact_body_def){.shape = ground,
                                                       .transform = tact_at(field ? -2 : 0, 0, field ? -2 : 0),
                                                       .motion = tact_motion_linear(0, 0.1, 0)});
        const tact_body body = tact_body_create(world, &(tact_body_def){.shape = cloth, .deformable = true});
        tact_step_def step = tact_step_def_default();
        step.duration = 0.1;
        step.thickness = 1e-3;
        for (int i = 0; i < PARTICLES; i++)
            to[i] = vec_make(from[i].x, from[i].y - 0.5, from[i].z);
        assert_int_equal(tact_body_set_step_positions(world, body, from, to), TACT_OK);
        const tact_step_limit limit = tact_step_find_limit(world, &step);
        assert_true(limit.status == TACT_OK && limit.time < 0.4);
        assert_true(tact_step_find_contacts(world, &step).count > 0);
        const tact_step_result done = tact_step_resolve(world, &step);
        assert_true(done.status == TACT_OK && done.contacts > 0);
        for (int i = 0; i < PARTICLES; i++)
            if (!(to[i].y >= 0.01 * done.time - 1e-9))
                fail_msg("vertex %d at %g, the plane at %g", i, to[i].y, 0.01 * done.time);
        tact_world_release(world);
        tact_shape_release(cloth);
        tact_shape_release(ground);
    }
}

/* ---- limits ---- */

static void unbounded_bodies_do_not_spin_and_have_no_mass(void **state)
{
    (void)state;
    const double h[4] = {0, 0, 0, 0};
    tact_shape *shapes[2] = {tact_halfspace(vec_make(0, 1, 0), 0), tact_heightfield(2, 2, 1, 1, h)},
               *ball = tact_sphere(1);
    const tact_motion spin = {.spin = {0, 1, 0}};
    const tact_mass mass = tact_mass_from_total(ball, tact_identity(), 1.0);
    tact_world *world = tact_world_create(NULL);
    const tact_body bodies[2] = {tact_body_create(world, &(tact_body_def){.shape = shapes[0]}),
                                 tact_body_create(world, &(tact_body_def){.shape = shapes[1]})};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tact_body_set_mass(world, bodies[i], 1.0), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_set_mass_with(world, bodies[i], &mass), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_set_motion(world, bodies[i], spin), i == 0 ? TACT_BAD_ARGUMENT : TACT_OK);
        assert_int_equal(tact_body_set_motion(world, bodies[i], tact_motion_linear(1, 2, 3)), TACT_OK);
    }
    const tact_motion_plan plan = {.motion = spin, .until = 5.0};
    assert_int_equal(tact_body_set_motion_plan(world, bodies[0], &plan), TACT_BAD_ARGUMENT);
    assert_true(tact_body_create(world, &(tact_body_def){.shape = shapes[0], .motion = spin}).generation == 0);
    assert_true(
        tact_body_create(world, &(tact_body_def){.shape = shapes[0], .rotation_invariant_bounds = true}).generation ==
        0);
    assert_true(tact_body_create(world, &(tact_body_def){.shape = shapes[0], .deformable = true}).generation == 0);
    assert_true(tact_body_create(world, &(tact_body_def){.shape = shapes[1], .deformable = true}).generation == 0);
    assert_int_equal(tact_body_set_motion(world, bodies[1], spin), TACT_OK);
    assert_int_equal(tact_body_set_shape(world, bodies[1], shapes[0]), TACT_BAD_ARGUMENT);
    /* two half-spaces and a heightfield that move through each other */
    (void)tact_body_create(world, &(tact_body_def){.shape = shapes[0], .motion = tact_motion_linear(0, -1, 0)});
    tact_event e;
    int count = 0;
    while (count < 100 && tact_world_next_event(world, 2.0, &e) == TACT_EVENT_TOUCH)
        count++;
    assert_int_equal(e.status, TACT_OK);
    assert_true(count < 100);
    tact_world_release(world);
    tact_shape_release(shapes[0]);
    tact_shape_release(shapes[1]);
    tact_shape_release(ball);
}

/* ---- saving ---- */

static void saved_worlds_go_on_as_before(void **state)
{
    (void)state;
    const double h[9] = {0, 0.5, 0.25, 0, -1, 0.125, 0.3, 0.1, 0};
    const tact_vec3 v[3] = {{-9, -3, -9}, {-9, -3, 30}, {30, -3, -9}};
    const uint32_t indices[3] = {0, 1, 2};
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){v, 3, 0, TACT_SCALAR_DOUBLE};
    def.indices = indices;
    def.index_count = 3;
    def.one_sided = true;
    tact_shape *plain[3] = {tact_halfspace(vec_make(0.1, 0.7, 0.2), -4), tact_heightfield(3, 3, 1, 2, h),
                            tact_mesh_create(&def, NULL)};
    tact_shape *ball = tact_sphere(0.3);
    for (int margin = 0; margin < 2; margin++) {
        tact_world *worlds[2] = {tact_world_create(NULL), NULL};
        for (int i = 0; i < 3; i++) {
            tact_shape *shape = margin ? tact_rounded(plain[i], 0.01) : tact_shape_retain(plain[i]);
            (void)tact_body_create(worlds[0], &(tact_body_def){.shape = shape});
            tact_shape_release(shape);
        }
        for (int i = 0; i < 9; i++) {
            const tact_body body = tact_body_create(
                worlds[0], &(tact_body_def){.shape = ball, .transform = tact_at(0.7 * (i % 3), 2 + i, 0.9 * (i / 3))});
            assert_int_equal(tact_body_set_mass(worlds[0], body, 1.0), TACT_OK);
            assert_int_equal(tact_body_set_motion(worlds[0], body, (tact_motion){.acceleration = {0, -gravity, 0}}),
                             TACT_OK);
        }
        tact_event e[2];
        int touches = 0;
        while (tact_world_next_event(worlds[0], 0.6, &e[0]) == TACT_EVENT_TOUCH)
            (void)tact_world_bounce(worlds[0], &e[0], 0.5);
        tact_bytes bytes = {0}, again = {0};
        tact_report report;
        assert_int_equal(tact_world_save(worlds[0], tact_bytes_sink(&bytes), NULL, &report), TACT_OK);
        worlds[1] = tact_world_restore(bytes.data, bytes.size, NULL, &report);
        if (worlds[1] == NULL)
            fail_msg("%s", report.text);
        assert_int_equal(tact_world_save(worlds[1], tact_bytes_sink(&again), NULL, &report), TACT_OK);
        assert_int_equal((int)again.size, (int)bytes.size);
        assert_memory_equal(again.data, bytes.data, bytes.size);
        for (;;) {
            tact_event_kind kinds[2];
            for (int k = 0; k < 2; k++)
                kinds[k] = tact_world_next_event(worlds[k], 1.5, &e[k]);
            assert_int_equal(kinds[0], kinds[1]);
            if (kinds[0] != TACT_EVENT_TOUCH)
                break;
            /* touches with meshes depend on the time of their prediction, by rounding */
            if (!(fabs(e[0].time - e[1].time) < 1e-12 && e[0].a.index == e[1].a.index && e[0].b.index == e[1].b.index))
                fail_msg("touch %d at %.17g and %.17g", touches, e[0].time, e[1].time);
            for (int k = 0; k < 2; k++)
                (void)tact_world_bounce(worlds[k], &e[k], 0.5);
            touches++;
        }
        assert_true(e[0].status == TACT_OK && touches > 5);
        /* damaged bytes are refused, or give a world */
        for (size_t i = 0; i < bytes.size; i += 1 + bytes.size / 400) {
            unsigned char *data = malloc(bytes.size);
            memcpy(data, bytes.data, bytes.size);
            data[i] ^= 0x41;
            tact_world_release(tact_world_restore(data, bytes.size, NULL, &report));
            free(data);
        }
        tact_bytes_release(&bytes);
        tact_bytes_release(&again);
        tact_world_release(worlds[0]);
        tact_world_release(worlds[1]);
    }
    for (int i = 0; i < 3; i++)
        tact_shape_release(plain[i]);
    tact_shape_release(ball);
}

/* ---- memory ---- */

static void no_allocation_failure_is_lost(void **state)
{
    (void)state;
    tact_shape *plane = tact_halfspace(vec_make(0, 1, 0), 0), *ball = tact_sphere(0.5);
    bool done = false;
    for (long k = 1; !done; k++) {
        failing_allocator memory = {.fail_at = k};
        const tact_world_def def = {.allocator = failing_allocator_make(&memory)};
        tact_world *world = tact_world_create(&def);
        if (world != NULL) {
            const tact_body ground = tact_body_create(world, &(tact_body_def){.shape = plane}),
                            body = tact_body_create(world, &(tact_body_def){.shape = ball,
                                                                            .transform = tact_at(0, 2, 0),
                                                                            .motion = tact_motion_linear(0, -1, 0)});
            tact_event e = {0};
            const tact_event_kind kind = tact_world_next_event(world, 5.0, &e);
            done = ground.generation != 0 && body.generation != 0 && kind == TACT_EVENT_TOUCH &&
                   memory.calls < memory.fail_at;
            assert_true(ground.generation == 0 || body.generation == 0 ||
                        (kind == TACT_EVENT_TOUCH ? fabs(e.time - 1.5) < 1e-9 : e.status == TACT_OUT_OF_MEMORY));
        }
        tact_world_release(world);
        assert_int_equal((int)memory.held, 0);
    }
    tact_shape_release(plane);
    tact_shape_release(ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_bounce_on_a_halfspace),
        cmocka_unit_test(boxes_tumble_on_unbounded_ground),
        cmocka_unit_test(a_halfspace_is_a_large_box),
        cmocka_unit_test(all_broad_phases_find_unbounded_bodies),
        cmocka_unit_test(deforming_bodies_fall_on_a_halfspace),
        cmocka_unit_test(cloth_falls_on_a_halfspace_in_steps),
        cmocka_unit_test(unbounded_bodies_do_not_spin_and_have_no_mass),
        cmocka_unit_test(saved_worlds_go_on_as_before),
        cmocka_unit_test(no_allocation_failure_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
