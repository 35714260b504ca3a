/*
 * Self-collision of deformable bodies in tests of a world. Random sheets and soups with coordinates on a coarse grid
 * are compared with brute force over all pairs of triangles, in integers; also after deformation and remeshing. Then
 * single cases, and the same results on any number of threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "support/reverse_loop.h"
#include "support/same_intersection.h"
#include "support/seeded_cases.h"
#include "world/grid_mesh.h"
#include "world/world_log.h"

static tact_intersection room[MOST_SEGMENTS];

/* ---- brute force ---- */

typedef struct tally {
    size_t touching, apart, contacts[5]; /* bodies; contacts by `want` */
    size_t beyond[4], only[4];           /* pairs of triangles by number of shared vertices: intersecting, not so */
    size_t segments, compared, coplanar;
    size_t deformed, remeshed;
} tally;

typedef struct truth {
    bool pairs[MOST_FACES][MOST_FACES]; /* [i][k] with i < k */
    size_t count;
} truth;

static void find_truth(const grid_mesh *m, truth *found, tally *t)
{
    memset(found, 0, sizeof *found);
    for (uint32_t i = 0; i < m->face_count; ++i)
        for (uint32_t k = i + 1; k < m->face_count; ++k) {
            grid_point a[3], b[3];
            int shared;
            if (is_removed(m, i) || is_removed(m, k))
                continue;
            triangle_of(m, i, a);
            triangle_of(m, k, b);
            const bool beyond = grid_intersect_beyond(a, b, &shared);
            found->pairs[i][k] = beyond;
            found->count += beyond;
            ++*(beyond ? &t->beyond[shared] : &t->only[shared]);
        }
}

static double distance_of(const grid_mesh *m, uint32_t face, tact_transform at, tact_vec3 point)
{
    const uint32_t *c = m->faces[face];
    tact_shape *triangle = tact_triangle(place_of(m->at[c[0]]), place_of(m->at[c[1]]), place_of(m->at[c[2]]));
    const double distance = tact_shape_closest(triangle, at, point).distance;
    tact_shape_release(triangle);
    return distance;
}

static void check_point(const grid_mesh *m, const truth *right, tact_transform at, const self_log *log, uint64_t seed)
{
    const tact_contact *c = &log->last;
    CHECK(c->part_a.face < c->part_b.face && c->part_b.face < m->face_count, "%u, %u", c->part_a.face, c->part_b.face);
    CHECK(right->pairs[c->part_a.face][c->part_b.face], "%u, %u do not intersect", c->part_a.face, c->part_b.face);
    CHECK(same_point(c->point, c->on_a) && same_point(c->point, c->on_b) && c->depth == 0.0 &&
              same_point(c->normal, tact_vec(0, 0, 0)),
          "point");
    CHECK(distance_of(m, c->part_a.face, at, c->point) < 1e-12 && distance_of(m, c->part_b.face, at, c->point) < 1e-12,
          "not common");
    if (c->want != TACT_CONTACTS)
        return;
    CHECK(log->manifold.count == 1 && log->manifold.state == TACT_HIT && log->manifold.status == TACT_OK &&
              same_point(log->manifold.points[0].on_a, c->point) &&
              log->manifold.points[0].part_b.face == c->part_b.face,
          "manifold");
}

static bool has_vertex(const uint32_t face[3], uint32_t vertex)
{
    return face[0] == vertex || face[1] == vertex || face[2] == vertex;
}

static bool is_on_edge(const grid_mesh *m, const uint32_t edge[2], tact_transform at, tact_vec3 point)
{
    tact_shape *segment = tact_segment(place_of(m->at[edge[0]]), place_of(m->at[edge[1]]));
    const double distance = tact_shape_closest(segment, at, point).distance;
    tact_shape_release(segment);
    return distance < 1e-12;
}

