/*
 * Queries of a world against a loop over all bodies: closest, any and all hits, with filters, before and after tests,
 * with every broad phase, in batches on any number of threads; bad arguments.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "support/long_form.h"
#include "support/random.h"
#include "support/vec.h"

#define COUNT 150 /* bodies */
#define SHAPES 8
#define ROOM 64

static const tact_body none = {0, 0};

/* User pointers are the bodies' order of making. */
static uintptr_t order_of(const void *user) { return (uintptr_t)user; }

static void make_shapes(tact_shape **s)
{
    s[0] = tact_sphere(0.6);
    s[1] = tact_box(1.0, 1.0, 1.0);
    s[2] = tact_capsule(0.3, 1.0);
    s[3] = tact_cone(0.6, 1.2);
    s[4] = tact_ellipsoid(0.9, 0.4, 0.6);
    s[5] = tact_tetrahedron(tact_vec(-1, 0, 0), tact_vec(1, 0, 0), tact_vec(0, 1, 0), tact_vec(0, 0, 1));
    s[6] = tact_rounded(s[1], 0.25);
    s[7] = tact_cylinder(0.5, 1.0);
    for (int i = 0; i < SHAPES; ++i)
        assert_non_null(s[i]);
}

static void release_shapes(tact_shape **s)
{
    for (int i = 0; i < SHAPES; ++i)
        tact_shape_release(s[i]);
}

static tact_vec3 random_point(random_source *r, double spread)
{
    return tact_vec(random_range(r, -spread, spread), random_range(r, -spread, spread),
                    random_range(r, -spread, spread));
}

static tact_transform random_place(random_source *r, double spread)
{
    tact_vec3 p = random_point(r, spread);
    if (random_chance(r, 0.3)) /* on whole numbers, unturned: ties */
        return tact_at(rint(p.x), rint(p.y), rint(p.z));
    tact_quat turn = {random_range(r, -1, 1), random_range(r, -1, 1), random_range(r, -1, 1), 0.5};
    return tact_transform_make(p, turn, tact_vec(1, 1, random_chance(r, 0.2) ? -1.5 : 1));
}

static bool accept_some(void *context, tact_body body, void *user)
{
    (void)body;
    return order_of(user) % *(const uintptr_t *)context != 0;
}

static tact_query random_search(random_source *r, tact_shape **shapes, double spread, uintptr_t *step)
{
    tact_query s = {.type = (tact_query_type)random_between(r, 1, 4)};
    s.from = random_point(r, spread);
    s.direction = random_point(r, 3.0);
    if (random_chance(r, 0.3)) { /* along an axis, from a whole number: ties and grazing */
        s.from = tact_vec(rint(s.from.x), rint(s.from.y), rint(s.from.z) - 9);
        s.direction = tact_vec(0, 0, random_chance(r, 0.5) ? 2 : -1);
    }
    s.transform = random_place(r, spread);
    if (s.type != TACT_QUERY_RAY && random_chance(r, s.type == TACT_QUERY_CLOSEST ? 0.5 : 1.0))
        s.shape = shapes[random_between(r, 0, SHAPES - 1)];
    s.max = random_chance(r, 0.5) ? 0.0 : random_range(r, 0.1, 2.0);
    s.any = random_chance(r, 0.2);
    if (random_chance(r, 0.3))
        s.filter.category = UINT64_C(1) << random_below(r, 3);
    if (random_chance(r, 0.3))
        s.filter.mask = UINT64_C(3) << random_below(r, 3);
    if (random_chance(r, 0.3)) {
        s.filter.accept = accept_some;
        s.filter.context = step;
    }
    return s;
}

/* ---- asking every body ---- */

