#include "math/elementary.h"

#include <stdint.h>

#include "math/dd.h"

static const dd half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/* ---- sine and cosine ---- */

/* Digits of 2 / pi in base 2^32, from 2^-1 on, after 64 zero bits. */
static const uint32_t two_over_pi[] = {
    0x00000000u, 0x00000000u, 0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u, 0xF534DDC0u, 0xDB629599u, 0x3C439041u,
    0xFE5163ABu, 0xDEBBC561u, 0xB7246E3Au, 0x424DD2E0u, 0x06492EEAu, 0x09D1921Cu, 0xFE1DEB1Cu, 0xB129A73Eu,
    0xE88235F5u, 0x2EBB4484u, 0xE99C7026u, 0xB45F7E41u, 0x3991D639u, 0x835339F4u, 0x9C845F8Bu, 0xBDF9283Bu,
    0x1FF897FFu, 0xDE05980Fu, 0xEF2F118Bu, 0x5A0A6D1Fu, 0x6D367ECFu, 0x27CB09B7u, 0x4F463F66u, 0x9E5FEA2Du,
    0x7527BAC7u, 0xEBE5F17Bu, 0x3D0739F7u, 0x8A5292EAu, 0x6BFB5FB1u, 0x1F8D5D08u, 0x56033046u};

/* A finite angle >= pi / 4 is reduced to angle = quarters * pi / 2 + rest, |rest| <= pi / 4; quarters is that modulo 4.
 */

/* Above, the number of quarters has more than 20 bits. */
#define MAX_SMALL_ANGLE 0x1p20

/* pi / 2 as a sum. The first two have 33 bits each, so that their products with a number of quarters are exact, and the
 * difference of the angle and the first one, too (Cody and Waite, 1980). */
static const double half_pi_parts[] = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34};
static const dd half_pi_rest = {0x1.3198a2e037073p-69, 0x1.129024e088a68p-123};

static dd reduce_small(double angle, int *quarters)
{
    const int64_t count = (int64_t)(angle * (1.0 / half_pi.high) + 0.5);
    const double n = (double)count;
    dd tail = dd_two_product(n, half_pi_rest.high);
    tail.low += n * half_pi_rest.low;
    *quarters = (int)(count & 3);
    return dd_sub(dd_two_sum(angle - n * half_pi_parts[0], -n * half_pi_parts[1]), tail);
}

#define WINDOW_WORDS 6

/*
 * The angle is m 2^e with an integer m < 2^53. Of the bits of 2 / pi, those above 2^(1 - e) contribute multiples of 4
 * to angle * 2 / pi, and are left out. The 192 bits that follow give the fraction with an error below 2^-137. No double
 * is closer than 2^-62 to a multiple of pi / 2 relative to it, so at least 75 bits of the rest are right (Payne and
 * Hanek, 1983).
 */
