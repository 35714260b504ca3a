/*
 * Feature ids of contact points. The oracle decodes an id (convex/contact_feature.h) and looks whether the point is on
 * the vertex, edge or face that it names, by its coordinates alone. So the same feature has the same id in every frame.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "convex/contact_feature.h"
#include "math/vec.h"
#include "support/random.h"
#include "support/seeded_cases.h"

enum { MAX_POINTS = 2048, MAX_CORNERS = 600 };

/* A polytope or mesh as the oracle knows it: vertices and faces in local coordinates. */
typedef struct solid {
    tact_shape *shape;
    tact_vec3 vertices[MAX_CORNERS];
    uint32_t vertex_count;
    uint32_t triangles[3 * MAX_CORNERS]; /* of a mesh */
    bool is_mesh, is_box;
} solid;

static double segment_distance(tact_vec3 p, tact_vec3 a, tact_vec3 b)
{
    const tact_vec3 d = vec_sub(b, a);
    const double t = fmin(fmax(vec_dot(vec_sub(p, a), d) / vec_length_squared(d), 0.0), 1.0);
    return vec_length(vec_sub(p, vec_mul_add(a, t, d)));
}

static double triangle_distance(tact_vec3 p, const tact_vec3 v[3])
{
    const tact_vec3 n = vec_normalize(vec_cross(vec_sub(v[1], v[0]), vec_sub(v[2], v[0])));
    double edges = INFINITY;
    bool inside = true;
    for (int i = 0; i < 3; ++i) {
        const tact_vec3 d = vec_sub(v[(i + 1) % 3], v[i]);
        edges = fmin(edges, segment_distance(p, v[i], v[(i + 1) % 3]));
        inside = inside && vec_dot(vec_cross(n, d), vec_sub(p, v[i])) >= 0.0;
    }
    return inside ? fabs(vec_dot(n, vec_sub(p, v[0]))) : edges;
}

/* The distance of a point from the feature that an id names, in local coordinates. */
static double feature_distance(const solid *s, uint32_t id, tact_vec3 p)
{
    const uint32_t number = id & FEATURE_NUMBER_MASK;
    uint32_t ends[2];
    switch (feature_get_kind(id)) {
    case FEATURE_WHOLE:
        return 0.0;
    case FEATURE_VERTEX:
        return number < s->vertex_count ? vec_length(vec_sub(p, s->vertices[number])) : INFINITY;
    case FEATURE_EDGE:
        feature_edge_vertices(id, ends);
        if (ends[0] >= ends[1] || ends[1] >= s->vertex_count)
            return INFINITY;
        return segment_distance(p, s->vertices[ends[0]], s->vertices[ends[1]]);
    case FEATURE_FACE:
        break;
    }
    if (s->is_mesh) {
        const uint32_t *t = &s->triangles[3 * number];
        const tact_vec3 v[3] = {s->vertices[t[0]], s->vertices[t[1]], s->vertices[t[2]]};
        return triangle_distance(p, v);
    }
    if (s->is_box) { /* faces -x +x -y +y -z +z */
        const double c[3] = {p.x, p.y, p.z}, half[3] = {s->vertices[7].x, s->vertices[7].y, s->vertices[7].z};
        return fabs(c[number / 2] - (number % 2 == 1 ? half[number / 2] : -half[number / 2]));
    }
    return 0.0;
}

static solid make_box(double x, double y, double z)
{
    solid s = {.shape = tact_box(x, y, z), .vertex_count = 8, .is_box = true};
    for (uint32_t i = 0; i < 8; ++i)
        s.vertices[i] = tact_vec(i & 1 ? 0.5 * x : -0.5 * x, i & 2 ? 0.5 * y : -0.5 * y, i & 4 ? 0.5 * z : -0.5 * z);
    return s;
}

static solid make_hull(random_source *random, int count)
{
    solid s = {0};
    tact_vec3 points[64];
    for (int i = 0; i < count; ++i)
        points[i] = random_direction(random);
    s.shape = tact_hull(points, (size_t)count);
    s.vertex_count = (uint32_t)tact_shape_get_points(s.shape, s.vertices, MAX_CORNERS);
    return s;
}

static solid make_tetrahedron(void)
{
    const tact_vec3 p[4] = {{0, 0, 0}, {1.5, 0, 0}, {0, 1.5, 0}, {0, 0, 1.5}};
    solid s = {.shape = tact_tetrahedron(p[0], p[1], p[2], p[3]), .vertex_count = 4};
    memcpy(s.vertices, p, sizeof p);
    return s;
}

