/* Save and restore, record and replay: does everything go on, and happen again, as it was? */
#include "record/record_world.h"

#include "shape/compound.h"
#include "shape/mesh.h"
#include "support/failing_allocator.h"
#include "world/world_internal.h"
#include "world/world_state.h"

/* ---- shapes ---- */

static tact_bytes save_or_die(const tact_world *world, const tact_pointer_map *names)
{
    tact_bytes bytes = {0};
    tact_report report;
    tact_record_def def = {.pointer_map = names};
    if (tact_world_save(world, tact_bytes_sink(&bytes), &def, &report) != TACT_OK)
        fail_msg("%s", report.text);
    return bytes;
}

static tact_world *restore_or_die(const tact_bytes *bytes, const tact_pointer_map *names)
{
    tact_report report;
    tact_record_def def = {.pointer_map = names};
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

/* The same inside, table and all? */
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

/* Hulls of points that are random, on a grid, in a plane, on a line, on a sphere, turned, huge, tiny: restored, they
 * are the same inside and out. */
static void test_hulls(void **state)
{
    (void)state;
    random_source random = random_seed(11);
    int flat = 0, merged = 0, large = 0, thin = 0;
    for (int round = 0; round < 400; ++round) {
        tact_vec3 points[1500];
        int count = round % 40 == 5 ? 1500 : random_between(&random, 1, 60), kind = round % 8;
        double scale = kind == 6 ? 1e140 : kind == 7 ? 1e-140 : 1.0;
        tact_quat turn = random_rotation(&random);
        tact_transform at = tact_transform_make(random_direction(&random), turn, tact_vec(scale, scale, scale));
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
        flat += shape->hull->dimension == 2;
        thin += shape->hull->dimension < 2;
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
    print_message("%d flat, %d thin, %d large, %d merged\n", flat, thin, large, merged);
    assert_true(flat > 40 && thin > 40 && large >= 3 && merged > 50);
}

/* Every kind of shape answers the same, to the bit, when it has been saved and restored; and what is shared stays so.
 */
static void test_shapes(void **state)
{
    (void)state;
    tact_shape *shapes[KINDS];
    tact_body bodies[KINDS];
    static stage names_only;
    tact_pointer_map names = names_of(&names_only);
    make_shapes(shapes, 1, true);
    assert_true(shapes[26]->mesh->overlay.node_count > 1);
    tact_world *world = tact_world_create(NULL);
    for (int i = 0; i < KINDS; ++i)
        bodies[i] = tact_body_create(world, &(tact_body_def){.shape = shapes[i]});
    tact_bytes bytes = save_or_die(world, &names);
    tact_world *again = restore_or_die(&bytes, &names);
    tact_bytes twice = save_or_die(again, &names);
    assert_true(same_bytes(&bytes, &twice));
    random_source random = random_seed(2);
    long hits = 0;
    for (int i = 0; i < KINDS; ++i) {
        const tact_shape *one = tact_body_get_shape(again, bodies[i]);
        assert_int_equal(tact_shape_get_type(one), tact_shape_get_type(shapes[i]));
        tact_mesh_size a = tact_mesh_get_size(one), b = tact_mesh_get_size(shapes[i]);
        assert_int_equal(a.triangles, b.triangles);
        assert_int_equal(a.faces, b.faces);
        for (int k = i; k < KINDS; ++k) {
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
    assert_true(hits > 150);
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

/* Nests as deep as shapes may: a compound of a rounded shape at the limit comes back. */
static void test_deep(void **state)
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

/* Seeds of random worlds: more in a long run. */
static uint64_t seeds(uint64_t usual) { return getenv("TACT_TEST_LONG") != NULL ? 100 * usual : usual; }

/* A restored world goes on as the one that was saved: random calls to both, the same names, answers and contacts. */
static void test_goes_on(void **state)
{
    (void)state;
    tact_shape *shapes[KINDS];
    long contacts = 0, nested = 0, restored = 0, deformed = 0;
    make_shapes(shapes, 3, true);
    for (uint64_t seed = 1; seed <= seeds(3); ++seed) {
        static stage one, other;
        set_stage(&one, tact_world_create(NULL), shapes, seed);
        tact_pointer_map names = names_of(&one), others = names_of(&other);
        for (int round = 0; round < 8; ++round) {
            for (int i = 0; i < 60; ++i)
                act(&one);
            uint64_t before = one.hash;
            tact_bytes bytes = save_or_die(one.world, &names);
            assert_true(before == one.hash);
            other = one;
            other.world = restore_or_die(&bytes, &others);
            tact_bytes twice = save_or_die(other.world, &others);
            if (!same_bytes(&bytes, &twice))
                fail_msg("seed %llu round %d: saved again, the bytes differ", (unsigned long long)seed, round);
            ++restored;
            for (int i = 0; i < 100; ++i) {
                act(&one);
                act(&other);
                if (one.hash != other.hash ||
                    (i % 16 == 0 && look_over(one.world, &one) != look_over(other.world, &other)))
                    fail_msg("seed %llu round %d call %d: the worlds differ", (unsigned long long)seed, round, i);
            }
            tact_world_release(other.world);
            tact_bytes_release(&bytes);
            tact_bytes_release(&twice);
        }
        contacts += one.contacts;
        nested += one.nested;
        deformed += one.deformed;
        tact_world_release(one.world);
    }
    print_message("%ld contacts, %ld calls in responses, %ld deformed, %ld restored\n", contacts, nested, deformed,
                  restored);
    assert_true(contacts > 1000 && nested > 100 && deformed > 50 && restored == (long)(8 * seeds(3)));
    release_shapes(shapes);
}

/* A mesh that deformed is that of the frame before, a rigid one that of now: the way between the two is the same in a
 * restored world, down to which triangles are met. */
static void test_deformed_before(void **state)
{
    (void)state;
    tact_shape *shape = torus(24, 12, false, false, 0.0);
    random_source random = random_seed(23);
    long contacts = 0;
    for (int round = 0; round < 40; ++round) {
        static stage one, other;
        tact_vec3 *soft = one.soft[0];
        one = (stage){.world = tact_world_create(NULL), .quiet = true};
        tact_pointer_map names = names_of(&one), others = names_of(&other);
        assert_int_equal(tact_world_set_contact_callback(
                             one.world, (tact_response){.want = TACT_PREVIOUS, .callback = react, .context = &one}),
                         TACT_OK);
        (void)tact_body_create(one.world, &(tact_body_def){.shape = shape});
        tact_body body = tact_body_create(one.world, &(tact_body_def){.shape = shape, .deformable = true});
        size_t count = tact_body_get_vertices(one.world, body, soft, MOST_VERTICES);
        assert_int_equal(count, 288);
        for (size_t i = 0; i < count; ++i)
            soft[i].z += 0.05 * sin(7.0 * soft[i].x + round);
        assert_int_equal(tact_body_deform(one.world, body, (tact_vertices){soft, count, 0, TACT_SCALAR_DOUBLE}),
                         TACT_OK);
        tact_transform away = round % 2 == 0
                                  ? tact_at(3, random_range(&random, -1, 1), random_range(&random, -0.2, 0.2))
                                  : tact_at(0, 0, 3);
        assert_int_equal(tact_body_set_transform(one.world, body, away), TACT_OK);
        assert_int_equal(tact_world_store_previous(one.world), TACT_OK);
        assert_int_equal(tact_body_set_shape(one.world, body, shape), TACT_OK);
        assert_int_equal(tact_body_set_transform(one.world, body, tact_at(0.5, 0, 0)), TACT_OK);
        tact_bytes bytes = save_or_die(one.world, &names);
        other = one;
        other.world = restore_or_die(&bytes, &others);
        assert_int_equal(tact_world_test(one.world).count, 1);
        assert_int_equal(tact_world_test(other.world).count, 1);
        if (one.hash != other.hash)
            fail_msg("round %d: the worlds differ", round);
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

/* What a pair remembers comes back to it, even if its boxes do not meet when the world is saved but do at both tests.
 */
static void test_axes(void **state)
{
    (void)state;
    for (int round = 0; round < 4; ++round) {
        bool away = round & 1, test = round & 2;
        tact_shape *ball = tact_sphere(1);
        tact_world *world = tact_world_create(NULL);
        (void)tact_world_set_contact_callback(world, (tact_response){.callback = react});
        tact_body a = tact_body_create(world, &(tact_body_def){.shape = ball});
        tact_body b = tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(1.9, 1.9, 0)});
        assert_int_equal(tact_world_test(world).count, 0);
        assert_true(axis_of(world, a, b) != 0);
        if (away)
            assert_int_equal(tact_body_set_transform(world, b, tact_at(50, 0, 0)), TACT_OK);
        tact_bytes bytes = save_or_die(world, NULL);
        tact_world *again = restore_or_die(&bytes, NULL);
        if (away)
            assert_int_equal(tact_body_set_transform(again, b, tact_at(1.9, 1.9, 0)), TACT_OK);
        (void)tact_world_set_caching(again, false); /* or the test would find another axis */
        assert_int_equal(test ? tact_world_test(again).status : tact_world_update(again), TACT_OK);
        assert_true(axis_of(again, a, b) == axis_of(world, a, b));
        tact_world_release(again);
        tact_world_release(world);
        tact_bytes_release(&bytes);
        tact_shape_release(ball);
    }
}

/* An empty world, one whose bodies are all gone, and saving from a response. */
static void save_within(void *context, const tact_contact *c)
{
    tact_bytes *bytes = context;
    assert_int_equal(tact_world_save(c->world, tact_bytes_sink(bytes), NULL, NULL), TACT_OK);
}

static void test_small_worlds(void **state)
{
    (void)state;
    tact_world *world =
        tact_world_create(&(tact_world_def){.broad_phase = TACT_BROAD_SWEEP_AND_PRUNE, .uncached = true});
    tact_bytes bytes = save_or_die(world, NULL), within = {0};
    tact_world *again = restore_or_die(&bytes, NULL);
    assert_int_equal(tact_world_body_count(again), 0);
    tact_world_release(again);
    tact_bytes_release(&bytes);
    tact_shape *ball = tact_sphere(1);
    tact_body a = tact_body_create(world, &(tact_body_def){.shape = ball});
    tact_body b = tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(1, 0, 0)});
    assert_int_equal(tact_world_set_contact_callback(
                         world, (tact_response){.want = TACT_NOTHING, .callback = save_within, .context = &within}),
                     TACT_OK);
    assert_int_equal(tact_world_test(world).count, 1);
    again = restore_or_die(&within, NULL);
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
    tact_bytes_release(&within);
    tact_shape_release(ball);
}

/* Pointers: by name they come back; without names they are NULL; what has no name is refused. */
static void test_names(void **state)
{
    (void)state;
    tact_report report;
    stage s = {0};
    tact_pointer_map names = names_of(&s);
    tact_record_def def = {.pointer_map = &names};
    tact_world *world = tact_world_create(NULL);
    tact_shape *own = tact_custom(bulge, &bulge_radius, 0.5), *stranger = tact_custom(bulge, &s, 0.5);
    tact_body body = tact_body_create(world, &(tact_body_def){.shape = own, .user = &s.users[2]});
    tact_bytes bytes = {0}, plain = {0};
    assert_int_equal(tact_world_save(world, tact_bytes_sink(&plain), NULL, &report), TACT_BAD_ARGUMENT);
    assert_non_null(strstr(report.text, "TACT_CUSTOM"));
    bytes = save_or_die(world, &names);
    assert_null(tact_world_restore(bytes.data, bytes.size, NULL, &report));
    assert_non_null(strstr(report.text, "TACT_CUSTOM"));
    tact_world *again = restore_or_die(&bytes, &names);
    assert_ptr_equal(tact_body_get_user(again, body), &s.users[2]);
    tact_world_release(again);
    tact_bytes_release(&bytes);
    /* a context that the names do not know */
    tact_body_set_shape(world, body, stranger);
    assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), &def, &report), TACT_BAD_ARGUMENT);
    assert_non_null(strstr(report.text, "context of a support function"));
    tact_bytes_release(&bytes);
    /* a number that the names do not know */
    tact_shape *ball = tact_sphere(1);
    tact_body_set_shape(world, body, ball);
    assert_int_equal(tact_world_store_previous(world), TACT_OK);
    bytes = save_or_die(world, NULL); /* the user pointer is number 1 */
    again = restore_or_die(&bytes, NULL);
    assert_null(tact_body_get_user(again, body));
    tact_world_release(again);
    assert_null(tact_world_restore(bytes.data, bytes.size, &def, &report));
    assert_non_null(strstr(report.text, "id 1"));
    tact_bytes_release(&bytes);
    tact_bytes_release(&plain);
    tact_world_release(world);
    tact_shape_release(own);
    tact_shape_release(stranger);
    tact_shape_release(ball);
}

