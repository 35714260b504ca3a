/*
 * Boxes and balls under numbers, and neighbours (broad/neighbours.h) are those that have a point in common: a broad
 * phase that is told of one after the other and is up to date at once. What moves is put into a box or a ball with room
 * to move in, its shell, and comes back only when it leaves it: see advance/advance.h.
 *
 *     shells s = tact_fat_bounds_empty(&lists);
 *     tact_fat_bounds_reserve(&s, allocator, n)                 room for numbers below n, in the lists too
 *     tact_fat_bounds_set(&s, allocator, 3, &form, filter)      number 3 has this shell, whatever it had before
 *     neighbour_span n = neighbours_of(&lists, 3);          n.items[0 .. n.count - 1]
 *
 * All are in a tree of boxes, but where there are many balls of about one size: these are in a grid
 * (broad/sphere_grid.h), which is laid where they are and for the size that they have, and laid anew when they have
 * moved or changed. Who is whose neighbour does not depend on that. The cost of a shell is that of a search in the tree
 * or the grid; of all layings together, on average, a constant for each shell that was put.
 */
#ifndef TACT_BROAD_FAT_BOUNDS_H
#define TACT_BROAD_FAT_BOUNDS_H

#include <tact/status.h>

#include "broad/broad.h"
#include "broad/dynamic_tree.h"
#include "broad/neighbours.h"
#include "broad/sphere_grid.h"

/* Of a shell: neighbours that are about right. With fewer it should be larger, with more of them smaller. */
#define FAT_BOX_MIN_NEIGHBOURS 6
#define FAT_BOX_MAX_NEIGHBOURS 16
#define FAT_SPHERE_MIN_NEIGHBOURS 5
#define FAT_SPHERE_MAX_NEIGHBOURS 10

/* Of the largest reach in the grid: so much less a ball has that wants to be in it, for the rounding of its middle to
 * floats. Without it, a third of all that want the most are a little too large. */
#define FAT_SPHERE_RADIUS_MARGIN 0x1p-10

#define FAT_BOUND_IS_BOX -1.0f /* the reach of what is not a ball */

/* A shell. Of two balls it counts whether the balls meet, else whether the boxes do. */
typedef struct fat_bound {
    box box;
    grid_sphere sphere; /* reach: FAT_BOUND_IS_BOX if it is none */
} fat_bound;

static inline fat_bound fat_bound_of_box(box bounds)
{
    return (fat_bound){bounds, {{0.0f, 0.0f, 0.0f}, FAT_BOUND_IS_BOX}};
}
static inline fat_bound fat_bound_of_sphere(grid_sphere ball) { return (fat_bound){grid_sphere_box(&ball), ball}; }

ARRAY_OF(fat_bound_filter_array, broad_filter);
ARRAY_OF(fat_bound_array, fat_bound);
ARRAY_OF(fat_bound_number_array, uint32_t);

typedef struct fat_bounds {
    neighbours *neighbours; /* borrowed */
    dynamic_tree tree;
    sphere_grid grid;               /* of balls that are not in the tree */
    fat_bound_array bounds;         /* by number; bounds empty: not there */
    fat_bound_filter_array filters; /* likewise */
    fat_bound_number_array found;   /* numbers, by the last search */
    size_t sphere_count;            /* there are */
    size_t spheres_set;             /* balls since the grid was last seen to */
    size_t neighbours_found;        /* neighbours that these have found, all together */
} fat_bounds;

/* `lists` is where they tell who is whose neighbour: and has no pairs but theirs. */
fat_bounds tact_fat_bounds_empty(neighbours *lists);
void tact_fat_bounds_release(fat_bounds *s, const tact_allocator *allocator);

bool tact_fat_bounds_reserve(fat_bounds *s, const tact_allocator *allocator, uint32_t numbers);

static inline bool fat_bounds_has(const fat_bounds *s, uint32_t number)
{
    return !box_is_empty(&s->bounds.items[number].box);
}

/* The largest reach that a ball should have which does not want to be out of the grid; INFINITY: there is none. */
static inline double fat_bounds_max_radius(const fat_bounds *s)
{
    return s->grid.count > 0 ? (double)s->grid.max_radius * (1.0 - FAT_SPHERE_RADIUS_MARGIN) : INFINITY;
}

/* Sees to the grid, once in a while: to be asked before a shell is made up that heeds fat_bounds_max_radius, so that
 * one which there was no memory to put is the same again. False: there is no memory, and nothing has changed. */
bool tact_fat_bounds_maintain(fat_bounds *s, const tact_allocator *allocator);

/* TACT_OUT_OF_MEMORY: the pairs and shells are as before. The bounds are not empty. */
tact_status tact_fat_bounds_set(fat_bounds *s, const tact_allocator *allocator, uint32_t number, const fat_bound *form,
                                broad_filter filter);

/* It is there. */
void tact_fat_bounds_remove(fat_bounds *s, uint32_t number);

/* Puts a shell where no list tells of it yet, or takes it away from where no list does any more: to take over all of
 * what others have told. When all are placed, each is told of: they stay where they are, and so does the order in which
 * neighbours are found, also if that fails and is done again. */
void tact_fat_bounds_set_unlisted(fat_bounds *s, uint32_t number, const fat_bound *form, broad_filter filter);
tact_status tact_fat_bounds_list(fat_bounds *s, const tact_allocator *allocator, uint32_t number);
void tact_fat_bounds_remove_unlisted(fat_bounds *s, uint32_t number);

#endif
