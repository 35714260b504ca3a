/*
 * Times of impact of meshes, soups and compounds that do not turn, against two oracles that share no code with them:
 * the exact test of all vertices and faces and of all edges of two meshes (ccd.h), and the general search, which a spin
 * of 1e-300 selects. Hits are never late, none is missed and none invented. Pairs that pass closer than the tolerance
 * may be reported or not, and are counted.
 *
 * A failure prints the number of its case; TACT_TEST_SEED=n runs that case alone, TACT_TEST_LONG=1 thirty times as
 * many.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <tact/tact.h>

#include "math/vec.h"
#include "oracle/zoo.h"
#include "support/seeded_cases.h"
#include "toi/overlap_certificate.h"

static zoo_mesh drawn[2];

/* ---- all against all, exactly ------------------------------------------------------------------------------------ */

typedef struct bracket {
    double from, to; /* INFINITY: never */
} bracket;

static void narrow_to(bracket *first, tact_ccd c)
{
    assert_int_equal(c.status, TACT_OK);
    if (c.state != TACT_HIT)
        return;
    first->from = fmin(first->from, c.lower);
    first->to = fmin(first->to, c.upper);
}

/* The first time in [0, end] at which two meshes have a point in common, B moving by `velocity`. */
static bracket first_contact(const zoo_mesh *a, const tact_transform *transform_a, const zoo_mesh *b,
                             const tact_transform *transform_b, tact_vec3 velocity, double end)
{
    const tact_vec3 still = {0.0, 0.0, 0.0};
    bracket first = {INFINITY, INFINITY};
    tact_ccd_def def = tact_ccd_def_default();
    def.velocities = true;
    def.bracket_width = 0x1p-50;
    for (uint32_t i = 0; i < a->triangle_count; ++i)
        for (uint32_t j = 0; j < b->triangle_count; ++j) {
            tact_vec3 p[3], q[3];
            zoo_placed(a, transform_a, i, p);
            zoo_placed(b, transform_b, j, q);
            def.exit = fmin(end, first.to);
            for (int k = 0; k < 3; ++k) {
                const tact_vec3 of_b[4] = {q[k], p[0], p[1], p[2]}, of_a[4] = {p[k], q[0], q[1], q[2]};
                const tact_vec3 moves_b[4] = {velocity, still, still, still};
                const tact_vec3 moves_a[4] = {still, velocity, velocity, velocity};
                narrow_to(&first, tact_ccd_vertex_face(of_b, moves_b, &def));
                narrow_to(&first, tact_ccd_vertex_face(of_a, moves_a, &def));
                for (int l = 0; l < 3; ++l) {
                    const tact_vec3 edges[4] = {p[k], p[(k + 1) % 3], q[l], q[(l + 1) % 3]};
                    const tact_vec3 moves[4] = {still, still, velocity, velocity};
                    narrow_to(&first, tact_ccd_edge_edge(edges, moves, &def));
                }
            }
        }
    return first;
}

static tact_vec3 direction(dice *d)
{
    for (;;) {
        const tact_vec3 v =
            vec_make(dice_between(d, -1.0, 1.0), dice_between(d, -1.0, 1.0), dice_between(d, -1.0, 1.0));
        if (vec_length_squared(v) > 0.01 && vec_length_squared(v) < 1.0)
            return vec_normalize(v);
    }
}

static tact_transform scaled(tact_transform m, double factor)
{
    return (tact_transform){vec_scale(m.x_axis, factor), vec_scale(m.y_axis, factor), vec_scale(m.z_axis, factor),
                            vec_scale(m.origin, factor)};
}

static double half_of(const tact_shape *s, tact_transform at)
{
    tact_bounds b;
    assert_int_equal(tact_shape_bounds(s, at, &b), TACT_OK);
    return 0.5 * vec_max_abs(vec_sub(b.max, b.min));
}

