/*
 * Tearing and remeshing: random changes of the faces and vertices of a deformable body, with deformation in between.
 * The body is compared with a newly created mesh of the same faces: queries of its shape, contacts of a step, results
 * of a step. Restored worlds and replayed calls must continue identically.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <tact/record.h>
#include <tact/step.h>
#include <tact/tact.h>

#include "core/union_find.h"
#include "shape/mesh_edit.h"
#include "step/step.h"
#include "support/failing_allocator.h"
#include "world/remesh_model.h"
#include "world/world_internal.h"

/* ---- is it sound? ---- */

static void check_inside(const tact_world *world, tact_body body, const model *m, uint64_t seed)
{
    const tact_shape *now = tact_body_get_current_shape(world, body);
    const struct mesh *torn = now->mesh;
    const deform *d = world->cold.items[body.index].deform;
    tact_report report;
    static box boxes[MOST];
    static uint32_t parent[MOST], corners[MOST][3];
    static bool seen[MOST];
    tact_mesh_element_boxes(torn, boxes);
    CHECK(tact_aabb_tree_check(&torn->tree, boxes, &report) == TACT_OK, "%s", report.text);
    CHECK(torn->tree.item_count == m->there && torn->index_count == 3 * m->there, "%u", torn->tree.item_count);
    CHECK(tact_body_get_faces(world, body, corners, MOST) == m->face_count, "faces");
    CHECK(memcmp(corners, m->faces, m->face_count * sizeof *corners) == 0, "corners");
    CHECK(tact_body_get_vertices(world, body, NULL, 0) == m->vertex_count, "vertices");
    for (uint32_t i = 0; i < torn->vertex_count; ++i)
        CHECK(vec_length_safe(torn->vertices[i]) <= torn->bounding_radius ||
                  d->adjacency.edit->first_corner[i] == MESH_EDIT_NONE,
              "reach");
    /* each part has a triangle that stands for it, and these are marked */
    union_find_init(parent, m->vertex_count);
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < m->there; ++i)
        for (uint32_t k = 1; k < 3; ++k)
            union_find_unite(parent, torn->indices[3 * i], torn->indices[3 * i + k]);
    uint32_t marks = 0;
    for (uint32_t i = 0; i < torn->component_count; ++i) {
        CHECK(torn->component_seeds[i] < m->there && (torn->edge_flags[torn->component_seeds[i]] & MESH_COMPONENT_SEED),
              "part %u", i);
        seen[union_find_root(parent, torn->indices[3 * torn->component_seeds[i]])] = true;
    }
    for (uint32_t i = 0; i < m->there; ++i) {
        CHECK(seen[union_find_root(parent, torn->indices[3 * i])], "no part for %u", i);
        marks += torn->edge_flags[i] != 0;
    }
    CHECK(marks == torn->component_count, "%u marks, %u parts", marks, torn->component_count);
}

/* Does the ray meet this face there? Several may be in one plane. */
static bool is_hit(const model *m, uint32_t face, tact_vec3 from, tact_vec3 direction, double t)
{
    const uint32_t *c = m->faces[face];
    if (c[0] == TACT_NO_VERTEX)
        return false;
    tact_shape *one = tact_mesh(m->places, m->vertex_count, c, 1);
    const tact_ray_hit hit = tact_shape_ray(one, tact_identity(), from, direction, INFINITY);
    tact_shape_release(one);
    return hit.state == TACT_HIT && hit.t == t;
}

static void check_crossings(const tact_shape *now, const tact_shape *fresh, const model *m, const tact_shape *knife,
                            uint64_t seed, tally *t)
{
    static tact_intersection one[6 * MOST], two[6 * MOST];
    const tact_intersections a = tact_shapes_intersections(now, tact_identity(), knife, tact_identity(), one, 6 * MOST);
    const tact_intersections b =
        tact_shapes_intersections(fresh, tact_identity(), knife, tact_identity(), two, 6 * MOST);
    CHECK(a.status == b.status && a.state == b.state && a.count == b.count, "%zu and %zu", a.count, b.count);
    for (size_t i = 0; i < a.count; ++i) {
        two[i].part_a.face = m->numbers[two[i].part_a.face];
        CHECK(one[i].part_a.face == two[i].part_a.face && one[i].part_b.face == two[i].part_b.face &&
                  one[i].type == two[i].type && vec_equal(one[i].from, two[i].from) && vec_equal(one[i].to, two[i].to),
              "crossing %zu: face %u, %u", i, one[i].part_a.face, two[i].part_a.face);
    }
    t->crossings += a.count;
}

