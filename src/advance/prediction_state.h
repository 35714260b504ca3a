/*
 * Predictions and bounds as plain values: for saving and restoring. See advance_state.h.
 *
 * A prediction depends, by rounding, on the time at which it was made and on the horizon of the search. A world that is
 * restored with its predictions goes on bit for bit as the saved one. They are saved if no vertices move.
 */
#ifndef TACT_ADVANCE_PREDICTION_STATE_H
#define TACT_ADVANCE_PREDICTION_STATE_H

#include "advance/kinetic_choice.h"
#include "advance/pair_prediction.h"
#include "broad/fat_bounds.h"
#include "broad/kinetic_sweep.h"

/* Flags of a body. */
enum {
    PREDICTED_DIRTY = 1,          /* its motion is to be taken from the world; the old one is stored */
    PREDICTED_NEEDS_REFIT = 2,    /* dirty, and more than the motion has changed */
    PREDICTED_MOTION_UPDATED = 4, /* dirty, but the motion has been taken from the world */
    PREDICTED_MOVES = 8,
    PREDICTED_BOUND = 16,      /* it has a fat bound */
    PREDICTED_GRID = 32,       /* which is in the grid of spheres */
    PREDICTED_EVENT = 64,      /* it has an event in the queue */
    PREDICTED_PAIR = 128,      /* the event is made from the prediction of a pair */
    PREDICTED_SWEEP = 256,     /* it is in the kinetic sweep and prune */
    PREDICTED_MAY_TOUCH = 512, /* a neighbour may touch it (impact_group.h) */
    PREDICTED_FLAGS = 1023
};

/* A body: as in body_motion.h. */
typedef struct predicted_body {
    uint32_t index;
    uint32_t flags; /* PREDICTED_... */
    uint32_t event_other, unsuccessful_refits;
    uint64_t version, event_version, event_key;
    double event_time, expiry, start_time, rotation_expiry;
    double origin_radius, margin, motion_set_at, motion_lifetime;
    tact_vec3 extent_min, extent_max, origin_min, origin_max;
    float bound_centre[3];
    fat_bound bound;
    broad_filter filter;      /* if it has a fat bound or is in the sweep */
    kinetic_box sweep_box;    /* if it is in the sweep */
    double swap_times[3][2];  /* likewise: of its endpoints along each axis with their successors; INFINITY: none */
    tact_transform transform; /* if dirty: transform and motion of before, at start_time */
    tact_motion motion;
    uint32_t neighbour_count;    /* restoring: its neighbours follow those of the bodies before */
    const neighbour *neighbours; /* saving only */
} predicted_body;

/* A neighbour of a body, in the order of its list. */
typedef struct predicted_neighbour {
    uint32_t index, mirror; /* as in neighbours.h */
} predicted_neighbour;

/* The prediction of two neighbours. */
typedef struct predicted_pair {
    uint32_t a, b; /* indices, a < b */
    pair_prediction prediction;
} predicted_pair;

typedef struct prediction_state {
    bool exists;
    uint32_t first_new; /* saving: bodies from this index on are new; they are changed, after those of `dirty` */
    uint64_t last_version;
    advance_effort effort;
    advance_choice choice;
    uint64_t spheres_set, neighbours_found; /* of the fat bounds */
    double grid_low[3];
    uint32_t grid_size[3]; /* 0: there is no grid */
    float grid_max_radius;
    double sweep_time;
    /* restoring only, except the first and the last */
    const uint32_t *dirty; /* indices, in order */
    const predicted_body *bodies;
    const predicted_neighbour *neighbours;
    const predicted_pair *pairs;
    const uint32_t *order[3]; /* of the endpoints in the sweep along each axis: index << 1 | side */
    size_t dirty_count, body_count, neighbour_count, pair_count, order_count;
} prediction_state;

/* ---- saving ---- */

/* What is not in lists. `exists` is false if predictions are not saved. */
prediction_state tact_world_describe_predictions(const tact_world *world);

/* The body at an index; false if the index is vacant. */
bool tact_world_predicted_body_at(const tact_world *world, uint32_t index, predicted_body *body);

/* Iterates over predictions. `*cursor` is 0 at first. False at the end. */
bool tact_world_next_predicted_pair(const tact_world *world, uint64_t *cursor, predicted_pair *pair);

/* ---- restoring ---- */

/* Restores the predictions of a world whose motions have been restored. False, with the reason in `report`, if a value
 * is invalid or memory is out. */
bool tact_predictions_restore(tact_world *world, const prediction_state *state, tact_report *report);

#endif
