/*
 * Self-collision of deformable bodies in tests of a world: which response applies, the order of contacts, callbacks
 * that change bodies, bad arguments, failing allocations, saved and recorded worlds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <tact/tact.h>

#include "support/failing_allocator.h"
#include "world/grid_mesh.h"
#include "world/world_log.h"

/* ---- responses, order, changes in callbacks ---- */

/* A strip of two squares; folded, its end passes through the first square. */
static const uint32_t strip_faces[4][3] = {{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {3, 5, 4}};
static const tact_vec3 strip_flat[6] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {2, 0, 0}, {2, 1, 0}};
static const tact_vec3 strip_folded[6] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {0.5, 0.25, 1}, {0.5, 0.75, -1}};

static tact_vertices strip_of(bool folded)
{
    return (tact_vertices){folded ? strip_folded : strip_flat, 6, 0, TACT_SCALAR_DOUBLE};
}

static tact_shape *make_strip(bool folded)
{
    return tact_mesh(folded ? strip_folded : strip_flat, 6, &strip_faces[0][0], 4);
}

static tact_body add_strip(tact_world *w, const tact_shape *strip, double x, uint32_t class_id)
{
    return tact_body_create(w, &(tact_body_def){.shape = strip,
                                                .transform = tact_at(x, 0, 0),
                                                .class_id = class_id,
                                                .deformable = true,
                                                .self_collision = true});
}

static void the_first_level_with_a_response_applies(void **state)
{
    (void)state;
    enum { WORLD, CLASS, CLASSES, BODY, PAIR, LEVELS };
    self_log logs[LEVELS] = {{0}};
    tact_shape *strip = make_strip(true);
    tact_world *w = tact_world_create(NULL);
    const tact_body body = add_strip(w, strip, 0, 3), other = add_strip(w, strip, 50, 4);
    for (int level = 0; level < LEVELS; ++level) {
        const tact_response response = log_to(&logs[level], TACT_NOTHING);
        const tact_status status = level == WORLD     ? tact_world_set_contact_callback(w, response)
                                   : level == CLASS   ? tact_class_set_contact_callback(w, 3, response)
                                   : level == CLASSES ? tact_classes_set_contact_callback(w, 3, 3, response)
                                   : level == BODY    ? tact_body_set_contact_callback(w, body, response)
                                                      : tact_pair_set_contact_callback(w, body, body, response);
        assert_int_equal(status, TACT_OK);
        assert_ptr_equal(tact_pair_get_contact_callback(w, body, body).context, &logs[level]);
        assert_int_equal(tact_world_test(w).count, 2);
        assert_int_equal(logs[level].calls, level == WORLD ? 2 : 1);
        assert_int_equal(logs[WORLD].calls, 2 + level); /* of the other body */
    }
    /* a response of the pair (body, body) is for this pair alone */
    assert_ptr_equal(tact_pair_get_contact_callback(w, body, other).context, &logs[BODY]);
    /* none at all */
    assert_int_equal(tact_pair_set_contact_callback(w, body, body, (tact_response){0}), TACT_OK);
    assert_int_equal(tact_world_test(w).count, 1);
    assert_int_equal(tact_pair_reset_contact_callback(w, body, body), TACT_OK);
    assert_ptr_equal(tact_pair_get_contact_callback(w, body, body).context, &logs[BODY]);
    assert_int_equal(tact_world_test(w).count, 2);
    /* a removed body takes its response with it */
    assert_int_equal(tact_pair_set_contact_callback(w, body, body, log_to(&logs[PAIR], TACT_NOTHING)), TACT_OK);
    assert_int_equal(tact_body_remove(w, body), TACT_OK);
    assert_int_equal(tact_pair_set_contact_callback(w, body, body, (tact_response){0}), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_test(w).count, 1);
    const tact_body again = add_strip(w, strip, 0, 0);
    assert_int_equal(again.index, body.index);
    assert_ptr_equal(tact_pair_get_contact_callback(w, again, again).context, &logs[WORLD]);
    assert_int_equal(tact_world_test(w).count, 2);
    tact_world_release(w);
    tact_shape_release(strip);
}

typedef struct order_log {
    int count;
    tact_body a[16], b[16];
} order_log;

static void note_order(void *context, const tact_contact *c)
{
    order_log *log = context;
    log->a[log->count] = c->a;
    log->b[log->count++] = c->b;
}

