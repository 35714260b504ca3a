/* Oriented boxes and OBB trees against brute force. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "obb_tree.h"
#include "support/failing_allocator.h"
#include "support/host_fp_environment.h"
#include "support/obb_inspect.h"
#include "tree/tree_tables.h"

static const tact_allocator plain = {NULL, NULL};

enum { KINDS = 8, MOST = 400 };

/* Triangles without shared vertices: triangle i has points 3 i to 3 i + 2. */
typedef struct soup {
    tact_vec3 points[3 * MOST];
    uint32_t triangles[MOST][3];
    uint32_t count;
} soup;

static void soup_make(soup *s, random_source *r, int kind, uint32_t count)
{
    s->count = count;
    tact_quat turn = random_rotation(r);
    tact_transform turned = tact_transform_make(vec_make(0.0, 0.0, 0.0), turn, vec_make(1.0, 1.0, 1.0));
    for (uint32_t i = 0; i < count; ++i) {
        tact_vec3 at = random_in(r, 1.0);
        for (uint32_t k = 0; k < 3; ++k) {
            tact_vec3 p = vec_add(at, random_in(r, 0.3));
            switch (kind) {
            case 1: /* a rotated sheet */
                p.z = 0.0;
                p = tact_transform_vector(turned, p);
                break;
            case 2: /* needles */
                p = vec_add(at, vec_scale(turned.x_axis, random_range(r, -0.5, 0.5)));
                break;
            case 3: /* points, many equal */
                p = vec_make(random_between(r, -1, 1), random_between(r, -1, 1), 0.5);
                break;
            case 4: /* far from the origin */
                p = vec_add(p, vec_make(1000.0, -3000.0, 1e5));
                break;
            case 5: /* a rotated long bar */
                p = tact_transform_vector(turned, vec_make(p.x, 1e-3 * p.y, 1e-3 * p.z));
                break;
            case 6: /* out of range, or NaN */
                if (random_chance(r, 0.02))
                    p.y = random_chance(r, 0.5) ? 1e30 : (double)NAN;
                break;
            case 7:
                p = vec_scale(p, random_chance(r, 0.5) ? 1e-30 : 1e-3);
                break;
            default:
                break;
            }
            s->points[3 * i + k] = p;
            s->triangles[i][k] = 3 * i + k;
        }
    }
}

/* The box of a whole soup, as the trees fit it. */
static obb box_around(const soup *s)
{
    static float xyz[3][3 * MOST + OBB_POINT_PADDING];
    obb_moments moments;
    memset(&moments, 0, sizeof moments);
    memset(xyz, 0, sizeof xyz);
    const tact_vec3 start = s->points[0];
    for (uint32_t i = 0; i < 3 * s->count; ++i) {
        const tact_vec3 p = s->points[i];
        obb_moments_add(&moments, p.x - start.x, p.y - start.y, p.z - start.z);
        xyz[0][i] = (float)p.x;
        xyz[1][i] = (float)p.y;
        xyz[2][i] = (float)p.z;
    }
    const obb_points points = {xyz[0], xyz[1], xyz[2]};
    const box flat = tact_box_of_points(s->points, 3 * s->count);
    return tact_obb_of_points(&points, 0, 3 * s->count, &moments, &flat);
}

