/* Truncated, damaged and forged bytes, and memory that runs out: rejected with a message, without leaks. */
#include "record/record_world.h"

#include "core/hash.h"
#include "record/blocks.h"
#include "support/failing_allocator.h"

/* ---- bytes ---- */

static uint32_t word_at(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void set_word(unsigned char *at, uint64_t word, int size)
{
    for (int i = 0; i < size; ++i)
        at[i] = (unsigned char)(word >> 8 * i);
}

static size_t length_at(const unsigned char *block) { return word_at(block + 4) | (size_t)word_at(block + 8) << 32; }

/* The contents of the n-th block of a type, from 0; NULL if there is none. */
static unsigned char *block_of(const tact_bytes *bytes, uint32_t type, int n)
{
    for (size_t at = 16; at < bytes->size; at += 20 + length_at(bytes->data + at))
        if (word_at(bytes->data + at) == type && n-- == 0)
            return bytes->data + at + 12;
    return NULL;
}

/* Corrects the hashes of all blocks. */
static void reseal(unsigned char *data, size_t size)
{
    uint64_t hash = hash_bytes(data, 16, 0);
    for (size_t at = 16; size >= 20 && at <= size - 20;) {
        size_t length = length_at(data + at);
        if (length > size - 20 - at)
            return;
        hash = hash_bytes(data + at, 12 + length, hash);
        set_word(data + at + 12 + length, hash, 8);
        at += 20 + length;
    }
}

static tact_bytes copy_of(const tact_bytes *bytes)
{
    tact_bytes copy = {0};
    tact_sink sink = tact_bytes_sink(&copy);
    assert_true(sink.write(sink.context, bytes->data, bytes->size));
    return copy;
}

/* A small world with blocks of all types but those of continuous time. */
static tact_bytes small_world(void)
{
    const tact_vec3 p[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
    tact_bytes bytes = {0};
    tact_shape *ball = tact_sphere(1), *hull = tact_hull(p, 5), *mesh = tact_mesh(p, 5, indices, 2);
    const tact_shape *both[2] = {ball, mesh};
    tact_shape *compound = tact_compound(both, NULL, 2), *rounded = tact_rounded(mesh, 0.5);
    tact_shape *shapes[5] = {ball, hull, mesh, compound, rounded};
    tact_world *world = tact_world_create(NULL);
    tact_body bodies[7];
    for (int i = 0; i < 7; ++i)
        bodies[i] = tact_body_create(
            world, &(tact_body_def){.shape = shapes[i % 5], .transform = tact_at(i, 0, 0), .class_id = (uint32_t)i});
    /* two that deform: their vertex 1 has moved since the previous frame */
    for (int i = 0; i < 2; ++i) {
        tact_vec3 deformable[5];
        memcpy(deformable, p, sizeof p);
        tact_body body = tact_body_create(
            world, &(tact_body_def){.shape = mesh, .transform = tact_at(20 * (i + 1), 0, 0), .deformable = true});
        assert_int_equal(tact_body_deform(world, body, (tact_vertices){deformable, 5, 0, TACT_SCALAR_DOUBLE}), TACT_OK);
        assert_int_equal(tact_world_store_previous(world), TACT_OK);
        deformable[1].x += 0.25;
        assert_int_equal(tact_body_deform_range(world, body, 1, 1), TACT_OK);
    }
    /* two with overlapping boxes: the pair has a cached axis */
    (void)tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(50, 0, 0)});
    (void)tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(51.9, 1.9, 0)});
    static world_driver s;
    tact_response response = {.want = TACT_CONTACTS, .callback = on_contact, .context = &s};
    s = (world_driver){.world = world, .passive = true};
    tact_world_set_contact_callback(world, response);
    tact_body_set_contact_callback(world, bodies[0], response);
    tact_class_set_contact_callback(world, 2, response);
    tact_pair_set_contact_callback(world, bodies[0], bodies[1], response);
    tact_body_remove(world, bodies[5]);
    assert_true(tact_world_test(world).count > 1);
    tact_body_remove(world, bodies[6]);
    assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
    tact_world_release(world);
    for (int i = 0; i < 5; ++i)
        tact_shape_release(shapes[i]);
    assert_true(bytes.size < 10000);
    return bytes;
}

/* A small record, with calls in contact callbacks. */
static tact_bytes small_record(uint64_t seed, int calls)
{
    tact_bytes recording = {0};
    tact_shape *shapes[SHAPE_COUNT], *three[SHAPE_COUNT];
    static world_driver s;
    make_shapes(shapes, 1, false);
    for (int i = 0; i < SHAPE_COUNT; ++i)
        three[i] = shapes[i % 3 == 2 ? 20 : i % 2];
    begin_driver(&s, tact_world_create(NULL), three, seed);
    for (int i = 0; i < 20; ++i)
        make_random_call(&s);
    tact_record *record = tact_record_begin(s.world, tact_bytes_sink(&recording), NULL, NULL);
    for (int i = 0; i < calls; ++i)
        make_random_call(&s);
    assert_int_equal(tact_record_end(record, NULL), TACT_OK);
    tact_world_release(s.world);
    release_shapes(shapes);
    return recording;
}

/* ---- counting memory ---- */

typedef struct counting_allocator {
    size_t held, peak;
} counting_allocator;

static void *counting_resize(void *context, void *block, size_t old_size, size_t new_size)
{
    counting_allocator *p = context;
    p->held += new_size - old_size;
    p->peak = p->held > p->peak ? p->held : p->peak;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    void *moved = realloc(block, new_size);
    assert_non_null(moved);
    return moved;
}

