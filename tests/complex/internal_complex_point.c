/*
 * One shape that is not convex and a ray, a point or a direction, against brute force over all elements. Whether a ray
 * meets a triangle is asked of GMP.
 *
 * A failure prints the number of its case: TACT_TEST_SEED=n runs that case alone, and TACT_TEST_LONG=1 runs 10,000
 * meshes in place of a few hundred.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <gmp.h>
#include <tact/query.h>

#include "exact/ray_triangle.h"
#include "math/vec.h"
#include "oracle/zoo.h"
#include "support/mesh_parity.h"
#include "support/numbered_cases.h"

static zoo_mesh mesh_a;

/* ---- the oracle for rays: all coordinates are whole multiples of 2^-SCALE ---------------------------------------- */

enum { SCALE = 240 };

typedef struct whole_vec {
    mpz_t at[3];
} whole_vec;

static whole_vec v_a, v_b, v_c, v_d, v_n, v_m;
static mpz_t one, two;

static int open_oracle(void **state)
{
    (void)state;
    whole_vec *const all[6] = {&v_a, &v_b, &v_c, &v_d, &v_n, &v_m};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++)
            mpz_init(all[i]->at[k]);
    mpz_inits(one, two, NULL);
    return 0;
}

static int close_oracle(void **state)
{
    (void)state;
    whole_vec *const all[6] = {&v_a, &v_b, &v_c, &v_d, &v_n, &v_m};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++)
            mpz_clear(all[i]->at[k]);
    mpz_clears(one, two, NULL);
    return 0;
}

static double part(tact_vec3 a, int k) { return k == 0 ? a.x : k == 1 ? a.y : a.z; }

static void to_whole(mpz_t z, double x)
{
    double scaled = ldexp(x, SCALE);
    assert_true(scaled == floor(scaled) && scaled - scaled == 0.0);
    mpz_set_d(z, scaled);
}

/* to - from, exactly */
static void difference(whole_vec *v, tact_vec3 from, tact_vec3 to)
{
    for (int k = 0; k < 3; k++) {
        to_whole(one, part(from, k));
        to_whole(v->at[k], part(to, k));
        mpz_sub(v->at[k], v->at[k], one);
    }
}

static void cross(whole_vec *n, const whole_vec *a, const whole_vec *b)
{
    for (int k = 0; k < 3; k++) {
        mpz_mul(n->at[k], a->at[(k + 1) % 3], b->at[(k + 2) % 3]);
        mpz_submul(n->at[k], a->at[(k + 2) % 3], b->at[(k + 1) % 3]);
    }
}

/* Into `two`; returns the sign. */
static int dot(const whole_vec *a, const whole_vec *b)
{
    mpz_set_ui(two, 0);
    for (int k = 0; k < 3; k++)
        mpz_addmul(two, a->at[k], b->at[k]);
    return mpz_sgn(two);
}

static bool is_zero(const whole_vec *a)
{
    return mpz_sgn(a->at[0]) == 0 && mpz_sgn(a->at[1]) == 0 && mpz_sgn(a->at[2]) == 0;
}

/* Whether the ray meets the segment from p to q, all in one plane with normal v_n, which is not zero (v_d is the
 * direction, v_a and v_b are p and q as seen from the start). */
static bool meets_segment(void)
{
    /* signs of d x a . n, d x b . n, a x b . n */
    cross(&v_m, &v_d, &v_a);
    int first = dot(&v_m, &v_n);
    cross(&v_m, &v_d, &v_b);
    int second = dot(&v_m, &v_n);
    cross(&v_m, &v_a, &v_b);
    int turn = dot(&v_m, &v_n);
    if (first == 0 && dot(&v_a, &v_d) >= 0)
        return true;
    if (second == 0 && dot(&v_b, &v_d) >= 0)
        return true;
    if (first == 0 && second == 0) /* on the line: one behind, one ahead? */
        return dot(&v_a, &v_b) <= 0;
    if (first * second >= 0)
        return false;
    /* a + s (b - a) = t d: t has the sign of a x b over d x (b - a) */
    return turn * second >= 0;
}

