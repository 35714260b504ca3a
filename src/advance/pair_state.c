/* The transition table of the contact state of a pair: see pair_state.h. */
#include "advance/pair_state.h"

#include "advance/advance_state.h"

pair_state tact_pair_transition(pair_state state, pair_observation observation, bool *report)
{
    /* clang-format off */
    static const pair_state next[][PAIR_OBSERVATION_COUNT] = {
        /*                      event          bounce        overlap           no overlap    too deep          separation */
        [PAIR_APART]       = { PAIR_TOUCHING, PAIR_RESTING, PAIR_OVERLAPPING, PAIR_APART,   PAIR_APART,       PAIR_APART },
        [PAIR_TOUCHING]    = { PAIR_APART,    PAIR_BOUNCED, PAIR_OVERLAPPING, PAIR_APART,   PAIR_OVERLAPPING, PAIR_APART },
        [PAIR_OVERLAPPING] = { PAIR_APART,    PAIR_BOUNCED, PAIR_OVERLAPPING, PAIR_APART,   PAIR_OVERLAPPING, PAIR_APART },
        [PAIR_BOUNCED]     = { PAIR_APART,    PAIR_BOUNCED, PAIR_BOUNCED,     PAIR_RESTING, PAIR_OVERLAPPING, PAIR_APART },
        [PAIR_RESTING]     = { PAIR_TOUCHING, PAIR_RESTING, PAIR_BOUNCED,     PAIR_RESTING, PAIR_APART,       PAIR_APART },
    };
    /* clang-format on */
    const pair_state after = next[state][observation];
    *report = observation == PAIR_SEES_EVENT && after == PAIR_TOUCHING;
    return after;
}

uint32_t tact_pair_state_flags(pair_state state, uint64_t version)
{
    return (pair_overlaps(state) ? (uint32_t)TOUCH_OVERLAPS : 0u) | (version == 0 ? (uint32_t)TOUCH_REPORTED : 0u) |
           (pair_has_bounced(state) ? (uint32_t)TOUCH_BOUNCED : 0u);
}

pair_state tact_pair_state_from_flags(uint32_t flags)
{
    if (flags & TOUCH_BOUNCED)
        return flags & TOUCH_OVERLAPS ? PAIR_BOUNCED : PAIR_RESTING;
    if (!(flags & TOUCH_OVERLAPS))
        return PAIR_APART;
    return flags & TOUCH_REPORTED ? PAIR_TOUCHING : PAIR_OVERLAPPING;
}