static bool ask_one(const tact_world *w, const tact_query *s, tact_body b, bool deep, tact_hit *f)
{
    const tact_shape *shape = tact_body_get_shape(w, b);
    tact_transform p = tact_body_get_transform(w, b);
    double max = s->max == 0.0 ? INFINITY : s->max;
    uint64_t category = s->filter.category ? s->filter.category : UINT64_MAX;
    uint64_t mask = s->filter.mask ? s->filter.mask : UINT64_MAX;
    *f = (tact_hit){.state = TACT_HIT, .body = b, .user = tact_body_get_user(w, b)};
    if (!(category & tact_body_get_mask(w, b)) || !(mask & tact_body_get_category(w, b)))
        return false;
    if (s->filter.accept != NULL && !s->filter.accept(s->filter.context, b, f->user))
        return false;
    if (s->type == TACT_QUERY_RAY) {
        tact_ray_hit h = tact_shape_ray(shape, p, s->from, s->direction, max);
        f->t = h.t;
        f->point = h.point;
        f->normal = h.normal;
        return h.state == TACT_HIT;
    }
    if (s->type == TACT_QUERY_CAST) {
        tact_toi h = tact_shapes_cast(s->shape, s->transform, s->direction, shape, p);
        f->t = h.time;
        f->point = h.point;
        f->normal = h.normal;
        return h.state == TACT_HIT;
    }
    if (s->type == TACT_QUERY_OVERLAP) {
        if (deep) {
            tact_penetration d = tact_shapes_penetration(s->shape, s->transform, shape, p);
            f->distance = -d.depth;
            f->point = d.on_b;
            f->normal = d.normal;
        }
        return tact_shapes_overlap(s->shape, s->transform, shape, p, NULL).state == TACT_HIT;
    }
    if (s->shape == NULL) {
        tact_closest c = tact_shape_closest(shape, p, s->from);
        f->distance = c.distance;
        f->point = c.point;
        f->normal = c.normal;
    } else {
        tact_distance d = tact_shapes_distance(s->shape, s->transform, shape, p);
        f->distance = d.distance;
        f->point = d.on_b;
        f->normal = d.normal;
    }
    return f->distance <= max;
}

static int compare_found(const void *x, const void *y)
{
    const tact_hit *a = x, *b = y;
    if (a->t != b->t)
        return a->t < b->t ? -1 : 1;
    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    return order_of(a->user) < order_of(b->user) ? -1 : 1;
}

static size_t ask_all(const tact_world *w, const tact_query *s, bool deep, tact_hit *found)
{
    size_t count = 0;
    for (tact_body b = tact_world_next_body(w, none); b.generation != 0; b = tact_world_next_body(w, b))
        count += ask_one(w, s, b, deep, &found[count]);
    qsort(found, count, sizeof *found, compare_found);
    return count;
}

static bool equal(const tact_hit *a, const tact_hit *b)
{
    return a->status == b->status && a->state == b->state && a->body.index == b->body.index &&
           a->body.generation == b->body.generation && a->user == b->user && a->t == b->t &&
           a->distance == b->distance && vec_equal(a->point, b->point) && vec_equal(a->normal, b->normal);
}

typedef struct tally {
    size_t hits[5], misses[5], any, ties, full;
} tally;

static void check(const tact_world *w, const tact_query *s, uint64_t seed, int number, tally *t)
{
    static tact_hit expected[COUNT], found[COUNT];
    size_t count = ask_all(w, s, true, expected);
    tact_hit one = tact_world_query(w, s);
    assert_int_equal(one.status, TACT_OK);
    if (one.state != (count > 0 ? TACT_HIT : TACT_MISS))
        fail_msg("seed %llu, search %d of type %d: %s", (unsigned long long)seed, number, (int)s->type,
                 count > 0 ? "missed" : "found what is not there");
    ++(count > 0 ? t->hits : t->misses)[s->type];
    if (count > 0 && s->any) {
        bool known = false;
        for (size_t i = 0; i < count; ++i)
            known |= one.body.index == expected[i].body.index;
        assert_true(known);
        ++t->any;
    } else if (count > 0 && !equal(&one, &expected[0])) {
        fail_msg("seed %llu, search %d of type %d: another one is nearest, at %.17g instead of %.17g",
                 (unsigned long long)seed, number, (int)s->type, one.t + one.distance,
                 expected[0].t + expected[0].distance);
    }
    t->ties += count > 1 && expected[0].t == expected[1].t && expected[0].distance == expected[1].distance;

    count = ask_all(w, s, false, expected);
    size_t room = (size_t)number % 7 == 0 ? (size_t)number % 5 : COUNT;
    tact_count all = tact_world_query_all(w, s, room > 0 ? found : NULL, room);
    assert_int_equal(all.status, TACT_OK);
    if (all.count != count)
        fail_msg("seed %llu, search %d of type %d: %zu found instead of %zu", (unsigned long long)seed, number,
                 (int)s->type, all.count, count);
    t->full += count > room;
    for (size_t i = 0; i < count && i < room; ++i)
        if (!equal(&found[i], &expected[i]))
            fail_msg("seed %llu, search %d of type %d: another one is number %zu", (unsigned long long)seed, number,
                     (int)s->type, i);
}

