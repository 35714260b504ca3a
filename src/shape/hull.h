/*
 * The convex hull of points: its corners, which of them are neighbours, its faces, and a table that finds the corner
 * farthest along a direction in constant time. Made once, immutable. hull.c tells how it is made, hull_table.c how
 * the table works.
 */
#ifndef TACT_SHAPE_HULL_H
#define TACT_SHAPE_HULL_H

#include <math.h>
#include <simde/x86/sse2.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <tact/allocator.h>
#include <tact/status.h>
#include <tact/vec.h>

#include "core/inline.h"

typedef struct hull_face {
    tact_vec3 normal;      /* outward, unit; of a flat hull there are two faces, back to back */
    double offset;         /* normal . x of the corner of the face that is farthest along the normal */
    uint32_t first_corner; /* index into face_corners */
    uint32_t corner_count;
} hull_face;

/* How a direction finds its cell of the table. */
typedef enum hull_table {
    HULL_SCAN, /* no table: try every corner */
    HULL_ROWS, /* by signs of the components and the larger of the first two: 16 cells, with the coordinates of their candidates */
    HULL_FINE, /* by signs and whether they differ by less than a factor of two: 240 cells */
    HULL_GRID  /* a grid on the octahedron */
} hull_table;

/* Candidates of a cell, one repeated to fill the last places, by coordinate, so that they are compared side by side. */
#define HULL_ROW 8
#define HULL_ROW_CELLS 16
typedef struct hull_row {
    double x[HULL_ROW], y[HULL_ROW], z[HULL_ROW];
    uint16_t corner[HULL_ROW];
    uint32_t more, next; /* of the first row of a cell: how many further rows it has, and the first of these */
} hull_row;

/* Candidates come in blocks of four, compared without a branch; a cell has at most 2^10 - 1 blocks. */
#define HULL_BLOCK 4u
#define HULL_BLOCK_BITS 10u

/* Four faces as seen from the middle: each normal divided by how far away the face is, times the size of the hull; one is repeated to fill the last block. */
typedef struct hull_planes {
    float x[HULL_BLOCK], y[HULL_BLOCK], z[HULL_BLOCK];
} hull_planes;

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

    tact_vec3 middle; /* the mean of the corners */

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
    /* HULL_ROWS, instead of cells and candidates: the first row of each cell, then further rows */
    hull_row *rows;
    uint32_t row_total, row_room;

    hull_planes *planes; /* NULL: none, see hull_planes.c */
    uint32_t plane_blocks;
    double plane_unit; /* 1 / the size */
    double plane_most; /* no component of the planes is larger */
    double
        plane_worth; /* of how far the hull reaches from its origin: middles as near as this are worth a look at the planes */
} hull;

/* Makes the hull of `count` >= 1 finite points. On failure returns NULL and says why in `report` (may be NULL). */
hull *tact_hull_create(const tact_vec3 *points, size_t count, const tact_allocator *allocator, tact_report *report);

void tact_hull_release(hull *h, const tact_allocator *allocator);

/* One bit for each component that is negative. */
TACT_HOT uint32_t hull_signs(tact_vec3 d)
{
    return (uint32_t)simde_mm_movemask_pd(simde_mm_set_pd(d.y, d.x)) |
           (uint32_t)simde_mm_movemask_pd(simde_mm_set_sd(d.z)) << 2;
}

/* 0 to 3: b <= a/2, b <= a, b <= 2a, more */
static inline uint32_t hull_band(double a, double b)
{
    return (uint32_t)(b + b > a) + (uint32_t)(b > a) + (uint32_t)(b > a + a);
}

/* The cell of a direction: only comparisons, which are exact. */
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

/* The best of a cell's candidates. Which of them it is is as good as random: no branch may depend on it, hence the arithmetic on outcomes of
 * comparisons. */
static inline uint32_t hull_best(const hull *h, const uint16_t *list, uint32_t blocks, tact_vec3 d)
{
    uint32_t best = 0;
    double most = -HUGE_VAL;
    for (uint32_t first = 0; first < blocks * HULL_BLOCK; first += HULL_BLOCK) {
        double a = hull_along(h, list[first], d), b = hull_along(h, list[first + 1], d);
        double c = hull_along(h, list[first + 2], d), e = hull_along(h, list[first + 3], d);
        uint32_t second = b > a, fourth = e > c;
        double ab = b > a ? b : a, ce = e > c ? e : c;
        uint32_t later = ce > ab;
        double abce = ce > ab ? ce : ab;
        uint32_t winner = first + (second & ~later) + later * (2 + fourth);
        best ^= (best ^ winner) & (0u - (uint32_t)(abce > most));
        most = abce > most ? abce : most;
    }
    return list[best];
}

/* The row of a direction. */
TACT_HOT uint32_t hull_row_cell(tact_vec3 d) { return hull_signs(d) | (uint32_t)(fabs(d.y) > fabs(d.x)) << 3; }

