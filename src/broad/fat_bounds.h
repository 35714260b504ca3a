/*
 * The broad phase of continuous time: a fat bound (box or sphere) for each item. Items whose fat bounds overlap are
 * neighbours (neighbours.h). A moving body is inside its fat bound until a known time, the expiry, and only then gets a
 * new one: see advance/body_motion.h. The neighbour lists are up to date after every call.
 *
 *     fat_bounds s = tact_fat_bounds_empty(&lists);
 *     tact_fat_bounds_reserve(&s, allocator, n)                  capacity for the items 0 to n - 1, also in the lists
 *     tact_fat_bounds_set(&s, allocator, 3, &bound, filter)      inserts item 3, or changes its fat bound
 *     neighbour_span n = neighbours_of(&lists, 3);               n.items[0 .. n.count - 1]
 *
 * Fat bounds are in a dynamic tree, except many spheres of about the same size: these are in a grid (sphere_grid.h),
 * laid out for their region and size, and again when these change. Cost of a call: a query of the tree and the grid;
 * the layouts add a constant per call on average.
 */
#ifndef TACT_BROAD_FAT_BOUNDS_H
#define TACT_BROAD_FAT_BOUNDS_H

#include <tact/status.h>

#include "broad/broad.h"
#include "broad/dynamic_tree.h"
#include "broad/neighbours.h"
#include "broad/sphere_grid.h"

#define FAT_BOUND_IS_BOX -1.0f /* as the radius: the fat bound is a box */

/* A fat bound. Two spheres overlap if grid_spheres_overlap; else the boxes decide. */
typedef struct fat_bound {
    box box;
    grid_sphere sphere; /* radius FAT_BOUND_IS_BOX: there is none */
} fat_bound;

static inline fat_bound fat_bound_of_box(box bounds)
{
    return (fat_bound){bounds, {{0.0f, 0.0f, 0.0f}, FAT_BOUND_IS_BOX}};
}
static inline fat_bound fat_bound_of_sphere(grid_sphere sphere)
{
    return (fat_bound){grid_sphere_box(&sphere), sphere};
}

ARRAY_OF(fat_bound_filter_array, broad_filter);
ARRAY_OF(fat_bound_array, fat_bound);
ARRAY_OF(fat_bound_item_array, uint32_t);

typedef struct fat_bounds {
    neighbours *neighbours; /* borrowed */
    dynamic_tree tree;
    sphere_grid grid;               /* of spheres, which are not in the tree then */
    fat_bound_array bounds;         /* by item; an empty box: absent */
    fat_bound_filter_array filters; /* likewise */
    fat_bound_item_array found;     /* items, by the last query */
    size_t sphere_count;            /* items whose fat bound is a sphere */
    size_t spheres_set;             /* spheres set since the grid was last examined */
    size_t neighbours_found;        /* the sum of their neighbours */
} fat_bounds;

/* The neighbours are written to `lists`, which holds no other pairs. */
fat_bounds tact_fat_bounds_empty(neighbours *lists);
void tact_fat_bounds_release(fat_bounds *s, const tact_allocator *allocator);

/* Reserves capacity for the items 0 to `items` - 1. False: out of memory. */
bool tact_fat_bounds_reserve(fat_bounds *s, const tact_allocator *allocator, uint32_t items);

static inline bool fat_bounds_has(const fat_bounds *s, uint32_t item)
{
    return !box_is_empty(&s->bounds.items[item].box);
}

/* The largest radius of a fat sphere that should be in the grid; INFINITY: there is no grid. */
static inline double fat_bounds_max_radius(const fat_bounds *s)
{
    return s->grid.count > 0 ? (double)s->grid.max_radius * (1.0 - FAT_SPHERE_RADIUS_MARGIN) : INFINITY;
}

/* Lays out the grid again if needed. Call it before making a fat bound with fat_bounds_max_radius, so that a retry
 * after TACT_OUT_OF_MEMORY makes the same one. False: out of memory, nothing has changed. */
bool tact_fat_bounds_maintain(fat_bounds *s, const tact_allocator *allocator);

/* Sets the fat bound and filter of an item, and its neighbours. The box is not empty. TACT_OUT_OF_MEMORY: nothing has
 * changed. */
tact_status tact_fat_bounds_set(fat_bounds *s, const tact_allocator *allocator, uint32_t item, const fat_bound *bound,
                                broad_filter filter);

/* Removes an item that has a fat bound, and its neighbours. */
void tact_fat_bounds_remove(fat_bounds *s, uint32_t item);

/* For a change of engine: set and remove without touching the neighbour lists, and find the neighbours of an item that
 * was set. All items are set first and then listed one by one. The order of neighbours does not depend on retries after
 * TACT_OUT_OF_MEMORY. */
void tact_fat_bounds_set_unlisted(fat_bounds *s, uint32_t item, const fat_bound *bound, broad_filter filter);
void tact_fat_bounds_set_in_tree(fat_bounds *s, uint32_t item, const fat_bound *bound, broad_filter filter); /* new */
tact_status tact_fat_bounds_list(fat_bounds *s, const tact_allocator *allocator, uint32_t item);
void tact_fat_bounds_remove_unlisted(fat_bounds *s, uint32_t item);

#endif
