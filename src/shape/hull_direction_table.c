/*
 * The direction table of a hull: for each of some cells that cover all directions, the vertices that can be the support
 * point.
 *
 * Guarantee: for every direction the candidates of its cell include a support vertex, up to rounding. A cell is a cone
 * spanned by a few rays. Vertex v is left out only if another vertex u is at least as far along *each* ray (if they are
 * equal along all, the one with the smaller index stays), and hence along every direction between them. This needs
 * neither adjacency nor faces, so flat and degenerate hulls need no special case. A query compares the candidates, four
 * at a time without branches. There is no hill climbing: its steps depend on each other and may stall on plateaus.
 *
 * Cells: by the signs of a direction, the order of its components and whether they differ by less than a factor of two:
 * 240 cells, found by comparisons alone. Large hulls have a grid on the octahedron |x| + |y| + |z| = 1, cut into two
 * squares at z = 0, with about one cell a vertex, found by a division. The lists of the grid are made top down, each
 * from that of the cell four times as large. Hulls of up to 24 vertices have no cells: all vertices are compared in
 * floats, 288 bytes that stay in the first-level cache during a query, and those that floats cannot tell apart again in
 * doubles.
 *
 * Cost: O(1) a query, except in cells around the normal of a face with many vertices, which hold them all. O(n log n)
 * to make, O(n) memory. Measured (ns a query, dependent / independent; points on a sphere): 200 vertices 28 / 17, 2000
 * 37 / 23, 20000 48 / 27; comparing every vertex 177 / 174, 1660 / 1660. Memory: 5.5, 43, 633 kB. The whole hull with
 * its table takes 0.32, 6.3, 88 ms.
 */
#include "core/memory.h"
#include "core/number.h"
#include "shape/hull_internal.h"

#define HULL_SIMD_MAX_VERTICES (HULL_SIMD_BLOCKS * HULL_VEC8_COUNT)

/* Rays that span a cell: a triangle has three, and each of six half-spaces adds at most one. */
#define CONE_MAX_RAYS 12

typedef struct direction_cone {
    int count;
    tact_vec3 ray[CONE_MAX_RAYS];
} direction_cone;

typedef struct table_builder {
    hull *h;
    /* divided by the direction scale: their dot products with scaled directions are the true ones, up to a common
     * factor */
    tact_vec3 *vertices;
    const tact_allocator *allocator;
    uint32_t block_capacity, block_limit;
    double *values;  /* of the entries of a list: the dot products with each ray, and with their sum first */
    uint32_t *lists; /* nested candidate lists */
    uint64_t work;   /* list entries that may still be examined */
    bool complete;   /* false: memory is out */
} table_builder;

/* ---- cones of directions ---- */

/* Clips a cone by a half-space. Exact for the small integers that rays have here. */
static void cone_clip(direction_cone *c, tact_vec3 normal)
{
    direction_cone cut;
    cut.count = 0;
    for (int i = 0; i < c->count; i++) {
        tact_vec3 p = c->ray[i], q = c->ray[(i + 1) % c->count];
        double a = vec_dot(normal, p), b = vec_dot(normal, q);
        if (a >= 0.0)
            cut.ray[cut.count++] = p;
        if ((a > 0.0 && b < 0.0) || (a < 0.0 && b > 0.0))
            cut.ray[cut.count++] = vec_add(vec_scale(p, fabs(b)), vec_scale(q, fabs(a)));
    }
    *c = cut;
}

/* Does the cone have no interior? */
static bool cone_is_flat(const direction_cone *c)
{
    for (int i = 2; i < c->count; i++) {
        if (vec_dot(c->ray[0], vec_cross(c->ray[i - 1], c->ray[i])) != 0.0)
            return false;
    }
    return true;
}

/* Clips to the directions whose component `b` is in a band relative to component `a`: limits at 1/2, 1 and 2 times `a`,
 * or at `a` only if coarse. */
static void cone_clip_band(direction_cone *c, uint32_t band, int a, int b, bool coarse)
{
    static const double fine_limit[3] = {0.5, 1.0, 2.0};
    static const double coarse_limit[1] = {1.0};
    const double *limit = coarse ? coarse_limit : fine_limit;
    uint32_t limits = coarse ? 1 : 3;
    for (int side = 0; side < 2; side++) {
        if (side == 0 ? band == 0 : band == limits)
            continue;
        double n[3] = {0.0, 0.0, 0.0};
        double sign = side == 0 ? 1.0 : -1.0;
        n[b] = sign;
        n[a] = -sign * limit[side == 0 ? band - 1 : band];
        cone_clip(c, vec_make(n[0], n[1], n[2]));
    }
}