#define MAX_MEMORY(size) (100 * (size) + 100000) /* bytes: a body of 400 becomes some 1000, a hull has tables */
#define MAX_REPLAY_MEMORY(size) (MAX_MEMORY(size) + 8000000) /* and the depth of curved shapes (convex/epa.c) */

/* Restores a world from bytes that may be damaged. False if they were rejected. */
static bool try_restore(const unsigned char *data, size_t size, tact_report *report)
{
    counting_allocator p = {0};
    tact_record_def def = {.allocator = {counting_resize, &p}};
    unsigned char *exact = malloc(size > 0 ? size : 1); /* so that a sanitizer detects a read beyond the end */
    memcpy(exact, data, size);
    tact_world *world = tact_world_restore(exact, size, &def, report);
    free(exact);
    if ((world == NULL) != (report->status != TACT_OK) || (world == NULL && report->text[0] == '\0'))
        fail_msg("a status without a message: %d %s", (int)report->status, report->text);
    if (p.peak > MAX_MEMORY(size))
        fail_msg("%zu bytes of memory for %zu bytes", p.peak, size);
    if (world != NULL) {
        (void)tact_world_test(world);
        tact_world_release(world);
    }
    assert_int_equal(p.held, 0);
    return world != NULL;
}

static tact_replay_state try_replay(const unsigned char *data, size_t size, tact_report *report)
{
    counting_allocator p = {0};
    tact_record_def def = {.allocator = {counting_resize, &p}};
    unsigned char *exact = malloc(size > 0 ? size : 1);
    memcpy(exact, data, size);
    tact_replay *replay = tact_replay_begin(exact, size, &def, report);
    tact_replay_state state = replay != NULL ? tact_replay_run(replay, report) : TACT_REPLAY_FAILED;
    tact_replay_release(replay);
    free(exact);
    if ((state == TACT_REPLAY_END) != (report->status == TACT_OK) ||
        (state != TACT_REPLAY_END && report->text[0] == '\0'))
        fail_msg("a status without a message: %d %s", (int)report->status, report->text);
    if (p.peak > MAX_REPLAY_MEMORY(size))
        fail_msg("%zu bytes of memory for %zu bytes", p.peak, size);
    assert_int_equal(p.held, 0);
    return state;
}

/* ---- damage ---- */

static void test_truncated(void **state)
{
    (void)state;
    tact_report report;
    tact_bytes bytes = small_world();
    assert_true(try_restore(bytes.data, bytes.size, &report));
    for (size_t size = 0; size < bytes.size; ++size) {
        assert_false(try_restore(bytes.data, size, &report));
        assert_int_equal(report.status, TACT_BAD_ARGUMENT);
        assert_true(strstr(report.text, "at byte") != NULL && strstr(report.text, "truncated") != NULL);
    }
    tact_bytes_release(&bytes);
}

/* A truncated record is replayed up to its end. */
static void test_truncated_record(void **state)
{
    (void)state;
    tact_report report;
    tact_bytes recording = small_record(5, 60);
    assert_int_equal(try_replay(recording.data, recording.size, &report), TACT_REPLAY_END);
    size_t state_end = (size_t)(block_of(&recording, BLOCK_STATE, 0) - recording.data) + 8;
    long truncated = 0;
    random_source random = random_seed(1);
    for (size_t size = 0; size < recording.size; size += 1 + random_below(&random, quick_form() ? 800 : 200)) {
        tact_replay_state end = try_replay(recording.data, size, &report);
        assert_int_equal(end, size < state_end ? TACT_REPLAY_FAILED : TACT_REPLAY_TRUNCATED);
        truncated += end == TACT_REPLAY_TRUNCATED;
        assert_non_null(strstr(report.text, "truncated"));
    }
    assert_true(few_cases() || truncated > 20);
    tact_bytes_release(&recording);
}

