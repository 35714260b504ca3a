/*
 * Floating-point filter for polynomials with wide coefficients: the sign of f(x) in doubles, where the error bound
 * proves it. That is nearly always the case.
 *
 * The coefficients are scaled so that the largest is about 1, and so is the largest argument: f(x) = 2^n F(x / 2^unit)
 * for some n. Proof of the bound, in any rounding mode and with subnormals flushed or not, with e = 2^-52:
 *  - The relative error of a coefficient is 2 e, in derivatives 3 e; a coefficient below 2^-1000 may become 0.
 *  - Horner's rule adds at most 6 e of m = sum |c_i| |x|^i. The relative error of the computed m is 7 e.
 *  - Products that underflow change the value by less than 2^-1000.
 *  - Between low and high, both at most 1 in magnitude, f changes by at most the distance from the midpoint times
 *    |c_1| + 2 |c_2| + 3 |c_3|.
 * The bound 2^-47 m + twice that change + 2^-900 exceeds their sum.
 */
#ifndef TACT_MATH_POLY_FILTER_H
#define TACT_MATH_POLY_FILTER_H

#include <math.h>

#include "math/math_constants.h"
#include "math/poly.h"

/* The approximation of f, which is not zero, for arguments of magnitude up to |largest|. */
static inline poly_approximation poly_approximate(const poly *f, double largest)
{
    poly_approximation approximation = {.degree = f->degree};
    int field = (int)(wide_bits_of_double(largest) >> 52) & 0x7ff, max_bits = INT32_MIN;
    approximation.unit = field - 1022;
    for (int i = 0; i <= f->degree; ++i) {
        int bits = tact_wide_bit_length(f->c[i]) + approximation.unit * i;
        if (f->c[i].sign != 0 && bits > max_bits)
            max_bits = bits;
    }
    for (int i = 0; i <= f->degree; ++i)
        approximation.c[i] = tact_wide_to_double(f->c[i], max_bits - approximation.unit * i);
    return approximation;
}

/* f' times a positive factor */
static inline poly_approximation poly_approximation_derivative(const poly_approximation *f)
{
    return (poly_approximation){f->degree - 1, f->unit, {f->c[1], 2.0 * f->c[2], 3.0 * f->c[3], 0.0}};
}

/* The sign of f(x) for all x in [low, high], which must lie in the range given to poly_approximate; 0 if unproved. */
static inline int poly_approximation_sign(const poly_approximation *f, double low, double high)
{
    const double *c = f->c;
    double first = ldexp(low, -f->unit), last = ldexp(high, -f->unit);
    double x = first, half_width = 0.0;
    if (low != high) {
        x = 0.5 * (first + last);
        half_width = 0.5 * (last - first) + 0x1p-50;
    }
    double abs_x = fabs(x);
    double value = ((c[3] * x + c[2]) * x + c[1]) * x + c[0];
    double m = ((fabs(c[3]) * abs_x + fabs(c[2])) * abs_x + fabs(c[1])) * abs_x + fabs(c[0]);
    double change = (fabs(c[1]) + 2.0 * fabs(c[2]) + 3.0 * fabs(c[3])) * half_width;
    double bound = POLY_VALUE_ERROR * m + 2.0 * change + POLY_UNDERFLOW;
    return (value > bound) - (value < -bound);
}

#endif
