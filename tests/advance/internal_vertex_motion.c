/*
 * Deformable bodies in continuous time, by their feature events: small random animations against the exact oracle of
 * oracle/animation_events.h, which tests all pairs on every linear piece. Bodies play key frames, some in loops, and
 * the motion of vertices changes on the way. Every engine gives the same events, bit for bit and in the same order, and
 * so does a change of engine at any event. Faces also change in response to an event, while others of that time have
 * not been reported.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "advance/advance.h"
#include "advance/deforming_pair.h"
#include "kinetic/animation.h"
#include "oracle/animation_cases.h"
#include "support/seeded_cases.h"

typedef struct found_event {
    double lower, upper;
    tact_ccd_kind kind;
    uint32_t index[4];
} found_event;

#define MOST_EVENTS 100000

/* The engine of a run; ALTERNATING: another one after each event. */
typedef enum engine_use { USE_WINDOWS, USE_LIST, USE_ALTERNATING, ENGINE_USES } engine_use;
static const char *const use_names[ENGINE_USES] = {"windows", "list", "alternating"};

typedef struct run {
    const animation_case *c;
    tact_world *world;
    tact_body bodies[ANIMATION_MAX_BODIES];
    uint32_t triangle_of[ANIMATION_MAX_BODIES][ANIMATION_MAX_TRIANGLES]; /* by face of the body */
    found_event *events;
    size_t event_count, touch_count;
    double last_time;
    engine_use use;
    bool responds;   /* tears are made in response to the first event at their time, if there is one */
    uint64_t digest; /* of all events, in their order */
} run;

