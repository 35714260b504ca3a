/*
 * Pairs of doubles: numbers of about 106 bits, as an unevaluated sum high + low (T. J. Dekker, "A floating-point technique for
 * extending the available precision", 1971). Relative error of each operation: a few 2^-104. Needs round-to-nearest.
 */
#ifndef TACT_MATH_DD_H
#define TACT_MATH_DD_H

#include <math.h>
#include <stdbool.h>

typedef struct pair {
    double high;
    double low;
} pair;

static inline pair pair_make(double a) { return (pair){a, 0.0}; }

static inline pair pair_quick_sum(double a, double b)
{
    double s = a + b;
    return (pair){s, b - (s - a)};
}

static inline pair pair_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (pair){s, (a - (s - t)) + (b - t)};
}

static inline pair pair_product(double a, double b)
{
    const double splitter = 134217729.0; /* 2^27 + 1 */
    double p = a * b, ca = splitter * a, cb = splitter * b;
    double ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;
    return (pair){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static inline pair pair_add(pair a, pair b)
{
    pair s = pair_sum(a.high, b.high), t = pair_sum(a.low, b.low);
    s = pair_quick_sum(s.high, s.low + t.high);
    return pair_quick_sum(s.high, s.low + t.low);
}

static inline pair pair_negate(pair a) { return (pair){-a.high, -a.low}; }

static inline pair pair_subtract(pair a, pair b) { return pair_add(a, pair_negate(b)); }

static inline pair pair_multiply(pair a, pair b)
{
    pair p = pair_product(a.high, b.high);
    return pair_quick_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static inline pair pair_divide(pair a, pair b)
{
    double q1 = a.high / b.high;
    pair r = pair_subtract(a, pair_multiply(b, pair_make(q1)));
    double q2 = r.high / b.high;
    r = pair_subtract(r, pair_multiply(b, pair_make(q2)));
    pair q = pair_quick_sum(q1, q2);
    return pair_add(q, pair_make(r.high / b.high));
}

/* The root of a number that is not negative: Newton's step from the double root, which doubles its digits. */
static inline pair pair_square_root(pair a)
{
    if (!(a.high > 0.0))
        return pair_make(0.0);
    double root = sqrt(a.high);
    pair rest = pair_subtract(a, pair_product(root, root));
    return pair_quick_sum(root, rest.high / (2.0 * root));
}

static inline bool pair_less(pair a, pair b) { return a.high < b.high || (a.high == b.high && a.low < b.low); }

static inline double pair_round(pair a) { return a.high + a.low; }

#endif