/* A terrain of 2 n^2 triangles in [-1.5, 1.5]^2; flat or wavy. */
static solid make_terrain(int n, double height)
{
    solid s = {.is_mesh = true, .vertex_count = (uint32_t)((n + 1) * (n + 1))};
    size_t count = 0;
    for (int i = 0; i <= n; ++i)
        for (int k = 0; k <= n; ++k)
            s.vertices[i * (n + 1) + k] =
                tact_vec(3.0 * i / n - 1.5, height * sin(1.0 + 2.0 * i + 3.0 * k), 3.0 * k / n - 1.5);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) {
            const uint32_t p = (uint32_t)(i * (n + 1) + k), q = p + (uint32_t)n + 1;
            const uint32_t two[6] = {p, p + 1, q, q, p + 1, q + 1};
            memcpy(s.triangles + count, two, sizeof two);
            count += 6;
        }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){s.vertices, s.vertex_count, 0, TACT_SCALAR_DOUBLE};
    def.indices = s.triangles;
    def.index_count = count;
    s.shape = tact_mesh_create(&def, NULL);
    return s;
}

static tact_transform random_pose(random_source *random, double spread, bool upright)
{
    const tact_quat turn =
        upright ? tact_quat_from_axis_angle(tact_vec(0, 1, 0), random_range(random, -3, 3)) : random_rotation(random);
    return tact_transform_make(tact_vec(random_range(random, -spread, spread), random_range(random, -spread, spread),
                                        random_range(random, -spread, spread)),
                               turn, tact_vec(1, 1, 1));
}

static tact_vec3 local_point(tact_transform at, tact_vec3 p)
{
    tact_transform back;
    assert_int_equal(tact_transform_invert(at, &back), TACT_OK);
    return tact_transform_point(back, p);
}

typedef struct feature_counts {
    long points, vertices, edges, faces, whole, duplicates;
} feature_counts;

static void count_feature(feature_counts *n, uint32_t id)
{
    const feature_kind kind = feature_get_kind(id);
    n->vertices += kind == FEATURE_VERTEX;
    n->edges += kind == FEATURE_EDGE;
    n->faces += kind == FEATURE_FACE;
    n->whole += kind == FEATURE_WHOLE;
}

/* All points of two solids: each is on its features, and swapping mirrors the ids. */
static void check_contacts(const solid *a, tact_transform at, const solid *b, tact_transform bt, double reach,
                           uint64_t seed, feature_counts *n)
{
    static tact_contact_point points[MAX_POINTS], swapped[MAX_POINTS];
    const tact_contacts found = tact_shapes_contacts(a->shape, at, b->shape, bt, reach, points, MAX_POINTS);
    const tact_contacts back = tact_shapes_contacts(b->shape, bt, a->shape, at, reach, swapped, MAX_POINTS);
    assert_true(found.status == TACT_OK && back.count == found.count && found.count <= MAX_POINTS);
    for (size_t i = 0; i < found.count; ++i) {
        const tact_contact_point *p = &points[i];
        const double off_a = feature_distance(a, p->feature_a, local_point(at, p->on_a)),
                     off_b = feature_distance(b, p->feature_b, local_point(bt, p->on_b));
        CHECK(off_a <= 1e-9 && off_b <= 1e-9, "point %zu: %08x off by %g, %08x off by %g", i, p->feature_a, off_a,
              p->feature_b, off_b);
        CHECK(p->feature_a == swapped[i].feature_b && p->feature_b == swapped[i].feature_a, "point %zu swapped", i);
        for (size_t k = 0; k < i; ++k)
            n->duplicates += points[k].feature_a == p->feature_a && points[k].feature_b == p->feature_b &&
                             vec_dot(points[k].normal, p->normal) > 1.0 - 1e-9;
        ++n->points;
        count_feature(n, p->feature_a);
        count_feature(n, p->feature_b);
    }
    const tact_manifold m = tact_shapes_manifold(a->shape, at, b->shape, bt, reach);
    for (int i = 0; i < m.count; ++i) {
        const tact_manifold_point *p = &m.points[i];
        CHECK(feature_distance(a, p->feature_a, local_point(at, p->on_a)) <= 1e-9, "manifold point %d", i);
        for (int k = 0; k < i; ++k)
            CHECK(m.points[k].feature_a != p->feature_a || m.points[k].feature_b != p->feature_b || a->is_mesh ||
                      b->is_mesh,
                  "manifold points %d and %d have the same id", k, i);
    }
}

static void print_counts(const char *name, const feature_counts *n)
{
    print_message("%s: %ld points, %ld vertices, %ld edges, %ld faces, %ld whole, %ld duplicates\n", name, n->points,
                  n->vertices, n->edges, n->faces, n->whole, n->duplicates);
}