/* Whether every query of the shape gives the same result as for a newly created mesh. */
static void check_shape(const tact_world *world, tact_body body, model *m, const tact_shape *knife,
                        const tact_shape *room, random_source *r, uint64_t seed, tally *t)
{
    tact_shape *fresh = make_anew(m);
    const tact_shape *now = tact_body_get_current_shape(world, body);
    check_inside(world, body, m, seed);
    for (int i = 0; i < 20; ++i) {
        const tact_vec3 from = random_place(r), to = random_place(r);
        const tact_ray_hit a = tact_shape_ray(now, tact_identity(), vec_scale(from, 3.0), vec_sub(to, from), INFINITY),
                           b = tact_shape_ray(fresh, tact_identity(), vec_scale(from, 3.0), vec_sub(to, from),
                                              INFINITY);
        CHECK(a.status == b.status && a.state == b.state && a.t == b.t, "%g and %g", a.t, b.t);
        CHECK(a.state != TACT_HIT || a.part.face == m->numbers[b.part.face] ||
                  is_hit(m, a.part.face, vec_scale(from, 3.0), vec_sub(to, from), a.t),
              "face %u", a.part.face);
        t->hits += a.state == TACT_HIT;
        const tact_closest c = tact_shape_closest(now, tact_identity(), from),
                           d = tact_shape_closest(fresh, tact_identity(), from);
        CHECK(c.status == d.status && c.distance == d.distance, "%g and %g", c.distance, d.distance);
        /* a small box around a part, or not */
        const double size = random_range(r, 0.05, 1.0);
        const tact_transform at =
            tact_transform_scale((tact_transform){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, to}, tact_vec(size, size, size));
        const tact_overlap e = tact_shapes_overlap(now, tact_identity(), room, at, NULL),
                           f = tact_shapes_overlap(fresh, tact_identity(), room, at, NULL);
        CHECK(e.status == f.status && e.state == f.state, "touching");
        t->touching += e.state == TACT_HIT;
        const tact_intersections none = tact_shapes_intersections(now, tact_identity(), room, at, NULL, 0);
        t->inside += e.state == TACT_HIT && none.count == 0;
    }
    check_crossings(now, fresh, m, knife, seed, t);
    const tact_mesh_findings a = tact_mesh_check(now), b = tact_mesh_check(fresh);
    CHECK(a.open_edges == b.open_edges && a.non_manifold_edges == b.non_manifold_edges &&
              a.duplicate_triangles == b.duplicate_triangles && a.components == b.components &&
              a.self_intersections == b.self_intersections && a.unreferenced_vertices == b.unreferenced_vertices,
          "findings");
    t->parts += b.components > 1;
    tact_bounds around;
    if (m->there > 0 && tact_shape_bounds(fresh, tact_identity(), &around) == TACT_OK) {
        const tact_bounds reported = tact_body_get_bounds(world, body);
        CHECK(reported.min.x <= around.min.x && reported.min.y <= around.min.y && reported.min.z <= around.min.z &&
                  reported.max.x >= around.max.x && reported.max.y >= around.max.y && reported.max.z >= around.max.z,
              "bounds");
    }
    tact_shape_release(fresh);
}

/* ---- steps ---- */

static bool same_contact(const model *m, const tact_feature_contact *a, const tact_feature_contact *b, bool torn_b)
{
    const bool faces = a->kind != TACT_VERTEX_FACE || a->face == (torn_b ? m->numbers[b->face] : b->face);
    return a->kind == b->kind && memcmp(a->vertices, b->vertices, sizeof a->vertices) == 0 && faces &&
           a->ccd.lower == b->ccd.lower && a->ccd.upper == b->ccd.upper && a->distance == b->distance;
}

static void check_contacts(const model *m, tact_feature_contacts a, tact_feature_contacts b, tact_body soft,
                           uint64_t seed)
{
    CHECK(a.status == b.status && a.count == b.count, "%d %zu, %d %zu", a.status, a.count, b.status, b.count);
    for (size_t i = 0; i < a.count; ++i)
        CHECK(same_contact(m, &a.items[i], &b.items[i],
                           b.items[i].b.index == soft.index && b.items[i].b.generation == soft.generation),
              "contact %zu of %zu", i, a.count);
}

