/* A grid of balls: see grid.h. */
#include "broad/sphere_grid.h"

/* Of a side: by how much two reaches at least fall short of it, so that no rounding makes two cells of one. */
#define SPARE 0x1p-10

/* Cells that are asked for before the first is read. */
#define CELLS_AT_ONCE 32

/* Rows of cells along an axis: for a larger ball, which is not in the grid itself, none are left out. */
#define ROWS 4

void tact_sphere_grid_release(sphere_grid *g, const tact_allocator *allocator)
{
    grid_cell_array_release(&g->cells, allocator);
    grid_slot_array_release(&g->slots, allocator);
    *g = (sphere_grid){0};
}

bool tact_sphere_grid_reserve(sphere_grid *g, const tact_allocator *allocator, uint32_t numbers)
{
    if (numbers <= g->slots.count)
        return true;
    if (!grid_slot_array_reserve(&g->slots, allocator, numbers))
        return false;
    while (g->slots.count < numbers)
        g->slots.items[g->slots.count++] = GRID_NONE;
    return true;
}

static double side_of(double limit) { return 2.0 * limit * (1.0 + SPARE); }

double tact_sphere_grid_cell_count(const double low[3], const double high[3], double limit)
{
    double cells = 1.0;
    for (int i = 0; i < 3; ++i)
        cells *= floor((high[i] - low[i]) / side_of(limit)) + 1.0;
    return cells < 0x1p28 ? cells : INFINITY;
}

bool tact_sphere_grid_reset(sphere_grid *g, const tact_allocator *allocator, const double low[3], const double high[3],
                            float limit)
{
    const double side = side_of((double)limit);
    int32_t size[3];
    size_t cells = 1;
    for (int i = 0; i < 3; ++i) {
        size[i] = (int32_t)floor((high[i] - low[i]) / side) + 1;
        cells *= (size_t)size[i];
    }
    if (!grid_cell_array_reserve(&g->cells, allocator, cells))
        return false;
    g->cells.count = cells;
    for (size_t i = 0; i < cells; ++i)
        g->cells.items[i].count = 0;
    for (size_t i = 0; i < g->slots.count; ++i)
        g->slots.items[i] = GRID_NONE;
    for (int i = 0; i < 3; ++i) {
        g->low[i] = low[i];
        g->size[i] = size[i];
    }
    g->side = side;
    g->inverse_side = 1.0 / side;
    g->max_radius = limit;
    g->count = 0;
    return true;
}

/* Where a coordinate is, in cells; not a cell if it is outside. */
static inline double place_of(const sphere_grid *g, int axis, float x)
{
    return ((double)x - g->low[axis]) * g->inverse_side;
}

/* The number of the cell of a point; GRID_NONE: outside. */
static uint32_t cell_of(const sphere_grid *g, const float centre[3])
{
    uint32_t cell = 0;
    for (int i = 2; i >= 0; --i) {
        const double at = place_of(g, i, centre[i]);
        if (!(at >= 0.0) || !(at < g->size[i]))
            return GRID_NONE;
        cell = cell * (uint32_t)g->size[i] + (uint32_t)at;
    }
    return cell;
}

bool tact_sphere_grid_insert(sphere_grid *g, uint32_t item, const grid_sphere *ball, bool marked)
{
    if (!(ball->radius <= g->max_radius))
        return false;
    const uint32_t number = cell_of(g, ball->centre);
    if (number == GRID_NONE)
        return false;
    grid_cell *cell = &g->cells.items[number];
    if (cell->count == GRID_CELL_CAPACITY)
        return false;
    g->slots.items[item] = number << 3 | cell->count;
    cell->entries[cell->count++] = (grid_cell_entry){*ball, marked ? item | GRID_MARK : item};
    ++g->count;
    return true;
}

void tact_sphere_grid_remove(sphere_grid *g, uint32_t item)
{
    const uint32_t seat = g->slots.items[item];
    grid_cell *cell = &g->cells.items[seat >> 3];
    const grid_cell_entry last = cell->entries[--cell->count];
    cell->entries[seat & 7] = last;
    g->slots.items[last.item & ~GRID_MARK] = seat;
    g->slots.items[item] = GRID_NONE;
    --g->count;
}

static int32_t clamp(double at, int32_t size)
{
    return !(at >= 0.0) ? 0 : at >= size ? size - 1 : (int32_t)at; /* as doubles: it may be far away */
}

