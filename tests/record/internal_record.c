/* Save, restore, record and replay: restored worlds behave like the saved ones, and replays give the recorded results.
 */
#include "record/record_world.h"

#include "record/call_blocks.h"
#include "shape/compound.h"
#include "shape/mesh.h"
#include "support/failing_allocator.h"
#include "world/world_internal.h"
#include "world/world_state.h"

/* ---- shapes ---- */

static tact_bytes save_or_die(const tact_world *world, const tact_pointer_map *map)
{
    tact_bytes bytes = {0};
    tact_report report;
    tact_record_def def = {.pointer_map = map};
    if (tact_world_save(world, tact_bytes_sink(&bytes), &def, &report) != TACT_OK)
        fail_msg("%s", report.text);
    return bytes;
}

static tact_world *restore_or_die(const tact_bytes *bytes, const tact_pointer_map *map)
{
    tact_report report;
    tact_record_def def = {.pointer_map = map};
    tact_world *world = tact_world_restore(bytes->data, bytes->size, &def, &report);
    if (world == NULL)
        fail_msg("%s", report.text);
    return world;
}

static bool same_bytes(const tact_bytes *a, const tact_bytes *b)
{
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

static bool same_blocks(const void *a, const void *b, size_t size)
{
    return size == 0 || (a == NULL) == (b == NULL) ? size == 0 || a == NULL || memcmp(a, b, size) == 0 : false;
}

/* Equal in all members, tables included. */
static void assert_same_hull(const hull *a, const hull *b)
{
    assert_int_equal(a->support_method, b->support_method);
    assert_int_equal(a->dimension, b->dimension);
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->face_count, b->face_count);
    assert_int_equal(a->cell_count, b->cell_count);
    assert_int_equal(a->block_total, b->block_total);
    assert_int_equal(a->polar_blocks, b->polar_blocks);
    assert_true(same_blocks(a->vertices, b->vertices, a->vertex_count * sizeof *a->vertices));
    assert_true(same_blocks(a->neighbours, b->neighbours, a->neighbour_total * sizeof *a->neighbours));
    assert_true(
        same_blocks(a->first_neighbour, b->first_neighbour, (a->vertex_count + 1) * sizeof *a->first_neighbour));
    assert_true(same_blocks(a->faces, b->faces, a->face_count * sizeof *a->faces));
    assert_true(same_blocks(a->face_vertices, b->face_vertices, a->face_vertex_total * sizeof *a->face_vertices));
    assert_true(same_blocks(a->cells, b->cells, a->cell_count * sizeof *a->cells));
    assert_true(same_blocks(a->polar_vertices, b->polar_vertices, a->polar_blocks * sizeof *a->polar_vertices));
    assert_memory_equal(a->simd_vertices, b->simd_vertices, sizeof a->simd_vertices);
}

/* Hulls of points that are random, on a grid, in a plane, on a line, on a sphere, rotated, huge, tiny: a restored one
 * equals the saved one. */
static void test_hulls(void **state)
{
    (void)state;
    random_source random = random_seed(11);
    int planar = 0, merged = 0, large = 0, degenerate = 0;
    for (int iteration = 0; iteration < 400; ++iteration) {
        tact_vec3 points[1500];
        int count = iteration % 40 == 5 ? 1500 : random_between(&random, 1, 60), kind = iteration % 8;
        double scale = kind == 6 ? 1e140 : kind == 7 ? 1e-140 : 1.0;
        tact_quat rotation = random_rotation(&random);
        tact_transform at = tact_transform_make(random_direction(&random), rotation, tact_vec(scale, scale, scale));
        for (int i = 0; i < count; ++i) {
            tact_vec3 p =
                tact_vec(random_range(&random, -1, 1), random_range(&random, -1, 1), random_range(&random, -1, 1));
            if (kind == 1 || kind == 4)
                p = tact_vec(rint(3 * p.x), rint(3 * p.y), rint(3 * p.z));
            if (kind == 2)
                p.z = 0.0;
            if (kind == 3)
                p.y = p.z = 0.0;
            if (kind == 5)
                p = random_direction(&random);
            points[i] = kind == 1 ? p : tact_transform_point(at, p);
        }
        tact_shape *shape = tact_hull(points, (size_t)count);
        assert_non_null(shape);
        planar += shape->hull->dimension == 2;
        degenerate += shape->hull->dimension < 2;
        large += shape->hull->support_method == HULL_SUPPORT_OCTAHEDRON_GRID;
        merged += shape->hull->dimension == 3 && shape->hull->face_count < 2 * shape->hull->vertex_count - 4;
        tact_world *world = tact_world_create(NULL);
        tact_body body = tact_body_create(world, &(tact_body_def){.shape = shape});
        tact_bytes bytes = save_or_die(world, NULL);
        tact_world *again = restore_or_die(&bytes, NULL);
        assert_same_hull(shape->hull, tact_body_get_shape(again, body)->hull);
        tact_world_release(again);
        tact_world_release(world);
        tact_bytes_release(&bytes);
        tact_shape_release(shape);
    }
    print_message("%d flat, %d thin, %d large, %d merged\n", planar, degenerate, large, merged);
    assert_true(planar > 40 && degenerate > 40 && large >= 3 && merged > 50);
}

