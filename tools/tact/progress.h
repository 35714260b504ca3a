/*
 * A bar on stderr that says how far long work has come. It shows only on a terminal, and only after half a second.
 *
 *     progress bar = tact_progress_begin(bytes in all);
 *     tact_progress_say(&bar, "reading", path);
 *     tact_progress_to(&bar, bytes so far);
 *     tact_progress_end(&bar);                 the bar is gone: print the answer
 */
#ifndef TACT_TOOL_PROGRESS_H
#define TACT_TOOL_PROGRESS_H

#include <stdbool.h>

typedef struct progress {
    bool wanted, shown;
    double whole, done;   /* in any unit */
    double started, last; /* seconds */
    const char *verb, *thing;
} progress;

/* Seconds on a clock that only goes forward. */
double tact_clock_seconds(void);

progress tact_progress_begin(double whole);

/* What is done now; the texts are kept, not copied. */
void tact_progress_say(progress *bar, const char *verb, const char *thing);

/* How much is done; cheap enough to be called thousands of times a second. */
void tact_progress_to(progress *bar, double done);

/* Takes the bar off the terminal. */
void tact_progress_end(progress *bar);

#endif
