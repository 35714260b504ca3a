/*
 * A world taken apart and put together again: all that its further answers depend on, in plain values. For the room
 * that writes and reads bytes (record).
 *
 * Why names stay the same: a body's index is its number in the broad phase, which gives numbers again in the order in
 * which they became free. So the numbers that are free, and those that will be after the next update, are part of the
 * state, in their order.
 */
#ifndef TACT_WORLD_WORLD_STATE_H
#define TACT_WORLD_WORLD_STATE_H

#include <tact/world.h>

#include "advance/motion_plan.h"
#include "dynamics/rigid.h"
#include "world/deform.h"

/* The flags of a body or an index that are part of the state. */
enum {
    STATE_MOVED = 2,    /* since the last proceed; an index without a body may have it, too */
    STATE_FIXED = 4,    /* bounds of fixed size */
    STATE_RESPONDS = 8, /* has a response of its own */
    STATE_DEFORMS = 32, /* is deformable */
    STATE_APART = 64    /* and its twins have different faces or not as many vertices */
};

/* What a body has besides, for continuous time. */
enum {
    TIMED_STILL = 1,  /* a plan that has not changed, by which it stands still */
    TIMED_PLAN = 2,   /* or moves */
    TIMED_MASS = 4,   /* a mass */
    TIMED_COURSE = 8, /* a course */
    TIMED_POLL = 16,  /* it is polled */
    TIMED_TOLD = 32   /* touches of it have been told at this very time */
};

/* The plan of a body that moves: as in advance/advance.h. */
typedef struct motion_state {
    double since;
    tact_transform place; /* then, about its centre of mass if it has one */
    tact_motion motion;
    tact_vec3 momentum;
    double turns_until;
} motion_state;

/* What is known of two that have touched: as in advance/advance.h. */
typedef struct touch_state {
    uint32_t one, two;
    uint32_t flags; /* TOUCH_ */
    uint32_t told_times, blind;
    double told_at, again;
} touch_state;

enum { TOUCH_IN = 1, TOUCH_TOLD = 2 /* just now, so that nothing is known of what comes then */, TOUCH_NEAR = 4 };

#define STATE_NOBODY UINT32_MAX /* in place of an index */

/* A body that is there. Its shapes are borrowed. */
typedef struct body_state {
    tact_body name;
    uint64_t serial;
    const tact_shape *shape, *shape_before; /* of a deformable body, the first is the one that it was made with */
    deform_state deform;                    /* if it is deformable */
    tact_transform place, before;
    tact_motion motion;
    uint64_t category, mask;
    tact_response response;
    void *user;
    uint32_t class_id;
    uint32_t flags;
    uint32_t timed; /* TIMED_: which of these it has */
    motion_state plan;
    rigid mass; /* but for the shape in it */
    course course;
    double poll;
    uint32_t told_times;
} body_state;

/* An index without a body. */
typedef struct index_state {
    uint32_t index, generation, flags;
} index_state;

/* The response of two classes, or of one (then the first is 0); or of a pair of indices, in order. */
typedef struct response_state {
    uint32_t one, two;
    tact_response response;
} response_state;

/* What a pair of indices remembers. */
typedef struct axis_state {
    uint32_t one, two;
    uint64_t word;
} axis_state;

/* The rest of a world. */
typedef struct world_state {
    tact_broad_phase broad;   /* as asked for */
    tact_broad_phase working; /* SWEEP or TREE */
    bool caching;
    uint64_t serial; /* bodies made so far */
    tact_response response;
    bool timed; /* it has gone through time, or was told something about that; else the rest is as at first */
    double time;
    double rest;                  /* tact_world_set_rest_time */
    tact_kinetic kinetic, engine; /* as asked for, and at work */
    uint32_t told[2];             /* the pair that was told last, and nothing after it; STATE_NOBODY: none */
    /* given to tact_world_assemble alone */
    tact_allocator allocator;
    tact_parallel parallel;
    const body_state *bodies;      /* by index */
    const index_state *unused;     /* in the order in which they will be given again */
    const index_state *removed;    /* since the last update, in order: will be given again after the next one */
    const response_state *classes; /* of classes */
    const response_state *pairs;   /* of pairs that are there */
    const axis_state *axes;        /* of pairs */
    const touch_state *touches;    /* of pairs, in order */
    size_t body_count, unused_count, removed_count, class_count, pair_count, axis_count, touch_count;
} world_state;

/* ---- taking apart: nothing is allocated or changed ---- */

world_state tact_world_describe(const tact_world *world); /* the counts and arrays left zero */

/* How many indices there are. */
uint32_t tact_world_index_count(const tact_world *world);

/* The body at an index; false if there is none. */
bool tact_world_body_at(const tact_world *world, uint32_t index, body_state *body);

/* Walks over the unused indices: the one after `place`, a walk's own place, 0 to begin with. False at the end. */
bool tact_world_next_unused(const tact_world *world, uint64_t *place, index_state *index);

/* Likewise those removed, responses (of pairs that are there; in no order), and axes. */
bool tact_world_next_removed(const tact_world *world, uint64_t *place, index_state *index);
bool tact_world_next_class_response(const tact_world *world, uint64_t *place, response_state *response);
bool tact_world_next_pair_response(const tact_world *world, uint64_t *place, response_state *response);
bool tact_world_next_axis(const tact_world *world, uint64_t *place, axis_state *axis);

/* Those of two that have touched, in order: by the lower index, then the other. */
bool tact_world_next_touch(const tact_world *world, uint64_t *place, touch_state *touch);

/* ---- putting together ---- */

/* Makes a world from its state. Whatever does not fit (each index must be there once, numbers must be usable) is
 * refused: returns NULL and says why in `report` (not NULL). */
tact_world *tact_world_assemble(const world_state *state, tact_report *report);

/* Lets a world go on through time as the one will that is restored from its state: bit for bit, which else it does but
 * for roundings. */
tact_status tact_world_restart(tact_world *world);

/* What a test does first, where it then failed: brings the broad phase up to date. */
tact_status tact_world_update(tact_world *world);

#endif
