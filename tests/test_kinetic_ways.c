/*
 * The two ways to find pairs through time, and the one that the world chooses, tell the same: crowds larger than those of
 * test_advance.c, which the oracle would take too long for. Bodies pass through each other, so that
 * nothing grows from one touch to the next.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>
#include <tact/tact.h>

#include "core/random.h"
#include "math/vec.h"
#include "seeded_cases.h"

enum { BODIES = 120, EVENTS = 20000, SHAPES = 5 };

typedef struct told {
    double time;
    int a, b;
} told;

typedef struct crowd {
    const tact_shape *shapes[BODIES];
    tact_placement places[BODIES];
    tact_motion motions[BODIES];
    double end;
} crowd;

static void roll_crowd(crowd *c, tact_shape *const shapes[SHAPES], random_source *r, uint64_t seed)
{
    const double side = random_range(r, 8.0, 14.0); /* of the space: dense to sparse */
    const int only = random_chance(r, 0.5) ? -1 : (int)random_below(r, SHAPES);
    const bool falls = seed % 4 == 1, turns = seed % 4 == 2 || seed % 8 == 1;
    c->end = 6.0;
    for (int i = 0; i < BODIES; ++i) {
        c->shapes[i] = shapes[only >= 0 ? only : (int)random_below(r, SHAPES)];
        bool is_free = false;
        while (!is_free) {
            const tact_vec3 axis = random_direction(r);
            const double half = random_range(r, 0.0, 3.0), s = sin(half);
            c->places[i] =
                tact_place(vec_make(random_range(r, 0, side), random_range(r, 0, side), random_range(r, 0, side)),
                           (tact_quat){s * axis.x, s * axis.y, s * axis.z, cos(half)}, vec_make(1, 1, 1));
            is_free = true;
            for (int k = 0; k < i && is_free; ++k)
                is_free =
                    tact_shapes_touch(c->shapes[i], c->places[i], c->shapes[k], c->places[k], NULL).state == TACT_MISS;
        }
        const tact_vec3 by = {random_range(r, 0, side), random_range(r, 0, side), random_range(r, 0, side)};
        const double when = random_range(r, 0.5, 1.0) * c->end;
        c->motions[i] = (tact_motion){.velocity = vec_scale(vec_sub(by, c->places[i].origin), 1.0 / when)};
        if (falls)
            c->motions[i].acceleration = vec_scale(random_direction(r), random_range(r, 0.0, 0.3));
        if (turns)
            c->motions[i].spin = vec_scale(random_direction(r), random_range(r, 0.0, 2.0));
    }
}

static int play(const crowd *c, tact_kinetic kinetic, told *all, uint64_t seed)
{
    const tact_world_def def = {.kinetic = kinetic};
    tact_world *world = tact_world_create(&def);
    int count = 0;
    for (int i = 0; i < BODIES; ++i)
        assert_int_not_equal(tact_body_create(world, &(tact_body_def){.shape = c->shapes[i],
                                                                      .place = c->places[i],
                                                                      .motion = c->motions[i],
                                                                      .user = (void *)(uintptr_t)&c->places[i]})
                                 .generation,
                             0);
    tact_event e;
    while (tact_world_next(world, c->end, &e) == TACT_TOUCH) {
        CHECK(count < EVENTS, "no end");
        all[count++] = (told){e.time, (int)((const tact_placement *)e.user_a - c->places),
                              (int)((const tact_placement *)e.user_b - c->places)};
    }
    CHECK(e.status == TACT_OK, "status %d", (int)e.status);
    tact_world_release(world);
    return count;
}

#define TIME_SAME 1e-9 /* of times; those that are closer to each other may come in any order */

/* How many touches all ways tell. */
static long compare_ways(tact_shape *const shapes[SHAPES], uint64_t seed)
{
    static crowd c;
    static told all[3][EVENTS];
    static const tact_kinetic ways[3] = {TACT_KINETIC_LISTS, TACT_KINETIC_SHELLS, TACT_KINETIC_AUTO};
    random_source r = random_seed(seed);
    roll_crowd(&c, shapes, &r, seed);
    int counts[3];
    for (int k = 0; k < 3; ++k)
        counts[k] = play(&c, ways[k], all[k], seed);
    for (int k = 1; k < 3; ++k)
        for (int i = 0; i < counts[0] || i < counts[k]; ++i) {
            const told *p = i < counts[0] ? &all[0][i] : NULL, *q = i < counts[k] ? &all[k][i] : NULL;
            CHECK(p != NULL && q != NULL && p->a == q->a && p->b == q->b && fabs(p->time - q->time) <= TIME_SAME,
                  "way %d, event %d: %d and %d at %.17g, in the lists %d and %d at %.17g", k, i, q ? q->a : -1,
                  q ? q->b : -1, q ? q->time : -1.0, p ? p->a : -1, p ? p->b : -1, p ? p->time : -1.0);
        }
    return counts[0];
}

/* A look that ended by a rounding later than the shell that it was for was not followed by another one there. */
#define LATE_BY_A_ROUNDING 144

static void every_way_tells_the_same(void **state)
{
    (void)state;
    const tact_vec3 points[6] = {{0.5, 0, 0}, {-0.5, 0, 0}, {0, 0.5, 0}, {0, -0.5, 0}, {0, 0, 0.5}, {0, 0, -0.5}};
    tact_shape *shapes[SHAPES] = {tact_sphere(0.4), tact_box(0.8, 0.6, 0.4), tact_capsule(0.2, 0.5),
                                  tact_hull(points, 6), tact_cone(0.3, 0.8)};
    long events = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(8); ++seed)
        events += compare_ways(shapes, seed);
    if (!one_seed())
        events += compare_ways(shapes, LATE_BY_A_ROUNDING);
    print_message("%ld touches\n", events);
    assert_true(one_seed() || events > 1000);
    for (int i = 0; i < SHAPES; ++i)
        tact_shape_release(shapes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_way_tells_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
