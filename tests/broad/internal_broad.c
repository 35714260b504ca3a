/*
 * The broad phase against a brute-force model: reported pairs, stable slots and data, equal results of both engines,
 * out of memory, degenerate boxes. (Queries: internal_broad_query.c.)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "broad/broad.h"
#include "broad/broad_proxies.h"
#include "core/hash.h"
#include "oracle/broad_check.h"
#include "support/broad_inspect.h"
#include "support/failing_allocator.h"
#include "support/long_form.h"

/* ---- the model ---- */

typedef struct model {
    bool alive[TEST_PROXIES];
    box boxes[TEST_PROXIES];
    broad_filter filters[TEST_PROXIES];
    bool reported[TEST_PROXIES][TEST_PROXIES]; /* pairs, a < b, as of the last update */
    uint32_t slots[3][TEST_PROXIES][TEST_PROXIES];
    size_t count;
} model;

static bool model_pair(const model *m, uint32_t a, uint32_t b)
{
    return m->alive[a] && m->alive[b] && (m->filters[a].category & m->filters[b].mask) != 0 &&
           (m->filters[b].category & m->filters[a].mask) != 0 && m->boxes[a].min[0] <= m->boxes[b].max[0] &&
           m->boxes[b].min[0] <= m->boxes[a].max[0] && m->boxes[a].min[1] <= m->boxes[b].max[1] &&
           m->boxes[b].min[1] <= m->boxes[a].max[1] && m->boxes[a].min[2] <= m->boxes[b].max[2] &&
           m->boxes[b].min[2] <= m->boxes[a].max[2];
}

static uint64_t data_of(uint32_t a, uint32_t b) { return hash_pair(a, b); }

static void fail_at(uint64_t seed, int frame, const char *what)
{
    fail_msg("seed %llu, frame %d: %s", (unsigned long long)seed, frame, what);
}

/* Compares the report of an update with the model, checks slots and data, and sets the data of new pairs. `which`: one
 * of up to 3 broad phases. */
static void compare_changes(model *m, broad *b, int which, const broad_changes *changes, uint64_t seed, int frame)
{
    size_t began = 0, ended = 0;
    for (uint32_t i = 0; i < TEST_PROXIES; ++i)
        for (uint32_t k = i + 1; k < TEST_PROXIES; ++k) {
            bool now = model_pair(m, i, k), before = m->reported[i][k];
            if (now && !before) {
                if (began >= changes->began_count)
                    fail_at(seed, frame, "too few began");
                uint32_t slot = changes->began[began++];
                broad_pair *pair = tact_broad_pair(b, slot);
                if (pair->a != i || pair->b != k || pair->data != 0)
                    fail_at(seed, frame, "another pair began, or out of order, or not with the word 0");
                pair->data = data_of(i, k);
                m->slots[which][i][k] = slot;
            } else if (before && !now) {
                if (ended >= changes->ended_count)
                    fail_at(seed, frame, "too few ended");
                uint32_t slot = changes->ended[ended++];
                const broad_pair *pair = tact_broad_pair(b, slot);
                if (pair->a != i || pair->b != k || pair->data != data_of(i, k) || slot != m->slots[which][i][k])
                    fail_at(seed, frame, "another pair ended, or out of order, or its word or slot is lost");
            }
            if (now) {
                uint32_t slot = m->slots[which][i][k];
                if (tact_broad_find_pair(b, k, i) != slot || tact_broad_pair(b, slot)->data != data_of(i, k))
                    fail_at(seed, frame, "a pair is not where it was, or its word is lost");
            } else if (tact_broad_find_pair(b, i, k) != BROAD_NONE) {
                fail_at(seed, frame, "a pair is found that is none");
            }
        }
    if (began != changes->began_count || ended != changes->ended_count)
        fail_at(seed, frame, "too many began or ended");
}

static size_t settle_model(model *m)
{
    size_t pairs = 0;
    for (uint32_t i = 0; i < TEST_PROXIES; ++i)
        for (uint32_t k = i + 1; k < TEST_PROXIES; ++k)
            pairs += m->reported[i][k] = model_pair(m, i, k);
    return pairs;
}

enum {
    ADDS,
    REMOVES,
    NUDGES,
    TELEPORTS,
    REFILTERS,
    SWITCHES,
    FRAMES_ALL,
    BEGAN,
    ENDED,
    RETRIES,
    BATCHES,
    ESCAPES,
    SWAPS,
    KINDS
};