/* By the plane: where the line meets it, is that inside? Otherwise edge by edge. */
static bool oracle_meets(tact_vec3 from, tact_vec3 direction, const tact_vec3 t[3])
{
    const tact_vec3 none = {0.0, 0.0, 0.0};
    difference(&v_d, none, direction);
    difference(&v_a, t[0], t[1]);
    difference(&v_b, t[0], t[2]);
    cross(&v_n, &v_a, &v_b);
    int speed = dot(&v_n, &v_d);
    if (speed != 0) {
        difference(&v_c, from, t[0]);
        if (dot(&v_n, &v_c) * speed < 0)
            return false;
        int sides[3];
        for (int i = 0; i < 3; i++) {
            difference(&v_a, from, t[i]);
            difference(&v_b, from, t[(i + 1) % 3]);
            cross(&v_m, &v_a, &v_b);
            sides[i] = dot(&v_m, &v_d) * speed;
        }
        return sides[0] >= 0 && sides[1] >= 0 && sides[2] >= 0;
    }
    /* along the plane, or no plane at all */
    bool flat = is_zero(&v_n);
    difference(&v_c, t[0], from);
    if (!flat && dot(&v_n, &v_c) != 0)
        return false;
    for (int i = 0; i < 3; i++) {
        difference(&v_a, from, t[i]);
        difference(&v_b, from, t[(i + 1) % 3]);
        if (flat) { /* the plane of the ray and the segment, if they have one */
            cross(&v_n, &v_d, &v_a);
            if (is_zero(&v_n))
                cross(&v_n, &v_d, &v_b);
            if (dot(&v_n, &v_b) != 0 || dot(&v_n, &v_a) != 0)
                continue;
            if (is_zero(&v_n)) { /* all on one line */
                if (dot(&v_a, &v_d) >= 0 || dot(&v_b, &v_d) >= 0)
                    return true;
                continue;
            }
        }
        if (meets_segment())
            return true;
    }
    return false;
}

/* ---- rays -------------------------------------------------------------------------------------------------------- */

static tact_vec3 vector(dice *d, double reach)
{
    return vec_make(dice_between(d, -reach, reach), dice_between(d, -reach, reach), dice_between(d, -reach, reach));
}

/* A ray that may be aimed exactly at a corner or the middle of an edge, or run along an edge or in a plane. */
static void random_ray(dice *d, const zoo_mesh *m, const tact_transform *at, tact_vec3 *from, tact_vec3 *direction)
{
    tact_vec3 t[3];
    zoo_placed(m, at, (uint32_t)dice_pick(d, (int)m->triangle_count), t);
    *from = vector(d, 4.0);
    for (int k = 0; k < 3; k++) /* so that differences to corners have few bits: exact aim is possible */
        if (dice_pick(d, 2) == 0)
            *from = vec_make(round(from->x * 8.0) / 8.0, round(from->y * 8.0) / 8.0, round(from->z * 8.0) / 8.0);
    switch (dice_pick(d, 8)) {
    case 0:
        *direction = vector(d, 1.0);
        break;
    case 1:
    case 2:
        *direction = vec_sub(t[0], *from);
        break;
    case 3:
        *direction = vec_sub(vec_scale(vec_add(t[0], t[1]), 0.5), *from);
        break;
    case 4: /* straight at a corner: exactly */
        *direction = vec_make(0.0, 0.0, dice_pick(d, 2) ? 1.0 : -3.0);
        *from = vec_make(t[0].x, t[0].y, from->z);
        break;
    case 5: /* along an edge, as far as doubles can */
        *direction = vec_sub(t[1], t[0]);
        *from = vec_sub(t[0], *direction);
        break;
    case 6: /* from the surface */
        *from = dice_pick(d, 2) ? t[0] : vec_scale(vec_add(t[0], t[1]), 0.5);
        *direction = vector(d, 1.0);
        break;
    default:
        *direction = vec_sub(vec_make(at->origin.x, at->origin.y, at->origin.z), *from);
        break;
    }
    if (!(vec_max_abs(*direction) > 0.0))
        *direction = vec_make(0.0, 1.0, 0.0);
    *direction = vec_scale(*direction, ldexp(1.0, dice_pick(d, 60) - 30));
}

