/**
 * @file
 * A world: bodies, and the callbacks that are called when they touch.
 *
 *     tact_world *world = tact_world_create(NULL);
 *     tact_body ship = tact_body_create(world, &(tact_body_def){ .shape = hull, .user = &player });
 *     tact_body rock = tact_body_create(world, &(tact_body_def){ .shape = stone, .user = &asteroid });
 *     tact_world_set_contact_callback(world, (tact_response){ .want = TACT_WITNESS, .callback = on_contact });
 *     tact_body_set_transform(world, ship, where);  // whenever a body moves
 *     tact_world_test(world);                       // calls on_contact for each pair that touches
 *
 * body.h creates and moves bodies, response.h sets callbacks, world_query.h has ray casts and other queries. The world
 * owns the broad phase, the overlapping pairs and their cached separating axes.
 *
 * **Threads.** A world is used by one thread at a time. Functions that take a const world may run concurrently while no
 * call changes the world.
 *
 * **Determinism.** The same calls give bit-identical results and the same order of callbacks. This holds for any
 * number of threads, any broad phase of tests, and with caching on or off. There are two exceptions:
 * - If the absolute signed distance of a pair is below 1e-12 of its largest coordinate, the cached axis may decide.
 * - The body that tact_query::any finds may depend on the broad phase.
 */
#ifndef TACT_WORLD_H
#define TACT_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <tact/allocator.h>
#include <tact/body.h>
#include <tact/parallel.h>
#include <tact/progress.h>
#include <tact/response.h>
#include <tact/status.h>
#include <tact/world_query.h>

TACT_BEGIN

/** Broad phase of tact_world_test: how a world finds pairs of bodies that may touch. */
typedef enum tact_broad_phase {
    TACT_BROAD_AUTO = 0,        /**< Tact chooses by a cost model, and changes its choice when the scene changes */
    TACT_BROAD_SWEEP_AND_PRUNE, /**< incremental sweep and prune: if few bodies move, each by half its box or more */
    TACT_BROAD_TREE             /**< dynamic AABB tree: for most scenes, and for world queries */
} tact_broad_phase;

/** Broad phase in continuous time (advance.h). *Kinetic*: it handles moving bodies and is updated at events instead of
 * frames. */
typedef enum tact_kinetic {
    TACT_KINETIC_AUTO = 0,        /**< Tact chooses by a cost model, and changes its choice when the scene changes */
    TACT_KINETIC_SWEEP_AND_PRUNE, /**< moving box endpoints, sorted on three axes: for bodies of similar velocity */
    TACT_KINETIC_FAT_BOUNDS       /**< fat boxes in a tree and fat spheres in a grid: for all other scenes */
} tact_kinetic;

/** Options of a world. All zero: defaults. */
typedef struct tact_world_def {
    tact_broad_phase broad_phase; /**< broad phase of tests */
    tact_kinetic kinetic;         /**< broad phase in continuous time */
    tact_vec3 gravity;            /**< acceleration of all bodies with a mass, see tact_world_set_gravity */
    double contact_step;          /**< see tact_world_set_contact_step; 0: the default */
    bool never_sleeps;            /**< islands do not fall asleep, see tact_world_set_sleeping */
    bool uncached;                /**< do not cache separating axes, see tact_world_set_caching */
    tact_allocator allocator;     /**< allocator for the world's memory */
    tact_parallel parallel;       /**< parallel loop for tests and batches */
} tact_world_def;

/** Creates an empty world; `def` NULL: defaults. Returns NULL if memory runs out, or if an enum value, the gravity or
 * the contact step is invalid. */
TACT_API tact_world *tact_world_create(const tact_world_def *def);

/** Destroys a world and its bodies. NULL is allowed. If it is called in a contact callback, no further callback is
 * called, and the world is destroyed when the test or advance returns. */
TACT_API void tact_world_release(tact_world *world);

/** Returns the number of bodies; 0 for NULL. */
TACT_API size_t tact_world_body_count(const tact_world *world);

/** Selects the broad phase of tests, at any time. Results do not change, except those of tact_query::any. */
TACT_API tact_status tact_world_set_broad_phase(tact_world *world, tact_broad_phase broad_phase);

/** Selects the broad phase in continuous time, at any time. The times of events and of motion callbacks change only by
 * rounding errors. Bounces amplify rounding errors: in a gas of bouncing bodies the events differ after about ten
 * bounces per body. */
