/*
 * Two shapes of which at least one is not convex, against brute force over all pairs of elements: the exact predicate
 * on the placed vertices for yes or no, long double for distances.
 *
 * A failure prints the number of its case: TACT_TEST_SEED=n runs that case alone, and TACT_TEST_LONG=1 runs 10,000
 * placements in place of a few hundred.
 */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <tact/query.h>

#include "complex/pair_checks.h"
#include "exact/ray_triangle.h"
#include "exact/triangle.h"
#include "math/vec.h"
#include "obb_tree.h"
#include "oracle/zoo.h"
#include "shape/mesh.h"
#include "support/mesh_parity.h"
#include "support/numbered_cases.h"

static zoo_mesh mesh_a, mesh_b, mesh_c;

/* ---- touching ---------------------------------------------------------------------------------------------------- */

typedef struct pair_set {
    uint64_t sum; /* of a hash of each pair: order does not matter */
    size_t count;
    const zoo_mesh *a, *b;
    tact_transform transform_a, transform_b;
} pair_set;

static void note_pair(pair_set *s, uint32_t i, uint32_t j)
{
    uint64_t z = ((uint64_t)i << 32 | j) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9u;
    s->sum += z ^ (z >> 32);
    s->count++;
}

static bool meet(void *context, uint32_t i, uint32_t j)
{
    pair_set *s = context;
    tact_vec3 p[3], q[3];
    zoo_placed(s->a, &s->transform_a, i, p);
    zoo_placed(s->b, &s->transform_b, j, q);
    if (tact_triangles_intersect(p, q))
        note_pair(s, i, j);
    return true;
}

static void all_pairs(pair_set *s)
{
    for (uint32_t i = 0; i < s->a->triangle_count; i++)
        for (uint32_t j = 0; j < s->b->triangle_count; j++)
            (void)meet(s, i, j);
}

/* The same by trees of oriented boxes. */
static void oriented_pairs(pair_set *s, sat_axes axes, tree_order order)
{
    const zoo_mesh *m[2] = {s->a, s->b};
    obb_tree tree[2];
    for (int k = 0; k < 2; k++)
        assert_int_equal(tact_obb_tree_build(&tree[k], m[k]->vertices, (const uint32_t(*)[3])m[k]->corners,
                                             m[k]->triangle_count, &(tact_allocator){NULL, NULL}),
                         TACT_OK);
    assert_true(tact_obb_tree_pairs(&tree[0], &s->transform_a, &tree[1], &s->transform_b, axes, order, meet, s));
    tact_obb_tree_release(&tree[0]);
    tact_obb_tree_release(&tree[1]);
}

/* The same by a tree, built in one of two ways, with one of two tests of boxes. */
static void tree_pairs(pair_set *s, aabb_split split, sat_axes axes, tree_order order)
{
    static box boxes[2][ZOO_MOST];
    const zoo_mesh *m[2] = {s->a, s->b};
    aabb_tree tree[2];
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < m[k]->triangle_count; i++) {
            tact_vec3 p[3];
            const tact_transform here = tact_identity();
            zoo_placed(m[k], &here, i, p);
            boxes[k][i] = tact_box_of_points(p, 3);
        }
        aabb_tree_def def = aabb_tree_def_default();
        def.split = split;
        assert_int_equal(tact_aabb_tree_build(&tree[k], boxes[k], m[k]->triangle_count, &def), TACT_OK);
    }
    assert_true(tact_aabb_tree_pairs(&tree[0], &s->transform_a, &tree[1], &s->transform_b, axes, order, meet, s));
    tact_aabb_tree_release(&tree[0]);
    tact_aabb_tree_release(&tree[1]);
}

static double size_of(const tact_shape *shape, tact_transform at)
{
    tact_bounds b;
    assert_int_equal(tact_shape_bounds(shape, at, &b), TACT_OK);
    return fmax(vec_max_abs(b.min), vec_max_abs(b.max));
}

/* A common point is in both, in the faces that are named. */
static void check_common(const char *what, int number, const pair_set *s, const tact_shape *a, const tact_shape *b,
                         bool hit)
{
    tact_common_point c = tact_shapes_common_point(a, s->transform_a, b, s->transform_b, NULL);
    tact_common_point d = tact_shapes_common_point(b, s->transform_b, a, s->transform_a, NULL);
    CHECK(c.status == TACT_OK && (c.state == TACT_HIT) == hit, "status %d state %d", (int)c.status, (int)c.state);
    CHECK(d.state == c.state && same_point(c.point, d.point) && same_part(c.part_a, d.part_b) &&
              same_part(c.part_b, d.part_a),
          "swapped");
    if (!hit)
        return;
    tact_vec3 p[3], q[3];
    zoo_placed(s->a, &s->transform_a, c.part_a.face, p);
    zoo_placed(s->b, &s->transform_b, c.part_b.face, q);
    long double off = fmaxl(zoo_point_gap(p, c.point), zoo_point_gap(q, c.point));
    double size = fmax(size_of(a, s->transform_a), size_of(b, s->transform_b));
    CHECK(off <= 16.0L * DBL_EPSILON * size, "off by %Lg of %g", off, size);
}

