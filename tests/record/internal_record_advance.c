/*
 * Worlds in continuous time, saved and restored, recorded and replayed: random worlds with masses that bounce, motion
 * plans with and without callbacks, polled bodies, overlapping bodies, and changes on the way.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <tact/tact.h>

#include "advance/advance.h"
#include "core/hash.h"
#include "core/little_endian.h"
#include "dynamics/rigid_body.h"
#include "oracle/advance_check.h"
#include "oracle/dice.h"
#include "support/failing_allocator.h"
#include "support/seeded_cases.h"

enum { BODIES = 12, SHAPES = 5, EVENTS = 400 };

/* ---- a world ---- */

static void on_circle(void *context, double time, tact_transform *transform, tact_motion_plan *next)
{
    const double *radius = context;
    (void)next;
    transform->origin = (tact_vec3){*radius * cos(time), *radius * sin(time), 0.0};
}

static void reverse(void *context, double time, tact_transform *transform, tact_motion_plan *next)
{
    const double *period = context;
    (void)transform;
    next->motion.velocity.x = -next->motion.velocity.x;
    next->until = time + *period;
}

static double radius = 2.0, period = 0.37;

typedef struct timed_driver {
    tact_world *world;
    tact_shape *shapes[SHAPES];
    dice d;
    bool deviating; /* some bodies deviate from their motion */
    long bounces, expired, touches;
} timed_driver;

static tact_vec3 random_vector(dice *d, double size)
{
    return (tact_vec3){size * dice_normal(d), size * dice_normal(d), size * dice_normal(d)};
}

static tact_motion random_motion(dice *d)
{
    tact_motion m = {.velocity = random_vector(d, 2.0)};
    if (dice_pick(d, 2) == 0)
        m.acceleration = random_vector(d, 1.0);
    if (dice_pick(d, 2) == 0)
        m.spin = random_vector(d, 2.0);
    return m;
}

/* The same, about a pivot if the body has no mass. */
static tact_motion random_motion_of(dice *d, const tact_world *world, tact_body body)
{
    tact_motion m = random_motion(d);
    if (tact_body_get_mass(world, body) == 0.0 && dice_pick(d, 3) > 0)
        m.pivot = random_vector(d, 0.7);
    return m;
}

static tact_body add_random_body(timed_driver *s)
{
    dice *d = &s->d;
    const tact_vec3 at = random_vector(d, 1.3);
    const tact_body_def def = {.shape = s->shapes[dice_pick(d, SHAPES)],
                               .transform = tact_at(at.x, at.y, at.z),
                               .motion = dice_pick(d, 4) == 0 ? tact_motion_still() : random_motion(d)};
    const tact_body body = tact_body_create(s->world, &def);
    if (dice_pick(d, 2) == 0)
        assert_int_equal(tact_body_set_mass(s->world, body, dice_between(d, 0.5, 2.0)), TACT_OK);
    const double now = tact_world_get_time(s->world);
    switch (dice_pick(d, 8)) {
    case 0:
        if (!s->deviating)
            break;
        assert_int_equal(tact_body_set_motion_plan(s->world, body,
                                                   &(tact_motion_plan){.max_deviation_speed = 2.1,
                                                                       .min_interval = 0.02,
                                                                       .callback = on_circle,
                                                                       .context = &radius}),
                         TACT_OK);
        break;
    case 1:
        assert_int_equal(tact_body_set_motion_plan(s->world, body,
                                                   &(tact_motion_plan){.motion = random_motion_of(d, s->world, body),
                                                                       .until = now + 0.3,
                                                                       .callback = reverse,
                                                                       .context = &period}),
                         TACT_OK);
        break;
    case 2:
        assert_int_equal(
            tact_body_set_motion_plan(
                s->world, body, &(tact_motion_plan){.motion = random_motion_of(d, s->world, body), .until = now + 0.4}),
            TACT_OK);
        break;
    case 3:
        assert_int_equal(tact_body_set_poll_interval(s->world, body, 0.05), TACT_OK);
        break;
    case 4:
        assert_int_equal(tact_body_set_motion(s->world, body, random_motion_of(d, s->world, body)), TACT_OK);
        break;
    default:
        break;
    }
    return body;
}

