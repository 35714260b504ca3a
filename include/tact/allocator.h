/**
 * @file
 * Where memory comes from. Every byte that Tact allocates goes through the allocator given when an object is made
 * (the OpenMP runtime, which allocates for itself, excepted). Running out of memory is a status, never a crash.
 */
#ifndef TACT_ALLOCATOR_H
#define TACT_ALLOCATOR_H

#include <stddef.h>
#include <tact/export.h>

TACT_BEGIN

/** A source of memory. Zero-initialised it stands for the default: malloc, realloc and free. */
typedef struct tact_allocator {
    /**
     * Returns `new_size` bytes, aligned for any type, that start with the first bytes of `block` (which held `old_size`
     * bytes and is given up), or NULL, in which case `block` stays as it was. `block` is NULL for a new block.
     * `new_size` 0 frees `block` and returns NULL. NULL instead of a function: the default allocator.
     */
    void *(*resize)(void *context, void *block, size_t old_size, size_t new_size);
    void *context; /**< handed to every call of `resize` */
} tact_allocator;

TACT_END

#endif
