/*
 * Elementary functions that give the same bits on every platform. Those of the C library differ between systems,
 * processors and versions. Only operations that IEEE 754 rounds correctly are used: + - * /, sqrt, conversions.
 *
 * Errors, in units in the last place of the result (internal_elementary compares with long double):
 *
 *   sine, cosine, tangent   1 (tangent: 3), for all finite angles in radians; NaN for others
 *   atan2                   2; atan2(0, 0) = 0
 *   acos                    3
 *   hypot                   1.5, without overflow or underflow in between
 *   cbrt                    1, for x >= 0
 */
#ifndef TACT_MATH_ELEMENTARY_H
#define TACT_MATH_ELEMENTARY_H

#include <math.h>

typedef struct sine_cosine {
    double sine;
    double cosine;
} sine_cosine;

sine_cosine tact_sine_cosine(double angle);
double tact_sine(double angle);
double tact_cosine(double angle);
double tact_tangent(double angle);

/* The angle of the vector (x, y), in [-pi, pi]. Zeros have no sign: atan2(0, x) is pi for x < 0. */
double tact_atan2(double y, double x);

/* For x in [-1, 1]. */
double tact_acos(double x);

/* tact_hypot where squares may overflow or underflow. */
double tact_hypot_scaled(double x, double y);

static inline double tact_hypot(double x, double y)
{
    const double a = fabs(x), b = fabs(y), most = a > b ? a : b;
    return most >= 0x1p-400 && most <= 0x1p400 ? sqrt(a * a + b * b) : tact_hypot_scaled(a, b);
}

double tact_cbrt(double x);

#endif
