/*
 * Twins (shape/refittable_mesh.h) whose faces change: triangles come, go, and get other corners; vertices come.
 *
 * A torn twin has arrays of its own, with room to spare. Faces keep their numbers for good, but elements stay without
 * gaps, so that all that looks at a mesh need not know: when one goes, the last one gets its number, and `face_of`
 * tells which face an element is.
 *
 *     tear *t = tact_mesh_edit_create(twin->mesh, allocator);             where everything is: one for all twins of a
 * shape if (tact_mesh_edit_reserve(twin, t, vertices, faces, elements))     all that takes memory
 *         tact_mesh_edit_set_faces(twin, t, faces, corners, count);          cannot fail
 *
 * What then remains: tact_refittable_mesh_maintain (the tree may be worn), and the world, which has to know.
 */
#ifndef TACT_SHAPE_MESH_EDIT_H
#define TACT_SHAPE_MESH_EDIT_H

#include "shape/mesh.h"

#define MESH_EDIT_NONE UINT32_MAX

/* Where the faces of a mesh are, and which corners a vertex is: of the twin that has the faces of now. */
typedef struct mesh_edit {
    uint32_t *element_of; /* of each face; MESH_EDIT_NONE: it is not there */
    uint8_t *marks;       /* of each face: 0 between calls */
    uint32_t
        *first_corner; /* of each vertex: one of the corners (3 element + k) that it is; MESH_EDIT_NONE: it is none */
    uint32_t *union_find_scratch; /* twice as many: scratch */
    uint32_t *next_corner;        /* of each corner: the next one that is the same vertex */
    uint32_t face_capacity, vertex_capacity, element_capacity;
    uint64_t version; /* another one whenever faces or vertices are others */
} mesh_edit;

/* For a mesh of triangles that are its faces; NULL if there is no memory. O(n). */
mesh_edit *tact_mesh_edit_create(const mesh *now, const tact_allocator *allocator);

/* NULL is allowed. */
void tact_mesh_edit_free(mesh_edit *t, const tact_allocator *allocator);

/* Room for so many in all, in the twin and in `t`, and in the twin's tree for `elements` beside the nodes of `now` (a
 * mesh that will be copied to the twin, or the twin's own). The twin then has arrays of its own; nothing else changes.
 * False if there is no memory. */
bool tact_mesh_edit_reserve(tact_shape *twin, mesh_edit *t, const mesh *now, uint32_t vertices, uint32_t faces,
                            uint32_t elements);

/* Room for what another has. */
bool tact_mesh_edit_grow(tact_shape *twin, const mesh *from);

/* Makes a twin the same as another, or as a mesh that was one, in all but the margin. False, and nothing has changed,
 * if there is no memory for the room that it needs. O(n), some 10 ns a triangle. */
bool tact_mesh_edit_copy(tact_shape *twin, const mesh *from);

/* Face faces[i] has now corners[i], or is not there any more (MESH_EDIT_NONE as the first): one after another; numbers
 * that were not there are next to each other. All is in range, and there is room. O(1) each, but for what the tree
 * takes and, once in a while, a search for connected parts: on average some microseconds. */
void tact_mesh_edit_set_faces(tact_shape *twin, mesh_edit *t, const uint32_t *faces, const uint32_t (*corners)[3],
                              size_t count);

/* Vertices come after the last, which no face has. There is room. */
void tact_mesh_edit_add_vertices(tact_shape *twin, mesh_edit *t, const tact_vec3 *places, uint32_t count);

/* Do they have the same faces, with the same numbers, elements in the same order, and as many vertices? */
bool tact_mesh_edit_same_faces(const mesh *a, const mesh *b);

/* Frees the arrays of a mesh with rooms; they are then NULL and the counts of those that would be freed otherwise too.
 */
void tact_mesh_edit_free_arrays(mesh *m, const tact_allocator *allocator);

#endif
