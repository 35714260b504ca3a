/*
 * Cases of meshes and compounds that were once wrong, each in a test of its own: shapes without size on their way,
 * what slides for long and then parts, points of a manifold under a normal that leans from their own, compounds that
 * are equal and share their parts.
 *
 * A failure prints the number of its case; TACT_TEST_SEED=n runs that case alone, TACT_TEST_LONG=1 thirty times as
 * many.
 */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif
#include <tact/tact.h>

#include "oracle/zoo.h"
#include "support/seeded_cases.h"
#include "support/vec.h"

static zoo_mesh drawn_a, drawn_b;

/* ---- without size ------------------------------------------------------------------------------------------------ */

enum { NOT_A_MESH, TRIANGLE_IN_A_POINT, SOUP_OF_A_POINT, COMPOUND_OF_A_POINT, SIZELESS };

static tact_shape *sizeless(int kind, tact_vec3 p)
{
    const uint32_t corners[3] = {0, 0, 0}, one = 1;
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){&p, 1, 0, TACT_SCALAR_DOUBLE};
    def.indices = corners;
    def.index_count = kind == SOUP_OF_A_POINT ? 1 : 3;
    tact_shape *part = tact_point(p), *made;
    switch (kind) {
    case NOT_A_MESH:
        made = tact_shape_retain(part);
        break;
    case TRIANGLE_IN_A_POINT:
        made = tact_mesh_create(&def, NULL);
        break;
    case SOUP_OF_A_POINT:
        def.loop_sizes = &one;
        def.loop_count = 1;
        made = tact_soup_create(&def, NULL);
        break;
    default:
        made = tact_compound((const tact_shape *const[]){part}, NULL, 1);
    }
    tact_shape_release(part);
    assert_non_null(made);
    return made;
}

/* Two that are points both, so that no size says what is near: they meet at the half of the way, or pass each other. */
static void shapes_without_size_meet(void **state)
{
    (void)state;
    int hits = 0, misses = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(400); seed++) {
        dice d = dice_for(seed, 11, 0);
        int kind_a = dice_pick(&d, SIZELESS), kind_b = dice_pick(&d, SIZELESS);
        if (kind_a == NOT_A_MESH && kind_b == NOT_A_MESH)
            kind_b = TRIANGLE_IN_A_POINT;
        /* small integers: the way is exact */
        tact_vec3 p = vec_make(dice_pick(&d, 4), dice_pick(&d, 4), dice_pick(&d, 4)), q = vec_make(0.0, 0.0, 0.0);
        tact_vec3 way = vec_make(1 + dice_pick(&d, 8), dice_pick(&d, 8), dice_pick(&d, 8));
        tact_shape *a = sizeless(kind_a, p), *b = sizeless(kind_b, q);
        double beside = dice_pick(&d, 2) ? 0.0 : 0.125;
        tact_vec3 from = vec_add(p, way);
        from = vec_add(from, vec_make(0.0, 0.0, way.z == 0.0 ? beside : 0.0));
        if (way.z != 0.0)
            beside = 0.0;
        tact_motion to_a = {.velocity = vec_scale(way, -2.0)};
        tact_transform at = tact_at(from.x, from.y, from.z);
        for (int swapped = 0; swapped < 2; swapped++) {
            tact_toi hit = swapped
                               ? tact_shapes_time_of_impact(b, at, to_a, a, tact_identity(), tact_motion_still(), 1.0)
                               : tact_shapes_time_of_impact(a, tact_identity(), tact_motion_still(), b, at, to_a, 1.0);
            CHECK(hit.status == TACT_OK, "kinds %d %d: %s", kind_a, kind_b, tact_status_text(hit.status));
            CHECK(hit.state == (beside == 0.0 ? TACT_HIT : TACT_MISS), "kinds %d %d: state %d", kind_a, kind_b,
                  (int)hit.state);
            /* never late; the tolerance is a few roundings of the way */
            CHECK(beside > 0.0 || (hit.time <= 0.5 && hit.time > 0.5 - 1e-9), "time %.17g", hit.time);
        }
        ++*(beside == 0.0 ? &hits : &misses);
        tact_shape_release(a);
        tact_shape_release(b);
    }
    print_message("%d meet, %d pass\n", hits, misses);
    assert_true(few_cases() || (hits > 100 && misses > 10));
}

