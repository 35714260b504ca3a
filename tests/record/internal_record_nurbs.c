/*
 * Worlds with NURBS bodies, saved and restored, recorded and replayed: rigid and deformable ones, with and without
 * weights, of one and of several surfaces. Control points move a little, so that only vertices move, or far, so that
 * the tessellation gets other cells.
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
#include "record/blocks.h"
#include "support/digest.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "world/world_internal.h"

/* ---- shapes ---- */

enum { SHAPES = 6, MOST_BODIES = 8, MOST_POINTS = 64 };

/* A quarter of a cylinder, rational, with two trimming loops: a triangle, and two arcs that bound a hole in it. */
static tact_shape *arch(const tact_allocator *allocator)
{
    static const double outline_knots[6] = {0, 0, 1, 2, 3, 3}, arc_knots[6] = {0, 0, 0, 1, 1, 1};
    static const double outline[4][2] = {{0.1, 0.1}, {0.9, 0.1}, {0.5, 0.9}, {0.1, 0.1}}, arc_weights[3] = {1, 0.5, 1};
    static const double arcs[2][3][2] = {{{0.4, 0.3}, {0.5, 0.1}, {0.6, 0.3}}, {{0.6, 0.3}, {0.5, 0.5}, {0.4, 0.3}}};
    static const tact_nurbs_curve triangle = {1, 4, outline_knots, outline, NULL};
    static const tact_nurbs_curve hole[2] = {{2, 3, arc_knots, arcs[0], arc_weights}, {2, 3, arc_knots, arcs[1], NULL}};
    static const tact_nurbs_loop loops[2] = {{&triangle, 1}, {hole, 2}};
    static const double ku[6] = {0, 0, 0, 1, 1, 1}, kv[4] = {0, 0, 1, 1};
    static const tact_vec3 p[6] = {{1, 0, 0}, {1, 0, 1}, {1, 1, 0}, {1, 1, 1}, {0, 1, 0}, {0, 1, 1}};
    const double h = sqrt(0.5), w[6] = {1, 1, h, h, 1, 1};
    return tact_nurbs(&(tact_nurbs_def){.degree = {2, 1},
                                        .counts = {3, 2},
                                        .knots = {ku, kv},
                                        .points = p,
                                        .weights = w,
                                        .trims = loops,
                                        .trim_count = 2,
                                        .tolerance = 0.05,
                                        .allocator = allocator != NULL ? *allocator : (tact_allocator){0}});
}

/* A wavy sheet of degrees 3 and 2 with a repeated knot and a margin. */
static tact_shape *sheet(void)
{
    static const double ku[10] = {0, 0, 0, 0, 0.25, 0.5, 1, 1, 1, 1}, kv[8] = {0, 0, 0, 1, 1, 2, 2, 2};
    tact_vec3 p[30];
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 5; ++k)
            p[5 * i + k] = tact_vec(0.4 * i - 1, 0.3 * sin(2.0 * i + k), 0.5 * k - 1);
    return tact_nurbs(&(tact_nurbs_def){
        .degree = {3, 2}, .counts = {6, 5}, .knots = {ku, kv}, .points = p, .tolerance = 0.15, .margin = 0.02});
}

/* A solid cube of six bilinear surfaces, joined at their edges, one of which has a name; one surface has weights that
 * are all equal. */
static tact_shape *cube(void)
{
    static const double knots[4] = {0, 0, 1, 1}, equal[4] = {2, 2, 2, 2};
    static const tact_vec3 corners[6][3] = {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}, {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}},
                                            {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}},
                                            {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}};
    static const tact_nurbs_edge edge = {{0, 2}, {0, 0}, {1, 2}}; /* x = z = 1 */
    tact_nurbs_def defs[6];
    tact_vec3 p[6][4];
    for (int f = 0; f < 6; ++f) {
        for (int i = 0; i < 4; ++i) {
            const tact_vec3 o = corners[f][0], a = corners[f][1], b = corners[f][2];
            const double u = i / 2, v = i % 2;
            p[f][i] = tact_vec(o.x + u * a.x + v * b.x, o.y + u * a.y + v * b.y, o.z + u * a.z + v * b.z);
        }
        defs[f] = (tact_nurbs_def){.degree = {1, 1},
                                   .counts = {2, 2},
                                   .knots = {knots, knots},
                                   .points = p[f],
                                   .weights = f == 3 ? equal : NULL,
                                   .tolerance = 0.05,
                                   .solid = true};
    }
    defs[0].edges = &edge;
    defs[0].edge_count = 1;
    return tact_nurbs_create(defs, 6, NULL);
}

