/*
 * Functions that take a const world, on several threads at a time: they return what they return on one, and the thread
 * sanitizer sees no thread write what another one reads. Bodies in contact, awake and asleep, bodies that turn freely.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <tact/tact.h>

#include "support/falling_world.h"

enum { BODIES = 9, THREADS = 3, REPEATS = 20 };

typedef struct reading {
    tact_transform transform;
    tact_motion motion, planned;
    size_t contacts;
    double hit;
} reading;

typedef struct reader {
    const tact_world *world;
    const tact_body *bodies;
    reading seen[BODIES];
} reader;

static void *read_all(void *opaque)
{
    reader *r = opaque;
    for (int repeat = 0; repeat < REPEATS; ++repeat)
        for (int i = 0; i < BODIES; ++i) {
            reading *to = &r->seen[i];
            memset(to, 0, sizeof *to);
            to->transform = tact_body_get_transform(r->world, r->bodies[i]);
            to->motion = tact_body_get_motion(r->world, r->bodies[i]);
            to->planned = tact_body_get_motion_plan(r->world, r->bodies[i]).motion;
            to->contacts = tact_body_get_contacts(r->world, r->bodies[i], NULL, 0);
            to->hit = tact_world_ray(r->world, tact_vec(i, 20.0, 0.0), tact_vec(0.0, -1.0, 0.0), 50.0, NULL).t;
        }
    return NULL;
}

static void readers_agree(void **state)
{
    (void)state;
    tact_world *world = falling_world(false);
    tact_body bodies[BODIES] = {put_floor(world, 0.5, 0.0)};
    for (int i = 1; i < BODIES; ++i) { /* a stack, and a row of which some tumble */
        const tact_vec3 at = i < 4 ? tact_vec(0.0, 1.001 * i - 0.499, 0.0) : tact_vec(2.0 * i, 0.6 * i - 1.5, 0.0);
        bodies[i] = put(world, tact_box(0.5, 0.5, 0.4), turned(at, vec_make(0.0, 0.0, 1.0), i < 4 ? 0.0 : 0.3 * i), 1.0,
                        0.5, 0.2);
    }
    static reader alone, readers[THREADS];
    size_t most_contacts = 0;
    for (int k = 0; k < 40; ++k) {
        step(world, 0.013);
        pthread_t threads[THREADS];
        for (int i = 0; i < THREADS; ++i) {
            readers[i] = (reader){.world = world, .bodies = bodies};
            assert_int_equal(pthread_create(&threads[i], NULL, read_all, &readers[i]), 0);
        }
        for (int i = 0; i < THREADS; ++i)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        alone = (reader){.world = world, .bodies = bodies};
        (void)read_all(&alone);
        size_t contacts = 0;
        for (int i = 0; i < THREADS; ++i)
            assert_memory_equal(readers[i].seen, alone.seen, sizeof alone.seen);
        for (int i = 0; i < BODIES; ++i)
            contacts += alone.seen[i].contacts;
        most_contacts = contacts > most_contacts ? contacts : most_contacts;
    }
    assert_true(most_contacts >= 8); /* of both bodies of a pair */
    tact_world_release(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(readers_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
