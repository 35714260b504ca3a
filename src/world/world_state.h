/*
 * The state of a world as plain values, for saving and restoring (record/): all that later results depend on.
 *
 * Handles stay valid: the index of a body is its proxy in the broad phase, which reuses indices in the order in which
 * they became free. So the free indices, and those that become free with the next update, are part of the state, in
 * order.
 */
#ifndef TACT_WORLD_WORLD_STATE_H
#define TACT_WORLD_WORLD_STATE_H

#include <tact/rigid.h>
#include <tact/world.h>

#include "dynamics/rigid_body.h"
#include "world/body_motion_plan.h"
#include "world/contact_phase.h"
#include "world/deform.h"

/* The flags of a body or an index that are part of the state. */
enum {
    STATE_MOVED = 2,             /* since tact_world_store_previous; a vacant index may have it, too */
    STATE_FIXED_BOUNDS = 4,      /* its bounds are invariant under rotation */
    STATE_HAS_RESPONSE = 8,      /* has its own response */
    STATE_DEFORMABLE = 32,       /* is deformable */
    STATE_TOPOLOGY_DIFFERS = 64, /* deformable, and its copies have different faces or numbers of vertices */
    STATE_SELF_COLLISION = 128,  /* deformable mesh that is tested against itself */
    STATE_FEATURE_EVENTS = 512,  /* its contacts are reported feature by feature */
    STATE_HAS_REACH = 1024,      /* its reach is positive */
    STATE_HAS_PIVOT = 2048       /* its motion has a pivot */
};

/* A body. Its shapes are borrowed. */
typedef struct body_state {
    tact_body body;
    uint64_t serial;
    const tact_shape *shape, *previous_shape; /* the shape of a deformable body is the one it was created with */
    deform_state deform;                      /* if it is deformable */
    tact_transform transform, previous_transform;
    tact_motion motion;
    uint64_t category, mask;
    tact_response response;
    void *user;
    uint32_t class_id;
    uint32_t flags;
    bool has_mass;
    rigid_body mass; /* if has_mass; without its shape */
    bool has_motion_plan;
    body_motion_plan motion_plan;          /* if has_motion_plan */
    const struct vertex_plan *vertex_plan; /* borrowed, as the shapes are; NULL: none */
    double poll_interval;                  /* 0: it is not polled */
    tact_material material;
    double reach;
} body_state;

/* A vacant index. */
typedef struct index_state {
    uint32_t index, generation, flags;
} index_state;

/* The response of two classes, of one class (then `one` is 0), or of a pair of bodies (indices in order). */
typedef struct response_state {
    uint32_t one, two;
    tact_response response;
} response_state;

/* The cached separating axis of a pair of indices. */
typedef struct axis_state {
    uint32_t one, two;
    uint64_t data;
} axis_state;

/* A pair of bodies that the last test reported, in the order of their creation; a body may have been removed since. */
typedef reported_pair reported_state;

/* The rest of a world. */
typedef struct world_state {
    tact_broad_phase broad;  /* as requested */
    tact_broad_phase active; /* SWEEP or TREE */
    bool caching;
    uint64_t serial; /* bodies created so far */
    tact_response response;
    tact_vec3 gravity;
    bool never_sleeps, contact_events;
    /* only for tact_world_from_state: */
    tact_allocator allocator;
    tact_parallel parallel;
    const body_state *bodies;        /* by index */
    const index_state *free_indices; /* in the order in which they will be reused */
    const index_state *removed;      /* since the last update, in order: free after the next one */
    const response_state *classes;   /* of classes */
    const response_state *pairs;     /* of pairs of existing bodies */
    const axis_state *axes;          /* of pairs */
    const reported_state *reported;  /* in the order of tact_reported_pair_key */
    size_t body_count, free_index_count, removed_count, class_count, pair_count, axis_count, reported_count;
} world_state;

/* ---- reading the state: nothing is allocated or changed ---- */

world_state tact_world_get_state(const tact_world *world); /* counts and arrays are zero */

/* The number of indices. */
uint32_t tact_world_index_count(const tact_world *world);

/* The body at an index; false if the index is vacant. */
bool tact_world_body_at(const tact_world *world, uint32_t index, body_state *body);

/* Iterates over the free indices: the one after `cursor`, which is 0 at the beginning. False at the end. */
bool tact_world_next_free_index(const tact_world *world, uint64_t *cursor, index_state *index);

/* Likewise the removed indices, the responses of classes, those of pairs of existing bodies (in no order), and the
 * axes. */
bool tact_world_next_removed_index(const tact_world *world, uint64_t *cursor, index_state *index);
bool tact_world_next_class_response(const tact_world *world, uint64_t *cursor, response_state *response);
bool tact_world_next_pair_response(const tact_world *world, uint64_t *cursor, response_state *response);
bool tact_world_next_axis(const tact_world *world, uint64_t *cursor, axis_state *axis);
bool tact_world_next_reported(const tact_world *world, uint64_t *cursor, reported_state *pair); /* in order */

/* ---- restoring ---- */

/* Creates a world from its state, at time 0 (advance/advance_state.h restores the rest). A state that is inconsistent
 * or has invalid numbers is rejected: returns NULL and fills `report`, which is not NULL. */
tact_world *tact_world_from_state(const world_state *state, tact_report *report);

/* The first step of a test, for the replay of one that failed after it: updates the broad phase. */
tact_status tact_world_update(tact_world *world);

#endif
