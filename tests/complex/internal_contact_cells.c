/*
 * The cells of triangles near points against a search of all triangles: nothing near is left out, on crossing, flat,
 * scattered and coincident triangles, at all scales, with and without memory. And the work: of n triangles that all
 * cross, n^2 searches visit far fewer than n^3.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <tact/tact.h>

#include "complex/closest_triangle.h"
#include "complex/contact_cells.h"
#include "math/vec.h"
#include "shape/shape_data.h"
#include "support/failing_allocator.h"
#include "support/random.h"

#define MOST 400

typedef enum layout { CROSSING, FLAT, SCATTERED, EQUAL, LAYOUTS } layout;

static tact_vec3 unit_cube(random_source *r)
{
    return vec_make(random_range(r, -1.0, 1.0), random_range(r, -1.0, 1.0), random_range(r, -1.0, 1.0));
}

static tact_shape *triangles_of(layout kind, size_t count, double scale, uint64_t seed)
{
    static tact_vec3 vertices[3 * MOST];
    static uint32_t indices[3 * MOST];
    random_source r = random_seed(seed);
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 centre = kind == SCATTERED ? vec_scale(unit_cube(&r), 20.0) : vec_make(0.0, 0.0, 0.0);
        for (size_t k = 0; k < 3; ++k) {
            tact_vec3 v = unit_cube(&r);
            if (kind == CROSSING && k == 2)
                v = vec_negate(vec_add(vertices[3 * i], vertices[3 * i + 1])); /* around the origin */
            if (kind == FLAT)
                v.z = 0.5;
            if (kind == EQUAL && i > 0)
                v = vertices[k];
            vertices[3 * i + k] = vec_add(v, centre);
            indices[3 * i + k] = (uint32_t)(3 * i + k);
        }
    }
    for (size_t i = 0; i < 3 * count; ++i)
        vertices[i] = vec_scale(vertices[i], scale);
    const tact_mesh_def def = {
        .vertices = {.data = vertices, .count = 3 * count}, .indices = indices, .index_count = 3 * count};
    return tact_mesh_create(&def, NULL);
}

typedef struct visited_set {
    bool has[MOST];
    uint32_t stop_at;
} visited_set;

static double remember(void *context, uint32_t triangle, double limit)
{
    visited_set *v = context;
    v->has[triangle] = true;
    return triangle == v->stop_at ? -1.0 : limit;
}

/* A point in a triangle, or beside it by less than `near`, or anywhere. */
static tact_vec3 point_for(random_source *r, const instance *of, uint32_t count, double near, double size)
{
    tact_vec3 vertex[3];
    mesh_triangle(of->shape->mesh, &of->at, (uint32_t)random_below(r, count), vertex);
    const double u = random_range(r, 0.0, 1.0), v = random_range(r, 0.0, 1.0 - u);
    const tact_vec3 on =
        vec_mul_add(vec_mul_add(vertex[0], u, vec_sub(vertex[1], vertex[0])), v, vec_sub(vertex[2], vertex[0]));
    return random_below(r, 4) == 0 ? vec_scale(unit_cube(r), size) : vec_mul_add(on, near, unit_cube(r));
}

