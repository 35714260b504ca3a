/*
 * Hashing: 64 bits, the same on every machine and in every run, so that hashes of results may be compared and stored.
 * Not meant to withstand an adversary.
 */
#ifndef TACT_CORE_HASH_H
#define TACT_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Spreads the bits of a word: a bijection in which every bit of the argument flips each bit of the result with a
 * probability near a half. Two rounds of multiply and xor-shift, with the multipliers and shifts that D. Stafford found
 * by search ("Mix13"; also the finisher of Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
 * 2014). */
static inline uint64_t hash_mix(uint64_t word)
{
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

/* 2^64 divided by the golden ratio, odd: multiples of it are spread evenly, so that runs of small numbers do not begin
 * alike. */
#define HASH_GOLDEN_GAMMA UINT64_C(0x9e3779b97f4a7c15)

/* A hash `so_far` with one more word in it; order matters. */
static inline uint64_t hash_add(uint64_t so_far, uint64_t word)
{
    return hash_mix((so_far + HASH_GOLDEN_GAMMA) ^ hash_mix(word + HASH_GOLDEN_GAMMA));
}

/* Of an ordered pair: (a b) and (b a) differ. Different pairs never collide. */
static inline uint64_t hash_pair(uint32_t a, uint32_t b)
{
    return hash_mix(((uint64_t)a << 32 | b) + HASH_GOLDEN_GAMMA);
}

/* Of a pair without order: (a b) and (b a) are the same. Otherwise different pairs never collide. */
static inline uint64_t hash_set_of_two(uint32_t a, uint32_t b) { return a < b ? hash_pair(a, b) : hash_pair(b, a); }

/* Of `size` bytes at `data` (NULL only if size is 0), beginning from `seed`. Eight bytes a step. */
static inline uint64_t hash_bytes(const void *data, size_t size, uint64_t seed)
{
    const unsigned char *bytes = data;
    uint64_t hash = hash_mix(seed + HASH_GOLDEN_GAMMA) ^ (uint64_t)size;
    while (size > 0) {
        /* put together by value, not copied, so that the order of bytes in memory does not matter */
        size_t step = size < 8 ? size : 8;
        uint64_t word = 0;
        if (step == 8)
            word = (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 | (uint64_t)bytes[3] << 24 |
                   (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 | (uint64_t)bytes[6] << 48 |
                   (uint64_t)bytes[7] << 56;
        else
            for (size_t i = 0; i < step; ++i)
                word |= (uint64_t)bytes[i] << (8 * i);
        hash = hash_add(hash, word);
        bytes += step;
        size -= step;
    }
    return hash_mix(hash);
}

#endif