/* One random call on all broad phases. A call that runs out of memory is repeated until it succeeds. */
static void random_call(random_source *r, model *m, broad **all, int broads, size_t *hits)
{
    int kind = random_between(r, 0, 99);
    if (m->count < 4 || (kind < 12 && m->count < TEST_PROXIES - 60)) {
        /* removed indices are free only after the update: leave capacity for those */
        uint32_t ids[8], count = (uint32_t)random_between(r, 1, 8);
        box boxes[8];
        broad_filter filters[8];
        for (uint32_t i = 0; i < count; ++i) {
            boxes[i] = random_box(r, 4);
            filters[i] = random_filter(r);
        }
        for (int w = 0; w < broads; ++w) {
            uint32_t got[8];
            tact_status status;
            while ((status = tact_broad_insert_many(all[w], count, boxes, filters, got)) == TACT_OUT_OF_MEMORY)
                ++hits[RETRIES];
            assert_int_equal(status, TACT_OK);
            if (w > 0)
                assert_memory_equal(got, ids, count * sizeof *ids);
            memcpy(ids, got, sizeof ids);
        }
        for (uint32_t i = 0; i < count; ++i) {
            assert_true(ids[i] < TEST_PROXIES && !m->alive[ids[i]]);
            m->alive[ids[i]] = true;
            m->boxes[ids[i]] = boxes[i];
            m->filters[ids[i]] = filters[i];
        }
        m->count += count;
        ++hits[ADDS];
    } else if (kind < 16) {
        uint32_t at = random_alive(r, m->alive);
        for (int w = 0; w < broads; ++w)
            assert_int_equal(tact_broad_remove(all[w], at), TACT_OK);
        m->alive[at] = false;
        --m->count;
        ++hits[REMOVES];
    } else if (kind < 22) {
        uint32_t at = random_alive(r, m->alive);
        m->filters[at] = random_filter(r);
        for (int w = 0; w < broads; ++w)
            assert_int_equal(tact_broad_set_filter(all[w], at, m->filters[at]), TACT_OK);
        ++hits[REFILTERS];
    } else {
        uint32_t at = random_alive(r, m->alive);
        bool far = kind < 30;
        m->boxes[at] = far ? random_box(r, 4) : nudged(r, m->boxes[at], 0.1);
        for (int w = 0; w < broads; ++w)
            assert_int_equal(tact_broad_move(all[w], at, &m->boxes[at]), TACT_OK);
        ++hits[far ? TELEPORTS : NUDGES];
    }
}

