/*
 * The convex hull of points: vertices, adjacency, faces, and a direction table for support queries in constant time.
 * Made once, immutable. Construction: hull.c. Direction table: hull_direction_table.c. Polar vertices: hull_polar.c.
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

#include "core/inline.h"
#include "core/sse2.h"
#include "math/float8.h"
#include "math/wide.h"
#include "shape/shape_constants.h"

typedef struct hull_face {
    tact_vec3 normal;      /* outward unit normal; a flat hull has two faces, back to back */
    double offset;         /* the largest normal . x of its vertices */
    uint32_t first_vertex; /* index into face_vertices */
    uint32_t vertex_count;
} hull_face;

/* How a support query finds its candidates, by the number of vertices. */
typedef enum hull_support_method {
    HULL_SUPPORT_SCAN,           /* compare every vertex */
    HULL_SUPPORT_SIMD,           /* compare every vertex in floats with SIMD, then the best ones in doubles */
    HULL_SUPPORT_RATIO_CELLS,    /* 240 cells by the signs of the components and their ratios (bands 1/2, 1, 2) */
    HULL_SUPPORT_OCTAHEDRON_GRID /* a grid on the octahedron |x| + |y| + |z| = 1 */
} hull_support_method;

/* Candidates come in blocks of four, compared without a branch. A cell has at most 2^10 - 1 blocks. */
#define HULL_BLOCK 4u
#define HULL_BLOCK_BITS 10u

/* Eight vectors, component by component. */
#define HULL_VEC8_COUNT 8u
typedef struct hull_vec8 {
    float x[HULL_VEC8_COUNT], y[HULL_VEC8_COUNT], z[HULL_VEC8_COUNT];
} hull_vec8;

/* Blocks of eight that hold all vertices of a HULL_SUPPORT_SIMD hull. */
#define HULL_SIMD_BLOCKS 3

/* Cells of directions by the signs of the components and their order by size; 48 of them are used. */
#define HULL_RADIAL_CELLS 64u

typedef struct hull {
    /* What queries on small hulls read comes first. */
    hull_support_method support_method;
    uint32_t vertex_count;
    tact_vec3 *vertices; /* copies of input points, bit for bit */
    tact_vec3 centre;    /* the mean of the vertices */
    /* HULL_SUPPORT_SIMD: the vertices relative to the centre, scaled to at most 1. Unused lanes hold the centre. */
    hull_vec8 simd_vertices[HULL_SIMD_BLOCKS];
    /* The vertices of the polar hull about the centre: each face normal divided by the distance of the face from the
     * centre, times the size of the hull. The first one is repeated to fill the last block. NULL: none, see
     * hull_polar.c. */
    hull_vec8 *polar_vertices;
    uint32_t polar_blocks;
    double polar_scale;         /* 1 / size of the hull */
    double polar_max_component; /* no component of a polar vertex is larger */
    /* The radius of the hull from its centre along the central direction of each cell (hull_radial_cell), in units of
     * `radial_cell_unit`. */
    uint8_t radial_cells[HULL_RADIAL_CELLS];
    double radial_cell_unit; /* relative to the bounding radius */

    int dimension;       /* 0 point, 1 segment, 2 polygon, 3 polyhedron */
    uint32_t face_count; /* 0 in dimensions 0 and 1; 2 in dimension 2 */
    uint32_t neighbour_total;
    uint32_t face_vertex_total;
    uint32_t *first_neighbour; /* vertex_count + 1 entries: where the neighbours of each vertex begin */
    uint32_t *neighbours;
    hull_face *faces;
    /* vertex loops, counter-clockwise seen from outside; coplanar triangles are merged into one face */
    uint32_t *face_vertices;

    /* Powers of two, at most 1. Directions multiplied by these fall evenly into the cells even if the hull is long or
     * thin. */
    tact_vec3 direction_scale;
    uint32_t grid_size;   /* HULL_SUPPORT_OCTAHEDRON_GRID: cells along one side */
    uint32_t cell_count;  /* entries of `cells` */
    uint32_t block_total; /* blocks of candidates, HULL_BLOCK each */
    /* of each cell: first block of its candidates << HULL_BLOCK_BITS | number of blocks; 0: compare every vertex */
    uint32_t *cells;
    /* The vertices that can be the support point of a direction in the cell. The first one is repeated to fill the last
     * block. */
    uint16_t *candidates16;
    uint32_t *candidates32; /* instead, if there are more than 65,536 vertices */
} hull;

