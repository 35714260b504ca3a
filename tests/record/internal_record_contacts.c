/*
 * Bodies in persistent contact, saved, restored, recorded and replayed. A restored world must go on bit for bit as the
 * one that was saved, and saving must change nothing. The oracle is the same run without saving: all events and the
 * states of all bodies at its end.
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
#include "oracle/dice.h"
#include "support/failing_allocator.h"
#include "support/seeded_cases.h"

enum { MAX_EVENTS = 20000, SHAPES = 6 };

/* ---- random worlds ---- */

typedef enum scene { POUR, STACK, SHAFT, BALLS, SCENE_COUNT } scene;

typedef struct pile {
    tact_world *world;
    tact_shape *shapes[SHAPES];
    double restitution, friction;
} pile;

static tact_body add(pile *p, tact_shape *shape, tact_vec3 at, double density)
{
    const tact_body_def def = {.shape = shape,
                               .transform = tact_at(at.x, at.y, at.z),
                               .density = density,
                               .material = {p->friction, p->restitution, 0.0}};
    return tact_body_create(p->world, &def);
}

static void add_walls(pile *p, double half, double height)
{
    tact_shape *floor = tact_box(20.0, 1.0, 20.0), *wall = tact_box(1.0, height, 20.0),
               *end = tact_box(20.0, height, 1.0);
    (void)add(p, floor, (tact_vec3){0.0, -0.5, 0.0}, 0.0);
    for (int side = -1; side <= 1; side += 2) {
        (void)add(p, wall, (tact_vec3){side * (half + 0.5), 0.5 * height, 0.0}, 0.0);
        (void)add(p, end, (tact_vec3){0.0, 0.5 * height, side * (half + 0.5)}, 0.0);
    }
    tact_shape_release(floor);
    tact_shape_release(wall);
    tact_shape_release(end);
}

static pile make_pile(uint64_t seed, tact_kinetic kinetic)
{
    dice d = dice_for(seed, 51, 0);
    const scene kind = (scene)(seed % SCENE_COUNT);
    const tact_vec3 corners[4] = {{-0.2, -0.2, -0.2}, {0.3, -0.2, -0.2}, {-0.2, 0.3, -0.2}, {-0.2, -0.2, 0.3}};
    pile p = {.world = tact_world_create(NULL),
              .shapes = {tact_sphere(0.2), tact_box(0.4, 0.4, 0.4), tact_capsule(0.12, 0.3), tact_hull(corners, 4),
                         tact_box(0.6, 0.2, 0.4), tact_sphere(0.12)}};
    assert_int_equal(tact_world_set_gravity(p.world, (tact_vec3){0.0, -10.0, 0.0}), TACT_OK);
    assert_int_equal(tact_world_set_kinetic(p.world, kinetic), TACT_OK);
    assert_int_equal(tact_world_set_contact_events(p.world, seed % 3 != 0), TACT_OK);
    p.restitution = dice_pick(&d, 2) == 0 ? 0.0 : dice_between(&d, 0.0, 0.6);
    p.friction = dice_pick(&d, 4) == 0 ? 0.0 : dice_between(&d, 0.1, 1.0);
    const double half = kind == SHAFT ? 0.3 : 1.0;
    add_walls(&p, half, 8.0);
    const int count = kind == STACK ? 5 : kind == BALLS ? 70 : 12;
    for (int i = 0; i < count; ++i) {
        tact_vec3 at = {dice_between(&d, -0.6, 0.6) * half, 0.5 + 0.5 * i, dice_between(&d, -0.6, 0.6) * half};
        if (kind == STACK)
            at = (tact_vec3){0.01 * dice_normal(&d), 0.21 + 0.41 * i, 0.01 * dice_normal(&d)};
        if (kind == BALLS)
            at.y = 0.3 + 0.1 * i;
        tact_shape *shape = p.shapes[kind == STACK ? 1 : kind == SHAFT ? 0 : kind == BALLS ? 5 : dice_pick(&d, SHAPES)];
        const tact_body body = add(&p, shape, at, 1000.0);
        const tact_motion motion = {.velocity = {0.3 * dice_normal(&d), 0.0, 0.3 * dice_normal(&d)},
                                    .spin = {dice_normal(&d), dice_normal(&d), dice_normal(&d)}};
        if (kind != STACK && dice_pick(&d, 2) == 0)
            assert_int_equal(tact_body_set_motion(p.world, body, motion), TACT_OK);
    }
    return p;
}

