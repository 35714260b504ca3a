/*
 * What a simulator wants to know from frame to frame: all contact points, whether a contact begins, persists or has
 * ended, and pairs within reach. Random worlds of balls and boxes are compared with a model that knows only centres and
 * sizes.
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

#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/vec.h"
#include "world/world_log.h"

/* ---- a model ---- */

enum { MODEL_BODIES = 24, MODEL_PAIRS = MODEL_BODIES * MODEL_BODIES };

typedef struct model_body {
    tact_body handle;
    bool exists, is_ball, silent; /* silent: its own response has no callback */
    tact_vec3 at;
    double half, reach; /* radius, or half the edge */
    uint64_t category, mask;
    long order; /* of creation */
} model_body;

/* Handles as one number, which outlives the body. */
typedef struct model_pair {
    tact_body a, b;
} model_pair;

typedef struct model_call {
    model_pair pair;
    tact_phase phase;
    double depth;
    size_t points;
} model_call;

typedef struct model {
    tact_world *world;
    model_body bodies[MODEL_BODIES];
    long created;
    model_pair last[MODEL_PAIRS];
    size_t last_count;
    model_call calls[2 * MODEL_PAIRS]; /* of the callback */
    size_t call_count;
    tact_want want;
    bool report_end;
} model;

static void note_phase(void *context, const tact_contact *c)
{
    model *m = context;
    model_call *call = &m->calls[m->call_count++];
    *call = (model_call){{c->a, c->b}, c->phase, c->depth, c->point_count};
    assert_int_equal(c->status, TACT_OK);
    assert_int_equal(c->want, m->want);
    assert_null(c->event);
    if (c->phase == TACT_PHASE_END) {
        assert_true(c->point_count == 0 && c->points == NULL && c->manifold == NULL && c->depth == 0.0);
        assert_true(tact_body_exists(m->world, c->a) || c->user_a == NULL);
        assert_true(tact_body_exists(m->world, c->b) || c->user_b == NULL);
    } else if (m->want == TACT_CONTACT_POINTS) {
        assert_true(c->point_count > 0 && c->points != NULL);
        assert_true(c->depth == c->points[0].depth && vec_equal(c->normal, c->points[0].normal));
    }
}

/* The distance of two bodies; 0 or negative if they overlap. */
static double model_gap(const model_body *a, const model_body *b)
{
    tact_vec3 d = vec_sub(b->at, a->at);
    d = vec_make(fabs(d.x), fabs(d.y), fabs(d.z));
    if (a->is_ball && b->is_ball)
        return vec_length(d) - a->half - b->half;
    const double box = (a->is_ball ? 0.0 : a->half) + (b->is_ball ? 0.0 : b->half),
                 ball = (a->is_ball ? a->half : 0.0) + (b->is_ball ? b->half : 0.0);
    const tact_vec3 out = {fmax(d.x - box, 0.0), fmax(d.y - box, 0.0), fmax(d.z - box, 0.0)};
    return vec_length(out) - ball;
}

static bool model_reports(const model *m, const model_body *a, const model_body *b)
{
    const bool has_gap = m->want == TACT_CONTACTS || m->want == TACT_CONTACT_POINTS;
    const model_body *first = a->order < b->order ? a : b, *second = first == a ? b : a;
    return a->exists && b->exists && (a->category & b->mask) != 0 && (b->category & a->mask) != 0 && !first->silent &&
           !second->silent && model_gap(a, b) <= (has_gap ? a->reach + b->reach : 0.0);
}

static bool same_pair(const model_pair *p, const model_pair *q)
{
    return same_body(p->a, q->a) && same_body(p->b, q->b);
}

static bool model_is_in(const model_pair *list, size_t count, const model_pair *pair)
{
    bool found = false;
    for (size_t i = 0; i < count; ++i)
        found = found || same_pair(&list[i], pair);
    return found;
}

static const model_body *model_find(const model *m, tact_body handle)
{
    for (int i = 0; i < MODEL_BODIES; ++i)
        if (m->bodies[i].exists && same_body(m->bodies[i].handle, handle))
            return &m->bodies[i];
    return NULL;
}

typedef struct phase_counts {
    long begins, persists, ends, ends_of_removed, apart;
} phase_counts;