static int touching[ZOO_KINDS][ZOO_KINDS], apart[ZOO_KINDS][ZOO_KINDS];

static void touch_case(const char *what, int number)
{
    dice d = dice_for(1, 1, (uint64_t)number);
    zoo_kind kind_a = (zoo_kind)(number % ZOO_KINDS), kind_b = (zoo_kind)(number / ZOO_KINDS % ZOO_KINDS);
    zoo_make(&mesh_a, kind_a, 20 + dice_pick(&d, 80), &d);
    zoo_make(&mesh_b, kind_b, 20 + dice_pick(&d, 80), &d);
    tact_shape *a = zoo_shape(&mesh_a, false, 0.0), *b = zoo_shape(&mesh_b, false, 0.0);
    pair_set brute = {
        .a = &mesh_a, .b = &mesh_b, .transform_a = zoo_placement(&d, 0.5), .transform_b = zoo_placement(&d, 1.5)};
    if (dice_pick(&d, 4) == 0) { /* far from the origin: placed vertices on a coarse grid */
        double far = ldexp(1.0, dice_pick(&d, 40));
        brute.transform_a.origin.x += far;
        brute.transform_b.origin.x += far;
    }
    all_pairs(&brute);
    const pair_set fresh = {
        .a = &mesh_a, .b = &mesh_b, .transform_a = brute.transform_a, .transform_b = brute.transform_b};
    const aabb_split splits[2] = {AABB_SPLIT_SAH, AABB_SPLIT_MIDPOINT};
    const sat_axes axes[2] = {SAT_ALL_AXES, SAT_FACE_AXES};
    for (int i = 0; i < 8; i++) {
        pair_set found = fresh;
        tree_pairs(&found, splits[i / 2 % 2], axes[i % 2], i < 4 ? TREE_ANY_ORDER : TREE_NEAREST_CENTRES_FIRST);
        CHECK(found.count == brute.count && found.sum == brute.sum, "%zu pairs, should be %zu (tree %d)", found.count,
              brute.count, i);
    }
    for (int i = 0; i < 4; i++) {
        pair_set found = fresh;
        oriented_pairs(&found, axes[i % 2], i < 2 ? TREE_ANY_ORDER : TREE_NEAREST_CENTRES_FIRST);
        CHECK(found.count == brute.count && found.sum == brute.sum, "%zu pairs, should be %zu (oriented %d)",
              found.count, brute.count, i);
    }
    CHECK(touch(a, brute.transform_a, b, brute.transform_b) == (brute.count > 0), "brute force: %zu pairs",
          brute.count);
    check_common(what, number, &brute, a, b, brute.count > 0);
    ++(brute.count > 0 ? touching : apart)[kind_a][kind_b];
    tact_shape_release(a);
    tact_shape_release(b);
}

static void touching_is_what_brute_force_says(void **state)
{
    (void)state;
    const int count = cases(640);
    run_cases("touch", count, touch_case);
    if (few_cases())
        return;
    int hits = 0, misses = 0, kinds = 0;
    for (int i = 0; i < ZOO_KINDS; i++) {
        for (int j = 0; j < ZOO_KINDS; j++) {
            hits += touching[i][j];
            misses += apart[i][j];
            kinds += touching[i][j] > 0;
        }
    }
    print_message("%d touch, %d do not; %d of %d pairs of kinds touch\n", hits, misses, kinds, ZOO_KINDS * ZOO_KINDS);
    assert_true(hits > count / 4 && misses > count / 8 && kinds > ZOO_KINDS * ZOO_KINDS * 9 / 10);
}

/* Whatever rounding mode the host has set: the placed vertices are those that it computes. */
static void rounding_modes_do_not_matter(void **state)
{
    (void)state;
    static const int modes[3] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    if (few_cases())
        return;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(fesetround(modes[i]), 0);
        run_cases("touch in another rounding mode", 64, touch_case);
        assert_int_equal(fegetround(), modes[i]);
        assert_int_equal(fesetround(FE_TONEAREST), 0);
    }
}