/* Every type of shape gives the same results, bit for bit, after it was restored. Shared shapes stay shared. */
static void test_shapes(void **state)
{
    (void)state;
    tact_shape *shapes[SHAPE_COUNT];
    tact_body bodies[SHAPE_COUNT];
    static world_driver unused_driver;
    tact_pointer_map map = pointer_map_of(&unused_driver);
    make_shapes(shapes, 1, true);
    assert_true(shapes[26]->mesh->overlay.node_count > 1);
    tact_world *world = tact_world_create(NULL);
    for (int i = 0; i < SHAPE_COUNT; ++i)
        bodies[i] = tact_body_create(world, &(tact_body_def){.shape = shapes[i]});
    tact_bytes bytes = save_or_die(world, &map);
    tact_world *again = restore_or_die(&bytes, &map);
    tact_bytes twice = save_or_die(again, &map);
    assert_true(same_bytes(&bytes, &twice));
    random_source random = random_seed(2);
    long hits = 0;
    for (int i = 0; i < SHAPE_COUNT; ++i) {
        const tact_shape *one = tact_body_get_shape(again, bodies[i]);
        assert_int_equal(tact_shape_get_type(one), tact_shape_get_type(shapes[i]));
        tact_mesh_size a = tact_mesh_get_size(one), b = tact_mesh_get_size(shapes[i]);
        assert_int_equal(a.triangles, b.triangles);
        assert_int_equal(a.faces, b.faces);
        for (int k = i; k < SHAPE_COUNT; k += long_form() ? 1 : 3) {
            tact_transform at = tact_transform_make(tact_vec(random_unit(&random), 0.5, random_unit(&random)),
                                                    random_rotation(&random), tact_vec(1, 1, 1));
            const tact_shape *other = tact_body_get_shape(again, bodies[k]);
            tact_penetration before = tact_shapes_penetration(shapes[i], tact_identity(), shapes[k], at);
            tact_penetration after = tact_shapes_penetration(one, tact_identity(), other, at);
            assert_memory_equal(&before.depth, &after.depth, sizeof before.depth);
            assert_memory_equal(&before.on_a, &after.on_a, sizeof before.on_a);
            tact_manifold m = tact_shapes_manifold(shapes[i], tact_identity(), shapes[k], at, 0.1);
            tact_manifold n = tact_shapes_manifold(one, tact_identity(), other, at, 0.1);
            assert_int_equal(m.count, n.count);
            for (int p = 0; p < m.count; ++p)
                assert_memory_equal(&m.points[p], &n.points[p], sizeof m.points[p]);
            hits += before.depth > 0.0;
        }
    }
    assert_true(hits > 40);
    /* shape 24 is a compound with 23 twice; 22 and 18 share their mesh */
    const tact_shape *pair = tact_body_get_shape(again, bodies[24]);
    assert_ptr_equal(pair->compound->parts[0].shape, tact_body_get_shape(again, bodies[23]));
    assert_ptr_equal(pair->compound->parts[1].shape, tact_body_get_shape(again, bodies[23]));
    assert_ptr_equal(tact_body_get_shape(again, bodies[22])->mesh, tact_body_get_shape(again, bodies[18])->mesh);
    tact_world_release(again);
    tact_world_release(world);
    tact_bytes_release(&bytes);
    tact_bytes_release(&twice);
    release_shapes(shapes);
}

/* Shapes nested up to the limit can be restored. */
static void test_nested_shapes(void **state)
{
    (void)state;
    tact_shape *shape = tact_sphere(1);
    int depth = 1;
    for (;;) {
        tact_shape *next;
        if (depth % 2 == 0) {
            tact_shape *rounded = tact_rounded(shape, 0.5);
            const tact_shape *part = rounded;
            tact_transform at = tact_at(0.125, 0, 0);
            next = depth > 20 ? tact_compound(&part, &at, 1) : tact_transformed(rounded, at);
            tact_shape_release(rounded);
        } else {
            const tact_shape *part = shape;
            tact_transform at = tact_at(0, 0.125, 0);
            next = depth > 20 ? tact_compound(&part, &at, 1) : tact_transformed(shape, at);
        }
        if (next == NULL)
            break;
        tact_shape_release(shape);
        shape = next;
        ++depth;
    }
    assert_int_equal(depth, SHAPE_MAX_NESTING);
    tact_world *world = tact_world_create(NULL);
    (void)tact_body_create(world, &(tact_body_def){.shape = shape});
    tact_bytes bytes = save_or_die(world, NULL);
    tact_world *again = restore_or_die(&bytes, NULL);
    tact_bytes twice = save_or_die(again, NULL);
    assert_true(same_bytes(&bytes, &twice));
    tact_world_release(again);
    tact_world_release(world);
    tact_bytes_release(&bytes);
    tact_bytes_release(&twice);
    tact_shape_release(shape);
}