static void check_test(model *m, uint64_t seed, phase_counts *counts)
{
    model_pair now[MODEL_PAIRS];
    size_t now_count = 0, ends = 0;
    for (int i = 0; i < MODEL_BODIES; ++i)
        for (int k = 0; k < i; ++k) {
            const model_body *a = &m->bodies[i], *b = &m->bodies[k];
            const bool a_first = a->order < b->order;
            if (model_reports(m, a, b))
                now[now_count++] = a_first ? (model_pair){a->handle, b->handle} : (model_pair){b->handle, a->handle};
        }
    m->call_count = 0;
    const tact_count total = tact_world_test(m->world);
    CHECK(total.status == TACT_OK && total.count == m->call_count, "%zu calls, count %llu", m->call_count,
          (unsigned long long)total.count);
    bool ended_before = false;
    for (size_t i = 0; i < m->call_count; ++i) {
        const model_call *call = &m->calls[i];
        const bool was = model_is_in(m->last, m->last_count, &call->pair),
                   is = model_is_in(now, now_count, &call->pair);
        for (size_t k = 0; k < i; ++k)
            CHECK(!same_pair(&m->calls[k].pair, &call->pair), "a pair is called twice");
        if (call->phase == TACT_PHASE_END) {
            const bool removed = model_find(m, call->pair.a) == NULL || model_find(m, call->pair.b) == NULL;
            CHECK(was && !is, "ended: reported before %d, now %d", was, is);
            ended_before = true;
            ++counts->ends;
            counts->ends_of_removed += removed;
            continue;
        }
        CHECK(is, "a pair is reported that is %g apart",
              model_gap(model_find(m, call->pair.a), model_find(m, call->pair.b)));
        CHECK(!ended_before, "an end comes before other contacts");
        CHECK((call->phase == TACT_PHASE_PERSIST) == was, "phase %d, reported before %d", (int)call->phase, was);
        counts->begins += call->phase == TACT_PHASE_BEGIN;
        counts->persists += call->phase == TACT_PHASE_PERSIST;
        if (m->want != TACT_CONTACTS && m->want != TACT_CONTACT_POINTS)
            continue;
        const double gap = model_gap(model_find(m, call->pair.a), model_find(m, call->pair.b));
        if (gap > 1e-9) {
            ++counts->apart;
            CHECK(fabs(call->depth + gap) <= 1e-9, "depth %g, gap %g", call->depth, gap);
        } else {
            CHECK(call->depth >= -1e-9, "depth %g, gap %g", call->depth, gap);
        }
    }
    for (size_t i = 0; i < m->last_count; ++i) {
        const model_body *a = model_find(m, m->last[i].a), *b = model_find(m, m->last[i].b);
        const bool silent = (a != NULL && a->silent) || (b != NULL && b->silent);
        ends += m->report_end && !silent && !model_is_in(now, now_count, &m->last[i]);
    }
    CHECK(m->call_count == now_count + ends, "%zu calls, %zu pairs and %zu ends", m->call_count, now_count, ends);
    memcpy(m->last, now, now_count * sizeof *now);
    m->last_count = now_count;
}

static void set_response(model *m, tact_want want, bool report_end)
{
    m->want = want;
    m->report_end = report_end;
    assert_int_equal(
        tact_world_set_contact_callback(
            m->world, (tact_response){.want = want, .callback = note_phase, .context = m, .report_end = report_end}),
        TACT_OK);
}

static void create_model_body(model *m, model_body *b, random_source *random, const tact_shape *const shapes[2])
{
    *b = (model_body){.exists = true,
                      .is_ball = random_chance(random, 0.5),
                      .at = {random_range(random, -3, 3), random_range(random, -3, 3), random_range(random, -3, 3)},
                      .half = 0.5,
                      .reach = random_chance(random, 0.5) ? 0.0 : random_range(random, 0.0, 0.5),
                      .category = UINT64_MAX,
                      .mask = UINT64_MAX,
                      .order = m->created++};
    b->handle = tact_body_create(m->world, &(tact_body_def){.shape = shapes[b->is_ball],
                                                            .transform = tact_at(b->at.x, b->at.y, b->at.z),
                                                            .user = b,
                                                            .reach = b->reach});
    assert_true(b->handle.generation != 0 && tact_body_get_reach(m->world, b->handle) == b->reach);
}

/* Saves the world and goes on with the restored one. */
static uint64_t id_of_pointer(void *context, tact_pointer_kind kind, tact_pointer pointer)
{
    const model *m = context;
    return kind == TACT_POINTER_USER ? 1 + (uint64_t)((model_body *)pointer.data - m->bodies) : 100;
}

static bool pointer_of_id(void *context, tact_pointer_kind kind, uint64_t id, tact_pointer *pointer)
{
    model *m = context;
    if (kind == TACT_POINTER_USER)
        pointer->data = &m->bodies[id - 1];
    else if (kind == TACT_POINTER_CONTACT_CALLBACK)
        pointer->contact_callback = note_phase;
    else
        pointer->data = m;
    return true;
}

