/*
 * Tearing and remeshing: random changes of the faces and vertices of a deformable body, with deformation between, each
 * time compared with a mesh that is made anew of the same faces: what is asked of its shape, what meets in a step, what
 * comes of one. Worlds that are saved and restored, and calls that are replayed, must go on alike; a call that fails, for
 * lack of memory or because it is nonsense, must change nothing. And the tree by itself: things that come and go.
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
#include "core/little_endian.h"
#include "core/random.h"
#include "core/sets.h"
#include "failing_allocator.h"
#include "narrow/sweep_parts.h"
#include "seeded_cases.h"
#include "shape/tear.h"
#include "world/parts.h"
#include "world/step.h"

enum { MOST = 3000 };

/* On one thread; and not with the broad phase that it finds faster, which is part of what is saved. */
static const tact_world_def alone = {.broad = TACT_BROAD_TREE, .parallel = {.threads = 1}};

/* What the body must be. */
typedef struct model {
    tact_vec3 places[MOST];
    uint32_t faces[MOST][3];
    uint32_t vertex_count, face_count;
    uint32_t numbers[MOST]; /* of the faces that are there, in order: as a fresh mesh has them */
    uint32_t there;
    tact_vec3 to[MOST]; /* of a step */
    bool tears;         /* more goes than comes */
} model;

typedef struct tally {
    size_t removed, changed, added, back, split, hits, crossings, touching, inside, meetings, steps, followed, remade,
        resolved, pushed, parts, proceeds, saved, trees;
} tally;

static tact_shape *grid(model *m, uint32_t side)
{
    static uint32_t corners[3 * MOST];
    uint32_t n = 0;
    for (uint32_t i = 0; i < side * side; ++i) {
        const uint32_t x = i % side, y = i / side;
        m->places[i] = tact_vec(2.0 * x / (side - 1) - 1.0, 0.0, 2.0 * y / (side - 1) - 1.0);
        if (x + 1 == side || y + 1 == side)
            continue;
        const uint32_t two[6] = {i, i + 1, i + side, i + 1, i + side + 1, i + side};
        memcpy(m->faces[n], two, 3 * sizeof *two);
        memcpy(m->faces[n + 1], two + 3, 3 * sizeof *two);
        memcpy(corners + 3 * n, two, sizeof two);
        n += 2;
    }
    m->vertex_count = side * side;
    m->face_count = n;
    return tact_mesh(m->places, side * side, corners, n);
}

/* A mesh of the faces that are there, made anew. */
static tact_shape *make_anew(model *m)
{
    static uint32_t corners[3 * MOST];
    m->there = 0;
    for (uint32_t i = 0; i < m->face_count; ++i)
        if (m->faces[i][0] != TACT_NO_VERTEX) {
            memcpy(corners + 3 * m->there, m->faces[i], sizeof m->faces[i]);
            m->numbers[m->there++] = i;
        }
    return tact_mesh(m->places, m->vertex_count, corners, m->there);
}

static tact_vec3 random_place(random_source *r)
{
    const double x = random_range(r, -1.0, 1.0), y = random_range(r, -0.3, 0.3);
    return tact_vec(x, y, random_range(r, -1.0, 1.0));
}

/* ---- random changes ---- */

static void send(model *m, tact_world *world, tact_body body, const uint32_t *faces, const uint32_t (*corners)[3],
                 size_t count)
{
    assert_int_equal(tact_body_change_faces(world, body, faces, corners, count), TACT_OK);
    for (size_t i = 0; i < count; ++i) {
        m->face_count += faces[i] == m->face_count;
        memcpy(m->faces[faces[i]], corners[i], sizeof *corners);
        if (corners[i][0] == TACT_NO_VERTEX)
            m->faces[faces[i]][1] = m->faces[faces[i]][2] = TACT_NO_VERTEX;
    }
}

