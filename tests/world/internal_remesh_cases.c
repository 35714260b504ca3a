/*
 * Tearing, case by case: a call that fails, out of memory or for a bad argument, must change nothing; forged bytes must
 * be rejected or give a valid world. Its parts by themselves: trees with insertion and removal, sweeps whose triangles
 * change. Limits of the cost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/record.h>
#include <tact/step.h>
#include <tact/tact.h>

#include "core/hash.h"
#include "step/step.h"
#include "support/failing_allocator.h"
#include "support/long_form.h"
#include "sweep/sweep_internal.h"
#include "world/remesh_model.h"
#include "world/world_internal.h"

/* ---- forged: the hashes are right ---- */

static void reseal(unsigned char *data, size_t size)
{
    uint64_t hash = hash_bytes(data, 16, 0);
    for (size_t at = 16; at + 20 <= size; at += 20 + length_at(data + at)) {
        const size_t length = length_at(data + at);
        hash = hash_bytes(data + at, 12 + length, hash);
        (void)store_le64(data + at + 12 + length, hash);
    }
}

/* Whatever the words of a torn body's blocks are, it is refused, or a world that can be used. */
static void forged_mesh_edits_are_refused_or_valid(void **state)
{
    (void)state;
    static model m;
    size_t refused = 0, taken = 0;
    random_source r = random_seed(7);
    tally t = {0};
    tact_shape *sheet = grid(&m, 3);
    tact_world *world = tact_world_create(&alone);
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true});
    m.tears = true;
    change_some(&m, world, body, &r, &t);
    split_vertex(&m, world, body, &r, &t);
    assert_int_equal(tact_world_store_previous(world), TACT_OK);
    split_vertex(&m, world, body, &r, &t);
    tact_bytes bytes = {0};
    assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
    unsigned char *copy = malloc(bytes.size);
    for (size_t block = 16; block + 20 <= bytes.size; block += 20 + length_at(bytes.data + block))
        for (size_t at = block + 12; at + 4 <= block + 12 + length_at(bytes.data + block); at += 4) {
            const uint32_t was = load_le32(bytes.data + at);
            const uint32_t words[6] = {0, was + 1, was - 1, 5, UINT32_MAX, was ^ 8};
            for (int i = 0; i < (long_form() ? 6 : quick_form() ? 1 : 2); ++i) {
                memcpy(copy, bytes.data, bytes.size);
                (void)store_le32(copy + at, words[i]);
                reseal(copy, bytes.size);
                tact_world *forged =
                    tact_world_restore(copy, bytes.size, &(tact_record_def){.parallel = {.threads = 1}}, NULL);
                refused += forged == NULL;
                taken += forged != NULL;
                if (forged == NULL)
                    continue;
                for (uint32_t n = 0; n < 4; ++n) {
                    const uint32_t face = n % 3;
                    (void)tact_body_change_faces(forged, body, &face,
                                                 (const uint32_t[1][3]){{n % 2 ? 0 : TACT_NO_VERTEX, 1, 4}}, 1);
                    (void)tact_body_add_vertices(forged, body, m.places, 1);
                    (void)tact_body_deform(forged, body,
                                           (tact_vertices){m.places, tact_body_get_vertices(forged, body, NULL, 0), 0,
                                                           TACT_SCALAR_DOUBLE});
                    (void)tact_world_test(forged);
                    (void)tact_body_set_step_positions(forged, body, m.places, m.to);
                    (void)tact_step_find_contacts(forged, NULL);
                    (void)tact_world_store_previous(forged);
                }
                (void)tact_mesh_check(tact_body_get_current_shape(forged, body));
                tact_world_release(forged);
            }
        }
    assert_true(refused > 75 && taken > 30 && (quick_form() || (refused > 150 && taken > 60)));
    free(copy);
    tact_bytes_release(&bytes);
    tact_world_release(world);
    tact_shape_release(sheet);
}

/* ---- what fails changes nothing ---- */

