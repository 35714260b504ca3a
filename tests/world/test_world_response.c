/*
 * Responses, case by case: the rules of precedence (van den Bergen 1999, appendix B.4), the data of contacts, caching,
 * and callbacks that change the world.
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

#include "support/failing_allocator.h"
#include "support/vec.h"
#include "world/world_log.h"

/* ---- responses ---- */

/* Every combination of what may be set for the pair, the bodies, the classes and by default, against the rules as B.4
 * has them: a pair overrules bodies, bodies the classes, classes the default; clear is a setting, too. */
static void most_specific_response_counts(void **state)
{
    (void)state;
    enum { PAIR, EARLIER, LATER, BOTH_CLASSES, EARLIER_CLASS, LATER_CLASS, DEFAULT, LEVELS };
    tact_shape *sphere = tact_sphere(1);
    log_book books[LEVELS];
    for (int code = 0; code < 2 * 3 * 3 * 3 * 3 * 3 * 3;
         ++code) { /* the default is set or clear, the others unset, too */
        tact_world *w = tact_world_create(NULL);
        tact_body a = tact_body_create(w, &(tact_body_def){.shape = sphere, .class_id = 7});
        tact_body b = tact_body_create(w, &(tact_body_def){.shape = sphere, .class_id = 9});
        int winner = -1; /* the level that counts */
        bool clear = false;
        memset(books, 0, sizeof books);
        for (int level = 0, cold = code; level < LEVELS; ++level) {
            int setting = level == DEFAULT ? cold % 2 + 1 : cold % 3; /* 0 unset, 1 clear, 2 set */
            cold /= 3;
            tact_response response =
                setting == 2 ? noting(&books[level], TACT_NOTHING) : (tact_response){.want = TACT_CONTACTS};
            if (setting == 0)
                continue;
            if (winner < 0) {
                winner = level;
                clear = setting == 1;
            }
            tact_status status = level == PAIR            ? tact_pair_set_contact_callback(w, b, a, response)
                                 : level == EARLIER       ? tact_body_set_contact_callback(w, a, response)
                                 : level == LATER         ? tact_body_set_contact_callback(w, b, response)
                                 : level == BOTH_CLASSES  ? tact_classes_set_contact_callback(w, 9, 7, response)
                                 : level == EARLIER_CLASS ? tact_class_set_contact_callback(w, 7, response)
                                 : level == LATER_CLASS   ? tact_class_set_contact_callback(w, 9, response)
                                                          : tact_world_set_contact_callback(w, response);
            assert_int_equal(status, TACT_OK);
        }
        tact_count done = tact_world_test(w);
        assert_int_equal(done.status, TACT_OK);
        assert_int_equal(done.count, clear ? 0 : 1);
        for (int level = 0; level < LEVELS; ++level)
            if (books[level].calls != (!clear && level == winner ? 1 : 0))
                fail_msg("code %d: level %d has %zu calls", code, level, books[level].calls);
        assert_ptr_equal(tact_pair_get_contact_callback(w, a, b).context, clear ? NULL : &books[winner]);
        tact_world_release(w);
    }
    tact_shape_release(sphere);
}