static void save_and_restore(model *m)
{
    tact_bytes bytes = {0};
    const tact_pointer_map map = {id_of_pointer, pointer_of_id, m};
    const tact_record_def def = {.pointer_map = &map};
    assert_int_equal(tact_world_save(m->world, tact_bytes_sink(&bytes), &def, NULL), TACT_OK);
    tact_world *restored = tact_world_restore(bytes.data, bytes.size, &def, NULL);
    assert_non_null(restored);
    tact_world_release(m->world);
    m->world = restored;
    tact_bytes_release(&bytes);
}

static void phases_and_reach_are_those_of_the_model(void **state)
{
    (void)state;
    tact_shape *shapes[2] = {tact_box(1, 1, 1), tact_sphere(0.5)};
    const tact_shape *const const_shapes[2] = {shapes[0], shapes[1]};
    static model m;
    phase_counts counts = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed(40); ++seed) {
        random_source random = random_seed(seed);
        m = (model){.world = tact_world_create(&(tact_world_def){.broad_phase = (tact_broad_phase)(seed % 3)})};
        set_response(&m, TACT_CONTACT_POINTS, true);
        for (int i = 0; i < MODEL_BODIES; ++i)
            create_model_body(&m, &m.bodies[i], &random, const_shapes);
        for (int frame = 0; frame < 40; ++frame) {
            for (int change = 0; change < 6; ++change) {
                model_body *b = &m.bodies[random_below(&random, MODEL_BODIES)];
                const uint64_t what = random_below(&random, 100);
                if (!b->exists) {
                    create_model_body(&m, b, &random, const_shapes);
                } else if (what < 60) {
                    b->at = vec_mul_add(b->at, random_range(&random, 0.0, 1.0), random_direction(&random));
                    assert_int_equal(tact_body_set_transform(m.world, b->handle, tact_at(b->at.x, b->at.y, b->at.z)),
                                     TACT_OK);
                } else if (what < 70) {
                    assert_int_equal(tact_body_remove(m.world, b->handle), TACT_OK);
                    b->exists = false;
                } else if (what < 80) {
                    b->reach = random_chance(&random, 0.3) ? 0.0 : random_range(&random, 0.0, 0.8);
                    assert_int_equal(tact_body_set_reach(m.world, b->handle, b->reach), TACT_OK);
                } else if (what < 85) {
                    b->category = 1 + random_below(&random, 3);
                    b->mask = 1 + random_below(&random, 3);
                    assert_int_equal(tact_body_set_filter(m.world, b->handle, b->category, b->mask), TACT_OK);
                } else if (what < 90) {
                    b->silent = !b->silent;
                    if (b->silent)
                        assert_int_equal(tact_body_set_contact_callback(m.world, b->handle, (tact_response){0}),
                                         TACT_OK);
                    else
                        assert_int_equal(tact_body_reset_contact_callback(m.world, b->handle), TACT_OK);
                } else if (what < 94) {
                    const tact_want wants[4] = {TACT_NOTHING, TACT_CONTACTS, TACT_CONTACT_POINTS, TACT_WITNESS};
                    set_response(&m, wants[random_below(&random, 4)], random_chance(&random, 0.7));
                } else if (what < 97) {
                    save_and_restore(&m);
                }
            }
            check_test(&m, seed, &counts);
        }
        tact_world_release(m.world);
    }
    print_message("%ld begin, %ld persist, %ld end, %ld of them of removed bodies, %ld apart\n", counts.begins,
                  counts.persists, counts.ends, counts.ends_of_removed, counts.apart);
    if (!few_cases())
        assert_true(counts.begins > 800 && counts.persists > 3000 && counts.ends > 500 &&
                    counts.ends_of_removed > 150 && counts.apart > 1500);
    tact_shape_release(shapes[0]);
    tact_shape_release(shapes[1]);
}

/* ---- all contact points ---- */

/* A wavy square of triangles in the plane y = 0. */
static tact_shape *terrain(int n)
{
    tact_vec3 vertices[17 * 17];
    uint32_t indices[6 * 16 * 16];
    size_t count = 0;
    for (int i = 0; i <= n; ++i)
        for (int k = 0; k <= n; ++k)
            vertices[i * (n + 1) + k] = tact_vec(i - 0.5 * n, 0.05 * sin(i + 2.0 * k), k - 0.5 * n);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) {
            const uint32_t p = (uint32_t)(i * (n + 1) + k), q = p + (uint32_t)n + 1;
            const uint32_t two[6] = {p, p + 1, q, q, p + 1, q + 1};
            memcpy(indices + count, two, sizeof two);
            count += 6;
        }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){vertices, (size_t)(n + 1) * (size_t)(n + 1), 0, TACT_SCALAR_DOUBLE};
    def.indices = indices;
    def.index_count = count;
    return tact_mesh_create(&def, NULL);
}

