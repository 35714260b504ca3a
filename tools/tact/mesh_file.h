/*
 * Reads mesh files, with the coordinates and the order of the file.
 *
 *     mesh_file mesh;
 *     char error[MESH_FILE_ERROR];
 *     if (!tact_mesh_file_read("cube.ply", &mesh, error, sizeof error))
 *         return fail(error);                      one line: "cube.ply:7: a number was expected, not "abc""
 *     for (size_t f = 0; f < mesh.face_count; f++)
 *         for (uint32_t i = mesh.face_start[f]; i < mesh.face_start[f + 1]; i++)
 *             ... &mesh.vertices[3 * mesh.indices[i]] ...
 *     tact_mesh_file_release(&mesh);
 *
 * PLY, OBJ and STL have readers of our own. They keep the vertex and face indices of the file and every bit of a
 * double, round text correctly to double (whatever type a PLY header declares), and drop, merge or reorient nothing.
 * STL has no vertex indices, so its vertices are merged by position, in the order of first appearance. All other
 * formats are read by Assimp, if the tool was built with it. Assimp stores floats and may reorder; its vertices are
 * merged by position within each node.
 *
 * A damaged file gives an error. Damage that cannot be detected gives a valid mesh. Degenerate faces (repeated
 * vertices, zero area) and unreferenced vertices are not errors.
 */
#ifndef TACT_TOOL_MESH_FILE_H
#define TACT_TOOL_MESH_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/allocator.h>

typedef struct mesh_file {
    double *vertices;     /* x y z of each vertex, all finite; NULL if there are none */
    size_t vertex_count;  /* at most UINT32_MAX */
    uint32_t *indices;    /* the vertices of the faces, face by face, each less than vertex_count */
    size_t index_count;   /* at most UINT32_MAX */
    uint32_t *face_start; /* face f has the indices face_start[f] to face_start[f + 1] - 1, at least three */
    size_t face_count;    /* face_start has one entry more and is not NULL after success */
    size_t skipped_count; /* elements that are not polygons: points, lines, curves, surfaces */
    const char *format;   /* for people, such as "PLY, binary, little endian"; a constant string */
    tact_allocator allocator;
} mesh_file;

/* Bytes of an error message; a very long path is truncated. */
#define MESH_FILE_ERROR 512

/* Reads a mesh. The content of the file decides the format, otherwise the extension. On failure returns false with an
 * empty mesh, which need not be released, and one line in `error` (`error_size` bytes, without newline, truncated if
 * necessary). The line is "path:line: reason", or "path: byte offset: reason" for a binary file. */
bool tact_mesh_file_read(const char *path, mesh_file *mesh, char *error, size_t error_size);

/* The same with memory from `allocator`. Assimp itself does not use it. */
bool tact_mesh_file_read_with(const char *path, const tact_allocator *allocator, mesh_file *mesh, char *error,
                              size_t error_size);

/* Frees the memory and leaves an empty mesh. The mesh may be empty or zero-initialised. */
void tact_mesh_file_release(mesh_file *mesh);

#endif
