/*
 * Persistent contacts with NURBS bodies whose control points move: balls, boxes and capsules on a sheet that rests,
 * rises and falls, moves like a conveyor belt or flaps. Nobody passes through it or touches the true surface, and who
 * lies on it follows it within the tolerance of its triangles and the rest gap. The oracle evaluates the surface at the
 * present control points, and uses the proved distance of tact_nurbs_distance.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "support/failing_allocator.h"
#include "support/falling_world.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/vec.h"

enum { SIDE = 8, POINTS = SIDE * SIDE, MOST_FRAMES = 64 };

#define WIDTH 6.0 /* of a sheet */
#define TOLERANCE 0.01
#define PI 3.14159265358979323846

typedef enum sheet_motion { AT_REST, RISING, BELT, FLAG, MOTION_COUNT } sheet_motion;

typedef struct sheet {
    sheet_motion kind;
    double amplitude, rate, wave, speed; /* length, radians per time, radians per length, belt speed */
    tact_body body;
} sheet;

static const char *const motion_names[MOTION_COUNT] = {"at rest", "rising and falling", "belt", "flag"};

static const double knots[SIDE + 4] = {0, 0, 0, 0, 1, 2, 3, 4, 5, 5, 5, 5};

/* The parameter at which basis function i is centred (Greville 1964): so x = WIDTH (u / 5 - 1/2) on the surface. */
static double centre_of(int i) { return (knots[i + 1] + knots[i + 2] + knots[i + 3]) / 3.0; }

static void sheet_points(const sheet *s, double time, tact_vec3 *points)
{
    for (int i = 0; i < SIDE; ++i)
        for (int k = 0; k < SIDE; ++k) {
            const double x = WIDTH * (centre_of(i) / 5.0 - 0.5), z = WIDTH * (centre_of(k) / 5.0 - 0.5);
            const double y = s->kind == RISING ? s->amplitude * sin(s->rate * time)
                             : s->kind == FLAG ? s->amplitude * sin(s->wave * x + 0.3 * z - s->rate * time)
                                               : 0.03 * z * z + (s->kind == AT_REST ? 0.03 * x * x : 0.0);
            points[SIDE * i + k] = vec_make(x, y, z);
        }
}

static void put_sheet(tact_world *world, sheet *s, double friction, double restitution, int frames, double duration,
                      bool features)
{
    static tact_vec3 points[MOST_FRAMES * POINTS];
    sheet_points(s, 0.0, points);
    tact_shape *shape = tact_nurbs(&(tact_nurbs_def){
        .degree = {3, 3}, .counts = {SIDE, SIDE}, .knots = {knots, knots}, .points = points, .tolerance = TOLERANCE});
    assert_non_null(shape);
    s->body = tact_body_create(world, &(tact_body_def){.shape = shape,
                                                       .deformable = true,
                                                       .material = {.friction = friction, .restitution = restitution}});
    tact_shape_release(shape);
    assert_int_equal(tact_body_set_feature_events(world, s->body, features), TACT_OK);
    if (s->kind == RISING || s->kind == FLAG) {
        double times[MOST_FRAMES];
        for (int f = 0; f < frames; ++f) {
            times[f] = duration * f / (frames - 1);
            sheet_points(s, times[f], points + (size_t)f * POINTS);
        }
        tact_animation *animation = tact_animation_create(
            &(tact_animation_def){
                .vertices = {.data = points, .count = POINTS}, .frame_count = (size_t)frames, .times = times},
            NULL);
        assert_non_null(animation);
        assert_int_equal(tact_body_play(world, s->body, animation, NULL), TACT_OK);
        tact_animation_release(animation);
        return;
    }
    tact_vec3 velocities[POINTS];
    for (int i = 0; i < POINTS; ++i)
        velocities[i] = vec_make(s->kind == BELT ? s->speed : 0.0, 0.0, 0.0);
    assert_int_equal(tact_body_set_vertex_motion(world, s->body, &(tact_vertex_motion){.velocities = velocities}),
                     TACT_OK);
}

/* The height of the surface below or above a point now; its control points keep x and z, except on a belt. */
static double height_now(const tact_world *world, const sheet *s, tact_vec3 at)
{
    tact_vec3 points[POINTS], out;
    assert_int_equal((int)tact_body_get_control_points(world, s->body, points, POINTS), POINTS);
    const tact_nurbs_def def = {.degree = {3, 3}, .counts = {SIDE, SIDE}, .knots = {knots, knots}, .points = points};
    const double x = at.x - (points[0].x + 0.5 * WIDTH);
    assert_int_equal(tact_nurbs_evaluate(&def, 5.0 * (x / WIDTH + 0.5), 5.0 * (at.z / WIDTH + 0.5), 0, &out), TACT_OK);
    return out.y;
}

