/* Reads meshes from JSON: a file name, or vertices and triangles. */
#ifndef TACT_TOOL_MESH_READ_H
#define TACT_TOOL_MESH_READ_H

#include <jansson.h>
#include <tact/shape.h>

#include "json_read.h"
#include "mesh_cache.h"

/* Reads a mesh with "file", or "vertices" and "triangles", and "solid"; the keys of `object` have been checked. On
 * failure returns NULL and sets the error. */
tact_shape *tact_mesh_read(const json_t *object, const tact_json_path *where, double margin, mesh_cache *cache,
                           tact_input_error *error);

/* Sets the error to the reason why a shape could not be created. Returns NULL. */
tact_shape *tact_shape_creation_failed(const tact_json_path *where, const tact_report *report, tact_input_error *error);

/* Replaces a shape by the same shape with a margin; with margin 0 returns it unchanged. On failure releases the shape,
 * returns NULL and sets the error. */
tact_shape *tact_shape_add_margin(tact_shape *shape, double margin, const tact_json_path *where,
                                  tact_input_error *error);

#endif