/* Adds what a caller sees of an event to the digest, byte by byte (FNV-1a). */
static void digest_bytes(run *r, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; ++i)
        r->digest = (r->digest ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static void digest_event(run *r, const tact_event *e)
{
    const tact_event_features *f = &e->features;
    const uint32_t words[] = {
        (uint32_t)e->kind, (uint32_t)e->status, e->a.index,     e->b.index,     (uint32_t)f->kind,     f->a, f->b,
        f->vertices[0],    f->vertices[1],      f->vertices[2], f->vertices[3], (uint32_t)f->ccd.state};
    const double numbers[] = {e->time,           e->point.x,        e->point.y,        e->point.z,
                              e->normal.x,       e->normal.y,       e->normal.z,       f->ccd.lower,
                              f->ccd.upper,      f->ccd.normal.x,   f->ccd.normal.y,   f->ccd.normal.z,
                              f->ccd.weights[0], f->ccd.weights[1], f->ccd.weights[2], f->ccd.weights[3]};
    digest_bytes(r, words, sizeof words);
    digest_bytes(r, numbers, sizeof numbers);
}

static int body_of(const animation_case *c, uint32_t vertex)
{
    int b = 0;
    while (vertex >= c->bodies[b].first_vertex + c->bodies[b].vertex_count)
        ++b;
    return b;
}

/* Creates the bodies, all of which have triangles, and plays their key frames. */
static void make_bodies(run *r)
{
    const animation_case *c = r->c;
    for (int b = 0; b < c->body_count; ++b) {
        const animation_body *body = &c->bodies[b];
        uint32_t indices[ANIMATION_MAX_TRIANGLES][3], count = 0;
        for (size_t i = 0; i < c->first_triangle_count; ++i) {
            if (body_of(c, c->triangles[i][0]) != b)
                continue;
            r->triangle_of[b][count] = (uint32_t)i;
            for (int k = 0; k < 3; ++k)
                indices[count][k] = c->triangles[i][k] - body->first_vertex;
            ++count;
        }
        if (count == 0)
            continue;
        const uint32_t vertex_count = body->vertex_count - body->spare_count;
        tact_shape *shape = tact_mesh(body->keys[0], vertex_count, indices[0], count);
        assert_non_null(shape);
        r->bodies[b] = tact_body_create(
            r->world,
            &(tact_body_def){.shape = shape, .deformable = true, .self_collision = !c->parts[b].no_self_collision});
        assert_int_not_equal(r->bodies[b].generation, 0);
        tact_shape_release(shape);
        tact_animation *keys =
            tact_animation_create(&(tact_animation_def){.vertices = {.data = body->keys[0], .count = vertex_count},
                                                        .frame_count = (size_t)body->key_count,
                                                        .frame_stride = sizeof body->keys[0],
                                                        .times = body->key_times},
                                  NULL);
        assert_non_null(keys);
        assert_int_equal(tact_body_play(r->world, r->bodies[b], keys, &(tact_play_def){.loop = body->loops}), TACT_OK);
        tact_animation_release(keys);
        assert_int_equal(tact_body_set_feature_events(r->world, r->bodies[b], true), TACT_OK);
    }
}

static uint32_t which_body(const run *r, tact_body body)
{
    for (int b = 0; b < r->c->body_count; ++b)
        if (r->bodies[b].index == body.index && r->bodies[b].generation == body.generation)
            return (uint32_t)b;
    fail();
    return 0;
}

/* The first triangle with these vertices. */
static uint32_t first_triangle(const animation_case *c, uint32_t p, uint32_t q, uint32_t s)
{
    for (uint32_t i = 0; i < c->animation.triangle_count; ++i) {
        int found = 0;
        for (int k = 0; k < 3; ++k)
            found += c->triangles[i][k] == p || c->triangles[i][k] == q || c->triangles[i][k] == s;
        if (found == 3)
            return i;
    }
    fail();
    return 0;
}

static void note_event(run *r, const tact_event *e)
{
    assert_true(e->time >= r->last_time);
    r->last_time = e->time;
    digest_event(r, e);
    if (r->use == USE_ALTERNATING)
        assert_int_equal(tact_world_set_deforming_engine(r->world, r->digest % 2 == 0 ? TACT_DEFORMING_LIST
                                                                                      : TACT_DEFORMING_WINDOWS),
                         TACT_OK);
    if (e->kind == TACT_EVENT_TOUCH) {
        ++r->touch_count;
        return;
    }
    assert_int_equal(e->kind, TACT_EVENT_FEATURES);
    assert_true(r->event_count < MOST_EVENTS);
    const uint32_t a = which_body(r, e->a), b = which_body(r, e->b);
    found_event *f = &r->events[r->event_count++];
    *f = (found_event){.lower = e->features.ccd.lower, .upper = e->features.ccd.upper, .kind = e->features.kind};
    const uint32_t first_a = r->c->bodies[a].first_vertex, first_b = r->c->bodies[b].first_vertex;
    const uint32_t *v = e->features.vertices;
    if (f->kind == TACT_VERTEX_FACE) {
        f->index[0] = first_a + v[0];
        f->index[1] = first_triangle(r->c, first_b + v[1], first_b + v[2], first_b + v[3]);
        assert_int_equal(e->features.part_b.face, e->features.b);
        for (int k = 0; k < 3 && r->c->tear_count == 0; ++k)
            assert_int_equal(first_b + v[1 + k], r->c->triangles[r->triangle_of[b][e->features.b]][k]);
    } else {
        memcpy(f->index, (const uint32_t[4]){first_a + v[0], first_a + v[1], first_b + v[2], first_b + v[3]},
               sizeof f->index);
    }
    assert_true(e->time == fmax(e->features.ccd.lower, 0.0));
}

/* `tears`: there is a tear at that time. */
static void advance_to(run *r, double until, bool tears)
{
    tact_event e;
    while (tact_world_next_event(r->world, until, &e) != TACT_EVENT_NONE) {
        note_event(r, &e);
        if (tears && r->responds && e.time == until)
            return;
    }
    assert_int_equal(e.status, TACT_OK);
}

static void apply_change(run *r, const animation_change *change)
{
    for (int b = 0; b < r->c->body_count; ++b) {
        const animation_body *body = &r->c->bodies[b];
        const uint32_t first = change->first_vertex > body->first_vertex ? change->first_vertex : body->first_vertex;
        const uint32_t body_end = body->first_vertex + body->vertex_count,
                       change_end = change->first_vertex + change->vertex_count,
                       end = change_end < body_end ? change_end : body_end;
        if (first >= end || r->bodies[b].generation == 0)
            continue;
        const tact_vec3 *value = change->value + (first - change->first_vertex);
        const tact_vertex_motion motion = {.first = first - body->first_vertex,
                                           .count = end - first,
                                           .positions = change->position + (first - change->first_vertex),
                                           .velocities = change->has_velocity ? value : NULL,
                                           .targets = change->has_velocity ? NULL : value,
                                           .end_time = change->target_time};
        assert_int_equal(tact_body_set_vertex_motion(r->world, r->bodies[b], &motion), TACT_OK);
    }
}

/* Changes faces, after a vertex has been added. */
static void apply_tear(run *r, const animation_tear *tear)
{
    const tact_body body = r->bodies[tear->body];
    const uint32_t first = r->c->bodies[tear->body].first_vertex;
    uint32_t indices[ANIMATION_MAX_TORN_FACES][3];
    for (int i = 0; i < tear->face_count; ++i)
        for (int k = 0; k < 3; ++k)
            indices[i][k] = tear->indices[i][0] == UINT32_MAX ? TACT_NO_VERTEX : tear->indices[i][k] - first;
    if (tear->adds_vertex) {
        assert_int_equal(tact_body_add_vertices(r->world, body, &tear->position, 1), TACT_OK);
        const tact_vertex_motion motion = {
            .first = tear->added - first, .count = 1, .positions = &tear->position, .velocities = &tear->velocity};
        assert_int_equal(tact_body_set_vertex_motion(r->world, body, &motion), TACT_OK);
    }
    assert_int_equal(
        tact_body_change_faces(r->world, body, tear->faces, (const uint32_t(*)[3])indices, (size_t)tear->face_count),
        TACT_OK);
}

static int compare_found(const void *one, const void *other)
{
    const found_event *a = one, *b = other;
    if (a->lower != b->lower)
        return a->lower < b->lower ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    for (int i = 0; i < 4; ++i)
        if (a->index[i] != b->index[i])
            return a->index[i] < b->index[i] ? -1 : 1;
    return a->upper < b->upper ? -1 : a->upper > b->upper;
}

static void print_found(const char *name, const found_event *e)
{
    print_error("  %s [%a %a] %s %u %u %u %u\n", name, e->lower, e->upper, e->kind == TACT_VERTEX_FACE ? "vf" : "ee",
                e->index[0], e->index[1], e->index[2], e->index[3]);
}

/* Runs a case in portions of time. */
static void run_case(run *r, int portions)
{
    const animation_case *c = r->c;
    r->world = tact_world_create(NULL);
    assert_non_null(r->world);
    if (r->use != USE_ALTERNATING)
        assert_int_equal(tact_world_set_deforming_engine(r->world, r->use == USE_LIST ? TACT_DEFORMING_LIST
                                                                                      : TACT_DEFORMING_WINDOWS),
                         TACT_OK);
    make_bodies(r);
    int change = 0, tear = 0;
    for (int p = 1; p <= portions; ++p) {
        const double until = p == portions ? c->end : c->end * p / portions;
        for (;;) {
            const double next_change = change < c->change_count ? c->changes[change].time : INFINITY;
            const double next_tear = tear < c->tear_count ? c->tears[tear].time : INFINITY;
            if (!(fmin(next_change, next_tear) <= until))
                break;
            /* a tear and a change at one time are one: no contacts that begin just after it are taken in between */
            if (fmin(next_change, next_tear) > tact_world_get_time(r->world))
                advance_to(r, fmin(next_change, next_tear), next_tear <= next_change);
            if (next_tear <= next_change)
                apply_tear(r, &c->tears[tear++]);
            else
                apply_change(r, &c->changes[change++]);
        }
        advance_to(r, until, false);
    }
    tact_world_release(r->world);
}

static size_t contacts_torn, contacts_kept;             /* by tears */
static size_t events_dropped, events_gone, events_left; /* at the times of tears in response to an event */

/* Whether a triangle that exists after a time has all these vertices. */
static bool exists_after(const animation_case *c, double time, const uint32_t *vertices, int count)
{
    for (size_t i = 0; i < c->animation.triangle_count; ++i) {
        int found = 0;
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < count; ++j)
                found += c->triangles[i][k] == vertices[j];
        if (found == count && c->lives[i].begin <= time && c->lives[i].end > time)
            return true;
    }
    return false;
}

