/*
 * Feature contacts of deforming meshes through time: consecutive windows in each of which every vertex moves on one
 * linear path. Reports each vertex-face and edge-edge contact once, when it begins, in order of time.
 *
 * A contact is a maximal interval of time in which two features touch. It may last over several windows. A vertex whose
 * exact position differs between the end of a window and the start of the next jumps: it moves on the straight line
 * between the two, in no time, and contacts that begin there begin at that time.
 *
 *     status = tact_feature_windows_create(&w, &def);
 *     ... fill tact_feature_windows_next_paths(w)
 *     status = tact_feature_windows_begin(w, 0.0, 1.0, parallel);
 *     for (const feature_event *e; (e = tact_feature_windows_next(w)) != NULL; tact_feature_windows_pop(w))
 *         ...
 *     ... fill tact_feature_windows_next_paths(w) again
 *     status = tact_feature_windows_begin(w, 1.0, 2.0, parallel);
 *
 * Method: a sweep of a moving tree (sweep/sweep.h) finds the pairs of features that touch in the window, and path_ccd.h
 * the beginnings of their contacts. Where paths are not those of the window's ends exactly (a velocity, pieces that
 * begin earlier or end later), the sweep works with rounded positions and a slack, and path_ccd.h decides.
 *
 * Two engines find the candidates of a window (window_search.h), and the same contacts. Jumps and changes within a
 * window are searched by a sweep.
 *
 * Guarantee: the events are those of the exact paths. They depend neither on how time is cut into windows nor on the
 * engine. Cost of a window: that of a sweep, and some microseconds for each contact.
 */
#ifndef TACT_KINETIC_FEATURE_WINDOWS_H
#define TACT_KINETIC_FEATURE_WINDOWS_H

#include "kinetic/vertex_plan.h"
#include "kinetic/window_search.h"
#include "motion/linear_path.h"
#include "sweep/sweep.h"

/* Two features: as in sweep_contact. */
typedef struct feature_pair {
    tact_ccd_kind kind;
    uint32_t index[4];
} feature_pair;

/* Orders pairs: vertex-face first, then by index. Negative: a before b. */
int tact_feature_pair_compare(const feature_pair *a, const feature_pair *b);

/* The beginning of a contact. */
typedef struct feature_event {
    feature_pair pair;
    tact_ccd ccd; /* times of the world: `lower` is the time of the event */
} feature_event;

typedef struct feature_windows feature_windows;

typedef struct feature_windows_def {
    const uint32_t (*triangles)[3]; /* copied, as all that follows */
    size_t triangle_count;
    const uint32_t (*edges)[2]; /* without triangles */
    size_t edge_count;
    const uint32_t *points; /* in no triangle or edge */
    size_t point_count;
    uint32_t vertex_count;
    const sweep_part *parts; /* as in sweep_def */
    size_t part_count;
    tact_allocator allocator;
} feature_windows_def;

/* TACT_OUT_OF_MEMORY: *made is NULL. */
tact_status tact_feature_windows_create(feature_windows **made, const feature_windows_def *def);

/* NULL is allowed. */
void tact_feature_windows_release(feature_windows *w);

/* Selects the engine from the next window on; TACT_DEFORMING_AUTO at first. No effect if it is the selected one. */
void tact_feature_windows_set_engine(feature_windows *w, tact_deforming_engine engine);

/* How the motion goes on after a window that begins, for the list. Its context is used by tact_feature_windows_begin
 * only. NULL: not known. */
void tact_feature_windows_set_forecast(feature_windows *w, const motion_forecast *forecast);

/* How windows are searched: for tests. */
const window_search *tact_feature_windows_search(const feature_windows *w);

/* The paths of the next window, by vertex: to be filled before it begins. */
linear_path *tact_feature_windows_next_paths(feature_windows *w);