/* The hull of `count` >= 1 finite points. On failure returns NULL and fills `report` (may be NULL). */
hull *tact_hull_create(const tact_vec3 *points, size_t count, const tact_allocator *allocator, tact_report *report);

/* The boundary of a hull. All else follows from it. */
typedef struct hull_boundary {
    const tact_vec3 *vertices;
    uint32_t vertex_count;
    uint32_t dimension;
    uint32_t face_count;
    const uint32_t *face_sizes;    /* number of vertices of each face */
    const uint32_t *face_vertices; /* face after face */
} hull_boundary;

/* The hull with this boundary, bit for bit the same as the one it was taken from. Refuses faces that are not a closed
 * surface on the vertices by their counts; convexity is not checked. On failure returns NULL and fills `report`. */
hull *tact_hull_restore(const hull_boundary *boundary, const tact_allocator *allocator, tact_report *report);

void tact_hull_release(hull *h, const tact_allocator *allocator);

/* One bit for each negative component. */
TACT_FORCE_INLINE uint32_t hull_sign_bits(tact_vec3 d)
{
    return (uint32_t)_mm_movemask_pd(_mm_set_pd(d.y, d.x)) | (uint32_t)_mm_movemask_pd(_mm_set_sd(d.z)) << 2;
}

/* The band of b/a: 0 up to 1/2, 1 up to 1, 2 up to 2, 3 above. */
static inline uint32_t hull_ratio_band(double a, double b)
{
    return (uint32_t)(b + b > a) + (uint32_t)(b > a) + (uint32_t)(b > a + a);
}

/* The cell of a direction. Comparisons only, which are exact. */
static inline uint32_t hull_ratio_cell(const hull *h, tact_vec3 d)
{
    double x = fabs(d.x) * h->direction_scale.x, y = fabs(d.y) * h->direction_scale.y,
           z = fabs(d.z) * h->direction_scale.z;
    return hull_sign_bits(d) | hull_ratio_band(x, y) << 3 | hull_ratio_band(y, z) << 5 | hull_ratio_band(x, z) << 7;
}

static inline double hull_vertex_dot(const hull *h, uint32_t vertex, tact_vec3 d)
{
    const tact_vec3 *p = &h->vertices[vertex];
    return d.x * p->x + d.y * p->y + d.z * p->z;
}

/* The best of a cell's candidates. Which one it is is as good as random, so no branch may depend on it: hence
 * arithmetic on the outcomes of comparisons. */
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

/* The dot products of eight vectors with a direction whose components are broadcast. */
TACT_FORCE_INLINE float8 hull_vec8_dot(const hull_vec8 *p, float8 x, float8 y, float8 z)
{
    return float8_add(float8_add(float8_mul(x, float8_load(p->x)), float8_mul(y, float8_load(p->y))),
                      float8_mul(z, float8_load(p->z)));
}

/* The largest of four, in all lanes. */
TACT_FORCE_INLINE __m128 hull_max4(__m128 a)
{
    a = float4_max_tagged(a, _mm_shuffle_ps(a, a, _MM_SHUFFLE(1, 0, 3, 2)));
    return float4_max_tagged(a, _mm_shuffle_ps(a, a, _MM_SHUFFLE(2, 3, 0, 1)));
}

/* The dot products of all vertices of a HULL_SUPPORT_SIMD hull with a direction. The last bits of each (float8_tag)
 * hold the number of the vertex, so that the largest also says which one it is. */
typedef struct hull_simd_dots {
    float8 dots[HULL_SIMD_BLOCKS];
} hull_simd_dots;

/* Returns the largest of each four. If all are negative, which only rounding can cause, the result may be any of them,
 * and the threshold is then below all that are higher. */
TACT_FORCE_INLINE __m128 hull_simd_dot(const hull_vec8 *p, float x, float y, float z, hull_simd_dots *h)
{
    float8 xs = float8_broadcast(x), ys = float8_broadcast(y), zs = float8_broadcast(z);
    h->dots[0] = float8_tag(hull_vec8_dot(p, xs, ys, zs), 0);
    h->dots[1] = float8_tag(hull_vec8_dot(p + 1, xs, ys, zs), 8);
    h->dots[2] = float8_tag(hull_vec8_dot(p + 2, xs, ys, zs), 16);
    return float8_max_halves_tagged(float8_max_tagged(float8_max_tagged(h->dots[0], h->dots[1]), h->dots[2]));
}