/* ---- record and replay ---- */

typedef struct watching {
    long seen;
} watching;

static void watch(void *context, const tact_contact *contact)
{
    assert_non_null(contact->world);
    ++((watching *)context)->seen;
}

/* Random calls, recorded from the start or the middle, come out the same: every contact, and the world in the end. */
static void test_happens_again(void **state)
{
    (void)state;
    tact_shape *shapes[KINDS];
    long contacts = 0, nested = 0, calls = 0;
    make_shapes(shapes, 4, true);
    for (uint64_t seed = 1; seed <= seeds(6); ++seed) {
        static stage s;
        tact_report report;
        tact_bytes film = {0};
        watching seen = {0};
        set_stage(&s, tact_world_create(NULL), shapes, seed + 100);
        tact_pointer_map names = names_of(&s);
        tact_record_def def = {.pointer_map = &names, .contact_callback = watch, .contact_context = &seen};
        for (int i = 0; i < (seed % 2 == 0 ? 100 : 0); ++i)
            act(&s);
        tact_record *record = tact_record_begin(s.world, tact_bytes_sink(&film), &def, &report);
        assert_non_null(record);
        assert_null(tact_record_begin(s.world, tact_bytes_sink(&film), &def, &report)); /* one at a time */
        long before = s.contacts, before_nested = s.nested;
        for (int i = 0; i < 250; ++i)
            act(&s);
        assert_int_equal(tact_record_end(record, &report), TACT_OK);
        long recorded = s.contacts - before;
        nested += s.nested - before_nested;
        uint64_t hash = s.hash;
        act(&s); /* not recorded */
        tact_replay *replay = tact_replay_begin(film.data, film.size, &def, &report);
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
        assert_int_equal(seen.seen, recorded);
        assert_true(s.hash == hash); /* the caller's own responses are not called */
        contacts += recorded;
        calls += (long)tact_replay_get_call_count(replay);
        assert_int_equal(tact_replay_step(replay, NULL), TACT_REPLAY_END); /* and stays so */
        tact_bytes saved = save_or_die(tact_replay_get_world(replay), &names);
        tact_world *taken = tact_replay_take_world(replay);
        tact_bytes again = save_or_die(taken, &names);
        assert_true(same_bytes(&saved, &again));
        tact_world_release(taken);
        tact_bytes_release(&saved);
        tact_bytes_release(&again);
        tact_bytes_release(&film);
        tact_world_release(s.world);
    }
    print_message("%ld calls, %ld contacts, %ld calls in responses\n", calls, contacts, nested);
    assert_true(contacts > 500 && nested > 100 && calls > 1000);
    release_shapes(shapes);
}