/* The segments of two faces are those of the two triangles as meshes. */
static size_t check_segments_of(const grid_mesh *m, uint32_t i, uint32_t k, tact_transform at,
                                const tact_intersection *got, size_t count, uint64_t seed)
{
    const uint32_t corners[3] = {0, 1, 2};
    tact_vec3 a[3], b[3];
    for (int j = 0; j < 3; ++j) {
        a[j] = place_of(m->at[m->faces[i][j]]);
        b[j] = place_of(m->at[m->faces[k][j]]);
    }
    tact_shape *one = tact_mesh(a, 3, corners, 1), *other = tact_mesh(b, 3, corners, 1);
    const tact_intersections right = tact_shapes_intersections(one, at, other, at, room, MOST_SEGMENTS);
    CHECK(right.count == count, "faces %u, %u: %zu segments instead of %zu", i, k, count, right.count);
    for (size_t j = 0; j < count; ++j) { /* in another order if the numbers of vertices are */
        size_t n = 0;
        while (n < count && !(same_point(got[j].from, room[n].from) && same_point(got[j].to, room[n].to) &&
                              got[j].type == room[n].type))
            ++n;
        CHECK(n < count, "faces %u, %u: segment %zu of type %d", i, k, j, (int)got[j].type);
        if (got[j].type != TACT_INTERSECTION_OUTLINE)
            continue;
        /* of two edges on one line either may be named */
        const uint32_t *face = m->faces[got[j].edge_of_b ? k : i], *e = got[j].edge;
        CHECK(e[0] < e[1] && has_vertex(face, e[0]) && has_vertex(face, e[1]), "edge of faces %u, %u", i, k);
        CHECK(is_on_edge(m, e, at, got[j].from) && is_on_edge(m, e, at, got[j].to), "edge of faces %u, %u", i, k);
    }
    tact_shape_release(one);
    tact_shape_release(other);
    return count;
}

/* Each pair of faces that intersect has segments, and no other pair. `exact`: the transform rounds nothing. */
static void check_segments(const grid_mesh *m, truth *right, tact_transform at, bool exact, const self_log *log,
                           uint64_t seed, tally *t)
{
    size_t pairs = 0;
    CHECK(log->last.status == TACT_OK && log->count <= MOST_SEGMENTS, "%zu", log->count);
    for (size_t i = 0, end; i < log->count; i = end) {
        const tact_intersection *s = &log->segments[i];
        const uint32_t a = s->part_a.face, b = s->part_b.face;
        CHECK(a < b && b < m->face_count && right->pairs[a][b], "faces %u, %u", a, b);
        CHECK(i == 0 || a > s[-1].part_a.face || b > s[-1].part_b.face, "order");
        for (end = i; end < log->count && log->segments[end].part_a.face == a && log->segments[end].part_b.face == b;)
            ++end;
        ++pairs;
        t->coplanar += s->type == TACT_INTERSECTION_OUTLINE;
        if (exact)
            t->compared += check_segments_of(m, a, b, at, s, end - i, seed);
        for (size_t k = i; k < end; ++k)
            CHECK(distance_of(m, a, at, log->segments[k].from) < 1e-12 &&
                      distance_of(m, b, at, log->segments[k].to) < 1e-12,
                  "ends");
    }
    CHECK(pairs == right->count, "%zu pairs of %zu", pairs, right->count);
    t->segments += log->count;
}

/* Tests the world, in which the body is alone. */
static void check_body(tact_world *w, tact_body body, const grid_mesh *m, bool exact, self_log *log, random_source *r,
                       uint64_t seed, tally *t)
{
    static truth right;
    const tact_want want = (tact_want)random_below(r, 5);
    const tact_transform at = tact_body_get_transform(w, body);
    find_truth(m, &right, t);
    assert_int_equal(tact_world_set_contact_callback(w, log_to(log, want)), TACT_OK);
    log->calls = 0;
    const tact_count done = tact_world_test(w);
    CHECK(done.status == TACT_OK && (int)done.count == log->calls, "count");
    CHECK(log->calls == (right.count > 0), "%d calls, %zu pairs of triangles", log->calls, right.count);
    CHECK(tact_mesh_check(tact_body_get_current_shape(w, body)).self_intersections == right.count, "mesh check");
    ++*(right.count > 0 ? &t->touching : &t->apart);
    if (right.count == 0)
        return;
    ++t->contacts[want];
    CHECK(same_body(log->last.a, body) && same_body(log->last.b, body) && log->last.world == w &&
              log->last.user_a == m && log->last.user_b == m && log->last.want == want && log->last.event == NULL,
          "body");
    if (want == TACT_INTERSECTIONS)
        check_segments(m, &right, at, exact, log, seed, t);
    else if (want != TACT_NOTHING)
        check_point(m, &right, at, log, seed);
}

