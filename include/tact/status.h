/**
 * @file
 * How a call tells that it failed. There is no hidden error state: what can fail returns a #tact_status, or fills in
 * a #tact_report with a sentence for people. A call that failed changed nothing.
 */
#ifndef TACT_STATUS_H
#define TACT_STATUS_H

#include <tact/export.h>

TACT_BEGIN

/** Whether a call could do its work. */
typedef enum tact_status {
    TACT_OK = 0,            /**< done */
    TACT_BAD_ARGUMENT = 1,  /**< NULL, NaN, an infinity, a negative length, a singular placement ... */
    TACT_OUT_OF_MEMORY = 2, /**< the allocator returned NULL */
    TACT_NOT_CONVERGED = 3  /**< the accuracy asked for was not reached; the answer holds the best that was found */
} tact_status;

/** The answer to a yes-or-no question. */
typedef enum tact_state {
    TACT_UNKNOWN = 0, /**< the call failed: see the status beside it */
    TACT_MISS = 1,    /**< no: they do not touch, the ray passes by */
    TACT_HIT = 2      /**< yes */
} tact_state;

/** Room for one sentence of a #tact_report, the final zero included. */
#define TACT_REPORT_TEXT 200

/** A status with a sentence that says what is wrong, such as "a part is missing (NULL)". */
typedef struct tact_report {
    tact_status status;          /**< what kind of failure */
    char text[TACT_REPORT_TEXT]; /**< one line, empty when all went well */
} tact_report;

/** A short fixed text for a status. Never NULL, whatever the value. */
TACT_API const char *tact_status_text(tact_status status);

TACT_END

#endif
