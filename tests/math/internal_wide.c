/* Wide integers against GMP: random lengths, words of all zeros and all ones, and the stated allocation of each
 * operation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <float.h>
#include <gmp.h>
#include <math.h>

#include "math/wide.h"
#include "support/random.h"

enum { LONGEST = 70, WORDS = 600 };

static uint64_t pool[WORDS];

/* A number of up to `longest` words, often with runs of zeros and ones, so that carries and borrows propagate far. */
static wide random_wide(random_source *source, wide_workspace *workspace, int longest)
{
    int count = random_between(source, 0, random_chance(source, 0.5) ? longest : 3);
    uint64_t *words = wide_allocate(workspace, count);
    int kind = random_between(source, 0, 3);
    for (int i = 0; i < count; ++i) {
        uint64_t bits = random_bits(source);
        words[i] = kind == 0       ? bits
                   : kind == 1     ? UINT64_MAX
                   : kind == 2     ? 0
                   : bits % 3 == 0 ? bits
                   : bits % 3 == 1 ? UINT64_MAX
                                   : 0;
    }
    if (count > 0 && words[count - 1] == 0)
        words[count - 1] = 1;
    int sign = random_chance(source, 0.5) ? 1 : -1;
    return (wide){words, count, count > 0 ? sign : 0};
}

static void to_mpz(mpz_t z, wide a)
{
    mpz_import(z, (size_t)a.count, -1, sizeof(uint64_t), 0, 0, a.words);
    if (a.sign < 0)
        mpz_neg(z, z);
}

/* Is it the number, in normal form? */
static bool is(wide a, const mpz_t expected)
{
    mpz_t z;
    mpz_init(z);
    to_mpz(z, a);
    bool right = mpz_cmp(z, expected) == 0 && a.sign == mpz_sgn(expected) &&
                 (a.count == 0 ? a.sign == 0 : a.words[a.count - 1] != 0);
    mpz_clear(z);
    return right;
}

static void operations_agree_with_gmp(void **state)
{
    (void)state;
    random_source source = random_seed(1);
    mpz_t x, y, z;
    mpz_inits(x, y, z, NULL);
    int cancelled = 0, zeros = 0, compared[3] = {0};
    for (int i = 0; i < 40000; ++i) {
        wide_workspace workspace = WIDE_WORKSPACE(pool);
        wide a = random_wide(&source, &workspace, LONGEST), b = random_wide(&source, &workspace, LONGEST);
        if (i % 5 == 0) /* nearly the same magnitude, so that much cancels */
            b = random_chance(&source, 0.5)
                    ? a
                    : tact_wide_add(&workspace, a, tact_wide_from_int64(&workspace, random_between(&source, -2, 2)));
        if (i % 10 == 5)
            b = wide_negate(b);
        to_mpz(x, a), to_mpz(y, b);

        int longer = a.count > b.count ? a.count : b.count, used = workspace.used;
        wide sum = tact_wide_add(&workspace, a, b);
        assert_true(workspace.used - used <= longer + 1);
        mpz_add(z, x, y);
        assert_true(is(sum, z));
        cancelled += sum.count < longer;
        zeros += sum.sign == 0;

        used = workspace.used;
        wide difference = wide_sub(&workspace, a, b);
        assert_true(workspace.used - used <= longer + 1);
        mpz_sub(z, x, y);
        assert_true(is(difference, z));
        assert_int_equal(tact_wide_compare(a, b), mpz_sgn(z));
        ++compared[tact_wide_compare(a, b) + 1];
        int sizes = mpz_cmpabs(x, y);
        assert_int_equal(tact_wide_compare_magnitude(a, b), (sizes > 0) - (sizes < 0));

        used = workspace.used;
        wide product = tact_wide_mul(&workspace, a, b);
        assert_true(workspace.used - used <= a.count + b.count);
        mpz_mul(z, x, y);
        assert_true(is(product, z));

        int bits = random_between(&source, 0, 300);
        if (i % 3 == 0)
            bits -= bits % 64;
        used = workspace.used;
        wide up = tact_wide_shift_left(&workspace, a, bits);
        assert_true(workspace.used - used <= a.count + bits / 64 + 1);
        mpz_mul_2exp(z, x, (mp_bitcnt_t)bits);
        assert_true(is(up, z));
        used = workspace.used;
        wide down = tact_wide_shift_right(&workspace, a, bits);
        assert_true(workspace.used - used <= (a.count > bits / 64 ? a.count - bits / 64 : 0));
        mpz_tdiv_q_2exp(z, x, (mp_bitcnt_t)bits);
        assert_true(is(down, z));

        assert_int_equal(tact_wide_bit_length(a), a.sign == 0 ? 0 : (int)mpz_sizeinbase(x, 2));
        to_mpz(z, a);
        assert_true(mpz_cmp(x, z) == 0); /* nothing was overwritten */
    }
    mpz_clears(x, y, z, NULL);
    assert_true(cancelled > 2000 && zeros > 500);
    assert_true(compared[0] > 2000 && compared[1] > 500 && compared[2] > 2000);
}

