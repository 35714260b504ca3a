/*
 * The triangles of two placed meshes that meet: the same set by every tree (of axis-aligned boxes, of oriented ones, of
 * axis-aligned ones with an OBB overlay), with SAT and with SAT lite, in any order of descent, as by brute force over
 * all pairs with the exact predicate on the placed vertices; and the public answers the same on any number of threads.
 *
 * Meshes: two tori, a teapot (a body, a spout and a handle that go into each other), and the zoo: soups, slivers,
 * duplicates, coplanar stacks, triangles on a coarse grid. Placements: rigid, mirrored, stretched, sheared, snapped,
 * far away. TACT_TEST_SEED=n runs case n alone, TACT_TEST_LONG=1 more than 10,000 placements.
 */
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

#include "exact/triangle.h"
#include "math/vec.h"
#include "obb_tree.h"
#include "oracle/overlay_check.h"
#include "oracle/zoo.h"
#include "shape/mesh.h"
#include "support/long_form.h"

static bool long_run(void) { return getenv("TACT_TEST_LONG") != NULL; }

/* ---- meshes ------------------------------------------------------------------------------------------------------ */

/* A tube around points of a curve: with rings of `along` corners, closed at no end. */
static void add_tube(zoo_mesh *m, const tact_vec3 *centre, const double *radius, int rings, int along)
{
    const uint32_t first = m->vertex_count;
    for (int i = 0; i < rings; i++) {
        const tact_vec3 ahead = vec_sub(centre[i + 1 < rings ? i + 1 : i], centre[i > 0 ? i - 1 : 0]);
        tact_vec3 e, f;
        vec_tangent_basis(vec_normalize(ahead), &e, &f);
        for (int k = 0; k < along; k++) {
            const double angle = 6.283185307179586 * k / along;
            const tact_vec3 p =
                vec_mul_add(vec_mul_add(centre[i], radius[i] * cos(angle), e), radius[i] * sin(angle), f);
            (void)zoo_vertex(m, p.x, p.y, p.z);
        }
    }
    for (int i = 0; i + 1 < rings; i++)
        for (int k = 0; k < along; k++) {
            const uint32_t a = first + (uint32_t)(i * along + k), b = first + (uint32_t)(i * along + (k + 1) % along);
            zoo_triangle(m, a, b, b + (uint32_t)along);
            zoo_triangle(m, a, b + (uint32_t)along, a + (uint32_t)along);
        }
}

/* A pot with its spout and handle, of a size of about 1 and some 3 fine^2 triangles. */
static void make_teapot(zoo_mesh *m, int fine)
{
    enum { RINGS = 64 };
    static tact_vec3 centre[RINGS];
    static double radius[RINGS];
    const int rings = fine < RINGS ? fine : RINGS;
    zoo_clear(m);
    for (int i = 0; i < rings; i++) { /* the belly, from the foot to the knob of the lid */
        const double t = i / (rings - 1.0);
        centre[i] = vec_make(0.0, 0.0, -0.45 + 0.9 * t);
        radius[i] = 0.02 + 0.55 * sin(3.0 * t + 0.1) * (t < 0.85 ? 1.0 : 0.5);
    }
    add_tube(m, centre, radius, rings, fine);
    for (int i = 0; i < rings; i++) { /* the spout, out of the belly and up, narrower toward its end */
        const double t = i / (rings - 1.0);
        centre[i] = vec_make(0.35 + 0.6 * t, 0.0, -0.15 + 0.5 * t * t);
        radius[i] = 0.16 - 0.1 * t;
    }
    add_tube(m, centre, radius, rings / 2 + 2, fine / 2 + 3);
    for (int i = 0; i < rings; i++) { /* the handle: an arc on the other side */
        const double t = 3.3 * i / (rings - 1.0) - 1.65;
        centre[i] = vec_make(-0.4 - 0.4 * cos(t), 0.0, 0.3 * sin(t));
        radius[i] = 0.05;
    }
    add_tube(m, centre, radius, rings, fine / 4 + 3);
}

enum { FAT_TORUS, THIN_TORUS, TEAPOT, OTHERS, KINDS = OTHERS + ZOO_KINDS };

