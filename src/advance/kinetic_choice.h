/* TACT_KINETIC_AUTO: chooses the engine that finds neighbours (kinetic_choice.c). */
#ifndef TACT_ADVANCE_KINETIC_CHOICE_H
#define TACT_ADVANCE_KINETIC_CHOICE_H

#include <stdbool.h>
#include <stdint.h>
#include <tact/world.h>

#include "broad/engine_choice.h"

/* Operations done since the beginning. One that failed for lack of memory and was repeated counts once. */
typedef struct advance_effort {
    uint64_t events;  /* of bodies, and swaps */
    uint64_t motions; /* that began: of bodies that were changed */
    uint64_t refits;  /* of fat bounds */
    uint64_t changes; /* of boxes in the sweep, other than by swaps */
} advance_effort;

typedef struct advance_choice {
    advance_effort before; /* at the beginning of the period */
    double since;          /* time at the beginning of the period */
    uint64_t swaps;        /* at the beginning of the period */
    tact_kinetic wanted;   /* TACT_KINETIC_SWEEP_AND_PRUNE or TACT_KINETIC_FAT_BOUNDS */
    engine_choice rule;
} advance_choice;

/* An engine has started: it is the wanted one until the choice changes. */
void tact_choice_begin(tact_world *world);

/* Called at every event. True: another engine is wanted now. */
bool tact_choice_changes(tact_world *world);

#endif
