/*
 * An allocator for tests: it counts, fails on demand, always moves a block, so that a pointer kept too long shows
 * under the sanitizers, fills new bytes, as nobody may count on zeros, and ends the program if a block comes back with
 * another size than it has.
 *
 *     ration r = {.fail_at = 3};
 *     tact_allocator allocator = ration_allocator(&r);
 */
#ifndef TACT_TEST_FAILING_ALLOCATOR_H
#define TACT_TEST_FAILING_ALLOCATOR_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/allocator.h>

typedef struct ration {
    long calls;        /* that asked for memory */
    long fail_at;      /* the call that fails, counting from 1; 0: none */
    long fail_from;    /* that call and all later ones fail; 0: none */
    long every;        /* every n-th call fails; 0: none */
    size_t held, most; /* bytes, now and at the most */
} ration;

/* Bytes before each block, that store its size; they preserve the alignment. */
#define RATION_LABEL 16

static void *ration_resize(void *context, void *block, size_t old_size, size_t new_size)
{
    ration *r = context;
    unsigned char *start = block == NULL ? NULL : (unsigned char *)block - RATION_LABEL, *moved = NULL;
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
        moved = malloc(new_size + RATION_LABEL);
        if (moved == NULL)
            abort();
        memcpy(moved, &new_size, sizeof new_size);
        memset(moved + RATION_LABEL, 0xCD, new_size);
        if (start != NULL)
            memcpy(moved + RATION_LABEL, block, size < new_size ? size : new_size);
    }
    free(start);
    r->held += new_size - size;
    r->most = r->held > r->most ? r->held : r->most;
    return moved != NULL ? moved + RATION_LABEL : NULL;
}

static inline tact_allocator ration_allocator(ration *r) { return (tact_allocator){ration_resize, r}; }

#endif
