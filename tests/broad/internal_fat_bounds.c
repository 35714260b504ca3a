/* Fat bounds and their neighbours against a brute-force table of all pairs. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "broad/fat_bounds.h"
#include "oracle/broad_check.h"
#include "oracle/dice.h"
#include "support/failing_allocator.h"
#include "support/seeded_cases.h"

enum { MOST = 160, FEW = 48, WORDS = 1 << 16 };

/* The model. The data of a pair is stored at [smaller item][larger item]. */
typedef struct model {
    bool there[MOST];
    fat_bound bounds[MOST];
    broad_filter filters[MOST];
    uint32_t data[MOST][MOST]; /* 0: none */
    uint8_t dropped[WORDS];    /* how often on_remove was called with each */
    uint32_t given;            /* data values set so far: 1, 2, ... */
} model;

static void on_remove(void *context, uint32_t word)
{
    model *m = context;
    assert_true(word > 0 && word <= m->given);
    ++m->dropped[word];
}

static bool meet(const model *m, uint32_t i, uint32_t j)
{
    const fat_bound *a = &m->bounds[i], *b = &m->bounds[j];
    const double x = (double)a->sphere.centre[0] - (double)b->sphere.centre[0];
    const double y = (double)a->sphere.centre[1] - (double)b->sphere.centre[1];
    const double z = (double)a->sphere.centre[2] - (double)b->sphere.centre[2];
    bool over = i != j && m->there[i] && m->there[j];
    if (over && a->sphere.radius >= 0.0f && b->sphere.radius >= 0.0f)
        over = x * x + y * y + z * z <= ((double)a->sphere.radius + (double)b->sphere.radius) *
                                            ((double)a->sphere.radius + (double)b->sphere.radius);
    else
        for (int k = 0; k < 3; ++k)
            over = over && a->box.min[k] <= b->box.max[k] && b->box.min[k] <= a->box.max[k];
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

/* Coordinates and radii are multiples of 1/8: all computations above are exact. One in sixteen is far away or large. */
static fat_bound random_ball(dice *d)
{
    grid_sphere sphere;
    const int far = dice_pick(d, 16) == 0 ? 50 : 1;
    for (int k = 0; k < 3; ++k)
        sphere.centre[k] = (float)(far * dice_pick(d, 128)) / 8.0f;
    sphere.radius = (float)(dice_pick(d, 16) == 0 ? 40 : 4 + dice_pick(d, 10)) / 8.0f;
    return fat_bound_of_sphere(sphere);
}

static broad_filter random_filter(dice *d)
{
    if (dice_pick(d, 2) == 0)
        return (broad_filter){~(uint64_t)0, ~(uint64_t)0};
    return (broad_filter){(uint64_t)1 << dice_pick(d, 3), dice_bits(d) & 7};
}

/* Records the data of removed pairs. */
static void end_pairs(model *m, uint64_t seed)
{
    for (uint32_t i = 0; i < MOST; ++i)
        for (uint32_t j = i + 1; j < MOST; ++j)
            if (m->data[i][j] != 0 && !meet(m, i, j)) {
                CHECK(m->dropped[m->data[i][j]] == 1, "word of %u %u dropped %d times", i, j,
                      m->dropped[m->data[i][j]]);
                m->data[i][j] = 0;
            }
}

static void check_all(const fat_bounds *s, const model *m, uint32_t count, uint64_t seed)
{
    CHECK(tact_fat_bounds_check(s), "the validator");
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t wanted = 0;
        bool seen[MOST] = {false};
        const neighbour_span n = neighbours_of(s->neighbours, i);
        CHECK(fat_bounds_has(s, i) == m->there[i], "%u", i);
        for (uint32_t j = 0; j < count; ++j) {
            wanted += meet(m, i, j);
            CHECK(i == j || meet(m, i, j) || tact_neighbours_find(s->neighbours, i, j) == NEIGHBOUR_NONE, "%u %u", i,
                  j);
        }
        CHECK(n.count == wanted, "%u has %u neighbours, not %u", i, n.count, wanted);
        for (uint32_t k = 0; k < n.count; ++k) {
            const uint32_t j = n.items[k].index, low = i < j ? i : j, high = i < j ? j : i;
            CHECK(meet(m, i, j) && !seen[j], "%u %u", i, j);
            CHECK(tact_neighbours_find(s->neighbours, i, j) == k, "%u %u", i, j);
            seen[j] = true;
            CHECK(n.items[k].data == (m->data[low][high] == 0 ? NEIGHBOUR_NONE : m->data[low][high]), "%u %u", i, j);
            CHECK(m->data[low][high] == 0 || m->dropped[m->data[low][high]] == 0, "%u %u", i, j);
        }
    }
}

