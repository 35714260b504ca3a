/*
 * Worlds with moving vertices, saved and restored, recorded and replayed: random animations and loops, vertex motions,
 * jumps, feature events, and rigid bodies among them. Most cases are degenerate (oracle/animation_cases.h).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <tact/tact.h>

#include "core/hash.h"
#include "core/little_endian.h"
#include "oracle/animation_cases.h"
#include "oracle/dice.h"
#include "record/blocks.h"
#include "support/failing_allocator.h"
#include "support/seeded_cases.h"
#include "world/call_observer.h"

/* ---- a world ---- */

typedef struct animated_driver {
    tact_world *world;
    animation_case *c;
    tact_body bodies[ANIMATION_MAX_BODIES];
    tact_animation *animations[ANIMATION_MAX_BODIES];
    tact_body rigid[3];
    dice d;
    long tears, features, touches, changes;
    tact_event *events; /* where to store them; NULL: nowhere */
} animated_driver;

static int body_of(const animation_case *c, uint32_t vertex)
{
    int b = 0;
    while (vertex >= c->bodies[b].first_vertex + c->bodies[b].vertex_count)
        ++b;
    return b;
}

/* A body of the case, or none if it has no triangles. */
static void add_body(animated_driver *s, int b)
{
    const animation_case *c = s->c;
    const animation_body *body = &c->bodies[b];
    uint32_t indices[ANIMATION_MAX_TRIANGLES][3], count = 0;
    for (size_t i = 0; i < c->animation.triangle_count; ++i) {
        if (body_of(c, c->triangles[i][0]) != b)
            continue;
        for (int k = 0; k < 3; ++k)
            indices[count][k] = c->triangles[i][k] - body->first_vertex;
        ++count;
    }
    if (count == 0)
        return;
    tact_shape *mesh = tact_mesh(body->keys[0], body->vertex_count, indices[0], count);
    assert_non_null(mesh);
    s->bodies[b] = tact_body_create(
        s->world,
        &(tact_body_def){.shape = mesh, .deformable = true, .self_collision = !c->parts[b].no_self_collision});
    tact_shape_release(mesh);
    /* half of the animations have floats */
    static float floats[ANIMATION_MAX_KEYS][ANIMATION_MAX_VERTICES][3];
    const bool is_float = dice_pick(&s->d, 2) == 0;
    for (int k = 0; k < body->key_count; ++k)
        for (uint32_t i = 0; i < body->vertex_count; ++i) {
            floats[k][i][0] = (float)body->keys[k][i].x;
            floats[k][i][1] = (float)body->keys[k][i].y;
            floats[k][i][2] = (float)body->keys[k][i].z;
        }
    const tact_vertices vertices = {is_float ? (const void *)floats[0] : (const void *)body->keys[0],
                                    body->vertex_count, 0, is_float ? TACT_SCALAR_FLOAT : TACT_SCALAR_DOUBLE};
    s->animations[b] =
        tact_animation_create(&(tact_animation_def){.vertices = vertices,
                                                    .frame_count = (size_t)body->key_count,
                                                    .frame_stride = is_float ? sizeof floats[0] : sizeof body->keys[0],
                                                    .times = body->key_times},
                              NULL);
    assert_non_null(s->animations[b]);
    assert_int_equal(tact_body_play(s->world, s->bodies[b], s->animations[b], &(tact_play_def){.loop = body->loops}),
                     TACT_OK);
    if (dice_pick(&s->d, 4) > 0)
        assert_int_equal(tact_body_set_feature_events(s->world, s->bodies[b], true), TACT_OK);
}

