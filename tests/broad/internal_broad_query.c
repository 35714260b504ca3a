/*
 * Queries of the broad phase against a loop over all boxes; bad arguments; a single proxy.
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
#include "oracle/broad_check.h"
#include "support/broad_inspect.h"
#include "support/host_fp_environment.h"

typedef struct model {
    bool alive[TEST_PROXIES];
    box boxes[TEST_PROXIES];
    broad_filter filters[TEST_PROXIES];
} model;

typedef struct harvest {
    bool seen[TEST_PROXIES];
    size_t count;
    size_t most;    /* stop after so many; 0: all */
    double nearest; /* of what was seen */
    bool narrow;    /* return the nearest as the new limit */
} harvest;

static bool gather(void *context, uint32_t proxy)
{
    harvest *h = context;
    assert_false(h->seen[proxy]);
    h->seen[proxy] = true;
    return ++h->count != h->most;
}

static double gather_from(void *context, uint32_t proxy, double from, double limit)
{
    harvest *h = context;
    assert_true(from >= 0 && from <= limit);
    if (from < h->nearest)
        h->nearest = from;
    if (!gather(context, proxy))
        return -1.0;
    return h->narrow ? h->nearest : limit;
}

/* The time at which a moving box first overlaps another, in long double; negative: never. */
static long double meets_at(const long double *low, const long double *high, const double *d, const box *b,
                            long double limit)
{
    long double first = 0, last = limit;
    for (int i = 0; i < 3; ++i) {
        long double ahead = (long double)b->min[i] - high[i], behind = (long double)b->max[i] - low[i];
        if (d[i] == 0) {
            if (ahead > 0 || behind < 0)
                return -1;
            continue;
        }
        long double t0 = ahead / d[i], t1 = behind / d[i];
        first = fmaxl(first, fminl(t0, t1));
        last = fminl(last, fmaxl(t0, t1));
    }
    return first <= last ? first : -1;
}

/* Rays through a corner of a box at tiny parameters. Where subnormals are flushed to zero, a rounding error of the
 * parameters is not widened by its own relative size. */
static void rays_through_corners_hit_without_subnormals(void **state)
{
    (void)state;
    broad *b;
    const box corner = {{3.0f, 0.0f, -1.0f}, {4.0f, 1.0f, 1.0f}};
    uint32_t id;
    assert_int_equal(tact_broad_create(NULL, BROAD_TREE, &b), TACT_OK);
    assert_int_equal(tact_broad_insert(b, &corner, BROAD_FILTER_ALL, &id), TACT_OK);
    assert_int_equal(tact_broad_update(b, NULL), TACT_OK);
    random_source r = random_seed(31);
    for (int m = 0; m < ENVIRONMENTS; ++m)
        for (int i = 0; i < 500; ++i) {
            /* through (3 1 0) at the parameter 1 / y, which has few bits, as has 3 y */
            const double y = ldexp(1.0 + (double)random_below(&r, 1u << 20) * 0x1p-20, random_between(&r, 980, 1000));
            const tact_vec3 start = {0.0, 0.0, 0.0}, direction = {3.0 * y, y, 0.0};
            harvest h = {.nearest = INFINITY};
            set_environment(m);
            const tact_status status =
                tact_broad_query_ray(b, start, direction, INFINITY, BROAD_FILTER_ALL, gather_from, &h);
            set_environment(0);
            assert_int_equal(status, TACT_OK);
            if (!h.seen[id])
                fail_msg("environment %d: the ray to (%a %a 0) misses", m, direction.x, direction.y);
        }
    tact_broad_release(b);
}