static void refused_changes_change_nothing(void **state)
{
    (void)state;
    static model m;
    const uint64_t seed = 1;
    tact_shape *sheet = grid(&m, 5), *room = make_room(), *sphere = tact_sphere(1.0);
    const uint32_t polygon[4] = {0, 1, 6, 5}, size = 4;
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){m.places, 25, 0, TACT_SCALAR_DOUBLE};
    def.indices = polygon;
    def.index_count = 4;
    def.loop_sizes = &size;
    def.loop_count = 1;
    tact_shape *square = tact_mesh_create(&def, NULL), *soup = tact_soup_create(&def, NULL);
    tact_world *world = tact_world_create(&alone);
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true});
    const tact_shape *others[5] = {sheet, room, sphere, square, soup};
    const uint32_t face[3] = {3, 32, 33}, good[3][3] = {{0, 1, 2}, {4, 5, 6}, {7, 8, 9}};
    const tact_vec3 place = {0, 0, 0};
    for (int torn = 0; torn < 2; ++torn) {
        tact_world *was = restore_of(world);
        for (int i = 0; i < 5; ++i) { /* rigid; solid; convex; polygons; pieces */
            const tact_body other =
                tact_body_create(world, &(tact_body_def){.shape = others[i], .deformable = i == 1 || i > 2});
            assert_int_not_equal(other.generation, 0);
            assert_int_equal(tact_body_change_faces(world, other, face, good, 1), TACT_BAD_ARGUMENT);
            assert_int_equal(tact_body_add_vertices(world, other, &place, 1), TACT_BAD_ARGUMENT);
            assert_int_equal(tact_body_remove(world, other), TACT_OK);
            assert_int_equal(tact_body_change_faces(world, other, face, good, 1), TACT_BAD_ARGUMENT);
            assert_int_equal(tact_body_get_faces(world, other, NULL, 0), 0);
        }
        tact_world_release(was);
        was = restore_of(world);
        const uint32_t number = m.face_count;
        assert_int_equal(tact_body_change_faces(NULL, body, face, good, 1), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_change_faces(world, body, NULL, good, 1), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_change_faces(world, body, face, NULL, 1), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_change_faces(world, body, NULL, NULL, 0), TACT_OK);
        assert_int_equal(tact_body_change_faces(world, body, face, good, SIZE_MAX), TACT_BAD_ARGUMENT);
        /* out of range, with a gap, twice */
        const uint32_t lists[4][3] = {
            {2, 3, UINT32_MAX}, {2, number + 1, number}, {4, 5, 4}, {number, number + 1, number}};
        for (int i = 0; i < 4; ++i)
            assert_int_equal(tact_body_change_faces(world, body, lists[i], good, 3), TACT_BAD_ARGUMENT);
        const uint32_t bad[3][3] = {{0, 1, 2}, {4, m.vertex_count, 6}, {7, 8, 9}},
                       worse[3][3] = {{0, 1, 2}, {4, 5, 6}, {7, 8, TACT_NO_VERTEX}};
        assert_int_equal(tact_body_change_faces(world, body, (const uint32_t[]){1, 2, 3}, bad, 3), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_change_faces(world, body, (const uint32_t[]){1, 2, 3}, worse, 3), TACT_BAD_ARGUMENT);
        const tact_vec3 odd[4] = {{0, NAN, 0}, {INFINITY, 0, 0}, {0, 0, -1e149}, {1e300, 0, 0}};
        for (int i = 0; i < 4; ++i)
            assert_int_equal(tact_body_add_vertices(world, body, &odd[i], 1), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_add_vertices(world, body, NULL, 1), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_add_vertices(world, body, NULL, 0), TACT_OK);
        assert_int_equal(tact_body_add_vertices(world, body, &place, SIZE_MAX), TACT_BAD_ARGUMENT);
        same_bytes(world, was, seed);
        tact_world_release(was);
        /* all at once is not possible, all but one is */
        static uint32_t all[MOST], none[MOST][3];
        for (uint32_t i = 0; i < number; ++i)
            all[i] = i;
        memset(none, 0xff, sizeof none);
        assert_int_equal(tact_body_change_faces(world, body, all, (const uint32_t(*)[3])none, number),
                         TACT_BAD_ARGUMENT);
        if (torn)
            assert_int_equal(tact_body_change_faces(world, body, all, (const uint32_t(*)[3])none, number - 1), TACT_OK);
        else
            send(&m, world, body, (const uint32_t[]){1, 32, 33}, good, 3);
    }
    tact_world_release(world);
    for (int i = 0; i < 5; ++i)
        tact_shape_release((tact_shape *)(uintptr_t)others[i]);
}

