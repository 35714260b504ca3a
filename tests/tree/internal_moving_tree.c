/*
 * Moving bounds and their trees. Bounds contain their points, and overlap windows contain all times at which the
 * extents of the points overlap, computed in long double. The SIMD form for four bounds agrees with the form for one. A
 * tree finds the same pairs as brute force over all bounds, each once, after full and partial refits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/avx2.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "tree/moving_tree.h"

/* ---- bounds ---- */

typedef struct motion {
    tact_vec3 start, end;
} motion;

/* Points around a centre, in several styles: near, far from the origin, tiny, huge, on a grid. */
static double coordinate(random_source *r, int style)
{
    switch (style) {
    case 0:
        return (double)random_between(r, -3, 3);
    case 1:
        return random_range(r, -1.0, 1.0);
    case 2:
        return -7e8 + random_range(r, -1.0, 1.0);
    case 3:
        return 1e-305 * random_range(r, -1.0, 1.0);
    default:
        return 1.7e308 * random_range(r, -1.0, 1.0);
    }
}

static motion make_motion(random_source *r, int style)
{
    motion m;
    double *x = &m.start.x;
    for (int k = 0; k < 3; k++)
        x[k] = coordinate(r, style);
    x = &m.end.x;
    for (int k = 0; k < 3; k++)
        x[k] = coordinate(r, style);
    if (random_chance(r, 0.2))
        m.end = m.start;
    return m;
}

/* The coordinate of a point along direction i at time t. Scaled, so that nothing overflows. */
static long double along(const motion *m, int i, long double t, long double scale)
{
    const long double s = 1.0L - t;
    const signed char *d = tact_moving_direction[i];
    return (s * m->start.x + t * m->end.x) * scale * d[0] + (s * m->start.y + t * m->end.y) * scale * d[1] +
           (s * m->start.z + t * m->end.z) * scale * d[2];
}

/* The largest gap between two sets of points over all directions, at time t, in the frame; negative if they overlap. */
static long double gap_at(const motion *a, int count_a, const motion *b, int count_b, long double t, long double scale)
{
    long double most = -INFINITY;
    for (int i = 0; i < MOVING_DIRECTIONS; i++) {
        long double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int k = 0; k < count_a + count_b; k++) {
            const int which = k >= count_a;
            const long double x = along(which ? &b[k - count_a] : &a[k], i, t, scale);
            low[which] = fminl(low[which], x);
            high[which] = fmaxl(high[which], x);
        }
        most = fmaxl(most, fmaxl(low[0] - high[1], low[1] - high[0]));
    }
    return most;
}

static moving_bound bound_of(const moving_point *p, int count)
{
    return count == 1   ? moving_bound_of_point(p)
           : count == 2 ? moving_bound_of_edge(p, p + 1)
                        : moving_bound_of_triangle(p, p + 1, p + 2);
}

static void put_lane(moving_bound4 *four, unsigned lane, const moving_bound *b)
{
    for (int i = 0; i < MOVING_DIRECTIONS; i++)
        for (int end = 0; end < 2; end++) {
            float f[8];
            _mm_storeu_ps(f, float8_low(b->extent[end][i / 4]));
            _mm_storeu_ps(f + 4, float8_high(b->extent[end][i / 4]));
            four->extent[i][end][0][lane] = f[i % 4];
            four->extent[i][end][1][lane] = f[4 + i % 4];
        }
}

/* Gaps smaller than this, in the frame, may be answered either way: rounding of floats and margins. */
#define BLUR 4e-6L

