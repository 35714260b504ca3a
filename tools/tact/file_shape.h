/* From the mesh of a file to a shape. */
#ifndef TACT_TOOL_FILE_SHAPE_H
#define TACT_TOOL_FILE_SHAPE_H

#include <stdbool.h>
#include <tact/mesh.h>

#include "mesh_file.h"

/* Makes a mesh with the vertices and faces of the file, numbered alike; both count from 0. On failure returns NULL and
 * says why in `report`. */
tact_shape *tact_file_shape(const mesh_file *file, bool solid, tact_report *report);

#endif