static void begin_driver(timed_driver *s, bool deviating, uint64_t seed)
{
    const tact_vec3 vertices[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    *s = (timed_driver){.world = tact_world_create(NULL), .d = dice_for(seed, 21, 0), .deviating = deviating};
    s->shapes[0] = tact_sphere(0.5);
    s->shapes[1] = tact_box(0.8, 0.6, 1.0);
    s->shapes[2] = tact_capsule(0.2, 0.8);
    s->shapes[3] = tact_hull(vertices, 4);
    s->shapes[4] = tact_sphere(0.3);
    assert_int_equal(tact_world_set_kinetic(s->world, (tact_kinetic)(seed % 3)), TACT_OK);
    assert_int_equal(tact_world_set_contact_step(s->world, 0.005), TACT_OK);
    for (int i = 0; i < BODIES; ++i)
        (void)add_random_body(s);
}

static void end_driver(timed_driver *s)
{
    tact_world_release(s->world);
    for (int i = 0; i < SHAPES; ++i)
        tact_shape_release(s->shapes[i]);
}

/* Advances, with random responses to events. */
static void advance_randomly(timed_driver *s, double until, uint64_t seed)
{
    for (tact_event e;;) {
        const tact_event_kind kind = tact_world_next_event(s->world, until, &e);
        CHECK(e.status == TACT_OK, "status %d", (int)e.status);
        if (kind == TACT_EVENT_NONE)
            return;
        if (kind == TACT_EVENT_MOTION_EXPIRED) {
            ++s->expired;
            if (dice_pick(&s->d, 2) == 0)
                assert_int_equal(tact_body_set_motion(s->world, e.a, random_motion_of(&s->d, s->world, e.a)), TACT_OK);
            continue;
        }
        ++s->touches;
        if (dice_pick(&s->d, 4) > 0) {
            assert_int_equal(tact_world_bounce(s->world, &e, 0.9), TACT_OK);
            ++s->bounces;
        }
        if (dice_pick(&s->d, 16) == 0)
            assert_int_equal(tact_body_set_transform(s->world, e.b, tact_at(3.0 * dice_normal(&s->d), 0.0, 0.0)),
                             TACT_OK);
        if (dice_pick(&s->d, 16) == 0)
            assert_int_equal(tact_body_remove(s->world, e.a), TACT_OK);
        if (dice_pick(&s->d, 16) == 0)
            (void)add_random_body(s);
        if (dice_pick(&s->d, 32) == 0)
            (void)tact_world_test(s->world);
        if (dice_pick(&s->d, 32) == 0)
            return;
    }
}

/* ---- the pointer map ---- */

static uint64_t id_of(void *context, tact_pointer_kind kind, tact_pointer pointer)
{
    (void)context;
    if (kind == TACT_POINTER_MOTION_CALLBACK)
        return pointer.motion_callback == on_circle ? 1 : pointer.motion_callback == reverse ? 2 : 0;
    return pointer.data == &radius ? 3 : pointer.data == &period ? 4 : 0;
}

static bool pointer_of(void *context, tact_pointer_kind kind, uint64_t number, tact_pointer *pointer)
{
    (void)context;
    if (kind == TACT_POINTER_MOTION_CALLBACK)
        pointer->motion_callback = number == 1 ? on_circle : reverse;
    else
        pointer->data = number == 3 ? &radius : &period;
    return number >= 1 && number <= 4;
}

static const tact_pointer_map pointer_map = {id_of, pointer_of, NULL};

/* ---- tests ---- */

static void a_recording_replays_the_same_events(void **state)
{
    (void)state;
    long touches = 0, bounces = 0, expired = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(80); ++seed) {
        timed_driver s;
        tact_bytes recording = {0};
        tact_report report = {TACT_OK, ""};
        begin_driver(&s, true, seed);
        advance_randomly(&s, dice_pick(&s.d, 4) == 0 ? 0.0 : dice_between(&s.d, 0.0, 1.0), seed);
        tact_record *record = tact_record_begin(s.world, tact_bytes_sink(&recording), NULL, &report);
        CHECK(record != NULL, "%s", report.text);
        for (int i = 1; i <= 4; ++i)
            advance_randomly(&s, tact_world_get_time(s.world) + 0.3, seed);
        CHECK(tact_record_end(record, &report) == TACT_OK, "%s", report.text);
        tact_replay *replay = tact_replay_begin(recording.data, recording.size, NULL, &report);
        CHECK(replay != NULL, "%s", report.text);
        CHECK(tact_replay_run(replay, &report) == TACT_REPLAY_END, "%s", report.text);
        const tact_world *again = tact_replay_get_world(replay);
        CHECK(tact_world_get_time(again) == tact_world_get_time(s.world), "time");
        for (tact_body b = {0, 0}; (b = tact_world_next_body(s.world, b)).generation != 0;) {
            const tact_transform p = tact_body_get_transform(s.world, b), q = tact_body_get_transform(again, b);
            CHECK(memcmp(&p, &q, sizeof p) == 0, "body %u is elsewhere", (unsigned)b.index);
        }
        tact_replay_release(replay);
        tact_bytes_release(&recording);
        touches += s.touches;
        bounces += s.bounces;
        expired += s.expired;
        end_driver(&s);
    }
    print_message("%ld touches, %ld bounces, %ld expired\n", touches, bounces, expired);
    if (!few_cases())
        assert_true(touches > 300 && bounces > 200 && expired > 60);
}

