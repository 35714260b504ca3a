/* A validator of a world through continuous time: compares its structures with brute force. */
#ifndef ORACLE_ADVANCE_CHECK_H
#define ORACLE_ADVANCE_CHECK_H

#include <stdbool.h>
#include <tact/world.h>

/* Whether the invariants of src/advance/advance.h hold now: each body is within its bound until its expiry, all bodies
 * whose boxes overlap are neighbours, and no touch of two neighbours comes before their events. Examines all pairs, and
 * searches every time of impact anew. */
bool tact_advance_check(const tact_world *world);

#endif
