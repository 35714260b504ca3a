/* Allocation through the allocator hook. Every size computation is checked for overflow. */
#include "core/memory.h"

#include <stdlib.h>

static void *default_resize(void *context, void *block, size_t old_size, size_t new_size)
{
    (void)context;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_size);
}

static void *resize(const tact_allocator *allocator, void *block, size_t old_size, size_t new_size)
{
    if (allocator->resize != NULL)
        return allocator->resize(allocator->context, block, old_size, new_size);
    return default_resize(NULL, block, old_size, new_size);
}

void *tact_memory_allocate(const tact_allocator *allocator, size_t count, size_t size)
{
    if (count > SIZE_MAX / size)
        return NULL;
    return resize(allocator, NULL, 0, count * size);
}

void *tact_memory_resize(const tact_allocator *allocator, void *block, size_t old_count, size_t new_count, size_t size)
{
    if (new_count > SIZE_MAX / size)
        return NULL;
    return resize(allocator, block, old_count * size, new_count * size);
}

void tact_memory_free(const tact_allocator *allocator, void *block, size_t count, size_t size)
{
    if (block != NULL)
        (void)resize(allocator, block, count * size, 0);
}
