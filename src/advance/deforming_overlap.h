/* Pairs with moving vertices that touch or overlap: whether they do, when they have separated, and contacts that are
 * not found by features. */
#ifndef TACT_ADVANCE_DEFORMING_OVERLAP_H
#define TACT_ADVANCE_DEFORMING_OVERLAP_H

#include "advance/deforming_pair.h"

/* Sets whether the bodies touch or overlap now, and where, by a test of their current shapes. */
tact_status tact_deforming_test_overlap(tact_world *world, const uint32_t bodies[2], deforming_pair *pair);

/* The first contact from now until `end`, of a pair that is not tested by features. `wider`: length, added to
 * the distance of contact. */
tact_status tact_deforming_search_contact(tact_world *world, deforming_pair *pair, const uint32_t bodies[2], double end,
                                          double wider, pair_prediction *r);

/* Examines a pair that overlaps: whether it is separated now, and when to examine it again. The first interval after a
 * touch is SEPARATION_DISTANCE of the window, which ends at `end`; each is twice as long as the one before. */
tact_status tact_deforming_examine_overlap(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                           double end, pair_prediction *r);

#endif
