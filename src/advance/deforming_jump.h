/*
 * Pairs with moving vertices, at the time of a jump: vertices or a rigid body have been put elsewhere, or a loop starts
 * again. They move along straight lines, in no time.
 *
 * By features, a window of no duration finds the contacts on the way (kinetic/feature_windows.h). What is here is for
 * all pairs: whether they were separated before the jump, so that a contact on the way is a touch; and contacts by
 * shape: conservative advancement along the way. A rigid body that is tested by shape keeps its orientation after the
 * jump on the way. Control points of NURBS bodies are not followed.
 */
#ifndef TACT_ADVANCE_DEFORMING_JUMP_H
#define TACT_ADVANCE_DEFORMING_JUMP_H

#include "advance/deforming_pair.h"

/* If one of two bodies jumps now, and they count as overlapping: observes whether they were separated just before it.
 * Then the first contact on the way is a touch. At most one touch of a pair comes from jumps of one batch. */
tact_status tact_deforming_examine_before_jump(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                               pair_prediction *r);

/* No other touch of a pair is found in the jumps of this time and batch. */
void tact_deforming_end_jumps(const struct advance *ad, deforming_pair *pair);

/* The first contact on the way, if one of two bodies that are not tested by features jumps now: sets the time of the
 * prediction to now, or to INFINITY if there is none. */
tact_status tact_deforming_search_jump(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                       pair_prediction *r);

#endif
