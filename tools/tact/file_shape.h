/* Creates a shape from the mesh of a file. */
#ifndef TACT_TOOL_FILE_SHAPE_H
#define TACT_TOOL_FILE_SHAPE_H

#include <stdbool.h>
#include <tact/mesh.h>

#include "mesh_file.h"

/* Creates a mesh shape with the vertex and face indices of the file. On failure returns NULL and sets `report`. */
tact_shape *tact_file_shape(const mesh_file *file, bool solid, bool one_sided, tact_report *report);

#endif
