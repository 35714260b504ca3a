/*
 * Two shapes of which at least one is not convex, against brute force over all pairs of elements: the exact predicate on
 * the placed vertices for yes or no, long double for distances.
 *
 * A failure prints the number of its case: TACT_TEST_SEED=n runs that case alone, and TACT_TEST_LONG=1 runs 10,000
 * placements in place of a few hundred.
 */
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

#include "math/vec.h"
#include "narrow/parity.h"
#include "narrow/triangle.h"
#include "oracle/zoo.h"
#include "shape/mesh.h"

static zoo_mesh mesh_a, mesh_b, mesh_c;

/* Runs cases 0 to count - 1, or the one that TACT_TEST_SEED names. */
static void run_cases(const char *what, int count, void (*run)(const char *what, int number))
{
    const char *one = getenv("TACT_TEST_SEED");
    if (one != NULL) {
        run(what, atoi(one));
        return;
    }
    for (int i = 0; i < count; i++)
        run(what, i);
}

static int cases(int few) { return getenv("TACT_TEST_LONG") != NULL ? 10000 : few; }

#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_message("%s: TACT_TEST_SEED=%d: %s:", what, number, #condition);                                     \
            print_message(" " __VA_ARGS__);                                                                            \
            print_message("\n");                                                                                       \
            fail();                                                                                                    \
        }                                                                                                              \
    } while (0)

/* ---- touching ----------------------------------------------------------------------------------------------------- */

typedef struct pair_set {
    uint64_t sum; /* of a hash of each pair: order does not matter */
    size_t count;
    const zoo_mesh *a, *b;
    tact_placement at_a, at_b;
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
    zoo_placed(s->a, &s->at_a, i, p);
    zoo_placed(s->b, &s->at_b, j, q);
    if (tact_triangles_meet(p, q))
        note_pair(s, i, j);
    return true;
}

static void all_pairs(pair_set *s)
{
    for (uint32_t i = 0; i < s->a->triangle_count; i++)
        for (uint32_t j = 0; j < s->b->triangle_count; j++)
            (void)meet(s, i, j);
}

/* The same by a tree, of one of two kinds, with one of two tests of boxes. */
static void tree_pairs(pair_set *s, aabb_split split, box_axes axes)
{
    static box boxes[2][ZOO_MOST];
    const zoo_mesh *m[2] = {s->a, s->b};
    aabb_tree tree[2];
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < m[k]->triangle_count; i++) {
            tact_vec3 p[3];
            const tact_placement here = tact_identity();
            zoo_placed(m[k], &here, i, p);
            boxes[k][i] = tact_box_of_points(p, 3);
        }
        aabb_tree_def def = aabb_tree_def_default();
        def.split = split;
        assert_int_equal(tact_aabb_tree_build(&tree[k], boxes[k], m[k]->triangle_count, &def), TACT_OK);
    }
    assert_true(tact_aabb_tree_pairs(&tree[0], &s->at_a, &tree[1], &s->at_b, axes, TREE_ANY_ORDER, meet, s));
    tact_aabb_tree_release(&tree[0]);
    tact_aabb_tree_release(&tree[1]);
}

static bool touch(const tact_shape *a, tact_placement at_a, const tact_shape *b, tact_placement at_b)
{
    tact_verdict v = tact_shapes_touch(a, at_a, b, at_b, NULL);
    assert_int_equal(v.status, TACT_OK);
    tact_verdict w = tact_shapes_touch(b, at_b, a, at_a, NULL);
    assert_true(w.status == v.status && w.state == v.state);
    return v.state == TACT_HIT;
}

