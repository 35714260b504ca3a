/*
 * The stages of the construction of a hull, shared by the hull files. All stages but the last work on *scaled* points:
 * times the power of two that brings the largest absolute coordinate into [1/2, 1). This is exact, except that what
 * underflows is lost, far less than a unit of roundoff. Huge or tiny input becomes ordinary.
 */
#ifndef TACT_SHAPE_HULL_INTERNAL_H
#define TACT_SHAPE_HULL_INTERNAL_H

#include <stdbool.h>
#include <tact/allocator.h>

#include "math/vec.h"
#include "shape/hull.h"
#include "shape/shape_constants.h"

#define HULL_NONE UINT32_MAX

/* The input points and the tolerances that their coordinates have. */
typedef struct hull_input {
    const tact_vec3 *points; /* scaled */
    uint32_t count;
    double plane_tolerance; /* distance of a point from a plane */
    double line_tolerance;  /* distance of a point from a line */
} hull_input;

/* hull_dimension.c */

/* The affine dimension of the points up to the tolerances, and dimension + 1 points that span it. For a plane, `normal`
 * gets its normal, of any length. */
int tact_hull_dimension(const hull_input *input, uint32_t basis[4], tact_vec3 *normal);

/* The distance of p from the line through a and b (which differ), to a millionth of a unit of roundoff. */
double tact_hull_line_distance(tact_vec3 a, tact_vec3 b, tact_vec3 p);

/* The same from the segment, whose end points may be equal. */
double tact_hull_segment_distance(tact_vec3 a, tact_vec3 b, tact_vec3 p);

/* The plane tolerance along a normal, times the length of the normal. */
static inline double hull_plane_tolerance(const hull_input *input, tact_vec3 normal)
{
    return input->plane_tolerance * (fabs(normal.x) + fabs(normal.y) + fabs(normal.z));
}

/* quickhull.c */

typedef struct hull_triangle {
    uint32_t vertex[3];         /* counter-clockwise seen from outside */
    uint32_t neighbour[3];      /* the triangle beyond the edge from vertex[i] to vertex[(i + 1) % 3] */
    uint32_t visit;             /* twice the number of the insertion that last visited it, plus 1 if it was visible */
    uint32_t conflicts;         /* the first point of its conflict list, HULL_NONE for none */
    uint32_t farthest_conflict; /* the farthest point of that list */
    uint32_t next;              /* the next in the list of visible, new or free triangles */
    uint32_t next_pending;      /* the next in the list of triangles that may have conflicts */
    bool pending;               /* is it in that list? */
    bool in_hull;
    double conflict_height; /* distance of the farthest conflict, times the length of the normal */
    double error;           /* bound of the rounding error of normal . (p - vertex[0]) for any input point p */
    tact_vec3 normal;       /* outward, length twice the area, computed in doubles */
} hull_triangle;

/* After construction all of them are in the hull. */
typedef struct hull_triangles {
    uint32_t count, capacity;
    hull_triangle *items;
} hull_triangles;

/* The exact hull, as triangles, of points of which `basis` are four that are not coplanar. */
tact_status tact_hull_quickhull(hull_triangles *triangles, const hull_input *input, const uint32_t basis[4],
                                const tact_allocator *allocator);

void tact_hull_triangles_free(hull_triangles *triangles, const tact_allocator *allocator);

/* hull_coplanar_merge.c */

/* Polygonal facets over point indices. */
typedef struct hull_facets {
    uint32_t face_count, face_capacity;
    uint32_t vertex_total, vertex_capacity;
    uint32_t *first_vertex; /* face_count + 1 entries */
    uint32_t *vertices;
} hull_facets;

/* Merges triangles that are coplanar up to the tolerance, and drops vertices that become redundant. */
tact_status tact_hull_merge_coplanar(hull_facets *facets, const hull_input *input, const hull_triangles *triangles,
                                     const tact_allocator *allocator);

bool tact_hull_facets_allocate(hull_facets *facets, uint32_t faces, uint32_t vertices, const tact_allocator *allocator);
void tact_hull_facets_free(hull_facets *facets, const tact_allocator *allocator);

/* hull_polygon.c */

/* Marks redundant points of a stretch of the closed chain: `steps` - 1 points between the one at `from` and the one
 * `steps` later. Marked in `drop` are those within the line tolerance of the segment between the ends of the stretch,
 * or of the polyline that keeps the farthest ones (Douglas and Peucker 1973). `spans` has capacity for `steps` + 1
 * pairs. Returns how many were marked. */
uint32_t tact_hull_drop_collinear(const hull_input *input, const uint32_t *chain, uint32_t length, uint32_t from,
                                  uint32_t steps, bool *drop, uint32_t *spans);

/* The polygon around coplanar points, twice: seen from both sides. If fewer than three vertices are left, one loop of
 * two. */
tact_status tact_hull_polygon_make(hull_facets *facets, const hull_input *input, tact_vec3 normal,
                                   const tact_allocator *allocator);

/* hull_direction_table.c */

/* Makes the direction table of a hull whose vertices are known. */
tact_status tact_hull_direction_table_make(hull *h, const tact_allocator *allocator);

void tact_hull_direction_table_free(hull *h, const tact_allocator *allocator);

/* hull_polar.c */

/* Makes the polar vertices of a hull whose faces and centre are known, if it qualifies for them. */
tact_status tact_hull_polar_make(hull *h, const tact_allocator *allocator);

void tact_hull_polar_free(hull *h, const tact_allocator *allocator);

#endif