/* Everything larger or smaller by a power of two: the same answers, bit for bit where they are exact. */
static void size_case(const char *what, int number)
{
    static const int powers[8] = {-460, -300, -130, -60, 60, 130, 300, 480};
    dice d = dice_for(8, 1, (uint64_t)number);
    zoo_make(&mesh_a, (zoo_kind)(number % ZOO_KINDS), 12, &d);
    zoo_make(&mesh_b, (zoo_kind)(number / ZOO_KINDS % ZOO_KINDS), 12, &d);
    tact_transform transform_a = zoo_placement(&d, 0.5), transform_b = zoo_placement(&d, 1.0);
    tact_shape *a = zoo_shape(&mesh_a, false, 0.0), *b = zoo_shape(&mesh_b, false, 0.0);
    const tact_distance right = tact_shapes_distance(a, transform_a, b, transform_b);
    const tact_vec3 from = vec_make(3.0, 2.5, 2.0), aim = vec_sub(transform_a.origin, from);
    const tact_ray_hit ray = tact_shape_ray(a, transform_a, from, aim, INFINITY);
    const tact_closest near = tact_shape_closest(a, transform_a, from);
    tact_shape_release(a);
    tact_shape_release(b);
    for (int k = 0; k < 8; k++) {
        const double scale = ldexp(1.0, powers[k]);
        static zoo_mesh large_a, large_b;
        large_a = mesh_a, large_b = mesh_b;
        for (uint32_t i = 0; i < large_a.vertex_count; i++)
            large_a.vertices[i] = vec_scale(large_a.vertices[i], scale);
        for (uint32_t i = 0; i < large_b.vertex_count; i++)
            large_b.vertices[i] = vec_scale(large_b.vertices[i], scale);
        a = zoo_shape(&large_a, false, 0.0);
        b = zoo_shape(&large_b, false, 0.0);
        assert_true(a != NULL && b != NULL);
        tact_transform there_a = transform_a, there_b = transform_b;
        there_a.origin = vec_scale(transform_a.origin, scale);
        there_b.origin = vec_scale(transform_b.origin, scale);
        tact_distance t = tact_shapes_distance(a, there_a, b, there_b);
        CHECK(t.status == TACT_OK && fabs(t.distance / scale - right.distance) <= 1e-9, "2^%d: %g, should be %g",
              powers[k], t.distance / scale, right.distance);
        CHECK(touch(a, there_a, b, there_b) == (right.distance == 0.0), "2^%d", powers[k]);
        CHECK((t.distance == 0.0) == (right.distance == 0.0), "2^%d", powers[k]);
        tact_ray_hit hit = tact_shape_ray(a, there_a, vec_scale(from, scale), vec_scale(aim, scale), INFINITY);
        CHECK(hit.status == TACT_OK && hit.state == ray.state && fabs(hit.t - ray.t) <= 1e-12,
              "ray at 2^%d: %g, should be %g", powers[k], hit.t, ray.t);
        tact_closest c = tact_shape_closest(a, there_a, vec_scale(from, scale));
        CHECK(c.status == TACT_OK && fabs(c.distance / scale - near.distance) <= 1e-9, "closest at 2^%d", powers[k]);
        tact_shape_release(a);
        tact_shape_release(b);
    }
}

static void sizes_do_not_matter(void **state)
{
    (void)state;
    run_cases("size", cases(64), size_case);
}

static double wild_number(dice *d)
{
    double x = ldexp(dice_between(d, -1.0, 1.0), dice_pick(d, 3) == 0 ? dice_pick(d, 960) - 480 : dice_pick(d, 8));
    return dice_pick(d, 4) == 0 ? 0.0 : dice_pick(d, 3) == 0 ? (double)dice_pick(d, 3) : x;
}

static int wild_hits, wild_misses;

