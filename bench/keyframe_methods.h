/*
 * The methods that `tact-bench weller-zachmann-2006` compares: all contacts of a key-framed mesh, interval by interval.
 * All use the same exact tests, the library's, on one thread, and must find the same pairs at the same times.
 */
#ifndef TACT_BENCH_KEYFRAME_METHODS_H
#define TACT_BENCH_KEYFRAME_METHODS_H

#include "keyframe_scene.h"

typedef enum keyframe_method {
    KEYFRAMES_SWEPT_BOXES, /* the paper's classical way: frame by frame, swept boxes, from the root (swept_boxes.h) */
    KEYFRAMES_SWEPT_TREE,  /* frame by frame, the library's mesh sweep with swept 14-DOPs, from the skeleton */
    KEYFRAMES_WINDOWS,     /* one mesh sweep with moving bounds per interval, for any number of frames */
    KEYFRAMES_LIST,        /* the kinetic separation list of the paper, from event to event, for any number of frames */
    KEYFRAMES_METHODS
} keyframe_method;

/* Sums over the intervals except the first one, in which a method may build its structures. */
typedef struct keyframe_cost {
    double start_ns;       /* creation and the first interval */
    double ns;             /* without making in-between frames */
    double update_ns;      /* of these, for updating the hierarchy */
    uint64_t events;       /* of the kinetic separation list and its tree */
    uint64_t bound_checks; /* pairs of bounds in the hierarchy; 0 if not counted */
    uint64_t item_pairs;   /* pairs of triangles that the hierarchy leaves */
    uint64_t candidates;   /* pairs of features that reach the tests of pairs */
    uint64_t contacts;
    size_t bytes;                /* at the end: of windows and the list */
    uint64_t outer_events;       /* of the events: the boxes of two triangles begin or cease to overlap */
    double changed_certificates; /* that one change of the plan of a vertex examines */
} keyframe_cost;

/* A pair of features that collides in an interval, and when it first does, as fractions of the interval. */
typedef struct keyframe_contact {
    uint32_t interval, kind, index[4]; /* as in sweep_contact */
    double lower, upper;
} keyframe_contact;

typedef struct keyframe_log {
    keyframe_contact *items;
    size_t count, capacity;
    bool failed; /* out of memory */
} keyframe_log;

void tact_keyframe_log_release(keyframe_log *log);

/* The number of contacts that are in one log only, or whose times differ. */
size_t tact_keyframe_log_compare(const keyframe_log *one, const keyframe_log *other);

/* The number of intervals that a cost is of. */
static inline size_t keyframe_intervals(const keyframe_scene *scene) { return scene->frame_count - 2; }

/* Runs a method over all intervals, at least two, with `steps` frames per interval. With `log` (empty before) it
 * collects the contacts, each pair once per interval, sorted, and counts bound checks; both off the clock. Returns
 * false if memory runs out. */
bool tact_keyframes_run(const keyframe_scene *scene, keyframe_method method, int steps, keyframe_log *log,
                        keyframe_cost *cost);

#endif