static void doubles_are_decomposed_exactly(void **state)
{
    (void)state;
    random_source source = random_seed(2);
    mpz_t expected;
    mpz_init(expected);
    int longest = 0, subnormal = 0, fits = 0;
    for (int i = 0; i < 20000; ++i) {
        double values[3];
        for (int k = 0; k < 3; ++k)
            values[k] = i % 3 == 0   ? random_finite(&source)
                        : i % 3 == 1 ? (double)random_between(&source, -1000, 1000)
                                     : random_size(&source, -1074, -1060);
        if (i == 0)
            values[0] = DBL_MAX, values[1] = 0x1p-1074, values[2] = -0.0;
        wide_grid grid;
        assert_true(wide_find_grid(values, 3, &grid));
        bool odd = false, any = false;
        for (int k = 0; k < 3; ++k) {
            wide_workspace workspace = WIDE_WORKSPACE(pool);
            wide a = tact_wide_from_double(&workspace, values[k], grid.exponent);
            assert_true(workspace.used <= WIDE_DOUBLE_WORDS);
            int exponent;
            double fraction = frexp(values[k], &exponent);
            mpz_set_d(expected, ldexp(fraction, 53));
            int shift = exponent - 53 - grid.exponent;
            if (shift >= 0)
                mpz_mul_2exp(expected, expected, (mp_bitcnt_t)shift);
            else if (mpz_sgn(expected) != 0) {
                assert_true(mpz_divisible_2exp_p(expected, (mp_bitcnt_t)-shift));
                mpz_tdiv_q_2exp(expected, expected, (mp_bitcnt_t)-shift);
            }
            assert_true(is(a, expected));
            int bits = tact_wide_bit_length(a);
            assert_true(bits <= grid.bits);
            if (grid.bits <= 63) {
                int64_t whole = wide_to_int64(values[k], grid.exponent);
                assert_true(tact_wide_compare(a, tact_wide_from_int64(&workspace, whole)) == 0);
                ++fits;
            }
            odd = odd || (bits > 0 && (a.words[0] & 1) != 0);
            any = any || bits > 0;
            longest = a.count > longest ? a.count : longest;
            subnormal += values[k] != 0.0 && fabs(values[k]) < DBL_MIN;
        }
        assert_true(odd || !any); /* no coarser grid exists */
    }
    mpz_clear(expected);
    assert_int_equal(longest, WIDE_DOUBLE_WORDS);
    assert_true(subnormal > 10000 && fits > 10000);
    wide_grid grid;
    assert_false(wide_find_grid((double[]){1.0, INFINITY}, 2, &grid));
    assert_false(wide_find_grid((double[]){NAN}, 1, &grid));
    assert_true(wide_find_grid((double[]){0.0, -0.0}, 2, &grid) && grid.exponent == 0 && grid.bits == 0);
    wide_workspace workspace = WIDE_WORKSPACE(pool);
    assert_int_equal(tact_wide_bit_length(tact_wide_from_int64(&workspace, INT64_MIN)), 64);
    assert_int_equal(tact_wide_from_int64(&workspace, 0).sign, 0);
}

