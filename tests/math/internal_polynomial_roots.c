/*
 * Real roots of cubics with wide coefficients, against GMP: polynomials with known roots, rational numbers and square
 * roots, often shared or double; and arbitrary polynomials, whose roots GMP brackets.
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
#include <string.h>

#include "math/poly.h"
#include "support/random.h"
#include "support/seeded_cases.h"

enum { WORDS = 20000, PIECES = 100 };

static uint64_t pool[WORDS];

/* A polynomial in GMP, lowest coefficient first. */
typedef struct whole {
    int degree;
    mpz_t c[4];
} whole;

static void whole_init(whole *f)
{
    f->degree = -1;
    for (int i = 0; i < 4; ++i)
        mpz_init(f->c[i]);
}

static void whole_clear(whole *f)
{
    for (int i = 0; i < 4; ++i)
        mpz_clear(f->c[i]);
}

/* f *= c1 x + c0 */
static void whole_times(whole *f, const mpz_t c1, const mpz_t c0)
{
    mpz_t last;
    mpz_init(last);
    for (int i = 3; i >= 0; --i) {
        mpz_mul(f->c[i], f->c[i], c0);
        if (i > 0) {
            mpz_mul(last, f->c[i - 1], c1);
            mpz_add(f->c[i], f->c[i], last);
        }
    }
    mpz_clear(last);
}

static wide to_wide(wide_workspace *workspace, const mpz_t z)
{
    int count = (int)((mpz_sizeinbase(z, 2) + 63) / 64);
    if (mpz_sgn(z) == 0)
        return (wide){NULL, 0, 0};
    uint64_t *words = wide_allocate(workspace, count);
    memset(words, 0, (size_t)count * sizeof *words);
    mpz_export(words, NULL, -1, sizeof *words, 0, 0, z);
    return (wide){words, count, mpz_sgn(z)};
}

static poly to_poly(wide_workspace *workspace, whole *f)
{
    wide c[4];
    for (int i = 0; i < 4; ++i)
        c[i] = to_wide(workspace, f->c[i]);
    poly p = poly_make(c);
    f->degree = p.degree;
    return p;
}

/* The sign of f(p / q), q > 0. */
static int sign_at_fraction(const whole *f, const mpz_t p, const mpz_t q)
{
    mpz_t sum, power;
    mpz_inits(sum, power, NULL);
    mpz_set_ui(power, 1);
    for (int i = 3; i >= 0; --i) { /* sum of c_i p^i q^(3 - i) */
        mpz_mul(sum, sum, p);
        mpz_addmul(sum, f->c[i], power);
        mpz_mul(power, power, q);
    }
    int sign = mpz_sgn(sum);
    mpz_clears(sum, power, NULL);
    return sign;
}

static void random_number(random_source *r, mpz_t z, int bits)
{
    mpz_set_ui(z, 0);
    for (int i = 0; i < bits; i += 32) {
        mpz_mul_2exp(z, z, 32);
        mpz_add_ui(z, z, (unsigned long)(random_bits(r) >> 32));
    }
    mpz_tdiv_q_2exp(z, z, (mp_bitcnt_t)((bits + 31) / 32 * 32 - bits));
    if (random_chance(r, 0.5))
        mpz_neg(z, z);
}

typedef struct fraction {
    mpz_t p, q;
} fraction;

static int compare_fractions(const void *a, const void *b)
{
    const fraction *f = a, *g = b;
    mpz_t left, right;
    mpz_inits(left, right, NULL);
    mpz_mul(left, f->p, g->q);
    mpz_mul(right, g->p, f->q);
    int order = mpz_cmp(left, right);
    mpz_clears(left, right, NULL);
    return (order > 0) - (order < 0);
}

/* A quadratic that often has a root at one of the fractions, or two of them. */
static void random_quadratic(random_source *r, whole *g, fraction *roots, int count, int bits)
{
    mpz_t one, minus;
    mpz_inits(one, minus, NULL);
    for (int i = 0; i < 4; ++i)
        mpz_set_ui(g->c[i], 0);
    mpz_set_si(g->c[0], random_chance(r, 0.5) ? 1 : -3);
    int degree = random_between(r, 0, 2);
    for (int i = 0; i < degree; ++i) {
        if (count > 0 && random_chance(r, 0.5)) {
            const fraction *f = &roots[random_below(r, (uint64_t)count)];
            mpz_neg(minus, f->p);
            mpz_set(one, f->q);
        } else {
            random_number(r, minus, bits);
            random_number(r, one, bits);
        }
        whole_times(g, one, minus);
    }
    if (random_chance(r, 0.3)) /* after an odd change the roots are usually irrational, and very close or complex */
        mpz_add_ui(g->c[0], g->c[0], 1);
    mpz_clears(one, minus, NULL);
}

