/*
 * Polygons in space (bench/polygon.h): the two tests of van den Bergen 1999 on loops and planes against the exact one
 * on triangles, which shares no code with them; the segments against those of the triangles; a point in the projection
 * against fractions in GMP; sphere and box against GJK on the triangles, a little smaller and a little larger.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/query.h>
#include <tact/shape.h>

#include "exact/triangle.h"
#include "polygon.h"
#include "shape/triangulate.h"
#include "support/failing_allocator.h"
#include "support/long_form.h"
#include "support/random.h"

enum { MOST = 200 };

typedef struct made {
    polygon p;
    tact_vec3 vertices[MOST];
    uint32_t indices[MOST], loop_sizes[2];
    vertex_index_array triangles;
} made;

static const tact_allocator plain = {0};

static void finish(made *m, bool flat)
{
    m->triangles.count = 0;
    assert_int_equal(
        tact_polygon_triangulate(m->vertices, m->indices, m->loop_sizes, m->p.loop_count, &plain, &m->triangles),
        TACT_OK);
    assert_true(m->triangles.count == 3 * (size_t)(m->p.index_count + 2 * m->p.loop_count - 4) || !flat);
    m->p.vertices = m->vertices;
    m->p.indices = m->indices;
    m->p.loop_sizes = m->loop_sizes;
    m->p.triangles = m->triangles.items;
    m->p.triangle_count = (uint32_t)(m->triangles.count / 3);
    tact_polygon_plane(&m->p);
}

/* A star in a random plane near the origin, half of them with a hole; `bumps`: deviation from the plane. */
static void make_star(made *m, random_source *s, uint32_t size, double bumps)
{
    tact_vec3 n = random_direction(s), e, f;
    vec_tangent_basis(n, &e, &f);
    tact_vec3 middle = vec_scale(random_direction(s), 0.7 * random_unit(s));
    m->p.loop_count = random_chance(s, 0.5) ? 2 : 1;
    m->p.index_count = size * m->p.loop_count;
    for (uint32_t l = 0; l < m->p.loop_count; ++l) {
        m->loop_sizes[l] = size;
        for (uint32_t i = 0; i < size; ++i) {
            /* at most 90 degrees between neighbours, so that a boundary of radius 0.4 stays outside 0.28 */
            double angle = 6.283185307179586 * (i + 0.3 * random_unit(s)) / size;
            double r = l == 0 ? random_range(s, 0.4, 1.0) : random_range(s, 0.05, 0.12);
            tact_vec3 at = vec_mul_add(vec_mul_add(middle, r * cos(angle), e), r * sin(angle), f);
            uint32_t k = l * size + i;
            m->vertices[k] = vec_mul_add(at, bumps * random_range(s, -1.0, 1.0), n);
            m->indices[k] = k;
        }
    }
    finish(m, bumps == 0.0);
}

static made a, b;

static void release_all(void)
{
    vertex_index_array_release(&a.triangles, &plain);
    vertex_index_array_release(&b.triangles, &plain);
}

/* ---- two polygons ---- */

static double length_of_cuts(void)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < a.p.triangle_count; ++i)
        for (uint32_t k = 0; k < b.p.triangle_count; ++k) {
            tact_vec3 t[3], u[3];
            for (int c = 0; c < 3; ++c) {
                t[c] = a.vertices[a.p.triangles[3 * i + (uint32_t)c]];
                u[c] = b.vertices[b.p.triangles[3 * k + (uint32_t)c]];
            }
            triangle_intersection cut;
            if (tact_triangles_intersection(t, u, &cut) == 2)
                sum += vec_length(vec_sub(cut.vertices[0].position, cut.vertices[1].position));
        }
    return sum;
}