static void meshes_meet_when_their_triangles_do(void **state)
{
    (void)state;
    int hits = 0, misses = 0, starts = 0, near = 0, sharp = 0, odd = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(1000, 75000); seed++) {
        dice d = dice_for(seed, 3, 1);
        for (int i = 0; i < 2; ++i)
            zoo_make(&drawn[i], (zoo_kind)dice_pick(&d, ZOO_TEAPOT), 2 + dice_pick(&d, 14), &d);
        const double scale = dice_pick(&d, 4) ? 1.0 : ldexp(1.0, dice_pick(&d, 161) - 80);
        tact_transform transform_a = zoo_placement(&d, 0.5), transform_b = zoo_placement(&d, 0.5);
        const bool grid = dice_pick(&d, 4) == 0; /* exact coincidences */
        const tact_vec3 from = grid ? vec_make(dice_pick(&d, 9) - 4, dice_pick(&d, 9) - 4, dice_pick(&d, 3) - 1)
                                    : vec_scale(direction(&d), dice_between(&d, 0.0, 8.0));
        tact_vec3 aim = vec_scale(direction(&d), dice_between(&d, 0.0, 2.5)), velocity;
        velocity = grid ? vec_make(dice_pick(&d, 9) - 4, dice_pick(&d, 9) - 4, dice_pick(&d, 3) - 1)
                        : vec_scale(vec_sub(aim, from), dice_between(&d, 0.5, 3.0));
        if (dice_pick(&d, 40) == 0)
            velocity = vec_make(0.0, 0.0, 0.0);
        const tact_vec3 far =
            dice_pick(&d, 8) ? vec_make(0.0, 0.0, 0.0) : vec_scale(direction(&d), ldexp(1.0, dice_pick(&d, 20)));
        transform_b.origin = vec_add(transform_b.origin, from);
        transform_a.origin = vec_add(transform_a.origin, far);
        transform_b.origin = vec_add(transform_b.origin, far);
        transform_a = scaled(transform_a, scale);
        transform_b = scaled(transform_b, scale);
        velocity = vec_scale(velocity, scale);
        tact_shape *a = zoo_shape(&drawn[0], false, 0.0), *b = zoo_shape(&drawn[1], false, 0.0);
        assert_true(a != NULL && b != NULL);
        const double end = dice_pick(&d, 4) ? 1.0 : dice_between(&d, 0.0, 3.0);
        const bracket want = first_contact(&drawn[0], &transform_a, &drawn[1], &transform_b, velocity, end);
        const double size = fmin(half_of(a, transform_a), half_of(b, transform_b)), speed = vec_length_safe(velocity);
        const double reach = vec_length_safe(transform_a.origin) + vec_length_safe(transform_b.origin) +
                             (8.0 + 3.0 * speed / scale) * scale;
        const double tolerance = fmax(1e-12 * size, 256.0 * DBL_EPSILON * reach);
        const tact_toi_def def = {end, 1e-12 * size};
        const tact_motion moves = {.velocity = velocity};
        const tact_toi hit =
            tact_shapes_time_of_impact_with(a, transform_a, tact_motion_still(), b, transform_b, moves, &def);
        const tact_toi back =
            tact_shapes_time_of_impact_with(b, transform_b, moves, a, transform_a, tact_motion_still(), &def);
        CHECK(hit.status == TACT_OK, "status %d", (int)hit.status);
        CHECK(hit.state == back.state && hit.time == back.time && vec_equal(hit.normal, vec_negate(back.normal)) &&
                  vec_equal(hit.point, back.point),
              "swapping changed it: %.17g %.17g", hit.time, back.time);
        const tact_transform then = tact_motion_at(moves, transform_b, hit.time);
        const tact_distance apart = tact_shapes_distance(a, transform_a, b, then);
        if (hit.state == TACT_HIT) {
            CHECK(apart.distance <= tolerance, "reported, but %g apart (%g), at %.17g", apart.distance, tolerance,
                  hit.time);
            CHECK(fabs(vec_length_safe(hit.normal) - 1.0) < 1e-9 || hit.time == 0.0, "normal");
        }
        if (tact_shapes_overlap(a, transform_a, b, transform_b, NULL).state ==
            TACT_HIT) { /* then they need not meet any more */
            const tact_penetration deep = tact_shapes_penetration(a, transform_a, b, transform_b);
            CHECK(deep.depth <= tolerance || (hit.state == TACT_HIT && hit.time == 0.0),
                  "deep at the start, not reported");
            starts++;
        } else if (want.from < INFINITY && hit.state == TACT_HIT) {
            /* not later than the rounding of vertices and way allows: by the closing speed, if that is known */
            const double closing = -vec_dot(hit.normal, velocity);
            const double late = closing > 1e-3 * speed ? 64.0 * DBL_EPSILON * reach / closing : 1e-6;
            hits++;
            CHECK(hit.time <= want.to * (1.0 + 1e-15) + late, "late: %.17g, not %.17g", hit.time, want.to);
            const double early = closing > 1e-3 * speed ? 2.0 * tolerance / closing : INFINITY;
            odd += early == INFINITY;
            if (hit.time < want.from - early)
                near++; /* they came near before */
            else
                sharp += fabs(hit.time - want.from) <= 1e-12 * want.from + late;
        } else if (want.from < INFINITY) {
            /* a touch that exact arithmetic sees and rounding need not: no deeper than that */
            const tact_transform met = tact_motion_at(moves, transform_b, want.from);
            const tact_penetration deep = tact_shapes_penetration(a, transform_a, b, met);
            CHECK(fabs(deep.depth) <= tolerance && want.from * speed <= tolerance, "missed at %.17g, depth %g",
                  want.from, deep.depth);
            near++;
        } else {
            misses++;
            near += hit.state == TACT_HIT;
            CHECK(hit.state == TACT_HIT || hit.time == end, "a miss before the end");
        }
        tact_shape_release(a);
        tact_shape_release(b);
    }
    print_message("%d hits (%d sharp, %d at a slant), %d misses, %d near ones, %d in touch at first\n", hits, sharp,
                  odd, misses, near, starts);
    if (!few_cases()) {
        assert_true(hits > 200 && misses > 160 && starts > 24);
        assert_true(sharp > 0.9 * hits && near < 0.1 * hits);
    }
}