typedef struct reported_touch {
    tact_event_kind kind;
    double time;
    tact_body a, b;
} reported_touch;

/* Advances without responses. Returns the number of events. */
static int collect_events(tact_world *world, double until, reported_touch *out)
{
    int count = 0;
    for (tact_event e; tact_world_next_event(world, until, &e) != TACT_EVENT_NONE && count < EVENTS;)
        out[count++] = (reported_touch){e.kind, e.time, e.a, e.b};
    return count;
}

static bool same_body(tact_body a, tact_body b) { return a.index == b.index && a.generation == b.generation; }

static void a_restored_world_continues(void **state)
{
    (void)state;
    static reported_touch first[EVENTS], second[EVENTS], third[EVENTS];
    const tact_record_def def = {.pointer_map = &pointer_map};
    long events = 0, overlapping = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(60, 3600); ++seed) {
        timed_driver s;
        tact_bytes bytes = {0}, again = {0};
        tact_report report = {TACT_OK, ""};
        begin_driver(&s, seed % 2 == 0, seed);
        advance_randomly(&s, dice_between(&s.d, 0.0, 1.0), seed);
        assert_int_equal(tact_world_save(s.world, tact_bytes_sink(&bytes), &def, NULL), TACT_OK);
        tact_world *one = tact_world_restore(bytes.data, bytes.size, &def, &report);
        CHECK(one != NULL, "%s", report.text);
        assert_int_equal(tact_world_save(one, tact_bytes_sink(&again), &def, NULL), TACT_OK);
        CHECK(bytes.size == again.size && memcmp(bytes.data, again.data, bytes.size) == 0, "saved again it differs");
        tact_world *other = tact_world_restore(again.data, again.size, &def, &report);
        const double now = tact_world_get_time(s.world), until = now + 1.0;
        CHECK(tact_world_get_time(one) == now, "time");
        touch_state t;
        for (uint64_t transform = 0; tact_world_next_touch(s.world, &transform, &t);)
            overlapping += t.flags & TOUCH_OVERLAPS;
        const int count = collect_events(s.world, until, first), count_one = collect_events(one, until, second);
        const int count_other = collect_events(other, until, third);
        CHECK(count_one == count_other && memcmp(second, third, (size_t)count_one * sizeof *third) == 0,
              "the same bytes, but %d and %d events", count_one, count_other);
        CHECK(count == count_one, "%d events, restored %d", count, count_one);
        for (int i = 0; i < count; ++i) /* bit for bit */
            CHECK(first[i].kind == second[i].kind && same_body(first[i].a, second[i].a) &&
                      same_body(first[i].b, second[i].b) && first[i].time == second[i].time,
                  "event %d, at %.17g and %.17g: %d (%u, %u), %d (%u, %u)", i, first[i].time, second[i].time,
                  (int)first[i].kind, (unsigned)first[i].a.index, (unsigned)first[i].b.index, (int)second[i].kind,
                  (unsigned)second[i].a.index, (unsigned)second[i].b.index);
        CHECK(tact_advance_check(s.world), "tact_advance_check of the saved world");
        CHECK(tact_advance_check(one), "tact_advance_check");
        events += count;
        tact_world_release(one);
        tact_world_release(other);
        tact_bytes_release(&bytes);
        tact_bytes_release(&again);
        end_driver(&s);
    }
    print_message("%ld events, %ld overlapping pairs\n", events, overlapping);
    if (!few_cases())
        assert_true(events > 60 && overlapping > 18);
}

/* A world that has not been advanced has a time block if its contact step is not the default one, but no predictions.
 * Restored, it has none either: saved again it gives the same bytes. */
