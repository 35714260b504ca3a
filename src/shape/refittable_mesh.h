/*
 * Twins: meshes and soups whose vertices change.
 *
 * A twin of a shape has its faces but vertices of its own, and what depends on these: tree, reach, hulls of pieces. The
 * shape stays as it is, and lives as long as its twins. Nobody but the owner of a twin ever sees it, so to everybody
 * else shapes are what never changes. After a change of vertices a twin answers every question as a shape made of them
 * would (its polygons cut up as those of the original are).
 *
 *     vertex_adjacency links;                                   which elements a vertex is part of: one for all twins
 * of a shape tact_shape *twin = tact_refittable_mesh_create(shape, allocator); twin->mesh->vertices[i] = ... for i of
 * some ranges tact_refittable_mesh_refit(twin, &links, ranges, count, boxes);
 */
#ifndef TACT_SHAPE_REFITTABLE_MESH_H
#define TACT_SHAPE_REFITTABLE_MESH_H

#include "shape/mesh.h"

/* Vertices `first` to `end` - 1. */
typedef struct vertex_range {
    uint32_t first, end;
} vertex_range;

/* Elements elements[start[i]] to elements[start[i + 1] - 1] are those that vertex i is a corner of; one that it is
 * twice a corner of may be there twice. */
typedef struct vertex_adjacency {
    uint32_t *first_element;
    uint32_t *elements;
    bool *marks; /* of a soup: one for each piece, all false between calls; else NULL */
    uint32_t vertex_count, index_count, mark_count;
    struct mesh_edit
        *edit; /* of a mesh whose faces change (shape/mesh_edit.h): instead of all above, which is then NULL and 0 */
} vertex_adjacency;

/* False if there is no memory. */
bool tact_vertex_adjacency_make(vertex_adjacency *links, const mesh *m, const tact_allocator *allocator);

void tact_vertex_adjacency_release(vertex_adjacency *links, const tact_allocator *allocator);

/* A twin of a mesh or soup, or of a twin; NULL if there is no memory. Cost: O(n), a fifth of making the shape. */
tact_shape *tact_refittable_mesh_create(const tact_shape *shape, const tact_allocator *allocator);

/* Makes a twin the same as a mesh or soup (or twin) with the same faces, in all that depends on vertices.
 * TACT_BAD_ARGUMENT if the faces differ, TACT_OUT_OF_MEMORY: nothing has changed. */
tact_status tact_refittable_mesh_assign(tact_shape *twin, const tact_shape *like, uint64_t refitted);

/* The vertices in these ranges have changed; hulls of pieces are the caller's business. `boxes` has room for those of
 * all elements. Takes memory only to build the tree anew when refitting has worn it. False if there was none: the old
 * tree is still right, but the order in which it gives things is not that of the new one. Cost: some 50 ns for each
 * triangle touched; for many of them, 8 for each of all. Of soups, pieces of 3 to 8 corners: 60 to 100, and 27 to 41.
 */
bool tact_refittable_mesh_refit(tact_shape *twin, vertex_adjacency *links, const vertex_range *ranges, size_t count,
                                box *boxes);

/* So many elements have been refitted: looks the tree over for wear if it is time, as tact_refittable_mesh_refit does.
 */
bool tact_refittable_mesh_maintain(tact_shape *twin, size_t touched, box *boxes);

#endif
