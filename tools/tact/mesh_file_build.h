/* A mesh under construction by a reader: growing arrays, limited to 32-bit indices. */
#ifndef TACT_TOOL_MESH_FILE_BUILD_H
#define TACT_TOOL_MESH_FILE_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/array.h"
#include "mesh_file.h"
#include "mesh_file_source.h"

ARRAY_OF(mesh_number_array, double);
ARRAY_OF(mesh_index_array, uint32_t);

typedef struct mesh_build {
    const mesh_source *source;
    mesh_number_array coordinates; /* x y z of each vertex */
    mesh_index_array indices;
    mesh_index_array face_starts; /* a 0, then the end of each complete face in `indices` */
    size_t skipped_count;
    const char *format;
} mesh_build;

/* All functions return false after writing the error message of the source. */

bool tact_mesh_build_begin(mesh_build *build, const mesh_source *source, const char *format);

/* Reserve memory for more vertices, or for more faces with this number of indices in total. The reader has checked that
 * the file is large enough to contain them. */
bool tact_mesh_build_expect_vertices(mesh_build *build, size_t count);
bool tact_mesh_build_expect_faces(mesh_build *build, size_t faces, size_t indices);

/* The slow paths of the functions below. */
bool tact_mesh_build_vertex_grow(mesh_build *build);
bool tact_mesh_build_index_grow(mesh_build *build);
bool tact_mesh_build_face_grow(mesh_build *build);

static inline size_t mesh_build_vertex_count(const mesh_build *build) { return build->coordinates.count / 3; }

/* Adds a vertex with finite coordinates. */
static inline bool mesh_build_vertex(mesh_build *build, const double xyz[3])
{
    mesh_number_array *coordinates = &build->coordinates;
    if (coordinates->capacity - coordinates->count < 3 && !tact_mesh_build_vertex_grow(build))
        return false;
    double *to = coordinates->items + coordinates->count;
    to[0] = xyz[0];
    to[1] = xyz[1];
    to[2] = xyz[2];
    coordinates->count += 3;
    return true;
}

/* Adds a vertex index to the current face. The reader checks that the vertex exists. */
static inline bool mesh_build_index(mesh_build *build, uint32_t vertex)
{
    if (build->indices.count == build->indices.capacity && !tact_mesh_build_index_grow(build))
        return false;
    build->indices.items[build->indices.count++] = vertex;
    return true;
}

/* The number of vertices of the current face. */
static inline size_t mesh_build_face_size(const mesh_build *build)
{
    return build->indices.count - build->face_starts.items[build->face_starts.count - 1];
}

/* Completes the current face; an error for fewer than 3 vertices has the position `at`. */
static inline bool mesh_build_face(mesh_build *build, const char *at)
{
    if (mesh_build_face_size(build) < 3)
        return tact_mesh_source_fail(build->source, at, "a face needs at least 3 vertices, not %zu",
                                     mesh_build_face_size(build));
    if (build->face_starts.count == build->face_starts.capacity && !tact_mesh_build_face_grow(build))
        return false;
    build->face_starts.items[build->face_starts.count++] = (uint32_t)build->indices.count;
    return true;
}

/* Moves the mesh into `mesh`, in blocks without spare capacity, and empties the build. */
bool tact_mesh_build_finish(mesh_build *build, mesh_file *mesh);

void tact_mesh_build_release(mesh_build *build);

#endif