static void test_flipped_bits(void **state)
{
    (void)state;
    tact_report report;
    tact_bytes bytes = small_world();
    for (size_t bit = 0; bit < 8 * bytes.size; bit += quick_form() ? 3 : 1) { /* (each bit of a byte in turn) */
        bytes.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_false(try_restore(bytes.data, bytes.size, &report));
        assert_int_equal(report.status, TACT_BAD_ARGUMENT);
        bytes.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    tact_bytes recording = small_record(6, 20);
    random_source random = random_seed(3);
    for (uint64_t i = 0; i < random_case_count(1000, 1000); ++i) {
        size_t bit = random_below(&random, 8 * recording.size);
        recording.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        tact_replay_state end = try_replay(recording.data, recording.size, &report);
        assert_true(end == TACT_REPLAY_FAILED || end == TACT_REPLAY_TRUNCATED);
        recording.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    tact_bytes_release(&recording);
    tact_bytes_release(&bytes);
}

/* Missing and repeated blocks: each is valid, their sequence is not. Bytes after the end. Other file headers. */
static void test_reordered_blocks(void **state)
{
    (void)state;
    tact_report report;
    tact_bytes bytes = small_world(), other = {0};
    tact_sink sink = tact_bytes_sink(&other);
    for (size_t at = 16; at < bytes.size; at += 20 + length_at(bytes.data + at)) {
        size_t size = 20 + length_at(bytes.data + at);
        other.size = 0; /* missing */
        sink.write(sink.context, bytes.data, at);
        sink.write(sink.context, bytes.data + at + size, bytes.size - at - size);
        assert_false(try_restore(other.data, other.size, &report));
        other.size = 0; /* repeated */
        sink.write(sink.context, bytes.data, at + size);
        sink.write(sink.context, bytes.data + at, bytes.size - at);
        assert_false(try_restore(other.data, other.size, &report));
    }
    other.size = 0;
    sink.write(sink.context, bytes.data, bytes.size);
    sink.write(sink.context, "x", 1);
    assert_false(try_restore(other.data, other.size, &report));
    assert_non_null(strstr(report.text, "after the end"));
    sink.write(sink.context, bytes.data, bytes.size); /* a second world */
    assert_false(try_restore(other.data, other.size, &report));
    /* another version, big endian, a reserved word, another magic, converted line ends */
    static const struct {
        size_t at;
        uint64_t word;
        int size;
        const char *text;
    } heads[] = {{8, 4, 4, "version 4"},
                 {8, 0x01000000, 4, "version 16777216"},
                 {12, 1, 4, "head"},
                 {0, 0x54434154, 4, "not a saved world"},
                 {5, 0x0a0a, 2, "not a saved world"}};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; ++i) {
        tact_bytes forged = copy_of(&bytes);
        set_word(forged.data + heads[i].at, heads[i].word, heads[i].size);
        reseal(forged.data, forged.size);
        assert_false(try_restore(forged.data, forged.size, &report));
        if (strstr(report.text, heads[i].text) == NULL)
            fail_msg("%s, not %s", report.text, heads[i].text);
        tact_bytes_release(&forged);
    }
    tact_bytes_release(&other);
    tact_bytes_release(&bytes);
}

/* ---- forged: the hashes are right ---- */

#define NAN_BITS UINT64_C(0x7ff8000000000000)
#define HALF_BITS UINT64_C(0x3fe0000000000000)

static void test_forged(void **state)
{
    (void)state;
    tact_report report;
    tact_bytes bytes = small_world();
    static const struct {
        uint32_t type;
        int n;    /* which block of the type */
        int at;   /* in its contents */
        int size; /* of the word */
        uint64_t word;
        const char *text;
    } cases[] = {
        {BLOCK_SHAPE, 0, 0, 4, 77, "no shape type 77"},
        {BLOCK_SHAPE, 0, 4, 8, NAN_BITS, "margin"},
        {BLOCK_SHAPE, 0, 12, 8, NAN_BITS, "radius"},
        {BLOCK_SHAPE, 0, 12, 8, UINT64_C(0xbff0000000000000), "radius"},
        {BLOCK_SHAPE, 0, 0, 4, TACT_BOX, "too short"},
        {BLOCK_SHAPE, 0, 0, 4, TACT_CUSTOM, "TACT_CUSTOM"},
        {BLOCK_SHAPE, 1, 12, 4, 4, "hull"},                           /* dimension */
        {BLOCK_SHAPE, 1, 16, 4, 0xffffffff, "larger than the block"}, /* vertices */
        {BLOCK_SHAPE, 1, 20, 4, 0xffffffff, "larger than the block"}, /* faces */
        {BLOCK_SHAPE, 1, 24, 4, 0xffffffff, "larger than the block"}, /* vertices of faces */
        {BLOCK_SHAPE, 1, 28, 8, NAN_BITS, "point 0"},
        {BLOCK_SHAPE, 1, 28 + 24 * 5, 4, 0xffffffff, "hull"},         /* the size of a face */
        {BLOCK_SHAPE, 1, 28 + 24 * 5 + 4 * 6, 4, 5, "hull"},          /* a vertex of a face */
        {BLOCK_SHAPE, 2, 12, 4, 64, "flags"},                         /* of a mesh */
        {BLOCK_SHAPE, 2, 16, 4, 0xffffffff, "larger than the block"}, /* vertices */
        {BLOCK_SHAPE, 2, 20, 4, 0x55555556, "larger than the block"}, /* triangles: 3 times as many are 2 */
        {BLOCK_SHAPE, 2, 24, 4, 9, "faces"},                          /* faces */
        {BLOCK_SHAPE, 2, 28, 8, NAN_BITS, "bounding radius"},
        {BLOCK_SHAPE, 2, 36, 8, NAN_BITS, "vertex 0"},  /* a vertex */
        {BLOCK_SHAPE, 2, 36, 8, HALF_BITS, "box"},      /* outside the box of the tree */
        {BLOCK_SHAPE, 2, 36 + 24 * 5, 4, 5, "index 0"}, /* an index */
        {BLOCK_SHAPE, 2, 36 + 24 * 5 + 4 * 6, 8, UINT64_MAX, "larger than the block"},
        {BLOCK_SHAPE, 3, 12, 4, 0xffffffff, "larger than the block"}, /* parts of a compound */
        {BLOCK_SHAPE, 3, 16, 4, 3, "only 3 shapes"},                  /* itself */
        {BLOCK_SHAPE, 3, 16, 4, 4, "only 3 shapes"},                  /* a later one */
        {BLOCK_SHAPE, 3, 20, 8, NAN_BITS, "transform"},
        {BLOCK_SHAPE, 4, 12, 4, 4, "only 4 shapes"}, /* refers to itself */
        {BLOCK_SHAPE, 4, 4, 8, NAN_BITS, "margin"},
        {BLOCK_WORLD, 0, 0, 4, 9, "broad phase"},
        {BLOCK_WORLD, 0, 4, 4, 0, "broad phase"},
        {BLOCK_WORLD, 0, 8, 4, 2, "caching"},
        {BLOCK_WORLD, 0, 12, 4, 0xffffffff, "indices"},
        {BLOCK_WORLD, 0, 16, 8, 3, "serial number"},
        {BLOCK_WORLD, 0, 24, 4, 99, "response of the world"},
        {BLOCK_WORLD, 0, 28, 8, NAN_BITS, "response of the world"},
        {BLOCK_BODY, 0, 0, 4, 0xffffffff, "not below"},
        {BLOCK_BODY, 0, 0, 4, 1, "twice"},
        {BLOCK_BODY, 0, 4, 4, 0, "generation"},
        {BLOCK_BODY, 0, 16, 4, 64, "flags"},
        {BLOCK_BODY, 0, 16, 4, 128 | 8, "against itself"}, /* not deformable; 8: it has a response */
        {BLOCK_BODY, 0, 16, 4, 256, "flags"},
        {BLOCK_BODY, 0, 24, 8, 0, "category"},
        {BLOCK_BODY, 0, 48, 4, 5, "only 1 shapes"},
        {BLOCK_BODY, 0, 52, 4, 0xffffffff, "came before"},
        {BLOCK_BODY, 0, 56, 8, NAN_BITS, "body 0"},
        {BLOCK_BODY, 0, 56, 8, 0, "body 0"}, /* singular */
        {BLOCK_BODY, 0, 152, 8, NAN_BITS, "body 0"},
        {BLOCK_BODY, 0, 248, 8, NAN_BITS, "motion"},
        {BLOCK_BODY, 0, 320, 4, 99, "response of body 0"},
        {BLOCK_BODY, 0, 224, 8, HALF_BITS, "not marked as moved"},
        {BLOCK_BODY, 1, 52, 4, 0, "not marked as moved"}, /* another previous shape */
        {BLOCK_BODY, 1, 8, 8, 0, "same serial"},          /* as body 0 */
        /* body 7, the sixth block: its refittable meshes are shapes 5 and 6; those of body 8 are 7 and 8 */
        {BLOCK_SHAPE, 5, 4, 8, HALF_BITS, "are inconsistent"},              /* another margin */
        {BLOCK_SHAPE, 6, 12, 4, 5, "are inconsistent"},                     /* solid */
        {BLOCK_SHAPE, 6, 36 + 24 * 4, 8, HALF_BITS, "are inconsistent"},    /* a vertex that must be equal in both */
        {BLOCK_BODY, 5, 48, 4, 0, "are inconsistent"},                      /* a sphere */
        {BLOCK_BODY, 5, 320, 4, 2, "are inconsistent"},                     /* current mesh */
        {BLOCK_BODY, 5, 324, 4, 3, "are inconsistent"},                     /* previous mesh */
        {BLOCK_BODY, 5, 328, 4, 6, "another body"},                         /* the same mesh twice */
        {BLOCK_BODY, 5, 328, 4, 0, "are inconsistent"},                     /* a sphere */
        {BLOCK_BODY, 5, 332, 8, 2, "are inconsistent"},                     /* refitted */
        {BLOCK_BODY, 5, 352, 4, 8, "too many"},                             /* ranges */
        {BLOCK_BODY, 5, 356, 4, 2, "are inconsistent"},                     /* an empty one */
        {BLOCK_BODY, 5, 356, 8, 2 | UINT64_C(3) << 32, "are inconsistent"}, /* vertices 2 to 3, which are equal */
        {BLOCK_BODY, 5, 360, 4, 6, "are inconsistent"},                     /* there are 5 */
        {BLOCK_BODY, 6, 328, 4, 5, "another body"},                         /* those of body 7 */
        {BLOCK_UNUSED, 0, 0, 4, 0, "twice"},
        {BLOCK_UNUSED, 0, 8, 4, 1, "flags"},
        {BLOCK_REMOVED, 0, 0, 4, 0xffffffff, "not below"},
        {BLOCK_REMOVED, 0, 4, 4, 0, "generation"},
        {BLOCK_CLASS, 0, 4, 4, 0, "class response"},
        {BLOCK_PAIR, 0, 0, 4, 0xffffffff, "pair response"},
        {BLOCK_PAIR, 0, 4, 4, 0xffffffff, "pair response"},
        {BLOCK_AXES, 0, 4, 4, 0xffffffff, "does not name a pair"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        tact_bytes forged = copy_of(&bytes);
        unsigned char *block = block_of(&forged, cases[i].type, cases[i].n);
        assert_non_null(block);
        set_word(block + cases[i].at, cases[i].word, cases[i].size);
        reseal(forged.data, forged.size);
        if (try_restore(forged.data, forged.size, &report) || strstr(report.text, cases[i].text) == NULL)
            fail_msg("case %zu (block %u, byte %d): \"%s\", not \"%s\"", i, cases[i].type, cases[i].at, report.text,
                     cases[i].text);
        tact_bytes_release(&forged);
    }
    /* other types of blocks */
    static const uint32_t types[] = {0, BLOCK_CONTACT, BLOCK_WORLD, BLOCK_STATE, BLOCK_END, 31, 33, 200, UINT32_MAX};
    for (size_t at = 16; at < bytes.size; at += 20 + length_at(bytes.data + at))
        for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
            tact_bytes forged = copy_of(&bytes);
            bool same = word_at(forged.data + at) == types[i];
            set_word(forged.data + at, types[i], 4);
            reseal(forged.data, forged.size);
            assert_true(try_restore(forged.data, forged.size, &report) == same);
            tact_bytes_release(&forged);
        }
    tact_bytes_release(&bytes);
}

static void ignore(void *context, const tact_contact *contact)
{
    (void)context;
    (void)contact;
}

/* Forged pairs that a test has reported, and a forged reach and pivot. */
static void test_forged_phases(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(1.0);
    tact_world *world = tact_world_create(NULL);
    tact_bytes bytes = {0};
    tact_report report;
    tact_world_set_contact_callback(world, (tact_response){.callback = ignore});
    for (int i = 0; i < 3; ++i) /* 0 and 1 touch, 1 and 2 do */
        (void)tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(1.5 * i, 0, 0)});
    (void)tact_body_create(world, &(tact_body_def){.shape = ball,
                                                   .transform = tact_at(50, 0, 0),
                                                   .motion = {.spin = {1, 0, 0}, .pivot = {0, 1, 0}},
                                                   .reach = 0.5});
    assert_int_equal(tact_world_test(world).count, 2);
    assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
    assert_int_equal(length_at(block_of(&bytes, BLOCK_REPORTED, 0) - 12), 32);
    const size_t body = length_at(block_of(&bytes, BLOCK_BODY, 3) - 12); /* it ends with reach and pivot */
    const struct {
        uint32_t type;
        int n, at, size;
        uint64_t value;
        const char *text; /* NULL: accepted */
    } cases[] = {
        {BLOCK_REPORTED, 0, 0, 4, 77, "reported pair 0"},                    /* no such index */
        {BLOCK_REPORTED, 0, 4, 4, 0, "reported pair 0"},                     /* no generation */
        {BLOCK_REPORTED, 0, 8, 4, 0, "reported pair 1"},                     /* a body with itself comes last */
        {BLOCK_REPORTED, 0, 16, 4, 0, NULL},                                 /* another pair, in order */
        {BLOCK_REPORTED, 0, 24, 4, 0, "reported pair 1"},                    /* the same pair again */
        {BLOCK_REPORTED, 0, 0, 8, 1 | UINT64_C(1) << 32, "reported pair 1"}, /* bodies 1 and 1 */
        {BLOCK_REPORTED, 0, 0, 8, 2 | UINT64_C(1) << 32, "reported pair 0"}, /* 2 was not created before 1 */
        {BLOCK_REPORTED, 0, 28, 4, 5, NULL},                                 /* a body that was removed */
        {BLOCK_BODY, 3, (int)body - 32, 8, NAN_BITS, "reach"},
        {BLOCK_BODY, 3, (int)body - 32, 8, 0, "reach"},
        {BLOCK_BODY, 3, (int)body - 16, 8, NAN_BITS, "NaN"},
        {BLOCK_BODY, 3, (int)body - 16, 8, 0, "pivot"}, /* the flag says that it has one */
        {BLOCK_BODY, 3, (int)body - 16, 8, UINT64_C(0x7fe0000000000000), "pivot"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        tact_bytes forged = copy_of(&bytes);
        set_word(block_of(&forged, cases[i].type, cases[i].n) + cases[i].at, cases[i].value, cases[i].size);
        reseal(forged.data, forged.size);
        const bool restored = try_restore(forged.data, forged.size, &report);
        if (restored != (cases[i].text == NULL) || (!restored && strstr(report.text, cases[i].text) == NULL))
            fail_msg("case %zu: \"%s\"", i, report.text);
        tact_bytes_release(&forged);
    }
    tact_bytes_release(&bytes);
    tact_world_release(world);
    tact_shape_release(ball);
}

