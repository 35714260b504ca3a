/*
 * Soups and compounds against the list of their pieces and leaves, each asked alone; and shapes that are empty.
 *
 * A failure prints the number of its case: TACT_TEST_SEED=n runs that case alone, and TACT_TEST_LONG=1 runs 10,000 in
 * place of a few hundred.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <tact/query.h>

#include "complex/pair_checks.h"
#include "oracle/zoo.h"
#include "support/numbered_cases.h"
#include "support/vec.h"

static zoo_mesh mesh_a, mesh_b;

/* ---- soups ------------------------------------------------------------------------------------------------------- */

static int soup_hits, soup_misses;

/* Each piece is a convex shape of its own: against every one of them alone. */
static void soup_case(const char *what, int number)
{
    enum { PIECES = 12 };
    dice d = dice_for(5, 1, (uint64_t)number);
    tact_vec3 points[PIECES * 12];
    uint32_t corners[PIECES * 12], sizes[PIECES];
    size_t count = 0;
    tact_shape *piece[PIECES];
    double margin = dice_pick(&d, 3) == 0 ? 0.05 : 0.0;
    for (int i = 0; i < PIECES; i++) {
        double x = dice_between(&d, -1, 1), y = dice_between(&d, -1, 1), z = dice_between(&d, -1, 1);
        sizes[i] = 1 + (uint32_t)dice_pick(&d, 12);
        size_t first = count;
        for (uint32_t k = 0; k < sizes[i]; k++, count++) {
            points[count] = vec_make(x + 0.3 * dice_between(&d, -1, 1), y + 0.3 * dice_between(&d, -1, 1),
                                     z + 0.3 * dice_between(&d, -1, 1));
            corners[count] = (uint32_t)count;
        }
        piece[i] = tact_hull(points + first, sizes[i]);
    }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){points, count, 0, TACT_SCALAR_DOUBLE};
    def.indices = corners;
    def.index_count = count;
    def.loop_sizes = sizes;
    def.loop_count = PIECES;
    def.margin = margin;
    tact_shape *soup = tact_soup_create(&def, NULL), *other = number % 2 ? tact_box(0.5, 0.3, 0.8) : NULL;
    assert_non_null(soup);
    if (other == NULL) {
        zoo_torus(&mesh_a, 8, 16, 0.6, 0.2);
        other = zoo_shape(&mesh_a, true, 0.0);
    }
    const tact_transform at = zoo_placement(&d, 0.5), at_other = zoo_placement(&d, 1.0);
    double least = INFINITY;
    for (int i = 0; i < PIECES; i++) {
        tact_shape *rounded = tact_rounded(piece[i], margin);
        tact_distance t = tact_shapes_distance(rounded, at, other, at_other);
        assert_int_equal(t.status, TACT_OK);
        least = fmin(least, t.distance);
        tact_shape_release(rounded);
    }
    tact_distance t = tact_shapes_distance(soup, at, other, at_other),
                  u = tact_shapes_distance(other, at_other, soup, at);
    CHECK(fabs(t.distance - least) <= 1e-9 * least + 1e-13, "%.17g, should be %.17g", t.distance, least);
    CHECK(t.distance == u.distance && same_point(t.on_a, u.on_b) && same_part(t.part_a, u.part_b), "swapped");
    if (least > 1e-12 || least == 0.0)
        CHECK(touch(soup, at, other, at_other) == (least == 0.0), "touch, distance %g", least);
    tact_shape *named = tact_rounded(piece[t.part_a.face], margin);
    CHECK(fabs(tact_shapes_distance(named, at, other, at_other).distance - least) <= 1e-9 * least + 1e-13,
          "the piece that is named");
    tact_shape_release(named);
    ++*(least > 0.0 ? &soup_misses : &soup_hits);
    for (int i = 0; i < PIECES; i++)
        tact_shape_release(piece[i]);
    tact_shape_release(soup);
    tact_shape_release(other);
}

static void soups_are_as_their_pieces(void **state)
{
    (void)state;
    const int count = cases(150);
    run_cases("soup", count, soup_case);
    print_message("%d touch, %d do not\n", soup_hits, soup_misses);
    if (getenv("TACT_TEST_SEED") == NULL)
        assert_true(soup_hits > count / 8 && soup_misses > count / 8);
}

/* ---- compounds --------------------------------------------------------------------------------------------------- */

enum { MOST_LEAVES = 256 };

typedef struct flat_list {
    int count;
    const tact_shape *shape[MOST_LEAVES];
    tact_transform at[MOST_LEAVES];
} flat_list;