/* ---- all shapes, falling too, against the general way ------------------------------------------------------------ */

static tact_shape *any_shape(dice *d, int kind, zoo_mesh *m)
{
    tact_shape *made = NULL, *parts[3];
    tact_transform places[3];
    tact_mesh_def def = tact_mesh_def_default();
    switch (kind) {
    case 0:
        return tact_sphere(dice_between(d, 0.2, 1.0));
    case 1:
        return tact_box(dice_between(d, 0.2, 2.0), dice_between(d, 0.2, 2.0), dice_between(d, 0.2, 2.0));
    case 2:
        return tact_capsule(dice_between(d, 0.1, 0.5), dice_between(d, 0.1, 2.0));
    case 3:
        zoo_make(m, ZOO_SOUP, 4, d);
        return tact_hull(m->vertices, m->vertex_count);
    case 4: /* a soup of tetrahedra */
        zoo_make(m, ZOO_SOUP, 8, d);
        def.vertices = (tact_vertices){m->vertices, m->vertex_count, 0, TACT_SCALAR_DOUBLE};
        def.indices = m->corners;
        def.index_count = 24;
        def.loop_sizes = (const uint32_t[]){4, 4, 4, 4, 4, 4};
        def.loop_count = 6;
        return tact_soup_create(&def, NULL);
    case 5:
        for (int i = 0; i < 3; ++i) {
            parts[i] = any_shape(d, i == 2 ? 6 : dice_pick(d, 3), m);
            places[i] = zoo_placement(d, 1.0);
        }
        places[2] = tact_at(0.5, 0.0, 0.0);
        made = tact_compound((const tact_shape *const *)parts, places, 3);
        for (int i = 0; i < 3; ++i)
            tact_shape_release(parts[i]);
        return made;
    case 6: /* closed, with an inside or not */
        zoo_make(m, (zoo_kind)dice_pick(d, ZOO_SOUP), 40, d);
        return zoo_shape(m, dice_pick(d, 2), 0.0);
    case 7: /* rounded */
        zoo_make(m, (zoo_kind)dice_pick(d, ZOO_TEAPOT), 20, d);
        return zoo_shape(m, false, 0.05);
    default:
        zoo_make(m, (zoo_kind)dice_pick(d, ZOO_TEAPOT), 60, d);
        return zoo_shape(m, false, 0.0);
    }
}