static void windows_contain_all_times_of_overlap(void **state)
{
    (void)state;
    long met = 0, parted = 0, narrowed = 0, cut = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(6000); seed++) {
        random_source r = random_seed(seed);
        const int style = (int)(seed % 5), count_a = random_between(&r, 1, 3), count_b = random_between(&r, 1, 3);
        const double thickness = random_chance(&r, 0.3) && style < 2 ? 0.1 * random_unit(&r) : 0.0;
        motion m[6];
        tact_vec3 start[6], end[6];
        for (int k = 0; k < 6; k++) {
            m[k] = make_motion(&r, style);
            if (k > 0 && k != count_a && style != 0) /* the others near the first of each set */
                for (int c = 0; c < 3; c++) {
                    const motion *first = &m[k < count_a ? 0 : count_a];
                    const double part = random_unit(&r) * 0.2;
                    (&m[k].start.x)[c] = (1.0 - part) * (&first->start.x)[c] + part * (&m[k].start.x)[c];
                    (&m[k].end.x)[c] = (1.0 - part) * (&first->end.x)[c] + part * (&m[k].end.x)[c];
                }
            start[k] = m[k].start;
            end[k] = m[k].end;
        }
        const moving_frame frame = tact_moving_frame_make(start, end, 6, thickness);
        moving_point p[6];
        for (int k = 0; k < 6; k++) {
            CHECK(tact_moving_frame_contains(&frame, start[k]) && tact_moving_frame_contains(&frame, end[k]),
                  "point %d", k);
            tact_moving_point_set(&p[k], &frame, start[k], end[k]);
        }
        const moving_bound a = bound_of(p, count_a), b = bound_of(p + count_a, count_b);
        float enter = 0.0f, exit = 1.0f, enter_b = 0.0f, exit_b = 1.0f;
        const bool meet = moving_bound_overlap_window(&a, &b, &enter, &exit);
        CHECK(moving_bound_overlap_window(&b, &a, &enter_b, &exit_b) == meet &&
                  (!meet || (enter == enter_b && exit == exit_b)),
              "not symmetric");
        narrowed += meet && (enter > 0.0f || exit < 1.0f);
        cut += meet && exit - enter < 0.2f;
        const long double reach = thickness * frame.scale;
        for (int i = 0; i <= 16; i++) {
            const long double t = i == 0 ? 0.0L : i == 16 ? 1.0L : (long double)random_unit(&r);
            const long double gap = gap_at(m, count_a, m + count_a, count_b, t, frame.scale);
            const bool within = meet && enter <= t && t <= exit;
            /* the thickness is exact along the axes only: diagonals are not normalised */
            CHECK(within || gap > reach - 1e-12L, "seed style %d: apart by %Lg at %.17Lg, window %d %g %g", style, gap,
                  t, meet, (double)enter, (double)exit);
            met += within;
        }
        /* and where the bounds themselves, linear in between, are clearly apart, they must not meet: at the ends they
         * are exact */
        for (int i = 0; i < 2; i++) {
            const long double gap = gap_at(m, count_a, m + count_a, count_b, i, frame.scale);
            const bool within = meet && (i == 0 ? enter <= 0.0f : exit >= 1.0f);
            CHECK(!within || gap < 2.0L * reach + BLUR, "touch at %d, %Lg apart", i, gap);
            parted += !within;
        }
        /* four bounds: one lane each */
        moving_bound4 four, other;
        for (unsigned k = 0; k < 4; k++) {
            put_lane(&four, k, k == seed % 4 ? &b : &a);
            put_lane(&other, k, k == seed / 4 % 4 ? &a : &b);
        }
        float enters[4], exits[4];
        const unsigned bits =
            moving_bound4_overlap_window(&four, 15, &other, (unsigned)(seed / 4 % 4), 0.0f, 1.0f, enters, exits);
        CHECK((bits >> seed % 4 & 1) == meet, "one by one %d, four %x", meet, bits);
        CHECK(!meet || (enters[seed % 4] == enter && exits[seed % 4] == exit), "window");
        const unsigned both = moving_bound4_overlap_pairs(&other, &four, 0xffff);
        CHECK(!meet || (both >> (4 * (seed / 4 % 4) + seed % 4) & 1) != 0, "overlap %x", both);
        CHECK((moving_bound4_overlap_pairs(&other, &four, 0x0ff0) & ~0x0ff0u) == 0, "unwanted");
    }
    print_message("%ld times within windows, %ld ends apart, %ld windows narrowed, %ld short\n", met, parted, narrowed,
                  cut);
    assert_true(few_cases() || (met > 4000 && parted > 2000 && narrowed > 400 && cut > 100));
}

