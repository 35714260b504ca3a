/*
 * Vertex plans: motions that are set for all vertices or for some, and the summary of paths that were set together,
 * against brute force. What is computed in vectors is the same as one by one, bit for bit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "kinetic/vertex_plan.h"
#include "motion/linear_path_range.h"
#include "support/random.h"
#include "support/seeded_cases.h"

#define MOST_VERTICES 40

static tact_vec3 random_vec(random_source *r)
{
    const double x = random_range(r, -3.0, 3.0), y = random_range(r, -3.0, 3.0);
    return (tact_vec3){x, y, random_chance(r, 0.1) ? 0.0 : random_range(r, -3.0, 3.0)};
}

static bool same_vec(tact_vec3 a, tact_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool same_path(const linear_path *a, const linear_path *b)
{
    return a->t0 == b->t0 && a->t1 == b->t1 && same_vec(a->x0, b->x0) && same_vec(a->x1, b->x1) &&
           a->has_velocity == b->has_velocity;
}

/* A plan of vertices at rest, without an animation. */
static void make_plan(vertex_plan *plan, random_source *r, const tact_allocator *allocator)
{
    *plan = (vertex_plan){.vertex_count = (uint32_t)random_between(r, 1, MOST_VERTICES / 2)};
    assert_true(tact_vertex_plan_reserve_paths(plan, allocator));
    for (uint32_t i = 0; i < plan->vertex_count; ++i) {
        const linear_path rest = linear_path_at_rest(random_vec(r), 0.0);
        tact_vertex_plan_place(plan, i, &rest, -INFINITY);
    }
    plan->own_count = plan->vertex_count;
}

/* The extents of a component of all paths: x0, or x1. */
static point_extents brute_extents(const vertex_plan *plan, bool ends)
{
    point_extents e = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < plan->vertex_count; ++i) {
        const tact_vec3 p = ends ? plan->paths[i].path.x1 : plan->paths[i].path.x0;
        e.min = (tact_vec3){fmin(e.min.x, p.x), fmin(e.min.y, p.y), fmin(e.min.z, p.z)};
        e.max = (tact_vec3){fmax(e.max.x, p.x), fmax(e.max.y, p.y), fmax(e.max.z, p.z)};
    }
    return e;
}

static void check_common(const vertex_plan *plan, uint64_t seed)
{
    const common_paths *c = &plan->common;
    for (uint32_t i = 0; i < plan->vertex_count; ++i) {
        const vertex_path *own = &plan->paths[i];
        CHECK(!own->follows && own->path.t0 == c->begin && own->end == c->end &&
                  own->path.has_velocity == c->has_velocity,
              "vertex %u", i);
    }
    const point_extents starts = brute_extents(plan, false), ends = brute_extents(plan, true);
    CHECK(same_vec(starts.min, c->starts.min) && same_vec(starts.max, c->starts.max), "starts");
    CHECK(same_vec(ends.min, c->ends.min) && same_vec(ends.max, c->ends.max), "ends");
    const double time = c->has_velocity ? c->begin + 0.7 : 0.4 * c->begin + 0.6 * c->end;
    const point_extents at = tact_vertex_plan_extents_at(plan, time);
    point_extents expected = point_extents_none();
    for (uint32_t i = 0; i < plan->vertex_count; ++i)
        point_extents_add(&expected, linear_path_at(&plan->paths[i].path, time));
    CHECK(same_vec(at.min, expected.min) && same_vec(at.max, expected.max), "extents at %g", time);
}

/* Sets a random motion of all vertices or some, and compares each path with what it should be. */
static void set_motion(vertex_plan *plan, random_source *r, double time, uint64_t seed)
{
    static vertex_path old[MOST_VERTICES], previous[MOST_VERTICES];
    static double changed_at[MOST_VERTICES];
    tact_vec3 positions[MOST_VERTICES], to[MOST_VERTICES];
    memcpy(old, plan->paths, plan->vertex_count * sizeof *old);
    memcpy(previous, plan->previous, plan->vertex_count * sizeof *previous);
    memcpy(changed_at, plan->changed_at, plan->vertex_count * sizeof *changed_at);
    const bool all = random_chance(r, 0.6);
    const uint32_t first = all ? 0 : (uint32_t)random_below(r, plan->vertex_count);
    const uint32_t count = all ? plan->vertex_count : 1 + (uint32_t)random_below(r, plan->vertex_count - first);
    const int kind = random_between(r, 0, 2); /* at rest, velocities, targets */
    tact_vertex_motion motion = {.first = first, .count = count, .end_time = time + 0.5};
    for (uint32_t i = 0; i < count; ++i) {
        positions[i] = random_vec(r);
        to[i] = random_vec(r);
    }
    motion.positions = random_chance(r, 0.6) ? positions : NULL;
    motion.velocities = kind == 1 ? to : NULL;
    motion.targets = kind == 2 ? to : NULL;
    point_extents starts, ends = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    CHECK(point_extents_of(positions, count, 4.0, &starts), "positions");
    CHECK(kind == 0 || point_extents_of(to, count, 4.0, &ends), "ends");
    tact_vertex_plan_set_motion(plan, &motion, count, time, time + 0.7, motion.positions != NULL ? &starts : NULL,
                                &ends);
    for (uint32_t i = 0; i < plan->vertex_count; ++i) {
        const vertex_path *own = &plan->paths[i];
        if (i - first >= count) {
            CHECK(same_path(&own->path, &old[i].path) && plan->changed_at[i] == changed_at[i], "vertex %u", i);
            continue;
        }
        const tact_vec3 rest = {0.0, 0.0, 0.0};
        const linear_path before =
            old[i].end > time ? old[i].path : linear_path_at_rest(old[i].path.x1, old[i].end); /* from now on */
        const linear_path expected = {time, kind == 2 ? motion.end_time : time,
                                      motion.positions != NULL ? positions[i - first] : linear_path_at(&before, time),
                                      kind == 0 ? rest : to[i - first], kind != 2};
        CHECK(same_path(&own->path, &expected), "vertex %u", i);
        CHECK(own->end == (kind == 2 ? motion.end_time : INFINITY) && plan->changed_at[i] == time, "vertex %u", i);
        const linear_path left = changed_at[i] == time ? previous[i].path
                                 : old[i].end >= time  ? old[i].path
                                                       : linear_path_at_rest(old[i].path.x1, old[i].end);
        CHECK(same_path(&plan->previous[i].path, &left), "vertex %u: the path before", i);
    }
    CHECK(plan->common.valid == (count == plan->vertex_count), "summary");
}