/* A response of a step must not tear what is being resolved. */
/* The first change of a deformed body reserves memory before it finds the bad argument. */
static void refused_first_changes_leave_the_faces(void **state)
{
    (void)state;
    static model m;
    for (int mistake = 0; mistake < 2; ++mistake) {
        tact_shape *sheet = grid(&m, 5);
        tact_world *world = tact_world_create(&alone);
        const tact_body body = tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true});
        m.places[3].y = 0.25;
        const tact_vertices lent = {.data = m.places, .count = m.vertex_count};
        assert_int_equal(tact_body_deform(world, body, lent), TACT_OK);
        uint32_t faces[MOST], gone[MOST][3];
        for (uint32_t i = 0; i < m.face_count; ++i) {
            faces[i] = mistake == 0 ? i : 7; /* none left, or named twice */
            gone[i][0] = gone[i][1] = gone[i][2] = TACT_NO_VERTEX;
        }
        const size_t count = mistake == 0 ? m.face_count : 2;
        assert_int_equal(tact_body_change_faces(world, body, faces, (const uint32_t(*)[3])gone, count),
                         TACT_BAD_ARGUMENT);
        uint32_t found[MOST][3];
        assert_int_equal(tact_body_get_faces(world, body, found, MOST), m.face_count);
        assert_memory_equal(found, m.faces, m.face_count * sizeof *found);
        tact_world_release(world);
        tact_shape_release(sheet);
    }
}

static void tear_within(void *context, const tact_feature_contact *contact, const tact_vec3 from[4], tact_vec3 to[4])
{
    tact_world *world = *(tact_world **)context;
    const uint32_t face = 0;
    assert_int_equal(
        tact_body_change_faces(world, contact->a, &face, (const uint32_t[1][3]){{TACT_NO_VERTEX, 0, 0}}, 1),
        TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_add_vertices(world, contact->a, from, 1), TACT_BAD_ARGUMENT);
    memcpy(to, from, 4 * sizeof *to);
    *(tact_world **)context = world;
}

static void responses_of_steps_cannot_tear(void **state)
{
    (void)state;
    static model m;
    tact_shape *sheet = grid(&m, 6), *block = tact_box(0.6, 0.4, 0.6);
    tact_world *world = tact_world_create(&alone);
    tact_body_create(world, &(tact_body_def){.shape = block});
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true});
    for (uint32_t i = 0; i < m.vertex_count; ++i) {
        m.places[i].y = 0.3;
        m.to[i] = vec_sub(m.places[i], vec_make(0.0, 0.2, 0.0));
    }
    tact_step_def def = tact_step_def_default();
    def.callback = tear_within;
    def.context = &world;
    assert_int_equal(tact_body_set_step_positions(world, body, m.places, m.to), TACT_OK);
    const tact_step_result done = tact_step_resolve(world, &def);
    assert_true(done.status == TACT_OK && done.contacts > 0);
    tact_world_release(world);
    tact_shape_release(sheet);
    tact_shape_release(block);
}

