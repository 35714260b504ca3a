/*
 * The polygon tests of van den Bergen 1999, chapter 3: two non-convex polygons with holes in space, and a polygon
 * against a sphere, a box or any convex shape. They are raced and tested here; the library does not use them.
 *
 * A mesh cuts its polygons into triangles (shape/triangulate.h), and its queries decide every pair of triangles
 * exactly. The scan of section 3.2.2 is 1.3 to 2.2 times as fast as all pairs of triangles (table "polygons" of the
 * bench). But it decides in doubles, so it is wrong within a few units of roundoff of touching, and it misses overlap
 * of coplanar polygons. A tree over triangles also tests fewer of them than a tree over polygons.
 *
 * tact_polygons_overlap and tact_polygon_find_triangle are exact on the triangles. The other tests work on the loops
 * and Newell's plane. Against volumes, a polygon that is not flat up to rounding is tested triangle by triangle.
 */
#ifndef TACT_BENCH_POLYGON_H
#define TACT_BENCH_POLYGON_H

#include "convex/gjk.h"
#include "core/array.h"

typedef struct polygon {
    const tact_vec3 *vertices;  /* in the world */
    const uint32_t *indices;    /* vertex numbers, loop after loop, the outline first */
    const uint32_t *loop_sizes; /* corners of each loop */
    const uint32_t *triangles;  /* vertex numbers, three each, from tact_polygon_triangulate */
    uint32_t loop_count, index_count, triangle_count;
    /* made by tact_polygon_plane: */
    tact_vec3 normal; /* unit, or zero if the polygon has no area */
    double offset;    /* the plane is normal . p + offset = 0 */
    double deviation; /* no corner is farther from it than this */
    double size;      /* the largest coordinate of a corner */
} polygon;

/* Fills in plane, deviation and size. */
void tact_polygon_plane(polygon *p);

/* Have they a point in common? Exact: some triangle of a meets one of b. Triangles beside the other's plane are left
 * out first (conservatively), then every pair is asked: quick when few cross the planes, n^2 at worst. */
bool tact_polygons_overlap(const polygon *a, const polygon *b);

/* Where a point is in the polygon's shadow along an axis (0 x, 1 y, 2 z), by the number of edges above it. Exact on
 * the shadow. */
typedef enum polygon_location { POLYGON_OUTSIDE, POLYGON_BOUNDARY, POLYGON_INSIDE } polygon_location;
polygon_location tact_polygon_locate(const polygon *p, int axis, tact_vec3 at);

/* Do they cross? The straightforward way (§3.2.1): every edge of each against the plane of the other, then the point
 * in the polygon. n^2 at worst. */
bool tact_polygons_intersect_by_edges(const polygon *a, const polygon *b);

/* An end of a segment in which two polygons cross, on an edge of one of them. */
typedef struct polygon_end {
    tact_vec3 at;
    double along;  /* the coordinate that orders the ends on the common line */
    uint32_t edge; /* the edge begins at this corner (index into `corners`) */
    bool of_b;     /* an edge of b, not of a */
} polygon_end;

typedef struct polygon_segment {
    polygon_end from, to;
} polygon_segment;

ARRAY_OF(polygon_end_array, polygon_end);
ARRAY_OF(polygon_segment_array, polygon_segment);

/* Room that the scan needs; zero-initialised to begin with, and kept from call to call. */
typedef struct polygon_scratch {
    polygon_end_array ends[2];
} polygon_scratch;

void tact_polygon_scratch_release(polygon_scratch *scratch, const tact_allocator *allocator);

/* Do they cross? The thesis' way (§3.2.2): what each has of the line in which the planes meet, sorted, then one scan
 * over both. n log n at worst. TACT_OUT_OF_MEMORY: `cross` is not written. */
tact_status tact_polygons_intersect_by_scan(const polygon *a, const polygon *b, const tact_allocator *allocator,
                                            polygon_scratch *scratch, bool *intersect);

/* The segments in which they cross, added to `segments` in order along the line (Algorithm 3.2). On failure nothing
 * was added. */
tact_status tact_polygons_segments(const polygon *a, const polygon *b, const tact_allocator *allocator,
                                   polygon_scratch *scratch, polygon_segment_array *segments);

/* Against a ball (§3.3.1). */
bool tact_polygon_overlaps_sphere(const polygon *p, tact_vec3 centre, double radius);

/* Against a box along the axes, low <= high, with a common point if `witness` is not NULL (§3.3.2: outcodes, then
 * Liang and Barsky's clipping, then the box's diagonal). */
bool tact_polygon_overlaps_box(const polygon *p, tact_vec3 low, tact_vec3 high, tact_vec3 *witness);

/* Against any convex shape: the first triangle at most `limit` from it, or -1. `result` is GJK's for that triangle
 * (as A) and the shape's core (as B): the margin is allowed for. */
int64_t tact_polygon_find_triangle(const polygon *p, const convex *shape, double limit, gjk_result *result);

/* A triangle as a convex core without margin. */
convex tact_convex_of_triangle(const tact_vec3 t[3]);

#endif