static bool same_point(tact_vec3 a, tact_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool same_part(tact_part a, tact_part b) { return a.leaf == b.leaf && a.face == b.face; }

static double size_of(const tact_shape *shape, tact_placement at)
{
    tact_bounds b;
    assert_int_equal(tact_shape_bounds(shape, at, &b), TACT_OK);
    return fmax(vec_largest(b.min), vec_largest(b.max));
}

/* A common point is in both, in the faces that are named. */
static void check_common(const char *what, int number, const pair_set *s, const tact_shape *a, const tact_shape *b,
                         bool hit)
{
    tact_common c = tact_shapes_common_point(a, s->at_a, b, s->at_b, NULL);
    tact_common d = tact_shapes_common_point(b, s->at_b, a, s->at_a, NULL);
    CHECK(c.status == TACT_OK && (c.state == TACT_HIT) == hit, "status %d state %d", (int)c.status, (int)c.state);
    CHECK(d.state == c.state && same_point(c.point, d.point) && same_part(c.part_a, d.part_b) &&
              same_part(c.part_b, d.part_a),
          "swapped");
    if (!hit)
        return;
    tact_vec3 p[3], q[3];
    zoo_placed(s->a, &s->at_a, c.part_a.face, p);
    zoo_placed(s->b, &s->at_b, c.part_b.face, q);
    long double off = fmaxl(zoo_point_gap(p, c.point), zoo_point_gap(q, c.point));
    double size = fmax(size_of(a, s->at_a), size_of(b, s->at_b));
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
    pair_set brute = {.a = &mesh_a, .b = &mesh_b, .at_a = zoo_placement(&d, 0.5), .at_b = zoo_placement(&d, 1.5)};
    if (dice_pick(&d, 4) == 0) { /* far from the origin: placed vertices on a coarse grid */
        double far = ldexp(1.0, dice_pick(&d, 40));
        brute.at_a.origin.x += far;
        brute.at_b.origin.x += far;
    }
    all_pairs(&brute);
    const pair_set fresh = {.a = &mesh_a, .b = &mesh_b, .at_a = brute.at_a, .at_b = brute.at_b};
    const aabb_split splits[2] = {AABB_SPLIT_AREA, AABB_SPLIT_MIDDLE};
    const box_axes axes[2] = {BOX_ALL_AXES, BOX_FACES};
    for (int i = 0; i < 4; i++) {
        pair_set found = fresh;
        tree_pairs(&found, splits[i / 2], axes[i % 2]);
        CHECK(found.count == brute.count && found.sum == brute.sum, "%zu pairs, should be %zu (tree %d)", found.count,
              brute.count, i);
    }
    CHECK(touch(a, brute.at_a, b, brute.at_b) == (brute.count > 0), "brute force: %zu pairs", brute.count);
    check_common(what, number, &brute, a, b, brute.count > 0);
    ++(brute.count > 0 ? touching : apart)[kind_a][kind_b];
    tact_shape_release(a);
    tact_shape_release(b);
}

static void touching_is_what_brute_force_says(void **state)
{
    (void)state;
    const int count = cases(400);
    run_cases("touch", count, touch_case);
    if (getenv("TACT_TEST_SEED") != NULL)
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

/* ---- distance ----------------------------------------------------------------------------------------------------- */

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
    tact_placement at_a = zoo_placement(&d, 0.5), at_b = zoo_placement(&d, dice_pick(&d, 2) == 0 ? 0.75 : 3.0);
    if (dice_pick(&d, 2) == 0) { /* brought nearer, to where it is hard to tell */
        tact_distance before = tact_shapes_distance(a, at_a, b, at_b);
        tact_vec3 step = vec_scale(before.normal, before.distance * dice_power(&d, -18.0, 0.0) - before.distance);
        at_b = tact_placement_translate(at_b, step);
    }
    long double least = INFINITY;
    for (uint32_t i = 0; i < mesh_a.triangle_count; i++) {
        for (uint32_t j = 0; j < mesh_b.triangle_count; j++) {
            tact_vec3 p[3], q[3];
            zoo_placed(&mesh_a, &at_a, i, p);
            zoo_placed(&mesh_b, &at_b, j, q);
            least = fminl(least, zoo_gap(p, q));
        }
    }
    least = fmaxl(least - (margin_a + margin_b), 0.0L);
    double size = fmax(size_of(a, at_a), size_of(b, at_b));
    long double slack = 1e-10L * least + 32.0L * 0x1p-53L * size;
    tact_distance t = tact_shapes_distance(a, at_a, b, at_b);
    CHECK(t.status == TACT_OK, "status %d", (int)t.status);
    CHECK(fabsl(t.distance - least) <= slack, "%.17g, should be %.17Lg", t.distance, least);
    if (margin_a + margin_b == 0.0)
        CHECK((t.distance == 0.0) == (least == 0.0L), "%g, brute force %Lg", t.distance, least);
    /* the points: on the faces that are named, as far apart as they should be, along the normal */
    tact_vec3 p[3], q[3], gap = vec_sub(t.on_b, t.on_a);
    zoo_placed(&mesh_a, &at_a, t.part_a.face, p);
    zoo_placed(&mesh_b, &at_b, t.part_b.face, q);
    CHECK(fabsl(zoo_point_gap(p, t.on_a) - (t.distance > 0.0 ? margin_a : 0.0L)) <= slack + (t.distance > 0.0 ? 0.0 : margin_a), "on_a");
    CHECK(fabsl(zoo_point_gap(q, t.on_b) - (t.distance > 0.0 ? margin_b : 0.0L)) <= slack + (t.distance > 0.0 ? 0.0 : margin_b), "on_b");
    CHECK(fabs(vec_size(gap) - t.distance) <= 2e-10 * t.distance + 64.0 * DBL_EPSILON * size, "points %g apart", vec_size(gap));
    CHECK(fabs(vec_size(t.normal) - (t.distance > 0.0 ? 1.0 : 0.0)) < 1e-12, "normal of length %g", vec_size(t.normal));
    if (t.distance > 1e-6)
        CHECK(vec_dot(gap, t.normal) >= t.distance * (1.0 - 1e-9), "normal");
    tact_distance u = tact_shapes_distance(b, at_b, a, at_a);
    CHECK(u.distance == t.distance && same_point(u.on_a, t.on_b) && same_point(u.on_b, t.on_a) &&
              same_point(u.normal, vec_negate(t.normal)) && same_part(u.part_a, t.part_b) && same_part(u.part_b, t.part_a),
          "swapped");
    /* within */
    const double asked[4] = {0.0, (double)least * 0.99 - (double)slack, (double)least * 1.01 + (double)slack, 100.0};
    for (int i = 0; i < 4; i++) {
        tact_verdict v = tact_shapes_within(a, at_a, b, at_b, fmax(asked[i], 0.0), NULL);
        bool hit = fmax(asked[i], 0.0) >= (double)least;
        if (i > 1 || margin_a + margin_b == 0.0 || least > slack)
            CHECK(v.status == TACT_OK && (v.state == TACT_HIT) == hit, "%d: within %g of %Lg: %d margins %g %g slack %Lg", i, asked[i], least, (int)v.state, margin_a, margin_b, slack);
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
    const int count = cases(300);
    run_cases("distance", count, distance_case);
    print_message("%d overlap, %d are near, %d clear\n", overlapping, near_zero, clear);
    if (getenv("TACT_TEST_SEED") == NULL)
        assert_true(overlapping > count / 8 && near_zero > count / 100 && clear > count / 4);
}

/* ---- a mesh and a convex shape ------------------------------------------------------------------------------------- */

static int ball_hits, ball_misses;

static void ball_case(const char *what, int number)
{
    dice d = dice_for(3, 1, (uint64_t)number);
    zoo_make(&mesh_a, (zoo_kind)(number % ZOO_KINDS), 10 + dice_pick(&d, 60), &d);
    double margin = dice_pick(&d, 3) == 0 ? dice_power(&d, -3.0, -1.0) : 0.0, radius = dice_power(&d, -2.0, 0.0), least = INFINITY;
    double height = dice_pick(&d, 2) == 0 ? 0.0 : dice_power(&d, -1.0, 0.5);
    tact_shape *a = zoo_shape(&mesh_a, false, margin), *b = height > 0.0 ? tact_capsule(radius, height) : tact_sphere(radius);
    const tact_placement at_a = zoo_placement(&d, 0.5);
    const tact_quat turn = {dice_normal(&d), dice_normal(&d), dice_normal(&d), dice_normal(&d)};
    const tact_vec3 to = {dice_between(&d, -1, 1), dice_between(&d, -1, 1), dice_between(&d, -1, 1)}, one = {1, 1, 1};
    const tact_placement at_b = tact_place(to, turn, one);
    tact_vec3 end[2] = {tact_placement_point(at_b, vec_make(0, -height / 2, 0)), tact_placement_point(at_b, vec_make(0, height / 2, 0))};
    for (uint32_t i = 0; i < mesh_a.triangle_count; i++) {
        tact_vec3 p[3];
        zoo_placed(&mesh_a, &at_a, i, p);
        least = fmin(least, (double)zoo_segment_gap(p, end[0], end[1]));
    }
    least = fmax(least - (margin + radius), 0.0);
    double size = fmax(size_of(a, at_a), size_of(b, at_b)), slack = 1e-10 * least + 64.0 * DBL_EPSILON * size;
    for (int turned = 0; turned < 2; turned++) {
        tact_distance t = turned ? tact_shapes_distance(b, at_b, a, at_a) : tact_shapes_distance(a, at_a, b, at_b);
        CHECK(t.status == TACT_OK && fabs(t.distance - least) <= slack, "%.17g, should be %.17g", t.distance, least);
        if (least > slack || least == 0.0) {
            tact_common c = turned ? tact_shapes_common_point(b, at_b, a, at_a, NULL) : tact_shapes_common_point(a, at_a, b, at_b, NULL);
            CHECK((c.state == TACT_HIT) == (t.distance == 0.0), "common point");
            if (c.state == TACT_HIT) {
                tact_vec3 p[3];
                zoo_placed(&mesh_a, &at_a, (turned ? c.part_b : c.part_a).face, p);
                const tact_vec3 core[3] = {end[0], end[1], end[1]};
                CHECK((double)zoo_point_gap(p, c.point) <= margin + 1e-9 && (double)zoo_point_gap(core, c.point) <= radius + 1e-9,
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
    const int count = cases(400);
    run_cases("ball", count, ball_case);
    print_message("%d touch, %d do not\n", ball_hits, ball_misses);
    if (getenv("TACT_TEST_SEED") == NULL)
        assert_true(ball_hits > count / 8 && ball_misses > count / 8);
}

/* ---- inside ------------------------------------------------------------------------------------------------------- */

static bool surfaces_meet(const tact_placement *at_a, const tact_placement *at_b)
{
    pair_set s = {.a = &mesh_a, .b = &mesh_b, .at_a = *at_a, .at_b = *at_b};
    all_pairs(&s);
    return s.count > 0;
}

static tact_vec3 *placed_vertices(const zoo_mesh *m, const tact_placement *at)
{
    static tact_vec3 all[ZOO_MOST];
    for (uint32_t i = 0; i < m->vertex_count; i++)
        all[i] = vec_add(vec_map(at, m->vertices[i]), at->origin);
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
    tact_placement at_a = zoo_placement(&d, 1.0), at_b = zoo_placement(&d, 0.0);
    const tact_vec3 small = {0.07, 0.07, 0.07};
    double angle = dice_between(&d, 0, 7), out = dice_pick(&d, 3) == 0 ? 0.0 : dice_between(&d, 0.5, 1.5);
    at_b = tact_placement_scale(at_b, small);
    at_b.origin = tact_placement_point(at_a, vec_make(out * cos(angle), out * sin(angle), dice_between(&d, -0.3, 0.3)));
    bool met = surfaces_meet(&at_a, &at_b);
    CHECK(touch(shell, at_a, b, at_b) == met, "shell");
    /* without contact, one placed vertex decides for each connected part */
    const tact_vec3 *ring = placed_vertices(&mesh_a, &at_a);
    bool held = false;
    for (uint32_t i = 0; i < mesh_b.triangle_count; i++) {
        tact_vec3 p[3];
        zoo_placed(&mesh_b, &at_b, i, p);
        held = held || tact_parity_of_mesh(ring, mesh_a.corners, mesh_a.triangle_count, p[0]) != PARITY_OUTSIDE;
    }
    CHECK(touch(solid, at_a, b, at_b) == (met || held), "met %d held %d", met, held);
    tact_distance t = tact_shapes_distance(solid, at_a, b, at_b), u = tact_shapes_distance(b, at_b, solid, at_a);
    CHECK((t.distance == 0.0) == (met || held), "distance %g", t.distance);
    CHECK(t.distance == u.distance && same_point(t.on_a, u.on_b) && same_part(t.part_a, u.part_b), "swapped");
    tact_common c = tact_shapes_common_point(b, at_b, solid, at_a, NULL);
    CHECK((c.state == TACT_HIT) == (met || held), "common point");
    if (held && !met) {
        CHECK(tact_parity_of_mesh(ring, mesh_a.corners, mesh_a.triangle_count, c.point) != PARITY_OUTSIDE, "common point");
        tact_vec3 p[3];
        zoo_placed(&mesh_b, &at_b, c.part_a.face, p);
        if (tact_shapes_touch(b, at_b, shell, at_a, NULL).state == TACT_MISS && b != NULL)
            CHECK(zoo_point_gap(p, c.point) <= 1e-12L, "common point on the face that is named");
    }
    /* a ball wholly inside */
    tact_placement at_ball = tact_at(at_b.origin.x, at_b.origin.y, at_b.origin.z);
    bool ball_met = touch(shell, at_a, ball, at_ball);
    bool ball_held = tact_parity_of_mesh(ring, mesh_a.corners, mesh_a.triangle_count, at_b.origin) != PARITY_OUTSIDE;
    CHECK(touch(solid, at_a, ball, at_ball) == (ball_met || ball_held), "ball");
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
    if (getenv("TACT_TEST_SEED") == NULL)
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
        zoo_triangle(&mesh_b, mesh_b.corners[3 * i] + first, mesh_b.corners[3 * i + 1] + first, mesh_b.corners[3 * i + 2] + first);
    for (int split = 0; split < 2; split++) {
        zoo_split(&mesh_b, &mesh_c);
        tact_shape *solid = zoo_shape(&mesh_a, true, 0.0), *two = zoo_shape(split ? &mesh_c : &mesh_b, false, 0.0);
        assert_int_equal(two->mesh->component_count, 2);
        assert_true(touch(solid, tact_identity(), two, tact_identity()));
        assert_true(touch(solid, tact_identity(), two, tact_at(-10.0, 0.0, 0.0)));
        tact_common c = tact_shapes_common_point(solid, tact_identity(), two, tact_at(-10.0, 0.0, 0.0), NULL);
        assert_true(c.state == TACT_HIT && c.part_b.face >= triangles && vec_largest(c.point) < 2.0);
        assert_false(touch(solid, tact_identity(), two, tact_at(-5.0, 0.0, 0.0)));
        tact_shape_release(solid);
        tact_shape_release(two);
    }
}

/* ---- soups -------------------------------------------------------------------------------------------------------- */

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
            points[count] = vec_make(x + 0.3 * dice_between(&d, -1, 1), y + 0.3 * dice_between(&d, -1, 1), z + 0.3 * dice_between(&d, -1, 1));
            corners[count] = (uint32_t)count;
        }
        piece[i] = tact_hull(points + first, sizes[i]);
    }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){points, count, 0, TACT_DOUBLES};
    def.corners = corners;
    def.corner_count = count;
    def.sizes = sizes;
    def.size_count = PIECES;
    def.margin = margin;
    tact_shape *soup = tact_soup_create(&def, NULL), *other = number % 2 ? tact_box(0.5, 0.3, 0.8) : NULL;
    assert_non_null(soup);
    if (other == NULL) {
        zoo_torus(&mesh_a, 8, 16, 0.6, 0.2);
        other = zoo_shape(&mesh_a, true, 0.0);
    }
    const tact_placement at = zoo_placement(&d, 0.5), at_other = zoo_placement(&d, 1.0);
    double least = INFINITY;
    for (int i = 0; i < PIECES; i++) {
        tact_shape *rounded = tact_rounded(piece[i], margin);
        tact_distance t = tact_shapes_distance(rounded, at, other, at_other);
        assert_int_equal(t.status, TACT_OK);
        least = fmin(least, t.distance);
        tact_shape_release(rounded);
    }
    tact_distance t = tact_shapes_distance(soup, at, other, at_other), u = tact_shapes_distance(other, at_other, soup, at);
    CHECK(fabs(t.distance - least) <= 1e-9 * least + 1e-13, "%.17g, should be %.17g", t.distance, least);
    CHECK(t.distance == u.distance && same_point(t.on_a, u.on_b) && same_part(t.part_a, u.part_b), "swapped");
    if (least > 1e-12 || least == 0.0)
        CHECK(touch(soup, at, other, at_other) == (least == 0.0), "touch, distance %g", least);
    tact_shape *named = tact_rounded(piece[t.part_a.face], margin);
    CHECK(fabs(tact_shapes_distance(named, at, other, at_other).distance - least) <= 1e-9 * least + 1e-13, "the piece that is named");
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

/* ---- compounds ----------------------------------------------------------------------------------------------------- */

enum { MOST_LEAVES = 256 };

typedef struct flat_list {
    int count;
    const tact_shape *shape[MOST_LEAVES];
    tact_placement at[MOST_LEAVES];
} flat_list;

/* A compound of compounds to a depth, sharing what it can, and the list of its leaves in order. */
static tact_shape *random_compound(dice *d, int depth, tact_shape *const *basic, int basics, flat_list *leaves)
{
    const tact_shape *parts[4];
    tact_placement places[4];
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
            leaves->at[leaves->count++] = tact_placement_compose(places[i], below[i].at[k]);
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
    tact_shape *basic[6] = {tact_box(0.3, 0.2, 0.5),           tact_hull(corners, 12),           zoo_shape(&mesh_a, true, 0.0),
                            zoo_shape(&mesh_b, false, 0.0),    tact_cylinder(0.1, 0.6), tact_sphere(0.2)};
    static flat_list list_a, list_b;
    tact_shape *a = random_compound(&d, 3, basic, 6, &list_a), *b = random_compound(&d, 2, basic, 6, &list_b);
    const tact_placement at_a = zoo_placement(&d, 1.0), at_b = zoo_placement(&d, dice_pick(&d, 3) != 0 ? 0.0 : 4.0);
    double least = INFINITY;
    for (int i = 0; i < list_a.count; i++) {
        for (int j = 0; j < list_b.count; j++) {
            tact_distance t = tact_shapes_distance(list_a.shape[i], tact_placement_compose(at_a, list_a.at[i]), list_b.shape[j],
                                                   tact_placement_compose(at_b, list_b.at[j]));
            assert_int_equal(t.status, TACT_OK);
            least = fmin(least, t.distance);
        }
    }
    tact_distance t = tact_shapes_distance(a, at_a, b, at_b), u = tact_shapes_distance(b, at_b, a, at_a);
    double slack = 1e-9 * least + 1e-12;
    CHECK(t.status == TACT_OK && fabs(t.distance - least) <= slack, "%.17g, should be %.17g", t.distance, least);
    CHECK(t.distance == u.distance && same_point(t.on_a, u.on_b) && same_point(t.on_b, u.on_a) && same_part(t.part_a, u.part_b) &&
              same_part(t.part_b, u.part_a),
          "swapped");
    if (least > 1e-11 || least == 0.0)
        CHECK(touch(a, at_a, b, at_b) == (least == 0.0), "touch, distance %g", least);
    /* the leaves that are named */
    CHECK(t.part_a.leaf < (uint32_t)list_a.count && t.part_b.leaf < (uint32_t)list_b.count, "leaves");
    tact_distance v = tact_shapes_distance(list_a.shape[t.part_a.leaf], tact_placement_compose(at_a, list_a.at[t.part_a.leaf]),
                                           list_b.shape[t.part_b.leaf], tact_placement_compose(at_b, list_b.at[t.part_b.leaf]));
    CHECK(fabs(v.distance - least) <= slack, "leaves that are named: %g, not %g", v.distance, least);
    /* the bounds hold what the leaves' bounds hold; a margin makes it nearer by as much */
    if (least > 0.0) {
        tact_shape *rounded = tact_rounded(a, 0.25 * least);
        tact_distance w = tact_shapes_distance(rounded, at_a, b, at_b);
        CHECK(w.status == TACT_OK && fabs(w.distance - 0.75 * least) <= slack, "rounded: %g, not %g", w.distance, 0.75 * least);
        tact_verdict yes = tact_shapes_within(rounded, at_a, b, at_b, 0.76 * least + slack, NULL),
                     no = tact_shapes_within(rounded, at_a, b, at_b, fmax(0.74 * least - slack, 0.0), NULL);
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

/* 2^30 leaves, each level twice the one below: nothing may take time in proportion. */
static tact_shape *doubled(tact_shape *basic, int levels)
{
    for (int i = 0; i < levels; i++) {
        const tact_shape *parts[2] = {basic, basic};
        const tact_placement places[2] = {tact_identity(), tact_at(ldexp(4.0, i), 0.0, 0.0)};
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
    tact_ray_hit hit = tact_shape_ray(a, tact_identity(), vec_make(4.0 * 1000.0 + 0.5, 0.25, 9.0), vec_make(0.0, 0.0, -2.0), INFINITY);
    assert_true(hit.state == TACT_HIT && hit.t == 4.0 && hit.part.leaf == 1000);
    tact_closest near = tact_shape_closest(a, tact_identity(), vec_make(4.0 * 1000.0 + 0.5, 0.25, 9.0));
    assert_true(near.status == TACT_OK && fabs(near.distance - 8.0) < 1e-8 && near.part.leaf == 1000);
    tact_shape_release(a);
    tact_shape_release(b);
    tact_shape_release(ball);
}

/* ---- odd input ----------------------------------------------------------------------------------------------------- */

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
            assert_int_equal(tact_shapes_within(nothing[i], tact_identity(), something[j], tact_identity(), 10.0, NULL).state, TACT_MISS);
            assert_int_equal(tact_shapes_distance(nothing[i], tact_identity(), something[j], tact_identity()).status, TACT_BAD_ARGUMENT);
            assert_int_equal(tact_shapes_common_point(something[j], tact_identity(), nothing[i], tact_identity(), NULL).state, TACT_MISS);
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

static void bad_input_is_refused(void **state)
{
    (void)state;
    zoo_cube(&mesh_a, 1.0);
    tact_shape *cube = zoo_shape(&mesh_a, false, 0.0), *ball = tact_sphere(1.0);
    const tact_placement here = tact_identity(), bad[4] = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
                                                           {{NAN, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}},
                                                           {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {INFINITY, 0, 0}},
                                                           {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1e151, 0, 0}}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(tact_shapes_touch(cube, bad[i], ball, here, NULL).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shapes_touch(ball, bad[i], cube, here, NULL).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shapes_distance(cube, here, cube, bad[i]).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shapes_common_point(cube, bad[i], cube, here, NULL).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shape_ray(cube, bad[i], vec_make(0, 0, 0), vec_make(0, 0, 1), 1.0).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shape_closest(cube, bad[i], vec_make(0, 0, 0)).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shape_contains(cube, bad[i], vec_make(0, 0, 0)).status, TACT_BAD_ARGUMENT);
        tact_vec3 p;
        assert_int_equal(tact_shape_support(cube, bad[i], vec_make(0, 0, 1), &p), TACT_BAD_ARGUMENT);
    }
    assert_int_equal(tact_shapes_touch(cube, here, NULL, here, NULL).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_distance(NULL, here, cube, here).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_within(cube, here, ball, here, -1.0, NULL).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_within(cube, here, ball, here, NAN, NULL).status, TACT_BAD_ARGUMENT);
    tact_distance_def def = tact_distance_def_default();
    def.accuracy = NAN;
    assert_int_equal(tact_shapes_distance_as(cube, here, ball, here, &def).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_ray(cube, here, vec_make(NAN, 0, 0), vec_make(0, 0, 1), 1.0).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_ray(cube, here, vec_make(0, 0, 0), vec_make(0, 0, 0), 1.0).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_closest(cube, here, vec_make(INFINITY, 0, 0)).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_contains(cube, here, vec_make(0, 2e150, 0)).status, TACT_BAD_ARGUMENT);
    /* a rounded mesh inside a compound that is stretched unevenly: its margin is no ball any more */
    tact_shape *rounded = tact_rounded(cube, 0.5);
    const tact_shape *parts[1] = {rounded};
    tact_shape *whole = tact_compound(parts, NULL, 1);
    const tact_placement uneven = tact_placement_scale(here, vec_make(1.0, 2.0, 1.0)), even = tact_placement_scale(here, vec_make(2.0, -2.0, 2.0));
    assert_int_equal(tact_shapes_touch(whole, uneven, ball, tact_at(2.0, 0, 0), NULL).status, TACT_BAD_ARGUMENT);
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
    static tact_verdict single[PAIRS], many[PAIRS];
    static tact_distance far[PAIRS], farther[PAIRS];
    dice d = dice_for(7, 1, 0);
    zoo_torus(&mesh_a, 10, 20, 0.7, 0.3);
    tact_shape *torus = zoo_shape(&mesh_a, true, 0.0), *ball = tact_sphere(0.3);
    for (int i = 0; i < PAIRS; i++) {
        pairs[i] = (tact_pair){torus, i % 2 ? torus : ball, zoo_placement(&d, 1.0), zoo_placement(&d, 1.5)};
        single[i] = tact_shapes_touch(pairs[i].a, pairs[i].at_a, pairs[i].b, pairs[i].at_b, NULL);
        far[i] = tact_shapes_distance(pairs[i].a, pairs[i].at_a, pairs[i].b, pairs[i].at_b);
    }
    for (int threads = 1; threads <= 5; threads++) {
        const tact_parallel parallel = {NULL, NULL, threads};
        memset(many, 0, sizeof many);
        memset(farther, 0, sizeof farther);
        assert_int_equal(tact_touch_batch(pairs, PAIRS, NULL, many, &parallel), TACT_OK);
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
        cmocka_unit_test(distance_is_that_of_brute_force),
        cmocka_unit_test(balls_and_capsules_against_meshes),
        cmocka_unit_test(what_is_inside_a_solid_touches_it),
        cmocka_unit_test(a_part_inside_is_enough),
        cmocka_unit_test(soups_are_as_their_pieces),
        cmocka_unit_test(compounds_are_as_the_list_of_their_leaves),
        cmocka_unit_test(shared_parts_cost_nothing),
        cmocka_unit_test(empty_meshes_touch_nothing),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(batches_give_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
