/*
 * Balls under numbers, in the cells of a grid: for many that are of about the same size and fill a region evenly. Each
 * is in the cell of its centre, and no larger than that two that meet are in cells that are next to each other; so who
 * meets a ball is found in 27 cells at most. Cells are small: a line or two of the cache each, with all that a
 * comparison needs. What is too large, out of the region, or one too many for its cell is not taken: the caller has to
 * keep it elsewhere (broad/fat_bounds.h: in a tree). So nothing ever goes through more than GRID_CELL_CAPACITY balls a
 * cell.
 *
 *     sphere_grid g = {0};
 *     tact_sphere_grid_reserve(&g, allocator, n)                   room for numbers below n
 *     tact_sphere_grid_reset(&g, allocator, low, high, limit)        an empty grid of that region, for reaches up to
 * the limit tact_sphere_grid_insert(&g, 3, &ball, mark)                     false: it is not taken
 *     tact_sphere_grid_overlap(&g, &ball, found)                      who meets it
 *
 * Two balls meet if the distance of their centres is at most the sum of their reaches, up to rounding, by one rule for
 * all: grid_spheres_overlap. Cost: constant for each call but tact_sphere_grid_reset, and tact_sphere_grid_overlap_box,
 * which goes through the cells of the box.
 */
#ifndef TACT_BROAD_SPHERE_GRID_H
#define TACT_BROAD_SPHERE_GRID_H

#include "bounds/box.h"
#include "core/aligned_array.h"

/* A ball, or the shell of one. What it stands for is within `reach` of `centre` with a part of GRID_RADIUS_MARGIN to
 * spare, and all numbers are such that squares of floats neither overflow nor get lost: see grid_sphere_make. */
typedef struct grid_sphere {
    float centre[3];
    float radius;
} grid_sphere;

#define GRID_RADIUS_MARGIN 0x1p-20 /* relative: rounding of the comparison, twice */
#define GRID_MIN_LENGTH 1e-15      /* lengths: beyond these there are no balls */
#define GRID_MAX_LENGTH 1e15

#define GRID_CELL_CAPACITY 6u /* balls a cell */
#define GRID_NONE UINT32_MAX

typedef struct grid_cell_entry {
    grid_sphere sphere;
    uint32_t item; /* its number, and GRID_MARK */
} grid_cell_entry;

#define GRID_MARK 0x80000000u /* the caller's mark of a ball, beside its number */

typedef struct grid_cell {
    uint32_t count;
    grid_cell_entry entries[GRID_CELL_CAPACITY]; /* three in the first line of the cache */
    uint32_t unused;
} grid_cell;

ALIGNED_ARRAY_OF(grid_cell_array, grid_cell);
ARRAY_OF(grid_slot_array, uint32_t);

typedef struct sphere_grid {
    grid_cell_array cells;
    grid_slot_array slots; /* by number: cell * 8 + place in it; GRID_NONE: not here */
    double low[3];         /* the corner of the region */
    double inverse_side;   /* one over the side of a cell */
    double side;           /* of a cell: a length */
    int32_t size[3];       /* cells along each axis; 0: there is no grid */
    float max_radius;      /* the largest reach */
    size_t count;          /* balls */
} sphere_grid;

/* Do two balls meet? The same for both. If their true distance is at most the sum of the reaches that they were made
 * from, they do: differences, squares and sums of floats are off by 5 roundings of 2^-24 at most, and reaches larger by
 * GRID_RADIUS_MARGIN. */
static inline bool grid_spheres_overlap(const grid_sphere *a, const grid_sphere *b)
{
    const float x = a->centre[0] - b->centre[0], y = a->centre[1] - b->centre[1], z = a->centre[2] - b->centre[2];
    const float reach = a->radius + b->radius;
    return x * x + y * y + z * z <= reach * reach;
}

/* Is it such that there may be balls there? Then it has a float. */
static inline bool grid_coordinate_fits(double x) { return fabs(x) <= GRID_MAX_LENGTH; }

/* A ball that holds all that is within `reach` of these three floats; false: its numbers are too large or too small for
 * floats. */
static inline bool grid_sphere_make(const float centre[3], double reach, grid_sphere *ball)
{
    if (!(reach >= GRID_MIN_LENGTH && reach <= GRID_MAX_LENGTH))
        return false; /* before it is made a float, for which it may be too large */
    for (int i = 0; i < 3; ++i) {
        if (!grid_coordinate_fits((double)centre[i]))
            return false;
        ball->centre[i] = centre[i];
    }
    ball->radius = (float)(reach * (1.0 + GRID_RADIUS_MARGIN));
    return true;
}

/* A box around a ball, such that those of two that meet have a point in common. */
static inline box grid_sphere_box(const grid_sphere *ball)
{
    const double half = (double)ball->radius * (1.0 + 4.0 * GRID_RADIUS_MARGIN);
    box b;
    for (int i = 0; i < 3; ++i) {
        b.min[i] = tact_float_round_down((double)ball->centre[i] - half);
        b.max[i] = tact_float_round_up((double)ball->centre[i] + half);
    }
    return b;
}

void tact_sphere_grid_release(sphere_grid *g, const tact_allocator *allocator);

/* Room for numbers below `numbers`, below GRID_MARK. */
bool tact_sphere_grid_reserve(sphere_grid *g, const tact_allocator *allocator, uint32_t numbers);

/* How many cells such a grid has; INFINITY: too many. */
double tact_sphere_grid_cell_count(const double low[3], const double high[3], double limit);

/* Makes it an empty one. False: there is no memory, and nothing has changed. */
bool tact_sphere_grid_reset(sphere_grid *g, const tact_allocator *allocator, const double low[3], const double high[3],
                            float limit);

static inline bool sphere_grid_has(const sphere_grid *g, uint32_t item) { return g->slots.items[item] != GRID_NONE; }

/* It is not in the grid. */
bool tact_sphere_grid_insert(sphere_grid *g, uint32_t item, const grid_sphere *ball, bool marked);

/* It is in the grid. */
void tact_sphere_grid_remove(sphere_grid *g, uint32_t item);

/* Writes who meets the ball, with its mark, and returns how many; there is room for all. It may be in the grid itself.
 */
size_t tact_sphere_grid_overlap(const sphere_grid *g, const grid_sphere *ball, uint32_t *found);

/* The same for balls whose cells are such that they may meet a box: some do not. */
size_t tact_sphere_grid_overlap_box(const sphere_grid *g, const box *b, uint32_t *found);

#endif
