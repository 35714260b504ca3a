/*
 * Growable arrays whose items begin at lines of the cache: an item of 64 bytes is in one line, not in two.
 *
 *     ALIGNED_ARRAY_OF(body_motion_array, plan)             declares the type body_motion_array and its functions, once
 * a file
 *
 * As ARRAY_OF (core/array.h), with the functions _reserve and _release alone.
 */
#ifndef TACT_CORE_ALIGNED_ARRAY_H
#define TACT_CORE_ALIGNED_ARRAY_H

#include <string.h>

#include "core/array.h"
#include "core/inline.h"

#define CACHE_LINE_SIZE 64 /* bytes: of the caches of all machines of today, or half of theirs */

/* Asks for a line of memory that will be read soon. (SIMDe's own asks for it in the outermost cache only.) */
TACT_FORCE_INLINE void cache_line_prefetch(const void *line)
{
#if defined(__GNUC__)
    __builtin_prefetch(line);
#else
    (void)line;
#endif
}

/* The first line in a block. */
static inline void *cache_line_align(void *block)
{
    const size_t over = (size_t)((uintptr_t)block % CACHE_LINE_SIZE);
    return over == 0 ? block : (char *)block + (CACHE_LINE_SIZE - over);
}

#define ALIGNED_ARRAY_OF(name, type)                                                                                   \
    typedef struct name {                                                                                              \
        type *items;                                                                                                   \
        size_t count;                                                                                                  \
        size_t capacity;                                                                                               \
        void *block;  /* as it was taken */                                                                            \
        size_t bytes; /* of it */                                                                                      \
    } name;                                                                                                            \
                                                                                                                       \
    /* makes capacity for at least `wanted` items in all; false, and nothing has changed: there is no memory */        \
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
    /* gives the memory back; the array is empty and may be used again */                                              \
    ARRAY_FUNCTION void name##_release(name *array, const tact_allocator *allocator)                                   \
    {                                                                                                                  \
        tact_memory_free(allocator, array->block, array->bytes, 1);                                                    \
        *array = (name){0};                                                                                            \
    }                                                                                                                  \
    typedef struct name name /* takes the semicolon */

#endif
