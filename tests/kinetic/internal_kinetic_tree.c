/*
 * The kinetic AABB tree against brute force: at random times, every box contains its vertices, its extremes are
 * extremes, and no certificate has failed unnoticed. Scenes with simultaneous failures, still parts, heavy deformation,
 * own pieces of each vertex, changed plans.
 */
#include "kinetic/kinetic_tree.h"

#include "kinetic/kinetic_constants.h"
#include "support/failing_allocator.h"
#include "support/moving_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/seeded_cases.h"

static struct {
    uint64_t external, internal, ties, validated;
} met;

/* Processes all events up to a time. */
static void advance_to(kinetic_tree *tree, double time)
{
    while (tact_kinetic_tree_next(tree) <= time) {
        tact_kinetic_tree_step(tree);
        (void)tact_kinetic_motion_adapt(&tree->motion);
    }
    tact_kinetic_motion_set_time(&tree->motion, time);
}

/* ---- brute force ---- */

static bool is_below(const kinetic_tree *t, uint32_t bound, uint32_t ancestor)
{
    while (bound != KINETIC_NONE && bound != ancestor)
        bound = t->bounds[bound].parent;
    return bound == ancestor;
}

/* How far vertices exceed a box along a side. */
static long double excess(const kinetic_tree *t, const moving_scene *s, uint32_t bound, int side, double time)
{
    const long double sign = (side & 1) != 0 ? 1.0L : -1.0L;
    const long double x = sign * scene_coordinate(s, t->bounds[bound].extreme[side], side / 2, time);
    long double most = -INFINITY;
    for (uint32_t i = 0; i < t->item_count; i++)
        for (int k = 0; k < 3 && is_below(t, t->node_count + i, bound); k++)
            most = fmaxl(most, sign * scene_coordinate(s, s->items[i][k], side / 2, time) - x);
    return most;
}

/* The deepest level below a bound, counted from it; an item has one. */
static unsigned height(const kinetic_tree *t, uint32_t bound)
{
    unsigned deepest = 0;
    for (uint32_t i = 0; i < t->item_count; i++)
        if (is_below(t, t->node_count + i, bound)) {
            const unsigned levels = t->bounds[t->node_count + i].level - t->bounds[bound].level + 1;
            deepest = levels > deepest ? levels : deepest;
        }
    return deepest;
}

/* The time at which a loser exceeds the winner by four ties, or INFINITY: piece by piece in long double. */
static double true_failure(const kinetic_tree *t, const moving_scene *s, uint32_t winner, uint32_t loser, int side)
{
    const long double sign = (side & 1) != 0 ? 1.0L : -1.0L;
    const long double limit = 4.0L * (long double)t->motion.tie;
    double start = t->motion.time;
    for (;;) {
        double end_w, end_l;
        const linear_path w = scene_motion_piece((void *)(uintptr_t)s, winner, start, &end_w);
        const linear_path l = scene_motion_piece((void *)(uintptr_t)s, loser, start, &end_l);
        const double end = end_w < end_l ? end_w : end_l;
        const double last = end < INFINITY ? end : start + 1e9;
        const long double d0 = sign * (scene_path_coordinate(&l, side / 2, (long double)start) -
                                       scene_path_coordinate(&w, side / 2, (long double)start));
        const long double d1 = sign * (scene_path_coordinate(&l, side / 2, (long double)last) -
                                       scene_path_coordinate(&w, side / 2, (long double)last));
        if (d0 > limit)
            return start;
        if (d1 > limit)
            return (double)((long double)start + ((long double)last - (long double)start) * (limit - d0) / (d1 - d0));
        if (end == INFINITY)
            return INFINITY;
        start = end;
    }
}