/* Self-contacts follow after the pairs, by index, whatever the order in which the flags were set. Filters do not
 * apply to them. */
static void self_contacts_follow_after_the_pairs(void **state)
{
    (void)state;
    tact_shape *strip = make_strip(true), *box = tact_box(1, 1, 1);
    tact_world *w = tact_world_create(NULL);
    tact_body bodies[5];
    for (int i = 0; i < 5; ++i)
        bodies[i] = add_strip(w, strip, 10 * i, 0);
    const tact_body crate = tact_body_create(w, &(tact_body_def){.shape = box, .transform = tact_at(40, 0, 0)});
    order_log log = {0};
    tact_world_set_contact_callback(w, (tact_response){.want = TACT_NOTHING, .callback = note_order, .context = &log});
    static const int set[] = {3, 0, 4, 2, 1};
    for (int i = 0; i < 5; ++i)
        assert_int_equal(tact_body_set_self_collision(w, bodies[i], false), TACT_OK);
    assert_int_equal(tact_world_test(w).count, 1);
    for (int i = 0; i < 5; ++i)
        assert_int_equal(tact_body_set_self_collision(w, bodies[set[i]], true), TACT_OK);
    assert_int_equal(tact_body_set_self_collision(w, bodies[2], false), TACT_OK);
    assert_int_equal(tact_body_remove(w, bodies[1]), TACT_OK);
    assert_int_equal(tact_body_set_filter(w, bodies[0], 1, 2), TACT_OK); /* would exclude itself */
    assert_int_equal(tact_body_set_filter(w, bodies[4], 1, 2), TACT_OK); /* excludes nothing else: categories are all */
    log.count = 0;
    assert_int_equal(tact_world_test(w).count, 4);
    assert_true(same_body(log.a[0], bodies[4]) && same_body(log.b[0], crate));
    static const int order[] = {0, 3, 4};
    for (int i = 0; i < 3; ++i)
        assert_true(same_body(log.a[1 + i], bodies[order[i]]) && same_body(log.b[1 + i], bodies[order[i]]));
    tact_world_release(w);
    tact_shape_release(strip);
    tact_shape_release(box);
}

typedef enum deed {
    NOTHING,
    UNFOLD,
    FOLD,
    REMOVE,
    SWITCH_OFF,
    SWITCH_ON,
    TEAR,
    RESHAPE,
    SILENCE,
    SPEAK,
    ADD,
    NEST,
    RELEASE,
    DEEDS
} deed;

/* Two boxes touch. The callback of this pair changes the strip, which is examined later. */
typedef struct meddler {
    deed deed;
    tact_body strip;
    const tact_shape *shape;
    tact_count nested;
    int calls;
    bool done;
} meddler;

static void meddle(void *context, const tact_contact *c)
{
    meddler *m = context;
    const uint32_t gone[2] = {2, 3}, none[2][3] = {{TACT_NO_VERTEX}, {TACT_NO_VERTEX}};
    tact_status status = TACT_OK;
    ++m->calls;
    if (same_body(c->a, c->b) || m->done)
        return;
    m->done = true;
    switch (m->deed) {
    case UNFOLD:
    case FOLD:
        status = tact_body_deform(c->world, m->strip, strip_of(m->deed == FOLD));
        break;
    case REMOVE:
        status = tact_body_remove(c->world, m->strip);
        break;
    case SWITCH_OFF:
    case SWITCH_ON:
        status = tact_body_set_self_collision(c->world, m->strip, m->deed == SWITCH_ON);
        break;
    case TEAR:
        status = tact_body_change_faces(c->world, m->strip, gone, none, 2);
        break;
    case RESHAPE:
        status = tact_body_set_shape(c->world, m->strip, m->shape);
        break;
    case SILENCE:
        status = tact_pair_set_contact_callback(c->world, m->strip, m->strip, (tact_response){0});
        break;
    case SPEAK:
        status = tact_pair_reset_contact_callback(c->world, m->strip, m->strip);
        break;
    case ADD:
        (void)add_strip(c->world, m->shape, 100, 0);
        break;
    case NEST:
        m->nested = tact_world_test(c->world);
        break;
    case RELEASE:
        tact_world_release(c->world);
        break;
    default:
        break;
    }
    assert_int_equal(status, TACT_OK);
}