/* Whether the features of an event cease to exist at its time, by a tear. */
static bool ends_then(const animation_case *c, const found_event *e)
{
    bool tears = false;
    for (int i = 0; i < c->tear_count; ++i)
        tears = tears || c->tears[i].time == e->lower;
    if (!tears)
        return false;
    if (e->kind == TACT_EDGE_EDGE)
        return !exists_after(c, e->lower, e->index, 2) || !exists_after(c, e->lower, e->index + 2, 2);
    return !exists_after(c, e->lower, e->index, 1) || !exists_after(c, e->lower, c->triangles[e->index[1]], 3);
}

static bool at_tear(const animation_case *c, double time)
{
    for (int i = 0; i < c->tear_count; ++i)
        if (c->tears[i].time == time)
            return true;
    return false;
}

/* Runs a case with each engine, and compares with the oracle. `responds`: faces change in response to an event. Then
 * events at that time whose features end are dropped if they have not been reported; and one that begins just after it
 * may have been reported. Returns the number of events. */
static size_t check_case(animation_case_type type, uint64_t seed, int portions, bool responds, found_event *events)
{
    animation_case *c = animation_case_make(type, seed);
    c->animation.edge_count = c->animation.point_count = 0; /* bodies have faces only */
    size_t expected_count;
    brute_counts counts;
    brute_event *expected = brute_animation_events(&c->animation, &expected_count, &counts);
    contacts_torn += type >= ANIMATION_TEARING ? counts.torn : 0;
    contacts_kept += type >= ANIMATION_TEARING ? counts.kept : 0;
    run r = {.c = c, .events = events};
    uint64_t digest = 0;
    for (int use = 0; use < ENGINE_USES; ++use) {
        if (use > 0 && use != 1 + (int)(seed % 2) && getenv("TACT_TEST_LONG") == NULL)
            continue;
        r = (run){.c = c, .events = events, .use = (engine_use)use, .responds = responds};
        run_case(&r, portions);
        if (use == 0)
            digest = r.digest;
        CHECK(r.digest == digest, "%s: %s give other events than windows, %zu", animation_case_names[type],
              use_names[use], r.event_count);
    }
    /* bodies without faces have no vertices in the world; and it also reports a jump at the very end */
    size_t left = 0;
    for (size_t i = 0; i < expected_count; ++i)
        if (r.bodies[body_of(c, expected[i].index[0])].generation != 0 && expected[i].lower < c->end)
            expected[left++] = expected[i];
    expected_count = left;
    left = 0;
    for (size_t i = 0; i < r.event_count; ++i)
        if (r.events[i].lower < c->end)
            r.events[left++] = r.events[i];
    r.event_count = left;
    qsort(r.events, r.event_count, sizeof *r.events, compare_found);
    size_t x = 0, f = 0;
    while (x < expected_count || f < r.event_count) {
        found_event wanted = {0};
        if (x < expected_count) {
            wanted = (found_event){expected[x].lower, expected[x].upper, expected[x].kind, {0}};
            memcpy(wanted.index, expected[x].index, sizeof wanted.index);
        }
        const int order = x == expected_count ? 1 : f == r.event_count ? -1 : compare_found(&wanted, &r.events[f]);
        if (order < 0 && responds && wanted.lower == wanted.upper && ends_then(c, &wanted)) {
            ++events_dropped;
            ++x;
            continue;
        }
        if (order > 0 && responds && r.events[f].upper > r.events[f].lower && ends_then(c, &r.events[f])) {
            ++events_gone;
            ++f;
            continue;
        }
        if (order != 0) {
            if (x < expected_count)
                print_found("expected", &wanted);
            if (f < r.event_count)
                print_found("found   ", &r.events[f]);
            CHECK(false, "%s: event %zu of %zu expected, %zu of %zu found", animation_case_names[type], x,
                  expected_count, f, r.event_count);
        }
        events_left += responds && at_tear(c, wanted.lower);
        ++x;
        ++f;
    }
    free(expected);
    animation_case_free(c);
    return f;
}