static void rational_roots_are_distinguished(void **state)
{
    (void)state;
    int zeros = 0, doubled = 0, single = 0, compared = 0, within = 0, equal_pairs = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(20000); ++seed) {
        random_source r = random_seed(seed);
        wide_workspace workspace = WIDE_WORKSPACE(pool);
        int degree = random_between(&r, 1, 3),
            bits = random_chance(&r, 0.7) ? random_between(&r, 1, 6) : random_between(&r, 50, 400);
        bool alone = degree == 3 && random_chance(&r, 0.3); /* one real root, times a quadratic without real roots */
        int count = alone ? 1 : degree;
        fraction roots[3];
        whole f, g;
        whole_init(&f);
        whole_init(&g);
        mpz_t minus;
        mpz_init(minus);
        mpz_set_si(f.c[0], random_chance(&r, 0.5) ? 1 : -2);
        for (int i = 0; i < count; ++i) {
            mpz_inits(roots[i].p, roots[i].q, NULL);
            random_number(&r, roots[i].p, bits);
            random_number(&r, roots[i].q, bits);
            mpz_abs(roots[i].q, roots[i].q);
            if (mpz_sgn(roots[i].q) == 0)
                mpz_set_ui(roots[i].q, 1);
            if (i > 0 && random_chance(&r, 0.3)) {
                mpz_set(roots[i].p, roots[i - 1].p);
                mpz_set(roots[i].q, roots[i - 1].q);
                if (bits > 50) /* nearly equal */
                    mpz_add_ui(roots[i].p, roots[i].p, (unsigned long)random_between(&r, 0, 1));
                ++doubled;
            }
            mpz_neg(minus, roots[i].p);
            whole_times(&f, roots[i].q, minus);
        }
        if (alone) { /* times x^2 + 2 s x + s^2 + 1 */
            mpz_t s, t, c[2];
            mpz_inits(s, t, c[0], c[1], NULL);
            random_number(&r, s, random_chance(&r, 0.5) ? bits : 2);
            if (random_chance(&r, 0.5)) /* so large that the two complex roots nearly form a double real one */
                random_number(&r, s, 40);
            mpz_set(c[0], f.c[0]);
            mpz_set(c[1], f.c[1]);
            mpz_mul(t, s, s);
            mpz_add_ui(t, t, 1);
            mpz_mul_2exp(s, s, 1);
            mpz_mul(f.c[0], c[0], t);
            mpz_mul(f.c[1], c[1], t);
            mpz_addmul(f.c[1], c[0], s);
            mpz_set(f.c[2], c[0]);
            mpz_addmul(f.c[2], c[1], s);
            mpz_set(f.c[3], c[1]);
            mpz_clears(s, t, c[0], c[1], NULL);
            ++single;
        }
        qsort(roots, (size_t)count, sizeof roots[0], compare_fractions);
        poly p = to_poly(&workspace, &f);
        double range = random_chance(&r, 0.3) ? 0x1p1000 : 0x1p8;
        poly_roots found = tact_poly_roots_find(&workspace, &p, -range, range);
        bool inside = false, all_inside = true;
        for (int i = 0; i < count; ++i) { /* |p| <= range q? */
            mpz_mul_2exp(minus, roots[i].q, range > 0x1p8 ? 1000 : 8);
            bool here = mpz_cmpabs(roots[i].p, minus) <= 0;
            inside = inside || here;
            all_inside = all_inside && here;
        }
        if (inside)
            CHECK(found.count == count, "%d roots, not %d", found.count, count);
        else
            CHECK(found.last == found.first, "%d roots, not none", found.last - found.first);
        if (all_inside)
            CHECK(found.first == 0 && found.last == count, "%d roots, not %d", found.last - found.first, count);
        within += all_inside;
        for (int k = 0; k + 1 < found.count; ++k) {
            bool equal = compare_fractions(&roots[k], &roots[k + 1]) == 0;
            CHECK(tact_poly_roots_equal(&workspace, &found, k) == equal, "roots %d and %d", k, k + 1);
            equal_pairs += equal;
        }
        random_quadratic(&r, &g, roots, count, bits);
        poly q = to_poly(&workspace, &g);
        int used = workspace.used;
        for (int k = 0; k < found.count; ++k) {
            int expected = sign_at_fraction(&g, roots[k].p, roots[k].q);
            int sign = tact_poly_root_sign(&workspace, &found, k, &q);
            CHECK(sign == expected, "sign %d, not %d, at root %d", sign, expected, k);
            zeros += sign == 0 && q.degree > 0;
            double near = random_chance(&r, 0.5) ? mpz_get_d(roots[k].p) / mpz_get_d(roots[k].q)
                                                 : (double)random_between(&r, -4, 4) / 2;
            fraction at;
            mpz_inits(at.p, at.q, NULL);
            mpq_t exact;
            mpq_init(exact);
            mpq_set_d(exact, near);
            mpz_set(at.p, mpq_numref(exact));
            mpz_set(at.q, mpq_denref(exact));
            int order = compare_fractions(&roots[k], &at);
            CHECK(tact_poly_root_compare(&workspace, &found, k, near) == order, "root %d against %a", k, near);
            mpq_clear(exact);
            mpz_clears(at.p, at.q, NULL);
        }
        if (g.degree >= 1) { /* its roots are compared by the sign of g and of its derivative */
            poly_roots others = tact_poly_roots_find(&workspace, &q, -0x1p1000, 0x1p1000);
            for (int k = 0; k < found.count; ++k) {
                int sign = sign_at_fraction(&g, roots[k].p, roots[k].q) * q.c[q.degree].sign, slope = 1;
                mpz_t twice;
                mpz_init(twice); /* r above the vertex of g? 2 c2 p + c1 q */
                mpz_mul(twice, g.c[2], roots[k].p);
                mpz_mul_2exp(twice, twice, 1);
                mpz_addmul(twice, g.c[1], roots[k].q);
                slope = mpz_sgn(twice) * q.c[q.degree].sign;
                mpz_clear(twice);
                for (int j = 0; j < others.count; ++j) {
                    int expected = g.degree == 1 ? sign
                                   : sign > 0    ? slope
                                   : sign < 0    ? (j == 0 ? 1 : -1)
                                   : slope == 0  ? 0
                                   : slope > 0   ? (j == 0 ? 1 : 0)
                                                 : (j == 0 ? 0 : -1);
                    int order = tact_poly_root_compare_root(&workspace, &found, k, &others, j);
                    CHECK(order == expected, "root %d against %d: %d, not %d", k, j, order, expected);
                    ++compared;
                }
            }
        }
        CHECK(workspace.used >= used, "the workspace lost words");
        for (int i = 0; i < count; ++i)
            mpz_clears(roots[i].p, roots[i].q, NULL);
        mpz_clear(minus);
        whole_clear(&f);
        whole_clear(&g);
    }
    if (!few_cases())
        assert_true(zeros > 3000 && doubled > 2000 && single > 1000 && compared > 10000 && within > 10000 &&
                    equal_pairs > 2000);
}

