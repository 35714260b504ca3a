/*
 * The polygon tests of van den Bergen 1999, chapter 3: two non-convex polygons with holes in space, and a polygon
 * against a sphere, a box or any convex shape. They are raced and tested here; the library does not use them.
 *
 * A mesh cuts its polygons into triangles (shape/triangulate.h), and its queries decide every pair of triangles
 * exactly. The scan of section 3.2.2 is 1.3 to 2.2 times as fast as all pairs of triangles (table "polygons" of the
 * bench). But it decides in doubles, so it is wrong within a few units of roundoff of touching, and it misses overlap
 * of coplanar polygons. A tree over triangles also tests fewer of them than a tree over polygons.
 *
 * tact_polygons_overlap is exact on the triangles; tact_polygon_find_triangle uses GJK on them. The other tests work on
 * the loops and Newell's plane. Against volumes, a polygon that is not flat up to rounding is tested triangle by
 * triangle.
 */
#ifndef TACT_BENCH_POLYGON_H
#define TACT_BENCH_POLYGON_H

#include <math.h>

#include "convex/gjk.h"
#include "core/array.h"

typedef struct polygon {
    const tact_vec3 *vertices;  /* world coordinates */
    const uint32_t *indices;    /* vertex indices, loop by loop, the boundary first */
    const uint32_t *loop_sizes; /* vertices of each loop */
    const uint32_t *triangles;  /* vertex indices, three per triangle, from tact_polygon_triangulate */
    uint32_t loop_count, index_count, triangle_count;
    /* set by tact_polygon_plane: */
    tact_vec3 normal; /* unit, or zero if the polygon has no area */
    double offset;    /* the plane is normal . p + offset = 0 */
    double deviation; /* largest distance of a vertex from the plane */
    double size;      /* largest absolute coordinate of a vertex */
} polygon;

/* The coordinate axis nearest to a direction: 0 x, 1 y, 2 z. */
static inline int polygon_closest_axis(tact_vec3 n)
{
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    return x > y && x > z ? 0 : y > z ? 1 : 2;
}

/* Computes normal, offset, deviation and size. */
void tact_polygon_plane(polygon *p);

/* Do the polygons overlap? Exact: some triangle of a overlaps one of b. Triangles on one side of the other plane are
 * culled first (conservatively), then every pair is tested: fast if few cross the planes, O(n^2) in the worst case. */
bool tact_polygons_overlap(const polygon *a, const polygon *b);

/* Locates a point in the projection of the polygon along an axis (0 x, 1 y, 2 z), by the parity of the edges it sees.
 * Exact on the projection. */
typedef enum polygon_location { POLYGON_OUTSIDE, POLYGON_BOUNDARY, POLYGON_INSIDE } polygon_location;
polygon_location tact_polygon_locate(const polygon *p, int axis, tact_vec3 at);

/* Do the polygons intersect? The straightforward method (section 3.2.1): every edge of each against the plane of the
 * other, then point in polygon. O(n^2) in the worst case. */
bool tact_polygons_intersect_by_edges(const polygon *a, const polygon *b);

/* Endpoint of an intersection segment, on an edge of one polygon. */
typedef struct polygon_end {
    tact_vec3 at;
    double along;  /* coordinate that orders endpoints on the intersection line */
    uint32_t edge; /* its first vertex, an index into `indices` */
    bool of_b;     /* an edge of b, not of a */
} polygon_end;

typedef struct polygon_segment {
    polygon_end from, to;
} polygon_segment;

ARRAY_OF(polygon_end_array, polygon_end);
ARRAY_OF(polygon_segment_array, polygon_segment);

/* Scratch memory of the scan; zero-initialised, reused by all calls. */
typedef struct polygon_scratch {
    polygon_end_array ends[2];
} polygon_scratch;

void tact_polygon_scratch_release(polygon_scratch *scratch, const tact_allocator *allocator);

/* Do the polygons intersect? The scan (section 3.2.2): sorts the intervals of each on the intersection line of the
 * planes, then scans both once. O(n log n). TACT_OUT_OF_MEMORY: `intersect` is not written. */
tact_status tact_polygons_intersect_by_scan(const polygon *a, const polygon *b, const tact_allocator *allocator,
                                            polygon_scratch *scratch, bool *intersect);

/* Appends the intersection segments to `segments` in order along the line (algorithm 3.2). On failure nothing is
 * appended. */
tact_status tact_polygons_segments(const polygon *a, const polygon *b, const tact_allocator *allocator,
                                   polygon_scratch *scratch, polygon_segment_array *segments);

/* Does the polygon overlap a sphere (section 3.3.1)? */
bool tact_polygon_overlaps_sphere(const polygon *p, tact_vec3 centre, double radius);

/* Does the polygon overlap an AABB, low <= high? Stores a common point if `witness` is not NULL. Section 3.3.2:
 * outcodes, then Liang-Barsky clipping, then the diagonal of the box. */
bool tact_polygon_overlaps_box(const polygon *p, tact_vec3 low, tact_vec3 high, tact_vec3 *witness);

/* The first triangle within distance `limit` of a convex shape, or -1. `result` is GJK's for that triangle (A) and the
 * core of the shape (B); the margin is added to the limit. */
int64_t tact_polygon_find_triangle(const polygon *p, const convex *shape, double limit, gjk_result *result);

/* A triangle as a convex shape without margin. */
convex tact_convex_of_triangle(const tact_vec3 t[3]);

#endif
