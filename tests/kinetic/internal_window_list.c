/*
 * The separation list for windows: the contacts of a sweep of each window, bit for bit, whatever the forecast says.
 * Random sheets and soups on key frames, more of them than a table holds. The key frames change on the way, with and
 * without jumps, and windows end early. Forecasts are right, out of date, wrong or missing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "../ccd/same_ccd.h"
#include "kinetic/engine_trials.h"
#include "kinetic/kinetic_constants.h"
#include "kinetic/separation_internal.h"
#include "kinetic/window_list.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"

#define MOST_VERTICES 40
#define MOST_KEYS 100

typedef enum forecast_style { FORECAST_RIGHT, FORECAST_WRONG, FORECAST_NONE, FORECAST_STYLES } forecast_style;

/* Key frames, between which vertices move linearly. A vertex may jump at a key frame. */
typedef struct scene {
    tact_vec3 arrive[MOST_KEYS][MOST_VERTICES], leave[MOST_KEYS][MOST_VERTICES];
    double times[MOST_KEYS];
    bool jumps[MOST_KEYS];
    size_t key_count;
    uint32_t vertex_count;
    uint32_t triangles[MOST_VERTICES][3];
    size_t triangle_count;
    random_source random;
    forecast_style style;
    double size;
} scene;

static struct {
    uint64_t windows, contacts, cut, jumps, changes, built, tables, changed, rested, validated;
} met;

static tact_vec3 random_point(scene *s, double size)
{
    const double x = random_range(&s->random, -size, size), y = random_range(&s->random, -size, size);
    return (tact_vec3){x, y, random_range(&s->random, -size, size)};
}

static tact_vec3 sum(tact_vec3 a, tact_vec3 b) { return (tact_vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }

/* Makes the key frames after `key`. In some, vertices rest. */
static void make_keys(scene *s, size_t key)
{
    const bool rest = random_chance(&s->random, 0.1);
    for (size_t k = key + 1; k < s->key_count; ++k) {
        s->jumps[k] = random_chance(&s->random, 0.03);
        for (uint32_t v = 0; v < s->vertex_count; ++v) {
            const bool still = rest || random_chance(&s->random, 0.3);
            const tact_vec3 way = random_point(s, still ? 0.0 : 0.2 * s->size);
            s->arrive[k][v] = s->leave[k][v] = sum(s->leave[k - 1][v], way);
            if (s->jumps[k] && random_chance(&s->random, 0.5))
                s->leave[k][v] = sum(s->leave[k][v], random_point(s, s->size));
        }
    }
}

static void make_scene(scene *s, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->random = random_seed(seed);
    s->style = (forecast_style)(seed % 5 < 3 ? FORECAST_RIGHT : seed % 5 == 3 ? FORECAST_WRONG : FORECAST_NONE);
    s->size = seed % 7 == 0 ? 1e100 : seed % 7 == 1 ? 1e-200 : 1.0;
    if (random_chance(&s->random, 0.5)) { /* a sheet */
        for (uint32_t i = 0; i < 3; i++)
            for (uint32_t j = 0; j < 3; j++) {
                const uint32_t a = 4 * i + j, two[2][3] = {{a, a + 1, a + 4}, {a + 1, a + 5, a + 4}};
                memcpy(s->triangles[s->triangle_count], two, sizeof two);
                s->triangle_count += 2;
            }
        s->vertex_count = 16;
    } else {
        s->triangle_count = (size_t)random_between(&s->random, 2, 12);
        s->vertex_count = (uint32_t)(3 * s->triangle_count);
        for (size_t i = 0; i < s->triangle_count; ++i)
            for (uint32_t c = 0; c < 3; ++c)
                s->triangles[i][c] = (uint32_t)(3 * i) + c;
    }
    s->key_count = (size_t)random_between(&s->random, 3, seed % 2 == 0 ? 6 : MOST_KEYS);
    for (size_t k = 0; k < s->key_count; ++k)
        s->times[k] = k == 0 ? 1.0 : s->times[k - 1] + (random_chance(&s->random, 0.5) ? 0.5 : 0.3);
    for (uint32_t v = 0; v < s->vertex_count; ++v)
        s->leave[0][v] = random_point(s, s->size);
    make_keys(s, 0);
}

/* The key frame at a time or before it. */
static size_t key_at(const scene *s, double time)
{
    size_t k = 0;
    while (k + 1 < s->key_count && s->times[k + 1] <= time)
        ++k;
    return k;
}

static linear_path path_of(const scene *s, size_t key, uint32_t vertex)
{
    if (key + 1 == s->key_count)
        return linear_path_at_rest(s->leave[key][vertex], s->times[key]);
    return (linear_path){s->times[key], s->times[key + 1], s->leave[key][vertex], s->arrive[key + 1][vertex], false};
}

static double forecast(void *context, double time, tact_vec3 *positions, bool *jumps)
{
    scene *s = context;
    const size_t k = key_at(s, time);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const linear_path path = path_of(s, k, v);
        positions[v] = time == s->times[k] && k > 0 ? s->arrive[k][v] : linear_path_at(&path, time);
        if (s->style == FORECAST_WRONG && random_chance(&s->random, 0.1))
            positions[v] = random_point(s, s->size);
    }
    *jumps = time == s->times[k] && s->jumps[k];
    const double next = k + 1 < s->key_count ? s->times[k + 1] : INFINITY;
    return s->style == FORECAST_WRONG && next < INFINITY && random_chance(&s->random, 0.2) ? 0.5 * (time + next) : next;
}

