/*
 * The work of stateless queries: counted, reported and limited, with every limit on every query. A query that is
 * cancelled says so and returns what it has found: upper bounds of distances, times before which nothing touches,
 * contacts. With enough work it is the query without a limit, bit for bit. In batches nothing depends on threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <tact/tact.h>

#include "support/random.h"

#define MOST_POINTS 4000

/* ---- scenes --------------------------------------------------------------------------------------------------------
 */

enum { TRIANGLES = 60, SCENES = 5 };

typedef struct scene {
    tact_shape *a, *b;
    tact_transform at_a, at_b;
    tact_motion motion;
} scene;

/* Triangles around a point, of this size, in a cube of this width. */
static tact_shape *triangles(random_source *r, double size, double width, bool solid)
{
    static tact_vec3 vertices[3 * TRIANGLES];
    static uint32_t indices[3 * TRIANGLES];
    for (int i = 0; i < TRIANGLES; ++i) {
        const tact_vec3 centre =
            tact_vec(random_range(r, -width, width), random_range(r, -width, width), random_range(r, -width, width));
        for (int k = 0; k < 3; ++k) {
            vertices[3 * i + k] =
                tact_vec(centre.x + random_range(r, -size, size), centre.y + random_range(r, -size, size),
                         centre.z + random_range(r, -size, size));
            indices[3 * i + k] = (uint32_t)(3 * i + k);
        }
    }
    return tact_mesh_create(&(tact_mesh_def){.vertices = {.data = vertices, .count = 3 * TRIANGLES},
                                             .indices = indices,
                                             .index_count = 3 * TRIANGLES,
                                             .solid = solid},
                            NULL);
}

static tact_shape *compound_of_balls(random_source *r)
{
    const tact_shape *parts[24];
    tact_transform at[24];
    tact_shape *ball = tact_sphere(0.4), *box = tact_box(0.5, 0.3, 0.7);
    for (int i = 0; i < 24; ++i) {
        parts[i] = i % 2 == 0 ? ball : box;
        at[i] = tact_at(random_range(r, -1.0, 1.0), random_range(r, -1.0, 1.0), random_range(r, -1.0, 1.0));
    }
    tact_shape *all = tact_compound(parts, at, 24);
    tact_shape_release(ball);
    tact_shape_release(box);
    return all;
}

static scene make_scene(int kind)
{
    random_source r = random_seed((uint64_t)kind + 1);
    scene s = {.at_a = tact_identity(), .at_b = tact_at(0.2, 0.1, -0.1), .motion = tact_motion_linear(-3.0, 0.2, 0.1)};
    const double apart = kind % 2 == 0 ? 0.0 : 3.4; /* they cross, or are apart */
    s.at_b.origin.x += apart;
    s.a = kind == 4 ? compound_of_balls(&r) : triangles(&r, 0.6, 1.0, kind == 2);
    s.b = kind >= 3 ? compound_of_balls(&r) : triangles(&r, 0.6, 1.0, kind == 2);
    s.motion.spin = tact_vec(1.0, 2.0, 0.5);
    assert_true(s.a != NULL && s.b != NULL);
    return s;
}

static void release(const scene *s)
{
    tact_shape_release(s->a);
    tact_shape_release(s->b);
}

/* ---- queries -------------------------------------------------------------------------------------------------------
 */

typedef enum query_kind {
    DISTANCE,
    OVERLAP,
    WITHIN,
    COMMON_POINT,
    PENETRATION,
    MANIFOLD,
    CONTACTS,
    INTERSECTIONS,
    RAY,
    CLOSEST,
    CONTAINS,
    TIME_OF_IMPACT,
    CAST,
    QUERIES
} query_kind;

typedef struct answer {
    union {
        tact_distance distance;
        tact_overlap overlap;
        tact_common_point common;
        tact_penetration penetration;
        tact_manifold manifold;
        tact_contacts contacts;
        tact_intersections intersections;
        tact_ray_hit ray;
        tact_closest closest;
        tact_toi toi;
        tact_status status; /* the first member of each */
    } as;
    size_t stored; /* bytes of the list */
} answer;

static union {
    tact_contact_point points[MOST_POINTS];
    tact_intersection segments[MOST_POINTS];
} list, whole_list;