static void run_frames(uint64_t seed, int frames, long fail_every, size_t *hits)
{
    random_source r = random_seed(seed);
    failing_allocator allocators[3] = {{0}, {0}, {0}};
    broad *all[3];
    static const broad_engine engines[3] = {BROAD_SWEEP, BROAD_TREE, BROAD_AUTO};
    model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    for (int w = 0; w < 3; ++w) {
        tact_allocator allocator = failing_allocator_make(&allocators[w]);
        assert_int_equal(tact_broad_create(&allocator, engines[w], &all[w]), TACT_OK);
        allocators[w].every = fail_every > 0 ? fail_every + w : 0;
    }
    for (int frame = 0; frame < frames; ++frame) {
        int calls = random_between(&r, 0, 12);
        for (int i = 0; i < calls; ++i)
            random_call(&r, m, all, 3, hits);
        if (random_chance(&r, 0.3)) { /* all move */
            ++hits[FRAMES_ALL];
            for (uint32_t i = 0; i < TEST_PROXIES; ++i)
                if (m->alive[i]) {
                    m->boxes[i] = nudged(&r, m->boxes[i], 0.05);
                    for (int w = 0; w < 3; ++w)
                        assert_int_equal(tact_broad_move(all[w], i, &m->boxes[i]), TACT_OK);
                }
        }
        if (random_chance(&r, 0.1)) { /* the engine of the third is set at random */
            broad_engine next = random_chance(&r, 0.5) ? BROAD_SWEEP : BROAD_TREE;
            hits[SWITCHES] += tact_broad_active_engine(all[2]) != next;
            broad_engine before = tact_broad_active_engine(all[2]);
            if (tact_broad_set_engine(all[2], next) == TACT_OUT_OF_MEMORY) { /* after a failure no block is left */
                assert_int_equal(tact_broad_active_engine(all[2]), before);
                allocators[2].every = 0;
                assert_int_equal(tact_broad_set_engine(all[2], next), TACT_OK);
                allocators[2].every = fail_every + 2;
                ++hits[RETRIES];
            }
            assert_int_equal(tact_broad_active_engine(all[2]), next);
        }
        for (int w = 0; w < 3; ++w) {
            broad_changes changes;
            tact_status status;
            const char *why;
            while ((status = tact_broad_update(all[w], &changes)) == TACT_OUT_OF_MEMORY) {
                ++hits[RETRIES];
                if (!tact_broad_check(all[w], &why))
                    fail_at(seed, frame, why);
                if (changes.began_count + changes.ended_count != 0)
                    fail_at(seed, frame, "changes reported by an update that failed");
            }
            assert_int_equal(status, TACT_OK);
            compare_changes(m, all[w], w, &changes, seed, frame);
            hits[BEGAN] += changes.began_count;
            hits[ENDED] += changes.ended_count;
            if (!tact_broad_check(all[w], &why))
                fail_at(seed, frame, why);
            assert_int_equal(broad_count(all[w]), m->count);
        }
        size_t pairs = settle_model(m);
        for (int w = 0; w < 3; ++w) {
            assert_int_equal(broad_pair_count(all[w]), pairs);
            if (frame % 8 != 0)
                continue;
            const uint32_t *list;
            size_t count, walked = 0, of = 0;
            while (tact_broad_list_pairs(all[w], &list, &count) == TACT_OUT_OF_MEMORY)
                ++hits[RETRIES];
            assert_int_equal(count, pairs);
            uint64_t last = 0;
            for (size_t i = 0; i < count; ++i) {
                const broad_pair *pair = tact_broad_pair(all[w], list[i]);
                uint64_t key = (uint64_t)pair->a << 32 | pair->b;
                assert_true(m->reported[pair->a][pair->b] && (i == 0 || key > last));
                last = key;
            }
            for (uint32_t s = tact_broad_next_pair(all[w], BROAD_NONE); s != BROAD_NONE;
                 s = tact_broad_next_pair(all[w], s))
                ++walked;
            for (uint32_t p = 0; p < TEST_PROXIES; ++p)
                for (uint32_t s = m->alive[p] ? broad_next_pair_of(all[w], p, BROAD_NONE) : BROAD_NONE; s != BROAD_NONE;
                     s = broad_next_pair_of(all[w], p, s))
                    ++of;
            assert_int_equal(walked, pairs);
            assert_int_equal(of, 2 * pairs);
        }
    }
    for (int w = 0; w < 3; ++w) {
        const broad_counters counters = all[w]->counters;
        hits[BATCHES] += counters.rebuilds;
        hits[ESCAPES] += counters.escaped;
        hits[SWAPS] += counters.swaps;
        tact_broad_release(all[w]);
        assert_int_equal(allocators[w].held, 0);
    }
    free(m);
}

static void all_engines_report_what_brute_force_reports(void **state)
{
    (void)state;
    size_t hits[KINDS] = {0};
    for (uint64_t seed = 1; seed <= 4; ++seed)
        run_frames(seed, (int)random_case_count(200, 1000), 0, hits);
    assert_true(hits[RETRIES] == 0);
    if (few_cases())
        return;
    assert_true(hits[ADDS] > 99 && hits[REMOVES] > 99 && hits[NUDGES] > 1994 && hits[TELEPORTS] > 199);
    assert_true(hits[REFILTERS] > 199 && hits[SWITCHES] > 19 && hits[FRAMES_ALL] > 199);
    assert_true(hits[BEGAN] > 1994 && hits[ENDED] > 1994);
    assert_true(hits[BATCHES] > 17 && hits[ESCAPES] > 1994 && hits[SWAPS] > 19950);
}

/* After a failed update, other calls come before the next one. */
static void changes_that_a_failed_update_missed_are_reported_next(void **state)
{
    (void)state;
    size_t hits[KINDS] = {0}, failures = 0;
    for (uint64_t seed = 200; seed < (long_form() ? 212 : 205); ++seed) {
        random_source r = random_seed(seed);
        failing_allocator ours = {0};
        tact_allocator allocator = failing_allocator_make(&ours);
        broad *b;
        model *m = calloc(1, sizeof *m);
        assert_non_null(m);
        assert_int_equal(tact_broad_create(&allocator, seed % 2 ? BROAD_TREE : BROAD_SWEEP, &b), TACT_OK);
        size_t waiting = 0; /* removed indices that no update has freed */
        for (int frame = 0; frame < (int)random_case_count(400, 400); ++frame) {
            const char *why;
            int calls = random_between(&r, 0, 12);
            for (int i = 0; i < calls && waiting < 40; ++i) {
                size_t before = hits[REMOVES];
                random_call(&r, m, &b, 1, hits);
                waiting += hits[REMOVES] - before;
            }
            if (random_chance(&r, 0.1))
                assert_int_equal(tact_broad_set_engine(b, random_chance(&r, 0.5) ? BROAD_SWEEP : BROAD_TREE), TACT_OK);
            broad_changes changes;
            ours.every = waiting < 30 && random_chance(&r, 0.7) ? random_between(&r, 1, 3) : 0;
            tact_status status = tact_broad_update(b, &changes);
            ours.every = 0;
            if (!tact_broad_check(b, &why))
                fail_at(seed, frame, why);
            if (status == TACT_OUT_OF_MEMORY) {
                ++failures;
                continue;
            }
            assert_int_equal(status, TACT_OK);
            compare_changes(m, b, 0, &changes, seed, frame);
            (void)settle_model(m);
            waiting = 0;
        }
        tact_broad_release(b);
        assert_int_equal(ours.held, 0);
        free(m);
    }
    assert_true(few_cases() || failures > 100);
}