static int ray_hits, ray_misses, ray_starts, ray_flat;

static void ray_case(const char *what, int number)
{
    dice d = dice_for(11, 1, (uint64_t)number);
    zoo_kind kind = (zoo_kind)(number % ZOO_KINDS);
    zoo_make(&mesh_a, kind, 20 + dice_pick(&d, 40), &d);
    tact_shape *shape = zoo_shape(&mesh_a, false, 0.0);
    tact_transform at = zoo_placement(&d, 1.0);
    for (int i = 0; i < 20; i++) {
        tact_vec3 from, direction, first_normal = {0, 0, 0};
        random_ray(&d, &mesh_a, &at, &from, &direction);
        const exact_ray line = tact_exact_ray_make(from, direction);
        double least = INFINITY;
        for (uint32_t k = 0; k < mesh_a.triangle_count; k++) {
            tact_vec3 t[3], normal;
            double time = -1.0;
            zoo_placed(&mesh_a, &at, k, t);
            bool met = tact_ray_triangle(&line, t, &time, &normal);
            CHECK(met == oracle_meets(from, direction, t), "ray %d triangle %u: %d", i, k, met);
            if (!met)
                continue;
            tact_vec3 p = vec_mul_add(from, time, direction);
            double size = vec_max_abs(from) + vec_max_abs(t[0]) + vec_max_abs(t[1]) + vec_max_abs(t[2]);
            CHECK(time >= 0.0 && fabs(vec_length_safe(normal) - 1.0) < 1e-12 && vec_dot(normal, direction) <= 0.0,
                  "ray %d t %g", i, time);
            CHECK(zoo_point_gap(t, p) <= 64.0L * DBL_EPSILON * size, "ray %d triangle %u: off by %Lg, t %.17g, size %g",
                  i, k, zoo_point_gap(t, p), time, size);

            ray_flat += time > 0.0 &&
                        fabs(vec_dot(normal, vec_normalize(vec_cross(vec_sub(t[1], t[0]), vec_sub(t[2], t[0]))))) < 0.5;
            if (time < least) {
                least = time;
                first_normal = normal;
            }
        }
        tact_ray_hit hit = tact_shape_ray(shape, at, from, direction, INFINITY);
        CHECK(hit.status == TACT_OK && (hit.state == TACT_HIT) == (least < INFINITY), "ray %d: %g", i, least);
        if (hit.state == TACT_HIT) {
            CHECK(hit.t == least, "ray %d: %.17g, should be %.17g", i, hit.t, least);
            CHECK(least > 0.0 ? vec_dot(hit.normal, direction) <= 0.0 : vec_max_abs(hit.normal) == 0.0, "normal");
            tact_vec3 t[3];
            zoo_placed(&mesh_a, &at, hit.part.face, t);
            CHECK(oracle_meets(from, direction, t), "the face that is named");
            CHECK(tact_shape_ray(shape, at, from, direction, least).state == TACT_HIT, "up to the hit");
            if (least > 0.0) {
                CHECK(tact_shape_ray(shape, at, from, direction, least * 0.999).state == TACT_MISS, "before the hit");
                (void)first_normal;
            }
        }
        ray_hits += hit.state == TACT_HIT;
        ray_misses += hit.state == TACT_MISS;
        ray_starts += hit.state == TACT_HIT && hit.t == 0.0;
    }
    tact_shape_release(shape);
}

static void rays_meet_what_the_oracle_says(void **state)
{
    (void)state;
    const int count = cases(80);
    run_cases("ray", count, ray_case);
    print_message("%d hits (%d at once, %d along a plane), %d misses\n", ray_hits, ray_starts, ray_flat, ray_misses);
    if (!few_cases())
        assert_true(ray_hits > 5 * count && ray_misses > 4 * count && ray_starts > count && ray_flat > count / 4);
}

