/*
 * Floating-point filters of the exact predicates, inline for callers with many queries. Each returns the sign, +1 or
 * -1, when the error bound proves it, and 0 when it does not (a filter never proves a zero). Returns 0 if an argument
 * is not finite. Cost: some twenty to a hundred operations.
 *
 * The filters hold in every rounding mode and with flush-to-zero or denormals-are-zero set, so that no caller changes
 * the floating-point environment. In return the error bounds are twice those for round-to-nearest.
 *
 * Proof. Let e = 2^-52. In any rounding mode a sum, difference or product r = fl(s), without overflow and underflow,
 * has |r - s| <= e min(|r|, |s|). Let X be the largest *computed* |difference| along an axis, and likewise Y, Z and the
 * other maxima below. The filter returns 0 unless they lie in [2^-300, 2^300], or in [2^-150, 2^150] for degree 5.
 *  - Overflow: the largest intermediate value is below 2^910, so there is none. (A difference that overflowed is
 *    infinite or, in some rounding modes, the largest double: outside the range.)
 *  - Underflow: a result below 2^-1022 may be flushed and an argument below it read as zero. A sum changes by less than
 *    3 2^-1022, a product p q by less than 2^-1022 (1 + max(|p|, |q|)). Every value s below has a scale S, a product of
 *    those maxima, S >= 2^-900, and a small integer k with |s| <= k S. The scale of each factor of a product is at
 *    least 2^-600, so that of the other is at most 2^600 S. Hence either change is below 2^-60 e S, and with
 *    E = e (1 + 2^-60) we have |fl(s) - s| <= k E S in every case.
 * So errors add up in units of E S; terms of order E^2 are treated at the end:
 *    exact difference d, computed one D: |d - D| <= E X
 *    2x2 minor of computed differences: products 1 + 1, subtraction 2 = 4 (of X Y)
 *    3x3 minor from three of those: 3 (4 + product 2) + sums 4 + 6 = 28 (of X Y Z)
 * and replacing computed by exact differences changes a product of n of them by n:
 *    orient2d: 4 + 2 terms of 2 = 8 (of X Y)
 *    orient3d: 28 + 6 terms of 3 = 46 (of X Y Z)
 *    dot_sign, with A = max |a-c| and B = max |b-c| over the axes:
 *        products 3, sums 2 + 3, 3 terms of 2 = 14 (of A B)
 *    compare_distance, with D = max |a-b| and M = max of |a-c| and |b-c|: each s = (a-c) + (b-c) is at most 2 M, with
 *        error 4; 3 terms of (2 for the difference + 4 for s + 2 for the product), sums 4 + 6 = 34 (of D M)
 *    insphere, with W = max of the computed squares |.-e|^2: the error of a square is 3 (1 for its products, 1 for each
 *        sum), and 2 more for its differences; 3x3 minors are at most 6, with error 28;
 *        4 terms of (28 + 6 x 3 + product 6), sums 12 + 18 + 24, 24 terms of (3 + 2) = 382 (of X Y Z W)
 * The constants (math_constants.h) add at least 1/200 to each sum. That covers the terms of order E^2 (fewer than 10^6
 * of them, each below 2^-50 of the first order) and the at most four rounding errors of the bound itself. A fused
 * multiply-add would only remove an error; reassociation would break the proof, hence no -ffast-math.
 *
 * NaN: the maxima may lose one, but then the determinant is NaN and no comparison holds. Infinity: it either exceeds
 * the range of the maxima or produces a NaN.
 *
 * The filter follows Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates"
 * (1997); the bounds from maxima follow Meyer and Pion, "FPG: a code generator for fast and certified geometric
 * predicates" (2008). We depart from both in that the bounds hold in every rounding mode.
 */
#ifndef TACT_MATH_FILTER_H
#define TACT_MATH_FILTER_H

#include <math.h>
#include <tact/vec.h>

#include "math/math_constants.h"

#ifdef __FAST_MATH__
#error "the error bounds of the filters need the operations as written: compile without -ffast-math"
#endif

static inline double filter_max(double a, double b) { return a > b ? a : b; }
static inline double filter_min(double a, double b) { return a < b ? a : b; }

static inline double filter_max_abs3(double a, double b, double c)
{
    return filter_max(filter_max(fabs(a), fabs(b)), fabs(c));
}

static inline int filter_sign(double value, double bound) { return (value > bound) - (value < -bound); }

/* The sign of (b-a) x (c-a). */
static inline int filter_orient2d(double ax, double ay, double bx, double by, double cx, double cy)
{
    double ux = bx - ax, uy = by - ay, vx = cx - ax, vy = cy - ay;
    double x = filter_max(fabs(ux), fabs(vx));
    double y = filter_max(fabs(uy), fabs(vy));
    if (!(filter_min(x, y) >= FILTER_MIN_DIFFERENCE && filter_max(x, y) <= FILTER_MAX_DIFFERENCE))
        return 0;
    return filter_sign(ux * vy - uy * vx, FILTER_ORIENT2D * x * y);
}