static void release_pile(pile *p)
{
    tact_world_release(p->world);
    for (int i = 0; i < SHAPES; ++i)
        tact_shape_release(p->shapes[i]);
}

/* ---- runs ---- */

typedef struct run_log {
    tact_event_kind kinds[MAX_EVENTS];
    uint64_t hashes[MAX_EVENTS]; /* of all that the event says */
    double times[MAX_EVENTS];
    size_t count;
} run_log;

static uint64_t hash_event(const tact_event *e)
{
    uint64_t hash = hash_bytes(&e->time, sizeof e->time, (uint64_t)e->kind);
    hash = hash_bytes(&e->a, sizeof e->a, hash);
    hash = hash_bytes(&e->b, sizeof e->b, hash);
    hash = hash_bytes(&e->point, sizeof e->point, hash);
    return hash_bytes(&e->normal, sizeof e->normal, hash);
}

static uint64_t hash_state(const tact_world *world)
{
    uint64_t hash = 0;
    for (tact_body b = {0, 0}; (b = tact_world_next_body(world, b)).generation != 0;) {
        const tact_transform at = tact_body_get_transform(world, b);
        const tact_motion motion = tact_body_get_motion(world, b);
        tact_persistent_contact contacts[16];
        memset(contacts, 0, sizeof contacts);
        const size_t count = tact_body_get_contacts(world, b, contacts, 16);
        hash = hash_bytes(&at, sizeof at, hash);
        hash = hash_bytes(&motion, sizeof motion, hash);
        for (size_t i = 0; i < count && i < 16; ++i)
            hash = hash_bytes(contacts[i].points, (size_t)contacts[i].count * sizeof *contacts[i].points, hash);
        hash = hash_add(hash, tact_body_is_asleep(world, b) + 2u * count);
    }
    return hash;
}

/* What a driver does at an event; it depends on the event alone. */
static void respond(tact_world *world, const tact_event *e, const pile *p)
{
    const tact_bounce_def def = {.restitution = p->restitution, .friction = p->friction};
    if (e->kind == TACT_EVENT_TOUCH)
        assert_int_equal(tact_world_bounce_with(world, e, &def), TACT_OK);
}

/* Advances up to a number of events, or to `until`. False: `until` is reached. */
static bool run_events(tact_world *world, const pile *p, double until, size_t events, run_log *log)
{
    tact_event e;
    for (size_t i = 0; i < events; ++i) {
        if (tact_world_next_event(world, until, &e) == TACT_EVENT_NONE) {
            assert_int_equal(e.status, TACT_OK);
            return false;
        }
        if (log->count < MAX_EVENTS) {
            log->kinds[log->count] = e.kind;
            log->times[log->count] = e.time;
            log->hashes[log->count++] = hash_event(&e);
        }
        respond(world, &e, p);
    }
    return true;
}

/* ---- restored worlds ---- */

enum { PARTS = 6 };

/* Part of a run: up to a time, or to a number of events before it. */
typedef struct run_part {
    double until;
    size_t events;
    bool spawns; /* a body is created before it, and one is removed */
} run_part;