/* ---- save and restore ---- */

/* A restored world behaves like the saved one: random calls to both give the same handles, results and contacts. */
static void test_restored_world_continues(void **state)
{
    (void)state;
    tact_shape *shapes[SHAPE_COUNT];
    long contacts = 0, self_contacts = 0, nested = 0, restored = 0, deformed = 0, persisting = 0, ended = 0, apart = 0;
    make_shapes(shapes, 3, true);
    for (uint64_t seed = 1; seed <= random_case_count(3, 300); ++seed) {
        static world_driver one, other;
        begin_driver(&one, tact_world_create(NULL), shapes, seed);
        tact_pointer_map map = pointer_map_of(&one), other_map = pointer_map_of(&other);
        for (int iteration = 0; iteration < 8; ++iteration) {
            for (int i = 0; i < 60; ++i)
                make_random_call(&one);
            uint64_t before = one.hash;
            tact_bytes bytes = save_or_die(one.world, &map);
            assert_true(before == one.hash);
            other = one;
            other.world = restore_or_die(&bytes, &other_map);
            tact_bytes twice = save_or_die(other.world, &other_map);
            if (!same_bytes(&bytes, &twice))
                fail_msg("seed %llu round %d: saved again, the bytes differ", (unsigned long long)seed, iteration);
            ++restored;
            for (int i = 0; i < 100; ++i) {
                make_random_call(&one);
                make_random_call(&other);
                if (one.hash != other.hash ||
                    (i % 16 == 0 && digest_of_bodies(one.world, &one) != digest_of_bodies(other.world, &other)))
                    fail_msg("seed %llu round %d call %d: the worlds differ", (unsigned long long)seed, iteration, i);
            }
            tact_world_release(other.world);
            tact_bytes_release(&bytes);
            tact_bytes_release(&twice);
        }
        contacts += one.contacts;
        self_contacts += one.self_contacts;
        nested += one.nested;
        deformed += one.deformed;
        persisting += one.persisting;
        ended += one.ended;
        apart += one.apart;
        tact_world_release(one.world);
    }
    print_message("%ld contacts, %ld of bodies with themselves, %ld calls in responses, %ld deformed, %ld restored\n",
                  contacts, self_contacts, nested, deformed, restored);
    print_message("%ld persisting, %ld ended, %ld apart\n", persisting, ended, apart);
    assert_true(restored == 8 * (long)random_case_count(3, 300));
    if (!few_cases())
        assert_true(contacts > 1000 && self_contacts > 4 && nested > 100 && deformed > 50 && persisting > 200 &&
                    ended > 100 && apart > 20);
    release_shapes(shapes);
}

/* The previous shape is a deformed mesh, the current one a rigid mesh. A restored world interpolates between them in
 * the same way, and the same triangles collide. */
static void test_deformed_before(void **state)
{
    (void)state;
    tact_shape *shape = torus(24, 12, false, false, 0.0);
    random_source random = random_seed(23);
    long contacts = 0;
    for (int iteration = 0; iteration < 40; ++iteration) {
        static world_driver one, other;
        tact_vec3 *vertices = one.vertices[0];
        one = (world_driver){.world = tact_world_create(NULL), .passive = true};
        tact_pointer_map map = pointer_map_of(&one), other_map = pointer_map_of(&other);
        assert_int_equal(
            tact_world_set_contact_callback(
                one.world, (tact_response){.want = TACT_PREVIOUS, .callback = on_contact, .context = &one}),
            TACT_OK);
        (void)tact_body_create(one.world, &(tact_body_def){.shape = shape});
        tact_body body = tact_body_create(one.world, &(tact_body_def){.shape = shape, .deformable = true});
        size_t count = tact_body_get_vertices(one.world, body, vertices, MAX_VERTICES);
        assert_int_equal(count, 288);
        for (size_t i = 0; i < count; ++i)
            vertices[i].z += 0.05 * sin(7.0 * vertices[i].x + iteration);
        assert_int_equal(tact_body_deform(one.world, body, (tact_vertices){vertices, count, 0, TACT_SCALAR_DOUBLE}),
                         TACT_OK);
        tact_transform moved = iteration % 2 == 0
                                   ? tact_at(3, random_range(&random, -1, 1), random_range(&random, -0.2, 0.2))
                                   : tact_at(0, 0, 3);
        assert_int_equal(tact_body_set_transform(one.world, body, moved), TACT_OK);
        assert_int_equal(tact_world_store_previous(one.world), TACT_OK);
        assert_int_equal(tact_body_set_shape(one.world, body, shape), TACT_OK);
        assert_int_equal(tact_body_set_transform(one.world, body, tact_at(0.5, 0, 0)), TACT_OK);
        tact_bytes bytes = save_or_die(one.world, &map);
        other = one;
        other.world = restore_or_die(&bytes, &other_map);
        assert_int_equal(tact_world_test(one.world).count, 1);
        assert_int_equal(tact_world_test(other.world).count, 1);
        if (one.hash != other.hash)
            fail_msg("round %d: the worlds differ", iteration);
        contacts += other.contacts;
        tact_world_release(one.world);
        tact_world_release(other.world);
        tact_bytes_release(&bytes);
    }
    assert_int_equal(contacts, 40);
    tact_shape_release(shape);
}

