/* Shells against all pairs, kept here in a table. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "broad/shells.h"
#include "failing_allocator.h"
#include "oracle/dice.h"
#include "seeded_cases.h"

enum { MOST = 64, WORDS = 1 << 16 };

/* What should be. A pair's word is kept by the smaller number first. */
typedef struct model {
    bool there[MOST];
    box boxes[MOST];
    broad_filter filters[MOST];
    uint32_t words[MOST][MOST]; /* 0: none */
    uint8_t dropped[WORDS];     /* how often each word was */
    uint32_t given;             /* words given out so far; they are 1, 2, ... */
} model;

static void note_drop(void *context, uint32_t word)
{
    model *m = context;
    assert_true(word > 0 && word <= m->given);
    ++m->dropped[word];
}

static bool meet(const model *m, uint32_t i, uint32_t j)
{
    const box *a = &m->boxes[i], *b = &m->boxes[j];
    bool over = i != j && m->there[i] && m->there[j];
    for (int k = 0; k < 3; ++k)
        over = over && a->min[k] <= b->max[k] && b->min[k] <= a->max[k];
    return over && (m->filters[i].category & m->filters[j].mask) != 0 &&
           (m->filters[j].category & m->filters[i].mask) != 0;
}

static box random_box(dice *d)
{
    box b;
    for (int k = 0; k < 3; ++k) {
        const float at = (float)dice_pick(d, 16), size = (float)(dice_pick(d, 8) == 0 ? 12 : dice_pick(d, 4));
        b.min[k] = at;
        b.max[k] = at + size;
    }
    return b;
}

static broad_filter random_filter(dice *d)
{
    if (dice_pick(d, 2) == 0)
        return (broad_filter){~(uint64_t)0, ~(uint64_t)0};
    return (broad_filter){(uint64_t)1 << dice_pick(d, 3), dice_bits(d) & 7};
}

/* Pairs that have ended give their words back. */
static void end_pairs(model *m, uint64_t seed)
{
    for (uint32_t i = 0; i < MOST; ++i)
        for (uint32_t j = i + 1; j < MOST; ++j)
            if (m->words[i][j] != 0 && !meet(m, i, j)) {
                CHECK(m->dropped[m->words[i][j]] == 1, "word of %u %u dropped %d times", i, j,
                      m->dropped[m->words[i][j]]);
                m->words[i][j] = 0;
            }
}

static void check_all(const shells *s, const model *m, uint32_t count, uint64_t seed)
{
    CHECK(tact_shells_check(s), "the validator");
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t wanted = 0;
        bool seen[MOST] = {false};
        const neighbour_span n = neighbours_of(s->lists, i);
        CHECK(shells_has(s, i) == m->there[i], "%u", i);
        for (uint32_t j = 0; j < count; ++j) {
            wanted += meet(m, i, j);
            CHECK(i == j || meet(m, i, j) || tact_neighbours_find(s->lists, i, j) == NEIGHBOUR_NONE, "%u %u", i, j);
        }
        CHECK(n.count == wanted, "%u has %u neighbours, not %u", i, n.count, wanted);
        for (uint32_t k = 0; k < n.count; ++k) {
            const uint32_t j = n.items[k].number, low = i < j ? i : j, high = i < j ? j : i;
            CHECK(meet(m, i, j) && !seen[j], "%u %u", i, j);
            CHECK(tact_neighbours_find(s->lists, i, j) == k, "%u %u", i, j);
            seen[j] = true;
            CHECK(n.items[k].word == (m->words[low][high] == 0 ? NEIGHBOUR_NONE : m->words[low][high]), "%u %u", i, j);
            CHECK(m->words[low][high] == 0 || m->dropped[m->words[low][high]] == 0, "%u %u", i, j);
        }
    }
}