/* A pair that was separate only during a failed update keeps its slot and its data. */
static void a_pair_that_parted_unseen_has_not_ended(void **state)
{
    (void)state;
    for (int w = 0; w < 2; ++w) {
        failing_allocator ours = {0};
        tact_allocator allocator = failing_allocator_make(&ours);
        broad *b;
        broad_changes changes;
        uint32_t ids[2], more[100];
        box here = box_from_bounds((tact_vec3){0, 0, 0}, (tact_vec3){1, 1, 1}), crowd[100], two[2] = {here, here};
        box away = box_from_bounds((tact_vec3){50, 50, 50}, (tact_vec3){51, 51, 51});
        assert_int_equal(tact_broad_create(&allocator, w ? BROAD_TREE : BROAD_SWEEP, &b), TACT_OK);
        assert_int_equal(tact_broad_insert_many(b, 2, two, NULL, ids), TACT_OK);
        assert_int_equal(tact_broad_update(b, &changes), TACT_OK);
        assert_int_equal(changes.began_count, 1);
        uint32_t slot = changes.began[0];
        tact_broad_pair(b, slot)->data = 77;
        for (int i = 0; i < 100; ++i)
            crowd[i] = box_from_bounds((tact_vec3){9, 9, 9}, (tact_vec3){10, 10, 10});
        assert_int_equal(tact_broad_insert_many(b, 100, crowd, NULL, more), TACT_OK);
        assert_int_equal(tact_broad_move(b, ids[1], &away), TACT_OK);
        ours.every = 1;
        assert_int_equal(tact_broad_update(b, &changes), TACT_OUT_OF_MEMORY);
        ours.every = 0;
        assert_int_equal(tact_broad_move(b, ids[1], &here), TACT_OK);
        assert_int_equal(tact_broad_update(b, &changes), TACT_OK);
        assert_int_equal(changes.began_count, 100 * 99 / 2);
        assert_int_equal(changes.ended_count, 0);
        assert_int_equal(tact_broad_find_pair(b, ids[0], ids[1]), slot);
        assert_int_equal(tact_broad_pair(b, slot)->data, 77);
        const char *why = "";
        if (!tact_broad_check(b, &why))
            fail_msg("%s", why);
        tact_broad_release(b);
        assert_int_equal(ours.held, 0);
    }
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    size_t hits[KINDS] = {0};
    for (long every = 2; every < 12; every += quick_form() ? 3 : 1)
        run_frames((uint64_t)(100 + every), 60, every, hits);
    assert_true(hits[RETRIES] > (quick_form() ? 100 : 300));
    failing_allocator none = {.every = 1};
    tact_allocator allocator = failing_allocator_make(&none);
    broad *b;
    assert_int_equal(tact_broad_create(&allocator, BROAD_TREE, &b), TACT_OUT_OF_MEMORY);
    assert_null(b);
}

/* ---- many at once ---- */

static void same_pairs(broad *one, const uint32_t *a, size_t a_count, broad *other, const uint32_t *b, size_t b_count)
{
    assert_int_equal(a_count, b_count);
    for (size_t i = 0; i < a_count; ++i) {
        const broad_pair *p = tact_broad_pair(one, a[i]), *q = tact_broad_pair(other, b[i]);
        assert_true(p->a == q->a && p->b == q->b);
    }
}

/* Thousands at once, sparse and dense: both engines report the same pairs; some frames are compared with brute force.
 */