static void queries_find_what_brute_force_finds(void **state)
{
    (void)state;
    enum { N = 150, ROUNDS = 400 };
    size_t hits = 0, misses = 0, edges = 0;
    for (int w = 0; w < 2; ++w) {
        random_source r = random_seed(21);
        model *m = calloc(1, sizeof *m);
        broad *b;
        assert_non_null(m);
        assert_int_equal(tact_broad_create(NULL, w ? BROAD_TREE : BROAD_SWEEP, &b), TACT_OK);
        for (uint32_t i = 0; i < N; ++i) {
            uint32_t id;
            m->boxes[i] = random_box(&r, 4);
            m->filters[i] = random_filter(&r);
            m->alive[i] = true;
            assert_int_equal(tact_broad_insert(b, &m->boxes[i], m->filters[i], &id), TACT_OK);
            assert_int_equal(id, i);
        }
        for (int round = 0; round < ROUNDS; ++round) {
            if (round % 3 == 1)
                assert_int_equal(tact_broad_update(b, NULL), TACT_OK);
            for (int i = 0; i < 10; ++i) { /* some are not updated yet when the queries come */
                uint32_t at = random_alive(&r, m->alive);
                if (random_chance(&r, 0.002)) {
                    assert_int_equal(tact_broad_remove(b, at), TACT_OK);
                    m->alive[at] = false;
                    continue;
                }
                m->boxes[at] = random_chance(&r, 0.3) ? random_box(&r, 4) : nudged(&r, m->boxes[at], 0.2);
                assert_int_equal(tact_broad_move(b, at, &m->boxes[at]), TACT_OK);
            }
            box area = random_box(&r, 6);
            broad_filter filter = random_filter(&r);
            tact_vec3 start = {random_range(&r, -8, 8), random_range(&r, -8, 8), random_range(&r, -8, 8)};
            tact_vec3 way = random_direction(&r);
            if (random_chance(&r, 0.3)) /* along an axis, from lattice points: grazing */
                way = (tact_vec3){random_chance(&r, 0.5) ? 1 : -1, 0, 0}, start.y = floor(start.y),
                start.z = floor(start.z);
            double limit = random_chance(&r, 0.2) ? INFINITY : random_range(&r, 0, 12), d[3] = {way.x, way.y, way.z};
            harvest in = {0}, ray = {.nearest = INFINITY}, sweep = {.nearest = INFINITY}, near = {.nearest = INFINITY};
            harvest closest = {.nearest = INFINITY, .narrow = true};
            assert_int_equal(tact_broad_query_box(b, &area, filter, gather, &in), TACT_OK);
            assert_int_equal(tact_broad_query_ray(b, start, way, limit, filter, gather_from, &ray), TACT_OK);
            assert_int_equal(tact_broad_query_cast(b, &area, way, limit, filter, gather_from, &sweep), TACT_OK);
            assert_int_equal(tact_broad_query_closest(b, &area, limit, filter, gather_from, &near), TACT_OK);
            assert_int_equal(tact_broad_query_closest(b, &area, INFINITY, filter, gather_from, &closest), TACT_OK);
            long double nearest = INFINITY;
            for (uint32_t i = 0; i < N; ++i) {
                const box *o = &m->boxes[i];
                bool may =
                    m->alive[i] && (filter.category & m->filters[i].mask) && (m->filters[i].category & filter.mask);
                assert_int_equal(in.seen[i], may && box_overlap(&area, o));
                long double low[3] = {start.x, start.y, start.z}, low2[3], high2[3], sum = 0;
                for (int k = 0; k < 3; ++k) {
                    low2[k] = area.min[k], high2[k] = area.max[k];
                    long double gap = fmaxl(0, fmaxl(low2[k] - o->max[k], o->min[k] - high2[k]));
                    sum += gap * gap;
                }
                long double t = meets_at(low, low, d, o, limit), t2 = meets_at(low2, high2, d, o, limit),
                            far = sqrtl(sum);
                if (!may) {
                    assert_false(ray.seen[i] || sweep.seen[i] || near.seen[i]);
                    continue;
                }
                if (t >= 0)
                    assert_true(ray.seen[i]);
                else if (ray.seen[i]) /* only by a rounding error */
                    assert_true(meets_at(low, low, d, o, limit * (1 + 1e-12L)) >= 0 || ++edges);
                if (t2 >= 0)
                    assert_true(sweep.seen[i]);
                assert_true(near.seen[i] == (far <= (long double)limit) || fabsl(far - (long double)limit) < 1e-12L);
                nearest = fminl(nearest, far);
                hits += (size_t)((t >= 0) + (t2 >= 0));
                misses += (size_t)((t < 0) + (t2 < 0));
            }
            assert_true(closest.nearest == (double)nearest || fabsl(closest.nearest - nearest) < 1e-12L);
            if (in.count > 1) { /* a visitor can end the query */
                harvest first = {.most = 1};
                assert_int_equal(tact_broad_query_box(b, &area, filter, gather, &first), TACT_OK);
                assert_int_equal(first.count, 1);
            }
            if (ray.count > 1) {
                harvest first = {.most = 1, .nearest = INFINITY};
                assert_int_equal(tact_broad_query_ray(b, start, way, limit, filter, gather_from, &first), TACT_OK);
                assert_int_equal(first.count, 1);
            }
        }
        tact_broad_release(b);
        free(m);
    }
    assert_true(hits > 1000 && misses > 2000 && edges < hits / 100);
}

