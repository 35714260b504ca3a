/*
 * The stages of making a hull, shared by the hull_*.c files. All but the last work on *scaled* points: multiplied by
 * the power of two that brings the largest absolute coordinate into [1/2, 1). That is exact (what it pushes below the
 * smallest double is far less than a rounding unit), and huge or tiny input becomes ordinary.
 */
#ifndef TACT_SHAPE_HULL_INTERNAL_H
#define TACT_SHAPE_HULL_INTERNAL_H

#include <stdbool.h>
#include <tact/allocator.h>

#include "math/vec.h"
#include "shape/hull.h"

#define HULL_NONE UINT32_MAX

/* One rounding unit of numbers below 1: 2^-53. */
#define HULL_ROUNDING 1.1102230246251565e-16

/* How far, in rounding units of the largest coordinate, a point may stand off a plane to either side and still
 * count as in it, and how far off an edge: what rotating and moving does to points that were on it (with 3 and 4,
 * one in a thousand rotated boxes with a grid of points has more than 8 corners; tests/test_hull.c). Dropping such
 * a point moves the support function by no more. */
#define HULL_SLACK 4.0
#define HULL_EDGE_SLACK 6.0

/* The points of the making, and what their rounding amounts to. */
typedef struct hull_points {
    const tact_vec3 *at; /* scaled */
    uint32_t count;
    double slack;      /* of points to a plane */
    double edge_slack; /* of points to a line */
} hull_points;

/* hull_dimension.c */

/* The dimension of the points up to rounding, and dimension + 1 points that show it (`normal`, for a plane: of any
 * length). */
int tact_hull_span(const hull_points *points, uint32_t basis[4], tact_vec3 *normal);

/* How far p is from the line through a and b (which differ), right to a millionth of a rounding unit. */
double tact_hull_line_distance(tact_vec3 a, tact_vec3 b, tact_vec3 p);

/* The same from the segment, whose ends may be equal. */
double tact_hull_segment_distance(tact_vec3 a, tact_vec3 b, tact_vec3 p);

/* What the slack amounts to along a normal, times the length of the normal. */
static inline double hull_plane_slack(const hull_points *points, tact_vec3 normal)
{
    return points->slack * (fabs(normal.x) + fabs(normal.y) + fabs(normal.z));
}

/* quickhull.c */

typedef struct hull_triangle {
    uint32_t corner[3]; /* counter-clockwise seen from outside */
    uint32_t across[3]; /* the triangle beyond the edge from corner[i] to corner[(i + 1) % 3] */
    uint32_t mark; /* while building: twice the number of the insertion that last looked at it, plus 1 if it was seen */
    uint32_t outside;   /* while building: first point of its list, HULL_NONE for none */
    uint32_t farthest;  /* while building: of that list */
    uint32_t link;      /* while building: next in the list of seen, new or spare ones */
    uint32_t wait_link; /* while building: next in the list of those that may have points outside */
    bool waits;         /* while building: in that list? */
    bool alive;
    double height;    /* of the farthest, times the length of the normal */
    double bound;     /* of the rounding error of normal . (p - corner[0]) for any of the points p */
    tact_vec3 normal; /* outward, of twice the area, as plainly computed */
} hull_triangle;

/* After the making all are alive. */
typedef struct hull_triangles {
    uint32_t count, room;
    hull_triangle *at;
} hull_triangles;

/* The exact hull, as triangles, of points that `basis`, four points not in a plane, proves to have an inside. */
tact_status tact_hull_triangles_make(hull_triangles *triangles, const hull_points *points, const uint32_t basis[4],
                                     const tact_allocator *allocator);

void tact_hull_triangles_free(hull_triangles *triangles, const tact_allocator *allocator);

/* hull_coplanar_merge.c */

/* Polygons over point indices. */
typedef struct hull_loops {
    uint32_t face_count, face_room;
    uint32_t total, room;
    uint32_t *first; /* face_count + 1 entries */
    uint32_t *points;
} hull_loops;

/* Merges triangles that lie in one plane up to rounding, and drops the corners that this makes idle. */
tact_status tact_hull_faces_merge(hull_loops *loops, const hull_points *points, const hull_triangles *triangles,
                                  const tact_allocator *allocator);

bool tact_hull_loops_take(hull_loops *loops, uint32_t faces, uint32_t points, const tact_allocator *allocator);
void tact_hull_loops_free(hull_loops *loops, const tact_allocator *allocator);

/* hull_polygon.c */

/* Of the `steps` - 1 points inside a stretch of the closed chain (`length` points, from the one at `from` on),
 * marks in `drop` those within the slack of the straight line between the stretch's ends, or of the broken line
 * that remains when the farthest ones are kept (Douglas and Peucker 1973). `spans` is room for `steps` + 1 pairs.
 * Returns how many were marked. */
uint32_t tact_hull_straighten(const hull_points *points, const uint32_t *chain, uint32_t length, uint32_t from,
                              uint32_t steps, bool *drop, uint32_t *spans);

/* The polygon around points that span a plane up to rounding, twice: seen from both sides. With fewer than three
 * corners left, a single loop of two. */
tact_status tact_hull_polygon_make(hull_loops *loops, const hull_points *points, tact_vec3 normal,
                                   const tact_allocator *allocator);

/* hull_direction_table.c */

/* Makes the direction table of a hull whose corners are in place. */
tact_status tact_hull_table_make(hull *h, const tact_allocator *allocator);

void tact_hull_table_free(hull *h, const tact_allocator *allocator);

/* hull_polar.c */

/* Makes the planes of a hull whose faces and middle are in place, if it is one to have them. */
tact_status tact_hull_polar_make(hull *h, const tact_allocator *allocator);

void tact_hull_polar_free(hull *h, const tact_allocator *allocator);

#endif