static void make_shapes(tact_shape *shapes[SHAPES])
{
    shapes[0] = arch(NULL);
    shapes[1] = sheet();
    shapes[2] = cube();
    shapes[3] = tact_rounded(shapes[0], 0.1);
    const tact_shape *parts[2] = {shapes[2], shapes[1]};
    const tact_transform at[2] = {tact_identity(), tact_at(0, 1.5, 0)};
    shapes[4] = tact_compound(parts, at, 2);
    shapes[5] = tact_sphere(0.5);
    for (int i = 0; i < SHAPES; ++i)
        assert_non_null(shapes[i]);
}

static void release_shapes(tact_shape *shapes[SHAPES])
{
    for (int i = 0; i < SHAPES; ++i)
        tact_shape_release(shapes[i]);
}

/* ---- a world that gets random calls ---- */

typedef struct nurbs_driver {
    tact_world *world;
    tact_shape **shapes;
    random_source random;
    tact_body bodies[MOST_BODIES];
    uint64_t hash; /* of all results */
    long contacts, moves, refinements, refused;
} nurbs_driver;

static void digest_double(nurbs_driver *s, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    s->hash = digest_add(s->hash, bits);
}

static void digest_vec(nurbs_driver *s, tact_vec3 v)
{
    digest_double(s, v.x);
    digest_double(s, v.y);
    digest_double(s, v.z);
}

static void on_contact(void *context, const tact_contact *c)
{
    nurbs_driver *s = context;
    ++s->contacts;
    s->hash = digest_add(s->hash, (uint64_t)c->a.index << 40 | (uint64_t)c->b.index << 8 | (uint64_t)c->status);
    s->hash = digest_add(s->hash, (uint64_t)c->part_a.face << 32 | c->part_b.face);
    digest_vec(s, c->point);
    digest_vec(s, c->on_a);
    digest_vec(s, c->on_b);
    digest_vec(s, c->normal);
    digest_double(s, c->depth);
    for (int i = 0; c->manifold != NULL && i < c->manifold->count; ++i)
        digest_vec(s, c->manifold->points[i].on_a);
}

static tact_body_def random_def(nurbs_driver *s)
{
    random_source *r = &s->random;
    tact_body_def def = {.shape = s->shapes[random_below(r, SHAPES)]};
    const double x = random_range(r, -2.5, 2.5), y = random_range(r, -2.5, 2.5);
    def.transform = tact_transform_make(tact_vec(x, y, 0), random_rotation(r), tact_vec(1, 1, -1));
    def.rotation_invariant_bounds = random_chance(r, 0.2);
    def.deformable = tact_shape_get_type(def.shape) == TACT_NURBS && random_chance(r, 0.7);
    return def;
}

static tact_status move_points(nurbs_driver *s, tact_body body)
{
    random_source *r = &s->random;
    tact_vec3 points[MOST_POINTS];
    const size_t count = tact_body_get_control_points(s->world, body, points, MOST_POINTS);
    assert_true(count <= MOST_POINTS);
    if (count == 0)
        return TACT_BAD_ARGUMENT;
    const size_t first = (size_t)random_below(r, count), some = 1 + (size_t)random_below(r, count - first);
    const double far = random_chance(r, 0.5) ? 0.01 : random_chance(r, 0.1) ? 1e160 : 0.6;
    for (size_t i = first; i < first + some; ++i) {
        points[i].x += random_range(r, -far, far);
        points[i].y += random_range(r, -far, far);
    }
    const size_t before = tact_body_get_vertices(s->world, body, NULL, 0);
    const tact_status status = tact_body_move_control_points(s->world, body, first, some, points + first);
    s->moves += status == TACT_OK;
    s->refinements += status == TACT_OK && before != tact_body_get_vertices(s->world, body, NULL, 0);
    return status;
}