/* A ray through (x y 0) meets a box with a vertex there in one point: rounding must not miss it. */
static void rays_meet_boxes_in_a_single_point(void **state)
{
    (void)state;
    random_source r = random_seed(31);
    for (int round = 0; round < 500; ++round) {
        broad *b;
        uint32_t id;
        float x = (float)random_range(&r, 1, 100), y = (float)random_range(&r, 1, 100),
              z = (float)random_range(&r, -9, 9);
        box at = {{x, y - 5, z}, {x + 5, y, z}};
        double times = random_range(&r, 0.1, 10);
        tact_vec3 start = {0, 0, (double)z}, way = {(double)x * times, (double)y * times, 0};
        long double t = (long double)x / (long double)way.x;
        harvest h = {.nearest = INFINITY}, g = {.nearest = INFINITY};
        assert_int_equal(tact_broad_create(NULL, round % 2 ? BROAD_TREE : BROAD_SWEEP, &b), TACT_OK);
        assert_int_equal(tact_broad_insert(b, &at, BROAD_FILTER_ALL, &id), TACT_OK);
        assert_int_equal(tact_broad_update(b, NULL), TACT_OK);
        /* `times` rounds the direction a little off: with a power of two it does not */
        tact_vec3 exact = {ldexp((double)x, round % 9 - 4), ldexp((double)y, round % 9 - 4), 0};
        assert_int_equal(tact_broad_query_ray(b, start, exact, INFINITY, BROAD_FILTER_ALL, gather_from, &h), TACT_OK);
        assert_int_equal(h.count, 1);
        assert_int_equal(tact_broad_query_ray(b, start, way, INFINITY, BROAD_FILTER_ALL, gather_from, &g), TACT_OK);
        assert_true(g.count == 0 || fabsl((long double)g.nearest - t) < 1e-12L);
        tact_broad_release(b);
    }
}

static void one_body_alone_and_none(void **state)
{
    (void)state;
    for (int w = 0; w < 2; ++w) {
        broad *b;
        uint32_t id;
        const char *why = "";
        harvest none = {0}, one = {.nearest = INFINITY};
        box at = box_from_bounds((tact_vec3){0, 0, 0}, (tact_vec3){1, 1, 1});
        assert_int_equal(tact_broad_create(NULL, w ? BROAD_TREE : BROAD_SWEEP, &b), TACT_OK);
        assert_int_equal(tact_broad_update(b, NULL), TACT_OK);
        assert_int_equal(tact_broad_query_box(b, &at, BROAD_FILTER_ALL, gather, &none), TACT_OK);
        assert_int_equal(tact_broad_set_engine(b, w ? BROAD_SWEEP : BROAD_TREE), TACT_OK);
        assert_int_equal(tact_broad_set_engine(b, w ? BROAD_TREE : BROAD_SWEEP), TACT_OK);
        assert_int_equal(tact_broad_insert(b, &at, (broad_filter){1, 3}, &id), TACT_OK);
        for (int i = 0; i < 100; ++i) {
            at.min[0] += 0.3f, at.max[0] += 0.3f;
            assert_int_equal(tact_broad_move(b, id, &at), TACT_OK);
            assert_int_equal(tact_broad_update(b, NULL), TACT_OK);
            if (!tact_broad_check(b, &why))
                fail_msg("%s", why);
        }
        box reported = tact_broad_get_box(b, id);
        assert_memory_equal(&reported, &at, sizeof at);
        assert_true(tact_broad_get_filter(b, id).category == 1 && tact_broad_get_filter(b, id).mask == 3);
        tact_vec3 start = {-1, 0.5, 0.5}, way = {2, 0, 0};
        assert_int_equal(tact_broad_query_ray(b, start, way, INFINITY, BROAD_FILTER_ALL, gather_from, &one), TACT_OK);
        assert_true(one.count == 1 && fabs(one.nearest - ((double)at.min[0] + 1) / 2) < 1e-12);
        assert_int_equal(none.count, 0);
        assert_int_equal(tact_broad_remove(b, id), TACT_OK);
        assert_int_equal(tact_broad_update(b, NULL), TACT_OK);
        assert_int_equal(tact_broad_query_box(b, &at, BROAD_FILTER_ALL, gather, &none), TACT_OK);
        assert_int_equal(none.count, 0);
        if (!tact_broad_check(b, &why))
            fail_msg("%s", why);
        tact_broad_release(b);
    }
}

