/* NURBS shapes in files: one SHAPE of type nurbs as JSON (docs/query_tool.md). */
#ifndef TACT_TOOL_NURBS_FILE_H
#define TACT_TOOL_NURBS_FILE_H

#include <stdbool.h>
#include <tact/shape.h>

/* Whether the name ends in .json, in upper or lower case. */
bool tact_nurbs_file_is(const char *path);

/* Reads the shape. It has neither place, motion nor margin. On failure returns NULL with a message of path, line and
 * reason; `error` has MESH_FILE_ERROR bytes (mesh_file.h). */
tact_shape *tact_nurbs_file_read(const char *path, char *error, size_t error_size);

#endif
