/* An allocator for the tests of worlds: counts, and fails when told to. */
#ifndef TACT_TEST_WORLD_MEMORY_H
#define TACT_TEST_WORLD_MEMORY_H

#include <stdlib.h>
#include <string.h>
#include <tact/allocator.h>

typedef struct ration {
    long calls;
    long fail_at; /* the call that fails, counting from 1; 0: none */
    long every;   /* besides, every n-th call fails; 0: none */
    size_t held;
} ration;

static void *ration_resize(void *context, void *block, size_t old_size, size_t new_size)
{
    ration *r = context;
    if (new_size == 0) {
        r->held -= old_size;
        free(block);
        return NULL;
    }
    ++r->calls;
    if (r->calls == r->fail_at || (r->every != 0 && r->calls % r->every == 0))
        return NULL;
    /* always moved, so that a pointer kept too long shows under the sanitizers */
    void *moved = malloc(new_size);
    if (moved == NULL)
        abort();
    if (block != NULL)
        memcpy(moved, block, old_size < new_size ? old_size : new_size);
    free(block);
    r->held += new_size - old_size;
    return moved;
}

static inline tact_allocator ration_allocator(ration *r) { return (tact_allocator){ration_resize, r}; }

#endif