/* A speck on a way 10^16 times its size: what it covers in its own width is less than can be told apart. */
static void small_shapes_on_long_paths_meet(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(24); seed++) {
        dice d = dice_for(seed, 12, 0);
        zoo_cube(&drawn_a, 1e-15 * dice_power(&d, -3.0, 0.0));
        zoo_cube(&drawn_b, 1e-15 * dice_power(&d, -3.0, 0.0));
        tact_shape *a = zoo_shape(&drawn_a, seed % 2, 0.0), *b = zoo_shape(&drawn_b, false, 0.0);
        tact_vec3 way = vec_make(1 + dice_pick(&d, 8), dice_pick(&d, 8), dice_pick(&d, 8));
        tact_motion to_a = {.velocity = vec_scale(way, -2.0)};
        tact_toi hit = tact_shapes_time_of_impact(a, tact_identity(), tact_motion_still(), b,
                                                  tact_at(way.x, way.y, way.z), to_a, 1.0);
        CHECK(hit.status == TACT_OK && hit.state == TACT_HIT, "%s, state %d", tact_status_text(hit.status),
              (int)hit.state);
        CHECK(hit.time <= 0.5 && hit.time > 0.5 - 1e-9, "time %.17g", hit.time);
        tact_shape_release(a);
        tact_shape_release(b);
    }
}

/* ---- in touch for long ------------------------------------------------------------------------------------------- */

/* A cube slides along a floor and off its end: short windows as long as they touch are no reason to give up on the long
 * way after, be there no wall or, after a longer floor, a wall. */
static void what_slides_off_goes_on(void **state)
{
    (void)state;
    zoo_cube(&drawn_a, 0.5);
    zoo_clear(&drawn_b);
    const double length = long_form() ? 150.0 : quick_form() ? 5.0 : 15.0;
    (void)zoo_vertex(&drawn_b, -2.0, -2.0, -0.5);
    (void)zoo_vertex(&drawn_b, length, -2.0, -0.5);
    (void)zoo_vertex(&drawn_b, length, 2.0, -0.5);
    (void)zoo_vertex(&drawn_b, -2.0, 2.0, -0.5);
    zoo_triangle(&drawn_b, 0, 1, 2);
    zoo_triangle(&drawn_b, 0, 2, 3);
    tact_shape *cube = zoo_shape(&drawn_a, false, 0.0), *short_floor = zoo_shape(&drawn_b, false, 0.0);
    drawn_b.vertices[1].x = drawn_b.vertices[2].x = long_form() ? 150.0 : quick_form() ? 10.0 : 40.0;
    tact_shape *floor = zoo_shape(&drawn_b, false, 0.0), *wall = tact_box(1.0, 4.0, 4.0);
    const double away = 5e8;
    const tact_transform at[2] = {tact_identity(), tact_at(away + 1.0, 0.0, 0.0)};
    tact_shape *both = tact_compound((const tact_shape *const[]){floor, wall}, at, 2);
    const tact_motion slide = {.velocity = {1.0, 0.0, 0.0}};
    tact_toi_def def = tact_toi_def_default();
    def.end = 1e9;
    tact_toi hit = tact_shapes_time_of_impact_with(cube, tact_identity(), slide, short_floor, tact_identity(),
                                                   tact_motion_still(), &def);
    assert_true(hit.status == TACT_OK && hit.state == TACT_MISS);
    hit =
        tact_shapes_time_of_impact_with(cube, tact_identity(), slide, both, tact_identity(), tact_motion_still(), &def);
    assert_true(hit.status == TACT_OK && hit.state == TACT_HIT);
    assert_true(hit.time <= away && hit.time > away * (1.0 - 1e-12));
    tact_shape_release(cube);
    tact_shape_release(short_floor);
    tact_shape_release(floor);
    tact_shape_release(wall);
    tact_shape_release(both);
}

/* ---- manifolds --------------------------------------------------------------------------------------------------- */

/* Ground from -1.5 to 1.5 whose slopes are a thousandth: the faces' own normals all pass for one. */
static void draw_ground(zoo_mesh *m, dice *d)
{
    enum { SIDE = 7 };
    zoo_clear(m);
    for (int i = 0; i < SIDE * SIDE; i++)
        (void)zoo_vertex(m, 0.5 * (i % SIDE) - 1.5, 0.5 * (double)(i / SIDE) - 1.5, dice_between(d, 0.0, 3e-4));
    for (uint32_t i = 0; i + 1 < SIDE; i++)
        for (uint32_t k = 0; k + 1 < SIDE; k++) {
            uint32_t c = SIDE * i + k;
            zoo_triangle(m, c, c + 1, c + SIDE + 1);
            zoo_triangle(m, c, c + SIDE + 1, c + SIDE);
        }
}

