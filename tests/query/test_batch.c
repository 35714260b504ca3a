/*
 * Batch queries return the results of the single queries bit for bit, on any number of threads, with the default loop
 * and with loops of the host, for valid and invalid items alike. TACT_TEST_SEED=n changes the cases.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "support/digest.h"
#include "support/long_form.h"
#include "support/random.h"
#include "support/vec.h"

enum {
    ITEMS = 1100, /* more than four times BATCH_MIN_ITEMS, and no multiple of it */
    SHAPES = 9,
    FORMS = 11
};

static const double WITHIN = 0.25, REACH = 0.125;

static const char *const form_names[FORMS] = {"distance", "touch",   "within",   "common point", "depth", "manifold",
                                              "ray",      "closest", "contains", "impact",       "cast"};

/* The inputs of all batch queries. */
typedef struct questions {
    tact_shape *shapes[SHAPES];
    tact_transform at; /* of the one shape that has many rays and points */
    tact_pair pairs[ITEMS];
    tact_moving_pair moving[ITEMS];
    tact_vec3 paths[ITEMS], points[ITEMS];
    tact_ray rays[ITEMS];
    tact_cache caches[ITEMS];
    tact_toi_def impact;
} questions;

/* Memory for the results of one batch query. */
typedef union answers {
    tact_distance distance[ITEMS];
    tact_overlap verdict[ITEMS];
    tact_common_point common[ITEMS];
    tact_penetration depth[ITEMS];
    tact_manifold manifold[ITEMS];
    tact_ray_hit ray[ITEMS];
    tact_closest closest[ITEMS];
    tact_toi impact[ITEMS];
} answers;

static uint64_t chosen_seed(void)
{
    const char *text = getenv("TACT_TEST_SEED");
    return text != NULL ? strtoull(text, NULL, 10) : 1;
}

/* Each number is drawn in a statement of its own: the order must not depend on the compiler. */
static tact_vec3 roll_vec(random_source *r, double size)
{
    double x = random_range(r, -size, size), y = random_range(r, -size, size), z = random_range(r, -size, size);
    return vec_make(x, y, z);
}

static tact_transform roll_place(random_source *r, double spread)
{
    tact_vec3 scale = vec_add(vec_make(1.0, 1.0, 1.0), roll_vec(r, 0.5)), origin = roll_vec(r, spread);
    if (random_chance(r, 0.5))
        scale = vec_make(1.0, 1.0, 1.0);
    if (random_chance(r, 0.2))
        scale.x = -scale.x;
    return tact_transform_make(origin, random_rotation(r), scale);
}

static tact_motion roll_motion(random_source *r)
{
    tact_motion m = tact_motion_still();
    m.velocity = roll_vec(r, 2.0);
    if (random_chance(r, 0.3))
        m.acceleration = roll_vec(r, 1.0);
    if (random_chance(r, 0.3))
        m.spin = roll_vec(r, 2.0);
    return m;
}

