/*
 * The separation list for windows of time (feature_windows.h): finds the contacts of each window among the pairs of
 * items whose boxes overlap in it, like a sweep of the whole window, bit for bit.
 *
 * The list works with a table of positions at common times, as far ahead as the motion is planned (a forecast). The
 * table is a prediction: in each window it is compared with the true paths at the ends of the window. Vertices for
 * which it is wrong (a changed plan, a jump) get new rows, and only their certificates are examined again. So a wrong
 * forecast costs time and nothing else.
 *
 * A window is searched as a whole when it begins, so the list is at the end of the window then. If another window
 * begins before that end, the list is built anew.
 *
 * Cost of a window: that of its events; O(n) for the comparison; and that of the exact tests. Size: per vertex 2 kB for
 * the table, and see list_sweep.h.
 */
#ifndef TACT_KINETIC_WINDOW_LIST_H
#define TACT_KINETIC_WINDOW_LIST_H

#include "kinetic/list_sweep.h"
#include "motion/linear_path.h"

/* How the vertices will move, as planned now. */
typedef struct motion_forecast {
    void *context;
    /* Writes the positions of all vertices just before `time`, rounded. Returns the next time at which a piece of some
     * vertex ends; INFINITY: none. `*jumps`: vertices may jump at `time`. */
    double (*at)(void *context, double time, tact_vec3 *positions, bool *jumps);
} motion_forecast;

typedef struct window_list window_list;

/* TACT_OUT_OF_MEMORY: *made is NULL. The sweep is borrowed. */
tact_status tact_window_list_create(window_list **made, mesh_sweep *sweep, uint32_t vertex_count,
                                    const tact_allocator *allocator);

/* NULL is allowed. */
void tact_window_list_release(window_list *l);

/* A window: all vertices are on their paths from `begin` to `end`. step->start and step->end are the rounded positions
 * at these times, with errors of at most `error`. */
typedef struct window_motion {
    const linear_path *paths;
    double begin, end;
    double error;
} window_motion;

/* Finds the contacts of a window: they are those of the sweep. `forecast` may be NULL. On failure (TACT_OUT_OF_MEMORY;
 * TACT_BAD_ARGUMENT: too many items, or coordinates and times too large) there are none; the call may be repeated, or
 * another one made. */
tact_status tact_window_list_run(window_list *l, const window_motion *window, const motion_forecast *forecast,
                                 const sweep_step *step);

typedef struct window_list_counts {
    separation_work work; /* of all lists so far */
    uint64_t built;       /* lists */
    uint64_t tables;      /* forecasts used */
    uint64_t changed;     /* rows of vertices that were replaced */
} window_list_counts;

window_list_counts tact_window_list_counts(const window_list *l);

/* The list, at the end of the last window; NULL: none. For tests. */
const separation_list *tact_window_list_separation(const window_list *l);

#endif
