/* The readers of mesh formats. Each takes a source with its bytes loaded and an empty mesh_build. On failure it returns
 * false after writing the error message of the source. */
#ifndef TACT_TOOL_MESH_FILE_READERS_H
#define TACT_TOOL_MESH_FILE_READERS_H

#include <stdbool.h>

#include "mesh_file_build.h"
#include "mesh_file_source.h"

/* These set source->binary for binary data. */
bool tact_mesh_read_ply(mesh_source *source, mesh_build *build);
bool tact_mesh_read_obj(mesh_source *source, mesh_build *build);
bool tact_mesh_read_stl_text(mesh_source *source, mesh_build *build);
bool tact_mesh_read_stl_binary(mesh_source *source, mesh_build *build);

/* All other formats; Assimp reads the file itself. */
bool tact_mesh_read_assimp(mesh_source *source, mesh_build *build);

/* The major and minor version of Assimp; false if it is not built in. */
bool tact_mesh_assimp_version(unsigned version[2]);

/* Reads a finite coordinate at the word `*at` and moves `*at` to its end. */
bool tact_mesh_read_coordinate(const mesh_source *source, const char **at, double *value);

/* Checks that a value read at `at` is finite. */
bool tact_mesh_check_coordinate(const mesh_source *source, const char *at, double value);

#endif
