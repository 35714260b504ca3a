/*
 * Growable arrays of one type, allocated through the allocator hook.
 *
 *     ARRAY_OF(hit_array, hit)                     declares the type hit_array and its functions
 *     hit_array hits = {0};                        empty, nothing allocated
 *     if (!hit_array_push(&hits, allocator, h))    out of memory: the array is unchanged
 *     hits.items[hits.count - 1]
 *     hit_array_release(&hits, allocator);         frees the memory; empty again
 *
 * A push takes amortised constant time: the capacity doubles. Growth moves the items and invalidates pointers to them.
 * All calls for one array must use the same allocator.
 */
#ifndef TACT_CORE_ARRAY_H
#define TACT_CORE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core_constants.h"
#include "core/memory.h"

/* The capacity to grow to so that `wanted` items fit: at least twice the present one. 0 if the size overflows size_t.
 */
static inline size_t array_next_capacity(size_t capacity, size_t wanted, size_t item_size)
{
    size_t max = SIZE_MAX / item_size;
    if (wanted > max)
        return 0;
    size_t doubled = capacity <= max / 2 ? 2 * capacity : max;
    size_t next = doubled > wanted ? doubled : wanted;
    return next < ARRAY_MIN_CAPACITY && ARRAY_MIN_CAPACITY <= max ? ARRAY_MIN_CAPACITY : next;
}

#if defined(__GNUC__)
#define ARRAY_FUNCTION __attribute__((unused)) static inline
#else
#define ARRAY_FUNCTION static inline
#endif

/* When memory runs out, the functions return false and change nothing. */
#define ARRAY_OF(name, type)                                                                                           \
    typedef struct name {                                                                                              \
        type *items;                                                                                                   \
        size_t count;                                                                                                  \
        size_t capacity;                                                                                               \
    } name;                                                                                                            \
                                                                                                                       \
    /* ensures capacity for `wanted` items in total */                                                                 \
    ARRAY_FUNCTION bool name##_reserve(name *array, const tact_allocator *allocator, size_t wanted)                    \
    {                                                                                                                  \
        if (wanted <= array->capacity)                                                                                 \
            return true;                                                                                               \
        size_t capacity = array_next_capacity(array->capacity, wanted, sizeof(type));                                  \
        if (capacity == 0)                                                                                             \
            return false;                                                                                              \
        type *items = tact_memory_resize(allocator, array->items, array->capacity, capacity, sizeof(type));            \
        if (items == NULL)                                                                                             \
            return false;                                                                                              \
        array->items = items;                                                                                          \
        array->capacity = capacity;                                                                                    \
        return true;                                                                                                   \
    }                                                                                                                  \
                                                                                                                       \
    /* sets the count; new items are not initialised */                                                                \
    ARRAY_FUNCTION bool name##_resize(name *array, const tact_allocator *allocator, size_t count)                      \
    {                                                                                                                  \
        if (!name##_reserve(array, allocator, count))                                                                  \
            return false;                                                                                              \
        array->count = count;                                                                                          \
        return true;                                                                                                   \
    }                                                                                                                  \
                                                                                                                       \
    /* appends an item */                                                                                              \
    ARRAY_FUNCTION bool name##_push(name *array, const tact_allocator *allocator, type item)                           \
    {                                                                                                                  \
        if (array->count == array->capacity &&                                                                         \
            (array->count == SIZE_MAX || !name##_reserve(array, allocator, array->count + 1)))                         \
            return false;                                                                                              \
        array->items[array->count++] = item;                                                                           \
        return true;                                                                                                   \
    }                                                                                                                  \
                                                                                                                       \
    /* removes and returns the last item; the array must not be empty */                                               \
    ARRAY_FUNCTION type name##_pop(name *array) { return array->items[--array->count]; }                               \
                                                                                                                       \
    /* frees the memory; the array is empty and may be used again */                                                   \
    ARRAY_FUNCTION void name##_release(name *array, const tact_allocator *allocator)                                   \
    {                                                                                                                  \
        tact_memory_free(allocator, array->items, array->capacity, sizeof(type));                                      \
        *array = (name){0};                                                                                            \
    }                                                                                                                  \
    typedef struct name name /* takes the semicolon */

#endif
