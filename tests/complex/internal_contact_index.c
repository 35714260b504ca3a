/*
 * The index of contact points against a list sorted by insertion: the same points in the same order, with random
 * clusters of points that are the same, nearly the same and not; a full list; allocations that fail. And the work: the
 * points compared are in proportion to the points, not to their square.
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

#include "complex/complex_constants.h"
#include "complex/contact_index.h"
#include "math/vec.h"
#include "support/failing_allocator.h"
#include "support/random.h"

#define MOST 3000

static const tact_allocator standard = {NULL, NULL};

/* ---- the oracle ----------------------------------------------------------------------------------------------------
 */

typedef struct plain_list {
    tact_contact_point points[MOST];
    size_t stored, capacity;
} plain_list;

static bool list_has(const plain_list *l, const tact_contact_point *p, double distance)
{
    for (size_t i = 0; i < l->stored; ++i) {
        const tact_contact_point *q = &l->points[i];
        const tact_vec3 a = vec_sub(p->on_a, q->on_a), b = vec_sub(p->on_b, q->on_b);
        if (fabs(a.x) <= distance && fabs(a.y) <= distance && fabs(a.z) <= distance && fabs(b.x) <= distance &&
            fabs(b.y) <= distance && fabs(b.z) <= distance &&
            vec_dot(p->normal, q->normal) >= 1.0 - COMPLEX_SAME_NORMAL)
            return true;
    }
    return false;
}

static void list_add(plain_list *l, const tact_contact_point *p)
{
    size_t at = l->stored;
    while (at > 0 && l->points[at - 1].depth < p->depth)
        --at;
    if (at == l->capacity)
        return;
    l->stored += l->stored < l->capacity;
    for (size_t i = l->stored - 1; i > at; --i)
        l->points[i] = l->points[i - 1];
    l->points[at] = *p;
}

/* ---- random points -------------------------------------------------------------------------------------------------
 */

/* On a grid whose width is some times `distance`, moved by up to a few distances. */
static tact_vec3 random_position(random_source *r, double distance, double cells)
{
    double c[3];
    for (int i = 0; i < 3; ++i)
        c[i] = 40.0 * distance * floor(random_range(r, -cells, cells)) +
               (random_range(r, 0.0, 1.0) < 0.5 ? 0.0 : distance * floor(random_range(r, -2.0, 3.0)));
    return vec_make(c[0], c[1], c[2]);
}

static tact_contact_point random_point(random_source *r, double distance, double cells)
{
    static const tact_vec3 normals[4] = {{1.0, 0.0, 0.0}, {0.0, 0.0, -1.0}, {0.6, 0.8, 0.0}, {0.0, 1.0, 0.0}};
    tact_contact_point p = {.on_a = random_position(r, distance, cells), .on_b = random_position(r, distance, cells)};
    p.normal = normals[(int)random_range(r, 0.0, 4.0) & 3];
    if (random_range(r, 0.0, 1.0) < 0.3)
        p.normal = vec_normalize(vec_add(p.normal, vec_make(random_range(r, -2e-3, 2e-3), 0.0, 1e-3)));
    p.depth = floor(random_range(r, 0.0, 50.0));
    p.feature_a = (uint32_t)random_range(r, 0.0, 1e9); /* tells equal ones apart */
    return p;
}

static bool same_bits(const tact_contact_point *p, const tact_contact_point *q)
{
    return vec_equal(p->on_a, q->on_a) && vec_equal(p->on_b, q->on_b) && vec_equal(p->normal, q->normal) &&
           p->depth == q->depth && p->feature_a == q->feature_a;
}

/* ---- tests ---------------------------------------------------------------------------------------------------------
 */

static plain_list list;
static tact_contact_point points[MOST];