/* ---- trees ---- */

#define MOST 400

typedef struct world {
    motion m[MOST];
    tact_vec3 start[MOST], end[MOST];
    uint32_t point_count, item_count;
    uint32_t corners[MOST][4], arranged[MOST][4], order[MOST], groups[MOST];
    moving_point points[MOST];
    moving_frame frame;
} world;

/* A strip, a fan, or a soup of triangles, with edges and vertices among them. */
static void make_world(world *w, uint64_t seed)
{
    random_source r = random_seed(seed);
    const int look = (int)(seed % 3), style = (int)(seed / 3 % 5);
    w->point_count = (uint32_t)random_between(&r, 3, MOST / 2);
    w->item_count = (uint32_t)random_between(&r, 1, MOST - 1);
    for (uint32_t i = 0; i < w->point_count; i++) {
        w->m[i] = make_motion(&r, style);
        if (style == 1) { /* along a line, so that not everything overlaps */
            w->m[i].start.x += 0.5 * i;
            w->m[i].end.x += 0.5 * i;
        }
        w->start[i] = w->m[i].start;
        w->end[i] = w->m[i].end;
    }
    for (uint32_t i = 0; i < w->item_count; i++) {
        const uint32_t n = w->point_count, first = i % n;
        for (uint32_t k = 0; k < 3; k++)
            w->corners[i][k] = look == 0   ? (first + k) % n
                               : look == 1 ? (k == 0 ? 0 : (first + k) % n)
                                           : (uint32_t)random_below(&r, n);
        if (random_chance(&r, 0.1))
            w->corners[i][2] = w->corners[i][1];
        w->corners[i][3] = i;
        w->groups[i] = (uint32_t)random_below(&r, 3);
    }
}

static void fit_points(world *w)
{
    w->frame = tact_moving_frame_make(w->start, w->end, w->point_count, 0.0);
    for (uint32_t i = 0; i < w->point_count; i++)
        tact_moving_point_set(&w->points[i], &w->frame, w->start[i], w->end[i]);
}

static tact_status make_tree(moving_tree *tree, world *w, bool groups, const tact_allocator *allocator)
{
    moving_tree_def def = {.item_points = (const uint32_t(*)[4])w->corners,
                           .item_count = w->item_count,
                           .point_count = w->point_count,
                           .points = w->start,
                           .groups = groups ? w->groups : NULL,
                           .order = w->order};
    if (allocator != NULL)
        def.allocator = *allocator;
    const tact_status status = tact_moving_tree_create(tree, &def);
    if (status != TACT_OK)
        return status;
    for (uint32_t i = 0; i < w->item_count; i++)
        memcpy(w->arranged[i], w->corners[w->order[i]], sizeof w->arranged[i]);
    tree->item_points = (const uint32_t(*)[4])w->arranged;
    return status;
}

typedef struct found {
    uint8_t times[MOST][MOST];
    float enter[MOST][MOST], exit[MOST][MOST];
    const world *world;
} found;

static void note(void *context, uint32_t a, uint32_t b, float enter, float exit)
{
    found *f = context;
    /* in the original order */
    const uint32_t p = f->world->arranged[a][3], q = f->world->arranged[b][3], low = p < q ? p : q,
                   high = p < q ? q : p;
    f->times[low][high]++;
    f->enter[low][high] = enter;
    f->exit[low][high] = exit;
}

static bool share(const uint32_t *a, const uint32_t *b)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (a[i] == b[j])
                return true;
    return false;
}

