/*
 * The search for the nearest pair of triangles, where many are equally far: its work, counted in pairs visited, and its
 * distance against all pairs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <tact/tact.h>

#include "complex/traversal.h"
#include "convex/convex_query.h"
#include "math/vec.h"
#include "support/failing_allocator.h"
#include "support/random.h"

#define MOST 520

static failing_allocator memory;

typedef struct triangles {
    tact_vec3 vertices[3 * MOST];
    uint32_t indices[3 * MOST];
    size_t count;
} triangles;

static void add(triangles *t, tact_vec3 p, tact_vec3 q, tact_vec3 r)
{
    const tact_vec3 all[3] = {p, q, r};
    for (size_t k = 0; k < 3; ++k) {
        t->vertices[3 * t->count + k] = all[k];
        t->indices[3 * t->count + k] = (uint32_t)(3 * t->count + k);
    }
    ++t->count;
}

typedef enum scene {
    ALL_EQUAL,     /* vertices, at coordinates that are no floats */
    NEEDLES,       /* 1e-300 wide, in a cloud of that size */
    GIANT_IN_DUST, /* in both: a giant triangle in the plane of small ones */
    CLUSTERS,      /* 1e-9 wide, one unit apart */
    CLOUDS,        /* no ties */
    SCENES
} scene;

static void fill(triangles *t, scene kind, size_t count, bool second, random_source *r)
{
    t->count = 0;
    const double at = second ? 1.1 : 0.1;
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 d =
            vec_make(random_range(r, -1.0, 1.0), random_range(r, -1.0, 1.0), random_range(r, -1.0, 1.0));
        tact_vec3 p = vec_make(0.1, 0.7, at), e = vec_make(0.0, 0.0, 0.0), f = e;
        if (kind == NEEDLES) {
            p = vec_make(1e-300 * d.x, second ? 5.0 : 0.0, 1e-300 * d.z);
            e = vec_make(1e-300, 0.0, 0.0);
            f = vec_make(0.0, 0.0, 1.0);
        } else if (kind == GIANT_IN_DUST) {
            p = vec_make(d.x, d.y, at);
            e = vec_make(0.001, 0.0, 0.0);
            f = vec_make(0.0, 0.001, 0.0);
        } else if (kind == CLUSTERS) {
            p = vec_mul_add(p, 1e-9, d);
        } else if (kind == CLOUDS) {
            p = vec_make(d.x, d.y, d.z + (second ? 2.5 : 0.0));
            e = vec_make(0.1, 0.0, 0.02 * d.x);
            f = vec_make(0.0, 0.1, 0.02 * d.y);
        }
        add(t, p, vec_add(p, e), vec_add(p, f));
    }
    if (kind == GIANT_IN_DUST)
        add(t, vec_make(-1e4, -1e4, at), vec_make(1e4, 0.0, at), vec_make(0.0, 1e4, at));
}

static tact_shape *mesh_of(const triangles *t)
{
    const tact_mesh_def def = {.vertices = {.data = t->vertices, .count = 3 * t->count},
                               .indices = t->indices,
                               .index_count = 3 * t->count,
                               .allocator = failing_allocator_make(&memory)};
    tact_shape *s = tact_mesh_create(&def, NULL);
    assert_non_null(s);
    return s;
}

typedef struct search {
    tact_vec3 normal;
    double best;
    uint64_t visits;
} search;

static double visit(void *context, const primitive *a, const primitive *b, double limit)
{
    search *s = context;
    convex ca, cb;
    ++s->visits;
    assert_int_equal(tact_primitive_convex(a, &ca), TACT_OK);
    assert_int_equal(tact_primitive_convex(b, &cb), TACT_OK);
    const tact_distance d = tact_convex_distance(&ca, &cb, &(tact_distance_def){0.0, INFINITY, NULL});
    if (!(d.distance < s->best))
        return limit;
    s->best = d.distance;
    s->normal = d.normal;
    return d.distance;
}

static void ties_are_visited_once(void **state)
{
    (void)state;
    static triangles one, other;
    for (int kind = 0; kind < SCENES; ++kind)
        for (size_t count = 128; count < MOST; count *= 2) {
            random_source r = random_seed((uint64_t)kind);
            fill(&one, (scene)kind, count, false, &r);
            fill(&other, (scene)kind, count, true, &r);
            tact_shape *a = mesh_of(&one), *b = mesh_of(&other);
            const tact_transform here = tact_identity();
            instance both[2];
            bool swapped;
            assert_int_equal(tact_instance_pair(both, a, &here, b, &here, &swapped), TACT_OK);
            search s = {.best = INFINITY};
            traversal w = {&s, visit, NULL, false, TACT_OK};
            (void)tact_traverse_pairs_toward(&w, &both[0], &both[1], &s.normal, INFINITY);
            assert_int_equal(w.status, TACT_OK);
            search all = {.best = INFINITY};
            for (uint32_t i = 0; count < 300 && i < one.count; ++i)
                for (uint32_t k = 0; k < other.count; ++k)
                    (void)visit(&all, &(primitive){&both[0], i}, &(primitive){&both[1], k}, INFINITY);
            if (count < 300 && !(fabs(s.best - all.best) <= 1e-12 * all.best))
                fail_msg("scene %d, %zu triangles: %.17g, not %.17g", kind, count, s.best, all.best);
            const uint64_t most = COMPLEX_MANY_VISITS * (one.count + other.count + COMPLEX_MANY_VISITS) + 8 * count;
            if (s.visits > most)
                fail_msg("scene %d, %zu triangles: %llu pairs", kind, count, (unsigned long long)s.visits);
            const tact_distance d = tact_shapes_distance(a, here, b, here);
            assert_int_equal(d.status, TACT_OK);
            assert_true(fabs(d.distance - s.best) <= 1e-10 * s.best);
            for (int fail = 1; count == 128 && fail < 3; ++fail) { /* without memory for the boxes: all pairs */
                memory.fail_at = memory.calls + fail;
                const tact_distance slow = tact_shapes_distance(a, here, b, here);
                memory.fail_at = 0;
                assert_int_equal(slow.status, TACT_OK);
                assert_true(fabs(slow.distance - s.best) <= 1e-10 * s.best);
            }
            tact_shape_release(a);
            tact_shape_release(b);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ties_are_visited_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