static void boxes_contain_their_points(void **state)
{
    (void)state;
    random_source r = random_seed(1);
    static soup s;
    int tighter = 0, unbounded = 0;
    for (int turn = 0; turn < 1600; ++turn) {
        uint32_t count = turn % 3 == 0 ? 1 : (uint32_t)random_between(&r, 1, 60);
        soup_make(&s, &r, turn % KINDS, count);
        const bool single = count == 1;
        obb b = single ? tact_obb_of_triangle(&s.points[0], &s.points[1], &s.points[2]) : box_around(&s);
        tact_vec3 low = s.points[0], high = s.points[0];
        bool finite = true;
        long double extent = 0.0L;
        for (uint32_t i = 0; i < 3 * count; ++i) {
            tact_vec3 p = s.points[i];
            finite = finite && fabs(p.x) < 1e18 && fabs(p.y) < 1e18 && fabs(p.z) < 1e18;
            low = vec_make(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
            high = vec_make(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
        }
        if (!finite) {
            assert_true(b.half[0] == INFINITY && b.half[1] == INFINITY && b.half[2] == INFINITY);
            ++unbounded;
            continue;
        }
        for (uint32_t i = 0; i < 3 * count; ++i) {
            tact_vec3 p = s.points[i];
            for (int k = 0; k < 3; ++k) {
                long double d = (long double)b.axis[k][0] * (p.x - (long double)b.centre[0]) +
                                (long double)b.axis[k][1] * (p.y - (long double)b.centre[1]) +
                                (long double)b.axis[k][2] * (p.z - (long double)b.centre[2]);
                if (fabsl(d) > (long double)b.half[k])
                    fail_msg("turn %d: point %u is outside by %Lg", turn, i, fabsl(d) - (long double)b.half[k]);
                extent = fmaxl(extent, fabsl((long double)p.x) + fabsl((long double)p.y) + fabsl((long double)p.z));
            }
            assert_true(obb_contains(&b, p));
        }
        /* orthonormal axes */
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k) {
                double dot = 0.0;
                for (int c = 0; c < 3; ++c)
                    dot += (double)b.axis[i][c] * (double)b.axis[k][c];
                assert_true(fabs(dot - (i == k ? 1.0 : 0.0)) <= OBB_AXIS_ERROR);
            }
        /* no larger than the axis-aligned box, except for the rounding of its centre */
        tact_vec3 d = vec_sub(high, low);
        double slack = (single ? 4.0 : 48.0) * (double)extent * (double)FLT_EPSILON;
        double x = 2.0 * (double)b.half[0], y = 2.0 * (double)b.half[1], z = 2.0 * (double)b.half[2];
        double flat = (d.x + slack) * (d.y + slack) + (d.y + slack) * (d.z + slack) + (d.z + slack) * (d.x + slack);
        assert_true(x * y + y * z + z * x <= flat * (1.0 + 1e-6) + 1e-36);
        tighter += x * y + y * z + z * x < 0.5 * flat;
    }
    assert_true(tighter > 200 && unbounded > 20);
}

static bool nothing(void *context, uint32_t a, uint32_t b)
{
    (void)a;
    (void)b;
    ++*(long *)context;
    return true;
}

static void trees_contain_their_triangles(void **state)
{
    (void)state;
    random_source r = random_seed(2);
    static soup s;
    for (int turn = 0; turn < 160; ++turn) {
        soup_make(&s, &r, turn % KINDS, (uint32_t)(turn < 40 ? turn / 2 : random_between(&r, 0, MOST)));
        obb_tree tree;
        tact_report report;
        const uint32_t(*triangles)[3] = (const uint32_t(*)[3])s.triangles;
        assert_int_equal(tact_obb_tree_build(&tree, s.points, triangles, s.count, &plain), TACT_OK);
        assert_int_equal(tree.item_count, s.count);
        tact_status status = tact_obb_tree_check(&tree, s.points, triangles, &report);
        /* NaN is in no box, not even in an unbounded one */
        if (status != TACT_OK && turn % KINDS != 6)
            fail_msg("turn %d: %s", turn, report.text);
        if (turn % KINDS == 0 && s.count > 0) {
            tree.bounds[0].half[1][0] *= 0.9f;
            assert_int_equal(tact_obb_tree_check(&tree, s.points, triangles, &report), TACT_BAD_ARGUMENT);
        }
        tact_obb_tree_release(&tree);
        assert_true(tree.nodes == NULL && tree.node_count == 0);
    }
    obb_tree tree;
    assert_int_equal(tact_obb_tree_build(NULL, s.points, (const uint32_t(*)[3])s.triangles, 1, &plain),
                     TACT_BAD_ARGUMENT);
    assert_int_equal(tact_obb_tree_build(&tree, NULL, (const uint32_t(*)[3])s.triangles, 1, &plain), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_obb_tree_build(&tree, s.points, NULL, 1, &plain), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_obb_tree_build(&tree, s.points, (const uint32_t(*)[3])s.triangles, 1, NULL),
                     TACT_BAD_ARGUMENT);
    assert_int_equal(tact_obb_tree_build(&tree, NULL, NULL, 0, &plain), TACT_OK);
    tact_transform at = tact_identity();
    long found = 0;
    assert_true(tact_obb_tree_pairs(&tree, &at, &tree, &at, SAT_ALL_AXES, TREE_NEAREST_CENTRES_FIRST, nothing, &found));
    assert_int_equal(found, 0);
    tact_obb_tree_release(&tree);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    random_source r = random_seed(3);
    static soup s;
    soup_make(&s, &r, 0, 100);
    int failures = 0;
    for (int left = 0; left < 30; ++left) {
        failing_allocator q = {.fail_at = left + 1};
        const tact_allocator allocator = failing_allocator_make(&q);
        obb_tree tree;
        tact_status status =
            tact_obb_tree_build(&tree, s.points, (const uint32_t(*)[3])s.triangles, s.count, &allocator);
        failures += status == TACT_OUT_OF_MEMORY;
        assert_true(status == TACT_OK || status == TACT_OUT_OF_MEMORY);
        assert_true(status == TACT_OK || q.held == 0);
        tact_obb_tree_release(&tree);
        assert_int_equal(q.held, 0);
    }
    assert_true(failures >= 9 && failures < 25);
}

/* A transformed box: vertices relative to `origin`, and edges. */
typedef struct placed_box {
    tact_vec3 corner[8], edge[3];
} placed_box;

static placed_box placed(const obb *b, const tact_transform *at, tact_vec3 origin)
{
    placed_box result;
    for (int k = 0; k < 3; ++k)
        result.edge[k] =
            tact_transform_vector(*at, vec_make((double)b->axis[k][0], (double)b->axis[k][1], (double)b->axis[k][2]));
    tact_vec3 centre =
        vec_add(tact_transform_vector(*at, vec_make((double)b->centre[0], (double)b->centre[1], (double)b->centre[2])),
                vec_sub(at->origin, origin));
    for (int i = 0; i < 8; ++i) {
        result.corner[i] = centre;
        for (int k = 0; k < 3; ++k)
            result.corner[i] = vec_mul_add(
                result.corner[i], (i >> k & 1) != 0 ? (double)b->half[k] : -(double)b->half[k], result.edge[k]);
    }
    return result;
}

/* The smallest overlap over the 6 or 15 unit axes: negative if separated. */
static double least_overlap(const placed_box *a, const placed_box *b, int axes)
{
    double least = INFINITY;
    for (int i = 0; i < axes; ++i) {
        tact_vec3 axis = i < 3   ? vec_cross(a->edge[i], a->edge[(i + 1) % 3])
                         : i < 6 ? vec_cross(b->edge[i - 3], b->edge[(i - 2) % 3])
                                 : vec_cross(vec_normalize(a->edge[(i - 6) / 3]), vec_normalize(b->edge[(i - 6) % 3]));
        if (i >= 6 && vec_length(axis) < 0.5) /* for nearly parallel edges rounding decides */
            continue;
        axis = vec_normalize(axis);
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int k = 0; k < 16; ++k) {
            double x = vec_dot(axis, k < 8 ? a->corner[k] : b->corner[k - 8]);
            low[k / 8] = fmin(low[k / 8], x);
            high[k / 8] = fmax(high[k / 8], x);
        }
        least = fmin(least, fmin(high[0] - low[1], high[1] - low[0]));
    }
    return least;
}