static void ask(questions *q)
{
    random_source r = random_seed(chosen_seed());
    tact_vec3 p[24];
    for (int i = 0; i < 24; i++)
        p[i] = vec_scale(random_direction(&r), 0.6);
    q->shapes[0] = tact_sphere(0.5);
    q->shapes[1] = tact_box(0.8, 0.6, 1.0);
    q->shapes[2] = tact_capsule(0.25, 0.7);
    q->shapes[3] = tact_cylinder(0.4, 0.8);
    q->shapes[4] = tact_cone(0.5, 0.9);
    q->shapes[5] = tact_hull(p, 24);
    q->shapes[6] = tact_ellipsoid(0.3, 0.5, 0.6);
    q->shapes[7] = tact_minkowski_sum(q->shapes[3], q->shapes[1]);
    q->shapes[8] = tact_rounded(q->shapes[5], 0.1);
    q->at = roll_place(&r, 0.5);
    q->impact = tact_toi_def_default();
    q->impact.tolerance = 1e-6;
    for (int i = 0; i < ITEMS; i++) {
        q->pairs[i] = (tact_pair){q->shapes[random_below(&r, SHAPES)], q->shapes[random_below(&r, SHAPES)],
                                  roll_place(&r, 1.0), roll_place(&r, 1.0)};
        q->paths[i] = roll_vec(&r, 3.0);
        q->points[i] = vec_add(q->at.origin, roll_vec(&r, 0.5));
        q->rays[i] = (tact_ray){roll_vec(&r, 2.0), random_direction(&r), random_chance(&r, 0.5) ? INFINITY : 2.0};
        if (random_chance(&r, 0.7))
            q->rays[i].direction = vec_sub(roll_vec(&r, 0.5), q->rays[i].from);
        q->caches[i].axis = random_chance(&r, 0.5) ? random_direction(&r) : vec_make(0.0, 0.0, 0.0);
        if (i % 50 == 7) { /* an invalid item must not affect its neighbours */
            int variant = (i / 50) % 4;
            if (variant == 0)
                q->pairs[i].a = NULL;
            else if (variant == 1)
                q->pairs[i].transform_b.origin.y = NAN;
            else if (variant == 2)
                q->pairs[i].transform_a.x_axis = vec_make(0.0, 0.0, 0.0);
            else
                q->pairs[i].b = NULL;
            q->points[i].x = INFINITY;
            q->rays[i].direction = vec_make(0.0, 0.0, 0.0);
            q->paths[i].z = NAN;
        }
        q->moving[i] = (tact_moving_pair){q->pairs[i], roll_motion(&r), roll_motion(&r)};
    }
}

static void forget(questions *q)
{
    for (int i = 0; i < SHAPES; i++)
        tact_shape_release(q->shapes[i]);
}

/* One call of the batch query; `caches` is the copy that it may change. */
static tact_status call(int form, const questions *q, size_t count, tact_cache *caches, answers *to,
                        const tact_parallel *parallel)
{
    const tact_shape *one = q->shapes[4];
    switch (form) {
    case 0:
        return tact_distance_batch(q->pairs, count, to->distance, parallel);
    case 1:
        return tact_overlap_batch(q->pairs, count, caches, to->verdict, parallel);
    case 2:
        return tact_within_batch(q->pairs, count, WITHIN, caches, to->verdict, parallel);
    case 3:
        return tact_common_point_batch(q->pairs, count, caches, to->common, parallel);
    case 4:
        return tact_penetration_batch(q->pairs, count, to->depth, parallel);
    case 5:
        return tact_manifold_batch(q->pairs, count, REACH, to->manifold, parallel);
    case 6:
        return tact_ray_batch(one, q->at, q->rays, count, to->ray, parallel);
    case 7:
        return tact_closest_batch(one, q->at, q->points, count, to->closest, parallel);
    case 8:
        return tact_contains_batch(one, q->at, q->points, count, to->verdict, parallel);
    case 9:
        return tact_toi_batch(q->moving, count, &q->impact, to->impact, parallel);
    default:
        return tact_cast_batch(q->pairs, q->paths, count, to->impact, parallel);
    }
}

