/*
 * Decimal text to the nearest double, ties to even, as strtod does, several times faster on what mesh files hold.
 *
 * The digits are gathered in one integer w and the value is w 10^e. (1) When w < 2^53 and |e| <= 22 both w and 10^|e|
 * are doubles, and one multiplication or division rounds once (W. D. Clinger, "How to read floating point numbers
 * accurately", 1990). (2) With up to 19 digits and |e| <= 44, w and 10^|e| are exact pairs of doubles, and the quotient
 * or product is computed as a pair, about 2^-104 off; it rounds to its high part for certain unless the low part is
 * that close to half a unit in the last place. (3) What remains goes to strtod, whose point is that of C since the tool
 * sets no locale. Measured: 12 ns for six decimals (1), 31 ns for 17 digits (2; 74 ns beyond 10^22), against 62 to 100
 * ns for strtod.
 */
#include "mesh_file_number.h"

#include <stdlib.h>

#include "math/dd.h"

/* Digits that always fit in 64 bits. */
#define DIGITS 19

/* The largest power of ten that is a double. */
#define EXACT_POWER 22

/* Relative: the pair arithmetic below does a product and a division, each a few 2^-104 off; this leaves room to spare.
 */
#define PAIR_ERROR 0x1p-98

/* Where an exponent is no longer gathered, so that it fits in an int64_t: from 45 on it is left to strtod anyway. */
#define EXPONENT_LIMIT 100000000

static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* w 10^e as a double, if this can be told; w is not 0. */
static bool scaled(uint64_t w, int64_t e, double *value)
{
    int64_t size = e < 0 ? -e : e;
    if (size <= EXACT_POWER && w <= UINT64_C(1) << 53) {
        *value = e < 0 ? (double)w / powers[size] : (double)w * powers[size];
        return true;
    }
    if (size > 2 * EXACT_POWER)
        return false;
    /* w has at most 19 digits, so neither conversion leaves its range and the difference is exact */
    double high = (double)w;
    dd whole = {high, (double)(int64_t)(w - (uint64_t)high)};
    dd result;
    if (e < 0 && size <= EXACT_POWER) {
        /* the remainder is a double (Sterbenz), the first quotient's error thus known but for 2^-53 of itself */
        double power = powers[size], quotient = high / power;
        dd product = dd_two_product(quotient, power);
        result = dd_fast_two_sum(quotient, (((high - product.high) - product.low) + whole.low) / power);
    } else {
        /* 5^44 has 103 bits: the product is exact */
        dd power = size <= EXACT_POWER ? dd_make(powers[size])
                                       : dd_two_product(powers[EXACT_POWER], powers[size - EXACT_POWER]);
        result = e < 0 ? dd_div(whole, power) : dd_mul(whole, power);
    }
    double error = result.high * PAIR_ERROR;
    /* the true value is within result.high + (result.low -+ error): the same double at both ends, or unknown */
    if (result.high + (result.low - error) != result.high || result.high + (result.low + error) != result.high)
        return false;
    *value = result.high;
    return true;
}

const char *tact_number_read(const char *text, double *value)
{
    const char *at = text;
    bool minus = *at == '-';
    if (minus || *at == '+')
        at++;
    uint64_t w = 0;
    int64_t dropped = 0; /* how many digits before the point are not in w, minus those after it that are */
    int significant = 0;
    bool digits = false, all = true;
    for (; is_digit(*at); at++) {
        digits = true;
        if (significant < DIGITS) {
            w = 10 * w + (uint64_t)(*at - '0');
            significant += w != 0;
        } else {
            dropped++;
            all = all && *at == '0';
        }
    }
    if (*at == '.') {
        at++;
        for (; is_digit(*at); at++) {
            digits = true;
            if (significant < DIGITS) {
                w = 10 * w + (uint64_t)(*at - '0');
                significant += w != 0;
                dropped--;
            } else {
                all = all && *at == '0';
            }
        }
    }
    if (!digits)
        return NULL;
    int64_t exponent = 0;
    if (*at == 'e' || *at == 'E') {
        const char *behind = at + 1;
        bool down = *behind == '-';
        if (down || *behind == '+')
            behind++;
        if (is_digit(*behind)) {
            for (; is_digit(*behind); behind++)
                exponent = exponent < EXPONENT_LIMIT ? 10 * exponent + (*behind - '0') : EXPONENT_LIMIT;
            at = behind;
            exponent = down ? -exponent : exponent;
        }
    }
    double size = 0.0;
    int64_t e = exponent + dropped;
    if (w != 0 && !(all && scaled(w, e, &size))) {
        *value = strtod(text, NULL);
        return at;
    }
    *value = minus ? -size : size;
    return at;
}