/* The world that a replay ends with is the one that was recorded, byte for byte, and goes on like it. */
static void test_ends_the_same(void **state)
{
    (void)state;
    tact_shape *shapes[KINDS];
    make_shapes(shapes, 5, true);
    for (uint64_t seed = 1; seed <= seeds(6); ++seed) {
        static stage s, other;
        tact_report report;
        tact_bytes film = {0};
        set_stage(&s, tact_world_create(NULL), shapes, seed + 200);
        tact_pointer_map names = names_of(&s), others = names_of(&other);
        tact_record *record =
            tact_record_begin(s.world, tact_bytes_sink(&film), &(tact_record_def){.pointer_map = &names}, &report);
        for (int i = 0; i < 300; ++i)
            act(&s);
        assert_int_equal(tact_record_end(record, &report), TACT_OK);
        tact_replay *replay =
            tact_replay_begin(film.data, film.size, &(tact_record_def){.pointer_map = &others}, &report);
        assert_int_equal(tact_replay_run(replay, &report), TACT_REPLAY_END);
        other = s;
        other.world = tact_replay_take_world(replay);
        tact_bytes one = save_or_die(s.world, &names), two = save_or_die(other.world, &others);
        assert_true(same_bytes(&one, &two));
        for (int i = 0; i < 100; ++i) {
            act(&s);
            act(&other);
            assert_true(s.hash == other.hash);
        }
        tact_world_release(other.world);
        tact_world_release(s.world);
        tact_bytes_release(&one);
        tact_bytes_release(&two);
        tact_bytes_release(&film);
    }
    release_shapes(shapes);
}