static mesh_sweep *make_sweep(const scene *s, const tact_allocator *allocator)
{
    sweep_def def = sweep_def_default();
    def.vertices = s->leave[0];
    def.vertex_count = s->vertex_count;
    def.triangles = (const uint32_t(*)[3])s->triangles;
    def.triangle_count = s->triangle_count;
    if (allocator != NULL)
        def.allocator = *allocator;
    mesh_sweep *sweep;
    return tact_mesh_sweep_create(&sweep, &def) == TACT_OK ? sweep : NULL;
}

typedef struct found_window {
    linear_path paths[MOST_VERTICES];
    tact_vec3 start[MOST_VERTICES], end[MOST_VERTICES];
    window_motion motion;
    sweep_step step;
} found_window;

/* The window from a time to another one, both on one piece. */
static void make_window(const scene *s, double begin, double end, found_window *w)
{
    const size_t k = key_at(s, begin);
    double error = 0.0;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        w->paths[v] = path_of(s, k, v);
        w->start[v] = linear_path_at(&w->paths[v], begin);
        w->end[v] = linear_path_at(&w->paths[v], end);
        error = fmax(error, linear_path_error(&w->paths[v], begin, end));
    }
    w->motion = (window_motion){w->paths, begin, end, error};
    w->step = sweep_step_default();
    w->step.start = w->start;
    w->step.end = w->end;
}

static bool same_contacts(const mesh_sweep *a, const mesh_sweep *b)
{
    bool same = tact_mesh_sweep_count(a) == tact_mesh_sweep_count(b);
    for (size_t i = 0; same && i < tact_mesh_sweep_count(a); ++i) {
        const sweep_contact *x = tact_mesh_sweep_contact(a, i), *y = tact_mesh_sweep_contact(b, i);
        same = x->kind == y->kind && memcmp(x->index, y->index, sizeof x->index) == 0 && same_answer(&x->ccd, &y->ccd);
    }
    return same;
}