static void set_clear_and_reset_do_as_the_guide_says(void **state)
{
    (void)state;
    tact_shape *sphere = tact_sphere(1);
    tact_world *w = tact_world_create(NULL);
    log_book all = {0}, own = {0}, other = {0}, pair = {0};
    tact_body a = body_at_x(w, sphere, 0), b = body_at_x(w, sphere, 1), c = body_at_x(w, sphere, -1);
    /* initially the default response is nil */
    assert_int_equal(tact_world_test(w).count, 0);
    tact_world_set_contact_callback(w, noting(&all, TACT_NOTHING));
    assert_int_equal(tact_world_test(w).count, 3); /* b and c touch in a's middle */
    assert_int_equal(all.calls, 3);
    /* an object response overrules the default */
    tact_body_set_contact_callback(w, b, noting(&own, TACT_NOTHING));
    assert_int_equal(tact_world_test(w).count, 3);
    assert_true(all.calls == 4 && own.calls == 2);
    /* where both have one, that of the body made earlier counts */
    tact_body_set_contact_callback(w, a, noting(&other, TACT_NOTHING));
    assert_int_equal(tact_world_test(w).count, 3);
    assert_true(all.calls == 4 && own.calls == 3 && other.calls == 2);
    /* a pair response overrules any object response */
    tact_pair_set_contact_callback(w, b, a, noting(&pair, TACT_NOTHING));
    assert_int_equal(tact_world_test(w).count, 3);
    assert_true(pair.calls == 1 && own.calls == 4 && other.calls == 3);
    /* clearing it defines it to be nil */
    tact_pair_set_contact_callback(w, a, b, (tact_response){0});
    assert_int_equal(tact_world_test(w).count, 2);
    assert_true(pair.calls == 1 && own.calls == 5 && other.calls == 4);
    /* resetting the pair gives it back to an object response */
    tact_pair_reset_contact_callback(w, b, a);
    assert_int_equal(tact_world_test(w).count, 3);
    assert_true(own.calls == 6 && other.calls == 6);
    /* clearing an object's silences all its pairs that have no other object or pair response */
    tact_body_set_contact_callback(w, a, (tact_response){0});
    assert_int_equal(tact_world_test(w).count, 1); /* b and c */
    assert_int_equal(own.calls, 7);
    /* resetting an object gives its pairs to another object's response, or to the default */
    tact_body_reset_contact_callback(w, a);
    assert_int_equal(tact_world_test(w).count, 3);
    assert_true(own.calls == 9 && all.calls == 5);
    tact_body_reset_contact_callback(w, b);
    assert_int_equal(tact_world_test(w).count, 3);
    assert_int_equal(all.calls, 8);
    /* clearing the default */
    tact_world_set_contact_callback(w, (tact_response){.want = TACT_WITNESS, .context = &all});
    assert_int_equal(tact_world_test(w).count, 0);
    /* a body that is deleted takes its responses with it: a new one under its number has none */
    tact_pair_set_contact_callback(w, a, b, noting(&pair, TACT_NOTHING));
    tact_body_set_contact_callback(w, b, noting(&own, TACT_NOTHING));
    assert_int_equal(tact_world_test(w).count, 2);
    tact_body_remove(w, b);
    assert_int_equal(tact_world_test(w).count, 0);
    tact_body again = body_at_x(w, sphere, 1);
    assert_int_equal(again.index, b.index);
    assert_int_equal(tact_world_test(w).count, 0);
    assert_null(tact_pair_get_contact_callback(w, a, again).callback);
    tact_body_remove(w, a);
    (void)tact_world_test(w);
    a = body_at_x(w, sphere, 0);
    assert_null(tact_pair_get_contact_callback(w, a, again).callback);
    assert_null(tact_pair_get_contact_callback(w, a, c).callback);
    tact_world_release(w);
    tact_shape_release(sphere);
}

/* Thousands of pair responses, of bodies that come and go: the table keeps what counts and does not grow for ever. */
static void pair_responses_of_the_dead_take_no_room(void **state)
{
    (void)state;
    enum { COUNT = 40 };
    tact_shape *sphere = tact_sphere(1);
    failing_allocator memory = {0};
    tact_world *w = tact_world_create(&(tact_world_def){.allocator = failing_allocator_make(&memory)});
    log_book book = {0};
    size_t held = 0;
    for (int round = 0; round < 60; ++round) {
        tact_body bodies[COUNT];
        for (int i = 0; i < COUNT; ++i)
            bodies[i] = body_at_x(w, sphere, 10.0 * i);
        for (int i = 0; i < COUNT; ++i)
            for (int k = 0; k < i; ++k)
                assert_int_equal(
                    tact_pair_set_contact_callback(w, bodies[i], bodies[k],
                                                   (i + k) % 3 == 0 ? (tact_response){0} : noting(&book, TACT_NOTHING)),
                    TACT_OK);
        for (int i = 0; i < COUNT; ++i)
            for (int k = 0; k < i; ++k) {
                if ((i * k) % 5 == 1)
                    assert_int_equal(tact_pair_reset_contact_callback(w, bodies[k], bodies[i]), TACT_OK);
                bool there = (i + k) % 3 != 0 && (i * k) % 5 != 1;
                assert_ptr_equal(tact_pair_get_contact_callback(w, bodies[k], bodies[i]).context, there ? &book : NULL);
            }
        assert_int_equal(tact_body_remove_many(w, bodies, COUNT), TACT_OK);
        if (round % 3 == 0) /* numbers are given again after a test only */
            assert_int_equal(tact_world_test(w).status, TACT_OK);
        if (round == 20)
            held = memory.held;
    }
    assert_true(memory.held <= held);
    tact_world_release(w);
    assert_int_equal(memory.held, 0);
    tact_shape_release(sphere);
}