/* Any numbers side by side. The yes or no is still exact; no answer holds a NaN. */
static void wild_case(const char *what, int number)
{
    dice d = dice_for(10, 1, (uint64_t)number);
    zoo_mesh *const both[2] = {&mesh_a, &mesh_b};
    for (int k = 0; k < 2; k++) {
        zoo_clear(both[k]);
        for (int i = 0; i < 12; i++)
            (void)zoo_vertex(both[k], wild_number(&d), wild_number(&d), wild_number(&d));
        for (int i = 0; i < 6; i++)
            zoo_triangle(both[k], (uint32_t)dice_pick(&d, 12), (uint32_t)dice_pick(&d, 12),
                         (uint32_t)dice_pick(&d, 12));
    }
    tact_shape *a = zoo_shape(&mesh_a, false, 0.0), *b = zoo_shape(&mesh_b, false, 0.0);
    pair_set brute = {.a = &mesh_a, .b = &mesh_b, .transform_a = tact_identity(), .transform_b = tact_identity()};
    if (dice_pick(&d, 2) == 0)
        brute.transform_b = tact_at(wild_number(&d), wild_number(&d), wild_number(&d));
    all_pairs(&brute);
    CHECK(touch(a, brute.transform_a, b, brute.transform_b) == (brute.count > 0), "brute force: %zu pairs",
          brute.count);
    tact_distance t = tact_shapes_distance(a, brute.transform_a, b, brute.transform_b);
    CHECK((t.distance == 0.0) == (brute.count > 0) && t.distance - t.distance == 0.0, "distance %g", t.distance);
    CHECK(vec_finite(t.on_a) && vec_finite(t.on_b) && vec_finite(t.normal), "not a number");
    tact_common_point c = tact_shapes_common_point(a, brute.transform_a, b, brute.transform_b, NULL);
    CHECK((c.state == TACT_HIT) == (brute.count > 0) && vec_finite(c.point), "common point");
    const tact_vec3 from = {wild_number(&d), wild_number(&d), wild_number(&d)},
                    aim = {wild_number(&d), wild_number(&d), 1.0};
    tact_ray_hit hit = tact_shape_ray(a, brute.transform_b, from, aim, INFINITY);
    const exact_ray line = tact_exact_ray_make(from, aim);
    bool met = false;
    for (uint32_t i = 0; i < mesh_a.triangle_count; i++) {
        tact_vec3 p[3], normal;
        double time;
        zoo_placed(&mesh_a, &brute.transform_b, i, p);
        met = tact_ray_triangle(&line, p, &time, &normal) || met;
    }
    CHECK(hit.status == TACT_OK && (hit.state == TACT_HIT) == met && hit.t >= 0.0 && hit.t < INFINITY, "ray: %g",
          hit.t);
    CHECK(vec_finite(hit.point) && vec_finite(hit.normal), "ray: not a number");
    tact_closest near = tact_shape_closest(a, brute.transform_b, from);
    CHECK(near.distance >= 0.0 && vec_finite(near.point) && vec_finite(near.normal), "closest: %g", near.distance);
    ++*(brute.count > 0 ? &wild_hits : &wild_misses);
    tact_shape_release(a);
    tact_shape_release(b);
}

static void wild_numbers_give_right_answers(void **state)
{
    (void)state;
    const int count = cases(600);
    run_cases("wild", count, wild_case);
    print_message("%d touch, %d do not\n", wild_hits, wild_misses);
    if (!few_cases())
        assert_true(wild_hits > count / 10 && wild_misses > count / 10);
}

/* ---- distance ---------------------------------------------------------------------------------------------------- */

static int near_zero, overlapping, clear;