/* A compound of compounds to a depth, sharing what it can, and the list of its leaves in order. */
static tact_shape *random_compound(dice *d, int depth, tact_shape *const *basic, int basics, flat_list *leaves)
{
    const tact_shape *parts[4];
    tact_transform places[4];
    tact_shape *made[4] = {NULL, NULL, NULL, NULL};
    int count = 1 + dice_pick(d, 3);
    flat_list below[4];
    leaves->count = 0;
    for (int i = 0; i < count; i++) {
        places[i] = zoo_placement(d, 0.7);
        below[i].count = 0;
        if (i > 0 && dice_pick(d, 2) == 0) { /* the same again */
            parts[i] = parts[i - 1];
            below[i] = below[i - 1];
        } else if (depth > 0 && dice_pick(d, 3) != 0) {
            parts[i] = made[i] = random_compound(d, depth - 1, basic, basics, &below[i]);
        } else {
            parts[i] = basic[dice_pick(d, basics)];
            below[i] = (flat_list){.count = 1, .shape = {parts[i]}, .at = {tact_identity()}};
        }
        for (int k = 0; k < below[i].count; k++) {
            assert_true(leaves->count < MOST_LEAVES);
            leaves->shape[leaves->count] = below[i].shape[k];
            leaves->at[leaves->count++] = tact_transform_compose(places[i], below[i].at[k]);
        }
    }
    tact_shape *whole = tact_compound(parts, places, (size_t)count);
    assert_non_null(whole);
    for (int i = 0; i < count; i++)
        tact_shape_release(made[i]);
    return whole;
}

static int compound_hits, compound_misses, deep_leaves;

static void compound_case(const char *what, int number)
{
    dice d = dice_for(6, 1, (uint64_t)number);
    zoo_torus(&mesh_a, 6, 10, 0.5, 0.2);
    zoo_make(&mesh_b, ZOO_SOUP, 8, &d);
    tact_vec3 corners[12];
    for (int i = 0; i < 12; i++)
        corners[i] = vec_make(dice_between(&d, -0.4, 0.4), dice_between(&d, -0.4, 0.4), dice_between(&d, -0.4, 0.4));
    tact_shape *basic[6] = {tact_box(0.3, 0.2, 0.5),        tact_hull(corners, 12),  zoo_shape(&mesh_a, true, 0.0),
                            zoo_shape(&mesh_b, false, 0.0), tact_cylinder(0.1, 0.6), tact_sphere(0.2)};
    static flat_list list_a, list_b;
    tact_shape *a = random_compound(&d, 3, basic, 6, &list_a), *b = random_compound(&d, 2, basic, 6, &list_b);
    const tact_transform transform_a = zoo_placement(&d, 1.0),
                         transform_b = zoo_placement(&d, dice_pick(&d, 3) != 0 ? 0.0 : 4.0);
    double least = INFINITY;
    for (int i = 0; i < list_a.count; i++) {
        for (int j = 0; j < list_b.count; j++) {
            tact_distance t = tact_shapes_distance(list_a.shape[i], tact_transform_compose(transform_a, list_a.at[i]),
                                                   list_b.shape[j], tact_transform_compose(transform_b, list_b.at[j]));
            assert_int_equal(t.status, TACT_OK);
            least = fmin(least, t.distance);
        }
    }
    tact_distance t = tact_shapes_distance(a, transform_a, b, transform_b),
                  u = tact_shapes_distance(b, transform_b, a, transform_a);
    double slack = 1e-9 * least + 1e-12;
    CHECK(t.status == TACT_OK && fabs(t.distance - least) <= slack, "%.17g, should be %.17g", t.distance, least);
    CHECK(t.distance == u.distance && same_point(t.on_a, u.on_b) && same_point(t.on_b, u.on_a) &&
              same_part(t.part_a, u.part_b) && same_part(t.part_b, u.part_a),
          "swapped");
    if (least > 1e-11 || least == 0.0)
        CHECK(touch(a, transform_a, b, transform_b) == (least == 0.0), "touch, distance %g", least);
    /* the leaves that are named */
    CHECK(t.part_a.leaf < (uint32_t)list_a.count && t.part_b.leaf < (uint32_t)list_b.count, "leaves");
    tact_distance v = tact_shapes_distance(
        list_a.shape[t.part_a.leaf], tact_transform_compose(transform_a, list_a.at[t.part_a.leaf]),
        list_b.shape[t.part_b.leaf], tact_transform_compose(transform_b, list_b.at[t.part_b.leaf]));
    CHECK(fabs(v.distance - least) <= slack, "leaves that are named: %g, not %g", v.distance, least);
    /* the bounds hold what the leaves' bounds hold; a margin makes it nearer by as much */
    if (least > 0.0) {
        tact_shape *rounded = tact_rounded(a, 0.25 * least);
        tact_distance w = tact_shapes_distance(rounded, transform_a, b, transform_b);
        CHECK(w.status == TACT_OK && fabs(w.distance - 0.75 * least) <= slack, "rounded: %g, not %g", w.distance,
              0.75 * least);
        tact_overlap yes = tact_shapes_within(rounded, transform_a, b, transform_b, 0.76 * least + slack, NULL),
                     no = tact_shapes_within(rounded, transform_a, b, transform_b, fmax(0.74 * least - slack, 0.0),
                                             NULL);
        CHECK(yes.state == TACT_HIT && (no.state == TACT_MISS || least < 1e-9), "within");
        tact_shape_release(rounded);
    }
    deep_leaves += list_a.count > 6;
    ++*(least > 0.0 ? &compound_misses : &compound_hits);
    tact_shape_release(a);
    tact_shape_release(b);
    for (int i = 0; i < 6; i++)
        tact_shape_release(basic[i]);
}