TACT_API tact_status tact_world_set_kinetic(tact_world *world, tact_kinetic kinetic);

/**
 * Sets how long calls report progress, and when they are cancelled: from the next call on. A call that is cancelled
 * returns #TACT_CANCELLED and leaves the world valid:
 * - tact_world_next_event, tact_world_advance, tact_world_step: the world is at the time of the last event. The same
 *   call again goes on from there, and reports what it would have reported at once. A unit of work is an event inside
 *   the world (a touch, the search for one, an expired bound), a swap of the sweep and prune, or a contact step.
 * - tact_step_resolve: nothing has changed. A unit of work is 1,000 tests of features, or an iteration.
 * - tact_world_test: if no callback has been called yet, it is as if there had been no test. Otherwise the contacts
 * that were not reported keep their phase. A unit of work is 1,000 steps of shape queries (progress.h).
 * - queries of the world (world_query.h): what has been found so far, in the form of an answer. The same unit; in a
 * batch each query has the limit.
 *
 * With a limit, each call still does at least one unit of work. Queries of two convex shapes at one time take a bounded
 * time, and are not cancelled. A recording (record.h) ends with a call that is cancelled.
 */
TACT_API tact_status tact_world_set_progress(tact_world *world, tact_progress progress);

/** Turns the caching of separating axes on or off, at any time. Caching makes tests faster. Results do not change,
 * except for pairs whose absolute signed distance is below 1e-12 of their largest coordinate. */
TACT_API tact_status tact_world_set_caching(tact_world *world, bool on);

TACT_API tact_broad_phase tact_world_get_broad_phase(const tact_world *world); /**< the setting, AUTO included */
TACT_API tact_kinetic tact_world_get_kinetic(const tact_world *world);         /**< the setting, AUTO included */
TACT_API bool tact_world_get_caching(const tact_world *world);                 /**< whether it is on; false for NULL */

/**
 * Finds all pairs of bodies that touch now, calls their callbacks, and returns the number of calls. The self-contacts
 * of bodies that are tested against themselves (tact_body_set_self_collision) follow after all pairs, and then the
 * pairs that have ended, if their response wants that (tact_response::report_end). Pairs that are apart are found, too,
 * if their bodies have a reach (tact_body_set_reach).
 *
 * The order of the callbacks depends only on the calls made to this world before. A callback may change the world in
 * any way, but it must not test the world: a nested test returns #TACT_BAD_ARGUMENT and makes no call.
 *
 * **Changes during a test.** The test examines the pairs whose boxes overlap when it begins, one after the other. A
 * callback may change bodies of pairs that are still to be examined:
 * - A pair is skipped if one of its bodies has been removed, or if their filters now exclude each other.
 * - A pair is tested again if one of its bodies now has another transform, other vertices or another shape.
 * - The response is the one that applies when the pair is examined.
 * - Likewise, a body is not tested against itself if it was removed or its self-collision turned off, and it is tested
 *   again if it was changed. Self-collision that is turned on during the test begins with the next test.
 * - Bodies created during the test, and pairs whose boxes begin to overlap during the test, are left to the next test.
 *
 * So if callbacks move bodies, repeat the test until it makes no call.
 *
 * **Failure.** If there is no memory for the pairs, the status is #TACT_OUT_OF_MEMORY, no callback is called, and the
 * test may be repeated, with the same phases. If the query of a pair fails (a custom support function returns numbers
 * that are not finite), only this pair is skipped. The status is then that of the first pair that failed.
 *
 * **Cost**: the broad phase for the bodies that moved, and one tact_shapes_overlap per pair with a callback, on several
 * threads if there are many. A self-collision test with a callback costs 0.3 to 0.7 us per triangle, more where the
 * mesh is folded; several bodies are tested on several threads. The contact data comes on top. Memory for pairs is
 * reused: the test allocates only when their number exceeds its previous maximum. The contact data may also allocate
 * (penetration depth, intersections).
 */
TACT_API tact_count tact_world_test(tact_world *world);

/** Stores the current transforms and vertices as the previous frame for #TACT_PREVIOUS. Call it when all contacts are
 * resolved: for a pair that touches now, #TACT_PREVIOUS will give a zero normal. Cost: proportional to the number of
 * bodies that moved since the last call. */
TACT_API tact_status tact_world_store_previous(tact_world *world);

TACT_END

#endif