static void intersection_tests_agree_with_the_exact_one(void **state)
{
    (void)state;
    const int rounds = (int)random_case_count(1500, 200000);
    polygon_scratch scratch = {0};
    polygon_segment_array segments = {0};
    long hits = 0, many = 0, of_holes = 0;
    for (int round = 0; round < rounds; ++round) {
        random_source s = random_seed((uint64_t)round);
        uint32_t size = (uint32_t)random_between(&s, 5, 30);
        make_star(&a, &s, size, 0.0);
        make_star(&b, &s, size, 0.0);
        bool truth = tact_polygons_overlap(&a.p, &b.p), scan;
        assert_int_equal(tact_polygons_intersect_by_scan(&a.p, &b.p, &plain, &scratch, &scan), TACT_OK);
        bool edges = tact_polygons_intersect_by_edges(&a.p, &b.p);
        if (scan != truth || edges != truth)
            fail_msg("round %d: exactly %d, by scan %d, by edges %d", round, truth, scan, edges);
        segments.count = 0;
        assert_int_equal(tact_polygons_segments(&a.p, &b.p, &plain, &scratch, &segments), TACT_OK);
        assert_int_equal(segments.count > 0, truth);
        double sum = 0.0;
        for (size_t i = 0; i < segments.count; ++i) {
            const polygon_segment *g = &segments.items[i];
            sum += vec_length(vec_sub(g->to.at, g->from.at));
            /* each endpoint is on its edge */
            for (int end = 0; end < 2; ++end) {
                const polygon_end *e = end == 0 ? &g->from : &g->to;
                const made *m = e->of_b ? &b : &a;
                uint32_t first = e->edge < m->loop_sizes[0] ? 0 : m->loop_sizes[0];
                uint32_t next = first + (e->edge - first + 1) % size;
                tact_vec3 p = m->vertices[e->edge], q = m->vertices[next];
                double off = vec_length(vec_cross(vec_sub(e->at, p), vec_sub(q, p))) / vec_length(vec_sub(q, p));
                assert_true(off < 1e-13);
                of_holes += first > 0;
            }
        }
        if (!(fabs(sum - length_of_cuts()) < 1e-9))
            fail_msg("round %d: segments of length %.17g, triangles %.17g", round, sum, length_of_cuts());
        hits += truth;
        many += segments.count > 1;
    }
    print_message("%ld of %d intersect, %ld in more than one segment, %ld endpoints on holes\n", hits, rounds, many,
                  of_holes);
    assert_true(hits > rounds / 5 && hits < rounds * 9 / 10 && many > rounds / 20 && of_holes > rounds / 20);
    polygon_segment_array_release(&segments, &plain);
    tact_polygon_scratch_release(&scratch, &plain);
    release_all();
}

/* ---- point in the projection ---- */

/* Edges to the right of the point, in fractions; 2: on an edge. */
static int oracle_place(const made *m, int axis, tact_vec3 at)
{
    mpq_t p[2], q[2], x, y, cross, other;
    mpq_inits(p[0], p[1], q[0], q[1], x, y, cross, other, NULL);
    double c[3] = {at.x, at.y, at.z};
    mpq_set_d(x, c[(axis + 1) % 3]), mpq_set_d(y, c[(axis + 2) % 3]);
    int inside = 0, on = 0;
    uint32_t first = 0;
    for (uint32_t l = 0; l < m->p.loop_count; first += m->loop_sizes[l++])
        for (uint32_t i = 0; i < m->loop_sizes[l]; ++i) {
            tact_vec3 from = m->vertices[m->indices[first + i]],
                      to = m->vertices[m->indices[first + (i + 1) % m->loop_sizes[l]]];
            double f[3] = {from.x, from.y, from.z}, t[3] = {to.x, to.y, to.z};
            mpq_set_d(p[0], f[(axis + 1) % 3]), mpq_set_d(p[1], f[(axis + 2) % 3]);
            mpq_set_d(q[0], t[(axis + 1) % 3]), mpq_set_d(q[1], t[(axis + 2) % 3]);
            /* (q - p) x (at - p) */
            mpq_t u, v;
            mpq_inits(u, v, NULL);
            mpq_sub(u, q[0], p[0]), mpq_sub(v, y, p[1]), mpq_mul(cross, u, v);
            mpq_sub(u, q[1], p[1]), mpq_sub(v, x, p[0]), mpq_mul(other, u, v);
            mpq_clears(u, v, NULL);
            int side = mpq_cmp(cross, other);
            int in_x = mpq_cmp(x, p[0]) * mpq_cmp(x, q[0]) <= 0, in_y = mpq_cmp(y, p[1]) * mpq_cmp(y, q[1]) <= 0;
            on |= side == 0 && in_x && in_y;
            int up = mpq_cmp(p[1], y) <= 0 && mpq_cmp(q[1], y) > 0,
                down = mpq_cmp(q[1], y) <= 0 && mpq_cmp(p[1], y) > 0;
            inside ^= (up && side > 0) || (down && side < 0);
        }
    mpq_clears(p[0], p[1], q[0], q[1], x, y, cross, other, NULL);
    return on ? POLYGON_BOUNDARY : inside ? POLYGON_INSIDE : POLYGON_OUTSIDE;
}