/* The world is released while it is recorded, plainly or by a response; and a record outlives it. */
static void test_release(void **state)
{
    (void)state;
    tact_shape *shapes[KINDS];
    make_shapes(shapes, 6, false);
    for (int from_response = 0; from_response < 2; ++from_response) {
        static stage s;
        tact_report report;
        tact_bytes film = {0};
        set_stage(&s, tact_world_create(NULL), shapes, 300);
        s.quiet = true;
        tact_record *record = tact_record_begin(s.world, tact_bytes_sink(&film), NULL, &report);
        s.release_soon = from_response;
        tact_count count = tact_world_test(s.world);
        assert_true(from_response ? count.count == 1 : count.count > 1);
        if (!from_response)
            tact_world_release(s.world);
        assert_int_equal(tact_record_end(record, &report), TACT_OK);
        tact_replay *replay = tact_replay_begin(film.data, film.size, NULL, &report);
        tact_replay_state end = tact_replay_run(replay, &report);
        if (end != TACT_REPLAY_END)
            fail_msg("%s", report.text);
        assert_int_equal(tact_replay_get_call_count(replay), from_response ? 1 : 2);
        assert_null(tact_replay_get_world(replay));
        assert_null(tact_replay_take_world(replay));
        assert_int_equal(tact_replay_step(replay, &report), TACT_REPLAY_END); /* it is still there */
        tact_replay_release(replay);
        tact_bytes_release(&film);
    }
    release_shapes(shapes);
}