static void bad_arguments_change_nothing(void **state)
{
    (void)state;
    broad *b = NULL;
    box good = box_from_bounds((tact_vec3){0, 0, 0}, (tact_vec3){1, 1, 1}), bad = good, two[2];
    uint32_t id = 0, ids[2];
    harvest h = {0};
    tact_vec3 zero = {0, 0, 0}, nan = {NAN, 0, 0};
    assert_int_equal(tact_broad_create(NULL, BROAD_TREE, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_broad_create(NULL, (broad_engine)7, &b), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_broad_create(NULL, BROAD_AUTO, &b), TACT_OK);
    assert_int_equal(tact_broad_get_engine(b), BROAD_AUTO);
    for (int i = 0; i < 9; ++i) {
        bad = good;
        if (i < 6)
            (i < 3 ? bad.min : bad.max)[i % 3] = NAN;
        else
            bad.min[i % 3] = 2.0f;
        assert_int_equal(tact_broad_insert(b, &bad, BROAD_FILTER_ALL, &id), TACT_BAD_ARGUMENT);
        two[0] = good, two[1] = bad;
        assert_int_equal(tact_broad_insert_many(b, 2, two, NULL, ids), TACT_BAD_ARGUMENT);
        assert_int_equal(broad_count(b), 0);
    }
    assert_int_equal(tact_broad_insert(b, NULL, BROAD_FILTER_ALL, &id), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_broad_insert(b, &good, BROAD_FILTER_ALL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_broad_insert(NULL, &good, BROAD_FILTER_ALL, &id), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_broad_move(b, 0, &good), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_broad_insert(b, &good, BROAD_FILTER_ALL, &id), TACT_OK);
    assert_int_equal(tact_broad_move(b, id, &bad), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_broad_move(b, id, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_broad_move(b, id + 1, &good), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_broad_remove(b, BROAD_NONE), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_broad_remove(b, id + 1), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_broad_remove(NULL, id), TACT_BAD_ARGUMENT);
    assert_true(broad_has(b, id));
    assert_int_equal(tact_broad_set_filter(b, 5, BROAD_FILTER_ALL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_broad_set_engine(b, (broad_engine)9), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_broad_update(NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_broad_query_box(b, &bad, BROAD_FILTER_ALL, gather, &h), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_broad_query_box(b, &good, BROAD_FILTER_ALL, NULL, &h), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_broad_query_ray(b, nan, zero, 1, BROAD_FILTER_ALL, gather_from, &h), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_broad_query_ray(b, zero, nan, 1, BROAD_FILTER_ALL, gather_from, &h), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_broad_query_ray(b, zero, zero, NAN, BROAD_FILTER_ALL, gather_from, &h), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_broad_query_closest(b, &good, -1, BROAD_FILTER_ALL, gather_from, &h), TACT_BAD_ARGUMENT);
    assert_int_equal(h.count, 0);
    /* removed before any update; its index is reused only after one */
    assert_int_equal(tact_broad_remove(b, id), TACT_OK);
    assert_false(broad_has(b, id));
    assert_int_equal(tact_broad_remove(b, id), TACT_BAD_ARGUMENT);
    assert_int_equal(broad_count(b), 0);
    assert_int_equal(tact_broad_insert(b, &good, BROAD_FILTER_ALL, &ids[0]), TACT_OK);
    assert_true(ids[0] != id);
    assert_int_equal(tact_broad_update(b, NULL), TACT_OK);
    assert_int_equal(tact_broad_insert(b, &good, BROAD_FILTER_ALL, &ids[1]), TACT_OK);
    assert_int_equal(ids[1], id);
    tact_broad_release(b);
    tact_broad_release(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_find_what_brute_force_finds),
        cmocka_unit_test(rays_meet_boxes_in_a_single_point),
        cmocka_unit_test(rays_through_corners_hit_without_subnormals),
        cmocka_unit_test(one_body_alone_and_none),
        cmocka_unit_test(bad_arguments_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