/* ---- candidate lists ---- */

/* Is u at least as far as v along all rays, and preferred where they are equal? */
static bool dominates(const double *u, const double *v, int rays, bool smaller)
{
    bool equal = true;
    for (int r = 0; r < rays; r++) {
        if (u[r] < v[r])
            return false;
        equal = equal && u[r] == v[r];
    }
    return !equal || smaller;
}

/* Copies from `list` to `selected` the vertices that may be the support point of a direction of the cone; returns how
 * many. `thorough` compares all with all, otherwise only with the farthest along the rays and between them. */
static uint32_t select_candidates(table_builder *m, const direction_cone *c, const uint32_t *list, uint32_t count,
                                  uint32_t *selected, bool thorough)
{
    const tact_vec3 *vertices = m->vertices;
    double *values = m->values;
    int rays = c->count, samples = thorough ? rays : 2 * rays;
    tact_vec3 centre = vec_make(0.0, 0.0, 0.0);
    for (int r = 0; r < rays; r++)
        centre = vec_mul_add(centre, 1.0, vec_normalize(c->ray[r]));
    /* The farthest along the centre, along each ray, and between the centre and each ray. */
    uint32_t best[1 + 2 * CONE_MAX_RAYS];
    double most[1 + 2 * CONE_MAX_RAYS];
    for (int k = 0; k <= samples; k++)
        most[k] = -HUGE_VAL;
    for (uint32_t i = 0; i < count; i++) {
        tact_vec3 p = vertices[list[i]];
        double *v = values + (size_t)i * (CONE_MAX_RAYS + 1);
        v[0] = vec_dot(centre, p);
        for (int k = 0; k <= samples; k++) {
            if (k > 0 && k <= rays)
                v[k] = vec_dot(c->ray[k - 1], p);
            double value = k <= rays ? v[k] : v[0] + 2.0 * v[k - rays];
            if (value > most[k]) {
                most[k] = value;
                best[k] = i;
            }
        }
    }
    uint32_t preselected = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double *v = values + (size_t)i * (CONE_MAX_RAYS + 1);
        bool keep = true;
        for (int k = 0; k <= samples && keep; k++) {
            uint32_t j = best[k];
            keep = j == i || !dominates(values + (size_t)j * (CONE_MAX_RAYS + 1) + 1, v + 1, rays, list[j] < list[i]);
        }
        if (keep)
            selected[preselected++] = i; /* an index into the list, for now */
    }
    uint32_t count_selected = preselected;
    if (thorough && preselected <= HULL_PAIRWISE_MAX) {
        /* Sorted by the centre value, descending: a vertex that dominates another comes before it (or ties). */
        for (uint32_t i = 1; i < preselected; i++) {
            uint32_t moved = selected[i], j = i;
            double key = values[(size_t)moved * (CONE_MAX_RAYS + 1)];
            for (; j > 0 && values[(size_t)selected[j - 1] * (CONE_MAX_RAYS + 1)] < key; j--)
                selected[j] = selected[j - 1];
            selected[j] = moved;
        }
        count_selected = 0;
        for (uint32_t i = 0; i < preselected; i++) {
            const double *v = values + (size_t)selected[i] * (CONE_MAX_RAYS + 1);
            bool keep = true;
            for (uint32_t j = 0; j < count_selected && keep; j++)
                keep = !dominates(values + (size_t)selected[j] * (CONE_MAX_RAYS + 1) + 1, v + 1, rays, true);
            if (keep)
                selected[count_selected++] = selected[i];
        }
    }
    for (uint32_t i = 0; i < count_selected; i++)
        selected[i] = list[selected[i]];
    return count_selected;
}

