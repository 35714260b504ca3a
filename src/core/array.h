/*
 * Growable arrays of one type, through the allocator hook.
 *
 *     ARRAY_OF(hit_array, hit)               declares the type hit_array and its functions, once a file
 *     hit_array hits = {0};                  empty: nothing allocated
 *     if (!hit_array_push(&hits, allocator, h))   out of memory: the array is as it was
 *     hits.items[hits.count - 1]
 *     hit_array_release(&hits, allocator);   empty again, memory given back
 *
 * Pushing costs a constant on average: the capacity doubles. Growing moves the items: pointers to them do not last.
 * The allocator must be the same in every call for an array.
 */
#ifndef TACT_CORE_ARRAY_H
#define TACT_CORE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/memory.h"

#define ARRAY_MIN_CAPACITY 8 /* items: below this the calls to the allocator would cost more than the memory */

/* How much capacity to make for `wanted` items where there is `capacity` now: at least twice as much. 0 when no size_t
 * can say it. */
static inline size_t array_next_capacity(size_t capacity, size_t wanted, size_t item_size)
{
    size_t most = SIZE_MAX / item_size;
    if (wanted > most)
        return 0;
    size_t twice = capacity <= most / 2 ? 2 * capacity : most;
    size_t next = twice > wanted ? twice : wanted;
    return next < ARRAY_MIN_CAPACITY && ARRAY_MIN_CAPACITY <= most ? ARRAY_MIN_CAPACITY : next;
}

#if defined(__GNUC__)
#define ARRAY_FUNCTION __attribute__((unused)) static inline
#else
#define ARRAY_FUNCTION static inline
#endif

/* The functions return false, and change nothing, when memory has run out. */
#define ARRAY_OF(name, type)                                                                                           \
    typedef struct name {                                                                                              \
        type *items;                                                                                                   \
        size_t count;                                                                                                  \
        size_t capacity;                                                                                               \
    } name;                                                                                                            \
                                                                                                                       \
    /* makes capacity for at least `wanted` items in all */                                                            \
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
    /* makes the count `count`; items that are new are not initialised */                                              \
    ARRAY_FUNCTION bool name##_resize(name *array, const tact_allocator *allocator, size_t count)                      \
    {                                                                                                                  \
        if (!name##_reserve(array, allocator, count))                                                                  \
            return false;                                                                                              \
        array->count = count;                                                                                          \
        return true;                                                                                                   \
    }                                                                                                                  \
                                                                                                                       \
    /* adds an item at the end */                                                                                      \
    ARRAY_FUNCTION bool name##_push(name *array, const tact_allocator *allocator, type item)                           \
    {                                                                                                                  \
        if (array->count == array->capacity &&                                                                         \
            (array->count == SIZE_MAX || !name##_reserve(array, allocator, array->count + 1)))                         \
            return false;                                                                                              \
        array->items[array->count++] = item;                                                                           \
        return true;                                                                                                   \
    }                                                                                                                  \
                                                                                                                       \
    /* takes the last item off; the array is not empty */                                                              \
    ARRAY_FUNCTION type name##_pop(name *array) { return array->items[--array->count]; }                               \
                                                                                                                       \
    /* gives the memory back; the array is empty and may be used again */                                              \
    ARRAY_FUNCTION void name##_release(name *array, const tact_allocator *allocator)                                   \
    {                                                                                                                  \
        tact_memory_free(allocator, array->items, array->capacity, sizeof(type));                                      \
        *array = (name){0};                                                                                            \
    }                                                                                                                  \
    typedef struct name name /* takes the semicolon */

#endif
