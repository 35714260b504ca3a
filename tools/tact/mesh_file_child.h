/* Reads a mesh in a child process, for third-party readers that may crash. */
#ifndef TACT_TOOL_MESH_FILE_CHILD_H
#define TACT_TOOL_MESH_FILE_CHILD_H

#include <stdbool.h>

#include "mesh_file_build.h"
#include "mesh_file_source.h"

/* Calls `read` in a child process and returns its mesh or its error. A crash of the child is an error, and so is more
 * CPU time than its files explain; if it takes more memory, allocations fail. `read` calls tact_child_allow for each
 * file. `build` is empty after tact_mesh_build_begin; its format and the source do not change. Without fork, `read` is
 * called directly. */
bool tact_mesh_read_in_child(mesh_source *source, mesh_build *build, bool (*read)(mesh_source *, mesh_build *));

#endif