/* Stores the candidates of a cell. */
static void set_cell(table_builder *m, uint32_t cell, const uint32_t *list, uint32_t count)
{
    hull *h = m->h;
    uint32_t blocks = (count + HULL_BLOCK - 1) / HULL_BLOCK;
    h->cells[cell] = 0;
    if (!m->complete || blocks >= 1u << HULL_BLOCK_BITS || h->block_total + blocks > m->block_limit)
        return; /* no list: queries compare every vertex */
    if (h->block_total + blocks > m->block_capacity) {
        uint32_t capacity = m->block_capacity + m->block_capacity / 2 + blocks;
        size_t size = HULL_BLOCK * (h->candidates32 != NULL ? sizeof *h->candidates32 : sizeof *h->candidates16);
        void *block = h->candidates32 != NULL ? (void *)h->candidates32 : (void *)h->candidates16;
        void *grown = tact_memory_resize(m->allocator, block, m->block_capacity, capacity, size);
        if (grown == NULL) {
            m->complete = false;
            return;
        }
        m->block_capacity = capacity;
        if (h->candidates32 != NULL)
            h->candidates32 = grown;
        else
            h->candidates16 = grown;
    }
    size_t to = (size_t)h->block_total * HULL_BLOCK;
    for (uint32_t i = 0; i < blocks * HULL_BLOCK; i++) {
        uint32_t vertex = list[i < count ? i : 0];
        if (h->candidates32 != NULL)
            h->candidates32[to + i] = vertex;
        else
            h->candidates16[to + i] = (uint16_t)vertex;
    }
    h->cells[cell] = h->block_total << HULL_BLOCK_BITS | blocks;
    h->block_total += blocks;
}

/* ---- ratio cells ---- */

