/* Flat regions of meshes. The oracle compares each triangle with each other one, by vertices and exact coordinates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <tact/tact.h>

#include "shape/complex_support.h"
#include "shape/mesh.h"
#include "shape/refittable_mesh.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/stepped_mesh.h"

static tact_vec3 normal_of(const mesh *m, uint32_t i)
{
    const tact_vec3 *v = m->vertices;
    const uint32_t *k = &m->indices[3 * i];
    return vec_cross(vec_sub(v[k[1]], v[k[0]]), vec_sub(v[k[2]], v[k[0]]));
}

/* Whether triangle k has an edge of triangle i, backwards, and is in the same plane. Coordinates are small integers. */
static bool continues(const mesh *m, uint32_t i, uint32_t k)
{
    const uint32_t *p = &m->indices[3 * i], *q = &m->indices[3 * k];
    bool shared = false;
    for (int e = 0; e < 3; ++e)
        for (int f = 0; f < 3; ++f)
            shared = shared || (p[e] == q[(f + 1) % 3] && p[(e + 1) % 3] == q[f]);
    const tact_vec3 n = normal_of(m, i);
    for (int f = 0; f < 3; ++f)
        if (vec_dot(n, vec_sub(m->vertices[q[f]], m->vertices[p[0]])) != 0.0)
            return false;
    return shared && vec_dot(n, normal_of(m, k)) > 0.0;
}

static void check_nodes(const mesh *m, uint32_t node, uint32_t *region)
{
    const tree_node *n = &m->tree.nodes[node];
    *region = FLAT_NONE;
    for (unsigned k = 0; k < tree_child_count(n); ++k) {
        uint32_t own = FLAT_NONE;
        if (tree_is_leaf(n->child[k]))
            own = m->flat.of_triangle[tree_item(n->child[k])];
        else
            check_nodes(m, n->child[k], &own);
        *region = k == 0 || own == *region ? own : FLAT_NONE;
        if (*region == FLAT_NONE)
            for (++k; k < tree_child_count(n); ++k) /* check the others */
                if (!tree_is_leaf(n->child[k]))
                    check_nodes(m, n->child[k], &own);
    }
    assert_int_equal(m->flat.of_node[node], *region);
}

static void regions_are_those_of_brute_force(void **state)
{
    (void)state;
    long interior = 0, others = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(20); ++seed) {
        random_source random = random_seed(seed);
        const int block = random_between(&random, 2, 6);
        const double rise = random_chance(&random, 0.5) ? 1.0 : 0.0;
        stepped_mesh s = stepped_mesh_make(12, block, 2.0, rise, true, &random);
        tact_shape *shape = stepped_mesh_shape(&s);
        assert_non_null(shape);
        const mesh *m = shape->mesh;
        const flat_regions *flat = mesh_flat_regions(m);
        long found = 0;
        for (uint32_t i = 0; i < m->element_count; ++i) {
            int neighbours = 0;
            const uint32_t region = flat != NULL ? flat->of_triangle[i] : FLAT_NONE;
            for (uint32_t k = 0; k < m->element_count; ++k)
                if (k != i && continues(m, i, k)) {
                    ++neighbours;
                    const uint32_t other = flat != NULL ? flat->of_triangle[k] : FLAT_NONE;
                    CHECK(region == FLAT_NONE || other == FLAT_NONE || region == other, "triangles %u and %u", i, k);
                }
            CHECK((neighbours == 3) == (region != FLAT_NONE), "triangle %u has %d neighbours", i, neighbours);
            CHECK(region == FLAT_NONE || region <= i || continues(m, region, region) || region < m->element_count,
                  "region %u", region);
            found += neighbours == 3;
        }
        CHECK((found > 0) == (flat != NULL), "%ld are interior", found);
        interior += found;
        others += (long)m->element_count - found;
        uint32_t root;
        if (flat != NULL)
            check_nodes(m, 0, &root);
        tact_shape_release(shape);
        stepped_mesh_release(&s);
    }
    if (getenv("TACT_TEST_SEED") == NULL) {
        assert_true(interior > 100);
        assert_true(others > 100);
    }
}

static long interior_count(const tact_shape *shape)
{
    const flat_regions *flat = mesh_flat_regions(shape->mesh);
    long count = 0;
    for (uint32_t i = 0; flat != NULL && i < flat->triangle_count; ++i)
        count += flat->of_triangle[i] != FLAT_NONE;
    return count;
}