typedef struct point_log {
    size_t calls, most;
    double reach;
} point_log;

/* The points are those of the query about the two shapes. */
static void check_points(void *context, const tact_contact *c)
{
    point_log *log = context;
    static tact_contact_point expected[4096];
    const tact_shape *a = tact_body_get_shape(c->world, c->a), *b = tact_body_get_shape(c->world, c->b);
    const tact_transform at = tact_body_get_transform(c->world, c->a), bt = tact_body_get_transform(c->world, c->b);
    ++log->calls;
    const tact_contacts found = tact_shapes_contacts(a, at, b, bt, log->reach, expected, 4096);
    assert_int_equal(c->status, TACT_OK);
    assert_true(c->point_count > 0);
    log->most = c->point_count > log->most ? c->point_count : log->most;
    if (found.count == 0) { /* just apart by rounding: the closest points */
        assert_int_equal(c->point_count, 1);
        return;
    }
    assert_int_equal(c->point_count, found.count);
    assert_memory_equal(c->points, expected, found.count * sizeof *expected);
    assert_true(c->depth == expected[0].depth && vec_equal(c->on_a, expected[0].on_a) &&
                vec_equal(c->on_b, expected[0].on_b) && vec_equal(c->normal, expected[0].normal));
    assert_true(c->part_a.face == expected[0].part_a.face && c->part_b.face == expected[0].part_b.face);
}

static void contact_points_are_those_of_the_query(void **state)
{
    (void)state;
    tact_shape *ground = terrain(16), *slab = tact_box(6, 0.5, 6), *ball = tact_sphere(0.5), *crate = tact_box(1, 1, 1);
    tact_shape *const shapes[4] = {slab, ball, crate, ground};
    size_t calls = 0, most = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(30); ++seed) {
        random_source random = random_seed(seed);
        tact_world *w = tact_world_create(NULL);
        point_log log = {.reach = seed % 2 == 0 ? 0.0 : 0.25};
        tact_world_set_contact_callback(w, (tact_response){.want = TACT_CONTACT_POINTS,
                                                           .callback = check_points,
                                                           .context = &log,
                                                           .max_separation = log.reach});
        for (int i = 0; i < 8; ++i)
            assert_true(
                tact_body_create(w, &(tact_body_def){.shape = shapes[i == 0 ? 3 : random_below(&random, 3)],
                                                     .transform = tact_at(random_range(&random, -4, 4),
                                                                          i == 0 ? 0.0 : random_range(&random, 0, 0.8),
                                                                          random_range(&random, -4, 4))})
                    .generation != 0);
        const tact_count count = tact_world_test(w);
        CHECK(count.status == TACT_OK && count.count == log.calls, "%zu calls", log.calls);
        calls += log.calls;
        most = log.most > most ? log.most : most;
        tact_world_release(w);
    }
    print_message("%zu contacts, up to %zu points\n", calls, most);
    if (!few_cases())
        assert_true(calls > 150 && most > 50);
    for (int i = 0; i < 4; ++i)
        tact_shape_release(shapes[i]);
}

typedef struct landing {
    int calls;
    size_t points;
} landing;

static void note_landing(void *context, const tact_contact *c)
{
    landing *l = context;
    ++l->calls;
    l->points = c->point_count;
    assert_non_null(c->event);
    assert_int_equal(c->phase, TACT_PHASE_BEGIN);
    for (size_t i = 0; i < c->point_count; ++i) { /* at the time of contact: no gap, no depth */
        assert_true(fabs(c->points[i].depth) < 1e-9 && fabs(c->points[i].on_a.y) < 1e-9);
        assert_true(c->points[i].normal.y > 1.0 - 1e-9);
    }
    tact_body_set_motion(c->world, c->b, tact_motion_still());
}

