/*
 * An allocator for tests. It counts calls and bytes, and fails on demand. It moves every block that is resized, so that
 * the sanitizers find stale pointers. It fills new bytes with 0xCD. It ends the program if a block is resized or freed
 * with a size that it does not have.
 *
 *     failing_allocator memory = {.fail_at = 3};
 *     tact_allocator allocator = failing_allocator_make(&memory);
 */
#ifndef TACT_TEST_FAILING_ALLOCATOR_H
#define TACT_TEST_FAILING_ALLOCATOR_H

#include "support/long_form.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/allocator.h>

typedef struct failing_allocator {
    long calls;        /* that asked for memory */
    long fail_at;      /* the call that fails, counting from 1; 0: none */
    long fail_from;    /* that call and all later ones fail; 0: none */
    long every;        /* every n-th call fails; 0: none */
    size_t held, most; /* bytes, now and at the most */
} failing_allocator;

/* Bytes before each block, that store its size; they preserve the alignment. */
#define FAILING_ALLOCATOR_HEADER 16

static void *failing_allocator_resize(void *context, void *block, size_t old_size, size_t new_size)
{
    failing_allocator *r = context;
    unsigned char *start = block == NULL ? NULL : (unsigned char *)block - FAILING_ALLOCATOR_HEADER, *moved = NULL;
    size_t size = 0;
    if (start != NULL)
        memcpy(&size, start, sizeof size);
    if (size != old_size) {
        fprintf(stderr, "a block of %zu bytes comes back as one of %zu\n", size, old_size);
        abort();
    }
    if (new_size > 0) {
        ++r->calls;
        if (r->calls == r->fail_at || (r->fail_from != 0 && r->calls >= r->fail_from) ||
            (r->every != 0 && r->calls % r->every == 0))
            return NULL;
        moved = malloc(new_size + FAILING_ALLOCATOR_HEADER);
        if (moved == NULL)
            abort();
        memcpy(moved, &new_size, sizeof new_size);
        memset(moved + FAILING_ALLOCATOR_HEADER, 0xCD, new_size);
        if (start != NULL)
            memcpy(moved + FAILING_ALLOCATOR_HEADER, block, size < new_size ? size : new_size);
    }
    free(start);
    r->held += new_size - size;
    r->most = r->held > r->most ? r->held : r->most;
    return moved != NULL ? moved + FAILING_ALLOCATOR_HEADER : NULL;
}

static inline tact_allocator failing_allocator_make(failing_allocator *r)
{
    return (tact_allocator){failing_allocator_resize, r};
}

/* For scenes with hundreds of allocations: the one that fails next, after the one numbered `at`. Each of the first 64
 * (quick form: 8), later ones in growing steps, which no period of the scene follows; with TACT_TEST_LONG each. */
static inline long next_failure(long at) { return at + 1 + (long_form() ? 0 : at / (quick_form() ? 8 : 64)); }

#endif