/* Random changes with right hashes: a message, or a world that can be used. */
static void test_mutated(void **state)
{
    (void)state;
    static const uint64_t special[] = {0,
                                       1,
                                       2,
                                       0xff,
                                       0x7fffffff,
                                       0x80000000,
                                       UINT32_MAX,
                                       UINT64_MAX,
                                       NAN_BITS,
                                       UINT64_C(0x7ff0000000000000),
                                       UINT64_C(0x3ff0000000000000),
                                       UINT64_C(0x0010000000000000)};
    tact_report report;
    tact_bytes bytes = small_world(), recording = small_record(7, 40);
    random_source random = random_seed(17);
    const long rounds = (long)random_case_count(3000, 1000000);
    long restored = 0, rejected = 0, ends[5] = {0};
    for (long round = 0; round < rounds; ++round) {
        bool world = random_chance(&random, 0.5);
        tact_bytes forged = copy_of(world ? &bytes : &recording);
        for (int n = random_between(&random, 1, 3); n > 0; --n) {
            size_t at = random_below(&random, forged.size - 8);
            int size = random_chance(&random, 0.5) ? 4 : random_chance(&random, 0.5) ? 8 : 1;
            uint64_t word = random_chance(&random, 0.7)
                                ? special[random_below(&random, sizeof special / sizeof *special)]
                                : random_below(&random, 40);
            set_word(forged.data + at, word, size);
        }
        reseal(forged.data, forged.size);
        if (world)
            ++*(try_restore(forged.data, forged.size, &report) ? &restored : &rejected);
        else
            ++ends[try_replay(forged.data, forged.size, &report)];
        tact_bytes_release(&forged);
    }
    print_message("%ld restored, %ld rejected; replayed: %ld to the end, %ld truncated, %ld diverged, %ld failed\n",
                  restored, rejected, ends[TACT_REPLAY_END], ends[TACT_REPLAY_TRUNCATED], ends[TACT_REPLAY_DIVERGED],
                  ends[TACT_REPLAY_FAILED]);
    assert_true(restored > rounds / 100 && rejected > rounds / 20 && ends[TACT_REPLAY_DIVERGED] > rounds / 100 &&
                ends[TACT_REPLAY_FAILED] > rounds / 20);
    tact_bytes_release(&recording);
    tact_bytes_release(&bytes);
}