static void worlds_without_predictions_have_none_when_restored(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(0.25);
    tact_world *world = tact_world_create(&(tact_world_def){.contact_step = 0.01});
    tact_bytes bytes = {0}, again = {0};
    for (int i = 0; i < 2; ++i)
        (void)tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(i, 0, 0), .density = i});
    assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
    tact_world *one = tact_world_restore(bytes.data, bytes.size, NULL, NULL);
    assert_true(one != NULL && tact_world_get_contact_step(one) == 0.01);
    assert_int_equal(tact_world_save(one, tact_bytes_sink(&again), NULL, NULL), TACT_OK);
    assert_true(bytes.size == again.size && memcmp(bytes.data, again.data, bytes.size) == 0);
    tact_world_release(one);
    tact_world_release(world);
    tact_bytes_release(&bytes);
    tact_bytes_release(&again);
    tact_shape_release(ball);
}

/* A cube with a half edge of `size` that slides over a floor, tumbling or not, until it rests. */
static tact_world *resting_cube(double size, double spin, double until)
{
    tact_shape *slab = tact_box(40.0 * size, 2.0 * size, 40.0 * size),
               *cube = tact_box(2.0 * size, 2.0 * size, 2.0 * size);
    tact_world *world = tact_world_create(NULL);
    (void)tact_body_create(world, &(tact_body_def){.shape = slab, .transform = tact_at(0.0, -size, 0.0)});
    const tact_motion motion = {
        .velocity = {0.2 * size, 0.0, 0.0}, .acceleration = {0.0, -10.0, 0.0}, .spin = {spin, spin, 0.0}};
    const tact_body body =
        tact_body_create(world, &(tact_body_def){.shape = cube, .transform = tact_at(0.0, 1.5 * size, 0.0)});
    assert_int_equal(tact_body_set_mass(world, body, 1.0), TACT_OK);
    assert_int_equal(tact_body_set_motion(world, body, motion), TACT_OK);
    for (tact_event e; tact_world_next_event(world, until, &e) == TACT_EVENT_TOUCH;)
        assert_int_equal(tact_world_bounce(world, &e, 0.0), TACT_OK);
    tact_shape_release(slab);
    tact_shape_release(cube);
    return world;
}

/* Saving, restoring and recording do not make a resting contact touch again. */
static void resting_contacts_are_restored(void **state)
{
    (void)state;
    static const double sizes[] = {0.01, 0.03, 0.1, 0.3, 0.5};
    int resting = 0;
    const int times = long_form() ? 8 : 1;
    for (int i = 0; i < 10 * times; ++i) {
        const double until = 2.0 + 0.13 * (i % times);
        tact_world *world = resting_cube(sizes[i / times / 2], i / times % 2 * 0.7, until);
        tact_bytes bytes = {0}, recording = {0};
        tact_event e;
        assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
        tact_world *restored = tact_world_restore(bytes.data, bytes.size, NULL, NULL);
        assert_non_null(restored);
        assert_int_equal(world->advance->contacts.count, restored->advance->contacts.count);
        resting += (int)world->advance->contacts.count;
        if (tact_world_next_event(restored, until, &e) != TACT_EVENT_NONE)
            fail_msg("case %d: the restored world reports a touch at once", i);
        tact_record *record = tact_record_begin(world, tact_bytes_sink(&recording), NULL, NULL);
        assert_non_null(record);
        if (tact_world_next_event(world, until, &e) != TACT_EVENT_NONE)
            fail_msg("case %d: the recorded world reports a touch at once", i);
        assert_int_equal(tact_record_end(record, NULL), TACT_OK);
        tact_world_release(restored);
        tact_world_release(world);
        tact_bytes_release(&bytes);
        tact_bytes_release(&recording);
    }
    assert_true(resting > 5);
}

/* ---- damage ---- */

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

/* The next block of continuous time; 0: none. */
static size_t find_block(const unsigned char *data, size_t size, size_t from, uint32_t *type)
{
    for (size_t at = 16; at + 20 <= size; at += 20 + (size_t)load_le64(data + at + 4)) {
        *type = load_le32(data + at);
        if (at >= from && ((*type >= 12 && *type <= 14) || (*type >= 19 && *type <= 23)))
            return at;
    }
    return 0;
}