static void answers_are_those_of_a_sorted_list(void **state)
{
    (void)state;
    long same = 0, stored = 0, full = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        random_source r = random_seed(seed);
        const double distance = seed % 7 == 0 ? 0.0 : pow(10.0, random_range(&r, -9.0, 3.0)),
                     cells = (double)(seed % 3 + 1);
        const size_t capacity = seed % 2 == 0 ? MOST : 70 + (size_t)random_range(&r, 0.0, 200.0);
        const double size = distance > 0.0 ? distance : 1.0;
        list.stored = 0;
        list.capacity = capacity;
        contact_index index = {.compared = 0};
        for (int i = 0; i < 600; ++i) {
            tact_contact_point p = random_point(&r, size, cells);
            if (i > 0 && random_chance(&r, 0.6)) { /* one that is stored, or close to it */
                static const double moves[5] = {0.0, 0.5, 0.999, 1.001, 1.5};
                p = list.points[random_below(&r, list.stored)];
                p.on_a.x += moves[random_below(&r, 5)] * size;
                p.on_b.z -= moves[random_below(&r, 5)] * size;
                p.normal = vec_normalize(vec_add(p.normal, vec_make(0.0, 0.0, random_range(&r, -1.6e-3, 1.6e-3))));
                p.depth += random_chance(&r, 0.5) ? 0.0 : 3.0;
                p.feature_a = (uint32_t)random_below(&r, 1000000000);
            }
            if (i == 0)
                points[0] = p;
            if (i == 0)
                assert_true(
                    tact_contact_index_begin(&index, &standard, points, 1, capacity, distance, 200.0 * cells * size));
            const bool has = i > 0 && list_has(&list, &p, distance);
            if (i > 0 && tact_contact_index_has(&index, &p) != has)
                fail_msg("seed %llu, point %d", (unsigned long long)seed, i);
            same += has;
            if (has)
                continue;
            full += list.stored == capacity;
            ++stored;
            list_add(&list, &p);
            if (i > 0)
                assert_true(tact_contact_index_add(&index, &p));
        }
        assert_int_equal(index.stored, list.stored);
        tact_contact_index_finish(&index);
        for (size_t i = 0; i < list.stored; ++i)
            if (!same_bits(&points[i], &list.points[i]))
                fail_msg("seed %llu: point %zu of %zu", (unsigned long long)seed, i, list.stored);
    }
    assert_true(same > 1000 && stored > 5000 && full > 1000);
}

/* Twice as many points: twice as many comparisons, not four times. */
static void work_is_in_proportion(void **state)
{
    (void)state;
    for (size_t count = 500; count <= 2000; count *= 2) {
        random_source r = random_seed(5);
        contact_index index = {.compared = 0};
        for (size_t i = 0; i < count; ++i) {
            tact_contact_point p = {.normal = {0.0, 0.0, 1.0}, .depth = random_range(&r, 0.0, 1.0)};
            p.on_a = vec_make(random_range(&r, -1.0, 1.0), random_range(&r, -1.0, 1.0), 0.0);
            p.on_b = p.on_a;
            if (i == 0) {
                points[0] = p;
                assert_true(tact_contact_index_begin(&index, &standard, points, 1, MOST, 1e-7, 1.0));
            } else {
                assert_false(tact_contact_index_has(&index, &p));
                assert_true(tact_contact_index_add(&index, &p));
            }
        }
        const uint64_t compared = index.compared;
        tact_contact_index_finish(&index);
        if (compared > count)
            fail_msg("%llu comparisons of %zu points", (unsigned long long)compared, count);
    }
}

/* n triangles through a common centre in each of two meshes: all pairs are in contact. The tool asked for 1.2 s at 200.
 * Whether memory fails or not, the contacts are the same. */
static failing_allocator memory;

static tact_shape *crossing_triangles(uint64_t seed, size_t count)
{
    random_source r = random_seed(seed);
    tact_vec3 vertices[3 * 40];
    uint32_t indices[3 * 40];
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < 3; ++k) {
            vertices[3 * i + k] =
                k < 2 ? vec_make(random_range(&r, -1.0, 1.0), random_range(&r, -1.0, 1.0), random_range(&r, -1.0, 1.0))
                      : vec_negate(vec_add(vertices[3 * i], vertices[3 * i + 1]));
            indices[3 * i + k] = (uint32_t)(3 * i + k);
        }
    const tact_mesh_def def = {.vertices = {.data = vertices, .count = 3 * count},
                               .indices = indices,
                               .index_count = 3 * count,
                               .allocator = failing_allocator_make(&memory)};
    return tact_mesh_create(&def, NULL);
}

static void contacts_do_not_depend_on_memory(void **state)
{
    (void)state;
    static tact_contact_point first[MOST];
    tact_shape *a = crossing_triangles(3, 24), *b = crossing_triangles(4, 24);
    assert_true(a != NULL && b != NULL);
    const tact_contacts all = tact_shapes_contacts(a, tact_identity(), b, tact_identity(), 0.0, first, MOST);
    assert_int_equal(all.status, TACT_OK);
    assert_true(all.count > 300 && all.count < MOST);
    for (size_t i = 1; i < all.count; ++i)
        assert_true(first[i].depth <= first[i - 1].depth);
    for (int fail = 0; fail < 32; ++fail) {
        memory.fail_at = fail % 2 == 0 ? memory.calls + 1 + fail / 2 : 0;
        memory.fail_from = fail % 2 == 1 ? memory.calls + 1 + fail / 2 : 0;
        const tact_contacts again = tact_shapes_contacts(a, tact_identity(), b, tact_identity(), 0.0, points, MOST);
        memory.fail_at = memory.fail_from = 0;
        assert_int_equal(again.status, TACT_OK);
        assert_int_equal(again.count, all.count);
        for (size_t i = 0; i < all.count; ++i)
            assert_true(same_bits(&points[i], &first[i]));
    }
    tact_shape_release(a);
    tact_shape_release(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_a_sorted_list),
        cmocka_unit_test(work_is_in_proportion),
        cmocka_unit_test(contacts_do_not_depend_on_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
