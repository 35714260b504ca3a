/*
 * The convex hull of points: its corners, which of them are neighbours, its faces, and a table that finds the corner
 * farthest along a direction in constant time. Made once, immutable. hull.c tells how it is made, hull_table.c how
 * the table works.
 */
#ifndef TACT_SHAPE_HULL_H
#define TACT_SHAPE_HULL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <tact/allocator.h>
#include <tact/status.h>
#include <tact/vec.h>

typedef struct hull_face {
    tact_vec3 normal;      /* outward, unit; of a flat hull there are two faces, back to back */
    double offset;         /* normal . x of the corner of the face that is farthest along the normal */
    uint32_t first_corner; /* index into face_corners */
    uint32_t corner_count;
} hull_face;

/* How a direction finds its cell of the table. */
typedef enum hull_table {
    HULL_SCAN,   /* no table: try every corner */
    HULL_COARSE, /* by signs and order of the components: 48 cells */
    HULL_FINE,   /* by signs and whether they differ by less than a factor of two: 240 cells */
    HULL_GRID    /* a grid on the octahedron */
} hull_table;

typedef struct hull {
    int dimension; /* 0 point, 1 segment, 2 polygon, 3 polyhedron */
    uint32_t corner_count;
    uint32_t face_count; /* 0 in dimensions 0 and 1; 2 in dimension 2 */
    uint32_t neighbour_total;
    uint32_t face_corner_total;
    tact_vec3 *corners;        /* copies of input points, bit for bit */
    uint32_t *first_neighbour; /* corner_count + 1 entries into `neighbours` */
    uint32_t *neighbours;
    hull_face *faces;
    uint32_t *face_corners; /* loops, counter-clockwise seen from outside; coplanar triangles merged into one face */

    hull_table table;
    /* powers of two, at most 1: times these, directions fall evenly into the cells though the hull is long or thin */
    tact_vec3 stretch;
    uint32_t grid;        /* HULL_GRID: cells along a side */
    uint32_t cell_count;  /* entries of `cells` */
    uint32_t block_total; /* blocks of candidates, HULL_BLOCK each */
    /* each cell: the first block of its candidates << HULL_BLOCK_BITS | the number of blocks; 0: try every corner */
    uint32_t *cells;
    /* corners that can be the farthest for a direction of the cell, one repeated to fill the last block */
    uint16_t *candidates;
    uint32_t *wide_candidates; /* instead, when there are more than 65,536 corners */
} hull;

/* Candidates come in blocks of four, compared without a branch; a cell has at most 2^10 - 1 blocks. */
#define HULL_BLOCK 4u
#define HULL_BLOCK_BITS 10u

/* Makes the hull of `count` >= 1 finite points. On failure returns NULL and says why in `report` (may be NULL). */
hull *tact_hull_create(const tact_vec3 *points, size_t count, const tact_allocator *allocator, tact_report *report);

void tact_hull_release(hull *h, const tact_allocator *allocator);

/* What tact_hull_support does when the cell is not one of the first kinds. */
uint32_t tact_hull_support_far(const hull *h, tact_vec3 direction);

/* One bit for each component that is negative. */
static inline uint32_t hull_signs(tact_vec3 d)
{
    uint64_t x, y, z;
    memcpy(&x, &d.x, sizeof x);
    memcpy(&y, &d.y, sizeof y);
    memcpy(&z, &d.z, sizeof z);
    return (uint32_t)(x >> 63) | (uint32_t)(y >> 63) << 1 | (uint32_t)(z >> 63) << 2;
}

/* The cell of a direction: only comparisons, which are exact. */
static inline uint32_t hull_coarse_cell(tact_vec3 d)
{
    double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    return hull_signs(d) | (uint32_t)(y > x) << 3 | (uint32_t)(z > y) << 4 | (uint32_t)(z > x) << 5;
}

/* 0 to 3: b <= a/2, b <= a, b <= 2a, more */
static inline uint32_t hull_band(double a, double b)
{
    return (uint32_t)(b + b > a) + (uint32_t)(b > a) + (uint32_t)(b > a + a);
}

static inline uint32_t hull_fine_cell(const hull *h, tact_vec3 d)
{
    double x = fabs(d.x) * h->stretch.x, y = fabs(d.y) * h->stretch.y, z = fabs(d.z) * h->stretch.z;
    return hull_signs(d) | hull_band(x, y) << 3 | hull_band(y, z) << 5 | hull_band(x, z) << 7;
}

static inline double hull_along(const hull *h, uint32_t corner, tact_vec3 d)
{
    const tact_vec3 *p = &h->corners[corner];
    return d.x * p->x + d.y * p->y + d.z * p->z;
}

/* The best of a cell's candidates. */
static inline uint32_t hull_best(const hull *h, const uint16_t *list, uint32_t blocks, tact_vec3 d)
{
    const uint16_t *end = list + blocks * HULL_BLOCK;
    uint32_t best = 0;
    double most = -HUGE_VAL;
    do {
        uint32_t a = list[0], b = list[1], c = list[2], e = list[3];
        double va = hull_along(h, a, d), vb = hull_along(h, b, d), vc = hull_along(h, c, d), ve = hull_along(h, e, d);
        a = vb > va ? b : a;
        va = vb > va ? vb : va;
        c = ve > vc ? e : c;
        vc = ve > vc ? ve : vc;
        a = vc > va ? c : a;
        va = vc > va ? vc : va;
        best = va > most ? a : best;
        most = va > most ? va : most;
        list += HULL_BLOCK;
    } while (list < end);
    return best;
}

/* The index of a corner for which direction . corner is largest (up to rounding); any if direction is zero. The
 * direction may have any length for which those products neither overflow nor vanish. */
static inline uint32_t tact_hull_support(const hull *h, tact_vec3 direction)
{
    uint32_t cell;
    if (h->table == HULL_COARSE)
        cell = h->cells[hull_coarse_cell(direction)];
    else if (h->table == HULL_FINE)
        cell = h->cells[hull_fine_cell(h, direction)];
    else
        return tact_hull_support_far(h, direction);
    uint32_t blocks = cell & ((1u << HULL_BLOCK_BITS) - 1);
    if (blocks == 0)
        return tact_hull_support_far(h, direction);
    return hull_best(h, h->candidates + (size_t)(cell >> HULL_BLOCK_BITS) * HULL_BLOCK, blocks, direction);
}

#endif