/* Overlaps below this count as touching, either answer is right: far above the slack of trees of size about 1. */
#define NEAR 2e-3

static void pairs_equal_brute_force(void **state)
{
    (void)state;
    random_source r = random_seed(4);
    static soup s, t;
    long hits = 0, misses = 0, lite_only = 0;
    for (int turn = 0; turn < 240; ++turn) {
        static const int kinds[4] = {0, 1, 2, 5};
        soup_make(&s, &r, kinds[turn % 4], (uint32_t)random_between(&r, 1, 60));
        soup_make(&t, &r, kinds[turn / 4 % 4], (uint32_t)random_between(&r, 1, 60));
        obb_tree a, b;
        const uint32_t(*ta)[3] = (const uint32_t(*)[3])s.triangles, (*tb)[3] = (const uint32_t(*)[3])t.triangles;
        assert_int_equal(tact_obb_tree_build(&a, s.points, ta, s.count, &plain), TACT_OK);
        assert_int_equal(tact_obb_tree_build(&b, t.points, tb, t.count, &plain), TACT_OK);
        int kind = turn / 16 % FRAME_FLAT; /* internal_aabb_tree.c tests flat ones */
        tact_transform transform_a = random_placement(&r, kind), transform_b = random_placement(&r, kind);
        table lite = table_make(s.count, t.count), full = table_make(s.count, t.count);
        assert_true(
            tact_obb_tree_pairs(&a, &transform_a, &b, &transform_b, SAT_FACE_AXES, TREE_ANY_ORDER, note_pair, &lite));
        assert_true(tact_obb_tree_pairs(&a, &transform_a, &b, &transform_b, SAT_ALL_AXES, TREE_NEAREST_CENTRES_FIRST,
                                        note_pair, &full));
        for (uint32_t i = 0; i < s.count; ++i)
            for (uint32_t j = 0; j < t.count; ++j) {
                obb x = tact_obb_of_triangle(&s.points[3 * i], &s.points[3 * i + 1], &s.points[3 * i + 2]);
                obb y = tact_obb_of_triangle(&t.points[3 * j], &t.points[3 * j + 1], &t.points[3 * j + 2]);
                placed_box px = placed(&x, &transform_a, transform_a.origin),
                           py = placed(&y, &transform_b, transform_a.origin);
                double six = least_overlap(&px, &py, 6), all = least_overlap(&px, &py, 15);
                int by_lite = lite.cells[(size_t)i * t.count + j], by_full = full.cells[(size_t)i * t.count + j];
                /* a box may stick out of the box of its node, where only that of another was in its way: a hit of
                 * the boxes that is not one of the triangles may be missed. See the next test. */
                if (by_lite > 1 || by_full > by_lite || (six < -NEAR && by_lite) || (all < -NEAR && by_full))
                    fail_msg("turn %d pair %u %u: overlap %g on 6 axes, %g on 15; lite %d, full %d", turn, i, j, six,
                             all, by_lite, by_full);
                hits += by_full;
                misses += all < -NEAR;
                lite_only += by_lite && !by_full;
            }
        if (full.found > 0) {
            full.limit = full.found + 1;
            assert_false(tact_obb_tree_pairs(&a, &transform_a, &b, &transform_b, SAT_ALL_AXES,
                                             TREE_NEAREST_CENTRES_FIRST, note_pair, &full));
        }
        free(lite.cells);
        free(full.cells);
        tact_obb_tree_release(&a);
        tact_obb_tree_release(&b);
    }
    assert_true(hits > 100 && misses > 50000 && lite_only > 30);
}

