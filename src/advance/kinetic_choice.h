/* AUTO: by which engine a world through time finds neighbours, see advance_choice.c. */
#ifndef TACT_ADVANCE_KINETIC_CHOICE_H
#define TACT_ADVANCE_KINETIC_CHOICE_H

#include <stdbool.h>
#include <stdint.h>
#include <tact/world.h>

#include "broad/engine_choice.h"

/* Work that was done, in numbers, since the beginning: once, also if it failed for lack of memory and was done again.
 */
typedef struct advance_effort {
    uint64_t events;  /* of bodies and of the lists */
    uint64_t plans;   /* that began: of bodies that were changed, and of those that turn freely */
    uint64_t puts;    /* of shells */
    uint64_t changes; /* of boxes in the lists */
} advance_effort;

typedef struct advance_choice {
    advance_effort before; /* when the period began */
    double since;          /* a time: likewise */
    uint64_t swaps;        /* likewise */
    tact_kinetic wish;     /* LISTS or SHELLS */
    engine_choice rule;
} advance_choice;

/* An engine has begun: it is the wish too, until there is another one. */
void tact_choice_begin(tact_world *world);

/* To be asked at every event: is it time to change? Then the wish is another one. */
bool tact_choice_changes(tact_world *world);

#endif
