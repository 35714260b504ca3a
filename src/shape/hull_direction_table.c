/*
 * The direction table of a hull: for each of some cells that cover all directions, the corners that can be the
 * farthest.
 *
 * Guarantees: for every direction the list of its cell holds a corner that is farthest, up to rounding. A cell is a
 * cone spanned by a few rays; corner v is left out only if another corner u is at least as far along *each* ray
 * (equal along all: the one with the smaller index stays), hence along every direction between them. That needs no
 * neighbours and no faces, so flat and degenerate hulls are like others. A support query compares what is left, four
 * at a time without branches. No hill climbing: its steps wait for each other and may stall on plateaus.
 *
 * Cells: a direction's signs, the order of its components and whether they differ by less than twice (240), which take
 * nothing but comparisons; for large hulls a grid on the octahedron |x| + |y| + |z| = 1, cut into two squares at z = 0,
 * with about a cell a corner, found by a division. The lists of the grid are made top down, each from that of the cell
 * four times as large. Up to 24 corners have no cells: all of them are compared in floats, 288 bytes that stay in the
 * nearest cache for a whole query, and those that floats cannot tell apart once more in doubles.
 *
 * Cost: O(1) a query but for cells around the normal of a face with many corners, which hold them all; O(n log n) to
 * make, O(n) memory. Measured (ns a query, each waiting for the one before / not waiting; points on a sphere): 200
 * corners 28 / 17, 2000 37 / 23, 20000 48 / 27; trying every corner 177 / 174, 1660 / 1660. Memory: 5.5, 43, 633 kB.
 * Making the whole hull, table included: 0.32, 6.3, 88 ms.
 */
#include "core/memory.h"
#include "shape/hull_internal.h"

/* Kinds of table by number of corners; by measurement, see above. */
#define MOST_SCANNED 4u
#define MOST_IN_LANES (HULL_SIMD_BLOCKS * HULL_VEC8_COUNT)
#define MOST_FINE 1200u

/* Grids are made with squares larger than they are by this much (the whole has side 2): far more than the rounding
 * of a direction's place, far less than a cell. */
#define GRID_OVERLAP 1e-9

/* Directions shorter or longer than these could not be divided by their length on the octahedron. */
#define SHORTEST 1e-290
#define LONGEST 1e290

/* Longer lists than this are not compared all with all. */
#define PAIRWISE 128u

/* How often on the way down a square may be cut although the lists of its four parts together are more than twice
 * as long as its own. More is needed around the normal of a large face, and is a waste where all lists stay long
 * because the hull is thin. */
#define PATIENCE 3

/* List entries looked at, and blocks of candidates, for each corner, in the making of a grid: some 100 and 2 as a
 * rule. Where this is spent, the squares left are not cut further, and lists that have no room are not kept. */
#define MOST_WORK 400u
#define MOST_BLOCKS 8u

/* Sizes of hulls that have lanes, none of it over- or underflows for these; and how small a hull may be beside its
 * distance from its origin, so that the rounding of where its corners are seen from the middle is far below that of
 * floats. */
#define LANES_SMALLEST 1e-290
#define LANES_LARGEST 1e290
#define LANES_FARTHEST_OFF 1e-8

/* A hull that is thinner than this along an axis is not stretched further. */
#define LEAST_STRETCH 0x1p-60

#define MOST_RAYS 12

typedef struct cone {
    int count;
    tact_vec3 ray[MOST_RAYS];
} cone;

typedef struct maker {
    hull *h;
    /* divided by the stretch, so that their products with stretched directions are the true ones, but for a factor */
    tact_vec3 *corners;
    const tact_allocator *allocator;
    uint32_t block_room, block_most;
    double *values;  /* of a list: along each ray, MOST_RAYS apart, and the sum of these in the first place */
    uint32_t *lists; /* room for lists within lists */
    uint64_t work;   /* list entries that may still be looked at */
    bool well;       /* false: memory is out */
} maker;