static void forged_bytes_are_rejected_or_usable(void **state)
{
    (void)state;
    static const uint64_t words[] = {0,
                                     1,
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
    const tact_record_def def = {.pointer_map = &pointer_map};
    long rejected = 0, accepted = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(1); ++seed) {
        timed_driver s;
        tact_bytes bytes = {0};
        begin_driver(&s, true, seed);
        advance_randomly(&s, 0.7, seed);
        assert_int_equal(tact_world_save(s.world, tact_bytes_sink(&bytes), &def, NULL), TACT_OK);
        unsigned char *copy = test_malloc(bytes.size);
        dice d = dice_for(seed, 22, 0);
        uint32_t type;
        for (size_t block = 16; (block = find_block(bytes.data, bytes.size, block, &type)) != 0;) {
            const size_t length = (size_t)load_le64(bytes.data + block + 4);
            for (size_t at = 0; at + 4 <= length; at += 4) {
                memcpy(copy, bytes.data, bytes.size);
                const uint64_t word = words[(size_t)dice_pick(&d, sizeof words / sizeof words[0])];
                if (at + 8 <= length && dice_pick(&d, 2) == 0)
                    (void)store_le64(copy + block + 12 + at, word);
                else
                    (void)store_le32(copy + block + 12 + at, (uint32_t)word);
                reseal(copy, bytes.size);
                tact_report report = {TACT_OK, ""};
                tact_world *world = tact_world_restore(copy, bytes.size, &def, &report);
                CHECK((world == NULL) == (report.text[0] != '\0'), "no reason");
                rejected += world == NULL;
                if (world == NULL)
                    continue;
                ++accepted;
                tact_event e;
                for (int i = 0;
                     i < 20 && tact_world_next_event(world, tact_world_get_time(world), &e) != TACT_EVENT_NONE; ++i)
                    CHECK(e.time >= 0.0, "time %g", e.time);
                tact_world_release(world);
            }
            block += 20 + length;
        }
        test_free(copy);
        tact_bytes_release(&bytes);
        end_driver(&s);
    }
    print_message("%ld rejected, %ld accepted\n", rejected, accepted);
    if (!few_cases())
        assert_true(rejected > 300 && accepted > 50);
}

/* A world that was saved without a pointer map has no motion callbacks: expired plans are reported, and the program can
 * set one again. */
static void an_unmapped_motion_callback_is_null(void **state)
{
    (void)state;
    for (int replayed = 0; replayed < 2; ++replayed) {
        tact_world *world = tact_world_create(NULL), *again = NULL;
        tact_shape *ball = tact_sphere(1.0);
        const tact_body lift = tact_body_create(world, &(tact_body_def){.shape = ball});
        const tact_body hand =
            tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(2.5, 9, 0)});
        const tact_body wall =
            tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(5.0, 9, 0)});
        const tact_motion_plan up = {
            .motion = tact_motion_linear(0, 1, 0), .until = 1.0, .callback = reverse, .context = &period};
        assert_int_equal(tact_body_set_motion_plan(world, lift, &up), TACT_OK);
        const tact_motion_plan near = {
            .max_deviation_speed = 0.75, .min_interval = 0.5, .callback = on_circle, .context = &radius};
        assert_int_equal(tact_body_set_motion_plan(world, hand, &near), TACT_OK);
        assert_int_equal(tact_world_next_event(world, 0.5, NULL), TACT_EVENT_NONE);
        tact_bytes bytes = {0};
        if (replayed) {
            assert_int_equal(tact_record_end(tact_record_begin(world, tact_bytes_sink(&bytes), NULL, NULL), NULL),
                             TACT_OK);
            tact_replay *replay = tact_replay_begin(bytes.data, bytes.size, NULL, NULL);
            assert_int_equal(tact_replay_run(replay, NULL), TACT_REPLAY_END);
            again = tact_replay_take_world(replay);
        } else {
            assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
            again = tact_world_restore(bytes.data, bytes.size, NULL, NULL);
        }
        assert_non_null(again);
        tact_motion_plan left = tact_body_get_motion_plan(again, lift);
        assert_true(left.callback == NULL && left.until == 1.0 && left.motion.velocity.y == 1.0);
        assert_true(tact_body_get_motion_plan(again, hand).callback == NULL &&
                    tact_body_get_motion_plan(again, hand).max_deviation_speed == 0.75);
        tact_event e;
        int expiries = 0;
        for (; tact_world_next_event(again, 0.999, &e) == TACT_EVENT_MOTION_EXPIRED; ++expiries)
            assert_true(e.a.index == hand.index);
        assert_true(e.kind == TACT_EVENT_NONE && e.status == TACT_OK && expiries > 0); /* half a unit away */
        assert_int_equal(tact_body_remove(again, hand), TACT_OK);
        assert_int_equal(tact_world_next_event(again, 2.0, &e), TACT_EVENT_MOTION_EXPIRED);
        assert_true(e.time == 1.0 && e.a.index == lift.index);
        left.until = 1.5;
        left.callback = reverse;
        left.context = &period;
        assert_int_equal(tact_body_set_motion_plan(again, lift, &left), TACT_OK);
        assert_int_equal(tact_world_next_event(again, 1.75, &e), TACT_EVENT_NONE);
        assert_true(tact_body_get_motion_plan(again, lift).until == 1.5 + period && tact_body_exists(again, wall));
        tact_world_release(again);
        tact_world_release(world);
        tact_shape_release(ball);
        tact_bytes_release(&bytes);
    }
}