static void filters_exclude(void **state)
{
    (void)state;
    tact_shape *sphere = tact_sphere(1);
    tact_world *w = tact_world_create(NULL);
    log_book book = {0};
    const uint64_t top = UINT64_C(1) << 63;
    tact_body a = tact_body_create(w, &(tact_body_def){.shape = sphere, .category = top, .mask = top});
    tact_body b = tact_body_create(w, &(tact_body_def){.shape = sphere, .category = top, .mask = 1});
    tact_pair_set_contact_callback(w, a, b, noting(&book, TACT_NOTHING));
    assert_int_equal(tact_world_test(w).count, 0); /* b's mask lacks a's category */
    assert_int_equal(tact_body_set_filter(w, b, top, 0), TACT_OK);
    assert_int_equal(tact_world_test(w).count, 1);
    assert_int_equal(tact_body_set_filter(w, b, 1, top), TACT_OK);
    assert_int_equal(tact_world_test(w).count, 0); /* a's mask lacks b's category */
    tact_world_release(w);
    tact_shape_release(sphere);
}

/* ---- contact data ---- */

static void response_gets_the_data_it_asks_for(void **state)
{
    (void)state;
    tact_shape *floor = tact_box(20, 2, 20), *crate = tact_box(2, 2, 2);
    tact_world *w = tact_world_create(NULL);
    log_book book = {0};
    int ground = 0, load = 0;
    tact_body a =
        tact_body_create(w, &(tact_body_def){.shape = floor, .transform = tact_at(0, -1, 0), .user = &ground});
    tact_body b = tact_body_create(w, &(tact_body_def){.shape = crate, .transform = tact_at(0, 3, 0), .user = &load});
    tact_world_set_contact_callback(w, noting(&book, TACT_NOTHING));
    assert_int_equal(tact_world_test(w).count, 0);
    assert_int_equal(tact_world_store_previous(w), TACT_OK);
    tact_body_set_transform(w, b, tact_at(0, 0.75, 0));

    assert_int_equal(tact_world_test(w).count, 1);
    const tact_contact *c = &book.last;
    assert_ptr_equal(c->world, w);
    assert_true(same_body(c->a, a) && same_body(c->b, b) && c->user_a == &ground && c->user_b == &load);
    assert_true(c->status == TACT_OK && c->want == TACT_NOTHING && c->manifold == NULL);

    tact_world_set_contact_callback(w, noting(&book, TACT_WITNESS));
    assert_int_equal(tact_world_test(w).count, 1);
    assert_true(c->point.y >= -0.25 - 1e-12 && c->point.y <= 1e-12 && fabs(c->point.x) <= 1 + 1e-12 &&
                fabs(c->point.z) <= 1 + 1e-12);
    assert_true(vec_equal(c->on_a, c->point) && vec_equal(c->on_b, c->point));

    /* of the previous frame: the crate was at 3, its underside 2 above the floor */
    tact_world_set_contact_callback(w, noting(&book, TACT_PREVIOUS));
    assert_int_equal(tact_world_test(w).count, 1);
    assert_true(c->depth == -2 && c->on_a.y == 0 && c->on_b.y == 2 && c->point.y == 1);
    assert_true(vec_equal(c->normal, tact_vec(0, 1, 0)));
    /* testing again changes nothing, proceeding does: now they touched in the previous frame */
    assert_int_equal(tact_world_test(w).count, 1);
    assert_true(c->depth == -2);
    assert_int_equal(tact_world_store_previous(w), TACT_OK);
    assert_int_equal(tact_world_test(w).count, 1);
    assert_true(c->depth == 0 && vec_max_abs(c->normal) == 0);

    tact_world_set_contact_callback(
        w, (tact_response){.want = TACT_CONTACTS, .callback = note_contact, .context = &book, .max_separation = 0.5});
    assert_int_equal(tact_world_test(w).count, 1);
    assert_true(c->depth == 0.25 && vec_equal(c->normal, tact_vec(0, 1, 0)) && book.manifold.count == 4);
    assert_true(c->on_a.y == 0 && c->on_b.y == -0.25 && c->point.y == -0.125);

    /* the shape of the previous frame is remembered, too */
    tact_shape *high = tact_box(2, 4, 2);
    tact_world_set_contact_callback(w, noting(&book, TACT_PREVIOUS));
    tact_body_set_transform(w, b, tact_at(0, 5, 0));
    assert_int_equal(tact_world_store_previous(w), TACT_OK);
    tact_body_set_shape(w, b, high);
    tact_body_set_transform(w, b, tact_at(0, 1.5, 0));
    assert_int_equal(tact_world_test(w).count, 1);
    assert_true(c->depth == -4);
    assert_int_equal(tact_world_store_previous(w), TACT_OK);
    tact_body_set_transform(w, b, tact_at(0, 1.25, 0));
    assert_int_equal(tact_world_test(w).count, 1);
    assert_true(c->depth == 0);
    tact_world_release(w);
    tact_shape_release(floor);
    tact_shape_release(crate);
    tact_shape_release(high);
}

