/**
 * @file
 * Errors. A function that can fail returns a #tact_status, NULL or a zero value. Those that create shapes also have a
 * form that fills in a #tact_report with a readable message. There is no hidden error state. A call that fails changes
 * nothing, unless its documentation says otherwise.
 */
#ifndef TACT_STATUS_H
#define TACT_STATUS_H

#include <tact/export.h>

TACT_BEGIN

/** Whether a call succeeded. */
typedef enum tact_status {
    TACT_OK = 0,            /**< success */
    TACT_BAD_ARGUMENT = 1,  /**< an invalid argument, such as NULL, NaN, a negative length, a singular transform */
    TACT_OUT_OF_MEMORY = 2, /**< the allocator returned NULL, or an array of the caller is too small */
    TACT_NOT_CONVERGED = 3, /**< the requested accuracy was not reached; the result is the best one found */
    TACT_CANCELLED = 4      /**< the call was cancelled: see progress.h */
} tact_status;

/** The answer to a yes-or-no query. */
typedef enum tact_state {
    TACT_UNKNOWN = 0, /**< the query failed: see the status in the same result */
    TACT_MISS = 1,    /**< no: the shapes are disjoint, the ray misses */
    TACT_HIT = 2      /**< yes */
} tact_state;

/** Capacity of tact_report::text in bytes, including the terminating zero. */
#define TACT_REPORT_TEXT 200

/** A status and a message that explains it, such as "a part is missing (NULL)". */
typedef struct tact_report {
    tact_status status;          /**< kind of failure */
    char text[TACT_REPORT_TEXT]; /**< one line; empty on success */
} tact_report;

/** Returns a short fixed text for a status. Never NULL, for any value. */
TACT_API const char *tact_status_text(tact_status status);

TACT_END

#endif
