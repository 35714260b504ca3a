/*
 * Triangulation of polygons, with or without holes. It defines what a polygon of a mesh *is*.
 *
 * A polygon is given by loops of vertices: the first is its outer boundary, whose orientation defines the front
 * (counter-clockwise seen from there); the others are holes, in either orientation. Its vertices need not be exactly
 * coplanar (rounded ones are not). By definition the polygon is the union of the triangles made here, once, when the
 * mesh is made. Everything exact that is said of the polygon is said of these.
 *
 * Guarantees, for n vertices in an outer boundary and h holes:
 * - Triangles of the caller's vertex indices, oriented as the outer boundary: n + 2 h - 2 where no loops touch, and
 *   never more than three for a vertex and two for a vertex inside an edge. Every edge of a loop is an edge of one
 *   triangle, every other edge of two, once in each direction (loop edges that cancel each other, as those of a slit,
 *   may be left out). A closed mesh of polygons becomes a closed mesh of triangles. (Holes with the orientation of the
 *   outer boundary are reversed.)
 * - In projection along the axis nearest to the normal, the triangles of a simple polygon (loops do not cross or touch;
 *   collinear vertices are allowed) are all oriented as the boundary, have area, and cover it without overlap.
 * - This also holds where loops touch themselves or each other, at vertices, inside edges or along them, and where
 *   vertices are repeated; but there some triangles may have no area.
 * - For anything else (loops that cross; some configurations of loops that touch along edges with vertices of their
 *   own) the edges still match, but triangles may overlap or be inverted.
 */
#ifndef TACT_SHAPE_TRIANGULATE_H
#define TACT_SHAPE_TRIANGULATE_H

#include <stdbool.h>
#include <tact/status.h>
#include <tact/vec.h>

#include "core/array.h"

ARRAY_OF(vertex_index_array, uint32_t);

/* Appends the triangles, three vertex indices each. `indices` are vertex indices, loop after loop, loop_sizes[i] of
 * them for loop i. TACT_BAD_ARGUMENT: a coordinate is not finite, or there are more than 2^31 vertices. On failure
 * nothing has changed. Temporary memory: 180 bytes a vertex, up to 350 where loops touch. Time: in practice n log n,
 * some 3 us a vertex, up to 50 us with a hole for every four vertices. Worst case: n^2 for a simple polygon without
 * holes; a hole adds n, or n^2 if few vertices are visible from it; n^3 where loops touch or cross. */
tact_status tact_polygon_triangulate(const tact_vec3 *vertices, const uint32_t *indices, const uint32_t *loop_sizes,
                                     size_t loop_count, const tact_allocator *allocator, vertex_index_array *triangles);

/* The same, with a spatial index from `index_min` vertices on. For tests; the function above chooses well. */
tact_status tact_polygon_triangulate_indexed(const tact_vec3 *vertices, const uint32_t *indices,
                                             const uint32_t *loop_sizes, size_t loop_count, size_t index_min,
                                             const tact_allocator *allocator, vertex_index_array *triangles);

/* The normal of a polygon by Newell's method (the sum of the cross products of its fan from the first vertex), of
 * length 1, or zero where that sum vanishes. In doubles: it only selects the projection. */
tact_vec3 tact_polygon_normal(const tact_vec3 *vertices, const uint32_t *indices, size_t count);

#endif
