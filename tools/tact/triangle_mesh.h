/* Triangle meshes read from files: checks, and arrays for the search for contacts (tact ccd, tact play). */
#ifndef TACT_TOOL_TRIANGLE_MESH_H
#define TACT_TOOL_TRIANGLE_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/vec.h>

#include "mesh_file.h"

/* The vertices as vectors. */
const tact_vec3 *tact_triangle_mesh_vertices(const mesh_file *mesh);

/* The faces, if all of them are triangles. */
const uint32_t (*tact_triangle_mesh_faces(const mesh_file *mesh))[3];

/* Checks that all faces are triangles. On failure writes "PATH: face F has N vertices: COMMAND accepts only triangles"
 * to `error`. */
bool tact_triangle_mesh_check(const mesh_file *mesh, const char *path, const char *command, char *error, size_t size);

/* Checks that two triangle meshes have the same number of vertices and the same faces in the same order. On failure
 * writes one line to `error` that starts with the path of `b`. */
bool tact_triangle_mesh_match(const mesh_file *a, const char *path_a, const mesh_file *b, const char *path_b,
                              char *error, size_t size);

/* Collects the vertices that no face uses; the caller frees *points. False if memory runs out. */
bool tact_triangle_mesh_points(const mesh_file *mesh, uint32_t **points, size_t *count);

/* "vertex" or "vertices". */
const char *tact_vertices_word(size_t count);

#endif