/* A vertex gets a copy, a little off, which some of its faces have from then on. */
static void split_vertex(model *m, tact_world *world, tact_body body, random_source *r, tally *t)
{
    const uint32_t vertex = (uint32_t)random_below(r, m->vertex_count), fresh = m->vertex_count;
    uint32_t faces[8], corners[8][3];
    size_t count = 0;
    if (fresh == MOST)
        return;
    tact_vec3 place = m->places[vertex];
    place.y += random_chance(r, 0.5) ? 0.01 : 0.0;
    assert_int_equal(tact_body_add_vertices(world, body, &place, 1), TACT_OK);
    m->places[m->vertex_count++] = place;
    for (uint32_t i = 0; i < m->face_count && count < 8; ++i)
        for (int k = 0; k < 3; ++k)
            if (m->faces[i][k] == vertex && random_chance(r, 0.5) && count < 8) {
                memcpy(corners[count], m->faces[i], sizeof *corners);
                corners[count][k] = fresh;
                faces[count++] = i;
                break;
            }
    send(m, world, body, faces, (const uint32_t(*)[3])corners, count);
    t->split += count > 0;
}

static void change_some(model *m, tact_world *world, tact_body body, random_source *r, tally *t)
{
    enum { LIST = 12 };
    uint32_t faces[LIST], corners[LIST][3], count = 0, next = m->face_count;
    const uint32_t wanted = 1 + (uint32_t)random_below(r, LIST);
    size_t left = 0;
    for (uint32_t i = 0; i < m->face_count; ++i)
        left += m->faces[i][0] != TACT_NO_VERTEX;
    while (count < wanted) {
        const bool add = random_chance(r, m->tears ? 0.05 : 0.3) && next < MOST;
        const uint32_t face = add ? next : (uint32_t)random_below(r, m->face_count);
        uint32_t i = 0;
        while (i < count && faces[i] != face)
            ++i;
        if (i < count) {
            if (m->face_count < LIST)
                break;
            continue;
        }
        next += add;
        const bool there = !add && m->faces[face][0] != TACT_NO_VERTEX,
                   leave = random_chance(r, m->tears ? 0.8 : 0.45) && left > 1;
        left += !leave && !there;
        left -= leave && there;
        const uint32_t near = (uint32_t)random_below(r, m->vertex_count);
        for (int k = 0; k < 3; ++k) {
            const uint64_t way = random_below(r, 4);
            corners[count][k] = leave                   ? TACT_NO_VERTEX
                                : way == 0 && !m->tears ? (uint32_t)random_below(r, m->vertex_count)
                                                        : (near + (uint32_t)random_below(r, 12)) % m->vertex_count;
        }
        if (!leave && there && random_chance(r, 0.5)) {
            memcpy(corners[count], m->faces[face], sizeof *corners);
            corners[count][random_below(r, 3)] = near;
        }
        t->removed += leave && there;
        t->added += add;
        t->back += !leave && !there && !add;
        t->changed += !leave && there;
        faces[count++] = face;
    }
    send(m, world, body, faces, (const uint32_t(*)[3])corners, count);
}

static void deform_some(model *m, tact_world *world, tact_body body, random_source *r)
{
    const tact_vertices lent = {m->places, m->vertex_count, 0, TACT_DOUBLES};
    const uint32_t first = (uint32_t)random_below(r, m->vertex_count);
    const bool all = random_chance(r, 0.3);
    uint32_t count = all ? m->vertex_count : 1 + (uint32_t)random_below(r, 5);
    for (uint32_t i = all ? 0 : first; i < m->vertex_count && count-- > 0; ++i) {
        m->places[i].y += random_range(r, -0.05, 0.05);
        m->places[i].x += random_range(r, -0.01, 0.01);
    }
    assert_int_equal(tact_body_deform(world, body, lent), TACT_OK);
    if (!all) {
        m->places[first].y = random_range(r, -0.3, 0.3);
        assert_int_equal(tact_body_deform_range(world, body, first, 1), TACT_OK);
    }
}

/* ---- is it sound? ---- */