static void sums_of_products_agree_with_gmp(void **state)
{
    (void)state;
    random_source source = random_seed(4);
    mpz_t x, y, z;
    mpz_inits(x, y, z, NULL);
    int zeros = 0, negative = 0, cancelled = 0;
    for (int i = 0; i < 20000; ++i) {
        wide_workspace workspace = WIDE_WORKSPACE(pool);
        wide a[6], b[6];
        int count = random_between(&source, 0, 6), longest = 0;
        mpz_set_ui(z, 0);
        for (int k = 0; k < count; ++k) {
            a[k] = random_wide(&source, &workspace, 20);
            b[k] = random_wide(&source, &workspace, 20);
            if (k % 2 == 1 && random_chance(&source, 0.4)) /* cancels all or nearly all of the previous term */
                a[k] = wide_negate(a[k - 1]), b[k] = random_chance(&source, 0.5) ? b[k - 1] : b[k];
            to_mpz(x, a[k]), to_mpz(y, b[k]);
            mpz_addmul(z, x, y);
            int length = a[k].sign != 0 && b[k].sign != 0 ? a[k].count + b[k].count : 0;
            longest = length > longest ? length : longest;
        }
        int used = workspace.used;
        wide sum = tact_wide_dot(&workspace, count, a, b);
        assert_true(is(sum, z));
        assert_true(workspace.used - used == sum.count && sum.count <= longest + 1);
        zeros += sum.sign == 0 && longest > 0;
        negative += sum.sign < 0;
        cancelled += longest - sum.count > 2;
    }
    mpz_clears(x, y, z, NULL);
    assert_true(zeros > 500 && negative > 5000 && cancelled > 500);
}

static void the_first_bits_make_a_double(void **state)
{
    (void)state;
    random_source source = random_seed(5);
    mpz_t z;
    mpz_init(z);
    int vanished = 0;
    for (int i = 0; i < 20000; ++i) {
        wide_workspace workspace = WIDE_WORKSPACE(pool);
        wide a = random_wide(&source, &workspace, LONGEST);
        to_mpz(z, a);
        long exponent;
        double fraction = mpz_get_d_2exp(&exponent, z); /* rounded towards zero */
        int unit = tact_wide_bit_length(a) + random_between(&source, -999, 1100);
        double expected = a.sign == 0 || exponent - unit <= -1000 ? 0.0 : ldexp(fraction, (int)exponent - unit);
        double x = tact_wide_to_double(a, unit);
        assert_true(fabs(x - expected) <= 0x1p-52 * fabs(x) || (fabs(x) <= 0x1p-999 && expected == 0.0));
        vanished += x == 0.0 && a.sign != 0;
    }
    mpz_clear(z);
    assert_true(vanished > 100);
}

static void wide_keep_keeps_one_number(void **state)
{
    (void)state;
    random_source source = random_seed(3);
    mpz_t expected;
    mpz_init(expected);
    for (int i = 0; i < 2000; ++i) {
        wide_workspace workspace = WIDE_WORKSPACE(pool);
        wide before = random_wide(&source, &workspace, 20);
        int mark = workspace.used;
        wide a = random_wide(&source, &workspace, 20), b = random_wide(&source, &workspace, 20);
        wide kept = i % 4 == 0 ? before : i % 4 == 1 ? a : i % 4 == 2 ? b : tact_wide_mul(&workspace, a, b);
        to_mpz(expected, kept);
        kept = wide_keep(&workspace, mark, kept);
        assert_true(is(kept, expected));
        assert_int_equal(workspace.used, i % 4 == 0 ? mark : mark + kept.count);
        (void)random_wide(&source, &workspace, 20); /* reuses the freed words without overwriting it */
        assert_true(is(kept, expected));
    }
    mpz_clear(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_agree_with_gmp),       cmocka_unit_test(doubles_are_decomposed_exactly),
        cmocka_unit_test(sums_of_products_agree_with_gmp), cmocka_unit_test(the_first_bits_make_a_double),
        cmocka_unit_test(wide_keep_keeps_one_number),
    };
    return cmocka_run_group_tests_name("wide", tests, NULL, NULL);
}
