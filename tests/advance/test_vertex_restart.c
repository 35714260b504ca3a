/*
 * Vertices that stop, rest and move again, by the public API: meshes and NURBS surfaces with both engines. Nothing is
 * swept over the rest, contacts in progress go on, the tessellation may have other cells then, and a world that is
 * saved during the rest goes on like its copy.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <tact/tact.h>

enum { ROWS = 4, POINTS = ROWS * ROWS, TRIANGLES = 2 * (ROWS - 1) * (ROWS - 1), MOST_EVENTS = 400 };

/* Obstacles: triangles without and with a vertex motion, and a sphere. */
enum { RIGID_MESH, DEFORMABLE_MESH, MOVING_MESH, SPHERE, OBSTACLES };

typedef struct restart_scene {
    bool nurbs, saves;
    int obstacle;
    tact_kinetic kinetic;
    tact_deforming_engine engine;
} restart_scene;

typedef struct restart_run {
    tact_world *world;
    tact_body sheet, obstacle;
    tact_event events[MOST_EVENTS];
    int count;
} restart_run;

/* A flat sheet over [-1, 1]^2 at height 0: of triangles, or bicubic. */
static tact_shape *sheet_shape(bool nurbs)
{
    static const double knots[8] = {0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0};
    tact_vec3 points[POINTS];
    for (int i = 0; i < POINTS; i++)
        points[i] = (tact_vec3){i / ROWS * 2.0 / (ROWS - 1) - 1.0, i % ROWS * 2.0 / (ROWS - 1) - 1.0, 0.0};
    if (nurbs)
        return tact_nurbs_create(
            &(tact_nurbs_def){
                .degree = {3, 3}, .counts = {ROWS, ROWS}, .knots = {knots, knots}, .points = points, .tolerance = 0.02},
            1, NULL);
    uint32_t indices[3 * TRIANGLES], n = 0;
    for (uint32_t i = 0; i + 1 < ROWS; i++)
        for (uint32_t k = 0; k + 1 < ROWS; k++) {
            const uint32_t a = i * ROWS + k, six[6] = {a, a + ROWS, a + 1, a + 1, a + ROWS, a + ROWS + 1};
            memcpy(indices + n, six, sizeof six);
            n += 6;
        }
    return tact_mesh(points, POINTS, indices, TRIANGLES);
}

/* At height 2 above the sheet, and a part beside and below it: the boxes of both overlap all the time. */
static tact_shape *obstacle_shape(int obstacle)
{
    const tact_vec3 v[6] = {{0.1, 0.2, 2.0},  {0.3, 0.2, 2.1},  {0.2, 0.4, 2.1},
                            {1.5, 0.2, -1.0}, {1.6, 0.2, -1.0}, {1.5, 0.3, -1.0}};
    return obstacle == SPHERE ? tact_sphere(1.0) : tact_mesh(v, 6, (const uint32_t[6]){0, 1, 2, 3, 4, 5}, 2);
}

static void set_velocity(tact_world *world, tact_body body, double z)
{
    tact_vec3 velocities[POINTS];
    for (int i = 0; i < POINTS; i++)
        velocities[i] = (tact_vec3){0.0, 0.0, z};
    assert_int_equal(tact_body_set_vertex_motion(world, body, &(tact_vertex_motion){.velocities = velocities}),
                     TACT_OK);
}

static tact_body add(tact_world *world, tact_shape *shape, bool deformable, bool self_collision, double z)
{
    tact_transform at = tact_identity();
    at.origin.z = z;
    const tact_body body = tact_body_create(
        world,
        &(tact_body_def){.shape = shape, .deformable = deformable, .self_collision = self_collision, .transform = at});
    tact_shape_release(shape);
    return body;
}

static void begin(restart_run *run, const restart_scene *scene)
{
    *run = (restart_run){.world = tact_world_create(NULL)};
    assert_int_equal(tact_world_set_kinetic(run->world, scene->kinetic), TACT_OK);
    assert_int_equal(tact_world_set_deforming_engine(run->world, scene->engine), TACT_OK);
    run->sheet = add(run->world, sheet_shape(scene->nurbs), true, false, 0.0);
    assert_int_equal(tact_body_set_feature_events(run->world, run->sheet, true), TACT_OK);
    run->obstacle = add(run->world, obstacle_shape(scene->obstacle),
                        scene->obstacle == DEFORMABLE_MESH || scene->obstacle == MOVING_MESH, false,
                        scene->obstacle == SPHERE ? 3.0 : 0.0);
    if (scene->obstacle == MOVING_MESH)
        set_velocity(run->world, run->obstacle, 0.0);
}

static void run_until(restart_run *run, double time)
{
    tact_event e;
    while (tact_world_next_event(run->world, time, &e) != TACT_EVENT_NONE) {
        assert_true(run->count < MOST_EVENTS);
        run->events[run->count++] = e;
    }
    assert_int_equal(e.status, TACT_OK);
}