/* A step with the body, and one with a newly created body: the same contacts. */
static void check_step(tact_world *world, tact_body body, model *m, const tact_shape *block, random_source *r,
                       uint64_t seed, tally *t)
{
    tact_shape *fresh = make_anew(m);
    tact_world *anew = tact_world_create(&alone);
    tact_step_def def = tact_step_def_default();
    /* one of the bodies that are there, so that numbers are the same */
    const tact_body obstacle =
        tact_body_create(anew, &(tact_body_def){.shape = block, .motion = {.velocity = {0, 0.1, 0}}});
    const tact_body soft = tact_body_create(anew, &(tact_body_def){.shape = fresh, .deformable = true});
    assert_true(obstacle.generation != 0 && soft.generation != 0);
    for (uint32_t i = 0; i < m->vertex_count; ++i)
        m->to[i] = vec_add(m->places[i], vec_scale(random_place(r), 0.05));
    assert_int_equal(tact_body_set_step_positions(world, body, m->places, m->to), TACT_OK);
    assert_int_equal(tact_body_set_step_positions(anew, soft, m->places, m->to), TACT_OK);
    const struct mesh_sweep *before = world->step->finder.sweep;
    const tact_feature_contacts a = tact_step_find_contacts(world, &def), b = tact_step_find_contacts(anew, &def);
    check_contacts(m, a, b, soft, seed);
    t->contacts += a.count;
    t->steps++;
    const bool same = before == world->step->finder.sweep;
    t->followed += same;
    t->remade += !same;
    const tact_step_limit c = tact_step_find_limit(world, &def), d = tact_step_find_limit(anew, &def);
    CHECK(c.status == d.status && c.time == d.time, "%g and %g", c.time, d.time);
    check_contacts(m, tact_step_find_proximities(world, 0.01, &def), tact_step_find_proximities(anew, 0.01, &def), soft,
                   seed);
    tact_world_release(anew);
    tact_shape_release(fresh);
}

static void torn_bodies_are_as_if_made_anew(void **state)
{
    (void)state;
    static model m;
    tally t = {0};
    tact_shape *knife = tact_mesh((const tact_vec3[]){{-2, -2, 0.13}, {2, -2, 0.21}, {0, 3, 0.17}, {0.4, -1, 2}}, 4,
                                  (const uint32_t[]){0, 1, 2, 0, 1, 3}, 2);
    tact_shape *room = make_room(), *block = tact_box(0.5, 0.2, 0.5);
    for (uint64_t seed = first_seed(); seed <= last_seed_of(4, 360); ++seed) {
        random_source r = random_seed(seed);
        m.tears = seed % 3 != 0;
        const uint32_t side = (m.tears ? 6 : 2) + (uint32_t)random_below(&r, 8);
        tact_shape *sheet = grid(&m, side);
        failing_allocator memory = {0};
        tact_world *world = tact_world_create(
            &(tact_world_def){.allocator = failing_allocator_make(&memory), .parallel = {.threads = 1}});
        tact_body_create(world, &(tact_body_def){.shape = block, .motion = {.velocity = {0, 0.1, 0}}});
        const tact_body body = tact_body_create(
            world,
            &(tact_body_def){.shape = sheet, .deformable = true, .rotation_invariant_bounds = random_chance(&r, 0.3)});
        assert_int_equal(tact_body_set_step_positions(world, body, m.places, m.places), TACT_OK);
        const int changes = 60;
        for (int i = 0; i < changes; ++i) {
            for (uint64_t n = 1 + random_below(&r, 3); n > 0; --n) {
                if (random_chance(&r, 0.3))
                    split_vertex(&m, world, body, &r, &t);
                else
                    change_some(&m, world, body, &r, &t);
                if (random_chance(&r, 0.3)) {
                    assert_int_equal(tact_world_store_previous(world), TACT_OK);
                    t.proceeds++;
                }
            }
            if (random_chance(&r, 0.6))
                deform_some(&m, world, body, &r);
            check_shape(world, body, &m, knife, room, &r, seed, &t);
            if (random_chance(&r, 0.5))
                check_step(world, body, &m, block, &r, seed, &t);
        }
        assert_ptr_equal(tact_body_get_shape(world, body), sheet);
        /* all gone but one, and back */
        const uint32_t last = m.numbers[random_below(&r, m.there)];
        for (uint32_t i = 0; i < m.face_count; ++i)
            if (i != last)
                send(&m, world, body, &i, (const uint32_t[1][3]){{TACT_NO_VERTEX, 0, 0}}, 1);
        assert_int_equal(tact_body_change_faces(world, body, &last, (const uint32_t[1][3]){{TACT_NO_VERTEX, 0, 0}}, 1),
                         TACT_BAD_ARGUMENT);
        check_shape(world, body, &m, knife, room, &r, seed, &t);
        check_step(world, body, &m, block, &r, seed, &t);
        for (int i = 0; i < 10; ++i)
            change_some(&m, world, body, &r, &t);
        check_shape(world, body, &m, knife, room, &r, seed, &t);
        check_step(world, body, &m, block, &r, seed, &t);
        tact_world_release(world);
        tact_shape_release(sheet);
        assert_int_equal(memory.held, 0);
    }
    tact_shape_release(knife);
    tact_shape_release(room);
    tact_shape_release(block);
    print_message(
        "removed %zu changed %zu added %zu back %zu split %zu; hits %zu crossings %zu touching %zu inside %zu "
        "parts %zu; steps %zu contacts %zu followed %zu remade %zu proceeds %zu\n",
        t.removed, t.changed, t.added, t.back, t.split, t.hits, t.crossings, t.touching, t.inside, t.parts, t.steps,
        t.contacts, t.followed, t.remade, t.proceeds);
    if (!few_cases()) {
        assert_true(t.removed > 150 && t.changed > 100 && t.added > 100 && t.back > 100 && t.split > 30);
        assert_true(t.hits > 200 && t.crossings > 1000 && t.touching > 1000 && t.inside > 3 && t.parts > 25);
        assert_true(t.steps > 50 && t.contacts > 400 && t.followed > 20 && t.remade > 0 && t.proceeds > 50);
    }
}