static void give_words(shells *s, model *m, dice *d, uint32_t i)
{
    const neighbour_span n = neighbours_of(s->lists, i);
    for (uint32_t k = 0; k < n.count; ++k) {
        const uint32_t j = n.items[k].number;
        if (n.items[k].word != NEIGHBOUR_NONE || dice_pick(d, 2) == 0 || m->given + 1 >= WORDS)
            continue;
        neighbours_set_word(s->lists, &n.items[k], ++m->given);
        m->words[i < j ? i : j][i < j ? j : i] = m->given;
    }
}

static void are_all_pairs_with_their_words(void **state)
{
    (void)state;
    long failed = 0, put = 0, removed = 0, pairs = 0, words = 0;
    static model m;
    for (uint64_t seed = first_seed(); seed <= last_seed(40); ++seed) {
        dice d = dice_for(seed, 2, 0);
        ration r = {0};
        const tact_allocator allocator = ration_allocator(&r);
        m = (model){.given = 0};
        neighbours near = tact_neighbours_empty();
        shells s = tact_shells_empty(&near);
        near.drop = note_drop;
        near.context = &m;
        uint32_t count = 0;
        const bool starving = seed % 2 == 0;
        for (int i = 0; i < 400; ++i) {
            if (count < MOST && dice_pick(&d, 4) == 0) {
                const uint32_t more = count + 1 + (uint32_t)dice_pick(&d, 4), all = more < MOST ? more : MOST;
                r.every = starving ? 2 + dice_pick(&d, 3) : 0;
                if (tact_shells_reserve(&s, &allocator, all))
                    count = all;
                r.every = 0;
            }
            if (count == 0)
                continue;
            const uint32_t who = (uint32_t)dice_pick(&d, (int)count);
            if (m.there[who] && dice_pick(&d, 4) == 0) {
                tact_shells_remove(&s, who);
                m.there[who] = false;
                ++removed;
            } else {
                const box b = random_box(&d);
                const broad_filter filter = m.there[who] && dice_pick(&d, 4) > 0 ? m.filters[who] : random_filter(&d);
                r.every = starving ? 1 + dice_pick(&d, 3) : 0;
                const tact_status status = tact_shells_put(&s, &allocator, who, &b, filter);
                r.every = 0;
                failed += status != TACT_OK;
                CHECK(status == TACT_OK || (status == TACT_OUT_OF_MEMORY && starving), "%d", (int)status);
                if (status == TACT_OK) {
                    m.there[who] = true;
                    m.boxes[who] = b;
                    m.filters[who] = filter;
                    ++put;
                }
            }
            end_pairs(&m, seed);
            check_all(&s, &m, count, seed);
            give_words(&s, &m, &d, who);
            pairs += neighbours_of(&near, who).count;
        }
        words += m.given;
        for (uint32_t i = 0; i < count; ++i)
            if (m.there[i])
                tact_shells_remove(&s, i);
        for (uint32_t w = 1; w <= m.given; ++w)
            CHECK(m.dropped[w] == 1, "word %u dropped %d times", w, m.dropped[w]);
        tact_shells_release(&s, &allocator);
        tact_neighbours_release(&near, &allocator);
        CHECK(r.held == 0, "%zu bytes are left", r.held);
    }
    if (!one_seed())
        assert_true(failed > 50 && put > 5000 && removed > 1000 && pairs > 5000 && words > 3000);
}