static void give_words(fat_bounds *s, model *m, dice *d, uint32_t i)
{
    const neighbour_span n = neighbours_of(s->neighbours, i);
    for (uint32_t k = 0; k < n.count; ++k) {
        const uint32_t j = n.items[k].index;
        if (n.items[k].data != NEIGHBOUR_NONE || dice_pick(d, 2) == 0 || m->given + 1 >= WORDS)
            continue;
        neighbours_set_data(s->neighbours, &n.items[k], ++m->given);
        m->data[i < j ? i : j][i < j ? j : i] = m->given;
    }
}

static void are_all_pairs_with_their_words(void **state)
{
    (void)state;
    long failed = 0, put = 0, removed = 0, pairs = 0, data = 0, laid = 0, strays = 0, in = 0;
    static model m;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(16, 1200); ++seed) {
        dice d = dice_for(seed, 2, 0);
        failing_allocator r = {0};
        const tact_allocator allocator = failing_allocator_make(&r);
        m = (model){.given = 0};
        neighbours near = tact_neighbours_empty();
        fat_bounds s = tact_fat_bounds_empty(&near);
        near.on_remove = on_remove;
        near.context = &m;
        uint32_t count = 0;
        /* three kinds: boxes; spheres and boxes; many spheres and few boxes, which get a grid */
        const bool starving = seed % 2 == 0, many = seed % 4 >= 2;
        const uint32_t most = many ? MOST : FEW;
        const int part = many ? 32 : seed % 3 == 0 ? 1 : 2;
        double limit = 0.0;
        for (int i = 0; i < (many ? 1200 : 400); ++i) {
            if (count < most && dice_pick(&d, 4) == 0) {
                const uint32_t more = count + 1 + (uint32_t)dice_pick(&d, 4), all = more < most ? more : most;
                r.every = starving ? 2 + dice_pick(&d, 3) : 0;
                if (tact_fat_bounds_reserve(&s, &allocator, all))
                    count = all;
                r.every = 0;
            }
            if (count == 0)
                continue;
            const uint32_t who = (uint32_t)dice_pick(&d, (int)count);
            if (m.there[who] && dice_pick(&d, 4) == 0) {
                tact_fat_bounds_remove(&s, who);
                m.there[who] = false;
                ++removed;
            } else {
                const fat_bound b = dice_pick(&d, part) == 0 ? fat_bound_of_box(random_box(&d)) : random_ball(&d);
                const broad_filter filter = m.there[who] && dice_pick(&d, 4) > 0 ? m.filters[who] : random_filter(&d);
                r.every = starving ? 1 + dice_pick(&d, 3) : 0;
                const tact_status status = tact_fat_bounds_set(&s, &allocator, who, &b, filter);
                r.every = 0;
                failed += status != TACT_OK;
                CHECK(status == TACT_OK || (status == TACT_OUT_OF_MEMORY && starving), "%d", (int)status);
                if (status == TACT_OK) {
                    m.there[who] = true;
                    m.bounds[who] = b;
                    m.filters[who] = filter;
                    ++put;
                }
            }
            end_pairs(&m, seed);
            if (!many || i % 16 == 0)
                check_all(&s, &m, count, seed);
            laid += (double)s.grid.max_radius != limit;
            limit = (double)s.grid.max_radius;
            in += sphere_grid_has(&s.grid, who);
            strays += s.grid.count > 0 && m.there[who] && m.bounds[who].sphere.radius >= 0.0f &&
                      !sphere_grid_has(&s.grid, who);
            give_words(&s, &m, &d, who);
            pairs += neighbours_of(&near, who).count;
        }
        data += m.given;
        for (uint32_t i = 0; i < count; ++i)
            if (m.there[i])
                tact_fat_bounds_remove(&s, i);
        for (uint32_t w = 1; w <= m.given; ++w)
            CHECK(m.dropped[w] == 1, "word %u dropped %d times", w, m.dropped[w]);
        tact_fat_bounds_release(&s, &allocator);
        tact_neighbours_release(&near, &allocator);
        CHECK(r.held == 0, "%zu bytes are left", r.held);
    }
    if (!few_cases())
        assert_true(failed > 20 && put > 2000 && removed > 400 && pairs > 2000 && data > 1200 && laid > 6 &&
                    in > 1200 && strays > 120);
}

