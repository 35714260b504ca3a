/*
 * Who is whose neighbour, among items under numbers: for each a list of the others. What finds neighbours
 * (broad/fat_bounds.h) tells them here; who wants to know them reads here.
 *
 *     neighbours n = tact_neighbours_empty();
 *     tact_neighbours_reserve(&n, allocator, 10)          room for numbers below 10
 *     tact_neighbours_reserve_more(&n, allocator, 3, 1)      room for one more neighbour of 3; and of 7
 *     tact_neighbours_add(&n, 3, 7);                     cannot fail
 *     neighbour_span of = neighbours_of(&n, 3);           of.items[0 .. of.count - 1]
 *
 * Each pair has a word of the caller's own, kept alike on both sides. The lists are arrays: who looks at all
 * neighbours of one reads memory in order. To join and to separate take constant time, given the place in the list.
 */
#ifndef TACT_BROAD_NEIGHBOURS_H
#define TACT_BROAD_NEIGHBOURS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/array.h"

#define NEIGHBOUR_NONE UINT32_MAX

typedef struct neighbour {
    uint32_t index;
    uint32_t mirror; /* where in its list this one is */
    uint32_t data;   /* the caller's: NEIGHBOUR_NONE when the pair begins */
} neighbour;

typedef struct neighbour_list {
    uint32_t first; /* in the pool */
    uint32_t count;
    uint32_t capacity; /* NEIGHBOUR_MIN_CAPACITY times a power of two, or 0 */
    uint32_t mark;     /* NEIGHBOUR_NONE but while neighbours are set */
} neighbour_list;

ARRAY_OF(neighbour_pool, neighbour);
ARRAY_OF(neighbour_list_array, neighbour_list);

#define NEIGHBOUR_MIN_CAPACITY 8u /* the least room of a list */
#define NEIGHBOUR_SIZE_CLASSES 28 /* of rooms */

typedef struct neighbours {
    neighbour_list_array lists; /* by number */
    neighbour_pool pool;
    uint32_t free_blocks[NEIGHBOUR_SIZE_CLASSES]; /* rooms in the pool to be used again, by size: the first, which holds
                                         the next in `number` */
    void (*on_remove)(void *context, uint32_t word); /* told of the word, not NEIGHBOUR_NONE, of a pair that ends */
    void *context;                                   /* handed to it */
} neighbours;

neighbours tact_neighbours_empty(void);
void tact_neighbours_release(neighbours *n, const tact_allocator *allocator);

bool tact_neighbours_reserve(neighbours *n, const tact_allocator *allocator, uint32_t numbers);

/* Room in a list for `more` neighbours than it has. On failure nothing has changed. */
bool tact_neighbours_reserve_more(neighbours *n, const tact_allocator *allocator, uint32_t number, uint32_t more);

/* They are not neighbours, and there is room in both lists. Each is the last in the other's list then. */
void tact_neighbours_add(neighbours *n, uint32_t one, uint32_t other);

/* The last one in the list gets that place then. */
void tact_neighbours_remove(neighbours *n, uint32_t number, uint32_t place);

void tact_neighbours_remove_all(neighbours *n, uint32_t number);

/* The place of one in the list of the other, NEIGHBOUR_NONE: they are not neighbours. Goes through the shorter one of
 * the lists. */
uint32_t tact_neighbours_find(const neighbours *n, uint32_t number, uint32_t other);

/* Separates and joins until the neighbours of `number` are the `count` ones in `others`, each once and not itself.
 * Pairs that stay keep their words. False: there is no memory, and nothing has changed. */
bool tact_neighbours_set(neighbours *n, const tact_allocator *allocator, uint32_t number, const uint32_t *others,
                         size_t count);

typedef struct neighbour_span {
    neighbour *items;
    uint32_t count;
} neighbour_span;

static inline neighbour_span neighbours_of(const neighbours *n, uint32_t number)
{
    const neighbour_list *l = &n->lists.items[number];
    return (neighbour_span){l->count > 0 ? n->pool.items + l->first : NULL, l->count};
}

/* Gives both sides of a pair a word. */
static inline void neighbours_set_word(const neighbours *n, neighbour *one, uint32_t word)
{
    one->data = word;
    n->pool.items[n->lists.items[one->index].first + one->mirror].data = word;
}

#endif