/* A wall with thousands of neighbours that come, go, and come again: its list is outgrown many times. */
static void a_wall_has_thousands_of_neighbours(void **state)
{
    (void)state;
    enum { BALLS = 5000 };
    ration r = {0};
    const tact_allocator allocator = ration_allocator(&r);
    neighbours near = tact_neighbours_empty();
    shells s = tact_shells_empty(&near);
    model m = {.given = 0};
    near.drop = note_drop;
    near.context = &m;
    const broad_filter all = {~(uint64_t)0, ~(uint64_t)0};
    assert_true(tact_shells_reserve(&s, &allocator, BALLS + 2));
    const box wall = {{0.0f, 0.0f, 0.0f}, {3.0f * BALLS, 1.0f, 1.0f}}, away = {{0.0f, 9.0f, 9.0f}, {1.0f, 9.0f, 9.0f}};
    assert_int_equal(tact_shells_put(&s, &allocator, BALLS, &wall, all), TACT_OK);
    for (uint32_t i = 0; i < BALLS; ++i) {
        const box b = {{3.0f * (float)i, 0.5f, 0.5f}, {3.0f * (float)i + 1.0f, 0.75f, 0.75f}};
        assert_int_equal(tact_shells_put(&s, &allocator, i, &b, all), TACT_OK);
        assert_int_equal(neighbours_of(&near, BALLS).count, i + 1);
        assert_int_equal(neighbours_of(&near, i).count, 1);
    }
    /* a second wall, at once */
    assert_int_equal(tact_shells_put(&s, &allocator, BALLS + 1, &wall, all), TACT_OK);
    assert_int_equal(neighbours_of(&near, BALLS + 1).count, BALLS + 1);
    assert_int_equal(tact_shells_put(&s, &allocator, BALLS, &away, all), TACT_OK);
    assert_int_equal(neighbours_of(&near, BALLS).count, 0);
    assert_int_equal(neighbours_of(&near, BALLS + 1).count, BALLS);
    const size_t held = r.held;
    for (int i = 0; i < 4; ++i) { /* rooms are used again */
        assert_int_equal(tact_shells_put(&s, &allocator, BALLS, &wall, all), TACT_OK);
        assert_int_equal(neighbours_of(&near, BALLS).count, BALLS + 1);
        tact_shells_remove(&s, BALLS);
        assert_int_equal(neighbours_of(&near, BALLS + 1).count, BALLS);
    }
    assert_int_equal(r.held, held);
    for (uint32_t i = 0; i < BALLS; i += 2)
        tact_shells_remove(&s, i);
    assert_int_equal(neighbours_of(&near, BALLS + 1).count, BALLS / 2);
    assert_true(tact_shells_check(&s));
    tact_shells_release(&s, &allocator);
    tact_neighbours_release(&near, &allocator);
    assert_int_equal(r.held, 0);
}

/* Every allocation on the way fails once; what is there then is what was there before. */
static void no_memory_changes_nothing(void **state)
{
    (void)state;
    const broad_filter all = {~(uint64_t)0, ~(uint64_t)0};
    long failed = 0;
    for (long at = 1; at <= 40; ++at) {
        ration r = {.fail_at = at};
        const tact_allocator allocator = ration_allocator(&r);
        neighbours near = tact_neighbours_empty();
        shells s = tact_shells_empty(&near);
        model m = {.given = 0};
        near.drop = note_drop;
        near.context = &m;
        while (!tact_shells_reserve(&s, &allocator, 40))
            ++failed;
        for (uint32_t i = 0; i < 40; ++i) {
            const box b = {{0.0f, 0.0f, 0.0f}, {1.0f + (float)i, 1.0f, 1.0f}};
            size_t pairs = 0;
            for (uint32_t k = 0; k < 40; ++k)
                pairs += neighbours_of(&near, k).count;
            assert_int_equal(pairs, i * (i - 1) * (i > 0));
            if (tact_shells_put(&s, &allocator, i, &b, all) == TACT_OK)
                continue;
            ++failed;
            assert_true(tact_shells_check(&s));
            assert_false(shells_has(&s, i));
            --i; /* again */
        }
        assert_true(tact_shells_check(&s));
        tact_shells_release(&s, &allocator);
        tact_neighbours_release(&near, &allocator);
        assert_int_equal(r.held, 0);
    }
    assert_true(failed > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_all_pairs_with_their_words),
        cmocka_unit_test(a_wall_has_thousands_of_neighbours),
        cmocka_unit_test(no_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