/* One normal for all points: each pair is depth times that normal apart, and none is deeper than the whole. */
static void points_of_a_manifold_are_depth_times_normal_apart(void **state)
{
    (void)state;
    int points = 0, several = 0, leaning = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(500, 60000); seed++) {
        dice d = dice_for(seed, 13, 0);
        const bool resting = seed % 4 == 0;
        if (resting)
            draw_ground(&drawn_a, &d);
        else
            zoo_make(&drawn_a, (zoo_kind)dice_pick(&d, ZOO_KINDS), 24, &d);
        tact_shape *a = zoo_shape(&drawn_a, seed % 4 == 1, 0.0), *b;
        switch (dice_pick(&d, 4)) {
        case 0:
            zoo_ball(&drawn_b, 1, dice_between(&d, 0.3, 1.0));
            b = zoo_shape(&drawn_b, true, 0.0);
            break;
        case 1:
            zoo_cube(&drawn_b, dice_between(&d, 0.2, 0.8));
            b = zoo_shape(&drawn_b, true, 0.0);
            break;
        case 2:
            b = tact_box(1.0, 0.6, 0.8);
            break;
        default:
            b = tact_cylinder(0.5, 1.0);
        }
        assert_non_null(a);
        assert_non_null(b);
        tact_transform at = zoo_placement(&d, 0.5), there = zoo_placement(&d, 1.2);
        if (resting) {
            at = tact_identity();
            tact_distance gap = tact_shapes_distance(a, at, b, tact_at(0.0, 0.0, 3.0));
            there = tact_at(0.1 * dice_unit(&d), 0.1 * dice_unit(&d), 3.0 - gap.distance - 0.05);
        }
        double reach = dice_pick(&d, 2) ? 0.05 : 0.0;
        tact_manifold m = tact_shapes_manifold(a, at, b, there, reach);
        CHECK(m.status == TACT_OK || m.status == TACT_NOT_CONVERGED, "%s", tact_status_text(m.status));
        for (int i = 0; i < m.count; i++) {
            const tact_manifold_point *p = &m.points[i];
            tact_vec3 off = vec_sub(vec_sub(p->on_a, p->on_b), vec_scale(m.normal, p->depth));
            CHECK(vec_max_abs(off) < 1e-12, "point %d of %d: off by %g, depth %g of %g", i, m.count, vec_max_abs(off),
                  p->depth, m.depth);
            CHECK(p->depth <= m.depth * (1.0 + 1e-12) + 1e-12, "point %d of %d: depth %.17g of %.17g", i, m.count,
                  p->depth, m.depth);
            CHECK(p->depth >= -reach - 1e-12, "point %d of %d: depth %.17g", i, m.count, p->depth);
            CHECK(i == 0 || p->depth <= p[-1].depth, "point %d of %d: depth %.17g after %.17g", i, m.count, p->depth,
                  p[-1].depth);
            points++;
        }
        several += m.count > 1;
        for (int i = 1; i < m.count; i++)
            leaning += m.points[i].depth < m.points[0].depth - 1e-3;
        tact_shape_release(a);
        tact_shape_release(b);
    }
    print_message("%d points, %d times several, %d clearly less deep\n", points, several, leaning);
    assert_true(few_cases() || (points > 250 && several > 25 && leaning > 25));
}

/* ---- contact points ---------------------------------------------------------------------------------------------- */

/* No contact of solids is deeper than they are; of a shell one may be, along its own face. */
static void no_contact_of_solids_is_deeper_than_they_are(void **state)
{
    (void)state;
    enum { ROOM = 256 };
    tact_contact_point points[ROOM];
    int of_solids = 0, of_shells = 0, deeper = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(300); seed++) {
        dice d = dice_for(seed, 14, 0);
        const bool solid = seed % 3 > 0;
        zoo_make(&drawn_a, (zoo_kind)dice_pick(&d, solid ? ZOO_BALL + 1 : ZOO_KINDS), 24, &d);
        tact_shape *a = zoo_shape(&drawn_a, solid, 0.0), *b;
        if (dice_pick(&d, 2)) {
            zoo_make(&drawn_b, (zoo_kind)dice_pick(&d, ZOO_BALL + 1), 24, &d);
            b = zoo_shape(&drawn_b, true, 0.0);
        } else {
            b = tact_box(1.0, 0.6, 0.8);
        }
        assert_non_null(a);
        assert_non_null(b);
        tact_transform at = zoo_placement(&d, 0.5), there = zoo_placement(&d, 1.2);
        tact_contacts c = tact_shapes_contacts(a, at, b, there, 0.0, points, ROOM);
        tact_penetration depth = tact_shapes_penetration(a, at, b, there);
        CHECK(c.status == TACT_OK || c.status == TACT_NOT_CONVERGED, "%s", tact_status_text(c.status));
        if (c.status == TACT_OK && c.count > 0 && depth.status == TACT_OK) {
            const double over = points[0].depth - depth.depth;
            CHECK(!solid || over <= 1e-7, "%.17g deep, of bodies %.17g", points[0].depth, depth.depth);
            ++*(solid ? &of_solids : &of_shells);
            deeper += !solid && over > 1e-7;
        }
        tact_shape_release(a);
        tact_shape_release(b);
    }
    print_message("%d of solids, %d of shells, of which %d deeper than the bodies\n", of_solids, of_shells, deeper);
    assert_true(few_cases() || (of_solids > 60 && of_shells > 20));
}

