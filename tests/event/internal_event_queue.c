/* The event queue against a linear search in an array. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event/queue.h"
#include "oracle/dice.h"
#include "oracle/queue_check.h"
#include "support/failing_allocator.h"
#include "support/seeded_cases.h"

enum { IDS = 300 };

typedef struct wanted {
    double time;
    uint64_t key;
    bool there;
} wanted;

/* The id of the next event; IDS if there is none. */
static uint32_t first_of(const wanted *all, uint32_t count)
{
    uint32_t best = IDS;
    for (uint32_t i = 0; i < count; ++i) {
        if (!all[i].there)
            continue;
        if (best == IDS || all[i].time < all[best].time ||
            (all[i].time == all[best].time && all[i].key < all[best].key))
            best = i;
    }
    return best;
}

static void check_first(const event_queue *q, const wanted *all, uint32_t count, uint64_t seed)
{
    const uint32_t first = first_of(all, count);
    if (first == IDS) {
        CHECK(q->count == 0, "%u are there", q->count);
        return;
    }
    CHECK(q->count > 0 && q->entries[0].id == first, "%u is first, not %u", q->entries[0].id, first);
    CHECK(q->entries[0].time == all[first].time, "at %g, not %g", q->entries[0].time, all[first].time);
}

/* In some of the cases few times and few keys, so that ties are frequent. */
static void returns_the_earliest_event_after_any_sets_and_cancels(void **state)
{
    (void)state;
    long ties = 0, changed = 0, cancelled = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(60); ++seed) {
        dice d = dice_for(seed, 1, 0);
        failing_allocator r = {0};
        const tact_allocator allocator = failing_allocator_make(&r);
        event_queue q = {0};
        wanted all[IDS] = {{0}};
        uint32_t count = 1;
        assert_true(tact_event_queue_reserve(&q, &allocator, count));
        const int times = 1 << dice_pick(&d, 12), keys = 1 + dice_pick(&d, 4);
        for (int i = 0; i < 3000; ++i) {
            if (count < IDS && dice_pick(&d, 10) == 0) {
                count += (uint32_t)dice_pick(&d, 5);
                count = count < IDS ? count : IDS;
                assert_true(tact_event_queue_reserve(&q, &allocator, count));
            }
            const uint32_t number = (uint32_t)dice_pick(&d, (int)count);
            if (dice_pick(&d, 3) > 0) {
                const double time = (double)dice_pick(&d, times) - 2.0;
                const uint64_t key = dice_pick(&d, 3) == 0 ? UINT64_MAX : (uint64_t)dice_pick(&d, keys) << 40;
                changed += all[number].there;
                all[number] = (wanted){time, key, true};
                tact_event_queue_set(&q, number, time, key);
            } else {
                cancelled += all[number].there;
                all[number].there = false;
                tact_event_queue_cancel(&q, number);
            }
            CHECK(event_queue_has(&q, number) == all[number].there, "%u", number);
            check_first(&q, all, count, seed);
            if (i % 64 == 0)
                CHECK(tact_event_queue_check(&q), "not a heap after %d", i);
        }
        double last = -INFINITY;
        while (q.count > 0) {
            check_first(&q, all, count, seed);
            const event_entry e = q.entries[0];
            ties += e.time == last;
            last = e.time;
            all[e.id].there = false;
            tact_event_queue_cancel(&q, e.id);
        }
        check_first(&q, all, count, seed);
        tact_event_queue_release(&q, &allocator);
        assert_int_equal(r.held, 0);
    }
    if (!few_cases())
        assert_true(ties > 500 && changed > 10000 && cancelled > 10000);
}

static void out_of_memory_changes_nothing(void **state)
{
    (void)state;
    for (long at = 1; at <= 7; ++at) {
        failing_allocator r = {0};
        const tact_allocator allocator = failing_allocator_make(&r);
        event_queue q = {0};
        assert_true(tact_event_queue_reserve(&q, &allocator, 4));
        for (uint32_t i = 0; i < 4; ++i)
            tact_event_queue_set(&q, i, 4.0 - i, i);
        r.fail_at = r.calls + at;
        const bool room = tact_event_queue_reserve(&q, &allocator, 100);
        assert_int_equal(room, at > 3);
        assert_true(tact_event_queue_check(&q));
        assert_int_equal(q.count, 4);
        assert_int_equal(q.entries[0].id, 3);
        r.fail_at = 0;
        assert_true(tact_event_queue_reserve(&q, &allocator, 100));
        tact_event_queue_set(&q, 99, -1.0, 0);
        assert_int_equal(q.entries[0].id, 99);
        assert_true(tact_event_queue_check(&q));
        tact_event_queue_release(&q, &allocator);
        assert_int_equal(r.held, 0);
    }
}

static void the_check_detects_damage(void **state)
{
    (void)state;
    failing_allocator r = {0};
    const tact_allocator allocator = failing_allocator_make(&r);
    event_queue q = {0};
    assert_true(tact_event_queue_reserve(&q, &allocator, 10));
    for (uint32_t i = 0; i < 10; ++i)
        tact_event_queue_set(&q, i, i, 0);
    assert_true(tact_event_queue_check(&q));
    q.entries[7].time = -1.0;
    assert_false(tact_event_queue_check(&q));
    q.entries[7].time = 7.0;
    q.heap_index[3] = 4;
    assert_false(tact_event_queue_check(&q));
    tact_event_queue_release(&q, &allocator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(returns_the_earliest_event_after_any_sets_and_cancels),
        cmocka_unit_test(out_of_memory_changes_nothing),
        cmocka_unit_test(the_check_detects_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
