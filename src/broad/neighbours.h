/*
 * Neighbour lists: for each item, the items that may touch it. The broad phases of continuous time (fat_bounds.h,
 * advance/body_sweep.h) write them; event prediction reads them.
 *
 *     neighbours n = tact_neighbours_empty();
 *     tact_neighbours_reserve(&n, allocator, 10)             capacity for the items 0 to 9
 *     tact_neighbours_reserve_more(&n, allocator, 3, 1)      capacity for one more neighbour of item 3,
 *     tact_neighbours_reserve_more(&n, allocator, 7, 1)      and of item 7
 *     tact_neighbours_add(&n, 3, 7);                         cannot fail
 *     neighbour_span of = neighbours_of(&n, 3);              of.items[0 .. of.count - 1]
 *
 * Each pair has 32 bits of data for the caller, stored on both sides. A list is an array, so reading all neighbours of
 * an item reads memory in order. Adding and removing take constant time, given the position in the list.
 */
#ifndef TACT_BROAD_NEIGHBOURS_H
#define TACT_BROAD_NEIGHBOURS_H

#include <stdbool.h>
#include <stdint.h>

#include "broad/broad_constants.h"
#include "core/array.h"

#define NEIGHBOUR_NONE UINT32_MAX

typedef struct neighbour {
    uint32_t index;
    uint32_t mirror; /* the position of this pair in the other item's list */
    uint32_t data;   /* the caller's; NEIGHBOUR_NONE when the pair begins */
} neighbour;

typedef struct neighbour_list {
    uint32_t first; /* in the pool */
    uint32_t count;
    uint32_t capacity; /* NEIGHBOUR_MIN_CAPACITY times a power of two, or 0 */
    uint32_t mark;     /* NEIGHBOUR_NONE, except inside tact_neighbours_set */
} neighbour_list;

ARRAY_OF(neighbour_pool, neighbour);
ARRAY_OF(neighbour_list_array, neighbour_list);

typedef struct neighbours {
    neighbour_list_array lists; /* by item */
    neighbour_pool pool;
    /* by size class: the first free block of the pool, which has the next free block in `index` */
    uint32_t free_blocks[NEIGHBOUR_SIZE_CLASSES];
    /* called with the data of a removed pair, unless that is NEIGHBOUR_NONE */
    void (*on_remove)(void *context, uint32_t data);
    void *context; /* argument of on_remove */
} neighbours;

neighbours tact_neighbours_empty(void);
void tact_neighbours_release(neighbours *n, const tact_allocator *allocator);

/* Reserves capacity for the items 0 to `items` - 1. False: out of memory, nothing has changed. */
bool tact_neighbours_reserve(neighbours *n, const tact_allocator *allocator, uint32_t items);

/* Reserves capacity for `more` further neighbours of an item. False: out of memory, nothing has changed. */
bool tact_neighbours_reserve_more(neighbours *n, const tact_allocator *allocator, uint32_t item, uint32_t more);

/* Adds two items, which are not neighbours, at the end of each other's list. Capacity is reserved in both. */
void tact_neighbours_add(neighbours *n, uint32_t one, uint32_t other);

/* Removes the neighbour at a position. The last one in the list moves to that position. */
void tact_neighbours_remove(neighbours *n, uint32_t item, uint32_t position);

void tact_neighbours_remove_all(neighbours *n, uint32_t item);

/* The position of `other` in the list of `item`, NEIGHBOUR_NONE if they are not neighbours. Linear in the shorter list.
 */
uint32_t tact_neighbours_find(const neighbours *n, uint32_t item, uint32_t other);

/* Sets the neighbours of `item` to `others`, `count` different items. Pairs that stay keep their data. False: out of
 * memory, nothing has changed. */
bool tact_neighbours_set(neighbours *n, const tact_allocator *allocator, uint32_t item, const uint32_t *others,
                         size_t count);

typedef struct neighbour_span {
    neighbour *items;
    uint32_t count;
} neighbour_span;

static inline neighbour_span neighbours_of(const neighbours *n, uint32_t item)
{
    const neighbour_list *l = &n->lists.items[item];
    return (neighbour_span){l->count > 0 ? n->pool.items + l->first : NULL, l->count};
}

/* Sets the data of a pair, on both sides. */
static inline void neighbours_set_data(const neighbours *n, neighbour *one, uint32_t data)
{
    one->data = data;
    n->pool.items[n->lists.items[one->index].first + one->mirror].data = data;
}

#endif
