/*
 * The policy of resting contact: when a pair that has bounced is reported again.
 *
 * The time-of-impact search answers a geometric question (toi/toi.h). What counts as contact after a bounce is decided
 * here:
 *  1. A pair is in contact while it is no farther apart than the separation distance and no deeper: the contact band.
 *     What rounding, and the mean angular velocities of rotation pieces, do within the band does not count. So a body
 *     that lies, rolls or tips on another one takes few events.
 *  2. The band begins at the depth at which the pair was reported: it is reported again when it closes after the motion
 *     of one body has changed, or penetrates deeper than the band.
 *  3. A contact deeper than MAX_RESTING_DEPTH of the size is no resting contact: the pair overlaps.
 *  4. A pair farther apart than the band is separated: the policy ends.
 *  5. A pair that was just reported (settled) is not reported again before it has moved: time advances.
 */
#ifndef TACT_ADVANCE_CONTACT_POLICY_H
#define TACT_ADVANCE_CONTACT_POLICY_H

#include "advance/pair_query.h"

/* Predicts the next event of a pair that is BOUNCED or RESTING. `settled`: that it is in contact now is no news. */
tact_status tact_contact_policy_update(const pair_query *q, bool settled, pair_prediction *r);

#endif