static tact_world *make_world(uint64_t seed, tact_broad_phase broad, tact_shape **shapes, double spread)
{
    random_source r = random_seed(seed);
    tact_world *w = tact_world_create(&(tact_world_def){.broad_phase = broad});
    assert_non_null(w);
    uintptr_t order = 1;
    for (int i = 0; i < COUNT; ++i) {
        tact_body_def def = {.shape = shapes[random_between(&r, 0, SHAPES - 1)], .transform = random_place(&r, spread)};
        def.user = (void *)order++;
        def.category = random_chance(&r, 0.5) ? 0 : UINT64_C(1) << random_below(&r, 3);
        def.rotation_invariant_bounds = random_chance(&r, 0.3);
        tact_body b = tact_body_create(w, &def);
        assert_true(tact_body_exists(w, b));
        if (i % 10 == 5) { /* so that numbers are not in the order of making */
            assert_int_equal(tact_body_remove(w, b), TACT_OK);
            assert_int_equal(tact_world_test(w).status, TACT_OK);
        }
    }
    return w;
}

static void searches_are_those_of_every_body(void **state)
{
    (void)state;
    tact_shape *shapes[SHAPES];
    make_shapes(shapes);
    tally t = {0};
    uintptr_t step = 3;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        double spread = seed % 2 == 0 ? 2.5 : 5.0;
        tact_world *w = make_world(seed, (tact_broad_phase)(seed % 3), shapes, spread);
        random_source r = random_seed(seed + 100);
        for (int i = 0; i < (long_form() ? 400 : quick_form() ? 80 : 160); ++i) {
            if (i % 50 == 10) /* moved since the last test, and not tested again for a while */
                for (tact_body b = tact_world_next_body(w, none); b.generation != 0; b = tact_world_next_body(w, b))
                    if (random_chance(&r, 0.3))
                        assert_int_equal(tact_body_set_transform(w, b, random_place(&r, spread)), TACT_OK);
            if (i % 50 == 30)
                assert_int_equal(tact_world_test(w).status, TACT_OK);
            tact_query s = random_search(&r, shapes, 1.3 * spread, &step);
            check(w, &s, seed, i, &t);
        }
        tact_world_release(w);
    }
    release_shapes(shapes);
    print_message("hits %zu %zu %zu %zu, misses %zu %zu %zu %zu, any %zu, ties %zu, more than room %zu\n", t.hits[1],
                  t.hits[2], t.hits[3], t.hits[4], t.misses[1], t.misses[2], t.misses[3], t.misses[4], t.any, t.ties,
                  t.full);
    if (quick_form())
        return;
    for (int i = 1; i <= 4; ++i)
        assert_true(t.hits[i] > 40 && t.misses[i] > 8);
    assert_true(t.any > 40 && t.ties > 4 && t.full > 12);
}

static void piecewise(void *context, size_t count, size_t grain, tact_task *task, void *data)
{
    (void)context;
    (void)grain;
    for (size_t i = count; i-- > 0;)
        task(data, i, i + 1);
}