static int watertight;

/* From inside a closed mesh, aimed at every vertex and at every edge: there is no way out. From outside at the
 * middle of a face, an edge, a vertex: no way in. */
static void closed_case(const char *what, int number)
{
    dice d = dice_for(12, 1, (uint64_t)number);
    int kind = number % 3;
    if (kind == 0)
        zoo_torus(&mesh_a, 6 + dice_pick(&d, 6), 8 + dice_pick(&d, 8), 1.0, 0.4);
    else if (kind == 1)
        zoo_ball(&mesh_a, 1 + dice_pick(&d, 2), 1.0);
    else
        zoo_cube(&mesh_a, 1.0);
    tact_shape *shell = zoo_shape(&mesh_a, false, 0.0);
    tact_transform at = zoo_placement(&d, 1.0);
    const tact_vec3 inner = kind == 0 ? vec_make(1.0, 0.01, 0.02) : vec_make(0.01, 0.02, -0.03);
    const tact_vec3 from = tact_transform_point(at, inner);
    for (uint32_t i = 0; i < mesh_a.triangle_count; i++) {
        tact_vec3 t[3];
        zoo_placed(&mesh_a, &at, i, t);
        const tact_vec3 aims[4] = {t[0], vec_scale(vec_add(t[0], t[1]), 0.5),
                                   vec_mul_add(t[1], dice_unit(&d), vec_sub(t[2], t[1])),
                                   vec_scale(vec_add(vec_add(t[0], t[1]), t[2]), 1.0 / 3.0)};
        for (int k = 0; k < 4; k++) {
            tact_vec3 direction = vec_sub(aims[k], from);
            tact_ray_hit out = tact_shape_ray(shell, at, from, direction, INFINITY);
            CHECK(out.state == TACT_HIT, "out through triangle %u, %d", i, k);
            /* a convex body: nowhere else */
            CHECK(kind == 0 || fabs(out.t - 1.0) < 1e-9, "triangle %u, %d: %g", i, k, out.t);
            tact_vec3 far = vec_mul_add(from, 5.0, direction);
            tact_ray_hit in = tact_shape_ray(shell, at, far, vec_sub(from, far), 1.0);
            CHECK(in.state == TACT_HIT, "in through triangle %u, %d", i, k);
            watertight += 2;
        }
    }
    tact_shape_release(shell);
}

static void no_ray_slips_through_a_closed_mesh(void **state)
{
    (void)state;
    run_cases("closed", cases(40), closed_case);
    print_message("%d rays\n", watertight);
    if (!few_cases())
        assert_true(watertight > 20000);
}

static void rays_from_inside_solids_hit_at_once(void **state)
{
    (void)state;
    zoo_torus(&mesh_a, 12, 24, 1.0, 0.4);
    tact_shape *solid = zoo_shape(&mesh_a, true, 0.0), *shell = zoo_shape(&mesh_a, false, 0.0),
               *ball = tact_sphere(0.25);
    const tact_vec3 inner = {1.0, 0.0, 0.0}, hole = {0.0, 0.0, 0.0}, along = {2.0, 0.0, 0.0};
    tact_ray_hit hit = tact_shape_ray(solid, tact_identity(), inner, along, INFINITY);
    assert_true(hit.state == TACT_HIT && hit.t == 0.0 && vec_max_abs(hit.normal) == 0.0 && vec_equal(hit.point, inner));
    hit = tact_shape_ray(shell, tact_identity(), inner, along, INFINITY);
    assert_true(hit.state == TACT_HIT && fabs(hit.t - 0.2) < 1e-12 && hit.normal.x < -0.9);
    hit = tact_shape_ray(solid, tact_identity(), hole, along, INFINITY);
    assert_true(hit.state == TACT_HIT && fabs(hit.t - 0.3) < 1e-12 && hit.normal.x < -0.9);
    /* in a compound: what comes first, with the number of the leaf */
    const tact_shape *parts[3] = {shell, ball, solid};
    const tact_transform places[3] = {tact_at(5.0, 0.0, 0.0), tact_identity(), tact_at(0.0, 0.0, 10.0)};
    tact_shape *whole = tact_compound(parts, places, 3);
    hit = tact_shape_ray(whole, tact_identity(), vec_make(-2.0, 0.0, 0.0), along, INFINITY);
    assert_true(hit.state == TACT_HIT && fabs(hit.t - 0.875) < 1e-12 && hit.part.leaf == 1);
    hit = tact_shape_ray(whole, tact_identity(), vec_make(0.5, 0.0, 0.0), along, INFINITY);
    assert_true(hit.state == TACT_HIT && hit.part.leaf == 0);
    hit = tact_shape_ray(whole, tact_identity(), vec_make(1.0, 0.0, 10.0), along, 3.0);
    assert_true(hit.state == TACT_HIT && hit.t == 0.0 && hit.part.leaf == 2);
    tact_shape_release(whole);
    tact_shape_release(solid);
    tact_shape_release(shell);
    tact_shape_release(ball);
}