static void point_location_in_the_projection_is_exact(void **state)
{
    (void)state;
    long places[3] = {0};
    for (int round = 0; round < 4000; ++round) {
        random_source s = random_seed((uint64_t)round);
        /* any loops of small integers: they may self-intersect, by the even-odd rule */
        a.p = (polygon){.vertices = a.vertices, .indices = a.indices, .loop_sizes = a.loop_sizes, .loop_count = 2};
        for (uint32_t l = 0; l < 2; ++l) {
            a.loop_sizes[l] = (uint32_t)random_between(&s, 0, 8);
            for (uint32_t i = 0; i < a.loop_sizes[l]; ++i, ++a.p.index_count) {
                a.indices[a.p.index_count] = a.p.index_count;
                a.vertices[a.p.index_count] =
                    (tact_vec3){random_between(&s, -3, 3), random_between(&s, -3, 3), random_between(&s, -3, 3)};
            }
        }
        int axis = random_between(&s, 0, 2);
        for (int i = 0; i < 5; ++i) {
            tact_vec3 at = {random_between(&s, -6, 6) / 2.0, random_between(&s, -6, 6) / 2.0,
                            random_between(&s, -6, 6) / 2.0};
            int truth = oracle_place(&a, axis, at), got = (int)tact_polygon_locate(&a.p, axis, at);
            if (got != truth)
                fail_msg("round %d point %d: %d, should be %d", round, i, got, truth);
            places[truth]++;
        }
    }
    assert_true(places[0] > 3000 && places[1] > 2000 && places[2] > 1000);
}

/* ---- volumes ---- */

static bool triangles_touch(const made *m, const tact_shape *shape, tact_transform at, double limit)
{
    convex c;
    gjk_result result;
    assert_int_equal(tact_convex_make(&c, shape, &at), TACT_OK);
    return tact_polygon_find_triangle(&m->p, &c, limit, &result) >= 0;
}

static void overlap_with_volumes_agrees_with_gjk(void **state)
{
    (void)state;
    const int rounds = (int)random_case_count(1500, 100000);
    long hits[2] = {0}, misses[2] = {0}, bumpy = 0;
    for (int round = 0; round < rounds; ++round) {
        random_source s = random_seed((uint64_t)round);
        double bumps = random_chance(&s, 0.3) ? 0.05 : 0.0;
        make_star(&a, &s, (uint32_t)random_between(&s, 5, 30), bumps);
        bumpy += bumps > 0.0;
        tact_vec3 centre = vec_scale(random_direction(&s), random_range(&s, 0.0, 1.2));
        const double gap = 1e-9;
        /* distance of a point, by bisection of the limit */
        tact_shape *point = tact_point(tact_vec(0.0, 0.0, 0.0));
        double radius = random_range(&s, 0.01, 0.3);
        tact_transform at = tact_at(centre.x, centre.y, centre.z);
        bool got = tact_polygon_overlaps_sphere(&a.p, centre, radius);
        if ((triangles_touch(&a, point, at, radius - gap) && !got) ||
            (!triangles_touch(&a, point, at, radius + gap) && got))
            fail_msg("round %d: ball %d", round, got);
        hits[0] += got, misses[0] += !got;
        tact_shape_release(point);
        tact_vec3 half = {random_range(&s, 0.01, 0.3), random_range(&s, 0.01, 0.3), random_range(&s, 0.01, 0.3)},
                  witness;
        tact_shape *small = tact_box(2.0 * half.x - gap, 2.0 * half.y - gap, 2.0 * half.z - gap);
        tact_shape *large = tact_box(2.0 * half.x + gap, 2.0 * half.y + gap, 2.0 * half.z + gap);
        tact_vec3 low = vec_sub(centre, half), high = vec_add(centre, half);
        got = tact_polygon_overlaps_box(&a.p, low, high, &witness);
        if ((triangles_touch(&a, small, at, 0.0) && !got) || (!triangles_touch(&a, large, at, 0.0) && got))
            fail_msg("round %d: box %d", round, got);
        if (got) {
            assert_true(witness.x >= low.x - gap && witness.x <= high.x + gap && witness.y >= low.y - gap &&
                        witness.y <= high.y + gap && witness.z >= low.z - gap && witness.z <= high.z + gap);
            assert_true(tact_polygon_overlaps_sphere(&a.p, witness, gap));
        }
        hits[1] += got, misses[1] += !got;
        tact_shape_release(small);
        tact_shape_release(large);
    }
    print_message("sphere %ld of %d, box %ld; %ld not flat\n", hits[0], rounds, hits[1], bumpy);
    assert_true(hits[0] > rounds / 20 && misses[0] > rounds / 20 && hits[1] > rounds / 20 && misses[1] > rounds / 20);
    release_all();
}