/* Results that differ from the recorded ones. */
static void test_diverged(void **state)
{
    (void)state;
    tact_report report;
    tact_bytes recording = {0};
    static const struct {
        uint32_t type;
        int at, size;
        uint64_t word;
        const char *text;
    } cases[] = {
        {BLOCK_CONTACT, 24, 8, 12345, "contact data differ"}, {BLOCK_CONTACT, 8, 4, 1000, "another pair"},
        {BLOCK_CALL + 19, 4, 8, 1000, "status or count"},     {BLOCK_CALL + 3, 4, 4, 1000, "the call failed"},
        {BLOCK_CALL + 1, 4, 4, 1000, "the new body is"},
    };
    for (uint64_t seed = 8, whole = 0; whole < sizeof cases / sizeof *cases;
         ++seed) { /* find a record with all of these blocks */
        tact_bytes_release(&recording);
        recording = small_record(seed, 80);
        for (whole = 0; whole < sizeof cases / sizeof *cases && block_of(&recording, cases[whole].type, 0) != NULL;)
            ++whole;
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        tact_bytes forged = copy_of(&recording);
        unsigned char *block = block_of(&forged, cases[i].type, 0);
        assert_non_null(block);
        set_word(block + cases[i].at, cases[i].word, cases[i].size);
        reseal(forged.data, forged.size);
        if (try_replay(forged.data, forged.size, &report) != TACT_REPLAY_DIVERGED ||
            strstr(report.text, cases[i].text) == NULL || strstr(report.text, "diverged at call") == NULL)
            fail_msg("case %zu: \"%s\"", i, report.text);
        tact_bytes_release(&forged);
    }
    tact_bytes_release(&recording);
}