static void callbacks_may_change_the_body(void **state)
{
    (void)state;
    /* calls of the self-contact in the same test, and in the next one */
    static const size_t during[DEEDS] = {[NOTHING] = 1, [FOLD] = 1, [SPEAK] = 1, [ADD] = 1, [NEST] = 1};
    static const size_t after[DEEDS] = {[NOTHING] = 1, [FOLD] = 1, [SWITCH_ON] = 1, [SPEAK] = 1, [ADD] = 2, [NEST] = 1};
    tact_shape *strip = make_strip(true), *box = tact_box(1, 1, 1);
    for (int what = 0; what < DEEDS; ++what)
        for (int threads = 1; threads <= 2; ++threads) {
            failing_allocator memory = {0};
            meddler m = {.deed = (deed)what, .shape = strip};
            tact_world *w = tact_world_create(
                &(tact_world_def){.allocator = failing_allocator_make(&memory), .parallel = {.threads = threads}});
            m.strip = add_strip(w, strip, 10, 0);
            (void)body_at_x(w, box, 0);
            (void)body_at_x(w, box, 0.5);
            tact_world_set_contact_callback(w,
                                            (tact_response){.want = TACT_WITNESS, .callback = meddle, .context = &m});
            if (what == FOLD)
                assert_int_equal(tact_body_deform(w, m.strip, strip_of(false)), TACT_OK);
            if (what == SWITCH_ON)
                assert_int_equal(tact_body_set_self_collision(w, m.strip, false), TACT_OK);
            if (what == SPEAK)
                assert_int_equal(tact_pair_set_contact_callback(w, m.strip, m.strip, (tact_response){0}), TACT_OK);
            tact_count done = tact_world_test(w);
            assert_int_equal(done.status, TACT_OK);
            if (done.count != 1 + during[what] || (size_t)m.calls != done.count)
                fail_msg("deed %d: %zu calls instead of %zu", what, done.count, 1 + during[what]);
            if (what == NEST)
                assert_true(m.nested.status == TACT_BAD_ARGUMENT && m.nested.count == 0);
            if (what != RELEASE) {
                done = tact_world_test(w);
                if (done.count != 1 + after[what])
                    fail_msg("deed %d: %zu calls afterwards instead of %zu", what, done.count, 1 + after[what]);
                tact_world_release(w);
            }
            assert_int_equal(memory.held, 0);
        }
    tact_shape_release(strip);
    tact_shape_release(box);
}

static void resolve(void *context, const tact_contact *c)
{
    ++*(int *)context;
    assert_true(same_body(c->a, c->b));
    assert_int_equal(tact_body_deform(c->world, c->a, strip_of(false)), TACT_OK);
}

/* A program that repeats the test until nothing is reported. */
static void a_callback_may_unfold_its_own_body(void **state)
{
    (void)state;
    tact_shape *strip = make_strip(true);
    tact_world *w = tact_world_create(NULL);
    const tact_body body = add_strip(w, strip, 0, 0), other = add_strip(w, strip, 20, 0);
    int calls = 0;
    tact_world_set_contact_callback(
        w, (tact_response){.want = TACT_INTERSECTIONS, .callback = resolve, .context = &calls});
    assert_int_equal(tact_world_test(w).count, 2);
    assert_int_equal(tact_world_test(w).count, 0);
    assert_int_equal(tact_body_deform(w, other, strip_of(true)), TACT_OK);
    assert_int_equal(tact_world_test(w).count, 1);
    assert_int_equal(calls, 3);
    /* the flag survives being deformed, but not another shape */
    assert_true(tact_body_get_self_collision(w, body));
    assert_int_equal(tact_body_set_shape(w, body, strip), TACT_OK);
    assert_false(tact_body_get_self_collision(w, body));
    assert_int_equal(tact_world_test(w).count, 0);
    assert_int_equal(tact_body_set_self_collision(w, body, true), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_make_deformable(w, body), TACT_OK);
    assert_int_equal(tact_body_set_self_collision(w, body, true), TACT_OK);
    assert_int_equal(tact_world_test(w).count, 1);
    tact_world_release(w);
    tact_shape_release(strip);
}