static void deform_random(tact_world *w, tact_body body, grid_mesh *m, random_source *r, uint64_t seed, tally *t)
{
    const double all = random_chance(r, 0.3) ? 1.0 : 0.1;
    for (uint32_t i = 0; i < m->vertex_count; ++i)
        if (random_chance(r, all))
            for (int k = 0; k < 3; ++k) {
                const int64_t moved = m->at[i].c[k] + random_between(r, -2, 2);
                m->at[i].c[k] = moved < -REACH ? -REACH : moved > REACH ? REACH : moved;
            }
    repair(m, r);
    CHECK(deform_to(w, body, m) == TACT_OK, "deform");
    ++t->deformed;
}

/* Removes faces, gives faces another vertex, adds a face with a new vertex. */
static void remesh_random(tact_world *w, tact_body body, grid_mesh *m, random_source *r, uint64_t seed, tally *t)
{
    grid_point corners[3];
    if (m->face_count == MOST_FACES || m->vertex_count == MOST_VERTICES)
        return;
    const uint32_t added = m->face_count, fresh = m->vertex_count;
    m->at[m->vertex_count++] = random_point(r, 8);
    const tact_vec3 place = place_of(m->at[fresh]);
    CHECK(tact_body_add_vertices(w, body, &place, 1) == TACT_OK, "add");
    m->faces[added][0] = fresh;
    m->faces[added][1] = (uint32_t)random_below(r, fresh);
    m->faces[added][2] = (m->faces[added][1] + 1) % fresh;
    ++m->face_count;
    triangle_of(m, added, corners);
    if (grid_is_degenerate(corners))
        m->faces[added][0] = TACT_NO_VERTEX;
    else
        CHECK(tact_body_change_faces(w, body, &added, (const uint32_t(*)[3])m->faces[added], 1) == TACT_OK, "append");
    if (m->faces[added][0] == TACT_NO_VERTEX)
        --m->face_count;
    const uint32_t changed = (uint32_t)random_below(r, m->face_count), before = m->faces[changed][0];
    m->faces[changed][0] = before == TACT_NO_VERTEX || random_chance(r, 0.5) ? TACT_NO_VERTEX : fresh;
    if (m->faces[changed][0] == fresh && (m->faces[changed][1] == fresh || m->faces[changed][2] == fresh))
        m->faces[changed][0] = TACT_NO_VERTEX;
    if (!is_removed(m, changed)) {
        triangle_of(m, changed, corners);
        if (grid_is_degenerate(corners))
            m->faces[changed][0] = TACT_NO_VERTEX;
    }
    const tact_status status = tact_body_change_faces(w, body, &changed, (const uint32_t(*)[3])m->faces[changed], 1);
    if (status != TACT_OK) /* it was the last face */
        m->faces[changed][0] = before;
    t->remeshed += status == TACT_OK;
}