static void begin_driver(animated_driver *s, uint64_t seed, const tact_allocator *allocator)
{
    *s = (animated_driver){.world = tact_world_create(
                               &(tact_world_def){.allocator = allocator != NULL ? *allocator : (tact_allocator){0}}),
                           .c = animation_case_make((animation_case_type)(seed % ANIMATION_CASE_TYPES), seed),
                           .d = dice_for(seed, 31, 0)};
    assert_int_equal(tact_world_set_deforming_engine(s->world, (tact_deforming_engine)(seed % 3)), TACT_OK);
    for (int b = 0; b < s->c->body_count; ++b)
        add_body(s, b);
    tact_shape *shapes[3] = {tact_box(1.0, 1.5, 0.75), tact_sphere(0.5), tact_box(0.5, 0.5, 2.0)};
    for (int i = 0; i < 3 && dice_pick(&s->d, 2) == 0; ++i) {
        const tact_vec3 at = {dice_between(&s->d, -2.0, 2.0), dice_between(&s->d, -2.0, 2.0), 0.25};
        tact_motion motion = tact_motion_linear(-0.5 * at.x, -0.5 * at.y, 0.125);
        if (i == 2)
            motion.spin = (tact_vec3){0.0, 0.5, 1.0};
        s->rigid[i] = tact_body_create(
            s->world, &(tact_body_def){.shape = shapes[i], .transform = tact_at(at.x, at.y, at.z), .motion = motion});
    }
    for (int i = 0; i < 3; ++i)
        tact_shape_release(shapes[i]);
}

static void end_driver(animated_driver *s)
{
    tact_world_release(s->world);
    for (int b = 0; b < ANIMATION_MAX_BODIES; ++b)
        tact_animation_release(s->animations[b]);
    animation_case_free(s->c);
}

/* A face gets another number, another order of its vertices, or is removed: contacts in progress go on where their
 * features do. */
static tact_status tear_face(const animated_driver *s, tact_body body, uint32_t seed)
{
    uint32_t indices[ANIMATION_MAX_TRIANGLES][3], left = 0;
    const size_t count = tact_body_get_faces(s->world, body, indices, ANIMATION_MAX_TRIANGLES);
    for (size_t i = 0; i < count; ++i)
        left += indices[i][0] != TACT_NO_VERTEX;
    const uint32_t face = seed % (uint32_t)count, faces[2] = {face, (uint32_t)count};
    if (left < 2 || indices[face][0] == TACT_NO_VERTEX || count + 1 >= ANIMATION_MAX_TRIANGLES)
        return TACT_OK;
    const uint32_t *v = indices[face];
    const uint32_t changes[2][3] = {{TACT_NO_VERTEX, 0, 0}, {v[1], v[0], v[2]}};
    return tact_body_change_faces(s->world, body, faces, changes, seed % 3 == 0 ? 1 : 2);
}

/* Changes a random body. The calls depend on the case, the dice and the world alone. */
static void change_something(animated_driver *s)
{
    dice *d = &s->d;
    const int b = dice_pick(d, s->c->body_count);
    const tact_body body = s->bodies[b];
    const animation_body *of = &s->c->bodies[b];
    const double now = tact_world_get_time(s->world);
    const int what = dice_pick(d, 9), key = dice_pick(d, of->key_count);
    const uint32_t first = (uint32_t)dice_pick(d, (int)of->vertex_count),
                   count = 1 + (uint32_t)dice_pick(d, (int)(of->vertex_count - first));
    static tact_vec3 velocities[ANIMATION_MAX_VERTICES];
    for (uint32_t i = 0; i < of->vertex_count; ++i)
        velocities[i] = (tact_vec3){dice_between(d, -1.0, 1.0), dice_between(d, -1.0, 1.0), dice_between(d, -1.0, 1.0)};
    if (body.generation == 0)
        return;
    ++s->changes;
    tact_status status = TACT_OK;
    switch (what) {
    case 0:
        status = tact_body_play(s->world, body, s->animations[b],
                                &(tact_play_def){.loop = dice_pick(d, 2) == 0, .speed = 1.5, .offset = 0.0});
        break;
    case 1:
        status = tact_body_set_vertex_motion(
            s->world, body, &(tact_vertex_motion){.first = first, .count = count, .velocities = velocities});
        break;
    case 2:
    case 3:
        status = tact_body_set_vertex_motion(s->world, body,
                                             &(tact_vertex_motion){.first = first,
                                                                   .count = count,
                                                                   .positions = what == 3 ? of->keys[0] + first : NULL,
                                                                   .targets = of->keys[key] + first,
                                                                   .end_time = now + 0.5});
        break;
    case 4:
        status = tact_body_set_vertex_motion(s->world, body, &(tact_vertex_motion){.first = first});
        if (status == TACT_OK && count % 2 == 1) {
            status = tear_face(s, body, first + count);
            ++s->tears;
        }
        break;
    case 5:
        status =
            tact_body_deform(s->world, body, (tact_vertices){of->keys[key], of->vertex_count, 0, TACT_SCALAR_DOUBLE});
        break;
    case 6:
        status = tact_body_set_feature_events(s->world, body, dice_pick(d, 3) > 0);
        assert_int_equal(tact_world_set_deforming_engine(s->world, (tact_deforming_engine)(count % 3)), TACT_OK);
        break;
    case 7:
        if (tact_body_has_vertex_motion(s->world, body) && dice_pick(d, 3) == 0)
            status = tact_body_stop_vertices(s->world, body);
        break;
    default:
        for (int i = 0; i < 3; ++i)
            if (s->rigid[i].generation != 0)
                status = tact_body_set_transform(s->world, s->rigid[i], tact_at(0.5 * i, velocities[0].x, 0.25));
    }
    assert_int_equal(status, TACT_OK);
}