/* In continuous time: a box lands flat on a floor, which is a box, a mesh or a half-space. */
static void contact_points_in_continuous_time(void **state)
{
    (void)state;
    const tact_vec3 corners[4] = {{-5, 0, -5}, {-5, 0, 5}, {5, 0, 5}, {5, 0, -5}};
    const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){corners, 4, 0, TACT_SCALAR_DOUBLE};
    def.indices = triangles;
    def.index_count = 6;
    tact_shape *crate = tact_box(1, 1, 1),
               *floors[3] = {tact_box(10, 2, 10), tact_mesh_create(&def, NULL), tact_halfspace(tact_vec(0, 1, 0), 0)};
    for (int i = 0; i < 3; ++i)
        for (int steps = 0; steps < 2; ++steps) {
            tact_world *w = tact_world_create(NULL);
            landing l = {0};
            tact_world_set_contact_callback(
                w, (tact_response){
                       .want = TACT_CONTACT_POINTS, .callback = note_landing, .context = &l, .max_separation = 1e-6});
            tact_body_create(w, &(tact_body_def){.shape = floors[i], .transform = tact_at(0, i == 0 ? -1 : 0, 0)});
            tact_body_create(w, &(tact_body_def){.shape = crate,
                                                 .transform = tact_at(0.25, 2.5, 1.5),
                                                 .motion = tact_motion_linear(0, -1, 0)});
            if (steps)
                assert_int_equal(tact_world_step(w, 5.0), TACT_OK);
            else
                assert_int_equal(tact_world_advance(w, 5.0).count, 1);
            assert_int_equal(l.calls, 1);
            assert_true(i == 1 ? l.points >= 4 : l.points == 4); /* a mesh may add crossings with the diagonal */
            tact_world_release(w);
        }
    tact_shape_release(crate);
    for (int i = 0; i < 3; ++i)
        tact_shape_release(floors[i]);
}

/* ---- single cases ---- */

typedef struct call_log {
    int count;
    tact_contact calls[16];
    tact_body remove, moved; /* in the next call */
    void *context;
} call_log;

static void log_call(void *context, const tact_contact *c)
{
    call_log *log = context;
    assert_true(log->count < 16);
    log->calls[log->count++] = *c;
    if (log->remove.generation != 0)
        (void)tact_body_remove(c->world, log->remove);
    if (log->moved.generation != 0)
        (void)tact_body_set_transform(c->world, log->moved, tact_at(100, 0, 0));
    log->remove = log->moved = (tact_body){0, 0};
}

static tact_response logging(call_log *log)
{
    return (tact_response){.want = TACT_CONTACTS, .callback = log_call, .context = log, .report_end = true};
}

/* Whose response is called when a body was removed: that of the other body, of its class, of the world. */
static void the_end_of_a_removed_body_is_for_those_that_remain(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(1);
    for (int level = 0; level < 5; ++level)
        for (int removed = 0; removed < 3; ++removed) { /* a, b, both */
            call_log world_log = {0}, class_log = {0}, body_log = {0};
            tact_world *w = tact_world_create(NULL);
            const tact_body a = tact_body_create(w, &(tact_body_def){.shape = ball, .user = &world_log, .class_id = 1});
            const tact_body b = tact_body_create(w, &(tact_body_def){.shape = ball, .user = &body_log, .class_id = 2});
            tact_world_set_contact_callback(w, logging(&world_log));
            if (level == 1)
                tact_class_set_contact_callback(w, 1, logging(&class_log));
            if (level == 2)
                tact_body_set_contact_callback(w, a, logging(&body_log));
            if (level == 3)
                tact_classes_set_contact_callback(w, 1, 2, logging(&class_log));
            if (level == 4)
                tact_pair_set_contact_callback(w, a, b, logging(&body_log));
            assert_int_equal(tact_world_test(w).count, 1);
            if (removed != 1)
                tact_body_remove(w, a);
            if (removed != 0)
                tact_body_remove(w, b);
            const bool by_class = level == 1 && removed == 1, by_body = level == 2 && removed == 1;
            call_log *expected = by_class ? &class_log : by_body ? &body_log : &world_log;
            const int before = expected->count;
            assert_int_equal(tact_world_test(w).count, 1);
            assert_int_equal(expected->count, before + 1);
            const tact_contact *end = &expected->calls[before];
            assert_true(end->phase == TACT_PHASE_END && same_body(end->a, a) && same_body(end->b, b));
            assert_ptr_equal(end->user_a, removed == 1 ? &world_log : NULL);
            assert_ptr_equal(end->user_b, removed == 0 ? &body_log : NULL);
            assert_true(end->manifold == NULL && end->status == TACT_OK);
            assert_int_equal(tact_world_test(w).count, 0); /* once */
            tact_world_release(w);
        }
    tact_shape_release(ball);
}