static void make_parts(uint64_t seed, run_part parts[PARTS])
{
    dice d = dice_for(seed, 52, 0);
    double time = 0.0;
    const double step = seed % 4 == STACK ? 0.5 : 0.3;
    for (int i = 0; i < PARTS; ++i) {
        const bool amid = dice_pick(&d, 2) == 0;
        time += dice_between(&d, 0.3, 1.0) * step;
        parts[i] =
            (run_part){time, amid && i + 1 < PARTS ? 1 + (size_t)dice_pick(&d, 40) : SIZE_MAX, dice_pick(&d, 3) == 0};
    }
}

/* What was met at the times of saving. */
typedef struct save_counts {
    long asleep, pending, dirty, contacts, reports, predicted;
} save_counts;

static void count_state(const tact_world *world, save_counts *n)
{
    const advance *ad = world->advance;
    const contact_graph *g = &ad->contacts;
    n->pending += g->pending.count > 0;
    n->dirty += ad->dirty.count > 0;
    n->contacts += g->count;
    n->reports += g->reports.count > g->next_report;
    n->predicted += tact_world_describe_predictions(world).exists;
    for (size_t i = 0; i < g->bodies.count; ++i)
        n->asleep += g->bodies.items[i].state == CONTACT_ASLEEP;
}

static void check_same(uint64_t seed, const char *what, const run_log *one, const run_log *other)
{
    const size_t count = one->count < other->count ? one->count : other->count;
    for (size_t i = 0; i < count; ++i)
        CHECK(one->hashes[i] == other->hashes[i], "%s: event %zu of %zu: kinds %d %d at %.17g %.17g", what, i, count,
              (int)one->kinds[i], (int)other->kinds[i], one->times[i], other->times[i]);
    for (size_t i = count; i < one->count; ++i)
        print_error("only in the first: kind %d at %.17g\n", (int)one->kinds[i], one->times[i]);
    CHECK(one->count == other->count, "%s: %zu and %zu events", what, one->count, other->count);
}

static tact_world *save_and_restore(uint64_t seed, tact_world *world, bool again)
{
    tact_bytes bytes = {0}, second = {0};
    tact_report report = {TACT_OK, ""};
    assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
    tact_world *restored = tact_world_restore(bytes.data, bytes.size, NULL, &report);
    CHECK(restored != NULL, "%s", report.text);
    if (again) {
        assert_int_equal(tact_world_save(restored, tact_bytes_sink(&second), NULL, NULL), TACT_OK);
        CHECK(bytes.size == second.size && memcmp(bytes.data, second.data, bytes.size) == 0, "saved again it differs");
    }
    tact_bytes_release(&bytes);
    tact_bytes_release(&second);
    return restored;
}

static run_log logs[3];

/* Creates a body above the others, and at times removes one. */
static void change_bodies(tact_world *world, const pile *p, int number)
{
    if (world == NULL)
        return;
    const tact_body_def def = {.shape = p->shapes[number % SHAPES],
                               .transform = tact_at(0.01 * number, 7.0 + number, 0.02 * number),
                               .motion = {.velocity = {0.0, -3.0, 0.0}},
                               .density = 500.0};
    tact_body last = {0, 0};
    for (tact_body b = {0, 0}; (b = tact_world_next_body(world, b)).generation != 0;)
        last = b;
    if (number % 2 == 1)
        assert_int_equal(tact_body_remove(world, last), TACT_OK);
    assert_true(tact_body_create(world, &def).generation != 0);
}