static int rounded_hits, rounded_misses;

/* A rounded mesh: its points within the margin. The first point of the ray that is, by the triangles alone. */
static void rounded_case(const char *what, int number)
{
    dice d = dice_for(13, 1, (uint64_t)number);
    zoo_make(&mesh_a, (zoo_kind)(number % ZOO_KINDS), 10 + dice_pick(&d, 30), &d);
    double margin = dice_power(&d, -3.0, -0.5);
    tact_shape *shape = zoo_shape(&mesh_a, false, margin);
    tact_transform at = zoo_placement(&d, 1.0);
    for (int i = 0; i < 4; i++) {
        tact_vec3 t[3], from = vector(&d, 4.0), direction = vec_sub(vec_add(vector(&d, 0.5), at.origin), from);
        double least = INFINITY;
        zoo_placed(&mesh_a, &at, (uint32_t)dice_pick(&d, (int)mesh_a.triangle_count), t);
        if (i % 2 == 0)
            direction = vec_sub(vec_add(t[0], vector(&d, 0.5 * margin)), from);
        for (uint32_t k = 0; k < mesh_a.triangle_count; k++) {
            zoo_placed(&mesh_a, &at, k, t);
            tact_shape *flat = tact_triangle(t[0], t[1], t[2]), *piece = tact_rounded(flat, margin);
            tact_ray_hit hit = tact_shape_ray(piece, tact_identity(), from, direction, INFINITY);
            assert_int_equal(hit.status, TACT_OK);
            if (hit.state == TACT_HIT)
                least = fmin(least, hit.t);
            tact_shape_release(flat);
            tact_shape_release(piece);
        }
        tact_ray_hit hit = tact_shape_ray(shape, at, from, direction, INFINITY);
        CHECK(hit.status == TACT_OK && (hit.state == TACT_HIT) == (least < INFINITY), "ray %d: %g", i, least);
        CHECK(hit.state != TACT_HIT || fabs(hit.t - least) <= 1e-9, "ray %d: %.17g, should be %.17g", i, hit.t, least);
        if (hit.state == TACT_HIT) {
            zoo_placed(&mesh_a, &at, hit.part.face, t);
            CHECK(zoo_point_gap(t, hit.point) <= margin + 1e-9, "point off");
        }
        ++*(hit.state == TACT_HIT ? &rounded_hits : &rounded_misses);
    }
    tact_shape_release(shape);
}

static void rays_and_rounded_meshes(void **state)
{
    (void)state;
    const int count = cases(80);
    run_cases("rounded", count, rounded_case);
    print_message("%d hits, %d misses\n", rounded_hits, rounded_misses);
    if (!few_cases())
        assert_true(rounded_hits > count && rounded_misses > count / 4);
}

/* ---- the nearest point, and inside ------------------------------------------------------------------------------- */

static tact_vec3 *placed_vertices(const zoo_mesh *m, const tact_transform *at)
{
    static tact_vec3 all[ZOO_MOST];
    for (uint32_t i = 0; i < m->vertex_count; i++)
        all[i] = vec_add(vec_transform(at, m->vertices[i]), at->origin);
    return all;
}