/* Every allocation of every kind of call fails once: nothing has changed, and the call can be made again. */
static void lack_of_memory_changes_nothing(void **state)
{
    (void)state;
    static model m;
    const uint64_t seed = 1;
    size_t failures = 0;
    for (int kind = 0; kind < 8; ++kind) {
        tact_shape *sheet = grid(&m, 6);
        for (long fail_at = 1;; ++fail_at) {
            failing_allocator memory = {0};
            tact_world *world = tact_world_create(
                &(tact_world_def){.allocator = failing_allocator_make(&memory), .parallel = {.threads = 1}});
            const tact_body body = tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true});
            static double masses[MOST];
            static uint32_t faces[400], corners[400][3];
            static tact_vec3 places[200];
            for (uint32_t i = 0; i < MOST; ++i)
                masses[i] = 1.0;
            for (uint32_t i = 0; i < 400; ++i) {
                faces[i] = i < 30 ? i : 20 + i;
                for (uint32_t k = 0; k < 3; ++k)
                    corners[i][k] = (i * 7 + k * 5) % 36;
            }
            memset(places, 0, sizeof places);
            if (kind > 3) { /* torn before, with or without the previous shape stored */
                assert_int_equal(tact_body_change_faces(world, body, faces, (const uint32_t(*)[3])corners, 3), TACT_OK);
                if (kind % 2)
                    assert_int_equal(tact_world_store_previous(world), TACT_OK);
            }
            assert_int_equal(tact_body_set_inverse_vertex_masses(world, body, masses), TACT_OK);
            assert_int_equal(tact_body_set_step_positions(world, body, m.places, m.places), TACT_OK);
            const size_t count = 30;
            for (size_t i = 0; i < 30; ++i)
                faces[i] = i < 10 ? (uint32_t)i : (uint32_t)(40 + i); /* 50 there are */
            tact_world *was = restore_of(world);
            memory.calls = 0;
            memory.fail_at = fail_at;
            tact_status status = TACT_OK;
            const tact_vertices lent = {m.places, 36, 0, TACT_SCALAR_DOUBLE};
            switch (kind) {
            case 0:
            case 4:
            case 5:
                status = tact_body_change_faces(world, body, faces, (const uint32_t(*)[3])corners, count);
                break;
            case 1:
            case 6:
                status = tact_body_add_vertices(world, body, places, 200);
                break;
            case 2:
            case 7:
                status = tact_body_deform(world, body, lent);
                break;
            default:
                status = tact_step_find_contacts(world, NULL).status;
                break;
            }
            memory.fail_at = 0;
            const bool failed = memory.calls >= fail_at && status != TACT_OK;
            if (failed) {
                ++failures;
                assert_int_equal(status, TACT_OUT_OF_MEMORY);
                same_bytes(world, was, seed);
                const tact_feature_contacts first = tact_step_find_contacts(world, NULL);
                assert_int_equal(first.status, TACT_OK);
            }
            const bool end = memory.calls < fail_at;
            if (kind == 0 && status == TACT_OK) /* and a step, each allocation of which fails */
                for (long at = 1;; ++at) {
                    assert_int_equal(tact_body_set_step_positions(world, body, m.places, m.places), TACT_OK);
                    const size_t met = tact_step_find_contacts(world, NULL).count;
                    const uint32_t face = (uint32_t)(at % 7);
                    assert_int_equal(tact_body_change_faces(world, body, &face, (const uint32_t[1][3]){{1, 2, 3}}, 1),
                                     TACT_OK);
                    memory.calls = 0;
                    memory.fail_at = at;
                    const tact_status stepped = tact_step_find_contacts(world, NULL).status;
                    memory.fail_at = 0;
                    assert_true(stepped == TACT_OK || stepped == TACT_OUT_OF_MEMORY);
                    failures += stepped != TACT_OK;
                    assert_int_equal(tact_step_find_contacts(world, NULL).status, TACT_OK);
                    (void)met;
                    if (memory.calls < at || at > 60)
                        break;
                }
            tact_world_release(was);
            tact_world_release(world);
            assert_int_equal(memory.held, 0);
            if (end)
                break;
        }
        tact_shape_release(sheet);
    }
    assert_true(failures > 50);
}

/* ---- the tree ---- */

static box random_box(random_source *r)
{
    const tact_vec3 a = random_place(r), b = vec_add(a, vec_scale(random_place(r), random_chance(r, 0.1) ? 1.0 : 0.1));
    return tact_box_of_points((const tact_vec3[2]){a, b}, 2);
}

static void trees_stay_well_formed(void **state)
{
    (void)state;
    enum { THINGS = 600 };
    static box boxes[THINGS];
    size_t emptied = 0, deep = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(60); ++seed) {
        random_source r = random_seed(seed);
        failing_allocator memory = {0};
        aabb_tree_def def = aabb_tree_def_default();
        aabb_tree tree;
        tact_report report;
        uint32_t count = (uint32_t)random_below(&r, 200);
        def.parent_links = true;
        def.allocator = failing_allocator_make(&memory);
        for (uint32_t i = 0; i < count; ++i)
            boxes[i] = random_box(&r);
        assert_int_equal(tact_aabb_tree_build(&tree, boxes, count, &def), TACT_OK);
        const bool row = seed % 4 == 0; /* each beside the last, ever smaller: the path becomes too long */
        for (int i = 0; i < 500; ++i) {
            const bool grow = random_chance(&r, row ? 1.0 : i % 200 < 100 ? 0.7 : 0.25);
            if (grow && count < THINGS) {
                boxes[count] = random_box(&r);
                if (row) {
                    const double x = ldexp(1.0, -i / 4);
                    boxes[count] = tact_box_of_points((const tact_vec3[2]){{x, x, x}, {1.5 * x, 1.5 * x, 1.5 * x}}, 2);
                }
                assert_true(tact_aabb_tree_reserve(&tree, tree.node_count + 1, count + 1));
                tact_aabb_tree_insert(&tree, &boxes[count++]);
            } else if (count > 0) {
                const uint32_t thing = (uint32_t)random_below(&r, count);
                tact_aabb_tree_remove(&tree, thing);
                boxes[thing] = boxes[--count];
                emptied += count == 0;
            }
            if (count > 0 && random_chance(&r, 0.2)) {
                const uint32_t thing = (uint32_t)random_below(&r, count);
                boxes[thing] = random_box(&r);
                if (random_chance(&r, 0.5)) {
                    tact_aabb_tree_refit_one(&tree, thing, &boxes[thing]);
                } else {
                    assert_true(tact_aabb_tree_reserve(&tree, tree.node_count + 1, count));
                    tact_aabb_tree_move(&tree, thing, &boxes[thing]);
                }
            }
            CHECK(tact_aabb_tree_check(&tree, boxes, &report) == TACT_OK, "%d: %s", i, report.text);
        }
        deep += tree.built_cost == 0.0;
        tact_aabb_tree_release(&tree);
        assert_int_equal(memory.held, 0);
    }
    if (!few_cases())
        assert_true(emptied > 10 && deep > 2);
}