/* Two candidates along a direction whose components fill a vector each. */
TACT_HOT simde__m128d hull_row_along(const hull_row *row, int i, simde__m128d x, simde__m128d y, simde__m128d z)
{
    return simde_mm_add_pd(simde_mm_add_pd(simde_mm_mul_pd(x, simde_mm_loadu_pd(row->x + i)),
                                           simde_mm_mul_pd(y, simde_mm_loadu_pd(row->y + i))),
                           simde_mm_mul_pd(z, simde_mm_loadu_pd(row->z + i)));
}

/* The candidate of a row that is farthest along a direction, as a place in the row, and how far it is. Which one it is is as good as random: no branch
 * may depend on it. */
TACT_HOT uint32_t hull_row_best(const hull_row *row, simde__m128d x, simde__m128d y, simde__m128d z, double *far)
{
    simde__m128d v0 = hull_row_along(row, 0, x, y, z), v2 = hull_row_along(row, 2, x, y, z),
                 v4 = hull_row_along(row, 4, x, y, z), v6 = hull_row_along(row, 6, x, y, z);
    /* A contest in three rounds: 0 to 3 against 4 to 7, the first two of the winners against the other two, and these two. */
    simde__m128d a = simde_mm_max_pd(v4, v0), b = simde_mm_max_pd(v6, v2), c = simde_mm_max_pd(b, a);
    uint32_t first = (uint32_t)simde_mm_movemask_pd(simde_mm_cmpgt_pd(v4, v0)) |
                     (uint32_t)simde_mm_movemask_pd(simde_mm_cmpgt_pd(v6, v2)) << 2;
    uint32_t second = (uint32_t)simde_mm_movemask_pd(simde_mm_cmpgt_pd(b, a));
    simde__m128d high = simde_mm_unpackhi_pd(c, c);
    uint32_t third = (uint32_t)simde_mm_movemask_pd(simde_mm_cmpgt_sd(high, c)) & 1u;
    *far = simde_mm_cvtsd_f64(simde_mm_max_sd(high, c));
    uint32_t place = third | (second >> third & 1u) << 1;
    return place | (first >> place & 1u) << 2;
}

/* What the roundings of floats can add to a sum of three products, of the largest such sum: three factors and sums are rounded in each. */
#define HULL_PLANE_ROUNDING 1e-6

/* An upper bound, sharp but for rounding, of what the planes say of a direction y: the hull reaches at least y / this from its middle. */
TACT_HOT double hull_most_across(const hull *h, double x, double y, double z)
{
    x *= h->plane_unit;
    y *= h->plane_unit;
    z *= h->plane_unit;
    simde__m128 fx = simde_mm_set1_ps((float)x), fy = simde_mm_set1_ps((float)y), fz = simde_mm_set1_ps((float)z);
    simde__m128 most = simde_mm_setzero_ps();
    for (const hull_planes *p = h->planes, *end = p + h->plane_blocks; p < end; p++) {
        simde__m128 across = simde_mm_add_ps(
            simde_mm_add_ps(simde_mm_mul_ps(fx, simde_mm_loadu_ps(p->x)), simde_mm_mul_ps(fy, simde_mm_loadu_ps(p->y))),
            simde_mm_mul_ps(fz, simde_mm_loadu_ps(p->z)));
        most = simde_mm_max_ps(most, across);
    }
    most = simde_mm_max_ps(most, simde_mm_shuffle_ps(most, most, SIMDE_MM_SHUFFLE(1, 0, 3, 2)));
    most = simde_mm_max_ps(most, simde_mm_shuffle_ps(most, most, SIMDE_MM_SHUFFLE(2, 3, 0, 1)));
    return (double)simde_mm_cvtss_f32(most) + HULL_PLANE_ROUNDING * h->plane_most * (fabs(x) + fabs(y) + fabs(z));
}

/* The index of a corner for which (x y z) . corner is largest (up to rounding); any if the direction is zero. It may have any length for
 * which those products neither overflow nor vanish. (Three numbers instead of a struct, which would go through memory.) */
uint32_t tact_hull_support_along(const hull *h, double x, double y, double z);

static inline uint32_t tact_hull_support(const hull *h, tact_vec3 direction)
{
    return tact_hull_support_along(h, direction.x, direction.y, direction.z);
}

/* The corner itself, the common case inline. */
TACT_HOT tact_vec3 hull_support(const hull *h, tact_vec3 direction)
{
    if (h->table == HULL_ROWS) {
        const hull_row *row = &h->rows[hull_row_cell(direction)];
        if (row->more == 0) {
            double far;
            uint32_t place = hull_row_best(row, simde_mm_set1_pd(direction.x), simde_mm_set1_pd(direction.y),
                                           simde_mm_set1_pd(direction.z), &far);
            return (tact_vec3){row->x[place], row->y[place], row->z[place]};
        }
    }
    return h->corners[tact_hull_support_along(h, direction.x, direction.y, direction.z)];
}

#endif