/* Vertices of a rotated plane are rounded. */
static void slanting_planes_are_flat(void **state)
{
    (void)state;
    random_source random = random_seed(7);
    stepped_mesh s = stepped_mesh_make(100, 100, 0.1, 0.0, false, &random);
    for (int turn = 0; turn < 10; ++turn) {
        stepped_mesh turned = s;
        turned.vertices = malloc(s.vertex_count * sizeof *s.vertices);
        const tact_transform t =
            tact_transform_make(vec_make(3.0, -2.0, 0.7), random_rotation(&random), vec_make(1, 1, 1));
        for (uint32_t i = 0; i < s.vertex_count; ++i)
            turned.vertices[i] = tact_transform_point(t, s.vertices[i]);
        tact_shape *shape = stepped_mesh_shape(&turned);
        assert_int_equal(interior_count(shape), 2 * 100 * 100 - 4 * 100 + 2); /* two corners have one triangle */
        tact_shape_release(shape);
        free(turned.vertices);
    }
    stepped_mesh_release(&s);
}

/* A plane that bends by more than rounding, triangles on both sides, and meshes without area are not flat. */
static void other_meshes_are_not_flat(void **state)
{
    (void)state;
    const uint32_t indices[] = {0, 1, 2, 0, 3, 1, 1, 4, 2, 2, 5, 0};
    tact_vec3 v[6] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {2, -2, 0}, {4, 4, 0}, {-2, 2, 0}};
    tact_shape *shape = tact_mesh(v, 6, indices, 4);
    assert_int_equal(interior_count(shape), 1);
    tact_shape *copy = tact_refittable_mesh_create(shape, &shape->allocator);
    assert_null(mesh_flat_regions(copy->mesh));
    tact_shape_release(copy);
    tact_shape_release(shape);
    for (int k = 3; k < 6; ++k) {
        const tact_vec3 flat = v[k];
        v[k].z = 1e-9;
        shape = tact_mesh(v, 6, indices, 4);
        assert_int_equal(interior_count(shape), 0);
        tact_shape_release(shape);
        v[k] = k == 3 ? vec_make(2, 1, 0) : k == 4 ? vec_make(1, 1, 0) : vec_make(1, 2, 0); /* folded back */
        shape = tact_mesh(v, 6, indices, 4);
        assert_int_equal(interior_count(shape), 0);
        tact_shape_release(shape);
        v[k] = k == 3 ? vec_make(2, 0, 0) : k == 4 ? vec_make(2, 2, 0) : vec_make(0, 2, 0); /* no area */
        shape = tact_mesh(v, 6, indices, 4);
        assert_int_equal(interior_count(shape), 0);
        tact_shape_release(shape);
        v[k] = flat;
    }
    /* a third triangle at an edge */
    const uint32_t more[] = {0, 1, 2, 0, 3, 1, 1, 4, 2, 2, 5, 0, 0, 1, 5};
    shape = tact_mesh(v, 6, more, 5);
    assert_int_equal(interior_count(shape), 0);
    tact_shape_release(shape);
}

/* The support value of a large flat face along its normal takes few elements. */
static void flat_faces_are_cheap(void **state)
{
    (void)state;
    tact_shape *shape = flat_mesh(100, 10.0);
    random_source random = random_seed(3);
    for (int i = 0; i < 50; ++i) {
        const tact_transform at =
            tact_transform_make(vec_scale(random_direction(&random), random_range(&random, 0.0, 100.0)),
                                random_rotation(&random), vec_make(1, 1, 1));
        const tact_vec3 up = vec_normalize(at.y_axis);
        double value;
        tact_vec3 point;
        assert_true(tact_support_value_if_cheap(shape, &at, up, &value));
        assert_true(fabs(value - vec_dot(up, at.origin)) < 1e-13);
        assert_true(tact_support_point_if_cheap(shape, &at, up, &point));
        assert_true(fabs(vec_dot(up, point) - value) < 1e-13);
    }
    tact_shape_release(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_are_those_of_brute_force),
        cmocka_unit_test(slanting_planes_are_flat),
        cmocka_unit_test(other_meshes_are_not_flat),
        cmocka_unit_test(flat_faces_are_cheap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