static void make_random_call(nurbs_driver *s)
{
    random_source *r = &s->random;
    tact_body *body = &s->bodies[random_below(r, MOST_BODIES)];
    const tact_body_def def = random_def(s);
    tact_status status = TACT_OK;
    switch (random_below(r, 10)) {
    case 0:
        (void)tact_body_remove(s->world, *body);
        *body = tact_body_create(s->world, &def);
        break;
    case 1:
        status = tact_body_set_transform(s->world, *body, def.transform);
        break;
    case 2:
        status = random_chance(r, 0.3) ? tact_body_set_shape(s->world, *body, def.shape) : TACT_OK;
        break;
    case 3:
        status = tact_body_make_deformable(s->world, *body);
        break;
    case 4:
        status = tact_world_store_previous(s->world);
        break;
    case 5: {
        const tact_count result = tact_world_test(s->world);
        status = result.status;
        s->hash = digest_add(s->hash, result.count);
        break;
    }
    default:
        status = move_points(s, *body);
        break;
    }
    s->refused += status != TACT_OK;
    s->hash = digest_add(s->hash, (uint64_t)status);
}

static void set_callback(nurbs_driver *s, uint64_t seed)
{
    static const tact_want wants[4] = {TACT_WITNESS, TACT_PREVIOUS, TACT_CONTACTS, TACT_INTERSECTIONS};
    const tact_response response = {.want = wants[seed % 4], .callback = on_contact, .context = s};
    assert_int_equal(tact_world_set_contact_callback(s->world, response), TACT_OK);
}

static void begin_driver(nurbs_driver *s, tact_shape **shapes, uint64_t seed)
{
    *s = (nurbs_driver){.world = tact_world_create(NULL), .shapes = shapes, .random = random_seed(seed)};
    set_callback(s, seed);
    for (int i = 0; i < MOST_BODIES; ++i) {
        const tact_body_def def = random_def(s);
        s->bodies[i] = tact_body_create(s->world, &def);
    }
}

/* Everything that a world shows of its bodies, and what later results depend on. */
static uint64_t digest_of_bodies(const nurbs_driver *s)
{
    nurbs_driver d = {.hash = 0};
    for (int i = 0; i < MOST_BODIES; ++i) {
        static tact_vec3 vertices[100000];
        const size_t points = tact_body_get_control_points(s->world, s->bodies[i], vertices, MOST_POINTS);
        for (size_t k = 0; k < points; ++k)
            digest_vec(&d, vertices[k]);
        const size_t count = tact_body_get_vertices(s->world, s->bodies[i], vertices, 100000);
        assert_true(count <= 100000);
        for (size_t k = 0; k < count; ++k)
            digest_vec(&d, vertices[k]);
        const world_body *hot = body_find(s->world, s->bodies[i]);
        if (hot == NULL)
            continue;
        const tact_shape *previous = s->world->cold.items[s->bodies[i].index].previous_shape;
        digest_double(&d, hot->shape->surface_error);
        digest_double(&d, previous->surface_error);
        d.hash = digest_add(d.hash, (uint64_t)tact_shape_get_type(hot->shape) << 8 | tact_shape_get_type(previous));
    }
    return d.hash;
}

/* ---- saving ---- */

static tact_bytes save_or_die(const tact_world *world)
{
    tact_bytes bytes = {0};
    tact_report report;
    if (tact_world_save(world, tact_bytes_sink(&bytes), NULL, &report) != TACT_OK)
        fail_msg("%s", report.text);
    return bytes;
}