/* The same by single calls. */
static void call_singly(int form, const questions *q, tact_cache *caches, answers *to)
{
    const tact_shape *one = q->shapes[4];
    for (int i = 0; i < ITEMS; i++) {
        const tact_pair *p = &q->pairs[i];
        const tact_moving_pair *m = &q->moving[i];
        tact_cache *cache = caches != NULL ? &caches[i] : NULL;
        switch (form) {
        case 0:
            to->distance[i] = tact_shapes_distance(p->a, p->transform_a, p->b, p->transform_b);
            break;
        case 1:
            to->verdict[i] = tact_shapes_overlap(p->a, p->transform_a, p->b, p->transform_b, cache);
            break;
        case 2:
            to->verdict[i] = tact_shapes_within(p->a, p->transform_a, p->b, p->transform_b, WITHIN, cache);
            break;
        case 3:
            to->common[i] = tact_shapes_common_point(p->a, p->transform_a, p->b, p->transform_b, cache);
            break;
        case 4:
            to->depth[i] = tact_shapes_penetration(p->a, p->transform_a, p->b, p->transform_b);
            break;
        case 5:
            to->manifold[i] = tact_shapes_manifold(p->a, p->transform_a, p->b, p->transform_b, REACH);
            break;
        case 6:
            to->ray[i] = tact_shape_ray(one, q->at, q->rays[i].from, q->rays[i].direction, q->rays[i].max);
            break;
        case 7:
            to->closest[i] = tact_shape_closest(one, q->at, q->points[i]);
            break;
        case 8:
            to->verdict[i] = tact_shape_contains(one, q->at, q->points[i]);
            break;
        case 9:
            to->impact[i] = tact_shapes_time_of_impact_with(m->pair.a, m->pair.transform_a, m->motion_a, m->pair.b,
                                                            m->pair.transform_b, m->motion_b, &q->impact);
            break;
        default:
            to->impact[i] = tact_shapes_cast(p->a, p->transform_a, q->paths[i], p->b, p->transform_b);
            break;
        }
    }
}

static uint64_t add_number(uint64_t hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return digest_add(hash, bits);
}

static uint64_t add_vec(uint64_t hash, tact_vec3 v) { return add_number(add_number(add_number(hash, v.x), v.y), v.z); }

/* The bits of all fields of result i, without padding. */
static uint64_t hash_of(int form, const answers *from, int i)
{
    uint64_t h = (uint64_t)form;
    switch (form) {
    case 0: {
        const tact_distance *d = &from->distance[i];
        h = add_number(digest_add(h, (uint64_t)d->status), d->distance);
        return add_vec(add_vec(add_vec(h, d->on_a), d->on_b), d->normal);
    }
    case 1:
    case 2:
    case 8:
        return digest_add(digest_add(h, (uint64_t)from->verdict[i].status), (uint64_t)from->verdict[i].state);
    case 3: {
        const tact_common_point *c = &from->common[i];
        return add_vec(digest_add(digest_add(h, (uint64_t)c->status), (uint64_t)c->state), c->point);
    }
    case 4: {
        const tact_penetration *d = &from->depth[i];
        h = add_number(digest_add(h, (uint64_t)d->status), d->depth);
        return add_vec(add_vec(add_vec(h, d->on_a), d->on_b), d->normal);
    }
    case 5: {
        const tact_manifold *m = &from->manifold[i];
        h = add_vec(digest_add(digest_add(digest_add(h, (uint64_t)m->status), (uint64_t)m->state), (uint64_t)m->count),
                    m->normal);
        h = add_number(h, m->depth);
        for (int k = 0; k < m->count; k++)
            h = add_number(add_vec(add_vec(h, m->points[k].on_a), m->points[k].on_b), m->points[k].depth);
        return h;
    }
    case 6: {
        const tact_ray_hit *t = &from->ray[i];
        h = add_number(digest_add(digest_add(h, (uint64_t)t->status), (uint64_t)t->state), t->t);
        return add_vec(add_vec(h, t->point), t->normal);
    }
    case 7: {
        const tact_closest *c = &from->closest[i];
        h = add_number(digest_add(h, (uint64_t)c->status), c->distance);
        return add_vec(add_vec(h, c->point), c->normal);
    }
    default: {
        const tact_toi *t = &from->impact[i];
        h = add_number(digest_add(digest_add(h, (uint64_t)t->status), (uint64_t)t->state), t->time);
        return add_vec(add_vec(h, t->point), t->normal);
    }
    }
}

/* Every item equal, and one hash over all. */
static uint64_t compare(int form, const answers *truth, const answers *got, const char *how)
{
    uint64_t all = 0;
    for (int i = 0; i < ITEMS; i++) {
        uint64_t want = hash_of(form, truth, i), have = hash_of(form, got, i);
        if (want != have) {
            print_error("TACT_TEST_SEED=%llu %s item %d differs from the single call with %s\n",
                        (unsigned long long)chosen_seed(), form_names[form], i, how);
            fail();
        }
        all = digest_add(all, have);
    }
    return all;
}

