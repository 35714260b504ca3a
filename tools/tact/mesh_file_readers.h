/* The readers, one a format. Each takes the source with its bytes loaded and a build that has begun, and returns false
 * with a complaint made. */
#ifndef TACT_TOOL_MESH_FILE_READERS_H
#define TACT_TOOL_MESH_FILE_READERS_H

#include <stdbool.h>

#include "mesh_file_build.h"
#include "mesh_file_source.h"

/* They set source->binary when they come to bytes that are no text. */
bool tact_mesh_read_ply(mesh_source *source, mesh_build *build);
bool tact_mesh_read_obj(mesh_source *source, mesh_build *build);
bool tact_mesh_read_stl_text(mesh_source *source, mesh_build *build);
bool tact_mesh_read_stl_binary(mesh_source *source, mesh_build *build);

/* All other formats; reads the file itself, again. */
bool tact_mesh_read_assimp(mesh_source *source, mesh_build *build);

/* Reads a finite coordinate at `*at`, which stands at a word, and goes past it. */
bool tact_mesh_read_coordinate(const mesh_source *source, const char **at, double *value);

/* Complains when the value is not finite; `at` is where it stands. */
bool tact_mesh_check_coordinate(const mesh_source *source, const char *at, double value);

#endif
