/* Small scenes of `tact-bench weller-zachmann-2006`: all methods find the contacts that brute force finds, with any
 * number of frames per interval.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <tact/ccd.h>

#include "keyframe_methods.h"
#include "support/long_form.h"

enum { SCENES = 3, FRAMES = 3, SWIRL_FRAMES = 13 }; /* the cloth needs time to curl up */

static void make_scene(keyframe_scene *scene, int kind, int size)
{
    bool done = kind == 0   ? tact_keyframe_tablecloth(scene, size, FRAMES)
                : kind == 1 ? tact_keyframe_swirl(scene, size, SWIRL_FRAMES)
                            : tact_keyframe_figure(scene, (size_t)size, FRAMES, NULL);
    assert_true(done);
}

/* ---- brute force ---- */

static bool share_vertex(const uint32_t *a, int count_a, const uint32_t *b, int count_b)
{
    for (int i = 0; i < count_a; i++)
        for (int k = 0; k < count_b; k++)
            if (a[i] == b[k])
                return true;
    return false;
}

static int compare_edges(const void *p, const void *q)
{
    const uint32_t *a = p, *b = q;
    return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : a[1] != b[1] ? (a[1] < b[1] ? -1 : 1) : 0;
}

/* The edges, each once, lower vertex first. The caller frees them. */
static uint32_t (*list_edges(const keyframe_scene *scene, size_t *count))[2]
{
    uint32_t(*edges)[2] = malloc(3 * scene->triangle_count * sizeof *edges);
    assert_non_null(edges);
    for (size_t i = 0; i < 3 * scene->triangle_count; i++) {
        const uint32_t a = scene->triangles[i / 3][i % 3], b = scene->triangles[i / 3][(i + 1) % 3];
        edges[i][0] = a < b ? a : b;
        edges[i][1] = a < b ? b : a;
    }
    qsort(edges, 3 * scene->triangle_count, sizeof *edges, compare_edges);
    *count = 0;
    for (size_t i = 0; i < 3 * scene->triangle_count; i++)
        if (*count == 0 || compare_edges(edges[*count - 1], edges[i]) != 0)
            memmove(edges[(*count)++], edges[i], sizeof *edges);
    return edges;
}

/* Adds the contact of a pair, if it collides. */
static void test_pair(const keyframe_scene *scene, size_t interval, tact_ccd_kind kind, const uint32_t vertices[4],
                      const uint32_t index[4], keyframe_log *log)
{
    tact_vec3 start[4], end[4];
    for (int k = 0; k < 4; k++) {
        start[k] = keyframe_positions(scene, interval)[vertices[k]];
        end[k] = keyframe_positions(scene, interval + 1)[vertices[k]];
    }
    const tact_ccd c =
        kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(start, end, NULL) : tact_ccd_edge_edge(start, end, NULL);
    if (c.state != TACT_HIT)
        return;
    if (log->count == log->capacity) {
        log->capacity = 2 * log->capacity + 64;
        log->items = realloc(log->items, log->capacity * sizeof *log->items);
        assert_non_null(log->items);
    }
    keyframe_contact *k = &log->items[log->count++];
    *k = (keyframe_contact){.interval = (uint32_t)interval, .kind = (uint32_t)kind, .lower = c.lower, .upper = c.upper};
    memcpy(k->index, index, sizeof k->index);
}

/* All contacts, in the order of a log: by interval, kind (vertex-face first) and indices. */
static void find_by_brute_force(const keyframe_scene *scene, keyframe_log *log)
{
    assert_true(TACT_VERTEX_FACE < TACT_EDGE_EDGE);
    size_t edge_count;
    uint32_t(*edges)[2] = list_edges(scene, &edge_count);
    for (size_t interval = 0; interval + 1 < scene->frame_count; interval++) {
        for (uint32_t v = 0; v < scene->vertex_count; v++)
            for (uint32_t f = 0; f < scene->triangle_count; f++) {
                const uint32_t *t = scene->triangles[f];
                if (!share_vertex(&v, 1, t, 3))
                    test_pair(scene, interval, TACT_VERTEX_FACE, (uint32_t[4]){v, t[0], t[1], t[2]},
                              (uint32_t[4]){v, f}, log);
            }
        for (size_t i = 0; i < edge_count; i++)
            for (size_t k = i + 1; k < edge_count; k++) {
                const uint32_t pair[4] = {edges[i][0], edges[i][1], edges[k][0], edges[k][1]};
                if (!share_vertex(edges[i], 2, edges[k], 2))
                    test_pair(scene, interval, TACT_EDGE_EDGE, pair, pair, log);
            }
    }
    free(edges);
}

/* ---- tests ---- */