/* The covariance of a box is changed to one that no mass distribution has: rejected, with the index of the body. */
static void an_impossible_inertia_is_rejected(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    tact_shape *crate = tact_box(2.0, 4.0, 6.0);
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = crate});
    assert_int_equal(tact_body_set_mass(world, body, 1.0), TACT_OK);
    tact_bytes bytes = {0};
    assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
    const sym3 covariance = world->cold.items[body.index].rigid->properties.covariance;
    const double on[3] = {covariance.xx, covariance.yy, covariance.zz};
    unsigned char sought[24];
    size_t at = 0;
    for (int i = 0; i < 3; ++i) {
        uint64_t word;
        memcpy(&word, &on[i], sizeof word);
        (void)store_le64(sought + 8 * i, word);
    }
    while (at + sizeof sought <= bytes.size && memcmp(bytes.data + at, sought, sizeof sought) != 0)
        ++at;
    assert_true(at + sizeof sought <= bytes.size);
    const struct {
        size_t word; /* of xx, yy, zz, xy, xz, yz */
        double value;
        bool accepted;
    } cases[] = {{3, 0.5, true},    {3, 3.9, false},  {5, -100.0, false},
                 {0, -1e-17, true}, {0, -1.0, false}, {0, -9.0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        unsigned char stored[8];
        uint64_t word;
        memcpy(stored, bytes.data + at + 8 * cases[i].word, sizeof stored);
        memcpy(&word, &cases[i].value, sizeof word);
        (void)store_le64(bytes.data + at + 8 * cases[i].word, word);
        reseal(bytes.data, bytes.size);
        tact_report report = {TACT_OK, ""};
        tact_world *again = tact_world_restore(bytes.data, bytes.size, NULL, &report);
        print_message("%zu %g: %s\n", cases[i].word, cases[i].value, report.text);
        assert_true((again != NULL) == cases[i].accepted);
        if (again == NULL)
            assert_non_null(strstr(report.text, "body 0 has an invalid mass or inertia"));
        tact_world_release(again);
        memcpy(bytes.data + at + 8 * cases[i].word, stored, sizeof stored);
    }
    tact_bytes_release(&bytes);
    tact_world_release(world);
    tact_shape_release(crate);
}

/* Rods in many orientations: the moment about their axis is 0 up to rounding. */
static void rods_are_restored(void **state)
{
    (void)state;
    const double quarter = acos(0.0);
    for (int i = 0; i < 900; ++i) {
        const double half = 0.5 + 0.003 * i;
        const tact_vec3 tip = {i % 3 == 0 ? half : 0.0, i % 3 == 1 ? half : 0.0, i % 3 == 2 ? half : 0.0};
        const tact_vec3 start = {-tip.x, -tip.y, -tip.z};
        const double angle = i < 300 ? quarter : 0.01 * i, more = quarter * (1 + i % 4);
        tact_shape *rod = tact_segment(start, tip);
        tact_world *world = tact_world_create(NULL);
        const tact_motion turn = {
            .spin = {i / 3 % 3 == 0 ? angle : 0.0, i / 3 % 3 == 1 ? angle : 0.0, i / 3 % 3 == 2 ? angle : 0.0}};
        const tact_transform at = tact_motion_at(turn, tact_identity(), 1.0);
        const tact_body body = tact_body_create(world, &(tact_body_def){.shape = rod, .transform = at});
        assert_int_equal(tact_body_set_mass(world, body, 0.1 + 0.01 * i), TACT_OK);
        const tact_motion on = {.spin = {i % 2 ? more : 0.0, i % 2 ? 0.0 : more, 0.0}};
        assert_int_equal(
            tact_body_set_transform(world, body, i % 5 == 0 ? tact_identity() : tact_motion_at(on, at, 1.0)), TACT_OK);
        if (i % 7 == 0) { /* within an interval of its rotation */
            tact_event e;
            assert_int_equal(tact_body_set_motion(world, body, (tact_motion){.spin = {1.0, 0.7, 0.3}}), TACT_OK);
            assert_int_equal(tact_world_next_event(world, 0.777, &e), TACT_EVENT_NONE);
        }
        tact_bytes bytes = {0};
        tact_report report = {TACT_OK, ""};
        assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
        tact_world *again = tact_world_restore(bytes.data, bytes.size, NULL, &report);
        if (again == NULL)
            fail_msg("rod %d: %s", i, report.text);
        if (i % 7 == 0) {
            tact_event e;
            assert_int_equal(tact_world_next_event(world, 1.5, &e), TACT_EVENT_NONE);
            assert_int_equal(tact_world_next_event(again, 1.5, &e), TACT_EVENT_NONE);
            const tact_motion one = tact_body_get_motion(world, body), two = tact_body_get_motion(again, body);
            assert_memory_equal(&one, &two, sizeof one);
        }
        tact_world_release(again);
        tact_bytes_release(&bytes);
        tact_world_release(world);
        tact_shape_release(rod);
    }
}