/* Takes at most `count` events up to a time, with changes between them. Returns how many there were. */
static long take_events(animated_driver *s, double until, long count, int change_one_in)
{
    long taken = 0;
    tact_event e = {0};
    for (; taken < count && tact_world_next_event(s->world, until, &e) != TACT_EVENT_NONE; ++taken) {
        s->features += e.kind == TACT_EVENT_FEATURES;
        s->touches += e.kind == TACT_EVENT_TOUCH;
        if (s->events != NULL)
            s->events[taken] = e;
        if (change_one_in > 0 && dice_pick(&s->d, change_one_in) == 0)
            change_something(s);
    }
    assert_int_equal(e.status, TACT_OK);
    return taken;
}

enum { MOST = 400 };

/* ---- recording ---- */

static void a_recording_replays_the_same_events(void **state)
{
    (void)state;
    long features = 0, touches = 0, changes = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(60); ++seed) {
        animated_driver s;
        tact_bytes recording = {0};
        tact_report report = {TACT_OK, ""};
        begin_driver(&s, seed, NULL);
        const double end = s.c->end;
        if (seed % 3 > 0) {
            (void)take_events(&s, dice_between(&s.d, 0.0, 0.7) * end, (long)dice_pick(&s.d, MOST), 20);
            if (seed % 3 > 1)
                change_something(&s);
        }
        tact_record *record = tact_record_begin(s.world, tact_bytes_sink(&recording), NULL, &report);
        CHECK(record != NULL, "%s", report.text);
        for (int i = 1; i <= 3; ++i) {
            (void)take_events(&s, fmax(tact_world_get_time(s.world), end * i / 3.0), MOST, 20);
            change_something(&s);
        }
        CHECK(tact_record_end(record, &report) == TACT_OK, "%s", report.text);
        tact_replay *replay = tact_replay_begin(recording.data, recording.size, NULL, &report);
        CHECK(replay != NULL, "%s", report.text);
        CHECK(tact_replay_run(replay, &report) == TACT_REPLAY_END, "%s", report.text);
        const tact_world *again = tact_replay_get_world(replay);
        for (int b = 0; b < s.c->body_count; ++b)
            for (uint32_t i = 0; i < s.c->bodies[b].vertex_count; ++i) {
                const tact_vec3 p = tact_body_get_vertex_position(s.world, s.bodies[b], i, NULL),
                                q = tact_body_get_vertex_position(again, s.bodies[b], i, NULL);
                CHECK(memcmp(&p, &q, sizeof p) == 0, "vertex %u of body %d is elsewhere", (unsigned)i, b);
            }
        tact_replay_release(replay);
        tact_bytes_release(&recording);
        features += s.features;
        touches += s.touches;
        changes += s.changes;
        end_driver(&s);
    }
    print_message("%ld features, %ld touches, %ld changes\n", features, touches, changes);
    if (!few_cases())
        assert_true(features > 1000 && touches > 80 && changes > 100);
}

/* ---- saving ---- */

static bool same_body(tact_body a, tact_body b) { return a.index == b.index && a.generation == b.generation; }