static answer ask(query_kind kind, const scene *s)
{
    answer out;
    memset(&out, 0, sizeof out);
    const tact_vec3 from = tact_vec(-4.0, 0.1, 0.2), direction = tact_vec(1.0, 0.01, -0.02);
    switch (kind) {
    case DISTANCE:
        out.as.distance = tact_shapes_distance(s->a, s->at_a, s->b, s->at_b);
        break;
    case OVERLAP:
        out.as.overlap = tact_shapes_overlap(s->a, s->at_a, s->b, s->at_b, NULL);
        break;
    case WITHIN:
        out.as.overlap = tact_shapes_within(s->a, s->at_a, s->b, s->at_b, 0.3, NULL);
        break;
    case COMMON_POINT:
        out.as.common = tact_shapes_common_point(s->a, s->at_a, s->b, s->at_b, NULL);
        break;
    case PENETRATION:
        out.as.penetration = tact_shapes_penetration(s->a, s->at_a, s->b, s->at_b);
        break;
    case MANIFOLD:
        out.as.manifold = tact_shapes_manifold(s->a, s->at_a, s->b, s->at_b, 0.1);
        break;
    case CONTACTS:
        out.as.contacts = tact_shapes_contacts(s->a, s->at_a, s->b, s->at_b, 0.1, list.points, MOST_POINTS);
        out.stored = out.as.contacts.count * sizeof *list.points;
        break;
    case INTERSECTIONS:
        out.as.intersections = tact_shapes_intersections(s->a, s->at_a, s->b, s->at_b, list.segments, MOST_POINTS);
        out.stored = out.as.intersections.count * sizeof *list.segments;
        break;
    case RAY:
        out.as.ray = tact_shape_ray(s->a, s->at_a, from, direction, INFINITY);
        break;
    case CLOSEST:
        out.as.closest = tact_shape_closest(s->a, s->at_a, from);
        break;
    case CONTAINS:
        out.as.overlap = tact_shape_contains(s->a, s->at_a, tact_vec(0.1, 0.2, 0.0));
        break;
    case TIME_OF_IMPACT:
        out.as.toi = tact_shapes_time_of_impact(s->a, s->at_a, tact_motion_still(), s->b, s->at_b, s->motion, 1.0);
        break;
    default:
        out.as.toi = tact_shapes_cast(s->b, s->at_b, tact_vec(-5.0, 0.3, 0.1), s->a, s->at_a);
        break;
    }
    return out;
}

