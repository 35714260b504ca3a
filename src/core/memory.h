/* Memory through the allocator hook. */
#ifndef TACT_CORE_MEMORY_H
#define TACT_CORE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <tact/allocator.h>

/* Returns a block of `count` items of `size` bytes, not zeroed, or NULL when the allocator has none or the product
 * overflows. `count` and `size` are not 0. */
void *tact_memory_allocate(const tact_allocator *allocator, size_t count, size_t size);

/* Changes a block from `old_count` to `new_count` items; on failure returns NULL and the block stays. */
void *tact_memory_resize(const tact_allocator *allocator, void *block, size_t old_count, size_t new_count, size_t size);

/* Frees a block of `count` items of `size` bytes; NULL is allowed. */
void tact_memory_free(const tact_allocator *allocator, void *block, size_t count, size_t size);

#endif
