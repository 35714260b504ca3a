/**
 * @file
 * Progress of long calls: how a program watches, limits and cancels them. See tact_world_set_progress.
 */
#ifndef TACT_PROGRESS_H
#define TACT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <tact/export.h>

TACT_BEGIN

/** Called from time to time during a call with the units of work that it has done. Returns false to cancel it. Must not
 * use the world. */
typedef bool tact_progress_callback(void *context, uint64_t work);

/** How calls report progress, and when they are cancelled. All zero: no reports, no limit. */
typedef struct tact_progress {
    tact_progress_callback *callback; /**< called after every 64 units or more; NULL: none */
    void *context;                    /**< passed to the callback */
    /** Units of work of one call, after which it is cancelled; 0: no limit. Work is counted, not timed: a call with
     * the same input stops at the same point on every machine, with any number of threads. */
    uint64_t work_limit;
} tact_progress;

TACT_END

#endif
