/* A mesh while a reader builds it: arrays that grow, and the limits that keep every number in 32 bits. */
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
    mesh_number_array numbers; /* x y z of each vertex */
    mesh_index_array corners;
    mesh_index_array firsts; /* one for each face that is complete, and the first 0 */
    size_t part_count;
    size_t skipped_count;
    const char *format;
} mesh_build;

/* All of these return false with a complaint made. */

bool tact_mesh_build_begin(mesh_build *build, const mesh_source *source, const char *format);

/* Makes room for so many vertices, or faces with so many corners in all, more than there are. The reader has seen that
 * the file is long enough to hold them. */
bool tact_mesh_build_expect_vertices(mesh_build *build, size_t count);
bool tact_mesh_build_expect_faces(mesh_build *build, size_t faces, size_t corners);

/* Slow parts of the functions below. */
bool tact_mesh_build_vertex_grow(mesh_build *build);
bool tact_mesh_build_corner_grow(mesh_build *build);
bool tact_mesh_build_face_grow(mesh_build *build);

static inline size_t mesh_build_vertex_count(const mesh_build *build) { return build->numbers.count / 3; }

/* Adds a vertex; the numbers are finite. */
static inline bool mesh_build_vertex(mesh_build *build, const double xyz[3])
{
    mesh_number_array *numbers = &build->numbers;
    if (numbers->capacity - numbers->count < 3 && !tact_mesh_build_vertex_grow(build))
        return false;
    double *to = numbers->items + numbers->count;
    to[0] = xyz[0];
    to[1] = xyz[1];
    to[2] = xyz[2];
    numbers->count += 3;
    return true;
}

/* Adds a corner to the face that is being made. Whether the vertex exists is for the reader to check. */
static inline bool mesh_build_corner(mesh_build *build, uint32_t vertex)
{
    if (build->corners.count == build->corners.capacity && !tact_mesh_build_corner_grow(build))
        return false;
    build->corners.items[build->corners.count++] = vertex;
    return true;
}

/* How many corners the face that is being made has so far. */
static inline size_t mesh_build_corners_so_far(const mesh_build *build)
{
    return build->corners.count - build->firsts.items[build->firsts.count - 1];
}

/* Ends the face that is being made; what begins at `at` in the file is complained about when it has too few corners. */
static inline bool mesh_build_face(mesh_build *build, const char *at)
{
    if (mesh_build_corners_so_far(build) < 3)
        return tact_mesh_source_fail(build->source, at, "a face needs at least 3 corners, not %zu",
                                     mesh_build_corners_so_far(build));
    if (build->firsts.count == build->firsts.capacity && !tact_mesh_build_face_grow(build))
        return false;
    build->firsts.items[build->firsts.count++] = (uint32_t)build->corners.count;
    return true;
}

/* Hands the mesh over, in blocks of just the right size, and releases the build. */
bool tact_mesh_build_finish(mesh_build *build, mesh_file *mesh);

void tact_mesh_build_release(mesh_build *build);

#endif