static void engines_agree_on_thousands(void **state)
{
    (void)state;
    enum { N = 2000, FRAMES = 150 };
    static box boxes[N];
    static float ways[N][3];
    static uint32_t ids[N];
    for (int crowded = 0; crowded < 2; ++crowded) {
        broad *all[2];
        random_source r = random_seed((uint64_t)(40 + crowded));
        double side = cbrt(N / (crowded ? 1.0 : 0.05));
        for (int i = 0; i < N; ++i) {
            tact_vec3 low = {random_range(&r, 0, side), random_range(&r, 0, side), random_range(&r, 0, side)};
            boxes[i] = box_from_bounds(low, (tact_vec3){low.x + 1, low.y + 1, low.z + 1});
            for (int k = 0; k < 3; ++k)
                ways[i][k] = (float)random_range(&r, -0.04, 0.04);
        }
        for (int w = 0; w < 2; ++w) {
            assert_int_equal(tact_broad_create(NULL, w ? BROAD_TREE : BROAD_SWEEP, &all[w]), TACT_OK);
            assert_int_equal(tact_broad_insert_many(all[w], N, boxes, NULL, ids), TACT_OK);
        }
        for (int frame = 0; frame < (quick_form() ? FRAMES / 2 : FRAMES); ++frame) {
            int first = 0, count = frame / 25 % 2 ? N / 50 : N; /* all drift for a while, then a few */
            if (count < N)
                first = (int)random_below(&r, N - (uint64_t)count);
            for (int i = first; i < first + count; ++i) {
                for (int k = 0; k < 3; ++k) {
                    float way = frame % 60 == 59 ? (float)random_range(&r, -5, 5) : ways[i][k];
                    boxes[i].min[k] += way;
                    boxes[i].max[k] += way;
                }
                for (int w = 0; w < 2; ++w)
                    assert_int_equal(tact_broad_move(all[w], ids[i], &boxes[i]), TACT_OK);
            }
            broad_changes changes[2];
            const char *why = "";
            for (int w = 0; w < 2; ++w) {
                assert_int_equal(tact_broad_update(all[w], &changes[w]), TACT_OK);
                if (frame % 30 == 29 && !tact_broad_check(all[w], &why))
                    fail_msg("crowded %d, frame %d: %s", crowded, frame, why);
            }
            same_pairs(all[0], changes[0].began, changes[0].began_count, all[1], changes[1].began,
                       changes[1].began_count);
            same_pairs(all[0], changes[0].ended, changes[0].ended_count, all[1], changes[1].ended,
                       changes[1].ended_count);
        }
        const broad_counters counters = all[1]->counters;
        assert_true(counters.rebuilds > 3 && counters.escaped > N);
        assert_true(broad_pair_count(all[0]) > (crowded ? 1000u : 100u));
        for (int w = 0; w < 2; ++w)
            tact_broad_release(all[w]);
    }
}

/* Inserts all, in both engines; the pairs must be `expected` in number, or, if that is SIZE_MAX, the same. */
static size_t pairs_of(const box *boxes, size_t count, size_t expected, bool check)
{
    size_t found[2];
    for (int w = 0; w < 2; ++w) {
        broad *b;
        uint32_t *ids = malloc((count + 1) * sizeof *ids);
        broad_changes changes;
        assert_non_null(ids);
        assert_int_equal(tact_broad_create(NULL, w ? BROAD_TREE : BROAD_SWEEP, &b), TACT_OK);
        assert_int_equal(tact_broad_insert_many(b, count, boxes, NULL, ids), TACT_OK);
        assert_int_equal(tact_broad_update(b, &changes), TACT_OK);
        found[w] = changes.began_count;
        assert_int_equal(changes.ended_count, 0);
        for (size_t i = 1; i < changes.began_count; ++i) {
            const broad_pair *p = tact_broad_pair(b, changes.began[i - 1]), *q = tact_broad_pair(b, changes.began[i]);
            assert_true(p->a < q->a || (p->a == q->a && p->b < q->b));
        }
        const char *why = "";
        if (check && !tact_broad_check(b, &why))
            fail_msg("%s", why);
        /* remove half, and the others one update later */
        for (size_t i = 0; i < count / 2; ++i)
            assert_int_equal(tact_broad_remove(b, ids[i]), TACT_OK);
        assert_int_equal(tact_broad_update(b, &changes), TACT_OK);
        assert_int_equal(broad_pair_count(b), found[w] - changes.ended_count);
        if (check && !tact_broad_check(b, &why))
            fail_msg("%s", why);
        for (size_t i = count / 2; i < count; ++i)
            assert_int_equal(tact_broad_remove(b, ids[i]), TACT_OK);
        assert_int_equal(tact_broad_update(b, &changes), TACT_OK);
        assert_int_equal(broad_pair_count(b), 0);
        assert_int_equal(broad_count(b), 0);
        tact_broad_release(b);
        free(ids);
    }
    assert_int_equal(found[0], found[1]);
    if (expected != SIZE_MAX)
        assert_int_equal(found[0], expected);
    return found[0];
}