static void all_shapes_meet_as_in_the_general_search(void **state)
{
    (void)state;
    int hits = 0, misses = 0, falls = 0, near = 0, at_first = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(1200); seed++) {
        dice d = dice_for(seed, 3, 2);
        const int kind_a = dice_pick(&d, 9), kind_b = 4 + dice_pick(&d, 5);
        tact_shape *a = any_shape(&d, kind_a, &drawn[0]), *b = any_shape(&d, kind_b, &drawn[1]);
        assert_true(a != NULL && b != NULL);
        tact_transform transform_a = zoo_placement(&d, 0.5), transform_b = zoo_placement(&d, 0.5);
        const tact_vec3 from = vec_scale(direction(&d), dice_between(&d, 0.5, 9.0));
        const tact_vec3 aim = vec_scale(direction(&d), dice_between(&d, 0.0, 3.0));
        transform_b.origin = vec_add(transform_b.origin, from);
        tact_motion moves_a = {.velocity = vec_scale(direction(&d), dice_between(&d, 0.0, 3.0))}, moves_b = moves_a;
        moves_b.velocity = vec_add(moves_b.velocity, vec_scale(vec_sub(aim, from), dice_between(&d, 0.5, 2.0)));
        if (dice_pick(&d, 2)) {
            moves_a.acceleration = vec_scale(direction(&d), dice_between(&d, 0.0, 9.0));
            moves_b.acceleration = vec_scale(direction(&d), dice_between(&d, 0.0, 9.0));
        }
        const tact_toi_def def = {1.0, 1e-9};
        const tact_toi hit = tact_shapes_time_of_impact_with(a, transform_a, moves_a, b, transform_b, moves_b, &def);
        const tact_toi back = tact_shapes_time_of_impact_with(b, transform_b, moves_b, a, transform_a, moves_a, &def);
        tact_motion turns = moves_a;
        turns.spin.x = 1e-300;
        const tact_toi want = tact_shapes_time_of_impact_with(a, transform_a, turns, b, transform_b, moves_b, &def);
        CHECK(hit.state == back.state && hit.time == back.time, "swapping changed it: %.17g %.17g", hit.time,
              back.time);
        if (want.status != TACT_OK) {
            tact_shape_release(a);
            tact_shape_release(b);
            continue;
        }
        CHECK(hit.status == TACT_OK, "status %d", (int)hit.status);
        falls += vec_length_squared(moves_b.acceleration) > 0.0;
        if (hit.state == TACT_HIT) {
            const tact_distance apart = tact_shapes_distance(a, tact_motion_at(moves_a, transform_a, hit.time), b,
                                                             tact_motion_at(moves_b, transform_b, hit.time));
            CHECK(apart.distance <= 1.001e-9, "reported, but %g apart at %.17g (want %.17g)", apart.distance, hit.time,
                  want.time);
        }
        if (want.state == TACT_HIT && hit.state == TACT_HIT) {
            const tact_vec3 v = vec_sub(vec_mul_add(moves_b.velocity, hit.time, moves_b.acceleration),
                                        vec_mul_add(moves_a.velocity, hit.time, moves_a.acceleration));
            const double closing = -vec_dot(hit.normal, v);
            hits++;
            at_first += want.time == 0.0;
            CHECK((want.time == 0.0) == (hit.time == 0.0), "only one at the start: %.17g, want %.17g", hit.time,
                  want.time);
            if (closing > 1e-2 * vec_length_safe(v))
                CHECK(fabs(hit.time - want.time) <= 3e-9 / closing, "%.17g, not %.17g (closing %g, kinds %d %d)",
                      hit.time, want.time, closing, kind_a, kind_b);
            else
                near++;
        } else if (want.state != hit.state) { /* the general way ends half a tolerance before */
            const tact_toi *one = want.state == TACT_HIT ? &want : &hit;
            const tact_vec3 v = vec_sub(vec_mul_add(moves_b.velocity, one->time, moves_b.acceleration),
                                        vec_mul_add(moves_a.velocity, one->time, moves_a.acceleration));
            near++;
            CHECK(fabs(vec_dot(one->normal, v)) <= 1e-2 * vec_length_safe(v) || one->time > 1.0 - 1e-6,
                  "only one sees it: %d %d, at %.17g", (int)hit.state, (int)want.state, one->time);
        } else {
            misses++;
        }
        tact_shape_release(a);
        tact_shape_release(b);
    }
    print_message("%d hits (%d at first), %d misses, %d falling, %d near ones\n", hits, at_first, misses, falls, near);
    if (!few_cases()) {
        assert_true(hits > 300 && misses > 200 && falls > 300 && at_first > 20);
        assert_true(near < 0.1 * hits);
    }
}