static tact_vec3 no_number(void *context, tact_vec3 direction)
{
    return *(const bool *)context ? tact_vec(NAN, NAN, NAN) : vec_scale(vec_normalize(direction), 0.5);
}

static void status_reports_a_pair_that_cannot_be_decided(void **state)
{
    (void)state;
    bool broken = false;
    tact_shape *sphere = tact_sphere(1), *odd = tact_custom(no_number, &broken, 1);
    tact_world *w = tact_world_create(NULL);
    log_book book = {0};
    (void)body_at_x(w, sphere, 0);
    (void)body_at_x(w, odd, 0.5);
    (void)body_at_x(w, sphere, 1);
    tact_world_set_contact_callback(w, noting(&book, TACT_WITNESS));
    assert_int_equal(tact_world_test(w).count, 3);
    broken = true;
    tact_count done = tact_world_test(w);
    assert_true(done.status != TACT_OK && done.count == 1); /* the two spheres */
    broken = false;
    done = tact_world_test(w);
    assert_true(done.status == TACT_OK && done.count == 3);
    tact_world_release(w);
    tact_shape_release(sphere);
    tact_shape_release(odd);
}

/* A plate across y that counts the calls of its support function. */
static tact_vec3 counted_plate(void *context, tact_vec3 direction)
{
    ++*(size_t *)context;
    return tact_vec(copysign(2, direction.x), copysign(0.1, direction.y), copysign(2, direction.z));
}

/* Two plates one above the other, but off its middle and with boxes that overlap: the line between their middles does
 * not separate them, and an axis must be searched; it is remembered. */
static void what_is_remembered_spares_work(void **state)
{
    (void)state;
    size_t asked = 0, work[2] = {0, 0}, least = 0;
    tact_shape *plate = tact_custom(counted_plate, &asked, 5);
    const tact_quat lean = tact_quat_from_axis_angle(tact_vec(1, 0.2, 0), 0.3);
    for (int cached = 0; cached < 2; ++cached) {
        tact_world *w = tact_world_create(&(tact_world_def){.uncached = !cached});
        log_book book = {0};
        tact_body b = tact_body_create(w, &(tact_body_def){.shape = plate});
        tact_transform above = tact_transform_rotate(tact_at(1.5, 0, 1.5), lean);
        (void)tact_body_create(
            w, &(tact_body_def){.shape = plate, .transform = tact_transform_translate(above, tact_vec(0, 0.3, 0))});
        (void)tact_world_set_contact_callback(w, noting(&book, TACT_NOTHING));
        for (int frame = 0; frame < 20; ++frame) {
            tact_body_set_transform(w, b, tact_transform_rotate(tact_at(0.001 * frame, 0, 0), lean));
            asked = 0;
            assert_int_equal(tact_world_test(w).count, 0);
            work[cached] += frame > 0 ? asked : 0;
        }
        tact_world_release(w);
    }
    /* what it costs at least: here the first direction separates */
    asked = 0;
    assert_int_equal(tact_shapes_overlap(plate, tact_at(0, 0, 0), plate, tact_at(0, 1, 0), NULL).state, TACT_MISS);
    least = asked;
    assert_int_equal(work[1], 19 * least);
    assert_true(work[0] >= 19 * (least + 2));
    tact_shape_release(plate);
}

