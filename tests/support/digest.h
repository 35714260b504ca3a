/* Digests of answers, 64 bits, the same on every machine: tests compare them over threads, engines and runs. */
#ifndef TACT_TEST_DIGEST_H
#define TACT_TEST_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* Mixes the bits of a word (the finaliser of SplitMix64; Steele, Lea and Flood 2014). */
static inline uint64_t digest_mix(uint64_t word)
{
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

/* 2^64 divided by the golden ratio, made odd. */
#define DIGEST_STEP UINT64_C(0x9e3779b97f4a7c15)

/* The digest `so_far` with one more word in it; order matters. */
static inline uint64_t digest_add(uint64_t so_far, uint64_t word)
{
    return digest_mix((so_far + DIGEST_STEP) ^ digest_mix(word + DIGEST_STEP));
}

#endif