static uint64_t axis_of(const tact_world *world, tact_body a, tact_body b)
{
    uint32_t slot = tact_broad_find_pair(world->broad, a.index, b.index);
    return slot != BROAD_NONE ? tact_broad_pair(world->broad, slot)->data : 0;
}

/* The cached axis of a pair is restored, even if the bounds overlap in both tests but not when the world is saved. */
static void test_axes(void **state)
{
    (void)state;
    for (int iteration = 0; iteration < 4; ++iteration) {
        bool moved = iteration & 1, test = iteration & 2;
        tact_shape *ball = tact_sphere(1);
        tact_world *world = tact_world_create(NULL);
        (void)tact_world_set_contact_callback(world, (tact_response){.callback = on_contact});
        tact_body a = tact_body_create(world, &(tact_body_def){.shape = ball});
        tact_body b = tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(1.9, 1.9, 0)});
        assert_int_equal(tact_world_test(world).count, 0);
        assert_true(axis_of(world, a, b) != 0);
        if (moved)
            assert_int_equal(tact_body_set_transform(world, b, tact_at(50, 0, 0)), TACT_OK);
        tact_bytes bytes = save_or_die(world, NULL);
        tact_world *again = restore_or_die(&bytes, NULL);
        if (moved)
            assert_int_equal(tact_body_set_transform(again, b, tact_at(1.9, 1.9, 0)), TACT_OK);
        (void)tact_world_set_caching(again, false); /* else the test would find another axis */
        assert_int_equal(test ? tact_world_test(again).status : tact_world_update(again), TACT_OK);
        assert_true(axis_of(again, a, b) == axis_of(world, a, b));
        tact_world_release(again);
        tact_world_release(world);
        tact_bytes_release(&bytes);
        tact_shape_release(ball);
    }
}

/* An empty world, one whose bodies were all removed, and saving from a contact callback. */
static void save_in_callback(void *context, const tact_contact *c)
{
    tact_bytes *bytes = context;
    assert_int_equal(tact_world_save(c->world, tact_bytes_sink(bytes), NULL, NULL), TACT_OK);
}

static void test_small_worlds(void **state)
{
    (void)state;
    tact_world *world =
        tact_world_create(&(tact_world_def){.broad_phase = TACT_BROAD_SWEEP_AND_PRUNE, .uncached = true});
    tact_bytes bytes = save_or_die(world, NULL), saved_in_callback = {0};
    tact_world *again = restore_or_die(&bytes, NULL);
    assert_int_equal(tact_world_body_count(again), 0);
    tact_world_release(again);
    tact_bytes_release(&bytes);
    tact_shape *ball = tact_sphere(1);
    tact_body a = tact_body_create(world, &(tact_body_def){.shape = ball});
    tact_body b = tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(1, 0, 0)});
    assert_int_equal(
        tact_world_set_contact_callback(
            world, (tact_response){.want = TACT_NOTHING, .callback = save_in_callback, .context = &saved_in_callback}),
        TACT_OK);
    assert_int_equal(tact_world_test(world).count, 1);
    again = restore_or_die(&saved_in_callback, NULL);
    assert_true(tact_body_exists(again, a) && tact_body_exists(again, b));
    assert_int_equal(tact_world_test(again).count, 1); /* calls a function that does nothing */
    tact_world_release(again);
    tact_body_remove(world, a);
    tact_body_remove(world, b);
    bytes = save_or_die(world, NULL);
    again = restore_or_die(&bytes, NULL);
    assert_int_equal(tact_world_body_count(again), 0);
    tact_body one = tact_body_create(world, &(tact_body_def){.shape = ball});
    tact_body other = tact_body_create(again, &(tact_body_def){.shape = ball});
    assert_int_equal(one.index, other.index);
    tact_world_release(again);
    tact_world_release(world);
    tact_bytes_release(&bytes);
    tact_bytes_release(&saved_in_callback);
    tact_shape_release(ball);
}