/* The cone of a cell in the positive octant; empty if there are no such directions. */
static direction_cone ratio_cone(uint32_t code, bool coarse)
{
    uint32_t bits = coarse ? 1 : 2, mask = coarse ? 1 : 3;
    direction_cone c = {3, {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    cone_clip_band(&c, code & mask, 0, 1, coarse);
    cone_clip_band(&c, code >> bits & mask, 1, 2, coarse);
    cone_clip_band(&c, code >> 2 * bits & mask, 0, 2, coarse);
    if (cone_is_flat(&c))
        c.count = 0;
    return c;
}

static direction_cone mirror_cone(const direction_cone *c, uint32_t signs)
{
    direction_cone image = *c;
    for (int r = 0; r < c->count; r++) {
        tact_vec3 v = c->ray[r];
        image.ray[r] = vec_make(signs & 1 ? -v.x : v.x, signs & 2 ? -v.y : v.y, signs & 4 ? -v.z : v.z);
    }
    return image;
}

static const direction_cone first_octant = {3, {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};

/* For each octant: coarse cells by the order of the components, and in these the fine ones. */
static void fill_ratio_cells(table_builder *m)
{
    uint32_t count = m->h->vertex_count;
    uint32_t *octant = m->lists + count, *outer = octant + count, *inner = outer + count;
    direction_cone coarse_cones[8], fine_cones[64];
    for (uint32_t code = 0; code < 8; code++)
        coarse_cones[code] = ratio_cone(code, true);
    for (uint32_t code = 0; code < 64; code++)
        fine_cones[code] = ratio_cone(code, false);
    for (uint32_t cell = 0; cell < m->h->cell_count; cell++)
        m->h->cells[cell] = 0;
    for (uint32_t signs = 0; signs < 8; signs++) {
        direction_cone c = mirror_cone(&first_octant, signs);
        uint32_t in_octant = select_candidates(m, &c, m->lists, count, octant, false);
        for (uint32_t code = 0; code < 8; code++) {
            if (coarse_cones[code].count == 0)
                continue;
            c = mirror_cone(&coarse_cones[code], signs);
            uint32_t in_outer = select_candidates(m, &c, octant, in_octant, outer, false);
            for (uint32_t fine = 0; fine < 64; fine++) {
                /* the upper bit of a fine band is its coarse band */
                if (((fine >> 1 & 1) | (fine >> 2 & 2) | (fine >> 3 & 4)) != code || fine_cones[fine].count == 0)
                    continue;
                c = mirror_cone(&fine_cones[fine], signs);
                set_cell(m, fine << 3 | signs, inner, select_candidates(m, &c, outer, in_outer, inner, true));
            }
        }
    }
}

/* ---- octahedron grid ---- */

/* The direction at a point of a square: a = x + y and b = x - y on the octahedron, both from -1 to 1. */
static tact_vec3 grid_ray(double a, double b, bool below)
{
    double x = 0.5 * (a + b), y = 0.5 * (a - b), z = 1.0 - fabs(x) - fabs(y);
    z = z < 0.0 ? 0.0 : z;
    return vec_make(x, y, below ? -z : z);
}

/* A square may lie across an edge of the octahedron, but then along its own diagonal: both halves are spanned by its
 * four corners. */
static direction_cone square_cone(bool below, uint32_t i, uint32_t j, uint32_t side)
{
    double a[2] = {2.0 * i / side - 1.0 - HULL_GRID_OVERLAP, 2.0 * (i + 1) / side - 1.0 + HULL_GRID_OVERLAP};
    double b[2] = {2.0 * j / side - 1.0 - HULL_GRID_OVERLAP, 2.0 * (j + 1) / side - 1.0 + HULL_GRID_OVERLAP};
    a[0] = number_max(a[0], -1.0);
    a[1] = number_min(a[1], 1.0);
    b[0] = number_max(b[0], -1.0);
    b[1] = number_min(b[1], 1.0);
    return (direction_cone){4,
                            {grid_ray(a[0], b[0], below), grid_ray(a[1], b[0], below), grid_ray(a[1], b[1], below),
                             grid_ray(a[0], b[1], below)}};
}

/* Makes the candidate lists of a square from `list`. `scratch` has capacity for a list of that length on each level
 * below. */
static void fill_square(table_builder *m, bool below, uint32_t i, uint32_t j, uint32_t side, const uint32_t *list,
                        uint32_t count, uint32_t *capacity, int bad_splits_left)
{
    hull *h = m->h;
    uint32_t preselected[4], total = 0;
    if (side < h->grid_size && m->work >= 4ull * count) {
        m->work -= 4ull * count;
        uint32_t *part = capacity;
        for (uint32_t k = 0; k < 4; k++) {
            direction_cone c = square_cone(below, 2 * i + k / 2, 2 * j + k % 2, 2 * side);
            preselected[k] = select_candidates(m, &c, list, count, part, 2 * side == h->grid_size);
            part += preselected[k];
            total += preselected[k];
        }
        bad_splits_left -= total > 2 * count;
        if (bad_splits_left >= 0) {
            part = capacity;
            for (uint32_t k = 0; k < 4 && m->complete; k++) {
                fill_square(m, below, 2 * i + k / 2, 2 * j + k % 2, 2 * side, part, preselected[k], capacity + total,
                            bad_splits_left);
                part += preselected[k];
            }
            return;
        }
    }
    /* All cells of the square share one list. */
    uint32_t width = h->grid_size / side,
             first_cell = ((below ? h->grid_size : 0) + i * width) * h->grid_size + j * width;
    set_cell(m, first_cell, list, count);
    for (uint32_t k = 0; k < width * width; k++)
        h->cells[first_cell + k / width * h->grid_size + k % width] = h->cells[first_cell];
}

/* ---- construction ---- */

/* A power of two near the extent of the vertices along each axis, relative to the widest. */
static tact_vec3 find_direction_scale(const hull *h)
{
    double extent[3], widest = 0.0, scale[3];
    for (int axis = 0; axis < 3; axis++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (uint32_t i = 0; i < h->vertex_count; i++) {
            tact_vec3 p = h->vertices[i];
            double value = vec_component(p, axis);
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        extent[axis] = 0.5 * high - 0.5 * low;
        widest = number_max(widest, extent[axis]);
    }
    for (int axis = 0; axis < 3; axis++) {
        int exponent;
        double ratio = widest > 0.0 ? extent[axis] / widest : 0.0;
        double fraction =
            frexp(number_max(ratio, HULL_MIN_DIRECTION_SCALE), &exponent); /* in [1/2, 1): round to the nearer power */
        scale[axis] = number_min(ldexp(1.0, fraction > 0.7071067811865476 ? exponent : exponent - 1), 1.0);
    }
    return vec_make(scale[0], scale[1], scale[2]);
}

/* Fills in the lists, once memory is allocated. */
static void fill_table(table_builder *m)
{
    hull *h = m->h;
    double least = number_min(h->direction_scale.x, number_min(h->direction_scale.y, h->direction_scale.z));
    tact_vec3 factor =
        vec_make(least / h->direction_scale.x, least / h->direction_scale.y, least / h->direction_scale.z);
    for (uint32_t i = 0; i < h->vertex_count; i++) {
        tact_vec3 p = h->vertices[i];
        m->lists[i] = i;
        m->vertices[i] = vec_make(p.x * factor.x, p.y * factor.y, p.z * factor.z);
    }
    if (h->support_method != HULL_SUPPORT_OCTAHEDRON_GRID) {
        fill_ratio_cells(m);
        return;
    }
    for (uint32_t k = 0; k < 8 && m->complete; k++)
        fill_square(m, k >= 4, k >> 1 & 1, k & 1, 2, m->lists, h->vertex_count, m->lists + h->vertex_count,
                    HULL_GRID_BAD_SPLITS);
}

/* The vertices in floats; false if floats do not resolve them. */
static bool fill_simd_vertices(hull *h)
{
    double size = 0.0, radius = 0.0;
    int exponent;
    for (uint32_t i = 0; i < h->vertex_count; i++) {
        size = number_max(size, vec_max_abs(vec_sub(h->vertices[i], h->centre)));
        radius = number_max(radius, vec_max_abs(h->vertices[i]));
    }
    if (!(size > HULL_SIMD_MIN_SIZE && size < HULL_SIMD_MAX_SIZE && size > HULL_SIMD_MIN_RELATIVE_SIZE * radius))
        return false;
    (void)frexp(size, &exponent);
    double unit = ldexp(1.0, -exponent);
    for (uint32_t i = 0; i < h->vertex_count; i++) {
        tact_vec3 p = vec_sub(h->vertices[i], h->centre);
        hull_vec8 *block = &h->simd_vertices[i / HULL_VEC8_COUNT];
        block->x[i % HULL_VEC8_COUNT] = (float)(p.x * unit);
        block->y[i % HULL_VEC8_COUNT] = (float)(p.y * unit);
        block->z[i % HULL_VEC8_COUNT] = (float)(p.z * unit);
    }
    return true;
}

static tact_status make_cells(hull *h, const tact_allocator *allocator)
{
    uint32_t count = h->vertex_count, levels = 1;
    h->direction_scale = find_direction_scale(h);
    h->cell_count = 512;
    if (h->support_method == HULL_SUPPORT_OCTAHEDRON_GRID) {
        for (h->grid_size = 2; 2u * h->grid_size * h->grid_size < count; h->grid_size *= 2)
            levels++;
        h->cell_count = 2 * h->grid_size * h->grid_size;
    }
    table_builder m = {.h = h,
                       .allocator = allocator,
                       .block_capacity = h->cell_count / 4 + 64,
                       .work = (uint64_t)count * HULL_GRID_MAX_WORK};
    m.block_limit = h->support_method == HULL_SUPPORT_OCTAHEDRON_GRID ? count * HULL_GRID_MAX_BLOCKS
                                                                      : 1u << (32u - HULL_BLOCK_BITS);
    m.block_limit = m.block_limit < 1u << (32u - HULL_BLOCK_BITS) ? m.block_limit : 1u << (32u - HULL_BLOCK_BITS);
    /* a square that is split needs up to four lists */
    size_t capacity = (size_t)count * (4 * levels + 1) + 4;
    h->cells = tact_memory_allocate(allocator, h->cell_count, sizeof *h->cells);
    if (count > 65536)
        h->candidates32 = tact_memory_allocate(allocator, m.block_capacity, HULL_BLOCK * sizeof *h->candidates32);
    else
        h->candidates16 = tact_memory_allocate(allocator, m.block_capacity, HULL_BLOCK * sizeof *h->candidates16);
    m.vertices = tact_memory_allocate(allocator, count, sizeof *m.vertices);
    m.values = tact_memory_allocate(allocator, count, (CONE_MAX_RAYS + 1) * sizeof *m.values);
    m.lists = tact_memory_allocate(allocator, capacity, sizeof *m.lists);
    m.complete = h->cells != NULL && (h->candidates16 != NULL || h->candidates32 != NULL) && m.vertices != NULL &&
                 m.values != NULL && m.lists != NULL;
    if (m.complete)
        fill_table(&m);
    tact_memory_free(allocator, m.vertices, count, sizeof *m.vertices);
    tact_memory_free(allocator, m.values, count, (CONE_MAX_RAYS + 1) * sizeof *m.values);
    tact_memory_free(allocator, m.lists, capacity, sizeof *m.lists);
    h->block_total = m.block_capacity; /* the capacity, for freeing */
    return m.complete ? TACT_OK : TACT_OUT_OF_MEMORY;
}

tact_status tact_hull_direction_table_make(hull *h, const tact_allocator *allocator)
{
    uint32_t count = h->vertex_count;
    h->centre = vec_make(0.0, 0.0, 0.0);
    for (uint32_t i = 0; i < count; i++)
        h->centre = vec_mul_add(h->centre, 1.0 / count, h->vertices[i]);
    h->direction_scale = vec_make(1.0, 1.0, 1.0);
    h->support_method = count <= HULL_SCAN_MAX_VERTICES          ? HULL_SUPPORT_SCAN
                        : count <= HULL_SIMD_MAX_VERTICES        ? HULL_SUPPORT_SIMD
                        : count <= HULL_RATIO_CELLS_MAX_VERTICES ? HULL_SUPPORT_RATIO_CELLS
                                                                 : HULL_SUPPORT_OCTAHEDRON_GRID;
    if (h->support_method == HULL_SUPPORT_SIMD && !fill_simd_vertices(h))
        h->support_method = HULL_SUPPORT_SCAN;
    return h->support_method > HULL_SUPPORT_SIMD ? make_cells(h, allocator) : TACT_OK;
}

void tact_hull_direction_table_free(hull *h, const tact_allocator *allocator)
{
    tact_memory_free(allocator, h->cells, h->cell_count, sizeof *h->cells);
    tact_memory_free(allocator, h->candidates16, h->block_total, HULL_BLOCK * sizeof *h->candidates16);
    tact_memory_free(allocator, h->candidates32, h->block_total, HULL_BLOCK * sizeof *h->candidates32);
}

static uint32_t scan_vertices(const hull *h, tact_vec3 d)
{
    uint32_t best = 0;
    double most = hull_vertex_dot(h, 0, d);
    for (uint32_t i = 1; i < h->vertex_count; i++) {
        double value = hull_vertex_dot(h, i, d);
        best = value > most ? i : best;
        most = value > most ? value : most;
    }
    return best;
}

static uint32_t best_of_candidates32(const hull *h, const uint32_t *list, uint32_t count, tact_vec3 d)
{
    uint32_t best = list[0];
    double most = hull_vertex_dot(h, best, d);
    for (uint32_t i = 1; i < count; i++) {
        double value = hull_vertex_dot(h, list[i], d);
        best = value > most ? list[i] : best;
        most = value > most ? value : most;
    }
    return best;
}

uint32_t tact_hull_best_of_mask(const hull *h, uint32_t mask, double x, double y, double z)
{
    tact_vec3 d = vec_make(x, y, z);
    uint32_t best = 0;
    double most = -HUGE_VAL;
    for (; mask != 0; mask &= mask - 1) {
        uint32_t i = (uint32_t)wide_trailing_zeros(mask);
        if (i >= h->vertex_count)
            break;
        double value = hull_vertex_dot(h, i, d);
        best = value > most ? i : best;
        most = value > most ? value : most;
    }
    return best;
}

uint32_t tact_hull_support_along(const hull *h, double x, double y, double z)
{
    tact_vec3 direction = vec_make(x, y, z);
    if (h->support_method == HULL_SUPPORT_SIMD)
        return tact_hull_best_of_mask(h, hull_simd_candidates(h->simd_vertices, direction), x, y, z);
    if (h->support_method == HULL_SUPPORT_RATIO_CELLS) {
        uint32_t cell = h->cells[hull_ratio_cell(h, direction)];
        uint32_t blocks = cell & ((1u << HULL_BLOCK_BITS) - 1);
        if (blocks > 0)
            return hull_best_candidate(h, h->candidates16 + (size_t)(cell >> HULL_BLOCK_BITS) * HULL_BLOCK, blocks,
                                       direction);
    }
    tact_vec3 d = vec_make(direction.x * h->direction_scale.x, direction.y * h->direction_scale.y,
                           direction.z * h->direction_scale.z);
    double size = fabs(d.x) + fabs(d.y) + fabs(d.z);
    if (h->support_method != HULL_SUPPORT_OCTAHEDRON_GRID || !(size > HULL_DIRECTION_MIN && size < HULL_DIRECTION_MAX))
        return scan_vertices(h, direction);
    /* a = (x + y) / size from -1 to 1 becomes a grid coordinate from 0 to grid_size */
    double half = 0.5 * h->grid_size, scale = half / size;
    double a = (d.x + d.y) * scale + half, b = (d.x - d.y) * scale + half;
    uint32_t i = a < h->grid_size ? (uint32_t)a : h->grid_size - 1,
             j = b < h->grid_size ? (uint32_t)b : h->grid_size - 1;
    uint32_t cell = h->cells[((hull_sign_bits(direction) >> 2) * h->grid_size + i) * h->grid_size + j];
    uint32_t blocks = cell & ((1u << HULL_BLOCK_BITS) - 1);
    size_t first = (size_t)(cell >> HULL_BLOCK_BITS) * HULL_BLOCK;
    if (blocks == 0)
        return scan_vertices(h, direction);
    if (h->candidates32 != NULL)
        return best_of_candidates32(h, h->candidates32 + first, blocks * HULL_BLOCK, direction);
    return hull_best_candidate(h, h->candidates16 + first, blocks, direction);
}
