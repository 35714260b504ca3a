/* Self-collision of deformable bodies in a world test: see tact_body_set_self_collision. */
#ifndef TACT_WORLD_SELF_COLLISION_H
#define TACT_WORLD_SELF_COLLISION_H

#include <tact/world.h>

/* Can a deformable body of this shape collide with itself? It is a mesh. */
bool tact_shape_can_self_collide(const tact_shape *shape);

/* Sets or clears the flag of a body that exists. No observer is notified. world->self_colliding has capacity for all
 * bodies. */
void tact_body_flag_self_collision(tact_world *world, uint32_t index, bool on);

/* The self-tests of a world test, in this order. */

/* Lists the bodies to test. False: out of memory. */
bool tact_self_tests_begin(tact_world *world);

/* Tests them, on several threads. */
void tact_self_tests_run(tact_world *world);

/* Calls the callback for test `number`, if the body touches itself. Uses the current body and response, which callbacks
 * may have changed. A body that has changed since `start` is tested again. */
void tact_self_test_respond(tact_world *world, size_t number, uint64_t start, tact_count *total);

#endif
