#include "triangle_mesh.h"

#include <stdio.h>
#include <stdlib.h>

const char *tact_vertices_word(size_t count) { return count == 1 ? "vertex" : "vertices"; }

const tact_vec3 *tact_triangle_mesh_vertices(const mesh_file *mesh)
{
    _Static_assert(sizeof(tact_vec3) == 3 * sizeof(double), "tact_vec3 must be three contiguous doubles");
    return (const tact_vec3 *)(const void *)mesh->vertices;
}

const uint32_t (*tact_triangle_mesh_faces(const mesh_file *mesh))[3]
{
    return (const uint32_t(*)[3])(const void *)mesh->indices;
}

bool tact_triangle_mesh_check(const mesh_file *mesh, const char *path, const char *command, char *error, size_t size)
{
    for (size_t f = 0; f < mesh->face_count; f++) {
        const uint32_t vertices = mesh->face_start[f + 1] - mesh->face_start[f];
        if (vertices != 3) {
            (void)snprintf(error, size, "%s: face %zu has %lu vertices: %s accepts only triangles", path, f,
                           (unsigned long)vertices, command);
            return false;
        }
    }
    return true;
}

bool tact_triangle_mesh_match(const mesh_file *a, const char *path_a, const mesh_file *b, const char *path_b,
                              char *error, size_t size)
{
    if (a->vertex_count != b->vertex_count || a->face_count != b->face_count) {
        (void)snprintf(error, size,
                       "%s: %zu %s and %zu %s, but %s has %zu and %zu: the frames are not of the same mesh", path_b,
                       b->vertex_count, tact_vertices_word(b->vertex_count), b->face_count,
                       b->face_count == 1 ? "face" : "faces", path_a, a->vertex_count, a->face_count);
        return false;
    }
    for (size_t f = 0; f < a->face_count; f++) {
        bool same = a->face_start[f + 1] == b->face_start[f + 1];
        for (uint32_t i = a->face_start[f]; same && i < a->face_start[f + 1]; i++)
            same = a->indices[i] == b->indices[i];
        if (!same) {
            (void)snprintf(
                error, size,
                "%s: face %zu differs from that of %s: both frames must have the same faces in the same order", path_b,
                f, path_a);
            return false;
        }
    }
    return true;
}

bool tact_triangle_mesh_points(const mesh_file *mesh, uint32_t **points, size_t *count)
{
    *count = 0;
    *points = NULL;
    bool *used = calloc(mesh->vertex_count + 1, sizeof *used);
    if (!used)
        return false;
    for (size_t i = 0; i < mesh->index_count; i++)
        used[mesh->indices[i]] = true;
    for (size_t v = 0; v < mesh->vertex_count; v++)
        *count += !used[v];
    *points = malloc((*count + 1) * sizeof **points);
    for (size_t v = 0, i = 0; *points && v < mesh->vertex_count; v++)
        if (!used[v])
            (*points)[i++] = (uint32_t)v;
    free(used);
    return *points != NULL;
}