static tact_shape *round_shape(int kind, double size)
{
    return kind == 0   ? tact_sphere(size)
           : kind == 1 ? tact_box(2.0 * size, 1.5 * size, 1.8 * size)
                       : tact_capsule(1.2 * size, 0.4 * size);
}

/* The distance of a body from the true surface now; 0: it touches or overlaps it. */
static tact_nurbs_separation gap_of(tact_world *world, const sheet *s, tact_body body)
{
    assert_int_equal(tact_world_sync_transforms(world), TACT_OK);
    return tact_nurbs_distance(tact_body_get_current_shape(world, s->body), tact_identity(),
                               tact_body_get_current_shape(world, body), tact_body_get_transform(world, body), NULL);
}

/* How deep a body is in the triangles of the present shape, which are not the surface where it is bent. */
static double depth_of(tact_world *world, const sheet *s, tact_body body)
{
    const tact_penetration p =
        tact_shapes_penetration(tact_body_get_current_shape(world, body), tact_body_get_transform(world, body),
                                tact_body_get_current_shape(world, s->body), tact_identity());
    assert_int_equal(p.status, TACT_OK);
    return p.depth;
}

static bool is_on_sheet(const tact_world *world, const sheet *s, tact_body body)
{
    tact_vec3 first;
    const tact_vec3 at = place(world, body);
    assert_int_equal((int)tact_body_get_control_points(world, s->body, &first, 1), POINTS);
    const double x = at.x - (first.x + 0.5 * WIDTH);
    return fabs(x) < 0.5 * WIDTH && fabs(at.z) < 0.5 * WIDTH;
}

static bool is_above(const tact_world *world, const sheet *s, tact_body body)
{
    const tact_vec3 at = place(world, body);
    return !is_on_sheet(world, s, body) || at.y > height_now(world, s, at);
}

/* ---- cases ---- */

/* How far from the surface a body of some size may lie: both its triangles and those at another time are within their
 * errors of it, and so is the body. */
static double farthest(double size) { return 2.0 * TOLERANCE + 20.0 * REST_GAP * size; }

static void bodies_rest_on_a_sheet_that_is_planned(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        tact_world *world = falling_world(false);
        sheet s = {.kind = AT_REST};
        put_sheet(world, &s, 0.5, 0.3, 2, 1.0, kind == 1);
        const tact_body body = put(world, round_shape(kind, 0.3), tact_at(0.11, 1.0, 0.07), 2.0, 0.5, 0.3);
        assert_int_equal(tact_body_set_material(world, body, (tact_material){0.5, 0.3, kind == 0 ? 0.05 : 0.0}),
                         TACT_OK);
        for (int i = 0; i < 80; ++i) {
            step(world, 0.1);
            assert_true(is_above(world, &s, body));
            const tact_nurbs_separation gap = gap_of(world, &s, body);
            assert_true(gap.upper > 0.0);
            assert_true(i < 40 || gap.lower < farthest(0.3));
        }
        print_message("shape %d at rest: asleep %d\n", kind, tact_body_is_asleep(world, body));
        tact_vec3 up[POINTS];
        for (int way = 1; way >= -1; way -= 2) { /* it wakes when the sheet begins to move, and follows */
            for (int i = 0; i < POINTS; ++i)
                up[i] = vec_make(0.0, 0.5 * way, 0.0);
            assert_int_equal(tact_body_set_vertex_motion(world, s.body, &(tact_vertex_motion){.velocities = up}),
                             TACT_OK);
            step(world, 1.0);
            const tact_nurbs_separation gap = gap_of(world, &s, body);
            assert_true(gap.upper > 0.0 && gap.lower < farthest(0.3) && is_above(world, &s, body));
        }
        assert_int_equal(tact_body_stop_vertices(world, s.body), TACT_OK);
        for (int i = 0; i < 10; ++i) {
            step(world, 0.1);
            const tact_nurbs_separation gap = gap_of(world, &s, body);
            assert_true(gap.upper > 0.0 && gap.lower < farthest(0.3) && is_above(world, &s, body));
        }
        tact_world_release(world);
    }
}

