/*
 * 64-bit hashes. They are the same on every machine and in every run, so hashes of results can be compared and stored.
 * Not cryptographic.
 */
#ifndef TACT_CORE_HASH_H
#define TACT_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Mixes the bits of a word: a bijection with good avalanche (each input bit flips each output bit with a probability
 * near 1/2). Two rounds of multiply and xor-shift with D. Stafford's constants "Mix13", also the finalizer of Steele,
 * Lea and Flood, "Fast splittable pseudorandom number generators" (2014). */
static inline uint64_t hash_mix(uint64_t word)
{
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

/* 2^64 divided by the golden ratio, rounded to odd (the golden gamma of Steele et al. 2014): its multiples are spread
 * evenly, so that consecutive small numbers get unrelated hashes. */
#define HASH_GOLDEN_GAMMA UINT64_C(0x9e3779b97f4a7c15)

/* Adds a word to the hash `so_far`. The order of words matters. */
static inline uint64_t hash_add(uint64_t so_far, uint64_t word)
{
    return hash_mix((so_far + HASH_GOLDEN_GAMMA) ^ hash_mix(word + HASH_GOLDEN_GAMMA));
}

/* Hash of an ordered pair: (a, b) and (b, a) differ. Injective: different pairs never collide. */
static inline uint64_t hash_pair(uint32_t a, uint32_t b)
{
    return hash_mix(((uint64_t)a << 32 | b) + HASH_GOLDEN_GAMMA);
}

/* Hash of an unordered pair: (a, b) and (b, a) are equal. Injective on unordered pairs. */
static inline uint64_t hash_unordered_pair(uint32_t a, uint32_t b) { return a < b ? hash_pair(a, b) : hash_pair(b, a); }

/* Hash of `size` bytes at `data` (NULL only if size is 0), starting from `seed`. Takes eight bytes per step. */
static inline uint64_t hash_bytes(const void *data, size_t size, uint64_t seed)
{
    const unsigned char *bytes = data;
    uint64_t hash = hash_mix(seed + HASH_GOLDEN_GAMMA) ^ (uint64_t)size;
    while (size > 0) {
        /* little-endian by value, not memcpy: independent of the byte order of the machine */
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