static double component(tact_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/* At the end of a window: the vertices of each item are between the extremes of its box and of all boxes above it, and
 * pairs of items that overlap are known. Up to the margin. */
static void check_bounds(const window_list *l, const found_window *w, uint64_t seed)
{
    const separation_list *list = tact_window_list_separation(l);
    const kinetic_tree *t = &list->tree;
    const double margin = t->motion.margin;
    for (uint32_t i = 0; i < t->item_count; ++i)
        for (uint32_t bound = t->node_count + i; bound != KINETIC_NONE; bound = t->bounds[bound].parent)
            for (int side = 0; side < KINETIC_SIDES; ++side) {
                const double extreme = component(w->end[t->bounds[bound].extreme[side]], side / 2);
                for (int c = 0; c < 3; ++c) {
                    const double x = component(w->end[t->items[i][c]], side / 2);
                    CHECK(side % 2 == 0 ? x >= extreme - margin : x <= extreme + margin, "item %u, bound %u", i, bound);
                }
            }
    for (uint32_t i = 0; i < t->item_count; ++i)
        for (uint32_t j = 0; j < i; ++j) {
            bool apart = tact_separation_adjacent_items(t, i, j);
            for (int axis = 0; axis < 3; ++axis) {
                double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
                for (int c = 0; c < 6; ++c) {
                    const double x = component(w->end[t->items[c < 3 ? i : j][c % 3]], axis);
                    low[c / 3] = fmin(low[c / 3], x);
                    high[c / 3] = fmax(high[c / 3], x);
                }
                apart = apart || low[0] > high[1] || low[1] > high[0];
            }
            bool known = apart;
            for (size_t k = 0; k < list->overlaps.count && !known; ++k) {
                const uint32_t *item = list->overlaps.items[k].item;
                known = (item[0] == i && item[1] == j) || (item[0] == j && item[1] == i);
            }
            CHECK(known, "items %u and %u overlap", i, j);
        }
    ++met.validated;
}

/* Plays a scene. False: out of memory at the creation. */
static bool play(scene *s, uint64_t seed, const tact_allocator *allocator, long *failed)
{
    mesh_sweep *sweep = make_sweep(s, NULL), *by_list = make_sweep(s, allocator);
    window_list *list = NULL;
    const tact_allocator standard = {0};
    assert_non_null(sweep);
    if (by_list != NULL)
        (void)tact_window_list_create(&list, by_list, s->vertex_count, allocator != NULL ? allocator : &standard);
    const motion_forecast ahead = {s, forecast};
    double time = s->times[0];
    while (list != NULL && time < s->times[s->key_count - 1] + 2.0) {
        const size_t k = key_at(s, time);
        double end = k + 1 < s->key_count ? s->times[k + 1] : time + 0.75;
        if (random_chance(&s->random, 0.1)) {
            end = time + (end - time) * random_range(&s->random, 0.1, 0.9);
            ++met.cut;
        }
        if (s->times[k] == time && random_chance(&s->random, 0.1)) { /* another plan */
            make_keys(s, k);
            ++met.changes;
        }
        found_window w;
        make_window(s, time, end, &w);
        tact_status status = tact_window_list_run(list, &w.motion, s->style == FORECAST_NONE ? NULL : &ahead, &w.step);
        if (status == TACT_OUT_OF_MEMORY && failed != NULL) {
            ++*failed;
            status = tact_window_list_run(list, &w.motion, s->style == FORECAST_NONE ? NULL : &ahead, &w.step);
        }
        CHECK(status == TACT_OK, "status %d at %g", (int)status, time);
        assert_int_equal(tact_mesh_sweep_run(sweep, &w.step), TACT_OK);
        CHECK(same_contacts(by_list, sweep), "window from %a to %a: %zu contacts, %zu expected", time, end,
              tact_mesh_sweep_count(by_list), tact_mesh_sweep_count(sweep));
        check_bounds(list, &w, seed);
        ++met.windows;
        met.contacts += tact_mesh_sweep_count(sweep);
        met.jumps += s->times[k] == time && s->jumps[k];
        met.rested += k + 1 == s->key_count;
        /* sometimes the window is left before its end: the list is at the end, and must be built anew */
        time = random_chance(&s->random, 0.02) ? time + 0.5 * (end - time) : end;
    }
    if (list != NULL) {
        const window_list_counts counts = tact_window_list_counts(list);
        met.built += counts.built;
        met.tables += counts.tables;
        met.changed += counts.changed;
    }
    const bool complete = list != NULL;
    tact_window_list_release(list);
    tact_mesh_sweep_release(by_list);
    tact_mesh_sweep_release(sweep);
    return complete;
}

static void contacts_are_those_of_the_sweep(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(100, 10000); ++seed) {
        static scene s;
        make_scene(&s, seed);
        CHECK(play(&s, seed, NULL, NULL), "create");
    }
    print_message("%llu windows (%llu cut, %llu at rest), %llu contacts, %llu jumps, %llu changes; %llu lists, %llu "
                  "tables, %llu rows replaced\n",
                  (unsigned long long)met.windows, (unsigned long long)met.cut, (unsigned long long)met.rested,
                  (unsigned long long)met.contacts, (unsigned long long)met.jumps, (unsigned long long)met.changes,
                  (unsigned long long)met.built, (unsigned long long)met.tables, (unsigned long long)met.changed);
    if (!few_cases()) {
        assert_true(met.windows > 2000 && met.contacts > 2000 && met.cut > 100 && met.jumps > 30);
        assert_true(met.validated == met.windows && met.rested > 100 && met.changes > 100 &&
                    met.tables > 3 * met.built && met.changed > 5000);
    }
}

/* With a right forecast nothing is examined twice: one list, and a table for each WINDOW_LIST_SAMPLES. */
static void a_right_forecast_changes_no_row(void **state)
{
    (void)state;
    static scene s;
    make_scene(&s, 2);
    s.style = FORECAST_RIGHT;
    s.key_count = MOST_KEYS;
    for (size_t k = 0; k < s.key_count; ++k) {
        s.times[k] = (double)k;
        for (uint32_t v = 0; v < s.vertex_count; ++v)
            s.arrive[k][v] = s.leave[k][v] = random_point(&s, 1.0);
        s.jumps[k] = false;
    }
    mesh_sweep *sweep = make_sweep(&s, NULL);
    window_list *list;
    const tact_allocator standard = {0};
    assert_int_equal(tact_window_list_create(&list, sweep, s.vertex_count, &standard), TACT_OK);
    for (size_t k = 0; k + 1 < s.key_count; ++k) {
        found_window w;
        make_window(&s, s.times[k], s.times[k + 1], &w);
        assert_int_equal(tact_window_list_run(list, &w.motion, &(motion_forecast){&s, forecast}, &w.step), TACT_OK);
    }
    const window_list_counts counts = tact_window_list_counts(list);
    assert_int_equal(counts.built, 1);
    assert_int_equal(counts.changed, 0);
    assert_in_range(counts.tables, 3, 5);
    tact_window_list_release(list);
    tact_mesh_sweep_release(sweep);
}

