/*
 * Wide integers in sign-magnitude form, with schoolbook operations. See wide.h for the model and the costs.
 *
 * Everything is integer arithmetic: no result depends on the floating-point environment. The 64 x 64 bit product uses
 * the compiler's 128-bit integer; where there is none, or with TACT_NO_INT128, it is composed of four 32 x 32 bit
 * products.
 */
#include "math/wide.h"

#define WORD_BITS 64

#if defined(__SIZEOF_INT128__) && !defined(TACT_NO_INT128)
__extension__ typedef unsigned __int128 double_word;

/* a b + c + d, which cannot overflow 128 bits. Returns the low word and writes the high one. */
static inline uint64_t multiply_add(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t *high)
{
    double_word sum = (double_word)a * b + c + d;
    *high = (uint64_t)(sum >> WORD_BITS);
    return (uint64_t)sum;
}
#else
static inline uint64_t multiply_add(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t *high)
{
    const uint64_t half = 0xffffffffu;
    uint64_t a0 = a & half, a1 = a >> 32, b0 = b & half, b1 = b >> 32;
    uint64_t low = a0 * b0;
    uint64_t mid = a1 * b0 + (low >> 32); /* at most (2^32-1)^2 + 2^32-1 < 2^64 */
    uint64_t cross = a0 * b1 + (mid & half);
    uint64_t top = a1 * b1 + (mid >> 32) + (cross >> 32);
    low = (cross << 32) | (low & half);
    uint64_t sum = low + c;
    top += sum < low;
    low = sum + d;
    top += low < sum;
    *high = top;
    return low;
}
#endif

static inline wide zero(void) { return (wide){NULL, 0, 0}; }

/* Removes leading zero words and frees them in the workspace. The words must be the last ones allocated. */
static inline wide trim(wide_workspace *workspace, const uint64_t *words, int count, int sign)
{
    while (count > 0 && words[count - 1] == 0)
        --count;
    workspace->used = (int)(words - workspace->words) + count;
    return (wide){words, count, count > 0 ? sign : 0};
}

/* sum[0 .. length) += a b, modulo 2^(64 length) */
static void add_product(uint64_t *sum, int length, wide a, wide b)
{
    for (int i = 0; i < a.count; ++i) {
        uint64_t carry = 0;
        int j = i;
        for (int k = 0; k < b.count; ++k, ++j)
            sum[j] = multiply_add(a.words[i], b.words[k], sum[j], carry, &carry);
        for (; carry > 0 && j < length; ++j) {
            sum[j] += carry;
            carry = sum[j] < carry;
        }
    }
}

/* sum[0 .. length) -= a b, modulo 2^(64 length) */
static void subtract_product(uint64_t *sum, int length, wide a, wide b)
{
    for (int i = 0; i < a.count; ++i) {
        uint64_t carry = 0;
        int j = i;
        for (int k = 0; k < b.count; ++k, ++j) {
            uint64_t low = multiply_add(a.words[i], b.words[k], carry, 0, &carry);
            carry += sum[j] < low; /* no overflow: if carry is 2^64 - 1, low is 0 */
            sum[j] -= low;
        }
        for (; carry > 0 && j < length; ++j) {
            uint64_t before = sum[j];
            sum[j] = before - carry;
            carry = before < carry;
        }
    }
}

