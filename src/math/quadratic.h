/*
 * The first root of a quadratic in time: when h(t) = x + v t + a t^2 / 2, not negative at t = 0, falls to 0.
 *
 * Precondition: x >= 0, and all coefficients are finite and below DBL_MAX / 2. Then all functions return a time >= 0,
 * or INFINITY if h does not fall so far. (For x < 0 the result may also be negative or NaN.)
 *
 * They take the form of the root without cancellation: with r = sqrt(v^2 - 2 a x),
 *     v < 0:   2 x / (r - v)
 *     v >= 0:  (v + r) / -a
 * so that the result is the root of a quadratic whose coefficients are off by a few units of roundoff. It is rounded to
 * nearest: neither early nor late by contract. A caller that must never be late multiplies by 1 - k u for a few units
 * of roundoff k u; one that allows for rounding in x (a padded box) need not.
 *
 * Not here: sphere_sphere.h solves for two spheres with a rounding bound inside the discriminant (hot: 500,000
 * collisions per second), and ray.c for both roots from the closest approach, where far starts would lose the digits of
 * the radius.
 */
#ifndef TACT_MATH_QUADRATIC_H
#define TACT_MATH_QUADRATIC_H

#include <math.h>

#include "math/elementary.h"

/* Sums of |v^2| and |a x| in between neither overflow nor lose digits. */
#define QUADRATIC_MIN_SQUARE 1e-280

/* The root of the discriminant r is given, and h falls to 0. */
static inline double quadratic_root_of(double x, double v, double a, double r)
{
    return v < 0.0 ? 2.0 * x / (r - v) : (v + r) / -a;
}

/* When h falls to 0 or touches it, for coefficients of any size: nothing is squared. */
static inline double quadratic_first_root_wide(double x, double v, double a)
{
    if (a == 0.0)
        return v < 0.0 ? x / -v : INFINITY;
    const double s = sqrt(2.0 * fabs(a)) * sqrt(x);
    if (a < 0.0)
        return quadratic_root_of(x, v, a, tact_hypot(v, s));
    return v < 0.0 && v <= -s ? quadratic_root_of(x, v, a, sqrt(-v - s) * sqrt(-v + s)) : INFINITY;
}

/* When h falls to 0 or touches it. */
static inline double quadratic_first_root(double x, double v, double a)
{
    if (v >= 0.0 && a >= 0.0)
        return INFINITY;
    const double vv = v * v, ax = 2.0 * a * x, size = vv + fabs(ax);
    if (a == 0.0 || !(size > QUADRATIC_MIN_SQUARE && size < INFINITY))
        return quadratic_first_root_wide(x, v, a);
    const double square = vv - ax;
    return square >= 0.0 ? quadratic_root_of(x, v, a, sqrt(square)) : INFINITY;
}

/* When h falls below 0. A minimum of 0 does not count where the computed v^2 equals 2 a x and is between
 * QUADRATIC_MIN_SQUARE and INFINITY; for other v it counts, as in quadratic_first_root. Where h is 0 and rises (v > 0),
 * or stays (v = 0, a >= 0), that zero does not count: an event at a crossing does not come again at once. */
static inline double quadratic_first_crossing(double x, double v, double a)
{
    const double vv = v * v;
    return a > 0.0 && vv == 2.0 * a * x && vv > QUADRATIC_MIN_SQUARE && vv < INFINITY ? INFINITY
                                                                                      : quadratic_first_root(x, v, a);
}

#endif
