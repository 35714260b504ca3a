/* Reads NURBS shapes from JSON. */
#ifndef TACT_TOOL_NURBS_READ_H
#define TACT_TOOL_NURBS_READ_H

#include <jansson.h>
#include <tact/shape.h>

#include "json_read.h"
#include "mesh_cache.h"

/* Reads a NURBS shape: "degree", "counts", "knots", "points", and optionally "weights", "trims" and "tolerance"; or
 * "surfaces", an array of objects with these keys; and "solid" and "edges"; or "file", which names a CAD file. The keys
 * of `object` itself have been checked. On failure returns NULL and sets the error. */
tact_shape *tact_nurbs_read(const json_t *object, const tact_json_path *where, double margin, mesh_cache *cache,
                            tact_input_error *error);

#endif