/* 2^exponent, -1022 <= exponent <= 1023 */
static inline double power_of_two(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

wide tact_wide_from_double(wide_workspace *workspace, double value, int exponent)
{
    uint64_t bits = wide_bits_of_double(value);
    int e;
    uint64_t odd = wide_odd_significand(bits, &e);
    if (odd == 0)
        return zero();
    int shift = e - exponent;
    assert(shift >= 0);
    int whole = shift / WORD_BITS, part = shift % WORD_BITS;
    uint64_t *words = wide_allocate(workspace, whole + 2);
    for (int i = 0; i < whole; ++i)
        words[i] = 0;
    words[whole] = odd << part;
    words[whole + 1] = part > 0 ? odd >> (WORD_BITS - part) : 0;
    return trim(workspace, words, whole + 2, bits >> 63 ? -1 : 1);
}

wide tact_wide_from_int64(wide_workspace *workspace, int64_t value)
{
    uint64_t *words = wide_allocate(workspace, 1);
    words[0] = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    return trim(workspace, words, 1, value < 0 ? -1 : 1);
}

int tact_wide_compare_magnitude(wide a, wide b)
{
    if (a.count != b.count)
        return a.count > b.count ? 1 : -1;
    for (int i = a.count - 1; i >= 0; --i)
        if (a.words[i] != b.words[i])
            return a.words[i] > b.words[i] ? 1 : -1;
    return 0;
}

int tact_wide_compare(wide a, wide b)
{
    if (a.sign != b.sign)
        return a.sign > b.sign ? 1 : -1;
    return a.sign * tact_wide_compare_magnitude(a, b);
}

int tact_wide_bit_length(wide a)
{
    return a.count == 0 ? 0 : WORD_BITS * a.count - wide_leading_zeros(a.words[a.count - 1]);
}

wide tact_wide_add(wide_workspace *workspace, wide a, wide b)
{
    if (a.sign == 0)
        return b;
    if (b.sign == 0)
        return a;
    if (a.sign == b.sign) {
        if (a.count < b.count) {
            wide swap = a;
            a = b;
            b = swap;
        }
        uint64_t *sum = wide_allocate(workspace, a.count + 1);
        uint64_t carry = 0;
        int i = 0;
        for (; i < b.count; ++i) {
            uint64_t s = a.words[i] + b.words[i], t = s + carry;
            carry = (uint64_t)(s < b.words[i]) | (uint64_t)(t < s); /* at most one is 1 */
            sum[i] = t;
        }
        for (; i < a.count; ++i) {
            sum[i] = a.words[i] + carry;
            carry = sum[i] < carry;
        }
        sum[i] = carry;
        return trim(workspace, sum, a.count + 1, a.sign);
    }
    int order = tact_wide_compare_magnitude(a, b);
    if (order == 0)
        return zero();
    if (order < 0) {
        wide swap = a;
        a = b;
        b = swap;
    }
    uint64_t *difference = wide_allocate(workspace, a.count);
    uint64_t borrow = 0;
    int i = 0;
    for (; i < b.count; ++i) {
        uint64_t s = a.words[i] - b.words[i], t = s - borrow;
        borrow = (uint64_t)(a.words[i] < b.words[i]) | (uint64_t)(s < borrow); /* at most one is 1 */
        difference[i] = t;
    }
    for (; i < a.count; ++i) {
        difference[i] = a.words[i] - borrow;
        borrow = a.words[i] < borrow;
    }
    return trim(workspace, difference, a.count, a.sign);
}

/* The zero words at the low end of a number that is not 0. */
static int zero_words(wide a)
{
    int count = 0;
    while (a.words[count] == 0)
        ++count;
    return count;
}

wide tact_wide_mul(wide_workspace *workspace, wide a, wide b)
{
    if (a.sign == 0 || b.sign == 0)
        return zero();
    uint64_t *product = wide_allocate(workspace, a.count + b.count);
    const int skip_a = zero_words(a), skip_b = zero_words(b), count = b.count - skip_b;
    const uint64_t *const factor = b.words + skip_b;
    memset(product, 0, (size_t)(skip_a + b.count) * sizeof *product);
    for (int i = skip_a; i < a.count; ++i) {
        const int at = i + skip_b;
        uint64_t carry = 0;
        for (int j = 0; a.words[i] != 0 && j < count; ++j) /* sums of doubles of far different sizes are sparse */
            product[at + j] = multiply_add(a.words[i], factor[j], product[at + j], carry, &carry);
        product[at + count] = carry;
    }
    return trim(workspace, product, a.count + b.count, a.sign * b.sign);
}

wide tact_wide_dot(wide_workspace *workspace, int count, const wide *a, const wide *b)
{
    int length = 0;
    for (int i = 0; i < count; ++i)
        if (a[i].sign != 0 && b[i].sign != 0 && a[i].count + b[i].count > length)
            length = a[i].count + b[i].count;
    if (length == 0)
        return zero();
    ++length; /* the sum is in two's complement: the additional word holds the sign and all carries */
    uint64_t *sum = wide_allocate(workspace, length);
    memset(sum, 0, (size_t)length * sizeof *sum);
    for (int i = 0; i < count; ++i) {
        int sign = a[i].sign * b[i].sign;
        if (sign > 0)
            add_product(sum, length, a[i], b[i]);
        else if (sign < 0)
            subtract_product(sum, length, a[i], b[i]);
    }
    if (sum[length - 1] >> (WORD_BITS - 1) == 0)
        return trim(workspace, sum, length, 1);
    uint64_t carry = 1;
    for (int i = 0; i < length; ++i) {
        sum[i] = ~sum[i] + carry;
        carry = carry > 0 && sum[i] == 0;
    }
    return trim(workspace, sum, length, -1);
}

wide tact_wide_shift_left(wide_workspace *workspace, wide a, int bits)
{
    assert(bits >= 0);
    if (a.sign == 0)
        return zero();
    int whole = bits / WORD_BITS, part = bits % WORD_BITS;
    uint64_t *words = wide_allocate(workspace, a.count + whole + 1);
    for (int i = 0; i < whole; ++i)
        words[i] = 0;
    uint64_t carry = 0;
    for (int i = 0; i < a.count; ++i) {
        words[whole + i] = (a.words[i] << part) | carry;
        carry = part > 0 ? a.words[i] >> (WORD_BITS - part) : 0;
    }
    words[whole + a.count] = carry;
    return trim(workspace, words, a.count + whole + 1, a.sign);
}

wide tact_wide_shift_right(wide_workspace *workspace, wide a, int bits)
{
    assert(bits >= 0);
    int whole = bits / WORD_BITS, part = bits % WORD_BITS;
    if (whole >= a.count)
        return zero();
    int count = a.count - whole;
    uint64_t *words = wide_allocate(workspace, count);
    for (int i = 0; i < count; ++i) {
        uint64_t above = i + 1 < count ? a.words[whole + i + 1] : 0;
        words[i] = (a.words[whole + i] >> part) | (part > 0 ? above << (WORD_BITS - part) : 0);
    }
    return trim(workspace, words, count, a.sign);
}

double tact_wide_to_double(wide a, int exponent)
{
    if (a.sign == 0)
        return 0.0;
    int zeros = wide_leading_zeros(a.words[a.count - 1]);
    uint64_t top = a.words[a.count - 1] << zeros; /* the first 64 bits */
    if (zeros > 0 && a.count > 1)
        top |= a.words[a.count - 2] >> (WORD_BITS - zeros);
    int rest = WORD_BITS * (a.count - 1) - zeros - exponent; /* |a| / 2^exponent = (top + less than 1) 2^rest */
    if (rest < -1000 - WORD_BITS)
        return 0.0;
    assert(rest + WORD_BITS <= 1000);
    double magnitude =
        (double)top * power_of_two(rest / 2) * power_of_two(rest - rest / 2); /* rest may be below -1022 */
    return a.sign > 0 ? magnitude : -magnitude;
}