static bool same_vec(tact_vec3 a, tact_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* Whether two events are equal. */
static bool same_event(const tact_event *x, const tact_event *y)
{
    const tact_event_features *f = &x->features, *g = &y->features;
    return x->kind == y->kind && same_body(x->a, y->a) && same_body(x->b, y->b) && x->time == y->time &&
           same_vec(x->point, y->point) && same_vec(x->normal, y->normal) && f->kind == g->kind && f->a == g->a &&
           f->b == g->b && memcmp(f->vertices, g->vertices, sizeof f->vertices) == 0 &&
           f->ccd.status == g->ccd.status && f->ccd.state == g->ccd.state && f->ccd.lower == g->ccd.lower &&
           f->ccd.upper == g->ccd.upper && same_vec(f->ccd.normal, g->ccd.normal) &&
           memcmp(f->ccd.weights, g->ccd.weights, sizeof f->ccd.weights) == 0 && f->ccd.degenerate == g->ccd.degenerate;
}

/* Orders simultaneous events by what they are. */
static int compare_events(const void *one, const void *other)
{
    const tact_event *x = one, *y = other;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    const uint32_t a[8] = {(uint32_t)x->kind,
                           x->a.index,
                           x->b.index,
                           (uint32_t)x->features.kind,
                           x->features.vertices[0],
                           x->features.vertices[1],
                           x->features.vertices[2],
                           x->features.vertices[3]},
                   b[8] = {(uint32_t)y->kind,
                           y->a.index,
                           y->b.index,
                           (uint32_t)y->features.kind,
                           y->features.vertices[0],
                           y->features.vertices[1],
                           y->features.vertices[2],
                           y->features.vertices[3]};
    for (int i = 0; i < 8; ++i)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Drops all other events. Returns how many are left. */
static long keep_features(tact_event *events, long count)
{
    long left = 0;
    for (long i = 0; i < count; ++i)
        if (events[i].kind == TACT_EVENT_FEATURES)
            events[left++] = events[i];
    return left;
}

static void a_restored_world_continues(void **state)
{
    (void)state;
    static tact_event first[MOST], second[MOST];
    long features = 0, touches = 0, within = 0, changes = 0, tears = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(80); ++seed) {
        animated_driver s;
        tact_bytes bytes = {0}, again = {0};
        tact_report report = {TACT_OK, ""};
        begin_driver(&s, seed, NULL);
        const double end = s.c->end;
        const long most = seed % 2 == 0 ? MOST : (long)dice_pick(&s.d, MOST / 4);
        within += take_events(&s, dice_between(&s.d, 0.0, 0.8) * end, most, 30) == most;
        for (int i = 0; i < (int)(seed % 3); ++i)
            change_something(&s);
        assert_int_equal(tact_world_save(s.world, tact_bytes_sink(&bytes), NULL, &report), TACT_OK);
        animated_driver other = s;
        other.world = tact_world_restore(bytes.data, bytes.size, NULL, &report);
        CHECK(other.world != NULL, "%s", report.text);
        assert_int_equal(tact_world_save(other.world, tact_bytes_sink(&again), NULL, NULL), TACT_OK);
        CHECK(bytes.size == again.size && memcmp(bytes.data, again.data, bytes.size) == 0, "saved again it differs");
        s.events = first;
        other.events = second;
        /* Touches of rigid bodies are rounded, and when such a pair is found separated depends on its bounds: changes
         * would be made at other times. */
        const bool has_rigid = s.rigid[0].generation != 0;
        const int change = has_rigid ? 0 : 8;
        const long before = s.changes;
        for (int i = 0; i <= 2; ++i) {
            const double until = fmax(tact_world_get_time(s.world), end * (0.8 + 0.1 * i));
            long one = take_events(&s, until, MOST, i == 0 ? 0 : change),
                 two = take_events(&other, until, MOST, i == 0 ? 0 : change);
            if (has_rigid) {
                one = keep_features(first, one);
                two = keep_features(second, two);
            }
            if (i == 0) { /* what is pending when the world is saved may come in another order at that time */
                qsort(first, (size_t)one, sizeof *first, compare_events);
                qsort(second, (size_t)two, sizeof *second, compare_events);
            }
            for (long k = 0; k < one && k < two; ++k)
                CHECK(same_event(&first[k], &second[k]), "event %ld, at %.17g and %.17g: %d (%u %u), %d (%u %u)", k,
                      first[k].time, second[k].time, (int)first[k].kind, first[k].a.index, first[k].b.index,
                      (int)second[k].kind, second[k].a.index, second[k].b.index);
            CHECK(one == two, "%ld events, restored %ld", one, two);
        }
        changes += s.changes - before;
        features += other.features;
        tears += s.tears;
        touches += other.touches;
        tact_world_release(other.world);
        tact_bytes_release(&bytes);
        tact_bytes_release(&again);
        end_driver(&s);
    }
    print_message("%ld features, %ld touches, %ld saved within an instant, %ld changes, %ld tears\n", features, touches,
                  within, changes, tears);
    if (!few_cases())
        assert_true(features > 1000 && touches > 60 && within > 6 && changes > 10 && tears > 5);
}

/* ---- damage ---- */

/* A small world with all blocks of moving vertices, saved and recorded. */
static void make_small(tact_bytes *saved, tact_bytes *recording, const tact_allocator *allocator)
{
    const tact_vec3 points[2][4] = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.25, 0.25, 1}},
                                    {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.25, 0.25, -1}}};
    const uint32_t triangles[6] = {0, 1, 2, 0, 1, 3};
    tact_world *world =
        tact_world_create(&(tact_world_def){.allocator = allocator != NULL ? *allocator : (tact_allocator){0}});
    tact_shape *mesh = tact_mesh(points[0], 4, triangles, 2), *box = tact_box(1, 1, 1);
    tact_animation *keys =
        tact_animation_create(&(tact_animation_def){.vertices = {.data = points, .count = 4}, .frame_count = 2}, NULL);
    const tact_record_def def = {.allocator = allocator != NULL ? *allocator : (tact_allocator){0}};
    tact_body bodies[2];
    tact_report report;
    tact_record *record = world != NULL ? tact_record_begin(world, tact_bytes_sink(recording), &def, &report) : NULL;
    for (int i = 0; i < 2 && world != NULL; ++i) {
        bodies[i] =
            tact_body_create(world, &(tact_body_def){.shape = mesh, .deformable = true, .self_collision = true});
        (void)tact_world_set_deforming_engine(world, TACT_DEFORMING_LIST);
        (void)tact_body_play(world, bodies[i], keys, &(tact_play_def){.loop = true, .speed = 1.0 + i});
        (void)tact_body_set_feature_events(world, bodies[i], i == 0);
    }
    if (world != NULL) {
        (void)tact_body_create(world, &(tact_body_def){.shape = box, .motion = tact_motion_linear(0.1, 0, 0)});
        tact_event e;
        for (int i = 0; i < 9 && tact_world_next_event(world, 0.75, &e) != TACT_EVENT_NONE;)
            ++i;
        const tact_vec3 velocities[2] = {{1, 0, 0}, {0, 1, 0}};
        (void)tact_body_set_vertex_motion(world, bodies[0],
                                          &(tact_vertex_motion){.first = 1, .count = 2, .velocities = velocities});
        (void)tact_body_set_vertex_motion(
            world, bodies[0],
            &(tact_vertex_motion){
                .first = 3, .count = 1, .positions = velocities, .targets = points[0], .end_time = 2});
        (void)tact_body_play(world, bodies[1], keys, NULL);
        (void)tact_world_save(world, tact_bytes_sink(saved), &def, NULL);
        (void)tact_world_next_event(world, 0.875, &e);
        (void)tact_body_stop_vertices(world, bodies[1]);
    }
    if (record != NULL)
        (void)tact_record_end(record, NULL);
    tact_world_release(world);
    tact_animation_release(keys);
    tact_shape_release(mesh);
    tact_shape_release(box);
}

