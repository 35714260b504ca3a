/* An allocator that counts the bytes that are out. */
#ifndef TACT_BENCH_COUNTING_H
#define TACT_BENCH_COUNTING_H

#include <stdlib.h>
#include <tact/allocator.h>

typedef struct counting {
    size_t now, most;
} counting;

static inline void *counting_resize(void *context, void *block, size_t old_size, size_t new_size)
{
    counting *c = context;
    void *given = NULL;
    if (new_size == 0)
        free(block);
    else
        given = realloc(block, new_size);
    if (given || new_size == 0) {
        c->now += new_size - old_size; /* whole numbers that wrap: the sum is right */
        c->most = c->now > c->most ? c->now : c->most;
    }
    return given;
}

static inline tact_allocator counting_allocator(counting *c) { return (tact_allocator){counting_resize, c}; }

#endif