static void check_inside(const tact_world *world, tact_body body, const model *m, uint64_t seed)
{
    const tact_shape *now = tact_body_get_shape_now(world, body);
    const struct mesh *torn = now->mesh;
    const deform *d = world->rests.items[body.index].deform;
    tact_report report;
    static box boxes[MOST];
    static uint32_t parent[MOST], corners[MOST][3];
    static bool seen[MOST];
    tact_mesh_element_boxes(torn, boxes);
    CHECK(tact_aabb_tree_check(&torn->tree, boxes, &report) == TACT_OK, "%s", report.text);
    CHECK(torn->tree.thing_count == m->there && torn->corner_count == 3 * m->there, "%u", torn->tree.thing_count);
    CHECK(tact_body_get_faces(world, body, corners, MOST) == m->face_count, "faces");
    CHECK(memcmp(corners, m->faces, m->face_count * sizeof *corners) == 0, "corners");
    CHECK(tact_body_get_vertices(world, body, NULL, 0) == m->vertex_count, "vertices");
    for (uint32_t i = 0; i < torn->vertex_count; ++i)
        CHECK(vec_size(torn->vertices[i]) <= torn->reach || d->links.tear->heads[i] == TEAR_NONE, "reach");
    /* each part has a triangle that stands for it, and these are marked */
    sets_begin(parent, m->vertex_count);
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < m->there; ++i)
        for (uint32_t k = 1; k < 3; ++k)
            sets_unite(parent, torn->corners[3 * i], torn->corners[3 * i + k]);
    uint32_t marks = 0;
    for (uint32_t i = 0; i < torn->component_count; ++i) {
        CHECK(torn->component[i] < m->there && (torn->cuts[torn->component[i]] & MESH_SPEAKS), "part %u", i);
        seen[sets_root(parent, torn->corners[3 * torn->component[i]])] = true;
    }
    for (uint32_t i = 0; i < m->there; ++i) {
        CHECK(seen[sets_root(parent, torn->corners[3 * i])], "no part for %u", i);
        marks += torn->cuts[i] != 0;
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
    static tact_crossing one[6 * MOST], two[6 * MOST];
    const tact_crossings a = tact_shapes_crossings(now, tact_identity(), knife, tact_identity(), one, 6 * MOST);
    const tact_crossings b = tact_shapes_crossings(fresh, tact_identity(), knife, tact_identity(), two, 6 * MOST);
    CHECK(a.status == b.status && a.state == b.state && a.count == b.count, "%zu and %zu", a.count, b.count);
    for (size_t i = 0; i < a.count; ++i) {
        two[i].part_a.face = m->numbers[two[i].part_a.face];
        CHECK(one[i].part_a.face == two[i].part_a.face && one[i].part_b.face == two[i].part_b.face &&
                  one[i].type == two[i].type && vec_equal(one[i].from, two[i].from) && vec_equal(one[i].to, two[i].to),
              "crossing %zu: face %u, %u", i, one[i].part_a.face, two[i].part_a.face);
    }
    t->crossings += a.count;
}

/* Is every question about the shape answered as for a mesh made anew? */
static void check_shape(const tact_world *world, tact_body body, model *m, const tact_shape *knife,
                        const tact_shape *room, random_source *r, uint64_t seed, tally *t)
{
    tact_shape *fresh = make_anew(m);
    const tact_shape *now = tact_body_get_shape_now(world, body);
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
        /* a small room around a part, or not */
        const double size = random_range(r, 0.05, 1.0);
        const tact_placement at =
            tact_placement_scale((tact_placement){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, to}, tact_vec(size, size, size));
        const tact_verdict e = tact_shapes_touch(now, tact_identity(), room, at, NULL),
                           f = tact_shapes_touch(fresh, tact_identity(), room, at, NULL);
        CHECK(e.status == f.status && e.state == f.state, "touching");
        t->touching += e.state == TACT_HIT;
        const tact_crossings none = tact_shapes_crossings(now, tact_identity(), room, at, NULL, 0);
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
        const tact_bounds told = tact_body_get_bounds(world, body);
        CHECK(told.min.x <= around.min.x && told.min.y <= around.min.y && told.min.z <= around.min.z &&
                  told.max.x >= around.max.x && told.max.y >= around.max.y && told.max.z >= around.max.z,
              "bounds");
    }
    tact_shape_release(fresh);
}

/* ---- steps ---- */

static bool same_meeting(const model *m, const tact_meeting *a, const tact_meeting *b, bool torn_b)
{
    const bool faces = a->kind != TACT_VERTEX_FACE || a->face == (torn_b ? m->numbers[b->face] : b->face);
    return a->kind == b->kind && memcmp(a->vertices, b->vertices, sizeof a->vertices) == 0 && faces &&
           a->when.from == b->when.from && a->when.to == b->when.to && a->distance == b->distance;
}

static void check_meetings(const model *m, tact_meetings a, tact_meetings b, tact_body soft, uint64_t seed)
{
    CHECK(a.status == b.status && a.count == b.count, "%d %zu, %d %zu", a.status, a.count, b.status, b.count);
    for (size_t i = 0; i < a.count; ++i)
        CHECK(same_meeting(m, &a.items[i], &b.items[i],
                           b.items[i].b.index == soft.index && b.items[i].b.generation == soft.generation),
              "meeting %zu of %zu", i, a.count);
}