static int points_in, points_out, points_on;

static void point_case(const char *what, int number)
{
    dice d = dice_for(14, 1, (uint64_t)number);
    zoo_make(&mesh_a, (zoo_kind)(number % ZOO_KINDS), 20 + dice_pick(&d, 60), &d);
    const bool closed = number % ZOO_KINDS <= ZOO_BALL, solid = closed && dice_pick(&d, 2) == 0;
    const double margin = dice_pick(&d, 3) == 0 ? dice_power(&d, -3.0, -1.0) : 0.0;
    tact_shape *shape = zoo_shape(&mesh_a, solid, margin);
    const tact_transform at = zoo_placement(&d, 1.0);
    const tact_vec3 *vertices = placed_vertices(&mesh_a, &at);
    for (int i = 0; i < 20; i++) {
        tact_vec3 t[3], p = vec_add(vector(&d, i % 2 ? 2.0 : 1.0), at.origin);
        zoo_placed(&mesh_a, &at, (uint32_t)dice_pick(&d, (int)mesh_a.triangle_count), t);
        if (i % 5 == 0)
            p = t[0];
        if (i % 5 == 1)
            p = vec_scale(vec_add(t[0], t[1]), 0.5);
        long double surface = INFINITY;
        for (uint32_t k = 0; k < mesh_a.triangle_count; k++) {
            zoo_placed(&mesh_a, &at, k, t);
            surface = fminl(surface, zoo_point_gap(t, p));
        }
        parity_location place =
            solid ? mesh_parity(vertices, mesh_a.corners, mesh_a.triangle_count, p) : PARITY_OUTSIDE;
        long double right = (place == PARITY_INSIDE ? -surface : surface) - margin;
        double size = vec_max_abs(p) + 6.0;
        tact_closest c = tact_shape_closest(shape, at, p);
        long double slack = 1e-10L * fabsl(right) + 64.0L * DBL_EPSILON * size;
        CHECK(c.status == TACT_OK && fabsl(c.distance - right) <= slack, "point %d: %.17g, should be %.17Lg", i,
              c.distance, right);
        CHECK(solid || margin > 0.0 || c.distance >= 0.0, "a shell has no inside: %g", c.distance);
        CHECK(fabs(vec_length_safe(c.normal) - 1.0) < 1e-9, "point %d: normal of length %g", i,
              vec_length_safe(c.normal));
        /* the point is as far from p along the normal, on the face that is named */
        tact_vec3 back = vec_mul_add(c.point, c.distance, c.normal);
        CHECK(vec_max_abs(vec_sub(back, p)) <= 1e-9 * size, "point %d: %g off", i, vec_max_abs(vec_sub(back, p)));
        zoo_placed(&mesh_a, &at, c.part.face, t);
        long double off = zoo_point_gap(t, c.point) - margin;
        /* from inside, through an edge that is concave there, the margin's end is nearer to the faces beside it */
        CHECK((place == PARITY_INSIDE ? off : fabsl(off)) <= 1e-9L * size, "point %d: off the face by %Lg", i, off);
        if (solid &&
            margin == 0.0) /* outward: a small step along the normal is outside, back is inside, but for corners */
            CHECK(vec_dot(c.normal, vec_sub(c.point, p)) * (place == PARITY_INSIDE ? 1.0 : -1.0) >= -1e-12, "outward");
        tact_overlap v = tact_shape_contains(shape, at, p);
        bool inside = margin > 0.0 ? right <= 0.0L : solid ? place != PARITY_OUTSIDE : surface == 0.0L;
        if (margin == 0.0 ? surface == 0.0L || surface > 1e-25L : fabsl(right) > slack)
            CHECK(v.status == TACT_OK && (v.state == TACT_HIT) == inside, "point %d: inside %d, surface %Lg", i, inside,
                  surface);
        points_in += inside;
        points_out += !inside;
        points_on += surface == 0.0L;
    }
    tact_shape_release(shape);
}