/* ---- steps that are taken ---- */

/* A cloth that falls on a block is cut across, the sides a little apart: each step with it comes to the same as with
 * a newly created one, bit for bit, and ends free. */
static void torn_cloth_is_resolved(void **state)
{
    (void)state;
    enum { SIDE = 15 };
    static model m;
    static tact_vec3 other[MOST], x0[MOST];
    static double masses[MOST];
    const uint64_t seed = 1;
    tally t = {0};
    tact_shape *sheet = grid(&m, SIDE), *block = tact_box(0.6, 0.4, 0.6);
    tact_world *world = tact_world_create(&alone);
    tact_step_def def = tact_step_def_default();
    def.thickness = 1e-3;
    for (uint32_t i = 0; i < m.vertex_count; ++i)
        m.places[i].y = 0.21 + 0.003 * sin(5.0 * m.places[i].x);
    tact_body_create(world, &(tact_body_def){.shape = block});
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true});
    masses[0] = 0.0;
    for (uint32_t i = 1; i < MOST; ++i)
        masses[i] = i < SIDE * SIDE ? 3.0 : 1.0;
    assert_int_equal(tact_body_set_inverse_vertex_masses(world, body, masses), TACT_OK);
    for (int frame = 0; frame < 24; ++frame) {
        if (frame % 2 == 1 && frame / 2 < SIDE - 1) { /* the next vertex of the middle row becomes two, side by side */
            const uint32_t vertex = SIDE * (SIDE / 2) + (uint32_t)(frame / 2), fresh = m.vertex_count;
            tact_vec3 place = m.places[vertex];
            place.z += 0.01;
            assert_int_equal(tact_body_add_vertices(world, body, &place, 1), TACT_OK);
            m.places[m.vertex_count++] = place;
            for (uint32_t i = 0; i < m.face_count; ++i)
                for (int k = 0; k < 3; ++k)
                    if (m.faces[i][k] == vertex && m.faces[i][0] + m.faces[i][1] + m.faces[i][2] > 3 * vertex) {
                        uint32_t corners[1][3];
                        memcpy(corners[0], m.faces[i], sizeof corners[0]);
                        corners[0][k] = fresh;
                        send(&m, world, body, &i, (const uint32_t(*)[3])corners, 1);
                    }
        }
        if (frame == 7 || frame == 8) { /* a hole */
            const uint32_t face = (uint32_t)frame * 9;
            send(&m, world, body, &face, (const uint32_t[1][3]){{TACT_NO_VERTEX, 0, 0}}, 1);
        }
        if (frame % 5 == 4)
            assert_int_equal(tact_world_store_previous(world), TACT_OK);
        tact_shape *fresh = make_anew(&m);
        tact_world *anew = tact_world_create(&alone);
        tact_body_create(anew, &(tact_body_def){.shape = block});
        const tact_body soft = tact_body_create(anew, &(tact_body_def){.shape = fresh, .deformable = true});
        assert_int_equal(tact_body_set_inverse_vertex_masses(anew, soft, masses), TACT_OK);
        for (uint32_t i = 0; i < m.vertex_count; ++i) {
            const double away = m.places[i].z * 0.01;
            m.to[i] = other[i] = vec_make(m.places[i].x * 0.995, m.places[i].y - 0.05, m.places[i].z + away);
        }
        memcpy(x0, m.places, sizeof x0);
        assert_int_equal(tact_body_set_step_positions(world, body, x0, m.to), TACT_OK);
        assert_int_equal(tact_body_set_step_positions(anew, soft, x0, other), TACT_OK);
        const tact_step_result a = tact_step_resolve(world, &def), b = tact_step_resolve(anew, &def);
        CHECK(a.status == TACT_OK && b.status == TACT_OK, "step %d: %d and %d", frame, a.status, b.status);
        CHECK(a.time == b.time && a.iterations == b.iterations && a.contacts == b.contacts &&
                  a.fail_safe_vertices == b.fail_safe_vertices,
              "step %d: %zu and %zu", frame, a.contacts, b.contacts);
        CHECK(memcmp(m.to, other, m.vertex_count * sizeof *other) == 0, "step %d", frame);
        t.resolved++;
        t.pushed += a.contacts > 0;
        memcpy(m.places, m.to, sizeof m.places);
        tact_world_release(anew);
        tact_shape_release(fresh);
        /* it is free, and the body is there */
        assert_int_equal(tact_body_set_step_positions(world, body, x0, m.to), TACT_OK);
        assert_int_equal(tact_step_find_contacts(world, &def).count, 0);
        assert_int_equal(tact_body_get_vertices(world, body, other, MOST), m.vertex_count);
        assert_memory_equal(other, m.places, m.vertex_count * sizeof *other);
        assert_int_equal(tact_mesh_check(tact_body_get_current_shape(world, body)).self_intersections, 0);
    }
    assert_true(t.pushed > 10);
    tact_world_release(world);
    tact_shape_release(sheet);
    tact_shape_release(block);
}