/* ---- out of memory, and a sink that fails ---- */

static void test_no_memory(void **state)
{
    (void)state;
    tact_shape *shapes[SHAPE_COUNT];
    make_shapes(shapes, 1, false);
    static world_driver s;
    begin_driver(&s, tact_world_create(NULL), shapes, 9);
    s.passive = true;
    for (int i = 0; i < 40; ++i)
        make_random_call(&s);
    tact_bytes whole = {0};
    assert_int_equal(tact_world_save(s.world, tact_bytes_sink(&whole), NULL, NULL), TACT_OK);
    long saving = 0, restoring = 0;
    for (bool done = false; !done; ++saving) {
        failing_allocator r = {.fail_at = saving + 1};
        tact_report report;
        tact_record_def def = {.allocator = failing_allocator_make(&r)};
        tact_bytes bytes = {.allocator = failing_allocator_make(&r)};
        tact_status status = tact_world_save(s.world, tact_bytes_sink(&bytes), &def, &report);
        done = r.calls < r.fail_at;
        assert_true(done == (status == TACT_OK) && done == (report.text[0] == '\0'));
        tact_bytes_release(&bytes);
        assert_int_equal(r.held, 0);
    }
    for (bool done = false; !done; restoring += 1 + restoring / 30) {
        failing_allocator r = {.fail_at = restoring + 1};
        tact_report report;
        tact_record_def def = {.allocator = failing_allocator_make(&r)};
        tact_world *world = tact_world_restore(whole.data, whole.size, &def, &report);
        done = r.calls < r.fail_at;
        /* a hull does without its tables if memory is out */
        if ((done && world == NULL) || (world == NULL && report.status != TACT_OUT_OF_MEMORY))
            fail_msg("allocation %ld of restoring failed: %s", restoring + 1, report.text);
        tact_world_release(world);
        assert_int_equal(r.held, 0);
    }
    print_message("%ld allocations to save, %ld to restore\n", saving, restoring);
    assert_true(saving > 9 && restoring > 75);
    tact_bytes_release(&whole);
    tact_world_release(s.world);
    release_shapes(shapes);
}

/* If memory runs out the recording stops, the world continues, and what was written can be replayed. */
static void test_record_without_memory(void **state)
{
    (void)state;
    tact_shape *shapes[SHAPE_COUNT];
    make_shapes(shapes, 1, false);
    uint64_t hash = 0;
    long begun = 0, failed = 0, steps = 0;
    for (bool done = false; !done; steps += 1 + steps / 8) {
        static world_driver s;
        failing_allocator r = {.fail_at = steps + 1};
        tact_report report;
        tact_bytes recording = {0};
        tact_world *world = tact_world_create(NULL);
        tact_record *record = tact_record_begin(world, tact_bytes_sink(&recording),
                                                &(tact_record_def){.allocator = failing_allocator_make(&r)}, &report);
        assert_true(record != NULL || report.status == TACT_OUT_OF_MEMORY);
        begin_driver(&s, world, shapes, 10);
        for (int i = 0; i < 60; ++i)
            make_random_call(&s);
        hash = hash == 0 ? s.hash : hash;
        assert_true(s.hash == hash);
        done = r.calls < r.fail_at;
        if (record != NULL) {
            ++begun;
            tact_status status = tact_record_end(record, &report);
            assert_int_equal(status, done ? TACT_OK : TACT_OUT_OF_MEMORY);
            failed += !done;
            tact_replay *replay = tact_replay_begin(recording.data, recording.size, NULL, &report);
            assert_non_null(replay);
            assert_int_equal(tact_replay_run(replay, &report), done ? TACT_REPLAY_END : TACT_REPLAY_TRUNCATED);
            tact_replay_release(replay);
        }
        assert_int_equal(r.held, 0);
        tact_world_release(s.world);
        tact_bytes_release(&recording);
    }
    print_message("%ld records begun, %ld of them stopped\n", begun, failed);
    assert_true(begun > 2 && failed > 0);
    release_shapes(shapes);
}