/* Compares the trimming loops of two surfaces and counts their curves. */
static size_t check_trims(const tact_nurbs_def *a, const tact_nurbs_def *b)
{
    size_t curves = 0;
    assert_int_equal(a->trim_count, b->trim_count);
    for (size_t i = 0; i < a->trim_count; ++i) {
        assert_int_equal(a->trims[i].curve_count, b->trims[i].curve_count);
        for (size_t k = 0; k < a->trims[i].curve_count; ++k, ++curves) {
            const tact_nurbs_curve *c = &a->trims[i].curves[k], *d = &b->trims[i].curves[k];
            assert_int_equal(c->degree, d->degree);
            assert_int_equal(c->count, d->count);
            assert_memory_equal(c->knots, d->knots, (c->count + (size_t)c->degree + 1) * sizeof *c->knots);
            assert_memory_equal(c->points, d->points, c->count * sizeof *c->points);
            assert_int_equal(c->weights != NULL, d->weights != NULL);
            assert_int_equal(c->weights != NULL, i == 1 && k == 0);
            if (c->weights != NULL)
                assert_memory_equal(c->weights, d->weights, c->count * sizeof *c->weights);
        }
    }
    return curves;
}

/* A rigid shape is restored with the same surfaces, triangles and bytes. */
static void shapes_are_restored(void **state)
{
    (void)state;
    tact_shape *shapes[SHAPES];
    make_shapes(shapes);
    tact_world *world = tact_world_create(NULL);
    for (int i = 0; i < SHAPES; ++i)
        (void)tact_body_create(world, &(tact_body_def){.shape = shapes[i]});
    tact_bytes bytes = save_or_die(world);
    tact_world *again = tact_world_restore(bytes.data, bytes.size, NULL, NULL);
    assert_non_null(again);
    for (int i = 0; i < SHAPES; ++i) {
        const tact_shape *one = shapes[i], *other = again->bodies.items[i].shape;
        assert_int_equal(tact_shape_get_type(one), tact_shape_get_type(other));
        const tact_mesh_size m = tact_mesh_get_size(one), n = tact_mesh_get_size(other);
        assert_memory_equal(&m, &n, sizeof m);
        const size_t count = tact_nurbs_get_surface_count(one);
        assert_int_equal(count, tact_nurbs_get_surface_count(other));
        assert_true(tact_nurbs_get_error(one) == tact_nurbs_get_error(other));
        assert_int_equal(count > 0, tact_shape_get_type(one) == TACT_NURBS);
        tact_nurbs_edge edges[2][1] = {0};
        assert_int_equal(tact_nurbs_get_edges(one, edges[0], 1), i == 2 ? 1 : 0);
        assert_int_equal(tact_nurbs_get_edges(other, edges[1], 1), i == 2 ? 1 : 0);
        assert_memory_equal(edges[0], edges[1], sizeof edges[0]);
        for (size_t k = 0; k < count; ++k) {
            tact_nurbs_def a, b;
            assert_int_equal(tact_nurbs_get_surface(one, k, &a), TACT_OK);
            assert_int_equal(tact_nurbs_get_surface(other, k, &b), TACT_OK);
            assert_memory_equal(a.degree, b.degree, sizeof a.degree);
            assert_memory_equal(a.counts, b.counts, sizeof a.counts);
            const size_t points = a.counts[0] * a.counts[1];
            for (int d = 0; d < 2; ++d)
                assert_memory_equal(a.knots[d], b.knots[d],
                                    (a.counts[d] + (size_t)a.degree[d] + 1) * sizeof *a.knots[d]);
            assert_memory_equal(a.points, b.points, points * sizeof *a.points);
            assert_int_equal(a.weights != NULL, i == 0 || i == 3);
            assert_int_equal(a.weights != NULL, b.weights != NULL);
            if (a.weights != NULL)
                assert_memory_equal(a.weights, b.weights, points * sizeof *a.weights);
            assert_int_equal(check_trims(&a, &b), i == 0 || i == 3 ? 3 : 0);
            assert_true(a.tolerance == b.tolerance && a.solid == b.solid && a.margin == b.margin &&
                        a.solid == (i == 2));
        }
        tact_nurbs_def unused = {0};
        assert_int_equal(tact_nurbs_get_surface(one, count, &unused), TACT_BAD_ARGUMENT);
    }
    tact_bytes twice = save_or_die(again);
    assert_int_equal(bytes.size, twice.size);
    assert_memory_equal(bytes.data, twice.data, bytes.size);
    assert_int_equal(tact_nurbs_get_surface_count(NULL), 0);
    assert_true(tact_nurbs_get_error(NULL) == 0.0);
    tact_world_release(world);
    tact_world_release(again);
    tact_bytes_release(&bytes);
    tact_bytes_release(&twice);
    release_shapes(shapes);
}