static dd reduce_large(double angle, int *quarters)
{
    int exponent;
    const uint64_t m = (uint64_t)ldexp(frexp(angle, &exponent), 53);
    const uint64_t halves[2] = {m & 0xFFFFFFFFu, m >> 32};
    const int first = exponent - 53 - 2 + 64; /* the first bit of the window, as an index of two_over_pi */
    const int shift = first % 32;
    uint32_t product[WINDOW_WORDS] = {0}; /* modulo 2^192, the least significant word first */
    for (int i = 0; i < WINDOW_WORDS; i++) {
        const uint32_t *w = &two_over_pi[first / 32 + WINDOW_WORDS - 1 - i];
        const uint64_t word = (((uint64_t)w[0] << 32 | w[1]) >> (32 - shift)) & 0xFFFFFFFFu;
        uint64_t carry = 0;
        for (int k = 0; k < 2 && i + k < WINDOW_WORDS; k++) {
            carry += word * halves[k] + product[i + k];
            product[i + k] = (uint32_t)carry;
            carry >>= 32;
        }
        if (i + 2 < WINDOW_WORDS)
            product[i + 2] = (uint32_t)carry; /* no product has reached this word yet */
    }

    /* two bits of quarters, then the fraction; above a half it counts from the next quarter down */
    uint32_t *top = &product[WINDOW_WORDS - 1];
    *quarters = (int)(*top >> 30);
    *top &= 0x3FFFFFFFu;
    const int down = *top >= 0x20000000u;
    if (down) {
        *quarters = (*quarters + 1) & 3;
        for (int i = 0; i < WINDOW_WORDS; i++) /* the complement; its error of 1 in the last bit is negligible */
            product[i] = ~product[i];
        *top &= 0x3FFFFFFFu;
    }
    double rest = 0.0;
    for (int i = 0; i < WINDOW_WORDS - 2; i++)
        rest = (rest + (double)product[i]) * 0x1p-32;
    const dd fraction = dd_fast_two_sum(((double)product[5] * 0x1p32 + (double)product[4]) * 0x1p-62, 0.0);
    /* the two words have at most 62 bits: what the sum of doubles above rounds away is added here */
    const double lost =
        (double)(int64_t)((((uint64_t)product[5] << 32) | product[4]) - (uint64_t)ldexp(fraction.high, 62));
    const dd whole = dd_fast_two_sum(fraction.high, (lost + rest) * 0x1p-62);
    const dd result = dd_mul(whole, half_pi);
    return down ? dd_negate(result) : result;
}

/* Taylor polynomials: for |x| <= pi / 4 the first term left out is below 2^-56 of the result. */
static double sine_near_zero(dd x)
{
    const double z = x.high * x.high;
    const double p =
        0x1.1111111111111p-7 +
        z * (-0x1.a01a01a01a01ap-13 +
             z * (0x1.71de3a556c734p-19 +
                  z * (-0x1.ae64567f544e4p-26 +
                       z * (0x1.6124613a86d09p-33 + z * (-0x1.ae7f3e733b81fp-41 + z * 0x1.952c77030ad4ap-49)))));
    const double cube = z * x.high;
    return x.high + (x.low * (1.0 - 0.5 * z) + cube * (-0x1.5555555555555p-3 + z * p));
}

static double cosine_near_zero(dd x)
{
    const double z = x.high * x.high, half = 0.5 * z, one = 1.0 - half;
    const double p =
        0x1.5555555555555p-5 +
        z * (-0x1.6c16c16c16c17p-10 +
             z * (0x1.a01a01a01a01ap-16 +
                  z * (-0x1.27e4fb7789f5cp-22 +
                       z * (0x1.1eed8eff8d898p-29 + z * (-0x1.93974a8c07c9dp-37 + z * 0x1.ae7f3e733b81fp-45)))));
    return one + (((1.0 - one) - half) + (z * z * p - x.high * x.low));
}

sine_cosine tact_sine_cosine(double angle)
{
    int quarters = 0;
    dd rest = {angle, 0.0};
    if (!(fabs(angle) <= half_pi.high / 2.0)) {
        if (!isfinite(angle))
            return (sine_cosine){NAN, NAN};
        const double size = fabs(angle);
        rest = size <= MAX_SMALL_ANGLE ? reduce_small(size, &quarters) : reduce_large(size, &quarters);
        if (angle < 0.0) {
            rest = dd_negate(rest);
            quarters = -quarters & 3;
        }
    }
    const double s = sine_near_zero(rest), c = cosine_near_zero(rest);
    switch (quarters) {
    case 0:
        return (sine_cosine){s, c};
    case 1:
        return (sine_cosine){c, -s};
    case 2:
        return (sine_cosine){-s, -c};
    default:
        return (sine_cosine){-c, s};
    }
}

double tact_sine(double angle) { return tact_sine_cosine(angle).sine; }

double tact_cosine(double angle) { return tact_sine_cosine(angle).cosine; }

