/* The oracle itself: against closed forms, the search and the solver against brute force and each other, long double
 * against quadruple precision. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "oracle/scene.h"
#include "support/long_form.h"

/* What the oracle is asked for here, and how far from a closed form in long double it may be, in units of the size. */
static const real sharp = 1e-17L;
static const real closed_form_slack = 1e-16L;

static tact_transform at(double x, double y, double z)
{
    return (tact_transform){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {x, y, z}};
}

static recipe one(tact_shape_type type, double radius, double height, tact_vec3 size)
{
    recipe r;
    memset(&r, 0, sizeof r);
    r.count = 1;
    r.items[0].type = type;
    r.items[0].radius = radius;
    r.items[0].height = height;
    r.items[0].size = size;
    if (type == TACT_POINT)
        r.items[0].point_count = 1;
    return r;
}

static void expect(const recipe *a, tact_transform transform_a, const recipe *b, tact_transform transform_b,
                   real distance, real size)
{
    oracle_body body_a, body_b;
    oracle_gap gap;
    recipe_body(a, transform_a, &body_a);
    recipe_body(b, transform_b, &body_b);
    for (int variant = 0; variant < 2; variant++) {
        (variant ? oracle_distance_solve : oracle_distance)(&body_a, &body_b, 0, sharp * size, &gap);
        if (!gap.sharp || gap.low - closed_form_slack * size > distance ||
            gap.high + closed_form_slack * size < distance)
            fail_msg("%s and %s: %.20Lg expected, but %.20Lg to %.20Lg", recipe_type_name(a->items[0].type),
                     recipe_type_name(b->items[0].type), distance, gap.low, gap.high);
    }
}

static real length3(real x, real y, real z) { return sqrtl(x * x + y * y + z * z); }

static void distances_match_closed_forms(void **state)
{
    (void)state;
    const tact_vec3 none = {0, 0, 0};
    for (uint64_t i = 0; i < random_case_count(300, 300); i++) {
        dice d = dice_for(1, 2, i);
        double x = dice_between(&d, -3, 3), y = dice_between(&d, -3, 3), z = dice_between(&d, -3, 3);
        double r = dice_power(&d, -3, 0), s = dice_power(&d, -3, 0), h = dice_power(&d, -3, 0);
        recipe ball_r = one(TACT_SPHERE, r, 0, none), ball_s = one(TACT_SPHERE, s, 0, none),
               dot = one(TACT_POINT, 0, 0, none);
        expect(&ball_r, at(0, 0, 0), &ball_s, at(x, y, z), fmaxl(length3(x, y, z) - r - s, 0), 4);
        /* boxes along the axes */
        tact_vec3 size_a = {r, s, h}, size_b = {h, r, s};
        recipe box_a = one(TACT_BOX, 0, 0, size_a), box_b = one(TACT_BOX, 0, 0, size_b);
        real gx = fmaxl(fabsl((real)x) - 0.5L * ((real)size_a.x + size_b.x), 0);
        real gy = fmaxl(fabsl((real)y) - 0.5L * ((real)size_a.y + size_b.y), 0);
        real gz = fmaxl(fabsl((real)z) - 0.5L * ((real)size_a.z + size_b.z), 0);
        expect(&box_a, at(0, 0, 0), &box_b, at(x, y, z), length3(gx, gy, gz), 4);
        /* a point and a capsule, a cylinder, a cone about the y axis */
        recipe capsule = one(TACT_CAPSULE, r, h, none), cylinder = one(TACT_CYLINDER, r, h, none),
               cone = one(TACT_CONE, r, h, none);
        real along = fmaxl(fabsl((real)y) - 0.5L * (real)h, 0), flat = length3(x, 0, z);
        expect(&capsule, at(0, 0, 0), &dot, at(x, y, z), fmaxl(length3(flat, along, 0) - r, 0), 4);
        expect(&cylinder, at(0, 0, 0), &dot, at(x, y, z), length3(fmaxl(flat - r, 0), along, 0), 4);
        /* in the half plane (flat, y) the cone is the triangle (0, -h/2), (r, -h/2), (0, h/2) */
        real px = flat, py = (real)y + 0.5L * (real)h, slant = length3(r, h, 0);
        real side = ((real)h * px + (real)r * py - (real)r * h) / slant,
             u = (-(real)r * (px - r) + (real)h * py) / (slant * slant);
        u = fminl(fmaxl(u, 0), 1);
        real to_side = length3(px - r * (1 - u), py - h * u, 0), to_base = length3(fmaxl(px - r, 0), py, 0);
        expect(&cone, at(0, 0, 0), &dot, at(x, y, z), side <= 0 && py >= 0 ? 0 : fminl(to_side, to_base), 4);
        /* a point and an ellipsoid: the root t of sum (a_i p_i / (t + a_i^2))^2 = 1, by bisection */
        recipe ellipsoid = one(TACT_ELLIPSOID, 0, 0, size_a);
        const real p[3] = {x, y, z}, a[3] = {size_a.x, size_a.y, size_a.z};
        real inside = p[0] * p[0] / (a[0] * a[0]) + p[1] * p[1] / (a[1] * a[1]) + p[2] * p[2] / (a[2] * a[2]);
        if (inside > 1) {
            real low = 0, high = 100;
            for (int k = 0; k < 200; k++) {
                real t = 0.5L * (low + high), sum = 0;
                for (int j = 0; j < 3; j++)
                    sum += (a[j] * p[j] / (t + a[j] * a[j])) * (a[j] * p[j] / (t + a[j] * a[j]));
                *(sum > 1 ? &low : &high) = t;
            }
            real away = 0;
            for (int j = 0; j < 3; j++)
                away += (p[j] * low / (low + a[j] * a[j])) * (p[j] * low / (low + a[j] * a[j]));
            expect(&ellipsoid, at(0, 0, 0), &dot, at(x, y, z), sqrtl(away), 4);
        }
    }
}