/* ---- equal compounds --------------------------------------------------------------------------------------------- */

/* Of each level the one below is the first part and the last, with another between them: a look at every part of every
 * part would take 2^28 steps of each pair, and one that skips what equals the part before it no fewer. */
static tact_shape *interleaved(int levels)
{
    tact_shape *whole = tact_box(1.0, 1.0, 1.0), *other = tact_sphere(0.25);
    for (int i = 0; i < levels; i++) {
        const tact_shape *parts[3] = {whole, other, whole};
        const tact_transform places[3] = {tact_identity(), tact_at(0.0, 3.0, 0.0), tact_at(ldexp(4.0, i), 0.0, 0.0)};
        tact_shape *next = tact_compound(parts, places, 3);
        assert_non_null(next);
        tact_shape_release(whole);
        whole = next;
    }
    tact_shape_release(other);
    return whole;
}

static void equal_compounds_cost_no_more_than_their_parts(void **state)
{
    (void)state;
    enum { LEVELS = 28 };
    tact_shape *a = interleaved(LEVELS), *b = interleaved(LEVELS);
    for (int i = 0; i < 200; i++) {
        assert_int_equal(tact_shapes_overlap(a, tact_identity(), b, tact_identity(), NULL).state, TACT_HIT);
        assert_int_equal(tact_shapes_common_point(a, tact_identity(), b, tact_identity(), NULL).state, TACT_HIT);
        assert_true(tact_shapes_distance(a, tact_identity(), b, tact_identity()).distance == 0.0);
    }
    tact_shape_release(a);
    tact_shape_release(b);
}

/* ---- the host's floating point ----------------------------------------------------------------------------------- */

/* All that may be asked, in numbers. (Nothing is computed here that the host's rounding could change.) */
enum { NUMBERS = 64, SEGMENTS = 4096 };

static int put_vec(double *out, int n, tact_vec3 p)
{
    out[n] = p.x;
    out[n + 1] = p.y;
    out[n + 2] = p.z;
    return n + 3;
}

static int ask_all(const tact_shape *a, tact_transform transform_a, const tact_shape *b, tact_transform transform_b,
                   double *out)
{
    static tact_intersection segments[SEGMENTS];
    static tact_contact_point points[SEGMENTS];
    int n = 0;
    out[n++] = tact_shapes_overlap(a, transform_a, b, transform_b, NULL).state;
    out[n++] = tact_shapes_within(a, transform_a, b, transform_b, 1e-9, NULL).state;
    tact_common_point common = tact_shapes_common_point(a, transform_a, b, transform_b, NULL);
    out[n++] = common.state;
    n = put_vec(out, n, common.point);
    tact_distance distance = tact_shapes_distance(a, transform_a, b, transform_b);
    out[n++] = distance.distance;
    n = put_vec(out, n, distance.normal);
    tact_penetration depth = tact_shapes_penetration(a, transform_a, b, transform_b);
    out[n++] = depth.depth;
    n = put_vec(out, n, depth.on_a);
    tact_intersections crossings = tact_shapes_intersections(a, transform_a, b, transform_b, segments, SEGMENTS);
    out[n++] = (double)crossings.count;
    n = put_vec(out, n, crossings.count > 0 ? segments[0].from : vec_make(0.0, 0.0, 0.0));
    tact_contacts contacts = tact_shapes_contacts(a, transform_a, b, transform_b, 1e-6, points, SEGMENTS);
    out[n++] = (double)contacts.count;
    n = put_vec(out, n, contacts.count > 0 ? points[0].on_a : vec_make(0.0, 0.0, 0.0));
    tact_manifold manifold = tact_shapes_manifold(a, transform_a, b, transform_b, 1e-6);
    out[n++] = (double)manifold.count;
    n = put_vec(out, n, manifold.normal);
    const tact_motion fall = {.velocity = transform_a.z_axis};
    tact_toi impact = tact_shapes_time_of_impact(a, transform_a, fall, b, transform_b, tact_motion_still(), 1e-3);
    out[n++] = impact.state;
    out[n++] = impact.time;
    tact_closest closest = tact_shape_closest(a, transform_a, transform_b.origin);
    out[n++] = closest.distance;
    n = put_vec(out, n, closest.point);
    tact_ray_hit ray = tact_shape_ray(a, transform_a, vec_make(3.0, 2.0, 1.0), vec_make(-2.9, -2.1, -1.05), INFINITY);
    out[n++] = ray.state;
    out[n++] = ray.t;
    out[n++] = tact_shape_contains(a, transform_a, transform_b.origin).state;
    assert_true(n <= NUMBERS);
    return n;
}