static void check_tree(const kinetic_tree *t, const moving_scene *s, uint64_t seed)
{
    const double time = t->motion.time;
    for (uint32_t b = 0; b < t->node_count + t->item_count; b++) {
        const double allowed = KINETIC_TIES_PER_LEVEL * height(t, b) * t->motion.tie;
        double earliest = INFINITY;
        for (int side = 0; side < KINETIC_SIDES; side++) {
            const long double out = excess(t, s, b, side, time);
            CHECK(out <= (long double)allowed, "at %a: bound %u side %d: a vertex is %Lg outside, allowed %g", time, b,
                  side, out, allowed);
            CHECK(out >= 0.0L, "at %a: bound %u side %d: the extreme is not inside", time, b, side);
            met.ties += out > 0.0L;
            const double failure = t->failures[b].side[side];
            CHECK(failure > time, "a certificate has failed");
            earliest = failure < earliest ? failure : earliest;
            uint32_t candidates[4];
            unsigned count = 0;
            for (unsigned k = 0; b < t->node_count && k < 4 && t->nodes[b].child[k] != TREE_NONE; k++)
                candidates[count++] = t->bounds[t->nodes[b].child[k]].extreme[side];
            for (unsigned k = 0; b >= t->node_count && k < 3; k++)
                candidates[count++] = s->items[b - t->node_count][k];
            for (unsigned k = 0; k < count; k++) {
                const double at = true_failure(t, s, t->bounds[b].extreme[side], candidates[k], side);
                CHECK(failure <= at, "at %a: bound %u side %d: certificate fails at %a, examined at %a", time, b, side,
                      at, failure);
            }
        }
        CHECK(event_queue_has(&t->queue, b) == (earliest < INFINITY), "bound %u: event", b);
        if (earliest < INFINITY)
            CHECK(t->queue.entries[t->queue.heap_index[b]].time == earliest, "bound %u: time of its event", b);
    }
}

/* ---- cases ---- */

static kinetic_tree_def def_of(moving_scene *s)
{
    return (kinetic_tree_def){.items = (const uint32_t(*)[4])s->items,
                              .item_count = s->item_count,
                              .vertex_count = s->vertex_count,
                              .motion = scene_motion(s)};
}

static void boxes_contain_their_vertices_at_all_times(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(90, 2000); seed++) {
        static moving_scene s;
        const scene_style style = (scene_style)(seed % (SCENE_STYLES - 1)); /* a tree alone has no jumps */
        moving_scene_make(&s, seed, style, 12);
        random_source r = random_seed(seed ^ 0x77);
        kinetic_tree_def def = def_of(&s);
        kinetic_tree t;
        CHECK(tact_kinetic_tree_create(&t, &def) == TACT_OK, "create");
        check_tree(&t, &s, seed);
        const int times = scene_validated_times(seed, 24);
        for (int i = 0; i < times; i++) {
            /* random times, and those of key frames and events */
            double time = t.motion.time + 2.4 * s.end / times * random_unit(&r) * random_unit(&r);
            if (random_chance(&r, 7.2 / times) && ceil(t.motion.time) > t.motion.time)
                time = ceil(t.motion.time);
            else if (random_chance(&r, 0.4) && tact_kinetic_tree_next(&t) < INFINITY) /* right at an event */
                time = tact_kinetic_tree_next(&t);
            advance_to(&t, time);
            CHECK(t.motion.time == time, "time");
            check_tree(&t, &s, seed);
            met.validated++;
        }
        met.external += t.counts.external_events;
        met.internal += t.counts.internal_events;
        tact_kinetic_tree_release(&t);
    }
    if (!few_cases()) {
        print_message("%llu external events, %llu internal, %llu ties; valid at %llu times\n",
                      (unsigned long long)met.external, (unsigned long long)met.internal, (unsigned long long)met.ties,
                      (unsigned long long)met.validated);
        assert_true(met.validated > 2600 && met.external > 20000 && met.internal > 10 && met.ties > 10);
    }
}

/* Is a vertex an extreme of an item? */
static bool is_extreme(const kinetic_tree *t, uint32_t vertex)
{
    bool extreme = false;
    for (uint32_t b = t->node_count; b < t->node_count + t->item_count; b++)
        for (int side = 0; side < KINETIC_SIDES; side++)
            extreme = extreme || t->bounds[b].extreme[side] == vertex;
    return extreme;
}

static void a_changed_plan_touches_only_its_vertex(void **state)
{
    (void)state;
    uint64_t plan_changes = 0, quiet = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(60, 2000); seed++) {
        static moving_scene s;
        moving_scene_make(&s, seed, (scene_style)(seed % (SCENE_STYLES - 1)), 5);
        random_source r = random_seed(seed ^ 0x78);
        kinetic_tree_def def = def_of(&s);
        kinetic_tree t;
        CHECK(tact_kinetic_tree_create(&t, &def) == TACT_OK, "create");
        const int times = scene_validated_times(seed, 12);
        for (int i = 0; i < times; i++) {
            advance_to(&t, t.motion.time + random_range(&r, 0.0, 0.5));
            const bool all = random_chance(&r, 0.2), jump = random_chance(&r, 0.3);
            const uint32_t one = (uint32_t)random_below(&r, s.vertex_count);
            for (uint32_t v = 0; v < s.vertex_count; v++)
                if (all || v == one)
                    scene_change_path(&s, &r, v, t.motion.time, jump);
            for (uint32_t v = 0; v < s.vertex_count; v++)
                if (all || v == one) {
                    const bool extreme = is_extreme(&t, v);
                    const uint64_t before = t.counts.plan_changes;
                    tact_kinetic_tree_vertex_changed(&t, v);
                    plan_changes += t.counts.plan_changes - before;
                    /* inside all boxes: only its certificates within its items */
                    if (!all && !extreme && !is_extreme(&t, v)) {
                        quiet++;
                        CHECK(t.counts.plan_changes - before ==
                                  KINETIC_SIDES * (uint64_t)(t.vertex_start[v + 1] - t.vertex_start[v]),
                              "vertex %u", v);
                    }
                }
            (void)tact_kinetic_motion_adapt(&t.motion);
            advance_to(&t, t.motion.time);
            check_tree(&t, &s, seed);
        }
        tact_kinetic_tree_release(&t);
    }
    if (!few_cases()) {
        print_message("%llu extremes examined, %llu vertices inside all boxes\n", (unsigned long long)plan_changes,
                      (unsigned long long)quiet);
        assert_true(plan_changes > 20000 && quiet > 100);
    }
}

