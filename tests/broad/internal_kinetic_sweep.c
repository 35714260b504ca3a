/*
 * Kinetic sweep and prune against brute force at many times, in long double: the reported pairs are those that overlap,
 * except boxes within rounding error of touching. Boxes are inserted and removed, change their motion and filter, jump
 * and grow; their bounds are quadratic in time; many events happen at the same time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "broad/kinetic_sweep.h"
#include "oracle/broad_check.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"

#define MOST 40

typedef struct model {
    kinetic_box boxes[MOST];
    broad_filter filters[MOST];
    bool alive[MOST];
    bool pair[MOST][MOST];
    size_t began, ended;
    bool wrong; /* reported twice */
} model;

static void began(void *context, uint32_t one, uint32_t other)
{
    model *m = context;
    m->wrong |= one == other || m->pair[one][other];
    m->pair[one][other] = m->pair[other][one] = true;
    ++m->began;
}

static void ended(void *context, uint32_t one, uint32_t other)
{
    model *m = context;
    m->wrong |= !m->pair[one][other];
    m->pair[one][other] = m->pair[other][one] = false;
    ++m->ended;
}

/* Makes all swaps up to `time`, which is not in the past, and sets the time. */
static void advance_to(kinetic_sweep *s, double time)
{
    while (tact_kinetic_sweep_next(s) <= time)
        tact_kinetic_sweep_step(s);
    s->time = time;
}

static long double value(const kinetic_box *b, int axis, int side, long double time)
{
    const kinetic_endpoint *e = &b->endpoints[axis][side];
    const long double t = time - b->since;
    return e->x + t * (e->v + t * e->a / 2);
}

/* The largest gap along an axis: negative if they overlap. */
static long double gap(const kinetic_box *a, const kinetic_box *b, long double time)
{
    long double most = -INFINITY;
    for (int axis = 0; axis < 3; ++axis) {
        const long double one = value(b, axis, 0, time) - value(a, axis, 1, time);
        const long double other = value(a, axis, 0, time) - value(b, axis, 1, time);
        most = fmaxl(most, fmaxl(one, other));
    }
    return most;
}

typedef enum scene { DRIFTING, FALLING, GRID, SCENES } scene;

static double pick(random_source *r, double most) { return random_range(r, -most, most); }

static kinetic_box random_box(random_source *r, scene kind, double now)
{
    kinetic_box b = {.since = now};
    for (int axis = 0; axis < 3; ++axis) {
        double x = pick(r, 4.0), half = random_range(r, 0.0, 1.0), v = pick(r, 1.0);
        double a = kind == FALLING ? pick(r, 0.5) : 0.0;
        if (kind == GRID) { /* everything happens at once */
            x = round(x);
            half = 0.5;
            v = round(v);
        }
        const double apart = kind == FALLING ? random_range(r, 0.0, 0.2) : 0.0;
        b.endpoints[axis][0] = (kinetic_endpoint){x - half, v - apart, a - apart};
        b.endpoints[axis][1] = (kinetic_endpoint){x + half, v + apart, a + apart};
    }
    return b;
}

static broad_filter random_filter(random_source *r)
{
    if (random_below(r, 4) != 0)
        return BROAD_FILTER_ALL;
    return (broad_filter){1u << random_below(r, 2), 1u << random_below(r, 2)};
}

static bool allowed(const model *m, int i, int j)
{
    return (m->filters[i].category & m->filters[j].mask) && (m->filters[j].category & m->filters[i].mask);
}

typedef struct counts {
    size_t compared, pairs, close, jumps, changes, removed, inserted, refiltered, instants, begun, parted;
} counts;

#define CLOSE 1e-9 /* length: overlaps within this of touching are not compared */

