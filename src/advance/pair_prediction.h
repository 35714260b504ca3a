/* What is predicted of a pair of neighbours: its next touch, or its separation. */
#ifndef TACT_ADVANCE_PAIR_PREDICTION_H
#define TACT_ADVANCE_PAIR_PREDICTION_H

#include <tact/query.h>
#include <tact/world.h>

#include "advance/pair_state.h"
#include "broad/neighbours.h"
#include "core/array.h"

struct advance;

typedef struct pair_prediction {
    double time;             /* of the next event of the pair; INFINITY: none up to valid_until */
    double valid_until;      /* the pair is to be examined again then, if there was no event */
    double superseded_at;    /* something else examines the pair then, or ends it: an expiry, the end of overlap */
    tact_vec3 point, normal; /* of the touch; the normal points from the body with the smaller index */
    tact_part parts[2];      /* of the touch: of the body with the smaller index, and of the other */
    uint64_t version;        /* a new one with every update; 0: no prediction: the pair is new, or was just reported */
    uint64_t reported_version; /* the version when the pair was last reported */
    double next_poll;          /* polled pairs: not tested before; 0: not set; -INFINITY: test now */
    double reported_at;        /* time of the last report */
    uint32_t reported_count;   /* reports at that time */
    uint32_t uncertain_count;  /* OVERLAPPING: tests in a row without an overlap certificate */
    uint32_t next_unused;      /* of an unused prediction: the next one */
    pair_state state;
    struct deforming_pair *deforming; /* of a pair with moving vertices (deforming_pair.h); NULL: none yet */
    double depth;                     /* RESTING: penetration when the pair was last reported; negative: unknown */
} pair_prediction;

ARRAY_OF(prediction_array, pair_prediction);

/* Changes the state of a pair by an observation. Returns whether the touch is to be reported. */
static inline bool pair_observe(pair_prediction *r, pair_observation observation)
{
    bool report;
    r->state = tact_pair_transition(r->state, observation, &report);
    return report;
}

/* A new prediction; NEIGHBOUR_NONE: out of memory. */
uint32_t tact_prediction_allocate(tact_world *world);

/* Frees a prediction. Events that were made from it are stale. */
void tact_prediction_free(struct advance *ad, uint32_t prediction);

/* The index of the prediction of two neighbours, created if there is none; NEIGHBOUR_NONE: out of memory. */
uint32_t tact_prediction_ensure(tact_world *world, neighbour *n);

/* Predicts anew what happens with body `index` and its neighbour `n`, which has a prediction: from now on, up to
 * `limit` or the expiry of one of them. On failure the prediction is unchanged. */
tact_status tact_prediction_update(tact_world *world, uint32_t index, const neighbour *n, double limit);

/* The two bodies have bounced. */
void tact_prediction_mark_bounced(struct advance *ad, uint32_t a, uint32_t b);

/* The two bodies have become a persistent contact, or are no longer one. */
void tact_prediction_set_apart(struct advance *ad, uint32_t a, uint32_t b);

/* Likewise with all its neighbours. */
void tact_prediction_set_all_apart(struct advance *ad, uint32_t index);

#endif