static void a_restored_world_continues(void **state)
{
    (void)state;
    tact_shape *shapes[SHAPES];
    long contacts = 0, moves = 0, refinements = 0, refused = 0;
    make_shapes(shapes);
    for (uint64_t seed = first_seed(); seed <= last_seed(4); ++seed) {
        static nurbs_driver one, other;
        begin_driver(&one, shapes, seed);
        for (int round = 0; round < 2; ++round) {
            for (int i = 0; i < 30; ++i)
                make_random_call(&one);
            /* without pointers, so that the bytes of both can be compared */
            assert_int_equal(tact_world_set_contact_callback(one.world, (tact_response){0}), TACT_OK);
            tact_bytes bytes = save_or_die(one.world);
            tact_report report;
            other = one;
            other.world = tact_world_restore(bytes.data, bytes.size, NULL, &report);
            CHECK(other.world != NULL, "round %d: %s", round, report.text);
            CHECK(digest_of_bodies(&one) == digest_of_bodies(&other), "round %d: the bodies differ", round);
            tact_bytes twice = save_or_die(other.world);
            CHECK(bytes.size == twice.size && memcmp(bytes.data, twice.data, bytes.size) == 0,
                  "round %d: saved again, the bytes differ", round);
            set_callback(&one, seed + (uint64_t)round);
            set_callback(&other, seed + (uint64_t)round);
            for (int i = 0; i < 30; ++i) {
                make_random_call(&one);
                make_random_call(&other);
                CHECK(one.hash == other.hash && (i % 8 > 0 || digest_of_bodies(&one) == digest_of_bodies(&other)),
                      "round %d call %d: the worlds differ", round, i);
            }
            tact_world_release(other.world);
            tact_bytes_release(&bytes);
            tact_bytes_release(&twice);
        }
        contacts += one.contacts;
        moves += one.moves;
        refinements += one.refinements;
        refused += one.refused;
        tact_world_release(one.world);
    }
    print_message("%ld contacts, %ld moves, %ld with other cells, %ld calls refused\n", contacts, moves, refinements,
                  refused);
    if (!few_cases())
        assert_true(contacts > 100 && moves > 35 && refinements > 9 && refused > 40);
    release_shapes(shapes);
}

static void a_recording_replays_the_same_contacts(void **state)
{
    (void)state;
    tact_shape *shapes[SHAPES];
    long contacts = 0, refinements = 0;
    make_shapes(shapes);
    for (uint64_t seed = first_seed(); seed <= last_seed(4); ++seed) {
        static nurbs_driver s, again;
        tact_report report = {TACT_OK, ""};
        tact_bytes recording = {0};
        begin_driver(&s, shapes, seed);
        for (int i = 0; i < (int)(seed % 3) * 20; ++i)
            make_random_call(&s);
        tact_record *record = tact_record_begin(s.world, tact_bytes_sink(&recording), NULL, &report);
        CHECK(record != NULL, "%s", report.text);
        for (int i = 0; i < 40; ++i)
            make_random_call(&s);
        CHECK(tact_record_end(record, &report) == TACT_OK, "%s", report.text);
        tact_replay *replay = tact_replay_begin(recording.data, recording.size, NULL, &report);
        CHECK(replay != NULL, "%s", report.text);
        CHECK(tact_replay_run(replay, &report) == TACT_REPLAY_END, "%s", report.text);
        again = s;
        again.world = tact_replay_take_world(replay);
        CHECK(digest_of_bodies(&s) == digest_of_bodies(&again), "the bodies differ");
        tact_world_release(again.world);
        tact_bytes_release(&recording);
        contacts += s.contacts;
        refinements += s.refinements;
        tact_world_release(s.world);
    }
    print_message("%ld contacts, %ld moves with other cells\n", contacts, refinements);
    if (!few_cases())
        assert_true(contacts > 45 && refinements > 1);
    release_shapes(shapes);
}

