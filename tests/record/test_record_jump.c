/*
 * A rigid body jumps across a deforming sheet, from near or far away, before the world is saved, just after that, or
 * later: the restored world reports the same contacts on the way. (Bounds of bodies have margins that are not saved;
 * the answers must not depend on them.)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <tact/tact.h>

#include "oracle/dice.h"
#include "support/seeded_cases.h"

enum { SIDE = 5, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1), MOST = 256 };

typedef struct jump_scene {
    tact_world *world;
    tact_body box;
} jump_scene;

/* A sheet about z = 0, whose vertices move slowly or rest, and a box above it. */
static jump_scene make_scene(dice *d, tact_kinetic engine)
{
    tact_vec3 points[VERTICES], velocities[VERTICES];
    uint32_t triangles[TRIANGLES][3], count = 0;
    const double speed = dice_pick(d, 3) == 0 ? dice_between(d, 0.0, 0.1) : 0.0;
    for (int i = 0; i < VERTICES; ++i) {
        points[i] = (tact_vec3){i / SIDE - 2.0, i % SIDE - 2.0, dice_between(d, -0.05, 0.05)};
        velocities[i] =
            (tact_vec3){dice_between(d, -speed, speed), dice_between(d, -speed, speed), dice_between(d, -speed, speed)};
    }
    for (uint32_t i = 0; i + 1 < SIDE; ++i)
        for (uint32_t k = 0; k + 1 < SIDE; ++k) {
            const uint32_t v = SIDE * i + k, cell[2][3] = {{v, v + SIDE, v + SIDE + 1}, {v, v + SIDE + 1, v + 1}};
            for (int t = 0; t < 6; ++t)
                triangles[count + (uint32_t)t / 3][t % 3] = cell[t / 3][t % 3];
            count += 2;
        }
    jump_scene s = {.world = tact_world_create(NULL)};
    assert_int_equal(tact_world_set_kinetic(s.world, engine), TACT_OK);
    tact_shape *mesh = tact_mesh(points, VERTICES, triangles[0], TRIANGLES), *cube = tact_box(0.5, 0.5, 0.5);
    const tact_body sheet = tact_body_create(s.world, &(tact_body_def){.shape = mesh, .deformable = true});
    const double fast = dice_pick(d, 3) == 0 ? dice_between(d, 0.0, 0.5) : 0.0;
    const tact_vec3 at = {dice_between(d, -1.0, 1.0), dice_between(d, -1.0, 1.0), dice_between(d, 0.8, 1.5)};
    s.box = tact_body_create(s.world, &(tact_body_def){.shape = cube,
                                                       .transform = tact_at(at.x, at.y, at.z),
                                                       .motion = tact_motion_linear(dice_between(d, -fast, fast),
                                                                                    dice_between(d, -fast, fast),
                                                                                    dice_between(d, 0.0, fast))});
    assert_int_equal(tact_body_set_feature_events(s.world, sheet, true), TACT_OK);
    assert_int_equal(
        tact_body_set_vertex_motion(s.world, sheet, &(tact_vertex_motion){.velocities = velocities, .count = VERTICES}),
        TACT_OK);
    tact_shape_release(mesh);
    tact_shape_release(cube);
    return s;
}

static long take_features(tact_world *world, double until, tact_event *events)
{
    long count = 0;
    tact_event e;
    while (tact_world_next_event(world, until, &e) != TACT_EVENT_NONE)
        if (e.kind == TACT_EVENT_FEATURES && count < MOST)
            events[count++] = e;
    return count;
}

/* The contacts on the way all have the time of the jump, and may come in another order. */
static int compare_features(const void *one, const void *other)
{
    const tact_event *x = one, *y = other;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->features.kind != y->features.kind)
        return x->features.kind < y->features.kind ? -1 : 1;
    for (int i = 0; i < 4; ++i)
        if (x->features.vertices[i] != y->features.vertices[i])
            return x->features.vertices[i] < y->features.vertices[i] ? -1 : 1;
    return 0;
}

static void a_jump_next_to_a_save_is_restored(void **state)
{
    (void)state;
    static tact_event first[MOST], second[MOST];
    long crossings = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(240); ++seed) {
        dice d = dice_for(seed, 47, 0);
        const bool jump_first = seed % 2 == 0, later = seed % 8 == 1 || seed % 8 == 3;
        jump_scene s = make_scene(&d, seed % 3 == 0   ? TACT_KINETIC_FAT_BOUNDS
                                      : seed % 3 == 1 ? TACT_KINETIC_SWEEP_AND_PRUNE
                                                      : TACT_KINETIC_AUTO);
        tact_bytes bytes = {0};
        double now = dice_between(&d, 0.01, 1.0);
        (void)take_features(s.world, now, first);
        /* most often from and to where the bounds of both hardly overlap */
        if (dice_pick(&d, 4) == 0)
            assert_int_equal(tact_body_set_transform(s.world, s.box, tact_at(0.0, 0.0, dice_between(&d, 2.0, 60.0))),
                             TACT_OK);
        (void)take_features(s.world, now, first);
        const double depth = dice_pick(&d, 4) == 0 ? dice_between(&d, 0.2, 60.0) : dice_between(&d, 0.5, 1.6);
        const tact_transform to = tact_at(dice_between(&d, -1.0, 1.0), dice_between(&d, -1.0, 1.0), -depth);
        if (jump_first)
            assert_int_equal(tact_body_set_transform(s.world, s.box, to), TACT_OK);
        if (jump_first && seed % 3 == 0) { /* some of its contacts have been reported when the world is saved */
            tact_event e;
            for (int k = dice_pick(&d, 12); k >= 0; --k)
                (void)tact_world_next_event(s.world, now, &e);
        }
        assert_int_equal(tact_world_save(s.world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
        tact_world *restored = tact_world_restore(bytes.data, bytes.size, NULL, NULL);
        assert_non_null(restored);
        if (later) {
            now += dice_between(&d, 0.0, 0.3);
            const long one = take_features(s.world, now, first), two = take_features(restored, now, second);
            CHECK(one == two, "%ld events before the jump, restored %ld", one, two);
        }
        if (!jump_first) {
            assert_int_equal(tact_body_set_transform(s.world, s.box, to), TACT_OK);
            assert_int_equal(tact_body_set_transform(restored, s.box, to), TACT_OK);
        }
        const long one = take_features(s.world, now + 0.5, first), two = take_features(restored, now + 0.5, second);
        CHECK(one == two, "%ld events, restored %ld; %s", one, two,
              jump_first ? "jump, save"
              : later    ? "save, later jump"
                         : "save, jump");
        qsort(first, (size_t)one, sizeof *first, compare_features);
        qsort(second, (size_t)two, sizeof *second, compare_features);
        for (long i = 0; i < one; ++i)
            CHECK(compare_features(&first[i], &second[i]) == 0, "event %ld, at %.17g and %.17g", i, first[i].time,
                  second[i].time);
        crossings += one > 0 && first[0].time == now;
        tact_world_release(s.world);
        tact_world_release(restored);
        tact_bytes_release(&bytes);
    }
    print_message("%ld jumps across the sheet\n", crossings);
    if (!few_cases())
        assert_true(crossings > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_jump_next_to_a_save_is_restored)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
