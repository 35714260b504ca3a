/* Numbers as little-endian bytes, computed by value: the result does not depend on the byte order of the machine. */
#ifndef TACT_CORE_LITTLE_ENDIAN_H
#define TACT_CORE_LITTLE_ENDIAN_H

#include <stdint.h>
#include <string.h>

/* The store functions return the address after the bytes that they wrote. */
static inline unsigned char *store_le32(unsigned char *at, uint32_t word)
{
    for (int i = 0; i < 4; ++i)
        at[i] = (unsigned char)(word >> 8 * i);
    return at + 4;
}

static inline unsigned char *store_le64(unsigned char *at, uint64_t word)
{
    return store_le32(store_le32(at, (uint32_t)word), (uint32_t)(word >> 32));
}

static inline unsigned char *store_le_float(unsigned char *at, float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return store_le32(at, word);
}

static inline unsigned char *store_le_double(unsigned char *at, double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return store_le64(at, word);
}

static inline uint32_t load_le32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t load_le64(const unsigned char *at) { return load_le32(at) | (uint64_t)load_le32(at + 4) << 32; }

#endif