static void bodies_match_brute_force(void **state)
{
    (void)state;
    static grid_mesh m;
    tally t = {0};
    self_log log = {.segments = malloc(MOST_SEGMENTS * sizeof *log.segments)};
    assert_non_null(log.segments);
    for (uint64_t seed = first_seed(); seed <= last_seed_of(100, 7500); ++seed) {
        random_source r = random_seed(seed);
        make_random(&m, &r);
        tact_shape *shape = shape_of(&m);
        /* an exact map that mirrors and stretches, or any */
        const bool exact = random_chance(&r, 0.6);
        const tact_transform at =
            exact ? tact_transform_make(tact_vec(0, 0, 0), (tact_quat){0, 0, 0, 1},
                                        tact_vec(random_chance(&r, 0.5) ? -2 : 1, 0.5, random_chance(&r, 0.5) ? -1 : 1))
                  : tact_transform_make(tact_vec(1, 2, 3), random_rotation(&r),
                                        tact_vec(random_chance(&r, 0.5) ? -1 : 1, random_range(&r, 0.5, 2), 1));
        tact_world *w = tact_world_create(&(tact_world_def){.parallel = {.threads = 1}});
        const tact_body body = tact_body_create(
            w,
            &(tact_body_def){.shape = shape, .transform = at, .user = &m, .deformable = true, .self_collision = true});
        CHECK(tact_body_get_self_collision(w, body), "flag");
        check_body(w, body, &m, exact, &log, &r, seed, &t);
        for (int i = 0; i < 4; ++i) {
            if (random_chance(&r, 0.5))
                deform_random(w, body, &m, &r, seed, &t);
            else
                remesh_random(w, body, &m, &r, seed, &t);
            if (random_chance(&r, 0.2))
                CHECK(tact_world_store_previous(w) == TACT_OK, "store");
            check_body(w, body, &m, exact, &log, &r, seed, &t);
        }
        tact_world_release(w);
        tact_shape_release(shape);
    }
    free(log.segments);
    print_message("%zu bodies touch themselves, %zu do not; %zu deformed, %zu remeshed\n", t.touching, t.apart,
                  t.deformed, t.remeshed);
    print_message("pairs of triangles by shared vertices: %zu %zu %zu %zu intersect beyond, %zu %zu %zu %zu do not\n",
                  t.beyond[0], t.beyond[1], t.beyond[2], t.beyond[3], t.only[0], t.only[1], t.only[2], t.only[3]);
    print_message("%zu segments, %zu compared, %zu coplanar pairs\n", t.segments, t.compared, t.coplanar);
    assert_true(few_cases() || (t.touching > 120 && t.apart > 20 && t.deformed > 80 && t.remeshed > 80));
    assert_true(few_cases() || (t.beyond[0] > 400 && t.beyond[1] > 200 && t.beyond[2] > 40 && t.beyond[3] > 20));
    assert_true(few_cases() || (t.only[0] > 400 && t.only[1] > 400 && t.only[2] > 400));
    assert_true(few_cases() || (t.segments > 1200 && t.compared > 400 && t.coplanar > 40));
    for (int want = 0; want < 5; ++want)
        assert_true(few_cases() || t.contacts[want] > 12);
}

/* ---- single cases ---- */

static grid_point on_grid(int64_t x, int64_t y, int64_t z) { return (grid_point){{x, y, z}}; }

/* Two triangles, with vertices of their own. */
static size_t count_contacts(const grid_point a[3], const grid_point b[3], self_log *log)
{
    grid_mesh m = {.vertex_count = 6, .face_count = 2, .faces = {{0, 1, 2}, {3, 4, 5}}};
    for (int i = 0; i < 6; ++i)
        m.at[i] = i < 3 ? a[i] : b[i - 3];
    tact_shape *shape = shape_of(&m);
    tact_world *w = tact_world_create(NULL);
    const tact_body body =
        tact_body_create(w, &(tact_body_def){.shape = shape, .deformable = true, .self_collision = true});
    assert_true(tact_body_exists(w, body));
    *log = (self_log){0};
    tact_world_set_contact_callback(w, log_to(log, TACT_WITNESS));
    const tact_count done = tact_world_test(w);
    assert_int_equal(done.status, TACT_OK);
    tact_world_release(w);
    tact_shape_release(shape);
    return done.count;
}

