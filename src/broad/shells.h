/*
 * Boxes under numbers, in a tree, and the pairs of those that have a point in common: a broad phase that is told of one box
 * after the other and is up to date at once. What moves is put into a box with room to move in, its shell, and comes back only
 * when it leaves it: see world/advance.h.
 *
 *     shells s = shells_empty();
 *     tact_shells_reserve(&s, allocator, n)                          room for numbers below n
 *     tact_shells_put(&s, allocator, 3, &box, filter)                number 3 has this box, whatever it had before
 *     for (i = 0; i < s.began.count; ++i) s.began.items[i]           slots of pairs that are new
 *     for (link = s.heads.items[3]; link != SHELL_NONE; link = shell_next(&s, link)) link >> 1 is a pair's slot
 *
 * A slot stays the same while its pair lives, and is then given again. The cost of a box is that of a search in the tree.
 */
#ifndef TACT_BROAD_SHELLS_H
#define TACT_BROAD_SHELLS_H

#include <tact/status.h>

#include "broad/broad.h"
#include "broad/volume.h"

#define SHELL_NONE UINT32_MAX

/* A link is slot << 1 | which end of the pair at that slot is meant. */
typedef struct shell_pair {
    uint32_t number[2];   /* the smaller one first; of an unused slot number[0] is the next unused one */
    uint32_t next[2];     /* links, in the lists of both */
    uint32_t previous[2]; /* likewise */
} shell_pair;

ARRAY_OF(shell_pair_array, shell_pair);
ARRAY_OF(shell_filter_array, broad_filter);
ARRAY_OF(shell_box_array, box);
ARRAY_OF(shell_link_array, uint32_t);

typedef struct shells {
    volume tree;
    shell_box_array boxes;      /* by number */
    shell_filter_array filters; /* likewise */
    shell_link_array heads;     /* likewise: its first pair */
    shell_link_array marks;     /* likewise: its place in the list below */
    shell_pair_array pairs;     /* by slot */
    shell_link_array began;     /* slots of the pairs that the last call to put has found */
    shell_link_array found;     /* numbers, while searching */
    uint32_t unused;            /* the first slot to be used again */
} shells;

static inline shells shells_empty(void) { return (shells){.tree = volume_empty(), .unused = SHELL_NONE}; }
void tact_shells_release(shells *s, const tact_allocator *allocator);

bool tact_shells_reserve(shells *s, const tact_allocator *allocator, uint32_t numbers);

static inline bool shells_has(const shells *s, uint32_t number) { return !box_is_empty(&s->boxes.items[number]); }

/* TACT_OUT_OF_MEMORY: nothing has changed. The box is not empty. */
tact_status tact_shells_put(shells *s, const tact_allocator *allocator, uint32_t number, const box *b,
                            broad_filter filter);

/* It is there. */
void tact_shells_remove(shells *s, uint32_t number);

static inline uint32_t shell_next(const shells *s, uint32_t link) { return s->pairs.items[link >> 1].next[link & 1]; }

static inline uint32_t shell_other(const shells *s, uint32_t link)
{
    return s->pairs.items[link >> 1].number[~link & 1];
}

/* For tests: are the pairs those that comparing all with all gives? */
bool tact_shells_check(const shells *s);

#endif