static void the_summary_is_that_of_all_paths(void **state)
{
    (void)state;
    const tact_allocator standard = {0};
    size_t summaries = 0, without = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(200, 20000); ++seed) {
        random_source r = random_seed(seed);
        vertex_plan plan;
        make_plan(&plan, &r, &standard);
        CHECK(!plan.common.valid, "no motion was set");
        double time = 1.0;
        for (int step = 0; step < 12; ++step) {
            if (random_chance(&r, 0.7))
                time += random_chance(&r, 0.3) ? 0.5 : random_range(&r, 0.0, 1.0); /* 0.5: when targets are reached */
            const int call = random_between(&r, 0, 5);
            if (call == 0) { /* others than whole motions */
                const linear_path rest = linear_path_at_rest(random_vec(&r), time);
                tact_vertex_plan_set_path(&plan, (uint32_t)random_below(&r, plan.vertex_count), &rest, INFINITY, time);
                CHECK(!plan.common.valid, "a path has changed");
            } else if (call == 1 && plan.vertex_count < MOST_VERTICES) {
                const tact_vec3 point = random_vec(&r);
                assert_true(tact_vertex_plan_add_vertices(&plan, &point, 1, time, &standard));
                CHECK(!plan.common.valid, "a vertex was added");
                if (random_chance(&r, 0.3))
                    tact_vertex_plan_remove_vertices(&plan, 1);
            } else {
                set_motion(&plan, &r, time, seed);
            }
            if (plan.common.valid)
                check_common(&plan, seed);
            summaries += plan.common.valid;
            without += !plan.common.valid;
        }
        tact_vertex_plan_release(&plan, &standard);
    }
    print_message("%zu summaries, %zu without\n", summaries, without);
    assert_true(few_cases() || (summaries > 500 && without > 500));
}

static void points_that_are_not_valid_are_found(void **state)
{
    (void)state;
    const double bad[] = {NAN, -NAN, INFINITY, -INFINITY, 1.0000001, -1.0000001};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(50, 5000); ++seed) {
        random_source r = random_seed(seed);
        tact_vec3 points[MOST_VERTICES];
        const size_t count = (size_t)random_between(&r, 1, MOST_VERTICES);
        for (size_t i = 0; i < count; ++i) {
            points[i] = random_vec(&r);
            points[i] = (tact_vec3){points[i].x / 3.0, points[i].y / 3.0, points[i].z / 3.0};
        }
        point_extents e;
        CHECK(point_extents_of(points, count, 1.0, &e), "valid points");
        const size_t at = random_below(&r, count);
        const tact_vec3 good = points[at];
        for (int k = 0; k < 18; ++k) {
            points[at] = good;
            *(k % 3 == 0 ? &points[at].x : k % 3 == 1 ? &points[at].y : &points[at].z) = bad[k / 3];
            CHECK(!point_extents_of(points, count, 1.0, &e), "point %zu has %g", at, bad[k / 3]);
        }
    }
    point_extents e;
    assert_true(point_extents_of(NULL, 0, 1.0, &e));
    assert_true(e.min.x == INFINITY && e.max.z == -INFINITY);
}

static void vectors_give_the_same_positions(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(500, 50000); ++seed) {
        random_source r = random_seed(seed);
        linear_path_range range = linear_path_range_empty();
        const double begin = random_range(&r, -1.0, 1.0), end = begin + random_range(&r, 0.0, 2.0);
        double most = 0.0;
        for (int i = 0; i < 8; ++i) {
            const double t0 = random_range(&r, -2.0, 2.0), scale = random_chance(&r, 0.2) ? 1e140 : 1.0;
            const tact_vec3 a = random_vec(&r), b = random_vec(&r);
            const linear_path p = {
                t0, t0 + random_range(&r, 0.1, 2.0), {a.x * scale, a.y, a.z * scale}, b, random_chance(&r, 0.5)};
            const double times[] = {begin, end, p.t0, p.t1};
            for (int k = 0; k < 4; ++k) {
                tact_vec3 at;
                vec_halves_store(&at, linear_path_halves(&p, times[k]));
                CHECK(same_vec(at, linear_path_at(&p, times[k])), "position at %a", times[k]);
            }
            linear_path_range_add(&range, &p, begin, end);
            most = fmax(most, linear_path_error(&p, begin, end));
        }
        const double error = linear_path_range_error(&range);
        CHECK(error >= most && error <= 2.0 * most, "error %g, %g of one path", error, most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_summary_is_that_of_all_paths),
        cmocka_unit_test(points_that_are_not_valid_are_found),
        cmocka_unit_test(vectors_give_the_same_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