/* A body that gets the index of a removed one is another body: its contact begins, and the old one ends. */
static void an_index_that_is_reused_is_another_body(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(1);
    tact_world *w = tact_world_create(NULL);
    call_log log = {0};
    tact_world_set_contact_callback(w, logging(&log));
    const tact_body far = body_at_x(w, ball, 50), a = body_at_x(w, ball, 0), b = body_at_x(w, ball, 1);
    assert_int_equal(tact_world_test(w).count, 1);
    tact_body_remove(w, far);
    assert_int_equal(tact_world_test(w).count, 1); /* the index of `far` is free now */
    assert_int_equal(log.calls[1].phase, TACT_PHASE_PERSIST);
    log.remove = b; /* in the callback of its own pair; then a new body takes the place of another */
    assert_int_equal(tact_world_test(w).count, 1);
    const tact_body c = body_at_x(w, ball, 1);
    assert_int_equal(c.index, far.index);
    assert_int_equal(tact_world_test(w).count, 2);
    assert_true(log.calls[3].phase == TACT_PHASE_BEGIN && same_body(log.calls[3].a, a) && same_body(log.calls[3].b, c));
    assert_true(log.calls[4].phase == TACT_PHASE_END && same_body(log.calls[4].a, a) && same_body(log.calls[4].b, b));
    const tact_body d = body_at_x(w, ball, 0.5);
    assert_int_equal(d.index, b.index);
    tact_body_remove(w, d);
    (void)tact_world_test(w);
    tact_world_release(w);
    tact_shape_release(ball);
}

/* Callbacks that remove or move a body whose pair comes later: its contact ends in the same test. */
static void contacts_that_a_callback_ends(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(1);
    for (int moves = 0; moves < 2; ++moves) {
        tact_world *w = tact_world_create(NULL);
        call_log log = {0};
        tact_world_set_contact_callback(w, logging(&log));
        const tact_body a = body_at_x(w, ball, 0), b = body_at_x(w, ball, 1.5), c = body_at_x(w, ball, 3);
        assert_int_equal(tact_world_test(w).count, 2); /* a b, b c */
        *(moves ? &log.moved : &log.remove) = c;
        log.count = 0;
        assert_int_equal(tact_world_test(w).count, 2);
        assert_true(log.calls[0].phase == TACT_PHASE_PERSIST && same_body(log.calls[0].a, a));
        assert_true(log.calls[1].phase == TACT_PHASE_END && same_body(log.calls[1].a, b) &&
                    same_body(log.calls[1].b, c));
        assert_int_equal(tact_world_test(w).count, 1);
        tact_world_release(w);
    }
    tact_shape_release(ball);
}

/* A response without callback ends contacts silently; with one again they begin. */
static void silent_responses_end_contacts(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(1);
    tact_world *w = tact_world_create(NULL);
    call_log log = {0};
    tact_world_set_contact_callback(w, logging(&log));
    (void)body_at_x(w, ball, 0);
    (void)body_at_x(w, ball, 1);
    assert_int_equal(tact_world_test(w).count, 1);
    tact_world_set_contact_callback(w, (tact_response){0});
    assert_int_equal(tact_world_test(w).count, 0);
    tact_world_set_contact_callback(w, logging(&log));
    assert_int_equal(tact_world_test(w).count, 1);
    assert_int_equal(log.calls[1].phase, TACT_PHASE_BEGIN);
    tact_world_release(w);
    tact_shape_release(ball);
}

/* Only responses with a depth see pairs that are apart. */
static void reach_is_for_contacts_with_a_depth(void **state)
{
    (void)state;
    tact_shape *crate = tact_box(2, 2, 2);
    tact_world *w = tact_world_create(NULL);
    log_book book = {0};
    const tact_body a = body_at_x(w, crate, 0), b = body_at_x(w, crate, 2.5);
    for (int want = TACT_NOTHING; want <= TACT_CONTACT_POINTS; ++want) {
        tact_world_set_contact_callback(w, noting(&book, (tact_want)want));
        for (int i = 0; i < 4; ++i) { /* 0.5 apart: no reach, too little, just enough, more */
            const double reach[4][2] = {{0, 0}, {0.25, 0.125}, {0.25, 0.25}, {2, 0}};
            assert_int_equal(tact_body_set_reach(w, a, reach[i][0]), TACT_OK);
            assert_int_equal(tact_body_set_reach(w, b, reach[i][1]), TACT_OK);
            const bool reported = i >= 2 && (want == TACT_CONTACTS || want == TACT_CONTACT_POINTS);
            assert_int_equal(tact_world_test(w).count, reported);
            if (!reported)
                continue;
            assert_true(book.last.depth == -0.5 && book.last.normal.x == 1.0);
            if (want == TACT_CONTACTS) {
                assert_int_equal(book.manifold.count, 4);
                for (int k = 0; k < 4; ++k)
                    assert_true(book.manifold.points[k].depth == -0.5);
            } else {
                assert_int_equal(book.last.point_count, 4);
            }
        }
    }
    const tact_bounds bounds = tact_body_get_bounds(w, a);
    assert_true(bounds.min.x <= -3.0 && bounds.max.z >= 3.0 && bounds.max.z <= 3.001);
    tact_world_release(w);
    tact_shape_release(crate);
}

