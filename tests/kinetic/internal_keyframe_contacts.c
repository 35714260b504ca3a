/*
 * Contacts of key-framed meshes: every engine, any number of in-between frames and threads, against one sweep for each
 * interval, to the bit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../ccd/same_ccd.h"
#include "kinetic/keyframe_contacts.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"

#define MOST_VERTICES 60
#define MOST_FRAMES 6

typedef struct keyframes {
    tact_vec3 frames[MOST_FRAMES][MOST_VERTICES];
    size_t vertex_count, frame_count;
    uint32_t triangles[MOST_VERTICES][3];
    size_t triangle_count;
    uint32_t points[4];
    size_t point_count;
    size_t bad_frame; /* cannot be read */
    long reads;
} keyframes;

static const tact_vec3 *read_frame(void *context, size_t index, tact_vec3 *storage)
{
    keyframes *k = context;
    ++k->reads;
    if (index == k->bad_frame)
        return NULL;
    if (index % 2 == 0)
        return k->frames[index];
    memcpy(storage, k->frames[index], k->vertex_count * sizeof *storage);
    return storage;
}

static double coordinate(random_source *r, int style)
{
    return style == 0   ? (double)random_between(r, -2, 2)
           : style == 1 ? random_range(r, -1.0, 1.0)
           : style == 2 ? 1e-310 * random_range(r, -1.0, 1.0)
                        : 1e6 + 0x1p-31 * (double)random_between(r, -9, 9);
}

static keyframes random_keyframes(uint64_t seed)
{
    random_source r = random_seed(seed);
    keyframes k = {.bad_frame = SIZE_MAX};
    const int style = random_between(&r, 0, 3);
    k.triangle_count = (size_t)random_between(&r, 1, 16);
    k.vertex_count = 3 * k.triangle_count + 4;
    k.frame_count = (size_t)random_between(&r, 2, MOST_FRAMES);
    for (size_t i = 0; i < k.triangle_count; ++i)
        for (uint32_t c = 0; c < 3; ++c) /* some triangles share vertices */
            k.triangles[i][c] =
                random_chance(&r, 0.3) ? (uint32_t)random_below(&r, k.vertex_count) : (uint32_t)(3 * i) + c;
    k.point_count = 2;
    k.points[0] = (uint32_t)k.vertex_count - 1;
    k.points[1] = (uint32_t)k.vertex_count - 2;
    for (size_t f = 0; f < k.frame_count; ++f)
        for (size_t v = 0; v < k.vertex_count; ++v) {
            const bool still = f > 0 && random_chance(&r, 0.3);
            k.frames[f][v] = still ? k.frames[f - 1][v]
                                   : (tact_vec3){coordinate(&r, style), coordinate(&r, style), coordinate(&r, style)};
        }
    return k;
}

static keyframe_contacts_def def_of(keyframes *k, keyframe_engine engine, unsigned between)
{
    return (keyframe_contacts_def){.triangles = (const uint32_t(*)[3])k->triangles,
                                   .triangle_count = k->triangle_count,
                                   .points = k->points,
                                   .point_count = k->point_count,
                                   .vertex_count = k->vertex_count,
                                   .frame_count = k->frame_count,
                                   .frame = read_frame,
                                   .context = k,
                                   .engine = engine,
                                   .between = between};
}

static mesh_sweep *sweep_of(const keyframes *k)
{
    sweep_def def = sweep_def_default();
    def.vertices = k->frames[0];
    def.vertex_count = k->vertex_count;
    def.triangles = (const uint32_t(*)[3])k->triangles;
    def.triangle_count = k->triangle_count;
    def.points = k->points;
    def.point_count = k->point_count;
    mesh_sweep *sweep;
    assert_int_equal(tact_mesh_sweep_create(&sweep, &def), TACT_OK);
    return sweep;
}

static bool same_contact(const sweep_contact *a, const sweep_contact *b)
{
    return a->kind == b->kind && memcmp(a->index, b->index, sizeof a->index) == 0 && same_answer(&a->ccd, &b->ccd);
}

static bool same_as_sweep(const keyframe_contacts *k, const mesh_sweep *sweep)
{
    if (tact_keyframe_contacts_count(k) != tact_mesh_sweep_count(sweep))
        return false;
    for (size_t i = 0; i < tact_mesh_sweep_count(sweep); ++i)
        if (!same_contact(tact_keyframe_contacts_get(k, i), tact_mesh_sweep_contact(sweep, i)))
            return false;
    return true;
}

static void run_sweep(mesh_sweep *sweep, const keyframes *k, size_t interval)
{
    sweep_step step = sweep_step_default();
    step.start = k->frames[interval];
    step.end = k->frames[interval + 1];
    assert_int_equal(tact_mesh_sweep_run(sweep, &step), TACT_OK);
}