/* Transforms with very different scales: the smaller ones are lost in the moments of inertia in world coordinates. */
static void flattened_bodies_are_restored(void **state)
{
    (void)state;
    tact_shape *crate = tact_box(1.0, 2.0, 3.0);
    for (int i = 0; i < 400; ++i) {
        const double flat = pow(10.0, -(i % 12)), narrow = i % 5 == 0 ? sqrt(flat) : 1.0;
        const tact_quat turn = tact_quat_from_axis_angle((tact_vec3){1.0, 0.1 * i, 0.3}, 0.37 * i);
        const tact_vec3 scale = {i % 3 == 0 ? flat : 1.0, i % 3 == 1 ? flat : narrow, i % 3 == 2 ? flat : 1.0};
        tact_world *world = tact_world_create(NULL);
        const tact_body body = tact_body_create(
            world,
            &(tact_body_def){.shape = crate, .transform = tact_transform_make((tact_vec3){0, 0, 0}, turn, scale)});
        assert_int_equal(tact_body_set_mass(world, body, 1.0 + i), TACT_OK);
        tact_bytes bytes = {0};
        tact_report report = {TACT_OK, ""};
        assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
        tact_world *again = tact_world_restore(bytes.data, bytes.size, NULL, &report);
        if (again == NULL)
            fail_msg("case %d, scale %g %g %g: %s", i, scale.x, scale.y, scale.z, report.text);
        tact_world_release(again);
        tact_bytes_release(&bytes);
        tact_world_release(world);
    }
    tact_shape_release(crate);
}

/* Version 1 has no continuous time. */
static void version_1_is_read(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    tact_shape *ball = tact_sphere(1.0);
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = ball, .motion = {.velocity = {1, 0, 0}}});
    tact_bytes bytes = {0};
    assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
    uint32_t type;
    assert_true(find_block(bytes.data, bytes.size, 0, &type) == 0); /* it has not advanced */
    assert_int_equal(load_le32(bytes.data + 8), 3);
    (void)store_le32(bytes.data + 8, 1);
    reseal(bytes.data, bytes.size);
    tact_world *again = tact_world_restore(bytes.data, bytes.size, NULL, NULL);
    assert_non_null(again);
    assert_true(tact_world_get_time(again) == 0.0 && tact_body_get_motion(again, body).velocity.x == 1.0);
    tact_world_release(again);
    tact_world_release(world);
    tact_shape_release(ball);
    tact_bytes_release(&bytes);
}

/* A plan that expires at the time at which the world is saved expires in the restored world, and a pair just reported
 * is not reported again. */