/* A wall with thousands of neighbours that are added, removed and added again: its list is reallocated many times. */
static void a_wall_among(int round)
{
    enum { SPHERES = 5000 };
    failing_allocator r = {0};
    const tact_allocator allocator = failing_allocator_make(&r);
    neighbours near = tact_neighbours_empty();
    fat_bounds s = tact_fat_bounds_empty(&near);
    model m = {.given = 0};
    near.on_remove = on_remove;
    near.context = &m;
    const broad_filter all = {~(uint64_t)0, ~(uint64_t)0};
    assert_true(tact_fat_bounds_reserve(&s, &allocator, SPHERES + 2));
    const fat_bound wall = fat_bound_of_box((box){{0.0f, 0.0f, 0.0f}, {3.0f * SPHERES, 1.0f, 1.0f}});
    const fat_bound away = fat_bound_of_box((box){{0.0f, 9.0f, 9.0f}, {1.0f, 9.0f, 9.0f}});
    assert_int_equal(tact_fat_bounds_set(&s, &allocator, SPHERES, &wall, all), TACT_OK);
    for (uint32_t i = 0; i < SPHERES; ++i) {
        const float x = 3.0f * (float)i;
        const fat_bound b = round == 0 ? fat_bound_of_box((box){{x, 0.5f, 0.5f}, {x + 1.0f, 0.75f, 0.75f}})
                                       : fat_bound_of_sphere((grid_sphere){{x + 0.5f, 0.5f, 0.5f}, 0.5f});
        assert_int_equal(tact_fat_bounds_set(&s, &allocator, i, &b, all), TACT_OK);
        assert_int_equal(neighbours_of(&near, SPHERES).count, i + 1);
        assert_int_equal(neighbours_of(&near, i).count, 1);
    }
    /* a second wall, at once */
    assert_int_equal(tact_fat_bounds_set(&s, &allocator, SPHERES + 1, &wall, all), TACT_OK);
    assert_int_equal(neighbours_of(&near, SPHERES + 1).count, SPHERES + 1);
    assert_int_equal(tact_fat_bounds_set(&s, &allocator, SPHERES, &away, all), TACT_OK);
    assert_int_equal(neighbours_of(&near, SPHERES).count, 0);
    assert_int_equal(neighbours_of(&near, SPHERES + 1).count, SPHERES);
    const size_t held = r.held;
    for (int i = 0; i < 4; ++i) { /* blocks are reused */
        assert_int_equal(tact_fat_bounds_set(&s, &allocator, SPHERES, &wall, all), TACT_OK);
        assert_int_equal(neighbours_of(&near, SPHERES).count, SPHERES + 1);
        tact_fat_bounds_remove(&s, SPHERES);
        assert_int_equal(neighbours_of(&near, SPHERES + 1).count, SPHERES);
    }
    assert_int_equal(r.held, held);
    for (uint32_t i = 0; i < SPHERES; i += 2)
        tact_fat_bounds_remove(&s, i);
    assert_int_equal(neighbours_of(&near, SPHERES + 1).count, SPHERES / 2);
    assert_true(tact_fat_bounds_check(&s));
    tact_fat_bounds_release(&s, &allocator);
    tact_neighbours_release(&near, &allocator);
    assert_int_equal(r.held, 0);
}

static void a_wall_has_thousands_of_neighbours(void **state)
{
    (void)state;
    a_wall_among(0); /* boxes */
    a_wall_among(1); /* spheres: most are in a grid */
}