/* ---- loops of a host ---------------------------------------------------------------------------- */

typedef struct host {
    size_t calls, items;
    size_t grain; /* the last one passed to it */
} host;

/* One item at a time, from the last to the first. */
static void backwards(void *context, size_t count, size_t grain, tact_task *task, void *task_data)
{
    host *h = context;
    h->calls++;
    h->grain = grain;
    for (size_t i = count; i-- > 0;) {
        task(task_data, i, i + 1);
        h->items++;
    }
}

/* Ranges of 1, 2, 3 ... items, the even ones first, with empty ranges between. */
static void odd_pieces(void *context, size_t count, size_t grain, tact_task *task, void *task_data)
{
    host *h = context;
    h->calls++;
    h->grain = grain;
    for (size_t parity = 0; parity < 2; parity++) {
        for (size_t begin = 0, length = 1; begin < count; begin += length, length++) {
            size_t end = begin + length < count ? begin + length : count;
            if (length % 2 != parity)
                continue;
            task(task_data, begin, begin);
            task(task_data, begin, end);
            h->items += end - begin;
        }
    }
}

static questions q;
static answers truth, got;

/* Runs one batch query with all loops, with caches or without. */
static void run_form(int form, bool cached, size_t *statuses)
{
    static tact_cache truth_caches[ITEMS], got_caches[ITEMS];
    memset(&truth, 0, sizeof truth);
    memcpy(truth_caches, q.caches, sizeof truth_caches);
    call_singly(form, &q, cached ? truth_caches : NULL, &truth);
    uint64_t golden = compare(form, &truth, &truth, "itself");
    for (int i = 0; i < ITEMS; i++) /* the status is the first field of every answer */
        statuses[form == 0   ? truth.distance[i].status
                 : form == 3 ? truth.common[i].status
                 : form == 4 ? truth.depth[i].status
                 : form == 5 ? truth.manifold[i].status
                 : form == 6 ? truth.ray[i].status
                 : form == 7 ? truth.closest[i].status
                 : form >= 9 ? truth.impact[i].status
                             : truth.verdict[i].status]++;
    static const int threads[5] = {1, 2, 3, 8, 0};
    for (int variant = 0; variant < 8; variant++) {
        if (quick_form() && variant % 2 == 0) /* 2 and 8 threads, a loop of the host, the default */
            continue;
        host h = {0, 0, 0};
        tact_parallel parallel = {NULL, NULL, variant < 5 ? threads[variant] : 0};
        if (variant == 5 || variant == 6) {
            parallel.loop = variant == 5 ? backwards : odd_pieces;
            parallel.context = &h;
        }
        char how[40];
        (void)snprintf(how, sizeof how,
                       variant < 5    ? "%d threads"
                       : variant == 7 ? "no parallel"
                                      : "a host loop",
                       parallel.threads);
        memset(&got, 0xA5, sizeof got);
        memcpy(got_caches, q.caches, sizeof got_caches);
        assert_int_equal(call(form, &q, ITEMS, cached ? got_caches : NULL, &got, variant == 7 ? NULL : &parallel),
                         TACT_OK);
        assert_true(compare(form, &truth, &got, how) == golden);
        if (cached)
            assert_memory_equal(got_caches, truth_caches, sizeof got_caches);
        if (parallel.loop != NULL) {
            assert_int_equal(h.calls, 1);
            assert_int_equal(h.items, ITEMS);
            assert_true(h.grain >= 1);
        }
    }
}

static void answers_are_those_of_the_single_calls(void **state)
{
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        size_t statuses[8] = {0};
        run_form(form, false, statuses);
        if (form >= 1 && form <= 3)
            run_form(form, true, statuses);
        /* valid and invalid items, and none that did not converge */
        assert_true(statuses[TACT_OK] >= ITEMS * 9 / 10);
        assert_true(statuses[TACT_BAD_ARGUMENT] >= ITEMS / 60);
        assert_true(statuses[TACT_OK] + statuses[TACT_BAD_ARGUMENT] == (form >= 1 && form <= 3 ? 2 * ITEMS : ITEMS));
    }
}