static void strange_boxes_are_boxes(void **state)
{
    (void)state;
    enum { N = 400 };
    box boxes[N];
    const tact_vec3 zero = {0, 0, 0}, one = {1, 1, 1};
    random_source r = random_seed(7);
    for (int i = 0; i < N; ++i) /* all the same: every pair */
        boxes[i] = box_from_bounds(zero, one);
    pairs_of(boxes, N, N * (N - 1) / 2, true);
    for (int i = 0; i < N; ++i) /* all the same point */
        boxes[i] = box_of_point(one);
    pairs_of(boxes, N, N * (N - 1) / 2, true);
    for (int i = 0; i < N; ++i) { /* a row of boxes that touch in faces */
        tact_vec3 low = {i, 0, 0}, high = {i + 1, 1, 1};
        boxes[i] = box_from_bounds(low, high);
    }
    pairs_of(boxes, N, N - 1, true);
    boxes[0] = box_from_bounds((tact_vec3){-1e30, -1e30, -1e30}, (tact_vec3){1e30, 1e30, 1e30}); /* one around all */
    pairs_of(boxes, N, N - 1 + N - 2, true);
    boxes[0] = (box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    boxes[1] = (box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, 0, INFINITY}};
    boxes[2] = (box){{INFINITY, 0, 0}, {INFINITY, 1, 1}};
    pairs_of(boxes, N, SIZE_MAX, true);
    for (int i = 0; i < N; ++i) { /* each in the next, like Russian dolls */
        double s = ldexp(1.0, i / 4 - 50);
        boxes[i] = box_from_bounds((tact_vec3){-s, -s, -s}, (tact_vec3){s, s, s});
    }
    pairs_of(boxes, N, N * (N - 1) / 2, true);
    for (int i = 0; i < N; ++i) { /* of all sizes, everywhere */
        double s = ldexp(random_range(&r, 1, 2), random_between(&r, -120, 100)), f = random_size(&r, -60, 100);
        tact_vec3 d = random_direction(&r), low = {d.x * f, d.y * f, d.z * f};
        boxes[i] = box_from_bounds(low, (tact_vec3){low.x + s, low.y + s, low.z + s});
    }
    pairs_of(boxes, N, SIZE_MAX, true);
    for (int i = 0; i < N; ++i) { /* far away, where floats are a unit apart */
        tact_vec3 low = {1e7 + random_range(&r, 0, 8), -1e7 - random_range(&r, 0, 8), 1e7 + random_range(&r, 0, 8)};
        boxes[i] = box_from_bounds(low, (tact_vec3){low.x + 0.5, low.y + 0.5, low.z + 0.5});
    }
    assert_true(pairs_of(boxes, N, SIZE_MAX, true) > N);
    for (int i = 0; i < N; ++i) { /* thinner than the smallest float, signs of zero mixed */
        float z = i % 2 ? 0.0f : -0.0f, t = i % 3 ? FLT_MIN : -0.0f;
        boxes[i] = (box){{z, z, z}, {t, t, i % 5 ? FLT_MAX : z}};
    }
    pairs_of(boxes, N, N * (N - 1) / 2, true);
}

/* Nested boxes one at a time make the deepest trees; equal ones the longest chains where ties are not broken. */
static void trees_stay_shallow(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        broad *b;
        uint32_t id;
        assert_int_equal(tact_broad_create(NULL, BROAD_TREE, &b), TACT_OK);
        for (int i = 0; i < 600; ++i) {
            double s = kind == 0   ? ldexp(1.0, i / 5 - 60)
                       : kind == 1 ? 1.0
                                   : ldexp(1.0, 60 - i / 5),
                   x = kind == 2 ? s : 0;
            box grown = box_from_bounds((tact_vec3){x, 0, 0}, (tact_vec3){x + s, s, s});
            assert_int_equal(tact_broad_insert(b, &grown, (broad_filter){1, 2}, &id), TACT_OK);
            assert_int_equal(tact_broad_update(b, NULL), TACT_OK);
        }
        const char *why = "";
        if (!tact_broad_check(b, &why)) /* sees the height too */
            fail_msg("%s", why);
        assert_int_equal(broad_pair_count(b), 0);
        tact_broad_release(b);
    }
}