/* Spheres at one position; spheres that move out of the region of the grid, or change their size, after its layout. */
static void no_balls_upset_the_grid(void **state)
{
    (void)state;
    enum { SPHERES = 2000 };
    const broad_filter all = {~(uint64_t)0, ~(uint64_t)0};
    for (int kind = 0; kind < 4; ++kind) {
        failing_allocator r = {0};
        const tact_allocator allocator = failing_allocator_make(&r);
        neighbours near = tact_neighbours_empty();
        fat_bounds s = tact_fat_bounds_empty(&near);
        dice d = dice_for(7, 2, (uint64_t)kind);
        assert_true(tact_fat_bounds_reserve(&s, &allocator, SPHERES));
        for (uint32_t i = 0; i < 8 * SPHERES; ++i) {
            const float far = kind == 1 && i % SPHERES == 0 ? 1e6f : kind == 2 && i >= 4 * SPHERES ? 1e4f : 0.0f;
            const float size = kind == 3 ? (float)(1 << i / (2 * SPHERES)) : 1.0f;
            const float spread = kind == 0 && i < SPHERES ? 0.25f : 20.0f; /* all in one cell, then not */
            grid_sphere sphere = {.radius = size * (kind == 0 && i < SPHERES ? 1e-3f : 0.7f)};
            for (int k = 0; k < 3; ++k)
                sphere.centre[k] = far + size * spread * (float)dice_unit(&d);
            const fat_bound form = fat_bound_of_sphere(sphere);
            assert_int_equal(tact_fat_bounds_set(&s, &allocator, i % SPHERES, &form, all), TACT_OK);
        }
        assert_true(tact_fat_bounds_check(&s));
        /* at the end most of them are in a grid for their current size */
        if (!(s.grid.count > SPHERES * 3 / 4))
            fail_msg("kind %d: %zu balls in the grid, limit %g", kind, s.grid.count, (double)s.grid.max_radius);
        for (uint32_t i = 0; i < SPHERES; ++i)
            tact_fat_bounds_remove(&s, i);
        assert_int_equal(s.grid.count + s.tree.count + s.sphere_count, 0);
        tact_fat_bounds_release(&s, &allocator);
        tact_neighbours_release(&near, &allocator);
        assert_int_equal(r.held, 0);
    }
}

/* Every allocation fails once; a failed call changes nothing. */
static void no_memory_changes_nothing(void **state)
{
    (void)state;
    const broad_filter all = {~(uint64_t)0, ~(uint64_t)0};
    long failed = 0;
    for (long at = 1; at <= 40; ++at) {
        failing_allocator r = {.fail_at = at};
        const tact_allocator allocator = failing_allocator_make(&r);
        neighbours near = tact_neighbours_empty();
        fat_bounds s = tact_fat_bounds_empty(&near);
        model m = {.given = 0};
        near.on_remove = on_remove;
        near.context = &m;
        while (!tact_fat_bounds_reserve(&s, &allocator, 40))
            ++failed;
        for (uint32_t i = 0; i < 40; ++i) {
            const fat_bound b = fat_bound_of_box((box){{0.0f, 0.0f, 0.0f}, {1.0f + (float)i, 1.0f, 1.0f}});
            size_t pairs = 0;
            for (uint32_t k = 0; k < 40; ++k)
                pairs += neighbours_of(&near, k).count;
            assert_int_equal(pairs, i * (i - 1) * (i > 0));
            if (tact_fat_bounds_set(&s, &allocator, i, &b, all) == TACT_OK)
                continue;
            ++failed;
            assert_true(tact_fat_bounds_check(&s));
            assert_false(fat_bounds_has(&s, i));
            --i; /* again */
        }
        assert_true(tact_fat_bounds_check(&s));
        tact_fat_bounds_release(&s, &allocator);
        tact_neighbours_release(&near, &allocator);
        assert_int_equal(r.held, 0);
    }
    assert_true(failed > 8);
}

/* Numbers beyond the range of floats are rejected before their conversion (undefined in C, an overflow in hardware). */
static void what_no_float_holds_is_no_ball(void **state)
{
    (void)state;
    const float at[3] = {1.0f, 2.0f, 3.0f}, away[3] = {1.0f, 2.0f, 1e30f};
    volatile double radius = 1.0;
    grid_sphere sphere = {.radius = 7.0f};
    (void)feclearexcept(FE_ALL_EXCEPT);
    assert_true(grid_sphere_make(at, radius, &sphere) && sphere.radius >= 1.0f &&
                !grid_sphere_make(away, radius, &sphere));
    sphere.radius = 7.0f;
    for (int i = 0; i < 6; ++i) {
        static const double reaches[] = {1e16, 1e39, 1e300, 1e-16, 1e-50, 0.0};
        radius = reaches[i];
        assert_false(grid_sphere_make(at, radius, &sphere));
    }
    assert_true(sphere.radius == 7.0f && !grid_coordinate_fits(1e300) && !grid_coordinate_fits(-1e16) &&
                grid_coordinate_fits(-1e14));
    assert_false(fetestexcept(FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_all_pairs_with_their_words), cmocka_unit_test(a_wall_has_thousands_of_neighbours),
        cmocka_unit_test(no_balls_upset_the_grid),        cmocka_unit_test(no_memory_changes_nothing),
        cmocka_unit_test(what_no_float_holds_is_no_ball),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