/* ---- responses that change the world ---- */

typedef struct meddler {
    tact_world *world;
    const tact_shape *shape;
    tact_body bodies[8];
    size_t calls;
    int deed;
    tact_count nested;
    log_book book;
} meddler;

enum {
    REMOVE_OTHERS,
    MOVE_AWAY,
    MOVE_TOGETHER,
    ADD,
    SILENCE,
    SPEAK,
    FILTER,
    RESHAPE,
    NEST,
    SWITCH,
    REMOVE_SELF,
    DEEDS
};

static void meddle(void *context, const tact_contact *c)
{
    meddler *m = context;
    tact_world *w = m->world;
    if (m->calls++ > 0)
        return; /* the first call only */
    switch (m->deed) {
    case REMOVE_OTHERS:
        for (int i = 2; i < 8; ++i)
            assert_int_equal(tact_body_remove(w, m->bodies[i]), TACT_OK);
        break;
    case MOVE_AWAY:
        for (int i = 2; i < 8; i += 2)
            assert_int_equal(tact_body_set_transform(w, m->bodies[i], tact_at(100.0 * i, 0, 0)), TACT_OK);
        break;
    case MOVE_TOGETHER:
        for (int i = 2; i < 8; ++i)
            assert_int_equal(tact_body_set_transform(w, m->bodies[i], tact_at(-50, 0, 0)), TACT_OK);
        break;
    case ADD:
        for (int i = 0; i < 100; ++i)
            assert_true(tact_body_exists(w, body_at_x(w, m->shape, 0.01 * i)));
        break;
    case SILENCE:
        assert_int_equal(tact_world_set_contact_callback(w, (tact_response){0}), TACT_OK);
        break;
    case SPEAK: /* for a pair that was silent when the test began */
        assert_int_equal(tact_pair_set_contact_callback(w, m->bodies[6], m->bodies[7], noting(&m->book, TACT_NOTHING)),
                         TACT_OK);
        break;
    case FILTER:
        for (int i = 2; i < 8; ++i)
            assert_int_equal(tact_body_set_filter(w, m->bodies[i], 1, 2), TACT_OK);
        break;
    case RESHAPE: {
        tact_shape *small = tact_sphere(0.01);
        for (int i = 2; i < 8; ++i)
            assert_int_equal(tact_body_set_shape(w, m->bodies[i], small), TACT_OK);
        tact_shape_release(small);
        break;
    }
    case NEST:
        m->nested = tact_world_test(w);
        break;
    case SWITCH:
        assert_int_equal(tact_world_set_broad_phase(w, TACT_BROAD_SWEEP_AND_PRUNE), TACT_OK);
        assert_int_equal(tact_world_set_broad_phase(w, TACT_BROAD_TREE), TACT_OK);
        assert_int_equal(tact_world_set_caching(w, false), TACT_OK);
        assert_int_equal(tact_world_store_previous(w), TACT_OK);
        break;
    case REMOVE_SELF:
        assert_int_equal(tact_body_remove(w, c->a), TACT_OK);
        assert_int_equal(tact_body_remove(w, c->b), TACT_OK);
        assert_true(c->a.generation != 0 && vec_finite(c->point));
        break;
    }
}