static void feature_events_are_those_of_the_oracle(void **state)
{
    (void)state;
    found_event *events = malloc(MOST_EVENTS * sizeof *events);
    assert_non_null(events);
    for (int type = 0; type < ANIMATION_ALL_CASE_TYPES; ++type) {
        size_t count = 0;
        const uint64_t last = type >= ANIMATION_TEARING ? last_seed_of(20, 300) : last_seed_of(3, 100);
        for (uint64_t seed = first_seed(); seed <= last; ++seed)
            count += check_case((animation_case_type)type, seed, 1 + (int)(seed % 3), false, events);
        print_message("%-16s %zu events\n", animation_case_names[type], count);
        if (!few_cases())
            assert_true(count > 20);
    }
    print_message("tears: %zu contacts end with their features, %zu go on\n", contacts_torn, contacts_kept);
    assert_true(few_cases() || (contacts_torn > 20 && contacts_kept > 300));
    free(events);
}

/* At key frames of a grid many contacts begin at once. */
static void faces_change_in_response_to_events(void **state)
{
    (void)state;
    found_event *events = malloc(MOST_EVENTS * sizeof *events);
    assert_non_null(events);
    size_t count = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(80, 2000); ++seed)
        count += check_case(ANIMATION_TEARING_AT_KEYS, seed, 1 + (int)(seed % 3), true, events);
    print_message("%zu events; at the times of tears %zu dropped with their features, %zu reported before they end, "
                  "%zu others\n",
                  count, events_dropped, events_gone, events_left);
    free(events);
    assert_true(few_cases() || (events_dropped > 4 && events_left > 500));
}