static void bad_input_is_rejected(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(1);
    tact_world *w = tact_world_create(NULL);
    tact_report report;
    tact_body none = {0, 0}, made;
    const tact_body a = body_at_x(w, ball, 0);
    const double bad[] = {-1.0, -1e-300, NAN, INFINITY, -INFINITY, 2e150};
    assert_int_equal(tact_body_set_reach(w, a, 0.5), TACT_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        assert_int_equal(tact_body_set_reach(w, a, bad[i]), TACT_BAD_ARGUMENT);
        assert_true(tact_body_get_reach(w, a) == 0.5);
        const tact_body_def def = {.shape = ball, .reach = bad[i]};
        assert_int_equal(tact_body_create(w, &def).generation, 0);
        assert_int_equal(tact_body_create_many(w, &def, 1, &made, &report), TACT_BAD_ARGUMENT);
        assert_non_null(strstr(report.text, "reach"));
    }
    assert_int_equal(tact_body_set_reach(w, none, 1.0), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_reach(NULL, a, 1.0), TACT_BAD_ARGUMENT);
    assert_true(tact_body_get_reach(w, none) == 0.0 && tact_body_get_reach(NULL, a) == 0.0);
    call_log log = {0};
    tact_response response = logging(&log);
    response.want = (tact_want)(TACT_CONTACT_POINTS + 1);
    assert_int_equal(tact_world_set_contact_callback(w, response), TACT_BAD_ARGUMENT);
    response = logging(&log);
    response.max_separation = -1.0;
    assert_int_equal(tact_world_set_contact_callback(w, response), TACT_BAD_ARGUMENT);
    /* the largest reach: everything is within it */
    tact_world_set_contact_callback(w, logging(&log));
    (void)body_at_x(w, ball, 1e30);
    assert_int_equal(tact_body_set_reach(w, a, 1e150), TACT_OK);
    assert_int_equal(tact_world_test(w).count, 1);
    tact_world_release(w);
    tact_shape_release(ball);
}

/* Every allocation fails once. A test that fails for lack of memory changes no phase; a contact without memory for its
 * points has the deepest. */
static void without_memory_nothing_is_lost(void **state)
{
    (void)state;
    tact_shape *ground = terrain(16), *slab = tact_box(6, 0.5, 6);
    size_t all = 0;
    for (long fail_at = 0, failures = 1; failures > 0; ++fail_at) {
        failing_allocator memory = {0};
        call_log log = {0};
        tact_world *w = tact_world_create(&(tact_world_def){.allocator = failing_allocator_make(&memory)});
        tact_response response = logging(&log);
        response.want = TACT_CONTACT_POINTS;
        tact_world_set_contact_callback(w, response);
        const tact_body a = tact_body_create(w, &(tact_body_def){.shape = ground}),
                        b = tact_body_create(w, &(tact_body_def){.shape = slab, .transform = tact_at(0, 0.1, 0)});
        memory.calls = 0;
        memory.fail_at = fail_at;
        for (int frame = 0; frame < 3; ++frame) {
            log.count = 0;
            if (frame == 2)
                assert_int_equal(tact_body_set_transform(w, b, tact_at(0, 9, 0)), TACT_OK);
            tact_count count = tact_world_test(w);
            if (count.status == TACT_OUT_OF_MEMORY) {
                assert_int_equal(count.count, 0);
                count = tact_world_test(w);
            }
            assert_true(count.status == TACT_OK && count.count == 1 && log.count == 1);
            const tact_contact *c = &log.calls[0];
            assert_int_equal(c->phase, frame == 0   ? TACT_PHASE_BEGIN
                                       : frame == 1 ? TACT_PHASE_PERSIST
                                                    : TACT_PHASE_END);
            assert_true(same_body(c->a, a) && same_body(c->b, b));
            if (c->status == TACT_OUT_OF_MEMORY)
                assert_true(c->point_count >= TACT_MANIFOLD_POINTS && c->point_count < all && c->depth > 0.0);
            else
                assert_int_equal(c->status, TACT_OK);
            if (fail_at == 0 && frame == 0)
                all = c->point_count;
        }
        failures = fail_at == 0 || memory.calls >= fail_at;
        tact_world_release(w);
        assert_int_equal(memory.held, 0);
    }
    assert_true(all > 50);
    tact_shape_release(ground);
    tact_shape_release(slab);
}