static void many_come_at_once(void **state)
{
    (void)state;
    const size_t n = random_case_count(30000, 100000);
    box *boxes = malloc(n * sizeof *boxes);
    assert_non_null(boxes);
    random_source r = random_seed(3);
    double side = cbrt((double)n / 0.05);
    for (size_t i = 0; i < n; ++i) {
        tact_vec3 low = {random_range(&r, 0, side), random_range(&r, 0, side), random_range(&r, 0, side)};
        boxes[i] = box_from_bounds(low, (tact_vec3){low.x + 1, low.y + 1, low.z + 1});
    }
    size_t pairs = pairs_of(boxes, n, SIZE_MAX, false);
    assert_true(pairs > n / 7 && pairs < n / 4); /* 0.05 * 8 / 2 a body, less at the walls */
    for (size_t i = 0; i < n; ++i)               /* all in one plane: the worst for a sweep along one axis */
        boxes[i].min[0] = 0, boxes[i].max[0] = 1;
    assert_true(pairs_of(boxes, n, SIZE_MAX, false) > n);
    free(boxes);
}

/* A periodic scene allocates nothing after its first period. */
static void a_steady_state_needs_no_memory(void **state)
{
    (void)state;
    enum { N = 500, PERIOD = 16 };
    for (int w = 0; w < 2; ++w) {
        failing_allocator ours = {0};
        tact_allocator allocator = failing_allocator_make(&ours);
        broad *b;
        box boxes[N];
        uint32_t ids[N];
        random_source r = random_seed(11);
        assert_int_equal(tact_broad_create(&allocator, w ? BROAD_TREE : BROAD_SWEEP, &b), TACT_OK);
        for (int i = 0; i < N; ++i)
            boxes[i] = random_box(&r, 8);
        assert_int_equal(tact_broad_insert_many(b, N, boxes, NULL, ids), TACT_OK);
        long calls = 0;
        for (int frame = 0; frame < 24 * PERIOD; ++frame) {
            if (frame == 8 * PERIOD)
                calls = ours.calls;
            for (int i = 0; i < N; ++i) {
                float to = 0.05f * (float)((frame + i) % PERIOD < PERIOD / 2 ? 1 : -1);
                boxes[i].min[i % 3] += to;
                boxes[i].max[i % 3] += to;
                assert_int_equal(tact_broad_move(b, ids[i], &boxes[i]), TACT_OK);
            }
            uint32_t again;
            int out = frame % N;
            assert_int_equal(tact_broad_remove(b, ids[out]), TACT_OK);
            assert_int_equal(tact_broad_update(b, NULL), TACT_OK);
            assert_int_equal(tact_broad_insert(b, &boxes[out], BROAD_FILTER_ALL, &again), TACT_OK);
            assert_int_equal(again, ids[out]);
        }
        assert_int_equal(ours.calls, calls);
        assert_true(broad_pair_count(b) > 50);
        tact_broad_release(b);
    }
}

/* BROAD_AUTO decides by counts, not by clocks: its choice is deterministic. */
static void auto_takes_the_engine_that_suits(void **state)
{
    (void)state;
    enum { N = 300, FAST = 30 };
    broad *b;
    box boxes[N];
    uint32_t ids[N];
    random_source r = random_seed(5);
    const char *why = "";
    assert_int_equal(tact_broad_create(NULL, BROAD_AUTO, &b), TACT_OK);
    for (int i = 0; i < N; ++i) { /* small, far apart */
        tact_vec3 low = {random_range(&r, 0, 100), random_range(&r, 0, 100), random_range(&r, 0, 100)};
        boxes[i] = box_from_bounds(low, (tact_vec3){low.x + 0.1, low.y + 0.1, low.z + 0.1});
    }
    assert_int_equal(tact_broad_insert_many(b, N, boxes, NULL, ids), TACT_OK);
    assert_int_equal(tact_broad_update(b, NULL), TACT_OK);
    assert_int_equal(tact_broad_active_engine(b), BROAD_TREE);
    for (int frame = 0; frame < 300; ++frame) { /* a few jump */
        for (int i = 0; i < FAST; ++i) {
            boxes[i] = nudged(&r, boxes[i], 0.5);
            assert_int_equal(tact_broad_move(b, ids[i], &boxes[i]), TACT_OK);
        }
        assert_int_equal(tact_broad_update(b, NULL), TACT_OK);
    }
    assert_int_equal(tact_broad_active_engine(b), BROAD_SWEEP);
    if (!tact_broad_check(b, &why))
        fail_msg("%s", why);
    for (int i = 0; i < N; ++i) { /* large, close */
        tact_vec3 low = {random_range(&r, 0, 8), random_range(&r, 0, 8), random_range(&r, 0, 8)};
        boxes[i] = box_from_bounds(low, (tact_vec3){low.x + 1, low.y + 1, low.z + 1});
    }
    for (int frame = 0; frame < 300; ++frame) { /* all drift */
        for (int i = 0; i < N; ++i) {
            boxes[i] = nudged(&r, boxes[i], 0.05);
            assert_int_equal(tact_broad_move(b, ids[i], &boxes[i]), TACT_OK);
        }
        assert_int_equal(tact_broad_update(b, NULL), TACT_OK);
    }
    assert_int_equal(tact_broad_active_engine(b), BROAD_TREE);
    assert_int_equal(tact_broad_get_engine(b), BROAD_AUTO);
    assert_int_equal(b->counters.switches, 2);
    if (!tact_broad_check(b, &why))
        fail_msg("%s", why);
    tact_broad_release(b);
}

