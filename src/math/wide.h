/*
 * Wide integers: exact integers of bounded length, without heap allocation.
 *
 * A number is a sign and an array of 64-bit words, least significant first, without leading zero words. It is
 * immutable, so copies may share the words. The words lie in a *workspace*: a stack allocator over an array of the
 * caller, usually on the stack. Each operation allocates there what its result needs, so small numbers cost little
 * however large the workspace for the worst case is. wide_keep frees everything above a mark except one number.
 *
 * Each operation states how many words it allocates, so that the workspace of a computation can be sized in advance by
 * addition. A workspace that is too small is a bug and asserts. Cost: linear, except wide_mul and wide_dot, which are
 * schoolbook products; below a few thousand bits nothing is faster. GMP does the same work but allocates, and aborts
 * the host when it cannot.
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
    int count;             /* number of words; the last is not 0; 0 words for the number 0 */
    int sign;              /* -1, 0 or +1 */
} wide;

typedef struct wide_workspace {
    uint64_t *words;
    int capacity; /* words in the array */
    int used;     /* words in use; also the mark for wide_keep */
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

/* Words of the difference of any two doubles on their common grid: bits 2^1023 down to 2^-1074. */
#define WIDE_DOUBLE_WORDS 33 /* 2098 bits */

/* The coarsest grid of some doubles: all are integer multiples of 2^exponent. */
typedef struct wide_grid {
    int exponent; /* 0 if all are zero */
    int bits;     /* upper bound of the bit lengths of the multiples */
} wide_grid;

/* value / 2^exponent, which must be an integer. Allocates 2 words plus one for every 64 bits by which the lowest bit of
 * the value lies above the exponent: at most WIDE_DOUBLE_WORDS. */
wide tact_wide_from_double(wide_workspace *workspace, double value, int exponent);

/* Allocates 1 word. */
wide tact_wide_from_int64(wide_workspace *workspace, int64_t value);

/* a + b. Allocates one word more than the longer operand has. */
wide tact_wide_add(wide_workspace *workspace, wide a, wide b);

/* a b. Allocates the sum of the word counts. */
wide tact_wide_mul(wide_workspace *workspace, wide a, wide b);

/* The sum of a[i] b[i] for i < count; negate a factor to subtract its term. Allocates one word more than the longest
 * product has. */
wide tact_wide_dot(wide_workspace *workspace, int count, const wide *a, const wide *b);

/* a 2^bits. Allocates the words of a, plus one for every 64 bits, plus one. */
wide tact_wide_shift_left(wide_workspace *workspace, wide a, int bits);

/* a / 2^bits, rounded towards zero. Allocates the words of a minus one for every 64 bits. */
wide tact_wide_shift_right(wide_workspace *workspace, wide a, int bits);

/* The sign of |a| - |b|. */
int tact_wide_compare_magnitude(wide a, wide b);

/* The sign of a - b. */
int tact_wide_compare(wide a, wide b);

/* The number of bits of |a|: 0 for 0, 1 for 1, 2 for 2 and 3. */
int tact_wide_bit_length(wide a);

/* a / 2^exponent as a double, with relative error below 2^-52 in the default floating-point environment. Its magnitude
 * must be below 2^1000; below 2^-1000 the result is 0. */
double tact_wide_to_double(wide a, int exponent);

/* Decomposes a finite |value|, given by its bits, into odd significand times 2^exponent. Returns the significand, 0 for
 * 0. Integer operations only: independent of the rounding mode and of flush-to-zero. */
static inline uint64_t wide_odd_significand(uint64_t bits, int *exponent)
{
    int field = (int)(bits >> 52) & 0x7ff;
    uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
    if (field != 0)
        mantissa |= UINT64_C(1) << 52;
    else
        field = 1; /* subnormal: no hidden bit, the same exponent as the smallest normal numbers */
    if (mantissa == 0) {
        *exponent = 0;
        return 0;
    }
    int zeros = wide_trailing_zeros(mantissa);
    *exponent = field - 1075 + zeros;
    return mantissa >> zeros;
}

/* Finds the grid of `count` doubles. Returns false if one is not finite. */
static inline bool wide_find_grid(const double *values, int count, wide_grid *grid)
{
    int lowest = INT32_MAX, highest = 0; /* `highest`: the largest exponent field; subnormals count as 1 */
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

/* value / 2^exponent, which must be an integer of at most 63 bits. */
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

/* An empty workspace over an array of words. */
#define WIDE_WORKSPACE(array) ((wide_workspace){(array), (int)(sizeof(array) / sizeof(array)[0]), 0})

/* `count` words, not initialised. */
static inline uint64_t *wide_allocate(wide_workspace *workspace, int count)
{
    assert(count >= 0 && count <= workspace->capacity - workspace->used);
    uint64_t *words = workspace->words + workspace->used;
    workspace->used += count;
    return words;
}

static inline wide wide_negate(wide a)
{
    a.sign = -a.sign;
    return a;
}

/* a - b. Allocates one word more than the longer operand has. */
static inline wide wide_sub(wide_workspace *workspace, wide a, wide b)
{
    return tact_wide_add(workspace, a, wide_negate(b));
}

/* Frees all words above `mark` (an earlier value of workspace->used) except those of `a`, which move down to the mark.
 * The words of `a` may also lie below the mark. Other numbers made since then become invalid. */
static inline wide wide_keep(wide_workspace *workspace, int mark, wide a)
{
    uint64_t *target = workspace->words + mark;
    workspace->used = mark;
    if (a.count > 0 && a.words > target) {
        memmove(target, a.words, (size_t)a.count * sizeof *target);
        a.words = target;
        workspace->used += a.count;
    } else if (a.words == target) {
        workspace->used += a.count;
    }
    return a;
}

/* (a - b) / 2^grid. Uses 3 N + 1 words for N = WIDE_DOUBLE_WORDS, keeps N. */
static inline wide wide_difference(wide_workspace *workspace, double a, double b, wide_grid grid)
{
    int mark = workspace->used;
    wide from = tact_wide_from_double(workspace, a, grid.exponent);
    wide to = tact_wide_from_double(workspace, b, grid.exponent);
    return wide_keep(workspace, mark, wide_sub(workspace, from, to));
}

/* p q - r s. Uses 6 N + 1 words for factors of N, keeps 2 N. */
static inline wide wide_minor(wide_workspace *workspace, wide p, wide q, wide r, wide s)
{
    int mark = workspace->used;
    wide left = tact_wide_mul(workspace, p, q);
    wide right = tact_wide_mul(workspace, r, s);
    return wide_keep(workspace, mark, wide_sub(workspace, left, right));
}

/* p . q. Uses 10 N + 1 words for factors of N, keeps 2 N. */
static inline wide wide_dot3(wide_workspace *workspace, const wide p[3], const wide q[3])
{
    int mark = workspace->used;
    wide sum = tact_wide_mul(workspace, p[0], q[0]);
    sum = tact_wide_add(workspace, sum, tact_wide_mul(workspace, p[1], q[1]));
    sum = tact_wide_add(workspace, sum, tact_wide_mul(workspace, p[2], q[2]));
    return wide_keep(workspace, mark, sum);
}

#endif