/* ---- damage ---- */

/* A small world with a rigid and a deformed NURBS body, whose cells have changed; saved and recorded. False if memory
 * ran out. */
static bool make_small(tact_bytes *saved, tact_bytes *recording, const tact_allocator *allocator)
{
    const tact_allocator memory = allocator != NULL ? *allocator : (tact_allocator){0};
    const tact_record_def def = {.allocator = memory};
    tact_world *world = tact_world_create(&(tact_world_def){.allocator = memory});
    tact_shape *shape = arch(&memory);
    bool fine = world != NULL && shape != NULL;
    tact_record *record = fine ? tact_record_begin(world, tact_bytes_sink(recording), &def, NULL) : NULL;
    if (fine) {
        const tact_vec3 moved[2] = {{3, 1, 0}, {3, 1.5, 1}};
        (void)tact_body_create(world, &(tact_body_def){.shape = shape});
        const tact_body body = tact_body_create(world, &(tact_body_def){.shape = shape, .deformable = true});
        fine = record != NULL && tact_body_exists(world, body) &&
               tact_body_move_control_points(world, body, 2, 1, moved) == TACT_OK &&
               tact_world_store_previous(world) == TACT_OK &&
               tact_body_move_control_points(world, body, 3, 1, moved + 1) == TACT_OK &&
               tact_world_test(world).status == TACT_OK &&
               tact_world_save(world, tact_bytes_sink(saved), &def, NULL) == TACT_OK;
    }
    if (record != NULL && tact_record_end(record, NULL) != TACT_OK)
        fine = false;
    tact_world_release(world);
    tact_shape_release(shape);
    return fine;
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

/* Restores and uses bytes that may be damaged. Returns whether they were accepted. */
static bool try_restore(const unsigned char *data, size_t size, tact_report *report)
{
    failing_allocator memory = {0};
    const tact_record_def def = {.allocator = failing_allocator_make(&memory)};
    *report = (tact_report){TACT_OK, ""};
    tact_world *world = tact_world_restore(data, size, &def, report);
    assert_int_equal(world == NULL, report->text[0] != '\0');
    if (world != NULL)
        (void)tact_world_test(world);
    tact_world_release(world);
    assert_int_equal(memory.held, 0);
    return world != NULL;
}

/* Each number of each block of a shape or body is changed, with right hashes. */
static void forged_bytes_are_rejected_or_usable(void **state)
{
    (void)state;
    static const uint64_t words[] = {0,
                                     1,
                                     UINT64_MAX,
                                     0x7ff8000000000000,
                                     0x3ff0000000000000,
                                     0xbff0000000000000,
                                     0x7fe0000000000000,
                                     0x00000000ffffffff};
    long rejected = 0, accepted = 0, inconsistent = 0;
    tact_bytes saved = {0}, recording = {0};
    assert_true(make_small(&saved, &recording, NULL));
    tact_report report;
    assert_true(try_restore(saved.data, saved.size, &report));
    unsigned char *copy = malloc(saved.size);
    assert_non_null(copy);
    random_source random = random_seed(7);
    for (size_t block = 16; block + 20 <= saved.size; block += 20 + (size_t)load_le64(saved.data + block + 4)) {
        const size_t length = (size_t)load_le64(saved.data + block + 4);
        const uint32_t type = load_le32(saved.data + block);
        if (type != BLOCK_SHAPE && type != BLOCK_BODY)
            continue;
        const bool nurbs = type == BLOCK_SHAPE && load_le32(saved.data + block + 12) == TACT_NURBS;
        const size_t step = nurbs || type == BLOCK_BODY ? 1 : 1 + length / 1200;
        for (size_t at = 0; at + 4 <= length; at += 4 * (1 + (size_t)random_below(&random, 2 * step))) {
            const uint64_t word = words[(size_t)random_below(&random, sizeof words / sizeof *words)];
            memcpy(copy, saved.data, saved.size);
            if (at + 8 <= length && random_chance(&random, 0.5))
                (void)store_le64(copy + block + 12 + at, word);
            else
                (void)store_le32(copy + block + 12 + at, (uint32_t)word);
            reseal(copy, saved.size);
            if (try_restore(copy, saved.size, &report))
                ++accepted;
            else
                ++rejected;
            inconsistent += strstr(report.text, "control points") != NULL;
        }
    }
    print_message("%ld rejected, %ld accepted, %ld meshes not those of their control points\n", rejected, accepted,
                  inconsistent);
    assert_true(rejected > 200 && accepted > 20 && inconsistent > 10);
    free(copy);
    tact_bytes_release(&saved);
    tact_bytes_release(&recording);
}

/* A sheet with feature events that is moving through a triangle and through itself, in a piece whose cells have been
 * divided: saved. */
static void save_moving(tact_bytes *saved)
{
    static const double knots[6] = {0, 0, 0, 1, 1, 1};
    tact_vec3 points[9], targets[9];
    for (int i = 0; i < 9; i++) {
        points[i] = (tact_vec3){i / 3, i % 3, 0};
        targets[i] = (tact_vec3){0.7 * (i / 3), i % 3, i / 3 == 1 ? 3.0 : 0.5};
    }
    tact_world *world = tact_world_create(NULL);
    tact_shape *sheet = tact_nurbs(&(tact_nurbs_def){
                   .degree = {2, 2}, .counts = {3, 3}, .knots = {knots, knots}, .points = points, .tolerance = 0.3}),
               *triangle = tact_mesh((const tact_vec3[]){{0.5, 0.5, 0.7}, {0.4, 1.5, 2.0}, {1.6, 1.1, 2.0}}, 3,
                                     (const uint32_t[]){0, 1, 2}, 1);
    const tact_body body =
        tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true, .self_collision = true});
    (void)tact_body_create(world, &(tact_body_def){.shape = triangle});
    assert_int_equal(tact_body_set_feature_events(world, body, true), TACT_OK);
    int features = 0;
    tact_event e;
    for (int part = 1; part <= 2; part++) {
        assert_int_equal(
            tact_body_set_vertex_motion(world, body, &(tact_vertex_motion){.targets = targets, .end_time = part}),
            TACT_OK);
        while (tact_world_next_event(world, part - 0.3, &e) != TACT_EVENT_NONE)
            features += e.kind == TACT_EVENT_FEATURES;
        for (int i = 0; i < 9; i++)
            targets[i].z *= 1.5;
    }
    assert_true(features > 0);
    assert_int_equal(tact_world_save(world, tact_bytes_sink(saved), NULL, NULL), TACT_OK);
    tact_shape_release(sheet);
    tact_shape_release(triangle);
    tact_world_release(world);
}

