/*
 * Wide integers: whole numbers of any length up to what the caller has laid out for them, exact, without allocation.
 *
 * A number is a sign and a row of 64-bit words, least significant first, without leading zero words. It never changes
 * once made, so copies may share the words. The words lie on a *desk*: an array of the caller's, as a rule on the
 * stack, from which every operation takes what its result needs and no more. Small numbers therefore cost little,
 * however large the desk that the worst case needs. What is no longer wanted is cleared away with a mark and
 * wide_keep.
 *
 * Every operation states the words it takes, so that the desk of a computation can be sized once and for all by adding
 * up; a desk that is too small is our own mistake and asserts. Costs: linear, but wide_mul the product of the lengths,
 * which beats cleverer ways below a few thousand bits. GMP does the same work but allocates, and so may abort the host.
 */
#ifndef TACT_MATH_WIDE_H
#define TACT_MATH_WIDE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct wide {
    const uint64_t *words; /* least significant first */
    int count;             /* of words; the last is not 0; none for the number 0 */
    int sign;              /* -1, 0 or +1 */
} wide;

typedef struct wide_workspace {
    uint64_t *words;
    int capacity; /* how many words there are */
    int used;     /* how many are taken: also the mark for wide_keep */
} wide_workspace;

#if defined(__GNUC__)
static inline int wide_trailing_zeros(uint64_t word) { return __builtin_ctzll(word); }
static inline int wide_leading_zeros(uint64_t word) { return __builtin_clzll(word); }
#else
static inline int wide_trailing_zeros(uint64_t word)
{
    int zeros = 0;
    for (; (word & 1) == 0; word >>= 1)
        ++zeros;
    return zeros;
}

static inline int wide_leading_zeros(uint64_t word)
{
    int zeros = 0;
    for (; (word >> 63) == 0; word <<= 1)
        ++zeros;
    return zeros;
}
#endif

static inline uint64_t wide_bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The words of the longest double: the highest bit of the largest one is 2^1023, the lowest of the smallest 2^-1074. */
#define WIDE_DOUBLE_WORDS 33 /* 2098 bits */

/* The coarsest grid on which some doubles lie: all are whole multiples of 2^exponent. */
typedef struct wide_grid {
    int exponent; /* 0 if all are zero */
    int bits;     /* none of the multiples has more */
} wide_grid;

/* value / 2^exponent, which must be whole. Takes 2 words and one for every 64 by which the value's lowest bit lies
 * above the exponent: at most WIDE_DOUBLE_WORDS. */
wide tact_wide_from_double(wide_workspace *desk, double value, int exponent);

/* Takes 1 word. */
wide tact_wide_from_int64(wide_workspace *desk, int64_t value);

/* a + b. Takes one word more than the longer has. */
wide tact_wide_add(wide_workspace *desk, wide a, wide b);

/* a b. Takes the words of both together. */
wide tact_wide_mul(wide_workspace *desk, wide a, wide b);

/* The sum of a[i] b[i] for i < count; a term is subtracted by turning the sign of a factor. Takes one word more than
 * the longest of the products. */
wide tact_wide_dot(wide_workspace *desk, int count, const wide *a, const wide *b);

/* a 2^bits. Takes the words of a, one for every 64 bits, and one more. */
wide tact_wide_shift_left(wide_workspace *desk, wide a, int bits);

/* a / 2^bits, rounded towards zero. Takes the words of a less one for every 64 bits. */
wide tact_wide_shift_right(wide_workspace *desk, wide a, int bits);

/* The sign of |a| - |b|. */
int tact_wide_compare_magnitude(wide a, wide b);

/* The sign of a - b. */
int tact_wide_compare(wide a, wide b);

/* How many bits |a| has: 0 for 0, 1 for 1, 2 for 2 and 3. */
int tact_wide_bit_length(wide a);

/* a / 2^exponent as a double, off by less than 2^-52 of itself in the default floating-point environment. It must be
 * below 2^1000 in size; below 2^-1000 it is 0. */
double tact_wide_to_double(wide a, int exponent);

/* Takes a finite |value| apart, by its bits (no rounding mode or flush-to-zero setting plays a part): its odd part is
 * returned (0 for 0), with the power of two that goes with it. */
static inline uint64_t wide_odd_significand(uint64_t bits, int *exponent)
{
    int field = (int)(bits >> 52) & 0x7ff;
    uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
    if (field != 0)
        mantissa |= UINT64_C(1) << 52;
    else
        field = 1; /* subnormal: no hidden bit, the same power as the smallest normal ones */
    if (mantissa == 0) {
        *exponent = 0;
        return 0;
    }
    int zeros = wide_trailing_zeros(mantissa);
    *exponent = field - 1075 + zeros;
    return mantissa >> zeros;
}

/* Finds the grid of `count` doubles; false if one is not finite. */
static inline bool wide_find_grid(const double *values, int count, wide_grid *grid)
{
    int lowest = INT32_MAX, highest = 0; /* `highest`: the largest exponent field, where subnormals count as 1 */
    bool finite = true;
    for (int i = 0; i < count; ++i) {
        uint64_t bits = wide_bits_of_double(values[i]);
        int field = (int)(bits >> 52) & 0x7ff, e;
        finite = finite && field != 0x7ff;
        if (wide_odd_significand(bits, &e) == 0)
            continue;
        lowest = e < lowest ? e : lowest;
        highest = field > highest ? field : highest;
    }
    if (lowest == INT32_MAX) {
        *grid = (wide_grid){0, 0};
        return finite;
    }
    int top = (highest > 0 ? highest : 1) - 1022; /* all are below 2^top */
    *grid = (wide_grid){lowest, top - lowest};
    return finite;
}

/* value / 2^exponent, which must be whole and have at most 63 bits. */
static inline int64_t wide_to_int64(double value, int exponent)
{
    uint64_t bits = wide_bits_of_double(value);
    int e;
    uint64_t odd = wide_odd_significand(bits, &e);
    if (odd == 0)
        return 0;
    int64_t size = (int64_t)(odd << (e - exponent));
    return bits >> 63 ? -size : size;
}

/* An empty desk over an array of words. */
#define WIDE_WORKSPACE(array) ((wide_workspace){(array), (int)(sizeof(array) / sizeof(array)[0]), 0})

/* `count` fresh words. */
static inline uint64_t *wide_allocate(wide_workspace *desk, int count)
{
    assert(count >= 0 && count <= desk->room - desk->used);
    uint64_t *words = desk->words + desk->used;
    desk->used += count;
    return words;
}

static inline wide wide_negate(wide a)
{
    a.sign = -a.sign;
    return a;
}

/* a - b. Takes one word more than the longer has. */
static inline wide wide_sub(wide_workspace *desk, wide a, wide b) { return tact_wide_add(desk, a, wide_negate(b)); }

/* Clears away all that was taken since desk->used was `mark`, except `a`, whose words move down to the mark (they need
 * not have been taken since). Other numbers made since then are lost. */
static inline wide wide_keep(wide_workspace *desk, int mark, wide a)
{
    uint64_t *place = desk->words + mark;
    desk->used = mark;
    if (a.count > 0 && a.words > place) {
        memmove(place, a.words, (size_t)a.count * sizeof *place);
        a.words = place;
        desk->used += a.count;
    } else if (a.words == place) {
        desk->used += a.count;
    }
    return a;
}

#endif
