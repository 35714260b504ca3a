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

#include "dynamics/rigid_body.h"
#include "world/body_motion_plan.h"
#include "world/deform.h"

/* The flags of a body or an index that are part of the state. */
enum {
    STATE_MOVED = 2,            /* since the last proceed; an index without a body may have it, too */
    STATE_FIXED_BOUNDS = 4,     /* bounds of fixed size */
    STATE_HAS_RESPONSE = 8,     /* has a response of its own */
    STATE_DEFORMABLE = 32,      /* is deformable */
    STATE_TOPOLOGY_DIFFERS = 64 /* and its twins have different faces or not as many vertices */
};

/* A body that is there. Its shapes are borrowed. */
typedef struct body_state {
    tact_body body;
    uint64_t serial;
    const tact_shape *shape, *previous_shape; /* of a deformable body, the first is the one that it was made with */
    deform_state deform;                      /* if it is deformable */
    tact_transform transform, previous_transform;
    tact_motion motion;
    uint64_t category, mask;
    tact_response response;
    void *user;
    uint32_t class_id;
    uint32_t flags;
    bool has_mass;
    rigid_body mass; /* if it has one; but for the shape in it */
    bool has_motion_plan;
    body_motion_plan motion_plan; /* if it has one */
    double poll_interval;         /* 0: it is not polled */
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
    uint64_t data;
} axis_state;

/* The rest of a world. */
typedef struct world_state {
    tact_broad_phase broad;  /* as asked for */
    tact_broad_phase active; /* SWEEP or TREE */
    bool caching;
    uint64_t serial; /* bodies made so far */
    tact_response response;
    /* given to tact_world_from_state alone */
    tact_allocator allocator;
    tact_parallel parallel;
    const body_state *bodies;        /* by index */
    const index_state *free_indices; /* in the order in which they will be given again */
    const index_state *removed;      /* since the last update, in order: will be given again after the next one */
    const response_state *classes;   /* of classes */
    const response_state *pairs;     /* of pairs that are there */
    const axis_state *axes;          /* of pairs */
    size_t body_count, free_index_count, removed_count, class_count, pair_count, axis_count;
} world_state;

/* ---- taking apart: nothing is allocated or changed ---- */

world_state tact_world_get_state(const tact_world *world); /* the counts and arrays left zero */

/* How many indices there are. */
uint32_t tact_world_index_count(const tact_world *world);

/* The body at an index; false if there is none. */
bool tact_world_body_at(const tact_world *world, uint32_t index, body_state *body);

/* Walks over the unused indices: the one after `place`, a walk's own place, 0 to begin with. False at the end. */
bool tact_world_next_free_index(const tact_world *world, uint64_t *place, index_state *index);

/* Likewise those removed, responses (of pairs that are there; in no order), and axes. */
bool tact_world_next_removed_index(const tact_world *world, uint64_t *place, index_state *index);
bool tact_world_next_class_response(const tact_world *world, uint64_t *place, response_state *response);
bool tact_world_next_pair_response(const tact_world *world, uint64_t *place, response_state *response);
bool tact_world_next_axis(const tact_world *world, uint64_t *place, axis_state *axis);

/* ---- putting together ---- */

/* Makes a world from its state, at time 0 (advance/advance_state.h does the rest). Whatever does not fit (each index
 * must be there once, numbers must be usable) is refused: returns NULL and says why in `report` (not NULL). */
tact_world *tact_world_from_state(const world_state *state, tact_report *report);

/* What a test does first, where it then failed: brings the broad phase up to date. */
tact_status tact_world_update(tact_world *world);

#endif
