/* Allocation through the allocator hook of a world or shape. */
#ifndef TACT_CORE_MEMORY_H
#define TACT_CORE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <tact/allocator.h>

/* Allocates `count` items of `size` bytes, not zeroed. NULL if the allocator fails or the product overflows. `count`
 * and `size` are not 0. */
void *tact_memory_allocate(const tact_allocator *allocator, size_t count, size_t size);

/* Resizes a block from `old_count` to `new_count` items. On failure returns NULL and leaves the block unchanged. */
void *tact_memory_resize(const tact_allocator *allocator, void *block, size_t old_count, size_t new_count, size_t size);

/* Frees a block of `count` items of `size` bytes; NULL is allowed. */
void tact_memory_free(const tact_allocator *allocator, void *block, size_t count, size_t size);

#endif