static void points_of_polytopes_are_on_their_features(void **state)
{
    (void)state;
    feature_counts n = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed(3000); ++seed) {
        random_source random = random_seed(seed);
        solid s[2];
        for (int i = 0; i < 2; ++i) {
            const uint64_t kind = random_below(&random, 3);
            s[i] = kind == 0   ? make_box(1.0, random_range(&random, 0.5, 2.0), 1.5)
                   : kind == 1 ? make_hull(&random, random_between(&random, 4, 30))
                               : make_tetrahedron();
        }
        const bool upright = random_chance(&random, 0.5);
        check_contacts(&s[0], random_pose(&random, 0.6, upright), &s[1], random_pose(&random, 0.6, upright),
                       random_chance(&random, 0.5) ? 0.0 : 0.1, seed, &n);
        tact_shape_release(s[0].shape);
        tact_shape_release(s[1].shape);
    }
    print_counts("polytopes", &n);
    assert_int_equal(n.duplicates, 0);
    assert_int_equal(n.whole, 0);
    if (!few_cases())
        assert_true(n.points > 2000 && n.vertices > 1000 && n.edges > 1000 && n.faces > 1000);
}

static void points_of_meshes_are_on_their_features(void **state)
{
    (void)state;
    feature_counts n = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed(250); ++seed) {
        random_source random = random_seed(seed);
        solid ground = make_terrain(random_between(&random, 1, 10), random_chance(&random, 0.3) ? 0.0 : 0.05);
        solid other = random_chance(&random, 0.3)   ? make_terrain(5, 0.02)
                      : random_chance(&random, 0.5) ? make_box(1.0, 0.6, 1.2)
                                                    : make_hull(&random, 20);
        tact_transform at = random_pose(&random, 0.5, random_chance(&random, 0.5));
        at.origin.y = random_range(&random, -0.1, 0.6);
        check_contacts(&ground, tact_identity(), &other, at, random_chance(&random, 0.5) ? 0.0 : 0.05, seed, &n);
        tact_shape_release(ground.shape);
        tact_shape_release(other.shape);
    }
    print_counts("meshes", &n);
    if (!few_cases())
        assert_true(n.points > 2000 && n.vertices > 300 && n.edges > 2000 && n.faces > 1000 &&
                    n.whole < n.points / 50 && n.duplicates < n.points / 50);
}

/* On a plane every vertex of a box stands on a face: the ids are those of the vertices, wherever the plane is cut. */
static void a_sliding_box_keeps_its_ids(void **state)
{
    (void)state;
    solid box = make_box(1, 1, 1), ground = make_terrain(6, 0.0);
    tact_shape *plane = tact_halfspace(tact_vec(0, 1, 0), 0.0), *slab = tact_box(20, 2, 20);
    for (int floor = 0; floor < 3; ++floor) {
        const tact_shape *below = floor == 0 ? plane : floor == 1 ? slab : ground.shape;
        const tact_transform at = floor == 1 ? tact_at(0, -1, 0) : tact_identity();
        for (int frame = 0; frame < 200; ++frame) {
            const tact_transform pose =
                tact_transform_make(tact_vec(-0.6 + 0.006 * frame, 0.499, 0.3 - 0.003 * frame),
                                    tact_quat_from_axis_angle(tact_vec(0, 1, 0), 0.01 * frame), tact_vec(1, 1, 1));
            tact_contact_point points[64];
            const tact_contacts found = tact_shapes_contacts(below, at, box.shape, pose, 0.0, points, 64);
            unsigned corners = 0;
            for (size_t i = 0; i < found.count; ++i)
                if (feature_get_kind(points[i].feature_b) == FEATURE_VERTEX)
                    corners |= 1u << (points[i].feature_b & FEATURE_NUMBER_MASK);
            assert_int_equal(corners, 1u | 1u << 1 | 1u << 4 | 1u << 5); /* y is minimal */
            if (floor < 2) {
                assert_int_equal(found.count, 4);
                for (int i = 0; i < 4; ++i)
                    assert_int_equal(points[i].feature_a, points[0].feature_a);
                assert_int_equal(feature_get_kind(points[0].feature_a), FEATURE_FACE);
            }
        }
    }
    tact_shape_release(box.shape);
    tact_shape_release(ground.shape);
    tact_shape_release(plane);
    tact_shape_release(slab);
}