/* ---- the choice of the engine ---- */

#define CLOTH_EDGE 8u
#define CLOTH_VERTICES (CLOTH_EDGE * CLOTH_EDGE)
#define CLOTH_TRIANGLES (2u * (CLOTH_EDGE - 1) * (CLOTH_EDGE - 1))
#define CLOTH_KEYS 600

/* A cloth on which a wave runs, with very many key frames; its lower half is folded over the upper one and moves up and
 * down through it. `step`: how far the motion goes from one key frame to the next. */
static tact_animation *make_cloth(double step, uint32_t triangles[CLOTH_TRIANGLES][3])
{
    static tact_vec3 keys[CLOTH_KEYS][CLOTH_VERTICES];
    uint32_t count = 0;
    for (uint32_t i = 0; i + 1 < CLOTH_EDGE; ++i)
        for (uint32_t j = 0; j + 1 < CLOTH_EDGE; ++j) {
            const uint32_t a = i * CLOTH_EDGE + j, b = a + CLOTH_EDGE;
            memcpy(triangles[count++], (const uint32_t[3]){a, a + 1, b}, 3 * sizeof **triangles);
            memcpy(triangles[count++], (const uint32_t[3]){a + 1, b + 1, b}, 3 * sizeof **triangles);
        }
    for (int k = 0; k < CLOTH_KEYS; ++k)
        for (uint32_t v = 0; v < CLOTH_VERTICES; ++v) {
            const double u = v / CLOTH_EDGE, w = v % CLOTH_EDGE, t = k * step;
            const bool folded = u >= CLOTH_EDGE / 2;
            keys[k][v] = (tact_vec3){folded ? CLOTH_EDGE - 1.1 - u : u, w + (folded ? 0.3 : 0.0),
                                     0.2 * sin(0.7 * u + t) + (folded ? 0.15 + 0.15 * cos(4.0 * t + 1.8) : 0.0)};
        }
    return tact_animation_create(
        &(tact_animation_def){.vertices = {.data = keys, .count = CLOTH_VERTICES}, .frame_count = CLOTH_KEYS}, NULL);
}