/* What a response must not do to a record, and a watcher to a replay. */
typedef struct meddler {
    tact_record *record;
    tact_replay *replay;
    int calls;
} meddler;

static void meddle(void *context, const tact_contact *c)
{
    meddler *m = context;
    ++m->calls;
    tact_bytes bytes = {0};
    assert_null(tact_record_begin(c->world, tact_bytes_sink(&bytes), NULL, NULL));
    if (m->record != NULL)
        assert_int_equal(tact_record_end(m->record, NULL), TACT_BAD_ARGUMENT);
    if (m->replay != NULL) {
        assert_int_equal(tact_replay_step(m->replay, NULL), TACT_REPLAY_FAILED);
        assert_null(tact_replay_take_world(m->replay));
        tact_replay_release(m->replay); /* when the step is done */
    }
}

static void test_meddling(void **state)
{
    (void)state;
    tact_report report;
    tact_shape *ball = tact_sphere(1);
    tact_world *world = tact_world_create(NULL);
    meddler m = {0};
    (void)tact_body_create(world, &(tact_body_def){.shape = ball});
    (void)tact_body_create(world, &(tact_body_def){.shape = ball});
    (void)tact_world_set_contact_callback(world, (tact_response){.callback = meddle, .context = &m});
    tact_bytes film = {0};
    m.record = tact_record_begin(world, tact_bytes_sink(&film), NULL, &report);
    assert_int_equal(tact_world_test(world).count, 1);
    assert_int_equal(tact_world_test(world).count, 1);
    assert_int_equal(tact_record_check(m.record, &report), TACT_OK);
    assert_int_equal(tact_record_end(m.record, &report), TACT_OK);
    m.record = NULL;
    m.replay = tact_replay_begin(film.data, film.size,
                                 &(tact_record_def){.contact_callback = meddle, .contact_context = &m}, &report);
    assert_int_equal(tact_replay_run(m.replay, &report), TACT_REPLAY_CALL); /* released after the first */
    assert_int_equal(m.calls, 3);
    tact_bytes_release(&film);
    tact_world_release(world);
    tact_shape_release(ball);
}

/* NULL, everywhere. */
static void test_nothing(void **state)
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
    assert_string_equal(tact_replay_get_call(NULL), "");
    tact_replay_release(NULL);
    tact_bytes_release(NULL);
    assert_int_equal(tact_bytes_load(NULL, "x", &report), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_bytes_load(&bytes, NULL, &report), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_bytes_load(&bytes, "/nowhere/to/be/found", &report), TACT_BAD_ARGUMENT);
    tact_bytes_release(&bytes);
    tact_world_release(world);
}

/* Through a file. */
static void test_file(void **state)
{
    (void)state;
    const char *path = "test_record.tmp";
    tact_shape *shapes[KINDS];
    tact_report report;
    make_shapes(shapes, 7, false);
    tact_world *world = tact_world_create(NULL);
    for (int i = 0; i < KINDS; ++i)
        (void)tact_body_create(world, &(tact_body_def){.shape = shapes[i]});
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(tact_world_save(world, tact_file_sink(file), NULL, NULL), TACT_OK);
    assert_int_equal(fclose(file), 0);
    tact_bytes bytes = save_or_die(world, NULL), read = {0};
    assert_int_equal(tact_bytes_load(&read, path, &report), TACT_OK);
    assert_true(same_bytes(&bytes, &read));
    assert_int_equal(tact_bytes_load(&read, path, &report), TACT_OK); /* once more, behind it */
    assert_int_equal(read.size, 2 * bytes.size);
    assert_int_equal(remove(path), 0);
    tact_bytes_release(&bytes);
    tact_bytes_release(&read);
    tact_world_release(world);
    release_shapes(shapes);
}