static void test_replay_without_memory(void **state)
{
    (void)state;
    tact_bytes recording = small_record(11, 60);
    long steps = 0, within = 0;
    for (bool done = false; !done; steps += 1 + steps / 60) {
        failing_allocator r = {.fail_at = steps + 1};
        tact_report report;
        tact_record_def def = {.allocator = failing_allocator_make(&r)};
        tact_replay *replay = tact_replay_begin(recording.data, recording.size, &def, &report);
        tact_replay_state end = replay != NULL ? tact_replay_run(replay, &report) : TACT_REPLAY_FAILED;
        done = r.calls < r.fail_at;
        if (end != TACT_REPLAY_END && (end != TACT_REPLAY_FAILED || report.status != TACT_OUT_OF_MEMORY))
            fail_msg("allocation %ld failed: %d %s", steps + 1, (int)end, report.text);
        assert_true(!done || end == TACT_REPLAY_END);
        within += replay != NULL && !done;
        tact_replay_release(replay);
        assert_int_equal(r.held, 0);
    }
    print_message("%ld allocations, %ld failed within calls\n", steps, within);
    assert_true(within > 10);
    tact_bytes_release(&recording);
}

/* A torus that touches boxes in many places, and a distant body whose class is the number of deformations. */
typedef struct deformed_world {
    random_source random;
    tact_world *world;
    tact_body deformable, far;
    bool pending; /* the next contact callback deforms the torus */
} deformed_world;

static void deform_torus(deformed_world *s)
{
    tact_vec3 v[12 * 8];
    for (int k = 0; k < 12 * 8; ++k)
        v[k] = tact_vec(random_range(&s->random, -2, 2), random_range(&s->random, -2, 2), random_unit(&s->random));
    assert_int_equal(tact_body_deform(s->world, s->deformable, (tact_vertices){v, 12 * 8, 0, TACT_SCALAR_DOUBLE}),
                     TACT_OK);
}

/* Gives half of the faces other vertices. */
static void remesh_torus(deformed_world *s)
{
    enum { FACES = 2 * 12 * 8 };
    uint32_t faces[FACES / 2], indices[FACES / 2][3];
    for (uint32_t i = 0; i < FACES / 2; ++i) {
        faces[i] = 2 * i;
        for (int k = 0; k < 3; ++k)
            indices[i][k] = (uint32_t)(random_below(&s->random, 4 * 8) + 4 * 8 * (uint64_t)k);
    }
    assert_int_equal(tact_body_change_faces(s->world, s->deformable, faces, (const uint32_t(*)[3])indices, FACES / 2),
                     TACT_OK);
}

static void deform_if_pending(void *context, const tact_contact *c)
{
    deformed_world *s = context;
    (void)c;
    if (!s->pending)
        return;
    s->pending = false;
    deform_torus(s);
    uint32_t number = tact_body_get_class(s->world, s->far) + 1;
    assert_int_equal(tact_body_set_class(s->world, s->far, number), TACT_OK);
}

typedef enum degrading { DEFORM_BEFORE_TEST, DEFORM_IN_CALLBACK, REMESH_BEFORE_TEST, DEGRADINGS } degrading;

/* The torus is deformed or remeshed until its tree is degraded and rebuilt. */
static tact_bytes degrading_record(degrading how)
{
    enum { DEFORMATIONS = 12 };
    tact_bytes recording = {0};
    tact_shape *ring = torus(12, 8, false, false, 0.0), *box = tact_box(1, 1, 1);
    deformed_world s = {.random = random_seed(12), .world = tact_world_create(NULL)};
    assert_int_equal(tact_world_set_contact_callback(
                         s.world, (tact_response){.want = TACT_WITNESS, .callback = deform_if_pending, .context = &s}),
                     TACT_OK);
    s.deformable = tact_body_create(s.world, &(tact_body_def){.shape = ring, .deformable = true});
    for (int i = 0; i < 4; ++i)
        (void)tact_body_create(s.world, &(tact_body_def){.shape = box, .transform = tact_at(i - 1.5, 0.3 * i, 0)});
    s.far = tact_body_create(s.world, &(tact_body_def){.shape = box, .transform = tact_at(1000, 0, 0)});
    tact_record *record = tact_record_begin(s.world, tact_bytes_sink(&recording), NULL, NULL);
    for (int i = 0; i < DEFORMATIONS; ++i) {
        s.pending = how == DEFORM_IN_CALLBACK;
        if (how == DEFORM_BEFORE_TEST)
            deform_torus(&s);
        if (how == REMESH_BEFORE_TEST)
            remesh_torus(&s);
        assert_true(tact_world_test(s.world).count > 0 && !s.pending);
    }
    assert_int_equal(tact_record_end(record, NULL), TACT_OK);
    tact_world_release(s.world);
    tact_shape_release(ring);
    tact_shape_release(box);
    return recording;
}

/* The replay stops at the call that failed: the report has its number, it is not counted, and of the calls of a contact
 * callback the rest is not made. */
static void check_where(const tact_replay *replay, const tact_report *report, bool in_callbacks)
{
    const char *call = strstr(report->text, "call ");
    const uint64_t count = tact_replay_get_call_count(replay);
    assert_non_null(call);
    if (strtoull(call + 5, NULL, 10) != count + 1)
        fail_msg("%d calls were made, but the report says: %s", (int)count, report->text);
    if (!in_callbacks || strstr(report->text, "rebuild the tree") == NULL)
        return;
    const tact_world *world = tact_replay_get_world(replay);
    uint32_t deformations = 0; /* of completed tests: there are no other calls */
    for (tact_body b = tact_world_next_body(world, (tact_body){0}); tact_body_exists(world, b);
         b = tact_world_next_body(world, b))
        deformations += tact_body_get_class(world, b);
    assert_int_equal(deformations, count);
}

/* Without memory for a new tree a deformed mesh uses the old one, and contacts may differ: the replay fails, it does
 * not diverge. */