static void batches_are_the_same_on_any_threads(void **state)
{
    (void)state;
    const size_t searched = random_case_count(120, 300);
    tact_shape *shapes[SHAPES];
    make_shapes(shapes);
    uintptr_t step = 4;
    tact_query *searches = calloc(searched, sizeof *searches);
    tact_hit *golden = calloc(searched * (ROOM + 1), sizeof *golden);
    tact_hit *found = calloc(searched * (ROOM + 1), sizeof *found);
    tact_count *golden_counts = calloc(searched, sizeof *golden_counts), *counts = calloc(searched, sizeof *counts);
    assert_true(searches != NULL && golden != NULL && found != NULL && golden_counts != NULL && counts != NULL);
    random_source r = random_seed(9);
    for (size_t i = 0; i < searched; ++i) {
        searches[i] = random_search(&r, shapes, 4.0, &step);
        searches[i].any = false; /* which may depend on the broad phase */
    }
    searches[17].direction.x = NAN;
    searches[17].type = TACT_QUERY_RAY;
    const tact_parallel ways[] = {{.threads = 1}, {.threads = 2}, {.threads = 3}, {.threads = 8}, {.loop = piecewise}};
    for (int engine = 0; engine < 3; ++engine) {
        tact_world *w = make_world(4, (tact_broad_phase)engine, shapes, 3.0);
        for (size_t variant = 0; variant < sizeof ways / sizeof ways[0]; ++variant) {
            memset(found, 0, searched * (ROOM + 1) * sizeof *found);
            assert_int_equal(tact_world_query_batch(w, searches, searched, found, &ways[variant]), TACT_OK);
            assert_int_equal(
                tact_world_query_all_batch(w, searches, searched, found + searched, ROOM, counts, &ways[variant]),
                TACT_OK);
            if (engine == 0 && variant == 0) {
                memcpy(golden, found, searched * (ROOM + 1) * sizeof *found);
                memcpy(golden_counts, counts, searched * sizeof *counts);
            }
            for (size_t i = 0; i < searched; ++i) {
                assert_true(equal(&golden[i], &found[i]));
                tact_hit alone = tact_world_query(w, &searches[i]);
                assert_true(equal(&alone, &found[i]));
                assert_true(counts[i].status == golden_counts[i].status && counts[i].count == golden_counts[i].count);
                assert_int_equal(counts[i].status, i == 17 ? TACT_BAD_ARGUMENT : TACT_OK);
                for (size_t k = 0; k < ROOM; ++k) {
                    size_t place = searched + i * ROOM + k;
                    assert_true(equal(&golden[place], &found[place]));
                }
            }
        }
        assert_int_equal(tact_world_query_batch(w, searches, searched, found, NULL), TACT_OK);
        assert_true(equal(&golden[5], &found[5]));
        tact_world_release(w);
    }
    free(searches);
    free(golden);
    free(found);
    free(golden_counts);
    free(counts);
    release_shapes(shapes);
}

/* Twins in one place, the lowest number made last: the earliest is the nearest, whatever comes first. Their faces are
 * at 0, where floats are so dense that boxes are as tight as the queries; casts stop a little before that. */
static void of_equals_the_earliest_is_found(void **state)
{
    (void)state;
    tact_shape *shapes[] = {tact_box(2, 2, 2), tact_sphere(1), tact_point(tact_vec(0, 0, 0)), tact_box(1e4, 1e4, 1e4)};
    size_t count = sizeof shapes / sizeof shapes[0];
    for (int engine = 0; engine < 3; ++engine)
        for (size_t i = 0; i < count; ++i)
            for (size_t k = 0; k < count; ++k) {
                tact_world *w = tact_world_create(&(tact_world_def){.broad_phase = (tact_broad_phase)engine});
                tact_bounds bounds;
                assert_int_equal(tact_shape_bounds(shapes[i], tact_identity(), &bounds), TACT_OK);
                tact_body_def def = {.shape = shapes[i], .transform = tact_at(rint(bounds.max.x), 0, 0)};
                tact_body first = tact_body_create(w, &def); /* leaves the lowest number */
                assert_int_equal(tact_body_remove(w, first), TACT_OK);
                uintptr_t order = 1;
                for (int n = 0; n < 5; ++n) {
                    def.user = (void *)order++;
                    (void)tact_body_create(w, &def);
                    if (n == 3)
                        assert_int_equal(tact_world_test(w).status, TACT_OK); /* the next one gets it */
                }
                for (double gap = 1e-3; gap < 1e5; gap *= 7) {
                    assert_int_equal(tact_shape_bounds(shapes[k], tact_identity(), &bounds), TACT_OK);
                    tact_transform p = tact_at(-gap - rint(bounds.max.x), 0, 0);
                    tact_hit f = tact_world_cast(w, shapes[k], p, tact_vec(3 * gap, 0, 0), NULL);
                    if (f.status != TACT_OK || f.state != TACT_HIT || order_of(f.user) != 1)
                        fail_msg("cast of %zu to %zu, gap %g: number %d is found", k, i, gap, (int)order_of(f.user));
                    f = tact_world_closest_shape(w, shapes[k], p, INFINITY, NULL);
                    assert_true(f.status == TACT_OK && f.state == TACT_HIT && order_of(f.user) == 1);
                    f = tact_world_closest_point(w, tact_vec(-gap, 0, 0), INFINITY, NULL);
                    assert_true(f.status == TACT_OK && f.state == TACT_HIT && order_of(f.user) == 1);
                    f = tact_world_ray(w, tact_vec(-gap, 0, 0), tact_vec(0.3, 0, 0), INFINITY, NULL);
                    assert_true(f.status == TACT_OK && f.state == TACT_HIT && order_of(f.user) == 1);
                }
                tact_world_release(w);
            }
    for (size_t i = 0; i < count; ++i)
        tact_shape_release(shapes[i]);
}

