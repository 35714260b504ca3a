/*
 * The convex hull of points: its corners, which of them are neighbours, its faces, and a table that finds the corner
 * farthest along a direction in constant time. Made once, immutable. hull.c tells how it is made,
 * hull_direction_table.c how the table works.
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
#include "math/float8.h"
#include "math/wide.h"

typedef struct hull_face {
    tact_vec3 normal;      /* outward, unit; of a flat hull there are two faces, back to back */
    double offset;         /* normal . x of the corner of the face that is farthest along the normal */
    uint32_t first_vertex; /* index into face_corners */
    uint32_t vertex_count;
} hull_face;

/* How a direction finds its cell of the table. */
typedef enum hull_support_method {
    HULL_SUPPORT_SCAN,           /* no table: try every corner */
    HULL_SUPPORT_SIMD,           /* no cells: compare every corner, in floats, side by side */
    HULL_SUPPORT_RATIO_CELLS,    /* by signs and whether they differ by less than a factor of two: 240 cells */
    HULL_SUPPORT_OCTAHEDRON_GRID /* a grid on the octahedron */
} hull_support_method;

/* Candidates come in blocks of four, compared without a branch; a cell has at most 2^10 - 1 blocks. */
#define HULL_BLOCK 4u
#define HULL_BLOCK_BITS 10u

/* Eight vectors side by side. */
#define HULL_VEC8_COUNT 8u
typedef struct hull_vec8 {
    float x[HULL_VEC8_COUNT], y[HULL_VEC8_COUNT], z[HULL_VEC8_COUNT];
} hull_vec8;

/* Blocks of all corners of a hull that has lanes. */
#define HULL_SIMD_BLOCKS 3

/* Cells of directions: by the signs of the components, and which of them are larger than others. */
#define HULL_RADIAL_CELLS 64u

typedef struct hull {
    /* What queries on small hulls read comes first. */
    hull_support_method support_method;
    uint32_t vertex_count;
    tact_vec3 *vertices; /* copies of input points, bit for bit */
    tact_vec3 centre;    /* the mean of the corners */
    /* HULL_SUPPORT_SIMD: the corners as seen from the middle, scaled to at most 1, and the middle itself to fill the
     * last places */
    hull_vec8 simd_vertices[HULL_SIMD_BLOCKS];
    /* The faces as seen from the middle: each normal divided by how far away the face is, times the size of the hull;
     * one is repeated to fill the last block. NULL: none, see hull_polar.c */
    hull_vec8 *polar_vertices;
    uint32_t polar_blocks;
    double polar_scale;         /* 1 / the size */
    double polar_max_component; /* no component of the planes is larger */
    /* How far the hull reaches from its middle, in `plane_cell_unit`, along the middle of each cell of directions
     * (hull_radial_cell). */
    uint8_t radial_cells[HULL_RADIAL_CELLS];
    double radial_cell_unit; /* of how far the hull reaches from its origin */

    int dimension;       /* 0 point, 1 segment, 2 polygon, 3 polyhedron */
    uint32_t face_count; /* 0 in dimensions 0 and 1; 2 in dimension 2 */
    uint32_t neighbour_total;
    uint32_t face_vertex_total;
    uint32_t *first_neighbour; /* corner_count + 1 entries into `neighbours` */
    uint32_t *neighbours;
    hull_face *faces;
    uint32_t *face_vertices; /* loops, counter-clockwise seen from outside; coplanar triangles merged into one face */

    /* powers of two, at most 1: times these, directions fall evenly into the cells though the hull is long or thin */
    tact_vec3 direction_scale;
    uint32_t grid_size;   /* HULL_SUPPORT_OCTAHEDRON_GRID: cells along a side */
    uint32_t cell_count;  /* entries of `cells` */
    uint32_t block_total; /* blocks of candidates, HULL_BLOCK each */
    /* each cell: the first block of its candidates << HULL_BLOCK_BITS | the number of blocks; 0: try every corner */
    uint32_t *cells;
    /* corners that can be the farthest for a direction of the cell, one repeated to fill the last block */
    uint16_t *candidates16;
    uint32_t *candidates32; /* instead, when there are more than 65,536 corners */
} hull;

/* Makes the hull of `count` >= 1 finite points. On failure returns NULL and says why in `report` (may be NULL). */
hull *tact_hull_create(const tact_vec3 *points, size_t count, const tact_allocator *allocator, tact_report *report);

/* What a hull is made of once it is known: the rest follows from it. */
typedef struct hull_topology {
    const tact_vec3 *vertices;
    uint32_t vertex_count;
    uint32_t dimension;
    uint32_t face_count;
    const uint32_t *face_sizes;    /* corners of each face */
    const uint32_t *face_vertices; /* face after face */
} hull_topology;