static void shared_vertices_and_edges_do_not_count(void **state)
{
    (void)state;
    self_log log;
    const grid_point base[3] = {on_grid(0, 0, 0), on_grid(8, 0, 0), on_grid(0, 8, 0)};
    /* a common vertex only, with the other above or in the plane */
    assert_int_equal(
        count_contacts(base, (grid_point[3]){on_grid(0, 0, 0), on_grid(-8, 0, 8), on_grid(0, -8, 8)}, &log), 0);
    assert_int_equal(
        count_contacts(base, (grid_point[3]){on_grid(0, 0, 0), on_grid(-8, 0, 0), on_grid(0, -8, 0)}, &log), 0);
    /* a common vertex, and it pierces the interior */
    assert_int_equal(count_contacts(base, (grid_point[3]){on_grid(0, 0, 0), on_grid(4, 4, 8), on_grid(4, 4, -8)}, &log),
                     1);
    assert_true(log.last.point.x > 0.0 && log.last.point.x <= 0.5 && log.last.point.z == 0.0);
    /* a vertex touches the interior, an edge, a vertex that is equal */
    assert_int_equal(count_contacts(base, (grid_point[3]){on_grid(2, 2, 0), on_grid(4, 4, 8), on_grid(0, 4, 8)}, &log),
                     1);
    assert_true(same_point(log.last.point, tact_vec(0.25, 0.25, 0)));
    assert_int_equal(count_contacts(base, (grid_point[3]){on_grid(4, 0, 0), on_grid(4, 4, 8), on_grid(0, 4, 8)}, &log),
                     1);
    assert_int_equal(count_contacts(base, (grid_point[3]){on_grid(8, 0, 0), on_grid(4, 4, 8), on_grid(9, 4, 8)}, &log),
                     0);
    /* a common edge: beside it, folded up, folded onto the other */
    assert_int_equal(count_contacts(base, (grid_point[3]){on_grid(8, 0, 0), on_grid(0, 0, 0), on_grid(0, -8, 0)}, &log),
                     0);
    assert_int_equal(count_contacts(base, (grid_point[3]){on_grid(8, 0, 0), on_grid(0, 0, 0), on_grid(0, 8, 1)}, &log),
                     0);
    assert_int_equal(count_contacts(base, (grid_point[3]){on_grid(8, 0, 0), on_grid(0, 0, 0), on_grid(4, 4, 0)}, &log),
                     1);
    assert_true(log.last.point.y > 0.0);
    /* the same triangle, in both orientations; a parallel one */
    assert_int_equal(count_contacts(base, base, &log), 1);
    assert_int_equal(count_contacts(base, (grid_point[3]){on_grid(0, 0, 0), on_grid(0, 8, 0), on_grid(8, 0, 0)}, &log),
                     1);
    assert_int_equal(count_contacts(base, (grid_point[3]){on_grid(0, 0, 1), on_grid(8, 0, 1), on_grid(0, 8, 1)}, &log),
                     0);
}

/* A flat sheet never touches itself, in whatever position. Two layers one ulp apart do not, two equal ones do. */
static void flat_sheets_do_not_touch_themselves(void **state)
{
    (void)state;
    enum { SIDE = 20 };
    static tact_vec3 vertices[2 * SIDE * SIDE];
    static uint32_t indices[12 * SIDE * SIDE];
    random_source r = random_seed(7);
    uint32_t n = 0;
    for (uint32_t i = 0; i < 2 * SIDE * SIDE; ++i) {
        const uint32_t x = i % SIDE, y = i / SIDE % SIDE;
        if (x == SIDE - 1 || y == SIDE - 1)
            continue;
        const uint32_t two[6] = {i, i + 1, i + SIDE, i + 1, i + SIDE + 1, i + SIDE};
        memcpy(indices + n, two, sizeof two);
        n += 6;
    }
    for (int turn = 0; turn < 60; ++turn) {
        const tact_transform map = {random_direction(&r), random_direction(&r), {0, 0, 0}, random_direction(&r)};
        const double layer = turn % 3 == 0 ? 0.0 : 0x1p-40;
        self_log log = {0};
        for (uint32_t i = 0; i < 2 * SIDE * SIDE; ++i) {
            const double x = (i % SIDE) / 7.0, y = (i / SIDE % SIDE) / 7.0;
            vertices[i] = turn < 30 ? tact_vec(x, y, 0) /* in a plane of coordinates, or nearly in any plane */
                                    : tact_vec(x * map.x_axis.x + y * map.y_axis.x, x * map.x_axis.y + y * map.y_axis.y,
                                               x * map.x_axis.z + y * map.y_axis.z);
            if (i >= SIDE * SIDE)
                vertices[i].z += turn < 30 ? layer : 100.0;
        }
        tact_shape *shape = tact_mesh(vertices, 2 * SIDE * SIDE, indices, n / 3);
        tact_world *w = tact_world_create(NULL);
        (void)tact_body_create(w,
                               &(tact_body_def){.shape = shape,
                                                .transform = {{0.3, 0.1, 0}, {0, 0.7, 1e-3}, {0, 1e-9, 1}, {9, 9, 9}},
                                                .deformable = true,
                                                .self_collision = true});
        tact_world_set_contact_callback(w, log_to(&log, TACT_NOTHING));
        assert_int_equal(tact_world_test(w).count, turn < 30 && layer == 0.0);
        tact_world_release(w);
        tact_shape_release(shape);
    }
}