static long put_aside;

#define ROUNDED 1e-6f /* of a time: two rounding errors of up to MOVING_TIME_SLACK */

static void check_pairs(const moving_tree *tree, const world *w, bool groups, const uint8_t *changed,
                        const uint8_t *marks, bool avx2, uint64_t seed, long *meets)
{
    static found f;
    memset(&f, 0, sizeof f);
    f.world = w;
    moving_pair_query search = {note, &f, marks, 2.0f};
    uint32_t first = 0;
    if (seed % 4 < 2) { /* the top entries first; the deferred pairs later */
        static moving_slot_pair aside[50];
        const uint32_t count = tact_moving_tree_split_top(tree, &search, aside, seed % 4 == 0 ? 50 : 7);
        for (uint32_t i = 0; i < count; i++) {
#if TACT_HAVE_AVX2
            if (avx2)
                tact_moving_tree_pairs_below_avx2(tree, &aside[i], 1, &search);
            else
#endif
                tact_moving_tree_pairs_below(tree, &aside[i], 1, &search);
        }
        first = tree->skeleton_top;
        put_aside += count;
    }
    for (uint32_t r = first; r < tree->skeleton_used; r += 3) {
        const uint32_t last = r + 3 < tree->skeleton_used ? r + 3 : tree->skeleton_used;
#if TACT_HAVE_AVX2
        if (avx2)
            tact_moving_tree_pairs_avx2(tree, r, last, &search);
        else
#endif
            tact_moving_tree_pairs(tree, r, last, &search);
    }
    for (uint32_t i = 0; i < w->item_count; i++)
        for (uint32_t j = i + 1; j < w->item_count; j++) {
            const uint32_t *p = w->corners[i], *q = w->corners[j];
            const moving_bound a = moving_bound_of_triangle(&w->points[p[0]], &w->points[p[1]], &w->points[p[2]]);
            const moving_bound b = moving_bound_of_triangle(&w->points[q[0]], &w->points[q[1]], &w->points[q[2]]);
            float enter = 0.0f, exit = 1.0f;
            const bool shared = share(p, q);
            bool wanted = shared || moving_bound_overlap_window(&a, &b, &enter, &exit);
            if (groups && w->groups[i] != 0 && w->groups[i] == w->groups[j])
                wanted = false;
            if (changed != NULL &&
                !(changed[p[0]] | changed[p[1]] | changed[p[2]] | changed[q[0]] | changed[q[1]] | changed[q[2]]))
                wanted = false;
            /* ancestors round their own windows: within that rounding both answers are right */
            const bool sure = shared || exit - enter > ROUNDED || !wanted;
            CHECK(f.times[i][j] == wanted || (!sure && f.times[i][j] == 0),
                  "items %u and %u: %u times, expected %d (share %d)", i, j, f.times[i][j], wanted, shared);
            CHECK(f.times[i][j] == 0 || shared ||
                      (fabsf(f.enter[i][j] - enter) <= ROUNDED && fabsf(f.exit[i][j] - exit) <= ROUNDED),
                  "items %u and %u: window", i, j);
            *meets += wanted && !shared;
        }
}