static void compare(const model *m, const kinetic_sweep *s, double now, uint64_t seed, counts *c)
{
    CHECK(!m->wrong, "a pair was reported twice");
    CHECK(tact_kinetic_sweep_check(s, CLOSE), "the lists are not in order at %g", now);
    for (int i = 0; i < MOST; ++i)
        for (int j = 0; j < i; ++j) {
            if (!m->alive[i] || !m->alive[j] || !allowed(m, i, j)) {
                CHECK(!m->pair[i][j], "%d and %d cannot be a pair", i, j);
                continue;
            }
            CHECK(m->pair[i][j] == tact_kinetic_sweep_overlap(s, (uint32_t)i, (uint32_t)j),
                  "what was reported is not the case");
            const long double g = gap(&m->boxes[i], &m->boxes[j], now);
            if (fabsl(g) < CLOSE) {
                ++c->close;
                continue;
            }
            CHECK(m->pair[i][j] == (g < 0), "%d and %d: gap %Lg at %.17g", i, j, g, now);
            ++c->compared;
            c->pairs += g < 0;
        }
}

/* Two that overlap do so until the returned time, and not beyond. */
static void compare_parting(const model *m, const kinetic_sweep *s, double now, uint64_t seed, counts *c)
{
    for (int i = 0; i < MOST; ++i)
        for (int j = 0; j < i; ++j) {
            if (!m->pair[i][j] || gap(&m->boxes[i], &m->boxes[j], now) > -CLOSE)
                continue;
            const double after = tact_kinetic_sweep_overlap_duration(s, (uint32_t)i, (uint32_t)j, now);
            const double last = after < 100.0 ? after : 100.0;
            for (int k = 1; k < 8; ++k)
                CHECK(gap(&m->boxes[i], &m->boxes[j], now + last * k / 8) < CLOSE, "apart before %g", after);
            if (after < 100.0) {
                CHECK(fabsl(gap(&m->boxes[i], &m->boxes[j], now + after)) < CLOSE, "not apart after %g", after);
                ++c->parted;
            }
        }
}

static void run(uint64_t seed, counts *c)
{
    random_source r = random_seed(seed);
    const scene kind = (scene)(seed % SCENES);
    model m;
    memset(&m, 0, sizeof m);
    kinetic_sweep s = {.began = began, .ended = ended, .context = &m};
    const tact_allocator allocator = {0};
    assert_true(tact_kinetic_sweep_reserve(&s, &allocator, MOST));
    double now = 0.0;
    for (int turn = 0; turn < 60; ++turn) {
        const uint32_t i = (uint32_t)random_below(&r, MOST);
        const uint64_t what = random_below(&r, 10);
        if (turn == 0 || what < 2) {
            uint32_t numbers[MOST];
            size_t count = 0;
            for (uint32_t k = 0; k < MOST; ++k)
                if (!m.alive[k] && random_below(&r, 2) == 0) {
                    numbers[count] = k;
                    m.boxes[k] = s.boxes.items[k] = random_box(&r, kind, now);
                    m.filters[k] = s.filters.items[k] = random_filter(&r);
                    m.alive[k] = true;
                    ++count;
                }
            tact_kinetic_sweep_insert(&s, numbers, count);
            tact_kinetic_sweep_report(&s, numbers, count);
            c->inserted += count;
        } else if (what < 4 && m.alive[i]) {
            m.boxes[i] = random_box(&r, kind, now);
            tact_kinetic_sweep_set_box(&s, i, &m.boxes[i]);
            ++c->jumps;
        } else if (what < 6 && m.alive[i]) { /* another motion from where it is */
            kinetic_box b = random_box(&r, kind, now);
            for (int axis = 0; axis < 3; ++axis)
                for (int side = 0; side < 2; ++side)
                    b.endpoints[axis][side].x = (double)value(&m.boxes[i], axis, side, now);
            m.boxes[i] = b;
            tact_kinetic_sweep_set_box(&s, i, &b);
            ++c->changes;
        } else if (what == 6 && m.alive[i]) {
            tact_kinetic_sweep_remove(&s, i);
            m.alive[i] = false;
            ++c->removed;
        } else if (what == 7 && m.alive[i]) {
            m.filters[i] = random_filter(&r);
            tact_kinetic_sweep_set_filter(&s, i, m.filters[i]);
            ++c->refiltered;
        }
        compare(&m, &s, now, seed, c);
        const double next = tact_kinetic_sweep_next(&s);
        CHECK(next >= now, "an event in the past");
        if (kind == GRID && next < now + 2.0) { /* stop in the very instant */
            now = next;
            ++c->instants;
        } else {
            now += random_range(&r, 0.0, 0.3);
        }
        for (uint32_t one, other; turn % 2 == 0 && tact_kinetic_sweep_next(&s) <= now;) {
            const size_t begun = m.began;
            const bool begins = tact_kinetic_sweep_next_begins(&s, &one, &other);
            CHECK(!begins || !m.pair[one][other], "%u and %u are a pair already", one, other);
            tact_kinetic_sweep_step(&s);
            CHECK(m.began == begun + begins && (!begins || m.pair[one][other]), "another pair begins than was said");
            c->begun += begins;
        }
        advance_to(&s, now);
        compare(&m, &s, now, seed, c);
        compare_parting(&m, &s, now, seed, c);
    }
    tact_kinetic_sweep_clear(&s);
    CHECK(tact_kinetic_sweep_next(&s) == INFINITY && tact_kinetic_sweep_check(&s, 0.0), "something is left");
    tact_kinetic_sweep_release(&s, &allocator);
}