static void bad_arguments_are_rejected(void **state)
{
    (void)state;
    const tact_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const uint32_t indices[4] = {0, 1, 2, 3}, sizes[1] = {4};
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){points, 4, 0, TACT_SCALAR_DOUBLE};
    def.indices = indices;
    def.index_count = 4;
    def.loop_sizes = sizes;
    def.loop_count = 1;
    tact_shape *soup = tact_soup_create(&def, NULL), *strip = make_strip(true), *sphere = tact_sphere(1);
    tact_world *w = tact_world_create(NULL);
    tact_body body, several[2];
    tact_report report;
    const tact_body_def wrong[] = {{.shape = strip, .self_collision = true},
                                   {.shape = sphere, .self_collision = true},
                                   {.shape = soup, .deformable = true, .self_collision = true}};
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(tact_body_create(w, &wrong[i]).generation, 0);
        assert_int_equal(tact_body_create_many(w, &wrong[i], 1, &body, &report), TACT_BAD_ARGUMENT);
        assert_non_null(strstr(report.text, "body 0 cannot collide with itself"));
        const tact_body_def two[2] = {{.shape = strip, .deformable = true, .self_collision = true}, wrong[i]};
        assert_int_equal(tact_body_create_many(w, two, 2, several, &report), TACT_BAD_ARGUMENT);
        assert_non_null(strstr(report.text, "body 1 cannot"));
    }
    assert_int_equal(tact_world_body_count(w), 0);
    const tact_body rigid = tact_body_create(w, &(tact_body_def){.shape = strip}),
                    parts = tact_body_create(w, &(tact_body_def){.shape = soup, .deformable = true}),
                    cloth = tact_body_create(w, &(tact_body_def){.shape = strip, .deformable = true});
    assert_false(tact_body_get_self_collision(w, cloth));
    assert_int_equal(tact_body_set_self_collision(w, rigid, true), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_self_collision(w, parts, true), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_self_collision(NULL, cloth, true), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_self_collision(w, (tact_body){0, 0}, false), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_self_collision(w, rigid, false), TACT_OK);
    assert_int_equal(tact_body_set_self_collision(w, cloth, true), TACT_OK);
    assert_int_equal(tact_body_set_self_collision(w, cloth, true), TACT_OK);
    assert_true(tact_body_get_self_collision(w, cloth) && !tact_body_get_self_collision(w, rigid));
    assert_false(tact_body_get_self_collision(NULL, cloth));
    assert_int_equal(tact_body_remove(w, cloth), TACT_OK);
    assert_false(tact_body_get_self_collision(w, cloth));
    assert_int_equal(tact_body_set_self_collision(w, cloth, true), TACT_BAD_ARGUMENT);
    tact_world_release(w);
    tact_shape_release(soup);
    tact_shape_release(strip);
    tact_shape_release(sphere);
}

/* ---- memory ---- */

/* Every allocation fails once. Without memory for the list of tests the test fails, without memory for the segments the
 * contact says so; both work when repeated. */
static void failed_allocations_are_reported(void **state)
{
    (void)state;
    tact_shape *strip = make_strip(true);
    int failed_tests = 0, failed_contacts = 0;
    long fail_at = 1;
    for (bool failed = true; failed; ++fail_at) {
        failing_allocator memory = {.fail_at = fail_at};
        self_log log = {0};
        tact_world *w = tact_world_create(
            &(tact_world_def){.allocator = failing_allocator_make(&memory), .parallel = {.threads = 1}});
        if (w == NULL)
            continue;
        tact_body body = add_strip(w, strip, 0, 0);
        if (body.generation == 0)
            body = add_strip(w, strip, 0, 0);
        assert_true(tact_body_get_self_collision(w, body));
        tact_status status = tact_pair_set_contact_callback(w, body, body, log_to(&log, TACT_INTERSECTIONS));
        if (status == TACT_OUT_OF_MEMORY)
            status = tact_pair_set_contact_callback(w, body, body, log_to(&log, TACT_INTERSECTIONS));
        assert_int_equal(status, TACT_OK);
        tact_count done = tact_world_test(w);
        if (done.status == TACT_OUT_OF_MEMORY) {
            assert_true(done.count == 0 && log.calls == 0);
            ++failed_tests;
            done = tact_world_test(w);
        }
        assert_true(done.status == TACT_OK && done.count == 1 && log.calls == 1);
        if (log.last.status == TACT_OUT_OF_MEMORY) {
            assert_true(log.last.intersections == NULL && log.count == 0);
            ++failed_contacts;
            assert_int_equal(tact_world_test(w).count, 1);
        }
        assert_true(log.last.status == TACT_OK && log.count > 0);
        /* the same again needs no memory */
        const long calls = memory.calls;
        assert_int_equal(tact_world_test(w).count, 1);
        assert_int_equal(memory.calls, calls);
        failed = memory.calls >= fail_at;
        tact_world_release(w);
        assert_int_equal(memory.held, 0);
    }
    print_message("%ld allocations: %d tests and %d contacts failed\n", fail_at - 1, failed_tests, failed_contacts);
    assert_true(failed_tests > 0 && failed_contacts > 0);
    tact_shape_release(strip);
}