static void every_engine_finds_the_contacts_of_the_sweep(void **state)
{
    (void)state;
    static const unsigned betweens[] = {0, 1, 4, 9};
    size_t contacts = 0, several_steps = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(40); ++seed) {
        keyframes k = random_keyframes(seed);
        mesh_sweep *sweep = sweep_of(&k);
        for (int engine = KEYFRAME_WINDOWS; engine <= KEYFRAME_LIST; ++engine)
            for (size_t b = 0; b < sizeof betweens / sizeof *betweens; ++b) {
                const keyframe_contacts_def def = def_of(&k, (keyframe_engine)engine, betweens[b]);
                keyframe_contacts *found;
                assert_int_equal(tact_keyframe_contacts_create(&found, &def), TACT_OK);
                for (size_t i = 0; i + 1 < k.frame_count; ++i) {
                    run_sweep(sweep, &k, i);
                    CHECK(tact_keyframe_contacts_run(found, i) == TACT_OK, "interval %zu", i);
                    CHECK(same_as_sweep(found, sweep), "interval %zu, engine %d, %u in between", i, engine,
                          betweens[b]);
                    contacts += tact_mesh_sweep_count(sweep);
                    several_steps += tact_keyframe_contacts_counts(found).contacts > tact_mesh_sweep_count(sweep);
                }
                /* in any order */
                run_sweep(sweep, &k, 0);
                assert_int_equal(tact_keyframe_contacts_run(found, 0), TACT_OK);
                CHECK(same_as_sweep(found, sweep), "the first interval again");
                tact_keyframe_contacts_release(found);
            }
        tact_mesh_sweep_release(sweep);
    }
    if (!one_seed()) {
        assert_true(contacts > 2500);
        assert_true(several_steps > 25);
    }
}

static void a_frame_is_read_once(void **state)
{
    (void)state;
    keyframes k = random_keyframes(7);
    k.frame_count = MOST_FRAMES;
    for (size_t f = 1; f < MOST_FRAMES; ++f)
        memcpy(k.frames[f], k.frames[0], sizeof k.frames[0]);
    const keyframe_contacts_def def = def_of(&k, KEYFRAME_WINDOWS, 0);
    keyframe_contacts *found;
    assert_int_equal(tact_keyframe_contacts_create(&found, &def), TACT_OK);
    for (size_t i = 0; i + 1 < k.frame_count; ++i)
        assert_int_equal(tact_keyframe_contacts_run(found, i), TACT_OK);
    assert_int_equal(k.reads, MOST_FRAMES);
    tact_keyframe_contacts_release(found);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    keyframes k = random_keyframes(3);
    keyframe_contacts_def def = def_of(&k, KEYFRAME_WINDOWS, 0);
    keyframe_contacts *found;
    assert_int_equal(tact_keyframe_contacts_create(NULL, &def), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_keyframe_contacts_create(&found, NULL), TACT_BAD_ARGUMENT);
    k.bad_frame = 0;
    assert_int_equal(tact_keyframe_contacts_create(&found, &def), TACT_BAD_ARGUMENT);
    assert_null(found);
    k.bad_frame = 1;
    assert_int_equal(tact_keyframe_contacts_create(&found, &def), TACT_OK);
    assert_int_equal(tact_keyframe_contacts_run(found, 0), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_keyframe_contacts_count(found), 0);
    assert_int_equal(tact_keyframe_contacts_run(found, k.frame_count - 1), TACT_BAD_ARGUMENT);
    k.bad_frame = SIZE_MAX;
    assert_int_equal(tact_keyframe_contacts_run(found, 0), TACT_OK);
    tact_keyframe_contacts_release(found);
    k.frames[1][0].y = NAN;
    for (int engine = KEYFRAME_WINDOWS; engine <= KEYFRAME_LIST; ++engine) {
        def = def_of(&k, (keyframe_engine)engine, 3);
        if (engine == KEYFRAME_LIST) { /* reads key frames ahead */
            assert_int_equal(tact_keyframe_contacts_create(&found, &def), TACT_BAD_ARGUMENT);
            continue;
        }
        assert_int_equal(tact_keyframe_contacts_create(&found, &def), TACT_OK);
        assert_int_equal(tact_keyframe_contacts_run(found, 0), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_keyframe_contacts_count(found), 0);
        tact_keyframe_contacts_release(found);
    }
    k.triangles[0][0] = (uint32_t)k.vertex_count;
    assert_int_equal(tact_keyframe_contacts_create(&found, &def), TACT_BAD_ARGUMENT);
    tact_keyframe_contacts_release(NULL);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const uint64_t seed = 5;
    keyframes k = random_keyframes(seed);
    for (int engine = KEYFRAME_WINDOWS; engine <= KEYFRAME_LIST; ++engine)
        for (long fail_at = 1, failed = 1; failed != 0; ++fail_at) {
            failing_allocator memory = {.fail_at = fail_at};
            keyframe_contacts_def def = def_of(&k, (keyframe_engine)engine, 2);
            def.allocator = failing_allocator_make(&memory);
            keyframe_contacts *found;
            tact_status status = tact_keyframe_contacts_create(&found, &def);
            failed = status != TACT_OK;
            for (size_t i = 0; found != NULL && i + 1 < k.frame_count; ++i) {
                status = tact_keyframe_contacts_run(found, i);
                if (status == TACT_OUT_OF_MEMORY) {
                    failed = 1;
                    assert_int_equal(tact_keyframe_contacts_count(found), 0);
                    status = tact_keyframe_contacts_run(found, i);
                }
                assert_int_equal(status, TACT_OK);
            }
            CHECK(found != NULL || status == TACT_OUT_OF_MEMORY, "allocation %ld", fail_at);
            tact_keyframe_contacts_release(found);
            assert_int_equal(memory.held, 0);
            failed = failed || memory.calls >= fail_at; /* a tree that is not built anew is no failure */
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_engine_finds_the_contacts_of_the_sweep),
        cmocka_unit_test(a_frame_is_read_once),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