/* ---- from a touch on --------------------------------------------------------------------------------------------- */

/* They bounce off each other where they have met: then that touch is no other one. */
static void pairs_that_part_are_no_hit(void **state)
{
    (void)state;
    int parted = 0, again = 0, pressed = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(400); seed++) {
        dice d = dice_for(seed, 3, 3);
        tact_shape *shapes[2];
        for (int i = 0; i < 2; ++i) {
            const zoo_kind kind = (zoo_kind)dice_pick(&d, ZOO_TEAPOT);
            zoo_make(&drawn[i], kind, 60, &d);
            shapes[i] = zoo_shape(&drawn[i], kind < ZOO_SOUP && dice_pick(&d, 2), 0.0); /* closed ones */
            assert_non_null(shapes[i]);
        }
        tact_transform transform_a = zoo_placement(&d, 0.5), transform_b = zoo_placement(&d, 0.5);
        const tact_vec3 from = vec_scale(direction(&d), 6.0);
        tact_motion moves = {.velocity = vec_scale(from, -dice_between(&d, 0.5, 1.0))};
        transform_b.origin = vec_add(transform_b.origin, from);
        const tact_toi_def def = {1.0, 1e-11};
        const tact_toi hit = tact_shapes_time_of_impact_with(shapes[0], transform_a, tact_motion_still(), shapes[1],
                                                             transform_b, moves, &def);
        const double closing = -vec_dot(hit.normal, moves.velocity);
        if (hit.state == TACT_HIT && hit.time > 0.0 && closing > 0.01) {
            transform_b = tact_motion_at(moves, transform_b, hit.time + 1e-13 / closing);
            const bool back = dice_pick(&d, 4) > 0;
            if (back)
                moves.velocity = vec_mul_add(moves.velocity, 2.0 * closing, hit.normal);
            tact_motion turns = moves;
            turns.spin.x = 1e-300;
            const tact_toi next = tact_shapes_time_of_impact_with(shapes[0], transform_a, tact_motion_still(),
                                                                  shapes[1], transform_b, moves, &def);
            const tact_toi want = tact_shapes_time_of_impact_with(shapes[0], transform_a, tact_motion_still(),
                                                                  shapes[1], transform_b, turns, &def);
            CHECK(next.status == TACT_OK && want.status == TACT_OK, "status %d %d", (int)next.status, (int)want.status);
            CHECK(next.state == want.state, "%d at %.17g, want %d at %.17g, back %d", (int)next.state, next.time,
                  (int)want.state, want.time, (int)back);
            CHECK(back || (next.time == 0.0) == (want.time == 0.0), "approaches, but reported at %.17g, want %.17g",
                  next.time, want.time);
            if (next.state == TACT_HIT && want.time > 1e-9) {
                const double speed = fabs(vec_dot(next.normal, moves.velocity));
                CHECK(speed < 0.01 || fabs(next.time - want.time) < 1e-10 / speed, "%.17g, want %.17g", next.time,
                      want.time);
                ++again;
            }
            pressed += !back;
            parted += back && next.state == TACT_MISS;
        }
        tact_shape_release(shapes[0]);
        tact_shape_release(shapes[1]);
    }
    print_message("%d parted, %d met again, %d pressed on\n", parted, again, pressed);
    if (!few_cases())
        assert_true(parted > 50 && again > 5 && pressed > 20);
}

/* ---- how long triangles hold each other -------------------------------------------------------------------------- */

