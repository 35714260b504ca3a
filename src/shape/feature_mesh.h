/*
 * The surface of a shape as vertices and triangles, for shapes that continuous collision detection tests by their
 * features: meshes, boxes, triangles, tetrahedra, polygons and hulls.
 */
#ifndef TACT_SHAPE_FEATURE_MESH_H
#define TACT_SHAPE_FEATURE_MESH_H

#include "core/array.h"
#include "shape/hull.h"
#include "shape/mesh.h"

/* The vertices of a triangle of a surface. */
typedef struct feature_triangle {
    uint32_t vertices[3];
} feature_triangle;

ARRAY_OF(feature_triangle_array, feature_triangle);
ARRAY_OF(feature_id_array, uint32_t);

/* The number of vertices of a shape, if it is tested by its features; otherwise 0. */
uint32_t tact_feature_mesh_vertex_count(const tact_shape *shape);

/* Vertex i, in local coordinates. Numbered as by tact_shape_get_points, those of a box as in tact_intersection. */
tact_vec3 tact_feature_mesh_vertex(const tact_shape *shape, uint32_t i);

/* Appends the triangles of a shape, with `first` added to their vertices, and for each the number of its facet (as in
 * tact_intersection). False: out of memory. */
bool tact_feature_mesh_triangles(const tact_shape *shape, uint32_t first, feature_triangle_array *triangles,
                                 feature_id_array *ids, const tact_allocator *allocator);

#endif
