/* Seeded random numbers for the tests: the same seed gives the same cases on every machine. (SplitMix64.) */
#ifndef TACT_ORACLE_DICE_H
#define TACT_ORACLE_DICE_H

#include <math.h>
#include <stdint.h>

typedef struct dice {
    uint64_t state;
} dice;

static inline uint64_t dice_bits(dice *d)
{
    uint64_t z = (d->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A generator for one case, far from those of all other cases. */
static inline dice dice_for(uint64_t seed, uint64_t stream, uint64_t index)
{
    dice d = {seed};
    d.state = dice_bits(&d) ^ (stream * 0xd1342543de82ef95u);
    d.state = dice_bits(&d) ^ (index * 0xaf251af3b0f025b5u);
    (void)dice_bits(&d);
    return d;
}

/* Uniform in [0, 1). */
static inline double dice_unit(dice *d) { return (double)(dice_bits(d) >> 11) * 0x1p-53; }

static inline double dice_between(dice *d, double low, double high) { return low + (high - low) * dice_unit(d); }

/* Uniform in the logarithm, between 10^low and 10^high. */
static inline double dice_power(dice *d, double low, double high) { return pow(10.0, dice_between(d, low, high)); }

/* Uniform among 0 to count - 1. */
static inline int dice_pick(dice *d, int count) { return (int)(dice_bits(d) % (uint64_t)count); }

/* Standard normal. */
static inline double dice_normal(dice *d)
{
    double r = sqrt(-2.0 * log(1.0 - dice_unit(d)));
    return r * cos(6.283185307179586 * dice_unit(d));
}

#endif