/* In the steady state a test allocates nothing. */
static void steady_tests_do_not_allocate(void **state)
{
    (void)state;
    tact_shape *ground = terrain(16), *slab = tact_box(6, 0.5, 6);
    failing_allocator memory = {0};
    call_log log = {0};
    tact_world *w = tact_world_create(&(tact_world_def){.allocator = failing_allocator_make(&memory)});
    tact_response response = logging(&log);
    response.want = TACT_CONTACT_POINTS;
    tact_world_set_contact_callback(w, response);
    (void)tact_body_create(w, &(tact_body_def){.shape = ground});
    const tact_body b = tact_body_create(w, &(tact_body_def){.shape = slab, .transform = tact_at(0, 0.1, 0)});
    long calls = 0;
    for (int frame = 0; frame < 10; ++frame) {
        log.count = 0;
        assert_int_equal(tact_body_set_transform(w, b, tact_at(0, frame % 3 == 2 ? 9 : 0.1, 0)), TACT_OK);
        assert_int_equal(tact_world_test(w).status, TACT_OK);
        if (frame == 3)
            calls = memory.calls;
    }
    assert_int_equal(memory.calls, calls);
    tact_world_release(w);
    tact_shape_release(ground);
    tact_shape_release(slab);
}

/* A cloth that is folded through itself and flat again. */
static void self_contacts_have_phases(void **state)
{
    (void)state;
    tact_vec3 vertices[9];
    uint32_t indices[24];
    size_t count = 0;
    for (uint32_t i = 0; i < 9; ++i)
        vertices[i] = tact_vec(i % 3, i / 3, 0);
    for (uint32_t i = 0; i < 2; ++i)
        for (uint32_t k = 0; k < 2; ++k) {
            const uint32_t p = 3 * i + k, two[6] = {p, p + 1, p + 4, p, p + 4, p + 3};
            memcpy(indices + count, two, sizeof two);
            count += 6;
        }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){vertices, 9, 0, TACT_SCALAR_DOUBLE};
    def.indices = indices;
    def.index_count = count;
    tact_shape *sheet = tact_mesh_create(&def, NULL);
    assert_non_null(sheet);
    tact_world *w = tact_world_create(NULL);
    call_log log = {0};
    tact_response response = logging(&log);
    response.want = TACT_CONTACT_POINTS;
    tact_world_set_contact_callback(w, response);
    const tact_body cloth =
        tact_body_create(w, &(tact_body_def){.shape = sheet, .deformable = true, .self_collision = true});
    tact_vec3 folded[9];
    memcpy(folded, vertices, sizeof folded);
    folded[8] = tact_vec(0.25, 0.25, -0.5); /* a corner through the opposite one */
    folded[5] = tact_vec(1.5, 0.75, 0.5);
    const tact_vec3 *const frames[4] = {vertices, folded, folded, vertices};
    const int calls[4] = {0, 1, 1, 1};
    const tact_phase phases[4] = {TACT_PHASE_BEGIN, TACT_PHASE_BEGIN, TACT_PHASE_PERSIST, TACT_PHASE_END};
    for (int i = 0; i < 4; ++i) {
        log.count = 0;
        assert_int_equal(tact_body_deform(w, cloth, (tact_vertices){frames[i], 9, 0, TACT_SCALAR_DOUBLE}), TACT_OK);
        assert_int_equal(tact_world_test(w).count, calls[i]);
        if (calls[i] == 0)
            continue;
        assert_true(log.calls[0].phase == phases[i] && same_body(log.calls[0].a, cloth) &&
                    same_body(log.calls[0].b, cloth));
        assert_int_equal(log.calls[0].point_count, i < 3 ? 1 : 0);
    }
    tact_world_release(w);
    tact_shape_release(sheet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_and_reach_are_those_of_the_model),
        cmocka_unit_test(contact_points_are_those_of_the_query),
        cmocka_unit_test(contact_points_in_continuous_time),
        cmocka_unit_test(the_end_of_a_removed_body_is_for_those_that_remain),
        cmocka_unit_test(an_index_that_is_reused_is_another_body),
        cmocka_unit_test(contacts_that_a_callback_ends),
        cmocka_unit_test(silent_responses_end_contacts),
        cmocka_unit_test(reach_is_for_contacts_with_a_depth),
        cmocka_unit_test(bad_input_is_rejected),
        cmocka_unit_test(without_memory_nothing_is_lost),
        cmocka_unit_test(steady_tests_do_not_allocate),
        cmocka_unit_test(self_contacts_have_phases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
