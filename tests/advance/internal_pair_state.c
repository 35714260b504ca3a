/*
 * The contact state of a pair (advance/pair_state.h): all transitions, what is reported, and the flags of a saved
 * world.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advance/advance_state.h"
#include "advance/pair_state.h"

enum { STATES = PAIR_RESTING + 1 };

static pair_state after(pair_state state, pair_observation observation)
{
    bool report;
    return tact_pair_transition(state, observation, &report);
}

static void only_a_touch_is_reported(void **unused)
{
    (void)unused;
    for (int s = 0; s < STATES; ++s)
        for (int o = 0; o < PAIR_OBSERVATION_COUNT; ++o) {
            bool report;
            const pair_state next = tact_pair_transition((pair_state)s, (pair_observation)o, &report);
            assert_true(report == (next == PAIR_TOUCHING && o == PAIR_SEES_EVENT));
            /* TOUCHING is entered by a report and by nothing else */
            assert_true(next != PAIR_TOUCHING || report);
        }
}

/* Overlap and bounce are two facts of a state; each observation changes them as follows. */
static void observations_change_what_they_say(void **unused)
{
    (void)unused;
    for (int s = 0; s < STATES; ++s) {
        const pair_state state = (pair_state)s;
        const bool overlaps = pair_overlaps(state), bounced = pair_has_bounced(state);
        pair_state next = after(state, PAIR_SEES_EVENT);
        assert_true(pair_overlaps(next) == !overlaps && !pair_has_bounced(next));
        next = after(state, PAIR_SEES_BOUNCE);
        assert_true(pair_overlaps(next) == overlaps && pair_has_bounced(next));
        next = after(state, PAIR_SEES_OVERLAP);
        assert_true(pair_overlaps(next) && pair_has_bounced(next) == bounced);
        next = after(state, PAIR_SEES_NO_OVERLAP);
        assert_true(!pair_overlaps(next) && pair_has_bounced(next) == bounced);
        next = after(state, PAIR_SEES_TOO_DEEP);
        assert_true(pair_overlaps(next) == overlaps && !pair_has_bounced(next));
        assert_int_equal(after(state, PAIR_SEES_SEPARATION), PAIR_APART);
    }
}

static void flags_of_a_saved_world_keep_the_state(void **unused)
{
    (void)unused;
    for (int s = 0; s < STATES; ++s)
        for (uint64_t version = 0; version < 2; ++version) {
            if ((s == PAIR_TOUCHING && version != 0) || (s == PAIR_OVERLAPPING && version == 0))
                continue; /* the version distinguishes these two */
            const uint32_t flags = tact_pair_state_flags((pair_state)s, version);
            assert_int_equal(tact_pair_state_from_flags(flags), s);
            assert_true(((flags & TOUCH_REPORTED) != 0) == (version == 0));
        }
    for (uint32_t flags = 0; flags <= (TOUCH_OVERLAPS | TOUCH_REPORTED | TOUCH_BOUNCED); ++flags) {
        const uint64_t version = flags & TOUCH_REPORTED ? 0 : 1;
        assert_int_equal(tact_pair_state_flags(tact_pair_state_from_flags(flags), version), flags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_touch_is_reported),
        cmocka_unit_test(observations_change_what_they_say),
        cmocka_unit_test(flags_of_a_saved_world_keep_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
