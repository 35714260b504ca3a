/*
 * Refittable copies: meshes and soups whose vertices change.
 *
 * A refittable copy of a shape shares its faces but has vertices of its own, and what depends on them: tree, bounding
 * radius, hulls of soup parts. The original stays unchanged, and lives as long as its copies. Only the owner of a copy
 * accesses it; all other code sees immutable shapes. After its vertices have changed, a copy answers every query as
 * a shape made of them would (with its polygons triangulated as in the original).
 *
 *     vertex_adjacency adjacency;                                   one for all copies of a shape
 *     tact_shape *copy = tact_refittable_mesh_create(shape, allocator);
 *     copy->mesh->vertices[i] = ...                                 for i in some ranges
 *     tact_refittable_mesh_refit(copy, &adjacency, ranges, count, boxes);
 */
#ifndef TACT_SHAPE_REFITTABLE_MESH_H
#define TACT_SHAPE_REFITTABLE_MESH_H

#include "shape/mesh.h"

/* The vertices `first` to `end` - 1. */
typedef struct vertex_range {
    uint32_t first, end;
} vertex_range;

/* The elements around each vertex: elements[first_element[i]] to elements[first_element[i + 1] - 1] are those of vertex
 * i. An element that uses it twice may be listed twice. */
typedef struct vertex_adjacency {
    uint32_t *first_element;
    uint32_t *elements;
    bool *marks; /* soup: one for each part, all false between calls; otherwise NULL */
    uint32_t vertex_count, index_count, mark_count;
    /* of an edited mesh (shape/mesh_edit.h): used instead of all above, which is then NULL and 0 */
    struct mesh_edit *edit;
} vertex_adjacency;

/* False if memory is out. */
bool tact_vertex_adjacency_make(vertex_adjacency *adjacency, const mesh *m, const tact_allocator *allocator);

void tact_vertex_adjacency_release(vertex_adjacency *adjacency, const tact_allocator *allocator);

/* A refittable copy of a mesh or soup, or of another copy; NULL if memory is out. Cost: O(n), a fifth of making the
 * shape. */
tact_shape *tact_refittable_mesh_create(const tact_shape *shape, const tact_allocator *allocator);

/* Assigns the vertices of a mesh or soup with the same faces, and all that depends on them, to a copy.
 * TACT_BAD_ARGUMENT if the faces differ, TACT_OUT_OF_MEMORY: nothing has changed. */
tact_status tact_refittable_mesh_assign(tact_shape *copy, const tact_shape *source, uint64_t refit_count);

/* Refits a copy after the vertices in these ranges have changed; hulls of soup parts are the caller's business. `boxes`
 * has capacity for all elements. Allocates only to rebuild a degraded tree. False if that failed: the old tree is still
 * valid, but its order of results differs from that of a new one. Cost: some 50 ns for each triangle touched, or 8 ns
 * for each of all if there are many; parts of soups with 3 to 8 vertices 60 to 100 ns, and 27 to 41. */
bool tact_refittable_mesh_refit(tact_shape *copy, vertex_adjacency *adjacency, const vertex_range *ranges, size_t count,
                                box *boxes);

/* Counts elements that have been refitted and, when it is time, rebuilds a degraded tree as tact_refittable_mesh_refit
 * does. */
bool tact_refittable_mesh_maintain(tact_shape *copy, size_t touched, box *boxes);

#endif