/* Two triangles of one polygon: whichever its triangulation is, one of two ways to fold it makes them overlap. */
static void polygons_can_intersect_themselves(void **state)
{
    (void)state;
    const tact_vec3 flat[5] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {9, 9, 9}};
    const uint32_t indices[4] = {0, 1, 2, 3}, sizes[1] = {4};
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){flat, 5, 0, TACT_SCALAR_DOUBLE};
    def.indices = indices;
    def.index_count = 4;
    def.loop_sizes = sizes;
    def.loop_count = 1;
    tact_shape *quad = tact_mesh_create(&def, NULL);
    tact_world *w = tact_world_create(NULL);
    const tact_body body =
        tact_body_create(w, &(tact_body_def){.shape = quad, .deformable = true, .self_collision = true});
    self_log log = {.segments = room};
    int overlaps = 0;
    tact_world_set_contact_callback(w, log_to(&log, TACT_INTERSECTIONS));
    assert_int_equal(tact_world_test(w).count, 0);
    for (int way = 0; way < 2; ++way) {
        tact_vec3 folded[5];
        memcpy(folded, flat, sizeof flat);
        folded[way == 0 ? 3 : 0] = way == 0 ? tact_vec(1.5, 0.5, 0) : tact_vec(1.5, 1.5, 0);
        assert_int_equal(tact_body_deform(w, body, (tact_vertices){folded, 5, 0, TACT_SCALAR_DOUBLE}), TACT_OK);
        if (tact_world_test(w).count == 0)
            continue;
        ++overlaps;
        assert_true(log.count >= 3 && log.last.status == TACT_OK);
        for (size_t i = 0; i < log.count; ++i)
            assert_true(room[i].part_a.face == 0 && room[i].part_b.face == 0 &&
                        room[i].type == TACT_INTERSECTION_OUTLINE);
    }
    assert_int_equal(overlaps, 1);
    tact_world_release(w);
    tact_shape_release(quad);
}

/* ---- threads ---- */

static uint64_t run_many(const tact_parallel *parallel, size_t *contacts)
{
    enum { BODIES = 24 };
    static grid_mesh meshes[BODIES];
    random_source r = random_seed(77);
    self_log log = {0};
    tact_world *w = tact_world_create(&(tact_world_def){.parallel = *parallel});
    tact_body bodies[BODIES];
    for (int i = 0; i < BODIES; ++i) {
        make_random(&meshes[i], &r);
        tact_shape *shape = shape_of(&meshes[i]);
        bodies[i] = tact_body_create(w, &(tact_body_def){.shape = shape,
                                                         .transform = tact_at(3.0 * (i % 5), 3.0 * (i / 5), 0),
                                                         .deformable = true,
                                                         .self_collision = i % 4 != 3});
        tact_shape_release(shape);
    }
    tally t = {0};
    *contacts = 0;
    for (int frame = 0; frame < 20; ++frame) {
        for (int i = 0; i < BODIES; ++i)
            if (random_chance(&r, 0.5))
                deform_random(w, bodies[i], &meshes[i], &r, 77, &t);
        tact_world_set_contact_callback(w, log_to(&log, (tact_want)(frame % 5)));
        const tact_count done = tact_world_test(w);
        assert_int_equal(done.status, TACT_OK);
        *contacts += done.count;
    }
    tact_world_release(w);
    return digest_add(log.digest, (uint64_t)log.calls);
}

static void results_are_the_same_on_any_threads(void **state)
{
    (void)state;
    const tact_parallel ways[] = {{.threads = 1}, {.threads = 2}, {.threads = 5}, {.loop = reverse_loop}};
    size_t contacts;
    const uint64_t first = run_many(&ways[0], &contacts);
    assert_true(contacts > 200);
    for (int i = 1; i < 4; ++i) {
        size_t count;
        assert_true(run_many(&ways[i], &count) == first);
        assert_int_equal(count, contacts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_match_brute_force),
        cmocka_unit_test(shared_vertices_and_edges_do_not_count),
        cmocka_unit_test(flat_sheets_do_not_touch_themselves),
        cmocka_unit_test(polygons_can_intersect_themselves),
        cmocka_unit_test(results_are_the_same_on_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
