/*
 * The inside of a mesh: vertices in doubles, triangles as three vertex numbers, and where each triangle came from.
 *
 * All arrays are as given by the maker: vertices and faces keep their numbers and order. A face that is not a triangle is cut up once
 * (shape/triangulate.h); its triangles follow each other.
 */
#ifndef TACT_SHAPE_MESH_H
#define TACT_SHAPE_MESH_H

#include <tact/mesh.h>

/* Vertices and triangles: three corners each, and numbers of edges of as many, fit 32 bits. */
#define MESH_MOST 0x40000000u

typedef struct mesh {
    uint32_t vertex_count, triangle_count, face_count;
    tact_vec3 *vertices;
    uint32_t *corners; /* three a triangle */
    uint32_t *face_of; /* of each triangle, the face that it is part of; NULL when they are numbered alike */
    double reach;      /* no vertex is farther than this from the origin */
} mesh;

/* Reads vertex i of the caller's array. */
tact_vec3 tact_vertices_get(const tact_vertices *vertices, size_t i);

/* Makes a mesh from a def. On failure returns NULL and says why in `report` (may be NULL). */
mesh *tact_mesh_make(const tact_mesh_def *def, tact_report *report);

void tact_mesh_release(mesh *m, const tact_allocator *allocator);

static inline uint32_t mesh_face(const mesh *m, uint32_t triangle)
{
    return m->face_of != NULL ? m->face_of[triangle] : triangle;
}

#endif