/* Computes the hashes of all blocks. */
static void reseal(unsigned char *data, size_t size)
{
    uint64_t hash = hash_bytes(data, 16, 0);
    for (size_t at = 16; at + 20 <= size;) {
        const uint64_t length = load_le64(data + at + 4);
        if (length > size - at - 20)
            return;
        hash = hash_bytes(data + at, 12 + (size_t)length, hash);
        (void)store_le64(data + at + 12 + length, hash);
        at += 20 + (size_t)length;
    }
}

/* Restores and uses bytes that may be damaged, in memory of exactly their size. Returns whether they were accepted. */
static bool try_restore(const unsigned char *data, size_t size)
{
    failing_allocator memory = {0};
    const tact_record_def def = {.allocator = failing_allocator_make(&memory)};
    tact_report report = {TACT_OK, ""};
    unsigned char *exact = malloc(size > 0 ? size : 1);
    assert_non_null(exact);
    memcpy(exact, data, size);
    tact_world *world = tact_world_restore(exact, size, &def, &report);
    free(exact);
    assert_int_equal(world == NULL, report.text[0] != '\0');
    if (world != NULL) {
        tact_event e;
        for (int i = 0; i < 20 && tact_world_next_event(world, tact_world_get_time(world), &e) != TACT_EVENT_NONE;)
            ++i;
        (void)tact_world_test(world);
        tact_world_release(world);
    }
    assert_int_equal(memory.held, 0);
    return world != NULL;
}