/* Makes a hull that is the same, bit for bit, as one with these parts. Refuses faces that are no closed surface on the
 * corners by their numbers; whether it is convex is not looked at. On failure returns NULL and says why. */
hull *tact_hull_restore(const hull_topology *parts, const tact_allocator *allocator, tact_report *report);

void tact_hull_release(hull *h, const tact_allocator *allocator);

/* One bit for each component that is negative. */
TACT_FORCE_INLINE uint32_t hull_sign_bits(tact_vec3 d)
{
    return (uint32_t)simde_mm_movemask_pd(simde_mm_set_pd(d.y, d.x)) |
           (uint32_t)simde_mm_movemask_pd(simde_mm_set_sd(d.z)) << 2;
}

/* 0 to 3: b <= a/2, b <= a, b <= 2a, more */
static inline uint32_t hull_ratio_band(double a, double b)
{
    return (uint32_t)(b + b > a) + (uint32_t)(b > a) + (uint32_t)(b > a + a);
}

/* The cell of a direction: only comparisons, which are exact. */
static inline uint32_t hull_ratio_cell(const hull *h, tact_vec3 d)
{
    double x = fabs(d.x) * h->direction_scale.x, y = fabs(d.y) * h->direction_scale.y,
           z = fabs(d.z) * h->direction_scale.z;
    return hull_sign_bits(d) | hull_ratio_band(x, y) << 3 | hull_ratio_band(y, z) << 5 | hull_ratio_band(x, z) << 7;
}

static inline double hull_vertex_dot(const hull *h, uint32_t corner, tact_vec3 d)
{
    const tact_vec3 *p = &h->vertices[corner];
    return d.x * p->x + d.y * p->y + d.z * p->z;
}

/* The best of a cell's candidates. Which of them it is is as good as random: no branch may depend on it, hence the
 * arithmetic on outcomes of comparisons. */