/* The sign of a + b sqrt(d), d > 0. */
static int sign_of_surd(const mpz_t a, const mpz_t b, const mpz_t d)
{
    int p = mpz_sgn(a), q = mpz_sgn(b);
    if (p == q || q == 0)
        return p;
    if (p == 0)
        return q;
    mpz_t left, right;
    mpz_inits(left, right, NULL);
    mpz_mul(left, a, a);
    mpz_mul(right, b, b);
    mpz_mul(right, right, d);
    int order = mpz_cmp(left, right);
    mpz_clears(left, right, NULL);
    return order > 0 ? p : order < 0 ? q : 0;
}

/* f = (x^2 - d) (x - n) or x^2 - d, d no square. */
static void square_roots_are_distinguished(void **state)
{
    (void)state;
    int zeros = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(10000); ++seed) {
        random_source r = random_seed(seed);
        wide_workspace workspace = WIDE_WORKSPACE(pool);
        int bits = random_chance(&r, 0.7) ? random_between(&r, 2, 6) : random_between(&r, 50, 400);
        whole f, g;
        mpz_t d, n, one, a, b;
        whole_init(&f);
        whole_init(&g);
        mpz_inits(d, n, one, a, b, NULL);
        do {
            random_number(&r, d, bits);
            mpz_abs(d, d);
        } while (mpz_perfect_square_p(d));
        mpz_set_si(f.c[2], random_chance(&r, 0.5) ? 1 : -1);
        mpz_mul(f.c[0], f.c[2], d);
        mpz_neg(f.c[0], f.c[0]);
        bool third = random_chance(&r, 0.6);
        if (third) {
            if (random_chance(&r, 0.5)) { /* very close to the square root */
                mpz_sqrt(n, d);
                mpz_add_ui(n, n, (unsigned long)random_between(&r, 0, 1));
            } else {
                random_number(&r, n, bits);
            }
            mpz_neg(n, n);
            mpz_set_ui(one, 1);
            whole_times(&f, one, n);
            mpz_neg(n, n);
        }
        if (random_chance(&r, 0.3)) { /* the same square root */
            random_number(&r, g.c[2], bits);
            mpz_mul(g.c[0], g.c[2], d);
            mpz_neg(g.c[0], g.c[0]);
        } else {
            for (int i = 0; i < 3; ++i)
                random_number(&r, g.c[i], i == 0 ? 2 * bits : bits);
        }
        poly p = to_poly(&workspace, &f), q = to_poly(&workspace, &g);
        poly_roots found = tact_poly_roots_find(&workspace, &p, -0x1p1000, 0x1p1000);
        CHECK(found.count == (third ? 3 : 2), "%d roots", found.count);
        mpz_mul(a, g.c[2], d); /* g(sqrt d) = (c2 d + c0) + c1 sqrt d */
        mpz_add(a, a, g.c[0]);
        mpz_neg(b, g.c[1]);
        int upper = sign_of_surd(a, g.c[1], d), lower = sign_of_surd(a, b, d), k = 0;
        mpz_mul(b, n, n);
        int third_index = !third ? 3 : mpz_cmp(b, d) < 0 ? 1 : mpz_sgn(n) < 0 ? 0 : 2;
        for (int i = 0; i < 2; ++i, ++k) {
            k += k == third_index;
            int sign = tact_poly_root_sign(&workspace, &found, k, &q), expected = i == 0 ? lower : upper;
            CHECK(sign == expected, "sign %d, not %d, at root %d", sign, expected, k);
            zeros += sign == 0 && q.degree > 0;
        }
        mpz_clears(d, n, one, a, b, NULL);
        whole_clear(&f);
        whole_clear(&g);
    }
    if (!few_cases())
        assert_true(zeros > 2000);
}