static void a_restored_world_goes_on_bit_for_bit(void **state)
{
    (void)state;
    save_counts n = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(16, 400); ++seed) {
        run_part parts[PARTS];
        make_parts(seed, parts);
        const tact_kinetic kinetic = (tact_kinetic)(seed % 3);
        const int cut = 1 + (int)(seed / SCENE_COUNT % (PARTS - 1));
        pile plain = make_pile(seed, kinetic), saved = make_pile(seed, kinetic);
        tact_world *restored = NULL;
        for (int i = 0; i < 3; ++i)
            logs[i].count = 0;
        for (int i = 0; i < PARTS; ++i) {
            for (int k = 0; k < 3 && parts[i].spawns; ++k)
                change_bodies(k == 0 ? plain.world : k == 1 ? saved.world : restored, &plain, i);
            if (i >= cut) { /* again and again */
                tact_world *next = save_and_restore(seed, i == cut ? saved.world : restored, true);
                count_state(saved.world, &n);
                tact_world_release(restored);
                restored = next;
                if (i == cut)
                    memcpy(&logs[2], &logs[1], sizeof logs[2]);
            }
            (void)run_events(plain.world, &plain, parts[i].until, parts[i].events, &logs[0]);
            (void)run_events(saved.world, &saved, parts[i].until, parts[i].events, &logs[1]);
            if (restored != NULL)
                (void)run_events(restored, &plain, parts[i].until, parts[i].events, &logs[2]);
        }
        check_same(seed, "saving changes", &logs[0], &logs[1]);
        check_same(seed, "restored", &logs[0], &logs[2]);
        CHECK(hash_state(plain.world) == hash_state(saved.world), "saving changes the state");
        CHECK(hash_state(plain.world) == hash_state(restored), "the restored world ends elsewhere");
        tact_world_release(restored);
        release_pile(&plain);
        release_pile(&saved);
    }
    print_message(
        "saved with %ld contacts, %ld bodies asleep; %ld times with contacts that begin, %ld with changes, %ld "
        "with events to report, %ld with predictions\n",
        n.contacts, n.asleep, n.pending, n.dirty, n.reports, n.predicted);
    if (!few_cases())
        assert_true(n.contacts > 300 && n.asleep > 20 && n.pending > 0 && n.dirty > 2 && n.predicted > 40);
}

/* ---- recordings ---- */

/* All calls that are new with persistent contacts, at random. */
static void make_random_call(tact_world *world, dice *d)
{
    tact_body body = {0, 0};
    const int skip = (int)dice_pick(d, 16);
    for (int i = 0; i <= skip; ++i) {
        const tact_body next = tact_world_next_body(world, body);
        body = next.generation != 0 ? next : body;
    }
    const tact_vec3 impulse = {100.0 * dice_normal(d), 100.0 * dice_between(d, 0.0, 1.0), 0.0};
    switch (dice_pick(d, 9)) {
    case 0:
        (void)tact_body_apply_impulse(world, body, impulse, tact_body_get_transform(world, body).origin);
        break;
    case 1:
        assert_int_equal(tact_body_wake(world, body), TACT_OK);
        break;
    case 2:
        assert_int_equal(tact_body_set_material(world, body, (tact_material){dice_between(d, 0.0, 1.0), 0.2, 0.01}),
                         TACT_OK);
        break;
    case 3:
        assert_int_equal(tact_world_set_sleeping(world, dice_pick(d, 2) == 0), TACT_OK);
        break;
    case 4:
        assert_int_equal(tact_world_set_gravity(world, (tact_vec3){dice_normal(d), -9.0, 0.0}), TACT_OK);
        break;
    case 5:
        assert_int_equal(tact_world_set_contact_step(world, dice_pick(d, 2) == 0 ? 1.0 / 60.0 : 1.0 / 90.0), TACT_OK);
        break;
    case 6:
        assert_int_equal(tact_world_set_contact_events(world, dice_pick(d, 2) == 0), TACT_OK);
        break;
    case 7:
        if (tact_body_get_mass(world, body) > 0.0)
            assert_int_equal(tact_body_remove(world, body), TACT_OK);
        break;
    default:
        break;
    }
}

/* A recorded pour replays bit for bit, from its beginning or from amid it, with all calls; recording it changes
 * nothing. tact_world_step is recorded as the events and impacts that it consists of. */