static void nothing_near_is_left_out(void **state)
{
    (void)state;
    uint64_t found = 0, in_cells = 0, without_memory = 0;
    for (uint64_t seed = 1; seed <= 48; ++seed) {
        const layout kind = (layout)(seed % LAYOUTS);
        const double scale = ldexp(1.0, (int)(seed % 7) * 100 - 300);
        const uint32_t count = 40 + (uint32_t)(seed % 5) * 40;
        tact_shape *shape = triangles_of(kind, count, scale, seed);
        assert_non_null(shape);
        random_source r = random_seed(seed + 1000);
        const tact_transform at = {{0.6, 0.8, 0.0}, {-0.8, 0.6, 0.0}, {0.0, 0.0, 1.0}, {scale, -scale, 0.3 * scale}};
        instance of;
        assert_int_equal(tact_instance_make(&of, shape, &at), TACT_OK);
        failing_allocator memory = {.fail_from = seed % 3 == 0 ? (long)(seed / 3 % 8) + 1 : 0};
        const tact_allocator allocator = failing_allocator_make(&memory);
        contact_cells cells = {.allocator = &allocator};
        const double near = 1e-9 * scale;
        for (int i = 0; i < 600; ++i) {
            const tact_vec3 point = point_for(&r, &of, count, near, 30.0 * scale);
            visited_set v = {.stop_at = UINT32_MAX};
            tact_contact_cells_visit(&cells, &of, point, near, remember, &v);
            for (uint32_t t = 0; t < count; ++t) {
                tact_vec3 vertex[3];
                mesh_triangle(shape->mesh, &at, t, vertex);
                const bool is_near = tact_distance_from_triangle(vertex, point) <= near;
                found += is_near;
                if (is_near && !v.has[t])
                    fail_msg("seed %llu, point %d: triangle %u is near and was not visited", (unsigned long long)seed,
                             i, (unsigned)t);
            }
        }
        in_cells += cells.cells.count > 1;
        without_memory += cells.cells.count == 0 && cells.failed;
        tact_contact_cells_release(&cells);
        assert_int_equal(memory.held, 0);
        tact_shape_release(shape);
    }
    assert_true(found > 10000);
    assert_true(in_cells >= 12);
    assert_true(without_memory >= 2);
}

/* Searches for the triangles at one point each on all pairs of triangles; the triangles visited. */
static uint64_t work_of(uint32_t count)
{
    tact_shape *shape = triangles_of(CROSSING, count, 1.0, 5);
    assert_non_null(shape);
    const tact_transform at = tact_identity();
    const tact_allocator standard = {NULL, NULL};
    instance of;
    assert_int_equal(tact_instance_make(&of, shape, &at), TACT_OK);
    contact_cells cells = {.allocator = &standard};
    random_source r = random_seed(7);
    for (uint32_t i = 0; i < count * count; ++i) {
        visited_set v = {.stop_at = UINT32_MAX};
        tact_contact_cells_visit(&cells, &of, point_for(&r, &of, count, 0.0, 1.0), 1e-9, remember, &v);
    }
    const uint64_t visited = cells.visited;
    tact_contact_cells_release(&cells);
    tact_shape_release(shape);
    return visited;
}

static void crossing_triangles_cost_less_than_all(void **state)
{
    (void)state;
    const uint64_t small = work_of(100), large = work_of(400); /* 4 times the triangles, 16 times the searches */
    printf("%llu visits of 100 triangles, %llu of 400\n", (unsigned long long)small, (unsigned long long)large);
    assert_true(large < 40 * small);             /* n^3: 64 times */
    assert_true(large < 400ull * 400 * 400 / 5); /* a fifth of all triangles for each point */
}

/* A visitor that stops is not called again; another transform begins anew. */
static void searches_stop_and_begin_anew(void **state)
{
    (void)state;
    tact_shape *shape = triangles_of(CROSSING, 100, 1.0, 9);
    assert_non_null(shape);
    const tact_allocator standard = {NULL, NULL};
    contact_cells cells = {.allocator = &standard};
    for (int turn = 0; turn < 2; ++turn) {
        tact_transform at = tact_identity();
        at.origin.x = 10.0 * turn;
        instance of;
        assert_int_equal(tact_instance_make(&of, shape, &at), TACT_OK);
        const uint64_t before = cells.visited;
        for (int i = 0; i < 200; ++i) {
            visited_set v = {.stop_at = UINT32_MAX};
            tact_contact_cells_visit(&cells, &of, at.origin, 1e-9, remember, &v);
        }
        assert_true(cells.cells.count > 0);
        assert_true(turn == 0 || cells.visited < 2 * before);
        visited_set v = {.stop_at = cells.lists.items[0]};
        tact_contact_cells_visit(&cells, &of, at.origin, 1e-9, remember, &v);
        uint32_t visits = 0;
        for (uint32_t t = 0; t < 100; ++t)
            visits += v.has[t];
        assert_true(visits >= 1 && visits < 100);
    }
    tact_contact_cells_release(&cells);
    tact_shape_release(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_near_is_left_out),
        cmocka_unit_test(crossing_triangles_cost_less_than_all),
        cmocka_unit_test(searches_stop_and_begin_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