static void test_random(void **state)
{
    (void)state;
    counts c = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(60, 9000); seed++)
        run(seed, &c);
    if (few_cases())
        return;
    assert_true(c.pairs > 2000 && c.compared > 100000);
    assert_true(c.jumps > 200 && c.changes > 200 && c.removed > 100 && c.refiltered > 100 && c.inserted > 1000);
    assert_true(c.instants > 100 && c.close > 20 && c.begun > 1000 && c.parted > 1000);
}

/* A quadratic with two roots: the boxes overlap between them, and the events are in order. */
static void test_two_roots(void **state)
{
    (void)state;
    model m;
    memset(&m, 0, sizeof m);
    kinetic_sweep s = {.began = began, .ended = ended, .context = &m};
    const tact_allocator allocator = {0};
    assert_true(tact_kinetic_sweep_reserve(&s, &allocator, 2));
    kinetic_box boxes[2] = {{.since = 0.0}, {.since = 0.0}};
    for (int axis = 0; axis < 3; ++axis)
        for (int side = 0; side < 2; ++side)
            boxes[0].endpoints[axis][side].x = boxes[1].endpoints[axis][side].x = side;
    for (int side = 0; side < 2; ++side) /* 3 + side - 3 t + t^2 / 2: below 1 from t = 3 - sqrt 5 to 3 + sqrt 5 */
        boxes[1].endpoints[0][side] = (kinetic_endpoint){3.0 + side, -3.0, 1.0};
    const uint32_t numbers[2] = {0, 1};
    for (int i = 0; i < 2; ++i) {
        s.boxes.items[i] = boxes[i];
        s.filters.items[i] = BROAD_FILTER_ALL;
    }
    tact_kinetic_sweep_insert(&s, numbers, 2);
    tact_kinetic_sweep_report(&s, numbers, 2);
    advance_to(&s, 3.0 - sqrt(5.0) - 1e-9);
    assert_false(m.pair[0][1]);
    advance_to(&s, 3.0 - sqrt(5.0) + 1e-9);
    assert_true(m.pair[0][1]);
    advance_to(&s, 100.0);
    assert_false(m.pair[0][1]);
    assert_int_equal(m.began, m.ended);
    assert_true(tact_kinetic_sweep_next(&s) == INFINITY);
    tact_kinetic_sweep_release(&s, &allocator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_two_roots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