/* A pointer map restores pointers. Without one they are NULL. Pointers and ids that are not in the map are rejected. */
static void test_pointers(void **state)
{
    (void)state;
    tact_report report;
    world_driver s = {0};
    tact_pointer_map map = pointer_map_of(&s);
    tact_record_def def = {.pointer_map = &map};
    tact_world *world = tact_world_create(NULL);
    tact_shape *custom = tact_custom(sphere_support, &support_radius, 0.5),
               *unknown = tact_custom(sphere_support, &s, 0.5);
    tact_body body = tact_body_create(world, &(tact_body_def){.shape = custom, .user = &s.users[2]});
    tact_bytes bytes = {0}, plain = {0};
    assert_int_equal(tact_world_save(world, tact_bytes_sink(&plain), NULL, &report), TACT_BAD_ARGUMENT);
    assert_non_null(strstr(report.text, "TACT_CUSTOM"));
    bytes = save_or_die(world, &map);
    assert_null(tact_world_restore(bytes.data, bytes.size, NULL, &report));
    assert_non_null(strstr(report.text, "TACT_CUSTOM"));
    tact_world *again = restore_or_die(&bytes, &map);
    assert_ptr_equal(tact_body_get_user(again, body), &s.users[2]);
    tact_world_release(again);
    tact_bytes_release(&bytes);
    /* a context that is not in the map */
    tact_body_set_shape(world, body, unknown);
    assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), &def, &report), TACT_BAD_ARGUMENT);
    assert_non_null(strstr(report.text, "context of a support function"));
    tact_bytes_release(&bytes);
    /* an id that is not in the map */
    tact_shape *ball = tact_sphere(1);
    tact_body_set_shape(world, body, ball);
    assert_int_equal(tact_world_store_previous(world), TACT_OK);
    bytes = save_or_die(world, NULL); /* the user pointer has id 1 */
    again = restore_or_die(&bytes, NULL);
    assert_null(tact_body_get_user(again, body));
    tact_world_release(again);
    assert_null(tact_world_restore(bytes.data, bytes.size, &def, &report));
    assert_non_null(strstr(report.text, "id 1"));
    tact_bytes_release(&bytes);
    tact_bytes_release(&plain);
    tact_world_release(world);
    tact_shape_release(custom);
    tact_shape_release(unknown);
    tact_shape_release(ball);
}

/* ---- record and replay ---- */

typedef struct contact_count {
    long contacts_seen;
} contact_count;

static void count_contact(void *context, const tact_contact *contact)
{
    assert_non_null(contact->world);
    ++((contact_count *)context)->contacts_seen;
}

/* A replay of random calls, recorded from the start or later, gives the same contacts and the same final world. */
static void test_replay_repeats(void **state)
{
    (void)state;
    tact_shape *shapes[SHAPE_COUNT];
    long contacts = 0, self_contacts = 0, nested = 0, calls = 0;
    make_shapes(shapes, 4, true);
    for (uint64_t seed = 1; seed <= random_case_count(3, 600); ++seed) {
        static world_driver s;
        tact_report report;
        tact_bytes recording = {0};
        contact_count contacts_seen = {0};
        begin_driver(&s, tact_world_create(NULL), shapes, seed + 200);
        tact_pointer_map map = pointer_map_of(&s);
        tact_record_def def = {
            .pointer_map = &map, .contact_callback = count_contact, .contact_context = &contacts_seen};
        for (int i = 0; i < (seed % 2 == 0 ? 100 : 0); ++i)
            make_random_call(&s);
        tact_record *record = tact_record_begin(s.world, tact_bytes_sink(&recording), &def, &report);
        assert_non_null(record);
        assert_null(tact_record_begin(s.world, tact_bytes_sink(&recording), &def, &report)); /* one at a time */
        long before = s.contacts, before_self = s.self_contacts, before_nested = s.nested;
        for (int i = 0; i < 250; ++i)
            make_random_call(&s);
        assert_int_equal(tact_record_end(record, &report), TACT_OK);
        long recorded = s.contacts - before;
        self_contacts += s.self_contacts - before_self;
        nested += s.nested - before_nested;
        uint64_t hash = s.hash;
        make_random_call(&s); /* not recorded */
        tact_replay *replay = tact_replay_begin(recording.data, recording.size, &def, &report);
        assert_non_null(replay);
        tact_replay_state step;
        s.hash = hash;
        if (seed % 3 == 0)
            while ((step = tact_replay_step(replay, &report)) == TACT_REPLAY_CALL)
                assert_true(strncmp(tact_replay_get_call(replay), "tact_", 5) == 0);
        else
            step = tact_replay_run(replay, &report);
        if (step != TACT_REPLAY_END)
            fail_msg("seed %llu: %s", (unsigned long long)seed, report.text);
        assert_int_equal(contacts_seen.contacts_seen, recorded);
        assert_true(s.hash == hash); /* a replay does not call the caller's callbacks */
        contacts += recorded;
        calls += (long)tact_replay_get_call_count(replay);
        assert_int_equal(tact_replay_step(replay, NULL), TACT_REPLAY_END); /* the state is final */
        tact_bytes saved = save_or_die(tact_replay_get_world(replay), &map);
        tact_world *taken = tact_replay_take_world(replay);
        tact_bytes again = save_or_die(taken, &map);
        assert_true(same_bytes(&saved, &again));
        tact_world_release(taken);
        tact_bytes_release(&saved);
        tact_bytes_release(&again);
        tact_bytes_release(&recording);
        tact_world_release(s.world);
    }
    print_message("%ld calls, %ld contacts, %ld of bodies with themselves, %ld calls in responses\n", calls, contacts,
                  self_contacts, nested);
    if (!few_cases())
        assert_true(contacts > 250 && self_contacts > 1 && nested > 50 && calls > 500);
    release_shapes(shapes);
}

