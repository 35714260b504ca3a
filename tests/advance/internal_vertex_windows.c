/*
 * Windows of moving vertices: with a summary of paths that were set together, they are the same as if each path is
 * examined, bit for bit. A restored world has no summaries, and goes on as the one that was saved.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "advance/vertex_motion.h"
#include "support/random.h"
#include "support/seeded_cases.h"

#define MOST_VERTICES 30

static bool same_vec(tact_vec3 a, tact_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static void check_same(const body_motion_cold *a, const body_motion_cold *b, const char *call, uint64_t seed)
{
    CHECK(same_vec(a->extent_min, b->extent_min) && same_vec(a->extent_max, b->extent_max), "%s: extents", call);
    CHECK(same_vec(a->window_min, b->window_min) && same_vec(a->window_max, b->window_max), "%s: window", call);
    CHECK(a->rotation_expiry == b->rotation_expiry, "%s: ends at %a, %a", call, a->rotation_expiry, b->rotation_expiry);
    CHECK(a->comes_to_rest == b->comes_to_rest, "%s: rest", call);
}

/* Whether a point, with the margin of the window, is in its extents. */
static bool contains(const body_motion_cold *cold, tact_vec3 p)
{
    return p.x > cold->window_min.x && p.y > cold->window_min.y && p.z > cold->window_min.z &&
           p.x < cold->window_max.x && p.y < cold->window_max.y && p.z < cold->window_max.z;
}

static void random_vectors(random_source *r, tact_vec3 *v, uint32_t count, double size)
{
    const bool equal = random_chance(r, 0.2), zero = random_chance(r, 0.1);
    for (uint32_t i = 0; i < count; ++i) {
        const double x = random_range(r, -size, size), y = random_range(r, -size, size);
        v[i] = i > 0 && equal ? v[0] : (tact_vec3){zero ? 0.0 : x, zero ? -0.0 : y, zero ? 0.0 : x * y};
    }
}

/* Sets a motion of all vertices. */
static void set_all(vertex_plan *plan, random_source *r, double now, double ahead)
{
    tact_vec3 positions[MOST_VERTICES], to[MOST_VERTICES];
    const uint32_t count = plan->vertex_count;
    const int kind = random_between(r, 0, 2); /* at rest, velocities, targets */
    random_vectors(r, positions, count, 2.0);
    random_vectors(r, to, count, random_chance(r, 0.2) ? 1e-3 : 1.0);
    tact_vertex_motion motion = {.end_time = now + random_range(r, 0.01, 1.0)};
    motion.positions = random_chance(r, 0.7) ? positions : NULL;
    motion.velocities = kind == 1 ? to : NULL;
    motion.targets = kind == 2 ? to : NULL;
    point_extents starts, ends = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    assert_true(point_extents_of(positions, count, 1e9, &starts));
    assert_true(kind == 0 || point_extents_of(to, count, 1e9, &ends));
    tact_vertex_plan_set_motion(plan, &motion, count, now, ahead, motion.positions != NULL ? &starts : NULL, &ends);
    plan->changed_first = 0;
    plan->changed_end = count;
}

static void a_summary_gives_the_same_windows(void **state)
{
    (void)state;
    const tact_allocator standard = {0};
    size_t begun = 0, continued = 0, refused = 0, rest = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(300, 30000); ++seed) {
        random_source r = random_seed(seed);
        vertex_plan plan = {.vertex_count = (uint32_t)random_between(&r, 1, MOST_VERTICES)};
        assert_true(tact_vertex_plan_reserve_paths(&plan, &standard));
        for (uint32_t i = 0; i < plan.vertex_count; ++i) {
            const linear_path at_rest = linear_path_at_rest((tact_vec3){(double)i, 0.0, 0.0}, 0.0);
            tact_vertex_plan_place(&plan, i, &at_rest, -INFINITY);
        }
        plan.own_count = plan.vertex_count;
        body_motion_cold cold, other;
        memset(&cold, 0, sizeof cold);
        cold.vertices = &plan;
        cold.sweeps_jumps = random_chance(&r, 0.5);
        cold.vertex_margin = random_chance(&r, 0.3) ? 0.1 : 0.0;
        cold.motion_lifetime = random_chance(&r, 0.3) ? 0.2 : 0.0;
        double now = 1.0;
        for (int step = 0; step < 10; ++step) {
            set_all(&plan, &r, now, cold.rotation_expiry);
            for (int within = 0; within < 2; ++within) {
                other = cold;
                bool done[2] = {true, true};
                for (int summary = 1; summary >= 0; --summary) {
                    plan.common.valid = summary != 0;
                    body_motion_cold *c = summary != 0 ? &cold : &other;
                    if (within != 0)
                        done[summary] = tact_vertex_motion_continue_window(c, now, 1);
                    else
                        tact_vertex_motion_begin_window(c, now, true, 1);
                }
                plan.common.valid = true;
                CHECK(done[0] == done[1], "continued");
                check_same(&cold, &other, within != 0 ? "continue" : "begin", seed);
                begun += within == 0;
                continued += within != 0 && done[0];
                refused += within != 0 && !done[0];
                rest += cold.comes_to_rest;
                if (within != 0 && !done[0])
                    tact_vertex_motion_begin_window(&cold, now, true, 1);
                const double end = cold.rotation_expiry < INFINITY ? cold.rotation_expiry : now;
                for (uint32_t i = 0; i < plan.vertex_count; ++i)
                    for (int k = 0; k <= 4; ++k) {
                        const double time = k == 4 ? end : now + (end - now) * k / 4.0;
                        CHECK(contains(&cold, linear_path_at(&plan.paths[i].path, time)), "vertex %u at %a", i, time);
                    }
                /* another motion, within the window */
                if (within == 0) {
                    now += 0.25 * (end - now);
                    set_all(&plan, &r, now, cold.rotation_expiry);
                }
            }
            now += random_range(&r, 0.001, 0.5);
        }
        tact_vertex_plan_release(&plan, &standard);
    }
    print_message("%zu windows begin, %zu go on, %zu do not; %zu come to rest\n", begun, continued, refused, rest);
    assert_true(few_cases() || (continued > 300 && refused > 300 && rest > 300));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_summary_gives_the_same_windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