static void make_mesh(zoo_mesh *m, int kind, int count, dice *d)
{
    const int fine = (int)sqrt(count / 2.0) + 3;
    if (kind == FAT_TORUS)
        zoo_torus(m, fine, fine, 1.0, 0.4);
    else if (kind == THIN_TORUS)
        zoo_torus(m, 2 * fine, fine / 2 + 2, 1.0, 0.25);
    else if (kind == TEAPOT)
        make_teapot(m, (int)sqrt(count / 3.0) + 4);
    else
        zoo_make(m, (zoo_kind)(kind - OTHERS), count, d);
}

/* ---- sets of pairs ----------------------------------------------------------------------------------------------- */

typedef struct pair_set {
    size_t count;
    uint64_t sum; /* of a hash of each pair: the order does not matter, but each counts once for every time it comes */
    size_t tested;
    const zoo_mesh *a, *b;
    tact_transform transform_a, transform_b;
} pair_set;

static bool test_pair(void *context, uint32_t i, uint32_t j)
{
    pair_set *s = context;
    tact_vec3 p[3], q[3];
    zoo_placed(s->a, &s->transform_a, i, p);
    zoo_placed(s->b, &s->transform_b, j, q);
    s->tested++;
    if (!tact_triangles_intersect(p, q))
        return true;
    uint64_t z = ((uint64_t)i << 32 | j) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9u;
    s->sum += z ^ (z >> 32);
    s->count++;
    return true;
}

static bool away(double a_low, double a_high, double b_low, double b_high) { return a_low > b_high || b_low > a_high; }

/* All pairs, those left out whose placed corners have no coordinate in common: exact, and needs no tree. */
static void brute_force(pair_set *s)
{
    static double low_a[ZOO_MOST][3], high_a[ZOO_MOST][3], low_b[ZOO_MOST][3], high_b[ZOO_MOST][3];
    for (int side = 0; side < 2; side++) {
        const zoo_mesh *m = side == 0 ? s->a : s->b;
        for (uint32_t i = 0; i < m->triangle_count; i++) {
            tact_vec3 p[3];
            zoo_placed(m, side == 0 ? &s->transform_a : &s->transform_b, i, p);
            double *low = side == 0 ? low_a[i] : low_b[i], *high = side == 0 ? high_a[i] : high_b[i];
            for (int c = 0; c < 3; c++) {
                const double x[3] = {c == 0   ? p[0].x
                                     : c == 1 ? p[0].y
                                              : p[0].z,
                                     c == 0   ? p[1].x
                                     : c == 1 ? p[1].y
                                              : p[1].z,
                                     c == 0   ? p[2].x
                                     : c == 1 ? p[2].y
                                              : p[2].z};
                low[c] = fmin(fmin(x[0], x[1]), x[2]);
                high[c] = fmax(fmax(x[0], x[1]), x[2]);
            }
        }
    }
    for (uint32_t i = 0; i < s->a->triangle_count; i++)
        for (uint32_t j = 0; j < s->b->triangle_count; j++)
            if (!away(low_a[i][0], high_a[i][0], low_b[j][0], high_b[j][0]) &&
                !away(low_a[i][1], high_a[i][1], low_b[j][1], high_b[j][1]) &&
                !away(low_a[i][2], high_a[i][2], low_b[j][2], high_b[j][2]))
                (void)test_pair(s, i, j);
}

/* ---- two meshes -------------------------------------------------------------------------------------------------- */

enum { BATCH = 4096 };
static tact_pair batch[BATCH];
static tact_overlap expected[BATCH];
static size_t batched;

static struct {
    size_t placements, touching, pairs, tested_flat, tested_obb, tested_overlay;
    size_t kinds[KINDS][2];
} seen;