static void triangles_are_certified_to_their_depth(void **state)
{
    (void)state;
    int held = 0, free_ones = 0, tight = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(2000); seed++) {
        dice d = dice_for(seed, 3, 4);
        const uint32_t corners[3] = {0, 1, 2};
        tact_vec3 p[2][3];
        const double flat = dice_pick(&d, 3) ? 1.0 : dice_power(&d, -9.0, 0.0);
        for (int i = 0; i < 6; ++i) {
            p[i / 3][i % 3] = vec_scale(direction(&d), dice_between(&d, 0.3, 1.0));
            p[i / 3][i % 3].z *= i < 3 ? flat : 1.0; /* edges that are nearly parallel */
        }
        if (dice_pick(&d, 4) == 0)
            p[1][1] = vec_mul_add(p[1][0], 1.0, vec_mul_add(vec_sub(p[0][1], p[0][0]), 1e-7, p[1][1]));
        tact_shape *a = tact_mesh(p[0], 3, corners, 1), *b = tact_mesh(p[1], 3, corners, 1);
        tact_shape *one = tact_triangle(p[0][0], p[0][1], p[0][2]), *other = tact_triangle(p[1][0], p[1][1], p[1][2]);
        assert_true(a != NULL && b != NULL && one != NULL && other != NULL);
        const tact_transform at = zoo_placement(&d, 2.0);
        const tact_penetration want = tact_shapes_penetration(one, at, other, at);
        double apart;
        overlap_certificate certificate;
        const relative_motion any_motion = {{0.0, 0.0, 0.0}, 1.0};
        assert_int_equal(tact_certified_separation_of(a, at, b, at, &any_motion, INFINITY, &apart, &certificate),
                         TACT_OK);
        if (want.status == TACT_OK && want.depth > 1e-6) {
            CHECK(-apart <= want.depth * (1.0 + 1e-9), "certified for %g, the depth is %g", -apart, want.depth);
            CHECK(-apart >= 0.98 * want.depth - 1e-7, "certified for %g only, the depth is %g", -apart, want.depth);
            CHECK(certificate.valid &&
                      tact_overlap_certificate_time(&certificate, a, &at, b, &at, &any_motion) == -apart,
                  "another certificate");
            /* within the bound on the motion they overlap at least as long; without deviation not much longer */
            const relative_motion motion = {vec_scale(direction(&d), dice_between(&d, 0.0, 2.0)),
                                            dice_power(&d, -9.0, 0.0)};
            const double lasts = tact_overlap_certificate_time(&certificate, a, &at, b, &at, &motion);
            for (int i = 0; i < 8; ++i) {
                const double t = lasts * (i + 1) / 8.0;
                const tact_vec3 aside = vec_scale(direction(&d), motion.deviation_speed * t);
                tact_transform moved = at;
                moved.origin = vec_add(moved.origin, vec_mul_add(aside, t, motion.velocity));
                CHECK(tact_shapes_overlap(one, at, other, moved, NULL).state == TACT_HIT, "apart at %g of %g", t,
                      lasts);
            }
            const relative_motion straight = {motion.velocity, 1e-12};
            const double longest = tact_overlap_certificate_time(&certificate, a, &at, b, &at, &straight);
            tact_transform moved = at;
            moved.origin = vec_mul_add(at.origin, 1.03 * longest + 1e-6, motion.velocity);
            if (vec_length_safe(motion.velocity) > 0.1)
                tight += tact_shapes_overlap(one, at, other, moved, NULL).state == TACT_MISS;
            ++held;
        } else if (want.status == TACT_OK && want.depth < -1e-6) {
            CHECK(apart > 0.0 && fabs(apart + want.depth) < 1e-9 && !certificate.valid, "%g apart, not %g", apart,
                  -want.depth);
            ++free_ones;
        }
        tact_shape_release(a);
        tact_shape_release(b);
        tact_shape_release(one);
        tact_shape_release(other);
    }
    print_message("%d certified, %d of them tightly, %d apart\n", held, tight, free_ones);
    if (!few_cases())
        assert_true(held > 300 && 10 * tight > 8 * held && free_ones > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_meet_when_their_triangles_do),
        cmocka_unit_test(all_shapes_meet_as_in_the_general_search),
        cmocka_unit_test(pairs_that_part_are_no_hit),
        cmocka_unit_test(triangles_are_certified_to_their_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