/* Queries are linear in the sweep: BROAD_AUTO uses the tree for large worlds, even if the sweep had little to do. */
static void auto_keeps_the_tree_for_many(void **state)
{
    (void)state;
    enum { N = 5000, FAST = 30 };
    broad *b;
    box *boxes = malloc(N * sizeof *boxes);
    uint32_t *ids = malloc(N * sizeof *ids);
    assert_true(boxes != NULL && ids != NULL);
    random_source r = random_seed(6);
    for (int i = 0; i < N; ++i) {
        tact_vec3 low = {random_range(&r, 0, 1e4), random_range(&r, 0, 1e4), random_range(&r, 0, 1e4)};
        boxes[i] = box_from_bounds(low, (tact_vec3){low.x + 0.1, low.y + 0.1, low.z + 0.1});
    }
    assert_int_equal(tact_broad_create(NULL, BROAD_AUTO, &b), TACT_OK);
    assert_int_equal(tact_broad_insert_many(b, N, boxes, NULL, ids), TACT_OK);
    for (int frame = 0; frame < 200; ++frame) {
        for (int i = 0; i < FAST; ++i) {
            boxes[i] = nudged(&r, boxes[i], 0.5);
            assert_int_equal(tact_broad_move(b, ids[i], &boxes[i]), TACT_OK);
        }
        assert_int_equal(tact_broad_update(b, NULL), TACT_OK);
        assert_int_equal(tact_broad_active_engine(b), BROAD_TREE);
    }
    tact_broad_release(b);
    free(boxes);
    free(ids);
}

/* Zero and minus zero are equal bounds, also for moving boxes. */
static void zeros_touch_whatever_their_sign(void **state)
{
    (void)state;
    for (int w = 0; w < 8; ++w) {
        float left = w & 2 ? -0.0f : 0.0f, right = w & 4 ? -0.0f : 0.0f;
        box one = {{-1, 0, 0}, {left, 1, 1}}, other = {{2, 0, 0}, {3, 1, 1}}, beside = {{right, 0, 0}, {1, 1, 1}};
        broad *b;
        uint32_t ids[2];
        broad_changes changes;
        assert_int_equal(tact_broad_create(NULL, w & 1 ? BROAD_TREE : BROAD_SWEEP, &b), TACT_OK);
        assert_int_equal(tact_broad_insert(b, &one, BROAD_FILTER_ALL, &ids[0]), TACT_OK);
        assert_int_equal(tact_broad_insert(b, &other, BROAD_FILTER_ALL, &ids[1]), TACT_OK);
        assert_int_equal(tact_broad_update(b, NULL), TACT_OK);
        assert_int_equal(tact_broad_move(b, ids[1], &beside), TACT_OK);
        assert_int_equal(tact_broad_update(b, &changes), TACT_OK);
        assert_int_equal(changes.began_count, 1);
        tact_broad_release(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_engines_report_what_brute_force_reports),
        cmocka_unit_test(changes_that_a_failed_update_missed_are_reported_next),
        cmocka_unit_test(a_pair_that_parted_unseen_has_not_ended),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(engines_agree_on_thousands),
        cmocka_unit_test(strange_boxes_are_boxes),
        cmocka_unit_test(trees_stay_shallow),
        cmocka_unit_test(many_come_at_once),
        cmocka_unit_test(a_steady_state_needs_no_memory),
        cmocka_unit_test(auto_takes_the_engine_that_suits),
        cmocka_unit_test(auto_keeps_the_tree_for_many),
        cmocka_unit_test(zeros_touch_whatever_their_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