/* Meshes, soups and compounds of nothing, as parts of something. */
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

/* ---- the format, as docs/record.md tells it, read without our own reader ---- */

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

static uint64_t hash_as_told(const unsigned char *bytes, size_t size, uint64_t seed)
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

/* A record of one body that is placed, byte for byte. It changes only with the version of the format. */
static void test_format(void **state)
{
    (void)state;
    static const unsigned char head[16] = {0x89, 0x54, 0x41, 0x43, 0x54, 0x0d, 0x0a, 0x1a, 2, 0, 0, 0, 0, 0, 0, 0};
    static const struct {
        uint64_t type, length;
    } blocks[] = {{2, 52}, {1, 20}, {3, 320}, {9, 0}, {35, 104}, {11, 0}};
    tact_shape *ball = tact_sphere(2);
    tact_world *world = tact_world_create(NULL);
    tact_body_def def = {.shape = ball, .transform = tact_at(5, 6, 7), .user = &def, .class_id = 3, .mask = 9};
    tact_body body = tact_body_create(world, &def);
    tact_bytes film = {0};
    tact_record *record = tact_record_begin(world, tact_bytes_sink(&film), NULL, NULL);
    assert_int_equal(tact_body_set_transform(world, body, tact_at(8, 0, 0)), TACT_OK);
    assert_int_equal(tact_record_end(record, NULL), TACT_OK);
    assert_memory_equal(film.data, head, sizeof head);
    const unsigned char *at = film.data + 16, *contents[6];
    uint64_t hash = hash_as_told(film.data, 16, 0);
    for (int i = 0; i < 6; ++i) {
        assert_int_equal(word(at, 4), blocks[i].type);
        assert_int_equal(word(at + 4, 8), blocks[i].length);
        contents[i] = at + 12;
        hash = hash_as_told(at, 12 + blocks[i].length, hash);
        at += 12 + blocks[i].length;
        assert_true(word(at, 8) == hash);
        at += 8;
    }
    assert_ptr_equal(at, film.data + film.size);
    const unsigned char *w = contents[0], *s = contents[1], *b = contents[2], *call = contents[4];
    assert_true(word(w, 4) == 0 && word(w + 4, 4) == 2 && word(w + 8, 4) == 1 && word(w + 12, 4) == 1);
    assert_true(word(w + 16, 8) == 1 && word(w + 24, 4) == 0 && word(w + 36, 8) == 0 && word(w + 44, 8) == 0);
    assert_true(word(s, 4) == 5 && number(s + 4) == 0.0 && number(s + 12) == 2.0);
    assert_true(word(b, 4) == 0 && word(b + 4, 4) == 1 && word(b + 8, 8) == 0 && word(b + 16, 4) == 0);
    assert_true(word(b + 20, 4) == 3 && word(b + 24, 8) == UINT64_MAX && word(b + 32, 8) == 9);
    assert_true(word(b + 40, 8) == 1 && word(b + 48, 4) == 0 && word(b + 52, 4) == 0);
    assert_true(number(b + 56) == 1.0 && number(b + 128) == 5.0 && number(b + 144) == 7.0 && number(b + 224) == 5.0);
    assert_true(word(call, 4) == 0 && word(call + 4, 4) == 1 && number(call + 8) == 1.0 && number(call + 80) == 8.0);
    tact_bytes_release(&film);
    tact_world_release(world);
    tact_shape_release(ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hulls),           cmocka_unit_test(test_shapes),        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_small_worlds),    cmocka_unit_test(test_names),         cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_happens_again),   cmocka_unit_test(test_ends_the_same), cmocka_unit_test(test_release),
        cmocka_unit_test(test_meddling),        cmocka_unit_test(test_nothing),       cmocka_unit_test(test_file),
        cmocka_unit_test(test_empty_shapes),    cmocka_unit_test(test_axes),          cmocka_unit_test(test_format),
        cmocka_unit_test(test_deformed_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
