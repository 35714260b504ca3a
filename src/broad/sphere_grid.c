/* A uniform grid of spheres: see sphere_grid.h. */
#include "broad/sphere_grid.h"

void tact_sphere_grid_release(sphere_grid *g, const tact_allocator *allocator)
{
    grid_cell_array_release(&g->cells, allocator);
    grid_slot_array_release(&g->slots, allocator);
    *g = (sphere_grid){0};
}

bool tact_sphere_grid_reserve(sphere_grid *g, const tact_allocator *allocator, uint32_t items)
{
    if (items <= g->slots.count)
        return true;
    if (!grid_slot_array_reserve(&g->slots, allocator, items))
        return false;
    while (g->slots.count < items)
        g->slots.items[g->slots.count++] = GRID_NONE;
    return true;
}

static double cell_side(double max_radius) { return 2.0 * max_radius * (1.0 + GRID_CELL_MARGIN); }

double tact_sphere_grid_cell_count(const double low[3], const double high[3], double max_radius)
{
    double cells = 1.0;
    for (int i = 0; i < 3; ++i)
        cells *= floor((high[i] - low[i]) / cell_side(max_radius)) + 1.0;
    return cells < GRID_MAX_CELLS ? cells : INFINITY;
}

bool tact_sphere_grid_reset(sphere_grid *g, const tact_allocator *allocator, const double low[3], const double high[3],
                            float max_radius)
{
    const double side = cell_side((double)max_radius);
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
    g->max_radius = max_radius;
    g->count = 0;
    return true;
}

/* A coordinate in units of cells. */
static inline double cell_coordinate(const sphere_grid *g, int axis, float x)
{
    return ((double)x - g->low[axis]) * g->inverse_side;
}

/* The index of the cell of a point; GRID_NONE: outside the region. */
static uint32_t cell_of(const sphere_grid *g, const float centre[3])
{
    uint32_t cell = 0;
    for (int i = 2; i >= 0; --i) {
        const double at = cell_coordinate(g, i, centre[i]);
        if (!(at >= 0.0) || !(at < g->size[i]))
            return GRID_NONE;
        cell = cell * (uint32_t)g->size[i] + (uint32_t)at;
    }
    return cell;
}

bool tact_sphere_grid_insert(sphere_grid *g, uint32_t item, const grid_sphere *sphere, bool marked)
{
    if (!(sphere->radius <= g->max_radius))
        return false;
    const uint32_t index = cell_of(g, sphere->centre);
    if (index == GRID_NONE)
        return false;
    grid_cell *cell = &g->cells.items[index];
    if (cell->count == GRID_CELL_CAPACITY)
        return false;
    g->slots.items[item] = index << 3 | cell->count;
    cell->entries[cell->count++] = (grid_cell_entry){*sphere, marked ? item | GRID_MARK : item};
    ++g->count;
    return true;
}

void tact_sphere_grid_remove(sphere_grid *g, uint32_t item)
{
    const uint32_t slot = g->slots.items[item];
    grid_cell *cell = &g->cells.items[slot >> 3];
    const grid_cell_entry last = cell->entries[--cell->count];
    cell->entries[slot & 7] = last;
    g->slots.items[last.item & ~GRID_MARK] = slot;
    g->slots.items[item] = GRID_NONE;
    --g->count;
}

static int32_t clamp_cell(double at, int32_t size)
{
    return !(at >= 0.0) ? 0 : at >= size ? size - 1 : (int32_t)at; /* compared as doubles: it may exceed an int32_t */
}

/* The range [first, end) of cells along an axis that an interval of coordinates meets. */
static void cells_between(const sphere_grid *g, int axis, double from, double to, int32_t *first, int32_t *end)
{
    const double a = (from - g->low[axis]) * g->inverse_side, b = (to - g->low[axis]) * g->inverse_side;
    *first = *end = 0;
    if (!(b >= 0.0) || !(a < g->size[axis]))
        return;
    *first = clamp_cell(a, g->size[axis]);
    *end = clamp_cell(b, g->size[axis]) + 1;
}

/* Appends the items of some cells that overlap a sphere to the `count` found so far; returns the new count. */
static size_t find_in_cells(const grid_cell *const *near, size_t *cells, const grid_sphere *sphere, uint32_t *found,
                            size_t count)
{
    for (size_t i = 0; i < *cells; ++i)
        for (uint32_t k = 0; k < near[i]->count; ++k) {
            found[count] = near[i]->entries[k].item;
            count += grid_spheres_overlap(sphere, &near[i]->entries[k].sphere);
        }
    *cells = 0;
    return count;
}

/* The squared distances from a coordinate, relative to the lower corner of the region, to rows of cells. */
static void row_gaps(const sphere_grid *g, double at, int32_t first, int32_t end, double gaps[GRID_MAX_CULLED_ROWS])
{
    for (int32_t i = first; i < end && i < first + GRID_MAX_CULLED_ROWS; ++i) {
        const double low = (double)i * g->side - at, high = -low - g->side;
        const double gap = low > high ? low : high;
        gaps[i - first] = gap > 0.0 ? gap * gap : 0.0;
    }
}

size_t tact_sphere_grid_overlap(const sphere_grid *g, const grid_sphere *sphere, uint32_t *found)
{
    size_t count = 0, cells = 0;
    int32_t first[3], end[3];
    double gaps[3][GRID_MAX_CULLED_ROWS];
    const double distance = ((double)sphere->radius + (double)g->max_radius) * (1.0 + 4.0 * GRID_RADIUS_MARGIN);
    double max_squared =
        distance * distance * (1.0 + GRID_CELL_MARGIN); /* cells farther away hold no overlapping sphere */
    for (int i = 0; i < 3; ++i) {
        cells_between(g, i, (double)sphere->centre[i] - distance, (double)sphere->centre[i] + distance, &first[i],
                      &end[i]);
        row_gaps(g, (double)sphere->centre[i] - g->low[i], first[i], end[i], gaps[i]);
        max_squared = end[i] - first[i] > GRID_MAX_CULLED_ROWS ? -1.0 : max_squared;
    }
    const grid_cell *near[GRID_PREFETCH_CELLS];
    for (int32_t z = first[2]; z < end[2]; ++z)
        for (int32_t y = first[1]; y < end[1]; ++y) {
            const double budget = max_squared < 0.0 ? 0.0 : max_squared - gaps[2][z - first[2]] - gaps[1][y - first[1]];
            const grid_cell *from = &g->cells.items[((size_t)z * (size_t)g->size[1] + (size_t)y) * (size_t)g->size[0]];
            for (int32_t x = first[0]; x < end[0]; ++x) {
                if (max_squared >= 0.0 && gaps[0][x - first[0]] > budget)
                    continue;
                cache_line_prefetch(&from[x]);
                near[cells++] = &from[x];
                if (cells == GRID_PREFETCH_CELLS)
                    count = find_in_cells(near, &cells, sphere, found, count);
            }
        }
    return find_in_cells(near, &cells, sphere, found, count);
}

size_t tact_sphere_grid_overlap_box(const sphere_grid *g, const box *b, uint32_t *found)
{
    size_t count = 0;
    int32_t first[3], end[3];
    const double distance = (double)g->max_radius * (1.0 + 8.0 * GRID_RADIUS_MARGIN);
    for (int i = 0; i < 3; ++i)
        cells_between(g, i, (double)b->min[i] - distance, (double)b->max[i] + distance, &first[i], &end[i]);
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
