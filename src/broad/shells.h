/*
 * Boxes under numbers, in a tree, and for each the list of those that it has a point in common with: a broad phase that
 * is told of one box after the other and is up to date at once. What moves is put into a box with room to move in, its
 * shell, and comes back only when it leaves it: see world/advance.h.
 *
 *     shells s = shells_empty();
 *     tact_shells_reserve(&s, allocator, n)                 room for numbers below n
 *     tact_shells_put(&s, allocator, 3, &box, filter)       number 3 has this box, whatever it had before
 *     shell_neighbours n = shells_of(&s, 3);                n.items[0 .. n.count - 1]
 *
 * Each neighbour has a word of the caller's own, kept alike on both sides. The lists are arrays: who looks at all
 * neighbours of one reads memory in order. The cost of a box is that of a search in the tree.
 */
#ifndef TACT_BROAD_SHELLS_H
#define TACT_BROAD_SHELLS_H

#include <tact/status.h>

#include "broad/broad.h"
#include "broad/volume.h"

#define SHELL_NONE UINT32_MAX

typedef struct shell_neighbour {
    uint32_t number;
    uint32_t back; /* where in its list this one is */
    uint32_t word; /* the caller's: SHELL_NONE when the pair begins */
} shell_neighbour;

typedef struct shell_list {
    uint32_t first; /* in the pool */
    uint32_t count;
    uint32_t room; /* SHELL_LEAST times a power of two, or 0 */
} shell_list;

ARRAY_OF(shell_pool, shell_neighbour);
ARRAY_OF(shell_list_array, shell_list);
ARRAY_OF(shell_filter_array, broad_filter);
ARRAY_OF(shell_box_array, box);
ARRAY_OF(shell_number_array, uint32_t);

#define SHELL_LEAST 8u /* neighbours: the least room of a list */
#define SHELL_SIZES 28 /* of rooms */

typedef struct shells {
    volume tree;
    shell_box_array boxes;      /* by number; empty: not there */
    shell_filter_array filters; /* likewise */
    shell_list_array lists;     /* likewise */
    shell_number_array marks;   /* likewise: its place among the found, while searching */
    shell_pool pool;
    uint32_t unused
        [SHELL_SIZES]; /* rooms in the pool to be used again, by size: the first, which holds the next in `number` */
    shell_number_array found; /* numbers, by the last search */
    size_t began;             /* how many neighbours the last call to put has added: they are the last in the list */
    void (*drop)(void *context, uint32_t word); /* told of the word, not SHELL_NONE, of a pair that ends */
    void *context;                              /* handed to it */
} shells;

shells tact_shells_empty(void);
void tact_shells_release(shells *s, const tact_allocator *allocator);

bool tact_shells_reserve(shells *s, const tact_allocator *allocator, uint32_t numbers);

static inline bool shells_has(const shells *s, uint32_t number) { return !box_is_empty(&s->boxes.items[number]); }

/* TACT_OUT_OF_MEMORY: the pairs and boxes are as before. The box is not empty. */
tact_status tact_shells_put(shells *s, const tact_allocator *allocator, uint32_t number, const box *b,
                            broad_filter filter);

/* It is there. */
void tact_shells_remove(shells *s, uint32_t number);

typedef struct shell_neighbours {
    shell_neighbour *items;
    uint32_t count;
} shell_neighbours;

static inline shell_neighbours shells_of(const shells *s, uint32_t number)
{
    const shell_list *l = &s->lists.items[number];
    return (shell_neighbours){l->count > 0 ? s->pool.items + l->first : NULL, l->count};
}

/* Gives both sides of a pair a word. */
static inline void shells_set_word(const shells *s, shell_neighbour *n, uint32_t word)
{
    n->word = word;
    s->pool.items[s->lists.items[n->number].first + n->back].word = word;
}

/* For tests: are the pairs those that comparing all with all gives? */
bool tact_shells_check(const shells *s);

#endif