/* ---- saved and recorded ---- */

static size_t contacts; /* so far: a context would be a pointer without a name */

static void count_contact(void *context, const tact_contact *contact)
{
    (void)contact;
    (void)context;
    ++contacts;
}

static void torn_worlds_are_saved_and_replayed(void **state)
{
    (void)state;
    static model m, copy;
    size_t worlds = 0;
    tact_shape *room = make_room(), *sphere = tact_sphere(0.3);
    for (uint64_t seed = first_seed(); seed <= last_seed(6); ++seed) {
        random_source r = random_seed(seed);
        tally t = {0};
        m.tears = seed % 2;
        tact_shape *sheet = grid(&m, 4 + (uint32_t)random_below(&r, 6));
        tact_world *world = tact_world_create(&alone), *again = NULL;
        const tact_response any = {.want = TACT_WITNESS, .callback = count_contact};
        const tact_response was = {.want = TACT_PREVIOUS, .callback = count_contact};
        tact_world_set_contact_callback(world, random_chance(&r, 0.5) ? any : was);
        const tact_body body = tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true});
        tact_body_create(world, &(tact_body_def){.shape = room});
        tact_body_create(world, &(tact_body_def){.shape = sphere});
        tact_bytes bytes = {0};
        tact_report report = {0};
        tact_record *record = tact_record_begin(world, tact_bytes_sink(&bytes), NULL, &report);
        assert_non_null(record);
        for (int i = 0; i < 120; ++i) {
            random_source before = r;
            copy = m;
            for (int twice = 0; twice < 2; ++twice) { /* the same to a restored one */
                tact_world *w = twice ? again : world;
                model *to = twice ? &copy : &m;
                if (w == NULL)
                    break;
                r = before;
                if (random_chance(&r, 0.3))
                    split_vertex(to, w, body, &r, &t);
                else
                    change_some(to, w, body, &r, &t);
                if (random_chance(&r, 0.5))
                    deform_some(to, w, body, &r);
                if (random_chance(&r, 0.5))
                    assert_int_equal(tact_world_store_previous(w), TACT_OK);
                assert_int_equal(tact_world_test(w).status, TACT_OK);
            }
            if (again != NULL)
                same_bytes(world, again, seed);
            if (again == NULL || i % 20 == 0) {
                tact_world_release(again);
                again = restore_of(world);
                same_bytes(world, again, seed);
                ++worlds;
            }
        }
        assert_int_equal(tact_record_end(record, &report), TACT_OK);
        tact_replay *replay = tact_replay_begin(bytes.data, bytes.size, NULL, &report);
        assert_non_null(replay);
        CHECK(tact_replay_run(replay, &report) == TACT_REPLAY_END, "%s", report.text);
        tact_world *replayed = tact_replay_take_world(replay);
        same_bytes(world, replayed, seed);
        tact_world_release(replayed);
        tact_bytes_release(&bytes);
        tact_world_release(again);
        tact_world_release(world);
        tact_shape_release(sheet);
    }
    if (!few_cases())
        assert_true(contacts > 500 && worlds > 30);
    tact_shape_release(room);
    tact_shape_release(sphere);
}

