/*
 * Boxes under numbers, in a tree, and neighbours (broad/neighbours.h) are those that have a point in common: a broad phase that
 * is told of one box after the other and is up to date at once. What moves is put into a box with room to move in, its
 * shell, and comes back only when it leaves it: see world/advance.h.
 *
 *     shells s = tact_shells_empty(&lists);
 *     tact_shells_reserve(&s, allocator, n)                 room for numbers below n, in the lists too
 *     tact_shells_put(&s, allocator, 3, &box, filter)       number 3 has this box, whatever it had before
 *     neighbour_span n = neighbours_of(&lists, 3);          n.items[0 .. n.count - 1]
 *
 * The cost of a box is that of a search in the tree.
 */
#ifndef TACT_BROAD_SHELLS_H
#define TACT_BROAD_SHELLS_H

#include <tact/status.h>

#include "broad/broad.h"
#include "broad/neighbours.h"
#include "broad/volume.h"

ARRAY_OF(shell_filter_array, broad_filter);
ARRAY_OF(shell_box_array, box);
ARRAY_OF(shell_number_array, uint32_t);

typedef struct shells {
    neighbours *lists; /* borrowed */
    volume tree;
    shell_box_array boxes;      /* by number; empty: not there */
    shell_filter_array filters; /* likewise */
    shell_number_array found;   /* numbers, by the last search */
} shells;

/* `lists` is where they tell who is whose neighbour: and has no pairs but theirs. */
shells tact_shells_empty(neighbours *lists);
void tact_shells_release(shells *s, const tact_allocator *allocator);

bool tact_shells_reserve(shells *s, const tact_allocator *allocator, uint32_t numbers);

static inline bool shells_has(const shells *s, uint32_t number) { return !box_is_empty(&s->boxes.items[number]); }

/* TACT_OUT_OF_MEMORY: the pairs and boxes are as before. The box is not empty. */
tact_status tact_shells_put(shells *s, const tact_allocator *allocator, uint32_t number, const box *b,
                            broad_filter filter);

/* It is there. */
void tact_shells_remove(shells *s, uint32_t number);

/* Puts a box where no list tells of it yet, or takes it away from where no list does any more: to take over all of what others have told.
 * When all are placed, each is told of: the boxes, and so the order in which neighbours are found, stay as they are, also if that fails
 * and is done again. */
void tact_shells_place(shells *s, uint32_t number, const box *b, broad_filter filter);
tact_status tact_shells_tell(shells *s, const tact_allocator *allocator, uint32_t number);
void tact_shells_take_out(shells *s, uint32_t number);

/* For tests: are the pairs those that comparing all with all gives? */
bool tact_shells_check(const shells *s);

#endif
