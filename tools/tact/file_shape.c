#include "file_shape.h"

#include <stdio.h>
#include <stdlib.h>

tact_shape *tact_file_shape(const mesh_file *file, bool solid, bool one_sided, tact_report *report)
{
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){file->vertices, file->vertex_count, 0, TACT_SCALAR_DOUBLE};
    def.indices = file->indices;
    def.index_count = file->index_count;
    def.solid = solid;
    def.one_sided = one_sided;
    if (file->index_count == 3 * file->face_count)
        return tact_mesh_create(&def, report); /* all faces are triangles: none has fewer than 3 vertices */
    uint32_t *sizes = malloc(file->face_count * sizeof *sizes);
    if (sizes == NULL) {
        report->status = TACT_OUT_OF_MEMORY;
        (void)snprintf(report->text, sizeof report->text, "out of memory");
        return NULL;
    }
    for (size_t f = 0; f < file->face_count; f++)
        sizes[f] = file->face_start[f + 1] - file->face_start[f];
    def.loop_sizes = sizes;
    def.loop_count = file->face_count;
    tact_shape *shape = tact_mesh_create(&def, report);
    free(sizes);
    return shape;
}
