/*
 * Kinetic sorted lists as the broad phase of a world through time (advance.h): the boxes of the bodies move as the
 * bodies do, and who overlaps whom is known from swap to swap (broad/kinetic_sweep.h). Neighbours are those whose boxes
 * overlap.
 */
#ifndef TACT_ADVANCE_KINETIC_LISTS_H
#define TACT_ADVANCE_KINETIC_LISTS_H

#include "broad/kinetic_sweep.h"
#include "world/world_internal.h"

struct advance;

#define LISTS_MOST (1u << 20) /* bodies: more are not taken, see advance_lists.c */

/* What is done with the pairs that the lists tell of. */
typedef enum kinetic_lists_telling { LISTS_NOTHING, LISTS_TOGGLE, LISTS_COUNT, LISTS_JOIN } kinetic_lists_telling;

typedef struct kinetic_lists {
    kinetic_sweep sorted; /* by index of body */
    index_array
        found; /* LISTS_TOGGLE: whoever was told of; then those that are to be the neighbours of `who`; room for all */
    index_array fresh;  /* bodies that are to come, or whose pairs have not been joined yet; room for all */
    index_array counts; /* by index of body: pairs, while they are counted */
    kinetic_lists_telling telling;
    uint32_t who;      /* whose neighbours are to be set, which there was no memory for; NEIGHBOUR_NONE: nobody's */
    uint32_t begun[2]; /* neighbours by the last swap that are to be foreseen; NEIGHBOUR_NONE: none */
} kinetic_lists;

void tact_kinetic_lists_start(struct advance *ad);
void tact_kinetic_lists_release(kinetic_lists *l, const tact_allocator *allocator);
bool tact_kinetic_lists_reserve(kinetic_lists *l, const tact_allocator *allocator, uint32_t count);

static inline bool kinetic_lists_has(const kinetic_lists *l, uint32_t index)
{
    return kinetic_sweep_has(&l->sorted, index);
}

/* The box of a body is that of its plan from now on. One that is not there comes with tact_kinetic_lists_take_in. */
tact_status tact_kinetic_lists_put(tact_world *world, uint32_t index);

/* Those that were put and are not there come, all at once. */
tact_status tact_kinetic_lists_take_in(tact_world *world);

/* It goes, if it is there. */
void tact_kinetic_lists_forget(tact_world *world, uint32_t index);

/* When something happens in the lists; INFINITY: never. */
double tact_kinetic_lists_next(const struct advance *ad);

/* The next swap, at the time of the world. If two are neighbours then, they are in `begun`. */
tact_status tact_kinetic_lists_step(tact_world *world);

/* The other way of finding neighbours, from now on; also if the last attempt failed. All events are to be set anew.
 * TACT_OUT_OF_MEMORY: not done yet, to be done before anything else. */
tact_status tact_advance_take_lists(tact_world *world);
tact_status tact_advance_take_shells(tact_world *world);

/* For tests: are the lists sorted, and neighbours those that overlap? */
bool tact_kinetic_lists_check(const tact_world *world);

#endif