/* A step with the body, and one with a body made anew: the same meets. */
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
    assert_int_equal(tact_body_vertices(world, body, m->places, m->to), TACT_OK);
    assert_int_equal(tact_body_vertices(anew, soft, m->places, m->to), TACT_OK);
    const struct sweep *before = world->step->finder.sweep;
    const int used = world->step->finder.used;
    const tact_meetings a = tact_world_meetings(world, &def), b = tact_world_meetings(anew, &def);
    check_meetings(m, a, b, soft, seed);
    t->meetings += a.count;
    t->steps++;
    const bool same = before == world->step->finder.sweep && world->step->finder.used == used + 1;
    t->followed += same;
    t->remade += !same;
    const tact_free c = tact_world_free_until(world, &def), d = tact_world_free_until(anew, &def);
    CHECK(c.status == d.status && c.time == d.time, "%g and %g", c.time, d.time);
    check_meetings(m, tact_world_proximities(world, 0.01, &def), tact_world_proximities(anew, 0.01, &def), soft, seed);
    tact_world_release(anew);
    tact_shape_release(fresh);
}

static tact_shape *make_room(void)
{
    static const double xyz[8][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                     {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
    static const uint32_t corners[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                         2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){xyz, 8, 0, TACT_DOUBLES};
    def.corners = corners;
    def.corner_count = 36;
    def.solid = true;
    return tact_mesh_create(&def, NULL);
}

static void torn_bodies_are_as_if_made_anew(void **state)
{
    (void)state;
    static model m;
    tally t = {0};
    tact_shape *knife = tact_mesh((const tact_vec3[]){{-2, -2, 0.13}, {2, -2, 0.21}, {0, 3, 0.17}, {0.4, -1, 2}}, 4,
                                  (const uint32_t[]){0, 1, 2, 0, 1, 3}, 2);
    tact_shape *room = make_room(), *block = tact_box(0.5, 0.2, 0.5);
    for (uint64_t seed = first_seed(); seed <= last_seed(12); ++seed) {
        random_source r = random_seed(seed);
        m.tears = seed % 3 != 0;
        const uint32_t side = (m.tears ? 6 : 2) + (uint32_t)random_below(&r, 8);
        tact_shape *sheet = grid(&m, side);
        ration memory = {0};
        tact_world *world =
            tact_world_create(&(tact_world_def){.allocator = ration_allocator(&memory), .parallel = {.threads = 1}});
        tact_body_create(world, &(tact_body_def){.shape = block, .motion = {.velocity = {0, 0.1, 0}}});
        const tact_body body = tact_body_create(
            world, &(tact_body_def){.shape = sheet, .deformable = true, .fixed_bounds = random_chance(&r, 0.3)});
        assert_int_equal(tact_body_vertices(world, body, m.places, m.places), TACT_OK);
        const int changes = 60;
        for (int i = 0; i < changes; ++i) {
            for (uint64_t n = 1 + random_below(&r, 3); n > 0; --n) {
                if (random_chance(&r, 0.3))
                    split_vertex(&m, world, body, &r, &t);
                else
                    change_some(&m, world, body, &r, &t);
                if (random_chance(&r, 0.3)) {
                    assert_int_equal(tact_world_proceed(world), TACT_OK);
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
        "parts %zu; steps %zu meetings %zu followed %zu remade %zu proceeds %zu\n",
        t.removed, t.changed, t.added, t.back, t.split, t.hits, t.crossings, t.touching, t.inside, t.parts, t.steps,
        t.meetings, t.followed, t.remade, t.proceeds);
    if (!one_seed()) {
        assert_true(t.removed > 1000 && t.changed > 600 && t.added > 600 && t.back > 600 && t.split > 200);
        assert_true(t.hits > 1200 && t.crossings > 9000 && t.touching > 9000 && t.inside > 15 && t.parts > 180);
        assert_true(t.steps > 300 && t.meetings > 3000 && t.followed > 150 && t.remade > 5 && t.proceeds > 300);
    }
}

/* ---- steps that are taken ---- */

/* A cloth that falls on a block is cut across, the sides a little apart: each step with it comes to the same as with one
 * made anew, bit for bit, and ends free. */
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
    assert_int_equal(tact_body_masses(world, body, masses), TACT_OK);
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
            assert_int_equal(tact_world_proceed(world), TACT_OK);
        tact_shape *fresh = make_anew(&m);
        tact_world *anew = tact_world_create(&alone);
        tact_body_create(anew, &(tact_body_def){.shape = block});
        const tact_body soft = tact_body_create(anew, &(tact_body_def){.shape = fresh, .deformable = true});
        assert_int_equal(tact_body_masses(anew, soft, masses), TACT_OK);
        for (uint32_t i = 0; i < m.vertex_count; ++i) {
            const double away = m.places[i].z * 0.01;
            m.to[i] = other[i] = vec_make(m.places[i].x * 0.995, m.places[i].y - 0.05, m.places[i].z + away);
        }
        memcpy(x0, m.places, sizeof x0);
        assert_int_equal(tact_body_vertices(world, body, x0, m.to), TACT_OK);
        assert_int_equal(tact_body_vertices(anew, soft, x0, other), TACT_OK);
        const tact_resolution a = tact_world_resolve(world, &def), b = tact_world_resolve(anew, &def);
        CHECK(a.status == TACT_OK && b.status == TACT_OK, "step %d: %d and %d", frame, a.status, b.status);
        CHECK(a.time == b.time && a.rounds == b.rounds && a.meetings == b.meetings && a.stopped == b.stopped,
              "step %d: %zu and %zu", frame, a.meetings, b.meetings);
        CHECK(memcmp(m.to, other, m.vertex_count * sizeof *other) == 0, "step %d", frame);
        t.resolved++;
        t.pushed += a.meetings > 0;
        memcpy(m.places, m.to, sizeof m.places);
        tact_world_release(anew);
        tact_shape_release(fresh);
        /* it is free, and the body is there */
        assert_int_equal(tact_body_vertices(world, body, x0, m.to), TACT_OK);
        assert_int_equal(tact_world_meetings(world, &def).count, 0);
        assert_int_equal(tact_body_get_vertices(world, body, other, MOST), m.vertex_count);
        assert_memory_equal(other, m.places, m.vertex_count * sizeof *other);
        assert_int_equal(tact_mesh_check(tact_body_get_shape_now(world, body)).self_intersections, 0);
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

static size_t length_at(const unsigned char *block) { return (size_t)little_get64(block + 4); }

static void same_bytes(const tact_world *one, const tact_world *other, uint64_t seed)
{
    tact_bytes a = {0}, b = {0};
    assert_int_equal(tact_world_save(one, tact_bytes_sink(&a), NULL, NULL), TACT_OK);
    assert_int_equal(tact_world_save(other, tact_bytes_sink(&b), NULL, NULL), TACT_OK);
    for (size_t at = 16; at + 20 <= a.size && a.size == b.size; at += 20 + length_at(a.data + at))
        for (size_t i = 0; i < 12 + length_at(a.data + at); ++i)
            CHECK(a.data[at + i] == b.data[at + i], "byte %zu of a block of type %u", i, little_get32(a.data + at));
    CHECK(a.size == b.size && memcmp(a.data, b.data, a.size) == 0, "%zu and %zu bytes", a.size, b.size);
    tact_bytes_release(&a);
    tact_bytes_release(&b);
}

static tact_world *restore_of(const tact_world *world)
{
    tact_bytes bytes = {0};
    tact_report report = {0};
    assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
    tact_world *again = tact_world_restore(bytes.data, bytes.size, NULL, &report);
    if (again == NULL)
        fail_msg("%s", report.text);
    tact_bytes_release(&bytes);
    return again;
}

static void torn_worlds_are_saved_and_replayed(void **state)
{
    (void)state;
    static model m, copy;
    size_t worlds = 0;
    tact_shape *room = make_room(), *ball = tact_sphere(0.3);
    for (uint64_t seed = first_seed(); seed <= last_seed(6); ++seed) {
        random_source r = random_seed(seed);
        tally t = {0};
        m.tears = seed % 2;
        tact_shape *sheet = grid(&m, 4 + (uint32_t)random_below(&r, 6));
        tact_world *world = tact_world_create(&alone), *again = NULL;
        const tact_response any = {.want = TACT_WITNESS, .call = count_contact};
        const tact_response was = {.want = TACT_PREVIOUS, .call = count_contact};
        tact_world_respond(world, random_chance(&r, 0.5) ? any : was);
        const tact_body body = tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true});
        tact_body_create(world, &(tact_body_def){.shape = room});
        tact_body_create(world, &(tact_body_def){.shape = ball});
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
                    assert_int_equal(tact_world_proceed(w), TACT_OK);
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
    if (!one_seed())
        assert_true(contacts > 500 && worlds > 30);
    tact_shape_release(room);
    tact_shape_release(ball);
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
    assert_true(faces[face][0] != TACT_NO_VERTEX); /* contacts tell of faces that are there */
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
    tact_shape *sheet = grid(&m, 9), *ball = tact_sphere(0.2);
    tact_world *world = tact_world_create(&alone);
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true});
    ripper to = {.world = world, .body = body};
    tact_body balls[3];
    for (int i = 0; i < 3; ++i)
        balls[i] = tact_body_create(world, &(tact_body_def){.shape = ball});
    tact_world_respond(world, (tact_response){.want = TACT_WITNESS, .call = rip, .context = &to});
    tact_bytes bytes = {0};
    tact_report report = {0};
    tact_record *record = tact_record_begin(world, tact_bytes_sink(&bytes), NULL, &report);
    assert_non_null(record);
    random_source r = random_seed(seed);
    for (int i = 0; i < 150; ++i) {
        for (int k = 0; k < 3; ++k) {
            tact_placement place = tact_identity();
            place.origin = random_place(&r);
            assert_int_equal(tact_body_place(world, balls[k], place), TACT_OK);
        }
        assert_int_equal(tact_world_test(world).status, TACT_OK);
        if (i % 3 == 0)
            assert_int_equal(tact_world_proceed(world), TACT_OK);
    }
    assert_int_equal(tact_record_end(record, &report), TACT_OK);
    tact_replay *replay = tact_replay_begin(bytes.data, bytes.size, NULL, &report);
    CHECK(tact_replay_run(replay, &report) == TACT_REPLAY_END, "%s", report.text);
    tact_world *replayed = tact_replay_take_world(replay);
    tact_world_respond(world, (tact_response){0}); /* its context has no name */
    tact_world_respond(replayed, (tact_response){0});
    same_bytes(world, replayed, seed);
    assert_true(to.torn > 60 && to.grown > 20);
    tact_world_release(replayed);
    tact_world_release(world);
    tact_bytes_release(&bytes);
    tact_shape_release(sheet);
    tact_shape_release(ball);
}

/* ---- forged: the hashes are right ---- */

static void reseal(unsigned char *data, size_t size)
{
    uint64_t hash = hash_bytes(data, 16, 0);
    for (size_t at = 16; at + 20 <= size; at += 20 + length_at(data + at)) {
        const size_t length = length_at(data + at);
        hash = hash_bytes(data + at, 12 + length, hash);
        (void)little_put64(data + at + 12 + length, hash);
    }
}

/* Whatever the words of a torn body's blocks are, it is refused, or a world that can be used. */
static void forged_tears_are_refused_or_sound(void **state)
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
    assert_int_equal(tact_world_proceed(world), TACT_OK);
    split_vertex(&m, world, body, &r, &t);
    tact_bytes bytes = {0};
    assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
    unsigned char *copy = malloc(bytes.size);
    for (size_t block = 16; block + 20 <= bytes.size; block += 20 + length_at(bytes.data + block))
        for (size_t at = block + 12; at + 4 <= block + 12 + length_at(bytes.data + block); at += 4) {
            const uint32_t was = little_get32(bytes.data + at);
            const uint32_t words[6] = {0, was + 1, was - 1, 5, UINT32_MAX, was ^ 8};
            for (int i = 0; i < 6; ++i) {
                memcpy(copy, bytes.data, bytes.size);
                (void)little_put32(copy + at, words[i]);
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
                    (void)tact_body_deform(
                        forged, body,
                        (tact_vertices){m.places, tact_body_get_vertices(forged, body, NULL, 0), 0, TACT_DOUBLES});
                    (void)tact_world_test(forged);
                    (void)tact_body_vertices(forged, body, m.places, m.to);
                    (void)tact_world_meetings(forged, NULL);
                    (void)tact_world_proceed(forged);
                }
                (void)tact_mesh_check(tact_body_get_shape_now(forged, body));
                tact_world_release(forged);
            }
        }
    assert_true(refused > 500 && taken > 200);
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
    tact_shape *sheet = grid(&m, 5), *room = make_room(), *ball = tact_sphere(1.0);
    const uint32_t polygon[4] = {0, 1, 6, 5}, size = 4;
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){m.places, 25, 0, TACT_DOUBLES};
    def.corners = polygon;
    def.corner_count = 4;
    def.sizes = &size;
    def.size_count = 1;
    tact_shape *square = tact_mesh_create(&def, NULL), *soup = tact_soup_create(&def, NULL);
    tact_world *world = tact_world_create(&alone);
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true});
    const tact_shape *others[5] = {sheet, room, ball, square, soup};
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
static void tear_within(void *context, const tact_meeting *meeting, const tact_vec3 from[4], tact_vec3 to[4])
{
    tact_world *world = *(tact_world **)context;
    const uint32_t face = 0;
    assert_int_equal(
        tact_body_change_faces(world, meeting->a, &face, (const uint32_t[1][3]){{TACT_NO_VERTEX, 0, 0}}, 1),
        TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_add_vertices(world, meeting->a, from, 1), TACT_BAD_ARGUMENT);
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
    def.respond = tear_within;
    def.context = &world;
    assert_int_equal(tact_body_vertices(world, body, m.places, m.to), TACT_OK);
    const tact_resolution done = tact_world_resolve(world, &def);
    assert_true(done.status == TACT_OK && done.meetings > 0);
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
            ration memory = {0};
            tact_world *world = tact_world_create(
                &(tact_world_def){.allocator = ration_allocator(&memory), .parallel = {.threads = 1}});
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
            if (kind > 3) { /* torn before, with the frame before kept or not */
                assert_int_equal(tact_body_change_faces(world, body, faces, (const uint32_t(*)[3])corners, 3), TACT_OK);
                if (kind % 2)
                    assert_int_equal(tact_world_proceed(world), TACT_OK);
            }
            assert_int_equal(tact_body_masses(world, body, masses), TACT_OK);
            assert_int_equal(tact_body_vertices(world, body, m.places, m.places), TACT_OK);
            const size_t count = 30;
            for (size_t i = 0; i < 30; ++i)
                faces[i] = i < 10 ? (uint32_t)i : (uint32_t)(40 + i); /* 50 there are */
            tact_world *was = restore_of(world);
            memory.calls = 0;
            memory.fail_at = fail_at;
            tact_status status = TACT_OK;
            const tact_vertices lent = {m.places, 36, 0, TACT_DOUBLES};
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
                status = tact_world_meetings(world, NULL).status;
                break;
            }
            memory.fail_at = 0;
            const bool failed = memory.calls >= fail_at && status != TACT_OK;
            if (failed) {
                ++failures;
                assert_int_equal(status, TACT_OUT_OF_MEMORY);
                same_bytes(world, was, seed);
                const tact_meetings first = tact_world_meetings(world, NULL);
                assert_int_equal(first.status, TACT_OK);
            }
            const bool end = memory.calls < fail_at;
            if (kind == 0 && status == TACT_OK) /* and a step, each allocation of which fails */
                for (long at = 1;; ++at) {
                    assert_int_equal(tact_body_vertices(world, body, m.places, m.places), TACT_OK);
                    const size_t met = tact_world_meetings(world, NULL).count;
                    const uint32_t face = (uint32_t)(at % 7);
                    assert_int_equal(tact_body_change_faces(world, body, &face, (const uint32_t[1][3]){{1, 2, 3}}, 1),
                                     TACT_OK);
                    memory.calls = 0;
                    memory.fail_at = at;
                    const tact_status stepped = tact_world_meetings(world, NULL).status;
                    memory.fail_at = 0;
                    assert_true(stepped == TACT_OK || stepped == TACT_OUT_OF_MEMORY);
                    failures += stepped != TACT_OK;
                    assert_int_equal(tact_world_meetings(world, NULL).status, TACT_OK);
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
        ration memory = {0};
        aabb_tree_def def = aabb_tree_def_default();
        aabb_tree tree;
        tact_report report;
        uint32_t count = (uint32_t)random_below(&r, 200);
        def.partial = true;
        def.allocator = ration_allocator(&memory);
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
                tact_aabb_tree_refit_one(&tree, thing, &boxes[thing]);
            }
            CHECK(tact_aabb_tree_check(&tree, boxes, &report) == TACT_OK, "%d: %s", i, report.text);
        }
        deep += tree.built_cost == 0.0;
        tact_aabb_tree_release(&tree);
        assert_int_equal(memory.held, 0);
    }
    if (!one_seed())
        assert_true(emptied > 10 && deep > 2);
}