/* What is torn within responses: the first of its faces that touches is gone, or hangs on a new vertex. */
typedef struct ripper {
    tact_world *world;
    tact_body body;
    size_t torn, grown;
} ripper;

static void rip(void *context, const tact_contact *contact)
{
    ripper *to = context;
    const bool first = contact->a.index == to->body.index;
    const uint32_t face = first ? contact->part_a.face : contact->part_b.face;
    static uint32_t faces[MOST][3];
    if (!first && contact->b.index != to->body.index)
        return;
    assert_true(face < tact_body_get_faces(to->world, to->body, faces, MOST));
    assert_true(faces[face][0] != TACT_NO_VERTEX); /* contacts name existing faces */
    uint32_t corners[1][3] = {{TACT_NO_VERTEX, 0, 0}};
    if (to->torn % 3 == 2) {
        const tact_vec3 place = vec_add(contact->point, vec_make(0.0, 1.0, 0.0));
        memcpy(corners[0], faces[face], sizeof corners[0]);
        corners[0][1] = (uint32_t)tact_body_get_vertices(to->world, to->body, NULL, 0);
        assert_int_equal(tact_body_add_vertices(to->world, to->body, &place, 1), TACT_OK);
        to->grown++;
    }
    const tact_status status = tact_body_change_faces(to->world, to->body, &face, (const uint32_t(*)[3])corners, 1);
    assert_true(status == TACT_OK || status == TACT_BAD_ARGUMENT); /* the last one stays */
    to->torn += status == TACT_OK;
}

static void responses_may_tear(void **state)
{
    (void)state;
    static model m;
    const uint64_t seed = 1;
    tact_shape *sheet = grid(&m, 9), *sphere = tact_sphere(0.2);
    tact_world *world = tact_world_create(&alone);
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true});
    ripper to = {.world = world, .body = body};
    tact_body balls[3];
    for (int i = 0; i < 3; ++i)
        balls[i] = tact_body_create(world, &(tact_body_def){.shape = sphere});
    tact_world_set_contact_callback(world, (tact_response){.want = TACT_WITNESS, .callback = rip, .context = &to});
    tact_bytes bytes = {0};
    tact_report report = {0};
    tact_record *record = tact_record_begin(world, tact_bytes_sink(&bytes), NULL, &report);
    assert_non_null(record);
    random_source r = random_seed(seed);
    for (int i = 0; i < 150; ++i) {
        for (int k = 0; k < 3; ++k) {
            tact_transform place = tact_identity();
            place.origin = random_place(&r);
            assert_int_equal(tact_body_set_transform(world, balls[k], place), TACT_OK);
        }
        assert_int_equal(tact_world_test(world).status, TACT_OK);
        if (i % 3 == 0)
            assert_int_equal(tact_world_store_previous(world), TACT_OK);
    }
    assert_int_equal(tact_record_end(record, &report), TACT_OK);
    tact_replay *replay = tact_replay_begin(bytes.data, bytes.size, NULL, &report);
    CHECK(tact_replay_run(replay, &report) == TACT_REPLAY_END, "%s", report.text);
    tact_world *replayed = tact_replay_take_world(replay);
    tact_world_set_contact_callback(world, (tact_response){0}); /* its context has no name */
    tact_world_set_contact_callback(replayed, (tact_response){0});
    same_bytes(world, replayed, seed);
    assert_true(to.torn > 60 && to.grown > 20);
    tact_world_release(replayed);
    tact_world_release(world);
    tact_bytes_release(&bytes);
    tact_shape_release(sheet);
    tact_shape_release(sphere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torn_bodies_are_as_if_made_anew),
        cmocka_unit_test(torn_cloth_is_resolved),
        cmocka_unit_test(torn_worlds_are_saved_and_replayed),
        cmocka_unit_test(responses_may_tear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