/* True when two intervals, both said to hold the truth, have a point in common. */
static bool agree(const oracle_gap *p, const oracle_gap *q) { return p->low <= q->high && q->low <= p->high; }

static void search_and_solver_agree_with_brute_force_over_features(void **state)
{
    (void)state;
    static const tact_shape_type types[] = {TACT_POINT, TACT_SEGMENT, TACT_TRIANGLE, TACT_TETRAHEDRON,
                                            TACT_BOX,   TACT_POLYGON, TACT_HULL};
    int apart = 0, overlapping = 0, sharp_features = 0, all = 0;
    for (int a = 0; a < 7; a++)
        for (int b = 0; b < 7; b++)
            for (uint64_t i = 0; i < random_case_count(12, 12); i++) {
                scene s;
                oracle_gap gap, solved;
                scene_make(&s, types[a], types[b], 2, i);
                real absolute = 2 * 0x1p-53L * s.largest;
                assert_true(oracle_distance_features(&s.body_a, &s.body_b, 1e-11L, absolute, &gap));
                oracle_distance_solve(&s.body_a, &s.body_b, 1e-11L, absolute, &solved);
                if (!agree(&gap, &s.gap) || !agree(&gap, &solved))
                    fail_msg("%s,%s case %llu: %.20Lg to %.20Lg, solver %.20Lg to %.20Lg, features %.20Lg to %.20Lg",
                             recipe_type_name(types[a]), recipe_type_name(types[b]), (unsigned long long)i, s.gap.low,
                             s.gap.high, solved.low, solved.high, gap.low, gap.high);
                apart += gap.low > 0;
                overlapping += gap.low <= 0;
                sharp_features += gap.sharp;
                all++;
                assert_true(s.gap.sharp);
            }
    assert_true(apart > all / 3);
    assert_true(overlapping > all / 10);
    assert_true(sharp_features * 100 > all * 97);
}

/* Three ways to one distance; the search alone must be enough nearly always, or the long target takes days. */
static void search_and_solver_agree_with_quadruple_precision(void **state)
{
    (void)state;
    int all = 0, quads = 0, searched = 0;
    for (int a = 1; a <= RECIPE_TYPES; a++)
        for (int b = quick_form() ? 1 + a % 3 : 1; b <= RECIPE_TYPES; b += quick_form() ? 3 : 1)
            for (uint64_t i = 0; i < (long_form() ? 2 : 1); i++) {
                scene s;
                oracle_gap gap, solved, search;
                scene_make(&s, (tact_shape_type)a, (tact_shape_type)b, 3, i);
                real relative = 1e-11L, absolute = 0x1p-52L * s.largest;
                oracle_distance_quad(&s.body_a, &s.body_b, 1e-12L, 0x1p-54L * s.largest, &gap);
                oracle_distance_solve(&s.body_a, &s.body_b, relative, absolute, &solved);
                oracle_distance_search(&s.body_a, &s.body_b, relative, absolute, -1, &search);
                assert_true(gap.sharp && solved.sharp && s.gap.sharp);
                if (!agree(&gap, &solved) || !agree(&gap, &search) || !agree(&gap, &s.gap))
                    fail_msg(
                        "%s,%s case %llu: search %.20Lg to %.20Lg, solver %.20Lg to %.20Lg, in quadruple precision "
                        "%.20Lg to %.20Lg",
                        recipe_type_name((tact_shape_type)a), recipe_type_name((tact_shape_type)b),
                        (unsigned long long)i, search.low, search.high, solved.low, solved.high, gap.low, gap.high);
                quads += solved.quad;
                searched += search.sharp;
                all++;
            }
    print_message("the search was enough in %d of %d cases\n", searched, all);
    assert_true(searched * 100 >= all * 97);
    assert_true(quads * 2 < all);
}