/* Triangles that certainly intersect in the world: each of A is pierced by one of B, in their own coordinates. */
static void pierced_triangles_are_never_missed(void **state)
{
    (void)state;
    random_source r = random_seed(5);
    enum { N = 40 };
    static soup s, t;
    int used = 0;
    for (int turn = 0; turn < 240; ++turn) {
        int kind = turn % FRAME_FLAT;
        tact_transform transform_a = random_placement(&r, kind),
                       transform_b = random_placement(&r, kind == FRAME_FAR ? kind : turn % 4);
        tact_transform inverse_a, inverse_b;
        assert_int_equal(tact_transform_invert(transform_a, &inverse_a), TACT_OK);
        assert_int_equal(tact_transform_invert(transform_b, &inverse_b), TACT_OK);
        double tiny = turn % 3 == 0 ? 1e-7 : turn % 3 == 1 ? 1e-5 : 1e-2;
        soup_make(&s, &r, 0, N);
        soup_make(&t, &r, 0, N);
        for (int i = 0; i < N; ++i) {
            tact_vec3 centre = random_in(&r, 1.0), n = random_direction(&r), e, f;
            tact_vec3 apart = vec_sub(transform_b.origin, transform_a.origin);
            vec_tangent_basis(n, &e, &f);
            tact_vec3 p[3] = {vec_mul_add(centre, tiny, e), vec_mul_add(vec_mul_add(centre, -tiny, e), tiny, f),
                              vec_mul_add(vec_mul_add(centre, -tiny, e), -tiny, f)};
            /* nearly a segment through the centroid */
            tact_vec3 q[3] = {vec_mul_add(centre, tiny, n), vec_mul_add(centre, -tiny, n),
                              vec_mul_add(vec_mul_add(centre, -tiny, n), 0.1 * tiny, e)};
            for (int k = 0; k < 3; ++k) {
                s.points[3 * i + k] = tact_transform_vector(inverse_a, p[k]);
                t.points[3 * i + k] = tact_transform_vector(inverse_b, vec_sub(q[k], apart));
            }
        }
        obb_tree a, b;
        assert_int_equal(tact_obb_tree_build(&a, s.points, (const uint32_t(*)[3])s.triangles, N, &plain), TACT_OK);
        assert_int_equal(tact_obb_tree_build(&b, t.points, (const uint32_t(*)[3])t.triangles, N, &plain), TACT_OK);
        for (int axes = 6; axes <= 15; axes += 9) {
            table seen = table_make(N, N);
            set_environment(turn % ENVIRONMENTS);
            bool done = tact_obb_tree_pairs(&a, &transform_a, &b, &transform_b, (sat_axes)axes,
                                            (tree_order)(turn / 8 % 2), note_pair, &seen);
            set_environment(0);
            assert_true(done);
            for (int i = 0; i < N; ++i)
                if (seen.cells[i * N + i] != 1)
                    fail_msg("turn %d, %d axes: pierced triangle %d was missed", turn, axes, i);
            used += seen.found < N * N / 2;
            free(seen.cells);
        }
        tact_obb_tree_release(&a);
        tact_obb_tree_release(&b);
    }
    assert_true(used > 400); /* the tree does not report everything */
}

