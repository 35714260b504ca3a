/*
 * `tact-bench bodies`: cost of the broad phase against the number of bodies, with 1 % or 100 of them moving. The cost
 * should depend on the moving bodies only. Bytes are those requested from its allocator.
 */
#include <stdlib.h>

#include "broad/broad.h"
#include "broad_scene.h"
#include "byte_counter.h"
#include "stopwatch.h"
#include "suite.h"
#include "support/broad_inspect.h"
#include "table.h"

typedef struct broad_growth {
    double fill_ns, update_ns; /* per body; per moving body */
    double bytes, pairs;       /* per body */
    const char *engine;
    bool correct;
} broad_growth;

static bool is_correct(broad *b, const broad_scene *s)
{
    long count = 0;
    uint64_t *expected = tact_broad_scene_pairs(s, &count);
    bool correct = expected && broad_pair_count(b) == (size_t)count;
    for (long i = 0; correct && i < count; i++)
        correct = tact_broad_find_pair(b, (uint32_t)(expected[i] >> 32), (uint32_t)expected[i]) != BROAD_NONE;
    free(expected);
    return correct;
}

static bool measure(const suite *s, int count, int moving, broad_growth *o)
{
    broad_scene scene;
    byte_counter memory = {0};
    const tact_allocator allocator = byte_counter_allocator(&memory);
    broad *b = NULL;
    if (!tact_broad_scene_create(&scene, count, moving, s->seed))
        return false;
    const box *boxes = (const box *)(const void *)scene.bounds;
    bool done = tact_broad_create(&allocator, BROAD_AUTO, &b) == TACT_OK;
    double before = tact_stopwatch_now();
    for (int i = 0; done && i < count; i++) {
        uint32_t proxy;
        done = tact_broad_insert(b, &boxes[i], BROAD_FILTER_ALL, &proxy) == TACT_OK && proxy == (uint32_t)i;
    }
    done = done && tact_broad_update(b, NULL) == TACT_OK;
    o->fill_ns = (tact_stopwatch_now() - before) / count;
    int frames = suite_size(s, 100, 20, 4);
    double sum = 0.0;
    for (int frame = -frames / 4; done && frame < frames; frame++) {
        tact_broad_scene_step(&scene);
        before = tact_stopwatch_now();
        for (int i = 0; i < moving; i++)
            (void)tact_broad_move(b, scene.moved[i], &boxes[scene.moved[i]]);
        done = tact_broad_update(b, NULL) == TACT_OK;
        sum += frame >= 0 ? tact_stopwatch_now() - before : 0.0;
    }
    if (done) {
        o->update_ns = sum / ((double)frames * moving);
        o->bytes = (double)memory.current / count;
        o->pairs = (double)broad_pair_count(b) / count;
        o->engine = tact_broad_active_engine(b) == BROAD_SWEEP ? "sweep" : "tree";
        o->correct = is_correct(b, &scene);
    }
    tact_broad_release(b);
    tact_broad_scene_release(&scene);
    return done;
}

bool tact_bench_growth_bodies(const suite *s)
{
    static const int counts[] = {1000, 10000, 100000, 1000000};
    json_t *share =
        tact_table_begin("Growth: broad phase, 1 % of the bodies moving",
                         "bodies|us per frame|ns per moving body|bytes per body|pairs per body|insert, ns per body|"
                         "engine|pairs");
    json_t *fixed =
        tact_table_begin("Growth: broad phase, 100 bodies moving",
                         "bodies|us per frame|ns per moving body|bytes per body|pairs per body|insert, ns per body|"
                         "engine|pairs");
    bool done = true;
    for (size_t k = 0; done && k < sizeof counts / sizeof counts[0]; k++) {
        int n = counts[k];
        if (n > suite_size(s, 1000000, 10000, 1000))
            break;
        for (int fixed_count = 0; done && fixed_count < 2; fixed_count++) {
            int moving = fixed_count == 0 ? n / 100 : 100;
            broad_growth o;
            done = measure(s, n, moving, &o);
            *s->wrong += done && !o.correct;
            if (done)
                tact_table_row(fixed_count == 0 ? share : fixed, "dfffffss", (long)n, o.update_ns * moving / 1e3,
                               o.update_ns, o.bytes, o.pairs, o.fill_ns, o.engine, o.correct ? "correct" : "WRONG");
        }
    }
    tact_table_note(share, "Unit cubes, 5 %% of space, moving 5 %% of their size per frame; mean over the frames. "
                           "Insert includes finding all pairs for the first time.");
    tact_table_plot(share, "ns per moving body; bytes per body", 0, 1u << 2 | 1u << 3, -1);
    tact_table_plot(fixed, "us per frame", 0, 1u << 1, -1);
    bool ended = tact_table_end(s, "growth_bodies", share);
    return tact_table_end(s, "growth_bodies_still", fixed) && ended && done;
}