/* Plays the cloth; counts how many of the last key intervals the list searched. */
static int play_cloth(tact_animation *cloth, uint32_t triangles[CLOTH_TRIANGLES][3], tact_deforming_engine engine,
                      run *r)
{
    tact_vec3 start[CLOTH_VERTICES];
    r->world = tact_world_create(NULL);
    for (uint32_t v = 0; v < CLOTH_VERTICES; ++v)
        start[v] = tact_animation_vertex(cloth, 0, v);
    tact_shape *shape = tact_mesh(start, CLOTH_VERTICES, triangles[0], CLOTH_TRIANGLES);
    const tact_body body =
        tact_body_create(r->world, &(tact_body_def){.shape = shape, .deformable = true, .self_collision = true});
    assert_int_equal(tact_world_set_deforming_engine(r->world, engine), TACT_OK);
    assert_int_equal(tact_body_play(r->world, body, cloth, NULL), TACT_OK);
    assert_int_equal(tact_body_set_feature_events(r->world, body, true), TACT_OK);
    int by_list = 0;
    for (int k = 0; k < CLOTH_KEYS - 1; ++k) {
        tact_event e;
        while (tact_world_next_event(r->world, k + 0.5, &e) != TACT_EVENT_NONE) {
            digest_event(r, &e);
            ++r->event_count;
        }
        const advance *ad = r->world->advance;
        const deforming_pair *pair = ad->predictions.items[ad->cold.items[body.index].self_prediction - 1].deforming;
        by_list += k >= CLOTH_KEYS - 101 &&
                   tact_window_search_engine(tact_feature_windows_search(pair->windows)) == TACT_DEFORMING_LIST;
    }
    tact_shape_release(shape);
    tact_world_release(r->world);
    return by_list;
}

/* Where key frames are dense, the list has less work; where they are far apart, windows have. */
static void the_engine_with_less_work_is_chosen(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; ++dense) {
        uint32_t triangles[CLOTH_TRIANGLES][3];
        tact_animation *cloth = make_cloth(dense != 0 ? 0.0003 : 0.1, triangles);
        assert_non_null(cloth);
        uint64_t digest = 0;
        for (int engine = TACT_DEFORMING_AUTO; engine <= TACT_DEFORMING_LIST; ++engine) {
            run r = {0};
            const int by_list = play_cloth(cloth, triangles, (tact_deforming_engine)engine, &r);
            digest = engine == TACT_DEFORMING_AUTO ? r.digest : digest;
            assert_true(r.digest == digest);
            print_message("%s key frames, engine %d: %zu events, the list searched %d of the last 100 intervals\n",
                          dense != 0 ? "dense" : "distant", engine, r.event_count, by_list);
            assert_true(r.event_count > 10);
            if (engine == TACT_DEFORMING_LIST || (engine == TACT_DEFORMING_AUTO && dense != 0))
                assert_true(by_list > 90);
            else
                assert_int_equal(by_list, 0);
        }
        tact_animation_release(cloth);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feature_events_are_those_of_the_oracle),
        cmocka_unit_test(faces_change_in_response_to_events),
        cmocka_unit_test(the_engine_with_less_work_is_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