static void distance_case(const char *what, int number)
{
    dice d = dice_for(2, 1, (uint64_t)number);
    zoo_kind kind_a = (zoo_kind)(number % ZOO_KINDS), kind_b = (zoo_kind)(number / ZOO_KINDS % ZOO_KINDS);
    zoo_make(&mesh_a, kind_a, 6 + dice_pick(&d, 14), &d);
    zoo_make(&mesh_b, kind_b, 6 + dice_pick(&d, 14), &d);
    double margin_a = dice_pick(&d, 3) == 0 ? dice_power(&d, -3.0, -1.0) : 0.0;
    double margin_b = dice_pick(&d, 3) == 0 ? dice_power(&d, -3.0, -1.0) : 0.0;
    tact_shape *a = zoo_shape(&mesh_a, false, margin_a), *b = zoo_shape(&mesh_b, false, margin_b);
    tact_transform transform_a = zoo_placement(&d, 0.5),
                   transform_b = zoo_placement(&d, dice_pick(&d, 2) == 0 ? 0.75 : 3.0);
    if (dice_pick(&d, 2) == 0) { /* brought nearer, to where it is hard to tell */
        tact_distance before = tact_shapes_distance(a, transform_a, b, transform_b);
        tact_vec3 step = vec_scale(before.normal, before.distance * dice_power(&d, -18.0, 0.0) - before.distance);
        transform_b = tact_transform_translate(transform_b, step);
    }
    long double least = INFINITY;
    for (uint32_t i = 0; i < mesh_a.triangle_count; i++) {
        for (uint32_t j = 0; j < mesh_b.triangle_count; j++) {
            tact_vec3 p[3], q[3];
            zoo_placed(&mesh_a, &transform_a, i, p);
            zoo_placed(&mesh_b, &transform_b, j, q);
            least = fminl(least, zoo_gap(p, q));
        }
    }
    least = fmaxl(least - (margin_a + margin_b), 0.0L);
    double size = fmax(size_of(a, transform_a), size_of(b, transform_b));
    long double slack = 1e-10L * least + 32.0L * 0x1p-53L * size;
    tact_distance t = tact_shapes_distance(a, transform_a, b, transform_b);
    CHECK(t.status == TACT_OK, "status %d", (int)t.status);
    CHECK(fabsl(t.distance - least) <= slack, "%.17g, should be %.17Lg", t.distance, least);
    if (margin_a + margin_b == 0.0)
        CHECK((t.distance == 0.0) == (least == 0.0L), "%g, brute force %Lg", t.distance, least);
    /* the points: on the faces that are named, as far apart as they should be, along the normal */
    tact_vec3 p[3], q[3], gap = vec_sub(t.on_b, t.on_a);
    zoo_placed(&mesh_a, &transform_a, t.part_a.face, p);
    zoo_placed(&mesh_b, &transform_b, t.part_b.face, q);
    CHECK(fabsl(zoo_point_gap(p, t.on_a) - (t.distance > 0.0 ? margin_a : 0.0L)) <=
              slack + (t.distance > 0.0 ? 0.0 : margin_a),
          "on_a");
    CHECK(fabsl(zoo_point_gap(q, t.on_b) - (t.distance > 0.0 ? margin_b : 0.0L)) <=
              slack + (t.distance > 0.0 ? 0.0 : margin_b),
          "on_b");
    CHECK(fabs(vec_length_safe(gap) - t.distance) <= 2e-10 * t.distance + 64.0 * DBL_EPSILON * size, "points %g apart",
          vec_length_safe(gap));
    CHECK(fabs(vec_length_safe(t.normal) - (t.distance > 0.0 ? 1.0 : 0.0)) < 1e-12, "normal of length %g",
          vec_length_safe(t.normal));
    if (t.distance > 1e-6)
        CHECK(vec_dot(gap, t.normal) >= t.distance * (1.0 - 1e-9), "normal");
    tact_distance u = tact_shapes_distance(b, transform_b, a, transform_a);
    CHECK(u.distance == t.distance && same_point(u.on_a, t.on_b) && same_point(u.on_b, t.on_a) &&
              same_point(u.normal, vec_negate(t.normal)) && same_part(u.part_a, t.part_b) &&
              same_part(u.part_b, t.part_a),
          "swapped");
    /* within */
    const double asked[4] = {0.0, (double)least * 0.99 - (double)slack, (double)least * 1.01 + (double)slack, 100.0};
    for (int i = 0; i < 4; i++) {
        tact_overlap v = tact_shapes_within(a, transform_a, b, transform_b, fmax(asked[i], 0.0), NULL);
        bool hit = fmax(asked[i], 0.0) >= (double)least;
        if (i > 1 || margin_a + margin_b == 0.0 || least > slack)
            CHECK(v.status == TACT_OK && (v.state == TACT_HIT) == hit,
                  "%d: within %g of %Lg: %d margins %g %g slack %Lg", i, asked[i], least, (int)v.state, margin_a,
                  margin_b, slack);
    }
    near_zero += least > 0.0L && least < 0.01L;
    overlapping += least == 0.0L;
    clear += least >= 0.01L;
    tact_shape_release(a);
    tact_shape_release(b);
}

static void distance_is_that_of_brute_force(void **state)
{
    (void)state;
    const int count = cases(32);
    run_cases("distance", count, distance_case);
    print_message("%d overlap, %d are near, %d clear\n", overlapping, near_zero, clear);
    if (!few_cases())
        assert_true(overlapping > count / 8 && near_zero > count / 100 && clear > count / 4);
}

/* ---- a mesh and a convex shape ----------------------------------------------------------------------------------- */

static int ball_hits, ball_misses;

