/* An allocator that counts the allocated bytes. Not thread-safe. */
#ifndef TACT_BENCH_BYTE_COUNTER_H
#define TACT_BENCH_BYTE_COUNTER_H

#include <stdlib.h>
#include <tact/allocator.h>

typedef struct byte_counter {
    size_t current, peak;
} byte_counter;

static inline void *byte_counter_resize(void *context, void *block, size_t old_size, size_t new_size)
{
    byte_counter *c = context;
    void *given = NULL;
    if (new_size == 0)
        free(block);
    else
        given = realloc(block, new_size);
    if (given || new_size == 0) {
        c->current += new_size - old_size; /* unsigned arithmetic wraps: the sum is correct */
        c->peak = c->current > c->peak ? c->current : c->peak;
    }
    return given;
}

static inline tact_allocator byte_counter_allocator(byte_counter *c)
{
    return (tact_allocator){byte_counter_resize, c};
}

#endif
