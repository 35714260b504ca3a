/* Worlds with gravity, a floor and bodies in contact: what the tests of persistent contacts have in common. Include
 * cmocka.h and math.h before. */
#ifndef TACT_TESTS_SUPPORT_FALLING_WORLD_H
#define TACT_TESTS_SUPPORT_FALLING_WORLD_H

#include <stdbool.h>
#include <tact/tact.h>

#include "support/vec.h"

/* Of the size of the smaller body of a pair (half the longest side of its box): the deepest overlap. */
#define DEPTH 1e-6

/* Of the size: the distance that bodies at rest keep (rigid.h). */
#define REST_GAP 1e-4

#define GRAVITY 9.81

static inline tact_world *new_world(tact_vec3 gravity, bool never_sleeps)
{
    tact_world *world = tact_world_create(&(tact_world_def){.gravity = gravity, .never_sleeps = never_sleeps});
    assert_non_null(world);
    return world;
}

static inline tact_world *falling_world(bool never_sleeps)
{
    return new_world(vec_make(0.0, -GRAVITY, 0.0), never_sleeps);
}

/* A body; the caller's reference to the shape is given to it. Mass 0: kinematic. */
static inline tact_body put(tact_world *world, tact_shape *shape, tact_transform at, double mass, double friction,
                            double restitution)
{
    assert_non_null(shape);
    const tact_body body = tact_body_create(
        world, &(tact_body_def){
                   .shape = shape, .transform = at, .material = {.friction = friction, .restitution = restitution}});
    tact_shape_release(shape);
    assert_int_not_equal(body.generation, 0);
    assert_int_equal(tact_body_set_mass(world, body, mass), TACT_OK);
    return body;
}

/* The floor: its top is y = 0. */
static inline tact_body put_floor(tact_world *world, double friction, double restitution)
{
    return put(world, tact_box(200.0, 2.0, 200.0), tact_at(0.0, -1.0, 0.0), 0.0, friction, restitution);
}

static inline void step(tact_world *world, double duration)
{
    assert_int_equal(tact_world_step(world, duration), TACT_OK);
}

static inline void set_motion(tact_world *world, tact_body body, tact_motion motion)
{
    assert_int_equal(tact_body_set_motion(world, body, motion), TACT_OK);
}

static inline tact_vec3 place(const tact_world *world, tact_body body)
{
    return tact_body_get_transform(world, body).origin;
}

static inline double distance(tact_vec3 a, tact_vec3 b) { return vec_length(vec_sub(a, b)); }

static inline tact_transform turned(tact_vec3 at, tact_vec3 axis, double angle)
{
    return tact_transform_make(at, tact_quat_from_axis_angle(axis, angle), vec_make(1.0, 1.0, 1.0));
}

#endif