/* Every walk; returns false when one differs. */
static bool walks_agree(const tact_shape *a, const tact_shape *b, const obb_tree *oa, const obb_tree *ob,
                        const pair_set *brute, int number)
{
    const mesh *ma = a->mesh, *mb = b->mesh;
    for (int i = 0; i < 12; i++) {
        pair_set found = {
            .a = brute->a, .b = brute->b, .transform_a = brute->transform_a, .transform_b = brute->transform_b};
        const sat_axes axes = i % 2 == 0 ? SAT_FACE_AXES : SAT_ALL_AXES;
        const tree_order order = i / 2 % 2 == 0 ? TREE_ANY_ORDER : TREE_NEAREST_CENTRES_FIRST;
        const overlaid_tree ca = {&ma->tree, &ma->overlay, &found.transform_a},
                            cb = {&mb->tree, &mb->overlay, &found.transform_b};
        const bool done = i / 4 == 0   ? tact_aabb_tree_pairs(&ma->tree, &found.transform_a, &mb->tree,
                                                              &found.transform_b, axes, order, test_pair, &found)
                          : i / 4 == 1 ? tact_obb_tree_pairs(oa, &found.transform_a, ob, &found.transform_b, axes,
                                                             order, test_pair, &found)
                                       : tact_obb_overlay_pairs(&ca, &cb, axes, order, test_pair, &found);
        if (!done || found.count != brute->count || found.sum != brute->sum) {
            print_message("TACT_TEST_SEED=%d: walk %d finds %zu pairs, should be %zu\n", number, i, found.count,
                          brute->count);
            return false;
        }
        *(i / 4 == 0 ? &seen.tested_flat : i / 4 == 1 ? &seen.tested_obb : &seen.tested_overlay) += found.tested;
    }
    return true;
}

/* Answers of earlier cases, whose shapes are given back. */
static void run_batch(void)
{
    static tact_overlap again[BATCH];
    for (int threads = 1; threads <= 5; threads += 2) {
        const tact_parallel parallel = {NULL, NULL, threads};
        memset(again, 0, sizeof again);
        assert_int_equal(tact_overlap_batch(batch, batched, NULL, again, &parallel), TACT_OK);
        for (size_t i = 0; i < batched; i++)
            assert_true(again[i].status == expected[i].status && again[i].state == expected[i].state);
    }
    batched = 0;
}

static void run_case(int number, int count, int placements)
{
    static zoo_mesh mesh_a, mesh_b;
    static const tact_allocator plain = {NULL, NULL};
    dice d = dice_for(11, (uint64_t)count, (uint64_t)number);
    const int kind_a = number % KINDS, kind_b = number / KINDS % KINDS;
    make_mesh(&mesh_a, kind_a, count / 2 + dice_pick(&d, count), &d);
    make_mesh(&mesh_b, kind_b, count / 2 + dice_pick(&d, count), &d);
    tact_shape *a = zoo_shape(&mesh_a, false, 0.0), *b = zoo_shape(&mesh_b, false, 0.0);
    assert_true(a != NULL && b != NULL);
    obb_tree oa, ob;
    const uint32_t(*ta)[3] = (const uint32_t(*)[3])mesh_a.corners, (*tb)[3] = (const uint32_t(*)[3])mesh_b.corners;
    assert_int_equal(tact_obb_tree_build(&oa, mesh_a.vertices, ta, mesh_a.triangle_count, &plain), TACT_OK);
    assert_int_equal(tact_obb_tree_build(&ob, mesh_b.vertices, tb, mesh_b.triangle_count, &plain), TACT_OK);
    tact_report report;
    const char *why = "";
    if (!tact_obb_overlay_check(&a->mesh->overlay, &a->mesh->tree, mesh_a.vertices, ta, &why))
        fail_msg("TACT_TEST_SEED=%d: %s", number, why);
    if (tact_obb_tree_check(&oa, mesh_a.vertices, ta, &report) != TACT_OK)
        fail_msg("TACT_TEST_SEED=%d: %s", number, report.text);
    for (int turn = 0; turn < placements; turn++) {
        pair_set brute = {
            .a = &mesh_a, .b = &mesh_b, .transform_a = zoo_placement(&d, 0.5), .transform_b = zoo_placement(&d, 1.2)};
        if (dice_pick(&d, 4) == 0) { /* far from the origin: placed vertices on a coarse grid */
            const double far = ldexp(1.0, dice_pick(&d, 40));
            brute.transform_a.origin.y += far;
            brute.transform_b.origin.y += far;
        }
        brute_force(&brute);
        if (!walks_agree(a, b, &oa, &ob, &brute, number))
            fail();
        const tact_overlap v = tact_shapes_overlap(a, brute.transform_a, b, brute.transform_b, NULL),
                           w = tact_shapes_overlap(b, brute.transform_b, a, brute.transform_a, NULL);
        if (v.status != TACT_OK || (v.state == TACT_HIT) != (brute.count > 0) || v.state != w.state)
            fail_msg("TACT_TEST_SEED=%d: %zu pairs meet, the answers are %d and %d", number, brute.count, (int)v.state,
                     (int)w.state);
        seen.placements++;
        seen.touching += brute.count > 0;
        seen.pairs += brute.count;
        seen.kinds[kind_a][brute.count > 0]++;
        batch[batched] = (tact_pair){a, b, brute.transform_a, brute.transform_b};
        expected[batched++] = v;
    }
    run_batch();
    tact_obb_tree_release(&oa);
    tact_obb_tree_release(&ob);
    tact_shape_release(a);
    tact_shape_release(b);
}

