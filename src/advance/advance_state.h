/*
 * The state of a world in continuous time, in plain values: for saving and restoring (record/). It adds to that of
 * world/world_state.h.
 */
#ifndef TACT_ADVANCE_ADVANCE_STATE_H
#define TACT_ADVANCE_ADVANCE_STATE_H

#include <tact/world.h>

#include "advance/contact_graph.h"
#include "advance/prediction_state.h"
#include "advance/surface_motion.h"
#include "kinetic/feature_windows.h"

#define STATE_NO_BODY UINT32_MAX /* instead of the index of a body */

/* Flags of a body. */
enum {
    BODY_TIME_STILL = 1,     /* it is at rest, and has not changed */
    BODY_TIME_MOVING = 2,    /* it moves, and has not changed: its motion is stored */
    BODY_TIME_REPORTED = 32, /* touches of it have been reported at the time of the world */
    BODY_TIME_JUMPS = 256,   /* its transform was set, and that has not been examined yet */
    BODY_TIME_JUMPED = 512,  /* it has jumped at the time of the world */
    BODY_TIME_CONTACT = 128  /* it has persistent contacts, or had them in this contact step */
};

/* The motion of a body: as in body_motion.h. */
typedef struct motion_state {
    double start_time;
    tact_transform transform; /* at start_time, about its centre of mass if it has a mass */
    tact_motion motion;
    tact_vec3 momentum;
    double rotation_expiry; /* or the end of the window of its vertex motion */
} motion_state;

typedef struct body_time_state {
    uint32_t index;
    uint32_t flags;      /* BODY_TIME_... */
    motion_state motion; /* if BODY_TIME_MOVING */
    uint32_t reported_count;
    contact_body contact;  /* if BODY_TIME_CONTACT; without its degree and scratch */
    body_jump jump;        /* if BODY_TIME_JUMPS: from where */
    tact_vec3 jump_box[2]; /* if BODY_TIME_JUMPED: where it was */
} body_time_state;

/* A pair that has touched, or is polled: as in pair_prediction.h. */
typedef struct touch_state {
    uint32_t a, b;  /* indices, a < b */
    uint32_t flags; /* TOUCH_... */
    uint32_t reported_count, uncertain_count;
    double reported_at, next_poll;
} touch_state;

enum {
    TOUCH_OVERLAPS = 1, /* its next event is the separation */
    TOUCH_REPORTED = 2, /* at the time of the world, and not examined since: it has no prediction */
    TOUCH_BOUNCED = 4   /* since it was reported, and not separated since */
};

struct deforming_contacts;

/* A pair with moving vertices, or such a body with itself: as in deforming_pair.h. */
typedef struct deforming_state {
    uint32_t a, b;                                    /* indices, a <= b */
    uint32_t flags;                                   /* DEFORMING_... */
    double end;                                       /* of the window */
    double interval, next_examination, touches_until; /* of examinations while the bodies overlap */
    uint32_t witness[4];                              /* the first triangle and the end of each body; all 0: none */
    /* Saving: the pair, if it is tested by features; its contacts are listed by tact_world_list_contacts. */
    const struct deforming_pair *pair;
    /* Restoring: indices are those of the windows, in which the vertices and triangles of `b` follow those of `a`. */
    feature_windows_state contacts;
    const linear_path *paths; /* of all vertices just before the time of the world, unless DEFORMING_CURRENT */
    size_t path_count;
} deforming_state;

enum {
    DEFORMING_WINDOWS = 1,  /* it is tested by features */
    DEFORMING_CURRENT = 2,  /* its window and prediction hold: nothing has changed */
    DEFORMING_EXAMINED = 4, /* it has been tested for an overlap at the start */
    DEFORMING_WITNESS = 8,  /* the witness holds: else it tells where to look for another */
    DEFORMING_UNWANTED = 16 /* no feature events were wanted when it was updated last */
};

/* The contact graph of a world, as it is stored: the lists of contacts have an order that later events depend on. */
typedef struct contact_graph_state {
    double next, duration;              /* of the next contact step, 0: none; of the one before */
    uint32_t unused;                    /* first unused contact; CONTACT_NONE: none */
    const persistent_contact *contacts; /* unused ones included */
    const uint32_t *pending;            /* indices of contacts */
    const contact_report *reports;      /* not reported yet */
    size_t contact_count, pending_count, report_count;
} contact_graph_state;

typedef struct time_state {
    bool timed; /* the world has advanced, or has a setting for that; else all values are the defaults */
    double time;
    double contact_step;          /* see tact_world_set_contact_step */
    tact_kinetic kinetic, engine; /* chosen by the caller, and at work */
    tact_deforming_engine deforming_engine;
    uint32_t reported[2]; /* the pair of the last event, if nothing was done since; STATE_NO_BODY: none */
    /* set for tact_world_restore_time only */
    const body_time_state *bodies; /* all bodies */
    const touch_state *touches;    /* by a, then b */
    const deforming_state *pairs;  /* by a, then b */
    const surface_state *surfaces; /* one per body at most */
    contact_graph_state contacts;
    prediction_state predictions;
    size_t body_count, touch_count, pair_count, surface_count;
} time_state;

/* ---- saving: nothing is allocated or changed ---- */

time_state tact_world_describe_time(const tact_world *world); /* counts and arrays are 0 */

/* The body at an index; it exists. */
body_time_state tact_world_body_time_at(const tact_world *world, uint32_t index);

/* The window of a NURBS body whose control points move, if it has feature events. False: it has none. */
bool tact_world_surface_at(const tact_world *world, uint32_t index, surface_state *surface);

/* The contact graph; its arrays are borrowed. False: there is nothing to save. */
bool tact_world_describe_contacts(const tact_world *world, contact_graph_state *state);

/* A contact as it is saved: without scratch, and without the past of an unused one. */
persistent_contact tact_contact_describe(const persistent_contact *contact);

/* Iterates over pairs, by the lower index, then the other. `*cursor` is 0 at first. False at the end. */
bool tact_world_next_touch(const tact_world *world, uint64_t *cursor, touch_state *touch);

/* Likewise over pairs with moving vertices, bodies with themselves included. */
bool tact_world_next_deforming_pair(const tact_world *world, uint64_t *cursor, deforming_state *pair);

/* Lists the contacts of such a pair; none if it is not tested by features. To be released. False: out of memory. */
bool tact_world_list_contacts(const tact_world *world, const deforming_state *state,
                              struct deforming_contacts *contacts, const tact_allocator *allocator);

/* ---- restoring ---- */

/* Sets the state of a world that has just been assembled (world/world_state.h). False, with the reason in `report` (not
 * NULL), if a value is invalid; the world is then to be released. */
bool tact_world_restore_time(tact_world *world, const time_state *state, tact_report *report);

/* Discards all predictions, so that the world advances bit for bit like one that is restored from its state. */
tact_status tact_world_restart(tact_world *world);

#endif
