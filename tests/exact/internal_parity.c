/*
 * Point in closed surface against GMP. The oracle draws random segments from the point to far away, in integers, until
 * one intersects no edge and no vertex, and counts the triangles that it crosses by five determinants each.
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

#include "bounds/box.h"
#include "exact/parity.h"
#include "support/host_fp_environment.h"
#include "support/long_form.h"
#include "support/mesh_parity.h"
#include "support/random.h"

enum { MOST_VERTICES = 600, MOST_TRIANGLES = 1200 };

typedef struct surface {
    int vertex_count, triangle_count;
    tact_vec3 vertices[MOST_VERTICES];
    uint32_t triangles[3 * MOST_TRIANGLES];
} surface;

/* ---- the oracle: coordinates are whole multiples of 2^-60 and below 2^40 ---- */

static mpz_t u[3], v[3], w[3], term, sum;

static int open_oracle(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k)
        mpz_inits(u[k], v[k], w[k], NULL);
    mpz_inits(term, sum, NULL);
    return 0;
}

static int close_oracle(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k)
        mpz_clears(u[k], v[k], w[k], NULL);
    mpz_clears(term, sum, NULL);
    return 0;
}

static void to_whole(mpz_t target, double x)
{
    mpz_set_d(target, ldexp(x, 60));
    assert_true(ldexp(mpz_get_d(target), -60) == x);
}

static void difference(mpz_t d[3], tact_vec3 a, tact_vec3 b)
{
    const double from[3] = {a.x, a.y, a.z}, to[3] = {b.x, b.y, b.z};
    for (int k = 0; k < 3; ++k) {
        to_whole(d[k], to[k]);
        to_whole(term, from[k]);
        mpz_sub(d[k], d[k], term);
    }
}

static int volume(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d)
{
    difference(u, a, b), difference(v, a, c), difference(w, a, d);
    mpz_set_ui(sum, 0);
    for (int k = 0; k < 3; ++k) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        mpz_mul(term, u[k], v[l]), mpz_addmul(sum, term, w[m]);
        mpz_mul(term, u[k], v[m]), mpz_submul(sum, term, w[l]);
    }
    return mpz_sgn(sum);
}

/* The orientation projected along axis k. */
static int turn(int k, tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    difference(u, a, b), difference(v, a, c);
    mpz_mul(sum, u[(k + 1) % 3], v[(k + 2) % 3]);
    mpz_submul(sum, u[(k + 2) % 3], v[(k + 1) % 3]);
    return mpz_sgn(sum);
}

/* In its plane, in its box, and in all its projections. */
static int on_triangle(const tact_vec3 t[3], tact_vec3 p)
{
    if (volume(t[0], t[1], t[2], p) != 0)
        return 0;
    if (p.x < fmin(fmin(t[0].x, t[1].x), t[2].x) || p.x > fmax(fmax(t[0].x, t[1].x), t[2].x) ||
        p.y < fmin(fmin(t[0].y, t[1].y), t[2].y) || p.y > fmax(fmax(t[0].y, t[1].y), t[2].y) ||
        p.z < fmin(fmin(t[0].z, t[1].z), t[2].z) || p.z > fmax(fmax(t[0].z, t[1].z), t[2].z))
        return 0;
    for (int k = 0; k < 3; ++k) {
        int left = 0, right = 0;
        for (int i = 0; i < 3; ++i) {
            int s = turn(k, t[i], t[(i + 1) % 3], p);
            left |= s > 0;
            right |= s < 0;
        }
        if (left && right)
            return 0;
    }
    return 1;
}

static parity_location oracle(random_source *s, const surface *m, tact_vec3 p, long *winding)
{
    for (;;) {
        tact_vec3 q = {(double)random_between(s, -100000, 100000) * 1024,
                       (double)random_between(s, -100000, 100000) * 1024,
                       (double)random_between(s, -100000, 100000) * 1024};
        if (fabs(q.x) + fabs(q.y) + fabs(q.z) < 1e6)
            continue; /* not far enough to be surely outside */
        int crossings = 0, again = 0;
        *winding = 0;
        for (int i = 0; i < m->triangle_count && !again; ++i) {
            const tact_vec3 t[3] = {m->vertices[m->triangles[3 * i]], m->vertices[m->triangles[3 * i + 1]],
                                    m->vertices[m->triangles[3 * i + 2]]};
            if (on_triangle(t, p))
                return PARITY_ON;
            if (turn(0, t[0], t[1], t[2]) == 0 && turn(1, t[0], t[1], t[2]) == 0 && turn(2, t[0], t[1], t[2]) == 0)
                continue; /* no area: it is never crossed, and a point would be grazed forever */
            int near = volume(t[0], t[1], t[2], p), far = volume(t[0], t[1], t[2], q);
            if (near * far > 0)
                continue;
            int e0 = volume(p, q, t[0], t[1]), e1 = volume(p, q, t[1], t[2]), e2 = volume(p, q, t[2], t[0]);
            if (e0 * e1 < 0 || e1 * e2 < 0 || e2 * e0 < 0)
                continue;
            if (near == 0 || far == 0 || e0 == 0 || e1 == 0 || e2 == 0) {
                again = 1; /* grazes */
                break;
            }
            ++crossings;
            *winding += far;
        }
        if (!again)
            return crossings % 2 != 0 ? PARITY_INSIDE : PARITY_OUTSIDE;
    }
}

