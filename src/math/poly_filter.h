/*
 * A polynomial with wide coefficients, roughly: in doubles, to tell the signs that rounding cannot change, which are
 * most.
 *
 * The coefficients are scaled so that the largest is about 1, and so is the largest argument: f(x) = 2^any F(x /
 * 2^unit). The proof of the bound, in any rounding mode and with subnormal numbers flushed or not: with e = 2^-52 a
 * coefficient is off by 2 e of itself, 3 e in derivatives, or by 2^-1000 if it is that small; Horner's rule adds at
 * most 6 e of m = sum |c_i| |x|^i; the computed m is off by 7 e of itself; products that underflow change less than
 * 2^-1000. Between low and high, both at most 1 in size, f changes by at most the distance from the middle times |c_1|
 * + 2 |c_2| + 3 |c_3|. The bound, 2^-47 m + twice that change + 2^-900, is more than all of them.
 */
#ifndef TACT_MATH_POLY_FILTER_H
#define TACT_MATH_POLY_FILTER_H

#include <math.h>

#include "math/poly.h"

/* For arguments up to `largest` in size; the polynomial is not 0. */
static inline poly_approximation poly_approximate(const poly *f, double largest)
{
    poly_approximation near = {.degree = f->degree};
    int field = (int)(wide_bits_of_double(largest) >> 52) & 0x7ff, most = INT32_MIN;
    near.unit = field - 1022;
    for (int i = 0; i <= f->degree; ++i) {
        int size = tact_wide_bit_length(f->c[i]) + near.unit * i;
        if (f->c[i].sign != 0 && size > most)
            most = size;
    }
    for (int i = 0; i <= f->degree; ++i)
        near.c[i] = tact_wide_to_double(f->c[i], most - near.unit * i);
    return near;
}

/* f' but for its size */
static inline poly_approximation poly_approximation_derivative(const poly_approximation *f)
{
    return (poly_approximation){f->degree - 1, f->unit, {f->c[1], 2.0 * f->c[2], 3.0 * f->c[3], 0.0}};
}

/* The sign of f(x) for all x from `low` to `high`, which are at most as large as promised; 0 if it is not certain. */
static inline int poly_approximation_sign(const poly_approximation *f, double low, double high)
{
    const double *c = f->c;
    double first = ldexp(low, -f->unit), last = ldexp(high, -f->unit);
    double x = first, distance = 0.0;
    if (low != high) {
        x = 0.5 * (first + last);
        distance = 0.5 * (last - first) + 0x1p-50;
    }
    double size = fabs(x);
    double value = ((c[3] * x + c[2]) * x + c[1]) * x + c[0];
    double sum = ((fabs(c[3]) * size + fabs(c[2])) * size + fabs(c[1])) * size + fabs(c[0]);
    double change = (fabs(c[1]) + 2.0 * fabs(c[2]) + 3.0 * fabs(c[3])) * distance;
    double bound = 0x1p-47 * sum + 2.0 * change + 0x1p-900;
    return (value > bound) - (value < -bound);
}

#endif