static void test_replay_with_a_degraded_tree(void **state)
{
    (void)state;
    long degraded[DEGRADINGS] = {0}, ended = 0, steps = 0;
    for (int variant = 0; variant < 2 * DEGRADINGS; ++variant) {
        const bool every = variant % 2 == 1;
        const degrading how = (degrading)(variant / 2);
        tact_bytes recording = degrading_record(how);
        bool done = false;
        for (long n = 1; !done; ++n, ++steps) {
            failing_allocator r = {.fail_at = every ? 0 : n, .every = every ? n : 0};
            tact_report report;
            tact_record_def def = {.allocator = failing_allocator_make(&r)};
            tact_replay *replay = tact_replay_begin(recording.data, recording.size, &def, &report);
            tact_replay_state end = replay != NULL ? tact_replay_run(replay, &report) : TACT_REPLAY_FAILED;
            done = r.calls < n;
            if (end != TACT_REPLAY_END && (end != TACT_REPLAY_FAILED || report.status != TACT_OUT_OF_MEMORY))
                fail_msg("%s %ld fails: %d %s", every ? "every" : "allocation", n, (int)end, report.text);
            assert_true(!done || end == TACT_REPLAY_END);
            if (replay != NULL && end != TACT_REPLAY_END)
                check_where(replay, &report, how == DEFORM_IN_CALLBACK);
            degraded[how] += strstr(report.text, "rebuild the tree") != NULL;
            ended += end == TACT_REPLAY_END;
            tact_replay_release(replay);
            assert_int_equal(r.held, 0);
        }
        tact_bytes_release(&recording);
    }
    print_message("%ld tries, %ld, %ld and %ld with a degraded tree, %ld to the end\n", steps, degraded[0], degraded[1],
                  degraded[2], ended);
    assert_true(degraded[0] > 5 && degraded[1] > 5 && degraded[2] > 5);
}

/* Tests that ran out of memory are recorded and replayed. */
static void test_failed_tests(void **state)
{
    (void)state;
    tact_shape *shapes[SHAPE_COUNT];
    make_shapes(shapes, 1, false);
    long failed = 0;
    for (long every = 2; every < 9; ++every) {
        static world_driver s;
        failing_allocator r = {0};
        tact_report report;
        tact_bytes recording = {0};
        tact_world_def def = {.allocator = failing_allocator_make(&r)};
        begin_driver(&s, tact_world_create(&def), shapes, (uint64_t)every);
        r.every = every;
        tact_record *record = tact_record_begin(s.world, tact_bytes_sink(&recording), NULL, &report);
        for (int i = 0; i < 150; ++i)
            make_random_call(&s);
        r.every = 0;
        for (int i = 0; i < 50; ++i)
            make_random_call(&s);
        assert_int_equal(tact_record_end(record, &report), TACT_OK);
        failed += block_of(&recording, BLOCK_CALL + 20, 0) != NULL;
        if (try_replay(recording.data, recording.size, &report) != TACT_REPLAY_END)
            fail_msg("every %ld: %s", every, report.text);
        tact_bytes_release(&recording);
        tact_world_release(s.world);
        assert_int_equal(r.held, 0);
    }
    print_message("%ld of 7 with a test that failed\n", failed);
    assert_true(failed > 2);
    release_shapes(shapes);
}

typedef struct limited_sink {
    long writes_left; /* then it fails */
    tact_bytes bytes;
} limited_sink;

static bool limited_write(void *context, const void *bytes, size_t size)
{
    limited_sink *t = context;
    tact_sink sink = tact_bytes_sink(&t->bytes);
    return t->writes_left-- > 0 && sink.write(sink.context, bytes, size);
}

static void test_sink_stops(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(1);
    for (long writes = 0; writes < 20; ++writes) {
        tact_report report;
        limited_sink t = {.writes_left = writes};
        tact_world *world = tact_world_create(NULL);
        tact_body body = tact_body_create(world, &(tact_body_def){.shape = ball});
        tact_record *record = tact_record_begin(world, (tact_sink){limited_write, &t}, NULL, &report);
        assert_true((record != NULL) == (writes >= 5)); /* file header, world, shape, body, state */
        for (int i = 0; i < 4; ++i)
            assert_int_equal(tact_body_set_transform(world, body, tact_at(i, 0, 0)), TACT_OK);
        if (record != NULL) {
            assert_int_equal(tact_record_end(record, &report), writes >= 10 ? TACT_OK : TACT_BAD_ARGUMENT);
            tact_replay *replay = tact_replay_begin(t.bytes.data, t.bytes.size, NULL, &report);
            assert_int_equal(tact_replay_run(replay, &report), writes >= 10 ? TACT_REPLAY_END : TACT_REPLAY_TRUNCATED);
            assert_int_equal(tact_replay_get_call_count(replay), writes >= 9 ? 4 : writes - 5);
            tact_replay_release(replay);
        } else {
            assert_non_null(strstr(report.text, "sink"));
        }
        tact_world_release(world);
        tact_bytes_release(&t.bytes);
    }
    tact_shape_release(ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_truncated_record),
        cmocka_unit_test(test_flipped_bits),
        cmocka_unit_test(test_reordered_blocks),
        cmocka_unit_test(test_forged),
        cmocka_unit_test(test_diverged),
        cmocka_unit_test(test_forged_phases),
        cmocka_unit_test(test_mutated),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_record_without_memory),
        cmocka_unit_test(test_replay_without_memory),
        cmocka_unit_test(test_replay_with_a_degraded_tree),
        cmocka_unit_test(test_failed_tests),
        cmocka_unit_test(test_sink_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