/* A box by a support function that is a little off, as real ones are: smaller along the axes, where bounds are taken.
 */
static tact_vec3 sloppy_box(void *context, tact_vec3 d)
{
    (void)context;
    bool axis = (d.x != 0.0) + (d.y != 0.0) + (d.z != 0.0) == 1;
    double half = axis ? 1.0 : 1.0 + 1e-11;
    return tact_vec(copysign(half, d.x), copysign(half, d.y), copysign(half, d.z));
}

/* The same where a distance comes out smaller than that of the box around the body. */
static void of_sloppy_equals_the_earliest_is_found(void **state)
{
    (void)state;
    tact_shape *shape = tact_custom(sloppy_box, NULL, 2);
    random_source r = random_seed(8);
    size_t closer = 0;
    for (int engine = 0; engine < 3; ++engine) {
        tact_world *w = tact_world_create(&(tact_world_def){.broad_phase = (tact_broad_phase)engine});
        tact_body_def def = {.shape = shape, .transform = tact_at(1, 0, 0)};
        assert_int_equal(tact_body_remove(w, tact_body_create(w, &def)), TACT_OK);
        for (uintptr_t order = 1; order < 6; ++order) {
            def.user = (void *)order;
            (void)tact_body_create(w, &def);
            if (order == 4)
                assert_int_equal(tact_world_test(w).status, TACT_OK); /* the next one gets the lowest number */
        }
        for (int n = 0; n < 100; ++n) {
            tact_vec3 p = {-1, random_range(&r, -0.9, 0.9), random_range(&r, -0.9, 0.9)};
            tact_hit f = tact_world_closest_point(w, p, INFINITY, NULL);
            assert_true(f.state == TACT_HIT && order_of(f.user) == 1);
            closer += f.distance < 1.0 - 5e-12;
        }
        tact_world_release(w);
    }
    assert_true(closer > 100);
    tact_shape_release(shape);
}