/* Points about a box: those farther than allowed must be known as such, and those in it or near it not be blamed. */
static void points_inside_are_distinguished_from_points_outside(void **state)
{
    (void)state;
    int inside = 0, outside = 0;
    for (uint64_t i = 0; i < 2000; i++) {
        dice d = dice_for(8, 2, i);
        tact_vec3 size = {dice_power(&d, -2, 0), dice_power(&d, -2, 0), dice_power(&d, -2, 0)};
        recipe box = one(TACT_BOX, 0, 0, size);
        box.items[0].margin = dice_pick(&d, 2) ? dice_power(&d, -2, 0) : 0.0;
        oracle_body body;
        recipe_body(&box, at(0, 0, 0), &body);
        const real half[3] = {0.5L * (real)size.x, 0.5L * (real)size.y, 0.5L * (real)size.z};
        real p[3], out[3];
        for (int k = 0; k < 3; k++) { /* on, just off, or well off each pair of faces */
            static const double off[5] = {0.0, 0.0, 1e-12, -1e-12, 1e-3};
            p[k] = half[k] * (real)dice_between(&d, -1.0, 1.0);
            if (dice_pick(&d, 2))
                p[k] = half[k] + (real)(off[dice_pick(&d, 5)] + box.items[0].margin);
            out[k] = fmaxl(fabsl(p[k]) - half[k], 0);
        }
        real truth = fmaxl(length3(out[0], out[1], out[2]) - (real)box.items[0].margin, 0), allowed = 1e-14L;
        real found = oracle_point_distance(&body, p, allowed);
        if (found > truth + 1e-17L || (truth > 2 * allowed && found < truth - allowed / 8))
            fail_msg("case %d: %.20Lg off, but found %.20Lg", (int)i, truth, found);
        inside += truth <= allowed;
        outside += truth > 2 * allowed;
    }
    assert_true(inside > 200 && outside > 200);
}

static void depths_match_closed_forms(void **state)
{
    (void)state;
    const tact_vec3 none = {0, 0, 0};
    for (uint64_t i = 0; i < random_case_count(300, 300); i++) {
        dice d = dice_for(4, 2, i);
        tact_vec3 size_a = {dice_power(&d, -2, 0), dice_power(&d, -2, 0), dice_power(&d, -2, 0)};
        tact_vec3 size_b = {dice_power(&d, -2, 0), dice_power(&d, -2, 0), dice_power(&d, -2, 0)};
        double x = dice_between(&d, -0.5, 0.5) * (size_a.x + size_b.x),
               y = dice_between(&d, -0.5, 0.5) * (size_a.y + size_b.y),
               z = dice_between(&d, -0.5, 0.5) * (size_a.z + size_b.z);
        recipe box_a = one(TACT_BOX, 0, 0, size_a), box_b = one(TACT_BOX, 0, 0, size_b);
        oracle_body a, b;
        real depth, n[3];
        recipe_body(&box_a, at(0, 0, 0), &a);
        recipe_body(&box_b, at(x, y, z), &b);
        real expected = fminl(fminl(0.5L * ((real)size_a.x + size_b.x) - fabsl((real)x),
                                    0.5L * ((real)size_a.y + size_b.y) - fabsl((real)y)),
                              0.5L * ((real)size_a.z + size_b.z) - fabsl((real)z));
        assert_true(oracle_depth_polytopes(&a, &b, &depth, n));
        if (fabsl(depth - expected) > 1e-18L)
            fail_msg("boxes, case %d: depth %.20Lg, but it is %.20Lg", (int)i, depth, expected);
        real sampled = oracle_depth_sampled(&a, &b, NULL, 100, (unsigned)i, n);
        if (sampled < expected - 1e-18L || sampled > expected * (1 + 1e-6L) + 1e-9L)
            fail_msg("boxes, case %d: sampled depth %.20Lg, but it is %.20Lg", (int)i, sampled, expected);
        /* balls: r + s - distance */
        recipe ball_a = one(TACT_SPHERE, size_a.x, 0, none), ball_b = one(TACT_SPHERE, size_b.x, 0, none);
        recipe_body(&ball_a, at(0, 0, 0), &a);
        recipe_body(&ball_b, at(x, y, z), &b);
        expected = (real)size_a.x + size_b.x - length3(x, y, z);
        sampled = oracle_depth_sampled(&a, &b, NULL, 60, (unsigned)i, n);
        if (expected > 0 && fabsl(sampled - expected) > 1e-9L * expected + 1e-12L)
            fail_msg("balls, case %d: sampled depth %.20Lg, but it is %.20Lg", (int)i, sampled, expected);
    }
}