/* The final world of a replay equals the recorded one, byte for byte, and continues like it. */
static void test_replay_ends_the_same(void **state)
{
    (void)state;
    tact_shape *shapes[SHAPE_COUNT];
    make_shapes(shapes, 5, true);
    for (uint64_t seed = 1; seed <= random_case_count(2, 600); ++seed) {
        static world_driver s, other;
        tact_report report;
        tact_bytes recording = {0};
        begin_driver(&s, tact_world_create(NULL), shapes, seed + 200);
        tact_pointer_map map = pointer_map_of(&s), other_map = pointer_map_of(&other);
        tact_record *record =
            tact_record_begin(s.world, tact_bytes_sink(&recording), &(tact_record_def){.pointer_map = &map}, &report);
        for (int i = 0; i < 300; ++i)
            make_random_call(&s);
        assert_int_equal(tact_record_end(record, &report), TACT_OK);
        tact_replay *replay =
            tact_replay_begin(recording.data, recording.size, &(tact_record_def){.pointer_map = &other_map}, &report);
        assert_int_equal(tact_replay_run(replay, &report), TACT_REPLAY_END);
        other = s;
        other.world = tact_replay_take_world(replay);
        tact_bytes one = save_or_die(s.world, &map), two = save_or_die(other.world, &other_map);
        assert_true(same_bytes(&one, &two));
        for (int i = 0; i < 100; ++i) {
            make_random_call(&s);
            make_random_call(&other);
            assert_true(s.hash == other.hash);
        }
        tact_world_release(other.world);
        tact_world_release(s.world);
        tact_bytes_release(&one);
        tact_bytes_release(&two);
        tact_bytes_release(&recording);
    }
    release_shapes(shapes);
}

/* A world is released while it is recorded, by the program or by a contact callback. The record outlives it. */
static void test_release(void **state)
{
    (void)state;
    tact_shape *shapes[SHAPE_COUNT];
    make_shapes(shapes, 6, false);
    for (int from_response = 0; from_response < 2; ++from_response) {
        static world_driver s;
        tact_report report;
        tact_bytes recording = {0};
        begin_driver(&s, tact_world_create(NULL), shapes, 300);
        s.passive = true;
        tact_record *record = tact_record_begin(s.world, tact_bytes_sink(&recording), NULL, &report);
        s.release_in_callback = from_response;
        tact_count count = tact_world_test(s.world);
        assert_true(from_response ? count.count == 1 : count.count > 1);
        if (!from_response)
            tact_world_release(s.world);
        assert_int_equal(tact_record_end(record, &report), TACT_OK);
        tact_replay *replay = tact_replay_begin(recording.data, recording.size, NULL, &report);
        tact_replay_state end = tact_replay_run(replay, &report);
        if (end != TACT_REPLAY_END)
            fail_msg("%s", report.text);
        assert_int_equal(tact_replay_get_call_count(replay), from_response ? 1 : 2);
        assert_null(tact_replay_get_world(replay));
        assert_null(tact_replay_take_world(replay));
        assert_int_equal(tact_replay_step(replay, &report), TACT_REPLAY_END); /* it still exists */
        tact_replay_release(replay);
        tact_bytes_release(&recording);
    }
    release_shapes(shapes);
}

/* Calls that a contact callback must not make to a record, nor tact_record_def::contact_callback to a replay. */
typedef struct nested_calls {
    tact_record *record;
    tact_replay *replay;
    int calls;
} nested_calls;

static void call_within(void *context, const tact_contact *c)
{
    nested_calls *m = context;
    ++m->calls;
    tact_bytes bytes = {0};
    assert_null(tact_record_begin(c->world, tact_bytes_sink(&bytes), NULL, NULL));
    if (m->record != NULL)
        assert_int_equal(tact_record_end(m->record, NULL), TACT_BAD_ARGUMENT);
    if (m->replay != NULL) {
        assert_int_equal(tact_replay_step(m->replay, NULL), TACT_REPLAY_FAILED);
        assert_null(tact_replay_take_world(m->replay));
        tact_replay_release(m->replay); /* after the step */
    }
}

static void test_calls_within_callbacks(void **state)
{
    (void)state;
    tact_report report;
    tact_shape *ball = tact_sphere(1);
    tact_world *world = tact_world_create(NULL);
    nested_calls m = {0};
    (void)tact_body_create(world, &(tact_body_def){.shape = ball});
    (void)tact_body_create(world, &(tact_body_def){.shape = ball});
    (void)tact_world_set_contact_callback(world, (tact_response){.callback = call_within, .context = &m});
    tact_bytes recording = {0};
    m.record = tact_record_begin(world, tact_bytes_sink(&recording), NULL, &report);
    assert_int_equal(tact_world_test(world).count, 1);
    assert_int_equal(tact_world_test(world).count, 1);
    assert_int_equal(tact_record_check(m.record, &report), TACT_OK);
    assert_int_equal(tact_record_end(m.record, &report), TACT_OK);
    m.record = NULL;
    m.replay = tact_replay_begin(recording.data, recording.size,
                                 &(tact_record_def){.contact_callback = call_within, .contact_context = &m}, &report);
    assert_int_equal(tact_replay_run(m.replay, &report), TACT_REPLAY_CALL); /* released after the first */
    assert_int_equal(m.calls, 3);
    tact_bytes_release(&recording);
    tact_world_release(world);
    tact_shape_release(ball);
}

