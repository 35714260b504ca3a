/*
 * Remeshing of refittable meshes (shape/refittable_mesh.h): triangles are added, removed and get other vertices;
 * vertices are added.
 *
 * An edited mesh owns arrays with spare capacity. Faces keep their numbers for good. Elements have no gaps: when one is
 * removed, the last one gets its number, and `face_of` maps elements to faces. So users of a mesh need not know about
 * edits.
 *
 *     mesh_edit *edit = tact_mesh_edit_create(copy->mesh, allocator);            one for all copies of a shape
 *     if (tact_mesh_edit_reserve(copy, edit, mesh, vertices, faces, elements))   all allocations
 *         tact_mesh_edit_set_faces(copy, edit, faces, indices, count);           cannot fail
 *
 * Afterwards the caller calls tact_refittable_mesh_maintain (the tree may be degraded) and notifies the world.
 */
#ifndef TACT_SHAPE_MESH_EDIT_H
#define TACT_SHAPE_MESH_EDIT_H

#include "shape/mesh.h"

#define MESH_EDIT_NONE UINT32_MAX

/* Inverse maps of an edited mesh: from faces to elements and from vertices to corners. A corner is 3 element + k, as in
 * a corner table (Rossignac 2001). It belongs to the copy with the current faces. */
typedef struct mesh_edit {
    uint32_t *element_of;         /* of each face; MESH_EDIT_NONE: the face does not exist */
    uint8_t *marks;               /* of each face: 0 between calls */
    uint32_t *first_corner;       /* of each vertex: the first of its corners; MESH_EDIT_NONE: it has none */
    uint32_t *union_find_scratch; /* two arrays of vertex_capacity */
    uint32_t *next_corner;        /* of each corner: the next one of the same vertex */
    uint32_t face_capacity, vertex_capacity, element_capacity;
    uint64_t version; /* incremented whenever faces or vertices change */
} mesh_edit;

/* For a mesh whose faces are triangles. NULL if memory is out. O(n). */
mesh_edit *tact_mesh_edit_create(const mesh *current, const tact_allocator *allocator);

/* NULL is allowed. */
void tact_mesh_edit_free(mesh_edit *edit, const tact_allocator *allocator);

/* Reserves capacity in the copy and in `edit` for so many in all, and in the tree of the copy for `elements` beside the
 * nodes of `current` (a mesh that will be assigned to the copy, or its own). The copy then owns its arrays; nothing
 * else changes. False if memory is out. */
bool tact_mesh_edit_reserve(tact_shape *copy, mesh_edit *edit, const mesh *current, uint32_t vertices, uint32_t faces,
                            uint32_t elements);

/* Reserves capacity for all that another mesh has. */
bool tact_mesh_edit_grow(tact_shape *copy, const mesh *from);

/* Assigns another mesh to a copy, except for the margin. False, and nothing has changed, if memory is out. O(n), some
 * 10 ns a triangle. */
bool tact_mesh_edit_copy(tact_shape *copy, const mesh *from);

/* Gives face faces[i] the vertices indices[i], or removes it (MESH_EDIT_NONE as the first), one after another. New face
 * numbers are consecutive. All numbers are in range, and capacity is reserved. O(1) each plus the update of the tree
 * and, once in a while, a search for connected components: on average some microseconds. */
void tact_mesh_edit_set_faces(tact_shape *copy, mesh_edit *edit, const uint32_t *faces, const uint32_t (*indices)[3],
                              size_t count);

/* Appends vertices that no face has yet. Capacity is reserved. */
void tact_mesh_edit_add_vertices(tact_shape *copy, mesh_edit *edit, const tact_vec3 *positions, uint32_t count);

/* Do they have the same faces with the same numbers, elements in the same order, and as many vertices? */
bool tact_mesh_edit_same_faces(const mesh *a, const mesh *b);

/* Frees the arrays of a mesh that owns them with spare capacity, and sets them to NULL. */
void tact_mesh_edit_free_arrays(mesh *m, const tact_allocator *allocator);

#endif