static void every_tree_finds_what_brute_force_finds(void **state)
{
    (void)state;
    const char *one = getenv("TACT_TEST_SEED");
    const int pairs = KINDS * KINDS, rounds = long_run() ? 10 : 1, placements = long_run() ? 10 : 3;
    for (int i = one != NULL ? atoi(one) : 0; i < (one != NULL ? atoi(one) + 1 : rounds * pairs); i++)
        run_case(i, 120, placements);
    if (one != NULL)
        return;
    for (int i = 0; i < (long_run() ? 27 : 3); i++) /* large ones: the walk goes deep */
        run_case(i % 3 + i / 3 % 3 * KINDS + pairs * i, long_run() ? 3000 : 1200, 2);
    print_message("%zu placements, %zu touch, %zu pairs of triangles; tested a walk by the trees %.0f, oriented %.0f, "
                  "with overlay %.0f\n",
                  seen.placements, seen.touching, seen.pairs, (double)seen.tested_flat / 4.0 / (double)seen.placements,
                  (double)seen.tested_obb / 4.0 / (double)seen.placements,
                  (double)seen.tested_overlay / 4.0 / (double)seen.placements);
    assert_true(seen.placements >= (long_run() ? 10000u : 300u));
    assert_true(seen.touching > seen.placements / 4 && seen.touching < seen.placements * 19 / 20);
    for (int i = 0; i < KINDS; i++)
        assert_true(seen.kinds[i][0] > 0 && seen.kinds[i][1] > 2);
    /* what each walk lets through says that boxes are of use at all */
    assert_true(seen.tested_obb < seen.tested_flat && seen.tested_overlay < seen.tested_flat);
}

/* ---- distances --------------------------------------------------------------------------------------------------- */

enum { GRID = 512 };

typedef struct near_set {
    unsigned char seen[GRID][GRID];
    size_t count;
    double shrink; /* the limit that the visitor answers with */
} near_set;

static double note_near(void *context, uint32_t i, uint32_t j, double limit)
{
    near_set *s = context;
    assert_true(i < GRID && j < GRID);
    s->seen[i][j]++;
    s->count++;
    return fmin(limit, s->shrink);
}

/* Both walks by distance: no pair within the limit is missed, none comes twice, and the closer boxes let through less.
 */