/* Four pairs of touching spheres, far from each other; the first callback changes the other three. */
static void responses_may_change_the_world(void **state)
{
    (void)state;
    tact_shape *sphere = tact_sphere(1);
    /* calls in the test during which the deed is done, and in the next one */
    static const size_t during[DEEDS] = {
        [REMOVE_OTHERS] = 1, [MOVE_AWAY] = 1, [MOVE_TOGETHER] = 4, [ADD] = 4,    [SILENCE] = 1,    [SPEAK] = 4,
        [FILTER] = 1,        [RESHAPE] = 1,   [NEST] = 4,          [SWITCH] = 4, [REMOVE_SELF] = 4};
    static const size_t after[DEEDS] = {[REMOVE_OTHERS] = 1,    [MOVE_AWAY] = 1,  [MOVE_TOGETHER] = 1 + 15,
                                        [ADD] = 4 + 4950 + 200, [SILENCE] = 0,    [SPEAK] = 4,
                                        [FILTER] = 1,           [RESHAPE] = 1,    [NEST] = 4,
                                        [SWITCH] = 4,           [REMOVE_SELF] = 3};
    for (int deed = 0; deed < DEEDS; ++deed)
        for (int threads = 1; threads <= 2; ++threads) {
            failing_allocator memory = {0};
            meddler m = {.shape = sphere, .deed = deed};
            m.world = tact_world_create(
                &(tact_world_def){.allocator = failing_allocator_make(&memory), .parallel = {.threads = threads}});
            for (int i = 0; i < 8; ++i)
                m.bodies[i] = body_at_x(m.world, sphere, 10.0 * (i / 2) + 0.5 * (i % 2));
            tact_response response = {.want = TACT_WITNESS, .callback = meddle, .context = &m};
            assert_int_equal(tact_world_set_contact_callback(m.world, response), TACT_OK);
            if (deed == SPEAK)
                assert_int_equal(tact_pair_set_contact_callback(m.world, m.bodies[7], m.bodies[6], (tact_response){0}),
                                 TACT_OK);
            tact_count done = tact_world_test(m.world);
            assert_int_equal(done.status, TACT_OK);
            if (done.count != during[deed])
                fail_msg("deed %d: %zu calls instead of %zu", deed, done.count, during[deed]);
            assert_int_equal(m.calls + m.book.calls, done.count);
            if (deed == NEST)
                assert_true(m.nested.status == TACT_BAD_ARGUMENT && m.nested.count == 0);
            done = tact_world_test(m.world);
            assert_int_equal(done.status, TACT_OK);
            if (done.count != after[deed])
                fail_msg("deed %d: %zu calls afterwards instead of %zu", deed, done.count, after[deed]);
            tact_world_release(m.world);
            assert_int_equal(memory.held, 0);
        }
    tact_shape_release(sphere);
}

static void push_together(void *context, const tact_contact *c)
{
    const tact_body *body = context;
    assert_int_equal(tact_body_set_transform(c->world, *body, tact_at(11, 0, 0)), TACT_OK);
}

/* Apart when the test began, with bounds that met; moved together by the response of another pair. */
static void pair_that_comes_to_touch_is_called(void **state)
{
    (void)state;
    tact_shape *sphere = tact_sphere(1);
    tact_world *w = tact_world_create(NULL);
    (void)body_at_x(w, sphere, 0);
    (void)body_at_x(w, sphere, 1);
    (void)body_at_x(w, sphere, 10);
    tact_body late = tact_body_create(w, &(tact_body_def){.shape = sphere, .transform = tact_at(11.5, 1.5, 1.5)});
    tact_response response = {.want = TACT_NOTHING, .callback = push_together, .context = &late};
    assert_int_equal(tact_world_set_contact_callback(w, response), TACT_OK);
    assert_int_equal(tact_world_test(w).count, 2);
    assert_int_equal(tact_world_test(w).count, 2);
    tact_world_release(w);
    tact_shape_release(sphere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_specific_response_counts),
        cmocka_unit_test(set_clear_and_reset_do_as_the_guide_says),
        cmocka_unit_test(pair_responses_of_the_dead_take_no_room),
        cmocka_unit_test(filters_exclude),
        cmocka_unit_test(response_gets_the_data_it_asks_for),
        cmocka_unit_test(status_reports_a_pair_that_cannot_be_decided),
        cmocka_unit_test(what_is_remembered_spares_work),
        cmocka_unit_test(responses_may_change_the_world),
        cmocka_unit_test(pair_that_comes_to_touch_is_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
