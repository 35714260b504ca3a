/*
 * A scene that is large enough for threads: the same contacts, to the bit, on any number of threads and in hosts'
 * loops, with and without a separation, all and the first, and of changed vertices alone. (Small scenes stay on one
 * thread: internal_sweep.c.)
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <tact/ccd.h>

#include "support/random.h"
#include "support/seeded_cases.h"
#include "sweep/sweep.h"

#define ACROSS 30 /* vertices a side: two sheets have 3,364 triangles, enough for six threads */
#define EACH (ACROSS * ACROSS)
#define TRIANGLES (4 * (ACROSS - 1) * (ACROSS - 1))

typedef struct scene {
    tact_vec3 start[2 * EACH], end[2 * EACH];
    uint32_t triangles[TRIANGLES][3];
    uint8_t changed[2 * EACH];
} scene;

/* Two crumpled sheets, one of which falls through the other. */
static void make_scene(scene *s, uint64_t seed)
{
    random_source r = random_seed(seed);
    uint32_t n = 0;
    for (uint32_t i = 0; i < 2 * EACH; i++) {
        const uint32_t sheet = i / EACH, x = i % ACROSS, y = i % EACH / ACROSS;
        const double step = 1.0 / ACROSS, rough = 0.4 * step;
        s->start[i] = (tact_vec3){x * step + rough * random_unit(&r), y * step + rough * random_unit(&r),
                                  0.1 * (double)sheet + rough * random_range(&r, -1.0, 1.0)};
        s->end[i] = s->start[i];
        s->end[i].x += rough * random_unit(&r);
        s->end[i].z -= 0.13 * (double)sheet + 0.5 * rough * random_unit(&r);
        s->changed[i] = random_chance(&r, 0.05);
        if (x + 1 < ACROSS && y + 1 < ACROSS) {
            const uint32_t two[2][3] = {{i, i + 1, i + ACROSS}, {i + 1, i + ACROSS + 1, i + ACROSS}};
            memcpy(s->triangles[n], two, sizeof two);
            n += 2;
        }
    }
    assert_int_equal(n, TRIANGLES);
}

/* ---- hosts' loops ---- */

static void backward(void *context, size_t count, size_t grain, tact_task *task, void *task_data)
{
    (void)context;
    (void)grain;
    while (count-- > 0)
        task(task_data, count, count + 1);
}

typedef struct share {
    tact_task *task;
    void *data;
    size_t begin, end;
} share;

static void *run_share(void *opaque)
{
    const share *s = opaque;
    s->task(s->data, s->begin, s->end);
    return NULL;
}

/* One thread for each item, three at a time. */
static void with_threads(void *context, size_t count, size_t grain, tact_task *task, void *task_data)
{
    (void)context;
    (void)grain;
    for (size_t first = 0; first < count; first += 3) {
        pthread_t threads[3];
        share shares[3];
        size_t started = 0;
        for (; started < 3 && first + started < count; started++) {
            shares[started] = (share){task, task_data, first + started, first + started + 1};
            assert_int_equal(pthread_create(&threads[started], NULL, run_share, &shares[started]), 0);
        }
        while (started-- > 0)
            assert_int_equal(pthread_join(threads[started], NULL), 0);
    }
}

/* ---- comparing ---- */

static bool same_contact(const sweep_contact *a, const sweep_contact *b)
{
    const tact_ccd *p = &a->ccd, *q = &b->ccd;
    return a->kind == b->kind && memcmp(a->index, b->index, sizeof a->index) == 0 && p->status == q->status &&
           p->state == q->state && p->lower == q->lower && p->upper == q->upper && p->normal.x == q->normal.x &&
           p->normal.y == q->normal.y && p->normal.z == q->normal.z && p->degenerate == q->degenerate &&
           memcmp(p->weights, q->weights, sizeof p->weights) == 0;
}

static void run(mesh_sweep *swept, const scene *s, uint64_t seed, int question, const tact_parallel *parallel)
{
    sweep_step step = sweep_step_default();
    step.start = s->start;
    step.end = s->end;
    step.parallel = parallel;
    step.separation = question == 2 ? 0.002 : 0.0;
    step.mode = question == 1 ? SWEEP_EARLIEST : SWEEP_ALL;
    CHECK(tact_mesh_sweep_run(swept, &step) == TACT_OK, "question %d", question);
    if (question == 3) { /* once more, with a previous step */
        step.changed = s->changed;
        CHECK(tact_mesh_sweep_run(swept, &step) == TACT_OK, "question %d", question);
    }
}

static void threads_change_nothing(void **state)
{
    (void)state;
    scene *s = malloc(sizeof *s);
    assert_non_null(s);
    const tact_parallel one = {.threads = 1};
    const tact_parallel loops[5] = {
        {.threads = 2}, {.threads = 3}, {.threads = 7}, {.loop = backward}, {.loop = with_threads}};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(1, 60); seed++) {
        make_scene(s, seed);
        sweep_def def = sweep_def_default();
        def.vertices = s->start;
        def.vertex_count = 2 * EACH;
        def.triangles = (const uint32_t(*)[3])s->triangles;
        def.triangle_count = TRIANGLES;
        mesh_sweep *first, *other;
        CHECK(tact_mesh_sweep_create(&first, &def) == TACT_OK && tact_mesh_sweep_create(&other, &def) == TACT_OK,
              "no sweep");
        for (int question = 0; question < 4; question++) {
            run(first, s, seed, question, &one);
            const size_t count = tact_mesh_sweep_count(first);
            CHECK(question == 1 ? count == 1 : count > 200, "question %d: %zu contacts", question, count);
            for (int i = 0; i < 5; i++) {
                run(other, s, seed, question, &loops[i]);
                CHECK(tact_mesh_sweep_count(other) == count, "question %d, loop %d: %zu contacts, should be %zu",
                      question, i, tact_mesh_sweep_count(other), count);
                for (size_t k = 0; k < count; k++)
                    CHECK(same_contact(tact_mesh_sweep_contact(other, k), tact_mesh_sweep_contact(first, k)),
                          "question %d, loop %d: contact %zu", question, i, k);
            }
        }
        tact_mesh_sweep_release(first);
        tact_mesh_sweep_release(other);
    }
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
