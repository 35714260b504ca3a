/**
 * @file
 * The allocator hook. Tact allocates all memory through the allocator given when an object is created. The OpenMP
 * runtime is the one exception: it allocates for itself. Running out of memory is a status, never a crash.
 */
#ifndef TACT_ALLOCATOR_H
#define TACT_ALLOCATOR_H

#include <stddef.h>
#include <tact/export.h>

TACT_BEGIN

/** A memory allocator. All zero selects the default allocator: malloc, realloc and free. */
typedef struct tact_allocator {
    /**
     * Resizes `block` from `old_size` to `new_size` bytes, as realloc does: keeps the common prefix and returns the
     * new block, aligned for any type. If `block` is NULL, it allocates. If `new_size` is 0, it frees `block` and
     * returns NULL. On failure it returns NULL and leaves `block` unchanged. A NULL function selects the default
     * allocator.
     */
    void *(*resize)(void *context, void *block, size_t old_size, size_t new_size);
    void *context; /**< passed to every call of `resize` */
} tact_allocator;

TACT_END

#endif
