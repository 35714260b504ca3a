/*
 * A uniform grid of spheres, for many spheres of about the same size that fill a region evenly. A sphere is stored in
 * the cell of its centre. The side of a cell is at least the diameter of the largest sphere, so overlapping spheres are
 * in adjacent cells, and a query reads at most 27 cells. A cell has one or two cache lines with all that a test needs.
 * A sphere that is too large, outside the region, or would overfill its cell is rejected: the caller stores it
 * elsewhere (fat_bounds.h: in a tree). So a query never reads more than GRID_CELL_CAPACITY spheres per cell.
 *
 *     sphere_grid g = {0};
 *     tact_sphere_grid_reserve(&g, allocator, n)                        capacity for the items 0 to n - 1
 *     tact_sphere_grid_reset(&g, allocator, low, high, max_radius)      an empty grid of a region
 *     tact_sphere_grid_insert(&g, 3, &sphere, mark)                     false: rejected
 *     tact_sphere_grid_overlap(&g, &sphere, found)                      the items that overlap it
 *
 * Two spheres overlap if the distance of their centres is at most the sum of their radii, as grid_spheres_overlap
 * computes it. Cost: constant per call, except tact_sphere_grid_reset (all cells) and tact_sphere_grid_overlap_box (the
 * cells of the box).
 */
#ifndef TACT_BROAD_SPHERE_GRID_H
#define TACT_BROAD_SPHERE_GRID_H

#include "bounds/box.h"
#include "broad/broad_constants.h"
#include "core/aligned_array.h"

/* A sphere. Its radius exceeds the one it was made from by GRID_RADIUS_MARGIN, and squares of its numbers neither
 * overflow nor underflow in floats: see grid_sphere_make. */
typedef struct grid_sphere {
    float centre[3];
    float radius;
} grid_sphere;

#define GRID_NONE UINT32_MAX

typedef struct grid_cell_entry {
    grid_sphere sphere;
    uint32_t item; /* its index, and GRID_MARK */
} grid_cell_entry;

#define GRID_MARK 0x80000000u /* the caller's mark of a sphere, beside its index */

typedef struct grid_cell {
    uint32_t count;
    grid_cell_entry entries[GRID_CELL_CAPACITY]; /* three in the first cache line */
    uint32_t unused;
} grid_cell;

ALIGNED_ARRAY_OF(grid_cell_array, grid_cell);
ARRAY_OF(grid_slot_array, uint32_t);

typedef struct sphere_grid {
    grid_cell_array cells;
    grid_slot_array slots; /* by item: cell * 8 + entry in it; GRID_NONE: not in the grid */
    double low[3];         /* the lower corner of the region */
    double inverse_side;   /* 1 / side */
    double side;           /* of a cell, a length */
    int32_t size[3];       /* cells along each axis; 0: there is no grid */
    float max_radius;      /* larger spheres are rejected */
    size_t count;          /* spheres */
} sphere_grid;

/* Whether two spheres overlap; symmetric. True if the exact distance is at most the sum of the radii they were made
 * from: the computed square has at most 5 rounding errors of 2^-24, and the radii are larger by GRID_RADIUS_MARGIN. */
static inline bool grid_spheres_overlap(const grid_sphere *a, const grid_sphere *b)
{
    const float x = a->centre[0] - b->centre[0], y = a->centre[1] - b->centre[1], z = a->centre[2] - b->centre[2];
    const float sum = a->radius + b->radius;
    return x * x + y * y + z * z <= sum * sum;
}

/* Whether a coordinate is within the range of the grid. */
static inline bool grid_coordinate_fits(double x) { return fabs(x) <= GRID_MAX_LENGTH; }

/* Makes a sphere that contains all points within `radius` of `centre`; false: outside the range of floats' squares. */
static inline bool grid_sphere_make(const float centre[3], double radius, grid_sphere *sphere)
{
    if (!(radius >= GRID_MIN_LENGTH && radius <= GRID_MAX_LENGTH))
        return false; /* before the conversion to a float, which may overflow */
    for (int i = 0; i < 3; ++i) {
        if (!grid_coordinate_fits((double)centre[i]))
            return false;
        sphere->centre[i] = centre[i];
    }
    sphere->radius = (float)(radius * (1.0 + GRID_RADIUS_MARGIN));
    return true;
}

/* A box around a sphere; the boxes of overlapping spheres overlap. */
static inline box grid_sphere_box(const grid_sphere *sphere)
{
    const double half = (double)sphere->radius * (1.0 + 4.0 * GRID_RADIUS_MARGIN);
    box b;
    for (int i = 0; i < 3; ++i) {
        b.min[i] = tact_float_round_down((double)sphere->centre[i] - half);
        b.max[i] = tact_float_round_up((double)sphere->centre[i] + half);
    }
    return b;
}

void tact_sphere_grid_release(sphere_grid *g, const tact_allocator *allocator);

/* Reserves capacity for the items 0 to `items` - 1, below GRID_MARK. False: out of memory. */
bool tact_sphere_grid_reserve(sphere_grid *g, const tact_allocator *allocator, uint32_t items);

/* The number of cells of a grid; INFINITY: more than GRID_MAX_CELLS. */
double tact_sphere_grid_cell_count(const double low[3], const double high[3], double max_radius);

/* Makes an empty grid of the region [low, high]. False: out of memory, nothing has changed. */
bool tact_sphere_grid_reset(sphere_grid *g, const tact_allocator *allocator, const double low[3], const double high[3],
                            float max_radius);

static inline bool sphere_grid_has(const sphere_grid *g, uint32_t item) { return g->slots.items[item] != GRID_NONE; }

/* Inserts an item that is not in the grid. False: rejected. */
bool tact_sphere_grid_insert(sphere_grid *g, uint32_t item, const grid_sphere *sphere, bool marked);

/* Removes an item that is in the grid. */
void tact_sphere_grid_remove(sphere_grid *g, uint32_t item);

/* Writes the items that overlap the sphere, with their marks; returns their number. `found` has capacity for all. The
 * sphere itself may be in the grid. */
size_t tact_sphere_grid_overlap(const sphere_grid *g, const grid_sphere *sphere, uint32_t *found);

/* Likewise for a box, by cells only: some of the spheres found may not overlap it. */
size_t tact_sphere_grid_overlap_box(const sphere_grid *g, const box *b, uint32_t *found);

#endif
