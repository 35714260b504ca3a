/**
 * @file
 * A world: bodies, and what is called when they touch.
 *
 *     tact_world *world = tact_world_create(NULL);
 *     tact_body ship = tact_body_create(world, &(tact_body_def){ .shape = hull, .user = &player });
 *     tact_body rock = tact_body_create(world, &(tact_body_def){ .shape = stone, .user = &asteroid });
 *     tact_world_set_contact_callback(world, (tact_response){ .want = TACT_WITNESS, .call = ouch, .context = &game });
 *     tact_body_set_transform(world, ship, where);      whenever something moves
 *     tact_world_test(world);                   ouch is called if they touch
 *
 * Bodies are made and placed with body.h, responses set with response.h, questions asked with search.h. The broad
 * phase, the pairs that it keeps, and the separating axes that they remember are the world's own business.
 *
 * A world is used by one thread at a time; functions that take a const world may be called by many at once as long as
 * nothing changes it. The same calls give the same answers and the same order of calls, bit for bit, on any number of
 * threads, with any broad phase, and with caching on or off, unless bodies come within rounding (1e-12 of their
 * coordinates) of just touching, when what is remembered may tip the balance.
 */
#ifndef TACT_WORLD_H
#define TACT_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <tact/allocator.h>
#include <tact/body.h>
#include <tact/parallel.h>
#include <tact/response.h>
#include <tact/status.h>
#include <tact/world_query.h>

TACT_BEGIN

/** How a world finds the bodies that may touch. */
typedef enum tact_broad_phase {
    TACT_BROAD_AUTO = 0,        /**< it chooses by what it measures, again and again */
    TACT_BROAD_SWEEP_AND_PRUNE, /**< incremental sweep and prune: for few bodies that move little */
    TACT_BROAD_TREE             /**< a dynamic tree of boxes: for many, of which few move, and for searches */
} tact_broad_phase;

/** How a world that goes through continuous time (advance.h) finds the bodies that may touch. */
typedef enum tact_kinetic {
    TACT_KINETIC_AUTO = 0,        /**< it chooses by the work that it counts, again and again */
    TACT_KINETIC_SWEEP_AND_PRUNE, /**< the sides of moving boxes, sorted along three axes: for bodies that fly the same
                                     way */
    TACT_KINETIC_FAT_BOUNDS       /**< boxes and balls with room to move in, in a tree and a grid: for all others */
} tact_kinetic;

/** What a world begins with. All zero is the default. */
typedef struct tact_world_def {
    tact_broad_phase broad_phase; /**< how pairs are found */
    tact_kinetic kinetic;         /**< and through continuous time */
    bool uncached;                /**< remember no separating axes: see tact_world_set_caching */
    tact_allocator allocator;     /**< where memory comes from */
    tact_parallel parallel;       /**< how tests and batches of searches are spread over threads */
} tact_world_def;

/** Makes an empty world; `def` NULL: all defaults. NULL when there is no memory, or `broad` or
 * `kinetic` is none. */
TACT_API tact_world *tact_world_create(const tact_world_def *def);

/** Gives up the world and all its bodies. NULL is allowed. From a response: nothing more is called, and the world is
 * gone when the test returns. */
TACT_API void tact_world_release(tact_world *world);

TACT_API size_t tact_world_body_count(const tact_world *world); /**< how many bodies there are; 0 for NULL */

/** Another broad phase, at any time. No answer changes. */
TACT_API tact_status tact_world_set_broad_phase(tact_world *world, tact_broad_phase broad);

/** Another way to find pairs through continuous time, at any time. No event changes, but for rounding (which grows
 * where bodies bounce: after some ten bounces of a gas two runs go their own ways) and for the moments at which bodies
 * that drift are asked. */
TACT_API tact_status tact_world_set_kinetic(tact_world *world, tact_kinetic kinetic);

/** Whether the axis that separated a pair is remembered for the next test, at any time. No answer changes, on is
 * faster. (The broad phase is at work in either case.) */
TACT_API tact_status tact_world_set_caching(tact_world *world, bool on);

TACT_API tact_broad_phase
tact_world_get_broad_phase(const tact_world *world);                   /**< as asked for; that at work may change */
TACT_API tact_kinetic tact_world_get_kinetic(const tact_world *world); /**< as asked for; that at work may change */
TACT_API bool tact_world_get_caching(const tact_world *world);         /**< whether it is on; not for NULL */

/**
 * What touches now? Calls the response of every pair of bodies that touch, and returns how many calls there were.
 *
 * Calls come in an order that depends on nothing but the calls made to this world before. While they are made, anything
 * may be done to the world but to test it (a test within a test is refused: #TACT_BAD_ARGUMENT, 0 calls).
 * The pairs looked at are those whose bounds met when the test began. Each one is taken as it is when its turn
 * comes: it is left out if one of its bodies is gone by then or their filters exclude each other, decided anew if one
 * has been placed, deformed or given another shape, and answered by the response that counts by then. Bodies made, and
 * pairs whose bounds began to meet, are looked at by the next test: to be sure that all is well after
 * responses that move things, test until there is nothing to call.
 *
 * The status is #TACT_OUT_OF_MEMORY, with 0 calls, if there is no memory for the pairs; the test may be repeated. If a
 * pair cannot be decided (a user's own support function that gives no numbers), the others are, it is not called, and
 * the status is the first of those that the queries gave.
 *
 * Cost: that of the broad phase for what has moved, and of tact_shapes_overlap for each pair that has a response,
 * spread over threads if there are many. Memory is taken only when there are more pairs than ever before.
 */
TACT_API tact_count tact_world_test(tact_world *world);

/** Stores where the bodies are as the previous frame, for #TACT_PREVIOUS: to be called when all is well, when no
 * bodies with such a response touch. Costs time for those placed since the last call alone. */
TACT_API tact_status tact_world_store_previous(tact_world *world);

TACT_END

#endif