/* ---- surfaces ---- */

static void add_triangle(surface *m, int a, int b, int c)
{
    assert_true(m->triangle_count < MOST_TRIANGLES);
    uint32_t *t = m->triangles + 3 * m->triangle_count++;
    t[0] = (uint32_t)a, t[1] = (uint32_t)b, t[2] = (uint32_t)c;
}

static int add_vertex(surface *m, double x, double y, double z)
{
    assert_true(m->vertex_count < MOST_VERTICES);
    m->vertices[m->vertex_count] = (tact_vec3){x, y, z};
    return m->vertex_count++;
}

/* A box of two triangles a face, outward. */
static void add_box(surface *m, tact_vec3 low, tact_vec3 high)
{
    int first = m->vertex_count;
    for (int i = 0; i < 8; ++i)
        (void)add_vertex(m, i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int f = 0; f < 6; ++f) {
        add_triangle(m, first + faces[f][0], first + faces[f][1], first + faces[f][2]);
        add_triangle(m, first + faces[f][0], first + faces[f][2], first + faces[f][3]);
    }
}

/* A torus of n by k quads: closed for any positions. */
static void add_torus(surface *m, random_source *s, int n, int k, int whole)
{
    int first = m->vertex_count;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < k; ++j) {
            double around = 6.283185307179586 * i / n, across = 6.283185307179586 * j / k, r = 3.0 + cos(across);
            double x = r * cos(around), y = r * sin(around), z = sin(across);
            if (whole == 1)
                x = rint(x), y = rint(y), z = rint(z);
            else if (whole == 2)
                x = random_between(s, -2, 2), y = random_between(s, -2, 2), z = random_between(s, -2, 2);
            else
                x = ldexp(rint(ldexp(x, 50)), -50), y = ldexp(rint(ldexp(y, 50)), -50),
                z = ldexp(rint(ldexp(z, 50)), -50);
            (void)add_vertex(m, x, y, z);
        }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < k; ++j) {
            int a = first + i * k + j, b = first + (i + 1) % n * k + j;
            int c = first + (i + 1) % n * k + (j + 1) % k, d = first + i * k + (j + 1) % k;
            add_triangle(m, a, b, c);
            add_triangle(m, a, c, d);
        }
}

static void make_surface(surface *m, random_source *s, int kind)
{
    m->vertex_count = m->triangle_count = 0;
    switch (kind) {
    case 0: /* boxes on a grid, overlapping, nested, touching, flat */
        for (int i = 0, boxes = random_between(s, 1, 5); i < boxes; ++i) {
            tact_vec3 low = {random_between(s, -4, 0), random_between(s, -4, 0), random_between(s, -4, 0)};
            tact_vec3 size = {random_between(s, 0, 6), random_between(s, 0, 6), random_between(s, 2, 6)};
            add_box(m, low, (tact_vec3){low.x + size.x, low.y + size.y, low.z + size.z});
        }
        break;
    case 1: /* smooth, fine coordinates */
        add_torus(m, s, 12, 8, 0);
        break;
    case 2: /* rounded to integers: creases, flat and duplicate triangles */
        add_torus(m, s, 9, 6, 1);
        break;
    default: /* crumpled: closed, but self-intersecting everywhere */
        add_torus(m, s, 4, 3, 2);
        break;
    }
}

static tact_vec3 make_point(const surface *m, random_source *s)
{
    const uint32_t *t = m->triangles + 3 * random_below(s, (uint64_t)m->triangle_count);
    tact_vec3 a = m->vertices[t[0]], b = m->vertices[t[1]];
    switch (random_between(s, 0, 5)) {
    case 0:
        return (tact_vec3){random_between(s, -3, 3), random_between(s, -3, 3), random_between(s, -3, 3)};
    case 1:
        return (tact_vec3){random_between(s, -5, 5) / 2.0, random_between(s, -5, 5) / 2.0,
                           random_between(s, -5, 5) / 2.0};
    case 2: /* in line with a vertex */
        return (tact_vec3){a.x - random_between(s, 0, 2), a.y, a.z};
    case 3: /* in line with an edge */
        return (tact_vec3){(a.x + b.x) / 2.0 - random_between(s, 0, 3) / 2.0, (a.y + b.y) / 2.0, (a.z + b.z) / 2.0};
    case 4:
        return (tact_vec3){b.x, b.y - random_between(s, 0, 3) / 4.0, b.z};
    default:
        return (tact_vec3){random_unit(s) * 8.0 - 4.0, random_unit(s) * 8.0 - 4.0, random_unit(s) * 4.0 - 2.0};
    }
}