static void ball_case(const char *what, int number)
{
    dice d = dice_for(3, 1, (uint64_t)number);
    zoo_make(&mesh_a, (zoo_kind)(number % ZOO_KINDS), 10 + dice_pick(&d, 60), &d);
    double margin = dice_pick(&d, 3) == 0 ? dice_power(&d, -3.0, -1.0) : 0.0, radius = dice_power(&d, -2.0, 0.0),
           least = INFINITY;
    double height = dice_pick(&d, 2) == 0 ? 0.0 : dice_power(&d, -1.0, 0.5);
    tact_shape *a = zoo_shape(&mesh_a, false, margin),
               *b = height > 0.0 ? tact_capsule(radius, height) : tact_sphere(radius);
    const tact_transform transform_a = zoo_placement(&d, 0.5);
    const tact_quat turn = {dice_normal(&d), dice_normal(&d), dice_normal(&d), dice_normal(&d)};
    const tact_vec3 to = {dice_between(&d, -1, 1), dice_between(&d, -1, 1), dice_between(&d, -1, 1)}, one = {1, 1, 1};
    const tact_transform transform_b = tact_transform_make(to, turn, one);
    tact_vec3 end[2] = {tact_transform_point(transform_b, vec_make(0, -height / 2, 0)),
                        tact_transform_point(transform_b, vec_make(0, height / 2, 0))};
    for (uint32_t i = 0; i < mesh_a.triangle_count; i++) {
        tact_vec3 p[3];
        zoo_placed(&mesh_a, &transform_a, i, p);
        least = fmin(least, (double)zoo_segment_gap(p, end[0], end[1]));
    }
    least = fmax(least - (margin + radius), 0.0);
    double size = fmax(size_of(a, transform_a), size_of(b, transform_b)),
           slack = 1e-10 * least + 64.0 * DBL_EPSILON * size;
    for (int turned = 0; turned < 2; turned++) {
        tact_distance t = turned ? tact_shapes_distance(b, transform_b, a, transform_a)
                                 : tact_shapes_distance(a, transform_a, b, transform_b);
        CHECK(t.status == TACT_OK && fabs(t.distance - least) <= slack, "%.17g, should be %.17g", t.distance, least);
        if (least > slack || least == 0.0) {
            tact_common_point c = turned ? tact_shapes_common_point(b, transform_b, a, transform_a, NULL)
                                         : tact_shapes_common_point(a, transform_a, b, transform_b, NULL);
            CHECK((c.state == TACT_HIT) == (t.distance == 0.0), "common point");
            if (c.state == TACT_HIT) {
                tact_vec3 p[3];
                zoo_placed(&mesh_a, &transform_a, (turned ? c.part_b : c.part_a).face, p);
                const tact_vec3 core[3] = {end[0], end[1], end[1]};
                CHECK((double)zoo_point_gap(p, c.point) <= margin + 1e-9 &&
                          (double)zoo_point_gap(core, c.point) <= radius + 1e-9,
                      "common point off by %Lg %Lg", zoo_point_gap(p, c.point), zoo_point_gap(core, c.point));
            }
        }
    }
    ++*(least > 0.0 ? &ball_misses : &ball_hits);
    tact_shape_release(a);
    tact_shape_release(b);
}

static void balls_and_capsules_against_meshes(void **state)
{
    (void)state;
    const int count = cases(320);
    run_cases("ball", count, ball_case);
    print_message("%d touch, %d do not\n", ball_hits, ball_misses);
    if (!few_cases())
        assert_true(ball_hits > count / 8 && ball_misses > count / 8);
}

/* ---- inside ------------------------------------------------------------------------------------------------------ */

static bool surfaces_meet(const tact_transform *transform_a, const tact_transform *transform_b)
{
    pair_set s = {.a = &mesh_a, .b = &mesh_b, .transform_a = *transform_a, .transform_b = *transform_b};
    all_pairs(&s);
    return s.count > 0;
}

static tact_vec3 *placed_vertices(const zoo_mesh *m, const tact_transform *at)
{
    static tact_vec3 all[ZOO_MOST];
    for (uint32_t i = 0; i < m->vertex_count; i++)
        all[i] = vec_add(vec_transform(at, m->vertices[i]), at->origin);
    return all;
}

static int inside_cases, in_hole_cases, beside_cases;

static void inside_case(const char *what, int number)
{
    dice d = dice_for(4, 1, (uint64_t)number);
    zoo_torus(&mesh_a, 12, 24, 1.0, 0.4);
    zoo_make(&mesh_b, (zoo_kind)(number % ZOO_KINDS), 20, &d);
    tact_shape *shell = zoo_shape(&mesh_a, false, 0.0), *solid = zoo_shape(&mesh_a, true, 0.0),
               *b = zoo_shape(&mesh_b, dice_pick(&d, 2) == 0, 0.0), *ball = tact_sphere(0.1);
    tact_transform transform_a = zoo_placement(&d, 1.0), transform_b = zoo_placement(&d, 0.0);
    const tact_vec3 small = {0.07, 0.07, 0.07};
    double angle = dice_between(&d, 0, 7), out = dice_pick(&d, 3) == 0 ? 0.0 : dice_between(&d, 0.5, 1.5);
    transform_b = tact_transform_scale(transform_b, small);
    transform_b.origin =
        tact_transform_point(transform_a, vec_make(out * cos(angle), out * sin(angle), dice_between(&d, -0.3, 0.3)));
    bool met = surfaces_meet(&transform_a, &transform_b);
    CHECK(touch(shell, transform_a, b, transform_b) == met, "shell");
    /* without contact, one placed vertex decides for each connected part */
    const tact_vec3 *ring = placed_vertices(&mesh_a, &transform_a);
    bool held = false;
    for (uint32_t i = 0; i < mesh_b.triangle_count; i++) {
        tact_vec3 p[3];
        zoo_placed(&mesh_b, &transform_b, i, p);
        held = held || mesh_parity(ring, mesh_a.corners, mesh_a.triangle_count, p[0]) != PARITY_OUTSIDE;
    }
    CHECK(touch(solid, transform_a, b, transform_b) == (met || held), "met %d held %d", met, held);
    tact_distance t = tact_shapes_distance(solid, transform_a, b, transform_b),
                  u = tact_shapes_distance(b, transform_b, solid, transform_a);
    CHECK((t.distance == 0.0) == (met || held), "distance %g", t.distance);
    CHECK(t.distance == u.distance && same_point(t.on_a, u.on_b) && same_part(t.part_a, u.part_b), "swapped");
    tact_common_point c = tact_shapes_common_point(b, transform_b, solid, transform_a, NULL);
    CHECK((c.state == TACT_HIT) == (met || held), "common point");
    if (held && !met) {
        CHECK(mesh_parity(ring, mesh_a.corners, mesh_a.triangle_count, c.point) != PARITY_OUTSIDE, "common point");
        tact_vec3 p[3];
        zoo_placed(&mesh_b, &transform_b, c.part_a.face, p);
        if (tact_shapes_overlap(b, transform_b, shell, transform_a, NULL).state == TACT_MISS && b != NULL)
            CHECK(zoo_point_gap(p, c.point) <= 1e-12L, "common point on the face that is named");
    }
    /* a ball wholly inside */
    tact_transform at_ball = tact_at(transform_b.origin.x, transform_b.origin.y, transform_b.origin.z);
    bool ball_met = touch(shell, transform_a, ball, at_ball);
    bool ball_held = mesh_parity(ring, mesh_a.corners, mesh_a.triangle_count, transform_b.origin) != PARITY_OUTSIDE;
    CHECK(touch(solid, transform_a, ball, at_ball) == (ball_met || ball_held), "ball");
    inside_cases += held && !met;
    in_hole_cases += !held && !met && out < 0.55;
    beside_cases += !held && !met && out >= 0.55;
    tact_shape_release(shell);
    tact_shape_release(solid);
    tact_shape_release(b);
    tact_shape_release(ball);
}

