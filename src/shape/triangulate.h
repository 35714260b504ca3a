/*
 * Polygons, with or without holes, cut into triangles: what a polygon of a mesh *is*.
 *
 * A polygon is given by loops of corners: the first is its outline, which also says which side is the front
 * (counter-clockwise seen from there), the others are holes, running either way. Its corners need not lie exactly in a
 * plane (rounded ones do not): by definition the polygon is the union of the triangles made here, once, when the mesh
 * is made, and everything exact that is said of it is said of these.
 *
 * What is promised, for n corners in h holes and an outline:
 *  - Triangles of the caller's vertex numbers, turning as the outline does: n + 2 h - 2 where no loops touch, and never
 *    more than three for a corner and two for a corner inside an edge. Every edge of a loop is an edge of one of them,
 *    every other edge of two, once each way (loop edges that cancel each other, such as those of a slit, may be left
 *    out): a closed mesh of polygons becomes a closed mesh of triangles. (Holes that run as the outline does are meant
 *    reversed.)
 *  - Seen along the axis nearest to the normal, the triangles of a simple polygon (loops that do not cross or touch;
 *    flat corners are no matter) all turn as the outline, none is without area, and they cover it without overlap.
 *  - So they do where loops touch, themselves or each other, at corners, inside edges or along them, and where corners
 *    are repeated, but there some may be without area.
 *  - For anything else (loops that cross; some knots of loops that touch along edges with vertices of their own)
 *    the edges match all the same, but triangles may overlap or be turned over.
 */
#ifndef TACT_SHAPE_TRIANGULATE_H
#define TACT_SHAPE_TRIANGULATE_H

#include <stdbool.h>
#include <tact/status.h>
#include <tact/vec.h>

#include "core/array.h"

ARRAY_OF(vertex_index_array, uint32_t);

/* Adds the triangles to `triangles`, three vertex numbers each. `corners` are vertex numbers, loop after loop,
 * loop_sizes[i] of them for loop i. TACT_BAD_ARGUMENT: a coordinate that is not finite, or more than 2^31 corners. On
 * failure nothing has changed. Memory besides the triangles, for the time of the call: 180 bytes a corner, up to 350
 * where loops touch. Time: in practice n log n, some 3 us a corner, and up to 50 with a hole for every four; at worst
 * n^2 for simple polygons without holes; a hole adds n, or n^2 if hardly a corner can be seen from it; n^3 where loops
 * touch or cross. */
tact_status tact_polygon_triangulate(const tact_vec3 *vertices, const uint32_t *corners, const uint32_t *loop_sizes,
                                     size_t loop_count, const tact_allocator *allocator, vertex_index_array *triangles);

/* The same, with an index of corners from `indexed_least` corners on: for tests, as the one above chooses well. */
tact_status tact_polygon_triangulate_indexed(const tact_vec3 *vertices, const uint32_t *corners,
                                             const uint32_t *loop_sizes, size_t loop_count, size_t indexed_least,
                                             const tact_allocator *allocator, vertex_index_array *triangles);

/* The normal of a polygon by Newell's method (the sum of its triangles' cross products with the first corner), of
 * length 1, or zero where that sum vanishes. In doubles: it only guides. */
tact_vec3 tact_polygon_normal(const tact_vec3 *vertices, const uint32_t *corners, size_t count);

#endif
