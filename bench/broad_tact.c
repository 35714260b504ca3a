/* Tact in the broad-phase race, with automatic choice of the engine (BROAD_AUTO). */
#include <stdlib.h>

#include "broad/broad.h"
#include "broad_scene.h"
#include "support/broad_inspect.h"

/* Inserts the bodies in index order into an empty broad phase. Proxy and index are then equal; this is checked. */
static void *create(const broad_scene *s)
{
    const box *boxes = (const box *)(const void *)s->bounds;
    const tact_allocator plain = {0};
    broad *b = NULL;
    if (tact_broad_create(&plain, BROAD_AUTO, &b) != TACT_OK)
        return NULL;
    bool done = true;
    for (int i = 0; done && i < s->count; i++) {
        uint32_t proxy = BROAD_NONE;
        done = tact_broad_insert(b, &boxes[i], BROAD_FILTER_ALL, &proxy) == TACT_OK && proxy == (uint32_t)i;
    }
    if (done && tact_broad_update(b, NULL) == TACT_OK)
        return b;
    tact_broad_release(b);
    return NULL;
}

static void update(void *state, const broad_scene *s)
{
    const box *boxes = (const box *)(const void *)s->bounds;
    for (int i = 0; i < s->moving; i++)
        (void)tact_broad_move(state, s->moved[i], &boxes[s->moved[i]]);
    broad_changes changes;
    (void)tact_broad_update(state, &changes);
}

static uint64_t *pairs(void *state, const broad_scene *s, long *count)
{
    (void)s;
    size_t capacity = broad_pair_count(state);
    uint64_t *list = malloc((capacity + 1) * sizeof *list);
    *count = 0;
    for (uint32_t slot = tact_broad_next_pair(state, BROAD_NONE);
         list && slot != BROAD_NONE && (size_t)*count < capacity; slot = tact_broad_next_pair(state, slot)) {
        const broad_pair *p = tact_broad_pair(state, slot);
        list[(*count)++] = (uint64_t)p->a << 32 | p->b;
    }
    return list;
}

static void finish(void *state) { tact_broad_release(state); }

const broad_runner tact_broad_tact = {"Tact", 100000000, create, update, pairs, finish};
