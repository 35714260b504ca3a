/*
 * Contacts with flat regions of meshes: only some points of the region are given. The oracle is the search that
 * examines each triangle. With the same normal, all its points must be convex combinations of those given, and so must
 * their depths: then contact impulses at the points given have the same resultants as those at all points. In turn all
 * points given are on both surfaces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <tact/tact.h>

#include "shape/mesh.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/stepped_mesh.h"

enum { CAPACITY = 4000 };

static tact_shape *random_body(random_source *random)
{
    tact_vec3 points[8];
    double size[3];
    switch (random_below(random, 5)) {
    case 0:
        return tact_sphere(random_range(random, 0.2, 0.8));
    case 1:
        return tact_capsule(0.3, random_range(random, 0.5, 1.5));
    case 2:
        for (int i = 0; i < 8; ++i)
            points[i] = vec_scale(random_direction(random), 0.7);
        return tact_hull(points, 8);
    default:
        for (int i = 0; i < 3; ++i)
            size[i] = random_range(random, 0.3, i == 1 ? 1.0 : 2.0);
        return tact_box(size[0], size[1], size[2]);
    }
}

static bool same_normal(const tact_contact_point *p, const tact_contact_point *q)
{
    return vec_dot(p->normal, q->normal) >= 1.0 - 1e-6;
}

/* Whether three points, in one plane with p, have it as a convex combination, with its depth. */
static bool is_between(const tact_contact_point *p, const tact_contact_point *a, const tact_contact_point *b,
                       const tact_contact_point *c)
{
    const tact_vec3 n = p->normal, u = vec_sub(b->on_a, a->on_a), v = vec_sub(c->on_a, a->on_a),
                    w = vec_sub(p->on_a, a->on_a);
    const double area = vec_dot(n, vec_cross(u, v));
    double t[3] = {0.0, 0.0, 0.0};
    if (fabs(area) > 1e-9) {
        t[1] = vec_dot(n, vec_cross(w, v)) / area;
        t[2] = vec_dot(n, vec_cross(u, w)) / area;
    } else if (vec_length_squared(u) > 0.0) {
        t[1] = vec_dot(u, w) / vec_length_squared(u);
    }
    t[0] = 1.0 - t[1] - t[2];
    /* points along another normal, of the rim of a region, are shifted to the side */
    const bool one_normal = same_normal(p, a) && same_normal(p, b) && same_normal(p, c);
    const double off = 2e-6 + (one_normal ? 0.0 : 0.1 * fabs(p->depth));
    const tact_vec3 sum = vec_mul_add(vec_mul_add(vec_scale(a->on_a, t[0]), t[1], b->on_a), t[2], c->on_a);
    return t[0] >= -1e-6 && t[1] >= -1e-6 && t[2] >= -1e-6 && vec_length(vec_sub(sum, p->on_a)) < off &&
           fabs(t[0] * a->depth + t[1] * b->depth + t[2] * c->depth - p->depth) < off;
}

/* Where the body is at the rim of a region, the points of triangles there may have another normal. */
static bool similar_normal(const tact_contact_point *p, const tact_contact_point *q)
{
    return vec_dot(p->normal, q->normal) >= 0.995;
}

static bool is_spanned(const tact_contact_point *p, const tact_contact_point *all, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        for (size_t j = i; similar_normal(p, &all[i]) && j < count; ++j)
            for (size_t k = j; similar_normal(p, &all[j]) && k < count; ++k)
                if (similar_normal(p, &all[k]) && is_between(p, &all[i], &all[j], &all[k]))
                    return true;
    return false;
}

static bool is_among(const tact_contact_point *p, const tact_contact_point *all, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (vec_length(vec_sub(p->on_a, all[i].on_a)) < 1e-6 && vec_length(vec_sub(p->on_b, all[i].on_b)) < 1e-6 &&
            same_normal(p, &all[i]))
            return true;
    return false;
}

static bool is_on(const tact_shape *shape, tact_transform at, tact_vec3 point)
{
    return fabs(tact_shape_closest(shape, at, point).distance) < 1e-6;
}

static bool is_along_normal(const tact_contact_point *p)
{
    return vec_length(vec_sub(vec_sub(p->on_a, p->on_b), vec_scale(p->normal, p->depth))) < 1e-9;
}