static void any_convex_shape_is_tested(void **state)
{
    (void)state;
    random_source s = random_seed(1);
    tact_shape *cone = tact_cone(0.2, 0.4), *capsule = tact_capsule(0.1, 0.3);
    long hits = 0;
    for (int round = 0; round < 300; ++round) {
        make_star(&a, &s, 12, 0.0);
        tact_transform at = tact_transform_make(vec_scale(random_direction(&s), random_unit(&s)), random_rotation(&s),
                                                tact_vec(1.0, 1.0, 1.0));
        const tact_shape *shape = round % 2 == 0 ? cone : capsule;
        bool touch = false;
        for (uint32_t i = 0; i < a.p.triangle_count; ++i) {
            const uint32_t *t = a.p.triangles + 3 * i;
            tact_shape *triangle = tact_triangle(a.vertices[t[0]], a.vertices[t[1]], a.vertices[t[2]]);
            tact_distance d = tact_shapes_distance(triangle, tact_identity(), shape, at);
            assert_int_equal(d.status, TACT_OK);
            touch = touch || d.distance <= 0.0;
            tact_shape_release(triangle);
        }
        if (triangles_touch(&a, shape, at, 0.0) != touch)
            fail_msg("round %d: %d, should be %d", round, !touch, touch);
        hits += touch;
    }
    assert_true(hits > 30 && hits < 270);
    tact_shape_release(cone);
    tact_shape_release(capsule);
    release_all();
}

/* ---- memory ---- */

static void out_of_memory_adds_nothing(void **state)
{
    (void)state;
    random_source s = random_seed(0);
    do {
        make_star(&a, &s, 30, 0.0);
        make_star(&b, &s, 30, 0.0);
    } while (!tact_polygons_overlap(&a.p, &b.p));
    int failed = 0;
    for (int until = 0; until < 6; ++until) {
        failing_allocator f = {.fail_from = until + 1};
        tact_allocator allocator = failing_allocator_make(&f);
        polygon_scratch scratch = {0};
        polygon_segment_array segments = {0};
        tact_status status = tact_polygons_segments(&a.p, &b.p, &allocator, &scratch, &segments);
        failed += status == TACT_OUT_OF_MEMORY;
        assert_true(status == TACT_OUT_OF_MEMORY ? segments.count == 0 : segments.count > 0);
        polygon_segment_array_release(&segments, &allocator);
        tact_polygon_scratch_release(&scratch, &allocator);
        assert_int_equal(f.held, 0);
    }
    assert_true(failed >= 3 && failed < 6);
    release_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intersection_tests_agree_with_the_exact_one),
        cmocka_unit_test(point_location_in_the_projection_is_exact),
        cmocka_unit_test(overlap_with_volumes_agrees_with_gjk),
        cmocka_unit_test(any_convex_shape_is_tested),
        cmocka_unit_test(out_of_memory_adds_nothing),
    };
    return cmocka_run_group_tests_name("polygon", tests, NULL, NULL);
}