/* Hits and misses both, so that the comparison above is meaningful. */
static void cases_are_mixed(void **state)
{
    (void)state;
    for (int form = 1; form < FORMS; form++) {
        size_t hits = 0, misses = 0;
        if (form == 4 || form == 7)
            continue;
        assert_int_equal(call(form, &q, ITEMS, NULL, &got, NULL), TACT_OK);
        for (int i = 0; i < ITEMS; i++) {
            tact_state s = form == 3   ? got.common[i].state
                           : form == 5 ? got.manifold[i].state
                           : form == 6 ? got.ray[i].state
                           : form >= 9 ? got.impact[i].state
                                       : got.verdict[i].state;
            hits += s == TACT_HIT;
            misses += s == TACT_MISS;
        }
        if (hits < ITEMS / 10 || misses < ITEMS / 10)
            print_error("%s: %zu hits, %zu misses\n", form_names[form], hits, misses);
        assert_true(hits >= ITEMS / 10 && misses >= ITEMS / 10);
    }
}

static void no_items_are_no_work(void **state)
{
    (void)state;
    host h = {0, 0, 0};
    tact_parallel parallel = {backwards, &h, 0};
    for (int form = 0; form < FORMS; form++) {
        memset(&got, 0x5A, sizeof got);
        assert_int_equal(call(form, &q, 0, NULL, &got, &parallel), TACT_OK);
        for (size_t i = 0; i < sizeof got; i += 8)
            assert_int_equal(((const unsigned char *)&got)[i], 0x5A);
    }
    assert_int_equal(h.calls, 0);
    /* NULL arrays are allowed if the count is 0 */
    tact_transform at = tact_identity();
    assert_int_equal(tact_distance_batch(NULL, 0, NULL, NULL), TACT_OK);
    assert_int_equal(tact_overlap_batch(NULL, 0, NULL, NULL, NULL), TACT_OK);
    assert_int_equal(tact_within_batch(NULL, 0, 1.0, NULL, NULL, NULL), TACT_OK);
    assert_int_equal(tact_common_point_batch(NULL, 0, NULL, NULL, NULL), TACT_OK);
    assert_int_equal(tact_penetration_batch(NULL, 0, NULL, NULL), TACT_OK);
    assert_int_equal(tact_manifold_batch(NULL, 0, 0.0, NULL, NULL), TACT_OK);
    assert_int_equal(tact_ray_batch(NULL, at, NULL, 0, NULL, NULL), TACT_OK);
    assert_int_equal(tact_closest_batch(NULL, at, NULL, 0, NULL, NULL), TACT_OK);
    assert_int_equal(tact_contains_batch(NULL, at, NULL, 0, NULL, NULL), TACT_OK);
    assert_int_equal(tact_toi_batch(NULL, 0, NULL, NULL, NULL), TACT_OK);
    assert_int_equal(tact_cast_batch(NULL, NULL, 0, NULL, NULL), TACT_OK);
}

