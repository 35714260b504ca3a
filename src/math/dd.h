/*
 * Double-double arithmetic: a number of about 106 bits as an unevaluated sum high + low, |low| <= ulp(high) / 2.
 *
 * Algorithms: Dekker, "A floating-point technique for extending the available precision" (1971), for the product and
 * fast two-sum; Knuth, "The Art of Computer Programming", vol. 2, 4.2.2, for two-sum. dd_two_sum and dd_two_product are
 * exact; the relative error of the other operations is a few units of 2^-104. Needs round-to-nearest and no overflow:
 * dd_two_product needs factors below 2^995 in magnitude, and a product above 2^-968 to be exact.
 */
#ifndef TACT_MATH_DD_H
#define TACT_MATH_DD_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#if FLT_EVAL_METHOD != 0
#error "Tact needs arithmetic that rounds each operation to double: on 32-bit x86 compile with -msse2 -mfpmath=sse"
#endif

typedef struct dd {
    double high;
    double low;
} dd;

static inline dd dd_make(double a) { return (dd){a, 0.0}; }

/* a + b exactly, for |a| >= |b| or a = 0 */
static inline dd dd_fast_two_sum(double a, double b)
{
    double s = a + b;
    return (dd){s, b - (s - a)};
}

/* a + b exactly */
static inline dd dd_two_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (dd){s, (a - (s - t)) + (b - t)};
}

/* a b exactly; without fused multiply-add, so that every machine computes the same bits */
static inline dd dd_two_product(double a, double b)
{
    const double splitter = 134217729.0; /* 2^27 + 1: splits a double into two halves of 26 bits */
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

/* long division with three quotient digits of 53 bits */
static inline dd dd_div(dd a, dd b)
{
    double q1 = a.high / b.high;
    dd r = dd_sub(a, dd_mul(b, dd_make(q1)));
    double q2 = r.high / b.high;
    r = dd_sub(r, dd_mul(b, dd_make(q2)));
    dd q = dd_fast_two_sum(q1, q2);
    return dd_add(q, dd_make(r.high / b.high));
}

/* The square root of a non-negative number: one Newton step from the square root in doubles. 0 for a <= 0 and NaN. */
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