static void compounds_are_as_the_list_of_their_leaves(void **state)
{
    (void)state;
    const int count = cases(200);
    run_cases("compound", count, compound_case);
    print_message("%d touch, %d do not, %d have many leaves\n", compound_hits, compound_misses, deep_leaves);
    if (getenv("TACT_TEST_SEED") == NULL)
        assert_true(compound_hits > count / 8 && compound_misses > count / 8 && deep_leaves > count / 8);
}

/* The margin of a convex part is geometry, stretched with the whole: as that of a placed shape. */
static void margin_case(const char *what, int number)
{
    dice d = dice_for(20, 1, (uint64_t)number);
    tact_shape *block = tact_box(0.5, 0.3, 0.8), *part = tact_rounded(block, 0.2), *ball = tact_sphere(0.1);
    const tact_transform place = zoo_placement(&d, 0.5), at = zoo_placement(&d, 1.0), at_ball = zoo_placement(&d, 3.0);
    const tact_shape *parts[1] = {part};
    tact_shape *whole = tact_compound(parts, &place, 1), *placed = tact_transformed(part, place);
    tact_distance t = tact_shapes_distance(whole, at, ball, at_ball),
                  right = tact_shapes_distance(placed, at, ball, at_ball);
    CHECK(t.status == TACT_OK && fabs(t.distance - right.distance) <= 1e-9, "%g, should be %g", t.distance,
          right.distance);
    tact_closest c = tact_shape_closest(whole, at, at_ball.origin),
                 near = tact_shape_closest(placed, at, at_ball.origin);
    CHECK(c.status == TACT_OK && fabs(c.distance - near.distance) <= 1e-9, "%g, should be %g", c.distance,
          near.distance);
    tact_shape *const all[5] = {block, part, ball, whole, placed};
    for (int i = 0; i < 5; i++)
        tact_shape_release(all[i]);
}

static void margins_of_convex_parts_are_geometry(void **state)
{
    (void)state;
    run_cases("margin", cases(200), margin_case);
}

/* 2^30 leaves, each level twice the one below: nothing may take time in proportion. */
static tact_shape *doubled(tact_shape *basic, int levels)
{
    for (int i = 0; i < levels; i++) {
        const tact_shape *parts[2] = {basic, basic};
        const tact_transform places[2] = {tact_identity(), tact_at(ldexp(4.0, i), 0.0, 0.0)};
        tact_shape *next = tact_compound(parts, places, 2);
        assert_non_null(next);
        tact_shape_release(basic);
        basic = next;
    }
    return basic;
}

