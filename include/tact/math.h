/**
 * @file
 * Inline arithmetic with vectors and quaternions, for C and C++. Its use is optional: every function of Tact
 * takes and returns the plain structures of vec.h, which any mathematics library can fill.
 *
 * No function allocates or fails. Lengths are computed without overflow and underflow. A vector or quaternion that is
 * zero or not finite has no direction: where one is needed, the result is stated.
 */
#ifndef TACT_MATH_H
#define TACT_MATH_H

#include <float.h>
#include <math.h>
#include <tact/transform.h>
#include <tact/vec.h>

TACT_BEGIN

/** Returns a + b. */
static inline tact_vec3 tact_vec_add(tact_vec3 a, tact_vec3 b)
{
    const tact_vec3 sum = {a.x + b.x, a.y + b.y, a.z + b.z};
    return sum;
}

/** Returns a - b. */
static inline tact_vec3 tact_vec_sub(tact_vec3 a, tact_vec3 b)
{
    const tact_vec3 difference = {a.x - b.x, a.y - b.y, a.z - b.z};
    return difference;
}

/** Returns -a. */
static inline tact_vec3 tact_vec_negate(tact_vec3 a)
{
    const tact_vec3 negative = {-a.x, -a.y, -a.z};
    return negative;
}

/** Returns s a. */
static inline tact_vec3 tact_vec_scale(tact_vec3 a, double s)
{
    const tact_vec3 product = {s * a.x, s * a.y, s * a.z};
    return product;
}

