/* POSIX, for isatty and clock_gettime. */
#define _POSIX_C_SOURCE 200809L

#include "progress_bar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FIRST_DRAW_DELAY 0.5 /* seconds: shorter work needs no bar */
#define REDRAW_INTERVAL 0.1  /* seconds: a faster update is not readable */
#define BAR_WIDTH 30         /* columns */

double tact_clock_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

progress_bar tact_progress_begin(double total)
{
    const char *terminal = getenv("TERM");
    progress_bar bar = {.total = total, .started = tact_clock_now(), .action = "", .object = ""};
    bar.enabled = isatty(STDERR_FILENO) && !(terminal && strcmp(terminal, "dumb") == 0);
    return bar;
}

static void bar_draw(progress_bar *bar)
{
    double now = bar->enabled ? tact_clock_now() : 0.0;
    if (!bar->enabled || now - bar->started < FIRST_DRAW_DELAY || now - bar->last_drawn < REDRAW_INTERVAL)
        return;
    bar->last_drawn = now;
    bar->drawn = true;
    double fraction = bar->total > 0.0 ? bar->done / bar->total : 0.0;
    fraction = fraction > 1.0 ? 1.0 : fraction;
    int full = (int)(fraction * BAR_WIDTH);
    char cells[BAR_WIDTH + 1];
    for (int i = 0; i < BAR_WIDTH; i++)
        cells[i] = i < full ? '#' : '.';
    cells[BAR_WIDTH] = '\0';
    (void)fprintf(stderr, "\r[%s] %3.0f%% %s %.40s\033[K", cells, 100.0 * fraction, bar->action, bar->object);
    (void)fflush(stderr);
}

void tact_progress_label(progress_bar *bar, const char *action, const char *object)
{
    bar->action = action;
    bar->object = object;
    bar_draw(bar);
}

void tact_progress_set(progress_bar *bar, double done)
{
    bar->done = done;
    bar_draw(bar);
}

void tact_progress_hide(progress_bar *bar)
{
    if (bar->drawn)
        (void)fprintf(stderr, "\r\033[K");
    bar->drawn = false;
}

void tact_progress_end(progress_bar *bar)
{
    tact_progress_hide(bar);
    bar->enabled = false;
}