/* ---- cones ---- */

/* Cuts off what is on the negative side. Exact for the small whole numbers that rays are made of here. */
static void cone_cut(cone *c, tact_vec3 normal)
{
    cone cut;
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

/* No inside? */
static bool cone_is_flat(const cone *c)
{
    for (int i = 2; i < c->count; i++) {
        if (vec_dot(c->ray[0], vec_cross(c->ray[i - 1], c->ray[i])) != 0.0)
            return false;
    }
    return true;
}

/* Keeps component `b` in a band relative to component `a`: borders at `a` times 1/2, 1, 2, or at `a` alone when
 * coarse. */
static void cone_cut_band(cone *c, uint32_t band, int a, int b, bool coarse)
{
    static const double fine_border[3] = {0.5, 1.0, 2.0};
    static const double coarse_border[1] = {1.0};
    const double *border = coarse ? coarse_border : fine_border;
    uint32_t borders = coarse ? 1 : 3;
    for (int side = 0; side < 2; side++) {
        if (side == 0 ? band == 0 : band == borders)
            continue;
        double n[3] = {0.0, 0.0, 0.0};
        double sign = side == 0 ? 1.0 : -1.0;
        n[b] = sign;
        n[a] = -sign * border[side == 0 ? band - 1 : band];
        cone_cut(c, vec_make(n[0], n[1], n[2]));
    }
}

/* ---- lists ---- */

/* Is u at least as far as v along all rays, and the one to keep? */
static bool outdoes(const double *u, const double *v, int rays, bool smaller)
{
    bool equal = true;
    for (int r = 0; r < rays; r++) {
        if (u[r] < v[r])
            return false;
        equal = equal && u[r] == v[r];
    }
    return !equal || smaller;
}

/* Copies from `list` to `kept` the corners that may be farthest for a direction of the cone; returns how many.
 * `thorough`: compares all with all, otherwise only with the farthest along the rays and between them. */
static uint32_t select_corners(maker *m, const cone *c, const uint32_t *list, uint32_t count, uint32_t *kept,
                               bool thorough)
{
    const tact_vec3 *corners = m->corners;
    double *values = m->values;
    int rays = c->count, samples = thorough ? rays : 2 * rays;
    tact_vec3 middle = vec_make(0.0, 0.0, 0.0);
    for (int r = 0; r < rays; r++)
        middle = vec_mul_add(middle, 1.0, vec_normalize(c->ray[r]));
    /* The farthest along the middle, each ray, and between the middle and each ray. */
    uint32_t best[1 + 2 * MOST_RAYS];
    double most[1 + 2 * MOST_RAYS];
    for (int k = 0; k <= samples; k++)
        most[k] = -HUGE_VAL;
    for (uint32_t i = 0; i < count; i++) {
        tact_vec3 p = corners[list[i]];
        double *v = values + (size_t)i * (MOST_RAYS + 1);
        v[0] = vec_dot(middle, p);
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
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double *v = values + (size_t)i * (MOST_RAYS + 1);
        bool keep = true;
        for (int k = 0; k <= samples && keep; k++) {
            uint32_t j = best[k];
            keep = j == i || !outdoes(values + (size_t)j * (MOST_RAYS + 1) + 1, v + 1, rays, list[j] < list[i]);
        }
        if (keep)
            kept[left++] = i; /* a place in the list, for now */
    }
    uint32_t final = left;
    if (thorough && left <= PAIRWISE) {
        /* Best along the middle first: what outdoes another comes before it (or ties). */
        for (uint32_t i = 1; i < left; i++) {
            uint32_t moved = kept[i], j = i;
            double key = values[(size_t)moved * (MOST_RAYS + 1)];
            for (; j > 0 && values[(size_t)kept[j - 1] * (MOST_RAYS + 1)] < key; j--)
                kept[j] = kept[j - 1];
            kept[j] = moved;
        }
        final = 0;
        for (uint32_t i = 0; i < left; i++) {
            const double *v = values + (size_t)kept[i] * (MOST_RAYS + 1);
            bool keep = true;
            for (uint32_t j = 0; j < final && keep; j++)
                keep = !outdoes(values + (size_t)kept[j] * (MOST_RAYS + 1) + 1, v + 1, rays, true);
            if (keep)
                kept[final++] = kept[i];
        }
    }
    for (uint32_t i = 0; i < final; i++)
        kept[i] = list[kept[i]];
    return final;
}

/* Writes the list of a cell. */
static void set_cell(maker *m, uint32_t cell, const uint32_t *list, uint32_t count)
{
    hull *h = m->h;
    uint32_t blocks = (count + HULL_BLOCK - 1) / HULL_BLOCK;
    h->cells[cell] = 0;
    if (!m->well || blocks >= 1u << HULL_BLOCK_BITS || h->block_total + blocks > m->block_most)
        return; /* no list: every corner is tried */
    if (h->block_total + blocks > m->block_room) {
        uint32_t room = m->block_room + m->block_room / 2 + blocks;
        size_t size = HULL_BLOCK * (h->candidates32 != NULL ? sizeof *h->candidates32 : sizeof *h->candidates16);
        void *block = h->candidates32 != NULL ? (void *)h->candidates32 : (void *)h->candidates16;
        void *grown = tact_memory_resize(m->allocator, block, m->block_room, room, size);
        if (grown == NULL) {
            m->well = false;
            return;
        }
        m->block_room = room;
        if (h->candidates32 != NULL)
            h->candidates32 = grown;
        else
            h->candidates16 = grown;
    }
    size_t to = (size_t)h->block_total * HULL_BLOCK;
    for (uint32_t i = 0; i < blocks * HULL_BLOCK; i++) {
        uint32_t corner = list[i < count ? i : 0];
        if (h->candidates32 != NULL)
            h->candidates32[to + i] = corner;
        else
            h->candidates16[to + i] = (uint16_t)corner;
    }
    h->cells[cell] = h->block_total << HULL_BLOCK_BITS | blocks;
    h->block_total += blocks;
}

/* ---- cells by comparisons ---- */

/* The cone of a cell in the octant of positive components; empty if no direction can be there. */
static cone band_cone(uint32_t code, bool coarse)
{
    uint32_t bits = coarse ? 1 : 2, mask = coarse ? 1 : 3;
    cone c = {3, {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    cone_cut_band(&c, code & mask, 0, 1, coarse);
    cone_cut_band(&c, code >> bits & mask, 1, 2, coarse);
    cone_cut_band(&c, code >> 2 * bits & mask, 0, 2, coarse);
    if (cone_is_flat(&c))
        c.count = 0;
    return c;
}

static cone mirrored(const cone *c, uint32_t signs)
{
    cone image = *c;
    for (int r = 0; r < c->count; r++) {
        tact_vec3 v = c->ray[r];
        image.ray[r] = vec_make(signs & 1 ? -v.x : v.x, signs & 2 ? -v.y : v.y, signs & 4 ? -v.z : v.z);
    }
    return image;
}

static const cone first_octant = {3, {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};

/* Octants, in them coarse cells by the order of components, in these the fine ones. */
static void fill_bands(maker *m)
{
    uint32_t count = m->h->vertex_count;
    uint32_t *octant = m->lists + count, *outer = octant + count, *inner = outer + count;
    cone coarse_cones[8], fine_cones[64];
    for (uint32_t code = 0; code < 8; code++)
        coarse_cones[code] = band_cone(code, true);
    for (uint32_t code = 0; code < 64; code++)
        fine_cones[code] = band_cone(code, false);
    for (uint32_t cell = 0; cell < m->h->cell_count; cell++)
        m->h->cells[cell] = 0;
    for (uint32_t signs = 0; signs < 8; signs++) {
        cone c = mirrored(&first_octant, signs);
        uint32_t in_octant = select_corners(m, &c, m->lists, count, octant, false);
        for (uint32_t code = 0; code < 8; code++) {
            if (coarse_cones[code].count == 0)
                continue;
            c = mirrored(&coarse_cones[code], signs);
            uint32_t in_outer = select_corners(m, &c, octant, in_octant, outer, false);
            for (uint32_t fine = 0; fine < 64; fine++) {
                /* the upper bit of a fine band is the coarse band */
                if (((fine >> 1 & 1) | (fine >> 2 & 2) | (fine >> 3 & 4)) != code || fine_cones[fine].count == 0)
                    continue;
                c = mirrored(&fine_cones[fine], signs);
                set_cell(m, fine << 3 | signs, inner, select_corners(m, &c, outer, in_outer, inner, true));
            }
        }
    }
}

/* ---- the grid ---- */

/* The direction at a place of a square: a = x + y and b = x - y on the octahedron, both from -1 to 1. */
static tact_vec3 grid_ray(double a, double b, bool below)
{
    double x = 0.5 * (a + b), y = 0.5 * (a - b), z = 1.0 - fabs(x) - fabs(y);
    z = z < 0.0 ? 0.0 : z;
    return vec_make(x, y, below ? -z : z);
}

/* A square of the octahedron may lie across an edge of it, but then along its own diagonal: both halves are
 * spanned by its four corners. */
static cone square_cone(bool below, uint32_t i, uint32_t j, uint32_t side)
{
    double a[2] = {2.0 * i / side - 1.0 - GRID_OVERLAP, 2.0 * (i + 1) / side - 1.0 + GRID_OVERLAP};
    double b[2] = {2.0 * j / side - 1.0 - GRID_OVERLAP, 2.0 * (j + 1) / side - 1.0 + GRID_OVERLAP};
    a[0] = fmax(a[0], -1.0);
    a[1] = fmin(a[1], 1.0);
    b[0] = fmax(b[0], -1.0);
    b[1] = fmin(b[1], 1.0);
    return (cone){4,
                  {grid_ray(a[0], b[0], below), grid_ray(a[1], b[0], below), grid_ray(a[1], b[1], below),
                   grid_ray(a[0], b[1], below)}};
}

/* Makes the lists of a square that holds the corners of `list`. `room` has space for a list of that length on each
 * level from here down. */
static void fill_square(maker *m, bool below, uint32_t i, uint32_t j, uint32_t side, const uint32_t *list,
                        uint32_t count, uint32_t *room, int patience)
{
    hull *h = m->h;
    uint32_t left[4], total = 0;
    if (side < h->grid_size && m->work >= 4ull * count) {
        m->work -= 4ull * count;
        uint32_t *part = room;
        for (uint32_t k = 0; k < 4; k++) {
            cone c = square_cone(below, 2 * i + k / 2, 2 * j + k % 2, 2 * side);
            left[k] = select_corners(m, &c, list, count, part, 2 * side == h->grid_size);
            part += left[k];
            total += left[k];
        }
        patience -= total > 2 * count;
        if (patience >= 0) {
            part = room;
            for (uint32_t k = 0; k < 4 && m->well; k++) {
                fill_square(m, below, 2 * i + k / 2, 2 * j + k % 2, 2 * side, part, left[k], room + total, patience);
                part += left[k];
            }
            return;
        }
    }
    /* All cells of the square share one list. */
    uint32_t width = h->grid_size / side, corner = ((below ? h->grid_size : 0) + i * width) * h->grid_size + j * width;
    set_cell(m, corner, list, count);
    for (uint32_t k = 0; k < width * width; k++)
        h->cells[corner + k / width * h->grid_size + k % width] = h->cells[corner];
}

/* ---- entry points ---- */

/* A power of two near to how far the corners extend along an axis, relative to the widest. */
static tact_vec3 find_stretch(const hull *h)
{
    double extent[3], widest = 0.0, stretch[3];
    for (int axis = 0; axis < 3; axis++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (uint32_t i = 0; i < h->vertex_count; i++) {
            tact_vec3 p = h->vertices[i];
            double value = vec_component(p, axis);
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        extent[axis] = 0.5 * high - 0.5 * low;
        widest = fmax(widest, extent[axis]);
    }
    for (int axis = 0; axis < 3; axis++) {
        int exponent;
        double ratio = widest > 0.0 ? extent[axis] / widest : 0.0;
        double fraction = frexp(fmax(ratio, LEAST_STRETCH), &exponent); /* in [1/2, 1): round to the nearer power */
        stretch[axis] = fmin(ldexp(1.0, fraction > 0.7071067811865476 ? exponent : exponent - 1), 1.0);
    }
    return vec_make(stretch[0], stretch[1], stretch[2]);
}

/* The lists, once there is memory. */
static void fill_table(maker *m)
{
    hull *h = m->h;
    double least = fmin(h->direction_scale.x, fmin(h->direction_scale.y, h->direction_scale.z));
    tact_vec3 factor =
        vec_make(least / h->direction_scale.x, least / h->direction_scale.y, least / h->direction_scale.z);
    for (uint32_t i = 0; i < h->vertex_count; i++) {
        tact_vec3 p = h->vertices[i];
        m->lists[i] = i;
        m->corners[i] = vec_make(p.x * factor.x, p.y * factor.y, p.z * factor.z);
    }
    if (h->support_method != HULL_SUPPORT_OCTAHEDRON_GRID) {
        fill_bands(m);
        return;
    }
    for (uint32_t k = 0; k < 8 && m->well; k++)
        fill_square(m, k >= 4, k >> 1 & 1, k & 1, 2, m->lists, h->vertex_count, m->lists + h->vertex_count, PATIENCE);
}

/* The corners in floats; false if they would tell too little. */
static bool fill_lanes(hull *h)
{
    double size = 0.0, reach = 0.0;
    int exponent;
    for (uint32_t i = 0; i < h->vertex_count; i++) {
        size = fmax(size, vec_max_abs(vec_sub(h->vertices[i], h->centre)));
        reach = fmax(reach, vec_max_abs(h->vertices[i]));
    }
    if (!(size > LANES_SMALLEST && size < LANES_LARGEST && size > LANES_FARTHEST_OFF * reach))
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
    h->direction_scale = find_stretch(h);
    h->cell_count = 512;
    if (h->support_method == HULL_SUPPORT_OCTAHEDRON_GRID) {
        for (h->grid_size = 2; 2u * h->grid_size * h->grid_size < count; h->grid_size *= 2)
            levels++;
        h->cell_count = 2 * h->grid_size * h->grid_size;
    }
    maker m = {
        .h = h, .allocator = allocator, .block_room = h->cell_count / 4 + 64, .work = (uint64_t)count * MOST_WORK};
    m.block_most =
        h->support_method == HULL_SUPPORT_OCTAHEDRON_GRID ? count * MOST_BLOCKS : 1u << (32u - HULL_BLOCK_BITS);
    m.block_most = m.block_most < 1u << (32u - HULL_BLOCK_BITS) ? m.block_most : 1u << (32u - HULL_BLOCK_BITS);
    /* a square cut in four needs up to four lists */
    size_t room = (size_t)count * (4 * levels + 1) + 4;
    h->cells = tact_memory_allocate(allocator, h->cell_count, sizeof *h->cells);
    if (count > 65536)
        h->candidates32 = tact_memory_allocate(allocator, m.block_room, HULL_BLOCK * sizeof *h->candidates32);
    else
        h->candidates16 = tact_memory_allocate(allocator, m.block_room, HULL_BLOCK * sizeof *h->candidates16);
    m.corners = tact_memory_allocate(allocator, count, sizeof *m.corners);
    m.values = tact_memory_allocate(allocator, count, (MOST_RAYS + 1) * sizeof *m.values);
    m.lists = tact_memory_allocate(allocator, room, sizeof *m.lists);
    m.well = h->cells != NULL && (h->candidates16 != NULL || h->candidates32 != NULL) && m.corners != NULL &&
             m.values != NULL && m.lists != NULL;
    if (m.well)
        fill_table(&m);
    tact_memory_free(allocator, m.corners, count, sizeof *m.corners);
    tact_memory_free(allocator, m.values, count, (MOST_RAYS + 1) * sizeof *m.values);
    tact_memory_free(allocator, m.lists, room, sizeof *m.lists);
    h->block_total = m.block_room; /* what will be freed */
    return m.well ? TACT_OK : TACT_OUT_OF_MEMORY;
}

tact_status tact_hull_table_make(hull *h, const tact_allocator *allocator)
{
    uint32_t count = h->vertex_count;
    h->centre = vec_make(0.0, 0.0, 0.0);
    for (uint32_t i = 0; i < count; i++)
        h->centre = vec_mul_add(h->centre, 1.0 / count, h->vertices[i]);
    h->direction_scale = vec_make(1.0, 1.0, 1.0);
    h->support_method = count <= MOST_SCANNED    ? HULL_SUPPORT_SCAN
                        : count <= MOST_IN_LANES ? HULL_SUPPORT_SIMD
                        : count <= MOST_FINE     ? HULL_SUPPORT_RATIO_CELLS
                                                 : HULL_SUPPORT_OCTAHEDRON_GRID;
    if (h->support_method == HULL_SUPPORT_SIMD && !fill_lanes(h))
        h->support_method = HULL_SUPPORT_SCAN;
    return h->support_method > HULL_SUPPORT_SIMD ? make_cells(h, allocator) : TACT_OK;
}

void tact_hull_table_free(hull *h, const tact_allocator *allocator)
{
    tact_memory_free(allocator, h->cells, h->cell_count, sizeof *h->cells);
    tact_memory_free(allocator, h->candidates16, h->block_total, HULL_BLOCK * sizeof *h->candidates16);
    tact_memory_free(allocator, h->candidates32, h->block_total, HULL_BLOCK * sizeof *h->candidates32);
}

static uint32_t try_every_corner(const hull *h, tact_vec3 d)
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

static uint32_t best_of_wide(const hull *h, const uint32_t *list, uint32_t count, tact_vec3 d)
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

uint32_t tact_hull_best_of_mask(const hull *h, uint32_t near, double x, double y, double z)
{
    tact_vec3 d = vec_make(x, y, z);
    uint32_t best = 0;
    double most = -HUGE_VAL;
    for (; near != 0; near &= near - 1) {
        uint32_t i = (uint32_t)wide_trailing_zeros(near);
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
    if (h->support_method != HULL_SUPPORT_OCTAHEDRON_GRID || !(size > SHORTEST && size < LONGEST))
        return try_every_corner(h, direction);
    /* a = (x + y) / size from -1 to 1 becomes a place from 0 to grid */
    double half = 0.5 * h->grid_size, stretch = half / size;
    double a = (d.x + d.y) * stretch + half, b = (d.x - d.y) * stretch + half;
    uint32_t i = a < h->grid_size ? (uint32_t)a : h->grid_size - 1,
             j = b < h->grid_size ? (uint32_t)b : h->grid_size - 1;
    uint32_t cell = h->cells[((hull_sign_bits(direction) >> 2) * h->grid_size + i) * h->grid_size + j];
    uint32_t blocks = cell & ((1u << HULL_BLOCK_BITS) - 1);
    size_t first = (size_t)(cell >> HULL_BLOCK_BITS) * HULL_BLOCK;
    if (blocks == 0)
        return try_every_corner(h, direction);
    if (h->candidates32 != NULL)
        return best_of_wide(h, h->candidates32 + first, blocks * HULL_BLOCK, direction);
    return hull_best_candidate(h, h->candidates16 + first, blocks, direction);
}