static void numbers_that_are_too_large_are_refused(void **state)
{
    (void)state;
    static scene s;
    make_scene(&s, 3);
    for (uint32_t v = 0; v < s.vertex_count; ++v)
        s.leave[0][v] = s.arrive[1][v] = (tact_vec3){1e140, 0.0, (double)v};
    s.times[0] = 1e140;
    s.times[1] = 1.5e140;
    mesh_sweep *sweep = make_sweep(&s, NULL);
    window_list *list;
    const tact_allocator standard = {0};
    assert_int_equal(tact_window_list_create(&list, sweep, s.vertex_count, &standard), TACT_OK);
    found_window w;
    make_window(&s, s.times[0], s.times[1], &w);
    assert_int_equal(tact_window_list_run(list, &w.motion, NULL, &w.step), TACT_OK);
    tact_window_list_release(list);
    assert_int_equal(tact_window_list_create(&list, sweep, s.vertex_count, &standard), TACT_OK);
    w.motion.end = nextafter(w.motion.begin, INFINITY); /* a piece too short for its time */
    assert_int_equal(tact_window_list_run(list, &w.motion, NULL, &w.step), TACT_BAD_ARGUMENT);
    for (uint32_t v = 0; v < s.vertex_count; ++v)
        w.start[v].x = w.end[v].x = 1e291;
    w.motion.begin = 1.0;
    w.motion.end = 2.0;
    assert_int_equal(tact_window_list_run(list, &w.motion, NULL, &w.step), TACT_BAD_ARGUMENT);
    tact_window_list_release(list);
    tact_window_list_release(NULL);
    tact_mesh_sweep_release(sweep);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const uint64_t seed = 6; /* few key frames */
    long failed = 0;
    for (long at = 1;; ++at) {
        static scene s;
        make_scene(&s, seed);
        failing_allocator memory = {.fail_at = at};
        const tact_allocator allocator = failing_allocator_make(&memory);
        failed += !play(&s, seed, &allocator, &failed);
        assert_int_equal(memory.held, 0);
        if (memory.calls < at)
            break;
    }
    print_message("%ld allocations failed\n", failed);
    assert_true(failed > 30);
}

/* ---- trials ---- */

/* Runs windows in which the engines do so much work. Returns how many of them the list searched. */
static int run_trials(engine_trials *t, int windows, double windows_work, double list_work)
{
    int by_list = 0;
    for (int i = 0; i < windows; ++i) {
        bool use_windows, use_list;
        tact_engine_trials_begin(t, &use_windows, &use_list);
        assert_true(use_windows || use_list);
        by_list += use_list;
        tact_engine_trials_end(t, use_windows ? windows_work : -1.0, use_list ? list_work : -1.0);
    }
    return by_list;
}

static void the_cheaper_engine_is_chosen(void **state)
{
    (void)state;
    engine_trials t;
    tact_engine_trials_start(&t, TACT_DEFORMING_AUTO, 100);
    assert_int_equal(t.engine, TACT_DEFORMING_WINDOWS);
    const double build = t.price;
    assert_int_equal(run_trials(&t, 10, build / 100.0, build), 0); /* too early */
    int by_list = run_trials(&t, 100000, build / 100.0, build / 50.0);
    assert_int_equal(t.engine, TACT_DEFORMING_WINDOWS);
    assert_in_range(by_list, TRIAL_WINDOWS + 1, 10 * (TRIAL_WINDOWS + 1)); /* more and more patience */
    by_list = run_trials(&t, 100000, build / 100.0, build / 1000.0);
    assert_int_equal(t.engine, TACT_DEFORMING_LIST);
    by_list = run_trials(&t, 1000, build / 100.0, build / 110.0); /* not enough to go back */
    assert_int_equal(t.engine, TACT_DEFORMING_LIST);
    assert_int_equal(by_list, 1000);
    (void)run_trials(&t, 100000, build / 100.0, build / 10.0);
    assert_int_equal(t.engine, TACT_DEFORMING_WINDOWS);
    for (int pinned = TACT_DEFORMING_WINDOWS; pinned <= TACT_DEFORMING_LIST; ++pinned) {
        tact_engine_trials_start(&t, (tact_deforming_engine)pinned, 100);
        by_list = run_trials(&t, 10000, 1.0, pinned == TACT_DEFORMING_LIST ? 100.0 : 0.01);
        assert_int_equal(by_list, pinned == TACT_DEFORMING_LIST ? 10000 : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_those_of_the_sweep),        cmocka_unit_test(a_right_forecast_changes_no_row),
        cmocka_unit_test(numbers_that_are_too_large_are_refused), cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(the_cheaper_engine_is_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