/* Parts of compounds and soups have features of their own; cylinders, capsules and balls have stable ones. */
static void parts_have_features_of_their_own(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(0.5), *floor_box = tact_box(20, 2, 20), *egg = tact_ellipsoid(0.4, 0.5, 0.6);
    enum { PARTS = 30 };
    const tact_shape *parts[PARTS];
    tact_transform transforms[PARTS];
    for (int kind = 0; kind < 3; ++kind) {
        tact_shape *crate = tact_box(0.2, 1.0, 0.2);
        for (int i = 0; i < PARTS; ++i) {
            parts[i] = kind == 0 ? ball : kind == 1 ? crate : egg;
            transforms[i] = tact_at(0.3 * (i % 6), 0, 0.3 * (i / 6));
        }
        tact_shape *many = tact_compound_create(parts, transforms, PARTS, NULL, NULL);
        assert_non_null(many);
        uint64_t first_ids[4 * PARTS];
        for (int frame = 0; frame < 3; ++frame) {
            tact_contact_point points[4 * PARTS];
            const tact_contacts found = tact_shapes_contacts(floor_box, tact_at(0, -1, 0), many,
                                                             tact_at(0.1 * frame, 0.499, 0.05), 0.0, points, 4 * PARTS);
            assert_int_equal(found.count, kind == 1 ? 4 * PARTS : PARTS);
            for (size_t i = 0; i < found.count; ++i) {
                const uint64_t id = (uint64_t)points[i].feature_a << 32 | points[i].feature_b;
                for (size_t k = 0; k < i; ++k)
                    assert_true(id != ((uint64_t)points[k].feature_a << 32 | points[k].feature_b));
                bool known = false;
                for (size_t k = 0; k < found.count && frame > 0; ++k)
                    known = known || first_ids[k] == id;
                assert_true(frame == 0 || known);
                if (frame == 0)
                    first_ids[i] = id;
            }
        }
        tact_shape_release(many);
        tact_shape_release(crate);
    }
    tact_shape *round[3] = {tact_cylinder(0.5, 1), tact_capsule(0.25, 1), tact_cone(0.5, 1)};
    for (int i = 0; i < 3; ++i)
        for (int lying = 0; lying < 2; ++lying) {
            uint64_t ids[2 * TACT_MANIFOLD_POINTS];
            int known = 0;
            for (int frame = 0; frame < 20; ++frame) {
                const tact_quat turn = tact_quat_from_axis_angle(tact_vec(1, 0, 0), lying ? 1.5707963267948966 : 0.0);
                tact_transform at = tact_transform_make(tact_vec(0.01 * frame, 0, 0), turn, tact_vec(1, 1, 1));
                tact_bounds bounds;
                assert_int_equal(tact_shape_bounds(round[i], at, &bounds), TACT_OK);
                at.origin.y = -bounds.min.y - 0.001;
                const tact_manifold m = tact_shapes_manifold(floor_box, tact_at(0, -1, 0), round[i], at, 0.0);
                assert_true(m.count > 0);
                for (int k = 0; k < m.count; ++k) {
                    const uint64_t id = (uint64_t)m.points[k].feature_a << 32 | m.points[k].feature_b;
                    bool found = false;
                    for (int j = 0; j < known; ++j)
                        found = found || ids[j] == id;
                    /* of a cap with more corners than a manifold has points, others may be chosen */
                    if (!lying && i != 1)
                        assert_int_equal(feature_get_kind(m.points[k].feature_b), FEATURE_VERTEX);
                    else
                        assert_true(frame == 0 || found);
                    if (frame == 0)
                        ids[known++] = id;
                }
            }
        }
    for (int i = 0; i < 3; ++i)
        tact_shape_release(round[i]);
    tact_shape_release(ball);
    tact_shape_release(egg);
    tact_shape_release(floor_box);
}

/* Numbers of edges: exact below 2^15, in either order; hashed above. */
static void edges_have_one_number(void **state)
{
    (void)state;
    uint32_t ends[2];
    for (uint32_t i = 0; i < 200; ++i)
        for (uint32_t k = 0; k < i; ++k) {
            const uint32_t a = i * 164u, b = k * 163u;
            if (a == b)
                continue;
            const uint32_t id = feature_of_edge(a, b);
            assert_int_equal(id, feature_of_edge(b, a));
            assert_int_equal(feature_get_kind(id), FEATURE_EDGE);
            feature_edge_vertices(id, ends);
            assert_true(ends[0] == (a < b ? a : b) && ends[1] == (a < b ? b : a));
        }
    assert_int_equal(feature_of_edge(40000, 7), feature_of_edge(7, 40000));
    assert_true(feature_of_edge(40000, 7) != feature_of_edge(40001, 7));
    assert_int_equal(feature_in_part(5, 0), 5);
    assert_true(feature_in_part(feature_make(FEATURE_VERTEX, 5), 1) !=
                feature_in_part(feature_make(FEATURE_VERTEX, 5), 2));
    assert_true(feature_in_part(0, 1) != 0 && feature_in_part(0, 1) != feature_in_part(0, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_of_polytopes_are_on_their_features),
        cmocka_unit_test(points_of_meshes_are_on_their_features),
        cmocka_unit_test(a_sliding_box_keeps_its_ids),
        cmocka_unit_test(parts_have_features_of_their_own),
        cmocka_unit_test(edges_have_one_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