static void nearest_points_are_those_of_brute_force(void **state)
{
    (void)state;
    const int count = cases(80);
    run_cases("point", count, point_case);
    print_message("%d inside, %d outside, %d on the surface\n", points_in, points_out, points_on);
    if (!few_cases())
        assert_true(points_in > count && points_out > 4 * count && points_on > count);
}

static void in_a_compound_the_deepest_leaf_counts(void **state)
{
    (void)state;
    zoo_cube(&mesh_a, 1.0);
    tact_shape *solid = zoo_shape(&mesh_a, true, 0.0), *shell = zoo_shape(&mesh_a, false, 0.0),
               *ball = tact_sphere(1.0);
    const tact_shape *parts[3] = {solid, ball, shell};
    const tact_transform places[3] = {tact_identity(), tact_at(1.5, 0.0, 0.0), tact_at(-3.0, 0.0, 0.0)};
    tact_shape *whole = tact_compound(parts, places, 3);
    tact_closest c = tact_shape_closest(whole, tact_identity(), vec_make(0.9, 0.0, 0.0));
    /* 0.1 deep in the cube, 0.4 in the ball */
    assert_true(c.status == TACT_OK && c.part.leaf == 1 && fabs(c.distance + 0.4) < 1e-9 && c.normal.x < -0.99);
    c = tact_shape_closest(whole, tact_identity(), vec_make(0.25, 0.0, 0.5));
    assert_true(c.part.leaf == 0 && fabs(c.distance + 0.5) < 1e-9 && c.normal.z > 0.99 && fabs(c.point.z - 1.0) < 1e-9);
    c = tact_shape_closest(whole, tact_identity(), vec_make(-3.0, 0.0, 0.75));
    assert_true(c.part.leaf == 2 && fabs(c.distance - 0.25) < 1e-9 && c.normal.z < -0.99);
    c = tact_shape_closest(whole, tact_identity(), vec_make(-1.5, 0.0, 0.0));
    assert_true(fabs(c.distance - 0.5) < 1e-9);
    assert_int_equal(tact_shape_contains(whole, tact_identity(), vec_make(0.0, 0.0, 0.0)).state, TACT_HIT);
    assert_int_equal(tact_shape_contains(whole, tact_identity(), vec_make(2.2, 0.0, 0.0)).state, TACT_HIT);
    assert_int_equal(tact_shape_contains(whole, tact_identity(), vec_make(-3.0, 0.0, 0.0)).state, TACT_MISS);
    assert_int_equal(tact_shape_contains(whole, tact_identity(), vec_make(-3.0, 0.25, 1.0)).state, TACT_HIT);
    tact_shape_release(whole);
    tact_shape_release(solid);
    tact_shape_release(shell);
    tact_shape_release(ball);
}

/* ---- support and bounds ------------------------------------------------------------------------------------------ */