/* The error bound: vertices below the largest dot product minus this cannot be the support point. */
TACT_FORCE_INLINE __m128 hull_simd_error(__m128 x, __m128 y, __m128 z)
{
    const __m128 minus = _mm_set1_ps(-0.0f);
    __m128 size = _mm_add_ps(_mm_add_ps(_mm_andnot_ps(minus, x), _mm_andnot_ps(minus, y)), _mm_andnot_ps(minus, z));
    return _mm_add_ps(_mm_mul_ps(size, _mm_set1_ps(HULL_SIMD_ERROR)), _mm_set1_ps(HULL_SIMD_ERROR_MIN));
}

/* The vertices whose dot product is not below `threshold`, a bit each. There are several where floats cannot tell them
 * apart. It is all of them where the direction is out of the range of floats: the threshold is then NaN. */
TACT_FORCE_INLINE uint32_t hull_simd_at_least(const hull_simd_dots *h, float threshold)
{
    float8 thresholds = float8_broadcast(threshold);
    uint32_t below = float8_movemask_less(h->dots[0], thresholds) | float8_movemask_less(h->dots[1], thresholds) << 8 |
                     float8_movemask_less(h->dots[2], thresholds) << 16;
    return below ^ ((1u << HULL_SIMD_BLOCKS * HULL_VEC8_COUNT) - 1u);
}

/* All vertices that may be the support point of a direction, a bit each. */
TACT_FORCE_INLINE uint32_t hull_simd_candidates(const hull_vec8 *p, tact_vec3 direction)
{
    float x = (float)direction.x, y = (float)direction.y, z = (float)direction.z;
    hull_simd_dots h;
    __m128 most = hull_max4(hull_simd_dot(p, x, y, z, &h));
    __m128 error = hull_simd_error(_mm_set1_ps(x), _mm_set1_ps(y), _mm_set1_ps(z));
    return hull_simd_at_least(&h, _mm_cvtss_f32(_mm_sub_ps(most, error)));
}

/* The best of the vertices in a bit mask, in doubles; the first of several that are equally far. */
uint32_t tact_hull_best_of_mask(const hull *h, uint32_t mask, double x, double y, double z);

/* An upper bound, sharp up to rounding, of the support function of the polar hull along y: the hull extends at least
 * to y / this from its centre. */
TACT_FORCE_INLINE double hull_polar_support(const hull *h, double x, double y, double z)
{
    x *= h->polar_scale;
    y *= h->polar_scale;
    z *= h->polar_scale;
    float8 fx = float8_broadcast((float)x), fy = float8_broadcast((float)y), fz = float8_broadcast((float)z),
           most = float8_broadcast(0.0f);
    for (const hull_vec8 *p = h->polar_vertices, *end = p + h->polar_blocks; p < end; p++)
        most = float8_max_tagged(most, hull_vec8_dot(p, fx, fy, fz));
    return (double)_mm_cvtss_f32(hull_max4(float8_max_halves_tagged(most))) +
           HULL_POLAR_ERROR * h->polar_max_component * (fabs(x) + fabs(y) + fabs(z));
}

/* The cell of a direction, from its first three components. */
TACT_FORCE_INLINE uint32_t hull_radial_cell(__m128 d)
{
    __m128 size = _mm_andnot_ps(_mm_set1_ps(-0.0f), d), next = _mm_shuffle_ps(size, size, _MM_SHUFFLE(3, 0, 2, 1));
    return ((uint32_t)_mm_movemask_ps(d) & 7u) | ((uint32_t)_mm_movemask_ps(_mm_cmpgt_ps(size, next)) & 7u) << 3;
}

/* The support vertex of a direction: the index of a vertex with the largest dot product, up to rounding; any if the
 * direction is zero. The direction may have any length for which the products neither overflow nor vanish. (Three
 * doubles, because a struct would be passed through memory.) */
uint32_t tact_hull_support_along(const hull *h, double x, double y, double z);

static inline uint32_t tact_hull_support(const hull *h, tact_vec3 direction)
{
    return tact_hull_support_along(h, direction.x, direction.y, direction.z);
}

/* The support vertex itself; the common case is inline. */
TACT_FORCE_INLINE tact_vec3 hull_support(const hull *h, tact_vec3 direction)
{
    if (h->support_method == HULL_SUPPORT_SIMD) {
        uint32_t mask = hull_simd_candidates(h->simd_vertices, direction);
        if ((mask & (mask - 1)) == 0)
            return h->vertices[wide_trailing_zeros(mask)];
        return h->vertices[tact_hull_best_of_mask(h, mask, direction.x, direction.y, direction.z)];
    }
    return h->vertices[tact_hull_support_along(h, direction.x, direction.y, direction.z)];
}

#endif