static void trees_find_the_pairs_of_brute_force(void **state)
{
    (void)state;
    long meets = 0;
    static world w;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(40, 2700); seed++) {
        make_world(&w, seed);
        random_source r = random_seed(seed ^ 99);
        moving_tree tree;
        const bool groups = random_chance(&r, 0.4);
        CHECK(make_tree(&tree, &w, groups, NULL) == TACT_OK, "status");
        fit_points(&w);
        tact_moving_tree_refit(&tree, w.points, NULL, NULL);
        bool avx2 = false;
#if TACT_HAVE_AVX2
        avx2 = seed % 2 == 0 && TACT_CPU_HAS_AVX2;
#endif
        check_pairs(&tree, &w, groups, NULL, NULL, avx2, seed, &meets);
        /* some points change, in the same frame: marked nodes are refitted, the others are up to date */
        static uint8_t changed[MOST], marks[MOST];
        for (uint32_t i = 0; i < w.point_count; i++) {
            changed[i] = random_chance(&r, 0.15);
            if (changed[i] == 0)
                continue;
            const uint32_t other = (uint32_t)random_below(&r, w.point_count);
            w.end[i] = w.start[other];
            tact_moving_point_set(&w.points[i], &w.frame, w.start[i], w.end[i]);
        }
        const uint32_t marked = tact_moving_tree_mark(&tree, changed, marks);
        CHECK(marked <= tree.node_count, "%u marked", marked);
        tact_moving_tree_refit(&tree, w.points, marks, NULL);
        check_pairs(&tree, &w, groups, NULL, NULL, avx2, seed, &meets);
        check_pairs(&tree, &w, groups, changed, marks, avx2, seed, &meets);
        tact_moving_tree_release(&tree);
    }
    print_message("%ld pairs overlapped\n", meets);
    assert_true(few_cases() || (meets > 8888 && put_aside > 222));
}

/* The SSE2 and the AVX2 code compute the same bounds, bit for bit. */
static void bounds_are_identical_with_and_without_avx2(void **state)
{
    (void)state;
#if TACT_HAVE_AVX2
    if (TACT_CPU_HAS_AVX2) {
        static world w;
        for (uint64_t seed = first_seed(); seed <= last_seed(20); seed++) {
            make_world(&w, seed);
            moving_tree one, two;
            CHECK(make_tree(&one, &w, false, NULL) == TACT_OK && make_tree(&two, &w, false, NULL) == TACT_OK, "status");
            fit_points(&w);
            tact_moving_tree_fit_range(&one, w.points, NULL, 0, one.node_count);
            tact_moving_tree_fit_range_avx2(&two, w.points, NULL, 0, two.node_count);
            CHECK(memcmp(one.bounds, two.bounds, one.node_count * sizeof *one.bounds) == 0, "bounds");
            const tact_parallel three = {.threads = 3};
            tact_moving_tree_refit(&two, w.points, NULL, &three);
            CHECK(memcmp(one.bounds, two.bounds, one.node_count * sizeof *one.bounds) == 0, "bounds, three threads");
            tact_moving_tree_release(&one);
            tact_moving_tree_release(&two);
        }
    }
#endif
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static world w;
    const uint64_t seed = 2;
    make_world(&w, seed);
    bool done = false;
    for (long n = 1; !done; n++) {
        failing_allocator r = {.fail_at = n};
        const tact_allocator allocator = failing_allocator_make(&r);
        moving_tree tree;
        const tact_status status = make_tree(&tree, &w, true, &allocator);
        done = r.calls < n;
        CHECK(status == TACT_OK || (!done && status == TACT_OUT_OF_MEMORY && tree.node_count == 0), "call %ld: %d", n,
              (int)status);
        tact_moving_tree_release(&tree);
        CHECK(r.held == 0, "call %ld: %zu bytes", n, r.held);
    }
    /* an empty tree */
    moving_tree tree;
    w.item_count = 0;
    assert_int_equal(make_tree(&tree, &w, false, NULL), TACT_OK);
    tact_moving_tree_refit(&tree, w.points, NULL, NULL);
    assert_int_equal(tree.skeleton_used, 0);
    tact_moving_tree_release(&tree);
    w.item_count = MOVING_TREE_MAX_ITEMS + 1;
    moving_tree_def def = {.item_count = w.item_count};
    assert_int_equal(tact_moving_tree_create(&tree, &def), TACT_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_contain_all_times_of_overlap),
        cmocka_unit_test(trees_find_the_pairs_of_brute_force),
        cmocka_unit_test(bounds_are_identical_with_and_without_avx2),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
