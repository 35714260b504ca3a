/*
 * The contact state of a pair of bodies, and its only transition function.
 *
 *                      event                        bounce
 *        +---------> TOUCHING ----------------------------------> BOUNCED <-------+
 *        |              | overlap                                  |   |          |
 *   event|              v                                 too deep |   | no       | overlap
 *        |         OVERLAPPING <-----------------------------------+   | overlap  |
 *        |              |                                              v          |
 *      APART <----------+ event, no overlap                         RESTING ------+
 *        ^                                                             |
 *        +-------------------------------------------------------------+ separated, too deep
 *                                              RESTING -- event --> TOUCHING
 *
 * "event" is the time of the prediction: a touch for APART and RESTING, the separation for the other states.
 * Entering TOUCHING is the only transition that is reported to the caller. "separated" leads to APART from every
 * state. "too deep" leads from BOUNCED to OVERLAPPING, but from RESTING to APART: the pair gets a new time of impact.
 * "bounce" leads from OVERLAPPING to BOUNCED and from APART to RESTING, if the caller bounces a pair by an earlier
 * report.
 *
 * Invariants
 *    APART        The pair is new, or was separated, or no longer approaches or overlaps after its report, or was
 *                 RESTING and found too deep. Its prediction is a time of impact.
 *    TOUCHING     The pair has been reported at the time of the world, and its motion after the response of the
 *                 caller has not been examined yet. It has no prediction: its version is 0.
 *    OVERLAPPING  The pair was reported, and still approaches or overlaps: the caller allows the overlap. Its
 *                 prediction is the time at which it is separated; it is reported again after that.
 *    BOUNCED      TOUCHING or OVERLAPPING, and tact_world_bounce was applied since. The next examination measures
 *                 the depth of the contact.
 *    RESTING      The pair has bounced, has been examined since, and was within the contact band
 *                 (contact_policy.h). Its prediction is the time at which it approaches again, or penetrates
 *                 deeper than at its last report.
 *
 * Pairs that are polled, and spheres in closed form, need no contact band. They treat BOUNCED like OVERLAPPING
 * and RESTING like APART, but keep the difference, in case the bodies change.
 */
#ifndef TACT_ADVANCE_PAIR_STATE_H
#define TACT_ADVANCE_PAIR_STATE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum pair_state { PAIR_APART, PAIR_TOUCHING, PAIR_OVERLAPPING, PAIR_BOUNCED, PAIR_RESTING } pair_state;

/* What has happened to a pair, or was found when it was examined. */
typedef enum pair_observation {
    PAIR_SEES_EVENT,      /* the time of its prediction has come */
    PAIR_SEES_BOUNCE,     /* the response of the caller has bounced it */
    PAIR_SEES_OVERLAP,    /* it approaches or overlaps after it was reported */
    PAIR_SEES_NO_OVERLAP, /* it does not, or only within the contact band */
    PAIR_SEES_TOO_DEEP,   /* it is deeper than a resting contact may be */
    PAIR_SEES_SEPARATION, /* it is farther apart than the separation distance */
    PAIR_OBSERVATION_COUNT
} pair_observation;

/* The state after an observation. `*report`: the touch is to be reported to the caller. */
pair_state tact_pair_transition(pair_state state, pair_observation observation, bool *report);

/* Whether the next event of a pair is its separation. */
static inline bool pair_overlaps(pair_state state)
{
    return state == PAIR_TOUCHING || state == PAIR_OVERLAPPING || state == PAIR_BOUNCED;
}

/* Whether a pair has bounced since it was last reported, and was not separated since. */
static inline bool pair_has_bounced(pair_state state) { return state == PAIR_BOUNCED || state == PAIR_RESTING; }

/* The state as flags of a saved world, and back: TOUCH_ in advance_state.h. Of a TOUCHING pair also the version is 0.
 */
uint32_t tact_pair_state_flags(pair_state state, uint64_t version);
pair_state tact_pair_state_from_flags(uint32_t flags);

#endif
