/*
 * Growable arrays whose first item starts at a cache line. An item of 64 bytes then lies in one line, not in two.
 *
 *     ALIGNED_ARRAY_OF(body_motion_array, body_motion)   declares the type body_motion_array and its functions
 *
 * Like ARRAY_OF (core/array.h), with the functions _reserve and _release only.
 */
#ifndef TACT_CORE_ALIGNED_ARRAY_H
#define TACT_CORE_ALIGNED_ARRAY_H

#include <string.h>

#include "core/array.h"
#include "core/core_constants.h"
#include "core/inline.h"

/* Prefetches a cache line into all levels. (SIMDe's version prefetches into the outermost level only.) */
TACT_FORCE_INLINE void cache_line_prefetch(const void *line)
{
#if defined(__GNUC__)
    __builtin_prefetch(line);
#else
    (void)line;
#endif
}

/* The first cache-line boundary in a block. */
static inline void *cache_line_align(void *block)
{
    const size_t offset = (size_t)((uintptr_t)block % CACHE_LINE_SIZE);
    return offset == 0 ? block : (char *)block + (CACHE_LINE_SIZE - offset);
}

#define ALIGNED_ARRAY_OF(name, type)                                                                                   \
    typedef struct name {                                                                                              \
        type *items;                                                                                                   \
        size_t count;                                                                                                  \
        size_t capacity;                                                                                               \
        void *block;  /* the allocation that contains `items` */                                                       \
        size_t bytes; /* its size */                                                                                   \
    } name;                                                                                                            \
                                                                                                                       \
    /* ensures capacity for `wanted` items in total; on failure returns false and changes nothing */                   \
    ARRAY_FUNCTION bool name##_reserve(name *array, const tact_allocator *allocator, size_t wanted)                    \
    {                                                                                                                  \
        if (wanted <= array->capacity)                                                                                 \
            return true;                                                                                               \
        const size_t capacity = array_next_capacity(array->capacity, wanted, sizeof(type));                            \
        if (capacity == 0 || capacity > (SIZE_MAX - CACHE_LINE_SIZE) / sizeof(type))                                   \
            return false;                                                                                              \
        const size_t bytes = capacity * sizeof(type) + CACHE_LINE_SIZE;                                                \
        void *block = tact_memory_allocate(allocator, bytes, 1);                                                       \
        if (block == NULL)                                                                                             \
            return false;                                                                                              \
        type *items = cache_line_align(block);                                                                         \
        if (array->count > 0)                                                                                          \
            memcpy(items, array->items, array->count * sizeof(type));                                                  \
        tact_memory_free(allocator, array->block, array->bytes, 1);                                                    \
        *array = (name){items, array->count, capacity, block, bytes};                                                  \
        return true;                                                                                                   \
    }                                                                                                                  \
                                                                                                                       \
    /* frees the memory; the array is empty and may be used again */                                                   \
    ARRAY_FUNCTION void name##_release(name *array, const tact_allocator *allocator)                                   \
    {                                                                                                                  \
        tact_memory_free(allocator, array->block, array->bytes, 1);                                                    \
        *array = (name){0};                                                                                            \
    }                                                                                                                  \
    typedef struct name name /* takes the semicolon */

#endif