/* Sets one way of many to round, or to flush what is subnormal; false: there are no more. */
static bool upset(int way)
{
    const int rounding[3] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    if (way < 3)
        return fesetround(rounding[way]) == 0;
#if defined(__SSE2__)
    if (way == 3) {
        _mm_setcsr(_mm_getcsr() | 0x8040u);
        return true;
    }
#endif
    return false;
}

/* Sheets that touch, or miss each other by next to nothing: placed vertices, and so all answers, are the same to the
 * last bit however the host rounds, and it finds its own way untouched. */
static void answers_do_not_depend_on_the_hosts_rounding(void **state)
{
    (void)state;
    int touching = 0, apart = 0;
    fenv_t before;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(20, 1200); seed++) {
        dice d = dice_for(seed, 17, 0);
        draw_ground(&drawn_a, &d);
        draw_ground(&drawn_b, &d);
        tact_transform transform_a = zoo_placement(&d, 0.5), transform_b = transform_a;
        transform_b.origin = vec_add(transform_a.origin, vec_scale(transform_a.x_axis, 3.0)); /* edge to edge */
        if (seed % 4 == 0) { /* face to face, with a gap that is subnormal */
            for (uint32_t i = 0; i < drawn_a.vertex_count; i++)
                drawn_a.vertices[i].z = drawn_b.vertices[i].z = 0.0;
            transform_a = tact_identity();
            transform_b = tact_at(0.25, 0.125, 1e-310);
        }
        tact_shape *a = zoo_shape(&drawn_a, false, 0.0), *b = zoo_shape(&drawn_b, false, 0.0);
        double calm[NUMBERS], upset_by[NUMBERS];
        int count = ask_all(a, transform_a, b, transform_b, calm);
        ++*(calm[0] == TACT_HIT ? &touching : &apart);
        assert_int_equal(fegetenv(&before), 0);
        for (int way = 0; upset(way); way++) {
            const int rounding = fegetround();
#if defined(__SSE2__)
            const unsigned control = _mm_getcsr();
#endif
            (void)ask_all(a, transform_a, b, transform_b, upset_by);
            bool kept = fegetround() == rounding;
#if defined(__SSE2__)
            kept = kept && (_mm_getcsr() & ~0x3fu) == (control & ~0x3fu);
#endif
            assert_int_equal(fesetenv(&before), 0);
            CHECK(kept, "way %d: the environment was changed", way);
            for (int i = 0; i < count; i++)
                CHECK(calm[i] == upset_by[i], "way %d, number %d: %.17g, not %.17g", way, i, upset_by[i], calm[i]);
        }
        assert_int_equal(fesetenv(&before), 0);
        tact_shape_release(a);
        tact_shape_release(b);
    }
    print_message("%d touch, %d do not\n", touching, apart);
    assert_true(few_cases() || (touching > 5 && apart > 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_without_size_meet),
        cmocka_unit_test(small_shapes_on_long_paths_meet),
        cmocka_unit_test(what_slides_off_goes_on),
        cmocka_unit_test(points_of_a_manifold_are_depth_times_normal_apart),
        cmocka_unit_test(no_contact_of_solids_is_deeper_than_they_are),
        cmocka_unit_test(equal_compounds_cost_no_more_than_their_parts),
        cmocka_unit_test(answers_do_not_depend_on_the_hosts_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