/* Arbitrary cubics: between two points of a fine grid the sign of f changes once for each root found there. */
static void roots_lie_where_the_sign_changes(void **state)
{
    (void)state;
    int counts[4] = {0}, inside = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(3000); ++seed) {
        random_source r = random_seed(seed);
        wide_workspace workspace = WIDE_WORKSPACE(pool);
        int bits = random_chance(&r, 0.5) ? random_between(&r, 2, 5) : random_between(&r, 20, 300);
        whole f;
        whole_init(&f);
        for (int i = 0; i < 4; ++i)
            random_number(&r, f.c[i], bits);
        poly h = to_poly(&workspace, &f);
        if (h.degree >= 1) {
            double from = (double)random_between(&r, -3 * PIECES, 0) / PIECES,
                   to = (double)random_between(&r, 1, 3 * PIECES) / PIECES;
            poly_roots found = tact_poly_roots_find(&workspace, &h, from, to);
            CHECK(found.count <= h.degree && found.first >= 0 && found.last <= found.count, "%d", found.count);
            for (int i = 0; i < PIECES; ++i) {
                double low = from + (to - from) * i / PIECES, high = from + (to - from) * (i + 1) / PIECES;
                high = i == PIECES - 1 ? to : high;
                int below = poly_sign(&workspace, &h, low), above = poly_sign(&workspace, &h, high), here = 0;
                mpq_t x;
                mpq_init(x);
                mpq_set_d(x, low);
                CHECK(below == sign_at_fraction(&f, mpq_numref(x), mpq_denref(x)), "at %a", low);
                mpq_clear(x);
                for (int k = found.first; k < found.last; ++k)
                    here += tact_poly_root_compare(&workspace, &found, k, low) > 0 &&
                            tact_poly_root_compare(&workspace, &found, k, high) < 0;
                if (below != 0 && above != 0)
                    CHECK((below != above) == (here % 2 == 1), "between %a and %a: %d roots", low, high, here);
                inside += here;
            }
            ++counts[found.count];
        }
        whole_clear(&f);
    }
    if (!few_cases())
        assert_true(counts[0] > 100 && counts[1] > 500 && counts[3] > 200 && inside > 1500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rational_roots_are_distinguished),
        cmocka_unit_test(square_roots_are_distinguished),
        cmocka_unit_test(roots_lie_where_the_sign_changes),
    };
    return cmocka_run_group_tests_name("poly", tests, NULL, NULL);
}