static void pairs_within_a_limit_are_not_missed(void **state)
{
    (void)state;
    static zoo_mesh a, b;
    static near_set flat, oriented;
    size_t near = 0, far = 0, flat_count = 0, oriented_count = 0;
    for (int number = 0; number < (int)random_case_count(50, 3000); number++) {
        dice d = dice_for(14, 0, (uint64_t)number);
        make_mesh(&a, number % KINDS, 100, &d);
        make_mesh(&b, number / KINDS % KINDS, 100, &d);
        tact_shape *sa = zoo_shape(&a, false, 0.0), *sb = zoo_shape(&b, false, 0.0);
        assert_true(sa != NULL && sb != NULL && a.triangle_count <= GRID && b.triangle_count <= GRID);
        /* turned, moved, mirrored, larger or smaller; not stretched */
        tact_transform at[2];
        double factor[2];
        for (int k = 0; k < 2; k++) {
            const tact_quat turn = {dice_normal(&d), dice_normal(&d), dice_normal(&d), dice_normal(&d)};
            factor[k] = dice_pick(&d, 3) == 0 ? dice_power(&d, -2.0, 2.0) : 1.0;
            const double sign = dice_pick(&d, 4) == 0 ? -1.0 : 1.0;
            at[k] =
                tact_transform_make(vec_make(dice_between(&d, -2, 2), dice_between(&d, -2, 2), dice_between(&d, -2, 2)),
                                    turn, vec_make(factor[k], sign * factor[k], factor[k]));
        }
        const double limit = dice_power(&d, -3.0, 0.5);
        tact_vec3 normal = vec_sub(at[1].origin, at[0].origin); /* any direction is right */
        normal = dice_pick(&d, 2) == 0 ? vec_make(0.0, 0.0, 0.0) : vec_normalize(normal);
        const overlaid_tree ca = {&sa->mesh->tree, &sa->mesh->overlay, &at[0]},
                            cb = {&sb->mesh->tree, &sb->mesh->overlay, &at[1]};
        memset(&flat, 0, sizeof flat);
        memset(&oriented, 0, sizeof oriented);
        flat.shrink = oriented.shrink = limit;
        assert_true(tact_aabb_tree_nearest_pairs(ca.tree, ca.transform, cb.tree, cb.transform, limit, note_near,
                                                 &flat) == limit);
        assert_true(tact_obb_overlay_nearest(&ca, factor[0], &cb, factor[1], limit, &normal, note_near, &oriented) ==
                    limit);
        flat_count += flat.count;
        oriented_count += oriented.count;
        for (int k = 0; k < 150; k++) {
            const uint32_t i = (uint32_t)dice_pick(&d, (int)a.triangle_count),
                           j = (uint32_t)dice_pick(&d, (int)b.triangle_count);
            tact_vec3 p[3], q[3];
            zoo_placed(&a, &at[0], i, p);
            zoo_placed(&b, &at[1], j, q);
            const bool within = zoo_gap(p, q) <= (long double)limit;
            if (flat.seen[i][j] > 1 || oriented.seen[i][j] > 1 || (within && !(flat.seen[i][j] && oriented.seen[i][j])))
                fail_msg("case %d, triangles %u and %u, within %g: %d, seen %d and %d times", number, i, j, limit,
                         within, flat.seen[i][j], oriented.seen[i][j]);
            ++*(within ? &near : &far);
        }
        /* a limit that shrinks to nothing ends it, a negative one at once */
        if (oriented.count > 0) {
            oriented.shrink = -1.0;
            oriented.count = 0;
            memset(oriented.seen, 0, sizeof oriented.seen);
            assert_true(tact_obb_overlay_nearest(&ca, factor[0], &cb, factor[1], limit, &normal, note_near, &oriented) <
                        0.0);
            assert_int_equal(oriented.count, 1);
        }
        tact_shape_release(sa);
        tact_shape_release(sb);
    }
    print_message("%zu pairs within the limit, %zu not; visited by AABB trees %zu, with overlay %zu\n", near, far,
                  flat_count, oriented_count);
    assert_true((few_cases() || (near > 200 && far > 1200)) && oriented_count < flat_count);
}

/* ---- OBB overlays ------------------------------------------------------------------------------------------------ */

/* Meshes of a few triangles, where the root of the tree is a leaf node. */
static void small_meshes_have_overlays(void **state)
{
    (void)state;
    static zoo_mesh m;
    for (int count = 0; count <= 12; count++) {
        zoo_clear(&m);
        for (int i = 0; i < count; i++) {
            const uint32_t first = zoo_vertex(&m, i, 0.0, 0.0);
            (void)zoo_vertex(&m, i + 0.5, 0.0, 0.0);
            (void)zoo_vertex(&m, i, 0.5, 0.25 * i);
            zoo_triangle(&m, first, first + 1, first + 2);
        }
        tact_shape *s = tact_mesh(m.vertices, m.vertex_count, m.corners, m.triangle_count);
        assert_non_null(s);
        const mesh *made = s->mesh;
        assert_true((made->overlay.node_count > 0) == (count > 0));
        assert_true(
            tact_obb_overlay_check(&made->overlay, &made->tree, m.vertices, (const uint32_t(*)[3])m.corners, NULL));
        const tact_transform at = tact_identity();
        const overlaid_tree c = {&made->tree, &made->overlay, &at};
        pair_set found = {.a = &m, .b = &m, .transform_a = at, .transform_b = at};
        assert_true(tact_obb_overlay_pairs(&c, &c, SAT_FACE_AXES, TREE_ANY_ORDER, test_pair, &found));
        assert_int_equal(found.count, count); /* each meets itself */
        tact_shape_release(s);
    }
}

