/*
 * Kinetic sorted lists as the broad phase of a world through time (advance.h): the boxes of the bodies move as the
 * bodies do, and who overlaps whom is known from swap to swap (broad/kinetic_sweep.h). Neighbours are those whose boxes
 * overlap.
 */
#ifndef TACT_ADVANCE_BODY_SWEEP_H
#define TACT_ADVANCE_BODY_SWEEP_H

#include "broad/kinetic_sweep.h"
#include "world/world_internal.h"

struct advance;

#define BODY_SWEEP_MAX_BODIES (1u << 20) /* bodies: more are not taken, see advance_lists.c */

/* What is done with the pairs that the lists tell of. */
typedef enum body_sweep_mode { SWEEP_IGNORE, SWEEP_TOGGLE, SWEEP_COUNT, SWEEP_JOIN } body_sweep_mode;

typedef struct body_sweep {
    kinetic_sweep sweep; /* by index of body */
    index_array
        found; /* SWEEP_TOGGLE: whoever was told of; then those that are to be the neighbours of `who`; room for all */
    index_array pending; /* bodies that are to come, or whose pairs have not been joined yet; room for all */
    index_array counts;  /* by index of body: pairs, while they are counted */
    body_sweep_mode mode;
    uint32_t
        unsettled_body; /* whose neighbours are to be set, which there was no memory for; NEIGHBOUR_NONE: nobody's */
    uint32_t began[2];  /* neighbours by the last swap that are to be foreseen; NEIGHBOUR_NONE: none */
} body_sweep;

void tact_body_sweep_init(struct advance *ad);
void tact_body_sweep_release(body_sweep *l, const tact_allocator *allocator);
bool tact_body_sweep_reserve(body_sweep *l, const tact_allocator *allocator, uint32_t count);

static inline bool body_sweep_has(const body_sweep *l, uint32_t index) { return kinetic_sweep_has(&l->sweep, index); }

/* The box of a body is that of its plan from now on. One that is not there comes with tact_body_sweep_insert_pending.
 */
tact_status tact_body_sweep_update(tact_world *world, uint32_t index);

/* Those that were put and are not there come, all at once. */
tact_status tact_body_sweep_insert_pending(tact_world *world);

/* It goes, if it is there. */
void tact_body_sweep_remove(tact_world *world, uint32_t index);

/* When something happens in the lists; INFINITY: never. */
double tact_body_sweep_next_time(const struct advance *ad);

/* The next swap, at the time of the world. If two are neighbours then, they are in `begun`. */
tact_status tact_body_sweep_step(tact_world *world);

/* The other way of finding neighbours, from now on; also if the last attempt failed. All events are to be set anew.
 * TACT_OUT_OF_MEMORY: not done yet, to be done before anything else. */
tact_status tact_advance_use_sweep(tact_world *world);
tact_status tact_advance_use_fat_bounds(tact_world *world);

/* For tests: are the lists sorted, and neighbours those that overlap? */
bool tact_body_sweep_check(const tact_world *world);

#endif
