/*
 * The state of a world in continuous time, in plain values, besides that of world/world_state.h: for saving and
 * restoring (record).
 */
#ifndef TACT_ADVANCE_ADVANCE_STATE_H
#define TACT_ADVANCE_ADVANCE_STATE_H

#include <tact/world.h>

#define STATE_NOBODY UINT32_MAX /* in place of an index */

/* What is known of a body in time. */
enum {
    BODY_TIME_STILL = 1, /* a plan that has not changed, by which it stands still */
    BODY_TIME_PLAN = 2,  /* or moves */
    BODY_TIME_TOLD = 32  /* touches of it have been told at this very time */
};

/* The plan of a body that moves: as in advance/advance.h. */
typedef struct motion_state {
    double start_time;
    tact_transform transform; /* then, about its centre of mass if it has one */
    tact_motion motion;
    tact_vec3 momentum;
    double rotation_expiry;
} motion_state;

typedef struct body_time_state {
    uint32_t index;
    uint32_t flags;    /* BODY_TIME_ */
    motion_state plan; /* if BODY_TIME_PLAN */
    uint32_t reported_count;
} body_time_state;

/* What is known of two that have touched: as in advance/advance.h. */
typedef struct touch_state {
    uint32_t a, b;
    uint32_t flags; /* TOUCH_ */
    uint32_t reported_count, uncertain_count;
    double reported_at, next_poll;
} touch_state;

enum {
    TOUCH_OVERLAPS = 1, /* its next event is the separation */
    TOUCH_REPORTED = 2, /* at the time of the world, and not examined since: it has no prediction */
    TOUCH_BOUNCED = 4   /* since it was reported, and not separated since */
};

typedef struct time_state {
    bool timed; /* it has gone through time, or was told something about that; else the rest is as at first */
    double time;
    double rest_time;             /* tact_world_set_rest_time */
    tact_kinetic kinetic, engine; /* as asked for, and at work */
    uint32_t reported[2];         /* the pair that was told last, and nothing after it; STATE_NOBODY: none */
    /* given to tact_world_restore_time alone */
    const body_time_state *bodies; /* of all bodies */
    const touch_state *touches;    /* of pairs, in order */
    size_t body_count, touch_count;
} time_state;

/* ---- taking apart: nothing is allocated or changed ---- */

time_state tact_world_describe_time(const tact_world *world); /* the counts and arrays left zero */

/* The body at an index, which is there. */
body_time_state tact_world_body_time_at(const tact_world *world, uint32_t index);

/* Those of two that have touched, in order: by the lower index, then the other. `place` is 0 to begin with. False at
 * the end. */
bool tact_world_next_touch(const tact_world *world, uint64_t *place, touch_state *touch);

/* ---- putting together ---- */

/* Sets the time of a world that has just been assembled (world/world_state.h). Whatever does not fit is refused:
 * returns false and says why in `report` (not NULL); the world is then to be released. */
bool tact_world_restore_time(tact_world *world, const time_state *state, tact_report *report);

/* Lets a world go on through time as the one will that is restored from its state: bit for bit, which else it does but
 * for roundings. */
tact_status tact_world_restart(tact_world *world);

#endif