/* A box that is too small, a wrong child, a missing node: all are detected. */
static void damaged_overlays_are_detected(void **state)
{
    (void)state;
    static zoo_mesh m;
    dice d = dice_for(12, 0, 0);
    make_mesh(&m, TEAPOT, 300, &d);
    tact_shape *s = zoo_shape(&m, false, 0.0);
    assert_non_null(s);
    const uint32_t(*triangles)[3] = (const uint32_t(*)[3])m.corners;
    obb_overlay *overlay = &s->mesh->overlay;
    const aabb_tree *tree = &s->mesh->tree;
    assert_true(tact_obb_overlay_check(overlay, tree, m.vertices, triangles, NULL));
    for (int i = 0; i < 40; i++) {
        const uint32_t g = (uint32_t)dice_pick(&d, (int)overlay->node_count);
        const obb_overlay_node before = overlay->nodes[g];
        if (i % 2 == 0)
            overlay->nodes[g].bounds.half[i % 3][0] *= 0.5f;
        else
            overlay->nodes[g].child[0] ^= 1;
        assert_false(tact_obb_overlay_check(overlay, tree, m.vertices, triangles, NULL));
        overlay->nodes[g] = before;
    }
    obb_overlay shorter = *overlay, none = *overlay;
    shorter.node_count--;
    none.node_count = 0;
    assert_false(tact_obb_overlay_check(&shorter, tree, m.vertices, triangles, NULL));
    assert_false(tact_obb_overlay_check(&none, tree, m.vertices, triangles, NULL));
    tact_shape_release(s);
}

/* Without an overlay the AABB tree is used: deformable meshes have none. */
static void without_an_overlay_the_aabb_tree_is_used(void **state)
{
    (void)state;
    static zoo_mesh m;
    dice d = dice_for(13, 0, 0);
    make_mesh(&m, FAT_TORUS, 200, &d);
    tact_shape *s = zoo_shape(&m, false, 0.0), *bare = zoo_shape(&m, false, 0.0);
    assert_true(s != NULL && bare != NULL);
    /* a copy with its own vertices, for which the overlay is not valid, does not use it either */
    assert_true(mesh_overlay(bare->mesh) == &bare->mesh->overlay);
    bare->mesh->overlay.points = m.vertices;
    assert_null(mesh_overlay(bare->mesh));
    tact_obb_overlay_release(&bare->mesh->overlay);
    assert_null(mesh_overlay(bare->mesh));
    int touching = 0;
    for (int i = 0; i < 200; i++) {
        const tact_transform p = zoo_placement(&d, 0.5), q = zoo_placement(&d, 2.0);
        const tact_state right = tact_shapes_overlap(s, p, s, q, NULL).state;
        assert_true(tact_shapes_overlap(bare, p, s, q, NULL).state == right);
        assert_true(tact_shapes_overlap(s, p, bare, q, NULL).state == right);
        assert_true(tact_shapes_overlap(bare, p, bare, q, NULL).state == right);
        assert_true(tact_shapes_common_point(bare, p, s, q, NULL).state == right);
        touching += right == TACT_HIT;
    }
    assert_true(touching > 40 && touching < 180);
    tact_shape_release(s);
    tact_shape_release(bare);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tree_finds_what_brute_force_finds),
        cmocka_unit_test(pairs_within_a_limit_are_not_missed),
        cmocka_unit_test(small_meshes_have_overlays),
        cmocka_unit_test(damaged_overlays_are_detected),
        cmocka_unit_test(without_an_overlay_the_aabb_tree_is_used),
    };
    return cmocka_run_group_tests_name("mesh trees", tests, NULL, NULL);
}