static void methods_find_the_contacts_of_brute_force(void **state)
{
    (void)state;
    /* of the tablecloth the contacts are few: it is simulated without any at the key frames */
    static const int sizes[SCENES] = {6, 9, 400}, least[SCENES] = {0, 80, 10};
    static const int steps[] = {1, 2, 5};
    for (int kind = 0; kind < SCENES; kind++) {
        keyframe_scene scene;
        keyframe_log expected = {0};
        make_scene(&scene, kind, sizes[kind]);
        find_by_brute_force(&scene, &expected);
        print_message("%s: %zu triangles, %zu contacts\n", scene.name, scene.triangle_count, expected.count);
        assert_true(expected.count >= (size_t)least[kind]);
        for (int method = 0; method < KEYFRAMES_METHODS; method++)
            for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i += quick_form() ? 2 : 1) {
                keyframe_log log = {0};
                keyframe_cost cost;
                assert_true(tact_keyframes_run(&scene, (keyframe_method)method, steps[i], &log, &cost));
                if (tact_keyframe_log_compare(&expected, &log) != 0)
                    fail_msg("%s, method %d, %d frames: %zu of %zu contacts differ", scene.name, method, steps[i],
                             tact_keyframe_log_compare(&expected, &log), expected.count);
                assert_true(cost.item_pairs > 0);
                assert_true(method != KEYFRAMES_LIST || cost.events > 0);
                assert_true(method != KEYFRAMES_SWEPT_BOXES || cost.bound_checks >= cost.item_pairs);
                tact_keyframe_log_release(&log);
            }
        tact_keyframe_log_release(&expected);
        tact_keyframe_scene_release(&scene);
    }
}

/* At sizes beyond brute force. */
static void methods_agree(void **state)
{
    (void)state;
    static const int sizes[SCENES] = {16, 16, 2500}, least[SCENES] = {0, 200, 60};
    for (int kind = 0; kind < SCENES; kind++) {
        keyframe_scene scene;
        keyframe_log expected = {0};
        keyframe_cost cost;
        make_scene(&scene, kind, sizes[kind]);
        assert_true(tact_keyframes_run(&scene, KEYFRAMES_WINDOWS, 1, &expected, &cost));
        print_message("%s: %zu triangles, %zu contacts\n", scene.name, scene.triangle_count, expected.count);
        assert_true(expected.count >= (size_t)least[kind]);
        for (int method = 0; method < KEYFRAMES_METHODS; method++) {
            keyframe_log log = {0};
            assert_true(tact_keyframes_run(&scene, (keyframe_method)method, 10, &log, &cost));
            assert_int_equal(tact_keyframe_log_compare(&expected, &log), 0);
            tact_keyframe_log_release(&log);
        }
        tact_keyframe_log_release(&expected);
        tact_keyframe_scene_release(&scene);
    }
}

/* steps x = (steps - k) start + k end, for every coordinate. The products have at most 54 bits. */
static void in_between_frames_are_exact(void **state)
{
    (void)state;
    static const int steps[] = {1, 2, 5, 10, 20, 50, 100, 500};
    keyframe_scene scene;
    make_scene(&scene, 2, 300);
    tact_vec3 *between = malloc(scene.vertex_count * sizeof *between);
    assert_non_null(between);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        for (int k = 0; k <= steps[i]; k++) {
            const tact_vec3 *start = keyframe_positions(&scene, 1), *end = keyframe_positions(&scene, 2);
            tact_keyframe_between(&scene, 1, k, steps[i], between);
            for (size_t v = 0; v < scene.vertex_count; v++) {
                const double x[3][3] = {{start[v].x, end[v].x, between[v].x},
                                        {start[v].y, end[v].y, between[v].y},
                                        {start[v].z, end[v].z, between[v].z}};
                for (int axis = 0; axis < 3; axis++)
                    assert_true((long double)x[axis][2] * steps[i] ==
                                (long double)x[axis][0] * (steps[i] - k) + (long double)x[axis][1] * k);
            }
        }
    free(between);
    tact_keyframe_scene_release(&scene);
}

/* The comparison itself: missing, additional and late contacts count. */
static void comparison_finds_differences(void **state)
{
    (void)state;
    keyframe_contact a[3] = {{.interval = 0, .kind = 0, .index = {1, 2}, .lower = 0.5, .upper = 0.5},
                             {.interval = 0, .kind = 1, .index = {1, 2, 3, 4}, .lower = 0.25, .upper = 0.25},
                             {.interval = 1, .kind = 0, .index = {0, 1}, .lower = 0.0, .upper = 0.0}};
    keyframe_contact b[3] = {a[0], a[1], a[2]};
    keyframe_log one = {.items = a, .count = 3}, other = {.items = b, .count = 3};
    assert_int_equal(tact_keyframe_log_compare(&one, &other), 0);
    other.count = 2;
    assert_int_equal(tact_keyframe_log_compare(&one, &other), 1);
    assert_int_equal(tact_keyframe_log_compare(&other, &one), 1);
    other.count = 3;
    b[1].lower = b[1].upper = 0.26;
    assert_int_equal(tact_keyframe_log_compare(&one, &other), 1);
    b[1] = a[1];
    b[1].index[3] = 5;
    assert_int_equal(tact_keyframe_log_compare(&one, &other), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(methods_find_the_contacts_of_brute_force),
                                       cmocka_unit_test(methods_agree), cmocka_unit_test(in_between_frames_are_exact),
                                       cmocka_unit_test(comparison_finds_differences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
