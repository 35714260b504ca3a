/*
 * The kinetic sweep and prune (Coming and Staadt 2006) as the broad phase of a world through continuous time.
 *
 * Each body has a box whose ends move as the body does (broad/kinetic_sweep.h). The pairs of boxes that overlap are
 * known from swap to swap: they are the neighbours.
 */
#ifndef TACT_ADVANCE_BODY_SWEEP_H
#define TACT_ADVANCE_BODY_SWEEP_H

#include "broad/kinetic_sweep.h"
#include "world/world_internal.h"

struct advance;

/* What is done with the pairs that the sweep reports. */
typedef enum body_sweep_mode {
    SWEEP_IGNORE,
    SWEEP_TOGGLE, /* collect the other body of each pair with `unsettled_body` in `found` */
    SWEEP_COUNT,  /* count pairs per body */
    SWEEP_JOIN    /* join and separate neighbours */
} body_sweep_mode;

typedef struct body_sweep {
    kinetic_sweep sweep;      /* by index of body */
    body_index_array found;   /* bodies collected by SWEEP_TOGGLE; capacity for all bodies */
    body_index_array pending; /* bodies to be inserted, or whose pairs are not joined yet; capacity for all bodies */
    body_index_array counts;  /* pairs by index of body, while they are counted */
    body_sweep_mode mode;
    uint32_t unsettled_body; /* its neighbours are still to be updated, for lack of memory; NEIGHBOUR_NONE: none */
    uint32_t began[2];       /* neighbours by the last swap that have no event yet; NEIGHBOUR_NONE: none */
} body_sweep;

void tact_body_sweep_init(struct advance *ad);
void tact_body_sweep_release(body_sweep *l, const tact_allocator *allocator);
bool tact_body_sweep_reserve(body_sweep *l, const tact_allocator *allocator, uint32_t count);

static inline bool body_sweep_has(const body_sweep *l, uint32_t index) { return kinetic_sweep_has(&l->sweep, index); }

/* Gives a body the box of its motion from now on. A new body waits for tact_body_sweep_insert_pending. On failure the
 * call may be repeated. */
tact_status tact_body_sweep_update(tact_world *world, uint32_t index);

/* Inserts all bodies that wait, at once, and joins their neighbours. */
tact_status tact_body_sweep_insert_pending(tact_world *world);

/* Removes a body, if it is there. */
void tact_body_sweep_remove(tact_world *world, uint32_t index);

/* The time of the next swap; INFINITY: none. */
double tact_body_sweep_next_time(const struct advance *ad);

/* Makes the next swap, at the time of the world. New neighbours are in `began` then. */
tact_status tact_body_sweep_step(tact_world *world);

/* Changes the engine that finds neighbours, also after a failed attempt. All events are to be scheduled anew.
 * TACT_OUT_OF_MEMORY: the change is not complete, and is to be repeated before anything else. */
tact_status tact_advance_use_sweep(tact_world *world);
tact_status tact_advance_use_fat_bounds(tact_world *world);

#endif