/* ---- the sweep ---- */

/* The feature assignment after changes of a few triangles equals a new assignment of all. */
static void sweeps_assign_each_feature_to_one_triangle(void **state)
{
    (void)state;
    enum { SIDE = 37 };
    static model m;
    static uint32_t things[MOST][4];
    size_t few = 0, many = 0, failures = 0;
    failing_allocator memory = {0};
    tact_shape *sheet = grid(&m, SIDE);
    for (uint64_t seed = first_seed(); seed <= last_seed(4); ++seed) {
        random_source r = random_seed(seed);
        sweep_def def = sweep_def_default();
        const uint32_t edges[2][2] = {{3, 900}, {7, 7}}, points[2] = {SIDE * SIDE, 5};
        def.vertices = m.places;
        def.vertex_count = SIDE * SIDE + 20;
        def.triangles = (const uint32_t(*)[3])m.faces;
        def.triangle_count = m.face_count;
        def.edges = edges;
        def.edge_count = 2;
        def.points = points;
        def.point_count = 2;
        def.remeshable = true;
        def.allocator = failing_allocator_make(&memory);
        struct mesh_sweep *swept;
        assert_int_equal(tact_mesh_sweep_create(&swept, &def), TACT_OK);
        feature_assignment_scratch scratch;
        assert_true(
            tact_feature_assignment_scratch_allocate(&scratch, swept->item_count, swept->vertex_count, &def.allocator));
        static uint32_t all[MOST]; /* from then on the first in the tree's order stands for a feature */
        for (uint32_t i = 0; i < m.face_count; ++i)
            all[i] = i;
        assert_int_equal(tact_mesh_sweep_set_triangles(swept, all, def.triangles, m.face_count), TACT_OK);
        for (int i = 0; i < 300; ++i) {
            uint32_t faces[40], corners[40][3];
            const size_t count = random_chance(&r, 0.05) ? 40 : 1 + random_below(&r, 3);
            const uint32_t near = (uint32_t)random_below(&r, m.face_count - 40);
            for (uint32_t k = 0; k < count; ++k) {
                faces[k] = count == 40 ? (uint32_t)random_below(&r, m.face_count) : near + k;
                const bool leave = random_chance(&r, 0.3), back = random_chance(&r, 0.5);
                for (uint32_t j = 0; j < 3; ++j)
                    corners[k][j] = leave  ? SWEEP_ABSENT
                                    : back ? m.faces[faces[k]][j]
                                           : (faces[k] / 2 + (uint32_t)random_below(&r, 50)) % (SIDE * SIDE + 20);
            }
            memcpy(things, swept->items, swept->item_count * sizeof *things);
            for (long n = 1; i % 10 == 0 && n < 100; ++n) { /* each allocation fails once */
                memory.calls = 0;
                memory.fail_at = n;
                const tact_status status =
                    tact_mesh_sweep_set_triangles(swept, faces, (const uint32_t(*)[3])corners, count);
                memory.fail_at = 0;
                if (status == TACT_OK)
                    break;
                ++failures;
                CHECK(status == TACT_OUT_OF_MEMORY &&
                          memcmp(things, swept->items, swept->item_count * sizeof *things) == 0,
                      "call %ld", n);
            }
            assert_int_equal(tact_mesh_sweep_set_triangles(swept, faces, (const uint32_t(*)[3])corners, count),
                             TACT_OK);
            memcpy(things, swept->items, swept->item_count * sizeof *things);
            tact_assign_features(things, swept->item_count, swept->vertex_count, &scratch);
            CHECK(memcmp(things, swept->items, swept->item_count * sizeof *things) == 0, "change %d", i);
            few += count < 40;
            many += count == 40;
        }
        tact_feature_assignment_scratch_free(&scratch, &def.allocator);
        tact_mesh_sweep_release(swept);
    }
    assert_int_equal(memory.held, 0);
    assert_true(few_cases() || (few > 1000 && many > 20 && failures > 500));
    tact_shape_release(sheet);
}

