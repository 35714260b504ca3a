/*
 * Tests and queries of worlds with a limit of work: with every limit, on any number of threads, what is reported is
 * part of what is reported without a limit, each contact begins once, and the next test without a limit finds the rest.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <tact/tact.h>

#include "support/random.h"

enum { BODIES = 10, TRIANGLES = 80 };

static tact_shape *triangles(random_source *r)
{
    static tact_vec3 vertices[3 * TRIANGLES];
    static uint32_t indices[3 * TRIANGLES];
    for (uint32_t i = 0; i < 3 * TRIANGLES; ++i) {
        vertices[i] = tact_vec(random_range(r, -1.0, 1.0), random_range(r, -1.0, 1.0), random_range(r, -1.0, 1.0));
        indices[i] = i;
    }
    return tact_mesh_create(&(tact_mesh_def){.vertices = {.data = vertices, .count = 3 * TRIANGLES},
                                             .indices = indices,
                                             .index_count = 3 * TRIANGLES},
                            NULL);
}

typedef struct report {
    long begins[BODIES][BODIES], persists, wrong;
} report;

static void count_contact(void *context, const tact_contact *contact)
{
    report *r = context;
    if (contact->phase == TACT_PHASE_BEGIN)
        ++r->begins[contact->a.index][contact->b.index];
    else
        ++r->persists;
    r->wrong += contact->status != TACT_OK || contact->point_count == 0;
    /* work of the callback is its own */
    r->wrong += tact_work_begin((tact_progress){.work_limit = 1}) != TACT_OK;
    r->wrong += tact_work_end().cancelled;
}

static tact_world *make_world(int threads, report *r)
{
    const tact_world_def def = {.parallel = {.threads = threads}};
    tact_world *world = tact_world_create(&def);
    random_source source = random_seed(3);
    for (int i = 0; i < BODIES; ++i) {
        tact_shape *shape = triangles(&source);
        const tact_transform at = tact_at(random_range(&source, -2.0, 2.0), random_range(&source, -2.0, 2.0), 0.0);
        (void)tact_body_create(world, &(tact_body_def){.shape = shape, .transform = at});
        tact_shape_release(shape);
    }
    const tact_response response = {.callback = count_contact, .context = r, .want = TACT_CONTACT_POINTS};
    assert_int_equal(tact_world_set_contact_callback(world, response), TACT_OK);
    return world;
}

static void tests_with_every_limit(void **state)
{
    (void)state;
    static report whole, part[3];
    tact_world *world = make_world(1, &whole);
    const tact_count all = tact_world_test(world);
    assert_int_equal(all.status, TACT_OK);
    assert_true(all.count >= 10 && whole.wrong == 0);
    tact_world_release(world);
    long before_callbacks = 0, between = 0, complete = 0;
    for (uint64_t limit = 1; limit < 3000; limit += 1 + limit / 2) {
        tact_count first[3];
        for (int threads = 1; threads <= 3; ++threads) {
            report *r = &part[threads - 1];
            memset(r, 0, sizeof *r);
            world = make_world(threads, r);
            assert_int_equal(tact_world_set_progress(world, (tact_progress){.work_limit = limit}), TACT_OK);
            first[threads - 1] = tact_world_test(world);
            if (first[threads - 1].status != TACT_OK)
                assert_int_equal(first[threads - 1].status, TACT_CANCELLED);
            const tact_count again = tact_world_test(world);
            assert_true(again.count >= first[threads - 1].count); /* it has the memory of the first */
            assert_int_equal(tact_world_set_progress(world, (tact_progress){.work_limit = 0}), TACT_OK);
            const tact_count rest = tact_world_test(world);
            assert_true(rest.status == TACT_OK && rest.count == all.count);
            assert_true(memcmp(r->begins, whole.begins, sizeof r->begins) == 0 && r->wrong == 0);
            tact_world_release(world);
            assert_true(first[threads - 1].status == first[0].status && first[threads - 1].count == first[0].count);
        }
        before_callbacks += first[0].status == TACT_CANCELLED && first[0].count == 0;
        between += first[0].status == TACT_CANCELLED && first[0].count > 0;
        complete += first[0].status == TACT_OK;
    }
    printf("cancelled before the callbacks %ld, between them %ld; complete %ld\n", before_callbacks, between, complete);
    assert_true(before_callbacks > 0 && between >= 3 && complete > 0);
}

static bool cancel(void *context, uint64_t work)
{
    ++*(long *)context;
    return work == 0;
}

static void queries_with_a_limit(void **state)
{
    (void)state;
    static report unused;
    tact_world *world = make_world(2, &unused);
    random_source source = random_seed(9);
    tact_shape *shape = triangles(&source);
    const tact_query query = {.type = TACT_QUERY_OVERLAP, .shape = shape, .transform = tact_identity()};
    const tact_hit free_hit = tact_world_query(world, &query);
    assert_int_equal(free_hit.status, TACT_OK);
    assert_int_equal(free_hit.state, TACT_HIT);
    long calls = 0;
    assert_int_equal(tact_world_set_progress(world, (tact_progress){.callback = cancel, .context = &calls}), TACT_OK);
    assert_int_equal(tact_world_query(world, &query).status, TACT_CANCELLED);
    assert_int_equal(tact_world_test(world).status, TACT_CANCELLED);
    assert_true(calls >= 2 && unused.persists == 0);
    assert_int_equal(tact_world_set_progress(world, (tact_progress){.work_limit = 1}), TACT_OK);
    assert_int_equal(tact_world_query(world, &query).status, TACT_CANCELLED);
    tact_query queries[40];
    tact_hit first[40], other[40];
    for (int i = 0; i < 40; ++i) {
        queries[i] = query;
        queries[i].transform = tact_at(0.2 * i - 4.0, 0.0, 0.1);
    }
    long cancelled = 0;
    assert_int_equal(tact_world_set_progress(world, (tact_progress){.work_limit = 2}), TACT_OK);
    for (int threads = 1; threads <= 4; ++threads) {
        const tact_parallel parallel = {.threads = threads};
        assert_int_equal(tact_world_query_batch(world, queries, 40, threads == 1 ? first : other, &parallel), TACT_OK);
        for (int i = 0; i < 40; ++i) {
            cancelled += first[i].status == TACT_CANCELLED;
            assert_true(threads == 1 || (first[i].status == other[i].status && first[i].distance == other[i].distance));
        }
    }
    assert_true(cancelled > 0 && cancelled < 160);
    assert_int_equal(tact_world_set_progress(world, (tact_progress){.work_limit = 1000000}), TACT_OK);
    const tact_hit hit = tact_world_query(world, &query);
    assert_true(hit.status == TACT_OK && hit.distance == free_hit.distance);
    tact_shape_release(shape);
    tact_world_release(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tests_with_every_limit),
        cmocka_unit_test(queries_with_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