/* ---- the sweep ---- */

/* Who stands for what after changes of a few triangles is the same as if all were looked at. */
static void sweeps_know_who_stands_for_what(void **state)
{
    (void)state;
    enum { SIDE = 37 };
    static model m;
    static uint32_t things[MOST][4];
    size_t few = 0, many = 0, failures = 0;
    ration memory = {0};
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
        def.changes = true;
        def.allocator = ration_allocator(&memory);
        struct sweep *swept;
        assert_int_equal(tact_sweep_create(&swept, &def), TACT_OK);
        sweep_scratch scratch;
        assert_true(tact_sweep_scratch_take(&scratch, swept->thing_count, swept->vertex_count, &def.allocator));
        static uint32_t all[MOST]; /* from then on the first in the tree's order stands for a feature */
        for (uint32_t i = 0; i < m.face_count; ++i)
            all[i] = i;
        assert_int_equal(tact_sweep_change(swept, all, def.triangles, m.face_count), TACT_OK);
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
            memcpy(things, swept->things, swept->thing_count * sizeof *things);
            for (long n = 1; i % 10 == 0 && n < 100; ++n) { /* each allocation fails once */
                memory.calls = 0;
                memory.fail_at = n;
                const tact_status status = tact_sweep_change(swept, faces, (const uint32_t(*)[3])corners, count);
                memory.fail_at = 0;
                if (status == TACT_OK)
                    break;
                ++failures;
                CHECK(status == TACT_OUT_OF_MEMORY &&
                          memcmp(things, swept->things, swept->thing_count * sizeof *things) == 0,
                      "call %ld", n);
            }
            assert_int_equal(tact_sweep_change(swept, faces, (const uint32_t(*)[3])corners, count), TACT_OK);
            memcpy(things, swept->things, swept->thing_count * sizeof *things);
            tact_sweep_represent(things, swept->thing_count, swept->vertex_count, &scratch);
            CHECK(memcmp(things, swept->things, swept->thing_count * sizeof *things) == 0, "change %d", i);
            few += count < 40;
            many += count == 40;
        }
        tact_sweep_scratch_give(&scratch, &def.allocator);
        tact_sweep_release(swept);
    }
    assert_int_equal(memory.held, 0);
    assert_true(one_seed() || (few > 1000 && many > 20 && failures > 500));
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
    ration memory = {0};
    tact_shape *sheet = tact_mesh(places, COUNT, &corners[0][0], FACES);
    tact_world *world =
        tact_world_create(&(tact_world_def){.allocator = ration_allocator(&memory), .parallel = {.threads = 1}});
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true});
    assert_int_equal(tact_body_vertices(world, body, places, places), TACT_OK);
    uint32_t face = 777;
    for (uint32_t i = 0; i < 2; ++i) /* goes, and comes again: from then on there is room */
        assert_int_equal(
            tact_body_change_faces(world, body, &face, (const uint32_t[1][3]){{i == 0 ? TACT_NO_VERTEX : 0, 1, 2}}, 1),
            TACT_OK);
    assert_int_equal(tact_world_meetings(world, NULL).status, TACT_OK);
    const struct sweep *made = world->step->finder.sweep;
    const mesh *m = tact_body_get_shape_now(world, body)->mesh;
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
            assert_int_equal(tact_world_meetings(world, NULL).status, TACT_OK);
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
        cmocka_unit_test(trees_stay_well_formed),
        cmocka_unit_test(torn_bodies_are_as_if_made_anew),
        cmocka_unit_test(torn_cloth_is_resolved),
        cmocka_unit_test(torn_worlds_are_saved_and_replayed),
        cmocka_unit_test(responses_may_tear),
        cmocka_unit_test(forged_tears_are_refused_or_sound),
        cmocka_unit_test(refused_changes_change_nothing),
        cmocka_unit_test(responses_of_steps_cannot_tear),
        cmocka_unit_test(lack_of_memory_changes_nothing),
        cmocka_unit_test(sweeps_know_who_stands_for_what),
        cmocka_unit_test(cost_is_in_proportion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
