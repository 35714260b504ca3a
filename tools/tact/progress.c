/* POSIX, for isatty and clock_gettime. */
#define _POSIX_C_SOURCE 200809L

#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SHOW_AFTER 0.5 /* seconds: shorter work needs no bar */
#define SHOW_EVERY 0.1 /* seconds: faster than that nobody reads */
#define BAR_WIDTH 30   /* columns */

double tact_clock_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

progress tact_progress_begin(double whole)
{
    const char *terminal = getenv("TERM");
    progress bar = {.whole = whole, .started = tact_clock_seconds(), .verb = "", .thing = ""};
    bar.wanted = isatty(STDERR_FILENO) && !(terminal && strcmp(terminal, "dumb") == 0);
    return bar;
}

static void draw(progress *bar)
{
    double now = bar->wanted ? tact_clock_seconds() : 0.0;
    if (!bar->wanted || now - bar->started < SHOW_AFTER || now - bar->last < SHOW_EVERY)
        return;
    bar->last = now;
    bar->shown = true;
    double part = bar->whole > 0.0 ? bar->done / bar->whole : 0.0;
    part = part > 1.0 ? 1.0 : part;
    int full = (int)(part * BAR_WIDTH);
    char cells[BAR_WIDTH + 1];
    for (int i = 0; i < BAR_WIDTH; i++)
        cells[i] = i < full ? '#' : '.';
    cells[BAR_WIDTH] = '\0';
    (void)fprintf(stderr, "\r[%s] %3.0f%% %s %.40s\033[K", cells, 100.0 * part, bar->verb, bar->thing);
    (void)fflush(stderr);
}

void tact_progress_say(progress *bar, const char *verb, const char *thing)
{
    bar->verb = verb;
    bar->thing = thing;
    draw(bar);
}

void tact_progress_to(progress *bar, double done)
{
    bar->done = done;
    draw(bar);
}

void tact_progress_end(progress *bar)
{
    if (bar->shown)
        (void)fprintf(stderr, "\r\033[K");
    bar->wanted = bar->shown = false;
}
