/* Numbers in mesh files: correct rounding. */
#include <gmp.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mesh_file_number.h"
#include "support/random.h"

static void expect_number(const char *text, size_t *differ)
{
    double value, expected = strtod(text, NULL);
    const char *behind = tact_decimal_read(text, &value);
    if (!behind || *behind || memcmp(&value, &expected, sizeof value) != 0)
        fail_msg("%s is read as %a, not %a", text, behind ? value : (double)NAN, expected);
    *differ += fabs(expected) > 0x1p53 || expected != floor(expected);
}

static void numbers_are_rounded_as_by_strtod(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "+0",
        "0.0e999999999999",
        "1",
        "-1.5",
        "1.",
        ".5",
        "-.5e1",
        "+5e-1",
        "1e22",
        "1e23",
        "1e-22",
        "1e-23",
        "9007199254740992",
        "9007199254740993",
        "9007199254740992.5",
        "9007199254740993.0000000000000000000000001",
        "9007199254740995",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999999999999",
        "99999999999999999999",
        "1e44",
        "1e45",
        "1e-44",
        "1e-45",
        "9999999999999999999e44",
        "9999999999999999999e-44",
        "4.9e-324",
        "2.4e-324",
        "2.5e-324",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "1e400",
        "-1e400",
        "1e-400",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "123456789012345678901234567890",
        "0.000000000000000000000000000000000000000000000000000000000000001234567890123456789e63",
        "1000000000000000000000000",
        "0.10000000000000000555111512312578270211815834045410156250",
        "0.10000000000000000555111512312578270211815834045410156251",
        "5e-324",
        "00000000000000000000000000000000000000001.25"};
    size_t differ = 0;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        expect_number(texts[i], &differ);
    random_source random = random_seed(11);
    char text[400];
    for (int i = 0; i < 400000; i++) {
        double value = i % 4 == 0 ? random_finite(&random) : random_size(&random, -140, 140);
        switch (random_below(&random, 6)) {
        case 0:
            (void)snprintf(text, sizeof text, "%.17g", value);
            break;
        case 1:
            (void)snprintf(text, sizeof text, "%.*e", random_between(&random, 0, 20), value);
            break;
        case 2:
            (void)snprintf(text, sizeof text, "%.*f", random_between(&random, 0, 20), fmod(value, 1e6));
            break;
        case 3: /* up to 19 digits and any small exponent */
            (void)snprintf(text, sizeof text, "%" PRIu64 "e%d", random_bits(&random) >> random_below(&random, 64),
                           random_between(&random, -50, 50));
            break;
        case 4: { /* just between two doubles: whole numbers beyond 2^53, exactly half way or one off, and scaled by ten
                   */
            uint64_t half = (random_bits(&random) >> 11 << 1 | 1) << random_below(&random, 10);
            int zeros = random_between(&random, 0, 20);
            (void)snprintf(text, sizeof text, "%" PRIu64 "%.*s%s", half + random_below(&random, 3) - 1, zeros,
                           ".00000000000000000000", random_chance(&random, 0.3) ? "e0" : "");
            break;
        }
        default: /* half way between two doubles with a short fraction */
            (void)snprintf(text, sizeof text, "%.60g",
                           ldexp((double)(random_bits(&random) >> 11), -random_between(&random, 1, 30)));
        }
        expect_number(text, &differ);
    }
    assert_true(differ > 200000);
}

/* Numbers of at most 19 digits that are nearer to half way between two doubles than a pair of doubles can tell. With
 * odd M of 54 bits, M 2^j is half way. Division: w / 5^k = M / 2^s + r / (2^s 5^k), where M is chosen to make w whole.
 * Multiplication: w 5^k = M 2^s + r, where w is chosen to leave the remainder r. */
static void numbers_close_to_ties_are_rounded_correctly(void **state)
{
    (void)state;
    size_t differ = 0, divided = 0, multiplied = 0;
    mpz_t five, t;
    mpz_inits(five, t, NULL);
    uint64_t inverse = 1; /* of 5^k, modulo 2^64 */
    for (unsigned k = 1; k <= 44; k++) {
        inverse *= UINT64_C(0xCCCCCCCCCCCCCCCD);
        mpz_ui_pow_ui(five, 5, k);
        for (int r = -3000; r <= 3000; r++)
            for (unsigned s = 40; s <= 63; s++) {
                char text[60];
                uint64_t low = ((uint64_t) - (int64_t)r * inverse) & ((UINT64_C(1) << s) - 1);
                if (low >> 53 == 1 && low % 2 == 1) {
                    mpz_mul_ui(t, five, low);
                    if (r < 0)
                        mpz_sub_ui(t, t, (unsigned)-r);
                    else
                        mpz_add_ui(t, t, (unsigned)r);
                    assert_true(mpz_divisible_2exp_p(t, s));
                    mpz_tdiv_q_2exp(t, t, s);
                    if (mpz_cmp_ui(t, UINT64_C(9999999999999999999)) <= 0) {
                        (void)gmp_snprintf(text, sizeof text, "%Zde-%u", t, k);
                        expect_number(text, &differ);
                        divided++;
                    }
                }
                uint64_t w = ((uint64_t)(int64_t)r * inverse) & ((UINT64_C(1) << s) - 1);
                mpz_mul_ui(t, five, w);
                if (mpz_sizeinbase(t, 2) == s + 54) {
                    (void)snprintf(text, sizeof text, "%" PRIu64 "e%u", w, k);
                    expect_number(text, &differ);
                    multiplied++;
                }
            }
    }
    mpz_clears(five, t, NULL);
    assert_true(divided > 5000 && multiplied > 5000);
}

static void only_numbers_are_read_as_numbers(void **state)
{
    (void)state;
    static const char *const none[] = {"",     "-",   "+",   ".",   "-.", "e5", "nan", "inf",
                                       "-inf", "NaN", "--1", "+-1", "x",  ",5", " 1"};
    double value;
    int64_t whole;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_null(tact_decimal_read(none[i], &value));
    static const struct {
        const char *text;
        size_t length;
        double value;
    } part[] = {{"1,5", 1, 1},  {"0x10", 1, 0},    {"1e", 1, 1}, {"1e+", 1, 1},
                {"2e-x", 1, 2}, {"1.5.5", 3, 1.5}, {"7d2", 1, 7}};
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        assert_true(tact_decimal_read(part[i].text, &value) == part[i].text + part[i].length);
        assert_true(value == part[i].value);
    }
    assert_null(integer_read("", &whole));
    assert_null(integer_read("-", &whole));
    assert_null(integer_read("x", &whole));
    assert_true(*integer_read("-123/", &whole) == '/' && whole == -123);
    assert_true(integer_read("99999999999999999999999999999999", &whole) && whole == INTEGER_LIMIT);
    assert_true(integer_read("-99999999999999999999999999999999", &whole) && whole == -INTEGER_LIMIT);
    assert_true(integer_read("999999999999999999", &whole) && whole == INT64_C(999999999999999999));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_rounded_as_by_strtod),
        cmocka_unit_test(numbers_close_to_ties_are_rounded_correctly),
        cmocka_unit_test(only_numbers_are_read_as_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