/* The cells along an axis from one coordinate to another: the first, and the one after the last. */
static void cells_between(const sphere_grid *g, int axis, double from, double to, int32_t *first, int32_t *end)
{
    const double a = (from - g->low[axis]) * g->inverse_side, b = (to - g->low[axis]) * g->inverse_side;
    *first = *end = 0;
    if (!(b >= 0.0) || !(a < g->size[axis]))
        return;
    *first = clamp(a, g->size[axis]);
    *end = clamp(b, g->size[axis]) + 1;
}

/* Who of some cells meets a ball, after the `count` found so far. */
static size_t meet_in_cells(const grid_cell *const *near, size_t *cells, const grid_sphere *ball, uint32_t *found,
                            size_t count)
{
    for (size_t i = 0; i < *cells; ++i)
        for (uint32_t k = 0; k < near[i]->count; ++k) {
            found[count] = near[i]->entries[k].item;
            count += grid_spheres_overlap(ball, &near[i]->entries[k].sphere);
        }
    *cells = 0;
    return count;
}

/* The square of the distance of a coordinate, from the corner of the region on, from each of some rows of cells. */
static void row_gaps(const sphere_grid *g, double at, int32_t first, int32_t end, double gaps[ROWS])
{
    for (int32_t i = first; i < end && i < first + ROWS; ++i) {
        const double low = (double)i * g->side - at, high = -low - g->side;
        const double gap = low > high ? low : high;
        gaps[i - first] = gap > 0.0 ? gap * gap : 0.0;
    }
}

size_t tact_sphere_grid_overlap(const sphere_grid *g, const grid_sphere *ball, uint32_t *found)
{
    size_t count = 0, cells = 0;
    int32_t first[3], end[3];
    double gaps[3][ROWS];
    const double reach = ((double)ball->radius + (double)g->max_radius) * (1.0 + 4.0 * GRID_RADIUS_MARGIN);
    double far = reach * reach * (1.0 + SPARE); /* a cell farther away has nobody */
    for (int i = 0; i < 3; ++i) {
        cells_between(g, i, (double)ball->centre[i] - reach, (double)ball->centre[i] + reach, &first[i], &end[i]);
        row_gaps(g, (double)ball->centre[i] - g->low[i], first[i], end[i], gaps[i]);
        far = end[i] - first[i] > ROWS ? -1.0 : far;
    }
    const grid_cell *near[CELLS_AT_ONCE];
    for (int32_t z = first[2]; z < end[2]; ++z)
        for (int32_t y = first[1]; y < end[1]; ++y) {
            const double left = far < 0.0 ? 0.0 : far - gaps[2][z - first[2]] - gaps[1][y - first[1]];
            const grid_cell *from = &g->cells.items[((size_t)z * (size_t)g->size[1] + (size_t)y) * (size_t)g->size[0]];
            for (int32_t x = first[0]; x < end[0]; ++x) {
                if (far >= 0.0 && gaps[0][x - first[0]] > left)
                    continue;
                cache_line_prefetch(&from[x]);
                near[cells++] = &from[x];
                if (cells == CELLS_AT_ONCE)
                    count = meet_in_cells(near, &cells, ball, found, count);
            }
        }
    return meet_in_cells(near, &cells, ball, found, count);
}

size_t tact_sphere_grid_overlap_box(const sphere_grid *g, const box *b, uint32_t *found)
{
    size_t count = 0;
    int32_t first[3], end[3];
    const double reach = (double)g->max_radius * (1.0 + 8.0 * GRID_RADIUS_MARGIN);
    for (int i = 0; i < 3; ++i)
        cells_between(g, i, (double)b->min[i] - reach, (double)b->max[i] + reach, &first[i], &end[i]);
    for (int32_t z = first[2]; z < end[2]; ++z)
        for (int32_t y = first[1]; y < end[1]; ++y)
            for (int32_t x = first[0]; x < end[0]; ++x) {
                const size_t row = (size_t)z * (size_t)g->size[1] + (size_t)y;
                const grid_cell *cell = &g->cells.items[row * (size_t)g->size[0] + (size_t)x];
                for (uint32_t k = 0; k < cell->count; ++k)
                    found[count++] = cell->entries[k].item;
            }
    return count;
}
