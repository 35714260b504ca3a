/*
 * Pairs of doubles: numbers of about 106 bits, as an unevaluated sum high + low (T. J. Dekker, "A floating-point
 * technique for extending the available precision", 1971). Relative error of each operation: a few 2^-104. Needs
 * round-to-nearest.
 */
#ifndef TACT_MATH_DD_H
#define TACT_MATH_DD_H

#include <math.h>
#include <stdbool.h>

typedef struct dd {
    double high;
    double low;
} dd;

static inline dd dd_make(double a) { return (dd){a, 0.0}; }

static inline dd dd_fast_two_sum(double a, double b)
{
    double s = a + b;
    return (dd){s, b - (s - a)};
}

static inline dd dd_two_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (dd){s, (a - (s - t)) + (b - t)};
}

static inline dd dd_two_product(double a, double b)
{
    const double splitter = 134217729.0; /* 2^27 + 1 */
    double p = a * b, ca = splitter * a, cb = splitter * b;
    double ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;
    return (dd){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static inline dd dd_add(dd a, dd b)
{
    dd s = dd_two_sum(a.high, b.high), t = dd_two_sum(a.low, b.low);
    s = dd_fast_two_sum(s.high, s.low + t.high);
    return dd_fast_two_sum(s.high, s.low + t.low);
}

static inline dd dd_negate(dd a) { return (dd){-a.high, -a.low}; }

static inline dd dd_sub(dd a, dd b) { return dd_add(a, dd_negate(b)); }

static inline dd dd_mul(dd a, dd b)
{
    dd p = dd_two_product(a.high, b.high);
    return dd_fast_two_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static inline dd dd_div(dd a, dd b)
{
    double q1 = a.high / b.high;
    dd r = dd_sub(a, dd_mul(b, dd_make(q1)));
    double q2 = r.high / b.high;
    r = dd_sub(r, dd_mul(b, dd_make(q2)));
    dd q = dd_fast_two_sum(q1, q2);
    return dd_add(q, dd_make(r.high / b.high));
}

/* The root of a number that is not negative: Newton's step from the double root, which doubles its digits. */
static inline dd dd_sqrt(dd a)
{
    if (!(a.high > 0.0))
        return dd_make(0.0);
    double root = sqrt(a.high);
    dd rest = dd_sub(a, dd_two_product(root, root));
    return dd_fast_two_sum(root, rest.high / (2.0 * root));
}

static inline bool dd_less(dd a, dd b) { return a.high < b.high || (a.high == b.high && a.low < b.low); }

static inline double dd_to_double(dd a) { return a.high + a.low; }

#endif
