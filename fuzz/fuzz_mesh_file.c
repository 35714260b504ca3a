/*
 * Mesh files: PLY, OBJ and STL, told apart by their content. A file that is refused has an error message; one that is
 * accepted has finite vertices and indices in range, and becomes a mesh.
 */
#define _GNU_SOURCE

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <tact/mesh.h>
#include <unistd.h>

#include "mesh_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void use(const mesh_file *mesh)
{
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++)
        require(isfinite(mesh->vertices[i]));
    for (size_t i = 0; i < mesh->index_count; i++)
        require(mesh->indices[i] < mesh->vertex_count);
    uint32_t *sizes = calloc(mesh->face_count + 1, sizeof *sizes);
    require(sizes != NULL);
    for (size_t f = 0; f < mesh->face_count; f++) {
        require(mesh->face_start[f + 1] >= mesh->face_start[f] + 3);
        sizes[f] = mesh->face_start[f + 1] - mesh->face_start[f];
    }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){mesh->vertices, mesh->vertex_count, 0, TACT_SCALAR_DOUBLE};
    def.indices = mesh->indices;
    def.index_count = mesh->index_count;
    def.loop_sizes = sizes;
    def.loop_count = mesh->face_count;
    tact_shape *shape = tact_mesh_create(&def, NULL);
    if (shape != NULL)
        (void)tact_mesh_check(shape);
    tact_shape_release(shape);
    free(sizes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int file = memfd_create("mesh", 0);
    require(file >= 0 && write(file, data, size) == (ssize_t)size);
    char path[64], error[MESH_FILE_ERROR] = "";
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    mesh_file mesh;
    if (tact_mesh_file_read(path, &mesh, error, sizeof error))
        use(&mesh);
    else
        require(error[0] != '\0');
    tact_mesh_file_release(&mesh);
    (void)close(file);
    return 0;
}
