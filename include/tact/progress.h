/**
 * @file
 * Progress of long calls: how a program watches, limits and cancels them. For calls of worlds see
 * tact_world_set_progress, for stateless queries tact_work_begin.
 */
#ifndef TACT_PROGRESS_H
#define TACT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <tact/export.h>
#include <tact/status.h>

TACT_BEGIN

/** Called from time to time, on the calling thread, with the units of work that are done. Returns false to cancel the
 * call. Must not use the world, or call queries. */
typedef bool tact_progress_callback(void *context, uint64_t work);

/** How calls report progress, and when they are cancelled. All zero: no reports, no limit. */
typedef struct tact_progress {
    tact_progress_callback *callback; /**< called some 10,000 times a second or less; NULL: none */
    void *context;                    /**< passed to the callback */
    /** Units of work, after which a call is cancelled; 0: no limit. Work is counted, not timed: with the same input a
     * call stops at the same point on every machine, with any number of threads. */
    uint64_t work_limit;
} tact_progress;

/** The work of the queries between tact_work_begin and tact_work_end. */
typedef struct tact_work {
    uint64_t units; /**< done */
    bool cancelled; /**< a query was cancelled */
} tact_work;

/**
 * From now on counts the work of the stateless queries (query.h, nurbs.h) that this thread calls, reports it and limits
 * it: of all together, up to tact_work_end. #TACT_BAD_ARGUMENT if the last tact_work_begin has no tact_work_end yet.
 *
 *     tact_work_begin((tact_progress){.work_limit = 10000000});
 *     tact_contacts found = tact_shapes_contacts(...);
 *     tact_work work = tact_work_end();
 *
 * A unit is a step of a search, such as a pair of nodes of two trees: about 50 ns. Queries of two convex shapes at one
 * time take a bounded time and are not counted, nor are functions that make or check shapes. A query that is cancelled,
 * and each counted one after it, has the status #TACT_CANCELLED, and what has been found so far:
 * - distance: the closest pair found, so an upper bound; INFINITY if there is none. tact_nurbs_distance: `upper`;
 *   `lower` is 0.
 * - contacts, intersections: those found, in the form of a complete answer. The state is #TACT_UNKNOWN if there are
 *   none. Intersections for which the capacity is too small: none, and the state is #TACT_HIT.
 * - time of impact, shape cast: `time` is a time before which there is no contact.
 * - all others: nothing; a state is #TACT_UNKNOWN.
 *
 * A limit always allows the first unit. In a batch each item has what is left of the limit when the batch begins: its
 * result does not depend on other items, nor on the number of threads. Calls of worlds have limits of their own
 * (tact_world_set_progress): do not make them in between.
 */
TACT_API tact_status tact_work_begin(tact_progress progress);

/** Ends what tact_work_begin began, and returns the work done since; zero if nothing was begun. */
TACT_API tact_work tact_work_end(void);

TACT_END

#endif