/* The exact depth of polytopes is never above the overlap along any direction, and sampling comes near it. */
static void exact_depths_are_below_all_samples(void **state)
{
    (void)state;
    static const tact_shape_type types[] = {TACT_SEGMENT, TACT_TRIANGLE, TACT_TETRAHEDRON,   TACT_BOX,
                                            TACT_POLYGON, TACT_HULL,     TACT_MINKOWSKI_SUM, TACT_CONVEX_HULL_OF};
    int overlapping = 0, reached = 0;
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++)
            for (uint64_t i = 0; i < random_case_count(12, 12); i++) {
                scene s;
                real depth, n[3], m[3];
                scene_make(&s, types[a], types[b], 5, i);
                if (s.gap.low > 0 || !oracle_depth_polytopes(&s.body_a, &s.body_b, &depth, n))
                    continue;
                real sampled = oracle_depth_sampled(&s.body_a, &s.body_b, NULL, 100, (unsigned)i, m);
                real again = depth > 0 ? oracle_overlap_along(&s.body_a, &s.body_b, n) : depth;
                if (sampled < depth - 1e-17L * s.largest - s.gap.high || fabsl(again - depth) > 1e-17L * s.largest)
                    fail_msg("%s,%s case %llu: depth %.20Lg, along its normal %.20Lg, sampled %.20Lg",
                             recipe_type_name(types[a]), recipe_type_name(types[b]), (unsigned long long)i, depth,
                             again, sampled);
                overlapping++;
                reached += sampled <= depth * 1.01L + 1e-9L * s.largest;
            }
    assert_true(overlapping > (quick_form() ? 15 : 60));
    print_message("sampling came within 1%% of %d of %d depths\n", reached, overlapping);
    assert_true(reached * 10 > overlapping * 7);
}

/* The same set described in two ways: a ball and a rounded point, a box and a sum of boxes, a capsule and a rounded
 * segment. */
static void descriptions_of_one_set_agree(void **state)
{
    (void)state;
    const real zero[3] = {0, 0, 0};
    for (uint64_t i = 0; i < 100; i++) {
        dice d = dice_for(6, 2, i);
        double r = dice_power(&d, -2, 0), h = dice_power(&d, -2, 0);
        recipe capsule = one(TACT_CAPSULE, r, h, (tact_vec3){0, 0, 0});
        scene s;
        scene_make(&s, TACT_CONE, TACT_HULL, 7, i);
        tact_transform place = at(dice_normal(&d), dice_normal(&d), dice_normal(&d));
        oracle_body as_hull, as_sum;
        oracle_gap p, q;
        recipe_body(&capsule, place, &as_hull);
        oracle_body_begin(&as_sum);
        const real low[3] = {0, -0.5L * (real)h, 0}, high[3] = {0, 0.5L * (real)h, 0};
        const real axes[3][3] = {{r, 0, 0}, {0, r, 0}, {0, 0, r}};
        int ends[2] = {oracle_leaf_point(&as_sum, low), oracle_leaf_point(&as_sum, high)};
        int both[2];
        both[0] = oracle_join_nodes(&as_sum, ORACLE_HULL, ends, 2);
        both[1] = oracle_leaf_ball(&as_sum, zero, axes, 3);
        as_sum.root = oracle_join_nodes(&as_sum, ORACLE_SUM, both, 2);
        memcpy(as_sum.origin, as_hull.origin, sizeof as_sum.origin);
        oracle_distance(&as_hull, &s.body_b, 0, sharp * s.largest, &p);
        oracle_distance(&s.body_b, &as_sum, 0, sharp * s.largest, &q);
        if (!agree(&p, &q))
            fail_msg("case %d: %.20Lg to %.20Lg and %.20Lg to %.20Lg", (int)i, p.low, p.high, q.low, q.high);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_match_closed_forms),
        cmocka_unit_test(search_and_solver_agree_with_brute_force_over_features),
        cmocka_unit_test(search_and_solver_agree_with_quadruple_precision),
        cmocka_unit_test(points_inside_are_distinguished_from_points_outside),
        cmocka_unit_test(depths_match_closed_forms),
        cmocka_unit_test(exact_depths_are_below_all_samples),
        cmocka_unit_test(descriptions_of_one_set_agree),
    };
    return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}
