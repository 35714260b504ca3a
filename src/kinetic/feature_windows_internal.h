/* The data shared by the files of feature windows. */
#ifndef TACT_KINETIC_FEATURE_WINDOWS_INTERNAL_H
#define TACT_KINETIC_FEATURE_WINDOWS_INTERNAL_H

#include <math.h>
#include <string.h>

#include "ccd/path_ccd.h"
#include "core/array.h"
#include "kinetic/feature_windows.h"

/* A pair of features that touches in the window. */
typedef struct touching_pair {
    feature_pair pair;
    bool lasts; /* it touches at the end of the window; of last_pairs also false: see there */
} touching_pair;

ARRAY_OF(touching_pair_array, touching_pair);
ARRAY_OF(feature_event_array, feature_event);

/* What a window has found, sorted: pairs by themselves, events by time. */
typedef struct window_contacts {
    touching_pair_array pairs;
    feature_event_array events;
} window_contacts;

struct feature_windows {
    uint32_t (*triangles)[3];
    size_t triangle_count;
    uint32_t (*edges)[2];
    size_t edge_count;
    uint32_t *points;
    size_t point_count;
    sweep_part *parts;
    size_t part_count;
    uint32_t vertex_count;
    window_search *search;
    bool tree_current;       /* the bounds of the tree are those of the window */
    bool ends_changed;       /* `start` and `end` are those of a change of all vertices that is to follow */
    double slack;            /* length: of the bounds of the window, see sweep_step */
    double error;            /* length: how far positions may be from the lines between `start` and `end` */
    double change_error;     /* length: the same for paths that may be changed, at most */
    linear_path *paths;      /* of the window */
    linear_path *next_paths; /* of the window that begins */
    tact_vec3 *start, *end;  /* rounded positions at the ends of a window */
    uint8_t *changed;        /* by vertex: its path changes within the window */
    uint8_t *jumps;          /* by vertex: it jumps at the start of the window that begins */
    double begin_time, end_time;
    bool has_window;
    bool rests;       /* `paths` ended at begin_time, and all vertices rest since then */
    bool is_restored; /* the faces may be others than in the window before: the next one is searched, even at rest */
    window_contacts now, next; /* of the window, and of the one that begins */
    /* In contact when the window begins. `lasts` is false if the contact begins after that by less than an ulp, and its
     * event has been taken. */
    touching_pair_array last_pairs;
    touching_pair_array reported; /* whose events have been taken, and whose contacts begin just after reported_at */
    touching_pair_array next_reported; /* of the window that begins */
    double reported_at;
    touching_pair_array jump_pairs;   /* that touch during a jump; `lasts`: at its end */
    touching_pair_array pair_scratch; /* for sorting */
    feature_event_array event_scratch;
    size_t taken; /* events of the window that have been taken */
    tact_allocator allocator;
};

/* The order of events: by time, then by pair. */
static inline bool feature_event_before(const void *context, const feature_event *a, const feature_event *b)
{
    (void)context;
    return a->ccd.lower != b->ccd.lower ? a->ccd.lower < b->ccd.lower
                                        : tact_feature_pair_compare(&a->pair, &b->pair) < 0;
}

/* The vertices of a pair. */
static inline void feature_pair_vertices(const feature_windows *w, const feature_pair *pair, uint32_t vertices[4])
{
    memcpy(vertices, pair->index, sizeof pair->index);
    if (pair->kind == TACT_VERTEX_FACE)
        memcpy(vertices + 1, w->triangles[pair->index[1]], 3 * sizeof *vertices);
}

static inline void feature_pair_paths(const linear_path *paths, const uint32_t vertices[4], linear_path four[4])
{
    for (int i = 0; i < 4; ++i)
        four[i] = paths[vertices[i]];
}

/* Whether a pair of the window touches at a time: the end of the window, or within it. */
static inline bool feature_pair_touches_at(const feature_windows *w, const touching_pair *touching, double time)
{
    if (!(time < w->end_time && w->end_time < INFINITY))
        return touching->lasts;
    uint32_t vertices[4];
    linear_path paths[4];
    path_ccd found;
    feature_pair_vertices(w, &touching->pair, vertices);
    feature_pair_paths(w->paths, vertices, paths);
    tact_path_ccd(touching->pair.kind, paths, time, time, &found);
    return found.count > 0;
}

/* Whether the contact of an event begins after `time`, by less than an ulp. */
static inline bool feature_event_begins_just_after(const feature_event *event, double time)
{
    return event->ccd.lower == time && event->ccd.upper > time;
}

/* The next paths become those of the window. */
static inline void feature_windows_swap_paths(feature_windows *w)
{
    linear_path *old_paths = w->paths;
    w->paths = w->next_paths;
    w->next_paths = old_paths;
}

#endif
