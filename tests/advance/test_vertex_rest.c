/*
 * Vertices that come to rest at their targets, and move again then or later: the same events as in a body of which
 * another, distant part goes on moving. Random motions of two triangles; worlds are saved and restored on the way.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <tact/tact.h>

#include "support/random.h"
#include "support/seeded_cases.h"

enum { OWN = 6, ALL = 9, ROUNDS = 5, MOST_EVENTS = 400 };

typedef struct two_triangles {
    tact_world *world;
    tact_body body;
    uint32_t count; /* vertices: OWN, or ALL with a triangle that never rests */
    tact_event events[MOST_EVENTS];
    int event_count;
} two_triangles;

static tact_vec3 random_point(random_source *r)
{
    /* multiples of an eighth: some contacts begin exactly at the end of a motion */
    const double x = random_between(r, -8, 8), y = random_between(r, -8, 8), z = random_between(r, -8, 8);
    return (tact_vec3){x / 8.0, y / 8.0, z / 8.0};
}

static void make(two_triangles *t, const tact_vec3 start[OWN], uint32_t count)
{
    static const uint32_t indices[ALL] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    tact_vec3 vertices[ALL] = {[6] = {50, 0, 0}, [7] = {51, 0, 0}, [8] = {50, 1, 0}};
    memcpy(vertices, start, OWN * sizeof *vertices);
    tact_shape *shape = tact_mesh(vertices, count, indices, count / 3);
    *t = (two_triangles){.world = tact_world_create(NULL), .count = count};
    t->body = tact_body_create(t->world, &(tact_body_def){.shape = shape, .deformable = true, .self_collision = true});
    tact_shape_release(shape);
    assert_int_equal(tact_body_set_feature_events(t->world, t->body, true), TACT_OK);
    if (count == ALL) {
        const tact_vec3 away[3] = {{0, 0.25, 0}, {0, 0.25, 0}, {0, 0.25, 0}};
        const tact_vertex_motion moving = {.first = OWN, .count = 3, .velocities = away};
        assert_int_equal(tact_body_set_vertex_motion(t->world, t->body, &moving), TACT_OK);
    }
}

static void run_until(two_triangles *t, double time)
{
    tact_event e;
    while (tact_world_next_event(t->world, time, &e) == TACT_EVENT_FEATURES) {
        assert_true(t->event_count < MOST_EVENTS);
        t->events[t->event_count++] = e;
    }
    assert_int_equal(e.status, TACT_OK);
}

static void save_and_restore(two_triangles *t)
{
    tact_bytes bytes = {0};
    assert_int_equal(tact_world_save(t->world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
    tact_world_release(t->world);
    t->world = tact_world_restore(bytes.data, bytes.size, NULL, NULL);
    assert_non_null(t->world);
    tact_bytes_release(&bytes);
}

static void resting_vertices_have_all_events(void **state)
{
    (void)state;
    int events = 0, at_ends = 0, at_changes = 0, in_rest = 0, after_leaving = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(600); ++seed) {
        random_source r = random_seed(seed);
        static two_triangles resting, other;
        tact_vec3 at[OWN];
        for (int i = 0; i < OWN; ++i)
            at[i] = random_point(&r);
        make(&resting, at, OWN);
        make(&other, at, ALL);
        double time = 0.0;
        for (int round = 0; round < ROUNDS; ++round) {
            const double end = time + 0.5 * random_between(&r, 1, 3), next = end + 0.25 * random_between(&r, 0, 2);
            tact_vec3 from[OWN], to[OWN];
            const bool jumps = random_chance(&r, 0.4);
            for (int i = 0; i < OWN; ++i) {
                from[i] = jumps && random_chance(&r, 0.5) ? random_point(&r) : at[i];
                at[i] = to[i] = random_chance(&r, 0.3) ? from[i] : random_point(&r);
            }
            const tact_vertex_motion motion = {
                .count = OWN, .positions = jumps ? from : NULL, .targets = to, .end_time = end};
            const bool saves = random_chance(&r, 0.5), one = random_chance(&r, 0.3), leaves = random_chance(&r, 0.3);
            const tact_vec3 velocity = random_point(&r);
            const tact_vertex_motion moving = {.count = 1, .velocities = &velocity};
            two_triangles *both[2] = {&resting, &other};
            for (int k = 0; k < 2; ++k) {
                assert_int_equal(tact_body_set_vertex_motion(both[k]->world, both[k]->body, &motion), TACT_OK);
                run_until(both[k], end - 0.25);
                if (leaves) /* one vertex does not come to rest with the others */
                    assert_int_equal(tact_body_set_vertex_motion(both[k]->world, both[k]->body, &moving), TACT_OK);
                run_until(both[k], end);
                if (saves && k == 0)
                    save_and_restore(both[k]);
                run_until(both[k], next);
                if (saves && k == 0)
                    save_and_restore(both[k]);
            }
            const bool late = resting.event_count > 0 && resting.events[resting.event_count - 1].time > end;
            in_rest += late && !leaves;
            after_leaving += late && leaves;
            if (one) { /* one vertex moves on */
                for (int k = 0; k < 2; ++k) {
                    assert_int_equal(tact_body_set_vertex_motion(both[k]->world, both[k]->body, &moving), TACT_OK);
                    run_until(both[k], next + 1.0);
                }
            }
            for (int i = 0; i < resting.event_count; ++i) {
                at_ends += resting.events[i].time == end;
                at_changes += resting.events[i].time == time && round > 0;
            }
            time = one ? next + 1.0 : next;
        }
        CHECK(resting.event_count == other.event_count, "%d and %d events", resting.event_count, other.event_count);
        for (int i = 0; i < resting.event_count; ++i) {
            const tact_event *a = &resting.events[i], *b = &other.events[i];
            CHECK(a->time == b->time && a->features.kind == b->features.kind &&
                      memcmp(a->features.vertices, b->features.vertices, sizeof a->features.vertices) == 0 &&
                      a->features.ccd.lower == b->features.ccd.lower && a->features.ccd.upper == b->features.ccd.upper,
                  "event %d: at %.17g and %.17g", i, a->time, b->time);
        }
        events += resting.event_count;
        tact_world_release(resting.world);
        tact_world_release(other.world);
    }
    print_message("%d events, %d at the end of a motion, %d at a change, %d after others rest\n", events, at_ends,
                  at_changes, after_leaving);
    assert_int_equal(in_rest, 0);
    if (!few_cases())
        assert_true(events > 5000 && at_ends > 25 && at_changes > 700 && after_leaving > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resting_vertices_have_all_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
