/*
 * The surface of a shape as vertices and triangles, edges and points, for shapes that continuous collision detection
 * tests by their features: meshes, heightfields, boxes, points to tetrahedra, polygons, hulls, soups, all these
 * transformed, and compounds.
 *
 * The vertices of a compound are those of its leaves one after the other; a shared leaf has its own for each use.
 * Leaves that are curved, or have a margin, have no features.
 */
#ifndef TACT_SHAPE_FEATURE_MESH_H
#define TACT_SHAPE_FEATURE_MESH_H

#include "core/array.h"
#include "shape/compound.h"
#include "shape/hull.h"
#include "shape/mesh.h"

/* The vertices of a triangle of a surface. */
typedef struct feature_triangle {
    uint32_t vertices[3];
} feature_triangle;

ARRAY_OF(feature_triangle_array, feature_triangle);
/* The ends of an edge. */
typedef struct feature_edge {
    uint32_t vertices[2];
} feature_edge;

ARRAY_OF(feature_edge_array, feature_edge);
ARRAY_OF(feature_id_array, uint32_t);

/* The number of vertices of a shape, if it is tested by its features; otherwise 0. O(1). */
uint32_t tact_feature_mesh_vertex_count(const tact_shape *shape);

/* The same of a part of a compound; 0 also if its features are not its surface. */
static inline uint32_t feature_mesh_part_vertex_count(const tact_shape *part)
{
    return part->margin > 0.0 || part->surface_error > 0.0 ? 0 : tact_feature_mesh_vertex_count(part);
}

/* Writes all `count` vertices under a transform; from one to the next are `stride` bytes. Each is the triple of doubles
 * that the predicates refer to (mesh_triangle), those of a leaf of a compound under the composed transform. Numbered as
 * by tact_shape_get_points, those of a box as in tact_intersection, those of a soup as in its def. */
void tact_feature_mesh_place(const tact_shape *shape, const tact_transform *transform, uint32_t count,
                             tact_vec3 *positions, size_t stride);

/* Appends the triangles of a shape, with `first` added to their vertices, and for each its face within the leaf: the
 * facet (as in tact_intersection), or the convex part of a soup. False: out of memory. */
bool tact_feature_mesh_triangles(const tact_shape *shape, uint32_t first, feature_triangle_array *triangles,
                                 feature_id_array *ids, const tact_allocator *allocator);

/* Appends what has no triangles, in the same way: edges, and points that are in no edge. False: out of memory. */
bool tact_feature_mesh_edges_and_points(const tact_shape *shape, uint32_t first, feature_edge_array *edges,
                                        feature_id_array *points, const tact_allocator *allocator);

/* A leaf of a compound, or a shape that is none. */
typedef struct feature_leaf {
    const tact_shape *shape;
    uint32_t leaf;              /* as in tact_part */
    uint32_t first_vertex, end; /* its vertices within the whole shape */
} feature_leaf;

/* The leaf that has a vertex. O(log parts) at each level of nesting. */
feature_leaf tact_feature_mesh_leaf(const tact_shape *shape, uint32_t vertex);

#endif
