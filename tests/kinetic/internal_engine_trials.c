/*
 * The choice of the engine by trials, in windows of a folded cloth: while a trial runs, every allocation fails once.
 * The events stay the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kinetic/feature_windows.h"
#include "kinetic/kinetic_constants.h"
#include "support/digest.h"
#include "support/failing_allocator.h"

enum { EDGE = 5, VERTICES = EDGE * EDGE, TRIANGLES = 2 * (EDGE - 1) * (EDGE - 1), MOST_WINDOWS = 2000 };

/* A vertex of the cloth at the start of a window. The outer half is folded over the inner one, and moves through it. */
static tact_vec3 position(uint32_t v, int window)
{
    const double u = v / EDGE, w = v % EDGE, t = 0.004 * window;
    const bool folded = u >= 3;
    return (tact_vec3){folded ? EDGE - 0.9 - u : u, w + (folded ? 0.3 : 0.0),
                       0.2 * sin(0.7 * u + t) + (folded ? 0.12 + 0.15 * cos(9.0 * t + 1.8) : 0.0)};
}

static double forecast_at(void *context, double time, tact_vec3 *positions, bool *jumps)
{
    (void)context;
    const int window = (int)time; /* asked at the ends of windows only */
    for (uint32_t v = 0; v < VERTICES; ++v)
        positions[v] = position(v, window);
    *jumps = false;
    return window + 1.0;
}

typedef struct outcome {
    uint64_t digest;
    int events, failures;   /* failed calls */
    int windows;            /* searched */
    int by_both, by_list;   /* of these */
    long first_call, calls; /* of the allocator: when the first trial began, and when it had ended */
} outcome;

/* Begins a window, again if memory was out. */
static void begin_window(feature_windows *w, int window, outcome *o)
{
    const motion_forecast forecast = {NULL, forecast_at};
    tact_status status;
    do {
        linear_path *paths = tact_feature_windows_next_paths(w);
        for (uint32_t v = 0; v < VERTICES; ++v)
            paths[v] = (linear_path){window, window + 1.0, position(v, window), position(v, window + 1), false};
        tact_feature_windows_set_forecast(w, &forecast);
        status = tact_feature_windows_begin(w, window, window + 1.0, &(tact_parallel){.threads = 1});
        tact_feature_windows_set_forecast(w, NULL);
        if (status != TACT_OK)
            assert_int_equal(status, TACT_OUT_OF_MEMORY);
        o->failures += status != TACT_OK;
    } while (status != TACT_OK && o->failures < 3);
    assert_int_equal(status, TACT_OK);
}

/* Plays the cloth, until some windows after the first trial. */
static outcome play(failing_allocator *memory, tact_deforming_engine engine, int windows)
{
    uint32_t triangles[TRIANGLES][3], count = 0;
    for (uint32_t i = 0; i + 1 < EDGE; ++i)
        for (uint32_t j = 0; j + 1 < EDGE; ++j) {
            const uint32_t a = i * EDGE + j, b = a + EDGE;
            memcpy(triangles[count++], (const uint32_t[3]){a, a + 1, b}, sizeof *triangles);
            memcpy(triangles[count++], (const uint32_t[3]){a + 1, b + 1, b}, sizeof *triangles);
        }
    const feature_windows_def def = {.triangles = (const uint32_t(*)[3])triangles,
                                     .triangle_count = TRIANGLES,
                                     .vertex_count = VERTICES,
                                     .allocator = failing_allocator_make(memory)};
    feature_windows *w;
    outcome o = {.digest = 0};
    assert_int_equal(tact_feature_windows_create(&w, &def), TACT_OK);
    tact_feature_windows_set_engine(w, engine);
    for (; o.windows < windows; ++o.windows) {
        const long before = memory->calls;
        begin_window(w, o.windows, &o);
        const tact_deforming_engine searched_by = tact_window_search_engine(tact_feature_windows_search(w));
        if (searched_by == TACT_DEFORMING_AUTO && o.by_both++ == 0)
            o.first_call = before + 1;
        o.by_list += searched_by == TACT_DEFORMING_LIST;
        for (const feature_event *e; (e = tact_feature_windows_next(w)) != NULL; tact_feature_windows_pop(w)) {
            uint64_t bits;
            memcpy(&bits, &e->ccd.lower, sizeof bits);
            o.digest = digest_add(o.digest, bits);
            for (int k = 0; k < 4; ++k)
                o.digest = digest_add(o.digest, e->pair.index[k]);
            ++o.events;
        }
        if (windows == MOST_WINDOWS && o.by_both > 0 && searched_by != TACT_DEFORMING_AUTO) {
            o.calls = memory->calls;
            windows = o.windows + 20;
        }
    }
    tact_feature_windows_release(w);
    return o;
}

static void every_allocation_of_a_trial_may_fail(void **state)
{
    (void)state;
    failing_allocator memory = {0};
    const outcome all = play(&memory, TACT_DEFORMING_AUTO, MOST_WINDOWS);
    print_message("%d windows, %d of them in the trial, %d events; allocations %ld to %ld\n", all.windows, all.by_both,
                  all.events, all.first_call, all.calls);
    assert_int_equal(memory.held, 0);
    assert_int_equal(all.by_both, TRIAL_WINDOWS + 1);
    assert_true(all.events > 50 && all.windows < MOST_WINDOWS && all.calls - all.first_call > 20);
    for (int engine = TACT_DEFORMING_WINDOWS; engine <= TACT_DEFORMING_LIST; ++engine) {
        memory = (failing_allocator){0};
        assert_true(play(&memory, (tact_deforming_engine)engine, all.windows).digest == all.digest);
    }
    int failures = 0, abandoned = 0;
    for (long i = all.first_call; i <= all.calls; ++i) {
        memory = (failing_allocator){.fail_at = i};
        const outcome one = play(&memory, TACT_DEFORMING_AUTO, all.windows);
        if (one.digest != all.digest || one.events != all.events)
            print_error("allocation %ld: %d events instead of %d\n", i, one.events, all.events);
        assert_true(one.digest == all.digest);
        assert_int_equal(memory.held, 0);
        failures += one.failures;
        abandoned += one.by_both < (int)TRIAL_WINDOWS + 1;
    }
    /* Where the list fails, windows search alone. Their own memory is from before the trial. */
    print_message("%d calls failed, %d trials were abandoned\n", failures, abandoned);
    assert_int_equal(failures, 0);
    assert_true(abandoned > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_of_a_trial_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