static void a_recorded_pour_is_replayed(void **state)
{
    (void)state;
    long calls = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(12, 200); ++seed) {
        pile p = make_pile(seed, (tact_kinetic)(seed % 3)), plain = make_pile(seed, (tact_kinetic)(seed % 3));
        tact_bytes recording = {0};
        tact_report report = {TACT_OK, ""};
        const double start = seed % 2 == 0 ? 0.0 : 0.05 * (double)(seed % 11);
        assert_int_equal(tact_world_step(p.world, start), TACT_OK);
        assert_int_equal(tact_world_step(plain.world, start), TACT_OK);
        tact_record *record = tact_record_begin(p.world, tact_bytes_sink(&recording), NULL, &report);
        CHECK(record != NULL, "%s", report.text);
        for (int k = 0; k < 2; ++k) {
            dice d = dice_for(seed, 53, 0);
            tact_world *world = k == 0 ? p.world : plain.world;
            for (int i = 0; i < 30; ++i) {
                CHECK(tact_world_step(world, 0.03) == TACT_OK, "step %d", i);
                if (seed % 4 > 1)
                    make_random_call(world, &d);
            }
        }
        CHECK(tact_record_end(record, &report) == TACT_OK, "%s", report.text);
        CHECK(hash_state(p.world) == hash_state(plain.world), "recording changes the world");
        tact_replay *replay = tact_replay_begin(recording.data, recording.size, NULL, &report);
        CHECK(replay != NULL, "%s", report.text);
        tact_replay_state at;
        while ((at = tact_replay_step(replay, &report)) == TACT_REPLAY_CALL)
            ++calls;
        CHECK(at == TACT_REPLAY_END, "%s", report.text);
        CHECK(hash_state(tact_replay_get_world(replay)) == hash_state(p.world), "the replay ends elsewhere");
        tact_replay_release(replay);
        tact_bytes_release(&recording);
        release_pile(&p);
        release_pile(&plain);
    }
    print_message("%ld calls\n", calls);
    if (!few_cases())
        assert_true(calls > 1000);
}

/* ---- damage ---- */

/* Computes the hashes of all blocks. */
static void reseal(unsigned char *data, size_t size)
{
    uint64_t hash = hash_bytes(data, 16, 0);
    for (size_t at = 16; at + 20 <= size;) {
        const uint64_t length = load_le64(data + at + 4);
        hash = hash_bytes(data + at, 12 + (size_t)length, hash);
        (void)store_le64(data + at + 12 + length, hash);
        at += 20 + (size_t)length;
    }
}

/* Values that are wrong in most fields: indices, enums, times. */
static uint64_t random_word(dice *d)
{
    static const uint64_t words[] = {0,
                                     1,
                                     2,
                                     7,
                                     UINT64_MAX,
                                     0x7ff0000000000000,
                                     0xfff0000000000000,
                                     0x7ff8000000000000,
                                     0xbff0000000000000,
                                     0x7fe0000000000000,
                                     0xffffffff00000000,
                                     0x00000000ffffffff};
    return words[dice_pick(d, sizeof words / sizeof words[0])];
}