double tact_tangent(double angle)
{
    const sine_cosine both = tact_sine_cosine(angle);
    return both.sine / both.cosine;
}

/* ---- inverse functions ---- */

/* Doubles near tan(k pi / 16), and the angles whose tangents they are. */
static const struct {
    double tangent;
    dd angle;
} near_angles[] = {{0.0, {0.0, 0.0}},
                   {0x1.975f5e0553158p-3, {0x1.921fb54442d18p-3, 0x1.f93470dfef04ap-58}},
                   {0x1.a827999fcef32p-2, {0x1.921fb54442d18p-2, 0x1.c398861b78b56p-59}},
                   {0x1.561b82ab7f990p-1, {0x1.2d97c7f3321d2p-1, -0x1.8f57cafebcf15p-58}},
                   {1.0, {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}}};

double tact_atan2(double y, double x)
{
    double a = fabs(x), b = fabs(y);
    const int steep = b > a;
    if (steep) {
        const double t = a;
        a = b;
        b = t;
    }
    if (!(a > 0.0))
        return a == 0.0 ? 0.0 : NAN;
    if (isinf(a)) {
        b = isinf(b) ? 1.0 : 0.0;
        a = 1.0;
    } else { /* neither overflow nor underflow below */
        int exponent;
        a = frexp(a, &exponent);
        b = ldexp(b, -exponent);
    }
    /* the angle of (a, b) is that of the nearest direction, and a rest of at most pi / 32 */
    const double ratio = b / a;
    int k = 0;
    while (k < 4 && ratio > 0.5 * (near_angles[k].tangent + near_angles[k + 1].tangent))
        k++;
    const double c = near_angles[k].tangent;
    const dd turn = dd_two_product(a, c), along = dd_two_product(b, c);
    const double t = ((b - turn.high) - turn.low) / (a + (along.high + along.low)), z = t * t;
    const double series =
        -1.0 / 3.0 +
        z * (1.0 / 5.0 + z * (-1.0 / 7.0 + z * (1.0 / 9.0 + z * (-1.0 / 11.0 + z * (1.0 / 13.0 - z * (1.0 / 15.0))))));
    dd angle = dd_two_sum(near_angles[k].angle.high, t);
    angle.low += near_angles[k].angle.low + t * z * series;
    if (steep)
        angle = dd_sub(half_pi, dd_fast_two_sum(angle.high, angle.low));
    if (x < 0.0)
        angle = dd_sub((dd){2.0 * half_pi.high, 2.0 * half_pi.low}, dd_fast_two_sum(angle.high, angle.low));
    const double size = angle.high + angle.low;
    return y < 0.0 ? -size : size;
}

double tact_acos(double x) { return tact_atan2(sqrt((1.0 - x) * (1.0 + x)), x); }

/* ---- lengths and roots ---- */

double tact_hypot_scaled(double x, double y)
{
    const double a = fabs(x), b = fabs(y), most = a > b ? a : b;
    if (!(most > 0.0) || !isfinite(most))
        return a + b;
    int exponent;
    (void)frexp(most, &exponent);
    const double s = ldexp(a, -exponent), t = ldexp(b, -exponent);
    return ldexp(sqrt(s * s + t * t), exponent);
}

double tact_cbrt(double x)
{
    if (!(x > 0.0) || isinf(x))
        return x;
    int exponent;
    double m = frexp(x, &exponent); /* in [1/2, 1) */
    while (exponent % 3 != 0) {
        m *= 2.0;
        exponent--;
    }                                            /* in [1/2, 4) */
    double root = 0.6 + 0.4 * m - 0.035 * m * m; /* within 8 %; each step of Newton's method squares the error */
    for (int i = 0; i < 4; i++)
        root -= (root * root * root - m) / (3.0 * root * root);
    const dd square = dd_two_product(root, root), cube = dd_mul(square, dd_make(root));
    root -= ((cube.high - m) + cube.low) / (3.0 * root * root);
    return ldexp(root, exponent / 3);
}