static void a_belt_carries_bodies(void **state)
{
    (void)state;
    for (int kind = 1; kind < 3; ++kind) {
        tact_world *world = falling_world(false);
        sheet s = {.kind = BELT, .speed = 0.3};
        put_sheet(world, &s, 0.5, 0.0, 2, 1.0, false);
        const tact_body body =
            put(world, round_shape(kind, 0.3),
                turned(vec_make(-1.6, 0.5, 0.07), vec_make(0.0, 0.0, 1.0), kind == 2 ? 0.5 * PI : 0.0), 2.0, 0.5, 0.0);
        step(world, 4.0);
        const tact_vec3 before = place(world, body);
        step(world, 1.0);
        const double speed = place(world, body).x - before.x;
        print_message("shape %d on a belt of speed %g: %.5f\n", kind, s.speed, speed);
        assert_true(fabs(speed - s.speed) < 1e-3);
        tact_world_release(world);
    }
}

static void nobody_passes_through_a_sheet(void **state)
{
    (void)state;
    double nearest[MOTION_COUNT];
    int cases[MOTION_COUNT] = {0}, on_it = 0;
    for (int i = 0; i < MOTION_COUNT; ++i)
        nearest[i] = INFINITY;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(8, 1000); ++seed) {
        random_source r = random_seed(seed);
        sheet s = {.kind = (sheet_motion)(seed % MOTION_COUNT),
                   .amplitude = random_range(&r, 0.05, 0.4),
                   .rate = random_range(&r, 0.5, 5.0),
                   .wave = random_range(&r, 0.3, 1.2),
                   .speed = random_range(&r, -0.4, 0.4)};
        const double friction = random_chance(&r, 0.3) ? 0.0 : random_range(&r, 0.1, 1.0);
        const double restitution = random_chance(&r, 0.4) ? 0.0 : random_range(&r, 0.0, 0.9);
        tact_world *world = falling_world(random_chance(&r, 0.5));
        put_sheet(world, &s, friction, restitution, (int)random_between(&r, 8, MOST_FRAMES), 2.0,
                  random_chance(&r, 0.25));
        tact_body bodies[3];
        double sizes[3];
        const int count = (int)random_between(&r, 1, 3);
        for (int i = 0; i < count; ++i) {
            sizes[i] = random_range(&r, 0.1, 0.4);
            const tact_vec3 at = {1.4 * (i - 1) + random_range(&r, -0.1, 0.1), 1.0 + random_range(&r, 0.0, 0.5),
                                  random_range(&r, -1.0, 1.0)};
            const tact_vec3 axis = {random_range(&r, -1.0, 1.0), random_range(&r, -1.0, 1.0), 0.5};
            bodies[i] =
                put(world, round_shape((int)random_between(&r, 0, 2), sizes[i]),
                    turned(at, axis, random_range(&r, 0.0, 3.0)), random_range(&r, 0.1, 10.0), friction, restitution);
        }
        for (int n = 0; n < 40; ++n) {
            step(world, 0.05);
            for (int i = 0; i < count; ++i) {
                CHECK(is_above(world, &s, bodies[i]), "body %d below the sheet (%s) at %g", i, motion_names[s.kind],
                      tact_world_get_time(world));
                if (!is_on_sheet(world, &s, bodies[i]))
                    continue;
                const tact_nurbs_separation gap = gap_of(world, &s, bodies[i]);
                nearest[s.kind] = fmin(nearest[s.kind], gap.upper);
                /* a flat sheet has no error; there contacts are as deep as those of a mesh */
                CHECK(gap.upper > 0.0 || (s.kind == RISING && depth_of(world, &s, bodies[i]) <= DEPTH * sizes[i]),
                      "body %d touches the surface (%s) at %g", i, motion_names[s.kind], tact_world_get_time(world));
                on_it += n == 39 && gap.lower < farthest(sizes[i]);
            }
        }
        ++cases[s.kind];
        tact_world_release(world);
    }
    for (int i = 0; i < MOTION_COUNT; ++i)
        print_message("%s: %d cases, at least %.2e from the surface\n", motion_names[i], cases[i], nearest[i]);
    print_message("%d bodies on the sheet at the end\n", on_it);
    assert_true(on_it >= cases[AT_REST] + cases[RISING] + cases[BELT] + cases[FLAG]);
}

/* ---- the same world in other ways ---- */

typedef struct flag_scene {
    tact_world *world;
    sheet sheet;
    tact_body bodies[3];
} flag_scene;

static flag_scene make_flag(void)
{
    flag_scene f = {.world = falling_world(false), .sheet = {.kind = FLAG, .amplitude = 0.2, .rate = 3.0, .wave = 1.0}};
    put_sheet(f.world, &f.sheet, 0.5, 0.2, 40, 3.0, false);
    for (int i = 0; i < 3; ++i)
        f.bodies[i] = put(f.world, round_shape(i, 0.25), tact_at(1.2 * (i - 1), 0.8, 0.1), 1.0, 0.5, 0.2);
    return f;
}