static void what_is_inside_a_solid_touches_it(void **state)
{
    (void)state;
    const int count = cases(200);
    run_cases("inside", count, inside_case);
    print_message("%d inside, %d in the hole, %d beside\n", inside_cases, in_hole_cases, beside_cases);
    if (!few_cases())
        assert_true(inside_cases > count / 20 && in_hole_cases > count / 20 && beside_cases > count / 50);
}

static void a_part_inside_is_enough(void **state)
{
    (void)state;
    /* two balls in one mesh, far from each other: one inside the cube, not even the first */
    zoo_cube(&mesh_a, 2.0);
    zoo_ball(&mesh_b, 1, 0.5);
    uint32_t first = mesh_b.vertex_count, triangles = mesh_b.triangle_count;
    for (uint32_t i = 0; i < first; i++)
        (void)zoo_vertex(&mesh_b, mesh_b.vertices[i].x + 10.0, mesh_b.vertices[i].y, mesh_b.vertices[i].z);
    for (uint32_t i = 0; i < triangles; i++)
        zoo_triangle(&mesh_b, mesh_b.corners[3 * i] + first, mesh_b.corners[3 * i + 1] + first,
                     mesh_b.corners[3 * i + 2] + first);
    for (int split = 0; split < 2; split++) {
        zoo_split(&mesh_b, &mesh_c);
        tact_shape *solid = zoo_shape(&mesh_a, true, 0.0), *two = zoo_shape(split ? &mesh_c : &mesh_b, false, 0.0);
        assert_int_equal(two->mesh->component_count, 2);
        assert_true(touch(solid, tact_identity(), two, tact_identity()));
        assert_true(touch(solid, tact_identity(), two, tact_at(-10.0, 0.0, 0.0)));
        tact_common_point c = tact_shapes_common_point(solid, tact_identity(), two, tact_at(-10.0, 0.0, 0.0), NULL);
        assert_true(c.state == TACT_HIT && c.part_b.face >= triangles && vec_max_abs(c.point) < 2.0);
        assert_false(touch(solid, tact_identity(), two, tact_at(-5.0, 0.0, 0.0)));
        tact_shape_release(solid);
        tact_shape_release(two);
    }
}

/* ---- odd input --------------------------------------------------------------------------------------------------- */