static void missing_arrays_are_refused(void **state)
{
    (void)state;
    const tact_shape *s = q.shapes[0];
    answers *to = &got;
    memset(to, 0x5A, sizeof *to);
    assert_int_equal(tact_distance_batch(NULL, 3, to->distance, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_distance_batch(q.pairs, 3, NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_overlap_batch(NULL, 3, q.caches, to->verdict, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_overlap_batch(q.pairs, 3, NULL, NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_within_batch(NULL, 3, 1.0, NULL, to->verdict, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_within_batch(q.pairs, 3, 1.0, NULL, NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_common_point_batch(NULL, 3, NULL, to->common, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_common_point_batch(q.pairs, 3, NULL, NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_penetration_batch(NULL, 3, to->depth, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_penetration_batch(q.pairs, 3, NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_manifold_batch(NULL, 3, 0.0, to->manifold, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_manifold_batch(q.pairs, 3, 0.0, NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_ray_batch(s, q.at, NULL, 3, to->ray, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_ray_batch(s, q.at, q.rays, 3, NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_closest_batch(s, q.at, NULL, 3, to->closest, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_closest_batch(s, q.at, q.points, 3, NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_contains_batch(s, q.at, NULL, 3, to->verdict, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_contains_batch(s, q.at, q.points, 3, NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_toi_batch(NULL, 3, NULL, to->impact, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_toi_batch(q.moving, 3, NULL, NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_cast_batch(NULL, q.paths, 3, to->impact, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_cast_batch(q.pairs, NULL, 3, to->impact, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_cast_batch(q.pairs, q.paths, 3, NULL, NULL), TACT_BAD_ARGUMENT);
    for (size_t i = 0; i < sizeof *to; i++)
        assert_int_equal(((const unsigned char *)to)[i], 0x5A); /* nothing was written */
}

/* An invalid shape or number that all items share is reported by each item. */
static void invalid_shared_inputs_are_reported_by_each_item(void **state)
{
    (void)state;
    memset(&got, 0x5A, sizeof got);
    assert_int_equal(tact_ray_batch(NULL, q.at, q.rays, 5, got.ray, NULL), TACT_OK);
    for (int i = 0; i < 5; i++)
        assert_true(got.ray[i].status == TACT_BAD_ARGUMENT && got.ray[i].state == TACT_UNKNOWN);
    assert_int_equal(tact_contains_batch(NULL, q.at, q.points, 5, got.verdict, NULL), TACT_OK);
    for (int i = 0; i < 5; i++)
        assert_true(got.verdict[i].status == TACT_BAD_ARGUMENT && got.verdict[i].state == TACT_UNKNOWN);
    assert_int_equal(tact_closest_batch(NULL, q.at, q.points, 5, got.closest, NULL), TACT_OK);
    for (int i = 0; i < 5; i++)
        assert_int_equal(got.closest[i].status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_within_batch(q.pairs, 5, -1.0, NULL, got.verdict, NULL), TACT_OK);
    for (int i = 0; i < 5; i++)
        assert_true(got.verdict[i].status == TACT_BAD_ARGUMENT && got.verdict[i].state == TACT_UNKNOWN);
    assert_int_equal(tact_manifold_batch(q.pairs, 5, NAN, got.manifold, NULL), TACT_OK);
    for (int i = 0; i < 5; i++)
        assert_true(got.manifold[i].status == TACT_BAD_ARGUMENT && got.manifold[i].count == 0);
    tact_toi_def def = tact_toi_def_default();
    def.end = NAN;
    assert_int_equal(tact_toi_batch(q.moving, 5, &def, got.impact, NULL), TACT_OK);
    for (int i = 0; i < 5; i++)
        assert_true(got.impact[i].status == TACT_BAD_ARGUMENT && got.impact[i].state == TACT_UNKNOWN);
}

static void no_def_is_the_default_def(void **state)
{
    (void)state;
    tact_toi_def def = tact_toi_def_default();
    assert_int_equal(tact_toi_batch(q.moving, 100, NULL, got.impact, NULL), TACT_OK);
    assert_int_equal(tact_toi_batch(q.moving, 100, &def, truth.impact, NULL), TACT_OK);
    for (int i = 0; i < 100; i++)
        assert_true(hash_of(9, &got, i) == hash_of(9, &truth, i));
}

static int set_up(void **state)
{
    (void)state;
    ask(&q);
    for (int i = 0; i < SHAPES; i++)
        if (q.shapes[i] == NULL)
            return -1;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    forget(&q);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_the_single_calls),
        cmocka_unit_test(cases_are_mixed),
        cmocka_unit_test(no_items_are_no_work),
        cmocka_unit_test(missing_arrays_are_refused),
        cmocka_unit_test(invalid_shared_inputs_are_reported_by_each_item),
        cmocka_unit_test(no_def_is_the_default_def),
    };
    return cmocka_run_group_tests_name("batch", tests, set_up, tear_down);
}