/** Returns a + s b. */
static inline tact_vec3 tact_vec_mul_add(tact_vec3 a, double s, tact_vec3 b)
{
    const tact_vec3 sum = {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
    return sum;
}

/** Returns (1 - s) a + s b: exactly a for s = 0, exactly b for s = 1. */
static inline tact_vec3 tact_vec_lerp(tact_vec3 a, tact_vec3 b, double s)
{
    return tact_vec_mul_add(tact_vec_scale(a, 1.0 - s), s, b);
}

/** Returns the dot product. */
static inline double tact_vec_dot(tact_vec3 a, tact_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/** Returns the cross product. */
static inline tact_vec3 tact_vec_cross(tact_vec3 a, tact_vec3 b)
{
    const tact_vec3 product = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return product;
}

/** Returns the length. */
static inline double tact_vec_length(tact_vec3 a) { return hypot(hypot(a.x, a.y), a.z); }

/** Returns the distance of two points. */
static inline double tact_vec_distance(tact_vec3 a, tact_vec3 b) { return tact_vec_length(tact_vec_sub(a, b)); }

/** Returns the unit vector in the direction of `a`; zero for a vector that is zero or not finite. */
static inline tact_vec3 tact_vec_normalize(tact_vec3 a)
{
    double largest = fabs(a.x);
    largest = fabs(a.y) > largest ? fabs(a.y) : largest;
    largest = fabs(a.z) > largest ? fabs(a.z) : largest;
    int exponent = 0;
    if (!(largest > 0.0 && largest < HUGE_VAL && a.x == a.x && a.y == a.y && a.z == a.z)) {
        const tact_vec3 zero = {0.0, 0.0, 0.0};
        return zero;
    }
    (void)frexp(largest, &exponent); /* scaled by a power of 2, which is exact */
    const tact_vec3 scaled = {ldexp(a.x, -exponent), ldexp(a.y, -exponent), ldexp(a.z, -exponent)};
    return tact_vec_scale(scaled, 1.0 / tact_vec_length(scaled));
}

/** Returns the identity rotation. */
static inline tact_quat tact_quat_identity(void)
{
    const tact_quat identity = {0.0, 0.0, 0.0, 1.0};
    return identity;
}

/** Returns the same rotation with unit length; the identity if it is zero or not finite. */
static inline tact_quat tact_quat_normalize(tact_quat q)
{
    double largest = fabs(q.x);
    largest = fabs(q.y) > largest ? fabs(q.y) : largest;
    largest = fabs(q.z) > largest ? fabs(q.z) : largest;
    largest = fabs(q.w) > largest ? fabs(q.w) : largest;
    int exponent = 0;
    if (!(largest > 0.0 && largest < HUGE_VAL && q.x == q.x && q.y == q.y && q.z == q.z && q.w == q.w))
        return tact_quat_identity();
    (void)frexp(largest, &exponent); /* scaled by a power of 2, which is exact */
    const tact_quat s = {ldexp(q.x, -exponent), ldexp(q.y, -exponent), ldexp(q.z, -exponent), ldexp(q.w, -exponent)};
    const double length = sqrt(s.x * s.x + s.y * s.y + s.z * s.z + s.w * s.w);
    const tact_quat unit = {s.x / length, s.y / length, s.z / length, s.w / length};
    return unit;
}

/** Returns the inverse rotation of a unit quaternion. */
static inline tact_quat tact_quat_conjugate(tact_quat q)
{
    const tact_quat conjugate = {-q.x, -q.y, -q.z, q.w};
    return conjugate;
}

/** Returns the rotation by b, and then by a. */
static inline tact_quat tact_quat_multiply(tact_quat a, tact_quat b)
{
    const tact_quat product = {
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
    return product;
}

/** Returns the vector rotated by a quaternion of unit length. */
static inline tact_vec3 tact_quat_rotate(tact_quat q, tact_vec3 a)
{
    const tact_vec3 axis = {q.x, q.y, q.z};
    const tact_vec3 twice = tact_vec_scale(tact_vec_cross(axis, a), 2.0);
    return tact_vec_add(tact_vec_mul_add(a, q.w, twice), tact_vec_cross(axis, twice));
}

/** Returns the rotation vector of a unit quaternion: the axis times the angle, which is at most pi. */
static inline tact_vec3 tact_quat_rotation_vector(tact_quat q)
{
    const double sign = q.w < 0.0 ? -1.0 : 1.0;
    const tact_vec3 sine = {sign * q.x, sign * q.y, sign * q.z}; /* the axis times sin(angle/2) */
    const double length = tact_vec_length(sine);
    return tact_vec_scale(sine, length > 0.0 ? 2.0 * atan2(length, sign * q.w) / length : 2.0);
}

/** Returns the rotation between two unit quaternions, at constant angular velocity, the shorter way: a for s = 0, b (or
 * its negative, the same rotation) for s = 1. */
static inline tact_quat tact_quat_slerp(tact_quat a, tact_quat b, double s)
{
    const tact_vec3 turn =
        tact_vec_scale(tact_quat_rotation_vector(tact_quat_multiply(b, tact_quat_conjugate(a))), 0.5 * s);
    const double half = tact_vec_length(turn), ratio = half > 0.0 ? sin(half) / half : 1.0;
    const tact_quat step = {ratio * turn.x, ratio * turn.y, ratio * turn.z, cos(half)};
    return tact_quat_multiply(step, a);
}

/** Returns the shortest rotation that turns the direction of `from` to that of `to`. For opposite directions it is half
 * a turn about some axis at right angles to them; for a vector without direction the identity. */
static inline tact_quat tact_quat_between(tact_vec3 from, tact_vec3 to)
{
    const tact_vec3 a = tact_vec_normalize(from), b = tact_vec_normalize(to), sum = tact_vec_add(a, b);
    const tact_vec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0};
    tact_vec3 axis = tact_vec_cross(a, sum); /* a x b, accurate for nearly opposite directions, too */
    if (!(tact_vec_dot(a, a) > 0.0 && tact_vec_dot(b, b) > 0.0))
        return tact_quat_identity();
    if (tact_vec_dot(a, b) < 0.0 && tact_vec_length(axis) < 4.0 * DBL_EPSILON) /* opposite up to rounding */
        axis = tact_vec_cross(a, fabs(a.x) < 0.5 ? x : y);
    const tact_quat turn = {axis.x, axis.y, axis.z, 0.5 * tact_vec_dot(sum, sum)}; /* 1 + a b */
    return tact_quat_normalize(turn);
}

/** Returns the rotation of a transform whose axes are orthonormal and right-handed, up to rounding. */
static inline tact_quat tact_quat_from_transform(tact_transform t)
{
    /* four times the squares of w, x, y, z; the largest is at least 1 (Shepperd 1978) */
    const double xx = t.x_axis.x, yy = t.y_axis.y, zz = t.z_axis.z;
    const double w = 1.0 + xx + yy + zz, x = 1.0 + xx - yy - zz, y = 1.0 - xx + yy - zz, z = 1.0 - xx - yy + zz;
    const double a = t.y_axis.z - t.z_axis.y, b = t.z_axis.x - t.x_axis.z, c = t.x_axis.y - t.y_axis.x;
    const double d = t.x_axis.y + t.y_axis.x, e = t.z_axis.x + t.x_axis.z, f = t.y_axis.z + t.z_axis.y;
    tact_quat q = {a, b, c, w};
    if (!(w >= x && w >= y && w >= z)) {
        const tact_quat by_x = {x, d, e, a}, by_y = {d, y, f, b}, by_z = {e, f, z, c};
        q = x >= y && x >= z ? by_x : y >= z ? by_y : by_z;
    }
    return tact_quat_normalize(q);
}

TACT_END

#endif