static void try_replay(const unsigned char *data, size_t size)
{
    failing_allocator memory = {0};
    const tact_record_def def = {.allocator = failing_allocator_make(&memory)};
    tact_report report = {TACT_OK, ""};
    tact_replay *replay = tact_replay_begin(data, size, &def, &report);
    const tact_replay_state state = replay != NULL ? tact_replay_run(replay, &report) : TACT_REPLAY_FAILED;
    assert_int_equal(state == TACT_REPLAY_END, report.text[0] == '\0');
    tact_replay_release(replay);
    assert_int_equal(memory.held, 0);
}

static void damaged_bytes_are_rejected(void **state)
{
    (void)state;
    tact_bytes saved = {0}, recording = {0};
    make_small(&saved, &recording, NULL);
    assert_true(saved.size > 0 && recording.size > 0);
    assert_true(try_restore(saved.data, saved.size));
    const size_t step = quick_form() ? 3 : 1;
    for (size_t size = 0; size < saved.size; size += step)
        assert_false(try_restore(saved.data, size));
    for (size_t at = 0; at < saved.size; at += step) {
        saved.data[at] ^= 0x41;
        assert_false(try_restore(saved.data, saved.size));
        saved.data[at] ^= 0x41;
    }
    tact_bytes_release(&saved);
    tact_bytes_release(&recording);
}

static bool is_animation_block(uint32_t type, bool calls)
{
    return type == BLOCK_ANIMATION || type == BLOCK_VERTEX_PLAN || type == BLOCK_DEFORMING_PAIR ||
           type == BLOCK_BODY_TIME || (calls && type >= BLOCK_CALL + CALL_NEXT_EVENT_END);
}

/* With right hashes: words of the blocks are replaced. */
static void forged_bytes_are_rejected_or_usable(void **state)
{
    (void)state;
    static const uint64_t words[] = {0,
                                     1,
                                     3,
                                     UINT64_MAX,
                                     0x7ff0000000000000,
                                     0xfff0000000000000,
                                     0x7ff8000000000000,
                                     0x3ff0000000000000,
                                     0xbff0000000000000,
                                     0x7fe0000000000000,
                                     0x0000000000000001,
                                     0xffffffff00000000,
                                     0x00000000ffffffff};
    long rejected = 0, accepted = 0, replayed = 0;
    tact_bytes both[2] = {{0}, {0}};
    make_small(&both[0], &both[1], NULL);
    for (uint64_t seed = first_seed(); seed <= last_seed(1); ++seed) {
        dice d = dice_for(seed, 32, 0);
        for (int k = 0; k < 2; ++k) {
            unsigned char *copy = malloc(both[k].size);
            assert_non_null(copy);
            for (size_t block = 16; block + 20 <= both[k].size;
                 block += 20 + (size_t)load_le64(both[k].data + block + 4)) {
                const size_t length = (size_t)load_le64(both[k].data + block + 4);
                if (!is_animation_block(load_le32(both[k].data + block), k == 1))
                    continue;
                for (size_t at = 0; at + 4 <= length; at += 4 * (1 + (size_t)dice_pick(&d, quick_form() ? 24 : 6))) {
                    memcpy(copy, both[k].data, both[k].size);
                    const uint64_t word = words[(size_t)dice_pick(&d, sizeof words / sizeof words[0])];
                    if (at + 8 <= length && dice_pick(&d, 2) == 0)
                        (void)store_le64(copy + block + 12 + at, word);
                    else
                        (void)store_le32(copy + block + 12 + at, (uint32_t)word);
                    reseal(copy, both[k].size);
                    if (k == 1) {
                        try_replay(copy, both[k].size);
                        ++replayed;
                    } else if (try_restore(copy, both[k].size)) {
                        ++accepted;
                    } else {
                        ++rejected;
                    }
                }
            }
            free(copy);
        }
    }
    print_message("%ld rejected, %ld accepted, %ld replayed\n", rejected, accepted, replayed);
    if (!few_cases())
        assert_true(rejected > 100 && accepted > 150 && replayed > 60);
    tact_bytes_release(&both[0]);
    tact_bytes_release(&both[1]);
}