/* Whether the ray from p along the axis intersects the closed box; a tree skips the triangle otherwise. */
static bool ray_intersects_box(const box *b, tact_vec3 p, int axis)
{
    const double at[3] = {p.x, p.y, p.z};
    const int i = axis < 2 ? axis + 1 : 0, k = axis > 0 ? axis - 1 : 2;
    return (double)b->min[i] <= at[i] && at[i] <= (double)b->max[i] && (double)b->min[k] <= at[k] &&
           at[k] <= (double)b->max[k] && at[axis] <= (double)b->max[axis];
}

static void every_point_is_where_the_oracle_says(void **state)
{
    (void)state;
    const int rounds = (int)random_case_count(24, 5000);
    static surface m;
    long locations[4][3] = {{0}};
    for (int kind = 0; kind < 4; ++kind)
        for (int round = 0; round < rounds; ++round) {
            random_source s = random_seed((uint64_t)(kind * 1000000 + round));
            make_surface(&m, &s, kind);
            for (int i = 0; i < 20; ++i) {
                tact_vec3 p = make_point(&m, &s);
                long winding;
                parity_location truth = oracle(&s, &m, p, &winding);
                parity_location got = mesh_parity(m.vertices, m.triangles, (size_t)m.triangle_count, p);
                if (got != truth)
                    fail_msg("kind %d round %d: point {%a, %a, %a} is %d, should be %d", kind, round, p.x, p.y, p.z,
                             got, truth);
                locations[kind][truth]++;
                /* all axes, and sizes that only big integers handle; the box test drops no triangle */
                for (int axis = 0; axis < 3; ++axis)
                    for (int exponent = kind == 1 ? 0 : -1072; exponent <= (kind == 1 ? 0 : 928); exponent += 1000) {
                        parity_count count = {0, 0};
                        tact_vec3 q = {ldexp(p.x, exponent), ldexp(p.y, exponent), ldexp(p.z, exponent)};
                        if (exponent < 0 && (ldexp(q.x, -exponent) != p.x || ldexp(q.y, -exponent) != p.y ||
                                             ldexp(q.z, -exponent) != p.z))
                            continue;
                        int on = 0;
                        for (int t = 0; t < m.triangle_count && !on; ++t) {
                            tact_vec3 c[3];
                            for (int k = 0; k < 3; ++k) {
                                c[k] = m.vertices[m.triangles[3 * t + k]];
                                c[k] = (tact_vec3){ldexp(c[k].x, exponent), ldexp(c[k].y, exponent),
                                                   ldexp(c[k].z, exponent)};
                            }
                            set_environment(axis > 0 ? 5 : 0); /* rounding up, subnormals flushed */
                            box b = tact_box_of_points(c, 3);
                            if (ray_intersects_box(&b, q, axis))
                                on = !tact_parity_add(&count, c, q, axis);
                            set_environment(0);
                        }
                        parity_location location = on                         ? PARITY_ON
                                                   : count.crossings % 2 != 0 ? PARITY_INSIDE
                                                                              : PARITY_OUTSIDE;
                        if (location != truth || (!on && count.winding != winding))
                            fail_msg(
                                "kind %d round %d: point {%a, %a, %a} times 2^%d along axis %d is %d, should be %d; "
                                "winding %ld, should be %ld",
                                kind, round, p.x, p.y, p.z, exponent, axis, location, truth, (long)count.winding,
                                winding);
                    }
            }
        }
    for (int kind = 0; kind < 4; ++kind) {
        print_message("kind %d: %ld outside, %ld on, %ld inside\n", kind, locations[kind][PARITY_OUTSIDE],
                      locations[kind][PARITY_ON], locations[kind][PARITY_INSIDE]);
        assert_true(locations[kind][PARITY_OUTSIDE] > rounds && locations[kind][PARITY_ON] > rounds);
        assert_true(few_cases() || locations[kind][PARITY_INSIDE] > rounds / 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_point_is_where_the_oracle_says),
    };
    return cmocka_run_group_tests_name("parity", tests, open_oracle, close_oracle);
}
