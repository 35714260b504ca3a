/* Bodies in contact with fine meshes: the work does not depend on the number of coplanar triangles, edges between them
 * are not felt, and bodies come to rest and sleep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <tact/tact.h>

#include "support/falling_world.h"
#include "support/random.h"
#include "support/stepped_mesh.h"

/* ---- work ---- */

static tact_vec3 counted_ball(void *context, tact_vec3 direction)
{
    ++*(long *)context;
    return vec_scale(vec_normalize(direction), 0.5);
}

/* The evaluations of the support function of a ball that bounces, and then of one that rests, on a mesh. */
static void count_work(int cells, long work[2])
{
    long count = 0;
    tact_world *world = falling_world(true);
    (void)put(world, flat_mesh(cells, 10.0), tact_identity(), 0.0, 0.5, 0.0);
    const tact_body ball =
        put(world, tact_custom(counted_ball, &count, 0.5), tact_at(0.123, 0.9, 0.217), 1.0, 0.5, 0.0);
    count = 0;
    for (int i = 0; i < 10; ++i) {
        tact_event e;
        assert_int_equal(tact_world_next_event(world, 100.0, &e), TACT_EVENT_TOUCH);
        assert_int_equal(tact_world_bounce(world, &e, 1.0), TACT_OK);
    }
    work[0] = count;
    set_motion(world, ball, tact_motion_still());
    assert_int_equal(tact_body_set_transform(world, ball, tact_at(0.123, 0.50005, 0.217)), TACT_OK);
    for (int i = 0; i < 30; ++i)
        step(world, 1.0 / 60.0);
    count = 0;
    for (int i = 0; i < 60; ++i)
        step(world, 1.0 / 60.0);
    work[1] = count;
    assert_true(place(world, ball).y > 0.5 - DEPTH * 0.5);
    tact_world_release(world);
}

static void work_does_not_grow_with_the_triangles(void **state)
{
    (void)state;
    long few[2], many[2];
    count_work(10, few);
    count_work(160, many);
    assert_true(few[0] > 100 && few[1] > 100);
    for (int i = 0; i < 2; ++i)
        assert_true(many[i] < 2 * few[i]);
}

/* ---- rest ---- */

static void boxes_on_a_fine_mesh_fall_asleep(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        random_source random = random_seed(seed);
        const bool slanting = seed % 2 == 0; /* the mesh itself, so that its vertices are rounded */
        stepped_mesh s = stepped_mesh_make(100, 100, 0.1, 0.0, false, &random);
        const tact_transform tilt = turned(vec_make(0, 0, 0), vec_make(1, 0, 2), slanting ? 0.2 : 0.0);
        for (uint32_t i = 0; i < s.vertex_count; ++i)
            s.vertices[i] = tact_transform_point(tilt, s.vertices[i]);
        tact_world *world = falling_world(false);
        tact_shape *terrain = stepped_mesh_shape(&s);
        (void)put(world, tact_shape_retain(terrain), tact_identity(), 0.0, 0.5, 0.0);
        tact_body boxes[4];
        for (int i = 0; i < 4; ++i)
            boxes[i] = put(world, tact_box(1.0, 1.0, 1.0),
                           tact_transform_make(vec_make(1.8 * (i % 2) - 0.9, 1.6, 1.8 * (i / 2) - 0.9),
                                               random_rotation(&random), vec_make(1, 1, 1)),
                           1.0, 0.5, 0.0);
        int asleep = 0;
        for (int frame = 0; frame < 240 && asleep < 4; ++frame) {
            step(world, 1.0 / 60.0);
            asleep = 0;
            for (int i = 0; i < 4; ++i) {
                const tact_penetration p =
                    tact_shapes_penetration(terrain, tact_identity(), tact_body_get_shape(world, boxes[i]),
                                            tact_body_get_transform(world, boxes[i]));
                if (p.depth > 0.5 * DEPTH)
                    fail_msg("seed %llu, frame %d: depth %g", (unsigned long long)seed, frame, p.depth);
                asleep += tact_body_is_asleep(world, boxes[i]);
            }
        }
        if (asleep < 4)
            fail_msg("seed %llu: %d asleep", (unsigned long long)seed, asleep);
        tact_world_release(world);
        tact_shape_release(terrain);
        stepped_mesh_release(&s);
    }
}

/* ---- edges between coplanar triangles ---- */

typedef struct slide {
    tact_vec3 place, velocity, spin;
} slide;

/* A box that slides for a second, on a mesh or on a box, both inclined. */
static void run_slide(bool mesh, double friction, slide frames[60])
{
    tact_world *world = falling_world(true);
    const tact_transform at = turned(vec_make(0, 0, 0), vec_make(0, 0, 1), 0.3);
    if (mesh)
        (void)put(world, flat_mesh(300, 30.0), at, 0.0, friction, 0.0);
    else
        (void)put(world, tact_box(30.0, 1.0, 30.0), tact_transform_compose(at, tact_at(0.0, -0.5, 0.0)), 0.0, friction,
                  0.0);
    const tact_body box = put(world, tact_box(1.0, 0.5, 1.0),
                              tact_transform_compose(at, tact_at(0.123, 0.25005, 0.217)), 1.0, friction, 0.0);
    set_motion(world, box, (tact_motion){.velocity = vec_scale(vec_normalize(vec_add(at.x_axis, at.z_axis)), 3.0)});
    for (int i = 0; i < 60; ++i) {
        step(world, 1.0 / 60.0);
        const tact_motion m = tact_body_get_motion(world, box);
        frames[i] = (slide){place(world, box), m.velocity, m.spin};
    }
    tact_world_release(world);
}

static void boxes_do_not_feel_inner_edges(void **state)
{
    (void)state;
    static slide on_mesh[60], on_box[60];
    for (int rough = 0; rough < 2; ++rough) {
        run_slide(true, 0.3 * rough, on_mesh);
        run_slide(false, 0.3 * rough, on_box);
        assert_true(distance(on_mesh[59].place, on_mesh[0].place) > 0.8); /* over some ten cells */
        for (int i = 0; i < 60; ++i) {
            if (distance(on_mesh[i].velocity, on_box[i].velocity) > 1e-5 ||
                distance(on_mesh[i].place, on_box[i].place) > 1e-5 || vec_length(on_mesh[i].spin) > 1e-4)
                fail_msg("friction %g, frame %d: velocity off by %g, place by %g, spin %g", 0.3 * rough, i,
                         distance(on_mesh[i].velocity, on_box[i].velocity), distance(on_mesh[i].place, on_box[i].place),
                         vec_length(on_mesh[i].spin));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_does_not_grow_with_the_triangles),
        cmocka_unit_test(boxes_on_a_fine_mesh_fall_asleep),
        cmocka_unit_test(boxes_do_not_feel_inner_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