/* ---- saved and recorded worlds ---- */

static void unfold_in_callback(void *context, const tact_contact *c)
{
    note_self(context, c);
    if (c->want == TACT_WITNESS)
        assert_int_equal(tact_body_deform(c->world, c->a, strip_of(false)), TACT_OK);
}

static void saved_and_recorded_worlds_keep_it(void **state)
{
    (void)state;
    tact_shape *strip = make_strip(true);
    tact_bytes saved = {0}, recording = {0};
    tact_report report;
    self_log log = {0};
    tact_world *w = tact_world_create(NULL);
    tact_record *record = tact_record_begin(w, tact_bytes_sink(&recording), NULL, &report);
    assert_non_null(record);
    const tact_body a = add_strip(w, strip, 0, 0), b = add_strip(w, strip, 9, 0), c = add_strip(w, strip, 18, 0);
    tact_world_set_contact_callback(
        w, (tact_response){.want = TACT_WITNESS, .callback = unfold_in_callback, .context = &log});
    assert_int_equal(tact_pair_set_contact_callback(w, b, b, log_to(&log, TACT_INTERSECTIONS)), TACT_OK);
    assert_int_equal(tact_body_set_self_collision(w, c, false), TACT_OK);
    assert_int_equal(tact_world_test(w).count, 2); /* a unfolds itself */
    assert_int_equal(tact_world_test(w).count, 1);
    assert_int_equal(tact_body_set_self_collision(w, c, true), TACT_OK);
    assert_int_equal(tact_world_save(w, tact_bytes_sink(&saved), NULL, &report), TACT_OK);
    assert_int_equal(tact_world_test(w).count, 2);
    assert_int_equal(tact_body_deform(w, a, strip_of(true)), TACT_OK);
    assert_int_equal(tact_world_test(w).count, 2);
    assert_int_equal(tact_record_end(record, &report), TACT_OK);

    tact_replay *replay = tact_replay_begin(recording.data, recording.size, NULL, &report);
    assert_non_null(replay);
    if (tact_replay_run(replay, &report) != TACT_REPLAY_END)
        fail_msg("%s", report.text);
    tact_world *replayed = tact_replay_take_world(replay);
    assert_true(tact_body_get_self_collision(replayed, a) && tact_body_get_self_collision(replayed, c));
    assert_int_equal(tact_world_test(replayed).count, 1);
    tact_world_release(replayed);

    tact_world *restored = tact_world_restore(saved.data, saved.size, NULL, &report);
    assert_non_null(restored);
    assert_true(tact_body_get_self_collision(restored, a) && tact_body_get_self_collision(restored, b) &&
                tact_body_get_self_collision(restored, c));
    assert_int_equal(tact_pair_get_contact_callback(restored, b, b).want, TACT_INTERSECTIONS);
    assert_int_equal(tact_pair_get_contact_callback(restored, a, a).want, TACT_WITNESS);
    assert_int_equal(tact_world_test(restored).count, 2);
    tact_world_release(restored);
    tact_world_release(w);
    tact_bytes_release(&saved);
    tact_bytes_release(&recording);
    tact_shape_release(strip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_level_with_a_response_applies),
        cmocka_unit_test(self_contacts_follow_after_the_pairs),
        cmocka_unit_test(callbacks_may_change_the_body),
        cmocka_unit_test(a_callback_may_unfold_its_own_body),
        cmocka_unit_test(bad_arguments_are_rejected),
        cmocka_unit_test(failed_allocations_are_reported),
        cmocka_unit_test(saved_and_recorded_worlds_keep_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