/* NULL arguments. */
static void test_null_arguments(void **state)
{
    (void)state;
    tact_report report;
    tact_world *world = tact_world_create(NULL);
    tact_bytes bytes = {0};
    assert_int_equal(tact_world_save(NULL, tact_bytes_sink(&bytes), NULL, &report), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_save(world, (tact_sink){0}, NULL, &report), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_save(world, tact_bytes_sink(NULL), NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_world_save(world, tact_file_sink(NULL), NULL, NULL), TACT_BAD_ARGUMENT);
    assert_null(tact_world_restore(NULL, 0, NULL, &report));
    assert_null(tact_world_restore("", 0, NULL, NULL));
    assert_null(tact_record_begin(NULL, tact_bytes_sink(&bytes), NULL, &report));
    assert_null(tact_record_begin(world, (tact_sink){0}, NULL, &report));
    assert_int_equal(tact_record_check(NULL, &report), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_record_end(NULL, &report), TACT_BAD_ARGUMENT);
    assert_null(tact_replay_begin(NULL, 10, NULL, &report));
    assert_int_equal(tact_replay_step(NULL, &report), TACT_REPLAY_FAILED);
    assert_int_equal(tact_replay_run(NULL, NULL), TACT_REPLAY_FAILED);
    assert_null(tact_replay_get_world(NULL));
    assert_null(tact_replay_take_world(NULL));
    assert_int_equal(tact_replay_get_call_count(NULL), 0);
    assert_false(tact_replay_get_event(NULL, &(tact_event){0}));
    assert_string_equal(tact_replay_get_call(NULL), "");
    tact_replay_release(NULL);
    tact_bytes_release(NULL);
    assert_int_equal(tact_bytes_load(NULL, "x", &report), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_bytes_load(&bytes, NULL, &report), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_bytes_load(&bytes, "/nowhere/to/be/found", &report), TACT_BAD_ARGUMENT);
    tact_bytes_release(&bytes);
    tact_world_release(world);
}

/* Saves to a file. */
static void test_file(void **state)
{
    (void)state;
    const char *path = "test_record.tmp";
    tact_shape *shapes[SHAPE_COUNT];
    tact_report report;
    make_shapes(shapes, 7, false);
    tact_world *world = tact_world_create(NULL);
    for (int i = 0; i < SHAPE_COUNT; ++i)
        (void)tact_body_create(world, &(tact_body_def){.shape = shapes[i]});
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(tact_world_save(world, tact_file_sink(file), NULL, NULL), TACT_OK);
    assert_int_equal(fclose(file), 0);
    tact_bytes bytes = save_or_die(world, NULL), read = {0};
    assert_int_equal(tact_bytes_load(&read, path, &report), TACT_OK);
    assert_true(same_bytes(&bytes, &read));
    assert_int_equal(tact_bytes_load(&read, path, &report), TACT_OK); /* appends */
    assert_int_equal(read.size, 2 * bytes.size);
    assert_int_equal(remove(path), 0);
    tact_bytes_release(&bytes);
    tact_bytes_release(&read);
    tact_world_release(world);
    release_shapes(shapes);
}

/* Empty meshes, soups and compounds, as parts of a compound. */
static void test_empty_shapes(void **state)
{
    (void)state;
    tact_mesh_def def = tact_mesh_def_default();
    tact_shape *parts[4] = {tact_mesh_create(&def, NULL), tact_soup_create(&def, NULL), tact_compound(NULL, NULL, 0),
                            tact_point(tact_vec(1, 2, 3))};
    tact_shape *whole = tact_compound((const tact_shape *const *)parts, NULL, 4);
    assert_non_null(whole);
    tact_world *world = tact_world_create(NULL);
    tact_body body = tact_body_create(world, &(tact_body_def){.shape = whole});
    assert_true(tact_body_exists(world, body));
    tact_bytes bytes = save_or_die(world, NULL);
    tact_world *again = restore_or_die(&bytes, NULL);
    tact_bytes twice = save_or_die(again, NULL);
    assert_true(same_bytes(&bytes, &twice));
    assert_int_equal(tact_mesh_get_size(tact_body_get_shape(again, body)).faces, 4);
    tact_world_release(again);
    tact_world_release(world);
    tact_bytes_release(&bytes);
    tact_bytes_release(&twice);
    tact_shape_release(whole);
    for (int i = 0; i < 4; ++i)
        tact_shape_release(parts[i]);
}

/* ---- the format of docs/record.md, read without record_reader ---- */

static uint64_t word(const unsigned char *at, int size)
{
    uint64_t w = 0;
    for (int i = size; i-- > 0;)
        w = w << 8 | at[i];
    return w;
}

static uint64_t mix(uint64_t w)
{
    w = (w ^ w >> 30) * 0xbf58476d1ce4e5b9u;
    w = (w ^ w >> 27) * 0x94d049bb133111ebu;
    return w ^ w >> 31;
}

static uint64_t documented_hash(const unsigned char *bytes, size_t size, uint64_t seed)
{
    uint64_t h = mix(seed + 0x9e3779b97f4a7c15u) ^ size;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t w = word(bytes + i, size - i < 8 ? (int)(size - i) : 8);
        h = mix((h + 0x9e3779b97f4a7c15u) ^ mix(w + 0x9e3779b97f4a7c15u));
    }
    return mix(h);
}