static void short_forms_find_the_nearest(void **state)
{
    (void)state;
    tact_shape *sphere = tact_sphere(1), *probe = tact_sphere(0.5);
    tact_world *w = tact_world_create(NULL);
    int one = 0, two = 0;
    tact_body near =
        tact_body_create(w, &(tact_body_def){.shape = sphere, .transform = tact_at(5, 0, 0), .user = &one});
    tact_body far = tact_body_create(
        w, &(tact_body_def){.shape = sphere, .transform = tact_at(9, 0, 0), .user = &two, .category = 4});
    const tact_filter second = {.mask = 4};
    tact_hit f = tact_world_ray(w, tact_vec(0, 0, 0), tact_vec(2, 0, 0), INFINITY, NULL);
    /* both have all bits but `near` has the bit 4, too: it is nearer */
    assert_true(f.status == TACT_OK && f.state == TACT_HIT && f.user == &one && f.t == 2 && f.point.x == 4 &&
                f.normal.x == -1);
    assert_int_equal(tact_body_set_filter(w, near, 3, 0), TACT_OK);
    f = tact_world_ray(w, tact_vec(0, 0, 0), tact_vec(2, 0, 0), INFINITY, &second);
    assert_true(f.user == &two && f.t == 4);
    assert_int_equal(tact_world_ray(w, tact_vec(0, 0, 0), tact_vec(2, 0, 0), 1.9, NULL).state, TACT_MISS);
    f = tact_world_cast(w, probe, tact_identity(), tact_vec(7, 0, 0), NULL);
    assert_true(f.user == &one && fabs(f.t - 0.5) < 1e-6 && fabs(f.point.x - 4) < 1e-6 && f.normal.x > 0.999);
    assert_int_equal(tact_world_cast(w, probe, tact_identity(), tact_vec(3, 0, 0), NULL).state, TACT_MISS);
    f = tact_world_overlap(w, sphere, tact_at(7.5, 0, 0), NULL);
    assert_true(f.user == &two && fabs(f.distance + 0.5) < 1e-12 && fabs(f.point.x - 8) < 1e-12 && f.normal.x == 1);
    assert_int_equal(tact_world_overlap(w, sphere, tact_at(0, 0, 0), NULL).state, TACT_MISS);
    f = tact_world_closest_point(w, tact_vec(0, 0, 0), INFINITY, NULL);
    assert_true(f.user == &one && f.distance == 4 && f.point.x == 4);
    assert_int_equal(tact_world_closest_point(w, tact_vec(0, 0, 0), 3.9, NULL).state, TACT_MISS);
    f = tact_world_closest_point(w, tact_vec(9.5, 0, 0), 0, NULL); /* inside */
    assert_true(f.user == &two && f.distance == -0.5);
    f = tact_world_closest_shape(w, probe, tact_identity(), INFINITY, NULL);
    assert_true(f.user == &one && f.distance == 3.5 && f.point.x == 4 && f.normal.x == 1);
    assert_int_equal(tact_world_closest_shape(w, probe, tact_identity(), 3.4, NULL).state, TACT_MISS);
    assert_int_equal(tact_body_remove(w, near), TACT_OK);
    f = tact_world_closest_shape(w, probe, tact_identity(), INFINITY, NULL);
    assert_true(f.user == &two && f.body.index == far.index);
    tact_world_release(w);
    tact_shape_release(sphere);
    tact_shape_release(probe);
}

static tact_vec3 no_number(void *context, tact_vec3 direction)
{
    (void)direction;
    return *(const bool *)context ? tact_vec(NAN, NAN, NAN) : tact_vec(0, 0, 0);
}