static void bad_input_is_refused(void **state)
{
    (void)state;
    zoo_cube(&mesh_a, 1.0);
    tact_shape *cube = zoo_shape(&mesh_a, false, 0.0), *ball = tact_sphere(1.0);
    const tact_transform here = tact_identity(), bad[4] = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
                                                           {{NAN, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}},
                                                           {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {INFINITY, 0, 0}},
                                                           {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1e151, 0, 0}}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(tact_shapes_overlap(cube, bad[i], ball, here, NULL).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shapes_overlap(ball, bad[i], cube, here, NULL).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shapes_distance(cube, here, cube, bad[i]).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shapes_common_point(cube, bad[i], cube, here, NULL).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shape_ray(cube, bad[i], vec_make(0, 0, 0), vec_make(0, 0, 1), 1.0).status,
                         TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shape_closest(cube, bad[i], vec_make(0, 0, 0)).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shape_contains(cube, bad[i], vec_make(0, 0, 0)).status, TACT_BAD_ARGUMENT);
        tact_vec3 p;
        assert_int_equal(tact_shape_support(cube, bad[i], vec_make(0, 0, 1), &p), TACT_BAD_ARGUMENT);
    }
    assert_int_equal(tact_shapes_overlap(cube, here, NULL, here, NULL).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_distance(NULL, here, cube, here).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_within(cube, here, ball, here, -1.0, NULL).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_within(cube, here, ball, here, NAN, NULL).status, TACT_BAD_ARGUMENT);
    tact_distance_def def = tact_distance_def_default();
    def.accuracy = NAN;
    assert_int_equal(tact_shapes_distance_with(cube, here, ball, here, &def).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_ray(cube, here, vec_make(NAN, 0, 0), vec_make(0, 0, 1), 1.0).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_ray(cube, here, vec_make(0, 0, 0), vec_make(0, 0, 0), 1.0).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_closest(cube, here, vec_make(INFINITY, 0, 0)).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_contains(cube, here, vec_make(0, 2e150, 0)).status, TACT_BAD_ARGUMENT);
    /* a rounded mesh inside a compound that is stretched unevenly: its margin is no ball any more */
    tact_shape *rounded = tact_rounded(cube, 0.5);
    const tact_shape *parts[1] = {rounded};
    tact_shape *whole = tact_compound(parts, NULL, 1);
    const tact_transform uneven = tact_transform_scale(here, vec_make(1.0, 2.0, 1.0)),
                         even = tact_transform_scale(here, vec_make(2.0, -2.0, 2.0));
    assert_int_equal(tact_shapes_overlap(whole, uneven, ball, tact_at(2.0, 0, 0), NULL).status, TACT_BAD_ARGUMENT);
    assert_true(fabs(tact_shapes_distance(whole, even, ball, tact_at(9.0, 0, 0)).distance - 5.0) < 1e-9);
    tact_shape_release(whole);
    tact_shape_release(rounded);
    tact_shape_release(cube);
    tact_shape_release(ball);
}

/* The answers of a batch are those of single calls, with any number of threads. */
static void batches_give_the_same(void **state)
{
    (void)state;
    enum { PAIRS = 64 };
    static tact_pair pairs[PAIRS];
    static tact_overlap single[PAIRS], many[PAIRS];
    static tact_distance far[PAIRS], farther[PAIRS];
    dice d = dice_for(7, 1, 0);
    zoo_torus(&mesh_a, 10, 20, 0.7, 0.3);
    tact_shape *torus = zoo_shape(&mesh_a, true, 0.0), *ball = tact_sphere(0.3);
    for (int i = 0; i < PAIRS; i++) {
        pairs[i] = (tact_pair){torus, i % 2 ? torus : ball, zoo_placement(&d, 1.0), zoo_placement(&d, 1.5)};
        single[i] = tact_shapes_overlap(pairs[i].a, pairs[i].transform_a, pairs[i].b, pairs[i].transform_b, NULL);
        far[i] = tact_shapes_distance(pairs[i].a, pairs[i].transform_a, pairs[i].b, pairs[i].transform_b);
    }
    for (int threads = 1; threads <= 5; threads++) {
        const tact_parallel parallel = {NULL, NULL, threads};
        memset(many, 0, sizeof many);
        memset(farther, 0, sizeof farther);
        assert_int_equal(tact_overlap_batch(pairs, PAIRS, NULL, many, &parallel), TACT_OK);
        assert_int_equal(tact_distance_batch(pairs, PAIRS, farther, &parallel), TACT_OK);
        for (int i = 0; i < PAIRS; i++) {
            assert_true(single[i].state == many[i].state && single[i].status == many[i].status);
            assert_true(far[i].distance == farther[i].distance && same_point(far[i].on_a, farther[i].on_a) &&
                        same_part(far[i].part_a, farther[i].part_a));
        }
    }
    tact_shape_release(torus);
    tact_shape_release(ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(touching_is_what_brute_force_says),
        cmocka_unit_test(rounding_modes_do_not_matter),
        cmocka_unit_test(sizes_do_not_matter),
        cmocka_unit_test(wild_numbers_give_right_answers),
        cmocka_unit_test(distance_is_that_of_brute_force),
        cmocka_unit_test(balls_and_capsules_against_meshes),
        cmocka_unit_test(what_is_inside_a_solid_touches_it),
        cmocka_unit_test(a_part_inside_is_enough),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(batches_give_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