static bool same_point(tact_vec3 a, tact_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* Whether two answers agree in all that is compared of them; with their lists. */
static bool same_answer(query_kind kind, const answer *a, const answer *b)
{
    bool same = a->as.status == b->as.status && a->stored == b->stored;
    switch (kind) {
    case DISTANCE:
        return same && a->as.distance.distance == b->as.distance.distance &&
               same_point(a->as.distance.on_a, b->as.distance.on_a);
    case PENETRATION:
        return same && a->as.penetration.depth == b->as.penetration.depth &&
               same_point(a->as.penetration.on_a, b->as.penetration.on_a);
    case MANIFOLD:
        return same && a->as.manifold.count == b->as.manifold.count && a->as.manifold.depth == b->as.manifold.depth;
    case CONTACTS:
        for (size_t i = 0; same && i < a->as.contacts.count; ++i)
            same = same_point(list.points[i].on_a, whole_list.points[i].on_a) &&
                   list.points[i].depth == whole_list.points[i].depth;
        return same && a->as.contacts.count == b->as.contacts.count;
    case INTERSECTIONS:
        for (size_t i = 0; same && i < a->as.intersections.count; ++i)
            same = same_point(list.segments[i].from, whole_list.segments[i].from) &&
                   same_point(list.segments[i].to, whole_list.segments[i].to);
        return same && a->as.intersections.count == b->as.intersections.count;
    case RAY:
        return same && a->as.ray.state == b->as.ray.state && a->as.ray.t == b->as.ray.t;
    case CLOSEST:
        return same && a->as.closest.distance == b->as.closest.distance;
    case TIME_OF_IMPACT:
    case CAST:
        return same && a->as.toi.state == b->as.toi.state && a->as.toi.time == b->as.toi.time;
    case COMMON_POINT:
        return same && a->as.common.state == b->as.common.state && same_point(a->as.common.point, b->as.common.point);
    default:
        return same && a->as.overlap.state == b->as.overlap.state;
    }
}

/* What a cancelled query may say, given the whole answer. */
static void check_cancelled(query_kind kind, const answer *part, const answer *whole)
{
    switch (kind) {
    case DISTANCE:
        assert_true(part->as.distance.distance >= whole->as.distance.distance);
        break;
    case OVERLAP:
    case WITHIN:
    case CONTAINS:
        assert_int_equal(part->as.overlap.state, TACT_UNKNOWN);
        break;
    case COMMON_POINT:
        assert_int_equal(part->as.common.state, TACT_UNKNOWN);
        break;
    case CONTACTS:
        assert_int_equal(part->as.contacts.state, part->as.contacts.count > 0 ? TACT_HIT : TACT_UNKNOWN);
        for (size_t i = 0; i < part->as.contacts.count; ++i)
            assert_true(isfinite(list.points[i].depth) && (i == 0 || list.points[i].depth <= list.points[i - 1].depth));
        break;
    case INTERSECTIONS:
        assert_int_equal(part->as.intersections.state, part->as.intersections.count > 0 ? TACT_HIT : TACT_UNKNOWN);
        assert_true(part->as.intersections.count <= whole->as.intersections.count);
        break;
    case RAY:
        assert_int_equal(part->as.ray.state, TACT_UNKNOWN);
        break;
    case TIME_OF_IMPACT:
    case CAST:
        assert_int_equal(part->as.toi.state, TACT_UNKNOWN);
        assert_true(part->as.toi.time >= 0.0 && part->as.toi.time <= whole->as.toi.time);
        break;
    default:
        break;
    }
}

static void every_limit_on_every_query(void **state)
{
    (void)state;
    long cancelled[QUERIES] = {0}, bounds = 0, times = 0, lists = 0;
    for (int k = 0; k < SCENES; ++k) {
        const scene s = make_scene(k);
        for (query_kind kind = 0; kind < QUERIES; ++kind) {
            const answer free_answer = ask(kind, &s);
            assert_true(free_answer.as.status != TACT_CANCELLED);
            whole_list = list;
            assert_int_equal(tact_work_begin((tact_progress){.work_limit = 0}), TACT_OK);
            const answer counted = ask(kind, &s);
            const tact_work work = tact_work_end();
            assert_false(work.cancelled);
            assert_true(same_answer(kind, &counted, &free_answer));
            for (uint64_t limit = 1; limit < 2 * work.units + 2; limit += 1 + limit / 8) {
                const answer *whole = &free_answer;
                assert_int_equal(tact_work_begin((tact_progress){.work_limit = limit}), TACT_OK);
                const answer part = ask(kind, &s);
                const tact_work done = tact_work_end();
                if (limit >= work.units || !done.cancelled) {
                    assert_false(done.cancelled);
                    assert_true(same_answer(kind, &part, whole));
                    continue;
                }
                if (part.as.status != TACT_CANCELLED)
                    fail_msg("scene %d, query %d, limit %llu of %llu: status %d", k, (int)kind,
                             (unsigned long long)limit, (unsigned long long)work.units, (int)part.as.status);
                ++cancelled[kind];
                check_cancelled(kind, &part, whole);
                bounds += kind == DISTANCE && isfinite(part.as.distance.distance);
                times += kind == TIME_OF_IMPACT && part.as.toi.time > 0.0;
                lists += (kind == CONTACTS && part.as.contacts.count > 0) ||
                         (kind == INTERSECTIONS && part.as.intersections.count > 0);
            }
        }
        release(&s);
    }
    for (int kind = 0; kind < QUERIES; ++kind)
        printf("%ld ", cancelled[kind]);
    printf("cancelled; %ld upper bounds, %ld times, %ld lists\n", bounds, times, lists);
    for (int kind = 0; kind < QUERIES; ++kind)
        assert_true(cancelled[kind] >= 4);
    assert_true(bounds >= 5 && times >= 5 && lists >= 10);
}

/* A patch of a surface. */
static tact_shape *patch(random_source *r, double height)
{
    tact_vec3 points[16];
    static const double knots[8] = {0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0};
    for (int i = 0; i < 16; ++i)
        points[i] = tact_vec(i % 4, height + random_range(r, -0.7, 0.7), i / 4);
    return tact_nurbs(&(tact_nurbs_def){.degree = {3, 3}, .counts = {4, 4}, .knots = {knots, knots}, .points = points});
}

static void every_limit_on_surfaces(void **state)
{
    (void)state;
    random_source r = random_seed(3);
    tact_shape *a = patch(&r, 0.0), *b = patch(&r, 0.3), *ball = tact_sphere(0.5);
    const tact_transform here = tact_identity(), there = tact_at(0.2, 0.1, -0.1), over = tact_at(1.4, 0.4, 1.5);
    tact_contact_point contact;
    assert_true(tact_shapes_contacts(a, here, ball, over, 1.0, &contact, 1).count > 0);
    static tact_nurbs_intersection curves[100];
    static tact_nurbs_node nodes[10000];
    long cancelled[3] = {0}, complete[3] = {0};
    for (int query = 0; query < 3; ++query)
        for (uint64_t limit = 1; complete[query] == 0; limit += 1 + limit / 2) {
            tact_status status = TACT_OK;
            assert_int_equal(tact_work_begin((tact_progress){.work_limit = limit}), TACT_OK);
            if (query == 0)
                status = tact_nurbs_refine_contact(a, here, ball, over, &contact).status;
            if (query == 1)
                status = tact_nurbs_distance(a, here, b, there, NULL).status;
            if (query == 2)
                status = tact_nurbs_intersect(a, here, b, there, NULL, curves, 100, nodes, 10000).status;
            const bool stopped = tact_work_end().cancelled;
            assert_int_equal(status, stopped ? TACT_CANCELLED : TACT_OK);
            ++*(stopped ? &cancelled[query] : &complete[query]);
        }
    for (int query = 0; query < 3; ++query)
        assert_true(cancelled[query] > 0);
    tact_shape_release(a);
    tact_shape_release(b);
    tact_shape_release(ball);
}

/* With room for one segment: a query that is cancelled says so, and no number of segments that would not suffice. */
static void cancelled_with_too_small_an_array(void **state)
{
    (void)state;
    const scene s = make_scene(0);
    long found = 0, full = 0;
    for (uint64_t limit = 1; limit < 5000; limit += 1 + limit / 16) {
        assert_int_equal(tact_work_begin((tact_progress){.work_limit = limit}), TACT_OK);
        const tact_intersections part = tact_shapes_intersections(s.a, s.at_a, s.b, s.at_b, list.segments, 1);
        const bool cancelled = tact_work_end().cancelled;
        assert_int_equal(part.status, cancelled ? TACT_CANCELLED : TACT_OUT_OF_MEMORY);
        assert_true(cancelled ? part.count <= 1 : part.count > 1);
        found += cancelled && part.state == TACT_HIT && part.count == 0;
        full += !cancelled;
    }
    assert_true(found > 0 && full > 0);
    release(&s);
}

/* ---- scopes --------------------------------------------------------------------------------------------------------
 */

static bool stop_at_second(void *context, uint64_t work)
{
    int *calls = context;
    assert_true(work > 0);
    return ++*calls < 2;
}

static void scopes_count_and_end(void **state)
{
    (void)state;
    const scene s = make_scene(0);
    assert_int_equal(tact_work_end().units, 0); /* nothing was begun */
    assert_int_equal(tact_work_begin((tact_progress){.work_limit = 0}), TACT_OK);
    assert_int_equal(tact_work_begin((tact_progress){.work_limit = 0}), TACT_BAD_ARGUMENT);
    (void)ask(CONTACTS, &s);
    const uint64_t once = tact_work_end().units;
    assert_true(once > 100);
    assert_int_equal(tact_work_begin((tact_progress){.work_limit = once + 10}), TACT_OK);
    assert_int_equal(ask(CONTACTS, &s).as.status, TACT_OK);
    assert_int_equal(ask(CONTACTS, &s).as.status, TACT_CANCELLED); /* the limit is of both */
    assert_int_equal(ask(DISTANCE, &s).as.status, TACT_CANCELLED);
    tact_shape *ball = tact_sphere(1.0);
    assert_int_equal(tact_shapes_distance(ball, s.at_a, ball, s.at_b).status, TACT_OK); /* not counted */
    assert_int_equal(tact_shapes_distance(NULL, s.at_a, ball, s.at_b).status, TACT_BAD_ARGUMENT);
    assert_true(tact_work_end().cancelled);
    assert_int_equal(ask(CONTACTS, &s).as.status, TACT_OK);
    int calls = 0;
    assert_int_equal(tact_work_begin((tact_progress){.callback = stop_at_second, .context = &calls}), TACT_OK);
    tact_status status = TACT_OK;
    for (int i = 0; i < 1000 && status == TACT_OK; ++i)
        status = ask(CONTACTS, &s).as.status;
    assert_int_equal(status, TACT_CANCELLED);
    assert_true(tact_work_end().cancelled);
    assert_int_equal(calls, 2);
    tact_shape_release(ball);
    release(&s);
}

/* A square with many holes. */
static tact_shape *square_with_holes(tact_report *report)
{
    enum { ACROSS = 8, HOLES = ACROSS * ACROSS };
    static tact_vec3 vertices[4 + 4 * HOLES];
    static uint32_t indices[4 + 4 * HOLES], sizes[1 + HOLES];
    for (uint32_t i = 0; i < 4 + 4 * HOLES; ++i) {
        const uint32_t hole = i / 4 - 1, corner = i % 4;
        const double x = corner == 1 || corner == 2, y = corner >= 2;
        vertices[i] = i < 4 ? tact_vec(2.0 * ACROSS * x, 2.0 * ACROSS * y, 0.0)
                            : tact_vec(2.0 * (hole % ACROSS) + 0.5 + y, 2.0 * (hole / ACROSS) + 0.5 + x, 0.0);
        indices[i] = i;
        sizes[i / 4] = 4;
    }
    return tact_mesh_create(&(tact_mesh_def){.vertices = {.data = vertices, .count = 4 + 4 * HOLES},
                                             .indices = indices,
                                             .index_count = 4 + 4 * HOLES,
                                             .loop_sizes = sizes,
                                             .loop_count = 1 + HOLES,
                                             .loops_per_face = (uint32_t[]){1 + HOLES},
                                             .face_count = 1},
                            report);
}

static void making_and_checking_shapes_is_not_counted(void **state)
{
    (void)state;
    const scene s = make_scene(0);
    tact_report report;
    tact_shape *whole = square_with_holes(&report);
    assert_non_null(whole);
    const tact_mesh_findings all = tact_mesh_check(s.a);
    assert_true(all.status == TACT_OK && all.self_intersections > 0);
    assert_int_equal(tact_work_begin((tact_progress){.work_limit = 5}), TACT_OK);
    assert_int_equal(ask(CONTACTS, &s).as.status, TACT_CANCELLED);
    const tact_mesh_findings found = tact_mesh_check(s.a);
    assert_true(found.status == TACT_OK && found.self_intersections == all.self_intersections);
    tact_shape *other = square_with_holes(&report);
    assert_true(tact_work_end().units <= 5);
    assert_non_null(other);
    const tact_vec3 down = {0.0, 0.0, -1.0};
    for (int i = 0; i < 16 * 16; ++i) {
        const tact_vec3 from = tact_vec(i % 16 + 0.3, 0.9 + 0.9 * (i / 16), 1.0);
        assert_int_equal(tact_shape_ray(other, tact_identity(), from, down, 2.0).state,
                         tact_shape_ray(whole, tact_identity(), from, down, 2.0).state);
    }
    assert_int_equal(tact_work_begin((tact_progress){.work_limit = 0}), TACT_OK);
    tact_shape_release(square_with_holes(&report));
    (void)tact_mesh_check(s.a);
    assert_int_equal(tact_work_end().units, 0);
    tact_shape_release(other);
    tact_shape_release(whole);
    release(&s);
}

/* ---- batches -------------------------------------------------------------------------------------------------------
 */

static bool go_on(void *context, uint64_t work)
{
    (void)context;
    return work > 0;
}

static void batches_do_not_depend_on_threads(void **state)
{
    (void)state;
    enum { PAIRS = 2000 };
    static tact_pair pairs[PAIRS];
    static tact_distance first[PAIRS], other[PAIRS];
    const scene s = make_scene(1);
    random_source r = random_seed(5);
    for (int i = 0; i < PAIRS; ++i) {
        pairs[i] = (tact_pair){s.a, s.b, s.at_a, s.at_b};
        pairs[i].transform_b.origin.x += random_range(&r, -3.0, 2.0);
    }
    for (uint64_t limit = 50; limit < 5000000; limit *= 10) {
        tact_work work[2];
        for (int threads = 1; threads <= 4; ++threads) {
            const tact_parallel parallel = {.threads = threads};
            const tact_progress progress = {.work_limit = limit, .callback = threads % 2 == 0 ? go_on : NULL};
            assert_int_equal(tact_work_begin(progress), TACT_OK);
            assert_int_equal(tact_distance_batch(pairs, PAIRS, threads == 1 ? first : other, &parallel), TACT_OK);
            work[threads > 1] = tact_work_end();
            if (threads > 1) {
                for (int i = 0; i < PAIRS; ++i)
                    assert_true(first[i].status == other[i].status && first[i].distance == other[i].distance);
                assert_true(work[0].units == work[1].units && work[0].cancelled == work[1].cancelled);
            }
        }
        long cancelled = 0;
        for (int i = 0; i < PAIRS; ++i)
            cancelled += first[i].status == TACT_CANCELLED;
        printf("limit %llu: %llu units, %ld of %d cancelled\n", (unsigned long long)limit,
               (unsigned long long)work[0].units, cancelled, PAIRS);
        assert_true(limit > 50 || cancelled > 0);
        assert_true(limit < 500000 || cancelled == 0);
        assert_true(cancelled == 0 || work[0].cancelled);
    }
    release(&s);
}

typedef struct reports {
    long calls, most; /* most: as many are allowed */
    uint64_t last;
    bool ordered;
} reports;

static bool note(void *context, uint64_t work)
{
    reports *r = context;
    r->ordered = r->ordered && work > r->last;
    r->last = work;
    return ++r->calls < r->most;
}

/* Batches of small items, alone and after another query: about as many reports as one long query has, in order, and
 * they can be cancelled. */
static void batches_report(void **state)
{
    (void)state;
    enum { PAIRS = 3000 };
    static tact_pair pairs[PAIRS];
    static tact_distance found[PAIRS];
    const scene s = make_scene(1);
    for (int i = 0; i < PAIRS; ++i) {
        pairs[i] = (tact_pair){s.a, s.b, s.at_a, s.at_b};
        pairs[i].transform_b.origin.x += 3.0 + 0.001 * i;
    }
    for (int kind = 0; kind < 12; ++kind) {
        const bool after = kind % 2 == 1, stops = kind / 2 % 2 == 1;
        const tact_parallel parallel = {.threads = 1 + kind / 4};
        reports r = {.most = stops ? 3 : 1000000, .ordered = true};
        assert_int_equal(tact_work_begin((tact_progress){.callback = note, .context = &r}), TACT_OK);
        if (after)
            (void)tact_distance_batch(pairs, 1, found, NULL);
        for (int half = 0; half < 2; ++half)
            assert_int_equal(tact_distance_batch(pairs, PAIRS / 2, found, &parallel), TACT_OK);
        const tact_work work = tact_work_end();
        printf("%d threads: %llu units, %ld reports\n", parallel.threads, (unsigned long long)work.units, r.calls);
        assert_true(r.ordered && r.last <= work.units && work.cancelled == stops);
        assert_true((uint64_t)r.calls <= work.units / 2048);
        if (stops)
            assert_true(r.calls == 3 && found[PAIRS / 2 - 1].status == TACT_CANCELLED);
        else
            assert_true(work.units > 50000 &&
                        (uint64_t)r.calls >= work.units / 2048 / (uint64_t)(4 * parallel.threads));
    }
    release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_limit_on_every_query),
        cmocka_unit_test(every_limit_on_surfaces),
        cmocka_unit_test(cancelled_with_too_small_an_array),
        cmocka_unit_test(scopes_count_and_end),
        cmocka_unit_test(making_and_checking_shapes_is_not_counted),
        cmocka_unit_test(batches_do_not_depend_on_threads),
        cmocka_unit_test(batches_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
