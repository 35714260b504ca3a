/*
 * Seeded random numbers, the same on every machine: only integer arithmetic, exactly rounded operations and sqrt are
 * used. The generator counts in steps of an odd constant and mixes the count (Steele, Lea and Flood, "Fast splittable
 * pseudorandom number generators", 2014): one word of state, period 2^64, any seed is good. Not for secrets.
 */
#ifndef TACT_TEST_RANDOM_H
#define TACT_TEST_RANDOM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <tact/vec.h>

#include "support/digest.h"

typedef struct random_source {
    uint64_t state; /* any value; copying the source repeats what follows */
} random_source;

/* Neighbouring seeds give streams that do not overlap in practice. */
static inline random_source random_seed(uint64_t seed) { return (random_source){digest_mix(seed ^ DIGEST_STEP)}; }

/* 64 random bits. */
static inline uint64_t random_bits(random_source *source) { return digest_mix(source->state += DIGEST_STEP); }

/* A whole number from 0 to limit - 1, each equally likely; `limit` is not 0. */
static inline uint64_t random_below(random_source *source, uint64_t limit)
{
    /* numbers below 2^64 mod limit are drawn again, so that as many lead to each answer */
    uint64_t unfair = (0 - limit) % limit;
    uint64_t bits;
    do
        bits = random_bits(source);
    while (bits < unfair);
    return bits % limit;
}

/* A whole number from `least` to `most`, both included; least <= most. */
static inline int random_between(random_source *source, int least, int most)
{
    return (int)(least + (int64_t)random_below(source, (uint64_t)((int64_t)most - least + 1)));
}

/* Uniform in [0, 1): a multiple of 2^-53. */
static inline double random_unit(random_source *source) { return (double)(random_bits(source) >> 11) * 0x1p-53; }

/* True with the given probability, 0 to 1. */
static inline bool random_chance(random_source *source, double probability)
{
    return random_unit(source) < probability;
}

/* Uniform between two numbers, least <= most; rounding may give `most` itself, nothing beyond it. */
static inline double random_range(random_source *source, double least, double most)
{
    double unit = random_unit(source);
    double value = least * (1.0 - unit) + most * unit;
    return value < least ? least : value > most ? most : value;
}

/* Of either sign, between 2^least and 2^(most+1), each power of two equally likely. Made by ldexp: exact, or rounded
 * where subnormal. */
static inline double random_size(random_source *source, int least, int most)
{
    double unit = 1.0 + random_unit(source);
    int exponent = random_between(source, least, most);
    return ldexp(random_chance(source, 0.5) ? unit : -unit, exponent);
}

/* A double with any bits, but finite: every exponent is equally likely, subnormal ones and zeros included. */
static inline double random_finite(random_source *source)
{
    uint64_t bits = random_bits(source);
    uint64_t field = random_below(source, 2047);
    union {
        uint64_t bits;
        double value;
    } number = {(bits & ~(UINT64_C(0x7ff) << 52)) | field << 52};
    return number.value;
}

/* Uniform on the unit sphere. A point in the unit disc, uniform, gives a height and an angle (Marsaglia, 1972). */
static inline tact_vec3 random_direction(random_source *source)
{
    for (;;) {
        double x = random_range(source, -1.0, 1.0), y = random_range(source, -1.0, 1.0);
        double square = x * x + y * y;
        if (square < 1.0) {
            double stretch = 2.0 * sqrt(1.0 - square);
            return (tact_vec3){x * stretch, y * stretch, 1.0 - 2.0 * square};
        }
    }
}

/* Uniform over all rotations: a unit quaternion from two points in the unit disc (Marsaglia, 1972). */
static inline tact_quat random_rotation(random_source *source)
{
    for (;;) {
        double x = random_range(source, -1.0, 1.0), y = random_range(source, -1.0, 1.0);
        double z = random_range(source, -1.0, 1.0), w = random_range(source, -1.0, 1.0);
        double first = x * x + y * y, second = z * z + w * w;
        if (first < 1.0 && second < 1.0 && second > 0.0) {
            double stretch = sqrt((1.0 - first) / second);
            return (tact_quat){x, y, z * stretch, w * stretch};
        }
    }
}

#endif