/* Numbers that cannot be computed with: nothing is missed, and the traversal ends. */
static void unusable_numbers_miss_nothing(void **state)
{
    (void)state;
    random_source r = random_seed(6);
    static soup s;
    const double numbers[] = {0.0, 1e-300, 1e-40, 1e-20, 1e20, 1e38, 1e300, (double)INFINITY, (double)NAN};
    for (int turn = 0; turn < 200; ++turn) {
        soup_make(&s, &r, turn % KINDS, 30);
        obb_tree a;
        assert_int_equal(tact_obb_tree_build(&a, s.points, (const uint32_t(*)[3])s.triangles, 30, &plain), TACT_OK);
        tact_transform same = random_placement(&r, turn % 4), odd = same;
        same = tact_transform_scale(same, vec_make(1.0, numbers[random_below(&r, 7)], 1.0));
        double *bad[4] = {&odd.x_axis.x, &odd.y_axis.y, &odd.z_axis.x, &odd.origin.y};
        *bad[random_between(&r, 0, 3)] = numbers[random_below(&r, 9)];
        for (int axes = 6; axes <= 15; axes += 9) {
            /* every triangle intersects itself */
            table seen = table_make(30, 30);
            assert_true(tact_obb_tree_pairs(&a, &same, &a, &same, (sat_axes)axes, TREE_ANY_ORDER, note_pair, &seen));
            for (int i = 0; i < 30; ++i)
                if (seen.cells[i * 30 + i] != 1)
                    fail_msg("turn %d, %d axes: triangle %d does not intersect itself", turn, axes, i);
            memset(seen.cells, 0, 900);
            assert_true(tact_obb_tree_pairs(&a, &same, &a, &odd, (sat_axes)axes, TREE_ANY_ORDER, note_pair, &seen));
            for (int i = 0; i < 900; ++i)
                assert_true(seen.cells[i] <= 1);
            free(seen.cells);
        }
        tact_obb_tree_release(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_contain_their_points),         cmocka_unit_test(trees_contain_their_triangles),
        cmocka_unit_test(every_allocation_may_fail),          cmocka_unit_test(pairs_equal_brute_force),
        cmocka_unit_test(pierced_triangles_are_never_missed), cmocka_unit_test(unusable_numbers_miss_nothing),
    };
    return cmocka_run_group_tests_name("obb", tests, NULL, NULL);
}
