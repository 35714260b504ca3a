/*
 * Two triangles in space: do they meet, where, and do they meet beyond what they share? Exact for all finite doubles.
 *
 * A triangle is the closed convex hull of its three corners, in real arithmetic on the doubles given. It may have no
 * area (a segment, a point); touching is meeting. No allocation, no state; the floating-point environment is neither
 * relied upon nor changed. A corner that is not finite: they do not meet.
 */
#ifndef TACT_EXACT_TRIANGLE_H
#define TACT_EXACT_TRIANGLE_H

#include <stdbool.h>
#include <stdint.h>
#include <tact/vec.h>

/* Do they have a point in common? The order of the triangles and of their corners does not matter. Boxes are not
 * compared first: a tree has done it. */
bool tact_triangles_intersect(const tact_vec3 a[3], const tact_vec3 b[3]);

/* Which corners two triangles have in common: corner a[i] is corner b[j] for each of the pairs. */
typedef struct triangle_shared {
    int count;    /* of pairs, 0 to 3 */
    uint8_t a[3]; /* corner numbers, 0 to 2; no corner is in two pairs */
    uint8_t b[3];
} triangle_shared;

/* By the numbers of the vertices, for two triangles of one mesh. */
triangle_shared tact_triangle_shared_by_index(const uint32_t a[3], const uint32_t b[3]);

/* By position (corners are the same when all coordinates are equal; -0 is 0), for meshes whose vertices are written
 * once for every triangle. */
triangle_shared tact_triangle_shared_by_position(const tact_vec3 a[3], const tact_vec3 b[3]);

/* The rule for two faces of one mesh: do they have a point in common that is not on what they share? What they share
 * is nothing (then this is tact_triangles_intersect), the common corner, the edge between two common corners, or the
 * whole outline: two faces with the same three corners lie on each other and do meet beyond it, unless they have no
 * area. Corners that `share` pairs must be equal; the coordinates of `a` are used. */
bool tact_triangles_intersect_beyond_shared(const tact_vec3 a[3], const tact_vec3 b[3], const triangle_shared *share);

/* A part of a triangle: 0 to 2 its corners, 3 to 5 its edges (3 + i goes from corner i to corner i + 1 modulo 3), 6 its
 * inside. */
typedef uint8_t triangle_feature;
enum { TRIANGLE_VERTEX = 0, TRIANGLE_EDGE = 3, TRIANGLE_INTERIOR = 6 };

#define TRIANGLE_INTERSECTION_VERTICES 6

/* A corner of what two triangles have in common, with the smallest part of each that it lies on. (In a triangle without
 * area: an end, or the edge that is as long as the triangle.) */
typedef struct triangle_intersection_vertex {
    tact_vec3 position;
    triangle_feature feature_a, feature_b;
} triangle_intersection_vertex;

/* What two triangles have in common: nothing, a point, a segment, or, of two in one plane, a convex polygon. */
typedef struct triangle_intersection {
    int count; /* of corners: 0, 1, 2, or 3 to 6; a polygon's are in the order of a's own corners around it, a segment
                  of two planes that cross runs along n_a x n_b, exactly, n being (t[1] - t[0]) x (t[2] - t[0]) */
    triangle_intersection_vertex vertices[TRIANGLE_INTERSECTION_VERTICES];
} triangle_intersection;

/* Finds it, and returns the number of its corners. That number and the parts are exact. A position is the corner's
 * own where it is one, else rounded: no coordinate is farther from the true one than two units in the last place of
 * the largest coordinate of the edge that it is on, and none is outside that edge's box. It depends on the
 * parts alone, to the last bit: swapping a and b, or turning their corners around, changes no position, and faces that
 * share an edge agree on where it goes through a third. (The corners may then come in another order.) */
int tact_triangles_intersection(const tact_vec3 a[3], const tact_vec3 b[3], triangle_intersection *cut);

#endif