/* Four items whose corners pass each other at the same time, in both directions. */
static void simultaneous_swaps_end(void **state)
{
    (void)state;
    static moving_scene s;
    memset(&s, 0, sizeof s);
    s.vertex_count = 4;
    s.continuous = true;
    for (uint32_t v = 0; v < 4; v++) {
        scene_add_item(&s, v, v, v);
        const double x = v, speed = 1.5 - v;
        const linear_path p = {0.0, 0.0, {x - 1.5, 0.0, 0.0}, {speed, 0.0, 0.0}, true};
        scene_add_piece(&s, v, (scene_piece){0.0, p});
    }
    const uint64_t seed = 0;
    kinetic_tree_def def = def_of(&s);
    kinetic_tree t;
    CHECK(tact_kinetic_tree_create(&t, &def) == TACT_OK, "create");
    CHECK(t.bounds[0].extreme[0] == 0 && t.bounds[0].extreme[1] == 3, "extremes");
    advance_to(&t, 0.75);
    CHECK(t.bounds[0].extreme[0] == 0 && t.bounds[0].extreme[1] == 3, "extremes");
    advance_to(&t, 1.0); /* all at 0 */
    CHECK(t.bounds[0].extreme[0] == 3 && t.bounds[0].extreme[1] == 0, "extremes");
    CHECK(t.counts.external_events == 1, "%llu events", (unsigned long long)t.counts.external_events);
    advance_to(&t, 100.0);
    check_tree(&t, &s, seed);
    CHECK(t.queue.count == 0, "no events are left");
    tact_kinetic_tree_release(&t);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static moving_scene s;
    const uint64_t seed = 2;
    moving_scene_make(&s, 12, SCENE_RANDOM, 4);
    kinetic_tree_def def = def_of(&s);
    long failures = 0;
    for (long at = 1;; at++) {
        failing_allocator memory = {.fail_at = at};
        def.allocator = failing_allocator_make(&memory);
        kinetic_tree t;
        const tact_status status = tact_kinetic_tree_create(&t, &def);
        if (status == TACT_OK)
            check_tree(&t, &s, seed);
        tact_kinetic_tree_release(&t);
        assert_int_equal(memory.held, 0);
        assert_true(status == TACT_OK || status == TACT_OUT_OF_MEMORY);
        failures += status != TACT_OK;
        if (memory.calls < at)
            break;
    }
    print_message("%ld allocations\n", failures);
    assert_true(failures >= 8);
}

static void bad_input_is_rejected(void **state)
{
    (void)state;
    static moving_scene s;
    moving_scene_make(&s, 12, SCENE_RANDOM, 4);
    kinetic_tree t;
    kinetic_tree_def def = def_of(&s);
    def.vertex_count = s.items[0][0];
    assert_int_equal(tact_kinetic_tree_create(&t, &def), TACT_BAD_ARGUMENT);
    def = def_of(&s);
    def.item_count = KINETIC_MAX_ITEMS + 1;
    assert_int_equal(tact_kinetic_tree_create(&t, &def), TACT_BAD_ARGUMENT);
    def = def_of(&s);
    def.item_count = 0;
    assert_int_equal(tact_kinetic_tree_create(&t, &def), TACT_OK);
    assert_true(tact_kinetic_tree_next(&t) == INFINITY);
    tact_kinetic_tree_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_contain_their_vertices_at_all_times),
        cmocka_unit_test(a_changed_plan_touches_only_its_vertex),
        cmocka_unit_test(simultaneous_swaps_end),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(bad_input_is_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