static void shared_parts_cost_nothing(void **state)
{
    (void)state;
    zoo_cube(&mesh_a, 1.0);
    tact_shape *a = doubled(zoo_shape(&mesh_a, true, 0.0), 30), *b = doubled(zoo_shape(&mesh_a, true, 0.0), 30),
               *ball = tact_sphere(0.5);
    tact_distance t = tact_shapes_distance(a, tact_identity(), ball, tact_at(4.0 * 1234567.0 + 2.0, 0.0, 3.0));
    assert_true(fabs(t.distance - (sqrt(1.0 + 4.0) - 0.5)) < 1e-8);
    assert_true(t.part_a.leaf == 1234567 || t.part_a.leaf == 1234568);
    assert_true(touch(a, tact_identity(), ball, tact_at(4.0 * 7654321.0, 0.0, 0.0)));
    assert_true(touch(a, tact_identity(), b, tact_at(2.0, 0.0, 0.0)));
    assert_false(touch(a, tact_identity(), b, tact_at(0.0, 0.0, 3.0)));
    /* the very same place: nothing tells them apart but every number is looked at */
    assert_true(touch(a, tact_identity(), b, tact_identity()));
    tact_vec3 p;
    assert_int_equal(tact_shape_support(a, tact_identity(), vec_make(1.0, 0.1, 0.0), &p), TACT_OK);
    assert_true(p.x == 4.0 * (ldexp(1.0, 30) - 1.0) + 1.0 && p.y == 1.0);
    tact_ray_hit hit =
        tact_shape_ray(a, tact_identity(), vec_make(4.0 * 1000.0 + 0.5, 0.25, 9.0), vec_make(0.0, 0.0, -2.0), INFINITY);
    assert_true(hit.state == TACT_HIT && hit.t == 4.0 && hit.part.leaf == 1000);
    tact_closest near = tact_shape_closest(a, tact_identity(), vec_make(4.0 * 1000.0 + 0.5, 0.25, 9.0));
    assert_true(near.status == TACT_OK && fabs(near.distance - 8.0) < 1e-8 && near.part.leaf == 1000);
    tact_shape_release(a);
    tact_shape_release(b);
    tact_shape_release(ball);
}

/* ---- odd input --------------------------------------------------------------------------------------------------- */

static void empty_meshes_touch_nothing(void **state)
{
    (void)state;
    zoo_cube(&mesh_a, 1.0);
    tact_shape *empty = tact_mesh(NULL, 0, NULL, 0), *cube = zoo_shape(&mesh_a, true, 0.0), *ball = tact_sphere(1.0);
    const tact_shape *parts[2] = {empty, empty};
    tact_shape *hollow = tact_compound(parts, NULL, 2), *none = tact_compound(NULL, NULL, 0);
    const tact_shape *mixed_parts[2] = {empty, ball};
    tact_shape *mixed = tact_compound(mixed_parts, NULL, 2);
    tact_shape *const nothing[3] = {empty, hollow, none}, *const something[5] = {cube, ball, empty, hollow, mixed};
    for (int i = 0; i < 3; i++) {
        assert_non_null(nothing[i]);
        for (int j = 0; j < 5; j++) {
            assert_false(touch(nothing[i], tact_identity(), something[j], tact_identity()));
            assert_int_equal(
                tact_shapes_within(nothing[i], tact_identity(), something[j], tact_identity(), 10.0, NULL).state,
                TACT_MISS);
            assert_int_equal(tact_shapes_distance(nothing[i], tact_identity(), something[j], tact_identity()).status,
                             TACT_BAD_ARGUMENT);
            assert_int_equal(
                tact_shapes_common_point(something[j], tact_identity(), nothing[i], tact_identity(), NULL).state,
                TACT_MISS);
        }
        tact_bounds bounds;
        tact_vec3 p;
        assert_int_equal(tact_shape_bounds(nothing[i], tact_identity(), &bounds), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shape_support(nothing[i], tact_identity(), vec_make(1, 0, 0), &p), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shape_closest(nothing[i], tact_identity(), vec_make(1, 0, 0)).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shape_contains(nothing[i], tact_identity(), vec_make(0, 0, 0)).state, TACT_MISS);
        tact_ray_hit hit = tact_shape_ray(nothing[i], tact_identity(), vec_make(9, 0, 0), vec_make(-1, 0, 0), INFINITY);
        assert_true(hit.status == TACT_OK && hit.state == TACT_MISS);
    }
    tact_distance t = tact_shapes_distance(mixed, tact_identity(), cube, tact_at(5.0, 0.0, 0.0));
    assert_true(t.status == TACT_OK && fabs(t.distance - 3.0) < 1e-9 && t.part_a.leaf == 1);
    tact_shape *const all[6] = {empty, cube, ball, hollow, none, mixed};
    for (int i = 0; i < 6; i++)
        tact_shape_release(all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soups_are_as_their_pieces),
        cmocka_unit_test(compounds_are_as_the_list_of_their_leaves),
        cmocka_unit_test(margins_of_convex_parts_are_geometry),
        cmocka_unit_test(shared_parts_cost_nothing),
        cmocka_unit_test(empty_meshes_touch_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
