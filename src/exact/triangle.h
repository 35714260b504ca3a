/*
 * Two triangles in space: whether they intersect, where, and whether they do beyond shared vertices. Exact for all
 * finite doubles.
 *
 * A triangle is the closed convex hull of its three vertices, in real arithmetic on the given doubles. It may have no
 * area (a segment, a point). Touching counts as intersection. No allocation, no state. The floating-point environment
 * is neither relied upon nor changed. Triangles with a vertex that is not finite do not intersect.
 */
#ifndef TACT_EXACT_TRIANGLE_H
#define TACT_EXACT_TRIANGLE_H

#include <stdbool.h>
#include <stdint.h>
#include <tact/vec.h>

/* Whether they have a common point. The order of the triangles and of their vertices does not matter. Bounding boxes
 * are not compared first: the caller's tree has done so. */
bool tact_triangles_intersect(const tact_vec3 a[3], const tact_vec3 b[3]);

/* The vertices that two triangles share: vertex a[i] is vertex b[i] for each of the pairs. */
typedef struct triangle_shared {
    int count;    /* of pairs, 0 to 3 */
    uint8_t a[3]; /* vertex numbers, 0 to 2; no vertex is in two pairs */
    uint8_t b[3];
} triangle_shared;

/* The vertices that two triangles share, by position: a mesh may store them once for every triangle. Vertices are equal
 * if all coordinates are equal; -0 equals 0. */
triangle_shared tact_triangle_shared_by_position(const tact_vec3 a[3], const tact_vec3 b[3]);

/* The self-intersection rule of a mesh: whether two faces have a common point that is not on their shared feature. That
 * feature is empty (then this is tact_triangles_intersect), a vertex, an edge, or the whole boundary. Two faces with
 * the same three vertices coincide and intersect beyond their boundary, unless they have no area. Vertices that
 * `shared` pairs must be equal. */
bool tact_triangles_intersect_beyond_shared(const tact_vec3 a[3], const tact_vec3 b[3], const triangle_shared *shared);

/* A feature of a triangle: 0 to 2 its vertices, 3 to 5 its edges (3 + i goes from vertex i to vertex i + 1 modulo 3), 6
 * its interior. */
typedef uint8_t triangle_feature;
enum { TRIANGLE_VERTEX = 0, TRIANGLE_EDGE = 3, TRIANGLE_INTERIOR = 6 };

#define TRIANGLE_INTERSECTION_VERTICES 6

/* A vertex of the intersection, with the feature of lowest dimension of each triangle that it is on. In a triangle
 * without area: an end, or the edge that is as long as the triangle. */
typedef struct triangle_intersection_vertex {
    tact_vec3 position;
    triangle_feature feature_a, feature_b;
} triangle_intersection_vertex;

/* The intersection of two triangles: empty, a point, a segment or, of coplanar triangles, a convex polygon. */
typedef struct triangle_intersection {
    /* 0, 1, 2, or 3 to 6. A polygon has the orientation of a. A segment of two planes that intersect in a line is
     * directed along n_a x n_b, exactly, where n = (t[1] - t[0]) x (t[2] - t[0]). */
    int count;
    triangle_intersection_vertex vertices[TRIANGLE_INTERSECTION_VERTICES];
} triangle_intersection;

/* Computes the intersection and returns the number of its vertices. That number and the features are exact. The
 * position of a triangle's vertex is exact; any other is rounded. No coordinate is off by more than two ulps of the
 * largest coordinate of the edge that it is on, nor outside that edge's bounding box. A position depends on the
 * features alone, to the last bit. So swapping a and b or rotating their vertices changes no position (only the order
 * of the result), and faces that share an edge agree on its intersection with a third face. */
int tact_triangles_intersection(const tact_vec3 a[3], const tact_vec3 b[3], triangle_intersection *result);

#endif