/* The same steps and events, however the time is cut into calls. */
static void calls_do_not_matter(void **state)
{
    (void)state;
    flag_scene whole = make_flag(), cut = make_flag();
    step(whole.world, 2.0);
    for (int i = 0; i < 160; ++i)
        step(cut.world, (i + 1) / 80.0 - tact_world_get_time(cut.world));
    step(cut.world, 2.0 - tact_world_get_time(cut.world));
    for (int i = 0; i < 3; ++i) {
        const tact_transform a = tact_body_get_transform(whole.world, whole.bodies[i]),
                             b = tact_body_get_transform(cut.world, cut.bodies[i]);
        assert_memory_equal(&a, &b, sizeof a);
    }
    tact_world_release(whole.world);
    tact_world_release(cut.world);
}

/* In a restored world the surface has other triangles within its tolerance (record.h). Nobody falls through them. */
static void restored_contacts_go_on(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int k = 0; k < 3; ++k) {
        flag_scene f = make_flag();
        step(f.world, 0.53 + 0.41 * k);
        tact_bytes bytes = {0};
        assert_int_equal(tact_world_save(f.world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
        tact_world *again = tact_world_restore(bytes.data, bytes.size, NULL, NULL);
        assert_non_null(again);
        tact_bytes_release(&bytes);
        step(f.world, 0.2);
        step(again, 0.2);
        for (int i = 0; i < 3; ++i) {
            worst = fmax(worst, distance(place(f.world, f.bodies[i]), place(again, f.bodies[i])));
            assert_true(is_above(again, &f.sheet, f.bodies[i]) && gap_of(again, &f.sheet, f.bodies[i]).upper > 0.0);
        }
        tact_world_release(f.world);
        tact_world_release(again);
    }
    print_message("restored: off by %.1e after 0.2\n", worst);
    assert_true(worst < 2.0 * TOLERANCE);
}

/* A box lands on a sheet that bends. Returns the number of calls that had no memory. */
static int land(failing_allocator *memory, long fail_at)
{
    enum { N = 3 };
    static const double few[2 * N] = {0, 0, 0, 1, 1, 1};
    *memory = (failing_allocator){0};
    tact_world *world =
        tact_world_create(&(tact_world_def){.gravity = {0.0, -10.0, 0.0}, .allocator = failing_allocator_make(memory)});
    assert_non_null(world);
    tact_vec3 points[N * N], velocities[N * N];
    for (int i = 0; i < N * N; ++i) {
        points[i] = vec_make(2.0 * (i / N - 1), 0.0, 2.0 * (i % N - 1));
        velocities[i] = vec_make(0.0, i == N * N / 2 ? -0.2 : 0.1, 0.0);
    }
    tact_shape *shape = tact_nurbs(&(tact_nurbs_def){
                   .degree = {2, 2}, .counts = {N, N}, .knots = {few, few}, .points = points, .tolerance = 0.1}),
               *box = tact_box(1.5, 0.5, 1.5);
    const tact_body cloth = tact_body_create(world, &(tact_body_def){.shape = shape, .deformable = true}),
                    body = tact_body_create(
                        world, &(tact_body_def){.shape = box, .transform = tact_at(0.0, 0.4, 0.0), .density = 1.0});
    assert_int_equal(tact_body_set_vertex_motion(world, cloth, &(tact_vertex_motion){.velocities = velocities}),
                     TACT_OK);
    memory->calls = 0;
    memory->fail_at = fail_at;
    int failures = 0;
    for (int i = 0; i < 30; ++i) {
        tact_status status = tact_world_step(world, 1.0 / 60.0);
        if (status != TACT_OK) {
            assert_int_equal(status, TACT_OUT_OF_MEMORY);
            ++failures;
            status = tact_world_step(world, 1.0 / 60.0);
        }
        assert_int_equal(status, TACT_OK);
    }
    assert_true(fabs(tact_body_get_motion(world, body).velocity.y) < 1.0);
    tact_world_release(world);
    tact_shape_release(shape);
    tact_shape_release(box);
    return failures;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    failing_allocator memory;
    assert_int_equal(land(&memory, 0), 0);
    const long calls = memory.calls;
    int failures = 0;
    for (long i = 1; i <= calls; i = next_failure(i))
        failures += land(&memory, i);
    print_message("%ld allocations, %d failures\n", calls, failures);
    assert_true(failures >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_rest_on_a_sheet_that_is_planned),
        cmocka_unit_test(a_belt_carries_bodies),
        cmocka_unit_test(calls_do_not_matter),
        cmocka_unit_test(restored_contacts_go_on),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(nobody_passes_through_a_sheet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