/* The sign of |b-a, c-a, d-a|. */
static inline int filter_orient3d(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d)
{
    double ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z;
    double vx = c.x - a.x, vy = c.y - a.y, vz = c.z - a.z;
    double wx = d.x - a.x, wy = d.y - a.y, wz = d.z - a.z;
    double x = filter_max_abs3(ux, vx, wx);
    double y = filter_max_abs3(uy, vy, wy);
    double z = filter_max_abs3(uz, vz, wz);
    if (!(filter_min(filter_min(x, y), z) >= FILTER_MIN_DIFFERENCE &&
          filter_max(filter_max(x, y), z) <= FILTER_MAX_DIFFERENCE))
        return 0;
    double determinant = uz * (vx * wy - vy * wx) + vz * (wx * uy - wy * ux) + wz * (ux * vy - uy * vx);
    return filter_sign(determinant, FILTER_ORIENT3D * x * y * z);
}

/* The sign of (a-c) . (b-c). */
static inline int filter_dot_sign(tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    double ux = a.x - c.x, uy = a.y - c.y, uz = a.z - c.z;
    double vx = b.x - c.x, vy = b.y - c.y, vz = b.z - c.z;
    double u = filter_max_abs3(ux, uy, uz);
    double v = filter_max_abs3(vx, vy, vz);
    if (!(filter_min(u, v) >= FILTER_MIN_DIFFERENCE && filter_max(u, v) <= FILTER_MAX_DIFFERENCE))
        return 0;
    return filter_sign(ux * vx + uy * vy + uz * vz, FILTER_DOT_SIGN * u * v);
}

/* The sign of |a-c|^2 - |b-c|^2 = (a-b) . ((a-c) + (b-c)). In this form there is no cancellation when a and b are close
 * to each other and far from c. */
static inline int filter_compare_distance(tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    double dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    double ux = a.x - c.x, uy = a.y - c.y, uz = a.z - c.z;
    double vx = b.x - c.x, vy = b.y - c.y, vz = b.z - c.z;
    double d = filter_max_abs3(dx, dy, dz);
    double m = filter_max(filter_max_abs3(ux, uy, uz), filter_max_abs3(vx, vy, vz));
    if (!(filter_min(d, m) >= FILTER_MIN_DIFFERENCE && filter_max(d, m) <= FILTER_MAX_DIFFERENCE))
        return 0;
    return filter_sign(dx * (ux + vx) + dy * (uy + vy) + dz * (uz + vz), FILTER_COMPARE_DISTANCE * d * m);
}

/* The sign of the determinant with the rows (|p|^2, p) for p = a-e, b-e, c-e, d-e. Positive when e is inside the sphere
 * through a, b, c, d, if orient3d(a, b, c, d) is positive. */
static inline int filter_insphere(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d, tact_vec3 e)
{
    double ax = a.x - e.x, ay = a.y - e.y, az = a.z - e.z;
    double bx = b.x - e.x, by = b.y - e.y, bz = b.z - e.z;
    double cx = c.x - e.x, cy = c.y - e.y, cz = c.z - e.z;
    double dx = d.x - e.x, dy = d.y - e.y, dz = d.z - e.z;
    double x = filter_max(filter_max_abs3(ax, bx, cx), fabs(dx));
    double y = filter_max(filter_max_abs3(ay, by, cy), fabs(dy));
    double z = filter_max(filter_max_abs3(az, bz, cz), fabs(dz));
    if (!(filter_min(filter_min(x, y), z) >= FILTER_MIN_DIFFERENCE_INSPHERE &&
          filter_max(filter_max(x, y), z) <= FILTER_MAX_DIFFERENCE_INSPHERE))
        return 0;
    double aw = ax * ax + ay * ay + az * az, bw = bx * bx + by * by + bz * bz;
    double cw = cx * cx + cy * cy + cz * cz, dw = dx * dx + dy * dy + dz * dz;
    double w = filter_max(filter_max_abs3(aw, bw, cw), dw);
    double ab = ax * by - ay * bx, ac = ax * cy - ay * cx, ad = ax * dy - ay * dx;
    double bc = bx * cy - by * cx, bd = bx * dy - by * dx, cd = cx * dy - cy * dx;
    double bcd = bz * cd - cz * bd + dz * bc, acd = az * cd - cz * ad + dz * ac;
    double abd = az * bd - bz * ad + dz * ab, abc = az * bc - bz * ac + cz * ab;
    double determinant = aw * bcd - bw * acd + cw * abd - dw * abc;
    return filter_sign(determinant, FILTER_INSPHERE * x * y * z * w);
}

#endif
