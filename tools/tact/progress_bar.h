/*
 * A progress bar on stderr for long work. It is drawn only on a terminal, and only after half a second.
 *
 *     progress_bar bar = tact_progress_begin(total bytes);
 *     tact_progress_label(&bar, "reading", path);
 *     tact_progress_set(&bar, bytes so far);
 *     tact_progress_end(&bar);                 the bar is erased: print the results
 */
#ifndef TACT_TOOL_PROGRESS_BAR_H
#define TACT_TOOL_PROGRESS_BAR_H

#include <stdbool.h>

typedef struct progress_bar {
    bool enabled; /* stderr is a terminal that can draw it */
    bool drawn;
    double total, done;         /* in any unit */
    double started, last_drawn; /* seconds on the monotonic clock */
    const char *action, *object;
} progress_bar;

/* Seconds on a monotonic clock. */
double tact_clock_now(void);

progress_bar tact_progress_begin(double total);

/* Sets the text beside the bar, such as "reading" and a file name. The strings are not copied. */
void tact_progress_label(progress_bar *bar, const char *action, const char *object);

/* Sets how much of the total is done. Cheap enough for thousands of calls a second. */
void tact_progress_set(progress_bar *bar, double done);

/* Erases the bar before something else is printed; it is drawn again later. */
void tact_progress_hide(progress_bar *bar);

/* Erases the bar. */
void tact_progress_end(progress_bar *bar);

#endif