static void support_case(const char *what, int number)
{
    dice d = dice_for(15, 1, (uint64_t)number);
    zoo_make(&mesh_a, (zoo_kind)(number % ZOO_KINDS), 20 + dice_pick(&d, 200), &d);
    const double margin = dice_pick(&d, 2) == 0 ? 0.1 : 0.0;
    tact_shape *shape = zoo_shape(&mesh_a, false, margin), *block = tact_box(0.5, 1.0, 2.0);
    const tact_transform at = zoo_placement(&d, 1.0);
    const tact_vec3 *vertices = placed_vertices(&mesh_a, &at);
    const tact_shape *parts[3] = {shape, block, shape};
    const tact_transform places[3] = {tact_identity(), zoo_placement(&d, 1.0), zoo_placement(&d, 1.0)};
    tact_shape *whole = tact_compound(parts, places, 3);
    tact_bounds bounds;
    assert_int_equal(tact_shape_bounds(shape, at, &bounds), TACT_OK);
    for (int i = 0; i < 10; i++) {
        tact_vec3 n = vec_normalize(vector(&d, 1.0)), p = {0, 0, 0};
        double most = -INFINITY;
        for (uint32_t k = 0; k < 3 * mesh_a.triangle_count; k++)
            most = fmax(most, vec_dot(vertices[mesh_a.corners[k]], n));
        CHECK(tact_shape_support(shape, at, vec_scale(n, 1e-3), &p) == TACT_OK, "support");
        CHECK(fabs(vec_dot(p, n) - (most + margin)) <= 1e-13, "%.17g, should be %.17g", vec_dot(p, n), most + margin);
        CHECK(p.x >= bounds.min.x && p.y >= bounds.min.y && p.z >= bounds.min.z && p.x <= bounds.max.x &&
                  p.y <= bounds.max.y && p.z <= bounds.max.z,
              "bounds");
        /* of a compound: the best of its parts, each as the compound places it */
        most = -INFINITY;
        for (int k = 0; k < 3; k++) {
            tact_shape *bare = tact_rounded(parts[k], 0.0);
            double extra = parts[k] == shape ? margin * vec_length_safe(vec_transform_transposed(&at, n)) : 0.0;
            assert_int_equal(tact_shape_support(bare, tact_transform_compose(at, places[k]), n, &p), TACT_OK);
            most = fmax(most, vec_dot(p, n) + extra);
            tact_shape_release(bare);
        }
        CHECK(tact_shape_support(whole, at, n, &p) == TACT_OK && fabs(vec_dot(p, n) - most) <= 1e-12,
              "compound: %.17g, should be %.17g", vec_dot(p, n), most);
    }
    tact_shape_release(whole);
    tact_shape_release(shape);
    tact_shape_release(block);
}

static void support_points_are_the_farthest(void **state)
{
    (void)state;
    run_cases("support", cases(80), support_case);
}

/* The batch forms of all three give the same as single calls. */
static void batches_give_the_same(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    static tact_ray rays[COUNT];
    static tact_vec3 points[COUNT];
    static tact_ray_hit hits[COUNT];
    static tact_closest nearest[COUNT];
    static tact_overlap in[COUNT];
    dice d = dice_for(16, 1, 0);
    zoo_torus(&mesh_a, 12, 24, 1.0, 0.4);
    tact_shape *solid = zoo_shape(&mesh_a, true, 0.0);
    const tact_transform at = zoo_placement(&d, 1.0);
    for (int i = 0; i < COUNT; i++) {
        rays[i] = (tact_ray){vector(&d, 3.0), vector(&d, 1.0), INFINITY};
        points[i] = vector(&d, 2.0);
    }
    for (int threads = 1; threads <= 4; threads++) {
        const tact_parallel parallel = {NULL, NULL, threads};
        assert_int_equal(tact_ray_batch(solid, at, rays, COUNT, hits, &parallel), TACT_OK);
        assert_int_equal(tact_closest_batch(solid, at, points, COUNT, nearest, &parallel), TACT_OK);
        assert_int_equal(tact_contains_batch(solid, at, points, COUNT, in, &parallel), TACT_OK);
        for (int i = 0; i < COUNT; i++) {
            tact_ray_hit hit = tact_shape_ray(solid, at, rays[i].from, rays[i].direction, rays[i].max);
            tact_closest c = tact_shape_closest(solid, at, points[i]);
            assert_true(hit.state == hits[i].state && hit.t == hits[i].t && hit.part.face == hits[i].part.face);
            assert_true(c.distance == nearest[i].distance && vec_equal(c.point, nearest[i].point));
            assert_true(tact_shape_contains(solid, at, points[i]).state == in[i].state);
        }
    }
    tact_shape_release(solid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_meet_what_the_oracle_says),
        cmocka_unit_test(no_ray_slips_through_a_closed_mesh),
        cmocka_unit_test(rays_from_inside_solids_hit_at_once),
        cmocka_unit_test(rays_and_rounded_meshes),
        cmocka_unit_test(nearest_points_are_those_of_brute_force),
        cmocka_unit_test(in_a_compound_the_deepest_leaf_counts),
        cmocka_unit_test(support_points_are_the_farthest),
        cmocka_unit_test(batches_give_the_same),
    };
    return cmocka_run_group_tests(tests, open_oracle, close_oracle);
}