/* ---- memory ---- */

static void every_allocation_may_fail(void **state)
{
    (void)state;
    tact_bytes saved = {0}, recording = {0};
    make_small(&saved, &recording, NULL);
    long failures = 0, restored = 0;
    for (long at = 1, ended = 0; !ended; at = next_failure(at)) {
        failing_allocator memory = {.fail_at = at};
        const tact_record_def def = {.allocator = failing_allocator_make(&memory)};
        tact_report report = {TACT_OK, ""};
        tact_world *world = tact_world_restore(saved.data, saved.size, &def, &report);
        assert_int_equal(world == NULL ? report.status : TACT_OK, world == NULL ? TACT_OUT_OF_MEMORY : TACT_OK);
        long events = 0;
        tact_event e = {0};
        while (world != NULL) { /* a failed call is repeated */
            if (tact_world_next_event(world, 1.5, &e) != TACT_EVENT_NONE)
                ++events;
            else if (e.status != TACT_OUT_OF_MEMORY)
                break;
            else
                ++failures;
        }
        ended = memory.calls < at;
        if (world != NULL) {
            assert_int_equal(e.status, TACT_OK);
            restored = restored > 0 ? restored : events;
            assert_int_equal(events, restored);
        }
        failures += world == NULL;
        tact_world_release(world);
        assert_int_equal(memory.held, 0);
    }
    assert_true(failures > (quick_form() ? 20 : 50) && restored > 5);
    for (long at = 1, ended = 0; !ended; at = next_failure(at)) { /* saving, and recording from the middle on */
        failing_allocator memory = {.fail_at = at};
        const tact_allocator allocator = failing_allocator_make(&memory);
        tact_bytes some = {0}, others = {0};
        make_small(&some, &others, &allocator);
        ended = memory.calls < at;
        tact_bytes_release(&some);
        tact_bytes_release(&others);
        assert_int_equal(memory.held, 0);
    }
    /* the restart of a world at the beginning of a recording */
    for (long at = 1, ended = 0; !ended; at = next_failure(at)) {
        failing_allocator memory = {0};
        const tact_record_def def = {.allocator = failing_allocator_make(&memory)};
        tact_world *world = tact_world_restore(saved.data, saved.size, &def, NULL);
        assert_non_null(world);
        tact_event e;
        (void)tact_world_next_event(world, 1.0, &e);
        memory.calls = 0;
        memory.fail_at = at;
        tact_bytes others = {0};
        tact_record *record = tact_record_begin(world, tact_bytes_sink(&others), &def, NULL);
        ended = record != NULL;
        memory.fail_at = 0;
        while (tact_world_next_event(world, 1.5, &e) != TACT_EVENT_NONE)
            continue;
        assert_int_equal(e.status, TACT_OK);
        if (record != NULL)
            assert_int_equal(tact_record_end(record, NULL), TACT_OK);
        tact_world_release(world);
        tact_bytes_release(&others);
        assert_int_equal(memory.held, 0);
    }
    tact_bytes_release(&saved);
    tact_bytes_release(&recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_replays_the_same_events), cmocka_unit_test(a_restored_world_continues),
        cmocka_unit_test(damaged_bytes_are_rejected),          cmocka_unit_test(forged_bytes_are_rejected_or_usable),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