static void a_world_amid_simultaneous_events_is_saved(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    tact_shape *ball = tact_sphere(1.0);
    tact_event e;
    const tact_body a = tact_body_create(world, &(tact_body_def){.shape = ball});
    (void)tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(4.0, 0.0, 0.0)});
    assert_int_equal(
        tact_body_set_motion_plan(world, a, &(tact_motion_plan){.motion = {.velocity = {2.0, 0.0, 0.0}}, .until = 1.0}),
        TACT_OK);
    assert_int_equal(tact_world_next_event(world, 1.0, &e), TACT_EVENT_TOUCH);
    assert_true(e.time > 1.0 - 1e-9);
    tact_bytes bytes = {0};
    assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(tact_world_next_event(world, 9.0, &e), TACT_EVENT_MOTION_EXPIRED);
        assert_true(e.time == 1.0 && e.a.index == a.index);
        assert_int_equal(tact_world_next_event(world, 9.0, &e), TACT_EVENT_NONE);
        tact_world_release(world);
        world = i == 0 ? tact_world_restore(bytes.data, bytes.size, NULL, NULL) : NULL;
    }
    tact_shape_release(ball);
    tact_bytes_release(&bytes);
}

static void out_of_memory_is_reported(void **state)
{
    (void)state;
    timed_driver s;
    tact_bytes bytes = {0};
    const uint64_t seed = 5;
    begin_driver(&s, true, seed);
    advance_randomly(&s, 0.7, seed);
    const tact_record_def plain = {.pointer_map = &pointer_map};
    assert_int_equal(tact_world_save(s.world, tact_bytes_sink(&bytes), &plain, NULL), TACT_OK);
    long failures = 0;
    for (long at = 1;; ++at) {
        failing_allocator r = {.fail_at = at};
        const tact_record_def def = {.pointer_map = &pointer_map, .allocator = failing_allocator_make(&r)};
        tact_report report = {TACT_OK, ""};
        tact_world *world = tact_world_restore(bytes.data, bytes.size, &def, &report);
        if (world != NULL) {
            tact_world_release(world);
            assert_int_equal(r.held, 0);
            break;
        }
        ++failures;
        assert_int_equal(report.status, TACT_OUT_OF_MEMORY);
        assert_int_equal(r.held, 0);
    }
    assert_true(failures > 20);
    tact_bytes_release(&bytes);
    end_driver(&s);
}

/* If memory runs out, the recording may stop, but the world continues. */
static void recording_without_memory(void **state)
{
    (void)state;
    long failures = 0;
    for (long at = 1; at < 400; ++at) {
        failing_allocator r = {0};
        const tact_world_def def = {.allocator = failing_allocator_make(&r)};
        tact_world *world = tact_world_create(&def);
        tact_shape *ball = tact_sphere(1.0);
        for (int i = 0; i < 4; ++i)
            (void)tact_body_create(world, &(tact_body_def){.shape = ball,
                                                           .transform = tact_at(3.0 * i, 0.0, 0.0),
                                                           .motion = {.velocity = {i == 0 ? 1.0 : 0.0, 0.0, 0.0}}});
        assert_int_equal(tact_world_next_event(world, 2.0, NULL), TACT_EVENT_TOUCH);
        r.fail_at = r.calls + at;
        tact_bytes recording = {0};
        tact_report report;
        tact_record *record = tact_record_begin(world, tact_bytes_sink(&recording), NULL, &report);
        if (record == NULL) {
            ++failures;
            assert_int_equal(report.status, TACT_OUT_OF_MEMORY);
        }
        tact_event e;
        int touches = 0;
        do
            touches += tact_world_next_event(world, 9.0, &e) == TACT_EVENT_TOUCH;
        while (e.kind == TACT_EVENT_TOUCH || e.status == TACT_OUT_OF_MEMORY);
        assert_int_equal(touches, 2);
        if (record != NULL)
            (void)tact_record_end(record, NULL);
        tact_bytes_release(&recording);
        tact_world_release(world);
        tact_shape_release(ball);
        assert_int_equal(r.held, 0);
        if (r.calls < r.fail_at)
            break;
    }
    assert_int_equal(failures, 0); /* saved with its predictions, the world does not change */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_replays_the_same_events),
        cmocka_unit_test(a_restored_world_continues),
        cmocka_unit_test(worlds_without_predictions_have_none_when_restored),
        cmocka_unit_test(resting_contacts_are_restored),
        cmocka_unit_test(forged_bytes_are_rejected_or_usable),
        cmocka_unit_test(out_of_memory_is_reported),
        cmocka_unit_test(recording_without_memory),
        cmocka_unit_test(version_1_is_read),
        cmocka_unit_test(a_world_amid_simultaneous_events_is_saved),
        cmocka_unit_test(an_impossible_inertia_is_rejected),
        cmocka_unit_test(rods_are_restored),
        cmocka_unit_test(flattened_bodies_are_restored),
        cmocka_unit_test(an_unmapped_motion_callback_is_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
