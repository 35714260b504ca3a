/* Reading meshes from JSON: those that name a file, and those that hold their vertices and triangles. */
#ifndef TACT_TOOL_MESH_READ_H
#define TACT_TOOL_MESH_READ_H

#include <jansson.h>
#include <tact/shape.h>

#include "json_read.h"
#include "mesh_cache.h"

/* Makes the mesh of an object with "file", or "vertices" and "triangles", and "solid", whose keys have been checked.
 * NULL with a complaint made if it is no good. */
tact_shape *tact_mesh_read(const json_t *object, const tact_json_path *where, double margin, mesh_cache *cache,
                           tact_complaint *complaint);

#endif