static void garbage_is_refused(void **state)
{
    (void)state;
    bool broken = false;
    tact_shape *sphere = tact_sphere(1), *odd = tact_custom(no_number, &broken, 1);
    tact_world *w = tact_world_create(NULL);
    for (int i = 0; i < 5; ++i)
        (void)tact_body_create(w, &(tact_body_def){.shape = sphere, .transform = tact_at(i, 0, 0)});
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e200};
    tact_hit found[5];
    for (int type = -1; type < 7; ++type)
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
            for (int member = 0; member < 20; ++member) {
                tact_query s = {.type = (tact_query_type)type, .shape = sphere, .transform = tact_identity()};
                s.direction = tact_vec(1, 0, 0);
                double place[12];
                memcpy(place, &s.transform, sizeof place);
                if (member < 12)
                    place[member] = bad[i];
                memcpy(&s.transform, place, sizeof place);
                double *others[] = {&s.from.x,      &s.from.y,      &s.from.z, &s.direction.x,
                                    &s.direction.y, &s.direction.z, &s.max};
                if (member >= 12 && member < 19)
                    *others[member - 12] = bad[i];
                if (member >= 12 && member < 15 && type == TACT_QUERY_CLOSEST)
                    s.shape = NULL;
                tact_hit f = tact_world_query(w, &s);
                tact_count all = tact_world_query_all(w, &s, found, 5);
                assert_true(vec_finite(f.point) && vec_finite(f.normal) && f.t - f.t == 0.0 &&
                            f.distance - f.distance == 0.0);
                bool known = type >= 1 && type <= 4;
                bool uses = member < 12   ? type != TACT_QUERY_RAY
                            : member < 15 ? type == TACT_QUERY_RAY || s.shape == NULL
                            : member < 18 ? type == TACT_QUERY_RAY || type == TACT_QUERY_CAST
                            : member < 19 ? !(bad[i] >= 0.0)
                                          : false;
                assert_int_equal(f.status, known && !uses ? TACT_OK : TACT_BAD_ARGUMENT);
                assert_int_equal(all.status, f.status);
                assert_true(f.state == (f.status == TACT_OK ? TACT_HIT : TACT_UNKNOWN));
                assert_true((all.count > 0) == (f.status == TACT_OK));
            }
    tact_query s = {.type = TACT_QUERY_RAY};
    assert_int_equal(tact_world_query(w, &s).status, TACT_BAD_ARGUMENT); /* no direction */
    s = (tact_query){.type = TACT_QUERY_CAST, .direction = {1, 0, 0}};
    assert_int_equal(tact_world_query(w, &s).status, TACT_BAD_ARGUMENT); /* no shape */
    s.type = TACT_QUERY_OVERLAP;
    assert_int_equal(tact_world_query(w, &s).status, TACT_BAD_ARGUMENT);
    s.shape = sphere;
    assert_int_equal(tact_world_query(w, NULL).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_query(NULL, &s).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_query_all(w, &s, NULL, 1).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_query_all(NULL, &s, found, 1).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_query_all(w, &s, NULL, 0).count, 3);
    assert_int_equal(tact_world_query_batch(w, NULL, 1, found, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_query_batch(w, &s, 1, NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_query_batch(NULL, &s, 1, found, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_query_batch(NULL, NULL, 0, NULL, NULL), TACT_OK);
    tact_count count;
    assert_int_equal(tact_world_query_all_batch(w, &s, 1, NULL, 1, &count, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_query_all_batch(w, &s, 1, found, 1, NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_query_all_batch(w, &s, 1, NULL, 0, &count, NULL), TACT_OK);
    assert_int_equal(count.count, 3);
    assert_int_equal(tact_world_closest_shape(w, NULL, tact_identity(), 1, NULL).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_ray(w, tact_vec(0, 0, 0), tact_vec(1, 0, 0), -1, NULL).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_closest_point(w, tact_vec(0, 0, 0), NAN, NULL).status, TACT_BAD_ARGUMENT);

    /* a body whose query fails: the others are examined, and the status reports it */
    (void)tact_body_create(w, &(tact_body_def){.shape = odd, .transform = tact_at(-1, 0, 0)});
    s = (tact_query){.type = TACT_QUERY_CLOSEST, .from = {-5, 0, 0}};
    assert_true(tact_world_query(w, &s).distance == 4);
    broken = true;
    tact_hit f = tact_world_query(w, &s);
    tact_count all = tact_world_query_all(w, &s, found, 5);
    assert_true(f.status != TACT_OK && f.state == TACT_HIT && f.distance == 4 && all.status == f.status &&
                all.count == 5);
    for (tact_body b = tact_world_next_body(w, none), next; b.generation != 0; b = next) {
        next = tact_world_next_body(w, b);
        if (tact_body_get_shape(w, b) == sphere)
            assert_int_equal(tact_body_remove(w, b), TACT_OK);
    }
    f = tact_world_query(w, &s);
    assert_true(f.status != TACT_OK && f.state == TACT_UNKNOWN);
    tact_world_release(w);
    tact_shape_release(sphere);
    tact_shape_release(odd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_are_those_of_every_body), cmocka_unit_test(batches_are_the_same_on_any_threads),
        cmocka_unit_test(of_equals_the_earliest_is_found),  cmocka_unit_test(of_sloppy_equals_the_earliest_is_found),
        cmocka_unit_test(short_forms_find_the_nearest),     cmocka_unit_test(garbage_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