static void points_span_those_of_all_triangles(void **state)
{
    (void)state;
    static tact_contact_point few[CAPACITY], all[CAPACITY], far[CAPACITY];
    long fewer = 0, edges = 0, overlaps = 0, gaps = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(300); ++seed) {
        random_source random = random_seed(seed);
        const int block = random_between(&random, 5, 20);
        const double rise = random_chance(&random, 0.5) ? 0.0 : 0.2;
        const bool holes = random_chance(&random, 0.5);
        stepped_mesh s = stepped_mesh_make(40, block, 0.1, rise, holes, &random);
        tact_shape *terrain = stepped_mesh_shape(&s), *body = random_body(&random);
        /* upright, turned a little, or anyhow; then down to the mesh */
        const double turn = random_below(&random, 3) == 0 ? 3.0 : random_chance(&random, 0.5) ? 1e-3 : 0.0;
        tact_quat q = tact_quat_from_axis_angle(vec_make(0.0, 1.0, 0.0), random_range(&random, -3.0, 3.0));
        q = tact_quat_multiply(tact_quat_from_axis_angle(random_direction(&random), turn), q);
        const tact_transform floor =
            random_chance(&random, 0.5)
                ? tact_identity()
                : tact_transform_make(vec_make(1, 2, 3), random_rotation(&random), vec_make(1, 1, 1));
        const tact_vec3 up = floor.y_axis;
        const double x = random_range(&random, -1.5, 1.5);
        const double z = random_range(&random, -1.5, 1.5);
        tact_transform at =
            tact_transform_compose(floor, tact_transform_make(vec_make(x, 3.0, z), q, vec_make(1, 1, 1)));
        const tact_toi hit = tact_shapes_time_of_impact(terrain, floor, tact_motion_still(), body, at,
                                                        tact_motion_linear(-up.x, -up.y, -up.z), 4.0);
        const double offsets[] = {1e-3, 1e-6, 0.0, -1e-7, -1e-5};
        at.origin =
            vec_mul_add(at.origin, offsets[random_below(&random, 5)] - (hit.state == TACT_HIT ? hit.time : 2.5), up);
        const bool swapped = random_chance(&random, 0.5);
        struct mesh *m = terrain->mesh;
        const tact_shape *a = swapped ? body : terrain, *b = swapped ? terrain : body;
        const tact_transform ta = swapped ? at : floor, tb = swapped ? floor : at;
        const double reach = random_chance(&random, 0.5) ? 1e-2 : 0.1;
        const tact_contacts found = tact_shapes_contacts(a, ta, b, tb, reach, few, CAPACITY);
        const tact_vec3 *points = m->flat.points;
        m->flat.points = NULL; /* no flat regions */
        const tact_contacts oracle = tact_shapes_contacts(a, ta, b, tb, reach, all, CAPACITY);
        m->flat.points = points;
        CHECK(found.status == TACT_OK && oracle.status == TACT_OK, "status %d, %d", found.status, oracle.status);
        CHECK(found.count <= CAPACITY && oracle.count <= CAPACITY, "%zu, %zu points", found.count, oracle.count);
        CHECK(found.state == oracle.state, "%zu of %zu points", found.count, oracle.count);
        for (size_t i = 0; i < found.count; ++i)
            CHECK(is_among(&few[i], all, oracle.count) ||
                      (is_on(a, ta, few[i].on_a) && is_on(b, tb, few[i].on_b) && is_along_normal(&few[i])),
                  "point %zu of %zu", i, found.count);
        /* of a body that is inclined, points may be between those given and others that are out of reach */
        const tact_contacts farther = tact_shapes_contacts(a, ta, b, tb, 3.0, far, CAPACITY);
        CHECK(farther.status == TACT_OK && farther.count <= CAPACITY, "%zu points", farther.count);
        const bool affine =
            tact_shape_get_type(body) != TACT_CAPSULE || turn == 0.0; /* see manifold.c, surface_height */
        for (size_t i = 0; i < oracle.count && affine; ++i)
            CHECK(is_among(&all[i], few, found.count) || is_spanned(&all[i], few, found.count) ||
                      is_spanned(&all[i], far, farther.count),
                  "point %zu of %zu, depth %g", i, oracle.count, all[i].depth);
        fewer += found.count < oracle.count;
        edges += found.count > 8;
        overlaps += oracle.count > 0 && all[0].depth > 0.0;
        gaps += oracle.count > 0 && all[0].depth < 0.0;
        tact_shape_release(terrain);
        tact_shape_release(body);
        stepped_mesh_release(&s);
    }
    if (getenv("TACT_TEST_SEED") == NULL && !quick_form()) {
        assert_true(fewer > 25);
        assert_true(edges > 15);
        assert_true(overlaps > 30);
        assert_true(gaps > 30);
    }
}

/* A box on a flat mesh has its corners as contacts, however fine the mesh is. */
static void boxes_have_four_points(void **state)
{
    (void)state;
    tact_contact_point points[CAPACITY];
    tact_shape *cube = tact_box(1.0, 1.0, 1.0);
    for (int cells = 20; cells <= 160; cells *= 2) {
        tact_shape *terrain = flat_mesh(cells, 10.0);
        const tact_contacts found =
            tact_shapes_contacts(terrain, tact_identity(), cube, tact_at(0.123, 0.5001, 0.217), 0.01, points, CAPACITY);
        assert_int_equal(found.status, TACT_OK);
        assert_int_equal(found.count, 4);
        for (int i = 0; i < 4; ++i) {
            assert_true(fabs(fabs(points[i].on_a.x - 0.123) - 0.5) < 1e-12);
            assert_true(fabs(fabs(points[i].on_a.z - 0.217) - 0.5) < 1e-12);
            assert_true(fabs(points[i].depth + 1e-4) < 1e-12);
        }
        tact_shape_release(terrain);
    }
    tact_shape_release(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_span_those_of_all_triangles),
        cmocka_unit_test(boxes_have_four_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