/* ---- what it costs ---- */

/* In a cloth of 20,000 triangles one changes: the sweep of the step is followed, not made, and what is looked at and
 * taken does not depend on how many there are. */
static void cost_is_in_proportion(void **state)
{
    (void)state;
    enum { SIDE = 101, COUNT = SIDE * SIDE, FACES = 2 * (SIDE - 1) * (SIDE - 1) };
    static tact_vec3 places[COUNT];
    static uint32_t corners[FACES][3];
    uint32_t n = 0;
    for (uint32_t i = 0; i < COUNT; ++i) {
        const uint32_t x = i % SIDE, y = i / SIDE;
        places[i] = tact_vec(x, 0.1 * sin(x + 2.0 * y), y);
        if (x + 1 == SIDE || y + 1 == SIDE)
            continue;
        const uint32_t two[6] = {i, i + 1, i + SIDE, i + 1, i + SIDE + 1, i + SIDE};
        memcpy(corners[n++], two, 3 * sizeof *two);
        memcpy(corners[n++], two + 3, 3 * sizeof *two);
    }
    failing_allocator memory = {0};
    tact_shape *sheet = tact_mesh(places, COUNT, &corners[0][0], FACES);
    tact_world *world =
        tact_world_create(&(tact_world_def){.allocator = failing_allocator_make(&memory), .parallel = {.threads = 1}});
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true});
    assert_int_equal(tact_body_set_step_positions(world, body, places, places), TACT_OK);
    uint32_t face = 777;
    for (uint32_t i = 0; i < 2; ++i) /* removed and added again: from then on the capacity suffices */
        assert_int_equal(
            tact_body_change_faces(world, body, &face, (const uint32_t[1][3]){{i == 0 ? TACT_NO_VERTEX : 0, 1, 2}}, 1),
            TACT_OK);
    assert_int_equal(tact_step_find_contacts(world, NULL).status, TACT_OK);
    const struct mesh_sweep *made = world->step->finder.sweep;
    const mesh *m = tact_body_get_current_shape(world, body)->mesh;
    const void *nodes = m->tree.nodes;
    memory.calls = 0;
    for (uint32_t i = 0; i < 40; ++i) {
        face = 500 * i;
        assert_int_equal(tact_body_change_faces(world, body, &face, (const uint32_t[1][3]){{TACT_NO_VERTEX, 0, 0}}, 1),
                         TACT_OK);
        face = 777;
        assert_int_equal(tact_body_change_faces(world, body, &face, (const uint32_t[1][3]){{i, i + 1, i + SIDE}}, 1),
                         TACT_OK);
        if (i == 20)
            assert_int_equal(memory.calls, 0); /* no memory is taken, nothing is built */
        if (i % 4 == 0) {
            assert_int_equal(tact_step_find_contacts(world, NULL).status, TACT_OK);
            assert_ptr_equal(world->step->finder.sweep, made);
            memory.calls = i < 20 ? 0 : 1;
        }
    }
    assert_ptr_equal(m->tree.nodes, nodes);
    assert_ptr_equal(world->step->finder.sweep, made);
    tact_world_release(world);
    tact_shape_release(sheet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forged_mesh_edits_are_refused_or_valid),
        cmocka_unit_test(refused_changes_change_nothing),
        cmocka_unit_test(refused_first_changes_leave_the_faces),
        cmocka_unit_test(responses_of_steps_cannot_tear),
        cmocka_unit_test(lack_of_memory_changes_nothing),
        cmocka_unit_test(trees_stay_well_formed),
        cmocka_unit_test(sweeps_assign_each_feature_to_one_triangle),
        cmocka_unit_test(cost_is_in_proportion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
