/*
 * The policy of resting contact: when a pair that has bounced is reported again.
 *
 * The time-of-impact search answers a geometric question (toi/toi.h). What counts as contact after a bounce is decided
 * here:
 *  1. Let s be the separation distance, and depth the penetration of the pair at its last report or the smallest one
 *     found since. The pair is in contact while its signed distance is in the contact band [-depth - s, s]. (For
 *     greater depths the lower end is closer to -depth: band_of_depth in toi/contact_following.c.)
 *  2. What rounding, and the mean angular velocities of rotation pieces, do within the band does not count. So a
 *     body that lies, rolls or tips on another one takes few events. The pair is reported again when it approaches
 *     after the motion of one body has changed, or when it penetrates deeper than the band.
 *  3. A contact deeper than MAX_RESTING_DEPTH of the size is no resting contact. A BOUNCED pair becomes OVERLAPPING:
 *     it is reported again after its separation. A RESTING pair becomes APART.
 *  4. A pair farther apart than the band is separated: the policy ends.
 *  5. A pair that was just reported (settled) is not reported again before it has moved: time advances.
 */
#ifndef TACT_ADVANCE_CONTACT_POLICY_H
#define TACT_ADVANCE_CONTACT_POLICY_H

#include "advance/pair_query.h"

/* Predicts the next event of a pair that is BOUNCED or RESTING. `settled`: that it is in contact now is no news. */
tact_status tact_contact_policy_update(const pair_query *q, bool settled, pair_prediction *r);

#endif