/* Begins a window at the time `begin`, which is not before that of the last window and not after its end. The next
 * paths hold until `end`; INFINITY: all vertices rest. The rest of the last window is
 * cancelled, except for events at `begin` that have not been taken yet. On failure (TACT_OUT_OF_MEMORY,
 * TACT_BAD_ARGUMENT: too many items) nothing has changed, except that the call may be repeated. */
tact_status tact_feature_windows_begin(feature_windows *w, double begin, double end, const tact_parallel *parallel);

/* The window has ended, and all vertices rest from then on. Each path of the window is at rest, or interpolated up to
 * its end. The same as a window of paths at rest until INFINITY, in O(1). */
void tact_feature_windows_rest(feature_windows *w);

/* Vertices that are to get other paths now, within the window. */
typedef struct window_change {
    const vertex_plan_pieces *pieces; /* of now: their paths, which hold until the end of the window */
    uint32_t plan_first;              /* the first of these vertices in the plan */
    uint32_t first, count;            /* of these vertices in the windows */
} window_change;

/* Whether they may get these paths, which are then written to the next paths from the first on: they begin where the
 * old ones are, but for rounding. Paths that were all set together may be judged by their summary, which gives the same
 * result. */
bool tact_feature_windows_can_change(feature_windows *w, const window_change *change);

/* Changes these paths, after it was asked whether they may change. Costs what depends on these vertices, if they are
 * few (sweep/changed_items.c) some 10 us each, and 0.1 ns per vertex of the scene. On failure another window is to be
 * begun. */
tact_status tact_feature_windows_change(feature_windows *w, const window_change *change, const tact_parallel *parallel);

/* The next event of the window; NULL: none. */
const feature_event *tact_feature_windows_next(const feature_windows *w);

/* Removes it. */
void tact_feature_windows_pop(feature_windows *w);

/* The event that is next after `ahead` others; NULL: none. */
const feature_event *tact_feature_windows_later(const feature_windows *w, size_t ahead);

/* The pair number `i` of those that touch in the window, at any time; NULL: there are fewer. */
const feature_pair *tact_feature_windows_touching(const feature_windows *w, size_t i);

/* The vertices of a pair: those of a face in its order. */
void tact_feature_windows_vertices(const feature_windows *w, const feature_pair *pair, uint32_t vertices[4]);

/* Whether a pair touches all the time from `begin` to `end`, which are in the window. */
bool tact_feature_windows_touches(const feature_windows *w, const feature_pair *pair, double begin, double end);

/* ---- saved worlds ---- */

/* Lists the pairs that are in contact at a time within the window, in order. `*cursor` is 0 at first. False: at the
 * end. */
bool tact_feature_windows_next_contact(const feature_windows *w, double time, size_t *cursor, feature_pair *pair);

/* Lists in the same way the pairs whose events have been taken, and whose contacts begin after `time`, by less than an
 * ulp; and the events at `time` that have not been taken yet. */
bool tact_feature_windows_next_reported(const feature_windows *w, double time, size_t *cursor, feature_pair *pair);
bool tact_feature_windows_next_pending(const feature_windows *w, double time, size_t *cursor, feature_event *event);

/* What was listed. */
typedef struct feature_windows_state {
    const feature_pair *contacts, *reported;
    const feature_event *pending;
    size_t contact_count, reported_count, pending_count;
} feature_windows_state;

/* Continues at `time` where other windows were: the next paths are those that held just before, and the state is
 * theirs. Features that the other windows did not have begin to exist then. Before the first window.
 * TACT_OUT_OF_MEMORY; TACT_BAD_ARGUMENT: the state is invalid. */
tact_status tact_feature_windows_restore(feature_windows *w, double time, const feature_windows_state *state);

uint32_t tact_feature_windows_vertex_count(const feature_windows *w);

/* The path of a vertex in the window. */
linear_path tact_feature_windows_path(const feature_windows *w, uint32_t vertex);

/* Whether a window has begun. */
bool tact_feature_windows_has_begun(const feature_windows *w);

#endif