static double number(const unsigned char *at)
{
    uint64_t w = word(at, 8);
    double value;
    memcpy(&value, &w, sizeof value);
    return value;
}

/* A record of one body with one call, byte for byte. It changes only with the version of the format. */
static void test_format(void **state)
{
    (void)state;
    static const unsigned char head[16] = {0x89, 0x54, 0x41, 0x43, 0x54, 0x0d, 0x0a, 0x1a, 3, 0, 0, 0, 0, 0, 0, 0};
    static const struct {
        uint64_t type, length;
    } blocks[] = {{2, 52}, {1, 20}, {3, 320}, {9, 0}, {35, 104}, {11, 0}};
    tact_shape *ball = tact_sphere(2);
    tact_world *world = tact_world_create(NULL);
    tact_body_def def = {.shape = ball, .transform = tact_at(5, 6, 7), .user = &def, .class_id = 3, .mask = 9};
    tact_body body = tact_body_create(world, &def);
    tact_bytes recording = {0};
    tact_record *record = tact_record_begin(world, tact_bytes_sink(&recording), NULL, NULL);
    assert_int_equal(tact_body_set_transform(world, body, tact_at(8, 0, 0)), TACT_OK);
    assert_int_equal(tact_record_end(record, NULL), TACT_OK);
    assert_memory_equal(recording.data, head, sizeof head);
    const unsigned char *at = recording.data + 16, *contents[6];
    uint64_t hash = documented_hash(recording.data, 16, 0);
    for (int i = 0; i < 6; ++i) {
        assert_int_equal(word(at, 4), blocks[i].type);
        assert_int_equal(word(at + 4, 8), blocks[i].length);
        contents[i] = at + 12;
        hash = documented_hash(at, 12 + blocks[i].length, hash);
        at += 12 + blocks[i].length;
        assert_true(word(at, 8) == hash);
        at += 8;
    }
    assert_ptr_equal(at, recording.data + recording.size);
    const unsigned char *w = contents[0], *s = contents[1], *b = contents[2], *call = contents[4];
    assert_true(word(w, 4) == 0 && word(w + 4, 4) == 2 && word(w + 8, 4) == 1 && word(w + 12, 4) == 1);
    assert_true(word(w + 16, 8) == 1 && word(w + 24, 4) == 0 && word(w + 36, 8) == 0 && word(w + 44, 8) == 0);
    assert_true(word(s, 4) == 5 && number(s + 4) == 0.0 && number(s + 12) == 2.0);
    assert_true(word(b, 4) == 0 && word(b + 4, 4) == 1 && word(b + 8, 8) == 0 && word(b + 16, 4) == 0);
    assert_true(word(b + 20, 4) == 3 && word(b + 24, 8) == UINT64_MAX && word(b + 32, 8) == 9);
    assert_true(word(b + 40, 8) == 1 && word(b + 48, 4) == 0 && word(b + 52, 4) == 0);
    assert_true(number(b + 56) == 1.0 && number(b + 128) == 5.0 && number(b + 144) == 7.0 && number(b + 224) == 5.0);
    assert_true(word(call, 4) == 0 && word(call + 4, 4) == 1 && number(call + 8) == 1.0 && number(call + 80) == 8.0);
    tact_bytes_release(&recording);
    tact_world_release(world);
    tact_shape_release(ball);
}

/* Each call has a row in the table of calls, and no other block has one. */
static void test_every_call_has_a_row(void **state)
{
    (void)state;
    for (uint32_t type = CALL_CREATE; type <= CALL_LAST; ++type)
        assert_non_null(tact_call_name(BLOCK_CALL + type));
    assert_null(tact_call_name(BLOCK_CALL));
    assert_null(tact_call_name(BLOCK_CALL + CALL_LAST + 1));
    assert_null(tact_call_name(BLOCK_CONTACT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hulls),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_nested_shapes),
        cmocka_unit_test(test_small_worlds),
        cmocka_unit_test(test_pointers),
        cmocka_unit_test(test_restored_world_continues),
        cmocka_unit_test(test_replay_repeats),
        cmocka_unit_test(test_replay_ends_the_same),
        cmocka_unit_test(test_release),
        cmocka_unit_test(test_calls_within_callbacks),
        cmocka_unit_test(test_null_arguments),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_empty_shapes),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_format),
        cmocka_unit_test(test_deformed_before),
        cmocka_unit_test(test_every_call_has_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
