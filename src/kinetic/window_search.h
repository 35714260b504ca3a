/*
 * The search for contacts in a window of time in which vertices move linearly, by one of two engines: a sweep of a
 * moving tree (sweep/sweep.h), or a kinetic separation list that follows the motion from window to window
 * (window_list.h). They find the same contacts, bit for bit. The engine is pinned, or chosen by trials
 * (engine_trials.h).
 *
 * Windows without a duration, and those that the list cannot search, are searched by the sweep. The tree of the sweep
 * is built anew when it has degraded, but not while there is a list, which refers to its items.
 */
#ifndef TACT_KINETIC_WINDOW_SEARCH_H
#define TACT_KINETIC_WINDOW_SEARCH_H

#include "kinetic/engine_trials.h"
#include "kinetic/window_list.h"

typedef struct window_search window_search;

/* The arrays of `elements` are borrowed; its vertices are not used. TACT_OUT_OF_MEMORY: *made is NULL. */
tact_status tact_window_search_create(window_search **made, const sweep_def *elements);

/* NULL is allowed. */
void tact_window_search_release(window_search *s);

/* Selects the engine from the next window on; TACT_DEFORMING_AUTO at first. No effect if it is the selected one. */
void tact_window_search_set_engine(window_search *s, tact_deforming_engine engine);

/* How the motion goes on after a window, for the list; NULL: not known. Its context is used by tact_window_search_run
 * only. */
void tact_window_search_set_forecast(window_search *s, const motion_forecast *forecast);

/* Searches a window. `*by_sweep`: the bounds of the tree are now those of the step. On failure (TACT_OUT_OF_MEMORY,
 * TACT_BAD_ARGUMENT) the call may be repeated. */
tact_status tact_window_search_run(window_search *s, const window_motion *window, const sweep_step *step,
                                   bool *by_sweep);

/* Searches a step by the sweep, whatever the engine. */
tact_status tact_window_search_sweep(window_search *s, const sweep_step *step);

/* The sweep, which has the contacts of the last search. NULL before the first one. */
mesh_sweep *tact_window_search_found(const window_search *s);

/* The engine that searched the last window with a duration: TACT_DEFORMING_WINDOWS, TACT_DEFORMING_LIST, or
 * TACT_DEFORMING_AUTO for both. For tests. */
tact_deforming_engine tact_window_search_engine(const window_search *s);

#endif
