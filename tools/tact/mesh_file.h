/*
 * Meshes from files, with the numbers and in the order that the file has.
 *
 *     mesh_file mesh;
 *     char error[MESH_FILE_ERROR];
 *     if (!tact_mesh_file_read("cube.ply", &mesh, error, sizeof error))
 *         return fail(error);                      one line: "cube.ply:7: a number was expected, not "abc""
 *     for (size_t f = 0; f < mesh.face_count; f++)
 *         for (uint32_t c = mesh.face_first[f]; c < mesh.face_first[f + 1]; c++)
 *             ... &mesh.vertices[3 * mesh.corners[c]] ...
 *     tact_mesh_file_release(&mesh);
 *
 * PLY, OBJ and STL are read by readers of our own: vertices and faces are numbered as in the file, doubles keep every
 * bit, text is rounded correctly to double (whatever type a PLY header names), and nothing is left out, joined or
 * turned around, but that an STL file, which has no vertices of its own, gets one for each different position, in the
 * order of first appearance. All other formats are read by Assimp, if the tool was built with it: it stores floats, and
 * may have changed the order; its vertices are joined where equal inside each node.
 *
 * What is wrong is refused: a damaged file gives an error or, where the damage cannot be told from content, a mesh that
 * is valid all the same. Degenerate faces (repeated corners, no area) and unused vertices are content, not damage.
 */
#ifndef TACT_TOOL_MESH_FILE_H
#define TACT_TOOL_MESH_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/allocator.h>

typedef struct mesh_file {
    double *vertices;     /* x y z of each vertex, all finite; NULL when there are none */
    size_t vertex_count;  /* at most UINT32_MAX */
    uint32_t *corners;    /* the vertices of the faces, one face after the other, each less than vertex_count */
    size_t corner_count;  /* at most UINT32_MAX */
    uint32_t *face_first; /* face f has corners face_first[f] to face_first[f + 1] - 1, three at least */
    size_t face_count;    /* face_first has one entry more; never NULL after a reading that went well */
    size_t
        part_count; /* pieces that the file tells apart and that hold faces: runs of faces between the lines `o` and
                          `g` of an OBJ, solids of an STL, nodes' meshes of the other formats; a PLY with faces has 1 */
    size_t skipped_count; /* elements left out because they are no polygons: points, lines, curves, surfaces */
    const char *format;   /* for people, such as "PLY, binary, little endian"; a constant */
    tact_allocator allocator;
} mesh_file;

/* Room that holds any error whose path is not uncommonly long. */
#define MESH_FILE_ERROR 512

/* Reads a mesh; the format is told by what the file holds and, failing that, by the end of its name. Returns false with
 * one line in `error` (`room` bytes; without newline; cut if need be) and an empty mesh that need not be released. The
 * line begins with the path, then ":" and the number of a line, or ": byte " and an offset where the file is binary. */
bool tact_mesh_file_read(const char *path, mesh_file *mesh, char *error, size_t room);

/* The same with memory from `allocator` (which Assimp, for its part, does not use). */
bool tact_mesh_file_read_with(const char *path, const tact_allocator *allocator, mesh_file *mesh, char *error,
                              size_t room);

/* Gives the memory back and leaves an empty mesh. An empty or zero-initialised one is allowed. */
void tact_mesh_file_release(mesh_file *mesh);

#endif