/* A world of forged bytes is rejected with a reason, or it can be used: it does not crash, hang or give a NaN. */
static void forged_contacts_are_rejected_or_usable(void **state)
{
    (void)state;
    long rejected[24] = {0}, accepted[24] = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(4, 40); ++seed) {
        dice d = dice_for(seed, 54, 0);
        pile p = make_pile(seed, (tact_kinetic)(seed % 3));
        tact_bytes bytes = {0};
        logs[0].count = 0;
        (void)run_events(p.world, &p, 1.1, 60 + 10 * seed, &logs[0]);
        assert_int_equal(tact_world_save(p.world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
        unsigned char *copy = test_malloc(bytes.size);
        for (size_t at = 16; at + 20 <= bytes.size; at += 20 + (size_t)load_le64(bytes.data + at + 4)) {
            const uint32_t type = load_le32(bytes.data + at);
            const size_t length = (size_t)load_le64(bytes.data + at + 4);
            if (type != 13 && (type < 19 || type > 23))
                continue;
            for (size_t word = 0; word + 8 <= length; word += type == 19 ? 4 : 4 * (1 + (size_t)dice_pick(&d, 60))) {
                memcpy(copy, bytes.data, bytes.size);
                if (dice_pick(&d, 2) == 0)
                    (void)store_le64(copy + at + 12 + word, random_word(&d));
                else
                    (void)store_le32(copy + at + 12 + word, (uint32_t)random_word(&d));
                reseal(copy, bytes.size);
                tact_report report = {TACT_OK, ""};
                tact_world *world = tact_world_restore(copy, bytes.size, NULL, &report);
                CHECK((world == NULL) == (report.text[0] != '\0'), "no reason");
                ++*(world == NULL ? &rejected[type] : &accepted[type]);
                if (world == NULL)
                    continue;
                tact_event e = {.kind = TACT_EVENT_TOUCH};
                const double until = tact_world_get_time(world) + 0.02;
                for (int i = 0; i < 20 && tact_world_next_event(world, until, &e) != TACT_EVENT_NONE; ++i)
                    CHECK(e.time >= 0.0 && e.time <= until, "time %g", e.time);
                tact_world_release(world);
            }
        }
        test_free(copy);
        tact_bytes_release(&bytes);
        release_pile(&p);
    }
    for (int i = 19; i <= 23; ++i)
        print_message("block %d: %ld rejected, %ld accepted\n", i, rejected[i], accepted[i]);
    if (!few_cases())
        assert_true(rejected[19] > 5 && rejected[20] > 30 && rejected[21] > 5 && rejected[22] > 50 &&
                    rejected[23] > 20);
}

/* Version 2 has the time and number of bounces after the mass of a body, and a rest time instead of the contact step.
 */
static void version_2_is_read(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    tact_shape *ball = tact_sphere(1.0);
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = ball, .density = 2.0});
    assert_int_equal(tact_world_set_contact_step(world, 0.25), TACT_OK);
    tact_bytes bytes = {0};
    assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
    unsigned char *old = test_malloc(bytes.size + 12);
    size_t size = 16;
    memcpy(old, bytes.data, 16);
    (void)store_le32(old + 8, 2);
    for (size_t at = 16; at + 20 <= bytes.size;) {
        const size_t length = (size_t)load_le64(bytes.data + at + 4), more = load_le32(bytes.data + at) == 13 ? 12 : 0;
        memcpy(old + size, bytes.data + at, 12 + length);
        memset(old + size + 12 + length, 0, more);
        (void)store_le64(old + size + 4, length + more);
        size += 20 + length + more;
        at += 20 + length;
    }
    assert_true(size == bytes.size + 12);
    reseal(old, size);
    tact_report report = {TACT_OK, ""};
    tact_world *again = tact_world_restore(old, size, NULL, &report);
    if (again == NULL)
        fail_msg("%s", report.text);
    assert_true(tact_body_get_mass(again, body) == tact_body_get_mass(world, body));
    assert_true(tact_world_get_contact_step(again) == 1.0 / 60.0);
    tact_world_release(again);
    test_free(old);
    tact_bytes_release(&bytes);
    tact_world_release(world);
    tact_shape_release(ball);
}

static void out_of_memory_is_reported(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        pile p = make_pile(4, kind == 0 ? TACT_KINETIC_FAT_BOUNDS : TACT_KINETIC_SWEEP_AND_PRUNE);
        tact_bytes bytes = {0};
        logs[0].count = 0;
        (void)run_events(p.world, &p, 1.0, 70, &logs[0]);
        assert_int_equal(tact_world_save(p.world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
        long failures = 0;
        for (long at = 1;; ++at) {
            failing_allocator r = {.fail_at = at};
            const tact_record_def def = {.allocator = failing_allocator_make(&r)};
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
        release_pile(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restored_world_goes_on_bit_for_bit),
        cmocka_unit_test(a_recorded_pour_is_replayed),
        cmocka_unit_test(forged_contacts_are_rejected_or_usable),
        cmocka_unit_test(version_2_is_read),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
