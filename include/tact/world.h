/**
 * @file
 * A world: bodies, and the callbacks that are called when they touch.
 *
 *     tact_world *world = tact_world_create(NULL);
 *     tact_body ship = tact_body_create(world, &(tact_body_def){ .shape = hull, .user = &player });
 *     tact_body rock = tact_body_create(world, &(tact_body_def){ .shape = stone, .user = &asteroid });
 *     tact_world_set_contact_callback(world, (tact_response){ .want = TACT_WITNESS, .callback = ouch, .context = &game
 * }); tact_body_set_transform(world, ship, where);      whenever something moves tact_world_test(world); ouch is called
 * if they touch
 *
 * Bodies are created and moved with body.h, callbacks set with response.h, ray casts and other searches made with
 * world_query.h. The world owns the broad phase, the overlapping pairs and their cached separating axes.
 *
 * A world is used by one thread at a time; functions that take a const world may run concurrently while nothing changes
 * it. The same calls give the same results and the same order of callbacks, bit for bit, for any number of threads, any
 * broad phase, and with caching on or off. The exception is a pair within rounding (1e-12 of the coordinates) of just
 * touching, where the cached axis can decide.
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

/** Broad phase of tact_world_test: how a world finds pairs of bodies that may touch. */
typedef enum tact_broad_phase {
    TACT_BROAD_AUTO = 0,        /**< chooses by a cost model, continuously */
    TACT_BROAD_SWEEP_AND_PRUNE, /**< incremental sweep and prune: few bodies that move little */
    TACT_BROAD_TREE             /**< dynamic AABB tree: many bodies of which few move, and searches */
} tact_broad_phase;

/** Broad phase in continuous time (advance.h). */
typedef enum tact_kinetic {
    TACT_KINETIC_AUTO = 0,        /**< chooses by a cost model, continuously */
    TACT_KINETIC_SWEEP_AND_PRUNE, /**< moving box endpoints, sorted on three axes: bodies that move the same way */
    TACT_KINETIC_FAT_BOUNDS       /**< fat boxes in a tree and fat spheres in a grid: all other scenes */
} tact_kinetic;

/** Options of a world. All zero: defaults. */
typedef struct tact_world_def {
    tact_broad_phase broad_phase; /**< broad phase of tests */
    tact_kinetic kinetic;         /**< broad phase in continuous time */
    bool uncached;                /**< do not cache separating axes, see tact_world_set_caching */
    tact_allocator allocator;     /**< allocator for the world's memory */
    tact_parallel parallel;       /**< parallel loop for tests and batches */
} tact_world_def;

/** Creates an empty world; `def` NULL: defaults. Returns NULL if memory runs out or an enum value is invalid. */
TACT_API tact_world *tact_world_create(const tact_world_def *def);

/** Destroys a world and its bodies. NULL is allowed. From a contact callback: no further callback is called, and the
 * world is destroyed when the test returns. */
TACT_API void tact_world_release(tact_world *world);

/** Returns the number of bodies; 0 for NULL. */
TACT_API size_t tact_world_body_count(const tact_world *world);

/** Selects the broad phase of tests, at any time. No result changes. */
TACT_API tact_status tact_world_set_broad_phase(tact_world *world, tact_broad_phase broad_phase);

/** Selects the broad phase in continuous time, at any time. Events change only by rounding (where bodies bounce,
 * rounding grows: after some ten bounces two runs of a gas differ), and so do the times at which motion callbacks are
 * called. */
TACT_API tact_status tact_world_set_kinetic(tact_world *world, tact_kinetic kinetic);

/** Turns the caching of separating axes on or off, at any time. No result changes; on is faster. */
TACT_API tact_status tact_world_set_caching(tact_world *world, bool on);

TACT_API tact_broad_phase tact_world_get_broad_phase(const tact_world *world); /**< as set; AUTO stays AUTO */
TACT_API tact_kinetic tact_world_get_kinetic(const tact_world *world);         /**< as set; AUTO stays AUTO */
TACT_API bool tact_world_get_caching(const tact_world *world);                 /**< whether it is on; false for NULL */

/**
 * Finds all pairs of bodies that touch now, calls their callbacks, and returns the number of calls.
 *
 * The order of the calls depends only on the calls made to this world before. A callback may change the world in any
 * way, but a nested test is rejected (#TACT_BAD_ARGUMENT, 0 calls).
 *
 * The test examines the pairs whose boxes overlap when it begins, each in its state at its turn. A pair is skipped if
 * one of its bodies has been removed or their filters exclude each other. It is decided again if one of its bodies has
 * a new transform, new vertices or another shape. The response that applies at that moment is called. Bodies created,
 * and pairs whose boxes begin to overlap, during a test are examined by the next test. So after callbacks that move
 * bodies, repeat the test until it makes no call.
 *
 * #TACT_OUT_OF_MEMORY, with 0 calls, if there is no memory for the pairs; the test may be repeated. If a pair cannot be
 * decided (a custom support function that returns no finite numbers), it is skipped, the others are not, and the status
 * is that of the first such pair.
 *
 * Cost: that of the broad phase for the bodies that moved, and one tact_shapes_overlap for each pair with a callback,
 * on several threads if there are many. Allocates only when there are more pairs than ever before.
 */
TACT_API tact_count tact_world_test(tact_world *world);

/** Stores the current transforms and vertices as the previous frame for #TACT_PREVIOUS. Call it when no pair with such
 * a response touches. Cost: proportional to the bodies that moved since the last call. */
TACT_API tact_status tact_world_store_previous(tact_world *world);

TACT_END

#endif