/* The sheet rests until a time; the world may be saved and restored before and after. */
static void rest_until(restart_run *run, const restart_scene *scene, double time)
{
    assert_int_equal(tact_body_stop_vertices(run->world, run->sheet), TACT_OK);
    for (int i = 0; i < 2; i++) {
        run_until(run, i == 0 ? tact_world_get_time(run->world) : time);
        if (!scene->saves)
            continue;
        tact_bytes bytes = {0};
        assert_int_equal(tact_world_save(run->world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
        tact_world_release(run->world);
        run->world = tact_world_restore(bytes.data, bytes.size, NULL, NULL);
        assert_non_null(run->world);
        tact_bytes_release(&bytes);
    }
}

static int count_touches(const restart_run *run, int from)
{
    int touches = 0;
    for (int i = from; i < run->count; i++)
        touches += run->events[i].kind == TACT_EVENT_TOUCH;
    return touches;
}

/* Rises, rests far below the obstacle, and rises to it. The paths before the rest would have reached it. */
static void rise_in_two_parts(restart_run *run, const restart_scene *scene)
{
    begin(run, scene);
    set_velocity(run->world, run->sheet, 1.0);
    run_until(run, 0.5);
    rest_until(run, scene, 5.0);
    set_velocity(run->world, run->sheet, 0.0009765625);
    run_until(run, 6.0);
    assert_int_equal(run->count, 0);
    set_velocity(run->world, run->sheet, 1.0);
    run_until(run, 7.75);
    assert_int_equal(count_touches(run, 0), 1);
    assert_int_equal(run->events[0].kind, TACT_EVENT_TOUCH);
    const double expected = 7.5 - 0.0009765625, time = run->events[0].time;
    assert_true(time <= expected + 1e-9 && time >= expected - (scene->nurbs ? 0.05 : 1e-6));
}

/* Rises into the obstacle, rests there and rises a little: the contact goes on. Falls, rests, and touches again. */
static void rest_in_contact(restart_run *run, const restart_scene *scene)
{
    begin(run, scene);
    set_velocity(run->world, run->sheet, 1.0);
    run_until(run, 2.0625);
    assert_int_equal(count_touches(run, 0), 1);
    rest_until(run, scene, 5.0);
    set_velocity(run->world, run->sheet, 0.0009765625);
    run_until(run, 6.0);
    assert_int_equal(count_touches(run, 0), 1);
    set_velocity(run->world, run->sheet, -1.0);
    run_until(run, 7.0);
    assert_int_equal(count_touches(run, 0), 1);
    rest_until(run, scene, 9.0);
    set_velocity(run->world, run->sheet, 1.0);
    const int before = run->count;
    run_until(run, 10.0625);
    assert_int_equal(count_touches(run, before), 1);
    assert_true(run->events[before].time > 9.8 && run->events[before].time < 10.0);
}

/* Runs all scenes; a world that is saved on the way has the same events. */
static void run_scenes(void (*play)(restart_run *, const restart_scene *))
{
    static const tact_kinetic kinetic[2] = {TACT_KINETIC_SWEEP_AND_PRUNE, TACT_KINETIC_FAT_BOUNDS};
    static const tact_deforming_engine engines[2] = {TACT_DEFORMING_WINDOWS, TACT_DEFORMING_LIST};
    for (int i = 0; i < 2 * OBSTACLES * 4; i++) {
        static restart_run runs[2];
        for (int saves = 0; saves < 2; saves++) {
            const restart_scene scene = {i % 2 != 0, saves != 0, i / 2 % OBSTACLES, kinetic[i / (2 * OBSTACLES) % 2],
                                         engines[i / (4 * OBSTACLES)]};
            play(&runs[saves], &scene);
            tact_world_release(runs[saves].world);
        }
        assert_int_equal(runs[0].count, runs[1].count);
        for (int k = 0; k < runs[0].count; k++) {
            assert_int_equal(runs[0].events[k].kind, runs[1].events[k].kind);
            assert_true(runs[0].events[k].time == runs[1].events[k].time);
        }
    }
}

static void nothing_is_swept_over_a_rest(void **state)
{
    (void)state;
    run_scenes(rise_in_two_parts);
}

static void contacts_go_on_after_a_rest(void **state)
{
    (void)state;
    run_scenes(rest_in_contact);
}

/* A flat motion needs few cells, the next one many: with the obstacle, and with itself. */
static void cells_change_over_a_rest(void **state)
{
    (void)state;
    for (int self = 0; self < 2; self++) {
        tact_world *world = tact_world_create(NULL);
        const tact_body sheet = add(world, sheet_shape(true), true, self != 0, 0.0);
        assert_int_equal(tact_body_set_feature_events(world, sheet, true), TACT_OK);
        const tact_vec3 v[4] = {{0.1, 0.2, 0.005}, {-0.3, 0.0, 1.0}, {0.6, 0.0, 1.0}, {0.2, 0.5, 0.9}};
        add(world, tact_mesh(v, 4, (const uint32_t[12]){0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2}, 4), false, false, 0.0);
        int touches = 0, features = 0;
        for (int round = 0; round < 4; round++) {
            tact_vec3 velocities[POINTS];
            for (int i = 0; i < POINTS; i++)
                velocities[i] = (tact_vec3){0.0, 0.0, round == 0 ? 0.1 : (i + round) % 3 * 2.0 - 2.0};
            assert_int_equal(tact_body_set_vertex_motion(world, sheet, &(tact_vertex_motion){.velocities = velocities}),
                             TACT_OK);
            tact_event e;
            while (tact_world_next_event(world, 0.1 * (round + 1), &e) != TACT_EVENT_NONE) {
                touches += e.kind == TACT_EVENT_TOUCH;
                features += e.kind == TACT_EVENT_FEATURES;
            }
            assert_int_equal(e.status, TACT_OK);
            assert_int_equal(tact_body_stop_vertices(world, sheet), TACT_OK);
            while (tact_world_next_event(world, tact_world_get_time(world), &e) != TACT_EVENT_NONE)
                continue;
            assert_int_equal(e.status, TACT_OK);
        }
        assert_true(touches >= 1 && features >= 1);
        tact_world_release(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_swept_over_a_rest),
        cmocka_unit_test(contacts_go_on_after_a_rest),
        cmocka_unit_test(cells_change_over_a_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