/* The numbers of the blocks of moving surfaces and their pairs, likewise. */
static void forged_motions_are_rejected_or_usable(void **state)
{
    (void)state;
    static const uint64_t words[] = {0, 1, UINT64_MAX, 0x7ff0000000000000, 0x3ff0000000000000, 0x0101010101010101};
    long rejected = 0, accepted = 0, surfaces = 0;
    tact_bytes saved = {0};
    save_moving(&saved);
    unsigned char *copy = malloc(saved.size);
    assert_non_null(copy);
    random_source random = random_seed(8);
    for (size_t block = 16; block + 20 <= saved.size; block += 20 + (size_t)load_le64(saved.data + block + 4)) {
        const size_t length = (size_t)load_le64(saved.data + block + 4);
        const uint32_t type = load_le32(saved.data + block);
        surfaces += type == BLOCK_SURFACE;
        for (size_t at = 0; (type == BLOCK_SURFACE || type == BLOCK_DEFORMING_PAIR) && at < length; at += 4) {
            const uint64_t word = words[(size_t)random_below(&random, sizeof words / sizeof *words)];
            memcpy(copy, saved.data, saved.size);
            if (at + 8 <= length && random_chance(&random, 0.5))
                (void)store_le64(copy + block + 12 + at, word);
            else if (at + 4 <= length)
                (void)store_le32(copy + block + 12 + at, (uint32_t)word);
            else
                copy[block + 12 + at] ^= 1;
            reseal(copy, saved.size);
            failing_allocator memory = {0};
            const tact_record_def def = {.allocator = failing_allocator_make(&memory)};
            tact_report report;
            tact_world *world = tact_world_restore(copy, saved.size, &def, &report);
            tact_event e = {.time = 0.0};
            for (int i = 0; world != NULL && i < 1000; i++)
                if (tact_world_next_event(world, 3.0, &e) == TACT_EVENT_NONE)
                    break;
            accepted += world != NULL;
            rejected += world == NULL;
            tact_world_release(world);
            assert_int_equal(memory.held, 0);
        }
    }
    print_message("%ld rejected, %ld accepted\n", rejected, accepted);
    assert_int_equal(surfaces, 1);
    assert_true(rejected > 20 && accepted > 20);
    free(copy);
    tact_bytes_release(&saved);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    tact_bytes saved = {0}, recording = {0};
    assert_true(make_small(&saved, &recording, NULL));
    long failures = 0;
    for (long at = 1, ended = 0; !ended; ++at) {
        failing_allocator memory = {.fail_at = at};
        const tact_record_def def = {.allocator = failing_allocator_make(&memory)};
        tact_report report = {TACT_OK, ""};
        tact_world *world = tact_world_restore(saved.data, saved.size, &def, &report);
        ended = world != NULL;
        failures += world == NULL;
        if (world == NULL)
            assert_int_equal(report.status, TACT_OUT_OF_MEMORY);
        tact_world_release(world);
        assert_int_equal(memory.held, 0);
    }
    assert_true(failures > 50);
    for (long at = 1, ended = 0; !ended; ++at) {
        failing_allocator memory = {.fail_at = at};
        const tact_record_def def = {.allocator = failing_allocator_make(&memory)};
        tact_report report = {TACT_OK, ""};
        tact_replay *replay = tact_replay_begin(recording.data, recording.size, &def, &report);
        const tact_replay_state result = replay != NULL ? tact_replay_run(replay, &report) : TACT_REPLAY_FAILED;
        ended = result == TACT_REPLAY_END;
        if (!ended)
            assert_int_equal(report.status, TACT_OUT_OF_MEMORY);
        tact_replay_release(replay);
        assert_int_equal(memory.held, 0);
    }
    for (long at = 1, ended = 0; !ended; ++at) {
        failing_allocator memory = {.fail_at = at};
        const tact_allocator allocator = failing_allocator_make(&memory);
        tact_bytes some = {0}, others = {0};
        (void)make_small(&some, &others, &allocator);
        ended = memory.calls < at;
        tact_bytes_release(&some);
        tact_bytes_release(&others);
        assert_int_equal(memory.held, 0);
    }
    tact_bytes_release(&saved);
    tact_bytes_release(&recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_restored),
        cmocka_unit_test(a_restored_world_continues),
        cmocka_unit_test(a_recording_replays_the_same_contacts),
        cmocka_unit_test(forged_bytes_are_rejected_or_usable),
        cmocka_unit_test(forged_motions_are_rejected_or_usable),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