static inline uint32_t hull_best_candidate(const hull *h, const uint16_t *list, uint32_t blocks, tact_vec3 d)
{
    uint32_t best = 0;
    double most = -HUGE_VAL;
    for (uint32_t first = 0; first < blocks * HULL_BLOCK; first += HULL_BLOCK) {
        double a = hull_vertex_dot(h, list[first], d), b = hull_vertex_dot(h, list[first + 1], d);
        double c = hull_vertex_dot(h, list[first + 2], d), e = hull_vertex_dot(h, list[first + 3], d);
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

/* Eight vectors along a direction whose components fill a vector each. */
TACT_FORCE_INLINE float8 hull_vec8_dot(const hull_vec8 *p, float8 x, float8 y, float8 z)
{
    return float8_add(float8_add(float8_mul(x, float8_load(p->x)), float8_mul(y, float8_load(p->y))),
                      float8_mul(z, float8_load(p->z)));
}

/* The largest of four, everywhere. */
TACT_FORCE_INLINE simde__m128 hull_max4(simde__m128 a)
{
    a = float4_max_tagged(a, simde_mm_shuffle_ps(a, a, SIMDE_MM_SHUFFLE(1, 0, 3, 2)));
    return float4_max_tagged(a, simde_mm_shuffle_ps(a, a, SIMDE_MM_SHUFFLE(2, 3, 0, 1)));
}

/* Of |x| + |y| + |z|: what floats can be wrong by in comparing two corners along a direction. Each sum of three
 * products has at most 5 roundings of 2^-24 (2^-23 if they are not to nearest) of that, and the borders one more; the
 * numbers in the last bits change each by up to 31 2^-23. */
#define HULL_SIMD_ERROR 1e-5f

/* The same where the products are so small that they lose digits, or vanish. */
#define HULL_SIMD_ERROR_MIN 1e-36f

/* The corners of a hull that has lanes along a direction; the last bits (FLOAT8_TAG_MASK) say which corner it is, so
 * that the largest also tells where it was found. */
typedef struct hull_simd_dots {
    float8 dots[HULL_SIMD_BLOCKS];
} hull_simd_dots;

/* The largest of four are the largest of all; any one if all are below zero, which only rounding can bring about, and
 * then the border is below all that are higher. */
TACT_FORCE_INLINE simde__m128 hull_simd_dot(const hull_vec8 *p, float x, float y, float z, hull_simd_dots *h)
{
    float8 xs = float8_broadcast(x), ys = float8_broadcast(y), zs = float8_broadcast(z);
    h->dots[0] = float8_tag(hull_vec8_dot(p, xs, ys, zs), 0);
    h->dots[1] = float8_tag(hull_vec8_dot(p + 1, xs, ys, zs), 8);
    h->dots[2] = float8_tag(hull_vec8_dot(p + 2, xs, ys, zs), 16);
    return float8_max_halves_tagged(float8_max_tagged(float8_max_tagged(h->dots[0], h->dots[1]), h->dots[2]));
}

/* What has to be taken off the largest, so that all corners that can be the farthest along the direction are not below.
 */
TACT_FORCE_INLINE simde__m128 hull_simd_error(simde__m128 x, simde__m128 y, simde__m128 z)
{
    const simde__m128 minus = simde_mm_set1_ps(-0.0f);
    simde__m128 size = simde_mm_add_ps(simde_mm_add_ps(simde_mm_andnot_ps(minus, x), simde_mm_andnot_ps(minus, y)),
                                       simde_mm_andnot_ps(minus, z));
    return simde_mm_add_ps(simde_mm_mul_ps(size, simde_mm_set1_ps(HULL_SIMD_ERROR)),
                           simde_mm_set1_ps(HULL_SIMD_ERROR_MIN));
}

/* These corners, a bit each: where floats cannot tell them apart there are several, and all of them where the direction
 * is out of their range, as then the border is none and nothing below it. */
TACT_FORCE_INLINE uint32_t hull_simd_at_least(const hull_simd_dots *h, float border)
{
    float8 borders = float8_broadcast(border);
    uint32_t below = float8_movemask_less(h->dots[0], borders) | float8_movemask_less(h->dots[1], borders) << 8 |
                     float8_movemask_less(h->dots[2], borders) << 16;
    return below ^ ((1u << HULL_SIMD_BLOCKS * HULL_VEC8_COUNT) - 1u);
}

/* The same in one. */
TACT_FORCE_INLINE uint32_t hull_simd_candidates(const hull_vec8 *p, tact_vec3 direction)
{
    float x = (float)direction.x, y = (float)direction.y, z = (float)direction.z;
    hull_simd_dots h;
    simde__m128 most = hull_max4(hull_simd_dot(p, x, y, z, &h));
    simde__m128 slack = hull_simd_error(simde_mm_set1_ps(x), simde_mm_set1_ps(y), simde_mm_set1_ps(z));
    return hull_simd_at_least(&h, simde_mm_cvtss_f32(simde_mm_sub_ps(most, slack)));
}

/* The farthest of those; the first of equals. */
uint32_t tact_hull_best_of_mask(const hull *h, uint32_t near, double x, double y, double z);

/* What the roundings of floats can add to a sum of three products, of the largest such sum: three factors and sums are
 * rounded in each. */
#define HULL_POLAR_ERROR 1e-6

/* An upper bound, sharp but for rounding, of what the planes say of a direction y: the hull reaches at least y / this
 * from its middle. */
TACT_FORCE_INLINE double hull_polar_support(const hull *h, double x, double y, double z)
{
    x *= h->polar_scale;
    y *= h->polar_scale;
    z *= h->polar_scale;
    float8 fx = float8_broadcast((float)x), fy = float8_broadcast((float)y), fz = float8_broadcast((float)z),
           most = float8_broadcast(0.0f);
    for (const hull_vec8 *p = h->polar_vertices, *end = p + h->polar_blocks; p < end; p++)
        most = float8_max_tagged(most, hull_vec8_dot(p, fx, fy, fz));
    return (double)simde_mm_cvtss_f32(hull_max4(float8_max_halves_tagged(most))) +
           HULL_POLAR_ERROR * h->polar_max_component * (fabs(x) + fabs(y) + fabs(z));
}

/* The cell of the direction of the first three. */
TACT_FORCE_INLINE uint32_t hull_radial_cell(simde__m128 d)
{
    simde__m128 size = simde_mm_andnot_ps(simde_mm_set1_ps(-0.0f), d),
                next = simde_mm_shuffle_ps(size, size, SIMDE_MM_SHUFFLE(3, 0, 2, 1));
    return ((uint32_t)simde_mm_movemask_ps(d) & 7u) |
           ((uint32_t)simde_mm_movemask_ps(simde_mm_cmpgt_ps(size, next)) & 7u) << 3;
}

/* The index of a corner for which (x y z) . corner is largest (up to rounding); any if the direction is zero. It may
 * have any length for which those products neither overflow nor vanish. (Three numbers instead of a struct, which would
 * go through memory.) */
uint32_t tact_hull_support_along(const hull *h, double x, double y, double z);

static inline uint32_t tact_hull_support(const hull *h, tact_vec3 direction)
{
    return tact_hull_support_along(h, direction.x, direction.y, direction.z);
}

/* The corner itself, the common case inline. */
TACT_FORCE_INLINE tact_vec3 hull_support(const hull *h, tact_vec3 direction)
{
    if (h->support_method == HULL_SUPPORT_SIMD) {
        uint32_t near = hull_simd_candidates(h->simd_vertices, direction);
        if ((near & (near - 1)) == 0)
            return h->vertices[wide_trailing_zeros(near)];
        return h->vertices[tact_hull_best_of_mask(h, near, direction.x, direction.y, direction.z)];
    }
    return h->vertices[tact_hull_support_along(h, direction.x, direction.y, direction.z)];
}

#endif
